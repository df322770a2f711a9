"""Sinusoidal encodings, and the matrix that moves one along by an offset."""

import numpy as np

from pe_lib._validate import finite_array, finite_number, frequency_array
from pe_lib.frequencies import angles, inverse_frequencies

LAYOUTS = ("interleaved", "sines_first", "cosines_first")


def sinusoidal_encoding(positions, dim, base=10_000.0, layout="interleaved"):
    """A position is written as the sine and cosine of dim/2 hands that turn at different speeds.

    positions (..., n), tokens -> (..., n, dim), float64, between -1 and 1; every row has the length sqrt(dim/2).
    PE(p)[2m] = sin(p * base ** (-2m/dim));  PE(p)[2m + 1] = cos(p * base ** (-2m/dim))

    That is the order "interleaved"; "sines_first" and "cosines_first" hold the same numbers in two halves.
    Raises: ValueError as `inverse_frequencies` and `angles`, and if layout is none of the three.
    Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.5.

    >>> sinusoidal_encoding([0, 1], dim=2).round(3)
    array([[0.   , 1.   ],
           [0.841, 0.54 ]])
    """
    return encode_angles(angles(positions, inverse_frequencies(dim, base)), layout)


def encode_angles(theta, layout="interleaved"):
    """Any table of angles becomes an encoding: two features an angle, its sine and its cosine.

    theta (..., n, dim/2), radians -> (..., n, dim), float64, between -1 and 1.
    interleaved: sin, cos, sin, cos, ...;  sines_first: all sines, all cosines;  cosines_first: the other way round

    Other frequencies than the paper's enter here: encode_angles(angles(positions, inv_freq), layout).
    Raises: ValueError if theta is not real and finite, has no axis, or layout is none of the three.
    Source: interleaved, Vaswani et al. 2017, section 3.5; sines first, tensor2tensor; cosines first, guided diffusion.

    >>> encode_angles([0, np.pi / 2], "sines_first").round(3)
    array([0., 1., 1., 0.])
    """
    if not isinstance(layout, str) or layout not in LAYOUTS:
        raise ValueError(f"layout must be one of {', '.join(LAYOUTS)}, got {layout!r}")
    theta = finite_array(theta, "theta", least_axes=1).astype(np.float64)
    sines, cosines = np.sin(theta), np.cos(theta)
    if layout == "sines_first":
        return np.concatenate([sines, cosines], axis=-1)
    if layout == "cosines_first":
        return np.concatenate([cosines, sines], axis=-1)
    return np.stack([sines, cosines], axis=-1).reshape(*theta.shape[:-1], 2 * theta.shape[-1])


def offset_matrix(offset, inv_freq):
    """One matrix moves every encoding along by the same offset: PE(p + offset) = M PE(p), whatever p is.

    offset, tokens; inv_freq (dim/2,), radians per token -> (dim, dim), for features in the order sin, cos, sin, cos.
    block m of the diagonal = [[cos a, sin a], [-sin a, cos a]] with a = offset * inv_freq[m]; all else is 0

    M acts on columns; on a table of rows it is table @ M.T. In the order (cos, sin) each block would be transposed.
    Raises: ValueError if offset is not one finite number, or inv_freq not one finite number a pair.
    Source: Vaswani et al. 2017, section 3.5 ("a linear function of PE_pos"); the block is the angle-addition formula.

    >>> offset_matrix(1, [np.pi / 2]).round(3)
    array([[ 0.,  1.],
           [-1.,  0.]])
    """
    turn = finite_number(offset, "offset") * frequency_array(inv_freq)
    sin = np.arange(0, 2 * turn.size, 2)
    cos = sin + 1
    matrix = np.zeros((2 * turn.size, 2 * turn.size))
    matrix[sin, sin], matrix[sin, cos] = np.cos(turn), np.sin(turn)
    matrix[cos, sin], matrix[cos, cos] = -np.sin(turn), np.cos(turn)
    return matrix
