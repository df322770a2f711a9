"""A learner's copy in a real browser: folded cells run by keyboard, show their output, and open to their code."""

import json

import my_course
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

import notebooks

pytestmark = pytest.mark.browser

SOURCES = ["""from pe_lib.teach.checks import start_here as checks
from pe_lib.teach.quiz import predict, progress
question = ("Is it?", {"yes": "It is.", "no": "Look again."}, "yes")
progress("00")""", "predict(*question)", "def relative(query, key):\n    return key - query", "checks.check_relative_position(relative)"]


@pytest.fixture
def copy(open_notebook, folder):
    """Chapter 0 of a small course, opened as the learner's copy."""
    course, copies = folder / "course", folder / "notebooks"
    course.mkdir(exist_ok=True)
    cells = [new_markdown_cell("# Why?"), *(new_code_cell(source, metadata={"tags": ["check"]} if "check_" in source else {}) for source in SOURCES)]
    notebooks.write(notebooks.normalise(new_notebook(cells=cells)), course / "00_folded.ipynb")
    assert my_course.update(course, copies)[1]
    yield open_notebook("00_folded.ipynb")
    for name in ("00_folded.ipynb", my_course.STATE, "progress.json"):
        (copies / name).unlink(missing_ok=True)


def test_folded_cells_run_by_keyboard_and_open_to_their_code(copy, folder):
    page = copy.page
    cells = page.locator(".jp-Notebook .jp-CodeCell")
    hidden = [cells.nth(n).locator(".jp-InputPlaceholder").is_visible() for n in range(4)]
    assert hidden == [False, True, False, True]
    page.evaluate("() => { lab.notebook().content.activeCellIndex = 1; lab.notebook().content.activate(); }")
    for n in range(4):
        page.keyboard.press("Shift+Enter")
        page.wait_for_function("(n) => lab.notebook().content.widgets[n].model.executionCount === n", arg=n + 1)
    cells.nth(3).get_by_text("Exercise 0.1: right").wait_for()
    assert cells.nth(1).locator(".pe-quiz").is_visible() and cells.nth(3).locator(".jp-InputPlaceholder").is_visible()
    cells.nth(1).get_by_role("radio").first.check()
    cells.nth(1).get_by_role("button", name="Commit").click()
    cells.nth(0).get_by_text("Chapter 0: 1 of 1 exercises solved, 1 of 1 predictions made.").wait_for()
    assert json.loads((folder / "notebooks" / "progress.json").read_text())["done"]["00"] == {"exercises": ["0.1"], "predictions": ["Is it?"]}
    cells.nth(3).locator(".jp-InputPlaceholder").click()
    assert cells.nth(3).get_by_text("check_relative_position").is_visible()
