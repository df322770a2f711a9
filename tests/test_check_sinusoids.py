"""The checks of chapter 2: right answers in several forms pass, classic mistakes are told apart."""

import runpy
from pathlib import Path

import numpy as np
import pytest

from pe_lib.checks import sinusoids as checks
from pe_lib.frequencies import angles, inverse_frequencies
from pe_lib.sinusoidal import encode_angles, offset_matrix, sinusoidal_encoding

WRONG = runpy.run_path(str(Path(__file__).with_name("exercises") / "02_sinusoid_offset_matrices.py"))["WRONG"]
CHECKS = {"2.1": checks.check_add_positions, "2.2": checks.check_step_matrix, "2.3": checks.check_find_offset}
NAMES = {"2.1": "add_positions", "2.2": "step_matrix", "2.3": "find_offset"}


def mistake(number, name):
    names = {"np": np}
    exec(WRONG[number][name], names)
    return names[NAMES[number]]


def add_by_loop(x):
    return x + checks.encoding_by_loop(range(x.shape[1]), x.shape[2])


def step_by_fit(k, d):
    """The matrix is the only one that moves as many positions as there are features: a fit finds it."""
    here, there = (sinusoidal_encoding(np.arange(40 * d) * 11 + shift, d) for shift in (0, k))
    return np.linalg.lstsq(here, there, rcond=None)[0].T


def offset_by_hands(pe_query, pe_key):
    """Turn the query's hands by every offset; the best match wins."""
    offsets = np.arange(-1000, 1001)
    start = np.arctan2(pe_query[0::2], pe_query[1::2])
    return offsets[np.argmax(encode_angles(start + angles(offsets, inverse_frequencies(64))) @ pe_key)]


def offset_by_matrices(pe_query, pe_key):
    offsets = range(-1000, 1001)
    return offsets[np.argmax([offset_matrix(k, inverse_frequencies(64)) @ pe_query @ pe_key for k in offsets])]


@pytest.mark.parametrize("check, answer", [
    (checks.check_add_positions, add_by_loop),
    (checks.check_add_positions, lambda x: x + sinusoidal_encoding(np.arange(x.shape[-2]), x.shape[-1])),
    (checks.check_step_matrix, lambda k, d: offset_matrix(k, inverse_frequencies(d))),
    (checks.check_step_matrix, step_by_fit),
    (checks.check_find_offset, offset_by_hands),
    (checks.check_find_offset, offset_by_matrices),
])
def test_right_answers_pass_in_any_form(check, answer):
    """claims 2.1, 2.5 and 2.6, as a learner meets them in an exercise"""
    verdict = check(answer)
    assert verdict.state == "right", verdict
    assert repr(verdict).startswith(f"Exercise {check.number}: right. ") and "\n" not in repr(verdict)


@pytest.mark.parametrize("number, stub", [("2.1", lambda x: ...), ("2.2", lambda k, d: None), ("2.3", lambda pe_query, pe_key: ...)])
def test_an_untouched_stub_is_not_started(number, stub):
    assert repr(CHECKS[number](stub)) == f"Exercise {number}: not started yet."


HINTS = {
    ("2.1", "the cosine has an exponent of its own"): "share one frequency",
    ("2.1", "the exponent is doubled, and the cosine's once more"): "Two faults",
    ("2.1", "the exponent is doubled, the same for both"): "The exponent is doubled",
    ("2.1", "positive exponent"): "lost its minus sign",
    ("2.1", "the other family, m / (d/2 - 1)"): "the other family",
    ("2.1", "positions start at 1"): "positions start at 0",
    ("2.1", "sines first, then cosines"): "Sines in one half",
    ("2.1", "cosine before sine"): "changed places",
    ("2.1", "integer division in the exponent"): "where does the pair's number enter",
    ("2.1", "degrees"): "in degrees",
    ("2.1", "added along the batch"): "the positions run along axis 1",
    ("2.1", "the table alone, x forgotten"): "x plus a table",
    ("2.1", "half precision"): "the precision is too low",
    ("2.1", "a result in half precision"): "it is float16",
    ("2.2", "transposed, as for (cos, sin)"): "walks backwards",
    ("2.2", "blocks for sines first, then cosines"): "all sines first",
    ("2.2", "made for position 0"): "made for position 0",
    ("2.2", "made for position 10"): "made to fit one position",
    ("2.2", "one frequency for all blocks"): "a frequency of its own",
    ("2.2", "the exponent is doubled"): "The exponent is doubled",
    ("2.2", "the other family, m / (d/2 - 1)"): "the other family",
    ("2.2", "base 1000"): "look at the base",
    ("2.3", "query minus key"): "relative = key − query",
    ("2.3", "the fastest hand alone"): "up to whole turns",
    ("2.3", "the dot product alone, so without a sign"): "cannot tell before from after",
    ("2.3", "the slowest hand alone"): "Let all hands vote",
    ("2.3", "offsets up to 500 only"): "reach from −1000 to 1000",
    ("2.3", "998 either way"): "offset −1000 is found",
    ("2.3", "the last offset left out"): "stops before b",
    ("2.3", "an exact match"): "gave None",
    ("2.3", "a middle hand alone"): "this hand has been all the way round",
    ("2.3", "the place in the list, not the offset"): "not yet an offset",
}


@pytest.mark.parametrize("number, name", [(number, name) for number in WRONG for name in WRONG[number]])
def test_a_classic_mistake_gets_its_own_hint(number, name):
    verdict = CHECKS[number](mistake(number, name))
    assert verdict.state == "wrong"
    assert HINTS.get((number, name), "") in repr(verdict)


@pytest.mark.parametrize("number", CHECKS)
def test_no_two_mistakes_hear_the_same(number):
    said = [repr(CHECKS[number](mistake(number, name))) for name in WRONG[number]]
    assert len(set(said)) == len(said)


@pytest.mark.parametrize("number", CHECKS)
@pytest.mark.parametrize("answer", [
    lambda *inputs: np.nan, lambda *inputs: np.full((3, 5, 8), np.nan), lambda *inputs: np.full((8, 8), np.nan),
    lambda *inputs: (1.0, 2.0), lambda *inputs: [[1], [2, 3]], lambda *inputs: "seven", lambda *inputs: inputs[0] + undefined,  # noqa: F821
    lambda *inputs: np.array([]), lambda *inputs: {"a": 1}, lambda *inputs: np.zeros((8, 8), complex),
], ids=["NaN", "NaNs", "a matrix of NaN", "a tuple", "ragged", "text", "an error", "nothing", "a dict", "complex"])
def test_nonsense_is_wrong_in_one_line(number, answer):
    verdict = CHECKS[number](answer)
    assert verdict.state == "wrong" and "\n" not in repr(verdict) and "ufunc" not in repr(verdict)


def test_praise_fits_a_loop_as_well():
    """the check cannot see how an answer was computed"""
    assert "loop" not in repr(checks.check_add_positions(add_by_loop))
