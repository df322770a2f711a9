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


def is_private(name):
    return name.startswith("_") and not name.startswith("__")


def borrowed_privates(source):
    """Private names that a module takes from another one; a private module (pe_lib._validate) may be imported as such."""
    found, modules = [], {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            come_from = "" if isinstance(node, ast.Import) else node.module or ""
            for alias in node.names:
                modules[alias.asname or alias.name.split(".")[0]] = alias.name
                if come_from and is_private(alias.name) and come_from != "pe_lib":
                    found.append(f"{come_from}.{alias.name}")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            path = ast.unparse(node.value)
            if path.split(".")[0] in modules and f"{path}.{node.attr}" != "pe_lib._validate":
                found.append(f"{path}.{node.attr}")
    return sorted(found)


def test_the_library_has_these_rooms():
    assert {path.name for path in LIBRARY.iterdir() if path.is_dir() and path.name != "__pycache__"} == {"teach", "clinic", "weights"}
    assert {"attention", "frequencies", "sinusoidal", "model"} <= set(MATHS)


@pytest.mark.parametrize("name", MATHS)
def test_maths_and_model_load_no_plotting_and_no_widgets(name):
    assert loaded_by(f"import pe_lib.{name}") == []


def test_the_clinic_loads_no_plotting_and_no_widgets():
    assert "pe_lib.clinic.report" in CLINIC
    assert loaded_by("import " + ", ".join(name.removesuffix(".__init__") for name in CLINIC)) == []


DATA = sorted(f"pe_lib.teach.data.{path.stem}" for path in (LIBRARY / "teach" / "data").glob("*.py") if path.stem != "__init__")


def test_the_chapters_data_load_no_plotting_and_no_widgets():
    assert "pe_lib.teach.data.dog_bites_man" in DATA
    assert loaded_by("import " + ", ".join(DATA)) == []


@pytest.mark.parametrize("name", CLINIC + DATA)
def test_neither_the_clinic_nor_the_data_import_the_teaching_side(name):
    """but chapter 11 has the words of chapter 1: data may stand on data"""
    allowed = ("pe_lib.teach.data",) if name in DATA else ()
    path = LIBRARY.parent / (name.replace(".", "/") + ".py")
    nodes = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, (ast.Import, ast.ImportFrom))]
    assert [found for node in nodes for found in imported(node) if found.startswith("pe_lib.teach") and not found.startswith(allowed)] == []


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


OTHER_PACKAGES = {"Question._css", "Question._esm", "widget._instances"}     # so named by anywidget and ipywidgets
SOURCES = sorted([*LIBRARY.rglob("*.py"), *Path(__file__).parent.rglob("*.py"), *(LIBRARY.parent / "tools").glob("*.py")])


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(LIBRARY.parent)))
def test_no_module_takes_anothers_private_name(path):
    assert set(borrowed_privates(path.read_text(encoding="utf-8"))) <= OTHER_PACKAGES


@pytest.mark.parametrize("source, names", [
    ("from pe_lib.frequencies import angles, _rows", ["pe_lib.frequencies._rows"]),
    ("from .exercise import _End as End", ["exercise._End"]),
    ("def f():\n    from pe_lib.clinic.rotary.laws import _near", ["pe_lib.clinic.rotary.laws._near"]),
    ("from pe_lib.teach.checks import exercise as e\ne._End", ["e._End"]),
    ("import pe_lib.frequencies\npe_lib.frequencies._rows(3)", ["pe_lib.frequencies._rows"]),
    ("from pe_lib.teach.checks.exercise import Attempt\nAttempt._run", ["Attempt._run"]),
    ("from pe_lib._validate import even_dim, _whole", ["pe_lib._validate._whole"]),
])
def test_a_borrowed_private_name_would_be_seen(source, names):
    assert borrowed_privates(source) == names


@pytest.mark.parametrize("source", [
    "from pe_lib._validate import even_dim", "from pe_lib import _validate\n_validate.even_dim(4)", "import pe_lib._validate\npe_lib._validate.even_dim(4)",
    "from pe_lib import __version__", "def _mine():\n    return 1\n_mine()", "class A:\n    def f(self):\n        return self._x",
    "from typing import NamedTuple\nclass Law(NamedTuple):\n    speed: float\nLaw(1.0)._replace(speed=2.0)",
])
def test_own_private_names_and_private_modules_are_free(source):
    assert borrowed_privates(source) == []


def test_docstrings_comments_and_blank_lines_are_free():
    source = 'def f():\n    """' + "words\n" * 30 + '"""\n' + "    # why\n\n" * 15 + "    x = 1\n" * 19
    assert breaches(source) == []
    assert breaches("import numpy as np\nimport numpy.linalg\nfrom pe_lib.frequencies import angles\nfrom . import attention") == []
