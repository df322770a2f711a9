"""Diagnosis of a rotary encoding: anybody's function (x, positions) -> turned x."""

import numpy as np

from pe_lib._validate import even_dim, frequency_base, whole_number
from pe_lib.clinic.blocks import read_angles, take_out_gain
from pe_lib.clinic.habits import read_axes, read_dtype, read_manners, read_rows, read_three_axes
from pe_lib.clinic.laws import find_law, judge_gain, judge_law
from pe_lib.clinic.measure import CONFUSED, WORDS, Broken, find_probe, matrices
from pe_lib.clinic.notes import Notes
from pe_lib.clinic.pairs import judge_pairs
from pe_lib.clinic.places import COUNT, read_following, read_speeds
from pe_lib.clinic.reach import read_between, read_half, read_precision, read_reach
from pe_lib.clinic.rows import answers_again, read_identities, read_linearity
from pe_lib.clinic.structure import read_turns
from pe_lib.layouts import check_layout

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
        if not notes.faults:
            notes.excuse("position 0 changes nothing", "lengths kept")
            notes.excuse(*["lengths kept", "scores depend on the offset alone"] * bool(probe.form), why="as far as rounding goes")
        if probe.form:
            notes.remarks.append(f"Results are rounded to {probe.form}, whatever the dtype of x: angles are seen in two or three "
                                 "digits, and whether tables are rounded too is not.")
        if asked["axes"] != "n d":
            known = len(notes.faults)
            read_axes(probe, notes)
            if probe.axes == "n d" and follows and len(notes.faults) == known:
                read_three_axes(probe, notes)
        if probe.batched and follows:
            read_rows(probe, notes)
    read_dtype(probe, notes)
    read_manners(probe, first, notes)


def _read_structure(matrix, notes):
    turns = read_turns(matrix, notes)
    if turns is not None:
        take_out_gain(turns)
        read_angles(turns, notes)
    return turns


def _read_angles(probe, turns, follows, asked, notes):
    if _moves_later(probe, turns, notes):
        return
    if "positions reversed" in notes.keys:
        turns.blocks = turns.blocks[::-1]
    pace = read_speeds(turns.phi, notes)
    if pace is None:
        return
    if _begins_later(turns, pace.speed, asked):
        pace.speed, pace.start = pace.speed[1:], pace.start[1:]
    speed = pace.direction * pace.speed
    law, ways = _law_and_ways(speed, pace.noise, turns, asked, notes)
    judge_pairs(turns, law, asked, notes)
    if not turns.mixed and (law is not None or np.abs(speed).max() < 3):  # beyond half a turn no direction is seen
        _judge_ways(ways, asked, notes)
    judge_law(law, speed, asked["dim"], asked["base"], turns.gain, notes)
    judge_gain(turns, law, notes)
    if law is not None and pace.steady:
        pace.speed, pace.slack = pace.direction * ways * np.abs(law.speeds), 0.02 if law.tolerance > 1e-4 else 1e-6
        _read_far(probe, turns, pace, follows, notes)


def _begins_later(turns, speed, asked):
    """Does the first pair stand on purpose? The others then follow a law of their own; it is taken from the turns."""
    if len(speed) < 2 or abs(speed[0]) > 1e-12 or np.ptp(turns.blocks[:, 0], axis=0).max() > 1e-9 or turns.mixed:
        return False
    wanted = asked["rotary_dim"] == turns.inputs.size - 2
    if not wanted:
        whole = find_law(np.concatenate([np.sign(speed[1:2]), speed[1:]]), asked["dim"], asked["base"])
        later = find_law(speed[1:], asked["dim"], asked["base"])
        if find_law(speed, asked["dim"], asked["base"]) or whole and not whole.parts or later is None or later.key:
            return False
    turns.still = np.concatenate([np.stack([turns.inputs[0], turns.outputs[0]], axis=1), turns.still])
    turns.inputs, turns.outputs, turns.blocks = turns.inputs[1:], turns.outputs[1:], turns.blocks[:, 1:]
    return True


def _law_and_ways(speed, noise, turns, asked, notes):
    """The law of the frequencies, and each pair's direction; also where the first pair stands, or some turn the other way."""
    def find(speeds):
        return find_law(speeds, asked["dim"], asked["base"], noise)

    law = find(speed) or _of_another_base(speed, noise, asked)
    stands = np.flatnonzero(np.abs(speed) < 1e-12)
    if law is None and len(speed) > 3 and len(stands) == 1:
        law = _without(int(stands[0]), speed, find, turns, notes)
    ways = np.sign(speed if law is None else law.speeds)
    if law is None and (ways != ways[0]).any():
        law = find(np.abs(speed))
    return law, ways


def _of_another_base(speed, noise, asked):
    """Stretched frequencies whose base is not the one asked for; a list of factors would fit too much."""
    law = find_law(speed, asked["dim"], None, noise) if asked["base"] else None
    return law if law and (not law.parts or law.parts[0]) else None


def _without(m, speed, find, turns, notes):
    """The law of the others, where one pair stands still that would turn by it."""
    filled = speed.copy()
    filled[m] = np.sign(speed[1]) if m == 0 else np.sign(speed[m - 1]) * np.sqrt(np.abs(speed[m - 1] * speed[(m + 1) % len(speed)]))
    law = find(filled)
    if law is None or law.key or m == 0 and law.parts:
        return None
    law.speeds[m] = 0
    where = "starts one too late" if m == 0 else "leaves one out"
    notes.blame("a pair left out", f"Pair ({turns.inputs[m, 0]}, {turns.inputs[m, 1]}) does not turn: {len(speed) - 1} of "
                f"{len(speed)} pairs do.", f"the pairs are m = 0, 1, ...: look for a loop or a slice that {where}.")
    return law


def _read_far(probe, turns, pace, follows, notes):
    """With positions that are not followed, only the first few angles are there to be judged."""
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
    if late.size:
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
