"""Reading an attention function: from what comes out of it to its weights, and from these to its scores."""

import inspect
from typing import NamedTuple

import numpy as np

from pe_lib.clinic.sheet import Unusable, call, numbers

POSITIONS = np.array([0, 1, 3, 4, 7, 8, 60])  # with gaps, to tell positions from the rows' numbers; the last for slow pairs
SHORT, CONSECUTIVE = np.array([0, 1, 3, 4, 7, 8, 12]), np.arange(7)  # where those are refused: a table or a buffer ends before
SEEN = 1e-14  # a smaller weight is rounding
FORMS = ("n d", "b h n d", "b n h d", "b n d")  # tried in this order; batch and heads are of size 1
PROTOCOL = "Take (q, k, v, positions{}) and return {}."


class FewRows(Unusable):
    """An output of the right width and the wrong number of rows."""


class Reader(NamedTuple):
    """The function, and how it wants to be called."""

    attend: object
    dim: int
    cached: bool
    form: str = "n d"
    rows: bool = False  # positions (1, n)
    named: bool = False  # cache is a keyword
    positions: np.ndarray = POSITIONS  # (n,), those it is measured at
    values: np.ndarray | None = None  # (n, d_value, d_value): what feeds the values so that they come out plain
    residual: float = 0.0  # so much of the value itself is added, and taken off again here
    cap: float = 0.0  # scores are bent by cap * tanh(score / cap); 0: they are not
    normed: bool = False  # q and k are brought to one length inside

    def run(self, q, k, v, positions, plan=None):
        """Outputs (n, d_value) of the whole sequence; with a plan, chunk by chunk through the cache. NaN is let through."""
        if not self.cached:
            return self._array(self._call(q, k, v, positions), v.shape) - self.residual * v
        outputs, cache, start = [], None, 0
        for count in plan or [len(q)]:
            rows = slice(start, start + count)
            output, cache = self._step(q[rows], k[rows], v[rows], positions[rows], cache)
            outputs.append(output)
            start += count
        return np.concatenate(outputs) - self.residual * v

    def _step(self, q, k, v, positions, cache):
        result = self._call(q, k, v, positions, cache)
        if not isinstance(result, (tuple, list)) or len(result) != 2:
            many = f"{type(result).__name__} of {len(result)}" if isinstance(result, (tuple, list)) else type(result).__name__
            raise Unusable("no cache returned", f"It returned a {many}, not a pair (output, cache).",
                           PROTOCOL.format(", cache", "(output, cache)"))
        return self._array(result[0], v.shape), result[1]

    def _call(self, q, k, v, positions, *cache):
        widened = [self.widen(x) for x in (q, k, v)]
        result, _ = self.call(*widened, positions[None] if self.rows else positions, *cache)
        return result

    def call(self, q, k, v, positions, cache=None):
        """The function itself, and which of the arguments it has changed."""
        if not self.cached:
            return call(self.attend, q, k, v, positions)
        if self.named:
            return call(lambda *tokens: self.attend(*tokens, cache=cache), q, k, v, positions)
        return call(self.attend, q, k, v, positions, cache)

    def _array(self, result, shape):
        result = result if self.cached else first_of(result)
        array = numbers(result, finite=False)
        wanted = self.widen(np.empty(shape)).shape
        if array.shape != wanted:
            fewer = array.ndim == len(wanted) == 2 and array.shape[1] == wanted[1]
            raise (FewRows if fewer else Unusable)("wrong shape", f"For q, k, v of shape {wanted} it returned an output of shape "
                                                   f"{array.shape}.", "One output row a query, as wide as the values.")
        return array.reshape(shape)

    def widen(self, x):
        return np.array(x).reshape({"n d": x.shape, "b h n d": (1, 1, *x.shape), "b n h d": (1, len(x), 1, x.shape[-1]),
                                    "b n d": (1, *x.shape)}[self.form])

    def straight(self, scores):
        """Scores as they were before the cap."""
        return self.cap * np.arctanh(np.clip(scores / self.cap, -1 + 1e-12, 1 - 1e-12)) if self.cap else scores

    def weights(self, q, k, positions, plan=None):
        """(n, n): each value is fed as a unit vector of its own, so that the output is the row of weights."""
        n, dim = len(q), self.dim
        columns = []
        for start in range(0, n, dim):
            v = np.zeros((n, dim))
            for feature, row in enumerate(range(start, min(start + dim, n))):
                v[row, feature] = 1
            if self.values is not None:
                v = np.einsum("nij,nj->ni", self.values[:n], v)
            columns.append(self.run(q, k, v, positions, plan)[:, : min(dim, n - start)])
        return np.concatenate(columns, axis=1)


