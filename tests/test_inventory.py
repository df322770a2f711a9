"""The twenty questions: one idea each, feedback for every option, every chapter asked about, no pattern to guess from."""

from collections import Counter

import notebooks
from notebook_kit import ROOT

from pe_lib.teach.checks.inventory import QUESTIONS
from pe_lib.teach.quiz import inventory, score


def test_every_chapter_from_1_to_11_is_asked_about():
    assert {chapter for *_, chapter in QUESTIONS} == set(range(1, 12))
    assert [chapter for *_, chapter in QUESTIONS] == sorted(chapter for *_, chapter in QUESTIONS)
    assert len(QUESTIONS) == 20


def test_every_option_has_a_feedback_of_its_own():
    for question, options, right, _ in QUESTIONS:
        assert len(options) == 3 and right in options, question
        assert len(set(options.values())) == 3, question
    assert len({question for question, *_ in QUESTIONS}) == len(QUESTIONS)


def test_the_right_answer_cannot_be_guessed_from_its_place_or_length():
    places = Counter(list(options).index(right) for _, options, right, _ in QUESTIONS)
    assert max(places.values()) <= 9 and len(places) == 3
    longest = sum(right == max(options, key=len) for _, options, right, _ in QUESTIONS)
    assert longest <= 12


def test_it_can_be_asked_and_scored():
    asked = inventory(QUESTIONS)
    assert len(asked.questions) == 20
    assert score([True] * 19 + [False], asked.chapters) == "20 of 20 answered, 19 right; look again at chapter 11."


def test_chapters_0_and_11_ask_the_same_questions():
    """claim 11.5"""
    for name in ("00_start_here", "11_side_by_side"):
        cells = [cell.source for cell in notebooks.read(ROOT / "notebooks" / f"{name}.ipynb").cells if cell.cell_type == "code"]
        assert sum("inventory(QUESTIONS" in source for source in cells) == 1, name
        assert any("from pe_lib.teach.checks.inventory import QUESTIONS" in source for source in cells), name
