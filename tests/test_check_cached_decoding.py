"""The checks of chapter 7: right answers in several forms pass; what the checks themselves must survive."""

import numpy as np
import pytest

from pe_lib.attention import attention, causal_mask
from pe_lib.cache import Cache, attend, change_frequencies, padding_bias, positions_from_mask, shift
from pe_lib.teach.checks import cached_decoding as checks
from pe_lib.rotary import rotate

CHECKS = {"7.1": checks.check_step, "7.2": checks.check_plan, "7.3": checks.check_move}


def step_by_library(q, k, v, position, keys, values, inv_freq):
    cache = Cache(keys, values, np.zeros(len(keys)))
    output, cache = attend(q[None], k[None], v[None], [position], inv_freq, cache)
    return output[0], cache.keys, cache.values


def step_by_attention(q, k, v, position, keys, values, inv_freq):
    keys, values = np.vstack([keys, rotate(k[None], [position], inv_freq)]), np.vstack([values, v[None]])
    return [attention(rotate(q[None], [position], inv_freq), keys, values)[0][0], keys, values]


def plan_by_library(real, new):
    n = real.shape[1]
    return positions_from_mask(real)[:, -new:], causal_mask(new, n) + padding_bias(real)


def plan_with_any_pads(real, new):
    positions, mask = checks.plan_by_loop(real, new)
    pad = real[:, -new:] == 0
    return np.where(pad, 7, positions), np.where(pad[..., None], 0.0, mask)       # what a pad gets is free


def move_by_library(keys, positions, inv_freq, new_positions, new_inv_freq):
    cache = shift(Cache(keys, keys, positions), new_positions - positions, inv_freq)
    return change_frequencies(cache, inv_freq, new_inv_freq).keys


# claims 7.1, 7.2, 7.3, 7.4 and 7.6, as a learner meets them in an exercise
RIGHT = [
    (checks.check_step, checks.step_by_loop),
    (checks.check_step, step_by_library),
    (checks.check_step, step_by_attention),
    (checks.check_plan, checks.plan_by_loop),
    (checks.check_plan, plan_by_library),
    (checks.check_plan, plan_with_any_pads),
    (checks.check_plan, lambda real, new: list(checks.plan_by_loop(real, new))),
    (checks.check_move, checks.move_by_loop),
    (checks.check_move, move_by_library),
    (checks.check_move, lambda *given: checks.move_by_loop(*given).tolist()),
]
UNTOUCHED = [("7.1", lambda q, k, v, position, keys, values, inv_freq: ...), ("7.2", lambda real, new: None),
             ("7.3", lambda keys, positions, inv_freq, new_positions, new_inv_freq: ...)]


def test_row_and_position_differ_in_the_first_case_already():
    """claim 7.2: else an answer that counts rows would pass"""
    def by_row(q, k, v, position, keys, values, inv_freq):
        return checks.step_by_loop(q, k, v, len(keys), keys, values, inv_freq)
    assert "number of rows" in repr(checks.check_step(by_row))


def test_positions_and_mask_are_judged_each_for_itself():
    """claim 7.4: two mistakes at once, and right positions beside an odd mask, are not told of the other part"""
    def places_and_corner(real, new):
        looks = np.arange(real.shape[1]) <= np.arange(new)[:, None]
        return np.tile(np.arange(real.shape[1]), (len(real), 1))[:, -new:], np.where(looks & (real[:, None] == 1), 0.0, -np.inf)

    def odd_mask(real, new):
        return checks.plan_by_loop(real, new)[0], np.where(np.isneginf(checks.plan_by_loop(real, new)[1]), -np.inf, 5.0)
    assert "the pads are counted" in repr(checks.check_plan(places_and_corner))
    assert "Draw a table, a row for each new token" in repr(checks.check_plan(odd_mask))


@pytest.mark.parametrize("output_alone, hint", [
    (lambda q, k, v, p, *others: checks.step_by_loop(q, k, v, 0, *others)[0], "a restart at 0"),
    (lambda q, k, v, p, keys, *others: checks.step_by_loop(q, k, v, len(keys), keys, *others)[0], "number of rows"),
])
def test_a_right_cache_with_a_wrong_output_hears_so(output_alone, hint):
    """claim 7.2"""
    said = repr(checks.check_step(lambda *given: (output_alone(*given), *checks.step_by_loop(*given)[1:])))
    assert "Your cache is right, but the output" in said and hint in said


@pytest.mark.parametrize("number, answer", [
    ("7.1", lambda q, k, v, position, keys, values, inv_freq: checks.step_by_loop(q.__imul__(1.5), k, v, position, keys, values, inv_freq)),
    ("7.3", lambda keys, positions, *others: checks.move_by_loop(keys.__imul__(2.0), positions, *others)),
])
def test_an_answer_that_spoils_its_inputs_is_told(number, answer):
    assert "in place" in repr(CHECKS[number](answer))
