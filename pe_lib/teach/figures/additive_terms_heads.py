"""Heads built by hand in chapter 3: what they look at, what share each term has in it, and when position–position has stripes."""

import numpy as np

from pe_lib.additive import score_terms, variance_shares
from pe_lib.attention import attention_scores, causal_mask, softmax
from pe_lib.frequencies import inverse_frequencies
from pe_lib.sinusoidal import offset_matrix, sinusoidal_encoding
from pe_lib.teach.data.additive_terms import CONTENTS, DIM, PLACES
from pe_lib.teach.figures.additive_terms import STYLES, TERMS, named
from pe_lib.teach.plots import CARD, FAINT, INK, POSITION, heat_map, signed
from pe_lib.teach.touch import touch

GAIN = 20


def position_reader(contents, places):
    """The linear map (d, d) that sends every content to 0 and every place to itself, as nearly as the two allow."""
    return np.linalg.lstsq(np.vstack([contents, places]), np.vstack([0 * contents, places]), rcond=None)[0]


def built_heads():
    """Name -> W_Q, W_K (64, 64) of the heads whose terms are weighed."""
    back, identity, reader = offset_matrix(1, inverse_frequencies(DIM)), np.eye(DIM), position_reader(CONTENTS, PLACES)
    return {
        "one back: M₁ and I": (GAIN * back, identity),
        "one back, behind the reader": (GAIN * reader @ back, reader),
        "words alone: I − reader": (identity - reader, identity - reader),
        "random matrices": tuple(np.random.default_rng(1).normal(size=(2, DIM, DIM)) / np.sqrt(DIM)),
    }


def look_back(fig, n=10, row=5):
    """A head of position–position alone, W_Q = gain M_k and W_K = I: the scores of one query, and the weights of all."""
    left, right = fig.subplots(1, 2, width_ratios=[1.15, 1])
    (stems,) = left.plot(range(n), np.zeros(n), "o-", color=POSITION, ms=6, animated=True)
    (hidden,) = left.plot([], [], "o", color=CARD, mec=POSITION, ms=6, ls="", animated=True, label="masked")
    aim = left.axvline(0, color=INK, ls=":", lw=1.5, animated=True, label="aimed at")
    left.set(xlim=(-0.5, n - 0.5), ylim=(2.4, 4.15), xticks=range(n), xlabel="key’s place", ylabel=f"score of query {row}, per gain")
    legend = left.legend(handles=[aim, hidden], loc="lower left", bbox_to_anchor=(0, 1), ncols=2)
    weights = heat_map(right, np.zeros((n, n)), kind="weights", limits=(0, 1), label="attention weight", aspect="equal", animated=True)
    right.set(xticks=range(n), yticks=range(n), xlabel="key’s place", ylabel="query’s place")
    places = sinusoidal_encoding(np.arange(n), DIM)
    touch(left, x="back", per=-1, start=row)               # the place aimed at

    def update(back, gain, masked):
        mask = causal_mask(n) if masked else np.zeros((n, n))
        scores = attention_scores(places @ offset_matrix(back, inverse_frequencies(DIM)), places)
        shares = softmax(gain * scores + mask)
        stems.set_ydata(scores[row])
        hidden.set_data(np.flatnonzero(np.isneginf(mask[row])), scores[row, np.isneginf(mask[row])])
        for part in (legend.get_texts()[1], legend.legend_handles[1]):
            part.set_visible(masked)                       # nothing is called masked where nothing is
        aim.set_xdata([row - back] * 2)
        weights.set_data(shares)
        best = shares[row].argmax()
        return (f"k = {signed(back, 0)}, gain {gain:.3g}: place {row} aims at place {row - back} and gives it {shares[row, row - back]:.2f} "
                f"of its weight. The largest weight in its row, {shares[row, best]:.2f}, is on place {best}.")
    return update


