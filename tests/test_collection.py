"""How the suite is collected: a notebook's cells share a kernel, so they must reach one worker, in order."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_cells_of_a_notebook_stay_together_when_work_is_shared():
    command = [sys.executable, "-m", "pytest", "-n", "2", "--dist", "loadgroup", "-v", "-p", "no:cacheprovider",
               "notebooks/00_start_here.ipynb", "tests/test_doctests.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    workers = {}
    for worker, notebook in re.findall(r"\[(gw\d)\].*PASSED (\S+\.ipynb)::", done.stdout):
        workers.setdefault(notebook, set()).add(worker)
    assert len(workers) == 1, done.stdout[-3000:]
    assert all(len(used) == 1 for used in workers.values()), workers
