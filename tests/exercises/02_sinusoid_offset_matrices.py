"""Classic wrong answers to the exercises of chapter 2: each must be turned down, with a hint of its own."""


def _table(body):
    """An answer to 2.1 that fills a table from angles."""
    return f'''
def add_positions(x):
    batch, n, d = x.shape
    p, i = np.arange(n)[:, None], np.arange(0, d, 2)
    table = np.empty((n, d))
{body}
    return x + table
'''


WRONG = {
    "2.1": {
        "the cosine has an exponent of its own": _table("""
    table[:, 0::2] = np.sin(p / 10_000 ** (i / d))
    table[:, 1::2] = np.cos(p / 10_000 ** ((i + 1) / d))
"""),
        "the exponent is doubled, and the cosine's once more": _table("""
    table[:, 0::2] = np.sin(p / 10_000 ** (2 * i / d))
    table[:, 1::2] = np.cos(p / 10_000 ** (2 * (i + 1) / d))
"""),
        "the exponent is doubled, the same for both": _table("""
    table[:, 0::2] = np.sin(p / 10_000 ** (2 * i / d))
    table[:, 1::2] = np.cos(p / 10_000 ** (2 * i / d))
"""),
        "positive exponent": _table("""
    table[:, 0::2] = np.sin(p * 10_000 ** (i / d))
    table[:, 1::2] = np.cos(p * 10_000 ** (i / d))
"""),
        "the other family, m / (d/2 - 1)": _table("""
    omega = 10_000.0 ** (-np.arange(d // 2) / (d // 2 - 1))
    table[:, 0::2], table[:, 1::2] = np.sin(p * omega), np.cos(p * omega)
"""),
        "positions start at 1": _table("""
    theta = (p + 1) / 10_000 ** (i / d)
    table[:, 0::2], table[:, 1::2] = np.sin(theta), np.cos(theta)
"""),
        "sines first, then cosines": _table("""
    theta = p / 10_000 ** (i / d)
    table = np.concatenate([np.sin(theta), np.cos(theta)], axis=1)
"""),
        "cosine before sine": _table("""
    theta = p / 10_000 ** (i / d)
    table[:, 0::2], table[:, 1::2] = np.cos(theta), np.sin(theta)
"""),
        "integer division in the exponent": _table("""
    theta = p / 10_000 ** (i // d)
    table[:, 0::2], table[:, 1::2] = np.sin(theta), np.cos(theta)
"""),
        "degrees": _table("""
    theta = np.deg2rad(p / 10_000 ** (i / d))
    table[:, 0::2], table[:, 1::2] = np.sin(theta), np.cos(theta)
"""),
        "added along the batch": '''
def add_positions(x):
    batch, n, d = x.shape
    theta = np.arange(batch)[:, None] / 10_000 ** (np.arange(0, d, 2) / d)
    table = np.stack([np.sin(theta), np.cos(theta)], axis=-1).reshape(batch, 1, d)
    return x + table
''',
        "the table alone, x forgotten": '''
def add_positions(x):
    batch, n, d = x.shape
    theta = np.arange(n)[:, None] / 10_000 ** (np.arange(0, d, 2) / d)
    table = np.stack([np.sin(theta), np.cos(theta)], axis=-1).reshape(n, d)
    return np.broadcast_to(table, x.shape)
''',
        "base 1000": _table("""
    theta = p / 1_000 ** (i / d)
    table[:, 0::2], table[:, 1::2] = np.sin(theta), np.cos(theta)
"""),
        "half precision": _table("""
    theta = p / 10_000 ** (i / d)
    table[:, 0::2], table[:, 1::2] = np.sin(theta).astype(np.float16), np.cos(theta).astype(np.float16)
"""),
        "a result in half precision": '''
def add_positions(x):
    batch, n, d = x.shape
    theta = np.arange(n)[:, None] / 10_000 ** (np.arange(0, d, 2) / d)
    return (x + np.stack([np.sin(theta), np.cos(theta)], axis=-1).reshape(n, d)).astype(np.float16)
''',
        "cosines first, then sines": _table("""
    theta = p / 10_000 ** (i / d)
    table = np.concatenate([np.cos(theta), np.sin(theta)], axis=1)
"""),
        "a table of 100 rows": '''
def add_positions(x):
    batch, n, d = x.shape
    theta = np.arange(100)[:, None] / 10_000 ** (np.arange(0, d, 2) / d)
    return x + np.stack([np.sin(theta), np.cos(theta)], axis=-1).reshape(100, d)[:n]
''',
        "a table of 5000 rows, its last one again and again": _table("""
    theta = np.minimum(p, 4999) / 10_000 ** (i / d)
    table[:, 0::2], table[:, 1::2] = np.sin(theta), np.cos(theta)
"""),
        "positions capped at 50": _table("""
    theta = np.minimum(p, 50) / 10_000 ** (i / d)
    table[:, 0::2], table[:, 1::2] = np.sin(theta), np.cos(theta)
"""),
        "nothing added to a batch of two": _table("""
    theta = p / 10_000 ** (i / d)
    table[:, 0::2], table[:, 1::2] = np.sin(theta), np.cos(theta)
    if batch == 2:
        return x
"""),
        "one sequence only": '''
def add_positions(x):
    batch, n, d = x.shape
    theta = np.arange(n)[:, None] / 10_000 ** (np.arange(0, d, 2) / d)
    return x[0] + np.stack([np.sin(theta), np.cos(theta)], axis=-1).reshape(n, d)
''',
    },
    "2.2": {
        "transposed, as for (cos, sin)": '''
def step_matrix(k, d):
    M = np.zeros((d, d))
    for m in range(d // 2):
        b = k * 10_000.0 ** (-2 * m / d)
        M[2 * m:2 * m + 2, 2 * m:2 * m + 2] = [[np.cos(b), -np.sin(b)], [np.sin(b), np.cos(b)]]
    return M
''',
        "blocks for sines first, then cosines": '''
def step_matrix(k, d):
    b = k * 10_000.0 ** (-np.arange(0, d, 2) / d)
    return np.block([[np.diag(np.cos(b)), np.diag(np.sin(b))], [-np.diag(np.sin(b)), np.diag(np.cos(b))]])
''',
        "made for position 0": '''
def step_matrix(k, d):
    start, end = (np.stack([np.sin(a), np.cos(a)], axis=-1).ravel()
                  for a in (np.zeros(d // 2), k * 10_000.0 ** (-np.arange(0, d, 2) / d)))
    return np.outer(end, start) / (start @ start)
''',
        "made for position 10": '''
def step_matrix(k, d):
    omega = 10_000.0 ** (-np.arange(0, d, 2) / d)
    start, end = (np.stack([np.sin(a), np.cos(a)], axis=-1).ravel() for a in (10 * omega, (10 + k) * omega))
    return np.outer(end, start) / (start @ start)
''',
        "one frequency for all blocks": '''
def step_matrix(k, d):
    return np.kron(np.eye(d // 2), [[np.cos(k), np.sin(k)], [-np.sin(k), np.cos(k)]])
''',
        "positive exponent": '''
def step_matrix(k, d):
    M = np.zeros((d, d))
    for m in range(d // 2):
        b = k * 10_000.0 ** (2 * m / d)
        M[2 * m:2 * m + 2, 2 * m:2 * m + 2] = [[np.cos(b), np.sin(b)], [-np.sin(b), np.cos(b)]]
    return M
''',
        "only for d = 8": '''
def step_matrix(k, d):
    M = np.zeros((d, d))
    for m in range(d // 2):
        b = k * 10_000.0 ** (-2 * m / 8)
        M[2 * m:2 * m + 2, 2 * m:2 * m + 2] = [[np.cos(b), np.sin(b)], [-np.sin(b), np.cos(b)]]
    return M
''',
        "the exponent is doubled": '''
def step_matrix(k, d):
    M = np.zeros((d, d))
    for i in range(0, d, 2):
        b = k * 10_000.0 ** (-2 * i / d)
        M[i:i + 2, i:i + 2] = [[np.cos(b), np.sin(b)], [-np.sin(b), np.cos(b)]]
    return M
''',
        "the other family, m / (d/2 - 1)": '''
def step_matrix(k, d):
    M = np.zeros((d, d))
    for i in range(0, d, 2):
        b = k * 10_000.0 ** (-(i / 2) / (d / 2 - 1))
        M[i:i + 2, i:i + 2] = [[np.cos(b), np.sin(b)], [-np.sin(b), np.cos(b)]]
    return M
''',
        "base 1000": '''
def step_matrix(k, d):
    M = np.zeros((d, d))
    for i in range(0, d, 2):
        b = k * 1_000.0 ** (-i / d)
        M[i:i + 2, i:i + 2] = [[np.cos(b), np.sin(b)], [-np.sin(b), np.cos(b)]]
    return M
''',
        "one pair only": '''
def step_matrix(k, d):
    return np.array([[np.cos(k), np.sin(k)], [-np.sin(k), np.cos(k)]])
''',
    },
    "2.3": {
        "query minus key": '''
def find_offset(pe_query, pe_key):
    omega = 10_000.0 ** (-np.arange(0, 64, 2) / 64)
    k = np.arange(-1000, 1001)[:, None] * omega
    s, c = pe_key[0::2], pe_key[1::2]
    return int(np.argmax((s * np.cos(k) + c * np.sin(k)) @ pe_query[0::2] + (c * np.cos(k) - s * np.sin(k)) @ pe_query[1::2])) - 1000
''',
        "the fastest hand alone": '''
def find_offset(pe_query, pe_key):
    turn = np.arctan2(pe_key[0], pe_key[1]) - np.arctan2(pe_query[0], pe_query[1])
    return round((turn + np.pi) % (2 * np.pi) - np.pi)
''',
        "the dot product alone, so without a sign": '''
def find_offset(pe_query, pe_key):
    omega = 10_000.0 ** (-np.arange(0, 64, 2) / 64)
    expected = np.cos(np.arange(1001)[:, None] * omega).sum(axis=1)
    return int(np.argmin(np.abs(expected - pe_query @ pe_key)))
''',
        "the slowest hand alone": '''
def find_offset(pe_query, pe_key):
    turn = np.arctan2(pe_key[-2], pe_key[-1]) - np.arctan2(pe_query[-2], pe_query[-1])
    return round(((turn + np.pi) % (2 * np.pi) - np.pi) / 10_000.0 ** (-62 / 64))
''',
        "offsets up to 500 only": '''
def find_offset(pe_query, pe_key):
    omega = 10_000.0 ** (-np.arange(0, 64, 2) / 64)
    k = np.arange(-500, 501)[:, None] * omega
    s, c = pe_query[0::2], pe_query[1::2]
    return int(np.argmax((s * np.cos(k) + c * np.sin(k)) @ pe_key[0::2] + (c * np.cos(k) - s * np.sin(k)) @ pe_key[1::2])) - 500
''',
        "998 either way": '''
def find_offset(pe_query, pe_key):
    omega = 10_000.0 ** (-np.arange(0, 64, 2) / 64)
    offsets = np.arange(-998, 999)
    k, s, c = offsets[:, None] * omega, pe_query[0::2], pe_query[1::2]
    return offsets[np.argmax((s * np.cos(k) + c * np.sin(k)) @ pe_key[0::2] + (c * np.cos(k) - s * np.sin(k)) @ pe_key[1::2])]
''',
        "the last offset left out": '''
def find_offset(pe_query, pe_key):
    omega = 10_000.0 ** (-np.arange(0, 64, 2) / 64)
    offsets = np.arange(-1000, 1000)
    k, s, c = offsets[:, None] * omega, pe_query[0::2], pe_query[1::2]
    return offsets[np.argmax((s * np.cos(k) + c * np.sin(k)) @ pe_key[0::2] + (c * np.cos(k) - s * np.sin(k)) @ pe_key[1::2])]
''',
        "an exact match": '''
def find_offset(pe_query, pe_key):
    omega = 10_000.0 ** (-np.arange(0, 64, 2) / 64)
    for offset in range(-1000, 1001):
        k, s, c = offset * omega, pe_query[0::2], pe_query[1::2]
        if np.allclose(s * np.cos(k) + c * np.sin(k), pe_key[0::2]) and np.allclose(c * np.cos(k) - s * np.sin(k), pe_key[1::2]):
            return offset
''',
        "a middle hand alone": '''
def find_offset(pe_query, pe_key):
    turn = np.arctan2(pe_key[32], pe_key[33]) - np.arctan2(pe_query[32], pe_query[33])
    return round(((turn + np.pi) % (2 * np.pi) - np.pi) / 0.01)
''',
        "a table of 10,000 rows": '''
def find_offset(pe_query, pe_key):
    theta = np.arange(10_000)[:, None] * 10_000.0 ** (-np.arange(0, 64, 2) / 64)
    table = np.stack([np.sin(theta), np.cos(theta)], axis=-1).reshape(10_000, 64)
    return np.argmax(table @ pe_key) - np.argmax(table @ pe_query)
''',
        **{f"slow hands alone, from pair {first} on": f'''
def find_offset(pe_query, pe_key):
    omega = 10_000.0 ** (-np.arange(0, 64, 2) / 64)
    offsets = np.arange(-1000, 1001)
    k, s, c = (offsets[:, None] * omega)[:, {first}:], pe_query[{2 * first}::2], pe_query[{2 * first + 1}::2]
    turned = (s * np.cos(k) + c * np.sin(k)) @ pe_key[{2 * first}::2] + (c * np.cos(k) - s * np.sin(k)) @ pe_key[{2 * first + 1}::2]
    return offsets[np.argmax(turned)]
''' for first in (14, 15, 17)},
        "an array of one": '''
def find_offset(pe_query, pe_key):
    omega = 10_000.0 ** (-np.arange(0, 64, 2) / 64)
    k, s, c = np.arange(-1000, 1001)[:, None] * omega, pe_query[0::2], pe_query[1::2]
    match = (s * np.cos(k) + c * np.sin(k)) @ pe_key[0::2] + (c * np.cos(k) - s * np.sin(k)) @ pe_key[1::2]
    return np.flatnonzero(match == match.max()) - 1000
''',
        "the place in the list, not the offset": '''
def find_offset(pe_query, pe_key):
    omega = 10_000.0 ** (-np.arange(0, 64, 2) / 64)
    k = np.arange(-1000, 1001)[:, None] * omega
    s, c = pe_query[0::2], pe_query[1::2]
    return int(np.argmax((s * np.cos(k) + c * np.sin(k)) @ pe_key[0::2] + (c * np.cos(k) - s * np.sin(k)) @ pe_key[1::2]))
''',
    },
}

