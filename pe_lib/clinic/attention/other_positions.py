"""Other positions than before, positions far away, and other lengths: the turns follow what is given, and only offsets count."""

import numpy as np

from pe_lib.clinic.attention.weights import CONSECUTIVE, SEEN, logs, sample
from pe_lib.clinic.notes import number
from pe_lib.clinic.sheet import Unusable, size

OTHERS = np.array([0, 2, 3, 6, 7, 9, 10])
SHIFTS = (230, 490, 970, 2010, 4060, 5000, 8150, 16350, 32740)  # up to the ends of tables: 256, 512, 1000, 1024, 2048, ...


def examine_elsewhere(sheet, reader, turning, moves=True):
    """Other positions than before, and all positions far away: the turns follow the positions, and only offsets count. moves:
    who sees whom does so, too."""
    apart = not np.array_equal(reader.positions, CONSECUTIVE)
    others = OTHERS if apart else reader.positions
    q, k, v = sample(len(others), reader.dim)
    off = _error(reader, turning, q, k, others)
    sheet.judge("other positions", off > 1e-2 + 5 * turning.noise, f"largest error of a score {size(off)}",
                *_other_scores(reader, q, k, v, off, others))
    if apart:
        _far(sheet, reader, q, k, v, moves)


def examine_long(sheet, reader, turning, length):
    """In a long sequence scores are what the measured turning makes of the positions, up to the last row."""
    q, k, _ = sample(length, reader.dim, seed=3)
    try:
        got = logs(reader.weights(q, k, np.arange(length)))
    except Unusable:
        return
    limit = 2e-2 + 5 * turning.noise
    off = np.nan_to_num(np.abs(_against(got, _expected(reader, turning, q, k, np.arange(length))))).max(axis=1)
    again = _against(got, _recounted(reader, turning, q, k, got)) if turning.counted and off.max() > limit else np.inf
    if np.nanmax(np.abs(again)) < limit:
        sheet.name("positions are counted among the keys that are left")
    elif off.max() > limit:
        row = int(np.argmax(off > limit))
        sheet.judge(f"{length} tokens", True, f"scores differ from row {row} on", "long sequences",
                    f"Of {length} tokens in a row, query {row} and later ones have scores that are off by up to "
                    f"{number(off.max(), 2)} from what their positions ask for, and those before are right: positions go wrong from {row} on.",
                    "A table or a ring of slots ends there: turn by the position that is given, not by the slot.")


def depends_on_length(sheet, reader, causal, count, places):
    """Do the first rows' outputs, or for an encoder their scores, depend on how many rows follow? True if so."""
    q, k, v = sample(len(places), reader.dim)
    parts = (slice(None, count), slice(None))
    try:
        short, full = (reader.run(q[part], k[part], v[part], places[part])[:count] if causal else
                       _compared(reader.weights(q[part], k[part], places[part])[:count, :count]) for part in parts)
    except Unusable:
        return False
    off = np.nan_to_num(np.abs(short - full)).max()
    sheet.judge(f"length {len(places)}", off > 1e-3, f"the first {count} rows change by {size(off)}", "depends on length",
                f"The {'outputs of' if causal else 'scores among'} the first {count} tokens change by {number(off, 2)} when "
                f"{len(places) - count} more follow: positions or frequencies depend on the length of the sequence, or on its last "
                "position.",
                "Turn each row by its own position alone. If the base is to grow with the length, no cache fits as it is.")
    return off > 1e-3


def _compared(weights):
    scores = logs(weights)
    return scores - scores[:, [0]]


def _far(sheet, reader, q, k, v, moves):
    worst, reached = 0.0, 0
    for shift in SHIFTS:
        try:
            far = _change(reader, q, k, v, shift, moves)
        except Unusable as unusable:
            sheet.find(f"moved by {shift}", None, f"not measured: {unusable}")
            break
        worst, reached = max(worst, far), shift
        if not far < 4e-2:
            break
    if reached:
        last = reader.positions[-1] + reached
        sheet.judge("moved far", not worst < 4e-2, f"by {reached}: largest change of the output {size(worst)}", "far positions",
                    f"With all positions moved by {reached}, up to {last}, the output changes by {number(worst, 2)}, though no offset "
                    "has changed.",
                    "Compute angles in float64 (or float32 at least), never in half precision, and do not clip or wrap positions.")


def _change(reader, q, k, v, shift, moves):
    """How far outputs change when all positions are moved; of the keys seen before and after, where others may come and go."""
    near, far = reader.positions, reader.positions + shift
    if moves:
        return np.abs(reader.run(q, k, v, far) - reader.run(q, k, v, near)).max()
    weights = [reader.weights(q, k, positions) for positions in (near, far)]
    both = np.minimum(*weights) > SEEN
    one, two = (np.where(both, w, 0) / np.where(both, w, 0).sum(axis=1, keepdims=True) for w in weights)
    return np.abs((one - two) @ v).max()


def _other_scores(reader, q, k, v, off, others):
    if off > 1e-2 and np.array_equal(reader.run(q, k, v, others), reader.run(q, k, v, reader.positions)):
        return ("stale table", "Called again with other positions, it turns by those of an earlier call.",
                "Make the table from the positions that are given, at each call.")
    return ("other scores", f"Scores of random q and k are off by up to {number(off, 2)} from what unit vectors show: they "
                            "are no plain q·k.",
            "Score = q·k / sqrt(d).")


def _error(reader, turning, q, k, positions):
    got = logs(reader.weights(q, k, positions))
    return np.nanmax(np.abs(_against(got, _expected(reader, turning, q, k, positions))))


def _against(got, wanted):
    """(n, n): measured minus expected scores, each row against its own key; NaN where nothing is seen."""
    rows = np.arange(len(got))
    return (got - got[rows, rows][:, None]) - (wanted - wanted[rows, rows][:, None])


def _recounted(reader, turning, q, k, got):
    """Expected scores where each query counts the keys it sees from 0 on."""
    seen = np.isfinite(got)
    places = np.cumsum(seen, axis=1) - 1
    return np.stack([_expected(reader, turning, np.repeat(q[[i]], len(k), axis=0), k, places[i])[i] for i in range(len(k))])


def _expected(reader, turning, q, k, positions):
    """Scores (n, n) of q and k as the measured turning has them."""
    def turned(x, sign, gains):
        x = x / np.linalg.norm(x, axis=1, keepdims=True) * gains if reader.normed else x.copy()
        for (a, b), speed, rate in zip(turning.pairs, turning.speeds, np.broadcast_to(turning.growth, len(turning.pairs))):
            c, s = np.exp(sign * rate * positions) * [np.cos(positions * speed), np.sin(positions * speed)]
            x[:, a], x[:, b] = c * x[:, a] - s * x[:, b], s * x[:, a] + c * x[:, b]
        return x
    scores = turning.scale * turned(q, 1, turning.gains[0]) @ turned(k, -1, turning.gains[1]).T
    return reader.cap * np.tanh(scores / reader.cap) if reader.cap else scores
