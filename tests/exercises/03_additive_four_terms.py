"""Classic wrong answers to the exercises of chapter 3: each must be turned down, with a hint of its own."""


def _split(body):
    """An answer to 3.1 that has the projected words and places at hand."""
    return f'''
def split_scores(x, positional, w_q, w_k):
    qx, qp, kx, kp = x @ w_q, positional @ w_q, x @ w_k, positional @ w_k
    root = np.sqrt(w_q.shape[1])
{body}
'''


def _look_back(body):
    return f'''
def look_back_query(k, w_k):
    d = len(w_k)
    inv_freq = 10_000.0 ** (-np.arange(0, d, 2) / d)

    def M(k):
        m = np.zeros((d, d))
        for i, a in enumerate(k * inv_freq):
            m[2 * i:2 * i + 2, 2 * i:2 * i + 2] = [[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]
        return m
{body}
'''


WRONG = {
    "3.1": {
        "not divided": _split("    return qx @ kx.T, qx @ kp.T, qp @ kx.T, qp @ kp.T"),
        "divided by the root of d": _split("""
    root = np.sqrt(x.shape[1])
    return qx @ kx.T / root, qx @ kp.T / root, qp @ kx.T / root, qp @ kp.T / root"""),
        "divided by d_head": _split("    return tuple(t / root ** 2 for t in (qx @ kx.T, qx @ kp.T, qp @ kx.T, qp @ kp.T))"),
        "only the first divided": _split("    return qx @ kx.T / root, qx @ kp.T, qp @ kx.T, qp @ kp.T"),
        "mixed terms exchanged": _split("    return tuple(t / root for t in (qx @ kx.T, qp @ kx.T, qx @ kp.T, qp @ kp.T))"),
        "transposed": _split("    return tuple(t / root for t in (kx @ qx.T, kp @ qx.T, kx @ qp.T, kp @ qp.T))"),
        "one mixed term twice": _split("    return tuple(t / root for t in (qx @ kx.T, qx @ kp.T, qx @ kp.T, qp @ kp.T))"),
        "the other is its transpose": _split("""
    mixed = qx @ kp.T / root
    return qx @ kx.T / root, mixed, mixed.T, qp @ kp.T / root"""),
        "no mixed terms": _split("    return qx @ kx.T / root, 0 * (qx @ kx.T), 0 * (qx @ kx.T), qp @ kp.T / root"),
        "places not projected": _split("""
    return qx @ kx.T / root, qx @ kp.T / root, qp @ kx.T / root, positional @ positional.T / root"""),
        "the sum alone": _split("    return (qx + qp) @ (kx + kp).T / root"),
        "a pairwise product without the keys' transpose": _split("    return tuple((a * b).sum(axis=1) / root for a in (qx, qp) for b in (kx, kp))"),
    },
    "3.2": {
        "transposed, so it looks ahead": _look_back("    return M(k).T @ np.linalg.inv(w_k.T)"),
        "one too far": _look_back("    return M(k + 1) @ np.linalg.inv(w_k.T)"),
        "one too few": _look_back("    return M(k - 1) @ np.linalg.inv(w_k.T)"),
        "sines first": '''
def look_back_query(k, w_k):
    a = k * 10_000.0 ** (-np.arange(0, len(w_k), 2) / len(w_k))
    c, s = np.diag(np.cos(a)), np.diag(np.sin(a))
    return np.block([[c, s], [-s, c]]) @ np.linalg.inv(w_k.T)
''',
        "features moved instead of places": '''
def look_back_query(k, w_k):
    return np.eye(len(w_k), k=k) @ np.linalg.inv(w_k.T)
''',
        "W_K forgotten": _look_back("    return M(k)"),
        "inverse not transposed": _look_back("    return M(k) @ np.linalg.inv(w_k)"),
        "inverse on the wrong side": _look_back("    return np.linalg.inv(w_k.T) @ M(k)"),
        "multiplied instead of undone": _look_back("    return M(k) @ w_k"),
        "k fixed at 1": _look_back("    return M(1) @ np.linalg.inv(w_k.T)"),
    },
    "3.3": {
        "reads the word": '''
def place_reader(words, places):
    given = np.vstack([words, places])
    return np.linalg.lstsq(given, np.vstack([words, 0 * places]), rcond=None)[0]
''',
        "the shadow on the places": '''
def place_reader(words, places):
    return np.linalg.pinv(places) @ places
''',
        "the words' span removed": '''
def place_reader(words, places):
    return np.eye(words.shape[1]) - np.linalg.pinv(words) @ words
''',
        "fitted to one word a place": '''
def place_reader(words, places):
    return np.linalg.lstsq(words[:len(places)] + places, places, rcond=None)[0]
''',
        "transposed": '''
def place_reader(words, places):
    given, wanted = np.vstack([words, places]), np.vstack([0 * words, places])
    return np.linalg.lstsq(given, wanted, rcond=None)[0].T
''',
        "keeps the words as well": '''
def place_reader(words, places):
    given = np.vstack([words, places])
    return np.linalg.lstsq(given, given, rcond=None)[0]
''',
        "the identity less the mean word": '''
def place_reader(words, places):
    mean = words.mean(axis=0)
    return np.eye(len(mean)) - np.outer(mean, mean) / (mean @ mean)
''',
    },
}
