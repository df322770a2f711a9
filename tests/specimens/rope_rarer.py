"""More broken rotary encodings: faults that are met less often, and common ones in another dress."""

import numpy as np
from specimens.rope import BROKEN, fault, halves, neighbours, rotate_half, turns

from pe_lib.precision import rounded


@fault("half of a pair stands still")
def second_half_passed_through(x, positions):
    """Only the first half is written."""
    t = turns(positions, x.shape[-1])
    a, b = np.split(x, 2, axis=-1)
    return np.concatenate([a * np.cos(t) - b * np.sin(t), b], axis=-1).astype(x.dtype)


@fault("not a rotation")
def cosines_in_the_first_column(x, positions):
    """x0 cos - x1 sin, x0 cos + x1 sin."""
    t = turns(positions, x.shape[-1])
    a, b = np.split(x, 2, axis=-1)
    return np.concatenate([a * np.cos(t) - b * np.sin(t), a * np.cos(t) + b * np.sin(t)], axis=-1).astype(x.dtype)


@fault("not a rotation")
def one_feature_doubled(x, positions):
    """One feature of many is wrong."""
    y = neighbours(x, turns(positions, x.shape[-1]))
    y[..., 1] = x[..., 1] * 2
    return y


@fault("not a rotation")
def weak_sines(x, positions):
    """Sines at nine tenths."""
    t = turns(positions, x.shape[-1])
    a, b = np.split(x, 2, axis=-1)
    return np.concatenate([a * np.cos(t) - 0.9 * b * np.sin(t), 0.9 * a * np.sin(t) + b * np.cos(t)], axis=-1).astype(x.dtype)


@fault("output order")
def halves_exchanged(x, positions):
    """The two halves are put together the other way round."""
    a, b = np.split(halves(x, turns(positions, x.shape[-1])), 2, axis=-1)
    return np.concatenate([b, a], axis=-1)


@fault("output order")
def rest_first(x, positions):
    """Partial rotation, and the part that does not turn is put first."""
    half = x.shape[-1] // 2
    return np.concatenate([x[..., half:], halves(x[..., :half], turns(positions, half))], axis=-1)


@fault("no pairs")
def rest_of_the_wrong_part(x, positions):
    """Partial rotation, with the wrong part passed through."""
    half = x.shape[-1] // 2
    return np.concatenate([halves(x[..., :half], turns(positions, half)), x[..., :half]], axis=-1)


