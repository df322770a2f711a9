"""The checks of chapter 6: right answers in several forms pass, classic mistakes are told apart."""

import runpy
from pathlib import Path

import numpy as np
import pytest

from pe_lib.checks import pair_layouts as checks
from pe_lib.frequencies import inverse_frequencies
from pe_lib.layouts import to_half
from pe_lib.rotary import rotate

WRONG = runpy.run_path(str(Path(__file__).with_name("exercises") / "06_pair_layouts.py"))["WRONG"]
CHECKS = {"6.1": checks.check_half_order, "6.2": checks.check_convert, "6.3": checks.check_partial}
NAMES = {"6.1": "half_order", "6.2": "convert", "6.3": "partial_half"}


def mistake(number, name):
    names = {"np": np}
    exec(WRONG[number][name], names)
    return names[NAMES[number]]


def convert_by_loop(w_q, b_q, w_k, b_k, heads):
    half = len(b_q) // heads // 2
    order = [head * 2 * half + m + part * half for head in range(heads) for m in range(half) for part in (0, 1)]
    return w_q[:, order], b_q[order], w_k[:, order], b_k[order]


@pytest.mark.parametrize("check, answer", [
    (checks.check_half_order, lambda dim: np.arange(dim).reshape(-1, 2).T.ravel()),
    (checks.check_half_order, lambda dim: [*range(0, dim, 2), *range(1, dim, 2)]),
    (checks.check_half_order, lambda dim: (*range(0, dim, 2), *range(1, dim, 2))),
    (checks.check_half_order, lambda dim: to_half(np.arange(dim)).astype(int)),
    (checks.check_convert, convert_by_loop),
    (checks.check_convert, checks.converted),
    (checks.check_convert, lambda *given: list(checks.converted(*given))),
    (checks.check_partial, checks.partial_by_loop),
    (checks.check_partial, lambda x, p, rotary_dim: rotate(x, p, inverse_frequencies(rotary_dim), layout="half")),
])
def test_right_answers_pass_in_any_form(check, answer):
    """claims 6.1, 6.3 and 6.4, as a learner meets them in an exercise"""
    verdict = check(answer)
    assert verdict.state == "right", verdict
    assert repr(verdict).startswith(f"Exercise {check.number}: right. ") and "\n" not in repr(verdict)


@pytest.mark.parametrize("number, stub", [("6.1", lambda dim: ...), ("6.2", lambda w_q, b_q, w_k, b_k, heads: None),
                                          ("6.3", lambda x, positions, rotary_dim: ...)])
def test_an_untouched_stub_is_not_started(number, stub):
    assert repr(CHECKS[number](stub)) == f"Exercise {number}: not started yet."


HINTS = {
    ("6.1", "the way back"): "This is the way back",
    ("6.1", "second features first"): "turns the other way round",
    ("6.1", "the whole vector reversed"): "whole vector is reversed",
    ("6.1", "slowest pair first"): "Count up",
    ("6.1", "nothing moves"): "Nothing has moved",
    ("6.1", "the two of a pair swapped"): "half a vector apart",
    ("6.1", "counted from 1"): "counted from 0",
    ("6.1", "right for 6 features only"): "a width fixed",
    ("6.2", "across the heads"): "across the heads: some",
    ("6.2", "across the heads, without the biases"): "Across the heads, and",
    ("6.2", "without the biases"): "The columns are right",
    ("6.2", "the way there"): "from interleaved to half-split; these",
    ("6.2", "rows in place of columns"): "You have reordered rows",
    ("6.2", "W_Q alone"): "W_K is not",
    ("6.2", "W_K alone"): "W_Q is not",
    ("6.2", "b_q alone of the biases"): "b_k is as it was",
    ("6.2", "b_k alone of the biases"): "b_q is as it was",
    ("6.2", "nothing"): "Nothing has changed",
    ("6.3", "frequencies sliced from the full set"): "then sliced",
    ("6.3", "partner half of all features on"): "half of *all* features on",
    ("6.3", "neighbours"): "Neighbours were turned",
    ("6.3", "all features turn"): "All d features turn",
    ("6.3", "clockwise"): "clockwise",
    ("6.3", "the last features"): "the *last*",
    ("6.3", "the rest set to 0"): "set to 0",
    ("6.3", "comes out interleaved"): "came out interleaved",
    ("6.3", "half swap, neighbour angles"): "the mixed fault",
    ("6.3", "by the row's number"): "row's number",
}


@pytest.mark.parametrize("number, name", [(number, name) for number in WRONG for name in WRONG[number]])
def test_a_classic_mistake_gets_its_own_hint(number, name):
    verdict = CHECKS[number](mistake(number, name))
    assert verdict.state == "wrong"
    assert HINTS.get((number, name), "") in repr(verdict)


def test_four_features_would_hide_the_way_back():
    """claim 6.1: the order for d = 4 undoes itself, so the check asks for wider vectors."""
    there, back = mistake("6.1", "the way back"), checks.order_by_loop
    assert np.array_equal(there(4), back(4)) and not np.array_equal(there(6), back(6))


@pytest.mark.parametrize("number", CHECKS)
def test_no_two_mistakes_hear_the_same(number):
    said = [repr(CHECKS[number](mistake(number, name))) for name in WRONG[number]]
    assert len(set(said)) == len(said)


@pytest.mark.parametrize("number", CHECKS)
@pytest.mark.parametrize("answer", [
    lambda *inputs: np.nan, lambda *inputs: np.full(6, np.nan), lambda *inputs: np.full((5, 14), np.nan),
    lambda *inputs: (1.0, 2.0), lambda *inputs: [[1], [2, 3]], lambda *inputs: "seven", lambda *inputs: inputs[0] + undefined,  # noqa: F821
    lambda *inputs: np.array([]), lambda *inputs: {"a": 1}, lambda *inputs: tuple(np.full(np.shape(part), np.nan) for part in inputs[:4]),
    lambda *inputs: np.linspace(0, 1, 6), lambda *inputs: (np.arange(6.0),) * 4,
], ids=["NaN", "NaNs", "a table of NaN", "a tuple", "ragged", "text", "an error", "nothing", "a dict", "four of NaN", "fractions", "four of six"])
def test_nonsense_is_wrong_in_one_line(number, answer):
    verdict = CHECKS[number](answer)
    assert verdict.state == "wrong" and "\n" not in repr(verdict)
