"""The figures of chapter 12: the examination bench with its four instruments, and tolerances against rounding."""

import numpy as np
from matplotlib.patches import Rectangle

from pe_lib.frequencies import inverse_frequencies
from pe_lib.layouts import LAYOUTS, feature_pairs
from pe_lib.precision import FORMATS, angle_error
from pe_lib.teach.figures.bug_clinic_tests import BENCH, healthy
from pe_lib.teach.plots import CONTENT, FAINT, FORMAT_LINES, INK, NEUTRAL, WRONG, bare, heat_map
from pe_lib.teach.touch import touch

DIM, SPAN = 8, 24
LARGEST_FLOAT16 = 65_504
ON_BENCH = {"healthy": BENCH["healthy"], "healthy, half-split": healthy("half"), "healthy, clockwise": healthy(sign=-1),
            **{name: rope for name, rope in BENCH.items() if name not in ("healthy", "patient A")}}      # A opens the chapter: a surprise
CALLS = {"one text": "text", "second text of a batch": "batch", "the same array, a second time": "again"}


def called(rope, x, start, way):
    """The turned rows of a text x (n, dim) that begins at a position, called in one of three ways."""
    positions, x = start + np.arange(len(x)), x.copy()
    if way == "batch":
        return rope(np.stack([x, x]), positions)[1]
    if way == "again":
        rope(x, positions)
    return rope(x, positions)


def matrix(rope, position, way="text", dim=DIM):
    """What the function makes of each unit vector at a position, first in a text of four tokens: (dim, dim), column by column."""
    return np.stack([called(rope, np.tile(unit, (4, 1)), position, way)[0] for unit in np.eye(dim)], axis=1)


def read_angles(turned, reference):
    """The angle of each pair in a matrix (dim, dim), radians: pairs and sense of turning are those that fit ``reference`` best."""
    def left_over(pairs):
        inside = np.zeros(reference.shape, bool)
        inside[pairs[:, :, None], pairs[:, None, :]] = True
        return np.abs(reference[~inside]).sum()
    moving = int((np.abs(reference - np.eye(len(reference))).max(axis=1) > 1e-9).sum()) // 2 * 2 or len(reference)
    first, second = min((feature_pairs(moving, layout) for layout in LAYOUTS), key=left_over).T
    sense = -1 if reference[second[0], first[0]] < 0 else 1
    return sense * np.arctan2(turned[second, first] - turned[first, second], turned[first, first] + turned[second, second])


def off_the_law(rope, position, way="text", dim=DIM):
    """|angle read − position × frequency| of each pair, radians, whole turns left out."""
    angles = read_angles(matrix(rope, position, way, dim), matrix(rope, 1, way, dim))
    missing = angles - position * inverse_frequencies(2 * angles.size)
    return np.abs((missing + np.pi) % (2 * np.pi) - np.pi)


def scores_by_gap(rope, start, way="text"):
    """q at a start against k at start + offset, offset 0 ... SPAN - 1."""
    q, k = (np.tile(row / np.linalg.norm(row), (SPAN, 1)) for row in np.random.default_rng(3).normal(size=(2, DIM)))
    return called(rope, k, start, way) @ called(rope, q, start, way)[0]


def _beds(ax):
    """The patients in a row, to be chosen by hand; the frame round the chosen one."""
    ax.set(xlim=(-0.5, len(ON_BENCH) - 0.5), ylim=(0, 1))
    bare(ax)
    for place, name in enumerate(ON_BENCH):
        ax.add_patch(Rectangle((place - 0.46, 0), 0.92, 1, fc="#E9E9E2", ec="none"))
        ax.text(place, 0.5, name.removeprefix("patient ").replace("healthy, ", "healthy,\n"), ha="center", va="center", fontsize=8, linespacing=1)
    touch(ax, x="patient")
    return ax.add_patch(Rectangle((0, 0), 0.92, 1, fill=False, ec=INK, lw=2.5, clip_on=False, animated=True))


