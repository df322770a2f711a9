"""What any attention function owes its caller: its input left alone, the same answer twice, arithmetic that can be measured."""

import numpy as np

from pe_lib.clinic.attention.weights import first_of, sample
from pe_lib.clinic.notes import number
from pe_lib.clinic.sheet import Unusable, size
from pe_lib.precision import rounded


def examine_conduct(sheet, reader, length):
    """What any function should do: leave its input alone, answer alike twice, keep the dtype."""
    q, k, v = sample(len(reader.positions), reader.dim)
    arguments = [reader.widen(x) for x in (q, k, v)] + [reader.positions[None] if reader.rows else reader.positions]
    result, changed = reader.call(*arguments)
    output = result[0] if reader.cached else first_of(result)
    sheet.find("shape", True, f"{reader.form.replace(' ', ', ')} in and out")
    if isinstance(output, list):
        sheet.judge("array", True, "a list", "list returned", "It returns a list, not an array.", "Return a NumPy array.")
    elif np.asarray(output).dtype.kind in "iu":
        raise Unusable("integers", f"Floats go in, and {np.asarray(output).dtype} comes out: fractions are lost.",
                       "Keep the dtype of v: look for astype(int) or an array of integers that is written to.")
    names = [name for i, name in enumerate(("q", "k", "v", "positions")) if i in changed]
    sheet.judge("input unchanged", names, ", ".join(names) + " written to" if names else "left alone", "input changed",
                f"It writes into {', '.join(names)}.", "Work on a copy: x = x.copy(), or an expression without +=, *= and out=.")
    _alike(sheet, reader, length)
    half, _ = reader.call(*[x.astype(np.float32) for x in arguments[:3]], arguments[3])
    half = half[0] if reader.cached else first_of(half)
    dtype = getattr(half, "dtype", None)
    if dtype is not None:
        sheet.find("dtype", None if dtype != np.float32 else True, f"float32 comes back as {dtype}")


def _alike(sheet, reader, length):
    """A sequence twice, then others, and the first again: nothing of the one may be left for the other."""
    n = len(reader.positions)
    first, twice = (reader.run(*sample(n, reader.dim), reader.positions) for _ in range(2))
    if np.isnan(first).all():
        raise Unusable("not finite", "Every output is NaN.", "Look for 0/0 and for a mask of -inf that is multiplied or "
                                                             "hides a whole row.")
    other, off = "a second one", _after(reader, first, reader.positions)
    if off < 1e-9:
        other, off = f"one of {length} tokens", _after(reader, first, np.arange(length))
    sheet.find("answers alike twice", off < 1e-9, f"largest difference {size(off)}")
    _fine(first)
    if np.abs(np.nan_to_num(first - twice)).max() >= 1e-9 and _random(reader):
        raise Unusable("random", f"The same input twice in a row gives outputs that differ by up to {number(off, 2)}, and nothing "
                                 "of the earlier call shows in the later one.",
                       "Switch dropout and noise off, and keep no count from call to call.")
    if off >= 1e-9:
        words = "Begun with cache None, the" if reader.cached else "The"
        raise Unusable("remembers earlier calls", f"{words} same sequence gives another output after {other}: something is "
                                                  f"kept between calls, worth {number(off, 2)}.",
                       "Begin each sequence with a new cache: no default argument, global or attribute that grows.")


def _after(reader, first, positions):
    """How far the first output has changed once another sequence has gone by."""
    try:
        reader.run(*sample(len(positions), reader.dim, seed=5), positions)
    except Unusable:  # too long for its table or buffer
        return 0.0
    return np.abs(np.nan_to_num(first - reader.run(*sample(len(first), reader.dim), reader.positions))).max()


def _random(reader):
    """Values of zero, twice: what was kept of earlier values would show, and alike."""
    q, k, v = sample(len(reader.positions), reader.dim)
    one, two = (reader.run(q, k, 0 * v, reader.positions).ravel() for _ in range(2))
    if max(np.abs(one).max(), np.abs(two).max()) < 1e-9:
        return True
    return bool(np.corrcoef(one, two)[0, 1] < 0.5)


def _fine(outputs):
    """Refuse outputs that all are numbers of a short format: angles cannot be read from three digits."""
    seen = outputs[np.isfinite(outputs)]
    form = next((form for form in ("bfloat16", "float16") if np.array_equal(rounded(seen, form), seen)), None)
    if form and np.unique(seen).size > 3 and not np.isin(seen, sample(len(outputs), outputs.shape[-1])[2]).all():
        raise Unusable("half precision", f"float64 goes in, and every number that comes out is one of {form}: too coarse to "
                                         "read angles "
                       "from.", "Compute in the dtype of q, k and v, and hand the clinic a function that does not round to "
                                "half precision.")
