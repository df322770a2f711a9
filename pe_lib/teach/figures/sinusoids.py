"""The figures of chapter 2: counters, clock hands, one turned pair, the offset matrix, similarity, loudness.

A hand is drawn as on a clock: up at position 0, then clockwise, so that its tip is (x, y) = (sin, cos) of its angle.
"""

import numpy as np
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke

from pe_lib.frequencies import angles, inverse_frequencies, offset_similarity, wavelengths
from pe_lib.sinusoidal import LAYOUTS, offset_matrix, sinusoidal_encoding
from pe_lib.teach.plots import CARD, CONTENT, FAINT, INK, POSITION, bare, fixed_ticks, heat_map, signed, write_cells
from pe_lib.teach.touch import touch


def binary_code(positions, bits):
    """The binary digits of each position, fastest first: (n,) -> (n, bits) of 0 and 1."""
    return (np.asarray(positions)[:, None] >> np.arange(bits)) & 1


def _dial(ax, title):
    """An empty clock face of radius 1."""
    turn = np.linspace(0, 2 * np.pi, 121)
    ax.plot(np.sin(turn), np.cos(turn), color=FAINT, lw=1, ls="-")
    ax.plot(0, 0, ".", color=INK)
    ax.set(xlim=(-1.2, 1.2), ylim=(-1.2, 1.2), aspect="equal")
    bare(ax)
    ax.set_title(title, loc="center", fontsize=10, fontweight="normal")


def _cursor(ax, half=0.0, on_map=True):
    """A vertical mark that moves: a line, or the outline of a column; on a map with a halo, to be legible on any colour."""
    low, high = sorted(ax.get_ylim())
    halo = [withStroke(linewidth=4, foreground=CARD)] if on_map else None
    return ax.add_patch(Rectangle((0, low), 2 * half, high - low, fill=False, ec=INK, lw=1.5 if on_map else 1, zorder=4,
                                  animated=True, path_effects=halo))


def counters(fig, positions=64, bits=6):
    """Three ways to count, and how long each one's step to the next position is."""
    fig.set_layout_engine("none")
    grid = fig.add_gridspec(4, 2, height_ratios=[0.45, 1, 1, 1], width_ratios=[1, 0.018], left=0.15, right=0.9,
                            bottom=0.11, top=0.95, hspace=0.42, wspace=0.03)
    axes = [fig.add_subplot(grid[0, 0])]
    axes += [fig.add_subplot(grid[row, 0], sharex=axes[0]) for row in (1, 2, 3)]
    p, box = np.arange(positions), (-0.5, positions - 0.5, bits - 0.5, -0.5)
    numbers = axes[0].imshow(p[None], aspect="auto", extent=(*box[:2], 0.5, -0.5), cmap="viridis", vmin=0)
    codes = binary_code(p, bits)
    binary = axes[1].imshow(codes.T, aspect="auto", extent=box, cmap="viridis", vmin=0, vmax=1)
    smooth = axes[2].imshow(np.zeros((bits, positions)), aspect="auto", extent=box, cmap="RdBu_r", vmin=-1, vmax=1,
                            animated=True)
    for row, (image, name) in enumerate([(numbers, "number"), (binary, "bit"), (smooth, "sine")]):
        bar = fig.colorbar(image, cax=fig.add_subplot(grid[row, 1]), label=name)
        bar.set_ticks([bar.vmin, bar.vmax] if row else [0, positions - 1])
    for ax, name in zip(axes, ["integer counter: one number", "binary counter: six bits", "smooth counter: the sines of six hands"]):
        ax.set_title(name, fontsize=10)
        ax.set_yticks([0, bits - 1] if ax is not axes[0] else [], ["fastest", "slowest"] if ax is not axes[0] else [])
        ax.tick_params(labelbottom=False)
    flips = np.abs(np.diff(codes, axis=0)).sum(axis=1)
    axes[3].step(p[:-1], np.sqrt(flips), where="mid", color=INK, ls="-", lw=1.5, label="binary")
    (line,) = axes[3].plot([], [], color=POSITION, ls="--", animated=True, label="smooth")
    axes[3].set(xlim=box[:2], ylim=(0, 2.9), xlabel="position (tokens)", ylabel="length of\nthe step")
    axes[3].legend(loc="lower right", bbox_to_anchor=(1, 0.9), ncols=2)
    cursors = [*(_cursor(ax, half=0.5) for ax in axes[:3]), _cursor(axes[3], on_map=False)]
    for ax in axes:
        touch(ax, x="position")

    def update(position, base):
        encoding = sinusoidal_encoding(p, 2 * bits, base)
        smooth.set_data(encoding[:, 0::2].T)
        line.set_data(p[:-1], np.linalg.norm(np.diff(encoding, axis=0), axis=1))
        for cursor in cursors:
            cursor.set_x(position - cursor.get_width() / 2)
        number = flips[position]
        return (f"Position {position} is {' '.join(map(str, codes[position]))} in bits, fastest first. The step to "
                f"{position + 1} flips {number} bit{'s' if number > 1 else ''}, a step of length {np.sqrt(number):.2f}; "
                f"the smooth counter's step has length {line.get_ydata()[position]:.2f}.")
    return update


