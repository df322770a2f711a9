"""The declarations a figure's controls are made of: Slider, LogSlider, Choice, Check."""

import math
from dataclasses import dataclass, field
from decimal import Decimal

import ipywidgets
import numpy as np


@dataclass(frozen=True)
class Control:
    """One setting a learner can turn: the widget to make, and how its raw number becomes a Python value.

    Browser and kernel exchange plain numbers between ``low`` and ``high``: the slider's value, a choice's index,
    0 or 1 for a box to tick.
    """

    kind: type
    low: float
    high: float
    step: float
    start: float
    label: str | None = None
    traits: dict = field(default_factory=dict)
    options: tuple = ()
    play: bool = False
    written: dict = field(default_factory=dict)       # how its number box writes a number: options of JavaScript's toLocaleString

    @property
    def trait(self):
        """The widget's synced trait that holds the raw number."""
        return "index" if self.options else "value"

    @property
    def log(self):
        """True where a step multiplies instead of adding."""
        return self.kind is ipywidgets.FloatLogSlider

    @property
    def told(self):
        """What the browser needs to know of it."""
        return {name: getattr(self, name) for name in ("trait", "low", "high", "step", "log", "play", "written")}

    def widget(self, name):
        """A new widget, labelled for people; the number box beside a slider is the browser's work (controls.js)."""
        label = self.label or name.replace("_", " ")
        wide = f"{300 + 8 * len(label) + 40 * self.play}px" if self.written else "auto"      # the label takes none of the track
        return self.kind(**{self.trait: self.start}, **self.traits, description=label,
                         layout={"width": wide, "max_width": "100%"}, style={"description_width": "initial"})

    def setting(self, raw):
        """The Python value of a raw number; ValueError outside the control's range."""
        slack = 1e-9 * max(abs(self.low), abs(self.high))
        if not self.low - slack <= raw <= self.high + slack:
            raise ValueError(f"a setting must lie from {self.low} to {self.high}; got {raw!r}")
        if self.options:
            return self.options[int(raw)]
        if self.kind is ipywidgets.Checkbox:
            return bool(raw)
        return int(raw) if self.kind is ipywidgets.IntSlider else float(raw)

    def raw(self, value):
        """The raw number of a Python value, the inverse of :meth:`setting`."""
        if self.options:
            if value not in self.options:
                raise ValueError(f"a choice must be one of {list(self.options)!r}; got {value!r}")
            return self.options.index(value)
        raw = float(value) if self.kind in (ipywidgets.FloatSlider, ipywidgets.FloatLogSlider) else int(value)
        if raw != value:
            raise ValueError(f"a setting of this control must be a whole number; got {value!r}")
        return raw


def _finite(**numbers):
    for name, value in numbers.items():
        if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not math.isfinite(value):
            raise ValueError(f"{name} must be a finite number; got {value!r}")


def Slider(low, high, start=None, step=1, label=None, play=False):
    """A slider from low to high: whole numbers if all of low, high, start and step are, floats otherwise."""
    start = low if start is None else start
    _finite(low=low, high=high, start=start, step=step)
    if not low < high or not 0 < step <= high - low:
        raise ValueError(f"a slider needs low < high and step > 0, at most high - low; got low={low}, high={high}, step={step}")
    if not low <= start <= high:
        raise ValueError(f"a slider's start must lie from low={low} to high={high}; got {start}")
    steps = (start - low) / step
    if start != high and abs(steps - round(steps)) > 1e-6:       # the browser would move it, and the first picture be another
        raise ValueError(f"a slider's start must be a whole number of steps of {step} from low={low}; got {start}")
    whole = all(isinstance(x, (int, np.integer)) for x in (low, high, start, step))
    digits = max(0, *(-Decimal(str(x)).normalize().as_tuple().exponent for x in (low, step)))
    traits = {"min": low, "max": high, "step": step, "readout": False}
    return Control(ipywidgets.IntSlider if whole else ipywidgets.FloatSlider, low, high, step, start, label, traits, play=play,
                   written={"minimumFractionDigits": digits, "maximumFractionDigits": digits})


def LogSlider(low, high, start=None, steps_per_decade=20, label=None, whole=False):
    """A slider whose equal steps multiply: low, high and start are values (not exponents) above zero; start goes to its nearest step.

    whole: the box beside it shows a count, 1,259 and not 1,260; else as many digits as tell one step from the next, at least 3.
    """
    start = low if start is None else start
    _finite(low=low, high=high, start=start, steps_per_decade=steps_per_decade)
    if not 0 < low < high or steps_per_decade <= 0:
        raise ValueError(f"a log slider needs 0 < low < high and steps_per_decade > 0; got low={low}, high={high}, "
                         f"steps_per_decade={steps_per_decade}")
    if not low <= start <= high:
        raise ValueError(f"a log slider's start must lie from low={low} to high={high}; got {start}")
    steps = round(math.log10(start / low) * steps_per_decade)      # the slider stops there, so the first picture shows it
    start = start if start == high else min(max(low, low * 10 ** (steps / steps_per_decade)), high)
    digits = max(3, math.ceil(1 - math.log10(10 ** (1 / steps_per_decade) - 1)))
    traits = {"min": math.log10(low), "max": math.log10(high), "step": 1 / steps_per_decade, "readout": False}
    return Control(ipywidgets.FloatLogSlider, low, high, 1 / steps_per_decade, start, label, traits,
                   written={"maximumFractionDigits": 0} if whole else {"maximumSignificantDigits": digits})


def Choice(options, start=None, label=None):
    """One of several options: a list of values, or a dict from what the learner reads to the value."""
    if not isinstance(options, (list, tuple, dict)):
        raise ValueError(f"options must be a list of values or a dict from name to value; got {options!r}")
    named = dict(options) if isinstance(options, dict) else {_name(x): x for x in options}
    values = tuple(named.values())
    if len(values) < 2:
        raise ValueError(f"a choice needs at least two different options; got {options!r}")
    control = Control(ipywidgets.Dropdown, 0, len(values) - 1, 1, 0, label, {"options": list(named)}, options=values)
    index = 0 if start is None else control.raw(start)
    return Control(control.kind, 0, control.high, 1, index, label, control.traits, options=values)


def _name(option):
    """An option as the sentences write it: 10,000 and 0.5."""
    if isinstance(option, (int, float)) and not isinstance(option, bool):
        return f"{option:,.0f}" if float(option).is_integer() else f"{option:,g}"
    return str(option)


def Check(start=False, label=None):
    """A box to tick: the setting is True or False."""
    if not isinstance(start, bool):
        raise ValueError(f"a check's start must be True or False; got {start!r}")
    return Control(ipywidgets.Checkbox, 0, 1, 1, int(start), label, {"indent": False})
