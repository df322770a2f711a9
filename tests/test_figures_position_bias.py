"""The figures of chapter 4 say what the claims say, at every setting."""

import itertools

from figure_kit import built, numbers, readout, unseen
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from pe_lib.attention import softmax
from pe_lib.biases import alibi_slopes, relative_buckets
from pe_lib.precision import rounded
from pe_lib.teach.figures import position_bias as figures
from pe_lib.teach.questions import position_bias as questions
from pe_lib.teach.plots import CONTENT, KEY, POSITION, QUERY, new_figure, show, style


def test_the_maps_are_two_relative_biases_and_one_that_is_not():
    """claim 4.1"""
    figure = new_figure()
    figures.bias_maps(figure)
    tables = [np.asarray(ax.images[0].get_array()) for ax in figure.axes[:3]]
    constant = [all(np.ptp(np.diag(table, k)) == 0 for k in range(-4, 5)) for table in tables]
    assert constant == [True, True, False]
    assert len(show(figure, alt="A picture of this chapter.").png) > 5000


def test_the_first_map_is_zero_in_two_corners_and_minus_two_in_the_others():
    """claim 4.1: what the picture's description says"""
    figure = new_figure()
    figures.bias_maps(figure)
    table = np.asarray(figure.axes[0].images[0].get_array())
    assert table[0, 0] == table[-1, -1] == 0 and table[0, -1] == table[-1, 0] == table.min() == -2


OFFSETS, NUMBERS = range(-4, 5), [n / 10 for n in range(-20, 21)]


def shown_weights(query, offset, number):
    """The weights (5, 5) that the picture shows, and the sentence."""
    said = readout(figures.one_number, query=query, offset=offset, number=number)
    return np.asarray(built(figures.one_number)[0].axes[2].images[0].get_array()), said


def test_one_number_is_added_at_one_offset():
    """claim 4.1: content score plus a number for key − query; the chapter's words by hand"""
    assert (figures.CONTENTS == [[0, 2, 0, 0, 2], [2, 0, 0, 2, 0], [0, 2, 0, 0, 2], [0, 2, 0, 0, 2], [2, 0, 0, 2, 0]]).all()
    for offset, number in itertools.product(OFFSETS, (-2.0, 0.0, 1.3)):
        scores = figures.CONTENTS + np.diag(np.full(5 - abs(offset), number), offset)
        np.testing.assert_allclose(shown_weights(4, offset, number)[0], softmax(scores))
    assert shown_weights(4, -1, 2.0)[1] == ("Added: 2.0 at offset −1. “cat” (word 4) gives 0.84 of its attention to “the” (word 3), where it gave "
                                            "0.42 without the number. It looks most at “the” (word 3).")
    assert "“the” (word 3) has no word at this offset, so its weights stay. It looks most at “dog” (word 1) and “cat” (word 4) alike." in shown_weights(3, 2, 1.0)[1]


def test_the_missions_on_one_number():
    """claim 4.1: 0.8 for word 3 at offset −1 from 1.8 on, and nowhere else; then row 0 alone is as it was"""
    reached = [(offset, number) for offset, number in itertools.product(OFFSETS, NUMBERS) if shown_weights(4, offset, number)[0][4, 3] >= 0.8]
    assert reached == [(-1, 1.8), (-1, 1.9), (-1, 2.0)]
    moved = np.abs(shown_weights(4, -1, 1.8)[0] - softmax(figures.CONTENTS)).max(axis=1)
    assert moved[0] < 1e-12 and moved[1:].min() > 0.1
    assert "where it gave" in shown_weights(4, -4, -2.0)[1] and shown_weights(4, -4, -2.0)[0][4, 3].round(2) == 0.65


def test_one_number_does_not_give_the_prediction_away():
    """the prediction is about a factor of 20; with numbers up to 2 the two articles differ by e² at most"""
    rows = [shown_weights(4, offset, number)[0][4] for offset, number in itertools.product(OFFSETS, NUMBERS)]
    assert np.isclose(max(row[3] / row[0] for row in rows), np.exp(2)) and np.exp(2) < 8


@pytest.mark.parametrize("heads", range(1, 17))
@pytest.mark.parametrize("distance", [0, 1, 16, 64])
def test_alibi_says_what_a_far_key_needs(heads, distance):
    """claim 4.2"""
    said, slopes = readout(figures.alibi_lines, heads=heads, distance=distance), alibi_slopes(heads)
    found = numbers(said)
    assert found[0] == heads and found[3] == distance
    np.testing.assert_allclose(found[1:3], [slopes.max(), slopes.min()], atol=6e-5)
    np.testing.assert_allclose(found[4:6], [distance * slopes.max(), distance * slopes.min()], atol=6e-3)


