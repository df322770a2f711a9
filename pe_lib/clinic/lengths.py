"""How large scores are, and whether lengths follow the position, as with xPos."""

import numpy as np

from pe_lib.clinic.notes import number
from pe_lib.clinic.turning import pairs_of


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
