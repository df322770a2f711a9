"""Chapter 7: one head of random queries, keys and values, and a text of random tokens."""

import numpy as np

from pe_lib.frequencies import inverse_frequencies

N, PROMPT, DIM = 14, 6, 8
INV_FREQ = inverse_frequencies(DIM, base=100)
TEXT = np.random.default_rng(5).integers(0, 11, 24)


def head(seed=7, n=N):
    """Queries, keys and values of one head, (3, n, DIM)."""
    return np.random.default_rng(seed).normal(size=(3, n, DIM))
