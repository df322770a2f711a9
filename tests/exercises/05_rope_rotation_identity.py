"""Classic wrong answers to the exercises of chapter 5: each must be turned down, with a hint of its own."""


def _rotate(body):
    """An answer to 5.2 that mixes features with angles t."""
    return f'''
def rotate_rows(x, positions):
    d = x.shape[1]
    omega = 10_000.0 ** (-np.arange(0, d, 2) / d)
    t = positions[:, None] * omega
    first, second = x[:, 0::2], x[:, 1::2]
    out = np.empty_like(x)
{body}
    return out
'''


_MIX = """
    out[:, 0::2] = first * np.cos(t) - second * np.sin(t)
    out[:, 1::2] = first * np.sin(t) + second * np.cos(t)
"""

WRONG = {
    "5.1": {
        "the other sign": '''
def score_of_pair(q, k, t):
    return np.cos(t) * (q[0] * k[0] + q[1] * k[1]) + np.sin(t) * (q[0] * k[1] - q[1] * k[0])
''',
        "the cosine term alone": '''
def score_of_pair(q, k, t):
    return np.cos(t) * (q[0] * k[0] + q[1] * k[1])
''',
        "sine and cosine exchanged": '''
def score_of_pair(q, k, t):
    return np.sin(t) * (q[0] * k[0] + q[1] * k[1]) + np.cos(t) * (q[1] * k[0] - q[0] * k[1])
''',
        "a sum in the sine term": '''
def score_of_pair(q, k, t):
    return np.cos(t) * (q[0] * k[0] + q[1] * k[1]) + np.sin(t) * (q[1] * k[0] + q[0] * k[1])
''',
        "lengths times a cosine": '''
def score_of_pair(q, k, t):
    return np.sqrt(q @ q) * np.sqrt(k @ k) * np.cos(t)
''',
        "the angle added to the score": '''
def score_of_pair(q, k, t):
    return q @ k + t
''',
        "degrees": '''
def score_of_pair(q, k, t):
    t = np.deg2rad(t)
    return np.cos(t) * (q[0] * k[0] + q[1] * k[1]) + np.sin(t) * (q[1] * k[0] - q[0] * k[1])
''',
        "t plays no part": '''
def score_of_pair(q, k, t):
    return q @ k
''',
        "a number in brackets": '''
def score_of_pair(q, k, t):
    return [np.cos(t) * (q[0] * k[0] + q[1] * k[1]) + np.sin(t) * (q[1] * k[0] - q[0] * k[1])]
''',
        "two products that were not added": '''
def score_of_pair(q, k, t):
    return q * k * np.cos(t)
''',
        "both factors of the second product from q": '''
def score_of_pair(q, k, t):
    return np.cos(t) * (q[0] * k[0] + q[1] * k[1]) + np.sin(t) * (q[1] * k[0] - q[0] * q[1])
''',
    },
    "5.2": {
        "half-split pairs": '''
def rotate_rows(x, positions):
    h = x.shape[1] // 2
    t = positions[:, None] * 10_000.0 ** (-np.arange(h) / h)
    first, second = x[:, :h], x[:, h:]
    return np.concatenate([first * np.cos(t) - second * np.sin(t), first * np.sin(t) + second * np.cos(t)], axis=1)
''',
        "neighbours' angles, half-swapped partner": '''
def rotate_rows(x, positions):
    d = x.shape[1]
    t = np.repeat(positions[:, None] * 10_000.0 ** (-np.arange(0, d, 2) / d), 2, axis=1)
    return x * np.cos(t) + np.concatenate([-x[:, d // 2:], x[:, :d // 2]], axis=1) * np.sin(t)
''',
        "clockwise": _rotate("""
    out[:, 0::2] = first * np.cos(t) + second * np.sin(t)
    out[:, 1::2] = -first * np.sin(t) + second * np.cos(t)
"""),
        "positions start at 1": _rotate("    t = (positions[:, None] + 1) * omega" + _MIX),
        "the row's number instead of its position": _rotate("    t = np.arange(len(x))[:, None] * omega" + _MIX),
        "pairs counted from 1 in the exponent": _rotate(
            "    t = positions[:, None] * 10_000.0 ** (-2 * (np.arange(d // 2) - 1) / d)" + _MIX),
        "the variant's exponent, m / (d/2 - 1)": _rotate(
            "    t = positions[:, None] * 10_000.0 ** (-np.arange(d // 2) / (d // 2 - 1))" + _MIX),
        "positive exponent": _rotate("    t = positions[:, None] / omega" + _MIX),
        "one frequency for all pairs": _rotate("    t = positions[:, None] * np.ones(d // 2)" + _MIX),
        "the first row's position for all": _rotate("    t = np.full(len(x), positions[0])[:, None] * omega" + _MIX),
        "degrees": _rotate("    t = np.deg2rad(t)" + _MIX),
        "the second line reads what the first has written": _rotate("""
    out[:] = x
    first, second = out[:, 0::2], out[:, 1::2]
    out[:, 0::2] = first * np.cos(t) - second * np.sin(t)
    out[:, 1::2] = first * np.sin(t) + second * np.cos(t)
"""),
        "cosines alone": _rotate("""
    out[:, 0::2], out[:, 1::2] = first * np.cos(t), second * np.cos(t)
"""),
        "no minus": _rotate("""
    out[:, 0::2] = first * np.cos(t) + second * np.sin(t)
    out[:, 1::2] = first * np.sin(t) + second * np.cos(t)
"""),
        "a sinusoid is added": _rotate("""
    out[:, 0::2], out[:, 1::2] = first + np.sin(t), second + np.cos(t)
"""),
        "x is written over": '''
def rotate_rows(x, positions):
    t = positions[:, None] * 10_000.0 ** (-np.arange(0, x.shape[1], 2) / x.shape[1])
    first, second = x[:, 0::2].copy(), x[:, 1::2].copy()
    x[:, 0::2] = first * np.cos(t) - second * np.sin(t)
    x[:, 1::2] = first * np.sin(t) + second * np.cos(t)
    return x
''',
        "x itself": '''
def rotate_rows(x, positions):
    return x.copy()
''',
        "relative to the first row": _rotate("    t = (positions - positions[0])[:, None] * omega" + _MIX),
        "put back half by half": _rotate("""
    out = np.concatenate([first * np.cos(t) - second * np.sin(t), first * np.sin(t) + second * np.cos(t)], axis=1)
"""),
        "the new features of a pair exchanged": _rotate("""
    out[:, 0::2] = first * np.sin(t) + second * np.cos(t)
    out[:, 1::2] = first * np.cos(t) - second * np.sin(t)
"""),
        "sine and cosine exchanged": _rotate("""
    out[:, 0::2] = first * np.sin(t) - second * np.cos(t)
    out[:, 1::2] = first * np.cos(t) + second * np.sin(t)
"""),
        "rows of length 1": _rotate(_MIX + "    out = out / np.linalg.norm(out, axis=1, keepdims=True)"),
        "the exponent m / d": _rotate("    t = positions[:, None] * 10_000.0 ** (-np.arange(d // 2) / d)" + _MIX),
        "the exponent 4m / d": _rotate("    t = positions[:, None] * 10_000.0 ** (-2 * np.arange(0, d, 2) / d)" + _MIX),
        "frequencies in reverse order": _rotate("    t = positions[:, None] * omega[::-1]" + _MIX),
        "a table of 5000 rows": _rotate("""
    table = np.arange(5000)[:, None] * omega
    t = table[positions.astype(int)]""" + _MIX),
        "positions not made a column": _rotate("    t = positions * omega[:3]" + _MIX),
        "angles in float32": _rotate("    t = positions.astype(np.float32)[:, None] * omega.astype(np.float32)" + _MIX),
        "a table of 5000 rows, with the sign put back": _rotate("""
    table = np.arange(5000)[:, None] * omega
    t = np.sign(positions)[:, None] * (table[np.floor(np.abs(positions)).astype(int)] + (np.abs(positions) % 1)[:, None] * omega)""" + _MIX),
        "a table of 5000 rows, cut off at its end": _rotate("""
    p = np.clip(positions, -4999, 4999)
    t = p[:, None] * omega""" + _MIX),
        "the position without its sign": _rotate("    t = np.abs(positions)[:, None] * omega" + _MIX),
        "no position below 0": _rotate("    t = np.maximum(positions, 0)[:, None] * omega" + _MIX),
        "positions cut to whole numbers": _rotate("    t = positions.astype(int)[:, None] * omega" + _MIX),
        "positions rounded": _rotate("    t = np.round(positions)[:, None] * omega" + _MIX),
        "only for 8 features": _rotate("    t = positions[:, None] * 10_000.0 ** (-np.arange(0, d, 2) / 8)" + _MIX),
    },
    "5.3": {
        "the query itself": '''
def key_for(q, offset):
    return 1.0 * q
''',
        "rotated forward instead of back": '''
def key_for(q, offset):
    t = offset * 10_000.0 ** (-np.arange(0, 64, 2) / 64)
    rotated = (q[0::2] + 1j * q[1::2]) * np.exp(1j * t)
    return np.stack([rotated.real, rotated.imag], axis=1).ravel()
''',
        "only the fastest pair rotated": '''
def key_for(q, offset):
    first = (q[0] + 1j * q[1]) * np.exp(-1j * offset)
    return np.concatenate([[first.real, first.imag], q[2:]])
''',
        "rotated back, and one sign lost": '''
def key_for(q, offset):
    t = offset * 10_000.0 ** (-np.arange(0, 64, 2) / 64)
    rotated = (q[0::2] + 1j * q[1::2]) * np.exp(-1j * t)
    rotated[-1] = rotated[-1].conj()
    return np.stack([rotated.real, rotated.imag], axis=1).ravel()
''',
        "a longer key": '''
def key_for(q, offset):
    t = offset * 10_000.0 ** (-np.arange(0, 64, 2) / 64)
    rotated = (q[0::2] + 1j * q[1::2]) * np.exp(-1j * t)
    return 10 * np.stack([rotated.real, rotated.imag], axis=1).ravel()
''',
        "nothing": '''
def key_for(q, offset):
    return np.zeros(64)
''',
        "half-split pairs": '''
def key_for(q, offset):
    t = offset * 10_000.0 ** (-np.arange(0, 64, 2) / 64)
    rotated = (q[:32] + 1j * q[32:]) * np.exp(-1j * t)
    return np.concatenate([rotated.real, rotated.imag])
''',
        "a cosine of the offset everywhere": '''
def key_for(q, offset):
    return q * np.cos(offset)
''',
    },
}

