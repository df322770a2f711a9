"""How large scores are, whether lengths follow the position, as with xPos, and what changes lengths without being a rotation."""

import numpy as np

from pe_lib.clinic.attention.turning import pairs_of
from pe_lib.clinic.notes import number


def size_of(scores):
    """What q·k is multiplied by: of a token with itself where that is one number, negative where all of it is turned around."""
    dim, rows = scores.shape[-1], np.arange(1, len(scores))
    own, first = (np.linalg.norm(part, axis=(-2, -1)) / dim**0.5 for part in (scores[rows, rows], scores[rows, 0]))
    own, first = own[np.isfinite(own)], first[np.isfinite(first)]
    if not first.size:
        return 0.0
    scale = np.median(own) if own.size and np.ptp(own) < 1e-2 * own.max() else np.median(first)
    traces = np.trace(scores[rows, rows], axis1=-2, axis2=-1) / dim
    return -scale if (traces < -0.99 * scale).all() else scale


def gains_of(scores):
    """(gains of q, gains of k), (dim,) each, of a norm with gains: what a token's score with itself shows by features, shared out
    so that the two features of a pair are turned by one angle. None if there are none."""
    rows = np.arange(1, len(scores))
    own = scores[rows, rows]
    size = np.median(np.diagonal(own, axis1=-2, axis2=-1), axis=0)
    off = np.abs(own - np.diag(size)).max()
    if not (size > 0).all() or not off < 1e-2 * size.max() or np.ptp(size) < 1e-2 * size.max():
        return None
    of_q = np.sqrt(size)
    first = np.abs(scores[rows, 0]).max(axis=0)
    for a, b in enumerate((first * (1 - np.eye(len(size)))).argmax(axis=1)):
        if a < b and min(first[a, b], first[b, a]) > 1e-6 * size.max():
            of_q[b] = np.sqrt(size[b] * first[b, a] / first[a, b])
    scale = np.exp(np.log(size).mean() / 2)
    return of_q / scale, size / of_q / scale


def row_factors(matrices):
    """(rotations, factors): how much longer whole rows are, growing from row to row as with log-n scaling; factors None where
    they are not."""
    sizes = np.linalg.norm(matrices, axis=(-2, -1)) / matrices.shape[-1] ** 0.5
    turned = matrices / sizes[:, None, None]
    off = np.abs(np.swapaxes(turned, -1, -2) @ turned - np.eye(matrices.shape[-1])).max()
    grows = (np.diff(sizes[1:]) > -1e-6).all() and sizes[-1] > 1.02 * sizes[1]
    return (turned, sizes) if off < 1e-2 and grows else (matrices, None)


def growth_of(matrices, positions):
    """(matrices of rotations, rates, factor): pairs that grow by factor * exp(rate * position) beside turning; rates None where
    they do not."""
    pairs = pairs_of(matrices)
    if not pairs:
        return matrices, None, 1.0
    first, second = np.array(pairs).T
    lengths = np.hypot(matrices[:, first, first] + matrices[:, second, second],
                       matrices[:, second, first] - matrices[:, first, second]) / 2
    logs, places = np.log(np.maximum(lengths[1:], 1e-12)), positions[1:, None]
    rates = (logs[-1] - logs[0]) / (places[-1] - places[0])
    start = logs[0] - rates * places[0]
    off = np.abs(logs - start - rates * places).max()
    if np.ptp(logs, axis=0).max() < 1e-2 or off > 1e-2 * np.abs(logs).max() + 1e-4 or np.ptp(start) > 1e-2 * np.abs(logs).max() + 1e-4:
        return matrices, None, 1.0
    each = np.ones(matrices.shape[:2])
    each[:, first], each[:, second] = lengths, lengths
    each[1:, np.setdiff1d(np.arange(each.shape[1]), [first, second])] = np.exp(start.mean())
    return matrices / each[:, None, :], rates, np.exp(start.mean())


def judge_growth(sheet, q, k, positions):
    """Rates of queries and keys, None for none -> those of the queries if keys make good for them, as with xPos; else 0."""
    if q is None and k is None:
        return 0.0
    if q is not None and k is not None and q.shape == k.shape and np.abs(q + k).max() < 1e-2 * np.abs(q).max():
        sheet.find("length", None, "queries grow as keys shrink, or the other way round")
        sheet.name("lengths follow the position, on both sides against each other (xPos)")
        return q
    rates, which = (q, "queries") if q is not None else (k, "keys")
    pair = int(np.argmax(np.abs(rates)))
    sheet.judge("length", True, f"{which} grow or shrink", "length follows the position",
                f"Pair {pair} of the {which} is {number(np.exp(rates[pair] * positions[-1]), 3)} times as long at position "
                f"{positions[-1]}, and the other side does not make good for it.",
                "A rotation keeps lengths; xPos is right only where queries grow as keys shrink.")
    return 0.0


def no_rotation(matrix):
    """(key, words) of a matrix that changes lengths or angles."""
    off = matrix * (1 - np.eye(len(matrix)))
    even, odd = np.abs(off + off.T).max() / 2, np.abs(off - off.T).max() / 2
    a = int(np.abs(matrix - np.eye(len(matrix))).max(axis=1).argmax())
    b = int(np.abs(off[a]).argmax())
    if max(even, odd) < 1e-6:
        return "sine lost", f"feature {a} is multiplied by a cosine, and its partner times the sine is missing"
    if odd < 1e-3 * even:
        return "same sign", f"features {a} and {b} are mixed by the same sine, where one of the two needs a minus"
    step = next((2.0**-bits for bits in range(2, 11) if np.abs(matrix * 2**bits - np.rint(matrix * 2**bits)).max() < 1e-4), None)
    if step:
        return "rounded", f"every number is a multiple of {number(step)}, and lengths change: it is rounded to a grid, or to few bits"
    angles = [np.arctan2(abs(matrix[x, y]), matrix[x, x]) for x, y in ((a, b), (b, a))]
    lone = np.count_nonzero(np.abs(off[a]) > 1e-3 * odd) == 1 and abs(np.hypot(matrix[a, a], matrix[a, b]) - 1) < 2e-2
    if lone and abs(angles[0] - angles[1]) > 0.02:
        return "mixed layouts", (f"at row 2 feature {a} is turned by {number(angles[0], 3)} radians and its partner {b} by "
                                 f"{number(angles[1], 3)}")
    return "not a rotation", "squared lengths or angles change, in no pattern known here"
