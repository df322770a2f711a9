"""The figures of chapter 2 say what the claims say, at every setting."""

import re

from figure_kit import built, frame, numbers, readout, unseen
from matplotlib import rcParams
import numpy as np
import pytest

from pe_lib.teach.figures import sinusoids as figures
from pe_lib.frequencies import inverse_frequencies, offset_similarity
from pe_lib.sinusoidal import offset_matrix, sinusoidal_encoding
from pe_lib.teach.plots import new_figure, show


def test_binary_codes_count_fastest_bit_first():
    np.testing.assert_array_equal(figures.binary_code([0, 1, 2, 6], 3), [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 1]])


def test_the_smooth_counter_steps_equally_and_the_binary_one_does_not():
    """claim 2.1"""
    said = readout(figures.counters, position=31, base=64.0)
    assert said == ("Position 31 is 1 1 1 1 1 0 in bits, fastest first. The step to 32 flips 6 bits, a step of length 2.45; "
                    "the smooth counter's step has length 1.12.")
    assert "flips 1 bit, a step of length 1.00; the smooth counter's step has length 1.12" in readout(
        figures.counters, position=32, base=64.0)
    many = [p for p in range(63) if numbers(readout(figures.counters, position=p, base=64.0))[8] >= 5]
    assert many == [15, 31, 47]                        # the first mission
    codes = figures.binary_code(np.arange(64), 6)
    differs = (codes != codes[5]).tolist()
    assert [p for p in range(64) if differs[p] == [False] * 5 + [True]] == [37]                # the second
    wavelengths = 2 * np.pi / inverse_frequencies(12)
    assert np.flatnonzero(wavelengths / 4 > 63).tolist() == [3, 4, 5]                          # the third


@pytest.mark.parametrize("position, base, turns", [(44, 10_000.0, "7.00, 0.70, 0.07, 0.01"), (628, 10_000.0, "99.95, 9.99, 1.00, 0.10"),
                                                   (199, 100.0, "31.67, 10.02, 3.17, 1.00")])
def test_clock_hands_count_their_turns(position, base, turns):
    """claim 2.1: the missions' answers"""
    assert f"have turned {turns} times" in readout(figures.clock_hands, position=position, base=base)


def test_the_fastest_hand_is_first_back_at_44():
    """claim 2.1: within 0.01 of a turn"""
    turns = np.arange(1, 60) / (2 * np.pi)
    assert 1 + np.flatnonzero(np.abs(turns - turns.round()) < 0.01)[0] == 44


@pytest.mark.parametrize("power, ratio, cosine", [(0.0, 15.84, 0.04), (0.5, 0.70, 0.81), (1.0, 0.03, 1.0)])
def test_loudness_is_a_ratio(power, ratio, cosine):
    """claim 2.2"""
    said = readout(figures.loudness, position=100, dim=512, power=power)
    assert f"{ratio:.2f} times as long" in said and f"a cosine of {cosine:.2f}." in said
    assert "the sinusoid 16.00" in said and "would have length 2263" in said


@pytest.mark.parametrize("dim", [64, 512])
@pytest.mark.parametrize("power", figures.SIZES.values())
def test_the_arrow_of_the_sum_points_where_the_sum_does(dim, power):
    """claim 2.2: the angles drawn are those between the vectors themselves, and none is a needle too thin to see"""
    for position in (0, 100, 2000):
        said = readout(figures.loudness, position=position, dim=dim, power=power)
        content = np.random.default_rng(0).normal(size=dim) / np.sqrt(dim) * dim ** power
        place = sinusoidal_encoding(position, dim)
        arrows = built(figures.loudness)[0].axes[1].lines[:3]
        for arrow, vector in zip(arrows, (content, place, content + place)):
            along = vector @ content / np.linalg.norm(vector) / np.linalg.norm(content)
            (_, x), (_, y) = arrow.get_data()
            assert (x, np.hypot(x, y)) == pytest.approx((along, 1))
        assert f"points {np.degrees(np.arccos(x)):.0f}° away" in said


