"""What is to be said of the frequencies: conventions are named, the rest is blamed."""

import numpy as np

from pe_lib.clinic.notes import number, radians
from pe_lib.clinic.rotary.exponents import EXPONENTS, FAMOUS, SCALES, coarse_form, is_round, without_noise
from pe_lib.clinic.rotary.exponents import find_law as find_law  # both halves can be had from here
from pe_lib.frequencies import inverse_frequencies
from pe_lib.yarn import attention_factor, llama3

WIDEST = 64  # positions are interpolated for a text so many times as long; beyond, the divisor is something else
FEW = 8  # with fewer pairs, a list of factors may be anybody's
OTHERS = ", else Llama 3's or YaRN's of another: say base= to have it judged"
LONGROPE = [1 + np.log(times) / np.log(trained) for times in (4, 8, 16, 32, 64) for trained in 2.0 ** np.arange(11, 18)]


def judge_law(law, speed, dim, base, gain, notes):
    """What is a convention goes into the convention, the rest is blamed."""
    before, shown = len(notes.faults), speed if law is None else law.speeds
    _judge(law, speed, dim, base, gain, notes)
    figures = f"{number(abs(shown[0]))} to {number(abs(shown[-1]))} radians a position"
    named = notes.convention.get("frequencies", "no base can be named" if len(speed) > 1 else "one pair tells no base")
    notes.find("frequencies", len(notes.faults) == before, f"{named.split(' (')[0].split(':')[0]}: {figures}")


def _judge(law, speed, dim, base, gain, notes):
    width = 2 * len(speed)
    if law is None:
        return _blame_reversed(speed, base, notes) or _blame_none(speed, notes)
    if law.key == "same frequency":
        return notes.blame("one frequency for all", f"All {len(speed)} pairs turn at {radians(law.scale)} a position.",
                           "inv_freq[m] = base ** (-2m / dim): look for an integer division, or a base of 1.")
    _judge_scale(law, notes)
    if law.key:
        _blame_exponents(law, width, dim, notes)
    elif base is not None and law.base is not None and abs(law.base / base - 1) > max(20 * law.tolerance, 1e-6):
        _blame_base(law, base, width, notes)
    if law.parts:
        kept, slowed, _ = law.parts
        if _bits(speed):
            notes.blame("half-precision angles", f"The frequencies are stretched by parts.{_bits(speed)}",
                        "keep inv_freq in float32 or better: a model cast to half precision takes its buffers along.")
        if kept == slowed and len(law.speeds) >= 32:
            notes.remarks.append(f"The frequencies jump between pair {kept - 1} and pair {kept}, where Llama 3 and YaRN have a ramp: "
                                 "have the low and the high limit changed places?")
        guessed = base is None and not kept and len(law.speeds) < FEW  # so few fit many a base
        named = f"no base can be named: of base {number(law.base, 6)}" if guessed else f"base {number(law.base, 6)},"
        notes.convention["frequencies"] = f"{named} {_parts_words(law, gain)}{OTHERS if guessed else ''}"
    elif law.base is not None:
        notes.convention["frequencies"] = f"base {number(law.base, 6)}{_hint(law, base, width)}"


def _judge_scale(law, notes):
    if law.scale == 1:
        return
    for key, (scale, words) in SCALES.items():
        if abs(law.scale / scale - 1) < 4 * law.tolerance + 1e-9:
            notes.blame(key, f"Every angle {words}: the first pair turns at {radians(law.scale)} a position, not at 1.",
                        "np.cos and np.sin take radians, and position * inv_freq is in radians already.")
            return
    factor = 1 / law.scale
    near = round(4 * factor) / 4
    whole = near > 1 and abs(factor / near - 1) < 4 * law.tolerance + 1e-6
    if whole and near <= WIDEST:
        notes.convention["scale"] = f"all angles divided by {number(near)} (positions interpolated)"
        return
    how = f"divided by {number(near if whole else factor)}" if factor > 1 else f"multiplied by {number(law.scale)}"
    how += " (the largest position?)" if whole else ""
    how += " (or x is turned twice)" if abs(law.scale - 2) < 1e-3 else ""
    notes.blame("angles scaled", f"All angles are {how}: the first pair turns at {number(law.scale)} radians a position, not at 1.",
                "the fastest pair turns one radian a position: inv_freq[0] is 1, and positions count 0, 1, 2, ...")


def _blame_exponents(law, width, dim, notes):
    words = EXPONENTS[law.key].format(first=number(abs(law.speeds[0])), last=number(abs(law.speeds[-1])), dim=dim, wide=law.wide,
                                      meant=number(law.base ** (-(width - 2) / width)))
    head = "The frequencies are" if law.key == "frequencies reversed" else f"The exponents of base {number(law.base, 6)} are"
    other = f" (If base {number(law.own, 6)} was meant, say base={number(law.own, 6)}.)" if law.own else ""
    notes.blame(law.key, f"{head} {words.rstrip('.')}.{other}",
                f"inv_freq[m] = base ** (-2m / {width}), for m = 0, 1, ... {width // 2 - 1}.")


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


