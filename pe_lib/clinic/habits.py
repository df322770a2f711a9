"""What else a function owes its caller: x's dtype back, its input left alone, the same answer twice, every head alike."""

import numpy as np

from pe_lib.clinic.measure import SIZES, WORDS, Broken, Probe, turns_along
from pe_lib.clinic.notes import number

NINE = np.arange(9)


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
    notes.find("dtype kept", short == np.float32, f"float32 comes back as {short}, float64 as {long}")
    if min(short.itemsize, long.itemsize) < 4:
        given, got = ("float32", short) if short.itemsize < 4 else ("float64", long)
        notes.blame("dtype not kept", f"x in {given} comes back as {got}: its digits are lost.",
                    "return the result with .astype(x.dtype).")
    elif short != np.float32:
        notes.remarks.append(f"x in float32 comes back as {short}, of twice the memory: .astype(x.dtype) at the end keeps x's dtype.")


def read_manners(probe, first, notes):
    """After all that was asked in between: is the first question answered as it was?"""
    try:
        again = probe.answer(probe.widened(first[0]), NINE)
        same, figure = np.abs(again - first[1]).max() < 1e-6, "the first call's answer is given again after all others"
    except Broken as broken:
        same, figure = False, broken.sentence.split(", for x of")[0]
    if not same and "stale table" not in notes.keys:
        change = "" if figure.startswith("It") else f"the first call, repeated after all others, is off by up to {number(np.abs(again - first[1]).max(), 2)}"
        figure = change or figure
        notes.blame("remembers earlier calls", f"The same x and positions gave another answer later on: {figure}.",
                    "make the result from the arguments alone: no stored table or base that other calls change, no randomness.")
    notes.find("same answer again", bool(same), figure)
    notes.find("input unchanged", not probe.changed, f"{probe.changed} is overwritten" if probe.changed else "x and positions as they were")
    if probe.changed:
        notes.blame("input changed", f"The caller's {probe.changed} is overwritten.",
                    "write into a new array: in place, the next reader of q or k finds it turned already.")
    if probe.listed:
        notes.find("returns an array", False, "a list")
        notes.blame("list returned", "The result is a list, not an array.", "return np.array(...) or fill an array of x's shape.")


def read_axes(probe, notes):
    """Heads and batch rows of their own: each is turned as if it were alone."""
    forms = [probe.axes] if probe.axes != "n d" else ["b h n d", "b n h d"]
    refusals = []
    for axes in forms:
        wide = Probe(probe.rope, probe.dim, axes, probe.batched)
        shape = [{**SIZES, "n": 9, "d": probe.dim}[axis] for axis in axes.split()]
        x = np.random.default_rng(3).normal(size=shape)
        try:
            y = wide.answer(x, NINE).astype(float)
        except Broken as broken:
            refusals.append(broken)
            continue
        if _each_alone(probe, wide, x, y):
            named = ", ".join(WORDS[axis] for axis in axes.split())
            notes.find("heads and batch rows", True, f"turned alike, in arrays of axes ({named})")
            if axes == "b n h d":
                notes.convention["axes"] = f"axes ({named})"
            return
        same = wide.answer(wide.widened(np.broadcast_to(x.reshape(-1, probe.dim)[0], (9, probe.dim))), NINE)
        refusals.append("b" if turns_along(same, axes) == ["b"] else None)
    if "b" in refusals:
        notes.find("heads and batch rows", None, "the first axis is taken for the sequence: arrays of axes (sequence, features) only")
    elif None in refusals:
        axes = forms[refusals.index(None)]
        named = ", ".join(WORDS[axis] for axis in axes.split())
        notes.find("heads and batch rows", False, f"not turned as if alone, in arrays of axes ({named})")
        notes.blame("heads confused", f"In an array of axes ({named}) a head is turned otherwise than alone: the position axis is "
                    "not the one meant.", "take the position axis as axis -2, or say in the docstring which it is and check the shape.")
    else:
        notes.find("heads and batch rows", None, "takes arrays of axes (sequence, features) only")


def _each_alone(probe, wide, x, y):
    axes = wide.axes.split()
    order = [axes.index(axis) for axis in axes if axis not in "nd"] + [axes.index("n"), axes.index("d")]
    rows, turned = (part.transpose(order).reshape(-1, 9, probe.dim) for part in (x, y))
    scale = 1e-9 + 0.02 * (y.dtype.itemsize < 4)
    return all(np.abs(probe(row, NINE) - other).max() <= scale + 1e-5 for row, other in zip(rows, turned))
