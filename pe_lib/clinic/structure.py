"""Which features turn together, and whether what they do is a rotation."""

from dataclasses import dataclass

import numpy as np

from pe_lib.clinic.notes import number, small
from pe_lib.layouts import LAYOUTS, feature_pairs

SAME = 1e-3  # half precision rounds finer; a wrong formula is further off


@dataclass
class Turns:
    """What was read from the matrices: pairs of features and the angle of each at the positions 0, 1, 2, ..."""

    inputs: np.ndarray  # (pairs, 2): the features that come in
    outputs: np.ndarray  # (pairs, 2): the features they come out at
    still: np.ndarray  # the features that pass through
    blocks: np.ndarray  # (count, pairs, 2, 2): y[outputs] = block @ x[inputs]
    read: object = None  # blocks -> the angle of each pair, radians, counter-clockwise
    rotation: bool = False  # no fault in the blocks
    mixed: bool = False  # rows of a pair turn by angles of their own
    gain: float = 1.0  # the length that every turned row is given

    @property
    def pair(self):
        return f"({self.inputs[0, 0]}, {self.inputs[0, 1]})"

    @property
    def phi(self):
        """(count, pairs): the angles at the positions 0, 1, 2, ..."""
        return self.read(self.blocks)

    def blocks_at(self, probe, positions, dtype=np.float64):
        """(len(positions), pairs, 2, 2), from two calls: all first features 1, then all second ones."""
        blocks = np.empty((len(positions), len(self.inputs), 2, 2))
        for column in (0, 1):
            x = np.zeros(probe.dim)
            x[self.inputs[:, column]] = 1
            blocks[..., column] = probe.turned(x, positions, dtype)[:, self.outputs] / self.gain
        return blocks


def read_turns(matrix, notes):
    """The turns, or None where the features do not come in pairs. Faults go into the notes."""
    for tolerance in (1e-12, 1e-6):
        support = np.abs(matrix).max(axis=0) > tolerance
        groups = components(support)
        if all(len(rows) <= 2 and len(columns) <= 2 for rows, columns in groups):
            break
    groups = _with_pair_0(groups, len(support))
    alone = [(rows[0], columns[0]) for rows, columns in groups if len(rows) == len(columns) == 1]
    still = [(row, column) for row, column in alone if np.abs(matrix[:, row, column] - 1).max() < SAME]
    pairs = [group for group in groups if len(group[0]) == len(group[1]) == 2]
    if len(still) == len(matrix[0]):
        if "something is added" not in notes.keys:  # an additive encoding
            notes.blame("does not turn", "x comes back unchanged at every position.",
                        "multiply by cosine and sine of position * inv_freq, and return the result, not x.")
    elif len(still) + 2 * len(pairs) < len(matrix[0]):
        _blame_no_pairs(matrix, groups, alone, notes)
    else:
        return _turns(matrix, pairs, still)
    return None


def components(support):
    """Rows and columns that hang together through the entries of the matrix that are ever other than 0."""
    groups, unseen = [], set(range(len(support)))
    while unseen:
        columns, rows = {min(unseen)}, set()
        while True:
            more_rows = set(np.flatnonzero(support[:, sorted(columns)].any(axis=1)).tolist())
            more_columns = columns | set(np.flatnonzero(support[sorted(more_rows)].any(axis=0)).tolist())
            if (more_rows, more_columns) == (rows, columns):
                break
            rows, columns = more_rows, more_columns
        groups.append((sorted(rows), sorted(columns)))
        unseen -= columns
    return groups


def _with_pair_0(groups, dim):
    """A first pair that comes full circle at every position stands still: its partners are then known from the others."""
    pairs = [columns for rows, columns in groups if len(columns) == 2 and rows == columns]
    for layout in LAYOUTS:
        whole = feature_pairs(dim, layout).tolist()
        if (dim > 4 or layout == "half") and dim > 2 and pairs == whole[1:]:
            return [(whole[0], whole[0])] + [group for group in groups if group[0][0] not in whole[0]]
    return groups