def bench(fig):
    """Four instruments at once: where features go, lengths, scores against the offset from three starts, angles minus p × speed."""
    fig.set_layout_engine("none")
    beds = _beds(fig.add_axes((0.075, 0.91, 0.91, 0.08)))
    grid = fig.add_gridspec(2, 2, left=0.075, right=0.985, bottom=0.115, top=0.815, wspace=0.3, hspace=0.8, width_ratios=[1, 1.35])
    maps, lengths, law, gaps = (fig.add_subplot(grid[place]) for place in ((0, 0), (0, 1), (1, 0), (1, 1)))
    image = heat_map(maps, np.zeros((DIM, DIM)), limits=(-1, 1), label="factor", aspect="equal", animated=True)
    maps.set(xlabel="from feature", ylabel="to feature", xticks=range(0, DIM, 2), yticks=range(0, DIM, 2))
    (ratio,) = lengths.plot([], [], color=CONTENT, marker="o", ms=3, zorder=3, animated=True)
    for ax, title in ((maps, "1  features"), (lengths, "2  length"), (law, "3  angle − p × speed"), (gaps, "4  score")):
        ax.set_title(title, loc="left", fontsize=11)
    lengths.axhline(1, color=FAINT, lw=1)
    lengths.set(xlim=(-0.5, SPAN - 0.5), ylim=(0, 2), xlabel="token of the text", ylabel="after / before")
    law.axhline(0, color=FAINT, lw=1)
    (points,) = law.plot([], [], "o-", color=WRONG, ms=5, zorder=3, animated=True)
    note = law.text(0.5, 0.5, "0: nothing is wrong", color=NEUTRAL, fontsize=10, ha="center", transform=law.transAxes, animated=True)
    law.set(xlim=(-0.3, DIM // 2 - 0.7), ylim=(-0.15, np.pi + 0.1), xticks=range(DIM // 2), yticks=[0, np.pi / 2, np.pi],
            yticklabels=["0", "π/2", "π"], xlabel="pair (0: fastest)", ylabel="off by (rad)")
    curves = [gaps.plot([], [], color=color, ls=dash, lw=width, label=name, zorder=3, animated=True)[0] for color, dash, width, name in (
        (FAINT, "-", 5, "text at 0"), (NEUTRAL, "--", 2.5, "at p"), (INK, ":", 2, "at p + 1,000"))]
    gaps.set(xlim=(0, SPAN - 1), ylim=(-1.4, 1.4), xlabel="offset = key − query (tokens)", ylabel="score")
    gaps.legend(loc="lower right", bbox_to_anchor=(1.02, 0.97), ncols=3, fontsize=9, handlelength=1.7, columnspacing=0.8)

    def update(patient, position, way):
        rope = ON_BENCH[patient]
        beds.set_x(list(ON_BENCH).index(patient) - 0.46)
        image.set_data(matrix(rope, position, way))
        x = np.random.default_rng(5).normal(size=(SPAN, DIM))
        change = np.linalg.norm(called(rope, x, position, way), axis=1) / np.linalg.norm(x, axis=1)
        ratio.set_data(np.arange(SPAN), change)
        missing = off_the_law(rope, position, way)
        points.set_data(np.arange(missing.size), missing)
        note.set_visible(missing.max() < 1e-9)
        scores = [scores_by_gap(rope, start, way) for start in (0, position, position + 1000)]
        for curve, values in zip(curves, scores):
            curve.set_data(np.arange(SPAN), values)
        apart = np.ptp(scores, axis=0).max()
        curved = f"part by {apart:.2f}" if apart >= 0.005 else "coincide (they part by 0.00)"
        return (f"{patient[0].upper() + patient[1:]}, a text from position {position:,}: lengths from {change.min():.2f} to {change.max():.2f} of what they "
                f"were; the three score curves {curved}; the angles of pairs are off p × speed by up to {missing.max():.2f} rad.")
    return update


def tolerances(fig, furthest=6):
    """The largest angle error of three formats against position, and a tolerance, fixed or growing with the position."""
    ax = fig.subplots()
    positions = np.unique(np.logspace(0, furthest, 400).round())
    lines = [ax.plot([], [], color=FORMAT_LINES[form][0], ls=FORMAT_LINES[form][1], label=form, zorder=3, animated=True)[0] for form in FORMATS]
    (limit,) = ax.plot([], [], color=INK, ls=":", lw=2.5, label="tolerance", zorder=3, animated=True)
    ax.axhline(np.pi, color=FAINT, lw=1)
    ax.text(1.15, np.pi * 1.15, "π: noise", fontsize=9, va="bottom")
    ax.set(xscale="log", yscale="log", xlim=(1, 10**furthest), ylim=(1e-9, 100), xlabel="position (tokens)", ylabel="largest angle error (rad)")
    touch(ax, y="tolerance")                                         # one that grows: by its left end, at position 1
    ax.legend(loc="lower right", bbox_to_anchor=(0.79, 0), ncols=2, fontsize=9)
    ax.axvline(LARGEST_FLOAT16, color=FAINT, lw=1)
    ax.text(LARGEST_FLOAT16 * 1.1, 2e-9, "float16 ends\nat 65,504", fontsize=9, va="bottom")

    def update(tolerance, grows, base):
        inv_freq, told = inverse_frequencies(128, base), []
        allowed = tolerance * (positions if grows else np.ones_like(positions))
        for line, form in zip(lines, FORMATS):
            error = np.minimum(angle_error(positions, inv_freq, form).max(axis=-1), 1e9)
            line.set_data(positions, np.maximum(error, 1e-12))
            over = positions[error > allowed]
            told.append(f"{form} first exceeds it at position {over[0]:,.0f}" if over.size else f"{form} never exceeds it")
        limit.set_data(positions, allowed)
        return f"Tolerance {tolerance:.2g} rad{' times the position' if grows else ''}, at the positions drawn: {'; '.join(told)}."
    return update