def clock_hands(fig, dim=8):
    """An encoding read as clock hands, one a pair, over the wavelengths that set their speeds."""
    pairs = dim // 2
    fig.set_layout_engine("none")
    grid = fig.add_gridspec(2, pairs, height_ratios=[1.5, 1], left=0.11, right=0.97, bottom=0.17, top=0.92, hspace=0.5)
    dials = [fig.add_subplot(grid[0, m]) for m in range(pairs)]
    for m, ax in enumerate(dials):
        _dial(ax, f"pair {m}" + (" (fastest)" if m == 0 else " (slowest)" if m == pairs - 1 else ""))
    hands = [ax.plot([], [], "-", color=POSITION, lw=3, solid_capstyle="round", animated=True)[0] for ax in dials]
    labels = [ax.text(0, -1.2, "", ha="center", va="top", fontsize=10, animated=True) for ax in dials]
    ax = fig.add_subplot(grid[1, :])
    ax.set(xscale="log", xlim=(1, 1e6), ylim=(pairs - 0.4, -0.6), yticks=range(pairs), ylabel="pair",
           xlabel="wavelength (tokens per full turn)")
    ax.grid(axis="x")
    stems = [ax.plot([], [], "-", color=POSITION, lw=2, marker="o", markevery=[1], zorder=3, animated=True)[0] for _ in hands]
    here = ax.axvline(1, color=INK, ls=":", lw=1.5, zorder=3, animated=True)
    note = ax.text(1, -0.7, "", fontsize=9, ha="center", va="bottom", animated=True)
    for m, face in enumerate(dials):                         # clockwise from twelve o'clock
        touch(face, angle="position", per=lambda base, m=m: -inverse_frequencies(dim, base)[m], start=np.pi / 2)
    touch(ax, x="position")

    def update(position, base):
        inv_freq = inverse_frequencies(dim, base)
        theta = angles(position, inv_freq)
        for m, (hand, label, stem) in enumerate(zip(hands, labels, stems)):
            hand.set_data([0, np.sin(theta[m])], [0, np.cos(theta[m])])
            label.set_text(f"({signed(np.sin(theta[m]))}, {signed(np.cos(theta[m]))})\n{theta[m] / (2 * np.pi):.2f} turns")
            stem.set_data([1, wavelengths(inv_freq)[m]], [m, m])
        here.set_xdata([max(position, 1)] * 2)
        note.set(x=max(position, 1), text=f"position {position}")
        turns = ", ".join(f"{t:.2f}" for t in theta / (2 * np.pi))
        return f"At position {position} the hands, fastest first, have turned {turns} times. Under each hand: its (sin, cos)."
    return update


