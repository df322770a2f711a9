"""Long-context rules: each makes new frequencies out of old ones, and any rotation takes them.

A factor below 1 is allowed: it shortens what a larger one lengthens, and undoes it in `interpolate` and `ntk_base`.
"""

import numpy as np

from pe_lib._validate import each_pair, even_dim, finite_array, frequency_array, frequency_base, positive_number, within_range
from pe_lib.frequencies import inverse_frequencies

# The rules with a ramp have a module of their own; all rules can be had from here.
from pe_lib.yarn import attention_factor, llama3, ntk_by_parts, ramp_by_pair, ramp_by_turns, yarn


def interpolate(inv_freq, factor):
    """Position interpolation slows all pairs down alike: token 8 stands where token 2 stood.

    inv_freq (dim/2,), radians per token; factor, how many times longer than trained -> (dim/2,).
    inv_freq / factor, the same as positions / factor

    Raises: ValueError if inv_freq is not one finite number a pair, factor is not above 0, or a result is not finite.
    Source: Chen et al. 2023, "Extending Context Window of Large Language Models via Positional Interpolation".

    >>> interpolate([1.0, 0.1], factor=4)
    array([0.25 , 0.025])
    """
    inv_freq, factor = frequency_array(inv_freq), positive_number(factor, "factor")
    with np.errstate(over="ignore"):
        return within_range(inv_freq / factor, "inv_freq / factor")


def ntk_base(base, factor, dim):
    """NTK-aware scaling raises the base, just so far that the slowest pair is slowed by the factor.

    base, factor, dim -> the new base.
    base * factor ** (dim / (dim - 2))

    Raises: ValueError if factor is not above 0, dim is not an even integer above 2, or a base is out of range.
    Source: bloc97 2023, "NTK-Aware Scaled RoPE"; Peng et al. 2023, "YaRN", NTK-aware interpolation.

    >>> ntk_base(100, factor=3, dim=4)
    900.0
    """
    # With two features the only pair is fastest and slowest at once: it cannot be kept and slowed.
    dim = even_dim(dim, least=4)
    base, factor = np.float64(frequency_base(base)), positive_number(factor, "factor")
    with np.errstate(over="ignore"):
        return float(within_range(base * factor ** np.float64(dim / (dim - 2)), "the new base"))


def ntk(dim, base, factor):
    """NTK-aware frequencies: the fastest pair is kept, the slowest divided by the factor, the others in between.

    dim, base, factor -> (dim/2,), radians per token.
    inv_freq[m] = ntk_base ** (-2m / dim) = base ** (-2m / dim) / factor ** (m / (dim/2 - 1))

    Raises: ValueError as `ntk_base`.
    Source: bloc97 2023, "NTK-Aware Scaled RoPE".

    >>> ntk(6, base=1000, factor=4)
    array([1.    , 0.05  , 0.0025])
    """
    return inverse_frequencies(dim, ntk_base(base, factor, dim))


def dynamic_factor(factor, length, trained):
    """Dynamic scaling changes nothing up to the trained length, then stretches as the sequence grows.

    factor; length of the sequence now, and trained, tokens -> the factor to use at this length, at least 1.
    1 + factor * (length / trained - 1) beyond trained, else 1

    At factor 1 this is length / trained: not the identity, unlike every other rule here.
    Raises: ValueError if one of the three is not above 0, or the result is not finite.
    Source: emozilla 2023, "Dynamically Scaled RoPE"; written factor * length / trained - (factor - 1) there.

    >>> dynamic_factor(2, length=100, trained=100), dynamic_factor(2, length=150, trained=100)
    (1.0, 2.0)
    """
    factor, length = positive_number(factor, "factor"), positive_number(length, "length")
    return within_range(1 + factor * max(length / positive_number(trained, "trained") - 1, 0.0), "the factor at this length")


def dynamic_ntk(dim, base, factor, length, trained):
    """Dynamic NTK: the base follows the length, so keys cached at another length no longer fit the new queries.

    dim, base, factor; length of the sequence now, and trained, tokens -> (dim/2,), radians per token.
    ntk(dim, base, dynamic_factor(factor, length, trained))

    keras-hub 0.32 calls another rule "dynamic": blind to the length, all pairs divided by factor ** (dim / (dim - 2)).
    Raises: ValueError as `ntk_base` and `dynamic_factor`.
    Source: emozilla 2023, "Dynamically Scaled RoPE"; "dynamic" in transformers.

    >>> dynamic_ntk(4, base=100, factor=2, length=150, trained=100)
    array([1.  , 0.05])
    """
    return ntk(dim, base, dynamic_factor(factor, length, trained))


def longrope(inv_freq, short, long, length, trained, factor):
    """LongRoPE has a factor of its own for every pair, and two lists: one up to the trained length, one beyond.

    inv_freq, short, long (dim/2,); length now, and trained, tokens -> (new frequencies (dim/2,), attention factor).
    inv_freq / (long if length > trained else short), and longrope_attention(factor, trained)

    At the trained length itself the short list holds; keys cached before the switch do not fit queries after it.
    Raises: ValueError if a list does not hold one number above 0 a pair, a number is not above 0, or a result not finite.
    Source: Ding et al. 2024, "LongRoPE", for the lists, which a search finds; switch and attention: the code of Phi-3.

    >>> longrope([1.0, 0.5], short=[1, 1], long=[1, 5], length=9, trained=8, factor=8)
    (array([1. , 0.1]), 1.4142135623730951)
    """
    inv_freq = frequency_array(inv_freq)
    short, long = _factors(short, "short", inv_freq.shape), _factors(long, "long", inv_freq.shape)
    attention = longrope_attention(factor, trained)
    used = long if positive_number(length, "length") > trained else short
    with np.errstate(over="ignore"):
        return within_range(inv_freq / used, "inv_freq / its factor"), attention


def longrope_attention(factor, trained):
    """LongRoPE's attention factor grows with the logarithm of the length, from 1 at the trained length.

    factor, how many times longer than trained; trained, tokens, above 1 -> one number, 1 up to factor 1.
    sqrt(1 + ln(factor) / ln(trained)), on the rotated q and k each: the scores grow by its square

    Raises: ValueError if factor is not above 0, or trained not above 1.
    Source: the code published with Phi-3; `longrope` in transformers.

    >>> longrope_attention(16, trained=16) ** 2
    2.0000000000000004
    """
    factor, trained = positive_number(factor, "factor"), positive_number(trained, "trained")
    if trained <= 1:
        raise ValueError(f"trained must be above 1 token, got {trained}")
    return float(np.sqrt(1 + np.log(max(factor, 1.0)) / np.log(trained)))


def _factors(values, name, shape):
    factors = finite_array(values, name)
    each_pair(factors, factors <= 0, shape, f"{name} must hold one factor above 0")
    return factors
