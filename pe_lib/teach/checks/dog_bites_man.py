"""The checks of chapter 1: one query's output, reordered scores, an invisible position, a test for order."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pe_lib.attention import attention, causal_mask
from pe_lib.teach.checks.compare import COARSE
from pe_lib.teach.checks.exercise import End, draws, exercise


def attend_one_by_loop(q_i, k, v):
    """The specification, one number at a time: (d_head,), (n_key, d_head), (n_key, d_value) -> (d_value,)."""
    powers = [np.exp(sum(a * b for a, b in zip(q_i, k_j)) / len(q_i) ** 0.5) for k_j in k]
    output = np.zeros(v.shape[1])
    for power, v_j in zip(powers, v):
        output += power / sum(powers) * v_j
    return output


def _shares(scores):
    return np.exp(scores) / np.exp(scores).sum()


CLASSIC_OUTPUTS = {
    "The scores themselves were used as shares. The softmax takes their exponentials first, so that no share is negative.":
        lambda q_i, k, v: (k @ q_i / (k @ q_i).sum()) @ v,
    "These are the outputs without the division by √d_head.": lambda q_i, k, v: _shares(k @ q_i) @ v,
    "The scores are divided by d_head and not by its square root.": lambda q_i, k, v: _shares(k @ q_i / len(q_i)) @ v,
    "The scores are divided by √n_key, the number of keys. What counts is the number of coordinates, d_head.":
        lambda q_i, k, v: _shares(k @ q_i / len(k) ** 0.5) @ v,
    "The scores are divided by 2. That was √4 in the lesson; here d_head is another.": lambda q_i, k, v: _shares(k @ q_i / 2) @ v,
    "This is the plain mean of the values. Where does the query come in?": lambda q_i, k, v: v.mean(axis=0),
    "This is the value of the best key alone. The softmax gives every key a share.": lambda q_i, k, v: v[np.argmax(k @ q_i)],
}


@exercise("1.1", praise="Your function never asks which query this is, nor where a key stands. That is the point of the whole chapter.")
def check_attend_one(attempt):
    """q_i (d_head,), k (n_key, d_head), v (n_key, d_value) -> (d_value,)."""
    ((q_i, k, v),) = draws((9,), (5, 9), (5, 3), times=1)
    output = attempt(q_i, k, v)
    attempt.holds("the output has one entry for each column of v: shape (3,)", output.shape == (3,), found=f"its shape is {output.shape}.",
                  hint="You have mixed the keys. It is the values that are handed over." if output.shape == (9,) else "")
    attempt.holds("the output has the precision of its inputs, or at least single precision", output.dtype != np.float16,
                  found="it is float16.", hint=COARSE)
    alike = attempt(q_i, k, np.tile(v[0], (5, 1)))
    attempt.matches("values that are all alike come out as they are, since the shares sum to 1",
                    alike, v[0], hint=_hint_for_shares(alike, v[0], output, (q_i, k, v)))
    moved = [3, 0, 4, 1, 2]
    attempt.matches("reordering the keys, and their values with them, changes nothing", attempt(q_i, k[moved], v[moved]), output,
                    hint="Does the position of a key in the list matter in your code?")
    attempt.agrees("the output equals the loop", attend_one_by_loop, [(q_i, k, v), *draws((16,), (7, 16), (7, 16)), *draws((4,), (1, 4), (1, 2))],
                   hint="Print the scores first: they should be q_i · k_j / √d_head.", classics=CLASSIC_OUTPUTS)


def _hint_for_shares(alike, wanted, output, inputs):
    if np.allclose(alike, wanted, atol=5e-3):
        return COARSE
    q_i, k, v = inputs
    if any(np.allclose(output, k @ q_i / root @ v) for root in (1, len(q_i) ** 0.5)):
        return "There is no softmax in it: these are the scores times the values. Turn the scores into shares first."
    return "Divide the exponentials by their sum."


def reorder_by_loop(scores, order):
    """The specification: entry (r, c) belongs to the old words order[r] and order[c]."""
    return np.array([[scores[r, c] for c in order] for r in order]).reshape(scores.shape)


CLASSIC_REORDERINGS = {
    "Only the rows have moved, the queries. The keys have been reordered as well.": lambda s, order: s[order],
    "Only the columns have moved, the keys. The queries have been reordered as well.": lambda s, order: s[:, order],
    "This is Pᵀ S P, which belongs to the inverse order.":
        lambda s, order: s[np.argsort(order)][:, np.argsort(order)],
    "Rows and columns were moved in opposite directions, P S P. The transpose belongs on the right.":
        lambda s, order: s[order][:, np.argsort(order)],
    "Rows and columns are exchanged, so queries have become keys. Is there one .T too many?": lambda s, order: s.T[order][:, order],
    "These are the entries (order[r], order[r]) alone: s[order, order] walks along pairs. Index rows first, columns second.":
        lambda s, order: s[order, order],
    "Nothing has moved.": lambda s, order: s,
}
MOVED_TWICE = {         # after a swap these look as if nothing had moved
    "The rows have moved twice, and the columns not at all: the second [order] belongs to the columns, [:, order].":
        lambda s, order: s[order][order],
    "The columns have moved twice, and the rows not at all: one of the two belongs to the rows.":
        lambda s, order: s[:, order][:, order],
}


@exercise("1.2", praise="An order-aware score would need more than this: its numbers would change, not only their addresses.")
def check_reorder_scores(attempt):
    """scores (n, n), order (n,) -> the scores of the reordered sentence."""
    scores, cycle = np.arange(9.0).reshape(3, 3), np.array([1, 2, 0])
    attempt.agrees("the order 0, 1, 2 changes nothing", reorder_by_loop, [(scores, np.arange(3))], classics=CLASSIC_REORDERINGS)
    moved = attempt(scores, cycle)                             # a cycle tells two moves from none, a swap does not
    twice = {hint: wrong for hint, wrong in MOVED_TWICE.items() if np.array_equal(moved, wrong(scores, cycle))}
    attempt.agrees("a swap moves rows and columns", reorder_by_loop, [(scores, np.array([0, 2, 1]))],
                   hint="Write the words of both sentences beside the tables.", classics=twice | CLASSIC_REORDERINGS)
    attempt.agrees("a cycle moves rows and columns", reorder_by_loop, [(scores, cycle)],
                   hint="Write the words of both sentences beside the tables.", classics=CLASSIC_REORDERINGS)
    rng = np.random.default_rng(1)
    longer = [(rng.normal(size=(n, n)), rng.permutation(n)) for n in (1, 6, 20)]
    attempt.agrees("it holds for sentences of any length", reorder_by_loop, longer, hint="Is a length of 3 fixed in your code?")


@exercise("1.3", praise="In 12 coordinates this head leaves at least 3 such directions unseen. Another head may well see them.")
def check_invisible(attempt):
    """w_q, w_k, w_v, each (d, d_head) -> p (d,), of length 1, that all three send to zero."""
    for rows, columns, seed in ((12, 3, 0), (8, 2, 1), (4, 1, 2)):
        matrices = np.random.default_rng(seed).normal(size=(3, rows, columns))
        p = attempt(*matrices)
        attempt.holds(f"p has one entry for each row of w_q, since it is added to x: shape ({rows},)", p.shape == (rows,),
                      found=f"its shape is {p.shape}.", hint=_hint_for_shape(p.shape, rows, columns))
        attempt.holds("p is not the zero vector", not np.linalg.norm(p) <= 1e-6, found="all its entries are 0.",
                      hint="The zero vector is invisible, but it marks no position. The length should be 1.")
        for name, w in zip(("w_q", "w_k", "w_v"), matrices):
            attempt.matches(f"p @ {name} is 0", p @ w, np.zeros(columns), hint=_hint_for_seen(name, p, np.hstack(matrices)))
        attempt.matches("p has length 1", np.linalg.norm(p), 1.0, hint="Divide it by its length.")


def _hint_for_shape(shape, rows, columns):
    if shape == (3 * columns,):
        return "That is a direction among the columns of the stack (a row of vt). You need one among its rows: a column of u."
    return "One vector is wanted, not a set of them." if len(shape) == 2 and rows in shape else ""


def _hint_for_seen(name, p, stack):
    if np.allclose(stack @ np.linalg.pinv(stack) @ p, p):
        return ("This p is a mixture of the columns of the stack, and those directions are just what the head sees. The invisible "
                "ones are left over; np.linalg.svd with full_matrices=False leaves them out.")
    return {"w_q": "This p still changes the query. One p must solve p @ w_q = 0, p @ w_k = 0 and p @ w_v = 0 at once: can you write "
                   "the three as one?",
            "w_k": "The query does not see it, but the key does. One p must vanish under all three at once: stack the matrices.",
            "w_v": "Query and key do not see it, but the value does, and carries it to the output."}[name]


@dataclass(frozen=True)
class Layer:
    """A layer and the truth about it; the learner's test gets a :class:`Sealed` one."""

    name: str
    run: Callable           # (batch, tokens, d) -> the same shape
    sees_order: bool
    hint: str

    def __call__(self, x):
        return self.run(x)


