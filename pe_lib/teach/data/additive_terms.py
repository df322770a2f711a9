"""Chapter 3: the small example that is worked by hand, a head that nobody has trained, and the words of the heads built by hand."""

import numpy as np

from pe_lib.sinusoidal import sinusoidal_encoding

# The example of the lesson: two features a word, a query and a key that are one number each.
WORDS = ("dog", "bites", "man")
EMBEDDING = {"dog": (2, 1), "bites": (0, 1), "man": (1, 1)}
PLACE = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 0.0]])
W_Q, W_K = np.array([[1.0], [2.0]]), np.array([[2.0], [1.0]])

# Twenty words and sixteen places, 64 features each; words about as long as places.
DIM = 64
CONTENTS = np.random.default_rng(0).normal(size=(20, DIM)) / np.sqrt(2)
PLACES = sinusoidal_encoding(np.arange(16), DIM)

# A head nobody has trained: random words and matrices, of the size at which training begins.
VOCABULARY = ("fish", "the", "dog", "saw", "old", "cat")
UNTRAINED_DIM = 16


def untrained_head(sentence):
    """Word vectors (n, 16), about as long as a sinusoid, and W_Q, W_K (16, 16); the same word is the same vector."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(len(VOCABULARY), UNTRAINED_DIM)) / np.sqrt(2)
    w_q, w_k = rng.normal(size=(2, UNTRAINED_DIM, UNTRAINED_DIM)) / np.sqrt(UNTRAINED_DIM)
    return table[[VOCABULARY.index(word) for word in sentence.split()]], w_q, w_k
