"""The folder is the layer: pe_lib/*.py is maths and the toy model, which import NumPy and themselves alone."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import pe_lib

LIBRARY = Path(pe_lib.__file__).parent
MATHS = sorted(path.stem for path in LIBRARY.glob("*.py") if path.stem != "__init__")
CLINIC = sorted(".".join(path.relative_to(LIBRARY.parent).with_suffix("").parts) for path in (LIBRARY / "clinic").rglob("*.py"))

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


def test_the_library_has_these_rooms():
    assert {path.name for path in LIBRARY.iterdir() if path.is_dir() and path.name != "__pycache__"} == {"teach", "clinic"}
    assert {"attention", "frequencies", "sinusoidal", "model"} <= set(MATHS)


@pytest.mark.parametrize("name", MATHS)
def test_maths_and_model_load_no_plotting_and_no_widgets(name):
    assert loaded_by(f"import pe_lib.{name}") == []


def test_the_clinic_loads_no_plotting_and_no_widgets():
    assert "pe_lib.clinic.report" in CLINIC
    assert loaded_by("import " + ", ".join(name.removesuffix(".__init__") for name in CLINIC)) == []


@pytest.mark.parametrize("old", ["sliders", "plots", "quiz", "maps", "controls", "walker", "figures", "checks", "questions"])
@pytest.mark.parametrize("statement", ["import pe_lib.{}", "from pe_lib import {}", "from pe_lib.{} import anything", "import pe_lib.{}.start_here"])
def test_an_import_from_an_old_place_is_told_the_new_one(old, statement):
    with pytest.raises(ImportError, match=rf"pe_lib\.{old} is now pe_lib\.teach\.{old}: please import it from there"):
        exec(statement.format(old), {})


def test_a_name_that_never_was_gets_pythons_own_words():
    with pytest.raises(ModuleNotFoundError, match="No module named 'pe_lib.plotz'"):
        exec("import pe_lib.plotz", {})


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
        ("from pe_lib.teach import plots", "imports pe_lib.teach"),
        ("from pe_lib.clinic import diagnose", "imports pe_lib.clinic"),
        ("from pe_lib.teach.sliders import explore", "imports pe_lib.teach.sliders"),
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
