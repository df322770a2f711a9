"""The figures of chapter 8, second part: rules that stretch the frequencies, and a head that was taught before they did."""

import functools

import numpy as np

from pe_lib.frequencies import angles, wavelengths
from pe_lib.offsets import unfinished_pairs
from pe_lib.scaling import dynamic_ntk, interpolate, llama3, longrope, ntk, ramp_by_pair, ramp_by_turns, yarn
from pe_lib.teach.data.long_context import BASE, DIM, INV_FREQ, L, PHI3_LONG
from pe_lib.teach.figures.long_context import distance_of
from pe_lib.teach.plots import FAINT, INK, NEUTRAL, POSITION, fixed_ticks, signed

# name -> factor -> (frequencies, attention factor); at `factor` times the trained length
RULES = {
    "unchanged": lambda s: (INV_FREQ, 1.0),
    "position interpolation": lambda s: (interpolate(INV_FREQ, s), 1.0),
    "NTK-aware": lambda s: (ntk(DIM, BASE, s), 1.0),
    "dynamic NTK, at the full length": lambda s: (dynamic_ntk(DIM, BASE, s, s * L, L), 1.0),
    "YaRN, ramp in turns (paper)": lambda s: yarn(INV_FREQ, s, ramp_by_turns(INV_FREQ, L)),
    "YaRN, ramp in pairs (code)": lambda s: yarn(INV_FREQ, s, ramp_by_pair(DIM, BASE, L)),
    "Llama 3": lambda s: (llama3(INV_FREQ, s, trained=L), 1.0),
    "LongRoPE, Phi-3's list": lambda s: longrope(INV_FREQ, PHI3_LONG, PHI3_LONG, s * L, L, s),
}


def overrun(inv_freq, factor):
    """How many pairs that never completed a turn go beyond the arc they have shown, at that many trained lengths."""
    unfinished = unfinished_pairs(INV_FREQ, L)
    return int((inv_freq[unfinished] * factor > INV_FREQ[unfinished] * (1 + 1e-9)).sum())


