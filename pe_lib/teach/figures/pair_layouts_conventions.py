"""The figures of chapter 6 on other conventions: partial rotation, the axis that holds the tokens, the sign."""

import numpy as np

from pe_lib.frequencies import angles, inverse_frequencies, offset_similarity
from pe_lib.rotary import rotate
from pe_lib.teach.plots import CONTENT, FAINT, INK, POSITION, heat_map, signed, write_cells
from pe_lib.teach.touch import touch


def partial_frequencies(fig, dim=128, reach=2000):
    """Frequencies made for the turning width, beside a slice of the full set; and what each makes of a word against itself."""
    fig.set_layout_engine("none")
    grid = fig.add_gridspec(1, 2, width_ratios=[1, 1.15], left=0.09, right=0.985, bottom=0.17, top=0.86, wspace=0.24)
    speeds, curves = (fig.add_subplot(grid[0, column]) for column in (0, 1))
    styles = ((INK, "-", 3.2, 5, "made for the turning width"), (POSITION, "--", 1.3, 2.5, "first of the full set"))
    points = [speeds.plot([], [], color=c, ls=s, lw=lw, marker="o", ms=ms, label=name, zorder=3, animated=True)[0]
              for c, s, lw, ms, name in styles]
    speeds.set(xlim=(-1, dim // 2), yscale="log", ylim=(1e-6, 2), xlabel="pair (0: fastest)", ylabel="radians per token")
    speeds.legend(loc="lower left", bbox_to_anchor=(-0.04, 0.99), ncols=2, fontsize=9, handlelength=1.8, columnspacing=1)
    offsets = np.arange(1, reach + 1)
    lines = [curves.plot([], [], color=c, ls=s, lw=lw, zorder=3, animated=True)[0] for c, s, lw, *_ in styles]
    cursor = curves.axvline(1, color=INK, lw=1.2, ls=":", animated=True)
    curves.axhline(0, color=FAINT, lw=1, ls="-")
    curves.set(xscale="log", xlim=(1, reach), ylim=(-1.05, 1.05), xlabel="offset (tokens)", ylabel="score, share of offset 0")
    curves.set_title("a word against itself, turning part", fontsize=11)
    touch(speeds, x="rotary", per=0.5, start=-1)          # the last pair that turns
    touch(curves, x="offset")

    def update(rotary, base, offset):
        sets = inverse_frequencies(rotary, base), inverse_frequencies(dim, base)[: rotary // 2]
        shares = []
        for point, line, inv_freq in zip(points, lines, sets):
            point.set_data(np.arange(inv_freq.size), inv_freq)
            line.set_data(offsets, offset_similarity(offsets, inv_freq) / inv_freq.size)
            shares.append(offset_similarity(offset, inv_freq) / inv_freq.size)
        cursor.set_xdata([offset, offset])
        slowest = [inv_freq[-1] for inv_freq in sets]
        return (f"{rotary} of {dim} features rotate. Slowest pair: {slowest[0]:.3g} rad per token, a turn in {2 * np.pi / slowest[0]:,.0f} "
                f"tokens; sliced, {slowest[1]:.3g} rad, {2 * np.pi / slowest[1]:,.0f} tokens. Shares at offset {offset}: "
                f"{signed(shares[0])} and {signed(shares[1])}.")
    return update


CODES = {"table[:, None]": lambda table: table[:, None], "table": lambda table: table}


def received_positions(tokens, heads, code, speed=0.1):
    """The position by which each (token, head) of x (1, tokens, heads, 2) has really been turned; None where NumPy refuses.

    A single head meets a table of many tokens without a complaint too: the product then has as many heads as tokens.
    """
    table = CODES[code](angles(np.arange(tokens), [speed]))         # (tokens, 1), or (tokens, 1, 1)
    try:
        shape = np.broadcast_shapes((1, tokens, heads, 2), table.shape)
    except ValueError:
        return None
    cos, sin = (np.broadcast_to(part, shape)[0, :, :, 0] for part in (np.cos(table), np.sin(table)))
    return np.arctan2(sin, cos) / speed                             # where (1, 0) has gone


def axis_order(fig, most=6):
    """x has shape (batch, tokens, heads, features): by which position is each token of each head turned?"""
    fig.set_layout_engine("none")
    axes = [fig.add_axes((left, 0.17, 0.31, 0.66)) for left in (0.08, 0.5)]
    bar = fig.add_axes((0.84, 0.17, 0.02, 0.66))
    edges = (0.5, most + 0.5, most + 0.5, 0.5)            # token t and head h stand at t + 1 and h + 1: the last one, at how many there are
    images = [heat_map(ax, np.zeros((most, most)), kind="weights", limits=(0, most - 1), colorbar=False, annotate=True, animated=True, extent=edges)
              for ax in axes]
    fig.colorbar(images[0], cax=bar, label="turned by position (tokens)", ticks=[0, most - 1])
    for ax, name in zip(axes, ("as it should be", "as the code does it")):
        ax.set(xticks=range(1, most + 1), xticklabels=range(most), yticks=range(1, most + 1), yticklabels=range(most), xlabel="head")
        ax.set_title(name, fontsize=11)
    axes[0].set_ylabel("token")
    for cell in (*images[0].cells, *images[1].cells):
        cell.set(fontsize=11, position=np.add(cell.get_position(), 1))
    touch(axes[0], x="heads", y="tokens")
    refused = axes[1].text((most + 1) / 2, (most + 1) / 2, "", ha="center", va="center", fontsize=11, animated=True)

    def update(tokens, heads, code):
        for image, positions in zip(images, (received_positions(tokens, heads, "table[:, None]"), received_positions(tokens, heads, code))):
            shown = np.full((most, most), np.nan)
            if positions is not None:
                shown[: positions.shape[0], : positions.shape[1]] = positions
            write_cells(image, shown, digits=0)
        refused.set_text("" if positions is not None else "NumPy refuses:\nthe shapes do not fit")
        shapes = f"x (1, {tokens}, {heads}, 2) meets {code} {CODES[code](np.empty((tokens, 1))).shape}"
        if positions is None:
            return f"{shapes}: refused, with an error. The mistake is found."
        if positions.shape != (tokens, heads):
            return f"{shapes}: no complaint, but the result has {positions.shape[1]} heads where there was one."
        right = np.array_equal(positions.round(), np.repeat(np.arange(tokens)[:, None], heads, axis=1))
        return f"{shapes}: no complaint. " + ("Every token is turned by its own position, in every head." if right else
                                              "Every token is turned by the number of its head.")
    return update


def signs(fig, reach=20, dim=8):
    """The score against the offset when query and key are turned by +p, by −p, or one each way."""
    ax = fig.subplots()
    q, k = np.random.default_rng(2).normal(size=(2, dim))
    inv_freq, offsets = inverse_frequencies(dim, base=100), np.arange(-reach, reach + 1)
    styles = ((INK, "-", "both by +p", (1, 1)), (CONTENT, "--", "both by −p", (-1, -1)), (POSITION, ":", "query +p, key −p", (1, -1)))
    lines = [ax.plot([], [], color=c, ls=s, lw=2.5, label=name, zorder=3, animated=True)[0] for c, s, name, _ in styles]
    dots = [ax.plot([], [], "o", color=c, ms=ms, ls="", zorder=5, animated=True)[0] for (c, *_), ms in zip(styles, (12, 10, 6))]
    ax.set(xlim=(-reach, reach), ylim=(-6, 6), xlabel="offset = key − query (tokens)", ylabel="score")
    ax.axhline(0, color=FAINT, lw=1, ls="-")
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3)
    touch(ax, x="offset")

    def update(query, offset):
        keys = query + offsets
        told = []
        for line, dot, (_, _, _, (of_query, of_key)) in zip(lines, dots, styles):
            turned = rotate(np.repeat(k[None], keys.size, axis=0), of_key * keys, inv_freq)
            score = turned @ rotate(q, of_query * query, inv_freq)
            line.set_data(offsets, score)
            dot.set_data([offset], [score[reach + offset]])
            told.append(signed(score[reach + offset]))
        return (f"Query at {query}, key at {signed(query + offset, 0)}, offset {signed(offset, 0)}: both turned by +p, {told[0]}; both by "
                f"−p, {told[1]}; one each way, {told[2]}.")
    return update
