"""T5's buckets measured: which side is which, how many, where they start, and what becomes of far keys."""

from typing import NamedTuple

import numpy as np

from pe_lib.biases import relative_buckets
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
    _zero(sheet, behind[0])
    sides = _sides(sheet, behind, ahead)
    _form(sheet, sides, causal, buckets)
    count = buckets if sides.form == CAUSAL else buckets // 2
    for name, profile in sides.profiles.items():
        _side(sheet, name, profile, distances, count, max_distance)
    sheet.name(f"{sides.form}; relative = key - query")


def _asked(sheet, bucket, relative):
    try:
        result, changed = call(bucket, relative)
        array = numbers(result)
        if array.shape != relative.shape:
            raise Unusable("wrong shape", f"For relative positions of shape {relative.shape} it returned shape {array.shape}.")
    except Unusable:
        array = np.array([numbers(call(bucket, int(r))[0]) for r in relative], dtype=object)  # one number at a time?
        if any(np.ndim(value) for value in array):
            raise
        array, changed = array.astype(np.float64), ()
        sheet.name("takes one relative position at a time")
    if changed:
        sheet.fault("input changed", "It writes into the array it was given.", "Work on a copy.")
    if (array != np.rint(array)).any():
        place = np.argmax(array != np.rint(array))
        words = f"The bucket of relative {relative[place]} is {array[place]:.4g}; a bucket is a row of a table, so an integer."
        raise Unusable("not integers", words, "Cut the logarithm to an integer (floor), after adding the exact buckets.")
    if (array < 0).any():
        place = np.argmax(array < 0)
        words = (f"The bucket of relative {relative[place]} is {int(array[place])}; a negative index would wrap around to "
                 "the table's end.")
        raise Unusable("negative bucket", words, "Take the distance (absolute value, or max(-relative, 0)) before the logarithm.")
    return array.astype(np.int64)


def _zero(sheet, zero):
    sheet.judge(
        "relative 0", zero != 0, f"bucket {zero}", "relative 0",
        f"A token's own offset, 0, falls into bucket {zero}; it belongs to bucket 0.",
        "Add the second half for keys ahead alone, relative > 0 (not >= 0), and count distances from 0.",
    )


def _sides(sheet, behind, ahead):
    moves = {name: np.ptp(side[1:]) > 0 for name, side in (("behind", behind), ("ahead", ahead))}
    if not any(moves.values()):
        raise Unusable("no distance", f"All keys behind are in bucket {behind[1]} and all those ahead in bucket {ahead[1]}.",
                       "Use the distance: bucket t for near ones, the logarithm for far ones.")
    if all(moves.values()):
        shift = int(np.median(ahead[1:] - behind[1:]))
        if shift == 0:
            sheet.fault("direction lost", "Offsets -d and d share a bucket, so before and after cannot be told apart.",
                        "Keys ahead use the second half of the buckets; in a decoder they all get bucket 0.")
        low, high = (behind, ahead) if shift >= 0 else (ahead, behind)
        names = ("behind", "ahead") if shift >= 0 else ("ahead", "behind")
        profiles = {names[0]: np.concatenate([[0], low[1:]]), names[1]: np.concatenate([[0], high[1:] - abs(shift)])}
        return Sides(BOTH, shift < 0, abs(shift), profiles)
    seen = "behind" if moves["behind"] else "ahead"
    side, other = (behind, ahead) if seen == "behind" else (ahead, behind)
    if (other[1:] != 0).any():
        sheet.fault("keys ahead", f"In a causal form the keys on the other side share bucket 0; here it is bucket {other[1]}.",
                    "Take max(-relative, 0) as the distance.")
    return Sides(CAUSAL, seen == "ahead", 0, {seen: np.concatenate([[0], side[1:]])})


def _form(sheet, sides, causal, buckets):
    half = "behind" if sides.swapped else "ahead"
    where = f"keys {half} are in the second half" if sides.form == BOTH else f"keys {list(sides.profiles)[0]} are told apart"
    sheet.judge(
        "sign", sides.swapped, ("exchanged: " if sides.swapped else "") + where, "sign",
        "Behind and ahead are exchanged: " + (
            f"relative -1 falls into bucket {1 + sides.shift} and relative 1 into bucket 1."
            if sides.form == BOTH else "keys behind all share one bucket, and keys ahead, which a decoder never sees, are "
                                       "told apart."
        ),
        "Here relative is key - query, negative behind; a text that counts query - key needs one minus more.",
    )
    asked = {None: sides.form, True: CAUSAL, False: BOTH}[causal]
    words = {BOTH: "the form of an encoder, half the buckets for each side", CAUSAL: "the form of a decoder, all buckets behind"}
    sheet.judge(
        "form", sides.form != asked, sides.form, "form",
        f"This is {words[sides.form]}; asked for is {words[asked]}.", "Check the argument `bidirectional` (here: causal).",
    )
    if sides.form == BOTH and sides.shift:
        sheet.judge(
            "second half", sides.shift != buckets // 2, f"starts {sides.shift} buckets on", "number of buckets",
            f"The second half starts {sides.shift} buckets on; with {buckets} buckets it is {buckets // 2}.",
            f"Add {buckets // 2} for keys ahead, and give each side {buckets // 2} buckets.",
        )


