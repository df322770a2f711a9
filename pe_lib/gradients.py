"""The gradient of `pe_lib.training`'s layer, one formula after another, and the loop that follows it downhill."""

import numpy as np

from pe_lib._validate import positive_number, whole_number
from pe_lib.attention import softmax
from pe_lib.rotary import rotate
from pe_lib.training import WORDS, by_head, copy_task, forward, initial_parameters, joined, order_task, scheme_of


def loss_and_gradient(parameters, tokens, answers, scheme, causal):
    """The mean cross-entropy of the answers, and its derivative with respect to every parameter.

    tokens (batch, n); answers (batch,): one for each sequence, read from the mean over its tokens, or (batch, n): one for
    each token, -1 for none -> loss, nats; share of right answers; a dict like parameters.

    Source: the chain rule, from the last line of the forward pass to the first.

    >>> from pe_lib.training import initial_parameters, scheme_of
    >>> parameters = initial_parameters(np.random.default_rng(0))
    >>> text = np.array([[0, 1, 2]]), np.array([1])
    >>> loss, right, gradient = loss_and_gradient(parameters, *text, scheme_of("rotary"), causal=True)
    >>> downhill = {name: value - 0.01 * gradient[name] for name, value in parameters.items()}
    >>> loss_and_gradient(downhill, *text, scheme_of("rotary"), causal=True)[0] < loss
    True
    """
    h, kept = forward(parameters, tokens, scheme, causal)
    read = h if answers.ndim == 2 else h.mean(axis=1, keepdims=True)
    answers = answers.reshape(len(tokens), -1)
    chances = softmax(read @ parameters["unembedding"])
    wanted = np.eye(chances.shape[-1])[answers] * (answers >= 0)[..., None]
    asked = wanted.sum()
    loss = -(wanted * np.log(chances + 1e-30)).sum() / asked
    right = ((chances.argmax(axis=-1) == answers) & (answers >= 0)).sum() / asked
    d_logits = (chances * (answers >= 0)[..., None] - wanted) / asked            # of softmax and cross-entropy together
    d_read = d_logits @ parameters["unembedding"].T
    d_h = d_read if read is h else np.broadcast_to(d_read / h.shape[1], h.shape)
    gradient = {"unembedding": _outer(read, d_logits), **_through_attention(parameters, tokens, d_h, kept, scheme)}
    return float(loss), float(right), gradient


def _through_attention(parameters, tokens, d_h, kept, scheme):
    """Backwards through h = x + attention(x) w_out: each line undoes one line of `forward`."""
    positions = np.arange(tokens.shape[1])
    d_mixed = by_head(d_h @ parameters["w_out"].T)
    weights, q, k = kept["weights"], kept["q"], kept["k"]
    d_weights = d_mixed @ kept["v"].swapaxes(-1, -2)
    d_scores = weights * (d_weights - (d_weights * weights).sum(axis=-1, keepdims=True)) / q.shape[-1] ** 0.5
    # The derivative passes a rotation backwards: it is rotated by minus the position.
    d_q = joined(rotate(d_scores @ k, -positions, scheme.inv_freq))
    d_k = joined(rotate(d_scores.swapaxes(-1, -2) @ q, -positions, scheme.inv_freq))
    d_v = joined(weights.swapaxes(-1, -2) @ d_mixed)
    d_x = d_h + d_q @ parameters["w_q"].T + d_k @ parameters["w_k"].T + d_v @ parameters["w_v"].T
    gradient = {"w_out": _outer(kept["mixed"], d_h), "embedding": _outer(np.eye(WORDS)[tokens], d_x)}
    gradient |= {name: _outer(kept["x"], part) for name, part in zip(("w_q", "w_k", "w_v"), (d_q, d_k, d_v))}
    gradient |= {"b_q": d_q.sum(axis=(0, 1)), "b_k": d_k.sum(axis=(0, 1))}
    if "table" in parameters:
        gradient["table"] = np.zeros_like(parameters["table"])
        gradient["table"][:len(positions)] = d_x.sum(axis=0)
    return gradient


class Training:
    """A training run: `for step, loss, right in run` takes one step after another, and may be stopped after any of them.

    task, "order" or "copy"; scheme, one of SCHEMES; causal, whether each token sees only what came before it; seed;
    steps; rate, the size of a step (Adam) -> steps are counted from 1. `parameters` holds what has been learned so far.

    Raises: ValueError for an unknown task or scheme, steps not an integer of at least 1, or a rate that is not above 0.
    Source: Kingma and Ba 2015 (Adam); 30 steps in which the rate rises, then half a cosine down to 0.

    >>> run = Training("order", "rotary", causal=False, seed=0, steps=3)
    >>> [step for step, loss, right in run], len(run.losses)
    ([1, 2, 3], 3)
    """

    LENGTH, BATCH = {"order": 16, "copy": 32}, {"order": 64, "copy": 32}

    def __init__(self, task, scheme, *, causal, seed=0, steps=200, rate=1e-2):
        if task not in self.LENGTH:
            raise ValueError(f"task must be order or copy, got {task!r}")
        if not isinstance(causal, bool):
            raise ValueError(f"causal must be True or False, got {causal!r}")
        self.task, self.scheme, self.causal = task, scheme_of(scheme), causal
        self.steps, self.rate = whole_number(steps, "steps", least=1), positive_number(rate, "rate")
        self.rng = np.random.default_rng(seed)
        rows = self.LENGTH[task] if scheme == "learned" else 0
        self.parameters = initial_parameters(self.rng, answers=2 if task == "order" else WORDS, rows=rows)
        self.losses, self.shares = [], []

    def __iter__(self):
        if self.losses:
            raise ValueError(f"a training runs once: make another one, got {len(self.losses)} steps already")
        mean, square = ({name: np.zeros_like(value) for name, value in self.parameters.items()} for _ in range(2))
        for step in range(1, self.steps + 1):
            loss, right, gradient = loss_and_gradient(
                self.parameters, *self.text(self.rng, self.BATCH[self.task], self.LENGTH[self.task]), self.scheme, self.causal)
            rate = self.rate * min(1, step / 30) * (0.5 + 0.5 * np.cos(np.pi * step / self.steps))
            for name, slope in gradient.items():
                mean[name] = 0.9 * mean[name] + 0.1 * slope
                square[name] = 0.98 * square[name] + 0.02 * slope**2
                towards = mean[name] / (1 - 0.9**step) / (np.sqrt(square[name] / (1 - 0.98**step)) + 1e-8)
                self.parameters[name] = self.parameters[name] - rate * towards
            self.losses.append(loss), self.shares.append(right)
            yield step, loss, right

    def text(self, rng, batch, length):
        """Sequences of the task with their answers."""
        return (order_task if self.task == "order" else copy_task)(rng, batch, length)

    def accuracy(self, times=1, scheme=None, sequences=256):
        """The share of right answers on fresh sequences, so many times longer than the trained ones; in the last half, for copies."""
        tokens, answers = self.text(np.random.default_rng(99), sequences, self.LENGTH[self.task] * times)
        if answers.ndim == 2:
            answers = np.where(np.arange(answers.shape[1]) >= answers.shape[1] // 2, answers, -1)
        return loss_and_gradient(self.parameters, tokens, answers, scheme or self.scheme, self.causal)[1]


def _outer(x, d_y):
    """The gradient of w in y = x @ w, summed over all sequences and tokens."""
    return x.reshape(-1, x.shape[-1]).T @ d_y.reshape(-1, d_y.shape[-1])
