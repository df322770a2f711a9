"""Classic wrong answers to the exercises of chapter 4: each must be turned down, with a hint of its own."""

ALIBI = '''
def decoder_alibi(n, heads):
    relative = np.arange(n) - np.arange(n)[:, None]
    slopes = 2.0 ** (-8 * np.arange(1, heads + 1) / heads)
'''

BUCKETS = '''
def buckets_both_ways(relative):
    distance = np.abs(relative)
    share = np.log(np.maximum(distance, 1) / 8) / np.log(16)
'''

WRONG = {
    "4.1": {
        "far keys gain": ALIBI + '''
    return slopes[:, None, None] * -relative + causal_mask(n)
''',
        "heads counted from 0": '''
def decoder_alibi(n, heads):
    relative = np.arange(n) - np.arange(n)[:, None]
    slopes = 2.0 ** (-8 * np.arange(heads) / heads)
    return slopes[:, None, None] * relative + causal_mask(n)
''',
        "the slopes of 8 heads": '''
def decoder_alibi(n, heads):
    relative = np.arange(n) - np.arange(n)[:, None]
    slopes = 2.0 ** -np.arange(1.0, heads + 1)
    return slopes[:, None, None] * relative + causal_mask(n)
''',
        "one slope for all": ALIBI + '''
    return np.tile(slopes[0] * relative + causal_mask(n), (heads, 1, 1))
''',
        "flattest head first": ALIBI + '''
    return slopes[::-1, None, None] * relative + causal_mask(n)
''',
        "zeros ahead": ALIBI + '''
    return np.tril(slopes[:, None, None] * relative)
''',
        "no mask": ALIBI + '''
    return -slopes[:, None, None] * np.abs(relative)
''',
        "slope times j": ALIBI + '''
    return slopes[:, None, None] * np.arange(n) + causal_mask(n)
''',
        "the diagonal masked": ALIBI + '''
    return slopes[:, None, None] * relative + np.where(relative < 0, 0.0, -np.inf)
''',
        "a large number for −inf": ALIBI + '''
    return slopes[:, None, None] * relative + np.where(relative > 0, -1e9, 0.0)
''',
        "the table transposed": ALIBI + '''
    return np.swapaxes(slopes[:, None, None] * relative + causal_mask(n), 1, 2)
''',
        "+inf ahead": ALIBI + '''
    return slopes[:, None, None] * relative - causal_mask(n)
''',
        "linear, without a mask": ALIBI + '''
    return slopes[:, None, None] * relative
''',
        "the next token left open": ALIBI + '''
    return slopes[:, None, None] * relative + np.where(relative > 1, -np.inf, 0.0) - 10.0 * (relative == 1)
''',
        "mask multiplied": ALIBI + '''
    return slopes[:, None, None] * relative * causal_mask(n)
''',
        "half precision": ALIBI + '''
    return (slopes[:, None, None] * relative + causal_mask(n)).astype(np.float16)
''',
        "heads last": ALIBI + '''
    return slopes * relative[..., None] + causal_mask(n)[..., None]
''',
    },
    "4.2": {
        "sides swapped": BUCKETS + '''
    near = np.where(distance < 8, distance, np.minimum(8 + np.floor(share * 8), 15)).astype(int)
    return near + 16 * (relative < 0)
''',
        "one side for both": BUCKETS + '''
    return np.where(distance < 8, distance, np.minimum(8 + np.floor(share * 8), 15)).astype(int)
''',
        "16 exact a side": '''
def buckets_both_ways(relative):
    distance = np.abs(relative)
    share = np.log(np.maximum(distance, 1) / 16) / np.log(8)
    near = np.where(distance < 16, distance, np.minimum(16 + np.floor(share * 16), 31)).astype(int)
    return near + 16 * (relative > 0)
''',
        "no last bucket": BUCKETS + '''
    near = np.where(distance < 8, distance, 8 + np.floor(share * 8)).astype(int)
    return near + 16 * (relative > 0)
''',
        "rounded": BUCKETS + '''
    near = np.where(distance < 8, distance, np.minimum(8 + np.round(share * 8), 15)).astype(int)
    return near + 16 * (relative > 0)
''',
        "rounded up": BUCKETS + '''
    near = np.where(distance < 8, distance, np.minimum(8 + np.ceil(share * 8), 15)).astype(int)
    return near + 16 * (relative > 0)
''',
        "8 counted as exact": BUCKETS + '''
    near = np.where(distance <= 8, distance, np.minimum(9 + np.floor(share * 8), 15)).astype(int)
    return near + 16 * (relative > 0)
''',
        "wide buckets from 9": BUCKETS + '''
    near = np.where(distance < 8, distance, np.minimum(9 + np.floor(share * 8), 15)).astype(int)
    return near + 16 * (relative > 0)
''',
        "15 more ahead": BUCKETS + '''
    near = np.where(distance < 8, distance, np.minimum(8 + np.floor(share * 8), 15)).astype(int)
    return near + 15 * (relative > 0)
''',
        "the decoder's, either side": '''
def buckets_both_ways(relative):
    distance = np.abs(relative)
    share = np.log(np.maximum(distance, 1) / 16) / np.log(8)
    return np.where(distance < 16, distance, np.minimum(16 + np.floor(share * 16), 31)).astype(int)
''',
        "the decoder's, behind alone": '''
def buckets_both_ways(relative):
    distance = np.maximum(-relative, 0)
    share = np.log(np.maximum(distance, 1) / 16) / np.log(8)
    return np.where(distance < 16, distance, np.minimum(16 + np.floor(share * 16), 31)).astype(int)
''',
        "own place ahead": BUCKETS + '''
    near = np.where(distance < 8, distance, np.minimum(8 + np.floor(share * 8), 15)).astype(int)
    return near + 16 * (relative >= 0)
''',
        "log of 128": '''
def buckets_both_ways(relative):
    distance = np.abs(relative)
    share = np.log(np.maximum(distance, 1) / 8) / np.log(128)
    near = np.where(distance < 8, distance, np.minimum(8 + np.floor(share * 8), 15)).astype(int)
    return near + 16 * (relative > 0)
''',
    },
    "4.3": {
        "a fixed bonus": '''
def previous_token_bias(n, largest):
    return 10.0 * np.eye(n, k=-1)
''',
        "largest once": '''
def previous_token_bias(n, largest):
    return (largest + np.log(99 * (n - 1))) * np.eye(n, k=-1)
''',
        "one rival": '''
def previous_token_bias(n, largest):
    return (2 * largest + np.log(99)) * np.eye(n, k=-1)
''',
        "the next token": '''
def previous_token_bias(n, largest):
    return (2 * largest + np.log(99 * (n - 1))) * np.eye(n, k=1)
''',
        "all that lies behind": '''
def previous_token_bias(n, largest):
    return (2 * largest + np.log(99 * (n - 1))) * np.tri(n, k=-1)
''',
        "only the last query": '''
def previous_token_bias(n, largest):
    bias = np.zeros((n, n))
    bias[-1, -2] = 2 * largest + np.log(99 * (n - 1))
    return bias
''',
        "brute force": '''
def previous_token_bias(n, largest):
    return 1e4 * np.eye(n, k=-1)
''',
        "a mask": '''
def previous_token_bias(n, largest):
    return np.where(np.eye(n, k=-1) == 1, 0.0, -np.inf)
''',
    },
}

