"""Questions a learner answers before reading on: radio buttons, a button to check, feedback for every option.

One declaration serves the live page and, without a kernel, a block that opens to the answers::

    ask("A turn of 3 tokens at 0.1 radian a token is …",
        {"0.3 radian": "Yes, wherever you start.", "30 radian": "How much is 3 times 0.1?"},
        right="0.3 radian")

Texts may hold `code` and *emphasis*; all else is shown as it is written.
"""

import re
from html import escape
from pathlib import Path

import anywidget
import ipywidgets
import traitlets

from .progress import inventory_score, progress, record

__all__ = ["Inventory", "Question", "ask", "inventory", "markup", "predict", "progress", "score"]
_EMPHASIS = re.compile(r"(?<![\w*])\*(?![\s*])([^*]*[^\s*])\*(?![\w*])")       # *so*, but not 2 * 3 * 4 or a*b*c


class Question(anywidget.AnyWidget):
    """A question with its options; ``choice`` is the number of the option the learner has checked, or None."""

    _esm = Path(__file__).with_name("quiz.js")
    _css = Path(__file__).with_name("quiz.css")
    kind = traitlets.Enum(["ask", "predict"]).tag(sync=True)
    question = traitlets.Unicode().tag(sync=True)      # the texts the browser gets are HTML, escaped here
    options = traitlets.List().tag(sync=True)
    feedback = traitlets.List().tag(sync=True)
    right = traitlets.Int().tag(sync=True)
    choice = traitlets.Int(None, allow_none=True).tag(sync=True)

    def __init__(self, question, options, right, kind="ask"):
        _validate(question, options, right)
        self.text, self.texts = question, dict(options)
        super().__init__(kind=kind, question=markup(question), right=list(options).index(right),
                         options=[markup(option) for option in options],
                         feedback=[markup(text) for text in options.values()])
        if kind == "predict":
            self.observe(lambda change: change["new"] is None or record("predictions", question), "choice")

    @property
    def html(self):
        """The question for a reader without a kernel: the options in sight, the answers in a fold."""
        options = "".join(f"<li>{option}</li>" for option in self.options)
        answers = "".join(f"<li><strong>{option}</strong>{' (right)' if number == self.right else ''}: {text}</li>"
                          for number, (option, text) in enumerate(zip(self.options, self.feedback, strict=True)))
        title = "Answers" if self.kind == "ask" else "After you have predicted"
        return (f"<p><strong>{self.question}</strong></p><ul>{options}</ul>"
                f"<details><summary>{title}</summary><ul>{answers}</ul></details>")

    def __str__(self):
        return "\n".join([self.text, *(f"( ) {option}" for option in self.texts)])

    def _repr_mimebundle_(self, **options):
        return _bundle(super()._repr_mimebundle_(**options), self.html, str(self))


class Inventory(ipywidgets.VBox):
    """Questions in a row and a line with the score, which counts each first answer; the whole score is kept with the progress."""

    def __init__(self, questions, again=False):
        self.questions = [Question(f"{number}. {question}", options, right)
                          for number, (question, options, right, *_) in enumerate(questions, 1)]
        self.chapters, self.again, self.first = [row[3] for row in questions], again, {}
        self.line = ipywidgets.HTML()
        super().__init__([*self.questions, self.line])
        for question in self.questions:
            question.observe(self._count, "choice")
        self._count()

    def _count(self, change=None):
        if change is not None and change["new"] is not None:
            self.first.setdefault(change["owner"], change["new"] == change["owner"].right)
        correct = [self.first.get(asked) for asked in self.questions]
        said, when = score(correct, self.chapters), "after" if self.again else "before"
        whole = sum(correct) if None not in correct else None
        if whole is not None:
            inventory_score(when, whole)
        if self.again and (before := inventory_score("before")) is not None:
            now = f" Now: {whole} of {len(correct)}." if whole is not None else ""
            said = f"Before the course: {before} of {len(correct)}.{now} {said}"
        self.line.value = f"<strong>{escape(said)}</strong>"

    def _repr_mimebundle_(self, **options):
        html = "".join(question.html for question in self.questions)
        return _bundle(super()._repr_mimebundle_(**options), html, "\n\n".join(map(str, self.questions)))


def ask(question, options, right):
    """A question; options is a dict from option to its feedback, right is the right option's text."""
    return Question(question, options, right)


def predict(question, options, right):
    """A prediction to commit to before the reveal: it can be made once; the feedback says what the run below shows."""
    return Question(question, options, right, kind="predict")


def inventory(questions, again=False):
    """Many questions (question, options, right, chapter, section) in a row, with a line that says where to look again.

    again: they are asked after the course, and the score from before it is shown beside the new one.
    """
    if not questions or any(len(row) != 5 for row in questions):
        raise ValueError(f"an inventory needs rows of (question, options, right, chapter, section); got {questions!r}")
    return Inventory(questions, again)


def score(correct, chapters):
    """The score in words; correct holds True, False or, where unanswered, None.

    >>> score([True, False, None, False], [1, 4, 5, 2])
    '3 of 4 answered, 1 right; look again at chapters 2 and 4.'
    """
    answered = [answer for answer in correct if answer is not None]
    again = sorted({chapter for answer, chapter in zip(correct, chapters, strict=True) if answer is False})
    line = f"{len(answered)} of {len(correct)} answered"
    if answered:
        line += f", {sum(answered) if again or len(answered) < len(correct) else 'all'} right"
    if again:
        names = " and ".join(filter(None, [", ".join(map(str, again[:-1])), str(again[-1])]))
        line += f"; look again at chapter{'s' if len(again) > 1 else ''} {names}"
    return line + "."


def markup(text):
    """Text as HTML: everything escaped, then `code` and *emphasis* marked.

    >>> markup("is `a < b` *really* 2 * 3?")
    'is <code>a &lt; b</code> <em>really</em> 2 * 3?'
    """
    parts = re.split(r"`([^`]+)`", escape(text))           # every second part stood between backquotes
    return "".join(f"<code>{part}</code>" if number % 2 else _EMPHASIS.sub(r"<em>\1</em>", part)
                   for number, part in enumerate(parts))


def _validate(question, options, right):
    if not isinstance(options, dict) or len(options) < 2:
        raise ValueError(f"options must be a dict of at least two, option -> feedback; got {options!r}")
    for text in (question, *options, *options.values()):
        if not isinstance(text, str) or not text.strip():
            raise ValueError(f"question, options and feedback must be texts, not empty; got {text!r} in {question!r}")
    if right not in options:
        raise ValueError(f"right must be one of the options {list(options)}; got {right!r}")


def _bundle(bundle, html, text):
    """The live view for a front end with a kernel, the same question as HTML and as text for all others."""
    data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
    return dict(data or {}) | {"text/html": html, "text/plain": text}, metadata
