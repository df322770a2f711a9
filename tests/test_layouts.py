"""Which features are a pair: two layouts, the way between them, and weights that follow."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pe_lib.frequencies import inverse_frequencies
from pe_lib.layouts import LAYOUTS, check_layout, feature_pairs, permute_weights, to_half, to_interleaved
from pe_lib.rotary import rotate, rotation_matrix

PAIRS = st.integers(1, 8)
steady = settings(deadline=None, derandomize=True, database=None, max_examples=50)


def score(q, k, i, j, inv_freq, layout):
    return rotate(q, i, inv_freq, layout=layout) @ rotate(k, j, inv_freq, layout=layout)


# --- pairs and permutations ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dim", [2, 4, 6, 128])
def test_pairs(dim):
    """claim 6.1: neighbours, or partners half a vector apart; each feature is in one pair."""
    assert_array_equal(feature_pairs(dim), [(2 * m, 2 * m + 1) for m in range(dim // 2)])
    assert_array_equal(feature_pairs(dim, "half"), [(m, m + dim // 2) for m in range(dim // 2)])
    for layout in LAYOUTS:
        assert_array_equal(np.sort(feature_pairs(dim, layout).ravel()), np.arange(dim))


@steady
@given(PAIRS, st.integers(0, 6))
def test_the_two_ways_undo_each_other(pairs, rest):
    """claim 6.1"""
    x = np.random.default_rng(0).normal(size=(3, 2 * pairs + rest))
    for there, back in ((to_half, to_interleaved), (to_interleaved, to_half)):
        assert_array_equal(back(there(x, 2 * pairs), 2 * pairs), x)
        assert_array_equal(there(x, 2 * pairs)[:, 2 * pairs :], x[:, 2 * pairs :])
    if rest == 0:
        assert_array_equal(to_half(x), to_half(x, 2 * pairs))
        assert_array_equal(to_interleaved(x), to_interleaved(x, 2 * pairs))


def test_permutations_feature_by_feature():
    """Origin: cases WP03 and WP04, row_permutation [0, 2, 1, 3] and [0, 2, 4, 6, 1, 3, 5, 7]."""
    assert_array_equal(to_half(np.arange(4)), [0, 2, 1, 3])
    assert_array_equal(to_half(np.arange(8)), [0, 2, 4, 6, 1, 3, 5, 7])
    assert_array_equal(to_interleaved(np.arange(8)), [0, 4, 1, 5, 2, 6, 3, 7])
    assert_array_equal(to_half(np.arange(8), 4), [0, 2, 1, 3, 4, 5, 6, 7])
    assert_array_equal(to_half([[1, 2], [3, 4]]), [[1, 2], [3, 4]])


@steady
@given(PAIRS, st.integers(0, 3), st.floats(-1000, 1000), st.integers(0, 1000))
def test_turning_in_one_layout_is_turning_in_the_other_after_one_permutation(pairs, rest, position, seed):
    """claim 6.1, and 6.4: with a partial rotation the permutation stays inside the rotary width."""
    width, inv_freq = 2 * pairs, inverse_frequencies(2 * pairs)
    x = np.random.default_rng(seed).normal(size=width + 2 * rest)
    turned = rotate(x, position, inv_freq)
    assert_allclose(to_interleaved(rotate(to_half(x, width), position, inv_freq, layout="half"), width), turned, atol=1e-12)
    by_matrix = rotation_matrix(position, inv_freq, "half") @ to_half(x[:width])
    assert_allclose(by_matrix, to_half(rotation_matrix(position, inv_freq) @ x[:width]), atol=1e-12)


# --- weights ---------------------------------------------------------------------------------------------------------


def test_scores_of_a_reported_case():
    """Origin: case WP03, float64; PyTorch rows, head size 4, base 10000, query at 9, key at 4. claim 6.3"""
    w_q = np.array([[0.001, 0.299, -0.274], [-0.891, -0.455, -0.992], [0.06, 1.34, -0.492], [-0.62, 0.49, 0.357]])
    w_k = np.array([[0.105, -0.93, -0.029], [0.695, -1.344, -0.458], [-1.901, -1.29, -1.842], [-0.235, -1.267, 0.271]])
    query, key, inv_freq = np.array([0.3, -1.2, 0.7]), np.array([1.1, 0.4, -0.6]), inverse_frequencies(4)
    half_q, half_k = (permute_weights(w, 1, to="half", axis=0) for w in (w_q, w_k))
    found = [score(w_q @ query, w_k @ key, 9, 4, inv_freq, "interleaved"), score(half_q @ query, half_k @ key, 9, 4, inv_freq, "half"),
             score(w_q @ query, w_k @ key, 9, 4, inv_freq, "half")]
    assert_allclose(found, [3.7759373425167775, 3.7759373425167775, 0.8222388505090392], rtol=0, atol=1e-12)


def test_without_rotation_both_may_be_permuted_and_one_may_not():
    """Origin: case WP04: a per-feature norm or bias has to follow as well. claim 6.3"""
    q = np.array([1.0, -2.0, 3.0, 0.5, -1.5, 2.0, 0.25, -0.75])
    k = np.array([0.5, 1.0, -1.0, 2.0, 1.5, -0.5, -2.0, 0.75])
    assert [q @ k, to_half(q) @ to_half(k), to_half(q) @ k] == [-7.8125, -7.8125, -2.3125]


@steady
@given(st.integers(1, 3), PAIRS, st.integers(0, 2), st.sampled_from(LAYOUTS), st.integers(0, 1000))
def test_permuted_weights_keep_every_head_s_scores(heads, pairs, rest, to, seed):
    """claim 6.3: for columns (x @ w), for PyTorch rows (w @ x), with a bias and a gain; 6.4: inside the rotary width."""
    made_for = "half" if to == "interleaved" else "interleaved"
    rng, width, d_head = np.random.default_rng(seed), 2 * pairs, 2 * (pairs + rest)
    inv_freq, x = inverse_frequencies(width), rng.normal(size=(4, 5))
    w, bias, gain = rng.normal(size=(2, 5, heads * d_head)), rng.normal(size=(2, heads * d_head)), rng.normal(size=(2, heads * d_head))

    def scores(w, bias, gain, layout):
        split = ((gain[:, None] * (x @ w + bias[:, None])).reshape(2, 4, heads, d_head)).swapaxes(1, 2)
        q, k = rotate(split, np.arange(4), inv_freq, layout=layout)
        return q @ k.swapaxes(-1, -2)

    moved = [permute_weights(a, heads, to=to, rotary_dim=width) for a in (w, bias, gain)]
    assert_allclose(scores(*moved, to), scores(w, bias, gain, made_for), atol=1e-9)
    assert_array_equal(permute_weights(w[0].T, heads, to=to, rotary_dim=width, axis=0).T, moved[0][0])


def test_permuting_over_all_heads_at_once_is_the_classic_mistake():
    """claim 6.3: per head; and columns taken for rows give other scores without a complaint."""
    w = np.arange(8.0)[None]
    assert_array_equal(permute_weights(w, 2, to="half"), [[0, 2, 1, 3, 4, 6, 5, 7]])
    assert_array_equal(permute_weights(w, 1, to="half"), to_half(w))
    square = np.random.default_rng(0).normal(size=(8, 8))
    assert abs(permute_weights(square, 2, to="half") - permute_weights(square, 2, to="half", axis=0)).max() > 0.1


def test_every_argument_of_permute_weights_matters():
    w = np.arange(64.0).reshape(8, 8)
    first = permute_weights(w, 1, to="half")
    for other in (permute_weights(w, 2, to="half"), permute_weights(w, 1, to="interleaved"), permute_weights(w, 1, to="half", axis=0),
                  permute_weights(w, 1, to="half", rotary_dim=4), permute_weights(w.T, 1, to="half")):
        assert abs(other - first).max() > 0.5
    assert_array_equal(permute_weights(w, 1, to="half", axis=1), first)
    assert_array_equal(permute_weights(w, 1, to="half", axis=-2), permute_weights(w, 1, to="half", axis=0))


# --- two faults ------------------------------------------------------------------------------------------------------


def error_map(turn, n=32, dim=8, seed=0):
    """|score(turn) - right score| for all pairs of positions, one query and one key content."""
    q, k = np.random.default_rng(seed).normal(size=(2, dim))
    inv_freq, positions = inverse_frequencies(dim), np.arange(n)
    right = rotate(np.tile(q, (n, 1)), positions, inv_freq) @ rotate(np.tile(k, (n, 1)), positions, inv_freq).T
    return abs(turn(np.tile(q, (n, 1)), positions, inv_freq) @ turn(np.tile(k, (n, 1)), positions, inv_freq).T - right)


def mixed(x, positions, inv_freq):
    """Angles of neighbours with a half swap: what a careless port does."""
    theta = np.repeat(positions[:, None] * inv_freq, 2, axis=-1)
    first, second = np.split(x, 2, axis=-1)
    return x * np.cos(theta) + np.concatenate([-second, first], axis=-1) * np.sin(theta)


def test_wrong_layout_is_right_on_the_diagonal_and_wrong_off_it():
    """claim 6.2: still a rotation: the error depends on the offset alone."""
    wrong = error_map(lambda x, p, f: rotate(x, p, f, layout="half"))
    assert_allclose(np.diagonal(wrong), 0, atol=1e-12)
    for k in range(1, 32):
        assert np.ptp(np.diagonal(wrong, k)) < 1e-12
    assert (np.diagonal(wrong[:, 1:]) > 0.01).all() and wrong.max() > 1


def test_mixed_angles_and_swap_are_no_rotation():
    """claim 6.2: norms change, and the diagonal is wrong too."""
    wrong = error_map(mixed)
    assert np.diagonal(wrong)[1:].max() > 0.1
    x = np.random.default_rng(1).normal(size=(200, 128))
    ratios = np.linalg.norm(mixed(x, np.arange(200), inverse_frequencies(128)), axis=1) / np.linalg.norm(x, axis=1)
    assert ratios.min() < 0.95 and ratios.max() > 1.02


def test_norms_of_a_reported_case():
    """Origin: cases PC01 and PC02, x at position 17, base 10000: the norm, and the two mixes' that must not come out."""
    x, inv_freq = np.array([1.0, -2.0, 3.0, 0.5, -1.5, 2.0, 0.25, -0.75]), inverse_frequencies(8)
    for layout in LAYOUTS:
        assert_allclose(np.linalg.norm(rotate(x, 17, inv_freq, layout=layout)), 4.596194077712559, atol=1e-12)
    assert_allclose(np.linalg.norm(mixed(x[None], np.array([17]), inv_freq)), 3.866471840175581, atol=1e-12)
    theta = np.tile(17 * inv_freq, 2)
    swapped = np.stack([-x[1::2], x[::2]], axis=-1).ravel()
    assert_allclose(np.linalg.norm(x * np.cos(theta) + swapped * np.sin(theta)), 4.913297186809906, atol=1e-12)


