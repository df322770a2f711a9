"""The clinic's second opinion on attention: every specimen by name, sound ones with a clean bill, and what gives nothing."""

import sys
from functools import partial

import numpy as np
import pytest
import specimens.attention as specimens
import specimens.attention_designs as designs
import specimens.attention_rarer as rarer

from pe_lib.cache import attend
from pe_lib.clinic import diagnose_attention
from pe_lib.clinic.attention import weights
from pe_lib.frequencies import inverse_frequencies
from pe_lib.yarn import yarn

SOUND = {
    "half": "half", "pairs": "interleaved", "other_sign": "-position", "base_500000": "base 500000", "with_weights": "interleaved",
    "float32": "interleaved", "heads": "half", "bshd": "half", "partial": "features 0 to 3 of 8", "permuted": "interleaved",
    "shifted": "half", "upcast": "half", "loops": "half", "window": "the last 5 tokens",
    "cached": "half", "cached_unrotated": "interleaved", "cached_dictionary": "half", "cached_buffer": "half", "cached_heads": "half",
    "cached_mask_by_positions": "half", "cached_one_at_a_time": "half", "cached_window": "the last 5 tokens",
    "last_features": "features 4 to 7 of 8",
}
ONE_PASS = {
    "values_turned": ["values turned"], "not_scaled": ["scale"], "scaled_twice": ["scale"], "scaled_up": ["scale"],
    "scaled_by_model_width": ["scale"], "no_mask": ["mask"], "weak_mask": ["mask"], "inverted_mask": ["mask"], "strict_mask": ["mask"],
    "strict_finite_mask": ["mask"], "loose_mask": ["mask"], "mask_after_softmax": ["mask after softmax"],
    "multiplied_mask": ["mask"], "softmax_over_queries": ["softmax axis"], "no_division": ["row sums"],
    "only_queries": ["only queries"], "only_keys": ["only keys"], "neither": ["no rotation"], "opposite": ["opposite signs"],
    "two_layouts": ["layouts differ"], "layouts_mixed": ["mixed layouts"], "two_bases": ["frequencies differ"],
    "keys_twice": ["turned twice"], "query_one_on": ["off by one"], "positions_ignored": ["positions ignored"],
    "keys_by_slot": ["rows counted"], "added_positions": ["positions added", "no rotation"], "alibi_besides": ["bias"],
    "sliced": ["sliced frequencies"], "residual": ["something added"], "in_place": ["input changed"],
    "stale_table": ["stale table"], "half_precision_angles": ["far positions"], "clipped_table": ["far positions"],
    "a_list": ["list returned"], "values_turned_back": ["values changed"], "output_permuted": ["values changed"],
    "keys_and_values_exchanged": ["k and v exchanged"], "queries_and_keys_exchanged": ["q and k exchanged"],
    "rotate_half_without_minus": ["same sign"], "cosines_only": ["sine lost"], "whole_halves_of_positions": ["positions"],
    "degrees": ["degrees"], "all_in_float16": ["half precision"], "only_itself": ["mask"],
    "no_exponential": ["no softmax"],
    "bfloat_frequencies": ["half-precision frequencies"], "bfloat_angles": ["far positions"],
    "turned_along_the_heads": ["wrong shape"],
    "not_scaled_and_values_turned": ["values turned", "scale"], "no_mask_and_opposite": ["mask", "opposite signs"],
}
CACHED = {
    "restarts": ["restart", "positions ignored"], "query_at_zero": ["query position"], "query_off_by_one": ["query position"],
    "step_off_by_one": ["positions in the cache"], "keys_turned_again": ["keys turned again"], "cached_keys_twice": ["keys turned twice"],
    "keys_kept_plain": ["keys not turned"], "capacity_for_count": ["query position"], "both_at_capacity": ["positions in the cache"],
    "counts_slots_in_steps": ["positions in the cache"], "query_by_slot_in_steps": ["query position"],
    "mask_top_left": ["mask alignment"], "no_mask_in_chunks": ["mask in chunks"], "only_the_last_call": ["lost keys"],
    "drops_and_renumbers": ["lost keys", "positions in the cache"], "drops_the_oldest": ["lost keys"], "window_in_the_prompt_alone": ["window in decoding"],
    "new_ones_in_front": ["order of keys"], "only_new_keys_in_front": ["keys and values apart"], "values_not_joined": ["raises"],
    "empty_slots_seen": ["row sums", "uneven keys"], "other_layout_in_steps": ["other turns in the cache"],
    "other_base_in_steps": ["frequencies changed"], "plain_query_in_steps": ["query position"],
    "last_key_kept_twice": ["uneven keys"], "steps_not_stored": ["lost keys"],
    "shared_default": ["remembers earlier calls"],
    "dynamic_base": ["frequencies changed"], "switch_at_four": ["frequencies changed"], "base_that_stays": ["remembers earlier calls"],
    "values_turned_in_steps": ["values in the cache"], "other_scale_in_steps": ["scale in the cache"], "forgets_the_cache": ["no cache returned"],
    "top_left_and_restarts": ["restart", "mask alignment"], "twice_divided_and_off_by_one": ["scale", "query position"],
    "values_turned_and_keys_again": ["values turned", "keys turned again"],
    "values_projected_and_keys_by_slot": ["values changed", "positions in the cache"],
}

