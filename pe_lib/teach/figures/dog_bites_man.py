"""The figures of chapter 1: one head of attention, three words, and what changes when they trade places.

The head is the one that the chapter writes out by hand; every number comes from ``pe_lib.attention``.
"""

from itertools import permutations

import numpy as np
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke

from pe_lib.attention import attention, attention_scores, causal_mask, cosine_similarity, softmax
from pe_lib.teach.data.dog_bites_man import BASE, EMBEDDING, FEATURES, POSITIONS, W_K, W_Q, W_V, WORDS, matrices
from pe_lib.teach.plots import CONTENT, FAINT, INK, KEY, KEY_TEXT, POSITION, QUERY, attention_grid, bare, signed, write_cells
from pe_lib.teach.touch import touch

ORDERS = [" ".join(order) for order in permutations(WORDS)]
BIASES = ("none", "causal mask", "−|j − i|")


def run_head(sentence, weight_matrices=(W_Q, W_K, W_V), bias=0.0, positions=0.0):
    """Output (n, 4) and weights (n, n) of the head for a sentence, its words in the order given."""
    x = np.array([EMBEDDING[word] for word in sentence.split()], dtype=float) + positions
    q, k, v = (x @ w for w in weight_matrices)
    return attention(q, k, v, bias)


def bias_table(kind, n=3):
    """What is added to the scores: nothing, the causal mask, or minus the distance between key and query."""
    relative = np.arange(n) - np.arange(n)[:, None]       # key minus query
    return {"none": np.zeros((n, n)), "causal mask": causal_mask(n), "−|j − i|": -np.abs(relative)}[kind]


def one_pair(fig):
    """One pair of words in two sentences: its cell in both grids, its product number by number, the query word's outputs."""
    sides = fig.add_gridspec(1, 2, width_ratios=[2.3, 1])
    lefts, rights = sides[0].subgridspec(2, 1, height_ratios=[2.3, 1]), sides[1].subgridspec(2, 1, height_ratios=[1.2, 1])
    (left, middle), table = lefts[0].subgridspec(1, 2).subplots(), fig.add_subplot(lefts[1])
    right, orders = fig.add_subplot(rights[0]), fig.add_subplot(rights[1])
    grids = _two_grids(fig, left, middle, location="right", shrink=0.9, aspect=22)
    frames = [[ax.add_patch(patch) for patch in (_frame(KEY, 1, 3), _frame(QUERY, 3, 1))] for ax in (left, middle)]
    cells = [ax.add_patch(_frame(INK, 1, 1)) for ax in (left, middle)]
    bars, product, choose = _paired_bars(right, 0.0, 1.05, below=-0.34), _product(table), _list_of_orders(orders)
    touch(left, x="key", y="query")
    touch(orders, y="order")

    def update(query, key, order):
        where, outputs = [], []
        for sentence, map_of, cell, (down, across) in zip((BASE, order), grids, cells, frames):
            output, table_of_weights = run_head(sentence)
            row, column = map(sentence.split().index, (query, key))
            _show_sentence(map_of, sentence, table_of_weights)
            across.set_y(row - 0.5)
            down.set_x(column - 0.5)
            cell.set_xy((column - 0.5, row - 0.5))
            outputs.append(output[row])
            where.append(f"{signed(table_of_weights[row, column])} in “{sentence}” (row {row}, column {column})")
        said = product(query, key, signed(run_head(BASE)[1][WORDS.index(query), WORDS.index(key)]))
        bars(f"output of {query}", outputs, order)
        choose(order)
        return (f"{query.capitalize()} looks at {key}: {said}. The weight is {where[0]} and {where[1]}. "
                f"The output of {query} is {_verdict(np.linalg.norm(outputs[0] - outputs[1]))} in both.")
    return update


