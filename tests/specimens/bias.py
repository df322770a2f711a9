"""Position biases, broken and sound: separate functions, as their authors might have written them."""

import math

import numpy as np


def slopes_of(n):
    """The authors' slopes, in their recursive form."""
    if math.log2(n).is_integer():
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return [start * start**i for i in range(n)]
    power = 2 ** math.floor(math.log2(n))
    return slopes_of(power) + slopes_of(2 * power)[0::2][: n - power]


SLOPES = np.array(slopes_of(8))[:, None, None]


def offsets(n_query, n_key):
    return np.arange(n_key)[None, :] - np.arange(n_key - n_query, n_key)[:, None]


# --- ALiBi, sound ----------------------------------------------------------------------------------------------------


def sound_symmetric(n_query, n_key):
    """An encoder's, and good under a mask."""
    return -SLOPES * abs(offsets(n_query, n_key))


def sound_masked(n_query, n_key):
    """A decoder's with its mask, case AB01."""
    relative = offsets(n_query, n_key)
    return np.where(relative > 0, -np.inf, SLOPES * relative)


def sound_finite_mask(n_query, n_key):
    """The mask is -1e9, in float32."""
    relative = offsets(n_query, n_key)
    return (SLOPES * relative + np.where(relative > 0, -1e9, 0)).astype(np.float32)


def sound_bloom(n_query, n_key):
    """Slope times the key's index, one row for all queries."""
    return SLOPES * np.arange(n_key)


def sound_memory(n_query, n_key):
    """Case AB13: relative positions with memory, nothing hidden."""
    return SLOPES * offsets(n_query, n_key)


def sound_batch_axis(n_query, n_key):
    return sound_masked(n_query, n_key)[None]


def sound_tril(n_query, n_key):
    """Zeros ahead: for use beside a mask."""
    return SLOPES * np.minimum(offsets(n_query, n_key), 0)


def sound_loops(n_query, n_key):
    """Number by number, for 12 heads."""
    slopes = slopes_of(12)
    return np.array([[[-s * abs(i + n_key - n_query - j) for j in range(n_key)] for i in range(n_query)] for s in slopes])


def sound_one_head(n_query, n_key):
    """One table of slope 0.25, case AB08."""
    return -0.25 * abs(offsets(n_query, n_key))


def sound_one_length(n):
    """Takes one length: for training alone."""
    return np.tril(SLOPES * offsets(n, n)) + np.triu(np.full((n, n), -np.inf), 1)


# --- ALiBi, broken ---------------------------------------------------------------------------------------------------


def far_is_favoured(n_query, n_key):
    """Case AB01 the wrong way round: query minus key."""
    return np.where(offsets(n_query, n_key) > 0, -np.inf, -SLOPES * offsets(n_query, n_key))


def far_is_favoured_both_ways(n_query, n_key):
    return SLOPES * abs(offsets(n_query, n_key))


def first_slope_one(n_query, n_key):
    """Case AS06: heads counted from 0."""
    slopes = 2.0 ** (-8 * np.arange(8) / 8)
    return -slopes[:, None, None] * abs(offsets(n_query, n_key))


def series_too_late(n_query, n_key):
    slopes = 2.0 ** (-8 * (np.arange(8) + 2) / 8)
    return -slopes[:, None, None] * abs(offsets(n_query, n_key))


def paper_text_for_twelve(n_query, n_key):
    """Case AS04: one series where the authors' code has two."""
    slopes = 2.0 ** (-8 * np.arange(1, 13) / 12)
    return -slopes[:, None, None] * abs(offsets(n_query, n_key))


def wrong_between_powers(n_query, n_key):
    """The slopes of the double from the second on: repeats of those there are."""
    slopes = np.array(slopes_of(8) + slopes_of(16)[1::2][:4])
    return -slopes[:, None, None] * abs(offsets(n_query, n_key))


def sorted_slopes(n_query, n_key):
    slopes = np.sort(slopes_of(12))[::-1]
    return -slopes[:, None, None] * abs(offsets(n_query, n_key))


def flattest_head_first(n_query, n_key):
    return -SLOPES[::-1] * abs(offsets(n_query, n_key))


def one_slope_for_all(n_query, n_key):
    return np.repeat(-SLOPES[:1] * abs(offsets(n_query, n_key)), 8, axis=0)


def slopes_of_sixteen(n_query, n_key):
    """Case AS01: half of the heads on each of two devices, and the first half's slopes on both."""
    slopes = np.array(slopes_of(16)[:8])
    return -slopes[:, None, None] * abs(offsets(n_query, n_key))


