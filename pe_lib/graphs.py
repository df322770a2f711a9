"""Distances on a graph: how many edges apart two nodes are, along which nodes, and which nodes are joined at all."""

import numpy as np

from pe_lib._places import adjacency_matrix, node_number
from pe_lib._searching import first_steps, hop_counts


def shortest_paths(adjacency):
    """On a graph the distance of two nodes is the number of edges on a shortest path; without a path it is infinite.

    adjacency (n, n), 0 and 1 -> (n, n), float64: hops, 0 on the diagonal, inf between components.
    hops[i, j] = the smallest k for which the k-th power of adjacency is above 0 at [i, j]

    It is symmetric, so unlike key minus query it has no sign: a bias by distance cannot tell left from right on a path.
    Raises: ValueError if adjacency is not square, symmetric, of zeros and ones, 0 on the diagonal, with at least one node.
    Source: breadth-first search; as a position, Ying et al. 2021 (Graphormer), section 3.1.2.

    >>> shortest_paths([[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]])
    array([[ 0.,  1.,  2., inf],
           [ 1.,  0.,  1., inf],
           [ 2.,  1.,  0., inf],
           [inf, inf, inf,  0.]])
    """
    return hop_counts(adjacency_matrix(adjacency))


def shortest_path(adjacency, source, target):
    """One shortest path, node by node; where several are equally short, each step goes to the lowest-numbered node.

    adjacency (n, n), 0 and 1; source, target, nodes from 0 -> (hops + 1,), integers, from source to target.
    path[0] = source, path[t + 1] = the first neighbour of path[t] that is one hop nearer to target

    That choice depends on the numbering: after a relabelling, another path may be taken.
    Raises: ValueError as `shortest_paths`, if there is no such node, or no path between the two.
    Source: breadth-first search; Graphormer's code takes any one path as well (`algos.pyx`).

    >>> shortest_path([[0, 1, 1, 0], [1, 0, 0, 1], [1, 0, 0, 1], [0, 1, 1, 0]], source=0, target=3)
    array([0, 1, 3])
    """
    hops = shortest_paths(adjacency)
    source, target = node_number(source, len(hops), "source"), node_number(target, len(hops), "target")
    if np.isinf(hops[source, target]):
        raise ValueError(f"source and target must be joined by a path, got {source} and {target}, shape {hops.shape}")
    steps, path = first_steps(hops), [source]
    while path[-1] != target:
        path.append(steps[path[-1], target])
    return np.array(path)


def components(adjacency):
    """Nodes that a path joins are one component; a node without edges is a component of its own.

    adjacency (n, n), weights of at least 0 -> (n,), integers from 0: the component of each node, in the order of their first nodes.

    Raises: ValueError if adjacency is not square, symmetric, at least 0, 0 on the diagonal, with at least one node.
    Source: the definition; their number is how often the Laplacian has eigenvalue 0 (Chung 1997, lemma 1.7).

    >>> components([[0, 0, 2], [0, 0, 0], [2, 0, 0]])
    array([0, 1, 0])
    """
    joined = adjacency_matrix(adjacency, weighted=True) > 0
    label, count = np.full(len(joined), -1), 0
    while (label < 0).any():
        front = np.flatnonzero(label < 0)[:1]
        while front.size:
            label[front] = count
            front = np.flatnonzero(joined[front].any(axis=0) & (label < 0))
        count += 1
    return label
