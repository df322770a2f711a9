"""The learner's own copy of the course: notebooks without outputs in my_course/, which git ignores and no update overwrites.

    python tools/my_course.py           make or renew the copies
    python tools/my_course.py --lab     and open them in JupyterLab (further arguments are JupyterLab's)

A copy whose text is still the one it was made with is renewed when the course has a new version. One that was changed (or
can't be read, or is write-protected) stays as it is, and the new version is put beside it under another name. A copy that
was deleted or renamed is made again. The file .made_from.json keeps which version each copy was made from.
"""

import hashlib
import itertools
import json
import os
import stat
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COURSE, COPIES = "notebooks", "my_course"
STATE, VERSION = ".made_from.json", 1
START = "00_start_here.ipynb"


# ---- one notebook

def cleared(notebook):
    """A copy of a notebook (as JSON) without outputs and run counts."""
    cells = [cell | {"outputs": [], "execution_count": None} if cell["cell_type"] == "code" else cell for cell in notebook["cells"]]
    return notebook | {"cells": cells}


def fingerprint(notebook):
    """A hash of what a person writes: the cells' kinds and sources, without outputs, ids and metadata."""
    cells = [(cell["cell_type"], "".join(cell["source"]).rstrip()) for cell in notebook["cells"]]
    return hashlib.sha256(json.dumps([cell for cell in cells if cell[1]]).encode()).hexdigest()


def fingerprint_of(path):
    """The fingerprint of a copy; None where it is half written, no notebook, or not ours to read."""
    try:
        return fingerprint(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write(path, text):
    """Write the whole file or, where that fails, nothing."""
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_text(text, encoding="utf-8", newline="\n")
        os.replace(part, path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


# ---- all of them

def update(course, copies):
    """Make or renew the copies of the notebooks in `course`; what was done, as lines to say, and whether all went well."""
    course, copies = Path(course), Path(copies)
    made_from, lines = _read_state(copies / STATE)
    done = {"new": [], "renewed": [], "beside": [], "failed": []}
    for path in sorted(course.glob("*.ipynb")):
        try:
            copies.mkdir(parents=True, exist_ok=True)
            what, name = _place(path, copies, made_from)
            done.get(what, []).append(name)
        except OSError as error:
            done["failed"].append(f"{path.name} ({error.strerror or error})")
    try:
        write(copies / STATE, json.dumps({"version": VERSION, "made_from": made_from}, indent=1) + "\n")
    except OSError as error:
        done["failed"].append(f"{STATE} ({error.strerror or error})")
    return lines + _said(done, copies.name), not done["failed"]


def _place(path, copies, made_from):
    """Put one notebook's present version where it may go: ("new" | "renewed" | "beside" | "there", file name)."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    version = fingerprint(notebook)
    for name in _names(path):
        copy, last = copies / name, made_from.get(name)
        there = os.path.lexists(copy)
        if not there and name != path.name and last == version:
            return "there", name                            # it lay beside a changed copy, and was deleted
        found = fingerprint_of(copy) if there else None
        if found is not None and last == version or found == version:
            made_from[name] = version                       # made from this very version, changed since or not
            return "there", name
        if not there or found is not None and found == last and copy.stat().st_mode & stat.S_IWUSR:
            write(copy, json.dumps(cleared(notebook), indent=1, ensure_ascii=False) + "\n")
            made_from[name] = version
            return ("renewed" if there else "new" if name == path.name else "beside"), name


def _names(path):
    """05_x.ipynb, then 05_x-new.ipynb, 05_x-new-2.ipynb, ..."""
    yield path.name
    for number in itertools.count(1):
        yield f"{path.stem}-new{f'-{number}' if number > 1 else ''}.ipynb"


def _read_state(path):
    """File name -> fingerprint of the version it was made from; and what there is to say."""
    try:
        state = json.loads(path.read_text(encoding="utf-8"))
        if state["version"] == VERSION:
            return {str(name): str(version) for name, version in state["made_from"].items()}, []
    except FileNotFoundError:
        return {}, []
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        pass
    return {}, [f"{path.parent.name}/{path.name} can't be used, so every copy that differs from the course counts as changed."]


def _said(done, folder):
    """One plain line, or none where nothing was done; one more for what failed."""
    parts = []
    if done["new"]:
        parts.append(f"{_count(done['new'])} made")
    if done["renewed"]:
        parts.append(f"{_count(done['renewed'])} renewed, which you had not changed")
    if done["beside"]:
        parts.append(f"your changed copies stay, and the new version is beside them: {', '.join(done['beside'])}")
    lines = [f"{folder}: {'; '.join(parts)}."] if parts else []
    if done["failed"]:
        lines.append(f"{folder}: could not be written: {', '.join(done['failed'])}. Nothing of yours was changed.")
    return lines


def _count(names):
    return names[0] if len(names) == 1 else f"{len(names)} notebooks"


def main(arguments=None):
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    lab = "--lab" in arguments
    arguments = [argument for argument in arguments if argument != "--lab"]
    if arguments and not lab:
        print(__doc__)
        return 2
    lines, well = update(ROOT / COURSE, ROOT / COPIES)
    print("\n".join(lines), end="\n" if lines else "", flush=True)
    if not lab:
        return 0 if well else 1
    from jupyterlab.labapp import main as open_lab

    folder = COPIES if (ROOT / COPIES / START).exists() else COURSE      # a full disk must not keep anyone from reading
    return open_lab(["--ip=127.0.0.1", f"--ServerApp.root_dir={ROOT}", f"--LabApp.default_url=/lab/tree/{folder}/{START}", *arguments])


if __name__ == "__main__":
    sys.exit(main())
