"""Which law the frequencies follow: a base and a rule for the exponents, or none."""

from dataclasses import dataclass

import numpy as np

from pe_lib.clinic.notes import number
from pe_lib.clinic.places import wrap
from pe_lib.yarn import attention_factor, llama3

FAMOUS = (10_000.0, 500_000.0, 1_000_000.0)
TOLERANCES = (1e-8, 5e-6, 2e-3, 1.2e-2)  # float64, float32, float16, bfloat16: their rounding of a frequency and some more
EXPONENTS = {  # key: the exponents of base for pair m, in words for m of pairs
    "exponents start at one": "2 (m + 1) / dim: the first pair turns at {first}, not at 1 radian a position",
    "exponents half a step on": "(2m + 1) / dim: the first pair turns at {first}, not at 1 radian a position",
    "sliced frequencies": "2m / {dim}: they are made for all {dim} features and cut off, the slowest turns at {last}, not {meant}",
    "exponent doubled": "4m / dim: the 2 is there twice, or the width is halved; the slowest pair turns at {last}, not {meant}",
    "exponent halved": "m / dim: the 2 is missing, or the width is doubled; the slowest pair turns at {last}, not {meant}",
    "exponent over dim/2 - 1": "m / (dim/2 - 1), as in tensor2tensor's sinusoids: the slowest pair turns at {last}, not {meant}",
    "exponent in steps of two": "2 (m // 2) / dim: pairs 0 and 1 turn alike, 2 and 3 alike, ...",
    "frequencies reversed": "counted from the other end: the first pair is the slowest, the last the fastest",
    "exponent positive": "2m / dim with a plus: the last pair turns at {last} radians a position, not at {meant}",
}
SCALES = {
    "degrees": (np.pi / 180, "is multiplied by pi/180, as if radians were degrees"),
    "radians as degrees": (180 / np.pi, "is multiplied by 180/pi, as if the cosine took degrees"),
    "turns taken for radians": (2 * np.pi, "is multiplied by 2 pi"),
}


@dataclass
class Law:
    speeds: np.ndarray  # (pairs,), exact, with their sign
    tolerance: float  # how closely the measured ones follow
    base: float | None = None
    key: str = ""  # a fault in the exponents, of EXPONENTS
    scale: float = 1.0  # all frequencies are this many times those of the law
    parts: tuple = ()  # (pairs that keep their frequency, first pair divided by the factor, factor)


def exponents(pairs, dim):
    """name -> exponents, base ** -exponent; the plain ones first."""
    m = np.arange(pairs)
    found = {"": m / pairs, "exponents start at one": (m + 1) / pairs, "exponents half a step on": (m + 0.5) / pairs}
    if 2 * pairs < dim:
        found["sliced frequencies"] = 2 * m / dim
    if pairs > 1:
        found |= {"exponent doubled": 2 * m / pairs, "exponent halved": m / pairs / 2, "exponent over dim/2 - 1": m / (pairs - 1),
                  "exponent in steps of two": m // 2 / pairs, "frequencies reversed": m[::-1] / pairs,
                  "exponent positive": -m / pairs}
    return found


def find_law(speed, dim, base=None, noise=0.0):
    """The law of the measured frequencies, the finest format first that their noise allows; None where none is known."""
    sign = 1.0 if np.sum(np.sign(speed)) >= 0 else -1.0
    for tolerance in [tolerance for tolerance in TOLERANCES if tolerance >= min(noise, TOLERANCES[-1])]:
        law = (_asked(speed, dim, base, tolerance) or _geometric(sign * speed, dim, tolerance, base)
               or _asked(speed, dim, FAMOUS if base is None else base, tolerance, scaled=True)
               or _parts(sign * speed, tolerance, base))
        if law:
            if law.tolerance < 0:
                law.speeds, law.tolerance = sign * law.speeds, tolerance
            return law
    return None


def _asked(speed, dim, bases, tolerance, scaled=False):
    """With a base that is known: the rule of the exponents; scaled: all of them times one number more."""
    for base in np.atleast_1d([] if bases is None else bases):
        for key, exponent in exponents(len(speed), dim).items():
            if key == "exponent positive" and tolerance > 1e-4:
                continue  # beyond half a turn a position anything fits that is rounded so far
            meant = base**-exponent
            for scale, sign in ((1.0, 1), (1.0, -1), (2 * np.pi, 1), (2 * np.pi, -1)):  # a first pair that comes full circle
                if _close(speed, sign * scale * meant, tolerance):
                    return Law(sign * scale * meant, tolerance, float(base), key, scale)
            scale = float(np.median(speed / meant))
            if scaled and len(speed) > 1 and abs(scale) < 100 and _close(speed, scale * meant, tolerance):
                return Law(scale * meant, tolerance, float(base), key, abs(scale))
    return None