def first_of(result):
    """The output of (output, weights, ...), a tuple or a list of arrays."""
    several = isinstance(result, tuple) or isinstance(result, list) and len(result) > 1 and isinstance(result[0], np.ndarray) \
        and result[0].ndim > 1
    return result[0] if several and len(result) else result


def sample(n, dim, seed=2):
    """Random q, k, v."""
    return np.random.default_rng(seed).normal(size=(3, n, dim))


def find_form(attend, dim, cached, axes=None):
    """(reader, doubt): the first form in which the function takes a sequence and gives an output of the right shape back; doubt
    is what another form said that gave too few rows, and is the likelier reason if an examination in this form fails."""
    first = None
    for positions in (POSITIONS, SHORT, CONSECUTIVE):
        try:
            return _form_at(attend, dim, cached, axes, positions)
        except Unusable as unusable:
            first = first or unusable
            if unusable.fault.key != "raises":
                break
    raise first


def _form_at(attend, dim, cached, axes, positions):
    refused, idle = [], []
    for rows in (False, True):
        for form in [axes] if axes else FORMS:
            if rows and "b" not in form:
                continue
            reader = Reader(attend, dim, cached, form, rows, "cache" in parameters(attend), positions)
            try:
                alone = _rows_alone(reader)
            except Unusable as unusable:
                refused.append(unusable)
            else:
                if not alone:
                    return reader, next((u for u in refused if isinstance(u, FewRows)), None)
                idle.append(reader)
    # An output of another shape says more than an exception; a function that unpacks four axes says nothing useful of two.
    told = [unusable for unusable in refused if unusable.fault.key != "raises"]
    if idle and (idle[0].form == "n d" or not told):
        return idle[0], None
    fitting = [unusable for unusable in refused if "unpack" not in str(unusable)]
    raise (told or fitting or refused)[0]


def _rows_alone(reader):
    """Does every row stand by itself? Then an axis of size 1 may have been taken for the sequence."""
    q, k, v = sample(len(reader.positions), reader.dim)
    output = reader.run(q, k, v, reader.positions)
    other = reader.run(q, k, v + (np.arange(len(v)) % (len(v) - 1) == 0)[:, None], reader.positions)  # first and last
    return np.array_equal(output[1:-1], other[1:-1])


def parameters(attend):
    """The names of its parameters."""
    try:
        return list(inspect.signature(attend).parameters)
    except (TypeError, ValueError):  # some callables have no signature
        return []


def transfer(reader, positions, plan=None):
    """T (n, n, d, d): what output i makes of value j. In attention it is a number, the weight, times the identity."""
    n, dim = len(positions), reader.dim
    rng = np.random.default_rng(1)
    q, k = rng.normal(size=(n, dim)), np.zeros((n, dim))
    idle = reader.run(q, k, np.zeros((n, dim)), positions, plan)
    result = np.zeros((n, n, dim, dim))
    for j in range(n):
        for feature in range(dim):
            v = np.zeros((n, dim))
            v[j, feature] = 1
            result[:, j, :, feature] = reader.run(q, k, v, positions, plan) - idle
    return result, idle


def split(moved):
    """T taken apart: weights (n, n), and each value's own matrix (n, n, d, d), NaN where there is no weight."""
    weights = np.linalg.norm(moved, axis=(-2, -1)) / moved.shape[-1] ** 0.5
    with np.errstate(invalid="ignore"):
        seen = (weights > SEEN)[..., None, None]
        return weights, np.where(seen, moved / np.maximum(weights, 1e-30)[..., None, None], np.nan)


