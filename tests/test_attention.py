"""Attention: softmax, scores, masks, and what the order of the tokens does to them (nothing, until something breaks it)."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal

from pe_lib.attention import attention, attention_scores, causal_mask, cosine_similarity, softmax
from pe_lib.sinusoidal import sinusoidal_encoding

steady = settings(deadline=None, derandomize=True, database=None, max_examples=50)
SEEDS = st.integers(0, 2**32 - 1)


def head(seed, n, dim=8):
    """Contents of n tokens and one head's projections: x, w_q, w_k, w_v."""
    rng = np.random.default_rng(seed)
    # Scaled so that no weight is near 0 or 1: a saturated softmax would hide the differences shown here.
    return rng.normal(size=(n, dim)), *rng.normal(size=(3, dim, dim)) / dim**0.5


def attend(x, w_q, w_k, w_v, bias=0.0):
    return attention(x @ w_q, x @ w_k, x @ w_v, bias)


def distances(n):
    return abs(np.arange(n) - np.arange(n)[:, None])


# --- softmax ---------------------------------------------------------------------------------------------------------

SCORES = hnp.arrays(np.float64, hnp.array_shapes(max_dims=3), elements=st.floats(-1e300, 1e300) | st.just(-np.inf))


@steady
@given(SCORES, st.sampled_from([0, -1]))
def test_weights_sum_to_one_or_the_row_is_masked(scores, axis):
    weights = softmax(scores, axis)
    assert weights.shape == scores.shape
    assert ((weights >= 0) & (weights <= 1)).all()
    masked = np.isneginf(scores).all(axis=axis)
    assert_allclose(weights.sum(axis=axis), np.where(masked, 0, 1), atol=1e-12)
    assert (weights[np.isneginf(scores)] == 0).all()


@steady
@given(hnp.arrays(np.float64, (3, 4), elements=st.floats(-50, 50)), st.floats(-1000, 1000))
def test_softmax_is_blind_to_a_constant_per_row(scores, constant):
    assert_allclose(softmax(scores + constant), softmax(scores), atol=1e-12)
    assert_allclose(softmax(scores + [[constant], [1], [0]]), softmax(scores), atol=1e-12)


@steady
@given(hnp.arrays(np.float64, (2, 5), elements=st.floats(-30, 30)))
def test_softmax_equals_the_formula_entry_by_entry(scores):
    expected = [[math.exp(s) / sum(math.exp(other) for other in row) for s in row] for row in scores]
    assert_allclose(softmax(scores), expected, rtol=1e-12)


def test_masked_rows_give_zeros():
    """Origin: case MK03, from the definition, float64: an empty row gives zeros, no NaN."""
    scores = np.array([[0.0, 1.0, 2.0], [1.0, 1.0, 1.0]])
    allow = np.array([[True, True, False], [False, False, False]])
    expected = [[0.2689414213699951, 0.7310585786300049, 0.0], [0.0, 0.0, 0.0]]
    weights = softmax(scores + np.where(allow, 0, -np.inf))
    assert_allclose(weights, expected, rtol=0, atol=1e-12)
    assert_array_equal(weights[1], [0, 0, 0])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_softmax_keeps_the_float_type_and_is_stable_in_it(dtype):
    largest = np.finfo(dtype).max
    weights = softmax(np.array([largest, -largest, largest, -np.inf], dtype))
    assert weights.dtype == dtype
    assert_array_equal(weights, [0.5, 0, 0.5, 0])
    assert softmax(np.array([1, 1], np.int32)).dtype == np.float64


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 3), (2, 0, 3)])
def test_softmax_of_nothing_is_nothing(shape):
    assert softmax(np.zeros(shape)).shape == shape


def test_the_axis_matters():
    scores = np.array([[0.0, 0.0], [math.log(3), 0.0]])
    assert_allclose(softmax(scores), [[0.5, 0.5], [0.75, 0.25]])
    assert_allclose(softmax(scores, axis=0), [[0.25, 0.5], [0.75, 0.5]])
    assert_array_equal(softmax(scores, axis=1), softmax(scores, axis=-1))


