"""The checks of chapter 5: the sign in one pair's score, rows rotated without matrices, a key that scores highest at an offset."""

import copy

import numpy as np

from pe_lib.teach.checks.compare import difference, name_kind
from pe_lib.teach.checks.exercise import End, draws, exercise
from pe_lib.frequencies import inverse_frequencies, inverse_frequencies_endpoint
from pe_lib.rotary import pair_contributions, rotate, rotation_matrix
from pe_lib.sinusoidal import sinusoidal_encoding


def score_by_rotating(q, k, t):
    """The specification: rotate the key by t, then take the dot product."""
    return q @ rotation_matrix(t, [1.0]) @ k


# hint -> the score that the mistake gives
CLASSIC_SCORES = {
    "Your score does not depend on t: it is q·k at every angle. The key is rotated by t before the product is taken.":
        lambda q, k, t: q @ k,
    "Your sine term has the other sign. It is right for the query's angle minus the key's; t is the key's minus the query's.":
        lambda q, k, t: score_by_rotating(q, k, -t),
    "This is the cosine term alone. A rotation also moves the key sideways: what do q2 k1 and q1 k2 add?":
        lambda q, k, t: np.cos(t) * (q @ k),
    "Sine and cosine are exchanged: with t = 0 the sine is 0, and the plain dot product must be left.":
        lambda q, k, t: np.sin(t) * (q @ k) + np.cos(t) * (q[1] * k[0] - q[0] * k[1]),
    "In the sine term you add q2 k1 and q1 k2; one should be subtracted from the other. Multiply q by the two rows of R(t) k.":
        lambda q, k, t: np.cos(t) * (q @ k) + np.sin(t) * (q[1] * k[0] + q[0] * k[1]),
    "This is the two lengths times the cosine of t, which is right only if q and k point the same way. The angle between them counts too.":
        lambda q, k, t: np.linalg.norm(q) * np.linalg.norm(k) * np.cos(t),
    "You have added the angle to the score, as a bias would be. The rotation acts on the key, and then the dot product is taken.":
        lambda q, k, t: q @ k + t,
    "The formula is right, but it treats t as degrees: np.sin and np.cos expect radians, and t is in radians already.":
        lambda q, k, t: score_by_rotating(q, k, np.deg2rad(t)),
}


def _known(answers, cases, classics, otherwise):
    """The hint of the classic mistake that gives just these answers, in every case; or else the general one."""
    for hint, wrong in classics.items():
        if not any(difference(got, wrong(*copy.deepcopy(case))) for got, case in zip(answers, cases, strict=True)):
            return hint
    return otherwise


@exercise("5.1", praise="You have settled it by computing. A pair needs two numbers only: q·k, and one that depends on which side "
          "of the query the key lies.")
def check_score_of_pair(attempt):
    """q (2,), k (2,), t, the key's angle minus the query's -> the score of the rotated pair."""
    q, k = np.array([2.0, 1.0]), np.array([3.0, 1.0])
    cases = [(q, k, 0.0), (q, k, np.pi / 2)]
    cases += [(*pair, t) for pair, t in zip(draws((2,), (2,), times=4), (0.5, -1.0, 3.0, 300.0))]
    answers = [attempt.raw(*case) for case in cases]
    for got in answers:
        if not isinstance(got, np.ndarray) or got.ndim:
            attempt.holds("the score is one number", False, found=f"yours is {name_kind(got)}.",
                          hint="Return one number: add up what you have, without brackets around it.")

    def agrees(property_, part, otherwise):
        attempt.agrees(property_, score_by_rotating, cases[part], hint=_known(answers, cases, CLASSIC_SCORES, otherwise))

    agrees("with t = 0 the score is the plain dot product, here 7", slice(0, 1), "cos 0 = 1 and sin 0 = 0.")
    agrees("a quarter turn makes the key (3, 1) into (-1, 3), so with (2, 1) the score is 1", slice(1, 2),
           "Now cos t = 0, sin t = 1: what is left of your formula?")
    agrees("it equals rotating the key first and multiplying then", slice(2, None), "Rotate one key by hand and compare.")


