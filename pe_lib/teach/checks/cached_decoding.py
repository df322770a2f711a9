"""The checks of chapter 7: one step with a cache, the plan of a padded chunk, keys moved without being computed anew."""

import numpy as np

from pe_lib.attention import softmax
from pe_lib.teach.checks.compare import difference, known_mistake
from pe_lib.teach.checks.exercise import exercise
from pe_lib.frequencies import inverse_frequencies
from pe_lib.rotary import rotate


def _several(attempt, count):
    """Let a list of that many results pass for a tuple, as it does in Python's own unpacking."""
    attempt.read = lambda result: tuple(result) if isinstance(result, list) and len(result) == count else result


def _tuple(attempt, names, shapes, *inputs):
    """The tuple of arrays that was asked for; another number of parts or other shapes end the check."""
    parts = attempt.raw(*inputs)
    found = [np.shape(part) for part in parts] if isinstance(parts, tuple) else f"one {type(parts).__name__}"
    attempt.holds(f"it gives {', '.join(names)}, of shapes {', '.join(map(str, shapes))}", found == shapes, found=f"it gave {found}.",
                  hint=f"Return {', '.join(names)}.")
    return parts


# ---- 7.1

def step_by_loop(q, k, v, position, keys, values, inv_freq):
    """The specification, one score at a time."""
    keys, values = np.vstack([keys, rotate(k, position, inv_freq)]), np.vstack([values, v])
    query = rotate(q, position, inv_freq)
    scores = np.array([sum(query[f] * key[f] for f in range(len(q))) / len(q) ** 0.5 for key in keys])
    return sum(weight * value for weight, value in zip(softmax(scores), values)), keys, values


def _step(query=lambda p, n: p, key=lambda p, n: p, again=0.0, scale=True, own=True, turned_value=False, newest_first=False):
    """A step with one thing changed."""
    def wrong(q, k, v, position, keys, values, inv_freq):
        n = len(keys)
        query_row, key_row = rotate(q, query(position, n), inv_freq), rotate(k, key(position, n), inv_freq)
        value = rotate(v, position, inv_freq) if turned_value and len(v) == len(k) else v
        order = (lambda old, row: np.vstack([row, old])) if newest_first else (lambda old, row: np.vstack([old, row]))
        all_keys, all_values = order(keys, key_row), order(values, value)
        all_keys = rotate(all_keys, np.full(n + 1, again * position), inv_freq) if again else all_keys
        scores = all_keys @ query_row / (len(q) ** 0.5 if scale else 1)
        weights = softmax(scores) if own else softmax(np.where(np.arange(n + 1) < n, scores, -np.inf))
        return weights @ all_values, all_keys, all_values
    return wrong


def _turned_again(q, k, v, position, keys, values, inv_freq):
    """All keys, the cached ones too, are turned by their row."""
    all_keys, all_values = rotate(np.vstack([keys, k]), np.arange(len(keys) + 1), inv_freq), np.vstack([values, v])
    weights = softmax(all_keys @ rotate(q, position, inv_freq) / len(q) ** 0.5)
    return weights @ all_values, all_keys, all_values


