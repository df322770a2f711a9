"""The slider figure in a real browser: small notebooks, each about one thing that can go wrong there."""

import json
import time
from importlib.metadata import version

import pytest

pytestmark = pytest.mark.browser

SETTINGS = "settings/@jupyterlab/apputils-extension/kernels-settings.jupyterlab-settings"
WATCH = """(canvas) => {                // every change of the setting shown: [ms, key]; and when the key was let go
  window.watched = { shown: [], released: null, most: 0 };
  let last = canvas.dataset.key;
  new MutationObserver(() => {
    watched.most = Math.max(watched.most, canvas.dataset.stored);
    if (canvas.dataset.key !== last) watched.shown.push([performance.now(), last = canvas.dataset.key]);
  }).observe(canvas, { attributes: true });
  document.addEventListener('keyup', () => { watched.released = performance.now(); }, true);
}"""


def hold(figure, key, seconds, rate=30, slider=0):
    """Hold a key down at a keyboard's pace; the number of key events."""
    figure.canvas.evaluate(WATCH)
    figure.sliders.nth(slider).focus()
    start = time.monotonic()
    for count in range(round(seconds * rate)):
        time.sleep(max(0, start + count / rate - time.monotonic()))
        figure.page.keyboard.down(key)
    figure.page.keyboard.up(key)
    return count + 1


def wait_stored(figure, frames):
    figure.wait("+data.frames >= argument", frames)


def test_each_key_leads_to_its_frame(live):
    _, figure = live("explore(bar, length=Slider(0, 50, start=20))")
    for key, length in [("ArrowRight", 21), ("End", 50), ("ArrowLeft", 49), ("Home", 0), ("PageUp", 5)]:
        figure.press(key)
        assert figure.key == [length]
        assert figure.readout == f"Here length is {length}."
        assert figure.faults() == []
        assert float(figure.sliders.get_attribute("aria-valuenow")) == length


def test_the_quick_frame_is_the_sharp_one_but_for_compression(live):
    _, figure = live("explore(bar, length=Slider(0, 50, start=20))")
    figure.sliders.press("End")
    figure.wait("data.key === '[50]' && data.quality === 'quick'")
    right, wrong = (figure.difference(figure.expected([length])[0])[1] for length in (50, 20))
    assert right < 1 < wrong


@pytest.mark.parametrize("control, settings", [("Slider(0.1, 1.3, start=0.5, step=0.1)", 13), ("LogSlider(1, 100, start=5, steps_per_decade=10)", 21),
                                               ("LogSlider(0.02, 3, start=0.02, steps_per_decade=10)", 23), ("Slider(0, 10, start=3, step=3)", 5)])
def test_the_neighbours_asked_for_are_those_the_slider_visits(live, control, settings):
    _, figure = live(f"explore(bar, rate={control})")
    assert figure.data["frames"] == "1"                                      # nothing is drawn ahead before the first touch
    figure.press("End")
    wait_stored(figure, settings - 1)
    figure.press("Home")
    wait_stored(figure, settings)
    for _ in range(settings):
        figure.sliders.press("ArrowRight")
    figure.wait_sharp()
    assert figure.faults() == []
    assert figure.data["frames"] == str(settings)


def test_every_control_can_be_worked_by_keyboard_and_has_a_name(live):
    notebook, figure = live("explore(bar, length=Slider(0, 50, label='How long?', play=True), base=Choice({'ten': 10, 'a million': 1e6}), far=Check())")
    figure.press("ArrowRight")
    for letter in "ab":                                                        # in command mode these insert a cell
        figure.press(letter, figure.output.get_by_role("combobox", name="base"))
    figure.press("Space", figure.output.get_by_role("checkbox", name="far"))
    assert figure.key == [1, 1, 1]
    assert notebook.page.locator(".jp-Notebook .jp-Cell").count() == 2
    assert figure.readout == "Here length is 1, base is 1000000.0, far is True."
    assert figure.faults() == []
    names = figure.names()
    drawn = notebook.evaluate(f"{figure.python}.picture.drawn")
    assert {("slider", "How long?"), ("textbox", "How long?, as a number"), ("combobox", "base"), ("checkbox", "far"), ("image", f"{drawn} {figure.readout}".strip())} <= set(names)
    assert not [role for role, name in names if role in ("slider", "textbox", "spinbutton", "combobox", "checkbox", "button", "image") and not name]


