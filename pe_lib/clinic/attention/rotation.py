"""What the clinic says of the scores: scale, rotation of both sides, layout, sign, frequencies and positions."""

from typing import NamedTuple

import numpy as np

from pe_lib.clinic.attention.lengths import gains_of, growth_of, judge_growth, no_rotation, row_factors, size_of
from pe_lib.clinic.attention.positions import judge_positions, judge_sides
from pe_lib.clinic.attention.scale import judge_scale
from pe_lib.clinic.attention.turning import law_of, layout_of, side_of, sides
from pe_lib.clinic.notes import Notes, number
from pe_lib.clinic.rotary.laws import FAMOUS, find_law, judge_law
from pe_lib.clinic.rotary.positions import wrap
from pe_lib.clinic.sheet import size
from pe_lib.frequencies import inverse_frequencies


class Wanted(NamedTuple):
    """What is asked for; None where anything will do."""

    inv_freq: np.ndarray | None
    base: float | None
    layout: str | None
    scale: float | None


class Turning(NamedTuple):
    """What the cache is measured with."""

    pairs: tuple
    speeds: np.ndarray  # (pairs,), signed
    scale: float
    counted: bool  # the function counts rows itself
    growth: np.ndarray | float = 0.0  # (pairs,): queries grow by exp(growth * position), and keys shrink, as with xPos
    gains: tuple = (1.0, 1.0)  # of q and of k, after a norm
    noise: float = 0.0  # radians: how well angles could be measured
    steady: bool = True  # queries of all rows are equally long


def examine_scores(sheet, scores, positions, wanted, normed=False):
    """Scores (n, n, dim, dim) of unit vectors -> Turning, or None if they are no rotations."""
    dim, n = scores.shape[-1], len(scores)
    gains = gains_of(scores) if normed else None
    if gains:
        sheet.name("the norm has gains by features")
        scores = scores / (gains[0][:, None] * gains[1])
    scale = size_of(scores)
    if not abs(scale) > 1e-9:
        sheet.judge("scale", True, "nothing measured", "no scores", "The weights do not depend on q and k.",
                    "Score = q·k / sqrt(d).")
        return None
    (q, q_rates, factor), (k, k_rates, _) = (growth_of(matrices, positions) for matrices in sides(scores, scale))
    q, longer = row_factors(q) if q_rates is None else (q, None)
    q, k, scale = side_of(q), side_of(k), scale * factor
    if longer is not None and k.orthogonal < 2e-2:
        sheet.name(f"later queries are longer, up to {number(longer[-1] / longer[1], 3)} times (as with log-n scaling)")
    growth = judge_growth(sheet, q_rates, k_rates, positions)
    turning, law = None, None
    if _rotations(sheet, q, k) and not _whole_angles(sheet, q, k, positions) and _both(sheet, q, k, dim, wanted):
        turning, law = _laws(sheet, q, k, positions, wanted, scale, dim)
    if max(q.orthogonal, k.orthogonal) < 2e-2 and longer is None and not sheet.has("other scores"):
        judge_scale(sheet, scale, law, dim, n, None if gains else wanted.scale, normed)
    return turning and turning._replace(growth=growth, gains=gains or (1.0, 1.0), steady=longer is None)


def _whole_angles(sheet, q, k, positions):
    """All angles whole radians, though not all pairs turn by whole radians a position: they were made integers."""
    angles = np.concatenate([q.angles, k.angles], axis=1)
    if not angles.shape[1]:
        return False
    whole = np.arange(-positions[-1], positions[-1] + 1)
    off = np.abs(wrap(angles[..., None] - whole)).min(axis=-1)
    linear = np.abs(wrap(angles - positions[:, None] * angles[1] / positions[1])).max(axis=0) < 1e-2
    if off.max() > 1e-7 or linear.all():
        return False
    pair = int(np.argmin(linear)) % max(len(q.pairs), 1)
    sheet.judge("angles", True, "whole radians", "integer angles", f"Every angle is a whole number of radians: that of pair {pair} at "
                f"position {positions[-1]} too. Angles are cut or rounded to integers.",
                "positions[:, None] * inv_freq as floats: look for astype(int), // or an array of integers they are written to.")
    return True


