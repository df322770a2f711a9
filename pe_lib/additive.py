"""Vectors that are added: to the content, where a score multiplies out into four terms, or to a key, one an offset."""

import numpy as np

from pe_lib._validate import common_shape, finite_array, finite_or_masked
from pe_lib.biases import relative_positions


def score_terms(content, position, w_q, w_k):
    """A score of added vectors is the sum of four: who meets whom, who meets where, where meets who, where meets where.

    content, position (..., n, d), w_q, w_k (..., d, d_head) -> a dict of four arrays (..., n, n), no unit.
    content_position[i, j] = (content[i] w_q) . (position[j] w_k), and so on: the query's part is named first

    A dict, so that a loop has each map with its name; sum(terms.values()) = q k^T for q = (content + position) w_q and
    k = (content + position) w_k. The terms are not divided by sqrt(d_head); doing so scales all four alike.
    Raises: ValueError if an argument or a term is not real and finite, or shapes do not fit.
    Source: Vaswani et al. 2017, section 3.5 (the sum); Ke et al. 2021 (TUPE), section 3.1 (the four terms).

    >>> terms = score_terms([[1.0]], [[10.0]], w_q=[[2.0]], w_k=[[3.0]])
    >>> {name: float(term[0, 0]) for name, term in terms.items()}
    {'content_content': 6.0, 'content_position': 60.0, 'position_content': 60.0, 'position_position': 600.0}
    """
    parts = {"content": finite_array(content, "content", 2), "position": finite_array(position, "position", 2)}
    w_q, w_k = finite_array(w_q, "w_q", 2), finite_array(w_k, "w_k", 2)
    _check_shapes(*parts.values(), w_q, w_k)
    with np.errstate(over="ignore", invalid="ignore"):  # refused below
        queries = {name: part @ w_q for name, part in parts.items()}
        keys = {name: (part @ w_k).swapaxes(-1, -2) for name, part in parts.items()}
        terms = {f"{query}_{key}": queries[query] @ keys[key] for query in parts for key in parts}
    return {name: finite_array(term, name) for name, term in terms.items()}


def variance_shares(terms, mask=0.0):
    """What a term does to the softmax is how it differs between the keys of a row, so shares are of that variance.

    terms, a dict of arrays (..., n_query, n_key); mask, -inf where a query may not look, as in `causal_mask`
    -> a dict of shares with the same names, shape (...), no unit; they sum to 1.
    share[t] = sum(T_t * S) / sum(S * S), with each row of T_t centred on its mean over the allowed keys and S = sum_t T_t

    Covariance with the sum: where two terms correlate, each is given half of what they make together. So a share is below 0
    where a term works against the sum, and then another may be above 1. In a causal head, pass the mask.
    Raises: ValueError if terms is no dict of real, finite arrays of one shape, or their sum tells no key from another.
    Source: Var(S) = sum_t Cov(T_t, S).

    >>> {name: float(share) for name, share in variance_shares({"a": [[0.0, 3.0]], "b": [[5.0, 6.0]]}).items()}
    {'a': 0.75, 'b': 0.25}
    """
    if not isinstance(terms, dict):
        raise ValueError(f"terms must be a dict of arrays, got {terms!r}")
    terms = {name: finite_array(term, name, 2) for name, term in terms.items()}
    if len({term.shape for term in terms.values()}) != 1:
        raise ValueError(f"terms must be arrays of one shape, got {[term.shape for term in terms.values()]}")
    allowed = _allowed(mask, next(iter(terms.values())).shape)
    centred = {name: _centre_rows(term.astype(np.float64), allowed) for name, term in terms.items()}
    whole = sum(centred.values())
    variance = (whole * whole).sum(axis=(-2, -1))
    # Terms that are constant along each row leave rounding behind, of about eps times their size: that is no variance.
    eps = max(np.finfo(term.dtype).eps for term in terms.values())
    size = sum((term.astype(np.float64) ** 2).sum(axis=(-2, -1)) for term in terms.values())
    if (variance <= (4 * eps) ** 2 * size).any():
        raise ValueError(f"terms must tell some key from another in a row, got a constant sum, shape {whole.shape}")
    return {name: (part * whole).sum(axis=(-2, -1)) / variance for name, part in centred.items()}


def shaw_scores(q, vectors, n_key=None):
    """A vector added to the key, one an offset, meets the query: so what it adds to a score depends on the query's content.

    q (..., n_query, d_head), vectors (2 reach + 1, d_head) for offsets -reach ... reach -> (..., n_query, n_key), no unit.
    s[i, j] = q[i] . vectors[clip(relative[i, j], -reach, reach) + reach] / sqrt(d_head), to be added to `attention_scores`

    n_key, None: as many as queries. No b(j - i) of the kind in `biases`, which is the same for every query.
    Raises: ValueError if q, vectors or a score is not real and finite, d_head is 0 or differs, or the rows are not odd.
    Source: Shaw et al. 2018, equation 4 and section 3.2.

    >>> shaw_scores([[1.0], [10.0]], [[2.0], [0.0], [3.0]])
    array([[ 0.,  3.],
           [20.,  0.]])
    """
    q, vectors = finite_array(q, "q", 2), finite_array(vectors, "vectors", 2)
    if q.shape[-1] == 0:
        raise ValueError(f"q must have a d_head of at least 1, got shape {q.shape}")
    if vectors.ndim != 2 or vectors.shape[0] % 2 == 0 or vectors.shape[1] != q.shape[-1]:
        raise ValueError(f"vectors must have shape (2 reach + 1, d_head = {q.shape[-1]}), got shape {vectors.shape}")
    relative = relative_positions(q.shape[-2], n_key)
    reach = vectors.shape[0] // 2
    with np.errstate(over="ignore", invalid="ignore"):  # refused below
        by_offset = finite_array(q @ vectors.T / q.shape[-1] ** 0.5, "q times vectors")
    return by_offset[..., np.arange(q.shape[-2])[:, None], np.clip(relative, -reach, reach) + reach]


def _centre_rows(term, allowed):
    count = np.maximum(allowed.sum(axis=-1, keepdims=True), 1)  # a row with nothing allowed stays at 0
    mean = np.where(allowed, term, 0).sum(axis=-1, keepdims=True) / count
    return np.where(allowed, term - mean, 0)


def _allowed(mask, shape):
    mask = finite_or_masked(mask, "mask")
    if common_shape("mask and terms", mask.shape, shape) != shape:
        raise ValueError(f"mask must broadcast to the terms' shape {shape}, got shape {mask.shape}")
    return np.broadcast_to(~np.isneginf(mask), shape)


def _check_shapes(content, position, w_q, w_k):
    if content.shape[-2:] != position.shape[-2:]:
        raise ValueError(f"content and position must have one (n, d), got shapes {content.shape} and {position.shape}")
    if w_q.shape[-2:] != w_k.shape[-2:] or w_q.shape[-2] != content.shape[-1]:
        raise ValueError(f"w_q and w_k must have one (d = {content.shape[-1]}, d_head), got shapes {w_q.shape} and {w_k.shape}")
    common_shape("leading axes", *(array.shape[:-2] for array in (content, position, w_q, w_k)))
