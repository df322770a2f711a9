"""What the trained decoders can do, scheme by scheme, and with a faulty cache; the stored tables are theirs. Files: test_weights.py."""

import functools
import re
import time

import evaluate
import evaluate_faults
import numpy as np
import pytest

from pe_lib.judging import judge
from pe_lib.model import next_token_logits
from pe_lib.tasks import COPY, FILL, needles
from pe_lib.teach.figures.long_context_evaluation import measured
from pe_lib.weights import FIXES, FOLDER, controls, evaluation, faults, fixed, load, names

ALL_KINDS = ["alibi-1", "learned-1", "none-1", "rotary-0", "rotary-0-pi", "rotary-0-plain", "rotary-0-yarn", "rotary_base_10-0", "sinusoidal-1", "t5-1"]


def logits_of(name, tokens):
    decoder = load(name)
    return next_token_logits(tokens, np.arange(tokens.shape[-1]), decoder.parameters, scheme=decoder.scheme)[0]


# ---- the files

def test_every_decoder_that_was_asked_for_is_there():
    seeds = {"alibi": 2, "learned": 2, "none": 2, "rotary": 3, "rotary_base_10": 2, "sinusoidal": 2, "t5": 2}
    wanted = [f"{scheme}-{seed}" for scheme, count in seeds.items() for seed in range(count)]
    wanted += [f"rotary-{seed}-{fix}" for seed in range(2) for fix in ("pi", "plain", "yarn")]
    assert names() == sorted(wanted)


def test_a_fresh_decoder_met_its_criterion_and_the_one_that_did_not_says_so():
    """Base 10 is hard to learn: its second seed ran to the last step it was given, at a retrieval of .95"""
    facts = {name: load(name).facts for name in names() if "parent" not in load(name).facts}
    assert [name for name in facts if not facts[name]["criterion reached"]] == ["rotary_base_10-1"]
    assert {one["criterion"]["retrieval"] for name, one in facts.items() if not name.startswith("none")} == {0.97}


def test_weights_are_kept_as_float16_and_used_as_float32():
    with np.load(FOLDER / "rotary-0.npz") as stored:
        assert {stored[key].dtype for key in stored.files if key != "facts"} == {np.dtype("float16")}
    assert logits_of("rotary-0", np.arange(4)).dtype == np.float32


# ---- with a cache

@pytest.mark.parametrize("name", ALL_KINDS)
def test_cached_logits_are_those_of_the_full_pass_at_every_step(name):
    """claim 7.5 on trained decoders: each prefix, a token at a time and in chunks"""
    decoder, tokens = load(name), needles(np.random.default_rng(2), 2, 64).tokens
    full = logits_of(name, tokens)
    for chunks in (range(65), (0, 40, 41, 57, 64)):
        caches = None
        for start, stop in zip(chunks, chunks[1:]):
            part, caches = next_token_logits(tokens[:, start:stop], np.arange(start, stop), decoder.parameters, caches, scheme=decoder.scheme)
            np.testing.assert_allclose(part, full[:, start:stop], atol=1e-4)


# ---- what the decoders can do; guessing gets .35 of the values and .06 of the copies

@functools.cache
def judged(scheme, fix, length, sequences):
    """Retrieval, order and loss on fresh text, the mean over the stored seeds."""
    found = [evaluate.evaluate(name, fix, length, sequences, seed=8000) for name in names() if re.fullmatch(scheme + r"-\d", name)]
    return {judge: np.mean([one[judge] for one in found]) for judge in ("loss", "retrieval", "order")}


@pytest.mark.parametrize("scheme, fix, length, sequences, bounds", [
    ("rotary", "as trained", 64, 96, {"retrieval": (0.99, 1), "order": (0.97, 1)}),
    ("rotary", "as trained", 256, 16, {"order": (0, 0.45)}),
    ("rotary", "interpolation", 128, 32, {"retrieval": (0.95, 1), "order": (0, 0.15)}),
    ("rotary", "YaRN, β = 4", 256, 16, {"retrieval": (0.97, 1), "order": (0.65, 1)}),
    ("rotary", "YaRN, β = 32", 256, 16, {"retrieval": (0.97, 1), "order": (0, 0.15)}),
    ("t5", "as trained", 64, 64, {"retrieval": (0.99, 1), "order": (0.97, 1), "loss": (2.2, 2.4)}),
    ("t5", "as trained", 1024, 8, {"retrieval": (0, 0.75), "loss": (2, 2.24)}),
    ("sinusoidal", "as trained", 256, 16, {"order": (0, 0.2), "retrieval": (0, 0.5)}),
    ("none", "as trained", 64, 64, {"retrieval": (0.95, 1), "order": (0, 0.35)}),
    ("alibi", "as trained", 64, 64, {"retrieval": (0.99, 1), "order": (0, 0.4)}),
])
def test_fresh_text_has_the_same_verdict(scheme, fix, length, sequences, bounds):
    found = judged(scheme, fix, length, sequences)
    assert {judge for judge, (least, most) in bounds.items() if not least <= found[judge] <= most} == set(), found


