"""Long-context rules without a ramp, and what holds for all of them together with rotation and a cache."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pe_lib import scaling
from pe_lib.frequencies import inverse_frequencies
from pe_lib.scaling import dynamic_factor, dynamic_ntk, interpolate, longrope, longrope_attention, ntk, ntk_base
from pe_lib.yarn import ntk_by_parts

steady = settings(deadline=None, derandomize=True, database=None, max_examples=50)
DIMS = st.integers(2, 64).map(lambda pairs: 2 * pairs)
BASES = st.floats(10, 1e7)
FACTORS = st.floats(0.1, 100)
LENGTHS = st.integers(1, 1_000_000)


def agree(found, golden, rtol=5e-7):
    """Some pairs of another package's frequencies, in float32."""
    assert_allclose(found[list(golden)], list(golden.values()), rtol=rtol)


def turned(x, positions, inv_freq):
    """Rotation in half-split layout, as complex numbers: x (n, dim), positions (n,)."""
    half = x.shape[-1] // 2
    z = (x[:, :half] + 1j * x[:, half:]) * np.exp(1j * np.multiply.outer(positions, inv_freq))
    return np.concatenate([z.real, z.imag], axis=-1)


# --- position interpolation ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "dim, factor, golden",
    [
        (64, 4, {0: 0.25, 1: 0.18747355, 10: 0.0140585322, 20: 0.000790569466, 31: 3.33380376e-05}),
        (128, 8, {0: 0.125, 1: 0.108245544, 23: 0.00456467643, 43: 0.000256690633, 63: 1.44347741e-05}),
    ],
)
def test_interpolation_of_other_packages(dim, factor, golden):
    """claim 8.4. Origin: transformers 5.24.0; at factor 4 also litgpt 0.5.13 and keras-hub 0.32.0, in float32."""
    agree(interpolate(inverse_frequencies(dim), factor), golden)


@steady
@given(DIMS, FACTORS, st.integers(0, 100_000))
def test_interpolated_frequencies_are_interpolated_positions(dim, factor, position):
    """claim 8.4: a token at position p stands where one at p / factor stood, in angle, for every pair."""
    inv_freq = inverse_frequencies(dim)
    assert_allclose(position * interpolate(inv_freq, factor), position / factor * inv_freq, rtol=1e-14)


@steady
@given(DIMS, FACTORS)
def test_a_factor_below_one_undoes_one_above(dim, factor):
    inv_freq = inverse_frequencies(dim)
    assert_allclose(interpolate(interpolate(inv_freq, factor), 1 / factor), inv_freq, rtol=1e-14)
    assert_allclose(ntk_base(ntk_base(500.0, factor, dim), 1 / factor, dim), 500.0, rtol=1e-12)


def test_neighbours_move_closer():
    """claim 8.4: the angle between neighbours in the fastest pair shrinks under interpolation and not under NTK."""
    assert interpolate(inverse_frequencies(128), 8)[0] == 1 / 8
    assert ntk(128, 10_000, 8)[0] == 1


# --- NTK-aware -------------------------------------------------------------------------------------------------------


