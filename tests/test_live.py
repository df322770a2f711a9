"""The training panel: its still picture, a run to the end, a run that is stopped, and a second one that takes over."""

import asyncio

import pytest

from pe_lib.teach.live import curves, smooth, train_live


@pytest.fixture
def panel():
    return train_live("order", [("none", True)], steps=30, seeds=1)


def test_the_still_says_what_is_drawn_and_who_is_right_how_often(panel):
    data, metadata = panel._repr_mimebundle_()
    assert data["text/plain"].startswith(curves.__doc__)
    assert "guessing gets 0.5): no positions, causal mask: " in data["text/plain"]
    assert metadata["image/png"]["alt"] == data["text/plain"] and data["image/png"]
    assert "application/vnd.jupyter.widget-view+json" in data


def test_a_run_goes_to_its_end_and_is_drawn(panel):
    panel.begin()
    assert panel.errors == [] and panel.bar.value == 30 and panel.run is None and panel.stop.disabled
    assert [group.name for group in panel.groups] == ["no positions, causal mask", "rotary"]
    assert len(panel.groups[1].trained[0].losses) == 30 and "rotary, seed 0, step 30: loss" in panel.said.value
    panel.begin()                                          # the same kind again: another seed
    assert len(panel.groups[1].trained) == 2 and panel.groups[1].trained[0].losses != panel.groups[1].trained[1].losses


def test_stop_leaves_a_usable_curve_and_a_second_run_takes_over(panel):
    async def pressed():
        panel.begin()
        await asyncio.sleep(0)
        first = panel.run
        panel.halt()
        await panel.job
        panel.scheme.value = "none"
        panel.begin()
        second, job = panel.run, panel.job
        panel.begin()                                      # while it goes on
        await job
        await panel.job
        return first, second
    first, second = asyncio.run(pressed())
    assert 0 < len(first.losses) < 30 and len(second.losses) < 30 and panel.errors == []
    assert [len(run.losses) for run in panel.groups[-1].trained][-1] == 30
    assert "rotary: no run to its end yet" in panel.draw(panel.verdict()).alt


def test_what_goes_wrong_is_said_below_the_picture(panel):
    panel.causal.value = True
    panel.draw = lambda text: 1 / 0
    panel.begin()
    assert "ZeroDivisionError" in panel.said.value and len(panel.errors) == 1 and panel.stop.disabled


def test_smoothing_takes_the_last_five():
    assert smooth([5, 1, 0, 0, 0, 10]).round(3).tolist() == [5, 3, 2, 1.5, 1.2, 2.2]


@pytest.mark.parametrize("call, message", [
    (lambda: train_live("order", []), r"runs must list at least one \(scheme, causal\), got \[\]"),
    (lambda: train_live("sorting", [("none", True)]), "task must be order or copy"),
    (lambda: train_live("order", [("xpos", True)]), "scheme must be one of"),
])
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
