"""nbval never moves a slider: here every control of every notebook is moved, in the kernel that ran the notebook."""

import ast

import notebooks
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from notebook_kit import each_notebook
from notebook_rules import calls, code_cells, tree

STATES, SECONDS = 200, 10  # random states a figure, or as many as fit


def explored(notebook):
    """How often the notebook calls explore, functions it only defines left out."""
    statements = [node for _, cell in code_cells(notebook) for node in tree(cell).body
                  if not isinstance(node, ast.FunctionDef | ast.ClassDef)]
    return sum(calls(node).count("explore") for node in statements)


@each_notebook
def test_every_slider_figure_works_at_every_end_and_at_random(path, run_once):
    run = run_once(path)
    walk = run.call("walk_figures", STATES, SECONDS)
    assert walk["errors"] == []
    assert walk["figures"] >= max(1, explored(run.committed)), "explore was called, and no figure is there"


@each_notebook
def test_every_other_control_works(path, run_once):
    assert run_once(path).call("sweep_widgets")["errors"] == []


# ---- the walker can fail

def run_cells(run_once, folder, *sources):
    path = folder / "00_specimen.ipynb"
    notebooks.write(notebooks.normalise(new_notebook(cells=[new_code_cell(source) for source in sources])), path)
    return run_once(path)


FIGURE = """
from pe_lib.teach.sliders import Slider, explore
def build(fig):
    (line,) = fig.subplots().plot([0, 1], [0, 0], animated=True)
    def update(height):
        line.set_ydata([0, {value}])
        return f"The line rises to {{height}}."
    return update
explore(build, height=Slider(0, 40, start=1))
"""


def test_pale_words_are_seen(run_once, tmp_path):
    pale = FIGURE.format(value="height").replace("def update", "fig.text(0, 0, 'key', color='#D55E00')\n    def update")
    walk = run_cells(run_once, tmp_path, pale).call("walk_figures", 5, 1)
    assert walk["errors"] == ["figure 1: 'key' is too pale: take KEY_TEXT or CONTENT_TEXT"]


def test_a_figure_that_works_passes(run_once, tmp_path):
    run = run_cells(run_once, tmp_path, FIGURE.format(value="height / 40"), "import numpy as np")
    assert explored(run.committed) == 1
    assert run.call("walk_figures", 20, 2) == {"figures": 1, "errors": []}
    assert run.call("sweep_widgets") == {"moves": 0, "errors": []}


def test_a_figure_that_breaks_at_one_end_fails(run_once, tmp_path):
    run = run_cells(run_once, tmp_path, FIGURE.format(value="1 / (40 - height)"))
    errors = run.call("walk_figures", 0, 2)["errors"]
    assert errors
    assert all("height=40" in error and "ZeroDivisionError" in error for error in errors)


def test_a_figure_that_was_not_made_is_missed(run_once, tmp_path):
    run = run_cells(run_once, tmp_path, FIGURE.format(value="height"), "explore = print\nexplore('no figure')")
    assert run.call("walk_figures", 0, 2)["figures"] < explored(run.committed)


CALLBACK = "import ipywidgets as w\ndef f(*args): raise RuntimeError('lost')\n"


@pytest.mark.parametrize("source", [
    "s = w.IntSlider(); s.observe(f, 'value'); s",
    "s = w.FloatLogSlider(); s.observe(f, 'value'); s",
    "s = w.RadioButtons(options=['a', 'b']); s.observe(f, 'index'); s",
    "s = w.Checkbox(); s.observe(f, 'value'); s",
    "s = w.Button(description='Go'); s.on_click(f); s",
    "s = w.Text(); s.observe(f, 'value'); s",
    "out = w.Output(); s = w.IntSlider(); s.observe(out.capture()(f), 'value'); s",
    "from pe_lib.teach.quiz import ask\ns = ask('1 + 1?', {'2': 'Yes.', '3': 'Count.'}, right='2'); s.observe(f, 'choice'); s",
], ids=["slider", "log slider", "radio buttons", "checkbox", "button", "text", "output", "question"])
def test_an_error_that_a_front_end_would_swallow_is_found(source, run_once, tmp_path):
    swept = run_cells(run_once, tmp_path, CALLBACK + source).call("sweep_widgets")
    assert swept["moves"] > 0
    assert "lost" in str(swept["errors"])
