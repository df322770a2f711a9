"""How scores grow with the length of q and k: in proportion, up to a soft cap, or not at all where both are normalised."""

import numpy as np

from pe_lib.clinic.attention.weights import logs
from pe_lib.clinic.notes import number

LARGE = 12.0  # scores that a cap bends; softmax still leaves weights that can be read


def examine_growth(sheet, reader):
    """A query three times as long has scores three times as large. -> the reader, taught what is done to scores; None if they
    grow otherwise and so cannot be read."""
    one = _scores(reader, 1, 1)
    if np.linalg.norm(one) < 1e-6:
        sheet.find("scores grow with q", True, "no scores")
        return reader
    growth, other = (np.linalg.norm(_scores(reader, *factors)) / np.linalg.norm(one) for factors in ((3, 1), (1, 3)))
    if abs(growth - 1) < 0.02 and abs(other - 1) < 0.02:
        sheet.find("scores grow with q", None, "neither with q nor with k")
        sheet.name("q and k are normalised inside (query-key norm)")
        return reader._replace(normed=True)
    factor = 2.0 ** max(2, np.floor(np.log2(LARGE / np.abs(one).max())))  # a power of two: short formats round alike
    far = _scores(reader, factor, 1)
    lopsided = (abs(growth - 1) < 0.02) != (abs(other - 1) < 0.02)
    straight = np.abs(far - factor * one).max() < 1e-3 * np.abs(far).max()
    cap = 0.0 if straight else _cap(one, _scores(reader, 3, 1), far, factor)
    if cap and not lopsided:
        sheet.find("scores grow with q", True, f"up to {number(cap)}")
        sheet.name(f"scores are capped at {number(cap)} by tanh (soft cap)")
        return reader._replace(cap=cap)
    good = not lopsided and (straight or abs(growth - 3) < 0.02)
    sheet.judge("scores grow with q", not good, f"3 times as long, {number(growth, 3)} times as large", "other scores",
                *_words(growth, other, lopsided))
    return reader if good or lopsided else None


def _words(growth, other, lopsided):
    if lopsided:
        side, still = ("key", "query") if growth > other else ("query", "key")
        return (f"A {still} three times as long has scores {number(max(growth, other), 3)} times as large, a {side} three times as "
                f"long {number(min(growth, other), 3)} times: only one of the two is normalised.", "Normalise both, or neither.")
    return (f"A query three times as long has scores {number(growth, 3)} times as large: they are bent, by no tanh known here.",
            "Score = q·k / sqrt(d). Whatever else is done to q and k belongs before the call.")


def _scores(reader, longer, taller):
    """Scores of the keys 1, 2, ... against key 0, which is zero; q and k are unit vectors times the two factors."""
    n = len(reader.positions)
    q, k = np.zeros((2, n, reader.dim))
    q[:, 0], k[1:, 0] = longer, taller
    score = logs(reader.weights(q, k, reader.positions)) - logs(reader.weights(q, 0 * k, reader.positions))
    none = logs(reader.weights(0 * q, k, reader.positions)) - logs(reader.weights(0 * q, 0 * k, reader.positions))
    return np.nan_to_num((score - none - (score - none)[:, [0]])[np.tril_indices(n, -1)])


def _cap(one, three, far, factor):
    """c if scores are c tanh(score / c): found from the largest, and held against all others; 0 if they are not."""
    top = int(np.argmax(np.abs(far)))
    low, high = np.abs(far[top]) * (1 + 1e-9), 1e4

    def bent(c, times, scores):
        return c * np.tanh(times * np.arctanh(np.clip(scores / c, -1 + 1e-15, 1 - 1e-15)))

    for _ in range(80):
        middle = np.sqrt(low * high)
        low, high = (low, middle) if abs(bent(middle, factor, one[top])) > abs(far[top]) else (middle, high)
    held = (np.abs(bent(low, times, one) - scores).max() < 3e-3 * np.abs(scores).max() for times, scores in ((3, three), (factor, far)))
    return float(low) if low < 5e3 and all(held) else 0.0
