"""The checks of chapter 9: retrieval, a loss with the same mix, and frequencies that keep retrieval and order."""

import numpy as np

from pe_lib.frequencies import inverse_frequencies
from pe_lib.judging import judge
from pe_lib.model import next_token_logits
from pe_lib.scaling import interpolate, ntk
from pe_lib.schemes import Scheme
from pe_lib.tasks import COPY, FILL, KEY, NEW, RECALLED, VALUES, VOCABULARY, needles, stream
from pe_lib.teach.checks.exercise import exercise
from pe_lib.weights import D_HEAD, TRAINED, TUNED, load
from pe_lib.yarn import ntk_by_parts, ramp_by_turns


def retrieval_by_loop(logits, tokens, kinds):
    """The specification, one token after the other: the logits of place t speak about the token at t + 1."""
    right = asked = 0
    for row in range(tokens.shape[0]):
        for place in range(tokens.shape[1] - 1):
            if kinds[row, place + 1] == RECALLED:
                asked += 1
                right += logits[row, place].argmax() == tokens[row, place + 1]
    return right / asked


def _share(right, counted):
    return right[counted].mean() if counted.any() else 0.0


CLASSIC_RETRIEVALS = {
    "You compared each row of logits with its own token. Row t was computed from token t and says what comes *after* it: compare it with token t + 1.":
        lambda logits, tokens, kinds: _share(logits.argmax(-1) == tokens, kinds == RECALLED),
    "The kinds are those of the tokens that are predicted, so they move on by one place as well: kinds[:, 1:].":
        lambda logits, tokens, kinds: _share(logits[:, :-1].argmax(-1) == tokens[:, 1:], kinds[:, :-1] == RECALLED),
    "The new values are counted, too. Nobody can know a value before it is told: only kind 3 can be recalled.":
        lambda logits, tokens, kinds: _share(logits[:, :-1].argmax(-1) == tokens[:, 1:], np.isin(kinds[:, 1:], (NEW, RECALLED))),
    "All tokens are counted. Only the recalled values, kind 3, say whether something was retrieved.":
        lambda logits, tokens, kinds: (logits[:, :-1].argmax(-1) == tokens[:, 1:]).mean(),
    "The largest logit is looked for among the values alone. That makes the question easier than the one the model was asked: search the whole vocabulary.":
        lambda logits, tokens, kinds: _share(logits[:, :-1, VALUES.start:VALUES.stop].argmax(-1) + VALUES.start == tokens[:, 1:], kinds[:, 1:] == RECALLED),
    "You moved on by two places: this judges the token after the next one.":
        lambda logits, tokens, kinds: _share(logits[:, :-2].argmax(-1) == tokens[:, 2:], kinds[:, 2:] == RECALLED),
    "Each sequence counts the same here, however many questions it asks. Count all questions together.":
        lambda logits, tokens, kinds: np.mean([retrieval_by_loop(*(part[row:row + 1] for part in (logits, tokens, kinds))) for row in range(len(tokens))]),
    "This is how many were wrong.": lambda logits, tokens, kinds: 1 - retrieval_by_loop(logits, tokens, kinds),
    "These are the order questions, kind 5. The recalled values are kind 3.":
        lambda logits, tokens, kinds: _share(logits[:, :-1].argmax(-1) == tokens[:, 1:], kinds[:, 1:] == COPY),
}


