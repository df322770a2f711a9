"""What the weights of a query sum to: 1, or why not: a softmax along the wrong axis, a sink, a factor, a residual."""

import numpy as np

from pe_lib.clinic.attention.masks import CAUSAL
from pe_lib.clinic.attention.weights import SEEN
from pe_lib.clinic.notes import number
from pe_lib.clinic.sheet import size

DIVIDE = "Divide the exponentials by their sum along the keys that are seen, after the mask."


def examine_sums(sheet, reader, weights):
    """Weights (n, n) of equal keys -> the reader, and the weights as a softmax makes them; None for a softmax that is none."""
    n = len(weights)
    seen = np.nan_to_num(weights) > SEEN
    rows, columns = weights.sum(axis=1), weights.sum(axis=0)
    if np.allclose(columns, 1, atol=1e-4) and not np.allclose(rows, 1, atol=1e-4):
        words = (f"The weights of a key sum to 1 over the queries, and those of query {n - 1} over the keys to "
                 f"{number(rows[-1], 3)}.")
        sheet.judge("weights sum to 1", True, "over the queries", "softmax axis", words,
                    "The softmax runs along the keys: axis=-1.")
        return reader, None
    if np.array_equal(seen, np.tri(n, dtype=bool)) and np.allclose(weights[seen], 1 / n, rtol=1e-3):
        words = (f"Query 0 gives its only key the weight {number(weights[0, 0], 3)} and loses the rest: the mask comes after "
                 "the softmax.")
        sheet.judge("weights sum to 1", True, f"row 0 sums to {number(rows[0], 3)}", "mask after softmax", words, CAUSAL)
        return reader, None
    return _divided(sheet, reader, weights, seen)


def _divided(sheet, reader, weights, seen):
    share, rows = _own_share(weights), weights.sum(axis=1)
    if share:
        sheet.judge("weights sum to 1", True, f"beside {number(share, 3)} of the value itself", "residual",
                    f"A token's own value is added to the output, {number(share, 3)} of it, whatever its weight.",
                    "Output = weights @ v; the residual belongs outside.")
        return reader._replace(residual=share), weights - share * np.eye(len(weights))
    off = np.abs(np.nan_to_num(rows[seen.any(axis=1)] - 1)).max(initial=0)
    odd = any(fault.key == "values changed" for fault in sheet.faults)
    if off <= 1e-3 or odd:
        sheet.find("weights sum to 1", None if off > 1e-3 else True, "not measured" if off > 1e-3 else f"largest difference {size(off)}")
        return reader, weights
    return _other_sums(sheet, reader, weights, seen)


def _other_sums(sheet, reader, weights, seen):
    n, rows, counts = len(weights), weights.sum(axis=1), seen.sum(axis=1)
    sink = _sink(reader, counts, rows)
    if sink:
        sheet.find("weights sum to 1", None, "less, by what a sink takes")
        sheet.name("a sink: the sum of the softmax has one more term, 1 (softmax off by one, a sink of logit 0)"
                   if abs(sink - 1) < 1e-3 else f"a sink of logit {number(np.log(sink), 3)} takes part in the softmax")
        return reader, weights
    sheet.judge("weights sum to 1", True, f"row {n - 1} to {number(rows[-1], 3)}", "row sums", *_why(rows, counts))
    return reader, weights


def _own_share(weights):
    """What each query gives its own value beyond what it gives the first one, if that is one number; 0 if it is not."""
    own = np.diagonal(weights)[1:] - weights[1:, 0]
    rest = weights - own[0] * np.eye(len(weights))
    whole = rest.sum(axis=1)
    same = np.ptp(own) < 1e-3 and np.ptp(whole) < 1e-3 and whole.min() > 1e-3 and rest.min() > -1e-6
    return float(own[0]) if same and own[0] > 1e-3 else 0.0


def _sink(reader, counts, rows):
    """exp of the logit of a key that is none; 0 if what is missing is not the same for all rows and lengths."""
    n = len(rows) - 3
    fewer = reader.weights(*np.zeros((2, n, reader.dim)), reader.positions[:n])
    terms = np.concatenate([counts * (1 / rows - 1), (fewer > SEEN).sum(axis=1) * (1 / fewer.sum(axis=1) - 1)])
    return float(terms[0]) if np.isfinite(terms).all() and terms[0] > 1e-3 and np.ptp(terms) < 1e-3 * terms[0] else 0.0


def _why(rows, counts):
    """(sentence, remedy)"""
    i = int(np.nanargmax(np.abs(rows - 1)))
    words = f"The weights of a query do not sum to 1: in row {i} they sum to {number(rows[i], 3)}."
    if np.ptp(rows) < 1e-3 * rows[i]:
        return f"The weights of each query sum to {number(rows[i], 3)}, not to 1: the output is {number(rows[i], 3)} times too " \
               f"{'large' if rows[i] > 1 else 'small'}.", "Output = softmax(scores) @ v, times nothing."
    if (rows > 1 + 1e-3).any() and np.ptp(rows / counts) < 1e-3:
        return words + " Each key counts for itself: nothing is divided by the sum.", DIVIDE
    if rows.max() < 1 + 1e-3:
        return words + " What is missing went to something that is no key: an empty slot, a sink.", DIVIDE
    return words, DIVIDE
