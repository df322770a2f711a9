"""The checks of chapter 4: a decoder's ALiBi, T5's buckets both ways, a bias that no content overrules."""

import numpy as np

from pe_lib.attention import causal_mask, softmax
from pe_lib.teach.checks.compare import COARSE, TOLERANCE
from pe_lib.teach.checks.exercise import exercise

STARTS = (0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91)     # the first distance in each of 16 buckets, up to 128


def alibi_by_loop(n, heads):
    """The specification, one number at a time: n tokens, a power of two of heads -> (heads, n, n)."""
    bias = np.full((heads, n, n), -np.inf)
    for h in range(heads):
        for i in range(n):
            for j in range(i + 1):
                bias[h, i, j] = 2.0 ** (-8 * (h + 1) / heads) * (j - i)
    return bias


def alibi_form(n, heads, slopes=None, table=None, mask=None):
    """ALiBi with other slopes, another table to multiply, or another mask."""
    slopes = 2.0 ** (-8 * np.arange(1, heads + 1) / heads) if slopes is None else slopes
    relative = np.arange(n) - np.arange(n)[:, None]
    return slopes[:, None, None] * (relative if table is None else table) + (causal_mask(n) if mask is None else mask)


def _relative(n):
    return np.arange(n) - np.arange(n)[:, None]


# hint -> what the mistake gives
CLASSIC_ALIBI = {
    "Far keys gain here. What lies behind has a negative j − i: slope times j − i falls with distance, slope times i − j rises.":
        lambda n, heads: alibi_form(n, heads, table=-_relative(n)),
    "The first slope is 1, so heads were counted from 0 in the exponent. In the formula h runs from 1 to H: the first is 2^(−8/H).":
        lambda n, heads: alibi_form(n, heads, slopes=2.0 ** (-8 * np.arange(heads) / heads)),
    "These are the slopes 1/2, 1/4, … of 8 heads. The ratio depends on the number of heads: 2^(−8/H).":
        lambda n, heads: alibi_form(n, heads, slopes=2.0 ** -np.arange(1.0, heads + 1)),
    "Every head has the same slope. Where should h enter?": lambda n, heads: alibi_form(n, heads, slopes=np.full(heads, 2.0 ** (-8 / heads))),
    "The heads come in the opposite order: the steepest is the first.":
        lambda n, heads: alibi_form(n, heads, slopes=2.0 ** (-8 * np.arange(heads, 0, -1) / heads)),
    "This is slope times j. Each row differs from the target by one constant, so the weights are the same (claim 4.5), and the "
    "decoder works. But this exercise wants 0 on the diagonal.": lambda n, heads: alibi_form(n, heads, table=np.arange(n)),
    "The distance has no effect here. Was the mask multiplied? It is added: 0 changes nothing, −inf hides.":
        lambda n, heads: alibi_form(n, heads, slopes=np.zeros(heads)),
    "The diagonal is masked as well: a query may look at itself.":
        lambda n, heads: alibi_form(n, heads, mask=np.where(_relative(n) < 0, 0.0, -np.inf)),
}


def _hint_ahead(bias):
    """What may have been meant by a table, (heads, n, n), whose entries ahead of the query are not all −inf."""
    ahead, behind = bias[:, _relative(bias.shape[-1]) > 0], bias[:, _relative(bias.shape[-1]) < 0]
    if np.isnan(bias).any():
        return "Add a causal mask; it must not be multiplied."
    if np.isposinf(ahead).any():
        return "+∞ would take all the weight. What hides a key is −inf: e to the −inf is 0."
    if behind.max() < -1000 < ahead.min():
        return "You have hidden what lies behind: rows are queries, so row i may look at columns 0 to i. Turn the mask over its diagonal."
    if ahead.max() < -1000:
        return "A large negative number is finite: a row in which everything is hidden would still share out its weight. Use −np.inf."
    if (ahead == 0).all():
        return "A 0 hides nothing: it says “no handicap”. To be added to the scores, a mask must be −inf."
    if np.allclose(bias, np.swapaxes(bias, -1, -2)):
        return "This is the form for looking both ways. A decoder must not look ahead."
    if np.allclose(ahead, -behind[:, ::-1]) or (ahead > 0).all():
        return "Ahead of the query your numbers are above 0: they reward what must not be seen. Add a causal mask."
    return "Row i is query i: all its entries to the right of column i must be −inf. `causal_mask(n)` added to the table makes them so."


