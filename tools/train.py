"""Trains the small decoders of chapter 9 with PyTorch, and keeps them as float16 in pe_lib/weights.

    pip install -r tools/requirements-train.txt
    python tools/train.py                          # every file, in order (`make train`)
    python tools/train.py rotary-0 rotary-0-pi     # some of them

The course itself never imports PyTorch: `pe_lib.model` runs what is made here in NumPy. A model is trained until it can do
its tasks, and not for a fixed number of steps, because the step at which recall appears differs by a factor of five from seed
to seed. The architecture is that of `pe_lib.model.next_token_logits`.
"""

import hashlib
import json
import platform
import sys
import time
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parents[1]))
from pe_lib.biases import relative_buckets, relative_positions  # noqa: E402
from pe_lib.frequencies import inverse_frequencies  # noqa: E402
from pe_lib.judging import judge  # noqa: E402
from pe_lib.scaling import interpolate  # noqa: E402
from pe_lib.sinusoidal import sinusoidal_encoding  # noqa: E402
from pe_lib.tasks import COPY, RECALLED, VOCABULARY, needles, stream  # noqa: E402
from pe_lib.yarn import attention_factor, ntk_by_parts, ramp_by_turns  # noqa: E402

WEIGHTS = Path(__file__).parents[1] / "pe_lib" / "weights"
DIM, HEADS, LAYERS, HIDDEN = 64, 4, 2, 128
TRAINED, BATCH, RATE, MOST = 64, 16, 3e-3, 6000       # tokens, sequences a step, learning rate, steps
BUCKETS, FURTHEST = 32, 64                            # T5's
SLOPES = 2.0 ** -np.array([2, 4, 6, 8])               # ALiBi's, for four heads
TABLE_RATE = 8.0                                      # T5's table moves this much faster than the other weights
FINE_TUNED, FINE_STEPS, FINE_BATCH, FINE_RATE = 256, 60, 4, 1e-3

FRESH = [f"{scheme}-{seed}" for scheme, seeds in
         {"rotary": 3, "sinusoidal": 2, "learned": 2, "alibi": 2, "t5": 2, "none": 2}.items() for seed in range(seeds)]
TUNED = [f"rotary-{seed}-{fix}" for fix in ("plain", "pi", "yarn") for seed in range(2)]
SMALL_BASE = ["rotary_base_10-0", "rotary_base_10-1"]