def test_a_log_slider_says_its_value(live):
    _, figure = live("explore(bar, rate=LogSlider(0.01, 100, steps_per_decade=10))")
    for key in ("ArrowRight", "End"):
        figure.press(key)
        figure.page.wait_for_function("(node) => node.getAttribute('aria-valuetext') === node.closest('.widget-slider').querySelector('.pe-number').value",
                                      arg=figure.sliders.element_handle())
    assert figure.sliders.get_attribute("aria-valuetext") == "100"


def test_a_number_typed_beside_the_slider(live):
    _, figure = live("explore(bar, length=Slider(0, 50))")
    box = figure.output.get_by_role("textbox", name="length, as a number")
    for typed, length in [("37", 37), ("999", 50)]:
        box.fill(typed)
        box.press("Enter")
        figure.wait_sharp([length])
        assert figure.faults() == []


def test_numbers_are_written_and_read_as_people_do(live):
    _, figure = live("explore(bar, base=LogSlider(1, 1_000_000, start=10_000), shift=Slider(-2.0, 2.0, start=-0.5, step=0.25))")
    base, shift = (figure.output.get_by_role("textbox", name=f"{name}, as a number") for name in ("base", "shift"))
    assert (base.input_value(), shift.input_value()) == ("10,000", "\u22120.50")
    for box, typed, shown, key in [(base, "1,000,000", "1,000,000", [1_000_000, -0.5]), (base, "1e5", "100,000", [100_000, -0.5]),
                                   (base, "10 000", "10,000", [10_000, -0.5]), (base, " 1000 ", "1,000", [1000, -0.5]),
                                   (shift, "-1.5", "\u22121.50", [1000, -1.5]), (shift, "\u22120.25", "\u22120.25", [1000, -0.25]),
                                   (shift, ".75", "0.75", [1000, 0.75]), (shift, "0.7", "0.75", [1000, 0.75])]:
        box.fill(typed)
        box.press("Enter")
        assert box.input_value() == shown
        figure.wait_sharp(key)
    for typed in ("1,5", "10,00", "1,000,0", "ten", "", "1.2.3", "1e", "--1", "0x10", "Infinity"):      # no number, or two at once
        base.fill(typed)
        base.press("Enter")
        assert base.get_attribute("aria-invalid") == "true" and figure.key == [1000, 0.75], typed
        base.press("Escape")
        assert base.get_attribute("aria-invalid") is None and base.input_value() == "1,000"
    base.fill("ten")
    shift.focus()                                                              # leaving it forgets it, too
    assert base.input_value() == "1,000"
    assert figure.faults() == []


def test_what_a_number_box_shows_is_read_back_as_the_same_setting(live):
    _, figure = live("explore(bar, rate=LogSlider(0.01, 10, steps_per_decade=20), whole=LogSlider(1, 16_384, start=1000, whole=True))")
    for name, start in (("rate", "Home"), ("whole", "Home")):
        box, slider = figure.output.get_by_role("textbox", name=f"{name}, as a number"), figure.output.get_by_role("slider", name=name)
        slider.press(start)
        for _ in range(8):
            before, text = figure.page.evaluate("(n) => lab.canvas(n).dataset.key", figure.n), box.input_value()
            box.fill("")
            box.fill(text)
            box.press("Enter")
            assert box.input_value() == text, before
            for _ in range(7):
                slider.press("ArrowRight")


def test_the_numbers_that_changed_are_marked_for_a_moment(live):
    notebook, figure = live("explore(bar, length=Slider(0, 2000, start=999), other=Slider(0, 9))")
    figure.press("ArrowRight")
    marks = figure.output.locator("[role=status] mark")
    assert figure.readout == "Here length is 1000, other is 0." and marks.all_inner_texts() == ["1000"]
    figure.press("ArrowRight", figure.sliders.nth(1))
    assert marks.all_inner_texts() == ["1"]
    style = "(mark) => [getComputedStyle(mark).backgroundColor, getComputedStyle(mark).animationTimingFunction]"
    notebook.page.wait_for_timeout(1600)
    assert marks.first.evaluate(style) == ["rgba(0, 0, 0, 0)", "ease-in"]
    notebook.page.emulate_media(reduced_motion="reduce")                       # it goes at once, and does not fade
    figure.press("ArrowRight", figure.sliders.nth(1))
    assert marks.first.evaluate(style)[1] in ("steps(1)", "step-end")
    notebook.page.emulate_media(reduced_motion="no-preference")