# --- scores and cosines ----------------------------------------------------------------------------------------------


@steady
@given(SEEDS, st.integers(1, 5), st.integers(1, 5), st.integers(1, 9))
def test_a_score_is_made_of_two_vectors_and_nothing_else(seed, n_query, n_key, d_head):
    """claim 1.1: entry by entry, from q_i and k_j alone; wherever the two vectors stand, the score is the same."""
    rng = np.random.default_rng(seed)
    q, k = rng.normal(size=(n_query, d_head)), rng.normal(size=(n_key, d_head))
    scores = attention_scores(q, k)
    for i, j in np.ndindex(n_query, n_key):
        assert_allclose(scores[i, j], sum(a * b for a, b in zip(q[i], k[j])) / math.sqrt(d_head), atol=1e-12)
        assert_allclose(attention_scores(q[[i]], k[[j]]), scores[[i]][:, [j]], atol=1e-12)


def test_output_is_the_weighted_sum_of_values():
    """claim 1.1: the output is the sum over j of a_ij v_j."""
    x, w_q, w_k, w_v = head(0, n=4)
    output, weights = attend(x, w_q, w_k, w_v)
    for i in range(4):
        assert_allclose(output[i], sum(weights[i, j] * (x @ w_v)[j] for j in range(4)), atol=1e-12)


def test_score_of_eight_features():
    """Origin: case WP04: permuting q and k alike is harmless, permuting q alone is not."""
    q = np.array([[1.0, -2.0, 3.0, 0.5, -1.5, 2.0, 0.25, -0.75]])
    k = np.array([[0.5, 1.0, -1.0, 2.0, 1.5, -0.5, -2.0, 0.75]])
    order = [0, 2, 4, 6, 1, 3, 5, 7]
    unscaled = math.sqrt(8)
    assert_allclose(attention_scores(q, k) * unscaled, [[-7.8125]], rtol=0, atol=1e-12)
    assert_allclose(attention_scores(q[:, order], k[:, order]) * unscaled, [[-7.8125]], rtol=0, atol=1e-12)
    assert_allclose(attention_scores(q[:, order], k) * unscaled, [[-2.3125]], rtol=0, atol=1e-12)


def test_bias_is_added_after_the_scaling():
    """Origin: case AB10: q.k = 8 at d = 64 and a bias of -10 give -9; scaling the bias as well would give -0.25."""
    q, k = np.zeros((1, 64)), np.zeros((2, 64))
    q[0, 0] = k[0, 0] = math.sqrt(8)
    _, weights = attention(q, k, np.zeros((2, 1)), bias=[-10.0, 0.0])
    assert_allclose(weights[0, 0] / weights[0, 1], math.exp(-9), rtol=1e-12)


@steady
@given(SEEDS, st.floats(0.01, 100))
def test_score_moves_with_the_length_of_a_key_and_the_cosine_does_not(seed, factor):
    """claim 1.7"""
    q, k = np.random.default_rng(seed).normal(size=(2, 3, 4))
    assert_allclose(attention_scores(q, k * factor), factor * attention_scores(q, k), rtol=1e-12)
    assert_allclose(cosine_similarity(q, k * factor), cosine_similarity(q, k), atol=1e-12)


@pytest.mark.parametrize("d_head", [1, 2, 4, 64])
def test_score_equals_the_cosine_only_at_one_length(d_head):
    """claim 1.7: only where |q| |k| = sqrt(d_head); for unit vectors the score is the cosine / sqrt(d_head)."""
    q, k = np.random.default_rng(1).normal(size=(2, 5, d_head))
    cosine = cosine_similarity(q, k)
    unit_q, unit_k = (x / np.linalg.norm(x, axis=-1, keepdims=True) for x in (q, k))
    assert_allclose(attention_scores(unit_q, unit_k), cosine / math.sqrt(d_head), atol=1e-12)
    assert_allclose(unit_q @ unit_k.T, cosine, atol=1e-12)
    assert_allclose(attention_scores(unit_q * math.sqrt(d_head), unit_k), cosine, atol=1e-12)
    assert abs(attention_scores(2 * math.sqrt(d_head) * unit_q, unit_k) - cosine).max() > 0.1


