"""The figures of chapter 8, first part: aliases, impostors, and the arcs that training has shown.

A hand is drawn as in rotation: along the x axis at offset 0, then counter-clockwise, its tip at (cos, sin) of its angle.
"""

import numpy as np

from pe_lib.frequencies import angles, inverse_frequencies, offset_similarity
from pe_lib.offsets import min_max_columns, near_aliases, unfinished_pairs, wrap
from pe_lib.sinusoidal import sinusoidal_encoding
from pe_lib.teach.plots import CARD, FAINT, INK, POSITION, WRONG, bare, fixed_ticks, signed
from pe_lib.teach.touch import touch

ALIASES = {"2π − ω": -1, "2π + ω": 1}
TRAINED = {"1,024": 1024, "4,096": 4096, "8,192": 8192, "32,768": 32_768}
BASES = {"10,000": 10_000.0, "500,000": 500_000.0, "1,000,000": 1_000_000.0}


def _dial(ax, color, style):
    """An empty clock face; its hand, its hand one token earlier, and a line of text below."""
    turn = np.linspace(0, 2 * np.pi, 121)
    ax.plot(np.cos(turn), np.sin(turn), color=FAINT, lw=1, ls="-")
    ax.set(xlim=(-1.2, 1.2), ylim=(-1.2, 1.2), aspect="equal")
    bare(ax)
    (before,) = ax.plot([], [], color=color, ls=style, lw=3, alpha=0.3, animated=True)
    (hand,) = ax.plot([], [], color=color, ls=style, lw=3, animated=True)
    return hand, before, ax.text(0, -1.25, "", ha="center", va="top", fontsize=9, animated=True)


def stroboscope(fig, reach=12):
    """Two cosines through the same dots, and the two wheels they belong to, seen once per token."""
    fig.set_layout_engine("none")
    grid = fig.add_gridspec(1, 3, width_ratios=[2.3, 1, 1], left=0.08, right=0.99, bottom=0.2, top=0.84, wspace=0.12)
    waves, *dials = (fig.add_subplot(grid[0, column]) for column in range(3))
    t, p = np.linspace(0, reach, 601), np.arange(reach + 1)
    waves.set(xlim=(-0.3, reach + 0.3), ylim=(-1.25, 1.25), yticks=[-1, 0, 1], xlabel="offset (tokens)", ylabel="cosine")
    curves = [waves.plot([], [], color=color, ls=style, lw=lw, zorder=3, animated=True, label=name)[0]
              for color, style, lw, name in ((POSITION, "-", 2, "ω"), (INK, "--", 1.2, "its alias"))]
    (dots,) = waves.plot([], [], "o", color=INK, ms=6, ls="", zorder=4, animated=True, label="what a token sees")
    waves.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3, handlelength=2.5)
    here = waves.axvline(0, color=INK, ls=":", lw=1.2, zorder=3, animated=True)
    touch(waves, x="offset")
    parts = [_dial(ax, color, style) for ax, color, style in zip(dials, (POSITION, INK), ("-", (0, (2, 1))))]
    for ax, name in zip(dials, ("the wheel of ω", "the wheel of its alias")):
        ax.set_title(name, fontsize=10, fontweight="normal", loc="center")

    def update(offset, frequency, alias):
        speeds = frequency, 2 * np.pi + alias * frequency
        for curve, speed in zip(curves, speeds):
            curve.set_data(t, np.cos(speed * t))
        dots.set_data(p, np.cos(frequency * p))
        here.set_xdata([offset, offset])
        for (hand, before, note), speed in zip(parts, speeds):
            for line, k in ((hand, offset), (before, offset - 1)):
                line.set_data([0, np.cos(k * speed)], [0, np.sin(k * speed)])
            note.set_text(f"{speed:.2f} rad per token,\nseems to turn {signed(wrap(speed))}")
        cosines, sines = (function(offset * np.array(speeds)) for function in (np.cos, np.sin))
        equal, same = (np.isclose(*values, atol=1e-9) for values in (cosines, sines))
        return (f"At offset {offset} the hand of ω = {frequency:.1f} has cosine {signed(cosines[0])} and sine {signed(sines[0])}; "
                f"its alias, {speeds[1]:.2f} rad per token, has {'the same' if equal else 'another'} cosine and "
                f"{'the same' if same else 'the opposite'} sine.")
    return update


