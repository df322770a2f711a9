"""ALiBi measured: the fall with distance, decoding, and far positions. The side ahead is in `sight`, slopes in `slopes`."""

import inspect
from typing import NamedTuple

import numpy as np

from pe_lib.biases import relative_positions
from pe_lib.clinic.notes import number
from pe_lib.clinic.sheet import Unusable, call, numbers, size
from pe_lib.clinic.sight import examine_ahead, examine_mask
from pe_lib.clinic.slopes import examine_slopes

MASKED = 50, 1000  # a score this far below the best of its row has no weight, in a small table and in one of MANY keys
MANY = 1030  # keys, for rounding: beyond 256 bfloat16 skips positions, beyond 2048 float16 does


class Table(NamedTuple):
    """One answer of the function."""

    values: np.ndarray  # (heads, n_query, n_key), float64
    seen: np.ndarray  # (n_query, n_key), where a query may look
    one_head: bool
    dtype: np.dtype


def examine_alibi(sheet, bias, heads, causal):
    n = 9 if heads != 9 else 10
    ask = _asker(bias)
    table = ask(n, n, heads)
    _shape(sheet, table, heads)
    masked = examine_mask(sheet, table, n, causal)
    slopes = _fall(sheet, table)
    if slopes is None:
        return
    ahead = "hidden" if masked else examine_ahead(sheet, table, slopes, causal)
    examine_slopes(sheet, np.abs(slopes), heads, judged=not table.one_head or heads == 1)
    if _one_length(bias):
        sheet.find("decoding", None, "takes one length: as many queries as keys, so it cannot serve a cache")
    else:
        if _decoding(sheet, ask, slopes, heads, ahead):
            _far(sheet, ask, np.abs(slopes), heads)
    own = np.diagonal(table.values, axis1=1, axis2=2)
    if np.abs(np.nan_to_num(own)).max() > 1e-9:
        sheet.name("a token's own key does not get 0: each row is shifted by a constant, which the softmax does not see")


def _one_length(bias):
    try:
        inspect.signature(bias).bind(1, 1)
    except TypeError:
        return True
    except ValueError:  # some built-in functions have no signature
        return False
    return False


def _asker(bias):
    """ask(n_query, n_key, heads) -> Table, whichever way the function is called."""
    short = _one_length(bias)

    def ask(n_query, n_key, heads):
        result, _ = call(bias, n_key) if short else call(bias, n_query, n_key)
        return _table(result, n_query, n_key, heads)

    return ask


def _table(result, n_query, n_key, heads):
    what = f"For {n_query} quer{'y' if n_query == 1 else 'ies'} and {n_key} keys it"
    array = numbers(result, what)
    shape = array.shape
    while array.ndim > 3 and array.shape[0] == 1:
        array = array[0]
    wanted = f"{what} returned shape {shape}; wanted is (heads, n_query, n_key) = ({heads}, {n_query}, {n_key})."
    if shape == (n_query, n_key, heads) and heads not in (n_query, 1):
        raise Unusable("axes", wanted + " The heads come last.", "Move the axis of the heads to the front.")
    if array.ndim == 3 and array.shape[1:] == (n_key, n_query) and n_query != n_key:
        raise Unusable("axes", wanted + " Queries and keys are exchanged.", "Queries go down (rows), keys go across (columns).")
    fits = array.ndim in (2, 3) and array.shape[-2] in (1, n_query) and array.shape[-1] in (1, n_key)
    if not fits:
        raise Unusable("wrong shape", wanted, "Queries go down, keys go across, one table a head.")
    one_head = array.ndim == 2
    values = np.broadcast_to(array, (1 if one_head else array.shape[0], n_query, n_key))
    best = values.max(axis=-1, keepdims=True)
    seen = (values > np.where(np.isneginf(best), 0, best) - MASKED[n_key > 16]).any(axis=0)
    return Table(np.where(seen, values, np.nan), seen, one_head, np.asarray(result).dtype)


def _shape(sheet, table, heads):
    count = table.values.shape[0]
    if table.one_head:
        sheet.find("shape", True, "one table, (n_query, n_key)")
        sheet.name("one table for one head")
        return
    sheet.judge(
        "shape", count != heads, f"{count} tables, one a head", "number of heads",
        f"It returns {count} tables for {heads} heads.",
        "Give every head a table of its own; if the function is for another number of heads, say heads=… to the clinic.",
    )


def _fall(sheet, table):
    """The slope of each head: how much a score falls with each token of distance behind; None if there is no one slope."""
    steps = np.diff(table.values, axis=-1)
    behind = np.isfinite(steps) & (relative_positions(table.seen.shape[0])[:, 1:] <= 0)
    if not behind[0].any():
        sheet.find("falls with distance", None, "to be measured once the mask is mended: no query sees two keys behind it")
        return None
    slopes = np.array([np.median(head[mask]) for head, mask in zip(steps, behind)])
    largest = np.abs(slopes).max()
    if largest < 1e-12 and np.abs(steps[behind]).max() < 1e-9:
        _flat(sheet, table)
        return None
    rising = (slopes < 0).sum()
    sheet.judge(
        "falls with distance", rising > 0, f"by {number(abs(slopes[0]))} a token in head 0" if not rising else "it rises", "sign",
        f"In {rising} of {slopes.size} heads a key gains with distance: head {int(np.argmax(slopes < 0))} adds "
        f"{number(-slopes.min())} a token.",
        "What lies behind has a negative key - query: multiply the slope by key - query, or by minus the distance.",
    )
    off = np.where(behind, np.abs(steps - slopes[:, None, None]), 0)
    bent = off.max(axis=(1, 2)) > 0.08 * np.abs(slopes) + 1e-12
    head, i, j = np.unravel_index(off.argmax(), off.shape)
    sheet.judge(
        "in equal steps", bent.any(), f"largest difference of two steps {size(off.max())}", "not linear",
        f"In head {head} one token further costs query {i} {number(steps[head, i, j])} at distance {i - j}, and "
        f"{number(slopes[head])} at most others: ALiBi falls by the same amount with each token.",
        "Multiply the slope by the plain distance: no square, no logarithm, no division by the row.",
    )
    return None if bent.any() else slopes


