"""The patients of chapter 12: each has one fault that was reported in public, in code of our own. Do not read on: examine them.

A to H turn queries or keys, (x, positions) -> turned x, with x (..., n, dim). I is a bias, (n_query, n_key) -> (heads,
n_query, n_key). J to L are attention: J (q, k, v, positions) -> output, K and L with a cache as well.
"""

import inspect

import numpy as np

from pe_lib.attention import attention, causal_mask
from pe_lib.biases import alibi_slopes
from pe_lib.frequencies import inverse_frequencies
from pe_lib.precision import rounded
from pe_lib.rotary import rotate


def patient_a(x, positions):
    half = x.shape[-1] // 2
    t = positions[:, None] * 10_000.0 ** (-np.arange(half) / half)
    a, b = x[..., :half], x[..., half:]
    turned = a * np.cos(t) - b * np.sin(t), a * np.sin(t) + b * np.cos(t)
    return np.concatenate(turned, axis=-1).astype(x.dtype)


def patient_b(x, positions):
    half = x.shape[-1] // 2
    t = positions[:, None] * 10_000.0 ** (-np.arange(half) / half)
    t = np.repeat(t, 2, axis=-1)
    a, b = x[..., :half], x[..., half:]
    return (x * np.cos(t) + np.concatenate([-b, a], axis=-1) * np.sin(t)).astype(x.dtype)


def patient_c(x, positions):
    dim, turning = x.shape[-1], x.shape[-1] // 2
    speeds = 10_000.0 ** (-np.arange(0, turning, 2) / dim)
    t = positions[:, None] * speeds
    a, b, rest = np.split(x, [turning // 2, turning], axis=-1)
    turned = a * np.cos(t) - b * np.sin(t), a * np.sin(t) + b * np.cos(t)
    return np.concatenate([*turned, rest], axis=-1).astype(x.dtype)


def patient_d(x, positions):
    half = x.shape[-1] // 2
    places = np.arange(x.shape[-2])
    t = np.tile(places[:, None] * 10_000.0 ** (-np.arange(half) / half), 2)
    swapped = np.concatenate([-x[..., half:], x[..., :half]], axis=-1)
    return (x * np.cos(t) + swapped * np.sin(t)).astype(x.dtype)


def patient_e(x, positions):
    places = rounded(positions, "bfloat16")
    phase = np.exp(1j * places[:, None] * inverse_frequencies(x.shape[-1]))
    pairs = (x[..., 0::2] + 1j * x[..., 1::2]) * phase
    return np.stack([pairs.real, pairs.imag], axis=-1).reshape(x.shape).astype(x.dtype)


def patient_f(x, positions):
    table = np.arange(2048)[:, None] * inverse_frequencies(x.shape[-1])
    t = np.take(table, positions, axis=0, mode="clip")
    a, b = x[..., 0::2], x[..., 1::2]
    turned = np.stack([a * np.cos(t) - b * np.sin(t), a * np.sin(t) + b * np.cos(t)], axis=-1)
    return turned.reshape(x.shape).astype(x.dtype)


def patient_g(x, positions):
    rows = x.reshape(-1, x.shape[-1])
    places = np.repeat(positions, len(rows) // len(positions))
    return rotate(rows, places, inverse_frequencies(x.shape[-1])).reshape(x.shape)


def patient_h(x, positions):
    t = positions[:, None] * inverse_frequencies(x.shape[-1])
    a, b = x[..., 0::2], x[..., 1::2]
    x[..., 0::2], x[..., 1::2] = a * np.cos(t) - b * np.sin(t), a * np.sin(t) + b * np.cos(t)
    return x


def patient_i(n_query, n_key):
    places = np.arange(n_query)
    distance = np.abs(places[:, None] - np.arange(n_key))
    return -alibi_slopes(8)[:, None, None] * distance


def patient_j(q, k, v, positions):
    speeds = inverse_frequencies(q.shape[-1])
    q, k, v = (rotate(x, positions, speeds) for x in (q, k, v))
    return attention(q, k, v, causal_mask(len(positions)))[0]


def patient_k(q, k, v, positions, cache=None):
    speeds = inverse_frequencies(q.shape[-1])
    q, k = rotate(q, positions, speeds), rotate(k, positions, speeds)
    if cache is not None:
        k, v = np.concatenate([cache[0], k], axis=-2), np.concatenate([cache[1], v], axis=-2)
    seen = np.tri(q.shape[-2], k.shape[-2])
    return attention(q, k, v, np.where(seen, 0, -np.inf))[0], (k, v)


def patient_l(q, k, v, positions, cache=None):
    speeds, places = inverse_frequencies(q.shape[-1]), positions
    if cache is not None:
        k, v, places = (np.concatenate(parts) for parts in zip(cache, (k, v, positions)))
    turned = rotate(k, places, speeds)
    output, _ = attention(rotate(q, positions, speeds), turned, v, causal_mask(len(q), len(k)))
    return output, (turned, v, places)


PATIENTS = {function.__name__[-1].upper(): function for function in (
    patient_a, patient_b, patient_c, patient_d, patient_e, patient_f, patient_g, patient_h, patient_i, patient_j, patient_k, patient_l)}


def code(patient):
    """The patient's own lines, to be read once the fault has a name."""
    return inspect.getsource(patient).rstrip()


def mend(patient, old, new):
    """A copy of a patient in which one piece of code is replaced by another; the patient itself stays as it is.

    Raises: ValueError if the old piece does not stand in its code exactly once.

    >>> cured = mend(patient_e, 'rounded(positions, "bfloat16")', "positions")
    >>> cured.__name__
    'patient_e mended'
    """
    source = code(patient)
    if source.count(old) != 1:
        raise ValueError(f"the old piece must stand in {patient.__name__} exactly once, got {source.count(old)} times: {old!r}")
    names = dict(vars(inspect.getmodule(patient)))
    exec(source.replace(old, new), names)  # noqa: S102 - the course's own code, with a piece the learner chose
    cured = names[patient.__name__]
    cured.__name__ = f"{patient.__name__} mended"
    return cured
