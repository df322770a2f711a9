"""The slider figure, as far as it goes without a browser (tests/browser drives the rest)."""

import base64
import gc
import io
import resource
import threading

import numpy as np
import pytest
from matplotlib import pyplot
from PIL import Image

from pe_lib.teach import sliders
from pe_lib.teach import stills as stills_of
from pe_lib.teach.plots import heat_map
from pe_lib.teach.sliders import Check, Choice, LogSlider, Slider, explore


def ramp(fig):
    """A line whose slope the slider sets, and a map: the plain case."""
    left, right = fig.subplots(1, 2)
    (line,) = left.plot([0, 1], [0, 0], animated=True)
    left.set(xlim=(0, 1), ylim=(-10, 10), xlabel="time (s)", ylabel="height (m)")
    image = heat_map(right, np.zeros((4, 4)), label="height (m)", limits=(-10, 10), animated=True)

    def update(slope):
        line.set_ydata([0, slope])
        image.set_data(np.full((4, 4), slope))
        return f"The line climbs {slope} m in one second."
    return update


def request(values, ratio=1, sharp=False, key="k"):
    return {"key": key, "values": values, "ratio": ratio, "sharp": sharp}


def pixels(data):
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"), dtype=int)


def test_the_output_is_one_bundle_with_a_view_a_picture_and_its_sentence():
    figure = explore(ramp, slope=Slider(-9, 9, start=2))
    data, metadata = figure._repr_mimebundle_()
    assert set(data) == {"application/vnd.jupyter.widget-view+json", "image/png", "text/plain"}
    assert data["text/plain"] == "The line climbs 2 m in one second."
    assert metadata["image/png"]["alt"].endswith(data["text/plain"])
    picture = pixels(base64.b64decode(data["image/png"]))
    assert picture.shape[1] == 1200 and metadata["image/png"]["width"] == 800
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 20


def test_the_alternative_text_says_first_what_is_drawn():
    def described(fig):
        """A line that climbs,
        and *its* height as a map.

        This paragraph is for the author.
        """
        return ramp(fig)

    figure = explore(described, slope=Slider(-9, 9, start=2))
    data, metadata = figure._repr_mimebundle_()
    assert data["text/plain"] == "The line climbs 2 m in one second."
    assert metadata["image/png"]["alt"] == "A line that climbs, and its height as a map. The line climbs 2 m in one second."
    assert figure.picture.drawn == "A line that climbs, and its height as a map."


def test_three_stills_share_a_screen_each_with_its_sentence():
    data, metadata = explore(ramp, slope=Slider(-9, 9, start=2), stills=[{}, {"slope": -9}, {"slope": 9}])._repr_mimebundle_()
    strip, shown = pixels(base64.b64decode(data["image/png"])), metadata["image/png"]
    assert strip.shape[1] == 1.5 * shown["width"] == 1440 and strip.shape[0] <= 1.5 * 900
    assert data["text/plain"] == " ".join(f"The line climbs {s} m in one second." for s in (2, -9, 9))
    first = pixels(explore(ramp, slope=Slider(-9, 9, start=2)).frame([2], 1.8, "png")[0])
    assert np.abs(strip[:first.shape[0]] - first).mean() < 0.5           # a strip has 256 colours
    left, right = strip[first.shape[0] + 80:, :708], strip[first.shape[0] + 80:, -708:]
    assert np.abs(left - right).mean() > 0.5                              # two settings side by side


@pytest.mark.parametrize("size, stills, rows", [
    ((8.0, 3.6), 1, [(1, 800)]),
    ((8.0, 9.0), 1, [(1, 800)]),
    ((8.0, 2.0), 3, [(1, 800), (1, 800), (1, 800)]),
    ((8.0, 3.6), 2, [(1, 800), (1, 800)]),
    ((8.0, 3.6), 3, [(1, 960), (2, 472)]),
    ((8.0, 5.0), 3, [(2, 472), (1, 472)]),
    ((4.0, 4.0), 3, [(3, 928 / 3)]),
    ((8.0, 20.0), 3, [(3, 928 / 3)]),
])
def test_stills_are_arranged_to_fit_a_screen(size, stills, rows):
    plan = stills_of.rows_of(np.array(size) * 100, ["The sentence of a still has a dozen words or a few more."] * stills)
    assert plan == [(count, pytest.approx(width)) for count, width in rows]


