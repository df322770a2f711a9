"""The figures of chapter 7 on counting: shifts, left padding, eviction, and frequencies that change under a cache."""

import functools

import numpy as np
from matplotlib.patches import Rectangle

from pe_lib.attention import attention
from pe_lib.cache import attend, evict, padding_bias, positions_from_mask, shift
from pe_lib.offsets import wrap
from pe_lib.rotary import rotate
from pe_lib.scaling import dynamic_ntk
from pe_lib.teach.data.cached_decoding import INV_FREQ, head
from pe_lib.teach.figures.cached_decoding_faults import far_off
from pe_lib.teach.plots import CARD, FAINT, INK, KEY, NEUTRAL, POSITION, QUERY, WRONG, bare, error_bars, signed
from pe_lib.teach.touch import touch

# who is shifted -> shares of the shift for (the new query, its own key, the cached keys)
WHO = {"everything": (1, 1, 1), "the new query": (1, 0, 0), "the new query and its key": (1, 1, 0), "the cached keys": (0, 0, 1)}


def shifted_output(who, by, cached=6):
    """The output of one new token behind some cached ones, when some of the positions are shifted, (DIM,)."""
    q, k, v = head(7, cached + 1)
    query, own, kept = np.multiply(WHO[who], by)
    keys = rotate(k, np.arange(cached + 1) + np.append(np.full(cached, kept), own), INV_FREQ)
    return attention(rotate(q[-1:], [cached + query], INV_FREQ), keys, v)[0][0]


def shifts(fig, cached=6, reach=20):
    """Positions of a new token and its cached keys, some of them shifted; and how far off the output is."""
    fig.set_layout_engine("none")
    line, errors = fig.add_axes((0.09, 0.2, 0.4, 0.62)), fig.add_axes((0.6, 0.2, 0.385, 0.52))
    line.set(xlim=(-reach - 1, cached + reach + 1), ylim=(-0.6, 1.7), yticks=[1, 0], xlabel="position (tokens)")
    line.set_yticklabels(["right", "used"])
    right, own = np.arange(cached), cached
    for place, moves in ((1, False), (0, True)):
        made = dict(animated=moves, zorder=3, ls="")
        dots = [line.plot(right, np.full(cached, place), "o", color=KEY, ms=4.5, label="cached keys", **made)[0],
                line.plot([own], [place], "s", color=KEY, ms=9, mfc="none", mew=2, label="its own key", **made)[0],
                line.plot([own], [place], "^", color=QUERY, ms=7, label="new query", **made)[0]]
    line.legend(handles=dots[::-1], loc="lower center", bbox_to_anchor=(0.47, 1), ncols=3, fontsize=9, handlelength=1, columnspacing=1)
    by, wanted = np.arange(-reach, reach + 1), shifted_output("everything", 0, cached)
    table = {who: far_off(np.array([shifted_output(who, s, cached) for s in by]), wanted) for who in WHO}
    looks = (INK, "-"), (QUERY, "--"), (POSITION, "-."), (KEY, ":")        # a curve has the colour of what is shifted
    curves = [errors.plot(by, values, color=color, ls=dash, lw=1.5, label=who, zorder=3, animated=True)[0]
              for (who, values), (color, dash) in zip(table.items(), looks)]
    (dot,) = errors.plot([], [], "o", color=CARD, mec=INK, mew=2, ms=9, zorder=5, animated=True)
    errors.set(xlim=(-reach - 1.5, reach + 1.5), ylim=(-0.06, 1.4), xlabel="shift (tokens)", ylabel="error\n(share of the output)")
    errors.legend(loc="lower center", bbox_to_anchor=(0.45, 1), ncols=2, fontsize=9, handlelength=2.2, columnspacing=1)
    touch(errors, x="by")

    def update(who, by):
        query, new, kept = np.multiply(WHO[who], by)
        for artist, places in zip(dots, (right + kept, [own + new], [own + query])):
            artist.set_xdata(places)
        for curve, name in zip(curves, WHO):
            curve.set_linewidth(3.5 if name == who else 1.3)
        off = table[who][by + reach]
        dot.set_data([by], [off])
        return (f"Shifted by {signed(by, 0)}: {who}. From the query, cached key 0 stands at {signed(kept - own - query, 0)} (right: "
                f"{signed(-own, 0)}), its own key at {signed(new - query, 0)} (right: 0). The output is off by {off:.2f} of its length.")
    return update


