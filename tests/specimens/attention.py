"""Causal attention with rotary positions, broken and sound: separate functions, as their authors might have written them."""

import numpy as np

from pe_lib.precision import rounded


def speeds(dim, base=10_000.0):
    return base ** (-np.arange(0, dim, 2) / dim)


def half(x, positions, base=10_000.0):
    """The way of most libraries: rotate_half."""
    t = positions[..., None] * np.concatenate([speeds(x.shape[-1], base)] * 2)
    a, b = np.split(x, 2, axis=-1)
    return (x * np.cos(t) + np.concatenate([-b, a], axis=-1) * np.sin(t)).astype(x.dtype)


def pairs(x, positions, base=10_000.0):
    """Neighbours as complex numbers."""
    z = x[..., 0::2] + 1j * x[..., 1::2]
    z = z * np.exp(1j * positions[..., None] * speeds(x.shape[-1], base))
    return np.stack([z.real, z.imag], axis=-1).reshape(x.shape).astype(x.dtype)


def softmax(scores, axis=-1):
    e = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def causal(n_query, n_key):
    return np.triu(np.full((n_query, n_key), -np.inf), 1 + n_key - n_query)


def mixed(q, k, v, mask=None):
    """Plain attention with a causal mask, aligned bottom-right."""
    scores = (q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])).astype(q.dtype)
    mask = causal(q.shape[-2], k.shape[-2]) if mask is None else mask
    return softmax((scores + mask).astype(q.dtype)) @ v


def joined(cache, *new):
    return new if cache is None else tuple(np.concatenate(both, axis=-2) for both in zip(cache, new))


# --- sound -----------------------------------------------------------------------------------------------------------


def sound_half(q, k, v, positions):
    return mixed(half(q, positions), half(k, positions), v)


def sound_pairs(q, k, v, positions):
    return mixed(pairs(q, positions), pairs(k, positions), v)


def sound_other_sign(q, k, v, positions):
    """Turned clockwise, both: as good."""
    return mixed(half(q, -positions), half(k, -positions), v)


def sound_base_500000(q, k, v, positions):
    return mixed(half(q, positions, 500_000.0), half(k, positions, 500_000.0), v)


def sound_with_weights(q, k, v, positions):
    """Returns the weights as well."""
    weights = mixed(pairs(q, positions), pairs(k, positions), np.eye(len(v), dtype=v.dtype))
    return weights @ v, weights


def sound_float32(q, k, v, positions):
    """All arithmetic in float32, angles too, and a mask of -1e9."""
    q, k, v = (x.astype(np.float32) for x in (q, k, v))
    t = positions.astype(np.float32)[:, None] * speeds(q.shape[-1]).astype(np.float32)
    c, s = np.cos(t), np.sin(t)
    q, k = (np.stack([x[:, 0::2] * c - x[:, 1::2] * s, x[:, 0::2] * s + x[:, 1::2] * c], axis=-1).reshape(x.shape) for x in (q, k))
    scores = q @ k.T / np.float32(np.sqrt(q.shape[-1])) + np.triu(np.full((len(q), len(k)), np.float32(-1e9)), 1)
    return softmax(scores) @ v


def sound_heads(q, k, v, positions):
    """(batch, heads, n, dim) and nothing else."""
    batch, heads, n, dim = q.shape
    return mixed(half(q, positions), half(k, positions), v)


def sound_bshd(q, k, v, positions):
    """(batch, n, heads, dim), by einsum."""
    batch, n, heads, dim = q.shape
    t = positions[None, :, None, None] * speeds(dim)
    c, s = np.cos(t), np.sin(t)
    q, k = (np.concatenate([a * c - b * s, a * s + b * c], axis=-1) for a, b in (np.split(x, 2, axis=-1) for x in (q, k)))
    scores = np.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(dim) + causal(n, n)
    return np.einsum("bhqk,bkhd->bqhd", softmax(scores), v).astype(v.dtype)


