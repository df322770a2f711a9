"""What a pair does: a rotation by an angle, or what is left of one, and how the angle can still be read."""

import numpy as np

from pe_lib.clinic.notes import number, small
from pe_lib.clinic.rotary.structure import SAME


def take_out_gain(turns):
    """A length that all rows share is no part of the rotation; YaRN's attention factor is such a one."""
    lengths = np.linalg.norm(turns.blocks, axis=-1)
    low, gain, high = np.quantile(lengths, [0.05, 0.5, 0.95])
    if abs(gain - 1) > max(1e-5, 3 * (high - low)):
        turns.gain, turns.blocks = float(gain), turns.blocks / gain


def read_angles(turns, notes):
    """How the angles are read from the blocks, in a rotation or in what is left of one; the fault goes into the notes."""
    c1, s1, s2, c2 = _entries(turns.blocks)
    if _same(c1, c2, s1, s2):
        turns.read = _from_both
        turns.rotation = _judge_lengths(turns, np.hypot(c1, s1), notes)
        return
    # One row of each pair may be as it should be, and the other spoiled: at position 0 the first has its cosine's 1.
    for first_is_whole in (False, True) if c2[0].mean() > 0 else (True, False):
        (c, s), (spoiled_c, spoiled_s) = ((c1, s1), (c2, s2))[:: 1 if first_is_whole else -1]
        fault = _spoiled(spoiled_c, spoiled_s, c, s)
        if fault:
            turns.read = _from_first if first_is_whole else _from_second
            whole, spoiled = turns.inputs[0][:: 1 if first_is_whole else -1]
            notes.blame(fault, FAULTS[fault][0].format(a=whole, b=spoiled, pair=turns.pair), FAULTS[fault][1])
            return
    _read_rows(turns, notes)


def _spoiled(spoiled_c, spoiled_s, c, s):
    """What is wrong with a row's cosine and sine, given those of its partner; empty where no rule is known."""
    none = np.zeros_like(c)
    rules = {
        "same sign": (spoiled_c, c, spoiled_s, -s),
        "half of a pair stands still": (spoiled_c, none + 1, spoiled_s, none),
        "sine lost": (spoiled_c, c, spoiled_s, none),
        "cosine lost": (spoiled_c, none, spoiled_s, s),
        "overwritten": (spoiled_c, c - s**2, spoiled_s, s * c),
        "mirrored": (spoiled_c, -c, spoiled_s, -s),
    }
    return next((fault for fault, rule in rules.items() if _same(*rule)), "")


BOTH = "y0 = x0 cos - x1 sin, y1 = x0 sin + x1 cos."
FAULTS = {  # a is the feature that is turned as it should be, b its partner
    "same sign": ("Both features of pair {pair} take their sine with the same sign, two pluses or two minuses, so lengths change: no "
                  "rotation.", "one of the two sines takes a minus: rotate_half is (-second half, first half)."),
    "half of a pair stands still": ("Feature {b} of pair {pair} passes through, while its partner {a} is turned: lengths change.",
                                    f"both features of a pair are written: {BOTH}"),
    "sine lost": ("Feature {b} of pair {pair} is multiplied by a cosine and gets no sine from its partner: lengths shrink.",
                  f"the sine belongs there too: {BOTH}"),
    "cosine lost": ("Feature {b} of pair {pair} gets its partner's sine alone: lengths shrink.",
                    f"the cosine belongs there too: {BOTH}"),
    "overwritten": ("Feature {b} of pair {pair} is made from feature {a} after that was turned, not from the one that came in.",
                    "keep a copy of both features of the pair before the first is written."),
    "mirrored": ("Pair {pair} is mirrored, not turned: at position 0 one of its features comes back with the other sign.",
                 f"both cosines have the same sign, the sines opposite ones: {BOTH}"),
}


def _judge_lengths(turns, lengths, notes):
    """Is it a rotation but for rounding? Lengths may follow the position (xPos), or cosine and sine not the same angle."""
    off, growth = np.abs(lengths - 1).max(), np.log(np.maximum(lengths, 1e-300))
    p = np.arange(len(lengths))[:, None]
    pair = int(np.argmax(np.abs(growth[-1])))
    if off > 1e-6 and np.abs(growth - p * growth[-1] / p[-1]).max() < 0.05 * np.abs(growth).max():
        notes.blame("length follows the position", f"Pair {pair} is {number(lengths[-1, pair])} times as long at position {p[-1, 0]}, "
                    "and so on: lengths grow or shrink with the position, as with xPos.",
                    "a rotation keeps lengths; xPos is right only where queries grow as keys shrink.")
        turns.growing = True
        return False
    if off > 0.02:
        _blame_unknown(turns, notes)
        turns.read = None
    return off <= 0.02


