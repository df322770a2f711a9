"""The rules with a ramp: NTK-by-parts, YaRN and Llama 3, against other packages and against each other."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pe_lib.frequencies import inverse_frequencies, wavelengths
from pe_lib.scaling import interpolate
from pe_lib.yarn import attention_factor, llama3, ntk_by_parts, ramp_by_pair, ramp_by_turns, ramp_ends, yarn

steady = settings(deadline=None, derandomize=True, database=None, max_examples=50)
PAIRS = st.integers(1, 32)
BASES = st.floats(10, 1e7)
FACTORS = st.floats(0.1, 100)
LENGTHS = st.integers(64, 1_000_000)
ENDS = st.tuples(st.floats(0.5, 4), st.floats(4.5, 64))


def agree(found, golden, rtol=5e-7):
    """Some pairs of another package's frequencies, in float32."""
    assert_allclose(found[list(golden)], list(golden.values()), rtol=rtol)


# --- the two ramps ---------------------------------------------------------------------------------------------------


def test_paper_s_frequencies():
    """claim 8.4. Origin: case YA07-ramp-paper, from the paper's formula, float64; pairs 16 to 32 are on the ramp."""
    inv_freq = inverse_frequencies(128)
    found = ntk_by_parts(inv_freq, 10, ramp_by_turns(inv_freq, 2048))
    assert_allclose(
        found[:35],
        [
            *(1.0, 0.8659643233600653, 0.7498942093324559, 0.6493816315762113, 0.5623413251903491, 0.4869675251658631),
            *(0.4216965034285822, 0.3651741272548377, 0.31622776601683794, 0.27384196342643613, 0.23713737056616552),
            *(0.2053525026457146, 0.1778279410038923, 0.1539926526059492, 0.1333521432163324, 0.11547819846894582),
            *(0.1, 0.07710837880235333, 0.05853644182284579, 0.04451384415803598, 0.033915584808122),
            *(0.025896314356386167, 0.01982062271949479, 0.015210731476014391, 0.01170724192357051),
            *(0.009039677133135159, 0.007004371566776271, 0.005447873276686841, 0.004254482282962801),
            *(0.003336892662079256, 0.0026291638342773606, 0.002081440014167944, 0.0016559819067967145),
            *(0.0013241835816535106, 0.0010643291067698331),
        ],
        rtol=1e-9,
    )
    assert_allclose(found[63], 1.1547819846894583e-05, rtol=1e-9)


@pytest.mark.parametrize(
    "trained, first, last",
    [(2048, 16.128001690012354, 40.21040134313085), (4096, 20.94448162063605, 45.02688127375455)],
)
def test_reference_code_s_ramp_begins_and_ends_at(trained, first, last):
    """Origin: case YA07-correction-dims, from the definition: pair numbers at 32 turns and at 1 turn."""
    pairs = np.arange(64)
    assert_allclose(ramp_by_pair(128, 10_000, trained, rounded=False), np.clip((last - pairs) / (last - first), 0, 1), atol=1e-9)
    whole = np.clip((np.ceil(last) - pairs) / (np.ceil(last) - np.floor(first)), 0, 1)
    assert_allclose(ramp_by_pair(128, 10_000, trained), whole, atol=1e-12)


def test_a_ramp_that_ends_beyond_the_last_pair():
    """Origin: case YA07-correction-dims at 163,840 tokens: from 46.577 to 70.660, where 63 is the last pair."""
    pairs = np.arange(64)
    assert_allclose(ramp_by_pair(128, 10_000, 163_840), np.clip((71 - pairs) / (71 - 46), 0, 1), atol=1e-12)
    assert ramp_by_pair(128, 10_000, 163_840)[-1] > 0.3
    # A package that stops at dim/2 - 1 has another slope and a last pair without any share of its own frequency.
    assert np.clip((63 - pairs) / (63 - 46), 0, 1)[-1] == 0


