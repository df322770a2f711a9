"""The checks of chapter 1: right answers in several forms pass, odd ones hear one line (classic mistakes: exercises/)."""

from itertools import permutations

import numpy as np
import pytest

from pe_lib.teach.checks import dog_bites_man as checks


def attend_one_in_matrix_form(q_i, k, v):
    powers = np.exp(k @ q_i / np.sqrt(q_i.size))
    return powers / powers.sum() @ v


def invisible_by_svd(w_q, w_k, w_v):
    return np.linalg.svd(np.hstack([w_q, w_k, w_v]))[0][:, -1]


def invisible_by_projection(w_q, w_k, w_v):
    stack = np.hstack([w_q, w_k, w_v])
    p = np.ones(len(stack)) - stack @ np.linalg.pinv(stack) @ np.ones(len(stack))
    return p / np.linalg.norm(p)


def sees_order_by_two_orders(layer, x):
    swap, cycle = np.r_[1, 0, 2:x.shape[1]], np.roll(np.arange(x.shape[1]), 1)
    return any(not np.allclose(layer(x[:, order]), layer(x)[:, order]) for order in (swap, cycle))


def sees_order_by_all_orders(layer, x):
    orders = map(list, permutations(range(x.shape[1])))
    return bool(max(np.abs(layer(x[:, order]) - layer(x)[:, order]).max() for order in orders) > 1e-6)


# claims 1.1, 1.2, 1.5 and 1.6, as a learner meets them in an exercise
RIGHT = [
    (checks.check_attend_one, attend_one_in_matrix_form),
    (checks.check_attend_one, checks.attend_one_by_loop),
    (checks.check_reorder_scores, lambda scores, order: scores[np.ix_(order, order)]),
    (checks.check_reorder_scores, checks.reorder_by_loop),
    (checks.check_invisible, invisible_by_svd),
    (checks.check_invisible, invisible_by_projection),
    (checks.check_sees_order, sees_order_by_two_orders),
    (checks.check_sees_order, sees_order_by_all_orders),
]
UNTOUCHED = [("1.1", lambda q_i, k, v: ...), ("1.2", lambda scores, order: None), ("1.3", lambda w_q, w_k, w_v: ...),
             ("1.4", lambda layer, x: None)]
ODD = [
    ("1.1", lambda q_i, k, v: np.zeros((1, 3)), "shape is (1, 3)"),
    ("1.1", lambda q_i, k, v: 1 / 0, "ZeroDivisionError"),
    ("1.2", lambda scores, order: "rows", "which is no rectangular array of numbers"),
    ("1.3", lambda w_q, w_k, w_v: np.eye(12)[:, :3], "One vector is wanted"),
    ("1.3", lambda w_q, w_k, w_v: np.full(len(w_q), np.nan), "is nan"),
    ("1.4", lambda layer, x: layer(x) == x, "np.allclose looks at all entries"),
    ("1.4", lambda layer, x: layer(x[5]), "layer=layer 1, x of shape (2, 5, 6)) raised IndexError"),
]


def spots(layer, x, order):
    return not np.allclose(layer(x[:, order]), layer(x)[:, order])


SWAP, CYCLE, REVERSAL = [1, 0, 2, 3, 4], [4, 0, 1, 2, 3], [4, 3, 2, 1, 0]


def test_a_swap_and_a_cycle_find_every_layer_out_and_one_order_does_not():
    """claims 1.2, 1.5 and 1.6: each layer is what it says; a cycle misses the ring, a swap the third place, a reversal three"""
    x, layers = np.random.default_rng(0).normal(size=(2, 5, 6)), checks.layers()
    every = [list(order) for order in permutations(range(5))]
    for layer in layers:
        assert layer.sees_order == any(spots(layer, x, order) for order in every), layer.name
        assert layer.sees_order == (spots(layer, x, SWAP) or spots(layer, x, CYCLE)), layer.name
    missed = {str(order): [layer.name.split(",")[0] for layer in layers if layer.sees_order and not spots(layer, x, order)]
              for order in (SWAP, CYCLE)}
    assert missed == {str(SWAP): ["a vector for the third place alone"], str(CYCLE): ["each word plus its left neighbour"]}
    assert sum(layer.sees_order and not spots(layer, x, REVERSAL) for layer in layers) == 3


def test_a_swap_and_a_cycle_make_every_order():
    """a layer that lets both through, on every x, lets every order through"""
    made, fresh = set(), {(0, 1, 2, 3, 4)}
    while fresh:
        made |= fresh
        fresh = {tuple(order[i] for i in move) for order in fresh for move in (SWAP, CYCLE)} - made
    assert len(made) == 120


@pytest.mark.parametrize("weak", [
    lambda layer, x: not np.allclose(np.sort(layer(x[:, CYCLE]), axis=1), np.sort(layer(x), axis=1)),
    lambda layer, x: any(not np.allclose(layer(x[:, o])[:, -1], layer(x)[:, o][:, -1]) for o in (SWAP, CYCLE)),
    lambda layer, x: not np.allclose(layer(x[:, [2, 1, 3, 0, 4]])[:, -1], layer(x)[:, -1]),
    lambda layer, x: "each place" in layer.name,
    lambda layer, x: any(word in repr(layer) for word in ("place", "mask", "added", "last", "ring")),
], ids=["sorted values", "the last row, two orders", "the last row, kept", "the name", "the repr"])
def test_a_weak_test_for_order_is_turned_down(weak):
    assert checks.check_sees_order(weak).state == "wrong"
