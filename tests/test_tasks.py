"""The sequences with known answers: what they promise is counted, token by token, by an independent reading."""

import re

import numpy as np
import pytest

from pe_lib.tasks import BACK, COPY, FILL, FILLER, KEY, KEYS, MARK, MARKER, NEW, RECALLED, VALUES, VOCABULARY, filler_chances, needles, stream


def read(tokens):
    """The kinds of a row, found again from its tokens alone."""
    kinds, known, previous = [], {}, None
    for place, token in enumerate(tokens):
        if previous == MARKER:
            assert token == tokens[place - 1 - BACK]
            kinds.append(COPY)
        elif previous in KEYS:
            kinds.append(RECALLED if previous in known else NEW)
            assert known.setdefault(previous, token) == token and token in VALUES
        else:
            kinds.append(KEY if token in KEYS else MARK if token == MARKER else FILL)
            assert token in (*range(FILLER), *KEYS, MARKER)
        previous = token
    return kinds


@pytest.mark.parametrize("make", [stream, needles])
@pytest.mark.parametrize("length", [64, 200])
def test_kinds_say_what_a_reader_of_the_tokens_finds(make, length):
    text = make(np.random.default_rng(1), 20, length)
    assert text.tokens.shape == text.kinds.shape == text.depth.shape == (20, length)
    assert [read(row) for row in text.tokens.tolist()] == text.kinds.tolist()
    assert (text.tokens.min(), text.tokens.max()) == (0, VOCABULARY - 1)


def test_a_needle_is_told_once_at_its_depth_and_asked_once_at_the_end():
    text = needles(np.random.default_rng(2), 50, 128)
    for tokens, kinds, depth in zip(*text):
        assert (kinds == NEW).sum() == (kinds == RECALLED).sum() == 4 and sorted(depth[depth >= 0]) == [0, 1, 2, 3]
        assert kinds[-8:].tolist() == [KEY, RECALLED] * 4
        told = {tokens[place - 1]: place for place in np.flatnonzero(kinds == NEW)}
        order = [told[tokens[place - 1]] for place in np.argsort(depth)[-4:]]     # by depth, farthest first
        assert order == sorted(order)
        assert all(quarter * 30 <= place <= (quarter + 1) * 30 + 2 for quarter, place in enumerate(order))


@pytest.mark.parametrize("length", [32, 33, 40, 64])
@pytest.mark.parametrize("copies", [0.0, 0.5, 1.0])
def test_however_short_and_full_of_questions_all_four_are_told(length, copies):
    text = needles(np.random.default_rng(0), 100, length, copies)
    assert text.tokens.shape == (100, length) and ((text.kinds == NEW).sum(axis=1) == 4).all()
    assert [read(row) for row in text.tokens.tolist()] == text.kinds.tolist()


def test_copies_can_be_asked_as_often_as_wanted():
    asked = [(needles(np.random.default_rng(3), 40, 256, copies).kinds == COPY).mean() for copies in (0.0, 0.01, 0.04, 0.15)]
    assert asked[0] == 0 and 0.005 < asked[1] < asked[2] < 0.06 < asked[3]


def test_the_filler_is_a_bigram_with_the_entropy_it_says():
    chances = filler_chances()
    stationary = np.linalg.matrix_power(chances, 200)[0]
    entropy = -(stationary[:, None] * chances * np.log(np.where(chances > 0, chances, 1))).sum()
    assert abs(entropy - 1.97) < 0.005                     # the docstring's number
    text = needles(np.random.default_rng(4), 1, 40_000, copies=0.0)
    filler = text.tokens[0][text.kinds[0] == FILL]
    seen = np.zeros((FILLER, FILLER))
    np.add.at(seen, (filler[:-1], filler[1:]), 1)
    assert abs(seen / seen.sum(axis=1, keepdims=True) - chances).max() < 0.08


def test_the_same_seed_gives_the_same_text_and_another_one_another():
    one, again, other = (stream(np.random.default_rng(seed), 2, 64).tokens for seed in (0, 0, 1))
    assert (one == again).all() and (one != other).any()


@pytest.mark.parametrize("call, message", [
    (lambda: stream(np.random.default_rng(0), 0, 64), "batch must be an integer of at least 1, got 0"),
    (lambda: stream(np.random.default_rng(0), 1, 0), "length must be an integer of at least 1, got 0"),
    (lambda: needles(np.random.default_rng(0), 1, 31), "length must be an integer of at least 32, got 31"),
    (lambda: needles(np.random.default_rng(0), 1.5, 64), "batch must be an integer of at least 1, got 1.5"),
    (lambda: needles(np.random.default_rng(0), 1, 64, copies=1.5), "copies must be a share from 0 to 1, got 1.5"),
])
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        call()
