"""Every check, whatever its chapter: right answers in any form pass, a stub is not started, nonsense hears one line.

A chapter's own file, test_check_<topic>.py, holds the data: RIGHT (exercise or check, an answer that passes), UNTOUCHED
(exercise, a stub), ODD (exercise, an answer, a part of what it hears) and NONSENSE (exercise -> more answers that are wrong).
"""

import importlib
import pkgutil

import numpy as np
import pytest
from notebook_kit import EXERCISES

from pe_lib.teach import checks

FOUND = [(info.name.rpartition(".")[2], thing)
         for info in pkgutil.iter_modules(checks.__path__, "pe_lib.teach.checks.")
         for name, thing in vars(importlib.import_module(info.name)).items() if name.startswith("check_") and hasattr(thing, "number")]
CHECKS = {check.number: check for _, check in FOUND}
CHAPTERS = [importlib.import_module(f"test_check_{topic}") for topic in sorted({topic for topic, _ in FOUND})]


def collected(name):
    """All entries of that name in the chapters' files, an exercise's number in front."""
    rows = [row for chapter in CHAPTERS for row in getattr(chapter, name, [])]
    return [(getattr(first, "number", first), *rest) for first, *rest in rows]


def cases(rows):
    """Parameters for pytest, named by exercise and answer."""
    return [pytest.param(*row, id=f"{row[0]}-{getattr(row[1], '__name__', '').replace('<lambda>', '')}") for row in rows]


def without_numbers(number):
    """The first right answer to an exercise with NaN for every number: its shape and nothing else."""
    def blank(part):
        return tuple(map(blank, part)) if isinstance(part, tuple) else np.full(np.shape(part), np.nan)
    return lambda *inputs: blank(next(answer for right, answer in collected("RIGHT") if right == number)(*inputs))


NONSENSE = {
    "NaN": lambda *inputs: np.nan, "infinity": lambda *inputs: np.inf, "minus one": lambda *inputs: -1, "two": lambda *inputs: (1.0, 2.0),
    "three": lambda *inputs: (1.0, 2.0, 3.0), "ragged": lambda *inputs: [[1], [2, 3]], "text": lambda *inputs: "seven",
    "an error": lambda *inputs: inputs[0] + undefined, "nothing": lambda *inputs: np.array([]), "a dict": lambda *inputs: {"a": 1},  # noqa: F821
    "complex": lambda *inputs: np.zeros((8, 8), complex), "its input": lambda *inputs: inputs[0], "its inputs": lambda *inputs: inputs,
    "Nones": lambda *inputs: (None, None),
}


def every_nonsense():
    more = {number: answers for chapter in CHAPTERS for number, answers in getattr(chapter, "NONSENSE", {}).items()}
    for number in CHECKS:
        answers = NONSENSE | {"the right shape, and NaN": without_numbers(number)} | more.get(number, {})
        yield from (pytest.param(number, answer, id=f"{number}-{name}") for name, answer in answers.items())


def is_one_line(verdict, number):
    said = repr(verdict)
    return said.startswith(f"Exercise {number}: ") and not any(part in said for part in ("\n", "Traceback", "ufunc"))


def test_every_exercise_has_a_check_and_every_check_has_data():
    assert set(CHECKS) == {exercise.number for exercise in EXERCISES}
    assert set(CHECKS) == {number for number, _ in collected("RIGHT")} == {number for number, _ in collected("UNTOUCHED")}
    assert {number for number, *_ in collected("ODD")} <= set(CHECKS)


@pytest.mark.parametrize("number, answer", cases(collected("RIGHT")))
def test_right_answers_pass_in_any_form(number, answer):
    verdict = CHECKS[number](answer)
    assert verdict.state == "right", verdict
    assert is_one_line(verdict, number) and f"Exercise {number}: right. " in repr(verdict)


@pytest.mark.parametrize("number, stub", cases(collected("UNTOUCHED")))
def test_an_untouched_stub_is_not_started(number, stub):
    assert repr(CHECKS[number](stub)) == f"Exercise {number}: not started yet."


@pytest.mark.parametrize("number, answer", list(every_nonsense()))
def test_nonsense_is_wrong_in_one_line(number, answer):
    verdict = CHECKS[number](answer)
    assert verdict.state == "wrong" and is_one_line(verdict, number)


@pytest.mark.parametrize("number, answer, said", cases(collected("ODD")))
def test_odd_answers_hear_what_is_odd(number, answer, said):
    verdict = CHECKS[number](answer)
    assert verdict.state == "wrong" and said in repr(verdict) and is_one_line(verdict, number)