def _turns(matrix, pairs, still):
    inputs, outputs = np.array([pair[1] for pair in pairs]), np.array([pair[0] for pair in pairs])
    blocks = matrix[:, outputs[:, :, None], inputs[:, None, :]]
    if (outputs != inputs).any():  # out of place: the first of the two that come out is not known by its number
        turned = [_rotation_error(blocks[:, i]) <= _rotation_error(blocks[:, i, ::-1]) for i in range(len(pairs))]
        outputs = np.where(np.array(turned)[:, None], outputs, outputs[:, ::-1])
        blocks = matrix[:, outputs[:, :, None], inputs[:, None, :]]
    return Turns(inputs, outputs, np.array(still, int).reshape(-1, 2), blocks)


def _rotation_error(block):
    return max(np.abs(block[:, 0, 0] - block[:, 1, 1]).max(), np.abs(block[:, 0, 1] + block[:, 1, 0]).max())


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
    elif _same(s1, none) or _same(s2, none):
        turns.read = _from_second if _same(s1, none) else _from_first
        notes.blame("sine lost", *_lost("sine", turns.inputs[0, int(_same(s2, none))], turns.pair))
    elif _same(c1, none) or _same(c2, none):
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
    if off > 1e-6 and np.abs(growth - p * growth[-1] / p[-1]).max() < 0.05 * off:
        notes.blame("length follows the position", f"Pair {pair} is {number(lengths[-1, pair])} times as long at position {p[-1, 0]}, "
                    "and so on: lengths grow or shrink with the position, as with xPos.",
                    "a rotation keeps lengths; xPos is right only where queries grow as keys shrink.")
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
                 f"{turns.outputs[0, 0]} is turned by {a} radians and its partner {turns.outputs[0, 1]} by {b}.")
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
    block = turns.blocks[1, 0] + 0.0
    rows = "], [".join(", ".join(number(entry, 3) for entry in row) for row in np.where(np.abs(block) < 1e-12, 0, block))
    change = np.abs(np.linalg.norm(turns.blocks, axis=-1) - 1).max()
    notes.blame("not a rotation", f"What pair {turns.pair} does at position 1, [[{rows}]], is no rotation, in no layout "
                f"known here; a feature's length changes by up to {small(change)}.",
                "y0 = x0 cos - x1 sin, y1 = x0 sin + x1 cos, with one angle for both: compare with `rotation_matrix`.")


def _blame_no_pairs(matrix, groups, alone, notes):
    diagonal = np.einsum("pii->pi", matrix)
    moving = [row for row, column in alone if row == column and np.ptp(matrix[:, row, column]) > SAME]
    if len(alone) == len(matrix[0]) and all(row == column for row, column in alone) and np.abs(diagonal).max() < 1.02:
        notes.blame("sine lost", f"Feature {moving[0]} is multiplied by {number(diagonal[1, moving[0]])} at position 1 and no "
                    "feature gets anything from a partner: cosines without sines.",
                    "add the partner's sine: y0 = x0 cos - x1 sin, y1 = x0 sin + x1 cos.")
        return
    if len(alone) == len(matrix[0]) and all(row != column for row, column in alone):
        row, column = alone[0]
        notes.blame("cosine lost", f"Feature {row} is made from feature {column} alone, and nothing is left of its own.",
                    "add x * cos: y0 = x0 cos - x1 sin, y1 = x0 sin + x1 cos.")
        return
    rows, columns = max(groups, key=lambda group: (len(group[0]) != len(group[1]), len(group[1]) != 2, len(group[1])))
    row = rows[0] if rows else None
    draws = np.flatnonzero(np.abs(matrix[:, row]).max(axis=0) > 1e-6).tolist() if rows else []
    if not rows:
        words = f"Feature {columns[0]} of x is used nowhere in the result."
    elif not draws:
        words = f"Feature {row} of the result is always 0."
    else:
        words = f"Feature {row} is made of features {_listed(draws)}, and the features do not fall into pairs."
    notes.blame("no pairs", words + " In no layout known here is this a rotation.",
                "each feature mixes with one partner and the partner with it: (0, 1), (2, 3), ... or (0, d/2), (1, d/2 + 1), ...")


def _listed(values):
    values = [str(value) for value in values]
    return " and ".join(values) if len(values) < 3 else ", ".join(values[:3]) + (" ..." if len(values) > 3 else "")


def _same(*pairs):
    return all(np.abs(one - other).max() < SAME for one, other in zip(pairs[::2], pairs[1::2]))