def _side(sheet, name, profile, distances, count, max_distance):
    """One side against the rule for `count` buckets up to `max_distance`; what differs is taken apart."""
    wanted = _rule(distances, count, max_distance)
    if np.array_equal(profile, wanted):
        sheet.find(f"buckets {name}", True, f"{count}, from distance {np.argmax(wanted == count - 1)} on the last")
        return
    place = int(np.argmax(profile != wanted))
    figure = f"distance {distances[place]} in bucket {profile[place]}, not {wanted[place]}"
    sheet.find(f"buckets {name}", False, figure)
    rest = _unclamped(sheet, name, profile, distances, count, max_distance)
    if np.array_equal(rest, wanted):
        return
    key, sentence, remedy = _recognised(rest, distances, count, max_distance) or (
        "buckets", f"On the side {name}, {figure}.", "Compare with pe_lib.biases.relative_buckets, distance by distance."
    )
    sheet.fault(key, sentence, remedy)


def _unclamped(sheet, name, profile, distances, count, max_distance):
    """The profile with its last buckets made one, if it goes on rising beyond the largest distance."""
    if profile[-1] == profile[-2]:
        return profile
    alone = _alone(profile, distances)
    last = (count if alone == count // 2 else 2 * alone) - 1
    far = int(np.argmax(distances >= min(1000, distances[-1])))
    far = far if profile[far] > last else -1
    sheet.fault(
        "missing minimum",
        f"Far keys leave the table: distance {distances[far]} on the side {name} falls into bucket {profile[far]}, and the "
        f"last is {last}.",
        "Take the smaller of the result and the last bucket.",
    )
    return np.minimum(profile, last)


def _alone(profile, distances):
    """How many distances have a bucket of their own; the first bucket that is shared starts at that very distance."""
    return int(np.argmax(profile != distances)) - 1


def _rule(distances, count, max_distance):
    return relative_buckets(-distances, count, max_distance, causal=True)


def _recognised(profile, distances, count, max_distance):
    rules = (_off_by_one, _no_logarithm, _border, _other_rounding, _other_numbers)
    return next((found for rule in rules if (found := rule(profile, distances, count, max_distance))), None)


def _off_by_one(profile, distances, count, max_distance):
    for by in (1, -1):
        moved = _rule(np.maximum(distances + by, 0), count, max_distance)
        if np.array_equal(profile[2:], moved[2:]):
            words = (f"Every distance is counted {'one too far' if by > 0 else 'one too near'}: distance 3 falls into bucket "
                     f"{profile[3]}.")
            return "off by one", words, "The distance is |key - query|: 0 for the token itself."
    return None


def _border(profile, distances, count, max_distance):
    wanted = _rule(distances, count, max_distance)
    wrong = np.flatnonzero(profile != wanted)
    starts = np.flatnonzero(np.diff(wanted, prepend=-1))
    edges = np.union1d(starts, starts - 1)
    if wrong.size <= 4 and np.isin(wrong, edges).all() and np.abs(profile - wanted).max() == 1:
        words = f"At the border of two buckets the logarithm is a hair off: {_first(profile, wanted, distances)}."
        return "border", words, "Compute the logarithm in float64 and check the borders, or compare integers as pe_lib does."
    return None


def _other_rounding(profile, distances, count, max_distance):
    exact = count // 2
    share = np.log(np.maximum(distances, exact) / exact) / np.log(max_distance / exact) * (count - exact)
    for word, cut in (("to the nearest integer", np.rint), ("up", np.ceil)):
        logs = np.minimum(exact + cut(np.round(share, 9)), count - 1)
        if np.array_equal(profile, np.where(distances < exact, distances, logs)):
            words = (f"The logarithm is rounded {word}, not down: "
                     f"{_first(profile, _rule(distances, count, max_distance), distances)}.")
            return "rounding", words, "Cut it: floor, or conversion to an integer, as T5 does."
    return None


def _other_numbers(profile, distances, count, max_distance):
    """The same rule for other numbers: how many buckets stand alone says how many there are, the last start how far."""
    alone = _alone(profile, distances)
    for own in sorted({2 * alone, 2 * alone + 1, count}):
        for reach in _reaches(profile, distances, own):
            if own >= 2 and np.array_equal(profile, _rule(distances, own, reach)):
                if own != count:
                    more = "" if reach == max_distance else f", up to {reach}"
                    words = (f"A side has {own} buckets{more}, not {count}: "
                             f"{_first(profile, _rule(distances, count, max_distance), distances)}.")
                    return ("number of buckets", words, "A decoder gives the side behind all buckets, an encoder half to "
                                                        "each side.")
                words = (f"The largest distance is {reach}, not {max_distance}: the last bucket starts at "
                         f"{np.argmax(profile == own - 1)}.")
                more = f", divided by {count // 2}," if reach == max_distance * (count // 2) else ""
                return "largest distance", words, f"Take {max_distance}{more} in the logarithm of the denominator."
    return None


def _reaches(profile, distances, count):
    """The largest distances that would let the last bucket start where it does."""
    if profile.max() != count - 1 or count < 2:
        return []
    exact, wide = count // 2, count - count // 2
    start = int(distances[np.argmax(profile == count - 1)])
    power = wide / max(wide - 1, 1)
    low, high = (int(exact * (edge / exact) ** power) if exact else 1 for edge in (start - 1, start))
    reaches = range(max(low - 1, exact + 1), min(high + 2, 2**20))
    return sorted(reaches, key=lambda reach: (reach not in (64, 100, 128, 200, 256, 512, 1000, 1024), reach))[:4000]


def _no_logarithm(profile, distances, count, max_distance):
    if np.array_equal(profile, np.minimum(distances, count - 1)):
        words = f"Every distance has a bucket of its own up to {count - 1}, and all beyond share it: nothing widens."
        return "no logarithm", words, "Half of a side's buckets are exact, the others widen with the logarithm."
    return None


def _first(profile, wanted, distances):
    place = int(np.argmax(profile != wanted))
    return f"distance {distances[place]} falls into bucket {profile[place]}, not {wanted[place]}"
