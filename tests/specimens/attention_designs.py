"""Attention as some models have it by design: sound, and each named as a convention, not blamed."""

import numpy as np
from specimens.attention import causal, half, joined, mixed, pairs, softmax


def scores_of(q, k, positions):
    return half(q, positions) @ half(k, positions).T / np.sqrt(q.shape[-1])


def places_of(x):
    rows = np.arange(len(x))
    return rows[:, None], rows


# --- scores ----------------------------------------------------------------------------------------------------------


def capped_at(q, k, v, positions, cap=30.0):
    scores = cap * np.tanh(scores_of(q, k, positions) / cap)
    return softmax(scores + causal(len(q), len(k))) @ v


def capped_low(q, k, v, positions):
    """tanh keeps scores below 2."""
    return capped_at(q, k, v, positions, 2.0)


def cosine(q, k, v, positions):
    """q and k of length 1, and the cosine times 10."""
    q, k = (x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-12) for x in (q, k))
    return mixed(half(q, positions) * 10 * np.sqrt(q.shape[1]), half(k, positions), v)


def weak_cosine(q, k, v, positions):
    """q and k of length 1, and divided by sqrt(d) as well."""
    q, k = (x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-12) for x in (q, k))
    return mixed(half(q, positions), half(k, positions), v)


def root_mean_square(q, k, v, positions):
    """The norm of q and k that several models have, without gains."""
    q, k = (x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-6) for x in (q, k))
    return mixed(pairs(q, positions), pairs(k, positions), v)


def single_precision(q, k, v, positions):
    """All in float32."""
    t = positions.astype(np.float32)[:, None] * (10_000.0 ** (-np.arange(0, q.shape[1], 2) / q.shape[1])).astype(np.float32)
    q, k = (np.concatenate([a * np.cos(t) - b * np.sin(t), a * np.sin(t) + b * np.cos(t)], axis=1).astype(np.float32)
            for a, b in (np.split(x, 2, axis=1) for x in (q, k)))
    return mixed(q, k, v.astype(np.float32))


