"""Sound rotary encodings as other people write them, (x, positions) -> x, and the convention the clinic should name.

Own code after the styles in use: tables by repeat or tile, complex numbers, einsum, rotate_half, loops, stretched frequencies.
"""

import functools

import numpy as np

SOUND = []  # functions, with .convention and .asked


def sound(convention, **asked):
    def entry(function):
        function.convention, function.asked = convention, asked
        SOUND.append(function)
        return function
    return entry


INTERLEAVED = "interleaved pairs (0, 1), counter-clockwise (y0 = x0 cos - x1 sin), base 10000, all 64 features turn"
HALF = "half-split pairs (0, 32), counter-clockwise (y0 = x0 cos - x1 sin), base 10000, all 64 features turn"


def rotate_half(x):
    half = x.shape[-1] // 2
    return np.concatenate((-x[..., half:], x[..., :half]), axis=-1)


@sound(HALF)
def gpt_neox(x, positions):
    """Tables by concatenation, and rotate_half."""
    inv_freq = 1.0 / 10000 ** (np.arange(0, x.shape[-1], 2) / x.shape[-1])
    freqs = np.outer(positions, inv_freq)
    emb = np.concatenate((freqs, freqs), axis=-1)
    return (x * np.cos(emb) + rotate_half(x) * np.sin(emb)).astype(x.dtype)


@sound(INTERLEAVED)
def roformer(x, positions):
    """Tables by repeat, swapped neighbours by stack."""
    theta = np.exp(-np.log(10000) * np.arange(0, x.shape[-1], 2) / x.shape[-1])
    t = np.repeat(np.einsum("n,m->nm", positions, theta), 2, axis=-1)
    swapped = np.stack([-x[..., 1::2], x[..., ::2]], axis=-1).reshape(x.shape)
    return (x * np.cos(t) + swapped * np.sin(t)).astype(x.dtype)


