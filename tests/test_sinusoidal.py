"""Sinusoidal encodings in three layouts, and the matrix that moves them along."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pe_lib.frequencies import angles, inverse_frequencies, inverse_frequencies_endpoint, offset_similarity
from pe_lib.sinusoidal import LAYOUTS, encode_angles, offset_matrix, sinusoidal_encoding

EVEN = st.integers(1, 32).map(lambda pairs: 2 * pairs)
OFFSETS = st.floats(-500, 500) | st.integers(-500, 500)
steady = settings(deadline=None, derandomize=True, database=None, max_examples=50)


def one_feature_at_a_time(positions, dim, base):
    """The paper's two lines as a loop: the specification."""
    table = np.empty((len(positions), dim))
    for row, p in enumerate(positions):
        for m in range(dim // 2):
            table[row, 2 * m] = math.sin(p / base ** (2 * m / dim))
            table[row, 2 * m + 1] = math.cos(p / base ** (2 * m / dim))
    return table


# --- the formula -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dim, base", [(2, 10_000), (4, 10_000), (6, 100), (64, 500_000)])
def test_encoding_equals_the_formula_one_feature_at_a_time(dim, base):
    """claim 2.1"""
    positions = [0, 1, 2, 7, 100, -3, 0.5]
    assert_allclose(sinusoidal_encoding(positions, dim, base), one_feature_at_a_time(positions, dim, base), atol=1e-12)


def test_encoding_of_four_features():
    """Origin: case SF09, from the definition, float64."""
    expected = [
        [0.0, 1.0, 0.0, 1.0],
        [0.8414709848078965, 0.5403023058681398, 0.009999833334166664, 0.9999500004166653],
        [0.4121184852417566, -0.9111302618846769, 0.08987854919801104, 0.9959527330119943],
    ]
    assert_allclose(sinusoidal_encoding([0, 1, 9], 4), expected, rtol=0, atol=1e-12)


def test_a_pair_lies_on_the_unit_circle():
    """Origin: case SF01: sin and cos of one pair share one angle; a doubled exponent breaks it."""
    pairs = sinusoidal_encoding([1, 7, 100], 8).reshape(3, 4, 2)
    assert_allclose((pairs**2).sum(-1), np.ones((3, 4)), rtol=0, atol=1e-12)


def test_integer_positions_are_not_cut_to_integers():
    """Origin: case PR12: in the integer type of the positions 93 in 100 entries would be 0."""
    table = sinusoidal_encoding(np.arange(8), 256)
    assert table.dtype == np.float64
    assert_array_equal(table[0, :4], [0, 1, 0, 1])
    first = [0.8414709568023682, 0.5403022766113281, 0.8019617795944214, 0.5973753333091736]
    assert_allclose(table[1, :4], first, rtol=0, atol=1e-6)
    # The report's float32 rounds a cosine near 1 up to 1, which survives; float64 loses a few more.
    assert (table.astype(np.float32).astype(int) == 0).mean() == 0.9306640625


def test_two_left_pads_move_every_row():
    """Origin: case LP02: an added encoding is not indifferent to a shift of all positions."""
    right = sinusoidal_encoding([0, 1, 2], 4)
    wrong = sinusoidal_encoding([2, 3, 4], 4)
    assert_allclose(
        wrong,
        [
            [0.9092974268256817, -0.4161468365471424, 0.01999866669333308, 0.9998000066665778],
            [0.1411200080598672, -0.9899924966004454, 0.02999550020249566, 0.9995500337489875],
            [-0.7568024953079282, -0.6536436208636119, 0.03998933418663416, 0.9992001066609779],
        ],
        rtol=0,
        atol=1e-12,
    )
    assert abs(right - wrong).max() > 1


def test_embedding_is_scaled_up_before_the_encoding_is_added():
    """Origin: case SF13: embedding * sqrt(4) + PE(2), as in the original paper. claim 2.2"""
    embedding = np.array([0.1, -0.2, 0.3, 0.4])
    expected = [1.1092974268256817, -0.8161468365471425, 0.619998666693333, 1.7998000066665778]
    assert_allclose(embedding * math.sqrt(4) + sinusoidal_encoding(2, 4), expected, rtol=0, atol=1e-12)


# --- other packages (d = 6, positions 1 and 19; the tables are float32 unless said otherwise) ------------------------

INTERLEAVED = [
    [0.8414709568023682, 0.5403022766113281, 0.04639922454953194, 0.9989230036735535, 0.002154432935640216, 0.9999976754188538],
    [0.14987720549106598, 0.9887046217918396, 0.771949291229248, 0.6356841325759888, 0.040922828018665314, 0.9991623163223267],
]
INTERLEAVED_64 = [
    [0.8414709848078965, 0.5403023058681398, 0.04639921918096883, 0.998922976239608, 0.0021544326659586276, 0.9999976792072509],
    [0.14987720966295234, 0.9887046181866692, 0.7719492164280797, 0.6356842040322174, 0.040922821616593934, 0.9991623104735969],
]
HALVES = [
    [0.8414709568023682, 0.04639922082424164, 0.0021544327028095722, 0.5403023362159729, 0.9989229440689087, 0.9999976754188538],
    [0.14987720549106598, 0.7719492316246033, 0.040922824293375015, 0.9887046217918396, 0.6356841921806335, 0.9991623163223267],
]
ENDPOINT = [
    [0.8414709568023682, 0.009999833069741726, 9.99999901978299e-05, 0.5403023362159729, 0.9999499917030334, 1.0],
    [0.14987720549106598, 0.18885889649391174, 0.0018999986350536346, 0.9887046217918396, 0.9820042252540588, 0.9999982118606567],
]
ENDPOINT_MLX = [
    [0.8414709568023682, 0.0099998340010643, 0.00010000001930166036, 0.5403022766113281, 0.9999499917030334, 1.0],
    [0.14987720549106598, 0.18885891139507294, 0.0018999992171302438, 0.9887046217918396, 0.9820042252540588, 0.9999982118606567],
]


@pytest.mark.parametrize(
    "layout, table",
    [
        # Origin: transformers 5.24.0, distilbert; keras-hub 0.32.0, SinePositionEncoding, agrees.
        pytest.param("interleaved", INTERLEAVED, id="transformers-distilbert"),
        # Origin: positional-encodings 6.0.3, PositionalEncoding1D, float64 angles.
        pytest.param("interleaved", INTERLEAVED_64, id="positional-encodings"),
        # Origin: transformers 5.24.0, gptj; x-transformers 2.31.10, ScaledSinusoidalEmbedding / d**-0.5, agrees.
        pytest.param("sines_first", HALVES, id="transformers-gptj"),
    ],
)
def test_other_packages_with_the_paper_s_frequencies(layout, table):
    """claim 2.8"""
    assert_allclose(sinusoidal_encoding([1, 19], 6, layout=layout), table, rtol=0, atol=3e-7)
    for other in LAYOUTS:
        if other != layout:
            assert abs(sinusoidal_encoding([1, 19], 6, layout=other) - table).max() > 0.1


@pytest.mark.parametrize(
    "table",
    [
        # Origin: transformers 5.24.0, m2m_100; whisper of the same version holds the same numbers.
        pytest.param(ENDPOINT, id="transformers-m2m100"),
        # Origin: mlx 0.32.4, nn.SinusoidalPositionalEncoding(scale=1).
        pytest.param(ENDPOINT_MLX, id="mlx"),
    ],
)
def test_other_packages_with_the_other_frequencies(table):
    """claim 2.8"""
    theta = angles([1, 19], inverse_frequencies_endpoint(6))
    assert_allclose(encode_angles(theta, "sines_first"), table, rtol=0, atol=3e-7)
    assert abs(sinusoidal_encoding([1, 19], 6, layout="sines_first") - table).max() > 0.03


# --- size, range and reach -------------------------------------------------------------------------------------------


@steady
@given(EVEN, st.floats(-1e6, 1e6), st.floats(1.5, 1e6), st.sampled_from(LAYOUTS))
def test_length_is_the_same_at_every_position(dim, position, base, layout):
    """claim 2.2"""
    row = sinusoidal_encoding(position, dim, base, layout)
    assert row.shape == (dim,)
    assert (abs(row) <= 1).all()
    assert_allclose(np.linalg.norm(row), math.sqrt(dim / 2), rtol=1e-12)


def test_no_position_is_too_far():
    """claim 2.3: ten million is an integer like any other. Origin: sine and cosine of 10 ** (7 - m / 8), to 60 digits."""
    far = sinusoidal_encoding(10_000_000, 64)
    assert_allclose(far[:4], [0.420547793191, -0.907270386182, -0.955074251188, -0.296366622138], rtol=0, atol=1e-8)
    assert_allclose(far[-2:], [0.996419388068, 0.084548229325], rtol=0, atol=1e-8)
    steps = np.linalg.matrix_power(offset_matrix(1, inverse_frequencies(64)), 10_000_000)      # one token on, ten million times
    assert_allclose(steps @ sinusoidal_encoding(0, 64), far, rtol=0, atol=1e-8)


def test_rows_do_not_depend_on_the_sequence_around_them():
    """claim 2.3: no maximum length is built in, not even the length of this sequence."""
    assert_array_equal(sinusoidal_encoding(np.arange(1000), 8)[:10], sinusoidal_encoding(np.arange(10), 8))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(), (0,), (1,), (4,), (2, 4), (3, 0), (2, 1, 4)])
