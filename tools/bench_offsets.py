"""Similarity of a million offsets against the plain cosine table, a slider's step there, and the search for the smallest base.

    python tools/bench.py offsets [--offsets N] [--dim D] [--rounds R]

Both ways run by turns in one process on one thread; the medians are compared. Ends with 1 if a target is missed.
"""

import argparse
import os
import statistics
import sys
import time

# Before NumPy loads: the plain table runs on one thread, so the matrix product must too.
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np

from pe_lib.teach.figures.long_context import impostor_finder
from pe_lib.frequencies import angles, inverse_frequencies, offset_similarity
from pe_lib.offsets import smallest_base
from pe_lib.teach.sliders import Slider, explore

TIMES_FASTER, LARGEST_ERROR, TIMES_STEP, SECONDS = 60, 1e-9, 1.5, 5
BASES = {1: "4.3e+03", 2: "1.2e+04", 4: "2.7e+04", 8: "8.4e+04", 16: "2.3e+05", 32: "6.3e+05"}


def plain_table(offsets, inv_freq):
    """The definition at one go: every cosine of every pair and offset."""
    return np.cos(angles(offsets, inv_freq)).sum(axis=-1)


def timed(function, *arguments):
    start = time.perf_counter()
    result = function(*arguments)
    return time.perf_counter() - start, result


def compare(count, dim, rounds):
    """Median seconds of both ways, run by turns, and the largest difference between them."""
    offsets, inv_freq, slow, fast = np.arange(count), inverse_frequencies(dim), [], []
    for _ in range(rounds):
        seconds, expected = timed(plain_table, offsets, inv_freq)
        slow.append(seconds)
        for _ in range(5):
            seconds, found = timed(offset_similarity, offsets, inv_freq)
            fast.append(seconds)
    return statistics.median(slow), statistics.median(fast), float(np.abs(found - expected).max())


def finder():
    """Chapter 8's impostor finder; a function of (dim, reach) that draws and encodes one frame, as a step of a slider does."""
    figure = explore(impostor_finder, size=(8.0, 3.4), dim=Slider(2, 64, start=64, step=2),
                     base=Slider(1e4, 2e4), reach=Slider(1000, 10**6))
    return lambda dim, reach: figure.frame([dim, 1e4, reach])


def report_steps(rounds):
    """Processor seconds of the whole step, by turns, the least of each: at 10 ** 6 offsets against 10 ** 3."""
    step, good = finder(), True
    for dim in (16, 64):
        took = {10**3: [], 10**6: []}
        for _ in range(5 * rounds):
            for reach, seconds in took.items():
                start = time.process_time()
                step(dim, reach)
                seconds.append(time.process_time() - start)
        short, long = (min(seconds) for seconds in took.values())
        good &= long <= TIMES_STEP * short
        print(f"a step of the impostor finder, width {dim}: {short * 1e3:.1f} ms at 1,000 offsets,", end=" ")
        print(f"{long * 1e3:.1f} ms at 1,000,000:", end=" ")
        print(f"{long / short:.2f} times (at most {TIMES_STEP})" + ("" if long <= TIMES_STEP * short else "  MISSED"))
    return good


def report_similarity(count, dim, rounds):
    slow, fast, error = compare(count, dim, rounds)
    good = slow / fast >= TIMES_FASTER and error <= LARGEST_ERROR
    print(f"{count:,} offsets, dim {dim}, medians of {rounds} and {5 * rounds}: plain table {slow * 1e3:,.0f} ms,")
    print(f"offset_similarity {fast * 1e3:.1f} ms: {slow / fast:.0f} times faster (at least {TIMES_FASTER}),", end=" ")
    print(f"largest difference {error:.1e} (at most {LARGEST_ERROR})" + ("" if good else "  MISSED"))
    return good


def report_bases():
    """Processor seconds, since wall clock on a busy machine says little."""
    good = True
    for thousands, digits in BASES.items():
        start = time.process_time()
        base = smallest_base(1024 * thousands)
        seconds = time.process_time() - start
        right = f"{base:.1e}" == digits and seconds < SECONDS
        good &= right
        print(f"smallest base for {thousands}k: {base:.1e} in {seconds:.2f} s" + ("" if right else f"  MISSED {digits}"))
    return good


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--offsets", type=int, default=10**6)
    parser.add_argument("--dim", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args(argv)
    reached = [report_similarity(chosen.offsets, chosen.dim, chosen.rounds), report_steps(chosen.rounds), report_bases()]
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
