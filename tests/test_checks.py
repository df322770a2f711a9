"""What checks are built from: verdicts, and what they say about every way a learner's function can go wrong."""

from html.parser import HTMLParser

import numpy as np
import pytest

from pe_lib.teach.checks.card import STATES, card
from pe_lib.teach.checks.cells import borrowed
from pe_lib.teach.checks.compare import argument_names, difference, name_call, name_kind, numbers
from pe_lib.teach.checks.exercise import Verdict, draws, exercise


def scores_by_loop(q, k):
    return np.array([[sum(a * b for a, b in zip(row, other, strict=True)) / len(row) ** 0.5 for other in k] for row in q])


@exercise("1.1", praise="It never looked at an index.")
def check_scores(attempt):
    """A sample: a shape, a property, a specification with its classic mistakes."""
    q, k = draws((2, 4), (3, 4))[0]
    scores = attempt(q, k, shape=(2, 3))
    attempt.matches("doubling the queries doubles every score", attempt(2 * q, k), 2 * scores, hint="Was anything added?")
    attempt.holds("no score is infinite", not np.isinf(scores).any(), hint="Look at the divisor.", found="one is.")
    attempt.agrees("the scores equal the loop's", scores_by_loop, draws((2, 4), (3, 4)) + draws((1, 9), (5, 9)),
                   hint="Print one score beside the formula.",
                   classics={"Did you forget to divide by √d_head?": lambda q, k: q @ k.T,
                             "Is that d_head, not its root?": lambda q, k: q @ k.T / q.shape[-1]})


def scores(q, k):
    return q @ k.T / q.shape[-1] ** 0.5


def verdict(function):
    return check_scores(function).message.removeprefix("Exercise 1.1: ")


# ---- the three states

@pytest.mark.parametrize("good", [
    scores, scores_by_loop, lambda q, k: scores(q, k).tolist(), lambda q, k: scores(q, k).astype(np.float32),
])
def test_a_right_function_earns_one_line_that_adds_something(good):
    found = check_scores(good)
    assert found == Verdict("right", "Exercise 1.1: right. It never looked at an index.")
    assert repr(found) == found.message


def stub_docstring(q, k):
    """Scores of shape (n_q, n_k)."""


def stub_pass(q, k):
    pass


def stub_dots(q, k):
    return ...


def stub_named_dots(q, k):
    root = q.shape[-1] ** 0.5
    result = ...
    return result if root else None


def stub_raises(q, k):
    raise NotImplementedError("your turn")


@pytest.mark.parametrize("untouched", [stub_docstring, stub_pass, stub_dots, stub_named_dots, stub_raises, None, ...])
def test_an_untouched_exercise_has_not_been_started(untouched):
    assert check_scores(untouched) == Verdict("not started", "Exercise 1.1: not started yet.")


def forgot_return(q, k):
    result = q @ k.T  # noqa: F841


def none_in_some_cases(q, k):
    if len(q) == 2:
        return scores(q, k)


def unfinished(q, k):
    if len(q) == 2:
        return scores(q, k)
    raise NotImplementedError


def dots_in_some_cases(q, k):
    return scores(q, k) if len(q) == 2 else ...


def in_place(q, k):
    q /= 2
    return q @ k.T


def raises(q, k):
    raise KeyError("two\n  lines")


SO_FAR = "no score is infinite, so far so good; but it should also hold that the scores equal the loop's: "


