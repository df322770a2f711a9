"""What a learner has done so far, kept in a small file in the learner's own copy of the course and nowhere else.

    from pe_lib.teach.quiz import progress

    progress("05")      # at the top of chapter 5: a line that counts exercises solved and predictions made
    progress()          # in chapter 0: all chapters

The file lies beside the notebooks where ``tools/my_course.py`` has left its own file; elsewhere nothing is kept and the line
never changes. Deleting the file forgets everything. Nothing is sent.
"""

import contextlib
import json
import os
import weakref
from html import escape
from pathlib import Path

import ipywidgets

FILE, MARKER, VERSION = "progress.json", ".made_from.json", 1
NOTHING_KEPT = "Progress is kept in your own copy of the course only (make lab opens it)."
_lines = weakref.WeakSet()
_now = {"chapter": None, "said": ""}        # the chapter whose line was shown last, and what went wrong with the file


class Line(ipywidgets.HTML):
    """One line of text that follows the file while its cell is on the page."""

    def __init__(self, chapter):
        self.chapter = chapter
        super().__init__()
        _lines.add(self)
        self.renew()

    def renew(self):
        self.text = _text(self.chapter)
        self.value = f'<p style="margin: 0; line-height: 1.4">{escape(self.text)}</p>'

    def _repr_mimebundle_(self, **options):
        return dict(super()._repr_mimebundle_(**options)) | {"text/plain": self.text, "text/html": self.value}


def progress(chapter=None):
    """A line that says what was done of a chapter ("05"), or of every chapter begun.

    Raises ValueError for a chapter that is not written with two digits.
    """
    if chapter is not None and not (isinstance(chapter, str) and len(chapter) == 2 and chapter.isdigit()):
        raise ValueError(f"a chapter is two digits in quotes, such as \"05\"; got {chapter!r}")
    _now["chapter"] = chapter or "00"
    return Line(chapter)


def record(kind, name):
    """Keep that an exercise ("exercises", "5.1") or a prediction ("predictions", its question) was done."""
    folder = _folder()
    if folder is None or (kind == "predictions" and _now["chapter"] is None):
        return
    kept = _read(folder)
    chapter = f"{int(name.split('.')[0]):02}" if kind == "exercises" else _now["chapter"]
    names = kept["done"].setdefault(chapter, {}).setdefault(kind, [])
    if name not in names:
        names.append(name)
        _write(folder, kept)
    for line in list(_lines):
        line.renew()


def inventory_score(when, right=None):
    """How many of the twenty questions were right "before" the course, or "after" it, None if nothing is kept; right is kept first.

    What was kept before the course stays, whatever is answered later; of what comes after it the latest stays.
    """
    folder = _folder()
    if folder is None:
        return None
    kept = _read(folder)
    if right is not None and not (when == "before" and when in kept["inventory"]):
        kept["inventory"][when] = right
        _write(folder, kept)
    return kept["inventory"].get(when)


def _folder():
    folder = Path()                            # a notebook's kernel works in the notebook's folder
    return folder if (folder / MARKER).is_file() else None


def _read(folder):
    """{"done": chapter -> kind -> names, "inventory": when -> right answers}; a file that can't be used is put aside, and that is said."""
    path = folder / FILE
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        if kept["version"] == VERSION:
            done = {f"{int(chapter):02}": {kind: [str(name) for name in names] for kind, names in done.items()}
                    for chapter, done in kept["done"].items()}
            return {"done": done, "inventory": {str(when): int(right) for when, right in kept.get("inventory", {}).items()}}
    except FileNotFoundError:
        return {"done": {}, "inventory": {}}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        pass
    _now["said"] = f"{FILE} could not be used, so counting starts anew."
    try:
        os.replace(path, folder / f"old-{FILE}")
        _now["said"] += f" The old file is kept as old-{FILE}."
    except OSError as error:
        _now["said"] += f" ({error.strerror})"
    return {"done": {}, "inventory": {}}


def _write(folder, kept):
    part = folder / f".{FILE}.{os.getpid()}"
    try:
        part.write_text(json.dumps({"version": VERSION, **kept}, indent=1, ensure_ascii=False), encoding="utf-8")
        os.replace(part, folder / FILE)
    except OSError as error:
        part.unlink(missing_ok=True)
        _now["said"] = f"Progress could not be saved: {error.strerror or error}."


def _text(chapter):
    folder = _folder()
    if folder is None:
        return NOTHING_KEPT
    done = _read(folder)["done"]
    if chapter is not None:
        counted = f"Chapter {int(chapter)}: {_count(folder, chapter, done.get(chapter, {}))}."
    else:
        begun = [f"chapter {int(number)}: {_count(folder, number, done[number])}" for number in sorted(done)]
        counted = f"So far {'; '.join(begun)}." if begun else "Nothing is solved or predicted yet."
    return " ".join(filter(None, [counted, _now["said"]]))


def _count(folder, chapter, done):
    """"2 of 3 exercises solved, 1 of 4 predictions made"; the totals are those of the notebook in the folder."""
    said = []
    for (kind, total), verb in zip(_totals(folder, chapter).items(), ("solved", "made"), strict=True):
        count = len(done.get(kind, []))
        said += [f"{count} of {max(count, total)} {kind} {verb}"] if count or total else []
    return ", ".join(said) or "nothing to count"


def _totals(folder, chapter):
    """How many exercises and predictions the chapter's notebook holds; 0 where it can't be read."""
    cells = []
    for path in sorted(folder.glob(f"{chapter}_*.ipynb"), key=lambda path: len(path.name))[:1]:
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            cells = [("".join(cell["source"]), cell["metadata"].get("tags", []))
                     for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    return {"exercises": sum("check" in tags for _, tags in cells), "predictions": sum("predict(*" in source for source, _ in cells)}
