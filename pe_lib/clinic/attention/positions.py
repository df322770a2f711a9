"""At which positions queries and keys are turned, and whether these are the ones that were given."""

import numpy as np

from pe_lib.clinic.attention.turning import words_for

BOTH_TURN = "Turn q and k alike, each row by its own position."


def judge_sides(sheet, q, k):
    """Do queries and keys both turn in pairs of features?"""
    if not q.pairs and not k.pairs:
        if max(q.moved, k.moved) > 1e-2:
            words = "Queries and keys are changed by their positions, but not in pairs of features."
        else:
            words = "Neither queries nor keys are turned: the scores do not depend on the positions."
        sheet.judge("q and k turned", True, "neither", "no rotation", words, BOTH_TURN)
        return False
    if not q.pairs or not k.pairs:
        turned, still = ("keys", "queries") if k.pairs else ("queries", "keys")
        other = q if k.pairs else k
        if other.moved > 1e-2:
            why = ("Queries and keys are both turned, but the features of the one come out in another order than those of the other."
                   if other.inner else f"The {turned} are turned in pairs of features; the {still} are changed by their positions, "
                   "too, but not in pairs.")
            sheet.judge("q and k turned", True, f"{still} otherwise", "layouts differ", why, BOTH_TURN)
            return False
        sheet.judge("q and k turned", True, f"{turned} only", f"only {turned}",
                    f"The {turned} are turned and the {still} are not, so scores depend on the position of the {turned} "
                    "alone.", BOTH_TURN)
        return False
    sheet.find("q and k turned", True, "both")
    return True


def judge_positions(sheet, q, k, given, speeds):
    """Are the positions used those given, on both sides and in one direction? True if they are, or wrong alike."""
    signs = [np.sign(np.median(np.sign(law.speeds))) for law in (q, k)]
    if signs[0] != signs[1]:
        sheet.judge("one direction", True, "q and k turn against each other", "opposite signs",
                    "Queries and keys turn in opposite directions, so a score depends on the sum of the positions, not on "
                    "the difference.",
                    BOTH_TURN)
        return False
    sheet.find("one direction", True, "q and k turn the same way")
    sheet.name("angle +position · frequency" if signs[0] > 0 else "angle -position · frequency, as good on both sides")
    used = [_in_units(law, speeds, signs[0]) for law in (q, k)]
    kinds = [words_for(positions, given) for positions in used]
    if kinds[0][0] is None and kinds[1][0] is None:
        sheet.find("positions", True, "those given")
        return True
    if kinds[0] == kinds[1] and kinds[0][0] == "counted":
        sheet.judge("positions", True, "counted by rows", "positions ignored",
                    f"Both sides are turned by {kinds[0][1]}. The argument is not used, which does no "
                    "harm in one call, as long as positions are consecutive.",
                    "Take the positions that are given: with padding or a cache they are not the numbers of the rows.")
        return True
    if kinds[0][0] == kinds[1][0] == "times" and _same(used[0], used[1]):
        return True  # one factor on both sides: a matter of the frequencies
    _one_side(sheet, kinds, given)
    return False


def _in_units(law, speeds, sign):
    """Positions as the asked frequencies would have them: a side turned twice has stood twice as far."""
    if law.by == "solved" or speeds is None or len(law.speeds) != len(speeds):
        return law.positions
    ratios = law.speeds / (sign * speeds)
    return law.positions * (ratios[0] if np.allclose(ratios, ratios[0], rtol=2e-3) else 1)


def _one_side(sheet, kinds, given):
    (q_kind, q_words), (k_kind, k_words) = kinds
    side, kind, words = ("keys", k_kind, k_words) if q_kind is None else ("queries", q_kind, q_words)
    keys = {"times": f"{side} turned by another factor", "shifted": "off by one", "counted": "rows counted",
            "fixed": "fixed position"}
    if q_kind and kinds[0] == kinds[1]:
        words = f"Queries and keys are both turned by {words}."
    elif q_kind and k_kind:
        words = f"Queries are turned by {q_words}, keys by {k_words}."
    elif kind == "times" and words.startswith("2 "):
        keys["times"], words = "turned twice", f"The {side} are turned twice, by {words}."
    elif kind == "shifted":
        words = f"A token's query is turned by {words}, compared with its key."
    else:
        words = f"The {side} are turned by {words}."
    sheet.judge("positions", True, f"wrong for the {side}", keys.get(kind, "positions"), words, BOTH_TURN)


def _same(a, b):
    return np.allclose(a, b, rtol=2e-3, atol=1e-3)