@pytest.mark.parametrize("bad, message", [
    (forgot_return, "forgot_return(q of shape (2, 4), k of shape (3, 4)) gave None. "
                    "Does every way through the function end in a return?"),
    (none_in_some_cases, "none_in_some_cases(q of shape (1, 9), k of shape (5, 9)) gave None. "
                         "Does every way through the function end in a return?"),
    (dots_in_some_cases, "dots_in_some_cases(q of shape (1, 9), k of shape (5, 9)) gave Ellipsis. "),
    (unfinished, "unfinished(q of shape (1, 9), k of shape (5, 9)) raised NotImplementedError."),
    (in_place, "in_place(q of shape (2, 4), k of shape (3, 4)) changed q in place: the caller's array is spoilt. "
               "Compute a new array instead."),
    (raises, "raises(q of shape (2, 4), k of shape (3, 4)) raised KeyError: 'two\\n lines'."),
    (lambda: 1, "your function(argument 1 of shape (2, 4), argument 2 of shape (3, 4)) raised TypeError: "),
    (np.ones(3), "hand over the function itself, without calling it; this is an array of shape (3,)."),
    (lambda q, k: "text", "your function(q of shape (2, 4), k of shape (3, 4)) gave a str, "
                          "which is no rectangular array of numbers."),
    (lambda q, k: [[1.0], [1.0, 2.0]], "gave a list of 2, which is no rectangular array of numbers."),
    (lambda q, k: [[None] * 3] * 2, "gave a list of 2, which is no rectangular array of numbers."),
    (lambda q, k: (scores(q, k), 1), "gave a tuple of 2; one array was expected."),
    (lambda q, k: {"scores": 1}, "gave a dict of ['scores']; one array was expected."),
    (lambda q, k: scores(q, k).T, "gave shape (3, 2); expected (2, 3)."),
    (lambda q, k: 1 + scores(q, k), "it should hold that doubling the queries doubles every score: row 0, column 0 "
                                    "should be 1.684 and is 0.6839. Was anything added?"),
    (lambda q, k: q @ k.T, SO_FAR + "your function(q of shape (2, 4), k of shape (3, 4)): row 0, column 0 should be "
                                    "-0.1581 and is -0.3161. Did you forget to divide by √d_head?"),
    (lambda q, k: q @ k.T / q.shape[-1], "should be -0.1581 and is -0.07903. Is that d_head, not its root?"),
    (lambda q, k: q @ k.T / 2, "your function(q of shape (1, 9), k of shape (5, 9)): row 0, column 0 should be "),
    (lambda q, k: q @ k.T / 2.001, "should be -0.1581 and is -0.158. Print one score beside the formula."),
    (lambda q, k: np.where(np.arange(len(k)) == 2, np.inf, scores(q, k)), "no score is infinite: one is. Look at the divisor."),
    (lambda q, k: scores(q, k) * [[1, 1, np.nan]], "it should hold that doubling the queries doubles every score: row 0, "
     "column 2 should be a number and is nan: a 0/0 or an inf − inf on the way. Was anything added?"),
])
def test_a_wrong_function_hears_which_property_where_and_why(bad, message):
    found = check_scores(bad)
    assert found.state == "wrong"
    assert message in found.message
    assert "\n" not in found.message and "Traceback" not in found.message


def test_a_learners_warning_is_not_an_error():
    assert "is nan" in verdict(lambda q, k: np.zeros((2, 3)) / 0)


def test_a_property_that_chokes_on_an_odd_result_is_a_wrong_and_no_traceback():
    @exercise("9.9", praise="Well.")
    def check(attempt):
        attempt.holds("the first row is short", attempt(1)[0] < 3)

    assert check(lambda n: 5).state == "wrong"
    assert check(lambda n: 5).message.endswith("while looking at what your function gave.")
    assert check(lambda n: [1, 2]).state == "right"


def test_a_long_error_message_is_cut_to_one_line():
    def bad(q, k):
        raise ValueError("word " * 1000)
    assert len(check_scores(bad).message) < 400


def test_the_check_knows_its_number_and_keeps_its_name():
    assert check_scores.number == "1.1" and check_scores.__name__ == "check_scores"
    assert check_scores.__doc__.startswith("A sample")


def test_a_learner_cannot_spoil_the_cases_or_the_specification():
    """The function gets copies, so a case that is used twice is the same twice."""
    case = (np.arange(3.0),)

    @exercise("9.9", praise="Well.")
    def check(attempt):
        attempt.agrees("it doubles", lambda x: 2 * x, [case])

    def spoils(x):
        x *= 2
        return x

    assert "changed x in place" in check(spoils).message
    np.testing.assert_array_equal(case[0], [0, 1, 2])


@pytest.mark.parametrize("way", ["matches", "holds", "agrees"])
def test_the_property_that_held_last_is_named(way):
    @exercise("9.9", praise="Well.")
    def check(attempt):
        {"matches": lambda: attempt.matches("it is one", attempt(1), 1),
         "holds": lambda: attempt.holds("it is one", attempt(1) == 1),
         "agrees": lambda: attempt.agrees("it is one", lambda n: 1, [(1,)])}[way]()
        attempt.holds("it is two", attempt(2) == 2, found="it is one.", hint="Use n.")

    assert check(lambda n: 1).message == (
        "Exercise 9.9: it is one, so far so good; but it should also hold that it is two: it is one. Use n.")
    assert check(lambda n: 0).message.startswith("Exercise 9.9: it should hold that it is one")


