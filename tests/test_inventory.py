"""The twenty questions: one idea each, feedback for every option, a section that answers, no pattern to guess from."""

import re
from collections import Counter

import notebooks
import pytest
from notebook_kit import CHAPTERS, ROOT

from pe_lib.teach.checks.inventory import QUESTIONS
from pe_lib.teach.quiz import inventory, score

# For each question, in their order, what its section says or prints.
TAUGHT = ["shuffle those words, and its output stays the same", "Six sentences give one vector", "falls at first, and later rises in places",
          "no position up to 70,000 is nearer to 0 than its neighbour 1", "the *contents that are handed on* have changed",
          "So *right minus left* is the same for both brackets", "the last bucket begins at 113", "43%, 6%",
          "With the opposite key the score *rises* with distance", "the sign depends on the direction in which *t* is counted",
          "made for 64: slowest pair 0.000133 rad per token, a full turn in 47,117 tokens", "it is 0 at offset 0, and otherwise goes up and down",
          "a common shift, if the pads are hidden", "[[1 1 1 1 0]", "never completed a turn", "token 8 stands where token 2 stood",
          "none          2.29   2.18   0.99   0.88", "So the values told late are tied to their keys much more loosely",
          "On a path of six nodes it fails", "A bias speaks even if there is no content"]


def sections(path):
    """heading -> the section's text and what its cells printed; a section ends at the next heading, of whatever level."""
    found, heading = {}, None
    for cell in notebooks.read(path).cells:
        if cell.cell_type == "markdown":
            for part in re.split(r"(?m)^(?=#{2,3} )", cell.source):
                if part.startswith("##"):
                    heading = part.splitlines()[0].strip()
                    found[heading] = ""
                if heading:
                    found[heading] += part + "\n"
        elif heading:
            found[heading] += "".join(output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell.outputs) + "\n"
    return found


@pytest.mark.parametrize("row, said", list(zip(QUESTIONS, TAUGHT, strict=True)), ids=lambda value: value[2] if isinstance(value, tuple) else "")
def test_every_answer_is_taught_in_the_section_that_is_named(row, said):
    """claim 11.5"""
    *_, chapter, section = row
    (path,) = [path for path in CHAPTERS if path.name.startswith(f"{chapter:02}_")]
    assert section in sections(path), f"{path.name} has no section {section}"
    assert said in sections(path)[section]


def test_every_chapter_from_1_to_11_is_asked_about():
    """claim 11.5"""
    chapters = [chapter for *_, chapter, _ in QUESTIONS]
    assert set(chapters) == set(range(1, 12)) and chapters == sorted(chapters) and len(QUESTIONS) == 20


def test_every_option_has_a_feedback_of_its_own():
    for question, options, right, *_ in QUESTIONS:
        assert len(options) == 3 and right in options, question
        assert len(set(options.values())) == 3, question
    assert len({question for question, *_ in QUESTIONS}) == len(QUESTIONS)


def test_the_right_answer_cannot_be_guessed_from_its_place_or_length():
    places = Counter(list(options).index(right) for _, options, right, *_ in QUESTIONS)
    assert sorted(places.values()) == [6, 7, 7]
    sizes = [(len(right), sorted(map(len, options))) for _, options, right, *_ in QUESTIONS]
    assert sum(own == lengths[-1] > lengths[-2] for own, lengths in sizes) <= 6
    assert sum(own == lengths[0] < lengths[1] for own, lengths in sizes) <= 9


def test_it_can_be_asked_and_scored():
    asked = inventory(QUESTIONS)
    assert len(asked.questions) == 20
    assert score([True] * 19 + [False], asked.chapters) == "20 of 20 answered, 19 right; look again at chapter 11."


def test_chapters_0_and_11_ask_the_same_questions():
    """claim 11.5"""
    for name, call in (("00_start_here", "inventory(QUESTIONS)"), ("11_side_by_side", "inventory(QUESTIONS, again=True)")):
        cells = [cell.source for cell in notebooks.read(ROOT / "notebooks" / f"{name}.ipynb").cells if cell.cell_type == "code"]
        assert sum(call in source for source in cells) == 1, name
        assert any("from pe_lib.teach.checks.inventory import QUESTIONS" in source for source in cells), name
