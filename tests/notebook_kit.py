"""The course's notebooks as the tests see them: run once, the kernel kept for whoever asks next."""

import json
import re
import time
from pathlib import Path

import nbformat
import notebooks
import pytest

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
CHAPTERS = [path for path in NOTEBOOKS if path.name[:2].isdigit()]       # all but the tour, which is cut from them
IN_KERNEL = Path(__file__).with_name("in_kernel.py")


def each(values, path_of=lambda value: value, name_of=lambda value: value.stem):
    """Parameters for pytest, grouped so that all tests of one notebook share a worker and so a run."""
    return [pytest.param(value, id=name_of(value), marks=pytest.mark.xdist_group(path_of(value).stem)) for value in values]


each_notebook = pytest.mark.parametrize("path", each(NOTEBOOKS))
each_chapter = pytest.mark.parametrize("path", each(CHAPTERS))


class Executed:
    """A notebook that was run, and its kernel."""

    def __init__(self, path):
        self.path = path
        self.committed = notebooks.read(path)
        start = time.perf_counter()
        self._client = notebooks.run_open(self.committed, path.parent)
        self.seconds = time.perf_counter() - start
        self.notebook = notebooks.as_run(self._client.nb)
        self._client.timeout = 600

    def call(self, function, *arguments):
        """What a function of in_kernel.py returns when the kernel calls it."""
        source = (
            f"import json as _json\n"
            f"_names = {{'get_ipython': get_ipython}}\n"
            f"exec({IN_KERNEL.read_text(encoding='utf-8')!r}, _names)\n"
            f"print('\\n' + _json.dumps(_names[{function!r}](*_json.loads({json.dumps(arguments)!r}))))"
        )
        cell = nbformat.v4.new_code_cell(source)
        self._client.nb.cells.append(cell)
        self._client.execute_cell(cell, len(self._client.nb.cells) - 1)
        printed = "".join(output.text for output in cell.outputs if output.get("name") == "stdout")
        return json.loads(printed.splitlines()[-1])

    def close(self):
        notebooks.close(self._client)


class Exercise:
    """The three cells of one exercise: stub, check, and the solution as Markdown."""

    def __init__(self, path, number, cells):
        self.path, self.number, self._cells = path, number, cells

    def cell(self, tag):
        """The exercise's only cell with this tag."""
        (found,) = (cell for cell in self._cells if tag in cell.metadata.get("tags", []))
        return found

    @property
    def order(self):
        """The tags in the order of the cells."""
        return [tag for cell in self._cells for tag in cell.metadata.get("tags", []) if tag in ("exercise", "check", "solution")]

    @property
    def solution(self):
        """The code that can replace the stub: the last Python block of the solution cell."""
        return re.findall(r"^```python\n(.*?)^```", self.cell("solution").source, re.DOTALL | re.MULTILINE)[-1]


def exercises(path):
    """The exercises of one notebook."""
    cells = {}
    for cell in notebooks.read(path).cells:
        if number := cell.metadata.get("exercise"):
            cells.setdefault(number, []).append(cell)
    return [Exercise(path, number, found) for number, found in cells.items()]


EXERCISES = [exercise for path in NOTEBOOKS for exercise in exercises(path)]
each_exercise = pytest.mark.parametrize(
    "exercise", each(EXERCISES, lambda exercise: exercise.path, lambda exercise: f"{exercise.path.stem}-{exercise.number}")
)
