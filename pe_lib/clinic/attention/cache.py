"""Attention with a cache, measured: the same sequence in several chunkings, and the position at which each row is turned."""

import numpy as np

from pe_lib.clinic.attention.cache_positions import drift
from pe_lib.clinic.attention.masks import misaligned, spoken
from pe_lib.clinic.attention.patterns import sight
from pe_lib.clinic.attention.turning import position_of
from pe_lib.clinic.attention.weights import logs, sample, score_matrices, split, transfer
from pe_lib.clinic.notes import number
from pe_lib.clinic.rotary.positions import wrap
from pe_lib.clinic.sheet import Unusable, size

PLANS = {"in steps": [1] * 7, "prompt, then steps": [4, 1, 1, 1], "in chunks": [3, 3, 1]}
SAME = 1e-3  # outputs this close are the same but for rounding, even where half of the arithmetic is in float32
MOVED = {"scale in the cache", "keys and values apart", "other turns in the cache", "frequencies changed", "query position",
         "keys turned twice", "keys not turned", "keys turned again", "restart", "query and key positions",
         "positions in the cache"}
UNSEEN = {"mask alignment", "mask in chunks", "lost keys", "order of keys", "uneven keys", "keys and values apart",
          "cache written over", "values in the cache"}


def examine_cache(sheet, reader, turning, positions, whole, length):
    """Cached against full for several chunkings, `whole` the (n, n) weights of equal keys in one pass; then a long sequence."""
    if turning is not None and turning.counted:
        positions = np.arange(len(positions))
    q, k, v = sample(len(positions), reader.dim)
    full, faults = reader.run(q, k, v, positions), len(sheet.faults)
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
    try:
        if len(sheet.faults) == faults:
            _long(sheet, reader, length)
        elif not sheet.has(*UNSEEN):
            lost = _kept(reader, length)
            if lost:
                sheet.judge(f"{length} tokens", True, "fewer keys through the cache", *lost)
    except Unusable as unusable:
        sheet.find(f"cached as full: {length} tokens", None, f"refused: {unusable}")


def _explain(sheet, reader, turning, positions, whole, plan, off):
    """Name what a chunking gets wrong: the values, the keys it sees, the positions, or something else."""
    if _values(sheet, reader, positions, plan):
        return
    found = _mask(reader, positions, whole, plan)
    if found:
        sheet.fault(*found)
    moved = None
    if turning is not None:
        apart, blur, gain = distances(reader, turning, positions, plan)
        moved = _stronger(reader, positions, gain, plan) or drift(apart, blur, positions, plan)
    if moved and not sheet.has(*MOVED):  # one name will do: the first chunking's is the simplest
        sheet.fault(*moved)
    if not found and not moved:
        row = int(np.argmax(off > SAME))
        sheet.fault("cache", f"{spoken(plan)}, the output of row {row} is off by {number(off[row], 2)}, though it sees the "
                             f"right keys{' at the right positions' if turning else ''}.",
                    "Compare the cached path with the full one: scale, cap, order of keys.")


def _values(sheet, reader, positions, plan):
    """Do values come out of a chunking otherwise than out of one pass? True if that is said."""
    moved, idle = transfer(reader, positions, plan)
    if np.nanmax(np.abs(idle)) > 1e-6:
        sheet.fault("cache written over", f"{spoken(plan)}, values of zero give an output of {number(np.nanmax(np.abs(idle)), 3)}: "
                    "something was added to what the cache holds, or written over it, between the calls.",
                    "Cached keys and values stay as they came; give the cache arrays of its own.")
        return True
    _, each = split(moved)
    plain = np.eye(reader.dim) if reader.values is None else np.linalg.inv(reader.values)
    plain = plain * reader.dim**0.5 / np.linalg.norm(plain, axis=(-2, -1), keepdims=True)
    if np.nanmax(np.abs(each - plain)) > 2e-3:
        i, j = np.argwhere(np.nan_to_num(np.abs(each - plain)).max(axis=(-2, -1)) > 2e-3)[0]
        sheet.fault("values in the cache", f"{spoken(plan)}, the value of row {j} reaches query {i} changed, as it does not "
                                           "in one pass.",
                    "Values are never turned, and the cache keeps them as they came.")
        return True
    return False


