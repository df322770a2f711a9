"""What adding a position vector does to the scores: four terms, their shares, and a vector an offset."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pe_lib.additive import score_terms, shaw_scores, variance_shares
from pe_lib.attention import attention_scores, causal_mask, softmax
from pe_lib.biases import relative_positions, table_bias
from pe_lib.frequencies import inverse_frequencies
from pe_lib.sinusoidal import offset_matrix, sinusoidal_encoding

SEEDS = st.integers(0, 10_000)
NAMES = ["content_content", "content_position", "position_content", "position_position"]
steady = settings(deadline=None, derandomize=True, database=None, max_examples=50)


def parts(seed, n=6, d=8, d_head=4):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.normal(size=(n, d)), rng.normal(size=(d, d_head)), rng.normal(size=(d, d_head))


# --- the four terms --------------------------------------------------------------------------------------------------


def test_four_terms_of_a_reported_case():
    """Origin: case SF13-four-terms, float64, not scaled; its weights act on columns, hence the transposes. claim 3.2"""
    x = np.array([[-0.8, -1.32, -0.25, 0.42], [1.14, 0.11, -0.55, -0.78]])
    p = np.array([[0.75, 1.63, 0.27, -1.23], [-0.96, 1.6, 0.2, -1.73]])
    w_q = [[-0.08, -1.16, -0.63, -0.49], [-0.71, 0.55, -0.06, -0.59], [0.41, 0.83, -1.64, -0.26], [-0.98, -0.17, -1.29, 0.02]]
    w_k = [[-0.04, -0.3, -1.05, -0.4], [-1.09, -1.36, 0.22, -1.11], [1.17, 0.72, -2.0, 0.27], [-1.1, 0.03, 0.04, -1.99]]
    found = {name: term[0, 1] for name, term in score_terms(x, p, np.transpose(w_q), np.transpose(w_k)).items()}
    expected = [-0.7034152399999988, 6.777646950000001, 1.226509979999999, -6.762346750000001]
    assert list(found) == NAMES
    assert_allclose(list(found.values()), expected, rtol=0, atol=1e-12)
    assert_allclose(sum(found.values()), 0.5383949399999997, rtol=0, atol=1e-12)


@steady
@given(SEEDS, st.integers(1, 7), st.integers(1, 9), st.integers(1, 5), st.floats(0, 10))
def test_terms_sum_to_the_score_at_any_strength(seed, n, d, d_head, strength):
    """claim 3.2, and 3.1: q = (x + p) w_q, k = (x + p) w_k"""
    x, p, w_q, w_k = parts(seed, n, d, d_head)
    z = x + strength * p
    terms = score_terms(x, strength * p, w_q, w_k)
    assert_allclose(sum(terms.values()), (z @ w_q) @ (z @ w_k).T, atol=1e-9 * (1 + strength**2))
    assert_allclose(sum(terms.values()) / d_head**0.5, attention_scores(z @ w_q, z @ w_k), atol=1e-9 * (1 + strength**2))


@pytest.mark.parametrize("i, j", [(0, 0), (1, 4), (4, 1)])
def test_each_term_by_its_own_definition(i, j):
    """claim 3.2: the query's part is named first."""
    x, p, w_q, w_k = parts(0)
    for name, query, key in zip(NAMES, (x, x, p, p), (x, p, x, p)):
        assert_allclose(score_terms(x, p, w_q, w_k)[name][i, j], np.dot(query[i] @ w_q, key[j] @ w_k), atol=1e-12)


def test_strength_moves_the_terms_by_its_power():
    """claim 3.2: twice the position is twice each mixed term and four times position-position."""
    x, p, w_q, w_k = parts(1)
    once, twice = score_terms(x, p, w_q, w_k), score_terms(x, 2 * p, w_q, w_k)
    for name, factor in zip(NAMES, (1, 2, 2, 4)):
        assert_allclose(twice[name], factor * once[name], atol=1e-12)


def test_every_argument_of_score_terms_matters():
    arguments = list(parts(2))
    before = score_terms(*arguments)
    moved = {0: NAMES[:3], 1: NAMES[1:], 2: NAMES, 3: NAMES}
    for place, other in enumerate(parts(3)):
        after = score_terms(*arguments[:place], other, *arguments[place + 1 :])
        assert [name for name in NAMES if abs(after[name] - before[name]).max() > 1e-3] == moved[place]


