"""Small figures for the browser tests; the notebooks made there start with ``from pictures import *``."""

import threading
import time

import numpy as np

from pe_lib.teach.sliders import Check, Choice, LogSlider, Slider, explore, figures, touch

__all__ = ["Check", "Choice", "LogSlider", "Slider", "bar", "dragged", "drawn_by", "explore", "figures", "fragile", "geared",
           "handles", "noise", "options", "slow", "slowly", "threads", "time"]


def bar(fig):
    """A bar as long as the first setting; the others are said in the title, which is not animated."""
    ax = fig.subplots()
    (line,) = ax.plot([], [], lw=8, animated=True)
    ax.set(xlim=(-1, 60), ylim=(-1, 1), xlabel=r"$\omega_i$", ylabel="nothing")
    title = ax.set_title("")

    def update(**settings):
        length, *others = settings.values()
        line.set_data([0, float(length)], [0, 0])
        title.set_text(" ".join(map(str, others)))
        return "Here " + ", ".join(f"{name} is {value!r}" for name, value in settings.items()) + "."
    return update


def fragile(fig):
    """Breaks from 5 to 7, with markup in its message and in its sentence."""
    draw = bar(fig)

    def update(length):
        if 5 <= length <= 7:
            raise RuntimeError(f"<b>{length}</b> is <img src=x onerror=alert(1)> too much")
        return draw(length=length) + " <i>escaped</i>"
    return update


def slowly(build):
    """The figure with a kernel that takes its time."""
    def made(fig):
        draw = build(fig)

        def update(**settings):
            time.sleep(0.15)
            return draw(**settings)
        return update
    return made


slow = slowly(bar)


def noise(fig):
    """A frame that no encoder makes small."""
    ax = fig.add_axes([0, 0, 1, 1])
    image = ax.imshow(np.zeros((360, 800)), vmin=0, vmax=1, animated=True, aspect="auto", interpolation="nearest")

    def update(seed):
        image.set_data(np.random.default_rng(seed).random((360, 800)))
        return f"The noise of seed {seed}."
    return update


def threads(fig):
    """Notes in `drawn_by` which lengths the main thread drew (True) and another one (False)."""
    draw = bar(fig)

    def update(length):
        drawn_by[threading.current_thread() is threading.main_thread()].add(length)
        return draw(length=length)
    return update


def dragged(fig):
    """A map of two controls and a hand that turns clockwise, a radian a step."""
    line, dial = fig.add_axes((0.1, 0.2, 0.5, 0.6)), fig.add_axes((0.65, 0.2, 0.3, 0.6))
    line.set(xlim=(-0.5, 20.5), ylim=(10.5, -0.5))
    dial.set(xlim=(-1, 1), ylim=(-1, 1), aspect="equal")
    (dot,), (hand,) = line.plot([], [], "o", animated=True), dial.plot([], [], animated=True)
    touch(line, x="key", y="query")
    touch(dial, angle="key", per=-1.0, start=np.pi / 2)

    def update(query, key):
        dot.set_data([key], [query])
        hand.set_data([0, np.sin(key)], [0, np.cos(key)])
        return f"Query {query}, key {key}."
    return update


def handles(fig):
    """Two handles on one axis."""
    ax = fig.subplots()
    ax.set(xlim=(0, 20), ylim=(-1, 1))
    (dots,) = ax.plot([], [], "o", animated=True)
    touch(ax, x="low")
    touch(ax, x="high")

    def update(low, high):
        dots.set_data([low, high], [0, 0])
        return f"From {low} to {high}."
    return update


def geared(fig):
    """A hand whose speed hangs on a menu."""
    ax = fig.subplots()
    ax.set(xlim=(-1, 1), ylim=(-1, 1), aspect="equal")
    (hand,) = ax.plot([], [], animated=True)
    touch(ax, angle="place", per=lambda base: 1 / base)

    def update(place, base):
        hand.set_data([0, np.cos(place / base)], [0, np.sin(place / base)])
        return f"At {place}, base {base:g}."
    return update


def options(fig):
    """A menu whose options stand side by side."""
    ax = fig.subplots()
    ax.set(xlim=(-0.5, 2.5), ylim=(0, 1), xticks=[0, 1, 2], xticklabels=["near", "far", "gone"])
    (mark,) = ax.plot([], [], "o", animated=True)
    touch(ax, x="which")

    def update(which):
        mark.set_data([["near", "far", "gone"].index(which)], [0.5])
        return f"It is {which}."
    return update


drawn_by = {True: set(), False: set()}
