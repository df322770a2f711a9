"""Broken rotations that hold where one looks first: far positions, arrays of four axes, later calls. Adds to BROKEN."""

import numpy as np
from specimens.rope import BROKEN, fault, halves, neighbours, speeds, turns


@fault("angles scaled")
def divided_by_the_longest_text(x, positions):
    """Positions are divided by the largest position, 512."""
    return halves(x, turns(positions / 512, x.shape[-1]))


@fault("a pair left out")
def a_middle_pair_left_out(x, positions):
    """The frequency of one pair in the middle is 0."""
    dim = x.shape[-1]
    return neighbours(x, positions[:, None] * np.where(np.arange(dim // 2) == dim // 4, 0, speeds(dim)))


@fault("output order")
def features_reversed(x, positions):
    """Nothing turns, and the features come back from the other end."""
    return x[..., ::-1].copy()


@fault("length changed")
def yarn_factor_twice(x, positions):
    """YaRN's attention factor for a stretch by 16, in the tables and once more at the end."""
    dim = x.shape[-1]
    w, ramp = speeds(dim), np.clip((np.arange(dim // 2) / dim - 0.15) / 0.2, 0, 1)
    return (1 + 0.1 * np.log(16)) ** 2 * halves(x, positions[:, None] * (w / 16 * ramp + w * (1 - ramp)))
