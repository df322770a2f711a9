"""Which offsets look alike: whole turns, near aliases, impostors, unfinished turns, and the base a length asks for."""

import numpy as np

from pe_lib._validate import even_dim, finite_array, finite_number, frequency_array, positive_number, whole_number
from pe_lib.frequencies import offset_similarity, wavelengths


def wrap(angle):
    """A hand shows its angle up to whole turns: angles a whole number of turns apart look the same.

    angle (...), radians -> (...), radians, from -pi to pi.
    angle - 2 pi * floor((angle + pi) / (2 pi))

    Raises: ValueError if angle is not real and finite.
    Source: 44 and 710 radians are nearly whole turns since pi is nearly 22/7 and 355/113.

    >>> wrap([1.0, 44.0, 44 + 2 * np.pi]).round(4)
    array([1.    , 0.0177, 0.0177])
    """
    angle = finite_array(angle, "angle").astype(np.float64)
    return angle - 2 * np.pi * np.floor((angle + np.pi) / (2 * np.pi))


def near_aliases(frequency, reach):
    """A few offsets bring one pair nearer to its start than any offset before them: it can hardly tell them from 0.

    frequency, radians per token; reach, the largest offset looked at, tokens -> offsets, ascending, from 1 on.
    offset k is listed if abs(wrap(k * frequency)) is smaller than for all offsets from 1 to k - 1

    Raises: ValueError if frequency is not a finite number, or reach not an integer above 0.
    Source: they are the denominators in the continued fraction of frequency / (2 pi).

    >>> near_aliases(1.0, reach=1000)
    array([  1,   6,  19,  25,  44, 333, 710])
    """
    offsets = np.arange(1, whole_number(reach, "reach", 1) + 1)
    left = np.abs(wrap(offsets * finite_number(frequency, "frequency")))
    nearest_before = np.minimum.accumulate(np.concatenate([[np.inf], left[:-1]]))
    return offsets[left < nearest_before]


def unfinished_pairs(inv_freq, trained):
    """A pair whose wavelength exceeds the trained length has angles that training never showed.

    inv_freq (dim/2,), radians per token; trained, tokens -> (dim/2,), True for a pair that never came full circle.
    wavelength > trained

    Raises: ValueError if inv_freq is not one number above 0 a pair, or trained is not above 0.
    Source: Peng et al. 2023, "YaRN", on wavelengths above the context length.

    >>> unfinished_pairs([1.0, 0.1, 0.01], trained=100)
    array([False, False,  True])
    """
    return wavelengths(inv_freq) > positive_number(trained, "trained")


def nearest_impostor(inv_freq, reach, beyond=1):
    """Of all far offsets, one looks most like no offset at all: the impostor.

    inv_freq (dim/2,); reach and beyond, tokens: offsets from beyond + 1 to reach -> (offset, its distance from 0).
    the largest offset_similarity(k);  distance = |PE(p + k) - PE(p)| = 2 sqrt(sum over m of sin(k inv_freq[m] / 2)^2)

    It is a *true* impostor if that is less than the distance of the neighbour, offset 1: at base 10,000 the
    first is 6 for dim 4, 6, 8 and 10, then 14,495 for dim 12 and 596,274 for dim 16.
    Raises: ValueError if inv_freq is not one finite number a pair, or not 0 <= beyond < reach, both integers.
    Source: |a - b|^2 = |a|^2 + |b|^2 - 2 a . b, with |PE|^2 = dim/2.

    >>> nearest_impostor([np.pi / 4], reach=9, beyond=2)[0]
    8
    """
    inv_freq, beyond = frequency_array(inv_freq), whole_number(beyond, "beyond")
    offsets = np.arange(beyond + 1, whole_number(reach, "reach", beyond + 1) + 1)
    offset = int(offsets[offset_similarity(offsets, inv_freq).argmax()])
    # From the sines: the similarity is so near dim/2 that subtracting it from dim/2 would lose half the digits.
    return offset, 2 * float(np.sqrt((np.sin(offset * inv_freq / 2) ** 2).sum()))


def smallest_base(length, dim=128, step=1e-4, largest=1e9):
    """A model sees like as like over a whole context only if its base is large enough for the length.

    length, tokens; dim; step, of the scan, in ln(base) -> the smallest base found, from 1 up to the largest.
    sum over m of cos(k * base ** (-2m / dim)) >= 0 for all offsets k from 0 to length - 1

    A bisection would be wrong: bases that pass are no interval but narrow windows. For 4096 tokens the first goes
    from 26,952.3 to 26,973.1, then bases fail again; steps above 7.7e-4 may pass over it. Finer steps come nearer to
    its lower end: 26,954.4 with 1e-4, 26,952.5 with 1e-5.
    Raises: ValueError if no base passes, or length, dim, step or largest are out of range.
    Source: Men et al. 2024, "Base of RoPE Bounds Context Length"; finer, Su 2024, kexue.fm/archives/10122.

    >>> f"{smallest_base(1024):.1e}"
    '4.3e+03'
    """
    offsets, exponents = np.arange(whole_number(length, "length", 1)), -np.arange(0, even_dim(dim), 2) / dim
    count = int(np.log(positive_number(largest, "largest")) / positive_number(step, "step"))
    refuters = []
    for first in range(1, count + 1, 512):
        bases = np.exp(step * np.arange(first, min(first + 512, count + 1)))
        table = bases[:, None] ** exponents
        # An offset that refuted one base refutes most others near it: one cosine a pair spares the whole sum.
        for refuter in reversed(refuters):
            if bases.size:
                bases, table = _passing(bases, table, refuter)
        while bases.size:
            similarity = offset_similarity(offsets, table[0])
            if similarity.min() >= 0:
                return float(bases[0])
            refuters.append(int(similarity.argmin()))
            bases, table = _passing(bases[1:], table[1:], refuters[-1])
    raise ValueError(f"no base up to {largest:g} keeps all {length} offsets from a similarity below 0 at dim {dim}")


def _passing(bases, table, offset):
    passes = np.cos(offset * table).sum(axis=-1) >= 0
    return bases[passes], table[passes]


def min_max_columns(values, columns):
    """A line through a million points looks like the band between the lowest and the highest in each pixel column.

    values (n,); columns, at most n of them -> two arrays (columns,): the lowest and the highest value in each.

    Raises: ValueError if values is not one row of real numbers without NaN, or columns not an integer above 0.
    Source: any plotting program; a single-point peak survives, where every hundredth point would miss it.

    >>> min_max_columns([0, 5, 1, 2, -3, 2], columns=2)
    (array([ 0., -3.]), array([5., 2.]))
    """
    values = finite_array(values, "values", least_axes=1)
    if values.ndim != 1 or values.size == 0:
        raise ValueError(f"values must be one row of at least one number, got shape {values.shape}")
    columns = min(whole_number(columns, "columns", 1), values.size)
    starts = np.arange(columns) * values.size // columns
    return np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