HINTS = {
    "2.1": {
        "the cosine has an exponent of its own": "share one frequency",
        "the exponent is doubled, and the cosine's once more": "Two faults",
        "the exponent is doubled, the same for both": "The exponent is doubled",
        "positive exponent": "lost its minus sign",
        "the other family, m / (d/2 - 1)": "the other family",
        "positions start at 1": "positions start at 0",
        "sines first, then cosines": "Sines in one half",
        "cosine before sine": "changed places",
        "integer division in the exponent": "where does the pair's number enter",
        "degrees": "in degrees",
        "added along the batch": "the positions run along axis 1",
        "the table alone, x forgotten": "x plus a table",
        "base 1000": "row 1, column 2 should be 0.09983 and is 0.1769. Print row 1 beside the formula",
        "cosines first, then sines": "All cosines first",
        "a table of 100 rows": "of shape (2, 6000, 6)) raised ValueError",
        "a table of 5000 rows, its last one again and again": "Is a batch, a length or a width fixed",
        "positions capped at 50": "Is a batch, a length or a width fixed",
        "nothing added to a batch of two": "Is a batch, a length or a width fixed",
        "half precision": "should be 1 and is 0.9999",
        "a result in half precision": "it is float16",
        "one sequence only": "broadcasts over the batch",
    },
    "2.2": {
        "transposed, as for (cos, sin)": "walks backwards",
        "blocks for sines first, then cosines": "all sines first",
        "made for position 0": "made for position 0",
        "made for position 10": "made to fit one position",
        "one frequency for all blocks": "a frequency of its own",
        "positive exponent": "lost its minus sign",
        "only for d = 8": "Is an offset or a width fixed",
        "the exponent is doubled": "The exponent is doubled",
        "the other family, m / (d/2 - 1)": "the other family",
        "base 1000": "look at the base",
        "one pair only": "for d = 8 the shape is (2, 2)",
    },
    "2.3": {
        "query minus key": "relative = key − query",
        "the fastest hand alone": "up to whole turns",
        "the dot product alone, so without a sign": "cannot tell before from after",
        "the slowest hand alone": "Let all hands vote",
        "offsets up to 500 only": "reach from −1000 to 1000",
        "998 either way": "offset −1000 is found: it should be",
        "the last offset left out": "offset +1000 is found: it should be",
        "an exact match": "gave None",
        **{f"slow hands alone, from pair {first} on": "Let all hands vote" for first in (14, 15, 17)},
        "an array of one": "its shape is (1,). Take the number out",
        "a middle hand alone": "this hand has been all the way round",
        "a table of 10,000 rows": "Do you look the positions up in a table?",
        "the place in the list, not the offset": "not yet an offset",
    },
}
