"""Classic wrong answers to the exercises of chapter 5: each must be turned down, with a hint of its own."""


def _turn(body):
    """An answer to 5.2 that mixes features with angles t."""
    return f'''
def turn(x, positions):
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
def turn(x, positions):
    h = x.shape[1] // 2
    t = positions[:, None] * 10_000.0 ** (-np.arange(h) / h)
    first, second = x[:, :h], x[:, h:]
    return np.concatenate([first * np.cos(t) - second * np.sin(t), first * np.sin(t) + second * np.cos(t)], axis=1)
''',
        "neighbours' angles, half-swapped partner": '''
def turn(x, positions):
    d = x.shape[1]
    t = np.repeat(positions[:, None] * 10_000.0 ** (-np.arange(0, d, 2) / d), 2, axis=1)
    return x * np.cos(t) + np.concatenate([-x[:, d // 2:], x[:, :d // 2]], axis=1) * np.sin(t)
''',
        "clockwise": _turn("""
    out[:, 0::2] = first * np.cos(t) + second * np.sin(t)
    out[:, 1::2] = -first * np.sin(t) + second * np.cos(t)
"""),
        "positions start at 1": _turn("    t = (positions[:, None] + 1) * omega" + _MIX),
        "the row's number instead of its position": _turn("    t = np.arange(len(x))[:, None] * omega" + _MIX),
        "pairs counted from 1 in the exponent": _turn(
            "    t = positions[:, None] * 10_000.0 ** (-2 * (np.arange(d // 2) - 1) / d)" + _MIX),
        "the cousin's exponent, m / (d/2 - 1)": _turn(
            "    t = positions[:, None] * 10_000.0 ** (-np.arange(d // 2) / (d // 2 - 1))" + _MIX),
        "positive exponent": _turn("    t = positions[:, None] / omega" + _MIX),
        "one frequency for all pairs": _turn("    t = positions[:, None] * np.ones(d // 2)" + _MIX),
        "the first row's position for all": _turn("    t = np.full(len(x), positions[0])[:, None] * omega" + _MIX),
        "degrees": _turn("    t = np.deg2rad(t)" + _MIX),
        "the second line reads what the first has written": _turn("""
    out[:] = x
    first, second = out[:, 0::2], out[:, 1::2]
    out[:, 0::2] = first * np.cos(t) - second * np.sin(t)
    out[:, 1::2] = first * np.sin(t) + second * np.cos(t)
"""),
        "cosines alone": _turn("""
    out[:, 0::2], out[:, 1::2] = first * np.cos(t), second * np.cos(t)
"""),
        "no minus": _turn("""
    out[:, 0::2] = first * np.cos(t) + second * np.sin(t)
    out[:, 1::2] = first * np.sin(t) + second * np.cos(t)
"""),
        "a sinusoid is added": _turn("""
    out[:, 0::2], out[:, 1::2] = first + np.sin(t), second + np.cos(t)
"""),
        "x is written over": '''
def turn(x, positions):
    t = positions[:, None] * 10_000.0 ** (-np.arange(0, x.shape[1], 2) / x.shape[1])
    first, second = x[:, 0::2].copy(), x[:, 1::2].copy()
    x[:, 0::2] = first * np.cos(t) - second * np.sin(t)
    x[:, 1::2] = first * np.sin(t) + second * np.cos(t)
    return x
''',
        "x itself": '''
def turn(x, positions):
    return x.copy()
''',
        "relative to the first row": _turn("    t = (positions - positions[0])[:, None] * omega" + _MIX),
        "put back half by half": _turn("""
    out = np.concatenate([first * np.cos(t) - second * np.sin(t), first * np.sin(t) + second * np.cos(t)], axis=1)
"""),
        "the new features of a pair exchanged": _turn("""
    out[:, 0::2] = first * np.sin(t) + second * np.cos(t)
    out[:, 1::2] = first * np.cos(t) - second * np.sin(t)
"""),
        "sine and cosine exchanged": _turn("""
    out[:, 0::2] = first * np.sin(t) - second * np.cos(t)
    out[:, 1::2] = first * np.cos(t) + second * np.sin(t)
"""),
        "rows of length 1": _turn(_MIX + "    out = out / np.linalg.norm(out, axis=1, keepdims=True)"),
        "the exponent m / d": _turn("    t = positions[:, None] * 10_000.0 ** (-np.arange(d // 2) / d)" + _MIX),
        "the exponent 4m / d": _turn("    t = positions[:, None] * 10_000.0 ** (-2 * np.arange(0, d, 2) / d)" + _MIX),
        "frequencies in reverse order": _turn("    t = positions[:, None] * omega[::-1]" + _MIX),
        "a table of 5000 rows": _turn("""
    table = np.arange(5000)[:, None] * omega
    t = table[positions.astype(int)]""" + _MIX),
        "a table of 5000 rows, with the sign put back": _turn("""
    table = np.arange(5000)[:, None] * omega
    t = np.sign(positions)[:, None] * (table[np.floor(np.abs(positions)).astype(int)] + (np.abs(positions) % 1)[:, None] * omega)""" + _MIX),
        "a table of 5000 rows, cut off at its end": _turn("""
    p = np.clip(positions, -4999, 4999)
    t = p[:, None] * omega""" + _MIX),
        "the position without its sign": _turn("    t = np.abs(positions)[:, None] * omega" + _MIX),
        "no position below 0": _turn("    t = np.maximum(positions, 0)[:, None] * omega" + _MIX),
        "positions cut to whole numbers": _turn("    t = positions.astype(int)[:, None] * omega" + _MIX),
        "positions rounded": _turn("    t = np.round(positions)[:, None] * omega" + _MIX),
        "only for 8 features": _turn("    t = positions[:, None] * 10_000.0 ** (-np.arange(0, d, 2) / 8)" + _MIX),
    },
    "5.3": {
        "the query itself": '''
def key_for(q, gap):
    return 1.0 * q
''',
        "turned forth instead of back": '''
def key_for(q, gap):
    t = gap * 10_000.0 ** (-np.arange(0, 64, 2) / 64)
    turned = (q[0::2] + 1j * q[1::2]) * np.exp(1j * t)
    return np.stack([turned.real, turned.imag], axis=1).ravel()
''',
        "only the fastest pair turned": '''
def key_for(q, gap):
    first = (q[0] + 1j * q[1]) * np.exp(-1j * gap)
    return np.concatenate([[first.real, first.imag], q[2:]])
''',
        "turned back, and one sign lost": '''
def key_for(q, gap):
    t = gap * 10_000.0 ** (-np.arange(0, 64, 2) / 64)
    turned = (q[0::2] + 1j * q[1::2]) * np.exp(-1j * t)
    turned[-1] = turned[-1].conj()
    return np.stack([turned.real, turned.imag], axis=1).ravel()
''',
        "a louder key": '''
def key_for(q, gap):
    t = gap * 10_000.0 ** (-np.arange(0, 64, 2) / 64)
    turned = (q[0::2] + 1j * q[1::2]) * np.exp(-1j * t)
    return 10 * np.stack([turned.real, turned.imag], axis=1).ravel()
''',
        "nothing": '''
def key_for(q, gap):
    return np.zeros(64)
''',
        "half-split pairs": '''
def key_for(q, gap):
    t = gap * 10_000.0 ** (-np.arange(0, 64, 2) / 64)
    turned = (q[:32] + 1j * q[32:]) * np.exp(-1j * t)
    return np.concatenate([turned.real, turned.imag])
''',
        "a sine of the gap everywhere": '''
def key_for(q, gap):
    return q * np.cos(gap)
''',
    },
}