def test_cosine_of_a_right_angle_and_of_sixty_degrees():
    q = [[2.0, 0.0]]
    assert_allclose(cosine_similarity(q, [[0.0, 7.0], [1.0, math.sqrt(3)], [-4.0, 0.0]]), [[0, 0.5, -1]], atol=1e-15)


# --- causal_mask -----------------------------------------------------------------------------------------------------


def test_two_queries_of_a_cache_of_five():
    """Origin: case CM01: row i allows keys 0 .. i + n_key - n_query."""
    allowed = [[True, True, True, True, False], [True, True, True, True, True]]
    assert_array_equal(causal_mask(2, 5) == 0, allowed)
    assert_array_equal(np.isneginf(causal_mask(2, 5)), np.logical_not(allowed))


@steady
@given(st.integers(0, 7), st.integers(0, 7))
def test_causal_mask_is_aligned_bottom_right(n_query, n_key):
    mask = causal_mask(n_query, n_key)
    assert mask.shape == (n_query, n_key) and mask.dtype == np.float64
    for i, j in np.ndindex(n_query, n_key):
        assert mask[i, j] == (0 if n_key - j >= n_query - i else -np.inf)
    # The rows for a chunk are the last rows of the full square.
    if n_query <= n_key:
        assert_array_equal(mask, causal_mask(n_key)[n_key - n_query :])


def test_more_queries_than_keys_leave_the_first_with_nothing():
    assert_array_equal(causal_mask(3, 1), [[-np.inf], [-np.inf], [0]])
    output, weights = attention(np.ones((3, 2)), np.ones((1, 2)), np.full((1, 2), 7.0), causal_mask(3, 1))
    assert_array_equal(weights, [[0], [0], [1]])
    assert_array_equal(output, [[0, 0], [0, 0], [7, 7]])


def test_causal_attention_in_two_chunks_equals_one_pass():
    """The last queries against all keys see what they saw in the full pass."""
    q, k, v = np.random.default_rng(2).normal(size=(3, 6, 4))
    output, weights = attention(q, k, v, causal_mask(6))
    late, late_weights = attention(q[4:], k, v, causal_mask(2, 6))
    assert_allclose(late, output[4:], atol=1e-12)
    assert_allclose(late_weights, weights[4:], atol=1e-12)


# --- attention sees a set --------------------------------------------------------------------------------------------


@steady
@given(SEEDS, st.integers(1, 9), st.data())
def test_reordering_the_rows_reorders_everything(seed, n, data):
    """claim 1.2: scores P S P^T, weights P A P^T, outputs P out, to rounding, for any permutation."""
    x, w_q, w_k, w_v = head(seed, n)
    order = data.draw(st.permutations(range(n)))
    p = np.eye(n)[order]
    scores, shuffled_scores = (attention_scores(y @ w_q, y @ w_k) for y in (x, p @ x))
    assert_allclose(shuffled_scores, p @ scores @ p.T, rtol=1e-9, atol=1e-9)
    (output, weights), (shuffled, shuffled_weights) = (attend(y, w_q, w_k, w_v) for y in (x, p @ x))
    assert_allclose(shuffled_weights, p @ weights @ p.T, atol=1e-9)
    assert_allclose(shuffled, p @ output, atol=1e-9)


