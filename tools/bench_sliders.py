"""Sliders: the same two-panel figure by `interact` + inline, by ipympl (where installed) and by the course's component.

In one run, in JupyterLab in headless Chromium: key press -> changed pixels (polled at every animation frame), frames
shown while the key is held, the kernel's CPU time a frame; of the course's component also drags in the picture and Play. The
ways take turns, a fresh kernel and page each time, so that a busy machine is busy for all of them; read the ratios.

    python tools/bench.py sliders [--rounds 3] [--moves 1000] [--before path/to/an/older/checkout]
"""

import argparse
import importlib.util
import statistics
import tempfile
import time
from pathlib import Path

import lab
from playwright.sync_api import TimeoutError as Late
from playwright.sync_api import sync_playwright

FIGURE = """
import matplotlib, numpy as np, time, os
LINES, X = np.arange(64)[:, None], np.linspace(0, 1, 200)
TRACES = 0.5 * np.sin(2 * np.pi * (3 * X + LINES / 64)) * np.exp(-((X - LINES / 64) ** 2) / 0.08)
U, V = np.meshgrid(np.linspace(-1, 1, 64), np.linspace(-1, 1, 64))
def curves(k): return TRACES + LINES * k / 200 * 0.2
def heat(k): return np.sin(8 * U + k / 20) * np.cos(6 * V - k / 30) * np.exp(-(U * U + V * V))
def build(fig, animated):
    left, right = fig.subplots(1, 2)
    colors = matplotlib.colormaps["viridis"](np.linspace(0, 1, 64))
    lines = [left.plot(X, y, color=c, lw=0.8, ls="-", animated=animated)[0] for y, c in zip(curves(0), colors)]
    left.set(xlim=(0, 1), ylim=(-1, 13.5), xlabel="time", ylabel="trace + offset")
    image = right.imshow(heat(0), vmin=-1, vmax=1, cmap="viridis", origin="lower", animated=animated)
    right.set(xlabel="x", ylabel="y")
    label = left.text(0.02, 0.97, "", transform=left.transAxes, va="top", animated=animated)
    def update(a, b):
        for line, y in zip(lines, curves(a + b)):
            line.set_ydata(y)
        image.set_data(heat(a + b))
        label.set_text(f"offset {a + b}")
    return update
frames = 0
def cpu(): return time.process_time()
def memory(): return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
"""
INTERACT = """
%matplotlib inline
import matplotlib.pyplot as plt
from ipywidgets import interact, IntSlider
def picture(a, b):
    global frames
    frames += 1
    build(plt.figure(figsize=(8, 4), dpi=100), False)(a, b)
    plt.show()
_ = interact(picture, a=IntSlider(0, 0, 200), b=IntSlider(0, 0, 200))
"""
IPYMPL = """
%matplotlib widget
import matplotlib.pyplot as plt
from ipywidgets import IntSlider, VBox
from IPython.display import display
with plt.ioff():
    fig = plt.figure(figsize=(8, 4), dpi=100)
update = build(fig, False)
a, b = IntSlider(0, 0, 200), IntSlider(0, 0, 200)
def moved(_):
    global frames
    frames += 1
    update(a.value, b.value)
    fig.canvas.draw_idle()
a.observe(moved, "value"); b.observe(moved, "value"); update(0, 0)
display(VBox([a, b, fig.canvas]))
"""
COURSE = """
from pe_lib.teach import sliders
from pe_lib.teach.sliders import Slider, explore
def two_panels(fig):
    draw = build(fig, True)
    if hasattr(sliders, "touch"):
        sliders.touch(fig.axes[0], x="a", per=1 / 200)
    def update(a, b):
        global frames
        frames += 1
        draw(a, b)
        return f"The offset is {a + b}."
    return update
explore(two_panels, a=Slider(0, 200, play=True), b=Slider(0, 200), size=(8, 4))
"""
WAYS = {"interact": INTERACT, "ipympl": IPYMPL, "course": COURSE}
OURS = ("course", "before")

