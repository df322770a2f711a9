"""The learner's own copies: an update renews what is untouched and never loses anything a learner did."""

import json
import os
import re
import shutil
import subprocess
import sys

import my_course
import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from notebook_kit import NOTEBOOKS, ROOT

from pe_lib.teach import progress

ONE, TWO = "01_one.ipynb", "02_two.ipynb"


class Course:
    """A course of two notebooks, and its copies."""

    def __init__(self, folder):
        self.notebooks, self.copies = folder / "notebooks", folder / "my_course"
        self.notebooks.mkdir()
        for name in (ONE, TWO):
            self.publish(name, 1)

    def publish(self, name, version):
        output = new_output("stream", text=f"answer {version}\n")
        cells = [new_markdown_cell(f"# Version {version}"), new_code_cell("guess = ...", execution_count=1, outputs=[output],
                                                                         metadata={"tags": ["exercise"], "jupyter": {"source_hidden": True}})]
        nbformat.write(new_notebook(cells=cells), self.notebooks / name)

    def update(self):
        """The line said; and every time: the copies made are sound, and no scrap is left."""
        lines, self.well = my_course.update(self.notebooks, self.copies)
        if self.copies.exists():
            assert [name for name in os.listdir(self.copies) if name.endswith(".part")] == []
        return "\n".join(lines)

    def version(self, name):
        return int(nbformat.read(self.copies / name, 4).cells[0].source.removeprefix("# Version "))

    def type(self, name, source="guess = 7"):
        notebook = nbformat.read(self.copies / name, 4)
        notebook.cells[1].source = source
        nbformat.write(notebook, self.copies / name)

    def answer(self, name):
        return nbformat.read(self.copies / name, 4).cells[1].source

    def names(self):
        return sorted(name for name in os.listdir(self.copies) if name.endswith(".ipynb"))


@pytest.fixture
def course(tmp_path):
    course = Course(tmp_path)
    assert course.update() == "my_course: 2 notebooks made."
    return course


BESIDE = "my_course: your changed copies stay, and the new version is beside them: 01_one-new.ipynb."


def test_a_copy_has_no_outputs_and_keeps_its_cells_and_their_metadata(course):
    made, source = (nbformat.read(folder / ONE, 4) for folder in (course.copies, course.notebooks))
    assert [cell.source for cell in made.cells] == [cell.source for cell in source.cells]
    assert made.cells[1].metadata == source.cells[1].metadata
    assert (made.cells[1].outputs, made.cells[1].execution_count) == ([], None)
    assert source.cells[1].outputs != []


def test_without_an_update_nothing_is_touched_and_nothing_said(course):
    course.type(ONE)
    before = {name: (course.copies / name).stat().st_mtime_ns for name in course.names()}
    assert course.update() == ""
    assert {name: (course.copies / name).stat().st_mtime_ns for name in course.names()} == before


def test_an_untouched_copy_is_renewed_even_if_it_was_run(course):
    notebook = nbformat.read(course.copies / ONE, 4)
    notebook.cells[1].outputs = [new_output("stream", text="run\n")]
    notebook.cells[1].id = "another"
    notebook.cells[1].metadata["execution"] = {"time": 1}
    notebook.metadata["widgets"] = {}
    nbformat.write(notebook, course.copies / ONE)
    course.publish(ONE, 2)
    assert course.update() == "my_course: 01_one.ipynb renewed, which you had not changed."
    assert (course.version(ONE), course.version(TWO), course.names()) == (2, 1, [ONE, TWO])


def test_an_edited_copy_stays_and_the_new_version_is_put_beside_it_once(course):
    course.type(ONE)
    course.publish(ONE, 2)
    assert course.update() == BESIDE
    assert (course.answer(ONE), course.version(ONE), course.version("01_one-new.ipynb")) == ("guess = 7", 1, 2)
    assert course.update() == ""
    (course.copies / "01_one-new.ipynb").unlink()                     # not wanted: it is not forced on anyone
    assert course.update() == "" and course.names() == [ONE, TWO]


def test_two_updates_in_a_row_with_the_version_beside_untouched_or_edited(course):
    course.type(ONE)
    course.publish(ONE, 2)
    course.update()
    course.publish(ONE, 3)
    assert course.update() == "my_course: 01_one-new.ipynb renewed, which you had not changed."
    course.type("01_one-new.ipynb", "guess = 8")
    course.publish(ONE, 4)
    assert "01_one-new-2.ipynb" in course.update()
    assert {name: (course.version(name), course.answer(name)) for name in course.names()} == {
        ONE: (1, "guess = 7"), "01_one-new.ipynb": (3, "guess = 8"), "01_one-new-2.ipynb": (4, "guess = ..."), TWO: (1, "guess = ...")}


def test_two_updates_at_once_are_one(course):
    course.type(ONE)
    course.publish(ONE, 2)
    course.publish(ONE, 3)
    assert course.update() == BESIDE and course.version("01_one-new.ipynb") == 3


def test_a_deleted_copy_is_made_again_and_a_renamed_one_stays(course):
    (course.copies / ONE).unlink()
    (course.copies / TWO).rename(course.copies / "mine.ipynb")
    assert course.update() == "my_course: 2 notebooks made."
    assert course.names() == [ONE, TWO, "mine.ipynb"]
    course.publish(TWO, 2)
    course.update()
    assert (course.version(TWO), course.version("mine.ipynb")) == (2, 1)