# --- types and errors ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_float_type_in_is_float_type_out(dtype):
    x = np.ones((2, 4), dtype)
    assert {a.dtype for a in (to_half(x), to_interleaved(x), permute_weights(x, 2, to="half"))} == {np.dtype(dtype)}
    assert to_half(np.arange(4)).dtype == np.float64


def test_results_are_copies():
    x = np.arange(4.0)[None]
    for result in (to_half(x), to_interleaved(x), permute_weights(x, 1, to="half"), permute_weights(x, 2, to="half")):
        result[...] = 9
    assert_array_equal(x, [[0, 1, 2, 3]])
    assert to_half(np.ones((0, 4))).shape == (0, 4)


X = np.ones((3, 8))


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: feature_pairs(3), "^dim must be even, since features come in pairs, got 3$"),
        (lambda: feature_pairs(0), "^dim must be an integer of at least 2, got 0$"),
        (lambda: feature_pairs(4.0), "^dim must be an integer of at least 2, got 4.0$"),
        (lambda: feature_pairs(4, "sines_first"), "^layout must be one of interleaved, half, got 'sines_first'$"),
        (lambda: check_layout(None), "^layout must be one of interleaved, half, got None$"),
        (lambda: check_layout(["half"]), r"^layout must be one of interleaved, half, got \['half'\]$"),
        (lambda: to_half(X[:, :7]), r"^x must have an even number of features, at least 2, got shape \(3, 7\)$"),
        (lambda: to_half([1, 2, 3]), r"^x must have an even number of features, at least 2, got shape \(3,\)$"),
        (lambda: to_half([]), r"^x must have an even number of features, at least 2, got shape \(0,\)$"),
        (lambda: permute_weights(X[:, :0], 2, to="half"), r"^w must have an even number of features, at least 2 in each head, got shape \(3, 0\)$"),
        (lambda: to_interleaved(X[:, :7]), r"^x must have an even number of features, at least 2, got shape \(3, 7\)$"),
        (lambda: to_half(1.0), r"^x must have at least 1 axis, got shape \(\)$"),
        (lambda: to_interleaved(X * 1j), r"^x must hold real numbers, got dtype complex128, shape \(3, 8\)$"),
        (lambda: to_half(X, 10), "^rotary_dim must be even and at most the number of features, 8, got 10$"),
        (lambda: to_interleaved(X, 0), "^rotary_dim must be an integer of at least 2, got 0$"),
        (lambda: to_interleaved(X, 5), "^rotary_dim must be even and at most the number of features, 8, got 5$"),
        (lambda: to_half(X, 4.0), "^rotary_dim must be an integer of at least 2, got 4.0$"),
        (lambda: permute_weights(X, 0, to="half"), "^heads must be an integer of at least 1, got 0$"),
        (lambda: permute_weights(X, -2, to="half"), "^heads must be an integer of at least 1, got -2$"),
        (lambda: permute_weights(X, 3, to="half"),
         r"^heads must divide the pairs of output features along axis -1, got 3 heads, shape \(3, 8\)$"),
        (lambda: permute_weights(X, 8, to="half"), "^heads must divide the pairs of output features along axis -1, got 8 heads"),
        (lambda: permute_weights(X, 2, to="rows"), "^to must be one of interleaved, half, got 'rows'$"),
        (lambda: permute_weights(X, 2, to="half", axis=2), r"^axis must be below 2, got 2, shape \(3, 8\)$"),
        (lambda: permute_weights(X, 2, to="half", axis=-3), "^axis must be an integer of at least -2, got -3$"),
        (lambda: permute_weights(X, 2, to="half", rotary_dim=6), "^rotary_dim must be even and at most the number of features, 4, got 6$"),
        (lambda: permute_weights(X > 0, 2, to="half"), r"^w must hold real numbers, got dtype bool, shape \(3, 8\)$"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=message):
        call()
