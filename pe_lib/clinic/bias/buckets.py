"""T5's buckets measured: which side is which, and how many. What is on a side: `bucket_rules`."""

from typing import NamedTuple

import numpy as np

from pe_lib.clinic.bias.bucket_rules import examine_side
from pe_lib.clinic.sheet import Unusable, call, numbers

BOTH, CAUSAL = "both ways", "causal"


class Sides(NamedTuple):
    """The function taken apart: a decoder's has one side, an encoder's two."""

    form: str  # BOTH or CAUSAL
    swapped: bool  # behind and ahead are exchanged
    shift: int  # what the side ahead adds; 0 in a decoder's
    profiles: dict  # "behind" and "ahead" -> bucket of each distance, the shift taken off


def examine_buckets(sheet, bucket, causal, buckets, max_distance):
    reach = max(2 * max_distance, min(20 * max_distance, 5000)) + 2  # every distance up to here, and a few far ones
    distances = np.append(np.arange(reach), [10 * reach, 100 * reach])
    behind, ahead = _asked(sheet, bucket, -distances), _asked(sheet, bucket, distances)
    _again(sheet, bucket, distances, ahead)
    _usable(behind, ahead, distances, buckets)
    behind, ahead = _from_zero(sheet, *_moved(sheet, behind, ahead), buckets)
    if not sheet.keys:
        _zero(sheet, int(behind[0]), buckets)
    sides = _sides(sheet, behind, ahead, buckets)
    _form(sheet, sides, causal, buckets)
    count = buckets if sides.form == CAUSAL else _half(sides, buckets)
    for name, profile in sides.profiles.items():
        examine_side(sheet, name, profile, distances, count, max_distance)
    if {"off by one", "branches exchanged"} & set(sheet.keys):  # the same cause
        sheet.faults = [fault for fault in sheet.faults if fault.key != "relative 0"]
    if {"sign", "direction lost"} & set(sheet.keys):
        sheet.name(sides.form)
    else:
        sheet.name(f"{sides.form}; relative = key - query")


def _asked(sheet, bucket, relative):
    try:
        result, changed = call(bucket, relative)
        array = numbers(result)
        if array.shape != relative.shape:
            words = f"For relative positions of shape {relative.shape} it returned shape {array.shape}."
            raise Unusable("wrong shape", words)
    except Unusable:
        array = np.array([numbers(call(bucket, int(r))[0]) for r in relative], dtype=object)  # one number at a time?
        if any(np.ndim(value) for value in array):
            raise
        array, changed = array.astype(np.float64), ()
        sheet.name("takes one relative position at a time")
    if changed and "input changed" not in sheet.keys:
        sheet.judge("input unchanged", True, "no", "input changed", "It writes into the array it was given.", "Work on a copy.")
    return _integers(array, relative)


def _integers(array, relative):
    if (array != np.rint(array)).any():
        place = np.argmax(array != np.rint(array))
        words = f"The bucket of relative {relative[place]} is {array[place]:.4g}; a bucket is a row of a table, so an integer."
        raise Unusable("not integers", words, "Cut the logarithm to an integer (floor), after adding the exact buckets.")
    huge = (np.abs(array) >= 2.0**62) | (array == -(2**31))
    if huge.any():
        place = np.argmax(huge)
        words = (f"The bucket of relative {relative[place]} is {array[place]:.0f}: so NaN or infinity comes out as an integer, and "
                 "the logarithm gave one of them.")
        raise Unusable("not finite", words, "A logarithm of 0, a division by log(1), as with buckets and max_distance exchanged, "
                                            "or a distance beyond 65504 in float16: look for one of these.")
    return array.astype(np.int64)


def _again(sheet, bucket, distances, ahead):
    again = _asked(sheet, bucket, distances)
    if not np.array_equal(again, ahead):
        place = int(np.argmax(again != ahead))
        words = (f"The same offsets twice in a row get two different answers: relative {distances[place]} bucket {ahead[place]}, "
                 f"then {again[place]}.")
        raise Unusable("not repeatable", words, "Take random numbers out, and keep nothing between calls.")


