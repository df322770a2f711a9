"""The checks of chapter 6: the order that leads to half-split, converted weights of several heads, partial rotation in half-split."""

import numpy as np

from pe_lib.teach.checks.compare import known_mistake
from pe_lib.teach.checks.exercise import draws, exercise
from pe_lib.frequencies import inverse_frequencies
from pe_lib.layouts import permute_weights, to_half
from pe_lib.rotary import rotate


def order_by_loop(dim):
    """The specification: first features of all pairs, then their second ones."""
    return np.array([2 * m for m in range(dim // 2)] + [2 * m + 1 for m in range(dim // 2)])


CLASSIC_ORDERS = {
    "This is the way back, from half-split to interleaved. order[r] names the feature that *moves to* place r; where does feature 2 "
    "belong? (At d = 4 the two ways are the same, which hides it.)": lambda dim: np.argsort(order_by_loop(dim)),
    "The second features came first: the pairs are right, but each turns the other way round. First features 0, 2, 4, … in front.":
        lambda dim: np.roll(order_by_loop(dim), dim // 2),
    "The pairs are backwards: pair 0, the fastest, should stay first. Count up, not down.":
        lambda dim: np.concatenate([order_by_loop(dim)[: dim // 2][::-1], order_by_loop(dim)[dim // 2:][::-1]]),
    "The whole vector is reversed: neighbours stay neighbours then.": lambda dim: np.arange(dim)[::-1],
    "Nothing has moved: in this order feature 0 would turn with feature d/2, which belongs to another pair.": np.arange,
    "You have swapped the two features of each pair; they should stand half a vector apart.":
        lambda dim: np.arange(dim).reshape(-1, 2)[:, ::-1].ravel(),
}


@exercise("6.1", praise="The other way is np.argsort(order): sorting an order gives the one that undoes it.")
def check_half_order(attempt):
    """dim -> order (dim,), so that x[..., order] has every pair's first features in front and its second ones behind."""
    attempt.read = lambda result: list(result) if isinstance(result, tuple) else result
    order = attempt(6, shape=(6,))
    hint = known_mistake(order, CLASSIC_ORDERS, "Write down for d = 6 which two features are a pair before, and where they should stand.", 6)
    attempt.holds("each feature is named exactly once", np.array_equal(np.sort(order), np.arange(6)), found=f"the order is {order}.",
                  hint="An order of d features holds 0 … d − 1." if order.max() < 6 else "Features are counted from 0.")
    attempt.holds("the order holds whole numbers, to be used as an index", order.dtype.kind in "iu", found=f"its dtype is {order.dtype}.",
                  hint="Use // for halves; and where the numbers are right, add .astype(int).")
    attempt.matches("the order of 6 features begins with the first feature of each pair", order, order_by_loop(6), hint=hint)
    x, p = draws((4, 10), times=1)[0][0], np.array([0.0, 1.0, 5.0, 300.0])
    speeds, moved = inverse_frequencies(10), attempt(10, shape=(10,))
    attempt.matches("turning x[:, order] in half-split gives what turning x interleaved gives, reordered",
                    rotate(x[:, moved], p, speeds, layout="half"), rotate(x, p, speeds)[:, moved], hint="Is a width fixed in your code?")
    for dim in (12, 64):
        attempt.matches("other widths work as well", attempt(dim), order_by_loop(dim), hint="Is a width fixed in your code?")


def converted(w_q, b_q, w_k, b_k, heads):
    """The specification, for weights made for half-split: columns, head by head, and biases too."""
    return tuple(permute_weights(part, heads, to="interleaved") for part in (w_q, b_q, w_k, b_k))


def _each(change, also_bias=True):
    def wrong(w_q, b_q, w_k, b_k, heads):
        return tuple(change(part, heads) if part.ndim == 2 or also_bias else part for part in (w_q, b_q, w_k, b_k))
    return wrong


def _query_only(w_q, b_q, w_k, b_k, heads):
    return *converted(w_q, b_q, w_k, b_k, heads)[:2], w_k, b_k


def _key_only(w_q, b_q, w_k, b_k, heads):
    return w_q, b_q, *converted(w_q, b_q, w_k, b_k, heads)[2:]


def _one_bias(kept):
    """All four are converted, but the bias at place ``kept``."""
    def wrong(*given):
        return tuple(given[place] if place == kept else part for place, part in enumerate(converted(*given)))
    return wrong


CLASSIC_CONVERSIONS = {
    "Nothing has changed yet.": _each(lambda w, heads: w),
    "You have reordered across the heads: some of head 0's columns now sit in head 1. Cut the columns into heads first.":
        _each(lambda w, heads: permute_weights(w, 1, to="interleaved")),
    "Across the heads, and the biases are as they were: cut the columns into heads first, and treat the biases alike.":
        _each(lambda w, heads: permute_weights(w, 1, to="interleaved"), also_bias=False),
    "The columns are right, the biases are as they were. A bias has one number a column, and moves with it.":
        _each(lambda w, heads: permute_weights(w, heads, to="interleaved"), also_bias=False),
    "This is the way from interleaved to half-split; these weights were made for half-split, and the program is interleaved.":
        _each(lambda w, heads: permute_weights(w, heads, to="half")),
    "This is the way from interleaved to half-split, and the biases are as they were.":
        _each(lambda w, heads: permute_weights(w, heads, to="half"), also_bias=False),
    "You have reordered rows, the *input* features. In x @ w the output features are columns; they are rows in a PyTorch Linear.":
        _each(lambda w, heads: permute_weights(w, heads, to="interleaved", axis=0)),
    "Rows were reordered, the *input* features; and the biases are as they were. In x @ w the output features are columns.":
        _each(lambda w, heads: permute_weights(w, heads, to="interleaved", axis=0), also_bias=False),
    "W_Q is converted, W_K is not: a score multiplies feature by feature, so both must stand in the same order.": _query_only,
    "W_K is converted, W_Q is not: a score multiplies feature by feature, so both must stand in the same order.": _key_only,
    "One bias only has moved: b_k is as it was. Each bias moves with the columns of its own weights.": _one_bias(3),
    "One bias only has moved: b_q is as it was. Each bias moves with the columns of its own weights.": _one_bias(1),
}


def layer_scores(w_q, b_q, w_k, b_k, heads, layout):
    """The scores of six words in every head: (heads, 6, 6)."""
    x = np.random.default_rng(4).normal(size=(6, len(w_q)))
    q, k = ((x @ w + b).reshape(6, heads, -1).swapaxes(0, 1) for w, b in ((w_q, b_q), (w_k, b_k)))
    q, k = (rotate(part, np.arange(6), inverse_frequencies(part.shape[-1]), layout=layout) for part in (q, k))
    return q @ k.swapaxes(1, 2)


def _four_parts(attempt, given):
    """What the function gives, if it is four arrays of the shapes that came in."""
    parts = attempt.raw(*given)
    fits = isinstance(parts, tuple) and [np.shape(part) for part in parts] == [np.shape(part) for part in given[:4]]
    attempt.holds("it gives a tuple of four, of the shapes that came in", fits, hint="return w_q, b_q, w_k, b_k",
                  found=f"it gave {[np.shape(part) for part in parts] if isinstance(parts, tuple) else type(parts).__name__}.")
    return parts


@exercise("6.2", praise="W_V needed nothing: values are not turned. And a per-feature gain on q or k, as in QK-norm, would move like the bias.")
def check_convert(attempt):
    """(w_q, b_q, w_k, b_k, heads), made for half-split -> four by which an interleaved program gives the same scores."""
    attempt.read = lambda result: tuple(result) if isinstance(result, list) and len(result) == 4 else result
    rng = np.random.default_rng(3)

    def layer(inputs, outputs, heads):
        w_q, w_k = rng.normal(size=(2, inputs, outputs))
        return w_q, rng.normal(size=outputs), w_k, rng.normal(size=outputs), heads
    given = layer(30, 30, 3)
    parts = _four_parts(attempt, given)
    hint = known_mistake(parts, CLASSIC_CONVERSIONS, "Compare one head by hand: which column should come second?", *given)
    got, wanted = layer_scores(*parts, 3, "interleaved"), layer_scores(*given, "half")
    attempt.matches("on the diagonal, where no turn is left, head 0 scores as before", np.diagonal(got[0]), np.diagonal(wanted[0]), hint=hint)
    for head in range(3):
        attempt.matches(f"in head {head} all scores (row: query, column: key) are as before", got[head], wanted[head], hint=hint)
    for other in (layer(8, 12, 1), layer(8, 12, 2)):          # scores alone count here too: negated q and k are as good
        attempt.matches("other sizes work as well", layer_scores(*_four_parts(attempt, other), other[-1], "interleaved"),
                        layer_scores(*other, "half"), hint="Is a size fixed in your code? W need not be square.")


def partial_by_loop(x, positions, rotary_dim):
    """The specification, one pair at a time."""
    turned = x.copy()
    for row, p in enumerate(positions):
        for m in range(rotary_dim // 2):
            t = p * 10_000.0 ** (-2 * m / rotary_dim)
            first, second = x[row, m], x[row, m + rotary_dim // 2]
            turned[row, m] = first * np.cos(t) - second * np.sin(t)
            turned[row, m + rotary_dim // 2] = first * np.sin(t) + second * np.cos(t)
    return turned


def _partner_far(x, p, rotary_dim):
    """The frequencies are right, the partner is taken half of *all* features on."""
    turned, half, count = x.copy(), x.shape[1] // 2, rotary_dim // 2
    for m, t in zip(range(count), p * inverse_frequencies(rotary_dim)[:, None]):
        turned[:, m] = x[:, m] * np.cos(t) - x[:, m + half] * np.sin(t)
        turned[:, m + half] = x[:, m] * np.sin(t) + x[:, m + half] * np.cos(t)
    return turned


def _sliced(x, p, rotary_dim):
    return rotate(x, p, inverse_frequencies(x.shape[1])[: rotary_dim // 2], layout="half")


def _proportional(x, p, rotary_dim):
    """The exponents are those of the whole head, the pairs that rest have frequency 0, and the partner is half of all on."""
    inv_freq = np.where(np.arange(x.shape[1] // 2) < rotary_dim // 2, inverse_frequencies(x.shape[1]), 0)
    return rotate(x, p, inv_freq, layout="half")


def _mixed(x, p, rotary_dim):
    """x * cos + (half swap of x) * sin, with every frequency twice in a row."""
    a, b = np.split(x[:, :rotary_dim], 2, axis=1)
    t = p[:, None] * np.repeat(inverse_frequencies(rotary_dim), 2)
    return np.concatenate([x[:, :rotary_dim] * np.cos(t) + np.concatenate([-b, a], axis=1) * np.sin(t), x[:, rotary_dim:]], axis=1)


CLASSIC_PARTIALS = {
    "Half swap, but angles laid out for neighbours: that is the mixed fault, no rotation.": _mixed,
    "The frequencies were made for all d features and then sliced: too fast from pair 1 on. The exponent is −2m / rotary_dim.": _sliced,
    "That is the type called proportional: exponents and partners of the whole head. Here both follow rotary_dim.": _proportional,
    "The exponents are half of what they should be: −2m / rotary_dim, which is −m / (rotary_dim // 2).":
        lambda x, p, r: rotate(x, p, np.sqrt(inverse_frequencies(r)), layout="half"),
    "The partner is half of *all* features on, so features that should rest are turned. It is rotary_dim // 2 on.": _partner_far,
    "Neighbours were turned. That is interleaved; here the partner is rotary_dim // 2 on.":
        lambda x, p, r: rotate(x, p, inverse_frequencies(r)),
    "All d features turn; only the first rotary_dim should.": lambda x, p, r: rotate(x, p, inverse_frequencies(x.shape[1]), layout="half"),
    "You turn clockwise: the minus sign belongs to the first feature of a pair.": lambda x, p, r: rotate(x, -p, inverse_frequencies(r), layout="half"),
    "You have turned the *last* rotary_dim features.": lambda x, p, r: np.concatenate(
        [x[:, :-r], rotate(x[:, -r:], p, inverse_frequencies(r), layout="half")], axis=1),
    "The features that rest were dropped, or set to 0: they still count in the score, as content without position.":
        lambda x, p, r: np.concatenate([rotate(x[:, :r], p, inverse_frequencies(r), layout="half"), 0 * x[:, r:]], axis=1),
    "The turned features came out interleaved: put the first features of all pairs in front again, as they came in.":
        lambda x, p, r: np.concatenate([rotate(_neighbours(x[:, :r]), p, inverse_frequencies(r)), x[:, r:]], axis=1),
    "You have turned by the row's number; the positions are given.":
        lambda x, p, r: rotate(x, np.arange(len(x)), inverse_frequencies(r), layout="half"),
}


def _neighbours(x):
    return x[:, np.argsort(to_half(np.arange(x.shape[1])).astype(int))]


@exercise("6.3", praise="A head of this kind has two voices: features that know the gap, and features that hear content at any distance.")
def check_partial(attempt):
    """x (n, d), positions (n,), rotary_dim -> x with its first rotary_dim features turned, half-split."""
    x, p, rotary = draws((5, 14), times=1)[0][0], np.array([0.0, 1.0, 7.0, 40.0, 900.0]), 6
    turned = attempt(x, p, rotary, shape=x.shape)
    hint = known_mistake(turned, CLASSIC_PARTIALS, "Print one row beside the loop over the pairs.", x, p, rotary)
    attempt.matches("the features from rotary_dim on pass through", turned[:, rotary:], x[:, rotary:], hint=hint)
    attempt.matches("at position 0 nothing turns", turned[0], x[0], hint=hint)
    attempt.matches("every row keeps its length", np.linalg.norm(turned, axis=1), np.linalg.norm(x, axis=1), hint=hint)
    attempt.matches("the rows equal the loop", turned, partial_by_loop(x, p, rotary), hint=hint)
    attempt.agrees("other widths work as well, all features among them", partial_by_loop, [(x, p, 2), (x, p, 14), (x[:, :8].copy(), p[::-1].copy(), 4)],
                   hint="Is a width fixed in your code?")
    attempt.agrees("positions may be negative, fractional and far", partial_by_loop,
                   [(x[:3].copy(), np.array([-3.0, 2.5, 1_000_003.0]), rotary)], hint="The angle is position times frequency, whatever the position is.",
                   classics={"The sign of the position is lost: a negative one turns clockwise.": lambda x, p, r: partial_by_loop(x, np.abs(p), r),
                             "Your positions are cut to whole numbers.": lambda x, p, r: partial_by_loop(x, np.trunc(p), r)})
