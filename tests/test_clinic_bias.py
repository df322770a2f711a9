"""The clinic's second opinion on biases: every specimen by name, sound ones with a clean bill, and functions that give nothing."""

import sys

import numpy as np
import pytest
import specimens.bias as specimens

from pe_lib.biases import alibi_bias, alibi_slopes, relative_buckets
from pe_lib.clinic import diagnose_bias

SOUND = {
    "symmetric": "without one", "masked": "causal mask is included", "finite_mask": "causal mask is included",
    "bloom": "keys ahead gain", "memory": "keys ahead gain", "batch_axis": "causal mask is included", "tril": "keys ahead all get",
    "loops": "without one", "one_head": "slope 0.25", "one_length": "causal mask is included",
    "half_of_the_heads": "ALiBi in the first 4 heads alone", "two_directions": "4 heads look back alone and 4 ahead alone",
    "masked_array": "causal mask is included", "wide_window": "a window of 256 tokens",
    "window_and_first_tokens": "a window of 64 tokens and the first 4 always", "prefix": "a prefix of 3 tokens",
    "chunks": "chunks of 4 tokens", "window_by_head": "windows of 2 to 9 tokens", "short_table": "without one", "window_by_minus_100": "a window of 41 tokens",
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
    "logarithm_of_distance": ["not linear"], "clipped_distance": ["clipped"], "half_precision_positions": ["half precision"], "positions_in_float16": ["half precision"], "bfloat_positions": ["half precision"],
    "integer_slopes": ["no distance"], "returns_nothing": ["returns nothing"], "raises_on_a_cache": ["decoding"],
    "one_table_too_few": ["number of heads"],
    "mask_buffer_too_short": ["mask"], "first_length_for_ever": ["far positions"], "padded_table": ["far positions"],
    "positions_modulo_512": ["wrapped"], "positions_end_at_511": ["clipped"], "distances_in_eight_bits": ["wrapped"],
    "mask_in_one_head": ["mask"], "mask_with_a_plus": ["mask"], "dropped_at_random": ["not repeatable"],
    "kept_and_written_into": ["not repeatable"], "share_of_the_row": ["slope follows the length"],
    "extras_from_the_first_on": ["slopes between powers"], "shared_in_groups": ["slopes of another number"],
    "flat_last_head": ["slopes"], "factors_of_the_weights": ["factors"], "learned_table": ["not linear"], "heads_second": ["axes"],
    "slopes_as_an_argument": ["raises"],
    "single_series_scaled": ["single series", "scaled bias"], "reversed_and_scaled": ["slopes reversed", "scaled bias"],
    "first_slope_one_and_scaled": ["scaled bias"], "far_favoured_and_clipped": ["sign", "clipped"],
    "far_favoured_and_first_slope_one": ["sign", "first slope"], "top_left_and_reversed": ["slopes reversed", "decoding"],
    "scaled_and_upside_down_in_decoding": ["scaled bias", "decoding"],
}
HEADS = {"loops": 12, "paper_text_for_twelve": 12, "wrong_between_powers": 12, "sorted_slopes": 12,
         "extras_from_the_first_on": 12, "single_series_scaled": 12}