def test_the_caption_in_the_picture_is_not_clipped():
    def wordy(fig):
        ax = fig.subplots()
        ax.set_axis_off()
        return lambda n: "word " * 60 + str(n)
    strip = pixels(base64.b64decode(explore(wordy, n=Slider(0, 3))._repr_mimebundle_()[0]["image/png"]))
    background = strip[-1, -1]
    for edge in (strip[-3:], strip[:, -6:], strip[:, :6]):
        assert (edge == background).all()
    assert (strip[540:] != background).any()


def test_a_request_is_answered_with_the_frame_and_its_sentence():
    figure = explore(ramp, slope=Slider(-9, 9, start=2))
    answer, (frame,) = figure.reply(request([5]))
    assert answer == {"key": "k", "sharp": False, "text": "The line climbs 5 m in one second."}
    assert frame[:4] == b"RIFF" and frame[8:12] == b"WEBP"
    answer, (lossless,) = figure.reply(request([5], sharp=True))
    assert lossless[:8] == b"\x89PNG\r\n\x1a\n" and answer["sharp"]
    assert np.array_equal(pixels(lossless), np.asarray(figure.image([5])[0]))
    assert np.abs(pixels(frame) - pixels(lossless)).mean() < 2       # the quick frame is close, without a visible jump


def test_a_dense_screen_gets_its_own_pixels_in_the_same_layout():
    figure = explore(ramp, slope=Slider(-9, 9, start=2))
    one, two = (pixels(figure.reply(request([5], ratio, True))[1][0]) for ratio in (1, 2))
    assert two.shape == (2 * one.shape[0], 2 * one.shape[1], 3)
    halved = two.reshape(one.shape[0], 2, one.shape[1], 2, 3).mean((1, 3))
    assert np.abs(halved - one).mean() < 3
    assert np.array_equal(one, pixels(figure.reply(request([5], 1, True))[1][0]))   # and back
    assert figure.reply(request([5], 50, True))[1][0] == figure.reply(request([5], 3, True))[1][0]  # bounded


def test_an_error_becomes_a_message_is_recorded_and_the_next_setting_works():
    def picky(fig):
        (line,) = fig.subplots().plot([0, 1], [0, 1], animated=True)

        def update(n):
            line.set_ydata([0, n])
            if n == 3:
                raise RuntimeError("<b>three</b> is out")
            return f"n is {n}."
        return update
    figure = explore(picky, n=Slider(0, 5))
    good = figure.reply(request([2]))[1]
    answer, buffers = figure.reply(request([3]))
    assert answer["error"] == "RuntimeError: <b>three</b> is out" and buffers == []
    assert [type(e) for e in figure.errors] == [RuntimeError]
    assert figure.reply(request([2]))[1] == good
    assert "at n=3: RuntimeError: <b>three</b> is out" in figure.walk(states=5)


def test_a_setting_outside_its_range_is_refused_and_changes_nothing():
    figure = explore(ramp, slope=Slider(-9, 9, start=2))
    before = figure.reply(request([2]))
    for values in ([10], [2, 3], []):
        assert "error" in figure.reply(request(values))[0]
    assert figure.reply(request([2])) == before


def test_what_is_not_animated_is_noticed_and_redrawn():
    def titled(fig):
        ax = fig.subplots()
        (line,) = ax.plot([0, 1], [0, 1], animated=True)

        def update(n, wide):
            line.set_ydata([0, n])
            ax.set_title(f"n = {n}")
            ax.set_xlim(0, 2 if wide else 1)
            return f"n is {n}."
        return update
    figure = explore(titled, n=Slider(1, 5), wide=Check())
    assert figure.walk(states=20) == []
    narrow, broad = (np.asarray(figure.image([3, wide])[0]) for wide in (0, 1))
    assert not np.array_equal(narrow, broad)
    assert np.array_equal(np.asarray(figure.image([3, 0])[0]), narrow)


