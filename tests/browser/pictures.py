"""Small figures for the browser tests; the notebooks made there start with ``from pictures import *``."""

import threading
import time

import numpy as np

from pe_lib.teach.sliders import Check, Choice, LogSlider, Slider, explore, figures

__all__ = ["Check", "Choice", "LogSlider", "Slider", "bar", "drawn_by", "explore", "figures", "fragile", "noise", "slow",
           "threads", "time"]


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


def slow(fig):
    draw = bar(fig)

    def update(**settings):
        time.sleep(0.15)
        return draw(**settings)
    return update


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


drawn_by = {True: set(), False: set()}
