"""Who sees whom, read from the weights of equal keys: the causal mask, its alignment, and the softmax itself."""

import numpy as np

from pe_lib.clinic.notes import number
from pe_lib.clinic.sheet import size
from pe_lib.clinic.weights import SEEN

CAUSAL = "Query i sees keys 0 to i and no other: add -inf to the scores of all others before the softmax."


def examine_mask(sheet, weights, unequal, n, causal):
    """Weights (n, n) of equal keys, and of unequal ones, in one pass. True if a causal mask, or a window of it, was at work;
    for an encoder (causal False), if all keys are seen."""
    future = np.triu(np.ones((n, n), bool), 1)
    seen = np.nan_to_num(weights) > SEEN
    row_sums, column_sums = weights.sum(axis=1), weights.sum(axis=0)
    if np.allclose(column_sums, 1, atol=1e-4) and not np.allclose(row_sums, 1, atol=1e-4):
        words = (f"The weights of a key sum to 1 over the queries, and those of query {n - 1} over the keys to "
                 f"{number(row_sums[-1], 3)}.")
        sheet.judge("weights sum to 1", True, "over the queries", "softmax axis", words,
                    "The softmax runs along the keys: axis=-1.")
        return False
    if np.array_equal(seen, ~future) and np.allclose(weights[seen], 1 / n, rtol=1e-3):
        words = (f"Query 0 gives its only key the weight {number(weights[0, 0], 3)} and loses the rest: the mask comes after "
                 "the softmax.")
        sheet.judge("weights sum to 1", True, f"row 0 sums to {number(row_sums[0], 3)}", "mask after softmax", words, CAUSAL)
        return False
    hidden = ~seen.any(axis=1)
    off = np.abs(np.nan_to_num(row_sums[~hidden] - 1)).max(initial=0)
    sheet.judge(
        "weights sum to 1", off > 1e-3, f"largest difference {size(off)}", "row sums",
        f"The weights of a query do not sum to 1: in row {int(np.nanargmax(np.abs(row_sums - 1)))} they sum to "
        f"{number(row_sums[int(np.nanargmax(np.abs(row_sums - 1)))], 3)}. What is missing went to something that is no key: "
        "an empty slot, a sink.",
        "Divide the exponentials by their sum along the keys that are seen, after the mask.",
    )
    return _sight(sheet, weights, unequal, seen, n) if causal else _all_seen(sheet, seen, n)


def _all_seen(sheet, seen, n):
    i, j = np.argwhere(~seen)[0] if not seen.all() else (0, 0)
    sheet.judge("all keys seen", not seen.all(), f"{int(seen.sum())} of {n * n}", "mask", f"Query {i} does not see key {j}; "
                "asked for is attention both ways.", "An encoder has no causal mask.")
    return bool(seen.all())


def _sight(sheet, weights, unequal, seen, n):
    relative = np.arange(n) - np.arange(n)[:, None]
    width = next((w for w in range(2, n) if np.array_equal(seen, (relative <= 0) & (relative > -w))), None)
    if np.array_equal(seen, relative <= 0) or width:
        sheet.find("causal", True, "no weight on keys ahead" + (f", nor beyond {width} tokens" if width else ""))
        if width:
            sheet.name(f"a window: a query sees the last {width} tokens")
        return True
    words, remedy = _wrong_sight(weights, unequal, seen, relative, n)
    sheet.judge("causal", True, f"{int(seen[relative > 0].sum())} of {n * (n - 1) // 2} keys ahead seen", "mask", words, remedy)
    return False