DESIGNS = {
    "capped_at": "capped at 30 by tanh", "capped_low": "capped at 2 by tanh", "cosine": "scores are 10 times the cosine",
    "weak_cosine": "query-key norm", "root_mean_square": "root mean square of 1", "sink": "a sink of logit 0",
    "learned_sink": "a sink of logit 2", "growing": "(xPos)", "chunks": "its own chunk of 4 tokens",
    "first_and_last": "a window of 3 tokens and the first 2", "prefix": "the first 3 tokens", "long_window": "the last 12 tokens",
    "cached_by_slot": "stored at the slot of their position", "cached_from_the_start": "counts its rows itself",
    "cached_recounted": "the last 12 tokens", "cached_ring": "the last 16 tokens", "short_table": "half", "a_list_of_two": "half",
    "cached_with_a_full_buffer": "half", "norm_with_gains": "gains by features", "longer_later": "log-n scaling",
    "cached_first_and_last": "among the keys that are left",
    "cached_chunks": "its own chunk of 8 tokens", "cached_in_eight_bits": "half",
}
RARER = {
    "wrapped_table": ["far positions"], "far_table": ["far positions"], "divided_by_length": ["depends on length"],
    "base_by_length": ["depends on length"], "absolute_values": ["values changed"], "own_value_added": ["residual"],
    "twice_the_output": ["row sums"], "rows_reversed": ["rows out of order"], "values_rolled": ["keys and values apart"],
    "rows_rolled": ["rows out of order"], "values_reversed": ["keys and values apart"], "half_of_the_value": ["residual"],
    "queries_at_five": ["fixed position"], "mean_taken_off": ["values changed"],
    "powers_of_two": ["scale"], "negative_scale": ["scale"], "queries_permuted": ["layouts differ"],
    "whole_angles": ["integer angles"], "only_queries_grow": ["length follows the position"],
    "only_queries_normalised": ["other scores"], "norm_without_care": ["not finite"], "dropout": ["random"],
    "every_second_key": ["mask"], "whole_numbers": ["integers"], "leaves": ["raises"],
    "only_the_last_row": ["wrong shape"], "last_slot_written_over": ["lost keys"], "full_cache_ignored": ["lost keys"],
    "ring_turned_by_slot": ["long sequences", "positions ignored"], "counts_and_drops": ["lost keys", "positions ignored"],
    "one_less_and_drops": ["positions in the cache", "lost keys"], "only_keys_joined": ["keys and values apart"],
    "values_drift": ["cache written over"], "keys_counted_from_the_last": ["off by one", "keys turned again"],
    "chunk_at_one_place": ["positions in the cache"], "eighths": ["rounded"],
    "slots_and_values_turned": ["values turned"], "divided_by_number_of_keys": ["scale", "scale in the cache"],
}
CACHED_RARER = list(RARER)[list(RARER).index("only_the_last_row"):]


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


