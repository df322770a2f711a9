"""Results compared with what was wanted, and the first difference put into words."""

import inspect

import numpy as np

TOLERANCE = 1e-5      # relative and absolute; loose enough for float32
COARSE = "These numbers are right to three digits only: the precision is too low. Compute in float64, NumPy's own."


def numbers(result):
    """A result as an array; a tuple or a dict as the same of arrays. Raises ValueError for all else."""
    if isinstance(result, tuple):
        return tuple(map(numbers, result))
    if isinstance(result, dict):
        return {key: numbers(part) for key, part in result.items()}
    try:
        array = np.asarray(result)
    except Exception:                      # rows of unequal length; arrays of other packages, as they please
        array = np.asarray(None)
    if array.dtype.kind not in "biufc":
        raise ValueError(f"{name_kind(result)}, which is no rectangular array of numbers")
    return array


def difference(got, wanted, tolerance=TOLERANCE):
    """The first difference in words, or "" where there is none.

    >>> difference([[1.0, 2.0]], [[1.0, 2.5]])
    'row 0, column 1 should be 2.5 and is 2.'
    """
    if isinstance(wanted, (tuple, dict)):
        return _difference_of_parts(got, wanted, tolerance)
    if isinstance(got, (tuple, dict)):
        return f"it should be one array and is {name_kind(got)}."
    got, wanted = np.asarray(got), np.asarray(wanted)
    if got.shape != wanted.shape:
        return f"the shape should be {wanted.shape} and is {got.shape}."
    wrong = np.argwhere(~np.isclose(got, wanted, rtol=tolerance, atol=tolerance))    # a nan is always wrong
    if not len(wrong):
        return ""
    index = tuple(map(int, wrong[0]))
    if np.isnan(got[index]):
        return f"{_place(index)} should be a number and is nan: a 0/0 or an inf − inf on the way."
    should, found = _apart(wanted[index], got[index])
    return f"{_place(index)} should be {should} and is {found}."


def known_mistake(got, classics, otherwise, *inputs):
    """The hint of the classic mistake (hint -> wrong function) that gives just these numbers, or else the general one."""
    return next((hint for hint, wrong in classics.items() if not difference(got, wrong(*inputs))), otherwise)


def _difference_of_parts(got, wanted, tolerance):
    keys = list(wanted) if isinstance(wanted, dict) else range(len(wanted))
    if type(got) is not type(wanted) or len(got) != len(wanted) or (isinstance(got, dict) and set(got) != set(keys)):
        return f"it should be {name_kind(wanted)} and is {name_kind(got)}."
    for key in keys:
        if told := difference(got[key], wanted[key], tolerance):
            return f"in part {key!r} {told}"
    return ""


def _place(index):
    if len(index) == 2:
        return f"row {index[0]}, column {index[1]}"
    return "it" if not index else f"entry {index[0] if len(index) == 1 else index}"


def _apart(one, other):
    """Two numbers in as few digits as tell them apart."""
    for digits in (4, 8, 17):
        texts = f"{one:.{digits}g}", f"{other:.{digits}g}"
        if texts[0] != texts[1]:
            break
    return texts


def name_kind(value):
    """What a value is, for a message: "a list of 3", "an array of shape (2, 4)", "a tuple of 2", "a str"."""
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    if isinstance(value, dict):
        return f"a dict of {sorted(map(str, value))}"
    return f"a {type(value).__name__}" + (f" of {len(value)}" if isinstance(value, (tuple, list)) else "")


def name_call(function, inputs):
    """A call, for a message: "encoding(positions=[0 1 2], dim=4)"; large arrays by their shape."""
    def short(value):
        if not isinstance(value, np.ndarray):
            return f"={getattr(value, '__name__', repr(value)) if callable(value) else repr(value)}"
        return f"={np.round(value, 3)}" if value.ndim == 1 and value.size <= 6 else f" of shape {value.shape}"
    given = [name + short(value) for name, value in zip(argument_names(function, len(inputs)), inputs, strict=True)]
    name = getattr(function, "__name__", "<").replace("<lambda>", "<")
    return f"{'your function' if name == '<' else name}({', '.join(given)})"


def argument_names(function, count):
    """The names of a function's first arguments, "argument 1" and so on where they have none."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):            # some built-in functions do not tell
        parameters = []
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)][:count]
    return names + [f"argument {number}" for number in range(len(names) + 1, count + 1)]
