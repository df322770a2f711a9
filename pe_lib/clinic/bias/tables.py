"""ALiBi's tables as a function gives them: how it is called, what shape comes back, and which keys are hidden."""

import inspect
from typing import NamedTuple

import numpy as np

from pe_lib.clinic.sheet import Unusable, call, numbers, size

MASKED = 50, 5000  # a score this far below the best of its row is hidden: in a small table, and where slopes alone lower it far


class Table(NamedTuple):
    """One answer of the function."""

    values: np.ndarray  # (heads, n_query, n_key), float64; NaN where hidden
    seen: np.ndarray  # (n_query, n_key), where a query may look in some head
    hidden: np.ndarray  # (heads, n_query, n_key), what this very head hides beyond doubt
    one_head: bool
    dtype: np.dtype


def one_length(bias):
    """Does it take one argument, and not two?"""
    try:
        signature = inspect.signature(bias)
    except (TypeError, ValueError):  # some built-in functions have no signature
        return False
    return not _binds(signature, 1, 1) and _binds(signature, 1)


def _binds(signature, *arguments):
    try:
        signature.bind(*arguments)
    except TypeError:
        return False
    return True


def asker(bias):
    """ask(n_query, n_key, heads) -> Table, whichever way the function is called."""
    short = one_length(bias)

    def ask(n_query, n_key, heads):
        result, _ = call(bias, n_key) if short else call(bias, n_query, n_key)
        return _table(result, n_query, n_key, heads)

    return ask


def ask_twice(ask, n_query, n_key, heads):
    """The table, if the same call gives the same table again."""
    table, again = ask(n_query, n_key, heads), ask(n_query, n_key, heads)
    difference = differ(table, again)
    if difference:
        raise Unusable(
            "not repeatable", f"The same call twice in a row gives two different tables{difference}.",
            "Switch dropout off and take random numbers out; if it keeps a table between calls, do not write into it.",
        )
    return table


def differ(table, other):
    """How two tables for the same call differ, in words; empty if they do not."""
    if table.values.shape != other.values.shape:
        return f": of shape {table.values.shape}, then {other.values.shape}"
    if not np.array_equal(table.seen, other.seen):
        return ": they hide different keys"
    off = np.abs(table.values - other.values)[np.isfinite(table.values) & np.isfinite(other.values)]
    scale = max(1.0, np.nanmax(np.abs(table.values), initial=0, where=np.isfinite(table.values)))
    return f": the largest difference is {size(off.max())}" if off.size and off.max() > 1e-6 * scale else ""


def _table(result, n_query, n_key, heads):
    what = f"For {n_query} quer{'y' if n_query == 1 else 'ies'} and {n_key} keys it"
    dtype = np.asarray(result).dtype if isinstance(result, np.ndarray) else None
    if isinstance(result, np.ma.MaskedArray) and result.dtype.kind in "iuf":
        result = result.astype(float).filled(-np.inf)  # masked out: hidden
    array = numbers(result, what)
    shape = array.shape
    while array.ndim > 3 and array.shape[0] == 1:
        array = array[0]
    _fit(array, shape, what, n_query, n_key, heads)
    one_head = array.ndim == 2
    values = np.broadcast_to(array, (1 if one_head else array.shape[0], n_query, n_key))
    best = values.max(axis=-1, keepdims=True)
    below = np.where(np.isneginf(best), 0, best)
    seen = (values > below - MASKED[n_key > 16]).any(axis=0)
    return Table(np.where(seen, values, np.nan), seen, values < below - MASKED[1], one_head, dtype)


def _fit(array, shape, what, n_query, n_key, heads):
    wanted = f"{what} returned shape {shape}; wanted is (heads, n_query, n_key) = ({heads}, {n_query}, {n_key})."
    if shape == (n_query, n_key, heads) and heads not in (n_query, 1):
        raise Unusable("axes", wanted + " The heads come last.", "Move the axis of the heads to the front.")
    if shape == (n_query, heads, n_key) and heads not in (n_query, 1) and n_query > 1:
        raise Unusable("axes", wanted + " The heads come second.", "Move the axis of the heads to the front.")
    if array.ndim == 3 and array.shape[1:] == (n_key, n_query) and n_query != n_key:
        raise Unusable("axes", wanted + " Queries and keys are exchanged.", "Queries go down (rows), keys go across (columns).")
    if not (array.ndim in (2, 3) and array.shape[-2] in (1, n_query) and array.shape[-1] in (1, n_key)):
        raise Unusable("wrong shape", wanted, "Queries go down, keys go across, one table a head.")
