"""Questions in a real browser, by keyboard: what is heard after a choice, what things are called, what is kept apart."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.browser

IMG = "<img src=x onerror=alert(1)>"
CELLS = [
    "from pe_lib.teach.quiz import ask, predict",
    f"""asked = ask("Is `x < y` *really* <i>so</i> & {IMG}?", {{
    "the *same*": "Yes: `a < b`.", "larger & larger": "Is it? {IMG}", "<u>less</u>": "Look at row 2."}}, right="the *same*")
asked""",
    'predicted = predict("What will the run print?", {"one": "The run prints two.", "two": "So it does."}, right="two")\npredicted',
    "asked",
]
QUESTION = f"Is x < y really <i>so</i> & {IMG}?"
OPTIONS = ["the same", "larger & larger", "<u>less</u>"]


class Quiz:
    """The n-th question of the notebook."""

    def __init__(self, notebook, n):
        self.notebook, self.page, self.n = notebook, notebook.page, n
        self.group = self.page.locator(".jp-Notebook .pe-quiz").nth(n)
        self.radios, self.button = self.group.get_by_role("radio"), self.group.get_by_role("button")
        self.status = self.group.get_by_role("status")
        self.group.scroll_into_view_if_needed()

    def checked(self):
        return [n for n, radio in enumerate(self.radios.all()) if radio.is_checked()]

    def hears(self, text):
        """Wait until the line of feedback is this text."""
        from playwright.sync_api import expect

        expect(self.status).to_have_text(text)

    def names(self):
        """[(role, name), ...] in the browser's accessibility tree."""
        session = self.page.context.new_cdp_session(self.page)
        root = session.send("Runtime.evaluate", {"expression": f"document.querySelectorAll('.jp-Notebook .pe-quiz')[{self.n}]"})
        nodes = session.send("Accessibility.queryAXTree", {"objectId": root["result"]["objectId"]})["nodes"]
        session.detach()
        return [(node["role"]["value"], node["name"]["value"]) for node in nodes if not node["ignored"] and "name" in node]


@pytest.fixture
def questions(scratch):
    """A question, a prediction, and the same question once more below."""
    scratch.page.bring_to_front()
    scratch.replace(CELLS)
    assert scratch.run() == []
    scratch.page.wait_for_function("() => document.querySelectorAll('.jp-Notebook .pe-quiz').length === 3")
    yield [Quiz(scratch, n) for n in range(3)]
    messages = list(scratch.messages)
    scratch.messages.clear()
    assert messages == []


def test_a_wrong_option_and_then_the_right_one_by_keyboard(questions):
    quiz, *_ = questions
    press = quiz.page.keyboard.press
    assert quiz.checked() == [] and quiz.status.inner_text() == ""
    quiz.button.focus()
    press("Enter")
    quiz.hears("Choose one of the options first.")
    quiz.radios.first.focus()
    press("Space")
    press("ArrowDown")
    assert quiz.checked() == [1]
    press("Tab")                                                    # one stop for all options, then the button
    press("Enter")
    quiz.hears(f"✗ Not yet. Is it? {IMG}")
    press("Shift+Tab")
    press("ArrowUp")
    assert quiz.checked() == [0] and "Not yet." in quiz.status.inner_text()    # moving reveals nothing
    press("Tab")
    press("Space")
    quiz.hears("✓ Right. Yes: a < b.")
    assert quiz.notebook.evaluate("[asked.choice, predicted.choice]") == [0, None]


def test_the_notebooks_own_keys_do_nothing_among_the_options(questions):
    quiz, *_ = questions
    quiz.radios.first.focus()
    for key in ("a", "b", "ArrowDown", "Enter", "x"):               # in command mode: new cells, the next cell, edit, cut
        quiz.page.keyboard.press(key)
    quiz.button.focus()
    quiz.page.keyboard.press("Enter")
    quiz.hears(f"✗ Not yet. Is it? {IMG}")
    assert quiz.page.locator(".jp-Notebook .jp-Cell").count() == len(CELLS)
    assert quiz.page.evaluate("lab.notebook().content.mode") == "command"


