"""The committed notebooks: their form, and what nbval cannot see (nbval compares their texts, cell by cell)."""

import base64
import importlib
import io
import pkgutil
import re

import notebook_rules
import notebooks
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from notebook_kit import CHAPTERS, NOTEBOOKS, each_chapter, each_notebook
from PIL import Image

from pe_lib.teach import questions


def test_there_are_notebooks():
    assert NOTEBOOKS
    assert [path.name for path in NOTEBOOKS if not re.fullmatch(r"(\d\d|tour)_[a-z0-9_]+\.ipynb", path.name)] == []


@pytest.mark.parametrize("rule", notebook_rules.RULES, ids=lambda rule: rule.__name__)
@each_notebook
def test_form(path, rule):
    assert rule(notebooks.read(path)) == []


@each_chapter
def test_its_claims_are_asserted(path):
    """The tour leaves out cells that the chapters have: test_tour.py says which claims that concerns."""
    assert notebook_rules.asserts_its_claims(notebooks.read(path)) == []


@each_notebook
def test_the_file_is_what_the_tool_writes(path):
    notebook = notebooks.read(path)
    assert path.read_bytes().decode() == notebooks.text_of(notebooks.normalise(notebook)), "run  make notebooks"


@each_chapter
def test_its_line_of_progress_is_there_once(path):
    calls = [call for cell in notebooks.read(path).cells if cell.cell_type == "code" for call in re.findall(r"^progress\((.*)\)$", cell.source, re.MULTILINE)]
    assert calls == ["" if path.name.startswith("00") else f'"{path.name[:2]}"']


@each_notebook
def test_a_run_gives_the_committed_outputs_and_pictures(path, run_once):
    run = run_once(path)
    assert notebooks.differences(run.committed, run.notebook) == []


@each_notebook
def test_a_run_takes_less_than_a_minute(path, run_once):
    assert run_once(path).seconds < 60


@each_notebook
def test_no_pyplot_figure_is_left_open(path, run_once):
    assert run_once(path).call("open_pyplot_figures") == []


@each_notebook
def test_the_path_marked_with_a_triangle_runs_alone(path, run_once):
    run = run_once(path)
    assert run.call("run_alone", notebook_rules.marked_path(run.committed)) == []


@pytest.mark.parametrize("name", [info.name for info in pkgutil.iter_modules(questions.__path__)])
def test_every_question_is_asked_once(name):
    asked = [re.findall(r"\*questions\.([A-Z_\d]+)\)", cell.source) for path in CHAPTERS
             if f"from pe_lib.teach.questions import {name} as questions" in path.read_text(encoding="utf-8")
             for cell in notebooks.read(path).cells if cell.cell_type == "code"]
    written = [key for key in vars(importlib.import_module(f"pe_lib.teach.questions.{name}")) if key.isupper()]
    assert sum(asked, []) == written


# ---- each rule can fail

def notebook_with(*cells):
    return notebooks.normalise(new_notebook(cells=[new_markdown_cell("# Why?"), *cells]))


def picture(alt="A line that rises.", text="A line that rises.", mode="P", size=(8, 6), width=8):
    data = io.BytesIO()
    Image.new(mode, size).save(data, "png")
    return new_output("display_data", {"image/png": base64.b64encode(data.getvalue()).decode(), "text/plain": text},
                      metadata={"image/png": {"alt": alt, "width": width}})


def printed(text, name="stdout"):
    return new_output("stream", name=name, text=text)


LONG = "\n".join(f"x = {n}" for n in range(16))
BREACHES = {
    "has_no_errors": [
        new_code_cell("1/0", outputs=[new_output("error", ename="ZeroDivisionError", evalue="", traceback=[])]),
        new_code_cell("warn()", outputs=[printed("UserWarning", "stderr")]),
    ],
    "shows_what_it_prints": [new_code_cell("print(1)"), new_code_cell("x"), new_code_cell("show(fig, alt=text)")],
    "prints_the_same_everywhere": [
        new_code_cell("f", outputs=[new_output("execute_result", {"text/plain": "<function f at 0x7f1234567890>"})]),
        new_code_cell("print(path)", outputs=[printed("/home/me/x")]),
    ],
    "pictures_speak": [
        new_code_cell("fig", outputs=[picture(alt="")]),
        new_code_cell("fig", outputs=[picture(text="<Figure size 640x480>")]),
        new_code_cell("fig", outputs=[picture(alt="A picture")]),
    ],
    "opens_with_its_figure": [
        [new_markdown_cell("# Why?"), *[new_code_cell(str(n)) for n in range(3)], new_code_cell("explore(build, x=Slider(0, 1))")],
        [new_markdown_cell("# Why?\n" + "word " * 150), new_code_cell("explore(build, x=Slider(0, 1))")],
    ],
    "figures_say_what_is_drawn": [new_code_cell("explore(lambda fig: update, x=Slider(0, 1))", outputs=[picture()])],
    "pictures_are_light_and_fit_a_screen": [
        new_code_cell("fig", outputs=[picture(mode="RGB")]),
        new_code_cell("fig", outputs=[picture(size=(800, 902), width=800)]),
    ],
    "names_what_drew_its_pictures": [new_code_cell("fig", outputs=[picture()])],
    "code_is_short": [new_code_cell(LONG)],
    "prose_is_short": [new_markdown_cell("word " * 101)],
    "imports_by_name": [new_code_cell("from numpy import *")],
    "installs_nothing": [new_code_cell("%pip install numpy"), new_code_cell("!pip install numpy")],
    "stays_offline": [new_code_cell("import urllib.request")],
    "swallows_no_errors": [new_code_cell("interact(f, x=3)"), new_code_cell("out = widgets.Output()")],
    "keeps_its_answers_to_itself": [new_code_cell("ask('Is it?', {'yes': 'Yes.', 'no': 'No.'}, right='yes')"), new_code_cell("predict(*questions.IS_IT, right='yes')")],
    "has_fixed_seeds": [new_code_cell("rng = np.random.default_rng()")],
    "asserts_its_claims": [new_markdown_cell("So.\n\n<small>claim 1.2</small>"), new_code_cell("assert x  # claim 1.3")],
    "is_small": [new_code_cell("x", outputs=[printed("1" * 1_500_000)])],
}


