"""The clinic's second opinion on biases: every specimen by name, sound ones with a clean bill, and functions that give nothing."""

import numpy as np
import pytest
import specimens.bias as specimens

from pe_lib.biases import alibi_bias, alibi_slopes, relative_buckets
from pe_lib.clinic import diagnose_bias

SOUND = {
    "symmetric": "without one", "masked": "causal mask is included", "finite_mask": "causal mask is included",
    "bloom": "keys ahead gain", "memory": "keys ahead gain", "batch_axis": "causal mask is included", "tril": "keys ahead all get",
    "loops": "without one", "one_head": "slope 0.25", "one_length": "causal mask is included",
}
ALIBI = {
    "far_is_favoured": ["sign"], "far_is_favoured_both_ways": ["sign"], "first_slope_one": ["first slope"],
    "series_too_late": ["first slope"], "paper_text_for_twelve": ["single series"], "wrong_between_powers": ["slopes between powers"],
    "sorted_slopes": ["slopes reordered"], "flattest_head_first": ["slopes reversed"], "one_slope_for_all": ["one slope"],
    "slopes_of_sixteen": ["slopes of another number"], "second_device": ["slopes of another number"],
    "divided_by_root_of_width": ["scaled bias"], "powers_of_e": ["base of the slopes"], "exponent_positive": ["sign of the exponent"],
    "largest_exponent_twelve": ["largest exponent"], "zeros_when_decoding": ["decoding"], "aligned_top_left": ["decoding"],
    "mask_top_left": ["decoding"], "no_memory_shift": ["decoding"], "along_the_queries": ["no distance"],
    "exchanged_axes": ["decoding"], "heads_last": ["axes"], "multiplied_mask": ["not finite"], "upside_down_mask": ["mask"],
    "own_token_hidden": ["mask"], "sees_one_ahead": ["mask"], "squared_distance": ["not linear"],
    "logarithm_of_distance": ["not linear"], "clipped_distance": ["clipped"], "half_precision_positions": ["half precision"], "bfloat_positions": ["half precision"],
    "integer_slopes": ["no distance"], "returns_nothing": ["returns nothing"], "raises_on_a_cache": ["decoding"],
    "one_table_too_few": ["number of heads"],
    "far_favoured_and_first_slope_one": ["sign", "first slope"], "top_left_and_reversed": ["slopes reversed", "decoding"],
    "scaled_and_upside_down_in_decoding": ["scaled bias", "decoding"],
}
HEADS = {"loops": 12, "paper_text_for_twelve": 12, "wrong_between_powers": 12, "sorted_slopes": 12}
T5 = {
    "relative_is_query_minus_key": ["sign"], "causal_the_wrong_way_round": ["sign"], "no_minimum": ["missing minimum"],
    "own_token_in_second_half": ["relative 0"], "largest_distance_256": ["largest distance"], "sixty_four_buckets": ["number of buckets"],
    "all_buckets_on_each_side": ["number of buckets"], "rounded_logarithm": ["rounding"], "rounded_up": ["rounding"],
    "hair_off_at_borders": ["border"], "distance_one_too_far": ["off by one"],
    "distance_one_too_near": ["off by one"], "no_division_by_exact": ["largest distance"], "no_logarithm": ["no logarithm"],
    "direction_lost": ["direction lost"], "float_buckets": ["not integers"], "one_bucket": ["no distance"],
    "negative_ahead": ["negative bucket"],
    "swapped_and_no_minimum": ["sign", "missing minimum"], "reach_64_and_own_token": ["relative 0", "largest distance"],
}


def keys(report):
    return [fault.key for fault in report.faults]


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_bias_gets_a_clean_bill_that_names_its_convention(name):
    report = diagnose_bias(getattr(specimens, f"sound_{name}"), heads=HEADS.get(name, 8))
    assert report.healthy, report
    assert SOUND[name] in report.convention


@pytest.mark.parametrize("name", ALIBI)
def test_every_broken_alibi_is_named(name):
    report = diagnose_bias(getattr(specimens, name), heads=HEADS.get(name, 8))
    assert keys(report) == ALIBI[name], report


@pytest.mark.parametrize("name", T5)
def test_every_broken_bucket_function_is_named(name):
    report = diagnose_bias(getattr(specimens, name), kind="t5")
    assert keys(report) == T5[name], report


@pytest.mark.parametrize("name, form", [("both_ways", "both ways"), ("causal", "causal"), ("scalar", "both ways")])
def test_sound_buckets_get_a_clean_bill(name, form):
    report = diagnose_bias(getattr(specimens, f"sound_{name}"), kind="t5")
    assert report.healthy and form in report.convention, report


def test_the_sentence_carries_the_numbers():
    report = diagnose_bias(specimens.first_slope_one)
    assert "head 0 has 1, not 0.5" in report.faults[0].sentence
    assert "query 0 favours key 0 most; it stands at key 5" in diagnose_bias(specimens.aligned_top_left).faults[0].sentence
    assert "distance 1000 on the side behind falls into bucket 21" in diagnose_bias(specimens.no_minimum, kind="t5").faults[0].sentence