HINTS = {
    "4.1": {
        "far keys gain": "Far keys gain",
        "heads counted from 0": "counted from 0",
        "the slopes of 8 heads": "of 8 heads",
        "one slope for all": "the same slope",
        "flattest head first": "opposite order",
        "zeros ahead": "A 0 hides nothing",
        "no mask": "both ways",
        "slope times j": "the weights are the same (claim 4.5)",
        "the diagonal masked": "may look at itself",
        "a large number for −inf": "Use −np.inf",
        "the table transposed": "hidden what lies behind: rows are queries",
        "+inf ahead": "+∞ would take all the weight",
        "linear, without a mask": "reward what must not be seen",
        "the next token left open": "Row i is query i",
        "mask multiplied": "Was the mask multiplied?",
        "half precision": "the precision is too low",
        "heads last": "gave shape (5, 5, 4); expected (4, 5, 5)",
    },
    "4.2": {
        "sides swapped": "are exchanged",
        "one side for both": "cannot tell before from after",
        "16 exact a side": "Each side still has 16 exact buckets",
        "no last bucket": "past the last bucket",
        "rounded": "to the nearest whole number",
        "rounded up": "was rounded up",
        "8 counted as exact": "Distance 8 has a bucket to itself",
        "wide buckets from 9": "one too high",
        "15 more ahead": "one bucket too low",
        "the decoder's, either side": "the decoder’s rule, used on both sides",
        "the decoder's, behind alone": "all keys ahead share bucket 0",
        "own place ahead": "counts as behind",
        "log of 128": "divide by log 16",
    },
    "4.3": {
        "a fixed bonus": "Write down the worst case",
        "largest once": "twice “largest”",
        "one rival": "beats one rival",
        "the next token": "just below the diagonal",
        "all that lies behind": "not a triangle",
        "only the last query": "it holds one number",
        "brute force": "by brute force",
        "a mask": "−inf is a mask",
    },
}