def mean_of(judge, scheme, length, fix="as trained", further=""):
    rows = [row[judge] for row in evaluation() if (row["scheme"], row["length"], row["fix"], row["trained further with"]) == (scheme, length, fix, further)]
    assert len(rows) >= 2
    return np.mean(rows)


def test_the_table_holds_what_chapter_9_teaches():
    """The stored table, means over seeds. T5 at 1,024 was expected at .5 or less; these seeds recall .45 and .63."""
    of_rotary = functools.partial(mean_of, scheme="rotary")
    assert of_rotary("retrieval", length=64) >= 0.99 and of_rotary("order", length=64) >= 0.99
    assert of_rotary("order", length=256) <= 0.45
    assert of_rotary("order", length=128, fix="interpolation") <= 0.15 and of_rotary("retrieval", length=128, fix="interpolation") >= 0.95
    assert of_rotary("retrieval", length=256, fix="YaRN, β = 4") >= 0.98 and of_rotary("order", length=256, fix="YaRN, β = 4") >= 0.65
    assert of_rotary("order", length=256, fix="YaRN, β = 32") <= 0.15
    assert 0.35 <= mean_of("retrieval", "t5", 1024) <= 0.65 and mean_of("loss", "t5", 1024) <= mean_of("loss", "t5", 64)
    assert of_rotary("order", length=256, further="pi") <= 0.25 < 0.99 <= of_rotary("order", length=256, further="plain")
    assert of_rotary("filler loss", length=256, further="pi") <= of_rotary("filler loss", length=256, further="plain")


def test_the_table_has_a_row_for_every_case():
    there = [(f"{row['scheme']}-{row['seed']}" + (f"-{row['trained further with']}" if row["trained further with"] else ""), row["fix"], row["length"])
             for row in evaluation()]
    assert there == list(evaluate.cases())


@pytest.mark.parametrize("name, fix, length", [
    ("rotary-1", "YaRN, β = 4", 128), ("rotary-0-pi", "as trained", 64), ("learned-1", "from the start again", 128), ("t5-0", "as trained", 128)])
def test_a_part_of_the_table_comes_out_again(name, fix, length):
    again = evaluate.evaluate(name, fix, length, evaluate.SEQUENCES[length])
    (stored,) = [row for row, case in zip(evaluation(), evaluate.cases()) if case == (name, fix, length)]
    assert {key: value for key, value in again.items() if isinstance(value, str | int)} == {
        key: value for key, value in stored.items() if isinstance(value, str | int)}
    for judge, off in {"loss": 0.002, "filler loss": 0.002, "retrieval": 0.01, "retrieval by depth": 0.02, "order": 0.03}.items():
        np.testing.assert_allclose(again[judge], stored[judge], atol=off)


def test_32_sequences_of_512_tokens_take_less_than_3_seconds():
    tokens, decoder = needles(np.random.default_rng(0), 32, 512).tokens, load("rotary-0")
    start = time.process_time()
    next_token_logits(tokens, np.arange(512), decoder.parameters, scheme=decoder.scheme)
    assert time.process_time() - start <= 3


# ---- faults of the cache

def of_case(column, case, scheme="rotary"):
    return np.array([row[column] for row in faults() if (row["scheme"], row["case"]) == (scheme, case)])


def test_a_query_one_too_far_is_right_about_facts_and_wrong_about_order():
    """claim 7.3 on trained decoders. Order was expected at .2 or less; .25 are right, and guessing gets .06"""
    assert len(of_case("order", "none")) == 3 and of_case("order", "none").min() == 1
    assert of_case("retrieval", "query one too far").min() >= 0.95
    assert of_case("order", "query one too far").mean() <= 0.35
    assert of_case("loss", "query one too far").mean() - of_case("loss", "none").mean() < 0.1


