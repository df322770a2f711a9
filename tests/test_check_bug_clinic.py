"""The checks of chapter 12: right answers in several forms pass, an untouched patient is not started, nonsense ends in one line."""

import numpy as np

from pe_lib.teach.checks import bug_clinic as checks
from pe_lib.clinic import diagnose
from pe_lib.frequencies import inverse_frequencies
from pe_lib.rotary import rotate


def by_tables(rope, dim):
    q, k = np.random.default_rng(0).normal(size=(2, 10, dim))
    here, there = (rope(q.copy(), p) @ rope(k.copy(), p).T for p in (np.arange(10), np.arange(10) + 100))
    return np.abs(there - here).max()


def one_by_one(rope, dim):
    q, k = np.random.default_rng(7).normal(size=(2, 1, dim))

    def score(i, j):
        return (rope(q.copy(), np.array([i])) @ rope(k.copy(), np.array([j])).T).item()
    return max(abs(score(i, j) - score(i + by, j + by)) for i in range(3) for j in range(3) for by in (1, 100))


def of_lists(rope, dim):
    q, k = np.random.default_rng(7).normal(size=(2, 1, dim))
    return max(abs(float(rope(q, [i])[0] @ rope(k, [i + gap])[0] - rope(q, [i + 100])[0] @ rope(k, [i + gap + 100])[0]))
               for i in range(4) for gap in range(9))


def in_float32(rope, dim):
    q, k = np.random.default_rng(0).normal(size=(2, 10, dim)).astype(np.float32)
    here, there = (np.float32(rope(q, p)) @ np.float32(rope(k, p)).T for p in (np.arange(10), np.arange(10) + 100))
    return np.abs(there - here).max()


def scaled(rope, dim):
    return by_tables(rope, dim) / np.sqrt(dim)


def with_sine(rope, dim):
    r = rope(np.eye(dim, dtype=np.float32), np.ones(dim, dtype=int)).astype(float)
    sines = np.sqrt(np.maximum(np.square(r - r.T).sum(axis=1), 0)) / 2                  # of single precision: no cosine near 1
    return np.sort(np.arctan2(sines, r.diagonal()))[::-1][::2]


def in_one_line(x, positions):
    t = np.tile(positions[:, None] * 10_000.0 ** (-2 * np.arange(x.shape[-1] // 2) / x.shape[-1]), 2)
    half = x.shape[-1] // 2
    return x * np.cos(t) + np.concatenate([-x[..., half:], x[..., :half]], axis=-1) * np.sin(t)


def by_cosines(rope, dim):
    return np.sort(np.arccos(np.clip(rope(np.eye(dim), np.ones(dim, dtype=int)).diagonal(), -1, 1)))[::-1][::2]


# claims 12.1 and 12.4, as a learner meets them in an exercise
RIGHT = [
    ("12.1", by_tables), ("12.1", one_by_one), ("12.1", lambda rope, dim: float(by_tables(rope, dim))),
    ("12.1", of_lists), ("12.1", in_float32), ("12.1", scaled), ("12.3", with_sine),
    ("12.1", lambda rope, dim: np.float32(by_tables(rope, dim)) if by_tables(rope, dim) > 1e-6 else 0),
    ("12.2", checks.right), ("12.2", in_one_line), ("12.2", lambda x, p: checks.broken(x, p, first=0, slow=1)),
    ("12.2", lambda x, p: rotate(x, p, inverse_frequencies(x.shape[-1]), layout="half")),
    ("12.3", checks.speeds_by_eigenvalues), ("12.3", by_cosines), ("12.3", lambda rope, dim: list(by_cosines(rope, dim))),
]
UNTOUCHED = [("12.1", lambda rope, dim: ...), ("12.2", checks.broken), ("12.2", lambda x, positions: None),
             ("12.3", lambda rope, dim: None)]


def test_the_clinic_names_both_faults_of_the_patient_to_be_mended():
    """claim 12.6"""
    report = diagnose(checks.broken, layout="half", base=10_000.0)
    assert len(report.faults) == 2 and "off by one" in [fault.key for fault in report.faults]


def test_the_reference_property_tells_the_sound_from_the_broken():
    """claim 12.1: three layouts and signs, a count from 1, another base and a partial turn are sound; the others are not."""
    assert max(by_tables(rope, 8) for rope in checks.SOUND) < 1e-9
    broken = [*(rope for rope, _ in checks.BROKEN), *checks.FADES, *checks.FLIPS]
    assert min(by_tables(rope, 8) for rope in broken) > 0.1
    assert all(abs(by_tables(rope, 8) - 2) < 1e-12 for rope in checks.FLIPS)


def test_one_broken_function_is_right_at_odd_gaps():
    q, k = np.random.default_rng(0).normal(size=(2, 10, 8))
    rope = dict((rope.__name__, rope) for rope, _ in checks.BROKEN)["right_at_odd_gaps"]
    here, there = (rope(q, p) @ rope(k, p).T for p in (np.arange(10), np.arange(10) + 100))
    odd = (np.arange(10)[:, None] - np.arange(10)) % 2 == 1
    assert np.abs(there - here)[odd].max() < 1e-12 < 0.1 < np.abs(there - here)[~odd].max()


def test_one_pair_moved_once_is_not_enough():
    def one_pair(rope, dim):
        q, k = np.random.default_rng(0).normal(size=(2, 1, dim))
        here, there = ((rope(q, p) @ rope(k, p + 1).T).item() for p in (np.array([3]), np.array([103])))
        return abs(there - here)
    assert "right_at_odd_gaps got" in repr(checks.check_gap_error(one_pair))


def test_too_few_pairs_hear_to_take_more():
    def one_pair(rope, dim):
        q, k = np.random.default_rng(0).normal(size=(2, 1, dim))
        return abs((rope(q, [3]) @ rope(k, [5]).T - rope(q, [103]) @ rope(k, [105]).T).item())
    assert "for many offsets and moves" in repr(checks.check_gap_error(one_pair))


def test_no_name_gives_a_function_away():
    given = set()
    checks.check_gap_error(lambda rope, dim: given.add(rope.__name__) or by_tables(rope, dim))
    assert given == {"<lambda>"}


def test_the_patient_to_be_mended_keeps_the_dtype():
    """so that its cure gets a bill without a remark"""
    report = diagnose(lambda x, p: checks.broken(x, p, first=0, slow=1), layout="half", base=10_000.0)
    assert report.healthy and not report.remarks


def test_a_speed_is_read_whatever_the_layout_and_the_sign():
    for (rope, dim), law in zip(checks.MEASURED, checks.LAWS):
        read = checks.speeds_by_eigenvalues(rope, dim)
        np.testing.assert_allclose(read, by_cosines(rope, dim), atol=1e-9)
        if law is not None:
            np.testing.assert_allclose(read, law, atol=1e-9)
