"""Distances on graphs, and what Graphormer makes of them: reported cases, bad input, and what a relabelling changes."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pe_lib.attention import attention, attention_scores, softmax
from pe_lib.biases import relative_positions
from pe_lib.graph_biases import degree_centrality, distance_bias, edge_bias
from pe_lib.graphs import components, shortest_path, shortest_paths
from pe_lib.spectra import eigenspace_projector, laplacian, laplacian_encoding, random_walk_encoding

steady = settings(deadline=None, derandomize=True, database=None, max_examples=50)
SEEDS = st.integers(0, 10_000)


def graph(n, edges):
    """The adjacency of n nodes and a list of edges."""
    adjacency = np.zeros((n, n))
    for i, j in edges:
        adjacency[i, j] = adjacency[j, i] = 1
    return adjacency


def path(n):
    return graph(n, [(i, i + 1) for i in range(n - 1)])


def random_graph(seed, largest=12, tree=False):
    """Any number of components; with tree=True one component without a cycle."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, largest))
    if tree:
        return graph(n, [(i, rng.integers(i)) for i in range(1, n)])
    pairs = list(itertools.combinations(range(n), 2))
    return graph(n, [pair for pair in pairs if rng.random() < 1.6 / n])


def relabelled(table, order):
    return table[np.ix_(order, order)]


def by_relaxing(adjacency):
    """Floyd and Warshall's three loops: the specification of the distances."""
    n = len(adjacency)
    hops = np.where(adjacency > 0, 1.0, np.inf)
    hops[np.arange(n), np.arange(n)] = 0
    for k in range(n):
        for i in range(n):
            for j in range(n):
                hops[i, j] = min(hops[i, j], hops[i, k] + hops[k, j])
    return hops


# --- distances -------------------------------------------------------------------------------------------------------


@steady
@given(SEEDS)
def test_hops_against_three_loops(seed):
    """claim 10.3"""
    adjacency = random_graph(seed)
    assert_array_equal(shortest_paths(adjacency), by_relaxing(adjacency))


@pytest.mark.parametrize("n", [63, 64, 65, 130])
def test_hops_on_a_path_are_offsets_without_a_sign(n):
    """claim 10.3: around 64 nodes as well, the width of the words in which the search counts."""
    assert_array_equal(shortest_paths(path(n)), abs(relative_positions(n)))


def test_hops_of_dense_and_of_empty_graphs():
    n = 70
    assert_array_equal(shortest_paths(1 - np.eye(n)), 1 - np.eye(n))
    assert_array_equal(shortest_paths(np.zeros((n, n))), np.where(np.eye(n) > 0, 0, np.inf))
    star = graph(n, [(0, i) for i in range(1, n)])
    assert_array_equal(shortest_paths(star), np.where(star > 0, 1, 2 - 2 * np.eye(n)))
    assert_array_equal(shortest_paths([[0]]), [[0]])


@steady
@given(SEEDS)
def test_hops_follow_a_relabelling(seed):
    """claim 10.3"""
    adjacency = random_graph(seed)
    order = np.random.default_rng(seed).permutation(len(adjacency))
    assert_array_equal(shortest_paths(relabelled(adjacency, order)), relabelled(shortest_paths(adjacency), order))


def test_a_path_through_node_0():
    """Origin: case GR09, 3-2-0-5-6 among 7 nodes; code that takes 0 for "nothing there" loses node 0."""
    adjacency = graph(7, [(3, 2), (2, 0), (0, 5), (5, 6)])
    assert shortest_paths(adjacency)[3, 6] == 4
    assert_array_equal(shortest_path(adjacency, 3, 6), [3, 2, 0, 5, 6])
    assert_array_equal(shortest_path(adjacency, 0, 0), [0])


@steady
@given(SEEDS)
def test_a_shortest_path_is_a_path_and_shortest(seed):
    adjacency = random_graph(seed)
    hops = shortest_paths(adjacency)
    for i, j in np.argwhere(np.isfinite(hops)):
        nodes = shortest_path(adjacency, i, j)
        assert nodes[0] == i and nodes[-1] == j and len(nodes) == hops[i, j] + 1
        assert all(adjacency[a, b] for a, b in zip(nodes, nodes[1:]))


def test_of_two_paths_the_numbering_picks_one():
    """claim 10.3: on a square 0-1-3-2-0 both ways from 0 to 3 are as short; renumbered, the other one is taken."""
    square = graph(4, [(0, 1), (1, 3), (3, 2), (2, 0)])
    assert_array_equal(shortest_path(square, 0, 3), [0, 1, 3])
    order = np.array([0, 2, 1, 3])
    assert_array_equal(order[shortest_path(relabelled(square, order), 0, 3)], [0, 2, 3])


