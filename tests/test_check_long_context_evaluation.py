"""The checks of chapter 9: right answers in several forms pass (classic mistakes: exercises/)."""

import numpy as np
import pytest

from pe_lib.frequencies import inverse_frequencies
from pe_lib.judging import judge
from pe_lib.scaling import llama3, ntk_by_parts, ramp_by_pair, ramp_by_turns
from pe_lib.tasks import Stream
from pe_lib.teach.checks import long_context_evaluation as checks


def retrieval_flat(logits, tokens, kinds):
    best, answers, asked = (part.reshape(-1) for part in (logits[:, :-1].argmax(-1), tokens[:, 1:], kinds[:, 1:] == 3))
    return np.sum((best == answers) * asked) / np.sum(asked)


def mix_by_weights(losses, kinds, shares):
    counts = np.bincount(kinds, minlength=6)
    weights = (shares / np.where(counts, counts, 1))[kinds]
    return weights @ losses


# claims 9.2 and 9.3, as a learner meets them in an exercise
RIGHT = [
    (checks.check_retrieval, checks.retrieval_by_loop),
    (checks.check_retrieval, retrieval_flat),
    (checks.check_retrieval, lambda logits, tokens, kinds: judge(logits, Stream(tokens, kinds, 0 * tokens))["retrieval"]),
    (checks.check_same_mix, checks.same_mix_by_loop),
    (checks.check_same_mix, mix_by_weights),
    (checks.check_my_frequencies, lambda w: np.where(64 * w / (2 * np.pi) >= 1, w, w / 4)),
    (checks.check_my_frequencies, lambda w: ntk_by_parts(w, 4, ramp_by_turns(w, 64, 1, 4))),
    (checks.check_my_frequencies, lambda w: ntk_by_parts(w, 4, ramp_by_pair(16, 10_000, 64))),
    (checks.check_my_frequencies, lambda w: llama3(w, 4, 1, 4, 64)),
]
UNTOUCHED = [("9.1", lambda logits, tokens, kinds: ...), ("9.2", lambda losses, kinds, shares: None), ("9.3", lambda inv_freq: ...)]


def test_what_the_check_measures_is_what_the_hints_say():
    """claim 9.2: retrieval and order at 256 tokens for the frequencies that the hints name"""
    w = inverse_frequencies(16)
    retrieval, order = checks.judged_at_256(w / 4)
    assert retrieval > 0.85 and order < 0.15
    retrieval, order = checks.judged_at_256(np.where(np.arange(8) < 1, w, w / 4))
    assert retrieval > 0.9 and 0.6 < order < 0.9
    assert 64 * w[1] / (2 * np.pi) == pytest.approx(3.2, abs=0.05)              # "three times in 64 tokens"
