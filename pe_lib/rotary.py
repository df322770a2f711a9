"""Rotary encoding: queries and keys are turned by their position, pair by pair, and nothing is added."""

import numpy as np

from pe_lib._turning import turn_rows
from pe_lib._validate import common_shape, finite_array, finite_number, real_array, turnable
from pe_lib.frequencies import angles
from pe_lib.layouts import check_layout, feature_pairs


def rotation_matrix(position, inv_freq, layout="interleaved"):
    """The definition: one position is one matrix, which turns each pair of features by position * inv_freq.

    position, tokens; inv_freq (dim/2,), radians per token -> (dim, dim), orthogonal; acts on columns (rows: x @ R.T).
    for pair m = (a, b), with t = position * inv_freq[m]: R[a, a] = R[b, b] = cos t, R[a, b] = -sin t, R[b, a] = sin t

    Raises: ValueError if position or a turn is not one finite number, inv_freq not one a pair, or layout unknown.
    Source: Su et al. 2021 (RoFormer), equation 15.

    >>> rotation_matrix(1, [np.pi / 2]).round(3)
    array([[ 0., -1.],
           [ 1.,  0.]])
    """
    turn = np.multiply(*turnable(finite_number(position, "position"), inv_freq, "position"))
    first, second = feature_pairs(2 * turn.size, layout).T
    matrix = np.zeros((2 * turn.size, 2 * turn.size))
    matrix[first, first] = matrix[second, second] = np.cos(turn)
    matrix[first, second], matrix[second, first] = -np.sin(turn), np.sin(turn)
    return matrix


def rotate(x, positions, inv_freq, *, layout="interleaved"):
    """Every row is turned by the rotation of its position: lengths stay, and the scores of turned rows see offsets alone.

    x (..., n, dim), floats; positions (n,), tokens, or (..., n) with an axis for each of x's, of its size or 1, as in
    (batch, 1, n) for left padding; inv_freq (pairs,), radians per token -> x's shape and dtype; angles in float64.
    y[i] = rotation_matrix(positions[i], inv_freq, layout) @ x[i]

    With fewer frequencies than dim // 2, the first 2 * pairs features turn (partial rotary), the others pass through, and dim may
    be odd.
    Integers are refused: once turned they are not whole numbers, which an integer x could not hold. NaN stays in its pair.
    Raises: ValueError if x has no float dtype, an odd dim with dim // 2 frequencies, or positions, inv_freq or layout do not fit.
    Source: Su et al. 2021 (RoFormer), equation 34.

    >>> rotate([[1.0, 0.0], [1.0, 0.0]], positions=[0, 1], inv_freq=[np.pi / 2]).round(3)
    array([[1., 0.],
           [0., 1.]])
    """
    x, (positions, inv_freq), layout = _features(x), turnable(positions, inv_freq, "positions"), check_layout(layout)
    _check_positions(positions.shape, x.shape)
    if 2 * inv_freq.size > x.shape[-1]:
        raise ValueError(f"inv_freq must hold at most one frequency a pair, {x.shape[-1] // 2}, got shape {inv_freq.shape}")
    if x.shape[-1] % 2 and 2 * inv_freq.size == x.shape[-1] - 1:  # meant for all of x, and a feature would be left over
        raise ValueError(f"x must have an even number of features, since they turn in pairs (or fewer frequencies), got shape {x.shape}")
    work = np.result_type(x.dtype, np.float32)  # float16 is turned in float32
    return turn_rows(x.astype(work, copy=False), positions, inv_freq, layout).astype(x.dtype, copy=False)


def pair_contributions(q, k, relative, inv_freq, *, layout="interleaved"):
    """A rotated score is a sum over pairs, and each pair's part depends on the relative position alone.

    q, k (..., dim), not rotated; relative (...), key minus query, tokens; inv_freq (dim/2,) -> (..., dim/2), no unit.
    part[m] = cos(t) (q1 k1 + q2 k2) + sin(t) (q2 k1 - q1 k2), with t = relative * inv_freq[m] and (q1, q2) pair m of q

    Their sum is rotate(q, i) . rotate(k, j) with j - i = relative. The sine's sign belongs to key minus query.
    Raises: ValueError if an argument is not real and finite, or dim is not twice the number of frequencies.
    Source: Su et al. 2021 (RoFormer), equation 16, multiplied out.

    >>> pair_contributions([1.0, 0.0], [0.0, 1.0], relative=[-1, 0, 1], inv_freq=[np.pi / 2]).round(3) + 0
    array([[ 1.],
           [ 0.],
           [-1.]])
    """
    q, k = finite_array(q, "q", 1), finite_array(k, "k", 1)
    turn = angles(*turnable(relative, inv_freq, "relative"))
    if not q.shape[-1] == k.shape[-1] == 2 * turn.shape[-1]:
        raise ValueError(f"q and k must have {2 * turn.shape[-1]} features, two a frequency, got shapes {q.shape}, {k.shape}")
    common_shape("the leading axes of q, k and relative", q.shape[:-1], k.shape[:-1], turn.shape[:-1])
    q1, k1, q2, k2 = (a[..., features] for features in feature_pairs(q.shape[-1], layout).T for a in (q, k))
    return np.cos(turn) * (q1 * k1 + q2 * k2) + np.sin(turn) * (q2 * k1 - q1 * k2)


def _features(x):
    array, dtype = real_array(x, "x", least_axes=1), np.asarray(x).dtype
    if dtype.kind != "f":
        raise ValueError(f"x must hold floats, since a turned integer is no integer, got dtype {dtype}, shape {array.shape}")
    return array


def _check_positions(shape, x_shape):
    # (batch, n) is not taken for (heads, n): it would be right in shape and wrong in meaning when batch = heads.
    full = len(shape) == len(x_shape) - 1 and all(p in (1, size) for p, size in zip(shape, x_shape[:-2]))
    if shape[-1:] != x_shape[-2:-1] or not (full or len(shape) == 1):
        rows = f"have one entry a row of x, shape {x_shape[-2:-1]}, or an axis of its size or 1 for each axis of x before the last"
        fit = rows if len(x_shape) > 1 else "be one number, since x is one row"
        raise ValueError(f"positions must {fit}, got shape {shape} for x of shape {x_shape}")
