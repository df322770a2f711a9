"""The figures of chapter 12 say what the claims say; and the table of tests behind them."""

import itertools

from figure_kit import built, numbers, readout
import numpy as np
import pytest
from test_clinic_patients import CASES

from pe_lib.clinic.patients import PATIENTS, mend
from pe_lib.teach.figures import bug_clinic as figures
from pe_lib.teach.figures import bug_clinic_attention as cached
from pe_lib.teach.figures import bug_clinic_tests as tests
from pe_lib.teach.figures.long_context_limits import angle_precision
from pe_lib.frequencies import inverse_frequencies
from pe_lib.teach.plots import FORMAT_LINES, ROLES, new_figure, style
from pe_lib.precision import angle_error


def looks_healthy(patient, position=5, way="text"):
    *_, low, high, apart, off = numbers(readout(figures.bench, patient=patient, position=position, way=way))
    return low == high == 1 and apart == off == 0


# ---- the table of tests

TABLE = tests.passed(tests.BENCH.values(), tests.REFERENCES.values())


@pytest.mark.parametrize("layout", ["interleaved", "half"])
@pytest.mark.parametrize("sign", [1, -1])
def test_properties_pass_every_sound_function(layout, sign):
    """claim 12.1: all tests but those of values, which name one convention; with a reference of their own they pass those too"""
    rope = tests.healthy(layout, sign)
    for name, test in tests.TESTS.items():
        if not name.startswith("value"):
            assert test(rope) < 1e-9, name
    assert tests.passed([rope], [rope]).all()
    others = [tests.healthy(other, way) for other in ("interleaved", "half") for way in (1, -1) if (other, way) != (layout, sign)]
    for other in others:
        values = {name: test for name, test in tests.tests_against(other).items() if name.startswith("value")}
        assert min(test(rope) for test in values.values()) > 0.01


def test_the_mended_pass_all_tests():
    """claims 12.2 and 12.4: each against what it was meant to be; a test that a cure fails has caught nothing."""
    cured = {name: mend(PATIENTS[name], *CASES[name][2:]) for name in "BCDEFGH"}
    references = [tests.REFERENCES[f"patient {name}"] for name in cured]
    assert tests.passed(cured.values(), references).all()
    assert tests.passed([PATIENTS["A"]], [tests.healthy("half")]).all()              # and A, with weights that fit