def test_dog_has_one_output_whether_it_bites_or_is_bitten():
    """claim 1.3: order A gives dog, bites, man; order B gives the same three rows as man, bites, dog."""
    x, w_q, w_k, w_v = head(3, n=3)  # rows: dog, bites, man
    a, _ = attend(x, w_q, w_k, w_v)
    b, _ = attend(x[[2, 1, 0]], w_q, w_k, w_v)
    assert_allclose(b, a[[2, 1, 0]], atol=1e-12)
    assert abs(a[0] - b[0]).max() > 0.1  # a read-out of a fixed row can tell: the row index is a position


def test_shuffled_is_not_scrambled():
    """claim 1.4: the outputs move (equivariant, not invariant), their mean does not, for every anagram."""
    x, w_q, w_k, w_v = head(4, n=4)
    output, _ = attend(x, w_q, w_k, w_v)
    for order in itertools.permutations(range(4)):
        shuffled, _ = attend(x[list(order)], w_q, w_k, w_v)
        assert_allclose(shuffled.mean(axis=0), output.mean(axis=0), atol=1e-12)
        if order != (0, 1, 2, 3):
            assert abs(shuffled - output).max() > 0.01


@pytest.mark.parametrize("seed, n", [(0, 2), (1, 3), (2, 5), (3, 8)])
def test_causal_mask_breaks_the_symmetry(seed, n):
    """claim 1.5: the same words in another order, mean-pooled, differ once a token sees only its past."""
    x, *w = head(seed, n)
    forward, _ = attend(x, *w, causal_mask(n))
    backward, _ = attend(x[::-1], *w, causal_mask(n))
    assert abs(forward[::-1] - backward).max() > 0.01
    assert abs(forward.mean(axis=0) - backward.mean(axis=0)).max() > 0.01


def test_token_i_sees_i_plus_one_tokens():
    """claim 1.5: with equal scores the weight of each is 1/(i+1), so the count itself tells the place."""
    _, weights = attention(np.zeros((4, 2)), np.zeros((4, 2)), np.zeros((4, 2)), causal_mask(4))
    assert_allclose(weights, np.tril(np.ones((4, 4))) / [[1], [2], [3], [4]], atol=1e-15)


def test_last_row_of_one_causal_layer_sees_no_order():
    """claim 1.5: its output alone does not change when earlier tokens are shuffled; the rows before it do."""
    x, *w = head(5, n=5)
    output, _ = attend(x, *w, causal_mask(5))
    shuffled, _ = attend(x[[2, 0, 3, 1, 4]], *w, causal_mask(5))
    assert_allclose(shuffled[-1], output[-1], atol=1e-12)
    assert abs(shuffled[:-1].mean(axis=0) - output[:-1].mean(axis=0)).max() > 0.01


@steady
@given(SEEDS, st.integers(2, 8), st.floats(0.1, 5))
def test_symmetric_distance_bias_is_direction_blind(seed, n, slope):
    """claim 1.5: with a bias in |i - j| a sentence and its mirror image give the same outputs, mirrored."""
    x, *w = head(seed, n)
    forward, _ = attend(x, *w, -slope * distances(n))
    backward, _ = attend(x[::-1], *w, -slope * distances(n))
    assert_allclose(backward, forward[::-1], atol=1e-9)


def test_symmetric_distance_bias_still_sees_who_is_near_whom():
    """claim 1.5: blind to direction only: an order that is no mirror image does change the outputs."""
    x, *w = head(6, n=4)
    order = [1, 0, 2, 3]
    output, _ = attend(x, *w, -distances(4))
    shuffled, _ = attend(x[order], *w, -distances(4))
    assert abs(shuffled - output[order]).max() > 0.01


@pytest.mark.parametrize("positional", [sinusoidal_encoding(np.arange(3), 8), np.random.default_rng(9).normal(size=(3, 8))])
def test_one_distinct_vector_a_position_tells_dog_from_dog(positional):
    """claim 1.6"""
    x, *w = head(7, n=3)
    bites, _ = attend(x + positional, *w)
    bitten, _ = attend(x[[2, 1, 0]] + positional, *w)
    assert abs(bites[0] - bitten[2]).max() > 0.01