def ratio_curves(fig, reach=24):
    """What share of its frequency each pair keeps under a rule, and how far apart near tokens are then."""
    fig.set_layout_engine("none")
    grid = fig.add_gridspec(1, 2, width_ratios=[1.35, 1], left=0.09, right=0.98, bottom=0.17, top=0.85, wspace=0.22)
    shares, near = fig.add_subplot(grid[0, 0]), fig.add_subplot(grid[0, 1])
    m, k, turns = np.arange(DIM // 2), np.arange(reach + 1), L / wavelengths(INV_FREQ)
    looks = ((INK, ":", 1.5, "unchanged"), (NEUTRAL, "-.", 1.5, "interpolation"), (NEUTRAL, "--", 1.5, "NTK-aware"),
             (POSITION, "-", 2.5, "your rule"))
    lines = [[ax.plot([], [], color=color, ls=style, lw=lw, zorder=3, animated=True)[0] for color, style, lw, _ in looks]
             for ax in (shares, near)]
    for count, name in ((32, "32 turns"), (1, "1 turn")):
        shares.axvline((turns >= count).sum() - 0.5, color=FAINT, lw=1, ls="-")
        shares.text((turns >= count).sum() - 0.8, 0.0125, name, fontsize=9, ha="right", va="bottom")
    shares.set(xlim=(-0.5, DIM / 2 - 0.5), yscale="log", ylim=(0.012, 1.25))
    shares.set(xlabel="pair (0 = fastest)", ylabel="share of its frequency kept")
    fixed_ticks(shares.yaxis, [1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1], ["1/64", "1/32", "1/16", "1/8", "1/4", "1/2", "1"])
    near.set(xlim=(0, reach), ylim=(0, 8), xlabel="offset (tokens)", ylabel="distance from offset 0")
    fig.legend(lines[0], [look[3] for look in looks], loc="upper center", ncols=4, bbox_to_anchor=(0.53, 1.0), handlelength=2.5)

    def update(factor, rule):
        chosen, attention = RULES[rule](factor)
        made = [INV_FREQ, RULES["position interpolation"](factor)[0], RULES["NTK-aware"](factor)[0], chosen]
        for line, away, inv_freq in zip(*lines, made):
            line.set_data(m, inv_freq / INV_FREQ)
            away.set_data(k, distance_of(k, inv_freq))
        ratio, apart = INV_FREQ / chosen, [distance_of([1], inv_freq)[0] for inv_freq in (chosen, INV_FREQ)]
        return (f"{rule[0].upper() + rule[1:]}, factor {factor}: the fastest pair is divided by {ratio[0]:.2f}, the slowest by "
                f"{ratio[-1]:.2f}. Neighbours are {apart[0]:.2f} apart ({apart[1]:.2f} unchanged). At {factor * L:,} tokens "
                f"{overrun(chosen, factor)} pairs leave the arc they have shown. Scores are multiplied by {attention ** 2:.3f}.")
    return update


def patterns(offsets, inv_freq):
    """What a head's score against offset is made of: the cosine and the sine of every pair's angle, (n,) -> (n, dim)."""
    theta = angles(offsets, inv_freq)
    return np.concatenate([np.cos(theta), np.sin(theta)], axis=-1)


def teach(target, inv_freq):
    """The weights with which a head's scores come nearest to a target at offsets 0 .. n - 1, kept from growing large."""
    seen = patterns(np.arange(len(target)), inv_freq)
    return np.linalg.solve(seen.T @ seen + np.eye(seen.shape[1]), seen.T @ target)


@functools.cache
def _lesson_learnt():
    """The weights of the head that was taught "the farther, the lower" on offsets below L."""
    return teach(-np.arange(L) / 1000, INV_FREQ)


def after_the_lesson(factor, rule):
    """What that head says under a rule, at 1601 offsets up to factor times L, and how far it is off the stretched lesson at most."""
    offsets = np.linspace(0, factor * L, 1601)
    scores = patterns(offsets, RULES[rule](factor)[0]) @ _lesson_learnt()
    return offsets, scores, float(np.abs(scores + offsets / factor / 1000).max())


def taught_head_stretched(fig):
    """A head was taught "the farther, the lower" on offsets below L; what it says beyond, under a rule."""
    fig.set_layout_engine("none")
    ax = fig.add_axes([0.09, 0.18, 0.89, 0.67])
    (wished,) = ax.plot([], [], ":", color=INK, lw=1.5, zorder=3, animated=True, label="the lesson, stretched")
    (says,) = ax.plot([], [], "-", color=POSITION, lw=1.5, zorder=4, animated=True, label="what the head says")
    (end,) = ax.plot([], [], "--", color=INK, lw=1.2, zorder=3, animated=True, label="end of training")
    ax.set(xlim=(0, 1), ylim=(-5.6, 2), xlabel="offset, in trained lengths (4,096 tokens)", ylabel="score")
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3, handlelength=2.5)

    def update(factor, rule):
        offsets, scores, worst = after_the_lesson(factor, rule)
        wished.set_data(offsets / L, -offsets / factor / 1000)
        says.set_data(offsets / L, scores)
        end.set_data([1, 1], [-5.6, 2])
        ax.set_xlim(0, factor)
        if scores[-1] > 0:
            meant = "more than it was taught for any offset"
        elif scores[-1] < -(L - 1) / 1000:
            meant = "less than it was taught for any offset"
        else:
            meant = f"what it was taught for offset {-1000 * scores[-1]:,.0f}"
        return (f"{rule[0].upper() + rule[1:]}, factor {factor}: at offset {factor * L:,} the head says {signed(scores[-1])}, {meant}. "
                f"On the way it is off the stretched lesson by up to {worst:.2f}.")
    return update