def _half_right(text, seed):
    """Logits that are often right: random ones, with the next token raised at two places of three."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(*text.tokens.shape, VOCABULARY))
    raised = rng.random(text.tokens.shape) < 2 / 3
    return logits + 6 * raised[..., None] * np.eye(VOCABULARY)[np.roll(text.tokens, -1, axis=1)]


def _judged(make, batch, length, seed):
    text = make(np.random.default_rng(seed), batch, length)
    return _half_right(text, seed), text.tokens, text.kinds


@exercise("9.1", praise="The same three lines, with another kind, judge order. A judge that looks at one kind of token cannot be flattered by the others.")
def check_retrieval(attempt):
    """logits (batch, n, 33), tokens (batch, n), kinds (batch, n) -> a share."""
    cases = [_judged(stream, 8, 96, 0)]
    attempt.holds("the answer is one number", attempt(*cases[0]).shape == (), hint="One share for all sequences together.")
    attempt.agrees("it is the share of recalled values whose largest logit is right", retrieval_by_loop, cases, classics=CLASSIC_RETRIEVALS,
                   hint="Take logits[:, :-1].argmax(-1), tokens[:, 1:] and kinds[:, 1:], and keep the places where the kind is 3.")
    attempt.agrees("other texts work as well", retrieval_by_loop, [_judged(needles, 4, 64, 1), _judged(stream, 3, 200, 2)],
                   hint="Is a length or a number of sequences fixed in your code?")


def same_mix_by_loop(losses, kinds, shares):
    """The specification, one kind after the other: the mean loss of each kind, weighted with the shares that are asked for."""
    total = 0.0
    for kind, share in enumerate(shares):
        if share > 0:
            of_kind = [loss for loss, own in zip(losses, kinds) if own == kind]
            total += share * sum(of_kind) / len(of_kind)
    return total


def _own_shares(kinds, shares):
    return np.bincount(kinds, minlength=len(shares)) / len(kinds)


CLASSIC_MIXES = {
    "This is the plain mean: each kind counts as often as it occurs in *this* text, and that is what was to be taken out.":
        lambda losses, kinds, shares: losses.mean(),
    "Every kind counts the same. Weight the mean of each kind with its entry in shares.":
        lambda losses, kinds, shares: np.mean([losses[kinds == kind].mean() for kind in np.unique(kinds)]),
    "Each token is weighted with the share of its kind. A kind that is frequent here then counts twice over: first take the mean of each kind.":
        lambda losses, kinds, shares: (losses * shares[kinds]).mean(),
    "These are weighted means, divided by the sum of the weights of all tokens: a kind that is frequent here still counts more. First take the mean of each kind.":
        lambda losses, kinds, shares: (losses * shares[kinds]).sum() / shares[kinds].sum(),
    "You have added up the losses of each kind. Take their mean: a longer text must not cost more.":
        lambda losses, kinds, shares: sum(share * losses[kinds == kind].sum() for kind, share in enumerate(shares)),
    "The weighted means are divided by the number of kinds as well. The shares already sum to 1.":
        lambda losses, kinds, shares: same_mix_by_loop(losses, kinds, shares) / len(shares),
    "Only the filler is left. The other kinds count, too, with their own shares.":
        lambda losses, kinds, shares: losses[kinds == FILL].mean(),
}


def _mixture(seed, n, shares):
    rng = np.random.default_rng(seed)
    kinds = np.concatenate([np.flatnonzero(shares), rng.choice(len(shares), size=n, p=shares)])
    return rng.exponential(1 + kinds), kinds


SHORT, LONG = np.array([0.6, 0.1, 0.06, 0.06, 0.09, 0.09]), np.array([0.9, 0.02, 0.01, 0.01, 0.03, 0.03])


@exercise("9.2", praise="Now a longer text cannot look better because it holds more of what is easy.")
def check_same_mix(attempt):
    """losses (n,), kinds (n,), shares (6,) -> a loss in nats."""
    losses, kinds = _mixture(0, 80, LONG)
    attempt.holds("the answer is one number", attempt(losses, kinds, SHORT).shape == (), hint="One loss for the whole text.")
    attempt.agrees("each kind counts with its share in the short text", same_mix_by_loop, [(losses, kinds, SHORT)], classics=CLASSIC_MIXES,
                   hint="Take the mean loss of each kind, and add them up, each times its share.")
    attempt.matches("with a text's own shares it is the plain mean", attempt(losses, kinds, _own_shares(kinds, SHORT)), losses.mean(),
                    hint="Are the kinds counted from 0?")
    none_asked = np.array([0.8, 0.2, 0, 0, 0, 0])
    attempt.agrees("a kind with share 0 need not occur", same_mix_by_loop, [(*_mixture(1, 50, none_asked), none_asked)],
                   hint="The mean of no tokens is NaN, and 0 times NaN is NaN: leave out kinds whose share is 0.")
    attempt.agrees("other texts work as well", same_mix_by_loop, [(*_mixture(2, 400, SHORT), LONG), (*_mixture(3, 60, SHORT), SHORT)],
                   hint="Is a length or a share fixed in your code?")


FOUR = TUNED / TRAINED
CLASSIC_FREQUENCIES = {
    "These are the frequencies of training, unchanged: past 64 tokens the slow pairs come to angles that they never showed.": lambda w: w,
    "All pairs are divided by 4. Retrieval is saved, but three tokens back now looks like twelve: the order task is lost. Which pairs must not change?":
        lambda w: interpolate(w, FOUR),
    "This is the NTK-aware base. It leaves the pairs in the middle too fast for retrieval, and the second pair too slow for order. Divide the slow pairs by the whole 4.":
        lambda w: ntk(D_HEAD, 10_000.0, FOUR),
    "The ramp ends at 32 turns, and in 64 tokens even the fastest pair makes only 10: no pair is left alone. Where should the ramp end for *this* model?":
        lambda w: ntk_by_parts(w, FOUR, ramp_by_turns(w, TRAINED)),
    "Only the fastest pair is kept. Order needs the second one as well: it, too, comes round three times in 64 tokens.":
        lambda w: np.where(np.arange(w.size) < 1, w, w / FOUR),
    "The slow pairs are kept and the fast ones divided: it is the slow ones that meet new angles.":
        lambda w: np.where(w * TRAINED / (2 * np.pi) < 1, w, w / FOUR),
    "These are multiplied by 4: the pairs would rotate faster, not slower.": lambda w: w * FOUR,
}


def judged_at_256(inv_freq, seeds=3, sequences=12):
    """(retrieval, order) of the stored rotary models at 256 tokens with these frequencies, the mean over their seeds."""
    found = []
    for seed in range(seeds):
        text = needles(np.random.default_rng(1), sequences, TUNED, copies=0.1)
        logits, _ = next_token_logits(text.tokens, np.arange(TUNED), load(f"rotary-{seed}").parameters, scheme=Scheme(inv_freq=inv_freq))
        found.append([judge(logits, text)[name] for name in ("retrieval", "order")])
    return np.mean(found, axis=0)


@exercise("9.3", praise="You have repaired three trained models at four times their length without training them, and you measured it.")
def check_my_frequencies(attempt):
    """inv_freq (8,) -> new frequencies (8,)."""
    trained = inverse_frequencies(D_HEAD)
    new = attempt(trained, shape=(8,))
    attempt.holds("the frequencies are finite and above 0", bool(np.isfinite(new).all() and (new > 0).all()), hint="A pair that does not rotate says nothing.")
    retrieval, order = judged_at_256(new)
    hint = next((hint for hint, wrong in CLASSIC_FREQUENCIES.items() if np.allclose(new, wrong(trained))),
                "Print your frequencies times 64 / (2 π), the turns in a trained text, before and after.")
    attempt.holds(f"at 256 tokens at least 90 % of the values are recalled (yours: {retrieval:.0%})", bool(retrieval >= 0.9), hint=hint)
    attempt.holds(f"at 256 tokens at least 90 % of the order questions are right (yours: {order:.0%})", bool(order >= 0.9), hint=hint)
