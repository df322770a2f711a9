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


def _seek(body):
    return f'''
def word_seeks_place(words, places, a, b):
    rows = np.vstack([words, places])

    def column(row):
        return np.linalg.lstsq(rows, np.eye(len(rows))[:, [row]], rcond=None)[0]
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
        "two pairs of terms": _split("    return (qx @ kx.T / root, qx @ kp.T / root), (qp @ kx.T / root, qp @ kp.T / root)"),
        "no mixed terms": _split("    return qx @ kx.T / root, 0 * (qx @ kx.T), 0 * (qx @ kx.T), qp @ kp.T / root"),
        "places not projected": _split("""
    return qx @ kx.T / root, qx @ kp.T / root, qp @ kx.T / root, positional @ positional.T / root"""),
        "the sum alone": _split("    return (qx + qp) @ (kx + kp).T / root"),
        "W_Q for the keys as well": _split("""
    kx, kp = x @ w_q, positional @ w_q
    return tuple(a @ b.T / root for a in (qx, qp) for b in (kx, kp))"""),
        "W_K for the queries as well": _split("""
    qx, qp = x @ w_k, positional @ w_k
    return tuple(a @ b.T / root for a in (qx, qp) for b in (kx, kp))"""),
        "W_Q and W_K exchanged": _split("    return tuple(a @ b.T / root for a in (kx, kp) for b in (qx, qp))"),
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
        "multiplied by the transpose": _look_back("    return M(k) @ w_k.T"),
        "the sign of k lost": _look_back("    return M(abs(k)) @ np.linalg.inv(w_k.T)"),
        "k fixed at 1": _look_back("    return M(1) @ np.linalg.inv(w_k.T)"),
        "fitted to five places": """
def look_back_query(k, w_k):
    here, there = (sinusoidal_encoding(np.arange(5) - back, len(w_k)) for back in (0, k))
    return np.linalg.lstsq(here, there, rcond=None)[0] @ np.linalg.inv(w_k.T)
""",
        "the slowest pair rotated the other way": _look_back("""
    inv_freq[3:] *= -1
    return M(k) @ np.linalg.inv(w_k.T)"""),
        "the slowest pair not rotated": _look_back("""
    inv_freq[2 if d == 4 else -1:] = 0
    return M(k) @ np.linalg.inv(w_k.T)"""),
    },
    "3.3": {
        "query and key exchanged": _seek("    return column(len(words) + b), column(a)"),
        "places forgotten for the query, words for the key": """
def word_seeks_place(words, places, a, b):
    w_q = np.linalg.lstsq(words, np.eye(len(words))[:, [a]], rcond=None)[0]
    w_k = np.linalg.lstsq(places, np.eye(len(places))[:, [b]], rcond=None)[0]
    return w_q, w_k
""",
        "words forgotten for the key": _seek("""
    return column(a), np.linalg.lstsq(places, np.eye(len(places))[:, [b]], rcond=None)[0]"""),
        "places forgotten for the query": _seek("""
    return np.linalg.lstsq(words, np.eye(len(words))[:, [a]], rcond=None)[0], column(len(words) + b)"""),
        "a sign lost": _seek("    return -column(a), column(len(words) + b)"),
        "divided by the root of d": _seek("    return column(a) / np.sqrt(len(column(a))), column(len(words) + b)"),
        "both divided by the root of d": _seek("""
    return column(a) / np.sqrt(len(column(a))), column(len(words) + b) / np.sqrt(len(column(a)))"""),
        "the vectors themselves": """
def word_seeks_place(words, places, a, b):
    return words[[a]].T / (words[a] @ words[a]), places[[b]].T / (places[b] @ places[b])
""",
        "every word": _seek("    return sum(column(u) for u in range(len(words))), column(len(words) + b)"),
        "every place": _seek("    return column(a), sum(column(len(words) + j) for j in range(len(places)))"),
        "row b of the words": _seek("    return column(a), column(b)"),
        "the head of the lesson": """
def word_seeks_place(words, places, a, b):
    rows, wanted = np.vstack([words, places]), np.vstack([0 * words, places])
    D = np.linalg.lstsq(rows, wanted, rcond=None)[0]
    return D, D
""",
        "rows in place of columns": _seek("    return column(a).T, column(len(words) + b).T"),
    },
}

HINTS = {
    "3.1": {
        "not divided": "before the division",
        "divided by the root of d": "Divided by √d, the width of the words",
        "divided by d_head": "its root is meant",
        "only the first divided": "Only content–content is divided",
        "mixed terms exchanged": "The two mixed terms have changed places",
        "transposed": "queries go down, keys go across",
        "one mixed term twice": "2ab",
        "the other is its transpose": "where W_Q W_Kᵀ is symmetric",
        "two pairs of terms": "it is a tuple of 2: a tuple of 2, a tuple of 2. return a, b, c, d",
        "no mixed terms": "mixed terms are missing",
        "places not projected": "has not been projected",
        "the sum alone": "it is one array of shape (5, 5)",
        "W_Q for the keys as well": "W_Q makes your keys as well",
        "W_K for the queries as well": "W_K makes your queries as well",
        "W_Q and W_K exchanged": "W_Q and W_K have changed places",
        "a pairwise product without the keys' transpose": "pairs every query with every key",
    },
    "3.2": {
        "transposed, so it looks ahead": "k places *ahead*",
        "one too far": "too far back",
        "one too few": "too few back",
        "sines first": "all sines first",
        "features moved instead of places": "features, not places",
        "W_K forgotten": "Right if W_K is the identity",
        "inverse not transposed": "untransposed",
        "inverse on the wrong side": "wrong side",
        "multiplied instead of undone": "keeps lengths",
        "multiplied by the transpose": "multiply by W_Kᵀ once more",
        "the sign of k lost": "sign of k is lost",
        "k fixed at 1": "whatever k is",
        "fitted to five places": "Fitted to a few places?",
        "the slowest pair rotated the other way": "Every pair has an angle of its own, the slowest as well",
        "the slowest pair not rotated": "Every pair has an angle of its own, the slowest as well",
    },
    "3.3": {
        "query and key exchanged": "The place looks for the word",
        "places forgotten for the query, words for the key": "The same for W_K",
        "words forgotten for the key": "W_Q is right. W_K knows its place",
        "places forgotten for the query": "W_K is right. W_Q knows its word",
        "a sign lost": "A sign is lost",
        "divided by the root of d": "Divided by √d.",
        "both divided by the root of d": "Both columns are divided",
        "the vectors themselves": "answers with a dot product",
        "every word": "Every word looks",
        "every place": "every place alike",
        "row b of the words": "looks for a word",
        "the head of the lesson": "shapes [(12, 12), (12, 12)]. One feature: one column",
        "rows in place of columns": "shapes [(1, 12), (1, 12)]",
    },
}
