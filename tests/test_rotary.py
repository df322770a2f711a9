"""Rotary encoding: the fast form against its definition, its properties, other packages, reported cases, precision."""

import decimal
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pe_lib import _turning
from pe_lib.attention import attention, attention_scores, causal_mask, cosine_similarity
from pe_lib.frequencies import inverse_frequencies, offset_similarity
from pe_lib.layouts import LAYOUTS
from pe_lib.rotary import pair_contributions, rotate, rotation_matrix
from pe_lib.sinusoidal import encode_angles, offset_matrix

SEEDS = st.integers(0, 10_000)
PAIRS = st.integers(1, 16)
LAYOUT = st.sampled_from(LAYOUTS)
POSITIONS = st.floats(-500, 500) | st.integers(-500, 500)
steady = settings(deadline=None, derandomize=True, database=None, max_examples=50)

Q = np.array([1.0, -2.0, 3.0, 0.5, -1.5, 2.0, 0.25, -0.75])
K = np.array([0.5, 1.0, -1.0, 2.0, 1.5, -0.5, -2.0, 0.75])


def by_definition(x, positions, inv_freq, layout):
    """One matrix a row: the specification. Features beyond the rotary width stay."""
    x, width = np.asarray(x), 2 * len(inv_freq)
    positions = np.broadcast_to(positions, x.shape[:-1])
    turned = x.astype(np.float64)
    for index in np.ndindex(x.shape[:-1]):
        turned[index][:width] = rotation_matrix(positions[index], inv_freq, layout) @ turned[index][:width]
    return turned


def vectors(seed, pairs, count=2):
    return np.random.default_rng(seed).normal(size=(count, 2 * pairs))


# --- the definition --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout, pairs", [("interleaved", [(0, 1), (2, 3), (4, 5)]), ("half", [(0, 3), (1, 4), (2, 5)])])
def test_matrix_one_entry_at_a_time(layout, pairs):
    """claim 5.1, 6.1: [[cos, -sin], [sin, cos]] in each pair, counter-clockwise, 0 elsewhere."""
    inv_freq = [1.0, 0.3, 0.01]
    expected = np.zeros((6, 6))
    for (a, b), frequency in zip(pairs, inv_freq):
        expected[a, a] = expected[b, b] = np.cos(7 * frequency)
        expected[a, b], expected[b, a] = -np.sin(7 * frequency), np.sin(7 * frequency)
    assert_allclose(rotation_matrix(7, inv_freq, layout), expected, atol=1e-15)


@steady
@given(POSITIONS, POSITIONS, PAIRS, LAYOUT)
def test_rotations_form_a_group(a, b, pairs, layout):
    """claim 5.2, 5.3: R_a R_b = R_(a+b), R_0 = I, R_a^T = R_(-a), R_a orthogonal of determinant 1."""
    inv_freq = inverse_frequencies(2 * pairs)
    r_a, r_b, r_sum, r_0, r_minus = (rotation_matrix(p, inv_freq, layout) for p in (a, b, a + b, 0, -a))
    assert_allclose(r_a @ r_b, r_sum, atol=1e-12)
    assert_allclose(r_a.T @ r_b, rotation_matrix(b - a, inv_freq, layout), atol=1e-12)
    assert_array_equal(r_0, np.eye(2 * pairs))
    assert_array_equal(r_a.T, r_minus)
    assert_allclose(r_a.T @ r_a, np.eye(2 * pairs), atol=1e-14)
    assert_allclose(np.linalg.det(r_a), 1, atol=1e-12)


@steady
@given(POSITIONS, PAIRS)
def test_rotation_is_the_offset_matrix_in_the_other_component_order(n, pairs):
    """claim 5.8: in order (sin, cos) the block is the transpose; swapped into (cos, sin) it is R_n."""
    inv_freq = inverse_frequencies(2 * pairs)
    assert_allclose(offset_matrix(n, inv_freq).T, rotation_matrix(n, inv_freq), atol=1e-15)
    swap = np.arange(2 * pairs).reshape(-1, 2)[:, ::-1].ravel()
    assert_allclose(offset_matrix(n, inv_freq)[np.ix_(swap, swap)], rotation_matrix(n, inv_freq), atol=1e-15)


def test_rotary_keeps_one_term_of_four():
    """claim 5.8: turned, (cos, sin) rows of chapter 2 are turned (1, 0) vectors; nothing is added, so nothing multiplies out."""
    inv_freq, positions = inverse_frequencies(8), np.arange(6)
    start = np.tile([1.0, 0.0], (6, 4))
    cos_sin = encode_angles(positions[:, None] * inv_freq).reshape(6, 4, 2)[..., ::-1].reshape(6, 8)
    assert_allclose(rotate(start, positions, inv_freq), cos_sin, atol=1e-15)
    assert_allclose(rotate(0 * start, positions, inv_freq), 0)


# --- the fast form is the definition ---------------------------------------------------------------------------------

CLOSE = {np.float16: 6e-3, np.float32: 1e-6, np.float64: 1e-12}
TABLE = [  # shape of x, positions
    pytest.param((), 7, id="one vector"),
    pytest.param((5,), [0, 1, 2, 3, 4], id="rows"),
    pytest.param((5,), [-3, 0.5, 100, 7, 7], id="any positions"),
    pytest.param((3, 5), [9, 8, 7, 6, 5], id="batch"),
    pytest.param((2, 3, 5), [[[0, 0, 0, 1, 2]], [[0, 1, 2, 3, 4]]], id="left padding"),
    pytest.param((2, 3, 5), np.arange(30).reshape(2, 3, 5), id="a position each"),
    pytest.param((2, 3, 5), np.arange(15).reshape(1, 3, 5), id="a position a head"),
    pytest.param((1, 1), [4], id="one token"),
]