@pytest.mark.parametrize("name", DESIGNS)
def test_a_design_is_named_and_not_blamed(name):
    report = diagnose_attention(getattr(designs, name), cached=name.startswith("cached"))
    assert report.healthy, report
    assert DESIGNS[name] in report.convention, report


@pytest.mark.parametrize("dim", [2, 4, 16, 64])
def test_honest_rounding_is_no_fault_at_any_width(dim):
    assert diagnose_attention(designs.single_precision, dim=dim).healthy
    assert dim == 64 or diagnose_attention(designs.rounded_table, dim=dim).healthy


@pytest.mark.parametrize("name", RARER)
def test_every_rarer_fault_is_named_and_shows_in_a_finding(name):
    report = diagnose_attention(getattr(rarer, name), cached=name in CACHED_RARER)
    assert keys(report) == RARER[name], report
    assert any(finding.ok is False for finding in report.findings), report


def test_what_is_worth_knowing_is_remarked():
    assert "say cached=True" in diagnose_attention(specimens.sound_cached_window).remarks[0]
    assert "compares slots" in diagnose_attention(designs.cached_chunks, cached=True).remarks[0]
    assert "refused" in diagnose_attention(designs.short_table).remarks[0]
    assert "nearly equal" in diagnose_attention(designs.weak_cosine).remarks[0]


def test_a_scale_that_is_asked_for_is_held_against_the_cosine():
    assert diagnose_attention(designs.cosine, scale=10.0).healthy
    assert keys(diagnose_attention(designs.cosine, scale=5.0)) == ["scale"]
    assert diagnose_attention(designs.root_mean_square, scale=8**-0.5).healthy


def test_an_encoder_whose_positions_depend_on_the_length_is_found_out():
    def divided(q, k, v, positions):
        places = positions / len(positions)
        return specimens.mixed(specimens.half(q, places), specimens.half(k, places), v, 0)

    assert keys(diagnose_attention(divided, causal=False)) == ["depends on length"]


def test_an_encoder_sees_all_keys():
    report = diagnose_attention(specimens.no_mask, causal=False)
    assert report.healthy and "half" in report.convention, report
    assert keys(diagnose_attention(specimens.sound_half, causal=False)) == ["mask"]
    assert keys(diagnose_attention(specimens.no_mask_and_opposite, causal=False)) == ["opposite signs"]


def test_a_module_that_remembers_is_found_out():
    report = diagnose_attention(specimens.Remembering(), cached=True)
    assert keys(report) == ["remembers earlier calls"] and report.subject == "Remembering"


@pytest.mark.parametrize("layout", ["interleaved", "half"])
@pytest.mark.parametrize("dim", [2, 4, 6, 16])
def test_the_course_s_own_cache_is_sound(dim, layout):
    """claim 7.5"""
    report = diagnose_attention(partial(attend, inv_freq=inverse_frequencies(dim), layout=layout), cached=True, dim=dim)
    assert report.healthy, report
    assert dim == 2 or layout in report.convention


def test_what_is_asked_for_is_blamed_and_what_is_not_asked_for_is_named():
    assert keys(diagnose_attention(specimens.sound_half, layout="interleaved")) == ["other layout"]
    assert diagnose_attention(specimens.sound_half, layout="half", base=10_000).healthy
    assert keys(diagnose_attention(specimens.sound_base_500000, base=10_000)) == ["wrong base"]
    assert diagnose_attention(specimens.sound_base_500000, inv_freq=inverse_frequencies(8, 500_000)).healthy
    assert keys(diagnose_attention(specimens.sound_half, inv_freq=inverse_frequencies(8) / 2)) == ["other frequencies"]
    assert keys(diagnose_attention(specimens.sound_partial, inv_freq=inverse_frequencies(8))) == ["other frequencies"]
    assert diagnose_attention(specimens.not_scaled, scale=1.0).healthy
    assert keys(diagnose_attention(specimens.sound_half, scale=1.0)) == ["scale"]


