"""Diagnosis of a rotary encoding: anybody's function (x, positions) -> turned x."""

import numpy as np

from pe_lib._validate import even_dim, frequency_base, whole_number
from pe_lib.clinic.notes import Notes
from pe_lib.clinic.rotary.behaviour import read_axes, read_calls, read_dtype, read_manners, read_rows, read_three_axes
from pe_lib.clinic.rotary.blocks import read_angles, take_out_gain
from pe_lib.clinic.rotary.fitting import begins_later, law_and_ways
from pe_lib.clinic.rotary.laws import judge_gain, judge_law
from pe_lib.clinic.rotary.measure import CONFUSED, WORDS, Broken, find_probe, matrices
from pe_lib.clinic.rotary.pairs import judge_pairs
from pe_lib.clinic.rotary.positions import COUNT, read_following, read_speeds, whole_radians
from pe_lib.clinic.rotary.reach import read_between, read_reach
from pe_lib.clinic.rotary.rounding import read_half, read_precision
from pe_lib.clinic.rotary.rows import answers_again, read_identities, read_linearity
from pe_lib.clinic.rotary.structure import read_turns
from pe_lib.layouts import check_layout

ROUNDED = 1e-4  # radians: angles that are further off have been rounded to half precision
WAYS = {1.0: "counter-clockwise", -1.0: "clockwise"}


def diagnose(rope, dim=64, *, base=None, rotary_dim=None, layout=None, sign=None, axes=None):
    """A rotary encoding has measurable properties; the first that fails says what is wrong with it.

    rope, any function (x, positions) -> turned x, of floats (..., n, dim); positions are an array of integers (n,), or
    (b, n) if it takes no others -> a Report: the properties with their figures, the faults with the likeliest first, and
    the convention that was found.

    What is a convention is named, and blamed only if you ask for another one: base; rotary_dim, how many features turn;
    layout, "interleaved" or "half"; sign, +1 for y0 = x0 cos - x1 sin or -1. axes, how the function takes x, as in
    "n d", "b h n d" or "b n h d" (batch, heads, n positions, d features); None: the first of these that it takes.
    Raises: ValueError if rope is not callable, dim not even, or another argument is none of those above.
    Source: Su et al. 2021 (RoFormer), for the properties; the faults are those of public bug reports.

    >>> from pe_lib.frequencies import inverse_frequencies
    >>> from pe_lib.rotary import rotate
    >>> print(diagnose(lambda x, p: rotate(x, p, inverse_frequencies(8)), dim=8).convention)
    interleaved pairs (0, 1), counter-clockwise (y0 = x0 cos - x1 sin), base 10000, all 8 features turn
    """
    asked = _asked(rope, dim, base, rotary_dim, layout, sign, axes)
    named = getattr(rope, "func", rope)  # functools.partial
    notes = Notes(getattr(named, "__name__", type(named).__name__))
    probe = _admit(rope, dim, asked["axes"], notes)
    if probe is not None:
        try:
            with np.errstate(all="ignore"):  # what a broken function returns may be of any size
                _examine(probe, asked, notes)
        except Broken as broken:
            notes.blame(broken.key, broken.sentence, broken.remedy)
    return notes.report()


def _asked(rope, dim, base, rotary_dim, layout, sign, axes):
    if not callable(rope):
        raise ValueError(f"rope must be a function (x, positions) -> turned x, got {type(rope).__name__}")
    dim = even_dim(dim)
    if base is not None:
        base = frequency_base(base)
    if rotary_dim is not None and (whole_number(rotary_dim, "rotary_dim", least=2) % 2 or rotary_dim > dim):
        raise ValueError(f"rotary_dim must be even and at most the number of features, {dim}, got {rotary_dim}")
    if layout is not None:
        layout = check_layout(layout)
    if sign is not None and (isinstance(sign, bool) or np.ndim(sign) or sign not in (1, -1)):
        raise ValueError(f"sign must be +1 (counter-clockwise) or -1, got {sign!r}")
    if axes is not None:
        axes = _checked_axes(axes)
    return {"dim": dim, "base": base, "rotary_dim": rotary_dim, "layout": layout, "sign": sign, "axes": axes}


