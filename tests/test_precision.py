"""Angles in short number formats."""

import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pe_lib.frequencies import inverse_frequencies
from pe_lib.precision import FORMATS, angle_error, rounded

steady = settings(deadline=None, derandomize=True, database=None, max_examples=200)


def bfloat16_by_hand(value):
    """Of the two bfloat16 neighbours of a float32, the nearer; of two equally near, the one with an even last bit."""
    (bits,) = struct.unpack("<I", struct.pack("<f", value))
    low, high = bits & 0xFFFF0000, (bits & 0xFFFF0000) + 0x10000
    below, above = (struct.unpack("<f", struct.pack("<I", b))[0] for b in (low, high))
    if abs(value - below) == abs(above - value):
        return below if low >> 16 & 1 == 0 else above
    return below if abs(value - below) < abs(above - value) else above


@steady
@given(st.floats(-(2.0**100), 2.0**100, width=32, allow_subnormal=False) | st.integers(-70_000, 70_000).map(float))
def test_bfloat16_is_the_nearest_neighbour(value):
    assert rounded(value, "bfloat16") == bfloat16_by_hand(value)


@steady
@given(st.floats(-60_000, 60_000), st.sampled_from(FORMATS))
def test_rounding_twice_is_rounding_once(value, form):
    """The relative error is at most half a unit in the last place."""
    once = rounded(value, form)
    assert rounded(once, form) == once
    assert abs(once - value) <= abs(value) * {"float32": 2**-24, "float16": 2**-11, "bfloat16": 2**-8}[form] * (1 + 1e-6) + 2**-25


def test_bfloat16_has_three_positions_for_a_thousand():
    """claim 8.6. Origin: case PR06: 65,536 + k for k below 1024 gives 3 values, 512 apart."""
    assert_array_equal(np.unique(rounded(65_536 + np.arange(1024), "bfloat16")), [65_536, 66_048, 66_560])


def test_bfloat16_frequencies():
    """claim 8.6. Origin: case PR05: d = 128 at position 4096: more than pi off, the angle is noise."""
    inv_freq = inverse_frequencies(128)
    assert_allclose((4096 * abs(rounded(inv_freq, "bfloat16") - inv_freq)).max(), 5.01013151717234, rtol=0, atol=1e-6)
    assert angle_error(4096, inv_freq, "bfloat16").max() > np.pi


def test_cosines_from_float16_angles():
    """claim 8.6. Origin: case PR01: length 2048, d = 32: a cosine is off by 0.78."""
    positions, inv_freq = np.arange(2048)[:, None], inverse_frequencies(32)
    short = rounded(rounded(positions, "float16") * rounded(inv_freq, "float16"), "float16")
    assert_allclose(abs(np.cos(short) - np.cos(positions * inv_freq)).max(), 0.7819076838956567, rtol=1e-9)


@pytest.mark.parametrize(
    "position, error", [(4096, 4.371601587771501e-05), (131_072, 0.002332776922381763), (1_000_000, 0.036481021889960275)]
)
def test_cosines_from_float32_angles(position, error):
    """claim 8.6. Origin: case PR10: d = 128, base 500,000; about position times 2 ** -24."""
    inv_freq = inverse_frequencies(128, 500_000)
    short = rounded(rounded(position, "float32") * rounded(inv_freq, "float32"), "float32")
    assert_allclose(abs(np.cos(short) - np.cos(position * inv_freq)).max(), error, rtol=1e-9)


@pytest.mark.parametrize("form, first", [("bfloat16", 9), ("float16", 39), ("float32", 302_726)])
def test_where_the_error_passes_one_degree(form, first):
    """claim 8.6: d = 128, base 10,000: the first position at which some pair is off by more than a degree."""
    inv_freq = inverse_frequencies(128)
    worst = angle_error(np.arange(max(0, first - 5000), first + 1), inv_freq, form).max(axis=-1)
    assert (worst[:-1] <= np.radians(1)).all()
    assert worst[-1] > np.radians(1)


def test_float64_has_no_such_place_in_sight():
    """claim 8.6: at a million, float32 is off by degrees; the float64 angle by less than 1e-9 rad."""
    inv_freq = inverse_frequencies(128)
    assert angle_error(1_000_000, inv_freq, "float32").max() > np.radians(1)
    assert 1_000_000 * 2**-52 < 1e-9


def test_shapes_and_forms():
    positions, inv_freq = np.arange(12).reshape(3, 4), inverse_frequencies(8)
    for form in FORMATS:
        assert angle_error(positions, inv_freq, form).shape == (3, 4, 4)
        assert rounded(positions, form).shape == (3, 4) and rounded(positions, form).dtype == np.float64
    errors = [angle_error(2001, inv_freq, form).max() for form in FORMATS]
    assert errors[0] < errors[1] < errors[2]
    assert not np.allclose(angle_error(2001, inv_freq, "float16"), angle_error(2003, inv_freq, "float16"))
    assert not np.allclose(angle_error(2001, inv_freq, "float16"), angle_error(2001, 1.1 * inv_freq, "float16"))


def test_a_position_beyond_the_format():
    """claim 8.6: float16 ends at 65,504, and no product with a small frequency brings it back."""
    assert rounded(65_504, "float16") == 65_504 and rounded(70_000, "float16") == np.inf
    assert_array_equal(angle_error([65_504, 70_000], [1.0, 0.0], "float16"), [[0, 0], [np.inf, np.inf]])
    assert rounded(1e39, "bfloat16") == rounded(1e39, "float32") == np.inf
    assert angle_error([60_000], [2.0], "float16")[0, 0] == np.inf


@pytest.mark.filterwarnings("error")
def test_a_frequency_beyond_the_format():
    assert_array_equal(angle_error([0, 1], [1e6, 1.0], "float16"), [[np.inf, 0], [np.inf, 0]])
    assert_array_equal(angle_error([1e308], [1e308, 1.0], "float32"), [[np.inf, np.inf]])


@pytest.mark.parametrize("form", ["float64", "half", None, 16, ["float16"]])
def test_form_is_refused(form):
    for call in (lambda: rounded(1.0, form), lambda: angle_error(1, [1.0], form)):
        with pytest.raises(ValueError, match="^form must be one of float32, float16, bfloat16, got "):
            call()


def test_numbers_are_refused():
    with pytest.raises(ValueError, match=r"^values must be finite, got nan, shape \(1,\)$"):
        rounded([np.nan], "float16")
    with pytest.raises(ValueError, match="^positions must be finite, got inf"):
        angle_error(np.inf, [1.0], "float16")
    with pytest.raises(ValueError, match="^inv_freq must hold one frequency a pair"):
        angle_error(1, 1.0, "float16")


def test_arguments_are_left_as_they_were():
    values = np.array([1.0, 0.1])
    for result in (rounded(values, "bfloat16"), rounded(values, "float32"), angle_error(values, values, "float16")):
        result[...] = -1
    assert_array_equal(values, [1.0, 0.1])
