"""What a check is built from: it runs a learner's function, and says in one line what holds and what does not.

A check is a list of properties, in the order in which a learner should hear of them::

    @exercise("2.1", praise="It also holds at position 10 million, where no table would reach.")
    def check_encoding(attempt):
        table = attempt(np.arange(5), 4, shape=(5, 4))
        attempt.matches("every row has length √2", np.linalg.norm(table, axis=1), np.full(5, 2 ** 0.5),
                        hint="Does each pair hold a sine *and* a cosine?")
        attempt.agrees("the encoding equals the loop", encoding_by_loop, [(np.arange(5), 4), (np.arange(3), 8)],
                       classics={"Did column 2 take the frequency of column 0?": one_frequency})
"""

import copy
import functools
from dataclasses import dataclass, field

import numpy as np

from pe_lib.teach import progress

from .card import card
from .cells import borrowed, failure
from .compare import TOLERANCE, argument_names, difference, name_call, name_kind, numbers


@dataclass(frozen=True, repr=False)
class Verdict:
    """What a check found, as a line (its repr) and as a card.

    state is "right", "wrong", "not started" or "not run"; parts holds the card's lines: what the learner should read
    first, what holds so far, and the numbers.
    """

    state: str
    message: str
    parts: dict = field(default_factory=dict, compare=False)

    def __repr__(self):
        return self.message

    def _repr_html_(self):
        return card(self.state, self.message, **self.parts)


class End(Exception):
    """Ends a check early, with a state, a text, and parts for the card where the text is long."""

    def __init__(self, state, text, **parts):
        super().__init__(state, text)
        self.state, self.text, self.parts = state, text, parts


def exercise(number, praise, given=()):
    """Make a check out of a function that tries properties on an :class:`Attempt`; praise adds something new.

    given: names of the notebook's data that the exercise hands out, besides the function's inputs.
    """
    def decorate(properties):
        @functools.wraps(properties)
        def check(learner):
            end = _judge(properties, learner, praise)
            if end.state == "right":
                progress.record("exercises", number)
            if end.state == "wrong" and (names := borrowed(learner, given)):
                end.parts["note"] = _name_borrowed(names)
            text = " ".join(filter(None, [end.text, end.parts.get("note")]))
            return Verdict(end.state, f"Exercise {number}: {text}", end.parts)
        check.number = number
        return check
    return decorate


def _judge(properties, learner, praise):
    """How the check ends."""
    if stopped := failure(learner):
        return End("not run", f"the cell that defines {learner.__name__} did not run ({stopped}). Python still has your "
                    "earlier version, so nothing was checked. Mend that cell, run it, then run this one again.")
    try:
        properties(Attempt(learner))
    except End as end:
        return end
    except Exception as error:                 # a result so odd that a property could not be tried on it
        return End("wrong", f"{_one_line(error)}, while looking at what your function gave.")
    return End("right", f"right. {praise}")


def _name_borrowed(names):
    both = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
    belong = "belongs to the notebook and is" if len(names) == 1 else "belong to the notebook and are"
    return f"Your function uses {both}, which {belong} not among its inputs."


class Attempt:
    """A learner's function, called with care, and the properties found to hold so far."""

    def __init__(self, learner):
        self.learner, self.calls, self.held = learner, 0, None
        self.read = lambda result: result      # a check may put something that sees each result before it is taken for arrays

    def __call__(self, *inputs, shape=None):
        """The array the learner's function returns; anything else, or another shape, ends the check with "wrong"."""
        result = self.raw(*inputs)
        call = name_call(self.learner, inputs)
        if not isinstance(result, np.ndarray):
            raise End("wrong", f"{call} gave {name_kind(result)}; one array was expected.")
        if shape is not None and result.shape != tuple(shape):
            raise End("wrong", f"{call} gave shape {result.shape}; expected {tuple(shape)}.")
        return result

    def raw(self, *inputs):
        """What the learner's function returns: an array, or a tuple or dict of arrays."""
        self.calls += 1
        if self.learner is None or self.learner is ...:
            raise End("not started", "not started yet.")
        if not callable(self.learner):
            raise End("wrong", f"hand over the function itself, without calling it; this is {name_kind(self.learner)}.")
        call, given = name_call(self.learner, inputs), copy.deepcopy(inputs)
        result = self.read(self._run(call, given))
        for name, before, after in zip(argument_names(self.learner, len(inputs)), inputs, given, strict=True):
            if isinstance(before, np.ndarray) and before.tobytes() != after.tobytes():
                raise End("wrong", f"{call} changed {name} in place: the caller's array is spoilt. Compute a new array instead.")
        try:
            return numbers(result)
        except ValueError as reason:
            raise End("wrong", f"{call} gave {reason}.") from None

    def _run(self, call, given):
        try:
            with np.errstate(all="ignore"):                # the properties say it better than a warning
                result = self.learner(*given)
        except Exception as error:
            if isinstance(error, NotImplementedError) and self.calls == 1:
                raise End("not started", "not started yet.") from None
            raise End("wrong", f"{call} raised {_one_line(error)}.") from None
        if result is not None and result is not ...:
            return result
        if self.calls == 1 and (result is ... or _is_bare(self.learner)):
            raise End("not started", "not started yet.")
        raise End("wrong", f"{call} gave {result}. Does every way through the function end in a return?")

    def matches(self, property_, got, wanted, hint="", tolerance=TOLERANCE):
        """The property holds if got equals wanted; else the message shows the first entry that differs."""
        if told := difference(got, wanted, tolerance):
            self._fail(property_, told, hint)
        self.held = property_

    def holds(self, property_, condition, hint="", found=""):
        """The property holds if the condition is true; found says what is the case instead."""
        if not condition:
            self._fail(property_, found, hint)
        self.held = property_

    def agrees(self, property_, specification, cases, hint="", classics=None, tolerance=TOLERANCE):
        """The property holds if the function equals a specification on every case (a tuple of inputs).

        classics: hint -> a classic wrong function; the hint of the first one whose answer the learner gave is said.
        """
        for inputs in cases:
            got, wanted = self.raw(*inputs), specification(*copy.deepcopy(inputs))
            if told := difference(got, wanted, tolerance):
                known = (classic for classic, wrong in (classics or {}).items()
                         if not difference(got, wrong(*copy.deepcopy(inputs)), tolerance))
                self._fail(property_, f"{name_call(self.learner, inputs)}: {told}", next(known, hint))
        self.held = property_

    def _fail(self, property_, found, hint):
        so_far = f"{self.held}, so far so good; but it should also hold that " if self.held else "it should hold that "
        raise End("wrong", " ".join(filter(None, [f"{so_far}{property_}{': ' if found else '.'}{found}", hint])),
                   diagnosis=hint, held=self.held, wanted=property_, found=found)


def draws(*shapes, times=3, seed=0):
    """Random cases: tuples of normal arrays of the given shapes.

    >>> [q.shape for q, k in draws((2, 4), (3, 4), times=2)]
    [(2, 4), (2, 4)]
    """
    rng = np.random.default_rng(seed)
    return [tuple(rng.normal(size=shape) for shape in shapes) for _ in range(times)]


def _one_line(error):
    return " ".join(f"{type(error).__name__}: {error}".split())[:200].rstrip(".:")


def _is_bare(function):
    """True for an untouched stub: a body that names nothing and sets nothing."""
    code = getattr(function, "__code__", None)
    return code is None or not (code.co_names or code.co_nlocals > code.co_argcount + code.co_kwonlyargcount)
