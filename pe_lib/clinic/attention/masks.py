"""Who sees whom, read from the weights of equal keys: the causal mask, its alignment, and the softmax itself."""

import numpy as np

from pe_lib.clinic.attention.patterns import fits, long_sight, pattern
from pe_lib.clinic.attention.weights import SEEN, sample
from pe_lib.clinic.notes import number
from pe_lib.clinic.sheet import Unusable

CAUSAL = "Query i sees keys 0 to i and no other: add -inf to the scores of all others before the softmax."


def examine_mask(sheet, reader, weights, causal, length):
    """Weights (n, n) of equal keys in one pass -> the Pattern of a causal mask, or another known design; for an encoder (causal
    False) True if all keys are seen. False otherwise."""
    seen = np.nan_to_num(weights) > SEEN
    if not causal:
        return _all_seen(sheet, seen, len(seen))
    if len(seen) > 1 and not np.array_equal(seen, np.tri(len(seen), dtype=bool)) and _misplaced(reader, seen):
        return False
    far = long_sight(sheet, reader, length)
    found = pattern(seen if far is None else far, both_ways=not reader.cached)
    if found and fits(found, seen, reader.positions):
        sheet.find("causal", True, "no weight on keys ahead" if "prefix" not in found.words else "but for a prefix")
        if found.words:
            sheet.name(found.words)
        if reader.cached and "chunk" in found.words:
            sheet.remarks.append("Chunks are also what a ring of slots shows whose mask compares slots, or a buffer that begins "
                                 "anew when it is full: if a window was meant, this is none.")
        return found
    return _no_pattern(sheet, reader, weights, seen, far)


def _no_pattern(sheet, reader, weights, seen, far):
    n = len(seen)
    if far is not None and np.array_equal(seen, np.tri(n, dtype=bool)):
        i, j = np.argwhere(far != np.tri(len(far), dtype=bool))[0]
        words = (f"In one pass over {len(far)} tokens query {i} {'sees' if far[i, j] else 'does not see'} key {j}, though all is "
                 f"well with {n} tokens: a buffer is full, or written over, and no window known here.")
        sheet.judge("causal", True, f"wrong from row {i} on", "lost keys", words,
                    "Keep every key, or those of a window and all of them.")
        return False
    q, k, _ = sample(n, reader.dim)
    words, remedy = _wrong_sight(weights, reader.weights(q, k, reader.positions), seen, n)
    if "h" in reader.form and "but its own" in words:
        words = words[:-1] + ", as when the softmax runs over the heads: check which axis is the sequence."
    ahead = int(np.triu(seen, 1).sum())
    sheet.judge("causal", True, f"{ahead} of {n * (n - 1) // 2} keys ahead seen", "mask", words, remedy)
    return False


def _misplaced(reader, seen):
    """Is the mask right, and what it is applied to in another order? Then nothing further can be told apart."""
    n = len(seen)
    tri = np.tri(n, dtype=bool)
    if np.array_equal(seen[np.argsort(seen.sum(axis=1), kind="stable")], tri) and _of_another(reader, seen):
        raise Unusable("rows out of order", f"The output's rows are in another order: row 0 is that of query {seen[0].sum() - 1}.",
                       "Row i of the output belongs to query i.")
    order = np.argsort(-seen.sum(axis=0), kind="stable")  # the value that key j weighs
    if np.array_equal(seen[:, order], tri):
        raise Unusable("keys and values apart", f"The weight of key 0 goes to value {order[0]}, that of key 1 to value {order[1]}: "
                       "values are in another order along the sequence than keys.", "Value j goes with key j.")
    return False


def _of_another(reader, seen):
    """Does row 0 follow another query than its own?"""
    q, k, _ = sample(len(seen), reader.dim)
    q[0] = 0
    row = reader.weights(q, k, reader.positions)[0, seen[0]]
    return np.ptp(row) > 1e-3


def _all_seen(sheet, seen, n):
    i, j = np.argwhere(~seen)[0] if not seen.all() else (0, 0)
    sheet.judge("all keys seen", not seen.all(), f"{int(seen.sum())} of {n * n}", "mask", f"Query {i} does not see key {j}; "
                "asked for is attention both ways.", "An encoder has no causal mask.")
    return bool(seen.all())