STEPS, LONG = 2, 8                                      # two new tokens behind a prompt; the longer row has eight in all
COUNTINGS = {                                           # (true count, place in the row, pads, is it a step?) -> position used
    "by the mask": lambda true, place, pads, step: true,
    "pads counted, everywhere": lambda true, place, pads, step: place,
    "by the mask, but pads counted in steps": lambda true, place, pads, step: np.where(step, place, true),
    "by the mask, but pads taken off twice in steps": lambda true, place, pads, step: np.where(step, true - pads, true),
}


@functools.cache
def padded_run(counting, pads, hidden):
    """Positions (LONG,) given to the padded row, and how far off each of its outputs is; NaN at padding."""
    q, k, v = head(11, LONG)
    real = (np.arange(LONG) >= pads).astype(int)
    place, step = np.arange(LONG), np.arange(LONG) >= LONG - STEPS
    positions = COUNTINGS[counting](positions_from_mask(real), place, pads, step)
    bias, outputs, cache = padding_bias(real) if hidden else np.zeros((1, LONG)), [], None
    for part in (slice(0, LONG - STEPS), *(slice(i, i + 1) for i in range(LONG - STEPS, LONG))):
        output, cache = attend(q[part], k[part], v[part], positions[part], INV_FREQ, cache, bias=bias[:, : part.stop])
        outputs.append(output)
    alone, _ = attend(q[pads:], k[pads:], v[pads:], np.arange(LONG - pads), INV_FREQ)
    off = np.append(np.full(pads, np.nan), far_off(np.concatenate(outputs)[pads:], alone))
    return positions, off


def left_padding(fig):
    """A short text beside a longer one in a batch: the positions its tokens are given, and how far off its outputs are."""
    fig.set_layout_engine("none")
    strip, errors = fig.add_axes((0.01, 0.12, 0.5, 0.8)), fig.add_axes((0.6, 0.19, 0.385, 0.68))
    strip.set(xlim=(-0.3, LONG + 0.3), ylim=(-0.1, 4.3))
    bare(strip)
    for bottom, name in ((2.9, "the longer text: positions"), (0.7, "the shorter text, padded on the left: positions")):
        strip.text(0, bottom + 1.08, name, fontsize=10, va="bottom")
        strip.text(LONG - STEPS, bottom - 0.08, "steps", fontsize=9, va="top")
    made = dict(ec=INK, lw=1, zorder=3)
    for place in range(LONG):
        strip.add_patch(Rectangle((place, 2.9), 1, 1, fc="#EAD9E2" if place >= LONG - STEPS else CARD, **made))
        strip.text(place + 0.5, 3.4, str(place), ha="center", va="center", fontsize=12, zorder=4)
    boxes = [strip.add_patch(Rectangle((place, 0.7), 1, 1, animated=True, **made)) for place in range(LONG)]
    texts = [strip.text(place + 0.5, 1.2, "", ha="center", va="center", fontsize=12, zorder=4, animated=True) for place in range(LONG)]
    touch(strip, x="pads")
    set_heights = error_bars(errors, np.arange(LONG))
    errors.axvline(LONG - STEPS - 0.5, color=INK, lw=1, ls="--", zorder=2)
    errors.set(xlim=(-0.6, LONG - 0.4), ylim=(0, 2), xlabel="place in the padded row", ylabel="error (share of the output)")

    def update(counting, pads, hidden):
        positions, off = padded_run(counting, pads, hidden)
        for place, (box, text) in enumerate(zip(boxes, texts)):
            box.set_facecolor(FAINT if place < pads else "#EAD9E2" if place >= LONG - STEPS else CARD)
            text.set_text("pad" if place < pads else signed(positions[place], 0))
        set_heights(np.nan_to_num(off))
        worst = np.nanmax(off)
        told = "Every output equals the one of the text alone." if worst < 1e-9 else (
            f"The last step is off by {off[-1]:.2f} of its length, the prompt's last token by {off[-STEPS - 1]:.2f}.")
        there = f"{pads} {'pad' if pads == 1 else 'pads'}, {'hidden' if hidden else 'not hidden'}" if pads else "No pads"
        return (f"{there}. Positions: {counting}. The steps stand at {signed(positions[-2], 0)} and {signed(positions[-1], 0)}, the prompt's last token at {signed(positions[-3], 0)}. {told}")
    return update


