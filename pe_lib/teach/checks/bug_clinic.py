"""The checks of chapter 12: a property that tells sound functions from broken ones, a patient mended, speeds read off any rotation."""

import numpy as np

from pe_lib.teach.checks.compare import difference, name_kind
from pe_lib.teach.checks.exercise import End, draws, exercise
from pe_lib.clinic import diagnose
from pe_lib.clinic.patients import patient_b
from pe_lib.frequencies import inverse_frequencies
from pe_lib.rotary import rotate
from pe_lib.scaling import ntk
from pe_lib.sinusoidal import sinusoidal_encoding


def _named(name, function):
    function.__name__ = name
    return function


def turning(name, layout="interleaved", sign=1, first=0, base=10_000.0, width=None):
    """A sound rotary function with a name for the messages."""
    return _named(name, lambda x, positions: rotate(
        x, sign * np.asarray(positions) + first, inverse_frequencies(width or x.shape[-1], base), layout=layout))


SOUND = [turning("interleaved"), turning("half_split", "half"), turning("clockwise", sign=-1), turning("counted_from_1", first=1),
         turning("base_500_000", base=5e5), turning("half_of_it_turns", width=4)]


def _at(places):
    """A rotation whose angle is another function of the position."""
    return lambda x, positions: rotate(x, places(np.asarray(positions)), inverse_frequencies(x.shape[-1]))


