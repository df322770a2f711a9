"""The checks of chapter 3: split scores into four terms, a query matrix that looks back, a word that looks for a place."""

import numpy as np

from pe_lib.teach.checks.compare import COARSE, difference, name_kind
from pe_lib.teach.checks.exercise import draws, exercise
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
    "W_Q makes your keys as well: they are x @ w_k and positional @ w_k.": lambda x, p, w_q, w_k: split_scores_by_loop(x, p, w_q, w_q),
    "W_K makes your queries as well: they are x @ w_q and positional @ w_q.": lambda x, p, w_q, w_k: split_scores_by_loop(x, p, w_k, w_k),
    "W_Q and W_K have changed places: W_Q makes the queries (down), W_K the keys (across).":
        lambda x, p, w_q, w_k: split_scores_by_loop(x, p, w_k, w_q),
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
    "One mixed term is the transpose of the other where W_Q W_Kᵀ is symmetric; here it is not.": _changed(lambda a, b, c, d, w: (a, b, b.T, d)),
    "The mixed terms are missing: a sum times a sum has four products.": _changed(lambda a, b, c, d, w: (a, 0 * b, 0 * c, d)),
    "Position–position has not been projected. The place is added before W_Q and W_K, so it goes through them as well.":
        lambda x, p, w_q, w_k: (*split_scores_by_loop(x, p, w_q, w_k)[:3], p @ p.T / w_q.shape[1] ** 0.5),
}


@exercise("3.1", praise="The same lines split any sum: three parts, as after layer normalisation, make nine terms.")
def check_split_scores(attempt):
    """x, positional (n, d), w_q, w_k (d, d_head) -> four arrays (n, n)."""
    case = draws((5, 6), (5, 6), (6, 3), (6, 3), times=1)[0]
    attempt.read = _as_tuple
    got = attempt.raw(*case)
    attempt.holds("the result is a tuple of four arrays of shape (5, 5), a row a query and a column a key", _shapes(got) == 4 * [(5, 5)],
                  found=f"it is {_kind(got)}.", hint="queries @ keys.T pairs every query with every key." if isinstance(got, tuple) and len(got) == 4
                  else "return a, b, c, d hands over a tuple.")
    close = all(np.allclose(term, right, rtol=5e-3, atol=5e-3) for term, right in zip(got, split_scores_by_loop(*case)))
    attempt.agrees("each term equals the loop (parts 0 to 3 in the order asked for)", split_scores_by_loop,
                   [case, *draws((4, 8), (4, 8), (8, 2), (8, 2), times=2, seed=1)], classics=CLASSIC_SPLITS,
                   hint=COARSE if close else "Set x to zero, then positional, and see which of your terms is left.")


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
    "The sign of k is lost: with k = −2 the head should look 2 places *ahead*.": lambda k, w_k: _made(abs(k), w_k) @ np.linalg.inv(w_k.T),
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
    "You multiply by W_K. That undoes W_Kᵀ only if W_K keeps lengths.": lambda k, w_k: _made(k, w_k) @ w_k,
    "You multiply by W_Kᵀ once more. It is to be undone: what is its inverse?": lambda k, w_k: _made(k, w_k) @ w_k.T,
}


LOOK_BACK_PLACES = (0, 1, 2, 5, 11, 60, 700, 1500)      # near ones, and far ones, at which a slow pair shows what it does
FAR = "Near 0 it is right, far off it is not. Fitted to a few places? Every pair has an angle of its own, the slowest as well."


