"""Drive a slider figure to every end, every corner and through random states, and say what went wrong."""

import itertools
import time

import numpy as np

from .plots import style
from .touch import pads


def visits(figure, states, rng, spots=3, pictures=6, shown=25):
    """(raw settings, what to do there): each control over its whole range, all corners, then random states.

    Pictures are compared at a few spots of each range, at the corners and at the first random states, and drawn at
    `shown` places of each range; all other states are only settled: a picture takes ten to thirty times as long as its
    sentence.
    """
    specs = list(figure.specs.values())
    ranges = [_steps(spec) for spec in specs]
    for i, steps in enumerate(ranges):
        few, some = (set(np.linspace(0, len(steps) - 1, n).round()) for n in (spots, shown))
        for count, raw in enumerate(steps):
            step = compared if count in few else drawn if count in some else settled
            yield [raw if j == i else s.start for j, s in enumerate(specs)], step
    for corner in itertools.product(*((s.low, s.high) for s in specs)):
        yield list(corner), compared
    for count in range(states):
        yield [rng.choice(steps).item() for steps in ranges], compared if count < pictures else settled


def _steps(spec, most=200):
    if spec.log:
        values = np.geomspace(spec.low, spec.high, min(most, 2 + round(np.log10(spec.high / spec.low) / spec.step)))
        values[[0, -1]] = spec.low, spec.high
    else:
        values = spec.low + spec.step * np.arange(1 + int((spec.high - spec.low) / spec.step + 1e-9))
        values = np.append(values, spec.high) if values[-1] < spec.high else values
    picked = values[np.unique(np.linspace(0, len(values) - 1, most).round().astype(int))]
    return [x.item() for x in picked]


def walk(figure, states=200, seconds=10.0, seed=0):
    """The errors met on the way, as sentences; an empty list is a figure that works.

    Every state must give its sentence. Where pictures are compared (a dozen or two states), the quick frame must equal a
    full redraw (an artist that moves but is neither animated nor noticed would show), and coming back to a setting after
    all others must bring back its picture. After `seconds` no more states are only settled.
    """
    errors, seen, stop = [], {}, time.monotonic() + seconds
    before = {name: getattr(widget, figure.specs[name].trait) for name, widget in figure.controls.items()}

    def attempt(step, raws):
        try:
            what = step(figure, raws, seen) or moved(figure)
        except Exception as error:             # a figure may raise anything; the walk goes on
            what = f"{type(error).__name__}: {error}"
        if what:
            errors.append(f"at {_said(figure, raws)}: {what}")

    with style():
        for raws, step in visits(figure, states, np.random.default_rng(seed)):
            if step is settled and time.monotonic() > stop:
                continue
            attempt(step, raws)
        for raws in reversed(list(seen)):
            attempt(returned, raws)
    for name, value in before.items():
        setattr(figure.controls[name], figure.specs[name].trait, value)
    return list(dict.fromkeys(errors))


def settled(figure, raws, seen):
    """Only the artists are moved and the sentence is asked for."""
    figure.settle(raws)


def drawn(figure, raws, seen):
    """The controls are moved, and the picture is drawn."""
    for (name, widget), raw in zip(figure.controls.items(), raws):
        setattr(widget, figure.specs[name].trait, raw)
    figure.draw(raws)


def compared(figure, raws, seen):
    """Drawn, and compared with a full redraw; the picture is kept in `seen`."""
    drawn(figure, raws, seen)
    if tuple(raws) not in seen:
        seen[tuple(raws)] = quick = _pixels(figure)
        return None if np.array_equal(quick, redrawn(figure)) else "the quick frame differs from a full redraw"


def returned(figure, raws, seen):
    """Drawn once more, after all others: the picture must be the one that was seen."""
    figure.draw(raws)
    return None if np.array_equal(_pixels(figure), seen[raws]) else "the picture depends on more than its settings"


def moved(figure):
    """Whether an axes that follows the pointer stands elsewhere than the browser was told."""
    try:
        same = pads(figure.figure, figure.specs) == figure.touched
    except ValueError:                         # it has limits, or a scale, that cannot be touched at all
        same = False
    return None if same else "an axes that is touched must keep its place and its limits"


def redrawn(figure):
    """The picture of the raw settings, which was just drawn, drawn whole as an RGB array; the cached parts stay as they are."""
    with style():
        for artist in figure.moving:
            artist.set_animated(False)
        try:
            figure.figure.canvas.draw()
        finally:
            for artist in figure.moving:
                artist.set_animated(True)
        return _pixels(figure)


def _pixels(figure):
    return np.asarray(figure.figure.canvas.buffer_rgba())[..., :3].copy()


def _said(figure, raws):
    return ", ".join(f"{name}={spec.setting(raw)!r}" for (name, spec), raw in zip(figure.specs.items(), raws))
