"""Progress: kept beside the learner's own notebooks only, never in the way, forgotten when its file is deleted."""

import json
import os

import pytest
from nbformat.v4 import new_code_cell, new_notebook, writes

from pe_lib.teach import progress as module
from pe_lib.teach.checks.exercise import exercise
from pe_lib.teach.progress import FILE, MARKER, NOTHING_KEPT, inventory_score, progress, record
from pe_lib.teach.quiz import ask, inventory, predict

CELLS = [new_code_cell("check(f)", metadata={"tags": ["check"]}), new_code_cell("check(g)", metadata={"tags": ["check"]}),
         new_code_cell("predict(*questions.A)"), new_code_cell("ask(*questions.B)")]


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """The learner's own folder, and in it a kernel that has just started."""
    (tmp_path / MARKER).write_text("{}")
    (tmp_path / "05_x.ipynb").write_text(writes(new_notebook(cells=CELLS)), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(module, "_now", {"chapter": None, "said": ""})
    return tmp_path


@exercise("5.1", praise="Well.")
def check_one(attempt):
    attempt.matches("it is one", attempt(), 1)


def test_a_solved_exercise_and_a_prediction_are_counted_once_and_the_line_follows(copy):
    line, all_chapters = progress("05"), progress()
    assert line.text == "Chapter 5: 0 of 2 exercises solved, 0 of 1 predictions made."
    assert all_chapters.text == "Nothing is solved or predicted yet."
    progress("05")
    for answer in (2, 1, 1, 3):                                     # solved stays solved
        check_one(lambda: answer)
    assert line.text == "Chapter 5: 1 of 2 exercises solved, 0 of 1 predictions made."
    guess = predict("Is it?", {"yes": "It is.", "no": "Look."}, "yes")
    guess.choice = 1
    ask("Is it?", {"yes": "It is.", "no": "Look."}, "yes").choice = 0
    assert line.text == "Chapter 5: 1 of 2 exercises solved, 1 of 1 predictions made."
    assert line.text in line.value
    assert all_chapters.text == "So far chapter 5: 1 of 2 exercises solved, 1 of 1 predictions made."


def test_a_wrong_answer_and_an_untouched_stub_count_for_nothing(copy):
    check_one(lambda: 2)
    check_one(None)
    assert not (copy / FILE).exists()


def test_deleting_the_file_forgets(copy):
    record("exercises", "5.1")
    (copy / FILE).unlink()
    assert progress("05").text.startswith("Chapter 5: 0 of 2")


def test_outside_the_own_copy_nothing_is_kept_and_the_line_never_changes(copy):
    (copy / MARKER).unlink()
    lines = [progress("05"), progress()]
    check_one(lambda: 1)
    predict("Is it?", {"yes": "It is.", "no": "Look."}, "yes").choice = 0
    assert not (copy / FILE).exists()
    for line in lines:
        data = line._repr_mimebundle_()
        assert data["text/plain"] == NOTHING_KEPT and f">{NOTHING_KEPT}</p>" in data["text/html"]


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"version": 1}', '{"version": 1, "done": {"x": {}}}', '{"version": 1, "done": {"05": 3}}',
                                  '{"version": 1, "done": {}, "inventory": 7}', '{"version": 1, "done": {}, "inventory": {"before": "x"}}',
                                  '{"version": 2, "done": {}}', "\udcff"])
def test_a_damaged_file_or_one_of_another_version_is_put_aside_and_said(copy, text):
    (copy / FILE).write_bytes(text.encode("utf-8", "surrogateescape"))
    record("exercises", "5.2")
    assert "counting starts anew" in progress("05").text and f"old-{FILE}" in progress("05").text
    assert "1 of 2" in progress("05").text
    assert (copy / f"old-{FILE}").read_bytes() == text.encode("utf-8", "surrogateescape")
    assert json.loads((copy / FILE).read_text(encoding="utf-8"))["inventory"] == {}
    assert json.loads((copy / FILE).read_text(encoding="utf-8"))["done"] == {"05": {"exercises": ["5.2"]}}


