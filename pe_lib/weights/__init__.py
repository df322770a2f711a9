"""The small decoders of chapter 9, trained by tools/train.py and kept as float16: `load` gives what the toy model needs."""

import hashlib
import json
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pe_lib import schemes
from pe_lib._validate import finite_number
from pe_lib.frequencies import inverse_frequencies
from pe_lib.scaling import interpolate, ntk
from pe_lib.sinusoidal import sinusoidal_encoding
from pe_lib.yarn import ramp_by_turns, yarn

FOLDER = Path(__file__).parent
HEADS, D_HEAD, TRAINED, TUNED = 4, 16, 64, 256     # tokens: the length of training, and that of brief further training
SLOPES = 2.0 ** -np.array([2, 4, 6, 8])            # ALiBi's


class Trained(NamedTuple):
    """A trained decoder: the parameters and the scheme that `next_token_logits` takes, and how they were made."""

    parameters: dict
    scheme: schemes.Scheme
    facts: dict


def names():
    """All stored decoders, as scheme-seed or scheme-seed-fix.

    >>> "rotary-0" in names()
    True
    """
    return sorted(name for name in _checksums() if not name.endswith(".json"))


def _checksums():
    return json.loads((FOLDER / "checksums.json").read_text())


def checksum_of(file):
    """The SHA-256 of a stored file; of a table its lines, however they end."""
    data = file.read_text(encoding="utf-8").encode() if file.suffix == ".json" else file.read_bytes()
    return hashlib.sha256(data).hexdigest()


def load(name):
    """A trained decoder by its name, in float32, checked against its checksum.

    name, one of `names()` -> Trained.

    Raises: ValueError if there is no such name, or the file is missing or was altered.

    >>> decoder = load("rotary-0")
    >>> decoder.parameters["embedding"].shape, decoder.facts["trained length"]
    ((33, 64), 64)
    """
    if name not in names():
        raise ValueError(f"name must be one of {', '.join(names())}, got {name!r}")
    file = FOLDER / f"{name}.npz"
    if not file.exists():
        raise ValueError(f"the weights of {name!r} must be in {file.name}, and this file is missing: git checkout brings it back")
    _must_be_as_made(file, name)
    with np.load(file) as stored:
        arrays = {key: stored[key] for key in stored.files}
    facts = json.loads(str(arrays.pop("facts")))
    parameters = {key: array.astype(np.float32) for key, array in arrays.items()}
    table = parameters.pop("table", None)
    return Trained({**parameters, "heads": HEADS, "first_norm": False}, _scheme(name, table), facts)


def _must_be_as_made(file, key):
    if checksum_of(file) != _checksums()[key]:
        raise ValueError(f"{file.name} must have the checksum it was made with, and was altered or cut short: git checkout brings it back")


def fixed(fix, factor, base=10_000.0):
    """A rotary scheme for a text that is longer than the trained one by a factor: what each published fix makes of it.

    fix, one of FIXES; factor, at least 1; base -> Scheme for heads of 16 features, trained at 64 tokens.

    Raises: ValueError if there is no such fix, factor is not at least 1, or as the fixes in `pe_lib.scaling`.
    Source: as `interpolate`, `ntk` and `yarn`. The ramp is the paper's, by turns, from 1 to 4 or to 32 of them.

    >>> float(fixed("interpolation", factor=4).inv_freq[0])
    0.25
    """
    if fix not in FIXES:
        raise ValueError(f"fix must be one of {', '.join(FIXES)}, got {fix!r}")
    if finite_number(factor, "factor") < 1:
        raise ValueError(f"factor must be at least 1, got {factor}")
    inv_freq, sharpness = FIXES[fix](inverse_frequencies(D_HEAD, base), factor, base)
    return schemes.Scheme(inv_freq=inv_freq, sharpness=sharpness)


def lengthened(table, rows, how):
    """A learned table has no row beyond its last; these are the ways in which people have given it some.

    table (n, dim); rows, how many are wanted, at least n; how, one of HOW -> (rows, dim).
    "last row again"; "from the start again", row p mod n; "the formula goes on", the sinusoids it began as.

    Raises: ValueError if there is no such way, or rows is less than n.
    Source: the three are common in code; none of them was ever trained.

    >>> lengthened(np.array([[1.0, 0.0], [2.0, 0.0]]), rows=4, how="from the start again")[:, 0]
    array([1., 2., 1., 2.])
    """
    if how not in HOW or rows < len(table):
        raise ValueError(f"how must be one of {', '.join(HOW)}, and rows at least {len(table)}, got {how!r} and {rows}")
    places = np.arange(len(table), rows)
    more = {"last row again": lambda: table[np.full(places.size, -1)], "from the start again": lambda: table[places % len(table)],
            "the formula goes on": lambda: sinusoidal_encoding(places, table.shape[1])}[how]()
    return np.concatenate([table, more]).astype(table.dtype)


HOW = ("last row again", "from the start again", "the formula goes on")


def _yarn(fast):
    def with_ramp(inv_freq, factor, base):
        frequencies, attention = yarn(inv_freq, factor, ramp_by_turns(inv_freq, TRAINED, slow=1, fast=fast))
        return frequencies, attention**2
    return with_ramp


FIXES = {
    "none": lambda inv_freq, factor, base: (inv_freq, 1.0),
    "interpolation": lambda inv_freq, factor, base: (interpolate(inv_freq, factor), 1.0),
    "NTK-aware base": lambda inv_freq, factor, base: (ntk(D_HEAD, base, factor), 1.0),
    "YaRN, β = 4": _yarn(4),
    "YaRN, β = 32": _yarn(32),
}


def _scheme(name, table):
    scheme, *rest = name.split("-")
    base = 10.0 if scheme == "rotary_base_10" else 10_000.0
    tuned_with = {"pi": "interpolation", "yarn": "YaRN, β = 4"}.get(rest[-1], "none")
    return {"learned": lambda: schemes.learned(table), "t5": lambda: schemes.t5(table, TRAINED),
            "sinusoidal": schemes.sinusoidal, "alibi": lambda: schemes.alibi(SLOPES), "none": schemes.Scheme,
            }.get(scheme, lambda: fixed(tuned_with, TUNED / TRAINED, base))()


def _table(name):
    """The rows of a stored table, checked against its checksum."""
    _must_be_as_made(FOLDER / name, name)
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


def evaluation():
    """What tools/evaluate.py measured: a row for each decoder, fix and length, as a dict.

    "scheme", "seed", "trained further with", "fix", "length" (tokens), "sequences", "values asked" and "copies asked" (how many
    answers stand behind the shares), "loss" and "filler loss" (nats), "retrieval", "retrieval by depth" (four, farthest first)
    and "order" (shares of right answers). Altered tables raise ValueError.

    >>> evaluation()[0]["scheme"], evaluation()[0]["seed"]
    ('alibi', 0)
    """
    return _table("evaluation.json")


def controls():
    """What tools/controls.py measured: models trained longer than the stored ones, a row for each model, number of steps and length.

    "model", "steps", "length" (tokens), "filler loss" (nats), "retrieval" and "order" (shares of right answers).

    >>> controls()[0]["model"], controls()[0]["steps"]
    ('alibi-0', 4000)
    """
    return _table("controls.json")


def faults():
    """What tools/evaluate_faults.py measured: a row for each decoder and fault of its cache, as a dict.

    As `evaluation`, and of the decoded tokens "largest difference" of a logit from the right one, "divergence" (nats), and
    "two back", the share of order questions answered with the token two back.

    >>> faults()[0]["case"]
    'no cache'
    """
    return _table("faults.json")