def second_device(n_query, n_key):
    slopes = np.array(slopes_of(16)[8:])
    return -slopes[:, None, None] * abs(offsets(n_query, n_key))


def divided_by_root_of_width(n_query, n_key):
    """Cases AB10, AB11: the bias is scaled with the scores, sqrt(64)."""
    return -SLOPES * abs(offsets(n_query, n_key)) / np.sqrt(64)


def powers_of_e(n_query, n_key):
    slopes = np.exp(-np.arange(1, 9.0))
    return -slopes[:, None, None] * abs(offsets(n_query, n_key))


def exponent_positive(n_query, n_key):
    slopes = 2.0 ** np.arange(1, 9)
    return -slopes[:, None, None] * abs(offsets(n_query, n_key))


def largest_exponent_twelve(n_query, n_key):
    slopes = 2.0 ** (-12 * np.arange(1, 9) / 8)
    return -slopes[:, None, None] * abs(offsets(n_query, n_key))


def zeros_when_decoding(n_query, n_key):
    """Case AB02: the table of the queries alone, broadcast over the cache."""
    n = n_query
    table = -SLOPES * abs(offsets(n, n))
    return table if n > 1 else np.broadcast_to(table, (8, 1, n_key))


def aligned_top_left(n_query, n_key):
    """Case AB02: query i stands at key i."""
    return -SLOPES * abs(np.arange(n_key)[None, :] - np.arange(n_query)[:, None])


def mask_top_left(n_query, n_key):
    """Case CM01 in a bias: the mask alone is aligned top-left."""
    return SLOPES * np.arange(n_key) + np.triu(np.full((n_query, n_key), -np.inf), 1)


def no_memory_shift(n_query, n_key):
    """Case AB13: the distance ignores the memory."""
    return -SLOPES * abs(np.arange(n_query)[:, None] - np.arange(n_key))


def along_the_queries(n_query, n_key):
    """The row's index where the column's is meant."""
    return SLOPES * np.broadcast_to(np.arange(n_query)[:, None], (n_query, n_key))


def exchanged_axes(n_query, n_key):
    return sound_symmetric(n_query, n_key).swapaxes(1, 2)


def heads_last(n_query, n_key):
    return np.moveaxis(sound_symmetric(n_query, n_key), 0, -1)


def multiplied_mask(n_query, n_key):
    """A mask of -inf times the bias: 0 * inf."""
    relative = offsets(n_query, n_key)
    return SLOPES * relative * np.where(relative > 0, -np.inf, 1) * np.where(relative > 0, 0, 1)


def upside_down_mask(n_query, n_key):
    relative = offsets(n_query, n_key)
    return np.where(relative < 0, -np.inf, -SLOPES * abs(relative))


def own_token_hidden(n_query, n_key):
    relative = offsets(n_query, n_key)
    return np.where(relative >= 0, -np.inf, SLOPES * relative)


def sees_one_ahead(n_query, n_key):
    relative = offsets(n_query, n_key)
    return np.where(relative > 1, -np.inf, -SLOPES * abs(relative))


def squared_distance(n_query, n_key):
    return -SLOPES * offsets(n_query, n_key) ** 2


def logarithm_of_distance(n_query, n_key):
    return -SLOPES * np.log1p(abs(offsets(n_query, n_key)))


def clipped_distance(n_query, n_key):
    """All that is beyond 128 tokens is treated alike."""
    return -SLOPES * np.minimum(abs(offsets(n_query, n_key)), 128)


def half_precision_positions(n_query, n_key):
    """Slope times key index, in float16: neighbours beyond 2048 tie."""
    return (SLOPES * np.arange(n_key)).astype(np.float16)


def bfloat_positions(n_query, n_key):
    """Key indices rounded to eight binary digits."""
    index = np.arange(n_key)
    step = 2.0 ** np.maximum(np.floor(np.log2(np.maximum(index, 1))) - 7, 0)
    return SLOPES * np.rint(index / step) * step


def integer_slopes(n_query, n_key):
    """Integer arithmetic cuts every slope to 0."""
    return SLOPES.astype(int) * offsets(n_query, n_key)


def returns_nothing(n_query, n_key):
    sound_symmetric(n_query, n_key)


def raises_on_a_cache(n_query, n_key):
    """A buffer for as many queries as keys."""
    table = np.empty((8, n_key, n_key))
    table[:, :n_query] = -SLOPES * abs(offsets(n_query, n_key))
    if n_query != n_key:
        raise IndexError("index out of range in self")
    return table