def test_the_page_keys_go_a_twentieth_of_a_wide_range(live):
    _, figure = live("explore(bar, both=Slider(0, 3000, start=50), base=LogSlider(1, 1_000_000, steps_per_decade=50), few=Slider(0, 4))")
    for key, slider, settings in [("PageUp", 0, [150, 1, 0]), ("PageDown", 0, [50, 1, 0]), ("PageDown", 0, [0, 1, 0]),
                                  ("PageUp", 1, [0, 10**0.2, 0]), ("PageUp", 2, [0, 10**0.2, 2])]:
        figure.press(key, figure.sliders.nth(slider))
        assert figure.key == pytest.approx(settings)
    assert figure.faults() == []


def test_play(live):
    _, figure = live("explore(bar, length=Slider(0, 50, play=True))")
    figure.output.get_by_role("button", name="Play: length").press("Space")
    figure.wait("JSON.parse(data.key)[0] >= 5")
    figure.output.get_by_role("button", name="Pause: length").press("Enter")
    figure.output.get_by_role("button", name="Play: length").wait_for()
    figure.wait_sharp()
    assert 5 <= figure.key[0] < 50
    assert figure.faults() == []                                               # Python, too, knows where it stopped


def test_play_sweeps_a_wide_range_in_eight_seconds_and_stops_at_its_end(live):
    notebook, figure = live("explore(bar, both=Slider(0, 3000, start=0, play=True))")
    figure.canvas.evaluate(WATCH)
    start = time.monotonic()
    figure.output.get_by_role("button", name="Play: both").click()
    figure.output.get_by_role("button", name="Pause: both").wait_for()
    figure.output.get_by_role("button", name="Play: both").wait_for()
    assert 6 < time.monotonic() - start < 10
    figure.wait_sharp([3000])
    shown = [json.loads(key)[0] for _, key in notebook.page.evaluate("watched.shown")]
    assert shown == sorted(shown) and len(shown) > 30
    assert figure.faults() == []
    figure.output.get_by_role("button", name="Play: both").click()             # from the start again
    figure.wait("JSON.parse(data.key)[0] > 100 && JSON.parse(data.key)[0] < 2000")
    figure.sliders.press("End")                                                # another hand ends it
    figure.output.get_by_role("button", name="Play: both").wait_for()
    figure.wait_sharp([3000])


def test_an_error_is_shown_in_place_and_the_figure_recovers(live):
    notebook, figure = live("explore(fragile, length=Slider(0, 20, start=3))", "print('the next cell')")
    below = notebook.page.get_by_text("the next cell", exact=True)
    place = below.bounding_box()
    figure.press("ArrowRight")
    good = figure.canvas.get_attribute("aria-label")
    figure.sliders.press("ArrowRight")
    alarm = figure.output.get_by_role("alert")
    alarm.wait_for()
    assert "RuntimeError: <b>5</b> is <img src=x onerror=alert(1)> too much" in alarm.inner_text()
    assert alarm.locator("b, img").count() == 0
    assert below.bounding_box() == place
    assert figure.key == [4] and figure.canvas.get_attribute("aria-label") == good
    assert "5" in notebook.evaluate(f"[str(e) for e in {figure.python}.errors]")[0]
    figure.sliders.press("ArrowRight")                                       # another setting that breaks
    alarm.get_by_text("<b>6</b>").or_(alarm).first.wait_for()
    figure.press("End")
    assert figure.key == [20]
    assert figure.faults() == []
    assert not alarm.is_visible()
    assert figure.readout.endswith(" <i>escaped</i>")
    assert below.bounding_box() == place


def test_a_kernel_that_keeps_a_figure_waiting_is_named(live):
    hold = ("import threading, time; from pe_lib.teach.plots import style\n"
            "def hold():\n    with style():\n        time.sleep(4)")
    notebook, figure = live("explore(bar, length=Slider(0, 50, start=3))", hold)
    note = figure.output.get_by_role("note")
    figure.press("ArrowRight")
    assert not note.is_visible()
    notebook.evaluate("threading.Thread(target=hold).start()")                # all drawing waits
    figure.sliders.press("End")
    note.wait_for(timeout=3000)
    assert note.inner_text() == "The kernel is busy, perhaps with other cells. The picture follows as soon as it is free."
    figure.wait_sharp([50])
    assert not note.is_visible() and figure.faults() == []