# Watches the pixels of the last picture in the notebook, whatever draws it, at every animation frame.
WATCH = """() => {
  const copy = new OffscreenCanvas(80, 40).getContext('2d', { willReadFrequently: true });
  const look = () => {
    const all = [...document.querySelectorAll('.jp-Notebook .jp-OutputArea img, .jp-Notebook .jp-OutputArea canvas')];
    const picture = all.find((p) => (p.naturalWidth ?? p.width) >= 300 && p.complete !== false);
    if (!picture) return null;
    shown = picture;
    copy.clearRect(0, 0, 80, 40); copy.drawImage(picture, 0, 0, 80, 40);
    return copy.getImageData(0, 0, 80, 40).data.reduce((hash, byte) => Math.imul(hash ^ byte, 16777619), 2166136261);
  };
  let shown;
  window.watch = { down: null, latency: [], frames: [], keys: [], ticks: [], released: null };
  let last = look();
  const loop = () => {
    const now = look();
    watch.ticks.push(performance.now());
    if (now !== null && now !== last) {
      last = now; watch.frames.push([performance.now(), shown?.dataset.key ?? now]);
      if (watch.down !== null) { watch.latency.push(performance.now() - watch.down); watch.down = null; }
    }
    requestAnimationFrame(loop);
  };
  document.addEventListener('pointermove', (event) => { if (event.buttons) watch.down ??= performance.now(); }, true);
  document.addEventListener('keydown', () => { watch.down ??= performance.now(); watch.keys.push(performance.now()); }, true);
  document.addEventListener('keyup', () => { watch.released = performance.now(); }, true);
  loop();
}"""


