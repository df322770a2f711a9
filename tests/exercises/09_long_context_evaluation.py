"""Classic wrong answers to the exercises of chapter 9: each must be turned down, with a hint of its own."""


def _retrieval(lines):
    return f'''
def retrieval(logits, tokens, kinds):
    best = logits.argmax(axis=-1)
{lines}
'''


def _mix(line):
    return f'''
def same_mix(losses, kinds, shares):
    return {line}
'''


def _frequencies(line):
    return f'''
def my_frequencies(inv_freq):
    turns = 64 * inv_freq / (2 * np.pi)
    return {line}
'''


WRONG = {
    "9.1": {
        "not moved on": _retrieval("    return (best == tokens)[kinds == 3].mean()"),
        "kinds not moved on": _retrieval("    return (best[:, :-1] == tokens[:, 1:])[kinds[:, :-1] == 3].mean()"),
        "new values counted": _retrieval("    return (best[:, :-1] == tokens[:, 1:])[np.isin(kinds[:, 1:], (2, 3))].mean()"),
        "all tokens": _retrieval("    return (best[:, :-1] == tokens[:, 1:]).mean()"),
        "values alone": _retrieval("    best = logits[:, :-1, 24:32].argmax(axis=-1) + 24\n    return (best == tokens[:, 1:])[kinds[:, 1:] == 3].mean()"),
        "wrong ones": _retrieval("    return (best[:, :-1] != tokens[:, 1:])[kinds[:, 1:] == 3].mean()"),
        "order": _retrieval("    return (best[:, :-1] == tokens[:, 1:])[kinds[:, 1:] == 5].mean()"),
        "a share for each text": _retrieval("    return np.mean([(best[r, :-1] == tokens[r, 1:])[kinds[r, 1:] == 3].mean() for r in range(len(tokens))])"),
        "moved on twice": _retrieval("    return (best[:, :-2] == tokens[:, 2:])[kinds[:, 2:] == 3].mean()"),
    },
    "9.2": {
        "plain mean": _mix("losses.mean()"),
        "kinds alike": _mix("np.mean([losses[kinds == kind].mean() for kind in np.unique(kinds)])"),
        "tokens weighted": _mix("(losses * shares[kinds]).mean()"),
        "weights of tokens": _mix("(losses * shares[kinds]).sum() / shares[kinds].sum()"),
        "sums": _mix("sum(share * losses[kinds == kind].sum() for kind, share in enumerate(shares))"),
        "divided twice": _mix("sum(share * losses[kinds == kind].mean() for kind, share in enumerate(shares) if share > 0) / 6"),
        "filler alone": _mix("losses[kinds == 0].mean()"),
        "NaN for what is missing": _mix("sum(share * losses[kinds == kind].mean() for kind, share in enumerate(shares))"),
    },
    "9.3": {
        "unchanged": _frequencies("inv_freq.copy()"),
        "interpolation": _frequencies("inv_freq / 4"),
        "NTK-aware base": _frequencies("(10_000 * 4 ** (16 / 14)) ** (-np.arange(0, 16, 2) / 16)"),
        "beta of 32": _frequencies("inv_freq / 4 + np.clip((turns - 1) / 31, 0, 1) * (inv_freq - inv_freq / 4)"),
        "one pair kept": _frequencies("np.where(np.arange(8) < 1, inv_freq, inv_freq / 4)"),
        "the slow ones kept": _frequencies("np.where(turns < 1, inv_freq, inv_freq / 4)"),
        "multiplied": _frequencies("inv_freq * 4"),
        "standing still": _frequencies("0 * inv_freq"),
    },
}

HINTS = {
    "9.1": {
        "not moved on": "compare it with token t + 1",
        "kinds not moved on": "they move on by one place as well",
        "new values counted": "before it is told",
        "all tokens": "All tokens are counted",
        "values alone": "search the whole vocabulary",
        "wrong ones": "how many were wrong",
        "order": "These are the order questions",
        "a share for each text": "Count all questions together",
        "moved on twice": "the token after the next one",
    },
    "9.2": {
        "plain mean": "This is the plain mean",
        "kinds alike": "Every kind counts the same",
        "tokens weighted": "counts twice over",
        "weights of tokens": "divided by the sum of the weights",
        "sums": "added up the losses of each kind",
        "divided twice": "divided by the number of kinds",
        "filler alone": "Only the filler is left",
        "NaN for what is missing": "Mean of empty slice",
    },
    "9.3": {
        "unchanged": "the frequencies of training, unchanged",
        "interpolation": "three tokens back now looks like twelve",
        "NTK-aware base": "This is the NTK-aware base",
        "beta of 32": "The ramp ends at 32 turns",
        "one pair kept": "Only the fastest pair is kept",
        "the slow ones kept": "The slow pairs are kept and the fast ones divided",
        "multiplied": "These are multiplied by 4",
        "standing still": "A pair that does not rotate",
    },
}