CLASSIC_STEPS = {
    "The cached keys were turned once more, by their rows. They came turned, and stay so.": _turned_again,
    "The new key is cached as it came. Later queries will read it, so turn it first, by its position.": _step(key=lambda p, n: 0),
    "The query is not turned. It has a position as well, the same as its key.": _step(query=lambda p, n: 0),
    "Neither the query nor its key is turned: that is a restart at 0.": _step(query=lambda p, n: 0, key=lambda p, n: 0),
    "You have taken the number of rows in the cache for the position. Here tokens have been dropped, so the two differ.":
        _step(query=lambda p, n: n, key=lambda p, n: n),
    "Query and key stand one too far: the position that is given is the new token's own.":
        _step(query=lambda p, n: p + 1, key=lambda p, n: p + 1),
    "Query and key stand one too little: the position that is given is the new token's own.":
        _step(query=lambda p, n: p - 1, key=lambda p, n: p - 1),
    "The query stands one too far; its key is right.": _step(query=lambda p, n: p + 1),
    "The query stands one too little; its key is right.": _step(query=lambda p, n: p - 1),
    "The query is turned by the number of rows in the cache; its key is right.": _step(query=lambda p, n: n),
    "Keys and values are right, but the query does not look at its own key: append first, then score.": _step(own=False),
    "The scores are not divided by √d.": _step(scale=False),
    "The value was turned. Only queries and keys are; a value is what is handed over.": _step(turned_value=True),
    "The newest token stands first. Append it at the end: the mask of a chunk counts on that order.": _step(newest_first=True),
    # last, since its output is that of a restart at 0, which is the likelier reason when the cache is right
    "All keys were turned by the new position, the cached ones too. Turn the new key, then append it.": lambda *given: _all_by(*given),
}


def _all_by(q, k, v, position, keys, values, inv_freq):
    all_keys, all_values = np.vstack([keys, k]), np.vstack([values, v])
    all_keys = rotate(all_keys, np.full(len(all_keys), position), inv_freq)
    weights = softmax(all_keys @ rotate(q, position, inv_freq) / len(q) ** 0.5)
    return weights @ all_values, all_keys, all_values


def _step_hint(parts, given):
    """The classic mistake all three results show; or, when the cache is right, the one the output shows."""
    right, general = step_by_loop(*given), "Print your three results beside those of `attend_by_hand` above."
    if difference(parts[1:], right[1:]) or not difference(parts[0], right[0]):
        return known_mistake(parts, CLASSIC_STEPS, general, *given)
    told = next((hint for hint, wrong in CLASSIC_STEPS.items() if not difference(parts[0], wrong(*given)[0])), "")
    exact = known_mistake(parts, CLASSIC_STEPS, "", *given)
    return exact or (f"Your cache is right, but the output was computed in another way, as if this were so: {told}" if told else general)


def _cached(rng, positions, dim=6, base=100.0):
    """Inputs of a step behind cached tokens at these positions, and the frequencies."""
    inv_freq = inverse_frequencies(dim, base=base)
    keys = rotate(rng.normal(size=(len(positions), dim)), np.array(positions, float), inv_freq)
    return inv_freq, keys, rng.normal(size=(len(positions), dim))


@exercise("7.1", praise="The same lines serve when rows were dropped before: each kept key still stands at its own place.")
def check_step(attempt):
    """q, k (d,), v (d_value,), position, keys (n, d), values (n, d_value), inv_freq -> output, keys, values."""
    _several(attempt, 3)
    rng = np.random.default_rng(0)
    inv_freq, keys, values = _cached(rng, [0, 1, 4])                # two tokens are gone: rows are not positions
    q, k, v = rng.normal(size=(3, 6))
    given = (q, k, v, 7, keys, values, inv_freq)
    parts = _tuple(attempt, ("output", "keys", "values"), [(6,), (4, 6), (4, 6)], *given)
    hint = _step_hint(parts, given)
    output, new_keys, new_values = parts
    attempt.matches("the cached keys stay as they were", new_keys[:3], keys, hint=hint)
    attempt.matches("the last key is the new one, turned by the position that is given", new_keys[3], rotate(k, 7, inv_freq), hint=hint)
    attempt.matches("values are appended as they come", new_values, np.vstack([values, v]), hint=hint)
    attempt.matches("the output mixes all values, its own too, by softmax(keys · query / √d)", output, step_by_loop(*given)[0], hint=hint)
    empty = (q, k, v, 0, keys[:0], values[:0], inv_freq)
    attempt.agrees("it works on an empty cache too, where the output is the token's own value", step_by_loop, [empty],
                   hint="Arrays of 0 rows can be appended to like any other.")
    attempt.agrees("other sizes and positions work as well", step_by_loop,
                   [(*rng.normal(size=(2, 6)), rng.normal(size=3), p, keys, values[:, :3], inv_freq) for p in (5, 300)],
                   hint="Is a size fixed in your code? Values may have another width than keys.")
    inv_freq, keys, values = _cached(rng, [0, 1, 2.5, 4, 6], dim=8, base=1000.0)
    wider = (*rng.normal(size=(2, 8)), rng.normal(size=4), 7.5, keys, values[:, :4], inv_freq)
    attempt.agrees("so do more features, other frequencies, more rows, and a position between two whole ones", step_by_loop, [wider],
                   hint="Is a √6, a list of frequencies, a number of rows or an int(…) fixed in your code?")


