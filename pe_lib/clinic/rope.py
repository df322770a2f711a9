"""Diagnosis of a rotary encoding: anybody's function (x, positions) -> turned x."""

import numpy as np

from pe_lib._validate import even_dim, frequency_base, whole_number
from pe_lib.clinic.blocks import read_angles, take_out_gain
from pe_lib.clinic.habits import read_axes, read_dtype, read_manners
from pe_lib.clinic.laws import find_law, judge_gain, judge_law
from pe_lib.clinic.measure import CONFUSED, WORDS, Broken, find_probe, matrices
from pe_lib.clinic.notes import Notes, number, small
from pe_lib.clinic.pairs import judge_pairs
from pe_lib.clinic.places import COUNT, STALE, read_following, read_speeds
from pe_lib.clinic.reach import read_between, read_half, read_precision, read_reach
from pe_lib.clinic.structure import read_turns
from pe_lib.layouts import check_layout


def diagnose(rope, dim=64, *, base=None, rotary_dim=None, layout=None, sign=None, axes=None):
    """A rotary encoding has measurable properties; the first that fails says what is wrong with it.

    rope, any function (x, positions) -> turned x, of floats (..., n, dim) and whole positions (n,) -> a Report: the
    properties with their figures, the faults with the likeliest first, and the convention that was found.

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
    if sign is not None and (isinstance(sign, bool) or sign not in (1, -1)):
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
        named = ", ".join(WORDS[axis] for axis in probe.axes.split())
        if probe.axes in ("b n h d", "n h d"):
            notes.convention["axes"] = f"axes ({named})"
        for tried, broken in refused:
            if broken.key == "wrong axis":
                notes.remarks.append(f"{broken.sentence} It takes ({named}).")
        batch = ", positions a batch row" if probe.batched else ""
        notes.find("takes x and gives it back", True, f"axes ({named}){batch}")
        return probe
    tried, broken = next(((tried, broken) for tried, broken in refused if broken.key in CONFUSED), refused[0])
    notes.find("takes x and gives it back", False, broken.key)
    more = ""
    if other is not None:
        more = f" It takes arrays of axes ({', '.join(WORDS[axis] for axis in other.axes.split())})."
    notes.blame("wrong axis" if other is not None and len(other.axes) == len(axes) else broken.key, broken.sentence + more,
                broken.remedy)
    return other


def _examine(probe, asked, notes):
    x = np.random.default_rng(4).normal(size=(9, probe.dim))
    first = x, probe.answer(probe.widened(x), np.arange(9))
    if not _answers_again(probe, first, notes):
        return
    matrix, added = matrices(probe, COUNT)
    noise = _read_linearity(probe, matrix, added, notes)
    if noise is not None:
        _read_identities(matrix, notes)
        turns = _read_structure(matrix, notes)
        follows = read_following(probe, matrix, added, noise, notes)
        if turns is not None and turns.read is not None:
            _read_angles(probe, turns, follows, asked, notes)
        if not notes.faults:
            notes.excuse("position 0 changes nothing", "lengths kept")
        if asked["axes"] != "n d":
            read_axes(probe, notes)
    read_dtype(probe, notes)
    read_manners(probe, first, notes)


def _answers_again(probe, first, notes):
    """The same question twice, and then one of more rows: what fails here would spoil all measurements."""
    off = np.abs(probe.answer(probe.widened(first[0]), np.arange(9)) - first[1]).max()
    if off > 0:
        notes.find("same answer again", False, f"asked twice the same, the answers differ by up to {number(off, 2)}")
        notes.blame("remembers earlier calls", f"The same x and positions, asked twice, gave answers that differ by up to {number(off, 2)}.",
                    "make the result from the arguments alone: no counter, no stored offset, no randomness.")
        return False
    try:
        probe(np.ones(probe.dim), np.arange(COUNT))
    except Broken as broken:
        if broken.key != "raises":
            raise
        notes.find("another length", False, f"{COUNT} rows after 9 rows")
        notes.blame("stale table", f"9 rows at positions 0 to 8 went well. {broken.sentence} A table of the first call seems to be kept.",
                    STALE)
        return False
    return True


def _read_linearity(probe, matrix, added, notes):
    """How far rounding takes the function from its matrices; None if it is further than that."""
    rng, p = np.random.default_rng(5), np.arange(COUNT)
    x, z = rng.normal(size=(2, COUNT, probe.dim))
    fx, fz, both = (probe(rows, p) for rows in (x, z, 2 * x + z))
    size = np.abs(fx).max() + np.abs(added).max() + 1e-300
    bent = np.abs(both - (2 * fx + fz - 2 * added)).max() / size
    mixed = np.abs(fx - np.einsum("pij,pj->pi", matrix, x) - added).max() / size
    ok = bent < 0.02
    notes.find("linear in x", bool(ok), f"2x + z against x and z: {small(bent)} off")
    if not ok:
        lost = np.abs(probe(2 * x, p) - fx).max() < 0.02 * size
        why = " 2x gives the same as x: the length is normalised away." if lost else ""
        notes.blame("not linear", f"The result for 2x + z is not twice that for x and once that for z.{why} No rotation.",
                    "a rotation multiplies and adds features of x, and does nothing else to them.")
        return None
    if mixed > 0.02:
        notes.find("rows stand alone", False, "a row's result depends on other rows")
        notes.blame("rows mixed", "What comes out for a row depends on the other rows of x, not on its own features alone.",
                    "turn along the features (the last axis); look for a sum, roll or reshape that runs along the sequence.")
        return None
    probe.adds = bool(np.abs(added).max() > 1e-6)
    if probe.adds:
        notes.blame("something is added", f"x = 0 does not stay 0: {number(added[1, np.argmax(np.abs(added[1]))])} comes out at "
                    "position 1. Rotary encoding turns x and adds nothing.", "multiply x, do not add a position vector to it.")
    return 10 * np.abs(fx - np.einsum("pij,pj->pi", matrix, x) - added).max() + 1e-9 * size


def _read_identities(matrix, notes):
    identity = np.abs(matrix[0] - np.eye(len(matrix[0]))).max()
    gram = np.einsum("pji,qjk->pqik", matrix[:8], matrix[:8])
    moved = max(np.abs(gram[0, k] - gram[s, s + k]).max() for k in (0, 1, 3) for s in (1, 4))
    length = np.abs(np.linalg.norm(matrix, axis=1) - 1).max()
    notes.find("position 0 changes nothing", bool(identity < 1e-6), _off(identity))
    notes.find("lengths kept", bool(length < 2e-5), _off(length))
    notes.find("scores depend on the offset alone", bool(moved < 2e-5), _off(moved))


def _off(value):
    return f"{small(value)} off" if value < 1e-6 else f"up to {number(value, 3)} off"


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
    speed = pace.direction * pace.speed
    law = find_law(speed, asked["dim"], asked["base"], pace.noise)
    if law is None and len(speed) > 3 and abs(speed[0]) < 1e-12:
        law = find_law(np.concatenate([np.sign(speed[1:2]), speed[1:]]), asked["dim"], asked["base"], pace.noise)
        if law is not None:
            law.speeds[0] = 0
            notes.blame("a pair left out", f"Pair {turns.pair} does not turn: {len(speed) - 1} of {len(speed)} pairs do.",
                        "the pairs are m = 0, 1, ...: look for a loop or a slice that starts one too late.")
    ways = np.sign(speed if law is None else law.speeds)
    if law is None and (ways != ways[0]).any():
        law = find_law(np.abs(speed), asked["dim"], asked["base"], pace.noise)
    judge_pairs(turns, asked["dim"], law, asked, notes)
    if not turns.mixed:
        _judge_ways(ways, asked, notes)
    judge_law(law, speed, asked["dim"], asked["base"], turns.gain, notes)
    judge_gain(turns, law, notes)
    if follows and law is not None and pace.steady:
        pace.speed = pace.direction * ways * np.abs(law.speeds)
        holds, rows = read_reach(probe, turns, pace, notes)
        if holds:
            if read_precision(probe, turns, pace, rows, notes):
                read_half(probe, turns, pace, notes)
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
        notes.blame("angles cut to integers", f"Feature {late[0]} stands still up to position {COUNT - 1} and has turned by position "
                    "1000: angles below 1 have become 0.", "keep positions * inv_freq in floats; an integer dtype has crept in.")
    return late.size > 0


def _judge_ways(signs, asked, notes):
    signs = signs[signs != 0]
    if (signs != signs[0]).any():
        pair = int(np.argmax(signs != signs[0]))
        notes.blame("pairs turn both ways", f"Pair 0 turns {WAYS[signs[0]]} and pair {pair} {WAYS[signs[pair]]}.",
                    "every pair has the same sign in front of its sine.")
        return
    notes.find("direction", None if asked["sign"] is None else bool(signs[0] == asked["sign"]), WAYS[signs[0]])
    notes.convention["direction"] = f"{WAYS[signs[0]]} (y0 = x0 cos {'-' if signs[0] > 0 else '+'} x1 sin)"
    if asked["sign"] is not None and signs[0] != asked["sign"]:
        notes.blame("other sign", f"The pairs turn {WAYS[signs[0]]}, as by minus the position.",
                    "exchange the signs of the two sines: right only if q and k both turn that way.")


WAYS = {1.0: "counter-clockwise", -1.0: "clockwise", 0.0: "not at all"}