def rotary_settings(name):
    """Frequencies and sharpness of a rotary model by its name: the fixes are for four times the trained length."""
    base = 10.0 if "base_10" in name else 10_000.0
    inv_freq = inverse_frequencies(DIM // HEADS, base)
    if name.endswith("-pi"):
        return interpolate(inv_freq, FINE_TUNED / TRAINED), 1.0
    if name.endswith("-yarn"):
        factor = FINE_TUNED / TRAINED
        kept = ramp_by_turns(inv_freq, TRAINED, slow=1, fast=4)
        return ntk_by_parts(inv_freq, factor, kept), attention_factor(factor) ** 2
    return inv_freq, 1.0


class Decoder(torch.nn.Module):
    """`pe_lib.model.next_token_logits` with ``first_norm`` False, in PyTorch."""

    def __init__(self, scheme):
        super().__init__()
        self.scheme = scheme
        def matrix(*shape):
            return torch.nn.Parameter(torch.randn(*shape) / shape[-2] ** 0.5)
        self.embedding = torch.nn.Parameter(torch.randn(VOCABULARY, DIM) * 0.5)
        self.w_qkv, self.w_out = matrix(LAYERS, 3, DIM, DIM), matrix(LAYERS, DIM, DIM)
        self.w_up, self.w_down = matrix(LAYERS, DIM, HIDDEN), matrix(LAYERS, HIDDEN, DIM)
        self.unembedding = matrix(DIM, VOCABULARY)
        if scheme == "learned":
            self.table = torch.nn.Parameter(torch.tensor(sinusoidal_encoding(np.arange(TRAINED), DIM), dtype=torch.float32))
        if scheme == "t5":
            self.table = torch.nn.Parameter(torch.zeros(HEADS, BUCKETS))

    def forward(self, tokens, inv_freq=None, sharpness=1.0):
        n = tokens.shape[1]
        x = self.embedding[tokens]
        if self.scheme == "learned":
            x = x + self.table[:n]
        if self.scheme == "sinusoidal":
            x = x + torch.tensor(sinusoidal_encoding(np.arange(n), DIM), dtype=torch.float32)
        mask = torch.triu(torch.full((n, n), -torch.inf), 1) + self.bias(n)
        for layer in range(LAYERS):
            read = norm(x) if layer else x
            q, k, v = (heads(read @ self.w_qkv[layer, part]) for part in range(3))
            if inv_freq is not None:
                q, k = (turn(part, torch.tensor(np.arange(n)[:, None] * inv_freq, dtype=torch.float32)) for part in (q, k))
            scores = q @ k.transpose(-1, -2) * (sharpness / (DIM // HEADS) ** 0.5) + mask
            mixed = (scores.softmax(-1) @ v).transpose(1, 2).reshape(x.shape)
            x = x + mixed @ self.w_out[layer]
            x = x + torch.relu(norm(x) @ self.w_up[layer]) @ self.w_down[layer]
        return norm(x) @ self.unembedding

    def bias(self, n):
        if self.scheme == "alibi":
            return torch.tensor(SLOPES[:, None, None] * relative_positions(n), dtype=torch.float32)
        if self.scheme == "t5":
            return TABLE_RATE * self.table[:, torch.tensor(relative_buckets(relative_positions(n), BUCKETS, FURTHEST, causal=True))]
        return torch.zeros(())


def norm(x):
    return x / torch.sqrt((x**2).mean(-1, keepdim=True) + 1e-6)


def heads(x):
    return x.reshape(*x.shape[:2], HEADS, DIM // HEADS).transpose(1, 2)


def turn(x, theta):
    """The interleaved layout: features 2m and 2m + 1 are a pair."""
    first, second = x[..., 0::2], x[..., 1::2]
    cos, sin = theta.cos(), theta.sin()
    return torch.stack([first * cos - second * sin, first * sin + second * cos], -1).flatten(-2)


def answered(model, rng, inv_freq, sharpness, length=TRAINED):
    """The three judges on 64 fresh sequences of the needle text."""
    text = needles(rng, 64, length)
    with torch.no_grad():
        return judge(model(torch.tensor(text.tokens), inv_freq, sharpness).numpy(), text)


def step(model, optimiser, rng, batch, length, inv_freq, sharpness):
    """One step of AdamW: the loss of every next token, in which answers that can be known count three times."""
    text = stream(rng, batch, length + 1)
    tokens, kinds = torch.tensor(text.tokens), text.kinds[:, 1:]
    weight = torch.tensor(np.where(np.isin(kinds, (RECALLED, COPY)), 3.0, 1.0), dtype=torch.float32)
    logits = model(tokens[:, :-1], inv_freq, sharpness)
    losses = torch.nn.functional.cross_entropy(logits.transpose(1, 2), tokens[:, 1:], reduction="none")
    loss = (losses * weight).sum() / weight.sum()
    optimiser.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimiser.step()
    return float(loss.detach())


def with_rate(optimiser, rate):
    for group in optimiser.param_groups:
        group["lr"] = rate


def fresh(name):
    """Trains until recall and order stay above the criterion, then 250 steps more in which the rate falls to zero."""
    scheme, seed = name.split("-")
    seed, scheme = int(seed), scheme.split("_")[0]
    torch.manual_seed(seed)
    rng, judging = np.random.default_rng(1000 + seed), np.random.default_rng(2000 + seed)
    inv_freq, sharpness = rotary_settings(name) if scheme == "rotary" else (None, 1.0)
    model = Decoder(scheme)
    optimiser = torch.optim.AdamW(model.parameters(), lr=RATE, betas=(0.9, 0.95), weight_decay=0.01)
    wanted = {"retrieval": 0.97} if scheme in ("alibi", "none") else {"retrieval": 0.97, "order": 0.95}
    if scheme == "none":
        wanted = {"retrieval": 0.9}                   # without positions, recall is learned but never becomes exact
    good, count = 0, 0
    while good < 4 and count < MOST - 250:
        with_rate(optimiser, RATE * min(1, (count + 1) / 100))
        step(model, optimiser, rng, BATCH, TRAINED, inv_freq, sharpness)
        count += 1
        if count % 20 == 0:
            found = answered(model, judging, inv_freq, sharpness)
            good = good + 1 if all(found[judge_] > least for judge_, least in wanted.items()) else 0
            if count % 200 == 0:
                print(f"  {name} step {count}: retrieval {found['retrieval']:.2f}, order {found['order']:.2f}", flush=True)
    reached = good == 4
    for later in range(250):
        with_rate(optimiser, RATE * (1 - later / 250))
        step(model, optimiser, rng, BATCH, TRAINED, inv_freq, sharpness)
    return model, {"steps": count + 250, "criterion": wanted, "criterion reached": reached, "trained length": TRAINED}


def tuned(name):
    """Takes a trained rotary model to four times its length in 60 steps, with the fix in its name, or plainly."""
    parent = "-".join(name.split("-")[:2])
    model = Decoder("rotary")
    with np.load(WEIGHTS / f"{parent}.npz") as stored:
        model.load_state_dict({key: torch.tensor(stored[key].astype(np.float32)) for key in model.state_dict()})
    rng = np.random.default_rng(3000 + int(parent.split("-")[1]))
    optimiser = torch.optim.AdamW(model.parameters(), lr=FINE_RATE, betas=(0.9, 0.95), weight_decay=0.01)
    for _ in range(FINE_STEPS):
        step(model, optimiser, rng, FINE_BATCH, FINE_TUNED, *rotary_settings(name))
    return model, {"steps": FINE_STEPS, "parent": parent, "trained length": FINE_TUNED}


def keep(name, model, facts):
    """Writes the weights as compressed float16, with everything that is needed to make them again."""
    inv_freq, sharpness = rotary_settings(name) if name.startswith("rotary") else (None, 1.0)
    arrays = {key: value.numpy().astype(np.float16) for key, value in model.state_dict().items()}
    if model.scheme == "t5":
        arrays["table"] = (TABLE_RATE * model.state_dict()["table"].numpy()).astype(np.float16)
    facts["metrics at the trained length"] = {key: round(float(value), 3) for key, value in answered(
        model, np.random.default_rng(4000), inv_freq, sharpness, facts["trained length"]).items() if np.ndim(value) == 0}
    facts |= {"command": f"python tools/train.py {name}",
              "versions": {"python": platform.python_version(), "torch": torch.__version__, "numpy": np.__version__}}
    # What PyTorch itself says for one text, so that NumPy's logits can be compared where there is no PyTorch.
    text = needles(np.random.default_rng(5000), 1, TRAINED).tokens
    half = Decoder(model.scheme)
    half.load_state_dict({key: value.half().float() for key, value in model.state_dict().items()})
    with torch.no_grad():
        logits = half(torch.tensor(text), inv_freq, sharpness).numpy()
    np.savez_compressed(WEIGHTS / f"{name}.npz", **arrays, facts=np.array(json.dumps(facts)))
    return logits[0, ::8].astype(np.float32), hashlib.sha256((WEIGHTS / f"{name}.npz").read_bytes()).hexdigest()


def main(names):
    torch.set_num_threads(1)
    WEIGHTS.mkdir(exist_ok=True)
    for name in names or FRESH + SMALL_BASE + TUNED:
        start = time.process_time()
        model, facts = tuned(name) if name in TUNED else fresh(name)
        facts["CPU seconds"] = round(time.process_time() - start)
        logits, checksum = keep(name, model, facts)
        _record(name, checksum, logits)
        print(name, json.dumps(facts["metrics at the trained length"]), facts["steps"], "steps", facts["CPU seconds"], "s", flush=True)


def _record(name, checksum, logits):
    """The checksum, and PyTorch's logits at every eighth position of one text."""
    sums_file, logits_file = WEIGHTS / "checksums.json", WEIGHTS / "torch_logits.npz"
    sums = json.loads(sums_file.read_text()) if sums_file.exists() else {}
    sums_file.write_text(json.dumps(sums | {name: checksum}, indent=1, sort_keys=True) + "\n")
    kept = dict(np.load(logits_file)) if logits_file.exists() else {}
    np.savez_compressed(logits_file, **(kept | {name: logits}))


if __name__ == "__main__":
    main(sys.argv[1:])
