"""Long-context rules that treat fast and slow pairs differently, by a ramp: NTK-by-parts, YaRN, Llama 3."""

import numpy as np

from pe_lib._validate import each_pair, even_dim, finite_array, finite_number, frequency_array, frequency_base, positive_number, within_range


def ramp_by_turns(inv_freq, trained, slow=1.0, fast=32.0):
    """The paper's ramp: the more turns a pair makes in the trained length, the more of its own frequency it keeps.

    inv_freq (dim/2,), radians per token; trained, tokens; slow and fast, turns -> (dim/2,), shares from 0 to 1.
    turns = trained * |inv_freq| / (2 pi);  kept = (turns - slow) / (fast - slow), no less than 0 and no more than 1

    slow and fast are the paper's alpha and beta. Linear in turns: half-way up the ramp a pair makes 16.5 of them.
    Raises: ValueError if inv_freq is not one finite number a pair, trained is not above 0, or not 0 < slow < fast.
    Source: Peng et al. 2023, "YaRN", the ramp of NTK-by-parts; Meta's Llama 3.1 code has the same with 1 and 4.

    >>> ramp_by_turns(2 * np.pi / np.array([10, 20, 50, 200]), trained=100, slow=1, fast=9).round(3)
    array([1.   , 0.5  , 0.125, 0.   ])
    """
    inv_freq, trained, slow, fast = frequency_array(inv_freq), positive_number(trained, "trained"), *_ends(slow, fast)
    with np.errstate(over="ignore"):          # infinitely many turns: all of the frequency is kept
        turns = trained * abs(inv_freq) / (2 * np.pi)
    return np.clip((turns - slow) / (fast - slow), 0, 1)


def ramp_ends(dim, base, trained, slow=1.0, fast=32.0, rounded=True):
    """Between these two numbers of pairs the reference code's ramp falls: what it calls the correction range.

    dim, base; trained, tokens; slow and fast, turns -> (2,), numbers of pairs: up to the first one all is kept, from the last on nothing.
    pair(turns) = dim * ln(trained / (2 pi turns)) / (2 ln base), for fast and for slow

    rounded: pair(fast) goes down, pair(slow) up to a whole number (not in gpt-oss). Both stay within 0 .. dim - 1.
    Raises: ValueError if dim is not even, base or trained out of range, or not 0 < slow < fast.
    Source: github.com/jquesnelle/yarn, `find_correction_range`; litgpt 0.5.13 stops at dim/2 - 1.

    >>> ramp_ends(12, base=1000, trained=200 * np.pi, slow=1.5, fast=6, rounded=False).round(2)
    array([2.44, 3.65])
    """
    dim, trained, (slow, fast) = even_dim(dim), positive_number(trained, "trained"), _ends(slow, fast)
    if frequency_base(base) < 1:
        raise ValueError(f"base must be above 1, so that later pairs are slower, got {base}")
    ends = dim * np.log(trained / (2 * np.pi * np.array([fast, slow]))) / (2 * np.log(base))
    if rounded:
        ends = np.floor(ends[0]), np.ceil(ends[1])
    return np.clip(ends, 0, dim - 1)


