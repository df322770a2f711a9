"""Slider figures as the tests of the chapters see them: built once, asked for the sentence of a setting."""

import functools
import re

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


def numbers(text):
    """All numbers of a sentence, in order; 1,000 is one number, and a minus sign counts."""
    return [float(number.replace(",", "")) for number in re.findall(r"-?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?", text.replace("−", "-"))]