def test_a_request_that_the_kernel_lost_is_made_again(live):
    """Pyodide's kernel drops what waits behind a cell that fails; the figure must not wait for it forever."""
    notebook, figure = live("explore(bar, length=Slider(0, 50))")
    figure.wait_sharp()
    notebook.evaluate(f"""(lambda picture, lost: setattr(picture, "send", lambda *answer, _send=picture.send: lost.pop() if lost else _send(*answer)))(
        {figure.python}.picture, [0])""".replace("\n", ""))
    figure.move("ArrowRight", figure.sliders.first)
    figure.wait_sharp([1])
    assert figure.faults() == []


def test_a_setting_that_fails_only_ahead_raises_no_alarm(live):
    notebook, figure = live("explore(fragile, length=Slider(0, 20, start=3))")
    figure.press("ArrowRight")
    wait_stored(figure, 21 - 3)
    assert not figure.output.get_by_role("alert").is_visible()
    assert figure.faults() == []


def test_the_store_is_bounded(live):
    notebook, figure = live("explore(noise, seed=Slider(0, 1000))")
    hold(figure, "ArrowRight", 600 / 30)
    figure.wait_sharp([600])
    assert figure.faults() == []
    figure.press("Home")
    assert figure.faults() == []
    most = notebook.page.evaluate("watched.most")
    assert 8e6 < most <= 16e6
    assert int(figure.data["frames"]) < 200


def test_after_release_at_most_one_frame_and_the_right_one(live):
    notebook, figure = live("explore(slow, length=Slider(0, 50))")
    events = hold(figure, "ArrowRight", 1.2)
    figure.wait_sharp([events])
    assert figure.faults() == []
    shown, released = notebook.page.evaluate("[watched.shown, watched.released]")
    during = [json.loads(key)[0] for when, key in shown if when < released]
    assert during, "frames are shown while the key is held, though the kernel is slow"
    assert during == sorted(during)
    assert len([key for when, key in shown if when >= released]) <= 1


def test_stored_frames_follow_a_held_key(live):
    notebook, figure = live("explore(bar, length=Slider(0, 50))")
    figure.press("ArrowRight")
    wait_stored(figure, 51)
    figure.press("Home")
    events = hold(figure, "ArrowRight", 1.5)
    figure.wait_sharp([events])
    shown = notebook.page.evaluate("watched.shown.length")
    assert shown >= 0.6 * events                # the benchmark asks for 95 %; here the machine may be busy
    assert figure.faults() == []


def test_going_back_and_forth_never_leaves_a_stale_picture(live):
    """A reply to an earlier wish must not cover a frame that the store showed meanwhile."""
    _, figure = live("explore(slow, length=Slider(0, 50, start=10))")
    figure.press("ArrowRight")
    for there, back, length in [("End", "Home", 0), ("PageUp", "PageDown", 0), ("End", "ArrowLeft", 49), ("ArrowRight", "Home", 0)]:
        figure.sliders.press(there)
        figure.sliders.press(back)
        figure.wait_sharp([length])
        time.sleep(0.5)                                                      # what is under way comes in
        assert figure.faults() == []


def test_two_figures_at_once(live):
    import lab

    notebook, figure = live("explore(bar, length=Slider(0, 50), size=(6, 2))", "explore(bar, width=Slider(0, 9), size=(4, 2))")
    other = lab.Figure(notebook, 1)
    figure.press("End")
    other.press("ArrowRight")
    figure.sliders.press("ArrowLeft")
    other.sliders.press("ArrowRight")
    figure.wait_sharp([49])
    other.wait_sharp([2])
    assert figure.faults() + other.faults() == []


def test_out_of_sight_nothing_is_drawn_ahead(live):
    import lab

    notebook, figure = live("explore(slow, length=Slider(0, 50))", *["print('line\\n' * 60)"] * 2, "explore(bar, length=Slider(0, 9))")
    figure.press("ArrowRight")
    lab.Figure(notebook, 1).press("End")
    count = int(figure.data["frames"])
    time.sleep(1.0)
    assert int(figure.data["frames"]) <= count + 1                           # one may have been under way
    assert count < 40


def test_page_reload_while_the_kernel_lives(live):
    notebook, figure = live("explore(bar, length=Slider(0, 50))", apart=True)
    figure.press("End")
    notebook.command("docmanager:save")
    notebook.open()
    figure.canvas.scroll_into_view_if_needed()
    figure.wait_sharp([50])
    assert figure.faults() == []
    figure.press("ArrowLeft")
    assert figure.key == [49]
    assert figure.faults() == []


