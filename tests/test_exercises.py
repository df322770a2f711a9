"""Every exercise: untouched it says so, its solution is right, and each classic mistake is told what is wrong with it."""

import re
import runpy
import textwrap

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from notebook_kit import CHAPTERS, EXERCISES, ROOT, Exercise, each_exercise, each_notebook, exercises

import notebooks

SHAPES = re.compile(r"shape|\([^()\n]*,[^()\n]*\)")


def noted(path, table):
    """WRONG or HINTS (exercise -> mistake -> text) as noted in tests/exercises/ for one notebook."""
    file = ROOT / "tests" / "exercises" / f"{path.stem}.py"
    return runpy.run_path(str(file)).get(table, {}) if file.exists() else {}


def wrong_answers(exercise):
    """The mistakes (name -> source) noted for one exercise."""
    answers = noted(exercise.path, "WRONG").get(exercise.number, {})
    return {name: textwrap.dedent(source).strip() for name, source in answers.items()}


def complaints_about_form(exercise):
    """What is missing in the three cells."""
    if exercise.order != ["exercise", "check", "solution"]:
        return [f"the cells are {exercise.order}, not stub, check, solution"]
    stub, solution = exercise.cell("exercise").source, exercise.cell("solution").source
    found = []
    if not SHAPES.search(stub):
        found.append("the stub does not say the shapes")
    folds = solution.count("<details>"), solution.count("</details>")
    if folds[0] < 4 or folds[0] != folds[1]:
        found.append(f"three hints and the solution are four <details>, not {folds[0]}")
    if not re.search(r"\n\n```python\n", solution):
        found.append("no ```python block after an empty line (without the line it is not shown as code)")
    return found


def complaints_about_verdicts(wrong):
    """What is amiss with the verdicts on the wrong answers (name -> verdict)."""
    found = [] if len(wrong) >= 3 else [f"{len(wrong)} classic mistakes, at least three are wanted: see tests/exercises/README.md"]
    found += [f"{name}: {verdict}" for name, verdict in wrong.items() if verdict["state"] != "wrong"]
    messages = [verdict["message"] for verdict in wrong.values()]
    found += [f"said to two mistakes: {message}" for message in sorted(set(messages)) if messages.count(message) > 1]
    odd = ("\n", "Traceback", " at 0x")
    return found + [f"no message for a learner: {message}" for message in messages if any(part in message for part in odd)]


def complaints_about_hints(wrong, hints):
    """Who does not hear the hint noted for it: verdicts on the wrong answers, and a part of each message (name -> part)."""
    found = [f"{name}: note a part of “{verdict['message']}”" for name, verdict in wrong.items() if not hints.get(name)]
    found += [f"{name}: “{part}” is not in “{wrong[name]['message']}”" for name, part in hints.items()
              if name in wrong and part not in wrong[name]["message"]]
    return found + [f"{name}: a hint, and no such mistake" for name in hints if name not in wrong]


@each_exercise
def test_form(exercise):
    assert complaints_about_form(exercise) == []


@each_exercise
def test_untouched_it_says_not_started(exercise, run_once):
    printed = str(exercise.cell("check").outputs)
    assert f"Exercise {exercise.number}: not started yet" in printed
    assert judge(run_once, exercise, {"stub": exercise.cell("exercise").source})["stub"]["state"] == "not started"


@each_exercise
def test_the_solution_is_right(exercise, run_once):
    verdict = judge(run_once, exercise, {"solution": exercise.solution})["solution"]
    assert verdict["state"] == "right", verdict["message"]


@each_exercise
def test_classic_mistakes_are_rejected_and_each_hears_its_own_hint(exercise, run_once):
    verdicts = judge(run_once, exercise, wrong_answers(exercise))
    assert complaints_about_verdicts(verdicts) == []
    assert complaints_about_hints(verdicts, noted(exercise.path, "HINTS").get(exercise.number, {})) == []


@each_notebook
def test_nothing_is_noted_for_an_exercise_that_is_gone(path):
    assert {*noted(path, "WRONG"), *noted(path, "HINTS")} <= {exercise.number for exercise in exercises(path)}


