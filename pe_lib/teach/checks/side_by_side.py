"""The checks of chapter 11: which scheme is in the box, scores with decoupled rotary keys, a key that suits best when it is far away."""

import numpy as np

from pe_lib.attention import attention_scores
from pe_lib.biases import alibi_bias, bucket_bias, table_bias
from pe_lib.frequencies import inverse_frequencies
from pe_lib.rotary import pair_contributions, rotate
from pe_lib.schemes import Scheme, learned, sinusoidal
from pe_lib.teach.checks.compare import name_kind
from pe_lib.teach.checks.exercise import exercise

NONE, ADDED, BIAS, ROTATED = range(4)
ANSWERS = ("0, none", "1, added", "2, a bias", "3, rotated")


class Box:
    """A head of attention that hides its scheme: score(q, k, query, key), of two vectors of 4 features at two positions."""

    def __init__(self, scheme, seed):
        self.scheme = scheme
        self.w_q, self.w_k = np.random.default_rng(seed).normal(size=(2, 4, 4))
        self.__name__ = "score"

    def __call__(self, q, k, query, key):
        q, k = (np.asarray(x, dtype=float)[None] for x in (q, k))
        q = (q + self.scheme.vectors([query], 4)) @ self.w_q
        k = (k + self.scheme.vectors([key], 4)) @ self.w_k
        low = min(query, key)
        bias = np.broadcast_to(self.scheme.bias(abs(key - query) + 1, abs(key - query) + 1), 2 * (abs(key - query) + 1,))
        rotated = rotate(q, [query], self.scheme.inv_freq) @ rotate(k, [key], self.scheme.inv_freq).T
        return float(rotated[0, 0] / 2 + bias[query - low, key - low])


def _bias(make, *options, **named):
    return Scheme(bias=lambda n_query, n_key: make(n_query, n_key, *options, **named))


ROWS = np.random.default_rng(5).normal(size=(200, 4))
BOXES = [                                                 # (what is in it, its number, what tells it from the others)
    ("nothing", NONE, Box(Scheme(), 0)),
    ("sinusoids", ADDED, Box(sinusoidal(), 1)),
    ("ALiBi", BIAS, Box(_bias(alibi_bias, 0.25), 2)),
    ("a rotation", ROTATED, Box(Scheme(inv_freq=inverse_frequencies(4)), 3)),
    ("a learned table of vectors", ADDED, Box(learned(ROWS), 4)),
    ("T5's buckets", BIAS, Box(_bias(bucket_bias, [0.0, 2.0, 1.0, -1.0, 0.0, 1.0, -2.0, 0.5], 8, causal=False), 5)),
    ("a number for the token before, and no other", BIAS, Box(_bias(table_bias, [0.0, 2.0, 0.0, 0.0, 0.0]), 6)),
    ("a rotation by half a turn a token", ROTATED, Box(Scheme(inv_freq=np.array([np.pi, np.pi / 2])), 7)),
    ("a rotation of one pair of two", ROTATED, Box(Scheme(inv_freq=np.array([0.3])), 8)),
]
HINTS = {
    (ROTATED, ADDED): "A rotated score is the same after a shift to rounding only: compare with np.isclose, not with ==.",
    (BIAS, ADDED): "A bias stays when both positions move on together: shift them, and compare with np.isclose.",
    (ADDED, BIAS): "It answers to vectors of zeros, which a bias does too. But does it give the same after a shift of both positions?",
    (ADDED, ROTATED): "Both depend on the positions. But a rotated score stays when both positions move on together.",
    (BIAS, ROTATED): "Give it vectors of zeros: what is rotated is then 0 at every offset, and a bias is still there.",
    (ROTATED, BIAS): "Give it vectors of zeros: a rotation leaves them 0, so nothing is left. A bias would still be there.",
    (BIAS, NONE): "Its bias is 0 at the offsets that you tried. Try several, on both sides.",
    (ROTATED, NONE): "At the offsets that you tried it happens to give the same. Try several, and vectors with all four features.",
    (ADDED, NONE): "Its score does depend on the positions. Which ones did you compare?",
}


@exercise("11.1", praise="Three experiments tell the mechanisms apart: a shift of both positions, vectors of zeros, another offset. They work on any head you can call.")
def check_which_scheme(attempt):
    """score, a function of (q, k, query, key) -> 0 none, 1 added, 2 bias, 3 rotated."""
    for name, right, box in BOXES:
        answer = attempt(box)
        attempt.holds("the answer is 0, 1, 2 or 3", answer.shape == () and answer in range(4),
                      found=f"yours was {answer if answer.shape == () else name_kind(answer)}.")
        hint = HINTS.get((right, int(answer)), "With no positions in it, no score changes when a position does, not even by rounding.")
        attempt.holds(f"the box with {name} is recognised", int(answer) == right, hint=hint,
                      found=f"your function said {ANSWERS[int(answer)]}.")


def decoupled_by_loop(q, k, q_rotary, k_rotary, positions, inv_freq):
    """The specification, one pair of tokens after the other: a content part as it is, a rotary part whose key all heads share."""
    heads, n, d = q.shape
    scores = np.zeros((heads, n, n))
    for head, i, j in np.ndindex(heads, n, n):
        position = pair_contributions(q_rotary[head, i], k_rotary[j], positions[j] - positions[i], inv_freq).sum()
        scores[head, i, j] = (q[head, i] @ k[head, j] + position) / (d + q_rotary.shape[-1]) ** 0.5
    return scores


def _parts(q, k, q_rotary, k_rotary, positions, inv_freq):
    turned = rotate(q_rotary, positions, inv_freq) @ rotate(k_rotary, positions, inv_freq).T
    return q @ k.swapaxes(-1, -2), turned, q.shape[-1], q_rotary.shape[-1]


