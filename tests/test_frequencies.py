"""Frequencies, wavelengths, angles and the similarity of two positions."""

import inspect
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pe_lib.frequencies import (
    angles,
    inverse_frequencies,
    inverse_frequencies_endpoint,
    offset_similarity,
    wavelengths,
)

FAMILIES = [inverse_frequencies, inverse_frequencies_endpoint]
EVEN = st.integers(1, 64).map(lambda pairs: 2 * pairs)
BASES = st.floats(1.5, 1e7)
OFFSETS = st.integers(-10_000, 10_000)
steady = settings(deadline=None, derandomize=True, database=None, max_examples=50)


# --- inverse_frequencies ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dim", [2, 4, 6, 64, 128])
def test_frequencies_equal_the_formula_pair_by_pair(dim):
    """claim 2.1"""
    expected = [1 / 10_000 ** (2 * m / dim) for m in range(dim // 2)]
    assert_allclose(inverse_frequencies(dim), expected, rtol=1e-14)


def test_frequencies_of_eight_features():
    """Origin: case SF10, from the definition; its wrong answer counts pairs from one half."""
    assert_allclose(inverse_frequencies(8), [1.0, 0.1, 0.01, 0.001], rtol=0, atol=1e-12)
    assert inverse_frequencies(8)[0] == 1.0


def test_second_frequency_of_128_features():
    """Origin: case SF06, exp(-2 ln(1e4)/128); a slip of operator precedence gives 0.1353 instead."""
    assert_allclose(inverse_frequencies(128)[1], 0.8659643233600653, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "base, angle", [(10_000, 56.23413251903491), (500_000, 16.560440080994447), (1_000_000, 13.335214321633241)]
)
def test_base_sets_the_angle_of_pair_20_at_position_1000(base, angle):
    """Origin: case RB01, from the definition, float64."""
    assert_allclose(angles(1000, inverse_frequencies(128, base))[20], angle, rtol=0, atol=1e-9)


@steady
@given(EVEN, BASES)
def test_pairs_slow_down_by_one_factor(dim, base):
    """claim 2.7: higher dimensions are slower, never faster."""
    inv_freq = inverse_frequencies(dim, base)
    assert inv_freq.shape == (dim // 2,) and inv_freq.dtype == np.float64
    assert inv_freq[0] == 1
    assert (np.diff(inv_freq) < 0).all()
    assert_allclose(inv_freq[1:] / inv_freq[:-1], base ** (-2 / dim), rtol=1e-12)


def test_a_base_below_one_speeds_up_instead():
    assert_allclose(inverse_frequencies(4, base=0.25), [1, 2], rtol=1e-15)


def test_every_argument_of_the_frequencies_matters():
    for family in FAMILIES:
        assert family(8).shape != family(10).shape
        assert not np.allclose(family(8), family(8, base=100))
        assert_array_equal(family(8), family(8, base=10_000.0))


# --- inverse_frequencies_endpoint ------------------------------------------------------------------------------------


@steady
@given(EVEN.filter(lambda dim: dim > 2), BASES)
def test_second_family_ends_at_one_over_base(dim, base):
    """claim 2.8"""
    inv_freq = inverse_frequencies_endpoint(dim, base)
    assert inv_freq.shape == (dim // 2,)
    assert inv_freq[0] == 1
    assert_allclose(inv_freq[-1], 1 / base, rtol=1e-12)
    assert_allclose(inv_freq, np.geomspace(1, 1 / base, dim // 2), rtol=1e-10)


def test_second_family_is_another_set_of_frequencies():
    """claim 2.8: no order of the pairs makes the two families one."""
    for dim in (4, 6, 64, 512):
        ours, theirs = inverse_frequencies(dim), inverse_frequencies_endpoint(dim)
        assert abs(np.sort(ours) - np.sort(theirs)).max() > 1e-5


# --- wavelengths -----------------------------------------------------------------------------------------------------


def test_longest_wavelength_is_not_two_pi_times_base():
    """claim 2.7: 47,117 tokens for d = 64, where 62,832 is often stated."""
    longest = wavelengths(inverse_frequencies(64))[-1]
    assert round(longest) == 47_117
    assert round(2 * np.pi * 10_000) == 62_832
    assert round(wavelengths(inverse_frequencies_endpoint(64))[-1]) == 62_832  # true of the other family


@steady
@given(EVEN, BASES)
def test_one_wavelength_is_one_turn(dim, base):
    inv_freq = inverse_frequencies(dim, base)
    assert_allclose(wavelengths(inv_freq) * inv_freq, 2 * np.pi, rtol=1e-14)


# --- angles ----------------------------------------------------------------------------------------------------------


def test_three_tokens_turn_a_clock_hand_by_three_tenths():
    """claim 2.4: from any start, and cos 0.3 = 0.955, sin 0.3 = 0.296."""
    for start in (0, 5, -17, 1000.5):
        turned = angles(start + 3, [0.1]) - angles(start, [0.1])
        assert_allclose(turned, 0.3, atol=1e-12)
    assert round(math.cos(0.3), 3) == 0.955
    assert round(math.sin(0.3), 3) == 0.296


@pytest.mark.parametrize("shape", [(), (0,), (1,), (5,), (2, 5), (2, 3, 0)])
def test_angles_add_one_axis(shape):
    positions = np.arange(np.prod(shape, dtype=int)).reshape(shape) - 1.5
    theta = angles(positions, [1.0, 0.5, 0.25])
    assert theta.shape == shape + (3,)
    assert_array_equal(theta[..., 0], positions)
    assert_array_equal(theta[..., 2], positions / 4)


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, np.float16, np.float32, np.float64])
def test_angles_are_float64_whatever_comes_in(dtype):
    positions = np.array([0, 1, 100], dtype)
    assert_array_equal(angles(positions, np.array([0.5], np.float32)), [[0.0], [0.5], [50.0]])
    assert angles(positions, np.array([0.5], np.float32)).dtype == np.float64


def test_float32_frequencies_do_not_lower_the_precision():
    third = np.array([1 / 3], np.float32)
    assert angles([3], third)[0, 0] == 3 * float(third[0])
    assert wavelengths(third).dtype == np.float64
    assert offset_similarity(3, third) == math.cos(3 * float(third[0]))


def test_angles_are_exact_where_float32_is_not():
    """The product is formed in float64: at position 16,777,217 float32 cannot even hold the position."""
    assert angles([2**24 + 1], [1.0])[0, 0] == 2**24 + 1


def test_every_argument_of_angles_matters():
    assert not np.allclose(angles([1, 2], [1.0]), angles([1, 3], [1.0]))
    assert not np.allclose(angles([1, 2], [1.0]), angles([1, 2], [0.9]))


# --- offset_similarity -----------------------------------------------------------------------------------------------


@steady
@given(EVEN, OFFSETS, BASES)
def test_similarity_is_a_sum_of_cosines_and_even(dim, offset, base):
    """claim 2.6: it cannot tell before from after."""
    inv_freq = inverse_frequencies(dim, base)
    expected = sum(math.cos(offset * w) for w in inv_freq)
    assert_allclose(offset_similarity(offset, inv_freq), expected, atol=1e-9)
    assert offset_similarity(offset, inv_freq) == offset_similarity(-offset, inv_freq)
    assert abs(offset_similarity(offset, inv_freq)) <= dim / 2 * (1 + 1e-15)


@pytest.mark.parametrize("dim, offset", [(32, 4), (64, 5), (128, 11), (512, 43)])
def test_similarity_first_rises_after(dim, offset):
    """claim 2.6: not monotone; it falls up to this offset and is larger at the next one."""
    similarity = offset_similarity(np.arange(100), inverse_frequencies(dim))
    assert (np.diff(similarity)[:offset] < 0).all()
    assert similarity[offset + 1] > similarity[offset]


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3)])
def test_similarity_keeps_the_shape_of_the_offsets(shape):
    assert_array_equal(offset_similarity(np.zeros(shape), [1.0, 0.5]), np.full(shape, 2.0))


def test_every_argument_of_the_similarity_matters():
    assert not np.allclose(offset_similarity(1, [1.0]), offset_similarity(2, [1.0]))
    assert not np.allclose(offset_similarity(1, [1.0]), offset_similarity(1, [0.5]))


# --- errors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(
    "dim, message",
    [
        (5, "^dim must be even, since features come in pairs, got 5$"),
        (1, r"^dim must be an integer of at least \d, got 1$"),
        (0, r"^dim must be an integer of at least \d, got 0$"),
        (-2, r"^dim must be an integer of at least \d, got -2$"),
        (4.0, r"^dim must be an integer of at least \d, got 4.0$"),
        (True, r"^dim must be an integer of at least \d, got True$"),
        (np.True_, r"^dim must be an integer of at least \d, got "),
        ("4", r"^dim must be an integer of at least \d, got '4'$"),
        (None, r"^dim must be an integer of at least \d, got None$"),
        ([4], r"^dim must be an integer of at least \d, got \[4\]$"),
    ],
)
def test_dim_is_refused(family, dim, message):
    with pytest.raises(ValueError, match=message):
        family(dim)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(
    "base, message",
    [
        (0, "^base must be above 0 and not 1, got 0.0$"),
        (-10, "^base must be above 0 and not 1, got -10.0$"),
        (1, "^base must be above 0 and not 1, got 1.0$"),
        (math.inf, r"^base must be finite, got inf, shape \(\)$"),
        (math.nan, r"^base must be finite, got nan, shape \(\)$"),
        ([10, 100], r"^base must be one number, got shape \(2,\)$"),
        ("10", r"^base must hold real numbers, got dtype <U2, shape \(\)$"),
        (True, r"^base must hold real numbers, got dtype bool, shape \(\)$"),
        (1j, r"^base must hold real numbers, got dtype complex128, shape \(\)$"),
        (10**400, r"^base must hold real numbers, got dtype object, shape \(\)$"),
    ],
)
def test_base_is_refused(family, base, message):
    with pytest.raises(ValueError, match=message):
        family(8, base)


