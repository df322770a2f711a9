"""ALiBi far away: does the bias still follow the distance with a thousand keys, and if not, what became of it?"""

import numpy as np

from pe_lib.clinic.bias.tables import MASKED
from pe_lib.clinic.notes import number
from pe_lib.clinic.sheet import Unusable, size

MANY = 2054  # keys: beyond 256 bfloat16 skips positions, beyond 2048 float16 does, and here both have just begun again
LENGTHS = 64, 128, 256, 512, 1030
MATTERS = 8.0  # a score lower by more than this has no weight to speak of, rounded or not
LEAST = 0.05  # an error of a score that can be felt


class Row:
    """The last query's row: how far off each key seems to be, read from the bias of each head that falls."""

    def __init__(self, table, slopes):
        self.values, self.dtype = table.values[:, -1], table.dtype
        self.n = self.values.shape[-1]
        self.distance = self.n - 1 - np.arange(self.n)
        with np.errstate(all="ignore"):
            self.meant = np.where(np.abs(slopes[:, None]) > 1e-12, slopes[:, None] * self.distance, 0)
            flat = int(np.argmin(np.abs(slopes)))  # there a mask of -100 stands out
            lowered = self.values[flat, -1] - self.values[flat] > MASKED[0] + 2 * np.abs(self.meant[flat])
            lowered &= self.values[flat, -1] - self.values[flat] > 1.1 * np.abs(self.meant[flat]).max()  # further than any key
        self.seen = table.seen[-1] & ~lowered
        with np.errstate(all="ignore"):
            self.error = np.abs(self.values[:, -1:] - self.values - self.meant)
        self.error = np.where(np.isfinite(self.error) & (np.abs(slopes[:, None]) > 1e-12), self.error, 0)
        felt = np.where((np.abs(self.meant) <= MATTERS) & self.seen, self.error, 0)
        self.head, self.key = (int(i) for i in np.unravel_index(felt.argmax(), felt.shape))
        self.worst = float(felt.max())
        falling = int(np.argmax(np.abs(slopes)))
        self.apparent = (self.values[falling, -1] - self.values[falling]) / slopes[falling]

    def hides(self):
        return not self.seen.all()

    def follows(self, distance):
        """Is this what the bias follows, in place of the distance?"""
        return bool(np.allclose(self.apparent, distance, rtol=0.01, atol=0.02))


def examine_far(sheet, ask_last, slopes, most=MANY):
    """ask_last(n_key) -> the table with the last query's row; slopes with their sign."""
    table, n_key = _longest(sheet, ask_last, most)
    if table is None:
        return
    row = Row(table, slopes)
    rounded = _half_precision(row) if _wrong(row) and not row.hides() else None
    if _wrong(row) and not rounded:
        row = next((shorter for n in LENGTHS if n < n_key and _wrong(shorter := Row(ask_last(n), slopes))), row)
    if row.hides() and not _window(row):
        if "mask" not in sheet.keys:
            _blame_mask(sheet, row)
    elif not _wrong(row):
        limit = "" if n_key >= most else f"; {most} keys it does not take"
        sheet.find("far positions", True, f"at {n_key} keys the largest error of a score that has weight is {size(row.worst)}{limit}")
    else:
        figure, *fault = rounded or next(found for rule in RULES if (found := rule(row)))
        sheet.judge("far positions", True, figure, *fault)
    if row.hides() and _window(row) and not any(word in " ".join(sheet.conventions) for word in ("window", "chunk")):
        run, first = _window(row), int(row.seen.sum()) - _window(row)
        sheet.name(f"a window of {run} tokens{f' and the first {first} always' if first else ''}" if run > 10 else
                   f"chunks, it seems: with {row.n} keys the last query sees {run} of them")


def _longest(sheet, ask_last, most):
    """The table for as many keys as the function takes."""
    for n_key in (most, *[n for n in LENGTHS[::-1] if n < most]):
        try:
            table = ask_last(n_key)
            if table.dtype == np.float16 and n_key == MANY:
                n_key, table = 2 * MANY, ask_last(2 * MANY)
            return table, n_key
        except Unusable as unusable:
            key = unusable.fault.key
    sheet.find("far positions", None, f"not measured at {LENGTHS[0]} keys or more: {key}")
    return None, 0


def _window(row):
    """How many keys up to its own the query sees, if besides these it sees at most a few first ones; else 0."""
    hidden = np.flatnonzero(~row.seen)
    run = row.n - 1 - int(hidden[-1]) if hidden.size else row.n
    return run if hidden.size == hidden[-1] - hidden[0] + 1 and hidden[0] <= 16 else 0


def _wrong(row):
    return row.hides() and not _window(row) or row.worst > LEAST