def sound_partial(q, k, v, positions):
    """Half of the features turn, with frequencies of their own."""
    r = q.shape[-1] // 2
    q, k = (np.concatenate([half(x[:, :r], positions), x[:, r:]], axis=-1) for x in (q, k))
    return mixed(q, k, v)


def sound_permuted(q, k, v, positions):
    """Neighbours are turned and written as halves, q and k alike: the score does not know."""
    order = np.concatenate([np.arange(0, q.shape[-1], 2), np.arange(1, q.shape[-1], 2)])
    return mixed(pairs(q, positions)[:, order], pairs(k, positions)[:, order], v)


def sound_shifted(q, k, v, positions):
    """All positions one on: consistent, so it changes nothing."""
    return mixed(half(q, positions + 1), half(k, positions + 1), v)


def sound_upcast(q, k, v, positions):
    """float32 comes back as float64: a remark."""
    return sound_half(q.astype(np.float64), k.astype(np.float64), v.astype(np.float64), positions)


def sound_loops(q, k, v, positions):
    """Row by row, a running softmax."""
    q, k, out = half(q, positions), half(k, positions), np.zeros_like(v)
    for i in range(len(q)):
        scores = np.array([q[i] @ k[j] for j in range(i + 1)]) / q.shape[1] ** 0.5
        weights = np.exp(scores - scores.max())
        for j in range(i + 1):
            out[i] += weights[j] / weights.sum() * v[j]
    return out


def sound_window(q, k, v, positions):
    """A window of five tokens."""
    mask = causal(len(q), len(k)) + np.tril(np.full((len(q), len(k)), -np.inf), -5)
    return mixed(half(q, positions), half(k, positions), v, mask)


def sound_cached(q, k, v, positions, cache):
    """Keys are turned once, by their positions."""
    k, v = joined(cache, half(k, positions), v)
    return mixed(half(q, positions), k, v), (k, v)


def sound_cached_unrotated(q, k, v, positions, cache=None):
    """Keys are kept as they came, with their positions, and all are turned at each step: needed when the base changes."""
    k, v, places = joined(cache, k, v, positions[:, None])
    return mixed(pairs(q, positions), pairs(k, places[:, 0]), v), (k, v, places)


def sound_cached_dictionary(q, k, v, positions, cache=None):
    """A dictionary that is written to."""
    cache = {"k": k[:0], "v": v[:0]} if cache is None else cache
    cache["k"] = np.concatenate([cache["k"], half(k, positions)])
    cache["v"] = np.concatenate([cache["v"], v])
    return mixed(half(q, positions), cache["k"], cache["v"]), cache


def sound_cached_buffer(q, k, v, positions, kv=None):
    """A buffer of 64 slots, and a count of those filled; the parameter has another name."""
    buffer_k, buffer_v, filled = (np.zeros((64, q.shape[1]), q.dtype), np.zeros((64, v.shape[1]), v.dtype), 0) if kv is None else kv
    end = filled + len(k)
    buffer_k[filled:end], buffer_v[filled:end] = half(k, positions), v
    return mixed(half(q, positions), buffer_k[:end], buffer_v[:end]), (buffer_k, buffer_v, end)


def sound_cached_heads(q, k, v, positions, cache=None):
    """(batch, heads, n, dim), positions (batch, n)."""
    batch, heads, n, dim = q.shape
    if positions.shape != (batch, n):
        raise ValueError("positions must be (batch, n)")
    q, k = half(q, positions[:, None]), half(k, positions[:, None])
    k, v = joined(cache, k, v)
    return mixed(q, k, v), (k, v)


def sound_cached_mask_by_positions(q, k, v, positions, cache=None):
    """The mask compares positions, not rows."""
    k, v, places = joined(cache, half(k, positions), v, positions[:, None])
    return mixed(half(q, positions), k, v, np.where(places.T <= positions[:, None], 0, -np.inf)), (k, v, places)