def one_table_too_few(n_query, n_key):
    return sound_symmetric(n_query, n_key)[:7]


# --- pairs of faults -------------------------------------------------------------------------------------------------


def far_favoured_and_first_slope_one(n_query, n_key):
    slopes = 2.0 ** -np.arange(8.0)
    return slopes[:, None, None] * abs(offsets(n_query, n_key))


def top_left_and_reversed(n_query, n_key):
    return -SLOPES[::-1] * abs(np.arange(n_key) - np.arange(n_query)[:, None])


def scaled_and_upside_down_in_decoding(n_query, n_key):
    """Divided by sqrt(128), and all zeros with one query."""
    table = -SLOPES * abs(offsets(n_query, n_key)) / np.sqrt(128)
    return table if n_query > 1 else table * 0


# --- T5, sound -------------------------------------------------------------------------------------------------------


def t5(relative, both=True, buckets=32, max_distance=128, minimum=True, cut=np.floor, strict=True, log=np.log):
    """The published form, with everything that can go wrong as an argument."""
    relative = np.asarray(relative)
    result = np.zeros(relative.shape, dtype=np.int64)
    n = -relative
    if both:
        buckets //= 2
        result = result + ((n < 0) if strict else (n <= 0)) * buckets
        n = np.abs(n)
    else:
        n = np.maximum(n, 0)
    exact = buckets // 2
    share = log(np.maximum(n, 1) / exact) / log(np.float64(max_distance) / exact) * (buckets - exact)
    large = (exact + cut(share + 1e-9)).astype(np.int64)
    if minimum:
        large = np.minimum(large, buckets - 1)
    return result + np.where(n < exact, n, large)


def sound_both_ways(relative):
    return t5(relative)


def sound_causal(relative):
    return t5(relative, both=False)


def sound_scalar(relative):
    """One number at a time, in plain Python."""
    shift, n = (16, relative) if relative > 0 else (0, -relative)
    if n < 8:
        return shift + n
    return shift + min(15, 8 + int(math.log(n / 8) / math.log(16) * 8 + 1e-9))


# --- T5, broken ------------------------------------------------------------------------------------------------------


def relative_is_query_minus_key(relative):
    return t5(-relative)


def causal_the_wrong_way_round(relative):
    return t5(-relative, both=False)


def no_minimum(relative):
    """Case T502: bucket 21 at -1000, which belongs to the other side."""
    return t5(relative, minimum=False)


def own_token_in_second_half(relative):
    """Case T502: bucket 16 at relative 0."""
    return t5(relative, strict=False)


def largest_distance_256(relative):
    return t5(relative, max_distance=256)


def sixty_four_buckets(relative):
    return t5(relative, buckets=64)


def all_buckets_on_each_side(relative):
    """The number of buckets is not halved."""
    return t5(relative, both=False, buckets=32) + np.where(relative > 0, 32 + t5(-relative, both=False, buckets=32), 0)


def rounded_logarithm(relative):
    return t5(relative, cut=np.rint)


def rounded_up(relative):
    return t5(relative, cut=lambda share: np.ceil(share - 2e-9))


def hair_off_at_borders(relative):
    """The logarithm lands just below an integer at 16, 32 and 64."""
    return t5(relative, cut=lambda share: np.floor(share - 2e-9))


def distance_one_too_far(relative):
    return np.where(relative == 0, 0, t5(relative + np.sign(relative)))


def distance_one_too_near(relative):
    return t5(relative - np.sign(relative)) + np.where(relative == 1, 16, 0)


def no_division_by_exact(relative):
    """log(128) for log(128 / 8) in the denominator."""
    return t5(relative, max_distance=1024)


def no_logarithm(relative):
    near = np.minimum(abs(relative), 15)
    return near + 16 * (relative > 0)


def direction_lost(relative):
    return t5(-abs(relative))


def float_buckets(relative):
    n = np.abs(relative)
    large = 8 + np.log(np.maximum(n, 1) / 8) / np.log(16) * 8
    return np.where(n < 8, n, np.minimum(large, 15)) + 16 * (relative > 0)


def one_bucket(relative):
    return np.zeros_like(relative)


def negative_ahead(relative):
    """A causal form without max(-relative, 0)."""
    return np.where(-relative < 16, -relative, t5(relative, both=False))


def swapped_and_no_minimum(relative):
    return t5(-relative, minimum=False)


def reach_64_and_own_token(relative):
    return t5(relative, max_distance=64, strict=False)