def nearly_whole_turns(fig, reach=1000):
    """How far each offset is from a whole number of turns of one pair, and the offsets that hold the record."""
    ax = fig.subplots()
    k = np.arange(1, reach + 1)
    (every,) = ax.plot([], [], ".", color=FAINT, ms=4, ls="", zorder=3, animated=True, label="every offset")
    (best,) = ax.plot([], [], "o", color=POSITION, ms=7, ls="", zorder=4, animated=True, label="nearer than any before")
    (chosen,) = ax.plot([], [], "s", mfc="none", mec=INK, mew=1.5, ms=11, ls="", zorder=5, animated=True, label="your offset")
    ax.set(xscale="log", yscale="log", xlim=(0.85, 1.2 * reach), ylim=(2e-5, 6), xlabel="offset (tokens)",
           ylabel="angle from offset 0 (rad)")
    ax.legend(loc="lower left", ncols=1)
    touch(ax, x="offset")

    def update(offset, frequency):
        left = np.maximum(np.abs(wrap(k * frequency)), 2e-5)
        records = near_aliases(frequency, reach)
        every.set_data(k, left)
        best.set_data(records, left[records - 1])
        chosen.set_data([offset], [left[offset - 1]])
        exact = abs(wrap(offset * frequency))
        return (f"At {frequency:.1f} rad per token, offset {offset} is {offset * frequency / (2 * np.pi):.4f} turns: {exact:.5f} rad from "
                f"where offset 0 stands. Records so far: {', '.join(map(str, records[records <= offset]))}.")
    return update


def impostors(similarity):
    """Of all similarities (n,): the first offset nearer to 0 than offset 1 is (or None), and the nearest past the first peak."""
    nearer = similarity[2:] > similarity[1]
    first = int(nearer.argmax())
    rising = int((np.diff(similarity[:1001]) > 0).argmax())        # the first offset whose next one is more alike
    return first + 2 if nearer[first] else None, rising + int(similarity[rising:].argmax())


def distance_of(offsets, inv_freq):
    """How far apart two encodings are whose positions differ by each of the evenly spaced offsets."""
    return np.sqrt(2 * np.maximum(len(inv_freq) - offset_similarity(offsets, inv_freq), 0.0))


def impostor_finder(fig, columns=400, by_hand=False):
    """How far every offset is from offset 0, as the band that pixels can show, and the nearest impostor from near by.

    Its update marks the nearest dip; by hand the offset ``at``.
    """
    fig.set_layout_engine("none")
    grid = fig.add_gridspec(1, 2, width_ratios=[2, 1], left=0.09, right=0.98, bottom=0.17, top=0.86, wspace=0.12)
    ax, near = fig.add_subplot(grid[0, 0]), fig.add_subplot(grid[0, 1])
    # The band from the lowest to the highest value in each column: 2 * columns points, however long the reach.
    (band,) = ax.fill([0], [0], fc=POSITION, ec=POSITION, lw=1, zorder=3, animated=True, label="every offset")
    levels = [a.axhline(0, color=INK, ls=":", lw=1.5, zorder=4, animated=True, label=name)
              for a, name in ((ax, "the neighbour, offset 1"), (near, None))]
    (mark,) = ax.plot([], [], "o" if by_hand else "^", color=INK, mfc=CARD if by_hand else INK, mew=2, ms=9, ls="", zorder=5, clip_on=False,
                      animated=True, label="your offset" if by_hand else "lowest dip")
    ax.set(xlim=(0, 1), xticks=[0, 0.5, 1], xlabel="offset, as a share of the reach", ylabel="distance from offset 0, in √d")
    (ours,) = near.plot([], [], "-", color=POSITION, lw=5, alpha=0.45, zorder=3, animated=True, label="around 0")
    (theirs,) = near.plot([], [], "o-", color=INK, ms=4, lw=1.2, zorder=3, animated=True, label="around it")      # both show where they coincide
    near.set(xlim=(-12.5, 12.5), xlabel="tokens from it", yticks=[])
    for a in (ax, near):
        a.set_ylim(-0.16, 1.6)
        a.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3, fontsize=9, handlelength=1.5, columnspacing=0.8)
    step = np.arange(-12, 13)

    def update(dim, base, reach, at=None):
        inv_freq, unit = inverse_frequencies(dim, base), np.sqrt(dim)
        similarity = offset_similarity(range(reach + 1), inv_freq)    # of an array it would first have to see that it is evenly spaced
        low, high = min_max_columns(similarity, columns)
        across, edges = (np.arange(len(low)) + 0.5) / len(low), np.maximum(dim - 2 * np.append(high, low[::-1]), 0.0) ** 0.5
        band.set_xy(np.stack([np.append(across, across[::-1]), edges / unit], axis=1))
        first, best = impostors(similarity)
        best = at if by_hand else best
        gaps = np.linalg.norm(sinusoidal_encoding([1, best], dim, base) - sinusoidal_encoding([0], dim, base), axis=1)
        for line in levels:
            line.set_ydata([gaps[0] / unit] * 2)
        mark.set_data([best / reach], [gaps[1] / unit - (0 if by_hand else 0.1)])
        around = [distance_of(start + step, inv_freq) for start in (best, 0)]
        for line, distances in zip((theirs, ours), around):
            line.set_data(step, distances / unit)
        apart = f"Within 12 tokens the two curves on the right differ by up to {np.abs(np.subtract(*around)).max():.3f}."
        if by_hand:
            return (f"Width {dim}: offset {at} lies {gaps[1]:.3f} from offset 0, the neighbour, offset 1, lies {gaps[0]:.3f} away. "
                    f"{_verdict(at, *gaps)} {apart}")
        found = f"the first offset nearer to 0 than its neighbour is {first:,}" if first else "no offset is nearer to 0 than its neighbour"
        return (f"Width {dim}, base {base:,.0f}, offsets up to {reach:,}: {found}. The lowest dip past the first peak is at {best:,}, "
                f"{gaps[1]:.3f} away; the neighbour, offset 1, is {gaps[0]:.3f} away. {apart}")
    return update


