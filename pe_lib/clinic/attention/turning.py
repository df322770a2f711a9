"""From measured scores to rotations: which features turn together, by which angle, and what positions that amounts to."""

from typing import NamedTuple

import numpy as np

from pe_lib.clinic.notes import number
from pe_lib.clinic.rotary.positions import wrap

TURN = 2 * np.pi


class Side(NamedTuple):
    """How the queries, or the keys, are turned."""

    pairs: tuple  # ((first, second), ...), fastest feature order as found
    angles: np.ndarray  # (n, pairs), radians; row 0 is 0: the first key's own turn cannot be seen
    orthogonal: float  # largest deviation of M^T M from the identity
    moved: float  # largest deviation of M from the identity
    sample: np.ndarray  # M of row 2
    inner: tuple = ()  # pairs of M M_1^T, where there are none of M: turned, and then mixed by one matrix for all rows


class Law(NamedTuple):
    """angles[i] = position[i] * speeds: the positions and speeds that explain a side, but for noise."""

    positions: np.ndarray  # (n,)
    speeds: np.ndarray  # (pairs,), signed
    by: str  # "given", "counted" by rows, or "solved" for speeds that were guessed
    noise: float = 0.0  # radians


def sides(scores, scale):
    """Matrices (n, d, d) of queries and of keys. The first key stands at position 0 and is not turned, so what it meets is the
    query's turn."""
    n = len(scores)
    q = np.stack([scores[max(i, 1), 0].T for i in range(n)]) / scale  # Q_i = S(i, 0)^T
    q[0] = np.eye(q.shape[-1])
    inverse = np.linalg.pinv(np.swapaxes(q, -1, -2))
    keys = np.stack([inverse[i] @ scores[i, i] / scale for i in range(n)])  # S(i, j) = Q_i^T K_j, for the key of the same row
    keys[0] = np.eye(q.shape[-1])
    return q, keys


def side_of(matrices):
    dim = matrices.shape[-1]
    pairs = pairs_of(matrices)
    inner = () if pairs else pairs_of(matrices[1:] @ matrices[1].T)
    angles = np.array([[np.arctan2(m[b, a] - m[a, b], m[a, a] + m[b, b]) for a, b in pairs] for m in matrices])
    gram = np.swapaxes(matrices, -1, -2) @ matrices
    return Side(pairs, angles.reshape(len(matrices), len(pairs)), np.abs(gram - np.eye(dim)).max(),
                np.abs(matrices - np.eye(dim)).max(), matrices[min(2, len(matrices) - 1)], inner)


def pairs_of(matrices):
    off = matrices * (1 - np.eye(matrices.shape[-1]))
    even, odd = (off + np.swapaxes(off, -1, -2)) / 2, (off - np.swapaxes(off, -1, -2)) / 2
    noise = max(np.abs(even).max(), 1e-11)
    partners = [np.flatnonzero(row > 20 * noise) for row in np.abs(odd).max(axis=0)]
    single = all(len(p) <= 1 for p in partners)
    return tuple((a, int(p[0])) for a, p in enumerate(partners) if len(p) and a < p[0]) if single else ()


def layout_of(pairs, dim):
    """"interleaved", "half", or None; with the features that turn, as (first, width)."""
    if not pairs:
        return None, (0, 0)
    features = sorted(f for pair in pairs for f in pair)
    first, width = features[0], len(features)
    if features != list(range(first, first + width)):
        return None, (first, width)
    if all(b == a + 1 and (a - first) % 2 == 0 for a, b in pairs):
        return "interleaved", (first, width)
    if all(b == a + width // 2 for a, b in pairs):
        return "half", (first, width)
    return None, (first, width)


def law_of(angles, given, guesses):
    """The Law behind angles (n, pairs) with angles[0] = 0; None if none is found. guesses: speeds to try, (pairs,) each."""
    for by, positions in (("given", given), ("counted", np.arange(len(given)))):
        measured = _speeds(angles, positions)
        off = np.abs(wrap(angles - positions[:, None] * measured)).max(axis=0)
        if off.max() < 1e-2:
            return Law(positions.astype(float), measured, by, off.max())
    for speeds in (sign * guess for guess in guesses if len(guess) == angles.shape[1] for sign in (1, -1)):
        solved = np.array([position_of(row, speeds) for row in angles])
        if _explains(angles, solved, speeds) and np.cov(solved[1:], given[1:])[0, 1] >= 0:
            return Law(solved, speeds, "solved")
    return None


def _speeds(angles, positions):
    """Radians a position, from the first step on to the last, which is the most exact."""
    speeds = angles[1] / positions[1]
    for row, position in zip(angles[2:], positions[2:]):
        speeds = speeds + wrap(row - position * speeds) / position
    return speeds


def _explains(angles, positions, speeds):
    return np.abs(wrap(angles - positions[:, None] * speeds)).max() < 1e-2


def position_of(angles, speeds):
    """The position at which pairs with these speeds show these angles: slow pairs say roughly where, fast ones exactly."""
    order = np.argsort(np.abs(speeds))
    position = angles[order[0]] / speeds[order[0]]
    for pair in order[1:]:
        turns = np.round((position * speeds[pair] - angles[pair]) / TURN)
        position = (angles[pair] + turns * TURN) / speeds[pair]
    return position


def words_for(positions, given):
    """What positions were used instead of the given ones, in words: (kind, words); kind None if they are the given ones."""
    index, later = np.arange(len(given)), slice(1, None)
    used, right = positions[later], given[later]
    if _close(used, right):
        return None, "its position"
    if _close(used, index[later]):
        return "counted", f"the row's number: the token given position {given[2]} is turned as position 2"
    if _close(used - right, (used - right)[0]):
        by = (used - right)[0]
        return "shifted", f"{number(abs(by))} position{'' if abs(by) == 1 else 's'} too {'many' if by > 0 else 'few'}"
    if _close(used, used[0]):
        return "fixed", f"the fixed position {number(used[0])}"
    factors = used / right
    if _close(factors, factors[0]):
        return "times", f"{number(factors[0])} times the position"
    return "other", f"positions {', '.join(number(p) for p in positions)} where {', '.join(map(str, given))} were given"


def _close(a, b):
    return np.allclose(a, b, atol=1e-3, rtol=1e-4)