def test_what_is_named_instead_is_the_token_two_back():
    text = needles(np.random.default_rng(3), 64, 64, copies=0.15)
    row, place = np.nonzero((text.kinds == COPY) & (np.arange(64) >= 48))
    ordinary = text.kinds[row, place - 3] == FILL         # what the query one too far finds is an ordinary word
    row, place = row[ordinary], place[ordinary]
    for seed in range(3):
        named = evaluate_faults.decoded(load(f"rotary-{seed}"), text.tokens, "query one too far")[row, place - 1].argmax(axis=-1)
        assert len(row) >= 20 and (named == text.tokens[row, place - 3]).mean() >= 0.9


def test_shifting_all_positions_changes_no_rotary_logit_and_many_sinusoidal_ones():
    """claim 7.4 on trained decoders"""
    assert max(of_case("largest difference", f"all positions + {by}").max() for by in (1, 1000)) <= 1e-4
    assert of_case("largest difference", "all positions + 1", "sinusoidal").min() > 1
    assert of_case("retrieval", "all positions + 64", "sinusoidal").max() < 0.35


def test_a_part_of_the_faults_comes_out_again():
    again = list(evaluate_faults.rows("rotary", 1, faults=["none", "query one too far"]))
    stored = {row["case"]: row for row in faults() if (row["scheme"], row["seed"]) == ("rotary", 1)}
    assert [row["case"] for row in again] == ["no cache", "none", "query one too far", "all positions + 1", "all positions + 1000"]
    for row in again:
        for column in ("loss", "retrieval", "order", "two back", "divergence"):
            assert abs(row[column] - stored[row["case"]][column]) <= 0.02, (row, column)
        assert row["largest difference"] <= 1e-4 or row["case"] == "query one too far"


@pytest.mark.parametrize("factor, message", [(0.5, "factor must be at least 1, got 0.5"), (np.nan, "factor must be finite")])
def test_no_fix_shortens(factor, message):
    for fix in FIXES:
        with pytest.raises(ValueError, match=message):
            fixed(fix, factor)


def test_what_longer_training_changes():
    """claims 9.1, 9.2: rows of tools/controls.py, the same decoder, seeds and batches as the stored models"""
    rows = {(row["model"], row["steps"], row["length"]): row for row in controls()}
    assert len(rows) == 23 and all(0 <= row[judge] <= 1 for row in rows.values() for judge in ("retrieval", "order"))
    for seed in (0, 1):
        assert rows[f"alibi-{seed}", 4000, 64]["order"] > 0.8 and rows[f"alibi-{seed}", 4000, 1024]["order"] > 0.75
        assert load(f"alibi-{seed}").facts["steps"] < 1000
        assert rows[f"rotary-{seed}", 4750, 64]["retrieval"] == 1 and rows[f"rotary-{seed}", 4750, 256]["retrieval"] < 0.4
        order = [rows[f"rotary-{seed}-pi", steps, 256]["order"] for steps in (60, 200, 300, 500)]
        assert order[0] < 0.3 and order[2] > 0.9 and order[3] == 1 and order == sorted(order)
    assert rows["none-0", 4000, 64]["order"] < 0.4


def test_a_larger_factor_helps_the_ntk_aware_base():
    """claim 9.2, on other texts than the notebook's"""
    text, found = needles(np.random.default_rng(5), 16, 256, copies=0.1), {}
    for factor in (4, 8):
        judged = []
        for seed in range(3):
            logits, _ = next_token_logits(text.tokens, np.arange(256), load(f"rotary-{seed}").parameters, scheme=fixed("NTK-aware base", factor))
            judged.append([judge(logits, text)[name] for name in ("retrieval", "order")])
        found[factor] = np.mean(judged, axis=0)
    assert (found[8] > found[4]).all() and found[8][0] > 0.85 and found[8][1] > 0.95


def test_a_name_that_the_table_does_not_have_is_refused():
    for wrong in (("xpos", "none", 64, "order"), ("rotary", "magic", 64, "order"), ("rotary", "none", 65, "order")):
        with pytest.raises(ValueError, match="is not in the stored table: it has"):
            measured(*wrong)
