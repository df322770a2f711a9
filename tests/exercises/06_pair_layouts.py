"""Classic wrong answers to the exercises of chapter 6: each must be turned down, with a hint of its own."""


def _convert(order, weights="w[:, order]", bias="b[order]"):
    """An answer to 6.2 that reorders by a line of code."""
    return f'''
def convert(w_q, b_q, w_k, b_k, heads):
    width = len(b_q)
    d = width // heads
    order = {order}
    change_w, change_b = (lambda w: {weights}), (lambda b: {bias})
    return change_w(w_q), change_b(b_q), change_w(w_k), change_b(b_k)
'''


WAY_BACK = "np.arange(width).reshape(heads, 2, d // 2).swapaxes(1, 2).ravel()"
WAY_THERE = "np.arange(width).reshape(heads, d // 2, 2).swapaxes(1, 2).ravel()"
ACROSS = "np.arange(width).reshape(2, width // 2).T.ravel()"


def _partial(body, speeds="10_000.0 ** (-2 * np.arange(r) / rotary_dim)"):
    """An answer to 6.3 with the angles made."""
    return f'''
def partial_half(x, positions, rotary_dim):
    r, d = rotary_dim // 2, x.shape[1]
    t = positions[:, None] * {speeds}
    cos, sin = np.cos(t), np.sin(t)
    out = x.copy()
{body}
    return out
'''


HALVES = """
    a, b = x[:, :r], x[:, r:2 * r]
    out[:, :r], out[:, r:2 * r] = a * cos - b * sin, a * sin + b * cos
"""

WRONG = {
    "6.1": {
        "the way back": '''
def half_order(dim):
    return np.arange(dim).reshape(2, -1).T.ravel()
''',
        "second features first": '''
def half_order(dim):
    return np.concatenate([np.arange(1, dim, 2), np.arange(0, dim, 2)])
''',
        "the whole vector reversed": '''
def half_order(dim):
    return np.arange(dim)[::-1]
''',
        "slowest pair first": '''
def half_order(dim):
    return np.concatenate([np.arange(0, dim, 2)[::-1], np.arange(1, dim, 2)[::-1]])
''',
        "nothing moves": '''
def half_order(dim):
    return np.arange(dim)
''',
        "the two of a pair swapped": '''
def half_order(dim):
    return np.arange(dim).reshape(-1, 2)[:, ::-1].ravel()
''',
        "the first features twice": '''
def half_order(dim):
    return np.concatenate([np.arange(0, dim, 2), np.arange(0, dim, 2)])
''',
        "counted from 1": '''
def half_order(dim):
    return np.concatenate([np.arange(1, dim + 1, 2), np.arange(2, dim + 1, 2)])
''',
        "floats": '''
def half_order(dim):
    return np.concatenate([np.arange(0.0, dim, 2), np.arange(1.0, dim, 2)])
''',
        "wrong where dim is a multiple of 4": '''
def half_order(dim):
    place = np.arange(dim)
    return 2 * place % dim + (place >= dim // 2) if dim % 4 else place
''',
        "right for 6 features only": '''
def half_order(dim):
    return np.array([0, 2, 4, 1, 3, 5] + list(range(6, dim)))
''',
    },
    "6.2": {
        "across the heads": _convert(ACROSS),
        "across the heads, without the biases": _convert(ACROSS, bias="b"),
        "without the biases": _convert(WAY_BACK, bias="b"),
        "the way there": _convert(WAY_THERE),
        "the way there, without the biases": _convert(WAY_THERE, bias="b"),
        "rows in place of columns": _convert(WAY_BACK, weights="w[order]"),
        "rows in place of columns, without the biases": _convert(WAY_BACK, weights="w[order]", bias="b"),
        "W_Q alone": '''
def convert(w_q, b_q, w_k, b_k, heads):
    order = np.arange(len(b_q)).reshape(heads, 2, -1).swapaxes(1, 2).ravel()
    return w_q[:, order], b_q[order], w_k, b_k
''',
        "W_K alone": '''
def convert(w_q, b_q, w_k, b_k, heads):
    order = np.arange(len(b_q)).reshape(heads, 2, -1).swapaxes(1, 2).ravel()
    return w_q, b_q, w_k[:, order], b_k[order]
''',
        "b_q alone of the biases": _convert(WAY_BACK).replace("change_b(b_k)", "b_k"),
        "b_k alone of the biases": _convert(WAY_BACK).replace("change_b(b_q)", "b_q"),
        "nothing": _convert("np.arange(width)"),
        "the query alone negated": _convert(WAY_BACK).replace("change_w(w_q), change_b(b_q)", "-change_w(w_q), -change_b(b_q)"),
        "three heads whatever is asked": _convert(WAY_BACK).replace("heads, 2, d // 2", "3, 2, width // 6"),
        "rows and columns": _convert(WAY_BACK, weights="w[order][:, order]"),
        "the weights without the biases": '''
def convert(w_q, b_q, w_k, b_k, heads):
    order = np.arange(len(b_q)).reshape(heads, 2, -1).swapaxes(1, 2).ravel()
    return w_q[:, order], w_k[:, order]
''',
    },
    "6.3": {
        "frequencies sliced from the full set": _partial(HALVES, speeds="10_000.0 ** (-2 * np.arange(r) / d)"),
        "exponents half as large": _partial(HALVES, speeds="10_000.0 ** (-np.arange(r) / rotary_dim)"),
        "proportional": _partial("""
    h = d // 2
    a, b = x[:, :r], x[:, h:h + r]
    out[:, :r], out[:, h:h + r] = a * cos - b * sin, a * sin + b * cos
""", speeds="10_000.0 ** (-2 * np.arange(r) / d)"),
        "partner half of all features on": _partial("""
    a, b = x[:, :r], x[:, d // 2:d // 2 + r]
    out[:, :r], out[:, d // 2:d // 2 + r] = a * cos - b * sin, a * sin + b * cos
"""),
        "neighbours": _partial("""
    a, b = x[:, 0:2 * r:2], x[:, 1:2 * r:2]
    out[:, 0:2 * r:2], out[:, 1:2 * r:2] = a * cos - b * sin, a * sin + b * cos
"""),
        "all features turn": '''
def partial_half(x, positions, rotary_dim):
    half = x.shape[1] // 2
    t = positions[:, None] * 10_000.0 ** (-np.arange(half) / half)
    a, b = x[:, :half], x[:, half:]
    return np.concatenate([a * np.cos(t) - b * np.sin(t), a * np.sin(t) + b * np.cos(t)], axis=1)
''',
        "clockwise": _partial("""
    a, b = x[:, :r], x[:, r:2 * r]
    out[:, :r], out[:, r:2 * r] = a * cos + b * sin, b * cos - a * sin
"""),
        "the last features": _partial("""
    a, b = x[:, d - 2 * r:d - r], x[:, d - r:]
    out[:, d - 2 * r:d - r], out[:, d - r:] = a * cos - b * sin, a * sin + b * cos
"""),
        "the rest set to 0": _partial(HALVES + "    out[:, 2 * r:] = 0\n"),
        "the rest dropped": _partial(HALVES + "    out = out[:, :2 * r]\n"),
        "comes out interleaved": _partial("""
    a, b = x[:, :r], x[:, r:2 * r]
    out[:, 0:2 * r:2], out[:, 1:2 * r:2] = a * cos - b * sin, a * sin + b * cos
"""),
        "by the row's number": _partial(HALVES).replace("positions[:, None]", "np.arange(len(x))[:, None]"),
        "half swap, neighbour angles": _partial("""
    a, b = x[:, :r], x[:, r:2 * r]
    cos, sin = np.repeat(cos, 2, axis=1), np.repeat(sin, 2, axis=1)
    out[:, :2 * r] = x[:, :2 * r] * cos + np.concatenate([-b, a], axis=1) * sin
"""),
        "the position without its sign": _partial(HALVES).replace("positions[:, None]", "np.abs(positions)[:, None]"),
        "positions cut to whole numbers": _partial(HALVES).replace("positions[:, None]", "positions.astype(int)[:, None]"),
        "a table of 5000 rows": _partial(HALVES).replace("positions[:, None]", "np.arange(5000)[positions.astype(int)][:, None]"),
        "overwritten": _partial("""
    out[:, :r] = out[:, :r] * cos - out[:, r:2 * r] * sin
    out[:, r:2 * r] = out[:, :r] * sin + out[:, r:2 * r] * cos
"""),
    },
}