def _by_turns(x, positions):
    """Even positions fill the first half of the features, odd ones the second: at odd offsets all scores are 0."""
    even, turned = positions[:, None] % 2 == 0, _at(lambda p: p**2 / 10)(x, positions)[:, :x.shape[-1] // 2]
    return np.concatenate([np.where(even, turned, 0), np.where(even, 0, turned)], axis=-1)


def _alike(length):
    """Rows of one feature alone, whatever the content: the score of positions i and j is length(i) length(j)."""
    return lambda x, positions: np.eye(x.shape[-1])[np.zeros(len(x), int)] * length(positions)[:, None]


FADES = [_named("fades", _alike(lambda p: 2.0 ** (-p / 100))), _named("swells", _alike(lambda p: 2.0 ** (p / 100)))]
FLIPS = [_named("plus_or_minus", _alike(lambda p, seed=seed: np.where(np.cos(seed + p**2) > 0, 1.0, -1.0))) for seed in (1, 2)]
BROKEN = [
    (_named("mixed_layouts", lambda x, p: patient_b(x, p)), "angles of one layout, partners of the other: the score depends on more than the offset"),
    (_named("angle_squared", _at(lambda p: p**2 / 10)), "its angle grows with the square of the position"),
    (_named("added_sinusoid", lambda x, p: x + sinusoidal_encoding(p, x.shape[-1])), "it adds a position instead of turning by it"),
    (_named("grows_longer", lambda x, p: rotate(x, p, inverse_frequencies(x.shape[-1])) * (1 + 0.01 * np.asarray(p)[:, None])),
     "its rows grow longer with the position"),
    (_named("table_of_60", _at(lambda p: np.minimum(p, 59))), "from position 60 on every token stands at 59"),
    (_named("right_at_odd_gaps", lambda x, p: _by_turns(x, p)), "at even offsets its scores change when both tokens move"),
]
MISSED = {
    "right_at_odd_gaps": "At odd offsets nothing is wrong with it. Try several offsets, even ones as well.",
    "angle_squared": "At offset 0 this one is right, because query and key at one position are rotated alike. Try other offsets, too. (It also keeps lengths.)",
    "table_of_60": "Within the first 60 positions nothing is wrong. Move query and key by 100.",
}


def _why_blamed(blamed, values):
    """The hint for a sound function that was called broken."""
    if set(blamed) == {"half_split", "clockwise", "counted_from_1", "base_500_000", "half_of_it_turns"}:
        return "It was compared with one sound function, the interleaved one. A property asks nothing but the function itself."
    if set(blamed) == {"counted_from_1"}:
        return "Counting from 1 changes no offset. Did you test whether position 0 changes nothing? That is another property."
    if len(set(values.values())) == 1:
        return "It is the same number for all functions: is rope called, and its answer used?"
    if len(blamed) == len(SOUND):
        return "Query *and* key must move, by the same number of tokens. If only one moves, the offset changes."
    return "Which pair of scores differs? Print score(3, 8) and score(103, 108) for it."


def _is_verdict(value):
    return isinstance(value, np.ndarray) and value.dtype.kind == "b"


def _what(value):
    return "yours gave True or False." if _is_verdict(value) else f"yours gave {name_kind(value)}."


def nameless(rope):
    """The function, of lists as of arrays, without a name that would give it away."""
    return lambda x, positions: rope(np.asarray(x), np.asarray(positions))


@exercise("12.1", praise="It never asked which layout, sign or base: a property needs no reference. What it cannot see is whether "
          "the convention is yours.")
def check_gap_error(attempt):
    """(rope, dim) -> the largest change of a score when query and key move by the same number of tokens."""
    values = {}
    for rope in [*SOUND, *(rope for rope, _ in BROKEN), *FADES]:
        value = attempt.raw(nameless(rope), 8)
        single = isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "iuf"
        attempt.holds("it gives one number, how far scores differ", single, found=_what(value), hint="Return the largest "
                      "difference itself: a verdict hides how far off a function is." if _is_verdict(value) else "Return the largest of them.")
        values[rope.__name__] = float(value)
    attempt.holds("it is never negative", min(values.values()) >= 0, found=f"one value is {min(values.values()):.2g}.",
                  hint="Take the absolute value of each difference before the largest.")
    blamed = [rope.__name__ for rope in SOUND if not values[rope.__name__] < 1e-4]  # a float32 answer is off by 1e-6
    attempt.holds("a sound function gets nearly 0, in either layout, either sign, any base", not blamed,
                  found=f"{blamed[0]} got {values[blamed[0]]:.2g}." if blamed else "", hint=_why_blamed(blamed, values))
    missed = [(rope.__name__, why) for rope, why in BROKEN if not values[rope.__name__] > 1e-3]
    if len(missed) == len(BROKEN):
        attempt.holds("a broken function gets a large number", False, found="all of them got nearly 0.",
                      hint="Are two different pairs of positions compared?")
    for name, why in missed:
        attempt.holds("a broken function gets a large number", False, found=f"{name} got {values[name]:.2g}, but {why}.",
                      hint=MISSED.get(name, "Try several offsets, moves and contents."))
    for rope in FLIPS:
        change = float(attempt.raw(nameless(rope), 8))
        attempt.holds("it is the largest change of a score", np.isclose(change, (2, 2 / np.sqrt(8)), rtol=1e-4).any(),
                      found=f"where all scores are +1 or -1, some changing sign, it gave {change:.3g}, not 2.",
                      hint="Compare the same pair before and after, for many offsets and moves; the largest scores alone show nothing."
                      if change < 1e-9 else "Take the size of each difference, then the largest: neither a sum nor a mean.")


def broken(x, positions, first=1, slow=2):
    """The patient of exercise 12.2: half-split was meant, with two faults in one line."""
    half = x.shape[-1] // 2
    t = (positions[:, None] + first) * 10_000.0 ** (-slow * np.arange(half) / half)
    a, b = x[..., :half], x[..., half:]
    turned = a * np.cos(t) - b * np.sin(t), a * np.sin(t) + b * np.cos(t)
    return np.concatenate(turned, axis=-1).astype(x.dtype)


def right(x, positions):
    return rotate(x, positions, inverse_frequencies(x.shape[-1]), layout="half")


CLASSIC_MENDINGS = {
    "Position 0 is left alone now. One fault is left: pair 1 should make 10,000 ** (−1/half) of a radian a token, and how much is it?":
        lambda x, p: broken(x, p, first=0),
    "The speeds are right now. One fault is left: at position 0 nothing should turn.": lambda x, p: broken(x, p, slow=1),
    "The neighbours turn. Mend the patient, do not replace it: its weights were made for half-split.":
        lambda x, p: rotate(x, p, inverse_frequencies(x.shape[-1])),
    "Now it turns clockwise: which of the four products had the minus before?": lambda x, p: right(x, -p),
    "The count is off by one on the other side.": lambda x, p: right(x, p - 1),
    "The exponent is halved once too often: pair m has −m/half, which is −2m/dim.": lambda x, p: broken(x, p, first=0, slow=0.5),
    "The exponent has lost its minus: the pairs turn faster from pair to pair.": lambda x, p: broken(x, p, first=0, slow=-1),
    "It is positions that turn a row, not its number in the array.": lambda x, p: right(x, np.arange(len(x))),
}


@exercise("12.2", praise="Two faults at once, and two sentences in the report. One fault can hide another, so ask again after each cure.")
def check_mended(attempt):
    """x (n, d), positions (n,) -> half-split, base 10,000, and the clinic finds nothing."""
    x, p = draws((4, 8), times=1)[0][0], np.array([0, 1, 5, 300])
    got = attempt(x, p, shape=x.shape)
    if not difference(got, broken(x, p)):
        raise End("not started", "not started yet.")
    known = (hint for hint, wrong in CLASSIC_MENDINGS.items() if not difference(got, wrong(x, p)))
    attempt.matches("every row is turned by its position, half-split, base 10,000", got, right(x, p),
                    hint=next(known, "Run diagnose(mended, layout=\"half\") and read its sentence."))
    attempt.agrees("other widths work as well", right, [(part, p) for part in (x[:, :4].copy(), np.tile(x, 3))], hint="Is a width fixed in your code?")
    report = diagnose(attempt.learner, layout="half", base=10_000.0)
    attempt.holds("the clinic finds nothing", report.healthy, found=report.faults[0].sentence if report.faults else "")


MEASURED = [(turning("interleaved"), 8), (turning("half_split", "half"), 14), (turning("clockwise", sign=-1), 8),
            (turning("base_500_000", "half", base=5e5), 8), (turning("half_of_it_turns", width=4), 8),
            (_named("stretched", lambda x, p: rotate(x, p, ntk(x.shape[-1], 10_000.0, 8.0), layout="half")), 14)]
LAWS = [inverse_frequencies(8), inverse_frequencies(14), inverse_frequencies(8), inverse_frequencies(8, 5e5),
        np.concatenate([inverse_frequencies(4), [0.0, 0.0]]), None]


def _matrix(rope, dim, position=1):
    return np.stack([rope(unit[None], np.array([position]))[0] for unit in np.eye(dim)], axis=1)


def speeds_by_eigenvalues(rope, dim):
    """The specification: a rotation's eigenvalues come in pairs exp(± i speed), whatever the layout and the sign."""
    turned = np.abs(np.angle(np.linalg.eigvals(_matrix(rope, dim))))
    return np.sort(turned)[::-1][::2]


def _neighbours(rope, dim, position=1, absolute=True):
    m = _matrix(rope, dim, position)
    turned = np.arctan2(m[1::2, 0::2].diagonal(), m[0::2, 0::2].diagonal()) / position
    return np.abs(turned) if absolute else turned


def _halves(rope, dim):
    m, half = _matrix(rope, dim), dim // 2
    return np.abs(np.arctan2(m[half:, :half].diagonal(), m[:half, :half].diagonal()))


def _by_cosines(rope, dim, dtype=float):
    turned = rope(np.eye(dim, dtype=dtype), np.ones(dim, dtype=int)).diagonal()
    return np.sort(np.arccos(np.clip(turned, -1, 1)))[::-1][::2]


CLASSIC_SPEEDS = {
    "Neighbours were taken for pairs. Not every function turns neighbours: eigenvalues, or the diagonal, do not need to know.": _neighbours,
    "Halves were taken for pairs. Not every function turns halves: eigenvalues, or the diagonal, do not need to know.": _halves,
    "Neighbours were taken for pairs, and a clockwise turn would come out negative: a speed is a size, np.abs.": lambda rope, dim: _neighbours(rope, dim, absolute=False),
    "This is the law at base 10,000, not a measurement: the function was not asked.": lambda rope, dim: inverse_frequencies(dim),
    "At position 0 nothing has turned yet. Ask at position 1.": lambda rope, dim: np.zeros(dim // 2),
    "Slowest first: the fastest pair comes first in this course.": lambda rope, dim: speeds_by_eigenvalues(rope, dim)[::-1],
    "At position 10 the fastest pair has gone round once and more, and whole turns are not seen. Ask at position 1.":
        lambda rope, dim: np.sort(np.abs(np.angle(np.linalg.eigvals(_matrix(rope, dim, 10)))))[::-1][::2] / 10,
    "These are the angles at position 2. Speeds are radians per token: ask at position 1, or divide.":
        lambda rope, dim: np.sort(np.abs(np.angle(np.linalg.eigvals(_matrix(rope, dim, 2)))))[::-1][::2],
    "These are tokens per turn; radians per token were asked for.":
        lambda rope, dim: 2 * np.pi / np.maximum(speeds_by_eigenvalues(rope, dim), 1e-300),
    "This is the cosine of the speed: np.arccos takes it back.": lambda rope, dim: np.cos(speeds_by_eigenvalues(rope, dim)),
    "In float32 a cosine near 1 has lost the slow speeds: give the function float64 rows, as np.eye(dim) is.":
        lambda rope, dim: _by_cosines(rope, dim, np.float32),
}


@exercise("12.3", praise="With the speeds you have the base, the width that turns and the stretching of anybody's float64 function, without its code.")
def check_speeds(attempt):
    """(rope, dim) -> (dim/2,) radians per token, the fastest first, for either layout and sign."""
    answers = [attempt.raw(rope, dim) for rope, dim in MEASURED]
    for (rope, dim), got in zip(MEASURED, answers):
        shape = np.shape(got)
        attempt.holds("there is one speed a pair", shape == (dim // 2,), found=f"{rope.__name__}, {dim} features: shape {shape}, not {(dim // 2,)}.",
                      hint="Each pair has two features and two eigenvalues: every speed stands there twice." if shape == (dim,) else "")
    known = (hint for hint, wrong in CLASSIC_SPEEDS.items()
             if not any(difference(got, wrong(*case)) for got, case in zip(answers, MEASURED)))
    hint = next(known, "Print the matrix of unit vectors at position 1: where is cos(speed), where sin(speed)?")
    for (rope, dim), got, law in zip(MEASURED, answers, LAWS):
        wanted = speeds_by_eigenvalues(rope, dim) if law is None else law
        attempt.matches(f"it reads the speeds of {rope.__name__} with {dim} features", got, wanted, hint=hint)