# ---- 7.2

def plan_by_loop(real, new):
    """The specification: one row, one query, one key at a time."""
    batch, n = real.shape
    positions, mask = np.zeros((batch, new), int), np.full((batch, new, n), -np.inf)
    for b in range(batch):
        for i in range(new):
            place = n - new + i
            positions[b, i] = max(real[b, :place].sum() - (0 if real[b, place] else 1), 0)
            for j in range(n):
                if j <= place and real[b, j]:
                    mask[b, i, j] = 0.0
    return positions, mask


def _plan(counts=lambda real: np.cumsum(real, axis=1) - 1, allowed=lambda query, key: key <= query, start=None, pads=True, as_mask=None):
    def wrong(real, new):
        n = real.shape[1]
        first = n - new if start is None else start
        looks = allowed(np.arange(first, first + new)[:, None], np.arange(n))[None] & ((real[:, None] == 1) | (not pads))
        mask = np.where(looks, 0.0, -np.inf) if as_mask is None else as_mask(looks)
        return counts(real)[:, -new:], mask
    return wrong


def _places(real):
    return np.tile(np.arange(real.shape[1]), (len(real), 1))


CLASSIC_PLANS = {
    "The mask is aligned top-left: the first of the new tokens sees one key only. It stands at place n − new, not at 0.": _plan(start=0),
    "Each row's place was taken for the position: the pads are counted. Count the real tokens before.": _plan(counts=_places),
    "Pads are not hidden: queries would look at them, whatever their position.": _plan(pads=False),
    "Places for positions, and pads not hidden: the batch was forgotten. Each row has its own count.": _plan(counts=_places, pads=False),
    "Positions count from 1 here: the first real token stands at 0.": _plan(counts=lambda real: np.cumsum(real, axis=1)),
    "A new token may not see itself in your mask: at its own place it may look.": _plan(allowed=lambda query, key: key < query),
    "Your mask lets queries look ahead: keys up to their own place only.": _plan(allowed=lambda query, key: key <= key + 0 * query),
    "The mask holds 1 and 0. It is *added* to scores: 0 where a query may look, −inf where it may not.": _plan(as_mask=lambda looks: looks * 1),
    "The mask is upside down: 0 where a query may look, −inf where it may not.": _plan(as_mask=lambda looks: np.where(looks, -np.inf, 0.0)),
    "Each query sees one key too many: new token i stands at place n − new + i, counted from 0.":
        _plan(allowed=lambda query, key: key <= query + 1),
    "The count of the new tokens restarts at 0 in each chunk. Count over the whole row, then take the last ones.":
        lambda real, new: (np.cumsum(real[:, -new:], axis=1) - 1, plan_by_loop(real, new)[1]),
}


def _mask_hint(mask, right, otherwise):
    """What is wrong with a mask by what it holds."""
    hidden = np.isneginf(right)
    if mask.dtype == bool:
        return "The mask holds True and False, and *added* to scores they count as 1 and 0: 0 where a query may look, −inf where it may not."
    if np.isposinf(mask).any():
        return "+inf would draw all the weight to a key; −inf hides it."
    if np.isfinite(mask).all() and (mask[~hidden] == 0).all() and (mask[hidden] < -100).all():
        return "A large negative number is not −inf: a row that may look at nothing would look at everything, and some programs add two masks."
    return otherwise