HINTS = {
    "5.1": {
        "the other sign": "the other sign",
        "the cosine term alone": "the cosine term alone",
        "sine and cosine exchanged": "are exchanged",
        "a sum in the sine term": "subtracted from the other",
        "lengths times a cosine": "The angle between them counts too",
        "the angle added to the score": "as a bias would be",
        "degrees": "as degrees",
        "t plays no part": "does not depend on t",
        "a number in brackets": "yours is an array of shape (1,). Return one number",
        "two products that were not added": "yours is an array of shape (2,). Return one number",
        "both factors of the second product from q": "Rotate one key by hand",
    },
    "5.2": {
        "half-split pairs": "features m and m + d/2",
        "neighbours' angles, half-swapped partner": "such a mix is no rotation",
        "clockwise": "You rotate clockwise",
        "positions start at 1": "positions start at 0",
        "the row's number instead of its position": "rotated by the row's number",
        "pairs counted from 1 in the exponent": "counts pairs from 1",
        "the variant's exponent, m / (d/2 - 1)": "the variant of chapter 2",
        "positive exponent": "lacks its minus sign",
        "one frequency for all pairs": "where does the pair's number enter",
        "the first row's position for all": "the first row's angles",
        "degrees": "as degrees",
        "the second line reads what the first has written": "rotated already",
        "cosines alone": "only the cosines",
        "no minus": "Each new pair needs both old features",
        "a sinusoid is added": "added a sinusoid",
        "x is written over": "changed x in place",
        "x itself": "Nothing is rotated at any position",
        "relative to the first row": "distance from the first row",
        "put back half by half": "first all the first ones",
        "the new features of a pair exchanged": "the new second feature stands before the new first",
        "sine and cosine exchanged": "Sine and cosine are exchanged",
        "rows of length 1": "given length 1",
        "the exponent m / d": "your exponent is m / d",
        "the exponent 4m / d": "counted the 2 twice",
        "frequencies in reverse order": "in reverse order",
        "a table of 5000 rows": "Its row −3 is the third from its end",
        "positions not made a column": "one row for each position",
        "angles in float32": "an angle was rounded on the way",
        "a table of 5000 rows, with the sign put back": "raised an IndexError. A table has an end",
        "a table of 5000 rows, cut off at its end": "10,000,019 works as well: row 0, column 0 should be",
        "the position without its sign": "ignore the sign of the position",
        "no position below 0": "negative positions as 0",
        "positions cut to whole numbers": "truncated to whole numbers",
        "positions rounded": "are rounded to whole numbers",
        "only for 8 features": "Is a width or a length fixed",
    },
    "5.3": {
        "the query itself": "what must it be before",
        "rotated forward instead of back": "You rotated the wrong way",
        "only the fastest pair rotated": "Every pair has its own frequency",
        "rotated back, and one sign lost": "no key of its length could score higher: it should be 57.97",
        "a longer key": "it should be 7.614 and is 76.14. A rotation keeps the length",
        "nothing": "it should be 7.614 and is 0. A rotation keeps the length",
        "half-split pairs": "scores highest at -1: it should be -1 and is 0. At this offset",
        "a cosine of the offset everywhere": "it should be 6.914 and is 3.736. A rotation keeps the length",
    },
}
