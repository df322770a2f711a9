"""The checks of chapter 3: right answers in several forms pass, odd ones hear one line (classic mistakes: exercises/)."""

import numpy as np
import pytest

from pe_lib.additive import score_terms
from pe_lib.teach.checks import additive_terms as checks
from pe_lib.teach.checks.compare import COARSE
from pe_lib.frequencies import inverse_frequencies
from pe_lib.sinusoidal import offset_matrix, sinusoidal_encoding


def split_by_library(x, positional, w_q, w_k):
    return tuple(term / np.sqrt(w_q.shape[1]) for term in score_terms(x, positional, w_q, w_k).values())


def split_by_differences(x, positional, w_q, w_k):
    """Switch words or places off and subtract: a way that never names a mixed term."""
    def score(a, b):
        return (a @ w_q) @ (b @ w_k).T / w_q.shape[1] ** 0.5
    both = x + positional
    return (score(x, x), score(x, both) - score(x, x), score(both, x) - score(x, x), score(positional, positional))


def split_in_a_list(x, positional, w_q, w_k):
    return list(split_by_library(x, positional, w_q, w_k))


def split_in_one_array(x, positional, w_q, w_k):
    return np.array(split_by_library(x, positional, w_q, w_k))


def look_back_by_pinv(k, w_k):
    return offset_matrix(-k, inverse_frequencies(len(w_k))).T @ np.linalg.pinv(w_k).T


def look_back_by_fitting(k, w_k):
    """As many places as there are features determine the matrix, so this is the right one."""
    here, there = (sinusoidal_encoding(np.arange(20) - back, len(w_k)) for back in (0, k))
    return np.linalg.lstsq(here, there, rcond=None)[0] @ np.linalg.inv(w_k.T)


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
    (checks.check_split_scores, split_in_a_list),
    (checks.check_split_scores, split_in_one_array),
    (checks.check_look_back_query, look_back_by_fitting),
    (checks.check_look_back_query, checks.look_back_by_solving),
    (checks.check_look_back_query, look_back_by_pinv),
    (checks.check_word_seeks_place, checks.word_seeks_place_by_solving),
    (checks.check_word_seeks_place, seek_by_pinv),
    (checks.check_word_seeks_place, seek_in_a_list),
    (checks.check_word_seeks_place, seek_behind_projectors),
]
UNTOUCHED = [("3.1", lambda x, positional, w_q, w_k: ...), ("3.2", lambda k, w_k: None),
             ("3.3", lambda words, places, a, b: ...)]


@pytest.mark.parametrize("back", ["float16", "float64"])
@pytest.mark.parametrize("check, answer", [
    (checks.check_split_scores, checks.split_scores_by_loop), (checks.check_look_back_query, checks.look_back_by_solving),
    (checks.check_word_seeks_place, checks.word_seeks_place_by_solving),
], ids=["3.1", "3.2", "3.3"])
def test_half_precision_is_named_as_what_is_wrong(check, answer, back):
    """with the type it was computed in, and converted again: the digits are lost, whatever the type"""
    def short(*inputs):
        found = answer(*inputs)
        return tuple(part.astype("float16").astype(back) for part in found) if isinstance(found, tuple) else found.astype("float16").astype(back)
    verdict = check(short)
    assert verdict.state == "wrong" and verdict.message.endswith(COARSE)


def test_the_mixed_terms_are_transposes_where_the_product_is_symmetric():
    """claim 3.2: what the hint to 3.1 says; W_Q and W_K need not be equal"""
    x, p, w_q = np.random.default_rng(0).normal(size=(3, 5, 5))
    symmetric = w_q + w_q.T
    for w_k, alike in ((np.linalg.solve(w_q, symmetric).T, True), (w_q, True), (p, False)):
        terms = score_terms(x, p, w_q, w_k)
        assert np.allclose(w_q @ w_k.T, w_k @ w_q.T) == alike
        assert np.allclose(terms["content_position"], terms["position_content"].T) == alike
