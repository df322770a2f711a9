"""What q·k is multiplied by, and what that is the root of."""

import numpy as np

from pe_lib.clinic.notes import number
from pe_lib.yarn import attention_factor


def judge_scale(sheet, scale, law, dim, n, wanted, normed=False):
    """The measured factor of q·k against the wanted one (None: 1/sqrt(dim)); law: that of the frequencies, which may ask for a
    factor of its own; normed: q and k have one length, and the factor is that of their cosine."""
    if normed:
        return _of_a_cosine(sheet, scale, dim, wanted)
    wanted = dim**-0.5 if wanted is None else wanted
    ratio = scale / wanted
    if law is not None and law.parts and abs(ratio / attention_factor(law.parts[2]) ** 2 - 1) < 1e-3:
        sheet.find("scale", True, f"{number(scale)}, {number(ratio)} times 1/sqrt({dim})")
        sheet.name(f"scores times {number(ratio)}, the square of YaRN's attention factor")
        return
    sheet.judge("scale", abs(ratio - 1) > 3e-3, f"{number(scale)}, wanted {number(wanted)}", "scale",
                *_words(scale, ratio, dim, n, wanted))


def _of_a_cosine(sheet, scale, dim, wanted):
    """With query-key norm the scale is a choice, unless it was asked for."""
    root = abs(scale * dim**-0.5 - 1) < 3e-3
    if wanted is None or min(abs(scale / wanted - 1), abs(scale / wanted / dim - 1)) < 3e-3:
        sheet.find("scale", True, f"{number(scale)} times the cosine")
        sheet.name(f"scores are {number(scale)} times the cosine of q and k" + (f", as with a root mean square of 1 and 1/sqrt({dim})"
                                                                              if root else ""))
        if abs(scale) < 1:
            sheet.remarks.append(f"No score exceeds {number(scale, 3)}, so all weights are nearly equal: with normalised q and k the "
                                 "scale is usually learned, or about 10.")
        return
    sheet.judge("scale", True, f"{number(scale)} times the cosine, wanted {number(wanted)}", "scale",
                f"The cosine of q and k is multiplied by {number(scale)}, not by {number(wanted)}.",
                "Multiply the cosine by the scale of the model, once.")


def _words(scale, ratio, dim, n, wanted):
    cases = {1.0: "the scores are not divided at all", 1 / dim: f"they are divided by {dim}, that is by sqrt({dim}) twice",
             dim**0.5: f"they are multiplied by sqrt({dim}), not divided", (dim / 2) ** -0.5:
             f"that is the root of the {dim // 2} pairs",
             n**-0.5: f"that is the root of the {n} tokens", dim**-0.25:
             f"only one of q and k is divided by the fourth root of {dim}"}
    two = np.log(2)
    cases |= {wanted * two: "ln 2 times as much: the softmax takes powers of 2, not of e", wanted / two:
              "divided by ln 2 once too often: that belongs to a softmax of powers of 2", -wanted:
              "the sign is turned, and the most similar keys get the least weight"}
    why = next((words for value, words in cases.items() if abs(scale / value - 1) < 3e-3),
               f"as for a width of {number(scale**-2)}")
    stretch = np.exp(10 * (abs(ratio)**0.5 - 1)) if ratio > 0 else 0
    if 1.5 < stretch < 200 and abs(stretch / round(stretch) - 1) < 5e-3:
        why = (f"that is YaRN's attention factor for a stretch by {round(stretch)}, squared, and if it is meant, say scale=… "
               "to the clinic")
    words = f"q·k is multiplied by {number(scale)}, not by {number(wanted)}: {why}."
    return words, f"Divide q·k by the root of the width of one head, sqrt({dim}), once."
