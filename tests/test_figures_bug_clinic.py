"""The figures of chapter 12 say what the claims say; and the table of tests behind them."""

import functools
import itertools
import re

import numpy as np
import pytest

from pe_lib.clinic.patients import PATIENTS
from pe_lib.figures import bug_clinic as figures
from pe_lib.figures import bug_clinic_attention as cached
from pe_lib.figures import bug_clinic_tests as tests
from pe_lib.frequencies import inverse_frequencies
from pe_lib.plots import new_figure, style
from pe_lib.precision import angle_error


@functools.cache
def updater(build):
    with style():
        return build(new_figure(8.0, 5.0))


def readout(build, **settings):
    with style():
        return updater(build)(**settings)


def numbers(text):
    return [float(number.replace(",", "")) for number in re.findall(r"\d[\d,]*(?:\.\d+)?(?:e-?\d+)?", text)]


def looks_healthy(patient, position=5, way="text"):
    *_, low, high, apart, off = numbers(readout(figures.bench, patient=patient, position=position, way=way))
    return low == high == 1 and apart == off == 0


# ---- the table of tests

@pytest.mark.parametrize("layout", ["interleaved", "half"])
@pytest.mark.parametrize("sign", [1, -1])
def test_properties_pass_every_sound_function(layout, sign):
    """claim 12.1: all tests but those of values, which name one convention"""
    rope = tests.healthy(layout, sign)
    for name, test in tests.TESTS.items():
        if not name.startswith("value"):
            assert test(rope) < 1e-9, name
    right = "value at 3, interleaved" if layout == "interleaved" else "value at 3, half-split"
    assert (tests.TESTS[right](rope) < 1e-9) == (sign == 1)


def test_the_four_usual_tests_catch_one_patient():
    """claim 12.2: of A to H, and shape and position 0 catch none."""
    table = tests.passed(tests.BENCH.values())
    assert list(tests.TESTS)[:4] == ["shape", "position 0", "length", "gap alone"]
    assert table[:, :2].all()
    assert [name for name, row in zip(tests.BENCH, table) if not row[:4].all()] == ["patient B"]


def test_the_smallest_sets():
    """claim 12.2: three tests catch all eight; eight tell each from every other and from the healthy."""
    table, names = tests.passed(tests.BENCH.values()), list(tests.TESTS)
    assert [[names[i] for i in columns] for columns in tests.smallest_sets(table)] == [["value at 5,000", "batch of two", "input untouched"]]
    assert {len(columns) for columns in tests.smallest_sets(table, told_apart=True)} == {8}


def test_smallest_sets_by_hand():
    table = np.array([[1, 1, 1], [0, 1, 1], [1, 0, 1]], bool)
    assert tests.smallest_sets(table) == [(0, 1)] and tests.smallest_sets(table, told_apart=True) == [(0, 1)]
    assert tests.smallest_sets(table[:, 2:]) == []


def test_a_count_from_one_is_seen_at_position_0():
    """claim 12.2: the test is not useless, though no patient here fails it."""
    sound = tests.healthy()
    assert tests.TESTS["position 0"](lambda x, p: sound(x, p + 1)) > 0.1 > 1e-9 > tests.TESTS["gap alone"](lambda x, p: sound(x, p + 1))


def test_pairs_that_one_test_alone_tells_apart():
    """claim 12.2: a mission's answer"""
    table, names = tests.passed(tests.BENCH.values()), [name[-1] for name in tests.BENCH]
    single = {names[a] + names[b] for a, b in itertools.combinations(range(9), 2) if (table[a] != table[b]).sum() == 1}
    assert single == {"yF", "yG", "yH", "AC", "CD", "CE", "EF"}      # y: healthy


def test_the_sentence_names_the_tests_that_tell_two_apart():
    """claim 12.2"""
    assert readout(tests.which_test, one="patient E", other="patient F") == "1 of 11 tests tell patient E from patient F: value at 1,001."
    assert readout(tests.which_test, one="patient B", other="patient B").startswith("Patient B fails 6 of 11 tests.")


# ---- the bench

@pytest.mark.parametrize("patient", ["healthy", "healthy, half-split", "healthy, clockwise", "patient A"])
@pytest.mark.parametrize("way", figures.CALLS.values())
@pytest.mark.parametrize("position", [0, 1, 5, 300, 2048, 4096])
def test_the_sound_look_healthy_everywhere(patient, way, position):
    """claims 12.1 and 12.3: A among them"""
    assert looks_healthy(patient, position, way)


def test_who_looks_ill_at_5():
    """claim 12.2: a mission's answer"""
    assert {name for name in PATIENTS if name < "I" and not looks_healthy(f"patient {name}")} == {"B", "C", "D", "E"}
    assert [looks_healthy("patient D", p) for p in (0, 1, 2)] == [True, False, False]
    *_, low, high, apart, off = numbers(readout(figures.bench, patient="patient D", position=900, way="text"))
    assert low == high == 1 and apart == 0 and off > 0.1             # only the angles show it


def test_some_faults_are_seen_by_another_call_alone():
    """claim 12.2: a mission's answer"""
    for position in (0, 5, 300, 4096):
        assert looks_healthy("patient G", position) and looks_healthy("patient H", position)
        assert not looks_healthy("patient G", position, "batch")
    assert not looks_healthy("patient H", 5, "again")