def turned_pair(fig, omega=0.1):
    """One hand at position p and at p + k, and beside them the matrix that turns the first into the second."""
    fig.set_layout_engine("none")
    grid = fig.add_gridspec(1, 3, width_ratios=[1.15, 1, 0.05], left=0.08, right=0.9, bottom=0.16, top=0.88, wspace=0.35)
    ax, table, bar = (fig.add_subplot(grid[0, column]) for column in range(3))
    turn = np.linspace(0, 2 * np.pi, 121)
    ax.plot(np.sin(turn), np.cos(turn), color=FAINT, lw=1, ls="-")
    ax.set(xlim=(-1.3, 1.3), ylim=(-1.3, 1.3), aspect="equal", xticks=[-1, 0, 1], yticks=[-1, 0, 1], xlabel="sine", ylabel="cosine")
    start, end = (ax.plot([], [], color=POSITION, lw=lw, ls=ls, animated=True)[0] for lw, ls in ((3, "-"), (3, (0, (2, 1)))))
    (arc,) = ax.plot([], [], "-", color=INK, lw=1.5, animated=True)
    ax.legend([start, end], ["at position p", "at p + k"], loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2, handlelength=2.5)
    image = heat_map(table, np.zeros((2, 2)), limits=(-1, 1), colorbar=False, annotate=True, animated=True)
    fig.colorbar(image, cax=bar, label="entry of the matrix", ticks=[-1, 0, 1])
    table.set(xticks=[0, 1], yticks=[0, 1], xticklabels=["sin", "cos"], yticklabels=["sin", "cos"],
              xlabel="from: the pair at p", ylabel="to: the pair at p + k")
    for entry in image.cells:
        entry.set_fontsize(14)
    heading = table.set_title("", animated=True)
    touch(ax, angle="offset", per=-omega, start=np.pi / 2, plus="position")     # first: it is taken where both hands coincide
    touch(ax, angle="position", per=-omega, start=np.pi / 2)                     # takes the other hand along

    def update(position, offset):
        a, b = position * omega, (position + offset) * omega
        for hand, angle in ((start, a), (end, b)):
            hand.set_data([0, np.sin(angle)], [0, np.cos(angle)])
        between = np.linspace(a, b, 60)
        arc.set_data(0.45 * np.sin(between), 0.45 * np.cos(between))
        matrix = offset_matrix(offset, [omega])
        write_cells(image, matrix, digits=3)
        heading.set_text(f"the matrix for k = {signed(offset, 0)}")
        return (f"At position {position} the hand stands at {a:.2f} rad; at {signed(position + offset, 0)}, at {signed(b)} rad. "
                f"The matrix adds {signed(offset * omega)} rad: it holds cos = {np.cos(offset * omega):.3f} and "
                f"sin = {signed(np.sin(offset * omega), 3)}, and no position.")
    return update