def test_one_pair_cannot_be_fastest_and_slowest():
    with pytest.raises(ValueError, match="^dim must be an integer of at least 4, got 2$"):
        inverse_frequencies_endpoint(2)
    assert_array_equal(inverse_frequencies(2), [1.0])


def test_numpy_integers_are_integers():
    assert_array_equal(inverse_frequencies(np.int64(4)), inverse_frequencies(4))


@pytest.mark.parametrize(
    "inv_freq, message",
    [
        ([], r"^inv_freq must hold one frequency a pair, shape \(dim/2,\), got shape \(0,\)$"),
        (1.0, r"^inv_freq must hold one frequency a pair, shape \(dim/2,\), got shape \(\)$"),
        ([[1.0]], r"^inv_freq must hold one frequency a pair, shape \(dim/2,\), got shape \(1, 1\)$"),
        ([1.0, np.nan], r"^inv_freq must be finite, got nan, shape \(2,\)$"),
        ([1j], r"^inv_freq must hold real numbers, got dtype complex128, shape \(1,\)$"),
    ],
)
@pytest.mark.parametrize("call", [wavelengths, lambda w: angles([0], w), lambda w: offset_similarity([0], w)])
def test_inv_freq_is_refused(call, inv_freq, message):
    with pytest.raises(ValueError, match=message):
        call(inv_freq)