def _plan_hints(parts, wanted, *inputs):
    """A hint for the positions and one for the mask: a classic that explains both, or each alone, or a general one."""
    both = known_mistake(parts, CLASSIC_PLANS, "", *inputs)
    hints = []
    for which, general in enumerate(("Draw the six places of the padded row, and write the count under each.",
                                     "Draw a table, a row for each new token, a column for each of the six places, and mark where one may look.")):
        alone = (hint for hint, wrong in CLASSIC_PLANS.items()
                 if not difference(parts[which], wrong(*inputs)[which]) and difference(wanted[which], wrong(*inputs)[which]))
        hints.append(both or next(alone, general))
    return hints[0], _mask_hint(parts[1], wanted[1], hints[1])


def _positions_hint(positions, case, count):
    """What went wrong with the positions of another chunk."""
    before, token = case[:, : case.shape[1] - count].sum(axis=1), case[:, -count:] == 1
    if (positions == before[:, None] + np.arange(count))[token].all():
        return "Pads inside the chunk were counted: in a prompt the chunk is the whole padded row."
    return "Is the number of new tokens, or of texts, fixed in your code?"


@exercise("7.2", praise="With new = n the same function plans the prompt, with new = 1 a step: one rule for all three.")
def check_plan(attempt):
    """real (batch, n) of 0 and 1, new -> positions (batch, new) and mask (batch, new, n)."""
    _several(attempt, 2)
    real, new = np.array([[0, 0, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1]]), 3
    parts = _tuple(attempt, ("positions", "mask"), [(2, 3), (2, 3, 6)], real, new)
    wanted = plan_by_loop(real, new)
    count_hint, mask_hint = _plan_hints(parts, wanted, real, new)
    attempt.matches("positions (row: text, column: new token) count the real tokens before", parts[0], wanted[0], hint=count_hint)
    for row, name in ((1, "the full text"), (0, "the padded text")):
        attempt.matches(f"for {name} the mask (row: new token, column: key) is 0 where it may look and −inf elsewhere", parts[1][row],
                        wanted[1][row], hint=mask_hint)
    for case, count in ((real, 1), (real, 6), (np.array([[0, 1, 1, 1, 1], [0, 0, 0, 1, 1], [1, 1, 1, 1, 1]]), 3)):
        positions, mask = _tuple(attempt, ("positions", "mask"), [(len(case), count), (len(case), count, case.shape[1])], case, count)
        token, (right, seen) = case[:, -count:] == 1, plan_by_loop(case, count)          # what a pad would look at is nobody's concern
        attempt.matches(f"positions of {count} new tokens are right too", np.where(token, positions, 0), np.where(token, right, 0),
                        hint=_positions_hint(positions, case, count))
        attempt.matches(f"the mask of {count} new tokens is right too, for every token that is no pad", np.where(token[..., None], mask, 0.0),
                        np.where(token[..., None], seen, 0.0), hint="Is a size fixed in your code?")


# ---- 7.3

def move_by_loop(keys, positions, inv_freq, new_positions, new_inv_freq):
    """The specification: one key at a time, back to 0, then on to its new place."""
    return np.array([rotate(rotate(key, -p, inv_freq), to, new_inv_freq) for key, p, to in zip(keys, positions, new_positions)])


