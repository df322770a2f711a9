"""One side of T5's buckets against the rule: what differs is taken apart."""

import numpy as np

from pe_lib.biases import relative_buckets

SHARES = "A decoder gives the side behind all buckets, an encoder half to each side."
REACHES = 20, 32, 64, 100, 200, 256, 400, 500, 512, 800, 1000, 1024, 2048


def examine_side(sheet, name, profile, distances, count, max_distance):
    """One side against the rule for `count` buckets up to `max_distance`; what differs is taken apart."""
    wanted = _rule(distances, count, max_distance)
    if np.array_equal(profile, wanted):
        sheet.find(f"buckets {name}", True, f"{count}, from distance {np.argmax(wanted == count - 1)} on the last")
        return
    sheet.find(f"buckets {name}", False, _first(profile, wanted, distances))
    found = _no_cap(profile, distances, count)
    rest = profile if found else _unclamped(sheet, name, profile, distances, count)
    if not found and np.array_equal(rest, wanted):
        return
    found = found or _recognised(rest, distances, count, max_distance) or [(
        "buckets", f"No rule known here: on the side {name}, {_first(rest, wanted, distances)}.",
        "Compare with pe_lib.biases.relative_buckets, distance by distance.",
    )]
    for key, sentence, remedy in found:
        sheet.fault(key, sentence.replace("Every distance is counted", f"Every distance {name} is counted"), remedy)


def _no_cap(profile, distances, count):
    """Far keys that are not gathered at all: the distance itself, on the whole side or where the logarithm belongs."""
    exact = count // 2
    if np.array_equal(profile, distances):
        words = (f"Every distance has a bucket of its own, without end: distance 1000 falls into bucket 1000, and the last is "
                 f"{count - 1}.")
        return [("no logarithm", words, "Half of a side's buckets are exact, the others widen with the logarithm.")]
    far = distances[exact:]
    near_wrong = not np.array_equal(profile[:exact], distances[:exact])
    if near_wrong and any(np.array_equal(profile[exact:], np.minimum(far, most)) for most in (far.max(), count - 1)):
        words = (f"From distance {exact} on the bucket is the distance, and below it is not: "
                 f"{_first(profile, distances, distances)}. The two branches are exchanged.")
        return [("branches exchanged", words, f"Distances below {exact} are their own buckets; the logarithm is for the others.")]
    return []


