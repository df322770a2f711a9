"""Maps: the colour scale of each kind, the colour bar, numbers that can be read and renewed."""

import matplotlib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pe_lib.teach.maps import attention_grid, contrast, heat_map, ink, write_cells
from pe_lib.teach.plots import new_figure

TABLE = np.array([[0.25, -1.0, 0.5], [0.0, 2.0, -0.125]])
CHANNEL = st.floats(0, 1)


@pytest.fixture
def ax():
    return new_figure(4, 3).subplots()


def draw(ax):
    ax.figure.canvas.draw()


def bars(ax):
    """The axes of the figure's colour bars."""
    return [other for other in ax.figure.axes + ax.child_axes if other is not ax]


def test_signed_is_centred_on_zero(ax):
    image = heat_map(ax, TABLE, "signed", "score")
    assert (image.cmap.name, image.get_clim()) == ("RdBu_r", (-2.0, 2.0))
    np.testing.assert_allclose(image.norm(0.0), 0.5)


def test_weights_start_at_zero(ax):
    image = heat_map(ax, np.abs(TABLE) / 8, "weights", "weight")
    assert (image.cmap.name, image.get_clim()) == ("viridis", (0.0, 0.25))


def test_phase_runs_over_one_turn_and_whole_turns_make_no_difference(ax):
    angles = np.array([[0.5, 3.0, 6.0]])
    image = heat_map(ax, angles, "phase", "angle (radians)")
    assert (image.cmap.name, image.get_clim()) == ("twilight", (0.0, 2 * np.pi))
    colors = image.cmap(image.norm(angles))
    for turns in (-3, 1, 40):
        np.testing.assert_allclose(image.cmap(image.norm(angles + 2 * np.pi * turns)), colors)
    draw(ax)
    assert [label.get_text() for label in bars(ax)[0].get_yticklabels()] == ["0", "π", "2π"]


def test_limits_and_imshow_options_are_passed_on(ax):
    image = heat_map(ax, TABLE, label="score", limits=(-5, 3), animated=True, extent=(0, 3, 9, 0), cmap="gray")
    assert image.get_clim() == (-5, 3)
    assert image.get_animated() and image.get_extent() == [0, 3, 9, 0] and image.cmap.name == "gray"
    draw(ax)


def test_infinities_nans_and_zeros_do_not_spoil_the_limits(ax):
    assert heat_map(ax, [[-np.inf, 1.5], [np.nan, 0.0]], label="score").get_clim() == (-1.5, 1.5)
    assert heat_map(ax, np.zeros((2, 2)), "weights", "weight").get_clim() == (0.0, 1.0)
    assert heat_map(ax, [[-np.inf]], label="score").get_clim() == (-1.0, 1.0)
    draw(ax)


@pytest.mark.parametrize("aspect", ["auto", "equal"])
def test_every_colour_bar_is_labelled_and_can_be_left_out(aspect):
    for kind in ("signed", "weights", "phase"):
        ax = new_figure(4, 3).subplots()
        heat_map(ax, TABLE, kind, "what is shown", aspect=aspect)
        draw(ax)
        assert [bar.get_ylabel() for bar in bars(ax)] == ["what is shown"]
    ax = new_figure(4, 3).subplots()
    heat_map(ax, TABLE, colorbar=False, aspect=aspect)
    assert bars(ax) == []


def test_a_square_maps_colour_bar_is_as_high_as_the_map():
    ax = new_figure(3, 6).subplots()
    heat_map(ax, np.eye(3), "weights", "weight", aspect="equal")
    draw(ax)
    (bar,) = bars(ax)
    np.testing.assert_allclose(bar.get_window_extent().height, ax.get_window_extent().height, rtol=0.01)


def test_numbers_stand_in_their_cells(ax):
    image = heat_map(ax, TABLE, label="score", annotate=True, animated=True)
    assert [cell.get_text() for cell in image.cells] == ["0.25", "−1.00", "0.50", "0.00", "2.00", "−0.12"]
    assert image.cells[1].get_position() == (1, 0) and image.cells[3].get_position() == (0, 1)
    assert all(cell.get_animated() for cell in image.cells)
    assert heat_map(ax, TABLE, label="score").cells == []


