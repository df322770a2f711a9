"""Positions on a graph by its spectrum: the eigenvectors of the Laplacian, and the returns of a random walk."""

import numpy as np

from pe_lib._places import adjacency_matrix
from pe_lib._validate import finite_number, positive_number, whole_number, within_range
from pe_lib.graphs import components


def laplacian(adjacency, normalised=False):
    """The Laplacian compares each node with its neighbours: L f holds, for each node, the sum of its differences from them.

    adjacency (n, n), weights of at least 0 -> (n, n), symmetric; a node's degree d is the sum of its weights.
    L = D - A;  normalised: D^(-1/2) (D - A) D^(-1/2), with eigenvalues from 0 to 2, and 0 in the row of a node without edges

    A vector's energy is f . L f = sum over edges of weight (f_i - f_j)^2: small for what changes little along the edges.
    Normalised, f_i / sqrt(d_i) stands in the place of f_i.
    Raises: ValueError if adjacency is not square, symmetric, at least 0, 0 on the diagonal, with at least one node.
    Source: Chung 1997, "Spectral Graph Theory", section 1.2 (PyTorch Geometric puts 1 for a node without edges).

    >>> laplacian([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    array([[ 1., -1.,  0.],
           [-1.,  2., -1.],
           [ 0., -1.,  1.]])
    """
    adjacency, degree = _weights(adjacency)
    matrix = np.diag(degree) - adjacency
    if not normalised:
        return matrix
    scale = 1 / np.sqrt(np.where(degree > 0, degree, 1))
    return scale[:, None] * matrix * scale


def laplacian_encoding(adjacency, k, normalised=False):
    """Spectral coordinates: each eigenvector gives every node one number; taken are those of the k smallest eigenvalues above 0.

    adjacency (n, n), weights of at least 0; k, from 0 -> eigenvalues (k,), rising, and vectors (n, k), orthonormal columns.
    L vectors[:, m] = eigenvalues[m] vectors[:, m]

    Eigenvalue 0 comes once per component, with vectors that only say which component a node is in (normalised: times the
    square root of its degree); all of them are left out.
    An eigenvector is unique up to its sign; several of the same eigenvalue, up to a rotation. The sign is set here: the
    largest entry is positive, the first of them in a tie. The rotation is left to the solver, and a k that cuts through
    equal eigenvalues keeps an arbitrary part. Neither follows a relabelling; `eigenspace_projector` does.
    Raises: ValueError as `laplacian`; if k is no count or above n - components. It is not padded: np.pad adds zero columns.
    Source: Belkin and Niyogi 2003; for Transformers, Dwivedi and Bresson 2021 (normalised, zeros as padding).

    >>> eigenvalues, vectors = laplacian_encoding([[0, 1, 0], [1, 0, 1], [0, 1, 0]], k=2)
    >>> eigenvalues.round(3), (vectors * [2**0.5, 6**0.5]).round(3) + 0
    (array([1., 3.]), array([[ 1., -1.],
           [ 0.,  2.],
           [-1., -1.]]))
    """
    matrix, trivial = laplacian(adjacency, normalised), components(adjacency).max() + 1
    if whole_number(k, "k") > len(matrix) - trivial:
        counts = f"{len(matrix)} nodes less {trivial} components leave {len(matrix) - trivial}"
        raise ValueError(f"k must be at most the number of eigenvalues above 0: {counts}, got {k}, shape {matrix.shape}")
    eigenvalues, vectors = np.linalg.eigh(matrix)
    return eigenvalues[trivial : trivial + k], _signed(vectors[:, trivial : trivial + k])


def eigenspace_projector(adjacency, eigenvalue, normalised=False, tolerance=1e-8):
    """Of equal eigenvalues only the projector onto their eigenspace is unique; it follows a relabelling exactly.

    adjacency (n, n), weights of at least 0; eigenvalue, tolerance, in the unit of the weights -> (n, n), symmetric.
    P = sum of v v^T over the eigenvectors v whose eigenvalue lies within tolerance of the one asked for

    P P = P, and its trace is the number of these eigenvectors. Rotate their basis or flip their signs, and P stays.
    Raises: ValueError as `laplacian`; if eigenvalue is not finite, tolerance not above 0, or no eigenvalue is that near.
    Source: the spectral theorem; as an encoding, Lim et al. 2023 (SignNet and BasisNet).

    >>> eigenspace_projector([[0, 1, 1], [1, 0, 1], [1, 1, 0]], eigenvalue=3).round(3)
    array([[ 0.667, -0.333, -0.333],
           [-0.333,  0.667, -0.333],
           [-0.333, -0.333,  0.667]])
    """
    eigenvalue, tolerance = finite_number(eigenvalue, "eigenvalue"), positive_number(tolerance, "tolerance")
    eigenvalues, vectors = np.linalg.eigh(laplacian(adjacency, normalised))
    gaps = abs(eigenvalues - eigenvalue)
    if gaps.min() > tolerance:
        nearest = float(eigenvalues[gaps.argmin()])
        raise ValueError(f"eigenvalue must be one of the graph's, within {tolerance}, got {eigenvalue}, the nearest is {nearest}")
    space = vectors[:, gaps <= tolerance]
    return space @ space.T


def random_walk_encoding(adjacency, steps):
    """A node is described by how likely a walker who leaves it is back after 1, 2, ... steps; nothing here needs a sign.

    adjacency (n, n), weights of at least 0; steps, from 1 -> (n, steps), probabilities.
    p[i, t] = ((D^-1 A)^(t + 1))[i, i]: each step goes to a neighbour, in proportion to the weights

    It follows every relabelling. Nodes that the graph cannot tell apart get the same row: it says what a node's
    surroundings are like, not where it is. A node without edges has no step to take and gets 0.
    Raises: ValueError as `laplacian`, and if steps is not an integer of at least 1.
    Source: Dwivedi et al. 2022 (LSPE), "random walk PE".

    >>> random_walk_encoding([[0, 1, 0], [1, 0, 1], [0, 1, 0]], steps=2)
    array([[0. , 0.5],
           [0. , 1. ],
           [0. , 0.5]])
    """
    adjacency, degree = _weights(adjacency)
    step = adjacency / np.where(degree > 0, degree, 1)[:, None]
    walk, returns = step, [step.diagonal()]
    for _ in range(whole_number(steps, "steps", least=1) - 1):
        walk = walk @ step
        returns.append(walk.diagonal())
    return np.stack(returns, axis=1)


def _weights(adjacency):
    adjacency = adjacency_matrix(adjacency, weighted=True)
    with np.errstate(over="ignore"):  # refused in the next line
        degree = adjacency.sum(axis=1)
    return adjacency, within_range(degree, "the sum of a node's weights")


def _signed(vectors):
    # In a tie rounding must not decide, so an entry counts as the largest if it is within a hair of it.
    largest = (abs(vectors) >= (1 - 1e-8) * abs(vectors).max(axis=0, initial=0)).argmax(axis=0)
    return vectors * np.where(vectors[largest, np.arange(vectors.shape[1])] < 0, -1, 1)