@pytest.mark.parametrize("distance, words", [(0, "0 tokens"), (1, "1 token"), (2, "2 tokens")])
def test_one_token_back_is_one_token(distance, words):
    assert f" A key {words} back needs " in readout(figures.alibi_lines, heads=8, distance=distance)


def test_the_missions_on_alibi():
    """claim 4.2: 8 heads need 32 at 64 tokens, and 0.25; 9 heads are the first with a steeper head than 1/2"""
    assert "higher by 32.00 in the steepest head, and by 0.25 in the flattest" in readout(figures.alibi_lines, heads=8, distance=64)
    steepest = [alibi_slopes(heads).max() for heads in range(1, 17)]
    assert [heads for heads, slope in enumerate(steepest, start=1) if slope > 0.5] == list(range(9, 17))
    assert alibi_slopes(16).max() == pytest.approx(2 ** -0.5) == alibi_slopes(9).max()
    assert {alibi_slopes(heads).min() for heads in range(1, 17)} == {2**-8}


@pytest.mark.parametrize("causal, relative, words", [
    (True, -20, "bucket 17, which holds −20 to −19, 2 positions"), (True, -7, "bucket 7, which holds −7 alone"),
    (True, -113, "bucket 31, which holds everything from −113 back"), (True, -112, "bucket 30, which holds −112 to −99, 14 positions"),
    (True, 0, "bucket 0, which holds 0 alone"), (True, 30, "lies ahead of the query. The mask hides it, so it needs no number"), (False, 91, "bucket 31, which holds everything from 91 on"),
    (False, -91, "bucket 15, which holds everything from −91 back"), (False, 90, "bucket 30, which holds 64 to 90, 27 positions"),
    (False, 0, "bucket 0, which holds 0 alone"),
])
def test_the_stairs_say_who_shares_a_bucket(causal, relative, words):
    """claim 4.3"""
    assert words in readout(figures.bucket_stairs, relative_position=relative, causal=causal, buckets=32)


@pytest.mark.parametrize("causal", [True, False])
def test_what_the_mask_hides_has_no_bucket_in_the_picture(causal):
    """claim 4.3: T5's formula gives 0 for all keys ahead of a decoder's query, but no score uses it"""
    with style():
        figure = new_figure(8, 3.3)
        figures.bucket_stairs(figure)(relative_position=30, causal=causal, buckets=32)
    left, right = figure.axes[:2]
    heights, table = left.lines[0].get_ydata(), np.asarray(right.images[0].get_array(), dtype=float)
    ahead = np.arange(table.shape[1]) > np.arange(len(table))[:, None]
    assert (np.isnan(table) == (ahead & causal)).all() and np.isnan(heights).sum() == (140 if causal else 0)
    assert [text.get_text() for text in left.texts if text.get_visible()] == ["ahead: masked"] * causal


def test_the_missions_on_the_stairs():
    """claim 4.3: with 8 buckets −30 shares its number with 30 others; both ways bucket 16 stays empty"""
    said = readout(figures.bucket_stairs, relative_position=-30, causal=True, buckets=8)
    assert "which holds −53 to −23, 31 positions" in said
    assert set(range(32)) - set(relative_buckets(np.arange(-200, 201), causal=False).tolist()) == {16}


def test_the_last_bucket_starts_before_the_maximal_distance():
    """claim 4.3: at 113 causal and at 91 both ways, of 128; half of the buckets hold a single distance"""
    back = relative_buckets(-np.arange(200), causal=True)
    ahead = relative_buckets(np.arange(200), causal=False)
    assert np.argmax(back == 31) == 113 and np.argmax(ahead == 31) == 91
    assert [np.sum(back == bucket) for bucket in range(16)] == [1] * 16
    assert [np.sum(ahead == bucket) for bucket in range(16, 25)] == [0, 1, 1, 1, 1, 1, 1, 1, 4]


@pytest.mark.parametrize("buckets", [32, 8, 16])
def test_the_stairs_fill_their_axes(buckets):
    """claim 4.3: heights and colours run over the buckets there are, whatever stood there before"""
    with style():
        figure = new_figure(8, 3.3)
        update = figures.bucket_stairs(figure)
        update(relative_position=-20, causal=True, buckets=8)
        update(relative_position=-20, causal=True, buckets=buckets)
    left, right = figure.axes[:2]
    assert left.get_ylim() == (-0.8, buckets) and right.images[0].get_clim() == (0, buckets - 1)


def test_what_shares_a_bucket_has_no_role_colour():
    with style():
        figure = new_figure(8, 3.3)
        figures.bucket_stairs(figure)(relative_position=-60, causal=True, buckets=32)
    marked = np.asarray(figure.axes[1].images[1].get_array())
    colours = {tuple(np.round(cell[:3], 2)) for cell in marked.reshape(-1, 4) if cell[3]}
    assert len(colours) == 1 and not colours & {tuple(np.round(to_rgb(role), 2)) for role in (QUERY, KEY, CONTENT, POSITION)}