def test_stretched_frequencies_and_yarn_s_factor_are_conventions():
    dim, kept = 16, np.array([1, 1, 0.8, 0.6, 0.4, 0.2, 0, 0])
    inv_freq, factor = yarn(inverse_frequencies(dim), 8, kept)

    def stretched(q, k, v, positions, factor=1.0):
        phase = np.exp(1j * positions[:, None] * inv_freq)
        q, k = ((x[:, ::2] + 1j * x[:, 1::2]) * phase * factor for x in (q, k))
        return specimens.mixed(*(np.stack([z.real, z.imag], axis=-1).reshape(v.shape) for z in (q, k)), v)

    report = diagnose_attention(stretched, dim=dim)
    assert report.healthy and "stretched 8 times" in report.convention, report
    report = diagnose_attention(partial(stretched, factor=factor), dim=dim)
    assert report.healthy and "attention factor" in report.convention, report


def test_the_sentence_carries_the_numbers():
    """Origin of the cases: CP01 (off by one, position 0, turned twice), CP02 (capacity 16), VR01, CM01."""
    def sentence(name, cached=True, module=specimens):
        return diagnose_attention(getattr(module, name), cached=cached).faults[0].sentence

    assert "position 60 is turned as position 61" in sentence("query_off_by_one")
    assert "always turned as position 0 (60 was given)" in sentence("query_at_zero")
    assert "position 60 is turned as position 16" in sentence("capacity_for_count")
    assert "the key of position 1 counts as 2" in sentence("cached_keys_twice")
    assert "at position 3, features 0 and 4 by 3 radians" in sentence("values_turned", cached=False)
    assert "query 1 does not see key 1" in sentence("mask_top_left")
    assert "multiplied by 1, not by 0.3536" in sentence("not_scaled", cached=False)
    assert "moved by 970, up to 1030" in sentence("wrapped_table", False, rarer)
    assert "powers of 2, not of e" in sentence("powers_of_two", False, rarer)
    assert "the sign is turned" in sentence("negative_scale", False, rarer)
    assert "2 times too large" in sentence("twice_the_output", False, rarer)
    assert "query 16 does not see key 15" in sentence("last_slot_written_over", True, rarer)
    assert "query 16 and later ones" in sentence("ring_turned_by_slot", True, rarer)
    assert "another order" in sentence("queries_permuted", False, rarer)
    assert "position 4 is turned as position 3" not in sentence("chunk_at_one_place", True, rarer)


@pytest.mark.parametrize(
    "function, key",
    [
        (lambda q, k, v, positions: None, "returns nothing"),
        (lambda q, k, v, positions: "output", "not an array"),
        (lambda q, k, v, positions: v * 1j, "complex numbers"),
        (lambda q, k, v, positions: v[:-1], "wrong shape"),
        (lambda q, k, v, positions: v.mean(axis=0), "wrong shape"),
        (lambda q, k, v, positions: v * np.nan, "not finite"),
        (lambda q, k, v, positions: {}["cache"], "raises"),
        (lambda q, k, v: v, "raises"),
        (lambda q, k, v, positions: 0 * v, "no values"),
        (lambda q, k, v, positions: v + 1, "something added"),
        (lambda q, k, v, positions: np.cumsum(v, axis=0) / np.arange(1, len(v) + 1)[:, None], "no scores"),
        (lambda q, k, v, positions: np.random.default_rng().normal(size=v.shape), "random"),
    ],
)
def test_a_function_that_gives_nothing_gets_a_report_and_no_traceback(function, key):
    report = diagnose_attention(function)
    assert keys(report) == [key] and "Fault" in repr(report), report


@pytest.mark.parametrize("function", [lambda q, k, v, positions, cache: v, lambda q, k, v, positions, cache: (v, v, v)])
def test_a_function_without_a_cache_to_return_is_told_so(function):
    assert keys(diagnose_attention(function, cached=True)) == ["no cache returned"]