def test_run_saved_and_opened_again_with_a_new_kernel(live):
    """Jupyter trusts such a notebook and tries to build the widgets from what was saved: the last setting and its picture."""
    notebook, figure = live("explore(bar, length=Slider(0, 50, start=20))", apart=True)
    for _ in range(3):
        figure.press("ArrowRight")
    picture = figure.canvas.evaluate("(canvas) => canvas.toDataURL()")
    notebook.command("docmanager:save")
    notebook.page.evaluate("() => lab.notebook().context.sessionContext.shutdown()")
    notebook.open()
    figure.canvas.scroll_into_view_if_needed()
    figure.wait("data.key === '[23]'")
    assert figure.canvas.evaluate("(canvas) => canvas.toDataURL()") == picture
    assert figure.readout == "Here length is 23."
    assert figure.sliders.get_attribute("aria-valuenow") == "23.0"
    assert figure.output.get_by_role("textbox").input_value() == "23"
    assert "run this cell again" in figure.output.get_by_role("note").inner_text()
    icons = figure.output.locator(".jupyter-widgets-disconnected").evaluate_all("(all) => all.map((one) => getComputedStyle(one, '::before').content)")
    assert icons and set(icons) == {"none"}
    text = notebook.page.locator(".jp-Notebook").inner_text()
    assert "model not found" not in text and "Error displaying widget" not in text
    figure.sliders.press("ArrowRight")                                       # no kernel behind it: the picture stays, without an error
    assert notebook.run() == []
    figure.wait_sharp([20])
    figure.press("ArrowRight")
    assert figure.key == [21]
    assert figure.faults() == []


def test_on_a_dense_screen(browser, live):
    with browser.new_context(viewport={"width": 1280, "height": 1000}, device_scale_factor=2) as context:
        notebook, figure = live("explore(bar, length=Slider(0, 50), size=(6, 3))", apart=True, context=context)
        size = figure.canvas.evaluate("(canvas) => [canvas.width, canvas.height, canvas.clientWidth, canvas.clientHeight]")
        assert size == [1650, 825, 825, 413]                                 # 600 px may grow to 825; two pixels each
        figure.press("End")
        assert figure.faults() == []
        notebook.shut_down()


@pytest.mark.parametrize("shell", ["disabled", pytest.param("perCommTarget", marks=pytest.mark.skipif(
    tuple(map(int, version("jupyterlab").split(".")[:2])) < (4, 4), reason="JupyterLab has subshells from 4.4 on"))])
def test_while_a_cell_draws(folder, live, shell):
    """Widget messages in the main shell wait for the cell; in a subshell they are served by another thread meanwhile."""
    file = folder / SETTINGS
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"commsOverSubshells": shell}))
    try:
        notebook, figure = live("explore(threads, length=Slider(0, 50))", DRAW.format(wait=shell != "disabled"), apart=True)
        notebook.page.evaluate("""() => { window.running = true; lab.notebook().content.activeCellIndex = 2;
            jupyterapp.commands.execute('notebook:run-cell').then(() => { window.running = false; }); }""")
        notebook.page.wait_for_function("() => lab.kernel().status === 'busy'")
        for _ in range(30):
            figure.sliders.press("ArrowRight")
        notebook.page.wait_for_function("() => !window.running", timeout=60_000)
        figure.wait_sharp([30])
        drawn, different, *by = notebook.evaluate("[drawn, len(set(pictures)), sorted(drawn_by[True]), sorted(drawn_by[False])]")
        assert drawn >= 40 and different == 1
        assert 30 in by[shell != "disabled"]                    # in a subshell: while the cell ran, which waited for it
        assert notebook.evaluate(f"[str(e) for e in {figure.python}.errors]") == []
        assert figure.key == [30]
        assert figure.faults() == []
    finally:
        file.unlink()


DRAW = r"""import io
import matplotlib.pyplot as plt
pictures, drawn, stop = [], 0, time.monotonic() + 30
while drawn < 40 or ({wait} and 30 not in drawn_by[False] and time.monotonic() < stop):
    drawn += 1
    fig, ax = plt.subplots(figsize=(4, 2))
    ax.plot([0, 1], [1, 0])
    ax.set_title(r"$\frac{{\omega_i}}{{\sqrt{{d}}}}$ and text")
    buffer = io.BytesIO()
    fig.savefig(buffer, format="rgba")
    pictures.append(buffer.getvalue())
    plt.close(fig)"""
