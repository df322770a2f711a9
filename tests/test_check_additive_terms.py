"""The checks of chapter 3: right answers in several forms pass, classic mistakes are told apart."""

import runpy
from pathlib import Path

import numpy as np
import pytest

from pe_lib.additive import score_terms
from pe_lib.checks import additive_terms as checks
from pe_lib.frequencies import inverse_frequencies
from pe_lib.sinusoidal import offset_matrix

WRONG = runpy.run_path(str(Path(__file__).with_name("exercises") / "03_additive_four_terms.py"))["WRONG"]
CHECKS = {"3.1": checks.check_split_scores, "3.2": checks.check_look_back_query, "3.3": checks.check_word_seeks_place}


def mistake(number, name):
    names = {"np": np}
    exec(WRONG[number][name], names)
    return list(names.values())[-1]


def split_by_library(x, positional, w_q, w_k):
    return tuple(term / np.sqrt(w_q.shape[1]) for term in score_terms(x, positional, w_q, w_k).values())


def split_by_differences(x, positional, w_q, w_k):
    """Switch words or places off and subtract: a way that never names a mixed term."""
    def score(a, b):
        return (a @ w_q) @ (b @ w_k).T / w_q.shape[1] ** 0.5
    both = x + positional
    return (score(x, x), score(x, both) - score(x, x), score(both, x) - score(x, x), score(positional, positional))


def look_back_by_pinv(k, w_k):
    return offset_matrix(-k, inverse_frequencies(len(w_k))).T @ np.linalg.pinv(w_k).T


def seek_by_pinv(words, places, a, b):
    inverse = np.linalg.pinv(np.vstack([words, places]))
    return inverse[:, [a]], inverse[:, [len(words) + b]]


def seek_in_a_list(words, places, a, b):
    return list(seek_by_pinv(words, places, a, b))


def seek_behind_projectors(words, places, a, b):
    """Another solution: what is left of word a (place b) beside all the other rows; scaled by −1 twice."""
    rows, found = np.vstack([words, places]), []
    for row in (a, len(words) + b):
        others = np.delete(rows, row, axis=0)
        rest = rows[row] - rows[row] @ np.linalg.pinv(others) @ others
        found.append(-rest[:, None] / (rest @ rows[row]))
    return tuple(found)


@pytest.mark.parametrize("check, answer", [
    (checks.check_split_scores, split_by_library),
    (checks.check_split_scores, split_by_differences),
    (checks.check_split_scores, checks.split_scores_by_loop),
    (checks.check_look_back_query, checks.look_back_by_solving),
    (checks.check_look_back_query, look_back_by_pinv),
    (checks.check_word_seeks_place, checks.word_seeks_place_by_solving),
    (checks.check_word_seeks_place, seek_by_pinv),
    (checks.check_word_seeks_place, seek_in_a_list),
    (checks.check_word_seeks_place, seek_behind_projectors),
])
def test_right_answers_pass_in_any_form(check, answer):
    """claims 3.2 and 3.5, as a learner meets them in an exercise"""
    verdict = check(answer)
    assert verdict.state == "right", verdict
    assert repr(verdict).startswith(f"Exercise {check.number}: right. ") and "\n" not in repr(verdict)


@pytest.mark.parametrize("number, stub", [("3.1", lambda x, positional, w_q, w_k: ...), ("3.2", lambda k, w_k: None),
                                          ("3.3", lambda words, places, a, b: ...)])
def test_an_untouched_stub_is_not_started(number, stub):
    assert repr(CHECKS[number](stub)) == f"Exercise {number}: not started yet."


