"""What a pair does: a rotation by an angle, or what is left of one, and how the angle can still be read."""

import numpy as np

from pe_lib.clinic.notes import number, small
from pe_lib.clinic.structure import SAME


def take_out_gain(turns):
    """A length that all rows share is no part of the rotation; YaRN's attention factor is such a one."""
    lengths = np.linalg.norm(turns.blocks, axis=-1)
    low, gain, high = np.quantile(lengths, [0.05, 0.5, 0.95])
    if abs(gain - 1) > max(1e-5, 3 * (high - low)):
        turns.gain, turns.blocks = float(gain), turns.blocks / gain


def read_angles(turns, notes):
    """How the angles are read from the blocks, in a rotation or in what is left of one; the fault goes into the notes."""
    c1, s1, s2, c2 = _entries(turns.blocks)
    none = np.zeros_like(c1)
    if _same(c1, c2, s1, s2):
        turns.read = _from_both
        turns.rotation = _judge_lengths(turns, np.hypot(c1, s1), notes)
    elif _same(c1, c2, s1, -s2):
        turns.read = _from_second
        notes.blame("same sign", *_same_sign(*turns.inputs[0]))
    elif _same(c1, none + 1, s1, none) or _same(c2, none + 1, s2, none):
        turns.read = _from_second if _same(s1, none) else _from_first
        notes.blame("half of a pair stands still", *_half_still(turns.inputs[0], _same(s1, none)))
    elif _same(c1, c2) and (_same(s1, none) or _same(s2, none)):
        turns.read = _from_second if _same(s1, none) else _from_first
        notes.blame("sine lost", *_lost("sine", turns.inputs[0, int(_same(s2, none))], turns.pair))
    elif _same(s1, s2) and (_same(c1, none) or _same(c2, none)):
        turns.read = _from_second if _same(c1, none) else _from_first
        notes.blame("cosine lost", *_lost("cosine", turns.inputs[0, int(_same(c2, none))], turns.pair))
    elif _same(s2, s1 * c1, c2, c1 - s1**2) or _same(s1, s2 * c2, c1, c2 - s2**2):
        turns.read = _from_first if _same(s2, s1 * c1, c2, c1 - s1**2) else _from_second
        notes.blame("overwritten", *_overwritten(turns.inputs[0], turns.read is _from_first))
    elif _same(c1, -c2, s1, -s2):
        turns.read = _from_first if c1[0].mean() > 0 else _from_second
        notes.blame("mirrored", *_mirrored(turns.pair))
    else:
        _read_rows(turns, notes)


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


def _same_sign(a, b):
    return (f"Both features of a pair take their sine with the same sign (as y{a} = x{a} cos + x{b} sin with "
            f"y{b} = x{b} cos + x{a} sin), so lengths change: no rotation.",
            "one of the two sines takes a minus: rotate_half is (-second half, first half).")


def _lost(what, feature, pair):
    words = {"sine": "is multiplied by a cosine and gets no sine from its partner", "cosine": "gets its partner's sine alone"}
    return (f"Feature {feature} of pair {pair} {words[what]}: lengths shrink.",
            f"the {what} belongs there too: y0 = x0 cos - x1 sin, y1 = x0 sin + x1 cos.")


def _half_still(pair, first):
    still, turning = pair if first else pair[::-1]
    return (f"Feature {still} of pair ({pair[0]}, {pair[1]}) passes through, while its partner {turning} is turned: lengths change.",
            "both features of a pair are written: y0 = x0 cos - x1 sin, y1 = x0 sin + x1 cos.")


def _overwritten(pair, forward):
    done, late = pair if forward else pair[::-1]
    return (f"Feature {late} of pair ({pair[0]}, {pair[1]}) is made from feature {done} after that was turned, not from the "
            "one that came in.", "keep a copy of both features of the pair before the first is written.")


def _mirrored(pair):
    return (f"Pair {pair} is mirrored, not turned: at position 0 one of its features comes back with the other sign.",
            "both cosines have the same sign, the sines opposite ones: y0 = x0 cos - x1 sin, y1 = x0 sin + x1 cos.")


def _read_rows(turns, notes):
    """Row by row: rows of a pair that turn each by an angle of their own are the mark of two layouts mixed."""
    order = np.argsort(turns.outputs.ravel())
    cosines, sines = _rows(turns.blocks, order)
    cosine_of, sine_of = _pairing(cosines), _pairing(np.abs(sines))
    swap = "halves" if np.ptp(turns.inputs[0]) > 1 else "neighbours"
    half = len(order) // 2
    if None in (cosine_of, sine_of) or half == 1 or cosine_of == sine_of == swap:
        _blame_unknown(turns, notes)
        turns.read = None
        return
    if cosine_of == sine_of:
        a, b = (number(abs(float(np.arctan2(s, c)))) for s, c in ((-turns.blocks[1, 0, 0, 1], turns.blocks[1, 0, 0, 0]),
                                                                   (turns.blocks[1, 0, 1, 0], turns.blocks[1, 0, 1, 1])))
        words = (f"The angles belong to {_words(cosine_of, half)}, the swap is that of {swap}: at position 1 feature "
                 f"{turns.outputs[0, 0]} is turned by {a} rad and its partner {turns.outputs[0, 1]} by {b}.")
    else:
        words = f"The cosines belong to {_words(cosine_of, half)}, the sines to {_words(sine_of, half)}."
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
    change = np.abs(np.linalg.norm(turns.blocks, axis=-1) - 1).max()
    notes.blame("not a rotation", f"What pair ({turns.inputs[pair, 0]}, {turns.inputs[pair, 1]}) does at position 1, [[{rows}]], is no rotation, in no layout "
                f"known here; a feature's length changes by up to {small(change)}.",
                "y0 = x0 cos - x1 sin, y1 = x0 sin + x1 cos, with one angle for both: compare with `rotation_matrix`.")


def _same(*pairs):
    return all(np.abs(one - other).max() < SAME for one, other in zip(pairs[::2], pairs[1::2]))