@pytest.mark.parametrize("slope, strength", list(itertools.product([0.0, 0.25, 0.5, 1.0], [0.0, 1.5, 3.5, 6.0])))
def test_one_bias_moves_two_rows_of_scores_alike_and_their_weights_not(slope, strength):
    """claim 4.4"""
    said = numbers(readout(figures.two_contents, slope=slope, strength=strength))
    assert said[:4] == [slope, strength, -7, -7 * slope]
    relative = np.arange(-7, 1)
    moved = [softmax(strength * (relative == match) + slope * relative)[0] - softmax(strength * (relative == match) + 0.0)[0]
             for match in (-7, -3)]
    np.testing.assert_allclose(said[4:6], moved, atol=0.006)
    assert (abs(moved[0] - moved[1]) < 1e-12) == (slope == 0 or strength == 0)


def test_weights_that_move_by_different_amounts_are_said_to():
    """claim 4.4: at every setting; where two decimals are the same, three are shown"""
    longer = []
    for slope, strength in itertools.product(np.arange(21) / 20, np.arange(25) / 4):
        said = readout(figures.two_contents, slope=slope, strength=strength)
        above, below = said.partition("it moves the weights by ")[2].partition(" below.")[0].split(" above and ")
        assert (above == below) == (slope == 0 or strength == 0)
        longer += [(slope, strength)] * (len(above) > len("−0.02"))
    assert longer == [(0.05, 0.25), (0.05, 5.75), (0.05, 6.0)]


def test_the_far_match_loses_more_points_and_the_smaller_share():
    """claim 4.4: 43 percentage points against 6, but 84 % of its weight against 89 %: the question asks for points"""
    relative = np.arange(-7, 1)
    lost, share = [], []
    for match in (-7, -3):
        before = softmax(2.0 * (relative == match))[0]
        lost.append(before - softmax(2.0 * (relative == match) + 0.5 * relative)[0])
        share.append(lost[-1] / before)
    assert [round(100 * part) for part in lost] == [43, 6] and [round(100 * part) for part in share] == [84, 89]
    question, options, right = questions.SAME_BIAS
    assert "percentage points" in question and "43 against 6" in options[right] and "84 % against 89 %" in options[right]


@pytest.mark.parametrize("strength, winners", [(1.25, "at 0 above, at 0 below"), (1.5, "at 0 above, at −3 and 0 below"), (3.25, "at 0 above, at −3 below"),
                                               (3.5, "at −7 and 0 above, at −3 below"), (3.75, "at −7 above, at −3 below")])
def test_content_overrules_the_bias_at_slope_times_distance(strength, winners):
    """claim 4.4: at slope 1/2 a match 3 back ties at 1.5, one 7 back at 3.5"""
    assert winners in readout(figures.two_contents, slope=0.5, strength=strength)
    assert readout(figures.two_contents, slope=0.0, strength=0.0).endswith("All keys get the same weight, above and below.")


@pytest.mark.parametrize("seed", [0, 3, 20])
@pytest.mark.parametrize("slope", [0.0, 0.5, 2.0])
def test_three_forms_agree_under_the_mask_alone(seed, slope):
    """claim 4.5"""
    masked, plain = (figures.form_weights(slope, mask, seed) for mask in (True, False))
    np.testing.assert_allclose(masked, np.broadcast_to(masked[0], masked.shape), atol=1e-12)
    np.testing.assert_allclose(plain[1], plain[0], atol=1e-12)
    assert (abs(plain[2] - plain[0]).max() > 0.1) == (slope > 0)
    assert "the second agrees to rounding and the third agrees" in readout(figures.three_forms, slope=slope, masked=True, seed=seed)
    if slope:
        assert "and the third differs by up to 0." in readout(figures.three_forms, slope=slope, masked=False, seed=seed)


def test_the_missions_on_the_forms():
    """claim 4.5: without the mask the last row alone agrees, and at slope 0 everything does"""
    first, _, third = figures.form_weights(0.5, False, 0)
    assert [np.allclose(a, b) for a, b in zip(first, third)] == [False, False, False, False, True]
    assert "the third agrees" in readout(figures.three_forms, slope=0.0, masked=False, seed=2)


def test_a_learned_table_is_known_up_to_a_constant():
    """claim 4.5: 100 more in every number gives the same weights"""
    scores = np.random.default_rng(0).normal(size=(5, 5))
    np.testing.assert_allclose(softmax(scores + 100), softmax(scores), atol=1e-12)


@pytest.mark.parametrize("form, step", [("float16", 1 / 16), ("bfloat16", 1 / 2)])
def test_a_constant_costs_the_scores_digits_in_half_precision(form, step):
    """claim 4.5 holds on paper: numbers from 64 to 128 are a step apart, so 100 + a score is off by up to half a step"""
    scores = np.random.default_rng(0).uniform(-5, 5, size=20_000)
    short = rounded(scores + 100, form)
    assert (short % step == 0).all() and 0.99 * step / 2 < abs(short - 100 - scores).max() <= step / 2 + 1e-12


