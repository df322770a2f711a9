"""The tour of one hour: every cell but the words between the stops is a chapter's cell as it is today."""

import re

import notebook_rules
import notebooks
import pytest
import tour
from nbformat.v4 import new_code_cell, new_markdown_cell
from notebook_kit import CHAPTERS, each

NOTEBOOK = notebooks.read(tour.TARGET)
COMMITTED = NOTEBOOK.cells
OWN = [tour.TITLE, tour.ROUND, *(piece for *_, pieces in tour.STOPS for piece in pieces if isinstance(piece, str))]
FIRST = [place for place, cell in enumerate(COMMITTED) if re.match(r"## ▸ \d · ", cell.source)]
CELLS_OF = dict(zip((name for name, *_ in tour.STOPS), map(slice, FIRST, [*FIRST[1:], len(COMMITTED) - 1]), strict=True))      # chapter -> its stop


def test_the_committed_tour_is_what_the_tool_cuts_today():
    cut = notebooks.normalise(tour.tour()).cells
    assert [(cell.cell_type, cell.source, cell.metadata) for cell in cut] == [(cell.cell_type, cell.source, cell.metadata) for cell in COMMITTED], "run  make tour"


def test_running_the_tool_again_leaves_no_diff(tmp_path, monkeypatch):
    """Outputs too: a cell prints and draws in the tour what it prints and draws in its chapter."""
    monkeypatch.setattr(tour, "TARGET", tmp_path / "again.ipynb")
    tour.main()
    assert notebooks.differences(NOTEBOOK, notebooks.read(tmp_path / "again.ipynb")) == [], "run  make tour"


def test_every_cell_is_a_chapters_cell_or_one_of_a_few_between_the_stops():
    sources = {(cell.cell_type, cell.source) for path in CHAPTERS for cell in notebooks.read(path).cells}
    own = [cell.source for cell in COMMITTED if (cell.cell_type, cell.source) not in sources]
    assert len(own) == len(tour.STOPS) + len(OWN)
    assert [source for source in own if source not in OWN and not source.startswith("## ▸ ")] == []


def test_it_takes_an_hour_by_count():
    assert sum(minutes for _, minutes, *_ in tour.STOPS) == 60 and "60 minutes" in tour.TITLE


def test_it_has_at_most_3000_words():
    assert 1500 < sum(len(notebook_rules.words(cell.source)) for cell in COMMITTED if cell.cell_type == "markdown") <= 3000


@pytest.mark.parametrize("name", CELLS_OF)
def test_a_stop_has_a_figure_that_moves_with_its_stills_and_links_to_its_chapter(name):
    stop = COMMITTED[CELLS_OF[name]]
    assert f"({name}.ipynb)" in stop[0].source
    figures = [cell for cell in stop if cell.cell_type == "code" and "explore" in notebook_rules.calls(notebook_rules.tree(cell))]
    assert figures
    assert all("stills=" in cell.source and [output for output in cell.outputs if "image/png" in output.data] for cell in figures)


@pytest.mark.parametrize("path", each([tour.TARGET]))
def test_every_stop_runs_alone(path, run_once):
    """Each brings its chapter's set-up, so names that two chapters use (figures, questions) are its own."""
    run = run_once(path)
    for name, cells in CELLS_OF.items():
        assert run.call("run_alone", [(n, name, cell.source) for n, cell in enumerate(COMMITTED[cells]) if cell.cell_type == "code"]) == [], name


def test_its_claims_are_asserted_but_for_those_in_sections_that_it_leaves_out():
    assert notebook_rules.asserts_its_claims(NOTEBOOK) == ["claim 2.1 is stated, not asserted", "claim 5.3 is asserted, not stated"]


@pytest.mark.parametrize("begins, count, places", [("## ▸ One", 3, r"\[1\] of 3"), ("## ▸ None", 1, r"\[\] of 3"), ("x = ", 1, r"\[0, 2\] of 3")])
def test_a_cell_that_is_gone_or_not_the_only_one_is_named(begins, count, places):
    cells = [new_code_cell("x = 1"), new_markdown_cell("## ▸ One"), new_code_cell("x = 2")]
    with pytest.raises(ValueError, match=f"one cell must begin with .*, got places {places}"):
        tour.cut(cells, begins, count)
