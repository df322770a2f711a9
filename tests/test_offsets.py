"""Similarity of many offsets the short way, aliases, impostors, unfinished turns and the smallest base."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from pe_lib.frequencies import angles, inverse_frequencies, offset_similarity
from pe_lib.offsets import min_max_columns, near_aliases, nearest_impostor, smallest_base, unfinished_pairs, wrap
from pe_lib.sinusoidal import sinusoidal_encoding

steady = settings(deadline=None, derandomize=True, database=None, max_examples=50)
EVEN = st.integers(1, 64).map(lambda pairs: 2 * pairs)
BASES = st.floats(1.5, 1e7)


def plain_table(offsets, inv_freq):
    """The definition at one go: every cosine of every pair and offset."""
    return np.cos(angles(offsets, inv_freq)).sum(axis=-1)


# --- offset_similarity: short way and plain way ----------------------------------------------------------------------


@steady
@given(EVEN, BASES, st.integers(1, 5000), st.integers(-100_000, 100_000), st.sampled_from([1, -1, 2, 7, 0.5, 0.1, 0, -1000]))
def test_evenly_spaced_offsets_agree_with_the_definition(dim, base, count, start, step):
    """claim 8.7: the short way is the definition, for every start, step and count, odd ones too."""
    inv_freq, offsets = inverse_frequencies(dim, base), start + step * np.arange(count)
    found = offset_similarity(offsets, inv_freq)
    assert found.shape == (count,) and found.dtype == np.float64
    assert_allclose(found, plain_table(offsets, inv_freq), rtol=0, atol=1e-8)


def test_a_million_offsets_agree_with_the_definition():
    """claim 8.7: at 10 ** 6 offsets and 128 features the error is at most 1e-9."""
    inv_freq = inverse_frequencies(128)
    found = offset_similarity(np.arange(1_000_000), inv_freq)
    assert found[0] == 64
    for part in (slice(0, 100_000), slice(900_000, 1_000_000)):
        assert_allclose(found[part], plain_table(np.arange(1_000_000)[part], inv_freq), rtol=0, atol=1e-9)


def rows_of_angles(monkeypatch, offsets):
    """How many rows of angles the similarity of these offsets asks for, call by call."""
    rows = []
    monkeypatch.setattr("pe_lib.frequencies.angles", lambda positions, w: rows.append(len(positions)) or angles(positions, w))
    offset_similarity(offsets, [1.0, 0.5])
    return rows


def test_a_million_offsets_need_two_thousand_rows_of_cosines(monkeypatch):
    """claim 8.7: that is why it is quick; the benchmark measures how quick."""
    assert rows_of_angles(monkeypatch, np.arange(1_000_000)) == [1000, 1000]


@steady
@given(st.integers(0, 10_000), st.integers(0, 2**32 - 1))
def test_arbitrary_offsets_go_the_plain_way(count, seed):
    offsets, inv_freq = np.random.default_rng(seed).integers(-(10**6), 10**6, count), inverse_frequencies(16)
    assert_array_equal(offset_similarity(offsets, inv_freq), plain_table(offsets, inv_freq))


def test_one_offset_out_of_step_is_seen():
    """A row that is even but for one place, first, last or in the middle, is not taken for even."""
    inv_freq = inverse_frequencies(16)
    for place in (0, 1, 1000, 1998, 1999):
        offsets = np.arange(2000)
        offsets[place] += 1
        assert_allclose(offset_similarity(offsets, inv_freq), plain_table(offsets, inv_freq), rtol=0, atol=1e-10)


def test_offsets_of_any_shape_are_taken():
    offsets, inv_freq = np.arange(6000).reshape(2, 3, 1000), inverse_frequencies(16)
    assert_array_equal(offset_similarity(offsets, inv_freq), plain_table(offsets, inv_freq))
    assert_array_equal(offset_similarity(np.arange(6000).astype(np.float32), inv_freq), offset_similarity(np.arange(6000), inv_freq))
    assert offset_similarity(np.zeros((0, 5)), inv_freq).shape == (0, 5)
    assert isinstance(offset_similarity(3, inv_freq), float)


def test_arbitrary_offsets_need_no_whole_table(monkeypatch):
    """Offsets in no order are taken in parts: no more than 4096 rows of cosines at a time."""
    rows = rows_of_angles(monkeypatch, np.random.default_rng(0).permutation(20_000))
    assert max(rows) <= 4096 and sum(rows) == 20_000


# --- aliases ---------------------------------------------------------------------------------------------------------


def test_44_and_710_are_nearly_whole_turns():
    """claim 8.1: at one radian per token, 0.0177 and 0.00006 rad from where offset 0 is."""
    assert_allclose(abs(wrap([0.0, 44.0, 710.0])), [0, 0.0177, 0.00006], atol=5e-5)
    assert {44, 710} <= set(near_aliases(1.0, 1000))


def test_a_cosine_cannot_tell_a_frequency_from_its_mirror():
    """claim 8.1: omega, 2 pi - omega and omega + 2 pi at whole offsets; the mirror's wheel turns backwards."""
    offsets = np.arange(200)
    for frequency in (0.3, 1.0, 2.5):
        mirror, next_turn = 2 * np.pi - frequency, 2 * np.pi + frequency
        assert_allclose(np.cos(offsets * mirror), np.cos(offsets * frequency), atol=1e-12)
        assert_allclose(np.sin(offsets * mirror), -np.sin(offsets * frequency), atol=1e-12)
        assert_allclose(wrap(offsets * next_turn), wrap(offsets * frequency), atol=1e-12)


