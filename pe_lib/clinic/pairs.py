"""Which features are a pair, in which order they come out, and how many of them turn."""

import numpy as np

from pe_lib.layouts import feature_pairs


def name_pairs(turns, dim):
    """(layout, first feature that turns); layout None where it is none that is known here."""
    pairs, first = turns.inputs, int(turns.inputs.min())
    width = pairs.size
    for layout in ("interleaved", "half"):
        if np.array_equal(pairs, first + feature_pairs(width, layout)):
            return layout if width > 2 else "single", first
    if np.array_equal(pairs, feature_pairs(dim, "half")[: len(pairs)]):
        return "half of full width", first
    return None, first


def judge_pairs(turns, dim, law, asked, notes):
    """The layout and the width go into the convention, or are blamed where they fit no known one, or not the one asked for."""
    layout, first = name_pairs(turns, dim)
    if turns.mixed:
        notes.find("pairs turn as one", False, "each row of a pair has an angle of its own")
        return
    width, count = turns.inputs.size, len(turns.inputs)
    example = ", ".join(f"({a}, {b})" for a, b in turns.inputs[:2].tolist())
    if count == 1 and dim > 2 and asked["rotary_dim"] != 2 and law is not None and abs(law.speeds[0]) == 1 and (
            dim > 8 or np.ptp(turns.inputs[0]) > 1):
        notes.find("layout", False, f"{example} alone turns")
        notes.blame("frequencies cut to integers", f"Of {dim // 2} pairs only {example} turns, 1 radian a position: frequencies "
                    "below 1 have become 0.", f"keep inv_freq in floats; an integer dtype has crept in. (If 2 of {dim} are meant to turn, "
                    "say rotary_dim=2.)")
        return
    if dim >= 8 and len(turns.still) == 2 and law is not None and law.key == "sliced frequencies" and not asked["rotary_dim"]:
        law.key = ""
        notes.blame("a pair left out", f"Features {turns.still[0, 0]} and {turns.still[1, 0]} do not turn: {count} of {count + 1} "
                    "pairs do.", f"the pairs are m = 0 ... {dim // 2 - 1}: look for a loop or a slice that ends one too early.")
        layout = layout or "half" if layout != "half of full width" else "half"
    nope = layout == "half of full width" and asked["rotary_dim"] is None and law is not None and law.key == "sliced frequencies"
    if nope:  # the low-frequency pairs of the full rotation are left out on purpose
        law.key, layout = "", "half"
        notes.convention["pairs"] = f"half-split pairs (0, {dim // 2})"
    elif layout in ("interleaved", "half", "single"):
        words = {"interleaved": "interleaved pairs", "half": "half-split pairs", "single": "one pair"}[layout]
        notes.convention["pairs"] = f"{words} ({turns.inputs[0, 0]}, {turns.inputs[0, 1]})"
    elif layout == "half of full width":
        notes.blame("partner at half the full width", f"{width} features turn, and the partner of feature 0 is feature {dim // 2}, "
                    f"half of all {dim}; half of the {width} that turn would be feature {width // 2}.",
                    "cut out the rotary features first, x[..., :rotary_dim], and halve those.")
    else:
        notes.blame("unknown pairs", f"A rotation, but of pairs {example}, ..., a layout that no model known here has.",
                    "pairs are (0, 1), (2, 3), ... or (0, d/2), (1, d/2 + 1), ...: look for a flip, a roll or a wrong reshape.")
    known = layout in ("interleaved", "half")
    turned = turns.rotation or turns.growing
    notes.find("pairs turn as one", turned, f"{count} {'pairs' if count > 1 else 'pair'}, "
               + ("each by one angle" if turned else "not by rotations"))
    ok = False if layout in (None, "half of full width") or known and asked["layout"] not in (None, layout) else None
    notes.find("layout", ok, f"{example}{' ...' if count > 2 else ''}" + (f": {layout}" if known else ""))
    if asked["layout"] and known and layout != asked["layout"]:
        notes.blame("other layout", f"The pairs are {example}, ...: {layout}, not {asked['layout']}.",
                    "reorder the features (`to_half`, `to_interleaved`), or the output features of w_q and w_k, per head.")
    _judge_order(turns, layout, asked, notes)
    _judge_width(dim, width, first, nope, asked["rotary_dim"], notes)


def _judge_order(turns, layout, asked, notes):
    if np.array_equal(turns.inputs, turns.outputs):
        if (turns.still[:, 0] != turns.still[:, 1]).any():
            row, column = turns.still[np.argmax(turns.still[:, 0] != turns.still[:, 1])]
            notes.blame("output order", f"Features that do not turn come back elsewhere: feature {column} as {row}.",
                        "put the parts together in the order they were cut.")
        return
    first, width = int(turns.inputs.min()), turns.inputs.size
    other = {"interleaved": "half", "half": "interleaved"}.get(layout)
    if other and np.array_equal(turns.outputs, first + feature_pairs(width, other)):
        if layout == "interleaved" and not asked["layout"]:
            notes.convention["pairs"] += f" in, half-split ({turns.outputs[0, 0]}, {turns.outputs[0, 1]}) out, as DeepSeek's"
            return
        words = f"comes in {'interleaved' if layout == 'interleaved' else 'half-split'} and goes out {'half-split' if layout == 'interleaved' else 'interleaved'}"
    else:
        words = "goes out in another order than it came in"
    notes.blame("output order", f"x {words}: features {_both(turns.inputs)} come back as {_both(turns.outputs)}, already at "
                "position 0.", "write every turned feature back to its own place: stack and reshape for neighbours, concatenate for halves.")


def _both(pairs):
    return f"{pairs[0, 0]} and {pairs[0, 1]}"


def _judge_width(dim, width, first, nope, wanted, notes):
    ok = width == wanted if wanted else None if width < dim else True
    notes.find("features that turn", ok, f"{width} of {dim}")
    which = "the first" if first == 0 else "the last" if first + width == dim else f"from feature {first} on"
    words = f"all {dim} features turn" if width == dim else f"{which} {width} of {dim} features turn"
    if nope:
        words = f"the fastest {width // 2} of {dim // 2} pairs turn (p-RoPE)"
    notes.convention["width"] = words
    if ok is False:
        notes.blame("other width", f"{width} of {dim} features turn, not {wanted}.",
                    "frequencies and cut are both made for rotary_dim: dim/2 frequencies turn all features.")
