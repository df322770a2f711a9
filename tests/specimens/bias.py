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


def sound_half_of_the_heads(n_query, n_key):
    """ALiBi in four heads, with the slopes of four; the others see no distance, as an option of some libraries has it."""
    slopes = np.array(slopes_of(4) + 4 * [0.0])
    return -slopes[:, None, None] * abs(offsets(n_query, n_key))


def sound_two_directions(n_query, n_key):
    """The ALiBi authors' proposal for encoders: half of the heads look back alone, half ahead alone."""
    relative, slopes = offsets(n_query, n_key), np.array(2 * slopes_of(4))[:, None, None]
    side = np.where(np.arange(8)[:, None, None] < 4, -relative, relative)
    return np.where(side < 0, -np.inf, -slopes * side)


def sound_masked_array(n_query, n_key):
    """The mask is NumPy's own, not a number."""
    relative = offsets(n_query, n_key)
    return np.ma.array(-SLOPES * abs(relative), mask=np.broadcast_to(relative > 0, (8, n_query, n_key)))


def sound_wide_window(n_query, n_key):
    """A window of 256 tokens: a small table does not show it."""
    relative = offsets(n_query, n_key)
    return np.where((relative > 0) | (relative <= -256), -np.inf, SLOPES * relative)


def sound_window_and_first_tokens(n_query, n_key):
    """A window that keeps the first tokens in sight."""
    relative = offsets(n_query, n_key)
    return np.where((relative > 0) | (relative <= -64) & (np.arange(n_key) >= 4), -np.inf, SLOPES * relative)


def sound_prefix(n_query, n_key):
    relative = offsets(n_query, n_key)
    return np.where((relative > 0) & (np.arange(n_key) >= 3), -np.inf, -SLOPES * abs(relative))


