"""Classic wrong answers to the exercises of chapter 12: each must be turned down, with a hint of its own."""


def _gap(body):
    """An answer to 12.1 from the lines of its body; score(i, j) is there."""
    return f'''
def gap_error(rope, dim):
    q, k = np.random.default_rng(0).normal(size=(2, 1, dim))
    def score(i, j):
        return (rope(q.copy(), np.array([i])) @ rope(k.copy(), np.array([j])).T).item()
{body}
'''


def _tables(last):
    """An answer to 12.1 from its last expression; two tables of scores are there."""
    return f'''
def gap_error(rope, dim):
    q, k = np.random.default_rng(0).normal(size=(2, 10, dim))
    here, there = (rope(q.copy(), p) @ rope(k.copy(), p).T for p in (np.arange(10), np.arange(100, 110)))
    return {last}
'''


def _mended(line, last="[a * np.cos(t) - b * np.sin(t), a * np.sin(t) + b * np.cos(t)]"):
    """An answer to 12.2 with its line of angles, and the line that turns."""
    return f'''
def mended(x, positions):
    half = x.shape[-1] // 2
    t = {line}
    a, b = x[..., :half], x[..., half:]
    return np.concatenate({last}, axis=-1)
'''


def _speeds(body):
    """An answer to 12.3 from the lines of its body; r is the matrix at position 1."""
    return f'''
def speeds_of(rope, dim):
    r = rope(np.eye(dim), np.ones(dim, dtype=int)).T
{body}
'''


WRONG = {
    "12.1": {
        "the query alone moves": _gap("    return max(abs(score(i, 8) - score(i + 100, 8)) for i in range(8))"),
        "gap 0 alone": _gap("    return max(abs(score(i, i) - score(i + 100, i + 100)) for i in range(8))"),
        "compared with the interleaved function": '''
def gap_error(rope, dim):
    x, p = np.random.default_rng(0).normal(size=(6, dim)), np.arange(6)
    t = p[:, None] * 10_000.0 ** (-np.arange(0, dim, 2) / dim)
    right = x.copy()
    right[:, 0::2] = x[:, 0::2] * np.cos(t) - x[:, 1::2] * np.sin(t)
    right[:, 1::2] = x[:, 0::2] * np.sin(t) + x[:, 1::2] * np.cos(t)
    return np.abs(rope(x, p) - right).max()
''',
        "position 0": '''
def gap_error(rope, dim):
    x = np.random.default_rng(0).normal(size=(1, dim))
    return np.abs(rope(x.copy(), np.array([0])) - x).max()
''',
        "lengths": '''
def gap_error(rope, dim):
    x = np.random.default_rng(0).normal(size=(200, dim))
    return np.abs(np.linalg.norm(rope(x.copy(), np.arange(200)), axis=1) - np.linalg.norm(x, axis=1)).max()
''',
        "short moves alone": _gap("    return max(abs(score(i, j) - score(i + 1, j + 1)) for i in range(9) for j in range(9))"),
        "without the absolute value": _gap("    return min(score(i, i + 3) - score(i + 100, i + 103) for i in range(8))"),
        "compared with itself": _gap("    return max(abs(score(i, 8) - score(i, 8)) for i in range(8))"),
        "a verdict": _gap("    return bool(abs(score(3, 8) - score(103, 108)) < 1e-9)"),
        "gap 1 alone": _gap("    return max(abs(score(i, i + 1) - score(i + 100, i + 101)) for i in range(8))"),
        "the sum of the differences": _tables("abs((there - here).sum())"),
        "the sum of their sizes": _tables("np.abs(there - here).sum()"),
        "the largest score, compared": _tables("abs(there.max() - here.max())"),
        "the mean of their sizes": _tables("np.abs(there - here).mean()"),
        "the largest difference, with its sign": _tables("(there - here).max()"),
        "the largest difference, the other way round": _tables("(here - there).max()"),
        "the name of the function": '''
def gap_error(rope, dim):
    sound = "interleaved", "half_split", "clockwise", "counted_from_1", "base_500_000", "half_of_it_turns"
    return 0.0 if rope.__name__ in sound else 2.0
''',
        "a constant": "def gap_error(rope, dim):\n    return 1.0",
        "the whole table": '''
def gap_error(rope, dim):
    q, k = np.random.default_rng(0).normal(size=(2, 10, dim))
    p = np.arange(10)
    return np.abs(rope(q, p + 100) @ rope(k, p + 100).T - rope(q, p) @ rope(k, p).T)
''',
    },
    "12.2": {
        "still counted from 1": _mended("(positions[:, None] + 1) * 10_000.0 ** (-np.arange(half) / half)"),
        "exponent still doubled": _mended("positions[:, None] * 10_000.0 ** (-2 * np.arange(half) / half)"),
        "exponent halved": _mended("positions[:, None] * 10_000.0 ** (-np.arange(half) / x.shape[-1])"),
        "counted from -1": _mended("(positions[:, None] - 1) * 10_000.0 ** (-np.arange(half) / half)"),
        "clockwise": _mended("positions[:, None] * 10_000.0 ** (-np.arange(half) / half)",
                             "[a * np.cos(t) + b * np.sin(t), b * np.cos(t) - a * np.sin(t)]"),
        "another layout": '''
def mended(x, positions):
    half = x.shape[-1] // 2
    t = positions[:, None] * 10_000.0 ** (-np.arange(half) / half)
    a, b = x[..., 0::2], x[..., 1::2]
    return np.stack([a * np.cos(t) - b * np.sin(t), a * np.sin(t) + b * np.cos(t)], axis=-1).reshape(x.shape)
''',
        "by the row's number": _mended("np.arange(x.shape[-2])[:, None] * 10_000.0 ** (-np.arange(half) / half)"),
        "positive exponent": _mended("positions[:, None] * 10_000.0 ** (np.arange(half) / half)"),
    },
    "12.3": {
        "neighbours": _speeds("    return np.abs(np.arctan2(r[1::2, 0::2].diagonal(), r[0::2, 0::2].diagonal()))"),
        "halves": _speeds("    h = dim // 2\n    return np.abs(np.arctan2(r[h:, :h].diagonal(), r[:h, :h].diagonal()))"),
        "every speed twice": _speeds("    return np.sort(np.arccos(np.clip(r.diagonal(), -1, 1)))[::-1]"),
        "slowest first": _speeds("    return np.sort(np.arccos(np.clip(r.diagonal(), -1, 1)))[::2]"),
        "the law at base 10,000": _speeds("    return 10_000.0 ** (-np.arange(0, dim, 2) / dim)"),
        "at position 0": '''
def speeds_of(rope, dim):
    r = rope(np.eye(dim), np.zeros(dim, dtype=int))
    return np.sort(np.arccos(np.clip(r.diagonal(), -1, 1)))[::-1][::2]
''',
        "at position 10": '''
def speeds_of(rope, dim):
    r = rope(np.eye(dim), np.full(dim, 10))
    return np.sort(np.arccos(np.clip(r.diagonal(), -1, 1)))[::-1][::2] / 10
''',
        "not divided": '''
def speeds_of(rope, dim):
    r = rope(np.eye(dim), np.full(dim, 2))
    return np.sort(np.arccos(np.clip(r.diagonal(), -1, 1)))[::-1][::2]
''',
        "cosines": _speeds("    return np.sort(r.diagonal())[::2]"),
        "tokens per turn": _speeds("    speeds = np.sort(np.arccos(np.clip(r.diagonal(), -1, 1)))[::-1][::2]\n"
                                   "    return 2 * np.pi / np.maximum(speeds, 1e-300)"),
        "in float32": '''
def speeds_of(rope, dim):
    r = rope(np.eye(dim, dtype=np.float32), np.ones(dim, dtype=int))
    return np.sort(np.arccos(np.clip(r.diagonal(), -1, 1)))[::-1][::2]
''',
        "signed": _speeds("    return np.arctan2(r[1::2, 0::2].diagonal(), r[0::2, 0::2].diagonal())"),
    },
}

