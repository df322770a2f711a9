"""Row and column as sinusoids and as rotations: other packages, reported cases, and what depends on differences alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pe_lib.attention import attention, attention_scores
from pe_lib.frequencies import inverse_frequencies, offset_similarity
from pe_lib.grids import GRID_LAYOUTS, axial_frequencies, mixed_frequencies, patch_positions, rotate_2d, sincos_2d
from pe_lib.layouts import feature_pairs
from pe_lib.rotary import rotate

steady = settings(deadline=None, derandomize=True, database=None, max_examples=50)
SEEDS = st.integers(0, 10_000)
SIZES = st.integers(1, 5)
PLACES = st.tuples(st.integers(0, 50), st.integers(0, 50))
LAYOUT = st.sampled_from(["interleaved", "half"])

# --- patches ---------------------------------------------------------------------------------------------------------


def test_patches_are_read_row_by_row():
    """claim 10.1. Origin: case V203, 3 rows of 4; dividing by the number of rows gives other columns and rows."""
    row, column = patch_positions((3, 4)).T
    assert_array_equal(column, [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3])
    assert_array_equal(row, [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2])
    wrong = np.arange(12) // 3
    assert_array_equal(wrong, [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3])
    assert (wrong != column).any() and (wrong != row).any()


@steady
@given(SIZES, SIZES)
def test_a_patch_has_a_row_and_a_column(rows, columns):
    positions = patch_positions((rows, columns))
    assert positions.shape == (rows * columns, 2) and positions.dtype.kind == "i"
    assert_array_equal(positions[:, 0] * columns + positions[:, 1], np.arange(rows * columns))
    assert_array_equal(positions.max(axis=0), [rows - 1, columns - 1])


def test_a_square_grid_hides_the_wrong_divisor():
    """claim 10.1: with n // rows for n // columns, 3 x 3 comes out right and 2 x 3 does not."""
    for rows, columns in ((3, 3), (2, 3)):
        wrong = np.stack(np.divmod(np.arange(rows * columns), rows), axis=1)
        assert (wrong == patch_positions((rows, columns))).all() == (rows == columns)


@pytest.mark.parametrize("grid, said", [
    ((2, 3, 4), r"grid must hold two sizes, \(rows, columns\), got \(2, 3, 4\)"), (6, "grid must hold two sizes.*got 6"),
    ((2.0, 3), "each size in grid must be an integer of at least 1, got 2.0"), ((0, 3), "each size in grid .* at least 1, got 0"),
    ((2, -3), "got -3"), ((True, 3), "got True"), ((np.nan, 3), "got nan"), ((), r"two sizes.*got \(\)"),
])
def test_no_grid(grid, said):
    with pytest.raises(ValueError, match=said):
        patch_positions(grid)


# --- 2-D sinusoids ---------------------------------------------------------------------------------------------------

S1, C1, S2, C2 = 0.8414709848078965, 0.5403023058681398, 0.9092974268256817, -0.4161468365471424
T1, D1, T2, D2 = 0.009999833334166664, 0.9999500004166653, 0.01999866669333308, 0.9998000066665778
HALVES = [[0.0, 0, 1, 1], [S1, T1, C1, D1], [S2, T2, C2, D2]]     # sines, cosines at 0, 1 and 2
PAIRS = [[0.0, 1, 0, 1], [S1, C1, T1, D1], [S2, C2, T2, D2]]
ROW, COLUMN = [0, 0, 0, 1, 1, 1], [0, 1, 2, 0, 1, 2]


@pytest.mark.parametrize("layout, first, second, parts", [
    pytest.param("row_halves", ROW, COLUMN, HALVES, id="V201 first half is row"),
    pytest.param("column_halves", COLUMN, ROW, HALVES, id="V201 first half is column"),
    pytest.param("row_interleaved", ROW, COLUMN, PAIRS, id="row_interleaved"),
    pytest.param("column_interleaved", COLUMN, ROW, PAIRS, id="column_interleaved"),
])
def test_the_four_layouts_on_two_rows_of_three(layout, first, second, parts):
    """claim 10.1. Origin: case V201, 2 x 3 patches, 8 features, base 10,000."""
    expected = [parts[a] + parts[b] for a, b in zip(first, second)]
    assert_allclose(sincos_2d(patch_positions((2, 3)), 8, layout=layout), expected, rtol=0, atol=1e-12)


