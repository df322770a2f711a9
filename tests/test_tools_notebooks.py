"""tools/notebooks.py: the normal form, the same bytes twice, and a check that sees what changed."""

import base64
import io
import time

import notebooks
import numpy as np
import pytest
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from PIL import Image

FIGURE = """from pe_lib.teach.plots import new_figure, show
fig = new_figure(4, 3)
fig.subplots().plot([1, 2, 3])
show(fig, alt="A line that rises.")"""
CELLS = [
    new_markdown_cell("# Why?"),
    new_code_cell("import sys, time\nprint(1, flush=True)\ntime.sleep(0.1)\nprint(2)"),
    new_code_cell("print(1)"),
    new_code_cell("print(1)"),
    new_code_cell("   "),
    new_code_cell("import ipywidgets\nipywidgets.IntSlider()"),
    new_code_cell(FIGURE, metadata={"tags": ["hook"], "scrolled": True}),
]


def tool(*arguments):
    """The command's exit code; one job, so that no thread leaves its event loop to this process."""
    return notebooks.main([*map(str, arguments), "--jobs", "1"])


@pytest.fixture
def file(tmp_path):
    """A notebook as an editor saved it: not run, random ids, a language version."""
    notebook = new_notebook(cells=CELLS, metadata={"language_info": {"name": "python", "version": "3.99"}, "widgets": {}})
    notebooks.write(notebook, tmp_path / "a.ipynb")
    return tmp_path / "a.ipynb"


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """The same notebook, run once, in the normal form."""
    return notebooks.as_run(notebooks.execute(new_notebook(cells=CELLS), tmp_path_factory.mktemp("run")))


def test_a_run_twice_gives_the_same_bytes(file, capsys):
    assert tool(file) == 0
    first = file.read_bytes()
    assert tool(file) == 0
    assert file.read_bytes() == first
    assert tool(file, "--check") == 0
    assert [line.split(" (")[0] for line in capsys.readouterr().out.splitlines()] == [
        "a.ipynb: rewritten", "a.ipynb: unchanged", "a.ipynb: as committed"]


