"""The figures of chapter 11: one head under six schemes, one pair of vectors told its positions in three ways, a phase for each pair."""

import numpy as np
from matplotlib.patches import Rectangle

from pe_lib.attention import attention_scores, softmax
from pe_lib.rotary import pair_contributions, rotate
from pe_lib.sinusoidal import encode_angles
from pe_lib.teach.data.dog_bites_man import BASE, FEATURES, W_K, W_Q, W_V
from pe_lib.teach.data.side_by_side import CHANGES, FIRST, SCHEMES, content
from pe_lib.teach.plots import CONTENT, FAINT, INK, KEY, NEUTRAL, POSITION, QUERY, attention_grid, bare, signed, write_cells
from pe_lib.teach.touch import touch

REACH = 8                                                 # how far the curve of scores goes, in tokens


def scores_between(scheme, queries, keys, positions):
    """Scores (n, n) of chapter 1's head for words queries and keys, (n, 4) each, that stand at positions (n,)."""
    added = scheme.vectors(positions, 4)
    q, k = (queries + added) @ W_Q, (keys + added) @ W_K
    q, k = rotate(q, positions, scheme.inv_freq), rotate(k, positions, scheme.inv_freq)
    return attention_scores(q, k) + scheme.bias(len(q), len(k))


def one_head(scheme, sentence, first=FIRST):
    """Scores (n, n), weights (n, n) and outputs (n, 4) for a sentence whose first word stands at position first."""
    x = content(sentence)
    positions = first + np.arange(len(x))
    scores = scores_between(scheme, x, x, positions)
    return scores, softmax(scores), softmax(scores) @ ((x + scheme.vectors(positions, 4)) @ W_V)


def along(scheme, query, key, position):
    """The score of two words, the query at a position, the key 8 tokens before it to 8 after it: (17,)."""
    words = [np.repeat(content(word), 2 * REACH + 1, axis=0) for word in (query, key)]
    return scores_between(scheme, *words, position + np.arange(-REACH, REACH + 1))[REACH]


def changed(change):
    """(sentence, position of its first word) after the change."""
    return "man bites dog" if change == CHANGES[1] else BASE, FIRST + 100 * (change == CHANGES[2])


def bench(fig):
    """Four pictures of one head of attention: its scores and its weights as maps, the output of *dog*, and the score of one pair against the offset."""
    sides = fig.add_gridspec(1, 2, width_ratios=[1.75, 1])
    maps = [_empty_map(ax, **look) for ax, look in zip(sides[0].subgridspec(1, 2).subplots(), ({"kind": "signed", "limits": (-6, 6)}, {}))]
    for image, name, ticks in zip(maps, ("score", "attention weight"), ((-6, 0, 6), (0, 0.5, 1))):
        fig.colorbar(image, ax=image.axes, location="top", label=name, ticks=ticks, aspect=25, pad=0.03)
    maps[1].axes.set_ylabel("")
    cells = [image.axes.add_patch(Rectangle((0, 0), 1, 1, fill=False, ec=INK, lw=3, zorder=3, animated=True)) for image in maps]
    bars_axes, curve_axes = sides[1].subgridspec(2, 1, height_ratios=[1, 1.1]).subplots()
    bars, curve = _two_outputs(bars_axes), _curve(curve_axes)
    for image in maps:
        touch(image.axes, x="key", y="query")

    def update(scheme, change, query, key):
        sentence, first = changed(change)
        words, old = sentence.split(), one_head(SCHEMES[scheme], BASE)
        for cell in cells:
            cell.set_xy((key - 0.5, query - 0.5))
        try:
            new = one_head(SCHEMES[scheme], sentence, first)
        except ValueError as error:                       # the learned table: that there is no row is what the picture says
            new = None
            reason = str(error).split(":")[0]
        for image, values, digits in zip(maps, (None, None) if new is None else new, (1, 2)):
            write_cells(image, np.full((3, 3), np.nan) if values is None else values, digits)
            for place, pair in enumerate(image.words):
                for text in pair:
                    text.set_text(f"{words[place]}\n{first + place}")
        outputs = [old[2][0], None if new is None else new[2][words.index("dog")]]
        bars(outputs)
        curve(scheme, words[query], words[key], first + query, key - query, None if new is None else new[0][query, key])
        start = f"{scheme[0].upper()}{scheme[1:]}, {'as it stands' if change == CHANGES[0] else change}"
        if new is None:
            return f"{start}: {reason}. So there is no score at all."
        gap = np.linalg.norm(outputs[0] - outputs[1])
        verdict = "" if change == CHANGES[0] else f" The output of dog is {'the same vector as before' if gap < 1e-9 else f'{gap:.2f} away from what it was'}."
        return (f"{start}: {words[query]} (position {first + query}) looks at {words[key]} ({first + key}), relative = {signed(key - query, 0)}. "
                f"The score is {signed(new[0][query, key])} and the weight {new[1][query, key]:.2f}.{verdict}")
    return update