def test_a_legend_costs_no_full_redraw(monkeypatch):
    def build(fig):
        ax = fig.subplots()
        (line,) = ax.plot([0, 1], [0, 1], animated=True, label="a line")
        ax.legend()

        def update(height):
            line.set_ydata([0, height / 10])
            return f"The line rises to {height}."
        return update

    figure = explore(build, height=Slider(0, 10, start=1))
    drawn, draw = [], type(figure.figure.canvas).draw
    monkeypatch.setattr(type(figure.figure.canvas), "draw", lambda canvas: drawn.append(1) or draw(canvas))
    for height in range(5):
        figure.frame([height])
    assert drawn == []


def test_what_lies_above_an_animated_artist_stays_above_it():
    def covered(fig):
        ax = fig.subplots()
        image = ax.imshow(np.zeros((2, 2)), vmin=0, vmax=9, animated=True, aspect="auto")
        ax.text(0.5, 0.5, "on top", color="red", fontsize=30)

        def update(n):
            image.set_data(np.full((2, 2), n))
            return f"n is {n}."
        return update
    figure = explore(covered, n=Slider(0, 9))
    red = (np.asarray(figure.image([5])[0]).astype(int) @ [1, -1, -1] > 200).sum()
    assert red > 500
    assert figure.walk(states=5) == []


def test_behind_the_empty_cells_of_a_map_there_is_nothing_of_the_map_before():
    def holes(fig):
        image = fig.subplots().imshow(np.ones((1, 3)), animated=True)

        def update(n):
            image.set_data(np.where(np.arange(3) < n, 1.0, np.nan)[None])
            return f"{n} cells."
        return update
    figure = explore(holes, n=Slider(0, 3, start=3))
    assert figure.walk(states=5) == []
    empty, full = (np.asarray(figure.image([n])[0]) for n in (0, 3))
    assert (empty != full).any(axis=-1).mean() > 0.1


def test_axes_without_an_axis_stay_without_it():
    def bare(fig):
        ax = fig.subplots()
        ax.set(xlim=(-1, 1), ylim=(-1, 1))
        ax.set_axis_off()
        (hand,) = ax.plot([0, 0], [0, 1], animated=True)

        def update(n):
            hand.set_data([0, n / 10], [0, 0.5])
            return f"n is {n}."
        return update
    figure = explore(bare, n=Slider(0, 9))
    assert figure.walk(states=5) == []
    assert not set(figure.moving) & set(figure.figure.axes[0].spines.values())


def test_the_axes_do_not_move_while_the_numbers_on_them_grow():
    def growing(fig):
        ax = fig.subplots()

        def update(n):
            ax.set_ylim(0, 10.0**n)
            return f"Up to {10.0**n:g}."
        return update
    figure = explore(growing, n=Slider(0, 6))
    boxes = set()
    for n in range(7):
        figure.image([n])
        boxes.add(tuple(figure.figure.axes[0].get_position().bounds))
    assert len(boxes) == 1


