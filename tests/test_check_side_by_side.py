"""Answers to the exercises of chapter 11 besides the classic wrong ones."""

import numpy as np
import pytest

from pe_lib.rotary import pair_contributions, rotate
from pe_lib.teach.checks.side_by_side import BOXES, CLASSIC_DECOUPLED, Box, check_best_when_far, check_which_scheme, decoupled_by_loop, decoupled_case


def by_experiments(score):
    q, k, offsets = np.array([1.0, 2.0, -1.0, 0.5]), np.array([0.5, -1.0, 2.0, 1.0]), range(-4, 5)
    if not np.isclose(score(q, k, 3, 1), score(q, k, 103, 101)):
        return 1
    if any(abs(score(0 * q, 0 * k, 10, 10 + offset)) > 1e-9 for offset in offsets):
        return 2
    return 3 if any(not np.isclose(score(q, k, 10, 10 + offset), score(q, k, 10, 10)) for offset in offsets) else 0


def by_random_vectors(score):
    """The same three experiments in another order, as floats."""
    rng = np.random.default_rng(1)
    q, k = rng.normal(size=(2, 4))
    line = np.array([score(q, k, 50, 50 + offset) for offset in range(-9, 10)])
    zeros = np.array([score(np.zeros(4), np.zeros(4), 50, 50 + offset) for offset in range(-9, 10)])
    later = np.array([score(q, k, 60, 60 + offset) for offset in range(-9, 10)])
    if np.ptp(line) < 1e-9:
        return 0.0
    return 1.0 if abs(later - line).max() > 1e-9 else 2.0 if np.ptp(zeros) > 1e-9 else 3.0


def one_product(q, k, q_rotary, k_rotary, positions, inv_freq):
    """The two parts joined into one head before the product."""
    turned_q, turned_k = rotate(q_rotary, positions, inv_freq), rotate(k_rotary, positions, inv_freq)
    whole_q = np.concatenate([q, turned_q], axis=-1)
    whole_k = np.concatenate([k, np.broadcast_to(turned_k, turned_q.shape)], axis=-1)
    return np.einsum("hid,hjd->hij", whole_q, whole_k) / np.sqrt(whole_q.shape[-1])


def matched(distance, inv_freq):
    q = np.random.default_rng(0).normal(size=2 * inv_freq.size)
    return q, 3 * rotate(q[None], [distance], inv_freq)[0]


RIGHT = [("11.1", by_experiments), ("11.1", by_random_vectors), ("11.2", one_product), ("11.2", decoupled_by_loop), ("11.3", matched)]
UNTOUCHED = [("11.1", lambda score: ...), ("11.2", lambda q, k, q_rotary, k_rotary, positions, inv_freq: None), ("11.3", lambda distance, inv_freq: ...)]
ODD = [
    ("11.1", lambda score: np.array([1]), "0, 1, 2 or 3"),
    ("11.2", lambda q, k, *rest: np.zeros((4, 4)), "expected (2, 4, 4)"),
    ("11.3", lambda distance, inv_freq: np.ones((2, 2 * inv_freq.size)), "two vectors, q and k"),
    ("11.3", lambda distance, inv_freq: (np.ones(3), np.ones(3)), "each of 16 features"),
]


@pytest.mark.parametrize("name, right, box", BOXES)
def test_each_box_does_what_its_number_says(name, right, box):
    """by a table of all four experiments, without looking inside"""
    q, k = np.random.default_rng(3).normal(size=(2, 4))
    shift = abs(box(q, k, 20, 17) - box(q, k, 90, 87)) > 1e-9
    speaks = any(abs(box(np.zeros(4), np.zeros(4), 20, 20 + offset)) > 1e-9 for offset in range(-3, 4))
    offset = any(abs(box(q, k, 20, 20 + r) - box(q, k, 20, 20)) > 1e-9 for r in range(-3, 4))
    assert (shift, speaks, offset) == {0: (False, False, False), 1: (True, True, True), 2: (False, True, True), 3: (False, False, True)}[right]


def test_a_box_works_where_the_exercise_says_it_does():
    for _, _, box in BOXES:
        assert isinstance(box(np.ones(4), np.ones(4), 0, 199), float) and isinstance(box(np.ones(4), np.ones(4), 199, 0), float)


def test_every_mistaken_answer_hears_something_of_its_own():
    messages = {repr(check_which_scheme(lambda score, wrong=wrong: wrong if (right := by_experiments(score)) == answer else right))
                for answer in range(4) for wrong in range(4) if wrong != answer}
    assert len(messages) >= 10


def test_the_specification_is_a_rotary_head_where_there_is_no_content():
    """Origin: equation 16 of RoFormer; case WP04: a part without rotation does not depend on positions."""
    q, k, q_rotary, k_rotary, positions, inv_freq = decoupled_case(4, 2, 5, 4, 6)
    alone = decoupled_by_loop(0 * q, k, q_rotary, k_rotary, positions, inv_freq)
    expected = rotate(q_rotary, positions, inv_freq) @ rotate(k_rotary, positions, inv_freq).T / 10**0.5
    np.testing.assert_allclose(alone, expected, atol=1e-12)
    content = decoupled_by_loop(q, k, 0 * q_rotary, k_rotary, positions + 7, inv_freq)
    np.testing.assert_allclose(content, q @ k.swapaxes(-1, -2) / 10**0.5, atol=1e-12)


def test_no_classic_mistake_is_right():
    case = decoupled_case(0, 2, 4, 6, 4, [3, 5, 6, 11])
    for wrong in CLASSIC_DECOUPLED.values():
        assert not np.allclose(wrong(*case), decoupled_by_loop(*case))


def test_the_matched_key_is_best_at_its_distance_and_nowhere_else():
    inv_freq = np.array([1.0, 0.1, 0.01])
    q, k = matched(40, inv_freq)
    scores = pair_contributions(q, k, np.arange(-100, 101), inv_freq).sum(axis=-1)
    assert scores.argmax() == 60
    assert check_best_when_far(matched).state == "right"


def test_a_box_is_told_positions_by_one_scheme_only():
    assert isinstance(BOXES[0][2], Box) and sum(right == 0 for _, right, _ in BOXES) == 1