@steady
@given(PAIRS, BASES, LENGTHS, ENDS)
def test_the_two_ramps_share_their_ends_but_not_their_slope(pairs, base, trained, ends):
    """claim 8.4: kept from `fast` turns on, given up to `slow` turns, falling in between, by both."""
    inv_freq = inverse_frequencies(2 * pairs, base)
    turns = trained / wavelengths(inv_freq)
    by_turns = ramp_by_turns(inv_freq, trained, *ends)
    by_pair = ramp_by_pair(2 * pairs, base, trained, *ends, rounded=False)
    for kept in (by_turns, by_pair):
        assert kept.shape == (pairs,) and kept.dtype == np.float64
        assert ((0 <= kept) & (kept <= 1)).all() and (np.diff(kept) <= 1e-12).all()
    assert_allclose(by_turns[turns >= ends[1]], 1)
    assert_allclose(by_turns[turns <= ends[0]], 0, atol=1e-12)
    # Fewer than `fast` turns in the trained length: the ends may fall before pair 0, and it is kept all the same.
    assert_allclose(by_pair[turns >= ends[1] * (1 + 1e-9)], 1, atol=1e-9)
    assert_allclose(by_pair[1:][turns[1:] <= ends[0] * (1 - 1e-9)], 0, atol=1e-9)


def test_inside_the_ramp_they_differ_by_a_factor():
    """claim 8.4: linear in turns is not linear in the number of the pair."""
    inv_freq = inverse_frequencies(128)
    paper = yarn(inv_freq, 16, ramp_by_turns(inv_freq, 4096))[0]
    code = yarn(inv_freq, 16, ramp_by_pair(128, 10_000, 4096))[0]
    assert_array_equal(paper[:20], code[:20])
    assert_allclose(paper[46:], code[46:], rtol=1e-12)
    assert round(abs(code / paper - 1).max(), 1) == 2.0


def test_a_ramp_of_one_pair_and_a_ramp_before_the_first():
    assert_array_equal(ramp_by_pair(4, 10_000, 5), [1, 0])  # both ends before pair 0: it alone is kept
    assert_array_equal(ramp_by_pair(16, 100, 1e9), np.ones(8))  # both ends beyond the last pair: all are kept
    assert_array_equal(ramp_by_pair(2, 100, 4096), [1])


# --- other packages --------------------------------------------------------------------------------------------------

YARN = [  # dim, base, trained, factor, attention factor, frequencies
    (8, 10_000, 32, 4, 1.138629436111989, {0: 1, 1: 0.0250000004, 2: 0.00249999994, 3: 0.000250000012}),
    (64, 10_000, 2048, 4, 1.138629436111989, {1: 0.749894202, 7: 0.133352146, 10: 0.0497455746, 13: 0.0168732349,
        17: 0.00360526075, 20: 0.000973008573, 23: 0.000333380362, 31: 3.33380376e-05}),
    (64, 10_000, 4096, 40, 1.3688879454113936, {4: 0.316227764, 10: 0.0562341288, 13: 0.0183781441, 17: 0.00356199732,
        20: 0.000790569407, 23: 3.3338034e-05, 26: 1.40585325e-05, 31: 3.33380353e-06}),
    (128, 10_000, 4096, 16, 1.2772588722239782, {8: 0.316227764, 18: 0.0749894157, 23: 0.0325672105, 28: 0.0126531422,
        33: 0.0046004355, 38: 0.00147999241, 43: 0.000350481481, 48: 6.2500003e-05, 63: 7.21738706e-06}),
    (128, 1e6, 32_768, 4, 1.138629436111989, {18: 0.0205352511, 23: 0.00697830599, 28: 0.00184827659, 33: 0.000450323569,
        38: 9.26230132e-05, 43: 2.32643015e-05, 63: 3.10234441e-07}),
    (16, 100, 100_000, 2, 1.0693147180559945, {0: 1, 1: 0.562341332, 5: 0.0562341288, 7: 0.0177827943}),
]  # fmt: skip


