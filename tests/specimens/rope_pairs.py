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


PLACES = {
    "off by one": lambda p: p + 1,
    "positions shifted": lambda p: p + 5,
    "positions ignored": lambda p: np.arange(p.size),
    "restarts at 0": lambda p: p - p[0],
    "positions clipped": lambda p: np.minimum(p, 999),
    "positions wrap around": lambda p: p % 1000,
    "positions cut": lambda p: p // 2,
}
PAIRS_OF_64 = np.arange(32)
LAWS = {
    "exponents start at one": 1e4 ** (-(PAIRS_OF_64 + 1) / 32),
    "exponents half a step on": 1e4 ** (-(PAIRS_OF_64 + 0.5) / 32),
    "exponent over dim/2 - 1": 1e4 ** (-PAIRS_OF_64 / 31),
    "exponent halved": 1e4 ** (-PAIRS_OF_64 / 64),
    "frequencies reversed": 1e4 ** (-PAIRS_OF_64[::-1] / 32),
    "degrees": 1e4 ** (-PAIRS_OF_64 / 32) * np.pi / 180,
    "angles scaled": 1e4 ** (-PAIRS_OF_64 / 32) * 2,
    "wrong base": 5e5 ** (-PAIRS_OF_64 / 32),
}
WAYS = {
    "same sign": lambda a, b, c, s: (a * c + b * s, a * s + b * c),
    "sine lost": lambda a, b, c, s: (a * c, a * s + b * c),
    "overwritten": lambda a, b, c, s: (a * c - b * s, (a * c - b * s) * s + b * c),
    "mirrored": lambda a, b, c, s: (a * c + b * s, a * s - b * c),
    "length changed": lambda a, b, c, s: ((a * c - b * s) / 2, (a * s + b * c) / 2),
}
RIGHT = {  # what stands for a fault that is not there
    "place": lambda p: p,
    "law": 1e4 ** (-PAIRS_OF_64 / 32),
    "way": lambda a, b, c, s: (a * c - b * s, a * s + b * c),
}


def made_of(place=RIGHT["place"], law=RIGHT["law"], way=RIGHT["way"]):
    """A rotation of 64 features in halves, put together from its three parts."""
    def rope(x, positions):
        t = place(np.asarray(positions))[:, None] * law
        return np.concatenate(way(x[..., :32], x[..., 32:], np.cos(t), np.sin(t)), axis=-1).astype(x.dtype)

    return rope


@faults("half-precision angles", "half-precision tables")
def model_in_bfloat16(x, positions):
    """Frequencies, and then cosines and sines, were cast to bfloat16 with the whole model."""
    t = np.tile(np.asarray(positions)[:, None] * rounded(speeds(x.shape[-1]), "bfloat16"), 2)
    return (x * rounded(np.cos(t), "bfloat16") + rotate_half(x) * rounded(np.sin(t), "bfloat16")).astype(x.dtype)


@faults("half-precision angles")
def stretched_frequencies_in_bfloat16(x, positions):
    """One fault, not two: stretched by parts, and the list cast to bfloat16."""
    m = np.arange(x.shape[-1] // 2)
    w, ramp = speeds(x.shape[-1]), np.clip((m - 10) / (23 - 10), 0, 1)
    return halves(x, np.asarray(positions)[:, None] * rounded(w / 40 * ramp + w * (1 - ramp), "bfloat16"))
