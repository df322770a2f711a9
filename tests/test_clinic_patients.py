"""The patients of chapter 12: the clinic names each one's fault and no other, and one piece of code mends it."""

import functools

import numpy as np
import pytest

from pe_lib.attention import attention, causal_mask
from pe_lib.clinic import diagnose, diagnose_attention, diagnose_bias
from pe_lib.clinic.patients import PATIENTS, code, mend
from pe_lib.teach.figures.bug_clinic_tests import healthy
from pe_lib.frequencies import inverse_frequencies
from pe_lib.rotary import rotate

CACHED = functools.partial(diagnose_attention, cached=True)
CASES = {  # the examination, the fault it names, the piece of code that is replaced, and by what
    "A": (functools.partial(diagnose, layout="interleaved"), "other layout", None, None),
    "B": (functools.partial(diagnose, layout="half"), "mixed layouts", "np.repeat(t, 2, axis=-1)", "np.tile(t, 2)"),
    "C": (functools.partial(diagnose, base=10_000.0), "sliced frequencies", "/ dim)", "/ turning)"),
    "D": (functools.partial(diagnose, layout="half"), "positions ignored", "places = np.arange(x.shape[-2])", "places = positions"),
    "E": (diagnose, "half-precision angles", 'rounded(positions, "bfloat16")', "positions"),
    "F": (diagnose, "positions clipped", 'np.take(table, positions, axis=0, mode="clip")',
          "positions[:, None] * inverse_frequencies(x.shape[-1])"),
    "G": (diagnose, "heads confused", "np.repeat(positions", "np.tile(positions"),
    "H": (diagnose, "input changed", "    t = positions", "    x = x.copy()\n    t = positions"),
    "I": (diagnose_bias, "decoding", "np.arange(n_query)", "np.arange(n_key - n_query, n_key)"),
    "J": (diagnose_attention, "values turned", "q, k, v = (rotate(x, positions, speeds) for x in (q, k, v))",
          "q, k = (rotate(x, positions, speeds) for x in (q, k))"),
    "K": (CACHED, "mask alignment", "np.tri(q.shape[-2], k.shape[-2])", "np.tri(q.shape[-2], k.shape[-2], k.shape[-2] - q.shape[-2])"),
    "L": (CACHED, "keys turned again", "(turned, v, places)", "(k, v, places)"),
}


def test_every_patient_is_examined():
    assert list(CASES) == list(PATIENTS) == list("ABCDEFGHIJKL")


@pytest.mark.parametrize("name", CASES)
def test_the_clinic_names_the_one_fault(name):
    """claim 12.3"""
    examine, fault, _, _ = CASES[name]
    assert [found.key for found in examine(PATIENTS[name]).faults] == [fault]


@pytest.mark.parametrize("name", [name for name in CASES if name != "A"])
def test_one_piece_of_code_mends_it(name):
    """claim 12.4"""
    examine, _, old, new = CASES[name]
    report = examine(mend(PATIENTS[name], old, new))
    assert report.healthy, report


@pytest.mark.parametrize("layout", ["interleaved", "half"])
@pytest.mark.parametrize("sign", [1, -1])
def test_sound_functions_get_a_clean_bill_that_names_their_convention(layout, sign):
    """claims 12.1 and 12.3"""
    report = diagnose(healthy(layout, sign))
    assert report.healthy
    assert ("half-split" if layout == "half" else "interleaved") in report.convention
    assert ("counter-clockwise" in report.convention) == (sign == 1) and "clockwise" in report.convention


def test_a_is_healthy_unless_a_layout_is_asked_for():
    """claim 12.3"""
    assert diagnose(PATIENTS["A"]).healthy and diagnose(PATIENTS["A"], layout="half").healthy


def test_sliced_frequencies_are_those_of_another_base():
    """claim 12.3: half of the features from base 10,000, or all of them from base 100."""
    np.testing.assert_allclose(inverse_frequencies(64)[:16], inverse_frequencies(32, base=100.0))
    assert diagnose(PATIENTS["C"], base=100.0).healthy