def test_positions_may_have_any_leading_axes(shape, layout):
    positions = np.arange(np.prod(shape, dtype=int)).reshape(shape) / 2 - 1
    table = sinusoidal_encoding(positions, 6, layout=layout)
    assert table.shape == shape + (6,)
    for index in np.ndindex(shape):
        assert_array_equal(table[index], sinusoidal_encoding(positions[index], 6, layout=layout))


def test_myth_of_63_000_unique_positions():
    """claim 2.7: position 62,832 lies five times as far from position 0 as its neighbour 1 does."""
    zero, one, far = sinusoidal_encoding([0, 1, 62_832], 64)
    assert round(np.linalg.norm(far - zero), 1) == 7.8
    assert round(np.linalg.norm(one - zero), 1) == 1.5


# --- layouts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dim", [2, 4, 6, 64])
def test_layouts_are_one_fixed_permutation_apart(dim):
    """claim 2.8"""
    positions = np.arange(-5, 20)
    interleaved, sines_first, cosines_first = (sinusoidal_encoding(positions, dim, layout=x) for x in LAYOUTS)
    sin, cos = np.arange(0, dim, 2), np.arange(1, dim, 2)
    assert_array_equal(sines_first, interleaved[:, np.concatenate([sin, cos])])
    assert_array_equal(cosines_first, interleaved[:, np.concatenate([cos, sin])])