def test_heads_and_batches_do_not_mix():
    x, p, *_ = parts(0)
    rng = np.random.default_rng(1)
    batch, w_q, w_k = rng.normal(size=(2, 1, 6, 8)), rng.normal(size=(3, 8, 4)), rng.normal(size=(3, 8, 4))
    terms = score_terms(batch, p, w_q, w_k)
    for name in NAMES:
        assert np.broadcast_shapes(terms[name].shape, (2, 3, 6, 6)) == (2, 3, 6, 6)
        for b, h in np.ndindex(2, 3):
            one = score_terms(batch[b, 0], p, w_q[h], w_k[h])[name]
            assert_allclose(np.broadcast_to(terms[name], (2, 3, 6, 6))[b, h], one, atol=1e-12)


# --- position-position -----------------------------------------------------------------------------------------------


def is_toeplitz(matrix):
    return all(np.ptp(np.diagonal(matrix, k)) < 1e-9 for k in range(1 - len(matrix), len(matrix)))


@pytest.mark.parametrize("dim", [2, 8, 32])
def test_position_position_is_toeplitz_where_the_weights_commute_with_the_turning(dim):
    """claim 3.4: the identity, and any matrix that turns and stretches each pair; in general not."""
    p, x = sinusoidal_encoding(np.arange(12), dim), np.ones((12, dim))
    rng = np.random.default_rng(0)
    stretched = np.repeat(rng.normal(size=dim // 2), 2)[:, None] * offset_matrix(2.5, inverse_frequencies(dim))
    for w_q in (np.eye(dim), stretched):
        assert is_toeplitz(score_terms(x, p, w_q, np.eye(dim))["position_position"])
    assert not is_toeplitz(score_terms(x, p, rng.normal(size=(dim, dim)), np.eye(dim))["position_position"])


def test_a_head_that_looks_at_the_token_before():
    """claim 3.5: w_k = I, w_q = M_1 in row form, so q_i = PE(i - 1); the transpose looks ahead, which a mask hides."""
    p, step = sinusoidal_encoding(np.arange(10), 32), offset_matrix(1, inverse_frequencies(32))
    place = score_terms(np.zeros_like(p), p, step, np.eye(32))["position_position"]
    ahead = score_terms(np.zeros_like(p), p, step.T, np.eye(32))["position_position"]
    assert_allclose(p @ step, sinusoidal_encoding(np.arange(10) - 1, 32), atol=1e-12)
    assert_array_equal(place.argmax(axis=1)[1:], np.arange(9))
    assert_array_equal(ahead.argmax(axis=1)[:-1], np.arange(1, 10))
    assert_array_equal((ahead + causal_mask(10)).argmax(axis=1), np.arange(10))


def test_adding_is_concatenation_with_shared_rows():
    """claim 3.7: [x, p] with the weights stacked twice is (x + p) w; with separate rows there is more freedom."""
    x, p, w_q, w_k = parts(4)
    both = np.concatenate([x, p], axis=1)
    q, k = both @ np.vstack([w_q, w_q]), both @ np.vstack([w_k, w_k])
    assert_allclose(q @ k.T, sum(score_terms(x, p, w_q, w_k).values()), atol=1e-12)


def test_concatenation_is_adding_in_separate_features():
    """claim 3.7: content in the first rows of w, position in the rest."""
    x, p, w_q, w_k = parts(5)
    left, right = np.pad(x, ((0, 0), (0, 8))), np.pad(p, ((0, 0), (8, 0)))
    rng = np.random.default_rng(6)
    big_q, big_k = np.vstack([w_q, rng.normal(size=(8, 4))]), np.vstack([w_k, rng.normal(size=(8, 4))])
    both = np.concatenate([x, p], axis=1)
    terms = score_terms(left, right, big_q, big_k)
    assert_allclose(sum(terms.values()), (both @ big_q) @ (both @ big_k).T, atol=1e-12)
    assert_allclose(terms["content_content"], (x @ w_q) @ (x @ w_k).T, atol=1e-12)


# --- shares ----------------------------------------------------------------------------------------------------------


@steady
@given(SEEDS, st.integers(2, 7), st.booleans())
def test_shares_sum_to_one_and_ignore_constants_per_row(seed, n, causal):
    """claim 3.5: shares of what the softmax can see."""
    mask = causal_mask(n) if causal else 0.0
    terms = score_terms(*parts(seed, n))
    shares = variance_shares(terms, mask)
    assert list(shares) == NAMES
    assert_allclose(sum(shares.values()), 1, atol=1e-9)
    moved = {name: term + np.random.default_rng(seed).normal(size=(n, 1)) for name, term in terms.items()}
    for name, share in variance_shares(moved, mask).items():
        assert_allclose(share, shares[name], atol=1e-8)
    for name, share in variance_shares({name: 3 * term for name, term in terms.items()}, mask).items():
        assert_allclose(share, shares[name], atol=1e-9)


@steady
@given(SEEDS, st.booleans())
def test_shares_are_covariances_with_the_sum(seed, causal):
    """Row by row with NumPy's own covariance, over the keys a query may look at."""
    mask = causal_mask(5) if causal else np.zeros((5, 5))
    terms = score_terms(*parts(seed, 5))
    covariance = np.zeros((4, 4))
    for i in range(5):
        seen = np.isfinite(mask[i])
        covariance += np.cov(np.stack([term[i, seen] for term in terms.values()]), bias=True) * seen.sum()
    expected = covariance.sum(axis=1) / covariance.sum()
    assert_allclose(list(variance_shares(terms, mask).values()), expected, atol=1e-9)


def test_correlated_terms_halve_what_they_make_together():
    """Var(a + b) = Var(a) + Var(b) + 2 Cov(a, b): a share is negative where a term works against the sum."""
    row = np.array([[-1.0, 1.0]])
    assert variance_shares({"a": row, "b": row}) == {"a": 0.5, "b": 0.5}
    assert variance_shares({"a": 2 * row, "b": -row}) == {"a": 2.0, "b": -1.0}
    uncorrelated = variance_shares({"a": [[3.0, 3, -3, -3]], "b": [[4.0, -4, 4, -4]]})
    assert_allclose(list(uncorrelated.values()), [9 / 25, 16 / 25])


def test_a_mask_leaves_out_what_a_query_may_not_see():
    terms = {"a": [[0.0, 9.0], [0.0, 1.0]], "b": [[0.0, 0.0], [3.0, 0.0]]}
    masked, plain = variance_shares(terms, causal_mask(2)), variance_shares(terms)
    assert_allclose(list(masked.values()), [-0.5, 1.5])
    assert masked != plain
    only_one = np.array([[0.0, -np.inf], [0.0, 0.0]])
    assert variance_shares(terms, only_one) == masked
    nothing = np.array([[-np.inf, -np.inf], [0.0, 0.0]])
    assert variance_shares(terms, nothing) == masked


def test_shares_keep_leading_axes_apart():
    terms = score_terms(*parts(0)[:2], *np.random.default_rng(1).normal(size=(2, 3, 8, 4)))
    shares = variance_shares(terms)
    for head in range(3):
        one = variance_shares({name: term[head] for name, term in terms.items()})
        for name in NAMES:
            assert shares[name].shape == (3,)
            assert_allclose(shares[name][head], one[name], atol=1e-12)


# --- a vector an offset ----------------------------------------------------------------------------------------------


@steady
@given(SEEDS, st.integers(0, 3), st.integers(1, 5), st.integers(0, 3))
def test_shaw_scores_one_pair_at_a_time(seed, reach, n_query, more):
    """claim 4.7"""
    rng = np.random.default_rng(seed)
    q, vectors, n_key = rng.normal(size=(2, n_query, 4)), rng.normal(size=(2 * reach + 1, 4)), n_query + more
    found = shaw_scores(q, vectors, n_key)
    relative = relative_positions(n_query, n_key)
    for b, i, j in np.ndindex(2, n_query, n_key):
        vector = vectors[max(-reach, min(reach, relative[i, j])) + reach]
        assert_allclose(found[b, i, j], q[b, i] @ vector / 2, atol=1e-12)


def test_shaw_equals_vectors_added_to_the_keys():
    """claim 4.7: q_i . (k_j + a) = q_i . k_j + q_i . a"""
    rng = np.random.default_rng(0)
    q, k, vectors = rng.normal(size=(4, 6)), rng.normal(size=(4, 6)), rng.normal(size=(5, 6))
    added = np.array([[q[i] @ (k[j] + vectors[np.clip(j - i, -2, 2) + 2]) for j in range(4)] for i in range(4)])
    assert_allclose(attention_scores(q, k) + shaw_scores(q, vectors), added / 6**0.5, atol=1e-12)


def test_shaw_depends_on_the_query_and_a_table_does_not():
    """claim 4.7: A looks left and B looks right, which no b(j - i) can produce."""
    vectors = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]])
    scores = shaw_scores([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]], vectors), shaw_scores([[0.0, 0.0], [0.0, 1.0], [0.0, 0.0]], vectors)
    assert [softmax(s)[1].argmax() for s in scores] == [0, 2]
    assert_allclose(shaw_scores(np.ones((3, 1)), [[1.0], [2.0], [3.0]]), table_bias(3, 3, [1.0, 2.0, 3.0]))


