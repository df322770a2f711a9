"""A second opinion on attention with rotary positions: values, mask, scale, rotation, and the cache."""

import numpy as np

from pe_lib._validate import even_dim, finite_number, frequency_array, frequency_base, whole_number
from pe_lib.clinic.attention.behaviour import examine_conduct
from pe_lib.clinic.attention.cache import examine_cache
from pe_lib.clinic.attention.growth import examine_growth
from pe_lib.clinic.attention.masks import examine_mask
from pe_lib.clinic.attention.other_positions import depends_on_length, examine_elsewhere, examine_long
from pe_lib.clinic.attention.rotation import Wanted, examine_scores
from pe_lib.clinic.attention.sums import examine_sums
from pe_lib.clinic.attention.values import examine_equal_keys, examine_values
from pe_lib.clinic.attention.weights import CONSECUTIVE, FORMS, POSITIONS, find_form, parameters, score_matrices
from pe_lib.clinic.sheet import Sheet, Unusable
from pe_lib.frequencies import inverse_frequencies
from pe_lib.layouts import check_layout

LATE = ("positions ignored", "rows counted")  # often harmless, so named after other faults
# Found with one of these, a function is not asked about other positions: what comes out moves with them anyway.
UNSTEADY = {"values turned", "values changed", "bias", "positions added", "remembers earlier calls", "frequencies changed",
            "length follows the position"}
CACHES = {"cache", "kv_cache", "past", "past_key_value", "past_key_values", "past_kv", "layer_past"}  # names of a fifth parameter
COUNTS = "it counts its rows itself: right for one text without padding or gaps, where positions are 0, 1, 2, …"


