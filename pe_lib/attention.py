"""Scaled dot-product attention: the one place where the tokens of a sequence meet."""

import numpy as np

from pe_lib._validate import common_shape, finite_array, finite_or_masked, real_array, whole_number


def softmax(scores, axis=-1):
    """Scores become weights: positive, summing to 1 along an axis, and unmoved by a constant added to all of them.

    scores, any shape -> the same shape, between 0 and 1, float in float out; integers become float64.
    softmax(s)[j] = exp(s[j]) / sum over j' of exp(s[j'])

    A score of -inf means "may not look" and gets weight 0; where nothing may be looked at, all weights are 0.
    Raises: ValueError if a score is NaN, +inf or not a real number, or if there is no such axis.
    Source: Vaswani et al. 2017, "Attention Is All You Need", equation 1.

    >>> softmax([0.0, np.log(3.0), -np.inf])
    array([0.25, 0.75, 0.  ])
    """
    scores = finite_or_masked(scores, "scores", least_axes=1)
    if not -scores.ndim <= whole_number(axis, "axis", least=-scores.ndim) < scores.ndim:
        raise ValueError(f"axis must be one of the {scores.ndim} axes of scores, got {axis}, shape {scores.shape}")
    largest = scores.max(axis=axis, keepdims=True, initial=-np.inf)
    largest = np.where(np.isneginf(largest), 0, largest)  # -inf - -inf would be NaN
    with np.errstate(over="ignore"):  # a gap too wide for the dtype becomes -inf: weight 0 either way
        powers = np.exp(scores - largest)
    total = powers.sum(axis=axis, keepdims=True)
    return powers / np.where(total == 0, 1, total)


def attention_scores(q, k):
    """How well a query suits a key is their dot product: two vectors, and no index of either.

    q (..., n_query, d_head), k (..., n_key, d_head) -> (..., n_query, n_key), no unit.
    s[i, j] = q[i] . k[j] / sqrt(d_head)

    Raises: ValueError if q, k or a score is not real and finite, q or k has fewer than two axes, or they differ in d_head.
    Source: Vaswani et al. 2017, equation 1.

    >>> attention_scores([[2, 0, 0, 0]], [[3, 0, 0, 0], [0, 5, 0, 0]])
    array([[3., 0.]])
    """
    q, k = _queries_and_keys(q, k)
    with np.errstate(over="ignore", invalid="ignore"):  # scores beyond the dtype are refused below
        scores = q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5
    return finite_array(scores, "q k^T")


def causal_mask(n_query, n_key=None):
    """A query may look at its own position and at what came before it; the last query stands at the last key.

    n_query, n_key (None: as many) -> (n_query, n_key), float64, 0 where query i may look at key j, else -inf.
    mask[i, j] = 0 if j <= i + n_key - n_query else -inf;  it is added to the scores, like any other bias

    With more queries than keys the first of them stand before every key and may look at nothing.
    Raises: ValueError if a count is not an integer of at least 0.
    Source: Vaswani et al. 2017, section 3.2.3; aligned bottom-right, so it serves a key/value cache as well.

    >>> causal_mask(2, 3)
    array([[  0.,   0., -inf],
           [  0.,   0.,   0.]])
    """
    n_query = whole_number(n_query, "n_query")
    n_key = n_query if n_key is None else whole_number(n_key, "n_key")
    query, key = np.arange(n_query)[:, None], np.arange(n_key)
    return np.where(key <= query + n_key - n_query, 0.0, -np.inf)


def attention(q, k, v, bias=0.0):
    """Each output is a mixture of the values, weighted by how well its query suits each key.

    q (..., n_query, d_head), k (..., n_key, d_head), v (..., n_key, d_value), bias that fits (..., n_query, n_key)
    -> output (..., n_query, d_value), weights (..., n_query, n_key); float32 in, float32 out, whatever the bias.
    weights = softmax(q k^T / sqrt(d_head) + bias);  output = weights v

    A query that may look at nothing gets an output of zeros.
    Raises: ValueError as `attention_scores`, if shapes do not fit, v is not finite, or bias or scores + bias holds NaN or +inf.
    Source: Vaswani et al. 2017, equation 1; the bias, Raffel et al. 2020 (T5), section 2.1.

    >>> output, weights = attention(q=[[1.0]], k=[[0.0], [0.0]], v=[[4.0], [8.0]])
    >>> output, weights
    (array([[6.]]), array([[0.5, 0.5]]))
    """
    scores = attention_scores(q, k)
    v = finite_array(v, "v", least_axes=2)
    if v.shape[-2] != scores.shape[-1]:
        raise ValueError(f"v must hold one row a key, {scores.shape[-1]} of them, got shape {v.shape}")
    with np.errstate(over="ignore"):  # as in the bias: below the dtype is a mask, above it refused
        weights = softmax(finite_or_masked(scores + _fitting_bias(bias, scores), "scores + bias"))
    common_shape("the leading axes of the weights and of v", weights.shape[:-2], v.shape[:-2])
    return weights @ v, weights


def cosine_similarity(q, k):
    """The cosine compares directions alone: unlike the scaled score it does not move when a vector grows.

    q (..., n_query, d_head), k (..., n_key, d_head) -> (..., n_query, n_key), from -1 to 1.
    cos[i, j] = q[i] . k[j] / (|q[i]| |k[j]|) = s[i, j] * sqrt(d_head) / (|q[i]| |k[j]|)

    Raises: ValueError as `attention_scores`, and if a vector has length 0: it has no direction.
    Source: the definition of the angle between two vectors.

    >>> cosine_similarity([[1, 0]], [[5, 0], [0, 5], [-5, 0]])
    array([[ 1.,  0., -1.]])
    """
    q, k = _queries_and_keys(q, k)
    cosines = _directions(q, "q") @ _directions(k, "k").swapaxes(-1, -2)
    return np.clip(cosines, -1, 1)  # rounding may take a cosine a hair past 1


def _directions(vectors, name):
    largest = abs(vectors).max(axis=-1, keepdims=True)
    if (largest == 0).any():
        raise ValueError(f"{name} must hold vectors longer than 0, which have a direction, got shape {vectors.shape}")
    vectors = vectors / largest  # first, since the square of 1e200 is no float, nor is that of 300 in float16
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def _queries_and_keys(q, k):
    q, k = finite_array(q, "q", least_axes=2), finite_array(k, "k", least_axes=2)
    if q.shape[-1] != k.shape[-1] or q.shape[-1] == 0:
        raise ValueError(f"q and k must have the same d_head of at least 1, got shapes {q.shape} and {k.shape}")
    common_shape("the leading axes of q and k", q.shape[:-2], k.shape[:-2])
    return q, k


def _fitting_bias(bias, scores):
    """The bias in the scores' dtype (a float64 mask must not turn float32 attention into float64)."""
    bias = real_array(bias, "bias")
    with np.errstate(over="ignore"):  # too negative for the dtype is -inf, a mask; too large is refused below
        bias = finite_or_masked(bias.astype(scores.dtype), "bias")
    shape = common_shape("bias and scores", bias.shape, scores.shape)
    # A (5, 5) bias on the (1, 5) scores of one decoding step would broadcast too, to five queries: refused.
    if shape[-2:] != scores.shape[-2:]:
        raise ValueError(f"bias must broadcast to (..., n_query, n_key) = {scores.shape}, got shape {bias.shape}")
    return bias