def rounded_table(q, k, v, positions):
    """Cosines and sines in float16."""
    t = np.tile(positions[:, None] * 10_000.0 ** (-np.arange(0, q.shape[1], 2) / q.shape[1]), 2)
    c, s = np.cos(t).astype(np.float16), np.sin(t).astype(np.float16)
    q, k = (x * c + np.concatenate(np.split(x, 2, axis=1)[::-1], axis=1) * np.repeat([-1, 1], x.shape[1] // 2) * s for x in (q, k))
    return mixed(q, k, v)


def longer_later(q, k, v, positions):
    """Log-n scaling: later queries are longer."""
    return mixed(half(q, positions) * np.log(positions[:, None] + 3), half(k, positions), v)


def norm_with_gains(q, k, v, positions):
    """The same norm with learned gains, others for q than for k."""
    gains = np.exp(np.random.default_rng(4).normal(size=(2, q.shape[1])) * 0.3)
    q, k = (x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-6) * gain for x, gain in zip((q, k), gains))
    return mixed(half(q, positions), half(k, positions), v)


def sink(q, k, v, positions, logit=0.0):
    """One more term in the sum of the softmax."""
    e = np.exp(scores_of(q, k, positions) + causal(len(q), len(k)))
    return e / (np.exp(logit) + e.sum(axis=1, keepdims=True)) @ v


def learned_sink(q, k, v, positions):
    return sink(q, k, v, positions, 2.0)


def growing(q, k, v, positions):
    """xPos: queries grow as keys shrink."""
    width = q.shape[1]
    base = np.tile((np.arange(0, width, 2) + 0.4 * width) / (1.4 * width), 2)
    factor = base ** ((positions[:, None] - 16) / 512)
    return mixed(half(q, positions) * factor, half(k, positions) / factor, v)


# --- who sees whom ---------------------------------------------------------------------------------------------------


def chunks(q, k, v, positions):
    """Chunks of four tokens, by position."""
    i, j = positions[:, None], positions
    return softmax(scores_of(q, k, positions) + np.where((j <= i) & (i // 4 == j // 4), 0, -np.inf)) @ v


def first_and_last(q, k, v, positions):
    """The first two tokens and a window of three."""
    i, j = places_of(q)
    return softmax(scores_of(q, k, positions) + np.where((j <= i) & ((j > i - 3) | (j < 2)), 0, -np.inf)) @ v


def prefix(q, k, v, positions):
    """The first three tokens are seen by all."""
    i, j = places_of(q)
    return softmax(scores_of(q, k, positions) + np.where((j <= i) | (j < 3), 0, -np.inf)) @ v


def long_window(q, k, v, positions):
    """A window of twelve positions."""
    i, j = positions[:, None], positions
    return softmax(scores_of(q, k, positions) + np.where((j <= i) & (j > i - 12), 0, -np.inf)) @ v


# --- caches ----------------------------------------------------------------------------------------------------------


def cached_by_slot(q, k, v, positions, cache=None):
    """A static cache: the slot of a key is its position, and the mask compares slots with positions."""
    k_slots, v_slots = np.zeros((2, 128, q.shape[1])) if cache is None else cache
    k_slots, v_slots = k_slots.copy(), v_slots.copy()
    k_slots[positions], v_slots[positions] = half(k, positions), v
    mask = np.where(np.arange(128) <= positions[:, None], 0, -np.inf)
    return mixed(half(q, positions), k_slots, v_slots, mask), (k_slots, v_slots)


def cached_from_the_start(q, k, v, positions, cache=None):
    """Slots and positions are counted from the first one given."""
    start, count = int(positions[0]), len(q)
    places = np.arange(start, start + count)
    k_slots, v_slots = np.zeros((2, 128, q.shape[1])) if cache is None else (part.copy() for part in cache)
    k_slots[places], v_slots[places] = pairs(k, places), v
    end = start + count
    return mixed(pairs(q, places), k_slots[:end], v_slots[:end]), (k_slots, v_slots)


def cached_recounted(q, k, v, positions, cache=None):
    """The last twelve keys are kept unturned, and turned by their places in the cache."""
    if cache is None and len(q) > 1:  # as if token by token
        steps = []
        for i in range(len(q)):
            output, cache = cached_recounted(q[i : i + 1], k[i : i + 1], v[i : i + 1], positions[i : i + 1], cache or (k[:0], v[:0]))
            steps.append(output)
        return np.concatenate(steps), cache
    outputs, (old_k, old_v) = [], (k[:0], v[:0]) if cache is None else cache
    for i in range(len(q)):
        old_k, old_v = np.concatenate([old_k, k[i : i + 1]])[-12:], np.concatenate([old_v, v[i : i + 1]])[-12:]
        places = np.arange(len(old_k))
        outputs.append(mixed(half(q[i : i + 1], places[-1:]), half(old_k, places), old_v))
    return np.concatenate(outputs), (old_k, old_v)


def cached_ring(q, k, v, positions, cache=None, slots=16):
    """A ring of sixteen slots, each with the position of its key."""
    ring_k, ring_v, places, count = (*np.zeros((2, slots, q.shape[1])), np.full(slots, -1), 0) if cache is None else cache
    ring_k, ring_v, places, outputs = ring_k.copy(), ring_v.copy(), places.copy(), []
    for i in range(len(q)):
        slot, count = count % slots, count + 1
        ring_k[slot], ring_v[slot], places[slot] = half(k[i : i + 1], positions[i : i + 1])[0], v[i], positions[i]
        outputs.append(mixed(half(q[i : i + 1], positions[i : i + 1]), ring_k, ring_v, np.where(places < 0, -np.inf, 0)[None]))
    return np.concatenate(outputs), (ring_k, ring_v, places, count)


def cached_first_and_last(q, k, v, positions, cache=None):
    """The first four keys and the last eight stay, unturned, and are turned by their places in the cache."""
    old_k, old_v, outputs = *((k[:0], v[:0]) if cache is None else cache), []
    for i in range(len(q)):
        old_k, old_v = np.concatenate([old_k, k[i : i + 1]]), np.concatenate([old_v, v[i : i + 1]])
        if len(old_k) > 12:
            old_k, old_v = np.delete(old_k, 4, axis=0), np.delete(old_v, 4, axis=0)
        places = np.arange(len(old_k))
        outputs.append(mixed(half(q[i : i + 1], places[-1:]), half(old_k, places), old_v))
    return np.concatenate(outputs), (old_k, old_v)


def cached_chunks(q, k, v, positions, cache=None):
    """Chunks of eight, by position."""
    k, v, places = joined(cache, half(k, positions), v, positions[:, None])
    i, j = positions[:, None], places[:, 0]
    return mixed(half(q, positions), k, v, np.where((j <= i) & (i // 8 == j // 8), 0, -np.inf)), (k, v, places)


def cached_in_eight_bits(q, k, v, positions, cache=None):
    """Keys and values are kept as whole numbers up to 127 and one factor a token."""
    def rough(x):
        step = np.abs(x).max(axis=-1, keepdims=True) / 127 + 1e-12
        return np.rint(x / step) * step

    k, v = joined(cache, rough(half(k, positions)), rough(v))
    return mixed(half(q, positions), k, v), (k, v)


def short_table(q, k, v, positions):
    """A table of 40 positions, and an IndexError beyond."""
    table = np.arange(40)[positions]
    return mixed(half(q, table), half(k, table), v)


def a_list_of_two(q, k, v, positions):
    weights = mixed(half(q, positions), half(k, positions), np.eye(len(v)))
    return [weights @ v, weights]


def cached_with_a_full_buffer(q, k, v, positions, cache=None):
    """Sixteen slots, and an error when they are full."""
    k, v = joined(cache, half(k, positions), v)
    if len(k) > 16:
        raise ValueError("the cache is full")
    return mixed(half(q, positions), k, v), (k, v)
