"""The checks of chapter 5: right answers in several forms pass, odd ones hear one line (classic mistakes: exercises/)."""

import runpy
from pathlib import Path

import numpy as np
import pytest

from pe_lib.teach.checks import rotation_identity as checks
from pe_lib.frequencies import inverse_frequencies
from pe_lib.rotary import pair_contributions, rotate, rotation_matrix

WRONG = runpy.run_path(str(Path(__file__).with_name("exercises") / "05_rope_rotation_identity.py"))["WRONG"]
CHECKS = {"5.1": checks.check_score_of_pair, "5.2": checks.check_rotate_rows, "5.3": checks.check_key_for}
NAMES = {"5.1": "score_of_pair", "5.2": "rotate_rows", "5.3": "key_for"}


def mistake(number, name):
    names = {"np": np}
    exec(WRONG[number][name], names)
    return names[NAMES[number]]


def score_by_complex_numbers(q, k, t):
    return ((q[0] + 1j * q[1]) * np.conj((k[0] + 1j * k[1]) * np.exp(1j * t))).real


def rows_by_complex_numbers(x, positions):
    phases = np.exp(1j * np.outer(positions, inverse_frequencies(x.shape[1])))
    return (np.ascontiguousarray(x).view(complex) * phases).view(float)


def rows_by_matrices(x, positions):
    return np.array([rotation_matrix(p, inverse_frequencies(x.shape[1])) @ row for p, row in zip(positions, x)])


# claims 5.2, 5.3, 5.4 and 5.7, as a learner meets them in an exercise
RIGHT = [
    (checks.check_score_of_pair, checks.score_by_rotating),
    (checks.check_score_of_pair, score_by_complex_numbers),
    (checks.check_score_of_pair, lambda q, k, t: pair_contributions(q, k, t, [1.0]).sum()),
    (checks.check_rotate_rows, rows_by_complex_numbers),
    (checks.check_rotate_rows, rows_by_matrices),
    (checks.check_rotate_rows, checks.rows_by_loop),
    (checks.check_key_for, lambda q, offset: rotate(q[None], [-offset], inverse_frequencies(64))[0]),
    (checks.check_key_for, lambda q, offset: q @ rotation_matrix(offset, inverse_frequencies(64))),
]
UNTOUCHED = [("5.1", lambda q, k, t: ...), ("5.2", lambda x, positions: None), ("5.3", lambda q, offset: ...)]


@pytest.mark.parametrize("number, name", [("5.1", "t plays no part"), ("5.1", "sine and cosine exchanged"), ("5.2", "x itself"),
                                          ("5.2", "the first row's position for all"), ("5.3", "rotated back, and one sign lost")])
def test_a_hint_speaks_of_the_mistake_that_was_made(number, name):
    """Two mistakes may agree on one case: a quarter, position 0, offset 0. The hint is that of the one that agrees on all."""
    said = repr(CHECKS[number](mistake(number, name)))
    assert ("are exchanged" in said) == (name == "sine and cosine exchanged")
    assert ("the first row's angles" in said) == (name == "the first row's position for all")
    assert "rotated the wrong way" not in said


@pytest.mark.parametrize("digits", [np.float32, np.float16])
def test_angles_that_were_rounded_hear_of_rounding_and_not_of_a_table(digits):
    def rounded(x, positions):
        t = (positions.astype(digits)[:, None] * inverse_frequencies(x.shape[1]).astype(digits)).astype(float)
        return (np.ascontiguousarray(x).view(complex) * np.exp(1j * t)).view(float)
    said = repr(checks.check_rotate_rows(rounded))
    assert ("an angle was rounded" in said) == (digits is np.float32) and "table" not in said


@pytest.mark.parametrize("offset", [0, -1, 7, -40])
def test_a_key_can_score_highest_at_any_offset(offset):
    """claim 5.7: nearness is not built in"""
    q = np.random.default_rng(offset + 100).normal(size=64)
    scores = checks.score_by_offset(q, rotate(q[None], [-offset], inverse_frequencies(64))[0])
    assert scores.argmax() - checks.REACH == offset
    np.testing.assert_allclose(scores.max(), q @ q)
