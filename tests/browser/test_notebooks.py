"""Every notebook of the course in a real browser: Run All, then a key for every control of every slider figure."""

import json
from pathlib import Path

import pytest

pytestmark = pytest.mark.browser

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))
NAMED = ("slider", "textbox", "spinbutton", "combobox", "checkbox", "radio", "button", "image")


@pytest.mark.parametrize("name", [path.name for path in NOTEBOOKS])
def test_every_control_leads_to_the_right_frame(name, open_notebook, folder):
    import lab

    notebook = open_notebook(name)
    stills_are_seen(notebook, folder / "notebooks" / name)
    assert notebook.run() == []
    count = notebook.evaluate("len(__import__('pe_lib.teach.sliders').teach.sliders.figures())")
    assert notebook.page.locator(".jp-Notebook .pe-figure canvas").count() == count
    for n in range(count):
        figure = lab.Figure(notebook, n)
        figure.wait_sharp()
        moves(figure)
        assert [role for role, text in figure.names() if role in NAMED and not text] == []
        assert notebook.evaluate(f"[str(error) for error in {figure.python}.errors]") == []


def stills_are_seen(notebook, path):
    """Opened, but not run: the pictures that were committed, in place of the live figures."""
    outputs = [output for cell in json.loads(path.read_text())["cells"] for output in cell.get("outputs", [])]
    pictures = sum("image/png" in output.get("data", {}) for output in outputs)
    notebook.page.wait_for_function("""(count) => [...document.querySelectorAll('.jp-Notebook .jp-OutputArea-output img')]
        .filter((picture) => picture.naturalWidth > 99).length === count""", arg=pictures)
    assert notebook.page.locator(".jp-Notebook .pe-figure").count() == 0


def moves(figure):
    """A key for every control, then one look: the picture is new, and the one for the settings of all controls.

    Frames between two keys are test_component's business, all other settings test_sliders_in_notebooks's.
    """
    before = picture(figure)
    for role, keys in (("combobox", ["ArrowDown", "ArrowUp"]), ("checkbox", ["Space"]), ("slider", ["End", "Home"])):
        for n, control in enumerate(figure.output.get_by_role(role).all()):
            assert any(figure.move(key, control) for key in keys), f"figure {figure.n}, {role} {n}: no key moves it"
            last = keys, control
    figure.wait_rest()
    assert figure.faults() == []
    if picture(figure) == before:              # two menus may have changed places, which shows nothing: the last control moves on
        keys, control = last
        assert any(figure.move(key, control) for key in keys)
        figure.wait_rest()
    assert picture(figure) != before, f"the controls of figure {figure.n} do not change its picture"


def picture(figure):
    return figure.canvas.evaluate("(canvas) => canvas.toDataURL()")