@pytest.mark.parametrize("dtype", CLOSE)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dim, rotary_dim", [(2, 2), (4, 4), (6, 6), (8, 4), (64, 64), (64, 16)])
@pytest.mark.parametrize("leading, positions", TABLE)
def test_fast_form_equals_the_definition(leading, positions, dim, rotary_dim, layout, dtype):
    """claim 5.1, 6.1, 6.4"""
    x = np.random.default_rng(0).normal(size=(*leading, dim)).astype(dtype)
    inv_freq = inverse_frequencies(rotary_dim)
    found = rotate(x, positions, inv_freq, layout=layout)
    assert found.dtype == dtype and found.shape == x.shape and found.flags.writeable
    assert_allclose(found, by_definition(x, positions, inv_freq, layout), rtol=0, atol=CLOSE[dtype])
    assert_array_equal(found[..., rotary_dim:], x[..., rotary_dim:])


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble, ">f4", ">f8"])
def test_fast_form_on_arrays_that_are_not_contiguous(layout, dtype):
    base = np.random.default_rng(0).normal(size=(2, 7, 3, 32)).astype(dtype)
    x, inv_freq = base.swapaxes(1, 2), inverse_frequencies(8)
    views = [x, x[..., ::2], x[..., ::-1], x[::-1, ..., 3:13], np.asfortranarray(x), np.broadcast_to(base[0, 0, 0], x.shape)]
    for view in views:
        found = rotate(view, np.arange(7), inv_freq, layout=layout)
        assert found.dtype == view.dtype
        assert_allclose(found.astype(float), by_definition(view, np.arange(7), inv_freq, layout),
                        rtol=0, atol=6e-3 if dtype is np.float16 else 1e-6)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("block", [1, 7, 64, 1000])
