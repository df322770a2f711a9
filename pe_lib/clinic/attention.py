"""A second opinion on attention with rotary positions: values, mask, scale, rotation, and the cache."""

import numpy as np

from pe_lib._validate import even_dim, finite_number, frequency_array, frequency_base, whole_number
from pe_lib.clinic.masks import examine_mask
from pe_lib.clinic.rotation import Wanted, examine_scores
from pe_lib.clinic.notes import number
from pe_lib.clinic.sheet import Sheet, Unusable, size
from pe_lib.clinic.stepping import examine_cache, sample
from pe_lib.clinic.turning import side_of
from pe_lib.clinic.weights import find_form, logs, score_matrices, split, transfer
from pe_lib.layouts import check_layout

POSITIONS = np.array([0, 1, 3, 4, 7, 8, 12])  # with gaps, so that counting the rows is not taken for using the positions
LATE = ("positions ignored", "rows counted")  # often harmless, so named after other faults
UNSTEADY = {"values turned", "values changed", "bias", "positions added", "remembers earlier calls"}  # no use in moving positions then
OTHERS = np.array([0, 2, 3, 6, 7, 9, 10])


def diagnose_attention(attend, *, cached=False, dim=8, base=None, inv_freq=None, layout=None, scale=None, length=32):
    """Anybody's causal attention of one head with rotary positions, measured property by property.

    attend(q, k, v, positions) -> output; q, k, v (n, dim), not rotated; positions (n,); output (n, dim), or (output, weights).
    cached: attend(q, k, v, positions, cache) -> (output, cache), cache None at the start of a sequence and later what the
    last call returned; q, k, v and positions are then those of the new tokens alone. As `pe_lib.cache.attend`, inv_freq bound.
    Functions of (batch, heads, n, dim), (batch, n, heads, dim) or (batch, n, dim) are found out and get sizes 1.
    base, inv_freq, layout: named as conventions, and blamed only if others are asked for. scale, None: 1/sqrt(dim). length: tokens of the longest test of
    a cache; let it reach beyond the place where frequencies switch or a window ends. The cost grows as dim squared.
    -> Report. The function gets copies; what it raises or prints stays inside.

    Weights are read by feeding unit vectors as values, scores as their logarithms, rotations by unit vectors as q and k. What
    happens before q and k come in (a rotation before the projection) or to all positions alike cannot be seen here.
    Raises: ValueError if an argument other than the function is not as above.

    >>> from functools import partial
    >>> from pe_lib.cache import attend
    >>> from pe_lib.frequencies import inverse_frequencies
    >>> diagnose_attention(partial(attend, inv_freq=inverse_frequencies(8)), cached=True).healthy
    True
    """
    wanted = _wanted(attend, dim, base, inv_freq, layout, scale)
    length = whole_number(length, "length", least=8)
    sheet = Sheet(attend)
    sheet.examine(_examine, attend, dim, cached, wanted, length)
    sheet.faults.sort(key=lambda fault: fault.key in LATE)
    return sheet.report()


def _wanted(attend, dim, base, inv_freq, layout, scale):
    if not callable(attend):
        raise ValueError(f"attend must be a function, got {type(attend).__name__}")
    even_dim(dim)
    return Wanted(
        None if inv_freq is None else frequency_array(inv_freq),
        None if base is None else frequency_base(base),
        None if layout is None else check_layout(layout),
        dim**-0.5 if scale is None else finite_number(scale, "scale"),
    )


def _examine(sheet, attend, dim, cached, wanted, length):
    reader = find_form(attend, dim, cached, POSITIONS)
    _housekeeping(sheet, reader)
    reader, weights = _values(sheet, reader)
    q, k, _ = sample(len(POSITIONS), reader.dim)
    good = examine_mask(sheet, weights, reader.weights(q, k, POSITIONS), len(POSITIONS))
    if any(fault.key == "softmax axis" for fault in sheet.faults):
        return
    _equal_keys(sheet, reader, weights)
    scores = score_matrices(reader, POSITIONS)
    size_ = _measured(scores)
    if size_ < 4:
        sheet.find("rotation", None, "to be measured once the mask is mended")
        return
    turning = examine_scores(sheet, scores[:size_, :size_], POSITIONS[:size_], wanted)
    if reader.cached and good:
        examine_cache(sheet, reader, turning, POSITIONS, weights, length)
    if turning is not None and good and not turning.counted and not {fault.key for fault in sheet.faults} & UNSTEADY:
        _elsewhere(sheet, reader, turning)


