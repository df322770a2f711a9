"""The figures of chapter 10, second part: distances on a graph, and coordinates that come from its spectrum."""

import numpy as np

from matplotlib.patches import Rectangle

from pe_lib.graph_biases import distance_bias
from pe_lib.graphs import shortest_paths
from pe_lib.spectra import eigenspace_projector, laplacian, laplacian_encoding
from pe_lib.teach.plots import CARD, FAINT, INK, NEUTRAL, POSITION, QUERY, bare, heat_map, ink, signed
from pe_lib.teach.touch import touch


def graph(n, edges):
    """The adjacency (n, n) of the nodes 0 … n − 1 with these edges."""
    adjacency = np.zeros((n, n))
    for i, j in edges:
        adjacency[i, j] = adjacency[j, i] = 1
    return adjacency


PATH, CYCLE = [(i, i + 1) for i in range(7)], [(i, (i + 1) % 6) for i in range(6)]
# A ring of five with a tail of two, a separate pair, and a node without edges.
EXAMPLE = graph(10, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (2, 5), (5, 6), (7, 8)])
SPOTS = np.array([[0.0, 1.0], [0.95, 0.31], [0.59, -0.81], [-0.59, -0.81], [-0.95, 0.31], [1.4, -1.3], [2.2, -1.0], [1.6, 0.9], [2.4, 0.9], [2.4, 0.0]])
TABLE = np.array([2.0, 1.0, 0.0, -1.0, -4.0])          # 0, 1, 2, 3 and more edges away; without a path


def draw_edges(ax, adjacency, spots):
    """Grey lines between joined nodes; returns them."""
    return [ax.plot(*spots[[i, j]].T, color=FAINT, lw=2, ls="-", zorder=1)[0] for i, j in np.argwhere(np.triu(adjacency))]


def distances(fig):
    """Left, a graph of ten nodes, coloured by the bias that the query node adds to their scores. Right, the same biases as a table, query down, key across."""
    left, right = fig.subplots(1, 2, width_ratios=[1.4, 1])
    hops = shortest_paths(EXAMPLE)
    bias = distance_bias(hops, TABLE)
    draw_edges(left, EXAMPLE, SPOTS)
    left.set(xlim=(-1.4, 2.9), ylim=(-1.7, 1.5), aspect="equal")
    bare(left)
    dots = left.scatter(*SPOTS.T, s=420, c=np.zeros(10), cmap="RdBu_r", vmin=-4, vmax=4, edgecolors=INK, zorder=2, animated=True)
    names = [left.text(*spot, node, ha="center", va="center", zorder=3, animated=True) for node, spot in enumerate(SPOTS)]
    (ring,) = left.plot([], [], "o", mfc="none", mec=QUERY, mew=3, ms=27, zorder=4, animated=True)
    heat_map(right, bias, kind="signed", label="added to the score", limits=(-4, 4), aspect="equal")
    right.set(xticks=range(10), yticks=range(10), xlabel="key: node", ylabel="query: node")
    around = [right.plot([], [], "-", color=color, lw=width, zorder=4, clip_on=False, animated=True)[0] for color, width in ((CARD, 5), (QUERY, 2.5))]
    touch(right, y="query")

    def update(query):
        dots.set_array(bias[query])
        for name, color in zip(names, dots.to_rgba(bias[query])):
            name.set_color(ink(color))
        ring.set_data([SPOTS[query, 0]], [SPOTS[query, 1]])
        for line in around:
            line.set_data([-0.5, 9.5, 9.5, -0.5, -0.5], query + np.array([-0.5, -0.5, 0.5, 0.5, -0.5]))
        far, none = int((np.isfinite(hops[query]) & (hops[query] >= 3)).sum()), int(np.isinf(hops[query]).sum())
        return (f"Query node {query}: neighbours ({signed(TABLE[1], 0)} on the score): {int((hops[query] == 1).sum())}; three or more edges away "
                f"({signed(TABLE[3], 0)}): {far}; out of reach ({signed(TABLE[4], 0)}): {none}.")
    return update


