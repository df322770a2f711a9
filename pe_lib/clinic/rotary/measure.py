"""Asking a stranger's function: what it makes of unit vectors is its matrix at every position."""

import contextlib
import io
import warnings
from dataclasses import dataclass

import numpy as np

from pe_lib.precision import rounded

SIZES = {"b": 2, "h": 3}  # unequal, so that exchanged axes are seen
WORDS = {"b": "batch", "h": "heads", "n": "sequence", "d": "features"}
# Tried in this order when the caller does not say how the function takes x; "b n" are positions of each batch row.
FORMS = [(axes, batched) for batched in (False, True) for axes in ("n d", "b n d", "b h n d", "b n h d", "n h d", "n b h d")
         if "b" in axes or not batched]
CONFUSED = ("wrong axis", "heads confused")


@contextlib.contextmanager
def _silence():
    """What a function warns of or writes stays inside."""
    with warnings.catch_warnings(), np.errstate(all="ignore"), contextlib.redirect_stdout(io.StringIO()), \
            contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        yield


class Broken(Exception):
    """No array came back that can be measured; the message says what came instead, and for what."""

    def __init__(self, key, sentence, remedy):
        super().__init__(sentence)
        self.key, self.sentence, self.remedy = key, sentence, remedy
        self.kind = sentence.split("It raised ")[1].split(":")[0] if "It raised " in sentence else ""  # "NameError"


@dataclass
class Probe:
    """The function behind one door: rows in, rows out, as float64. The function is given copies only."""

    rope: object
    dim: int
    axes: str = "n d"
    batched: bool = False
    listed: bool = False  # it has returned a list
    changed: str = ""  # what it has changed of its input
    last: tuple = ()  # the latest result, and a copy of it
    reused: bool = False  # a later call has written into an earlier result
    adds: bool = False  # something comes out for x = 0
    itemsize: int = 8  # bytes of a number of the result
    form: str = ""  # the half precision that results are rounded to, whatever their dtype
    dtype: type = np.float64
    wide: object = None  # the probe of arrays with heads and texts, if the function takes them and treats them alike

    def __call__(self, x, positions, dtype=None):
        """x (n, dim) or (dim,), the same for every head and batch row -> (n, dim), of the first of them."""
        x = np.broadcast_to(x, (len(positions), self.dim))
        return self.first(self.answer(self.widened(x), positions, dtype).astype(np.float64))

    def turned(self, x, positions, dtype=None):
        """What becomes of x alone, without anything that is added to it."""
        y = self(x, positions, dtype)
        return y - self(np.zeros(self.dim), positions, dtype) if self.adds else y

    def answer(self, x, positions, dtype=None):
        """What the function makes of an array of its own shape: an array of real, finite numbers, or Broken."""
        given, given_positions = np.array(x, dtype or self.dtype, order="C"), np.array(positions)
        if self.batched and given_positions.ndim == 1:
            given_positions = np.tile(given_positions, (SIZES["b"], 1))
        kept, kept_positions = given.copy(), given_positions.copy()
        try:
            with _silence():
                result = self.rope(given, given_positions)
        except (Exception, SystemExit) as error:
            raise Broken("raises", f"It raised {one_line(error)}, for {_given(kept, kept_positions)}.",
                         "look at the line that raised; if it is made for another width or other axes, say dim= and axes=.") from None
        if not np.array_equal(given, kept) and not self.changed:
            self.changed = "x"
        if not np.array_equal(given_positions, kept_positions):
            self.changed = "positions"
        array = self.checked(result, kept, kept_positions)
        self.reused |= bool(self.last) and not np.array_equal(*self.last)
        self.last = array, array.copy()
        return array.copy()

    def checked(self, result, x, positions):
        """The result as an array of real, finite numbers and of x's shape, or Broken."""
        asked, array = _given(x, positions), _as_array(result, _given(x, positions))
        self.listed |= isinstance(result, list)
        if array.dtype.kind == "c":
            raise Broken("complex numbers", f"It returned complex numbers ({array.dtype}, shape {array.shape}), for {asked}.",
                         "real and imaginary part are the pair's two features: write them back as two real numbers.")
        if array.dtype.kind in "iub":
            raise Broken("integers", f"It returned {array.dtype}, for {asked}: turned features are no whole numbers.",
                         "make the result in x's own float dtype.")
        if array.dtype.kind != "f":
            raise Broken("not an array", f"It returned {array.dtype} values, for {asked}.", "return an array of floats"
                         f"{', .astype(np.float32) at the end' if array.dtype.name == 'bfloat16' else ''}.")
        if array.shape != x.shape:
            raise Broken("wrong shape", f"It returned shape {array.shape}, for {asked}.", "the result has x's own shape.")
        sound = np.abs(array.astype(np.float64)) < 1e100  # NaN and infinity are not, nor what can no longer be squared
        if not sound.all():
            where = tuple(int(i) for i in np.argwhere(~sound)[0])
            raise Broken("not finite", f"It returned {array[where]} at {list(where)}, for {asked}.",
                         "look for 0/0, for a logarithm or power of a negative number, and for an array left unfilled.")
        if x.dtype == self.dtype:
            self.itemsize = 2 if self.form else array.dtype.itemsize
        return array

    def read_form(self, answer):
        """Are all results, for an x of many digits, numbers of float16 or bfloat16?"""
        y = answer.astype(np.float64)
        if np.count_nonzero(y) > y.size / 2:
            self.form = next((form for form in ("bfloat16", "float16") if np.array_equal(rounded(y, form), y)), "")

    def widened(self, x):
        """(n, dim) -> the function's own shape, with the same rows for every head and batch row."""
        axes = self.axes.split()
        extra = [axis for axis in axes if axis not in "nd"]
        full = np.broadcast_to(x, [SIZES[axis] for axis in extra] + list(x.shape))
        return full.transpose([(extra + ["n", "d"]).index(axis) for axis in axes])

    def first(self, y):
        return y[tuple(slice(None) if axis in "nd" else 0 for axis in self.axes.split())]