@steady
@given(DIMS, BASES, FACTORS)
def test_ntk_keeps_the_fastest_and_divides_the_slowest(dim, base, factor):
    """claim 8.4"""
    ratio = ntk(dim, base, factor) / inverse_frequencies(dim, base)
    assert ratio[0] == 1
    assert_allclose(ratio[-1], 1 / factor, rtol=1e-9)
    assert_allclose(ratio, factor ** (-np.arange(dim // 2) / (dim // 2 - 1)), rtol=1e-9)


def test_ntk_end_points():
    """claim 8.4. Origin: cases NT07-end-points and NT07-wrong-exponent: an exponent of 1 leaves 0.12912810987765355."""
    inv_freq = inverse_frequencies(128)
    ratio = ntk(128, 10_000, 8) / inv_freq
    assert_allclose([ratio[0], ratio[-1]], [1.0, 0.125], rtol=0, atol=1e-12)
    wrong = inverse_frequencies(128, 10_000 * 8) / inv_freq
    assert_allclose(wrong[-1], 0.12912810987765355, rtol=0, atol=1e-12)


# --- dynamic NTK -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "length, base",
    [(1, 10_000), (4096, 10_000), (4097, 10004.9603366797), (8192, 30527.7367488067), (16_384, 72195.86008650938)],
)
def test_dynamic_base(length, base):
    """claim 8.4. Origin: case NT01, base * (f L / L0 - (f - 1)) ** (d / (d - 2)) beyond L0, float64."""
    assert_allclose(ntk_base(10_000, dynamic_factor(2, length, 4096), 128), base, rtol=1e-12)
    assert_allclose(dynamic_ntk(128, 10_000, 2, length, 4096), inverse_frequencies(128, base), rtol=1e-12)


@pytest.mark.parametrize(
    "dim, factor, length, trained, golden",
    [
        (64, 2, 1000, 2048, {1: 0.749894202, 10: 0.0562341288, 20: 0.00316227786, 31: 0.00013335215}),
        (128, 4, 16_384, 4096, {1: 0.831415951, 23: 0.0143160187, 43: 0.000356606673, 63: 8.88293835e-06}),
    ],
)
def test_dynamic_frequencies_of_another_package(dim, factor, length, trained, golden):
    """claim 8.4. Origin: transformers 5.24.0, in float32."""
    agree(dynamic_ntk(dim, 10_000, factor, length, trained), golden)


def test_another_rule_called_dynamic():
    """Origin: keras-hub 0.32.0 (keras 3.15.1), RotaryEmbedding(rope_type="dynamic", scaling_factor=8), float32.

    Its frequencies do not ask for the length: the same turn came out of a call with 100 tokens and of one with 20,000.
    """
    theirs = {128: {0: 0.12094146, 1: 0.10473099, 2: 0.09069331, 3: 0.078537166, 63: 1.39661024e-05},
              8: {0: 0.0624999925, 1: 0.00624999916, 2: 0.000624999928, 3: 6.24999957e-05}}
    for dim, golden in theirs.items():
        inv_freq = inverse_frequencies(dim)
        agree(inv_freq / 8 ** (dim / (dim - 2)), golden)     # what the docstring of dynamic_ntk says of it
        assert golden[0] < interpolate(inv_freq, 8)[0]       # slowed more than by interpolation, even at 100 tokens
        assert_array_equal(dynamic_ntk(dim, 10_000, 8, 100, 4096), inv_freq)
    for length in (4096, 8192, 32_768):
        assert dynamic_ntk(128, 10_000, 8, length, 4096)[0] == 1


@steady
@given(DIMS, FACTORS, LENGTHS, LENGTHS)
def test_a_short_sequence_is_left_as_it_was(dim, factor, length, trained):
    found = dynamic_ntk(dim, 10_000, factor, length, trained)
    if length <= trained:
        assert_array_equal(found, inverse_frequencies(dim))
    else:
        assert_allclose(dynamic_factor(factor, length, trained), factor * length / trained - (factor - 1), rtol=1e-9)
        assert found[-1] < inverse_frequencies(dim)[-1]


def test_a_long_call_leaves_nothing_behind():
    """Origin: case NT05: 8192 tokens, then 100; the second must not see the first."""
    dynamic_ntk(128, 10_000, 2, 8192, 4096)
    assert_array_equal(dynamic_ntk(128, 10_000, 2, 100, 4096), inverse_frequencies(128))


def test_factor_one_is_the_identity_but_for_dynamic_scaling():
    inv_freq = inverse_frequencies(64)
    assert_array_equal(interpolate(inv_freq, 1), inv_freq)
    assert_array_equal(ntk(64, 10_000, 1), inv_freq)
    assert dynamic_factor(1, 3000, 1000) == 3
    assert_allclose(dynamic_ntk(64, 10_000, 1, 3000, 1000), ntk(64, 10_000, 3))


# --- LongRoPE --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("length, which", [(1, 1.0), (4095, 1.0), (4096, 1.0), (4097, 2.0), (131_072, 2.0)])
def test_the_switch_is_beyond_the_trained_length(length, which):
    """claim 8.4. Origin: case LR01: long only when length > original."""
    inv_freq, _ = longrope([1.0, 0.5], [1, 1], [2, 2], length, 4096, 32)
    assert_array_equal(inv_freq, np.array([1.0, 0.5]) / which)


@pytest.mark.parametrize(
    "length, golden",
    [(5000, [1, 0.0500000007, 0.00249999994, 0.000125000006]), (100, [1, 0.0909090936, 0.00833333284, 0.00076923077])],
)
def test_longrope_of_another_package(length, golden):
    """claim 8.4. Origin: transformers 5.24.0, in float32; its attention factor is the same before the switch."""
    short, long = [1.0, 1.1, 1.2, 1.3], [1.0, 2.0, 4.0, 8.0]
    inv_freq, attention = longrope(inverse_frequencies(8), short, long, length, 4096, 32)
    assert_allclose(inv_freq, golden, rtol=5e-7)
    assert_allclose(attention, 1.1902380714238083, rtol=1e-12)


@steady
@given(st.floats(0.01, 1000), st.integers(2, 1_000_000))
def test_longrope_attention_starts_at_one(factor, trained):
    attention = longrope_attention(factor, trained)
    assert attention == 1 if factor <= 1 else attention > 1
    assert_allclose(longrope_attention(trained, trained), np.sqrt(2), rtol=1e-12)


def test_one_factor_for_all_pairs_is_interpolation():
    inv_freq = inverse_frequencies(16)
    assert_array_equal(longrope(inv_freq, np.ones(8), np.full(8, 4.0), 9, 8, 4)[0], interpolate(inv_freq, 4))


# --- keys cached under other frequencies -----------------------------------------------------------------------------


def test_keys_cached_before_the_switch():
    """claim 7.6. Origin: case LR02: from 4 to 5 tokens; all keys must turn with the same list as the query."""
    q = np.array([[1.0, 0.5, -1.0, 2.0]])
    keys = np.array([
        *([2.04, -2.56, 0.42, -0.57], [-0.45, -0.22, -2.02, -0.23], [-0.87, 3.32, 0.23, -0.35]),
        *([-0.28, -0.67, -1.06, -0.39], [0.48, -0.24, 0.96, -0.2]),
    ])  # fmt: skip
    inv_freq, positions = inverse_frequencies(4), np.arange(5)
    before, after = (longrope(inv_freq, [1, 1], [2, 4], length, 4, 2)[0] for length in (4, 5))
    query = turned(q, [4], after)
    stale = np.concatenate([turned(keys[:4], positions[:4], before), turned(keys[4:], [4], after)])
    right = [-0.8088160120528279, -2.9203017019703656, -0.20696082472801822, -1.070049842063726, -1.0]
    wrong = [-0.8088160120528279, -1.800158712262525, -0.07189913542765558, 0.4113314374226295, -1.0]
    assert_allclose(query @ turned(keys, positions, after).T, [right], rtol=0, atol=1e-12)
    assert_allclose(query @ stale.T, [wrong], rtol=0, atol=1e-12)


def test_turning_cached_keys_on_mends_them():
    """claim 7.6: under dynamic NTK the base moves with every token; turning by the difference of angles mends it."""
    rng = np.random.default_rng(0)
    keys, q, positions = rng.normal(size=(12, 16)), rng.normal(size=(1, 16)), np.arange(12)
    before, after = (dynamic_ntk(16, 100, 4, length, 8) for length in (8, 12))
    cached, query = turned(keys, positions, before), turned(q, [11], after)
    right = query @ turned(keys, positions, after).T
    assert abs(query @ cached.T - right)[0, 1:].max() > 0.1  # position 0 does not turn: it is right in any case
    assert_allclose((query @ cached.T)[0, 0], right[0, 0])
    assert_allclose(query @ turned(cached, positions, after - before).T, right, atol=1e-12)
    assert_allclose(query @ turned(turned(cached, positions, -before), positions, after).T, right, atol=1e-12)


def test_one_base_for_all_depends_on_the_offset_alone_two_do_not():
    """claim 7.6: with one set of frequencies a shift changes nothing, with two it does."""
    rng = np.random.default_rng(1)
    q, k = rng.normal(size=(2, 1, 16))
    new, old = ntk(16, 100, 4), inverse_frequencies(16, 100)
    scores = [(turned(q, [p + 3], new) @ turned(k, [p], w).T).item() for w in (new, old) for p in (0, 50)]
    assert_allclose(scores[0], scores[1], atol=1e-12)
    assert abs(scores[2] - scores[3]) > 0.1


# --- all rules -------------------------------------------------------------------------------------------------------

W = inverse_frequencies(16)
RULES = {
    "interpolate": interpolate(W, 4),
    "ntk": ntk(16, 10_000, 4),
    "dynamic_ntk": dynamic_ntk(16, 10_000, 4, 4000, 2000),
    "by turns": scaling.yarn(W, 4, scaling.ramp_by_turns(W, 2000))[0],
    "by pair": scaling.yarn(W, 4, scaling.ramp_by_pair(16, 10_000, 2000))[0],
    "llama3": scaling.llama3(W, 4, trained=2000),
    "longrope": longrope(W, np.ones(8), np.arange(1.0, 9.0), 4000, 2000, 4)[0],
}


@pytest.mark.parametrize("name", RULES)
def test_any_rotation_takes_the_result(name):
    """claim 8.4: one frequency a pair, float64, slower but in the same order; norms and offsets stay what they were."""
    inv_freq = RULES[name]
    assert inv_freq.shape == W.shape and inv_freq.dtype == np.float64
    assert (inv_freq <= W).all() and (inv_freq < W).any()
    assert (np.diff(inv_freq) < 0).all()
    q, k = np.random.default_rng(0).normal(size=(2, 1, 16))
    assert_allclose(np.linalg.norm(turned(q, [7], inv_freq)), np.linalg.norm(q))
    near, far = (turned(q, [p], inv_freq) @ turned(k, [p + 5], inv_freq).T for p in (3, 3003))
    assert_allclose(near, far, atol=1e-10)


@pytest.mark.parametrize("name", RULES)
def test_the_slowest_pair_sees_only_trained_angles_again(name):
    """claim 8.4: at four times the trained length its angle is at most what it was at the trained length."""
    reached = 8000 if name != "dynamic_ntk" else 4000  # dynamic NTK was asked for 4000 tokens
    assert RULES[name][-1] * reached <= W[-1] * 2000 * (1 + 1e-9)


def test_every_argument_matters():
    w, one, two = [1.0, 0.5], [1, 1], [2, 3]
    others = [
        *((interpolate(w, 4), interpolate(v, s)) for v, s in [([1.0, 0.6], 4), (w, 5)]),
        *((ntk_base(100, 4, 8), ntk_base(b, s, d)) for b, s, d in [(101, 4, 8), (100, 5, 8), (100, 4, 10)]),
        *((ntk(8, 100, 4), ntk(8, b, s)) for b, s in [(101, 4), (100, 5)]),
        *((dynamic_factor(2, 30, 10), dynamic_factor(*a)) for a in [(3, 30, 10), (2, 40, 10), (2, 30, 20)]),
        *((dynamic_ntk(8, 100, 2, 30, 10), dynamic_ntk(8, *a))
          for a in [(101, 2, 30, 10), (100, 3, 30, 10), (100, 2, 40, 10), (100, 2, 30, 20)]),
        *((longrope(w, one, two, 9, 8, 2)[0], longrope(*a)[0])
          for a in [([1.0, 0.6], one, two, 9, 8, 2), (w, one, [2, 4], 9, 8, 2), (w, one, two, 8, 8, 2), (w, one, two, 9, 9, 2)]),
        (longrope(w, one, two, 7, 8, 2)[0], longrope(w, [1, 2], two, 7, 8, 2)[0]),
        (longrope(w, one, two, 9, 8, 2)[1], longrope(w, one, two, 9, 8, 3)[1]),
        *((longrope_attention(4, 100), longrope_attention(*a)) for a in [(5, 100), (4, 200)]),
    ]  # fmt: skip
    for first, other in others:
        assert not np.allclose(first, other, rtol=1e-3, atol=0)
    assert ntk(10, 100, 4).shape == dynamic_ntk(10, 100, 2, 30, 10).shape == (5,)


# --- errors ----------------------------------------------------------------------------------------------------------

WRONG_NUMBERS = [
    (0, "must be above 0, got 0.0$"),
    (-4, "must be above 0, got -4.0$"),
    (np.inf, r"must be finite, got inf, shape \(\)$"),
    (np.nan, r"must be finite, got nan, shape \(\)$"),
    ([2, 3], r"must be one number, got shape \(2,\)$"),
    ("2", "must hold real numbers"),
    (True, "must hold real numbers"),
]
L = ([1.0], [1.0], [1.0])


@pytest.mark.parametrize("value, message", WRONG_NUMBERS)
@pytest.mark.parametrize(
    "name, call",
    [
        ("factor", lambda s: interpolate([1.0], s)),
        ("factor", lambda s: ntk_base(100, s, 4)),
        ("factor", lambda s: ntk(4, 100, s)),
        ("factor", lambda s: dynamic_factor(s, 2, 2)),
        ("factor", lambda s: dynamic_ntk(4, 100, s, 2, 2)),
        ("factor", lambda s: longrope_attention(s, 2)),
        ("factor", lambda s: longrope(*L, 2, 2, s)),
        ("length", lambda n: dynamic_factor(2, n, 2)),
        ("length", lambda n: dynamic_ntk(4, 100, 2, n, 2)),
        ("length", lambda n: longrope(*L, n, 2, 2)),
        ("trained", lambda n: dynamic_factor(2, 2, n)),
        ("trained", lambda n: dynamic_ntk(4, 100, 2, 2, n)),
        ("trained", lambda n: longrope(*L, 2, n, 2)),
        ("trained", lambda n: longrope_attention(2, n)),
    ],
)
def test_numbers_are_refused(name, call, value, message):
    with pytest.raises(ValueError, match=f"^{name} {message}"):
        call(value)


def test_one_token_has_no_logarithm_to_divide_by():
    with pytest.raises(ValueError, match="^trained must be above 1 token, got 1.0$"):
        longrope_attention(2, 1)


@pytest.mark.parametrize("wrong", [[1.0], [1.0, 1.0, 1.0], 1.0, [[1.0, 1.0]], [1.0, 0.0], [1.0, -2.0]])
@pytest.mark.parametrize("name", ["short", "long"])
def test_factors_are_one_a_pair(name, wrong):
    lists = {"short": [1.0, 1.0], "long": [1.0, 1.0], name: wrong}
    with pytest.raises(ValueError, match=rf"^{name} must hold one factor above 0 a pair, shape \(2,\), got "):
        longrope([1.0, 0.5], **lists, length=2, trained=4, factor=2)


@pytest.mark.parametrize("name", ["short", "long"])
def test_a_refused_factor_is_named_in_one_line(name):
    for wrong, told in [(np.ones(3), r"shape \(3,\)"), ([1.0, -2.0], r"-2\.0")]:
        with pytest.raises(ValueError, match=rf"^{name} must hold one factor above 0 a pair.*, got {told}$"):
            longrope([1.0, 0.5], **({"short": [1.0, 1.0], "long": [1.0, 1.0]} | {name: wrong}), length=2, trained=4, factor=2)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("call", [
    lambda: ntk_base(1e4, 1e300, 4), lambda: ntk(4, 1e4, 1e200), lambda: interpolate([1.0], 1e-320),
    lambda: longrope([1.0], [1e-320], [1.0], 2, 4, 2), lambda: longrope([1.0], [1.0], [1e-320], 8, 4, 2),
    lambda: dynamic_factor(1e308, 1e308, 1), lambda: ntk_by_parts([1.0], 1e-320, [0.0]),
])
def test_results_beyond_the_floats_are_refused(call):
    with pytest.raises(ValueError, match="must be finite, got a result beyond the range of the floats$"):
        call()


@pytest.mark.parametrize("name", ["short", "long"])
def test_factors_are_finite(name):
    lists = {"short": [1.0], "long": [1.0], name: [np.inf]}
    with pytest.raises(ValueError, match=rf"^{name} must be finite, got inf, shape \(1,\)$"):
        longrope([1.0], **lists, length=2, trained=4, factor=2)


@pytest.mark.parametrize("call", [ntk_base, lambda base, factor, dim: ntk(dim, base, factor)])
def test_dim_and_base_are_refused(call):
    for dim, message in [(2, "an integer of at least 4, got 2"), (7, "even, since features come in pairs, got 7")]:
        with pytest.raises(ValueError, match=f"^dim must be {message}$"):
            call(100, 2, dim)
    for base in (0, -3, 1):
        with pytest.raises(ValueError, match="^base must be above 0 and not 1"):
            call(base, 2, 4)


@pytest.mark.parametrize("call", [lambda w: interpolate(w, 2), lambda w: longrope(w, [1.0], [1.0], 2, 2, 2)])
def test_inv_freq_is_refused(call):
    with pytest.raises(ValueError, match="^inv_freq must hold one frequency a pair"):
        call([[1.0]])
    with pytest.raises(ValueError, match="^inv_freq must be finite, got nan"):
        call([np.nan])


def test_arguments_are_left_as_they_were():
    inv_freq, factors = np.array([1.0, 0.5]), np.array([1.0, 1.0])
    for result in (interpolate(inv_freq, 1), longrope(inv_freq, factors, factors, 1, 2, 1)[0]):
        result[...] = -1
    assert_array_equal(inv_freq, [1.0, 0.5])
    assert_array_equal(factors, [1.0, 1.0])


def test_one_door_for_all_rules():
    names = ["attention_factor", "llama3", "ntk_by_parts", "ramp_by_pair", "ramp_by_turns", "yarn"]
    assert all(callable(getattr(scaling, name)) for name in names)