def test_a_classic_needs_the_same_answer_and_the_first_that_has_it_speaks():
    @exercise("9.9", praise="Well.")
    def check(attempt):
        attempt.agrees("it is the square", lambda x: x * x, [(2,), (3,)], hint="Hm.",
                       classics={"Doubled?": lambda x: 2 * x, "Cubed?": lambda x: x ** 3, "Also cubed?": lambda x: x ** 3})

    assert check(lambda x: 2 * x).message.endswith("(x=3): it should be 9 and is 6. Doubled?")
    assert check(lambda x: x ** 3).message.endswith("(x=2): it should be 4 and is 8. Cubed?")
    assert check(lambda x: -1).message.endswith("should be 4 and is -1. Hm.")


def test_tuples_and_dicts_of_arrays_are_compared_part_by_part():
    @exercise("9.9", praise="Well.")
    def check(attempt):
        attempt.agrees("sum and product are right", lambda x: (x.sum(), {"product": x.prod()}), [(np.array([2.0, 3.0]),)])

    assert check(lambda x: (sum(x), {"product": 6})).state == "right"
    assert "in part 0 it should be 5 and is 4." in check(lambda x: (4, {"product": 6})).message
    assert "in part 1 in part 'product' it should be 6 and is 7." in check(lambda x: (5, {"product": 7})).message
    assert "should be a tuple of 2 and is a tuple of 1." in check(lambda x: (5,)).message
    assert "should be a dict of ['product'] and is a dict of ['sum']." in check(lambda x: (5, {"sum": 6})).message
    assert "should be a tuple of 2 and is an array of shape (2,)." in check(lambda x: x).message


# ---- comparing, in words

@pytest.mark.parametrize("got, wanted, words", [
    (1.0, 1.0 + 1e-7, ""),
    ([np.inf, -np.inf], [np.inf, -np.inf], ""),
    ([np.nan], [np.nan], "entry 0 should be a number and is nan: a 0/0 or an inf − inf on the way."),
    (1, 2, "it should be 2 and is 1."),
    ([1, 2, 4, 5], [1, 2, 3, 4], "entry 2 should be 3 and is 4."),
    ([[1, 2], [3, 5]], [[1, 2], [3, 4]], "row 1, column 1 should be 4 and is 5."),
    (np.ones((1, 2, 2)), np.zeros((1, 2, 2)), "entry (0, 0, 0) should be 0 and is 1."),
    ([1.0], [1.0001], "entry 0 should be 1.0001 and is 1."),
    ([0.123456], [0.5], "entry 0 should be 0.5 and is 0.1235."),
    ([0.0], [-np.inf], "entry 0 should be -inf and is 0."),
    ([np.nan], [0.0], "entry 0 should be a number and is nan: a 0/0 or an inf − inf on the way."),
    ([[1.0]], [1.0], "the shape should be (1,) and is (1, 1)."),
    ((1.0,), [1.0], "it should be one array and is a tuple of 1."),
    ([True, False], [True, True], "entry 1 should be 1 and is 0."),
    (1 + 2j, 1 + 3j, "it should be 1+3j and is 1+2j."),
])
def test_difference(got, wanted, words):
    assert difference(got, wanted) == words


def test_the_tolerance_counts():
    assert difference(1.0, 1.1, tolerance=0.2) == "" != difference(1.0, 1.1)
    assert difference(1.0, np.nextafter(1.0, 2.0), tolerance=0)


def test_numbers_takes_what_is_rectangular_and_numeric():
    assert numbers([[1, 2], [3, 4]]).shape == (2, 2) and numbers(3).shape == ()
    assert [part.shape for part in numbers(([1, 2], 3))] == [(2,), ()]
    for bad in ("text", [[1], [1, 2]], [None], object(), {1, 2}, ([1], "x"), {"a": None}):
        with pytest.raises(ValueError, match="no rectangular array of numbers"):
            numbers(bad)


def test_names_for_messages():
    assert name_kind(np.ones((2, 3))) == "an array of shape (2, 3)"
    assert [name_kind(x) for x in ("s", (1, 2), [1], {"b": 1, "a": 2})] == ["a str", "a tuple of 2", "a list of 1", "a dict of ['a', 'b']"]
    assert name_call(scores, (np.arange(3), np.ones((2, 2)))) == "scores(q=[0 1 2], k of shape (2, 2))"
    assert name_call(lambda p, base: 0, (np.array([0.33333333]), 1e4)) == "your function(p=[0.333], base=10000.0)"
    assert argument_names(lambda a, *rest: 0, 3) == ["a", "argument 2", "argument 3"]
    assert argument_names(range, 1) == ["argument 1"]