def _blame_mask(sheet, row):
    hidden, last = np.flatnonzero(~row.seen), row.n - 1
    together = hidden.size == hidden[-1] - hidden[0] + 1 > 1
    which = f"keys {hidden[0]} to {hidden[-1]} are" if together else f"key {hidden[0]}, among others, is"
    words = f"With {row.n} keys, the last query stands at key {last}, and {which}"
    sheet.judge(
        "far positions", True, f"with {row.n} keys a query does not see {'itself' if not row.seen[-1] else 'all keys behind'}",
        "mask", f"{words} hidden from it. With few keys none behind it is hidden.",
        "Build the mask for the length at hand: a buffer must be as long as the longest text.",
    )


def _clipped(row):
    apparent, own = row.apparent, row.n - 1
    end = int(np.rint(np.nanmax(apparent)))
    if 0 < end < own and row.follows(np.minimum(row.distance, end)):
        return (f"all alike from distance {end} on", "clipped",
                f"From distance {end} on all keys get the same bias: ALiBi goes on falling.", "Do not clip the distance.")
    last = int(np.rint(apparent[0]))
    if 0 < last < own and row.follows(np.maximum(last - np.arange(row.n), 0)):
        return (f"all alike from position {last} on", "clipped",
                f"Positions end at {last}: with {row.n} keys the last {row.n - last} all get the same bias.",
                "Do not clip the positions, and let a table of them be as long as the longest text.")
    return None


def _wrapped(row):
    keys, own, distance = np.arange(row.n), row.n - 1, row.distance
    for period in range(2, 2 * row.n):
        half = period // 2
        signed = (distance + half) % period - half, half - (half - distance) % period
        forms = {"Positions": (own % period - keys % period,), "Distances": (distance % period, *signed)}
        for what, wheres in forms.items():
            if any(row.follows(where) or row.follows(np.abs(where)) for where in wheres):
                bits = f", as in {int(np.log2(period))} bits" if period in (256, 65536) else ""
                which = int(np.flatnonzero(np.abs(row.apparent - distance) > 0.5)[-1])
                words = (f"{what} start again after {period}{bits}: with {row.n} keys, the key at distance {distance[which]} "
                         f"gets the bias of distance {number(row.apparent[which])}.")
                return (f"{what.lower()} start again after {period}", "wrapped", words,
                        "Take no remainder of positions, and an integer type with room for them.")
    return None


def _half_precision(row):
    """Positions or products with eight binary digits, or eleven: off by no more than the gap between two such numbers."""
    gap = 2.0 ** (np.floor(np.log2(row.n - 1)) - 7)
    with np.errstate(all="ignore"):
        if np.nanmax(np.abs(row.apparent - row.distance)) > 1.01 * gap + 0.02 * row.n / 256:
            return None
    nearest = (row.apparent[-many:] for many in (max(row.n // 8, 16), 6))  # float16 has skipped only the last few
    gaps = any(np.allclose(near, 2 * np.rint(near / 2), atol=0.02) and np.ptp(near) > 0 for near in nearest)
    short = np.ascontiguousarray(row.values[np.isfinite(row.values)], dtype=np.float32).view(np.uint32) & 0xFFFF == 0
    if not (row.dtype == np.float16 or gaps or short.all()):
        return None
    words = (f"With {row.n} keys, head {row.head} scores the key at distance {row.distance[row.key]} lower than the last by "
             f"{number(row.values[row.head, -1] - row.values[row.head, row.key])}; it should be "
             f"{number(row.meant[row.head, row.key])}. Positions this large are rounded in half precision.")
    return (f"at {row.n} keys the largest error of a score is {size(row.worst)}", "half precision", words,
            "Compute the bias in float32 or better, or from the distance, and round the finished bias only.")


def _elsewhere(row):
    """No rule known here: the nearest key whose bias does not follow the distance."""
    off = np.flatnonzero(row.error[row.head] > LEAST)
    key, values = int(off[-1]), row.values[row.head]
    best, own = int(np.nanargmax(values * (1 if row.meant[row.head, 0] >= 0 else -1))), row.n - 1
    remedy = "Compute the bias for the length at hand: look for a table kept from a shorter text, or padded."
    figure = f"at {row.n} keys the bias does not follow the distance"
    if best != own and values[best] != values[own]:
        words = (f"With {row.n} keys, the last query favours key {best} most; it stands at key {own}. With few keys it favours its "
                 "own.")
        return figure, "far positions", words, remedy
    words = (f"With {row.n} keys the bias follows the distance up to {row.distance[key] - 1} only: head {row.head} scores the "
             f"key at distance {row.distance[key]} lower than the last by {number(values[own] - values[key])}; it should be "
             f"{number(row.meant[row.head, key])}.")
    return figure, "far positions", words, remedy


RULES = _clipped, _wrapped, _half_precision, _elsewhere
