"""Every example in a docstring runs, and every public function of the maths has one."""

import doctest
import importlib
import inspect
import pkgutil
import types

import pytest
from test_layers import MATHS

import pe_lib

MODULES = [info.name for info in pkgutil.walk_packages(pe_lib.__path__, "pe_lib.") if not info.ispkg]


def without_example(module):
    """The public functions and classes that a module defines and shows no example of."""
    tests = {test.name for test in doctest.DocTestFinder(exclude_empty=True).find(module) if test.examples}
    own = [
        name
        for name, thing in vars(module).items()
        if (inspect.isfunction(thing) or inspect.isclass(thing))
        and thing.__module__ == module.__name__
        and not name.startswith("_")
    ]
    return [name for name in own if f"{module.__name__}.{name}" not in tests]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


@pytest.mark.parametrize("name", [name for name in MATHS if not name.startswith("_")])
def test_every_public_function_of_the_maths_has_an_example(name):
    assert without_example(importlib.import_module(f"pe_lib.{name}")) == []


def module_with(source):
    module = types.ModuleType("specimen")
    exec(source, module.__dict__)
    return module


def test_a_missing_example_would_be_seen():
    module = module_with("def told():\n    '''Says so.'''\ndef shown():\n    '''\n    >>> 1 + 1\n    2\n    '''\ndef _own(): pass")
    assert without_example(module) == ["told"]


def test_a_wrong_example_would_be_seen(capsys):
    failed, _ = doctest.testmod(module_with("'''\n>>> 1 + 1\n3\n'''"))
    assert failed == 1
    assert "Expected:\n    3\nGot:\n    2" in capsys.readouterr().out
