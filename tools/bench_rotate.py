"""How long `rotate` takes beside a plain copy of the array, and beside other packages where they are installed.

    python tools/bench.py rotate [--rounds R]

One thread, float32, (1, 32, 4096, 128), angles included. Every round runs each function once, and a ratio is the median
over the rounds of the quotient within a round. The targets are for processor time, since the clock of a busy machine says
little; both are shown. Ends with 1 if a target is missed.
The other packages are no part of the course; in an environment of their own:
pip install torch transformers rotary-embedding-torch x-transformers onnx onnxruntime numpy
"""

import argparse
import os
import statistics
import sys
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # before NumPy is imported

import numpy as np

from pe_lib.frequencies import angles, inverse_frequencies
from pe_lib.rotary import rotate

SHAPE = (1, 32, 4096, 128)
LAYOUTS = ("interleaved", "half")
TIMES_COPY = {"interleaved": 2.0, "half": 4.5}  # at most
FASTER = {"interleaved": 4.5, "half": 2.5}  # than transformers, at least
X = np.random.default_rng(0).standard_normal(SHAPE, dtype=np.float32)
POSITIONS, INV_FREQ = np.arange(SHAPE[2]), inverse_frequencies(SHAPE[3])


def ours():
    yield "copy", None, lambda: X.copy()
    for layout in LAYOUTS:
        yield f"rotate {layout}", layout, lambda layout=layout: rotate(X, POSITIONS, INV_FREQ, layout=layout)


def transformers_():
    import torch
    from transformers import LlamaConfig
    from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding, apply_rotary_pos_emb

    config = LlamaConfig(hidden_size=SHAPE[1] * SHAPE[3], num_attention_heads=SHAPE[1], max_position_embeddings=SHAPE[2])
    module, q, where = LlamaRotaryEmbedding(config), torch.from_numpy(X), torch.from_numpy(POSITIONS)[None]
    # It turns q and k in one call; k has no head here, so that one array is timed.
    yield "transformers", "half", lambda: apply_rotary_pos_emb(q, q[:, :0], *module(q, where))[0].numpy()


def rotary_embedding_torch_():
    import torch
    from rotary_embedding_torch import RotaryEmbedding

    module, q = RotaryEmbedding(dim=SHAPE[3], cache_if_possible=False), torch.from_numpy(X)
    yield "rotary-embedding-torch", "interleaved", lambda: module.rotate_queries_or_keys(q).detach().numpy()


def x_transformers_():
    import torch
    from x_transformers.x_transformers import RotaryEmbedding, apply_rotary_pos_emb

    module, q = RotaryEmbedding(SHAPE[3]), torch.from_numpy(X)

    def run():
        freqs, scale = module.forward_from_seq_len(SHAPE[2])
        return apply_rotary_pos_emb(q, freqs, scale).detach().numpy()

    yield "x-transformers", "interleaved", run


def onnxruntime_():
    import onnxruntime
    from onnx import TensorProto, helper

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    for layout in LAYOUTS:
        names = ["x", "cos", "sin"]
        node = helper.make_node("RotaryEmbedding", names, ["y"], interleaved=int(layout == "interleaved"))
        values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in (*names, "y")]
        graph = helper.make_graph([node], "rotate", values[:3], values[3:])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10)
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])

        def run(session=session):
            theta = angles(POSITIONS, INV_FREQ)[None]
            feed = {"x": X, "cos": np.cos(theta).astype(X.dtype), "sin": np.sin(theta).astype(X.dtype)}
            return session.run(None, feed)[0]

        yield f"onnxruntime {layout}", layout, run


def contenders():
    """(name, layout, function) of each package that is here; one that is not is named and left out."""
    found = list(ours())
    for source in (transformers_, rotary_embedding_torch_, x_transformers_, onnxruntime_):
        try:
            found += source()
        except ImportError as missing:
            print(f"left out: {source.__name__.strip('_')} ({missing})")
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
    return found


def refuse_wrong_results(found):
    """A fast wrong answer is no rival: 2e-3 allows for angles in float32, and no other layout or sign."""
    expected = {layout: run() for name, layout, run in found if name == f"rotate {layout}"}
    for name, layout, run in found:
        if layout and not np.allclose(run(), expected[layout], rtol=0, atol=2e-3):
            raise SystemExit(f"{name} does not turn as rotate does")


def measure(found, rounds):
    """Seconds by the clock and of the processor, for each name a list of rounds: the functions run by turns."""
    clock, processor = ({name: [] for name, _, _ in found} for _ in range(2))
    for _ in range(rounds):
        for name, _, run in found:
            start = time.perf_counter(), time.process_time()
            run()
            clock[name].append(time.perf_counter() - start[0])
            processor[name].append(time.process_time() - start[1])
    return clock, processor


def ratio(seconds, name, to):
    return statistics.median(one / other for one, other in zip(seconds[name], seconds[to]))


def report(clock, processor):
    print(f"{'':24}{'ms':>8}{'/ copy':>8}{'/ copy, processor':>19}{'/ rotate interleaved':>22}{'/ rotate half':>15}")
    for name in clock:
        cells = [1e3 * statistics.median(clock[name]), ratio(clock, name, "copy"), ratio(processor, name, "copy"),
                 ratio(clock, name, "rotate interleaved"), ratio(clock, name, "rotate half")]
        print(f"{name:24}" + "".join(f"{cell:{width}.2f}" for cell, width in zip(cells, (8, 8, 19, 22, 15))))


def targets_met(seconds):
    """Prints each ratio beside its target; whether all are met."""
    rows = [(f"rotate {layout} / copy", ratio(seconds, f"rotate {layout}", "copy"), "most", TIMES_COPY[layout]) for layout in LAYOUTS]
    if "transformers" in seconds:
        rows += [(f"transformers / rotate {layout}", ratio(seconds, "transformers", f"rotate {layout}"), "least", FASTER[layout])
                 for layout in LAYOUTS]
    met = [value <= target if sense == "most" else value >= target for _, value, sense, target in rows]
    for (what, value, sense, target), good in zip(rows, met):
        print(f"{what:34}{value:7.2f}   at {sense} {target}{'' if good else '   MISSED'}")
    return all(met)


def main(argv=None):
    parser = argparse.ArgumentParser(prog="bench.py rotate", description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args(argv)
    found = contenders()
    refuse_wrong_results(found)
    clock, processor = measure(found, options.rounds)
    report(clock, processor)
    return 0 if targets_met(processor) else 1


if __name__ == "__main__":
    sys.exit(main())
