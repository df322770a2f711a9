"""What a unit test of a rotary function can ask, one test a function; and the figure that lays patients beside tests.

Each test takes a function (x, positions) -> turned x, and returns the largest deviation; healthy functions stay near 0. A
value is compared with that of a reference: the rotation that was meant, in the layout and the width of the weights.
"""

import itertools

import numpy as np
from matplotlib.patches import Rectangle

from pe_lib.clinic.patients import PATIENTS
from pe_lib.frequencies import inverse_frequencies
from pe_lib.rotary import rotate
from pe_lib.teach.plots import CARD, INK, NEUTRAL, WRONG
from pe_lib.teach.touch import touch

DIM = 16


def _rows(n, seed=0):
    return np.random.default_rng(seed).normal(size=(n, DIM))


def _off(got, wanted):
    return float(np.abs(got - wanted).max()) if np.shape(got) == np.shape(wanted) else np.inf


def shape(rope):
    return 0.0 if rope(_rows(5), np.arange(5)).shape == (5, DIM) else np.inf


def zero(rope):
    x = _rows(1)
    return _off(rope(x.copy(), np.array([0])), x)


def length(rope):
    x = _rows(5)
    return _off(np.linalg.norm(rope(x.copy(), np.arange(5)), axis=1), np.linalg.norm(x, axis=1))


def gap(rope):
    (q, k), (first, second) = (np.tile(row, (5, 1)) for row in _rows(2)), (np.arange(5), 100 + np.arange(5))
    scores = [rope(q.copy(), places) @ rope(k.copy(), places).T for places in (first, second)]
    return _off(*scores)


def value(position, reference, pair_0_alone=False):
    """The test that compares one turned row, or its first pair alone, with the values that a reference gives."""
    def golden(rope):
        x, places = _rows(1), np.array([position])
        turns = np.abs(reference(np.eye(DIM)[:1], np.array([1]))[0]) > 1e-9      # the features of pair 0
        features = turns if pair_0_alone else slice(None)
        return _off(rope(x.copy(), places)[:, features], reference(x, places)[:, features])
    return golden


def cut(rope):
    x, places = _rows(6), np.arange(6)
    parts = [rope(x[part].copy(), places[part]) for part in (slice(0, 4), slice(4, 6))]
    return _off(np.concatenate(parts), rope(x.copy(), places))


def batch(rope):
    x, places = _rows(8).reshape(2, 4, DIM), np.arange(4)
    return _off(rope(x.copy(), places), np.stack([rope(text.copy(), places) for text in x]))


def untouched(rope):
    x = _rows(4)
    given = x.copy()
    rope(given, np.arange(4))
    return _off(given, x)


def healthy(layout="interleaved", sign=1, parts=1):
    """A sound rotary function in either layout and either sign; of ``parts`` parts of each row the first turns."""
    def rope(x, positions):
        return rotate(x, sign * positions, inverse_frequencies(x.shape[-1] // parts), layout=layout)
    rope.__name__ = f"healthy {'interleaved' if layout == 'interleaved' else 'half-split'}{', clockwise' if sign < 0 else ''}"
    return rope


def tests_against(reference):
    """The eleven tests by their names, values compared with those of a reference."""
    return {"shape": shape, "position 0": zero, "length": length, "offset alone": gap, "value at 3, pair 0": value(3, reference, True),
            "value at 3": value(3, reference), "value at 1,001": value(1001, reference), "value at 5,000": value(5000, reference),
            "text cut in two": cut, "batch of two": batch, "input untouched": untouched}


TESTS = tests_against(healthy())


def passed(ropes, references, tolerance=1e-6):
    """(ropes, tests), True where a function passes a test; each has a reference of its own."""
    return np.array([[test(rope) < tolerance for test in tests_against(reference).values()] for rope, reference in zip(ropes, references)])


def smallest_sets(table, sound=0, told_apart=False):
    """The smallest sets of columns that row ``sound`` passes and no other row does; told_apart: by which no two rows are alike."""
    def enough(columns):
        part = table[:, columns]
        if told_apart:
            return len({tuple(row) for row in part}) == len(part)
        return part[sound].all() and part.all(axis=1).sum() == 1
    for size in range(1, table.shape[1] + 1):
        if found := [columns for columns in itertools.combinations(range(table.shape[1]), size) if enough(columns)]:
            return found
    return []


BENCH = {"healthy": healthy(), **{f"patient {name}": PATIENTS[name] for name in "ABCDEFGH"}}
REFERENCES = {name: healthy() for name in BENCH} | {  # what the weights were trained with
    "patient B": healthy("half"), "patient C": healthy("half", parts=2), "patient D": healthy("half")}


def which_test(fig):
    """Patients down, tests across; for two patients the tests that tell them apart."""
    fig.set_layout_engine("none")
    ax = fig.add_axes((0.115, 0.02, 0.8, 0.65))
    table, names = passed(BENCH.values(), REFERENCES.values()), list(BENCH)
    rows, columns = table.shape
    ax.set(xlim=(0, columns), ylim=(rows, 0), yticks=np.arange(rows) + 0.5, xticks=np.arange(columns) + 0.5)
    ax.set_yticklabels(names)
    ax.xaxis.tick_top()
    ax.set_xticklabels(list(TESTS), rotation=35, ha="left", rotation_mode="anchor")
    ax.tick_params(length=0)
    ax.grid(False)
    for (row, column), good in np.ndenumerate(table):
        ax.add_patch(Rectangle((column, row), 1, 1, fc="#E9E9E2" if good else WRONG, ec=CARD, lw=2))
        ax.text(column + 0.5, row + 0.52, "pass" if good else "FAILS", ha="center", va="center", fontsize=9,
                color=INK if good else "white", weight="normal" if good else "bold")
    frames = [ax.add_patch(Rectangle((0, 0), columns, 1, fill=False, ec=INK, lw=2.5, zorder=4, animated=True)) for _ in range(2)]
    marks = [ax.add_patch(Rectangle((column + 0.04, 0), 0.92, 1, fill=False, ec=NEUTRAL, lw=3, zorder=5, animated=True))
             for column in range(columns)]
    touch(ax, y="one", start=0.5)                                            # the two frames: the nearer one is taken
    touch(ax, y="other", start=0.5)

    def update(one, other):
        first, second = sorted((names.index(one), names.index(other)))
        for frame, row in zip(frames, (first, second)):
            frame.set_y(row)
        apart = table[first] != table[second]
        for mark, told in zip(marks, apart):
            mark.set(y=first + 0.04, height=second - first + 0.92, visible=bool(told))
        told = [name for name, good in zip(TESTS, apart) if good]
        if one == other:
            return f"{one[0].upper() + one[1:]} fails {np.sum(~table[first])} of {columns} tests. Choose a second patient to tell it from."
        tests = "No test here tells" if not told else f"{len(told)} of {columns} tests tell{'s' if len(told) == 1 else ''}"
        return f"{tests} {one} from {other}{': ' if told else ''}{'; '.join(told)}."
    return update