@pytest.mark.parametrize(("rule", "cell"), [(rule, cell) for rule, cells in BREACHES.items() for cell in cells],
                         ids=lambda value: value if isinstance(value, str) else "")
def test_a_breach_is_seen(rule, cell):
    assert getattr(notebook_rules, rule)(notebook_with(*(cell if isinstance(cell, list) else [cell]))) != []


def test_a_notebook_without_a_title_is_seen():
    assert notebook_rules.starts_with_its_title(notebooks.normalise(new_notebook(cells=[new_code_cell("x = 1")]))) != []


@pytest.mark.parametrize("spoil", [
    lambda nb: nb.cells[1].update(execution_count=7),
    lambda nb: nb.cells[1].update(id="another"),
    lambda nb: nb.cells[1].metadata.update(execution={"iopub.status.busy": "2026-01-01"}),
    lambda nb: nb.metadata.update(widgets={}),
    lambda nb: nb.cells[1].outputs[0].data.update({"application/vnd.jupyter.widget-view+json": {}}),
    lambda nb: nb.metadata.language_info.update(version="3.11.7"),
], ids=["run count", "id", "times", "widget state", "widget view", "Python version"])
def test_a_notebook_that_is_not_normal_is_seen(spoil):
    notebook = notebook_with(new_code_cell("fig", outputs=[picture()]))
    assert notebook_rules.is_normal(notebook) == []
    spoil(notebook)
    assert notebook_rules.is_normal(notebook) != []


def test_every_rule_keeps_quiet_about_a_good_notebook():
    good = notebook_with(
        new_code_cell("import sys\nif sys.platform == 'emscripten':\n    %pip install -q pe_lib"),
        new_markdown_cell("A word. " * 20 + "\n\n```python\n" + "many words " * 100 + "\n```\n\n<small>claims 1.2 and 1.3</small>"),
        new_code_cell("assert x == 1  # claim 1.2, 1.3: holds\nrng = np.random.default_rng(0)\nassert y  # claim 1.3"),
        new_code_cell("show(fig, alt=text)", outputs=[picture()]),
        new_code_cell("ask(*questions.IS_IT)", outputs=[printed("Is it?\n")]),
        new_code_cell("print(1)", outputs=[printed("1\n")]),
    )
    good.metadata["made_with"] = {"matplotlib": "3.11"}
    assert {rule.__name__: rule(good) for rule in notebook_rules.RULES} == {rule.__name__: [] for rule in notebook_rules.RULES}


# ---- the path marked ▸ can fail

PATH = ["x = 1", "# Title", "y = 2", "## ▸ On\n\n```python\n## no heading\n```", "assert x + y == 3", "### Off", "z = 3",
        "### ▸ On again", "print(z, 1 / (x - 1))", "A word, no heading.", "assert z == 4", "## Off", "lost", "## ▸ At last", "print(z, lost)"]


def path_notebook():
    return notebooks.normalise(new_notebook(cells=[
        new_markdown_cell(text) if text.startswith(("#", "A ")) else new_code_cell(text) for text in PATH]))


def test_a_heading_of_any_level_begins_or_ends_the_path():
    path = notebook_rules.marked_path(path_notebook())
    assert [(place, heading) for place, heading, _ in path] == [
        (1, ""), (3, ""), (5, "▸ On"), (9, "▸ On again"), (11, "▸ On again"), (15, "▸ At last")]


def test_all_that_the_path_lacks_is_named(run_once, tmp_path):
    path = tmp_path / "00_specimen.ipynb"
    notebooks.write(notebooks.normalise(new_notebook(cells=[new_code_cell("z, w = 3, 4")])), path)
    cells = notebook_rules.marked_path(path_notebook())
    assert run_once(path).call("run_alone", cells) == [
        "cell 9, under “▸ On again”: no cell of the path before it makes `z`",
        "cell 9, under “▸ On again”: ZeroDivisionError('division by zero')",
        "cell 11, under “▸ On again”: AssertionError()",
        "cell 15, under “▸ At last”: NameError(\"name 'lost' is not defined\")",
    ]
    assert run_once(path).call("run_alone", [(1, "", "from pe_lib.teach.quiz import ask\nask('1?', {'1': 'Yes.', '2': 'No.'}, right='1')")]) == []
    assert run_once(path).call("sweep_widgets") == {"moves": 0, "errors": []}
