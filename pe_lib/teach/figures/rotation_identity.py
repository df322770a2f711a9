"""The figures of chapter 5 on arrows: lock the offset, rotating against adding, a bias against a rotation, two matrices.

A pair of features is drawn as the point (x, y) = (first, second); a position rotates it counter-clockwise.
"""

import numpy as np

from pe_lib.frequencies import angles, inverse_frequencies
from pe_lib.rotary import pair_contributions, rotate, rotation_matrix
from pe_lib.sinusoidal import encode_angles, offset_matrix
from pe_lib.teach.data.rotation_identity import CONTENTS, FREQUENCIES, K, Q
from pe_lib.teach.plots import CONTENT, FAINT, INK, KEY, KEY_TEXT, POSITION, QUERY, heat_map, signed
from pe_lib.teach.touch import touch


def dial(ax, reach, radii=()):
    """Axes of equal scale through the origin, with a faint circle for each length."""
    around = np.linspace(0, 2 * np.pi, 181)
    for radius in radii:
        ax.plot(radius * np.cos(around), radius * np.sin(around), color=FAINT, lw=0.9, ls="-")
    ax.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal", xlabel="first feature of the pair", ylabel="second feature")


def arrow(ax, color, width=0.016, **style):
    """An arrow from the origin that moves: returns a function of its tip."""
    quiver = ax.quiver([0], [0], [1], [0], color=color, angles="xy", scale_units="xy", scale=1, width=width, animated=True,
                       **({"zorder": 3} | style))
    return lambda tip: quiver.set_UVC([tip[0]], [tip[1]])


def _angle(vector):
    return np.arctan2(vector[1], vector[0])


def _arc(tail, head, radius):
    """The shorter way round from one arrow's direction to another's, as points (2, 60)."""
    start, end = _angle(tail), _angle(head)
    way = start + np.linspace(0, (end - start + np.pi) % (2 * np.pi) - np.pi, 60)
    return radius * np.cos(way), radius * np.sin(way)


def lock_the_offset(fig):
    """A query and a key of two pairs, rotated to their positions, and what each pair adds to the score."""
    fig.set_layout_engine("none")
    grid = fig.add_gridspec(1, 3, width_ratios=[1, 1, 1.05], left=0.07, right=0.985, bottom=0.17, top=0.82, wspace=0.36)
    *dials, bars = (fig.add_subplot(grid[0, column]) for column in range(3))
    arrows, arcs = [], []
    for m, (ax, speed) in enumerate(zip(dials, ("1 radian", "0.1 radian"))):
        pair = slice(2 * m, 2 * m + 2)
        dial(ax, 3.5, radii=(np.linalg.norm(Q[pair]), np.linalg.norm(K[pair])))
        ax.set_title(f"pair {m}: {speed} per token", fontsize=10)
        arrows.append([arrow(ax, QUERY, 0.022), arrow(ax, KEY, 0.022)])
        arcs.append(ax.plot([], [], "-", color=INK, lw=1.5, animated=True)[0])
        touch(ax, angle="query", per=FREQUENCIES[m], start=_angle(Q[pair]))                    # takes the key along
        touch(ax, angle="offset", per=FREQUENCIES[m], start=_angle(K[pair]), plus="query")     # moves the key alone
    dials[1].set_ylabel("")
    heads = [fig.text(x, 0.94, "", color=color, fontsize=12, va="center", animated=True)
             for x, color in ((0.07, QUERY), (0.28, KEY_TEXT), (0.47, INK))]
    lengths = bars.barh([0, 1, 2], [0, 0, 0], 0.55, color=[CONTENT, CONTENT, INK], animated=True)
    numbers = [bars.text(21, row, "", ha="right", va="center", animated=True) for row in range(3)]
    bars.axvline(0, color=INK, lw=0.8, ls="-")
    bars.set(xlim=(-14, 21), ylim=(2.6, -0.6), yticks=[0, 1, 2], yticklabels=["pair 0", "pair 1", "score"], xlabel="dot product")
    bars.set_title("query · key", fontsize=10)

    def update(query, offset):
        key = query + offset
        rotated = rotate(np.array([Q, K]), [query, key], FREQUENCIES)
        parts = pair_contributions(Q, K, offset, FREQUENCIES)
        for m, (pair, arc) in enumerate(zip(arrows, arcs)):
            tips = rotated[:, 2 * m:2 * m + 2]
            for move, tip in zip(pair, tips):
                move(tip)
            arc.set_data(*_arc(*tips, radius=1.1))
        for bar, number, value in zip(lengths, numbers, (*parts, parts.sum())):
            bar.set_width(value)
            number.set_text(signed(value))
        for head, text in zip(heads, (f"query at {query}", f"key at {key}", f"offset {signed(offset, 0)}")):
            head.set_text(text)
        return (f"Query at {query}, key at {key}: the offset, key − query, is {signed(offset, 0)}. Pair 0 adds {signed(parts[0])} and "
                f"pair 1 adds {signed(parts[1])}, so the score is {signed(parts.sum())}.")
    return update


