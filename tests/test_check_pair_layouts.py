"""The checks of chapter 6: right answers in several forms pass, odd ones hear one line (classic mistakes: exercises/)."""

import numpy as np

from pe_lib.teach.checks import pair_layouts as checks
from pe_lib.frequencies import inverse_frequencies
from pe_lib.layouts import to_half
from pe_lib.rotary import rotate


def convert_by_loop(w_q, b_q, w_k, b_k, heads):
    half = len(b_q) // heads // 2
    order = [head * 2 * half + m + part * half for head in range(heads) for m in range(half) for part in (0, 1)]
    return w_q[:, order], b_q[order], w_k[:, order], b_k[order]


# claims 6.1, 6.3 and 6.4, as a learner meets them in an exercise
RIGHT = [
    (checks.check_half_order, lambda dim: np.arange(dim).reshape(-1, 2).T.ravel()),
    (checks.check_half_order, lambda dim: [*range(0, dim, 2), *range(1, dim, 2)]),
    (checks.check_half_order, lambda dim: (*range(0, dim, 2), *range(1, dim, 2))),
    (checks.check_half_order, lambda dim: to_half(np.arange(dim)).astype(int)),
    (checks.check_convert, convert_by_loop),
    (checks.check_convert, checks.converted),
    (checks.check_convert, lambda *given: list(checks.converted(*given))),
    (checks.check_convert, lambda *given: tuple(-part for part in checks.converted(*given))),       # scores stay, as asked
    (checks.check_convert, lambda *given: tuple(part * by for part, by in zip(checks.converted(*given), (2, 2, 0.5, 0.5)))),
    (checks.check_partial, checks.partial_by_loop),
    (checks.check_partial, lambda x, p, rotary_dim: rotate(x, p, inverse_frequencies(rotary_dim), layout="half")),
]
UNTOUCHED = [("6.1", lambda dim: ...), ("6.2", lambda w_q, b_q, w_k, b_k, heads: None), ("6.3", lambda x, positions, rotary_dim: ...)]


def test_four_features_would_hide_the_way_back():
    """claim 6.1: the order for d = 4 undoes itself, so the check asks for wider vectors."""
    def back(dim):
        return np.arange(dim).reshape(2, -1).T.ravel()
    assert np.array_equal(back(4), checks.order_by_loop(4)) and not np.array_equal(back(6), checks.order_by_loop(6))


NONSENSE = {"6.1": {"fractions": lambda dim: np.linspace(0, 1, 6)}, "6.2": {"four of six": lambda *inputs: (np.arange(6.0),) * 4}}
