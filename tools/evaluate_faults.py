"""Runs the trained decoders with the cache faults of chapter 7, in NumPy, and writes pe_lib/weights/faults.json (half a minute).

    python tools/evaluate_faults.py

A prompt of 47 tokens comes in at once and 17 more one at a time, all of them given, so a fault acts on the last quarter only.
There the four values are recalled and the copies are counted. Each row says how far the logits are from the right ones, what
the three judges make of them, and how often the token two back is named where the one three back was asked for.
"""

import sys
from pathlib import Path

import numpy as np
import tables

sys.path.insert(0, str(Path(__file__).parents[1]))
from pe_lib.attention import softmax  # noqa: E402
from pe_lib.judging import chance, judge  # noqa: E402
from pe_lib.model import next_token_logits  # noqa: E402
from pe_lib.tasks import BACK, COPY, needles  # noqa: E402
from pe_lib.teach.figures.cached_decoding_faults import FAULTS, attend_with, pieces  # noqa: E402
from pe_lib.weights import TRAINED, load  # noqa: E402

PROMPT, SEQUENCES, COPIES = 47, 192, 0.15            # copies: many, so that a share has 109 answers
SHIFTS = {"rotary": (1, 1000), "sinusoidal": (1, 16, 64)}      # tokens added to all positions alike


def decoded(decoder, tokens, fault="none", shift=0):
    """The logits of a prompt and of single steps after it; shift is added to every position."""
    parts, caches = [], None
    for rows in pieces(tokens.shape[-1], PROMPT, 1):
        positions = np.arange(tokens.shape[-1])[rows] + shift
        logits, caches = next_token_logits(tokens[..., rows], positions, decoder.parameters, caches, scheme=decoder.scheme,
                                           attend=attend_with(FAULTS[fault]))
        parts.append(logits)
    return np.concatenate(parts, axis=-2)


def compared(wrong, right):
    """How far the decoded logits are from the right ones: the largest difference, and the mean divergence in nats."""
    wrong, right = (part[:, PROMPT:].astype(float) for part in (wrong, right))
    chances, others = softmax(right), softmax(wrong)
    divergence = (chances * np.log((chances + 1e-30) / (others + 1e-30))).sum(axis=-1).mean()
    return {"largest difference": float(f"{abs(wrong - right).max():.2g}"), "divergence": round(float(divergence), 3)}


def named_two_back(logits, text):
    """The share of late order questions that are answered with the token one too near."""
    late = np.arange(text.tokens.shape[1]) >= TRAINED * 3 // 4
    row, place = np.nonzero((text.kinds == COPY) & late)
    return round(float((logits[row, place - 1].argmax(axis=-1) == text.tokens[row, place - BACK]).mean()), 3)


def rows(scheme, seed, sequences=SEQUENCES, faults=FAULTS):
    """The table of one decoder; the first row is the full pass without a cache."""
    decoder, text = load(f"{scheme}-{seed}"), needles(np.random.default_rng(7000), sequences, TRAINED, COPIES)
    right, _ = next_token_logits(text.tokens, np.arange(TRAINED), decoder.parameters, scheme=decoder.scheme)
    cases = {"no cache": lambda: right}
    if scheme == "rotary":
        cases |= {fault: lambda fault=fault: decoded(decoder, text.tokens, fault) for fault in faults}
    cases |= {f"all positions + {by}": lambda by=by: decoded(decoder, text.tokens, shift=by) for by in SHIFTS[scheme]}
    for case, logits_of in cases.items():
        logits = logits_of()
        found = {name: round(float(value), 3) for name, value in judge(logits, text).items() if np.ndim(value) == 0}
        yield {"scheme": scheme, "seed": seed, "case": case, "sequences": sequences, **compared(logits, right), **found,
               "two back": named_two_back(logits, text)}


if __name__ == "__main__":
    table = [row for scheme, seeds in (("rotary", 3), ("sinusoidal", 2)) for seed in range(seeds) for row in rows(scheme, seed)]
    for row in table:
        print(*row.values())
    print("guessing:", chance(needles(np.random.default_rng(7000), SEQUENCES, TRAINED, COPIES)))
    tables.write("faults.json", table)
