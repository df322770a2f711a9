"""Biases on the scores: ALiBi, T5's buckets and a learned table, and what a bias of the offset can and cannot do."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pe_lib.additive import score_terms
from pe_lib.attention import attention, attention_scores, causal_mask, softmax
from pe_lib.biases import alibi_bias, alibi_slopes, bucket_bias, relative_buckets, relative_positions, table_bias
from pe_lib.rotary import rotate

COUNTS = st.integers(0, 12)
steady = settings(deadline=None, derandomize=True, database=None, max_examples=50)

# --- relative positions ----------------------------------------------------------------------------------------------


@steady
@given(COUNTS, COUNTS)
def test_relative_is_key_minus_query_and_the_queries_are_the_last(n_query, n_key):
    """claim 4.1"""
    relative = relative_positions(n_query, n_key)
    assert relative.shape == (n_query, n_key) and relative.dtype.kind == "i"
    for i in range(n_query):
        for j in range(n_key):
            assert relative[i, j] == j - (n_key - n_query + i)


@steady
@given(COUNTS, COUNTS)
def test_relative_positions_and_causal_mask_agree_on_where_the_queries_stand(n_query, n_key):
    assert_array_equal(causal_mask(n_query, n_key) == 0, relative_positions(n_query, n_key) <= 0)


def test_relative_positions_of_as_many_queries_as_keys():
    assert_array_equal(relative_positions(3), [[0, 1, 2], [-1, 0, 1], [-2, -1, 0]])
    assert_array_equal(relative_positions(3), -relative_positions(3).T)  # query minus key is the other sign


def test_more_queries_than_keys_start_before_the_first_key():
    assert_array_equal(relative_positions(3, 1), [[2], [1], [0]])
    assert_array_equal(causal_mask(3, 1), [[-np.inf], [-np.inf], [0]])


def test_clipped_indices():
    """Origin: case IX05, key minus query; case RS01 counts query minus key, so its table is read from the other end."""
    assert_array_equal(table_bias(4, 4, [0.0, 1, 2]), [[1, 2, 2, 2], [0, 1, 2, 2], [0, 0, 1, 2], [0, 0, 0, 1]])
    content_to_position = [[2, 1, 0, 0], [3, 2, 1, 0], [3, 3, 2, 1], [3, 3, 3, 2]]
    assert_array_equal(np.minimum(table_bias(4, 4, [4.0, 3, 2, 1, 0]), 3), content_to_position)


# --- ALiBi -----------------------------------------------------------------------------------------------------------

# Origin: bloom and mpt of transformers 5.24.0, x-transformers 2.31.10 and mlx 0.32.4, which agree within 2e-8 (float32).
EIGHT = [0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625]
FOUR = [0.25, 0.0625, 0.015625, 0.00390625]
BETWEEN = [0.7071067690849304, 0.3535533845424652, 0.1767766922712326, 0.0883883461356163, 0.04419417306780815,
           0.022097086533904076, 0.011048543266952038]
PACKAGES = {2: [0.0625, 0.00390625], 3: [0.0625, 0.00390625, 0.25], 6: [*FOUR, 0.5, 0.125], 7: [*FOUR, 0.5, 0.125, 0.03125],
            8: EIGHT, 9: EIGHT + BETWEEN[:1], 11: EIGHT + BETWEEN[:3], 12: EIGHT + BETWEEN[:4], 15: EIGHT + BETWEEN}


@pytest.mark.parametrize("heads", PACKAGES)
def test_slopes_of_other_packages(heads):
    """claim 4.2"""
    assert_allclose(alibi_slopes(heads), PACKAGES[heads], rtol=0, atol=2e-8)


@pytest.mark.parametrize(
    "heads, slopes",
    [
        pytest.param(1, [2**-8], id="AS01-n1"),
        pytest.param(2, [2**-4, 2**-8], id="AS01-n2"),
        pytest.param(8, EIGHT, id="AS01-n8"),
        pytest.param(12, EIGHT + [2**-0.5, 2**-1.5, 2**-2.5, 2**-3.5], id="AS01-n12"),
        pytest.param(14, EIGHT + [2**-0.5, 2**-1.5, 2**-2.5, 2**-3.5, 2**-4.5, 2**-5.5], id="AS01-n14"),
        pytest.param(16, [2 ** (-h / 2) for h in range(1, 17)], id="AS01-n16"),
        pytest.param(40, [2 ** (-h / 4) for h in range(1, 33)] + [2 ** (-h / 8) for h in range(1, 17, 2)], id="AS01-n40"),
    ],
)
def test_slopes_of_reported_cases(heads, slopes):
    """Origin: cases AS01, float64. claim 4.2"""
    assert_allclose(alibi_slopes(heads), slopes, rtol=1e-15)


@pytest.mark.parametrize("heads", range(1, 130))
def test_slopes_of_any_number_of_heads(heads):
    """claim 4.2: the largest power of two below, then every other slope of twice as many heads."""
    power = max(p for p in (1, 2, 4, 8, 16, 32, 64, 128) if p <= heads)
    own = [2 ** (-8 * h / power) for h in range(1, power + 1)]
    doubled = [2 ** (-8 * h / (2 * power)) for h in range(1, 2 * power + 1)]
    assert_allclose(alibi_slopes(heads), (own + doubled[::2])[:heads], rtol=1e-14)
    assert len(set(alibi_slopes(heads))) == heads


def test_one_series_through_twelve_heads_is_another_rule():
    """Origin: case AS04: the paper's text read literally; checkpoints follow the authors' code."""
    single = 2 ** (-8 * np.arange(1, 13) / 12)
    assert_allclose(single[:3], [0.6299605249474366, 0.3968502629920499, 0.25], rtol=1e-12)
    assert abs(alibi_slopes(12) - single).max() > 0.1
    assert alibi_slopes(8)[0] == 0.5  # case AS06: not 1


@pytest.mark.parametrize(
    "n_query, n_key, slope, expected",
    [
        pytest.param(4, 4, 0.25, -0.25 * np.abs(np.subtract.outer(range(4), range(4))), id="AB08-symmetric"),
        pytest.param(1, 5, 0.5, [[-2.0, -1.5, -1.0, -0.5, 0.0]], id="AB02-decode"),
        pytest.param(3, 5, 1.0, [[-2, -1, 0, -1, -2], [-3, -2, -1, 0, -1], [-4, -3, -2, -1, 0]], id="AB13-memory"),
    ],
)
def test_alibi_of_reported_cases(n_query, n_key, slope, expected):
    """Origin: cases AB08, AB02 and AB13, the last with -|.| ahead of the query where the case has no mask yet."""
    assert_array_equal(alibi_bias(n_query, n_key, slope), expected)


def test_alibi_under_a_causal_mask():
    """Origin: case AB01, slope 0.5: it must fall with distance. claim 4.2"""
    inf = np.inf
    expected = [[0.0, -inf, -inf, -inf], [-0.5, 0.0, -inf, -inf], [-1.0, -0.5, 0.0, -inf], [-1.5, -1.0, -0.5, 0.0]]
    assert_array_equal(alibi_bias(4, 4, 0.5) + causal_mask(4), expected)
    assert_array_equal(0.5 * relative_positions(4) + causal_mask(4), expected)


def test_alibi_has_one_map_a_head():
    bias = alibi_bias(3, 5, alibi_slopes(4))
    assert bias.shape == (4, 3, 5)
    for head, slope in zip(bias, alibi_slopes(4)):
        assert_array_equal(head, alibi_bias(3, 5, slope))
    assert alibi_bias(2, None, 1.0).shape == (2, 2)
    assert_array_equal(alibi_bias(2, 3, 0.0), np.zeros((2, 3)))


def test_the_bias_is_added_after_the_scaling():
    """Origin: cases AB10 and AB11: 8/sqrt(64) - 10 = -9; scaled with the scores, -10 is worth -1.25 or -0.8839."""
    q, k = np.zeros((2, 1, 64))
    q[0, 0], k[0, 0] = 8, 1
    assert attention_scores(q, k)[0, 0] - 10 == -9
    assert_allclose(-10 / np.sqrt([64, 128]), [-1.25, -0.8838834764831843], rtol=1e-12)


# --- T5 --------------------------------------------------------------------------------------------------------------

# Origin: transformers 5.24.0, T5Attention._relative_position_bucket; x-transformers 2.31.10 and keras-hub 0.32.0 agree.
# Buckets of the relative positions -300 ... 300 (key minus query), as bucket x how many in a row.
T5 = {
    (True, 16, 64): "15x251 14x11 13x9 12x7 11x5 10x4 9x3 8x3 7x1 6x1 5x1 4x1 3x1 2x1 1x1 0x301",
    (True, 32, 128): "31x188 30x14 29x12 28x10 27x10 26x8 25x7 24x6 23x6 22x5 21x4 20x4 19x3 18x3 17x2 16x3 15x1 14x1 13x1 "
                     "12x1 11x1 10x1 9x1 8x1 7x1 6x1 5x1 4x1 3x1 2x1 1x1 0x301",
    (True, 64, 256): "63x61 62x15 61x14 60x13 59x13 58x11 57x11 56x10 55x10 54x9 53x8 52x8 51x8 50x6 49x7 48x6 47x6 46x5 45x5 "
                     "44x5 43x4 42x4 41x4 40x4 39x3 38x3 37x3 36x3 35x3 34x2 33x2 32x3 31x1 30x1 29x1 28x1 27x1 26x1 25x1 24x1 "
                     "23x1 22x1 21x1 20x1 19x1 18x1 17x1 16x1 15x1 14x1 13x1 12x1 11x1 10x1 9x1 8x1 7x1 6x1 5x1 4x1 3x1 2x1 "
                     "1x1 0x301",
    (False, 32, 20): "15x283 14x2 13x1 12x2 11x1 10x1 9x2 8x1 7x1 6x1 5x1 4x1 3x1 2x1 1x1 0x1 17x1 18x1 19x1 20x1 21x1 22x1 "
                     "23x1 24x1 25x2 26x1 27x1 28x2 29x1 30x2 31x283",
    (False, 64, 256): "31x85 30x34 29x29 28x25 27x20 26x17 25x14 24x13 23x10 22x8 21x7 20x7 19x5 18x4 17x3 16x4 15x1 14x1 13x1 "
                      "12x1 11x1 10x1 9x1 8x1 7x1 6x1 5x1 4x1 3x1 2x1 1x1 0x1 33x1 34x1 35x1 36x1 37x1 38x1 39x1 40x1 41x1 42x1 "
                      "43x1 44x1 45x1 46x1 47x1 48x4 49x3 50x4 51x5 52x7 53x7 54x8 55x10 56x13 57x14 58x17 59x20 60x25 61x29 "
                      "62x34 63x85",
    (False, 8, 16): "3x295 2x4 1x1 0x1 5x1 6x4 7x295",
}


def unrolled(runs):
    return [int(bucket) for run in runs.split() for bucket, count in [run.split("x")] for _ in range(int(count))]


@pytest.mark.parametrize("causal, buckets, max_distance", T5)
def test_buckets_of_other_packages(causal, buckets, max_distance):
    """claim 4.3"""
    expected = unrolled(T5[causal, buckets, max_distance])
    assert len(expected) == 601
    assert_array_equal(relative_buckets(np.arange(-300, 301), buckets, max_distance, causal=causal), expected)


def test_buckets_of_exact_logarithms():
    """Origin: case T502, logarithms to 40 digits; bucket 16, "ahead by 0", is never used. claim 4.3"""
    distances = np.array([0, 1, 2, 7, 8, 9, 11, 12, 15, 16, 22, 23, 31, 32, 45, 46, 63, 64, 90, 91, 127, 128, 129, 1000, 100_000])
    past = [0, 1, 2, 7, 8, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15, 15, 15, 15, 15]
    future = [0, 17, 18, 23, 24, 24, 24, 25, 25, 26, 26, 27, 27, 28, 28, 29, 29, 30, 30, 31, 31, 31, 31, 31, 31]
    assert_array_equal(relative_buckets(-distances, causal=False), past)
    assert_array_equal(relative_buckets(distances, causal=False), future)
    assert relative_buckets(-1000, causal=False) == 15  # 21 without the minimum: a bucket of keys ahead
    assert 16 not in relative_buckets(np.arange(-1000, 1000), causal=False)


def test_last_bucket_starts_before_max_distance():
    """claim 4.3: at 113 causal, at 91 both ways, of 128."""
    assert_array_equal(relative_buckets([-112, -113, -10**9], causal=True), [30, 31, 31])
    assert_array_equal(relative_buckets([-90, -91, 90, 91], causal=False), [14, 15, 30, 31])


@steady
@given(st.integers(2, 64), st.integers(1, 300))
def test_bucket_formula_one_distance_at_a_time(buckets, beyond):
    """claim 4.3: half exact, half logarithmic; in integers, since a floor of logarithms may be one off."""
    exact, wide = buckets // 2, buckets - buckets // 2
    max_distance = exact + beyond
    found = relative_buckets(-np.arange(2 * max_distance), buckets, max_distance, causal=True)
    for distance, bucket in enumerate(found):
        steps = 0
        if distance >= exact:  # the largest step with exact (max/exact)^(step/wide) <= distance
            while steps < wide - 1 and distance**wide >= max_distance ** (steps + 1) * exact ** (wide - steps - 1):
                steps += 1
        assert bucket == min(distance, exact) + steps


def test_exact_powers_open_a_bucket():
    """claim 4.3: the logarithmic half of 8 buckets up to 64 is 4, 8, 16, 32, where a log in floats may fall short."""
    found = relative_buckets([0, -1, -2, -3, -4, -7, -8, -15, -16, -31, -32, -1000], 8, 64, causal=True)
    assert_array_equal(found, [0, 1, 2, 3, 4, 4, 5, 5, 6, 6, 7, 7])


@steady
@given(st.integers(2, 32).map(lambda half: 2 * half), st.booleans())
def test_buckets_grow_with_distance_and_tell_ahead_from_behind(buckets, causal):
    """claim 4.3"""
    behind = relative_buckets(-np.arange(300), buckets, 200, causal=causal)
    ahead = relative_buckets(np.arange(1, 300), buckets, 200, causal=causal)
    assert (np.diff(behind) >= 0).all() and behind[0] == 0
    assert max(behind.max(), ahead.max()) == buckets - 1
    if causal:
        assert not ahead.any()
    else:
        assert_array_equal(ahead, behind[1:] + buckets // 2)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.uint64])
def test_buckets_of_any_integer_type(dtype):
    assert_array_equal(relative_buckets(np.array([0, 1, 100], dtype), causal=False), [0, 17, 31])
    assert relative_buckets(np.array([-128], np.int8), causal=True) == 31


def test_buckets_at_the_far_ends():
    """The largest numbers that are taken land in the outermost buckets, and the starts are exact up to the largest reach."""
    far = 2**62 - 1
    assert_array_equal(relative_buckets([-far, far], causal=True), [31, 0])
    assert_array_equal(relative_buckets([-far, far], causal=False), [15, 31])
    assert relative_buckets([], causal=True).shape == (0,)
    assert_array_equal(relative_buckets([-(2**20) + 1, -(2**20)], 4, 2**39, causal=True), [2, 3])  # 2 * sqrt(2**38) = 2**20
    assert_array_equal(relative_buckets([-(2**29) + 1, -(2**29)], 8, 2**38, causal=True), [6, 7])  # 4 * (2**36)**(3/4) = 2**29


def test_bucket_bias_looks_up_one_number_a_bucket_and_head():
    table = np.random.default_rng(0).normal(size=(3, 32))
    bias = bucket_bias(4, 200, table, causal=False)
    buckets = relative_buckets(relative_positions(4, 200), causal=False)
    assert bias.shape == (3, 4, 200)
    for head in range(3):
        for i, j in [(0, 0), (3, 199), (1, 150), (0, 199)]:
            assert bias[head, i, j] == table[head, buckets[i, j]]


def test_every_argument_of_the_biases_matters():
    table = np.arange(32.0)
    bias = bucket_bias(100, 200, table, causal=False)
    assert abs(bucket_bias(100, 200, table, causal=True) - bias).max() > 1
    assert abs(bucket_bias(100, 200, table, 64, causal=False) - bias).max() > 1
    assert abs(bucket_bias(100, 200, table[::-1], causal=False) - bias).max() > 1
    assert abs(bucket_bias(100, 100, table, causal=False) - bias[:, :100]).max() > 1
    assert abs(alibi_bias(2, 3, 1.0) - alibi_bias(2, 3, 2.0)).max() == 2
    assert (relative_buckets(20, 32, causal=True), relative_buckets(-20, 32, causal=True), relative_buckets(-20, 16, causal=True)) == (0, 17, 10)
    assert bucket_bias(2, None, table, causal=True).shape == table_bias(2, None, [0.0]).shape == (2, 2)


@steady
@given(st.integers(0, 4), COUNTS, COUNTS)
def test_a_table_has_a_number_an_offset_up_to_its_reach(reach, n_query, n_key):
    """claim 4.1"""
    table = np.random.default_rng(0).normal(size=(2, 2 * reach + 1))
    bias = table_bias(n_query, n_key, table)
    assert bias.shape == (2, n_query, n_key)
    for i, j in np.ndindex(n_query, n_key):
        offset = j - (n_key - n_query + i)
        assert_array_equal(bias[:, i, j], table[:, max(-reach, min(reach, offset)) + reach])


# --- what a bias does ------------------------------------------------------------------------------------------------


def random_head(seed, n=5, d=4):
    return np.random.default_rng(seed).normal(size=(3, n, d))


def test_score_is_content_plus_place_and_the_weights_are_a_product():
    """claim 4.4: a is proportional to exp(content) exp(bias); log a - bias is the content up to a constant per row."""
    q, k, v = random_head(0)
    bias = alibi_bias(5, 5, 0.7)
    _, weights = attention(q, k, v, bias)
    product = np.exp(attention_scores(q, k)) * np.exp(bias)
    assert_allclose(weights, product / product.sum(axis=-1, keepdims=True), atol=1e-15)
    rest = np.log(weights) - bias - attention_scores(q, k)
    assert_allclose(rest, rest[:, :1] * np.ones(5), atol=1e-12)


def test_the_same_weights_split_in_more_than_one_way():
    """claim 4.4: without the bias in hand the weights do not say what was content and what was place."""
    near, liked = alibi_bias(1, 3, 1.0), np.array([[2.0, 1.0, 0.0]])
    assert_allclose(softmax(liked + near), softmax(np.zeros((1, 3)) + np.zeros((1, 3))), atol=1e-15)


def test_content_can_overrule_a_bias():
    """claim 4.4: the same bias, two contents: near wins while the contents are alike, a far match still wins."""
    bias = alibi_bias(1, 9, 0.5)
    plain, match = np.zeros((1, 9)), np.zeros((1, 9))
    match[0, 0] = 6
    assert softmax(plain + bias).argmax() == 8
    assert softmax(match + bias).argmax() == 0


@steady
@given(st.integers(1, 9), st.floats(0.1, 4), st.integers(0, 1000))
def test_softmax_is_blind_to_a_constant_per_row(n, slope, seed):
    """claim 4.5: under a causal mask slope (j - i), slope j and -slope |j - i| give the same weights."""
    q, k, v = random_head(seed, n)
    forms = [slope * relative_positions(n), slope * np.arange(n) * np.ones((n, 1)), alibi_bias(n, n, slope)]
    weights = [attention(q, k, v, form + causal_mask(n))[1] for form in forms]
    assert_allclose(weights[1], weights[0], atol=1e-9)
    assert_allclose(weights[2], weights[0], atol=1e-9)


def test_without_the_mask_the_forms_part():
    """claim 4.5: slope (j - i) and slope j still agree, but not with -slope |j - i|."""
    q, k, v = random_head(1)
    linear, by_key, distance = (attention(q, k, v, bias)[1] for bias in
                                (0.5 * relative_positions(5), 0.5 * np.arange(5.0), alibi_bias(5, 5, 0.5)))
    assert_allclose(linear, by_key, atol=1e-12)
    assert abs(linear - distance).max() > 0.1


@steady
@given(st.integers(2, 8), st.floats(0, 4))
def test_alibi_is_blind_to_direction_and_a_table_need_not_be(n, slope):
    """claim 4.1"""
    assert_array_equal(alibi_bias(n, n, slope), alibi_bias(n, n, slope).T)
    table = table_bias(n, n, [1.0, 0.0, -1.0])
    assert abs(table - table.T).max() == 2


def test_not_every_bias_is_relative():
    """claim 4.1: a bonus for key 0 depends on j alone, and no b(j - i) equals it."""
    sink = np.zeros((4, 4))
    sink[:, 0] = 5
    relative = relative_positions(4)
    assert len({sink[i, j] for i, j in np.argwhere(relative == -1)}) == 2


def looks(scores):
    """Which of three keys, left, own, right, the middle query prefers."""
    return scores[1].argmax()


def test_no_bias_of_the_offset_sends_one_query_left_and_another_right():
    """claim 4.6: the keys left and right are alike, so content ties and b(-1) - b(1) decides for both queries alike."""
    key = np.ones((3, 2))
    left, right = np.array([[0.0, 1.0]] * 3), np.array([[0.0, -1.0]] * 3)
    for seed in range(50):
        bias = table_bias(3, 3, np.random.default_rng(seed).normal(size=5))
        gap = [(attention_scores(query, key) + bias)[1, 0] - (attention_scores(query, key) + bias)[1, 2] for query in (left, right)]
        assert_allclose(gap[0], gap[1], atol=1e-12)


def test_a_rotation_sends_one_query_left_and_another_right():
    """claim 4.6: q at a right angle to k: the sine's term alone, whose sign is the query's."""
    inv_freq, positions = [np.pi / 4], [0, 1, 2]
    key = rotate(np.array([[1.0, 0.0]] * 3), positions, inv_freq)
    for query, side in (([0.0, -1.0], 0), ([0.0, 1.0], 2)):
        assert looks(attention_scores(rotate(np.array([query] * 3), positions, inv_freq), key)) == side


def test_an_added_encoding_sends_one_query_left_and_another_right():
    """claim 4.6: content-position terms depend on the query's content."""
    position = np.array([[0.0, 0.0, -1.0], [0.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # here the third feature is the place
    w_k = np.array([[0.0], [0.0], [1.0]])  # the key shows its place
    w_q = np.array([[-1.0], [1.0], [0.0]])  # word A asks for minus, word B for plus
    for word, side in (([1.0, 0.0, 0.0], 0), ([0.0, 1.0, 0.0], 2)):
        content = np.array([[0.0, 0.0, 0.0], word, [0.0, 0.0, 0.0]])
        assert looks(sum(score_terms(content, position, w_q, w_k).values())) == side


# --- shapes and errors -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_query, n_key", [(0, 0), (0, 3), (3, 0), (1, 1), (5, 2)])
def test_empty_and_single_token_sequences(n_query, n_key):
    for bias in (relative_positions(n_query, n_key), alibi_bias(n_query, n_key, 1.0), table_bias(n_query, n_key, [0.0]),
                 bucket_bias(n_query, n_key, np.zeros(32), causal=True), bucket_bias(n_query, n_key, np.zeros(32), causal=False)):
        assert bias.shape == (n_query, n_key)
    assert relative_buckets([], causal=True).shape == (0,)


def test_arguments_are_left_as_they_were():
    table, slopes, relative = np.arange(33.0), np.ones(3), np.arange(-5, 6)
    copies = [a.copy() for a in (table, slopes, relative)]
    for result in (table_bias(3, 3, table), alibi_bias(3, 3, slopes), bucket_bias(3, 3, table[1:], causal=True),
                   relative_buckets(relative, causal=False)):
        result[...] = 9
    for now, before in zip((table, slopes, relative), copies):
        assert_array_equal(now, before)


def test_causal_must_be_said():
    with pytest.raises(TypeError, match="causal"):
        relative_buckets([0])
    with pytest.raises(TypeError, match="causal"):
        bucket_bias(1, 1, [0.0, 1.0])


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: relative_positions(-1), "^n_query must be an integer of at least 0, got -1$"),
        (lambda: relative_positions(2, 2.0), "^n_key must be an integer of at least 0, got 2.0$"),
        (lambda: relative_positions(True), "^n_query must be an integer of at least 0, got True$"),
        (lambda: alibi_slopes(0), "^heads must be an integer of at least 1, got 0$"),
        (lambda: alibi_slopes(-4), "^heads must be an integer of at least 1, got -4$"),
        (lambda: alibi_slopes(8.0), "^heads must be an integer of at least 1, got 8.0$"),
        (lambda: alibi_slopes(True), "^heads must be an integer of at least 1, got True$"),
        (lambda: alibi_bias(2, 2, [0.5, -0.5]), r"^slopes must be at least 0, so that near is favoured, got -0.5, shape \(2,\)$"),
        (lambda: alibi_bias(2, 2, np.nan), r"^slopes must be finite, got nan, shape \(\)$"),
        (lambda: alibi_bias(2, 2, "1"), r"^slopes must hold real numbers, got dtype <U1, shape \(\)$"),
        (lambda: alibi_bias(-2, 2, 1.0), "^n_query must be an integer of at least 0, got -2$"),
        (lambda: relative_buckets([0.5], causal=True), r"^relative must hold integers, got dtype float64, shape \(1,\)$"),
        (lambda: relative_buckets([True], causal=True), r"^relative must hold integers, got dtype bool, shape \(1,\)$"),
        (lambda: relative_buckets([1j], causal=True), r"^relative must hold integers, got dtype complex128, shape \(1,\)$"),
        (lambda: relative_buckets([[1], [2, 3]], causal=True),
         r"^relative must be a rectangular array of integers, got \[\[1\], \[2, 3\]\]$"),
        (lambda: relative_buckets(np.array([2**63], np.uint64), causal=False),
         r"^relative must be between -2\*\*62 and 2\*\*62, got 9223372036854775808, shape \(1,\)$"),
        (lambda: relative_buckets(np.uint64(2**64 - 1), causal=True), r"^relative must be between .*, got 18446744073709551615, shape \(\)$"),
        (lambda: relative_buckets([0, -(2**63)], causal=True), r"^relative must be between .*, got -9223372036854775808, shape \(2,\)$"),
        (lambda: relative_buckets(-(2**63), causal=False), r"^relative must be between .*, got -9223372036854775808, shape \(\)$"),
        (lambda: relative_buckets(2**62, causal=False), r"^relative must be between .*, got 4611686018427387904, shape \(\)$"),
        (lambda: relative_buckets([10**400], causal=False), r"^relative must hold integers, got dtype object, shape \(1,\)$"),
        (lambda: relative_buckets([0], max_distance=10**400, causal=True), r"^max_distance must be at most 2\*\*40, got 10{400}$"),
        (lambda: relative_buckets([0], max_distance=2**40 + 1, causal=False), r"^max_distance must be at most 2\*\*40, got 1099511627777$"),
        (lambda: relative_buckets([0], causal=1), "^causal must be True or False, got 1$"),
        (lambda: relative_buckets([0], causal=None), "^causal must be True or False, got None$"),
        (lambda: relative_buckets([0], 1, causal=True), "^buckets must be an integer of at least 2, got 1$"),
        (lambda: relative_buckets([0], 2, causal=False), "^buckets must be an integer of at least 4, got 2$"),
        (lambda: relative_buckets([0], 33, causal=False),
         "^buckets must be even, half for keys behind and half for keys ahead, got 33$"),
        (lambda: relative_buckets([0], 32.0, causal=True), "^buckets must be an integer of at least 2, got 32.0$"),
        (lambda: relative_buckets([0], 32.0, causal=False), "^buckets must be an integer of at least 4, got 32.0$"),
        (lambda: relative_buckets([0], 32, 16, causal=True), "^max_distance must be an integer of at least 17, got 16$"),
        (lambda: relative_buckets([0], 32, 8, causal=False), "^max_distance must be an integer of at least 9, got 8$"),
        (lambda: relative_buckets([0], 32, np.inf, causal=False), "^max_distance must be an integer of at least 9, got inf$"),
        (lambda: bucket_bias(2, 2, np.zeros(5), causal=False),
         r"^table must have an even number of buckets, at least 4, on its last axis, got shape \(5,\)$"),
        (lambda: bucket_bias(2, 2, np.zeros((3, 2)), causal=False), r"^table must have an even number of buckets, at least 4, .* got shape \(3, 2\)$"),
        (lambda: bucket_bias(2, 2, [0.0], causal=True), r"^table must have at least 2 buckets on its last axis, got shape \(1,\)$"),
        (lambda: bucket_bias(2, 2, [], causal=True), r"^table must have at least 2 buckets on its last axis, got shape \(0,\)$"),
        (lambda: bucket_bias(2, 2, 0.0, causal=True), r"^table must have at least 1 axis, got shape \(\)$"),
        (lambda: bucket_bias(2, 2, [np.inf, 0.0], causal=True), r"^table must be finite, got inf, shape \(2,\)$"),
        (lambda: bucket_bias(2, -2, [0.0, 0.0], causal=True), "^n_key must be an integer of at least 0, got -2$"),
        (lambda: table_bias(2, 2, [0.0, 1.0]), r"^table must have an odd last axis, offsets -reach ... reach, got shape \(2,\)$"),
        (lambda: table_bias(2, 2, []), r"^table must have an odd last axis, offsets -reach ... reach, got shape \(0,\)$"),
        (lambda: table_bias(2, 2, 1.0), r"^table must have at least 1 axis, got shape \(\)$"),
        (lambda: table_bias(2, 2, [np.nan]), r"^table must be finite, got nan, shape \(1,\)$"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_another_exponent_is_the_one_of_the_flattest_head():
    """MPT's alibi_bias_max; for a power of two the flattest slope is 2 ** -exponent"""
    for exponent in (4.0, 8.0, 16.0):
        slopes = alibi_slopes(8, exponent)
        assert slopes[-1] == 2.0**-exponent and np.allclose(slopes[1:] / slopes[:-1], 2 ** (-exponent / 8))
    assert np.array_equal(alibi_slopes(12, 8.0), alibi_slopes(12))
    for wrong in (0, -8, np.inf):
        with pytest.raises(ValueError, match="^exponent must"):
            alibi_slopes(8, wrong)
