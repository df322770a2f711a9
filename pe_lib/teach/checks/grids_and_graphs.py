"""The checks of chapter 10: numbers for relative places in a window, a bias by distance, the returns of a walk, spectral coordinates."""

import numpy as np

from pe_lib.graph_biases import distance_bias
from pe_lib.graphs import shortest_paths
from pe_lib.spectra import laplacian, laplacian_encoding
from pe_lib.teach.checks.compare import known_mistake
from pe_lib.teach.checks.exercise import exercise


def offset_numbers_by_loop(rows, columns):
    """The specification, one pair of patches after the other, row by row: key minus query, counted from the smallest."""
    n = rows * columns
    table = np.zeros((n, n), dtype=int)
    for query in range(n):
        for key in range(n):
            down, across = key // columns - query // columns, key % columns - query % columns
            table[query, key] = (down + rows - 1) * (2 * columns - 1) + across + columns - 1
    return table


def _offsets(rows, columns):
    r, c = np.divmod(np.arange(rows * columns), columns)
    return r - r[:, None], c - c[:, None]


def _numbers(down, across, rows, columns, width):
    return (down + rows - 1) * width + across + columns - 1


CLASSIC_NUMBERS = {
    "This counts query minus key, as Swin's own code does. In this course relative is key minus query: transpose it.":
        lambda rows, columns: offset_numbers_by_loop(rows, columns).T,
    "The two axes have changed places: the row's offset is the one to be multiplied.":
        lambda rows, columns: (_offsets(rows, columns)[1] + columns - 1) * (2 * rows - 1) + _offsets(rows, columns)[0] + rows - 1,
    "One step of rows must jump over all offsets of columns, and there are 2 · columns − 1 of them, not columns: two offsets share a number.":
        lambda rows, columns: _numbers(*_offsets(rows, columns), rows, columns, columns),
    "One step of rows must jump over all offsets of *columns*. You took 2 · rows − 1: on a square window nobody would notice.":
        lambda rows, columns: _numbers(*_offsets(rows, columns), rows, columns, 2 * rows - 1),
    "There are negative numbers, which would count from the end of a table. Add rows − 1 and columns − 1 first.":
        lambda rows, columns: _offsets(rows, columns)[0] * (2 * columns - 1) + _offsets(rows, columns)[1],
    "Your patches are numbered column by column. Row by row, patch n is in row n // columns.":
        lambda rows, columns: _by_columns(rows, columns),
    "Here `%` and `//` divide by the number of rows. Row by row, patch n is in row n // columns, and its column is n % columns.":
        lambda rows, columns: _by_rows(rows, columns),
    "A bracket is missing: `down + rows - 1 * …` multiplies only the 1. Shift first, then multiply: `(down + rows - 1) * …`.":
        lambda rows, columns: _offsets(rows, columns)[0] + rows - (2 * columns - 1) + _offsets(rows, columns)[1] + columns - 1,
    "These are distances without a sign: left and right get one number.":
        lambda rows, columns: _numbers(*map(np.abs, _offsets(rows, columns)), rows, columns, 2 * columns - 1),
}


def _by_columns(rows, columns):
    c, r = np.divmod(np.arange(rows * columns), rows)
    return _numbers(r - r[:, None], c - c[:, None], rows, columns, 2 * columns - 1)


def _by_rows(rows, columns):
    r, c = np.divmod(np.arange(rows * columns), rows)
    return _numbers(r - r[:, None], c - c[:, None], rows, columns, 2 * columns - 1)


@exercise("10.1", praise="A window of 7 × 7 needs 169 numbers for its 2,401 pairs, and so does Swin.")
def check_offset_numbers(attempt):
    """rows, columns -> (rows * columns, rows * columns)."""
    attempt(2, 4, shape=(8, 8))
    attempt.agrees("on 2 × 4 patches the numbers equal the loop", offset_numbers_by_loop, [(2, 4)], classics=CLASSIC_NUMBERS,
                   hint="Print the row of patch 0: from (0, 0), the offset of patch 1 is 0 rows and 1 column.")
    attempt.agrees("other windows work as well", offset_numbers_by_loop, [(3, 2), (1, 4), (3, 3), (1, 1)], classics=CLASSIC_NUMBERS,
                   hint="Is a number of rows or columns fixed in your code?")


def bias_by_loop(adjacency, table):
    """The specification: walk outwards from each node, edge by edge; without a path take the last number."""
    n, far = len(adjacency), len(table) - 2
    bias = np.full((n, n), float(table[-1]))
    for start in range(n):
        hops, front = {start: 0}, [start]
        while front:
            following = []
            for node in front:
                for other in np.flatnonzero(adjacency[node]):
                    if other not in hops:
                        hops[other] = hops[node] + 1
                        following.append(other)
            front = following
        for node, count in hops.items():
            bias[start, node] = table[min(count, far)]
    return bias