def shares_of_terms(fig, n=12):
    """What share each term has in the scores' variance within a row, as the positions grow, and the weights."""
    left, right = fig.subplots(1, 2, width_ratios=[1.25, 1])
    strengths = np.linspace(0.1, 4, 40)
    curves = [left.plot([], [], color=STYLES[term][0], ls=STYLES[term][1], label=named(term), animated=True)[0] for term in TERMS]
    (dots,) = left.plot([], [], "o", color=INK, ms=6, ls="", animated=True)
    left.axhline(0, color=FAINT, lw=1, ls="-")
    left.set(xlim=(0, 4.08), ylim=(-25, 112), xlabel="strength of the positions", ylabel="share of the variance (%)")
    left.legend(loc="lower left", bbox_to_anchor=(0, 1), fontsize=9, ncols=2)
    weights = heat_map(right, np.zeros((n, n)), kind="weights", limits=(0, 1), label="attention weight", aspect="equal", animated=True)
    right.set(xticks=[0, 5, 10], yticks=[0, 5, 10], xlabel="key’s place", ylabel="query’s place")
    heads = built_heads()
    touch(left, x="strength")

    def update(head, strength, masked):
        mask = causal_mask(n) if masked else np.zeros((n, n))
        once = score_terms(CONTENTS[:n], PLACES[:n], *heads[head])

        def terms(s):                     # each position in a term's name brings one factor s
            return {name: s ** name.count("position") * term for name, term in once.items()}

        lines = [variance_shares(terms(s), mask) for s in strengths]
        for curve, term in zip(curves, TERMS):
            curve.set_data(strengths, [100 * line[term] for line in lines])
        now = variance_shares(terms(strength), mask)
        dots.set_data([strength] * 4, [100 * now[term] for term in TERMS])
        shares = softmax(sum(terms(strength).values()) / np.sqrt(DIM) + mask)
        weights.set_data(shares)
        back = (shares[1:].argmax(axis=1) == np.arange(n - 1)).sum()
        parts = ", ".join(f"{named(term)} {signed(100 * now[term], 0)}%" for term in TERMS)
        return f"Strength {strength:.1f}: {parts}. Of {n - 1} words that have one before them, {back} look{'s' if back == 1 else ''} at it most."
    return update


def commuting_matrices(dim):
    """Name -> W_Q W_K^T (dim, dim) that commutes with the turns; the last is a stretch and a turn of its own for each pair."""
    rng = np.random.default_rng(2)
    stretch, turn = np.repeat(rng.uniform(0.3, 1.7, dim // 2), 2), offset_matrix(1, rng.uniform(-np.pi, np.pi, dim // 2))
    return {"identity": np.eye(dim), "M₁, one back": offset_matrix(1, inverse_frequencies(dim)), "own turn for each pair": stretch * turn}


def blended(fig, dim=16, n=24):
    """W_Q W_K^T between a matrix that commutes with the turns and a random one, and the position–position scores it makes."""
    fig.set_layout_engine("none")
    grid = fig.add_gridspec(2, 3, height_ratios=[20, 1], width_ratios=[1, 1, 1.25], left=0.07, right=0.98, bottom=0.17, top=0.93,
                            wspace=0.33, hspace=0.45)
    square, field, fan = (fig.add_subplot(grid[0, column]) for column in range(3))
    entries = heat_map(square, np.zeros((dim, dim)), limits=(-1.4, 1.4), colorbar=False, aspect="equal", animated=True)
    scores = heat_map(field, np.zeros((n, n)), limits=(-2, 2), colorbar=False, aspect="equal", animated=True)
    for image, column, name in ((entries, 0, "entry of $W_Q W_K^\\top$"), (scores, 1, "score, divided by √16")):
        fig.colorbar(image, cax=fig.add_subplot(grid[1, column]), orientation="horizontal", label=name)
    square.set(xticks=[0, 5, 10, 15], yticks=[0, 5, 10, 15], xlabel="key’s feature", ylabel="query’s feature")
    field.set(xticks=[0, 10, 20], yticks=[0, 10, 20], xlabel="key’s place", ylabel="query’s place")
    offsets = np.arange(n) - np.arange(n)[:, None]
    (dots,) = fan.plot(offsets.ravel(), 0.0 * offsets.ravel(), ".", color=POSITION, ms=3, ls="", animated=True)
    fan.set(xlim=(-n, n), ylim=(-2.3, 2.3), xlabel="offset, key − query (tokens)", ylabel="position–position score")
    places, commuting = sinusoidal_encoding(np.arange(n), dim), commuting_matrices(dim)
    noise = np.random.default_rng(3).normal(size=(dim, dim)) / np.sqrt(dim)

    def update(blend, kind):
        product = (1 - blend) * commuting[kind] + blend * noise
        table = score_terms(0 * places, places, product, np.eye(dim))["position_position"] / np.sqrt(dim)
        entries.set_data(product)
        scores.set_data(table)
        dots.set_ydata(table.ravel())
        spread = max(np.ptp(np.diagonal(table, k)) for k in range(1 - n, n))
        same = f"spread over up to {spread:.2f}" if spread > 1e-9 else "all equal"
        return f"{100 * blend:.0f}% random: the scores that share an offset are {same}. Place 1 gives place 0, at offset −1, the score {signed(table[1, 0])}."
    return update