def test_the_mended_are_the_sound_function_of_the_library():
    """claim 12.4: to the last digit that matters, in a batch, at any start"""
    x, p = np.random.default_rng(1).normal(size=(2, 3, 5, 16)), 3000 + np.arange(5)
    for name, layout in (("B", "half"), ("D", "half"), ("E", "interleaved"), ("F", "interleaved"), ("G", "interleaved"), ("H", "interleaved")):
        cured = mend(PATIENTS[name], *CASES[name][2:])
        np.testing.assert_allclose(cured(x.copy(), p), rotate(x, p, inverse_frequencies(16), layout=layout), atol=1e-9, err_msg=name)


def test_mending_leaves_the_patient_ill():
    mend(PATIENTS["E"], 'rounded(positions, "bfloat16")', "positions")
    assert not diagnose(PATIENTS["E"]).healthy and PATIENTS["E"].__name__ == "patient_e"


@pytest.mark.parametrize("old", ["no such piece", "np"])
def test_a_piece_must_stand_there_once(old):
    with pytest.raises(ValueError, match="exactly once, got"):
        mend(PATIENTS["B"], old, "")


def test_the_code_is_that_of_the_patient():
    for name, patient in PATIENTS.items():
        source = code(patient)
        assert source.startswith(f"def patient_{name.lower()}(") and len(source.splitlines()) <= 9
        assert max(map(len, source.splitlines())) <= 100
        assert '"""' not in source and "#" not in source           # nothing gives the fault away


def test_two_faults_come_out_as_two():
    """claim 12.6"""
    report = diagnose(lambda x, positions: PATIENTS["F"](x, positions + 1))
    assert {fault.key for fault in report.faults} == {"off by one", "positions clipped"}
    report = diagnose(lambda x, positions: PATIENTS["E"](x, np.arange(len(positions))))
    assert "positions ignored" in [fault.key for fault in report.faults]


@pytest.mark.parametrize("name", ["E", "F"])
def test_one_fault_may_hide_another(name):
    """claim 12.6: what ignores positions never reaches the end of its table, nor the numbers that are rounded."""
    def both(x, positions):
        return PATIENTS[name](x, np.arange(len(positions)))
    assert [fault.key for fault in diagnose(both).faults] == ["positions ignored"]
    mended = diagnose(PATIENTS[name]).faults                         # mend one, and ask again
    assert [fault.key for fault in mended] == [CASES[name][1]]


def test_f_is_no_short_format():
    """claim 12.3: a question's answer; by the row at 2047 and the one at 2049, as the notebook prints them."""
    q, k = np.random.default_rng(2).normal(size=(3, 6, 64))[:2]

    def score(p, rounding=lambda p: p, rope=healthy()):
        places = [rounding(np.array([p])), rounding(np.array([p + 1]))]
        return (rope(q[:1], places[0]) @ rope(k[:1], places[1]).T).item()
    half = [score(p, lambda p: np.float16(p).astype(float)) for p in (2047, 2049)]
    np.testing.assert_allclose(half, [-4.47, -3.70], atol=0.005)
    np.testing.assert_allclose([score(p, rope=PATIENTS["F"]) for p in (2047, 2049)], -3.34, atol=0.005)


def test_g_reads_its_positions_row_by_row():
    """claim 12.3: what the clinic calls an axis is an order; the angle of each row says so."""
    turned = PATIENTS["G"](np.tile([1.0, 0.0], (2, 6, 32)), np.arange(6))
    angle = np.arctan2(turned[..., 1], turned[..., 0]) % (2 * np.pi)
    np.testing.assert_allclose(angle, [[0, 0, 1, 1, 2, 2], [3, 3, 4, 4, 5, 5]], atol=1e-12)


def test_what_parts_keys_turned_again_from_keys_never_turned():
    """claim 12.7: a question's answer; one by one both are right for two tokens, and equal keys tell."""
    speeds = inverse_frequencies(64)

    def unturned(q, k, v, positions, cache=None):
        old_k, old_v = cache if cache is not None else (k[:0], v[:0])
        keys, values = np.concatenate([old_k, rotate(k, positions, speeds)]), np.concatenate([old_v, v])
        output, _ = attention(rotate(q, positions, speeds), keys, values, causal_mask(len(q), len(keys)))
        return output, (np.concatenate([old_k, k]), values)
    q, k, v = np.random.default_rng(2).normal(size=(3, 6, 64))
    wanted = in_chunks(PATIENTS["L"], q, k, v, [])
    alike = np.tile(q[0], (6, 1)), np.tile(k[0], (6, 1)), np.eye(6)
    spread = {}
    for name, attend in (("again", PATIENTS["L"]), ("never", unturned)):
        off = np.abs(in_chunks(attend, q, k, v, range(1, 6)) - wanted).max(axis=1)
        assert off[:2].max() < 1e-12 < 0.01 < off[2:].min()
        spread[name] = np.ptp(in_chunks(attend, *alike, range(1, 6))[-1, :5])
    assert spread["never"] < 1e-12 < 0.05 < spread["again"]


