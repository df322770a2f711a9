"""tools/slides.py: a figure is one picture and its sentence; what is long goes on on the next slide."""

import re

import notebooks
import pytest
import slides
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

FIGURE = """from pe_lib.teach.sliders import Slider, explore
def line(fig):
    ax = fig.subplots()
    def update(x):
        return f"A < line at {x}."
    return update"""
SHOWN = """explore(line, x=Slider(0, 5, start=3), stills=[{}, {"x": 0}, {"x": 5}])"""


def on(kind, cell):
    cell.metadata["slideshow"] = {"slide_type": kind}
    return cell


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("slides") / "a.ipynb"
    cells = [on("slide", new_markdown_cell("# Why?")), on("skip", new_code_cell(FIGURE)), on("fragment", new_code_cell(SHOWN)), on("skip", new_code_cell("print('unseen')")),
             on("fragment", new_code_cell("print('seen')"))]
    notebooks.write(new_notebook(cells=cells), path)
    return slides.slides(path)


def test_a_figure_is_one_picture_and_its_sentence_on_a_slide_of_its_own(page):
    assert page.count("<img") == 1
    assert "<p>A &lt; line at 3.</p>" in page
    assert "explore" not in page and "A < line at 0" not in page
    leaves = [part for part in re.split(r"<section[^>]*>", page) if "</section>" in part]
    assert len(leaves) == 3
    assert ["Why?" in part for part in leaves] == [True, False, False]
    assert ["<img" in part for part in leaves] == [False, True, False]
    assert "seen" in leaves[2] and "unseen" not in page


def test_what_is_too_long_for_one_slide_goes_on_on_the_next():
    prose = [on("fragment", new_markdown_cell("Word after word. " * 30)) for _ in range(6)]
    types = [cell.metadata.slideshow.slide_type for cell in slides.prepare(new_notebook(cells=[on("slide", new_markdown_cell("# Why?")), *prose])).cells]
    assert types.count("subslide") == 2 and types[:3] == ["slide", "fragment", "fragment"]


def test_what_a_long_cell_prints_goes_on_on_slides_of_its_own():
    printed = "\n".join(f"line {n}" for n in range(45))
    cell = on("fragment", new_code_cell("x = 1\n" * 10, outputs=[new_output("stream", name="stdout", text=printed)]))
    parts = slides.prepare(new_notebook(cells=[on("slide", new_markdown_cell("# Why?")), cell])).cells[1:]
    assert [part.metadata.slideshow.slide_type for part in parts[1:]] == ["subslide"] * 3
    assert parts[0].source == cell.source and parts[0].outputs == []
    assert "\n".join(part.outputs[0].text for part in parts[1:]) == printed
    short = on("fragment", new_code_cell("x = 1", outputs=[new_output("stream", name="stdout", text="1")]))
    assert len(slides.prepare(new_notebook(cells=[short])).cells) == 1


@pytest.mark.parametrize("cell, lines", [
    (new_markdown_cell("One line."), 1), (new_markdown_cell("a " * 100), 3), (new_markdown_cell("a\n\nb <small>claim 1.2</small>"), 2.4),
    (new_code_cell("x = 1\ny = 2"), 2.6), (new_code_cell("x = 1", metadata={"tags": ["remove-input"]}), 0),
])
def test_the_lines_a_cell_takes(cell, lines):
    assert slides.lines_of(cell) == pytest.approx(lines)
