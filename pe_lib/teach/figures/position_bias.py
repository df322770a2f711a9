"""The figures of chapter 4: one number on the scores, ALiBi's lines, T5's stairs, one bias under two contents, three forms, two brackets.

Every bias comes from ``pe_lib.biases``; keys are counted by their relative position, key minus query.
"""

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from pe_lib.attention import attention_scores, causal_mask, softmax
from pe_lib.biases import alibi_bias, alibi_slopes, relative_buckets, relative_positions, table_bias
from pe_lib.rotary import rotate
from pe_lib.teach.plots import CARD, CONTENT, FAINT, INK, KEY, POSITION, QUERY, attention_grid, heat_map, signed, write_cells
from pe_lib.teach.touch import touch

SCHEMES = ("a bias b(j − i)", "a rotation", "vectors added to the words", "Shaw’s vectors")
MODES = {"causal": True, "both ways": False}
WORDS = "the dog saw the cat".split()
_KINDS, _ASKED = np.array([0, 1, 2, 0, 1]), np.array([1, 0, 1, 1, 0])      # of article, noun, verb: what each word is, and what it looks for
CONTENTS = attention_scores(4 * np.eye(4)[_ASKED], np.eye(4)[_KINDS])     # 2 where a key is of the kind that is asked for, else 0


def one_number(fig, most=4):
    """One number added to all scores of one offset: the number, the scores, and the weights that they give."""
    left, middle, right = fig.subplots(1, 3, width_ratios=[1, 1.12, 1.12])
    (stem,) = left.plot([], [], "-", color=POSITION, lw=3, solid_capstyle="butt", animated=True)
    (dot,) = left.plot([], [], "o", color=POSITION, ms=11, ls="", zorder=4, animated=True)
    left.axhline(0, color=INK, lw=0.8, ls="-")
    left.set(xlim=(-most - 0.6, most + 0.6), ylim=(-2.4, 2.4), xticks=range(-most, most + 1), xlabel="offset, key − query (tokens)", ylabel="score")
    left.tick_params(axis="x", labelsize=9)
    left.set_title("number added", fontsize=11)
    maps = [attention_grid(ax, CONTENTS, WORDS, label=None, colorbar=False, annotate=True, animated=True, **look)
            for ax, look in ((middle, {"kind": "signed", "limits": (-6, 6)}), (right, {}))]
    rows = [ax.add_patch(Rectangle((-0.5, 0), len(WORDS), 1, fill=False, ec=QUERY, lw=3, zorder=3, animated=True)) for ax in (middle, right)]
    marks = [middle.add_patch(Rectangle((0, 0), 0.84, 0.84, fill=False, ec=POSITION, lw=2.5, zorder=3, animated=True)) for _ in WORDS]
    for image, ticks, name in zip(maps, ((-6, 0, 6), (0, 0.5, 1)), ("score", "attention weight")):
        fig.colorbar(image, ax=image.axes, location="top", label=name, ticks=ticks, aspect=25, pad=0.03)
        image.axes.set_xlabel("key")
        image.axes.tick_params(length=0)
    middle.set_ylabel("query")
    right.set_ylabel("")
    touch(left, x="offset", y="number")
    touch(middle, y="query")
    touch(right, y="query")

    def update(query, offset, number):
        row = np.zeros(2 * most + 1)
        row[offset + most] = number
        scores = CONTENTS + table_bias(len(WORDS), len(WORDS), row)
        before, after = softmax(CONTENTS)[query], softmax(scores)[query]
        stem.set_data([offset, offset], [0, number])
        dot.set_data([offset], [number])
        for image, values, digits in zip(maps, (scores, softmax(scores)), (1, 2)):
            write_cells(image, values, digits)
        for place, patch in enumerate(marks):
            patch.set(xy=(place + offset - 0.42, place - 0.42), visible=0 <= place + offset < len(WORDS))
        for patch in rows:
            patch.set_y(query - 0.5)
        asks, key, best = f"“{WORDS[query]}” (word {query})", query + offset, np.flatnonzero(np.isclose(after, after.max()))
        given = (f"{asks} gives {after[key]:.2f} of its attention to “{WORDS[key]}” (word {key}), where it gave {before[key]:.2f} without the number"
                 if 0 <= key < len(WORDS) else f"{asks} has no word at this offset, so its weights stay")
        seen = " and ".join(f"“{WORDS[j]}” (word {j})" for j in best)
        return f"Added: {signed(number, 1)} at offset {signed(offset, 0)}. {given}. It looks most at {seen}{' alike' * (len(best) > 1)}."
    return update


