"""The figures of chapter 10, first part: patches of a picture, the numbers they get, and tables that change their size."""

import numpy as np
from matplotlib.patches import Rectangle

from pe_lib.grid_tables import interpolate_table
from pe_lib.grids import axial_frequencies, mixed_frequencies, patch_positions, rotate_2d, sincos_2d
from pe_lib.teach.plots import INK, QUERY, WRONG, heat_map, signed, write_cells
from pe_lib.teach.touch import touch

ROWS, COLUMNS, DIM = 5, 8, 32
PLACES = patch_positions((ROWS, COLUMNS))


def rotary_scores(inv_freq):
    """Scores of all patches with all patches, (n, n), for one content (1, 0, 1, 0, …) everywhere: the encoding alone."""
    turned = rotate_2d(np.tile([1.0, 0.0], (len(PLACES), DIM // 2)), PLACES, inv_freq)
    return turned @ turned.T / DIM**0.5


def sinusoid_scores():
    """Scores of the 2-D sinusoidal vectors with each other, (n, n)."""
    vectors = sincos_2d(PLACES, DIM, base=100.0)
    return vectors @ vectors.T / DIM**0.5


def falling_bias():
    """A bias by relative row and column, (n, n), that falls by 0.2 for each row and each column away, alike on all sides."""
    apart = np.abs(PLACES[:, None] - PLACES).sum(axis=-1)
    return -0.2 * apart


SCORES = {
    "2-D sinusoid, added": sinusoid_scores,
    "axial rotary": lambda: rotary_scores(axial_frequencies(DIM)),
    "mixed rotary": lambda: rotary_scores(mixed_frequencies(DIM, np.pi / 6)),
    "bias by row and column": falling_bias,
}


def alike(scores, row, column):
    """For a query patch (row, column): the scores of the patches one up and two to the left, or right; NaN beyond the edge."""
    def at(r, c):
        return scores[row * COLUMNS + column, r * COLUMNS + c] if 0 <= r < ROWS and 0 <= c < COLUMNS else np.nan
    return at(row - 1, column - 2), at(row - 1, column + 2)


def similar_patches(fig):
    """A picture of 5 rows and 8 columns of patches, coloured by how each of them scores with the query patch, which is framed."""
    ax = fig.subplots()
    tables = {name: make() for name, make in SCORES.items()}
    image = heat_map(ax, np.zeros((ROWS, COLUMNS)), kind="signed", label="score with the framed patch", limits=(-3, 3), annotate=True,
                     animated=True, aspect="equal")
    ax.set(xticks=range(COLUMNS), yticks=range(ROWS), xlabel="column of the patch", ylabel="row of the patch")
    frame = ax.add_patch(Rectangle((0, 0), 1, 1, fill=False, ec=QUERY, lw=3, zorder=5, animated=True))
    touch(ax, x="column", y="row")

    def update(row, column, encoding):
        scores = tables[encoding][row * COLUMNS + column].reshape(ROWS, COLUMNS)
        write_cells(image, scores, digits=1)
        frame.set_xy((column - 0.5, row - 0.5))
        left, right = alike(tables[encoding], row, column)
        told = "One of the patches one up and two to a side lies outside." if np.isnan(left) or np.isnan(right) else (
            f"The patch one up and two left of it scores {signed(left)}, the one up and two right {signed(right)}: "
            f"{'the same' if np.isclose(left, right) else 'not the same'}.")
        return f"Query patch in row {row}, column {column}, {encoding}; it scores {signed(scores[row, column])} with itself. {told}"
    return update


GRIDS = {"3 × 3": (3, 3), "2 × 3": (2, 3), "3 × 2": (3, 2)}
RULES = {
    "row · columns + column": lambda r, c, rows, columns: r * columns + c,
    "row · rows + column": lambda r, c, rows, columns: r * rows + c,
    "column · rows + row": lambda r, c, rows, columns: c * rows + r,
}


def numbering(fig):
    """A small grid of patches with the number that a rule gives to each of them; numbers that differ from the row-by-row order are framed."""
    ax = fig.subplots()
    ax.set(xlim=(-0.6, 2.6), ylim=(2.6, -0.6), aspect="equal", xticks=range(3), yticks=range(3), xlabel="column", ylabel="row")
    boxes = [[ax.add_patch(Rectangle((c - 0.45, r - 0.45), 0.9, 0.9, fill=False, lw=2, animated=True)) for c in range(3)] for r in range(3)]
    words = [[ax.text(c, r, "", ha="center", va="center", fontsize=16, animated=True) for c in range(3)] for r in range(3)]

    def update(grid, rule):
        rows, columns = GRIDS[grid]
        given, wanted = (np.array([[RULES[name](r, c, rows, columns) for c in range(columns)] for r in range(rows)])
                         for name in (rule, "row · columns + column"))
        for r in range(3):
            for c in range(3):
                inside = r < rows and c < columns
                boxes[r][c].set_visible(inside), words[r][c].set_visible(inside)
                if inside:
                    boxes[r][c].set_edgecolor(INK if given[r, c] == wanted[r, c] else WRONG)
                    words[r][c].set_text(f"{given[r, c]}")
        wrong, shared = int((given != wanted).sum()), given.size - len(np.unique(given))
        return (f"{grid} patches, number = {rule}: {wrong} of {given.size} patches get another number than row by row"
                f"{', and two patches share a number' if shared == 1 else f', and {2 * shared} patches share numbers' if shared else ''}.")
    return update


OLD = 8
PATTERNS = {
    "every other patch": lambda r, c: (r + c) % 2.0,
    "a slope": lambda r, c: (r + c) / (2 * OLD - 2),
    "one patch": lambda r, c: ((r == 4) & (c == 4)) * 1.0,
}


def resized_table(fig):
    """Two pictures side by side: one feature of a learned table on a grid of 8 × 8 patches, and the same feature after resizing."""
    left, right = fig.subplots(1, 2)
    before = heat_map(left, np.zeros((OLD, OLD)), kind="weights", limits=(0, 1), colorbar=False, aspect="equal", animated=True)
    after = heat_map(right, np.zeros((OLD, OLD)), kind="weights", limits=(0, 1), label="value of the feature", aspect="equal", animated=True,
                     extent=(0, 1, 1, 0))
    left.set(xticks=[], yticks=[], title="8 × 8, as learned")
    right.set(xticks=[], yticks=[])
    title = right.set_title("resized", animated=True)

    def update(new, pattern):
        old = PATTERNS[pattern](*np.indices((OLD, OLD)))
        resized = interpolate_table(old.reshape(-1, 1), (OLD, OLD), (new, new)).reshape(new, new)
        before.set_data(old)
        after.set_data(resized)
        title.set_text(f"resized to {new} × {new}")
        kept = resized.std() / old.std()
        return (f"{pattern[0].upper()}{pattern[1:]}, 8 × 8 to {new} × {new}: the feature ran from 0 to 1; now it runs from "
                f"{resized.min():.2f} to {resized.max():.2f}. Its spread over the patches (standard deviation) is {100 * kept:.0f} % of what it was.")
    return update