def test_gather_by_offset():
    """Origin: case RS05: S[i, j] = R[i, j - i], by index and not by a shift."""
    table = np.array([[-2, -1, 0, 1, 2], [8, 9, 10, 11, 12], [18, 19, 20, 21, 22]], float)
    expected = [[0, 1, 2], [9, 10, 11], [18, 19, 20]]
    # q @ vectors.T = table for one-hot q; four features, so that 1/sqrt(d_head) is 1/2.
    assert_array_equal(2 * shaw_scores(np.eye(3, 4), np.pad(table, ((0, 1), (0, 0))).T), expected)


# --- shapes, types, errors -------------------------------------------------------------------------------------------


def test_integers_and_float_types():
    single = [a.astype(np.float32) for a in parts(0)]
    assert {term.dtype for term in score_terms(*single).values()} == {np.dtype(np.float32)}
    assert {term.dtype for term in score_terms([[1, 2]], [[3, 4]], [[1], [0]], [[0], [1]]).values()} == {np.dtype(float)}
    shares = variance_shares(score_terms(*single))
    assert_allclose(sum(shares.values()), 1, atol=1e-12)
    assert shaw_scores(single[0], single[0][:5]).dtype == np.float32


def test_empty_and_single_token_sequences():
    for n in (0, 1):
        for term in score_terms(np.ones((n, 2)), np.ones((n, 2)), np.eye(2), np.eye(2)).values():
            assert term.shape == (n, n)
    assert shaw_scores(np.ones((0, 2)), np.ones((3, 2)), 4).shape == (0, 4)


