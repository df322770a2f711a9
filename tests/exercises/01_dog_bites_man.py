"""Classic wrong answers to the exercises of chapter 1: each must be turned down, with a hint of its own."""

WRONG = {
    "1.1": {
        "no division by the root of d_head": '''
def attend_one(q_i, k, v):
    powers = np.exp(k @ q_i)
    return powers / powers.sum() @ v
''',
        "divided by d_head": '''
def attend_one(q_i, k, v):
    powers = np.exp(k @ q_i / len(q_i))
    return powers / powers.sum() @ v
''',
        "divided by the root of the number of keys": '''
def attend_one(q_i, k, v):
    powers = np.exp(k @ q_i / np.sqrt(len(k)))
    return powers / powers.sum() @ v
''',
        "no softmax at all": '''
def attend_one(q_i, k, v):
    return q_i @ k.T / np.sqrt(len(q_i)) @ v
''',
        "the 2 of the example": '''
def attend_one(q_i, k, v):
    powers = np.exp(k @ q_i / 2)
    return powers / powers.sum() @ v
''',
        "shares do not sum to 1": '''
def attend_one(q_i, k, v):
    return np.exp(k @ q_i / np.sqrt(len(q_i))) @ v
''',
        "no softmax, the mean": '''
def attend_one(q_i, k, v):
    return v.mean(axis=0)
''',
        "half precision": '''
def attend_one(q_i, k, v):
    powers = np.exp((k @ q_i / np.sqrt(len(q_i))).astype(np.float16))
    return (powers / powers.sum() @ v).astype(np.float16)
''',
        "keys mixed instead of values": '''
def attend_one(q_i, k, v):
    powers = np.exp(k @ q_i / np.sqrt(len(q_i)))
    return powers / powers.sum() @ k
''',
        "scores as shares": '''
def attend_one(q_i, k, v):
    scores = k @ q_i / np.sqrt(len(q_i))
    return scores / scores.sum() @ v
''',
    },
    "1.2": {
        "rows only": '''
def reorder_scores(scores, order):
    return scores[order]
''',
        "columns only": '''
def reorder_scores(scores, order):
    return scores[:, order]
''',
        "the inverse order": '''
def reorder_scores(scores, order):
    P = np.eye(len(order))[order]
    return P.T @ scores @ P
''',
        "no transpose": '''
def reorder_scores(scores, order):
    P = np.eye(len(order))[order]
    return P @ scores @ P
''',
        "paired indices": '''
def reorder_scores(scores, order):
    return scores[order, order]
''',
        "rows moved twice": '''
def reorder_scores(scores, order):
    return scores[order][order]
''',
        "columns moved twice": '''
def reorder_scores(scores, order):
    return scores[:, order][:, order]
''',
        "nothing moved": '''
def reorder_scores(scores, order):
    return scores.copy()
''',
        "rows and columns exchanged": '''
def reorder_scores(scores, order):
    return scores.T[order][:, order]
''',
    },
    "1.3": {
        "the zero vector": '''
def invisible(w_q, w_k, w_v):
    return np.zeros(len(w_q))
''',
        "invisible to the query alone": '''
def invisible(w_q, w_k, w_v):
    return np.linalg.svd(w_q)[0][:, -1]
''',
        "invisible to query and key": '''
def invisible(w_q, w_k, w_v):
    return np.linalg.svd(np.hstack([w_q, w_k]))[0][:, -1]
''',
        "a direction among the columns": '''
def invisible(w_q, w_k, w_v):
    return np.linalg.svd(np.hstack([w_q, w_k, w_v]))[2][-1]
''',
        "the direction that is seen best": '''
def invisible(w_q, w_k, w_v):
    return np.linalg.svd(np.hstack([w_q, w_k, w_v]))[0][:, 0]
''',
        "any direction": '''
def invisible(w_q, w_k, w_v):
    return np.eye(len(w_q))[0]
''',
        "not of length 1": '''
def invisible(w_q, w_k, w_v):
    return 3 * np.linalg.svd(np.hstack([w_q, w_k, w_v]))[0][:, -1]
''',
    },
    "1.4": {
        "outputs not reordered": '''
def sees_order(layer, x):
    order = np.roll(np.arange(x.shape[1]), 1)
    return not np.allclose(layer(x[:, order]), layer(x))
''',
        "compared to the last bit": '''
def sees_order(layer, x):
    order = np.roll(np.arange(x.shape[1]), 1)
    return bool((layer(x[:, order]) != layer(x)[:, order]).any())
''',
        "sentences reordered": '''
def sees_order(layer, x):
    return not np.allclose(layer(x[::-1]), layer(x)[::-1])
''',
        "a reversal": '''
def sees_order(layer, x):
    return not np.allclose(layer(x[:, ::-1]), layer(x)[:, ::-1])
''',
        "the means alone": '''
def sees_order(layer, x):
    return not np.allclose(layer(np.roll(x, 1, axis=1)).mean(axis=1), layer(x).mean(axis=1))
''',
        "a cycle alone": '''
def sees_order(layer, x):
    return not np.allclose(layer(np.roll(x, 1, axis=1)), np.roll(layer(x), 1, axis=1))
''',
        "a swap alone": '''
def sees_order(layer, x):
    order = np.r_[1, 0, 2:x.shape[1]]
    return not np.allclose(layer(x[:, order]), layer(x)[:, order])
''',
        "one order, right about the twelve fixed layers": '''
def sees_order(layer, x):
    order = np.array([2, 0, 1, 4, 3])
    return not np.allclose(layer(x[:, order]), layer(x)[:, order])
''',
        "a cycle and a reversal": '''
def sees_order(layer, x):
    orders = np.roll(np.arange(x.shape[1]), 1), np.arange(x.shape[1])[::-1]
    return any(not np.allclose(layer(x[:, order]), layer(x)[:, order]) for order in orders)
''',
        "too much room": '''
def sees_order(layer, x):
    orders = np.roll(np.arange(x.shape[1]), 1), np.r_[1, 0, 2:x.shape[1]]
    return any(not np.allclose(layer(x[:, order]), layer(x)[:, order], atol=0.1) for order in orders)
''',
        "the first feature alone": '''
def sees_order(layer, x):
    orders = np.roll(np.arange(x.shape[1]), 1), np.r_[1, 0, 2:x.shape[1]]
    return any(not np.allclose(layer(x[:, order])[..., 0], layer(x)[:, order, 0]) for order in orders)
''',
        "the first sentence alone": '''
def sees_order(layer, x):
    orders = np.roll(np.arange(x.shape[1]), 1), np.r_[1, 0, 2:x.shape[1]]
    return any(not np.allclose(layer(x[:, order])[0], layer(x)[0, order]) for order in orders)
''',
        "orders of five words": '''
def sees_order(layer, x):
    orders = np.array([4, 0, 1, 2, 3]), np.array([1, 0, 2, 3, 4])
    return any(not np.allclose(layer(x[:, order]), layer(x)[:, order]) for order in orders)
''',
        "sentences of its own": '''
def sees_order(layer, x):
    x = np.random.default_rng(0).normal(size=(1, 6, 6))
    orders = np.roll(np.arange(6), 1), np.r_[1, 0, 2:6]
    return any(not np.allclose(layer(x[:, order]), layer(x)[:, order]) for order in orders)
''',
        "an answer read off": '''
def sees_order(layer, x):
    return layer.sees_order
''',
        "the cycle of three words": '''
def sees_order(layer, x):
    return not np.allclose(layer(x[:, [1, 2, 0]]), layer(x)[:, [1, 2, 0]])
''',
        "words reordered along axis 0": '''
def sees_order(layer, x):
    order = np.roll(np.arange(x.shape[1]), 1)
    return not np.allclose(layer(x[order]), layer(x)[order])
''',
        "True throughout": '''
def sees_order(layer, x):
    return True
''',
        "an order that moves nothing": '''
def sees_order(layer, x):
    order = np.arange(x.shape[1])
    return not np.allclose(layer(x[:, order]), layer(x)[:, order])
''',
    },
}

