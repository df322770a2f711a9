"""What each scheme costs: time and memory of a toy decoder as a ratio to the same decoder without positions.

    python tools/measure_costs.py        writes pe_lib/teach/data/costs.json; about a minute

One layer of eight heads, 512 features, float32. *pass*: 512 tokens at once; *step*: one token more on a cache of 511. The tables
of the biases are made beforehand, as programs do; sinusoids and the cosines of the rotations are computed in each call. A scheme
that rotates nothing skips the rotation, which the toy decoder would otherwise do by an angle of 0. The two decoders that a ratio compares run in turns, and the middle of 41 ratios is kept; memory is the peak of one call.
"""

import json
import statistics
import time
import tracemalloc
from pathlib import Path
from unittest import mock

import numpy as np

from pe_lib.biases import alibi_bias, alibi_slopes, bucket_bias
from pe_lib.cache import attend
from pe_lib.model import next_token_logits, random_parameters
from pe_lib.schemes import Scheme, learned, rotary, sinusoidal

TARGET = Path(__file__).resolve().parent.parent / "pe_lib" / "teach" / "data" / "costs.json"
LENGTH, DIM, HEADS, REPEATS = 512, 512, 8, 41


def schemes(rng):
    """name -> (a Scheme, how many numbers it learns)."""
    tables = {"ALiBi": alibi_bias(LENGTH, LENGTH, alibi_slopes(HEADS)),
              "T5": bucket_bias(LENGTH, LENGTH, rng.normal(size=(HEADS, 32)), causal=True)}
    rows = rng.normal(size=(LENGTH, DIM))
    return {"none": (Scheme(), 0), "sinusoidal": (sinusoidal(), 0), "learned table": (learned(rows), rows.size),
            "ALiBi": (prepared(tables["ALiBi"]), 0), "T5": (prepared(tables["T5"]), 32 * HEADS), "rotary": (rotary(DIM // HEADS), 0)}


def prepared(table):
    table = np.ascontiguousarray(table, dtype=np.float32)
    return Scheme(bias=lambda n_query, n_key: table[:, n_key - n_query:n_key, :n_key])


def without_turning(*inputs, **options):
    with mock.patch("pe_lib.cache.rotate", lambda x, positions, inv_freq, layout: x):
        return attend(*inputs, **options)


def calls(parameters, tokens):
    """"pass" and "step": functions of a scheme."""
    places, caches = np.arange(LENGTH), {}

    def logits(scheme, new, cache=None):
        turn = attend if scheme.inv_freq.any() else without_turning
        return next_token_logits(tokens[new], places[new], parameters, cache, scheme=scheme, attend=turn)

    def full(scheme):
        logits(scheme, slice(None))

    def step(scheme):
        if id(scheme) not in caches:
            caches[id(scheme)] = logits(scheme, slice(None, -1))[1]
        logits(scheme, slice(-1, None), caches[id(scheme)])

    return {"pass": full, "step": step}


def ratios(call, scheme, none):
    """(time, peak memory) of a call with the scheme, each over that of the call without."""
    def seconds(one):
        start = time.perf_counter()
        call(one)
        return time.perf_counter() - start

    def peak(one):
        tracemalloc.start()
        call(one)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    call(scheme), call(none)                              # caches are filled, tables are touched
    return round(statistics.median(seconds(scheme) / seconds(none) for _ in range(REPEATS)), 2), round(peak(scheme) / peak(none), 2)


def main():
    rng = np.random.default_rng(0)
    parameters = random_parameters(rng, vocabulary=33, dim=DIM, heads=HEADS, layers=1)
    parameters = {name: value.astype(np.float32) if isinstance(value, np.ndarray) else value for name, value in parameters.items()}
    found, known = {}, schemes(rng)
    for name, (scheme, learns) in known.items():
        row = {"learned numbers": learns}
        for kind, call in calls(parameters, rng.integers(33, size=LENGTH)).items():
            row[f"{kind}, time"], row[f"{kind}, memory"] = ratios(call, scheme, known["none"][0])
        found[name] = row
        print(f"{name:14}", row)
    TARGET.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
