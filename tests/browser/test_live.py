"""The training panel in JupyterLab: it trains while other figures answer, stops when told, and starts afresh."""

import pytest

pytestmark = pytest.mark.browser

FIGURE = "explore(dragged, size=(8, 4), query=Slider(0, 10, start=2), key=Slider(0, 20, start=3))"
PANEL = """from pe_lib.teach.live import train_live
panel = train_live('order', [('none', True)], steps=60, seeds=1)
panel.steps = panel.bar.max = 3000                        # long enough to be stopped
panel"""


def test_it_trains_stops_and_trains_again(live):
    notebook, figure = live(FIGURE, PANEL)
    page = notebook.page
    train, stop = (page.get_by_role("button", name=name) for name in ("Train", "Stop"))
    train.scroll_into_view_if_needed()
    assert stop.is_disabled()
    train.click()
    page.wait_for_function("() => [...document.querySelectorAll('.pe-card p')].some((p) => p.textContent.includes('rotary, seed 0, step'))", timeout=20_000)
    figure.sliders.first.press("ArrowRight")               # another figure answers meanwhile
    figure.wait("data.key === '[3,3]'")
    assert stop.is_enabled()
    stop.click()
    page.wait_for_function("() => document.querySelectorAll('.pe-card .progress, .pe-card .jupyter-button:disabled').length > 0", timeout=20_000)
    steps = notebook.evaluate("len(panel.groups[-1].trained[-1].losses)")
    assert 0 < steps < 3000 and notebook.evaluate("panel.run is None") and notebook.evaluate("panel.errors == []")
    train.click()
    page.wait_for_function("() => [...document.querySelectorAll('.pe-card p')].some((p) => p.textContent.includes('rotary, seed 1, step'))", timeout=20_000)
    stop.click()
    page.wait_for_timeout(300)
    assert notebook.evaluate("len(panel.groups[-1].trained[0].losses)") == steps        # the first curve stays as it was