def sound_cached_one_at_a_time(q, k, v, positions, cache=None):
    """A prompt, then single tokens; no chunks. One token needs no mask."""
    if cache is not None and len(q) > 1:
        raise NotImplementedError("one token at a time")
    k, v = joined(cache, half(k, positions), v)
    return mixed(half(q, positions), k, v, 0 if len(q) == 1 else None), (k, v)


def sound_cached_window(q, k, v, positions, cache=None):
    """A window of five tokens, in the mask and in the cache."""
    k, v = joined(cache, half(k, positions), v)
    n_query, n_key = len(q), len(k)
    mask = causal(n_query, n_key) + np.tril(np.full((n_query, n_key), -np.inf), n_key - n_query - 5)
    return mixed(half(q, positions), k, v, mask), (k[-5:], v[-5:])


def sound_last_features(q, k, v, positions):
    """The last half of the features turns."""
    q, k = (np.concatenate([x[:, :4], half(x[:, 4:], positions)], axis=-1) for x in (q, k))
    return mixed(q, k, v)


# --- broken: one pass ------------------------------------------------------------------------------------------------


def values_turned(q, k, v, positions):
    """Case VR01."""
    return mixed(half(q, positions), half(k, positions), half(v, positions))


def not_scaled(q, k, v, positions):
    return mixed(half(q, positions) * np.sqrt(q.shape[-1]), half(k, positions), v)


def scaled_twice(q, k, v, positions):
    return mixed(half(q, positions) / np.sqrt(q.shape[-1]), half(k, positions), v)


def scaled_up(q, k, v, positions):
    return mixed(half(q, positions) * q.shape[-1], half(k, positions), v)


def scaled_by_model_width(q, k, v, positions):
    """The width of the model, 96, for that of a head."""
    return mixed(half(q, positions) * np.sqrt(q.shape[-1] / 96), half(k, positions), v)


def no_mask(q, k, v, positions):
    return mixed(half(q, positions), half(k, positions), v, 0)


def weak_mask(q, k, v, positions):
    """A mask of -1."""
    return mixed(half(q, positions), half(k, positions), v, np.triu(np.full((len(q), len(k)), -1.0), 1))


def inverted_mask(q, k, v, positions):
    return mixed(half(q, positions), half(k, positions), v, np.tril(np.full((len(q), len(k)), -np.inf), -1))


def strict_mask(q, k, v, positions):
    """j >= i is hidden: the first row has nothing to look at."""
    return mixed(half(q, positions), half(k, positions), v, np.triu(np.full((len(q), len(k)), -np.inf)))


def strict_finite_mask(q, k, v, positions):
    return mixed(half(q, positions), half(k, positions), v, np.triu(np.full((len(q), len(k)), -1e9)))


def loose_mask(q, k, v, positions):
    return mixed(half(q, positions), half(k, positions), v, np.triu(np.full((len(q), len(k)), -np.inf), 2))


def mask_after_softmax(q, k, v, positions):
    q, k = half(q, positions), half(k, positions)
    weights = softmax(q @ k.T / np.sqrt(q.shape[1])) * np.tri(len(q))
    return weights @ v


def multiplied_mask(q, k, v, positions):
    """Scores times 0 and 1: a hidden key keeps the score 0."""
    q, k = half(q, positions), half(k, positions)
    return softmax(q @ k.T / np.sqrt(q.shape[1]) * np.tri(len(q))) @ v


def softmax_over_queries(q, k, v, positions):
    q, k = half(q, positions), half(k, positions)
    return softmax(q @ k.T / np.sqrt(q.shape[1]) + causal(len(q), len(k)), axis=0) @ v


def no_division(q, k, v, positions):
    """Exponentials without their sum."""
    q, k = half(q, positions), half(k, positions)
    return np.exp(q @ k.T / np.sqrt(q.shape[1]) + causal(len(q), len(k))) @ v


