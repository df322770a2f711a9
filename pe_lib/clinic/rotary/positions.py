"""Which position the function turns a row by: the one it is given, a shifted one, the row's own number, ..."""

from dataclasses import dataclass

import numpy as np

from pe_lib.clinic.notes import a_few, number, radians
from pe_lib.clinic.rotary.measure import Broken

COUNT = 13  # positions whose matrices are measured
SETS = {
    "shifted": np.arange(3, 12),  # nine rows, as in the first call of all
    "in another order": np.array([4, 0, 8, 2, 6, 1, 7, 3, 5]),
    "with gaps": np.array([0, 2, 3, 7, 8, 12]),
    "all the same": np.array([5, 5, 5, 5, 5]),
    "one alone": np.array([7]),
}
FRESH = {  # more rows than any call before, so that no table stored by length, or kept till it is too short, serves them
    "shifted": np.arange(2, 17),
    "in another order": np.array([4, 0, 8, 2, 6, 1, 15, 7, 3, 5, 14, 9, 12, 10, 11, 13]),
}
STALE = "the key of a stored table must hold everything it is made from; or store one table and look up positions in it."
MEANT = {  # what positions the rows seem to have: key, how to get there, in words
    "positions ignored": (lambda p: np.arange(p.size), "row {row} is turned by {row}, its own number"),
    "restarts at 0": (lambda p: p - p[0], "row 0 is turned by 0, and all others by their distance from it"),
    "only the first position is read": (lambda p: p[0] + np.arange(p.size), "the others are counted on from the first"),
    "positions sorted": (np.sort, "the rows are turned by the sorted positions"),
    "positions reversed": (lambda p: COUNT - 1 - p[::-1], "the rows are turned by the positions read from the end"),
    "counted from the end": (lambda p: COUNT - p.size + p, "row {row} is turned by the number of rows, less 1, less its position"),
    "counted from the largest": (lambda p: COUNT - 1 - p.max() + p, "row {row} is turned by its distance from the largest position"),
    "smallest position taken off": (lambda p: p - p.min(), "the smallest position is taken off all of them"),
    "table as long as the input": (lambda p: np.minimum(p, p.size - 1), "positions beyond the number of rows are cut to it"),
    "positions wrap around": (lambda p: p % p.size, "positions wrap around at the number of rows"),
}


def read_following(probe, matrix, added, noise, notes):
    """Do the rows turn by the positions given? True if so; else the fault goes into the notes."""
    x = np.random.default_rng(1).normal(size=(2 * COUNT, probe.dim))

    def misses(given, meant):
        answer = answers.setdefault(tuple(given), _try(probe, x[: given.size], given))
        if isinstance(answer, Broken):
            return True
        measured = (meant >= 0) & (meant < COUNT)  # the matrices of others are not known
        meant = meant[measured]
        expected = np.einsum("pij,pj->pi", matrix[meant], x[: given.size][measured]) + added[meant]
        return np.abs(answer[measured] - expected).max(initial=0) > noise

    answers = {}
    wrong = [name for name, given in SETS.items() if misses(given, given)]
    if not wrong:
        notes.find("follows the positions given", True, "shifted, in another order, with gaps, all the same, one alone")
        return True
    notes.find("follows the positions given", False, f"not for positions {_listed(wrong[0])}")
    _blame(wrong, misses, answers, probe, matrix, noise, notes)
    return False


def _divided(probe, matrix, noise):
    """Do the rows 0, 2, 4, ... of a text twice as long turn as 0, 1, 2, ... do?"""
    x = np.random.default_rng(6).normal(size=(2 * COUNT, probe.dim))
    meant = np.einsum("pij,pj->pi", matrix, x[: 2 * COUNT : 2])
    answers = [_try(probe, x[:n], np.arange(n)) for n in (2 * COUNT, 2 * COUNT - 1)]
    return any(not isinstance(y, Broken) and np.abs(y[::2] - meant).max() < noise for y in answers)