def _close(speed, meant, tolerance):
    short = 6e-8 if tolerance > 1e-4 else 0  # float16 has no smaller steps than that
    return bool((np.abs(wrap(speed - meant)) <= np.minimum(tolerance * np.abs(meant), 0.02) + short).all())


def _geometric(speed, dim, tolerance, base):
    """With no base known: a first frequency and a ratio from pair to pair, if all pairs have that same ratio."""
    pairs = len(speed)
    if (speed < 1e-14).any():
        return None
    if pairs == 1:
        return Law(speed.copy(), -1, None, "", _snapped(float(speed[0]), tolerance))
    logs, step = np.log(speed), max(1, pairs // 2)
    slope = np.median((logs[step:] - logs[:-step]) / step)
    first = float(np.exp(np.median(logs - slope * np.arange(pairs))))
    found = float(np.exp(min(-slope * pairs, 600.0)))
    if tolerance > 1e-4:
        found = _near_round(found)
    scale, fine = _snapped(first, tolerance), max(tolerance, 1e-10)
    meant = scale * found ** (-np.arange(pairs) / pairs)
    if not _close(speed, meant, tolerance) or speed.max() > 3:
        return None
    if abs(found - 1) < 4 * pairs * fine:
        return Law(meant, -1, 1.0, "same frequency", scale)
    return _read_geometric(meant, scale, found, dim, fine, base)


def _read_geometric(meant, scale, found, dim, fine, base):
    pairs = len(meant)
    for key, power in (("exponents start at one", 1), ("exponents half a step on", 0.5)):
        if found > 1 and scale != 1 and abs(scale * found ** (power / pairs) - 1) < 4 * fine:
            return Law(meant, -1, _near(found, fine), key)
    if found < 1:
        last = scale * found ** (-(pairs - 1) / pairs)
        key = "frequencies reversed" if abs(last - 1) < 40 * fine else "exponent positive"
        return Law(meant, -1, _near(1 / found, fine), key, 1.0 if key == "frequencies reversed" else scale)
    for other in FAMOUS if base is None and _near(found, fine) not in FAMOUS else ():
        for key in ("sliced frequencies", "exponent over dim/2 - 1"):
            exponent = exponents(pairs, dim).get(key)
            if exponent is not None and exponent[-1] and _close(other ** -exponent * scale, meant, 4 * fine):
                return Law(meant, -1, other, key, scale)
    return Law(meant, -1, _near(found, fine), "", scale)


def _parts(speed, tolerance, base):
    """Fast pairs as they were, slow ones divided by one factor, a ramp between: NTK by parts, YaRN, Llama 3."""
    pairs = len(speed)
    if pairs < 3 or (speed <= 0).any():
        return None
    first_two = float(np.exp(np.clip(pairs * np.log(speed[0] / speed[1]), 0.1, 60)))
    for found in [base] if base else [*FAMOUS, _near(first_two, tolerance)]:
        ratio = found ** (-np.arange(pairs) / pairs) / speed
        near = 3 * max(tolerance, 1e-9)
        factor = float(ratio[-1])
        kept, slowed = np.abs(ratio - 1) < near, np.abs(ratio / factor - 1) < near
        if factor > 1.4 and found > 2 and kept[:2].all() and slowed[-1] and (np.diff(ratio) > -near * factor).all():
            factor = round(factor) if abs(factor / round(factor) - 1) < near else factor
            return Law(speed.copy(), -1, float(found), "", 1.0, (int(np.argmin(kept)), int(np.argmax(slowed)), factor))
    return None


def _near(value, fine):
    """A base without its rounding noise: 10000 for 10000.00000002."""
    plain = float(f"{value:.2g}")
    return plain if abs(value / plain - 1) < 400 * fine else value


def _near_round(value):
    plain = float(f"{value:.2g}")
    near = [base for base in FAMOUS if abs(value / base - 1) < 0.02]
    return near[0] if near else plain if abs(value / plain - 1) < 0.005 else value


def _snapped(scale, tolerance):
    return 1.0 if abs(scale - 1) < 3 * tolerance else scale


def judge_law(law, speed, dim, base, gain, notes):
    """What is a convention goes into the convention, the rest is blamed."""
    width = 2 * len(speed)
    if law is None:
        return _blame_none(speed, notes)
    if law.key == "same frequency":
        return notes.blame("one frequency for all", f"All {len(speed)} pairs turn at {number(law.scale)} radians a position.",
                           "inv_freq[m] = base ** (-2m / dim): look for an integer division, or a base of 1.")
    _judge_scale(law, base, notes)
    if law.key:
        _blame_exponents(law, width, dim, notes)
    elif base is not None and law.base is not None and abs(law.base / base - 1) > max(400 * law.tolerance, 1e-6):
        _blame_base(law, base, width, notes)
    if law.parts:
        kept, slowed, factor = law.parts
        name = _parts_name(law, gain)
        notes.convention["frequencies"] = (f"base {number(law.base, 6)}, {name}: pairs 0 to {kept - 1} keep their frequency, "
                                           f"from pair {slowed} on it is divided by {number(factor)}")
    elif law.base is not None:
        notes.convention["frequencies"] = f"base {number(law.base, 6)}{_hint(law, base, width)}"


def _judge_scale(law, base, notes):
    if law.scale == 1:
        return
    for key, (scale, words) in SCALES.items():
        if abs(law.scale / scale - 1) < 4 * law.tolerance + 1e-9:
            notes.blame(key, f"Every angle {words}: the first pair turns at {number(law.scale)} radians a position, not at 1.",
                        "np.cos and np.sin take radians, and position * inv_freq is in radians already.")
            return
    factor = 1 / law.scale
    near = round(4 * factor) / 4
    if factor > 1 and abs(factor / near - 1) < 4 * law.tolerance + 1e-9 and base is None:
        notes.convention["scale"] = f"all angles divided by {number(near)} (positions interpolated)"
        return
    how = f"divided by {number(factor)}" if factor > 1 else f"multiplied by {number(law.scale)}"
    notes.blame("angles scaled", f"All angles are {how}: the first pair turns at {number(law.scale)} radians a position, not at 1.",
                "the fastest pair turns one radian a position: inv_freq[0] is 1, and positions count 0, 1, 2, ...")


def _blame_exponents(law, width, dim, notes):
    words = EXPONENTS[law.key].format(first=number(abs(law.speeds[0])), last=number(abs(law.speeds[-1])), dim=dim,
                                      meant=number(law.base ** (-(width - 2) / width)))
    head = "The frequencies are" if law.key == "frequencies reversed" else f"The exponents of base {number(law.base, 6)} are"
    notes.blame(law.key, f"{head} {words}.", f"inv_freq[m] = base ** (-2m / {width}), for m = 0, 1, ... {width // 2 - 1}.")


def _blame_base(law, base, width, notes):
    more = ""
    if width > 2:
        stretch = (law.base / base) ** ((width - 2) / width)
        if stretch > 1.2 and abs(4 * stretch - round(4 * stretch)) < 1e-3:
            more = f" It is the NTK base for a stretch by {number(round(4 * stretch) / 4)}."
    if abs(law.base / np.exp(np.log10(base)) - 1) < 1e-3:
        more = " That is exp(log10(base)): the logarithm to base 10 stands where the natural one belongs."
    notes.blame("wrong base", f"The base is {number(law.base, 6)}, not {number(base, 6)}.{more}",
                "hand the base of the model's configuration (rope_theta) down to the frequencies.")


def _blame_none(speed, notes):
    notes.blame("no power law", f"The frequencies follow no law known here: {', '.join(number(s) for s in speed[:4])} ... "
                f"{number(speed[-1])} radians a position.", f"inv_freq[m] = base ** (-2m / {2 * len(speed)}): compare entry by entry.")


def _parts_name(law, gain):
    plain, factor = law.base ** (-np.arange(len(law.speeds)) / len(law.speeds)), law.parts[2]
    for trained in (8192, 4096, 2048, 16384, 32768, 131072):
        if np.allclose(np.abs(law.speeds), llama3(plain, factor, trained=trained), rtol=4 * law.tolerance + 1e-9, atol=0):
            return f"stretched {number(factor)} times as in Llama 3 (trained on {trained} positions)"
    yarn = abs(gain / attention_factor(factor) - 1) < 1e-4
    return f"stretched {number(factor)} times by parts" + (" (YaRN, with its attention factor)" if yarn else "")


def _hint(law, base, width):
    """Another reading of a base that nobody asked for, if it is a likely one."""
    if base is not None or law.key or law.base is None or law.base in FAMOUS:
        return ""
    for other in FAMOUS:
        for power, words in ((0.5, "m / dim, the 2 missing"), (2, "4m / dim, the 2 twice")):
            if abs(law.base / other**power - 1) < 400 * law.tolerance + 1e-9:
                return f" (or {number(other)} with exponents {words}: say base={number(other)} to have it judged)"
        stretch = (law.base / other) ** ((width - 2) / width)
        if stretch > 1.2 and abs(2 * stretch / round(2 * stretch) - 1) < 4 * law.tolerance + 1e-9 and law.base != float(f"{law.base:.2g}"):
            return f" (the NTK base for {number(other)} stretched {number(round(2 * stretch) / 2)} times)"
    return ""