@pytest.mark.parametrize("dim, base, trained, factor, attention, golden", YARN)
def test_yarn_of_the_reference_code(dim, base, trained, factor, attention, golden):
    """claim 8.4. Origin: transformers 5.24.0 and, where it was run, keras-hub 0.32.0, in float32.

    For factor 40 the package divides two equal factors and says 1: it was given DeepSeek's two coefficients.
    """
    found, found_attention = yarn(inverse_frequencies(dim, base), factor, ramp_by_pair(dim, base, trained))
    agree(found, golden)
    assert_allclose(found_attention, attention, rtol=1e-12)


@pytest.mark.parametrize(
    "dim, trained, factor, golden",
    [
        (64, 2048, 4, {0: 0.25, 7: 0.0333380341, 10: 0.0205470843, 13: 0.0127689343, 20: 0.00297983865, 31: 0.00013335215}),
        (128, 4096, 16, {0: 0.0625, 13: 0.00962454036, 23: 0.00623253862, 33: 0.00460043528, 43: 0.00183138888, 63: 0.000115478193}),
    ],
)  # fmt: skip
def test_litgpt_s_ramp_is_inverted(dim, trained, factor, golden):
    """Origin: litgpt 0.5.13, float32: fast pairs are interpolated and slow ones kept, the other way round."""
    inv_freq, kept = inverse_frequencies(dim), ramp_by_pair(dim, 10_000, trained)
    agree(ntk_by_parts(inv_freq, factor, 1 - kept), golden)
    assert_allclose(ntk_by_parts(inv_freq, factor, kept)[0], 1)


def test_two_faults_that_cancel():
    """Origin: litgpt 0.5.13, float32: its other clamp turns the ramp around a second time where it ends too early."""
    first, last, pairs = 10, 7, np.arange(8)  # 32 turns at pair 10, 1 turn at pair 15, which becomes 7
    kept_inverted = np.clip((pairs - first) / (last - first), 0, 1)
    agree(ntk_by_parts(inverse_frequencies(16, 100), 2, kept_inverted), {0: 1, 4: 0.100000004, 7: 0.017782795})


LLAMA = {
    (128, 8): {0: 1, 13: 0.0695659518, 28: 0.00321144611, 33: 0.00031269365, 38: 5.16590699e-05, 63: 3.06892588e-07},
    (64, 32): {0: 1, 13: 0.00483942125, 17: 9.70828623e-05, 20: 8.57025589e-06, 31: 9.41830649e-08},
}


@pytest.mark.parametrize("dim, factor", LLAMA)
def test_llama3_of_other_packages(dim, factor):
    """claim 8.4. Origin: transformers 5.24.0, torchtune 0.6.1 and litgpt 0.5.13, which agree, in float32."""
    agree(llama3(inverse_frequencies(dim, 500_000), factor, 1.0, 4.0, 8192), LLAMA[dim, factor])


def test_llama3_is_ntk_by_parts_with_a_shorter_ramp():
    """Origin: case L301; the defaults are Llama 3.1's."""
    inv_freq = inverse_frequencies(128, 500_000)
    assert_array_equal(llama3(inv_freq), ntk_by_parts(inv_freq, 8, ramp_by_turns(inv_freq, 8192, slow=1, fast=4)))


def test_llama3_blends_linearly_in_turns():
    """Origin: case L302, pair 31 of 64; linear in wavelength it would be 0.0013475715."""
    inv_freq = inverse_frequencies(128, 500_000)
    assert_allclose(llama3(inv_freq)[31], 0.0008567514129196321, rtol=1e-12)
    kept = np.clip((8192 / 1 - wavelengths(inv_freq)) / (8192 / 1 - 8192 / 4), 0, 1)
    assert_allclose(ntk_by_parts(inv_freq, 8, kept)[31], 0.0013475715307118274, rtol=1e-12)


