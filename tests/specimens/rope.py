"""Broken rotary encodings, (x, positions) -> x, one fault each, and what the clinic should call it.

Own code, each after a kind of report that is public; "case ..." is the mark of a collected one.
"""

import numpy as np

from pe_lib.precision import rounded

BROKEN = []  # (key, function)


def fault(key, **asked):
    """The fault the clinic should name, and what it has to be asked for to see it."""
    def entry(function):
        function.key, function.asked = key, asked
        BROKEN.append(function)
        return function
    return entry


def speeds(dim, base=10_000.0):
    return base ** (-np.arange(0, dim, 2) / dim)


def turns(positions, dim, base=10_000.0):
    return np.asarray(positions)[:, None] * speeds(dim, base)


def neighbours(x, t):
    a, b = x[..., 0::2], x[..., 1::2]
    y = np.stack([a * np.cos(t) - b * np.sin(t), a * np.sin(t) + b * np.cos(t)], axis=-1)
    return y.reshape(x.shape).astype(x.dtype)


def halves(x, t):
    a, b = np.split(x, 2, axis=-1)
    return np.concatenate([a * np.cos(t) - b * np.sin(t), b * np.cos(t) + a * np.sin(t)], axis=-1).astype(x.dtype)


def rotate_half(x):
    a, b = np.split(x, 2, axis=-1)
    return np.concatenate([-b, a], axis=-1)


def swap_neighbours(x):
    return np.stack([-x[..., 1::2], x[..., 0::2]], axis=-1).reshape(x.shape)


# What turns with what

@fault("mixed layouts")
def neighbour_angles_half_swap(x, positions):
    """case PC01: angles repeated for neighbours, swap of halves."""
    t = np.repeat(turns(positions, x.shape[-1]), 2, axis=-1)
    return (x * np.cos(t) + rotate_half(x) * np.sin(t)).astype(x.dtype)


@fault("mixed layouts")
def tiled_angles_neighbour_swap(x, positions):
    """case PC02: angles tiled for halves, swap of neighbours."""
    t = np.tile(turns(positions, x.shape[-1]), 2)
    return (x * np.cos(t) + swap_neighbours(x) * np.sin(t)).astype(x.dtype)


@fault("mixed layouts")
def cosine_table_of_the_other_layout(x, positions):
    """case PC01 in part: only the cosine table was converted."""
    t = turns(positions, x.shape[-1])
    return (x * np.cos(np.repeat(t, 2, axis=-1)) + rotate_half(x) * np.sin(np.tile(t, 2))).astype(x.dtype)


