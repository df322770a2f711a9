"""ALiBi measured: the fall with distance and decoding. The side ahead is in `ahead`, far keys in `far`, slopes in `slopes`."""

import numpy as np

from pe_lib.biases import relative_positions
from pe_lib.clinic.bias.ahead import examine_ahead, examine_heads, examine_mask
from pe_lib.clinic.bias.far import LENGTHS, MANY, examine_far
from pe_lib.clinic.bias.slopes import examine_slopes
from pe_lib.clinic.bias.tables import ask_twice, asker, differ, one_length
from pe_lib.clinic.notes import number
from pe_lib.clinic.sheet import Unusable, size

LONGER = 4  # so many keys more, to see whether the slopes are the same


def examine_alibi(sheet, bias, heads, causal):
    n = 9 if heads != 9 else 10
    ask, short = asker(bias), one_length(bias)
    table = ask_twice(ask, n, n, heads)
    _shape(sheet, table, heads)
    first = table
    table, serves = examine_heads(sheet, table, causal)
    masked = not serves or examine_mask(sheet, table, n, causal)
    slopes = _fall(sheet, table)
    if slopes is None:
        return
    ahead = "hidden" if masked else examine_ahead(sheet, table, slopes, causal)
    times = _steady(sheet, ask, slopes, n, heads) if serves else 1
    examine_slopes(sheet, np.abs(slopes) * times, heads, judged=not table.one_head or heads == 1, halves=not serves)
    if not serves:
        sheet.find("decoding", None, "no form for a decoder")
    elif short:
        sheet.find("decoding", None, "takes one length: as many queries as keys, so it cannot serve a cache")
    if serves and times == 1 and (short or _decoding(sheet, ask, slopes, heads, ahead)):
        examine_far(sheet, lambda many: ask(many if short else 1, many, heads), slopes, 512 if short else MANY)
    own = np.diagonal(table.values, axis1=1, axis2=2)
    if np.abs(np.nan_to_num(own)).max() > 1e-9:
        sheet.name("a token's own key does not get 0: each row is shifted by a constant, which the softmax does not see")
    _afterwards(sheet, ask, first, n, heads)


def _afterwards(sheet, ask, table, n, heads):
    """Once more what was asked first: did the calls between leave anything behind?"""
    difference = differ(table, ask(n, n, heads))
    if difference:
        sheet.judge(
            "the same again", True, "another table after calls for other lengths", "remembers earlier calls",
            f"After calls for other lengths, {n} queries and {n} keys get another table than at first{difference}.",
            "Whatever is kept between calls must be asked for by length, and never be written into.",
        )


def _steady(sheet, ask, slopes, n, heads):
    """By how much the slopes are to be multiplied because they are divided by the number of keys; 1 if they are not."""
    try:
        other = ask(n + LONGER, n + LONGER, heads)
    except Unusable:
        return 1
    steps = np.diff(other.values, axis=-1)
    behind = np.isfinite(steps) & (relative_positions(n + LONGER)[:, 1:] <= 0)
    if "mask" in sheet.keys or other.values.shape[0] != slopes.size or not behind.any(axis=(1, 2)).all():
        return 1
    later = np.array([np.median(head[mask]) for head, mask in zip(steps, behind)])
    falls = np.abs(slopes) > 1e-12
    ratio = later[falls] / slopes[falls]
    if np.abs(ratio - 1).max() < 0.02 or np.ptp(ratio) > 0.02 or (ratio <= 0).any():
        return 1
    by_length = np.abs(ratio - n / (n + LONGER)).max() < 0.02
    words = (f"Head 0 falls by {number(slopes[0])} a token with {n} keys and by {number(later[0])} with {n + LONGER}"
             f"{': the slopes are divided by the number of keys' if by_length else ''}.")
    sheet.judge("same slope at any length", True, f"{number(ratio[0])} times with {n + LONGER} keys", "slope follows the length",
                words, "A slope is a fixed number of its head; multiply it by the plain distance, not by its share of the row.")
    return n if by_length else np.nan


def _shape(sheet, table, heads):
    count = table.values.shape[0]
    if table.one_head:
        sheet.find("shape", True, "one table, (n_query, n_key)")
        sheet.name("one table for one head")
        return
    sheet.judge(
        "shape", count != heads, f"{count} tables, one a head" if count > 1 else "one table, of one head", "number of heads",
        f"It returns {count} tables for {heads} heads.",
        "Give every head a table of its own; if the function is for another number of heads, say heads=… to the clinic.",
    )


def _fall(sheet, table):
    """The slope of each head: how much a score falls with each token of distance behind; None if there is no one slope."""
    steps = np.diff(table.values, axis=-1)
    behind = np.isfinite(steps) & (relative_positions(table.seen.shape[0])[:, 1:] <= 0)
    if not behind[0].any():
        sheet.find("falls with distance", None, "to be measured once the mask is mended: no query sees two keys behind it")
        return None
    slopes = np.array([np.median(head[mask]) for head, mask in zip(steps, behind)])
    largest = np.abs(slopes).max()
    if largest < 1e-12 and np.abs(steps[behind]).max() < 1e-9:
        _flat(sheet, table)
        return None
    both = np.array([(head[mask] > 0).any() and (head[mask] < 0).any() for head, mask in zip(steps, behind)])
    rising = ((slopes < 0) & ~both).sum()
    if both.any() and not rising:
        sheet.find("falls with distance", None, f"rises and falls in {both.sum()} of {both.size} heads")
    else:
        sheet.judge(
            "falls with distance", rising > 0, "it rises" if rising else f"by {number(abs(slopes[0]))} a token in head 0", "sign",
            f"In {rising} of {slopes.size} heads a key gains with distance: head {int(np.argmax((slopes < 0) & ~both))} adds "
            f"{number(-slopes[np.argmax((slopes < 0) & ~both)])} a token.",
            "What lies behind has a negative key - query: multiply the slope by key - query, or by minus the distance.",
        )
    return None if _bent(sheet, table, steps, slopes, behind, both.any()) else slopes


