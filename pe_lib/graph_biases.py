"""What Graphormer adds: numbers by distance and by edge on the scores, a vector by degree on the nodes."""

import numpy as np

from pe_lib._places import adjacency_matrix
from pe_lib._searching import first_steps
from pe_lib._validate import finite_array, finite_or_masked, integer_array, real_array
from pe_lib.graphs import shortest_paths


def distance_bias(hops, table):
    """Graphormer adds to a score one learned number for each distance; all that is far shares one, and so does "no path".

    hops (..., n, n), whole numbers or inf, as from `shortest_paths`; table (..., far + 2), score -> (..., n, n).
    bias[h, i, j] = table[h, hops[i, j]] below far, table[h, far] from there on, table[h, far + 1] without a path

    With -inf as the last number, no node can look into another component.
    Raises: ValueError if hops is not whole, at least 0 or inf, or table has fewer than 3 numbers, or holds NaN or +inf.
    Source: Ying et al. 2021 (Graphormer), equation 6; its code counts a distance from 510 on as "no path".

    >>> distance_bias([[0, 1, 2, 3, np.inf]], table=[9.0, 5.0, 2.0, -7.0])
    array([[ 9.,  5.,  2.,  2., -7.]])
    """
    hops, table = real_array(hops, "hops"), finite_or_masked(table, "table", least_axes=1)
    wrong = np.isnan(hops) | (hops < 0) | np.isfinite(hops) & (hops != np.floor(hops))
    if wrong.any():
        raise ValueError(f"hops must be whole numbers of at least 0, or inf, got {hops[wrong][0]}, shape {hops.shape}")
    if table.shape[-1] < 3:
        raise ValueError(f"table must hold a number for 0, one for far and one for no path, got shape {table.shape}")
    far = table.shape[-1] - 2
    return table[..., np.where(np.isinf(hops), far + 1, np.minimum(hops, far)).astype(int)]


def degree_centrality(adjacency, table):
    """Graphormer marks hubs and leaves on the nodes themselves: each gets the learned vector of its number of edges.

    adjacency (n, n), 0 and 1; table (degrees, dim) -> (n, dim), to be added to the tokens, before the queries and keys.
    added[i] = table[min(degree of i, degrees - 1)]

    It says how many neighbours a node has, not where it is: all leaves get the same vector.
    Raises: ValueError as `shortest_paths`, and if table is not real and finite, of two axes and with a row at least.
    Source: Ying et al. 2021 (Graphormer), equation 5, without directions. networkx gives this name to degree / (n - 1).

    >>> degree_centrality([[0, 1, 1], [1, 0, 0], [1, 0, 0]], table=[[0.0], [1.0], [4.0]]).T
    array([[4., 1., 1.]])
    """
    degree, table = adjacency_matrix(adjacency).sum(axis=1).astype(int), finite_array(table, "table")
    if table.ndim != 2 or not len(table):
        raise ValueError(f"table must have a row for each degree, (degrees, dim), got shape {table.shape}")
    return table[np.minimum(degree, len(table) - 1)]


def edge_bias(adjacency, relation, table):
    """Graphormer also adds what lies between two nodes: the mean of a learned number over the edges of one shortest path.

    adjacency (n, n), 0 and 1; relation (n, n), integers, the kind of each edge (what stands elsewhere is not read);
    table (..., reach, kinds), score -> (..., n, n), 0 on the diagonal and without a path.
    bias[h, i, j] = mean over t < min(hops, reach) of table[h, t, relation[path[t], path[t + 1]]], path = shortest_path(i, j)

    Edges beyond the reach are not counted. Where several paths are as short, the numbering decides.
    Raises: ValueError as `shortest_paths`; if relation is not (n, n) or a kind is not in table; if table is not finite.
    Source: Ying et al. 2021 (Graphormer), equation 7, where an edge has a vector; its code stops at `multi_hop_max_dist`.

    >>> edge_bias([[0, 1, 0], [1, 0, 1], [0, 1, 0]], [[0, 0, 0], [0, 0, 1], [0, 1, 0]], table=[[4.0, 6.0], [4.0, 6.0]])
    array([[0., 4., 5.],
           [4., 0., 6.],
           [5., 6., 0.]])
    """
    hops, table = shortest_paths(adjacency), finite_array(table, "table", least_axes=2)
    if 0 in table.shape[-2:]:
        raise ValueError(f"table must hold a number for each step and kind, (..., reach, kinds), got shape {table.shape}")
    relation = _relation(relation, np.asarray(adjacency) > 0, table)
    steps, (here, target) = first_steps(hops), np.indices(hops.shape)
    total = np.zeros((*table.shape[:-2], *hops.shape))
    for numbers in np.moveaxis(table, -2, 0):
        after = steps[here, target]
        total += np.where(after != here, numbers[..., relation[here, after]], 0)
        here = after
    counted = np.where(np.isinf(hops), 0, np.minimum(hops, table.shape[-2]))
    return total / np.maximum(counted, 1)


def _relation(relation, joined, table):
    relation = integer_array(relation, "relation")
    if relation.shape != joined.shape:
        raise ValueError(f"relation must have the shape of adjacency, {joined.shape}, got {relation.shape}")
    relation = np.where(joined, relation, 0)
    if (relation < 0).any() or (relation >= table.shape[-1]).any():
        worst = relation[(relation < 0) | (relation >= table.shape[-1])][0]
        raise ValueError(f"relation must be a kind from 0 to {table.shape[-1] - 1}, the columns of table, got {worst}")
    return relation
