"""The checks of chapter 3: split scores into four terms, a query matrix that looks back, a matrix that reads the place."""

import numpy as np

from pe_lib.checks.exercise import draws, exercise
from pe_lib.frequencies import inverse_frequencies
from pe_lib.sinusoidal import offset_matrix, sinusoidal_encoding


def split_scores_by_loop(x, positional, w_q, w_k):
    """The specification, one score at a time: four arrays (n, n), the query's part first, divided by the root of d_head."""
    tables = np.zeros((4, len(x), len(x)))
    for i, j in np.ndindex(len(x), len(x)):
        queries, keys = (x[i] @ w_q, positional[i] @ w_q), (x[j] @ w_k, positional[j] @ w_k)
        tables[:, i, j] = [sum(a * b for a, b in zip(q, k)) / w_q.shape[1] ** 0.5 for q in queries for k in keys]
    return tuple(tables)


def _changed(change):
    """The classic wrong function that makes something else of the four right tables."""
    return lambda x, positional, w_q, w_k: tuple(change(*split_scores_by_loop(x, positional, w_q, w_k), w_q))


CLASSIC_SPLITS = {
    "These are the terms before the division by √d_head.": _changed(lambda a, b, c, d, w: (t * w.shape[1] ** 0.5 for t in (a, b, c, d))),
    "Divided by √d, the width of the words. The score is divided by the root of the head's width, d_head.":
        _changed(lambda a, b, c, d, w: (t * (w.shape[1] / w.shape[0]) ** 0.5 for t in (a, b, c, d))),
    "Divided by d_head; its root is meant.": _changed(lambda a, b, c, d, w: (t / w.shape[1] ** 0.5 for t in (a, b, c, d))),
    "Only content–content is divided by √d_head. The root stands outside the sum and belongs to all four.":
        _changed(lambda a, b, c, d, w: (a, *(t * w.shape[1] ** 0.5 for t in (b, c, d)))),
    "The two mixed terms have changed places. The query's part is named first: content–position is a word's query with a place's key.":
        _changed(lambda a, b, c, d, w: (a, c, b, d)),
    "All four are transposed: queries go down, keys go across.": _changed(lambda a, b, c, d, w: (a.T, b.T, c.T, d.T)),
    "The mixed terms are not the same: 2ab holds for a square, and here query and key have matrices of their own.":
        _changed(lambda a, b, c, d, w: (a, b, b, d)),
    "One mixed term is the transpose of the other only if W_Q and W_K are equal.": _changed(lambda a, b, c, d, w: (a, b, b.T, d)),
    "The mixed terms are missing: a sum times a sum has four products.": _changed(lambda a, b, c, d, w: (a, 0 * b, 0 * c, d)),
    "Position–position has not been projected. The place is added before W_Q and W_K, so it goes through them as well.":
        lambda x, p, w_q, w_k: (*split_scores_by_loop(x, p, w_q, w_k)[:3], p @ p.T / w_q.shape[1] ** 0.5),
}


@exercise("3.1", praise="The same lines split any sum: three parts, as after layer normalisation, make nine terms.")
def check_split_scores(attempt):
    """x, positional (n, d), w_q, w_k (d, d_head) -> four arrays (n, n)."""
    case = draws((5, 6), (5, 6), (6, 3), (6, 3), times=1)[0]
    got = attempt.raw(*case)
    attempt.holds("the result is a tuple of four arrays of shape (5, 5), a row a query and a column a key",
                  isinstance(got, tuple) and [part.shape for part in got] == 4 * [(5, 5)],
                  found=f"it is {_kind(got)}.", hint="return a, b, c, d hands over a tuple.")
    attempt.agrees("each term equals the loop (parts 0 to 3 in the order asked for)", split_scores_by_loop,
                   [case, *draws((4, 8), (4, 8), (8, 2), (8, 2), times=2, seed=1)], classics=CLASSIC_SPLITS,
                   hint="Set x to zero, then positional, and see which of your terms is left.")


def look_back_by_solving(k, w_k):
    """The specification: W_Q W_K^T = M_k, solved for W_Q."""
    return np.linalg.solve(w_k, offset_matrix(k, inverse_frequencies(len(w_k))).T).T


def _made(k, w_k):
    return offset_matrix(k, inverse_frequencies(len(w_k)))


def _halves(k, w_k):
    turn = k * inverse_frequencies(len(w_k))
    cos, sin = np.diag(np.cos(turn)), np.diag(np.sin(turn))
    return np.block([[cos, sin], [-sin, cos]])


