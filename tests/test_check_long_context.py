"""The checks of chapter 8: right answers in several forms pass, odd ones hear one line (classic mistakes: exercises/)."""

import numpy as np
import pytest

from pe_lib.teach.checks import long_context as checks
from pe_lib.frequencies import inverse_frequencies, offset_similarity
from pe_lib.offsets import unfinished_pairs
from pe_lib.scaling import ntk
from pe_lib.sinusoidal import sinusoidal_encoding


def impostor_by_distance(inv_freq, reach):
    """By the distances of encodings, in blocks."""
    def away(offsets):
        return np.sqrt((2 - 2 * np.cos(np.multiply.outer(offsets, inv_freq))).sum(axis=-1))
    for first in range(2, reach + 1, 10_000):
        offsets = np.arange(first, min(first + 10_000, reach + 1))
        if (nearer := away(offsets) < away(1)).any():
            return int(offsets[nearer.argmax()])
    return 0


def stretch_in_float32(dim, base, factor):
    """Every step in float32: its slowest pair is off by some 1e-7 of itself."""
    base = np.float32(base) * np.float32(factor) ** np.float32(dim / (dim - 2))
    return base ** (-np.arange(0, dim, 2, dtype=np.float32) / np.float32(dim))


# claims 8.2, 8.3 and 8.4, as a learner meets them in an exercise
RIGHT = [
    (checks.check_stretch, checks.stretch_by_loop),
    (checks.check_stretch, ntk),
    (checks.check_stretch, stretch_in_float32),
    (checks.check_stretch, lambda d, b, s: ntk(d, b, s).astype(np.float32)),
    (checks.check_stretch, lambda d, b, s: inverse_frequencies(d, b) / s ** (np.arange(d // 2) / (d // 2 - 1))),
    (checks.check_unprepared, checks.unprepared_by_loop),
    (checks.check_unprepared, lambda d, b, t, a: unfinished_pairs(inverse_frequencies(d, b), t).sum() if a > t else 0),
    (checks.check_first_impostor, checks.first_impostor_in),
    (checks.check_first_impostor, impostor_by_distance),
]
UNTOUCHED = [("8.1", lambda dim, base, factor: ...), ("8.2", lambda dim, base, trained, asked: None), ("8.3", lambda inv_freq, reach: ...)]


@pytest.mark.parametrize("answer", [
    lambda dim, base, trained, asked: 0,
    lambda dim, base, trained, asked: 0 if asked >= trained else checks.unprepared_by_loop(dim, base, asked, trained),
    lambda dim, base, trained, asked: (2 * np.pi * base ** (np.arange(dim // 2) / dim) > trained).sum() if asked > trained else 0,
], ids=["always", "the inverted condition", "no 2 in the exponent"])
def test_no_pair_at_all_is_not_blamed_on_a_sign(answer):
    assert "0 pairs? asked is larger than trained here" in repr(checks.check_unprepared(answer))


def test_the_praise_is_true():
    """claims 8.2 and 8.3"""
    assert unfinished_pairs(inverse_frequencies(128, 500_000), 4096).sum() == 32
    zero, one, far = sinusoidal_encoding([0, 1, 596_274], 16)
    assert np.linalg.norm(far - zero) < np.linalg.norm(one - zero)
    assert offset_similarity(596_274, inverse_frequencies(16)) > offset_similarity(1, inverse_frequencies(16))
