"""Questions: one declaration, shown live, as HTML and as text; nothing preselected, nothing unescaped."""

import importlib
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pe_lib.teach.quiz import Question, ask, inventory, markup, predict, score

OPTIONS = {"the *same*": "Yes: `a < b`.", "larger & larger": "Is it?", '<script>alert("x")</script>': "No & no."}
QUESTIONS_FOLDER = Path(__file__).parents[1] / "pe_lib" / "teach" / "questions"
VIEW = "application/vnd.jupyter.widget-view+json"


def question(make=ask, options=OPTIONS, right="the *same*", text="Is `x < y` & z?"):
    return make(text, options, right)


class Outline(HTMLParser):
    """The tags that open and close, and the text between them."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.open, self.text, self.attributes = [], [], [], []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.open.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append((data, "details" in self.open))


def test_nothing_is_chosen_at_first_and_options_keep_their_order():
    asked = question()
    assert asked.choice is None and asked.kind == "ask"
    assert asked.options == [markup(option) for option in OPTIONS]
    assert asked.right == 0 and question(right="larger & larger").right == 1
    assert question(predict).kind == "predict"


def test_every_option_has_its_own_feedback():
    assert question().feedback == [markup(text) for text in OPTIONS.values()]


@pytest.mark.parametrize("module", sorted(path.stem for path in QUESTIONS_FOLDER.glob("[a-z]*.py")))
def test_no_right_answer_is_called_right_twice(module):
    """The card says "Right." itself."""
    for name, question in vars(importlib.import_module(f"pe_lib.teach.questions.{module}")).items():
        if name.isupper():
            _, options, right, *_ = question
            assert not re.match(r"(Right|Yes)[.,: ]", options[right]), (name, options[right])


def test_the_page_gets_escaped_text_alone():
    asked = question()
    for text in (asked.question, *asked.options, *asked.feedback):
        assert set(Outline(text).tags) <= {"code", "em"}
    assert asked.options[2] == "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;"


@pytest.mark.parametrize("make, title", [(ask, "Answers"), (predict, "After you have predicted")])
def test_without_a_kernel_the_options_are_in_sight_and_the_answers_in_a_fold(make, title):
    outline = Outline(question(make).html)
    assert outline.open == [] and outline.attributes == []
    seen = "".join(text for text, folded in outline.text if not folded)
    folded = "".join(text for text, folded in outline.text if folded)
    for option in ("the same", "larger & larger", '<script>alert("x")</script>'):
        assert option in seen and option in folded
    for feedback in ("Yes: a < b.", "Is it?", "No & no."):
        assert feedback in folded and feedback not in seen
    assert folded.startswith(title) and "(right)" not in seen
    assert re.findall(r"([^.?]*?) \(right\)", folded.removeprefix(title)) == ["the same"]


def test_the_bundle_is_the_live_view_html_and_text_the_same_every_time():
    bundles = [question()._repr_mimebundle_() for _ in range(2)]
    for data, _ in bundles:
        assert set(data) == {VIEW, "text/html", "text/plain"}
    (one, _), (two, _) = bundles
    assert one["text/html"] == two["text/html"] == question().html
    assert one["text/plain"] == two["text/plain"]
    assert one["text/plain"].splitlines() == ["Is `x < y` & z?", *(f"( ) {option}" for option in OPTIONS)]


@pytest.mark.parametrize("text, html", [
    ("plain", "plain"),
    ("a *b* c", "a <em>b</em> c"),
    ("*two words*, and `c*d*e`", "<em>two words</em>, and <code>c*d*e</code>"),
    ("2 * 3 * 4 and a*b*c", "2 * 3 * 4 and a*b*c"),
    ("*a", "*a"),
    ("a*b* c *d*e", "a*b* c *d*e"),
    ("`<b>` & \"q\"", "<code>&lt;b&gt;</code> &amp; &quot;q&quot;"),
    ("a ` b", "a ` b"),
])
def test_markup(text, html):
    assert markup(text) == html


@given(st.text(alphabet="ab*`<>&\"' /=", max_size=30))
def test_markup_never_lets_a_tag_through_and_always_closes_its_own(text):
    outline = Outline(markup(text))
    assert outline.open == [] and set(outline.tags) <= {"em", "code"} and outline.attributes == []


@pytest.mark.parametrize("wrong, message", [
    (dict(options={"one": "yes"}, right="one"), "at least two"),
    (dict(options=["a", "b"], right="a"), "at least two"),
    (dict(right="the same"), "right must be one of"),
    (dict(right=0), "right must be one of"),
    (dict(text=" "), "not empty; got ' '"),
    (dict(text=None), "not empty; got None"),
    (dict(options={"a": "x", "": "y"}, right="a"), "not empty; got ''"),
    (dict(options={"a": "x", "b": ""}, right="a"), "not empty; got ''"),
    (dict(options={"a": "x", "b": None}, right="a"), "not empty; got None"),
    (dict(options={"a": "x", 2: "y"}, right="a"), "not empty; got 2"),
])
@pytest.mark.parametrize("make", [ask, predict])
def test_a_faulty_declaration_is_refused(make, wrong, message):
    with pytest.raises(ValueError, match=message):
        question(make, **wrong)


ROW = [(f"Question {number}?", {"yes": "Yes.", "no": "Look again."}, "yes", chapter, "## A section")
       for number, chapter in enumerate([1, 4, 4, 2], 1)]


def test_an_inventory_counts_and_says_where_to_look_again():
    row = inventory(ROW)
    assert [child.text for child in row.questions] == [f"{n}. Question {n}?" for n in (1, 2, 3, 4)]
    assert "0 of 4 answered." in row.line.value
    for asked, choice in zip(row.questions, [0, 1, 1], strict=False):
        asked.choice = choice
    assert "3 of 4 answered, 1 right; look again at chapter 4." in row.line.value
    row.questions[1].choice = 0                                        # an answer may be mended, and the first one counts
    assert "3 of 4 answered, 1 right; look again at chapter 4." in row.line.value
    assert list(row.children) == [*row.questions, row.line]


def test_an_inventorys_bundle_holds_every_question():
    row = inventory(ROW)
    data, _ = row._repr_mimebundle_()
    assert set(data) == {VIEW, "text/html", "text/plain"}
    assert data["text/html"] == "".join(asked.html for asked in row.questions)
    assert data["text/plain"].count("( ) yes") == 4


@pytest.mark.parametrize("faulty", [[], [("Q?", {"a": "x", "b": "y"}, "a")], [("Q?", {"a": "x", "b": "y"}, "a", 1)],
                                    [("Q?", {"a": "x", "b": "y"}, "c", 1, "## S")]])
def test_a_faulty_inventory_is_refused(faulty):
    with pytest.raises(ValueError):
        inventory(faulty)


@pytest.mark.parametrize("correct, chapters, line", [
    ([None, None], [1, 2], "0 of 2 answered."),
    ([True, None], [1, 2], "1 of 2 answered, 1 right."),
    ([True, True], [1, 2], "2 of 2 answered, all right."),
    ([False, None], [1, 2], "1 of 2 answered, 0 right; look again at chapter 1."),
    ([False, False, False, True], [12, 8, 1, 9], "4 of 4 answered, 1 right; look again at chapters 1, 8 and 12."),
    ([False, False], [3, 3], "2 of 2 answered, 0 right; look again at chapter 3."),
])
def test_score(correct, chapters, line):
    assert score(correct, chapters) == line


def test_the_browser_side_is_shipped_with_the_library():
    assert "suppress-shortcuts" in str(Question._esm) and ".pe-quiz" in str(Question._css)
