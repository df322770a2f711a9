"""The declarations of controls: ranges, starts, and the raw numbers that browser and kernel exchange."""

import ipywidgets
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pe_lib.teach.controls import Check, Choice, LogSlider, Slider


@pytest.mark.parametrize("control, widget, trait", [
    (Slider(0, 60, start=5), ipywidgets.IntSlider, "value"),
    (Slider(0, 1, step=0.1), ipywidgets.FloatSlider, "value"),
    (LogSlider(100, 5e5), ipywidgets.FloatLogSlider, "value"),
    (Choice(["none", "sinusoid"]), ipywidgets.Dropdown, "index"),
    (Check(), ipywidgets.Checkbox, "value"),
])
def test_each_control_makes_its_ipywidget(control, widget, trait):
    made = control.widget("offset_in_tokens")
    assert type(made) is widget and control.trait == trait
    assert made.description == "offset in tokens"
    assert control.setting(getattr(made, trait)) == control.setting(control.start)


def test_a_label_replaces_the_name():
    assert Slider(0, 3, label="Δ (tokens)").widget("offset").description == "Δ (tokens)"


def test_a_long_label_does_not_eat_the_slider():
    short, long = (int(Slider(0, 3, label="n" * size).widget("n").layout.width[:-2]) for size in (1, 30))
    assert long - short >= 7 * 29


@pytest.mark.parametrize("control, value, kind", [
    (Slider(-8, 8, start=3), -8, int), (Slider(0.0, 2.0, step=0.25), 0.5, float), (LogSlider(100, 1e6, 1e4), 1e4, float),
    (Choice({"small": 10, "large": (1, 2)}), (1, 2), tuple), (Choice([100.0, 1e4]), 100.0, float), (Check(True), False, bool),
])
def test_raw_and_setting_are_inverse_and_keep_the_type(control, value, kind):
    setting = control.setting(control.raw(value))
    assert setting == value and type(setting) is kind


@given(st.integers(-1000, 1000), st.integers(1, 1000))
def test_every_whole_number_of_a_slider_is_a_setting(low, span):
    control = Slider(low, low + span)
    assert control.start == low
    assert [control.setting(low), control.setting(low + span)] == [low, low + span]
    for outside in (low - 1, low + span + 1):
        with pytest.raises(ValueError, match="a setting must lie from"):
            control.setting(outside)


def test_the_number_box_shows_as_many_digits_as_the_step_has():
    assert [Slider(0, 1, step=s).written["minimumFractionDigits"] for s in (1, 0.5, 0.25, 0.01)] == [0, 1, 2, 2]
    assert Slider(0.125, 2.125, step=0.5).written["maximumFractionDigits"] == 3


@pytest.mark.parametrize("steps", [1, 4, 10, 20, 100, 1000])
def test_the_number_box_of_a_log_slider_tells_one_step_from_the_next(steps):
    control = LogSlider(1, 10, steps_per_decade=steps)
    digits = control.written["maximumSignificantDigits"]
    assert len({f"{10 ** (n / steps):.{digits}g}" for n in range(steps)}) == steps
    assert digits == 3 or len({f"{10 ** (n / steps):.{digits - 1}g}" for n in range(steps)}) < steps


def test_the_browser_is_told_what_it_needs_and_ipywidgets_shows_no_box_of_its_own():
    control = Slider(0, 10, step=0.5, play=True)
    assert control.told == {"trait": "value", "low": 0, "high": 10, "step": 0.5, "log": False, "play": True,
                            "written": {"minimumFractionDigits": 1, "maximumFractionDigits": 1}}
    assert not control.widget("n").readout and not LogSlider(1, 10).widget("n").readout


def test_a_start_is_where_the_slider_can_stop():
    """The browser moves a start off the grid to its nearest step: the first picture would be another than the next."""
    assert Slider(0.1, 4.0, start=2.5, step=0.1).start == 2.5
    assert Slider(0, 10, start=10, step=3).start == 10
    assert LogSlider(1, 100, start=5, steps_per_decade=10).start == pytest.approx(10**0.7)
    assert LogSlider(100, 5e5, start=5e5).start == 5e5


def test_a_log_slider_reaches_both_ends():
    assert LogSlider(1, 16_384, start=1000, whole=True).written == {"maximumFractionDigits": 0}
    made = LogSlider(100, 5e5, start=1e4).widget("base")
    assert (made.base**made.min, made.base**made.max) == (pytest.approx(100), pytest.approx(5e5))


def test_choices_are_named_for_people():
    assert Choice([100.0, 1e4, 5e5]).traits["options"] == ["100", "10,000", "500,000"]
    assert Choice([0.5, 2, 1_000_000, "none", True]).traits["options"] == ["0.5", "2", "1,000,000", "none", "True"]
    assert Choice({"dog bites man": (0, 1, 2), "man bites dog": (2, 1, 0)}, start=(2, 1, 0)).start == 1


@pytest.mark.parametrize("make, message", [
    (lambda: Slider(3, 3), "low < high and step > 0, at most high - low; got low=3, high=3, step=1"),
    (lambda: Slider(5, 2), "low < high"),
    (lambda: Slider(0, 5, step=0), "step > 0"),
    (lambda: Slider(0, 5, start=6), "start must lie from low=0 to high=5; got 6"),
    (lambda: Slider(0, 10, start=1, step=3), "start must be a whole number of steps of 3 from low=0; got 1"),
    (lambda: Slider(0, float("inf")), "high must be a finite number; got inf"),
    (lambda: Slider("0", 5), "low must be a finite number; got '0'"),
    (lambda: Slider(False, 5), "low must be a finite number; got False"),
    (lambda: LogSlider(0, 5), "0 < low < high"),
    (lambda: LogSlider(10, 1), "0 < low < high"),
    (lambda: LogSlider(1, 10, start=20), "start must lie from low=1 to high=10; got 20"),
    (lambda: LogSlider(1, 10, steps_per_decade=0), "steps_per_decade > 0"),
    (lambda: Slider(0, 5, step=10), "step > 0, at most high - low; got low=0, high=5, step=10"),
    (lambda: Slider(0, 5).raw(2.5), "must be a whole number; got 2.5"),
    (lambda: Choice(5), "a list of values or a dict from name to value; got 5"),
    (lambda: Choice(["only"]), "at least two different options"),
    (lambda: Choice(["a", "b"], start="c"), r"one of \['a', 'b'\]; got 'c'"),
    (lambda: Check(1), "True or False; got 1"),
])
def test_bad_declarations_say_what_is_needed(make, message):
    with pytest.raises(ValueError, match=message):
        make()