@pytest.mark.parametrize("slow", [0.0, -0.5])
def test_a_hand_that_does_not_turn_forward_has_no_wavelength(slow):
    with pytest.raises(ValueError, match=rf"^inv_freq must be above 0 to have wavelengths, got {slow}, shape \(2,\)$"):
        wavelengths([1.0, slow])
    assert_array_equal(angles([2], [1.0, slow]), [[2.0, 2 * slow]])  # but it has angles


@pytest.mark.parametrize(
    "positions, message",
    [
        ([0, np.nan], r"^positions must be finite, got nan, shape \(2,\)$"),
        ([0, -np.inf], r"^positions must be finite, got -inf, shape \(2,\)$"),
        ([1j], r"^positions must hold real numbers, got dtype complex128, shape \(1,\)$"),
        (["0", "1"], r"^positions must hold real numbers, got dtype <U1, shape \(2,\)$"),
        ([True, False], r"^positions must hold real numbers, got dtype bool, shape \(2,\)$"),
        (None, r"^positions must hold real numbers, got dtype object, shape \(\)$"),
        ([[0, 1], [2]], r"^positions must be a rectangular array of real numbers, got \[\[0, 1\], \[2\]\]$"),
    ],
)
@pytest.mark.parametrize("call, name", [(angles, "positions"), (offset_similarity, "offsets")])
def test_positions_are_refused(call, name, positions, message):
    with pytest.raises(ValueError, match=message.replace("positions", name)):
        call(positions, [1.0, 0.5])


@pytest.mark.parametrize("call, name", [(angles, "positions"), (offset_similarity, "offsets")])
def test_an_angle_beyond_the_floats_is_refused(call, name):
    message = rf"^{name} times inv_freq must be finite, got sizes up to 1e\+308 and 10000000000.0, shapes \(2,\) and \(1,\)$"
    with pytest.raises(ValueError, match=message):
        call([0, -1e308], [-1e10])
    assert np.isfinite(call([0, -1e308], [1.0])).all()


def test_arguments_are_left_as_they_were():
    positions, inv_freq = np.arange(3.0), np.array([1.0, 0.5])
    for result in (angles(positions, inv_freq), wavelengths(inv_freq), offset_similarity(positions, inv_freq)):
        result[...] = -1
    assert_array_equal(positions, [0, 1, 2])
    assert_array_equal(inv_freq, [1.0, 0.5])


def test_the_paper_s_base_is_the_default():
    assert [inspect.signature(family).parameters["base"].default for family in FAMILIES] == [10_000.0, 10_000.0]


@pytest.mark.parametrize("offsets", [range(5), range(3000), range(-700, 2000, 3), range(900, -900, -1)])
def test_a_range_of_offsets_is_as_good_as_an_array(offsets):
    inv_freq = inverse_frequencies(16)
    assert_allclose(offset_similarity(offsets, inv_freq), offset_similarity(np.array(offsets), inv_freq), rtol=0, atol=1e-9)
    with pytest.raises(ValueError, match="inv_freq"):
        offset_similarity(offsets, [[1.0]])
