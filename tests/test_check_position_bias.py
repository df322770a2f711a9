"""The checks of chapter 4: right answers in several forms pass, odd ones hear one line (classic mistakes: exercises/)."""

import math
import re

import numpy as np
import pytest

from pe_lib.attention import causal_mask
from pe_lib.biases import alibi_bias, alibi_slopes, relative_buckets, relative_positions, table_bias
from pe_lib.teach.checks import position_bias as checks


def buckets_by_log(relative):
    distance = np.abs(relative)
    wide = 8 + (np.log(np.maximum(distance, 1) / 8) / np.log(128 / 8) * 8).astype(int)
    return np.where(distance < 8, distance, np.minimum(wide, 15)) + 16 * (relative > 0)


def buckets_in_base_two(relative):
    """From 8 on a bucket is half a doubling."""
    distance = np.maximum(np.abs(relative), 1)
    near = np.where(np.abs(relative) < 8, np.abs(relative), np.minimum(np.floor(2 * np.log2(distance / 8)) + 8, 15)).astype(int)
    return np.where(relative > 0, near + 16, near)


def previous_by_table(n, largest):
    """Margins are what counts: a table of reach 1, shifted by any constant."""
    return table_bias(n, n, [7.0, 7.0 + 2 * largest + math.log(99 * (n - 1)) + 0.5, 7.0, 7.0, 7.0])


def previous_in_single(n, largest):
    """In float32 the margin is rounded, now and then downwards."""
    return np.float32(2 * largest + math.log(99 * (n - 1))) * np.eye(n, k=-1, dtype=np.float32)


# claims 4.2, 4.3 and 4.4, as a learner meets them in an exercise
RIGHT = [
    (checks.check_decoder_alibi, lambda n, heads: alibi_bias(n, n, alibi_slopes(heads)) + causal_mask(n)),
    (checks.check_decoder_alibi, lambda n, heads: alibi_slopes(heads)[:, None, None] * relative_positions(n) + causal_mask(n)),
    (checks.check_decoder_alibi, checks.alibi_by_loop),
    (checks.check_buckets_both_ways, lambda relative: relative_buckets(relative, causal=False)),
    (checks.check_buckets_both_ways, buckets_by_log),
    (checks.check_buckets_both_ways, buckets_in_base_two),
    (checks.check_previous_token, lambda n, largest: (2 * largest + np.log(99 * (n - 1))) * np.eye(n, k=-1)),
    (checks.check_previous_token, previous_by_table),
    (checks.check_previous_token, previous_in_single),
    (checks.check_previous_token, lambda n, largest: (2 * largest + np.log(99 * (n - 1)) + 1) * np.eye(n, k=-1)),
]
UNTOUCHED = [("4.1", lambda n, heads: ...), ("4.2", lambda relative: None), ("4.3", lambda n, largest: ...)]
ODD = [
    ("4.1", lambda n, heads: np.zeros((n, n)), "gave shape (5, 5); expected (4, 5, 5)"),
    ("4.1", lambda n, heads: np.full((heads, n, n), np.nan), "must not be multiplied"),
    ("4.2", lambda relative: relative.tolist()[0], "gave shape (); expected (401,)"),
    ("4.2", lambda relative: 1 / 0, "ZeroDivisionError"),
    ("4.3", lambda n, largest: np.zeros(n), "expected (6, 6)"),
]


def test_the_specifications_equal_the_library():
    """claims 4.2 and 4.3"""
    for n, heads in ((1, 1), (5, 4), (9, 8)):
        np.testing.assert_allclose(checks.alibi_by_loop(n, heads), alibi_bias(n, n, alibi_slopes(heads)) + causal_mask(n))
    line = np.arange(-3000, 3001)
    np.testing.assert_array_equal(checks.buckets_by_loop(line), relative_buckets(line, causal=False))


@pytest.mark.parametrize("margin", [np.log(99) - 0.002, np.log(300) + 0.004])
def test_a_number_that_misses_a_bound_does_not_look_like_it(margin):
    said = repr(checks.check_previous_token(lambda n, largest: (2 * largest + margin + np.log(n - 1)) * np.eye(n, k=-1)))
    assert re.search(r"it gets (0\.98998\d|0\.99669\d)\.", said), said


@pytest.mark.parametrize("mask", [-1e4, float(np.finfo(np.float32).min)])
def test_any_large_number_is_told_from_minus_infinity(mask):
    said = repr(checks.check_decoder_alibi(lambda n, heads: checks.alibi_form(n, heads, mask=np.triu(np.full((n, n), mask), k=1))))
    assert "Use −np.inf" in said


@pytest.mark.parametrize("check, answer", [
    (checks.check_decoder_alibi, lambda n, heads: checks.alibi_by_loop(n, heads).astype(np.float16)),
    (checks.check_previous_token, lambda n, largest: ((2 * largest + np.log(99 * (n - 1))) * np.eye(n, k=-1)).astype(np.float16)),
])
def test_half_precision_is_named_as_what_is_wrong(check, answer):
    said = repr(check(answer))
    assert "the precision is too low" in said and "\n" not in said
    assert check(lambda *inputs: answer(*inputs).astype(float)).state == "wrong"      # the digits are lost, whatever the type


@pytest.mark.parametrize("n, largest", [(2, 0.0), (6, 2.0), (40, 1.0)])
def test_the_worst_case_is_the_worst(n, largest):
    """claim 4.4: with the margin of the solution no content within bounds takes more than a hundredth away"""
    bias = (2 * largest + np.log(99 * (n - 1))) * np.eye(n, k=-1)
    weights = checks.worst_weight(bias, largest)
    assert weights[-1] == pytest.approx(0.99) and (weights >= 0.99 - 1e-12).all()
    rng = np.random.default_rng(0)
    for _ in range(50):
        scores = rng.uniform(-largest, largest, size=(n, n)) + bias + causal_mask(n)
        powers = np.exp(scores)
        assert (np.diag(powers / powers.sum(axis=1, keepdims=True), -1) >= weights - 1e-12).all()
