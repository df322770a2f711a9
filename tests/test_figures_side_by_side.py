"""The figures of chapter 11, their head of attention, and the table of costs."""

import json

import measure_costs
import notebooks
import numpy as np
import pytest
from figure_kit import readout, unseen
from notebook_kit import ROOT

from pe_lib.attention import attention, attention_scores, causal_mask
from pe_lib.biases import alibi_bias, bucket_bias, relative_buckets
from pe_lib.frequencies import inverse_frequencies
from pe_lib.rotary import pair_contributions, rotate
from pe_lib.sinusoidal import sinusoidal_encoding
from pe_lib.teach.data.dog_bites_man import W_K, W_Q, W_V
from pe_lib.teach.data.side_by_side import BUCKETS, CHANGES, ROWS, SCHEMES, content, measured_costs
from pe_lib.teach.figures import dog_bites_man
from pe_lib.teach.figures import side_by_side as figures
from pe_lib.teach.figures.long_context_evaluation import measured

NOTEBOOK = ROOT / "notebooks" / "11_side_by_side.ipynb"
X, HERE = content("dog bites man"), np.arange(10, 13)


def by_definition(name):
    """Scores of one scheme alone, each written out for itself."""
    vectors = {"sinusoidal": sinusoidal_encoding(HERE, 4), "learned table": ROWS[10:13]}.get(name, np.zeros((3, 4)))
    q, k = (X + vectors) @ W_Q, (X + vectors) @ W_K
    if name == "rotary":
        q, k = rotate(q, HERE, np.array([1.0, 0.1])), rotate(k, HERE, np.array([1.0, 0.1]))
    bias = {"ALiBi": alibi_bias(3, 3, 0.5), "T5": bucket_bias(3, 3, BUCKETS, 8, causal=False)}.get(name, 0.0)
    return attention_scores(q, k) + bias, (X + vectors) @ W_V


@pytest.mark.parametrize("name", SCHEMES)
def test_the_head_is_the_scheme_and_nothing_else(name):
    """claim 11.1"""
    scores, v = by_definition(name)
    found = figures.one_head(SCHEMES[name], "dog bites man")
    np.testing.assert_allclose(found[0], scores, atol=1e-12)
    np.testing.assert_allclose(found[2], attention(np.zeros((3, 1)), np.zeros((3, 1)), v, scores)[0], atol=1e-12)


def test_without_a_scheme_it_is_the_head_of_chapter_1():
    """claim 11.1"""
    output, weights = dog_bites_man.run_head("man bites dog")
    found = figures.one_head(SCHEMES["none"], "man bites dog")
    np.testing.assert_allclose(found[1], weights)
    np.testing.assert_allclose(found[2], output)


@pytest.mark.parametrize("name, swap, later", [("none", 0, 0), ("sinusoidal", 0.69, 0.59), ("learned table", 0.56, None), ("ALiBi", 0, 0), ("T5", 0.06, 0), ("rotary", 0.10, 0)])
def test_who_notices_what(name, swap, later):
    """claim 11.1: numbers of the chapter"""
    first = figures.one_head(SCHEMES[name], "dog bites man")[2][0]
    assert np.linalg.norm(figures.one_head(SCHEMES[name], "man bites dog")[2][2] - first) == pytest.approx(swap, abs=0.006)
    if later is None:
        with pytest.raises(ValueError, match="0 to 23, got 110 to 112"):
            figures.one_head(SCHEMES[name], "dog bites man", 110)
    else:
        assert np.linalg.norm(figures.one_head(SCHEMES[name], "dog bites man", 110)[2][0] - first) == pytest.approx(later, abs=0.006)


@pytest.mark.parametrize("name", SCHEMES)
@pytest.mark.parametrize("query, key", [(0, 2), (1, 1), (2, 0)])
def test_the_curve_goes_through_the_cell(name, query, key):
    words = "dog bites man".split()
    curve = figures.along(SCHEMES[name], words[query], words[key], 10 + query)
    assert curve[figures.REACH + key - query] == pytest.approx(figures.one_head(SCHEMES[name], "dog bites man")[0][query, key], abs=1e-12)


@pytest.mark.parametrize("sentence", ["dog", "dog dog", "man man man bites"])
@pytest.mark.parametrize("name", SCHEMES)
def test_one_word_and_repeated_words_are_sentences(name, sentence):
    scores, weights, output = figures.one_head(SCHEMES[name], sentence)
    n = len(sentence.split())
    assert scores.shape == weights.shape == (n, n) and output.shape == (n, 4)
    np.testing.assert_allclose(weights.sum(axis=1), 1)


@pytest.mark.parametrize("sentence", ["", "  ", "dog bites cat"])
def test_words_without_a_vector_are_refused(sentence):
    with pytest.raises(ValueError, match="made of dog, man, bites, at least one of them"):
        content(sentence)


BENCH = {"scheme": "sinusoidal", "change": CHANGES[0], "query": 2, "key": 0}


def test_the_bench_says_pair_score_and_verdict():
    assert readout(figures.bench, **BENCH) == ("Sinusoidal, as it stands: man (position 12) looks at dog (10), relative = −2. "
                                               "The score is 1.06 and the weight 0.88.")
    assert readout(figures.bench, **BENCH | {"scheme": "ALiBi", "change": CHANGES[1]}).endswith("The output of dog is the same vector as before.")
    assert "position 112) looks at dog (110)" in readout(figures.bench, **BENCH | {"scheme": "rotary", "change": CHANGES[2]})
    assert readout(figures.bench, **BENCH | {"scheme": "learned table", "change": CHANGES[2]}).endswith("got 110 to 112. So there is no score at all.")