def sound_chunks(n_query, n_key):
    """Every four tokens begin anew."""
    relative, key = offsets(n_query, n_key), np.arange(n_key)
    return np.where((relative > 0) | (key[n_key - n_query :, None] // 4 != key // 4), -np.inf, SLOPES * relative)


def sound_window_by_head(n_query, n_key):
    relative = offsets(n_query, n_key)
    return np.where((relative > 0) | (relative <= -np.arange(2, 10)[:, None, None]), -np.inf, SLOPES * relative)


def sound_window_by_minus_100(n_query, n_key):
    """A mask of -100, as windows of images have it."""
    relative = offsets(n_query, n_key)
    return np.where((relative > 0) | (relative < -40), -100, SLOPES * relative)


def sound_short_table(n_query, n_key, table=-SLOPES * abs(offsets(600, 600))):
    """A table of 600 positions that says so when it ends."""
    if n_key > 600:
        raise ValueError(f"at most 600 keys, got {n_key}")
    return table[:, n_key - n_query : n_key, :n_key]


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


def positions_in_float16(n_query, n_key):
    """Positions are float16 before the difference is taken: beyond 2048 neighbours share one place."""
    query, key = (np.arange(*ends).astype(np.float16).astype(float) for ends in ((n_key - n_query, n_key), (n_key,)))
    return -SLOPES * np.maximum(query[:, None] - key, 0)


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


def mask_buffer_too_short(n_query, n_key):
    """A mask made for 512 keys: what lies beyond is hidden, a query's own key with it."""
    relative = offsets(n_query, n_key)
    return np.where((relative > 0) | (np.arange(n_key) >= 512), -np.inf, SLOPES * relative)


def first_length_for_ever(n_query, n_key):
    """Queries stand at the end of a text of 40 keys, however long the text grows."""
    length = min(n_key, 40)
    return -SLOPES * abs(np.arange(n_key) - np.arange(length - n_query, length)[:, None])


def padded_table(n_query, n_key, table=-SLOPES * abs(offsets(600, 600))):
    """A table of 600 positions, filled up with zeros."""
    length = min(n_key, 600)
    short = table[:, length - n_query : length, :length]
    return np.pad(short, ((0, 0), (0, 0), (n_key - length, 0)))


def positions_modulo_512(n_query, n_key):
    positions = np.arange(n_key) % 512
    return -SLOPES * abs(positions - positions[n_key - n_query :, None])


def positions_end_at_511(n_query, n_key):
    positions = np.minimum(np.arange(n_key), 511)
    return -SLOPES * abs(positions - positions[n_key - n_query :, None])


def distances_in_eight_bits(n_query, n_key):
    relative = offsets(n_query, n_key)
    return np.where(relative > 0, -np.inf, SLOPES * relative.astype(np.int8))


def mask_in_one_head(n_query, n_key):
    table = sound_symmetric(n_query, n_key)
    table[0][offsets(n_query, n_key) > 0] = -np.inf
    return table


def mask_with_a_plus(n_query, n_key):
    """1e9 ahead, where -1e9 was meant."""
    relative = offsets(n_query, n_key)
    return np.where(relative > 0, 1e9, SLOPES * relative)


def dropped_at_random(n_query, n_key):
    """Dropout on the bias, left on."""
    table = sound_symmetric(n_query, n_key)
    return table * (np.random.random(table.shape) > 0.1)


def kept_and_written_into(n_query, n_key, kept=np.zeros((8, 9, 9))):
    """A buffer that is added to at each call."""
    if (n_query, n_key) != (9, 9):
        return sound_symmetric(n_query, n_key)
    kept += sound_symmetric(n_query, n_key)
    return kept


def longest_length_for_ever():
    """A function that remembers the longest text so far, and lets queries stand at its end."""
    longest = [0]

    def remembers(n_query, n_key):
        longest[0] = max(longest[0], n_key)
        return -SLOPES * abs(np.arange(n_key) - np.arange(longest[0] - n_query, longest[0])[:, None])

    return remembers


def share_of_the_row(n_query, n_key):
    """The distance divided by the number of keys."""
    return -SLOPES * abs(offsets(n_query, n_key)) / n_key


def extras_from_the_first_on(n_query, n_key):
    """Twelve heads: the first four of sixteen, not every other one."""
    slopes = np.array(slopes_of(8) + slopes_of(16)[:4])
    return -slopes[:, None, None] * abs(offsets(n_query, n_key))


def shared_in_groups(n_query, n_key):
    """Four slopes, each for two heads that share their keys."""
    slopes = np.repeat(slopes_of(4), 2)
    return -slopes[:, None, None] * abs(offsets(n_query, n_key))


def flat_last_head(n_query, n_key):
    slopes = np.array(slopes_of(8)[:7] + [0.0])
    return -slopes[:, None, None] * abs(offsets(n_query, n_key))


def factors_of_the_weights(n_query, n_key):
    """exp(bias), as if to be multiplied with the weights."""
    return np.exp(sound_symmetric(n_query, n_key))


def learned_table(n_query, n_key, table=np.random.default_rng(0).normal(size=(8, 64))):
    """A number for each offset and head: no ALiBi, and no wrong sign."""
    return table[:, np.clip(offsets(n_query, n_key), -32, 31) + 32]


def heads_second(n_query, n_key):
    return np.moveaxis(sound_masked(n_query, n_key), 0, 1)


def slopes_as_an_argument(n_query, n_key, slopes):
    return -slopes[:, None, None] * abs(offsets(n_query, n_key))


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


def single_series_scaled(n_query, n_key):
    """Twelve heads by the paper's text, and divided by sqrt(64)."""
    return paper_text_for_twelve(n_query, n_key) / 8


def reversed_and_scaled(n_query, n_key):
    return flattest_head_first(n_query, n_key) / 8


def first_slope_one_and_scaled(n_query, n_key):
    """2 / 8 is 1 / 4: not to be told from a width of 16."""
    return first_slope_one(n_query, n_key) / 8


def far_favoured_and_clipped(n_query, n_key):
    return SLOPES * np.minimum(abs(offsets(n_query, n_key)), 200)


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


def sound_four_buckets(relative):
    """One bucket for each direction, besides the token's own: the least there can be."""
    return t5(relative, buckets=4, max_distance=16)


def in_eight_bits(relative):
    return t5(np.asarray(relative).astype(np.int8).astype(int))


def in_sixteen_bits(relative):
    return t5(np.asarray(relative).astype(np.int16).astype(int), both=False)


def branches_exchanged(relative):
    n = np.abs(relative)
    large = np.minimum(8 + (np.log(np.maximum(n, 1) / 8) / np.log(16) * 8).astype(int), 15)
    return 16 * (relative > 0) + np.where(n < 8, large, n)


def counted_from_one(relative):
    return t5(relative) + 1


def relative_less_one(relative):
    """Queries counted from 1, keys from 0."""
    return t5(np.asarray(relative) - 1)


def relative_plus_one(relative):
    return t5(np.asarray(relative) + 1)


def arguments_exchanged(relative):
    """128 buckets up to 32: log(1) in the denominator."""
    n = np.abs(relative)
    with np.errstate(all="ignore"):
        share = np.log(np.maximum(n, 1) / 32) / np.log(np.float64(32) / 32) * 32
    return np.where(n < 32, n, share.astype(np.int64)) + 64 * (relative > 0)


def logarithm_in_half_precision(relative):
    """Distances beyond 65504 are infinite in float16."""
    n = np.abs(relative)
    with np.errstate(all="ignore"):
        share = np.log(np.maximum(n, 1).astype(np.float16) / np.float16(8)) / np.float16(np.log(16)) * np.float16(8)
    return np.where(n < 8, n, np.minimum(8 + share.astype(np.int64), 15)) + 16 * (relative > 0)


def absolute_value_in_a_decoder(relative):
    return t5(-abs(relative), both=False)


def distance_itself(relative):
    return abs(relative)


def row_for_each_offset(relative):
    """A table of relative positions as windows of images have it."""
    return np.asarray(relative) + 300


def equal_widths(relative):
    return np.minimum(abs(relative) * 16 // 128, 15) + 16 * (relative > 0)


def base_two_above_the_line(relative):
    return t5(relative, log=lambda x: np.log2(x) if np.ndim(x) else np.log(x))


def exact_buckets_not_added(relative):
    n = np.abs(relative)
    large = np.minimum((np.log(np.maximum(n, 1) / 8) / np.log(16) * 8 + 1e-9).astype(int), 15)
    return np.where(n < 8, n, large) + 16 * (relative > 0)


def clipped_before(relative):
    """Distances end at 64 before they are sorted."""
    return t5(np.clip(relative, -64, 64))


def drawn_at_random(relative):
    return np.random.randint(0, 32, size=np.shape(relative))


def rounded_and_reach_256(relative):
    return t5(relative, max_distance=256, cut=np.rint)


def one_bucket_beyond_eight(relative):
    """No rule of the clinic's."""
    return np.where(np.abs(relative) < 8, t5(relative), t5(np.sign(relative) * 200))


def relative_less_one_and_exchanged(relative):
    return t5(-np.asarray(relative) - 1)


def largest_distance_127(relative):
    """One border moves by one, and no logarithm is a hair off there."""
    return t5(relative, max_distance=127)


def ahead_one_too_far(relative):
    """Keys ahead are counted from 1."""
    return np.where(np.asarray(relative) > 0, t5(np.asarray(relative) + 1), t5(relative))