@steady
@given(st.floats(-1e6, 1e6))
def test_wrapping_takes_whole_turns_away(angle):
    """claim 8.1"""
    left = wrap(angle)
    assert abs(left) <= np.pi
    assert_allclose([np.cos(left), np.sin(left)], [np.cos(angle), np.sin(angle)], atol=1e-9)
    if abs(angle) < 3.14:
        assert left == angle


@steady
@given(st.floats(0.001, 6.28), st.integers(1, 300))
def test_near_aliases_are_records(frequency, reach):
    """claim 8.1: a loop as the specification."""
    records, best = [], math.inf
    for offset in range(1, reach + 1):
        left = abs(math.remainder(offset * frequency, 2 * math.pi))
        if left < best - 1e-9:
            records.append(offset)
            best = left
        elif left < best + 1e-9:
            return  # too close to call
    assert near_aliases(frequency, reach).tolist() == records


def test_an_equally_near_alias_is_no_record():
    """claim 8.1: a hand that turns by thirds is back at every third offset, and the first of them counts."""
    assert near_aliases(0.0, 9).tolist() == [1]
    assert near_aliases(2 * np.pi / 3, 9).tolist()[:2] == [1, 3]


def test_62832_is_a_known_alias_in_no_encoding():
    """claim 2.7: for 64 features, position 62,832 is 7.8 away from position 0, position 1 only 1.5."""
    near, far = sinusoidal_encoding([1, 62_832], 64) - sinusoidal_encoding([0], 64)
    assert round(np.linalg.norm(near), 1) == 1.5
    assert round(np.linalg.norm(far), 1) == 7.8


# --- impostors -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dim, first", [(2, 6), (4, 6), (6, 6), (8, 6), (10, 6), (12, 14_495), (16, 596_274)])
def test_first_offset_nearer_to_nothing_than_a_neighbour(dim, first):
    """claim 8.2"""
    similarity = offset_similarity(np.arange(700_000), inverse_frequencies(dim))
    assert np.flatnonzero(similarity[2:] > similarity[1])[0] + 2 == first


def test_nearest_impostor_of_a_short_encoding():
    """claim 8.2: no offset in reach is more alike, and the distance is that of the two encodings."""
    for dim, reach, beyond in [(4, 50, 1), (8, 10_000, 6), (16, 700_000, 100), (128, 100_000, 500)]:
        inv_freq = inverse_frequencies(dim)
        offset, distance = nearest_impostor(inv_freq, reach, beyond)
        assert beyond < offset <= reach and isinstance(offset, int)
        similarity = plain_table(np.arange(beyond + 1, min(reach, 200_000) + 1), inv_freq)
        assert offset_similarity(offset, inv_freq) >= similarity.max() - 1e-9
        zero, there = sinusoidal_encoding([0, offset], dim)
        assert_allclose(distance, np.linalg.norm(there - zero), rtol=1e-9)


def test_distance_keeps_its_digits_where_the_similarity_has_none_left():
    """claim 8.1: one pair at offset 710 is 6.03e-5 from 0; dim/2 less the similarity has eight digits of that left."""
    offset, distance = nearest_impostor([1.0], 1000, 1)
    assert offset == 710
    assert_allclose(distance, 710 - 226 * np.pi, rtol=1e-9)


