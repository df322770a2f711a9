"""Which features are a pair, in which order they come out, and how many of them turn."""

import numpy as np

from pe_lib.layouts import feature_pairs

WORDS = {"interleaved": "interleaved pairs", "half": "half-split pairs", "single": "one pair"}
TOO_WIDE = "half of full width"


def name_pairs(turns, dim):
    """The layout, or None where it is none that is known here; "single" where one pair turns, which has no layout."""
    pairs, width = turns.inputs, turns.inputs.size
    for layout in ("interleaved", "half"):
        if np.array_equal(pairs, pairs.min() + feature_pairs(width, layout)):
            return layout if width > 2 else "single"
    return TOO_WIDE if np.array_equal(pairs, feature_pairs(dim, "half")[: len(pairs)]) else None


def judge_pairs(turns, law, asked, notes):
    """Layout and width go into the convention, or are blamed where they fit none that is known, or not the one asked for."""
    if turns.mixed:
        notes.find("pairs turn as one", False, "each row of a pair has an angle of its own")
    elif not _only_one(turns, law, asked, notes):
        turned = turns.rotation or turns.growing
        count = "1 pair" if len(turns.inputs) == 1 else f"{len(turns.inputs)} pairs"
        notes.find("pairs turn as one", turned, f"{count}, {'each by one angle' if turned else 'not by rotations'}")
        layout, slow_ones_stand = _judge_cut(turns, law, asked, notes)
        _judge_layout(turns, layout, asked, notes)
        _judge_order(turns, layout, asked, notes)
        _judge_width(turns, slow_ones_stand, asked, notes)


def _only_one(turns, law, asked, notes):
    """One pair of many, the fastest: all other frequencies have become 0. In a narrow head it may be meant so."""
    dim, (a, b) = asked["dim"], turns.inputs[0]
    one = len(turns.inputs) == 1 and a == 0 and asked["rotary_dim"] != 2 and law is not None and abs(law.speeds[0]) == 1
    if not one or dim == 2 or dim <= 8 and b == a + 1:
        return False
    notes.find("layout", False, f"({a}, {b}) alone turns")
    notes.blame("frequencies cut to integers", f"Of {dim // 2} pairs only ({a}, {b}) turns, 1 radian a position: frequencies below 1 "
                f"have become 0.", f"keep inv_freq in floats; an integer dtype has crept in. (If 2 of {dim} features are meant to "
                "turn, say rotary_dim=2.)")
    return True


def _judge_cut(turns, law, asked, notes):
    """The layout, where frequencies made for the full width are cut off; and whether the slow pairs stand on purpose."""
    layout, dim, count = name_pairs(turns, asked["dim"]), asked["dim"], len(turns.inputs)
    if law is None or law.key != "sliced frequencies" or asked["rotary_dim"] and layout != TOO_WIDE:
        return layout, False
    if not asked["rotary_dim"] and dim >= 8 and len(turns.still) == 2:
        law.key = ""
        notes.blame("a pair left out", f"Features {turns.still[0, 0]} and {turns.still[1, 0]} do not turn: {count} of {count + 1} "
                    "pairs do.", f"the pairs are m = 0 ... {dim // 2 - 1}: look for a loop or a slice that ends one too early.")
        return "half" if layout == TOO_WIDE else layout, False
    if layout == TOO_WIDE:
        law.key = ""
        return "half", True
    return layout, False


def _judge_layout(turns, layout, asked, notes):
    dim, width = asked["dim"], turns.inputs.size
    example = ", ".join(f"({a}, {b})" for a, b in turns.inputs[:2].tolist()) + (" ..." if width > 4 else "")
    other = layout in ("interleaved", "half") and asked["layout"] not in (None, layout)
    other = other and np.array_equal(turns.inputs, turns.outputs)  # else the order is blamed
    named = f": {layout}" if layout in ("interleaved", "half") else ""
    notes.find("layout", False if layout in (None, TOO_WIDE) or other else True if asked["layout"] else None, example + named)
    if layout in WORDS:
        notes.convention["pairs"] = f"{WORDS[layout]} ({turns.inputs[0, 0]}, {turns.inputs[0, 1]})"
    elif layout == TOO_WIDE:
        notes.blame("partner at half the full width", f"{width} features turn, and the partner of feature 0 is feature {dim // 2}, "
                    f"half of all {dim}; half of the {width} that turn would be feature {width // 2}. (If slow pairs stand on "
                    "purpose, as in p-RoPE, say base=.)",
                    "cut out the rotary features first, x[..., :rotary_dim], and halve those.")
    else:
        notes.blame("unknown pairs", f"A rotation, but of pairs {example}, a layout that no model known here has.",
                    "pairs are (0, 1), (2, 3), ... or (0, d/2), (1, d/2 + 1), ...: look for a flip, a roll or a wrong reshape.")
    if other:
        notes.blame("other layout", f"The pairs are {example}: {layout}, not {asked['layout']}.",
                    "reorder the features (`to_half`, `to_interleaved`), or the output features of w_q and w_k, per head.")


def _judge_order(turns, layout, asked, notes):
    """Do the features come back where they were? DeepSeek's order, which scores do not see, is a convention."""
    moved = turns.still[turns.still[:, 0] != turns.still[:, 1]]
    if np.array_equal(turns.inputs, turns.outputs):
        if len(moved):
            notes.blame("output order", f"Features that do not turn come back elsewhere: feature {moved[0, 1]} as {moved[0, 0]}.",
                        "put the parts together in the order they were cut.")
        return
    other = {"interleaved": "half", "half": "interleaved"}.get(layout)
    swapped = other and np.array_equal(turns.outputs, turns.inputs.min() + feature_pairs(turns.inputs.size, other))
    if swapped and layout == "interleaved" and not asked["layout"]:
        notes.convention["pairs"] += f" in, half-split ({turns.outputs[0, 0]}, {turns.outputs[0, 1]}) out, as DeepSeek's"
        return
    words = f"comes in {layout} and goes out {other}" if swapped else "goes out in another order than it came in"
    both = [f"{pair[0]} and {pair[1]}" for pair in (turns.inputs[0], turns.outputs[0])]
    notes.blame("output order", f"x {words}: features {both[0]} come back as {both[1]}, already at position 0.",
                "write each turned feature to its own place: stack and reshape for neighbours, concatenate for halves.")


def _judge_width(turns, slow_ones_stand, asked, notes):
    dim, width, first, wanted = asked["dim"], turns.inputs.size, turns.inputs.min(), asked["rotary_dim"]
    ok = width == wanted if wanted else False if "a pair left out" in notes.keys else None if width < dim else True
    notes.find("features that turn", ok, f"{width} of {dim}")
    which = "the first" if first == 0 else "the last" if first + width == dim else f"from feature {first} on"
    words = f"all {dim} features turn" if width == dim else f"{which} {width} of {dim} features turn"
    if slow_ones_stand:
        words = f"the fastest {width // 2} of {dim // 2} pairs turn (p-RoPE)"
    notes.convention["width"] = words
    if wanted and not ok:
        notes.blame("other width", f"{width} of {dim} features turn, not {wanted}.",
                    "frequencies and cut are both made for rotary_dim: dim/2 frequencies turn all features.")