def test_written_cells_renew_map_numbers_and_ink(ax):
    image = heat_map(ax, np.zeros((1, 3)), limits=(-1, 1), label="score", annotate=True)
    assert {cell.get_color() for cell in image.cells} == {"black"}
    write_cells(image, [[1.0, np.nan, -0.04]], digits=1)
    assert [cell.get_text() for cell in image.cells] == ["1.0", "", "0.0"]
    assert image.cells[0].get_color() == "white"
    np.testing.assert_array_equal(np.ma.filled(image.get_array(), np.nan), [[1.0, np.nan, -0.04]])


def test_numbers_are_legible_on_every_cell():
    """WCAG: text 4.5:1, on every colour of the three scales."""
    for kind in ("signed", "weights", "phase"):
        image = heat_map(new_figure().subplots(), np.linspace(0, 1, 60).reshape(6, 10), kind, "x", annotate=True)
        for cell, value in zip(image.cells, image.get_array().ravel(), strict=True):
            assert contrast(cell.get_color(), image.cmap(image.norm(value))) >= 4.5


@given(red=CHANNEL, green=CHANNEL, blue=CHANNEL)
def test_ink_is_legible_on_any_colour(red, green, blue):
    assert contrast(ink((red, green, blue)), (red, green, blue)) >= 4.5


def test_contrast_of_known_pairs():
    """Origin: WCAG 2 definition; #767676 is the lightest grey that reaches 4.5:1 on white."""
    assert contrast("black", "white") == contrast("white", "black") == pytest.approx(21)
    assert contrast("#123456", "#123456") == pytest.approx(1)
    assert contrast("#767676", "white") == pytest.approx(4.54, abs=0.005)
    assert contrast("#0000FF", "white") == pytest.approx(8.59, abs=0.005)


def test_an_attention_grid_has_the_query_down_and_the_key_across(ax):
    weights = np.array([[0.1, 0.2, 0.7], [0.0, 0.5, 0.5]])
    image = attention_grid(ax, weights, ["dog", "bites"], ["a", "b", "c"], annotate=True)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["dog", "bites"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["a", "b", "c"]
    assert ax.get_ylabel().startswith("query") and ax.get_xlabel().startswith("key")
    assert image.get_clim() == (0, 1) and image.cmap.name == "viridis" and ax.get_aspect() == 1
    assert ax.get_ylim()[0] > ax.get_ylim()[1]            # the first query is on top
    np.testing.assert_array_equal(image.get_array(), weights)
    draw(ax)


def test_an_attention_grids_options_give_way(ax):
    image = attention_grid(ax, -np.eye(2), ["a", "b"], kind="signed", label="score", limits=None)
    assert image.cmap.name == "RdBu_r" and image.get_clim() == (-1.0, 1.0)
    assert ["a", "b"] == [label.get_text() for label in ax.get_xticklabels()]


@pytest.mark.parametrize("wrong, message", [
    (lambda ax: heat_map(ax, [1.0, 2.0], label="x"), r"a table .* got shape \(2,\)"),
    (lambda ax: heat_map(ax, np.zeros((0, 3)), label="x"), r"a table .* got shape \(0, 3\)"),
    (lambda ax: heat_map(ax, TABLE, "sign", "x"), "kind must be one of .* got 'sign'"),
    (lambda ax: heat_map(ax, TABLE), "a colour bar needs a label"),
    (lambda ax: ax.set_yscale("log") or heat_map(ax, TABLE, label="x"), r"linear axes, .* got \('linear', 'log'\)"),
    (lambda ax: attention_grid(ax, TABLE, ["a", "b"]), r"2 query words .* got shape \(2, 3\)"),
    (lambda ax: write_cells(heat_map(ax, TABLE, label="x"), TABLE), "annotate=True"),
    (lambda ax: write_cells(heat_map(ax, TABLE, label="x", annotate=True), TABLE.T), r"shape \(2, 3\); got shape \(3, 2\)"),
])
def test_errors_say_what_is_required(ax, wrong, message):
    with pytest.raises(ValueError, match=message):
        wrong(ax)


def test_maps_look_the_same_whatever_style_is_on():
    with matplotlib.rc_context({"image.cmap": "gray"}):
        assert heat_map(new_figure().subplots(), TABLE, label="x").cmap.name == "RdBu_r"


def test_a_tiny_negative_number_is_written_without_a_sign():
    image = heat_map(new_figure(2, 2).subplots(), [[-0.001, -0.5]], label="score", annotate=True)
    assert [text.get_text() for text in image.cells] == ["0.00", "\N{MINUS SIGN}0.50"]