def offset_blocks(fig, dim=8):
    """The matrix of an offset, block by block, times the encoding of a position."""
    fig.set_layout_engine("none")
    grid = fig.add_gridspec(1, 5, width_ratios=[8, 1.5, 1.5, 1.5, 0.4], left=0.1, right=0.9, bottom=0.08, top=0.84, wspace=0.5)
    square, *columns, bar = (fig.add_subplot(grid[0, i]) for i in range(5))
    images = [heat_map(ax, np.zeros((dim, width)), kind="signed", limits=(-1, 1), colorbar=False, animated=True, aspect="auto")
              for ax, width in ((square, dim), *((ax, 1) for ax in columns))]
    fig.colorbar(images[0], cax=bar, label="value", ticks=[-1, 0, 1])
    names = [f"{kind} {m}" for m in range(dim // 2) for kind in ("sin", "cos")]
    square.set(xticks=range(dim), yticks=range(dim), yticklabels=names, ylabel="feature of PE(p + k)")
    square.set_xticklabels(names, rotation=90)
    square.xaxis.tick_top()
    square.tick_params(length=0)
    square.set_xlabel("feature of PE(p)")
    for i in range(0, dim, 2):
        square.add_patch(Rectangle((i - 0.5, i - 0.5), 2, 2, fill=False, ec=INK, lw=1.5, zorder=3, animated=True))
    for ax in columns:
        ax.set(xticks=[], yticks=[])
    heads = [ax.text(0.5, 1.02, "", transform=ax.transAxes, ha="center", va="bottom", fontsize=9, animated=True) for ax in columns]
    for ax, sign in zip(columns, ["×", "=", "="]):
        ax.text(-0.42, 0.5, sign, transform=ax.transAxes, ha="center", va="center", fontsize=16)

    def update(position, offset, base):
        inv_freq = inverse_frequencies(dim, base)
        matrix, end = offset_matrix(offset, inv_freq), f"PE({signed(position + offset, 0)})"
        here, there = sinusoidal_encoding([position, position + offset], dim, base)
        for image, values in zip(images, (matrix, here[:, None], (matrix @ here)[:, None], there[:, None])):
            image.set_data(values)
        for head, text in zip(heads, (f"PE({position})", "product", end)):
            head.set_text(text)
        gap = np.abs(matrix @ here - there).max()
        turns = ", ".join(signed(angle, 3) for angle in offset * inv_freq)
        return (f"The matrix for offset {signed(offset, 0)} turns its {dim // 2} pairs by {turns} rad. Times PE({position}) it "
                f"{'equals' if gap < 1e-9 else 'misses'} {end} to rounding.")
    return update


def first_rise(dim, base=10_000.0, limit=200):
    """The smallest offset whose next offset is more similar than it is, or None up to the limit."""
    rises = np.flatnonzero(np.diff(offset_similarity(np.arange(limit + 1), inverse_frequencies(dim, base))) > 0)
    return int(rises[0]) if rises.size else None


def _similarity_axes(fig, reach):
    """A map of cosines, beside it one column of the map as a profile, below it their sum."""
    fig.set_layout_engine("none")
    grid = fig.add_gridspec(2, 3, height_ratios=[1.15, 1], width_ratios=[1, 0.2, 0.025], left=0.12, right=0.88,
                            bottom=0.13, top=0.92, hspace=0.2, wspace=0.1)
    field, profile, bar = (fig.add_subplot(grid[0, i]) for i in range(3))
    total = fig.add_subplot(grid[1, 0], sharex=field)
    image = heat_map(field, np.zeros((2, 2)), limits=(-1, 1), colorbar=False, animated=True,
                     extent=(-reach - 0.5, reach + 0.5, 1, 0))
    fig.colorbar(image, cax=bar, label="cos(k ω)", ticks=[-1, 0, 1])
    field.set(yticks=[0, 1], yticklabels=["fastest", "slowest"], ylabel="pair")
    field.set_title("the cosine of each pair …", fontsize=11)
    field.tick_params(labelbottom=False)
    profile.set(xlim=(-1.1, 1.1), ylim=(1, 0), yticks=[], xticks=[-1, 0, 1], xlabel="at this k")
    total.set_title("… and their sum, as a share of its value at k = 0", fontsize=11)
    total.set(xlim=(-reach - 0.5, reach + 0.5), ylim=(-0.3, 1.08), xlabel="offset k = key − query (tokens)", ylabel="similarity")
    profile.axvline(0, color=FAINT, lw=1, ls="-")
    total.axhline(0, color=FAINT, lw=1, ls="-")
    return image, profile, total


def similarity(fig, reach=64):
    """The dot product of two encodings against their offset, and above it the cosines that it adds up."""
    image, profile, total = _similarity_axes(fig, reach)
    offsets = np.arange(-reach, reach + 1)
    (cut,) = profile.plot([], [], "-", color=POSITION, lw=2, animated=True)
    (curve,) = total.plot([], [], "-", color=POSITION, animated=True)
    (dots,) = total.plot([], [], "o", color=INK, ms=7, ls="", zorder=5, animated=True)
    (rising,) = total.plot([], [], "^", color=INK, ms=9, ls="", zorder=5, animated=True)
    note = total.text(-reach + 2, -0.2, "", fontsize=9, animated=True)
    cursors = [_cursor(image.axes), _cursor(total, on_map=False)]
    for ax in (image.axes, total):
        touch(ax, x="offset")

    def update(offset, dim):
        inv_freq = inverse_frequencies(dim)
        share = offset_similarity(offsets, inv_freq) / (dim / 2)
        image.set_data(np.cos(angles(offsets, inv_freq)).T)
        cut.set_data(np.cos(np.repeat(offset * inv_freq, 2)), np.repeat(np.arange(dim // 2 + 1) / (dim // 2), 2)[1:-1])
        curve.set_data(offsets, share)
        dots.set_data([-offset, offset], [share[reach - offset], share[reach + offset]])
        further = offset + (-1 if offset < 0 else 1)
        found = abs(offset) == first_rise(dim)         # shown only to one who has got there
        rising.set_data([offset] if found else [], [-0.07] if found else [])
        note.set_text(f"first rise: from offset {signed(offset, 0)} to {signed(further, 0)}" if found else "")
        for cursor in cursors:
            cursor.set_x(offset)
        at = offset_similarity([offset, further], inv_freq)
        return (f"Width {dim}, offset {signed(offset, 0)}: similarity {at[0]:.2f} of {dim // 2}, the same at {signed(-offset, 0)}. "
                f"At offset {signed(further, 0)} it is {at[1]:.2f}: {'higher' if at[1] > at[0] else 'lower'}.")
    return update


SIZES = {"entries of size 1/√d": 0.0, "that, times √d (the paper)": 0.5, "entries of size 1, times √d": 1.0}


def loudness(fig, reach=2000, seed=0):
    """How long a position vector is beside a content vector, and where their sum points."""
    fig.set_layout_engine("none")
    grid = fig.add_gridspec(1, 2, width_ratios=[1.25, 1], left=0.1, right=0.98, bottom=0.17, top=0.88, wspace=0.12)
    lines, plane = (fig.add_subplot(grid[0, column]) for column in (0, 1))
    p = np.arange(reach + 1)
    lines.set(xlim=(0, reach), yscale="log", ylim=(0.3, 1e6), xlabel="position (tokens)", ylabel="length of the vector", title="How loud?")
    fixed_ticks(lines.yaxis, [1, 10, 100, 1000, 10_000])
    styles = ((INK, "-.", "index"), (POSITION, "-", "sinusoid"), (CONTENT, "--", "content"))
    curves = [lines.plot([], [], color=c, ls=s, lw=2, zorder=3, animated=True, label=name)[0] for c, s, name in styles]
    lines.legend(loc="upper left", ncols=3, fontsize=9, handlelength=3, columnspacing=0.8, handletextpad=0.5, borderaxespad=0.1)
    cursor = _cursor(lines, on_map=False)
    touch(lines, x="position")
    plane.set(xlim=(-0.15, 1.15), ylim=(-0.3, 1.1), aspect="equal", title="Where the sum points")
    bare(plane)
    arrows = [plane.plot([], [], color=c, ls=s, lw=2.5, marker="o", ms=7, markevery=[1], animated=True)[0]
              for c, s in ((CONTENT, "--"), (POSITION, "-"), (INK, ":"))]
    (arc,) = plane.plot([], [], "-", color=INK, lw=1, animated=True)
    angle = plane.text(0, 0, "", ha="center", va="center", animated=True)
    plane.legend(arrows, ["content", "sinusoid", "sum"], loc="lower center", ncols=3, fontsize=9, handlelength=3, columnspacing=0.8, handletextpad=0.5, borderaxespad=0)

    def update(position, dim, power):
        content = np.random.default_rng(seed).normal(size=dim) / np.sqrt(dim) * dim ** power
        place = sinusoidal_encoding(position, dim)
        c, s = np.linalg.norm(content), np.linalg.norm(place)
        for curve, values in zip(curves, (p * np.sqrt(dim), np.full(p.size, s), np.full(p.size, c))):
            curve.set_data(p, values)
        cursor.set_x(position)
        cosine = content @ place / (c * s)
        beside = np.arccos(cosine)                       # directions alone: every arrow is drawn one long
        turned = np.arctan2(s * np.sin(beside), c + s * cosine)
        for arrow, theta in zip(arrows, (0, beside, turned)):
            arrow.set_data([0, np.cos(theta)], [0, np.sin(theta)])
        arc.set_data(0.3 * np.cos(np.linspace(0, turned)), 0.3 * np.sin(np.linspace(0, turned)))
        angle.set(position=(0.42 * np.cos(max(turned / 2, 0.2)), 0.42 * np.sin(max(turned / 2, 0.2))), text=f"{np.degrees(turned):.0f}°")
        return (f"Width {dim}, position {position}: content has length {c:.2f}, the sinusoid {s:.2f}, {s / c:.2f} times as long. "
                f"The sum points {np.degrees(turned):.0f}° away from the content, a cosine of {signed(np.cos(turned))}. "
                f"An index added to every feature would have length {position * np.sqrt(dim):.0f}.")
    return update


def encoding_maps(fig, positions=128, dim=64):
    """The same encoding twice: as it is stored, feature by feature, and as hands, one row a pair."""
    left, right = fig.subplots(1, 2)
    p, box = np.arange(positions), (-0.5, positions - 0.5)
    heat_map(left, sinusoidal_encoding(p, dim).T, label="value", limits=(-1, 1), extent=(*box, dim - 0.5, -0.5))
    left.set(title="as stored: sin, cos, sin, cos …", xlabel="position (tokens)", ylabel="feature")
    heat_map(right, angles(p, inverse_frequencies(dim)).T, kind="phase", label="angle of the hand (radians)",
             extent=(*box, dim / 2 - 0.5, -0.5))
    right.set(title="as hands: one row a pair", xlabel="position (tokens)", ylabel="pair (0 = fastest)")


def table_edge(fig, table, window=(480, 544)):
    """A learned table beside the sinusoids, across the table's last row."""
    p, dim = np.arange(*window), table.shape[1]
    rows = np.full((p.size, dim), np.nan)
    inside = p < len(table)
    rows[inside] = table[p[inside]]
    for ax, values, name in zip(fig.subplots(1, 2), (rows, sinusoidal_encoding(p, dim)), (f"table of {len(table)} rows", "sinusoids")):
        heat_map(ax, values.T, label="value", limits=(-1, 1), extent=(p[0] - 0.5, p[-1] + 0.5, dim - 0.5, -0.5))
        ax.set(title=name, xlabel="position (tokens)", ylabel="feature")
        ax.axvline(len(table) - 0.5, color=INK, lw=1.5, ls="-")
    fig.axes[0].text((len(table) + p[-1]) / 2, dim / 2, "no rows", ha="center", va="center")


def layout_maps(fig, dim=16, positions=40):
    """The three published orders of the same features."""
    p = np.arange(positions)
    axes = fig.subplots(1, 3, sharey=True)
    for ax, layout in zip(axes, LAYOUTS):
        image = heat_map(ax, sinusoidal_encoding(p, dim, layout=layout).T, limits=(-1, 1), colorbar=False)
        ax.set(title=layout, xlabel="position (tokens)")
    axes[0].set(ylabel="feature", yticks=range(0, dim, 4))
    fig.colorbar(image, ax=axes, label="value")


def distances_from_zero(fig, dim=64, reach=70_000):
    """How far the encoding of each position lies from that of position 0."""
    ax = fig.subplots()
    p = np.arange(1, reach + 1)
    far = np.sqrt(2 * (dim / 2 - offset_similarity(p, inverse_frequencies(dim))))
    # What the pixels can show: the lowest and the highest value in each of 400 equal steps of log position.
    column = np.digitize(np.log(p), np.linspace(0, np.log(reach), 401))
    starts = np.unique(column, return_index=True)[1]
    ax.fill_between(p[starts], np.minimum.reduceat(far, starts), np.maximum.reduceat(far, starts), color=POSITION, lw=1.2)
    ax.axvline(2 * np.pi * 10_000, color=INK, lw=1.5, ls=":")
    ax.text(5.4e4, 1.5, "2π · 10,000", ha="right")
    ax.set(xscale="log", xlim=(1, reach), ylim=(0, 10), xlabel="position (tokens)", ylabel="distance from PE(0)")
