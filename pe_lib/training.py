"""One attention layer, trained in seconds: the gradient is written by hand, so that nothing is hidden and NumPy is enough."""

import numpy as np

from pe_lib._validate import whole_number
from pe_lib.attention import attention, causal_mask
from pe_lib.rotary import rotate
from pe_lib.schemes import Scheme, alibi, rotary, sinusoidal

WORDS, DIM, HEADS = 16, 32, 2                 # the vocabulary (words 0 and 1 are A and B), and the width of the layer
SCHEMES = ("none", "sinusoidal", "rotary", "learned", "ALiBi")


def order_task(rng, batch, length):
    """Each sequence holds one A and one B among other words, at random places; the answer is 1 if A came first, else 0.

    rng, a NumPy generator; batch, length, counts, length at least 2 -> tokens (batch, length), answers (batch,).
    A is word 0, B is word 1. Guessing is right half of the time.
    Raises: ValueError if batch or length is no such count.

    >>> tokens, answers = order_task(np.random.default_rng(0), batch=1, length=6)
    >>> tokens, answers
    (array([[13,  1,  9,  5,  0,  2]]), array([0]))
    """
    whole_number(batch, "batch", least=1), whole_number(length, "length", least=2)
    tokens = rng.integers(2, WORDS, (batch, length))
    places = rng.permuted(np.tile(np.arange(length), (batch, 1)), axis=1)[:, :2]
    tokens[np.arange(batch), places[:, 0]], tokens[np.arange(batch), places[:, 1]] = 0, 1
    return tokens, (places[:, 0] < places[:, 1]).astype(np.int64)


def copy_task(rng, batch, length, back=3):
    """Random words; at each token the answer is the word that stood three tokens before, and -1 where there is none.

    rng; batch, length; back, tokens -> tokens (batch, length), answers (batch, length). Guessing is right once in 16.
    Raises: ValueError if a count is not an integer of at least 1, or length is not above back.

    >>> copy_task(np.random.default_rng(0), batch=1, length=5)
    (array([[13, 10,  8,  4,  4]]), array([[-1, -1, -1, 13, 10]]))
    """
    whole_number(batch, "batch", least=1), whole_number(length, "length", least=whole_number(back, "back", least=1) + 1)
    tokens = rng.integers(0, WORDS, (batch, length))
    return tokens, np.concatenate([np.full((batch, back), -1), tokens[:, :-back]], axis=1)


def initial_parameters(rng, answers=2, rows=0):
    """Small random weights: word vectors, the four matrices of attention, biases of queries and keys, and the read-out.

    rng; answers, how many there are to choose from; rows, of a learned table, 0 for none -> a dict of arrays, float64.

    >>> sorted(initial_parameters(np.random.default_rng(0), rows=8))
    ['b_k', 'b_q', 'embedding', 'table', 'unembedding', 'w_k', 'w_out', 'w_q', 'w_v']
    """
    square = {name: rng.normal(size=(DIM, DIM)) / DIM**0.5 for name in ("w_q", "w_k", "w_v", "w_out")}
    # A rotation acts on what is there: without these two biases a query that ignores the words would have nothing to rotate.
    biases = {name: rng.normal(size=DIM) * 0.3 for name in ("b_q", "b_k")}
    ends = {"embedding": rng.normal(size=(WORDS, DIM)) * 0.5, "unembedding": rng.normal(size=(DIM, answers)) / DIM**0.5}
    return {**square, **biases, **ends, **({"table": rng.normal(size=(rows, DIM)) * 0.3} if rows else {})}


def scheme_of(name):
    """A scheme by its name; what is learned is in the parameters, and ALiBi's bias of the distance is blind to direction.

    Raises: ValueError if there is no such scheme.

    >>> scheme_of("none").inv_freq
    array([0.])
    """
    if name not in SCHEMES:
        raise ValueError(f"scheme must be one of {', '.join(SCHEMES)}, got {name!r}")
    return {"none": Scheme(), "sinusoidal": sinusoidal(), "rotary": rotary(DIM // HEADS), "learned": Scheme(),
            "ALiBi": alibi([0.5, 0.0625])}[name]


def forward(parameters, tokens, scheme, causal):
    """The layer: h = x + attention(x) w_out, with x the word vectors plus the scheme's position vectors.

    tokens (batch, n) -> h (batch, n, dim), and a dict of what the gradient needs: x, q, k (rotated), v, mixed, weights.

    Raises: ValueError if the sequence is longer than a learned table.
    Source: Vaswani et al. 2017, section 3.2, without the norms and the feed-forward part.

    >>> parameters = initial_parameters(np.random.default_rng(0))
    >>> h, kept = forward(parameters, np.array([[0, 1, 0]]), scheme_of("none"), causal=False)
    >>> bool(np.allclose(h[0, 0], h[0, 2])), kept["weights"].shape       # two places, one word: the same output
    (True, (1, 2, 3, 3))
    """
    n = tokens.shape[1]
    vectors = scheme.vectors(np.arange(n), DIM)
    if "table" in parameters:
        if n > len(parameters["table"]):
            raise ValueError(f"tokens must fit in the learned table of {len(parameters['table'])} rows, got length {n}")
        vectors = parameters["table"][:n]
    x = parameters["embedding"][tokens] + vectors
    q, k, v = x @ parameters["w_q"] + parameters["b_q"], x @ parameters["w_k"] + parameters["b_k"], x @ parameters["w_v"]
    q, k = (rotate(by_head(part), np.arange(n), scheme.inv_freq) for part in (q, k))
    bias = scheme.bias(n, n) + (causal_mask(n) if causal else 0.0)
    mixed, weights = attention(q, k, by_head(v), bias)
    kept = {"x": x, "q": q, "k": k, "v": by_head(v), "mixed": joined(mixed), "weights": weights}
    return x + kept["mixed"] @ parameters["w_out"], kept


def by_head(x):
    """The features are dealt out to the heads, (batch, n, dim) -> (batch, HEADS, n, dim / HEADS).

    >>> by_head(np.arange(4.0).reshape(1, 1, 4)).tolist()
    [[[[0.0, 1.0]], [[2.0, 3.0]]]]
    """
    return x.reshape(*x.shape[:2], HEADS, -1).swapaxes(1, 2)


def joined(x):
    """What the heads give, side by side again: undoes `by_head`.

    >>> joined(by_head(np.arange(4.0).reshape(1, 1, 4))).tolist()
    [[[0.0, 1.0, 2.0, 3.0]]]
    """
    return x.swapaxes(1, 2).reshape(x.shape[0], x.shape[2], -1)
