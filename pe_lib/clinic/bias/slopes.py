"""Which slopes are these? ALiBi's, or those of one of the ways to miss them."""

import numpy as np

from pe_lib.biases import alibi_slopes
from pe_lib.clinic.notes import number

CLOSE = 5e-3  # relative: half precision rounds by up to 0.4 %
MEND = "Take 2^(-8/n), 2^(-16/n), … for n heads, a power of two; between powers, as pe_lib.biases.alibi_slopes."
WIDTHS = (16, 24, 32, 40, 48, 64, 72, 80, 96, 112, 128, 160, 192, 256)


def examine_slopes(sheet, slopes, heads, judged, halves=False):
    """Compare the measured slopes with ALiBi's; a single table's slope is named only. halves: each direction may have them."""
    figure = ", ".join(number(s) for s in slopes[:4]) + (", …" if slopes.size > 4 else "")
    if not judged:
        sheet.find("slope", None, figure)
        sheet.name(f"slope {figure}")
        return
    wanted = alibi_slopes(slopes.size)
    if slopes.size < heads and _same(slopes, alibi_slopes(heads)[: slopes.size]):
        sheet.find("slopes", True, f"{figure}: the first {slopes.size} of {heads}")
        return
    if halves and _same(slopes, np.tile(alibi_slopes(slopes.size // 2), 2)):
        sheet.find("slopes", True, f"{figure}: those of {slopes.size // 2} heads in each direction")
        return
    falling = int(np.argmin(slopes)) if not slopes.all() else 0
    if falling and not slopes[falling:].any() and _same(slopes[:falling], alibi_slopes(falling)):
        sheet.find("slopes", True, f"{figure}: those of {falling} heads, then none")
        sheet.name(f"ALiBi in the first {falling} heads alone, the others see no distance")
        return
    if _same(slopes, wanted):
        rounding = np.abs(slopes / wanted - 1).max()
        sheet.find("slopes", True, figure + (f", rounded by up to {number(100 * rounding, 1)} %" if rounding > 1e-5 else ""))
        return
    sheet.find("slopes", None if np.isnan(slopes).any() else False, figure)
    for key, sentence, remedy in [] if np.isnan(slopes).any() else recognised(slopes, wanted):
        sheet.fault(key, sentence, remedy)


def recognised(slopes, wanted):
    """[(key, sentence, remedy)] of slopes that are not the wanted ones, as many: one fault, or a rule and a factor."""
    n = slopes.size
    first = f"head 0 has {number(slopes[0])}, not {number(wanted[0])}"
    if n == 1:
        others = [count for count in (2, 4, 8, 16, 32, 64) if _near(slopes[0], alibi_slopes(count)[0])]
        more = f" It is that of head 0 of {others[0]}: for one head of several say heads=… to the clinic." if others else ""
        return [("slopes", f"The one head has slope {number(slopes[0])}; ALiBi's for one head is {number(wanted[0])}.{more}", MEND)]
    for rule in (_equal_or_reordered, _one_factor, _another_series, _another_count):
        found = rule(slopes, wanted, n, first)
        if found:
            return [found]
    for width in WIDTHS if n > 3 else ():
        for factor, done in ((width**-0.5, "divided"), (width**0.5, "multiplied")):
            rest = slopes / factor
            first = f"head 0 has {number(rest[0])}, not {number(wanted[0])}"
            found = _equal_or_reordered(rest, wanted, n, first) or _another_series(rest, wanted, n, first)
            if found and found[0] != "one slope":
                words = f"Besides, all slopes are {done} by {number(width**0.5)}, the square root of {width}."
                key, sentence, remedy = found
                found = key, sentence.rstrip(".") + ", once the factor below is taken off.", remedy
                return [found, ("scaled bias", words, "Add the bias to the scaled scores; then it needs no factor.")]
    head = int(np.argmax(~_near(slopes, wanted)))
    return [("slopes", f"Head {head} of {n} has slope {number(slopes[head])}, not {number(wanted[head])}.", MEND)]


def _equal_or_reordered(slopes, wanted, n, first):
    if n > 1 and _same(slopes, np.full(n, slopes[0])):
        return ("one slope", f"All {n} heads have the same slope, {number(slopes[0])}.",
                "Each head needs a slope of its own. " + MEND)
    if _same(slopes, wanted[::-1]):
        return "slopes reversed", f"The slopes come in the opposite order: {first}.", "The steepest head is the first. " + MEND
    if _same(np.sort(slopes), np.sort(wanted)):
        head = int(np.argmax(~_near(slopes, wanted)))
        words = (f"These are the right slopes in another order: head {head} has {number(slopes[head])}, not "
                 f"{number(wanted[head])}.")
        remedy = "Checkpoints are trained with the authors' order: first the power of two, then every other slope of its double."
        return "slopes reordered", words, remedy
    return None


def _one_factor(slopes, wanted, n, first):
    """All slopes wrong by one and the same factor."""
    factor = slopes[0] / wanted[0]
    if not _same(slopes, factor * wanted):
        return None
    step = 2 ** (8 / n)
    if n & (n - 1) == 0 and _near(factor, step):
        return ("first slope", f"The heads are counted from 0 in the exponent: {first}.",
                "The first slope is 2^(-8/n): count from 1.")
    if n & (n - 1) == 0 and _near(factor, 1 / step):
        return "first slope", f"The series starts one head too late: {first}.", "The first slope is 2^(-8/n): count from 1."
    width = next((d for d in WIDTHS if _near(factor, d**-0.5)), None)
    if width:
        other = next((d for d in WIDTHS if width < 64 <= d and abs(d - width * step**2) < 0.01), None)
        maybe = f" Or by {number(other**0.5)}, for a width of {other}, and heads counted from 0." if other else ""
        words = (f"All slopes are divided by {number(width**0.5)}, the square root of {width}: {first}. Was the bias scaled "
                 f"with q·k?{maybe}")
        return ("scaled bias", words, "Add the bias after q·k is divided, as the paper and BLOOM do. Falcon divides both, and was "
                                      "trained so: for its checkpoints, and for these alone, it is right.")
    width = next((d for d in WIDTHS if _near(factor, d**0.5)), None)
    if width:
        words = f"All slopes are multiplied by {number(width**0.5)}, the square root of {width}: {first}."
        return "scaled bias", words, "Add the bias to the scaled scores; then it needs no factor."
    if _near(factor, np.log2(np.e)):
        words = f"All slopes are multiplied by log2(e) = 1.4427: {first}. That fits a softmax with powers of 2 alone."
        return "base of the softmax", words, "With powers of e leave the factor out."
    return "factor", f"All slopes are {number(factor)} times what they should be: {first}.", MEND


def _another_series(slopes, wanted, n, first):
    heads = np.arange(1, n + 1)
    power = 2 ** (n.bit_length() - 1)
    if _same(slopes, 1 / wanted):
        return "sign of the exponent", f"The exponent lost its minus: {first}.", MEND
    if power != n:
        for start, words in ((0, ""), (1, ", counted from 0 at that")):
            if _same(slopes, 2.0 ** (-8 * (heads - start) / n)):
                words = f"This is one series 2^(-8h/{n}){words}, as the paper's text reads: {first}."
                remedy = (f"The authors' code, and every checkpoint, takes the slopes of {power} heads and then every other "
                          f"one of {2 * power}.")
                return "single series", words, remedy
        if _same(slopes[:power], wanted[:power]):
            head = int(np.argmax(~_near(slopes, wanted)))
            right = f"The first {power} slopes are right" if head == power else f"The slopes are right up to head {head - 1}"
            words = f"{right}; head {head} has {number(slopes[head])}, not {number(wanted[head])}."
            remedy = f"After {power} heads come every other slope, from the first on, of {2 * power} heads."
            return "slopes between powers", words, remedy
        zero = np.concatenate([2.0 ** (-8 * np.arange(power) / power), 2.0 ** (-8 * np.arange(power) / power)])[:n]
        if _same(slopes, zero):
            words = f"The heads are counted from 0 in both series of exponents: {first}."
            return "first slope", words, "The first slopes are those of head 1: 2^(-8/n) for a power of two n."
    if n > 1 and _same(slopes, np.exp(-8 * heads / n)):
        return "base of the slopes", f"These are powers of e, not of 2: {first}.", MEND
    return None


def _another_count(slopes, wanted, n, first):
    """The slopes of another number of heads, or a steeper series."""
    for count in [c for c in range(2, n) if n % c == 0]:
        for form, words in ((np.repeat, "in a row"), (np.tile, "one after the other")):
            if _same(slopes, form(alibi_slopes(count), n // count)):
                times = f"each {n // count} times {words}" if form is np.repeat else f"{n // count} times {words}"
                return ("slopes of another number", f"These are the slopes of {count} heads, {times}: {first}.",
                        "Each head has a slope of its own, also where several share their keys. " + MEND)
    for count in [c for c in range(1, 129) if c != n]:
        whole = alibi_slopes(count)
        for start in range(count - n + 1):
            if _same(slopes, whole[start : start + n]):
                part = f"heads {start} to {start + n - 1} of {count}" if start else f"the first {n} of {count} heads"
                words = f"These are the slopes of {part}, not of {n}: {first}."
                return ("slopes of another number", words, "Use the number of heads the model has, all of them, not one "
                                                           "device's share.")
    heads = np.arange(1, n + 1)
    steepest = -np.log2(slopes[-1])
    if n > 1 and _same(slopes, 2.0 ** (-steepest * heads / n)):
        words = f"The slopes go down to 2^-{number(steepest)}, not to 2^-8: {first}."
        return "largest exponent", words, "Keep the 8 of the paper, or train with the value you chose."
    return None


def _near(a, b):
    return np.abs(a - b) <= CLOSE * np.abs(b)


def _same(a, b):
    return a.shape == b.shape and bool(_near(a, b).all())