def _usable(behind, ahead, distances, buckets):
    """Numbers that are no buckets at all, or come round again."""
    both, relative = np.concatenate([behind, ahead]), np.concatenate([-distances, distances])
    for sign in (1, -1):
        if np.ptp(both - sign * relative) == 0:
            plus = f" plus {both[0] - sign * relative[0]}" if both[0] != sign * relative[0] else ""
            minus = "" if sign > 0 else "minus "
            words = f"It returns {minus}the relative position itself{plus}: a row for each offset, no buckets."
            remedy = "Sort the distances into buckets; a table with a row for each offset is another bias."
            raise Unusable("no buckets", words, remedy)
    if (both < 0).any():
        place = np.argmax(both < 0)
        words = (f"The bucket of relative {relative[place]} is {both[place]}; a negative index would wrap around to the table's "
                 "end.")
        remedy = "Take the distance (absolute value, or max(-relative, 0)) before the logarithm."
        raise Unusable("negative bucket", words, remedy)
    _round_again(both, relative, behind, ahead)


def _round_again(both, relative, behind, ahead):
    """Offsets kept in 8 or 16 bits."""
    def bucket(offset, most):
        place = np.minimum(np.abs(offset), min(most, len(behind) - 3))
        return np.where(offset < 0, behind[place], ahead[place])

    for bits in (8, 16):
        period = 2**bits
        wrapped = (relative + period // 2) % period - period // 2
        far = wrapped != relative
        again, plain = both == bucket(wrapped, period), both == bucket(relative, period // 2 - 1)
        if far.any() and again[far].all() and not plain[far].all():
            place = int(np.argmax(relative == period)) or int(np.argmax(far & (relative > 0)))
            words = (f"Offsets start again after {period}: relative {relative[place]} falls into bucket {both[place]}, as relative "
                     f"{wrapped[place]} does. They are kept in {bits} bits.")
            raise Unusable("wrapped", words, "Keep relative positions in 32 bits or more.")


def _moved(sheet, behind, ahead):
    """All offsets counted one too far or too near: where bucket 0 is says so, and the rest is measured from there."""
    back = np.concatenate([ahead[1:2], behind[:-1]]), np.append(ahead[1:], ahead[-1])
    forth = np.append(behind[1:], behind[-1]), np.concatenate([behind[1:2], ahead[:-1]])
    by, moved = (1, back) if ahead[1] == 0 else (-1, forth)
    near = [int(side[2] - side[1]) for side in moved]
    if behind[0] == 0 or moved[0][0] != 0 or near not in ([1, 1], [1, 0], [0, 1]) or moved[0][1] == moved[1][1]:
        return behind, ahead
    sheet.judge("counted from", True, f"relative {by}", "off by one",
                f"Relative {by} falls into bucket 0 and relative 0 into bucket {behind[0]}: every offset is moved by one.",
                "Count queries and keys from the same number: relative is 0 for the token itself.")
    return moved


def _from_zero(sheet, behind, ahead, buckets):
    """All buckets too high by one number: taken off."""
    first = int(behind[0])
    lowest, highest = min(behind.min(), ahead.min()), max(behind.max(), ahead.max())
    if not first or lowest < first or highest != buckets - 1 + first:
        return behind, ahead
    sheet.judge("lowest bucket", True, f"{first}", "buckets too high",
                f"The lowest bucket is {first}, of relative 0: all are {first} too high, and the last leaves the table.",
                "Buckets are counted from 0, as the rows of the table are.")
    return behind - first, ahead - first


def _zero(sheet, zero, buckets):
    half = zero == buckets // 2
    sheet.judge(
        "relative 0", zero != 0, f"bucket {zero}", "relative 0",
        f"A token's own offset, 0, falls into bucket {zero}; it belongs to bucket 0.",
        "Add the second half for keys ahead alone, relative > 0 (not >= 0)." if half else "Count distances from 0: bucket 0 is the "
        "token's own.",
    )


def _sides(sheet, behind, ahead, buckets):
    moves = {name: np.ptp(side[1:]) > 0 for name, side in (("behind", behind), ("ahead", ahead))}
    one_each = buckets < 6 and abs(ahead[1] - behind[1]) == buckets // 2
    if not any(moves.values()) and not one_each:
        raise Unusable("no distance", f"All keys behind are in bucket {behind[1]} and all those ahead in bucket {ahead[1]}.",
                       "Use the distance: bucket t for near ones, the logarithm for far ones.")
    if moves["behind"] == moves["ahead"]:
        return _both_sides(sheet, behind, ahead, buckets)
    seen = "behind" if moves["behind"] else "ahead"
    side, other = (behind, ahead) if seen == "behind" else (ahead, behind)
    away = int(other[1])
    sheet.judge("other side", away != 0, f"bucket {away}", "keys ahead",
                f"In a causal form the keys on the other side share bucket 0; here it is bucket {away}.",
                "Take max(-relative, 0) as the distance.")
    return Sides(CAUSAL, seen == "ahead", 0, {seen: np.concatenate([[0], side[1:]])})


def _both_sides(sheet, behind, ahead, buckets):
    if np.array_equal(behind, ahead):
        whole = behind.max() > buckets // 2 - 1
        sheet.judge("direction", True, "behind and ahead alike", "direction lost",
                    "Offsets -d and d share a bucket, so before and after cannot be told apart.",
                    "Take max(-relative, 0) as the distance in a decoder; here it is the absolute value." if whole else
                    "Keys ahead use the second half of the buckets; in a decoder they all get bucket 0.")
        return Sides(CAUSAL if whole else BOTH, False, 0, {"behind": np.concatenate([[0], behind[1:]])})
    shift, last = int(np.median((ahead - behind)[1 : buckets // 4 + 1])), int(ahead.max() - behind.max())
    if abs(shift - last) == 1 and abs(last) == buckets // 2:  # the near ones may be off by one
        shift = last
    low, high = (behind, ahead) if shift >= 0 else (ahead, behind)
    names = ("behind", "ahead") if shift >= 0 else ("ahead", "behind")
    profiles = {names[0]: np.concatenate([[0], low[1:]]), names[1]: np.concatenate([[0], high[1:] - abs(shift)])}
    return Sides(BOTH, shift < 0, abs(shift), profiles)


def _half(sides, buckets):
    """How many buckets a side has: as many as the other side starts on, if the side agrees."""
    own = sides.shift > 1 and all(profile.max() == sides.shift - 1 for profile in sides.profiles.values())
    return sides.shift if own else buckets // 2


def _form(sheet, sides, causal, buckets):
    half = "behind" if sides.swapped else "ahead"
    where = f"keys {half} are in the second half" if sides.form == BOTH else f"keys {list(sides.profiles)[0]} are told apart"
    if "direction lost" not in sheet.keys:
        _sign(sheet, sides, where)
    asked = {None: sides.form, True: CAUSAL, False: BOTH}[causal]
    words = {BOTH: "the form of an encoder, half the buckets for each side", CAUSAL: "the form of a decoder, all buckets behind"}
    sheet.judge(
        "form", sides.form != asked, sides.form, "form",
        f"This is {words[sides.form]}; asked for is {words[asked]}.",
        "Check the argument that says which: T5's code calls it `bidirectional`, the opposite of causal.",
    )
    if sides.form == BOTH and sides.shift:
        sheet.judge(
            "second half", sides.shift != buckets // 2, f"starts {sides.shift} buckets on", "number of buckets",
            f"The second half starts {sides.shift} buckets on; with {buckets} buckets it starts {buckets // 2} on.",
            f"Add {buckets // 2} for keys ahead, and give each side {buckets // 2} buckets.",
        )


def _sign(sheet, sides, where):
    words = f"relative -1 falls into bucket {1 + sides.shift} and relative 1 into bucket 1."
    if sides.form == CAUSAL:
        words = "keys behind all share one bucket, and keys ahead, which a decoder never sees, are told apart."
    sheet.judge(
        "sign", sides.swapped, ("exchanged: " if sides.swapped else "") + where, "sign",
        f"Behind and ahead are exchanged: {words}",
        "Here relative is key - query, negative behind; a text that counts query - key needs one minus more.",
    )
