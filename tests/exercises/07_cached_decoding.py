"""Classic wrong answers to the exercises of chapter 7: each must be turned down, with a hint of its own."""


def _step(turn="q, k = rotate(q, position, inv_freq), rotate(k, position, inv_freq)", append="keys, values = np.vstack([keys, k]), np.vstack([values, v])",
          weigh="weights = softmax(keys @ q / np.sqrt(len(q)))", give="return weights @ values, keys, values"):
    """An answer to 7.1 with one line changed."""
    return f'''
def step(q, k, v, position, keys, values, inv_freq):
    {turn}
    {append}
    {weigh}
    {give}
'''


def _plan(first="n - new", allowed="places[:, None] >= np.arange(n)", positions="np.cumsum(real, axis=1) - 1", pads=" & (real[:, None] == 1)",
          mask="np.where(looks, 0.0, -np.inf)"):
    """An answer to 7.2 with one line changed."""
    return f'''
def plan(real, new):
    n = real.shape[1]
    places = np.arange({first}, {first} + new)
    looks = np.broadcast_to({allowed}, (len(real), new, n)){pads}
    return ({positions})[:, -new:], {mask}
'''


def _move(body):
    return f'''
def move(keys, positions, inv_freq, new_positions, new_inv_freq):
    return {body}
'''


WRONG = {
    "7.1": {
        "all keys turned by their rows": _step(
            turn="q = rotate(q, position, inv_freq)", append="keys, values = rotate(np.vstack([keys, k]), np.arange(len(keys) + 1), inv_freq), np.vstack([values, v])"),
        "all keys turned by the new position": _step(
            turn="q = rotate(q, position, inv_freq)", append="keys, values = rotate(np.vstack([keys, k]), np.full(len(keys) + 1, position), inv_freq), np.vstack([values, v])"),
        "key cached as it came": _step(turn="q = rotate(q, position, inv_freq)"),
        "query not turned": _step(turn="k = rotate(k, position, inv_freq)"),
        "nothing turned": _step(turn="pass"),
        "row for position": _step(turn="q, k = rotate(q, len(keys), inv_freq), rotate(k, len(keys), inv_freq)"),
        "one too far": _step(turn="q, k = rotate(q, position + 1, inv_freq), rotate(k, position + 1, inv_freq)"),
        "query one too far": _step(turn="q, k = rotate(q, position + 1, inv_freq), rotate(k, position, inv_freq)"),
        "one too little": _step(turn="q, k = rotate(q, position - 1, inv_freq), rotate(k, position - 1, inv_freq)"),
        "query one too little": _step(turn="q, k = rotate(q, position - 1, inv_freq), rotate(k, position, inv_freq)"),
        "query by the row": _step(turn="q, k = rotate(q, len(keys), inv_freq), rotate(k, position, inv_freq)"),
        "cache right, output restarted": _step(
            turn="raw, q, k = k, q, rotate(k, position, inv_freq)", weigh="weights = softmax(np.vstack([keys[:-1], raw]) @ q / np.sqrt(len(q)))"),
        "root of 6": _step(weigh="weights = softmax(keys @ q / 6**0.5)"),
        "frequencies of its own": _step(turn="own = 100.0 ** (-np.arange(0, 6, 2) / 6)\n    q, k = rotate(q, position, own), rotate(k, position, own)"),
        "the last three rows": _step(append="keys, values = np.vstack([keys[-3:], k]), np.vstack([values[-3:], v])"),
        "whole positions alone": _step(turn="q, k = rotate(q, int(position), inv_freq), rotate(k, int(position), inv_freq)"),
        "own key not looked at": _step(weigh="weights = np.append(softmax(keys[:-1] @ q / np.sqrt(len(q))), 0.0)"),
        "not divided by the root": _step(weigh="weights = softmax(keys @ q)"),
        "value turned": _step(turn="q, k, v = (rotate(x, position, inv_freq) for x in (q, k, v))"),
        "newest first": _step(append="keys, values = np.vstack([k, keys]), np.vstack([v, values])"),
        "the output alone": _step(give="return weights @ values"),
        "a cache of one token": _step(append="keys, values = k[None], v[None]"),
    },
    "7.2": {
        "mask top-left": _plan(first="0"),
        "place for position": _plan(positions="np.tile(np.arange(n), (len(real), 1))"),
        "pads seen": _plan(pads=""),
        "batch forgotten": _plan(positions="np.tile(np.arange(n), (len(real), 1))", pads=""),
        "counted from 1": _plan(positions="np.cumsum(real, axis=1)"),
        "may not see itself": _plan(allowed="places[:, None] > np.arange(n)"),
        "looks ahead": _plan(allowed="np.full((new, n), True)"),
        "mask of 1 and 0": _plan(mask="looks.astype(int)"),
        "mask upside down": _plan(mask="np.where(looks, -np.inf, 0.0)"),
        "one key too many": _plan(allowed="places[:, None] + 1 >= np.arange(n)"),
        "count restarts": _plan(positions="np.cumsum(real[:, -new:], axis=1) - 1"),
        "positions of the whole row": _plan().replace("[:, -new:]", ""),
        "0 times inf": _plan(mask="(1 - looks) * -np.inf"),
        "a large negative number": _plan(mask="np.where(looks, 0.0, -1e9)"),
        "the lowest float": _plan(mask="np.where(looks, 0.0, np.finfo(float).min)"),
        "True and False": _plan(mask="looks"),
        "True where it may not": _plan(mask="~looks"),
        "plus infinity": _plan(mask="np.where(looks, 0.0, np.inf)"),
        "pads of the chunk counted": _plan().replace("(np.cumsum(real, axis=1) - 1)[:, -new:]", "real[:, : n - new].sum(axis=1)[:, None] + np.arange(new)"),
    },
    "7.3": {
        "nothing moves": _move("keys.copy()"),
        "turned twice": _move("rotate(keys, new_positions, new_inv_freq)"),
        "back to 0 and left": _move("rotate(keys, -positions, inv_freq)"),
        "back by the new frequencies": _move("rotate(keys, new_positions - positions, new_inv_freq)"),
        "forward by the old frequencies": _move("rotate(keys, new_positions - positions, inv_freq)"),
        "old positions": _move("rotate(keys, positions, new_inv_freq - inv_freq)"),
        "wrong way round": _move("rotate(rotate(keys, positions, inv_freq), -new_positions, new_inv_freq)"),
        "difference times difference": _move("rotate(keys, new_positions - positions, new_inv_freq - inv_freq)"),
        "rows for the new positions": _move("rotate(rotate(keys, -positions, inv_freq), np.arange(len(keys)), new_inv_freq)"),
        "old frequencies of its own": _move(
            "rotate(rotate(keys, -positions, 10_000.0 ** (-np.arange(0, 8, 2) / 8)[: len(inv_freq)]), new_positions, new_inv_freq)"),
        "rows for positions": _move("rotate(rotate(keys, -np.arange(len(keys)), inv_freq), new_positions, new_inv_freq)"),
        "a loop over five keys": _move(
            "np.array([rotate(rotate(keys[i], -positions[i], inv_freq), new_positions[i], new_inv_freq) for i in range(5)])"),
        "old positions made whole": _move("rotate(rotate(keys, -positions.astype(int), inv_freq), new_positions, new_inv_freq)"),
        "new positions made whole": _move("rotate(rotate(keys, -positions, inv_freq), new_positions.astype(int), new_inv_freq)"),
        "all positions made whole": _move("rotate(rotate(keys, -positions.astype(int), inv_freq), new_positions.astype(int), new_inv_freq)"),
        "new positions sorted": _move("rotate(rotate(keys, -positions, inv_freq), np.sort(new_positions), new_inv_freq)"),
        "positions that never fall": _move("rotate(rotate(keys, -positions, inv_freq), np.maximum.accumulate(new_positions), new_inv_freq)"),
    },
}