def test_a_prediction_is_made_once(questions):
    _, quiz, _ = questions
    quiz.radios.first.focus()
    quiz.page.keyboard.press("Space")
    quiz.button.press("Enter")
    quiz.hears("You predicted “one”. The run prints two.")
    assert ("button", "Committed") in quiz.names() and quiz.button.get_attribute("aria-disabled") == "true"
    assert [radio.is_disabled() for radio in quiz.radios.all()] == [False, True]
    quiz.radios.first.press("ArrowDown")
    quiz.button.press("Enter")
    assert quiz.checked() == [0] and quiz.notebook.evaluate("predicted.choice") == 0


def test_everything_has_its_name_in_the_accessibility_tree(questions):
    quiz, prediction, _ = questions
    names = quiz.names()
    assert names[0] == ("group", QUESTION)
    assert [name for role, name in names if role == "radio"] == OPTIONS
    assert [name for role, name in names if role == "button"] == ["Check"]
    assert prediction.names()[0] == ("group", "What will the run print?")
    assert [name for role, name in prediction.names() if role == "button"] == ["Commit"]


def test_questions_do_not_share_their_options_and_two_views_of_one_agree(questions):
    first, prediction, again = questions
    first.radios.nth(2).check()
    prediction.radios.nth(1).check()
    again.radios.nth(1).check()
    assert [quiz.checked() for quiz in questions] == [[2], [1], [1]]
    first.button.press("Space")
    for view in (first, again):
        view.hears("✗ Not yet. Look at row 2.")
        assert view.checked() == [2]
    assert prediction.status.inner_text() == ""


def test_text_is_shown_as_it_is_written(questions):
    quiz, *_ = questions
    quiz.radios.nth(1).check()
    quiz.button.press("Enter")
    quiz.hears(f"✗ Not yet. Is it? {IMG}")
    assert quiz.group.locator("legend").inner_text() == QUESTION
    assert quiz.group.locator("label > span").all_inner_texts() == OPTIONS
    assert quiz.group.locator("img, i, u").count() == 0
    assert quiz.group.locator("code").all_inner_texts() == ["x < y"] and quiz.group.locator("em").all_inner_texts() == ["really", "same"]


def test_a_verdict_has_a_mark_and_a_colour(questions):
    quiz, prediction, _ = questions
    for choice, state, mark in [(1, "pe-wrong", "✗"), (0, "pe-right", "✓")]:
        quiz.radios.nth(choice).check()
        quiz.button.press("Enter")
        marked = quiz.group.locator("label .pe-mark")
        assert marked.all_inner_texts() == [mark]                       # one at a time, beside the option chosen
        assert quiz.group.locator("label").nth(choice).get_attribute("class") == state
        assert quiz.status.locator(".pe-mark").inner_text() == mark
    prediction.radios.nth(0).check()
    prediction.button.press("Enter")
    assert prediction.group.locator("label .pe-mark").all_inner_texts() == ["•"]      # a guess is neither right nor wrong yet


def test_a_kernel_that_sends_undefined_for_no_choice_is_understood(questions):
    """JupyterLite's kernel does: the question must show itself, unanswered."""
    source = (ROOT / "pe_lib/teach/quiz.js").read_text(encoding="utf-8")
    shown = questions[0].page.evaluate("""async (source) => {
        const { default: view } = await import(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })));
        const values = { kind: 'predict', question: 'Is it?', options: ['yes', 'no'], feedback: ['A', 'B'], right: 0 };
        const model = { get: (name) => values[name], set: (name, value) => { values[name] = value; }, on() {}, off() {}, save_changes() {} };
        const el = document.createElement('div');
        view.render({ model, el });
        const before = el.querySelector('[role=status]').textContent;
        el.querySelectorAll('input')[1].checked = true;
        el.querySelector('button').click();
        return [before, values.choice];
    }""", source)
    assert shown == ["", 1]
