"""What else a function owes its caller: x's dtype back, its input left alone, the same answer twice, every head alike."""

import contextlib

import numpy as np

from pe_lib.clinic.notes import a_few, number
from pe_lib.clinic.rotary.measure import SIZES, WORDS, Broken, Probe, turns_along

NINE = np.arange(9)
MIXED = np.array([4, 0, 8, 2, 6, 1, 7, 3, 5])


def read_dtype(probe, notes):
    x = np.random.default_rng(2).normal(size=(9, probe.dim))
    came = {}
    for dtype in (np.float32, np.float64):
        try:
            came[dtype] = probe.answer(probe.widened(x), NINE, dtype)
        except Broken as broken:
            notes.find("dtype kept", None, f"{np.dtype(dtype)}: {broken.sentence.split(', for x of')[0]}")
            if dtype is np.float32:
                notes.blame("float32 refused", f"With x in float32: {broken.sentence}", "take any float dtype.")
            return
    short, long = came[np.float32].dtype, came[np.float64].dtype
    wider = ": see the remark" if short.itemsize > 4 else ""
    kept = True if short == np.float32 else None if wider else False
    notes.find("dtype kept", kept if long.itemsize >= 4 else False, f"float32 comes back as {short}, float64 as {long}{wider}")
    if min(short.itemsize, long.itemsize) < 4:
        given, got = ("float32", short) if short.itemsize < 4 else ("float64", long)
        notes.blame("dtype not kept", f"x in {given} comes back as {got}: its digits are lost.",
                    "return the result with .astype(x.dtype).")
    elif short != np.float32:
        notes.remarks.append(f"x in float32 comes back as {short}, of twice the memory: .astype(x.dtype) at the end keeps x's "
                             "dtype.")


def read_manners(probe, first, notes):
    """After all that was asked in between: is the first question answered as it was?"""
    try:
        again = probe.answer(probe.widened(first[0]), NINE)
        same, figure = np.abs(again - first[1]).max() < 1e-6, "the first call's answer is given again after all others"
    except Broken as broken:
        same, figure = False, broken.sentence.split(", for x of")[0]
    if not same and not figure.startswith("It"):
        figure = f"the first call, repeated after all others, is off by up to {number(np.abs(again - first[1]).max(), 2)}"
    if not same and "stale table" not in notes.keys:
        notes.blame("remembers earlier calls", f"The same x and positions gave another answer later on: {figure}.",
                    "make the result from the arguments alone: no stored table or base that other calls change, no randomness.")
    notes.find("same answer again", bool(same), figure)
    figure = f"{probe.changed} overwritten" if probe.changed else "x and positions as they were"
    notes.find("input unchanged", not probe.changed, figure)
    if probe.changed:
        notes.blame("input changed", f"The caller's {probe.changed} is overwritten.",
                    "write into a new array: in place, the next reader of q or k finds it turned already.")
    if probe.reused:
        notes.find("results stay", False, "an earlier result is overwritten by a later call")
        notes.blame("output overwritten", "The array that one call returned is written over by the next: q, turned first, is lost "
                    "when k is turned.", "return a new array from every call.")
    if probe.listed:
        notes.find("returns an array", False, "a list")
        notes.blame("list returned", "The result is a list, not an array.", "return np.array(...) or fill an array of x's shape.")


def read_axes(probe, notes):
    """Heads and batch rows of their own: each is turned as if it were alone."""
    name, confused = "heads and batch rows", None
    for axes in [probe.axes] if probe.axes != "n d" else ["b h n d", "b n h d"]:
        wide = Probe(probe.rope, probe.dim, axes, probe.batched, dtype=probe.dtype)
        x = np.random.default_rng(3).normal(size=[{**SIZES, "n": 9, "d": probe.dim}[axis] for axis in axes.split()])
        try:
            y = wide.answer(x, MIXED).astype(float)
            along = turns_along(wide.answer(wide.widened(np.ones((9, probe.dim))), NINE), axes)
        except Broken:
            continue
        named = ", ".join(WORDS[axis] for axis in axes.split())
        if _each_alone(probe, wide, x, y, MIXED):
            notes.find(name, True, f"turned alike, in arrays of axes ({named})")
            probe.wide = wide
            if axes == "b n h d":
                notes.convention["axes"] = f"axes ({named})"
            return
        if not confused and _each_alone(probe, wide, x, y, NINE):
            return _blame_own_numbers(named, name, notes)
        if along != ["b"]:  # a function of two axes may take the first of four for the sequence
            confused = confused or named
    if not confused:
        notes.find(name, None, "takes arrays of axes (sequence, features) only")
        return
    notes.find(name, False, f"not turned as if alone, in arrays of axes ({confused})")
    notes.blame("heads confused", f"In an array of axes ({confused}) a head is turned otherwise than alone: the position axis is not "
                "the one meant.", "take the position axis as axis -2, or say in the docstring which it is and check the shape.")