def test_the_normal_form(ran):
    code = [cell for cell in ran.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == [1, 2, 3, 4, 5]
    assert [output.text for output in code[0].outputs] == ["1\n2\n"]
    assert code[1].id != code[2].id == code[1].id + "-2"
    assert dict(code[3].outputs[0].data) == {"text/plain": "IntSlider(value=0)"}
    assert code[4].metadata == {"tags": ["hook"]}
    assert {"image/png", "text/plain"} <= set(code[4].outputs[0].data)
    assert set(ran.metadata) == {"kernelspec", "language_info", "made_with"}
    assert ran.metadata.language_info == {"name": "python"}
    text = notebooks.text_of(ran)
    assert text.endswith("}\n")
    assert "\n {" not in text.splitlines()[0]
    assert "widget-view" not in text


def test_normalising_is_idempotent(ran):
    assert notebooks.text_of(notebooks.normalise(ran)) == notebooks.text_of(ran)


def test_ids_do_not_depend_on_what_wrote_the_file():
    def ids():
        return [cell.id for cell in notebooks.normalise(new_notebook(cells=[new_code_cell("x = 1"), new_markdown_cell("x = 1")])).cells]
    assert ids() == ids()
    assert len(set(ids())) == 2


def test_an_error_output_keeps_no_path_of_this_machine():
    error = new_output("error", ename="KeyError", evalue="'x'", traceback=["File /home/me/x.py:1, in <module>"])
    cell = notebooks.normalise(new_notebook(cells=[new_code_cell("d['x']", outputs=[error])])).cells[0]
    assert cell.outputs[0].traceback == ["KeyError: 'x'"]


def test_no_run_only_normalises(file):
    assert tool(file, "--no-run") == 0
    notebook = notebooks.read(file)
    assert notebook.cells[0].id == notebooks.normalise(notebook).cells[0].id
    assert all(not cell.outputs for cell in notebook.cells if cell.cell_type == "code")


def test_check_writes_nothing_and_says_what_differs(file, capsys):
    before = file.read_bytes()
    assert tool(file, "--check") == 1
    assert file.read_bytes() == before
    assert "a.ipynb: differs" in capsys.readouterr().out


def test_a_notebook_that_fails_is_left_alone_and_the_others_go_on(tmp_path, capsys):
    for name, source in (("a", "1/0"), ("b", "print(1)")):
        notebooks.write(new_notebook(cells=[new_code_cell(source)]), tmp_path / f"{name}.ipynb")
    before = (tmp_path / "a.ipynb").read_bytes()
    assert tool(tmp_path / "a.ipynb", tmp_path / "b.ipynb") == 1
    assert (tmp_path / "a.ipynb").read_bytes() == before
    said = capsys.readouterr().out
    assert "a.ipynb: does not run" in said
    assert "ZeroDivisionError" in said
    assert "b.ipynb: rewritten" in said


# ---- one more try

def only_the_second_time(tmp_path, fault):
    """A notebook whose first run meets a fault, and no other."""
    source = f"from pathlib import Path\nmark = Path({str(tmp_path / 'mark')!r})\nif not mark.exists():\n    mark.touch()\n    {fault}"
    return new_notebook(cells=[new_code_cell(source), new_code_cell("print('done')")])


@pytest.mark.parametrize(("fault", "reason"), [("import time; time.sleep(60)", "CellTimeoutError"), ("import os; os._exit(1)", "DeadKernelError")])
def test_a_timeout_or_a_dead_kernel_is_tried_once_more_and_said(tmp_path, fault, reason):
    said = []
    run = notebooks.execute(only_the_second_time(tmp_path, fault), tmp_path, timeout=3, say=said.append)
    assert run.cells[1].outputs[0].text == "done\n"
    assert len(said) == 1
    assert reason in said[0]


@pytest.mark.parametrize(("source", "error", "tries"), [
    ("import time; time.sleep(60)", CellTimeoutError, 1),
    ("import os; os._exit(1)", DeadKernelError, 1),
    ("1/0", CellExecutionError, 0),
])
def test_no_third_try_and_none_for_an_error(tmp_path, source, error, tries):
    said, start = [], time.monotonic()
    with pytest.raises(error):
        notebooks.execute(new_notebook(cells=[new_code_cell(source)]), tmp_path, timeout=2, say=said.append)
    assert len(said) == tries
    assert time.monotonic() - start < 40


# ---- pictures

def png(values):
    data = io.BytesIO()
    Image.fromarray(np.asarray(values, np.uint8)).save(data, "png")
    return base64.b64encode(data.getvalue()).decode()


def spoilt(notebook, change):
    """A copy whose last picture was changed."""
    copy = notebooks.normalise(notebook)
    output = next(output for output in copy.cells[-1].outputs if "image/png" in output.data)
    values = notebooks.pixels(output.data["image/png"])
    output.data["image/png"] = png(change(values))
    return copy


def red_block(values, size=40):
    values[50 : 50 + size, 60 : 60 + size] = [255, 0, 0]
    return values


def test_a_run_that_changed_nothing_has_no_differences(ran):
    assert notebooks.differences(ran, ran) == []
    assert notebooks.differences(ran, spoilt(ran, lambda values: values)) == []
    assert notebooks.differences(ran, spoilt(ran, lambda values: np.minimum(values + 2, 255))) == []


@pytest.mark.parametrize("change", [red_block, lambda values: red_block(values, 8), lambda values: values[:-2]], ids=["block", "8 pixels", "size"])
def test_a_changed_picture_is_caught(ran, change):
    (found,) = notebooks.differences(spoilt(ran, change), ran)
    assert "picture" in found


def test_another_matplotlib_may_lay_out_text_differently_yet_a_block_is_caught(ran):
    other = notebooks.normalise(ran)
    other.metadata.made_with = {"matplotlib": "2.0"}
    shifted = spoilt(other, lambda values: np.roll(values, 2, axis=0))
    assert notebooks.differences(shifted, ran) == []
    assert notebooks.differences(spoilt(ran, lambda values: np.roll(values, 2, axis=0)), ran) != []
    assert notebooks.differences(spoilt(other, lambda values: red_block(values, 128)), ran) != []


def test_a_missing_picture_is_caught(ran):
    copy = notebooks.normalise(ran)
    del copy.cells[-1].outputs[0].data["image/png"]
    assert "cell 6: a picture is missing in the file" in notebooks.differences(copy, ran)
    copy.cells[-1].outputs = []
    (found,) = notebooks.differences(copy, ran)
    assert found.startswith("cell 6: 0 outputs are in the file")


def test_a_changed_text_is_caught(ran):
    copy = notebooks.normalise(ran)
    copy.cells[1].outputs[0].text = "1\n3\n"
    assert notebooks.differences(copy, ran) == ["cell 2: the output's text changed"]


# ---- folded cells

@pytest.mark.parametrize("source, folded", [
    ("explore(figures.hands, position=Slider(0, 9))", True),
    ("ask(*questions.A)\nask(*questions.B)", True),
    ("checks.check_turn(turn)", True),
    ("from pe_lib.teach.checks import start_here as checks\n\nchecks.check_gap(gap)", True),
    ("progress(\"05\")", True),
    ("assert (figures.W == w).all()\nexplore(figures.map, size=(8.0, 3.0))", True),
    ("assert (figures.W == w).all()     # claim 1.2\nexplore(figures.map)", False),
    ("assert x == 1", False),
    ("x = 1\nexplore(figures.map, x=x)", False),
    ("import numpy as np\nfrom pe_lib.teach.progress import progress\n\nprogress(\"05\")", False),
    ("from pe_lib.teach.progress import progress", False),
    ("explored(x)", False),
    ("show(fig, alt=text)", False),
    ("print(1)", False),
    ("%pip install x", False),
])
def test_a_cell_that_only_shows_is_folded(source, folded):
    cell = new_code_cell(source, metadata={"tags": ["check"], "slideshow": {"slide_type": "skip"}})
    (normal,) = notebooks.normalise(new_notebook(cells=[cell])).cells
    assert normal.metadata.get("jupyter", {}).get("source_hidden", False) is folded
    assert normal.metadata.tags == ["check", "remove-input"] if folded else normal.metadata.tags == ["check"]
    assert normal.metadata.slideshow == {"slide_type": "skip"}
    assert notebooks.normalise(new_notebook(cells=[normal])).cells == [normal]
