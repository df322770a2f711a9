"""The figures of chapter 5 on scores: what each pair adds, the decay myth, and what is built in against what is learned."""

import numpy as np
from matplotlib.patches import Rectangle

from pe_lib.frequencies import inverse_frequencies, offset_similarity
from pe_lib.rotary import pair_contributions, rotate
from pe_lib.teach.plots import CONTENT, FAINT, INK, POSITION, heat_map, signed
from pe_lib.teach.touch import touch

DIM = 16


def _two_words(seed):
    q, k = np.random.default_rng(seed).normal(size=(2, DIM))
    return q, k


CONTENTS = {
    "key = query, all pairs alike": (np.tile([1.0, 0.0], DIM // 2),) * 2,
    "two random words": _two_words(0),
    "two other words": _two_words(1),
    "only pair 3 is not zero": (np.eye(DIM)[6], np.eye(DIM)[6] + np.eye(DIM)[7]),
}


def pair_parts(fig, reach=64):
    """What each pair adds to a score, at every offset; the same at one offset; and their sum."""
    fig.set_layout_engine("none")
    grid = fig.add_gridspec(2, 3, height_ratios=[1.15, 1], width_ratios=[1, 0.25, 0.025], left=0.1, right=0.89,
                            bottom=0.13, top=0.92, hspace=0.22, wspace=0.1)
    field, profile, bar = (fig.add_subplot(grid[0, column]) for column in range(3))
    total = fig.add_subplot(grid[1, 0], sharex=field)
    offsets, pairs = np.arange(-reach, reach + 1), np.arange(DIM // 2)
    box = (-reach - 0.5, reach + 0.5, DIM / 2 - 0.5, -0.5)
    image = heat_map(field, np.zeros((pairs.size, offsets.size)), limits=(-2, 2), colorbar=False, animated=True, extent=box)
    fig.colorbar(image, cax=bar, label="added to the score", ticks=[-2, 0, 2])
    field.set(yticks=pairs, ylabel="pair (0: fastest)")
    field.set_title("what each pair adds …", fontsize=11)
    field.tick_params(labelbottom=False)
    profile.set(xlim=(-2.2, 2.2), ylim=box[2:], yticks=[], xticks=[-2, 0, 2], xlabel="at this offset")
    profile.axvline(0, color=FAINT, lw=1, ls="-")
    bars = profile.barh(pairs, np.zeros(pairs.size), 0.6, color=CONTENT, animated=True)
    total.set_title("… and their sum, the score", fontsize=11)
    total.set(xlim=box[:2], ylim=(-7, 9), xlabel="offset = key − query (tokens)", ylabel="score")
    total.axhline(0, color=FAINT, lw=1, ls="-")
    (curve,) = total.plot([], [], "-", color=POSITION, animated=True)
    (dot,) = total.plot([], [], "o", color=INK, ms=7, ls="", zorder=5, clip_on=False, animated=True)
    cursors = [ax.axvline(0, color=INK, lw=1.2, ls="-", zorder=4, animated=True) for ax in (field, total)]
    touch(field, x="offset")
    touch(total, x="offset")

    def update(offset, words, base):
        inv_freq = inverse_frequencies(DIM, base)
        parts = pair_contributions(*CONTENTS[words], offsets, inv_freq)
        here, next_ = parts[reach + offset], pair_contributions(*CONTENTS[words], offset + 1, inv_freq)
        image.set_data(parts.T)
        curve.set_data(offsets, parts.sum(axis=1))
        dot.set_data([offset], [here.sum()])
        for drawn, value in zip(bars, here):
            drawn.set_width(value)
        for cursor in cursors:
            cursor.set_xdata([offset, offset])
        moved = np.abs(next_ - here)
        fastest = pairs[moved.argmax()]
        most = f"pair {fastest} changes most, by {moved.max():.2f}" if moved.max() >= 0.005 else "no pair changes by as much as 0.005"
        return (f"Offset {signed(offset, 0)}: pairs 0 to {pairs[-1]} add {', '.join(map(signed, here))}; the score is "
                f"{signed(here.sum())}. One token further on, the score is {signed(next_.sum())}; {most}.")
    return update


def mean_score(offsets, inv_freq, likeness):
    """The mean score, over the root of d, of unit-variance words: q, and k = likeness * q + root(1 - likeness²) * other."""
    return likeness * 2 * offset_similarity(offsets, inv_freq) / np.sqrt(2 * inv_freq.size)


def decay(fig, dim=128, draws=1000, shown=40):
    """Scores of random queries and keys by offset, from opposite vectors (likeness -1) over unrelated (0) to the same one (1)."""
    ax = fig.subplots()
    offsets = np.arange(0, 257, 4)
    q, other = np.random.default_rng(0).normal(size=(2, draws, 1, dim))
    (dots,) = ax.plot([], [], ".", color=CONTENT, ms=2.5, ls="", alpha=0.6, animated=True, label=f"{shown} of {draws:,} pairs of words")
    (curve,) = ax.plot([], [], "-", color=POSITION, lw=2, animated=True, label="likeness · Σ cos(Δω) · 2/√d")
    (line,) = ax.plot([], [], "D", color=INK, ms=3, ls="", animated=True, label=f"mean of all {draws:,}")
    ax.axhline(0, color=FAINT, lw=1, ls="-", zorder=1)
    ax.set(xlim=(-3, 259), ylim=(-15.5, 15.5), xlabel="offset = key − query (tokens)", ylabel="score, q·k/√d")
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3, columnspacing=1.2, borderaxespad=0.2)
    touch(ax, y="likeness", per=np.sqrt(dim))             # the left end of the curve: at offset 0 all cosines are 1
    tables = {}

    def scores(base):
        """Of every query with itself and with the other word: two tables (draws, offsets)."""
        if base not in tables:                            # a table depends on nothing but the base
            inv_freq = inverse_frequencies(dim, base)
            tables[base] = [pair_contributions(q, k, offsets, inv_freq).sum(axis=2) / np.sqrt(dim) for k in (q, other)]
        return tables[base]

    def update(likeness, base):
        with_itself, with_other = scores(base)
        table = likeness * with_itself + np.sqrt(1 - likeness ** 2) * with_other
        mean, every = table.mean(axis=0), np.arange(257)
        expected = mean_score(every, inverse_frequencies(dim, base), likeness)
        dots.set_data(np.tile(offsets, shown), table[:shown].ravel())
        line.set_data(offsets, mean)
        curve.set_data(every, expected)
        rises = (np.diff(expected) > 1e-12).sum()
        return (f"Likeness {signed(likeness, 1)}: the mean of {draws:,} scores is {signed(mean[0])} at offset 0, {signed(mean[4])} at 16 and "
                f"{signed(mean[-1])} at 256. The expected curve rises in {rises} of its 256 steps.")
    return update


# ---- built in, or learned position by position

SHORT, LONG = 24, 48                                      # positions that are trained, positions that are tested
PENALTY = 0.1                                             # on the squares of all fitted numbers, in each of the fits

TARGETS = {
    "five back": lambda i, j: np.exp(-((j - i) + 5.0) ** 2 / 8),
    "near scores high": lambda i, j: 1 - np.abs(j - i) / 12,
    "the first key": lambda i, j: np.where(j == 0, 1.0, 0.0) + 0.0 * i,
}


def seen_pairs(share, seed=0):
    """Which pairs of positions below SHORT are shown in training: (SHORT, SHORT) of True and False."""
    return np.random.default_rng(seed).random((SHORT, SHORT)) < share


def fit_query(target, seen, inv_freq):
    """A rotary head in which all words are alike: one key (1, 0, 1, 0, ...) everywhere, one query to be fitted -> (d,)."""
    i, j = np.nonzero(seen)
    keys = rotate(np.tile([1.0, 0.0], (i.size, inv_freq.size)), j - i, inv_freq)      # as the query at i meets them
    return np.linalg.solve(keys.T @ keys + PENALTY * np.eye(keys.shape[1]), keys.T @ target[seen])


def fit_vectors(target, seen, width=8, sweeps=100, seed=0):
    """A vector for each position of a query and one for each of a key, fitted alternately -> u, v (n, width)."""
    v = np.random.default_rng(seed).normal(size=(len(seen), width)) / np.sqrt(width)
    for sweep in range(sweeps):
        u = _best_for(v, target, seen)
        v = _best_for(u, target.T, seen.T)
    return u, v


def _best_for(fixed, target, seen):
    squares = np.einsum("ij,ja,jb->iab", seen * 1.0, fixed, fixed, optimize=True) + PENALTY * np.eye(fixed.shape[1])
    return np.linalg.solve(squares, ((seen * target) @ fixed)[..., None])[..., 0]


def fitted_scores(kind, share):
    """The target on LONG x LONG positions, the pairs seen, and the scores of a free table, of free vectors and of a rotation."""
    j, i = np.meshgrid(np.arange(LONG), np.arange(LONG))
    target, seen, inv_freq = TARGETS[kind](i, j), seen_pairs(share), inverse_frequencies(64)
    trained = target[:SHORT, :SHORT]
    nothing = np.full((LONG, LONG), np.nan)
    table, vectors = nothing.copy(), nothing.copy()
    table[:SHORT, :SHORT] = np.where(seen, trained / (1 + PENALTY), 0.0)
    u, v = fit_vectors(trained, seen)
    vectors[:SHORT, :SHORT] = u @ v.T
    query = fit_query(trained, seen, inv_freq)
    by_offset = rotate(np.tile([1.0, 0.0], (2 * LONG - 1, inv_freq.size)), np.arange(1 - LONG, LONG), inv_freq) @ query
    return target, seen, {"table": table, "vectors": vectors, "rotation": by_offset[j - i + LONG - 1]}


def errors(target, seen, scores):
    """Root of the mean squared error on pairs seen, on pairs left out, at later positions, and at offsets never seen."""
    j, i = np.meshgrid(np.arange(LONG), np.arange(LONG))
    early, shown = np.maximum(i, j) < SHORT, np.zeros(target.shape, dtype=bool)
    shown[:SHORT, :SHORT] = seen
    parts = shown, early & ~shown, np.minimum(i, j) >= SHORT, np.abs(j - i) >= SHORT
    return [float(np.sqrt(np.mean((scores - target)[part] ** 2))) if part.any() else np.nan for part in parts]


def built_in(fig):
    """A target, and what three fits make of it: on pairs left out, and at positions beyond the trained ones."""
    fig.set_layout_engine("none")
    grid = fig.add_gridspec(1, 5, width_ratios=[1, 1, 1, 1, 0.06], left=0.07, right=0.925, bottom=0.22, top=0.88, wspace=0.16)
    *axes, bar = (fig.add_subplot(grid[0, column]) for column in range(5))
    box = (-0.5, LONG - 0.5, LONG - 0.5, -0.5)
    images = [heat_map(ax, np.zeros((LONG, LONG)), limits=(-1, 1), colorbar=False, aspect="equal", animated=True, extent=box)
              for ax in axes]
    for ax, name in zip(axes, ["target", "a free table", "free vectors", "rotation"]):
        ax.add_patch(Rectangle((-0.5, -0.5), SHORT, SHORT, fill=False, ec=INK, lw=1.2, zorder=4))
        ax.set(xticks=[0, SHORT, LONG - 1], yticks=[0, SHORT, LONG - 1], xlabel="key's position")
        ax.tick_params(labelleft=ax is axes[0])
        ax.set_title(name, fontsize=11)
    axes[0].set_ylabel("query's position")
    (points,) = axes[0].plot([], [], ".", color=INK, ms=1.6, ls="", zorder=3, animated=True)
    notes = [ax.text(LONG / 2, LONG * 0.75, "", ha="center", va="center", fontsize=9, animated=True) for ax in axes[1:3]]
    low, high = (-0.5, LONG - SHORT - 0.5), (SHORT - 0.5, LONG - 0.5)
    for keys, queries in ((high, low), (low, high)):      # offsets beyond these lines were never seen
        axes[3].plot(keys, queries, ":", color=INK, lw=1.2, zorder=4)
    bar.set_box_aspect(1 / 0.06)                          # as high as the square maps
    fig.colorbar(images[0], cax=bar, label="score", ticks=[-1, 0, 1], extend="both")    # the rotation's scores go beyond

    def update(share, kind):
        target, seen, scores = fitted_scores(kind, share)
        for image, values in zip(images, (target, *scores.values())):
            image.set_data(values)
        points.set_data(*np.nonzero(seen)[::-1])
        for note in notes:
            note.set_text(f"no position {SHORT}:\nno scores")
        found = {name: errors(target, seen, s) for name, s in scores.items()}
        pairs = "; ".join(f"{name} {e[0]:.2f}" + (f" and {e[1]:.2f}" if share < 1 else "") for name, e in found.items())
        later, unseen = found["rotation"][2:]
        return (f"“{kind}”, {seen.mean():.0%} of the pairs below {SHORT} seen. Error on these{' and on those left out' if share < 1 else ''}: "
                f"{pairs}. The rotation at later positions: {later:.2f}; at offsets of {SHORT} and more, never seen: {unseen:.2f}.")
    return update
