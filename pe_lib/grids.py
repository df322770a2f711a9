"""Positions on a grid: row and column as sinusoids, and as a rotation in two directions."""

import numpy as np

from pe_lib._places import grid_shape, patch_coordinates
from pe_lib._validate import finite_number, whole_number
from pe_lib.frequencies import angles, inverse_frequencies
from pe_lib.rotary import rotate
from pe_lib.sinusoidal import encode_angles

GRID_LAYOUTS = ("row_interleaved", "row_halves", "column_interleaved", "column_halves")


def patch_positions(grid):
    """A grid is read like a page: along the first row, then along the second.

    grid = (rows, columns), patches -> (rows * columns, 2), integers: the row and the column of each patch, from 0.
    patch n stands at row n // columns, column n % columns

    The number of columns divides, not that of rows; on a square grid a wrong choice would not show.
    Raises: ValueError if grid does not hold two integers of at least 1.
    Source: Dosovitskiy et al. 2021 (ViT), appendix D.4 (raster order).

    >>> patch_positions((2, 3)).T
    array([[0, 0, 0, 1, 1, 1],
           [0, 1, 2, 0, 1, 2]])
    """
    return np.indices(grid_shape(grid)).reshape(2, -1).T


def sincos_2d(positions, dim, base=10_000.0, layout="row_interleaved", prefix=0):
    """A patch is written as two sinusoidal encodings side by side: one of its row, one of its column.

    positions (n, 2), row and column, patches -> (prefix + n, dim), float64, between -1 and 1.
    PE(row, column) = [sinusoid(row), sinusoid(column)], each dim/2 wide, with the dim/4 frequencies of that width

    The four layouts hold the same numbers: which axis comes first, and whether its sines and cosines alternate or come in
    two halves. Their dot products are the same, and depend on the two differences alone. The first `prefix` rows are 0, for
    tokens without a place (a class token, registers): row 0, column 0 would be a place, and its encoding is not 0.
    Raises: ValueError if positions are not whole and at least 0, dim no multiple of 4, or base, layout or prefix unfit.
    Source: row_interleaved, Carion et al. 2020 (DETR); row_halves, timm (interleave_sin_cos=True); column_interleaved,
    wzlxjtu/PositionalEncoding2D; column_halves and the row of zeros, the code of He et al. 2022 (MAE).

    >>> sincos_2d([[1, 0]], dim=4).round(3)
    array([[0.841, 0.54 , 0.   , 1.   ]])
    """
    if not isinstance(layout, str) or layout not in GRID_LAYOUTS:
        raise ValueError(f"layout must be one of {', '.join(GRID_LAYOUTS)}, got {layout!r}")
    positions, inv_freq = patch_coordinates(positions), inverse_frequencies(_four_times(dim) // 2, base)
    first, order = layout.split("_")
    axes = positions.T if first == "row" else positions.T[::-1]
    order = "interleaved" if order == "interleaved" else "sines_first"
    encoding = np.concatenate([encode_angles(angles(axis, inv_freq), order) for axis in axes], axis=-1)
    return np.concatenate([np.zeros((whole_number(prefix, "prefix"), dim)), encoding])


def axial_frequencies(dim, base=100.0):
    """In axial rotary, half of the pairs see only the row, and the other half only the column.

    dim -> (2, dim/2), radians per patch: how fast each pair turns along the rows [0] and along the columns [1].
    [[f, 0], [0, f]] with f[m] = base ** (-4m / dim), dim/4 of them

    Many vision models place the column first: axial_frequencies(dim)[::-1]. The base is small, since grids are.
    Raises: ValueError if dim is not a multiple of 4, or base unfit.
    Source: Heo et al. 2024 (RoPE-ViT), "axial frequency", base 100; there the column comes first.

    >>> axial_frequencies(8)
    array([[1. , 0.1, 0. , 0. ],
           [0. , 0. , 1. , 0.1]])
    """
    f = inverse_frequencies(_four_times(dim) // 2, base)
    return np.stack([np.concatenate([f, 0 * f]), np.concatenate([0 * f, f])])


def mixed_frequencies(dim, direction, base=10.0):
    """In mixed rotary, the angle of a pair grows fastest in a slanted direction; this is the start from which its frequencies are learned.

    dim; direction, radians from the direction of the columns towards that of the rows -> (2, dim/2), radians per patch.
    row[m] = f[m] sin(a), column[m] = f[m] cos(a), with a = direction in the first half of the pairs, direction + pi/2 in
    the second, and f[m] = base ** (-4m / dim)

    Each head draws a direction of its own. At 0 it is the axial encoding with the column first.
    Raises: ValueError if dim is not a multiple of 4, direction not one finite number, or base unfit.
    Source: Heo et al. 2024 (RoPE-ViT), "mixed learnable frequency", and its code (`init_random_2d_freqs`).

    >>> mixed_frequencies(4, direction=np.pi / 6).round(3)
    array([[ 0.5  ,  0.866],
           [ 0.866, -0.5  ]])
    """
    f = inverse_frequencies(_four_times(dim) // 2, base)
    turned = finite_number(direction, "direction") + np.pi / 2 * np.arange(2)[:, None]
    return np.stack([(f * np.sin(turned)).ravel(), (f * np.cos(turned)).ravel()])


def rotate_2d(x, positions, inv_freq, *, layout="interleaved"):
    """Two rotations, one by the row and one by the column; scores of rotated rows depend on the two differences alone.

    x (..., n, dim), floats; positions (n, 2), row and column, patches; inv_freq (2, pairs), radians per patch, from
    `axial_frequencies` or `mixed_frequencies` -> x's shape and dtype.
    pair m of patch i turns by row[i] * inv_freq[0, m] + column[i] * inv_freq[1, m]

    The order of the two does not matter. Row 0, column 0 means no rotation, so a class token that is left unrotated is
    treated as standing there.
    Raises: ValueError if positions are not whole and at least 0, inv_freq has not two rows, or as `rotate`.
    Source: Heo et al. 2024 (RoPE-ViT); the unrotated class token, its code.

    >>> rotate_2d([[1.0, 0.0, 1.0, 0.0]], [[1, 2]], [[np.pi / 2, 0], [0, np.pi / 2]]).round(3) + 0
    array([[ 0.,  1., -1.,  0.]])
    """
    rows, columns = patch_coordinates(positions).T
    if np.ndim(inv_freq) != 2 or len(inv_freq) != 2:
        raise ValueError(f"inv_freq must have a row for each axis, (2, pairs), got shape {np.shape(inv_freq)}")
    return rotate(rotate(x, rows, inv_freq[0], layout=layout), columns, inv_freq[1], layout=layout)


def _four_times(dim):
    if whole_number(dim, "dim", least=4) % 4:
        raise ValueError(f"dim must be a multiple of 4, pairs for the row and pairs for the column, got {dim}")
    return dim