HINTS = {
    "1.1": {
        "no division by the root of d_head": "without the division by √d_head",
        "divided by d_head": "not by its square root",
        "divided by the root of the number of keys": "divided by √n_key",
        "no softmax at all": "There is no softmax in it",
        "the 2 of the example": "That was √4 in the lesson",
        "shares do not sum to 1": "Divide the exponentials by their sum",
        "no softmax, the mean": "the plain mean of the values",
        "half precision": "the precision is too low",
        "keys mixed instead of values": "You have mixed the keys",
        "scores as shares": "The softmax takes their exponentials first",
    },
    "1.2": {
        "rows only": "Only the rows have moved",
        "columns only": "Only the columns have moved",
        "the inverse order": "belongs to the inverse order",
        "no transpose": "The transpose belongs on the right",
        "paired indices": "walks along pairs",
        "rows moved twice": "The rows have moved twice",
        "columns moved twice": "The columns have moved twice",
        "nothing moved": "Nothing has moved.",
        "rows and columns exchanged": "Is there one .T too many?",
    },
    "1.3": {
        "the zero vector": "The zero vector is invisible, but it marks no position",
        "invisible to the query alone": "The query does not see it, but the key does",
        "invisible to query and key": "Query and key do not see it, but the value does",
        "a direction among the columns": "You need one among its rows",
        "the direction that is seen best": "full_matrices=False",
        "any direction": "can you write the three as one?",
        "not of length 1": "Divide it by its length",
    },
    "1.4": {
        "outputs not reordered": "Reorder the outputs as well",
        "compared to the last bit": "Compare with np.allclose, not with ==",
        "sentences reordered": "Did you reorder the sentences, axis 0?",
        "a reversal": "A reversal keeps every distance",
        "the means alone": "compare word by word",
        "a cycle alone": "Try a swap",
        "a swap alone": "Try a cycle",
        "one order, right about the twelve fixed layers": "6 of the 120 orders",
        "a cycle and a reversal": "10 of the 120 orders",
        "too much room": "Your comparison leaves too much room",
        "the first feature alone": "not one of them or their mean",
        "the first sentence alone": "Only the last sentence of the batch",
        "orders of five words": "layer 1 was run on shape (3, 5, 6)",
        "sentences of its own": "layer 1 was run on shape (1, 6, 6)",
        "an answer read off": "has no attribute 'sees_order'",
        "the cycle of three words": "layer 1 was run on shape (2, 3, 6)",
        "words reordered along axis 0": "axis 0? The words of a sentence are axis 1",
        "True throughout": "never run on shape (2, 5, 6)",
        "an order that moves nothing": "Does your order differ from 0, 1, 2",
    },
}