@steady
@given(SEEDS)
def test_components_are_what_paths_join(seed):
    adjacency = random_graph(seed)
    label = components(adjacency)
    assert_array_equal(label[:, None] == label, np.isfinite(shortest_paths(adjacency)))
    assert_array_equal(np.unique(label), np.arange(label.max() + 1))
    firsts = [np.flatnonzero(label == c)[0] for c in range(label.max() + 1)]
    assert firsts == sorted(firsts)
    assert_array_equal(components(adjacency * 0.3), label)


# --- biases and centrality -------------------------------------------------------------------------------------------


def test_each_distance_has_a_number_and_so_have_far_and_no_path():
    """claim 10.3"""
    adjacency = graph(7, [(0, 1), (1, 2), (2, 3), (3, 4)])
    bias = distance_bias(shortest_paths(adjacency), [0.0, 1, 2, 3, -9])
    assert_array_equal(bias[0], [0, 1, 2, 3, 3, -9, -9])
    assert_array_equal(bias[5], [-9, -9, -9, -9, -9, 0, -9])


@steady
@given(SEEDS, st.integers(3, 6))
def test_distance_bias_entry_by_entry(seed, entries):
    hops = shortest_paths(random_graph(seed))
    table = np.random.default_rng(seed).normal(size=(2, entries))
    bias = distance_bias(hops, table)
    for h, i, j in np.ndindex(bias.shape):
        bucket = entries - 1 if hops[i, j] == np.inf else int(min(hops[i, j], entries - 2))
        assert bias[h, i, j] == table[h, bucket]


def test_a_graph_bias_goes_into_the_attention_of_chapter_4():
    """claim 10.3: the same function; -inf for "no path" keeps the components apart."""
    rng = np.random.default_rng(0)
    q, k, v = rng.normal(size=(3, 5, 4))
    bias = distance_bias(shortest_paths(graph(5, [(0, 1), (1, 2), (3, 4)])), [1.0, 0.5, 0.0, -np.inf])
    output, weights = attention(q, k, v, bias)
    assert_allclose(weights, softmax(attention_scores(q, k) + bias))
    assert not weights[:3, 3:].any() and not weights[3:, :3].any()
    assert_allclose(output[3:], attention(q[3:], k[3:], v[3:], bias[3:, 3:])[0])


@steady
@given(SEEDS)
def test_attention_with_a_graph_bias_follows_a_relabelling(seed):
    """claim 10.3: chapter 1 again. Nodes carry their content and their bias along."""
    adjacency = random_graph(seed)
    rng = np.random.default_rng(seed)
    x, table, order = rng.normal(size=(len(adjacency), 4)), rng.normal(size=5), rng.permutation(len(adjacency))
    before = attention(x, x, x, distance_bias(shortest_paths(adjacency), table))[0]
    after = attention(x[order], x[order], x[order], distance_bias(shortest_paths(relabelled(adjacency, order)), table))[0]
    assert_allclose(after, before[order], atol=1e-12)


def test_centrality_is_a_row_by_degree_and_the_last_for_all_above():
    """claim 10.3"""
    star = graph(6, [(0, i) for i in range(1, 5)])     # node 5 has no edge
    table = np.array([[0.0, 10], [1, 11], [2, 12]])
    assert_array_equal(degree_centrality(star, table), table[[2, 1, 1, 1, 1, 0]])
    assert_array_equal(degree_centrality(star, np.arange(5.0)[:, None]).ravel(), [4, 1, 1, 1, 1, 0])


def edge_bias_by_walking(adjacency, relation, table):
    """One path after another, edge by edge: the specification."""
    hops, (reach, _) = shortest_paths(adjacency), table.shape
    bias = np.zeros(hops.shape)
    for i, j in np.argwhere(np.isfinite(hops) & (hops > 0)):
        nodes = shortest_path(adjacency, i, j)
        bias[i, j] = np.mean([table[t, relation[a, b]] for t, (a, b) in enumerate(list(zip(nodes, nodes[1:]))[:reach])])
    return bias


@steady
@given(SEEDS, st.integers(1, 4))
def test_edge_bias_is_the_mean_along_the_path(seed, reach):
    """claim 10.3"""
    adjacency, rng = random_graph(seed), np.random.default_rng(seed)
    relation, table = rng.integers(3, size=adjacency.shape), rng.normal(size=(2, reach, 3))
    expected = [edge_bias_by_walking(adjacency, relation, head) for head in table]
    assert_allclose(edge_bias(adjacency, relation, table), expected, atol=1e-12)