@exercise("3.2", praise="Only the product W_Q W_Kᵀ counts: infinitely many pairs of matrices are the same head.")
def check_look_back_query(attempt):
    """k, w_k (d, d) -> w_q (d, d)."""
    # no W_K that only turns: there W_K.T is its inverse, and different mistakes are the same matrix
    identity, general = np.eye(8), np.random.default_rng(7).normal(size=(8, 8)) + 2 * np.eye(8)

    def scores(w_q, w_k):
        places = sinusoidal_encoding(np.array(LOOK_BACK_PLACES), len(w_k))
        return (places @ w_q) @ (places @ w_k).T

    def holds(property_, k, w_k):
        w_q = attempt(k, w_k, shape=w_k.shape)
        got, wanted = scores(w_q, w_k), scores(look_back_by_solving(k, w_k), w_k)
        otherwise = "Write the score as PE(i) W_Q W_Kᵀ PE(j)ᵀ. What must stand in the middle?"
        if np.allclose(w_q, look_back_by_solving(k, w_k), rtol=2e-3, atol=2e-3):
            otherwise = COARSE
        elif not difference(got[:3, :3], wanted[:3, :3], 1e-3):
            otherwise = FAR
        known = (hint for hint, wrong in CLASSIC_QUERIES.items() if np.allclose(w_q, wrong(k, w_k), rtol=1e-5, atol=1e-5))
        attempt.matches(property_, got, wanted, tolerance=1e-4, hint=next(known, otherwise))

    holds("with W_K = I and k = 3 the query at place i is PE(i − 3) "
          "(scores of places 0, 1, 2, 5, 11, 60, 700 and 1500, as rows and columns 0 to 7)", 3, identity)
    holds("it works for other k, here −2", -2, identity)
    holds("it works for any invertible W_K", 2, general)
    holds("it works for any width, here 4", 5, general[:4, :4])


def _column(words, places, wanted_of_words, wanted_of_places):
    """The shortest column (d, 1) that gives these numbers on the words and on the places."""
    rows, wanted = np.vstack([words, places]), np.concatenate([wanted_of_words, wanted_of_places])
    return np.linalg.lstsq(rows, wanted[:, None], rcond=None)[0]


def word_seeks_place_by_solving(words, places, a, b):
    """The specification: W_Q gives 1 for word a and 0 for all else, W_K gives 1 for place b and 0 for all else."""
    v, n = len(words), len(places)
    return _column(words, places, np.eye(v)[a], np.zeros(n)), _column(words, places, np.zeros(v), np.eye(n)[b])


def _all_scores(w_q, w_k, words, places):
    """Every word at every place looking at every word at every place: (v, n, v, n)."""
    sums = words[:, None] + places
    return (sums @ w_q)[:, :, 0][:, :, None, None] * (sums @ w_k)[:, :, 0]


def _of_one_kind(table, row):
    """A column that gives 1 for one row of the table and 0 for its others, and has not heard of anything else."""
    return _column(table, table[:0], np.eye(len(table))[row], table[:0, 0])


# hint -> the columns (w_q, w_k) of the mistake
CLASSIC_SEEKERS = {
    "The place looks for the word: query and key have changed roles. Which of the two brings the word here?":
        lambda w, p, a, b: word_seeks_place_by_solving(w, p, a, b)[::-1],
    "W_Q knows its word, but sees places as well: fit it to words *and* places. The same for W_K.":
        lambda w, p, a, b: (_of_one_kind(w, a), _of_one_kind(p, b)),
    "W_Q is right. W_K knows its place, but sees words as well: fit it to words *and* places, as you did W_Q.":
        lambda w, p, a, b: (word_seeks_place_by_solving(w, p, a, b)[0], _of_one_kind(p, b)),
    "W_K is right. W_Q knows its word, but sees places as well: fit it to words *and* places, as you did W_K.":
        lambda w, p, a, b: (_of_one_kind(w, a), word_seeks_place_by_solving(w, p, a, b)[1]),
    "A sign is lost: the score is the product of the two columns' answers, and one of them is −1.":
        lambda w, p, a, b: (-word_seeks_place_by_solving(w, p, a, b)[0], word_seeks_place_by_solving(w, p, a, b)[1]),
    "Divided by √d. Nothing is divided here (and a score would be divided by √d_head, which is 1).":
        lambda w, p, a, b: (word_seeks_place_by_solving(w, p, a, b)[0] / w.shape[1] ** 0.5, word_seeks_place_by_solving(w, p, a, b)[1]),
    "Both columns are divided by √d, so the score by d. Nothing is divided here.":
        lambda w, p, a, b: [column / w.shape[1] ** 0.5 for column in word_seeks_place_by_solving(w, p, a, b)],
    "The word itself as W_Q answers with a dot product, and other words have one with it, too. You need 1 for it and 0 for all else.":
        lambda w, p, a, b: (w[[a]].T / (w[a] @ w[a]), p[[b]].T / (p[b] @ p[b])),
    "Every word looks for the place: W_Q should give 1 for the word a alone.":
        lambda w, p, a, b: (_column(w, p, np.ones(len(w)), np.zeros(len(p))), word_seeks_place_by_solving(w, p, a, b)[1]),
    "The word looks for every place alike: W_K should give 1 for the place b alone.":
        lambda w, p, a, b: (word_seeks_place_by_solving(w, p, a, b)[0], _column(w, p, np.zeros(len(w)), np.ones(len(p)))),
    "This word looks for a word: W_K has read row b of the words. In the stack the places come after them.":
        lambda w, p, a, b: (word_seeks_place_by_solving(w, p, a, b)[0], _column(w, p, np.eye(len(w))[b], np.zeros(len(p)))),
}