def test_a_vector_the_projections_send_to_zero_tells_nothing():
    """claim 1.6: *almost* any vector: one along features that no projection reads leaves attention a set."""
    x, *w = head(8, n=3)
    for matrix in w:
        matrix[-1] = 0
    positional = np.zeros((3, 8))
    positional[:, -1] = [1, 2, 3]
    bites, _ = attend(x + positional, *w)
    bitten, _ = attend(x[[2, 1, 0]] + positional, *w)
    assert_allclose(bites[0], bitten[2], atol=1e-12)


# --- shapes and types ------------------------------------------------------------------------------------------------


def test_every_argument_of_attention_matters():
    q, k, v = np.random.default_rng(0).normal(size=(3, 4, 4))
    arguments = {"q": q, "k": k, "v": v, "bias": np.zeros((4, 4))}
    output, _ = attention(**arguments)
    for name in arguments:
        other = dict(arguments, **{name: np.random.default_rng(1).normal(size=(4, 4))})
        assert abs(attention(**other)[0] - output).max() > 0.01
    assert_array_equal(attention(q, k, v)[0], output)
    assert causal_mask(2).shape == (2, 2)


@pytest.mark.parametrize("leading", [(), (3,), (2, 3)])
def test_batch_and_head_axes_do_not_mix(leading):
    rng = np.random.default_rng(0)
    q, k = rng.normal(size=leading + (4, 6)), rng.normal(size=leading + (5, 6))
    v, bias = rng.normal(size=leading + (5, 2)), rng.normal(size=leading + (4, 5))
    output, weights = attention(q, k, v, bias)
    assert output.shape == leading + (4, 2) and weights.shape == leading + (4, 5)
    for index in np.ndindex(leading):
        one, one_weights = attention(q[index], k[index], v[index], bias[index])
        assert_allclose(output[index], one, atol=1e-12)
        assert_allclose(weights[index], one_weights, atol=1e-12)
        assert_allclose(cosine_similarity(q, k)[index], cosine_similarity(q[index], k[index]), atol=1e-12)


def test_heads_may_share_keys_and_differ_in_bias():
    q, k, v = np.random.default_rng(0).normal(size=(3, 4, 6))
    bias = np.stack([causal_mask(4), np.zeros((4, 4))])
    output, weights = attention(q, k, v, bias)
    assert output.shape == (2, 4, 6) and weights.shape == (2, 4, 4)
    assert_allclose(output[0], attention(q, k, v, causal_mask(4))[0], atol=1e-12)
    several, _ = attention(np.stack([q, 2 * q]), k, v)
    assert_allclose(several[1], attention(2 * q, k, v)[0], atol=1e-12)


@pytest.mark.parametrize("bias", [0.5, [1.0, 0.0, -1.0], [[1.0], [2.0]], np.zeros((1, 3)), np.zeros((4, 1, 2, 3))])
def test_a_bias_may_be_anything_that_fits(bias):
    q, k = np.random.default_rng(0).normal(size=(2, 3, 4))
    _, weights = attention(q[:2], k, k, bias)
    assert weights.shape[-2:] == (2, 3)
    assert_allclose(weights, softmax(attention_scores(q[:2], k) + np.asarray(bias)), atol=1e-15)


@pytest.mark.parametrize("n_query, n_key", [(0, 0), (0, 3), (3, 0), (1, 1)])
def test_empty_and_single_token_sequences(n_query, n_key):
    q, k, v = np.ones((n_query, 2)), np.ones((n_key, 2)), np.ones((n_key, 5))
    output, weights = attention(q, k, v, causal_mask(n_query, n_key))
    assert weights.shape == attention_scores(q, k).shape == cosine_similarity(q, k).shape == (n_query, n_key)
    assert_array_equal(output, np.full((n_query, 5), 1.0 if n_key else 0.0))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("bias", [0.0, causal_mask(3), -1e300 * (1 - np.eye(3))])