def _flat(sheet, table):
    down = np.abs(np.diff(table.values, axis=1))
    down = down[np.isfinite(down)]
    if down.size and down.max() > 1e-9:
        words = "Each row holds one number: the bias runs along the queries, and the softmax of a row does not see it."
        remedy = "The bias must differ from key to key, along the last axis: the position to use is the key's, or key - query."
    else:
        words = "Nothing is left of the distance: each row of the table is constant, so no key is favoured."
        remedy = "Add slope times (key - query) to the mask; do not multiply them, and do not divide integers."
    sheet.judge("falls with distance", True, "constant along the keys", "no distance", words, remedy)


def _decoding(sheet, ask, slopes, heads, ahead):
    """A few new queries on a cache are the last positions, so their rows are the last of the whole table. True if they are."""
    for n_query, n_key in ((1, 6), (3, 7)):
        try:
            table = ask(n_query, n_key, heads)
            words = _misplaced(table, slopes, n_query, n_key, ahead)
        except Unusable as unusable:
            words = str(unusable)
        if words:
            sheet.judge(
                "decoding", True, f"{n_query} new of {n_key} tokens: misplaced", "decoding", words,
                "With a cache query i stands at position i + n_key - n_query: count from the last key.",
            )
            return False
    return sheet.find("decoding", True, "new queries stand at the last keys")


def _misplaced(table, slopes, n_query, n_key, ahead):
    """What is wrong with the rows of the last queries, in words, or None."""
    relative = relative_positions(n_query, n_key)
    given = f"With {n_query} new quer{'y' if n_query == 1 else 'ies'} and {n_key} keys"
    wrong = (relative > 0) & table.seen | (relative == 0) & ~table.seen
    if ahead == "hidden" and wrong.any():
        i, j = np.argwhere(wrong)[0]
        sight = "sees" if table.seen[i, j] else "does not see"
        return (f"{given}, query {i}, which stands at key {i + n_key - n_query}, {sight} key {j}: the mask is not aligned "
                "bottom-right.")
    steps, fall = np.diff(table.values, axis=-1), slopes[:, None, None]
    behind = np.isfinite(steps) & (relative[:, 1:] <= 0)
    off = np.where(behind, np.abs(steps - fall), 0) > 0.08 * np.abs(fall) + 1e-12
    if not off.any():
        return None
    head = int(np.argmax(off.any(axis=(1, 2))))
    i = int(np.argmax(off[head].any(axis=-1)))
    row = table.values[head, i]
    if np.nanmax(row) - np.nanmin(row) < 1e-12:
        return f"{given}, query {i} gets the same bias for every key: nothing is left of the distance."
    return (f"{given}, query {i} favours key {int(np.nanargmax(row * np.sign(slopes[head])))} most; it stands at key "
            f"{i + n_key - n_query}.")


def _far(sheet, ask, slopes, heads):
    """The rounding of far positions: what the keys near the last of many get, where it matters for the weights."""
    n_key = MANY
    try:
        table = ask(1, n_key, heads)
        if table.dtype == np.float16:
            n_key = 2 * MANY
            table = ask(1, n_key, heads)
    except Unusable as unusable:
        sheet.find("far positions", None, f"not measured at {n_key} keys: {unusable.fault.key}")
        return
    row, distance = table.values[:, 0], n_key - 1 - np.arange(n_key)
    if not np.isfinite(row[:, -1]).all() or (row[:, -1] < row[:, 0]).any():
        return  # hidden or misplaced, and said so already
    off = np.abs(row - row[:, -1:] + slopes[:, None] * distance)
    off = np.where(slopes[:, None] * distance <= 8, off, 0)
    head, key = np.unravel_index(np.nanargmax(off), off.shape)
    end = int(distance[np.argmax(row[-1] > row[-1, 0] + 1e-9)]) + 1  # beyond it the flattest head gives all the same
    if 1 < end < n_key - 1 and off.max() > 0.05:
        words = f"From distance {end} on all keys get the same bias: ALiBi goes on falling."
        sheet.judge("far positions", True, f"all alike from distance {end} on", "clipped", words, "Do not clip the distance.")
        return
    sheet.judge(
        "far positions", off[head, key] > 0.05, f"at {n_key} keys the largest error of a score is {size(off[head, key])}",
        "half precision",
        f"With {n_key} keys, head {head} scores the key at distance {distance[key]} lower than the last by "
        f"{number(row[head, -1] - row[head, key])}; it should be {number(slopes[head] * distance[key])}. Positions this "
        "large are rounded in half precision.",
        "Compute the bias in float32 or better, or from the distance, and round the finished bias only.",
    )