CLASSIC_BIASES = {
    "Nodes without a path count as far here. They have a number of their own, the last one of the table.":
        lambda adjacency, table: np.array(table)[np.minimum(shortest_paths(adjacency), len(table) - 2).astype(int)],
    "Nodes without a path count as the node itself: their distance is not 0 but infinite. They get the last number of the table.":
        lambda adjacency, table: distance_bias(np.where(np.isinf(shortest_paths(adjacency)), 0, shortest_paths(adjacency)), table),
    "All that is far takes the last number, which belongs to nodes without a path. Far is the last number but one.":
        lambda adjacency, table: np.array(table)[np.minimum(shortest_paths(adjacency), len(table) - 1).astype(int)],
    "Far begins one step too early. The table holds far + 2 numbers: 0 … far edges away, and the last one for *no path*.":
        lambda adjacency, table: distance_bias(shortest_paths(adjacency), np.append(table[:-2], table[-1])),
    "A node is at distance 0 from itself: the diagonal gets table[0].":
        lambda adjacency, table: distance_bias(np.where(np.eye(len(adjacency)) > 0, 1, shortest_paths(adjacency)), table),
    "Only neighbours are told from all the rest. Go on from the neighbours to *their* neighbours.":
        lambda adjacency, table: np.where(np.eye(len(adjacency)) > 0, table[0], np.where(adjacency > 0, table[1], table[-1])),
    "These are the hops themselves. Look up the number of each in the table.":
        lambda adjacency, table: np.minimum(shortest_paths(adjacency), len(table) - 1),
}

SMALL = np.diag([1, 1, 1, 1, 0, 1], 1)             # a path of five nodes, and a pair
SMALL = SMALL + SMALL.T
RING = np.roll(np.eye(6, dtype=int), 1, axis=1) + np.roll(np.eye(6, dtype=int), -1, axis=1)


@exercise("10.2", praise="With −inf as its last number the table becomes a mask: no node looks into another component.")
def check_graph_bias(attempt):
    """adjacency (n, n), table (far + 2,) -> (n, n)."""
    table = np.array([5.0, 3.0, 1.0, -2.0, -9.0])
    attempt(SMALL, table, shape=(7, 7))
    attempt.agrees("on a path of five nodes beside a pair it equals the loop", bias_by_loop, [(SMALL, table)], classics=CLASSIC_BIASES,
                   hint="Compare one row: from node 0, the nodes 0 to 4 are 0 to 4 edges away, and 5 and 6 cannot be reached.")
    alone = np.zeros((3, 3), dtype=int)
    attempt.agrees("other graphs and tables work as well", bias_by_loop,
                   [(RING, np.array([1.0, 0.5, 7.0])), (alone, np.array([2.0, 4.0, 8.0])), (SMALL, np.arange(9.0))], classics=CLASSIC_BIASES,
                   hint="Is a size fixed in your code, of the graph or of the table?")


def returns_by_loop(adjacency, steps):
    """The specification: a walker leaves each node, and is followed step by step."""
    n = len(adjacency)
    degree = adjacency.sum(axis=1)
    table = np.zeros((n, steps))
    for start in range(n):
        chance = np.eye(n)[start]
        for step in range(steps):
            chance = sum(chance[i] * adjacency[i] / degree[i] if degree[i] else np.zeros(n) for i in range(n))
            table[start, step] = chance[start]
    return table


def _powers(matrix, steps, first=1):
    return np.stack([np.linalg.matrix_power(matrix, t).diagonal() for t in range(first, first + steps)], axis=1)


def _step(adjacency):
    return adjacency / np.maximum(adjacency.sum(axis=1), 1)[:, None]


CLASSIC_RETURNS = {
    "These are numbers of walks. A walker chooses: divide each row of the adjacency by the node's degree.":
        lambda adjacency, steps: _powers(adjacency, steps),
    "The first column should be the chance of being back after *one* step, which is 0 without self-loops. Yours begins with no step at all.":
        lambda adjacency, steps: _powers(_step(adjacency), steps, first=0),
    "This divides by the number of nodes. A walker chooses among a node's own neighbours: divide by its degree.":
        lambda adjacency, steps: _powers(adjacency / len(adjacency), steps),
    "These are the powers of the single numbers of the matrix. A second step multiplies *matrices*: `walk @ step`.":
        lambda adjacency, steps: np.stack([(_step(adjacency) ** t).diagonal() for t in range(1, steps + 1)], axis=1),
    "These are the chances of being back for the *first* time. Whether the walker has been back before does not matter here.":
        lambda adjacency, steps: _first_returns(adjacency, steps),
    "These add up the chances so far. Wanted is the chance after each number of steps.":
        lambda adjacency, steps: _powers(_step(adjacency), steps).cumsum(axis=1),
}


