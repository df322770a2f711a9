"""The checks of chapter 1: right answers in several forms pass, odd ones hear one line (classic mistakes: exercises/)."""

from itertools import combinations, permutations

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
    """claims 1.2, 1.5 and 1.6: each layer is what it says; a cycle misses the ring, a swap the third position, a reversal three"""
    x, layers = np.random.default_rng(0).normal(size=(2, 5, 6)), checks.layers()
    every = [list(order) for order in permutations(range(5))]
    for layer in layers:
        assert layer.sees_order == any(spots(layer, x, order) for order in every), layer.name
        assert layer.sees_order == (spots(layer, x, SWAP) or spots(layer, x, CYCLE)), layer.name
    missed = {str(order): [layer.name.split(",")[0] for layer in layers if layer.sees_order and not spots(layer, x, order)]
              for order in (SWAP, CYCLE)}
    assert missed == {str(SWAP): ["a vector for the third position alone"], str(CYCLE): ["each word plus its left neighbour"]}
    assert sum(layer.sees_order and not spots(layer, x, REVERSAL) for layer in layers) == 3


def test_a_swap_and_a_cycle_make_every_order():
    """a layer that lets both through, on every x, lets every order through"""
    assert len(checks.chains({tuple(SWAP), tuple(CYCLE)})) == 120


EVERY = list(permutations(range(5)))


def in_these_orders(*orders, x_first=False):
    """A test for order that compares these orders of five words alone, and a swap and a cycle of any other number.

    The layer is run on x before the orders, or after each.
    """
    def sees_order(layer, x):
        if x.shape[1] != 5:
            return sees_order_by_two_orders(layer, x)
        bag = layer(x) if x_first else None
        return any(not np.allclose(layer(x[:, list(o)]), (layer(x) if bag is None else bag)[:, list(o)]) for o in orders)
    return sees_order


def test_no_single_order_is_enough_though_92_of_120_are_for_the_twelve_fixed_layers():
    """the sentence above exercise 1.4: one layer gets past any single order"""
    x, layers = np.random.default_rng(4).normal(size=(2, 5, 6)), checks.layers()
    right = [all(spots(layer, x, list(order)) is layer.sees_order for layer in layers) for order in EVERY]
    assert sum(right) == 92
    verdicts = [checks.check_sees_order(in_these_orders(order)) for order in EVERY]
    assert {verdict.state for verdict in verdicts} == {"wrong"}
    assert ["layer 13" in verdict.message for verdict in verdicts] == right
    assert {checks.check_sees_order(in_these_orders(order, x_first=True)).state for order in EVERY[1::8]} == {"wrong"}


def test_one_order_is_not_enough_where_it_is_drawn_afresh():
    """neither on the x that is given nor on an x of one's own; many of them are"""
    rng = np.random.default_rng(5)

    def one(layer, x):
        order = rng.permutation(x.shape[1])
        return spots(layer, x, order)

    def one_on_its_own(layer, x):
        return one(layer, rng.normal(size=x.shape))
    assert {checks.check_sees_order(test).state for test in 30 * (one, one_on_its_own)} == {"wrong"}
    assert checks.check_sees_order(lambda layer, x: any(one(layer, x) for _ in range(20))).state == "right"


def test_two_orders_are_enough_exactly_where_they_make_all_120():
    """3420 of the 7140 pairs do; 6854 would be for the twelve fixed layers"""
    x, layers = np.random.default_rng(4).normal(size=(2, 5, 6)), checks.layers()
    truth = np.array([layer.sees_order for layer in layers])
    missed = {order: {n for n, layer in enumerate(layers) if truth[n] and not spots(layer, x, list(order))} for order in EVERY}
    pairs = list(combinations(EVERY, 2))
    right_about_twelve = [not missed[one] & missed[two] for one, two in pairs]
    assert (len(pairs), sum(right_about_twelve)) == (7140, 6854)
    # Renaming the five positions changes no count: one order of each kind stands for all with as many rounds of each length.
    kinds = {(0, 1, 2, 3, 4): 1, (1, 0, 2, 3, 4): 10, (1, 0, 3, 2, 4): 15, (1, 2, 0, 3, 4): 20, (1, 2, 0, 4, 3): 20,
             (1, 2, 3, 0, 4): 30, (1, 2, 3, 4, 0): 24}
    assert sum(many * sum(len(checks.chains({kind, order})) == 120 for order in EVERY) for kind, many in kinds.items()) == 2 * 3420
    for number in range(0, len(pairs), 197):
        verdict, enough = checks.check_sees_order(in_these_orders(*pairs[number])), len(checks.chains(pairs[number])) == 120
        assert (verdict.state == "right") == enough <= right_about_twelve[number], (pairs[number], verdict)