def test_a_full_disk_stops_no_check_destroys_nothing_and_is_said(copy, monkeypatch):
    record("exercises", "5.2")
    before, line = (copy / FILE).read_bytes(), progress("05")

    def full(*_, **__):
        raise OSError(28, "No space left on device")
    monkeypatch.setattr(module.Path, "write_text", full)
    assert check_one(lambda: 1).state == "right"
    assert "could not be saved: No space left on device" in line.text
    monkeypatch.undo()
    assert (copy / FILE).read_bytes() == before
    assert [name for name in os.listdir(copy) if name.startswith(f".{FILE}")] == []


@pytest.mark.parametrize("text", ["{", "[]", '{"cells": [{}]}'])
def test_a_notebook_that_cannot_be_read_stops_no_counting(copy, text):
    (copy / "05_x.ipynb").write_text(text)
    record("exercises", "5.1")
    assert progress("05").text == "Chapter 5: 1 of 1 exercises solved."


@pytest.mark.parametrize("chapter", ["5", 5, "x5", "", "005"])
def test_a_chapter_has_two_digits(chapter):
    with pytest.raises(ValueError, match="two digits in quotes"):
        progress(chapter)


ROWS = [(f"Question {number}?", {"yes": "Yes.", "no": "Look again."}, "yes", chapter, "## A section") for number, chapter in enumerate([1, 4, 2], 1)]


def answered(choices, again=False):
    asked = inventory(ROWS, again)
    for question, choice in zip(asked.questions, choices, strict=False):
        question.choice = choice
    return asked


def test_the_twenty_questions_are_kept_before_and_after_and_shown_side_by_side(copy):
    """claim 11.5"""
    record("exercises", "5.1")
    assert "3 of 3 answered, 1 right" in answered([0, 1, 1]).line.value
    assert (inventory_score("before"), inventory_score("after")) == (1, None)
    asked = answered([0, 0], again=True)
    assert "Before the course: 1 of 3. 2 of 3 answered, 2 right." in asked.line.value and inventory_score("after") is None
    asked.questions[2].choice = 1
    assert "Before the course: 1 of 3. Now: 2 of 3. 3 of 3 answered, 2 right; look again at chapter 2." in asked.line.value
    assert json.loads((copy / FILE).read_text()) == {"version": 1, "done": {"05": {"exercises": ["5.1"]}}, "inventory": {"before": 1, "after": 2}}
    record("exercises", "5.2")                                         # and what is solved later destroys nothing
    assert inventory_score("before") == 1 and inventory_score("after") == 2


def test_the_first_answers_count_and_the_first_time_before_the_course_stays(copy):
    asked = answered([1, 1, 1])
    for question in asked.questions:
        question.choice = 0
    assert inventory_score("before") == 0
    answered([0, 0, 0])
    assert inventory_score("before") == 0
    answered([0, 1, 1], again=True)
    answered([0, 0, 1], again=True)
    assert inventory_score("after") == 2


def test_an_inventory_that_is_not_finished_keeps_nothing(copy):
    answered([0, 0])
    assert not (copy / FILE).exists() and inventory_score("before") is None


def test_a_file_from_before_the_inventory_stays_usable(copy):
    (copy / FILE).write_text('{"version": 1, "done": {"05": {"exercises": ["5.1"]}}}')
    answered([0, 0, 0])
    assert inventory_score("before") == 3 and "1 of 2" in progress("05").text


def test_outside_the_own_copy_the_inventory_is_counted_and_not_kept(copy):
    (copy / MARKER).unlink()
    assert "3 of 3 answered, all right." in answered([0, 0, 0], again=True).line.value
    assert not (copy / FILE).exists() and inventory_score("before", 5) is None
