"""Axes that are controls: what is declared, what the browser is told, and what is refused (tests/browser drags them)."""

import numpy as np
import pytest

from pe_lib.teach import sliders, touch
from pe_lib.teach.plots import new_figure, show
from pe_lib.teach.sliders import Check, Choice, LogSlider, Slider, explore

PLAIN = {"per": [1.0], "start": 0.0, "of": None, "plus": None}


def figure(declare, change=lambda ax, n: None, **controls):
    def build(fig):
        fig.set_layout_engine("none")
        ax = fig.add_axes((0.1, 0.2, 0.5, 0.6))
        ax.set(xlim=(0, 10), ylim=(8, -1))
        declare(ax)

        def update(**settings):
            change(ax, settings["n"])
            return f"n is {settings['n']}."
        return update
    return explore(build, **{"n": Slider(0, 10), "m": Slider(0, 10)} | controls)


def touches(*handles, **menu):
    """The pads of a figure whose axes has these handles."""
    return figure(lambda ax: [touch.touch(ax, **handle) for handle in handles], **menu).picture.touch


def test_touch_can_be_had_where_explore_is():
    assert sliders.touch is touch.touch


def test_the_browser_is_told_where_the_axes_lie_and_what_stands_where():
    assert touches({"x": "n", "per": -2, "start": 5, "plus": "m"}, {"x": "m"}) == [
        {"inset": "20.000% 40.000% 20.000% 10.000%", "kind": "x", "x": [0.0, 10.0, False], "y": None,
         "handles": [[{"at": "x", "control": 0, "per": [-2.0], "start": 5.0, "of": None, "plus": 1}], [{"at": "x", "control": 1} | PLAIN]]}]
    (cells,) = touches({"x": "m", "y": "n"})
    assert cells["kind"] == "xy" and cells["y"] == [8.0, -1.0, False]
    assert cells["handles"] == [[{"at": "x", "control": 1} | PLAIN, {"at": "y", "control": 0} | PLAIN]]


def test_an_arrow_turns_and_stretches():
    (dial,) = touches({"angle": "n", "radius": "m", "per": np.pi / 180})
    assert dial["kind"] == "turn" and dial["x"] == [0.0, 10.0, False]
    assert dial["handles"] == [[{"at": "angle", "control": 0} | PLAIN | {"per": [np.pi / 180]}, {"at": "radius", "control": 1} | PLAIN]]


def test_a_hands_speed_may_hang_on_a_menu():
    (dial,) = touches({"angle": "n", "per": lambda base, sign=-1: sign / base}, m=Slider(0, 1), base=Choice([10.0, 100.0]))
    assert dial["handles"][0][0] | {} == {"at": "angle", "control": 0, "per": [-0.1, -0.01], "start": 0.0, "of": 2, "plus": None}


def test_a_menu_may_be_touched_where_its_options_stand_side_by_side():
    (pad,) = touches({"x": "m"}, m=Choice(["near", "far", "gone"]))
    assert pad["handles"] == [[{"at": "x", "control": 1} | PLAIN]]


def test_a_log_axis_is_told_apart():
    (pad,) = figure(lambda ax: (ax.set(xscale="log", xlim=(1, 100)), touch.touch(ax, x="m")), m=LogSlider(1, 100)).picture.touch
    assert pad["x"] == [1.0, 100.0, True]


@pytest.mark.parametrize("declare, change", [
    (lambda ax: touch.touch(ax, x="n"), lambda ax, n: ax.set_xlim(0, 10 + n)),
    (lambda ax: touch.touch(ax, x="n", y="m"), lambda ax, n: ax.set_ylim(8, -1 - (n == 7))),
    (lambda ax: touch.touch(ax, x="n"), lambda ax, n: ax.set_position((0.1, 0.2, 0.5 + 0.01 * n, 0.6))),
    (lambda ax: touch.touch(ax, x="n"), lambda ax, n: ax.set_xscale("symlog" if n == 7 else "linear")),
])
def test_axes_that_move_are_found_by_the_walk(declare, change):
    errors = figure(declare, change).walk(states=5)
    assert errors and all("an axes that is touched must keep its place and its limits" in error for error in errors)


def test_the_limits_of_what_is_not_touched_may_change():
    assert figure(lambda ax: touch.touch(ax, x="n"), lambda ax, n: ax.set_ylim(8, -1 - n)).walk(states=5) == []


def test_nothing_is_redrawn_to_check_it(monkeypatch):
    made = figure(lambda ax: touch.touch(ax, x="n"))
    made.frame([1, 0])
    drawn, draw = [], type(made.figure.canvas).draw
    monkeypatch.setattr(type(made.figure.canvas), "draw", lambda canvas: drawn.append(1) or draw(canvas))
    for n in range(4):
        made.frame([n, 0])
        assert touch.pads(made.figure, made.specs) == made.touched
    assert drawn == []


def beside(ax, *boxes):
    """Touch axes at these places besides the given one."""
    touch.touch(ax, x="n")
    for box in boxes:
        other = ax.figure.add_axes(box)
        other.set(xlim=(0, 1), ylim=(0, 1))
        touch.touch(other, x="m")


