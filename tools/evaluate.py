"""Judges every stored decoder at several lengths, in NumPy, and writes pe_lib/weights/evaluation.json (fifteen minutes).

    python tools/evaluate.py

The notebook of chapter 9 shows this table beside what it computes live; a test computes a part of it again.
"""

import sys
import time
from pathlib import Path

import numpy as np
import tables

sys.path.insert(0, str(Path(__file__).parents[1]))
from pe_lib import schemes  # noqa: E402
from pe_lib.judging import judge  # noqa: E402
from pe_lib.model import next_token_logits  # noqa: E402
from pe_lib.tasks import COPY, RECALLED, needles  # noqa: E402
from pe_lib.weights import FIXES, HOW, TRAINED, fixed, lengthened, load, names  # noqa: E402

# At least 200 questions of each kind at every length; a share near a half is then known to within 7 points (two standard errors).
SEQUENCES = {64: 1536, 128: 384, 256: 128, 512: 64, 1024: 56}


def evaluate(name, fix, length, sequences, seed=6000):
    """One row of the table: what each judge says of all sequences together, and of how many questions; depths from the farthest to the nearest."""
    decoder, text = load(name), needles(np.random.default_rng(seed + length), sequences, length)
    scheme = scheme_for(name, decoder, fix, length)
    parts = [next_token_logits(text.tokens[start:start + 16], np.arange(length), decoder.parameters, scheme=scheme)[0] for start in range(0, sequences, 16)]
    found = judge(np.concatenate(parts), text)
    scheme, seed, *further = name.split("-")
    return {"scheme": scheme, "seed": int(seed), "trained further with": further[0] if further else "", "fix": fix, "length": length, "sequences": sequences,
            **questions(text), **{key: np.round(np.float64(value), 3).tolist() for key, value in found.items()}}


def questions(text):
    """How many answers stand behind the shares of a row: recalled values, and copies asked for in the last quarter."""
    late = text.kinds[:, text.kinds.shape[1] * 3 // 4:]
    return {"values asked": int((text.kinds == RECALLED).sum()), "copies asked": int((late == COPY).sum())}


def scheme_for(name, decoder, fix, length):
    if fix == "as trained":
        return decoder.scheme
    if name.startswith("learned"):
        return schemes.learned(lengthened(decoder.scheme.vectors(np.arange(TRAINED), 64), max(length, TRAINED), fix))
    return fixed(fix, max(1, length / TRAINED), 10.0 if "base_10" in name else 10_000.0)


def cases():
    """All rows of the table, as (name, fix, length)."""
    for name in names():
        fixes = ["as trained"]
        if name.startswith("rotary") and name.count("-") == 1:
            fixes += [fix for fix in FIXES if fix != "none"]
        if name.startswith("learned"):
            fixes += HOW
        for fix in fixes:
            for length in SEQUENCES:
                if not (name.startswith("learned") and fix == "as trained" and length > TRAINED):
                    yield name, fix, length


if __name__ == "__main__":
    start, table = time.process_time(), []
    for case in cases():
        table.append(evaluate(*case, SEQUENCES[case[-1]]))
        print(*table[-1].values(), flush=True)
    tables.write("evaluation.json", table)
    print(f"{len(table)} rows, {time.process_time() - start:.0f} s of processor time")
