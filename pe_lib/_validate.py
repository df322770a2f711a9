"""What the maths modules ask of their arguments: a clear ValueError here saves a silent wrong number later."""

import numpy as np


def real_array(values, name, least_axes=0):
    """Real numbers come back as a float array: floats keep their dtype, integers become float64."""
    array = _rectangular(values, name, "real numbers")
    # Booleans are refused too: a True/False mask added to scores would count as 1 and 0.
    if array.dtype.kind not in "iuf":
        raise ValueError(f"{name} must hold real numbers, got dtype {array.dtype}, shape {array.shape}")
    if array.ndim < least_axes:
        axes = "1 axis" if least_axes == 1 else f"{least_axes} axes"
        raise ValueError(f"{name} must have at least {axes}, got shape {array.shape}")
    return array if array.dtype.kind == "f" else array.astype(np.float64)


def finite_array(values, name, least_axes=0):
    """A real array without NaN or infinity."""
    array = real_array(values, name, least_axes)
    _refuse(array, ~np.isfinite(array), f"{name} must be finite")
    return array


def finite_or_masked(values, name, least_axes=0):
    """A real array without NaN or +inf; -inf is allowed, since it means "may not look"."""
    array = real_array(values, name, least_axes)
    _refuse(array, np.isnan(array) | np.isposinf(array), f"{name} must be finite or -inf")
    return array


def integer_array(values, name):
    """Integers as int64, small enough that a negation or a difference of two of them cannot wrap around."""
    array = _rectangular(values, name, "integers")
    if array.size == 0:
        return np.zeros(array.shape, np.int64)  # an empty list says nothing of its type
    if array.dtype.kind not in "iu":
        raise ValueError(f"{name} must hold integers, got dtype {array.dtype}, shape {array.shape}")
    _refuse(array, (array <= -(2**62)) | (array >= 2**62), f"{name} must be between -2**62 and 2**62")
    return array.astype(np.int64)


def finite_number(value, name):
    """One finite real number, as a Python float."""
    array = finite_array(value, name)
    if array.ndim != 0:
        raise ValueError(f"{name} must be one number, got shape {array.shape}")
    return float(array)


def positive_number(value, name):
    """One finite real number above 0, as a Python float."""
    number = finite_number(value, name)
    if number <= 0:
        raise ValueError(f"{name} must be above 0, got {number}")
    return number


def frequency_array(inv_freq):
    """One finite angular frequency a pair, as float64 of shape (dim/2,)."""
    array = finite_array(inv_freq, "inv_freq")
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"inv_freq must hold one frequency a pair, shape (dim/2,), got shape {array.shape}")
    return array.astype(np.float64)


def turnable(positions, inv_freq, name):
    """Positions and frequencies as float64, with products within the range of the floats; ``name`` is the positions'."""
    positions, inv_freq = finite_array(positions, name).astype(np.float64, copy=False), frequency_array(inv_freq)
    furthest, fastest = float(abs(positions).max(initial=0)), float(abs(inv_freq).max())
    if np.isinf(furthest * fastest):
        shapes = f"shapes {positions.shape} and {inv_freq.shape}"
        raise ValueError(f"{name} times inv_freq must be finite, got sizes up to {furthest} and {fastest}, {shapes}")
    return positions, inv_freq


def within_range(result, name):
    """A result that is within the range of the floats, as it came; an overflow to infinity is refused."""
    if not np.isfinite(result).all():
        raise ValueError(f"{name} must be finite, got a result beyond the range of the floats")
    return result


def each_pair(array, wrong, shape, requirement):
    """Refuse an array of another shape, or the first value that is wrong; ``requirement`` begins with its name."""
    if array.shape != shape or wrong.any():
        got = f"shape {array.shape}" if array.shape != shape else array[wrong][0]
        raise ValueError(f"{requirement} a pair, shape {shape}, got {got}")


def whole_number(value, name, least=0):
    """An integer of at least ``least``; True, 4.0 and "4" are not integers here."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise ValueError(f"{name} must be an integer of at least {least}, got {value!r}")
    return int(value)


def even_dim(dim, least=2):
    """An even width: sine and cosine, or the two coordinates that turn together, come in pairs."""
    dim = whole_number(dim, "dim", least)
    if dim % 2:
        raise ValueError(f"dim must be even, since features come in pairs, got {dim}")
    return dim


def frequency_base(base):
    """A base above 0 and not 1: at 1 every pair would turn at the same speed."""
    base = finite_number(base, "base")
    if base <= 0 or base == 1:
        raise ValueError(f"base must be above 0 and not 1, got {base}")
    return base


def common_shape(description, *shapes):
    """The shape to which all the shapes broadcast; ``description`` names them in the error."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        raise ValueError(f"{description} must broadcast, got shapes {' and '.join(map(str, shapes))}") from None


def real_or_padding(real):
    """Which places of a padded row hold a token, 0 and 1 as int64."""
    array = np.asarray(real)
    if array.dtype.kind not in "biu" or array.ndim < 1 or not np.isin(array, (0, 1)).all():
        raise ValueError(f"real must hold 0 for padding and 1 for a token, got dtype {array.dtype}, shape {array.shape}")
    return array.astype(np.int64)


def bias_of_every_key(bias, queries, keys):
    """A bias that fits the scores of such shapes; one that was built for a single key would broadcast to all, and say nothing."""
    bias, scores = finite_or_masked(bias, "bias"), (*queries[:-1], keys[-2])
    if bias.ndim and (bias.shape[-1] != scores[-1] or common_shape("bias and scores", bias.shape, scores) != scores):
        raise ValueError(f"bias must be one number, or hold one a key and fit (..., new, n) = {scores}, got shape {bias.shape}")
    return bias


def _rectangular(values, name, numbers):
    if isinstance(values, np.ma.MaskedArray):
        raise ValueError(f"{name} must be a plain array, since the mask of a masked one would be lost, got a masked array, shape {values.shape}")
    try:
        return np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} must be a rectangular array of {numbers}, got {values!r}") from None


def _refuse(array, wrong, requirement):
    if wrong.any():
        raise ValueError(f"{requirement}, got {array[wrong][0]}, shape {array.shape}")
