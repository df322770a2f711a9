"""Chapter 3, before the scores: when a sum of word and place can be split again, and what layer normalisation does to its parts."""

import functools

import numpy as np

from pe_lib.attention import attention_scores
from pe_lib.sinusoidal import sinusoidal_encoding
from pe_lib.teach.data.additive_terms import CONTENTS, DIM, PLACES
from pe_lib.teach.plots import CONTENT, FAINT, INK, POSITION, heat_map, signed
from pe_lib.teach.touch import touch

WIDTHS = (16, 32, 64)


def table_of_places(kind, count, dim):
    """Position vectors (count, dim): sinusoids, or random rows of about their length, as a learned table begins."""
    if kind == "sinusoids":
        return sinusoidal_encoding(np.arange(count), dim)
    return np.random.default_rng(5).normal(size=(count, dim)) / np.sqrt(2)


def best_reader(contents, places):
    """The linear map (d, d) that recovers the place from all sums word + place with the least squared error, and that error.

    Least squares over the words * places sums asks the same of the map as over these few rows: the mean sum, and each word's and
    each place's difference from the mean, weighted by how many sums it stands in. Directions in which they reach less than 1e-8 of
    the farthest are left out: a map that used them would magnify the rounding of a float64 to what one can see.
    """
    words, count = len(contents), len(places)
    word, place = contents.mean(axis=0), places.mean(axis=0)
    given = np.vstack([np.sqrt(words * count) * (word + place), np.sqrt(count) * (contents - word), np.sqrt(words) * (places - place)])
    wanted = np.vstack([np.sqrt(words * count) * place, 0 * contents, np.sqrt(words) * (places - place)])
    reader = np.linalg.lstsq(given, wanted, rcond=1e-8)[0]
    return reader, np.linalg.norm(given @ reader - wanted) / np.linalg.norm(wanted)


@functools.cache
def errors_by_words(kind, count, width, most):
    """The error of the best reader with 1, 2, … most words. It bends at single words, so no number is skipped."""
    contents, places = vocabulary(most)[:, :width], table_of_places(kind, count, width)
    return np.array([best_reader(contents[:words], places)[1] for words in range(1, most + 1)])


def vocabulary(most):
    """Word vectors (most, 64), about as long as a sinusoid; the first 20 are the lesson's."""
    return np.random.default_rng(0).normal(size=(most, WIDTHS[-1])) / np.sqrt(2)


def split_again(fig, count=16, most=100):
    """How much of the place the best linear map gets back from the sums, against the number of words, and what it reads."""
    fig.set_layout_engine("none")
    grid = fig.add_gridspec(1, 2, width_ratios=[1.3, 1], left=0.09, right=0.9, bottom=0.17, top=0.87, wspace=0.28)
    left, right = (fig.add_subplot(grid[0, column]) for column in (0, 1))
    numbers = np.arange(1, most + 1)
    styles = {"sinusoids": (POSITION, "-"), "random table": (INK, "--")}
    curves = {kind: left.plot([], [], color=color, ls=dash, label=kind, animated=True)[0] for kind, (color, dash) in styles.items()}
    (dot,) = left.plot([], [], "o", color=INK, ms=7, ls="", animated=True)
    full = left.axvline(0, color=FAINT, ls=":", lw=2, animated=True, label="words + places = width")
    left.set(xlim=(0, most + 2), ylim=(-0.02, 0.72), xlabel="words in the vocabulary", ylabel="error of the recovered place")
    left.legend(loc="lower left", bbox_to_anchor=(-0.05, 1), fontsize=9, ncols=3, columnspacing=1, handlelength=1.8, borderpad=0)
    image = heat_map(right, np.zeros((count, count)), kind="weights", limits=(0, 1), label="share of the words", aspect="equal", animated=True)
    right.set(xticks=[0, 5, 10, 15], yticks=[0, 5, 10, 15], xlabel="nearest place to what is read", ylabel="true place")
    touch(left, x="words")
    errors = {(kind, width): errors_by_words(kind, count, width, most) for kind in styles for width in WIDTHS}

    def update(words, width, kind):
        for name, curve in curves.items():
            curve.set_data(numbers, errors[name, width])
        contents, places = vocabulary(most)[:words, :width], table_of_places(kind, count, width)
        reader, error = best_reader(contents, places)
        far = ((((contents[:, None] + places) @ reader)[:, :, None] - places) ** 2).sum(axis=-1)
        image.set_data(np.mean(far.argmin(axis=-1)[:, :, None] == np.arange(count), axis=0))
        right_ones = (far.argmin(axis=-1) == np.arange(count)).mean()
        dot.set_data([words], [error])
        full.set_xdata([width - count] * 2)
        miss = f"{error:.2f}" if error >= 0.005 else "less than 0.01"
        verdict = "is exact to seven decimals" if error < 5e-8 else f"misses by {miss} of the places’ size"
        share = "all" if right_ones == 1 else f"{np.floor(1000 * right_ones) / 10:g}%"
        return (f"{words} word{'s' if words > 1 else ''}, {count} places ({kind}), width {width}: the best map (up to rounding) {verdict}, and "
                f"{share} of the sums are read right.")
    return update


