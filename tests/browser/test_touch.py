"""Dragging in the picture, by mouse and by finger: slider, number box, picture and kernel agree, and the page still scrolls."""

import math
import time

import pytest

pytestmark = pytest.mark.browser

TWO = "explore(dragged, size=(8, 4), query=Slider(0, 10, start=2), key=Slider(0, 20, start=3))"
BELOW = "print('line\\n' * 80)"


def start(live, cell=TWO, **options):
    notebook, figure = live(cell, BELOW, **options)
    return notebook, figure, figure.output.locator(".pe-pad")


def spot(pad, across, down):
    box = pad.bounding_box()
    return box["x"] + across * box["width"], box["y"] + down * box["height"]


def cell(pad, key, query):
    """Where a cell of the map lies on the page."""
    return spot(pad, (key + 0.5) / 21, (query + 0.5) / 11)


def boxes(figure):
    return [box.input_value() for box in figure.output.get_by_role("textbox").all()]


def test_a_drag_sets_both_controls_and_the_arrow_keys_go_on(live):
    notebook, figure, pads = start(live)
    mouse = notebook.page.mouse
    mouse.move(*cell(pads.nth(0), 3, 2))
    assert pads.nth(0).get_attribute("data-hint") == "key, query"
    mouse.down()
    for step in range(8):
        mouse.move(*cell(pads.nth(0), 4 + step, 2 + step // 2))
    mouse.up()
    figure.wait_sharp([5, 11])
    assert figure.faults() == []                          # the kernel's widgets hold what is shown
    assert boxes(figure) == ["5", "11"]
    notebook.page.keyboard.press("ArrowRight")
    figure.wait_sharp([5, 12])
    assert notebook.page.evaluate("lab.notebook().content.activeCellIndex") == 1
    notebook.page.keyboard.press("ArrowDown")             # down in the map: the other control
    figure.wait_sharp([6, 12])
    notebook.page.keyboard.press("ArrowUp")
    notebook.page.keyboard.press("ArrowLeft")
    figure.wait_sharp([5, 11])
    notebook.page.keyboard.press("Tab")                   # the focus goes on: a slider's own keys again
    notebook.page.keyboard.press("Shift+Tab")
    assert figure.faults() == []


def test_python_hears_of_a_drag_once(live):
    notebook, figure, pads = start(live, "heard = []\n" + TWO.replace("explore", "made = explore") + "\n"
                                   "made.controls['key'].observe(lambda change: heard.append(change.new), 'value')\nmade")
    mouse = notebook.page.mouse
    mouse.move(*cell(pads.nth(0), 3, 2))
    mouse.down()
    for step in range(12):
        mouse.move(*cell(pads.nth(0), 4 + step, 2))
        time.sleep(0.03)
    figure.wait("data.key === '[2,15]'")
    assert notebook.evaluate("heard") == []
    mouse.up()
    figure.wait_sharp([2, 15])
    assert notebook.evaluate("heard") == [15]


def test_a_hand_is_turned_and_keeps_its_turns(live):
    notebook, figure, pads = start(live)
    mouse = notebook.page.mouse
    for tenth in range(100):                              # clockwise from position 3 to position 13
        angle = 3 + tenth / 10
        mouse.move(*spot(pads.nth(1), 0.5 + 0.4 * math.sin(angle), 0.5 - 0.4 * math.cos(angle)))
        if not tenth:
            mouse.down()
    mouse.up()
    figure.wait_sharp([2, 13])
    assert figure.faults() == []


def test_of_several_handles_the_nearest_is_taken_and_kept(live):
    notebook, figure, pads = start(live, "explore(handles, low=Slider(0, 20, start=5), high=Slider(0, 20, start=15))")
    mouse = notebook.page.mouse
    mouse.move(*spot(pads, 13.2 / 20, 0.5))
    assert pads.get_attribute("data-hint") == "high"
    mouse.down()
    mouse.move(*spot(pads, 2 / 20, 0.5), steps=5)         # past the other handle
    mouse.up()
    figure.wait_sharp([5, 2])
    assert figure.faults() == []


def test_a_speed_that_hangs_on_a_menu(live):
    notebook, figure, pads = start(live, "explore(geared, place=Slider(0, 40, start=4), base=Choice([2.0, 10.0]))")
    for option, place in ((0, 2), (1, 10)):               # a radian is 2 positions, or 10
        if option:
            figure.output.get_by_role("combobox").select_option("10")
        notebook.page.mouse.click(*spot(pads, 0.5 + 0.3 * math.cos(1), 0.5 - 0.3 * math.sin(1)))
        figure.wait_sharp([place, option])
    assert figure.faults() == []


def test_a_drag_that_leaves_the_picture_stays_at_the_end_of_the_range_and_comes_back(live):
    notebook, figure, pads = start(live)
    mouse, page = notebook.page.mouse, notebook.page.viewport_size
    mouse.move(*cell(pads.nth(0), 10, 5))
    mouse.down()
    mouse.move(page["width"] - 2, 40, steps=6)            # above and to the right of it, over other things
    figure.wait("data.key === '[0,20]'")
    mouse.move(3, page["height"] - 3, steps=6)
    figure.wait("data.key === '[10,0]'")
    mouse.move(*cell(pads.nth(0), 7, 8), steps=6)
    mouse.up()
    figure.wait_sharp([8, 7])
    mouse.move(*cell(pads.nth(0), 12, 3), steps=6)        # let go
    notebook.page.wait_for_timeout(300)
    assert figure.key == [8, 7] and figure.faults() == []


def test_a_click_while_a_frame_is_under_way(live):
    notebook, figure, pads = start(live, TWO.replace("dragged", "slowly(dragged)"))
    for key, query in ((15, 8), (1, 1), (9, 4)):
        notebook.page.mouse.click(*cell(pads.nth(0), key, query))
    figure.wait_sharp([4, 9])
    time.sleep(1)                                         # what is under way comes in
    assert figure.key == [4, 9] and figure.faults() == []


def test_other_buttons_and_a_drag_with_the_keyboard_between_do_no_harm(live):
    notebook, figure, pads = start(live)
    mouse = notebook.page.mouse
    mouse.move(*cell(pads.nth(0), 12, 6))
    mouse.down(button="middle")
    mouse.up(button="middle")
    assert figure.key == [2, 3]
    mouse.down()
    figure.sliders.nth(0).press("End")                    # the query, while the pointer is down
    mouse.move(*cell(pads.nth(0), 13, 6))
    mouse.up()
    figure.wait_sharp([6, 13])
    assert figure.faults() == []


def test_a_menu_is_touched_where_its_options_stand(live):
    notebook, figure, pads = start(live, "explore(options, which=Choice(['near', 'far', 'gone']))")
    notebook.page.mouse.click(*spot(pads, 0.9, 0.5))
    figure.wait_sharp([2])
    assert figure.output.get_by_role("combobox").input_value() == "gone"
    notebook.page.keyboard.press("ArrowUp")
    figure.wait_sharp([1])
    assert figure.faults() == []


class Finger:
    """Touches of an emulated screen."""

    def __init__(self, context, page):
        self.session = context.new_cdp_session(page)

    def send(self, kind, *points):
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)]})
        time.sleep(0.03)