def cosine_of_path(n, m):
    """The m-th eigenvector of a path of n nodes, of length 1: a cosine at half-integer places."""
    wave = np.cos(np.pi * m * (np.arange(n) + 0.5) / n)
    return wave / np.linalg.norm(wave)


def waves(fig):
    """The entries of one eigenvector along a path of eight nodes, as dots, and the cosine that runs through them."""
    ax = fig.subplots()
    adjacency = graph(8, PATH)
    eigenvalues, vectors = laplacian_encoding(adjacency, 7)
    fine = np.linspace(-0.5, 7.5, 321)
    ax.axhline(0, color=FAINT, lw=1, ls="-")
    (curve,) = ax.plot([], [], "-", color=POSITION, lw=2, animated=True, label="cosine")
    (dots,) = ax.plot([], [], "o", color=INK, ms=9, ls="", animated=True, label="eigenvector")
    ax.set(xlim=(-0.6, 7.6), ylim=(-0.6, 0.6), xlabel="node of the path", ylabel="entry")
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2)

    def update(m):
        vector = vectors[:, m - 1]
        scale = np.linalg.norm(np.cos(np.pi * m * (np.arange(8) + 0.5) / 8))
        sign = np.sign(vector @ cosine_of_path(8, m))
        curve.set_data(fine, sign * np.cos(np.pi * m * (fine + 0.5) / 8) / scale)
        dots.set_data(range(8), vector)
        off = np.abs(vector - sign * cosine_of_path(8, m)).max()
        return (f"Eigenvector {m} of the path, eigenvalue {eigenvalues[m - 1]:.3f} = 2 − 2 cos({m}π/8): a cosine with {m} half "
                f"{'period' if m == 1 else 'periods'}. Largest difference from it: {size_of(off)}.")
    return update


MIRRORS = {"as it is": 1, "flipped": -1}              # of the second vector


def size_of(error):
    """An error in words: a bound where it is rounding, which differs between machines."""
    return "less than 1e-9" if error < 1e-9 else f"{error:.1e}"


def turned_pair(fig):
    """Left, six nodes of a ring at the coordinates that two eigenvectors of the same eigenvalue give them. Right, the projector onto both, as a map."""
    left, right = fig.subplots(1, 2, width_ratios=[1, 1.15])
    adjacency = graph(6, CYCLE)
    around = 2 * np.pi * np.arange(6) / 6
    basis = np.stack([np.cos(around), np.sin(around)], axis=1) / 3**0.5
    left.set(xlim=(-0.8, 0.8), ylim=(-0.8, 0.8), aspect="equal", xlabel="first vector", ylabel="second vector")
    left.axhline(0, color=FAINT, lw=1, ls="-"), left.axvline(0, color=FAINT, lw=1, ls="-")
    (ring,) = left.plot([], [], "-", color=FAINT, lw=2, animated=True)
    (dots,) = left.plot([], [], "o", color=POSITION, ms=20, ls="", animated=True)
    names = [left.text(0, 0, node, ha="center", va="center", color="white", animated=True) for node in range(6)]
    image = heat_map(right, np.zeros((6, 6)), kind="signed", label="projector", limits=(-0.4, 0.4), aspect="equal", animated=True)
    right.set(xticks=range(6), yticks=range(6), xlabel="node", ylabel="node")
    unique = eigenspace_projector(adjacency, 1.0)
    touch(left, angle="turn", per=lambda second: second * np.pi / 180)

    def update(turn, second):
        angle = np.deg2rad(turn)
        turned = basis @ np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]) * [1, second]
        ring.set_data(*turned[[0, 1, 2, 3, 4, 5, 0]].T)
        dots.set_data(*turned.T)
        for name, spot in zip(names, turned):
            name.set_position(spot)
        image.set_data(turned @ turned.T)
        residual = np.abs(laplacian(adjacency) @ turned - turned).max()
        return (f"Turned by {turn} degrees{' and flipped' if second < 0 else ''}: node 0 has coordinates {signed(turned[0, 0])} and {signed(turned[0, 1])}. "
                f"Both vectors still have eigenvalue 1 (off by {size_of(residual)}), and the projector has moved by {size_of(np.abs(turned @ turned.T - unique).max())}.")
    return update