CLASSIC_MOVES = {
    "Nothing has moved.": lambda k, p, w, p2, w2: k,
    "You have turned on from where the keys stand: they are turned twice now. First turn them back, by −positions.":
        lambda k, p, w, p2, w2: rotate(k, p2, w2),
    "They were turned back to 0, and left there.": lambda k, p, w, p2, w2: rotate(k, -p, w),
    "You have turned back by the *new* frequencies. They came turned by the old ones.":
        lambda k, p, w, p2, w2: rotate(rotate(k, -p, w2), p2, w2),
    "You have turned forward by the *old* frequencies: the new positions are right, the frequencies have not changed.":
        lambda k, p, w, p2, w2: rotate(k, p2 - p, w),
    "The frequencies are new, the positions are the old ones.": lambda k, p, w, p2, w2: rotate(k, p, w2 - w),
    "The two turns are the wrong way round: forward by the old, back by the new.": lambda k, p, w, p2, w2: rotate(rotate(k, p, w), -p2, w2),
    "Difference of positions times difference of frequencies is not the difference of the products.":
        lambda k, p, w, p2, w2: rotate(k, p2 - p, w2 - w),
    "Rows were taken for the new positions: row i goes to new_positions[i].":
        lambda k, p, w, p2, w2: rotate(rotate(k, -p, w), np.arange(len(k)), w2),
    "Rows were taken for positions: row i came turned by positions[i].":
        lambda k, p, w, p2, w2: rotate(rotate(k, -np.arange(len(k)), w), p2, w2),
}

# seen only where positions are not whole, or do not grow
CLASSIC_FORGETTING = {
    "The old positions were cut to whole numbers, and one of them is 2.5.":
        lambda k, p, w, p2, w2: rotate(rotate(k, -p.astype(int), w), p2, w2),
    "The new positions were cut to whole numbers, and one of them is 0.5.":
        lambda k, p, w, p2, w2: rotate(rotate(k, -p, w), p2.astype(int), w2),
    "Both lists of positions were cut to whole numbers, and 2.5 and 0.5 are among them.":
        lambda k, p, w, p2, w2: rotate(rotate(k, -p.astype(int), w), p2.astype(int), w2),
    "The new positions were sorted: row i goes to new_positions[i], wherever that is.":
        lambda k, p, w, p2, w2: rotate(rotate(k, -p, w), np.sort(p2), w2),
}


@exercise("7.3", praise="That is all a running cache needs when tokens go or frequencies change; exact in the first layer, as you have seen.")
def check_move(attempt):
    """keys (n, d), turned; positions (n,), inv_freq; new_positions (n,), new_inv_freq -> keys (n, d)."""
    rng, old, new = np.random.default_rng(2), inverse_frequencies(8), inverse_frequencies(8, base=40_000.0)
    positions, goal = np.array([0.0, 3.0, 4.0, 9.0, 30.0]), np.array([0.0, 1.0, 2.0, 5.0, 6.0])
    keys = rotate(rng.normal(size=(5, 8)), positions, old)
    given = (keys, positions, old, goal, new)
    moved = attempt(*given, shape=(5, 8))
    hint = known_mistake(moved, CLASSIC_MOVES, "Take one key of a single pair, a quarter turn a token, and move it by hand.", *given)
    attempt.matches("a key that stays at position 0 is not turned", moved[0], keys[0], hint=hint)
    attempt.matches("keys keep their lengths", np.linalg.norm(moved, axis=1), np.linalg.norm(keys, axis=1), hint=hint)
    attempt.matches("the keys are what they would be if made there", moved, move_by_loop(*given), hint=hint)
    attempt.agrees("positions alone, or frequencies alone, may change as well", move_by_loop,
                   [(keys, positions, old, goal, old), (keys, positions, old, positions, new), (keys[:, :4], positions, old[:2], goal + 7, new[:2])],
                   hint="Is a size fixed in your code?")
    attempt.agrees("any old frequencies will do", move_by_loop, [(keys, positions, inverse_frequencies(8, base=300.0), goal, new)],
                   hint="Turn back by the inv_freq that is given, not by a list of your own.")
    attempt.agrees("three keys will do, at positions between whole ones, in any order", move_by_loop,
                   [(keys[:3], np.array([2.5, 7.0, 11.0]), old, np.array([9.0, 0.5, 4.0]), new)], classics=CLASSIC_FORGETTING,
                   hint="Is a number of keys fixed in your code, or an order of positions?")
