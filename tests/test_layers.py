"""The maths stands alone: NumPy and itself, small enough to read, and no trace of the teaching side."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import pe_lib

LIBRARY = Path(pe_lib.__file__).parent
FILES = {path.stem for path in LIBRARY.glob("*.py")} - {"__init__"}
LAYERS = {  # a layer imports itself and those above it; the packages figures/ and checks/ are teaching too
    "maths": "frequencies scaling yarn offsets precision sinusoidal additive biases layouts rotary attention cache grids graphs _validate",
    "model": "model tasks",
    "teaching": "plots maps sliders controls walker quiz clinic",
}
MATHS, MODEL, TEACHING = (sorted(FILES & set(names.split())) for names in LAYERS.values())

FORBIDDEN = ["matplotlib", "ipywidgets", "anywidget", "IPython"]


def loaded_by(statement):
    """Which forbidden packages a fresh Python has loaded after the statement."""
    code = f"import sys\n{statement}\nprint(*[name for name in {FORBIDDEN} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    return run.stdout.split()


def code_lines(node, lines):
    """Lines of a function without its docstring, comments and blank lines."""
    skip = range(0)
    if ast.get_docstring(node) is not None:
        skip = range(node.body[0].lineno, node.body[0].end_lineno + 1)
    numbered = ((number, lines[number - 1].strip()) for number in range(node.lineno, node.end_lineno + 1))
    return sum(1 for number, line in numbered if number not in skip and line and not line.startswith("#"))


def imported(node):
    """The modules named by an import statement; pe_lib.x for a module x of the library."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if node.level or node.module == "pe_lib":
        return [f"pe_lib.{node.module}" if node.level and node.module else f"pe_lib.{a.name}" for a in node.names]
    return [node.module]


def breaches(source):
    """Everything in a maths module's source that breaks a rule of the house, in words."""
    lines, tree, found = source.splitlines(), ast.parse(source), []
    if len(lines) > 150:
        found.append(f"{len(lines)} lines")
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            allowed = {"numpy", "typing"} | {f"pe_lib.{name}" for name in MATHS}  # typing: for a tuple with names
            found += [f"imports {name}" for name in imported(node) if name not in allowed and not name.startswith("numpy.")]
            found += ["star import" for alias in node.names if alias.name == "*"]
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and code_lines(node, lines) > 20:
            found.append(f"{node.name} has {code_lines(node, lines)} lines")
        elif isinstance(node, ast.Assert):
            found.append("bare assert")
        elif isinstance(node, ast.Global):
            found.append("global state")
    return found


def test_every_module_has_one_layer():
    assert sorted(MATHS + MODEL + TEACHING) == sorted(FILES), "name the new module in LAYERS"
    assert {"attention", "frequencies", "sinusoidal"} <= set(MATHS)


@pytest.mark.parametrize("name", MATHS + MODEL)
def test_maths_and_model_load_no_plotting_and_no_widgets(name):
    assert loaded_by(f"import pe_lib.{name}") == []


@pytest.mark.parametrize("name", FORBIDDEN)
def test_a_forbidden_import_would_be_seen(name):
    assert name in loaded_by(f"import pe_lib.attention, {name}")


@pytest.mark.parametrize("name", MATHS)
def test_maths_modules_keep_the_rules_of_the_house(name):
    assert breaches((LIBRARY / f"{name}.py").read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "source, breach",
    [
        ("import matplotlib.pyplot as plt", "imports matplotlib.pyplot"),
        ("import math", "imports math"),
        ("from pe_lib import plots", "imports pe_lib.plots"),
        ("from pe_lib.sliders import explore", "imports pe_lib.sliders"),
        ("from . import quiz", "imports pe_lib.quiz"),
        ("from .quiz import ask", "imports pe_lib.quiz"),
        ("def f():\n    import ipywidgets", "imports ipywidgets"),
        ("from numpy import *", "star import"),
        ("def f(x):\n    assert x", "bare assert"),
        ("def f():\n    global x", "global state"),
        ("x = 1\n" * 151, "151 lines"),
        ("def f():\n" + "    x = 1\n" * 20, "f has 21 lines"),
    ],
)
def test_a_broken_rule_would_be_seen(source, breach):
    assert breaches(source) == [breach]


def test_docstrings_comments_and_blank_lines_are_free():
    source = 'def f():\n    """' + "words\n" * 30 + '"""\n' + "    # why\n\n" * 15 + "    x = 1\n" * 19
    assert breaches(source) == []
    assert breaches("import numpy as np\nimport numpy.linalg\nfrom pe_lib.frequencies import angles\nfrom . import attention") == []