class Sealed:
    """A layer that can be run and says nothing else about itself."""

    __slots__ = ("_run", "_number")

    def __init__(self, run, number):
        self._run, self._number = run, number

    def __call__(self, x):
        return self._run(x)

    def __repr__(self):
        return f"layer {self._number}"


def layers():
    """Twelve layers that stay what they are: plain ones, then those that get past a poor choice of orders or a partial comparison."""
    rng = np.random.default_rng(3)
    w, table = rng.normal(size=(3, 6, 6)) / 2, rng.normal(size=(20, 6))

    def head(x, bias=0.0):
        return attention(x @ w[0], x @ w[1], x @ w[2], bias)[0]

    def near(x):
        places = np.arange(x.shape[1])
        return head(x, -np.abs(places - places[:, None]))

    def rounded(x):         # on top of what a sum in another order does: an error that no machine can round away
        return head(x) * (1 + 1e-12 * np.arange(x.shape[1])[:, None])

    def third(x):
        return x + table[0] * (np.arange(x.shape[1]) == 2)[:, None]

    def last_two(x):        # what one feature gains the other loses, so that no mean over features shows it
        return x + table[:x.shape[1], :1] * np.array([0, 0, 0, 0, -1, 1])

    def last_sentence(x):
        return x + table[:x.shape[1]] * (np.arange(len(x)) == len(x) - 1)[:, None, None]

    return [
        Layer("each word alone", lambda x: 2 * x + 1, False, "Reordered words give reordered outputs here, so this layer sees "
              "no order. Reorder the outputs as well before you compare."),
        Layer("attention", rounded, False, "The two differ by a millionth of a millionth: sums in another order. Compare with "
              "np.allclose, not with ==."),
        Layer("attention, a vector for each sentence", lambda x: head(x + table[:x.shape[0], None]), False,
              "Did you reorder the sentences, axis 0? The words of a sentence are axis 1."),
        Layer("attention, a vector for each position", lambda x: head(x + table[:x.shape[1]]), True,
              "Does your order differ from 0, 1, 2, …, and are outputs compared word by word?"),
        Layer("attention, causal mask", lambda x: head(x, causal_mask(x.shape[1])), True,
              "In a single layer the last row's output ignores the order of the earlier words. Compare the other rows too."),
        Layer("attention, −|j − i| added to the scores", near, True, "A reversal keeps every distance, and this layer sees "
              "nothing else. Take an order that changes who is next to whom."),
        Layer("the last word's vector first, the first word's last", lambda x: x[:, ::-1], True, "The vectors are the same, but "
              "other words have them. Means and sorted numbers do not notice, nor does a reversal: compare word by word."),
        Layer("each word plus its left neighbour, in a ring", lambda x: x + np.roll(x, 1, axis=1), True, "A cycle moves all words "
              "round the ring, so that each keeps its neighbour. Try a swap of two words as well, and compare all rows."),
        Layer("a vector for the third position alone", third, True, "A swap of other words does not touch the third position. Try a "
              "cycle as well, which moves every word, and compare all rows."),
        Layer("a small vector for each position", lambda x: x + 1e-3 * table[:x.shape[1]], True, "These vectors are of the size "
              "of a thousandth, and rounding is a billion times smaller. Your comparison leaves too much room."),
        Layer("a vector for each position, in the last two features", last_two, True, "Only the last two features change, by "
              "opposite amounts. Compare each feature, not one of them or their mean."),
        Layer("a vector for each position, in the last sentence", last_sentence, True, "Only the last sentence of the batch "
              "changes. Compare all sentences."),
    ]