HINTS = {
    "5.1": {
        "the other sign": "the other sign",
        "the cosine term alone": "the cosine term alone",
        "sine and cosine exchanged": "changed places",
        "a sum in the sine term": "one is taken from the other",
        "lengths times a cosine": "The angle between them counts too",
        "the angle added to the score": "as a bias would be",
        "degrees": "in degrees",
        "t plays no part": "does not ask for t",
        "a number in brackets": "yours is an array of shape (1,). Return one number",
        "two products that were not added": "yours is an array of shape (2,). Return one number",
        "both factors of the second product from q": "Turn one key by hand",
    },
    "5.2": {
        "half-split pairs": "features m and m + d/2",
        "neighbours' angles, half-swapped partner": "such a mix is no rotation",
        "clockwise": "You turn clockwise",
        "positions start at 1": "positions start at 0",
        "the row's number instead of its position": "turned by the row's number",
        "pairs counted from 1 in the exponent": "counts pairs from 1",
        "the cousin's exponent, m / (d/2 - 1)": "the cousin of chapter 2",
        "positive exponent": "lost its minus sign",
        "one frequency for all pairs": "where does the pair's number enter",
        "the first row's position for all": "the first row's angles",
        "degrees": "in degrees",
        "the second line reads what the first has written": "turned already",
        "cosines alone": "Only the cosines",
        "no minus": "Each new pair needs both old features",
        "a sinusoid is added": "added a sinusoid",
        "x is written over": "changed x in place",
        "x itself": "Nothing turns at any position",
        "relative to the first row": "distance from the first row",
        "put back half by half": "first all the first features",
        "the new features of a pair exchanged": "the new second feature stands before the new first",
        "sine and cosine exchanged": "Sine and cosine have changed places",
        "rows of length 1": "given length 1",
        "the exponent m / d": "your exponent is m / d",
        "the exponent 4m / d": "The 2 has been counted twice",
        "frequencies in reverse order": "in reverse order",
        "a table of 5000 rows": "Its row −3 is the third from its end",
        "a table of 5000 rows, with the sign put back": "raised an IndexError. A table ends somewhere",
        "a table of 5000 rows, cut off at its end": "10,000,019 turns as well: row 0, column 0 should be",
        "the position without its sign": "sign of the position is lost",
        "no position below 0": "taken for 0",
        "positions cut to whole numbers": "cut to whole numbers",
        "positions rounded": "are rounded to whole numbers",
        "only for 8 features": "Is a width or a length fixed",
    },
    "5.3": {
        "the query itself": "what must it be before",
        "turned forth instead of back": "Turned the wrong way",
        "only the fastest pair turned": "Every pair has its own speed",
        "turned back, and one sign lost": "no key of its length could score higher: it should be 57.97",
        "a louder key": "it should be 7.614 and is 76.14. A turn keeps the length",
        "nothing": "it should be 7.614 and is 0. A turn keeps the length",
        "half-split pairs": "is best heard at -1: it should be -1 and is 0. At this gap",
        "a sine of the gap everywhere": "it should be 6.914 and is 3.736. A turn keeps the length",
    },
}