def test_edge_bias_by_hand():
    """claim 10.3: a path of kinds 0, 1, 1; from each end, three numbers for the first, second and third step."""
    relation = np.array([[0, 0, 9, 9], [0, 0, 1, 9], [9, 1, 0, 1], [9, 9, 1, 0]])     # 9 where there is no edge: not read
    table = np.array([[1.0, 2], [10, 20], [100, 200]])
    bias = edge_bias(path(4), relation, table)
    assert_allclose(bias[0], [0, 1, (1 + 20) / 2, (1 + 20 + 200) / 3])
    assert_allclose(bias[3], [(2 + 20 + 100) / 3, (2 + 20) / 2, 2, 0])
    assert_allclose(edge_bias(path(4), relation, table[:2])[0], [0, 1, 21 / 2, 21 / 2])     # reach 2


@steady
@given(SEEDS)
def test_edge_bias_follows_a_relabelling_on_a_tree(seed):
    """claim 10.3: there is one path only."""
    adjacency, rng = random_graph(seed, tree=True), np.random.default_rng(seed)
    relation, table, order = rng.integers(3, size=adjacency.shape), rng.normal(size=(4, 3)), rng.permutation(len(adjacency))
    after = edge_bias(relabelled(adjacency, order), relabelled(relation, order), table)
    assert_allclose(after, relabelled(edge_bias(adjacency, relation, table), order), atol=1e-12)


def test_edge_bias_does_not_follow_a_relabelling_of_a_square():
    """claim 10.3: the numbering picks the path, and so the edges that are met."""
    square = graph(4, [(0, 1), (1, 3), (3, 2), (2, 0)])
    relation = np.zeros((4, 4), int)
    relation[0, 1] = relation[1, 0] = 1
    order = [0, 2, 1, 3]
    before = edge_bias(square, relation, [[0.0, 1.0]])
    after = edge_bias(relabelled(square, order), relabelled(relation, order), [[0.0, 1.0]])
    assert before[0, 3] == 1 and after[0, 3] == 0


def test_every_argument_matters():
    square, table = graph(4, [(0, 1), (1, 3), (3, 2), (2, 0)]), np.arange(6.0).reshape(2, 3)
    relation = np.zeros((4, 4), int)
    base = edge_bias(square, relation, table)
    assert abs(base - edge_bias(path(4), relation, table)).max() > 0
    assert abs(base - edge_bias(square, relation + 1, table)).max() > 0
    assert abs(base - edge_bias(square, relation, table[::-1])).max() > 0
    hops = shortest_paths(square)
    assert abs(distance_bias(hops, [0.0, 1, 2]) - distance_bias(hops + 1, [0.0, 1, 2])).max() > 0
    assert abs(distance_bias(hops, [0.0, 1, 2]) - distance_bias(hops, [0.0, 2, 1])).max() > 0
    assert abs(shortest_paths(path(4)) - hops).max() > 0
    assert shortest_path(square, 0, 1).tolist() != shortest_path(square, 0, 2).tolist() != shortest_path(square, 3, 2).tolist()
    degrees = np.arange(3.0)[:, None]
    assert abs(degree_centrality(square, degrees) - degree_centrality(path(4), degrees)).max() > 0
    assert abs(degree_centrality(square, degrees) - degree_centrality(square, degrees + 1)).max() > 0


# --- bad input -------------------------------------------------------------------------------------------------------

BAD = [
    (np.ones((2, 3)), r"adjacency must be square, \(n, n\), with at least one node, got shape \(2, 3\)"),
    (np.zeros((0, 0)), r"at least one node, got shape \(0, 0\)"), ([], r"at least one node, got shape \(0,\)"), (np.zeros(4), r"square.* got shape \(4,\)"),
    ([[0, 1, 0], [0, 0, 1], [0, 0, 0]], r"symmetric: edges have no direction here .*got 1.0 from 0 to 1, 0.0 back, shape \(3, 3\)"),     # case GR04
    ([[0, -1], [-1, 0]], r"weights of at least 0, got -1.0, shape \(2, 2\)"), ([[0, 1], [1, 2]], r"no self-loops, got 2.0 at node 1, shape \(2, 2\)"),
    ([[0, np.nan], [np.nan, 0]], r"adjacency must be finite, got nan, shape \(2, 2\)"), ([[0, np.inf], [np.inf, 0]], "must be finite, got inf"),
    ([[0, 1], [1]], "adjacency must be a rectangular array of real numbers"), ([["a"]], "adjacency must hold real numbers"), ([[0, 1j], [1j, 0]], "real numbers"),
]
COUNTED = {
    "shortest_paths": shortest_paths, "shortest_path": lambda a: shortest_path(a, 0, 0), "degree_centrality": lambda a: degree_centrality(a, [[1.0]]),
    "edge_bias": lambda a: edge_bias(a, np.zeros((len(a), len(a)), int), [[1.0]]),
}
WEIGHTED = {
    "components": components, "laplacian": laplacian, "laplacian_encoding": lambda a: laplacian_encoding(a, 1),
    "eigenspace_projector": lambda a: eigenspace_projector(a, 0.0), "random_walk_encoding": lambda a: random_walk_encoding(a, 2),
}


