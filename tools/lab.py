"""JupyterLab in headless Chromium, for the browser tests and the benchmarks: start it, run a notebook, move sliders."""

import ast
import contextlib
import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path

from chromium import HOW, find_chromium

CHROMIUM_ARGUMENTS = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
                      "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"]
AS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0

# What the pages get: the open notebook, its kernel, and the pixels of a slider figure.
SCRIPT = r"""
window.lab = {
  notebook: () => jupyterapp.shell.currentWidget,
  kernel: () => lab.notebook().context.sessionContext.session.kernel,
  canvas: (n) => document.querySelectorAll('.jp-Notebook .pe-figure canvas')[n],
  async reveal(n) {                    // JupyterLab 4.2 hides the cells out of sight
    const notebook = lab.notebook().content, canvas = lab.canvas(n);
    if (canvas && !canvas.checkVisibility())
      await notebook.scrollToItem(notebook.widgets.findIndex((cell) => cell.node.contains(canvas)), 'center');
  },
  async evaluate(expression) {
    const reply = await lab.kernel().requestExecute(
      { code: '', silent: true, store_history: false, user_expressions: { value: expression } }).done;
    return reply.content.user_expressions.value;
  },
  pixels(source, width, height) {
    const copy = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
    copy.drawImage(source, 0, 0, width, height);
    return copy.getImageData(0, 0, width, height).data;
  },
  async difference(n, png) {           // [largest, mean] difference of the canvas and a PNG, in steps of 255
    const canvas = lab.canvas(n), bytes = Uint8Array.from(atob(png), (c) => c.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes]));
    if (bitmap.width !== canvas.width || bitmap.height !== canvas.height) return [255, 255];
    const a = lab.pixels(canvas, canvas.width, canvas.height), b = lab.pixels(bitmap, bitmap.width, bitmap.height);
    let largest = 0, sum = 0;
    for (let i = 0; i < a.length; i++) { const d = Math.abs(a[i] - b[i]); sum += d; if (d > largest) largest = d; }
    return [largest, sum / a.length];
  },
};
"""


@contextlib.contextmanager
def server(folder):
    """A JupyterLab over `folder`/notebooks with nothing of the user's own settings; yields its address with the token."""
    folder = Path(folder)
    (folder / "notebooks").mkdir(parents=True, exist_ok=True)
    environment = os.environ | {"IPYTHONDIR": str(folder / "ipython")}
    environment |= {f"JUPYTER_{kind}_DIR": str(folder / kind.lower()) for kind in ("CONFIG", "DATA", "RUNTIME")}
    environment |= {f"JUPYTERLAB_{kind}_DIR": str(folder / kind.lower()) for kind in ("SETTINGS", "WORKSPACES")}
    command = [sys.executable, "-m", "jupyter", "lab", "--no-browser", "--ip=127.0.0.1", "--port=0", "--ServerApp.log_level=WARN",
               f"--ServerApp.root_dir={folder / 'notebooks'}", "--LabApp.expose_app_in_browser=True"]
    with open(folder / "server.log", "w") as log:
        process = subprocess.Popen(command + ["--allow-root"] * AS_ROOT, cwd=folder, env=environment, stdout=log, stderr=log)
    try:
        yield _address(process, folder)
    finally:
        process.terminate()                    # kernels are shut down by the server
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()


def _address(process, folder, seconds=60):
    stop = time.monotonic() + seconds
    while time.monotonic() < stop and process.poll() is None:
        for file in (folder / "runtime").glob("jpserver-*.json"):
            with contextlib.suppress(ValueError):          # half written
                info = json.loads(file.read_text())
                return f"{info['url']}doc/tree/{{}}?reset&token={info['token']}"
        time.sleep(0.1)
    raise RuntimeError("JupyterLab did not start:\n" + (folder / "server.log").read_text()[-2000:])


def launch(playwright):
    """Headless Chromium; RuntimeError that says how to get it where there is none."""
    path = find_chromium()
    if path is None:
        raise RuntimeError(HOW)
    return playwright.chromium.launch(executable_path=path, headless=True, args=CHROMIUM_ARGUMENTS + ["--no-sandbox"] * AS_ROOT)


