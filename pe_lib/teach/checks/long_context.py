"""The checks of chapter 8: NTK-aware frequencies, pairs that go beyond the arc they have shown, the first impostor."""

import numpy as np

from pe_lib.teach.checks.exercise import exercise
from pe_lib.frequencies import inverse_frequencies, offset_similarity, wavelengths
from pe_lib.scaling import interpolate, ntk


def stretch_by_loop(dim, base, factor):
    """The specification, one pair at a time: from 1 down to base ** (-(dim-2)/dim) / factor, by equal ratios."""
    slowest = base ** (-(dim - 2) / dim) / factor
    return np.array([slowest ** (m / (dim // 2 - 1)) for m in range(dim // 2)])


# hint -> the frequencies (dim/2,) that the mistake gives
CLASSIC_STRETCHES = {
    "All pairs are divided alike: that is position interpolation, and it crowds the near tokens. Here the fastest stays at 1.":
        lambda d, b, s: interpolate(inverse_frequencies(d, b), s),
    "The frequencies have not changed: where does the factor enter?": lambda d, b, s: inverse_frequencies(d, b),
    "The base is multiplied by the factor itself. The slowest pair is then divided by less: its exponent is not 1 but (dim − 2)/dim.":
        lambda d, b, s: inverse_frequencies(d, b * s),
    "The exponent is upside down: (dim − 2)/dim is the slowest pair's own exponent, and has to be undone, by dim/(dim − 2).":
        lambda d, b, s: inverse_frequencies(d, b * s ** ((d - 2) / d)),
    "The base has become smaller, so the pairs are faster. To slow them down, multiply the base.":
        lambda d, b, s: inverse_frequencies(d, b / s ** (d / (d - 2))),
    "These are multiplied by the factor, not divided: the hands would go faster.": lambda d, b, s: s * inverse_frequencies(d, b),
    "Your pairs get faster from left to right: the exponent has lost its minus sign.": lambda d, b, s: 1 / ntk(d, b, s),
    "The exponent of the new base is m / (dim/2 − 1), of the other family. Here it is 2m / dim.":
        lambda d, b, s: (b * s ** (d / (d - 2))) ** (-np.arange(d // 2) / (d // 2 - 1)),
}


@exercise("8.1", praise="Between the ends, pair m is divided by factor ** (m / (dim/2 − 1)): no ramp, just a gentler slope.")
def check_stretch(attempt):
    """dim, base, factor -> (dim/2,)."""
    attempt.agrees("the frequencies equal the loop", stretch_by_loop, [(8, 100.0, 4)], classics=CLASSIC_STRETCHES,
                   hint="Print the first and the last beside inverse_frequencies(8, 100): they should be divided by 1 and by 4.")
    new = attempt(64, 10_000.0, 8, shape=(32,))
    attempt.matches("the slowest pair is divided by the factor exactly", inverse_frequencies(64)[-1] / new[-1], 8.0,
                    hint="Nearly is not exactly: is the exponent dim / (dim − 2)?")
    attempt.agrees("other widths, bases and factors work as well", stretch_by_loop, [(4, 100.0, 3), (128, 500_000.0, 2.5), (6, 1000.0, 1)],
                   hint="Is a width, a base or a factor fixed in your code?")


def unprepared_by_loop(dim, base, trained, asked):
    """The specification: pairs that had not been all the way round after trained tokens, if more are asked for."""
    count = 0
    for m in range(dim // 2):
        wavelength = 2 * np.pi * base ** (2 * m / dim)
        count += asked > trained and wavelength > trained
    return int(count)


CLASSIC_COUNTS = {
    "These are the pairs that did come round. The others go beyond their arc.":
        lambda d, b, t, a: (wavelengths(inverse_frequencies(d, b)) <= t).sum(),
    "A turn is 2π radians: the wavelength is 2π / ω, not 1 / ω.": lambda d, b, t, a: (1 / inverse_frequencies(d, b) > t).sum(),
    "These are features, two a pair: count pairs.": lambda d, b, t, a: 2 * unprepared_by_loop(d, b, t, a),
    "You compared with the length asked for. A pair can be surprised if it was unfinished in *training*.":
        lambda d, b, t, a: (wavelengths(inverse_frequencies(d, b)) > a).sum(),
    "You counted the pairs that complete their circle now. The slower ones leave their arc, too, without completing it.":
        lambda d, b, t, a: ((wavelengths(inverse_frequencies(d, b)) > t) & (wavelengths(inverse_frequencies(d, b)) <= a)).sum(),
    "0 pairs? asked is larger than trained here: some leave their arc. Print the wavelengths: they should grow to 54,410 tokens.":
        lambda d, b, t, a: 0,
    "All pairs, or none? Each has a wavelength of its own.": lambda d, b, t, a: d // 2,
}


@exercise("8.2", praise="Raise the base to 500,000 on the same 4,096 tokens, and it would be 32 of 64: a larger base alone leaves more pairs unfinished.")
def check_unprepared(attempt):
    """dim, base, trained, asked -> a whole number."""
    attempt.holds("the answer is one number", attempt(128, 10_000.0, 4096, 8192).shape == (), hint="Sum the pairs that qualify.")
    # Not twice the trained length: a comparison with 2 * trained would look like one with asked.
    attempt.agrees("a Llama-2-like model of 4,096 tokens, asked for 12,000, has 18 of 64", unprepared_by_loop, [(128, 10_000.0, 4096, 12_000)],
                   classics=CLASSIC_COUNTS, hint="Print the wavelengths, and compare each with the trained length.")
    attempt.agrees("a text no longer than in training surprises nobody", unprepared_by_loop, [(128, 10_000.0, 4096, 4096), (64, 10_000.0, 4096, 100)],
                   hint="What if asked is at most trained?")
    attempt.agrees("other widths, bases and lengths work as well", unprepared_by_loop,
                   [(128, 500_000.0, 8192, 8193), (64, 100.0, 50, 1000), (2, 10_000.0, 5, 6), (16, 10_000.0, 100_000, 200_000)],
                   hint="Is a width, a base or a length fixed in your code?")


def first_impostor_in(inv_freq, reach):
    """The specification, by the library: the first offset from 2 up to a reach of 1 or more that is more like 0 than offset 1, or 0."""
    similarity = offset_similarity(np.arange(reach + 1), inv_freq)
    found = np.flatnonzero(similarity[2:] > similarity[1])
    return int(found[0]) + 2 if found.size else 0


def _places(inv_freq, reach):
    return offset_similarity(np.arange(reach + 1), inv_freq)


CLASSIC_IMPOSTORS = {
    "That is the *nearest*, not the first. Which is the smallest offset that beats offset 1?": lambda w, n: 2 + _places(w, n)[2:].argmax(),
    "That is a place in your list, which begins at offset 2: add 2.": lambda w, n: max(first_impostor_in(w, n) - 2, 0),
    "That is a place in your list, which begins at offset 1: add 1.": lambda w, n: max(first_impostor_in(w, n) - 1, 0),
    "Offset 0 looks like itself, of course. Begin at 2.": lambda w, n: 0,
    "Offset 1 is the neighbour itself: begin at 2.": lambda w, n: 1,
    "That is the first offset *farther* than its neighbour: more alike means a *larger* sum of cosines, and a smaller distance.":
        lambda w, n: 2 + (_places(w, n)[2:] < _places(w, n)[1]).argmax(),
    "That is where the fastest pair alone is fooled. An impostor must fool the sum over all pairs.": lambda w, n: first_impostor_in(w[:1], n),
}


@exercise("8.3", praise="You have just shown that 596,274 tokens away something sits nearer to you than your neighbour, if you have 16 features.")
def check_first_impostor(attempt):
    """inv_freq (d/2,), reach -> the offset, or 0."""
    wide = inverse_frequencies(12)
    attempt.holds("the answer is one number", attempt(inverse_frequencies(8), 100).shape == (), hint="One offset is wanted, the smallest.")
    attempt.agrees("at width 8 and base 10,000 it is 6", first_impostor_in, [(inverse_frequencies(8), 100)], classics=CLASSIC_IMPOSTORS,
                   hint="Compare Σ cos(Δ ω) at every offset from 2 on with its value at offset 1.")
    attempt.agrees("at width 12 it is 14,495", first_impostor_in, [(wide, 20_000)], classics=CLASSIC_IMPOSTORS,
                   hint="All pairs count, and offsets far out, too.")
    attempt.agrees("without an impostor it is 0", first_impostor_in, [(wide, 10_000), (inverse_frequencies(64), 5000)],
                   hint="np.argmax of a list of False is 0: ask whether there is any.")
    attempt.agrees("the last offset of the reach counts", first_impostor_in, [(wide, 14_495), (wide, 14_494), (wide, 1)],
                   hint="np.arange(reach) ends before reach.")
    attempt.agrees("other frequencies work as well", first_impostor_in,
                   [(inverse_frequencies(8, 100.0), 5000), (np.array([1.3, 0.4, 0.11]), 500), (np.array([0.05, 0.7]), 500)],
                   hint="Use the values of inv_freq, not only their number: not every base is 10,000.")
    attempt.agrees("it works up to 600,000", first_impostor_in, [(inverse_frequencies(16), 600_000)],
                   hint="One table of cosines, 600,001 rows by 8: 38 MB.")