def ramp_by_pair(dim, base, trained, slow=1.0, fast=32.0, rounded=True):
    """The reference code's ramp has about the same ends as the paper's, but is linear in the number of the pair.

    dim, base; trained, tokens; slow and fast, turns -> (dim/2,), the share of its frequency that each pair keeps.
    kept falls from 1 at the first to 0 at the last of ramp_ends(dim, base, trained, slow, fast, rounded)

    Packages differ: litgpt 0.5.13 has its ramp inverted: it keeps 1 - kept.
    Raises: ValueError as `ramp_ends`.
    Source: github.com/jquesnelle/yarn; the same in transformers and in DeepSeek's code.

    >>> ramp_by_pair(12, base=1000, trained=200 * np.pi, slow=1.5, fast=6)  # from pair 2 (2.44) to pair 4 (3.65)
    array([1. , 1. , 1. , 0.5, 0. , 0. ])
    """
    first, last = ramp_ends(dim, base, trained, slow, fast, rounded)
    # The reference code, too, widens a ramp of no width by 0.001.
    return 1 - np.clip((np.arange(dim // 2) - first) / max(last - first, 0.001), 0, 1)


def ntk_by_parts(inv_freq, factor, kept):
    """Fast pairs keep their frequency, slow pairs are interpolated, and a ramp leads from one to the other.

    inv_freq (dim/2,), radians per token; kept (dim/2,), shares from 0 to 1, from one of the ramps -> (dim/2,).
    (1 - kept) * inv_freq / factor + kept * inv_freq

    Raises: ValueError if factor is not above 0, kept is not one share from 0 to 1 a pair, or a result is not finite.
    Source: Peng et al. 2023, "YaRN", NTK-by-parts.

    >>> ntk_by_parts([1.0, 0.5, 0.25], factor=4, kept=[1, 0.5, 0])
    array([1.    , 0.3125, 0.0625])
    """
    inv_freq, factor, kept = frequency_array(inv_freq), positive_number(factor, "factor"), finite_array(kept, "kept")
    each_pair(kept, (kept < 0) | (kept > 1), inv_freq.shape, "kept must hold one share from 0 to 1")
    with np.errstate(over="ignore"):
        result = (1 - kept) * inv_freq / factor + kept * inv_freq
    return within_range(result, "inv_freq / factor")


def attention_factor(factor, share=1.0):
    """YaRN also sharpens attention: the rotated q and the rotated k are both multiplied by this number.

    factor, how many times longer than trained; share, of the logarithm -> one number, 1 up to factor 1.
    0.1 * share * ln(factor) + 1

    The scores therefore grow by its *square*: scores * attention_factor(factor) ** 2. DeepSeek has two shares, mscale and
    mscale_all_dim: q and k times attention_factor(factor, mscale) / attention_factor(factor, mscale_all_dim), and the scores times
    attention_factor(factor, mscale_all_dim) ** 2. With equal shares the first is 1, and the second must not be left out.
    Raises: ValueError if factor is not above 0, or share not at least 0.
    Source: Peng et al. 2023, "YaRN", attention scaling; DeepSeek-V3, inference code, `mscale`.

    >>> round(attention_factor(8), 4), round(attention_factor(8) ** 2, 4), round(attention_factor(8, share=0.5), 4)
    (1.2079, 1.4591, 1.104)
    """
    share = finite_number(share, "share")
    if share < 0:
        raise ValueError(f"share must be at least 0, got {share}")
    return 1 + 0.1 * share * float(np.log(max(positive_number(factor, "factor"), 1.0)))


def yarn(inv_freq, factor, kept):
    """YaRN is NTK-by-parts and an attention factor, and the second is easily forgotten: they come together.

    inv_freq (dim/2,), radians per token; kept (dim/2,), from a ramp -> (new frequencies (dim/2,), attention factor).
    (ntk_by_parts(inv_freq, factor, kept), attention_factor(factor))

    Raises: ValueError as `ntk_by_parts`.
    Source: Peng et al. 2023, "YaRN: Efficient Context Window Extension of Large Language Models".

    >>> inv_freq, attention = yarn([1.0, 0.5], factor=8, kept=[1, 0])
    >>> inv_freq, round(attention, 4)
    (array([1.    , 0.0625]), 1.2079)
    """
    return ntk_by_parts(inv_freq, factor, kept), attention_factor(factor)


def llama3(inv_freq, factor=8.0, low=1.0, high=4.0, trained=8192):
    """Llama 3.1 is NTK-by-parts with a shorter ramp, from 1 to 4 turns, and without an attention factor.

    inv_freq (dim/2,), radians per token; low and high, turns; trained, tokens -> (dim/2,).
    ntk_by_parts(inv_freq, factor, ramp_by_turns(inv_freq, trained, low, high))

    A ramp linear in wavelengths is a known fault: pair 31 of 64 in Llama 3.1 gets 0.00135 where 0.00086 is meant.
    Raises: ValueError as `ramp_by_turns` and `ntk_by_parts`.
    Source: Meta, llama-models, `apply_scaling`; the same in transformers, torchtune and litgpt.

    >>> llama3(2 * np.pi / np.array([8, 20, 80]), factor=2, trained=40) * [8, 20, 80] / (2 * np.pi)
    array([1.        , 0.66666667, 0.5       ])
    """
    return ntk_by_parts(inv_freq, factor, ramp_by_turns(inv_freq, trained, low, high))


def _ends(slow, fast):
    slow, fast = positive_number(slow, "the slow end of the ramp"), positive_number(fast, "the fast end of the ramp")
    if slow >= fast:
        raise ValueError(f"the ramp must have its slow end below its fast end, got {slow} and {fast} turns")
    return slow, fast
