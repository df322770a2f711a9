"""A Transformer small enough to read: tokens in, vocabulary logits out, with or without a cache, for any scheme of positions."""

import numpy as np

from pe_lib._validate import integer_array, whole_number
from pe_lib.cache import attend
from pe_lib.schemes import no_bias, rotary


def random_parameters(rng, vocabulary=11, dim=16, heads=2, layers=2):
    """The weights of an untrained decoder: enough to compare two ways of computing it, not enough to predict anything.

    rng, a NumPy generator; vocabulary, dim, heads, layers, counts, dim a multiple of 2 * heads -> a dict of arrays;
    each layer's arrays are stacked on the first axis. Rows are tokens: x @ w.

    Raises: ValueError if a count is not an integer of at least 1, or dim is not a multiple of 2 * heads.
    Source: the decoder of Vaswani et al. 2017, section 3, with the norm before each part (Xiong et al. 2020).

    >>> random_parameters(np.random.default_rng(0), vocabulary=5, dim=8)["w_qkv"].shape
    (2, 3, 8, 8)
    """
    counts = {"vocabulary": vocabulary, "dim": dim, "heads": heads, "layers": layers}
    for name, count in counts.items():
        whole_number(count, name, least=1)
    if dim % (2 * heads):
        raise ValueError(f"dim must be a multiple of 2 * heads, {2 * heads}, since features turn in pairs, got {dim}")
    shapes = {"embedding": (vocabulary, dim), "w_qkv": (layers, 3, dim, dim), "w_out": (layers, dim, dim),
              "w_up": (layers, dim, 4 * dim), "w_down": (layers, 4 * dim, dim), "unembedding": (dim, vocabulary)}
    weights = {name: rng.normal(size=shape) / shape[-2] ** 0.5 for name, shape in shapes.items()}
    return {**weights, "embedding": rng.normal(size=(vocabulary, dim)), "heads": heads}


def next_token_logits(tokens, positions, parameters, caches=None, *, scheme=None, attend=attend):
    """Each token's logits score the token that may follow it; with a cache only the new tokens are computed.

    tokens (..., new), whole numbers below the vocabulary; positions (new,), tokens; caches, one for each layer, what the
    last call returned; scheme, a `pe_lib.schemes.Scheme` (None: rotary, base 10,000); attend, `pe_lib.cache.attend` or
    another one to be compared with it -> logits (..., new, vocabulary), no unit, and the caches with the new tokens in them.
    x = embedding[token] + the scheme's position vector;  logits = norm(x) unembedding;
    each layer: x = x + attention(norm(x)), then x = x + relu(norm(x) w_up) w_down

    With ``parameters["first_norm"]`` False the first attention reads x itself, so that word and position are still a sum.
    Raises: ValueError if parameters lack an entry, a token is not in the vocabulary, the caches are not one for each layer, or
    as `attend`.
    Source: Vaswani et al. 2017, section 3; root-mean-square norm, Zhang and Sennrich 2019.

    >>> parameters = random_parameters(np.random.default_rng(0))
    >>> full, _ = next_token_logits([3, 1, 4], [0, 1, 2], parameters)
    >>> _, caches = next_token_logits([3, 1], [0, 1], parameters)
    >>> step, _ = next_token_logits([4], [2], parameters, caches)
    >>> np.allclose(step[0], full[2])
    True
    """
    _check_names(parameters)
    tokens = _in_vocabulary(tokens, len(parameters["embedding"]))
    positions = _one_each(positions, tokens)
    heads, (layers, dim) = parameters["heads"], parameters["w_out"].shape[:2]
    scheme = rotary(dim // heads) if scheme is None else scheme
    x = parameters["embedding"][tokens] + scheme.vectors(positions, dim).astype(parameters["embedding"].dtype)
    new_caches = []
    for layer, cache in enumerate(_one_a_layer(caches, layers)):
        read = _norm(x) if layer or parameters.get("first_norm", True) else x
        q, k, v = (_by_head(read @ w, heads) for w in parameters["w_qkv"][layer])
        output, cache = attend(q * scheme.sharpness, k, v, positions, scheme.inv_freq, cache, **_bias(scheme, q, cache))
        x = x + output.swapaxes(-2, -3).reshape(x.shape) @ parameters["w_out"][layer]
        x = x + np.maximum(_norm(x) @ parameters["w_up"][layer], 0) @ parameters["w_down"][layer]
        new_caches.append(cache)
    return _norm(x) @ parameters["unembedding"], new_caches


def _check_names(parameters):
    names = {"embedding", "w_qkv", "w_out", "w_up", "w_down", "unembedding", "heads"}
    if not isinstance(parameters, dict) or names - set(parameters):
        got = f"{sorted(names - set(parameters))} missing" if isinstance(parameters, dict) else type(parameters).__name__
        raise ValueError(f"parameters must be a dict with {', '.join(sorted(names))}, as random_parameters makes it, got {got}")


def _bias(scheme, q, cache):
    """The keyword for `attend`, which may do without where a scheme has no bias, and may have a cache of its own form."""
    if scheme.bias is no_bias:
        return {}
    new, cached = q.shape[-2], 0 if cache is None else cache.keys.shape[-2]
    return {"bias": scheme.bias(new, cached + new)}


def _by_head(x, heads):
    """(..., n, dim) -> (..., heads, n, dim / heads)."""
    return x.reshape(*x.shape[:-1], heads, x.shape[-1] // heads).swapaxes(-2, -3)


def _norm(x):
    return x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + 1e-6)


def _in_vocabulary(tokens, vocabulary):
    tokens = integer_array(tokens, "tokens")
    if tokens.ndim < 1 or ((tokens < 0) | (tokens >= vocabulary)).any():
        raise ValueError(f"tokens must be lists of numbers from 0 to {vocabulary - 1}, got shape {tokens.shape}: {tokens.tolist()}")
    return tokens


def _one_each(positions, tokens):
    positions = np.asarray(positions)
    if positions.shape != tokens.shape[-1:]:
        raise ValueError(f"positions must have one entry a token, shape {tokens.shape[-1:]}, got shape {positions.shape}")
    return positions


def _one_a_layer(caches, layers):
    caches = [None] * layers if caches is None else caches
    if len(caches) != layers:
        raise ValueError(f"caches must be one a layer, {layers} of them, or None, got {len(caches)}")
    return caches