HINTS = {
    "7.1": {
        "all keys turned by their rows": "turned once more, by their rows",
        "all keys turned by the new position": "by the new position, the cached ones too",
        "key cached as it came": "cached as it came",
        "query not turned": "The query is not turned",
        "nothing turned": "a restart at 0",
        "row for position": "number of rows in the cache for the position",
        "one too far": "Query and key stand one too far",
        "query one too far": "The query stands one too far",
        "one too little": "Query and key stand one too little",
        "query one too little": "The query stands one too little",
        "query by the row": "The query is turned by the number of rows",
        "cache right, output restarted": "Your cache is right, but the output",
        "root of 6": "a √6, a list",
        "frequencies of its own": "a list of frequencies, a number",
        "the last three rows": "√6, a list of frequencies, a number of rows",
        "whole positions alone": "an int(…) fixed",
        "own key not looked at": "does not look at its own key",
        "not divided by the root": "not divided by √d",
        "value turned": "The value was turned",
        "newest first": "newest token stands first",
        "the output alone": "Return output, keys, values",
        "a cache of one token": "it gave [(6,), (1, 6), (1, 6)]",
    },
    "7.2": {
        "mask top-left": "aligned top-left",
        "place for position": "the pads are counted",
        "pads seen": "Pads are not hidden",
        "batch forgotten": "the batch was forgotten",
        "counted from 1": "count from 1",
        "may not see itself": "may not see itself",
        "looks ahead": "look ahead",
        "mask of 1 and 0": "holds 1 and 0",
        "mask upside down": "upside down",
        "one key too many": "one key too many",
        "count restarts": "restarts at 0",
        "positions of the whole row": "it gave [(2, 6), (2, 3, 6)]",
        "0 times inf": "nan",
        "a large negative number": "A large negative number is not −inf",
        "the lowest float": "A large negative number is not −inf",
        "True and False": "holds True and False",
        "True where it may not": "holds True and False",
        "plus infinity": "+inf would draw",
        "pads of the chunk counted": "Pads inside the chunk were counted",
    },
    "7.3": {
        "nothing moves": "Nothing has moved",
        "turned twice": "turned twice now",
        "back to 0 and left": "left there",
        "back by the new frequencies": "turned back by the *new*",
        "forward by the old frequencies": "forward by the *old*",
        "old positions": "positions are the old ones",
        "wrong way round": "wrong way round",
        "difference times difference": "is not the difference of the products",
        "rows for the new positions": "Rows were taken for the new positions",
        "old frequencies of its own": "not by a list of your own",
        "rows for positions": "Rows were taken for positions",
        "a loop over five keys": "index 3 is out of bounds",
        "old positions made whole": "The old positions were cut",
        "new positions made whole": "The new positions were cut",
        "all positions made whole": "Both lists of positions were cut",
        "new positions sorted": "The new positions were sorted",
        "positions that never fall": "an order of positions",
    },
}