def test_the_forms_differ_by_037_without_content():
    """claim 4.5"""
    assert "differs by up to 0.37" in readout(figures.three_forms, slope=0.5, masked=False, seed=0)


@pytest.mark.parametrize("one, other", list(itertools.product([-3.0, -0.5, 0.0, 2.0], repeat=2)))
def test_a_bias_says_the_same_to_both_brackets(one, other):
    """claim 4.6"""
    first, second = figures.bracket_scores(figures.SCHEMES[0], one, other)
    assert first[2] - first[0] == second[2] - second[0] == other - one
    assert "not as asked" in readout(figures.brackets, scheme=figures.SCHEMES[0], one=one, other=other)


def test_a_bracket_that_looks_most_at_itself_only_leans():
    """claim 4.6: both sides are below 0, so most weight stays on the bracket, and the right has more than the left"""
    said = readout(figures.brackets, scheme=figures.SCHEMES[0], one=-2.0, other=-1.0)
    weights = softmax(np.array([-2.0, 0.0, -1.0]))
    assert weights.argmax() == 1 and f"“(” leans right, with {weights[2]:.2f} on the right; “)” leans right, with {weights[0]:.2f} on the left" in said
    assert "“(” leans neither way" in readout(figures.brackets, scheme=figures.SCHEMES[0], one=1.0, other=1.0)


@pytest.mark.parametrize("scheme", figures.SCHEMES[1:])
def test_the_others_give_each_bracket_its_own_side(scheme):
    """claims 4.6 and 4.7"""
    for one, other in itertools.product([-3.0, 0.5, 2.0], [-2.0, 0.4, 3.0]):
        scores = figures.bracket_scores(scheme, one, other)
        assert np.sign(scores[0, 2] - scores[0, 0]) == np.sign(one) and np.sign(scores[1, 2] - scores[1, 0]) == np.sign(other)
        asked = one > 0 > other
        assert readout(figures.brackets, scheme=scheme, one=one, other=other).endswith(": as asked." if asked else "not as asked.")


@pytest.mark.parametrize("build, settings, artist", [
    (figures.one_number, {"query": 2, "offset": -3, "number": 1.5}, lambda axes: (axes[0].lines[1].get_xdata()[0], axes[0].lines[1].get_ydata()[0])),
    (figures.alibi_lines, {"heads": 11, "distance": 23}, lambda axes: (axes[0].lines[1].get_xdata()[-1], axes[1].lines[3].get_xdata()[0])),
    (figures.bucket_stairs, {"relative_position": -33, "causal": True, "buckets": 16}, lambda axes: (axes[0].lines[1].get_xdata()[0],)),
    (figures.two_contents, {"slope": 0.6, "strength": 3.5}, lambda axes: (axes[0].containers[0][0].get_height(), axes[0].lines[1].get_ydata()[1],
                                                                          axes[2].containers[0][4].get_height(), axes[2].lines[0].get_ydata()[1])),
])
def test_what_is_dragged_stands_where_the_pointer_is(build, settings, artist):
    readout(build, **settings)
    figure = built(build)[0]
    handles = [part for ax, handle in figure.touches for part in handle if part[1] != "query"]
    assert artist(figure.axes) == pytest.approx([start + per * settings[name] for _, name, per, start, _ in handles])


@pytest.mark.parametrize("build, start, changes", [
    (figures.one_number, {"query": 4, "offset": -1, "number": 1.0}, [{"query": 3}, {"offset": -2}, {"number": 1.1}]),
    (figures.alibi_lines, {"heads": 8, "distance": 16}, [{"heads": 12}, {"distance": 17}]),
    (figures.bucket_stairs, {"relative_position": -20, "causal": True, "buckets": 32},
     [{"relative_position": -30}, {"causal": False}, {"buckets": 8}]),
    (figures.bucket_stairs, {"relative_position": 20, "causal": True, "buckets": 32}, [{"relative_position": 30}]),
    (figures.two_contents, {"slope": 0.5, "strength": 2.0}, [{"slope": 0.6}, {"strength": 3.0}]),
    (figures.three_forms, {"slope": 0.5, "masked": False, "seed": 0}, [{"slope": 0.6}, {"masked": True}, {"seed": 1}]),
    (figures.brackets, {"scheme": figures.SCHEMES[0], "one": 1.0, "other": 2.0},
     [{"scheme": figures.SCHEMES[1]}, {"one": 1.5}, {"other": 1.0}]),
])
def test_every_control_changes_the_picture(build, start, changes):
    assert unseen(build, start, changes) == []
