"""Other positions than before, and positions far away: the turns follow what is given, and only offsets count."""

import numpy as np

from pe_lib.clinic.notes import number
from pe_lib.clinic.sheet import Unusable, size
from pe_lib.clinic.weights import POSITIONS, logs, sample

OTHERS = np.array([0, 2, 3, 6, 7, 9, 10])


def examine_elsewhere(sheet, reader, turning):
    """Other positions than before, and all positions far away: the turns follow the positions, and only offsets count."""
    q, k, v = sample(len(POSITIONS), reader.dim)
    wanted, got = _expected(turning, q, k, OTHERS), logs(reader.weights(q, k, OTHERS))
    off = np.nanmax(np.abs((got - got[:, [0]]) - (wanted - wanted[:, [0]])))
    sheet.judge("other positions", off > 1e-2, f"largest error of a score {size(off)}", *_other_scores(reader, q, k, v, off))
    near = reader.run(q, k, v, POSITIONS)
    try:
        far = np.abs(reader.run(q, k, v, POSITIONS + 5000) - near).max()
    except Unusable as unusable:
        sheet.find("moved by 5000", None, f"not measured: {unusable}")
        return
    sheet.judge("moved by 5000", not far < 2e-2, f"largest change of the output {size(far)}", "far positions",
                f"With all positions moved by 5000 the output changes by {number(far, 2)}, though no offset has changed.",
                "Compute angles in float64 (or float32 at least), never in half precision, and do not clip or round positions.")


def _other_scores(reader, q, k, v, off):
    if np.array_equal(reader.run(q, k, v, OTHERS), reader.run(q, k, v, POSITIONS)):
        return ("stale table", "Called again with other positions, it turns by those of an earlier call.",
                "Make the table from the positions that are given, at each call.")
    return ("other scores", f"Scores of random q and k are off by up to {number(off, 2)} from what unit vectors show: they "
                            "are no plain q·k.",
            "Score = q·k / sqrt(d).")


def _expected(turning, q, k, positions):
    """Scores (n, n) of q and k as the measured turning has them."""
    def turned(x):
        x = x.copy()
        for (a, b), speed in zip(turning.pairs, turning.speeds):
            c, s = np.cos(positions * speed), np.sin(positions * speed)
            x[:, a], x[:, b] = c * x[:, a] - s * x[:, b], s * x[:, a] + c * x[:, b]
        return x
    return turning.scale * turned(q) @ turned(k).T