class Way:
    """One way of moving a picture, with what was measured so far."""

    def __init__(self, name, code, folder):
        self.name, self.results = name, {}
        lab.write_notebook(folder / "notebooks" / f"{name}.ipynb", [FIGURE, code])

    def add(self, what, *values):
        self.results.setdefault(what, []).extend(values)

    def open(self, context, address):
        self.notebook = lab.Notebook(context.new_page(), address, f"{self.name}.ipynb")
        self.page = self.notebook.page
        if errors := self.notebook.run():
            raise RuntimeError("\n".join(errors))
        self.handles = self.page.locator(".jp-Notebook [role=slider]")
        self.handles.nth(1).wait_for()
        self.page.wait_for_timeout(1500)
        self.page.evaluate(WATCH)

    def press(self, slider, key="ArrowRight"):
        """Milliseconds from the key press to changed pixels."""
        self.handles.nth(slider).focus()
        count = self.page.evaluate("() => { watch.down = null; return watch.latency.length; }")
        self.page.keyboard.press(key)
        self.page.wait_for_function("(count) => watch.latency.length > count", arg=count, timeout=8000, polling=5)
        latency = self.page.evaluate("watch.latency.at(-1)")
        self.page.wait_for_timeout(300)                   # the lossless frame, too, has come
        return latency

    def presses(self, what, sliders):
        for slider in sliders:
            try:
                self.add(what, self.press(slider))
            except Late:
                self.add(f"{what}: lost")

    def hold(self, what, slider=0, seconds=3.0, rate=30):
        """Hold the key; frames shown a key event, frames after the release, CPU milliseconds a frame drawn."""
        self.handles.nth(slider).focus()
        self.page.evaluate("() => { watch.frames = []; watch.keys = []; watch.ticks = []; }")
        drawn, cpu = self.notebook.evaluate("[frames, cpu()]")
        start = time.monotonic()
        for count in range(round(seconds * rate)):
            time.sleep(max(0, start + count / rate - time.monotonic()))
            self.page.keyboard.down("ArrowRight")
        self.page.keyboard.up("ArrowRight")
        took = time.monotonic() - start
        self.page.wait_for_timeout(100)
        after = self.notebook.evaluate("[frames, cpu()]")
        self.page.wait_for_timeout(2500)
        frames, released, keys, ticks = self.page.evaluate("[watch.frames, watch.released, watch.keys, watch.ticks]")
        own = sum(any(a <= tick < b for tick in ticks) for a, b in zip(keys, [*keys[1:], keys[-1] + 100]))
        self.add(f"{what}: events with a screen frame", own / len(keys))
        shown = sum(when <= released for when, _ in frames)
        settings = [setting for _, setting in frames[max(0, shown - 1):]]     # a lossless frame of the same setting is no other picture
        self.add(f"{what}: shown of the events", shown / (count + 1))
        self.add(f"{what}: frames a second", shown / took)
        self.add(f"{what}: frames after release", sum(a != b for a, b in zip(settings, settings[1:])))
        if after[0] > drawn:
            self.add(f"{what}: CPU ms a frame", 1000 * (after[1] - cpu) / (after[0] - drawn))

    def drag(self, what, steps=60, rate=30):
        """Drag over the first touched axes: milliseconds from a move to changed pixels, and pictures a second."""
        pad = self.page.locator(".jp-Notebook .pe-pad").first
        pad.scroll_into_view_if_needed()
        box = pad.bounding_box()
        at = [(box["x"] + (0.1 + 0.8 * n / steps) * box["width"], box["y"] + box["height"] / 2) for n in range(steps + 1)]
        self.page.mouse.move(*at[0])
        self.page.mouse.down()
        self.page.wait_for_timeout(500)
        self.page.evaluate("() => { watch.frames = []; watch.latency = []; watch.down = null; }")
        start = time.monotonic()
        for count, place in enumerate(at[1:]):
            time.sleep(max(0, start + count / rate - time.monotonic()))
            self.page.mouse.move(*place)
        took = time.monotonic() - start
        latency, frames = self.page.evaluate("[watch.latency, watch.frames.length]")
        self.page.mouse.up()
        self.page.wait_for_timeout(1000)
        self.add(f"drag {what}", *latency)
        self.add(f"drag {what}: pictures a second", frames / took)

    def play(self, what):
        """Play the first slider's whole range: pictures a second, and seconds it took (at most 30)."""
        self.handles.nth(0).press("Home")
        lab.Figure(self.notebook).reveal()                # out of sight nothing is drawn ahead
        self.page.wait_for_timeout(1000)
        self.page.evaluate("() => { watch.frames = []; }")
        start = time.monotonic()
        button = self.page.locator(".jp-Notebook .pe-play, .jp-Notebook .widget-play button").first
        button.click()
        arrived = "() => { const last = watch.frames.find(([, key]) => key === '[200,0]'); return last ? last[0] - watch.frames[0][0] : 0; }"
        while time.monotonic() - start < 30 and not (took := self.page.evaluate(arrived)):
            self.page.wait_for_timeout(100)
        frames = self.page.evaluate("watch.frames.length")
        self.page.wait_for_timeout(1000)
        took = took / 1000 if took else 30
        self.add(f"play {what}: pictures a second", frames / took)
        self.add(f"play {what}: seconds", took)

    def round(self, context, address, presses):
        self.open(context, address)
        self.presses("first touch", [1])
        self.presses("cold", [0, 1] * (presses // 2))     # each key press leads where no neighbour was drawn ahead
        self.press(1, "Home")
        self.hold("cold hold", slider=1)
        if self.name in OURS:
            self.press(1, "Home")
            self.play("fresh")
            self.press(1, "End")
            if touched := self.page.locator(".jp-Notebook .pe-pad").count():
                self.drag("fresh")
            self.press(1, "Home")
            self.fill()
            self.play("stored")
            if touched:
                self.drag("stored")
        for key in ("Home", "ArrowRight"):
            self.handles.nth(0).press(key)
            self.page.wait_for_timeout(1000)
        self.presses("stored", [0] * presses)
        self.hold("stored hold")
        self.notebook.shut_down()

    def fill(self):
        """Walk the first slider till every setting is in the store."""
        figure = lab.Figure(self.notebook)
        for key in ["Home", *["ArrowRight"] * 200, "Home"]:
            self.handles.nth(0).press(key)
            if figure.key[0] % 40 == 0 or key == "Home":
                stored = None
                while stored != (stored := figure.data["stored"]):
                    self.page.wait_for_timeout(700)       # nothing came meanwhile: all neighbours are there


def wander(context, address, way, moves):
    """Click at random places on both sliders; growth of the kernel's memory (MB), most bytes in the store."""
    import random

    random.seed(0)
    way.open(context, address)
    figure = lab.Figure(way.notebook)
    tracks = [way.page.locator(".jp-Notebook .noUi-target").nth(n).bounding_box() for n in (0, 1)]
    most, start = 0, None
    for move in range(moves + 50):
        if move == 50:                                    # caches have filled
            start = way.notebook.evaluate("memory()")
        box = random.choice(tracks)
        way.page.mouse.click(box["x"] + random.random() * box["width"], box["y"] + box["height"] / 2)
        most = max(most, int(figure.data["stored"]))
    figure.wait_sharp()
    growth, left = way.notebook.evaluate("memory()") - start, way.notebook.evaluate("len(__import__('matplotlib.pyplot').pyplot.get_fignums())")
    faults = figure.faults()
    way.notebook.shut_down()
    return growth, most, left, faults


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--presses", type=int, default=20)
    parser.add_argument("--moves", type=int, default=1000)
    parser.add_argument("--before", help="another checkout, whose component is measured as well")
    options = parser.parse_args(arguments)
    names = [name for name in WAYS if name != "ipympl" or importlib.util.find_spec("ipympl")]
    codes = dict(WAYS)
    if options.before:
        names.append("before")
        codes["before"] = f"import sys; sys.path.insert(0, {str(Path(options.before).resolve())!r})" + COURSE
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, lab.server(folder) as address, sync_playwright() as playwright:
        context = lab.launch(playwright).new_context(viewport={"width": 1280, "height": 1000})
        ways = {name: Way(name, codes[name], Path(folder)) for name in names}
        for number in range(options.rounds):
            for way in ways.values():
                way.round(context, address, options.presses)
                print(f"round {number + 1} of {options.rounds}: {way.name}", flush=True)
        walked = wander(context, address, ways["course"], options.moves) if options.moves else None
    return report({name: way.results for name, way in ways.items()}, walked, options.moves)


def report(results, walked, moves):
    """Print the table, the ratios and their targets; 1 if a target is missed."""
    def middle(name, what):
        return statistics.median(results[name].get(what) or [float("nan")])

    def high(name, what):
        values = sorted(results[name].get(what) or [float("nan")])
        return values[min(len(values) - 1, int(0.95 * len(values)))]

    print(f"\n{'':10}" + "".join(f"{column:>16}" for column in ("stored p50/p95", "cold p50/p95", "stored shown/s", "cold shown/s", "CPU ms/frame", "after release")))
    for name in results:
        pairs = [f"{middle(name, what):.0f} / {high(name, what):.0f}" for what in ("stored", "cold")]
        rates = [f"{middle(name, f'{what} hold: frames a second'):.1f}" for what in ("stored", "cold")]
        cpu = middle(name, "cold hold: CPU ms a frame")
        late = max(max(results[name][f"{what} hold: frames after release"]) for what in ("stored", "cold"))
        print(f"{name:10}" + "".join(f"{cell:>16}" for cell in (*pairs, *rates, f"{cpu:.0f}", late)))
    print()
    for name in (name for name in OURS if name in results):
        for what in ("first touch", "drag stored", "drag fresh"):
            if what in results[name]:
                rate = f", {middle(name, f'{what}: pictures a second'):.1f} pictures a second" if "drag" in what else ""
                print(f"{name}: {what}: p50 {middle(name, what):.0f} ms, p95 {high(name, what):.0f} ms{rate}")
        for what in ("play fresh", "play stored"):
            print(f"{name}: {what}: {middle(name, f'{what}: pictures a second'):.1f} pictures a second, {middle(name, f'{what}: seconds'):.1f} s")
    shown = middle("course", "stored hold: shown of the events")
    late = max(max(results["course"][f"{what} hold: frames after release"]) for what in ("stored", "cold"))
    possible = middle("course", "stored hold: events with a screen frame")
    targets = [("stored: interact's latency / ours", middle("interact", "stored") / middle("course", "stored"), 12, "at least"),
               ("stored: shown of 30 key events a second", shown, 0.95, "at least"),
               ("  of those that the screen had a frame for", shown / possible, 0.95, "at least"),
               ("cold: interact's latency / ours", middle("interact", "cold") / middle("course", "cold"), 2.8, "at least"),
               ("cold: interact's kernel CPU a frame / ours", middle("interact", "cold hold: CPU ms a frame") / middle("course", "cold hold: CPU ms a frame"), 5, "at least"),
               ("frames after release", late, 1, "at most")]
    if walked:
        growth, most, left, faults = walked
        targets += [(f"{moves} random moves: kernel growth, MB", growth, 20, "at most"), ("  largest store, MB", most / 1e6, 16, "at most"),
                    ("  pyplot figures left open", left, 0, "at most"), ("  faults of the last picture", len(faults), 0, "at most")]
    print()
    missed = 0
    for what, value, target, sense in targets:
        met = value >= target if sense == "at least" else value <= target
        missed += not met
        print(f"{what:45} {value:8.2f}   {sense} {target}{'' if met else '   MISSED'}")
    return int(missed > 0)
