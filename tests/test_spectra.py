"""The Laplacian, spectral coordinates and random walks: other packages, closed forms, and what a relabelling leaves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from test_graphs import graph, path, random_graph, relabelled

from pe_lib.graphs import components
from pe_lib.sinusoidal import encode_angles
from pe_lib.spectra import eigenspace_projector, laplacian, laplacian_encoding, random_walk_encoding

steady = settings(deadline=None, derandomize=True, database=None, max_examples=50)
SEEDS = st.integers(0, 10_000)


def cycle(n):
    return graph(n, [(i, (i + 1) % n) for i in range(n)])


def weighted_graph(seed):
    adjacency = random_graph(seed)
    weights = np.random.default_rng(seed).uniform(0.5, 2, adjacency.shape)
    return adjacency * (weights + weights.T)


# --- the Laplacian ---------------------------------------------------------------------------------------------------


@steady
@given(SEEDS)
def test_energy_is_the_sum_over_the_edges(seed):
    """claim 10.3: f . L f = sum of weight (f_i - f_j)^2, and the rows of D - A sum to 0."""
    adjacency = weighted_graph(seed)
    f = np.random.default_rng(seed).normal(size=len(adjacency))
    over_edges = sum(adjacency[i, j] * (f[i] - f[j]) ** 2 for i in range(len(f)) for j in range(i))
    assert_allclose(f @ laplacian(adjacency) @ f, over_edges, atol=1e-10)
    assert_allclose(laplacian(adjacency).sum(axis=1), 0, atol=1e-12)


@steady
@given(SEEDS)
def test_normalised_entry_by_entry(seed):
    adjacency = weighted_graph(seed)
    degree, matrix = adjacency.sum(axis=1), laplacian(adjacency, normalised=True)
    for i, j in np.ndindex(matrix.shape):
        own = 1.0 if i == j and degree[i] > 0 else 0.0
        assert_allclose(matrix[i, j], own - (adjacency[i, j] / np.sqrt(degree[i] * degree[j]) if adjacency[i, j] else 0), atol=1e-14)
    assert np.linalg.eigvalsh(matrix).max() < 2 + 1e-12


def test_a_node_without_edges_in_other_packages():
    """claim 10.3. Origin: scipy 1.17.1 (csgraph.laplacian, normed), networkx 3.6.1: 0; torch-geometric 2.8.1 (get_laplacian, sym): 1."""
    matrix = laplacian(graph(4, [(0, 1), (1, 2)]), normalised=True)
    half = -0.70710678
    assert_allclose(matrix, [[1, half, 0, 0], [half, 1, half, 0], [0, half, 1, 0], [0, 0, 0, 0]], atol=1e-8)
    torch_geometric = matrix + np.diag([0, 0, 0, 1])
    assert (abs(np.linalg.eigvalsh(torch_geometric)) < 1e-9).sum() == 1     # of two components it counts one
    assert (abs(np.linalg.eigvalsh(matrix)) < 1e-9).sum() == 2


# --- spectral coordinates --------------------------------------------------------------------------------------------

# Origin: torch-geometric 2.8.1, AddLaplacianEigenvectorPE(3), normalised, float32; each column up to its sign.
PATH6 = [[0.4472135901451111, 0.4472135901451111, 0.4472135901451111], [0.5116672515869141, 0.19543950259685516, -0.19543950259685516],
         [0.19543950259685516, -0.5116673111915588, -0.5116673111915588], [-0.19543950259685516, -0.5116673111915588, 0.5116673111915588],
         [-0.5116672515869141, 0.19543950259685516, 0.19543950259685516], [-0.4472135901451111, 0.4472135901451111, -0.4472135901451111]]
LOLLIPOP7 = [[-0.3825020492076874, 0.27397218346595764, 0.28882908821105957], [-0.3825020492076874, 0.27397218346595764, 0.28882908821105957],
             [-0.3482761085033417, -0.06589804589748383, -0.4957444667816162], [0.021342003718018532, -0.6128023266792297, -0.3339259624481201],
             [0.32157471776008606, -0.4386482536792755, 0.5388214588165283], [0.5393033027648926, 0.2603003978729248, 0.11762700974941254],
             [0.4374634623527527, 0.4580836594104767, -0.4143931567668915]]
TREE7 = [[0.0698506087064743, 0.5731092691421509, 0], [0.47854599356651306, -0.14489206671714783, 0], [-0.2724273204803467, 0.509035050868988, 0],
         [0.32626038789749146, -0.24539931118488312, 0.7071067690849304], [0.32626038789749146, -0.24539931118488312, -0.7071067690849304],
         [-0.5312525033950806, -0.22606220841407776, 0], [-0.44359564781188965, -0.4689238369464874, 0]]
LOLLIPOP = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 6)]
TREE = [(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (5, 6)]


@pytest.mark.parametrize("adjacency, theirs", [(path(6), PATH6), (graph(7, LOLLIPOP), LOLLIPOP7), (graph(7, TREE), TREE7)], ids=["path", "lollipop", "tree"])
def test_encoding_of_torch_geometric(adjacency, theirs):
    """claim 10.3"""
    _, vectors = laplacian_encoding(adjacency, 3, normalised=True)
    signs = np.sign((vectors * theirs).sum(axis=0))
    assert_allclose(vectors * signs, theirs, rtol=0, atol=1e-6)
    assert abs(abs(laplacian_encoding(adjacency, 3)[1]) - abs(vectors)).max() > 0.01     # the plain one differs


@steady
@given(SEEDS, st.booleans())
def test_eigenvectors_orthonormal_rising_and_none_of_eigenvalue_0(seed, normalised):
    """claim 10.3"""
    adjacency = weighted_graph(seed)
    n, trivial = len(adjacency), components(adjacency).max() + 1
    eigenvalues, vectors = laplacian_encoding(adjacency, n - trivial, normalised)
    assert eigenvalues.shape == (n - trivial,) and vectors.shape == (n, n - trivial)
    assert_allclose(laplacian(adjacency, normalised) @ vectors, vectors * eigenvalues, atol=1e-9)
    assert_allclose(vectors.T @ vectors, np.eye(n - trivial), atol=1e-9)
    assert (eigenvalues > 1e-9).all() and (np.diff(eigenvalues) >= 0).all()
    few, coordinates = laplacian_encoding(adjacency, (n - trivial) // 2, normalised)
    assert_array_equal(few, eigenvalues[: len(few)])
    assert_array_equal(coordinates, vectors[:, : len(few)])


@pytest.mark.parametrize("n", [2, 3, 6, 17])
def test_a_paths_eigenvectors_are_cosines(n):
    """claim 10.3: of D - A, cos(pi m (i + 1/2) / n), with eigenvalues 2 - 2 cos(pi m / n): half a turn, a turn, ... (chapter 2)."""
    eigenvalues, vectors = laplacian_encoding(path(n), n - 1)
    m = np.arange(1, n)
    cosines = np.cos(np.pi * m * (np.arange(n)[:, None] + 0.5) / n) * np.sqrt(2 / n)
    assert_allclose(eigenvalues, 2 - 2 * np.cos(np.pi * m / n), atol=1e-12)
    assert_allclose(vectors * np.sign((vectors * cosines).sum(axis=0)), cosines, atol=1e-9)


@pytest.mark.parametrize("n", [3, 4, 7, 12])
@pytest.mark.parametrize("normalised", [False, True])
def test_a_cycles_eigenvectors_come_in_sine_cosine_pairs(n, normalised):
    """claim 10.3: eigenvalue 2 - 2 cos(2 pi m / n), twice each for 0 < m < n/2, spanned by the sine and the cosine of m turns."""
    for m in range(1, (n + 1) // 2):
        pair = encode_angles(2 * np.pi * m * np.arange(n)[:, None] / n) * np.sqrt(2 / n)
        eigenvalue = (2 - 2 * np.cos(2 * np.pi * m / n)) / (2 if normalised else 1)
        assert_allclose(eigenspace_projector(cycle(n), eigenvalue, normalised), pair @ pair.T, atol=1e-9)
        assert_allclose(laplacian_encoding(cycle(n), n - 1, normalised)[0][2 * m - 2 : 2 * m], eigenvalue, atol=1e-9)


def test_a_renumbered_cycle():
    """claim 10.3. Origin: case GR08, the cycle 0-2-1-3-4-0, normalised: double eigenvalues, and the projector of the first pair."""
    adjacency = graph(5, [(0, 2), (1, 3), (2, 1), (3, 4), (4, 0)])
    eigenvalues, vectors = laplacian_encoding(adjacency, 4, normalised=True)
    assert_allclose(eigenvalues, [0.6909830056250525, 0.6909830056250525, 1.8090169943749475, 1.8090169943749475], atol=1e-9)
    assert_allclose(vectors.T @ vectors, np.eye(4), atol=1e-9)
    row = [0.39999999999999997, -0.3236067977499789, 0.12360679774997892, -0.32360679774997886, 0.12360679774997882]
    assert_allclose(eigenspace_projector(adjacency, 0.6909830056250525, normalised=True)[0], row, atol=1e-9)


# --- sign, basis, relabelling ----------------------------------------------------------------------------------------


@steady
@given(SEEDS, st.booleans())
def test_the_projector_follows_a_relabelling_exactly(seed, normalised):
    """claim 10.3: to rounding, at every eigenvalue, with weights, on several components too."""
    adjacency = weighted_graph(seed)
    order = np.random.default_rng(seed).permutation(len(adjacency))
    for eigenvalue in np.linalg.eigvalsh(laplacian(adjacency, normalised)):
        before = eigenspace_projector(adjacency, eigenvalue, normalised)
        assert_allclose(eigenspace_projector(relabelled(adjacency, order), eigenvalue, normalised), relabelled(before, order), atol=1e-6)


@steady
@given(SEEDS, st.booleans())
def test_projectors_are_projectors_and_add_up_to_all(seed, normalised):
    adjacency = random_graph(seed)
    eigenvalues = np.linalg.eigvalsh(laplacian(adjacency, normalised))
    distinct = eigenvalues[np.append(True, np.diff(eigenvalues) > 1e-6)]
    projectors = [eigenspace_projector(adjacency, eigenvalue, normalised, tolerance=1e-7) for eigenvalue in distinct]
    for eigenvalue, projector in zip(distinct, projectors):
        assert_allclose(projector @ projector, projector, atol=1e-9)
        assert_allclose(np.trace(projector), (abs(eigenvalues - eigenvalue) < 1e-6).sum())
    assert_allclose(sum(projectors), np.eye(len(adjacency)), atol=1e-9)


def test_turning_the_basis_of_a_pair_moves_the_coordinates_and_not_the_projector():
    """claim 10.3: a cycle of 6, the pair of eigenvalue 1, turned by 40 degrees."""
    eigenvalues, vectors = laplacian_encoding(cycle(6), 2)
    assert_allclose(eigenvalues, 1)
    turn = np.radians(40)
    turned = vectors @ [[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]
    assert_allclose(laplacian(cycle(6)) @ turned, turned, atol=1e-12)     # eigenvectors as good as the others
    assert abs(turned - vectors).max() > 0.1
    assert_allclose(turned @ turned.T, eigenspace_projector(cycle(6), 1), atol=1e-12)


def test_half_a_pair_is_arbitrary():
    """claim 10.3: k = 1 on a cycle of 6 keeps one vector of two, which no relabelling of the cycle onto itself carries along."""
    _, half = laplacian_encoding(cycle(6), 1)
    shifts = [np.roll(np.arange(6), s) for s in range(6)]     # each maps the cycle onto itself
    assert all((relabelled(cycle(6), order) == cycle(6)).all() for order in shifts)
    assert max(abs(relabelled(half @ half.T, order) - half @ half.T).max() for order in shifts) > 0.1
    whole = eigenspace_projector(cycle(6), 1)
    assert max(abs(relabelled(whole, order) - whole).max() for order in shifts) < 1e-12


def test_the_sign_rule_breaks_when_a_path_is_reversed():
    """claim 10.3: largest entry positive, the first of a tie. On 6 nodes every odd vector ties with itself reversed."""
    order = np.arange(6)[::-1]
    _, vectors = laplacian_encoding(path(6), 5)
    assert_array_equal(relabelled(path(6), order), path(6))
    carried = vectors[order]     # what the encoding would be if it followed
    assert_allclose(carried[:, 1::2], vectors[:, 1::2], atol=1e-9)
    assert_allclose(carried[:, 0::2], -vectors[:, 0::2], atol=1e-9)
    assert abs(carried - vectors).max() > 0.5


@steady
@given(SEEDS)
def test_the_largest_entry_is_positive(seed):
    adjacency = weighted_graph(seed)
    _, vectors = laplacian_encoding(adjacency, len(adjacency) - components(adjacency).max() - 1)
    assert_allclose(vectors.max(axis=0, initial=0), abs(vectors).max(axis=0, initial=0), rtol=1e-7)


def test_a_tie_goes_to_the_first_node_whatever_the_rounding():
    for n in (4, 6, 8, 10):
        _, vectors = laplacian_encoding(path(n), n - 1)
        for column in vectors.T:
            assert column[np.flatnonzero(abs(column) > abs(column).max() * (1 - 1e-6))[0]] > 0


# --- components, isolated nodes, one node ----------------------------------------------------------------------------


@pytest.mark.parametrize("normalised", [False, True])
def test_eigenvalue_0_counts_the_components(normalised):
    """claim 10.3: and its projector says who is in whose component."""
    adjacency = graph(6, [(0, 1), (1, 2), (3, 4)])
    zero = eigenspace_projector(adjacency, 0.0, normalised)
    assert_allclose(np.trace(zero), 3)
    label = components(adjacency)
    assert_array_equal(abs(zero) > 1e-9, label[:, None] == label)
    if not normalised:
        assert_allclose(zero[:3, :3], 1 / 3)


def test_two_equal_components_share_their_eigenvalues():
    """claim 10.3: the solver may mix the two; the projector keeps them apart."""
    twice = graph(6, [(0, 1), (1, 2), (3, 4), (4, 5)])
    eigenvalues, vectors = laplacian_encoding(twice, 4)
    assert_allclose(eigenvalues, [1, 1, 3, 3])
    assert_allclose(eigenspace_projector(twice, 1)[:3, 3:], 0, atol=1e-12)
    assert_allclose(eigenspace_projector(twice, 1)[:3, :3], eigenspace_projector(path(3), 1), atol=1e-12)


@pytest.mark.parametrize("adjacency, left", [([[0]], 0), (np.zeros((4, 4)), 0), (graph(4, [(0, 1), (1, 2)]), 2), (path(2), 1)])
def test_few_nodes_and_nodes_without_edges(adjacency, left):
    n = len(adjacency)
    for normalised in (False, True):
        eigenvalues, vectors = laplacian_encoding(adjacency, left, normalised)
        assert eigenvalues.shape == (left,) and vectors.shape == (n, left)
        with pytest.raises(ValueError, match=rf"{n} nodes less {n - left} components leave {left}, got {left + 1}, shape \({n}, {n}\)"):
            laplacian_encoding(adjacency, left + 1, normalised)
    assert_array_equal(vectors[components(adjacency) == n], np.zeros((0, left)))


def test_more_vectors_than_there_are_is_refused():
    """claim 10.3. Origin: case GR03, a path of 3 nodes and k = 5: two are there; padding with zeros is left to the caller."""
    with pytest.raises(ValueError, match=r"k must be at most the number of eigenvalues above 0: 3 nodes less 1 components leave 2, got 5, shape \(3, 3\)"):
        laplacian_encoding(path(3), 5)
    padded = np.pad(laplacian_encoding(path(3), 2)[1], ((0, 0), (0, 3)))
    assert padded.shape == (3, 5) and not padded[:, 2:].any()


# --- random walks ----------------------------------------------------------------------------------------------------

# Origin: torch-geometric 2.8.1, AddRandomWalkPE(4), float32.
WALKS = {
    "path": (path(6), [[0, 0.5, 0, 0.375], [0, 0.75, 0, 0.625], [0, 0.5, 0, 0.4375], [0, 0.5, 0, 0.4375], [0, 0.75, 0, 0.625], [0, 0.5, 0, 0.375]]),
    "lollipop": (graph(7, LOLLIPOP), [
        [0, 0.4166666865348816, 0.1666666716337204, 0.2708333432674408], [0, 0.4166666865348816, 0.1666666716337204, 0.2708333432674408],
        [0, 0.5, 0.1666666716337204, 0.375], [0, 0.4166666865348816, 0, 0.2916666865348816], [0, 0.5, 0, 0.4166666865348816], [0, 0.75, 0, 0.625], [0, 0.5, 0, 0.375]]),
    "tree": (graph(7, TREE), [
        [0, 0.4166666865348816, 0, 0.347222238779068], [0, 0.8333333730697632, 0, 0.7361111640930176], [0, 0.5, 0, 0.4166666865348816],
        [0, 0.3333333432674408, 0, 0.2777777910232544], [0, 0.3333333432674408, 0, 0.2777777910232544], [0, 0.75, 0, 0.625], [0, 0.5, 0, 0.375]]),
    "a node without edges": (graph(4, [(0, 1), (1, 2)]), [[0, 0.5, 0, 0.5], [0, 1, 0, 1], [0, 0.5, 0, 0.5], [0, 0, 0, 0]]),
}


@pytest.mark.parametrize("adjacency, theirs", WALKS.values(), ids=WALKS)
def test_walks_of_torch_geometric(adjacency, theirs):
    """claim 10.3"""
    assert_allclose(random_walk_encoding(adjacency, 4), theirs, rtol=0, atol=1e-7)


@steady
@given(SEEDS, st.integers(1, 6))
def test_returns_are_the_spectrum_in_another_form(seed, steps):
    """claim 10.3: p[i, t] = sum of v_i^2 (1 - eigenvalue)^(t + 1) over the normalised Laplacian, on nodes with edges."""
    adjacency = weighted_graph(seed)
    eigenvalues, vectors = np.linalg.eigh(laplacian(adjacency, normalised=True))
    joined = adjacency.any(axis=1)
    by_spectrum = vectors**2 @ (1 - eigenvalues[:, None]) ** np.arange(1, steps + 1)
    assert_allclose(random_walk_encoding(adjacency, steps), np.where(joined[:, None], by_spectrum, 0), atol=1e-9)


@steady
@given(SEEDS)
def test_walks_follow_a_relabelling(seed):
    """claim 10.3: with no sign and no basis to choose."""
    adjacency = weighted_graph(seed)
    order = np.random.default_rng(seed).permutation(len(adjacency))
    assert_allclose(random_walk_encoding(relabelled(adjacency, order), 5), random_walk_encoding(adjacency, 5)[order], atol=1e-12)


def test_walks_do_not_tell_the_nodes_of_a_cycle_apart():
    """claim 10.3: nor can anything that follows every relabelling, where the graph looks the same from each node."""
    assert_allclose(np.ptp(random_walk_encoding(cycle(7), 10), axis=0), 0, atol=1e-15)


def test_every_argument_matters():
    adjacency = graph(7, LOLLIPOP)
    assert abs(laplacian(adjacency) - laplacian(adjacency, normalised=True)).max() > 0.1
    assert abs(laplacian(adjacency) - laplacian(2 * adjacency)).max() > 0.1
    assert laplacian_encoding(adjacency, 2)[1].shape == (7, 2)
    assert abs(laplacian_encoding(adjacency, 2)[0] - laplacian_encoding(2 * adjacency, 2)[0]).max() > 0.1
    assert abs(eigenspace_projector(adjacency, 3) - eigenspace_projector(adjacency, 0)).max() > 0.1
    assert np.trace(eigenspace_projector(adjacency, 3, tolerance=10.0)) == pytest.approx(7)
    assert np.trace(eigenspace_projector(adjacency, 1.5, normalised=True)) == pytest.approx(1)
    heavy = adjacency.copy()
    heavy[0, 1] = heavy[1, 0] = 5
    assert abs(random_walk_encoding(heavy, 3) - random_walk_encoding(adjacency, 3)).max() > 0.1
    assert random_walk_encoding(adjacency, 5).shape == (7, 5)


@pytest.mark.parametrize("call, said", [
    (lambda: laplacian_encoding(path(3), -1), "k must be an integer of at least 0, got -1"), (lambda: laplacian_encoding(path(3), 1.0), "k must be an integer"),
    (lambda: eigenspace_projector(path(3), 2.0), r"eigenvalue must be one of the graph's, within 1e-08, got 2.0, the nearest is (1\.0|3\.0|0\.9|2\.9)"),
    (lambda: eigenspace_projector(path(3), np.nan), "eigenvalue must be finite, got nan"), (lambda: eigenspace_projector(path(3), 1.0, tolerance=0), "tolerance must be above 0, got 0.0"),
    (lambda: random_walk_encoding(path(3), 0), "steps must be an integer of at least 1, got 0"), (lambda: random_walk_encoding(path(3), True), "got True"),
    (lambda: laplacian(1e308 * (1 - np.eye(4))), "the sum of a node's weights must be finite"),
])
def test_bad_arguments(call, said):
    with pytest.raises(ValueError, match=said):
        call()


def test_no_rule_can_sign_a_vector_that_a_symmetry_flips():
    """claim 10.3: a path read backwards is the same matrix, so a program returns the same vector again, and each node gets the opposite number."""
    path = np.diag(np.ones(5), 1) + np.diag(np.ones(5), -1)
    first = laplacian_encoding(path, 1)[1][:, 0]
    assert (path[::-1, ::-1] == path).all()
    np.testing.assert_allclose(first[::-1], -first, atol=1e-12)


def test_energy_and_zero_vectors_of_the_normalised_laplacian():
    """Chung 1997, section 1.2: f_i / sqrt(d_i) in the place of f_i; in one component, the square roots of the degrees have eigenvalue 0."""
    star = np.zeros((4, 4))
    star[0, 1:] = star[1:, 0] = 1
    f, matrix, degree = np.array([1.0, -2.0, 0.5, 3.0]), laplacian(star, normalised=True), star.sum(axis=1)
    scaled = f / np.sqrt(degree)
    np.testing.assert_allclose(f @ matrix @ f, ((scaled[0] - scaled[1:]) ** 2).sum())
    np.testing.assert_allclose(matrix @ np.sqrt(degree), 0, atol=1e-12)
    assert abs(matrix @ np.ones(4)).max() > 0.1
