"""How far the angles hold: at large, negative and fractional positions, and in long calls."""

import numpy as np

from pe_lib.clinic.rotary.measure import Broken
from pe_lib.clinic.rotary.positions import COUNT, STALE, wrap

FAR = [16, 32, 64, 128, 256, 512, 1000, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072]


def read_reach(probe, turns, pace, notes):
    """The angles at large positions, as far as they are near those that the law foretells: position -> (pairs,)."""
    rows = {}  # position -> the angle of each pair
    for position in FAR[:-2] if turns.growing else FAR:  # further out, what shrinks is too small to be read
        given = [1, position - 1, position]
        try:
            blocks = turns.blocks_at(probe, given)
            phi = turns.read(blocks)
        except Broken as broken:
            _ends(probe, turns, position, rows, pace, broken, notes)
            break
        if (np.abs(wrap(phi[0] - turns.phi[1])) > 0.05 * np.abs(turns.phi[1]) + 1e-6).any() or _grown(turns, blocks[0]):
            return _read_long(probe, turns, position, notes)
        rows |= dict(zip(given[1:], phi[1:]))
    if rows:
        _judge(probe, turns, pace, rows, notes)
    return rows


def _grown(turns, block):
    return turns.rotation and np.abs(np.linalg.norm(block, axis=-1) - 1).max() > 0.02


def _read_long(probe, turns, position, notes):
    """A call that reaches further turns small positions otherwise: by a law of its own, or is it broken?"""
    given = [*range(COUNT), position]
    blocks = turns.blocks_at(probe, given)[:COUNT]
    if turns.rotation and not _is_a_law(probe, turns, given, blocks):
        notes.find("large positions", False, f"with position {position} in the call, position 1 turns by no law")
        notes.blame("wrong in long calls", f"With position {position} in the call, positions 0 to {COUNT - 1} too are turned otherwise "
                    "than in short calls, and not by stretched frequencies.",
                    "look for a switch at some length: only the frequencies may depend on it.")
        return {}
    notes.find("large positions", None, f"with position {position} in the call, position 1 turns otherwise: "
               "the frequencies depend on the length (dynamic scaling)")
    return {}


def _is_a_law(probe, turns, given, blocks):
    """Are these still rotations of the same pairs, from 0 on, none faster than before, by one speed each?"""
    lengths, phi = np.linalg.norm(blocks, axis=-1), turns.read(blocks)
    alone = np.ones(probe.dim)
    whole = probe.turned(alone, given)[:COUNT, turns.outputs]
    expected = blocks.sum(axis=-1) * turns.gain
    speed = phi[1] + wrap(phi[-1] - (COUNT - 1) * phi[1]) / (COUNT - 1)
    steady = np.abs(wrap(phi - np.arange(COUNT)[:, None] * speed)).max() < 0.02
    slower = (np.abs(speed) <= 1.02 * np.abs(turns.phi[1]) + 1e-6).all() and np.abs(speed[0]) > 0.02 * np.abs(turns.phi[1, 0])
    even = np.ptp(lengths) < 0.02 and 0.98 < lengths.mean() < 1.6
    return bool(even and steady and slower and np.abs(whole - expected).max() < 0.02 * turns.gain)


def _judge(probe, turns, pace, rows, notes):
    """Clipped, wrapped around or shifted? The rows beyond are taken out then; what rounding does is judged apart."""
    p = np.array(sorted(rows))
    phi = np.array([rows[position] for position in p])
    bad = _is_off(phi, pace, p)
    if not bad.any():
        return
    first = int(np.argmax(bad))
    if _is_stale(probe, turns, pace, int(p[first]), notes):
        rows.clear()
        return
    edge = _bisect(lambda at: _is_off(turns.read(turns.blocks_at(probe, [1, at]))[1:], pace, np.array([at]))[0],
                   int(p[first - 1]) if first else COUNT - 1, int(p[first]))
    key, words, edge = _what_is_beyond(probe, turns, pace, edge, p[first:], phi[first:])
    if key:
        notes.find("large positions", False, f"right up to {edge - 1}")
        notes.blame(key, words, SHIFTED if key == "positions shifted" else BEYOND)
        for position in p[p >= edge]:
            del rows[position]


