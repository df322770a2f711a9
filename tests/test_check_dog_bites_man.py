"""The checks of chapter 1: right answers in several forms pass, classic mistakes are told apart."""

import runpy
from pathlib import Path

import numpy as np
import pytest

from pe_lib.checks import dog_bites_man as checks

WRONG = runpy.run_path(str(Path(__file__).with_name("exercises") / "01_dog_bites_man.py"))["WRONG"]
CHECKS = {"1.1": checks.check_attend_one, "1.2": checks.check_reorder_scores, "1.3": checks.check_invisible,
          "1.4": checks.check_sees_order}


def attend_one_in_matrix_form(q_i, k, v):
    powers = np.exp(k @ q_i / np.sqrt(q_i.size))
    return powers / powers.sum() @ v


def invisible_by_svd(w_q, w_k, w_v):
    return np.linalg.svd(np.hstack([w_q, w_k, w_v]))[0][:, -1]


def invisible_by_projection(w_q, w_k, w_v):
    stack = np.hstack([w_q, w_k, w_v])
    p = np.ones(len(stack)) - stack @ np.linalg.pinv(stack) @ np.ones(len(stack))
    return p / np.linalg.norm(p)


def sees_order_by_a_swap(layer, x):
    order = np.arange(x.shape[1])
    order[[0, 1]] = 1, 0
    return not np.allclose(layer(x[:, order]), layer(x)[:, order])


def sees_order_by_the_mean(layer, x):
    return np.abs(layer(np.roll(x, 1, axis=1)).mean(axis=1) - layer(x).mean(axis=1)).max() > 1e-6


@pytest.mark.parametrize("check, answer", [
    (checks.check_attend_one, attend_one_in_matrix_form),
    (checks.check_attend_one, checks.attend_one_by_loop),
    (checks.check_reorder_scores, lambda scores, order: scores[np.ix_(order, order)]),
    (checks.check_reorder_scores, checks.reorder_by_loop),
    (checks.check_invisible, invisible_by_svd),
    (checks.check_invisible, invisible_by_projection),
    (checks.check_sees_order, sees_order_by_a_swap),
    (checks.check_sees_order, sees_order_by_the_mean),
])
def test_right_answers_pass_in_any_form(check, answer):
    """claims 1.1, 1.2, 1.5 and 1.6, as a learner meets them in an exercise"""
    verdict = check(answer)
    assert verdict.state == "right", verdict
    assert repr(verdict).startswith(f"Exercise {check.number}: right. ") and "\n" not in repr(verdict)


@pytest.mark.parametrize("number, stub", [("1.1", lambda q_i, k, v: ...), ("1.2", lambda scores, order: None),
                                          ("1.3", lambda w_q, w_k, w_v: ...), ("1.4", lambda layer, x: None)])
def test_an_untouched_stub_is_not_started(number, stub):
    assert repr(CHECKS[number](stub)) == f"Exercise {number}: not started yet."


@pytest.mark.parametrize("number", CHECKS)
def test_every_classic_mistake_gets_a_hint_of_its_own(number):
    messages = {}
    for mistake, source in WRONG[number].items():
        names = {"np": np}
        exec(source, names)
        verdict = CHECKS[number](list(names.values())[-1])
        assert verdict.state == "wrong", f"{mistake}: {verdict}"
        assert "\n" not in repr(verdict) and " at 0x" not in repr(verdict)
        messages[mistake] = repr(verdict).removeprefix(f"Exercise {number}: ")
    assert len(set(messages.values())) == len(messages) >= 3


@pytest.mark.parametrize("number, answer, said", [
    ("1.1", lambda q_i, k, v: np.zeros((1, 3)), "shape is (1, 3)"),
    ("1.1", lambda q_i, k, v: 1 / 0, "ZeroDivisionError"),
    ("1.2", lambda scores, order: "rows", "which is no rectangular array of numbers"),
    ("1.3", lambda w_q, w_k, w_v: np.eye(12)[:, :3], "One vector is wanted"),
    ("1.4", lambda layer, x: layer(x) == x, "np.allclose looks at all entries"),
    ("1.4", lambda layer, x: layer(x[5]), "layer=“each word alone”, x of shape (2, 5, 6)) raised IndexError"),
])
def test_odd_results_are_answered_in_one_line(number, answer, said):
    verdict = CHECKS[number](answer)
    assert verdict.state == "wrong" and said in repr(verdict) and "\n" not in repr(verdict)


def test_half_of_the_layers_see_order_and_each_is_what_it_says():
    """claims 1.2, 1.5 and 1.6: a cycle of the words finds every layer out, a reversal misses the symmetric bias"""
    x = np.random.default_rng(0).normal(size=(2, 5, 6))
    found = {layer.name: not np.allclose(layer(np.roll(x, 1, axis=1)), np.roll(layer(x), 1, axis=1)) for layer in checks.layers()}
    assert found == {layer.name: layer.sees_order for layer in checks.layers()}
    assert sum(found.values()) == 3
    near = checks.layers()[-1]
    np.testing.assert_allclose(near(x[:, ::-1]), near(x)[:, ::-1])
