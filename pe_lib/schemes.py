"""The three places where a decoder can be told positions: added to the words, as a bias of the scores, as a rotation."""

from typing import Callable, NamedTuple

import numpy as np

from pe_lib._validate import finite_array, integer_array
from pe_lib.biases import alibi_bias, bucket_bias
from pe_lib.frequencies import inverse_frequencies
from pe_lib.sinusoidal import sinusoidal_encoding


def no_vectors(positions, dim):
    """Nothing is added to the words: a row of zeros for each position, (n,) -> (n, dim).

    >>> no_vectors([0, 1], dim=2)
    array([[0., 0.],
           [0., 0.]])
    """
    return np.zeros((np.size(positions), dim))


def no_bias(n_query, n_key):
    """Nothing is added to the scores.

    >>> no_bias(1, 2)
    0.0
    """
    return 0.0


class Scheme(NamedTuple):
    """What a decoder does with positions: each field is one of the places, and by default nothing happens there.

    vectors, positions (n,), dim -> (n, dim), added to the embeddings; bias, n_query, n_key -> (heads, n_query, n_key), added
    to every layer's scores; inv_freq (pairs,), radians per token, by which queries and keys are rotated (frequency 0: not at
    all); sharpness, by which every score is multiplied, as YaRN does.

    >>> Scheme().inv_freq, Scheme().bias(1, 1)
    (array([0.]), 0.0)
    """

    vectors: Callable = no_vectors
    bias: Callable = no_bias
    inv_freq: np.ndarray = np.zeros(1)
    sharpness: float = 1.0


def rotary(d_head, base=10_000.0):
    """Queries and keys are rotated by their positions, in every layer.

    d_head, even; base -> a Scheme.

    Raises: ValueError as `inverse_frequencies`.
    Source: Su et al. 2021 (RoFormer), equation 34.

    >>> rotary(4).inv_freq
    array([1.  , 0.01])
    """
    return Scheme(inv_freq=inverse_frequencies(d_head, base))


def sinusoidal():
    """The sinusoidal vectors are added to the embeddings, once, before the first layer.

    Source: Vaswani et al. 2017, section 3.5.

    >>> sinusoidal().vectors([0], dim=4)
    array([[0., 1., 0., 1.]])
    """
    return Scheme(vectors=sinusoidal_encoding)


def learned(table):
    """A learned vector for each position is added to the embeddings; past the last row there is none to be added.

    table (rows, dim) -> a Scheme whose vectors raise ValueError beyond position rows - 1.

    Raises: ValueError if table is not a matrix of finite numbers.
    Source: Gehring et al. 2017; Devlin et al. 2019 (BERT).

    >>> learned([[0.5, 1.0], [2.0, 0.0]]).vectors([1], dim=2)
    array([[2., 0.]])
    """
    table = finite_array(table, "table", least_axes=2)

    def vectors(positions, dim):
        if dim != table.shape[1]:
            raise ValueError(f"table must have rows as wide as the words, {dim}, got shape {table.shape}")
        rows = integer_array(positions, "positions")
        if rows.size and (rows.min() < 0 or rows.max() >= len(table)):
            raise ValueError(f"positions must have a row in the learned table, 0 to {len(table) - 1}, "
                             f"got {rows.min()} to {rows.max()}: no row was ever trained there")
        return table[rows]

    return Scheme(vectors=vectors)


def alibi(slopes):
    """Every score falls in a line with the distance, at one slope for each head.

    slopes (heads,), score per token -> a Scheme.

    Raises: ValueError if a slope is not finite (a negative one is refused by `alibi_bias` when it is used).
    Source: Press et al. 2022 (ALiBi), section 3.

    >>> alibi([0.5]).bias(1, 3)
    array([[[-1. , -0.5,  0. ]]])
    """
    slopes = finite_array(slopes, "slopes", least_axes=1)
    return Scheme(bias=lambda n_query, n_key: alibi_bias(n_query, n_key, slopes))


def t5(table, max_distance=128):
    """Every score gets a learned number, for its head and for the bucket that its offset falls into.

    table (heads, buckets), score; max_distance, tokens -> a Scheme, causal.

    Raises: ValueError if table is not a matrix of finite numbers (and, when it is used, as `bucket_bias`).
    Source: Raffel et al. 2020 (T5), section 2.1.

    >>> t5([[0.0, 7.0]], max_distance=4).bias(1, 3)
    array([[[7., 7., 0.]]])
    """
    table = finite_array(table, "table", least_axes=2)
    return Scheme(bias=lambda n_query, n_key: bucket_bias(n_query, n_key, table, max_distance, causal=True))