def test_arguments_are_left_as_they_were():
    arguments = list(parts(0))
    vectors = np.ones((3, 8))
    copies = [a.copy() for a in (*arguments, vectors)]
    terms = score_terms(*arguments)
    kept = {name: term.copy() for name, term in terms.items()}
    variance_shares(terms, causal_mask(6))
    for name in NAMES:
        assert_array_equal(terms[name], kept[name])
        terms[name][...] = 9
    shaw_scores(arguments[0], vectors)[...] = 9
    for now, before in zip((*arguments, vectors), copies):
        assert_array_equal(now, before)


X, W = np.ones((3, 4)), np.ones((4, 2))


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: score_terms(X, X[:2], W, W), r"^content and position must have one \(n, d\), got shapes \(3, 4\) and \(2, 4\)$"),
        (lambda: score_terms(X, X[:, :3], W, W), r"^content and position must have one \(n, d\), got shapes \(3, 4\) and \(3, 3\)$"),
        (lambda: score_terms(X[0], X, W, W), r"^content must have at least 2 axes, got shape \(4,\)$"),
        (lambda: score_terms(X, X[0], W, W), r"^position must have at least 2 axes, got shape \(4,\)$"),
        (lambda: score_terms(X, X, W, W[:, :1]), r"^w_q and w_k must have one \(d = 4, d_head\), got shapes \(4, 2\) and \(4, 1\)$"),
        (lambda: score_terms(X, X, W.T, W.T), r"^w_q and w_k must have one \(d = 4, d_head\), got shapes \(2, 4\) and \(2, 4\)$"),
        (lambda: score_terms(X, X, W[0], W), r"^w_q must have at least 2 axes, got shape \(2,\)$"),
        (lambda: score_terms(X, X, W, W[0]), r"^w_k must have at least 2 axes, got shape \(2,\)$"),
        (lambda: score_terms(X * np.nan, X, W, W), r"^content must be finite, got nan, shape \(3, 4\)$"),
        (lambda: score_terms(X, X * 1j, W, W), r"^position must hold real numbers, got dtype complex128, shape \(3, 4\)$"),
        (lambda: score_terms(X, X, W * np.inf, W), r"^w_q must be finite, got inf, shape \(4, 2\)$"),
        (lambda: score_terms(X, X, W, W > 0), r"^w_k must hold real numbers, got dtype bool, shape \(4, 2\)$"),
        (lambda: score_terms(np.ones((2, 3, 4)), X, np.ones((5, 4, 2)), W), r"^leading axes must broadcast, got shapes \(2,\) and \(\) and \(5,\)"),
        (lambda: score_terms(X, X * 1e200, W, W), r"^position_position must be finite, got inf, shape \(3, 3\)$"),
        (lambda: variance_shares(None), "^terms must be a dict of arrays, got None$"),
        (lambda: variance_shares([1, 2]), r"^terms must be a dict of arrays, got \[1, 2\]$"),
        (lambda: variance_shares({}), r"^terms must be arrays of one shape, got \[\]$"),
        (lambda: variance_shares({"a": X, "b": X[:2]}), r"^terms must be arrays of one shape, got \[\(3, 4\), \(2, 4\)\]$"),
        (lambda: variance_shares({"a": X[0]}), r"^a must have at least 2 axes, got shape \(4,\)$"),
        (lambda: variance_shares({"a": X * np.inf}), r"^a must be finite, got inf, shape \(3, 4\)$"),
        (lambda: variance_shares({"a": X}), r"^terms must tell some key from another in a row, got a constant sum, shape \(3, 4\)$"),
        (lambda: variance_shares({"a": np.full((3, 3), 0.1), "b": np.full((3, 3), 0.7)}), "^terms must tell some key from another"),
        (lambda: variance_shares({"a": np.full((3, 3), 0.1, np.float32)}), "^terms must tell some key from another"),
        (lambda: variance_shares({"a": np.arange(12.0).reshape(3, 4)}, X > 0), r"^mask must hold real numbers, got dtype bool"),
        (lambda: variance_shares({"a": np.arange(12.0).reshape(3, 4)}, np.zeros((4, 4))),
         r"^mask and terms must broadcast, got shapes \(4, 4\) and \(3, 4\)$"),
        (lambda: variance_shares({"a": np.arange(12.0).reshape(3, 4)}, np.zeros((2, 3, 4))),
         r"^mask must broadcast to the terms' shape \(3, 4\), got shape \(2, 3, 4\)$"),
        (lambda: variance_shares({"a": np.arange(12.0).reshape(3, 4)}, np.nan), r"^mask must be finite or -inf, got nan"),
        (lambda: variance_shares({"a": np.arange(12.0).reshape(3, 4)}, -np.inf), "^terms must tell some key from another"),
        (lambda: shaw_scores(X, np.ones((2, 4))), r"^vectors must have shape \(2 reach \+ 1, d_head = 4\), got shape \(2, 4\)$"),
        (lambda: shaw_scores(X, np.ones((3, 2))), r"^vectors must have shape \(2 reach \+ 1, d_head = 4\), got shape \(3, 2\)$"),
        (lambda: shaw_scores(X, np.ones((1, 3, 4))), r"^vectors must have shape .*, got shape \(1, 3, 4\)$"),
        (lambda: shaw_scores(X[:, :0], X[:, :0]), r"^q must have a d_head of at least 1, got shape \(3, 0\)$"),
        (lambda: shaw_scores(X * 1e200, X * 1e200), r"^q times vectors must be finite, got inf, shape \(3, 3\)$"),
        (lambda: shaw_scores(X[0], X), r"^q must have at least 2 axes, got shape \(4,\)$"),
        (lambda: shaw_scores(X, X * np.nan), r"^vectors must be finite, got nan, shape \(3, 4\)$"),
        (lambda: shaw_scores(X, X, -1), "^n_key must be an integer of at least 0, got -1$"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=message):
        call()
