"""Chapter 0: the environment check speaks plainly, the practice figure and the practice exercise teach the sign."""

import importlib.metadata
import re
import runpy
from pathlib import Path

import notebooks
import pytest
from notebook_kit import CHAPTERS as PATHS

from pe_lib.teach.checks.start_here import check_relative_position
from pe_lib.teach.figures import start_here as figures
from pe_lib.teach.plots import FORMAT_LINES, ROLES, new_figure, style

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


def test_the_legend_shows_every_role_and_format_once_as_they_are_drawn():
    roles, formats = figures.colour_legend().axes
    assert [text.get_text() for text in roles.texts][:6] == list(ROLES) == list(figures.ROLE_MEANS)
    assert [line.get_color() for line in roles.lines] == list(ROLES.values())
    assert [text.get_text() for text in formats.texts] == list(FORMAT_LINES)
    assert [(line.get_color(), line.get_linestyle()) for line in formats.lines] == list(FORMAT_LINES.values())


def test_every_classic_mistake_gets_a_hint_of_its_own():
    messages = set()
    for source in WRONG.values():
        names = {}
        exec(source, names)
        verdict = check_relative_position(names["relative_position"])
        assert verdict.state == "wrong"
        messages.add(repr(verdict))
    assert len(messages) == len(WRONG) >= 3


# ---- what chapter 0 and README say of the other chapters

CHAPTERS = {int(path.name[:2]): notebooks.read(path).cells for path in PATHS}
# chapter -> the cells of its row in the map
MAP = {int(row[1]): [cell.strip() for cell in row] for cell in CHAPTERS[0] if cell.source.startswith("## The map")
       for row in (line.split("|") for line in cell.source.splitlines() if line.startswith("| ")) if row[1].strip().isdigit()}
README = (HERE.parent / "README.md").read_text(encoding="utf-8")


def test_the_minutes_are_those_of_the_headers():
    minutes = {n: int(re.search(rf"\*Chapter {n} · (\d+) minutes", cells[0].source)[1]) for n, cells in CHAPTERS.items() if n}
    assert {n: int(row[5]) for n, row in MAP.items()} == minutes
    said = next(cell.source for cell in CHAPTERS[0] if "marked ▸ in each" in cell.source)
    low, high, clinic = map(int, re.search(r"takes (\d+) to (\d+) minutes, and chapter 12 takes (\d+);", said).groups())
    longest = minutes.pop(12)
    assert (min(minutes.values()), max(minutes.values()), longest) == (low, high, clinic)
    assert f"about an hour (chapter 12 takes {longest} minutes)" in README and max(abs(n - 60) for n in minutes.values()) <= 5


def test_the_tracks_are_those_that_the_map_marks_and_every_chapter_has_one():
    said = next(cell.source for cell in CHAPTERS[0] if "**Two tracks.**" in cell.source)
    understand, first, then = (list(map(int, re.findall(r"\d+", part))) for part in
                               re.search(r"read ([\d, ]+); chapter 3 .* right, read ([\d, and]+), then ([\d, and]+)\.", said).groups())
    assert sorted(understand) == [n for n, row in MAP.items() if "understand" in row[6]]
    assert [n for n in first + then if n not in (1, 2)] == [n for n, row in MAP.items() if "build" in row[6]]
    assert set(understand + then) == set(range(1, 13))
    for track in (understand, first + then):                # each chapter stands on earlier ones of its own track
        for place, n in enumerate(track):
            assert set(map(int, re.findall(r"\d+", MAP[n][4]))) <= set(track[:place]), n


@pytest.mark.parametrize("number", [n for n in CHAPTERS if n != 12])
def test_a_chapter_ends_with_what_comes_next(number):
    """The next chapter by its file, or, where it is not written yet, by its number, and a way round it."""
    (last,) = [cell.source.split("**Next:**")[1] for cell in CHAPTERS[number] if "**Next:**" in cell.source]
    if number + 1 in CHAPTERS:
        assert f"({number + 1:02}_" in last
    else:
        assert f"chapter {number + 1} (to come) will" in last and re.search(r"\(\d\d_\w+\.ipynb\)", last)


def unwritten(text):
    """The mentions of chapters that have no notebook yet, with what follows them."""
    return [mention for mention in re.finditer(r"[Cc]hapters? (\d+)\b.{0,60}", text, re.DOTALL) if int(mention[1]) not in CHAPTERS]


@pytest.mark.parametrize("page", [*(HERE.parent / "teaching").glob("*.md"), HERE.parent / "README.md", *(HERE.parent / "notebooks").glob("*.ipynb")],
                         ids=lambda page: page.name)
def test_what_is_not_written_is_promised_as_to_come(page):
    texts = [cell.source for cell in notebooks.read(page).cells] if page.suffix == ".ipynb" else [page.read_text(encoding="utf-8")]
    assert [mention[0] for text in texts for mention in unwritten(text) if not re.search(r"to come|\bwill\b", mention[0])] == []


def test_a_promise_in_the_present_tense_is_seen():
    assert unwritten("Chapter 99 measures it.") and not unwritten("Chapter 0 measures it.")