@fault("unknown pairs")
def two_blocks(x, positions):
    """Halves of halves: two rotations of dim / 2 side by side."""
    t, half = turns(positions, x.shape[-1]), x.shape[-1] // 2
    return np.concatenate([halves(x[..., :half], t[:, : half // 2]), halves(x[..., half:], t[:, half // 2 :])], axis=-1)


@fault("a pair left out")
def last_pair_left_out(x, positions):
    """A loop over dim / 2 - 1 pairs."""
    y = x.copy()
    y[..., :-2] = neighbours(x[..., :-2], turns(positions, x.shape[-1])[:, :-1])
    return y


@fault("a pair left out")
def first_pair_left_out(x, positions):
    """A loop that starts at pair 1."""
    t = turns(positions, x.shape[-1])
    t[:, 0] = 0
    return halves(x, t)


@fault("exponent over another width", base=10_000)
def made_for_the_models_width(x, positions):
    """Frequencies of the model's width, eight heads wide."""
    dim = x.shape[-1]
    return halves(x, np.asarray(positions)[:, None] * 10_000.0 ** (-np.arange(0, dim, 2) / (8 * dim)))


@fault("angles scaled")
def turned_twice(x, positions):
    """The rotation is applied in the layer and again in the attention."""
    t = turns(positions, x.shape[-1])
    return halves(halves(x, t), t)


@fault("radians as degrees")
def radians_as_degrees(x, positions):
    """np.rad2deg where none belongs."""
    return halves(x, np.rad2deg(turns(positions, x.shape[-1])))


@fault("turned at position 0")
def opposite(x, positions):
    """A minus in front of everything."""
    return -halves(x, turns(positions, x.shape[-1]))


@fault("not proportional to the position")
def logarithmic_positions(x, positions):
    """log(1 + position)."""
    return halves(x, turns(np.log1p(positions), x.shape[-1]))


@fault("positions reversed")
def from_the_end(x, positions):
    """Positions in reversed order."""
    return halves(x, turns(positions[::-1], x.shape[-1]))


@fault("divided by the length")
def relative_to_the_length(x, positions):
    """Positions from 0 to 1."""
    return halves(x, turns(np.asarray(positions) / x.shape[-2], x.shape[-1]))


@fault("table as long as the input")
def clipped_to_the_input(x, positions):
    """A table as long as x, and np.take's mode="clip"."""
    return halves(x, np.take(turns(np.arange(x.shape[-2]), x.shape[-1]), positions, axis=0, mode="clip"))


@fault("a single row stands still")
def not_while_decoding(x, positions):
    """case CP01: a single token is passed through."""
    return x.copy() if x.shape[-2] == 1 else halves(x, turns(positions, x.shape[-1]))


@fault("angles cut to integers")
def rounded_angles(x, positions):
    """Angles rounded, not cut."""
    return neighbours(x, np.rint(turns(positions, x.shape[-1])))


@fault("half-precision angles")
def bfloat16_products(x, positions):
    """Positions and frequencies are right, their product is rounded."""
    return halves(x, rounded(turns(positions, x.shape[-1]), "bfloat16"))


@fault("half-precision tables")
def bfloat16_tables(x, positions):
    """Right angles, tables in bfloat16."""
    t = np.tile(turns(positions, x.shape[-1]), 2)
    return (x * rounded(np.cos(t), "bfloat16") + rotate_half(x) * rounded(np.sin(t), "bfloat16")).astype(x.dtype)


@fault("pi cut short")
def modulo_six_and_a_bit(x, positions):
    """Angles modulo 6.28."""
    return halves(x, turns(positions, x.shape[-1]) % 6.28)


@fault("heads confused")
def first_head_alone(x, positions):
    """case AX01: only head 0 of each batch row is turned."""
    y = halves(x, turns(positions, x.shape[-1]))
    if x.ndim == 4:
        y[:, 1:] = x[:, 1:]
    return y


@fault("heads confused", axes="b h n d")
def reshaped_not_transposed(x, positions):
    """case AX01: (batch, heads, sequence) is reshaped to (batch, sequence, heads) where a transpose was meant."""
    batch, heads, n, dim = x.shape
    return halves(x.reshape(batch, n, heads, dim), turns(positions, dim)[:, None]).reshape(x.shape)


@fault("rows mixed")
def running_sum(x, positions):
    """A sum along the sequence."""
    return np.cumsum(halves(x, turns(positions, x.shape[-1])), axis=-2)


@fault("something is added")
def additive_encoding(x, positions):
    """A sinusoidal encoding, added: no rotation at all."""
    t = turns(positions, x.shape[-1])
    return (x + np.concatenate([np.sin(t), np.cos(t)], axis=-1)).astype(x.dtype)


class Counter:
    """Positions are counted on from call to call, whatever is asked."""

    key, asked = "remembers earlier calls", {}

    def __init__(self):
        self.seen = 0

    def __call__(self, x, positions):
        self.seen += len(positions)
        return halves(x, turns(np.arange(self.seen - len(positions), self.seen), x.shape[-1]))


class GrowingTable:
    """case CP03: the table is made anew only when a longer call comes."""

    key, asked = "stale table", {}

    def __init__(self):
        self.table = np.zeros((0, 0))

    def __call__(self, x, positions):
        if len(positions) > len(self.table):
            self.table = turns(positions, x.shape[-1])
        return halves(x, self.table[: len(positions)])


class FirstTable:
    """The table of the first call is kept for ever."""

    key, asked = "stale table", {}

    def __init__(self):
        self.table = None

    def __call__(self, x, positions):
        if self.table is None:
            self.table = turns(positions, x.shape[-1])
        return halves(x, self.table[: len(positions)])


BROKEN += [Counter, GrowingTable, FirstTable]