CLASSIC_QUERIES = {
    "This head looks k places *ahead*: as rows, PE(i) @ M_k goes back, and PE(i) @ M_k.T goes on.":
        lambda k, w_k: _made(-k, w_k) @ np.linalg.inv(w_k.T),
    "It looks one place too far back.": lambda k, w_k: _made(k + 1, w_k) @ np.linalg.inv(w_k.T),
    "It looks one place too few back.": lambda k, w_k: _made(k - 1, w_k) @ np.linalg.inv(w_k.T),
    "This looks one place back, whatever k is.": lambda k, w_k: _made(1, w_k) @ np.linalg.inv(w_k.T),
    "These blocks fit all sines first, then all cosines. Here a pair stands side by side: sin, cos, sin, cos.":
        lambda k, w_k: _halves(k, w_k) @ np.linalg.inv(w_k.T),
    "This moves rows of a matrix, np.eye(d, k=…) say: features, not places.": lambda k, w_k: np.eye(len(w_k), k=k) @ np.linalg.inv(w_k.T),
    "Right if W_K is the identity. What does another W_K do to the keys?": _made,
    "W_K is undone, but untransposed. The score holds W_Q W_Kᵀ.": lambda k, w_k: _made(k, w_k) @ np.linalg.inv(w_k),
    "W_Kᵀ is undone on the wrong side: W_Q W_Kᵀ = M_k has it on the right.": lambda k, w_k: np.linalg.inv(w_k.T) @ _made(k, w_k),
    "You multiply by W_K. That undoes W_Kᵀ only if W_K turns and does not stretch.": lambda k, w_k: _made(k, w_k) @ w_k,
}


@exercise("3.2", praise="Only the product W_Q W_Kᵀ counts: infinitely many pairs of matrices are the same head.")
def check_look_back_query(attempt):
    """k, w_k (d, d) -> w_q (d, d)."""
    identity, general = np.eye(8), np.random.default_rng(7).normal(size=(8, 8)) + 2 * np.eye(8)

    def scores(w_q, w_k):
        places = sinusoidal_encoding(np.arange(12), len(w_k))
        return (places @ w_q) @ (places @ w_k).T

    def holds(property_, k, w_k):
        w_q = attempt(k, w_k, shape=w_k.shape)
        known = (hint for hint, wrong in CLASSIC_QUERIES.items() if np.allclose(w_q, wrong(k, w_k), rtol=1e-5, atol=1e-5))
        attempt.matches(property_, scores(w_q, w_k), scores(look_back_by_solving(k, w_k), w_k), tolerance=1e-4,
                        hint=next(known, "Write the score as PE(i) W_Q W_Kᵀ PE(j)ᵀ. What must stand in the middle?"))

    holds("with W_K = I and k = 3 the query at place i is PE(i − 3) (scores of places 0 to 11)", 3, identity)
    holds("it works for other k, here −2", -2, identity)
    turned = np.linalg.qr(general)[0]
    holds("it works for a W_K that turns the keys", 1, turned)
    holds("it works for any invertible W_K", 2, general)
    holds("it works for any width, here 4", 5, general[:4, :4])


# hint -> what the mistake makes of a word and a place, told from their sum: (words, places, sums) -> (v, n, d)
CLASSIC_READINGS = {
    "This reads the word. What should become of a word that is added to a place?": lambda w, p, sums: w[:, None] + 0 * p,
    "Nothing has been taken away: words are kept as well as places.": lambda w, p, sums: sums,
    "This is the shadow on the places' span. Words are not at right angles to it, so they cast a shadow, too.":
        lambda w, p, sums: sums @ np.linalg.pinv(p) @ p,
    "This removes the words' span at right angles, and with it a part of each place.": lambda w, p, sums: sums - sums @ np.linalg.pinv(w) @ w,
    "It knows the pairs (word 0, place 0), (word 1, place 1), … and no other. Every word can stand at every place.":
        lambda w, p, sums: sums @ np.linalg.lstsq(w[:len(p)] + p, p, rcond=None)[0],
    "This is the transpose of a right answer: it fits sums written as columns.": lambda w, p, sums: sums @ _reader(w, p).T,
}


def _reader(words, places):
    return np.linalg.lstsq(np.vstack([words, places]), np.vstack([0 * words, places]), rcond=None)[0]


@exercise("3.3", praise="Put it in front of W_Q and W_K, and three of the four terms are zero: that is a head which ignores what it reads.")
def check_place_reader(attempt):
    """words (v, d), places (n, d) -> D (d, d)."""
    for v, n, d, seed in ((5, 4, 12, 0), (10, 6, 16, 1), (7, 5, 30, 2)):
        words = np.random.default_rng(seed).normal(size=(v, d))
        places = sinusoidal_encoding(np.arange(n), d, base=10.0)
        reader = attempt(words, places, shape=(d, d))
        sums = words[:, None] + places
        read = sums @ reader
        known = (hint for hint, wrong in CLASSIC_READINGS.items() if np.allclose(read, wrong(words, places, sums), rtol=1e-4, atol=1e-4))
        hint = next(known, "Send every word to 0 and every place to itself; then every sum goes to its place.")
        attempt.matches(f"word 0 at place 0 is read as place 0 ({v} words, {n} places, width {d})", read[0, 0], places[0], hint=hint,
                        tolerance=1e-4)
        attempt.matches("every word at every place is read as its place (word, place, feature)", read, np.broadcast_to(places, read.shape),
                        hint=hint, tolerance=1e-4)


def _kind(result):
    if isinstance(result, tuple):
        return f"a tuple of {len(result)}, of shapes {[getattr(part, 'shape', type(part).__name__) for part in result]}"
    return "a dict" if isinstance(result, dict) else f"one array of shape {result.shape}"
