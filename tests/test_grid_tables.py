"""Tables on a grid: Swin's index and bias, and tables that are stretched to another grid."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pe_lib.attention import attention, attention_scores, softmax
from pe_lib.grid_tables import interpolate_bias, interpolate_table, resize_matrix, swin_relative_index, window_bias
from pe_lib.grids import patch_positions

steady = settings(deadline=None, derandomize=True, database=None, max_examples=50)
SIZES = st.integers(1, 6)
WINDOWS = st.tuples(st.integers(1, 4), st.integers(1, 4))

# --- Swin's index ----------------------------------------------------------------------------------------------------


def test_index_of_two_by_two():
    """claim 10.1. Origin: case SW01, 2 x 2."""
    assert_array_equal(swin_relative_index((2, 2)), [[4, 3, 1, 0], [5, 4, 2, 1], [7, 6, 4, 3], [8, 7, 5, 4]])


def test_index_of_two_by_three():
    """claim 10.1. Origin: case SW01, 2 x 3; the same in timm 1.0.31, gen_relative_position_index((2, 3))."""
    assert_array_equal(swin_relative_index((2, 3)), [
        [7, 6, 5, 2, 1, 0], [8, 7, 6, 3, 2, 1], [9, 8, 7, 4, 3, 2],
        [12, 11, 10, 7, 6, 5], [13, 12, 11, 8, 7, 6], [14, 13, 12, 9, 8, 7]])


def test_index_of_seven_by_seven():
    """claim 10.1. Origin: timm 1.0.31 and transformers 5.24.0 (swin), which agree: three rows and the sum of all 2,401."""
    index = swin_relative_index((7, 7))
    assert_array_equal(index[0], [84 - 13 * row - column for row in range(7) for column in range(7)])
    assert_array_equal(index[8, :14], [98, 97, 96, 95, 94, 93, 92, 85, 84, 83, 82, 81, 80, 79])
    assert_array_equal(index[48, :14], [168, 167, 166, 165, 164, 163, 162, 155, 154, 153, 152, 151, 150, 149])
    assert index.shape == (49, 49) and index.sum() == 84 * 49**2


@pytest.mark.parametrize("window", [(3, 3), (2, 3), (3, 2), (1, 4), (1, 1)])
def test_same_entry_where_the_differences_are_the_same_and_only_there(window):
    """claim 10.1"""
    index, places = swin_relative_index(window), patch_positions(window)
    relative = {(i, j): tuple(places[j] - places[i]) for i in range(len(places)) for j in range(len(places))}
    entries = {pair: index[pair] for pair in relative}
    assert len(set(entries.values())) == len(set(relative.values())) == len(set(zip(entries.values(), relative.values())))
    assert set(entries.values()) == set(range((2 * window[0] - 1) * (2 * window[1] - 1)))


@steady
@given(WINDOWS)
def test_swin_counts_query_minus_key(window):
    """claim 10.1: entry 0 is the key furthest down and right; with key minus query the table is read from its other end."""
    index = swin_relative_index(window)
    assert index[0, -1] == 0 and index[-1, 0] == index.max()
    assert_array_equal(index.max() - index, index.T)


def test_three_axes():
    """Origin: case SW02. Strides (2b - 1)(2c - 1), 2c - 1 and 1 give every offset its own entry; those reported merge some."""
    for window, entries, merged in (((2, 2, 2), 27, 19), ((4, 4, 4), 343, 115), ((2, 3, 4), 105, 43)):
        assert len(np.unique(swin_relative_index(window))) == entries
        a, b, c = (axis[:, None] - axis for axis in np.indices(window).reshape(3, -1))
        wide = window[1]
        assert len(np.unique(a * (3 * wide - 1) + b * (2 * wide - 1) + c)) == merged


@pytest.mark.parametrize("window, said", [
    ((), "window must hold at least one size"), ((2, 0), "each size in window .* at least 1, got 0"), ((2, 2.5), "got 2.5"), ((np.nan,), "got nan"),
])
def test_no_window(window, said):
    with pytest.raises(ValueError, match=said):
        swin_relative_index(window)


# --- the bias --------------------------------------------------------------------------------------------------------


@steady
@given(WINDOWS, st.integers(0, 3), st.integers(0, 1000))
def test_bias_by_table_and_none_without_a_place(window, prefix, seed):
    index = swin_relative_index(window)
    table = np.random.default_rng(seed).normal(size=(2, index.max() + 1))
    bias = window_bias(window, table, prefix)
    assert bias.shape == (2, prefix + len(index), prefix + len(index))
    assert_array_equal(bias[:, prefix:, prefix:], table[:, index])
    assert not bias[:, :prefix].any() and not bias[:, :, :prefix].any()


def test_a_grid_bias_goes_into_the_attention_of_chapter_4():
    """claim 10.1: the same function, the same sum; no word of a grid in it."""
    rng = np.random.default_rng(0)
    q, k, v = rng.normal(size=(3, 6, 4))
    bias = window_bias((2, 3), rng.normal(size=15))
    output, weights = attention(q, k, v, bias)
    assert_allclose(weights, softmax(attention_scores(q, k) + bias))
    assert_allclose(output, weights @ v)
    assert abs(weights - attention(q, k, v)[1]).max() > 0.05


def test_every_argument_of_the_bias_matters():
    table = np.arange(15.0)
    assert abs(window_bias((2, 3), table) - window_bias((3, 2), table)).max() > 0
    assert abs(window_bias((2, 3), table) - window_bias((2, 3), table[::-1])).max() > 0
    assert window_bias((2, 3), table, prefix=1).shape == (7, 7)


@pytest.mark.parametrize("arguments, said", [
    ({"table": np.ones(14)}, r"table must hold one number for each offset in a window of \(2, 3\), 15 in all, got shape \(14,\)"),
    ({"table": np.full(15, np.nan)}, "table must be finite, got nan"), ({"table": 1.0}, "table must have at least 1 axis"),
    ({"window": (3, 3)}, "25 in all"), ({"prefix": -1}, "prefix must be an integer of at least 0"), ({"table": ["a"] * 15}, "table must hold real numbers"),
])
def test_no_bias(arguments, said):
    with pytest.raises(ValueError, match=said):
        window_bias(**{"window": (2, 3), "table": np.ones(15)} | arguments)


# --- stretching ------------------------------------------------------------------------------------------------------

SQUARES = np.arange(6.0)[:, None] ** 2     # a table for 2 x 3 patches, one feature


def test_resizing_of_torch():
    """claim 10.2. Origin: torch 2.13.0, interpolate(mode="bilinear", align_corners=False), float32; 2 x 3 to 3 x 5 and to 1 x 2."""
    larger = [[0, 0.4, 1, 2.8, 4], [4.5, 6.1, 8.5, 12.1, 14.5], [9, 11.8, 16, 21.4, 25]]
    assert_allclose(interpolate_table(SQUARES, (2, 3), (3, 5)).reshape(3, 5), larger, rtol=1e-6)
    assert_allclose(interpolate_table(SQUARES, (2, 3), (1, 2)).ravel(), [5.5, 13], rtol=1e-6)


def test_other_conventions_give_other_numbers():
    """claim 10.2. Origin: torch 2.13.0, the same table to 3 x 5 with align_corners=True, and to 1 x 2 with antialias=True."""
    corners = [[0, 0.5, 1, 2.5, 4], [4.5, 6.5, 8.5, 11.5, 14.5], [9, 12.5, 16, 20.5, 25]]
    assert abs(interpolate_table(SQUARES, (2, 3), (3, 5)).reshape(3, 5) - corners).max() == pytest.approx(0.9)
    assert abs(interpolate_table(SQUARES, (2, 3), (1, 2)).ravel() - [6, 12.25]).max() == pytest.approx(0.75)


def test_two_by_eight_to_four_by_four():
    """claim 10.2. Origin: case V210. Both have 16 rows, so a test of the count alone would leave the table as it is."""
    resized = interpolate_table(np.arange(16.0)[:, None], (2, 8), (4, 4)).reshape(4, 4)
    assert_allclose(resized, [[0.5, 2.5, 4.5, 6.5], [2.5, 4.5, 6.5, 8.5], [6.5, 8.5, 10.5, 12.5], [8.5, 10.5, 12.5, 14.5]], rtol=0, atol=1e-12)


@pytest.mark.parametrize("native, wanted, lost", [
    (14, 61, 60), (14, 115, 114), (14, 122, 121), (37, 39, 38), (37, 43, 42), (37, 78, 77), (37, 86, 85), (37, 115, 114), (37, 123, 122)])
def test_a_scale_factor_loses_a_patch_and_a_size_does_not(native, wanted, lost):
    """claim 10.2. Origin: case V208."""
    assert int(native * (wanted / native)) == lost
    assert interpolate_table(np.ones((native, 1)), (1, native), (1, wanted)).shape == (wanted, 1)


@pytest.mark.parametrize("tokens, prefix", [(196, 0), (197, 1), (576, 0), (577, 1), (50, 1)])
def test_a_square_grid_fits_with_or_without_a_class_token_not_both(tokens, prefix):
    """Origin: case V211. Nothing is guessed here: the caller says how many rows have no place, and a wrong count is refused."""
    side = int((tokens - prefix) ** 0.5)
    assert interpolate_table(np.ones((tokens, 2)), (side, side), (2, 2), prefix).shape == (4 + prefix, 2)
    with pytest.raises(ValueError, match=rf"one for each patch of \({side}, {side}\), {tokens + 1 - 2 * prefix} in all, got shape \({tokens}, 2\)"):
        interpolate_table(np.ones((tokens, 2)), (side, side), (2, 2), 1 - prefix)


@steady
@given(SIZES, SIZES)
def test_weights_are_shares_of_the_two_nearest(old, new):
    weights = resize_matrix(old, new)
    assert weights.shape == (new, old) and (weights >= 0).all() and ((weights > 0).sum(axis=1) <= 2).all()
    assert_allclose(weights.sum(axis=1), 1)
    assert_allclose(weights, weights[::-1, ::-1], atol=1e-12)     # left and right alike
    for i in range(new):
        x = min(max((i + 0.5) * old / new - 0.5, 0), old - 1)
        assert_allclose(weights[i] @ np.arange(old), x, atol=1e-12)


@steady
@given(SIZES, SIZES, st.integers(0, 2), st.integers(0, 1000))
def test_the_same_grid_keeps_the_table_and_tokens_without_a_place_are_kept(rows, columns, prefix, seed):
    table = np.random.default_rng(seed).normal(size=(prefix + rows * columns, 3)).astype(np.float32)
    same = interpolate_table(table, (rows, columns), (rows, columns), prefix)
    assert same.dtype == np.float32 and same is not table
    assert_allclose(same, table, rtol=1e-6)
    assert_array_equal(interpolate_table(table, (rows, columns), (3, 2), prefix)[:prefix], table[:prefix])


@steady
@given(st.integers(1, 3), st.integers(1, 3), st.integers(0, 1000))
def test_there_and_back_loses_detail(rows, columns, seed):
    """claim 10.2: one new row holds a mean of all; a single patch spreads evenly."""
    table = np.random.default_rng(seed).normal(size=(rows * columns, 2))
    one = interpolate_table(table, (rows, columns), (1, 1))
    assert_array_equal(interpolate_table(one, (1, 1), (2, 3)), np.tile(one, (6, 1)))


def test_what_breaks_neighbours_come_closer():
    """claim 10.2: on twice the rows the step between neighbours halves, and at the edge two rows are nearly one."""
    table = np.array([[0.0], [1], [2], [3]])
    steps = np.diff(interpolate_table(table, (4, 1), (8, 1)).ravel())
    assert_allclose(steps, [0.25, 0.5, 0.5, 0.5, 0.5, 0.5, 0.25])


def test_what_breaks_alternation_is_lost_on_fewer_patches():
    """claim 10.2: a pattern of every other patch, halved, is the same number everywhere; a third reads some patches never."""
    assert_array_equal(interpolate_table(np.tile([[1.0], [-1]], (4, 1)), (1, 8), (1, 4)), np.zeros((4, 1)))
    assert_array_equal(np.flatnonzero(resize_matrix(9, 3).sum(axis=0)), [1, 4, 7])


def test_what_breaks_a_bias_for_the_next_patch_is_blurred():
    """claim 10.2: 1 at offset 1 alone, a window of 3, stretched to 5: offset 1 gets 5/9, offset 2 gets 8/9, offset 0 none."""
    stretched = interpolate_bias([0.0, 0, 0, 1, 0], (1, 3), (1, 5))
    assert_allclose(stretched, np.array([0, 0, 0, 0, 0, 5, 8, 3, 0]) / 9, atol=1e-12)


@steady
@given(WINDOWS, WINDOWS, st.integers(0, 1000))
def test_a_stretched_bias_keeps_offset_0_and_its_symmetry(old, new, seed):
    """claim 10.2"""
    entries = (2 * old[0] - 1) * (2 * old[1] - 1)
    table = np.random.default_rng(seed).normal(size=(2, entries))
    resized = interpolate_bias(table, old, new)
    assert resized.shape == (2, (2 * new[0] - 1) * (2 * new[1] - 1))
    assert_allclose(resized[:, resized.shape[1] // 2], table[:, entries // 2])
    assert_allclose(interpolate_bias(table[:, ::-1], old, new), resized[:, ::-1], atol=1e-12)
    if new >= old and new[1] >= old[1]:
        assert_allclose(resized[:, [0, -1]], table[:, [0, -1]])
    assert_array_equal(window_bias(new, resized)[:, 0, -1], resized[:, 0])


@steady
@given(WINDOWS, WINDOWS, st.integers(0, 1000))
def test_a_bias_is_stretched_as_a_picture_of_its_offsets(old, new, seed):
    """claim 10.2: rows of offsets by rows, columns by columns; windows that are not square show it."""
    old_offsets, new_offsets = ((2 * rows - 1, 2 * columns - 1) for rows, columns in (old, new))
    table = np.random.default_rng(seed).normal(size=old_offsets[0] * old_offsets[1])
    assert_allclose(interpolate_bias(table, old, new), interpolate_table(table[:, None], old_offsets, new_offsets)[:, 0], atol=1e-12)


def test_every_argument_of_the_stretching_matters():
    table = np.arange(16.0)[:, None]
    assert abs(interpolate_table(table, (2, 8), (3, 3)) - interpolate_table(table, (4, 4), (3, 3))).max() > 0.1
    assert abs(interpolate_table(table, (2, 8), (3, 2)) - interpolate_table(table, (2, 8), (2, 3))).max() > 0.1
    assert abs(interpolate_table(table, (3, 5), (2, 7), prefix=1) - interpolate_table(table, (2, 7), (3, 5), prefix=2)[:15]).max() > 0.1
    assert abs(interpolate_bias(np.arange(15.0), (2, 3), (2, 2)) - interpolate_bias(np.arange(15.0), (3, 2), (2, 2))).max() > 0.1
    assert interpolate_bias(np.arange(15.0), (2, 3), (3, 3)).shape == (25,)


@pytest.mark.parametrize("call, said", [
    (lambda: interpolate_table(np.ones((5, 2)), (2, 3), (4, 4)), r"table must hold 0 rows without a place and one for each patch of \(2, 3\), 6 in all, got shape \(5, 2\)"),
    (lambda: interpolate_table(np.ones(6), (2, 3), (4, 4)), r"table must have at least 2 axes, got shape \(6,\)"),
    (lambda: interpolate_table(np.full((6, 1), np.nan), (2, 3), (4, 4)), r"table must be finite, got nan, shape \(6, 1\)"),
    (lambda: interpolate_table(np.ones((6, 1)), (2, 3), (0, 4)), "each size in new must be an integer of at least 1, got 0"),
    (lambda: interpolate_table(np.ones((6, 1)), 6, (2, 4)), r"old must hold two sizes, \(rows, columns\), got 6"),
    (lambda: interpolate_table(np.ones((6, 1)), (2, 3), (2, 4.0)), "got 4.0"),
    (lambda: interpolate_table(np.ones((6, 1)), (2, 3), (2, 4), prefix=True), "prefix must be an integer of at least 0, got True"),
    (lambda: interpolate_bias(np.ones(6), (2, 3), (2, 2)), r"one number for each offset in a window of \(2, 3\), 15 in all, got shape \(6,\)"),
    (lambda: interpolate_bias(np.full(15, np.inf), (2, 3), (2, 2)), "table must be finite, got inf"),
    (lambda: interpolate_bias(np.ones(15), (2, 3), (2,)), "new must hold two sizes"),
    (lambda: resize_matrix(0, 3), "old must be an integer of at least 1, got 0"), (lambda: resize_matrix(3, 1.5), "new must be .* got 1.5"),
])
def test_no_stretching(call, said):
    with pytest.raises(ValueError, match=said):
        call()