# --- what holds for all ----------------------------------------------------------------------------------------------


@steady
@given(PAIRS, BASES, FACTORS)
def test_between_kept_and_interpolated(pairs, base, factor):
    inv_freq = inverse_frequencies(2 * pairs, base)
    assert_allclose(ntk_by_parts(inv_freq, factor, np.ones(pairs)), inv_freq, rtol=1e-15)
    assert_allclose(ntk_by_parts(inv_freq, factor, np.zeros(pairs)), interpolate(inv_freq, factor), rtol=1e-15)
    half = ntk_by_parts(inv_freq, factor, np.full(pairs, 0.5))
    assert_allclose(half, (inv_freq + inv_freq / factor) / 2, rtol=1e-14)


@steady
@given(PAIRS, BASES, LENGTHS)
def test_factor_one_is_the_identity(pairs, base, trained):
    inv_freq = inverse_frequencies(2 * pairs, base)
    for kept in (ramp_by_turns(inv_freq, trained), ramp_by_pair(2 * pairs, base, trained)):
        found, attention = yarn(inv_freq, 1, kept)
        assert_allclose(found, inv_freq, rtol=1e-15)
        assert attention == 1
    assert_allclose(llama3(inv_freq, 1), inv_freq, rtol=1e-15)


def test_a_factor_below_one_speeds_slow_pairs_up():
    """It is allowed: a model trained at length L is shortened to half of it; the scores are left as they are."""
    inv_freq = inverse_frequencies(64)
    found, attention = yarn(inv_freq, 0.5, ramp_by_turns(inv_freq, 2048))
    assert_array_equal(found[:8], inv_freq[:8])
    assert_allclose(found[-1], 2 * inv_freq[-1])
    assert attention == 1


@pytest.mark.parametrize(
    "factor, expected",
    [
        *((0.5, 1.0), (1, 1.0), (2, 1.0693147180559945), (4, 1.138629436111989), (8, 1.2079441541679836)),
        *((16, 1.2772588722239782), (40, 1.3688879454113936), (64, 1.4158883083359672), (128, 1.4852030263919618)),
    ],
)
def test_attention_factor(factor, expected):
    """claim 8.4. Origin: case YA02, 0.1 ln s + 1 and 1 for s <= 1."""
    assert_allclose(attention_factor(factor), expected, rtol=1e-12)
    assert isinstance(attention_factor(factor), float)


def test_scores_grow_by_the_square_of_the_attention_factor():
    """claim 8.4. Origin: case YA01: DeepSeek's softmax scale at s = 40 is multiplied by 1.8738542070926265, once."""
    rng = np.random.default_rng(0)
    q, k = rng.normal(size=(2, 5, 8))
    attention = attention_factor(40)
    assert_allclose((q * attention) @ (k * attention).T, (q @ k.T) * 1.8738542070926265, rtol=1e-12)


def test_every_argument_matters():
    inv_freq = inverse_frequencies(32)
    turns, pair = ramp_by_turns(inv_freq, 512), ramp_by_pair(32, 10_000, 512)
    others = [
        (turns, ramp_by_turns(inverse_frequencies(32, 5000), 512)),
        *((turns, ramp_by_turns(inv_freq, 600)), (turns, ramp_by_turns(inv_freq, 512, slow=2))),
        *((turns, ramp_by_turns(inv_freq, 512, fast=16)), (pair, ramp_by_pair(32, 10_000, 512, rounded=False))),
        *((pair, ramp_by_pair(32, 500, 512)), (pair, ramp_by_pair(32, 10_000, 2048))),
        *((pair, ramp_by_pair(32, 10_000, 512, slow=3)), (pair, ramp_by_pair(32, 10_000, 512, fast=8))),
        *((ntk_by_parts(inv_freq, 4, turns), ntk_by_parts(w, f, kept)) for w, f, kept in
          [(2 * inv_freq, 4, turns), (inv_freq, 5, turns), (inv_freq, 4, pair)]),
        *((yarn(inv_freq, 4, turns)[0], yarn(w, f, kept)[0]) for w, f, kept in
          [(2 * inv_freq, 4, turns), (inv_freq, 5, turns), (inv_freq, 4, pair)]),
        *((llama3(inv_freq), llama3(inv_freq, **{name: value})) for name, value in
          [("factor", 4), ("low", 2), ("high", 8), ("trained", 4096)]),
        (llama3(inv_freq), llama3(2 * inv_freq)),
    ]  # fmt: skip
    for one, other in others:
        assert not np.allclose(one, other, rtol=1e-3, atol=0)
    assert ramp_by_pair(34, 10_000, 512).shape == (17,)