def _bent(sheet, table, steps, slopes, behind, both):
    """Are the steps of different size?"""
    off = np.where(behind, np.abs(steps - slopes[:, None, None]), 0)
    bent = off.max(axis=(1, 2)) > 0.08 * np.abs(slopes) + 1e-12
    head, i, j = (int(index) for index in np.unravel_index(off.argmax(), off.shape))
    step, verb = float(steps[head, i, j]), "lowers" if steps[head, i, j] >= 0 else "raises"
    words = (f"In head {head} the step to distance {i - j} {verb} the score of query {i} by {number(abs(step))}; the median step "
             f"is {number(slopes[head])}. ALiBi falls by the same amount with each token.")
    remedy = "Multiply the slope by the plain distance: no square, no logarithm, no rounding."
    if both:
        remedy = "ALiBi is a slope times the distance. A learned table, as T5's, is examined by its bucket function, kind='t5'."
    key = "not linear"
    if bent.any() and _factors(table, behind):
        key, one = "factors", number(table.values[0, 1, 0])
        words = f"These are factors, exp(bias), and not the bias: {one} at distance 1 in head 0."
        remedy = "Leave the exponential out: the bias is added to the scores, and the softmax takes the exponential of both."
    sheet.judge("in equal steps", bent.any(), f"largest difference of two steps {size(off.max())}", key, words, remedy)
    return bool(bent.any())


def _factors(table, behind):
    """Do the logarithms fall in equal steps?"""
    with np.errstate(all="ignore"):
        steps = np.diff(np.log(table.values), axis=-1)
    own = np.diagonal(table.values, axis1=1, axis2=2)
    even = [np.allclose(head[mask], np.median(head[mask]), rtol=0.02) for head, mask in zip(steps, behind)]
    return bool(np.allclose(own, 1) and all(even))


def _flat(sheet, table):
    down = np.abs(np.diff(table.values, axis=1))
    down = down[np.isfinite(down)]
    if down.size and down.max() > 1e-9:
        words = "Each row holds one number: the bias runs along the queries, and the softmax of a row does not see it."
        remedy = "The bias must differ from key to key, along the last axis: the position to use is the key's, or key - query."
    else:
        words = "Nothing is left of the distance: each row of the table is constant, so no key is favoured."
        remedy = "Add slope times (key - query) to the mask, in floats: integers cut the slopes to 0, and a mask of 0 wipes them out."
    sheet.judge("falls with distance", True, "constant along the keys", "no distance", words, remedy)


def _decoding(sheet, ask, slopes, heads, ahead):
    """A few new queries on a cache are the last positions, so their rows are the last of the whole table. True if they are."""
    for n_query, n_key in ((1, 6), (3, 7)):
        try:
            table = ask(n_query, n_key, heads)
            words = _misplaced(table, slopes, n_query, n_key, ahead)
        except Unusable as unusable:
            words = str(unusable)
        if words:
            sheet.judge(
                "decoding", True, f"{n_query} new of {n_key} tokens: misplaced", "decoding", words,
                "With a cache query i stands at position i + n_key - n_query: count from the last key.",
            )
            return False
    return sheet.find("decoding", True, "new queries stand at the last keys")


def _misplaced(table, slopes, n_query, n_key, ahead):
    """What is wrong with the rows of the last queries, in words, or None."""
    relative = relative_positions(n_query, n_key)
    given = f"With {n_query} new quer{'y' if n_query == 1 else 'ies'} and {n_key} keys"
    wrong = (relative > 0) & table.seen | (relative == 0) & ~table.seen
    if ahead == "hidden" and wrong.any():
        i, j = np.argwhere(wrong)[0]
        sight = "sees" if table.seen[i, j] else "does not see"
        return (f"{given}, query {i}, which stands at key {i + n_key - n_query}, {sight} key {j}: the mask is not aligned "
                "bottom-right.")
    steps, fall = np.diff(table.values, axis=-1), slopes[:, None, None]
    behind = np.isfinite(steps) & (relative[:, 1:] <= 0)
    off = np.where(behind, np.abs(steps - fall), 0) > 0.08 * np.abs(fall) + 1e-12
    if not off.any():
        return None
    head = int(np.argmax(off.any(axis=(1, 2))))
    i = int(np.argmax(off[head].any(axis=-1)))
    row = table.values[head, i]
    if np.nanmax(row) - np.nanmin(row) < 1e-12:
        return f"{given}, query {i} gets the same bias for every key: nothing is left of the distance."
    favoured, own = int(np.nanargmax(row * np.sign(slopes[head]))), i + n_key - n_query
    if favoured == own:
        loss = number(np.nanmedian(steps[head, i, :own]))
        return (f"{given}, query {i} loses {loss} with each token of distance in head {head}; with as many queries as keys it is "
                f"{number(slopes[head])}.")
    return f"{given}, query {i} favours key {favoured} most; it stands at key {own}."