def _blame(wrong, misses, answers, probe, matrix, noise, notes):
    given = SETS[wrong[0]]
    broken = answers[tuple(given)]
    key = next((key for key, (meant, _) in MEANT.items() if not any(misses(p, meant(p)) for p in SETS.values())), None)
    fresh = [FRESH[name] for name in wrong if name in FRESH]
    if isinstance(broken, Broken):
        key = "positions refused" if broken.key == "raises" else broken.key
    elif key in (None, "positions ignored") and fresh and not any(misses(p, p) for p in fresh):
        key = "stale table"
    elif key is None and wrong == ["one alone"] and not misses(given, 0 * given):
        key = "a single row stands still"
    elif key is None:
        key = "divided by the length" if _divided(probe, matrix, noise) else "positions not followed"
    if isinstance(broken, Broken) and broken.key != "raises":
        return notes.blame(key, f"For positions {wrong[0]} ({a_few(given)}): {broken.sentence}", broken.remedy)
    sentence, remedy = OTHERWISE.get(key, (None, "make the angles from the positions argument: positions[:, None] * inv_freq."))
    if sentence is None:
        row = min(2, given.size - 1)
        sentence = f"For positions {{given}}, {MEANT[key][1].format(row=row)}, where row {row} stands at {given[row]}."
    notes.blame(key, sentence.format(given=a_few(given), name=wrong[0], error=getattr(broken, "sentence", "")), remedy)


OTHERWISE = {
    "positions refused": ("Positions {name} ({given}) went wrong. {error}", "look rows up by positions[i], in a table that reaches "
                          "the largest of them, not one as long as x."),
    "stale table": ("Positions {given} are turned as those of an earlier call; in a call of another length they are turned "
                    "rightly: a stored table is used again for other positions.", STALE),
    "a single row stands still": ("One row alone, at position {given}, is turned as position 0 is: decoding token by token goes "
                                  "wrong.", "turn one row as any other: the number of rows plays no part."),
    "divided by the length": ("Twice as many rows turn half as far: positions are divided by the number of rows, or by the largest "
                              "position, so that a token turns otherwise in every longer text.", "the angle is position * inv_freq."),
    "positions not followed": ("With positions {name} ({given}) the rows are turned otherwise than with 0, 1, 2, ...; by which rule "
                               "is not known here.", "make the angles from positions[i] alone, row by row."),
}


def _listed(name):
    return f"{name} ({a_few(SETS[name])})"


def _try(probe, x, positions):
    try:
        return probe(x, positions)
    except Broken as broken:
        return broken


@dataclass
class Pace:
    speed: np.ndarray  # (pairs,), radians a position
    start: np.ndarray  # (pairs,), the angle at position 0
    direction: int = 1  # -1 where sine and cosine are exchanged, which turns the measured angle round
    steady: bool = True  # proportional to the position
    noise: float = 0.0  # radians that it is off this rule at the positions measured
    slack: float = 1e-6  # the share of an angle that rounding may change

    def angle(self, positions):
        return self.start + np.multiply.outer(positions, self.speed)


def read_speeds(phi, notes):
    """The pace of each pair, as measured; None where no rule is known. The fault goes into the notes."""
    p, turned = np.arange(len(phi)), wrap(phi - phi[0])
    if np.abs(turned).max() < 1e-9:
        notes.find("proportional to the position", False, "all alike")
        notes.blame("position plays no part", f"Every position is turned alike, the first pair by {radians(phi[0, 0])}.", ANGLE)
        return None
    speed = turned[1] + wrap(turned[-1] - p[-1] * turned[1]) / p[-1]
    if _fits(turned, p, speed):
        return _start(Pace(speed, phi[0], noise=float(np.abs(wrap(turned - p[:, None] * speed)).max())), notes)
    for key, meant, words in _maps():
        speed = turned[int(np.argmax(meant == 1))]
        if _fits(turned, meant, speed):
            notes.find("proportional to the position", False, key)
            notes.blame(key, words, ANGLE)
            return _start(Pace(speed, phi[0], steady=False), notes)
    if whole_radians(phi):
        _blame_cut(phi, turned, notes)
        return None
    turns = a_few([number(angle, 3) for angle in turned[:6, 0]], most=6)
    notes.find("proportional to the position", False, "no")
    notes.blame("not proportional to the position", f"At positions 0, 1, 2, 3, 4, 5 the first pair has turned by {turns} "
                "radians, which no speed and no known rule explains.", ANGLE)
    return None


def whole_radians(phi):
    return np.abs(wrap(phi[..., None] - np.arange(-30, 31))).min(axis=-1).max() < SAME


def _blame_cut(phi, turned, notes):
    notes.find("proportional to the position", False, "whole numbers of radians")
    pair = int(np.argmax(np.abs(np.diff(turned, 2, axis=0)).max(axis=0)))
    notes.blame("angles cut to integers", f"Every angle is a whole number of radians: pair {pair} has turned by "
                f"{a_few(np.rint(phi[:4, pair]).astype(int) + 0)} radians at positions 0, 1, 2, 3.",
                "keep positions * inv_freq in floats, float64 best; an integer dtype has crept in.")