@pytest.mark.parametrize("dim", [4, 6, 64])
def test_mixed_layouts_are_a_mistake(dim):
    """claim 2.8: the dot product of two layouts is not that of one."""
    one, other = (sinusoidal_encoding(np.arange(8), dim, layout=layout) for layout in ("interleaved", "sines_first"))
    assert abs(one @ other.T - one @ one.T).max() > 0.5


def test_no_permutation_turns_one_family_into_the_other():
    """claim 2.8: a permutation of features keeps dot products, and these differ."""
    positions = np.arange(0, 400, 10)
    for dim in (4, 6, 64, 512):
        ours = sinusoidal_encoding(positions, dim)
        theirs = encode_angles(angles(positions, inverse_frequencies_endpoint(dim)))
        assert abs(ours @ ours.T - theirs @ theirs.T).max() > 0.5


# --- dot products ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS)
def test_dot_products_are_the_same_in_every_layout(layout):
    """Origin: case SL06: PE(p) . PE(q) = sum of cos((p - q) w), float64. claim 2.6"""
    table = sinusoidal_encoding([0, 1, 2, 5], 6, layout=layout)
    expected = [
        [3.0, 2.539222961115251, 1.5795381044132932, 2.256794390442375],
        [2.539222961115251, 3.0, 2.5392229611152506, 1.3291332225622774],
        [1.5795381044132932, 2.5392229611152506, 3.0000000000000004, 1.0003073154581903],
        [2.256794390442375, 1.3291332225622774, 1.0003073154581903, 2.9999999999999996],
    ]
    assert_allclose(table @ table.T, expected, rtol=0, atol=1e-12)