def test_what_is_asked_for_is_blamed_and_what_is_not_asked_for_is_named():
    assert diagnose_bias(specimens.sound_bloom).healthy
    assert keys(diagnose_bias(specimens.sound_bloom, causal=False)) == ["keys ahead"]
    assert keys(diagnose_bias(specimens.sound_masked, causal=False)) == ["mask"]
    assert diagnose_bias(specimens.sound_symmetric, causal=False).healthy
    assert diagnose_bias(specimens.sound_masked, causal=True).healthy
    assert keys(diagnose_bias(specimens.sound_causal, kind="t5", causal=False)) == ["form"]
    assert keys(diagnose_bias(specimens.sound_both_ways, kind="t5", causal=True)) == ["form"]
    assert diagnose_bias(specimens.sound_both_ways, kind="t5", causal=False).healthy
    assert diagnose_bias(specimens.sixty_four_buckets, kind="t5", buckets=64).healthy
    assert diagnose_bias(specimens.largest_distance_256, kind="t5", max_distance=256).healthy
    assert diagnose_bias(specimens.slopes_of_sixteen, heads=16).faults[0].key == "number of heads"


@pytest.mark.parametrize("heads", [1, 2, 3, 4, 6, 8, 9, 12, 16, 24, 40, 71])
def test_the_course_s_own_bias_is_sound_for_any_number_of_heads(heads):
    report = diagnose_bias(lambda n_query, n_key: alibi_bias(n_query, n_key, alibi_slopes(heads)), heads=heads)
    assert report.healthy, report


@pytest.mark.parametrize("buckets, max_distance", [(32, 128), (8, 20), (64, 128), (16, 1000), (32, 33)])
@pytest.mark.parametrize("causal", [True, False])
def test_the_course_s_own_buckets_are_sound(buckets, max_distance, causal):
    report = diagnose_bias(lambda relative: relative_buckets(relative, buckets, max_distance, causal=causal), kind="t5",
                           buckets=buckets, max_distance=max_distance, causal=causal)
    assert report.healthy, report


@pytest.mark.parametrize(
    "bias, key",
    [
        (lambda n_query, n_key: None, "returns nothing"),
        (lambda n_query, n_key: ..., "returns nothing"),
        (lambda n_query, n_key: "far", "not an array"),
        (lambda n_query, n_key: [[1.0], [1.0, 2.0]], "not an array"),
        (lambda n_query, n_key: np.ones((n_query, n_key)) * 1j, "complex numbers"),
        (lambda n_query, n_key: np.tri(n_query, n_key) == 1, "not an array"),
        (lambda n_query, n_key: np.zeros(n_key), "wrong shape"),
        (lambda n_query, n_key: np.full((8, n_query, n_key), np.nan), "not finite"),
        (lambda n_query, n_key: {}["slopes"], "raises"),
        (lambda: 0, "raises"),
        (lambda n_query, n_key: np.zeros((8, n_query, n_key)), "no distance"),
    ],
)
def test_a_function_that_gives_nothing_gets_a_report_and_no_traceback(bias, key):
    report = diagnose_bias(bias)
    assert keys(report) == [key] and "Fault" in repr(report), report


@pytest.mark.parametrize("bucket, key", [(lambda r: None, "returns nothing"), (lambda r: r / 0 if np.ndim(r) else 1 / 0, "raises"),
                                         (lambda r: np.zeros((3, 3), int), "wrong shape")])
def test_a_bucket_function_that_gives_nothing_gets_a_report_and_no_traceback(bucket, key):
    assert keys(diagnose_bias(bucket, kind="t5")) == [key]


def test_a_list_is_as_good_as_an_array():
    assert diagnose_bias(lambda n_query, n_key: specimens.sound_symmetric(n_query, n_key).tolist()).healthy


def test_what_the_function_prints_stays_inside_and_the_report_is_the_same_twice(capsys):
    def chatty(n_query, n_key):
        print("hello")
        return specimens.sound_symmetric(n_query, n_key)

    assert repr(diagnose_bias(chatty)) == repr(diagnose_bias(chatty))
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "arguments, wanted",
    [
        ({"kind": "swin"}, "kind must be one of alibi, t5, got 'swin'"),
        ({"heads": 0}, "heads must be an integer of at least 1, got 0"),
        ({"causal": "yes"}, "causal must be None, True or False, got 'yes'"),
        ({"buckets": 3}, "buckets must be an integer of at least 4, got 3"),
        ({"max_distance": 16}, "max_distance must be an integer of at least 17, got 16"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(arguments, wanted):
    with pytest.raises(ValueError, match=wanted):
        diagnose_bias(specimens.sound_symmetric, **arguments)


def test_what_is_no_function_is_refused():
    with pytest.raises(ValueError, match="bias must be a function, got ndarray"):
        diagnose_bias(np.zeros((8, 4, 4)))
