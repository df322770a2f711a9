"""Attention with a cache, measured: the same sequence in several chunkings, and the position at which each row is turned."""

import numpy as np

from pe_lib.clinic.masks import misaligned, spoken
from pe_lib.clinic.notes import number
from pe_lib.clinic.sheet import Unusable, size
from pe_lib.clinic.turning import position_of, wrap
from pe_lib.clinic.weights import SEEN, logs, sample, score_matrices, split, transfer

PLANS = {"in steps": [1] * 7, "prompt, then steps": [4, 1, 1, 1], "in chunks": [3, 3, 1]}
SAME = 1e-3  # outputs this close are the same but for rounding, even where half of the arithmetic is in float32
MOVED = {"scale in the cache", "keys and values apart", "other turns in the cache", "frequencies changed", "query position", "keys turned twice", "keys not turned", "keys turned again", "restart",
         "query and key positions", "positions in the cache"}
FOLLOW = "Turn new queries and keys once, by the positions given for them, and keep the cached keys as they were turned."


def examine_cache(sheet, reader, turning, positions, whole, length):
    """Cached against full for several chunkings, `whole` the (n, n) weights of equal keys in one pass; then a long sequence."""
    if turning is not None and turning.counted:
        positions = np.arange(len(positions))
    q, k, v = sample(len(positions), reader.dim)
    full = reader.run(q, k, v, positions)
    for name, plan in PLANS.items():
        try:
            off = np.abs(reader.run(q, k, v, positions, plan) - full).max(axis=-1)
        except Unusable as unusable:
            if set(plan[1:]) == {1}:
                raise
            sheet.find(f"cached as full: {name}", None, f"refused: {unusable}")
            continue
        sheet.find(f"cached as full: {name}", off.max() < SAME, f"largest difference {size(off.max())}")
        if not off.max() < SAME:
            _explain(sheet, reader, turning, positions, whole, plan, off)
    if not sheet.faults:
        _long(sheet, reader, length)


def _explain(sheet, reader, turning, positions, whole, plan, off):
    """Name what a chunking gets wrong: the values, the keys it sees, the positions, or something else."""
    n = len(positions)
    _, each = split(transfer(reader, positions, plan)[0])
    plain = np.eye(reader.dim) if reader.values is None else np.linalg.inv(reader.values)
    if np.nanmax(np.abs(each - plain)) > 2e-3:
        i, j = np.argwhere(np.nan_to_num(np.abs(each - plain)).max(axis=(-2, -1)) > 2e-3)[0]
        sheet.fault("values in the cache", f"{spoken(plan)}, the value of row {j} reaches query {i} changed, as it does not in one pass.",
                    "Values are never turned, and the cache keeps them as they came.")
        return
    found = misaligned(reader.weights(sample(n, reader.dim)[0], np.zeros((n, reader.dim)), positions, plan), whole, plan)
    if found:
        sheet.fault(*found)
    moved = None
    if turning is not None:
        apart, blur, gain = distances(reader, turning, positions, plan)
        moved = _stronger(reader, positions, gain, plan) or _moved(apart, blur, positions, plan)
    if moved and not {fault.key for fault in sheet.faults} & MOVED:  # one name for the positions: the first chunking's is the simplest
        sheet.fault(*moved)
    if not found and not moved:
        row = int(np.argmax(off > SAME))
        sheet.fault("cache", f"{spoken(plan)}, the output of row {row} is off by {number(off[row], 2)}, though it sees the right keys"
                    f"{' at the right positions' if turning else ''}.", "Compare the cached path with the full one: scale, order of keys.")


def distances(reader, turning, positions, plan):
    """(n, n) each: key position minus query position as the turns show it, how far the pairs disagree, in radians, and the size
    of the scores, 1 as it should be."""
    firsts, seconds = np.array(turning.pairs).T
    angles, sizes = [], []
    for first, second in zip(firsts, seconds):
        scores = score_matrices(reader, positions, plan, [first], [first, second])
        angles.append(np.arctan2(-scores[..., 0, 1], scores[..., 0, 0]))  # S[first, second] = -sin, S[first, first] = cos
        sizes.append(np.hypot(scores[..., 0, 1], scores[..., 0, 0]) / turning.scale)
    angles = np.stack(angles, axis=-1)
    right = positions - positions[:, None]
    fits = np.abs(wrap(right[..., None] * turning.speeds - angles)).max(axis=-1) < 2e-3  # the fast pairs alone cannot tell far ones
    apart = np.where(fits, right, np.apply_along_axis(position_of, -1, np.nan_to_num(angles), turning.speeds))
    blur = np.abs(wrap(apart[..., None] * turning.speeds - angles)).max(axis=-1)
    return np.where(np.isnan(angles[..., 0]), np.nan, apart), blur, np.array(sizes)


