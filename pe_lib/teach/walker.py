"""Drive a slider figure as a browser would, to every end and through random states, and say what went wrong."""

import itertools
import time

import numpy as np

from .plots import style


def visits(figure, states, rng):
    """Raw settings to try: each control over its whole range, all corners, then random states."""
    specs = list(figure.specs.values())
    for i, spec in enumerate(specs):
        for raw in _steps(spec):
            yield [raw if j == i else s.start for j, s in enumerate(specs)]
    yield from map(list, itertools.product(*((s.low, s.high) for s in specs)))
    for _ in range(states):
        yield [rng.choice(_steps(spec)).item() for spec in specs]


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

    At some states it also asks that the quick frame equals a full redraw (an artist that moves but is neither animated
    nor noticed would show), and that coming back to a setting brings back its picture.
    """
    rng, errors, seen, stop = np.random.default_rng(seed), [], {}, time.monotonic() + seconds
    before = {name: getattr(widget, figure.specs[name].trait) for name, widget in figure.controls.items()}
    tried = list(visits(figure, states, rng))
    certain = len(tried) - states
    for count, raws in enumerate(tried):
        if count >= certain and time.monotonic() > stop:
            break
        for (name, widget), raw in zip(figure.controls.items(), raws):
            setattr(widget, figure.specs[name].trait, raw)
        answer, _ = figure.reply({"key": str(raws), "values": raws, "ratio": 1})
        if "error" in answer:
            errors.append(f"at {_said(figure, raws)}: {answer['error']}")
        elif count % max(1, certain // 12) == 0:
            seen[tuple(raws)] = quick = np.asarray(figure.image(raws)[0])
            if not np.array_equal(quick, redrawn(figure, raws)):
                errors.append(f"at {_said(figure, raws)}: the quick frame differs from a full redraw")
    for raws, picture in reversed(seen.items()):
        if not np.array_equal(picture, np.asarray(figure.image(list(raws))[0])):
            errors.append(f"at {_said(figure, raws)}: the picture depends on more than its settings")
    for name, value in before.items():
        setattr(figure.controls[name], figure.specs[name].trait, value)
    return list(dict.fromkeys(errors))


def redrawn(figure, raws):
    """The picture of the raw settings drawn whole, as an RGB array; the cached parts stay as they are."""
    with style():
        figure.draw(raws)
        for artist in figure.moving:
            artist.set_animated(False)
        figure.figure.canvas.draw()
        for artist in figure.moving:
            artist.set_animated(True)
        return np.asarray(figure.figure.canvas.buffer_rgba())[..., :3].copy()


def _said(figure, raws):
    return ", ".join(f"{name}={spec.setting(raw)!r}" for (name, spec), raw in zip(figure.specs.items(), raws))
