"""The figures of chapter 7 on a cache and its faults: chunks and masks, the fault switch, the meters of a whole decoder."""

import functools

import numpy as np
from matplotlib.colors import ListedColormap

from pe_lib.attention import attention, causal_mask
from pe_lib.model import random_parameters
from pe_lib.rotary import rotate
from pe_lib.teach.data.cached_decoding import INV_FREQ, N, PROMPT, TEXT, head
from pe_lib.teach.figures.cached_decoding_faults import (FAULTS, Fault, decode, decode_logits, divergence, effective_offsets, far_off,
                                                         pieces, top_left_for_chunks, top_left_mask)
from pe_lib.teach.plots import FAINT, INK, NEUTRAL, WRONG, error_bars, heat_map, signed
from pe_lib.teach.touch import touch

SHADE = "#E2E2DA"
MASKS = {"bottom-right": causal_mask, "top-left": top_left_mask, "top-left, but none for a single token": top_left_for_chunks}


@functools.cache
def fault_errors(name, chunk, seed=7):
    """How far each token's output is off under a fault, (N,), shares of its length."""
    q, k, v = head(seed)
    right = decode(Fault(), q, k, v, INV_FREQ, [slice(0, N)])
    return far_off(decode(FAULTS[name], q, k, v, INV_FREQ, pieces(N, PROMPT, chunk)), right)


def _grey(ax, n):
    """A layer for cells that should be looked at and are not."""
    return ax.imshow(np.zeros((n, n)), cmap=ListedColormap([(0, 0, 0, 0), FAINT]), vmin=0, vmax=1, aspect="auto", zorder=1.5, animated=True)


def _square(fig, **grid):
    """A map's axes with a bar's, and axes to the right."""
    fig.set_layout_engine("none")
    cells = fig.add_gridspec(1, 4, width_ratios=[1, 0.05, 0.42, 1.25], left=0.07, right=0.985, bottom=0.17, top=0.86, wspace=0.08, **grid)
    return [fig.add_subplot(cells[0, column]) for column in (0, 1, 3)]


def chunk_masks(fig, n=12):
    """The attention weights of a decode in chunks, what a mask at the wrong corner hides, and what it does to the outputs."""
    ax, bar, errors = _square(fig)
    image = heat_map(ax, np.zeros((n, n)), kind="weights", limits=(0, 1), colorbar=False, animated=True, zorder=1)
    fig.colorbar(image, cax=bar, label="attention weight")
    hidden = _grey(ax, n)
    borders = [ax.plot([], [], "-", color="white", lw=1, zorder=3, animated=True)[0] for _ in range(n)]
    ax.set(xticks=range(0, n, 3), yticks=range(0, n, 3), xlabel="key (token)", ylabel="query (token)")
    ax.set_title("grey: should look, may not", fontsize=11)
    touch(ax, y="prompt", start=-0.5)
    set_heights = error_bars(errors, np.arange(n))
    errors.set(xlim=(-0.6, n - 0.4), ylim=(0, 2), xticks=range(0, n, 3), xlabel="token", ylabel="error (share of the output)")
    q, k, v = head(5, n)
    turned = [rotate(x, np.arange(n), INV_FREQ) for x in (q, k)]
    right = attention(*turned, v, causal_mask(n))[0]

    def update(prompt, chunk, mask):
        rows, fault = pieces(n, prompt, chunk), Fault(mask=MASKS[mask])
        weights, looks = np.zeros((n, n)), ~np.isnan(effective_offsets(fault, rows))
        for part in rows:
            used = (MASKS[mask] if part.start else causal_mask)(part.stop - part.start, part.stop)
            weights[part, : part.stop] = attention(turned[0][part], turned[1][: part.stop], v[: part.stop], used)[1]
        image.set_data(np.where(np.tri(n, dtype=bool), weights, np.nan))
        hidden.set_data(np.tri(n, dtype=bool) & ~looks)
        for line, part in zip(borders, [*rows, *[rows[-1]] * n]):
            line.set_data([-0.5, n - 0.5], [part.start - 0.5] * 2 if part.start else [np.nan] * 2)
        off = far_off(decode(fault, q, k, v, INV_FREQ, rows), right)
        set_heights(off)
        missing, worst = int((np.tri(n, dtype=bool) & ~looks).sum()), off.argmax()
        sizes = ", ".join(str(part.stop - part.start) for part in rows)
        said = (f"{missing} pairs that should look do not; {(off > 1e-9).sum()} outputs are wrong, token {worst}'s the most, by {off[worst]:.2f} "
                "of its length." if missing else "Every query sees all it should, and every output equals the full pass.")
        return f"Fed in as {sizes}; mask {mask}. {said}"
    return update


