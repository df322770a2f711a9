"""Attention with rotary positions, broken in rarer ways, or only where sequences are long or positions far."""

import numpy as np
from specimens.attention import causal, half, joined, mixed, pairs, softmax
from specimens.attention_designs import cached_by_slot, scores_of

# --- one pass --------------------------------------------------------------------------------------------------------


def wrapped_table(q, k, v, positions):
    """A table of 1000 positions, read modulo its size."""
    return mixed(half(q, positions % 1000), half(k, positions % 1000), v)


def far_table(q, k, v, positions):
    """A table of 8192 positions, the last of which serves all beyond."""
    places = np.minimum(positions, 8191)
    return mixed(half(q, places), half(k, places), v)


def divided_by_length(q, k, v, positions):
    places = positions / len(positions)
    return mixed(half(q, places), half(k, places), v)


def base_by_length(q, k, v, positions):
    """The base grows with the last position."""
    base = 10_000.0 * max(1, (positions.max() + 1) / 16) ** (8 / 6)
    return mixed(half(q, positions, base), half(k, positions, base), v)


def absolute_values(q, k, v, positions):
    return mixed(half(q, positions), half(k, positions), np.abs(v))


def own_value_added(q, k, v, positions):
    return mixed(half(q, positions), half(k, positions), v) + v


def twice_the_output(q, k, v, positions):
    return 2 * mixed(half(q, positions), half(k, positions), v)


def rows_reversed(q, k, v, positions):
    return mixed(half(q, positions), half(k, positions), v)[::-1]


def values_rolled(q, k, v, positions):
    return mixed(half(q, positions), half(k, positions), np.roll(v, 1, axis=0))


def rows_rolled(q, k, v, positions):
    return np.roll(mixed(half(q, positions), half(k, positions), v), 1, axis=0)


def values_reversed(q, k, v, positions):
    return mixed(half(q, positions), half(k, positions), v[::-1])


def half_of_the_value(q, k, v, positions):
    return 0.5 * mixed(half(q, positions), half(k, positions), v) + 0.5 * v


def queries_at_five(q, k, v, positions):
    return mixed(half(q, np.full(len(q), 5)), half(k, positions), v)


def mean_taken_off(q, k, v, positions):
    return mixed(half(q, positions), half(k, positions), v - v.mean(axis=1, keepdims=True))


def powers_of_two(q, k, v, positions):
    e = 2.0 ** (scores_of(q, k, positions) + causal(len(q), len(k)))
    return e / e.sum(axis=1, keepdims=True) @ v


def negative_scale(q, k, v, positions):
    return mixed(-half(q, positions), half(k, positions), v)


def queries_permuted(q, k, v, positions):
    """Neighbours turned, the queries written as halves, the keys not."""
    q = pairs(q, positions)
    return mixed(np.concatenate([q[:, ::2], q[:, 1::2]], axis=1), pairs(k, positions), v)


def whole_angles(q, k, v, positions):
    t = (positions[:, None] * 10_000.0 ** (-np.arange(0, q.shape[1], 2) / q.shape[1])).astype(int)
    q, k = (np.concatenate([a * np.cos(t) - b * np.sin(t), a * np.sin(t) + b * np.cos(t)], axis=1)
            for a, b in (np.split(x, 2, axis=1) for x in (q, k)))
    return mixed(q, k, v)


def only_queries_grow(q, k, v, positions):
    """Half of xPos."""
    return mixed(half(q, positions) * 0.9 ** (positions[:, None] / 32), half(k, positions), v)


def only_queries_normalised(q, k, v, positions):
    q = q / np.maximum(np.linalg.norm(q, axis=-1, keepdims=True), 1e-12)
    return mixed(half(q, positions), half(k, positions), v)


def norm_without_care(q, k, v, positions):
    """A row of zeros is divided by its length."""
    q, k = (x / np.linalg.norm(x, axis=-1, keepdims=True) for x in (q, k))
    return mixed(half(q, positions), half(k, positions), v)


_COINS = np.random.default_rng(0)


def dropout(q, k, v, positions):
    weights = mixed(half(q, positions), half(k, positions), np.eye(len(v)))
    return weights * (_COINS.random(weights.shape) > 0.1) / 0.9 @ v


def every_second_key(q, k, v, positions):
    apart = np.arange(len(q))[:, None] - np.arange(len(q))
    return softmax(scores_of(q, k, positions) + np.where((apart >= 0) & (apart % 2 == 0), 0, -np.inf)) @ v


def whole_numbers(q, k, v, positions):
    return mixed(half(q, positions), half(k, positions), v).astype(int)


def leaves(q, k, v, positions):
    raise SystemExit(3)


# --- with a cache ----------------------------------------------------------------------------------------------------