@pytest.mark.parametrize("declare, message", [
    (lambda ax: touch.touch(ax), "touch needs x, y or both, or angle, radius or both; got {}"),
    (lambda ax: touch.touch(ax, x="n", angle="m"), "touch needs x, y or both, or angle"),
    (lambda ax: touch.touch(ax, x="n", y="m", per=2.0), "belong to an angle or to a single coordinate"),
    (lambda ax: touch.touch(ax, x="n", y="m", per=lambda n: 1.0), "belong to an angle or to a single coordinate"),
    (lambda ax: touch.touch(ax, x="n", per=0), "per finite and not 0; got start=0.0, per=0"),
    (lambda ax: touch.touch(ax, x="n", start=float("nan")), "start must be finite"),
    (lambda ax: touch.touch(ax, x="position"), r"one of \['n', 'm'\]; got 'position'"),
    (lambda ax: touch.touch(ax, x="n", plus="position"), r"one of \['n', 'm'\]; got 'position'"),
    (lambda ax: touch.touch(ax, x="n", per=lambda base: base), r"a function of one menu of the figure; got parameters \['base'\]"),
    (lambda ax: touch.touch(ax, x="n", per=lambda m: m), r"a function of one menu of the figure; got parameters \['m'\]"),
    (lambda ax: (touch.touch(ax, x="n"), touch.touch(ax, x="n")), r"each control follows the pointer once; got \['n', 'n'\]"),
    (lambda ax: touch.touch(ax, x="n", y="n"), "each control follows the pointer once"),
    (lambda ax: (touch.touch(ax, x="n"), touch.touch(ax, y="m")), "handles of one axes must share their coordinates"),
    (lambda ax: beside(ax, (0.5, 0.5, 0.4, 0.4)), "two axes that are touched must not overlap"),
    (lambda ax: (touch.touch(ax, x="n"), touch.touch(ax.twinx(), x="m")), "two axes that are touched must not overlap"),
    (lambda ax: (ax.set_xscale("symlog"), touch.touch(ax, x="n")), "must be linear or logarithmic; got rectilinear, symlog"),
    (lambda ax: touch.touch(ax.figure.add_axes((0.7, 0.2, 0.2, 0.6), projection="polar"), x="n"), "must be linear or logarithmic; got polar"),
    (lambda ax: touch.touch(ax.figure.add_axes((0.7, 0.2, 0.2, 0.6)), x="n"), r"needs finite x limits of its own; got \(0.0, 1.0\), left to its data"),
    (lambda ax: (setattr(ax.viewLim, "intervalx", (0, np.inf)), touch.touch(ax, x="n")), r"finite x limits"),
    (lambda ax: touch.touch(np.zeros(3), x="n"), "touch belongs in a figure's build function"),
])
def test_what_cannot_be_touched_is_refused(declare, message):
    with pytest.raises(ValueError, match=message):
        figure(declare)


@pytest.mark.parametrize("handle, control, message", [
    ({"x": "m"}, Check(), "touch needs a control with numbers; got 'm', a box to tick"),
    ({"x": "n", "plus": "m"}, Check(), "a box to tick"),
    ({"angle": "m"}, Choice(["a", "b"]), "a menu is touched on an x or y axis .*; got 'm' at .* in angle"),
    ({"x": "m", "per": 20}, Choice(["a", "b"]), r"room for its options at 0, 1, ...; got 'm' at \[0.0, 20.0\] in x"),
    ({"x": "n", "per": lambda m: m}, Choice([0, 5]), r"finite and not 0 for every option of 'm'; got \[0, 5\]"),
])
def test_what_a_control_cannot_follow_is_refused(handle, control, message):
    with pytest.raises(ValueError, match=message):
        touches(handle, m=control)


def test_outside_a_build_function_touch_is_refused():
    made = figure(lambda ax: None, lambda ax, n: touch.touch(ax, x="n") if n == 3 else None)
    assert "touch belongs in a figure's build function" in made.reply({"key": "k", "values": [3, 0], "ratio": 1})[0]["error"]
    still = new_figure()
    touch.touch(still.subplots(), x="n")
    with pytest.raises(ValueError, match="touch is for figures that explore shows; got 1 on a still picture"):
        show(still, "A picture that nobody can drag.")
    from matplotlib.figure import Figure
    with pytest.raises(ValueError, match="touch belongs in a figure's build function"):
        touch.touch(Figure().subplots(), x="n")


def test_axes_side_by_side_may_touch_at_an_edge_and_subfigures_are_figures():
    assert len(figure(lambda ax: beside(ax, (0.6, 0.2, 0.3, 0.6), (0.1, 0.8, 0.5, 0.2))).touched) == 3

    def build(fig):
        left, right = (sub.subplots() for sub in fig.subfigures(1, 2))
        for ax in (left, right):
            ax.set(xlim=(0, 1), ylim=(0, 1))
            touch.touch(ax, x="n")
        return lambda n: f"n is {n}."
    assert len(explore(build, n=Slider(0, 1, step=0.1)).touched) == 2