# --- unfinished turns ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("base, trained, pairs", [(10_000, 4096, 18), (500_000, 8192, 29)])
def test_pairs_that_never_came_full_circle(base, trained, pairs):
    """claim 8.3: 18 of 64 pairs in a Llama-2-like model, 29 in a Llama-3-like one, and they are the slowest."""
    unfinished = unfinished_pairs(inverse_frequencies(128, base), trained)
    assert unfinished.dtype == bool and unfinished.shape == (64,)
    assert_array_equal(unfinished, np.arange(64) >= 64 - pairs)


def test_exactly_one_turn_is_a_finished_one():
    assert_array_equal(unfinished_pairs([2 * np.pi / 8], 8), [False])
    assert_array_equal(unfinished_pairs([2 * np.pi / 8], 7.999), [True])


# --- smallest base ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "thousands, printed",
    [(1, "4.3e+03"), (2, "1.2e+04"), (4, "2.7e+04"), (8, "8.4e+04"), (16, "2.3e+05"), (32, "6.3e+05")],
)
def test_smallest_base_for_a_length(thousands, printed):
    """claim 8.5. Origin: Su 2024, kexue.fm/archives/10122; Men et al. print 1.6e4 at 2k, 3.1e5 at 16k and 6.4e5 at 32k."""
    base = smallest_base(1024 * thousands)
    assert f"{base:.1e}" == printed
    offsets = np.arange(1024 * thousands)
    assert offset_similarity(offsets, inverse_frequencies(128, base)).min() >= 0
    assert offset_similarity(offsets, inverse_frequencies(128, base * math.exp(-1e-4))).min() < 0


def passes(base, length=4096):
    return offset_similarity(np.arange(length), inverse_frequencies(128, base)).min() >= 0


def test_bases_that_pass_are_windows():
    """claim 8.5: at 4k one is about 26,954 to 26,972 wide; above it bases fail again, so that no bisection can work."""
    assert not passes(26_952) and passes(26_954) and passes(26_972) and not passes(26_974)
    assert not any(passes(base) for base in np.linspace(26_975, 28_000, 100))
    assert not passes(10_000) and passes(100_000) and passes(500_000)


def test_a_coarse_scan_misses_the_window():
    """claim 8.5: steps of 0.01 in ln(base) find a window far above; finer ones come nearer to the lower end."""
    assert smallest_base(4096, step=1e-2) > 28_000
    assert 26_952 < smallest_base(4096, step=2e-5) <= smallest_base(4096) < 26_955


@steady
@given(st.integers(1, 200), st.sampled_from([4, 6, 8, 16]))
def test_smallest_base_is_the_first_of_the_scan(length, dim):
    """claim 8.5: one base after the other, each in full, as the specification."""
    offsets, step = np.arange(length), 0.05
    for number in range(1, 500):
        base = math.exp(step * number)
        lowest = plain_table(offsets, inverse_frequencies(dim, base)).min()
        if abs(lowest) < 1e-9:
            return  # too close to call
        if lowest >= 0:
            break
    else:
        with pytest.raises(ValueError, match="^no base up to"):
            smallest_base(length, dim, step, math.exp(step * 499.5))
        return
    assert_allclose(smallest_base(length, dim, step, math.exp(step * 499.5)), base, rtol=1e-12)


@pytest.mark.parametrize("number", [1, 511, 512, 513, 1025])
def test_smallest_base_by_hand(number):
    """claim 8.5: two pairs, four offsets: cos 3 + cos(3 / sqrt(base)) >= 0 from base = (3 / (pi - 3)) ** 2 = 448.9 on.

    With these steps that base is just passed at the given number of the scan, whose blocks must join without a gap.
    """
    threshold = (3 / (math.pi - 3)) ** 2
    step = math.log(threshold * 1.00001) / number
    assert_allclose(smallest_base(4, 4, step), threshold * 1.00001, rtol=1e-9)


def test_one_pair_has_no_base():
    """Its only frequency is 1 at every base, and cos 3 is below 0."""
    with pytest.raises(ValueError, match=r"^no base up to 1e\+09 keeps all 4 offsets from a similarity below 0 at dim 2$"):
        smallest_base(4, 2, step=0.1)
    with pytest.raises(ValueError, match="^no base up to 4000 keeps"):
        smallest_base(1024, largest=4000)


def test_every_argument_of_the_smallest_base_matters():
    start = smallest_base(256, 64, 1e-2, 1e9)
    for others in [(512, 64, 1e-2), (256, 128, 1e-2), (256, 64, 1e-3)]:
        assert start != smallest_base(*others)