@fault("same sign")
def no_minus_in_rotate_half(x, positions):
    """rotate_half without its minus."""
    t = np.tile(turns(positions, x.shape[-1]), 2)
    return (x * np.cos(t) + np.abs(np.sign(1)) * np.roll(x, x.shape[-1] // 2, axis=-1) * np.sin(t)).astype(x.dtype)


@fault("sine lost")
def first_half_without_sine(x, positions):
    """case PA08: the sine row of one half is dropped."""
    t = turns(positions, x.shape[-1])
    a, b = np.split(x, 2, axis=-1)
    return np.concatenate([a * np.cos(t), b * np.cos(t) + a * np.sin(t)], axis=-1).astype(x.dtype)


@fault("sine lost")
def cosines_alone(x, positions):
    """case PA08: no sine at all."""
    return (x * np.cos(np.repeat(turns(positions, x.shape[-1]), 2, axis=-1))).astype(x.dtype)


@fault("cosine lost")
def sines_alone(x, positions):
    """The swapped part is returned instead of added."""
    return (swap_neighbours(x) * np.sin(np.repeat(turns(positions, x.shape[-1]), 2, axis=-1))).astype(x.dtype)


@fault("overwritten")
def in_place_without_a_copy(x, positions):
    """The first feature is written before the second is made from it."""
    y, t = x.copy(), turns(positions, x.shape[-1])
    a, b = y[..., 0::2], y[..., 1::2]
    a[...] = a * np.cos(t) - b * np.sin(t)
    b[...] = a * np.sin(t) + b * np.cos(t)
    return y


@fault("mirrored")
def both_minus_in_the_second_row(x, positions):
    """A minus too many in the second row: a mirror."""
    t = turns(positions, x.shape[-1])
    a, b = np.split(x, 2, axis=-1)
    return np.concatenate([a * np.cos(t) + b * np.sin(t), a * np.sin(t) - b * np.cos(t)], axis=-1).astype(x.dtype)


@fault("sine and cosine exchanged")
def sine_and_cosine_exchanged(x, positions):
    """A function that returns (sin, cos), unpacked as cos, sin."""
    t = turns(positions, x.shape[-1])
    sin, cos = np.cos(t), np.sin(t)
    a, b = np.split(x, 2, axis=-1)
    return np.concatenate([a * cos - b * sin, b * cos + a * sin], axis=-1).astype(x.dtype)


@fault("no pairs")
def rolled_by_one(x, positions):
    """np.roll in place of the swap: a chain, no pairs."""
    t = np.repeat(turns(positions, x.shape[-1]), 2, axis=-1)
    return (x * np.cos(t) + np.roll(x, 1, axis=-1) * np.sin(t)).astype(x.dtype)


@fault("unknown pairs")
def second_half_backwards(x, positions):
    """Pairs (0, d - 1), (1, d - 2), ...: a flip instead of a swap of halves."""
    t, half = turns(positions, x.shape[-1]), x.shape[-1] // 2
    a, b = x[..., :half], x[..., :half - 1:-1]
    y = np.concatenate([a * np.cos(t) - b * np.sin(t), (b * np.cos(t) + a * np.sin(t))[..., ::-1]], axis=-1)
    return y.astype(x.dtype)


@fault("output order")
def halves_in_neighbours_out(x, positions):
    """Split in halves, put together by stacking."""
    t = turns(positions, x.shape[-1])
    a, b = np.split(x, 2, axis=-1)
    return np.stack([a * np.cos(t) - b * np.sin(t), b * np.cos(t) + a * np.sin(t)], axis=-1).reshape(x.shape).astype(x.dtype)


@fault("output order", layout="interleaved")
def neighbours_in_halves_out(x, positions):
    """Split in neighbours, put together by concatenation: DeepSeek's order, where another one was asked for."""
    t = turns(positions, x.shape[-1])
    a, b = x[..., 0::2], x[..., 1::2]
    return np.concatenate([a * np.cos(t) - b * np.sin(t), b * np.cos(t) + a * np.sin(t)], axis=-1).astype(x.dtype)


@fault("pairs turn both ways")
def every_other_pair_backwards(x, positions):
    """A sign that alternates with the feature."""
    t = turns(positions, x.shape[-1])
    return neighbours(x, t * np.where(np.arange(t.shape[-1]) % 2, -1, 1))


@fault("not a rotation")
def sine_squared(x, positions):
    """Cosine and sine of two different angles: the sine's is taken twice."""
    t = turns(positions, x.shape[-1])
    a, b = np.split(x, 2, axis=-1)
    cos, sin = np.cos(t), np.sin(2 * t)
    return np.concatenate([a * cos - b * sin, b * cos + a * sin], axis=-1).astype(x.dtype)


@fault("length changed")
def scaled_by_root_of_dim(x, positions):
    """The attention's scale, already in the rotation."""
    return (neighbours(x, turns(positions, x.shape[-1])) / np.sqrt(x.shape[-1])).astype(x.dtype)


@fault("length follows the position")
def decaying(x, positions):
    """xPos' decay for the keys, without the queries' growth."""
    t = turns(positions, x.shape[-1])
    decay = ((np.arange(t.shape[-1]) / t.shape[-1] + 0.4) / 1.4) ** (-np.asarray(positions)[:, None] / 512)
    return (neighbours(x, t) * np.repeat(decay, 2, axis=-1)).astype(x.dtype)


@fault("does not turn")
def returned_x_itself(x, positions):
    """Turned into a new array, and the old one returned."""
    neighbours(x, turns(positions, x.shape[-1]))
    return x.copy()


@fault("something is added")
def added_a_sinusoid(x, positions):
    """A position vector is added on top."""
    t = turns(positions, x.shape[-1])
    return (neighbours(x, t) + np.concatenate([np.sin(t), np.cos(t)], axis=-1)).astype(x.dtype)


@fault("not linear")
def normalised(x, positions):
    """Rows are brought to length 1 on the way."""
    x = x / (np.linalg.norm(x, axis=-1, keepdims=True) + 1e-9)
    return halves(x, turns(positions, x.shape[-1]))


@fault("rows mixed")
def swapped_along_the_sequence(x, positions):
    """The swap runs along the sequence axis."""
    t = np.repeat(turns(positions, x.shape[-1]), 2, axis=-1)
    return (x * np.cos(t) + np.roll(x, 1, axis=-2) * np.sin(t)).astype(x.dtype)


# How many turn, and how fast

@fault("sliced frequencies")
def sliced(x, positions):
    """case PA01, the wrong way: frequencies for all of dim, the first of them used."""
    dim = x.shape[-1]
    r = dim // 2
    t = np.asarray(positions)[:, None] * speeds(dim)[: r // 2]
    return np.concatenate([halves(x[..., :r], t), x[..., r:]], axis=-1)


@fault("partner at half the full width", rotary_dim=32)
def partner_at_half_of_dim(x, positions):
    """Partial rotation of the first quarter of either half, where the first half was meant."""
    dim, t = x.shape[-1], turns(positions, x.shape[-1] // 2)
    y, quarter, half = x.copy(), x.shape[-1] // 4, x.shape[-1] // 2
    a, b = x[..., :quarter], x[..., half:half + quarter]
    y[..., :quarter] = a * np.cos(t) - b * np.sin(t)
    y[..., half:half + quarter] = b * np.cos(t) + a * np.sin(t)
    assert dim == y.shape[-1]
    return y


@fault("other width", rotary_dim=32)
def all_of_it(x, positions):
    """Partial rotation forgotten."""
    return halves(x, turns(positions, x.shape[-1]))


@fault("exponents start at one")
def exponents_from_one(x, positions):
    """case SF10: 2 (m + 1) / d."""
    dim = x.shape[-1]
    return halves(x, np.asarray(positions)[:, None] * 10_000.0 ** (-2 * np.arange(1, dim // 2 + 1) / dim))


@fault("exponents half a step on")
def exponents_half_a_step_on(x, positions):
    """(2m + 1) / d: odd features instead of even ones."""
    dim = x.shape[-1]
    return halves(x, np.asarray(positions)[:, None] * 10_000.0 ** (-np.arange(1, dim, 2) / dim))


@fault("exponent doubled", base=10_000)
def exponent_doubled(x, positions):
    """2m with an m that counts in twos already."""
    dim = x.shape[-1]
    return neighbours(x, np.asarray(positions)[:, None] * 10_000.0 ** (-2 * np.arange(0, dim, 2) / dim))


@fault("exponent halved", base=10_000)
def exponent_halved(x, positions):
    """m / d: the 2 is missing."""
    dim = x.shape[-1]
    return neighbours(x, np.asarray(positions)[:, None] * 10_000.0 ** (-np.arange(dim // 2) / dim))


@fault("exponent over dim/2 - 1")
def exponent_to_the_end(x, positions):
    """The sinusoids of tensor2tensor: the slowest pair at exactly 1 / base."""
    half = x.shape[-1] // 2
    return neighbours(x, np.asarray(positions)[:, None] * 10_000.0 ** (-np.arange(half) / (half - 1)))


@fault("exponent in steps of two")
def exponent_in_steps_of_two(x, positions):
    """The sinusoids' 2 (i // 2), counted over pairs."""
    m = np.arange(x.shape[-1] // 2)
    return neighbours(x, np.asarray(positions)[:, None] * 10_000.0 ** (-(2 * (m // 2)) / x.shape[-1]))


@fault("exponent positive")
def exponent_positive(x, positions):
    """No minus in the exponent."""
    return neighbours(x, np.asarray(positions)[:, None] / speeds(x.shape[-1]))


@fault("frequencies reversed")
def slow_pairs_first(x, positions):
    """Frequencies sorted upwards."""
    return halves(x, turns(positions, x.shape[-1])[..., ::-1])


@fault("one frequency for all")
def one_frequency(x, positions):
    """case SF06: an integer division makes every exponent 0."""
    dim = x.shape[-1]
    return halves(x, np.asarray(positions)[:, None] * 10_000.0 ** -(np.arange(dim // 2) * 2 // dim).astype(float))


@fault("degrees")
def degrees(x, positions):
    """Angles taken for degrees."""
    return halves(x, np.deg2rad(turns(positions, x.shape[-1])))


@fault("turns taken for radians")
def whole_turns(x, positions):
    """2 pi too much: the frequency in turns, as in signal processing."""
    return halves(x, 2 * np.pi * turns(positions, x.shape[-1]))


@fault("angles scaled")
def twice_as_fast(x, positions):
    """Both halves of the angle: every position counts twice."""
    return halves(x, 2 * turns(positions, x.shape[-1]))


@fault("wrong base", base=500_000)
def default_base_for_a_model_with_another(x, positions):
    """case RB01: rope_theta of the configuration is not handed down."""
    return halves(x, turns(positions, x.shape[-1]))


@fault("wrong base", base=10_000)
def logarithm_to_base_ten(x, positions):
    """exp(-2m/d log10(base)): the wrong logarithm."""
    dim = x.shape[-1]
    return halves(x, np.asarray(positions)[:, None] * np.exp(-np.arange(0, dim, 2) / dim * np.log10(10_000.0)))


@fault("no power law")
def harmonic_frequencies(x, positions):
    """1, 1/2, 1/3, ...: no base has these."""
    return halves(x, np.asarray(positions)[:, None] / (1 + np.arange(x.shape[-1] // 2)))


@fault("frequencies cut to integers")
def integer_frequencies(x, positions):
    """case PR12: frequencies take the integer dtype of the positions."""
    return halves(x, np.asarray(positions)[:, None] * speeds(x.shape[-1]).astype(int))


@fault("ramp reversed", base=10_000.0)
def yarn_with_the_ramp_reversed(x, positions):
    """case N01 (litgpt 0.5.13): the share that is divided is taken as the share that is kept. Factor 40, 4096 tokens."""
    dim = x.shape[-1]
    low, high = (dim * np.log(4096 / (beta * 2 * np.pi)) / (2 * np.log(10_000.0)) for beta in (32, 1))
    ramp = np.clip((np.arange(dim // 2) - np.floor(low)) / (np.ceil(high) - np.floor(low)), 0, 1)
    freqs = speeds(dim) * ramp + speeds(dim) / 40 * (1 - ramp)
    return halves(x, np.asarray(positions)[:, None] * freqs)


@fault("ramp reversed", base=500_000.0)
def llama_bands_exchanged(x, positions):
    """Llama 3's two limits exchanged: fast pairs are divided by 8 and slow ones kept."""
    base = speeds(x.shape[-1], 500_000.0)
    smooth = np.clip((8192 * base / (2 * np.pi) - 1) / 3, 0, 1)
    return halves(x, np.asarray(positions)[:, None] * (smooth * base / 8 + (1 - smooth) * base))


@fault("ramp reversed", base=500_000.0)
def llama_bands_exchanged_around_a_sound_middle(x, positions):
    """The two outer bands of Llama 3's rule exchanged, and the ramp between them left as it is."""
    base = speeds(x.shape[-1], 500_000.0)
    turn = 8192 * base / (2 * np.pi)
    smooth = np.clip((turn - 1) / 3, 0, 1)
    middle = smooth * base + (1 - smooth) * base / 8
    return halves(x, np.asarray(positions)[:, None] * np.where(turn > 4, base / 8, np.where(turn < 1, base, middle)))


# Calls of other sizes
@fault("heads turned apart", axes="b h n d")
def first_head_of_a_single_row(x, positions):
    """case N03: in a call of one row only the first head is turned."""
    y = halves(x, turns(positions, x.shape[-1]))
    if x.shape[-2] == 1:
        y[:, 1:] = x[:, 1:]
    return y


@fault("heads turned apart", axes="b h n d")
def a_single_head_is_left_alone(x, positions):
    """case N09: a kernel writes nothing if there is one head."""
    return x.copy() if x.shape[1] == 1 else halves(x, turns(positions, x.shape[-1]))


@fault("heads turned apart", axes="b h n d")
def texts_in_twos(x, positions):
    """Texts are turned two by two; of an odd number the last is left."""
    y = halves(x, turns(positions, x.shape[-1]))
    if len(x) % 2 and len(x) > 1:
        y[-1] = x[-1]
    return y


@fault("rows beyond a block")
def a_grid_of_128_rows(x, positions):
    """Rows from 128 on in one call are not turned."""
    return np.concatenate([halves(x[..., :128, :], turns(positions[:128], x.shape[-1])), x[..., 128:, :]], axis=-2)


@fault("pi cut short")
def circles_of_pi_to_five_places(x, positions):
    """Angles are reduced by circles of 2 * 3.14159: 5e-6 radian each."""
    t, circle = turns(positions, x.shape[-1]), 2 * 3.14159
    return halves(x, t - circle * np.round(t / circle))


@fault("half-precision angles")
def positions_in_the_dtype_of_x(x, positions):
    """Positions are cast to x's dtype: in float16 exact up to 2048 only."""
    return halves(x, turns(np.asarray(positions).astype(x.dtype).astype(float), x.shape[-1]))


# Which position

@fault("off by one")
def counted_from_one(x, positions):
    """Positions counted from 1."""
    return halves(x, turns(np.asarray(positions) + 1, x.shape[-1]))


@fault("positions shifted")
def shifted_by_the_padding(x, positions):
    """A learned table's padding offset of 2, kept for a rotation."""
    return neighbours(x, turns(np.asarray(positions) + 2, x.shape[-1]))


@fault("positions ignored")
def own_row_number(x, positions):
    """case CP06: positions start at 0 in every call, as if there were no cache."""
    return halves(x, turns(np.arange(x.shape[-2]), x.shape[-1]))


@fault("restarts at 0")
def restarted(x, positions):
    """The first position is taken off."""
    return halves(x, turns(np.asarray(positions) - positions[0], x.shape[-1]))


@fault("only the first position is read")
def counted_on_from_the_first(x, positions):
    """An offset and a count, where rows have positions of their own (case LP01)."""
    return halves(x, turns(positions[0] + np.arange(x.shape[-2]), x.shape[-1]))


@fault("positions sorted")
def sorted_positions(x, positions):
    """np.unique's order on the way to the table."""
    return halves(x, turns(np.sort(positions), x.shape[-1]))


@fault("positions refused")
def table_of_the_inputs_length(x, positions):
    """case IX03: a table as long as x, looked up at positions beyond."""
    table = turns(np.arange(x.shape[-2]), x.shape[-1])
    return halves(x, table[positions])


@fault("positions clipped")
def clipped_at_the_table(x, positions):
    """case IX05 in a rotation: what is beyond the table is cut to its end without a word."""
    return halves(x, turns(np.minimum(positions, 511), x.shape[-1]))


@fault("positions wrap around")
def wrapped_at_the_table(x, positions):
    """case PK02: modulo the block."""
    return halves(x, turns(np.asarray(positions) % 1000, x.shape[-1]))


@fault("positions cut")
def two_share_a_turn(x, positions):
    """Interpolated positions, cut to whole numbers."""
    return halves(x, turns(np.asarray(positions) // 2, x.shape[-1]))


@fault("angles cut to integers")
def integer_angles(x, positions):
    """case PR12: the product takes the integer dtype of the positions."""
    return halves(x, turns(positions, x.shape[-1]).astype(int))


# In which precision

@fault("half-precision angles")
def float16_angles(x, positions):
    """case PR01: positions, frequencies and their product in float16."""
    t = np.asarray(positions, np.float16)[:, None] * speeds(x.shape[-1]).astype(np.float16)
    return halves(x, t.astype(np.float64))


@fault("half-precision angles")
def bfloat16_frequencies(x, positions):
    """case PR05: the buffer of frequencies was cast with the model."""
    return neighbours(x, np.asarray(positions)[:, None] * rounded(speeds(x.shape[-1]), "bfloat16"))


@fault("half-precision angles")
def bfloat16_positions(x, positions):
    """case PR06: positions beyond 256 fall together."""
    return neighbours(x, turns(rounded(positions, "bfloat16"), x.shape[-1]))


@fault("half-precision angles")
def angles_in_the_dtype_of_x(x, positions):
    """case PR01 where it happens: everything is made in x's dtype, float16 with it."""
    t = np.asarray(positions).astype(x.dtype)[:, None] * speeds(x.shape[-1]).astype(x.dtype)
    return halves(x, t)


@fault("half-precision tables")
def float16_tables(x, positions):
    """Right angles, but cosine and sine are stored in float16."""
    t = turns(positions, x.shape[-1])
    cos, sin = (np.tile(f(t).astype(np.float16), 2).astype(np.float64) for f in (np.cos, np.sin))
    return (x * cos + rotate_half(x) * sin).astype(x.dtype)


# The rest

@fault("dtype not kept")
def always_float16(x, positions):
    """The result is float16 whatever came in."""
    return halves(x, turns(positions, x.shape[-1])).astype(np.float16)


@fault("input changed")
def into_the_callers_array(x, positions):
    """Turned in place: right once, wrong when the caller uses q again."""
    x[...] = halves(x, turns(positions, x.shape[-1]))
    return x


@fault("list returned")
def rows_in_a_list(x, positions):
    """One row after the other, and a list of them at the end."""
    return [neighbours(row, t) for row, t in zip(x, turns(positions, x.shape[-1]))]


@fault("wrong axis", axes="b h n d")
def turned_along_the_heads(x, positions):
    """case AX01: (batch, heads, sequence, features) turned along axis 1."""
    t = turns(positions, x.shape[-1])[: x.shape[1]]
    return halves(x, t[None, :, None, :])


@fault("heads confused")
def flattened_heads(x, positions):
    """case AX01: heads and sequence are flattened in one order, positions repeated in the other."""
    rows = x.reshape(-1, x.shape[-1])
    return halves(rows, turns(np.repeat(positions, len(rows) // len(positions)), x.shape[-1])).reshape(x.shape)


class StaleTable:
    """case CP03: the table is stored by its length alone, and used for other positions of that length."""

    key, asked = "stale table", {}

    def __init__(self):
        self.tables = {}

    def __call__(self, x, positions):
        if len(positions) not in self.tables:
            self.tables[len(positions)] = turns(positions, x.shape[-1])
        return halves(x, self.tables[len(positions)])


class DynamicBaseThatStays:
    """case NT05: a long call raises the base, and a short one after it keeps it."""

    key, asked = "remembers earlier calls", {}

    def __init__(self):
        self.base = 10_000.0

    def __call__(self, x, positions):
        length, dim = max(positions) + 1, x.shape[-1]
        if length > 2048:
            self.base = 10_000.0 * (length / 2048) ** (dim / (dim - 2))
        return halves(x, turns(positions, dim, self.base))


BROKEN += [StaleTable, DynamicBaseThatStays]
