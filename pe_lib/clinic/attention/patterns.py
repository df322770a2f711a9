"""Which keys a query sees by design: all behind it, a window, a window and the first keys, chunks, or a prefix both ways."""

from typing import NamedTuple

import numpy as np

from pe_lib.clinic.attention.weights import SEEN
from pe_lib.clinic.sheet import Unusable


class Pattern(NamedTuple):
    """seen = rule(query, key) for arrays of row numbers, or of positions; words name the convention, "" for plain causal."""

    rule: object
    words: str
    moves: bool = True  # along with the positions: chunks and prefixes stand where they are


def _plain(i, j):
    return j <= i


def _candidates(n):
    """The patterns that n rows can show, the simplest first."""
    yield Pattern(_plain, "")
    for w in range(2, n):
        yield Pattern(lambda i, j, w=w: (j <= i) & (j > i - w), f"a window: a query sees the last {w} tokens")
    for c in range(2, n):
        yield Pattern(lambda i, j, c=c: (j <= i) & (i // c == j // c), f"chunked local attention: a query sees its own chunk of {c} "
                                                                     "tokens, up to itself", False)
    for s in range(1, n // 2):
        for w in range(2, n - s):
            yield Pattern(lambda i, j, s=s, w=w: (j <= i) & ((j > i - w) | (j < s)),
                          f"a window of {w} tokens and the first {s} of the sequence (attention sinks)", False)


def _prefixes(n):
    for p in range(2, n // 2 + 1):
        yield Pattern(lambda i, j, p=p: (j <= i) | (j < p), f"a prefix: all see the first {p} tokens, also from before them "
                                                            "(prefix-LM)", False)


def pattern(seen, both_ways=True):
    """The Pattern of who sees whom, (n, n), on consecutive rows; None if it is none known here."""
    n = len(seen)
    i, j = np.arange(n)[:, None], np.arange(n)
    ahead = bool((seen & (j > i)).any())
    tried = _prefixes(n) if ahead and both_ways else () if ahead else _candidates(n)
    return next((found for found in tried if np.array_equal(seen, found.rule(i, j))), None)


def sight(reader, length, plan=None):
    """Who sees whom among `length` consecutive tokens, (length, length); None where values are changed and cannot tell."""
    if reader.values is not None:
        return None
    q, k = np.zeros((2, length, reader.dim))
    return np.nan_to_num(reader.weights(q, k, np.arange(length), plan)) > SEEN


def long_sight(sheet, reader, length):
    """The same in one pass; None, and a line on the sheet, where the function refuses so many tokens."""
    try:
        return sight(reader, length)
    except Unusable as unusable:
        sheet.find(f"{length} tokens", None, f"refused: {unusable}")
        return None


def fits(found, seen, positions):
    """Does a pattern explain what was seen at positions with gaps, counted by rows or by positions?"""
    rows = np.arange(len(seen))
    return any(np.array_equal(seen, found.rule(places[:, None], places)) for places in (rows, positions))
