"""What becomes of an angle when positions and frequencies are kept in fewer bits."""

import numpy as np

from pe_lib._validate import finite_array, frequency_array

FORMATS = ("float32", "float16", "bfloat16")


def rounded(values, form):
    """A number format has room for so many digits only: 65,536 and 65,700 are the same number in bfloat16.

    values (...); form "float32", "float16" or "bfloat16" -> (...), float64: the nearest value of that format.
    24, 11 or 8 significant bits; halves go to the even neighbour; beyond the largest value (65,504 in float16) inf

    Raises: ValueError if values is not real and finite, or form is none of the three.
    Source: IEEE 754; bfloat16 is a float32 of which only the first 16 bits are kept.

    >>> rounded([65_536, 65_700, 66_000], "bfloat16")
    array([65536., 65536., 66048.])
    """
    values = finite_array(values, "values")
    if not isinstance(form, str) or form not in FORMATS:
        raise ValueError(f"form must be one of {', '.join(FORMATS)}, got {form!r}")
    with np.errstate(over="ignore"):
        if form == "bfloat16":
            # NumPy has no bfloat16: eight binary digits of a float32. rint sends halves to the even neighbour.
            digits, exponent = np.frexp(values.astype(np.float64))
            values, form = np.ldexp(np.rint(digits * 2**8), exponent - 8), "float32"
        return values.astype(form).astype(np.float64)


def angle_error(positions, inv_freq, form):
    """An angle made in a short format is wrong by an amount that grows with the position.

    positions (..., n), tokens; inv_freq (dim/2,), radians per token -> (..., n, dim/2), radians, from 0 up.
    |rounded(rounded(position) * rounded(inv_freq)) - position * inv_freq|

    Above pi the angle is noise. A position or frequency beyond the format has an infinite error.
    Raises: ValueError as `angles` and `rounded`.
    Source: the last product in float64, as `angles` makes it.

    >>> angle_error([255, 256, 257], [1.0], "bfloat16").ravel()
    array([0., 0., 1.])
    """
    positions = finite_array(positions, "positions").astype(np.float64)[..., None]
    inv_freq = frequency_array(inv_freq)
    short, speeds = rounded(positions, form), rounded(inv_freq, form)
    within = np.isfinite(short) & np.isfinite(speeds)
    # In float64 neither product can overflow where both factors are within a short format.
    short = rounded(np.where(within, short, 0.0) * np.where(within, speeds, 0.0), form)
    return np.where(within, np.abs(short - np.where(within, positions, 0.0) * inv_freq), np.inf)
