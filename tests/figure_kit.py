"""Slider figures as the tests of the chapters see them: built once, asked for the sentence of a setting."""

import functools
import re

import numpy as np

from pe_lib.teach.plots import new_figure, style


@functools.cache
def built(build):
    """The figure and its update function."""
    with style():
        figure = new_figure()
        return figure, build(figure)


def readout(build, **settings):
    """What the figure says at these settings."""
    with style():
        return built(build)[1](**settings)


def frame(build, settings):
    """The pixels with everything drawn, for a figure made for this one setting."""
    figure = new_figure(8, 4)
    with style():
        build(figure)(**settings)
        for artist in figure.findobj():
            artist.set_animated(False)
        figure.canvas.draw()
        return np.asarray(figure.canvas.buffer_rgba()).copy()


def unseen(build, start, changes):
    """The changes of a setting (parts of the settings) after which the picture is the same as at the start."""
    before = frame(build, start)
    return [change for change in changes if (frame(build, start | change) == before).all()]


def numbers(text):
    """All numbers of a sentence, in order; 1,000 is one number, and a minus sign counts."""
    return [float(number.replace(",", "")) for number in re.findall(r"-?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?", text.replace("−", "-"))]