def test_every_chapter_has_exercises():
    chapters = {path.stem for path in CHAPTERS if not path.stem.startswith("00")}
    assert chapters <= {exercise.path.stem for exercise in EXERCISES}


def judge(run_once, exercise, answers):
    return run_once(exercise.path).call("try_answers", answers, exercise.cell("check").source)


# ---- the tests above can fail

STUB = 'def double(x):\n    """Twice x, of shape (n,)."""\n    ...'
CHECK = """import numpy as np
from pe_lib.teach.checks.exercise import exercise
@exercise("9.1", praise="And twice again is four times.")
def check_double(attempt):
    attempt.agrees("it doubles", lambda x: 2 * x, [(np.arange(3.0),)], classics={"You squared.": lambda x: x * x})
check_double(double)"""
FOLD = "<details><summary>Hint</summary>\n\nAdd.\n\n</details>\n\n"
SOLUTION = FOLD * 3 + "<details><summary>Solution</summary>\n\n```python\ndef double(x):\n    return x + x\n```\n\n</details>"


def specimen(folder, solution=SOLUTION, stub=STUB):
    cells = [
        new_code_cell(stub, metadata={"tags": ["exercise"], "exercise": "9.1"}),
        new_code_cell(CHECK, metadata={"tags": ["check"], "exercise": "9.1"}),
        new_markdown_cell(solution, metadata={"tags": ["solution"], "exercise": "9.1"}),
    ]
    path = folder / "09_specimen.ipynb"
    notebooks.write(notebooks.normalise(new_notebook(cells=cells)), path)
    (found,) = exercises(path)
    return found


def test_verdicts_come_from_the_kernel(run_once, tmp_path):
    exercise = specimen(tmp_path)
    answers = {"stub": STUB, "solution": exercise.solution, "square": "def double(x):\n    return x ** 2",
               "same": "def double(x):\n    return x", "raises": "def double(x):\n    return x.twice"}
    verdicts = judge(run_once, exercise, answers)
    assert {name: verdict["state"] for name, verdict in verdicts.items()} == {
        "stub": "not started", "solution": "right", "square": "wrong", "same": "wrong", "raises": "wrong"}
    wrong = {name: verdict for name, verdict in verdicts.items() if verdict["state"] == "wrong"}
    assert complaints_about_verdicts(wrong) == []
    assert complaints_about_verdicts(wrong | {"right": verdicts["solution"]}) != []
    assert complaints_about_verdicts(wrong | {"again": wrong["same"]}) != []
    assert complaints_about_verdicts({"square": wrong["square"]}) != []
    hints = {"square": "You squared.", "same": "should be 2", "raises": "no attribute 'twice'"}
    assert complaints_about_hints(wrong, hints) == []
    for faulty in (hints | {"same": ""}, hints | {"same": "You squared."}, hints | {"gone": "no"}, {"square": "You squared."}):
        assert complaints_about_hints(wrong, faulty) != []


def test_a_warning_counts_as_a_fault_of_the_answer(run_once, tmp_path):
    exercise = specimen(tmp_path)
    loud = "import warnings\ndef double(x):\n    warnings.warn('not so fast')\n    return 2 * x"
    verdict = judge(run_once, exercise, {"loud": loud})["loud"]
    assert verdict["state"] == "wrong" and "not so fast" in verdict["message"]


@pytest.mark.parametrize("change", [
    {"solution": SOLUTION.replace(FOLD, "", 1)},
    {"solution": SOLUTION.replace("</details>", "", 1)},
    {"solution": SOLUTION.replace("\n\n```python", "\n```python")},
    {"stub": "def double(x):\n    ..."},
], ids=["two hints", "a fold left open", "code that would not be shown", "no shapes"])
def test_a_fault_of_form_is_seen(change, tmp_path):
    assert complaints_about_form(specimen(tmp_path)) == []
    assert complaints_about_form(specimen(tmp_path, **change)) != []


def test_cells_in_the_wrong_order_are_seen(tmp_path):
    found = specimen(tmp_path)
    assert complaints_about_form(Exercise(found.path, found.number, found._cells[::-1])) != []
