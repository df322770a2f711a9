"""The checks of chapter 8: right answers in several forms pass, odd ones hear one line (classic mistakes: exercises/)."""

import numpy as np
import pytest

from pe_lib.teach.checks import long_context as checks
from pe_lib.frequencies import inverse_frequencies, offset_similarity
from pe_lib.offsets import unfinished_pairs
from pe_lib.scaling import ntk
from pe_lib.sinusoidal import sinusoidal_encoding

CHECKS = {"8.1": checks.check_stretch, "8.2": checks.check_unprepared, "8.3": checks.check_first_impostor}


def impostor_by_distance(inv_freq, reach):
    """By the distances of encodings, in blocks."""
    def away(offsets):
        return np.sqrt((2 - 2 * np.cos(np.multiply.outer(offsets, inv_freq))).sum(axis=-1))
    for first in range(2, reach + 1, 10_000):
        offsets = np.arange(first, min(first + 10_000, reach + 1))
        if (nearer := away(offsets) < away(1)).any():
            return int(offsets[nearer.argmax()])
    return 0


@pytest.mark.parametrize("check, answer", [
    (checks.check_stretch, checks.stretch_by_loop),
    (checks.check_stretch, ntk),
    (checks.check_stretch, lambda d, b, s: inverse_frequencies(d, b) / s ** (np.arange(d // 2) / (d // 2 - 1))),
    (checks.check_unprepared, checks.unprepared_by_loop),
    (checks.check_unprepared, lambda d, b, t, a: unfinished_pairs(inverse_frequencies(d, b), t).sum() if a > t else 0),
    (checks.check_first_impostor, checks.first_impostor_in),
    (checks.check_first_impostor, impostor_by_distance),
])
def test_right_answers_pass_in_any_form(check, answer):
    """claims 8.2, 8.3 and 8.4, as a learner meets them in an exercise"""
    verdict = check(answer)
    assert verdict.state == "right", verdict
    assert repr(verdict).startswith(f"Exercise {check.number}: right. ") and "\n" not in repr(verdict)


@pytest.mark.parametrize("number, stub", [("8.1", lambda dim, base, factor: ...), ("8.2", lambda dim, base, trained, asked: None),
                                          ("8.3", lambda inv_freq, reach: ...)])
def test_an_untouched_stub_is_not_started(number, stub):
    assert repr(CHECKS[number](stub)) == f"Exercise {number}: not started yet."


@pytest.mark.parametrize("answer", [
    lambda dim, base, trained, asked: 0,
    lambda dim, base, trained, asked: 0 if asked >= trained else checks.unprepared_by_loop(dim, base, asked, trained),
    lambda dim, base, trained, asked: (2 * np.pi * base ** (np.arange(dim // 2) / dim) > trained).sum() if asked > trained else 0,
], ids=["always", "the inverted condition", "no 2 in the exponent"])
def test_no_pair_at_all_is_not_blamed_on_a_sign(answer):
    assert "0 pairs? asked is larger than trained here" in repr(checks.check_unprepared(answer))


@pytest.mark.parametrize("number", CHECKS)
@pytest.mark.parametrize("answer", [
    lambda *inputs: np.nan, lambda *inputs: np.full(4, np.nan), lambda *inputs: (1.0, 2.0), lambda *inputs: [[1], [2, 3]],
    lambda *inputs: "seven", lambda *inputs: inputs[0] + undefined,  # noqa: F821
    lambda *inputs: np.array([]), lambda *inputs: {"a": 1},
], ids=["NaN", "NaNs", "a tuple", "ragged", "text", "an error", "nothing", "a dict"])
def test_nonsense_is_wrong_in_one_line(number, answer):
    verdict = CHECKS[number](answer)
    assert verdict.state == "wrong" and "\n" not in repr(verdict)


def test_the_praise_is_true():
    """claims 8.2 and 8.3"""
    assert unfinished_pairs(inverse_frequencies(128, 500_000), 4096).sum() == 32
    zero, one, far = sinusoidal_encoding([0, 1, 596_274], 16)
    assert np.linalg.norm(far - zero) < np.linalg.norm(one - zero)
    assert offset_similarity(596_274, inverse_frequencies(16)) > offset_similarity(1, inverse_frequencies(16))
