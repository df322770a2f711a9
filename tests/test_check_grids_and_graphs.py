"""The checks of chapter 10: right answers in several forms pass (classic mistakes: exercises/)."""

import numpy as np

from pe_lib.graph_biases import distance_bias
from pe_lib.graphs import shortest_paths
from pe_lib.grid_tables import swin_relative_index
from pe_lib.spectra import laplacian_encoding, random_walk_encoding
from pe_lib.teach.checks import grids_and_graphs as checks


def by_squares(adjacency, table):
    """Hops by powers of the adjacency with the identity added."""
    n = len(adjacency)
    hops, power = np.full((n, n), np.inf), np.eye(n)
    for k in range(n):
        hops = np.where((power > 0) & np.isinf(hops), k, hops)
        power = power @ (adjacency + np.eye(n))
    return distance_bias(hops, table)


def by_columns(adjacency, steps):
    """Columns that sum to 1: other matrices with the same diagonals."""
    step = adjacency / np.maximum(adjacency.sum(axis=0), 1)
    return np.stack([np.linalg.matrix_power(step, t).diagonal() for t in range(1, steps + 1)], axis=1)


def by_general_solver(adjacency, k):
    """Without the symmetric solver: sorted by hand."""
    values, vectors = np.linalg.eig(np.diag(adjacency.sum(axis=1)) - adjacency)
    return vectors.real[:, np.argsort(values.real)[1:k + 1]]


# claims 10.1 and 10.3, as a learner meets them in an exercise
RIGHT = [
    (checks.check_offset_numbers, checks.offset_numbers_by_loop),
    (checks.check_offset_numbers, lambda rows, columns: swin_relative_index((rows, columns)).T),
    (checks.check_graph_bias, checks.bias_by_loop),
    (checks.check_graph_bias, lambda adjacency, table: distance_bias(shortest_paths(adjacency), table)),
    (checks.check_graph_bias, by_squares),
    (checks.check_returns, checks.returns_by_loop),
    (checks.check_returns, random_walk_encoding),
    (checks.check_returns, by_columns),
    (checks.check_coordinates, lambda adjacency, k: laplacian_encoding(adjacency, k)[1]),
    (checks.check_coordinates, lambda adjacency, k: -laplacian_encoding(adjacency, k)[1]),
    (checks.check_coordinates, by_general_solver),
]
UNTOUCHED = [("10.1", lambda rows, columns: ...), ("10.2", lambda adjacency, table: None), ("10.3", lambda adjacency, steps: ...), ("10.4", lambda adjacency, k: ...)]


def test_the_praise_is_true():
    """claim 10.1: 7 × 7 patches, 49² pairs, 13² offsets"""
    numbers = checks.offset_numbers_by_loop(7, 7)
    assert (numbers.size, numbers.max() + 1, len(np.unique(numbers))) == (2401, 169, 169)