def test_draws_are_random_and_the_same_every_time():
    one, two = draws((2, 3), (4,), times=2), draws((2, 3), (4,), times=2)
    assert [[x.shape for x in case] for case in one] == [[(2, 3), (4,)]] * 2
    np.testing.assert_array_equal(one[1][0], two[1][0])
    assert not np.array_equal(one[0][0], one[1][0])
    assert not np.array_equal(one[0][0], draws((2, 3), seed=1)[0][0])


def test_a_function_among_the_arguments_is_told_by_its_name():
    def apply(function, x):
        return function(x)

    def double(x):
        return 2 * x
    assert name_call(apply, (double, 3)) == "apply(function=double, x=3)"


# ---- the card

class Text(HTMLParser):
    """What is in sight and what is folded away."""

    def __init__(self, html):
        super().__init__()
        self.open, self.seen, self.folded = [], "", ""
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert tag in ("div", "p", "b", "code", "em", "details", "summary"), tag
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "details" in self.open:
            self.folded += data
        else:
            self.seen += data


def test_the_card_says_the_diagnosis_first_and_folds_the_numbers():
    text = Text(check_scores(lambda q, k: q @ k.T)._repr_html_())
    assert text.seen == ("✗ Exercise 1.1: not right yetDid you forget to divide by √d_head?It should hold that the scores equal the "
                         "loop's. What holds so far: no score is infinite.")
    assert text.folded.startswith("The numbersyour function(q of shape (2, 4)") and "-0.1581" in text.folded


@pytest.mark.parametrize("learner, seen", [
    (scores, "✓ Exercise 1.1: rightIt never looked at an index."),
    (stub_dots, "… Exercise 1.1: not started yet"),
    (raises, "✗ Exercise 1.1: not right yetraises(q of shape (2, 4), k of shape (3, 4)) raised KeyError: 'two\\n lines'."),
    (lambda q, k: np.zeros((2, 3)) + 1, "✗ Exercise 1.1: not right yetWas anything added?It should hold that doubling the queries doubles every score."),
])
def test_the_card_of_each_state(learner, seen):
    assert Text(check_scores(learner)._repr_html_()).seen == seen


def test_nothing_a_learner_wrote_becomes_markup():
    def bad(q, k):
        raise ValueError("<img src=x onerror=alert(1)> *so*")
    assert "<img src=x onerror=alert(1)> *so*" in Text(check_scores(bad)._repr_html_()).seen


def luminance(colour):
    channels = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    return sum(w * (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4) for w, c in zip((0.2126, 0.7152, 0.0722), channels))


@pytest.mark.parametrize("state", STATES)
def test_a_mark_can_be_read_and_its_colour_told_in_both_themes(state):
    def contrast(one, other):
        low, high = sorted([luminance(one), luminance(other)])
        return (high + 0.05) / (low + 0.05)
    colour = STATES[state][2]
    assert contrast("#ffffff", colour) >= 4.5 and contrast("#111111", colour) >= 3 and contrast("#212121", colour) >= 2.8
    assert len({mark for mark, *_ in STATES.values()}) == len(STATES)


# ---- the notebook's own names

scale = 2.0


def test_a_name_of_the_notebook_is_named_when_the_answer_is_wrong():
    def uses_it(q, k):
        return np.array([[scale * row @ other for other in k] for row in q])
    found = check_scores(uses_it)
    assert found.message.endswith("Your function uses scale, which belongs to the notebook and is not among its inputs.")
    assert "Your function uses scale" in Text(found._repr_html_()).seen

    @exercise("9.9", praise="Well.", given=("scale",))
    def check(attempt):
        attempt.agrees("it is four times", lambda x: 4 * x, [(1,)])
    assert "Your function uses" not in check(lambda x: x * scale).message
    assert check(lambda x: 2 * x * scale).state == "right"


def test_inputs_local_names_functions_and_modules_are_not_the_notebooks_data():
    names = {"np": np, "w": np.ones(2), "b": 1.0, "x": 3, "rotate": scores}
    for source, found in [("lambda x: x", []), ("lambda x: w @ np.ones(2)", ["w"]), ("lambda x: [w for _ in x] + [b]", ["w", "b"]),
                          ("lambda x: (lambda y: y + b)(x)", ["b"]), ("lambda x: rotate(x, x)", []), ("lambda w: w.b", []), ("lambda v: x", ["x"])]:
        assert borrowed(eval(source, names)) == found, source
    assert borrowed(len) == [] == borrowed(None)


@pytest.mark.parametrize("text, shown", [("attend_one(...) raised ValueError.", "attend_one(...) raised"), ("hand over the function.", "Hand over the")])
def test_a_card_begins_with_a_capital_but_for_a_name_of_the_learners(text, shown):
    assert shown in card("wrong", f"Exercise 1.1: {text}")