HINTS = {
    "12.1": {
        "the query alone moves": "*and* key must move",
        "gap 0 alone": "Try other offsets, too",
        "compared with the interleaved function": "A property asks nothing but the function itself",
        "position 0": "Counting from 1 changes no offset",
        "lengths": "It also keeps lengths",
        "short moves alone": "Move query and key by 100",
        "without the absolute value": "Take the absolute value",
        "compared with itself": "Are two different pairs of positions compared",
        "gap 1 alone": "At odd offsets nothing is wrong",
        "the sum of the differences": "neither a sum nor",
        "the sum of their sizes": "neither a sum nor",
        "the largest score, compared": "the largest scores alone show nothing",
        "the mean of their sizes": "neither a sum nor",
        "the largest difference, with its sign": "Take the absolute value",
        "the largest difference, the other way round": "Take the absolute value",
        "the name of the function": "is rope called",
        "a constant": "is rope called",
        "a verdict": "a verdict hides how far off",
        "the whole table": "yours gave an array of shape (10, 10)",
    },
    "12.2": {
        "still counted from 1": "at position 0 nothing should turn",
        "exponent still doubled": "Position 0 is left alone now",
        "exponent halved": "halved once too often",
        "counted from -1": "on the other side",
        "clockwise": "which of the four products had the minus",
        "another layout": "do not replace it",
        "by the row's number": "It is positions that turn a row",
        "positive exponent": "faster from pair to pair",
    },
    "12.3": {
        "neighbours": "Neighbours were taken for pairs",
        "halves": "Halves were taken for pairs",
        "every speed twice": "every speed stands there twice",
        "slowest first": "the fastest pair comes first",
        "the law at base 10,000": "the function was not asked",
        "at position 0": "Ask at position 1.",
        "at position 10": "whole turns are not seen",
        "not divided": "These are the angles at position 2",
        "cosines": "np.arccos takes it back",
        "tokens per turn": "radians per token were asked for",
        "in float32": "In float32 a cosine near 1",
        "signed": "a speed is a size",
    },
}