def _first_returns(adjacency, steps):
    first = back = _powers(_step(adjacency), steps)
    first = first.copy()
    for t in range(steps):                         # being back at t: for the first time at s, and again t - s later
        first[:, t] -= (first[:, :t] * back[:, :t][:, ::-1]).sum(axis=1)
    return first


@exercise("10.3", praise="Nothing here has a sign or a basis to choose, so it follows every relabelling; nodes that the graph cannot tell apart look the same.")
def check_returns(attempt):
    """adjacency (n, n), steps -> (n, steps)."""
    attempt(RING, 4, shape=(6, 4))
    attempt.agrees("on a path beside a pair it equals the walker", returns_by_loop, [(SMALL, 5)], classics=CLASSIC_RETURNS,
                   hint="After two steps from the end of the path: to the neighbour for sure, and back with a chance of 1/2.")
    attempt.agrees("a node without edges never returns, and other graphs work", returns_by_loop,
                   [(np.zeros((3, 3), dtype=int), 2), (RING, 6), (np.pad(RING, (0, 1)), 3)], classics=CLASSIC_RETURNS,
                   hint="0/0 is NaN: what is the chance where no step can be taken?")


def column_projectors(vectors):
    """(k, n, n): the products of each column with itself, which do not know its sign."""
    return np.einsum("ik,jk->kij", vectors, vectors)


def _columns(matrix, k, first=1, largest=False):
    vectors = np.linalg.eigh(matrix)[1]
    return vectors[:, ::-1][:, :k] if largest else vectors[:, first:first + k]


CLASSIC_COORDINATES = {
    "The first column is constant: it belongs to eigenvalue 0 and tells no node from another. Leave it out.":
        lambda adjacency, k: _columns(laplacian(adjacency), k, first=0),
    "These are the eigenvectors of the *normalised* Laplacian, in which a node counts by its degree. Asked for is D − A.":
        lambda adjacency, k: _columns(laplacian(adjacency, normalised=True), k),
    "These are the eigenvectors of the adjacency itself. The smooth ones are those of D − A.":
        lambda adjacency, k: _columns(adjacency.astype(float), k, largest=True),
    "These are the *largest* eigenvalues: vectors that change at every edge. Take the smallest ones above 0.":
        lambda adjacency, k: _columns(laplacian(adjacency), k, largest=True),
    "Rows and columns are exchanged: `eigh` returns its eigenvectors as the columns of a matrix.":
        lambda adjacency, k: np.linalg.eigh(laplacian(adjacency))[1][1:k + 1].T,
    "Each column is multiplied by its eigenvalue. The coordinates are the eigenvectors themselves, of length 1.":
        lambda adjacency, k: _columns(laplacian(adjacency), k) * np.linalg.eigvalsh(laplacian(adjacency))[1:k + 1],
    "A + D has these eigenvectors: the edges need a minus.":
        lambda adjacency, k: _columns(np.diag(adjacency.sum(axis=1)) + adjacency, k),
}
TAILED = np.zeros((7, 7), dtype=int)
for _i, _j in ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (1, 3), (5, 6)):
    TAILED[_i, _j] = TAILED[_j, _i] = 1


@exercise("10.4", praise="Your signs may differ from a neighbour's, and both are right. So a network must be trained with random signs, or be given the projectors.")
def check_coordinates(attempt):
    """adjacency (n, n) of a connected graph, k -> (n, k), up to the sign of each column."""
    for adjacency, k in ((TAILED, 2), (SMALL[:5, :5], 3), (TAILED, 5)):
        found, wanted = attempt(adjacency, k, shape=(len(adjacency), k)), laplacian_encoding(adjacency, k)[1]
        hint = known_mistake(column_projectors(found), {hint: lambda a, m, wrong=wrong: column_projectors(wrong(a, m)) for hint, wrong in CLASSIC_COORDINATES.items()},
                             "Build D − A, ask np.linalg.eigh for its eigenvectors (they come by rising eigenvalue), and take columns 1 to k.", adjacency, k)
        attempt.matches("each column has length 1", np.linalg.norm(found, axis=0), np.ones(k), hint=hint)
        attempt.matches("the columns are the eigenvectors of the smallest eigenvalues above 0, with either sign", column_projectors(found),
                        column_projectors(wanted), hint=hint)