def _stronger(reader, positions, gain, plan):
    """(key, sentence, remedy) where scores of a chunking are larger or smaller than in one pass; None if they are not."""
    gain = gain[np.isfinite(gain)]
    odd = gain[np.abs(gain - 1) > 2e-2]
    if not odd.size:
        return None
    if np.ptp(odd) < 2e-2:
        return ("scale in the cache", f"{spoken(plan)}, scores are {number(np.median(odd), 3)} times those of one pass.",
                "Divide by sqrt(d), once, on both paths.")
    for j in range(len(positions) - 1):
        moved = _moved_by(reader, positions, plan, j)
        if moved != j:
            return ("keys and values apart", f"{spoken(plan)}, a change of key {j} moves the weight of value {moved}.",
                    "Join keys and values to the cache in the same order, new ones last.")
    return ("other turns in the cache", f"{spoken(plan)}, q and k are not turned as in one pass: in another layout, or not in pairs.",
            "Use one function to turn q and k, on both paths.")


def _moved_by(reader, positions, plan, j):
    """The value whose weight for the last query changes when key j changes."""
    q, k, _ = sample(len(positions), reader.dim)
    k[np.arange(len(k)) != j] = 0
    with_it, without = (logs(reader.weights(q, keys, positions, plan))[-1] for keys in (k, 0 * k))
    change = with_it - without
    return int(np.nanargmax(np.abs(change - np.nanmedian(change))))


def _moved(apart, blur, positions, plan):
    """(key, sentence, remedy) where queries or keys of a chunking are turned by other positions than those given."""
    right = positions - positions[:, None]
    wrong = np.isfinite(apart) & ((np.abs(apart - right) > 1e-3) | (blur > 2e-3))
    if not wrong.any():
        return None
    if (blur[wrong] > 2e-3).all():
        return _other_frequencies(wrong)
    start = np.repeat(np.cumsum([0, *plan[:-1]]), plan)
    return (_queries_moved(apart, positions, start) or _keys_moved(apart, positions, start)
            or _both_moved(apart, positions, start) or _somewhere(apart, right, wrong))


def _other_frequencies(wrong):
    i, j = np.argwhere(wrong)[0]
    words = f"Query {i} and cached key {j} are turned by different frequencies: no distance between them explains all pairs."
    return "frequencies changed", words, "When the frequencies change, turn the cached keys again (pe_lib.cache.change_frequencies)."


def _queries_moved(apart, positions, start):
    """Only the queries are elsewhere: each row of distances is off by one number, and keys of the same chunk say so too."""
    rows = np.flatnonzero(start > 0)
    off = [_steady(apart[i] - (positions - positions[i])) for i in rows]
    if None in off:
        return None
    used = positions[rows] - np.array(off)
    return "query position", f"{_where(used, positions, rows, start, 'The new query')}, while its key is where it belongs.", FOLLOW


def _keys_moved(apart, positions, start):
    """Only the keys are elsewhere, as seen by later chunks."""
    n = len(positions)
    later = [(i, j) for i in range(n) for j in range(n) if start[i] > start[j] and np.isfinite(apart[i, j])]
    used = {(i, j): apart[i, j] + positions[i] for i, j in later}
    own = [abs(apart[i, i] - 0) < 1e-3 for i in range(n) if np.isfinite(apart[i, i])]
    if not used:
        return None
    if all(abs(p - 2 * positions[j]) < 1e-3 for (i, j), p in used.items()):
        new = "" if all(own) else ", the new one too"
        return "keys turned twice", f"Cached keys are turned twice: the key of position {positions[1]} counts as {2 * positions[1]}{new}.", FOLLOW
    if all(abs(p) < 1e-3 for p in used.values()):
        return "keys not turned", "Cached keys are not turned: all of them count as position 0.", FOLLOW
    times = {key: p / positions[key[1]] for key, p in used.items() if positions[key[1]]}
    if all(own) and all(abs(t - round(t)) < 1e-3 and t >= 1 for t in times.values()) and len({round(t) for t in times.values()}) > 1:
        last = max(times)
        words = f"Cached keys are turned again at every call: seen from row {last[0]} the key of position {positions[last[1]]} counts as "
        return "keys turned again", words + f"{number(used[last])}.", FOLLOW
    return None