# --- errors ----------------------------------------------------------------------------------------------------------

W = [1.0, 0.5]
WRONG_NUMBERS = [
    (0, "must be above 0, got 0.0$"),
    (-1, "must be above 0, got -1.0$"),
    (np.inf, r"must be finite, got inf, shape \(\)$"),
    (np.nan, r"must be finite, got nan, shape \(\)$"),
    ([2, 3], r"must be one number, got shape \(2,\)$"),
    ("2", "must hold real numbers"),
]


@pytest.mark.parametrize("value, message", WRONG_NUMBERS)
@pytest.mark.parametrize(
    "name, call",
    [
        ("factor", lambda s: ntk_by_parts(W, s, W)),
        ("factor", lambda s: yarn(W, s, W)),
        ("factor", lambda s: llama3(W, s)),
        ("factor", attention_factor),
        ("trained", lambda n: ramp_by_turns(W, n)),
        ("trained", lambda n: ramp_by_pair(4, 100, n)),
        ("trained", lambda n: llama3(W, trained=n)),
        ("the slow end of the ramp", lambda r: ramp_by_turns(W, 64, slow=r)),
        ("the slow end of the ramp", lambda r: llama3(W, low=r)),
        ("the fast end of the ramp", lambda r: ramp_by_pair(4, 100, 64, fast=r)),
        ("the fast end of the ramp", lambda r: llama3(W, high=r)),
    ],
)
def test_numbers_are_refused(name, call, value, message):
    with pytest.raises(ValueError, match=f"^{name} {message}"):
        call(value)


@pytest.mark.parametrize("slow, fast", [(4, 4), (5, 4), (32, 1)])
@pytest.mark.parametrize(
    "call",
    [
        lambda slow, fast: ramp_by_turns(W, 64, slow, fast),
        lambda slow, fast: ramp_by_pair(4, 100, 64, slow, fast),
        lambda slow, fast: llama3(W, 8, slow, fast, 64),
    ],
)
def test_a_ramp_goes_from_slow_to_fast(call, slow, fast):
    with pytest.raises(ValueError, match=f"slow end below its fast end, got {slow}.0 and {fast}.0 turns$"):
        call(slow, fast)


@pytest.mark.filterwarnings("error")
def test_the_ramp_counts_turns_either_way_round():
    w = inverse_frequencies(64)
    assert np.array_equal(ramp_by_turns(-w, 4096), ramp_by_turns(w, 4096)) and ramp_by_turns(-w, 4096).max() == 1
    assert np.array_equal(ramp_by_turns([1e300, 0.0], 1e300), [1, 0])


def test_refused_shares_are_named_in_one_line():
    for wrong, told in [(np.ones(63), r"shape \(63,\)"), ([0.5, 1.5], r"1\.5")]:
        with pytest.raises(ValueError, match=rf"^kept must hold one share from 0 to 1 a pair.*, got {told}$"):
            ntk_by_parts(W, 4, wrong)