def _measured(scores):
    """How many rows from the first on see the first key and themselves, so that both sides can be told apart."""
    finite = np.isfinite(scores[..., 0, 0])
    rows = [finite[i, 0] and finite[i, i] for i in range(1, len(scores))]
    return 1 + (rows.index(False) if False in rows else len(rows))


def _housekeeping(sheet, reader):
    """What any function should do: leave its input alone, answer alike twice, keep the dtype."""
    q, k, v = sample(len(POSITIONS), reader.dim)
    arguments = [reader.widen(x) for x in (q, k, v)] + [POSITIONS[None] if reader.rows else POSITIONS]
    result, changed = reader.call(*arguments)
    output = result[0] if isinstance(result, (tuple, list)) and (reader.cached or isinstance(result, tuple)) else result
    sheet.find("shape", True, f"{reader.form.replace(' ', ', ')} in and out")
    if isinstance(output, list):
        sheet.fault("list returned", "It returns a list, not an array.", "Return a NumPy array.")
    names = [name for i, name in enumerate(("q", "k", "v", "positions")) if i in changed]
    sheet.judge("input unchanged", names, ", ".join(names) + " written to" if names else "left alone", "input changed",
                f"It writes into {', '.join(names)}.", "Work on a copy: x = x.copy(), or an expression without +=, *= and out=.")
    _alike(sheet, reader)
    half, _ = reader.call(*[x.astype(np.float32) for x in arguments[:3]], arguments[3])
    half = half[0] if isinstance(half, (tuple, list)) else half
    dtype = getattr(half, "dtype", None)
    if dtype is not None:
        sheet.find("dtype", None if dtype != np.float32 else True, f"float32 comes back as {dtype}")


def _alike(sheet, reader):
    """Two sequences, and the first again: nothing of the one may be left for the other."""
    n = len(POSITIONS)
    first, _, again = (reader.run(*sample(n, reader.dim, seed), POSITIONS) for seed in (2, 5, 2))
    if np.isnan(first).all():
        raise Unusable("NaN", "Every output is NaN.", "Look for 0/0 and for a mask of -inf that is multiplied or hides a whole row.")
    off = np.abs(np.nan_to_num(first - again)).max()
    sheet.find("answers alike twice", off < 1e-9, f"largest difference {size(off)}")
    if off >= 1e-9:
        words = "begun with cache None, " if reader.cached else ""
        raise Unusable("remembers earlier calls", f"The same sequence, {words}gives another output after a second one: something is kept between calls, "
                       f"worth {number(off, 2)}.", "Begin each sequence with a new cache: no default argument, global or attribute that grows.")


def _values(sheet, reader):
    """Values are mixed and otherwise left as they are -> the reader, taught what is done to them, and weights of equal keys."""
    moved, idle = transfer(reader, POSITIONS)
    dim = reader.dim
    if np.abs(np.nan_to_num(idle)).max() > 1e-6:
        raise Unusable("something added", f"With values of zero the output is {number(np.nanmax(np.abs(idle)), 3)}, not zero.",
                       "The output is a mixture of values and nothing else: no bias, no residual.")
    weights, each = split(moved)
    if np.nan_to_num(weights).max() < 1e-9:
        raise Unusable("no values", "The output does not depend on the values.", "Output = weights @ v.")
    off = np.abs(each - np.eye(dim))
    if not np.nanmax(off) > 2e-3:
        sheet.find("values as they are", True, f"largest change {size(np.nanmax(off))}")
        return reader, np.trace(moved, axis1=-2, axis2=-1) / dim
    own = np.array([each[np.flatnonzero(np.isfinite(each[:, j, 0, 0]))[0], j] for j in range(len(POSITIONS))])
    sheet.judge("values as they are", True, "changed", *_value_words(own))
    if not np.nanmax(np.abs(each - own)) < 2e-3:
        raise Unusable("values changed", "What becomes of a value depends on the query, too.", "Output = weights @ v.")
    return reader._replace(values=np.linalg.inv(own)), weights