def edited_path(node, other):
    """The adjacency of the path of eight nodes with one edge switched: joined if it was not there, cut if it was."""
    adjacency = graph(8, PATH)
    if node != other:
        adjacency[node, other] = adjacency[other, node] = 1 - adjacency[node, other]
    return adjacency


def own_coordinates(fig):
    """A graph of eight nodes drawn at its own spectral coordinates, those of the two smallest eigenvalues above 0, beside its table of edges."""
    ax, table = fig.subplots(1, 2, width_ratios=[1.15, 1])
    ax.set(xlim=(-0.85, 0.85), ylim=(-0.85, 0.85), aspect="equal", xlabel="first coordinate", ylabel="second coordinate")
    lines = [ax.plot([], [], color=NEUTRAL, lw=2, ls="-", animated=True)[0] for _ in range(8)]
    (dots,) = ax.plot([], [], "o", color=POSITION, ms=14, ls="", animated=True)
    names = [ax.text(0, 0, node, ha="center", va="center", color="white", fontsize=9, animated=True) for node in range(8)]
    image = heat_map(table, np.zeros((8, 8)), kind="weights", limits=(0, 1), colorbar=False, aspect="equal", animated=True, cmap="Greys", alpha=0.6)
    table.set(xlabel="node", ylabel="node", xticks=range(8), yticks=range(8))
    table.set_title("edges: click a cell", fontsize=11)
    cells = [table.add_patch(Rectangle((0, 0), 1, 1, fill=False, ec=POSITION, lw=3, animated=True)) for _ in range(2)]
    touch(table, x="other", y="node")

    def update(node, other, normalised):
        adjacency = edited_path(node, other)
        edges = np.argwhere(np.triu(adjacency))
        eigenvalues, vectors = laplacian_encoding(adjacency, 3, normalised)
        vectors = vectors[:, :2]
        for line, edge in zip(lines, [*edges, *[None] * 8]):
            line.set_data(*(([], []) if edge is None else vectors[edge].T))
        dots.set_data(*vectors.T)
        image.set_data(adjacency)
        for cell, (row, column) in zip(cells, ((node, other), (other, node))):
            cell.set(xy=(column - 0.5, row - 0.5), visible=node != other)
        same = np.abs(vectors[:, None] - vectors).max(axis=2) < 1e-9             # nodes at one spot share one label
        for place, (name, spot) in enumerate(zip(names, vectors)):
            name.set_position(spot)
            name.set_text(",".join(map(str, np.flatnonzero(same[place]))) if same[place].argmax() == place else "")
            name.set_fontsize(9 if same[place].sum() == 1 else 7)
        low, high = sorted((node, other))
        change = "as it is" if node == other else f"{low} and {high} {'joined' if adjacency[low, high] else 'cut apart'}"
        gap = ("equal: any turned drawing is as good" if np.isclose(*eigenvalues[:2]) else "and a third is equal to the second: its vector is one of many"
               if np.isclose(*eigenvalues[1:]) else "different: the drawing is unique but for mirrors")
        shared = [f"{i} and {j}" for i, j in np.argwhere(np.triu(same, 1))]
        together = f" At one spot: nodes {', nodes '.join(shared)}." if shared else ""
        return (f"A path of eight nodes, {change}, {len(edges)} edges: the two smallest eigenvalues above 0 {'(normalised) ' if normalised else ''}are "
                f"{eigenvalues[0]:.3f} and {eigenvalues[1]:.3f}, {gap}.{together}")
    return update