def test_the_value_of_pair_0_sees_that_pair_alone():
    """claim 12.2: a mission's answer; C's pair 0 has the speed it should have."""
    for layout, parts, others in (("interleaved", 1, [2, 3]), ("half", 1, [1, 9]), ("half", 2, [1, 5])):
        right = tests.healthy(layout, parts=parts)

        def spoilt(features):
            def rope(x, p):
                y = right(x, p)
                y[:, features] += 1
                return y
            return tests.tests_against(right)["value at 3, pair 0"](rope)
        assert spoilt(others) < 1e-9 < 0.9 < min(spoilt([0]), spoilt([1 if layout == "interleaved" else 8 // parts]))


def test_the_four_usual_tests_catch_one_patient():
    """claim 12.2: of A to H, and shape and position 0 catch none."""
    table = TABLE
    assert list(tests.TESTS)[:4] == ["shape", "position 0", "length", "offset alone"]
    assert table[:, :2].all()
    assert [name for name, row in zip(tests.BENCH, table) if not row[:4].all()] == ["patient B"]


def test_the_smallest_sets():
    """claim 12.2: three tests catch all eight; eight tell each from every other and from the healthy."""
    table, names = TABLE, list(tests.TESTS)
    assert table[0].all()
    assert [[names[i] for i in columns] for columns in tests.smallest_sets(table)] == [["value at 5,000", "batch of two", "input untouched"]]
    assert {len(columns) for columns in tests.smallest_sets(table, told_apart=True)} == {8}


def test_smallest_sets_by_hand():
    table = np.array([[1, 1, 1], [0, 1, 1], [1, 0, 1]], bool)
    assert tests.smallest_sets(table) == [(0, 1)] and tests.smallest_sets(table, told_apart=True) == [(0, 1)]
    assert tests.smallest_sets(table[:, 2:]) == []


def test_a_count_from_one_is_seen_at_position_0():
    """claim 12.2: the test is not useless, though no patient here fails it."""
    sound = tests.healthy()
    assert tests.TESTS["position 0"](lambda x, p: sound(x, p + 1)) > 0.1 > 1e-9 > tests.TESTS["offset alone"](lambda x, p: sound(x, p + 1))


def test_pairs_that_one_test_alone_tells_apart():
    """claim 12.2: a mission's answer"""
    table, names = TABLE, [name[-1] for name in tests.BENCH]
    single = {names[a] + names[b] for a, b in itertools.combinations(range(9), 2) if (table[a] != table[b]).sum() == 1}
    assert single == {"yF", "yG", "yH", "AC", "AD", "CE", "EF"}      # y: healthy


def test_the_sentence_names_the_tests_that_tell_two_apart():
    """claim 12.2"""
    assert readout(tests.which_test, one="patient E", other="patient F") == "1 of 11 tests tells patient E from patient F: value at 1,001."
    assert readout(tests.which_test, one="patient B", other="patient B").startswith("Patient B fails 6 of 11 tests.")


# ---- the bench

@pytest.mark.parametrize("patient", ["healthy", "healthy, half-split", "healthy, clockwise"])
@pytest.mark.parametrize("way", figures.CALLS.values())
@pytest.mark.parametrize("position", [0, 1, 5, 300, 2048, 4096])
def test_the_sound_look_healthy_everywhere(patient, way, position):
    """claim 12.1"""
    assert looks_healthy(patient, position, way)


def test_who_looks_ill_at_5():
    """claim 12.2: a mission's answer"""
    assert {name for name in "BCDEFGH" if not looks_healthy(f"patient {name}")} == {"B", "C", "D", "E"}
    assert {name for name in "BCDEFGH" if figures.off_the_law(PATIENTS[name], 5).max() > 1e-9} == {"B", "C", "D"}      # by instrument 3
    assert [looks_healthy("patient D", p) for p in (0, 1, 2)] == [True, False, False]
    *_, low, high, apart, off = numbers(readout(figures.bench, patient="patient D", position=900, way="text"))
    assert low == high == 1 and apart == 0 and off > 0.1             # only the angles show it


def test_what_the_first_instrument_shows():
    """claim 12.2: a mission's answer; B and C differ from every healthy map, D turns nothing, and A, E, F, G, H look healthy."""
    healthy = [figures.matrix(tests.healthy(layout, sign), 5) for layout in ("interleaved", "half") for sign in (1, -1)]
    healthy.append(figures.matrix(tests.healthy("half", parts=2), 5))
    alike = {name for name in "ABCDEFGH" if any(np.allclose(figures.matrix(PATIENTS[name], 5), right) for right in healthy)}
    assert alike == set("AEFGH")
    np.testing.assert_allclose(figures.matrix(PATIENTS["D"], 5), np.eye(8), atol=1e-12)


def test_a_has_no_bed_since_its_bench_would_give_its_reveal_away():
    """claim 12.3: A turns as the healthy do, half-split"""
    assert "patient A" not in figures.ON_BENCH and len(figures.ON_BENCH) == 10
    np.testing.assert_allclose(figures.matrix(PATIENTS["A"], 5), figures.matrix(tests.healthy("half"), 5))


def test_the_frame_stands_round_the_bed_of_the_patient():
    figure, _ = built(figures.bench)
    beds = figure.axes[0]
    for place, patient in enumerate(figures.ON_BENCH):
        readout(figures.bench, patient=patient, position=5, way="text")
        frame = beds.patches[-1]
        assert frame.get_x() < place < frame.get_x() + frame.get_width()
        assert beds.texts[place].get_text().replace("\n", " ") == patient.removeprefix("patient ")


def test_the_bench_says_that_nothing_is_wrong_and_that_curves_coincide():
    figure, _ = built(figures.bench)
    for patient, well in (("healthy", True), ("patient B", False)):
        said = readout(figures.bench, patient=patient, position=5, way="text")
        assert figure.axes[3].texts[0].get_visible() == well and ("the three score curves coincide" in said) is well


def test_the_bench_has_room_for_its_titles():
    with style():
        fig = new_figure(8.0, 4.4)
        figures.bench(fig)
        fig.canvas.draw()
        titles = [ax.get_title(loc="left") for ax in fig.axes if ax.get_title(loc="left")]
        assert [title[0] for title in titles] == list("1234") and not any("law" in ax.get_ylabel() for ax in fig.axes)
        for ax in fig.axes[1:5]:
            assert ax._left_title.get_window_extent().x1 <= ax.get_window_extent().x1, ax.get_title(loc="left")


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
    assert off("E", 258) < 1e-9                                      # and well again: the signature of too few bits
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


@pytest.mark.parametrize("base, least, passing", [(10_000.0, 7.7e-5, 24), (500_000.0, 6.1e-5, 367)])
def test_a_share_of_1e_4_lets_float16_pass_here_and_there(base, least, passing):
    """claim 12.5: a mission's answer, at every position that float16 has; 5e-5 lets none pass"""
    far = np.arange(1, figures.LARGEST_FLOAT16 + 1)
    share = angle_error(far, inverse_frequencies(128, base), "float16").max(axis=1) / far
    assert round(share.min(), 6) == least and (share < 1e-4).sum() == passing


@pytest.mark.parametrize("base", [10_000.0, 500_000.0])
def test_which_steps_of_the_slider_part_float32_from_the_short_formats(base):
    """claim 12.5: a mission's answer, at the positions drawn"""
    parts = [step for step in range(-32, 1) if "float32 never" in (said := readout(figures.tolerances, tolerance=10 ** (step / 4), grows=True, base=base))
             and said.count("never") == 1 and said.count("at position 1") == 2]
    assert 10 ** (parts[0] / 4) == 1e-7 and 10 ** (parts[-1] / 4) >= 5e-5


def test_how_far_off_float32_is_at_ten_million():
    """claim 12.5: a mission's answer"""
    far = np.concatenate([np.arange(10**7 - 20_000, 10**7), [10**7]])
    assert 0.5 < angle_error(far, inverse_frequencies(128), "float32").max() < 0.82 and np.float32(16_777_217) == 16_777_216


def test_each_format_has_one_colour_in_chapters_8_and_12():
    with style():
        here, there = new_figure(8.0, 3.2), new_figure(8.0, 3.2)
        figures.tolerances(here)
        angle_precision(there)
    looks = [{line.get_label(): (line.get_color(), line.get_linestyle()) for line in fig.axes[0].lines if line.get_label() in figures.FORMATS}
             for fig in (here, there)]
    assert len(looks[0]) == 3 and looks[0] == looks[1] == {form: FORMAT_LINES[form] for form in figures.FORMATS}
    assert {color for color, _ in looks[0].values()}.isdisjoint(ROLES.values())


def test_the_tolerance_sentence():
    """claim 12.5"""
    assert readout(figures.tolerances, tolerance=1e-6, grows=True, base=10_000.0) == (
        "Tolerance 1e-06 rad times the position, at the positions drawn: float32 never exceeds it; float16 first exceeds it at position 1; "
        "bfloat16 first exceeds it at position 1.")
    said = readout(figures.tolerances, tolerance=10**-1.25, grows=False, base=10_000.0)
    assert "float32 never exceeds" in said and numbers(said.split("bfloat16")[1])[0] == 21
    exact = angle_error(np.arange(1, 40), inverse_frequencies(128), "bfloat16").max(axis=1)
    assert (exact[:20] <= 10**-1.25).all() and exact[20] > 10**-1.25                # a mission's answer, at every whole position
    assert "float32 first exceeds it at position" in readout(figures.tolerances, tolerance=10**-1.5, grows=False, base=10_000.0)


def test_the_picture_says_where_float16_ends():
    """claim 12.5"""
    with np.errstate(over="ignore"):
        assert np.isinf(np.float16(2 * figures.LARGEST_FLOAT16)) and np.isfinite(np.float16(figures.LARGEST_FLOAT16))
    assert figures.LARGEST_FLOAT16 == np.finfo(np.float16).max
    with style():
        fig = new_figure(8.0, 3.2)
        figures.tolerances(fig)(tolerance=1e-3, grows=False, base=10_000.0)
        fig.canvas.draw()
        words = next(text for text in fig.axes[0].texts if "65,504" in text.get_text())
        assert not words.get_window_extent().overlaps(fig.axes[0].get_legend().get_window_extent())


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
    """claim 12.7: a mission's answer; with a prompt shorter than the text, in all other ways it is wrong."""
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