@exercise("3.3", praise="A head that lives on a mixed term alone. Whoever calls it noise has not asked this head.")
def check_word_seeks_place(attempt):
    """words (v, d), places (n, d), a, b -> w_q (d, 1), w_k (d, 1)."""
    for v, n, d, a, b in ((5, 4, 12, 1, 2), (6, 5, 16, 0, 0), (7, 6, 24, 3, 5)):
        words, places = np.random.default_rng(v).normal(size=(v, d)), sinusoidal_encoding(np.arange(n), d, base=10.0)
        got = attempt.raw(words, places, a, b)
        if isinstance(got, np.ndarray) and got.shape == (2, d, 1):         # a list [w_q, w_k] says the same
            got = tuple(got)
        attempt.holds("the result is a tuple (w_q, w_k), each of shape (d, 1)",
                      _shapes(got) == [(d, 1), (d, 1)], found=f"it is {_kind(got)}.",
                      hint="One feature: one column for queries, one for keys.")
        scores, wanted = _all_scores(*got, words, places).round(9) + 0.0, np.zeros((v, n, v, n))
        wanted[a, :, :, b] = 1
        known = (hint for hint, wrong in CLASSIC_SEEKERS.items()
                 if np.allclose(scores, _all_scores(*wrong(words, places, a, b), words, places), rtol=1e-4, atol=1e-4))
        otherwise = "Write the four terms: only content–position should be left. What must W_Q make of a place?"
        hint = next(known, COARSE if np.allclose(scores, wanted, atol=1e-2) else otherwise)
        attempt.matches(f"word {a} gives place {b} the score 1 (rows: where it stands; columns: the word at place {b})",
                        scores[a, :, :, b], wanted[a, :, :, b], hint=hint, tolerance=1e-4)
        attempt.matches("all other scores are 0 (word and place that look, word and place looked at)", scores, wanted, hint=hint,
                        tolerance=1e-4)


def _as_tuple(result):
    """Four tables in a list or stacked in one array say the same as a tuple of them."""
    return tuple(result) if (isinstance(result, list) or getattr(result, "ndim", 0) == 3) and len(result) == 4 else result


def _shapes(result):
    """The shapes of a tuple's parts, None for a part that is no array; None for anything but a tuple."""
    return [getattr(part, "shape", None) for part in result] if isinstance(result, tuple) else None


def _kind(result):
    if isinstance(result, tuple) and None in _shapes(result):
        return f"a tuple of {len(result)}: {', '.join(map(name_kind, result))}"
    if isinstance(result, tuple):
        return f"a tuple of {len(result)}, of shapes {_shapes(result)}"
    return "a dict" if isinstance(result, dict) else f"one array of shape {result.shape}"
