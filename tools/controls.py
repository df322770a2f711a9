"""Controls for chapter 9: what becomes of some of its results if the models are trained longer.

    python tools/controls.py             writes pe_lib/weights/controls.json; half an hour of processor time, with PyTorch
    python tools/controls.py rotary-0-pi prints one of them

Same decoder, batches, learning rates and seeds as tools/train.py; only the number of steps differs. Judged on 96 sequences
(24 at 1,024 tokens) with one order question in ten tokens.
"""

import sys

import numpy as np
import tables
import torch
import train

from pe_lib.judging import judge
from pe_lib.tasks import needles
from pe_lib.weights import FOLDER, TRAINED, TUNED

LONGER = {"alibi-0": 4000, "alibi-1": 4000, "none-0": 4000, "rotary-0": 4750, "rotary-1": 4750}
FURTHER = {"rotary-0-pi": (60, 200, 300, 500), "rotary-1-pi": (60, 200, 300, 500)}
LENGTHS = (64, 256, 1024)


def judged(model, settings, length, sequences):
    text = needles(np.random.default_rng(77), sequences, length, 0.1)
    with torch.no_grad():
        parts = [model(torch.tensor(text.tokens[i:i + 8]), *settings).numpy() for i in range(0, sequences, 8)]
    found = judge(np.concatenate(parts), text)
    return {name: round(float(found[name]), 3) for name in ("filler loss", "retrieval", "order")}


def longer(name, steps):
    scheme, seed = name.split("-")
    torch.manual_seed(int(seed))
    rng = np.random.default_rng(1000 + int(seed))
    settings = train.rotary_settings(name) if scheme == "rotary" else (None, 1.0)
    model = train.Decoder(scheme)
    optimiser = torch.optim.AdamW(model.parameters(), lr=train.RATE, betas=(0.9, 0.95), weight_decay=0.01)
    for count in range(steps):
        train.with_rate(optimiser, train.RATE * min(1, (count + 1) / 100) * min(1, (steps - count) / 250))
        train.step(model, optimiser, rng, train.BATCH, TRAINED, *settings)
    for length in LENGTHS:
        yield {"model": name, "steps": steps, "length": length, **judged(model, settings, length, 24 if length == 1024 else 96)}


def further(name, marks):
    start, settings = name.rsplit("-", 1)[0], train.rotary_settings(name)
    model = train.Decoder("rotary")
    with np.load(FOLDER / f"{start}.npz") as stored:
        model.load_state_dict({key: torch.tensor(stored[key].astype(np.float32)) for key in model.state_dict()})
    rng = np.random.default_rng(3000 + int(start.split("-")[1]))
    optimiser = torch.optim.AdamW(model.parameters(), lr=train.FINE_RATE, betas=(0.9, 0.95), weight_decay=0.01)
    for count in range(1, max(marks) + 1):
        train.step(model, optimiser, rng, 4, TUNED, *settings)
        if count in marks:
            yield {"model": name, "steps": count, "length": TUNED, **judged(model, settings, TUNED, 32)}


def rows(names):
    torch.set_num_threads(1)
    for name in names:
        yield from longer(name, LONGER[name]) if name in LONGER else further(name, FURTHER[name])


def main(names):
    found = []
    for row in rows(names or [*LONGER, *FURTHER]):
        print(row, flush=True)
        found.append(row)
    if not names:
        tables.write("controls.json", found)


if __name__ == "__main__":
    main(sys.argv[1:])
