"""The judges: perfect, uniform and one-sided logits have known verdicts."""

import re

import numpy as np
import pytest

from pe_lib.judging import chance, judge
from pe_lib.tasks import COPY, FILL, NEW, RECALLED, VOCABULARY, Stream, needles, stream

TEXT = needles(np.random.default_rng(0), 24, 256)
NEXT = np.roll(TEXT.tokens, -1, axis=1)
SURE = np.eye(VOCABULARY)[NEXT] * 50


def test_perfect_logits_are_right_everywhere():
    found = judge(SURE, TEXT)
    assert found["loss"] < 1e-9 and found["retrieval"] == found["order"] == 1 and (found["retrieval by depth"] == 1).all()


def test_uniform_logits_lose_the_logarithm_of_the_vocabulary():
    """33 tokens: ln 33 = 3.497 nats"""
    found = judge(np.zeros(SURE.shape), TEXT)
    assert round(found["loss"], 3) == round(found["filler loss"], 3) == 3.497
    assert found["retrieval"] == 0                         # the first of equal logits is token 0, which is no value


@pytest.mark.parametrize("kind, name", [(RECALLED, "retrieval"), (COPY, "order")])
def test_each_accuracy_sees_its_own_answers(kind, name):
    wrong = np.where((np.roll(TEXT.kinds, -1, axis=1) == kind)[..., None], -SURE, SURE)
    found = judge(wrong, TEXT)
    assert found[name] == 0 and {"retrieval": found["retrieval"], "order": found["order"], name: 1.0} == {"retrieval": 1, "order": 1}


def test_depths_are_counted_from_the_farthest():
    wrong = np.where((np.roll(TEXT.depth, -1, axis=1) == 0)[..., None], -SURE, SURE)
    assert judge(wrong, TEXT)["retrieval by depth"].tolist() == [0, 1, 1, 1]


def test_the_filler_loss_is_that_of_the_last_quarter():
    early = (np.arange(256) < 190)[None, :, None] & (np.roll(TEXT.kinds, -1, axis=1) == FILL)[..., None]
    found = judge(np.where(early, 0, SURE), TEXT)
    assert found["filler loss"] < 1e-9 < 1 < found["loss"]


def test_what_is_not_asked_has_no_verdict():
    assert np.isnan(judge(np.zeros((2, 64, VOCABULARY)), needles(np.random.default_rng(0), 2, 64, copies=0.0))["order"])


def test_chance_is_what_a_guesser_gets():
    guessed = chance(TEXT)
    assert round(guessed["loss"], 3) == 3.497 and guessed["order"] == 1 / 16
    told = [tokens[kinds == NEW] for tokens, kinds in zip(*TEXT[:2])]
    rng, right = np.random.default_rng(1), []
    for _ in range(200):
        right += [rng.choice(values) == answer for values, tokens, kinds in zip(told, *TEXT[:2]) for answer in tokens[kinds == RECALLED]]
    assert abs(np.mean(right) - guessed["retrieval"]) < 0.015


def test_chance_where_nothing_is_asked():
    text = Stream(np.zeros((1, 4), int), np.full((1, 4), FILL), np.full((1, 4), -1))
    assert np.isnan([chance(text)["retrieval"], chance(text)["order"]]).all()


def test_a_single_token_has_nothing_to_be_judged():
    assert np.isnan([judge(np.zeros((1, 1, VOCABULARY)), stream(np.random.default_rng(0), 1, 1))[name] for name in ("loss", "retrieval", "order")]).all()


@pytest.mark.parametrize("logits, message", [
    (np.zeros((24, 256, 5)), "logits must be one row for each token, (24, 256, 33), got shape (24, 256, 5)"),
    (np.full(SURE.shape, np.nan), "logits must be finite, got nan"),
])
def test_bad_input_is_refused(logits, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        judge(logits, TEXT)
