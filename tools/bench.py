"""Benchmarks; each prints ratios of one run beside their targets:  python tools/bench.py [sliders] [options]"""

import importlib
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    known = sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))
    if len(sys.argv) < 2 or sys.argv[1] not in known:
        sys.exit(f"{__doc__}\nBenchmarks: {', '.join(known)}")
    sys.exit(importlib.import_module(f"bench_{sys.argv[1]}").main(sys.argv[2:]))