@pytest.fixture
def phone(browser, live):
    """A figure on a screen without a mouse; its kernel ends with the test."""
    opened = []

    def open_it(cell=TWO, width=900, height=700, **options):
        context = browser.new_context(viewport={"width": width, "height": height}, has_touch=True, is_mobile=True, **options)
        notebook, figure, pads = start(live, cell, apart=True, context=context)
        opened.append((context, notebook))
        return notebook, figure, pads, Finger(context, notebook.page)

    yield open_it
    for context, notebook in opened:
        notebook.shut_down()
        context.close()


def test_a_finger_that_scrolls_changes_nothing(phone):
    notebook, figure, pads, finger = phone()
    x, y = spot(pads.nth(0), 0.8, 0.8)
    finger.send("touchStart", (x, y))
    assert figure.key == [2, 3]                           # no jump on touch down
    for step in range(14):
        finger.send("touchMove", (x + step / 4, y - 16 * step))
    finger.send("touchEnd")
    notebook.page.wait_for_timeout(600)
    box = pads.nth(0).bounding_box()
    assert box["y"] + 0.8 * box["height"] < y - 50        # it has scrolled
    figure.wait_sharp([2, 3])
    assert figure.faults() == []


def test_a_finger_that_goes_sideways_drags_and_a_tap_sets(phone):
    notebook, figure, pads, finger = phone()
    x, y = cell(pads.nth(0), 3, 2)
    width = pads.nth(0).bounding_box()["width"] / 21
    finger.send("touchStart", (x, y))
    for step in range(1, 13):
        finger.send("touchMove", (x + step * width * 0.5, y + (step > 6) * (step - 6) * 3))      # sideways first, then down as well
    finger.send("touchEnd")
    figure.wait_sharp()
    assert figure.key[1] == 9 and figure.faults() == []
    notebook.page.touchscreen.tap(*cell(pads.nth(0), 15, 7))
    figure.wait_sharp([7, 15])
    assert figure.faults() == []