@sound(INTERLEAVED)
def llama(x, positions):
    """Complex numbers in complex64, as in Meta's code: float32 inside, float32 out."""
    freqs = np.outer(positions, 1.0 / (10000.0 ** (np.arange(0, x.shape[-1], 2)[: x.shape[-1] // 2] / x.shape[-1])))
    cis = np.exp(1j * freqs).astype(np.complex64)
    z = np.ascontiguousarray(x.astype(np.float32)).view(np.complex64) * cis
    return z.view(np.float32)


@sound(INTERLEAVED.replace("counter-clockwise (y0 = x0 cos - x1 sin)", "clockwise (y0 = x0 cos + x1 sin)"))
def other_way_round(x, positions):
    """The conjugate: every pair turns by minus the position."""
    z = x[..., 0::2] - 1j * x[..., 1::2]
    z = np.conj(z * np.exp(1j * np.asarray(positions)[:, None] * 10000.0 ** (-2 * np.arange(x.shape[-1] // 2) / x.shape[-1])))
    out = np.empty(x.shape, x.dtype)
    out[..., 0::2], out[..., 1::2] = z.real, z.imag
    return out


@sound(HALF)
def matrix_by_matrix(x, positions):
    """A rotation matrix for every row, one einsum."""
    d = x.shape[-1]
    w = 10000.0 ** (-np.arange(d // 2) / (d // 2))
    r = np.zeros((len(positions), d, d))
    for i in range(d // 2):
        t = np.asarray(positions) * w[i]
        r[:, i, i] = r[:, i + d // 2, i + d // 2] = np.cos(t)
        r[:, i + d // 2, i], r[:, i, i + d // 2] = np.sin(t), -np.sin(t)
    return np.einsum("nij,...nj->...ni", r, x).astype(x.dtype)


@sound(INTERLEAVED)
def loops(x, positions):
    """Row by row, pair by pair, for two axes only."""
    y = np.zeros_like(x)
    n, d = x.shape
    for i in range(n):
        for m in range(d // 2):
            t = positions[i] / 10000 ** (2 * m / d)
            y[i, 2 * m] = x[i, 2 * m] * np.cos(t) - x[i, 2 * m + 1] * np.sin(t)
            y[i, 2 * m + 1] = x[i, 2 * m] * np.sin(t) + x[i, 2 * m + 1] * np.cos(t)
    return y


@functools.lru_cache
def table(dim, length=4096):
    t = np.outer(np.arange(length), 10000.0 ** (-np.arange(0, dim, 2) / dim))
    return np.cos(t), np.sin(t)


@sound(HALF)
def looked_up(x, positions):
    """A stored table of 4096 positions, which refuses what is beyond."""
    cos, sin = (part[positions] for part in table(x.shape[-1]))
    a, b = x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]
    return np.concatenate([a * cos - b * sin, b * cos + a * sin], axis=-1).astype(x.dtype)


@sound(INTERLEAVED.replace("all 64 features turn", "the first 16 of 64 features turn"))
def gpt_j(x, positions):
    """Partial rotation, frequencies made for the part."""
    turned, rest = x[..., :16], x[..., 16:]
    return np.concatenate([roformer(turned, positions), rest], axis=-1)


@sound(HALF.replace("(0, 32)", "(0, 16)").replace("all 64", "the first 32 of 64"), rotary_dim=32)
def pythia(x, positions):
    """Partial rotation in halves of the part."""
    return np.concatenate([gpt_neox(x[..., :32], positions), x[..., 32:]], axis=-1)


@sound(HALF.replace("(0, 32)", "(32, 48)").replace("all 64", "the last 32 of 64"))
def last_features(x, positions):
    """The position-free features come first."""
    return np.concatenate([x[..., :32], gpt_neox(x[..., 32:], positions)], axis=-1)


@sound(HALF)
def four_axes(x, positions):
    """(batch, heads, sequence, features) and nothing else."""
    batch, heads, n, d = x.shape
    t = np.outer(positions, 10000.0 ** (-np.arange(0, d, 2) / d)).reshape(1, 1, n, d // 2)
    a, b = x[:, :, :, : d // 2], x[:, :, :, d // 2 :]
    return np.concatenate([a * np.cos(t) - b * np.sin(t), b * np.cos(t) + a * np.sin(t)], axis=-1).astype(x.dtype)


@sound("axes (batch, sequence, heads, features), " + INTERLEAVED)
def sequence_before_heads(x, positions):
    """(batch, sequence, heads, features), as flash attention has it."""
    batch, n, heads, d = x.shape
    t = np.outer(positions, 10000.0 ** (-np.arange(0, d, 2) / d)).reshape(1, n, 1, d // 2)
    y = x.reshape(batch, n, heads, d // 2, 2)
    a, b = y[..., 0], y[..., 1]
    return np.stack([a * np.cos(t) - b * np.sin(t), a * np.sin(t) + b * np.cos(t)], axis=-1).reshape(x.shape).astype(x.dtype)


@sound(HALF)
def positions_of_each_row(x, positions):
    """position_ids of shape (batch, sequence), as in transformers."""
    batch, n = positions.shape
    inv_freq = 1.0 / 10000 ** (np.arange(0, x.shape[-1], 2) / x.shape[-1])
    emb = np.concatenate([positions[..., None] * inv_freq] * 2, axis=-1)[:, None]
    assert x.shape[0] == batch and x.shape[2] == n
    return (x * np.cos(emb) + rotate_half(x) * np.sin(emb)).astype(x.dtype)


@sound(HALF.replace("10000", "500000"))
def float32_inside(x, positions):
    """Everything in float32, base 500000."""
    w = (np.float32(500000) ** (-np.arange(0, x.shape[-1], 2, dtype=np.float32) / np.float32(x.shape[-1]))).astype(np.float32)
    t = np.asarray(positions, np.float32)[:, None] * w
    emb = np.concatenate([t, t], axis=-1)
    return (x.astype(np.float32) * np.cos(emb) + rotate_half(x.astype(np.float32)) * np.sin(emb)).astype(x.dtype)


@sound(INTERLEAVED.replace("(0, 1)", "(0, 1) in, half-split (0, 32) out, as DeepSeek's"))
def deepseek(x, positions):
    """Interleaved in, halves out, which scores do not see."""
    x = x.reshape(*x.shape[:-1], x.shape[-1] // 2, 2).swapaxes(-1, -2).reshape(x.shape)
    return gpt_neox(x, positions)


@sound(HALF.replace("base 10000", "base 10000, all angles divided by 4 (positions interpolated)"))
def interpolated(x, positions):
    """Position interpolation by 4."""
    return gpt_neox(x, np.asarray(positions) / 4)


@sound(HALF.replace("10000", "85550.4 (the NTK base for 10000 stretched 8 times)"))
def ntk_aware(x, positions):
    """A base raised for a stretch by 8."""
    base = 10000 * 8 ** (64 / 62)
    emb = np.tile(np.outer(positions, base ** (-np.arange(32) / 32)), 2)
    return (x * np.cos(emb) + rotate_half(x) * np.sin(emb)).astype(x.dtype)


@sound(HALF.replace("base 10000", "base 500000, stretched 8 times as in Llama 3 (trained on 8192 positions): pairs 0 to 14 keep "
                    "their frequency, from pair 18 on it is divided by 8"))
def llama_3_1(x, positions):
    """Llama 3.1's rule, wavelength by wavelength."""
    w = []
    for f in 500000.0 ** (-np.arange(32) / 32):
        length = 2 * np.pi / f
        smooth = (8192 / length - 1) / (4 - 1)
        w.append(f if length < 8192 / 4 else f / 8 if length > 8192 else (1 - smooth) * f / 8 + smooth * f)
    emb = np.tile(np.outer(positions, w), 2)
    return (x * np.cos(emb) + rotate_half(x) * np.sin(emb)).astype(x.dtype)


@sound(HALF.replace("base 10000", "base 10000, stretched 16 times by parts (YaRN, with its attention factor): pairs 0 to 10 keep their "
                    "frequency, from pair 23 on it is divided by 16, lengths times 1.2773 (YaRN's attention factor)"))
def yarn_16(x, positions):
    """YaRN with its attention factor on q and k."""
    w, ramp = 10000.0 ** (-np.arange(32) / 32), np.clip((np.arange(32) - 10) / (23 - 10), 0, 1)
    emb = np.tile(np.outer(positions, w / 16 * ramp + w * (1 - ramp)), 2)
    factor = 0.1 * np.log(16) + 1
    return (factor * (x * np.cos(emb) + rotate_half(x) * np.sin(emb))).astype(x.dtype)


@sound(HALF.replace("all 64 features turn", "the fastest 8 of 32 pairs turn (p-RoPE)"))
def p_rope(x, positions):
    """The slowest pairs do not turn."""
    w = np.concatenate([10000.0 ** (-np.arange(8) / 32), np.zeros(24)])
    emb = np.tile(np.outer(positions, w), 2)
    return (x * np.cos(emb) + rotate_half(x) * np.sin(emb)).astype(x.dtype)


class Module:
    """An object with a table that grows when it has to."""

    convention, asked = INTERLEAVED, {}

    def __init__(self):
        self.phases = np.ones((0, 32))

    def __call__(self, x, positions):
        if max(positions) >= len(self.phases):
            self.phases = np.exp(1j * np.outer(np.arange(max(positions) + 1), 10000.0 ** (-np.arange(32) / 32)))
        z = (x[..., 0::2] + 1j * x[..., 1::2]) * self.phases[positions]
        return np.stack([z.real, z.imag], axis=-1).reshape(x.shape).astype(x.dtype)


SOUND.append(Module)