def _product(ax):
    """The query of one word times the key of another, feature by feature; returns what shows a pair and says it."""
    bare(ax)
    ax.set(xlim=(0, 10), ylim=(-0.1, 4))
    places, options = [2.9, 4.1, 5.3, 6.5], {"va": "center", "animated": True}
    for x, feature in zip(places, FEATURES):
        ax.text(x, 3.5, feature, ha="center", va="center", fontsize=9)
    rows = [(ax.text(0, y, "", color=color, **options), [ax.text(x, y, "", color=color, ha="center", **options) for x in places])
            for y, color in ((2.5, QUERY), (1.5, KEY_TEXT), (0.5, INK))]
    for x in places[:-1]:
        ax.text(x + 0.6, 0.5, "+", ha="center", va="center")
    ax.plot([0, 6.8], [1, 1], color=INK, linewidth=0.8)
    steps = [ax.text(7.4, y, "", **options) for y in (2.5, 1.5, 0.5)]

    def show(query, key, weight):
        q, k = np.array(EMBEDDING[query]) @ W_Q, np.array(EMBEDDING[key]) @ W_K
        score = attention_scores([q], [k])[0, 0]
        for (name, numbers), text, values in zip(rows, (f"query of {query}", f"key of {key}", "products"), (q, k, q * k)):
            name.set_text(text)
            for number, value in zip(numbers, values):
                number.set_text(f"{value:g}")
        for step, text in zip(steps, (f"sum: q·k = {q @ k:g}", f"score: {q @ k:g}/√4 = {score:.1f}", f"weight: {weight}")):
            step.set_text(text)
        return f"query {_short(q)} times key {_short(k)} is {q @ k:g}, so the score is {q @ k:g}/√4 = {score:.1f}"
    return show


def _short(values):
    return "[" + "\N{NO-BREAK SPACE}".join(f"{value:g}" for value in values) + "]"


def _list_of_orders(ax):
    """The six orders, one below the other, the chosen one on a bar; returns what chooses."""
    bare(ax)
    ax.set(xlim=(0, 1), ylim=(len(ORDERS) - 0.5, -0.5))
    ax.set_title("second sentence", fontsize=11, loc="center")
    bar = ax.add_patch(Rectangle((0, 0), 1, 1, color=FAINT, alpha=0.6, animated=True))
    for place, order in enumerate(ORDERS):
        ax.text(0.04, place, order, va="center", fontsize=9.5)
    return lambda order: bar.set_y(ORDERS.index(order) - 0.5)


def permuted_attention(fig):
    """The weights of one sentence in two orders, and one word's output in both: six orders, any matrices."""
    draw = _two_orders(fig, low=-1.05)

    def update(order, follow, seed):
        row, gap, output = draw(order, follow, matrices(seed), "none")
        return f"In “{order}”, {follow} is row {row} and comes out as {_vector(output)}; in “{BASE}” it is {_verdict(gap)}."
    return update


def masked_attention(fig):
    """The same two orders with something added to the scores: a causal mask, or minus the distance."""
    draw = _two_orders(fig)

    def update(order, follow, bias):
        row, gap, output = draw(order, follow, matrices(0), bias)
        added = "nothing" if bias == "none" else bias
        return (f"Added to the scores: {added}. In “{order}”, {follow} is row {row} and comes out as {_vector(output)}; "
                f"in “{BASE}” it is {_verdict(gap)}.")
    return update


def _two_orders(fig, low=0.0):
    """Two attention grids and a pair of bars for every feature; returns what draws them for a setting."""
    left, middle, right = fig.subplots(1, 3, width_ratios=[1, 1, 1.15])
    grids = _two_grids(fig, left, middle, location="bottom", shrink=0.7, aspect=30)
    frames = [[ax.add_patch(patch) for patch in (_frame(KEY, 1, 3), _frame(QUERY, 3, 1))] for ax in (left, middle)]
    bars = _paired_bars(right, low, 1.05)
    touch(left, y="follow")

    def draw(order, follow, weight_matrices, kind):
        bias, rows, outputs = bias_table(kind), [], []
        for sentence, grid, (down, across) in zip((BASE, order), grids, frames):
            output, weights = run_head(sentence, weight_matrices, bias)
            _show_sentence(grid, sentence, weights, hidden=np.isneginf(bias))
            rows.append(sentence.split().index(follow))
            across.set_y(rows[-1] - 0.5)
            down.set_x(rows[-1] - 0.5)
            outputs.append(output[rows[-1]])
        bars(f"output of {follow}", outputs, order)
        return rows[1], np.linalg.norm(outputs[0] - outputs[1]), outputs[1]
    return draw