@exercise("4.1", praise="Mask and distance in one table: this is what such models add to their scores, in every layer, and there is "
          "nothing in it to learn.")
def check_decoder_alibi(attempt):
    """n, heads (a power of two) -> (heads, n, n): slope times j − i, and −inf ahead of the query."""
    bias = attempt(5, 4, shape=(4, 5, 5))
    ahead = bias[:, _relative(5) > 0]
    attempt.holds("no query looks ahead: the bias is −inf where j > i", np.isneginf(ahead).all(), found=f"an entry there is {ahead.max():.4g}.",
                  hint=_hint_ahead(bias))
    attempt.holds("the bias has at least single precision", bias.dtype != np.float16, found="it is float16.", hint=COARSE)
    attempt.agrees("the bias equals the loop", alibi_by_loop, [(5, 4), (3, 8), (1, 1), (20, 2), (6, 16)],
                   hint="Print one head's table: 0 on the diagonal, minus one slope beside it.", classics=CLASSIC_ALIBI)


def buckets_by_loop(relative):
    """The specification, one number at a time: how many buckets of its side begin at or before this distance."""
    found = np.zeros(relative.shape, dtype=int)
    for index, r in np.ndenumerate(relative):
        found[index] = sum(start <= abs(r) for start in STARTS) - 1 + (16 if r > 0 else 0)
    return found


def _log_buckets(distance, exact, wide, far=128, step=np.floor, most=np.inf, base=None):
    share = np.log(np.maximum(distance, 1) / exact) / np.log(far / exact if base is None else base)
    return np.where(distance < exact, distance, np.minimum(exact + step(share * wide), most)).astype(int)


def _one_more(share):
    return np.floor(share) + 1


def _both_ways(one_side, ahead=lambda r: r > 0):
    return lambda r: one_side(abs(r)) + 16 * ahead(r)


CLASSIC_BUCKETS = {
    "Behind and ahead are exchanged. Relative is key minus query, so a positive one is ahead, and ahead is the upper half.":
        _both_ways(lambda t: _log_buckets(t, 8, 8, most=15), ahead=lambda r: r < 0),
    "Both directions share the lower half here, so the head cannot tell before from after. Keys ahead get 16 more.":
        lambda r: _log_buckets(abs(r), 8, 8, most=15),
    "Each side still has 16 exact buckets. It has 16 buckets in all: 8 exact and 8 wide ones.":
        _both_ways(lambda t: _log_buckets(t, 16, 16, most=31)),
    "Far keys run past the last bucket of their side, and a far key behind lands among the keys ahead. Take the smaller of bucket and 15.":
        _both_ways(lambda t: _log_buckets(t, 8, 8)),
    "The share was rounded to the nearest whole number; a bucket counts whole steps, so round down.":
        _both_ways(lambda t: _log_buckets(t, 8, 8, step=np.round, most=15)),
    "The share was rounded up; a bucket counts whole steps, so round down.":
        _both_ways(lambda t: _log_buckets(t, 8, 8, step=np.ceil, most=15)),
    "Distance 8 has a bucket to itself here, and the wide ones begin at 9. Only 0 to 7 are exact: the first wide bucket is number 8, for distances 8 to 11.":
        _both_ways(lambda t: np.where(t <= 8, t, _log_buckets(t, 8, 8, step=_one_more, most=15))),
    "The wide buckets are numbered one too high: at distance 8 the share is 0, so the bucket is 8 + 0.":
        _both_ways(lambda t: _log_buckets(t, 8, 8, step=_one_more, most=15)),
    "Keys ahead begin one bucket too low, so bucket 16 is in use. Each side has 16 numbers, 0 to 15: keys ahead get 16 more, not 15.":
        lambda r: _log_buckets(abs(r), 8, 8, most=15) + 15 * (r > 0),
    "This is the decoder’s rule, used on both sides: 16 exact buckets, numbers up to 31, and nothing tells before from after. Here a side has "
    "16 buckets in all, 8 of them exact, and keys ahead get 16 more.": lambda r: _log_buckets(abs(r), 16, 16, most=31),
    "This is the decoder’s form: all keys ahead share bucket 0. In an encoder they have 16 buckets of their own.":
        lambda r: _log_buckets(np.maximum(-r, 0), 16, 16, most=31),
    "Relative position 0 has landed ahead, in bucket 16. The query's own place counts as behind: bucket 0.":
        _both_ways(lambda t: _log_buckets(t, 8, 8, most=15), ahead=lambda r: r >= 0),
    "The wide buckets grow too slowly: the whole way from 8 to 128 is a factor 128/8 = 16, so divide by log 16, not by log 128.":
        _both_ways(lambda t: _log_buckets(t, 8, 8, most=15, base=128)),
}


