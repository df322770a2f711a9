"""The figures of chapter 3: a score of added vectors as four areas, and as four maps beside their sum.

A term is named by what the query brings, then by what the key brings: "content–position" is a word that looks for a place.
"""

import numpy as np
from matplotlib.colors import to_rgba
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke

from pe_lib.additive import score_terms
from pe_lib.attention import attention_scores
from pe_lib.sinusoidal import sinusoidal_encoding
from pe_lib.teach.data.additive_terms import EMBEDDING, PLACE, UNTRAINED_DIM, W_K, W_Q, WORDS, untrained_head
from pe_lib.teach.plots import CARD, CONTENT, INK, POSITION, heat_map, signed, write_cells
from pe_lib.teach.touch import touch

SENTENCES = ("the dog saw the old cat", "the old cat saw the dog", "fish fish fish fish fish fish")
TERMS = ("content_content", "content_position", "position_content", "position_position")
STYLES = dict(zip(TERMS, ((CONTENT, "-"), (CONTENT, "--"), (POSITION, "--"), (POSITION, "-"))))


def named(term):
    return term.replace("_", "–")


def areas(fig):
    """One score as the area of a rectangle, cut in four, and the four areas as the position vectors grow."""
    left, right = fig.subplots(1, 2, width_ratios=[1.35, 1])
    left.set(xlim=(0, 13.2), ylim=(10.2, 0), xlabel="key: word, then place", ylabel="query: word, then place")
    fills = [left.add_patch(Rectangle((0, 0), 0, 0, facecolor=to_rgba(STYLES[term][0], depth), edgecolor=INK, animated=True))
             for term, depth in zip(TERMS, (0.55, 0.2, 0.2, 0.55))]
    numbers = [left.text(0, 0, "", ha="center", va="center", fontsize=12, animated=True) for _ in TERMS]
    strengths = np.linspace(0, 2, 41)
    curves = [right.plot([], [], color=STYLES[term][0], ls=STYLES[term][1], label=named(term), animated=True)[0] for term in TERMS]
    (dots,) = right.plot([], [], "o", color=INK, ms=6, ls="", animated=True)
    right.set(xlim=(-0.06, 2.06), ylim=(-1.5, 52), xlabel="strength of the positions", ylabel="area: part of the score")
    right.legend(loc="upper left", handlelength=3)
    touch(right, x="strength")

    def update(strength, query, key):
        i, j = WORDS.index(query), WORDS.index(key)
        x = np.array([EMBEDDING[query], EMBEDDING[key]], dtype=float)

        def terms_at(s):
            return [term[0, 1] for term in score_terms(x, s * PLACE[[i, j]], W_Q, W_K).values()]

        q, k = (x[0] @ W_Q).item(), (x[1] @ W_K).item()
        sides = [(0, k), (k, strength * (PLACE[j] @ W_K).item())], [(0, q), (q, strength * (PLACE[i] @ W_Q).item())]
        corners = [(across, down) for down in sides[1] for across in sides[0]]
        values = terms_at(strength)
        for fill, number, value, ((x0, width), (y0, height)) in zip(fills, numbers, values, corners):
            fill.set_bounds(x0, y0, width, height)
            number.set(position=(x0 + width / 2, y0 + height / 2), text=f"{value:g}" if min(width, height) >= 1 else "")
        for curve, heights in zip(curves, np.transpose([terms_at(s) for s in strengths])):
            curve.set_data(strengths, heights)
        dots.set_data([strength] * 4, values)
        (_, p_q), (_, p_k) = sides[1][1], sides[0][1]
        return (f"{query} at place {i} looks at {key} at place {j}: ({q:g} + {p_q:g}) × ({k:g} + {p_k:g}) = "
                f"{' + '.join(f'{v:g}' for v in values)} = {sum(values):g}. Without positions it would be {values[0]:g}.")
    return update


def four_maps(fig, base=100.0):
    """The four terms of every score of a sentence on one colour scale, beside their sum; one query's row is marked in all of them."""
    fig.set_layout_engine("none")
    small = [fig.add_axes([left, low, 0.18, 0.37]) for low in (0.55, 0.12) for left in (0.06, 0.27)]
    whole, bar = fig.add_axes([0.54, 0.18, 0.335, 0.72]), fig.add_axes([0.9, 0.18, 0.014, 0.72])
    options = {"limits": (-8, 8), "colorbar": False, "aspect": "equal", "animated": True}
    images = [heat_map(ax, np.zeros((6, 6)), **options) for ax in small]
    total = heat_map(whole, np.zeros((6, 6)), annotate=True, **options)
    fig.colorbar(total, cax=bar, label="part of the score, divided by √16")
    for ax, term in zip(small, TERMS):
        ax.set(xticks=[0, 5], yticks=[0, 5])
        ax.set_title(named(term), fontsize=9)
        ax.tick_params(labelbottom=ax in small[2:], labelleft=ax in small[::2])
    small[0].set_ylabel("query’s position")
    small[2].set(ylabel="query’s position", xlabel="key’s position")
    small[3].set_xlabel("key’s position")
    whole.set_title("their sum: the score", fontsize=11)
    whole.set(xlabel="key", ylabel="query")
    halo = {"fill": False, "ec": INK, "lw": 2, "path_effects": [withStroke(linewidth=4, foreground=CARD)], "animated": True}
    rows = [ax.add_patch(Rectangle((-0.5, 0), 6, 1, **halo | {"lw": 1})) for ax in (*small, whole)]
    rings = [ax.add_patch(Rectangle((0, 0), 1, 1, **halo)) for ax in (*small, whole)]
    for ax in (*small, whole):
        touch(ax, y="query")
    ticks = []                                                # the words that stand beside the whole map

    def update(strength, sentence, query):
        x, w_q, w_k = untrained_head(sentence)
        positional = strength * sinusoidal_encoding(np.arange(6), UNTRAINED_DIM, base)
        terms = {name: term / np.sqrt(UNTRAINED_DIM) for name, term in score_terms(x, positional, w_q, w_k).items()}
        for image, term in zip(images, TERMS):
            image.set_data(terms[term])
        scores = attention_scores((x + positional) @ w_q, (x + positional) @ w_k)
        write_cells(total, scores.round(1) + 0.0, digits=1)
        best = np.flatnonzero(scores[query] > scores[query].max() - 1e-9)       # a word that stands twice may share the first rank
        key = best[0]
        for row, ring in zip(rows, rings):
            row.set_y(query - 0.5)
            ring.set_xy((key - 0.5, query - 0.5))
        words = sentence.split()
        if words != ticks:                                    # new ticks cost a full redraw
            ticks[:] = words
            whole.set_xticks(range(6), words, rotation=45, ha="right", rotation_mode="anchor")
            whole.set_yticks(range(6), words)
        rounded = [signed(terms[term][query, key]) for term in TERMS]
        parts = " + ".join(f"({part})" if part.startswith("−") else part for part in rounded)
        where = f"position{'s' * (len(best) > 1)} {' and '.join(map(str, best))}"
        with_whom = f"highest with “{words[key]}” at {where}" if len(best) < 6 else "the same with every word"
        return (f"The query “{words[query]}” at position {query} scores {with_whom}. The ringed parts, map by map: "
                f"{parts} ≈ {signed(scores[query, key])}.")
    return update