ANGLE = "the angle is position * inv_freq, proportional to the position wherever it stands."
SAME = 1e-3


def _fits(turned, p, speed):
    """Within what half precision rounds."""
    meant = np.multiply.outer(p, speed)
    return bool((np.abs(wrap(turned - meant)) <= 5e-3 + 0.02 * np.abs(meant)).all())


def _maps():
    p = np.arange(COUNT)
    for k in range(2, COUNT):
        yield "positions clipped", np.minimum(p, k), f"From position {k} on every position is turned as position {k} is."
        yield "positions wrap around", p % k, f"Position {k} is turned as position 0 is, and so on: positions wrap around at {k}."
    for k in range(2, 7):
        yield "positions cut", p // k, f"{k} neighbouring positions share one turn: positions are divided by {k} and cut."
        yield "positions cut", -(-p // k), f"{k} neighbouring positions share one turn: positions are divided by {k} and cut."
    words = "Positions 0 and 1 are turned alike, and from there on every row is turned by one position too few."
    yield "off by one", np.maximum(p - 1, 0), words
    yield "positions squared", p**2, "Position 2 is turned 4 times as far as position 1: the position enters squared."


def _start(pace, notes):
    """Where the count begins: every pair's turn at position 0 is the same number of positions, or a fault."""
    phi, speed = pace.start, pace.speed
    if np.abs(phi).max() < 1e-6:
        notes.find("count starts at 0", True, "position 0 is not turned")
        return pace
    found = [(quarter, _vernier(wrap(phi - quarter), speed)) for quarter in (0, np.pi / 2, -np.pi / 2)]
    found = [(quarter, shift) for quarter, shift in found if shift is not None]
    for quarter, shift in sorted(found, key=lambda way: way[1] != round(way[1])):  # whole shifts are the likelier ones
        if quarter:
            notes.blame("sine and cosine exchanged", "At position 0 every pair is turned by a quarter turn: x is multiplied by "
                        "the sine and its partner by the cosine.", "x takes the cosine, its partner the sine.")
        _blame_shift(shift, notes)
        pace.direction = -1 if quarter > 0 else 1
        return pace
    notes.find("count starts at 0", False, "position 0 is turned")
    why = "no whole shift of positions explains both."
    if np.abs(wrap(phi - np.pi)).max() < 1e-3:
        why = "half a circle in every pair, as from a minus in front of everything."
    notes.blame("turned at position 0", f"At position 0 the first pair is turned by {radians(phi[0])}, the last by "
                f"{number(phi[-1])}: {why}", "the angle at position 0 is 0 in every pair.")
    return pace


def _vernier(phi, speed):
    """The shift c with phi = c * speed in all pairs: roughly from the slowest, then finer from each faster one."""
    shift = 0.0
    for m in np.argsort(np.abs(speed)):
        if speed[m] and (abs(speed[m]) > 1e-12):
            shift += float(wrap(phi[m] - shift * speed[m]) / speed[m])
    shift = round(shift) if abs(shift - round(shift)) < 2e-3 else shift
    fits = (np.abs(wrap(phi - shift * speed)) <= 5e-3 + 0.02 * np.abs(shift * speed)).all()
    if not fits or shift != round(shift):  # many positions off, the slowest pair too has come round: try whole numbers
        whole = sorted(range(-5000, 5001) if speed.size > 1 else range(-200, 201), key=abs)
        off = np.abs(wrap(phi - np.multiply.outer(whole, speed))).max(axis=1)
        if off.min() < 1e-4:
            return float(whole[int(np.argmax(off < 1e-4))])
    return float(shift) if fits and (shift == round(shift) or abs(shift) < 10) else None


def _blame_shift(shift, notes):
    notes.find("count starts at 0", abs(shift) < 1e-4, f"position 0 is turned as position {shift:g}")
    if abs(shift) < 1e-4:
        return
    key = "off by one" if abs(abs(shift) - 1) < 1e-3 else "positions shifted"
    much = "too many" if shift > 0 else "too few"
    words = "one position" if key == "off by one" else f"{number(abs(shift))} positions"
    notes.blame(key, f"Position 0 is turned as position {shift:g} should be: every row is turned by {words} {much}.",
                "positions start at 0, and the angle is position * inv_freq, with nothing added.")


def wrap(angle):
    """The same angle from -pi up to pi. (Not `offsets.wrap`, which refuses NaN: here it may come out of a stranger's function.)"""
    return (np.asarray(angle) + np.pi) % (2 * np.pi) - np.pi
