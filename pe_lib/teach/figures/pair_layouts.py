"""The figures of chapter 6 on pairs: layout arcs, two faults and their error maps, the converter with its meter.

Curves have one meaning in the whole chapter: dark is as it should be, green another sound rotation, purple a fault.
"""

import numpy as np
from matplotlib.patches import Rectangle

from pe_lib.frequencies import angles, inverse_frequencies
from pe_lib.layouts import LAYOUTS, feature_pairs, permute_weights
from pe_lib.rotary import rotate
from pe_lib.teach.plots import CARD, CONTENT, FAINT, INK, POSITION, bare, heat_map, ink, signed
from pe_lib.teach.touch import touch

GREY = "#8C8C84"                                # a second curve of the same kind; a role's colour would say too much
TINTS = ("#4A2A6B", "#3E8E8C", "#E7D36B")       # the three pairs of the converter, fastest first: dark, middle, light
SIDE = 16.0                                     # a row of features is this wide, however many there are


def mixed_turn(x, positions, inv_freq):
    """The fault called mixed, (n, dim) -> (n, dim): angles laid out for neighbours, the partner taken half a vector on."""
    turn = np.repeat(angles(positions, inv_freq), 2, axis=-1)
    first, second = np.split(x, 2, axis=-1)
    return x * np.cos(turn) + np.concatenate([-second, first], axis=-1) * np.sin(turn)


def _cells(ax, count, bottom, size=11):
    """Boxes with a text each, to be placed by ``_fill``."""
    boxes = [ax.add_patch(Rectangle((0, bottom), 1, 1, fc=CARD, ec=INK, lw=1, zorder=3, animated=True)) for _ in range(count)]
    texts = [ax.text(0, bottom + 0.5, "", ha="center", va="center", fontsize=size, zorder=4, animated=True) for _ in range(count)]
    return boxes, texts


def _fill(cells, place, left, width, text="", color=CARD, shown=True):
    box, label = cells[0][place], cells[1][place]
    box.set(x=left, width=width, facecolor=color, visible=shown)
    label.set(x=left + width / 2, text=text, color=ink(color), visible=shown)