@pytest.mark.parametrize("function", (COUNTED | WEIGHTED).values(), ids=COUNTED | WEIGHTED)
@pytest.mark.parametrize("adjacency, said", BAD)
def test_no_graph(function, adjacency, said):
    with pytest.raises(ValueError, match=said):
        function(adjacency)


@pytest.mark.parametrize("function", COUNTED.values(), ids=COUNTED)
def test_weights_are_refused_where_edges_are_counted(function):
    with pytest.raises(ValueError, match=r"adjacency must hold 0 and 1, since edges are counted here .*got 0.5, shape \(2, 2\)"):
        function([[0, 0.5], [0.5, 0]])


@pytest.mark.parametrize("function", (COUNTED | WEIGHTED).values(), ids=COUNTED | WEIGHTED)
def test_booleans_are_a_graph_and_the_argument_is_left_alone(function):
    adjacency = path(4)
    before = adjacency.copy()
    assert str(function(adjacency > 0)) == str(function(adjacency))
    assert_array_equal(adjacency, before)


@pytest.mark.parametrize("call, said", [
    (lambda: shortest_path(path(3), 0, 3), "target must be a node from 0 to 2, got 3"), (lambda: shortest_path(path(3), -1, 0), "source must be an integer of at least 0"),
    (lambda: shortest_path(path(3), 0, 1.0), "target must be an integer"), (lambda: shortest_path(np.zeros((2, 2)), 0, 1), "joined by a path, got 0 and 1"),
    (lambda: distance_bias([[0, -1]], [1.0, 2, 3]), r"hops must be whole numbers of at least 0, or inf, got -1.0, shape \(1, 2\)"),
    (lambda: distance_bias([[0.5]], [1.0, 2, 3]), "got 0.5"), (lambda: distance_bias([[np.nan]], [1.0, 2, 3]), "got nan"),
    (lambda: distance_bias([[0]], [1.0, 2]), r"a number for 0, one for far and one for no path, got shape \(2,\)"),
    (lambda: distance_bias([[0]], [1.0, 2, np.nan]), "table must be finite or -inf, got nan"), (lambda: distance_bias([[0]], [1.0, 2, np.inf]), "got inf"),
    (lambda: distance_bias([[0]], 1.0), "table must have at least 1 axis"),
    (lambda: degree_centrality(path(3), [1.0, 2]), r"a row for each degree, \(degrees, dim\), got shape \(2,\)"),
    (lambda: degree_centrality(path(3), np.zeros((0, 2))), r"got shape \(0, 2\)"), (lambda: degree_centrality(path(3), [[np.nan]]), "table must be finite"),
    (lambda: edge_bias(path(3), np.zeros((2, 2), int), [[1.0]]), r"relation must have the shape of adjacency, \(3, 3\), got \(2, 2\)"),
    (lambda: edge_bias(path(3), np.ones((3, 3), int), [[1.0]]), "relation must be a kind from 0 to 0, the columns of table, got 1"),
    (lambda: edge_bias(path(3), -np.ones((3, 3), int), [[1.0]]), "got -1"), (lambda: edge_bias(path(3), np.zeros((3, 3)), [[1.0]]), "relation must hold integers"),
    (lambda: edge_bias(path(3), np.zeros((3, 3), int), [1.0]), "table must have at least 2 axes"),
    (lambda: edge_bias(path(3), np.zeros((3, 3), int), np.zeros((0, 2))), r"a number for each step and kind, \(..., reach, kinds\), got shape \(0, 2\)"),
    (lambda: edge_bias(path(3), np.zeros((3, 3), int), [[np.nan]]), "table must be finite, got nan"),
])
def test_bad_arguments(call, said):
    with pytest.raises(ValueError, match=said):
        call()


def test_an_adjacency_that_lies_column_by_column_in_memory_is_read_as_well():
    """Relabelling by fancy indices gives such an array."""
    adjacency = np.zeros((10, 10))
    adjacency[[0, 1, 3], [1, 2, 4]] = adjacency[[1, 2, 4], [0, 1, 3]] = 1
    order = np.random.default_rng(0).permutation(10)
    for layout in (np.asfortranarray(adjacency), adjacency.T, np.repeat(adjacency, 2, axis=1)[:, ::2]):
        np.testing.assert_array_equal(shortest_paths(layout), shortest_paths(adjacency))
    np.testing.assert_array_equal(shortest_paths(adjacency[order][:, order]), shortest_paths(adjacency)[order][:, order])
