"""Run the notebooks and write them in one normal form, so that a diff shows what changed and nothing else.

    python tools/notebooks.py                       run and rewrite all of notebooks/
    python tools/notebooks.py notebooks/01_*.ipynb  only these
    python tools/notebooks.py --check               run copies, name the notebooks that differ, write nothing
    python tools/notebooks.py --no-run              normalise only

The normal form: run counts 1..k, cell ids made from the cells' content, no times, no widget state and no widget
views (the still picture and its text stay), streams merged, and the code of cells that only call a figure, a question, a
check or the progress line folded away. An unchanged notebook run twice gives the same bytes.
"""

import argparse
import ast
import base64
import copy
import hashlib
import io
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path

import nbformat
import numpy as np
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
CELL_SECONDS = 60
WIDGET_TYPES = ("application/vnd.jupyter.widget-view+json", "application/vnd.jupyter.widget-state+json")
# Metadata that a person sets. Whatever else an editor writes (times, scroll positions, ...) is dropped.
CELL_METADATA = ("tags", "exercise", "slideshow", "jupyter", "nbgrader")
NOTEBOOK_METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


# ---- running

def client_for(notebook, folder, timeout=CELL_SECONDS):
    """A client that runs `notebook` in `folder`, in this Python's own kernel."""
    return NotebookClient(notebook, timeout=timeout, kernel_name="python3", store_widget_state=False,
                          extra_arguments=["--IPKernelApp.log_level=40"],  # errors, not start-up advice
                          resources={"metadata": {"path": str(folder)}})


def run_open(notebook, folder, timeout=CELL_SECONDS, say=print):
    """Run a copy of `notebook`; the client (its `nb` is the run copy) still has its kernel: `close` it.

    A time-out or a dead kernel is tried once more, and said.
    """
    for last_try in (False, True):
        client = client_for(copy.deepcopy(notebook), folder, timeout)
        try:
            client.execute(cleanup_kc=False)
            return client
        except BaseException as reason:
            close(client)
            if last_try or not isinstance(reason, (CellTimeoutError, DeadKernelError)):
                raise
            say(f"  trying once more after {type(reason).__name__}: {str(reason).strip().splitlines()[0]}")


def close(client):
    """End the client's kernel."""
    with client.setup_kernel():  # nbclient ends a running kernel on leaving this
        pass


def execute(notebook, folder, timeout=CELL_SECONDS, say=print):
    """A run copy of `notebook`."""
    client = run_open(notebook, folder, timeout, say)
    close(client)
    return client.nb


# ---- the normal form