KEPT, MORE = 12, 4                                      # tokens in the cache, and steps after some were dropped
WAYS = ("positions stay", "renumbered, keys as they are", "renumbered, keys turned")


@functools.cache
def evicted_run(way, dropped, first):
    """Offsets (kept,) as the next query has them, the tokens kept, and the errors (MORE,) against a pass that hides the dropped."""
    q, k, v = head(13, KEPT + MORE)
    _, cache = attend(q[:KEPT], k[:KEPT], v[:KEPT], np.arange(KEPT), INV_FREQ)
    keep = np.delete(np.arange(KEPT), slice(first, first + dropped))
    hide = np.where(np.isin(np.arange(KEPT + MORE), keep) | (np.arange(KEPT + MORE) >= KEPT), 0.0, -np.inf)
    right, _ = attend(q[KEPT:], k[KEPT:], v[KEPT:], np.arange(KEPT, KEPT + MORE), INV_FREQ, cache, bias=hide[None])
    cache, start = evict(cache, keep), KEPT if way == WAYS[0] else len(keep)
    if way == WAYS[2]:
        cache = shift(cache, np.arange(len(keep)) - cache.positions, INV_FREQ)
    output, _ = attend(q[KEPT:], k[KEPT:], v[KEPT:], np.arange(start, start + MORE), INV_FREQ, cache)
    return cache.positions - start, keep, far_off(output, right)


def eviction(fig):
    """What a query sees of a cache from which tokens were dropped, and how far the next outputs are from a pass that only hides them."""
    fig.set_layout_engine("none")
    offsets, errors = fig.add_axes((0.085, 0.17, 0.44, 0.68)), fig.add_axes((0.63, 0.17, 0.355, 0.68))
    (right,) = offsets.plot([], [], "o", color=FAINT, ms=9, ls="", label="in the text", zorder=3, animated=True)
    (seen,) = offsets.plot([], [], "D", color=KEY, ms=5, ls="", label="as the query has it", zorder=4, animated=True)
    offsets.axhline(0, color=INK, lw=1, ls=":", zorder=2)
    gone = offsets.add_patch(Rectangle((0, -13), 1, 22, fc=FAINT, alpha=0.4, lw=0, zorder=1.5, animated=True, label="dropped"))
    touch(offsets, x="first", start=-0.5)                                    # the two ends of what is dropped
    touch(offsets, x="dropped", start=-0.5, plus="first")
    offsets.set(xlim=(-0.6, KEPT - 0.4), ylim=(-13, 9), xticks=range(KEPT), xlabel="cached key (token)", ylabel="offset from the next query")
    offsets.legend(loc="lower center", bbox_to_anchor=(0.45, 1), ncols=3, fontsize=9, handlelength=1, columnspacing=1)
    set_heights = error_bars(errors, np.arange(MORE), "0: nothing has changed", width=0.6)
    errors.set(xlim=(-0.6, MORE - 0.4), ylim=(0, 2.3), xticks=range(MORE), xlabel="token", ylabel="change (share of the output)")
    errors.set_xticklabels(range(KEPT, KEPT + MORE))

    def update(way, dropped, first):
        places, keep, off = evicted_run(way, dropped, first)
        right.set_data(keep, keep - KEPT)
        seen.set_data(keep, places)
        set_heights(off)
        gone.set(x=first - 0.5, width=dropped)
        what = f"Tokens {first} to {first + dropped - 1} dropped" if dropped > 1 else f"Token {first} dropped" if dropped else "Nothing dropped"
        differs = (f"of the next outputs token {KEPT + off.argmax()}'s differs most from a pass that only hides them, by {off.max():.2f} of its length."
                   if off.max() > 1e-9 else "no output differs from a pass that only hides them.")
        return f"{what}; {way}. {_seen_at(places, keep - KEPT)}; {differs}"
    return update


