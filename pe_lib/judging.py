"""Three judges of one model, because each of them can be content while another one is not."""

import numpy as np

from pe_lib._validate import finite_array
from pe_lib.tasks import COPY, FILL, FILLER, NEW, RECALLED, VOCABULARY


def judge(logits, text):
    """Three judges of the same logits: the average loss, whether values are recalled, and whether order is known.

    logits (batch, n, vocabulary); text, a Stream -> a dict: "loss", "filler loss" (last quarter; nats a token),
    "retrieval" and "order" (last quarter), the shares of recalled values and of copies whose largest logit is right, and
    "retrieval by depth" (4,), farthest first. NaN where nothing is asked.

    Raises: ValueError if the logits are not finite, or not one row of the vocabulary for each token.
    Source: cross-entropy; accuracy of the largest logit.

    >>> from pe_lib.tasks import needles
    >>> text = needles(np.random.default_rng(0), batch=4, length=256)
    >>> sure = np.eye(VOCABULARY)[np.roll(text.tokens, -1, axis=1)] * 50
    >>> [float(round(judge(sure, text)[name], 3)) for name in ("loss", "retrieval", "order")]
    [0.0, 1.0, 1.0]
    """
    logits = finite_array(logits, "logits", least_axes=3)
    if logits.shape != (*text.tokens.shape, VOCABULARY):
        raise ValueError(f"logits must be one row for each token, {(*text.tokens.shape, VOCABULARY)}, got shape {logits.shape}")
    logits, answers, kinds = logits[:, :-1], text.tokens[:, 1:], text.kinds[:, 1:]
    largest = logits.max(axis=-1, keepdims=True)
    chosen = np.take_along_axis(logits - largest, answers[..., None], axis=-1)[..., 0]
    losses = np.log(np.exp(logits - largest).sum(axis=-1)) - chosen
    right = logits.argmax(axis=-1) == answers
    late = np.arange(1, text.tokens.shape[1]) >= text.tokens.shape[1] * 3 // 4
    return {"loss": _mean(losses), "filler loss": _mean(losses[(kinds == FILL) & late]),
            "retrieval": _mean(right[kinds == RECALLED]), "order": _mean(right[(kinds == COPY) & late]),
            "retrieval by depth": np.array([_mean(right[text.depth[:, 1:] == depth]) for depth in range(4)])}


def chance(text):
    """What guessing gets on the same text: a fair judge prints it beside every share.

    text, a Stream -> a dict: "loss", of equal logits, nats; "retrieval", naming one of the values told in the sequence, at
    random; "order", naming any filler token, at random. NaN where nothing is asked.
    loss = ln 33;  retrieval = mean share of the told values that are the right one;  order = 1 / 16

    Source: counting. A model may beat the second and third number without recall or order, for example by naming recent tokens.

    >>> from pe_lib.tasks import needles
    >>> {name: float(round(value, 2)) for name, value in chance(needles(np.random.default_rng(0), batch=64, length=64)).items()}
    {'loss': 3.5, 'retrieval': 0.33, 'order': 0.06}
    """
    found = []
    for tokens, kinds in zip(text.tokens, text.kinds):
        told = tokens[kinds == NEW]
        found += [(told == answer).mean() for answer in tokens[kinds == RECALLED]]
    order = 1 / FILLER if (text.kinds == COPY).any() else np.nan
    return {"loss": np.log(VOCABULARY), "retrieval": _mean(np.array(found)), "order": order}


def _mean(values):
    return values.mean() if values.size else np.nan