def normalise(notebook):
    """A copy of `notebook` in the normal form. Normalising twice changes nothing more."""
    old = nbformat.from_dict(copy.deepcopy(notebook))
    cells, seen, count = [], {}, 0
    for cell in old.cells:
        cell.source = cell.source.rstrip()
        if not cell.source:
            continue
        cell.id = _cell_id(cell, seen)
        cell.metadata = {key: cell.metadata[key] for key in CELL_METADATA if cell.metadata.get(key)}
        if cell.cell_type == "code" and only_shows(cell.source):
            _fold(cell.metadata)
        if cell.cell_type == "code":
            count += 1
            cell.execution_count = count
            cell.outputs = _merge_streams(filter(None, (_output(output, count) for output in cell.outputs)))
        cells.append(cell)
    metadata = copy.deepcopy(NOTEBOOK_METADATA)
    if "made_with" in old.metadata:
        metadata["made_with"] = old.metadata["made_with"]
    return nbformat.from_dict({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


SHOWING = re.compile(r"(explore|ask|predict|inventory|progress|(checks?\.)?check_\w+)$")


def only_shows(source):
    """True for a cell that only calls a figure, a question, a check or the progress line, after what these need.

    They may need imports of the course's own library, and asserts that hold no claim: that a figure has the lesson's matrices.
    """
    try:
        body = ast.parse(source).body
    except SyntaxError:                        # %magic
        return False
    calls = [isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and bool(SHOWING.match(ast.unparse(node.value.func))) for node in body]
    needed = [isinstance(node, ast.ImportFrom) and str(node.module).startswith("pe_lib") or isinstance(node, ast.Assert) for node in body]
    return bool(body) and calls[-1] and all(map(any, zip(calls, needed))) and "# claim" not in source


def _fold(metadata):
    """JupyterLab hides the source, slides and pages leave it out."""
    metadata["jupyter"] = {**metadata.get("jupyter", {}), "source_hidden": True}
    metadata["tags"] = [*(tag for tag in metadata.get("tags", []) if tag != "remove-input"), "remove-input"]


def as_run(notebook):
    """A notebook that was just run, in the normal form; where it has pictures it says which Matplotlib drew them."""
    done = normalise(notebook)
    done.metadata.pop("made_with", None)
    if any("image/png" in output.get("data", {}) for cell in done.cells for output in cell.get("outputs", [])):
        done.metadata["made_with"] = {"matplotlib": ".".join(version("matplotlib").split(".")[:2])}
    return done


def _cell_id(cell, seen):
    digest = hashlib.sha256(f"{cell.cell_type}\n{cell.source}".encode()).hexdigest()[:12]
    seen[digest] = seen.get(digest, 0) + 1
    return digest if seen[digest] == 1 else f"{digest}-{seen[digest]}"


def _output(output, count):
    """One output in the normal form, or None when nothing of it is left."""
    output.pop("transient", None)
    if output.output_type == "stream":
        return output if output.text else None
    if output.output_type == "error":
        # The library's file names in a traceback are those of one machine.
        output.traceback = [f"{output.ename}: {output.evalue}"]
        return output
    for kind in WIDGET_TYPES:
        output.data.pop(kind, None)
    for kind, value in output.data.items():
        if kind.startswith("image/") and isinstance(value, str):
            output.data[kind] = value.strip()
    output.metadata = {key: value for key, value in output.metadata.items() if key in output.data and value}
    if output.output_type == "execute_result":
        output.execution_count = count
    return output if output.data else None


def _merge_streams(outputs):
    merged = []
    for output in outputs:
        if output.output_type == "stream" and merged and merged[-1].get("name") == output.name:
            merged[-1].text += output.text
        else:
            merged.append(output)
    return merged


def text_of(notebook):
    """The bytes of the file, as text."""
    return nbformat.writes(notebook, indent=1).rstrip("\n") + "\n"


def write(notebook, path):
    Path(path).write_text(text_of(notebook), encoding="utf-8", newline="\n")


# ---- comparing

def pixels(png):
    """A PNG (base64 text) as floats (height, width, 3) from 0 to 255."""
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(png))).convert("RGB"), float)


def picture_difference(old, new, same_maker=True):
    """How far two PNGs are apart: None when near enough, else a sentence.

    Drawn by the same Matplotlib, every block of 8 x 8 pixels must agree: one letter or digit more is seen. Another
    Matplotlib lays out its text and stacked axes differently; then the two must be alike from afar (3.8: most 9, one 28).
    """
    if old == new:
        return None
    a, b = pixels(old), pixels(new)
    if a.shape != b.shape:
        return f"the picture's size changed from {a.shape[1]}x{a.shape[0]} to {b.shape[1]}x{b.shape[0]}"
    far = _blocks(np.abs(a - b), 8) if same_maker else np.abs(_blocks(a - b, 64))
    row, column = np.unravel_index(far.argmax(), far.shape)
    size, most = (8, 10) if same_maker else (64, 40)
    if far.max() <= most:
        return None
    return f"the picture changed: by {far.max():.0f} of 255 around pixel ({column * size}, {row * size})"


