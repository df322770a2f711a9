"""Chapter 11: chapter 1's three words and its head of attention, under six schemes that tell it positions."""

import json
from pathlib import Path

import numpy as np

from pe_lib.biases import alibi_bias, bucket_bias
from pe_lib.frequencies import inverse_frequencies
from pe_lib.schemes import Scheme, learned, sinusoidal
from pe_lib.teach.data.dog_bites_man import EMBEDDING

FIRST = 10                                                # the sentence stands at positions 10, 11, 12 of a longer text
BUCKETS = np.array([0.0, 1.5, 0.5, -1.0, 0.0, 1.0, -0.5, -1.5])            # T5: 0 to 3 for keys behind, 4 to 7 for keys ahead
ROWS = np.random.default_rng(11).normal(scale=0.6, size=(24, 4))           # a learned table as it is before training: random
SCHEMES = {
    "none": Scheme(),
    "sinusoidal": sinusoidal(),
    "learned table": learned(ROWS),
    "ALiBi": Scheme(bias=lambda n_query, n_key: alibi_bias(n_query, n_key, 0.5)),
    "T5": Scheme(bias=lambda n_query, n_key: bucket_bias(n_query, n_key, BUCKETS, max_distance=8, causal=False)),
    "rotary": Scheme(inv_freq=inverse_frequencies(4, base=100.0)),
}
CHANGES = ("nothing", "dog and man trade places", "all stand 100 tokens later")


def content(sentence):
    """The words of a sentence as vectors, one row each: (n, 4).

    Raises ValueError for a sentence without words, or with a word that has no vector.
    """
    words = sentence.split()
    if not words or set(words) - set(EMBEDDING):
        raise ValueError(f"a sentence must be made of {', '.join(EMBEDDING)}, at least one of them, got {sentence!r}")
    return np.array([EMBEDDING[word] for word in words], dtype=float)


def measured_costs():
    """What tools/measure_costs.py has measured: scheme -> name of the measure -> number."""
    return json.loads(Path(__file__).with_name("costs.json").read_text(encoding="utf-8"))