def test_where_e_and_f_fall_ill():
    """claim 12.5: a mission's answer; 257 is the first whole number beyond bfloat16, 2048 the first row that the table lacks."""
    def off(patient, p):
        return figures.off_the_law(PATIENTS[patient], p).max()
    assert max(off("E", p) for p in range(257)) < 1e-9 < 0.9 < off("E", 257)
    assert max(off("F", p) for p in range(0, 2048, 13)) < 1e-9 and off("F", 2047) < 1e-9 < 0.9 < off("F", 2048)
    *_, apart, _ = numbers(readout(figures.bench, patient="patient E", position=0, way="text"))
    assert apart > 0.1                                               # the curve from 1,000 on


def test_the_map_is_the_function():
    x = np.random.default_rng(0).normal(size=8)
    for name in "ABCE":
        rope = PATIENTS[name]
        np.testing.assert_allclose(figures.matrix(rope, 7) @ x, rope(x[None], np.array([7]))[0])


@pytest.mark.parametrize("layout", ["interleaved", "half"])
@pytest.mark.parametrize("sign", [1, -1])
def test_angles_are_read_in_the_right_pairs_and_sense(layout, sign):
    rope = tests.healthy(layout, sign)
    read = figures.read_angles(figures.matrix(rope, 2), figures.matrix(rope, 1))
    np.testing.assert_allclose(read, 2 * inverse_frequencies(8), atol=1e-12)


# ---- tolerances

def test_one_share_parts_float32_from_the_short_formats():
    """claim 12.5: error over position, 64 pairs, base 10,000 and 500,000"""
    far = np.concatenate([np.arange(1, 3000), np.arange(3000, 65_000, 17)])
    for base in (10_000.0, 500_000.0):
        shares = {form: angle_error(far, inverse_frequencies(128, base), form).max(axis=1) / far for form in figures.FORMATS}
        assert shares["float32"].max() < 1e-7 and min(shares["float16"].min(), shares["bfloat16"].min()) > 5e-5


def test_the_tolerance_sentence():
    """claim 12.5"""
    assert readout(figures.tolerances, tolerance=1e-6, grows=True, base=10_000.0) == (
        "Tolerance 1e-06 rad times the position: of the positions drawn it is first passed by float32 nowhere; by float16 from position 1 on; "
        "by bfloat16 from position 1 on.")
    said = readout(figures.tolerances, tolerance=10**-1.25, grows=False, base=10_000.0)
    assert "float32 nowhere" in said and numbers(said.split("bfloat16")[1])[0] == 21
    exact = angle_error(np.arange(1, 40), inverse_frequencies(128), "bfloat16").max(axis=1)
    assert (exact[:20] <= 10**-1.25).all() and exact[20] > 10**-1.25                # a mission's answer, at every whole position
    assert "float32 from position" in readout(figures.tolerances, tolerance=10**-1.5, grows=False, base=10_000.0)


# ---- the weights of attention with a cache

RIGHT = cached.weights(cached.sound, cached.TOKENS, "chunk")


@pytest.mark.parametrize("prompt", range(1, 9))
@pytest.mark.parametrize("rest", ["chunk", "single"])
def test_unit_values_show_the_weights_whatever_the_chunks(prompt, rest):
    """claim 12.7: sound attention does not depend on the cuts; its rows are weights."""
    seen = cached.weights(cached.sound, prompt, rest)
    np.testing.assert_allclose(seen, RIGHT, atol=1e-12)
    np.testing.assert_allclose(seen.sum(axis=1), 1)
    assert (np.triu(seen, 1) == 0).all()


def test_where_k_looks():
    """claim 12.7: a mission's answer"""
    chunk, single = (cached.weights(PATIENTS["K"], 5, rest) for rest in ("chunk", "single"))
    assert [list(np.flatnonzero(row)) for row in chunk[5:]] == [[0], [0, 1], [0, 1, 2]]
    np.testing.assert_allclose(single[5:], np.eye(8)[[0, 0, 0]])
    np.testing.assert_allclose(cached.weights(PATIENTS["K"], 8, "chunk"), RIGHT, atol=1e-12)


def test_how_l_hides():
    """claim 12.7: a mission's answer; in all other ways with something to decode it is wrong."""
    healthy = {(prompt, rest) for prompt in range(1, 9) for rest in ("chunk", "single")
               if np.allclose(cached.weights(PATIENTS["L"], prompt, rest), RIGHT)}
    assert healthy == {(1, "chunk"), (8, "chunk"), (8, "single")}


@pytest.mark.parametrize("prompt", range(1, 8))
def test_counting_each_call_from_0_is_wrong_after_the_prompt(prompt):
    """claim 12.7: a mission's answer"""
    off = np.abs(cached.weights(cached.from_zero, prompt, "chunk") - RIGHT).max(axis=1)
    assert off[:prompt].max() < 1e-12 < 1e-3 < off[prompt:].min()


def test_the_sentence_on_weights():
    """claim 12.7"""
    assert readout(cached.read_weights, function="sound", prompt=3, rest="single") == (
        "Sound, a prompt of 3 and then 5 one by one: all queries are right.")
    said = readout(cached.read_weights, function="patient K", prompt=5, rest="chunk")
    assert said.startswith("Patient K, a prompt of 5 and then 3 in one chunk: queries 5, 6, 7 are wrong, by up to 0.")


def test_three_maps_show_two_tables_and_their_difference():
    got = RIGHT[::-1, ::-1]
    maps = [image.get_array() for ax in cached.side_by_side(RIGHT, got, "A").axes for image in ax.images]
    np.testing.assert_array_equal(maps, [RIGHT, got, got - RIGHT])