def only_the_last_row(q, k, v, positions, cache=None):
    k = half(k, positions)
    if cache is not None:
        k, v = np.concatenate([cache[0], k]), np.concatenate([cache[1], v])
    return mixed(half(q, positions), k, v)[-1:], (k, v)


def last_slot_written_over(q, k, v, positions, cache=None):
    """Sixteen slots; when they are full the last one is used again and again."""
    old_k, old_v, outputs = *((k[:0], v[:0]) if cache is None else cache), []
    for i in range(len(q)):
        new_k = half(k[i : i + 1], positions[i : i + 1])
        old_k, old_v = np.concatenate([old_k[:15], new_k]), np.concatenate([old_v[:15], v[i : i + 1]])
        outputs.append(mixed(half(q[i : i + 1], positions[i : i + 1]), old_k, old_v))
    return np.concatenate(outputs), (old_k, old_v)


def full_cache_ignored(q, k, v, positions, cache=None):
    """Sixteen slots; later keys are not kept, and nobody is told."""
    old_k, old_v, outputs = *((k[:0], v[:0]) if cache is None else cache), []
    for i in range(len(q)):
        if len(old_k) < 16:
            old_k = np.concatenate([old_k, half(k[i : i + 1], positions[i : i + 1])])
            old_v = np.concatenate([old_v, v[i : i + 1]])
        outputs.append(mixed(half(q[i : i + 1], positions[i : i + 1]), old_k, old_v))
    return np.concatenate(outputs), (old_k, old_v)


def ring_turned_by_slot(q, k, v, positions, cache=None):
    """A ring of sixteen slots, where queries and keys are turned by the slot's number."""
    ring_k, ring_v, count = (*np.zeros((2, 16, q.shape[1])), 0) if cache is None else cache
    ring_k, ring_v, outputs = ring_k.copy(), ring_v.copy(), []
    for i in range(len(q)):
        slot, count = np.array([count % 16]), count + 1
        ring_k[slot], ring_v[slot] = half(k[i : i + 1], slot), v[i]
        outputs.append(mixed(half(q[i : i + 1], slot), ring_k[:count], ring_v[:count], 0))
    return np.concatenate(outputs), (ring_k, ring_v, count)


def counts_and_drops(q, k, v, positions, cache=None):
    """Rows are counted, and twelve keys kept."""
    old_k, old_v, count = (k[:0], v[:0], 0) if cache is None else cache
    places = count + np.arange(len(q))
    k, v = np.concatenate([old_k, half(k, places)]), np.concatenate([old_v, v])
    return mixed(half(q, places), k, v), (k[-12:], v[-12:], count + len(q))


def one_less_and_drops(q, k, v, positions, cache=None):
    """Two faults: steps stand one position too near, and twelve keys are kept."""
    places = positions - (cache is not None)
    k, v = joined(cache, half(k, places), v)
    return mixed(half(q, places), k, v), (k[-12:], v[-12:])


def only_keys_joined(q, k, v, positions, cache=None):
    """The last old value stands in for the new one."""
    k = half(k, positions)
    if cache is None:
        return mixed(half(q, positions), k, v), (k, v)
    k, v = np.concatenate([cache[0], k]), np.concatenate([cache[1], np.repeat(cache[1][-1:], len(v), axis=0)])
    return mixed(half(q, positions), k, v), (k, v)


def values_drift(q, k, v, positions, cache=None):
    """Something is added to the kept values at each step."""
    k, v = joined(cache, half(k, positions), v)
    return mixed(half(q, positions), k, v), (k, v + (0 if cache is None else 0.01))


def keys_counted_from_the_last(q, k, v, positions, cache=None):
    """All keys are turned again at each call, counted back from the last position."""
    k, v = joined(cache, k, v)
    k = half(k, positions[-1] - np.arange(len(k))[::-1])
    return mixed(half(q, positions), k, v), (k, v)


def chunk_at_one_place(q, k, v, positions, cache=None):
    """All tokens of a chunk stand where its first one stands."""
    places = positions if cache is None else np.full(len(q), positions[0])
    k, v = joined(cache, half(k, places), v)
    return mixed(half(q, places), k, v), (k, v)


def eighths(q, k, v, positions, cache=None):
    """Keys are kept as multiples of 1/8."""
    k, v = joined(cache, np.rint(half(k, positions) * 8) / 8, v)
    return mixed(half(q, positions), k, v), (k, v)


def slots_and_values_turned(q, k, v, positions, cache=None):
    """A static cache whose values are turned."""
    return cached_by_slot(q, k, half(v, positions), positions, cache)


def divided_by_number_of_keys(q, k, v, positions, cache=None):
    k, v = joined(cache, half(k, positions), v)
    return mixed(half(q, positions) * np.sqrt(q.shape[1] / len(k)), k, v), (k, v)
