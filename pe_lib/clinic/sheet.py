"""The sheet a diagnosis is written on, and the one place where a learner's function is called."""

import contextlib
import io
import warnings

import numpy as np

from pe_lib.clinic.notes import number
from pe_lib.clinic.report import Fault, Finding, Report

MEND_RESULT = "Return one NumPy array of finite real numbers, of the shape asked for."


class Unusable(Exception):
    """The function gave nothing that could be measured; the text says what happened, in one sentence."""

    def __init__(self, key, sentence, remedy=MEND_RESULT):
        super().__init__(sentence)
        self.fault = Fault(key, sentence, remedy)


class Sheet:
    """Findings, faults and conventions as they come; at the end a Report."""

    def __init__(self, function):
        inner = getattr(function, "func", function)  # functools.partial
        self.subject = getattr(inner, "__name__", type(inner).__name__)
        self.findings, self.faults, self.conventions, self.remarks = [], [], [], []

    @property
    def keys(self):
        return [fault.key for fault in self.faults]

    def find(self, name, ok, figure):
        self.findings.append(Finding(name, ok if ok is None else bool(ok), figure))
        return ok

    def fault(self, key, sentence, remedy):
        if key not in [fault.key for fault in self.faults]:
            self.faults.append(Fault(key, sentence, remedy))

    def judge(self, name, faulty, figure, key, sentence, remedy):
        """A finding that is a fault where it does not hold."""
        self.find(name, not faulty, figure)
        if faulty:
            self.fault(key, sentence, remedy)

    def has(self, *keys):
        """Is one of these among the faults so far?"""
        return any(fault.key in keys for fault in self.faults)

    def pardon(self, key, finding, convention):
        """What was written down as a fault does no harm: a convention, then."""
        self.faults = [fault for fault in self.faults if fault.key != key]
        self.findings = [Finding(f.name, None, f.figure) if f.name == finding else f for f in self.findings]
        self.name(convention)

    def name(self, convention):
        if convention not in self.conventions:
            self.conventions.append(convention)

    def examine(self, examination, *arguments):
        """Go through an examination; where nothing more can be measured the reason is a fault, and the findings so far stand."""
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                examination(self, *arguments)
        except Unusable as unusable:
            self.stop(unusable.fault)
        except (ValueError, IndexError, TypeError, ArithmeticError) as error:
            words = f"What it returns is so odd that the examination broke off: {error}."
            self.stop(Fault("beyond the clinic", words, MEND_RESULT))

    def stop(self, fault):
        self.find(fault.key, False, "nothing further was measured")
        self.faults.insert(0, fault)

    def report(self):
        return Report(self.subject, tuple(self.findings), tuple(self.faults), "; ".join(self.conventions), tuple(self.remarks))


def call(function, *arguments):
    """What the function returns for copies of the arguments; an exception of its own becomes Unusable, in one line."""
    given = [np.copy(argument) if isinstance(argument, np.ndarray) else argument for argument in arguments]
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"), _quiet():
            warnings.simplefilter("ignore")
            result = function(*given)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a learner's function raises is a finding
        lines = str(error).strip().splitlines() or ["(no message)"]
        line = lines[0] if len(lines[0]) < 200 else lines[0][:200] + " ..."
        sentence = f"Given {described(arguments)}, it raised {type(error).__name__}: {line}"
        raise Unusable("raises", sentence, "Let it take these arguments, or say which it takes (dim=, axes=); the message says what it stumbled over.") from None
    changed = [i for i, (a, b) in enumerate(zip(arguments, given)) if isinstance(a, np.ndarray) and not np.array_equal(a, b)]
    return result, changed


@contextlib.contextmanager
def _quiet():
    """What the function prints stays inside."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


def numbers(result, what="It", finite=True):
    """The result as a float64 array, without NaN or +inf unless these are let through, or Unusable."""
    if result is None or result is Ellipsis or result is NotImplemented:
        raise Unusable("returns nothing", f"{what} returned {result!r}.", MEND_RESULT)
    if isinstance(result, (dict, set, str)):
        raise Unusable("not an array", f"{what} returned a {type(result).__name__}, not an array.")
    try:
        array = np.asarray(result)
    except ValueError:
        raise Unusable("not an array", f"{what} returned a ragged {type(result).__name__}, not an array.") from None
    if array.dtype.kind not in "iuf":
        key = "complex numbers" if array.dtype.kind == "c" else "not an array"
        raise Unusable(key, f"{what} returned {array.dtype} of shape {array.shape}, not real numbers.")
    wrong = np.isnan(array) | np.isposinf(array)
    if finite and wrong.any():
        value, place = array[wrong][0], tuple(int(i) for i in np.argwhere(wrong)[0])
        raise Unusable("not finite", f"{what} returned {value} at {place} of shape {array.shape}.", NOT_FINITE)
    return array.astype(np.float64)


NOT_FINITE = (
    "Look for 0 times infinity or infinity minus infinity: a mask of -inf is added, never multiplied, and a row with nothing to "
    "look at needs care in the softmax."
)


def described(arguments):
    parts = [f"{a.dtype} of shape {a.shape}" if isinstance(a, np.ndarray) else _short(a) for a in arguments]
    return ", ".join(parts)


def _short(value):
    return str(value) if isinstance(value, (int, float)) else "nothing" if value is None else f"its own {type(value).__name__}"


def size(value):
    """The magnitude of an error: rounding noise has no digits worth printing, and they vary between machines."""
    if not value < 1e-3:
        return number(value, 3)
    return f"below 1e{max(int(np.ceil(np.log10(max(value, 1e-300)))), -9)}"