def normalised_parts(content, positional, gain, bias):
    """LayerNorm(content + positional) as three parts that add up to it exactly, by name; each (n, d).

    The division by the standard deviation of the *sum* is shared, so each part knows of the other.
    """
    def centred(part):
        return part - part.mean(axis=-1, keepdims=True)
    deviation = np.sqrt(centred(content + positional).var(axis=-1, keepdims=True) + 1e-5)
    return {"content": gain * centred(content) / deviation, "position": gain * centred(positional) / deviation,
            "bias": np.broadcast_to(bias, content.shape)}


def normalised(fig, n=8):
    """Position–position after layer normalisation, while one word grows louder, and the lengths of the three parts."""
    left, right = fig.subplots(1, 2, width_ratios=[1, 1.25])
    image = heat_map(left, np.zeros((n, n)), limits=(-8, 8), label="position–position score", aspect="equal", animated=True)
    left.set(xticks=range(n), yticks=range(n), xlabel="key’s position", ylabel="query’s position")
    styles = {"content": (CONTENT, "--"), "position": (POSITION, "-"), "bias": (INK, ":")}
    curves = {part: right.plot([], [], color=color, ls=dash, marker="o", ms=5, label=part, animated=True)[0]
              for part, (color, dash) in styles.items()}
    right.set(xlim=(-0.3, n - 0.7), ylim=(-0.3, 9), xticks=range(n), xlabel="position (tokens)", ylabel="length after LayerNorm")
    right.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3, handlelength=3)
    here = right.axvline(0, color=INK, ls="-", lw=1, zorder=0, animated=True)   # the word that is made louder
    cross = [line(0, color=INK, ls="-", lw=0.8, animated=True) for line in (left.axhline, left.axvline)]
    direction = np.random.default_rng(6).normal(size=DIM)
    direction /= np.linalg.norm(direction)                 # so that the slider is the length drawn
    for ax in (left, right):
        touch(ax, x="word")

    def update(word, loudness, bias):
        content = CONTENTS[:n].copy()
        content[word] *= loudness
        parts = normalised_parts(content, PLACES[:n], 1.0, bias * direction)
        image.set_data(attention_scores(parts["position"], parts["position"]))
        lengths = {name: np.linalg.norm(part, axis=1) for name, part in parts.items()}
        for name, curve in curves.items():
            curve.set_data(range(n), lengths[name])
        for line in (here, cross[1]):
            line.set_xdata([word] * 2)
        cross[0].set_ydata([word] * 2)
        return (f"The word at position {word}, {loudness:.3g} times as loud: after LayerNorm its content has length {lengths['content'][word]:.2f}, "
                f"its position {lengths['position'][word]:.2f}; at position {(word + 1) % n} the position has {lengths['position'][(word + 1) % n]:.2f}. "
                f"Bias: {signed(lengths['bias'][word])} everywhere.")
    return update