def only_queries(q, k, v, positions):
    return mixed(half(q, positions), k, v)


def only_keys(q, k, v, positions):
    return mixed(q, half(k, positions), v)


def neither(q, k, v, positions):
    return mixed(q, k, v)


def opposite(q, k, v, positions):
    """Case RS07: the conjugate on one side too many."""
    return mixed(half(q, positions), half(k, -positions), v)


def two_layouts(q, k, v, positions):
    return mixed(pairs(q, positions), half(k, positions), v)


def layouts_mixed(q, k, v, positions):
    """rotate_half with cosines for neighbours."""
    t = np.repeat(positions[:, None] * speeds(q.shape[1]), 2, axis=-1)
    q, k = (x * np.cos(t) + np.concatenate([-x[:, x.shape[1] // 2:], x[:, : x.shape[1] // 2]], axis=-1) * np.sin(t) for x in (q, k))
    return mixed(q, k, v)


def two_bases(q, k, v, positions):
    return mixed(half(q, positions), half(k, positions, 500_000.0), v)


def keys_twice(q, k, v, positions):
    return mixed(half(q, positions), half(half(k, positions), positions), v)


def query_one_on(q, k, v, positions):
    return mixed(half(q, positions + 1), half(k, positions), v)


def positions_ignored(q, k, v, positions):
    places = np.arange(len(q))
    return mixed(half(q, places), half(k, places), v)


def keys_by_slot(q, k, v, positions):
    """Case LP06 in one pass: the keys by their slots, the queries by the true count."""
    return mixed(half(q, positions), half(k, np.arange(len(k))), v)


def added_positions(q, k, v, positions):
    """Sinusoids added to q and k."""
    t = positions[:, None] * speeds(q.shape[1])
    table = np.stack([np.sin(t), np.cos(t)], axis=-1).reshape(q.shape)
    return mixed(q + table, k + table, v)


def alibi_besides(q, k, v, positions):
    mask = causal(len(q), len(k)) + np.where(np.tri(len(q)) > 0, 0.5 * (np.arange(len(k)) - np.arange(len(q))[:, None]), 0)
    return mixed(half(q, positions), half(k, positions), v, mask)


def sliced(q, k, v, positions):
    """Case PA04: half of the features turn, with the first frequencies of the whole width."""
    r = q.shape[1] // 2
    t = positions[:, None] * speeds(q.shape[1])[: r // 2]
    c, s = np.cos(t), np.sin(t)
    q, k = (np.concatenate([x[:, : r // 2] * c - x[:, r // 2 : r] * s, x[:, : r // 2] * s + x[:, r // 2 : r] * c, x[:, r:]], axis=-1)
            for x in (q, k))
    return mixed(q, k, v)


def residual(q, k, v, positions):
    return mixed(half(q, positions), half(k, positions), v) + q


def in_place(q, k, v, positions):
    q *= 1 / np.sqrt(q.shape[1])
    return mixed(half(q, positions) * np.sqrt(q.shape[1]), half(k, positions), v)


def values_turned_back(q, k, v, positions):
    """Values turned by the key's position and back by the query's."""
    return half(mixed(half(q, positions), half(k, positions), half(v, positions)), -positions)


def output_permuted(q, k, v, positions):
    output = mixed(half(q, positions), half(k, positions), v)
    return np.concatenate([output[:, 0::2], output[:, 1::2]], axis=-1)


def keys_and_values_exchanged(q, k, v, positions):
    return mixed(half(q, positions), half(v, positions), k)


def queries_and_keys_exchanged(q, k, v, positions):
    return mixed(half(k, positions), half(q, positions), v)


def rotate_half_without_minus(q, k, v, positions):
    t = positions[:, None] * np.tile(speeds(q.shape[1]), 2)
    q, k = (x * np.cos(t) + np.roll(x, x.shape[1] // 2, axis=-1) * np.sin(t) for x in (q, k))
    return mixed(q, k, v)


def cosines_only(q, k, v, positions):
    t = positions[:, None] * np.tile(speeds(q.shape[1]), 2)
    return mixed(q * np.cos(t), k * np.cos(t), v)


def whole_halves_of_positions(q, k, v, positions):
    return mixed(half(q, positions // 2), half(k, positions // 2), v)


def degrees(q, k, v, positions):
    return mixed(half(q, np.radians(positions)), half(k, np.radians(positions)), v)


def all_in_float16(q, k, v, positions):
    q, k, v = (x.astype(np.float16) for x in (half(q, positions), half(k, positions), v))
    return mixed(q, k, v)


def only_itself(q, k, v, positions):
    return v * 1.0


def no_exponential(q, k, v, positions):
    """Positive parts in place of exponentials."""
    q, k = half(q, positions), half(k, positions)
    scores = np.maximum(q @ k.T, 0) * np.tri(len(q))
    return scores / np.maximum(scores.sum(axis=1, keepdims=True), 1e-9) @ v


def bfloat_frequencies(q, k, v, positions):
    """Case PR05."""
    t = positions[:, None] * np.tile(rounded(speeds(q.shape[1]), "bfloat16"), 2)
    q, k = (x * np.cos(t) + np.concatenate([-x[:, 4:], x[:, :4]], axis=-1) * np.sin(t) for x in (q, k))
    return mixed(q, k, v)


def bfloat_angles(q, k, v, positions):
    t = np.tile(rounded(positions[:, None] * speeds(q.shape[1]), "bfloat16"), 2)
    q, k = (x * np.cos(t) + np.concatenate([-x[:, 4:], x[:, :4]], axis=-1) * np.sin(t) for x in (q, k))
    return mixed(q, k, v)


def turned_along_the_heads(q, k, v, positions):
    """Case AX01: (batch, heads, n, dim), and the angles along the heads."""
    batch, heads, n, dim = q.shape
    t = positions[None, :, None, None] * speeds(dim)
    q, k = (np.concatenate([a * np.cos(t) - b * np.sin(t), a * np.sin(t) + b * np.cos(t)], axis=-1)
            for a, b in (np.split(x, 2, axis=-1) for x in (q, k)))
    return mixed(q, k, v)


_TABLES = {}


def stale_table(q, k, v, positions):
    """Case CP03: the table is kept by length alone."""
    if len(q) not in _TABLES:
        _TABLES[len(q)] = positions.copy()
    places = _TABLES[len(q)]
    return mixed(half(q, places), half(k, places), v)


def half_precision_angles(q, k, v, positions):
    places = positions.astype(np.float16)[:, None] * speeds(q.shape[1]).astype(np.float16)
    c, s = np.cos(places.astype(float)), np.sin(places.astype(float))
    q, k = (np.concatenate([a * c - b * s, a * s + b * c], axis=-1) for a, b in (np.split(x, 2, axis=-1) for x in (q, k)))
    return mixed(q, k, v)


def clipped_table(q, k, v, positions):
    places = np.minimum(positions, 2047)
    return mixed(half(q, places), half(k, places), v)


def a_list(q, k, v, positions):
    return sound_half(q, k, v, positions).tolist()


# --- broken: with a cache --------------------------------------------------------------------------------------------


def restarts(q, k, v, positions, cache=None):
    """Cases CP01, CP06: each call counts from 0."""
    places = np.arange(len(q))
    k, v = joined(cache, half(k, places), v)
    return mixed(half(q, places), k, v), (k, v)


def query_at_zero(q, k, v, positions, cache=None):
    """Case CP01: the new query alone is turned as position 0."""
    places = positions if cache is None else np.arange(len(q))
    k, v = joined(cache, half(k, positions), v)
    return mixed(half(q, places), k, v), (k, v)


def query_off_by_one(q, k, v, positions, cache=None):
    """Case CP01: a step stands one further."""
    k, v = joined(cache, half(k, positions), v)
    return mixed(half(q, positions + (cache is not None)), k, v), (k, v)


def step_off_by_one(q, k, v, positions, cache=None):
    """Query and key of a step, both."""
    positions = positions + (cache is not None)
    k, v = joined(cache, half(k, positions), v)
    return mixed(half(q, positions), k, v), (k, v)


def keys_turned_again(q, k, v, positions, cache=None):
    """Case CP01: the whole cache is turned at each call, by its positions, and kept so."""
    k, v, places = joined(cache, k, v, positions[:, None])
    k = half(k, places[:, 0])
    return mixed(half(q, positions), k, v), (k, v, places)


def cached_keys_twice(q, k, v, positions, cache=None):
    """Kept turned, and the cached ones turned once more when they are used."""
    new = half(k, positions)
    if cache is None:
        return mixed(half(q, positions), new, v), (new, v, positions)
    old_k, old_v, places = cache
    every = np.concatenate([half(old_k, places), new])
    v = np.concatenate([old_v, v])
    return mixed(half(q, positions), every, v), (np.concatenate([old_k, new]), v, np.concatenate([places, positions]))


def keys_kept_plain(q, k, v, positions, cache=None):
    """Turned for the call in which they come, and kept as they came."""
    old_k, old_v = (k[:0], v[:0]) if cache is None else cache
    output = mixed(half(q, positions), np.concatenate([old_k, half(k, positions)]), np.concatenate([old_v, v]))
    return output, joined(cache, k, v)


def capacity_for_count(q, k, v, positions, cache=None):
    """Case CP02: the position is the cache's size, 16, not the number of tokens in it."""
    places = positions if cache is None else np.full(len(q), 16)
    k, v = joined(cache, half(k, positions), v)
    return mixed(half(q, places), k, v), (k, v)


def both_at_capacity(q, k, v, positions, cache=None):
    places = positions if cache is None else 16 + np.arange(len(q))
    k, v = joined(cache, half(k, places), v)
    return mixed(half(q, places), k, v), (k, v)


def counts_slots_in_steps(q, k, v, positions, cache=None):
    """Case LP06: the prompt by the true count, the steps by the slots of the cache."""
    places = positions if cache is None else len(cache[0]) + np.arange(len(q))
    k, v = joined(cache, half(k, places), v)
    return mixed(half(q, places), k, v), (k, v)


def query_by_slot_in_steps(q, k, v, positions, cache=None):
    """Case LP06, the query alone."""
    places = positions if cache is None else len(cache[0]) + np.arange(len(q))
    k, v = joined(cache, half(k, positions), v)
    return mixed(half(q, places), k, v), (k, v)


def mask_top_left(q, k, v, positions, cache=None):
    """Case CM01."""
    k, v = joined(cache, half(k, positions), v)
    return mixed(half(q, positions), k, v, np.triu(np.full((len(q), len(k)), -np.inf), 1)), (k, v)


def no_mask_in_chunks(q, k, v, positions, cache=None):
    """With a cache there is no mask at all: right for one token."""
    mask = causal(len(q), len(q)) if cache is None else 0
    k, v = joined(cache, half(k, positions), v)
    return mixed(half(q, positions), k, v, mask), (k, v)


def only_the_last_call(q, k, v, positions, cache=None):
    """The cache holds the last call's keys, not all."""
    new = half(k, positions)
    every, values = joined(cache, new, v)
    return mixed(half(q, positions), every, values), (new, v)


def drops_and_renumbers(q, k, v, positions, cache=None):
    """A window of four tokens, and the new query counts within it."""
    places = positions if cache is None else np.minimum(positions, 3)
    k, v = joined(cache, half(k, places), v)
    return mixed(half(q, places), k, v), (k[-4:], v[-4:])


def drops_the_oldest(q, k, v, positions, cache=None):
    """From 17 tokens on."""
    k, v = joined(cache, half(k, positions), v)
    return mixed(half(q, positions), k, v), (k[-16:], v[-16:])


def window_in_the_prompt_alone(q, k, v, positions, cache=None):
    """case N17: a window of five in one pass, and none in decoding."""
    keys, values = joined(cache, half(k, positions), v)
    far = np.tril(np.full((len(q), len(keys)), -np.inf), len(keys) - len(q) - 5)
    mask = causal(len(q), len(keys)) + (far if cache is None else 0)
    return mixed(half(q, positions), keys, values, mask), (keys, values)


def new_ones_in_front(q, k, v, positions, cache=None):
    k = half(k, positions)
    if cache is not None:
        k, v = np.concatenate([k, cache[0]]), np.concatenate([v, cache[1]])
    return mixed(half(q, positions), k, v), (k, v)


def only_new_keys_in_front(q, k, v, positions, cache=None):
    k = half(k, positions)
    if cache is not None:
        k, v = np.concatenate([k, cache[0]]), np.concatenate([cache[1], v])
    return mixed(half(q, positions), k, v), (k, v)


def values_not_joined(q, k, v, positions, cache=None):
    k = half(k, positions) if cache is None else np.concatenate([cache, half(k, positions)])
    return mixed(half(q, positions), k, v), k


def shared_default(q, k, v, positions, cache={"k": None, "v": None}):  # noqa: B006 - the fault
    """A default that is written to serves every sequence."""
    cache = shared_default.__defaults__[0] if cache is None else cache
    k = half(k, positions)
    cache["k"] = k if cache["k"] is None else np.concatenate([cache["k"], k])
    cache["v"] = v if cache["v"] is None else np.concatenate([cache["v"], v])
    return mixed(half(q, positions), cache["k"], cache["v"]), cache


def dynamic_base(q, k, v, positions, cache=None):
    """Cases LR02, NT05: the base grows with the sequence from 16 tokens on, and cached keys keep the old one."""
    n = len(q) if cache is None else len(q) + len(cache[0])
    base = 10_000.0 if n <= 16 else 10_000.0 * (2 * n / 16 - 1) ** (8 / 6)
    k, v = joined(cache, half(k, positions, base), v)
    return mixed(half(q, positions, base), k, v), (k, v)


def switch_at_four(q, k, v, positions, cache=None):
    """Case LR02: the long factors from five tokens on."""
    n = len(q) if cache is None else len(q) + len(cache[0])
    factor = np.array([1.0, 1.0, 1.0, 1.0]) if n <= 4 else np.array([1.0, 2.0, 4.0, 4.0])
    t = positions[:, None] * np.tile(speeds(q.shape[1]) / factor, 2)
    q, k = (x * np.cos(t) + np.concatenate([-x[:, 4:], x[:, :4]], axis=-1) * np.sin(t) for x in (q, k))
    k, v = joined(cache, k, v)
    return mixed(q, k, v), (k, v)


_LONGEST = [0]


def base_that_stays(q, k, v, positions, cache=None):
    """Case NT05: the base grows with the longest sequence ever seen and does not come back."""
    n = len(q) if cache is None else len(q) + len(cache[0])
    _LONGEST[0] = max(_LONGEST[0], n)
    base = 10_000.0 if _LONGEST[0] <= 16 else 80_000.0
    k, v, places = joined(cache, k, v, positions[:, None])
    return mixed(half(q, positions, base), half(k, places[:, 0], base), v), (k, v, places)


def values_turned_in_steps(q, k, v, positions, cache=None):
    v = v if cache is None else half(v, positions)
    k, v = joined(cache, half(k, positions), v)
    return mixed(half(q, positions), k, v), (k, v)


def other_scale_in_steps(q, k, v, positions, cache=None):
    k, v = joined(cache, half(k, positions), v)
    q = half(q, positions) * (1 if cache is None else np.sqrt(q.shape[1]))
    return mixed(q, k, v), (k, v)


def forgets_the_cache(q, k, v, positions, cache=None):
    return sound_half(q, k, v, positions)


def empty_slots_seen(q, k, v, positions, cache=None):
    """A buffer of 64 slots of which the empty ones are not hidden."""
    buffer_k, buffer_v, filled = (np.zeros((64, q.shape[1])), np.zeros((64, v.shape[1])), 0) if cache is None else cache
    buffer_k, buffer_v, end = buffer_k.copy(), buffer_v.copy(), filled + len(k)
    buffer_k[filled:end], buffer_v[filled:end] = half(k, positions), v
    rows, slots = filled + np.arange(len(q))[:, None], np.arange(64)
    mask = np.where((slots <= rows) | (slots >= end), 0, -np.inf)
    return mixed(half(q, positions), buffer_k, buffer_v, mask), (buffer_k, buffer_v, end)


def other_layout_in_steps(q, k, v, positions, cache=None):
    turn = half if cache is None else pairs
    k, v = joined(cache, turn(k, positions), v)
    return mixed(turn(q, positions), k, v), (k, v)


def other_base_in_steps(q, k, v, positions, cache=None):
    base = 10_000.0 if cache is None else 500_000.0
    k, v = joined(cache, half(k, positions, base), v)
    return mixed(half(q, positions, base), k, v), (k, v)


def plain_query_in_steps(q, k, v, positions, cache=None):
    k, v = joined(cache, half(k, positions), v)
    return mixed(q if cache is not None else half(q, positions), k, v), (k, v)


def last_key_kept_twice(q, k, v, positions, cache=None):
    k, v = joined(cache, half(k, positions), v)
    return mixed(half(q, positions), k, v), (np.concatenate([k, k[-1:]]), np.concatenate([v, v[-1:]]))


def steps_not_stored(q, k, v, positions, cache=None):
    k, v = joined(cache, half(k, positions), v)
    return mixed(half(q, positions), k, v), (k, v) if cache is None else cache


class Remembering:
    """A module that keeps the cache itself and is never told that a new sequence begins."""

    def __init__(self):
        self.kept = None

    def __call__(self, q, k, v, positions, cache):
        self.kept = joined(self.kept, half(k, positions), v)
        return mixed(half(q, positions), *self.kept), self


# --- pairs of faults -------------------------------------------------------------------------------------------------


def not_scaled_and_values_turned(q, k, v, positions):
    return mixed(half(q, positions) * np.sqrt(q.shape[1]), half(k, positions), half(v, positions))


def no_mask_and_opposite(q, k, v, positions):
    return mixed(half(q, positions), half(k, -positions), v, 0)


def top_left_and_restarts(q, k, v, positions, cache=None):
    places = positions if cache is None else positions - positions[0]
    k, v = joined(cache, half(k, places), v)
    mask = causal(len(q), len(k)) if len(q) == 1 else np.triu(np.full((len(q), len(k)), -np.inf), 1)
    return mixed(half(q, places), k, v, mask), (k, v)


def twice_divided_and_off_by_one(q, k, v, positions, cache=None):
    k, v = joined(cache, half(k, positions), v)
    return mixed(half(q, positions + (cache is not None)) / np.sqrt(q.shape[1]), k, v), (k, v)


def values_turned_and_keys_again(q, k, v, positions, cache=None):
    k, v, places = joined(cache, k, half(v, positions), positions[:, None])
    k = half(k, places[:, 0])
    return mixed(half(q, positions), k, v), (k, v, places)


def values_projected_and_keys_by_slot(q, k, v, positions, cache=None):
    """Values multiplied by a matrix that is no rotation, and steps that count the slots."""
    places = positions if cache is None else len(cache[0]) + np.arange(len(q))
    k, v = joined(cache, half(k, places), v @ np.diag(np.arange(1.0, 9)))
    return mixed(half(q, places), k, v), (k, v)
