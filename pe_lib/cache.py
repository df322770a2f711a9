"""A key/value cache: what was computed for a token is kept, together with the position it was computed at."""

from typing import NamedTuple

import numpy as np

from pe_lib._validate import bias_of_every_key, common_shape, finite_array, frequency_array, integer_array, real_or_padding
from pe_lib.attention import attention, causal_mask
from pe_lib.rotary import rotate


class Cache(NamedTuple):
    """What attention keeps of the tokens it has seen: keys as they were rotated, values as they came, and the positions.

    keys (..., n, d_head), values (..., n, d_value), positions (n,) or as `rotate` takes them, tokens.

    >>> Cache(keys=np.eye(2), values=np.ones((2, 1)), positions=np.array([0.0, 1.0])).positions
    array([0., 1.])
    """

    keys: np.ndarray
    values: np.ndarray
    positions: np.ndarray


def attend(q, k, v, positions, inv_freq, cache=None, *, layout="interleaved", bias=0.0):
    """New tokens look at the cached ones and at each other: a prompt, a single step and a chunk are the same call.

    q, k (..., new, d_head), not rotated; v (..., new, d_value); positions of the new tokens in the whole sequence, (new,)
    or as `rotate` takes them; inv_freq (pairs,), radians per token; cache, what the last call returned; bias, one
    number or (..., new or 1, n) -> output (..., new, d_value) and the cache with the new tokens in it, n in all.
    output = attention(rotated q, all rotated k, all v, causal_mask(new, n) + bias)

    The new tokens are the last ones, so the causal mask is aligned bottom-right. The cache passed in is not changed.
    Raises: ValueError as `rotate` and `attention`, or if q, k, v, bias and the cache do not fit each other.
    Source: Su et al. 2021 (RoFormer), equation 16; Shazeer 2019, "Fast Transformer Decoding", section 2.4 (the cache).

    >>> first, cache = attend([[1.0, 0.0]], [[1.0, 0.0]], [[4.0]], positions=[0], inv_freq=[np.pi / 2])
    >>> second, cache = attend([[0.0, 0.0]], [[1.0, 0.0]], [[8.0]], positions=[1], inv_freq=[np.pi / 2], cache=cache)
    >>> first, second, cache.keys.round(3), cache.positions
    (array([[4.]]), array([[6.]]), array([[1., 0.],
           [0., 1.]]), array([0., 1.]))
    """
    new = Cache(rotate(k, positions, inv_freq, layout=layout), finite_array(v, "v", 2).copy(), np.array(positions, float))
    if np.shape(q) != new.keys.shape or new.values.shape[:-1] != new.keys.shape[:-1]:
        shapes = f"shapes {np.shape(q)}, {new.keys.shape}, {new.values.shape}"
        raise ValueError(f"q, k and v must hold the same new tokens, and q and k the same features, got {shapes}")
    cache = new if cache is None else Cache(*map(_joined, _whole(cache), new, Cache._fields, (-2, -2, -1)))
    bias = causal_mask(np.shape(q)[-2], cache.keys.shape[-2]) + bias_of_every_key(bias, np.shape(q), cache.keys.shape)
    output, _ = attention(rotate(q, positions, inv_freq, layout=layout), cache.keys, cache.values, bias)
    return output, cache


def evict(cache, keep):
    """Dropping tokens leaves gaps in the positions, and the gaps must stay: each kept key is still turned by its own position.

    cache, keep (kept,), integers, which rows to keep, counted from 0 -> a cache of those rows.

    Raises: ValueError if keep is not a list of integers, or a row is not there or named twice.
    Source: additivity of rotations, Su et al. 2021, section 3.2.2; keeping positions is what eviction means in this course.

    >>> evict(Cache(np.eye(3), np.eye(3), np.arange(3.0)), keep=[0, 2]).positions
    array([0., 2.])
    """
    keep, cache = integer_array(keep, "keep"), _whole(cache)
    rows = range(cache.keys.shape[-2])
    if keep.ndim != 1 or len(set(keep.tolist()) & set(rows)) < keep.size:
        raise ValueError(f"keep must list rows of the cache, 0 to {len(rows) - 1}, each once, got {keep.tolist()}")
    return Cache(cache.keys[..., keep, :], cache.values[..., keep, :], cache.positions[..., keep])