def _blame_reversed(speed, base, notes):
    """Are the fast pairs slowed, all by one factor, and the slow ones kept? True if so: a published package did it."""
    for meant in (1e4, 5e5, 1e6) if base is None else (base,):
        slowed = inverse_frequencies(2 * len(speed), meant) / np.maximum(np.abs(speed), 1e-300)
        factor, kept = slowed[0], int((np.abs(slowed - 1) < 1e-3).sum())
        full = int((slowed > 0.999 * factor).sum())
        blocks = (slowed[:full] > 0.999 * factor).all() and (np.abs(slowed[len(speed) - kept:] - 1) < 1e-3).all()
        if 1.2 < factor < 1000 and kept and blocks and 0.999 < slowed.min() and slowed.max() < 1.001 * factor:
            notes.blame("ramp reversed", "The ramp between fast and slow pairs is the wrong way round: the fast "
                        f"{f'pairs 0 to {full - 1} are' if full > 1 else 'pair 0 is'} divided by {number(factor)}, and from pair {len(speed) - kept} on the slow ones keep their frequency.",
                        "keep the pairs that make many turns in the trained length, and divide those that never came round.")
            return True
    return False


def _blame_none(speed, notes):
    notes.blame("no power law", f"The frequencies follow no law known here: {', '.join(number(s) for s in speed[:4])} ... "
                f"{number(speed[-1])} radians a position.{_bits(speed)}",
                f"inv_freq[m] = base ** (-2m / {2 * len(speed)}): compare entry by entry.")


def _bits(speed):
    form = coarse_form(speed) if len(speed) >= FEW else ""
    return f" All of them are numbers of {form}: they have been rounded." if form else ""


def _parts_words(law, gain):
    kept, slowed, factor = law.parts
    name = _parts_name(law, gain)
    if not kept:
        return f"every pair slowed by a factor of its own, up to {number(factor)} (LongRoPE?)"
    return f"{name}: pairs 0 to {kept - 1} keep their frequency, from pair {slowed} on it is divided by {number(factor)}"


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
    tensor2tensor = without_noise(law.base ** (1 - 2 / width), max(law.tolerance, 1e-10))
    if is_round(tensor2tensor) and not is_round(law.base):
        other = number(tensor2tensor)
        return f" (or {other} with exponents over dim/2 - 1: say base={other} to have it judged)"
    for other in FAMOUS:
        for power, words in ((0.5, "m / dim, the 2 missing"), (2, "4m / dim, the 2 twice")):
            if abs(law.base / other**power - 1) < 10 * law.tolerance + 1e-9:
                return f" (or {number(other)} with exponents {words}: say base={number(other)} to have it judged)"
        stretch = (law.base / other) ** ((width - 2) / width)
        odd, near = not is_round(law.base), round(2 * stretch) / 2
        if odd and stretch > 1.2 and abs(stretch / near - 1) < 4 * law.tolerance + 1e-9:
            return f" (the NTK base for {number(other)} stretched {number(near)} times)"
    return ""


def judge_gain(turns, law, noise, notes):
    """A length that all turned pairs are given: the attention factor of stretched frequencies, or a fault."""
    if turns.gain == 1:
        return
    stretched = law is not None and law.parts
    near = 1e-4 + noise * (noise > 1e-4)
    whose = _factor_of(turns.gain, law.parts[2], near) if stretched else "LongRoPE's" if _is_longrope(turns.gain, near) else ""
    if whose and "twice" not in whose:
        notes.convention["length"] = f"lengths times {number(turns.gain, 5)} ({whose} attention factor)"
        return
    hint, stretch = f" That is {whose}." if whose else "", np.exp(10 * (turns.gain - 1))
    if not stretched and 1 < turns.gain < 1.6 and abs(stretch - round(2 * stretch) / 2) < 1e-3 * stretch:
        hint = f" YaRN does so for a stretch by {number(stretch)}; here nothing is stretched."
    notes.blame("length changed", f"Every turned pair comes back {number(turns.gain, 5)} times as long.{hint}",
                "a rotation keeps lengths: scale scores in the attention, not q and k here.")


def _factor_of(gain, stretch, near):
    """Whose attention factor it is, of frequencies that are stretched so many times; empty where it is none."""
    if abs(gain / attention_factor(stretch) - 1) < near:
        return "YaRN's"
    if abs(gain / attention_factor(stretch) ** 2 - 1) < near:
        return f"YaRN's attention factor for a stretch by {number(stretch)} taken twice"
    parts = [1 + share * (attention_factor(stretch) - 1) for share in (1, 0.707)]
    if any(abs(gain * down / up - 1) < near for up in parts for down in (1, *parts) if up != down):
        return "DeepSeek's share of YaRN's"
    return "LongRoPE's" if _is_longrope(gain, near) else "perhaps LongRoPE's" if 1 < gain < 2 else ""


def _is_longrope(gain, near):
    """sqrt(1 + ln times / ln trained), for a text so many times as long as the positions trained on."""
    return any(abs(gain**2 / square - 1) < 0.4 * near for square in LONGROPE)