def _mask(reader, positions, whole, plan):
    """What `misaligned` says of a chunking. Single steps that see key 0 alone may have other causes, which a prompt before them
    shows."""
    n = len(positions)

    def said(plan):
        return misaligned(reader.weights(sample(n, reader.dim)[0], np.zeros((n, reader.dim)), positions, plan), whole, plan)

    found = said(plan)
    if found and found[0] == "mask alignment" and set(plan) == {1}:
        other = said(PLANS["prompt, then steps"])
        return found if other and other[0] == "mask alignment" else other or found
    return found


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
    # Where the right distance explains the angles it is taken: fast pairs alone could not tell it from others.
    fits = np.abs(wrap(right[..., None] * turning.speeds - angles)).max(axis=-1) < 2e-3
    apart = np.where(fits, right, np.apply_along_axis(position_of, -1, np.nan_to_num(angles), turning.speeds))
    blur = np.abs(wrap(apart[..., None] * turning.speeds - angles)).max(axis=-1)
    return np.where(np.isnan(angles[..., 0]), np.nan, apart), blur, np.array(sizes)


def _stronger(reader, positions, gain, plan):
    """(key, sentence, remedy) where scores of a chunking are larger or smaller than in one pass; None if they are not."""
    rows = [row[np.isfinite(row)] for row in np.moveaxis(gain, 1, 0)]
    by_rows = all(np.ptp(row) < 2e-2 for row in rows if row.size)
    gain = gain[np.isfinite(gain)]
    odd = gain[np.abs(gain - 1) > 2e-2]
    if not odd.size:
        return None
    if np.ptp(odd) < 2e-2:
        return ("scale in the cache", f"{spoken(plan)}, scores are {number(np.median(odd), 3)} times those of one pass.",
                "Divide by sqrt(d), once, on both paths.")
    if by_rows:
        return ("scale in the cache", f"{spoken(plan)}, scores are {number(odd.min(), 3)} to {number(odd.max(), 3)} times those of "
                "one pass, alike for all keys of a query: the scale depends on how many tokens there are.",
                "Divide by sqrt(d), the width of a head, on both paths.")
    for j in range(len(positions) - 1):
        moved = _moved_by(reader, positions, plan, j)
        if moved != j:
            return ("keys and values apart", f"{spoken(plan)}, a change of key {j} moves the weight of value {moved}.",
                    "Join keys and values to the cache in the same order, new ones last.")
    return ("other turns in the cache", f"{spoken(plan)}, q and k are not turned as in one pass: in another layout, or not "
                                        "in pairs.",
            "Use one function to turn q and k, on both paths.")


def _moved_by(reader, positions, plan, j):
    """The value whose weight for the last query changes when key j changes."""
    q, k, _ = sample(len(positions), reader.dim)
    k[np.arange(len(k)) != j] = 0
    with_it, without = (logs(reader.weights(q, keys, positions, plan))[-1] for keys in (k, 0 * k))
    change = with_it - without
    return int(np.nanargmax(np.abs(change - np.nanmedian(change))))


def _long(sheet, reader, length):
    """A longer sequence, token by token, against one pass: windows that end, frequencies that switch, buffers that fill."""
    q, k, v = sample(length, reader.dim, seed=3)
    short = reader.run(q[:7], k[:7], v[:7], np.arange(7))
    full = reader.run(q, k, v, np.arange(length))
    off = np.abs(reader.run(q, k, v, np.arange(length), [1] * length) - full).max(axis=-1)
    why = ("frequencies changed", f"In one pass over {length} tokens the first 7 rows come out otherwise than in one over 7: "
                                  "frequencies depend on the length, and cached keys keep those of the length they met.",
           "When the frequencies change, turn the cached keys again (pe_lib.cache.change_frequencies), or keep keys unturned.")
    if not np.abs(full[:7] - short).max() > SAME:
        why = _kept(reader, length) or (
            "long sequences", f"Token by token, the output differs from the full pass from row {int(np.argmax(off >= SAME))} of "
            f"{length} on.", "Look for what changes with length: a window that only one of the two has, a full buffer.")
    sheet.judge(f"cached as full: {length} tokens", not off.max() < SAME, f"largest difference {size(off.max())}", *why)


def _kept(reader, length):
    """(key, sentence, remedy) where the last of many tokens sees fewer keys through the cache than in one pass."""
    whole, steps = sight(reader, length), sight(reader, length, [1] * length)
    if whole is None or steps[-1].sum() >= whole[-1].sum():
        return None
    words = (f"The last of {length} tokens sees {whole[-1].sum()} keys in one pass and {steps[-1].sum()} through the cache, from key "
             f"{steps[-1].argmax()} on.")
    return "lost keys", words, "Keep all keys, or hide in one pass what the cache drops."
