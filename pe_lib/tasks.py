"""Sequences whose answers are known: they ask what was said about a key, and what stood three tokens back."""

from typing import NamedTuple

import numpy as np

from pe_lib._validate import finite_number, whole_number

# The vocabulary: 16 filler tokens, 8 keys, 8 values, and the marker that asks what stood three tokens before it.
FILLER, KEYS, VALUES, MARKER, VOCABULARY = 16, range(16, 24), range(24, 32), 32, 33
BACK = 3
# What each token is, which says how predictable it is.
KINDS = ("filler", "key", "new value", "recalled value", "marker", "copy")
FILL, KEY, NEW, RECALLED, MARK, COPY = range(6)


class Stream(NamedTuple):
    """Sequences with their answers: tokens (batch, n); kinds (batch, n), places in KINDS; depth (batch, n), of a needle, else -1.

    >>> Stream(tokens=[[16, 24]], kinds=[[KEY, NEW]], depth=[[-1, -1]]).kinds
    [[1, 2]]
    """

    tokens: np.ndarray
    kinds: np.ndarray
    depth: np.ndarray


def filler_chances():
    """The filler is a language of 16 words in which each word depends on the last one alone; its entropy is 1.97 nats.

    -> (16, 16), row: the last word, column: the next; rows sum to 1. Always the same table.

    Source: this course; a bigram drawn once from a Dirichlet distribution of concentration 0.3.

    >>> filler_chances().sum(axis=1).round(6).tolist() == [1.0] * 16
    True
    """
    return np.random.default_rng(0).dirichlet(np.full(FILLER, 0.3), size=FILLER)


def stream(rng, batch, length):
    """Training text: filler, pairs of key and value that recur, and markers that ask for the token three before them.

    rng, a NumPy generator; batch, length, counts -> Stream. In each sequence a key keeps its value, so that from its second
    time on the value can be recalled. One to six keys are in use, and pairs and markers are as frequent as chance has it.

    Raises: ValueError if a count is not an integer of at least 1.
    Source: this course; recall of pairs as in Arora et al. 2023 (Zoology), section 3.

    >>> text = stream(np.random.default_rng(0), batch=2, length=64)
    >>> text.tokens.shape, [KINDS[kind] for kind in text.kinds[0, :8]]
    ((2, 64), ['filler', 'filler', 'filler', 'filler', 'filler', 'filler', 'marker', 'copy'])
    """
    batch, length = whole_number(batch, "batch", least=1), whole_number(length, "length", least=1)
    rows = [_sentence(rng, length) for _ in range(batch)]
    tokens, kinds = (np.array(part, dtype=np.int64) for part in zip(*rows))
    return Stream(tokens, kinds, np.full(tokens.shape, -1))


def needles(rng, batch, length, copies=0.04):
    """Text to be judged: four pairs are told at four depths, the rest is filler and markers, and the end asks for all four.

    rng; batch, length, counts; copies, how often a marker asks -> Stream whose depth is 0 (told farthest back) to 3 (nearest)
    at the four recalled values.

    Raises: ValueError if batch is not an integer of at least 1, length not one of at least 32, or copies not from 0 to 1.
    Source: this course; depths as in Kamradt 2023 ("needle in a haystack").

    >>> text = needles(np.random.default_rng(0), batch=2, length=64)
    >>> sorted(text.depth[0, 57::2].tolist())
    [0, 1, 2, 3]
    """
    batch, length = whole_number(batch, "batch", least=1), whole_number(length, "length", least=32)
    if not 0 <= finite_number(copies, "copies") <= 1:
        raise ValueError(f"copies must be a share from 0 to 1, got {copies}")
    rows = [_haystack(rng, length, copies) for _ in range(batch)]
    return Stream(*(np.array(part, dtype=np.int64) for part in zip(*rows)))


def _sentence(rng, length):
    """One row of `stream`: its tokens and their kinds."""
    often_pairs, often_asks = rng.uniform(0.02, 0.30), rng.uniform(0.02, 0.15)
    keys, value_of, known = rng.permutation(KEYS)[:rng.integers(1, 7)], rng.choice(VALUES, size=64), set()
    row = _Row(rng)
    while len(row.tokens) < length:
        kind = rng.random()
        if kind < often_pairs:
            key = int(rng.choice(keys))
            row.add(key, KEY).add(value_of[key], RECALLED if key in known else NEW)
            known.add(key)
        elif kind < often_pairs + often_asks and row.may_ask():
            row.ask()
        else:
            row.add_filler()
    return row.tokens[:length], row.kinds[:length]


def _haystack(rng, length, copies):
    """One row of `needles`: its tokens, their kinds, and the depths of the recalled values."""
    keys, values = rng.permutation(KEYS)[:4], rng.choice(VALUES, size=4)
    room = length - 8                                      # the last eight tokens ask for the four values
    told = [int((depth + rng.uniform(0.1, 0.8)) * room / 4) for depth in range(4)]
    row = _Row(rng)
    while len(row.tokens) < room:
        left = room - len(row.tokens) - 2 * len(told)      # what may still be anything, so that all four are told
        if told and (len(row.tokens) >= told[0] or left < 1):
            told.pop(0)
            row.add(keys[3 - len(told)], KEY).add(values[3 - len(told)], NEW)
        elif rng.random() < copies and row.may_ask() and left >= 2:
            row.ask()
        else:
            row.add_filler()
    for depth in rng.permutation(4):
        row.add(keys[depth], KEY).add(values[depth], RECALLED, depth)
    return row.tokens, row.kinds, row.depth


class _Row:
    """One sequence while it is written."""

    def __init__(self, rng):
        self.rng, self.rising = rng, filler_chances().cumsum(axis=1)
        self.word = int(rng.integers(FILLER))
        self.tokens, self.kinds, self.depth = [], [], []

    def add(self, token, kind, depth=-1):
        for column, entry in zip((self.tokens, self.kinds, self.depth), (token, kind, depth)):
            column.append(int(entry))
        return self

    def add_filler(self):
        self.word = min(int(self.rising[self.word].searchsorted(self.rng.random())), FILLER - 1)
        self.add(self.word, FILL)

    def may_ask(self):
        return len(self.tokens) >= BACK and self.kinds[-BACK] == FILL

    def ask(self):
        answer = self.tokens[-BACK]
        self.add(MARKER, MARK).add(answer, COPY)
