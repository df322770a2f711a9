"""The figures of chapter 9, first part: what tools/evaluate.py measured on the trained decoders, past the trained length."""

import functools

import numpy as np

from pe_lib.teach.plots import CARD, CONTENT, FAINT, INK, KEY, NEUTRAL, POSITION, QUERY, fixed_ticks
from pe_lib.teach.touch import touch
from pe_lib.weights import TRAINED, TUNED, evaluation

LENGTHS = (64, 128, 256, 512, 1024)
# What the menu says -> the scheme in the table, and its line.
SCHEMES = {"rotary": "rotary", "sinusoidal": "sinusoidal", "learned": "learned", "ALiBi": "alibi", "T5": "t5", "no positions": "none",
           "rotary, base 10": "rotary_base_10"}
COLORS = {"rotary": QUERY, "rotary_base_10": QUERY, "sinusoidal": POSITION, "learned": CONTENT, "alibi": KEY, "t5": KEY, "none": NEUTRAL}
FIXES = ("none", "interpolation", "NTK-aware base", "YaRN, β = 4", "YaRN, β = 32")
JUDGES = {"filler loss": "loss of the filler (nats)", "retrieval": "retrieval (share right)", "order": "order (share right)"}
CHANCE = {"retrieval": 0.34, "order": 1 / 16}         # one of the values that were told, of which two may be equal; one of sixteen signs
NEIGHBOUR = 0.33             # of order, for whoever finds the sign one place too near and names what most often stands before that one


@functools.cache
def table():
    """The stored rows by (scheme, trained further with, fix, length): a list of the seeds' rows."""
    rows = {}
    for row in evaluation():
        rows.setdefault((row["scheme"], row["trained further with"], row["fix"], row["length"]), []).append(row)
    return rows


def measured(scheme, fix, length, judge, further=""):
    """One number for each seed, (seeds,) or (seeds, depths); no seeds where the scheme has nothing at this length."""
    key = (scheme, further, "as trained" if fix == "none" else fix, length)
    for value, known in zip(key, zip(*table(), strict=True), strict=True):
        if value not in known and value not in (*SCHEMES.values(), *FIXES, *LENGTHS):
            raise ValueError(f"{value!r} is not in the stored table: it has {sorted(set(known), key=str)}")
    return np.array([row[judge] for row in table().get(key, [])])


def percent(share):
    return f"{100 * share:.0f}\u00a0%"


def three_judges(fig):
    """Three graphs against the length of the text, from the trained 64 tokens to 1,024: the loss of the filler, the share of values
    recalled, the share of order questions answered. Thin lines are seeds, the thick line their mean."""
    axes = fig.subplots(1, 3)
    seeds, means, marks = [], [], []
    for ax, (judge, label) in zip(axes, JUDGES.items()):
        ax.set(xscale="log", xlim=(58, 1150), xlabel="length (tokens)")
        ax.set_title(label, fontsize=10, fontweight="normal")
        fixed_ticks(ax.xaxis, LENGTHS, ["64", "128", "256", "512", "1,024"])
        ax.set_ylim((2, 2.85) if judge == "filler loss" else (0, 1.05))
        if judge in CHANCE:
            ax.axhline(CHANCE[judge], color=INK, lw=1, ls=(0, (1, 2)))
            ax.text(72, CHANCE[judge] + 0.02, "guessing", fontsize=8, color=INK)
        if judge == "order":
            ax.axhline(NEIGHBOUR, color=INK, lw=1, ls=(0, (1, 2)))
            ax.text(1100, NEIGHBOUR + 0.02, "one place off", ha="right", fontsize=8, color=INK)
        ax.axvspan(ax.get_xlim()[0], TRAINED * 1.06, color=FAINT, alpha=0.35, lw=0)
        seeds.append([ax.plot([], [], lw=1, alpha=0.55, animated=True)[0] for _ in range(3)])
        means.append(ax.plot([], [], "o-", lw=2.5, ms=5, animated=True)[0])
        marks.append(ax.plot([], [], "o", mfc="none", mec=INK, mew=2, ms=13, ls="", animated=True)[0])
        touch(ax, x="length")
    axes[0].text(TRAINED * 1.12, 2.02, "◂ trained on", fontsize=8, color=NEUTRAL)

    def update(length, scheme, fix):
        length = nearest(length)
        used = fix if scheme.startswith("rotary") else "none"
        found = {}
        for judge, thin, mean, mark in zip(JUDGES, seeds, means, marks):
            columns = {n: measured(scheme, used, n, judge) for n in LENGTHS}
            columns = {n: values for n, values in columns.items() if len(values)}
            for number, line in enumerate(thin):
                there = number < len(next(iter(columns.values())))
                line.set_data(list(columns) if there else [], [values[number] for values in columns.values()] if there else [])
            mean.set_data(list(columns), [values.mean() for values in columns.values()])
            for line in (*thin, mean):
                line.set_color(COLORS[scheme])
            found[judge] = columns.get(length)
            mark.set_data([length] if found[judge] is not None else [], [found[judge].mean()] if found[judge] is not None else [])
        return said_of(length, scheme, fix, used, found)
    return update