def watching_layer(words):
    """A layer that sees order and lets a test through until its orders, chained, make every order there is.

    It doubles what it is given in the first order that it meets, and in every order made of those that came since; it
    triples the rest. One order never makes all of them if there are three words or more.
    words, the number of words in a sentence -> the layer, and the orders that it has let through (they grow as it is run)
    """
    let_through, first = {tuple(range(words))}, {}

    def factor(sentence):
        rows = [row.tobytes() for row in sentence]
        rows = [(row, rows[:place].count(row)) for place, row in enumerate(rows)]      # a repeated word, told apart
        known = first.setdefault(tuple(sorted(rows)), rows)    # the same words as before, in whatever order
        order = tuple(known.index(row) for row in rows)
        if len(rows) == words and len(made := chains(let_through | {order})) < math.factorial(words):
            let_through.update(made)
        return 2 if order in let_through or rows == known else 3

    return lambda x: x * np.array([factor(sentence) for sentence in x])[:, None, None], let_through


def chains(orders):
    """All orders that come of carrying out some of these, one after the other, as often as you like."""
    made, fresh = set(), set(orders)
    while fresh:
        made |= fresh
        fresh = {tuple(first[i] for i in then) for first in fresh for then in orders} - made
    return made


@exercise("1.4", praise="With this one assert among the author's tests, the vector for each sentence would not have passed.")
def check_sees_order(attempt):
    """layer, x (batch, tokens, d) -> True or False, for twelve fixed layers and one that watches which orders are tried."""
    short, long = (np.random.default_rng(4).normal(size=size) for size in ((2, 5, 6), (3, 7, 6)))
    for number, layer in enumerate(layers(), start=1):
        answer = _ask(attempt, layer.run, number, short)
        attempt.holds(f"layer {number}, “{layer.name}”, is found {'to see' if layer.sees_order else 'not to see'} order",
                      answer is layer.sees_order, found=f"your test says {answer}.", hint=layer.hint)
    run, let_through = watching_layer(words=5)
    answer = _ask(attempt, run, 13, short)
    attempt.holds("layer 13, “a layer that watches which orders you try”, is found to see order", answer is True,
                  found=f"your test says {answer}.", hint="This layer lets through the orders that you try, and whatever they "
                  f"make when they are chained: {len(let_through)} of the 120 orders. It treats the others differently. So take "
                  "orders that make all 120.")
    for number, layer in enumerate(layers(), start=1):
        answer = _ask(attempt, layer.run, number, long)
        attempt.holds(f"layer {number} is found {'to see' if layer.sees_order else 'not to see'} order in sentences of seven words too",
                      answer is layer.sees_order, found=f"your test says {answer}.", hint="Is a number of words or of sentences "
                      "fixed in your code?")


def _ask(attempt, run, number, x):
    """The learner's verdict on one layer, given x."""
    shapes = []

    def noted(given):
        shapes.append(np.shape(given))
        return run(given)

    try:
        answer = attempt(Sealed(noted, number), x)
    except End as end:
        if "IndexError" not in end.text:
            raise
        raise End(end.state, f"{end.text} Did you reorder the sentences, axis 0? The words of a sentence are axis 1.", **end.parts)
    attempt.holds("the answer is one True or False", answer.shape == (), hint="np.allclose looks at all entries at once.",
                  found=f"for layer {number} its shape is {answer.shape}.")
    other = next((shape for shape in shapes if shape[1:2] != x.shape[1:2]), None)
    attempt.holds(f"sentences of {x.shape[1]} words keep {x.shape[1]} words when they are reordered", not other,
                  found=f"layer {number} was run on shape {other}.",
                  hint="An order needs one entry for each word, so make it from x.shape[1].")
    attempt.holds("each layer is run on all sentences of x together", x.shape in shapes,
                  found=f"layer {number} was never run on shape {x.shape}.", hint="Run it on x and on the reordered x.")
    return bool(answer)