# --- curves for the screen -------------------------------------------------------------------------------------------


@steady
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60), st.integers(1, 20))
def test_every_value_lies_in_the_band_of_its_column(values, columns):
    """claim 8.7: as many columns as asked for, and none of the extremes is lost."""
    low, high = min_max_columns(values, columns)
    assert low.shape == high.shape == (min(columns, len(values)),)
    assert low.min() == min(values) and high.max() == max(values)
    starts = [c * len(values) // len(low) for c in range(len(low))] + [len(values)]
    for c, (first, last) in enumerate(zip(starts, starts[1:])):
        assert low[c] == min(values[first:last]) and high[c] == max(values[first:last])


def test_columns_differ_by_one_value_at_most():
    """claim 8.7: five values in three columns are one, two and two."""
    low, high = min_max_columns(np.arange(5), 3)
    assert low.tolist() == [0, 1, 3] and high.tolist() == [0, 2, 4]


def test_a_single_peak_among_a_million_survives():
    """claim 8.7"""
    values = np.zeros(1_000_000)
    values[123_457] = 1
    assert min_max_columns(values, 800)[1].sum() == 1
    assert values[:: 1_000_000 // 800].sum() == 0


# --- errors ----------------------------------------------------------------------------------------------------------

W = [1.0, 0.5]


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: wrap([np.inf]), r"^angle must be finite, got inf, shape \(1,\)$"),
        (lambda: wrap("1"), "^angle must hold real numbers"),
        (lambda: near_aliases(np.nan, 5), "^frequency must be finite, got nan"),
        (lambda: near_aliases([1.0, 2.0], 5), r"^frequency must be one number, got shape \(2,\)$"),
        (lambda: near_aliases(1.0, 0), "^reach must be an integer of at least 1, got 0$"),
        (lambda: near_aliases(1.0, 5.0), "^reach must be an integer of at least 1, got 5.0$"),
        (lambda: unfinished_pairs([1.0, 0.0], 8), "^inv_freq must be above 0 to have wavelengths"),
        (lambda: unfinished_pairs(W, 0), "^trained must be above 0, got 0.0$"),
        (lambda: unfinished_pairs(W, np.inf), "^trained must be finite, got inf"),
        (lambda: nearest_impostor(W, 5, 5), "^reach must be an integer of at least 6, got 5$"),
        (lambda: nearest_impostor(W, 5, -1), "^beyond must be an integer of at least 0, got -1$"),
        (lambda: nearest_impostor(1.0, 5), "^inv_freq must hold one frequency a pair"),
        (lambda: smallest_base(0), "^length must be an integer of at least 1, got 0$"),
        (lambda: smallest_base(4.0), "^length must be an integer of at least 1, got 4.0$"),
        (lambda: smallest_base(4, 7), "^dim must be even"),
        (lambda: smallest_base(4, 8, 0), "^step must be above 0, got 0.0$"),
        (lambda: smallest_base(4, 8, 0.1, -1), "^largest must be above 0, got -1.0$"),
        (lambda: smallest_base(4, 8, 0.1, np.inf), "^largest must be finite, got inf"),
        (lambda: min_max_columns([], 3), r"^values must be one row of at least one number, got shape \(0,\)$"),
        (lambda: min_max_columns([[1.0]], 3), r"^values must be one row of at least one number, got shape \(1, 1\)$"),
        (lambda: min_max_columns([np.nan], 3), "^values must be finite, got nan"),
        (lambda: min_max_columns([1.0], 0), "^columns must be an integer of at least 1, got 0$"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_every_argument_matters():
    assert near_aliases(1.0, 9).tolist() != near_aliases(1.5, 9).tolist()
    assert near_aliases(1.0, 9).tolist() != near_aliases(1.0, 30).tolist()
    assert unfinished_pairs(W, 10).tolist() != unfinished_pairs(W, 20).tolist()
    found = nearest_impostor(W, 60, 1)
    assert found != nearest_impostor([1.0, 0.6], 60, 1)
    assert found != nearest_impostor(W, 20, 1)
    assert nearest_impostor(W, 60, found[0]) != found


def test_arguments_are_left_as_they_were():
    offsets, values = np.arange(2000.0), np.arange(6.0)
    for result in (offset_similarity(offsets, W), offset_similarity(offsets[:9], W), wrap(values), *min_max_columns(values, 6)):
        result[...] = -1
    assert_array_equal(offsets, np.arange(2000))
    assert_array_equal(values, np.arange(6))
