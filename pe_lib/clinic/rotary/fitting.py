"""The law of all pairs together, also where one of them stands still or the base is another than the one asked for."""

import numpy as np

from pe_lib.clinic.rotary.laws import find_law


def begins_later(turns, speed, asked):
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


def law_and_ways(speed, noise, turns, asked, notes):
    """The law of the frequencies, and each pair's direction; also where the first pair stands, or some turn the other way."""
    def find(speeds):
        return find_law(speeds, asked["dim"], asked["base"], noise)

    law = find(speed) or _of_another_base(speed, noise, asked)
    if law is not None and law.key == "sliced frequencies" and law.scale != 1:
        _judge_first_ones(law, turns, asked["dim"], notes)
    stands = np.flatnonzero(np.abs(speed) < 1e-12)
    if law is None and len(speed) > 3 - bool(asked["base"]) and len(stands) == 1:
        law = _without(int(stands[0]), speed, find, turns, notes)
    ways = np.sign(speed if law is None else law.speeds)
    if law is None and (ways != ways[0]).any():
        law = find(np.abs(speed))
    return law, ways


def _judge_first_ones(law, turns, dim, notes):
    """Neighbours turn from some feature on, each as fast as if the pairs before it turned too: those were left out."""
    pair, last = int(turns.inputs.min()) // 2, int(turns.inputs.max())
    if last == dim - 1 and abs(law.scale * law.base ** (2 * pair / dim) - 1) < 4 * law.tolerance + 1e-9:
        law.key, law.scale = "", 1.0
        notes.blame("a pair left out", f"The first {pair} pairs do not turn: {len(turns.inputs)} of {dim // 2} pairs do.",
                    "the pairs are m = 0, 1, ...: look for a loop or a slice that starts too late.")


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
