"""Classic wrong answers to the exercises of chapter 11: each must be turned down, with a hint of its own."""


def _box(lines):
    return f'''
def which_scheme(score):
    q, k = np.array([1.0, 2.0, -1.0, 0.5]), np.array([0.5, -1.0, 2.0, 1.0])
{lines}
'''


def _decoupled(lines):
    return f'''
def decoupled_scores(q, k, q_rotary, k_rotary, positions, inv_freq):
    content, d, r = q @ k.swapaxes(-1, -2), q.shape[-1], q_rotary.shape[-1]
    turned_q, turned_k = rotate(q_rotary, positions, inv_freq), rotate(k_rotary, positions, inv_freq)
    return {lines}
'''


def _far(lines):
    return f'''
def best_when_far(distance, inv_freq):
    q = np.ones(2 * len(inv_freq))
{lines}
'''


SHIFT = "    if not np.isclose(score(q, k, 3, 1), score(q, k, 103, 101)):\n        return 1\n"
ZEROS = "    if any(abs(score(0 * q, 0 * k, 10, 10 + offset)) > 1e-9 for offset in range(-4, 5)):\n        return 2\n"
OFFSETS = "    return 3 if any(not np.isclose(score(q, k, 10, 10 + offset), score(q, k, 10, 10)) for offset in range(-4, 5)) else 0"
WRONG = {
    "11.1": {
        "exact comparison": _box("    if score(q, k, 3, 1) != score(q, k, 103, 101):\n        return 1\n" + ZEROS + OFFSETS),
        "zeros before the shift": _box(ZEROS + SHIFT + OFFSETS),
        "no zeros": _box(SHIFT + OFFSETS),
        "one offset of zeros": _box(SHIFT + "    if abs(score(0 * q, 0 * k, 3, 1)) > 1e-9:\n        return 2\n" + OFFSETS),
        "one offset": _box(SHIFT + ZEROS + "    return 3 if not np.isclose(score(q, k, 3, 1), score(q, k, 3, 3)) else 0"
                           .replace("3, 3)", "3, 5)")),
        "always rotary": _box("    return 3"),
        "always none": _box("    return 0"),
        "anything that moves is a bias": _box("    return 0 if np.isclose(score(q, k, 3, 1), score(q, k, 3, 2)) else 1 if not np.isclose(score(q, k, 3, 1), score(q, k, 103, 101)) else 2"),
        "a word": _box("    return 7"),
    },
    "11.2": {
        "root of d": _decoupled("(content + turned_q @ turned_k.T) / d ** 0.5"),
        "two roots": _decoupled("content / d ** 0.5 + turned_q @ turned_k.T / r ** 0.5"),
        "no root": _decoupled("content + turned_q @ turned_k.T"),
        "not rotated": _decoupled("(content + q_rotary @ k_rotary.T) / (d + r) ** 0.5"),
        "queries alone": _decoupled("(content + turned_q @ k_rotary.T) / (d + r) ** 0.5"),
        "opposite": _decoupled("(content + turned_q @ rotate(k_rotary, -positions, inv_freq).T) / (d + r) ** 0.5"),
        "no content": _decoupled("turned_q @ turned_k.T / (d + r) ** 0.5"),
        "own positions": _decoupled("(content + rotate(q_rotary, np.arange(len(positions)), inv_freq) @ rotate(k_rotary, np.arange(len(positions)), inv_freq).T) / (d + r) ** 0.5"),
    },
    "11.3": {
        "the same vector": _far("    return q, q"),
        "ahead": _far("    return q, rotate(q[None], [-distance], inv_freq)[0]"),
        "zeros": _far("    return 0 * q, 0 * q"),
        "opposite": _far("    return q, -q"),
        "one vector": _far("    return q"),
        "fixed distance": _far("    return q, rotate(q[None], [7], inv_freq)[0]"),
    },
}
HINTS = {
    "11.1": {
        "exact comparison": "to rounding only",
        "zeros before the shift": "which a bias does too",
        "no zeros": "a bias is still there",
        "one offset of zeros": "the box with a number for the token before",
        "one offset": "half a turn",
        "always rotary": "not even by rounding",
        "always none": "does depend on the positions",
        "anything that moves is a bias": "a rotation leaves them 0",
        "a word": "0, 1, 2 or 3",
    },
    "11.2": {
        "root of d": "the root of *all* features",
        "two roots": "one root for both",
        "no root": "not divided at all",
        "not rotated": "no position enters",
        "queries alone": "Only the queries are rotated",
        "opposite": "the sum of the positions",
        "no content": "content part is missing",
        "own positions": "does not begin at 0",
    },
    "11.3": {
        "the same vector": "suits best at offset 0",
        "ahead": "ahead of the query",
        "zeros": "score 0 everywhere",
        "opposite": "exactly 7 tokens back",
        "one vector": "two vectors, q and k",
        "fixed distance": "exactly 100 tokens back",
    },
}