def one_line(error):
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:120]}{'...' if len(text) > 120 else ''}" if text else type(error).__name__


def find_probe(rope, dim, axes=None):
    """The probe in the first shape that the function takes, and the shapes it refused, with the reason."""
    refused = []
    forms = [(axes, False), (axes, True)][: 1 + ("b" in axes)] if axes else FORMS
    for dtype in (np.float64, np.float32):
        for form, batched in forms:
            probe = Probe(rope, dim, form, batched, dtype=dtype)
            try:
                _check_axes(probe.answer(probe.widened(_row(dim, 9)), np.arange(9)), form)
                return probe, refused
            except Broken as broken:
                refused.append((probe, broken))
                if axes and broken.key in CONFUSED:
                    return None, refused
    return None, refused


def turns_along(y, axes):
    """The axes along which equal rows come back unequal."""
    return [axis for i, axis in enumerate(axes.split()[:-1]) if np.ptp(y, axis=i).max() > 1e-6]


def matrices(probe, count):
    """M (count, dim, dim) with y[p] = M[p] @ x[p] + added[p], for a function that is linear in x."""
    positions = np.arange(count)
    added = probe(np.zeros(probe.dim), positions)
    columns = [probe(unit, positions) - added for unit in np.eye(probe.dim)]
    return np.stack(columns, axis=-1), added


def _row(dim, n):
    return np.broadcast_to(np.random.default_rng(0).normal(size=dim), (n, dim))


def _check_axes(turned, form):
    """Equal rows come back unequal along the sequence alone."""
    along, names = turns_along(turned, form), ", ".join(WORDS[letter] for letter in form.split())
    for axis in [axis for axis in along if axis != "n"][:1]:
        place, remedy = form.split().index(axis), "the position axis of the angles belongs to the sequence axis of x."
        if "n" in along:
            raise Broken("heads confused", f"For x of axes ({names}) equal rows come back unequal along axis {place}, the "
                         f"{WORDS[axis]}.", "turn every head and text alike: by its token's position, with frequencies made for one head.")
        raise Broken("wrong axis", f"For x of axes ({names}) it turns along axis {place}, the {WORDS[axis]}, and not along the "
                     "sequence.", remedy)


def _as_array(result, asked):
    if result is None:
        raise Broken("returns nothing", f"It returned None, for {asked}.", "end with a return of the turned x.")
    if isinstance(result, (tuple, dict, set, str)):
        raise Broken("not an array", f"It returned a {type(result).__name__}, for {asked}.", "return one array, the turned x.")
    try:
        return np.asarray(result)
    except Exception:
        raise Broken("not an array", f"It returned a {type(result).__name__} that is no array, for {asked}.",
                     "return one array, the turned x.") from None


def _given(x, positions):
    return f"x of shape {x.shape} ({x.dtype}) and positions of shape {positions.shape}"
