"""In which precision the angles are made: float64, float32, half precision, or with pi cut short."""

import numpy as np

from pe_lib.clinic.notes import number, radians
from pe_lib.clinic.rotary.measure import Broken
from pe_lib.clinic.rotary.positions import wrap


def read_precision(probe, turns, pace, rows, notes):
    """In how many digits angles and tables were made: rounding of angles grows with the position, that of tables does not."""
    p = np.array(sorted(rows))
    angle, off = p[:, None] * np.abs(pace.speed), np.abs(wrap(np.array([rows[at] for at in p]) - pace.angle(p)))
    relative = float((off / np.maximum(angle, 1)).max())
    row, pair = (int(i) for i in np.unravel_index(np.argmax(off), off.shape))
    degree = int(np.argmax((off > np.pi / 180).any(axis=1)))  # the first position where a degree is passed
    worst = f"pair {pair} is off by {radians(off[row, pair], 2)} at position {p[row]}"
    if off[degree].max() > np.pi / 180 and degree < row:
        worst += f", and a pair by over a degree at position {p[degree]} already"
    table = np.abs(np.linalg.norm(turns.blocks[..., 0], axis=-1) - 1).max() * turns.rotation
    still_small = off.max() < 0.01 and p[-1] > 200  # not growing with the position
    if probe.itemsize < 4 and off.max() < 0.02:
        notes.find("precision", None, "the result itself is in half precision")
    elif relative > 0.02:
        _blame_far(off, angle, p, notes)
    elif table > 5e-5 and probe.itemsize >= 4 and off.max() > 0.02:  # more than a table alone can be off
        _blame_angles(relative, _cut_circle(off, angle), worst, notes)
        _blame_table(table, notes)
    elif table > 5e-5 and probe.itemsize >= 4 or relative > 2e-5 and still_small:
        _blame_table(max(table, off.max()), notes)
    elif relative > 2e-5 or _cut_circle(off, angle) > 1e-6:  # float32 alone is never so regular
        _blame_angles(relative, _cut_circle(off, angle), worst, notes)
    else:
        form, bound = ("float32" if relative > 1e-11 else "float64"), _decade(max(off.max(), 1e-8))
        notes.find("precision", True, f"{form}: angles are off by less than {bound} radians up to position {p[-1]}")
    return relative <= 2e-5 and table <= 5e-5


def _blame_table(table, notes):
    form = "float16" if table < 1e-3 else "bfloat16"
    notes.find("precision", False, f"cosines and sines are off by {number(table, 2)}, as {form} rounds")
    notes.blame("half-precision tables", f"Cosines and sines are rounded to {form}: they are off by up to "
                f"{number(table, 2)}.", "keep the tables in float32 or better, and round the turned x alone.")


def _blame_angles(relative, cut, worst, notes):
    if cut:
        notes.find("precision", False, worst.split(", and")[0])
        notes.blame("pi cut short", f"Every full circle adds {radians(cut, 2)}: {worst}.",
                    "leave the angle as it is (cosine and sine need no remainder), or take it modulo 2 * np.pi.")
        return
    form = "float16" if relative < 1e-3 else "bfloat16"
    notes.find("precision", False, f"{worst.split(', and')[0]}, as {form} rounds")
    notes.blame("half-precision angles", f"The angles, positions or frequencies are rounded to {form}: {worst}.",
                "multiply positions and frequencies in float64 (float32 at least), and round after cosine and sine.")


def _cut_circle(off, angle):
    """The same error for every full circle: radians, or 0."""
    circles = np.floor(angle / (2 * np.pi))
    some = (circles > 20) & (circles < 300)  # beyond, the error itself may have come full circle
    each = off[some] / circles[some]
    return float(np.median(each)) if each.size > 5 and np.ptp(each) < 0.2 * np.median(each) else 0.0


def _blame_far(off, angle, p, notes):
    first = int(np.argmax((off / np.maximum(angle, 1) > 0.02).any(axis=1)))
    pair = int(np.argmax(off[first] / np.maximum(angle[first], 1)))
    words = f"At position {p[first]} pair {pair} is {number(off[first, pair], 2)} radians away from position * inv_freq"
    notes.find("large positions", False, words[0].lower() + words[1:])
    notes.blame("wrong at large positions", f"{words}, though it holds at small positions.",
                "look for a number format that overflows, a table of another length, or a switch at some length.")


def read_half(probe, turns, pace, furthest, notes):
    """x in float16: is only x rounded, or the angle as well?"""
    given = [position for position in (1, 255, 511, 1023, 2047, 2049, 4097, 8195) if position <= furthest]
    try:
        phi = turns.read(turns.blocks_at(probe, given, np.float16))
    except Broken as broken:
        notes.find("x in float16", None, broken.sentence.split(", for x of")[0])
        return
    off = np.abs(wrap(phi - pace.angle(np.array(given)))).max(axis=1)
    ok = off.max() < 0.02
    figure = "its angles are not rounded" if ok else f"off by {radians(off.max(), 2)} by position {given[-1]}"
    notes.find("x in float16", bool(ok), figure)
    if not ok:
        notes.blame("half-precision angles", f"With x in float16 the angles are made in x's dtype: off by {number(off.max(), 2)} "
                    f"radians by position {given[-1]}.", "make angles, cosines and sines in float32 or better, whatever x's dtype is.")


def _decade(value):
    """A bound that is the same on every machine, where the digits are rounding noise."""
    power = int(np.ceil(np.log10(value) - 1e-9))
    return f"1e{power}" if power < 0 else str(10**power)