# Patches (0, 2) and (1, 1) of 2 x 3, 8 features, float32.
SIN1, COS1, SIN2, COS2 = 0.8414709568023682, 0.5403023362159729, 0.9092974066734314, -0.416146844625473
LOW1, HIGH1, LOW2, HIGH2 = 0.009999833069741726, 0.9999499917030334, 0.019998665899038315, 0.9998000264167786


def test_positional_encodings():
    """Origin: positional-encodings 6.0.3, PositionalEncoding2D(8) on (2, 3)."""
    theirs = [[0, 1, 0, 1, SIN2, COS2, LOW2, HIGH2], [SIN1, COS1, LOW1, HIGH1, SIN1, COS1, LOW1, HIGH1]]
    assert_allclose(sincos_2d([[0, 2], [1, 1]], 8, layout="row_interleaved"), theirs, rtol=0, atol=1e-7)


def test_timm():
    """Origin: timm 1.0.31, build_sincos2d_pos_embed([2, 3], dim=8); by default the sines of both axes come first."""
    ours = sincos_2d([[0, 2], [1, 1]], 8, layout="row_halves")
    interleave_sin_cos = [[0, 0, 1, 1, SIN2, LOW2, COS2, HIGH2], [SIN1, LOW1, COS1, HIGH1, SIN1, LOW1, COS1, HIGH1]]
    assert_allclose(ours, interleave_sin_cos, rtol=0, atol=1e-7)
    default = [[0, 0, SIN2, LOW2, 1, 1, COS2, HIGH2], [SIN1, LOW1, SIN1, LOW1, COS1, HIGH1, COS1, HIGH1]]
    assert_allclose(ours.reshape(2, 2, 2, 2).swapaxes(1, 2).reshape(2, 8), default, rtol=0, atol=1e-7)


