"""How fast each pair of features turns, and the angle it has reached at a position."""

import numpy as np

from pe_lib._validate import even_dim, frequency_array, frequency_base, turnable


def inverse_frequencies(dim, base=10_000.0):
    """Each pair of features turns slower than the one before it, by the same factor.

    dim -> (dim/2,), radians per token; pair 0 is the fastest, at 1 radian per token.
    inv_freq[m] = base ** (-2m / dim)

    Raises: ValueError if dim is not an even integer above 0, or base is not above 0 and different from 1.
    Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.5.

    >>> inverse_frequencies(4, base=100)
    array([1. , 0.1])
    """
    dim, base = even_dim(dim), frequency_base(base)
    return base ** (-np.arange(0, dim, 2) / dim)


def inverse_frequencies_endpoint(dim, base=10_000.0):
    """A second published family has larger steps, so that its slowest pair turns at exactly 1/base.

    dim -> (dim/2,), radians per token. The first pair is 1, as in `inverse_frequencies`; all others are slower.
    inv_freq[m] = base ** (-m / (dim/2 - 1))

    Raises: ValueError as `inverse_frequencies`, and if dim is 2: one pair cannot be both the fastest and the slowest.
    Source: tensor2tensor, `get_timing_signal_1d`, the code published with the paper; the same in fairseq.

    >>> inverse_frequencies_endpoint(6, base=100)
    array([1.  , 0.1 , 0.01])
    """
    dim, base = even_dim(dim, least=4), frequency_base(base)
    return base ** (-np.arange(dim // 2) / (dim // 2 - 1))


def wavelengths(inv_freq):
    """A pair comes full circle after 2 pi radians, so slow pairs have long wavelengths.

    inv_freq (dim/2,), radians per token -> (dim/2,), tokens per turn.
    wavelength[m] = 2 pi / inv_freq[m]

    Raises: ValueError if inv_freq is not one finite number above 0 a pair.
    Source: Vaswani et al. 2017, section 3.5.

    >>> wavelengths([np.pi, np.pi / 2])
    array([2., 4.])
    """
    inv_freq = frequency_array(inv_freq)
    if (inv_freq <= 0).any():
        raise ValueError(f"inv_freq must be above 0 to have wavelengths, got {inv_freq.min()}, shape {inv_freq.shape}")
    return 2 * np.pi / inv_freq


def angles(positions, inv_freq):
    """At position p the hand of pair m has turned by p times its frequency.

    positions (..., n), tokens; inv_freq (dim/2,), radians per token -> (..., n, dim/2), radians, always float64.
    angles[..., p, m] = positions[..., p] * inv_freq[m]

    Positions may be negative, fractional, or different in each row of a batch; one bare number gives (dim/2,).
    Raises: ValueError if either is not real and finite, nor is their product, or inv_freq is not one-dimensional.
    Source: Vaswani et al. 2017, section 3.5.

    >>> angles([0, 1, 2], [1.0, 0.5])
    array([[0. , 0. ],
           [1. , 0.5],
           [2. , 1. ]])
    """
    # float64 before the product: in float32 the angle at position 100,000 is already off by thousandths of a radian.
    positions, inv_freq = turnable(positions, inv_freq, "positions")
    return positions[..., None] * inv_freq


def offset_similarity(offsets, inv_freq):
    """The dot product of two sinusoidal encodings depends on their offset alone, and not on its sign.

    offsets (..., n), tokens; inv_freq (dim/2,), radians per token -> (..., n), from -dim/2 to dim/2.
    offset_similarity(k) = sum over m of cos(k * inv_freq[m]) = PE(p) . PE(p + k), at every p

    A long row of evenly spaced offsets, such as range(10**6), takes a short way: a matrix product for the cosines.
    Raises: ValueError as `angles`.
    Source: cos(a - b) = cos a cos b + sin a sin b, summed over the pairs.

    >>> offset_similarity([0, 1, 2], [np.pi, 2 * np.pi])
    array([2., 0., 2.])
    """
    if isinstance(offsets, range) and len(offsets) > 512:
        _, inv_freq = turnable([offsets[0], offsets[-1]], inv_freq, "offsets")
        return _similarity_evenly_spaced(offsets.start, offsets.step, len(offsets), inv_freq)
    offsets, inv_freq = turnable(offsets, inv_freq, "offsets")
    if offsets.ndim == 1 and offsets.size > 512:
        step = offsets[1] - offsets[0]
        if (np.diff(offsets) == step).all():
            return _similarity_evenly_spaced(offsets[0], step, offsets.size, inv_freq)
    return _similarity_by_definition(offsets, inv_freq)


def _similarity_by_definition(offsets, inv_freq):
    # Row by row the formula; in blocks, since the whole table of a million offsets and 64 pairs would fill 512 MB.
    flat = offsets.ravel()
    blocks = [flat[i : i + 4096] for i in range(0, max(flat.size, 1), 4096)]
    sums = [np.cos(angles(block, inv_freq)).sum(axis=-1) for block in blocks]
    return np.concatenate(sums).reshape(offsets.shape)[()]


def _similarity_evenly_spaced(start, step, count, inv_freq):
    # Offset = coarse + fine, as on two wheels: cos(c + f) = cos c cos f - sin c sin f. Summed over the pairs this is
    # one entry of a matrix product, so that 2 * sqrt(count) rows of cosines and sines serve all offsets.
    width = int(np.ceil(np.sqrt(count)))
    coarse = angles(start + step * width * np.arange(-(-count // width)), inv_freq)
    fine = angles(step * np.arange(width), inv_freq)
    rows = np.concatenate([np.cos(coarse), np.sin(coarse)], axis=-1)
    columns = np.concatenate([np.cos(fine), -np.sin(fine)], axis=-1)
    return (rows @ columns.T).ravel()[:count]