def _seen_at(places, true):
    """Where the keys seem to lie, in words."""
    ahead, level = int((places > 0).sum()), int((places == 0).sum())
    if ahead:
        keys = "1 key seems" if ahead == 1 else f"{ahead} keys seem"
        return f"{keys} to lie ahead of the query" + (", one at its own place" if level else "")
    if level:
        return "The newest key seems to stand at the query's own place"
    return "All keys lie behind the query" + (", at the offsets of the text" if (places == true).all() else "")


WIDTH, TRAINED, FACTOR, FARTHEST = 128, 4096, 2.0, 16_384
REMEDIES = ("none", "turned by the difference", "cached before rotation")


@functools.cache
def frequencies_at(length):
    """Dynamic NTK's frequencies while the text has that many tokens."""
    return dynamic_ntk(WIDTH, 10_000.0, FACTOR, length, TRAINED)


def cached_scores(length, distances, remedy):
    """Scores of the last query with the keys so far back, as shares of the highest value, when all contents are ones.

    A key was cached when it was the last token, under the frequencies of that length; so its angle is its position times those.
    """
    now = frequencies_at(length)
    places = [length - 1 - distance for distance in distances]
    made_with = [frequencies_at(place + 1) if remedy == REMEDIES[0] else now for place in places]
    return np.cos((length - 1) * now - np.array(places)[:, None] * made_with).mean(axis=1)


def changed_frequencies(fig):
    """Scores of the last query with keys that were cached while dynamic NTK had other frequencies, and the angles that are off."""
    fig.set_layout_engine("none")
    scores, phases = fig.add_axes((0.1, 0.17, 0.43, 0.68)), fig.add_axes((0.63, 0.17, 0.355, 0.68))
    lines = [scores.plot([], [], color=color, ls=dash, lw=1.4, label=name, zorder=3, animated=True)[0]
             for color, dash, name in ((INK, ":", "all of one set"), (POSITION, "-", "as cached"))]
    (dot,) = scores.plot([], [], "o", color=INK, ms=7, zorder=5, animated=True)
    scores.axhline(0, color=FAINT, lw=1, ls="-", zorder=1)
    scores.set(xscale="log", xlim=(1, FARTHEST), ylim=(-0.4, 1.05), xlabel="key behind the query (tokens)", ylabel="score (share of highest)")
    scores.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2, handlelength=2.5)
    touch(scores, x="distance")
    (points,) = phases.plot([], [], "o", color=WRONG, ms=4, ls="", zorder=3, animated=True)
    still = phases.text(0.5, 0.7, "0: nothing is wrong", color=NEUTRAL, ha="center", transform=phases.transAxes, animated=True)
    phases.axhline(0, color=FAINT, lw=1, ls="-", zorder=1)
    phases.set(xlim=(-1, WIDTH // 2), ylim=(-3.4, 3.4), yticks=[-np.pi, 0, np.pi], xlabel="pair (0: fastest)", ylabel="angle off (rad)")
    phases.set_yticklabels(["−π", "0", "π"])
    grid = np.unique(np.geomspace(1, FARTHEST, 220).astype(int))

    def update(length, distance, remedy):
        wanted, distance = round(distance), min(round(distance), length - 1)
        shown = np.union1d(grid[grid < length], [distance])
        for line, how in zip(lines, (REMEDIES[2], remedy)):
            line.set_data(shown, cached_scores(length, shown.tolist(), how))
        right, used = (cached_scores(length, [distance], how)[0] for how in (REMEDIES[2], remedy))
        dot.set_data([distance], [used])
        place = length - 1 - distance
        gap = np.zeros(WIDTH // 2) if remedy != REMEDIES[0] else place * (frequencies_at(place + 1) - frequencies_at(length))
        points.set_data(np.arange(WIDTH // 2), wrap(gap))
        still.set_visible(np.abs(gap).max() < 1e-9)
        return (f"Text of {length:,} tokens, trained on {TRAINED:,}; remedy: {remedy}. The {'first ' if wanted > distance else ''}key{',' if wanted > distance else ''} {distance:,} back{',' if wanted > distance else ''} scores {signed(used)} of the highest "
                f"value, where frequencies of one set give {signed(right)}.")
    return update
