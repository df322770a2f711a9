"""The checks of chapter 2: add the encoding to a batch, write the matrix of an offset, read an offset off two encodings."""

import numpy as np

from pe_lib.teach.checks.compare import COARSE
from pe_lib.teach.checks.exercise import exercise
from pe_lib.frequencies import angles, inverse_frequencies, inverse_frequencies_endpoint
from pe_lib.sinusoidal import encode_angles, offset_matrix, sinusoidal_encoding


def encoding_by_loop(positions, dim, base=10_000.0):
    """The specification, one number at a time: (n,) -> (n, dim)."""
    table = np.zeros((len(positions), dim))
    for row, p in enumerate(positions):
        for m in range(dim // 2):
            table[row, 2 * m] = np.sin(p * base ** (-2 * m / dim))
            table[row, 2 * m + 1] = np.cos(p * base ** (-2 * m / dim))
    return table


def _own_exponents(p, dim, scale):
    theta = angles(p, 10_000.0 ** (-scale * np.arange(dim) / dim))
    return np.where(np.arange(dim) % 2, np.cos(theta), np.sin(theta))


# hint -> the table (n, dim) that the mistake gives
CLASSIC_ENCODINGS = {
    "Each cosine has an exponent of its own: the two features of a pair must share one frequency, base ** (-2m / d).":
        lambda p, dim: _own_exponents(p, dim, scale=1),
    "Two faults: a loop variable that steps by two is 2m already, so 2 * i / d doubles the exponent; and the cosine "
    "beside it has yet another one.": lambda p, dim: _own_exponents(p, dim, scale=2),
    "The exponent is doubled: a loop variable that steps by two is 2m already, so it is divided by d as it stands.":
        lambda p, dim: encode_angles(angles(p, inverse_frequencies(dim) ** 2)),
    "Your pairs get faster from left to right, so the exponent has lost its minus sign: base ** (-2m / d).":
        lambda p, dim: encode_angles(angles(p, 1 / inverse_frequencies(dim))),
    "Your slowest pair turns at exactly 1/base: that is the other family, with exponent m / (d/2 - 1). Here it is 2m / d.":
        lambda p, dim: encode_angles(angles(p, inverse_frequencies_endpoint(dim))),
    "Row 0 holds the encoding of position 1: positions start at 0.":
        lambda p, dim: sinusoidal_encoding(p + 1, dim),
    "Sines in one half, cosines in the other: the numbers are right, the order is not. Here it is sin, cos, sin, cos.":
        lambda p, dim: sinusoidal_encoding(p, dim, layout="sines_first"),
    "All cosines first, then all sines: the numbers are right, the order is not. Here it is sin, cos, sin, cos.":
        lambda p, dim: sinusoidal_encoding(p, dim, layout="cosines_first"),
    "Sine and cosine have changed places: in this course a pair is (sin, cos), so that position 0 reads 0, 1, 0, 1.":
        lambda p, dim: sinusoidal_encoding(p, dim).reshape(len(p), -1, 2)[..., ::-1].reshape(len(p), dim),
    "Every pair turns at 1 radian a token: where does the pair's number enter?":
        lambda p, dim: encode_angles(angles(p, np.ones(dim // 2))),
    "The angles are right but taken in degrees: np.sin wants radians, and p times omega already is.":
        lambda p, dim: encode_angles(np.deg2rad(angles(p, inverse_frequencies(dim)))),
}


def _shape(result):
    return getattr(result, "shape", "no array")


def _hint(got, classics, otherwise, *inputs):
    """The hint of the classic mistake that gives just these numbers, or else the general one."""
    for hint, wrong in classics.items():
        wanted = wrong(*inputs)
        if np.shape(got) == wanted.shape and np.allclose(got, wanted, rtol=1e-6, atol=1e-6):
            return hint
    return otherwise


@exercise("2.1", praise="A formula has no last row: the same two lines give the encoding of position 10 million.")
def check_add_positions(attempt):
    """x (batch, n, d) -> x plus the encoding of each token's place in its sequence."""
    batch, n, dim = 3, 5, 8
    zeros, p = np.zeros((batch, n, dim)), np.arange(5)
    table = attempt(zeros)
    attempt.holds("the shape stays (batch, n, d)", _shape(table) == zeros.shape, found=f"{zeros.shape} became {_shape(table)}.",
                  hint="An encoding of shape (n, d) broadcasts over the batch when it is added.")
    attempt.holds("the result has the precision of x, or at least single precision", table.dtype != np.float16,
                  found="it is float16.", hint=COARSE)
    along_batch = np.broadcast_to(sinusoidal_encoding(np.arange(batch), dim)[:, None], zeros.shape)
    attempt.matches("every sequence of the batch gets the same encodings", table, np.broadcast_to(table[:1], zeros.shape),
                    hint="You have numbered the sequences of the batch, not the tokens: the positions run along axis 1."
                    if np.allclose(table, along_batch) else "Positions depend on the token's place alone.")
    x = np.random.default_rng(2).normal(size=zeros.shape)
    attempt.matches("the encoding is added and x itself is kept", attempt(x), x + table,
                    hint="The result should be x plus a table that does not look at x.")
    coarse = COARSE if np.allclose(table[0], encoding_by_loop(p, dim), atol=2e-3) else ""
    attempt.matches("in each pair of neighbouring columns the squares sum to 1 (row: token, column: pair)",
                    (table[0].reshape(n, -1, 2) ** 2).sum(axis=-1), np.ones((n, dim // 2)),
                    hint=_hint(table[0], CLASSIC_ENCODINGS, coarse or "Does each pair hold the sine and the cosine of one angle?", p, dim))
    attempt.matches("the encoding equals the loop", table[0], encoding_by_loop(p, dim),
                    hint=_hint(table[0], CLASSIC_ENCODINGS, coarse or "Print row 1 beside the formula.", p, dim))
    other = np.zeros((2, 6000, 6))                            # longer than a table of 5000 rows; angles in float32 may pass
    attempt.matches("other batches, lengths and widths work as well", attempt(other),
                    np.broadcast_to(encoding_by_loop(np.arange(6000), 6), other.shape), tolerance=1e-3,
                    hint="Is a batch, a length or a width fixed in your code?")


def _halves(offset, dim):
    turn = offset * inverse_frequencies(dim)
    cos, sin = np.diag(np.cos(turn)), np.diag(np.sin(turn))
    return np.block([[cos, sin], [-sin, cos]])


def _from_zero(offset, dim):
    start, end = sinusoidal_encoding([0, offset], dim)
    return np.outer(end, start) / (start @ start)


CLASSIC_MATRICES = {
    "This one walks backwards: it gives PE(p - k). Each block is the transpose of the right one; in the order (sin, cos) "
    "the minus sign stands below the diagonal.": lambda k, dim: offset_matrix(-k, inverse_frequencies(dim)),
    "These are the blocks for all sines first, then all cosines. Here each pair sits side by side: sin, cos, sin, cos.": _halves,
    "All blocks turn by the same angle: each pair has a frequency of its own.":
        lambda k, dim: offset_matrix(k, np.ones(dim // 2)),
    "This matrix was made for position 0, and carries no other. Which numbers in it know where it starts?": _from_zero,
    "Your pairs get faster down the diagonal: the exponent has lost its minus sign.":
        lambda k, dim: offset_matrix(k, 1 / inverse_frequencies(dim)),
    "The exponent is doubled: 2m / d is meant, and a loop variable that steps by two is 2m already.":
        lambda k, dim: offset_matrix(k, inverse_frequencies(dim) ** 2),
    "The blocks are those of the other family, with exponent m / (d/2 - 1). Here it is 2m / d.":
        lambda k, dim: offset_matrix(k, inverse_frequencies_endpoint(dim)),
}


def _hint_for_matrix(matrix, k, dim):
    if np.iscomplexobj(matrix) or not np.isfinite(matrix).all():
        return ""
    turn = np.arctan2(matrix[0::2, 1::2].diagonal(), matrix[0::2, 0::2].diagonal())
    if np.allclose(matrix, offset_matrix(1, turn), atol=1e-6):
        return ("Every block is a proper turn, but not by the right angle. Pair m turns by k · 10000^(-2m / d): look at the base and "
                "the exponent.")
    if np.linalg.matrix_rank(matrix) < dim:
        return "Its columns are not independent, so it loses what tells positions apart. Was it made to fit one position?"
    return "Write the two lines of the angle-addition formula for one pair, and read off what multiplies sin and cos."


@exercise("2.2", praise="It holds d/2 angles and no position: the same step from everywhere.")
def check_step_matrix(attempt):
    """k, d -> the matrix M with M @ PE(p) = PE(p + k) at every p."""
    k, dim = 3, 8
    matrix = attempt(k, dim)
    attempt.holds("the matrix has shape (d, d)", _shape(matrix) == (dim, dim), found=f"for d = {dim} the shape is {_shape(matrix)}.")
    here, there = (sinusoidal_encoding(np.arange(10) + shift, dim) for shift in (0, k))
    hint = _hint(matrix, CLASSIC_MATRICES, _hint_for_matrix(matrix, k, dim), k, dim)
    attempt.matches("M @ PE(0) is PE(3)", matrix @ here[0], there[0], hint=hint)
    attempt.matches("the same matrix carries every position (here one row a position)", here @ matrix.T, there, hint=hint)
    attempt.matches("offset 0 changes nothing", attempt(0, dim), np.eye(dim), hint="cos 0 = 1, sin 0 = 0.")
    attempt.agrees("other offsets and widths work as well", lambda k, dim: offset_matrix(k, inverse_frequencies(dim)),
                   [(-3, 8), (1, 2), (40, 6), (1000, 16)], hint="Is an offset or a width fixed in your code?")


def _is_one_hand(got, offset):
    """True if got is what one hand alone says of an offset, after whole turns: (scalar, whole number) -> bool."""
    inv_freq = inverse_frequencies(64)
    inv_freq = inv_freq[abs(offset) * inv_freq > np.pi]                    # the hands that have been round
    turns = offset * inv_freq % (2 * np.pi)
    readings = np.concatenate([turns, turns - 2 * np.pi]) / np.tile(inv_freq, 2)
    return bool(np.isin(np.round(readings), got).any())


# A table that starts at position 0 takes its row 168 for this one, up to 500,000 rows; and it has no row 168 − 1000.
BEYOND_TABLES = 782_373_035


def rounded_cases(seed=60, times=24):
    """Pairs of positions (query, key). With this seed, slow hands alone, from pair 14, 15, 16 or 17 on, misread at least one."""
    rng = np.random.default_rng(seed)
    return [(int(i), int(i + k)) for i, k in zip(rng.integers(1000, 100_000, size=times), rng.integers(-1000, 1001, size=times))]


@exercise("2.3", praise="Slow hands say roughly where, fast hands say exactly: you have read a clock with 32 hands.")
def check_find_offset(attempt):
    """PE(i), PE(j), of width 64, perhaps rounded to two decimals -> j - i, from -1000 to 1000, both included; i, j anywhere."""
    def read(i, j, decimals=15):
        return attempt(*sinusoidal_encoding([i, j], 64).round(decimals))

    same = read(7, 7)
    attempt.holds("the offset is a single number", np.shape(same) == (), found=f"its shape is {np.shape(same)}.",
                  hint="Take the number out of the array, with [0] or .item().")
    attempt.matches("equal encodings are 0 apart", same, 0, hint="An index into a list of offsets is not yet an offset.")
    after, before = read(7, 9), read(9, 7)
    attempt.matches("a key two tokens after the query has offset +2", after, 2,
                    hint="You have query − key. The course writes relative = key − query everywhere." if after == -2 else "")
    attempt.matches("a key two tokens before the query has offset −2", before, -2,
                    hint="A sum of cosines cannot tell before from after; the sines of the difference can." if before == 2 else "")
    far = read(100, 110)
    attempt.matches("a key ten tokens after the query has offset 10", far, 10,
                    hint="This hand has been all the way round: it only knows the offset up to whole turns. Ask a slower one as well."
                    if _is_one_hand(far, 10) else "")
    for i, j in ((0, 997), (5000, 4012), (123_456, 123_400)):
        got = read(i, j)
        hint = ("So far out this hand has been all the way round. Let slower hands say roughly where, and faster ones exactly."
                if _is_one_hand(got, j - i) else "Does your search reach from −1000 to 1000?")
        attempt.matches(f"far ones work as well, here from position {i} to position {j}", got, j - i, hint=hint)
    for i, j in ((5000, 4000), (0, 1000)):
        attempt.matches(f"the ends belong to it: offset {'+' if j > i else '−'}1000 is found", read(i, j), j - i,
                        hint="Does your search reach both ends? range(a, b) stops before b.")
    got = read(BEYOND_TABLES, BEYOND_TABLES - 1000)
    attempt.matches(f"positions may lie beyond the end of any table, here {BEYOND_TABLES:,} and 1000 before it", got, -1000,
                    hint="Do you look the positions up in a table? A table ends somewhere. The step from query to key is the same "
                    "from everywhere, and needs no positions.")
    for i, j in ((0, 1), *rounded_cases()):
        attempt.matches(f"two decimals of each feature are enough, from position {i} to position {j}", read(i, j, decimals=2), j - i,
                        hint="A slow hand moves less in one token than the second decimal shows. Let all hands vote: which "
                        "offset fits them best?")
