"""Chapter 0: the environment check speaks plainly, the practice figure and the practice exercise teach the sign."""

import importlib.metadata
import runpy
from pathlib import Path

import notebooks
import pytest

from pe_lib.teach.checks.start_here import check_relative_position
from pe_lib.teach.figures import start_here as figures
from pe_lib.teach.plots import new_figure, style

HERE = Path(__file__).parent
WRONG = runpy.run_path(str(HERE / "exercises" / "00_start_here.py"))["WRONG"]["0.1"]


@pytest.fixture(scope="module")
def environment_cell():
    cells = notebooks.read(HERE.parent / "notebooks" / "00_start_here.ipynb").cells
    return next(cell.source for cell in cells if cell.cell_type == "code" and "PackageNotFoundError" in cell.source)


def test_the_environment_is_fine_here(environment_cell, capsys):
    exec(environment_cell, {})
    assert capsys.readouterr().out == "Ready: Python and all packages of the course are here.\n"


def test_a_missing_and_an_old_package_are_named_with_the_remedy(environment_cell, capsys, monkeypatch):
    def version(package):
        if package == "anywidget":
            raise importlib.metadata.PackageNotFoundError(package)
        return "1.26.4rc1" if package == "numpy" else "3.7" if package == "matplotlib" else "9.9"
    monkeypatch.setattr(importlib.metadata, "version", version)
    exec(environment_cell, {})
    assert capsys.readouterr().out.startswith("matplotlib is older than 3.8; anywidget is missing. In the course's folder run  make lab ")


def test_the_cell_asks_for_what_the_library_declares(environment_cell):
    names = {}
    exec(environment_cell, names)
    declared = [line for line in importlib.metadata.requires("pe-lib") if ";" not in line]
    for package, (major, minor) in names["least"].items():
        assert package == "pe-lib" or any(line.startswith(f"{package}>={major}.{minor}") for line in declared), package


@pytest.fixture(scope="module")
def update():
    with style():
        return figures.query_and_key(new_figure(8.0, 3.2))


@pytest.mark.parametrize("query, key, said", [
    (4, 2, "Query 4 (the) looks at key 2 (dog): relative = 2 − 4 = −2, 2 places back."),
    (6, 7, "Query 6 (man) looks at key 7 (again): relative = 7 − 6 = +1, 1 place ahead."),
    (3, 3, "Query 3 (bites) looks at key 3 (bites): relative = 3 − 3 = 0, the word itself."),
])
def test_the_practice_figure_says_key_minus_query(update, query, key, said):
    assert update(query=query, key=key) == said


def test_every_classic_mistake_gets_a_hint_of_its_own():
    messages = set()
    for source in WRONG.values():
        names = {}
        exec(source, names)
        verdict = check_relative_position(names["relative_position"])
        assert verdict.state == "wrong"
        messages.add(repr(verdict))
    assert len(messages) == len(WRONG) >= 3
