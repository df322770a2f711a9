"""The practice figure of chapter 0: a query, a key, and the distance between them with its sign."""

import numpy as np
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from pe_lib.teach.plots import FORMAT_LINES, INK, KEY, KEY_TEXT, POSITION, QUERY, ROLES, bare, new_figure, style
from pe_lib.teach.touch import touch

SENTENCE = "the old dog bites the young man again".split()


def query_and_key(fig):
    """A sentence with its places; one word looks (query), one is looked at (key); below, key minus query for every key."""
    words, below = fig.subplots(2, 1, sharex=True, height_ratios=[1, 1.5])
    places, n = np.arange(len(SENTENCE)), len(SENTENCE)
    words.set(xlim=(-0.6, n - 0.4), ylim=(-0.8, 1.5), yticks=[])
    words.spines[:].set_visible(False)
    words.tick_params(bottom=False, labelbottom=False)
    boxes = {color: words.add_patch(FancyBboxPatch((0, 0), 0.8, 0.42, boxstyle="round,pad=0.05", fill=False, linewidth=3,
                                                   edgecolor=color, animated=True)) for color in (QUERY, KEY)}
    for place, word in zip(places, SENTENCE):
        words.text(place, 0, word, ha="center", va="center", zorder=3)
    names = [words.text(0, 0, text, color=color, ha="center", va="top", animated=True)
             for text, color in (("query", QUERY), ("key", KEY_TEXT))]
    arc = words.add_patch(FancyArrowPatch((0, 0), (1, 0), animated=True))
    bars = below.bar(places, 0.0, 0.5, color=POSITION, alpha=0.35, animated=True)
    numbers = [below.text(place, 0, "", ha="center", fontsize=10, animated=True) for place in places]
    below.axhline(0, color=INK, linewidth=0.8)
    touch(words, x="query")                                                  # the nearer box is taken
    touch(words, x="key")
    touch(below, x="key")
    below.set(ylim=(-n - 1, n + 1), xlabel="place of the key", ylabel="relative,\nin places", xticks=places)

    def update(query, key):
        _frame_words(boxes, names, arc, query, key)
        for place, bar, number in zip(places, bars, numbers):
            relative = place - query
            bar.set_height(relative)
            bar.set_alpha(1.0 if place == key else 0.35)
            number.set_text(_signed(relative))
            number.set_position((place, relative + (0.3 if relative >= 0 else -0.3)))
            number.set_va("bottom" if relative >= 0 else "top")
            number.set_weight("bold" if place == key else "normal")
        return (f"Query {query} ({SENTENCE[query]}) looks at key {key} ({SENTENCE[key]}): "
                f"relative = {key} − {query} = {_signed(key - query)}, {_in_words(key - query)}.")
    return update


ROLE_MEANS = {"query": "who asks", "key": "who is asked", "content": "what a word means", "position": "where it stands, and offsets",
              "neutral": "has none of these roles", "wrong": "an error, or what should not be"}


def colour_legend():
    """Every role's colour and every number format's colour and dash, as a picture that stands still."""
    with style():
        fig = new_figure(8.0, 2.4)
        roles, formats = fig.subplots(1, 2, width_ratios=[1.5, 1])
        for ax, names in ((roles, ROLES), (formats, FORMAT_LINES)):
            ax.set(xlim=(0, 10), ylim=(len(ROLES) - 0.4, -0.9))
            bare(ax)
            ax.set_title("Roles" if ax is roles else "Number formats", fontsize=11)
            for row, (name, look) in enumerate(names.items()):
                color, dash = (look, "-") if ax is roles else look
                ax.plot([0.2, 1.4] if ax is roles else [0.2, 3.2], [row, row], color=color, ls=dash, lw=9 if ax is roles else 2.5, solid_capstyle="butt")
                ax.text(1.9 if ax is roles else 3.9, row, name, va="center", color=color, weight="bold")
        for row, name in enumerate(ROLES):
            roles.text(4.4, row, ROLE_MEANS[name], va="center")
    return fig


def _frame_words(boxes, names, arc, query, key):
    """Put the query's and the key's box and name where they belong, and an arrow from one to the other."""
    for box, name, place, shift in zip(boxes.values(), names, (query, key), (0.04, 0.0)):
        box.set_bounds(place - 0.4 + shift, -0.21 + shift, 0.8 - 2 * shift, 0.42 - 2 * shift)
        name.set_position((place, -0.33))
    names[0].set_text("query" if query != key else "query = key")
    names[1].set_text("key" if query != key else "")
    arc.set_positions((query, 0.32), (key, 0.32))
    arc.set(arrowstyle="-|>", mutation_scale=16, linewidth=1.8, color=INK, visible=query != key,
            connectionstyle=f"arc3,rad={-0.9 / max(abs(key - query), 1) * np.sign(key - query)}")


def _signed(number):
    return "0" if number == 0 else f"{number:+d}".replace("-", "−")


def _in_words(relative):
    if relative == 0:
        return "the word itself"
    size = f"{abs(relative)} place{'s' if abs(relative) > 1 else ''}"
    return f"{size} ahead" if relative > 0 else f"{size} back"
