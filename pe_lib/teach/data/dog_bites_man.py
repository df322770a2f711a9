"""Chapter 1: three words, and the head of attention that the chapter writes out by hand."""

import numpy as np

WORDS = ("dog", "bites", "man")
BASE = "dog bites man"
FEATURES = ("animal", "human", "action", "living")        # what keys, values and outputs are made of
EMBEDDING = {"dog": (1, 0, 0, 0), "man": (0, 1, 0, 0), "bites": (0, 0, 1, 0)}
W_Q = np.array([[0, 1, 3, 0], [2, 0, 1, 0], [1, 0, 0, 2], [0, 0, 0, 0]], dtype=float)
W_K = W_V = np.array([[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 0], [0, 0, 0, 0]], dtype=float)
POSITIONS = {
    "a vector for each position": np.array([[0.6, -0.2, 0.1, 0.5], [-0.4, 0.7, 0.3, -0.1], [0.2, -0.5, 0.8, 0.9]]),
    "one vector for all positions": np.tile([0.6, -0.2, 0.1, 0.5], (3, 1)),
    "a capital at position 0": np.array([[0, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0]]),
}


def matrices(seed):
    """The chapter's own W_Q, W_K, W_V for seed 0; other seeds draw others."""
    if seed == 0:
        return W_Q, W_K, W_V
    draw = np.random.default_rng(seed).uniform(-1, 1, size=(3, 4, 4))
    return 3 * draw[0], draw[1], draw[2]