def fault_switch(fig, n=N):
    """Which pairs of query and key a faulty cache sets how far apart, and how far off the outputs are."""
    ax, bar, errors = _square(fig)
    image = heat_map(ax, np.zeros((n, n)), limits=(-4, 4), colorbar=False, animated=True, zorder=1)
    fig.colorbar(image, cax=bar, label="offset used − right (tokens)", extend="both")
    hidden = _grey(ax, n)
    ax.set_facecolor(SHADE)                                                    # no such pair, or not read yet
    (edge,) = ax.plot([], [], color=INK, lw=1, zorder=3, animated=True)
    ax.set_title("white: right · dark grey: should look, may not", fontsize=11)
    ax.axhline(PROMPT - 0.5, color=INK, lw=1, ls="--", zorder=3)
    ax.text(n - 0.7, PROMPT - 0.65, "prompt", fontsize=9, ha="right", va="bottom", zorder=3)
    ax.set(xticks=range(0, n, 3), yticks=range(0, n, 3), xlabel="key (token)", ylabel="query (token)")
    (row,) = ax.plot([], [], ">", color=INK, ms=8, ls="", zorder=4, clip_on=False, animated=True)       # the token's row, and its bar
    (above,) = errors.plot([], [], "v", color=INK, ms=8, ls="", zorder=5, animated=True)
    touch(ax, y="token")
    touch(errors, x="token")
    set_heights = error_bars(errors, np.arange(n))
    errors.axvline(PROMPT - 0.5, color=INK, lw=1, ls="--", zorder=2)
    errors.set(xlim=(-0.6, n - 0.4), ylim=(0, 2.4), xticks=range(0, n, 3), xlabel="token", ylabel="error (share of the output)")
    true = np.arange(n) - np.arange(n)[:, None]

    def update(fault, token, chunk):
        rows = pieces(n, PROMPT, chunk)
        reached = next(part.stop for part in rows if part.stop > token)        # a chunk comes in whole
        offsets, seen = effective_offsets(FAULTS[fault], rows), np.tri(n, dtype=bool) & (np.arange(n) < reached)[:, None]
        image.set_data(np.where(seen, offsets - true, np.nan))
        hidden.set_data(seen & np.isnan(offsets))
        edge.set_data(np.repeat(np.arange(reached + 1), 2)[1:] - 0.5, np.repeat(np.arange(reached + 1), 2)[:-1] - 0.5)
        off = fault_errors(fault, chunk)
        set_heights(np.where(np.arange(n) < reached, off, 0))
        row.set_data([-0.75], [token])
        above.set_data([token], [off[token] + 0.12])
        its = (offsets - true)[token, : token + 1]
        wrong = its[~np.isnan(its) & (its != 0)]
        dark, fine = int(np.isnan(its).sum()), int((its == 0).sum())
        told = [f"{dark} {'key is' if dark == 1 else 'keys are'} hidden" if dark else "",
                f"{wrong.size} of {token + 1} offsets {'is' if wrong.size == 1 else 'are'} wrong, by {_range(wrong)}" if wrong.size else
                f"{fine} of {token + 1} offsets {'is' if fine == 1 else 'are'} right"]
        return (f"Fault: {fault}; prompt of {PROMPT}, then {chunk} at a time. Token {token}: {', '.join(filter(None, told))}; "
                f"its output is off by {off[token]:.2f} of its length.")
    return update


def _range(wrong):
    low, high = signed(wrong.min(), 0), signed(wrong.max(), 0)
    return f"{low} to {high} tokens" if low != high else f"{low} token" if abs(wrong[0]) == 1 else f"{low} tokens"


@functools.cache
def untrained():
    """The decoder that stands in until trained weights are there."""
    return random_parameters(np.random.default_rng(0))


def logit_meters(fig, parameters=None, text=TEXT, prompt=8):
    """What a fault in every layer does to a decoder's predictions; any weights of `pe_lib.model` and any text will do.

    With trained weights: functools.partial(logit_meters, parameters=trained, text=text); `meters` then gives accuracy and loss.
    """
    fig.set_layout_engine("none")
    steps, meter = fig.add_axes((0.09, 0.2, 0.42, 0.74)), fig.add_axes((0.765, 0.2, 0.21, 0.74))
    parameters, names, n = parameters or untrained(), list(FAULTS), len(text)
    full = decode_logits(Fault(), text, parameters, [slice(0, n)])

    @functools.cache
    def moved(name, chunk):
        logits = decode_logits(FAULTS[name], text, parameters, pieces(n, prompt, chunk))
        return divergence(full, logits), (full.argmax(axis=1) == logits.argmax(axis=1))[prompt:]
    (dots,) = steps.plot([], [], "o", color=WRONG, ms=5, ls="", zorder=3, animated=True)
    still = steps.text((prompt + n - 1) / 2, 0.004, "no dot:\nnothing is wrong", color=NEUTRAL, ha="center", va="center", animated=True)
    means = meter.barh(np.arange(len(names)), np.zeros(len(names)), color=FAINT, zorder=3)
    touch(meter, y="fault")
    for each in means:
        each.set_animated(True)
    steps.axvline(prompt - 0.5, color=INK, lw=1, ls="--", zorder=2)
    steps.text(prompt / 2 - 0.5, 0.004, "prompt\n(no dot:\nnot moved)", fontsize=9, ha="center", va="center")
    steps.set(xlim=(-0.6, n - 0.4), yscale="log", ylim=(1e-5, 2), xlabel="token", ylabel="prediction moved by (nats)")
    meter.set(ylim=(len(names) - 0.5, -0.5), xlim=(0, 1), yticks=range(len(names)), xlabel="same first choice\n(share, after the prompt)")
    meter.set_yticklabels(names, fontsize=9)

    def update(fault, chunk):
        distance, same = moved(fault, chunk)
        dots.set_data(np.arange(n), np.where(distance > 1e-9, distance, np.nan))        # no dot: not moved
        still.set_visible(distance.max() < 1e-9)
        for each, name in zip(means, names):
            each.set(width=moved(name, chunk)[1].mean(), facecolor=NEUTRAL if name == fault else FAINT)
        return (f"Fault: {fault}; prompt of {prompt}, then {chunk} at a time. After the prompt the prediction moves by {distance[prompt:].mean():.3f} "
                f"nats in the mean, and the first choice is the same for {same.sum()} of {same.size} tokens.")
    return update