def _checked_axes(axes):
    letters = axes.split() if isinstance(axes, str) else []
    if sorted(letters) not in [sorted(form) for form in ("nd", "bnd", "hnd", "bhnd")] or letters[-1] != "d":
        raise ValueError('axes must name the axes of x by n, d and, if it has them, b and h, with d the last, as "b h n d", '
                         f"got {axes!r}")
    return " ".join(letters)


def _admit(rope, dim, axes, notes):
    """The probe that the function answers, in the shape asked for or the first it takes."""
    probe, refused = find_probe(rope, dim, axes)
    other = None
    if probe is None and axes is not None:
        other, _ = find_probe(rope, dim, None)
    if probe is not None:
        _name_form(probe, refused, notes)
        return probe
    broken = next((broken for _, broken in refused if broken.key in CONFUSED), refused[0][1])
    notes.find("takes x and gives it back", False, broken.key)
    more = ""
    if other is not None:
        more = f" It takes arrays of axes ({', '.join(WORDS[axis] for axis in other.axes.split())})."
    elif broken.key == "raises":  # the first may only be a check of the shape, and the error stand behind it
        more = next((f" {later.sentence}" for _, later in refused if later.kind not in ("", broken.kind)), "")
    notes.blame("wrong axis" if other is not None and len(other.axes) == len(axes) else broken.key, broken.sentence + more,
                broken.remedy)
    return other


def _name_form(probe, refused, notes):
    named = ", ".join(WORDS[axis] for axis in probe.axes.split())
    if probe.axes in ("b n h d", "n h d", "n b h d"):
        notes.convention["axes"] = f"axes ({named})"
    notes.remarks += [f"{broken.sentence} It takes ({named})." for _, broken in refused if broken.key == "wrong axis"]
    if probe.dtype == np.float32:
        first = next(broken for tried, broken in refused if tried.axes == probe.axes)
        notes.remarks.append(f"It takes float32 only. {first.sentence}")
    batch = ", positions of each batch row" if probe.batched else ""
    notes.find("takes x and gives it back", True, f"axes ({named}){batch}")


def _examine(probe, asked, notes):
    x = np.random.default_rng(4).normal(size=(9, probe.dim))
    first = x, probe.answer(probe.widened(x), np.arange(9))
    if not answers_again(probe, first, notes):
        return
    probe.read_form(first[1])
    matrix, added = matrices(probe, COUNT)
    noise = read_linearity(probe, matrix, added, notes)
    if noise is not None:
        read_identities(matrix, notes)
        turns = _read_structure(matrix, notes)
        follows = read_following(probe, matrix, added, noise, notes)
        if turns is not None and turns.read is not None:
            _read_angles(probe, turns, follows, asked, notes)
        _excuse(probe, notes)
        if asked["axes"] != "n d":
            known = len(notes.faults)
            read_axes(probe, notes)
            if probe.axes == "n d" and follows and len(notes.faults) == known:
                read_three_axes(probe, notes)
        if probe.batched and follows:
            read_rows(probe, notes)
        if follows and "heads confused" not in notes.keys:
            read_calls(probe, notes)
    read_dtype(probe, notes)
    read_manners(probe, first, notes)


def _excuse(probe, notes):
    """What failed by a convention, or by the rounding of the results, is no failure."""
    if probe.form and not notes.faults:
        notes.excuse(*["lengths kept"] * ("length" not in notes.convention), "scores depend on the offset alone",
                     why="as far as rounding goes")
    if "length" in notes.convention or not notes.faults:
        notes.excuse("lengths kept")
    if not notes.faults:
        notes.excuse("position 0 changes nothing")
    if probe.form:
        notes.remarks.append(f"Results are rounded to {probe.form}, whatever the dtype of x: angles are seen in two or three digits, "
                             "and whether tables are rounded too is not.")