@pytest.mark.parametrize("kept", [[1.0], [1.0, 0.5, 0.0], 1.0, [[1.0, 0.0]], [1.0, 1.1], [-0.1, 0.0]])
def test_kept_is_one_share_a_pair(kept):
    for rule in (ntk_by_parts, yarn):
        with pytest.raises(ValueError, match=r"^kept must hold one share from 0 to 1 a pair, shape \(2,\), got "):
            rule(W, 4, kept)
    with pytest.raises(ValueError, match="^kept must be finite, got nan"):
        ntk_by_parts(W, 4, [1.0, np.nan])


def test_dim_base_and_frequencies_are_refused():
    with pytest.raises(ValueError, match="^dim must be even"):
        ramp_by_pair(5, 100, 64)
    with pytest.raises(ValueError, match="^base must be above 1, so that later pairs are slower, got 0.5$"):
        ramp_by_pair(4, 0.5, 64)
    with pytest.raises(ValueError, match="^base must be above 0 and not 1, got 1.0$"):
        ramp_by_pair(4, 1, 64)
    for call in (lambda w: ramp_by_turns(w, 64), lambda w: ntk_by_parts(w, 2, [1.0]), lambda w: llama3(w)):
        with pytest.raises(ValueError, match="^inv_freq must hold one frequency a pair"):
            call(1.0)
        with pytest.raises(ValueError, match="^inv_freq must be finite"):
            call([np.nan])


def test_arguments_are_left_as_they_were():
    inv_freq, kept = np.array([1.0, 0.5]), np.array([1.0, 0.5])
    for result in (yarn(inv_freq, 1, kept)[0], ntk_by_parts(inv_freq, 1, kept), llama3(inv_freq, 1), ramp_by_turns(inv_freq, 64)):
        result[...] = -1
    assert_array_equal(inv_freq, [1.0, 0.5])
    assert_array_equal(kept, [1.0, 0.5])


@pytest.mark.parametrize("trained, ends", [(2048, (16.128001690012354, 40.21040134313085)), (4096, (20.94448162063605, 45.02688127375455)),
                                           (163_840, (46.57744148188345, 70.65984113500194))])
def test_the_ends_of_the_ramp_can_be_asked_for(trained, ends):
    """Origin: case YA07-correction-dims, 128 features, base 10,000, from the definition."""
    np.testing.assert_allclose(ramp_ends(128, 10_000, trained, rounded=False), ends, rtol=0, atol=1e-9)
    assert tuple(ramp_ends(128, 10_000, trained)) == (np.floor(ends[0]), np.ceil(ends[1]))
    assert tuple(ramp_ends(64, 10_000, 10**9, rounded=False)) == (ramp_ends(64, 10_000, 10**9, rounded=False)[0], 63)


def test_the_two_shares_of_deepseek():
    """Origin: case YA01: with both mscale and mscale_all_dim 1, q and k are left alone, and the scores are multiplied by 1.8738542070926265."""
    assert attention_factor(40, 1.0) / attention_factor(40, 1.0) == 1
    assert attention_factor(40, 1.0) ** 2 == pytest.approx(1.8738542070926265, abs=1e-12)
    assert attention_factor(40, 0.707) == pytest.approx(1 + 0.0707 * np.log(40), abs=1e-12)
    assert attention_factor(40, 0) == 1 == attention_factor(0.5, 3)


def test_the_logarithm_is_taken_once():
    """Origin: case YA04: a share that is itself an attention factor is too large by 12.2 and 8.9 per cent."""
    for scale, right, wrong in ((64, 1.4158883083359672, 1.5888513933465196), (32, 1.3465735902799727, 1.466686843759523)):
        assert attention_factor(scale) == pytest.approx(right, abs=1e-12)
        assert attention_factor(scale, share=attention_factor(scale)) == pytest.approx(wrong, abs=1e-12)


@pytest.mark.parametrize("share", [-0.1, np.nan, "1"])
def test_a_share_below_0_is_refused(share):
    with pytest.raises(ValueError, match="^share must"):
        attention_factor(8, share)