HINTS = {
    "6.1": {
        "the way back": "This is the way back",
        "second features first": "turns the other way round",
        "the whole vector reversed": "whole vector is reversed",
        "slowest pair first": "Count up",
        "nothing moves": "Nothing has moved",
        "the two of a pair swapped": "half a vector apart",
        "the first features twice": "named exactly once: the order is [0 2 4 0 2 4]",
        "counted from 1": "counted from 0",
        "floats": "add .astype(int)",
        "wrong where dim is a multiple of 4": "a width fixed",
        "right for 6 features only": "a width fixed",
    },
    "6.2": {
        "across the heads": "across the heads: some",
        "across the heads, without the biases": "Across the heads, and",
        "without the biases": "The columns are right",
        "the way there": "from interleaved to half-split; these",
        "the way there, without the biases": "half-split, and the biases are as they were",
        "rows in place of columns": "You have reordered rows",
        "rows in place of columns, without the biases": "the *input* features; and the biases are as they were",
        "W_Q alone": "W_K is not",
        "W_K alone": "W_Q is not",
        "b_q alone of the biases": "b_k is as it was",
        "b_k alone of the biases": "b_q is as it was",
        "nothing": "Nothing has changed",
        "the query alone negated": "where no turn is left, head 0 scores as before: entry 0 should be",
        "three heads whatever is asked": "other sizes work as well",
        "rows and columns": "which column should come second?",
        "the weights without the biases": "it gave [(30, 30), (30, 30)]. return w_q, b_q, w_k, b_k",
    },
    "6.3": {
        "frequencies sliced from the full set": "then sliced",
        "exponents half as large": "The exponents are half of what they should be",
        "proportional": "the type called proportional",
        "partner half of all features on": "half of *all* features on",
        "neighbours": "Neighbours were turned",
        "all features turn": "All d features turn",
        "clockwise": "clockwise",
        "the last features": "the *last*",
        "the rest set to 0": "set to 0",
        "the rest dropped": "gave shape (5, 6); expected (5, 14)",
        "comes out interleaved": "came out interleaved",
        "by the row's number": "row's number",
        "half swap, neighbour angles": "the mixed fault",
        "the position without its sign": "sign of the position is lost",
        "positions cut to whole numbers": "cut to whole numbers",
        "a table of 5000 rows": "raised IndexError: index 1000003 is out of bounds",
        "overwritten": "Print one row beside the loop over the pairs",
    },
}
