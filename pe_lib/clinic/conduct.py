"""What any attention function owes its caller: its input left alone, the same answer twice, arithmetic that can be measured."""

import numpy as np

from pe_lib.clinic.notes import number
from pe_lib.clinic.sheet import Unusable, size
from pe_lib.clinic.weights import POSITIONS, sample
from pe_lib.precision import rounded


def examine_conduct(sheet, reader):
    """What any function should do: leave its input alone, answer alike twice, keep the dtype."""
    q, k, v = sample(len(POSITIONS), reader.dim)
    arguments = [reader.widen(x) for x in (q, k, v)] + [POSITIONS[None] if reader.rows else POSITIONS]
    result, changed = reader.call(*arguments)
    output = result[0] if isinstance(result, (tuple, list)) and (reader.cached or isinstance(result, tuple)) else result
    sheet.find("shape", True, f"{reader.form.replace(' ', ', ')} in and out")
    if isinstance(output, list):
        sheet.fault("list returned", "It returns a list, not an array.", "Return a NumPy array.")
    names = [name for i, name in enumerate(("q", "k", "v", "positions")) if i in changed]
    sheet.judge("input unchanged", names, ", ".join(names) + " written to" if names else "left alone", "input changed",
                f"It writes into {', '.join(names)}.", "Work on a copy: x = x.copy(), or an expression without +=, *= and out=.")
    _alike(sheet, reader)
    half, _ = reader.call(*[x.astype(np.float32) for x in arguments[:3]], arguments[3])
    half = half[0] if isinstance(half, (tuple, list)) else half
    dtype = getattr(half, "dtype", None)
    if dtype is not None:
        sheet.find("dtype", None if dtype != np.float32 else True, f"float32 comes back as {dtype}")


def _alike(sheet, reader):
    """Two sequences, and the first again: nothing of the one may be left for the other."""
    n = len(POSITIONS)
    first, _, again = (reader.run(*sample(n, reader.dim, seed), POSITIONS) for seed in (2, 5, 2))
    if np.isnan(first).all():
        raise Unusable("not finite", "Every output is NaN.", "Look for 0/0 and for a mask of -inf that is multiplied or "
                                                             "hides a whole row.")
    off = np.abs(np.nan_to_num(first - again)).max()
    sheet.find("answers alike twice", off < 1e-9, f"largest difference {size(off)}")
    _fine(first)
    if off >= 1e-9:
        words = "begun with cache None, " if reader.cached else ""
        raise Unusable("remembers earlier calls", f"The same sequence, {words}gives another output after a second one: "
                                                  "something is kept between calls, "
                       f"worth {number(off, 2)}.", "Begin each sequence with a new cache: no default argument, global or "
                                                   "attribute that grows.")


def _fine(outputs):
    """Refuse outputs that all are numbers of a short format: angles cannot be read from three digits."""
    seen = outputs[np.isfinite(outputs)]
    form = next((form for form in ("bfloat16", "float16") if np.array_equal(rounded(seen, form), seen)), None)
    if form and np.unique(seen).size > 3 and not np.isin(seen, sample(len(POSITIONS), outputs.shape[-1])[2]).all():
        raise Unusable("half precision", f"float64 goes in, and every number that comes out is one of {form}: too coarse to "
                                         "read angles "
                       "from.", "Compute in the dtype of q, k and v, and hand the clinic a function that does not round to "
                                "half precision.")