CLASSIC_DECOUPLED = {
    "Divide by the root of *all* features that were multiplied, d + r: the head is as wide as both parts together.":
        lambda *inputs: (lambda content, turned, d, r: (content + turned) / d**0.5)(*_parts(*inputs)),
    "Each part is divided by the root of its own width. They are one dot product of d + r features, cut in two: one root for both.":
        lambda *inputs: (lambda content, turned, d, r: content / d**0.5 + turned / r**0.5)(*_parts(*inputs)),
    "The sum is not divided at all.": lambda *inputs: (lambda content, turned, d, r: content + turned)(*_parts(*inputs)),
    "The rotary part is not rotated, so no position enters.":
        lambda q, k, q_rotary, k_rotary, *_: (q @ k.swapaxes(-1, -2) + q_rotary @ k_rotary.T) / (q.shape[-1] + q_rotary.shape[-1]) ** 0.5,
    "Only the queries are rotated. Then the score depends on where the query is, and not on the offset.":
        lambda q, k, q_rotary, k_rotary, positions, inv_freq:
            (q @ k.swapaxes(-1, -2) + rotate(q_rotary, positions, inv_freq) @ k_rotary.T) / (q.shape[-1] + q_rotary.shape[-1]) ** 0.5,
    "Queries and keys are rotated in opposite directions: the score depends on the sum of the positions, not on their difference.":
        lambda q, k, q_rotary, k_rotary, positions, inv_freq:
            (q @ k.swapaxes(-1, -2) + rotate(q_rotary, positions, inv_freq) @ rotate(k_rotary, -positions, inv_freq).T)
            / (q.shape[-1] + q_rotary.shape[-1]) ** 0.5,
    "The content part is missing: this is a rotary head of r features alone.":
        lambda *inputs: (lambda content, turned, d, r: turned / (d + r) ** 0.5)(*_parts(*inputs)),
    "The positions are counted from 0 in your code. Use those that are given: a window of a text does not begin at 0.":
        lambda q, k, q_rotary, k_rotary, positions, inv_freq:
            (lambda content, turned, d, r: (content + turned) / (d + r) ** 0.5)(*_parts(q, k, q_rotary, k_rotary, np.arange(len(positions)), inv_freq)),
}


def decoupled_case(seed, heads, n, d, r, positions=None):
    rng = np.random.default_rng(seed)
    shapes = (heads, n, d), (heads, n, d), (heads, n, r), (n, r)
    return (*(rng.normal(size=shape) for shape in shapes), np.arange(n) if positions is None else np.array(positions), inverse_frequencies(r))


@exercise("11.2", praise="A cache then holds one rotated key of r features for all heads together, beside what the content keys are made from.")
def check_decoupled_scores(attempt):
    """q, k (heads, n, d), q_rotary (heads, n, r), k_rotary (n, r), positions (n,), inv_freq (r/2,) -> (heads, n, n)."""
    first = decoupled_case(0, 2, 4, 6, 4, [3, 5, 6, 11])
    attempt(*first, shape=(2, 4, 4))
    attempt.agrees("content and rotary part make one score", decoupled_by_loop, [first], classics=CLASSIC_DECOUPLED,
                   hint="Add q kᵀ to the product of the rotated parts, and divide the sum by the root of d + r.")
    moved = (*first[:4], first[4] + 1000, first[5])
    attempt.matches("a shift of all positions changes nothing", attempt(*moved, shape=(2, 4, 4)), decoupled_by_loop(*first),
                    hint="Both sides have to be rotated by their own positions.")
    attempt.agrees("other sizes work as well", decoupled_by_loop, [decoupled_case(1, 3, 5, 8, 2), decoupled_case(2, 1, 3, 2, 8), decoupled_case(3, 4, 4, 4, 4)],
                   hint="Is a width or a number of heads fixed in your code?")


@exercise("11.3", praise="So a rotation does not make far tokens weak. It lets each head choose, by its contents, which offset suits it best.")
def check_best_when_far(attempt):
    """distance, inv_freq (pairs,) -> q, k, each (2 * pairs,)."""
    for distance, pairs in ((7, 8), (100, 32), (1000, 32)):
        inv_freq = inverse_frequencies(2 * pairs)
        found = attempt.raw(distance, inv_freq)
        attempt.holds("the answer is two vectors, q and k", isinstance(found, tuple) and len(found) == 2
                      and all(part.shape == (2 * pairs,) for part in found), hint=f"Return q, k, each of {2 * pairs} features.")
        q, k = found
        attempt.holds("neither vector is zero", bool(abs(q).max() > 1e-9 and abs(k).max() > 1e-9), hint="Vectors of zeros score 0 everywhere.")
        scores = pair_contributions(q, k, np.arange(0, -2 * distance - 1, -1), inv_freq).sum(axis=-1)
        others = np.delete(scores, distance)
        hint = "Which rotation does the key undergo on its way from the query's position to one that is `distance` tokens back? Undo it beforehand."
        if np.allclose(q, k):
            hint = "The same vector twice suits best at offset 0. Turn one of the two beforehand, by as much as the offset will turn it back."
        elif int(pair_contributions(q, k, np.arange(-2 * distance, 2 * distance + 1), inv_freq).sum(axis=-1).argmax()) == 3 * distance:
            hint = "This key suits best when it is ahead of the query. relative = key − query is negative for a key that lies back."
        attempt.holds(f"the score is largest when the key is exactly {distance} tokens back", bool(scores[distance] > others.max() + 1e-6), hint=hint,
                      found=f"it is {scores[distance]:.3f} there, and up to {others.max():.3f} at another offset between 0 and −{2 * distance}.")