def _two_grids(fig, left, right, **colorbar):
    """Two attention grids with one colour bar; words and titles move, so they are animated texts and not tick labels."""
    grids = [attention_grid(ax, np.zeros((3, 3)), [""] * 3, colorbar=False, annotate=True, animated=True) for ax in (left, right)]
    for grid in grids:
        ax = grid.axes
        ax.spines[:].set_visible(False)
        ax.tick_params(length=0)
        ax.xaxis.labelpad, ax.yaxis.labelpad = 16, 38
        ax.title.set(animated=True, fontsize=11)
        grid.words = [(ax.text(i, 2.6, "", ha="center", va="top", fontsize=10, animated=True),
                       ax.text(-0.6, i, "", ha="right", va="center", fontsize=10, animated=True)) for i in range(3)]
    right.set_ylabel("")
    fig.colorbar(grids[0], ax=[left, right], label="attention weight", **colorbar)
    return grids


def _show_sentence(grid, sentence, weights, hidden=None):
    """A sentence's words and weights in a grid; the cell of a masked pair stays empty, unlike one with a weight of 0."""
    write_cells(grid, weights if hidden is None else np.where(hidden, np.nan, weights))
    for pair, word in zip(grid.words, sentence.split()):
        for text in pair:
            text.set_text(word)
    grid.axes.title.set_text(f"“{sentence}”")


def _frame(color, wide, high):
    """A box around cells of a grid, in a white seam: around a row in the query's colour, around a column in the key's."""
    return Rectangle((-0.5, -0.5), wide, high, fill=False, edgecolor=color, linewidth=2.5, clip_on=False, animated=True,
                     path_effects=[withStroke(linewidth=5, foreground="white")])


def _paired_bars(ax, low, high, below=-0.26):
    """Two bars for each feature, the base order filled and the other outlined; returns what sets title, lengths and names."""
    places = np.arange(len(FEATURES))
    filled = ax.barh(places - 0.2, 0.0, 0.36, color=CONTENT, animated=True)
    outlined = ax.barh(places + 0.2, 0.0, 0.36, facecolor="white", edgecolor=CONTENT, animated=True)
    ax.axvline(0, color=INK, linewidth=0.8)
    ax.set_yticks(places, FEATURES)
    ax.set(xlim=(low, high), ylim=(3.5, -0.5), xlabel="output")
    legend = ax.legend([filled, outlined], [f"in “{BASE}”"] * 2, loc="upper center", bbox_to_anchor=(0.4, below), handlelength=1.4)
    for moving in (legend, *legend.get_texts(), ax.title):
        moving.set_animated(True)
    ax.title.set_fontsize(11)

    def set_bars(title, outputs, other):
        for bars, lengths in zip((filled, outlined), outputs):
            for bar, length in zip(bars, lengths):
                bar.set_width(length)
        ax.title.set_text(title)
        for text, sentence in zip(legend.get_texts(), (BASE, other)):
            text.set_text(f"in “{sentence}”")
    return set_bars


def _vector(values):
    return "[" + ", ".join(map(signed, values)) + "]"


def _verdict(gap):
    return "the same vector" if gap < 1e-9 else f"another vector, {signed(gap)} away"