def rotated_or_added(fig, omega=0.3, reach=60):
    """Three words at a position, rotated or with a sinusoid added, and their lengths at every position."""
    left, right = fig.subplots(1, 2, width_ratios=[1, 1.5])
    dial(left, 4.9)
    before = [arrow(left, FAINT, 0.012, zorder=2) for _ in CONTENTS]
    after = [arrow(left, POSITION, 0.018) for _ in CONTENTS]
    for move, content in zip(before, CONTENTS):
        move(content)
    names = [left.text(0, 0, "abc"[n], ha="center", va="center", animated=True, fontsize=11) for n in range(3)]
    left.set_title("grey: the words; purple: at the position", fontsize=10)
    p = np.arange(reach + 1)
    lines = [right.plot([], [], color=POSITION, ls=dash, lw=2.2, label=f"word {name}", animated=True)[0]
             for name, dash in zip("abc", ("-", "--", ":"))]
    cursor = right.axvline(0, color=INK, lw=1, ls="-", animated=True)
    right.set(xlim=(0, reach), ylim=(0, 4.2), xlabel="position (tokens)", ylabel="length of the vector")
    right.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3, borderaxespad=0.2)
    touch(right, x="position")

    def placed(position, way):
        if way == "rotated":
            return np.swapaxes(rotate(np.repeat(CONTENTS[:, None], position.size, axis=1), position, [omega]), 0, 1)
        return CONTENTS + encode_angles(angles(position, [omega]))[:, None]

    def update(position, way):
        everywhere = placed(p, way)                       # (positions, words, 2)
        here = everywhere[position]
        for move, name, tip in zip(after, names, here):
            move(tip)
            name.set_position(tip * (1 + 0.4 / np.linalg.norm(tip)))
        for line, lengths in zip(lines, np.linalg.norm(everywhere, axis=2).T):
            line.set_data(p, lengths)
        cursor.set_xdata([position, position])
        between = [_degrees(a, b) for a, b in (CONTENTS[:2], here[:2])]
        lengths = ", ".join(signed(np.linalg.norm(tip)) for tip in here)
        return (f"Position {position}, {way}: a, b and c have lengths {lengths} (the words alone: 2.24, 3.00, 1.41). "
                f"The angle between a and b is {between[1]:.0f} degrees (the words alone: {between[0]:.0f}).")
    return update


def _degrees(a, b):
    cosine = a @ b / (np.linalg.norm(a) * np.linalg.norm(b))
    return np.degrees(np.arccos(np.clip(cosine, -1, 1)))


def _three_scores(direction, offset, omega, slope):
    """Of keys of length 1 and a query (1, 0): content alone, with a bias, rotated."""
    keys = np.stack([np.cos(direction), np.sin(direction)], axis=-1)
    rotated = pair_contributions([1.0, 0.0], keys, np.full(len(keys), offset), [omega]).sum(axis=-1)
    return keys[:, 0], keys[:, 0] - slope * abs(offset), rotated


