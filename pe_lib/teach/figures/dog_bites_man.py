"""The figures of chapter 1: one head of attention, three words, and what changes when they trade places.

The head is the one the chapter writes out by hand; every number comes from ``pe_lib.attention``.
"""

from itertools import permutations

import numpy as np
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke

from pe_lib.attention import attention, attention_scores, causal_mask, cosine_similarity, softmax
from pe_lib.teach.data.dog_bites_man import BASE, EMBEDDING, FEATURES, POSITIONS, W_K, W_Q, W_V, WORDS, matrices
from pe_lib.teach.plots import CONTENT, INK, KEY, POSITION, QUERY, attention_grid, signed, write_cells

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
    grids = [attention_grid(ax, np.zeros((3, 3)), WORDS, colorbar=False, annotate=True, animated=True)
             for ax in (left, middle)]
    middle.set_ylabel("")
    for ax in (left, middle):
        ax.spines[:].set_visible(False)
        ax.tick_params(length=0)
    fig.colorbar(grids[0], ax=[left, middle], location="bottom", label="attention weight", shrink=0.7, aspect=30)
    frames = [[ax.add_patch(_frame(color)) for color in (KEY, QUERY)] for ax in (left, middle)]
    bars = _paired_bars(right, low, 1.05)

    def draw(order, follow, weight_matrices, kind):
        bias, rows, outputs = bias_table(kind), [], []
        for sentence, grid, (down, across) in zip((BASE, order), grids, frames):
            output, weights = run_head(sentence, weight_matrices, bias)
            words = sentence.split()
            _write_weights(grid, weights, hidden=np.isneginf(bias))
            grid.axes.set_xticks(range(3), words)
            grid.axes.set_yticks(range(3), words)
            grid.axes.set_title(f"“{sentence}”", fontsize=11)
            rows.append(words.index(follow))
            across.set_y(rows[-1] - 0.5)
            down.set_x(rows[-1] - 0.5)
            outputs.append(output[rows[-1]])
        bars(f"output of {follow}", outputs, order)
        return rows[1], np.linalg.norm(outputs[0] - outputs[1]), outputs[1]
    return draw


def _write_weights(grid, weights, hidden):
    """Weights as colours and numbers; a cell that may not be looked at stays empty, unlike a weight of 0."""
    write_cells(grid, np.where(hidden, np.nan, weights))
    for cell in np.array(grid.cells)[hidden.ravel()]:
        cell.set_text("")


def _frame(color):
    """A box around a row (the query's colour) or a column (the key's) of a 3 by 3 grid, in a white seam."""
    across = color == QUERY
    return Rectangle((-0.5, -0.5), 3 if across else 1, 1 if across else 3, fill=False, edgecolor=color, linewidth=2.5,
                     clip_on=False, animated=True, path_effects=[withStroke(linewidth=5, foreground="white")])


def _paired_bars(ax, low, high):
    """Two bars a feature, the base order filled and the other outlined; returns what sets title, lengths and names."""
    places = np.arange(len(FEATURES))
    filled = ax.barh(places - 0.2, 0.0, 0.36, color=CONTENT, animated=True)
    outlined = ax.barh(places + 0.2, 0.0, 0.36, facecolor="white", edgecolor=CONTENT, animated=True)
    ax.axvline(0, color=INK, linewidth=0.8)
    ax.set_yticks(places, FEATURES)
    ax.set(xlim=(low, high), ylim=(3.5, -0.5), xlabel="output")
    ax.legend([filled, outlined], ["", ""], loc="upper center", bbox_to_anchor=(0.4, -0.26), handlelength=1.4)

    def set_bars(title, outputs, other):
        for bars, lengths in zip((filled, outlined), outputs):
            for bar, length in zip(bars, lengths):
                bar.set_width(length)
        ax.set_title(title, fontsize=11)
        for text, sentence in zip(ax.get_legend().get_texts(), (BASE, other)):
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
    right.set_title("how far apart the two dogs are", fontsize=11)

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
    name = left.annotate("key", (0, 0), (0, 0), textcoords="offset points", color=KEY, ha="center", va="center", animated=True)
    (score_line,) = right.plot(lengths, lengths, color=CONTENT, linestyle="-", label="score, q·k/√2", animated=True)
    (cosine_line,) = right.plot(lengths, lengths, color=INK, linestyle="--", label="cosine", animated=True)
    (marks,) = right.plot([], [], "o", color=INK, animated=True)
    right.set(xlim=(0, 4.1), ylim=(-3.1, 3.1), xlabel="length of the key", ylabel="score and cosine")
    right.legend(loc="lower left")

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
