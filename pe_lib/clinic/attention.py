"""A second opinion on attention with rotary positions: values, mask, scale, rotation, and the cache."""

import numpy as np

from pe_lib._validate import even_dim, finite_number, frequency_array, frequency_base, whole_number
from pe_lib.clinic.conduct import examine_conduct
from pe_lib.clinic.elsewhere import examine_elsewhere
from pe_lib.clinic.masks import examine_mask
from pe_lib.clinic.mixture import examine_equal_keys, examine_growth, examine_values
from pe_lib.clinic.rotation import Wanted, examine_scores
from pe_lib.clinic.sheet import Sheet
from pe_lib.clinic.stepping import examine_cache
from pe_lib.clinic.weights import FORMS, POSITIONS, find_form, sample, score_matrices
from pe_lib.layouts import check_layout

LATE = ("positions ignored", "rows counted")  # often harmless, so named after other faults
# Found with one of these, a function is not asked about other positions: what comes out moves with them anyway.
UNSTEADY = {"values turned", "values changed", "bias", "positions added", "remembers earlier calls"}


def diagnose_attention(attend, *, cached=False, causal=True, dim=8, base=None, inv_freq=None, layout=None, scale=None,
                       length=32, axes=None):
    """Anybody's attention of one head with rotary positions, measured property by property.

    attend(q, k, v, positions) -> output; q, k, v (n, dim), not rotated; positions (n,); output (n, dim), or (output, weights).
    cached: attend(q, k, v, positions, cache) -> (output, cache), cache None at the start of a sequence and later what the
    last call returned; q, k, v and positions are then those of the new tokens alone. As `pe_lib.cache.attend`, inv_freq bound.
    causal False: an encoder's, without a mask.
    axes: how it takes q, k, v: "n d", "b h n d", "b n h d" or "b n d" (batch and heads are 1); None: the first that it takes.
    base, inv_freq, layout: named as conventions, and blamed only if others are asked for; scale, None: 1/sqrt(dim).
    length: tokens of the longest test of a cache; let it reach beyond the place where frequencies switch or a window ends.
    The cost grows as dim squared: an eighth of a second at 16 features, a few seconds at 64.
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
    if cached and not causal:
        raise ValueError("causal must be True for a function with a cache: a token that is yet to come cannot be seen")
    if axes is not None and axes not in FORMS:
        raise ValueError(f"axes must be one of {', '.join(FORMS)}, got {axes!r}")
    sheet = Sheet(attend)
    sheet.examine(_examine, (attend, dim, cached, axes), causal, wanted, length)
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


def _examine(sheet, function, causal, wanted, length):
    reader = find_form(*function)
    examine_conduct(sheet, reader)
    reader, weights = examine_values(sheet, reader)
    q, k, _ = sample(len(POSITIONS), reader.dim)
    good = examine_mask(sheet, weights, reader.weights(q, k, POSITIONS), len(POSITIONS), causal)
    if any(fault.key == "softmax axis" for fault in sheet.faults) or not examine_equal_keys(sheet, reader, weights):
        return
    if not examine_growth(sheet, reader):
        return
    scores = score_matrices(reader, POSITIONS)
    rows = _measured(scores)
    if rows < 4:
        sheet.find("rotation", None, "to be measured once the mask is mended")
        return
    turning = examine_scores(sheet, scores[:rows, :rows], POSITIONS[:rows], wanted)
    if reader.cached and good:
        examine_cache(sheet, reader, turning, POSITIONS, weights, length)
    if turning is not None and good and not turning.counted and not {fault.key for fault in sheet.faults} & UNSTEADY:
        examine_elsewhere(sheet, reader, turning)


def _measured(scores):
    """How many rows from the first on see the first key and themselves, so that both sides can be told apart."""
    finite = np.isfinite(scores[..., 0, 0])
    seen = [finite[i, 0] and finite[i, i] for i in range(1, len(scores))]
    return 1 + (seen.index(False) if False in seen else len(seen))
