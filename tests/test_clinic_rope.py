"""The clinic names one fault in each broken rotation, two in the pairs, none in the sound ones, whoever wrote them."""

import functools
import sys

import numpy as np
import pytest
import specimens.rope_designs  # noqa: F401 - adds to SOUND
import specimens.rope_far  # noqa: F401 - adds to BROKEN
import specimens.rope_rarer  # noqa: F401
from hypothesis import given, settings
from hypothesis import strategies as st
from specimens.rope import BROKEN, halves, neighbours, turns
from specimens.rope_pairs import LAWS, PAIRS, PLACES, WAYS, made_of
from specimens.rope_sound import SOUND, gpt_neox

from pe_lib.clinic import diagnose
from pe_lib.frequencies import inverse_frequencies
from pe_lib.rotary import rotate
from pe_lib.scaling import interpolate


def keys(report):
    return [fault.key for fault in report.faults]


def made(specimen):
    return specimen() if isinstance(specimen, type) else specimen


def named(specimen):
    return specimen.__name__


def finding(report, name):
    return next(finding for finding in report.findings if finding.name == name)


@pytest.mark.parametrize("specimen", BROKEN, ids=named)
def test_a_broken_rotation_gets_its_one_fault(specimen):
    report = diagnose(made(specimen), **specimen.asked)
    assert keys(report) == [specimen.key]
    assert not report.healthy and any(finding.ok is False for finding in report.findings)
    assert report.faults[0].sentence.endswith((".", ")")) and report.faults[0].remedy


def test_there_are_enough_different_faults():
    assert len(BROKEN) >= 90 and len({specimen.key for specimen in BROKEN}) >= 60


@pytest.mark.parametrize("specimen", PAIRS, ids=named)
def test_two_faults_are_both_named(specimen):
    assert set(keys(diagnose(specimen, **specimen.asked))) == specimen.keys


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("law", LAWS)
def test_a_wrong_place_and_a_wrong_law_are_told_apart(place, law):
    assert set(keys(diagnose(made_of(place=PLACES[place], law=LAWS[law]), base=10_000))) == {place, law}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("other", [*PLACES, *LAWS])
def test_a_wrong_rotation_hides_no_other_fault(way, other):
    parts = {"place": PLACES[other]} if other in PLACES else {"law": LAWS[other]}
    assert set(keys(diagnose(made_of(**parts, way=WAYS[way]), base=10_000))) == {way, other}


@pytest.mark.parametrize("specimen", SOUND, ids=named)
def test_a_sound_rotation_gets_a_clean_bill_and_its_convention(specimen):
    report = diagnose(made(specimen), **specimen.asked)
    assert report.faults == ()
    assert report.convention == specimen.convention
    assert {finding.name for finding in report.findings if finding.ok is False} == set()


TOO_NARROW = {  # what cannot be told from something else in so few features
    4: "exponent_in_steps_of_two sliced harmonic_frequencies bfloat16_frequencies angles_in_the_dtype_of_x two_blocks "
    "last_pair_left_out first_pair_left_out a_middle_pair_left_out radians_as_degrees exponent_to_the_end yarn_of_another_base "
    "doubled_in_steps tables_of_eight_bits first_two_pairs_left_out yarn_with_the_ramp_reversed llama_bands_exchanged "
    "llama_bands_exchanged_around_a_sound_middle "
    "circles_of_pi_to_five_places",
    8: "last_pair_left_out tables_of_eight_bits circles_of_pi_to_five_places",
    10: "sliced partner_at_half_of_dim two_blocks rest_first rest_of_the_wrong_part exponent_to_the_end "
    "tables_of_eight_bits",  # half of it is odd
}
WIDTHS = [(specimen, dim) for dim, lost in TOO_NARROW.items() for specimen in BROKEN if specimen.__name__ not in lost.split()]