def _value_words(own):
    turned = side_of(own)
    if turned.orthogonal < 1e-2 and turned.pairs:
        (a, b), row = turned.pairs[0], 2
        return ("values turned", f"Values are turned by position: at position {POSITIONS[row]}, features {a} and {b} by "
                f"{number(turned.angles[row, 0])} radians.", "Only q and k are turned; v goes into the mixture as it came.")
    j = int(np.argmax(np.abs(own - np.eye(own.shape[-1])).max(axis=(-2, -1))))
    return ("values changed", f"Values do not come out as they went in: that of row {j} is multiplied by a matrix that differs from "
            f"the identity by up to {number(np.abs(own[j] - np.eye(own.shape[-1])).max(), 2)}.", "Output = weights @ v.")


def _equal_keys(sheet, reader, weights):
    """Keys of zero have equal scores, whatever the query: what is left is a bias, or positions that were added."""
    seen = np.tril(weights > 1e-7)
    spread = [np.ptp(row[mask]) / row[mask].max() for row, mask in zip(weights, seen) if mask.sum() > 1]
    worst = max(spread, default=0)
    n = len(POSITIONS)
    by_query = logs(reader.weights(np.zeros((n, reader.dim)), np.zeros((n, reader.dim)), POSITIONS)) - logs(weights)
    content = np.nanmax(np.where(seen, np.abs(by_query - by_query[:, [0]]), 0))
    why = "positions are added to the keys" if content > 1e-3 else "a bias is added to the scores"
    sheet.judge("equal keys, equal weights", worst > 1e-3, f"largest difference {size(worst)}",
                "positions added" if content > 1e-3 else "bias",
                f"Keys of zero get weights that differ by {number(100 * worst, 3)} %: {why}.",
                "Rotary encoding turns q and k and adds nothing.")


def _elsewhere(sheet, reader, turning):
    """Other positions than before, and all positions far away: the turns follow the positions, and only offsets count."""
    q, k, v = sample(len(POSITIONS), reader.dim)
    wanted, got = _expected(turning, q, k, OTHERS), logs(reader.weights(q, k, OTHERS))
    off = np.nanmax(np.abs((got - got[:, [0]]) - (wanted - wanted[:, [0]])))
    sheet.judge("other positions", off > 1e-2, f"largest error of a score {size(off)}", *_other_scores(reader, q, k, v, off))
    near = reader.run(q, k, v, POSITIONS)
    try:
        far = np.abs(reader.run(q, k, v, POSITIONS + 5000) - near).max()
    except Unusable as unusable:
        sheet.find("moved by 5000", None, f"not measured: {unusable}")
        return
    sheet.judge("moved by 5000", not far < 2e-2, f"largest change of the output {size(far)}", "far positions",
                f"With all positions moved by 5000 the output changes by {number(far, 2)}, though no offset has changed.",
                "Compute angles in float64 (or float32 at least), never in half precision, and do not clip or round positions.")


def _other_scores(reader, q, k, v, off):
    if np.array_equal(reader.run(q, k, v, OTHERS), reader.run(q, k, v, POSITIONS)):
        return ("stale table", "Called again with other positions, it turns by those of an earlier call.",
                "Make the table from the positions that are given, at each call.")
    one, two = (logs(reader.weights(factor * q, k, OTHERS)) for factor in (1, 2))
    why = "q is brought to length 1 before the score" if np.allclose(one, two, atol=1e-3, equal_nan=True) else "they are no plain q·k"
    return ("other scores", f"Scores of random q and k are off by up to {number(off, 2)} from what unit vectors show: {why}.",
            "Score = q·k / sqrt(d). Whatever else is done to q and k belongs before the call.")


def _expected(turning, q, k, positions):
    """Scores (n, n) of q and k as the measured turning has them."""
    def turned(x):
        x = x.copy()
        for (a, b), speed in zip(turning.pairs, turning.speeds):
            c, s = np.cos(positions * speed), np.sin(positions * speed)
            x[:, a], x[:, b] = c * x[:, a] - s * x[:, b], s * x[:, a] + c * x[:, b]
        return x
    return turning.scale * turned(q) @ turned(k).T