def _blocks(values, size):
    """The means over square blocks of pixels; the right and lower edges are filled up with zeros."""
    height, width, _ = values.shape
    padded = np.pad(values, ((0, -height % size), (0, -width % size), (0, 0)))
    return padded.reshape(len(padded) // size, size, -1, size, 3).mean((1, 3, 4))


def differences(old, new):
    """What a fresh run changed, as sentences; pictures are compared by their pixels."""
    if [cell.id for cell in old.cells] != [cell.id for cell in new.cells]:
        return ["the cells differ, or their ids are not normal"]
    same_maker = old.metadata.get("made_with") == new.metadata.get("made_with")
    found = []
    for number, (a, b) in enumerate(zip(old.cells, new.cells), start=1):
        found += [f"cell {number}: {what}" for what in _cell_differences(a, b, same_maker)]
    if not found and text_of(_without_pictures(old)) != text_of(_without_pictures(new)):
        found.append("the file is not in its normal form")
    return found


def _cell_differences(old, new, same_maker):
    old_outputs, new_outputs = old.get("outputs", []), new.get("outputs", [])
    if len(old_outputs) != len(new_outputs):
        return [f"{len(old_outputs)} outputs are in the file, a run gives {len(new_outputs)}"]
    found = []
    for a, b in zip(old_outputs, new_outputs):
        old_png, new_png = (output.get("data", {}).get("image/png") for output in (a, b))
        if (old_png is None) != (new_png is None):
            found.append("a picture is missing in the file" if old_png is None else "a run gives no picture")
        elif old_png is not None and (what := picture_difference(old_png, new_png, same_maker)):
            found.append(what)
        if _plain(a) != _plain(b):
            found.append("the output's text changed")
    return found


def _plain(output):
    output = copy.deepcopy(output)
    output.get("data", {}).pop("image/png", None)
    return output


def _without_pictures(notebook):
    notebook = copy.deepcopy(notebook)
    notebook.metadata.pop("made_with", None)
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            output.get("data", {}).pop("image/png", None)
    return notebook


# ---- the command

def read(path):
    return nbformat.reads(Path(path).read_text(encoding="utf-8"), as_version=4)


def process(path, check=False, run=True, timeout=CELL_SECONDS):
    """Handle one notebook. Returns (lines to print, fine or not)."""
    lines, start = [], time.perf_counter()
    old = read(path)
    try:
        new = as_run(execute(old, path.parent, timeout, lines.append)) if run else normalise(old)
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        return [f"{path.name}: does not run", *lines, _short(str(error))], False
    seconds = f"{time.perf_counter() - start:.0f} s"
    if check:
        found = differences(old, new)
        head = f"{path.name}: {'differs' if found else 'as committed'} ({seconds})"
        return [head, *lines, *(f"  {what}" for what in found)], not found
    changed = path.read_text(encoding="utf-8") != text_of(new)
    if changed:
        write(new, path)
    return [f"{path.name}: {'rewritten' if changed else 'unchanged'} ({seconds})", *lines], True


def _short(error, most=25):
    lines = re.sub(r"\x1b\[[0-9;]*m", "", error).strip().splitlines()
    return "\n".join(f"    {line}" for line in lines[-most:])


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, help="notebooks (default: all of notebooks/)")
    parser.add_argument("--check", action="store_true", help="write nothing, say which notebooks differ")
    parser.add_argument("--no-run", action="store_true", help="normalise without running")
    parser.add_argument("--timeout", type=float, default=CELL_SECONDS, help="seconds a cell may take")
    parser.add_argument("--jobs", type=int, default=2, help="notebooks run at the same time")
    options = parser.parse_args(arguments)
    paths = options.paths or sorted((ROOT / "notebooks").glob("*.ipynb"))

    def one(path):
        return process(path, options.check, not options.no_run, options.timeout)

    fine = True
    with ThreadPoolExecutor(options.jobs) as pool:
        for lines, good in (pool.map if options.jobs > 1 else map)(one, paths):
            print("\n".join(lines), flush=True)
            fine = fine and good
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