def test_the_new_version_renamed_in_place_of_the_old(course):
    course.type(ONE)
    course.publish(ONE, 2)
    course.update()
    os.replace(course.copies / "01_one-new.ipynb", course.copies / ONE)
    assert course.update() == ""
    course.publish(ONE, 3)
    assert course.update() == "my_course: 01_one.ipynb renewed, which you had not changed."


@pytest.mark.parametrize("content", [lambda text: text[:len(text) // 2], lambda text: "", lambda text: "[]", lambda text: '{"cells": [{}]}'],
                         ids=["truncated", "empty", "no notebook", "odd cells"])
@pytest.mark.parametrize("version", [1, 2])
def test_a_half_written_copy_stays_and_a_sound_one_is_put_beside_it(course, content, version):
    half = content((course.copies / ONE).read_text(encoding="utf-8"))
    (course.copies / ONE).write_text(half, encoding="utf-8")
    course.publish(ONE, version)
    assert course.update() == BESIDE
    assert (course.copies / ONE).read_text(encoding="utf-8") == half
    assert course.version("01_one-new.ipynb") == version
    assert course.update() == ""


def test_a_write_protected_copy_stays(course):
    (course.copies / ONE).chmod(0o444)
    assert course.update() == ""
    course.publish(ONE, 2)
    assert course.update() == BESIDE
    assert course.version(ONE) == 1


@pytest.mark.parametrize("broken", ["write_text", "replace"])
def test_a_full_disk_destroys_nothing_and_the_next_update_mends_it(course, monkeypatch, broken):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    def half(path, text, **_):
        path.write_bytes(text.encode()[:10])
        full()
    course.type(TWO)
    course.publish(ONE, 2)
    course.publish(TWO, 2)
    before = {name: (course.copies / name).read_bytes() for name in os.listdir(course.copies)}
    if broken == "replace":
        monkeypatch.setattr(my_course.os, "replace", full)
    else:
        monkeypatch.setattr(my_course.Path, "write_text", half)
    assert "could not be written: 01_one.ipynb (No space left on device), 02_two.ipynb" in course.update()
    assert not course.well
    monkeypatch.undo()
    assert {name: (course.copies / name).read_bytes() for name in os.listdir(course.copies)} == before
    course.update()
    assert (course.well, course.version(ONE), course.answer(TWO), course.version("02_two-new.ipynb")) == (True, 2, "guess = 7", 2)


@pytest.mark.parametrize("state", ["", "{", "[]", '{"version": 2, "made_from": {}}', '{"version": 1}', None])
def test_without_its_own_file_everything_that_differs_counts_as_changed(course, state):
    course.type(ONE)
    path = course.copies / my_course.STATE
    path.unlink() if state is None else path.write_text(state)
    course.publish(ONE, 2)
    said = course.update()
    assert BESIDE in said and ("can't be used" in said) is (state is not None)
    assert course.answer(ONE) == "guess = 7"
    assert course.update() == ""


def test_an_update_by_git_never_refuses(tmp_path):
    def git(*arguments, cwd):
        done = subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *arguments], cwd=cwd, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def copy_of_course():
        subprocess.run([sys.executable, mine / "tools" / "my_course.py"], check=True)
    theirs, mine = tmp_path / "theirs", tmp_path / "mine"
    theirs.mkdir()
    course = Course(theirs)
    (theirs / "tools").mkdir()
    shutil.copy(ROOT / "tools" / "my_course.py", theirs / "tools")
    shutil.copy(ROOT / ".gitignore", theirs)
    git("init", "-q", cwd=theirs)
    git("add", ".", cwd=theirs)
    git("commit", "-q", "-m", "one", cwd=theirs)
    git("clone", "-q", str(theirs), str(mine), cwd=tmp_path)
    copy_of_course()
    course.copies = mine / "my_course"
    course.type(ONE)
    assert git("status", "--porcelain", cwd=mine) == ""
    course.publish(ONE, 2)
    git("commit", "-q", "-a", "-m", "two", cwd=theirs)
    git("pull", "-q", cwd=mine)
    copy_of_course()
    assert (course.answer(ONE), course.version("01_one-new.ipynb")) == ("guess = 7", 2)


def test_the_copies_find_the_progress_file_and_the_links_stay_within_the_folder():
    assert my_course.STATE == progress.MARKER
    links = {target for path in NOTEBOOKS for cell in nbformat.read(path, 4).cells if cell.cell_type == "markdown"
             for target in re.findall(r"(?:\]\(|src=\")(?!http|#|attachment:)([^)\"#\s]+)", cell.source)}
    assert links and links <= {path.name for path in NOTEBOOKS}


def test_the_real_notebooks_make_copies_that_are_valid(tmp_path):
    lines, well = my_course.update(ROOT / "notebooks", tmp_path / "my_course")
    assert well and lines == [f"my_course: {len(NOTEBOOKS)} notebooks made."]
    for path in NOTEBOOKS:
        made = nbformat.read(tmp_path / "my_course" / path.name, 4)
        nbformat.validate(made)
        assert not any(cell.get("outputs") for cell in made.cells)
    assert json.loads((tmp_path / "my_course" / my_course.STATE).read_text())["made_from"].keys() == {path.name for path in NOTEBOOKS}


def test_another_argument_than_lab_is_explained(capsys):
    assert my_course.main(["--hepl"]) == 2
    assert "--lab" in capsys.readouterr().out