def _wrong_sight(weights, unequal, seen, relative, n):
    reach = next((c for c in range(1 - n, n) if np.array_equal(seen, relative <= c)), None)
    if np.array_equal(seen[1:], relative[1:] < 0) and not seen[0, 1:].all():
        return "A query does not see its own token, and the first sees nothing.", "Hide j > i, not j >= i. " + CAUSAL
    if np.array_equal(seen[1:], relative[1:] < 0):
        return ("A query does not see its own token; the first, which would see nothing, sees all.",
                "Hide j > i, not j >= i. " + CAUSAL)
    if seen.all():
        ahead = weights[0, 1:].sum()
        even = np.allclose(weights, 1 / n, rtol=1e-4)
        kind = "there is no mask" if even else "the mask is too weak to hide them, and has to be -inf"
        if even and np.ptp(unequal[0, 1:]) < 1e-6 * unequal[0, 1]:
            kind = "they all have the score 0, so scores are multiplied by a mask of 0 and 1"
        return f"Query 0 gives {number(100 * ahead, 3)} % of its weight to keys ahead of it: {kind}.", CAUSAL
    if np.array_equal(seen, relative == 0):
        return "A query sees nothing but its own token.", CAUSAL
    if not seen[relative < 0].any():
        return "The mask is upside down: queries see what is ahead and not what is behind.", CAUSAL
    if reach is not None and reach > 0:
        return f"The mask is {reach} too loose: a query sees {reach} key{'s' * (reach > 1)} ahead of it.", CAUSAL
    i, j = np.argwhere(seen != (relative <= 0))[0]
    return f"Query {i} {'sees' if seen[i, j] else 'does not see'} key {j}.", CAUSAL


def misaligned(weights, whole, plan):
    """(key, sentence, remedy) where cached chunks see other keys than one pass does; None if they do not. Weights (n, n)."""
    n = len(weights)
    seen, right = (np.nan_to_num(w) > SEEN for w in (weights, whole))
    if np.array_equal(seen, right):
        return _uneven(weights, whole, plan)
    start = np.repeat(np.cumsum([0, *plan[:-1]]), plan)  # the first row of each row's chunk
    rows, keys = np.arange(n)[:, None], np.arange(n)
    i, j = np.argwhere(seen != right)[0]
    where = f"{spoken(plan)}, query {i} {'sees' if seen[i, j] else 'does not see'} key {j}"
    several = np.repeat(plan, plan)[:, None] > 1
    top_left = keys <= rows - start[:, None]
    if np.array_equal(seen, top_left) or np.array_equal(seen, np.where(several, top_left, right)):
        return ("mask alignment", where + ": the mask is aligned top-left, as if the chunk stood before the cache.",
                "The queries are the last tokens: query i of n_query sees keys up to i + n_key - n_query.")
    if (seen & ~right).any() and (seen | ~right).all():
        return ("mask in chunks", where + ", which is ahead of it in the same chunk.",
                "A chunk of several queries needs the causal mask, too, aligned bottom-right.")
    last = int(seen[i].argmax())
    if not (seen & ~right).any() and np.array_equal(seen[i], right[i] & (keys >= last)):
        return ("lost keys", where + f": of the tokens before it the cache kept those from {last} on.",
                "Join the new keys and values to all cached ones; a window is to hide in one pass what it drops here.")
    if np.array_equal(seen.sum(axis=1), right.sum(axis=1)):
        return ("order of keys", where + ": it sees as many keys as it should, but others.",
                "Join the new keys behind the cached ones, not in front: a mask aligned bottom-right counts on it.")
    if not (seen & ~right).any():
        return ("lost keys", where + f": it sees {', '.join(map(str, np.flatnonzero(seen[i])))} of the keys 0 to {i}.",
                "Join the new keys and values to all cached ones, at every call.")
    return "mask in chunks", where + ".", "Align the causal mask bottom-right."


def _uneven(weights, whole, plan):
    """Equal keys have equal weights in one pass; twice the weight is a key that is there twice."""
    more = np.where(whole > SEEN, weights / np.maximum(whole, SEEN), 1)
    if np.abs(more - 1).max() < 1e-3:
        return None
    i = int(np.argmax(np.abs(more - 1).max(axis=1) > 1e-3))
    j = int(np.argmax(np.abs(more[i] - 1)))
    words = f"{spoken(plan)}, keys of equal score do not weigh the same: query {i} gives key {j} {number(weights[i, j], 3)}, not "
    return ("uneven keys", words + f"{number(whole[i, j], 3)}. A key that is in the cache twice does that, or an empty slot "
                                   "that is seen.",
            "Store each new key once, and hide the slots that hold none.")


def spoken(plan):
    """A chunking in words."""
    if set(plan) == {1}:
        return "Token by token"
    if set(plan[1:]) == {1}:
        return f"After a prompt of {plan[0]} tokens"
    return f"In chunks of {', '.join(map(str, plan))} tokens"
