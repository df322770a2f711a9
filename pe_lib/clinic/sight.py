"""The side ahead in an ALiBi table: hidden by a mask, or treated in one of several ways."""

import numpy as np

from pe_lib.biases import relative_positions


def examine_mask(sheet, table, n, causal):
    """Which keys are hidden; True if all those ahead are."""
    relative, seen = relative_positions(n), table.seen
    if seen.all():
        sheet.find("mask", None, "none included")
        return False
    reach = max((c for c in range(1 - n, n) if np.array_equal(seen, relative <= c)), default=None)
    width = next((w for w in range(1, n) if np.array_equal(seen, (relative <= 0) & (relative > -w))), None)
    figure = "keys ahead are hidden" if reach == 0 else "keys ahead and far behind are hidden" if width else "hides other keys"
    good = reach == 0 or (width and width > 1)
    if causal is False and good:
        good, words = False, "It hides every key ahead of its query; asked for is the form for an encoder, which looks both ways."
    elif np.array_equal(seen, relative >= 0) or np.array_equal(seen, relative > 0):
        words = "The mask is upside down: it hides the keys behind and shows those ahead."
    elif reach is not None and reach < 0:
        words = f"The mask is {-reach} too strict: a query must at least see its own token."
    elif reach is not None:
        words = f"The mask is {reach} too loose: a query sees {reach} of the keys ahead of it."
    else:
        i, j = np.argwhere(seen != (relative <= 0))[0]
        words = f"The mask is not causal: query {i} {'sees' if seen[i, j] else 'does not see'} key {j}."
    sheet.judge("mask", not good, figure, "mask", words, "Key j is hidden from query i (of as many) if and only if j > i.")
    if good:
        sheet.name(f"the causal mask is included{'' if width is None or reach == 0 else f', and a window of {width} tokens'}")
    return bool(reach == 0 or width)


def examine_ahead(sheet, table, slopes, causal):
    """What the keys ahead get, where no mask is included: "symmetric", "rising", "flat" or "other"."""
    steps = np.diff(table.values, axis=-1)
    ahead = np.isfinite(steps) & (relative_positions(table.seen.shape[0])[:, 1:] > 0)
    kinds = {"symmetric": -slopes, "rising": slopes, "flat": 0 * slopes}
    close = {
        name: all(np.allclose(head[mask], want, atol=0.08 * abs(fall), rtol=0)
                  for head, mask, want, fall in zip(steps, ahead, wanted, slopes))
        for name, wanted in kinds.items()
    }
    kind = next((name for name, fits in close.items() if fits), "other")
    words = {
        "symmetric": "are treated as those behind",
        "rising": "gain with distance" if (slopes > 0).all() else "lose with distance",
        "flat": "all get the same", "other": "follow another rule",
    }[kind]
    faulty = causal is False and kind != "symmetric"
    sheet.judge(
        "keys ahead", faulty, words, "keys ahead",
        f"Keys ahead of the query {words}: without a causal mask the query would look there first.",
        "For an encoder use minus the slope times |key - query|; for a decoder add a causal mask.",
    )
    if kind == "symmetric":
        sheet.name("the same on both sides, minus slope times |key - query|: right with a causal mask and without one")
    elif not faulty:
        sheet.name("no mask included, and right only where a causal mask is added: keys ahead " + words)
    return kind