def _read_structure(matrix, notes):
    turns = read_turns(matrix, notes)
    if turns is not None:
        take_out_gain(turns)
        read_angles(turns, notes)
    return turns


def _read_angles(probe, turns, follows, asked, notes):
    if _moves_later(probe, turns, notes):
        return
    if {"positions reversed", "counted from the end", "counted from the largest"} & set(notes.keys):
        turns.blocks = turns.blocks[::-1]
    pace = read_speeds(turns.phi, notes)
    if pace is None:
        return
    if begins_later(turns, pace.speed, asked):
        pace.speed, pace.start = pace.speed[1:], pace.start[1:]
    speed = pace.direction * pace.speed
    law, ways = law_and_ways(speed, pace.noise, turns, asked, notes)
    judge_pairs(turns, law, asked, notes)
    if not turns.mixed and "same sign" not in notes.keys and (law is not None or np.ptp(np.sign(ways)) == 0):  # beyond half a turn no direction is seen
        _judge_ways(ways, asked, notes)
    judge_law(law, speed, asked["dim"], asked["base"], turns.gain, notes)
    judge_gain(turns, law, pace.noise, notes)
    if law is not None and pace.steady:
        pace.speed, pace.slack = pace.direction * ways * np.abs(law.speeds), 0.02 if law.tolerance > 1e-4 else 1e-6
        _read_far(probe, turns, pace, follows and not (law.parts and pace.noise > ROUNDED), notes)


def _read_far(probe, turns, pace, follows, notes):
    """Where positions are not followed, or each frequency is known from rounded angles alone, only the first few are judged."""
    rows = read_reach(probe, turns, pace, notes) if follows else dict(enumerate(turns.phi))
    if rows and read_precision(probe, turns, pace, rows, notes) and follows:
        read_half(probe, turns, pace, max(rows), notes)
    if follows:
        read_between(probe, turns, pace, notes)


def _moves_later(probe, turns, notes):
    """Features that pass through at small positions and turn at a large one: their angles are cut to whole numbers."""
    x = np.zeros(probe.dim)
    x[turns.still[:, 1]] = 1
    try:
        y = probe.turned(x, [1, 1000])
    except Broken:
        return False
    late = np.flatnonzero(np.abs(y[1] - y[0]) > 1e-3)
    if late.size and not whole_radians(turns.phi):
        notes.find("precision", False, "small angles are lost")
        notes.blame("half-precision tables", f"Feature {late[0]} stands still up to position {COUNT - 1} and has turned by position "
                    "1000: cosines and sines come in steps too coarse for small angles.",
                    "keep the tables in float32 or better, and round the turned x alone.")
    elif late.size:
        notes.find("proportional to the position", False, "small angles are 0")
        notes.blame("angles cut to integers", f"Feature {late[0]} stands still up to position {COUNT - 1} and has turned by position "
                    "1000: angles below 1 have become 0.", "keep positions * inv_freq in floats; an integer dtype has crept in.")
    return late.size > 0


def _judge_ways(signs, asked, notes):
    signs = signs[signs != 0]
    if not signs.size:
        return
    if (signs != signs[0]).any():
        pair = int(np.argmax(signs != signs[0]))
        notes.find("direction", False, "not the same for all pairs")
        notes.blame("pairs turn both ways", f"Pair 0 turns {WAYS[signs[0]]} and pair {pair} {WAYS[signs[pair]]}.",
                    "every pair has the same sign in front of its sine.")
        return
    notes.find("direction", None if asked["sign"] is None else bool(signs[0] == asked["sign"]), WAYS[signs[0]])
    notes.convention["direction"] = f"{WAYS[signs[0]]} (y0 = x0 cos {'-' if signs[0] > 0 else '+'} x1 sin)"
    if asked["sign"] is not None and signs[0] != asked["sign"]:
        notes.blame("other sign", f"The pairs turn {WAYS[signs[0]]}, as by minus the position.",
                    "exchange the signs of the two sines: right only if q and k both turn that way.")
