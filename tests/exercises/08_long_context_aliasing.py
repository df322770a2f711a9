"""Classic wrong answers to the exercises of chapter 8: each must be turned down, with a hint of its own."""


def _stretch(line):
    return f'''
def stretch(dim, base, factor):
    m = np.arange(dim // 2)
    return {line}
'''


def _count(line):
    return f'''
def unprepared(dim, base, trained, asked):
    if asked <= trained:
        return 0
    wavelength = 2 * np.pi * base ** (np.arange(0, dim, 2) / dim)
    return {line}
'''


def _impostor(lines):
    return f'''
def first_impostor(inv_freq, reach):
    similar = np.cos(np.arange(reach + 1)[:, None] * inv_freq).sum(axis=1)
{lines}
'''


WRONG = {
    "8.1": {
        "position interpolation": _stretch("base ** (-2 * m / dim) / factor"),
        "nothing stretched": _stretch("base ** (-2 * m / dim)"),
        "base times factor": _stretch("(base * factor) ** (-2 * m / dim)"),
        "exponent upside down": _stretch("(base * factor ** ((dim - 2) / dim)) ** (-2 * m / dim)"),
        "base divided": _stretch("(base / factor ** (dim / (dim - 2))) ** (-2 * m / dim)"),
        "multiplied instead of divided": _stretch("base ** (-2 * m / dim) * factor"),
        "positive exponent": _stretch("(base * factor ** (dim / (dim - 2))) ** (2 * m / dim)"),
        "the other family": _stretch("(base * factor ** (dim / (dim - 2))) ** (-m / (dim / 2 - 1))"),
        "base 10,000 fixed": _stretch("(10_000 * factor ** (dim / (dim - 2))) ** (-2 * m / dim)"),
        "one frequency a feature": _stretch("np.repeat((base * factor ** (dim / (dim - 2))) ** (-2 * m / dim), 2)"),
    },
    "8.2": {
        "the pairs that came round": _count("(wavelength <= trained).sum()"),
        "no 2 pi": _count("(wavelength / (2 * np.pi) > trained).sum()"),
        "features, not pairs": _count("2 * (wavelength > trained).sum()"),
        "compared with the asked length": _count("(wavelength > asked).sum()"),
        "compared with twice the trained length": _count("(wavelength > 2 * trained).sum()"),
        "only those that finish now": _count("((wavelength > trained) & (wavelength <= asked)).sum()"),
        "positive exponent": _count("(2 * np.pi * base ** (-np.arange(0, dim, 2) / dim) > trained).sum()"),
        "all of them": _count("dim // 2"),
        "never none": '''
def unprepared(dim, base, trained, asked):
    return (2 * np.pi * base ** (np.arange(0, dim, 2) / dim) > trained).sum()
''',
        "the pairs, not their number": _count("wavelength > trained"),
        "base 10,000 fixed": _count("(2 * np.pi * 10_000 ** (np.arange(0, dim, 2) / dim) > trained).sum()"),
    },
    "8.3": {
        "the nearest, not the first": _impostor("    return 2 + similar[2:].argmax()"),
        "a place in the list from 2": _impostor("    found = np.flatnonzero(similar[2:] > similar[1])\n    return found[0] if found.size else 0"),
        "a place in the list from 1": _impostor("    found = np.flatnonzero(similar[1:] > similar[1])\n    return found[0] if found.size else 0"),
        "offset 0": _impostor("    return similar.argmax()"),
        "offset 1": _impostor("    return 1 + similar[1:].argmin() * 0"),
        "farther, not nearer": _impostor("    return 2 + (similar[2:] < similar[1]).argmax()"),
        "no answer for none": _impostor("    return 2 + (similar[2:] > similar[1]).argmax()"),
        "an empty list where there is none": _impostor("    return np.flatnonzero(similar[2:] > similar[1])[0] + 2"),
        "the fastest pair alone": '''
def first_impostor(inv_freq, reach):
    similar = np.cos(np.arange(reach + 1) * inv_freq[0])
    return 2 + (similar[2:] > similar[1]).argmax()
''',
        "base 10,000 fixed": '''
def first_impostor(inv_freq, reach):
    n = len(inv_freq)
    similar = np.cos(np.arange(reach + 1)[:, None] * 10_000 ** (-np.arange(n) / n)).sum(axis=1)
    found = np.flatnonzero(similar[2:] > similar[1])
    return found[0] + 2 if found.size else 0
''',
        "the reach left out": '''
def first_impostor(inv_freq, reach):
    similar = np.cos(np.arange(reach)[:, None] * inv_freq).sum(axis=1)
    found = np.flatnonzero(similar[2:] > similar[1])
    return found[0] + 2 if found.size else 0
''',
    },
}

HINTS = {
    "8.1": {
        "position interpolation": "that is position interpolation",
        "nothing stretched": "where does the factor enter",
        "base times factor": "by the factor itself",
        "exponent upside down": "upside down",
        "base divided": "the pairs are faster",
        "multiplied instead of divided": "not divided",
        "positive exponent": "lost its minus sign",
        "the other family": "of the other family",
        "base 10,000 fixed": "entry 1 should be 0.1992 and is 0.063. Print the first and the last",
        "one frequency a feature": "the shape should be (4,) and is (8,)",
    },
    "8.2": {
        "the pairs that came round": "did come round",
        "no 2 pi": "A turn is 2π",
        "features, not pairs": "two a pair",
        "compared with the asked length": "the length asked for",
        "compared with twice the trained length": "compare each with the trained length",
        "only those that finish now": "complete their circle now",
        "positive exponent": "0 pairs?",
        "all of them": "a wavelength of its own",
        "never none": "asked is at most trained",
        "the pairs, not their number": "it should hold that the answer is one number. Sum the pairs",
        "base 10,000 fixed": "Is a width, a base or a length fixed",
    },
    "8.3": {
        "the nearest, not the first": "not the first",
        "a place in the list from 2": "add 2",
        "a place in the list from 1": "add 1",
        "offset 0": "Offset 0 looks like itself",
        "offset 1": "the neighbour itself",
        "farther, not nearer": "*farther*",
        "no answer for none": "ask whether there is any",
        "an empty list where there is none": "IndexError",
        "the fastest pair alone": "the fastest pair alone",
        "base 10,000 fixed": "not only their number",
        "the reach left out": "ends before reach",
    },
}