def _rotations(sheet, q, k):
    side, which = (q, "queries") if q.orthogonal > 2e-2 else (k, "keys")
    key, words = no_rotation(side.sample)
    sheet.judge(
        "lengths kept", side.orthogonal > 2e-2, f"largest change of a squared length or angle "
                                                f"{size(max(q.orthogonal, k.orthogonal))}", key,
        f"What is done to the {which} is no rotation: {words}.", "Examine the rotation alone with `diagnose`.",
    )
    return not side.orthogonal > 2e-2


def _both(sheet, q, k, dim, wanted):
    """Do both turn, in the same layout, and in the one asked for?"""
    if not judge_sides(sheet, q, k):
        return False
    layouts = [layout_of(side.pairs, dim) for side in (q, k)]
    if q.pairs != k.pairs:
        words = f"Queries turn in pairs {_pairs(q)}, keys in pairs {_pairs(k)}: the two do not meet."
        sheet.judge("layout", True, "not the same for q and k", "layouts differ", words, "One layout for both.")
        return False
    return _layout(sheet, q, layouts[0], dim, wanted)


def _layout(sheet, q, found, dim, wanted):
    layout, (first, width) = found
    part = "" if width == dim else f", features {first} to {first + width - 1} of {dim}"
    if width == 2 and q.pairs[0][1] - q.pairs[0][0] > 1:
        part = f", features {q.pairs[0][0]} and {q.pairs[0][1]} of {dim}"
        sheet.remarks.append(f"One of {dim // 2} pairs turns, and the others stand still: by design (p-RoPE), or because frequencies "
                             "are cut to integers.")
    name = "one pair" if width == 2 else layout or ("half-split of the full width" if _full_width(q.pairs, dim) else "unknown")
    if name == "unknown":
        sheet.judge("layout", True, f"pairs {_pairs(q)}", "unknown pairs",
                    f"A rotation, but of pairs {_pairs(q)}, a layout that no "
                    "model known here has.", "Pairs are (0, 1), (2, 3), … or (0, d/2), (1, d/2 + 1), …: look for a flip or a "
                                             "wrong reshape.")
        return True
    faulty = wanted.layout is not None and layout not in (None, wanted.layout) and width > 2
    sheet.judge("layout", faulty, name + part, "other layout", f"The pairs are {_pairs(q)}: {name}; asked for is "
                                                               f"{wanted.layout}.",
                "Change the code, or permute the output features of w_q and w_k per head (pe_lib.layouts.permute_weights).")
    if not faulty:
        sheet.name(name + part)
    return True


def _full_width(pairs, dim):
    """The first pairs of the half-split layout of all features: the others stand still."""
    return len(pairs) < dim // 2 and all(pair == (m, m + dim // 2) for m, pair in enumerate(pairs))


def _pairs(side):
    return ", ".join(f"({a}, {b})" for a, b in side.pairs[:2]) + (", …" if len(side.pairs) > 2 else "")


def _laws(sheet, q, k, positions, wanted, scale, dim):
    """(Turning or None, the law of the frequencies or None)."""
    guesses = _guesses(wanted, 2 * len(q.pairs))
    laws = [law_of(side.angles, positions, guesses) for side in (q, k)]
    if None in laws:
        which, side = ("queries", q) if laws[0] is None else ("keys", k)
        fitting = [guess for guess in guesses if len(guess) == len(q.pairs)]
        off = min((np.abs(wrap(side.angles - positions[:, None] * guess)).max() for guess in fitting), default=np.inf)
        if off < 0.3:
            sheet.judge("angles", True, f"off by up to {number(off, 2)}", "half-precision angles",
                        f"The angles of the {which} are off by up to {number(off, 2)} radians at positions up to "
                        f"{positions[-1]}: they, or "
                        "the positions or frequencies they are made of, are rounded.", "Compute angles in float32 or better.")
            return None, None
        sheet.judge("angles", True, f"{which} follow no position", "angles",
                    f"The angles of the {which} are not position times a fixed frequency for any positions known here.",
                    "Examine the rotation alone with `diagnose`.")
        return None, None
    good = judge_positions(sheet, *laws, positions, _unit(laws, guesses, wanted))
    noise = 2 * sum(law.noise / law.positions[-1] for law in laws if law.by != "solved")
    if noise > 1e-6:  # short formats: what is meant cannot be told from what is measured
        laws = [_as_meant(law, guesses, noise) for law in laws]
    if good and not _near(np.abs(laws[0].speeds), np.abs(laws[1].speeds), noise):
        slow = [number(np.abs(law.speeds[-1])) for law in laws]
        sheet.judge("frequencies", True, "not the same for q and k", "frequencies differ",
                    f"The last pair of the queries turns by {slow[0]} radians a token, that of the keys by {slow[1]}.",
                    "One base and one set of frequencies for both.")
        return None, None
    named = _frequencies(sheet, k.pairs, laws[1], wanted, dim) if good else None
    counted = "counted" in (laws[0].by, laws[1].by)
    return (Turning(k.pairs, laws[1].speeds, scale, counted, noise=max(law.noise for law in laws)) if good or counted else None), named