def test_a_second_finger_changes_nothing_of_the_first_ones_drag(phone):
    notebook, figure, pads, finger = phone()
    x, y = cell(pads.nth(0), 3, 2)
    width = pads.nth(0).bounding_box()["width"] / 21
    other = spot(pads.nth(1), 0.2, 0.2)
    finger.send("touchStart", (x, y))
    for step in range(1, 5):
        finger.send("touchMove", (x + step * width, y))
    finger.send("touchStart", (x + 4 * width, y), other)
    for step in range(5, 9):
        finger.send("touchMove", (x + step * width, y), other)
    finger.send("touchEnd")
    figure.wait_sharp()
    assert figure.key in ([2, 11], [2, 3])                # dragged to its end, or given up as a pinch: never the hand's place
    assert figure.faults() == []


def test_with_no_kernel_a_drag_shows_what_is_stored_and_says_the_rest(live):
    notebook, figure, pads = start(live, apart=True)
    notebook.page.mouse.click(*cell(pads.nth(0), 6, 4))
    figure.wait_sharp([4, 6])
    notebook.page.evaluate("() => lab.notebook().context.sessionContext.shutdown()")
    note = figure.output.get_by_role("note")
    note.wait_for()
    assert "run this cell again" in note.inner_text()
    notebook.page.mouse.click(*cell(pads.nth(0), 18, 9))
    figure.sliders.nth(1).press("ArrowLeft")
    notebook.page.wait_for_timeout(500)
    assert figure.key == [4, 6] and figure.readout == "Query 4, key 6."
    assert notebook.messages == []                        # no uncaught error


@pytest.mark.parametrize("width, zoom, ratio", [(320, 1, 1), (3000, 1, 1), (1280, 0.5, 1), (1280, 3, 1), (390, 1, 3), (1440, 1.1, 1.5), (1280, 1, 2)])
def test_the_value_under_the_pointer_at_any_width_zoom_and_pixel_ratio(browser, live, width, zoom, ratio):
    """A browser's zoom makes the page's pixels larger and fewer."""
    screen = {"width": max(round(width / zoom), 300), "height": round(900 / zoom)}
    with browser.new_context(viewport=screen, device_scale_factor=zoom * ratio) as context:
        notebook, figure, pads = start(live, apart=True, context=context)
        figure.canvas.evaluate("(canvas) => canvas.closest('.pe-scroll').scrollLeft = 80")    # a narrow card: cell 14 comes into sight
        notebook.page.mouse.click(*cell(pads.nth(0), 14, 7))
        figure.wait_sharp([7, 14])
        assert figure.faults() == []
        canvas, shown, card = figure.canvas.evaluate("(c) => [c.width, c.getBoundingClientRect().width, c.closest('.pe-card').offsetWidth]")
        assert shown <= 1100.5 and card <= 1126
        sharp = shown * zoom * ratio                      # pixels of the screen
        assert canvas == pytest.approx(min(max(sharp, 800), 2400), abs=1)
        assert figure.output.evaluate("(node) => node.scrollWidth <= node.clientWidth + 1")      # nothing sticks out
        notebook.shut_down()


def test_on_a_projector_controls_picture_and_sentence_fit_one_screen(browser, live):
    with browser.new_context(viewport={"width": 1280, "height": 720}) as context:
        notebook, figure, _ = start(live, TWO.replace("(8, 4)", "(8, 5)"), apart=True, context=context)
        card, room = notebook.page.evaluate("() => [lab.canvas(0).closest('.pe-card').offsetHeight, document.querySelector('.jp-WindowedPanel-outer').clientHeight]")
        assert card <= room
        notebook.shut_down()


def test_on_a_phone_the_picture_stays_legible_and_alone_goes_sideways(phone):
    notebook, figure, pads, finger = phone(width=390, height=844)
    shown = figure.canvas.evaluate("""(canvas) => { const scroll = canvas.closest('.pe-scroll'), card = canvas.closest('.pe-card');
        return [canvas.clientWidth, scroll.clientWidth, scroll.scrollWidth, card.scrollWidth - card.clientWidth]; }""")
    assert shown[0] == shown[2] == 520 and shown[1] < 390 and shown[3] <= 0