def _wrong_sight(weights, unequal, seen, n):
    relative = np.arange(n) - np.arange(n)[:, None]
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
    step = next((s for s in range(2, n // 2 + 1) if np.array_equal(seen, (relative <= 0) & (relative % s == 0))), None)
    if step:
        return f"A query sees only one key in {step}, counted back from itself.", CAUSAL
    i, j = np.argwhere(seen != (relative <= 0))[0]
    return f"Query {i} {'sees' if seen[i, j] else 'does not see'} key {j}.", CAUSAL


def misaligned(weights, whole, plan):
    """(key, sentence, remedy) where cached chunks see other keys than one pass does; None if they do not. Weights (n, n)."""
    seen, right = (np.nan_to_num(w) > SEEN for w in (weights, whole))
    if np.array_equal(seen, right):
        return _uneven(weights, whole, plan)
    replaced = _replaced(weights, whole, seen, right)
    if replaced:
        return ("keys and values apart", f"{spoken(plan)}, {replaced}.",
                "Join keys and values to the cache alike, the new ones of both.")
    return _other_keys(seen, right, plan)


def _other_keys(seen, right, plan):
    n = len(seen)
    start = np.repeat(np.cumsum([0, *plan[:-1]]), plan)  # the first row of each row's chunk
    rows, keys = np.arange(n)[:, None], np.arange(n)
    i, j = np.argwhere(seen != right)[0]
    where = f"{spoken(plan)}, query {i} {'sees' if seen[i, j] else 'does not see'} key {j}"
    several = np.repeat(plan, plan)[:, None] > 1
    top_left = keys <= rows - start[:, None]
    if np.array_equal(seen, top_left) or np.array_equal(seen, np.where(several, top_left, right)):
        return ("mask alignment", where + ": the mask is aligned top-left, as if the chunk stood before the cache.",
                "The queries are the last tokens: query i of n_query sees keys up to i + n_key - n_query.")
    if (seen & ~right).any() and not np.triu(seen & ~right, 1).any():
        return ("window in decoding", where + ", which a window hides from it in one pass.",
                "Count alike on both paths: with the new token the window holds as many keys as in one pass.")
    if (seen & ~right).any() and (seen | ~right).all():
        return ("mask in chunks", where + ", which is ahead of it in the same chunk.",
                "A chunk of several queries needs the causal mask, too, aligned bottom-right.")
    return _fewer_keys(seen, right, i, where)


def _fewer_keys(seen, right, i, where):
    keys = np.arange(len(seen))
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


def _replaced(weights, whole, seen, right):
    """A value that does not appear, and another that has its weight beside its own: the keys are all there."""
    for i in np.flatnonzero((seen != right).any(axis=1)):
        double = np.flatnonzero(seen[i] & right[i] & (np.abs(weights[i] / np.maximum(whole[i], SEEN) - 2) < 1e-3))
        missing = np.flatnonzero(right[i] & ~seen[i])
        others = np.setdiff1d(np.flatnonzero(seen[i]), double)
        even = np.allclose(weights[i, others], whole[i, others], rtol=1e-3)
        if len(double) == len(missing) == 1 and len(others) and even and not (seen[i] & ~right[i]).any():
            return f"the weight of key {missing[0]} goes to value {double[0]}: the new key is joined to the cache, the new value is not"
    return ""


def _uneven(weights, whole, plan):
    """Equal keys have equal weights in one pass; twice the weight is a key that is there twice."""
    more = np.where(whole > SEEN, weights / np.maximum(whole, SEEN), 1)
    if np.abs(more - 1).max() < 1e-3:
        return None
    i = int(np.argmax(np.abs(more - 1).max(axis=1) > 1e-3))
    j = int(np.argmax(np.abs(more[i] - 1)))
    words = f"{spoken(plan)}, keys of equal score do not weigh the same: query {i} gives key {j} {number(weights[i, j], 3)}, not "
    return ("uneven keys", words + f"{number(whole[i, j], 3)}. A key that is in the cache twice does that, or an empty slot "
                                   "that is seen, or a sink on one path alone.",
            "Store each new key once, and hide the slots that hold none.")


def spoken(plan):
    """A chunking in words."""
    if set(plan) == {1}:
        return "Token by token"
    if set(plan[1:]) == {1}:
        return f"After a prompt of {plan[0]} tokens"
    return f"In chunks of {', '.join(map(str, plan))} tokens"