def _as_meant(law, guesses, noise):
    near = (np.copysign(guess, law.speeds) for guess in guesses if _near(np.abs(law.speeds), guess, noise))
    return law._replace(speeds=next(near, law.speeds))


def _guesses(wanted, width):
    """The frequencies that may be meant: those asked for, or the usual ones."""
    if wanted.inv_freq is not None:
        return [wanted.inv_freq]
    return [inverse_frequencies(width, base) for base in ([wanted.base] if wanted.base else FAMOUS)]


def _unit(laws, guesses, wanted):
    """The frequencies in which positions are counted: those asked for, or those of the side whose fastest pair turns at 1."""
    if wanted.inv_freq is not None or wanted.base:
        return guesses[0]
    speeds = [np.abs(law.speeds) for law in laws]
    return next((s for s in speeds[::-1] if abs(s[0] - 1) < 2e-3), speeds[1])


def _frequencies(sheet, pairs, law, wanted, dim):
    """Judge the measured speeds -> the law that `diagnose` knows them by, or None."""
    found = np.abs(law.speeds)
    figure = ", ".join(number(f) for f in found[:4]) + (", …" if len(found) > 4 else "")
    if wanted.inv_freq is not None:
        _as_asked(sheet, found, np.abs(wanted.inv_freq), figure)
        return None
    noise = law.noise / law.positions[-1] / found.min()  # of the slowest pair, relative
    notes, named = Notes(""), find_law(found, dim, wanted.base, min(noise, 1e-2))
    if _full_width(pairs, dim):
        _left_out(sheet, pairs, named, dim)
    judge_law(named, found, dim, wanted.base, 1.0, notes)
    off = 0.0 if named is None else np.abs(found / np.abs(named.speeds) - 1).max()
    if off > max(1e-4, 10 * noise):
        notes.blame("half-precision frequencies", "The frequencies are rounded to half precision: far positions are turned too "
                    "far or not far enough.", "Compute frequencies and angles in float32 or better.")
    sheet.find("frequencies", not notes.faults, figure)
    for fault in notes.faults:
        sheet.fault(fault.key, fault.sentence, fault.remedy)
    for words in notes.convention.values():
        sheet.name(words)
    return named


def _as_asked(sheet, found, asked, figure):
    words = f"{len(found)} pairs turn, and {len(asked)} frequencies were asked for."
    if len(found) == len(asked):
        pair = int(np.argmax(np.abs(found / asked - 1)))
        words = f"Pair {pair} turns by {number(found[pair])} radians a token, not {number(asked[pair])}."
        if np.ptp(asked / found) < 1e-3 * (asked / found).min():
            words = f"Every pair turns at {number(found[pair] / asked[pair], 3)} times the frequency that was asked for: is it stretched twice?"
    sheet.judge("frequencies", not _near(found, asked), figure, "other frequencies", words, "Use the frequencies of the model.")


def _left_out(sheet, pairs, named, dim):
    """Pairs (m, m + dim/2) of which the last stand still: left out on purpose, or cut to halves in the wrong place."""
    if named is not None and named.key == "sliced frequencies":
        named.key = ""
        sheet.name(f"the fastest {len(pairs)} of {dim // 2} pairs turn (p-RoPE)")
    elif len(pairs) > 1:
        sheet.fault("partner at half the full width", f"{2 * len(pairs)} features turn, and the partner of feature 0 is feature "
                    f"{dim // 2}, half of all {dim}; half of those that turn would be feature {len(pairs)}.",
                    "Cut out the rotary features first, and halve those.")


def _near(a, b, noise=0.0):
    return a.shape == b.shape and bool((np.abs(a - b) <= 2e-3 * np.abs(b) + 1e-5 + noise).all())