@exercise("4.2", praise="31 of the 32 numbers are in use: no offset falls into bucket 16, since only 0 could.")
def check_buckets_both_ways(attempt):
    """relative, any shape of integers -> the bucket of each, 0 to 31, for keys on both sides of the query."""
    line = np.arange(-200, 201)
    attempt(line, shape=line.shape)
    attempt.agrees("the buckets equal the loop", buckets_by_loop, [(np.array([-200, -16, -9, 0, 8, 20]),), (line,)], classics=CLASSIC_BUCKETS,
                   hint="Print the distances at which a new bucket begins: 1 to 8 one by one, then 12, 16, 23, 32, 46, 64, 91.")
    attempt.agrees("a table of any shape works as well", buckets_by_loop, [(_relative(30) * 7,), (np.array([[-5000, 5000, 0]]),)],
                   hint="Is a size or a reach fixed in your code?")


def worst_weight(bias, largest):
    """The weight of the previous token, query by query from the second on, when every score is as bad for it as it can be."""
    n = len(bias)
    content = np.where(_relative(n) == -1, -largest, largest)
    return softmax(content + bias + causal_mask(n))[np.arange(1, n), np.arange(n - 1)]


def _hint_for_weak(bias, largest, n):
    margin = bias[n - 1, n - 2] - np.delete(bias[n - 1], n - 2).max()
    if margin == 0 and n > 2 and bias[n - 1, 0] == bias[n - 1, n - 2] > bias[n - 1, n - 1]:
        return "All that lies further back gets the same bonus as the previous token. Relative −1 is one diagonal, not a triangle."
    if margin <= 0:
        return "Does your bias favour relative position −1? In row i that is column i − 1, just below the diagonal."
    if np.isclose(margin, largest + np.log(99 * (n - 1))):
        return "The previous token may lose all of “largest” and its rival win as much: together twice “largest”."
    if bias.dtype == np.float16 and np.isclose(margin, 2 * largest + np.log(99 * (n - 1)), rtol=1e-3):
        return COARSE
    if np.isclose(margin, 2 * largest + np.log(99)):
        return "That beats one rival. The last query has n − 1 of them, and their exponentials add up."
    return "Write down the worst case: the previous token scores −largest, all others +largest. What does the softmax give it?"


@exercise("4.3", praise="A bias alone is a previous-token head. The price: for every unit that the content may grow, it needs two more.")
def check_previous_token(attempt):
    """n, largest -> (n, n): under it the previous token gets 0.99 or more, whatever the content; and no more than needed."""
    for n, largest in ((6, 2.0), (12, 5.0), (2, 0.0), (40, 1.0)):
        bias = attempt(n, largest, shape=(n, n))
        case = f"n = {n}, largest = {largest}"
        attempt.holds("all entries are finite", np.isfinite(bias).all(), found=f"for {case} some are not.",
                      hint="−inf is a mask: no content, however good, could ever be heard. A finite bias is asked for.")
        attempt.holds("the bias depends on j − i alone", all(np.ptp(np.diag(bias, k)) < TOLERANCE for k in range(1 - n, n)),
                      found=f"for {case} a diagonal holds different numbers.", hint="Equal j − i is a diagonal of the table: it holds one number.")
        weights = worst_weight(bias, largest)
        attempt.holds("the previous token gets at least 0.99 in the worst case", weights.min() >= 0.99 - TOLERANCE,
                      found=f"for {case} it gets {weights.min():.6f}.", hint=_hint_for_weak(bias, largest, n))
        attempt.holds("it is not much stronger than needed: in the worst case the odds are at most 300 to 1, a weight of 0.9967, for the last query",
                      weights[-1] <= 300 / 301 + TOLERANCE, found=f"for {case} it gets {weights[-1]:.6f}.",
                      hint="Right, but by brute force: what if the content has something to say? Compute the margin instead.")