def test_the_sum_keeps_near_the_content_in_the_middle_setting():
    """claim 2.2: a mission's answer, about 0.8 wherever the position stands"""
    content = np.random.default_rng(0).normal(size=512)
    sums = content + sinusoidal_encoding(np.arange(2001), 512)
    cosines = sums @ content / np.linalg.norm(sums, axis=1) / np.linalg.norm(content)
    assert 0.79 < cosines.min() and cosines.max() < 0.85 and round(cosines[100], 2) == 0.81


def test_a_negative_cosine_has_a_minus_sign_and_no_hyphen():
    """claim 2.2"""
    said = [readout(figures.loudness, position=position, dim=64, power=0.0) for position in range(0, 2001, 50)]
    assert any("a cosine of −0." in text for text in said) and not any("-" in text for text in said)


def test_the_legends_show_their_dashes():
    """A handle is longer than one period of the dashes that it names."""
    names = {"--": "dashed", "-.": "dashdot", ":": "dotted"}
    handles = [handle for ax in built(figures.loudness)[0].axes for handle in ax.get_legend().legend_handles]
    dashed = [handle for handle in handles if handle.get_linestyle() in names]
    assert len(handles) == 6 and len(dashed) == 4
    for handle in dashed:
        period = handle.get_linewidth() * sum(rcParams[f"lines.{names[handle.get_linestyle()]}_pattern"])
        assert np.ptp(handle.get_xdata()) > period


@pytest.mark.parametrize("dim, first", [(512, 23), (64, 8)])
def test_the_index_outgrows_the_loudest_content(dim, first):
    """claim 2.2: a mission's answer"""
    before, after = (numbers(readout(figures.loudness, position=p, dim=dim, power=1.0)) for p in (first - 1, first))
    assert before[-1] < before[2] and after[-1] > after[2]


@pytest.mark.parametrize("dim, ratio, low, high", [(512, 0.03, 1.7, 1.8), (64, 0.10, 5.1, 5.6)])
def test_the_loudest_content_is_hardly_moved(dim, ratio, low, high):
    """claim 2.2: a mission's answer; the angle between the sum and the content, in degrees, at every position of the slider"""
    assert f"{ratio:.2f} times as long" in readout(figures.loudness, position=100, dim=dim, power=1.0)
    content = np.random.default_rng(0).normal(size=dim) * np.sqrt(dim)
    sums = content + sinusoidal_encoding(np.arange(2001), dim)
    degrees = np.degrees(np.arccos(sums @ content / np.linalg.norm(sums, axis=1) / np.linalg.norm(content)))
    assert low < degrees.min() and degrees.max() < high


@pytest.mark.parametrize("dim", [64, 512])
def test_only_in_the_middle_setting_is_neither_more_than_twice_as_long(dim):
    """claim 2.2: a mission's answer"""
    ratios = [float(re.search(r"([\d.]+) times as long", readout(figures.loudness, position=100, dim=dim, power=power))[1])
              for power in figures.SIZES.values()]
    assert [0.5 < ratio < 2 for ratio in ratios] == [False, True, False]


@pytest.mark.parametrize("position", [0, 5, 40, 60])
@pytest.mark.parametrize("offset, turn", [(3, "adds 0.30 rad: it holds cos = 0.955 and sin = 0.296"), (0, "adds 0.00 rad"),
                                          (-3, "adds −0.30 rad: it holds cos = 0.955 and sin = −0.296")])
def test_the_turn_does_not_depend_on_the_position(position, offset, turn):
    """claim 2.4"""
    assert turn in readout(figures.turned_pair, position=position, offset=offset)


def test_the_first_matrix_near_the_identity_is_that_of_63():
    """claim 2.4: the mission's answer; 314 and 377 come after it"""
    offsets = np.arange(1, 400)
    far = np.maximum(np.abs(np.cos(0.1 * offsets) - 1), np.abs(np.sin(0.1 * offsets)))
    assert offsets[far < 0.02].tolist() == [63, 314, 377]


def test_twelve_tokens_show_in_three_of_four_blocks():
    """claim 2.5: a mission's answer: width 8, base 10,000, entries more than 0.1 away from the identity's"""
    gaps = np.abs(offset_matrix(12, inverse_frequencies(8)) - np.eye(8))
    assert [gaps[2 * m:2 * m + 2, 2 * m:2 * m + 2].max() > 0.1 for m in range(4)] == [True, True, True, False]
    assert gaps[4, 5] == pytest.approx(0.1197, abs=5e-5)


