"""Judges every stored decoder at several lengths, in NumPy, and writes pe_lib/weights/evaluation.json (four minutes).

    python tools/evaluate.py

The notebook of chapter 9 shows this table beside what it computes live; a test computes a part of it again.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from pe_lib import schemes  # noqa: E402
from pe_lib.judging import judge  # noqa: E402
from pe_lib.model import next_token_logits  # noqa: E402
from pe_lib.tasks import COPY, needles  # noqa: E402
from pe_lib.weights import FIXES, HOW, TRAINED, fixed, lengthened, load, names  # noqa: E402

TABLE = Path(__file__).parents[1] / "pe_lib" / "weights" / "evaluation.json"
SEQUENCES = {64: 256, 128: 128, 256: 96, 512: 48, 1024: 24}


def evaluate(name, fix, length, sequences, seed=6000):
    """One row of the table: the mean of each judge over parts of up to 16 sequences; depths from the farthest to the nearest."""
    decoder, text = load(name), needles(np.random.default_rng(seed + length), sequences, length)
    scheme = scheme_for(name, decoder, fix, length)
    found = [judge(next_token_logits(part[0], np.arange(length), decoder.parameters, scheme=scheme)[0], type(text)(*part))
             for part in _parts(text, 16)]
    weights = {"order": [_asked(part, length) for part in _parts(text, 16)]}
    means = {key: np.average([one[key] for one in found], axis=0, weights=weights.get(key)) for key in found[0] if key != "order"}
    answered = [(one["order"], n) for one, n in zip(found, weights["order"]) if n]
    means["order"] = np.average([value for value, _ in answered], weights=[n for _, n in answered])
    scheme, seed, *further = name.split("-")
    return {"scheme": scheme, "seed": int(seed), "trained further with": further[0] if further else "", "fix": fix, "length": length, "sequences": sequences,
            **{key: np.round(np.float64(value), 3).tolist() for key, value in means.items()}}


def scheme_for(name, decoder, fix, length):
    if fix == "as trained":
        return decoder.scheme
    if name.startswith("learned"):
        return schemes.learned(lengthened(decoder.scheme.vectors(np.arange(TRAINED), 64), max(length, TRAINED), fix))
    return fixed(fix, max(1, length / TRAINED), 10.0 if "base_10" in name else 10_000.0)


def _parts(text, size):
    return [tuple(part[start:start + size] for part in text) for start in range(0, len(text.tokens), size)]


def _asked(part, length):
    return int((part[1][:, length * 3 // 4:] == COPY).sum())


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
    TABLE.write_text("[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in table) + "\n]\n", encoding="utf-8")
    print(f"{len(table)} rows, {time.process_time() - start:.0f} s of processor time")
