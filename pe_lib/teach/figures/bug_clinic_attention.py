"""The figure of chapter 12 on attention with a cache: its weights, read off by feeding unit vectors as values."""

import numpy as np

from pe_lib.cache import attend
from pe_lib.clinic.patients import PATIENTS
from pe_lib.frequencies import inverse_frequencies
from pe_lib.teach.plots import INK, heat_map, new_figure, style
from pe_lib.teach.touch import touch

TOKENS, DIM = 8, 16


def sound(q, k, v, positions, cache=None):
    return attend(q, k, v, positions, inverse_frequencies(q.shape[-1]), cache)


def from_zero(q, k, v, positions, cache=None):
    """A fault of the kind of patient D, in attention: each call counts its own tokens from 0."""
    return sound(q, k, v, np.arange(len(positions)), cache)


ATTEND = {"sound": sound, "patient K": PATIENTS["K"], "patient L": PATIENTS["L"], "each call from 0": from_zero}
REST = {"in one chunk": "chunk", "one by one": "single"}


def weights(function, prompt, rest):
    """(TOKENS, TOKENS): how a prompt and what follows it look at all keys; the value of token j is the unit vector j."""
    q, k = 1.2 * np.random.default_rng(23).normal(size=(2, TOKENS, DIM))
    ends = [*range(prompt, TOKENS), TOKENS] if rest == "single" else [prompt, TOKENS]
    cache, rows, start = None, [], 0
    for end in sorted(set(ends)):
        places = np.arange(start, end)
        output, cache = function(q[places], k[places], np.eye(TOKENS)[places], places, cache)
        rows.append(output)
        start = end
    return np.concatenate(rows)


def side_by_side(right, got, name):
    """Two tables of weights and their difference, as a picture that stands still."""
    with style():
        fig = new_figure(8.0, 2.6)
        for ax, values, title in zip(fig.subplots(1, 3), (right, got, got - right), ("as trained", f"with {name}", "off by")):
            kind, limits = ("signed", (-0.5, 0.5)) if title == "off by" else ("weights", (0, 1))
            heat_map(ax, values, kind=kind, limits=limits, label="difference" if kind == "signed" else "weight", aspect="equal")
            ax.set(xlabel="key (token)", xticks=range(len(right)), yticks=range(len(right)))
            ax.set_title(title, fontsize=11)
        fig.axes[0].set_ylabel("query (token)")
    return fig


def read_weights(fig):
    """The weights of a prompt and of what is decoded after it, and how far they are from one pass."""
    left, right = fig.subplots(1, 2)
    maps = [heat_map(left, np.zeros((TOKENS, TOKENS)), kind="weights", limits=(0, 1), label="attention weight", aspect="equal", animated=True),
            heat_map(right, np.zeros((TOKENS, TOKENS)), limits=(-1, 1), label="weight − right weight", aspect="equal", animated=True)]
    for ax, title in ((left, "weights"), (right, "off by")):
        ax.set(xlabel="key (token)", xticks=range(TOKENS), yticks=range(TOKENS))
        ax.set_title(title, fontsize=11)
    left.set_ylabel("query (token)")
    borders = [ax.axhline(0, color=color, lw=2, ls="--", animated=True) for ax, color in ((left, "white"), (right, INK))]
    for ax in (left, right):
        touch(ax, y="prompt", start=-0.5)
    right_ones = weights(sound, TOKENS, "chunk")

    def update(function, prompt, rest):
        seen = weights(ATTEND[function], prompt, rest)
        for image, values in zip(maps, (seen, seen - right_ones)):
            image.set_data(values)
        for border in borders:
            border.set_ydata([prompt - 0.5, prompt - 0.5])
        off = np.abs(seen - right_ones).max(axis=1)
        wrong = np.flatnonzero(off > 1e-9)
        rows = f"queries {', '.join(map(str, wrong))} are wrong, by up to {off.max():.2f}" if wrong.size else "all queries are right"
        after = "then nothing" if prompt == TOKENS else f"then {TOKENS - prompt} {'one by one' if rest == 'single' else 'in one chunk'}"
        return f"{function[0].upper() + function[1:]}, a prompt of {prompt} and {after}: {rows}."
    return update
