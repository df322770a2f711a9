"""The figures of chapter 6 say what the claims say, at every setting; and the chapter's numbers."""

import math
import re

from figure_kit import built, frame, numbers, readout, unseen
import numpy as np
import pytest

from pe_lib.attention import attention, causal_mask
from pe_lib.teach.figures import pair_layouts as figures
from pe_lib.teach.figures import pair_layouts_conventions as conventions
from pe_lib.frequencies import inverse_frequencies
from pe_lib.layouts import LAYOUTS, feature_pairs, permute_weights, to_half, to_interleaved
from pe_lib.teach.plots import CONTENT, INK, POSITION, new_figure
from pe_lib.teach.questions import pair_layouts as questions
from pe_lib.rotary import rotate, rotation_matrix
from pe_lib.yarn import attention_factor


# ---- 6.1

def test_arcs_name_partner_and_speed():
    """claim 6.1"""
    assert readout(figures.layout_arcs, dim=8, rotary=16, feature=3) == (
        "8 of 8 features rotate. Follow feature 3: interleaved, it is in pair 1 with feature 2 and turns 0.1 rad per token; half-split, it "
        "is in pair 3 with feature 7 and turns 0.001 rad per token.")
    for dim in range(4, 17, 2):
        for feature in range(dim):
            said = readout(figures.layout_arcs, dim=dim, rotary=16, feature=feature)
            assert f"with feature {feature ^ 1} and" in said and f"with feature {(feature + dim // 2) % dim} and" in said


def test_arcs_with_a_narrow_turn():
    """claims 6.1 and 6.4: the partner is half of the turning width on; the others have none."""
    assert "half-split, it is in pair 1 with feature 3" in readout(figures.layout_arcs, dim=8, rotary=4, feature=1)
    assert "passes through, in both layouts" in readout(figures.layout_arcs, dim=8, rotary=4, feature=6)


@pytest.mark.parametrize("dim, alike", [(4, [0, 3]), (8, [0, 7]), (16, [0, 15])])
def test_the_first_and_the_last_feature_keep_their_speed(dim, alike):
    """claim 6.1: a mission's answer"""
    said = [readout(figures.layout_arcs, dim=dim, rotary=16, feature=feature) for feature in range(dim)]
    same = [feature for feature, text in enumerate(said) if len(set(re.findall(r"turns (\S+) rad", text))) == 1]
    assert same == alike


# ---- 6.2

@pytest.mark.parametrize("first", [0, 1, 37, 200])
@pytest.mark.parametrize("words", ["one", "many"])
@pytest.mark.parametrize("seed", range(10))
def test_a_wrong_layout_is_right_on_the_diagonal_alone(seed, words, first):
    """claim 6.2: and its map does not move when all positions do."""
    (wrong, mixed), lengths = figures.fault_errors(seed, first, words)
    assert np.abs(np.diag(wrong)).max() < 1e-12 and np.abs(wrong).max() > 0.1
    np.testing.assert_allclose(lengths[0], 1)
    np.testing.assert_allclose(wrong, figures.fault_errors(seed, 0, words)[0][0], atol=1e-12)
    assert np.abs(np.diag(mixed)).max() > 0.05 and np.ptp(lengths[1]) > 0.05
    if words == "one":                                    # then the error depends on the offset: constant along diagonals
        assert max(np.ptp(np.diagonal(wrong, offset)) for offset in range(-15, 16)) < 1e-12
        assert max(np.ptp(np.diagonal(mixed, offset)) for offset in range(-15, 16)) > 0.05
    if first == 0:
        assert abs(mixed[0, 0]) < 1e-12                   # position 0 turns nothing, so both faults are right there
        assert np.isclose(lengths[1][0], 1)


def test_the_map_of_the_wrong_layout_stands_still_in_words():
    """claim 6.2"""
    here, there = (numbers(readout(figures.two_faults, first=first, words="one", seed=3)) for first in (0, 100))
    assert here[1:4] == there[1:4] and here[1] == 0 and here[4:] != there[4:]