def test_blocks_do_not_show(monkeypatch, layout, block):
    """A row is turned alike in whatever block it comes, with positions shared by the batch or not."""
    x, inv_freq = np.random.default_rng(0).normal(size=(2, 3, 50, 10)), inverse_frequencies(8)
    for positions in (np.arange(50), np.random.default_rng(1).uniform(-500, 500, size=(2, 1, 50))):
        whole = rotate(x, positions, inv_freq, layout=layout)
        with monkeypatch.context() as patch:
            patch.setattr(_turning, "BLOCK", block)
            assert_array_equal(rotate(x, positions, inv_freq, layout=layout), whole)
        assert_allclose(whole, by_definition(x, positions, inv_freq, layout), atol=1e-12)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_fast_form_on_more_rows_than_a_block(layout):
    n = _turning.BLOCK // 32 + 5
    x, inv_freq = np.random.default_rng(0).normal(size=(2, 1, n, 64)), inverse_frequencies(64)
    found = rotate(x, np.arange(n), inv_freq, layout=layout)
    for i in [0, 1, 63, 64, 65, 127, 128, 1023, 1024, n // 2, n - 1]:
        assert_allclose(found[1, 0, i], rotation_matrix(i, inv_freq, layout) @ x[1, 0, i], atol=1e-11)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_fast_form_on_more_memory_than_a_page(layout, dtype):
    """Six million bytes of float32: the result's memory is laid out by hand, and every number of it is filled."""
    x, inv_freq = np.random.default_rng(0).normal(size=(3, 8000, 64)).astype(dtype), inverse_frequencies(32)
    found = rotate(x, np.arange(8000), inv_freq, layout=layout)
    assert_allclose(found[:, ::997], by_definition(x[:, ::997], np.arange(8000)[::997], inv_freq, layout), rtol=0, atol=CLOSE[dtype])
    if dtype is np.float32:
        assert_array_equal(found[:, 4000:5000], rotate(x[:, 4000:5000], np.arange(4000, 5000), inv_freq, layout=layout))


# --- properties ------------------------------------------------------------------------------------------------------


@steady
@given(SEEDS, PAIRS, POSITIONS, POSITIONS, LAYOUT)
def test_score_depends_on_the_relative_position(seed, pairs, a, b, layout):
    """claim 5.2: <R_a q, R_b k> = <q, R_(b-a) k>"""
    (q, k), inv_freq = vectors(seed, pairs), inverse_frequencies(2 * pairs)
    found = rotate(q, a, inv_freq, layout=layout) @ rotate(k, b, inv_freq, layout=layout)
    assert_allclose(found, q @ rotation_matrix(b - a, inv_freq, layout) @ k, atol=1e-9)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_gap_locked(layout):
    """claim 5.2: positions (3, 8) and (3003, 3008) give one score."""
    inv_freq = inverse_frequencies(8)
    near, far = (rotate(Q, i, inv_freq, layout=layout) @ rotate(K, j, inv_freq, layout=layout) for i, j in ((3, 8), (3003, 3008)))
    assert_allclose(near, far, atol=1e-11)
    assert abs(near - rotate(Q, 3, inv_freq, layout=layout) @ rotate(K, 9, inv_freq, layout=layout)) > 0.1


@steady
@given(SEEDS, PAIRS, POSITIONS, LAYOUT)
def test_lengths_are_kept_and_a_shared_rotation_keeps_angles(seed, pairs, position, layout):
    """claim 5.3"""
    q, k = vectors(seed, pairs)
    inv_freq = inverse_frequencies(2 * pairs)
    turned = rotate(np.stack([q, k]), [position, position], inv_freq, layout=layout)
    assert_allclose(np.linalg.norm(turned, axis=1), [np.linalg.norm(q), np.linalg.norm(k)], rtol=1e-12)
    assert_allclose(cosine_similarity(turned, turned), cosine_similarity([q, k], [q, k]), atol=1e-12)


@steady
@given(SEEDS, PAIRS, POSITIONS, POSITIONS, LAYOUT)
def test_turning_twice_is_turning_by_the_sum(seed, pairs, a, b, layout):
    """claim 5.2"""
    (x, _), inv_freq = vectors(seed, pairs), inverse_frequencies(2 * pairs)
    twice = rotate(rotate(x, a, inv_freq, layout=layout), b, inv_freq, layout=layout)
    assert_allclose(twice, rotate(x, a + b, inv_freq, layout=layout), atol=1e-11)
    assert_array_equal(rotate(x, 0, inv_freq, layout=layout), x)


@steady
@given(SEEDS, PAIRS, st.integers(1, 6), POSITIONS, LAYOUT)
def test_a_shift_of_all_positions_changes_no_score(seed, pairs, n, shift, layout):
    """claim 5.2, 7.4"""
    q, k = np.random.default_rng(seed).normal(size=(2, n, 2 * pairs))
    inv_freq, positions = inverse_frequencies(2 * pairs), np.arange(n)

    def scores(p):
        return rotate(q, p, inv_freq, layout=layout) @ rotate(k, p, inv_freq, layout=layout).T

    assert_allclose(scores(positions + shift), scores(positions), atol=1e-9)


@steady
@given(SEEDS, PAIRS, POSITIONS, POSITIONS, LAYOUT)
def test_a_consistent_minus_sign_is_a_convention_and_a_mixed_one_a_fault(seed, pairs, i, j, layout):
    """claim 6.6: both by -p reverses the relative position; one by +p, the other by -p, sees i + j."""
    (q, k), inv_freq = vectors(seed, pairs), inverse_frequencies(2 * pairs)

    def score(i, j):
        return rotate(q, i, inv_freq, layout=layout) @ rotate(k, j, inv_freq, layout=layout)

    assert_allclose(score(-i, -j), score(j, i), atol=1e-9)
    assert_allclose(score(i, -j), score(i + j, 0), atol=1e-9)


# --- pair by pair ----------------------------------------------------------------------------------------------------


@steady
@given(SEEDS, POSITIONS, POSITIONS, st.floats(0.001, 3))
def test_sign_of_the_sine(seed, i, j, frequency):
    """claim 5.4: cos(t)(q1 k1 + q2 k2) + sin(t)(q2 k1 - q1 k2) with t for key minus query; the other sign is wrong."""
    (q1, q2), (k1, k2) = vectors(seed, 1)
    score = rotate([q1, q2], i, [frequency]) @ rotate([k1, k2], j, [frequency])
    t = (j - i) * frequency
    assert_allclose(score, np.cos(t) * (q1 * k1 + q2 * k2) + np.sin(t) * (q2 * k1 - q1 * k2), atol=1e-9)


def test_the_other_sign_is_another_score():
    """claim 5.4"""
    score = rotate([1.0, 0.0], 0, [1.0]) @ rotate([0.0, 1.0], 1, [1.0])
    assert_allclose(score, -np.sin(1))
    assert_allclose(pair_contributions([1.0, 0.0], [0.0, 1.0], 1, [1.0]), [-np.sin(1)])


@steady
@given(SEEDS, PAIRS, POSITIONS, POSITIONS, LAYOUT)
def test_contributions_sum_to_the_score(seed, pairs, i, j, layout):
    """claim 5.6"""
    (q, k), inv_freq = vectors(seed, pairs), inverse_frequencies(2 * pairs)
    found = pair_contributions(q, k, j - i, inv_freq, layout=layout)
    assert found.shape == (pairs,)
    assert_allclose(found.sum(), rotate(q, i, inv_freq, layout=layout) @ rotate(k, j, inv_freq, layout=layout), atol=1e-9)


def test_contributions_broadcast_over_offsets_and_batches():
    inv_freq, offsets = inverse_frequencies(8), np.arange(-5, 6)
    found = pair_contributions(Q, K, offsets, inv_freq)
    assert found.shape == (11, 4)
    for row, offset in zip(found, offsets):
        assert_allclose(row, pair_contributions(Q, K, offset, inv_freq), atol=1e-15)
    assert pair_contributions(np.stack([Q, K])[:, None], K, offsets, inv_freq).shape == (2, 11, 4)
    assert abs(found - pair_contributions(Q, K, offsets, inv_freq, layout="half")).max() > 0.1


def test_fast_pairs_change_between_neighbours_and_slow_ones_do_not():
    """claim 5.6"""
    found = pair_contributions(Q, K, np.arange(50), inverse_frequencies(8))
    steps = abs(np.diff(found, axis=0)).max(axis=0) / np.hypot(*np.split(np.stack([*Q.reshape(4, 2).T]), 2)).ravel()
    assert (np.diff(steps) < 0).all() and steps[0] > 100 * steps[3]


def test_a_bias_adds_the_same_number_and_a_rotation_re_aligns():
    """claim 5.5: two contents at one offset change by different amounts, so it is no angle added to a cosine."""
    inv_freq = inverse_frequencies(8)
    changes = [pair_contributions(q, K, 3, inv_freq).sum() - q @ K for q in (Q, -Q, Q[::-1])]
    assert np.ptp(changes) > 1
    assert_allclose(changes[0], -changes[1])


def test_no_decay_for_independent_contents_and_a_fall_for_equal_ones():
    """claim 5.7: the mean over random q, k is 0 at every offset; with q = k it is the sum of cosines, not monotone."""
    inv_freq, offsets = inverse_frequencies(64), np.arange(0, 200, 7)
    rng = np.random.default_rng(0)
    q, k = rng.normal(size=(2, 4000, 1, 64))
    independent, equal = (pair_contributions(q, other, offsets, inv_freq).sum(-1) for other in (k, q))
    error = 1 / np.sqrt(4000)
    assert abs(independent.mean(axis=0) / 8).max() < 5 * error  # each score / sqrt(64) has variance 1
    assert_allclose(equal.mean(axis=0), 2 * offset_similarity(offsets, inv_freq), atol=5 * 64 * error)
    assert (np.diff(offset_similarity(np.arange(20), inv_freq)) > 0).any()


def test_values_are_left_alone():
    """Origin: case VR01: outputs stay when all positions move by 10, and move by up to 1.377 if values are turned too. claim 5.1"""
    q = np.array([[0.03, 1.36, 1.22, -0.51], [-0.3, -0.53, 0.57, -0.06], [0.75, -1.85, 1.57, -0.1],
                  [0.68, -0.14, -0.38, 0.46], [0.82, -0.2, -0.15, 0.69], [-0.87, -1.51, 0.39, -0.67]])
    k = np.array([[-1.92, -0.81, -0.47, -1.19], [-1.49, 0.04, 0.9, -0.23], [-0.74, 0.38, 0.72, -0.3],
                  [0.54, 1.04, -0.21, -0.81], [0.35, 0.25, 1.1, -1.28], [-0.66, -0.84, -1.73, 0.13]])
    v = np.array([[0.53, -0.74, 1.39, 0.82], [0.63, 0.4, 0.96, -1.33], [0.61, 0.6, -1.77, 0.35],
                  [-0.25, 0.78, -0.44, -0.02], [0.34, -0.88, 0.6, -0.1], [0.49, -0.52, 1.09, 0.61]])
    expected = [[0.53, -0.74, 1.39, 0.82], [0.5953032614270921, 0.004457180268850617, 1.1091959758635037, -0.5840201206824813],
                [0.6105473595074465, 0.4444926299577367, -0.7081473190342018, -0.1341609526202481],
                [0.38126032311001545, 0.12471506271954516, 0.2748116036761924, 0.05154886458726851],
                [0.39211777740115283, 0.06694378276892687, 0.28526815494955804, -0.07050918622194262],
                [0.421445709911834, -0.26659562106786233, 0.7098860107400382, 0.22365466641794984]]
    inv_freq = inverse_frequencies(4)

    def outputs(positions, turn_values=False):
        q_turned, k_turned, v_turned = (rotate(a, positions, inv_freq) for a in (q, k, v))
        return attention(q_turned, k_turned, v_turned if turn_values else v, causal_mask(6))[0]

    assert_allclose(outputs(np.arange(6)), expected, rtol=0, atol=1e-12)
    assert_allclose(outputs(np.arange(10, 16)), expected, rtol=0, atol=1e-12)
    assert_allclose(abs(outputs(np.arange(6), True) - outputs(np.arange(10, 16), True)).max(), 1.3772835324686534, atol=1e-9)


def test_built_in_and_not_learned():
    """claim 5.9: a target of the offset, fitted below 8 and on some pairs alone, holds beyond and on the pairs left out."""
    inv_freq, (q, k) = inverse_frequencies(8), (Q, K)
    along, across = np.tile([1.0, 0.0], 4), np.tile([0.0, 1.0], 4)

    def features(i, j):  # what one query and one key content can make of an offset: any mix of each pair's cosine and sine
        return np.hstack([pair_contributions(query, along, np.subtract(j, i), inv_freq) for query in (along, across)])

    def target(i, j):
        return pair_contributions(q, k, np.subtract(j, i), inv_freq).sum(axis=-1)

    everywhere = np.array(list(np.ndindex(8, 8)))
    seen = everywhere[everywhere.sum(axis=1) % 3 > 0]
    fitted = np.linalg.lstsq(features(*seen.T), target(*seen.T), rcond=None)[0]
    for where in (everywhere, everywhere + 90):
        assert_allclose(features(*where.T) @ fitted, target(*where.T), atol=1e-6)
    table = np.full((98, 98), np.nan)  # a learned table has an entry for each pair it has seen, and no other
    table[tuple(seen.T)] = target(*seen.T)
    assert np.isnan(table[0, 0]) and np.isnan(table[90:, 90:]).all()


# --- reported cases (float64, from the definitions) ------------------------------------------------------------------


@pytest.mark.parametrize(
    "x, position, rotary_dim, layout, expected",
    [
        pytest.param([1.0, 2, 3, 4], 3, 4, "interleaved", [-1.27223251272018, -1.8388649851410237, 2.87866810043698, 4.088186635603437],
                     id="PC01-interleaved"),
        pytest.param([1.0, 2, 3, 4], 3, 4, "half", [-1.413352520780047, 1.8791180666879925, -2.828857481741469, 4.058191135400942],
                     id="PC01-half"),
        pytest.param(Q, 17, 8, "half",
                     [-1.7172595758709321, -1.7256406323138873, 2.914458713461933, 0.5126771376238781,
                      -0.5486524848021614, -2.241018609495987, 0.7539432389283782, -0.7413920370207568], id="PC07-half"),
        pytest.param(Q, 9, 4, "interleaved",
                     [-0.08689329140116375, 2.2343790090111106, 2.9429189244369773, 0.7676120141000302, -1.5, 2.0, 0.25, -0.75], id="PA01"),
        pytest.param(K, 7, 4, "half",
                     [1.0339377258904414, 0.8576653055782142, -0.42540895498391007, 2.065044847844092, 1.5, -0.5, -2.0, 0.75], id="PA06"),
        pytest.param(K, 7, 8, "interleaved",
                     [-0.2800354715471367, 1.0823955537026992, -2.0532775617598706, 0.885466687331286, 1.531297924048686,
                      -0.39386122912034066, -2.005200957325188, 0.7359817394080844], id="RR01"),
        pytest.param([1.0, 2, 3, 4], -3, 4, "interleaved", [-0.7077524804807109, -2.121105001260758, 3.118632102056945, 3.908213634388463],
                     id="IX04-negative"),
        pytest.param([1.0, 2, 3, 4], 0.5, 4, "interleaved", [-0.08126851531803325, 2.2345906623849485, 2.979962583411354, 4.014949937604245],
                     id="IX04-fractional"),
    ],
)
def test_rotations_of_reported_cases(x, position, rotary_dim, layout, expected):
    """claim 6.7: a convention pinned by four numbers; 6.4: partial."""
    inv_freq = inverse_frequencies(rotary_dim)
    assert_allclose(rotate(x, position, inv_freq, layout=layout), expected, rtol=0, atol=1e-12)
    other = LAYOUTS[layout == "interleaved"]
    assert abs(rotate(x, position, inv_freq, layout=other) - expected).max() > 0.1


def test_re_rotation_of_cached_keys():
    """Origin: cases RR01 and PA06: from 10 by -3 is at 7, whole or in part."""
    for width, layout in ((8, "interleaved"), (4, "half")):
        inv_freq = inverse_frequencies(width)
        moved = rotate(rotate(K, 10, inv_freq, layout=layout), -3, inv_freq, layout=layout)
        assert_allclose(moved, rotate(K, 7, inv_freq, layout=layout), atol=1e-12)


def test_scores_of_reported_cases():
    """Origin: cases PC05, RS07 and PA08. claim 5.4, 6.6"""
    inv_freq = inverse_frequencies(8)

    def score(i, j, layout):
        return rotate(Q, i, inv_freq, layout=layout) @ rotate(K, j, inv_freq, layout=layout)

    assert_allclose(score(12, 5, "half"), -6.222839046045425, rtol=0, atol=1e-12)
    assert_allclose(score(12, 5, "interleaved"), -1.6302231427591978, rtol=0, atol=1e-12)
    assert_allclose([score(-12, -5, "interleaved"), score(5, 12, "interleaved")], [-12.299881808767575] * 2, rtol=0, atol=1e-12)
    assert_allclose(np.linalg.norm(rotate(Q, 33, inv_freq, layout="half")), 4.596194077712559, rtol=0, atol=1e-12)


def test_keys_use_their_own_positions():
    """Origin: case VR04: one query at 2 on three cached keys."""
    inv_freq = inverse_frequencies(8)
    found = rotate(Q, 2, inv_freq) @ rotate(np.tile(K, (3, 1)), [0, 1, 2], inv_freq).T
    assert_allclose(found, [-2.5854372920195945, -4.804751706425417, -7.812500000000001], rtol=0, atol=1e-12)


def test_rotation_comes_after_the_projection():
    """Origin: case VR03, weights on columns: rotation and projection do not commute."""
    w_q, w_k = np.array([[1.0, 2.0], [0.0, 1.0]]), np.array([[1.0, 0.0], [1.0, 1.0]])
    query, key = np.array([1.0, -1.0]), np.array([0.5, 2.0])
    after = rotate(w_q @ query, 3, [1.0]) @ rotate(w_k @ key, 1, [1.0])
    before = (w_q @ rotate(query, 3, [1.0])) @ (w_k @ rotate(key, 1, [1.0]))
    assert_allclose([after, before], [-0.5701543440099363, -1.8966122557689389], rtol=0, atol=1e-12)


ONES = [[1.0, 1.0, 1.0, 1.0], [-0.30116867893975674, 0.9899501670824986, 1.3817732906760363, 1.009949833750832],
        [-1.325444263372824, 0.9798013399732447, 0.4931505902785393, 1.019798673359911]]


def test_axis_order():
    """Origin: case AX01, (batch, seq, heads, dim): the position axis is the one before the last. claim 6.5"""
    x, inv_freq = np.ones((1, 3, 2, 4)), inverse_frequencies(4)
    right = rotate(x.swapaxes(1, 2), [0, 1, 2], inv_freq, layout="half").swapaxes(1, 2)
    for head in range(2):
        assert_allclose(right[0, :, head], ONES, rtol=0, atol=1e-12)
    with pytest.raises(ValueError, match="positions must have one entry a row"):
        rotate(x, [0, 1, 2], inv_freq, layout="half")
    square = np.ones((1, 3, 3, 4))  # three heads for three tokens: no shape complains, heads turn instead of tokens
    assert_allclose(rotate(square, [0, 1, 2], inv_freq, layout="half")[0, 0], ONES, rtol=0, atol=1e-12)


def test_nothing_is_remembered_between_calls():
    """Origin: case CP03: an offset that a cache ignores; and CP06: a sequence in two slices counts on."""
    x, inv_freq = np.ones((3, 4)), inverse_frequencies(4)
    assert_allclose(rotate(x, np.arange(3), inv_freq, layout="half"), ONES, rtol=0, atol=1e-12)
    shifted = [[1.2425864601263648, 0.9487710911242879, -0.6752620891999122, 1.0487294296656446],
               [1.2395857848492917, 0.9382365334557596, 0.6807547884514401, 1.0581645464146487],
               [0.09691565562451554, 0.9276081529157468, 1.4108888530620938, 1.0674938475908125]]
    assert_allclose(rotate(x, np.arange(5, 8), inv_freq, layout="half"), shifted, rtol=0, atol=1e-12)
    assert_allclose(rotate(x, np.arange(3), inv_freq, layout="half"), ONES, rtol=0, atol=1e-12)
    whole = [[1.0, 1.0, 1.0, 1.0], [-0.30116867893975674, 1.3817732906760363, 0.9899501670824986, 1.009949833750832],
             [-1.325444263372824, 0.4931505902785393, 0.9798013399732447, 1.019798673359911],
             [-1.1311125046603125, -0.8488724885405782, 0.9695545335464919, 1.0295455339514832]]
    slices = [rotate(np.ones((2, 4)), p, inv_freq) for p in ([0, 1], [2, 3])]
    assert_allclose(np.concatenate(slices), whole, rtol=0, atol=1e-12)


def test_sliced_frequencies_are_another_encoding():
    """claim 6.4: at 64 of 128 the slowest is 0.0115 instead of 0.000133; in half-split the partner is at rotary_dim/2."""
    whole, own = inverse_frequencies(128)[:32], inverse_frequencies(64)
    assert_allclose([whole[-1], own[-1]], [0.0115, 0.000133], rtol=5e-3)
    x = np.random.default_rng(0).normal(size=128)
    assert abs(rotate(x, 5, whole) - rotate(x, 5, own)).max() > 0.1
    turned = rotate(np.eye(8)[0], 1, [1.0, 0.1], layout="half")
    assert_array_equal(np.flatnonzero(turned), [0, 2])
    assert_array_equal(np.flatnonzero(rotate(np.eye(8)[0], 1, [1.0, 0.1, 0.01, 0.001], layout="half")), [0, 4])


# --- other packages (float32; positions 0, 17 and 4000 of base 10000) ------------------------------------------------

NEIGHBOURS = [[-2.19795823097229, -0.4110707640647888, -0.8823660612106323, 2.910572052001953,
               -1.816741943359375, 1.7173960208892822, 0.2627132534980774, -0.745641827583313],
              [-2.096954584121704, 0.7763901352882385, -1.1504292488098145, -2.815406322479248,
               -0.48981916904449463, -2.4515457153320312, -0.731012761592865, 0.30103206634521484]]
HALVES = [[-1.7172596454620361, -1.7256405353546143, 2.914458751678467, 0.5126771330833435,
           -0.5486524105072021, -2.241018772125244, 0.7539432048797607, -0.7413920760154724],
          [-1.7552026510238647, 2.7524313926696777, -2.1870925426483154, -0.8944236636161804,
           0.41141659021377563, 0.6512460708618164, 2.0686049461364746, 0.11183145642280579]]
REST = [-1.5, 2.0, 0.25, -0.75]
NEIGHBOURS_4 = [[-2.19795823097229, -0.4110707640647888, 2.8721632957458496, 1.000339388847351, *REST],
                [-2.096954584121704, 0.7763901352882385, -2.37337064743042, 1.9018703699111938, *REST]]
HALVES_4 = [[2.6090290546417236, -2.0557608604431152, -1.786887526512146, 0.15442770719528198, *REST],
            [1.3205643892288208, 0.9613195657730103, -2.873344659805298, -1.8236953020095825, *REST]]


@pytest.mark.parametrize(
    "layout, rotary_dim, rows",
    [
        # Origin: rotary-embedding-torch 0.9.1, apply_rotary_emb; x-transformers 2.31.10 gives the same numbers.
        pytest.param("interleaved", 8, NEIGHBOURS, id="rotary-embedding-torch"),
        # Origin: transformers 5.24.0, llama apply_rotary_pos_emb.
        pytest.param("half", 8, HALVES, id="transformers-llama"),
        # Origin: transformers 5.24.0, gptj apply_rotary_pos_emb on the first 4 of 8 features.
        pytest.param("interleaved", 4, NEIGHBOURS_4, id="transformers-gptj"),
        # Origin: transformers 5.24.0, gpt_neox with rotary_pct 0.5.
        pytest.param("half", 4, HALVES_4, id="transformers-gpt-neox"),
    ],
)
def test_other_packages(layout, rotary_dim, rows):
    """claim 6.1, 6.4: the tolerance allows for angles in float32 at position 4000."""
    x, inv_freq = np.tile(Q.astype(np.float32), (3, 1)), inverse_frequencies(rotary_dim)
    found = rotate(x, [0, 17, 4000], inv_freq, layout=layout)
    assert_allclose(found, [Q, *rows], rtol=0, atol=5e-4)
    assert_allclose(found[:2], [Q, rows[0]], rtol=0, atol=3e-6)
    assert abs(rotate(x, [0, 17, 4000], inv_freq, layout=LAYOUTS[layout == "interleaved"]) - [Q, *rows]).max() > 0.1


def test_half_split_with_interpolated_positions():
    """Origin: mlx 0.32.4, nn.RoPE(scale=0.25, offset=3): fractional positions 0.75, 1.0, ..."""
    x = [[-0.7418272330337938, -0.2053509472949358, -1.0140817540983742, 1.2574311685643127,
          0.0007408113270486798, 0.7282076523717657, -1.4447470714295654, -0.9659795159311171],
         [1.1732473649114097, -0.18170958730488848, -1.9446978239880384, -0.12405284917131836,
          0.49004976379304516, 0.25928919233587966, -0.4254846309391367, -0.47104139984391075]]
    expected = [[-0.5432916879653931, -0.25933805108070374, -1.0032176971435547, 1.2581552267074585,
                 -0.5051161646842957, 0.7107736468315125, -1.4523119926452637, -0.965036153793335],
                [0.22154557704925537, -0.20668752491474152, -1.9403457641601562, -0.12358175218105316,
                 1.2520285844802856, 0.2398531585931778, -0.4449099898338318, -0.4711652398109436]]
    assert_allclose(rotate(x, [0.75, 1.0], inverse_frequencies(8), layout="half"), expected, rtol=0, atol=1e-6)


def test_the_arithmetic_of_the_onnx_operator():
    """Origin: onnx 1.23.2, backend tests of RotaryEmbedding with rotary_embedding_dim 4, whose caches are no cosines and sines."""
    x = np.array([[0.54881352186203, 0.7151893377304077, 0.6027633547782898, 0.5448831915855408],
                  [0.9636627435684204, 0.3834415078163147, 0.7917250394821167, 0.5288949012756348]])
    cos = np.array([[0.024678727611899376, 0.06724963337182999], [0.6793927550315857, 0.4536968469619751]])
    sin = np.array([[0.18619300425052643, 0.9443724155426025], [0.739550769329071, 0.49045881628990173]])
    half = [[-0.09868630766868591, -0.4664764702320099, 0.11706067621707916, 0.7120482921600342],
            [0.06918460130691528, -0.08543497323989868, 1.2505698204040527, 0.4280202090740204]]
    assert_allclose(turned(_turning.turn_halves, x, cos + 1j * sin), half, rtol=0, atol=1e-7)
    cos = np.array([[0.4205394685268402, 0.557368814945221], [0.25868406891822815, 0.849038302898407]])
    sin = np.array([[0.32001715898513794, 0.38346388936042786], [0.8221177458763123, 0.1898479163646698]])
    neighbours = [[0.0019248872995376587, 0.4763950705528259, 0.12701846659183502, 0.534838855266571],
                  [-0.06594987213611603, 0.8914344906806946, 0.5717953443527222, 0.599359393119812]]
    assert_allclose(turned(_turning.turn_neighbours, x, cos + 1j * sin), neighbours, rtol=0, atol=1e-7)


def turned(turn, x, phases):
    out = np.empty_like(x)
    turn(x, out, phases)
    return out


# --- precision -------------------------------------------------------------------------------------------------------


def exact_cosine_and_sine(position, dim, base):
    """To 40 digits, from the series; the frequencies too are those of the formula, not their float64 neighbours."""
    two_pi = 2 * Decimal("3.14159265358979323846264338327950288419716939937510582097494459")
    for m in range(dim // 2):
        angle = position * Decimal(base) ** (Decimal(-2 * m) / dim) % two_pi
        term, series = Decimal(1), [Decimal(0), Decimal(0)]
        for power in range(60):
            series[power % 2] += term if power % 4 < 2 else -term
            term *= angle / (power + 1)
        yield series


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("position", [1, 4096, 131_072, 1_000_000])
def test_float32_stays_exact_at_long_context(layout, position):
    """claim 8.6: unit variance, float32, at most 1e-6 off the exact rotation, at a million tokens too."""
    with decimal.localcontext(prec=50):
        cos, sin = np.array(list(exact_cosine_and_sine(position, 128, 10_000)), dtype=np.longdouble).T
    x = np.random.default_rng(0).standard_normal((500, 1, 128)).astype(np.float32)
    first, second = (x[:, 0, ::2], x[:, 0, 1::2]) if layout == "interleaved" else np.split(x[:, 0], 2, axis=-1)
    exact = [first * cos - second * sin, first * sin + second * cos]
    found = rotate(x, [position], inverse_frequencies(128), layout=layout)[:, 0]
    found = (found[:, ::2], found[:, 1::2]) if layout == "interleaved" else np.split(found, 2, axis=-1)
    assert abs(np.stack(found) - np.stack(exact)).max() < 1e-6


def test_exact_cosine_agrees_with_another_library():
    """Origin: mpmath 1.3.0, 50 digits: cos(10**6 * 10000**(-10/128))."""
    with decimal.localcontext(prec=50):
        cos, _ = list(exact_cosine_and_sine(10**6, 128, 10_000))[5]
    assert abs(cos - Decimal("-0.24110783098809863949128229757533848951178636153707")) < Decimal("1e-35")


def test_angles_in_float32_would_not_do():
    """Origin: case PR10: at position 10**6 of base 500000 a float32 angle is 0.036 off in its cosine. claim 8.6"""
    inv_freq = inverse_frequencies(128, 500_000)
    single = np.float32(1e6) * inv_freq.astype(np.float32)
    assert_allclose(abs(np.cos(single.astype(float)) - np.cos(1e6 * inv_freq)).max(), 0.036481021889960275, rtol=0.3)
    x = np.tile(np.array([1.0, 0.0], np.float32), 64)
    assert_allclose(rotate(x, 10**6, inv_freq)[::2], np.cos(1e6 * inv_freq), rtol=0, atol=1e-7)


@pytest.mark.parametrize("positions", [[2**24 + 1], np.array([2**24 + 1], np.int32), np.array([2**24 + 1], np.uint64), [16777217.0]])
def test_positions_are_not_rounded_to_float32(positions):
    found = rotate(np.array([[1.0, 0.0]], np.float32), positions, [1.0])
    assert_allclose(found, [[np.cos(16777217.0), np.sin(16777217.0)]], rtol=0, atol=1e-7)


# --- shapes, types, errors -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(0, 4), (2, 0, 4), (0, 3, 4), (2, 0, 3, 4)])
def test_empty_sequences_and_batches(shape, layout):
    assert rotate(np.ones(shape), np.arange(shape[-2]), [1.0, 0.1], layout=layout).shape == shape
    assert rotate(np.ones(shape, np.float16), np.arange(shape[-2]), [1.0], layout=layout).dtype == np.float16


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_x_is_left_as_it_was(layout, dtype):
    x, positions, inv_freq = np.ones((3, 8), dtype), np.arange(3.0), inverse_frequencies(4)
    copies = [a.copy() for a in (x, positions, inv_freq)]
    x.flags.writeable = False
    for p in (positions, 0 * positions):
        rotate(x, p, inv_freq, layout=layout)[...] = 9
    for now, before in zip((x, positions, inv_freq), copies):
        assert_array_equal(now, before)


def test_every_argument_of_rotate_matters():
    x, positions, inv_freq = np.random.default_rng(0).normal(size=(3, 4)), np.arange(3), np.array([1.0, 0.1])
    first = rotate(x, positions, inv_freq)
    for other in (rotate(x + 1, positions, inv_freq), rotate(x, positions + 1, inv_freq), rotate(x, positions, inv_freq[:1]),
                  rotate(x, positions, inv_freq * 2), rotate(x, positions, inv_freq, layout="half")):
        assert abs(other - first).max() > 0.01
    assert_array_equal(rotate(x, positions, inv_freq, layout="interleaved"), first)
    assert_array_equal(rotation_matrix(2, inv_freq), rotation_matrix(2, inv_freq, "interleaved"))
    assert abs(rotation_matrix(2, inv_freq) - rotation_matrix(2, inv_freq, "half")).max() > 0.1
    contributions = pair_contributions(Q, K, 1, inverse_frequencies(8))
    for other in (pair_contributions(K, K, 1, inverse_frequencies(8)), pair_contributions(Q, Q, 1, inverse_frequencies(8)),
                  pair_contributions(Q, K, -1, inverse_frequencies(8)), pair_contributions(Q, K, 1, inverse_frequencies(8, 100))):
        assert abs(other - contributions).max() > 0.01


@pytest.mark.parametrize("layout", LAYOUTS)
def test_nan_stays_in_its_pair(layout):
    x = np.ones((2, 6))
    x[0, 0] = np.nan
    found = np.isnan(rotate(x, [1, 2], [1.0, 0.1, 0.01], layout=layout))
    assert_array_equal(np.argwhere(found), [[0, 0], [0, 1 if layout == "interleaved" else 3]])


def test_a_position_of_a_batch_row_is_not_taken_for_a_head_s():
    """Two rows, two heads: (batch, n) would fit the heads' axis and be wrong. It is refused; (batch, 1, n) is right."""
    x, padded = np.ones((2, 2, 3, 4)), np.array([[0, 0, 1], [0, 1, 2]])
    with pytest.raises(ValueError, match=r"got shape \(2, 3\) for x of shape \(2, 2, 3, 4\)$"):
        rotate(x, padded, [1.0])
    found = rotate(x, padded[:, None], [1.0])
    for row in range(2):
        assert_array_equal(found[row, 1], rotate(x[row, 1], padded[row], [1.0]))


def test_left_padding_gives_the_scores_of_no_padding():
    """Origin: case LP06, positions from the count of real tokens: any constant start will do. claim 5.2"""
    q, k = np.random.default_rng(0).normal(size=(2, 1, 1, 5, 8))
    inv_freq = inverse_frequencies(8)
    plain = attention_scores(rotate(q[..., 2:, :], [0, 1, 2], inv_freq), rotate(k[..., 2:, :], [0, 1, 2], inv_freq))
    padded = attention_scores(rotate(q, [[[1, 1, 0, 1, 2]]], inv_freq), rotate(k, [[[1, 1, 0, 1, 2]]], inv_freq))
    assert_allclose(padded[..., 2:, 2:], plain, atol=1e-12)


X = np.ones((3, 4))
FIT = r"^positions must have one entry a row of x, shape \(3,\), or an axis of its size or 1 for each axis of x before the last, got shape "


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: rotate(X.astype(int), [0, 1, 2], [1.0]),
         r"^x must hold floats, since a turned integer is no integer, got dtype int64, shape \(3, 4\)$"),
        (lambda: rotate([1, 2], 0, [1.0]), r"^x must hold floats, .*, got dtype int64, shape \(2,\)$"),
        (lambda: rotate(X.astype(np.uint8), [0, 1, 2], [1.0]), "^x must hold floats, .*, got dtype uint8"),
        (lambda: rotate(X > 0, [0, 1, 2], [1.0]), r"^x must hold real numbers, got dtype bool, shape \(3, 4\)$"),
        (lambda: rotate(X * 1j, [0, 1, 2], [1.0]), r"^x must hold real numbers, got dtype complex128, shape \(3, 4\)$"),
        (lambda: rotate(None, [0], [1.0]), r"^x must hold real numbers, got dtype object, shape \(\)$"),
        (lambda: rotate(1.0, 0, [1.0]), r"^x must have at least 1 axis, got shape \(\)$"),
        (lambda: rotate(X[:, :3], [0, 1, 2], [1.0]),
         r"^x must have an even number of features, since they turn in pairs \(or fewer frequencies\), got shape \(3, 3\)$"),
        # Origin: case OD03
        (lambda: rotate(np.ones((2, 9)), [0, 1], [1.0] * 4), r"^x must have an even number of features, .* got shape \(2, 9\)$"),
        (lambda: rotate(X, [0, 1], [1.0]), FIT + r"\(2,\) for x of shape \(3, 4\)$"),
        (lambda: rotate(X, [0], [1.0]), FIT + r"\(1,\) for x of shape \(3, 4\)$"),
        (lambda: rotate(X, 0, [1.0]), FIT + r"\(\) for x of shape \(3, 4\)$"),
        (lambda: rotate(X, [[0, 1, 2]], [1.0]), FIT + r"\(1, 3\) for x of shape \(3, 4\)$"),
        (lambda: rotate(np.ones((2, 3, 4)), np.zeros((3, 3)), [1.0]), FIT + r"\(3, 3\) for x of shape \(2, 3, 4\)$"),
        (lambda: rotate(np.ones((2, 3, 4)), np.zeros((2, 1)), [1.0]), FIT + r"\(2, 1\) for x of shape \(2, 3, 4\)$"),
        (lambda: rotate(np.ones((3, 2, 4)), np.zeros((2, 2)), [1.0]), r"^positions must .*, got shape \(2, 2\) for x of shape \(3, 2, 4\)$"),
        (lambda: rotate(X[0], [0], [1.0]), r"^positions must be one number, since x is one row, got shape \(1,\) for x of shape \(4,\)$"),
        (lambda: rotate(X, [0, np.nan, 2], [1.0]), r"^positions must be finite, got nan, shape \(3,\)$"),
        (lambda: rotate(X, [0, 1, np.inf], [1.0]), r"^positions must be finite, got inf, shape \(3,\)$"),
        (lambda: rotate(X, [0, 1j, 2], [1.0]), r"^positions must hold real numbers, got dtype complex128, shape \(3,\)$"),
        (lambda: rotate(X, [True, False, True], [1.0]), r"^positions must hold real numbers, got dtype bool, shape \(3,\)$"),
        (lambda: rotate(X, [0, 1, 2], [1.0, 0.1, 0.01]), r"^inv_freq must hold at most one frequency a pair, 2, got shape \(3,\)$"),
        (lambda: rotate(np.ones((3, 0)), [0, 1, 2], [1.0]), r"^inv_freq must hold at most one frequency a pair, 0, got shape \(1,\)$"),
        (lambda: rotate(X, [0, 1, 2], []), r"^inv_freq must hold one frequency a pair, shape \(dim/2,\), got shape \(0,\)$"),
        (lambda: rotate(X, [0, 1, 2], [[1.0]]), r"^inv_freq must hold one frequency a pair, shape \(dim/2,\), got shape \(1, 1\)$"),
        (lambda: rotate(X, [0, 1, 2], [np.nan]), r"^inv_freq must be finite, got nan, shape \(1,\)$"),
        (lambda: rotate(X, [0, 1, 2], [1.0], layout="sines_first"), "^layout must be one of interleaved, half, got 'sines_first'$"),
        (lambda: rotate(X, [0, 1, 2], [1.0], layout=None), "^layout must be one of interleaved, half, got None$"),
        (lambda: rotation_matrix([1, 2], [1.0]), r"^position must be one number, got shape \(2,\)$"),
        (lambda: rotation_matrix(np.inf, [1.0]), r"^position must be finite, got inf, shape \(\)$"),
        (lambda: rotation_matrix(1, 1.0), r"^inv_freq must hold one frequency a pair, shape \(dim/2,\), got shape \(\)$"),
        (lambda: rotation_matrix(1, [1.0], "full"), "^layout must be one of interleaved, half, got 'full'$"),
        (lambda: pair_contributions(Q, K, 1, [1.0]), r"^q and k must have 2 features, two a frequency, got shapes \(8,\), \(8,\)$"),
        (lambda: pair_contributions(Q, K[:4], 1, [1.0] * 4), r"^q and k must have 8 features, two a frequency, got shapes \(8,\), \(4,\)$"),
        (lambda: pair_contributions(Q * np.nan, K, 1, [1.0] * 4), r"^q must be finite, got nan, shape \(8,\)$"),
        (lambda: pair_contributions(Q, K > 0, 1, [1.0] * 4), r"^k must hold real numbers, got dtype bool, shape \(8,\)$"),
        (lambda: pair_contributions(np.stack([Q, Q]), K, [1, 2, 3], [1.0] * 4),
         r"^the leading axes of q, k and relative must broadcast, got shapes \(2,\) and \(\) and \(3,\)$"),
        (lambda: pair_contributions(Q, K, [1, np.nan], [1.0] * 4), r"^relative must be finite, got nan, shape \(2,\)$"),
        (lambda: pair_contributions(Q, K, [1e308], [1e10] * 4),
         r"^relative times inv_freq must be finite, got sizes up to 1e\+308 and 10000000000.0, shapes \(1,\) and \(4,\)$"),
        (lambda: rotate(X, [0, -1e308, 2], [1.0, 1e10]), r"^positions times inv_freq must be finite, got sizes up to 1e\+308 and .*, shapes \(3,\) and \(2,\)$"),
        (lambda: rotation_matrix(1e308, [1e10]), r"^position times inv_freq must be finite, got .*, shapes \(\) and \(1,\)$"),
        (lambda: pair_contributions(Q, K, 1, [1.0] * 4, layout="full"), "^layout must be one of interleaved, half, got 'full'$"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("layout", ["interleaved", "half"])
def test_a_head_of_an_odd_width_may_turn_in_part(layout):
    """as its first even part does by itself; the rest passes through"""
    x = np.random.default_rng(0).normal(size=(5, 7))
    turned = rotate(x, np.arange(5), [1.0, 0.1], layout=layout)
    np.testing.assert_allclose(turned[:, :4], rotate(x[:, :4], np.arange(5), [1.0, 0.1], layout=layout), atol=1e-15)
    assert (turned[:, 4:] == x[:, 4:]).all()


def test_a_masked_array_is_refused_since_its_mask_would_be_lost():
    masked = np.ma.masked_array(np.ones((2, 4)), mask=np.eye(2, 4) == 1)
    with pytest.raises(ValueError, match=r"^x must be a plain array, since the mask of a masked one would be lost, got a masked array, shape \(2, 4\)$"):
        rotate(masked, [0, 1], [1.0, 0.1])
    with pytest.raises(ValueError, match="positions must be a plain array"):
        rotate(np.ones((2, 4)), np.ma.masked_array([0, 1]), [1.0, 0.1])
