"""How `pe_lib.rotary.rotate` turns many rows quickly: the same arithmetic as its formula, in blocks that fit in a core's cache."""

import numpy as np

from pe_lib.frequencies import angles

BLOCK = 2**16  # pairs turned at a time


def turn_rows(x, positions, inv_freq, layout):
    """Turns the first 2 * inv_freq.size features of x (..., n, dim); positions (n,) or (..., n) broadcast against the rows.

    The arguments have been checked, and x is no narrower than float32. Returns a new array of x's shape and dtype.
    """
    width = 2 * inv_freq.size
    source = np.atleast_2d(x if x.strides[-1] == x.itemsize else np.ascontiguousarray(x))
    out = np.empty(source.shape, source.dtype)
    out[..., width:] = source[..., width:]
    phases = phase_table(np.atleast_1d(positions), inv_freq, np.result_type(source.dtype, np.complex64))
    turn_pairs = turn_halves if layout == "half" else turn_neighbours
    for rows in blocks(out.shape[-2], BLOCK // inv_freq.size):
        turn_pairs(source[..., rows, :width], out[..., rows, :width], phases[..., rows, :])
    return out.reshape(x.shape)


def phase_table(positions, inv_freq, dtype):
    """exp(i * position * inv_freq), (..., n, pairs).

    Sines are slow and products are fast: with position = 64 a + b the angles add, so the phases multiply, and the positions
    0 ... 4095 have only 64 different a and 64 different b.
    """
    coarse = 64 * np.floor(positions.ravel() / 64)
    (a, row_a), (b, row_b) = (np.unique(part, return_inverse=True) for part in (coarse, positions.ravel() - coarse))
    table_a, table_b = np.exp(1j * angles(a, inv_freq)), np.exp(1j * angles(b, inv_freq))
    phases = np.empty((positions.size, inv_freq.size), dtype)
    for rows in blocks(positions.size, 4096 // inv_freq.size):
        phases[rows] = table_a[row_a[rows]] * table_b[row_b[rows]]
    return phases.reshape(*positions.shape, inv_freq.size)


def blocks(n, step):
    """Slices that cut n rows into blocks of at most `step` rows, and of at least one."""
    return [slice(start, start + max(1, step)) for start in range(0, n, max(1, step))]


def turn_neighbours(x, out, phases):
    """A pair of neighbours is one complex number in memory, and multiplying it by exp(i t) turns it by t."""
    np.multiply(x.view(phases.dtype), phases, out=out.view(phases.dtype))


def turn_halves(x, out, phases):
    """RoFormer's equation 34: x * cos + swapped x * sin, where the first half takes the sine with a minus."""
    cos, sin = np.concatenate([phases.real, phases.real], axis=-1), np.concatenate([-phases.imag, phases.imag], axis=-1)
    _turn_heads(x, out, np.broadcast_to(cos, x.shape), np.broadcast_to(sin, x.shape))


def _turn_heads(x, out, cos, sin):
    if x.ndim > 2 and x.size > BLOCK:  # a head at a time, so that the product in between stays in the cache
        for head in zip(x, out, cos, sin):
            _turn_heads(*head)
    else:
        halves = (*x.shape[:-1], 2, x.shape[-1] // 2)
        np.multiply(x, cos, out=out)
        out += (x.reshape(halves)[..., ::-1, :] * sin.reshape(halves)).reshape(x.shape)
