"""Sound rotations of rarer designs, (x, positions) -> x, and the convention the clinic should name: adds to SOUND."""

import numpy as np
from specimens.rope import halves, neighbours, speeds
from specimens.rope_sound import HALF, INTERLEAVED, sound

from pe_lib.precision import rounded


def by(positions, inv_freq):
    return np.asarray(positions)[:, None] * inv_freq


@sound(HALF.replace("10000,", "10000, all angles divided by 4 (positions interpolated),"), base=10_000)
def interpolated_with_its_base(x, positions):
    """Positions are divided by 4, and the base that is asked for is there."""
    return halves(x, by(positions / 4, speeds(64)))


@sound(HALF)
def rounded_to_bfloat16_at_the_end(x, positions):
    """Float32 inside, and the result is rounded as a model in bfloat16 rounds it."""
    y = halves(x, by(positions, speeds(64)))
    return rounded(y, "bfloat16").astype(x.dtype)


@sound(INTERLEAVED)
def all_in_bfloat16(x, positions):
    """x, cosine and sine are rounded to bfloat16, as in a run wholly in bfloat16, and the result is."""
    t = np.repeat(by(positions, speeds(64)), 2, axis=-1)
    c, s, x16 = (rounded(part, "bfloat16") for part in (np.cos(t), np.sin(t), x))
    swapped = np.stack([-x16[..., 1::2], x16[..., ::2]], axis=-1).reshape(x.shape)
    return rounded(x16 * c + swapped * s, "bfloat16").astype(x.dtype)


@sound(HALF.replace("10000,", "10000, lengths times 1.1902 (LongRoPE's attention factor),"))
def short_list_of_longrope(x, positions):
    """LongRoPE's list for short texts is nearly all ones; its attention factor, for 32 times 4096 positions, stays."""
    return np.sqrt(1 + np.log(32) / np.log(4096)) * halves(x, by(positions, speeds(64)))


@sound(HALF.replace("10000,", "10000, every pair slowed by a factor of its own, up to 1.25 (LongRoPE?),"))
def slowed_a_little(x, positions):
    """A list of factors that ends at 1.25."""
    return halves(x, by(positions, speeds(64) / np.linspace(1, 1.25, 32)))


@sound(HALF.replace("10000, all 64 features turn", "150000, the fastest 16 of 32 pairs turn (p-RoPE)"))
def p_rope_of_another_base(x, positions):
    """Half of the pairs turn, of base 150000."""
    return halves(x, by(positions, np.where(np.arange(32) < 16, speeds(64, 150_000.0), 0)))


@sound(HALF.replace("10000, all 64 features turn", "100000000, the fastest 16 of 32 pairs turn (p-RoPE)"),
       base=1e8, rotary_dim=32)
def p_rope_asked_for(x, positions):
    """Half of the pairs turn, of the base that is asked for, and so many features."""
    return halves(x, by(positions, np.where(np.arange(32) < 16, speeds(64, 1e8), 0)))


@sound(INTERLEAVED.replace("(0, 1)", "(2, 3)").replace("all 64", "the last 62 of 64"))
def all_but_the_first_two(x, positions):
    """The first two features pass through."""
    return np.concatenate([x[..., :2], neighbours(x[..., 2:], by(positions, speeds(62)))], axis=-1)


@sound("one pair (62, 63), counter-clockwise (y0 = x0 cos - x1 sin), the last 2 of 64 features turn")
def only_the_last_two(x, positions):
    """One pair of many turns, the last: no integer has crept in."""
    return np.concatenate([x[..., :62], neighbours(x[..., 62:], by(positions, speeds(2)))], axis=-1)


@sound(HALF.replace("10000,", "10000, stretched 40 times by parts: pairs 0 to 10 keep their frequency, from pair 23 on it is divided by "
                    "40, lengths times 0.92104 (DeepSeek's share of YaRN's attention factor),"))
def yarn_with_two_scales(x, positions):
    """DeepSeek's mscale 0.707 over mscale_all_dim 1."""
    w, ramp = speeds(64), np.clip((np.arange(32) - 10) / (23 - 10), 0, 1)
    gain = (0.0707 * np.log(40) + 1) / (0.1 * np.log(40) + 1)
    return gain * halves(x, by(positions, w / 40 * ramp + w * (1 - ramp)))


@sound(HALF.replace("10000,", "10000, stretched 40 times by parts: pairs 0 to 10 keep their frequency, from pair 23 on it is divided by "
                    "40,"))
def stretched_and_rounded_at_the_end(x, positions):
    """Stretched by parts, with a result in bfloat16: its frequencies are known from rounded angles alone."""
    w, ramp = speeds(64), np.clip((np.arange(32) - 10) / (23 - 10), 0, 1)
    return rounded(halves(x, by(positions, w / 40 * ramp + w * (1 - ramp))), "bfloat16").astype(x.dtype)
