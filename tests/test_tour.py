"""The tour of one hour: every cell but the words between the stops is a chapter's cell as it is today."""

import re

import notebook_rules
import notebooks
import pytest
import tour
from nbformat.v4 import new_code_cell, new_markdown_cell
from notebook_kit import CHAPTERS, ROOT

COMMITTED = notebooks.read(ROOT / "notebooks" / "tour_one_hour.ipynb").cells
OWN = [tour.TITLE, tour.ROUND]


def test_the_committed_tour_is_what_the_tool_cuts_today():
    cut = notebooks.normalise(tour.tour()).cells
    assert [(cell.cell_type, cell.source, cell.metadata) for cell in cut] == [(cell.cell_type, cell.source, cell.metadata) for cell in COMMITTED]


def test_every_cell_is_a_chapters_cell_or_one_of_a_few_between_the_stops():
    sources = {(cell.cell_type, cell.source) for path in CHAPTERS for cell in notebooks.read(path).cells}
    own = [cell.source for cell in COMMITTED if (cell.cell_type, cell.source) not in sources]
    assert len(own) == len(tour.STOPS) + 2
    assert [source for source in own if source not in OWN and not source.startswith("## ▸ ")] == []


def test_it_takes_an_hour_by_count():
    assert sum(minutes for _, minutes, *_ in tour.STOPS) == 60 and "60 minutes" in tour.TITLE


def test_it_has_at_most_3000_words():
    assert 1500 < sum(len(notebook_rules.words(cell.source)) for cell in COMMITTED if cell.cell_type == "markdown") <= 3000


def test_every_stop_has_a_figure_that_moves_and_links_to_its_chapter():
    stops = [place for place, cell in enumerate(COMMITTED) if re.match(r"## ▸ \d · ", cell.source)]
    for (name, *_), first, last in zip(tour.STOPS, stops, [*stops[1:], len(COMMITTED)], strict=True):
        assert f"({name}.ipynb)" in COMMITTED[first].source
        assert any(cell.source.startswith("explore(") or "\nexplore(" in cell.source for cell in COMMITTED[first:last]), name


@pytest.mark.parametrize("begins, count, places", [("## ▸ One", 3, r"\[1\] of 3"), ("## ▸ None", 1, r"\[\] of 3"), ("x = ", 1, r"\[0, 2\] of 3")])
def test_a_cell_that_is_gone_or_not_the_only_one_is_named(begins, count, places):
    cells = [new_code_cell("x = 1"), new_markdown_cell("## ▸ One"), new_code_cell("x = 2")]
    with pytest.raises(ValueError, match=f"one cell must begin with .*, got places {places}"):
        tour.cut(cells, begins, count)
