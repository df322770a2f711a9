"""Schemes: where positions enter a decoder, and what is refused there."""

import re

import numpy as np
import pytest

from pe_lib.biases import alibi_bias, bucket_bias
from pe_lib.frequencies import inverse_frequencies
from pe_lib.schemes import Scheme, alibi, learned, no_bias, no_vectors, rotary, sinusoidal, t5
from pe_lib.sinusoidal import sinusoidal_encoding

TABLE = np.random.default_rng(0).normal(size=(4, 6))


def test_a_scheme_does_nothing_by_default():
    assert Scheme().vectors is no_vectors and Scheme().bias is no_bias and Scheme().sharpness == 1.0
    np.testing.assert_array_equal(Scheme().inv_freq, [0.0])
    np.testing.assert_array_equal(no_vectors(np.arange(3), 2), np.zeros((3, 2)))
    assert no_bias(3, 4) == 0.0


def test_each_scheme_uses_one_place():
    places = {"rotary": rotary(8), "sinusoidal": sinusoidal(), "learned": learned(TABLE), "alibi": alibi([1.0]), "t5": t5(TABLE)}
    used = {name: [field for field, default in zip(("vectors", "bias", "inv_freq", "sharpness"), Scheme()) if getattr(scheme, field) is not default]
            for name, scheme in places.items()}
    assert used == {"rotary": ["inv_freq"], "sinusoidal": ["vectors"], "learned": ["vectors"], "alibi": ["bias"], "t5": ["bias"]}


def test_schemes_are_the_librarys_formulas():
    np.testing.assert_array_equal(rotary(8, base=50).inv_freq, inverse_frequencies(8, 50))
    np.testing.assert_array_equal(sinusoidal().vectors([5, 2], 6), sinusoidal_encoding([5, 2], 6))
    np.testing.assert_array_equal(learned(TABLE).vectors([3, 0, 3], 6), TABLE[[3, 0, 3]])
    np.testing.assert_array_equal(alibi([0.5, 0.1]).bias(2, 5), alibi_bias(2, 5, [0.5, 0.1]))
    np.testing.assert_array_equal(t5(TABLE, max_distance=9).bias(2, 5), bucket_bias(2, 5, TABLE, 9, causal=True))


@pytest.mark.parametrize("call, message", [
    (lambda: learned(TABLE).vectors([2, 4], 6), "positions must have a row in the learned table, 0 to 3, got 2 to 4: no row was ever trained there"),
    (lambda: learned(TABLE).vectors([-1], 6), "positions must have a row in the learned table, 0 to 3, got -1 to -1"),
    (lambda: learned(TABLE).vectors([0.5], 6), "positions must hold integers"),
    (lambda: learned(TABLE).vectors([0], 8), "table must have rows as wide as the words, 8, got shape (4, 6)"),
    (lambda: learned([1.0]), "table must have at least 2 axes"),
    (lambda: t5([0.0, 1.0]), "table must have at least 2 axes"),
    (lambda: alibi(0.5), "slopes must have at least 1 ax"),
    (lambda: alibi([-1.0]).bias(1, 2), "slopes must be at least 0"),
    (lambda: rotary(7), "dim must be"),
])
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        call()
