"""Two independent faults in one rotation: the clinic should name both."""

import numpy as np
from specimens.rope import halves, neighbours, rotate_half, speeds, turns

from pe_lib.precision import rounded

PAIRS = []


def faults(*keys, **asked):
    def entry(function):
        function.keys, function.asked = set(keys), asked
        PAIRS.append(function)
        return function
    return entry


@faults("mixed layouts", "off by one")
def mixed_and_counted_from_one(x, positions):
    t = np.repeat(turns(np.asarray(positions) + 1, x.shape[-1]), 2, axis=-1)
    return (x * np.cos(t) + rotate_half(x) * np.sin(t)).astype(x.dtype)


@faults("same sign", "wrong base", base=500_000)
def no_minus_and_default_base(x, positions):
    t = np.tile(turns(positions, x.shape[-1]), 2)
    return (x * np.cos(t) - np.roll(x, x.shape[-1] // 2, axis=-1) * np.sin(t)).astype(x.dtype)


@faults("sliced frequencies", "half-precision angles")
def sliced_in_bfloat16(x, positions):
    dim, r = x.shape[-1], x.shape[-1] // 2
    t = np.asarray(positions)[:, None] * rounded(speeds(dim)[: r // 2], "bfloat16")
    return np.concatenate([neighbours(x[..., :r], t), x[..., r:]], axis=-1)


@faults("positions ignored", "exponents start at one")
def own_row_number_and_exponents_from_one(x, positions):
    dim = x.shape[-1]
    return halves(x, np.arange(x.shape[-2])[:, None] * 10_000.0 ** (-2 * np.arange(1, dim // 2 + 1) / dim))


@faults("off by one", "input changed")
def counted_from_one_in_place(x, positions):
    x[...] = halves(x, turns(np.asarray(positions) + 1, x.shape[-1]))
    return x


@faults("sine lost", "wrong base", base=10_000)
def half_without_sine_and_another_base(x, positions):
    t = turns(positions, x.shape[-1], 500_000.0)
    a, b = np.split(x, 2, axis=-1)
    return np.concatenate([a * np.cos(t) - b * np.sin(t), b * np.cos(t)], axis=-1).astype(x.dtype)


@faults("other layout", "other sign", layout="interleaved", sign=1)
def halves_clockwise(x, positions):
    return halves(x, -turns(positions, x.shape[-1]))


@faults("length changed", "positions clipped")
def scaled_and_clipped(x, positions):
    return neighbours(x, turns(np.minimum(positions, 2047), x.shape[-1])) / x.dtype.type(8)


@faults("overwritten", "degrees")
def in_place_in_degrees(x, positions):
    y, t = x.copy(), np.deg2rad(turns(positions, x.shape[-1]))
    a, b = y[..., 0::2], y[..., 1::2]
    a[...] = a * np.cos(t) - b * np.sin(t)
    b[...] = a * np.sin(t) + b * np.cos(t)
    return y


@faults("sine and cosine exchanged", "off by one")
def exchanged_and_counted_from_one(x, positions):
    t = turns(np.asarray(positions) + 1, x.shape[-1])
    a, b = np.split(x, 2, axis=-1)
    return np.concatenate([a * np.sin(t) - b * np.cos(t), b * np.sin(t) + a * np.cos(t)], axis=-1).astype(x.dtype)


@faults("output order", "frequencies reversed")
def stacked_halves_slow_first(x, positions):
    t = turns(positions, x.shape[-1])[..., ::-1]
    a, b = np.split(x, 2, axis=-1)
    return np.stack([a * np.cos(t) - b * np.sin(t), b * np.cos(t) + a * np.sin(t)], axis=-1).reshape(x.shape).astype(x.dtype)


@faults("something is added", "off by one")
def added_and_counted_from_one(x, positions):
    t = turns(np.asarray(positions) + 1, x.shape[-1])
    return (halves(x, t) + np.repeat(np.sin(t), 2, axis=-1)).astype(x.dtype)


@faults("angles scaled", "restarts at 0")
def twice_as_fast_and_restarted(x, positions):
    return halves(x, 2 * turns(np.asarray(positions) - np.min(positions[0]), x.shape[-1]))
