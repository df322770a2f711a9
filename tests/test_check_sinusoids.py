"""The checks of chapter 2: right answers in several forms pass, odd ones hear one line (classic mistakes: exercises/)."""

import numpy as np
import pytest

from pe_lib.teach.checks import sinusoids as checks
from pe_lib.frequencies import angles, inverse_frequencies
from pe_lib.sinusoidal import encode_angles, offset_matrix, sinusoidal_encoding


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


# claims 2.1, 2.5 and 2.6, as a learner meets them in an exercise
RIGHT = [
    (checks.check_add_positions, add_by_loop),
    (checks.check_add_positions, lambda x: x + sinusoidal_encoding(np.arange(x.shape[-2]), x.shape[-1])),
    (checks.check_step_matrix, lambda k, d: offset_matrix(k, inverse_frequencies(d))),
    (checks.check_step_matrix, step_by_fit),
    (checks.check_find_offset, offset_by_hands),
    (checks.check_find_offset, offset_by_matrices),
]
UNTOUCHED = [("2.1", lambda x: ...), ("2.2", lambda k, d: None), ("2.3", lambda pe_query, pe_key: ...)]


def test_praise_fits_a_loop_as_well():
    """the check cannot see how an answer was computed"""
    assert "loop" not in repr(checks.check_add_positions(add_by_loop))


@pytest.mark.parametrize("rows", [2_000, 10_000, 50_000])
def test_a_table_of_positions_is_turned_down_whatever_its_length(rows):
    """claim 2.3, in exercise 2.3: the nearest row is 168, and there is none 1000 before it"""
    table = sinusoidal_encoding(np.arange(rows), 64)
    assert np.argmax(table @ sinusoidal_encoding(checks.BEYOND_TABLES, 64)) == 168

    def look_up(pe_query, pe_key):
        return np.argmax(table @ pe_key) - np.argmax(table @ pe_query)
    verdict = checks.check_find_offset(look_up)
    assert verdict.state == "wrong"
    assert "Do you look the positions up in a table?" in repr(verdict) or rows < 10_000


@pytest.mark.parametrize("first", [14, 15, 16, 17])
def test_slow_hands_alone_are_turned_down_though_they_read_most_rounded_cases(first):
    """claim 2.6, in exercise 2.3: with two decimals the middle hands are wanted too"""
    offsets, inv_freq = np.arange(-1000, 1001), inverse_frequencies(64)[first:]

    def read(pe_query, pe_key):
        start = np.arctan2(pe_query[2 * first::2], pe_query[2 * first + 1::2])
        return offsets[np.argmax(encode_angles(start + angles(offsets, inv_freq)) @ pe_key[2 * first:])]
    cases = checks.rounded_cases()
    missed = [j - i for i, j in cases if read(*sinusoidal_encoding([i, j], 64).round(2)) != j - i]
    assert 0 < len(missed) <= 5 and len(cases) == 24
    assert "Let all hands vote" in repr(checks.check_find_offset(read))