@pytest.mark.parametrize("break_it, message", [
    ("history", "the picture depends on more than its settings"),
    ("gone for good", "the picture depends on more than its settings"),
    ("unnoticed", "the quick frame differs from a full redraw"),
    ("stale colour bar", "the quick frame differs from a full redraw"),
    ("silent", "m=0, n=2: ValueError: update must return the sentence"),
    ("raises inside", "m=0, n=2: RuntimeError: inside"),
    ("raises at a corner", "m=5, n=-3: RuntimeError: corner"),
    ("raises among the random", "RuntimeError: both"),
    ("cannot be drawn", "m=0, n=2: ValueError"),
    ("nothing", ""),
])
def test_the_walk_finds_the_faults_it_is_for(break_it, message):
    def build(fig):
        ax, maps = fig.subplots(1, 2)
        ax.set(xlim=(0, 1), ylim=(-10, 10))
        (moving,) = ax.plot([0, 1], [0, 0], animated=True)
        (still,) = ax.plot([0, 1], [0, 0], zorder=1)
        image = maps.imshow([[0, 1], [2, 3]], animated=True)
        bar = fig.colorbar(image, ax=maps)
        calls = []

        def update(m, n):
            calls.append(n)
            moving.set_ydata([m / 5, len(calls) % 7 if break_it == "history" else n])
            if break_it == "gone for good" and n > 2:
                moving.set_visible(False)
            if break_it == "unnoticed":
                still.set_ydata([n, n])
                fig.stale = False                      # and hides that something changed
            if break_it == "stale colour bar":
                image.set_clim(0, 10 + n)
                bar.update_normal(image)
                fig.stale = False
            if break_it == "raises inside" and (m, n) == (0, 2):
                raise RuntimeError("inside")
            if break_it == "raises at a corner" and (m, n) == (5, -3):
                raise RuntimeError("corner")
            if break_it == "raises among the random" and m == 2 and n not in (-3, -1):
                raise RuntimeError("both")
            if break_it == "cannot be drawn" and n == 2:
                ax.set_title(r"$\frac$")
            return "" if break_it == "silent" and n == 2 else f"m is {m}, n is {n}."
        return update
    errors = explore(build, size=(2, 1), m=Slider(0, 5), n=Slider(-3, 4, start=-1)).walk(states=60)
    assert any(message in error for error in errors) if message else errors == []


def test_the_walk_visits_every_step_every_option_and_restores_the_controls():
    seen = []

    def build(fig):
        fig.subplots()

        def update(n, base, kind):
            seen.append((n, base, kind))
            return f"n is {n}."
        return update
    figure = explore(build, n=Slider(0, 30, start=7), base=LogSlider(100, 1e4, 1e3), kind=Choice(["a", "b", "c"], start="b"))
    assert figure.walk(states=10) == []
    assert {n for n, *_ in seen} == set(range(31)) and {kind for *_, kind in seen} == {"a", "b", "c"}
    bases = [base for _, base, _ in seen]
    assert min(bases) == pytest.approx(100) and max(bases) == pytest.approx(1e4)
    assert {(0, 100.0, "a"), (30, 1e4, "c")} <= {(n, round(b, 6), k) for n, b, k in seen}
    assert [w.get_interact_value() if hasattr(w, "get_interact_value") else w.value for w in figure.controls.values()][0] == 7


def test_a_thousand_moves_leave_no_figure_open_and_no_memory_behind():
    figure = explore(ramp, slope=Slider(-9, 9, start=2))
    values = np.random.default_rng(0).integers(-9, 10, 1100)
    for v in values[:100]:
        figure.reply(request([int(v)]))
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for v in values[100:]:
        assert "error" not in figure.reply(request([int(v)]))[0]
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert grown < 20, f"{grown:.1f} MB more"
    assert pyplot.get_fignums() == [] and figure.errors == []


def test_figures_out_of_use_give_their_pixels_back():
    """Running a cell again leaves the old figure alive in the kernel; its buffers must not stay with it."""
    made = [explore(ramp, slope=Slider(-9, 9)) for _ in range(7)]
    kept = [f for f in made if f.backgrounds]
    assert kept == made[-4:]
    assert made[0].reply(request([5]))[1] == made[-1].reply(request([5]))[1]      # and it still works
    assert made[0].backgrounds and not made[3].backgrounds


