"""Which two features are a pair, and how to go from one answer to another."""

import numpy as np

from pe_lib._validate import even_dim, real_array, whole_number

LAYOUTS = ("interleaved", "half")
EVEN = "have an even number of features, at least 2"


def feature_pairs(dim, layout="interleaved"):
    """Two features turn together: neighbours in one layout, a feature and its partner half a vector on in the other.

    dim -> (dim/2, 2), integers: the first and second feature of each pair, the fastest pair first.
    interleaved: (0, 1), (2, 3), ...;  half: (0, dim/2), (1, dim/2 + 1), ...

    Raises: ValueError if dim is not an even integer above 0, or layout is neither of the two.
    Source: interleaved, Su et al. 2021 (RoFormer), equation 15; half, GPT-NeoX and its heirs (`rotate_half`).

    >>> feature_pairs(4, "half")
    array([[0, 2],
           [1, 3]])
    """
    features = np.arange(even_dim(dim))
    if check_layout(layout) == "half":
        return features.reshape(2, -1).T
    return features.reshape(-1, 2)


def to_half(x, rotary_dim=None):
    """From neighbours to halves: every pair's first feature, then every pair's second.

    x (..., dim) -> (..., dim), a copy; rotary_dim, None: all; with fewer, the features from rotary_dim on stay.
    y[m] = x[2m];  y[m + rotary_dim/2] = x[2m + 1]

    Raises: ValueError if x is not real, or rotary_dim (None: dim) is not even, at least 2 and at most dim.
    Source: the permutation of Meta's Llama weights for Hugging Face transformers (`convert_llama_weights_to_hf`).

    >>> to_half([10.0, 11.0, 20.0, 21.0])
    array([10., 20., 11., 21.])
    """
    x = real_array(x, "x", least_axes=1)
    return x[..., _order(x.shape[-1], rotary_dim, "half", f"x must {EVEN}, got shape {x.shape}")]


def to_interleaved(x, rotary_dim=None):
    """From halves to neighbours, the way back of `to_half`.

    x (..., dim) -> (..., dim), a copy; rotary_dim, None: all; with fewer, the features from rotary_dim on stay.
    y[2m] = x[m];  y[2m + 1] = x[m + rotary_dim/2]

    Raises: ValueError as `to_half`.
    Source: the inverse of the permutation in `to_half`.

    >>> to_interleaved([10.0, 20.0, 11.0, 21.0])
    array([10., 11., 20., 21.])
    """
    x = real_array(x, "x", least_axes=1)
    return x[..., _order(x.shape[-1], rotary_dim, "interleaved", f"x must {EVEN}, got shape {x.shape}")]


def permute_weights(w, heads, *, to, rotary_dim=None, axis=-1):
    """Weights made for one layout serve the other once the output features of w_q and w_k are reordered, head by head.

    w, heads * d_head output features along axis -> the same shape, a copy; to, the layout wanted: "half", "interleaved".
    features h * d_head ... (h + 1) * d_head - 1 are put in the order of `to_half` or `to_interleaved`, in each head h

    axis: -1 in this course (x @ w) and for a bias or gain; 0 for the weight of a PyTorch Linear, whose rows are outputs.
    Scores stay equal; q and k do not. w_v and the output weights keep their order.
    Raises: ValueError as `to_half`, and if heads does not divide the pairs, to is neither layout, or w has no such axis.
    Source: `convert_llama_weights_to_hf` of Hugging Face transformers (`permute`).

    >>> permute_weights([[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]], heads=2, to="half")
    array([[0., 2., 1., 3., 4., 6., 5., 7.]])
    """
    w, heads = real_array(w, "w", least_axes=1), whole_number(heads, "heads", least=1)
    if not -w.ndim <= whole_number(axis, "axis", least=-w.ndim) < w.ndim:
        raise ValueError(f"axis must be below {w.ndim}, got {axis}, shape {w.shape}")
    if w.shape[axis] % (2 * heads):
        raise ValueError(f"heads must divide the pairs of output features along axis {axis}, got {heads} heads, shape {w.shape}")
    d_head = w.shape[axis] // heads
    order = _order(d_head, rotary_dim, check_layout(to, "to"), f"w must {EVEN} in each head, got shape {w.shape}")
    return np.take(w, (d_head * np.arange(heads)[:, None] + order).ravel(), axis=axis)


def check_layout(layout, name="layout"):
    """The name of a layout, if it is one.

    Raises: ValueError if it is neither "interleaved" nor "half".

    >>> check_layout("half")
    'half'
    """
    if not isinstance(layout, str) or layout not in LAYOUTS:
        raise ValueError(f"{name} must be one of {', '.join(LAYOUTS)}, got {layout!r}")
    return layout


def _order(dim, rotary_dim, to, complaint):
    """For each feature of the result, the feature it is taken from; the complaint is of a dim that has no pairs."""
    if rotary_dim is None and (dim % 2 or dim == 0):
        raise ValueError(complaint)
    width = whole_number(dim if rotary_dim is None else rotary_dim, "rotary_dim", least=2)
    if width % 2 or width > dim:
        raise ValueError(f"rotary_dim must be even and at most the number of features, {dim}, got {width}")
    order, half = np.arange(dim), feature_pairs(width, "half")
    if to == "half":
        order[half] = feature_pairs(width, "interleaved")
    else:
        order[feature_pairs(width, "interleaved")] = half
    return order