def test_the_watching_layer_is_one_layer_whatever_it_is_given():
    """it doubles what it lets through, triples the rest, and never goes back on an answer"""
    run, let_through = checks.watching_layer(words=5)
    x = np.random.default_rng(6).normal(size=(2, 5, 6))
    assert (run(x) == 2 * x).all() and len(let_through) == 1
    assert (run(x[:, CYCLE]) == 2 * x[:, CYCLE]).all() and len(let_through) == 5
    assert (run(x[:, SWAP]) == 3 * x[:, SWAP]).all() and len(let_through) == 5        # with it, every order could be made
    assert (run(x[:, REVERSAL]) == 2 * x[:, REVERSAL]).all() and len(let_through) == 10
    assert (run(x[:, SWAP]) == 3 * x[:, SWAP]).all() and (run(x) == 2 * x).all()
    longer, twice = np.random.default_rng(7).normal(size=(1, 60, 6)), x[:, [0, 0, 1, 2, 3]]
    assert (run(longer) == 2 * longer).all() and (run(longer[:, ::-1]) == 3 * longer[:, ::-1]).all()
    assert (run(twice) == 2 * twice).all() and (run(twice[:, CYCLE]) == 2 * twice[:, CYCLE]).all()


@pytest.mark.parametrize("weak", [
    lambda layer, x: not np.allclose(np.sort(layer(x[:, CYCLE]), axis=1), np.sort(layer(x), axis=1)),
    lambda layer, x: any(not np.allclose(layer(x[:, o])[:, -1], layer(x)[:, o][:, -1]) for o in (SWAP, CYCLE)),
    lambda layer, x: not np.allclose(layer(x[:, [2, 1, 3, 0, 4]])[:, -1], layer(x)[:, -1]),
    lambda layer, x: any(not np.allclose(layer(x[:, o]), layer(x)[:, o], atol=0.5) for o in (SWAP, CYCLE)),
    lambda layer, x: any(spots(layer, x, o) for o in (SWAP, CYCLE)),
    lambda layer, x: sees_order_by_two_orders(layer, np.random.default_rng(0).normal(size=(2, 5, 6))),
    lambda layer, x: sees_order_by_two_orders(layer, x[:1]),
    lambda layer, x: sees_order_by_two_orders(lambda y: layer(y)[:1], x),
    lambda layer, x: sees_order_by_two_orders(lambda y: layer(y)[..., :1], x),
    lambda layer, x: sees_order_by_two_orders(lambda y: layer(y).mean(axis=2), x),
    lambda layer, x: "each position" in layer.name,
    lambda layer, x: any(word in repr(layer) for word in ("position", "mask", "added", "last", "ring")),
], ids=["sorted values", "the last row, two orders", "the last row, kept", "too much room", "orders of five words",
        "an x of its own", "sentence 0 alone", "sentence 0 alone compared", "feature 0 alone", "the mean over features", "the name", "the repr"])
def test_a_weak_test_for_order_is_turned_down(weak):
    assert checks.check_sees_order(weak).state == "wrong"


def test_behind_a_mask_no_row_of_one_layer_sees_the_order_of_the_words_before_it():
    """claim 1.5: not the last row alone; in a second layer the rows from the third on do"""
    masked = next(layer for layer in checks.layers() if "causal" in layer.name)
    x = np.random.default_rng(8).normal(size=(1, 6, 6))
    for row in range(1, 6):
        moved = np.r_[np.roll(np.arange(row), 1), row:6]
        assert np.allclose(masked(x[:, moved])[:, row], masked(x)[:, row])
        assert np.allclose(masked(masked(x[:, moved]))[:, row], masked(masked(x))[:, row]) == (row == 1)
