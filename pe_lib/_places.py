"""What the grids and the graphs ask of their arguments."""

import numpy as np

from pe_lib._validate import finite_array, integer_array, whole_number


def grid_shape(grid, name="grid", axes=2):
    """The sizes of a grid or a window, as a tuple of integers of at least 1: (rows, columns), or with axes=None of any length."""
    sizes = grid if isinstance(grid, (tuple, list)) else np.atleast_1d(grid)
    if len(sizes) != axes if axes else not len(sizes):
        wanted = "two sizes, (rows, columns)" if axes else "at least one size"
        raise ValueError(f"{name} must hold {wanted}, got {grid!r}")
    return tuple(whole_number(size, f"each size in {name}", least=1) for size in sizes)


def patch_coordinates(positions):
    """Row and column of each patch, (n, 2), integers of at least 0: patches are counted, not measured."""
    positions = integer_array(positions, "positions")
    if positions.ndim != 2 or positions.shape[1] != 2:
        raise ValueError(f"positions must hold a row and a column for each patch, (n, 2), got shape {positions.shape}")
    if (positions < 0).any():
        raise ValueError(f"positions must be at least 0, got {positions.min()}, shape {positions.shape}")
    return positions


def adjacency_matrix(adjacency, weighted=False):
    """Who is joined to whom, as float64 of shape (n, n): symmetric, 0 on the diagonal; 0 or 1, or weights of at least 0."""
    yes_or_no = isinstance(adjacency, np.ndarray) and adjacency.dtype == bool
    array = finite_array(adjacency.astype(np.int8) if yes_or_no else adjacency, "adjacency")
    shape = f"shape {array.shape}"
    if array.ndim != 2 or array.shape[0] != array.shape[1] or array.size == 0:
        raise ValueError(f"adjacency must be square, (n, n), with at least one node, got {shape}")
    if (array < 0).any():
        raise ValueError(f"adjacency must hold weights of at least 0, got {array.min()}, {shape}")
    if array.diagonal().any():
        loop = int(np.flatnonzero(array.diagonal())[0])
        raise ValueError(f"adjacency must be 0 on the diagonal, no self-loops, got {array[loop, loop]} at node {loop}, {shape}")
    if (array != array.T).any():
        i, j = (int(index) for index in np.argwhere(array != array.T)[0])
        forget = "edges have no direction here (np.maximum(a, a.T) would forget it)"
        raise ValueError(f"adjacency must be symmetric: {forget}, got {array[i, j]} from {i} to {j}, {array[j, i]} back, {shape}")
    if not weighted and not np.isin(array, (0, 1)).all():
        odd = array[~np.isin(array, (0, 1))][0]
        raise ValueError(f"adjacency must hold 0 and 1, since edges are counted here (a > 0 forgets weights), got {odd}, {shape}")
    return array.astype(np.float64)


def node_number(node, n, name):
    """One of the nodes 0 ... n - 1."""
    if whole_number(node, name) >= n:
        raise ValueError(f"{name} must be a node from 0 to {n - 1}, got {node}")
    return int(node)