def test_the_arrays_of_the_caller_stay_as_they_are_and_the_report_is_the_same_twice(capsys):
    def chatty(q, k, v, positions):
        print("hello")
        print("hello", file=sys.stderr)
        return specimens.sound_half(q, k, v, positions)

    assert repr(diagnose_attention(chatty)) == repr(diagnose_attention(chatty))
    assert capsys.readouterr() == ("", "")
    inv_freq = inverse_frequencies(8)
    diagnose_attention(specimens.in_place, inv_freq=inv_freq)
    assert np.array_equal(inv_freq, inverse_frequencies(8))


def test_float64_for_float32_is_a_remark_of_the_findings():
    report = diagnose_attention(specimens.sound_upcast)
    assert [finding.ok for finding in report.findings if finding.name == "dtype"] == [None]


@pytest.mark.parametrize(
    "arguments, wanted",
    [
        ({"dim": 5}, "dim must be even, since features come in pairs, got 5"),
        ({"base": 1}, "base must be above 0 and not 1, got 1"),
        ({"layout": "pairs"}, "layout must be one of interleaved, half, got 'pairs'"),
        ({"inv_freq": [[1.0]]}, "inv_freq must hold one frequency a pair"),
        ({"scale": "none"}, "scale must hold real numbers"),
        ({"cached": True, "causal": False}, "causal must be True for a function with a cache"),
        ({"axes": "d n"}, "axes must be one of n d, b h n d, b n h d, b n d, got 'd n'"),
        ({"length": 4}, "length must be an integer of at least 8, got 4"),
        ({"causal": "yes"}, "causal must be True or False, got 'yes'"),
        ({"causal": None}, "causal must be True or False, got None"),
        ({"cached": 1}, "cached must be True or False, got 1"),
        ({"scale": 0}, "scale must be above 0, got 0"),
        ({"scale": -1.0}, "scale must be above 0, got -1.0"),
        ({"inv_freq": [1.0] * 5}, "inv_freq must hold at most dim / 2 = 4 frequencies, got 5"),
        ({"inv_freq": [1.0, 0.5], "base": 10_000}, "inv_freq must be the frequencies of base, or one of the two be left out"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(arguments, wanted):
    with pytest.raises(ValueError, match=wanted):
        diagnose_attention(specimens.sound_half, **arguments)


def test_what_is_no_function_is_refused():
    with pytest.raises(ValueError, match="attend must be a function, got list"):
        diagnose_attention([])


@pytest.mark.parametrize("name", ["half_split", "interleaved", "not_turned"])
def test_scores_are_read_by_five_keys_as_by_one_for_each_feature(name, monkeypatch):
    """A rotation's score matrices have at most two entries for each feature of q, and these come out the same."""
    asked = {"half_split": specimens.half, "interleaved": specimens.pairs, "not_turned": lambda x, positions: x}[name]
    reader, _ = weights.find_form(lambda q, k, v, positions: specimens.mixed(asked(q, positions), asked(k, positions), v), 16, False)
    short = weights.score_matrices(reader, reader.positions)
    monkeypatch.setattr(weights, "_two_entries", lambda against, dim: None)
    np.testing.assert_allclose(short, weights.score_matrices(reader, reader.positions), atol=1e-9)


def test_scores_that_mix_more_features_are_read_one_by_one():
    mix = np.random.default_rng(0).normal(size=(16, 16)) / 4
    called = []
    reader, _ = weights.find_form(lambda q, k, v, positions: called.append(1) or specimens.mixed(q @ mix, k, v), 16, False)
    found = weights.score_matrices(reader, reader.positions)
    np.testing.assert_allclose(found[3, 1], mix / 4, atol=1e-9)
    assert len(called) > 16**2


def test_a_sound_attention_of_64_features_is_called_at_most_2000_times():
    called = []
    assert diagnose_attention(lambda q, k, v, positions: called.append(1) or specimens.sound_half(q, k, v, positions), dim=64).healthy
    assert len(called) <= 2000