def in_chunks(attend, q, k, v, cuts):
    cache, outputs = None, []
    for rows in np.split(np.arange(len(q)), cuts):
        output, cache = attend(q[rows], k[rows], v[rows], rows, cache)
        outputs.append(output)
    return np.concatenate(outputs)


@pytest.mark.parametrize("name", ["K", "L"])
def test_a_prompt_in_one_call_tells_nothing(name):
    """claim 12.7"""
    q, k, v = np.random.default_rng(2).normal(size=(3, 6, 64))
    turned_q, turned_k = (rotate(x, np.arange(6), inverse_frequencies(64)) for x in (q, k))
    wanted, _ = attention(turned_q, turned_k, v, causal_mask(6))
    np.testing.assert_allclose(in_chunks(PATIENTS[name], q, k, v, []), wanted, atol=1e-12)
    assert np.abs(in_chunks(PATIENTS[name], q, k, v, [4]) - wanted).max() > 0.1
    if name == "K":                                                  # alone, a query sees key 0 only
        np.testing.assert_allclose(in_chunks(PATIENTS[name], q, k, v, range(1, 6)), np.tile(v[0], (6, 1)))
    else:
        off = np.abs(in_chunks(PATIENTS[name], q, k, v, range(1, 6)) - wanted).max(axis=1)
        assert off[:2].max() < 1e-12 < 0.01 < off[2:].min()


def test_a_function_in_another_style_gets_the_report_of_ours():
    """claim 12.8: queries and keys together, tables from outside, axes (batch, heads, tokens, features)"""
    def apply_rotary(q, k, cos, sin):
        def turn(x):
            first, second = np.split(x, 2, axis=-1)
            return x * cos + np.concatenate([-second, first], axis=-1) * sin
        return turn(q), turn(k)

    def adapted(which):
        def rope(x, positions):
            t = np.tile(positions[:, None] * inverse_frequencies(x.shape[-1]), 2)
            return apply_rotary(x, x, np.cos(t), np.sin(t))[which].astype(x.dtype)
        return rope
    ours = diagnose(healthy("half"), axes="b h n d")
    for which in (0, 1):
        report = diagnose(adapted(which), axes="b h n d")
        assert report.healthy and report.convention == ours.convention
        assert report.findings == ours.findings and report.remarks == ours.remarks == ()


def reach_of(rope):
    """The largest position that the clinic calls a sound function with, as its report says."""
    figure = next(finding.figure for finding in diagnose(rope).findings if finding.name == "precision")
    return int(figure.split()[-1].replace(",", ""))


def test_the_reach_is_the_largest_position_called():
    """claim 12.9"""
    called = []

    def rope(x, positions):
        called.append(np.max(positions, initial=0))
        return rotate(x, positions, inverse_frequencies(x.shape[-1]))
    assert reach_of(rope) == max(called) >= 32768


def test_a_clean_bill_is_for_the_calls_that_were_made():
    """claim 12.9"""
    def liar(x, positions):
        return np.where((positions == 7777)[:, None], x, rotate(x, positions, inverse_frequencies(x.shape[-1])))
    assert diagnose(liar).healthy

    reach = reach_of(healthy())

    def table_of(rows):
        return lambda x, positions: rotate(x, np.minimum(positions, rows - 1), inverse_frequencies(x.shape[-1]))
    assert diagnose(table_of(reach + 1)).healthy                              # just beyond what was called
    assert not diagnose(table_of(reach)).healthy
    assert all(diagnose(healthy(sign=sign)).healthy for sign in (1, -1))      # q by one and k by the other: not seen