T5 = {
    "relative_is_query_minus_key": ["sign"], "causal_the_wrong_way_round": ["sign"], "no_minimum": ["missing minimum"],
    "own_token_in_second_half": ["relative 0"], "largest_distance_256": ["largest distance"], "sixty_four_buckets": ["number of buckets"],
    "all_buckets_on_each_side": ["number of buckets"], "rounded_logarithm": ["rounding"], "rounded_up": ["rounding"],
    "hair_off_at_borders": ["border"], "distance_one_too_far": ["off by one"],
    "distance_one_too_near": ["off by one"], "no_division_by_exact": ["largest distance"], "no_logarithm": ["no logarithm"],
    "direction_lost": ["direction lost"], "float_buckets": ["not integers"], "one_bucket": ["no distance"],
    "negative_ahead": ["negative bucket"],
    "in_eight_bits": ["wrapped"], "in_sixteen_bits": ["wrapped"], "branches_exchanged": ["branches exchanged"],
    "counted_from_one": ["buckets too high"], "relative_less_one": ["off by one"], "relative_plus_one": ["off by one"],
    "arguments_exchanged": ["not finite"], "logarithm_in_half_precision": ["not finite"],
    "absolute_value_in_a_decoder": ["direction lost"], "distance_itself": ["direction lost", "no logarithm"],
    "row_for_each_offset": ["no buckets"], "equal_widths": ["no logarithm"], "base_two_above_the_line": ["base of the logarithm"],
    "exact_buckets_not_added": ["exact buckets not added"], "clipped_before": ["last bucket unused"],
    "drawn_at_random": ["not repeatable"], "one_bucket_beyond_eight": ["buckets"],
    "largest_distance_127": ["largest distance"], "ahead_one_too_far": ["off by one"],
    "relative_less_one_and_exchanged": ["off by one", "sign"],
    "rounded_and_reach_256": ["rounding", "largest distance"],
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


def test_four_buckets_are_enough():
    assert diagnose_bias(specimens.sound_four_buckets, kind="t5", buckets=4, max_distance=16).healthy


@pytest.mark.parametrize("name, form", [("both_ways", "both ways"), ("causal", "causal"), ("scalar", "both ways")])
def test_sound_buckets_get_a_clean_bill(name, form):
    report = diagnose_bias(getattr(specimens, f"sound_{name}"), kind="t5")
    assert report.healthy and form in report.convention, report


def test_the_sentence_carries_the_numbers():
    report = diagnose_bias(specimens.first_slope_one)
    assert "head 0 has 1, not 0.5" in report.faults[0].sentence
    assert "query 0 favours key 0 most; it stands at key 5" in diagnose_bias(specimens.aligned_top_left).faults[0].sentence
    assert "distance 1000 on the side behind falls into bucket 21" in diagnose_bias(specimens.no_minimum, kind="t5").faults[0].sentence


FAR = {
    "mask_buffer_too_short": "stands at key 1029, and keys 512 to 1029 are hidden from it",
    "first_length_for_ever": "With 64 keys, the last query favours key 39 most; it stands at key 63",
    "padded_table": "With 1030 keys the bias follows the distance up to 599 only",
    "positions_modulo_512": "Positions start again after 512", "positions_end_at_511": "Positions end at 511",
    "distances_in_eight_bits": "Distances start again after 256, as in 8 bits",
    "mask_in_one_head": "In 1 of 8 heads key 1 is hidden from query 0",
    "mask_with_a_plus": "Keys ahead are raised to 1e+09",
    "share_of_the_row": "by 0.05556 a token with 9 keys and by 0.03846 with 13: the slopes are divided by the number of keys",
    "extras_from_the_first_on": "right up to head 8; head 9 has 0.5, not 0.3536",
    "first_slope_one_and_scaled": "Or by 8, for a width of 64",
    "slopes_as_an_argument": "missing 1 required positional argument: 'slopes'",
}


@pytest.mark.parametrize("name", FAR)
def test_what_went_wrong_is_said_with_its_number(name):
    report = diagnose_bias(getattr(specimens, name), heads=HEADS.get(name, 8))
    assert FAR[name] in report.faults[0].sentence, report


@pytest.mark.parametrize("kind, table", [("alibi", ALIBI), ("t5", T5)])
def test_every_fault_shows_in_a_finding_that_fails(kind, table):
    for name in table:
        report = diagnose_bias(getattr(specimens, name), kind=kind, heads=HEADS.get(name, 8))
        assert any(finding.ok is False for finding in report.findings), report


def test_a_function_that_remembers_is_asked_again_at_the_end():
    assert keys(diagnose_bias(specimens.longest_length_for_ever())) == ["remembers earlier calls"]


def test_conventions_do_not_speak_against_the_faults():
    for name in ("far_is_favoured_both_ways", "sees_one_ahead", "own_token_hidden", "mask_with_a_plus"):
        assert diagnose_bias(getattr(specimens, name)).convention == ""
    assert diagnose_bias(specimens.relative_is_query_minus_key, kind="t5").convention == "both ways"


def test_an_encoder_is_told_to_leave_the_mask_out_and_what_is_ahead():
    assert "Leave the mask out" in diagnose_bias(specimens.sound_masked, causal=False).faults[0].remedy
    sentence = diagnose_bias(specimens.sound_tril, causal=False).faults[0].sentence
    assert "all get the same: with the query's own key at 0, the next ahead gets 0 in head 0 and the next behind -0.5" in sentence
    assert keys(diagnose_bias(specimens.sound_two_directions, causal=True)) == ["mask"]
    assert diagnose_bias(specimens.sound_two_directions, causal=False).healthy


def test_a_single_head_s_table_is_told_from_a_model_of_one_head():
    report = diagnose_bias(lambda n_query, n_key: -0.5 * abs(specimens.offsets(n_query, n_key)), heads=1)
    assert "is that of head 0 of 8" in report.faults[0].sentence and "say heads=" in report.faults[0].sentence


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
        (lambda n_query, n_key: sys.exit(3), "raises"),
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
        print("hello", file=sys.stderr)
        return specimens.sound_symmetric(n_query, n_key)

    assert repr(diagnose_bias(chatty)) == repr(diagnose_bias(chatty))
    written = capsys.readouterr()
    assert written.out == written.err == ""


@pytest.mark.parametrize(
    "arguments, wanted",
    [
        ({"kind": "swin"}, "kind must be one of alibi, t5, got 'swin'"),
        ({"heads": 0}, "heads must be an integer of at least 1, got 0"),
        ({"causal": "yes"}, "causal must be None, True or False, got 'yes'"),
        ({"causal": 1}, "causal must be None, True or False, got 1"),
        ({"causal": np.array([1, 2])}, "causal must be None, True or False, got array"),
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


SLOPES = {"": 2.0 ** -np.arange(1.0, 9), "first slope": 2.0 ** -np.arange(8.0), "slopes reversed": 2.0 ** -np.arange(8.0, 0, -1),
          "one slope": np.full(8, 0.5), "scaled bias": 2.0 ** -np.arange(4.0, 12)}


def placed(fault, n_query, n_key):
    """key - query, with one thing wrong about the places."""
    query, key = np.arange(n_key - n_query, n_key)[:, None], np.arange(n_key)
    if fault == "decoding":
        query = np.arange(n_query)[:, None]
    elif fault == "wrapped":
        query, key = query % 512, key % 512
    elif fault == "clipped":
        query, key = np.minimum(query, 511), np.minimum(key, 511)
    return key - query


@pytest.mark.parametrize("slope", SLOPES)
@pytest.mark.parametrize("place", ["", "decoding", "wrapped", "clipped"])
@pytest.mark.parametrize("other", ["", "sign", "mask"])
def test_pairs_of_faults_put_together_from_their_parts(slope, place, other):
    def bias(n_query, n_key):
        mask = np.where(specimens.offsets(n_query, n_key) > (other == "mask"), -np.inf, 0)
        sign = 1 if other == "sign" else -1
        return sign * SLOPES[slope][:, None, None] * abs(placed(place, n_query, n_key)) + mask

    wanted = [fault for fault in (slope, place, other) if fault]
    if len(wanted) < 3:
        assert sorted(keys(diagnose_bias(bias))) == sorted(wanted)


@pytest.mark.parametrize("reach", [128, 256, 64])
@pytest.mark.parametrize("buckets, cut", [(32, np.floor), (64, np.floor), (32, np.rint), (64, np.rint)])
def test_pairs_of_faults_of_buckets(reach, buckets, cut):
    report = diagnose_bias(lambda relative: specimens.t5(relative, buckets=buckets, max_distance=reach, cut=cut), kind="t5")
    wanted = {"largest distance": reach != 128, "number of buckets": buckets != 32, "rounding": cut is np.rint}
    if sum(wanted.values()) < 3:
        assert sorted(keys(report)) == sorted(key for key in wanted if wanted[key]), report