def shift(cache, by, inv_freq, *, layout="interleaved"):
    """A cached key moves to another position by one more turn, since turns add: R(by) R(p) k = R(p + by) k.

    cache; by, tokens, one number or as `rotate` takes positions; inv_freq (pairs,), those of the cache -> a cache.

    Exact in the first layer. A deeper layer's keys were computed while the dropped tokens could be seen, and stay so.
    To rounding, of the keys' dtype, and it adds up: 100 moves in float16 are off by 1 %. One long move is better than many.
    Raises: ValueError as `rotate`.
    Source: Su et al. 2021 (RoFormer), equation 34; Xiao et al. 2023 (StreamingLLM), section 3.2 (positions in the cache).

    >>> moved = shift(Cache(np.array([[0.0, 1.0]]), np.zeros((1, 1)), np.array([1.0])), by=-1, inv_freq=[np.pi / 2])
    >>> moved.keys.round(3), moved.positions
    (array([[1., 0.]]), array([0.]))
    """
    by, (keys, values, places) = finite_array(by, "by"), _whole(cache)
    if common_shape("by and positions", by.shape, places.shape) != places.shape:
        raise ValueError(f"by must be one number or fit the positions, got shape {by.shape} for positions of shape {places.shape}")
    return Cache(rotate(keys, np.broadcast_to(by, places.shape), inv_freq, layout=layout), values, places + by)


def change_frequencies(cache, old, new, *, layout="interleaved"):
    """Keys made with one set of frequencies pass to another by the difference of the turns: R_new = R_(new - old) R_old.

    cache; old, new (pairs,), radians per token -> a cache whose keys are as if `new` had been used from the start.

    Raises: ValueError as `rotate`, or if old and new are not frequencies of the same pairs.
    Source: additivity of rotations; needed by dynamic NTK and LongRoPE, whose frequencies change as the text grows.

    >>> turned = Cache(np.array([[0.0, 1.0]]), np.zeros((1, 1)), np.array([1.0]))
    >>> change_frequencies(turned, old=[np.pi / 2], new=[0.0]).keys.round(3)
    array([[1., 0.]])
    """
    old, new, cache = frequency_array(old), frequency_array(new), _whole(cache)
    if old.shape != new.shape:
        raise ValueError(f"old and new must be frequencies of the same pairs, got shapes {old.shape} and {new.shape}")
    return cache._replace(keys=rotate(cache.keys, cache.positions, new - old, layout=layout))


def positions_from_mask(real):
    """With padding the count runs over the real tokens alone: how many of them came before.

    real (..., n), 1 or True for a token, 0 or False for padding -> (..., n), int64; a pad repeats the last count, at least 0.
    position[i] = sum of real[: i + 1] - 1

    Raises: ValueError if real is not made of 0 and 1.
    Source: `generate` in transformers (Wolf et al. 2020): the cumulative sum of the attention mask, minus 1.

    >>> positions_from_mask([[0, 0, 1, 1, 1], [1, 1, 1, 1, 1]])
    array([[0, 0, 0, 1, 2],
           [0, 1, 2, 3, 4]])
    """
    return np.maximum(np.cumsum(real_or_padding(real), axis=-1) - 1, 0)


def padding_bias(real):
    """Padding is hidden from every query by a bias of -inf, whatever position it was given.

    real (..., n), as in `positions_from_mask` -> (..., 1, n), 0 at a token and -inf at padding, to be added to scores.

    Raises: ValueError if real is not made of 0 and 1.
    Source: Vaswani et al. 2017, section 3.2.3 (masking by -inf).

    >>> padding_bias([0, 1])
    array([[-inf,   0.]])
    """
    return np.where(real_or_padding(real) == 1, 0.0, -np.inf)[..., None, :]


def _whole(cache):
    cache = Cache(*map(finite_array, cache, Cache._fields, (2, 2, 1)))
    if cache.keys.shape[:-1] != cache.values.shape[:-1] or cache.positions.shape[-1] != cache.keys.shape[-2]:
        raise ValueError(f"a cache must hold a key, a value and a position a token, got shapes {[part.shape for part in cache]}")
    return cache


def _joined(cached, new, name, axis):
    if not np.array_equal(np.delete(np.shape(cached), axis), np.delete(np.shape(new), axis)):
        raise ValueError(f"{name} of the new tokens must fit the cached ones, got shapes {np.shape(cached)} and {np.shape(new)}")
    return np.concatenate([cached, new], axis=axis)