def write_notebook(path, cells):
    """A notebook of code cells without outputs."""
    import nbformat

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, path)


class Notebook:
    """A notebook open in a browser page."""

    def __init__(self, page, address, name):
        self.page, self.messages, self.made_before = page, [], 0
        page.add_init_script(SCRIPT)
        page.on("console", lambda message: message.type == "error" and self.messages.append(message.text))
        page.on("pageerror", lambda error: self.messages.append(f"uncaught: {error}"))
        self.address = address.format(name)
        self.open()

    def open(self):
        """Load the page, wait for the notebook and, where it has one, its kernel."""
        self.page.goto(self.address, wait_until="domcontentloaded")
        self.page.wait_for_function("() => window.jupyterapp && document.querySelector('.jp-Notebook .jp-Cell')", timeout=60_000)
        self.page.wait_for_function("() => lab.notebook()?.context?.sessionContext?.session?.kernel?.status === 'idle'", timeout=60_000)

    def replace(self, cells):
        """Other code cells in place of all there are; the kernel stays."""
        self.made_before = self.evaluate("len(__import__('pe_lib.teach.sliders').teach.sliders.figures())")
        self.page.evaluate("""(sources) => { const model = lab.notebook().content.model.sharedModel;
            model.transact(() => { model.deleteCellRange(0, model.cells.length);
                model.insertCells(0, sources.map((source) => ({ cell_type: 'code', source, metadata: {} }))); }); }""", cells)

    def command(self, name):
        """A command of JupyterLab; returns when it has been carried out."""
        return self.page.evaluate("async (name) => { await jupyterapp.commands.execute(name); }", name)

    def run(self):
        """Run All, as the menu does; the errors of the cells."""
        self.command("notebook:run-all-cells")
        return self.page.evaluate("""() => lab.notebook().content.widgets.flatMap((cell, i) =>
            (cell.model.sharedModel.outputs || []).filter((o) => o.output_type === 'error').map((o) => `cell ${i}: ${o.ename}: ${o.evalue}`))""")

    def evaluate(self, expression):
        """The value of a Python expression in the kernel (anything JSON can carry)."""
        reply = self.page.evaluate("(e) => lab.evaluate(e)", f"__import__('json').dumps({expression})")
        if reply["status"] != "ok":
            raise RuntimeError(f"{expression}: {reply.get('ename')}: {reply.get('evalue')}")
        return json.loads(ast.literal_eval(reply["data"]["text/plain"]))

    def shut_down(self):
        """End the kernel and leave the page; the errors that its console had till then."""
        if self.page.is_closed():
            return self.messages
        messages = list(self.messages)         # without those of a page and a debugger that are cut off in their work
        self.page.evaluate("async () => { await lab.notebook()?.context?.sessionContext?.shutdown(); }")
        self.page.close()
        return messages