@steady
@given(PLACES, PLACES, st.sampled_from([4, 8, 20]), st.sampled_from(GRID_LAYOUTS))
def test_the_dot_product_depends_on_the_two_differences_alone(a, b, dim, layout):
    """claim 10.1: and it is the sum of a part of the rows and a part of the columns, in every layout."""
    u, v = sincos_2d([a, b], dim, layout=layout)
    by_axis = offset_similarity(np.subtract(b, a), inverse_frequencies(dim // 2))
    assert_allclose(u @ v, by_axis.sum(), atol=1e-9)


def test_layouts_are_permutations_of_each_other():
    tables = [sincos_2d(patch_positions((2, 3)), 8, layout=layout) for layout in GRID_LAYOUTS]
    for i, one in enumerate(tables):
        for other in tables[i + 1:]:
            assert abs(one - other).max() > 0.5
            assert_allclose(np.sort(one, axis=1), np.sort(other, axis=1))


def test_swapped_axes_show_on_two_rows_of_three_only():
    """claim 10.1: a square grid has the same set of vectors either way round, so a shape or a sum sees nothing."""
    for grid in ((3, 3), (2, 3)):
        right, swapped = (sincos_2d(patch_positions(grid), 8, layout=first + "_halves") for first in ("row", "column"))
        same = sorted(map(tuple, right)) == sorted(map(tuple, swapped))
        assert same == (grid == (3, 3))


@steady
@given(st.integers(0, 4))
def test_tokens_without_a_place_get_zeros(prefix):
    table = sincos_2d(patch_positions((2, 2)), 8, prefix=prefix)
    assert_array_equal(table[:prefix], np.zeros((prefix, 8)))
    assert_array_equal(table[prefix:], sincos_2d(patch_positions((2, 2)), 8))
    assert abs(sincos_2d([[0, 0]], 8)).sum() == 4     # a place, unlike zeros


def test_every_argument_of_the_sinusoid_matters():
    base = sincos_2d([[1, 2]], 8)
    for other in (sincos_2d([[2, 1]], 8), sincos_2d([[1, 2]], 8, 100.0), sincos_2d([[1, 2]], 8, layout="row_halves")):
        assert abs(base - other).max() > 0.01
    assert sincos_2d([[1, 2]], 12).shape == (1, 12) and sincos_2d([[1, 2]], 8, prefix=1).shape == (2, 8)


@pytest.mark.parametrize("grid", [(1, 1), (1, 5), (5, 1)])
def test_thin_grids_work(grid):
    table = sincos_2d(patch_positions(grid), 8)
    assert table.shape == (grid[0] * grid[1], 8)
    assert len(np.unique(table.round(9), axis=0)) == grid[0] * grid[1]
    assert_array_equal(rotate_2d(np.ones((len(table), 8)), patch_positions(grid), axial_frequencies(8))[0], np.ones(8))


BAD_PLACES = [
    ([[0.5, 1]], r"positions must hold integers, got dtype float64, shape \(1, 2\)"), ([[-1, 0]], r"positions must be at least 0, got -1, shape \(1, 2\)"),
    ([0, 1], r"a row and a column for each patch, \(n, 2\), got shape \(2,\)"), ([[0, 1, 2]], r"got shape \(1, 3\)"),
    ([[np.nan, 1]], "positions must hold integers, got dtype float64"), ([[0, 1], [2]], "positions must be a rectangular array"),
    ([[True, False]], "positions must hold integers, got dtype bool"),
]


@pytest.mark.parametrize("positions, said", BAD_PLACES)
def test_no_patch_coordinates(positions, said):
    with pytest.raises(ValueError, match=said):
        sincos_2d(positions, 8)
    with pytest.raises(ValueError, match=said):
        rotate_2d(np.ones((1, 8)), positions, axial_frequencies(8))


@pytest.mark.parametrize("arguments, said", [
    ({"dim": 6}, "dim must be a multiple of 4.* got 6"), ({"dim": 0}, "dim must be an integer of at least 4, got 0"), ({"dim": 8.0}, "got 8.0"),
    ({"base": 1}, "base must be above 0 and not 1"), ({"base": np.nan}, "base must be finite"),
    ({"layout": "interleaved"}, "layout must be one of row_interleaved, row_halves, column_interleaved, column_halves, got 'interleaved'"),
    ({"prefix": -1}, "prefix must be an integer of at least 0, got -1"), ({"prefix": 0.5}, "prefix must be"),
])
def test_no_sinusoid(arguments, said):
    with pytest.raises(ValueError, match=said):
        sincos_2d(**{"positions": [[0, 1]], "dim": 8} | arguments)


# --- axial and mixed rotary ------------------------------------------------------------------------------------------


def test_mixed_frequencies_of_timm():
    """Origin: timm 1.0.31, init_random_2d_freqs(8, 1, 2), torch seed 0: x, then y, two heads, temperature 10."""
    directions = [3.118072271347046, 4.826879978179932]
    x = [[-0.9997234344482422, -0.3161402940750122, -0.023518288508057594, -0.007437135558575392],
         [0.11424103379249573, 0.036126185208559036, 0.9934530258178711, 0.3141574263572693]]
    y = [[0.023518214002251625, 0.007437112275511026, -0.9997234344482422, -0.3161402940750122],
         [-0.9934530854225159, -0.3141574561595917, 0.11424119770526886, 0.036126237362623215]]
    for direction, along_columns, along_rows in zip(directions, x, y):
        assert_allclose(mixed_frequencies(8, direction), [along_rows, along_columns], rtol=0, atol=2e-7)


@pytest.mark.parametrize("dim", [4, 8, 32])
def test_mixed_at_direction_zero_is_axial_with_the_column_first(dim):
    """claim 10.1: to rounding, since cos(pi/2) is no float 0."""
    assert_allclose(mixed_frequencies(dim, 0.0, 100.0), axial_frequencies(dim, 100.0)[::-1], rtol=0, atol=1e-15)
    assert_array_equal(axial_frequencies(dim, 100.0)[0, : dim // 4], inverse_frequencies(dim // 2, 100.0))
    assert (axial_frequencies(dim)[0] * axial_frequencies(dim)[1] == 0).all()


@steady
@given(SEEDS, PLACES, st.sampled_from([4, 8, 12]), LAYOUT)
def test_two_rotations_add_their_angles(seed, place, dim, layout):
    """One angle for each pair, row * inv_freq[0] + column * inv_freq[1]: the specification."""
    rng = np.random.default_rng(seed)
    x, inv_freq = rng.normal(size=dim), mixed_frequencies(dim, rng.uniform(0, 7))
    expected = np.empty(dim)
    for (a, b), turn in zip(feature_pairs(dim, layout), place @ inv_freq):
        expected[a] = np.cos(turn) * x[a] - np.sin(turn) * x[b]
        expected[b] = np.sin(turn) * x[a] + np.cos(turn) * x[b]
    assert_allclose(rotate_2d(x[None], [place], inv_freq, layout=layout)[0], expected, atol=1e-12)


@steady
@given(SEEDS, PLACES, PLACES, PLACES, st.booleans(), LAYOUT)
def test_rotated_scores_depend_on_the_two_differences_alone(seed, query, key, shift, mixed, layout):
    """claim 10.1: for the axial and for the mixed frequencies; x up to 3 in size, rows and columns up to 100."""
    rng = np.random.default_rng(seed)
    q, k = rng.normal(size=(2, 8))
    inv_freq = mixed_frequencies(8, rng.uniform(0, 7)) if mixed else axial_frequencies(8)
    scores = []
    for move in ((0, 0), shift):
        places = np.array([query, key]) + move
        turned_q, turned_k = rotate_2d(np.stack([q, k]), places, inv_freq, layout=layout)
        scores.append(turned_q @ turned_k)
    assert_allclose(scores[0], scores[1], atol=1e-10)


@steady
@given(SEEDS, PLACES)
def test_axial_scores_are_a_part_of_the_rows_plus_a_part_of_the_columns(seed, place):
    """claim 10.1: s(r, c) + s(0, 0) = s(r, 0) + s(0, c), for any q and k."""
    (r, c), (q, k) = place, np.random.default_rng(seed).normal(size=(2, 8))
    score = q @ rotate_2d(np.tile(k, (4, 1)), [[r, c], [0, 0], [r, 0], [0, c]], axial_frequencies(8)).T
    assert abs(score[0] + score[1] - score[2] - score[3]) < 1e-11


def test_mixed_scores_are_no_such_sum():
    """claim 10.1: at row 1, column 1, for q = k = ones."""
    score = np.ones(8) @ rotate_2d(np.ones((4, 8)), [[1, 1], [0, 0], [1, 0], [0, 1]], mixed_frequencies(8, 0.6)).T
    assert abs(score[0] + score[1] - score[2] - score[3]) > 0.2


def test_half_of_the_features_see_the_row_and_half_the_column():
    """claim 10.1: interleaved, the first half is the row; with the half layout each half of it sits in a half of the head."""
    x = np.random.default_rng(0).normal(size=(1, 8))
    moved = {layout: [np.flatnonzero(rotate_2d(x, [place], axial_frequencies(8), layout=layout)[0] != x[0]).tolist() for place in ((3, 0), (0, 3))]
             for layout in ("interleaved", "half")}
    assert moved == {"interleaved": [[0, 1, 2, 3], [4, 5, 6, 7]], "half": [[0, 1, 4, 5], [2, 3, 6, 7]]}
    assert_array_equal(rotate_2d(x, [[3, 0]], axial_frequencies(8))[:, :4], rotate(x[:, :4], [3], inverse_frequencies(4, 100.0)))


def test_a_token_that_is_left_alone_stands_at_row_0_column_0():
    """claim 10.1: a class token is not rotated, which is a place: its scores depend on where a key is, not on a difference."""
    x = np.random.default_rng(1).normal(size=(3, 8))
    places = [[0, 0], [1, 2], [2, 2]]
    turned = rotate_2d(x, places, axial_frequencies(8))
    assert_array_equal(turned[0], x[0])
    scores = attention_scores(x[:1], rotate_2d(np.tile(x[1], (2, 1)), places[1:], axial_frequencies(8)))
    assert abs(scores[0, 0] - scores[0, 1]) > 0.01


def test_batches_heads_dtypes_and_no_change_of_the_argument():
    x = np.random.default_rng(2).normal(size=(2, 3, 6, 8)).astype(np.float32)
    before = x.copy()
    turned = rotate_2d(x, patch_positions((2, 3)), axial_frequencies(8))
    assert turned.dtype == np.float32 and turned.shape == x.shape
    assert_array_equal(x, before)
    assert_allclose(turned[1, 2], rotate_2d(x[1, 2], patch_positions((2, 3)), axial_frequencies(8)), rtol=0, atol=1e-6)
    assert_allclose(np.linalg.norm(turned, axis=-1), np.linalg.norm(x, axis=-1), rtol=1e-5)


def test_every_argument_of_the_rotation_matters():
    x, place, inv_freq = np.arange(8.0)[None], [[1, 2]], axial_frequencies(8)
    base = rotate_2d(x, place, inv_freq)
    for other in (rotate_2d(x + 1, place, inv_freq), rotate_2d(x, [[2, 2]], inv_freq), rotate_2d(x, [[1, 1]], inv_freq),
                  rotate_2d(x, place, inv_freq[::-1]), rotate_2d(x, place, inv_freq, layout="half")):
        assert abs(base - other).max() > 0.01
    assert abs(axial_frequencies(8) - axial_frequencies(8, 50.0)).max() > 0.01
    one = mixed_frequencies(8, 0.5)
    assert abs(one - mixed_frequencies(8, 0.6)).max() > 0.01 and abs(one - mixed_frequencies(8, 0.5, 50.0)).max() > 0.01


def test_the_attention_of_chapter_4_needs_nothing_new():
    """claim 10.1: shift the whole picture by two rows and a column, and the axial attention does not notice."""
    rng = np.random.default_rng(3)
    q, k, v = rng.normal(size=(3, 6, 8))
    places = patch_positions((2, 3))
    here, there = (attention(rotate_2d(q, p, axial_frequencies(8)), rotate_2d(k, p, axial_frequencies(8)), v) for p in (places, places + [2, 1]))
    assert_allclose(here[0], there[0], atol=1e-12)
    assert_allclose(here[1], there[1], atol=1e-12)
    assert abs(here[1] - attention(q, k, v)[1]).max() > 0.01


@pytest.mark.parametrize("call, said", [
    (lambda: axial_frequencies(6), "dim must be a multiple of 4"), (lambda: axial_frequencies(8, -1.0), "base must be above 0"),
    (lambda: mixed_frequencies(6, 0.0), "dim must be a multiple of 4"), (lambda: mixed_frequencies(8, np.nan), "direction must be finite, got nan"),
    (lambda: mixed_frequencies(8, [0.0, 1.0]), r"direction must be one number, got shape \(2,\)"), (lambda: mixed_frequencies(8, 0.0, 1.0), "base must be"),
    (lambda: rotate_2d(np.ones((1, 8)), [[0, 1]], np.ones(4)), r"inv_freq must have a row for each axis, \(2, pairs\), got shape \(4,\)"),
    (lambda: rotate_2d(np.ones((1, 8)), [[0, 1]], np.ones((3, 4))), r"got shape \(3, 4\)"),
    (lambda: rotate_2d(np.ones((1, 8)), [[0, 1]], np.full((2, 4), np.nan)), "inv_freq must be finite, got nan"),
    (lambda: rotate_2d(np.ones((1, 8)), [[0, 1]], np.ones((2, 5))), "inv_freq must hold at most one frequency a pair, 4"),
    (lambda: rotate_2d(np.ones((2, 8)), [[0, 1]], np.ones((2, 4))), r"positions must have one entry a row of x, shape \(2,\)"),
    (lambda: rotate_2d(np.ones((1, 8), int), [[0, 1]], np.ones((2, 4))), "x must hold floats"),
    (lambda: rotate_2d(np.ones((1, 8)), [[0, 1]], np.ones((2, 4)), layout="row"), "layout"),
])
def test_no_rotation(call, said):
    with pytest.raises(ValueError, match=said):
        call()