@pytest.mark.parametrize("specimen, dim", WIDTHS, ids=[f"{specimen.__name__}-{dim}" for specimen, dim in WIDTHS])
def test_faults_do_not_depend_on_the_width(specimen, dim):
    asked = {name: dim // 4 * 2 if name == "rotary_dim" else value for name, value in specimen.asked.items()}
    assert keys(diagnose(made(specimen), dim, **asked)) == [specimen.key]


@pytest.mark.parametrize("dim", [2, 4, 8, 64, 128])
@pytest.mark.parametrize("layout, pairs", [("interleaved", "interleaved pairs (0, 1)"), ("half", "half-split pairs (0, {half})")])
@pytest.mark.parametrize("sign, way", [(1, "counter-clockwise (y0 = x0 cos - x1 sin)"), (-1, "clockwise (y0 = x0 cos + x1 sin)")])
def test_either_layout_and_either_sign_is_healthy(dim, layout, pairs, sign, way):
    report = diagnose(lambda x, p: rotate(x, sign * p, inverse_frequencies(dim), layout=layout), dim)
    assert report.healthy
    pairs = "one pair (0, 1)" if dim == 2 else pairs.format(half=dim // 2)
    base = "" if dim == 2 else ", base 10000"
    assert report.convention == f"{pairs}, {way}{base}, all {dim} features turn"


@settings(deadline=None, max_examples=60, derandomize=True)
@given(
    half=st.integers(2, 48), turning=st.integers(2, 48), layout=st.sampled_from(["interleaved", "half"]),
    sign=st.sampled_from([1, -1]), base=st.floats(2, 8).map(lambda power: round(10**power) + 0.5),
    shift=st.sampled_from([0, 1, -1, 3, 100]), dtype=st.sampled_from([np.float32, np.float64]),
)
def test_a_rotation_made_at_random_is_read_back(half, turning, layout, sign, base, shift, dtype):
    dim, width = 2 * half, 2 * min(half, turning)
    inv_freq = inverse_frequencies(width, base)

    def rope(x, positions):
        t = (sign * (positions + shift)[:, None] * inv_freq).astype(dtype)
        turn = neighbours if layout == "interleaved" else halves
        return np.concatenate([turn(x[..., :width], t), x[..., width:]], axis=-1)

    report = diagnose(rope, dim, layout=layout, sign=sign, base=base, rotary_dim=width)
    assert keys(report) == {0: [], 1: ["off by one"], -1: ["off by one"]}.get(shift, ["positions shifted"])
    if shift:
        assert f"Position 0 is turned as position {shift} should be" in report.faults[0].sentence
    assert keys(diagnose(rope, dim)) == keys(report)


@pytest.mark.parametrize(
    "function, key, words",
    [
        (lambda x: x, "raises", "takes 1 positional argument but 2 were given"),
        (lambda x, p: 1 / 0, "raises", "ZeroDivisionError: division by zero, for x of shape (9, 64) (float64)"),
        (lambda x, p: None, "returns nothing", "It returned None"),
        (lambda x, p: (x, x), "not an array", "It returned a tuple"),
        (lambda x, p: [[1.0], [1.0, 2.0]], "not an array", "list"),
        (lambda x, p: "turned", "not an array", "It returned a str"),
        (lambda x, p: np.full(x.shape, "x"), "not an array", "<U1"),
        (lambda x, p: x[..., :32], "wrong shape", "It returned shape (9, 32), for x of shape (9, 64)"),
        (lambda x, p: x.T, "wrong shape", "It returned shape (64, 9)"),
        (lambda x, p: x * np.nan, "not finite", "It returned nan at [0, 0]"),
        (lambda x, p: x / np.asarray(p)[:, None], "not finite", "inf at [0, 0]"),
        (lambda x, p: x[..., ::2] + 1j * x[..., 1::2], "complex numbers", "(complex128, shape (9, 32))"),
        (lambda x, p: halves(x, turns(p, 64)).astype(int), "integers", "It returned int64"),
        (lambda x, p: x > 0, "integers", "It returned bool"),
        (lambda x, p: x, "does not turn", "unchanged"),
        (lambda x, p: 0 * x, "no pairs", "Nothing of x is in the result"),
        (lambda x, p: np.random.default_rng().normal(size=x.shape), "remembers earlier calls", "asked twice"),
    ],
)
def test_what_is_no_rotation_at_all_gets_a_clear_report(function, key, words):
    report = diagnose(function)
    assert keys(report) == [key]
    assert words in report.faults[0].sentence
    assert "Traceback" not in repr(report)


def test_a_long_message_is_cut_and_a_report_stays_short():
    def talkative(x, positions):
        raise ValueError("first line\n" + "and so on " * 100)

    sentence = diagnose(talkative).faults[0].sentence
    assert "ValueError: first line and so on" in sentence and "..." in sentence and len(sentence) < 300


def test_what_a_function_prints_or_warns_of_stays_out_of_the_report(capsys):
    def loud(x, positions):
        print("turning")
        np.log(np.zeros(1))
        return gpt_neox(x, positions)

    assert diagnose(loud).healthy
    assert capsys.readouterr().out == ""


# Every argument matters

def test_base_is_named_and_blamed_only_when_another_is_asked_for():
    def rope(x, p):
        return rotate(x, p, inverse_frequencies(64, 500_000))

    assert diagnose(rope).healthy and "base 500000" in diagnose(rope).convention
    assert diagnose(rope, base=500_000).healthy
    assert diagnose(rope, base=10_000).faults[0].sentence == "The base is 500000, not 10000."


def test_a_raised_base_is_known_as_the_ntk_base_of_the_one_asked_for():
    sentence = diagnose(lambda x, p: rotate(x, p, inverse_frequencies(64, 10_000 * 8 ** (64 / 62))), base=10_000).faults[0].sentence
    assert sentence == "The base is 85550.4, not 10000. It is the NTK base for a stretch by 8."


def test_layout_sign_and_width_are_conventions_until_they_are_asked_for():
    def rope(x, p):
        return np.concatenate([rotate(x[..., :32], -p, inverse_frequencies(32), layout="half"), x[..., 32:]], axis=-1)

    assert diagnose(rope).healthy
    assert diagnose(rope, layout="half", sign=-1, rotary_dim=32).healthy
    assert keys(diagnose(rope, layout="interleaved")) == ["other layout"]
    assert keys(diagnose(rope, sign=1)) == ["other sign"]
    assert keys(diagnose(rope, rotary_dim=64)) == ["other width"]


def test_interpolation_is_a_convention_up_to_64_times():
    def rope(x, p, times=4):
        return rotate(x, p, interpolate(inverse_frequencies(64), times))

    assert "all angles divided by 4" in diagnose(rope).convention and diagnose(rope).healthy
    assert diagnose(rope, base=10_000).healthy and diagnose(functools.partial(rope, times=64)).healthy
    report = diagnose(functools.partial(rope, times=2048))
    assert keys(report) == ["angles scaled"] and "divided by 2048 (the largest position?)" in report.faults[0].sentence


def test_a_result_in_bfloat16_is_a_remark():
    report = diagnose(next(specimen for specimen in SOUND if specimen.__name__ == "all_in_bfloat16"))
    assert report.remarks[-1].startswith("Results are rounded to bfloat16, whatever the dtype of x")


def test_a_convention_is_excused_beside_a_fault():
    yarn = next(specimen for specimen in SOUND if "YaRN's attention factor" in specimen.convention)
    report = diagnose(lambda x, p: yarn(x, p + 1), **yarn.asked)
    assert keys(report) == ["off by one"] and finding(report, "lengths kept").ok is None


def test_few_stretched_frequencies_name_no_base():
    def rope(x, p):
        return halves(x, p[:, None] * inverse_frequencies(8, 160_000) / [1, 1, 4, 4])

    assert "no base can be named: of base 10000 every pair slowed" in diagnose(rope, 8).convention
    assert "base 160000, stretched 4 times" in diagnose(rope, 8, base=160_000).convention


def test_an_exit_and_what_is_written_stay_inside(capsys):
    def leaves(x, positions):
        print("out")
        print("err", file=sys.stderr)
        sys.exit(3)

    report = diagnose(leaves)
    assert keys(report) == ["raises"] and "It raised SystemExit: 3" in report.faults[0].sentence
    assert capsys.readouterr() == ("", "")


def test_an_error_behind_a_refused_shape_is_shown():
    def four_axes(x, positions):
        if x.ndim != 4:
            raise ValueError("expected (b, h, n, d)")
        return x * undefined  # noqa: F821

    sentence = diagnose(four_axes).faults[0].sentence
    assert "ValueError: expected (b, h, n, d)" in sentence and "NameError: name 'undefined' is not defined" in sentence


def test_positions_of_each_row_are_read():
    def rope(x, positions):
        if positions.ndim != 2:
            raise ValueError("positions must be (batch, sequence)")
        t = positions[..., None] * inverse_frequencies(64)
        return halves(x, t.reshape(len(t), *[1] * (x.ndim - 3), *t.shape[1:]))

    report = diagnose(rope)
    assert report.healthy and finding(report, "positions of each batch row").ok


@pytest.mark.parametrize("inv_freq_of", [lambda n: inverse_frequencies(64, 10_000 * n ** (64 / 62)),
                                         lambda n: inverse_frequencies(64) / n])
def test_frequencies_that_follow_the_length_are_no_fault(inv_freq_of):
    report = diagnose(lambda x, p: halves(x, p[:, None] * inv_freq_of(max(1, (p.max() + 1) / 1024))))
    assert report.healthy and "dynamic scaling" in finding(report, "large positions").figure


def test_a_base_of_tensor2tensors_exponents_is_offered():
    report = diagnose(lambda x, p: halves(x, p[:, None] * 150_000.0 ** (-np.arange(32) / 31)))
    assert "(or 150000 with exponents over dim/2 - 1: say base=150000 to have it judged)" in report.convention


def test_a_likely_other_reading_of_the_base_is_offered():
    convention = diagnose(lambda x, p: rotate(x, p, inverse_frequencies(64, 100))).convention
    assert "base 100 (or 10000 with exponents m / dim, the 2 missing: say base=10000 to have it judged)" in convention


def test_the_width_is_the_one_given():
    assert diagnose(lambda x, p: rotate(x, p, inverse_frequencies(8)), 8).convention.endswith("all 8 features turn")
    assert keys(diagnose(lambda x, p: rotate(x, p, inverse_frequencies(8)), 6)) == ["raises"]


def test_axes_say_how_the_function_takes_x():
    def sequence_first(x, positions):  # (batch, sequence, heads, features)
        t = turns(positions, x.shape[-1])[: x.shape[1]]
        return halves(x, t[None, :, None, :])

    assert diagnose(sequence_first).healthy
    assert diagnose(sequence_first, axes="b n h d").healthy
    report = diagnose(sequence_first, axes="b h n d")
    assert "For x of axes (batch, heads, sequence, features) it turns along axis 1, the heads" in report.faults[0].sentence
    report = diagnose(sequence_first, axes="n d")
    assert keys(report) == ["wrong shape"]
    assert report.faults[0].sentence.endswith("It takes arrays of axes (batch, sequence, heads, features).")


def test_asked_for_two_axes_heads_are_not_looked_at():
    report = diagnose(gpt_neox, axes="n d")
    assert report.healthy and "heads and batch rows" not in [finding.name for finding in report.findings]


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"rope": "rotate"}, "rope must be a function (x, positions) -> turned x, got str"),
        ({"dim": 7}, "dim must be even, since features come in pairs, got 7"),
        ({"dim": 0}, "dim must be an integer of at least 2, got 0"),
        ({"base": 1}, "base must be above 0 and not 1, got 1.0"),
        ({"base": [1.0, 2.0]}, "base must be one number, got shape (2,)"),
        ({"rotary_dim": 66}, "rotary_dim must be even and at most the number of features, 64, got 66"),
        ({"rotary_dim": 31}, "rotary_dim must be even and at most the number of features, 64, got 31"),
        ({"layout": "halves"}, "layout must be one of interleaved, half, got 'halves'"),
        ({"sign": 0}, "sign must be +1 (counter-clockwise) or -1, got 0"),
        ({"sign": "-"}, "sign must be +1 (counter-clockwise) or -1, got '-'"),
        ({"sign": np.array([1, -1])}, "sign must be +1 (counter-clockwise) or -1, got array([ 1, -1])"),
        ({"axes": "bhnd"}, "axes must name the axes of x by n, d and, if it has them, b and h, with d the last"),
        ({"axes": "d n"}, "got 'd n'"),
        ({"axes": 4}, "got 4"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(arguments, message):
    rope = arguments.pop("rope", gpt_neox)
    with pytest.raises(ValueError) as error:
        diagnose(rope, **arguments)
    assert message in str(error.value)


# What the report says

def test_the_report_of_the_mixed_layouts():
    """Origin: case PC01, angles of neighbours and a swap of halves; the figures from the definition, float64."""
    assert repr(diagnose(BROKEN[0])) == GOLDEN_MIXED


def test_the_report_of_a_count_from_one():
    specimen = next(specimen for specimen in BROKEN if specimen.key == "off by one")
    assert repr(diagnose(specimen)) == GOLDEN_OFF


def test_a_report_does_not_change_from_run_to_run():
    assert repr(diagnose(gpt_neox)) == repr(diagnose(gpt_neox))


def test_the_subject_is_the_functions_name():
    assert diagnose(gpt_neox).subject == "gpt_neox"
    assert diagnose(functools.partial(rotate, inv_freq=inverse_frequencies(64))).subject == "rotate"


def test_float32_is_told_and_not_blamed():
    def short(x, p):
        return halves(x, turns(p, 64).astype(np.float32))

    report = diagnose(short)
    assert report.healthy and finding(report, "precision").figure.startswith("float32: ")


def test_a_wider_result_is_a_remark():
    def wide(x, p):
        return halves(x.astype(np.float64), turns(p, 64))

    report = diagnose(wide)
    assert report.healthy and report.remarks == (
        "x in float32 comes back as float64, of twice the memory: .astype(x.dtype) at the end keeps x's dtype.",)
    assert finding(report, "dtype kept").ok is None
    assert finding(report, "dtype kept").figure == "float32 comes back as float64, float64 as float64: see the remark"
    assert "No fault found.\nRemark: x in float32 comes back as float64" in repr(report)


def test_the_end_of_a_table_is_told_and_not_blamed():
    report = diagnose(next(specimen for specimen in SOUND if specimen.__name__ == "looked_up"))
    assert finding(report, "large positions").ok is None
    assert finding(report, "large positions").figure.startswith("up to 4095; from 4096 on: IndexError")


def test_positions_in_an_integer_of_eight_bits_are_seen_to_overflow():
    report = diagnose(lambda x, p: halves(x, turns(np.asarray(p).astype(np.int8), 64)))
    assert keys(report) == ["positions wrap around"]
    assert report.faults[0].sentence.startswith("Position 128 is turned as position -128 is")


def test_a_function_of_float32_alone_is_examined_in_float32():
    def short(x, p):
        return (x.view(np.complex64) * np.exp(1j * turns(p, 64)).astype(np.complex64)).view(np.float32)

    report = diagnose(short)
    assert report.healthy and report.convention.startswith("interleaved pairs (0, 1)")
    assert report.remarks[0].startswith("It takes float32 only. It raised ")


def test_frequencies_that_depend_on_the_length_are_told():
    def dynamic(x, p):
        base = 10_000.0 * max(1, 2 * (max(p) + 1) / 2048 - 1) ** (64 / 62)
        return halves(x, turns(p, 64, base))

    report = diagnose(dynamic)
    assert report.healthy and "the frequencies depend on the length" in finding(report, "large positions").figure


def test_a_base_asked_for_settles_what_could_be_read_two_ways():
    def rope(x, p):
        return np.concatenate([halves(x[..., :32], turns(p, 32, 100.0)), x[..., 32:]], axis=-1)

    assert keys(diagnose(rope)) == ["sliced frequencies"]
    assert diagnose(rope).faults[0].sentence.endswith("(If base 100 was meant, say base=100.)")
    assert diagnose(rope, base=100).healthy


def test_the_callers_function_sees_copies():
    seen = []

    def rope(x, positions):
        seen.append((x, positions))
        y = gpt_neox(x, positions)
        x[...], positions[...] = 0, 0
        return y

    report = diagnose(rope)
    assert keys(report) == ["input changed"]
    assert len({id(x) for x, _ in seen}) == len(seen)


GOLDEN_MIXED = """neighbour_angles_half_swap

Fault: mixed layouts. The angles belong to neighbours (0, 1), (2, 3), the swap is that of halves: at
    position 1 feature 0 is turned by 1 rad and its partner 32 by 0.01. No rotation in any layout:
    lengths change.
Mend it: take angles and swap from one layout: np.repeat for neighbours (0, 1), np.concatenate or
    np.tile for halves.

Convention: base 10000

What was measured:
  pass  takes x and gives it back          axes (sequence, features)
  pass  linear in x                        2x + z against x and z: below 1e-12 off
  pass  position 0 changes nothing         below 1e-12 off
  FAIL  lengths kept                       up to 0.981 off
  FAIL  scores depend on the offset alone  up to 0.992 off
  pass  follows the positions given        shifted, in another order, with gaps, all the same, one alone
  pass  count starts at 0                  position 0 is not turned
  FAIL  pairs turn as one                  each row of a pair has an angle of its own
  pass  frequencies                        base 10000: 1 to 0.0001334 radians a position
  pass  precision                          float64: angles are off by less than 1e-8 radians up to position 131072
  pass  x in float16                       its angles are not rounded
  pass  negative positions                 turned accordingly
  pass  fractional positions               turned accordingly
  pass  heads and batch rows               turned alike, in arrays of axes (batch, heads, sequence, features)
  pass  calls of other sizes               up to 300 rows, and one row of eight heads, as if alone
  pass  dtype kept                         float32 comes back as float32, float64 as float64
  pass  same answer again                  the first call's answer is given again after all others
  pass  input unchanged                    x and positions as they were"""

GOLDEN_OFF = """counted_from_one

Fault: off by one. Position 0 is turned as position 1 should be: every row is turned by one position
    too many.
Mend it: positions start at 0, and the angle is position * inv_freq, with nothing added.

Convention: half-split pairs (0, 32), counter-clockwise (y0 = x0 cos - x1 sin), base 10000, all 64
    features turn

What was measured:
  pass  takes x and gives it back          axes (sequence, features)
  pass  linear in x                        2x + z against x and z: below 1e-12 off
  FAIL  position 0 changes nothing         up to 0.841 off
  pass  lengths kept                       below 1e-12 off
  pass  scores depend on the offset alone  below 1e-12 off
  pass  follows the positions given        shifted, in another order, with gaps, all the same, one alone
  FAIL  count starts at 0                  position 0 is turned as position 1
  pass  pairs turn as one                  32 pairs, each by one angle
   --   layout                             (0, 32), (1, 33) ...: half
  pass  features that turn                 64 of 64
   --   direction                          counter-clockwise
  pass  frequencies                        base 10000: 1 to 0.0001334 radians a position
  pass  precision                          float64: angles are off by less than 1e-8 radians up to position 131072
  pass  x in float16                       its angles are not rounded
  pass  negative positions                 turned accordingly
  pass  fractional positions               turned accordingly
  pass  heads and batch rows               turned alike, in arrays of axes (batch, heads, sequence, features)
  pass  calls of other sizes               up to 300 rows, and one row of eight heads, as if alone
  pass  dtype kept                         float32 comes back as float32, float64 as float64
  pass  same answer again                  the first call's answer is given again after all others
  pass  input unchanged                    x and positions as they were"""


@pytest.mark.parametrize("sign", [None, 1, -1])
def test_a_forgotten_minus_keeps_no_lengths_and_has_no_direction(sign):
    """Each unit vector keeps its length, and their mixtures do not."""
    def forgotten(x, positions):
        t = np.tile(positions[:, None] * 10_000.0 ** (-np.arange(8) / 8), 2)
        a, b = np.split(x, 2, axis=-1)
        return x * np.cos(t) + np.concatenate([b, a], axis=-1) * np.sin(t)

    report = diagnose(forgotten, dim=16, sign=sign)
    assert [fault.key for fault in report.faults] == ["same sign"]
    assert finding(report, "lengths kept").ok is False and "clockwise" not in report.convention