@steady
@given(EVEN, st.integers(2, 30), st.integers(-1000, 1000))
def test_dot_products_depend_on_the_offset_only(dim, n, start):
    """claim 2.6: the Gram matrix is Toeplitz and symmetric, and its numbers are the sum of cosines."""
    positions = start + np.arange(n)
    table = sinusoidal_encoding(positions, dim)
    gram = table @ table.T
    assert_allclose(gram, offset_similarity(positions - positions[:, None], inverse_frequencies(dim)), atol=1e-9)
    assert_allclose(gram[1:, 1:], gram[:-1, :-1], atol=1e-9)
    assert_allclose(gram, gram.T, atol=1e-12)


# --- offset_matrix ---------------------------------------------------------------------------------------------------


@steady
@given(EVEN, OFFSETS, st.floats(-1000, 1000), st.floats(1.5, 1e6))
def test_one_matrix_moves_every_position(dim, offset, position, base):
    """claim 2.5"""
    m = offset_matrix(offset, inverse_frequencies(dim, base))
    moved = m @ sinusoidal_encoding(position, dim, base)
    assert_allclose(moved, sinusoidal_encoding(position + offset, dim, base), atol=1e-9)


@steady
@given(EVEN, OFFSETS, OFFSETS)
def test_offset_matrices_are_a_group(dim, a, b):
    """claim 2.5: M_a M_b = M_(a+b), M_0 = I, M_a^T = M_(-a), orthogonal."""
    inv_freq, eye = inverse_frequencies(dim), np.eye(dim)
    m_a, m_b = offset_matrix(a, inv_freq), offset_matrix(b, inv_freq)
    assert_allclose(m_a @ m_b, offset_matrix(a + b, inv_freq), atol=1e-12)
    assert_array_equal(offset_matrix(0, inv_freq), eye)
    assert_array_equal(m_a.T, offset_matrix(-a, inv_freq))
    assert_allclose(m_a.T @ m_a, eye, atol=1e-12)
    assert_allclose(np.linalg.det(m_a), 1, atol=1e-12)


def test_offset_matrix_algebra_in_six_dimensions():
    """Origin: case SL04: offsets 2 and 5 at d = 6. claim 2.5"""
    m2, m5, m7, back = (offset_matrix(k, inverse_frequencies(6)) for k in (2, 5, 7, -5))
    assert_allclose(m2 @ m5, m7, rtol=0, atol=1e-12)
    assert_allclose(back, m5.T, rtol=0, atol=1e-12)
    assert_allclose(np.linalg.det(m5), 1, rtol=0, atol=1e-12)


def test_each_block_is_the_transpose_of_a_rotation():
    """claim 2.5: in the order (sin, cos) the block is [[cos, sin], [-sin, cos]]; off the diagonal all is 0."""
    inv_freq = inverse_frequencies(6)
    m = offset_matrix(3, inv_freq)
    for pair, w in enumerate(inv_freq):
        rotation = np.array([[math.cos(3 * w), -math.sin(3 * w)], [math.sin(3 * w), math.cos(3 * w)]])
        block = slice(2 * pair, 2 * pair + 2)
        assert_allclose(m[block, block], rotation.T, atol=1e-15)
        m[block, block] = 0
    assert_array_equal(m, np.zeros((6, 6)))


@pytest.mark.parametrize("dim", [2, 4, 64])
def test_offset_matrix_acts_on_columns_so_a_table_takes_its_transpose(dim):
    """claim 2.5"""
    m = offset_matrix(5, inverse_frequencies(dim))
    table = sinusoidal_encoding(np.arange(10), dim)
    assert_allclose(table @ m.T, sinusoidal_encoding(np.arange(5, 15), dim), atol=1e-12)
    assert_allclose(table @ m, sinusoidal_encoding(np.arange(-5, 5), dim), atol=1e-12)  # the wrong way: backwards