def test_float_type_in_is_float_type_out(dtype, bias):
    x = np.eye(3, dtype=dtype)
    output, weights = attention(x, x, x, bias)
    assert {a.dtype for a in (output, weights, attention_scores(x, x), cosine_similarity(x, x))} == {np.dtype(dtype)}
    assert_allclose(weights.sum(axis=-1), 1, rtol=1e-3)


@pytest.mark.parametrize("dtype, size", [(np.float16, 300), (np.float16, 1e-4), (np.float32, 1e30), (float, 1e200), (float, 1e-200)])
def test_cosines_do_not_depend_on_lengths_at_the_ends_of_a_float_type(dtype, size):
    q = np.array([[3, 4], [1, 0]], dtype)
    assert_allclose(cosine_similarity(q * dtype(size), q), cosine_similarity(q, q), rtol=np.finfo(dtype).eps ** 0.5)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_cosines_never_pass_one(dtype):
    q = np.random.default_rng(0).normal(size=(300, 7)).astype(dtype)
    cosines = cosine_similarity(np.concatenate([q, -q]), q)
    assert cosines.max() == 1 and cosines.min() == -1 and cosines.dtype == dtype


def test_integers_become_float64():
    x = np.eye(3, dtype=np.int32)
    output, weights = attention(x, x, x)
    assert {a.dtype for a in (output, weights, attention_scores(x, x), cosine_similarity(x, x))} == {np.dtype(float)}


def test_arguments_are_left_as_they_were():
    q, k, v, bias = np.random.default_rng(0).normal(size=(4, 3, 3))
    copies = [a.copy() for a in (q, k, v, bias)]
    for result in (*attention(q, k, v, bias), softmax(bias), attention_scores(q, k), cosine_similarity(q, k)):
        result[...] = 9
    for now, before in zip((q, k, v, bias), copies):
        assert_array_equal(now, before)


# --- errors ----------------------------------------------------------------------------------------------------------