def bias_or_rotation(fig, omega=0.3, slope=0.1):
    """Two keys of the same cosine with the query, and what an offset does: a bias shifts the curve down, a rotation sideways."""
    left, right = fig.subplots(1, 2, width_ratios=[1, 1.5])
    dial(left, 1.35, radii=(1,))
    left.set_title("seen from the query", fontsize=10)
    left.quiver([0], [0], [1], [0], color=QUERY, angles="xy", scale_units="xy", scale=1, width=0.02, zorder=3)
    faint, solid = ([arrow(left, color, width, zorder=z) for _ in "AB"] for color, width, z in ((FAINT, 0.012, 2), (KEY, 0.02, 3)))
    names = [left.text(0, 0, name, color=KEY_TEXT, ha="center", va="center", fontsize=12, animated=True) for name in "AB"]
    content = np.radians(np.arange(-180, 181, 3))
    right.set(xlim=(-187, 187), ylim=(-2.15, 1.35), xticks=range(-180, 181, 90), ylabel="score",
              xlabel="direction of the key, from the query (degrees)")
    right.axhline(0, color=FAINT, lw=1, ls="-")
    lines = [right.plot(np.degrees(content), np.cos(content), color=c, ls=s, lw=lw, zorder=z, label=name, animated=True)[0]
             for c, s, lw, z, name in ((CONTENT, (0, (3, 3)), 2.2, 2.6, "content alone"), (INK, (3, (3, 3)), 2.2, 2.5, "with a bias"),
                                       (POSITION, "-", 5, 2, "rotated"))]      # the widest lies lowest: at offset 0 all three show
    heads = [right.text(0, 1.12, name, color=KEY_TEXT, ha="center", fontsize=12, animated=True) for name in "AB"]
    marks = [[right.plot([], [], shape, color=KEY, ms=8, ls="", zorder=5, animated=True)[0] for shape in "os"] for _ in lines]
    (peak,) = right.plot([], [], "D", color=POSITION, mec="white", ms=11, ls="", zorder=4, animated=True)
    right.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3, columnspacing=1.2, handlelength=2.8, borderaxespad=0.2)
    touch(right, x="offset", per=-np.degrees(omega))      # the peak of the rotated curve
    touch(right, x="angle")                               # key A; key B mirrors it

    def update(offset, angle):
        both = np.radians([angle, -angle])
        for line, values in zip(lines, _three_scores(content, offset, omega, slope)):
            line.set_ydata(values)
        values = _three_scores(both, offset, omega, slope)
        for row, pair in zip(marks, values):
            for mark, direction, value in zip(row, (angle, -angle), pair):
                mark.set_data([direction], [value])
        peak.set_data([-np.degrees(offset * omega)], [1])
        for old, new, name, head, direction, aside in zip(faint, solid, names, heads, both, (1, -1)):
            # The names stand a little aside, so that A and B can be read where the keys coincide.
            ends = np.array([[np.cos(way), np.sin(way)] for way in (direction, direction + aside * 0.09)])
            tip, beside = rotate(ends, [offset, offset], [omega])
            old(ends[0])
            new(tip)
            name.set_position(1.2 * beside)
            head.set_x(np.degrees(direction) + aside * (8 if angle < 90 else -8))
        start, biased, rotated = values
        return (f"Offset {signed(offset, 0)}. By content alone A and B score {signed(start[0])} each. The bias makes both "
                f"{signed(biased[0])}. The rotation by {signed(offset * omega)} rad makes A {signed(rotated[0])} and B {signed(rotated[1])}.")
    return update


def two_matrices(fig, offset=3, dim=4):
    """The same rotation twice: R acts on (cos, sin), chapter 2's M on (sin, cos)."""
    inv_freq = inverse_frequencies(dim, base=100)
    axes = fig.subplots(1, 2)
    for ax, matrix, name, order in zip(axes, (rotation_matrix(offset, inv_freq), offset_matrix(offset, inv_freq)),
                                       ("R, this chapter", "M, chapter 2"), (("1st", "2nd"), ("sin", "cos"))):
        heat_map(ax, matrix, limits=(-1, 1), label="entry", annotate=True, aspect="equal")
        names = [f"{m}: {kind}" for m in range(dim // 2) for kind in order]
        ax.set(xticks=range(dim), yticks=range(dim), xticklabels=names, yticklabels=names)
        ax.set(xlabel="from: pair, feature", ylabel="to: pair, feature")
        ax.set_title(f"{name}, offset {offset}", fontsize=11)
        ax.tick_params(labelsize=9, length=0)