def test_offset_matrix_serves_the_other_frequencies_too():
    """claim 2.8"""
    inv_freq = inverse_frequencies_endpoint(8)
    moved = offset_matrix(7, inv_freq) @ encode_angles(angles(2, inv_freq))
    assert_allclose(moved, encode_angles(angles(9, inv_freq)), atol=1e-12)


def test_encodings_and_matrices_are_float64_whatever_comes_in():
    positions, inv_freq = np.array([1, 2], np.float32), np.array([1 / 3], np.float32)
    assert sinusoidal_encoding(positions, 4).dtype == encode_angles(positions).dtype == np.float64
    assert_allclose(offset_matrix(1000, inv_freq)[0, 0], math.cos(1000 * float(inv_freq[0])), rtol=0, atol=1e-12)


# --- every argument, every error -------------------------------------------------------------------------------------


def test_every_argument_matters():
    table = sinusoidal_encoding([1, 2], 4)
    assert not np.allclose(table, sinusoidal_encoding([1, 3], 4))
    assert not np.allclose(table, sinusoidal_encoding([1, 2], 4, base=100))
    assert not np.allclose(table, sinusoidal_encoding([1, 2], 6)[:, :4])
    assert_array_equal(table, sinusoidal_encoding([1, 2], 4, 10_000.0, "interleaved"))
    assert_array_equal(table, encode_angles(angles([1, 2], inverse_frequencies(4))))
    assert not np.allclose(encode_angles([1.0]), encode_angles([2.0]))
    tables = [sinusoidal_encoding([1, 2], 4, layout=layout) for layout in LAYOUTS]
    assert len({t.tobytes() for t in tables}) == 3
    assert not np.allclose(offset_matrix(1, [1.0]), offset_matrix(2, [1.0]))
    assert not np.allclose(offset_matrix(1, [1.0]), offset_matrix(1, [0.5]))


@pytest.mark.parametrize("dim", [1, 3, 5])
def test_odd_dimension_is_an_error(dim):
    """Origin: cases OD01-d1, -d3 and -d5, which accept a clear ValueError."""
    with pytest.raises(ValueError, match=rf"^dim must be .*, got {dim}$"):
        sinusoidal_encoding([0, 1, 2], dim)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: sinusoidal_encoding([0], 4, layout="half"), "^layout must be one of interleaved, sines_first, cosines_first, got 'half'$"),
        (lambda: encode_angles([0.0], layout=None), "^layout must be one of interleaved, sines_first, cosines_first, got None$"),
        (lambda: encode_angles([0.0], layout=["interleaved"]), r"^layout must be one of .*, got \['interleaved'\]$"),
        (lambda: encode_angles(0.0), r"^theta must have at least 1 axis, got shape \(\)$"),
        (lambda: encode_angles([np.inf]), r"^theta must be finite, got inf, shape \(1,\)$"),
        (lambda: sinusoidal_encoding([0, np.nan], 4), r"^positions must be finite, got nan, shape \(2,\)$"),
        (lambda: sinusoidal_encoding([0], 4, base=0), "^base must be above 0 and not 1, got 0.0$"),
        (lambda: sinusoidal_encoding([0], 4.0), "^dim must be an integer of at least 2, got 4.0$"),
        (lambda: offset_matrix(np.nan, [1.0]), r"^offset must be finite, got nan, shape \(\)$"),
        (lambda: offset_matrix(-np.inf, [1.0]), r"^offset must be finite, got -inf, shape \(\)$"),
        (lambda: offset_matrix([1, 2], [1.0]), r"^offset must be one number, got shape \(2,\)$"),
        (lambda: offset_matrix(1j, [1.0]), r"^offset must hold real numbers, got dtype complex128, shape \(\)$"),
        (lambda: offset_matrix(1, 4), r"^inv_freq must hold one frequency a pair, shape \(dim/2,\), got shape \(\)$"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_arguments_are_left_as_they_were():
    positions, inv_freq = np.arange(3.0), np.array([1.0, 0.5])
    sinusoidal_encoding(positions, 4)[...] = 9
    encode_angles(positions)[...] = 9
    offset_matrix(2, inv_freq)[...] = 9
    assert_array_equal(positions, [0, 1, 2])
    assert_array_equal(inv_freq, [1.0, 0.5])