def diagnose_attention(attend, *, cached=False, causal=True, dim=8, base=None, inv_freq=None, layout=None, scale=None,
                       length=32, axes=None):
    """Anybody's attention of one head with rotary positions, measured property by property.

    attend(q, k, v, positions) -> output; q, k, v (n, dim), not rotated; positions (n,); output (n, dim), or (output, weights).
    cached: attend(q, k, v, positions, cache) -> (output, cache), cache None at the start of a sequence and later what the
    last call returned; q, k, v and positions are then those of the new tokens alone. As `pe_lib.cache.attend`, inv_freq bound.
    causal False: an encoder's, without a mask.
    axes: how it takes q, k, v: "n d", "b h n d", "b n h d" or "b n d" (batch and heads are 1); None: the first that it takes.
    base, inv_freq, layout: named as conventions, and blamed only if others are asked for; scale, None: 1/sqrt(dim).
    length: tokens of the longest test, at least 8; let it reach beyond the place where frequencies switch or a window ends.
    The cost grows as dim squared: an eighth of a second at 16 features, about 1 at 64, and 10 at 128.
    Designs that some models have are named as conventions, too: windows, chunks, prefixes, sinks, soft caps, query-key norm,
    xPos, log-n scaling, caches that store by slot or count their rows.
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
    for name, value in (("cached", cached), ("causal", causal)):
        if not isinstance(value, (bool, np.bool_)):
            raise ValueError(f"{name} must be True or False, got {value!r}")
    if cached and not causal:
        raise ValueError("causal must be True for a function with a cache: a token that is yet to come cannot be seen")
    if axes is not None and axes not in FORMS:
        raise ValueError(f"axes must be one of {', '.join(FORMS)}, got {axes!r}")
    sheet = Sheet(attend)
    sheet.examine(_examine, (attend, dim, cached, axes), causal, wanted, length)
    sheet.faults.sort(key=lambda fault: fault.key in LATE)
    if cached and [fault.key for fault in sheet.faults] == ["positions ignored"]:
        sheet.pardon("positions ignored", "positions", COUNTS)
    return sheet.report()


def _wanted(attend, dim, base, inv_freq, layout, scale):
    if not callable(attend):
        raise ValueError(f"attend must be a function, got {type(attend).__name__}")
    even_dim(dim)
    inv_freq = None if inv_freq is None else frequency_array(inv_freq)
    base = None if base is None else frequency_base(base)
    if inv_freq is not None and len(inv_freq) > dim // 2:
        raise ValueError(f"inv_freq must hold at most dim / 2 = {dim // 2} frequencies, got {len(inv_freq)}")
    if base is not None and inv_freq is not None and not np.allclose(inv_freq, inverse_frequencies(2 * len(inv_freq), base), rtol=1e-3):
        raise ValueError(f"inv_freq must be the frequencies of base, or one of the two be left out, got {base} and {inv_freq}")
    if scale is not None and not finite_number(scale, "scale") > 0:
        raise ValueError(f"scale must be above 0, got {scale}")
    return Wanted(inv_freq, base, None if layout is None else check_layout(layout), None if scale is None else float(scale))


def _examine(sheet, function, causal, wanted, length):
    reader, doubt = find_form(*function)
    try:
        _in_this_form(sheet, reader, causal, wanted, length)
    except Unusable as unusable:
        if doubt is None:
            raise
        sheet.faults.append(unusable.fault)
    if doubt and sheet.faults:  # few rows in one form, and trouble in the next: not the axes were wrong
        sheet.faults.clear()
        raise doubt


def _in_this_form(sheet, reader, causal, wanted, length):
    _introduce(sheet, reader)
    examine_conduct(sheet, reader, length)
    reader = _by_slots(sheet, reader)
    reader, weights = examine_values(sheet, reader)
    reader, weights = examine_sums(sheet, reader, weights)
    if weights is not None:
        _scores(sheet, reader, weights, causal, wanted, length)


def _introduce(sheet, reader):
    """What the reader found out about how the function is called."""
    names = parameters(reader.attend)[4:]
    if not reader.cached and CACHES & set(names):
        sheet.remarks.append("It takes a cache, which was not used: say cached=True to have it examined, too.")
    if reader.positions is not POSITIONS:
        sheet.remarks.append(f"Positions up to {POSITIONS[-1]} were refused, so it was measured at "
                             f"{', '.join(map(str, reader.positions))}.")


def _by_slots(sheet, reader):
    """A cache that stores keys at the slot of their position has empty slots wherever positions have gaps, and is measured
    without gaps."""
    if not reader.cached:
        return reader
    gaps, none = (np.abs(_sums(reader, positions) - 1) > 1e-3 for positions in (reader.positions, CONSECUTIVE))
    if gaps.sum() > 2 and none.sum() < 2:
        sheet.name("keys are stored at the slot of their position, so positions may have no gaps")
        return reader._replace(positions=CONSECUTIVE)
    return reader


def _sums(reader, positions):
    """What the weights of equal keys sum to, whatever is done to the values but for their lengths."""
    n, total = len(positions), 0
    for row in range(n):
        q, k, v = np.zeros((3, n, reader.dim))
        v[row, 0] = 1
        total = total + np.linalg.norm(reader.run(q, k, v, positions), axis=1)
    return total


def _scores(sheet, reader, weights, causal, wanted, length):
    good = examine_mask(sheet, reader, weights, causal, length)
    if not examine_equal_keys(sheet, reader, weights):
        return
    reader, positions = examine_growth(sheet, reader), reader.positions
    if reader is None:
        return
    scores = score_matrices(reader, positions)
    rows = _measured(scores)
    if rows < 3:
        sheet.find("rotation", None, f"not measured: too few queries see the first key{'' if good else ', until the mask is mended'}")
        sheet.remarks.append("Whether q and k are turned rightly could not be measured: examine the rotation with `diagnose`.")
        return
    turning = examine_scores(sheet, scores[:rows, :rows], positions[:rows], wanted, reader.normed)
    if reader.cached and good:
        examine_cache(sheet, reader, turning, positions, weights, length)
    if turning is not None and good and turning.steady and not sheet.has(*UNSTEADY):
        _further(sheet, reader, turning, causal, length, good is True or good.moves)


def _further(sheet, reader, turning, causal, length, moves):
    """Other positions, far positions, other lengths: does all that was measured hold there?"""
    if not reader.cached and depends_on_length(sheet, reader, causal, 4, reader.positions):
        return
    if not turning.counted:
        examine_elsewhere(sheet, reader, turning, moves)
    if not {fault.key for fault in sheet.faults} - {*LATE, "scale"}:
        if not reader.cached:
            depends_on_length(sheet, reader, causal, 7, np.arange(length))
        examine_long(sheet, reader, turning, length)


def _measured(scores):
    """How many rows from the first on see the first key and themselves, so that both sides can be told apart."""
    finite = np.isfinite(scores[..., 0, 0])
    seen = [finite[i, 0] and finite[i, i] for i in range(1, len(scores))]
    return 1 + (seen.index(False) if False in seen else len(seen))