def test_two_threads_may_draw_at_once():
    """JupyterLab delivers slider messages in a thread of their own while a cell draws."""
    figures = [explore(ramp, slope=Slider(-9, 9)) for _ in range(2)]
    right = {v: figures[0].reply(request([v]))[1] for v in range(-9, 10)}
    wrong = []

    def drive(figure):
        for v in list(range(-9, 10)) * 3:
            if figure.reply(request([v]))[1] != right[v]:
                wrong.append(v)
    threads = [threading.Thread(target=drive, args=(f,)) for f in figures for _ in range(2)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert wrong == [] and figures[0].errors == figures[1].errors == []


def test_figures_are_listed_oldest_first():
    made = [explore(ramp, slope=Slider(-9, 9)) for _ in range(3)]
    assert sliders.figures()[-3:] == made


def test_the_saved_state_of_a_control_and_a_picture_is_enough_to_show_the_first_frame():
    picture = explore(ramp, slope=Slider(-9, 9, start=2)).picture
    assert picture.size == [800, 360] and picture.start == [2] and picture.text == "The line climbs 2 m in one second."
    assert pixels(picture.first).shape == (360, 800, 3)
    assert picture.controls[0].keys() == {"id", "trait", "label", "low", "high", "step", "log", "play", "written"}
    assert picture.controls[0]["label"] == "slope" and picture.touch == []


@pytest.mark.parametrize("width", [800, 817, 1000, 1099, 1100, 1375, 2400])
def test_a_frame_is_as_many_pixels_wide_as_the_browser_asks_for(width):
    for inches in ((8.0, 3.6), (6.3, 2.7)):
        figure = explore(lambda fig: lambda n: f"n is {n}.", n=Slider(0, 3), size=inches)
        ratio = width / figure.picture.size[0]
        if 1 <= ratio <= 3:
            assert figure.image([0], ratio)[0].width == width


def test_a_window_that_is_resized_leaves_few_backgrounds():
    figure = explore(ramp, slope=Slider(-9, 9, start=2))
    for width in range(800, 1100, 30):
        figure.frame([0], width / 800)
    assert len(figure.backgrounds) <= 3


def broken(fig):
    raise ZeroDivisionError("in build")


@pytest.mark.parametrize("make, error, message", [
    (lambda: explore(ramp), ValueError, "one to four controls; got 0"),
    (lambda: explore(ramp, a=Check(), b=Check(), c=Check(), d=Check(), e=Check()), ValueError, "got 5"),
    (lambda: explore(ramp, slope=3), ValueError, "slope must be a Slider, LogSlider, Choice or Check; got int"),
    (lambda: explore(ramp, slope=Slider(0, 3), size=5), ValueError, r"size must be \(width, height\) in inches; got 5"),
    (lambda: explore(ramp, slope=Slider(0, 3), stills=[{"slop": 1}]), ValueError, r"names settings among \['slope'\]; got \['slop'\]"),
    (lambda: explore(ramp, slope=Slider(0, 3), stills=[{"slope": 7}]), ValueError, "must lie from 0 to 3; got 7"),
    (lambda: explore(ramp, slope=Slider(0, 3), stills=[]), ValueError, r"at least one dict of settings; got \[\]"),
    (lambda: explore(ramp, slope=Slider(0, 3), stills={"slope": 1}), ValueError, "stills must be a list"),
    (lambda: explore(ramp, slope=Slider(0, 3), stills=[{"slope": 2.5}]), ValueError, "must be a whole number; got 2.5"),
    (lambda: explore(lambda fig: None, slope=Slider(0, 3)), ValueError, "build must return its update function; got NoneType"),
    (lambda: explore(lambda fig: lambda slope: None, slope=Slider(0, 3)), ValueError, "update must return the sentence .*; got None"),
    (lambda: explore(lambda fig: lambda slope: "  ", slope=Slider(0, 3)), ValueError, "update must return the sentence"),
    (lambda: explore(broken, slope=Slider(0, 3)), ZeroDivisionError, "in build"),
    (lambda: explore(ramp, slant=Slider(0, 3)), TypeError, "slant"),
])
def test_a_broken_figure_fails_its_cell(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_size_is_inches_of_a_hundred_pixels():
    assert explore(ramp, slope=Slider(0, 3), size=(6, 3)).picture.size == [600, 300]