X = np.ones((3, 4))
NAN, INF = np.full((3, 4), np.nan), np.full((3, 4), np.inf)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: softmax([0.0, np.nan]), r"^scores must be finite or -inf, got nan, shape \(2,\)$"),
        (lambda: softmax([0.0, np.inf]), r"^scores must be finite or -inf, got inf, shape \(2,\)$"),
        (lambda: softmax([1j]), r"^scores must hold real numbers, got dtype complex128, shape \(1,\)$"),
        (lambda: softmax(["a"]), r"^scores must hold real numbers, got dtype <U1, shape \(1,\)$"),
        (lambda: softmax([[1], [1, 2]]), r"^scores must be a rectangular array of real numbers, got \[\[1\], \[1, 2\]\]$"),
        (lambda: softmax([1.0], axis=1), r"^axis must be one of the 1 axes of scores, got 1, shape \(1,\)$"),
        (lambda: softmax([1.0], axis=-2), "^axis must be an integer of at least -1, got -2$"),
        (lambda: softmax([1.0], axis=0.0), "^axis must be an integer of at least -1, got 0.0$"),
        (lambda: softmax(1.0), r"^scores must have at least 1 axis, got shape \(\)$"),
        (lambda: attention_scores(X, X[:, :3]), r"^q and k must have the same d_head of at least 1, got shapes \(3, 4\) and \(3, 3\)$"),
        (lambda: attention_scores(X[:, :0], X[:, :0]), r"same d_head of at least 1, got shapes \(3, 0\) and \(3, 0\)$"),
        (lambda: attention_scores(X[0], X), r"^q must have at least 2 axes, got shape \(4,\)$"),
        (lambda: attention_scores(X, X[0]), r"^k must have at least 2 axes, got shape \(4,\)$"),
        (lambda: attention_scores(NAN, X), r"^q must be finite, got nan, shape \(3, 4\)$"),
        (lambda: attention_scores(X, -INF), r"^k must be finite, got -inf, shape \(3, 4\)$"),
        (lambda: attention_scores(X > 0, X), r"^q must hold real numbers, got dtype bool, shape \(3, 4\)$"),
        (lambda: attention_scores(np.ones((2, 3, 4)), np.ones((5, 3, 4))),
         r"^the leading axes of q and k must broadcast, got shapes \(2,\) and \(5,\)$"),
        (lambda: attention_scores(X * 1e200, X * 1e200), r"^q k\^T must be finite, got inf, shape \(3, 3\)$"),
        (lambda: attention_scores([[1e200, 1e200]], [[1e200, -1e200]]), r"^q k\^T must be finite, got (nan|inf|-inf), shape \(1, 1\)$"),
        (lambda: attention(X * 1e153, X * 1e153, X, 1.79e308), r"^scores \+ bias must be finite or -inf, got inf, shape \(3, 3\)$"),
        (lambda: cosine_similarity(X, X[:, :3]), r"^q and k must have the same d_head of at least 1, got shapes"),
        (lambda: cosine_similarity(X * 0, X), r"^q must hold vectors longer than 0, which have a direction, got shape \(3, 4\)$"),
        (lambda: cosine_similarity(X, X * 0), r"^k must hold vectors longer than 0, which have a direction, got shape \(3, 4\)$"),
        (lambda: causal_mask(-1), "^n_query must be an integer of at least 0, got -1$"),
        (lambda: causal_mask(2.0), "^n_query must be an integer of at least 0, got 2.0$"),
        (lambda: causal_mask(True), "^n_query must be an integer of at least 0, got True$"),
        (lambda: causal_mask(2, -3), "^n_key must be an integer of at least 0, got -3$"),
        (lambda: causal_mask(2, "3"), "^n_key must be an integer of at least 0, got '3'$"),
        (lambda: attention(X, X, X[:2]), r"^v must hold one row a key, 3 of them, got shape \(2, 4\)$"),
        (lambda: attention(X, X, X[0]), r"^v must have at least 2 axes, got shape \(4,\)$"),
        (lambda: attention(X, X, NAN), r"^v must be finite, got nan, shape \(3, 4\)$"),
        (lambda: attention(X, X, INF), r"^v must be finite, got inf, shape \(3, 4\)$"),
        (lambda: attention(X, X, X, np.full((3, 3), np.nan)), r"^bias must be finite or -inf, got nan, shape \(3, 3\)$"),
        (lambda: attention(X, X, X, np.inf), r"^bias must be finite or -inf, got inf, shape \(\)$"),
        (lambda: attention(X.astype("f4"), X.astype("f4"), X, 1e300), r"^bias must be finite or -inf, got inf, shape \(\)$"),
        (lambda: attention(X, X, X, np.zeros((2, 3))), r"^bias and scores must broadcast, got shapes \(2, 3\) and \(3, 3\)$"),
        (lambda: attention(X[:1], X, X, np.zeros((3, 3))),
         r"^bias must broadcast to \(..., n_query, n_key\) = \(1, 3\), got shape \(3, 3\)$"),
        (lambda: attention(X, X[:1], X[:1], np.zeros((3, 3))), r"^bias must broadcast to .* = \(3, 1\), got shape \(3, 3\)$"),
        (lambda: attention(X, X, X, np.ones((3, 3), bool)), r"^bias must hold real numbers, got dtype bool, shape \(3, 3\)$"),
        (lambda: attention(X, X, X, None), r"^bias must hold real numbers, got dtype object, shape \(\)$"),
        (lambda: attention(np.ones((2, 3, 4)), np.ones((2, 3, 4)), np.ones((5, 3, 4))),
         r"^the leading axes of the weights and of v must broadcast, got shapes \(2,\) and \(5,\)$"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=message):
        call()
