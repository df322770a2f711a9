"""What the notebook around a function did: whether the cell that defines it ran, and which of the notebook's names it uses."""

import dis
import re
import types

import numpy as np
from IPython import get_ipython

DATA = (np.ndarray, np.generic, bool, int, float, complex, str, list, tuple, dict, set)


class Cells:
    """Watches the notebook's cells, to know which of them failed before it could define its functions."""

    def __init__(self, shell):
        self.shell, self.homes, self.known, self.failed = shell, {}, {}, {}
        shell.events.register("post_run_cell", self.note)

    def note(self, result):
        """Called by IPython after every cell that ran, or could not."""
        cell = getattr(result.info, "cell_id", None)
        names = re.findall(r"^[ \t]*def[ \t]+(\w+)", result.info.raw_cell, re.MULTILINE)
        error = result.error_before_exec or result.error_in_exec
        for name in names:                     # a later line may fail: the function is new all the same
            before, now = self.known.get(name), self.shell.user_ns.get(name)
            self.failed[name] = error if error is not None and before is now else None
            self.known[name], self.homes[name] = now, cell or self.homes.get(name)
        if cell is not None:                   # found by its cell where a typing error has hidden the name
            self.failed[cell] = result.error_before_exec

    def failure(self, function):
        """The error of the cell that should have renewed this function of the notebook, or None."""
        name = getattr(function, "__name__", None)
        if name is None or self.shell.user_ns.get(name) is not function:
            return None
        return self.failed.get(name) or self.failed.get(self.homes.get(name))


_shell = get_ipython()
WATCH = Cells(_shell) if _shell is not None else None


def failure(function):
    """Why the cell that defines a function did not run ("SyntaxError: invalid syntax, line 3"), or "" if it did."""
    error = WATCH.failure(function) if WATCH and callable(function) else None
    if error is None:
        return ""
    line = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
    return " ".join(f"{type(error).__name__}: {getattr(error, 'msg', error)}".split())[:200].rstrip(".:") + line


def borrowed(function, given=()):
    """The data of the notebook that a function reads though it is no input of its own, in the order of its text.

    >>> scale = 3
    >>> borrowed(eval("lambda x, y: np.sum(x) * scale + y", {"scale": 3, "np": np}))
    ['scale']
    """
    code = getattr(function, "__code__", None)
    if code is None:
        return []
    names = dict.fromkeys(name for name in _globals_read(code) if isinstance(function.__globals__.get(name), DATA))
    return [name for name in names if name not in given and not name.startswith("__")]


def _globals_read(code):
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield step.argval
        elif isinstance(step.argval, types.CodeType):
            yield from _globals_read(step.argval)