def _unclamped(sheet, name, profile, distances, count):
    """The profile with its last buckets made one, if it goes on rising beyond the largest distance."""
    if profile[-1] <= profile[-2] or (np.diff(profile) < 0).any():
        return profile
    alone = _alone(profile, distances)
    last = (2 * alone if alone > 1 and alone != count // 2 and alone & (alone - 1) == 0 else count) - 1
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
    """[(key, sentence, remedy)], or None where no rule is known."""
    rules = (_off_by_one, _no_logarithm, _border, _other_rounding, _other_logarithm, _exact_not_added, _last_unused,
             _other_numbers)
    return next((found for rule in rules if (found := rule(profile, distances, count, max_distance))), None)


def _off_by_one(profile, distances, count, max_distance):
    for by in (1, -1):
        moved = _rule(np.maximum(distances + by, 0), count, max_distance)
        if np.array_equal(profile[2:], moved[2:]):
            words = (f"Every distance is counted {'one too far' if by > 0 else 'one too near'}: distance 3 falls into bucket "
                     f"{profile[3]}.")
            return [("off by one", words, "The distance is |key - query|: 0 for the token itself.")]
    return None


def _border(profile, distances, count, max_distance):
    wanted = _rule(distances, count, max_distance)
    wrong = np.flatnonzero(profile != wanted)
    exact = count // 2
    steps = np.log(np.maximum(distances[wrong], exact) / exact) / np.log(max_distance / exact) * (count - exact)
    if wrong.size <= 8 and np.abs(steps - np.rint(steps)).max() < 1e-4 and np.abs(profile - wanted).max() == 1:
        words = f"At the border of two buckets the logarithm is a hair off: {_first(profile, wanted, distances)}."
        return [("border", words, "Compute the logarithm in float64 and check the borders, or compare integers as pe_lib does.")]
    return None


def _logarithms(distances, count, reach, cut=np.floor, factor=1.0):
    """The published formula in floats, with another cut, or with a factor on the logarithm."""
    exact = count // 2
    share = np.log(np.maximum(distances, exact) / exact) / np.log(reach / exact) * (count - exact) * factor
    return np.where(distances < exact, distances, np.minimum(exact + cut(np.round(share, 9)), count - 1))


def _other_rounding(profile, distances, count, max_distance):
    cuts = ("to the nearest integer", np.rint), ("up", np.ceil)
    for own, reach in [(own, reach) for own in (count, 2 * count, count // 2) for reach in (max_distance, *REACHES)]:
        for word, cut in cuts if reach > own // 2 > 0 else ():
            if np.array_equal(profile, _logarithms(distances, own, reach, cut)):
                words = (f"The logarithm is rounded {word}, not down: "
                         f"{_first(profile, _rule(distances, own, reach), distances)}.")
                found = [("rounding", words, "Cut it: floor, or conversion to an integer, as T5 does.")]
                if own != count:
                    found.append(("number of buckets", f"Besides, a side has {own} buckets, not {count}.", SHARES))
                if reach != max_distance:
                    words = f"Besides, the largest distance is {reach}, not {max_distance}."
                    found.append(("largest distance", words, f"Take log({max_distance} / {count // 2}) in the denominator."))
                return found
    return None


def _other_logarithm(profile, distances, count, max_distance):
    """One logarithm to base 2 or 10, the other to base e."""
    for base in (2, 10):
        for factor, where, other in ((1 / np.log(base), "distance", "largest distance"),
                                     (np.log(base), "largest distance", "distance")):
            if np.array_equal(profile, _logarithms(distances, count, max_distance, factor=factor)):
                words = (f"The logarithm of the {where} is to base {base} and that of the {other} to base e: "
                         f"{_first(profile, _rule(distances, count, max_distance), distances)}.")
                return [("base of the logarithm", words, "Any base will do, the same above and below the line.")]
    return None


def _exact_not_added(profile, distances, count, max_distance):
    wanted, exact = _rule(distances, count, max_distance), count // 2
    share = np.log(np.maximum(distances, exact) / exact) / np.log(max_distance / exact) * (count - exact)
    tops = [np.minimum(np.floor(np.round(share, 9)), top) for top in (count - 1, count - 1 - exact)]
    if any(np.array_equal(profile, np.where(distances < exact, distances, logs)) for logs in tops):
        words = (f"The logarithm's buckets start at 0, where the exact ones are, and not at {exact}: "
                 f"{_first(profile, wanted, distances)}.")
        return [("exact buckets not added", words, f"Add {exact} to the logarithm's part.")]
    return None


def _last_unused(profile, distances, count, max_distance):
    """Right, but cut off before the last bucket."""
    top = int(profile.max())
    if count // 2 <= top < count - 1 and np.array_equal(profile, np.minimum(_rule(distances, count, max_distance), top)):
        start = distances[np.argmax(profile == top)]
        words = (f"From distance {start} on all keys are in bucket {top}; the last bucket, {count - 1}, is never used.")
        remedy = f"Do not clip distances before they are sorted, and take the smaller of the result and {count - 1}."
        return [("last bucket unused", words, remedy)]
    return None


def _other_numbers(profile, distances, count, max_distance):
    """The same rule for other numbers: how many buckets stand alone says how many there are, the last start how far."""
    alone = _alone(profile, distances)
    for own in sorted({2 * alone, 2 * alone + 1, count}):
        for reach in _reaches(profile, distances, own):
            if own >= 2 and np.array_equal(profile, _rule(distances, own, reach)):
                if own != count:
                    words = (f"A side has {own} buckets, not {count}: "
                             f"{_first(profile, _rule(distances, count, max_distance), distances)}.")
                    found = [("number of buckets", words, SHARES)]
                    if reach != max_distance:
                        words = f"Besides, the largest distance is {reach}, not {max_distance}."
                        found.append(("largest distance", words, f"Take log({max_distance} / {count // 2}) in the denominator."))
                    return found
                words = (f"The largest distance is {reach}, not {max_distance}: the last bucket starts at "
                         f"{np.argmax(profile == own - 1)}.")
                return [("largest distance", words, f"Take log({max_distance} / {count // 2}) in the denominator.")]
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
        return [("no logarithm", words, "Half of a side's buckets are exact, the others widen with the logarithm.")]
    wide = max_distance // count
    if wide > 1 and np.array_equal(profile, np.minimum(distances * count // max_distance, count - 1)):
        words = f"All buckets are of one width, {wide} distances: {_first(profile, _rule(distances, count, max_distance), distances)}."
        return [("no logarithm", words, "Half of a side's buckets are exact, the others widen with the logarithm.")]
    return None


def _first(profile, wanted, distances):
    place = int(np.argmax(profile != wanted))
    return f"distance {distances[place]} falls into bucket {profile[place]}, not {wanted[place]}"