def _empty_map(ax, **look):
    """A map of three words by three whose words and positions are animated texts, since they change with the switch."""
    image = attention_grid(ax, np.zeros((3, 3)), [""] * 3, label=None, colorbar=False, annotate=True, animated=True, **look)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.xaxis.labelpad, ax.yaxis.labelpad = 30, 38
    ax.set(xlabel="key", ylabel="query")
    image.words = [(ax.text(i, 2.6, "", ha="center", va="top", fontsize=10, animated=True),
                    ax.text(-0.6, i, "", ha="right", va="center", fontsize=10, animated=True)) for i in range(3)]
    return image


def _two_outputs(ax):
    """The output of dog, feature by feature: filled before the change, outlined after it."""
    places = np.arange(len(FEATURES))
    filled = ax.barh(places - 0.2, 0.0, 0.36, color=CONTENT, animated=True, label="at first")
    outlined = ax.barh(places + 0.2, 0.0, 0.36, facecolor="white", edgecolor=CONTENT, animated=True, label="now")
    ax.axvline(0, color=INK, linewidth=0.8, ls="-")
    ax.set_yticks(places, FEATURES)
    ax.set(xlim=(-1.1, 1.7), ylim=(3.5, -0.5))
    ax.set_title("output of dog", fontsize=11)
    ax.legend(loc="lower right", bbox_to_anchor=(1.04, 0.97), ncols=2, fontsize=9, handlelength=1.2, columnspacing=1, borderpad=0)

    def show(outputs):
        for bars, values in zip((filled, outlined), outputs):
            for bar, value in zip(bars, np.zeros(4) if values is None else values):
                bar.set_width(value)
    return show


def _curve(ax):
    """A score against the offset: of the two words at the positions where they stand now, and 100 tokens earlier."""
    offsets = np.arange(-REACH, REACH + 1)
    (before,) = ax.plot([], [], color=FAINT, ls="--", lw=3, animated=True, label="at first")
    (line,) = ax.plot([], [], color=POSITION, ls="-", animated=True, label="now")
    (dot,) = ax.plot([], [], "o", color=INK, ls="", ms=7, zorder=4, animated=True)
    ax.set(xlim=(-REACH - 0.5, REACH + 0.5), ylim=(-6.5, 6.5), xlabel="key − query (tokens)", ylabel="score")
    ax.legend(loc="lower right", fontsize=9, ncols=2, handlelength=2.6)

    def show(scheme, query, key, position, offset, score):
        origin = position - 100 if position > 100 else position
        before.set_data(offsets, along(SCHEMES[scheme], query, key, origin))
        line.set_data(offsets, np.full(offsets.size, np.nan) if score is None else along(SCHEMES[scheme], query, key, position))
        dot.set_data([offset], [np.nan if score is None else score])
    return show


CONTENT_QUERY, CONTENT_KEY = np.array([2.0, 1.0]), np.array([1.0, 3.0])
STEP = np.pi / 6                                          # radians per token, in the figure and not in the example by hand


def told(way, position, content_vector):
    """A vector of two features told its position: by a vector that is added, by nothing (the bias is in the score), by a rotation."""
    if way == "added":
        return content_vector + encode_angles([position * STEP])
    return rotate(content_vector[None], [position], [STEP])[0] if way == "rotated" else content_vector