def added_positions(fig):
    """Both *dog* vectors once strength times a position vector is added to every word, and how far apart they are."""
    left, right = fig.subplots(1, 2, width_ratios=[1, 1.2])
    other, strengths = "man bites dog", np.linspace(0, 2, 81)
    bars = _paired_bars(left, -2.1, 2.1)
    (curve,) = right.plot(strengths, 0 * strengths, color=POSITION, linestyle="-", animated=True)
    (mark,) = right.plot([0], [0], "o", color=INK, animated=True)
    right.set(xlim=(0, 2.04), ylim=(-0.03, 0.8), xlabel="strength of the position vectors", ylabel="distance")
    right.set_title("how far apart the two dogs are", fontsize=11, loc="center")
    touch(right, x="strength")

    def dogs(kind, strength):
        first, second = (run_head(s, positions=strength * POSITIONS[kind])[0] for s in (BASE, other))
        return first[0], second[2]

    def apart(kind, strength):
        return np.linalg.norm(np.subtract(*dogs(kind, strength)))

    def update(kind, strength):
        gap = apart(kind, strength)
        bars("output of dog", dogs(kind, strength), other)
        curve.set_ydata([apart(kind, s) for s in strengths])
        mark.set_data([strength], [gap])
        return (f"With {kind}, times {strength:.2f}, the dog that bites and the dog that is bitten are "
                f"{'the same vector' if gap < 1e-9 else f'{gap:.2f} apart'}.")
    return update


def long_key(fig):
    """A query of length 1 and a key to stretch and turn: the scaled score follows the length, the cosine does not."""
    left, right = fig.subplots(1, 2, width_ratios=[1.25, 1])
    q, lengths = np.array([[1.0, 0.0]]), np.linspace(0.1, 4, 79)
    left.set(xlim=(-5.2, 5.2), ylim=(-0.8, 4.9), aspect="equal", xlabel="first coordinate", ylabel="second coordinate")
    arrow = {"angles": "xy", "scale_units": "xy", "scale": 1, "animated": True, "headwidth": 3, "headlength": 3.2, "headaxislength": 3}
    key = left.quiver([0], [0], [1], [0], color=KEY, width=0.011, **arrow)
    left.quiver([0], [0], [1], [0], color=QUERY, width=0.011, zorder=3, **arrow)
    left.annotate("query", (0.5, 0), (0, -7), textcoords="offset points", color=QUERY, ha="center", va="top")
    name = left.annotate("key", (0, 0), (0, 0), textcoords="offset points", color=KEY_TEXT, ha="center", va="center", animated=True)
    (score_line,) = right.plot(lengths, lengths, color=CONTENT, linestyle="-", label="score, q·k/√2", animated=True)
    (cosine_line,) = right.plot(lengths, lengths, color=INK, linestyle="--", label="cosine", animated=True)
    (marks,) = right.plot([], [], "o", color=INK, animated=True)
    right.set(xlim=(0, 4.1), ylim=(-3.1, 3.1), xlabel="length of the key", ylabel="score and cosine")
    right.legend(loc="lower left")
    touch(left, angle="angle", radius="length", per=np.pi / 180)
    touch(right, x="length")

    def update(length, angle):
        direction = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
        score = attention_scores(q, [length * direction])[0, 0] + 0.0
        cosine = cosine_similarity(q, [direction])[0, 0] + 0.0
        key.set_UVC(*(length * direction)[:, None])
        name.xy = length * direction
        name.set_position((14 * direction[0], 12))        # in points from the tip: outward, and above both arrows
        score_line.set_ydata(attention_scores(q, lengths[:, None] * direction)[0])
        cosine_line.set_ydata(cosine_similarity(q, lengths[:, None] * direction)[0])
        marks.set_data([length, length], [score, cosine])
        share = softmax([score, 0.0])[0]
        return (f"A key of length {length:.2f}, {angle} degrees from the query: score {signed(score)}, cosine "
                f"{signed(cosine)}. Beside one key of score 0 it gets {share:.0%} of the weight.")
    return update
