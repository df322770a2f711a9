"""The side ahead in an ALiBi table: hidden by a mask, or treated in one of several ways."""

import numpy as np

from pe_lib.biases import relative_positions
from pe_lib.clinic.notes import number


def examine_heads(sheet, table, causal):
    """(table for what follows, may it serve a decoder?): heads that hide different keys, by design or not."""
    relative = relative_positions(table.seen.shape[0])
    hidden = table.hidden & ~table.hidden.all(axis=-1, keepdims=True)
    if not (hidden.any(axis=0) & ~hidden.all(axis=0)).any():
        return table, True
    back, forth = [(hidden == side).all(axis=(1, 2)) for side in (relative > 0, relative < 0)]
    values = np.where(hidden, np.nan, table.values)
    if (back | forth).all() and causal is not True:
        sheet.name(f"an encoder's form: {back.sum()} heads look back alone and {forth.sum()} ahead alone, head 0 "
                   f"{'back' if back[0] else 'ahead'}")
        values[forth] = values[forth][:, ::-1, ::-1]
        return table._replace(values=values, seen=relative <= 0), False
    reach = relative_positions(table.seen.shape[0])[-1].min()
    widths = [next((w for w in range(2, 2 - reach) if np.array_equal(head, (relative > 0) | (relative <= -w))), 0)
              for head in hidden]
    if all(widths):
        sheet.name(f"windows of {min(widths)} to {max(widths)} tokens or more, by head")
        return table._replace(values=values), True
    _blame_heads(sheet, hidden)
    return table._replace(values=values), True


def _blame_heads(sheet, hidden):
    i, j = (int(index) for index in np.argwhere(hidden.any(axis=0) & ~hidden.all(axis=0))[0])
    which = hidden[:, i, j]
    sheet.judge(
        "one mask for all heads", True, "not so", "mask",
        f"In {which.sum()} of {which.size} heads key {j} is hidden from query {i}, as in head {which.argmax()}; in the others, as "
        f"in head {which.argmin()}, it is not.", "Add one mask to all heads: (n_query, n_key), broadcast over the heads.",
    )


def examine_mask(sheet, table, n, causal):
    """Which keys are hidden; True if all those ahead are."""
    relative, seen = relative_positions(n), table.seen
    if "mask" in sheet.keys:
        return False
    if seen.all():
        sheet.find("mask", None, "none included")
        return False
    reach = max((c for c in range(1 - n, n) if np.array_equal(seen, relative <= c)), default=None)
    width = next((w for w in range(1, n) if np.array_equal(seen, (relative <= 0) & (relative > -w))), None)
    design = None if reach == 0 or width else _design(seen, relative)
    figure = ("keys ahead are hidden" if reach == 0 else "keys ahead and far behind are hidden" if width else
              design or "hides other keys")
    good = reach == 0 or (width and width > 1) or design
    remedy = "With as many queries as keys, hide key j from query i where j > i, and nowhere else."
    if causal is False and good:
        good, words = False, "It hides keys ahead of the query; asked for is the form for an encoder, which looks both ways."
        remedy = "Leave the mask out, and take minus the slope times |key - query| on both sides."
    else:
        words = _what_is_hidden(table, relative, reach)
    sheet.judge("mask", not good, figure, "mask", words, remedy)
    if good:
        more = f", with {design}" if design else f", and a window of {width} tokens" if width and reach != 0 else ""
        sheet.name(f"the causal mask is included{more}")
    return bool(reach == 0 or width or design)


def _design(seen, relative):
    """The name of a mask that is made so on purpose: a prefix, chunks, or a window with first tokens that all see."""
    n, back = len(seen), relative <= 0
    key = np.arange(n)
    forms = {f"a prefix of {p} tokens that all see": back | (key < p) for p in range(2, n)}
    forms |= {f"chunks of {c} tokens": back & (key[:, None] // c == key // c) for c in range(2, n)}
    forms |= {f"a window of {w} tokens and the first {s} always": back & ((relative > -w) | (key < s))
              for w in range(2, n) for s in range(1, n - w)}
    return next((name for name, form in forms.items() if np.array_equal(seen, form)), None)


def _what_is_hidden(table, relative, reach):
    """The mask in words, where it is not causal."""
    seen = table.seen
    if np.array_equal(seen[:-1], (relative > 0)[:-1]) and seen[-1].all():
        best = float(np.nanmax(table.values[:, 0, 1:]))
        return f"Keys ahead are raised to {number(best)}, where a mask lowers them: a query sees nothing else."
    if np.array_equal(seen, relative >= 0) or np.array_equal(seen, relative > 0):
        return ("The mask is upside down: it hides the keys behind and shows those ahead. A table with queries and keys "
                "exchanged looks the same.")
    if reach is not None and reach < 0:
        return f"The mask is {-reach} too strict: a query must at least see its own token."
    if reach is not None:
        return f"The mask is {reach} too loose: a query sees {reach} of the keys ahead of it."
    i, j = np.argwhere(seen != (relative <= 0))[0]
    return f"The mask is not causal: query {i} {'sees' if seen[i, j] else 'does not see'} key {j}."


def examine_ahead(sheet, table, slopes, causal):
    """What the keys ahead get, where no mask is included: "symmetric", "rising", "flat" or "other"."""
    steps = np.diff(table.values, axis=-1)
    kind = _kind_ahead(steps, slopes)
    words = {
        "symmetric": "are treated as those behind",
        "rising": "gain with distance" if (slopes >= 0).all() else "lose with distance",
        "flat": "all get the same", "other": "follow another rule than those behind",
    }[kind]
    if np.isfinite(steps).all():
        middle = steps.shape[1] // 2
        sheet.judge(
            "keys ahead", causal is False and kind != "symmetric", words, "keys ahead",
            f"Keys ahead of the query {words}: with the query's own key at 0, the next ahead gets "
            f"{number(steps[0, middle, middle])} in head 0 and the next behind {number(-steps[0, middle, middle - 1])}. An encoder "
            "treats both sides alike.",
            "For an encoder use minus the slope times |key - query|; for a decoder add a causal mask.")
    if kind == "symmetric" and not {"sign", "mask"} & set(sheet.keys):
        sheet.name("the same on both sides, minus slope times |key - query|: right with a causal mask and without one")
    elif causal is not False and not {"sign", "mask"} & set(sheet.keys):
        sheet.name("no mask included, and right only where a causal mask is added: keys ahead " + words)
    return kind


def _kind_ahead(steps, slopes):
    ahead = np.isfinite(steps) & (relative_positions(steps.shape[1])[:, 1:] > 0)
    kinds = {"symmetric": -slopes, "rising": slopes, "flat": 0 * slopes}
    for name, wanted in kinds.items():
        if all(np.allclose(head[mask], want, atol=0.08 * abs(fall) + 1e-12, rtol=0)
               for head, mask, want, fall in zip(steps, ahead, wanted, slopes)):
            return name
    return "other"
