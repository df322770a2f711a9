"""Which law the frequencies follow: a base and a rule for the exponents, or none."""

from dataclasses import dataclass

import numpy as np

from pe_lib.clinic.rotary.positions import wrap
from pe_lib.precision import rounded

FAMOUS = (10_000.0, 500_000.0, 1_000_000.0)
TOLERANCES = (1e-8, 5e-6, 5e-5, 2e-3, 1.2e-2)  # float64, float32 (twice), float16, bfloat16: their rounding and some more
EXPONENTS = {  # key: the exponents of base for pair m, in words for m of pairs
    "exponents start at one": "2 (m + 1) / dim: the first pair turns at {first}, not at 1 radian a position",
    "exponents half a step on": "(2m + 1) / dim: the first pair turns at {first}, not at 1 radian a position",
    "sliced frequencies": "2m / {dim}: they are made for all {dim} features and cut off, the slowest turns at {last}, not {meant}",
    "exponent doubled": "4m / dim: the 2 is there twice, or the width is halved; the slowest pair turns at {last}, not {meant}",
    "exponent halved": "m / dim: the 2 is missing, or the width is doubled; the slowest pair turns at {last}, not {meant}",
    "exponent over another width": "2m / {wide}: they are made for {wide} features (the model's width?), the slowest pair turns at "
    "{last}, not {meant}",
    "exponent over dim/2 - 1": "m / (dim/2 - 1), as in tensor2tensor's sinusoids: the slowest pair turns at {last}, not {meant}",
    "exponent in steps of two": "2 (m // 2) / dim: pairs 0 and 1 turn alike, 2 and 3 alike, and so on",
    "exponent doubled, in steps of two": "4 (m // 2) / dim: pairs 0 and 1 turn alike, 2 and 3 alike, and the 2 is there twice",
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
    own: float = 0.0  # the base that the plain rule would need for the same frequencies, where that one was not asked for
    wide: int = 0  # the width that the exponents are made for
    parts: tuple = ()  # (pairs that keep their frequency, first pair divided by the factor, factor)


def exponents(pairs, dim):
    """name -> exponents, base ** -exponent; the plain ones first."""
    m = np.arange(pairs)
    found = {"": m / pairs, "exponents start at one": (m + 1) / pairs, "exponents half a step on": (m + 0.5) / pairs}
    if 2 * pairs < dim:
        found["sliced frequencies"] = 2 * m / dim
    if pairs > 1:
        found |= {"exponent doubled": 2 * m / pairs, "exponent halved": m / pairs / 2, "exponent over dim/2 - 1": m / (pairs - 1),
                  "exponent in steps of two": m // 2 / pairs, "exponent doubled, in steps of two": m // 2 * 2 / pairs,
                  "frequencies reversed": m[::-1] / pairs, "exponent positive": -m / pairs}
    return found


def find_law(speed, dim, base=None, noise=0.0):
    """The law of the measured frequencies, the finest format first that their noise allows; None where none is known."""
    if np.abs(speed).max() < 1e-12:
        return None
    sign = 1.0 if np.sum(np.sign(speed)) >= 0 else -1.0
    if noise > 1e-4 or base is not None and len(speed) == 2 and coarse_form(speed):  # in half precision plain laws are likely
        law = _asked(speed, dim, FAMOUS if base is None else base, TOLERANCES[-1])
        if law:
            return law
    for tolerance in [tolerance for tolerance in TOLERANCES if 10 * tolerance >= noise] or TOLERANCES[-1:]:
        law = (tolerance > 1e-4 > noise and not coarse_form(speed) and _slowed(speed, base)
               or _asked(speed, dim, base, tolerance) or _geometric(sign * speed, dim, tolerance, base)
               or _asked(speed, dim, FAMOUS if base is None else base, tolerance, scaled=True)
               or _parts(sign * speed, tolerance, base))
        if law:
            if law.tolerance < 0:  # found from the sizes alone
                law.speeds, law.tolerance = sign * law.speeds, tolerance
            return law
    return _slowed(speed, base, 0.02 if noise > 1e-4 else 1e-4)


def _asked(speed, dim, bases, tolerance, scaled=False):
    """With a base that is known: the rule of the exponents; scaled: all of them times one number more."""
    for base in np.atleast_1d([] if bases is None else bases):
        for key, exponent in exponents(len(speed), dim).items():
            if key == "exponent positive" and tolerance > 1e-4:
                continue  # beyond half a turn a position anything fits that is rounded so far
            meant = base**-exponent
            for scale in (1.0, 2 * np.pi, 180 / np.pi) if tolerance < 1e-4 else (1.0,):  # fast pairs come full circle
                for sign in (1, -1):
                    if _close(speed, sign * scale * meant, tolerance):
                        return Law(sign * scale * meant, tolerance, float(base), key, scale)
            scale = float(np.median(speed / meant))
            scale = float(np.copysign(_snapped(abs(scale), tolerance), scale))
            if scaled and len(speed) > 1 and 1e-9 < abs(scale) < 100 and _close(speed, scale * meant, tolerance):
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
    """A ratio and a first frequency, read as a base and a rule for the exponents."""
    pairs = len(meant)
    for key, power in (("exponents start at one", 1), ("exponents half a step on", 0.5)):
        if found > 1 and scale != 1 and abs(scale * found ** (power / pairs) - 1) < 4 * fine:
            return Law(meant, -1, without_noise(found, fine), key)
    if found < 1:
        last = scale * found ** (-(pairs - 1) / pairs)
        key = "frequencies reversed" if abs(last - 1) < 40 * fine else "exponent positive"
        return Law(meant, -1, without_noise(1 / found, fine), key, 1.0 if key == "frequencies reversed" else scale)
    return _likelier(meant, scale, found, dim, fine, base) or Law(meant, -1, without_noise(found, fine), "", scale)


def _likelier(meant, scale, found, dim, fine, base):
    """A famous base by another rule, where the base found is an odd one: 13458 is 10000 with exponents over dim/2 - 1."""
    pairs, near = len(meant), without_noise(found, fine)
    odd = not is_round(near)
    for other in (*FAMOUS, *_uncut(found, dim, pairs, fine) * odd) if base is None and near not in FAMOUS else ():
        for key in ("sliced frequencies", "exponent over dim/2 - 1"):
            exponent = exponents(pairs, dim).get(key, [0])
            likely = odd or key == "sliced frequencies" and dim in (4 * pairs, 8 * pairs)
            if exponent[-1] and likely and _close(other**-exponent * scale, meant, 4 * fine):
                return Law(meant, -1, other, key, scale, own=near)
    for other in (base,) if base else FAMOUS[:1] * (near < 50):
        times = float(np.log(other) / np.log(found)) * pairs
        if times > 2.5 * pairs and abs(times - round(times)) < 40 * fine * times and round(times) % pairs == 0:
            return Law(meant, -1, other, "exponent over another width", scale, near * (base is None), 2 * round(times))
    return None


def _uncut(found, dim, pairs, fine):
    """The base of frequencies made for all features and cut off, if it is a round one."""
    whole = without_noise(found ** (dim / 2 / pairs), fine) if pairs < dim / 2 <= 4 * pairs and found < 1e9 else 0.5
    return (whole,) * is_round(whole) * (whole > 1)


def _parts(speed, tolerance, base):
    """Fast pairs as they were, slow ones divided by one factor, a ramp between: NTK by parts, YaRN, Llama 3."""
    pairs = len(speed)
    if pairs < 3 or (speed <= 0).any():
        return None
    first_two = float(np.exp(np.clip(pairs * np.log(speed[0] / speed[1]), 0.1, 60)))
    for found in [base] if base else [*FAMOUS, without_noise(first_two, tolerance)]:
        ratio = found ** (-np.arange(pairs) / pairs) / speed
        near = 3 * max(tolerance, 1e-9)
        factor = float(ratio[-1])
        kept, slowed = np.abs(ratio - 1) < near, np.abs(ratio / factor - 1) < near
        guessed = base is None and found not in FAMOUS and (kept.sum() < 3 or slowed.sum() < 2)
        if 1.4 < factor < 200 and found > 2 and kept[:2].all() and not guessed and (np.diff(ratio) > -near * factor).all():
            factor = round(factor) if abs(factor / round(factor) - 1) < near else factor
            return Law(speed.copy(), -1, float(found), parts=(int(np.argmin(kept)), int(np.argmax(slowed)), factor))
    return None


def _slowed(speed, base=None, near=1e-4):
    """A base known and a factor for each pair, growing from pair to pair, as LongRoPE's lists do; None if it is not so."""
    for found in ([base] if base else FAMOUS) if len(speed) > 3 and abs(np.sign(speed).sum()) == len(speed) else ():
        ratio = found ** (-np.arange(len(speed)) / len(speed)) / np.abs(speed)
        if 1 - near < ratio[0] < 1.5 and 1.05 < ratio[-1] < 200 and (np.diff(ratio) > -near * ratio[-1]).all():
            return Law(speed.copy(), TOLERANCES[0], float(found), parts=(0, len(speed) - 1, float(ratio[-1])))
    return None


def coarse_form(speed):
    """The half precision of which every frequency is a number; empty where there is none."""
    speed = np.abs(speed)
    return next((form for form in ("float16", "bfloat16") if np.allclose(rounded(speed, form), speed, rtol=1e-6, atol=1e-10)), "")


def is_round(value):
    return float(f"{value:.2g}") == value


def without_noise(value, fine):
    """A base without its rounding noise: 10000 for 10000.00000002."""
    plain = float(f"{value:.2g}")
    return plain if abs(value / plain - 1) < 10 * fine else value


def _near_round(value):
    plain = float(f"{value:.2g}")
    near = [base for base in FAMOUS if abs(value / base - 1) < 0.02]
    return near[0] if near else plain if abs(value / plain - 1) < 0.005 else value


def _snapped(scale, tolerance):
    plain = [1.0] if tolerance < 1e-4 else [1.0, 2.0, 0.5, 0.25, 0.125, np.pi / 180, 180 / np.pi, 2 * np.pi]
    return next((value for value in plain if abs(scale / value - 1) < 3 * tolerance), scale)