HINTS = {
    ("3.1", "not divided"): "before the division",
    ("3.1", "divided by the root of d"): "Divided by √d, the width of the words",
    ("3.1", "divided by d_head"): "its root is meant",
    ("3.1", "only the first divided"): "Only content–content is divided",
    ("3.1", "mixed terms exchanged"): "have changed places",
    ("3.1", "transposed"): "queries go down, keys go across",
    ("3.1", "one mixed term twice"): "2ab",
    ("3.1", "the other is its transpose"): "only if W_Q and W_K are equal",
    ("3.1", "no mixed terms"): "mixed terms are missing",
    ("3.1", "places not projected"): "has not been projected",
    ("3.1", "W_Q for the keys as well"): "W_Q makes your keys as well",
    ("3.1", "W_K for the queries as well"): "W_K makes your queries as well",
    ("3.1", "W_Q and W_K exchanged"): "W_Q and W_K have changed places",
    ("3.1", "the sum alone"): "it is one array of shape (5, 5)",
    ("3.2", "transposed, so it looks ahead"): "k places *ahead*",
    ("3.2", "one too far"): "too far back",
    ("3.2", "one too few"): "too few back",
    ("3.2", "sines first"): "all sines first",
    ("3.2", "features moved instead of places"): "features, not places",
    ("3.2", "W_K forgotten"): "Right if W_K is the identity",
    ("3.2", "inverse not transposed"): "untransposed",
    ("3.2", "inverse on the wrong side"): "wrong side",
    ("3.2", "multiplied instead of undone"): "turns and does not stretch",
    ("3.2", "multiplied by the transpose"): "multiply by W_Kᵀ once more",
    ("3.2", "the sign of k lost"): "sign of k is lost",
    ("3.2", "k fixed at 1"): "whatever k is",
    ("3.3", "query and key exchanged"): "The place looks for the word",
    ("3.3", "places forgotten for the query, words for the key"): "sees places as well",
    ("3.3", "words forgotten for the key"): "W_Q is right. W_K knows its place",
    ("3.3", "places forgotten for the query"): "W_K is right. W_Q knows its word",
    ("3.3", "a sign lost"): "A sign is lost",
    ("3.3", "divided by the root of d"): "Divided by √d.",
    ("3.3", "both divided by the root of d"): "Both columns are divided",
    ("3.3", "the vectors themselves"): "answers with a dot product",
    ("3.3", "every word"): "Every word looks",
    ("3.3", "every place"): "every place alike",
    ("3.3", "row b of the words"): "looks for a word",
    ("3.3", "the head of the lesson"): "one column for queries",
    ("3.3", "rows in place of columns"): "shapes [(1, 12), (1, 12)]",
}


@pytest.mark.parametrize("number, name", [(number, name) for number in WRONG for name in WRONG[number]])
def test_a_classic_mistake_gets_its_own_hint(number, name):
    verdict = CHECKS[number](mistake(number, name))
    assert verdict.state == "wrong"
    assert HINTS.get((number, name), "") in repr(verdict)
    assert "\n" not in repr(verdict) and " at 0x" not in repr(verdict)


@pytest.mark.parametrize("number", CHECKS)
def test_no_two_mistakes_hear_the_same(number):
    said = [repr(CHECKS[number](mistake(number, name))) for name in WRONG[number]]
    assert len(set(said)) == len(said)


@pytest.mark.parametrize("number", CHECKS)
@pytest.mark.parametrize("answer", [
    lambda *inputs: np.nan, lambda *inputs: np.full((8, 8), np.nan), lambda *inputs: tuple(np.full((5, 5), np.nan) for _ in range(4)),
    lambda *inputs: (1.0, 2.0), lambda *inputs: [[1], [2, 3]], lambda *inputs: "seven", lambda *inputs: inputs[0] + undefined,  # noqa: F821
    lambda *inputs: np.array([]), lambda *inputs: {"a": 1},
], ids=["NaN", "a matrix of NaN", "four of NaN", "a tuple", "ragged", "text", "an error", "nothing", "a dict"])
def test_nonsense_is_wrong_in_one_line(number, answer):
    verdict = CHECKS[number](answer)
    assert verdict.state == "wrong" and "\n" not in repr(verdict)