def _verdict(offset, neighbour, distance):
    """What an offset is beside the neighbour, offset 1."""
    if offset < 2:
        return "Offset 0 is the token itself." if offset == 0 else "This is the neighbour."
    return f"Offset {offset} is {'an' if distance < neighbour else 'no'} impostor."


def impostor_hunt(fig, reach=1000, base=10_000.0):
    """The finder up to one reach, where the hand chooses the offset."""
    update = impostor_finder(fig, by_hand=True)
    ax = fig.axes[0]
    ax.set_xticks(np.linspace(0, 1, 6), [f"{offset:,.0f}" for offset in np.linspace(0, reach, 6)])
    ax.set_xlabel("offset (tokens)")
    touch(ax, x="offset", per=1 / reach)
    return lambda offset, dim: update(dim, base, reach, offset)


def arcs(fig, dim=128):
    """How much of its circle each pair has shown in training, and how much more a longer text asks of it."""
    fig.set_layout_engine("none")
    grid = fig.add_gridspec(2, 1, height_ratios=[1.1, 1], left=0.11, right=0.98, bottom=0.15, top=0.9, hspace=0.18)
    circle, turns = (fig.add_subplot(grid[row, 0]) for row in (0, 1))
    m = np.arange(dim // 2)
    bars = [circle.vlines(m, 0, 0, color=color, lw=lw, zorder=3, animated=True, label=name)
            for color, lw, name in ((POSITION, 5, "seen in training"), (WRONG, 5, "never seen, met now"))]
    circle.set(xlim=(-1, dim / 2), ylim=(0, 1.02), yticks=[0, 1], yticklabels=["0", "full turn"], ylabel="its circle")
    circle.tick_params(labelbottom=False)
    circle.legend(loc="lower center", bbox_to_anchor=(0.5, 0.98), ncols=2)
    points = [turns.plot([], [], mark, color=color, ms=4, ls="", zorder=3, animated=True)[0]
              for mark, color in ((".", POSITION), ("+", WRONG))]
    turns.axhline(1, color=INK, lw=1.2, ls="--")
    turns.set(xlim=(-1, dim / 2), yscale="log", ylim=(1e-3, 1e6), xlabel="pair (0 = fastest)", ylabel="turns")
    fixed_ticks(turns.yaxis, [1e-2, 1, 1e2, 1e4], ["0.01", "1", "100", "10,000"])
    turns.text(0.2, 1.6e-3, "below the line: unfamiliar angles ahead", fontsize=9, va="bottom")
    turns.text(dim / 2 - 1, 3e5, "above it: every angle comes back", fontsize=9, ha="right", va="top")

    def update(times, trained, base):
        inv_freq = inverse_frequencies(dim, base)
        before, after = (angles(length, inv_freq) / (2 * np.pi) for length in (trained, times * trained))
        seen, met = np.minimum(before, 1), np.minimum(after, 1)
        for bar, low, high in ((bars[0], 0 * seen, seen), (bars[1], seen, met)):
            bar.set_segments(np.stack([np.stack([m, low], -1), np.stack([m, high], -1)], axis=1))
        for line, values in zip(points, (before, after)):
            line.set_data(m, values)
        unfinished = unfinished_pairs(inv_freq, trained)
        new, count = int((met > seen).sum()), int(unfinished.sum())
        return (f"Trained on {trained:,} tokens at base {base:,.0f}: {count} of {dim // 2} pairs never completed a turn. At "
                f"{times * trained:,} tokens {new} pairs meet angles they have never shown; the slowest has shown "
                f"{100 * seen[-1]:.1f} % of its circle, the fastest has been round about {before[0]:,.0f} times.")
    return update