def _what_is_beyond(probe, turns, pace, edge, p, phi):
    """Fault, sentence and edge, for rows p that are off from an edge on; no fault where no rule is known."""
    after, near = turns.read(turns.blocks_at(probe, [1, edge, edge + 1]))[1:], 1e-3 + 30 * pace.noise
    if _clipped(after, phi, pace, edge):
        edge = _bisect(lambda at: _like(turns.read(turns.blocks_at(probe, [1, at]))[1], phi[0]), COUNT - 1, int(p[0]))
        to = 0 if _like(after, turns.phi[0]) else edge
        return "positions clipped", f"From position {edge} on every position is turned as position {to} is.", edge + bool(to)
    if np.abs(wrap(after - turns.phi[:2])).max() < near:
        words = f"Position {edge} is turned as position 0 is, position {edge + 1} as 1: positions wrap around at {edge}."
        return "positions wrap around", words, edge
    if np.abs(wrap(after[0] - pace.angle(-edge))).max() < 1e-3:
        words = f"Position {edge} is turned as position {-edge} is: positions overflow an integer type of too few bits."
        return "positions wrap around", words, edge
    shift = _shift(after, phi[p >= edge], pace, np.array([edge, edge + 1, *p[p >= edge]]))
    much = "one position" if abs(shift) == 1 else f"{abs(shift)} positions"
    words = f"From position {edge} on every row is turned by {much} too {'many' if shift > 0 else 'few'}."
    return "positions shifted" if shift else "", words, edge


BEYOND = "make the table longer, or the angles from the positions themselves; refuse what is beyond."
SHIFTED = "look for an offset that is added there, and for the test that adds it."


def _is_stale(probe, turns, pace, position, notes):
    """Is the same position turned rightly in a call of another length? Then a stored table is used again."""
    phi = turns.read(turns.blocks_at(probe, [1, 2, 3, position - 1, position]))[3:]
    if _is_off(phi, pace, np.array([position - 1, position])).any():
        return False
    notes.find("large positions", False, f"position {position} is turned otherwise in a call of six rows than of ten")
    notes.blame("stale table", f"Position {position} is turned wrongly in a call of six rows and rightly in one of ten: a stored "
                "table is used again for other positions.", STALE)
    return True


def _clipped(after, beyond, pace, edge):
    """Are all rows from the edge on turned as the one before it?"""
    last = wrap(pace.angle(edge - 1))
    return _like(after, after[0]) and (len(beyond) > 2 and _like(beyond, beyond[0]) or _like(after, last) and _like(beyond, last))


def _shift(after, beyond, pace, p):
    """The one whole number of positions by which all rows beyond an edge are turned too far; 0 where there is none."""
    off, few = np.concatenate([after, beyond]) - pace.angle(p), np.arange(-4096, 4097)
    near = np.abs(wrap(off[0] - np.multiply.outer(few, pace.speed))).max(axis=1)
    shift = int(few[np.argmin(near)])
    return shift if len(p) > 4 and near.min() < 1e-3 and np.abs(wrap(off - shift * pace.speed)).max() < 2e-3 else 0


def _like(phi, other):
    return np.abs(wrap(phi - other)).max() < 1e-3


def _is_off(phi, pace, p):
    """Which rows are further from the law than rounding takes them."""
    least = 0.02 if pace.slack > 1e-3 else 1e-5
    return (np.abs(wrap(phi - pace.angle(p))) > least + pace.slack * np.abs(p[:, None] * pace.speed)).any(axis=1)


def _bisect(is_bad, good, bad):
    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (good, middle) if is_bad(middle) else (middle, bad)
    return bad


def _ends(probe, turns, position, rows, pace, broken, notes):
    def refuses(at):
        try:
            turns.blocks_at(probe, [1, at])
        except Broken:
            return True
        return False

    edge = _bisect(refuses, max(rows, default=COUNT - 1), position)
    how = broken.sentence.split(", for x of")[0].replace("It raised ", "").replace("It returned", "returned").rstrip(".")
    refused = broken.key == "raises"
    notes.find("large positions", None if refused else False, f"up to {edge - 1}; from {edge} on: {how}")
    rounded = any(_is_off(phi[None], pace, np.array([position])).any() for position, phi in rows.items())
    if not refused and pace.slack < 1e-3 and not rounded and not turns.growing:  # else too few bits are the cause, which is judged apart
        notes.blame(broken.key, f"From position {edge} on it {how}.", broken.remedy)


def read_between(probe, turns, pace, notes):
    """Negative and fractional positions: tables cannot have them, which is no fault."""
    for name, given, other in (("negative positions", np.array([-3, -2, -1]), None),
                               ("fractional positions", np.array([0.5, 1.5, 2.75]), np.array([0, 1, 2]))):
        try:
            phi = turns.read(turns.blocks_at(probe, given))
        except Broken as broken:
            notes.find(name, None, "refused: " + broken.sentence.split(", for x of")[0].replace("It raised ", "").rstrip("."))
            continue
        if _close(phi, pace, given):
            notes.find(name, True, "turned accordingly")
        elif other is not None and _close(phi, pace, other):
            notes.find(name, None, "cut to whole numbers: use it with whole positions only")
        else:
            notes.find(name, None, "turned by other angles without a word: use it without them")


def _close(phi, pace, given):
    return bool((np.abs(wrap(phi - pace.angle(np.array(given)))) < 1e-2).all())