def nearest(length):
    """The evaluated length that is nearest on the logarithmic axis."""
    return min(LENGTHS, key=lambda n: abs(np.log(n / length)))


def said_of(length, scheme, fix, used, found):
    """The sentence of `three_judges`."""
    name = next(word for word, key in SCHEMES.items() if key == scheme)
    head = f"{name[0].upper()}{name[1:]}{'' if used == 'none' else ', ' + used}, at {length:,} tokens ({length // TRAINED} × the trained length)"
    if found["retrieval"] is None:
        return f"{head}: a learned table of {TRAINED} rows has no vector for position {TRAINED}, so nothing can be computed here."
    aside = "" if used == fix else " (These fixes are for rotary models; nothing was changed here.)"
    spread = {judge: values.max() - values.min() for judge, values in found.items()}
    return (f"{head}: the filler's loss is {found['filler loss'].mean():.2f} nats, {percent(found['retrieval'].mean())} of the values are recalled "
            f"and {percent(found['order'].mean())} of the order questions are right. From the worst seed to the best: "
            f"{spread['filler loss']:.2f} nats, {100 * spread['retrieval']:.0f} and {100 * spread['order']:.0f} points.{aside}")


def by_depth(fig):
    """Four bars, one for each depth at which a value was told, from the farthest to the nearest: how often it is recalled. A dot is a seed."""
    ax = fig.subplots()
    bars = ax.bar(range(4), np.zeros(4), width=0.6, animated=True)
    dots = [ax.plot([], [], "o", color=INK, ms=5, ls="", animated=True)[0] for _ in range(3)]
    ax.axhline(CHANCE["retrieval"], color=INK, lw=1, ls=(0, (1, 2)))
    ax.text(0.5, CHANCE["retrieval"] + 0.02, "guessing", ha="center", fontsize=8, color=INK, bbox={"fc": CARD, "ec": "none", "pad": 1})
    ax.set(xlim=(-0.5, 3.5), ylim=(0, 1.05), xticks=range(4), ylabel="share of values recalled", xlabel="where the value was told")
    ax.set_xticklabels(["first quarter\n(farthest back)", "second", "third", "last quarter\n(nearest)"])

    def update(length, scheme):
        found = measured(scheme, "none", length, "retrieval by depth")
        for bar, height in zip(bars, found.mean(axis=0) if len(found) else np.zeros(4)):
            bar.set_height(height)
            bar.set_color(COLORS[scheme])
        for number, dot in enumerate(dots):
            dot.set_data(*((range(4), found[number]) if number < len(found) else ([], [])))
        name = next(word for word, key in SCHEMES.items() if key == scheme)
        if not len(found):
            return f"{name}, {length:,} tokens: the learned table has only {TRAINED} rows, so there is nothing to measure."
        far, near = found.mean(axis=0)[[0, 3]]
        kept = "the farthest value is kept best" if far > near + 0.1 else "the nearest value is kept best" if near > far + 0.1 else "far and near do not differ by much"
        return (f"{name[0].upper()}{name[1:]}, {length:,} tokens: {percent(far)} of the values told farthest back are recalled, and {percent(near)} "
                f"of the nearest: {kept}.")
    return update


FURTHER = {"nothing": "plain", "interpolation": "pi", "YaRN, β = 4": "yarn"}


def trained_further(fig):
    """Two groups of bars at 256 tokens, before and after 60 more training steps at that length, for each judge. A dot is a seed."""
    axes = fig.subplots(1, 3)
    parts = []
    for ax, (judge, label) in zip(axes, JUDGES.items()):
        ax.set(xlim=(-0.6, 1.6), xticks=[0, 1], xticklabels=["before", "after 60 steps"])
        ax.set_ylim((0, 3) if judge == "filler loss" else (0, 1.05))
        ax.set_title(label, fontsize=10, fontweight="normal")
        if judge in CHANCE:
            ax.axhline(CHANCE[judge], color=INK, lw=1, ls=(0, (1, 2)))
        bars = ax.bar([0, 1], [0, 0], width=0.6, color=[FAINT, QUERY], animated=True)
        parts.append((bars, [ax.plot([], [], "o", color=INK, ms=5, ls="", animated=True)[0] for _ in range(2)]))

    def update(fix):
        means = {}
        for judge, (bars, dots) in zip(JUDGES, parts):
            before = measured("rotary", "none" if fix == "nothing" else fix, TUNED, judge)[:2]
            after = measured("rotary", "none", TUNED, judge, FURTHER[fix])
            for bar, dot, place, values in zip(bars, dots, (0, 1), (before, after)):
                bar.set_height(values.mean())
                dot.set_data([place] * len(values), values)
            means[judge] = before.mean(), after.mean()
        head = "Frequencies unchanged" if fix == "nothing" else fix[0].upper() + fix[1:]
        return (f"{head}: 60 steps of training at {TUNED} tokens take the filler's loss from {means['filler loss'][0]:.2f} to "
                f"{means['filler loss'][1]:.2f} nats, retrieval from {percent(means['retrieval'][0])} to {percent(means['retrieval'][1])}, "
                f"and order from {percent(means['order'][0])} to {percent(means['order'][1])}.")
    return update
