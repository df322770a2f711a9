"""Faulty caches of chapter 7: each is `pe_lib.cache.attend` with one number changed, and wrong from the first step on."""

from typing import Callable, NamedTuple

import numpy as np

from pe_lib.attention import attention, causal_mask, softmax
from pe_lib.cache import Cache, attend
from pe_lib.judging import judge
from pe_lib.model import next_token_logits
from pe_lib.rotary import rotate
from pe_lib.tasks import needles
from pe_lib.weights import load

CAPACITY = 16


def top_left_mask(n_query, n_key):
    """The causal mask at the wrong corner: query i of the new ones sees the first i + 1 keys of all."""
    return np.where(np.arange(n_key) <= np.arange(n_query)[:, None], 0.0, -np.inf)


def top_left_for_chunks(n_query, n_key):
    """As many programs have it: a single new token gets no mask, several get one at the wrong corner."""
    return causal_mask(n_query, n_key) if n_query == 1 else top_left_mask(n_query, n_key)


def _same(positions):
    return positions


def _next(positions):
    return positions + 1


class Fault(NamedTuple):
    """What a program makes of positions (n,) once it has a cache; without a cache it is right."""

    query: Callable = _same     # where it turns the new queries to
    key: Callable = _same       # where the new keys stand in their own step
    kept: Callable | None = None   # where they stand in the cache; None: as in their own step
    read: Callable = _same      # where cached keys stand when they are read again
    mask: Callable = causal_mask


FAULTS = {
    "none": Fault(),
    "query one too far": Fault(query=_next),
    "query and key one too far": Fault(query=_next, key=_next),
    "restart at 0": Fault(query=lambda p: p - p[..., :1], key=lambda p: p - p[..., :1]),
    "capacity as position": Fault(query=lambda p: CAPACITY + p - p[..., :1], key=lambda p: CAPACITY + p - p[..., :1]),
    "cached keys turned twice": Fault(read=lambda p: 2 * p),
    "cached keys not turned": Fault(read=lambda p: 0 * p),
    "new keys cached unturned": Fault(kept=lambda p: 0 * p),
    "mask top-left": Fault(mask=top_left_mask),
    "mask top-left for chunks": Fault(mask=top_left_for_chunks),
}


def attend_with(fault):
    """The faulty program: called as `pe_lib.cache.attend` is, with the true positions."""
    def faulty(q, k, v, positions, inv_freq, cache=None, *, bias=0.0):
        if cache is None:
            return attend(q, k, v, positions, inv_freq, bias=bias)
        p = np.asarray(positions, float)
        own, stays = (rotate(k, at(p), inv_freq) for at in (fault.key, fault.kept or fault.key))
        seen = rotate(cache.keys, fault.read(cache.positions) - cache.positions, inv_freq)
        values = np.concatenate([cache.values, v], axis=-2)
        mask = fault.mask(q.shape[-2], values.shape[-2]) + bias
        output, _ = attention(rotate(q, fault.query(p), inv_freq), np.concatenate([seen, own], axis=-2), values, mask)
        kept_at = (fault.kept or fault.key)(p)
        return output, Cache(np.concatenate([cache.keys, stays], axis=-2), values, np.concatenate([cache.positions, kept_at]))
    return faulty


def pieces(n, prompt, chunk):
    """How n tokens come in: the prompt at once, then a chunk at a time; a list of slices."""
    starts = [0, *range(prompt, n, chunk)]
    return [slice(start, stop) for start, stop in zip(starts, [*starts[1:], n])]


def decode(fault, q, k, v, inv_freq, rows):
    """The outputs (n, d_value) of one head that is fed the rows of each slice in turn."""
    program, cache, outputs = attend_with(fault), None, []
    for part in rows:
        output, cache = program(q[part], k[part], v[part], np.arange(part.start, part.stop), inv_freq, cache)
        outputs.append(output)
    return np.concatenate(outputs)


def far_off(outputs, right):
    """Each row's error as a share of its length."""
    return np.linalg.norm(outputs - right, axis=-1) / np.linalg.norm(right, axis=-1)


def effective_offsets(fault, rows):
    """Key minus query as the program has them, (n, n); NaN where it does not look."""
    n, kept = rows[-1].stop, np.zeros(0)
    table = np.full((n, n), np.nan)
    for part in rows:
        p = np.arange(part.start, part.stop, dtype=float)
        now = fault if part.start else Fault()                      # the prompt is right
        keys = np.concatenate([now.read(kept), now.key(p)])
        looks = now.mask(len(p), part.stop) == 0
        table[part, : part.stop] = np.where(looks, keys - now.query(p)[:, None], np.nan)
        kept = np.concatenate([kept, (now.kept or now.key)(p)])
    return table


def decode_logits(fault, tokens, parameters, rows):
    """The vocabulary logits (n, vocabulary) of a whole decoder whose every layer has the fault."""
    caches, logits = None, []
    for part in rows:
        some, caches = next_token_logits(tokens[part], np.arange(part.start, part.stop), parameters, caches, attend=attend_with(fault))
        logits.append(some)
    return np.concatenate(logits)


def judge_trained(fault, sequences=64, prompt=40):
    """What the three judges of chapter 9 say of trained decoders that are fed a token at a time behind a prompt: the mean over three seeds."""
    text, found = needles(np.random.default_rng(3), sequences, 64, copies=0.15), []
    for seed in range(3):
        parameters, caches, logits = load(f"rotary-{seed}").parameters, None, []
        for part in pieces(64, prompt, 1):
            some, caches = next_token_logits(text.tokens[:, part], np.arange(part.start, part.stop), parameters, caches, attend=attend_with(fault))
            logits.append(some)
        found.append(judge(np.concatenate(logits, axis=1), text))
    return {name: float(np.mean([one[name] for one in found])) for name in ("filler loss", "retrieval", "order")}


def divergence(right, other):
    """How far each row's prediction has moved, (n,) nats: Kullback and Leibler's, from right to other."""
    right, other = (x - x.max(axis=1, keepdims=True) for x in (right, other))
    logs = [x - np.log(np.exp(x).sum(axis=1, keepdims=True)) for x in (right, other)]
    return np.maximum((np.exp(logs[0]) * (logs[0] - logs[1])).sum(axis=1), 0.0)