def _entries(blocks):
    return blocks[..., 0, 0], -blocks[..., 0, 1], blocks[..., 1, 0], blocks[..., 1, 1]


def _from_both(blocks):
    c1, s1, s2, c2 = _entries(blocks)
    return np.arctan2(s1 + s2, c1 + c2)


def _from_first(blocks):
    return np.arctan2(-blocks[..., 0, 1], blocks[..., 0, 0])


def _from_second(blocks):
    return np.arctan2(blocks[..., 1, 0], blocks[..., 1, 1])


def _read_rows(turns, notes):
    """Row by row: rows of a pair that turn each by an angle of their own are the mark of two layouts mixed."""
    order = np.argsort(turns.outputs.ravel())
    cosines, sines = _rows(turns.blocks, order)
    cosine_of, sine_of = _pairing(cosines), _pairing(np.abs(sines))
    swap, half = "halves" if np.ptp(turns.inputs[0]) > 1 else "neighbours", len(order) // 2
    if None in (cosine_of, sine_of) or half == 1 or cosine_of == sine_of == swap:
        _blame_unknown(turns, notes)
        return
    words = f"The cosines belong to {_words(cosine_of, half)}, the sines to {_words(sine_of, half)}."
    if cosine_of == sine_of:
        a, b = (number(abs(float(angle))) for angle in (_from_first(turns.blocks)[1, 0], _from_second(turns.blocks)[1, 0]))
        words = (f"The angles belong to {_words(cosine_of, half)}, the swap is that of {swap}: at position 1 feature "
                 f"{turns.outputs[0, 0]} is turned by {a} rad and its partner {turns.outputs[0, 1]} by {b}.")
    notes.blame("mixed layouts", words + " No rotation in any layout: lengths change.",
                "take angles and swap from one layout: np.repeat for neighbours (0, 1), np.concatenate or np.tile for halves.")
    first = {"neighbours": slice(0, None, 2), "halves": slice(0, half)}

    def read(blocks):
        cosines, sines = _rows(blocks, order)
        return np.arctan2(sines[:, first[sine_of]], cosines[:, first[cosine_of]])

    turns.read, turns.mixed = read, True


def _rows(blocks, order):
    """Cosine and sine of every row, in the order of the rows."""
    c1, s1, s2, c2 = _entries(blocks)
    return [np.stack(part, axis=-1).reshape(len(blocks), -1)[:, order] for part in ((c1, c2), (s1, s2))]


def _pairing(table):
    """Which rows of a table of cosines (or sizes of sines) are equal: neighbours, or a row and the one half a vector on."""
    half = table.shape[1] // 2
    if _same(table[:, 0::2], table[:, 1::2]):
        return "neighbours"
    return "halves" if _same(table[:, :half], table[:, half:]) else None


def _words(pairing, half):
    return "neighbours (0, 1), (2, 3)" if pairing == "neighbours" else f"halves (0, {half}), (1, {half + 1})"


def _blame_unknown(turns, notes):
    c1, s1, s2, c2 = _entries(turns.blocks)
    off = np.abs(c1 - c2) + np.abs(s1 - s2) + np.abs(np.hypot(c1, s1) - 1)
    pair = int(np.argmax(off.max(axis=0)))
    block = turns.blocks[1, pair]
    rows = "], [".join(", ".join(number(entry, 3) for entry in row) for row in np.where(np.abs(block) < 1e-12, 0, block))
    change = np.abs(np.linalg.norm(turns.blocks[:, pair], axis=-2) - 1).max()
    notes.blame("not a rotation", f"What pair ({turns.inputs[pair, 0]}, {turns.inputs[pair, 1]}) does at position 1, [[{rows}]], is no "
                f"rotation, in no layout known here; lengths change by up to {small(change)}.",
                "y0 = x0 cos - x1 sin, y1 = x0 sin + x1 cos, with one angle for both: compare with `rotation_matrix`.")


def _same(*pairs):
    return all(np.abs(one - other).max() < SAME for one, other in zip(pairs[::2], pairs[1::2]))