@pytest.mark.parametrize("base", [100.0, 10_000.0])
@pytest.mark.parametrize("offset", [-12, -1, 0, 3, 12])
@pytest.mark.parametrize("position", [0, 17, 60])
def test_the_product_is_the_encoding_further_on(position, offset, base):
    """claim 2.5"""
    said = readout(figures.offset_blocks, position=position, offset=offset, base=base)
    assert f"Times PE({position}) it equals PE({position + offset}) to rounding" in said.replace("−", "-")


@pytest.mark.parametrize("dim, offset", [(32, 4), (64, 5), (128, 11), (512, 43)])
def test_the_similarity_first_rises(dim, offset):
    """claim 2.6"""
    assert figures.first_rise(dim) == offset
    for k in range(offset + 1):
        said = readout(figures.similarity, offset=k, dim=dim)
        assert said.endswith("higher." if k == offset else "lower.")
        assert f"similarity {offset_similarity(k, inverse_frequencies(dim)):.2f} of {dim // 2}, the same at " in said
        behind = readout(figures.similarity, offset=-k, dim=dim)                  # the same on the other side of 0
        assert numbers(behind)[2] == numbers(said)[2] and (behind[-7:] == said[-7:])


def test_four_apart_is_as_alike_ahead_as_behind():
    """claim 2.6: the numbers of the quiz"""
    ahead, behind = (sinusoidal_encoding(10, 64) @ sinusoidal_encoding(p, 64) for p in (14, 6))
    assert ahead == pytest.approx(behind) == pytest.approx(23.93, abs=0.005)


def test_the_distances_are_those_that_the_words_give():
    """claim 2.7: what is said in place of the picture"""
    far = np.linalg.norm(sinusoidal_encoding(np.arange(1, 70_001), 64) - sinusoidal_encoding(0, 64), axis=1)
    assert far[0] == pytest.approx(1.47, abs=0.005) and far[62_831] == pytest.approx(7.77, abs=0.005)
    assert 4.6 < far[9:100].min() and far[9:100].max() < 6.6
    assert 6.1 < far[999:].min() and far[999:].max() < 9.6


def test_no_rise_within_the_limit_is_none():
    assert figures.first_rise(512, limit=20) is None


@pytest.mark.parametrize("build, start, changes", [
    (figures.counters, {"position": 5, "base": 64.0}, [{"position": 6}, {"base": 10_000.0}]),
    (figures.clock_hands, {"position": 5, "base": 100.0}, [{"position": 6}, {"base": 10_000.0}]),
    (figures.loudness, {"position": 5, "dim": 64, "power": 0.5}, [{"position": 900}, {"dim": 512}, {"power": 1.0}]),
    (figures.turned_pair, {"position": 5, "offset": 3}, [{"position": 6}, {"offset": 4}]),
    (figures.offset_blocks, {"position": 5, "offset": 3, "base": 100.0}, [{"position": 6}, {"offset": 4}, {"base": 10_000.0}]),
    (figures.similarity, {"offset": 5, "dim": 64}, [{"offset": 6}, {"dim": 128}]),
])
def test_every_control_changes_the_picture(build, start, changes):
    assert unseen(build, start, changes) == []


def test_on_the_dial_the_position_moves_the_hands_alone():
    """claim 2.4: the matrix beside them stands still, pixel by pixel"""
    here, there = (frame(figures.turned_pair, {"position": p, "offset": 3}) for p in (5, 40))
    half = here.shape[1] // 2
    assert (here[:, :half] != there[:, :half]).any() and (here[:, half:] == there[:, half:]).all()


@pytest.mark.parametrize("draw", [
    figures.encoding_maps, figures.layout_maps, figures.distances_from_zero,
    lambda fig: figures.table_edge(fig, np.random.default_rng(0).normal(size=(512, 64))),
], ids=["encoding_maps", "layout_maps", "distances_from_zero", "table_edge"])
def test_stills_are_drawn(draw):
    """claims 2.1, 2.3, 2.7 and 2.8"""
    figure = new_figure()
    draw(figure)
    assert all(ax.get_xlabel() or ax.get_ylabel() for ax in figure.axes)
    assert len(show(figure, alt="A picture of this chapter.").png) > 5000
