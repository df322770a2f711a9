"""The output is a mixture of the values and nothing else, and equal keys are mixed in equal parts."""

import numpy as np

from pe_lib.clinic.attention.turning import side_of
from pe_lib.clinic.attention.weights import SEEN, logs, sample, split, transfer
from pe_lib.clinic.notes import number
from pe_lib.clinic.sheet import Unusable, size


def examine_values(sheet, reader):
    """Values are mixed and otherwise left as they are -> the reader, taught what is done to them, and weights of equal keys."""
    moved, idle = transfer(reader, reader.positions)
    dim, n = reader.dim, len(reader.positions)
    _nothing_added(reader, idle)
    weights, each = split(moved)
    if np.nan_to_num(weights).max() < 1e-9:
        _no_weight(reader)
    off = np.abs(each - np.eye(dim))
    if not np.nanmax(off) > 2e-3:
        weights = np.trace(moved, axis1=-2, axis2=-1) / dim
        _straight(sheet, reader, weights, np.nanmax(off))
        return reader, weights
    seen = [np.flatnonzero(np.isfinite(each[:, j, 0, 0])) for j in range(n)]
    own = np.array([each[rows[0], j] if rows.size else np.eye(dim) for j, rows in enumerate(seen)])
    if not np.nanmax(np.abs(each - own)) < 2e-3:
        raise Unusable("values changed", "What becomes of a value depends on the query that looks at it: it does not come "
                                         "out as it went in.",
                       "Output = weights @ v. (Turned by its own position and back by the query's, a value does this.)")
    if np.linalg.cond(own).max() > 1e6:
        raise Unusable(*_value_words(own, reader.positions))
    sheet.judge("values as they are", True, "changed", *_value_words(own, reader.positions))
    if not np.abs(np.swapaxes(own, -1, -2) @ own - np.eye(dim)).max() < 2e-3:  # how much is weight, how much is value?
        total = np.nanmedian(weights.sum(axis=1))
        own, weights = own * total, weights / total
    return reader._replace(values=np.linalg.inv(own)), weights


def _nothing_added(reader, idle):
    """Outputs for values of zero are zero, or Unusable."""
    if np.isnan(idle).all(axis=-1).any() and np.isfinite(reader.run(*sample(len(idle), reader.dim), reader.positions)).all():
        raise Unusable("not finite", "Keys of zero give NaN: 0/0, perhaps where q and k are brought to length 1.",
                       "Divide by the length plus a small number, or by the larger of the two.")
    if np.abs(np.nan_to_num(idle)).max() > 1e-6:
        raise Unusable("something added", f"With values of zero the output is {number(np.nanmax(np.abs(idle)), 3)}, not zero.",
                       "The output is a mixture of values and nothing else: no bias, no residual.")


def _straight(sheet, reader, weights, off):
    """Other values than unit vectors, negative ones among them, are mixed in the same way."""
    _, _, v = sample(len(weights), reader.dim)
    q = np.random.default_rng(1).normal(size=v.shape)  # as for the weights
    wrong = np.nanmax(np.abs(reader.run(q, 0 * q, v, reader.positions) - weights @ v))
    sheet.judge("values as they are", wrong > 0.1, f"largest change {size(wrong if wrong > 0.1 else off)}", "values changed",
                f"The output for values of either sign is off by up to {number(wrong, 2)} from the mixture that unit vectors show: "
                "something is done to the values (an absolute value, a cut at zero).", "Output = weights @ v.")


def _no_weight(reader):
    """Nothing of the values comes out where all keys are zero: why?"""
    q, k, v = sample(len(reader.positions), reader.dim)
    if np.abs(reader.run(q, k, 0 * v, reader.positions)).max() > 1e-6:
        raise Unusable("k and v exchanged", "With values of zero the output follows the keys: the two are exchanged.",
                       "Score q against k, and mix v.")
    if np.abs(reader.run(q, k, v, reader.positions) - reader.run(q, k, 0 * v, reader.positions)).max() > 1e-6:
        raise Unusable("no softmax", "Keys of zero leave no weight at all, so the weights are no exponentials of the scores.",
                       "weights = softmax(scores): exp, divided by its sum along the keys.")
    raise Unusable("no values", "The output does not depend on the values.", "Output = weights @ v.")


def _value_words(own, positions):
    turned = side_of(own)
    if turned.orthogonal < 1e-2 and turned.pairs:
        (a, b), row = turned.pairs[0], 2
        return ("values turned", f"Values are turned by position: at position {positions[row]}, features {a} and {b} by "
                f"{number(turned.angles[row, 0])} radians.", "Only q and k are turned; v goes into the mixture as it came.")
    j = int(np.argmax(np.abs(own - np.eye(own.shape[-1])).max(axis=(-2, -1))))
    return ("values changed", f"Values do not come out as they went in: that of row {j} is multiplied by a matrix that "
                              "differs from "
            f"the identity by up to {number(np.abs(own[j] - np.eye(own.shape[-1])).max(), 2)}.", "Output = weights @ v.")


def examine_equal_keys(sheet, reader, weights):
    """Keys of zero have equal scores, whatever the query: what is left is a bias, or positions that were added. False if no
    query's weights are its own."""
    seen = np.tril(weights > SEEN)
    spread = [np.ptp(row[mask]) / row[mask].max() for row, mask in zip(weights, seen) if mask.sum() > 1]
    worst = max(spread, default=0)
    by_query = logs(reader.weights(*np.zeros((2, len(weights), reader.dim)), reader.positions)) - logs(weights)
    content = np.nanmax(np.where(seen, np.abs(by_query - by_query[:, [0]]), 0))
    why = "positions are added to the keys" if content > 1e-3 else "a bias is added to the scores"
    sheet.judge("equal keys, equal weights", worst > 1e-3, f"largest difference {size(worst)}",
                "positions added" if content > 1e-3 else "bias",
                f"Keys of zero get weights that differ by {number(100 * worst, 3)} %: {why}.",
                "Rotary encoding turns q and k and adds nothing.")
    return worst > 1e-3 or _own_query(sheet, reader, seen)


def _own_query(sheet, reader, seen):
    """A query of zero weighs all keys alike, whatever the other queries are."""
    q, k, _ = sample(len(seen), reader.dim)
    q[1:] = 0
    weights = np.where(seen, reader.weights(q, k, reader.positions), np.nan)[1:]
    spread = np.nanmax(np.nanmax(weights, axis=1) - np.nanmin(weights, axis=1))
    if spread > 1e-3:
        sheet.judge("its own query", True, f"differs by {size(spread)}", "q and k exchanged",
                    "The weights of a query of zero are not equal: they follow another row's query, as if q and k were "
                    "exchanged.",
                    "Score i, j is q[i]·k[j].")
    return not spread > 1e-3