class Figure:
    """The n-th slider figure of an open notebook."""

    def __init__(self, notebook, n=0):
        self.notebook, self.page, self.n = notebook, notebook.page, n
        self.canvas = self.page.locator(".jp-Notebook .pe-figure canvas").nth(n)
        self.output = self.page.locator(".jp-Notebook .jp-OutputArea-output", has=self.page.locator(".pe-figure")).nth(n)
        self.sliders = self.output.get_by_role("slider")
        self.python = f"__import__('pe_lib.teach.sliders').teach.sliders.figures()[{notebook.made_before + n}]"
        self.reveal()

    def reveal(self):
        """Scroll to the figure."""
        self.page.evaluate("(n) => lab.reveal(n)", self.n)
        self.canvas.scroll_into_view_if_needed()

    @property
    def data(self):
        """What the canvas says of itself: key, quality, stored, frames."""
        return dict(self.canvas.evaluate("(canvas) => canvas.dataset"))

    @property
    def key(self):
        """The raw settings of the frame that is shown."""
        return json.loads(self.data["key"])

    @property
    def readout(self):
        return self.output.locator("[role=status].pe-readout").inner_text()

    def wait(self, condition, argument=None, seconds=40):
        """Until a JavaScript condition on the canvas's dataset holds."""
        from playwright.sync_api import TimeoutError

        script = f"([n, argument]) => {{ const data = lab.canvas(n)?.dataset; return data && ({condition}); }}"
        for _ in range(seconds // 4):                     # outputs above may have grown and pushed the figure out of sight
            self.reveal()
            with contextlib.suppress(TimeoutError):
                return self.page.wait_for_function(script, arg=[self.n, argument], timeout=4000)
        alerts = self.output.get_by_role("alert").all_inner_texts()
        raise AssertionError(f"figure {self.n}, {seconds} s: not ({condition}) of {argument!r}; it has {self.data}, alerts {alerts}")

    def wait_sharp(self, key=None):
        """Until the figure rests with a lossless frame (of these raw settings, if given)."""
        self.wait("data.quality === 'sharp' && (!argument || data.key === argument)", key and json.dumps(key, separators=(",", ":")))

    def wait_rest(self, seconds=20):
        """Until the lossless frame shown is the one of the settings that the kernel has; `faults` says if it never is."""
        stop = time.monotonic() + seconds
        while time.monotonic() < stop:
            self.wait_sharp()
            if _alike(self.key, self.settings()):
                return

    def move(self, key, control):
        """A key on a control. False if it changed nothing."""
        control.focus()
        self.canvas.evaluate("(canvas) => { canvas.dataset.quality = 'before'; }")
        before = _setting(control)
        control.press(key)
        return _setting(control) != before

    def press(self, key, control=None):
        """A key on a control (the first slider), and the lossless frame that follows. False if it changed nothing."""
        moved = self.move(key, control or self.sliders.first)
        if moved:
            self.wait_sharp()
        return moved

    def settings(self):
        """The raw settings of the controls, in the kernel."""
        f = self.python
        return self.notebook.evaluate(f"[float(getattr(w, s.trait)) for w, s in zip({f}.controls.values(), {f}.specs.values())]")

    def expected(self, key):
        """What the kernel draws and says for raw settings: base64 of a lossless PNG of as many pixels as are shown, and the sentence."""
        frame = f"{self.python}.frame({key}, {self.canvas.evaluate('(canvas) => canvas.width')} / {self.python}.picture.size[0], 'png')"
        return self.notebook.evaluate(f"(lambda png, text: [__import__('base64').b64encode(png).decode(), text])(*{frame})")

    def difference(self, png):
        """[largest, mean] difference of the canvas and a picture, in steps of 255."""
        return self.page.evaluate("([n, png]) => lab.difference(n, png)", [self.n, png])

    def faults(self):
        """What is wrong with the picture shown: it must be, pixel for pixel, what the kernel draws for the controls' settings."""
        key, wanted = self.key, self.settings()
        png, text = self.expected(key)
        faults = [] if _alike(key, wanted) else [f"{key} shown, {wanted} wanted"]
        largest, mean = self.difference(png)
        if largest:
            faults.append(f"at {key} the pixels differ from the kernel's by up to {largest}, {mean:.3g} in the mean")
        drawn = self.notebook.evaluate(f"{self.python}.picture.drawn")
        for name, said, due in [("readout", self.readout, text), ("label", self.canvas.get_attribute("aria-label"), f"{drawn} {text}".strip())]:
            if said != due:
                faults.append(f"at {key} the {name} is {said!r} and not {due!r}")
        return faults

    def names(self):
        """[(role, name), ...] of the figure and its controls in the browser's accessibility tree."""
        with contextlib.closing(_Session(self.page)) as session:
            root = session.send("Runtime.evaluate", {"expression": f"lab.canvas({self.n}).closest('.jp-OutputArea-output')"})
            nodes = session.send("Accessibility.queryAXTree", {"objectId": root["result"]["objectId"]})["nodes"]
        return [(node["role"]["value"], node["name"]["value"]) for node in nodes if not node["ignored"] and "name" in node]


def _alike(key, wanted):
    return all(math.isclose(*pair, rel_tol=1e-9, abs_tol=1e-9) for pair in zip(key, wanted, strict=True))


def _setting(control):
    return control.evaluate("""(node) => node.getAttribute('role') === 'slider' ? node.parentElement.style.transform
                                       : node.type === 'checkbox' ? node.checked : node.value""")


class _Session:
    def __init__(self, page):
        self.session = page.context.new_cdp_session(page)
        self.send, self.close = self.session.send, self.session.detach