def _both_moved(apart, positions, start):
    """A chunk's queries and keys share wrong positions: right among themselves, wrong against the cache."""
    n = len(positions)
    used = -apart[:, 0]  # the first key is where the count begins
    if not np.isfinite(used[1:]).all():
        return None
    used[0] = 0
    model = used - used[:, None]
    if not np.allclose(np.where(np.isfinite(apart), apart - model, 0), 0, atol=1e-3):
        rows = np.flatnonzero(start > 0)
        keys = np.array([apart[n - 1, j] + used[n - 1] for j in range(n)])
        if np.allclose(np.where(np.isfinite(apart), apart - (keys - used[:, None]), 0)[1:], 0, atol=1e-3):
            words = _where(used[rows], positions, rows, start, "The new query")
            more = _where(keys[rows[:-1]], positions, rows[:-1], start, "the new key")
            return "query and key positions", f"{words}; {more}.", FOLLOW
        return None
    rows = np.flatnonzero(start > 0)
    words = _where(used[rows], positions, rows, start, "A new token")
    inside = np.arange(n) - start
    key = "restart" if np.allclose(used[rows], inside[rows], atol=1e-3) else "positions in the cache"
    return key, words + ", query and key alike.", FOLLOW


def _where(used, positions, rows, start, who):
    """Where rows were found, in words: the last of them as the example."""
    i, inside = rows[-1], np.arange(len(positions)) - start
    given = f"{who} of position {positions[i]} is turned as position {number(used[-1])}"
    if np.allclose(used, 0, atol=1e-3):
        return f"{who} is always turned as position 0 ({positions[i]} was given)"
    if np.allclose(used, inside[rows], atol=1e-3):
        return given + ": each chunk counts from 0 again"
    if np.allclose(used, positions[rows] + (used - positions[rows])[0], atol=1e-3):
        by = (used - positions[rows])[0]
        return given + f": {number(abs(by))} too {'far' if by > 0 else 'near'}"
    if np.allclose(used, rows, atol=1e-3):
        return given + ": its row in the cache, not the position that is given (with padding the two differ)"
    if np.allclose(used, used[0], atol=1e-3):
        return given + ", as at every call: that is no count, but perhaps the cache's capacity"
    return given


def _somewhere(apart, right, wrong):
    i, j = np.argwhere(wrong)[0]
    words = f"Query {i} and key {j} are turned {number(apart[i, j])} positions apart; key minus query is {right[i, j]}."
    return "positions in the cache", words, FOLLOW


def _steady(row):
    row = row[np.isfinite(row)]
    return row[0] if row.size and np.ptp(row) < 1e-3 else None


def _long(sheet, reader, length):
    """A longer sequence, token by token, against one pass: windows that end, frequencies that switch, buffers that fill."""
    q, k, v = sample(length, reader.dim, seed=3)
    short = reader.run(q[:7], k[:7], v[:7], np.arange(7))
    full = reader.run(q, k, v, np.arange(length))
    off = np.abs(reader.run(q, k, v, np.arange(length), [1] * length) - full).max(axis=-1)
    after = np.abs(reader.run(q[:7], k[:7], v[:7], np.arange(7)) - short).max()
    switched = np.abs(full[:7] - short).max() > SAME and after < SAME
    why = ("frequencies changed", f"In one pass over {length} tokens the first 7 rows come out otherwise than in one over 7: frequencies "
           "depend on the length, and cached keys keep those of the length they met.",
           "When the frequencies change, turn the cached keys again (pe_lib.cache.change_frequencies), or keep keys unturned.")
    if not switched:
        why = _kept(reader, length) or (
            "long sequences", f"Token by token, the output differs from the full pass from row {int(np.argmax(off >= SAME))} of "
            f"{length} on.", "Look for what changes with length: a window that only one of the two has, a full buffer.")
    sheet.judge(f"cached as full: {length} tokens", not off.max() < SAME, f"largest difference {size(off.max())}", *why)
    sheet.judge(
        "no state left", not after < SAME, f"largest difference {size(after)}", "remembers earlier calls",
        f"After a sequence of {length} tokens a short one gives other outputs than before, by {size(after)}: something was kept.",
        "Compute frequencies and tables from what is given, at each call.",
    )


def _kept(reader, length):
    """(key, sentence, remedy) where the last of many tokens sees fewer keys through the cache than in one pass."""
    q, k = np.zeros((2, length, reader.dim))
    steps, whole = (reader._replace(values=None).weights(q, k, np.arange(length), plan)[-1] > SEEN for plan in ([1] * length, None))
    if steps.sum() >= whole.sum():
        return None
    words = f"The last of {length} tokens sees {whole.sum()} keys in one pass and {steps.sum()} through the cache, from key {steps.argmax()} on."
    return "lost keys", words, "Keep all keys, or hide in one pass what the cache drops."
