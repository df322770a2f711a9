"""Broken rotations that hold where one looks first: far positions, arrays of four axes, later calls. Adds to BROKEN."""

import numpy as np
from specimens.rope import BROKEN, fault, halves, neighbours, speeds, turns


@fault("angles scaled")
def divided_by_the_longest_text(x, positions):
    """Positions are divided by the largest position, 512."""
    return halves(x, turns(positions / 512, x.shape[-1]))


@fault("a pair left out")
def a_middle_pair_left_out(x, positions):
    """The frequency of one pair in the middle is 0."""
    dim = x.shape[-1]
    return neighbours(x, positions[:, None] * np.where(np.arange(dim // 2) == dim // 4, 0, speeds(dim)))


@fault("output order")
def features_reversed(x, positions):
    """Nothing turns, and the features come back from the other end."""
    return x[..., ::-1].copy()


@fault("length changed")
def yarn_factor_twice(x, positions):
    """YaRN's attention factor for a stretch by 16, in the tables and once more at the end."""
    dim = x.shape[-1]
    w, ramp = speeds(dim), np.clip((np.arange(dim // 2) / dim - 0.15) / 0.2, 0, 1)
    return (1 + 0.1 * np.log(16)) ** 2 * halves(x, positions[:, None] * (w / 16 * ramp + w * (1 - ramp)))


@fault("positions ignored")
def own_numbers_in_four_axes(x, positions):
    """Right for (sequence, features); in arrays of four axes the rows' own numbers are used."""
    return halves(x, turns(positions if x.ndim == 2 else np.arange(x.shape[-2]), x.shape[-1]))


@fault("heads confused")
def along_the_batch(x, positions):
    """In an array (batch, sequence, features) it turns along the batch."""
    if x.ndim != 3:
        return halves(x, turns(positions, x.shape[-1]))
    return halves(x, turns(np.arange(len(x)), x.shape[-1])[:, None])


@fault("positions of the first row")
def first_row_for_all(x, positions):
    """Positions are (batch, sequence), and only those of the first row are read."""
    if positions.ndim != 2:
        raise ValueError("positions must be (batch, sequence)")
    return halves(x, turns(positions[0], x.shape[-1]))


class OneBuffer:
    """Every result is written into the same array."""

    key, asked = "output overwritten", {}

    def __init__(self):
        self.buffers = {}

    def __call__(self, x, positions):
        y = self.buffers.setdefault((x.shape, x.dtype), np.empty_like(x))
        y[...] = halves(x, turns(positions, x.shape[-1]))
        return y


class TableByFirst:
    """Tables are stored by the number of rows and the first position."""

    key, asked = "stale table", {}

    def __init__(self):
        self.tables = {}

    def __call__(self, x, positions):
        t = self.tables.setdefault((len(positions), positions[0]), turns(positions, x.shape[-1]))
        return halves(x, t)


BROKEN += [OneBuffer, TableByFirst]


@fault("wrong in long calls")
def other_pairs_in_long_calls(x, positions):
    """Beyond 1000 positions another branch takes other pairs."""
    return (halves if positions.max() < 1000 else neighbours)(x, turns(positions, x.shape[-1]))


@fault("wrong in long calls")
def untouched_in_long_calls(x, positions):
    """Beyond 1000 positions x comes back as it was."""
    return halves(x, turns(positions, x.shape[-1])) if positions.max() < 1000 else x.copy()


@fault("wrong in long calls")
def longer_in_long_calls(x, positions):
    """Beyond 1000 positions every row is doubled."""
    return halves(x, turns(positions, x.shape[-1])) * (1 if positions.max() < 1000 else 2)


@fault("positions wrap around")
def sixteen_bits_without_a_sign(x, positions):
    """Positions are stored in 16 bits, without a sign."""
    return halves(x, turns(positions.astype(np.uint16), x.shape[-1]))


@fault("positions clipped")
def clipped_far_out(x, positions):
    """A table of 40001 rows, and positions beyond it cut to the last."""
    return halves(x, turns(np.minimum(positions, 40_000), x.shape[-1]))


@fault("positions clipped")
def unturned_from_1024_on(x, positions):
    """Beyond the table a row is not turned."""
    return halves(x, turns(np.where(positions < 1024, positions, 0), x.shape[-1]))


@fault("positions shifted")
def one_more_from_1024_on(x, positions):
    """From position 1024 on every row is turned by one position too many: no rounding."""
    return halves(x, turns(np.where(positions < 1024, positions, positions + 1), x.shape[-1]))


@fault("wrong shape")
def squeezed(x, positions):
    """The axis of a single row is lost."""
    return np.squeeze(halves(x, turns(positions, x.shape[-1])))


@fault("wrong base", base=500_000)
def yarn_of_another_base(x, positions):
    """Stretched by parts, of base 10000 where 500000 is asked for."""
    dim = x.shape[-1]
    w, ramp = speeds(dim), np.clip((np.arange(dim // 2) / dim - 0.15) / 0.2, 0, 1)
    return halves(x, positions[:, None] * (w / 16 * ramp + w * (1 - ramp)))


@fault("counted from the end")
def counted_from_the_end(x, positions):
    """Positions are taken off the number of rows."""
    return halves(x, turns(x.shape[-2] - 1 - positions, x.shape[-1]))


@fault("counted from the largest")
def counted_from_the_largest(x, positions):
    """Positions are taken off the largest of them."""
    return neighbours(x, turns(positions.max() - positions, x.shape[-1]))


@fault("exponent doubled, in steps of two")
def doubled_in_steps(x, positions):
    """2 (i // 2) / dim, with i the features 0, 2, 4, ... twice over: pairs 0 and 1 turn alike."""
    m = np.arange(x.shape[-1] // 2)
    return halves(x, positions[:, None] * 10_000.0 ** (-4 * (m // 2) / x.shape[-1]))


@fault("half-precision tables")
def tables_of_eight_bits(x, positions):
    """Cosines and sines in steps of 1/127."""
    c, s = (np.rint(127 * part) / 127 for part in (np.cos(turns(positions, x.shape[-1])), np.sin(turns(positions, x.shape[-1]))))
    a, b = np.split(x, 2, axis=-1)
    return np.concatenate([a * c - b * s, b * c + a * s], axis=-1)


@fault("off by one")
def one_too_few_but_for_the_first(x, positions):
    """Positions less 1, and the -1 of the first cut to 0."""
    return neighbours(x, turns(np.maximum(positions - 1, 0), x.shape[-1]))


@fault("a pair left out")
def first_two_pairs_left_out(x, positions):
    """The frequencies of the first two pairs are 0."""
    dim = x.shape[-1]
    return neighbours(x, positions[:, None] * np.where(np.arange(dim // 2) < 2, 0, speeds(dim)))