def layout_arcs(fig, most=16):
    """Which features are a pair, in both layouts; one feature and its partner are marked."""
    fig.set_layout_engine("none")
    rows = []
    for place, (layout, height) in enumerate(zip(LAYOUTS, (1.5, 2.1))):
        ax = fig.add_axes((0.02, 0.53 - 0.5 * place, 0.96, 0.37))
        ax.set(xlim=(-2.1, SIDE - 0.4), ylim=(-0.1, 4.0))
        bare(ax)
        touch(ax, x="feature", per=lambda dim: SIDE / dim)          # feature f stands at f box widths
        ax.set_title("interleaved: neighbours are a pair" if place == 0 else "half-split: the partner is half the turning width on",
                     loc="left", fontsize=11)
        arcs = [ax.plot([], [], "-", color=FAINT, lw=1.6, zorder=3, animated=True)[0] for _ in range(most // 2)]
        names = [ax.text(0, 0, "", ha="center", va="bottom", fontsize=9, zorder=4, animated=True) for _ in arcs]
        (mark,) = ax.plot([], [], "-", color=POSITION, lw=3, zorder=3.5, animated=True)
        rows.append((layout, height, _cells(ax, most, 0), arcs, names, mark))
    way = np.linspace(0, np.pi, 41)

    def update(dim, rotary, feature):
        width, one, feature, told = min(rotary, dim), SIDE / dim, min(feature, dim - 1), []
        speeds = inverse_frequencies(width)
        for layout, height, cells, arcs, names, mark in rows:
            pairs = feature_pairs(width, layout)
            followed = np.flatnonzero((pairs == feature).any(axis=1))
            marked = pairs[followed].ravel()
            for place in range(most):
                color = POSITION if place in marked else CARD if place < width else FAINT
                _fill(cells, place, (place - 0.5) * one, one, str(place), color, shown=place < dim)
            mark.set_data([], [])
            for m, (arc, name) in enumerate(zip(arcs, names)):
                shown = m < len(pairs)
                a, b = pairs[m] * one if shown else (0, 0)
                arc.set_data((a + b) / 2 - (b - a) / 2 * np.cos(way), 1 + height * np.sin(way) if shown else np.full(41, np.nan))
                name.set(x=(a + b) / 2, y=1.05 + height, text=str(m) if shown else "", color=POSITION if m in followed else INK)
                if m in followed:
                    mark.set_data(*arc.get_data())
            told += [f"{layout if layout == 'interleaved' else 'half-split'}, it is in pair {followed[0]} with feature "
                     f"{marked[marked != feature][0]} and turns {speeds[followed[0]]:.3g} rad per token" if marked.size else ""]
        if not told[0]:
            return f"{width} of {dim} features rotate. Feature {feature} is not among them: it passes through, in both layouts."
        return f"{width} of {dim} features rotate. Follow feature {feature}: {told[0]}; {told[1]}."
    return update


def fault_errors(seed, first, words, n=16, dim=8):
    """The two faults' scores less the right ones, (2, n, n), and the lengths of queries, (2, n); words of length 1."""
    q, k = np.random.default_rng(seed).normal(size=(2, n, dim))
    if words == "one":
        q, k = np.repeat(q[:1], n, axis=0), np.repeat(k[:1], n, axis=0)
    q, k = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (q, k))
    positions, inv_freq = first + np.arange(n), inverse_frequencies(dim)
    right, *faults = ([turn(x) for x in (q, k)] for turn in (lambda x: rotate(x, positions, inv_freq),
                      lambda x: rotate(x, positions, inv_freq, layout="half"), lambda x: mixed_turn(x, positions, inv_freq)))
    return (np.array([fault[0] @ fault[1].T - right[0] @ right[1].T for fault in faults]),
            np.array([np.linalg.norm(fault[0], axis=1) for fault in faults]))


def two_faults(fig, n=16):
    """The error maps of the two faults side by side, and what each does to the length of a query."""
    fig.set_layout_engine("none")
    grid = fig.add_gridspec(1, 5, width_ratios=[1, 1, 0.05, 0.6, 0.95], left=0.07, right=0.985, bottom=0.17, top=0.84, wspace=0.12)
    left, middle, bar, lines = (fig.add_subplot(grid[0, column]) for column in (0, 1, 2, 4))
    images = [heat_map(ax, np.zeros((n, n)), limits=(-1, 1), colorbar=False, animated=True) for ax in (left, middle)]
    fig.colorbar(images[0], cax=bar, label="score − right score", ticks=[-1, 0, 1], extend="both")
    for ax, name in ((left, "wrong layout"), (middle, "mixed")):
        ax.set(xticks=range(0, n, 5), yticks=range(0, n, 5), xlabel="key (token)")
        ax.set_title(name, fontsize=11)
    left.set_ylabel("query (token)")
    middle.tick_params(labelleft=False)
    curves = [lines.plot([], [], color=color, ls=dash, marker="o", ms=3, label=name, animated=True)[0]
              for color, dash, name in ((CONTENT, "--", "wrong layout"), (POSITION, "-", "mixed"))]
    lines.set(xlim=(-0.5, n - 0.5), ylim=(0, 1.5), xticks=range(0, n, 5), xlabel="query (token)", ylabel="length (1 before)")
    lines.legend(loc="lower center", bbox_to_anchor=(0.42, 1), ncols=2, fontsize=9, handlelength=1.6, columnspacing=0.8, borderaxespad=0.2)

    def update(first, words, seed):
        errors, lengths = fault_errors(seed, first, words, n)
        for image, curve, error, length in zip(images, curves, errors, lengths):
            image.set_data(error)
            curve.set_data(np.arange(n), length)
        on = np.abs(np.diagonal(errors, axis1=1, axis2=2)).max(axis=1)
        off = np.abs(errors * (1 - np.eye(n))).max(axis=(1, 2))
        return (f"First token at position {first}. Wrong layout: error at most {on[0]:.2f} on the diagonal, {off[0]:.2f} off it; every "
                f"length {signed(lengths[0].mean())}. Mixed: {on[1]:.2f} on the diagonal, {off[1]:.2f} off it; lengths from "
                f"{lengths[1].min():.2f} to {lengths[1].max():.2f}.")
    return update


HEADS, D_HEAD, REACH = 2, 6, 12
FEATURES = HEADS * D_HEAD
WAYS = {
    "nothing": lambda w: w,
    "columns, head by head": lambda w: permute_weights(w, HEADS, to="half"),
    "columns, head by head, the way back": lambda w: permute_weights(w, HEADS, to="interleaved"),
    "columns, across both heads": lambda w: permute_weights(w, 1, to="half"),
    "rows, head by head": lambda w: permute_weights(w, HEADS, to="half", axis=0) if w.ndim == 2 else w,
    "columns of W_Q alone": None,
}


def conversion_mismatch(way, biases):
    """|score of the half-split program − score of the interleaved one|, by head and offset: (HEADS, 2 * REACH + 1)."""
    rng = np.random.default_rng(6)
    x = rng.normal(size=(2, FEATURES))                      # the word that asks, the word that is asked
    weights, bias = rng.normal(size=(2, FEATURES, FEATURES)) / np.sqrt(FEATURES), rng.normal(size=(2, FEATURES))
    change = [WAYS["columns, head by head"], WAYS["nothing"]] if WAYS[way] is None else [WAYS[way]] * 2
    inv_freq, offsets = inverse_frequencies(D_HEAD, base=100), np.arange(-REACH, REACH + 1)

    def scores(weights, bias, layout):
        q, k = (np.tile((row @ w + b).reshape(HEADS, 1, D_HEAD), (1, offsets.size, 1)) for row, w, b in zip(x, weights, bias))
        turned = rotate(k, offsets, inv_freq, layout=layout)      # only the offset counts: the query stays at 0
        return (q * turned).sum(axis=-1) / np.sqrt(D_HEAD)
    given = [alter(w) for alter, w in zip(change, weights)], [alter(b) if biases else b for alter, b in zip(change, bias)]
    return np.abs(scores(*given, "half") - scores(weights, bias, "interleaved"))


def converter(fig):
    """The columns of W_Q as trained, as given to a half-split program, and as it wants them; and how wrong its scores are."""
    fig.set_layout_engine("none")
    strip, meter = fig.add_axes((0.01, 0.05, 0.5, 0.9)), fig.add_axes((0.6, 0.17, 0.385, 0.6))
    strip.set(xlim=(-0.2, FEATURES + 0.8), ylim=(-0.4, 6.4))
    bare(strip)
    rows = [_cells(strip, FEATURES, bottom) for bottom in (4.2, 2.1, 0)]
    for bottom, name in zip((5.35, 3.25, 1.15), ("columns of W_Q, as trained (interleaved)", "as given to the half-split program",
                                                 "the pairs it will turn, fastest darkest")):
        strip.text(0, bottom, name, va="bottom", fontsize=10)
    lines = [meter.plot([], [], color=color, ls=dash, lw=2.5, label=name, zorder=3, animated=True)[0]
             for color, dash, name in ((INK, "-", "head 0"), (GREY, "--", "head 1"))]
    cursor = meter.axvline(0, color=INK, lw=1, ls=":", animated=True)
    meter.set(xlim=(-REACH, REACH), ylim=(-0.15, 8), xlabel="offset = key − query (tokens)", ylabel="mismatch of the score")
    meter.legend(loc="lower right", bbox_to_anchor=(1.02, 1), ncols=2, fontsize=9, handlelength=1.6, columnspacing=0.8, borderaxespad=0.2)
    touch(meter, x="offset")
    reading = fig.text(0.6, 0.94, "", fontsize=12, va="center", animated=True)
    trained, wanted = np.tile(np.repeat(np.arange(3), 2), HEADS), np.tile(np.arange(3), 2 * HEADS)
    left = np.arange(FEATURES) + 0.6 * (np.arange(FEATURES) // D_HEAD)

    def update(way, biases, offset):
        order = np.arange(FEATURES) if way.startswith("rows") else (WAYS[way] or WAYS["columns, head by head"])(np.arange(FEATURES)).astype(int)
        for place in range(FEATURES):
            for cells, number, pair in zip(rows, (place, order[place], ""), (trained[place], trained[order[place]], wanted[place])):
                _fill(cells, place, left[place], 1, str(number), TINTS[pair])
        mismatch = conversion_mismatch(way, biases)
        for line, values in zip(lines, mismatch):
            line.set_data(np.arange(-REACH, REACH + 1), values)
        cursor.set_xdata([offset, offset])
        worst, here = mismatch.max(), mismatch[:, REACH + offset]
        reading.set_text(f"largest mismatch {worst:.2f}")
        told = ("as they were" if not biases or not way.startswith("columns") else "of the queries too" if WAYS[way] is None else "too")
        return (f"Changed: {way}; biases {told}. At offset {signed(offset, 0)} the scores "
                f"are off by {here[0]:.2f} (head 0) and {here[1]:.2f} (head 1); the largest mismatch is {worst:.2f}.")
    return update