def bias_maps(fig, n=5):
    """Three biases as tables, query down and key across: two relative ones and one that is not."""
    sink = np.zeros((n, n))
    sink[:, 0] = 3
    tables = {"−½ |j − i|": alibi_bias(n, n, 0.5), "a table of reach 2": table_bias(n, n, [-2.0, 1.0, 0.0, -1.0, -3.0]),
              "a bonus for key 0": sink}
    axes = fig.subplots(1, 3, sharey=True)
    for ax, (name, table) in zip(axes, tables.items()):
        image = heat_map(ax, table, limits=(-3, 3), colorbar=False, annotate=True, aspect="equal")
        write_cells(image, table, digits=1)
        ax.set_title(name, fontsize=11)
        ax.set(xlabel="key j", xticks=range(n), yticks=range(n))
    axes[0].set_ylabel("query i")
    fig.colorbar(image, ax=axes, label="bias (score)")


def alibi_lines(fig, most=16, reach=64):
    """The slope of every head, and the bias of three of them against the key's relative position."""
    left, right = fig.subplots(1, 2, width_ratios=[1, 1.15])
    (own,) = left.plot([], [], "o", color=POSITION, ms=7, ls="", animated=True, label="as for a power of two")
    (between,) = left.plot([], [], "^", color=POSITION, mfc=CARD, mew=2, ms=8, ls="", animated=True, label="every other one of twice as many")
    left.set(xlim=(0.4, most + 0.6), ylim=(2**-8.8, 1.6), xlabel="head h", ylabel="slope (score per token)", xticks=range(2, most + 1, 2))
    left.set_yscale("log", base=2)
    left.set_yticks([2.0**-k for k in range(1, 9)], [f"1/{2**k}" for k in range(1, 9)])
    left.minorticks_off()
    left.grid(axis="y")
    left.legend(loc="lower center", bbox_to_anchor=(0.45, 1), fontsize=9, handletextpad=0.2)
    relative = np.arange(-reach, 1)
    styles = (("-", "steepest head"), ("--", "middle head"), ("-.", "flattest head"))
    lines = [right.plot([], [], color=POSITION, ls=dash, label=name, animated=True)[0] for dash, name in styles]
    (dots,) = right.plot([], [], "o", color=INK, ls="", zorder=4, animated=True)
    here = right.axvline(0, color=INK, ls=":", lw=1.2, animated=True)
    right.set(xlim=(-reach - 2, 1), ylim=(-48, 2), xlabel="relative position, key − query (tokens)", ylabel="bias (score)")
    right.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3, fontsize=9, handlelength=2, columnspacing=1)
    touch(left, x="heads")                                # the place of the last head
    touch(right, x="distance", per=-1)

    def update(heads, distance):
        slopes, power = alibi_slopes(heads), 2 ** (heads.bit_length() - 1)
        own.set_data(np.arange(1, power + 1), slopes[:power])
        between.set_data(np.arange(power + 1, heads + 1), slopes[power:])
        three = np.sort(slopes)[[-1, heads // 2, 0]]
        bias = alibi_bias(1, reach + 1, three)[:, 0]
        for line, values in zip(lines, bias):
            line.set_data(relative, values)
        dots.set_data([-distance] * 3, bias[:, reach - distance])
        here.set_xdata([-distance] * 2)
        return (f"Slopes with {heads} head{'s' * (heads > 1)}: {three[0]:.4f} the steepest, {three[-1]:.4f} the flattest. A key {distance} token{'s' * (distance != 1)} "
                f"back needs a content score higher by {distance * three[0]:.2f} in the steepest head, and by {distance * three[-1]:.2f} in "
                "the flattest, to tie with a key at the query’s own position.")
    return update


def bucket_stairs(fig, reach=140, far=5000):
    """The bucket of every relative position as a staircase and as a table; the cells that share one bucket."""
    left, right = fig.subplots(1, 2, width_ratios=[1.6, 1])
    relative, table = np.arange(-reach, reach + 1), relative_positions(reach)
    shared = left.add_patch(Rectangle((0, -1), 1, 34, facecolor=FAINT, alpha=0.6, lw=0, animated=True))
    (stairs,) = left.plot([], [], color=POSITION, ls="-", lw=1.8, drawstyle="steps-mid", animated=True)
    (dot,) = left.plot([], [], "o", color=INK, ls="", ms=7, zorder=4, animated=True)
    here = left.axvline(0, color=INK, ls=":", lw=1.2, animated=True)
    note = left.text(reach / 2, 0.5, "ahead: masked", ha="center", transform=left.get_xaxis_transform(), color=INK, animated=True)
    left.set(xlim=(-reach - 4, reach + 4), ylim=(-0.8, 32), xlabel="relative position, key − query (tokens)", ylabel="bucket")
    image = heat_map(right, np.zeros(table.shape), kind="weights", limits=(0, 31), label="bucket", aspect="equal", animated=True)
    touch(left, x="relative_position")
    tint = [*to_rgb(FAINT), 1.0]                          # grey: in no place on the map's scale, and no role's colour
    mine = right.imshow(np.zeros((*table.shape, 4)), aspect="equal", zorder=2, animated=True)
    right.set(xlabel="key j (tokens)", ylabel="query i (tokens)", xticks=[0, 50, 100], yticks=[0, 50, 100])

    def update(relative_position, causal, buckets):
        hidden = causal & (relative > 0)                  # by the causal mask: the formula gives bucket 0, which no score uses
        found = np.where(hidden, np.nan, relative_buckets(relative, buckets, causal=causal))
        bucket = relative_buckets(relative_position, buckets, causal=causal)
        wide = np.arange(-far, 1 if causal else far + 1)
        members = wide[relative_buckets(wide, buckets, causal=causal) == bucket]
        low, high = members[[0, -1]]
        stairs.set_data(relative, found)
        masked = causal and relative_position > 0
        dot.set_data([relative_position], [np.nan if masked else bucket])
        here.set_xdata([relative_position] * 2)
        note.set_visible(causal)
        shared.set_x(max(low, -reach) - 0.5)
        shared.set_width(0 if masked else min(high, reach) - max(low, -reach) + 1)
        if left.get_ylim() != (-0.8, buckets):            # a new scale costs a full redraw: only where it is new
            left.set_ylim(-0.8, buckets)
            image.set_clim(0, buckets - 1)
        image.set_data(np.where(causal & (table > 0), np.nan, relative_buckets(table, buckets, causal=causal)))
        mine.set_data(np.where(((table >= low) & (table <= high) & (not masked))[..., None], tint, 0.0))
        if masked:
            return (f"Causal, {buckets} buckets: relative position {signed(relative_position, 0)} lies ahead of the query. The mask hides it, so "
                    "it needs no number.")
        holds = (f"everything from {signed(high, 0)} back" if low == -far else f"everything from {signed(low, 0)} on" if high == far else
                 f"{signed(low, 0)} alone" if low == high else f"{signed(low, 0)} to {signed(high, 0)}, {high - low + 1} positions")
        return (f"{'Causal' if causal else 'Both ways'}, {buckets} buckets: relative position {signed(relative_position, 0)} falls into bucket "
                f"{bucket}, which holds {holds}. {'It has' if low == high else 'All of them share'} one learned number.")
    return update


def two_contents(fig, n=8):
    """One bias added to two contents: the same steps in the scores, other steps in the weights."""
    axes = fig.subplots(2, 2, sharex=True, sharey="col")
    relative, matches = relative_positions(1, n)[0], (-7, -3)
    rows = []
    for (scores, weights), match in zip(axes, matches):
        content = scores.bar(relative, np.zeros(n), 0.6, color=CONTENT, animated=True)
        steps = [scores.plot([], [], "-", color=POSITION, lw=3, solid_capstyle="butt", animated=True)[0] for _ in relative]
        (sums,) = scores.plot([], [], "o", color=INK, ls="", ms=4, zorder=4, animated=True)
        filled = weights.bar(relative, np.zeros(n), 0.6, color=FAINT, animated=True)
        outlined = weights.bar(relative, np.zeros(n), 0.8, fill=False, edgecolor=INK, animated=True)
        scores.axhline(0, color=INK, lw=0.8, ls="-")
        scores.set(ylim=(-8, 6.8), ylabel=f"match at {signed(match, 0)}\nscore")
        weights.set(ylim=(0, 1.05), ylabel="weight")
        touch(scores, y="strength")                       # the top of the bar at the match
        touch(scores, y="slope", per=-6 if match == -7 else -7)      # the far end of the longest step that starts at 0
        rows.append((content, steps, sums, filled, outlined))
    for ax in axes[1]:
        ax.set(xlabel="relative position of the key (tokens)", xticks=relative)
    legends = ([content, steps[0], sums], ["content", "bias", "their sum"]), ([filled, outlined], ["content alone", "with the bias"])
    for ax, (handles, names) in zip(axes[0], legends):
        ax.legend(handles, names, loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3, handlelength=1.4, columnspacing=1.2)

    def update(slope, strength):
        bias, moved, winners = alibi_bias(1, n, slope)[0], [], []
        for (content, steps, sums, filled, outlined), match in zip(rows, matches):
            plain = np.where(relative == match, strength, 0.0)
            before, after = softmax(plain), softmax(plain + bias)
            for bars, heights in ((content, plain), (filled, before), (outlined, after)):
                for bar, height in zip(bars, heights):
                    bar.set_height(height)
            for step, r, low, high in zip(steps, relative, plain, plain + bias):
                step.set_data([r, r], [low, high])
            sums.set_data(relative, plain + bias)
            moved.append((after - before)[0])
            best = relative[np.isclose(after, after.max())]
            winners.append(" and ".join(signed(r, 0) for r in best) if len(best) < n else "")
        digits = 3 if slope and strength and signed(moved[0]) == signed(moved[1]) else 2      # they differ: say by how much
        largest = f"The largest weight lies at {winners[0]} above, at {winners[1]} below." if all(winners) else "All keys get the same weight, above and below."
        return (f"Slope {slope:.2f}, strength {strength:.2f}. At −7 the bias moves both scores by {signed(-7 * slope)}; it moves the weights "
                f"by {signed(moved[0], digits)} above and {signed(moved[1], digits)} below. {largest}")
    return update


FORMS = ("slope · (j − i)", "slope · j", "−slope · |j − i|")


def form_weights(slope, masked, seed, n=5):
    """The weights (3, n, n) under three forms of one bias; content: none for seed 0, else drawn at random."""
    content = np.zeros((n, n)) if seed == 0 else np.random.default_rng(seed).normal(size=(n, n))
    forms = np.array([slope * relative_positions(n), np.tile(slope * np.arange(n), (n, 1)), alibi_bias(n, n, slope)])
    return softmax(content + forms + (causal_mask(n) if masked else 0.0))


def three_forms(fig, n=5):
    """Three forms of one bias as weights: with the causal mask the same, without it not."""
    axes = fig.subplots(1, 3, sharey=True)
    images = [heat_map(ax, np.zeros((n, n)), kind="weights", limits=(0, 1), colorbar=False, annotate=True, aspect="equal", animated=True)
              for ax in axes]
    for ax, name in zip(axes, FORMS):
        ax.set_title(name, fontsize=11)
        ax.set(xlabel="key j", xticks=range(n), yticks=range(n))
    axes[0].set_ylabel("query i")
    fig.colorbar(images[0], ax=axes, label="attention weight")

    def update(slope, masked, seed):
        tables = form_weights(slope, masked, seed, n)
        for image, weights in zip(images, tables):
            write_cells(image, np.where(np.isneginf(causal_mask(n)) & masked, np.nan, weights))
        gaps = [abs(tables[0] - table).max() for table in tables[1:]]
        said = [f"the {name} {'agrees to rounding' if gap < 1e-9 else f'differs by up to {gap:.2f}'}"
                for name, gap in zip(("second", "third"), gaps)]
        return f"Slope {slope:.1f}, {'with' if masked else 'without'} the causal mask. Beside the first table, {said[0]} and {said[1]}."
    return update


def bracket_scores(scheme, one, other):
    """Scores (2, 3) of “(” and of “)” for left, own and right token of “x ( x” and “x ) x”, by one of the schemes."""
    numbers, places = np.array([[one], [other]]), np.arange(3)
    if scheme == SCHEMES[0]:                              # one: b(-1), other: b(+1), the same for both brackets
        return np.tile(table_bias(3, 3, [one, 0.0, other])[1], (2, 1))
    if scheme == SCHEMES[1]:                              # a query (0, number), a key (1, 0) for x; a quarter turn per token
        x, bracket = [1.0, 0.0], [0.0, 0.0]
        keys = rotate([x, bracket, x], places, [np.pi / 2])
        queries = rotate(np.hstack([0 * numbers, numbers])[:, None], [1], [np.pi / 2])[:, 0]
        return attention_scores(queries, keys)
    if scheme == SCHEMES[2]:                              # the key is the position, the query the bracket's number
        return attention_scores(numbers, places[:, None])
    return attention_scores(numbers, relative_positions(3)[1][:, None])


def brackets(fig, reach=6.4):
    """Where “(” and “)” look, and both as one point: the target is a quadrant of the plane."""
    grid = fig.add_gridspec(2, 2, width_ratios=[1, 1.25])
    bars_axes, plane = [fig.add_subplot(grid[row, 0]) for row in (0, 1)], fig.add_subplot(grid[:, 1])
    bars = []
    for ax, name, side in zip(bars_axes, "()", (2, 0)):
        bars.append(ax.bar(range(3), np.zeros(3), 0.6, color=[KEY if place == side else FAINT for place in range(3)], animated=True))
        ax.set(xlim=(-0.6, 2.6), ylim=(0, 1.05), xticks=range(3), xticklabels=["x", name, "x"], ylabel="weight")
        ax.set_title(f"“{name}” should look {'right' if side else 'left'}", fontsize=11)
    bars_axes[1].set_xlabel("key: the token looked at")
    plane.add_patch(Rectangle((0, -reach), reach, reach, facecolor=KEY, alpha=0.18, lw=0))
    plane.set_title("target: the shaded quadrant", fontsize=11)
    plane.axhline(0, color=INK, lw=0.8, ls="-")
    plane.axvline(0, color=INK, lw=0.8, ls="-")
    (line,) = plane.plot([], [], color=POSITION, ls="-", animated=True)
    (point,) = plane.plot([], [], "o", color=INK, ls="", ms=9, zorder=5, animated=True)
    note = plane.text(-reach + 0.2, reach - 0.2, "", va="top", color=POSITION, animated=True)
    plane.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal", xticks=range(-6, 7, 2), yticks=range(-6, 7, 2),
              xlabel="“(”: log (right / left)", ylabel="“)”: log (right / left)")

    def update(scheme, one, other):
        weights = softmax(bracket_scores(scheme, one, other))
        for row, heights in zip(bars, weights):
            for bar, height in zip(row, heights):
                bar.set_height(height)
        odds = np.log(weights[:, 2] / weights[:, 0])
        point.set_data(odds[:1], odds[1:])
        bound = scheme == SCHEMES[0]
        line.set_data([-reach, reach] if bound else [], [-reach, reach] if bound else [])
        note.set_text("all that a bias\ncan reach" if bound else "")
        leans = ["right" if x > 1e-9 else "left" if x < -1e-9 else "neither way" for x in odds]
        verdict = "as asked" if leans == ["right", "left"] else "not as asked"
        where = "b(−1) = {}, b(+1) = {}" if bound else "“(” brings {}, “)” brings {}"
        return (f"{scheme[0].upper()}{scheme[1:]}: {where.format(signed(one, 1), signed(other, 1))}. “(” leans {leans[0]}, with {weights[0, 2]:.2f} on the right; "
                f"“)” leans {leans[1]}, with {weights[1, 0]:.2f} on the left: {verdict}.")
    return update
