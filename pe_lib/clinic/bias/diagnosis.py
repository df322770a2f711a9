"""A second opinion on position biases: ALiBi's slopes and sign, T5's buckets."""

import numpy as np

from pe_lib._validate import whole_number
from pe_lib.clinic.bias.alibi import examine_alibi
from pe_lib.clinic.bias.buckets import examine_buckets
from pe_lib.clinic.sheet import Sheet

KINDS = ("alibi", "t5")


def diagnose_bias(bias, *, kind="alibi", heads=8, causal=None, buckets=32, max_distance=128):
    """Anybody's position bias, measured property by property: what holds, what is wrong, and how to mend it.

    kind "alibi": bias(n_query, n_key) -> (heads, n_query, n_key), or (n_query, n_key) for one head; the queries are the last
    positions; -inf ahead may be in it or not, or a masked array hide it; a constant added to a whole row changes nothing and is
    not asked after.
    kind "t5": bias(relative) -> bucket numbers of relative = key - query, integers, for `buckets` buckets up to `max_distance`.
    heads: how many there should be. causal: True or False if only a decoder's or an encoder's form will do; None: either.
    -> Report. The function gets copies; what it raises or prints stays inside. Where nothing further can be measured, mend what
    was found and come again.

    T5 has no position bias at all between a decoder and an encoder's tokens (cross-attention): there is nothing to diagnose.
    Raises: ValueError if an argument other than the function is not as above.

    >>> from pe_lib.biases import alibi_bias, alibi_slopes
    >>> diagnose_bias(lambda n_query, n_key: alibi_bias(n_query, n_key, alibi_slopes(8))).healthy
    True
    """
    if not isinstance(kind, str) or kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
    if causal is not None and not isinstance(causal, (bool, np.bool_)):
        raise ValueError(f"causal must be None, True or False, got {causal!r}")
    if not callable(bias):
        raise ValueError(f"bias must be a function, got {type(bias).__name__}")
    heads, buckets = whole_number(heads, "heads", least=1), whole_number(buckets, "buckets", least=4)
    max_distance = whole_number(max_distance, "max_distance", least=buckets // 2 + 1)
    causal = None if causal is None else bool(causal)
    sheet = Sheet(bias)
    if kind == "alibi":
        sheet.examine(examine_alibi, bias, heads, causal)
    else:
        sheet.examine(examine_buckets, bias, causal, buckets, max_distance)
    return sheet.report()
