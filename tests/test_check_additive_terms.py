"""The checks of chapter 3: right answers in several forms pass, odd ones hear one line (classic mistakes: exercises/)."""

import numpy as np

from pe_lib.additive import score_terms
from pe_lib.teach.checks import additive_terms as checks
from pe_lib.frequencies import inverse_frequencies
from pe_lib.sinusoidal import offset_matrix


def split_by_library(x, positional, w_q, w_k):
    return tuple(term / np.sqrt(w_q.shape[1]) for term in score_terms(x, positional, w_q, w_k).values())


def split_by_differences(x, positional, w_q, w_k):
    """Switch words or places off and subtract: a way that never names a mixed term."""
    def score(a, b):
        return (a @ w_q) @ (b @ w_k).T / w_q.shape[1] ** 0.5
    both = x + positional
    return (score(x, x), score(x, both) - score(x, x), score(both, x) - score(x, x), score(positional, positional))


def look_back_by_pinv(k, w_k):
    return offset_matrix(-k, inverse_frequencies(len(w_k))).T @ np.linalg.pinv(w_k).T


def seek_by_pinv(words, places, a, b):
    inverse = np.linalg.pinv(np.vstack([words, places]))
    return inverse[:, [a]], inverse[:, [len(words) + b]]


def seek_in_a_list(words, places, a, b):
    return list(seek_by_pinv(words, places, a, b))


def seek_behind_projectors(words, places, a, b):
    """Another solution: what is left of word a (place b) beside all the other rows; scaled by −1 twice."""
    rows, found = np.vstack([words, places]), []
    for row in (a, len(words) + b):
        others = np.delete(rows, row, axis=0)
        rest = rows[row] - rows[row] @ np.linalg.pinv(others) @ others
        found.append(-rest[:, None] / (rest @ rows[row]))
    return tuple(found)


# claims 3.2 and 3.5, as a learner meets them in an exercise
RIGHT = [
    (checks.check_split_scores, split_by_library),
    (checks.check_split_scores, split_by_differences),
    (checks.check_split_scores, checks.split_scores_by_loop),
    (checks.check_look_back_query, checks.look_back_by_solving),
    (checks.check_look_back_query, look_back_by_pinv),
    (checks.check_word_seeks_place, checks.word_seeks_place_by_solving),
    (checks.check_word_seeks_place, seek_by_pinv),
    (checks.check_word_seeks_place, seek_in_a_list),
    (checks.check_word_seeks_place, seek_behind_projectors),
]
UNTOUCHED = [("3.1", lambda x, positional, w_q, w_k: ...), ("3.2", lambda k, w_k: None),
             ("3.3", lambda words, places, a, b: ...)]