def test_every_control_of_the_bench_shows():
    assert unseen(figures.bench, BENCH, [{"scheme": "rotary"}, {"scheme": "none"}, {"change": CHANGES[1]}, {"change": CHANGES[2]}, {"query": 1}, {"key": 1}]) == []


def test_three_ways_say_the_numbers_of_the_formulas():
    """claim 11.2; by hand: 45 degrees between the two vectors, lengths √5 and √10, 30 degrees a token"""
    for query, key, both in ((3, 1, 0), (2, 4, 5), (0, 11, 3)):
        rotated = 50**0.5 * np.cos(np.pi / 4 + (key - query) * np.pi / 6)
        said = readout(figures.three_ways, query=query, key=key, both=both)
        assert f"with a bias {5 - abs(key - query) / 2:.2f}, with both rotated {rotated:.2f}.".replace("-", "−") in said
    assert unseen(figures.three_ways, {"query": 3, "key": 1, "both": 0}, [{"query": 4}, {"key": 2}, {"both": 3}]) == []


def test_the_phases_add_up():
    """claim 11.3"""
    said = readout(figures.a_phase_for_each_pair, first=40, second=-60, relative=-7)
    parts = np.cos(np.radians([40, -60]) - 7 * figures.PHASE_FREQ)
    assert f"{parts[0]:.2f} and {parts[1]:.2f}, in all {parts.sum():.2f}".replace("-", "−").replace("−0.00", "0.00") in said
    assert unseen(figures.a_phase_for_each_pair, {"first": 40, "second": -60, "relative": 1}, [{"first": 50}, {"second": 0}, {"relative": 2}]) == []


def test_the_table_in_the_notebook_is_what_was_measured():
    """claim 11.2"""
    table = next(cell.source for cell in notebooks.read(NOTEBOOK).cells if "| with a cache |" in cell.source)
    for name, row in measured_costs().items():
        if name != "none":
            line = next(line for line in table.splitlines() if line.startswith(f"| {name} |"))
            assert f"| {row['pass, time']:.2f}, {row['pass, memory']:.2f} |" in line


def test_the_costs_are_those_that_the_script_writes(tmp_path, monkeypatch, capsys):
    """claim 11.2: a short run makes the same table, and what does not hang on a clock is the same"""
    for name, value in (("TARGET", tmp_path / "costs.json"), ("LENGTH", 128), ("DIM", 64), ("REPEATS", 3)):
        monkeypatch.setattr(measure_costs, name, value)
    measure_costs.main()
    found, kept = json.loads((tmp_path / "costs.json").read_text()), measured_costs()
    assert list(found) == list(kept) == list(SCHEMES)
    for name in kept:
        assert list(found[name]) == list(kept[name]) and min(kept[name].values()) >= 0
        assert all(value > 0 for key, value in found[name].items() if key != "learned numbers")
    assert kept["learned table"]["learned numbers"] == 512 * 512 and kept["T5"]["learned numbers"] == 32 * 8
    assert found["ALiBi"]["pass, memory"] > 1.1 and found["sinusoidal"]["pass, memory"] < 1.1


def test_a_layer_that_rotates_nothing_skips_the_rotation():
    q = np.random.default_rng(0).normal(size=(2, 3, 4))
    plain, _ = measure_costs.without_turning(q, q, q, np.arange(3), np.zeros(1))
    turned, _ = measure_costs.attend(q, q, q, np.arange(3), np.zeros(1))
    np.testing.assert_allclose(plain, turned)


def test_each_myth_fails_on_other_numbers_too():
    """claim 11.4: the computations of the notebook that do not come from chapter 9, on other sizes and seeds"""
    mask = causal_mask(3)
    outputs = [attention(x @ W_Q, x @ W_K, x @ W_V, mask)[0][1] for x in map(content, ("man dog bites", "bites dog man"))]
    assert not np.allclose(*outputs)                                                                            # 1
    for dim in (16, 128):
        table = sinusoidal_encoding([0, 1, 62_832], dim)
        assert np.linalg.norm(table[2] - table[0]) > 2 * np.linalg.norm(table[1] - table[0])                    # 2
        assert (np.diff(inverse_frequencies(dim)) < 0).all()                                                    # 3
        alike = sinusoidal_encoding(np.arange(60), dim) @ sinusoidal_encoding([0], dim)[0]
        assert (np.diff(alike) > 0).any()                                                                       # 4
        vectors = np.random.default_rng(dim).normal(size=(200, 2, 1, dim))
        best = [pair_contributions(q, k, -np.arange(200), inverse_frequencies(dim)).sum(axis=-1).argmax() for q, k in vectors]
        assert (np.array(best) > 50).mean() > 0.5                                                               # 7
    assert len(set(relative_buckets(np.arange(-5000, -112), causal=True))) == 1                                 # 6
    q, k = np.random.default_rng(2).normal(size=(2, 1, 16))
    scores = [rotate(q, [9], inverse_frequencies(16), layout=layout) @ rotate(k, [2], inverse_frequencies(16), layout=layout).T
              for layout in ("interleaved", "half")]
    assert abs(scores[0] - scores[1]) > 0.1                                                                     # 9


def test_the_myths_about_length_fail_for_every_seed():
    """claim 11.4: 5, 8 and 10, which rest on chapter 9's table"""
    assert (measured("alibi", "none", 1024, "retrieval") < 0.9).all() and (measured("alibi", "none", 64, "order") < 0.5).all()
    assert (measured("rotary", "none", 1024, "retrieval") < 0.3).all()
    assert (measured("t5", "none", 1024, "loss") < measured("t5", "none", 64, "loss")).all()
    assert (measured("t5", "none", 1024, "retrieval") < 0.8).all()