def logs(weights):
    """Scores up to a constant a row; NaN where there is no weight."""
    return np.where(weights > SEEN, np.log(np.maximum(weights, SEEN)), np.nan)


def score_matrices(reader, positions, plan=None, firsts=None, seconds=None):
    """S (n, n, features of q, features of k): how the score of query i and key j depends on both, by unit vectors.

    A row's constant is lost in the softmax, so one key is left at zero as the ruler; every key takes its turn until each
    pair has been measured. What q or k alone bring about (a bias, positions that were added) is taken off.
    """
    n, dim = len(positions), reader.dim
    firsts = range(dim) if firsts is None else firsts
    seconds = range(dim) if seconds is None else seconds
    result = np.full((n, n, len(firsts), len(seconds)), np.nan)
    seen = reader.weights(np.zeros((n, dim)), np.zeros((n, dim)), positions, plan) > SEEN
    seen &= np.tri(n, dtype=bool) & (seen.sum(axis=1, keepdims=True) > 1)  # one key alone has weight 1, whatever its score
    for ruler in range(n):
        missing = seen & np.isnan(result[..., 0, 0]) & seen[:, [ruler]]
        missing[:, ruler] = False
        if missing.any():
            result = np.where(np.isnan(result), _by_ruler(reader, positions, plan, firsts, seconds, ruler), result)
    return result


def _by_ruler(reader, positions, plan, firsts, seconds, ruler):
    n, dim = len(positions), reader.dim
    units, zero = np.eye(dim), np.zeros(dim)

    def scores(of_q, of_k):
        q, k = np.tile(of_q, (n, 1)), np.where((np.arange(n) != ruler)[:, None], of_k, 0.0)
        score = logs(reader.weights(q, k, positions, plan))
        return reader.straight(score - score[:, [ruler]])

    idle, by_q = scores(zero, zero), [scores(units[a], zero) for a in firsts]

    def against(of_k):
        """(firsts, n, n): the scores of every unit query with this key, less what either alone brings about."""
        by_k = scores(zero, of_k)
        return np.array([scores(units[a], of_k) - by_q[x] - by_k + idle for x, a in enumerate(firsts)])

    found = _two_entries(against, dim) if len(firsts) == len(seconds) == dim > 8 else None
    if found is None:
        found = np.moveaxis([against(units[b]) for b in seconds], (0, 1), (3, 2))
    found[:, ruler] = np.nan
    return found


def _two_entries(against, dim):
    """The matrices of `_by_ruler` from five keys in place of dim, if each feature of q meets at most two of k, as in a rotation;
    None if not. With entries v, w at places x, y the sums v x^s + w y^s, s = 0 ... 3, are known: x and y solve a quadratic equation."""
    place = (np.arange(dim) + 0.5) / dim
    check = np.random.default_rng(11).normal(size=dim) / dim**0.5
    m0, m1, m2, m3, wanted = (np.moveaxis(against(key), 0, 2) for key in (place**0, place, place**2, place**3, check))
    with np.errstate(all="ignore"):
        hankel = m0 * m2 - m1**2
        alone = np.abs(hankel) < 1e-12
        both, times = (m0 * m3 - m1 * m2) / hankel, (m1 * m3 - m2**2) / hankel            # x + y and x y
        root = np.sqrt(np.maximum(both**2 / 4 - times, 0))
        x, y = (np.where(alone, m1 / m0, both / 2 + way * root) for way in (-1, 1))
        x, y = (np.clip(np.rint(np.nan_to_num(at) * dim - 0.5), 0, dim - 1).astype(int) for at in (x, y))
        second = np.where(x == y, 0, (m1 - m0 * place[x]) / (place[y] - place[x]))
    found = np.zeros((*m0.shape, dim))
    np.put_along_axis(found, y[..., None], second[..., None], axis=-1)
    np.put_along_axis(found, x[..., None], (m0 - second)[..., None], axis=-1)
    if not np.nanmax(np.abs(found @ check - wanted), initial=0) < 1e-9:
        return None
    return np.where(np.isnan(m0)[..., None], np.nan, found)
