"""The clinic's second opinion on attention: every specimen by name, sound ones with a clean bill, and what gives nothing."""

import numpy as np
import pytest
import specimens.attention as specimens

from pe_lib.clinic import diagnose_attention

SOUND = {
    "half": "half", "pairs": "interleaved", "other_sign": "-position", "base_500000": "base 500000", "with_weights": "interleaved",
    "float32": "interleaved", "heads": "half", "bshd": "half", "partial": "features 0 to 3 of 8", "permuted": "interleaved",
    "shifted": "half", "upcast": "half", "loops": "half", "window": "the last 5 tokens",
    "cached": "half", "cached_unrotated": "interleaved", "cached_dictionary": "half", "cached_buffer": "half", "cached_heads": "half",
}
ONE_PASS = {
    "values_turned": ["values turned"], "not_scaled": ["scale"], "scaled_twice": ["scale"], "scaled_up": ["scale"],
    "scaled_by_model_width": ["scale"], "no_mask": ["mask"], "weak_mask": ["mask"], "inverted_mask": ["mask"], "strict_mask": ["mask"],
    "strict_finite_mask": ["mask"], "loose_mask": ["mask"], "mask_after_softmax": ["mask after softmax"],
    "multiplied_mask": ["mask"], "softmax_over_queries": ["softmax axis"], "no_division": ["row sums"],
    "only_queries": ["only queries"], "only_keys": ["only keys"], "neither": ["no rotation"], "opposite": ["opposite signs"],
    "two_layouts": ["layouts differ"], "layouts_mixed": ["not a rotation"], "two_bases": ["frequencies differ"],
    "keys_twice": ["turned twice"], "query_one_on": ["off by one"], "positions_ignored": ["positions ignored"],
    "keys_by_slot": ["rows counted"], "added_positions": ["positions added", "no rotation"], "alibi_besides": ["bias"],
    "sliced": ["sliced frequencies"], "normalised": ["other scores"], "residual": ["something added"], "in_place": ["input changed"],
    "stale_table": ["stale table"], "half_precision_angles": ["far positions"], "clipped_table": ["far positions"],
    "a_list": ["list returned"],
    "not_scaled_and_values_turned": ["values turned", "scale"], "no_mask_and_opposite": ["mask", "opposite signs"],
}
CACHED = {
    "restarts": ["restart", "positions ignored"], "query_at_zero": ["query position"], "query_off_by_one": ["query position"],
    "step_off_by_one": ["positions in the cache"], "keys_turned_again": ["keys turned again"], "cached_keys_twice": ["keys turned twice"],
    "keys_kept_plain": ["keys not turned"], "capacity_for_count": ["query position"], "both_at_capacity": ["positions in the cache"],
    "counts_slots_in_steps": ["positions in the cache"], "query_by_slot_in_steps": ["query position"],
    "mask_top_left": ["mask alignment"], "no_mask_in_chunks": ["mask in chunks"], "only_the_last_call": ["lost keys"],
    "drops_and_renumbers": ["lost keys", "positions in the cache"], "shared_default": ["remembers earlier calls"],
    "dynamic_base": ["frequencies changed"], "switch_at_four": ["no power law", "frequencies changed"], "base_that_stays": ["remembers earlier calls"],
    "values_turned_in_steps": ["values in the cache"], "other_scale_in_steps": ["cache"], "forgets_the_cache": ["no cache returned"],
    "top_left_and_restarts": ["restart", "mask alignment"], "twice_divided_and_off_by_one": ["scale", "query position"],
    "values_turned_and_keys_again": ["values turned", "keys turned again"],
}


def keys(report):
    return [fault.key for fault in report.faults]


@pytest.mark.parametrize("name", SOUND)
def test_sound_attention_gets_a_clean_bill_that_names_its_convention(name):
    report = diagnose_attention(getattr(specimens, f"sound_{name}"), cached=name.startswith("cached"))
    assert report.healthy, report
    assert SOUND[name] in report.convention, report


@pytest.mark.parametrize("name", ONE_PASS)
def test_every_fault_of_one_pass_is_named(name):
    report = diagnose_attention(getattr(specimens, name))
    assert keys(report) == ONE_PASS[name], report


@pytest.mark.parametrize("name", CACHED)
def test_every_fault_of_a_cache_is_named(name):
    report = diagnose_attention(getattr(specimens, name), cached=True)
    assert keys(report) == CACHED[name], report