def read_three_axes(probe, notes):
    """Does x of (batch, sequence, features), or else of (sequence, heads, features), come back turned as if alone?"""
    taken = []
    for axes in ("b n d", "n h d"):
        wide = Probe(probe.rope, probe.dim, axes, probe.batched, dtype=probe.dtype)
        x = np.random.default_rng(8).normal(size=[{**SIZES, "n": 9, "d": probe.dim}[axis] for axis in axes.split()])
        with contextlib.suppress(Broken):
            if _each_alone(probe, wide, x, wide.answer(x, MIXED).astype(float), MIXED):
                return
            taken.append(", ".join(WORDS[axis] for axis in axes.split()))
    if taken:
        notes.find("arrays of three axes", False, f"not turned as if alone, in arrays of axes ({taken[0]})")
        notes.blame("heads confused", f"In an array of axes ({taken[0]}) a row is turned otherwise than alone: the position axis is "
                    "not the one meant.", "take the position axis as axis -2, or refuse arrays of three axes.")


def read_calls(probe, notes):
    """The calls of a real decoder: one row of many heads and texts, an odd number of texts, and a call of many rows."""
    name, rng = "calls of other sizes", np.random.default_rng(9)
    wide = probe.wide or (probe if len(probe.axes) > 3 else None)
    for n, texts, heads in ((1, 3, 8), (1, 1, 8), (9, 1, 1), (9, 3, 5)) if wide else ():
        sizes = {"b": texts, "h": heads, "n": n, "d": probe.dim}
        x, p = rng.normal(size=[sizes[axis] for axis in wide.axes.split()]), np.arange(7, 7 + n)
        try:
            y = wide.answer(x, np.tile(p, (texts, 1)) if wide.batched else p).astype(float)
        except Broken as broken:
            notes.find(name, None, broken.sentence)
            return
        if not _each_alone(probe, wide, x, y, p):
            left = " It comes back as it was." * bool(np.isclose(x, y).all(axis=-1).any())
            words = f"{n} row{'s' * (n > 1)}, {heads} heads, {texts} text{'s' * (texts > 1)}"
            notes.find(name, False, f"not turned as if alone, in a call of {words}")
            return notes.blame("heads turned apart", f"In a call of {words} some row is not turned as it is alone.{left}",
                               "turn every head and every text of a call, whatever their number.")
    _read_many_rows(probe, name, notes)


def _read_many_rows(probe, name, notes, n=300):
    """A call past the blocks of 64, 128 and 256 rows against the same rows asked for nine at a time."""
    x = np.random.default_rng(10).normal(size=(n, probe.dim))
    try:
        y = probe(x, np.arange(n))
        off = [np.abs(probe(x[i:i + 9], np.arange(i, i + 9)) - y[i:i + 9]).max() for i in (60, 124, 252, n - 9)]
    except Broken as broken:
        notes.find(name, None, broken.sentence)
        return
    wrong = np.array(off) > 1e-4 + 0.05 * (probe.itemsize < 4)
    notes.find(name, not wrong.any(), f"up to {n} rows, and one row of eight heads, as if alone" if not wrong.any() else f"not in a call of {n} rows")
    if wrong.any():
        notes.blame("rows beyond a block", f"In a call of {n} rows, rows from about {(64, 128, 256, n)[int(wrong.argmax())]} on are not turned as in a call "
                    "of their own.", "look for a grid or a block of fixed size: every row of a call is turned.")


def _blame_own_numbers(named, name, notes):
    notes.find(name, False, f"turned by their own numbers, in arrays of axes ({named})")
    notes.blame("positions ignored", f"In an array of axes ({named}), for positions {a_few(MIXED)}, the rows are turned by 0, 1, 2, "
                "..., their own numbers.", "make the angles from the positions argument, whatever the axes of x.")


def read_rows(probe, notes):
    """Positions of each batch row: are those of the second row read?"""
    x, name = np.random.default_rng(7).normal(size=(9, probe.dim)), "positions of each batch row"
    both = np.stack([NINE, MIXED])
    y = np.take(probe.answer(probe.widened(x), both).astype(float), 1, axis=probe.axes.split().index("b"))
    axes = [axis for axis in probe.axes.split() if axis != "b"]
    y = y[tuple(slice(None) if axis in "nd" else 0 for axis in axes)]
    near = 1e-4 + 0.05 * (probe.itemsize < 4)
    if np.abs(y - probe(x, MIXED)).max() <= near:
        notes.find(name, True, "each row is turned by its own")
        return
    notes.find(name, False, "not followed in the second row")
    why = "those of the first row turn all of them" if np.abs(y - probe(x, NINE)).max() <= near else "by which rule is not known here"
    notes.blame("positions of the first row", f"With other positions in each batch row the second row is not turned by its own: {why}.",
                "keep the batch axis of the positions: positions[..., None] * inv_freq, not positions[0].")


def _each_alone(probe, wide, x, y, positions):
    axes = wide.axes.split()
    order = [axes.index(axis) for axis in axes if axis not in "nd"] + [axes.index("n"), axes.index("d")]
    rows, turned = (part.transpose(order).reshape(-1, len(positions), probe.dim) for part in (x, y))
    scale = 1e-9 + 0.02 * (y.dtype.itemsize < 4)
    return all(np.abs(probe(row, positions) - other).max() <= scale + 1e-5 for row, other in zip(rows, turned))