def rows_by_loop(x, positions, base=10_000.0):
    """The specification, one pair at a time: (n, d), (n,) -> (n, d)."""
    rotated, dim = np.zeros_like(x), x.shape[1]
    for row, p in enumerate(positions):
        for m in range(dim // 2):
            t = p * base ** (-2 * m / dim)
            first, second = x[row, 2 * m:2 * m + 2]
            rotated[row, 2 * m] = first * np.cos(t) - second * np.sin(t)
            rotated[row, 2 * m + 1] = first * np.sin(t) + second * np.cos(t)
    return rotated


def _with(inv_freq):
    return lambda x, p: rotate(x, p, inv_freq(x.shape[1]))


def _put_back(order):
    """Rotated correctly, and then the first and the second features, two tables, are put together by order."""
    def rotated(x, p):
        right = _with(inverse_frequencies)(x, p)
        return order(right[:, 0::2], right[:, 1::2])
    return rotated


def _pairs(first, second):
    return np.stack([first, second], axis=2).reshape(len(first), -1)


def _sine_for_cosine(x, p):
    t, first, second = p[:, None] * inverse_frequencies(x.shape[1]), x[:, 0::2], x[:, 1::2]
    return _pairs(first * np.sin(t) - second * np.cos(t), first * np.cos(t) + second * np.sin(t))


def _normalised(x, p):
    return _with(inverse_frequencies)(x / np.linalg.norm(x, axis=1, keepdims=True), p)


def _half_swapped(x, p):
    t = np.repeat(p[:, None] * inverse_frequencies(x.shape[1]), 2, axis=1)
    first, second = np.split(x, 2, axis=1)
    return x * np.cos(t) + np.concatenate([-second, first], axis=1) * np.sin(t)


def _overwritten(x, p):
    t, out = p[:, None] * inverse_frequencies(x.shape[1]), x.copy()
    out[:, 0::2] = out[:, 0::2] * np.cos(t) - out[:, 1::2] * np.sin(t)
    out[:, 1::2] = out[:, 0::2] * np.sin(t) + out[:, 1::2] * np.cos(t)
    return out


# hint -> the rotated rows (n, d) that the mistake gives
CLASSIC_ROWS = {
    "Nothing is rotated at any position: your rows equal x.": lambda x, p: x,
    "You rotate by the distance from the first row. Inside one text that gives the same scores, but each row should be "
    "rotated to its own position, whichever row stands first.": lambda x, p: _with(inverse_frequencies)(x, p - p[0]),
    "The rotation is right, but you put the features back in another order: first all the first ones, then all the second ones. "
    "Neighbours were a pair and stay one: `out[:, 0::2]` and `out[:, 1::2]`.":
        _put_back(lambda first, second: np.concatenate([first, second], axis=1)),
    "The rotation is right, but you put the features back in another order: in each pair the new second feature stands before the new first.":
        _put_back(lambda first, second: _pairs(second, first)),
    "Sine and cosine are exchanged: at angle 0 the cosine is 1, and it multiplies the feature itself.": _sine_for_cosine,
    "Your rows have been given length 1. A rotation leaves lengths as they are; they are part of the score.": _normalised,
    "You rotate row 0 as if its position were 1: positions start at 0, and there nothing is rotated.": lambda x, p: _with(inverse_frequencies)(x, p + 1),
    "You have rotated by the row's number. The positions are given, and need not be 0, 1, 2, …":
        lambda x, p: _with(inverse_frequencies)(x, np.arange(len(p))),
    "You have added a sinusoid. A rotation mixes the two features of a pair, with a cosine and a sine.":
        lambda x, p: x + sinusoidal_encoding(p, x.shape[1]),
    "The second line uses a first feature that has been rotated already. Keep the two old ones until both new ones are made.":
        _overwritten,
    "Your angles pair the neighbours 0 and 1, 2 and 3, but you mix each feature with the one half a vector further on: such a mix is no rotation.":
        _half_swapped,
    "You use only the cosines, and x times cos shrinks a vector. A rotation also needs the other feature of the pair times sin.":
        lambda x, p: x * np.repeat(np.cos(p[:, None] * inverse_frequencies(x.shape[1])), 2, axis=1),
    "You rotate clockwise. Done to queries and keys alike that works as well (chapter 6), but a model trained one way must not be "
    "run the other way. Here rotations are counter-clockwise: the minus sign belongs in the first line.":
        lambda x, p: _with(inverse_frequencies)(x, -p),
    "Your pairs are features m and m + d/2. That is a correct rotation in another layout (chapter 6); here neighbours are a pair.":
        lambda x, p: rotate(x, p, inverse_frequencies(x.shape[1]), layout="half"),
    "Your fastest pair rotates by more than 1 radian per token: base ** (-2 (m - 1) / d) counts pairs from 1, as the paper does. "
    "Here m starts at 0.":
        lambda x, p: rotate(x, p, inverse_frequencies(x.shape[1]) * 10_000.0 ** (2 / x.shape[1])),
    "Your slowest pair rotates by exactly 1/base per token: the exponent m / (d/2 - 1) is the variant of chapter 2. Here it is 2m / d.":
        _with(inverse_frequencies_endpoint),
    "Your pairs get faster from left to right: the exponent lacks its minus sign, base ** (-2m / d).":
        _with(lambda dim: 1 / inverse_frequencies(dim)),
    "All pairs but the first are too fast: your exponent is m / d. There are d/2 pairs, so it should be m / (d/2), that is 2m / d.":
        _with(lambda dim: np.sqrt(inverse_frequencies(dim))),
    "You have counted the 2 twice: your exponent is 4m / d. `np.arange(0, d, 2)` is 2m already.":
        _with(lambda dim: inverse_frequencies(dim) ** 2),
    "The frequencies are the right ones in reverse order: pair 0 is the fastest, with 1 radian per token.":
        _with(lambda dim: inverse_frequencies(dim)[::-1]),
    "All your pairs rotate by 1 radian per token: where does the pair's number enter?": _with(lambda dim: np.ones(dim // 2)),
    "All rows are rotated by the first row's angles. Each row has its own position, so the angles have shape (n, d/2).":
        lambda x, p: _with(inverse_frequencies)(x, np.full(len(p), p[0])),
    "You treat the angles as degrees: np.sin expects radians, and p times omega is in radians already.":
        lambda x, p: _with(inverse_frequencies)(x, np.deg2rad(p)),
}


def _with_position(change):
    return lambda x, p: _with(inverse_frequencies)(x, change(p))


def _copes(learner, x, positions):
    """False where a table made beforehand has no row for a position."""
    try:
        learner(x, positions)
    except IndexError:
        return False
    return True


ROUNDED = ("Your numbers are nearly right, so an angle was rounded on the way. A float32 holds seven digits, which is too few for "
           "position times frequency: compute it in float64, NumPy's own.")
ENDLESS = "A table has an end, and positions do not: compute the angle from the position."
# property -> positions, hint -> the mistake, and what is said to all others
ANY_POSITION = {
    "a negative position rotates the other way": ([-1.0, -3.0, -40.0, -3003.0], {
        "Your rows ignore the sign of the position: at position −3 the rotation goes clockwise, by as much as at 3.": _with_position(np.abs),
        "You treat negative positions as 0. They rotate as well, clockwise.": _with_position(lambda p: np.maximum(p, 0)),
    }, "Do you look the angle up in a table? Its row −3 is the third from its end. Compute the angle: position times frequency."),
    "a position need not be a whole number": ([0.5, 2.5, 7.25, 40.75], {
        "Your positions are truncated to whole numbers. At 2.5 the angle lies between those of 2 and 3.": _with_position(np.trunc),
        "Your positions are rounded to whole numbers. At 2.5 the angle lies between those of 2 and 3.": _with_position(np.round),
    }, "The angle is position times frequency, whatever the position is."),
    "position 10,000,019 works as well": ([10_000_019.0, 3.0, 10_000_018.0, 0.0], {}, ENDLESS),
}


@exercise("5.2", praise="You use d/2 cosines and sines per token instead of a d × d matrix: this is how rotary encoding is computed.")
def check_rotate_rows(attempt):
    """x (n, d), positions (n,) -> each row rotated by its position."""
    ((x,),) = draws((4, 8), times=1)
    cases = (x, np.zeros(4)), (x, np.array([5.0, 0.0, 8.0, 40.0]))    # not from 0: "relative to the first row" must show
    try:
        unmoved, rotated = answers = [attempt(*case, shape=x.shape) for case in cases]
    except End as end:
        if "broadcast" not in end.text:
            raise
        raise End(end.state, f"{end.text} The angles need one row for each position: positions[:, None] * omega.", **end.parts)

    def hint(otherwise):
        return _known(answers, cases, CLASSIC_ROWS, otherwise)

    attempt.matches("at position 0 nothing is rotated", unmoved, x, hint=hint("cos 0 = 1 and sin 0 = 0."))
    attempt.matches("a rotation keeps the length of every row", np.linalg.norm(rotated, axis=1), np.linalg.norm(x, axis=1),
                    hint=hint("Each new pair needs both old features: one with the cosine, one with the sine."))
    pair = np.stack([x[0], x[1]])

    def score(i, j):
        q, k = attempt(pair, np.array([i, j], dtype=float))
        return q @ k

    later, earlier = score(3003, 3008), score(3, 8)
    attempt.matches("one query and key score the same at 3 and 8 as at 3003 and 3008", later, earlier, hint=ROUNDED
                    if np.allclose(later, earlier, atol=1e-2) else
                    hint("Each angle should be position times frequency, the same frequencies for every row."))
    attempt.matches("the rows equal the loop", rotated, rows_by_loop(*cases[1]), hint=hint("Print one row beside R(p) @ x."))
    other, backwards = draws((30, 6), times=1)[0][0], np.arange(30.0)[::-1].copy()
    attempt.matches("other widths and lengths work as well", attempt(other, backwards), rows_by_loop(other, backwards),
                    hint="Is a width or a length fixed in your code?")
    for property_, (positions, classics, otherwise) in ANY_POSITION.items():
        case = x, np.array(positions)
        if not _copes(attempt.learner, *case):
            attempt.holds(property_, False, found="your function raised an IndexError.", hint=ENDLESS)
        got = attempt(*case, shape=x.shape)
        wanted = rows_by_loop(*case)
        nearly = np.allclose(got, wanted, atol=0.1)            # two cosines of angles 0.1 apart differ by less than that
        attempt.matches(property_, got, wanted, hint=ROUNDED if nearly else _known([got], [case], classics, otherwise))


REACH = 60


def score_by_offset(q, k):
    """The score of a query and a key of 64 features at every offset from -REACH to REACH: (2 * REACH + 1,)."""
    return pair_contributions(q, k, np.arange(-REACH, REACH + 1), inverse_frequencies(64)).sum(axis=-1)


@exercise("5.3", given=("inv_freq",), praise="So it is not built in that near keys score higher. Give every word this q and this key, with offset −1: each but the first "
          "then attends most to the token before it.")
def check_key_for(attempt):
    """q (64,), offset -> the key of q's length that scores highest at this offset."""
    for (q,), offset in zip(draws((64,), times=4, seed=5), (0, -1, 7, -40)):
        key = attempt(q, offset, shape=(64,))
        attempt.matches(f"the key is as long as the query (offset {offset})", np.linalg.norm(key), np.linalg.norm(q),
                        hint="A rotation keeps the length. A longer key would score higher at any offset.")
        best = int(score_by_offset(q, key).argmax()) - REACH
        attempt.matches(f"of all offsets from -{REACH} to {REACH} this key scores highest at {offset}", best, offset,
                        hint=_offset_hint(key, q, best, offset))
        attempt.matches(f"at offset {offset} no key of its length could score higher", score_by_offset(q, key)[REACH + offset], q @ q,
                        hint=_offset_hint(key, q, best, offset))


def _offset_hint(key, q, best, offset):
    if np.allclose(key, q):
        return "The query itself scores highest at offset 0. At the offset asked for, the key will be rotated: what must it be before?"
    if offset and best == -offset:
        return "You rotated the wrong way: the key is rotated by the offset when the score is taken, so it must be rotated *back* beforehand."
    if np.allclose(key[2:], q[2:]):
        return "You rotated only the fastest pair. Every pair has its own frequency."
    return "At this offset the score is q · R(offset) key. Which key makes R(offset) key equal to q, in every pair?"
