"""The layer that is trained live: its tasks, its forward pass, its gradient, and what each scheme can learn."""

import re

import numpy as np
import pytest

from pe_lib.gradients import Training, loss_and_gradient
from pe_lib.training import DIM, SCHEMES, WORDS, copy_task, forward, initial_parameters, order_task, scheme_of

RNG = np.random.default_rng


def trained(task, scheme, causal, seed=0, steps=150):
    run = Training(task, scheme, causal=causal, seed=seed, steps=steps)
    list(run)
    return run


def test_the_order_task_asks_which_of_a_and_b_came_first():
    tokens, answers = order_task(RNG(0), 200, 9)
    a, b = (tokens == 0).argmax(axis=1), (tokens == 1).argmax(axis=1)
    assert ((tokens == 0).sum(axis=1) == 1).all() and ((tokens == 1).sum(axis=1) == 1).all()
    np.testing.assert_array_equal(answers, a < b)
    assert 0.4 < answers.mean() < 0.6 and tokens.max() == WORDS - 1


def test_the_copy_task_asks_for_the_word_three_tokens_back():
    for back in (1, 3):
        tokens, answers = copy_task(RNG(0), 5, 12, back)
        np.testing.assert_array_equal(answers[:, back:], tokens[:, :-back])
        assert (answers[:, :back] == -1).all()


@pytest.mark.parametrize("task", ["order", "copy"])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_gradient_is_the_slope_of_the_loss(task, causal, scheme):
    """By central differences, at three entries of every parameter."""
    rows, answers_of = 8 if scheme == "learned" else 0, 2 if task == "order" else WORDS
    parameters = initial_parameters(RNG(1), answers=answers_of, rows=rows)
    tokens, answers = (order_task if task == "order" else copy_task)(RNG(2), 3, 8)
    rest = tokens, answers, scheme_of(scheme), causal
    _, _, gradient = loss_and_gradient(parameters, *rest)
    assert set(gradient) == set(parameters)
    for name, value in parameters.items():
        assert gradient[name].shape == value.shape
        for place in RNG(3).integers(0, value.shape, (3, value.ndim)):
            ends = []
            for step in (1e-5, -1e-5):
                moved = value.copy()
                moved[tuple(place)] += step
                ends.append(loss_and_gradient({**parameters, name: moved}, *rest)[0])
            assert abs((ends[0] - ends[1]) / 2e-5 - gradient[name][tuple(place)]) < 1e-8, name


@pytest.mark.parametrize("scheme", ["none", "ALiBi"])
def test_without_a_mask_reversed_words_give_the_same_answer_where_the_scheme_is_blind_to_direction(scheme):
    """claim 1.5: no weights can do better than guessing, since the mean over the tokens is the same for both orders"""
    parameters, (tokens, _) = initial_parameters(RNG(4)), order_task(RNG(5), 20, 16)
    ahead, _ = forward(parameters, tokens, scheme_of(scheme), causal=False)
    back, _ = forward(parameters, tokens[:, ::-1], scheme_of(scheme), causal=False)
    np.testing.assert_allclose(ahead.mean(axis=1), back.mean(axis=1), atol=1e-12)
    masked, _ = forward(parameters, tokens[:, ::-1], scheme_of(scheme), causal=True)
    assert abs(masked.mean(axis=1) - forward(parameters, tokens, scheme_of(scheme), causal=True)[0].mean(axis=1)).max() > 1e-3


@pytest.mark.parametrize("scheme, causal, low, high", [
    ("none", False, 0.4, 0.6), ("ALiBi", False, 0.4, 0.6), ("rotary", False, 0.9, 1.0), ("learned", False, 0.9, 1.0), ("none", True, 0.95, 1.0)])
def test_what_can_learn_order(scheme, causal, low, high):
    """claim 1.5, the mean over three seeds on fresh sequences"""
    assert low <= np.mean([trained("order", scheme, causal, seed).accuracy() for seed in range(3)]) <= high


@pytest.mark.parametrize("scheme, low, high", [("rotary", 0.95, 1.0), ("ALiBi", 0.1, 0.4), ("none", 0.05, 0.3)])
def test_what_can_copy_from_three_tokens_back(scheme, low, high):
    """claim 9.1: an exact offset is beyond a bias that only falls with the distance; guessing gets 1/16"""
    assert low <= trained("copy", scheme, True).accuracy() <= high


def test_a_run_that_is_stopped_keeps_its_curve_and_goes_on_from_nowhere():
    run = Training("copy", "rotary", causal=True, steps=50)
    for step, loss, right in run:
        assert loss == run.losses[-1] and right == run.shares[-1]
        if step == 7:
            break
    assert len(run.losses) == len(run.shares) == 7 and 0 <= run.accuracy(sequences=16) <= 1


def test_every_argument_of_a_run_matters():
    start = dict(task="order", scheme="rotary", causal=False, seed=0, steps=4, rate=0.01)
    def last(**changes):
        run = Training(**(start | changes))
        return list(run)[-1][1]
    changes = [{}, {"task": "copy"}, {"scheme": "none"}, {"causal": True}, {"seed": 1}, {"steps": 3}, {"rate": 0.1}]
    assert len({last(**change) for change in changes}) == len(changes)


@pytest.mark.parametrize("call, message", [
    (lambda: Training("sorting", "none", causal=True), "task must be order or copy, got 'sorting'"),
    (lambda: Training("copy", "t5", causal=True), "scheme must be one of none, sinusoidal, rotary, learned, ALiBi, got 't5'"),
    (lambda: Training("copy", "none", causal=True, steps=0), "steps must be an integer of at least 1, got 0"),
    (lambda: Training("copy", "none", causal=True, rate=-1.0), "rate must be"),
    (lambda: order_task(RNG(0), 1, 1), "length must be an integer of at least 2, got 1"),
    (lambda: copy_task(RNG(0), 1, 3), "length must be an integer of at least 4, got 3"),
    (lambda: forward(initial_parameters(RNG(0), rows=4), np.zeros((1, 5), int), scheme_of("learned"), True),
     "tokens must fit in the learned table of 4 rows, got length 5"),
])
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        call()


def test_the_width_is_that_of_two_heads_of_pairs():
    assert initial_parameters(RNG(0))["w_q"].shape == (DIM, DIM) and DIM % 4 == 0


def test_which_came_first_survives_at_length_by_the_mask_alone():
    """claim 9.1, on other seeds than the notebook's: guessing gets one half"""
    ways = {"sinusoidal": False, "rotary": False, "none": True}
    runs = {scheme: [Training("order", scheme, causal=causal, seed=seed, steps=150) for seed in (3, 4)] for scheme, causal in ways.items()}
    for run in sum(runs.values(), []):
        list(run)
    trained, far = ({scheme: np.mean([run.accuracy(times) for run in group]) for scheme, group in runs.items()} for times in (1, 4))
    assert min(trained.values()) > 0.95
    assert max(far["sinusoidal"], far["rotary"]) < 0.65 and far["none"] > 0.9


def test_a_training_runs_once_and_causal_is_a_yes_or_no():
    run = Training("copy", "none", causal=True, steps=3)
    list(run)
    with pytest.raises(ValueError, match="a training runs once: make another one, got 3 steps already"):
        list(run)
    with pytest.raises(ValueError, match="causal must be True or False, got 'no'"):
        Training("copy", "none", causal="no")
