"""Learned tables on a grid: a bias by relative row and column, and what becomes of a table when the grid changes."""

import numpy as np

from pe_lib._places import grid_shape
from pe_lib._validate import finite_array, whole_number


def swin_relative_index(window):
    """Two pairs of patches with the same offset in rows and in columns share one entry of Swin's table; this is its number.

    window = (rows, columns), or any number of axes, patches -> (n, n), integers from 0 to the product of (2 size - 1), less 1.
    index[i, j] = (row_i - row_j + rows - 1) (2 columns - 1) + (column_i - column_j + columns - 1)

    Swin subtracts the other way round: query minus key, where this course counts key minus query. The checkpoints fix that.
    Raises: ValueError if window does not hold at least one integer, each at least 1.
    Source: Liu et al. 2021 (Swin), equation 4, and its code (`relative_position_index`).

    >>> swin_relative_index((1, 3))
    array([[2, 1, 0],
           [3, 2, 1],
           [4, 3, 2]])
    """
    sizes = grid_shape(window, "window", axes=None)
    patches = np.indices(sizes).reshape(len(sizes), -1)
    offsets = patches[:, :, None] - patches[:, None, :]
    widest = np.array(sizes)[:, None, None] - 1
    return np.ravel_multi_index(tuple(offsets + widest), 2 * np.array(sizes) - 1)


def window_bias(window, table, prefix=0):
    """Swin learns one number for each relative row and column, and adds it to every score of that offset.

    window = (rows, columns), patches; table (..., (2 rows - 1) (2 columns - 1)), score -> (..., prefix + n, prefix + n).
    bias[h, i, j] = table[h, swin_relative_index(window)[i, j]];  Swin's own checkpoints hold the table as (entries, heads)

    The first `prefix` tokens (a class token, registers) have no place in the window: the bias to and from them is 0.
    Raises: ValueError as `swin_relative_index`; if table is not real and finite, or of another size; if prefix is no count.
    Source: Liu et al. 2021 (Swin), equation 4; the zeros, timm (`RelPosMlp`). BEiT learns three more numbers instead.

    >>> window_bias((1, 2), [-1.0, 0.0, 5.0], prefix=1)
    array([[ 0.,  0.,  0.],
           [ 0.,  0., -1.],
           [ 0.,  5.,  0.]])
    """
    index, prefix = swin_relative_index(window), whole_number(prefix, "prefix")
    table = _fitting(table, int(index.max()) + 1, -1, f"one number for each offset in a window of {tuple(window)}")
    bias = np.zeros((*table.shape[:-1], prefix + len(index), prefix + len(index)), table.dtype)
    bias[..., prefix:, prefix:] = table[..., index]
    return bias


def interpolate_table(table, old, new, prefix=0):
    """A learned table of positions is stretched like a picture: each new patch mixes the old patches around its centre.

    table (prefix + n, dim), patches row by row; old, new = (rows, columns), patches -> (prefix + new n, dim).
    new[r, c] = sum over i, j of A[r, i] B[c, j] old[i, j], with A = resize_matrix(old rows, new rows), B for the columns

    The first `prefix` rows (class token, registers) have no place and are kept. Give both sizes: 16 rows may be 4 x 4 or
    2 x 8, and a scale factor may round to a grid one patch short.
    Raises: ValueError if table is not real and finite, has not prefix + n rows, or a size or prefix is no count.
    Source: Dosovitskiy et al. 2021 (ViT), section 3.2; bilinear here, where many packages are bicubic.

    >>> interpolate_table([[9.0], [0.0], [4.0]], old=(1, 2), new=(1, 4), prefix=1).T
    array([[9., 0., 1., 3., 4.]])
    """
    old, new, prefix = grid_shape(old, "old"), grid_shape(new, "new"), whole_number(prefix, "prefix")
    table = finite_array(table, "table", least_axes=2)
    table = _fitting(table, prefix + old[0] * old[1], -2, f"{prefix} rows without a place and one for each patch of {old}")
    patches = np.moveaxis(table[..., prefix:, :], -1, 0)
    resized = np.moveaxis(_resize(patches, old, new), 0, -1)
    return np.concatenate([table[..., :prefix, :], resized.astype(table.dtype)], axis=-2)


def interpolate_bias(table, old, new):
    """A table of biases is stretched as well, over its offsets: a larger window's furthest offset gets the old one's number.

    table (..., (2 rows - 1) (2 columns - 1)), score, of the window old = (rows, columns) -> the same for the window new.
    new[a, b] as in `interpolate_table`, on grids of 2 size - 1 offsets

    Offset 0 keeps its number. In a larger window offset 1 reads an offset below 1, so a bias for the next patch is blurred.
    Raises: ValueError if table is not real and finite or of another size, or a window does not hold two counts.
    Source: Liu et al. 2022 (Swin V2), section 3.3, which measures what is lost; bilinear here, bicubic there.

    >>> interpolate_bias([0.0, 1.0, 2.0], old=(1, 2), new=(1, 3)).round(3)
    array([0. , 0.4, 1. , 1.6, 2. ])
    """
    old, new = grid_shape(old, "old"), grid_shape(new, "new")
    offsets = [tuple(2 * size - 1 for size in window) for window in (old, new)]
    table = _fitting(table, offsets[0][0] * offsets[0][1], -1, f"one number for each offset in a window of {old}")
    return _resize(table, *offsets).astype(table.dtype)


def resize_matrix(old, new):
    """Each new cell's centre falls between two old centres, and takes from both: more from the nearer.

    old, new, cells -> (new, old), every row sums to 1.
    cell i has its centre at i + 1/2; new centre i lies at x = (i + 1/2) old / new - 1/2, counted in old cells, and takes
    1 - |x - j| from old cell j if that is above 0;  x is first clipped to 0 ... old - 1

    With aligned corners (first on first, last on last) the numbers differ. With fewer than half the cells, some are never read.
    Raises: ValueError if a size is not an integer of at least 1.
    Source: half-pixel centres, PyTorch (`interpolate`, align_corners=False, antialias=False).

    >>> resize_matrix(2, 4)
    array([[1.  , 0.  ],
           [0.75, 0.25],
           [0.25, 0.75],
           [0.  , 1.  ]])
    """
    old, new = whole_number(old, "old", least=1), whole_number(new, "new", least=1)
    centres = np.clip((np.arange(new) + 0.5) * old / new - 0.5, 0, old - 1)
    return np.maximum(1 - abs(centres[:, None] - np.arange(old)), 0)


def _resize(tables, old, new):
    grids = tables.reshape(*tables.shape[:-1], *old)
    resized = resize_matrix(old[0], new[0]) @ grids @ resize_matrix(old[1], new[1]).T
    return resized.reshape(*tables.shape[:-1], new[0] * new[1])


def _fitting(table, size, axis, requirement):
    table = finite_array(table, "table", least_axes=1)
    if table.shape[axis] != size:
        raise ValueError(f"table must hold {requirement}, {size} in all, got shape {table.shape}")
    return table