@pytest.mark.parametrize("dim, low, high", [(64, 0.90, 1.10), (128, 0.93, 1.07)])
def test_how_far_a_mix_changes_lengths(dim, low, high):
    """claim 6.2: nine tenths of random vectors, positions up to 4095; single ones by more."""
    x = np.random.default_rng(0).normal(size=(4096, dim))
    ratio = np.linalg.norm(figures.mixed_turn(x, np.arange(4096), inverse_frequencies(dim)), axis=1) / np.linalg.norm(x, axis=1)
    np.testing.assert_allclose(np.quantile(ratio, [0.05, 0.95]), [low, high], atol=0.015)
    assert ratio.min() < 0.9 and ratio.max() > 1.1


FAULTS = {
    "wrong layout": lambda x, p: rotate(x, p, inverse_frequencies(64), layout="half"),
    "mixed": lambda x, p: figures.mixed_turn(x, p, inverse_frequencies(64)),
    "squared positions": lambda x, p: rotate(x, p ** 2, inverse_frequencies(64)),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("first", [0, 1, 100, 5000])
def test_a_first_token_is_right_under_any_fault(first, fault):
    """claim 6.2: the softmax of a single score is 1, so its output is its value, whatever its score is"""
    q, k, v = np.random.default_rng(0).normal(size=(3, 3, 64))
    at = first + np.arange(3)
    right, wrong = (attention(*(turn(x, at) for x in (q, k)), v, causal_mask(3))[0]
                    for turn in (lambda x, p: rotate(x, p, inverse_frequencies(64)), FAULTS[fault]))
    np.testing.assert_array_equal(right[0], v[0])
    np.testing.assert_array_equal(wrong[0], v[0])
    assert np.abs(wrong - right)[2].max() > 0.01


def test_the_score_of_a_first_token_at_100_may_be_wrong():
    """claim 6.2: mixed, 64 features: −5.14 instead of −2.03, as chapter 6 and its quiz say; the wrong layout's is right"""
    (q, *_), (k, *_), _ = np.random.default_rng(0).normal(size=(3, 3, 64))
    mixed_q, mixed_k = figures.mixed_turn(np.array([q, k]), [100, 100], inverse_frequencies(64))
    half_q, half_k = rotate(np.array([q, k]), [100, 100], inverse_frequencies(64), layout="half")
    np.testing.assert_allclose([mixed_q @ mixed_k, half_q @ half_k, q @ k], [-5.14, -2.03, -2.03], atol=0.005)
    assert "−5.14 instead of −2.03" in str(questions.FIRST_TOKEN)


def test_the_lengths_of_the_quiz_are_those_of_a_mix():
    """claim 6.2: they change with the position; one factor at all positions would be YaRN's, for example 1.04 at factor 1.5"""
    x = np.random.default_rng(0).normal(size=128)
    lengths = [np.linalg.norm(figures.mixed_turn(x[None], [p], inverse_frequencies(128))) / np.linalg.norm(x) for p in (0, 1, 7)]
    assert "{:.2f}, {:.2f} and {:.2f} times".format(*lengths) in questions.LONGER_VECTOR[0]
    assert f"{attention_factor(1.5):.2f}" == "1.04"


def test_a_mix_of_a_reported_case():
    """claim 6.2. Origin: case PC01-norm-invariant, float64, position 17, norm 4.596 before."""
    x = np.array([[1.0, -2.0, 3.0, 0.5, -1.5, 2.0, 0.25, -0.75]])
    assert np.isclose(np.linalg.norm(figures.mixed_turn(x, [17], inverse_frequencies(8))), 3.866471840175581, rtol=0, atol=1e-12)


def test_a_mix_is_no_rotation_and_can_lose_features():
    """claim 6.2: a quarter turn and a half turn, by hand."""
    turn = figures.mixed_turn(np.eye(4), np.ones(4), [np.pi / 2, np.pi])
    np.testing.assert_allclose(np.array([1.0, 2, 3, 4]) @ turn, [-3, -4, -3, -4], atol=1e-12)
    assert np.linalg.matrix_rank(turn.round(9)) == 2


# ---- 6.3

@pytest.mark.parametrize("way", figures.WAYS)
@pytest.mark.parametrize("biases", [True, False])
def test_the_meter_is_still_for_one_setting_alone(way, biases):
    """claim 6.3"""
    worst = figures.conversion_mismatch(way, biases).max()
    assert (worst < 1e-12) == (way == "columns, head by head" and biases)
    assert f"the largest mismatch is {worst:.2f}" in readout(figures.converter, way=way, biases=biases, offset=3)


def test_no_conversion_and_the_way_back_are_right_at_offset_zero():
    """claims 6.2 and 6.3: a mission's answer"""
    still = {way for way in figures.WAYS if figures.conversion_mismatch(way, True)[:, figures.REACH].max() < 1e-12}
    assert still == {"nothing", "columns, head by head", "columns, head by head, the way back"}


def test_a_gain_moves_like_a_bias():
    """claim 6.3: RMSNorm with a gain a feature, before the turn, as in QK-norm."""
    rng, inv_freq = np.random.default_rng(0), inverse_frequencies(8)
    (q, k), (gain_q, gain_k) = rng.normal(size=(2, 5, 8)), rng.normal(size=(2, 8))

    def scores(q, k, gain_q, gain_k, layout):
        q, k = (rotate(x / np.sqrt((x ** 2).mean(axis=1, keepdims=True)) * gain, np.arange(5), inv_freq, layout=layout)
                for x, gain in ((q, gain_q), (k, gain_k)))
        return q @ k.T
    wanted = scores(q, k, gain_q, gain_k, "interleaved")
    q, k = to_half(q), to_half(k)
    np.testing.assert_allclose(scores(q, k, to_half(gain_q), to_half(gain_k), "half"), wanted, atol=1e-12)
    assert np.abs(scores(q, k, gain_q, gain_k, "half") - wanted).max() > 0.1


@pytest.mark.parametrize("heads, key_heads, harm", [(64, 8, False), (16, 4, False), (32, 4, True), (8, 2, True)])
def test_a_converter_that_counts_heads_wrong_can_look_right(heads, key_heads, harm):
    """claim 6.3. Origin: llama.cpp, pull request 3364: heads // key_heads in place of key_heads."""
    w_k = np.arange(key_heads * 16.0)
    right, wrong = (permute_weights(w_k, count, to="interleaved") for count in (key_heads, heads // key_heads))
    assert np.array_equal(right, wrong) != harm


# ---- 6.4

def test_frequencies_are_made_for_the_turning_width():
    """claim 6.4"""
    said = readout(conventions.partial_frequencies, rotary=64, base=10_000.0, offset=100)
    assert said == ("64 of 128 features rotate. Slowest pair: 0.000133 rad per token, a turn in 47,117 tokens; sliced, 0.0115 rad, 544 "
                    "tokens. Shares at offset 100: 0.56 and 0.01.")
    np.testing.assert_allclose([inverse_frequencies(64)[-1], inverse_frequencies(128)[31]], [0.000133352, 0.011547820], rtol=1e-5)
    both = numbers(readout(conventions.partial_frequencies, rotary=128, base=10_000.0, offset=100))
    assert both[-1] == both[-2]                           # with all features rotateing there is nothing to slice


def test_the_curves_pass_through_the_shares_that_are_told():
    fig = new_figure()
    update = conventions.partial_frequencies(fig)
    for offset in (9, 100, 1999):
        told = numbers(update(64, 10_000.0, offset))[-2:]
        curves = [line for line in fig.axes[1].lines if len(line.get_xdata()) == 2000]
        assert len(curves) == 2
        for line, share in zip(curves, told):
            assert abs(line.get_ydata()[line.get_xdata() == offset] - share).max() < 0.0051


def test_the_shares_part_at_three_tokens():
    """claim 6.4: a mission's answer"""
    parted = [offset for offset in range(1, 20) if abs(np.subtract(*numbers(
        readout(conventions.partial_frequencies, rotary=64, base=10_000.0, offset=offset))[-2:])) > 0.1]
    assert parted[0] == 3
    np.testing.assert_allclose([inverse_frequencies(16)[-1], inverse_frequencies(256)[7]], [0.000316, 0.604], rtol=1e-3)


def test_partial_rotation_of_a_reported_case():
    """claim 6.4. Origin: case PA01-d8-r4-interleaved, float64."""
    x = np.array([[1.0, -2.0, 3.0, 0.5, -1.5, 2.0, 0.25, -0.75]])
    wanted = [-0.08689329140116375, 2.2343790090111106, 2.9429189244369773, 0.7676120141000302, -1.5, 2.0, 0.25, -0.75]
    np.testing.assert_allclose(rotate(x, [9], inverse_frequencies(4))[0], wanted, rtol=0, atol=1e-12)


# ---- 6.5

@pytest.mark.parametrize("tokens", range(1, 7))
@pytest.mark.parametrize("heads", range(1, 7))
def test_the_wrong_axis_is_refused_unless_sizes_are_equal_or_one(tokens, heads):
    """claim 6.5"""
    right, wrong = (conventions.received_positions(tokens, heads, code) for code in ("table[:, None]", "table"))
    np.testing.assert_allclose(right, np.repeat(np.arange(tokens)[:, None], heads, axis=1), atol=1e-12)
    said = readout(conventions.axis_order, tokens=tokens, heads=heads, code="table")
    if tokens not in (1, heads) and heads != 1:
        assert wrong is None and "refused" in said
    elif heads == 1 and tokens > 1:
        assert wrong.shape == (tokens, tokens) and f"has {tokens} heads where there was one" in said
    elif tokens == heads:
        np.testing.assert_allclose(wrong, right.T, atol=1e-12)
        assert ("number of its head" in said) == (tokens > 1)


def test_axis_order_of_a_reported_case():
    """claim 6.5. Origin: case AX01-bshd, float64: (batch, tokens, heads, features) of ones, half-split."""
    turned = rotate(np.ones((1, 3, 2, 4)).swapaxes(1, 2), np.arange(3), inverse_frequencies(4), layout="half").swapaxes(1, 2)
    row = [-0.30116867893975674, 0.9899501670824986, 1.3817732906760363, 1.009949833750832]
    np.testing.assert_allclose(turned[0, 1], [row, row], rtol=0, atol=1e-12)


def test_a_wrong_axis_runs_where_both_sides_divide_by_twice_the_heads():
    """claim 6.3: a square matrix is not needed"""
    assert permute_weights(np.ones((32, 64)), 8, to="half", axis=0).shape == permute_weights(np.ones((32, 64)), 8, to="half").shape
    with pytest.raises(ValueError, match=r"heads must divide the pairs .* along axis 0, got 2 heads, shape \(30, 12\)"):
        permute_weights(np.ones((30, 12)), 2, to="half", axis=0)


def test_the_slowest_sliced_pair_is_soon_round():
    """claim 6.4: a mission's answer, before the readout rounds it"""
    turns = [2 * np.pi / speeds[15] for speeds in (inverse_frequencies(128), inverse_frequencies(32))]
    assert round(turns[0], 1) == 54.4 and round(turns[1]) == 35_333
    said = readout(conventions.partial_frequencies, rotary=32, base=10_000.0, offset=100)
    assert "32 of 128 features rotate" in said and "a turn in 35,333 tokens" in said and "rad, 54 tokens" in said


@pytest.mark.parametrize("way, told", [("columns of W_Q alone", "biases of the queries too"), ("columns, head by head", "biases too"),
                                       ("rows, head by head", "biases as they were")])
def test_the_converter_says_whose_biases_move(way, told):
    """claim 6.3"""
    assert f"Changed: {way}; {told}." in readout(figures.converter, way=way, biases=True, offset=3)
    assert f"Changed: {way}; biases as they were." in readout(figures.converter, way=way, biases=False, offset=3)


# ---- 6.6

def test_both_signs_turned_over_reverse_the_offset():
    """claim 6.6, and case RS07-sign-of-score, float64"""
    q, k = np.array([1.0, -2.0, 3.0, 0.5, -1.5, 2.0, 0.25, -0.75]), np.array([0.5, 1.0, -1.0, 2.0, 1.5, -0.5, -2.0, 0.75])
    inv_freq = inverse_frequencies(8)
    plus, minus, swapped = (rotate(q, i, inv_freq) @ rotate(k, j, inv_freq) for i, j in ((12, 5), (-12, -5), (5, 12)))
    np.testing.assert_allclose([plus, minus, swapped], [-1.6302231427591978, -12.299881808767575, -12.299881808767575], rtol=0, atol=1e-12)


def test_one_sign_each_way_sees_the_place():
    """claim 6.6"""
    at_0, at_10, at_20 = (numbers(readout(conventions.signs, query=query, offset=5))[-3:] for query in (0, 10, 20))
    assert at_0[:2] == at_10[:2] == at_20[:2] and len({at_0[2], at_10[2], at_20[2]}) == 3
    ahead, behind = (numbers(readout(conventions.signs, query=20, offset=offset))[-3:] for offset in (5, -5))
    assert ahead[0] == behind[1] and ahead[1] == behind[0]


# ---- 6.7

GOLDEN = {"interleaved": [-1.27223251272018, -1.8388649851410237, 2.87866810043698, 4.088186635603437],
          "half": [-1.413352520780047, 1.8791180666879925, -2.828857481741469, 4.058191135400942]}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_golden_values(layout):
    """claim 6.7. Origin: cases PC01-rope4-interleaved and PC01-rope4-half, float64, position 3, base 10,000."""
    x = np.array([1.0, 2.0, 3.0, 4.0])
    np.testing.assert_allclose(rotate(x, 3, inverse_frequencies(4), layout=layout), GOLDEN[layout], rtol=0, atol=1e-12)
    np.testing.assert_allclose(rotation_matrix(3, inverse_frequencies(4), layout) @ x, GOLDEN[layout], rtol=0, atol=1e-12)


GOLDEN_SIX = {"interleaved": [-1.2722325127, -1.8388649851, 2.4157696931, 4.3776770998, 4.9611160102, 6.0321909729],
              "half": [-1.5544725288, 1.2866508929, 2.9611577843, -3.8188499783, 5.2291996978, 6.0192644547]}


def turned_by_the_formula(x, position, layout, exponent=lambda m, d: 2 * m / d):
    """One pair at a time, with Python's own sine and cosine."""
    turned, half = list(x), len(x) // 2
    for m in range(half):
        t = position * 10_000 ** -exponent(m, len(x))
        a, b = (2 * m, 2 * m + 1) if layout == "interleaved" else (m, m + half)
        turned[a], turned[b] = x[a] * math.cos(t) - x[b] * math.sin(t), x[a] * math.sin(t) + x[b] * math.cos(t)
    return turned


@pytest.mark.parametrize("layout", LAYOUTS)
def test_golden_values_of_six_features(layout):
    """claim 6.7: the block that the chapter hands out, x = 1 … 6, position 3, base 10,000"""
    x = [1.0, 2, 3, 4, 5, 6]
    np.testing.assert_allclose(3 * inverse_frequencies(6), [3, 0.139, 0.006], atol=5e-4)
    np.testing.assert_allclose(turned_by_the_formula(x, 3, layout), GOLDEN_SIX[layout], rtol=0, atol=5.1e-11)
    np.testing.assert_allclose(rotate(np.array(x), 3, inverse_frequencies(6), layout=layout), GOLDEN_SIX[layout], rtol=0, atol=5.1e-11)


@pytest.mark.parametrize("width, passes", [(4, True), (6, False)])
def test_six_features_see_what_four_do_not(width, passes):
    """claim 6.7: a reordering the wrong way, in either layout; and exponents m/2 and m/(m + 1)"""
    x, inv_freq = np.arange(1.0, width + 1), inverse_frequencies(width)
    golden = {layout: rotate(x, 3, inv_freq, layout=layout) for layout in LAYOUTS}
    wrong = {"interleaved": to_half(rotate(to_interleaved(x), 3, inv_freq, layout="half")),
             "half": to_interleaved(rotate(to_half(x), 3, inv_freq))}
    off = [np.abs(wrong[layout] - golden[layout]).max() for layout in LAYOUTS]
    off += [np.abs(turned_by_the_formula(x, 3, "interleaved", exponent) - golden["interleaved"]).max()
            for exponent in (lambda m, d: m / 2, lambda m, d: m / (m + 1))]
    assert (max(off) < 1e-12) if passes else (min(off) > 0.05)


@pytest.mark.parametrize("width, wrong_by", [(6, 9.77), (128, 183.1)])
def test_a_reordering_the_wrong_way_is_far_off(width, wrong_by):
    """claim 6.7: x = 1, 2, 3, …"""
    x, inv_freq = np.arange(1.0, width + 1), inverse_frequencies(width)
    wrong = to_half(rotate(to_interleaved(x), 3, inv_freq, layout="half"))
    assert np.abs(wrong - rotate(x, 3, inv_freq)).max() == pytest.approx(wrong_by, rel=2e-3)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_float32_throughout_keeps_to_the_tolerance_that_the_chapter_names(layout):
    """claim 6.7: angles, cosines and products in float32 stay within 1e-6 of the golden values"""
    turn = np.float32(3) * inverse_frequencies(6).astype(np.float32)
    first, second = (np.arange(1, 7, dtype=np.float32)[features] for features in feature_pairs(6, layout).T)
    turned = np.empty(6, np.float32)
    for features, values in zip(feature_pairs(6, layout).T, (first * np.cos(turn) - second * np.sin(turn), first * np.sin(turn) + second * np.cos(turn))):
        turned[features] = values
    np.testing.assert_allclose(turned, GOLDEN_SIX[layout], rtol=0, atol=1e-6)
    assert (turned != GOLDEN_SIX[layout]).all()


def test_half_split_is_the_default_of_mlx():
    """claim 6.1. Origin: mlx 0.32.4, nn.RoPE(8, scale=0.25, offset=3), first row of a batch, float32."""
    x = np.array([-0.7418272330337938, -0.2053509472949358, -1.0140817540983742, 1.2574311685643127,
                  0.0007408113270486798, 0.7282076523717657, -1.4447470714295654, -0.9659795159311171])
    turned = rotate(x, 0.75, inverse_frequencies(8), layout="half")
    np.testing.assert_allclose(turned, [
        -0.5432916879653931, -0.25933805108070374, -1.0032176971435547, 1.2581552267074585,
        -0.5051161646842957, 0.7107736468315125, -1.4523119926452637, -0.965036153793335], atol=1e-5)


def test_the_proportional_type_pairs_over_the_whole_head():
    """claim 6.4. Origin: transformers 5.24.0, rope type "proportional", 64 features, a quarter turning, float32."""
    wanted = [1.0, 0.7498942017555237, 0.5623413324356079, 0.4216965138912201, 0.3162277638912201, 0.23713736236095428,
              0.17782793939113617, 0.1333521455526352]
    np.testing.assert_allclose(inverse_frequencies(64)[:8], wanted, rtol=1e-6)
    speeds = np.concatenate([inverse_frequencies(64)[:8], np.zeros(24)])
    moved = np.flatnonzero(rotate(np.ones(64), 3, speeds, layout="half") != 1)
    np.testing.assert_array_equal(moved, [*range(8), *range(32, 40)])


# ---- the pictures

def drawn_in(picture, color):
    """How many pixels have (nearly) this colour."""
    wanted = np.array([int(color[place:place + 2], 16) for place in (1, 3, 5)])
    return (np.abs(picture[..., :3].astype(int) - wanted).max(axis=-1) < 40).sum()


@pytest.mark.parametrize("build, settings, rows, columns, colors", [
    (conventions.partial_frequencies, {"rotary": 128, "base": 10_000.0, "offset": 100}, (80, 320), (80, 360), (INK, POSITION)),
    (conventions.signs, {"query": 0, "offset": 5}, (60, 330), (80, 780), (CONTENT, POSITION)),
    (figures.converter, {"way": "columns, head by head", "biases": True, "offset": 3}, (316, 331), (485, 780), (INK, figures.GREY)),
])
def test_a_curve_shows_where_another_lies_on_it(build, settings, rows, columns, colors):
    """Inside the axes, without their frame and labels, of a picture of 800 x 400 pixels."""
    inside = frame(build, settings)[slice(*rows), slice(*columns)]
    assert all(drawn_in(inside, color) > 150 for color in colors), [drawn_in(inside, color) for color in colors]


def last_cell(axes):
    """Head and token coordinates of the last filled cell of the left map, as it is drawn."""
    table, (left, right, low, high) = np.asarray(axes[0].images[0].get_array(), dtype=float), axes[0].images[0].get_extent()
    tokens, heads = np.argwhere(np.isfinite(table)).max(axis=0)
    middle = left + (heads + 0.5) * (right - left) / table.shape[1], high + (tokens + 0.5) * (low - high) / table.shape[0]
    (text,) = [cell for cell in axes[0].texts if cell.get_position() == middle]
    assert text.get_text() == str(tokens) and [tick.get_text() for tick in axes[0].get_xticklabels()][:2] == ["0", "1"]
    return middle


def middle_of_box(ax, feature):
    return ax.patches[feature].get_x() + ax.patches[feature].get_width() / 2


@pytest.mark.parametrize("build, settings, artist", [
    *[(figures.layout_arcs, {"dim": dim, "rotary": 16, "feature": 3}, lambda axes: [middle_of_box(ax, 3) for ax in axes]) for dim in (4, 8, 16)],
    (figures.converter, {"way": "nothing", "biases": True, "offset": -7}, lambda axes: (axes[1].lines[2].get_xdata()[0],)),
    (conventions.partial_frequencies, {"rotary": 24, "base": 10_000.0, "offset": 71},
     lambda axes: (axes[0].lines[0].get_xdata()[-1], axes[1].lines[2].get_xdata()[0])),
    (conventions.axis_order, {"tokens": 5, "heads": 2, "code": "table"}, last_cell),
    (conventions.signs, {"query": 9, "offset": -7}, lambda axes: (axes[0].lines[3].get_xdata()[0],)),
])
def test_what_is_dragged_stands_where_the_pointer_is(build, settings, artist):
    readout(build, **settings)
    figure = built(build)[0]
    handles = [part for _, handle in figure.touches for part in handle]
    wanted = [start + (per(settings["dim"]) if callable(per) else per) * settings[name] for _, name, per, start, _ in handles]
    assert list(artist(figure.axes)) == pytest.approx(wanted)


@pytest.mark.parametrize("build, start, changes", [
    (figures.layout_arcs, {"dim": 8, "rotary": 8, "feature": 3}, [{"dim": 12}, {"rotary": 4}, {"feature": 5}]),
    (figures.two_faults, {"first": 0, "words": "one", "seed": 3}, [{"first": 50}, {"words": "many"}, {"seed": 4}]),
    (figures.converter, {"way": "columns, head by head", "biases": True, "offset": 3}, [{"way": "nothing"}, {"biases": False}, {"offset": 5}]),
    (conventions.partial_frequencies, {"rotary": 64, "base": 10_000.0, "offset": 100}, [{"rotary": 32}, {"base": 500_000.0}, {"offset": 9}]),
    (conventions.axis_order, {"tokens": 4, "heads": 3, "code": "table"}, [{"tokens": 3}, {"heads": 4}, {"code": "table[:, None]"}]),
    (conventions.signs, {"query": 0, "offset": 5}, [{"query": 7}, {"offset": 6}]),
])
def test_every_control_changes_the_picture(build, start, changes):
    assert unseen(build, start, changes) == []
