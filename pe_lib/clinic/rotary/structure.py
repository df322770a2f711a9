"""Which features turn together, and whether what they do is a rotation."""

from dataclasses import dataclass

import numpy as np

from pe_lib.clinic.notes import number
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
    growing: bool = False  # but for the length, which follows the position, it is a rotation
    mixed: bool = False  # rows of a pair turn by angles of their own
    gain: float = 1.0  # the length that every turned row is given

    @property
    def pair(self):
        return f"({self.inputs[0, 0]}, {self.inputs[0, 1]})"

    @property
    def phi(self):
        """(count, pairs): the angles at the positions 0, 1, 2, ..."""
        return self.read(self.blocks)

    def blocks_at(self, probe, positions, dtype=None):
        """(len(positions), pairs, 2, 2), from one call with the positions twice: all first features 1, then all second ones."""
        x = np.zeros((2, len(positions), probe.dim))
        for column in (0, 1):
            x[column][:, self.inputs[:, column]] = 1
        y = probe.turned(x.reshape(-1, probe.dim), np.tile(positions, 2), dtype)
        return np.stack(np.split(y[:, self.outputs], 2), axis=-1) / self.gain


def read_turns(matrix, notes):
    """The turns, or None where the features do not come in pairs. Faults go into the notes."""
    for tolerance in (1e-12, 1e-6):
        support = np.abs(matrix).max(axis=0) > tolerance
        groups = components(support)
        if all(len(rows) <= 2 and len(columns) <= 2 for rows, columns in groups):
            break
    groups = _with_one_that_stands(groups, len(support))
    alone = [(rows[0], columns[0]) for rows, columns in groups if len(rows) == len(columns) == 1]
    still = [(row, column) for row, column in alone if np.abs(matrix[:, row, column] - 1).max() < SAME]
    pairs = [group for group in groups if len(group[0]) == len(group[1]) == 2]
    if len(still) == len(matrix[0]):
        _blame_none_turns(still, notes)
    elif len(still) + 2 * len(pairs) < len(matrix[0]):
        _blame_no_pairs(matrix, groups, alone, notes)
    else:
        return _turns(matrix, pairs, still)
    return None


def _blame_none_turns(still, notes):
    notes.find("pairs turn as one", False, "no feature turns")
    moved = [(row, column) for row, column in still if row != column]
    if moved:
        notes.blame("output order", f"No feature turns, and feature {moved[0][1]} comes back as feature {moved[0][0]} at every position.",
                    "multiply by cosine and sine of position * inv_freq, and write each feature to its own place.")
    elif "something is added" not in notes.keys:  # an additive encoding
        notes.blame("does not turn", "x comes back unchanged at every position.",
                    "multiply by cosine and sine of position * inv_freq, and return the result, not x.")


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


def _with_one_that_stands(groups, dim):
    """One pair that stands still, as one that comes full circle at every position: its partners are known from the others."""
    pairs = [columns for rows, columns in groups if len(columns) == 2 and rows == columns]
    for layout in LAYOUTS:
        whole = feature_pairs(dim, layout).tolist()
        missing = [pair for pair in whole if pair not in pairs]
        known = dim > 4 or layout == "half" and dim > 2
        if known and len(pairs) + 1 == len(whole) and len(missing) == 1 and missing[0] != whole[-1]:
            m = whole.index(missing[0])
            return [(pair, pair) for pair in whole[: m + 1]] + [
                group for group in groups if group[0][0] not in missing[0] and group[0] not in whole[:m]]
    return groups


def _turns(matrix, pairs, still):
    inputs, outputs = np.array([pair[1] for pair in pairs]), np.array([pair[0] for pair in pairs])
    blocks = matrix[:, outputs[:, :, None], inputs[:, None, :]]
    straight, across = np.abs(blocks[0, :, [0, 1], [0, 1]]).mean(), np.abs(blocks[0, :, [0, 1], [1, 0]]).mean()
    if (outputs == inputs).all() and across > straight and _rotation_error(blocks) > SAME > _rotation_error(blocks[..., ::-1, :]):
        outputs = outputs[:, ::-1]  # the two features of every pair have changed places
        blocks = blocks[..., ::-1, :]
    elif (outputs != inputs).any():  # out of place: the first of the two that come out is not known by its number
        turned = [_rotation_error(blocks[:, i]) <= _rotation_error(blocks[:, i, ::-1]) for i in range(len(pairs))]
        outputs = np.where(np.array(turned)[:, None], outputs, outputs[:, ::-1])
        blocks = matrix[:, outputs[:, :, None], inputs[:, None, :]]
    return Turns(inputs, outputs, np.array(still, int).reshape(-1, 2), blocks)


def _rotation_error(block):
    return max(np.abs(block[..., 0, 0] - block[..., 1, 1]).max(), np.abs(block[..., 0, 1] + block[..., 1, 0]).max())


def _blame_no_pairs(matrix, groups, alone, notes):
    one_each = len(alone) == len(matrix[0])
    moving = [row for row, column in alone if row == column and np.ptp(matrix[:, row, column]) > SAME]
    if one_each and all(row == column for row, column in alone) and np.abs(matrix).max() < 1.02:
        notes.blame("sine lost", f"Feature {moving[0]} is multiplied by {number(matrix[1, moving[0], moving[0]])} at position 1 and "
                    "no feature gets anything from a partner: cosines without sines.",
                    "add the partner's sine: y0 = x0 cos - x1 sin, y1 = x0 sin + x1 cos.")
    elif one_each and all(row != column for row, column in alone):
        notes.blame("cosine lost", f"Feature {alone[0][0]} is made from feature {alone[0][1]} alone, and nothing is left of its own.",
                    "add x * cos: y0 = x0 cos - x1 sin, y1 = x0 sin + x1 cos.")
    else:
        notes.blame("no pairs", f"{_what_is_odd(matrix, groups)} In no layout known here is this a rotation.",
                    "each feature mixes with one partner and the partner with it: (0, 1), (2, 3), ... or (0, d/2), (1, d/2 + 1), ...")


def _what_is_odd(matrix, groups):
    used = np.abs(matrix).max(axis=0) > 1e-12
    if not used.any():
        return "Nothing of x is in the result."
    if not used.any(axis=0).all():
        return f"Feature {np.argmin(used.any(axis=0))} of x is used nowhere in the result."
    if not used.any(axis=1).all():
        return f"Feature {np.argmin(used.any(axis=1))} of the result is always 0."
    rows, _ = max(groups, key=lambda group: (len(group[0]) != len(group[1]), len(group[1]) != 2, len(group[1])))
    draws = np.flatnonzero(used[rows[0]]).tolist()
    return f"Feature {rows[0]} is made of features {_listed(draws)}, and the features do not fall into pairs."


def _listed(values):
    values = [str(value) for value in values]
    return " and ".join(values) if len(values) < 3 else ", ".join(values[:3]) + (" ..." if len(values) > 3 else "")