def three_ways(fig, reach=4.3, slope=0.5):
    """A query and a key as arrows in three pictures: with a position vector added, with a bias on their score, and rotated."""
    ways, titles = ("added", "bias", "rotated"), ("a vector is added", "a bias is added to the score", "both are rotated")
    panels = []
    for ax, way, title in zip(fig.subplots(1, 3), ways, titles):
        ax.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal", xticks=[-4, 0, 4], yticks=[-4, 0, 4])
        ax.set_title(title, fontsize=11)
        for vector, color in ((CONTENT_QUERY, QUERY), (CONTENT_KEY, KEY)):
            ax.plot([0, vector[0]], [0, vector[1]], color=color, ls=":", lw=1.6)
        arrow = {"angles": "xy", "scale_units": "xy", "scale": 1, "animated": True, "width": 0.016, "zorder": 3}
        hands = [ax.quiver([0], [0], [1], [0], color=color, **arrow) for color in (QUERY, KEY)]
        added = [ax.quiver([0], [0], [1], [0], color=POSITION, **arrow | {"width": 0.01}) for _ in range(2)] if way == "added" else []
        panels.append((way, hands, added, ax.text(0, -reach + 0.3, "", ha="center", va="bottom", fontsize=11, animated=True)))
    rotated = fig.axes[2]
    for name, vector in (("query", CONTENT_QUERY), ("key", CONTENT_KEY)):
        touch(rotated, angle=name, per=STEP, start=float(np.arctan2(*vector[::-1])), plus="both")

    def update(query, key, both):
        said = []
        for way, hands, added, label in panels:
            vectors = [told(way, position + both, vector) for position, vector in ((query, CONTENT_QUERY), (key, CONTENT_KEY))]
            score = vectors[0] @ vectors[1] - (slope * abs(key - query) if way == "bias" else 0.0)
            for hand, vector in zip(hands, vectors):
                hand.set_UVC(*vector[:, None])
            for hand, vector, start in zip(added, vectors, (CONTENT_QUERY, CONTENT_KEY)):
                hand.set_offsets([start])
                hand.set_UVC(*(vector - start)[:, None])
            bias = f"5 − {slope * abs(key - query):.1f} = " if way == "bias" else ""
            label.set_text(f"score {bias}{signed(score)}")
            said.append(signed(score))
        return (f"The query at position {query + both}, the key at {key + both}, relative = {signed(key - query, 0)}. Without positions the score is 5. "
                f"With vectors added it is {said[0]}, with a bias {said[1]}, with both rotated {said[2]}.")
    return update


PHASE_FREQ = np.array([1.0, 0.3])                         # radians per token of the two pairs


def phase_scores(first, second, relative):
    """A query (1, 0, 1, 0), a key whose pairs lie at two angles (radians) from it: the parts (..., 2) of the rotated score."""
    key = [np.cos(first), np.sin(first), np.cos(second), np.sin(second)]
    return pair_contributions([1.0, 0.0, 1.0, 0.0], key, relative, PHASE_FREQ)


def a_phase_for_each_pair(fig, reach=16):
    """A rotated score against the offset beside what one added angle would give, and the phase of each of its two pairs on a dial."""
    left, *dials = fig.subplots(1, 3, width_ratios=[2, 1, 1])
    offsets = np.arange(-reach, reach + 1)
    (actual,) = left.plot([], [], "-", color=POSITION, animated=True, label="rotary: a phase for each pair")
    (single,) = left.plot([], [], "--", color=NEUTRAL, animated=True, label="one angle added to the cosine")
    (dot,) = left.plot([], [], "o", color=INK, ls="", ms=7, animated=True)
    left.set(xlim=(-reach, reach), ylim=(-2.2, 2.2), xlabel="key − query (tokens)", ylabel="score")
    left.legend(loc="lower center", bbox_to_anchor=(0.5, 1), fontsize=9)
    touch(left, x="relative")
    hands = []
    for number, (ax, name) in enumerate(zip(dials, ("first", "second"))):
        bare(ax)
        ax.set(xlim=(-1.25, 1.25), ylim=(-1.25, 1.25), aspect="equal")
        ax.plot(np.cos(np.linspace(0, 2 * np.pi, 100)), np.sin(np.linspace(0, 2 * np.pi, 100)), color=FAINT, ls="-")
        ax.set_title(f"pair {number}: phase", fontsize=11)
        ax.plot([0, 1], [0, 0], color=QUERY, ls="-", lw=3)
        hands.append((ax.plot([], [], color=KEY, ls=":", lw=1.6, animated=True)[0], ax.plot([], [], color=KEY, ls="-", lw=3, animated=True)[0],
                      ax.text(0, -1.2, "", ha="center", va="bottom", animated=True)))
        touch(ax, angle=name, per=np.pi / 180)

    def update(first, second, relative):
        start = np.radians([first, second])
        actual.set_data(offsets, phase_scores(*start, offsets).sum(axis=-1))
        angle = np.arccos(np.clip(phase_scores(*start, 0).sum() / 2, -1, 1))
        single.set_data(offsets, 2 * np.cos(angle + offsets * PHASE_FREQ[0]))
        parts = phase_scores(*start, relative)
        dot.set_data([relative], [parts.sum()])
        for (rest, hand, label), at_rest, phase, part in zip(hands, start, start + relative * PHASE_FREQ, parts):
            rest.set_data([0, np.cos(at_rest)], [0, np.sin(at_rest)])
            hand.set_data([0, np.cos(phase)], [0, np.sin(phase)])
            label.set_text(f"cosine {signed(part)}")
        return (f"At relative = 0 the key’s pairs lie {signed(first, 0)} and {signed(second, 0)} degrees from the query’s. At relative = {signed(relative, 0)} the parts are "
                f"{signed(parts[0])} and {signed(parts[1])}, in all {signed(parts.sum())}; one angle added to the cosine would give "
                f"{signed(2 * np.cos(angle + relative * PHASE_FREQ[0]))}.")
    return update
