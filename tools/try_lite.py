"""The course in a browser's own kernel, for real: each notebook of a JupyterLite site is run whole in headless Chromium.

    python tools/try_lite.py SITE [NOTEBOOK ...]        SITE: a folder that tools/lite.py has written with --pyodide

Of each notebook every cell must run without an error and print what is committed, a slider must move its figure, a question must
answer, and the console must have no error. It ends with 1 if one of these fails, and prints how long a learner would wait.
"""

import argparse
import contextlib
import functools
import http.server
import json
import sys
import threading
import time
from pathlib import Path

import lab

ROOT = Path(__file__).resolve().parent.parent
TOLERATED = ("status of 404",)          # JupyterLite asks for folders' listings that a static site does not have


@contextlib.contextmanager
def served(folder):
    """The folder under an address, as any web server would have it."""
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def told(outputs):
    """What the outputs of a cell say, without pixels and views: Pyodide has its own versions of the drawing packages."""
    def text(value):
        return value if isinstance(value, str) else "".join(value)
    said = []
    for output in outputs:
        data = output.get("data", {})
        if output["output_type"] == "stream":
            said.append(text(output["text"]))
        elif output["output_type"] == "error":
            said.append(f"{output['ename']}: {output['evalue']}")
        elif kinds := [kind for kind in data if "widget" not in kind]:          # the kernel adds empty results of its own
            said.append(text(data.get("text/plain", "")) or ", ".join(sorted(kinds)))
    return "".join(said)


def try_notebook(browser, site, path):
    """(faults, seconds to a kernel, to the first figure, to the end)"""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(300_000)
    start = time.monotonic()
    notebook = lab.Notebook(page, site + "/notebooks/index.html?path={}", path.name)
    ready = time.monotonic() - start
    page.evaluate("""() => { const begun = performance.now(), timer = setInterval(() => {
        if (document.querySelector('.jp-Notebook .pe-figure canvas[data-key]')) { window.firstFigure = performance.now() - begun; clearInterval(timer); } }, 50); }""")
    faults = notebook.run()
    whole = time.monotonic() - start
    first = ready + (page.evaluate("() => window.firstFigure || NaN")) / 1000
    cells = page.evaluate("() => lab.notebook().content.widgets.map((c) => c.model.sharedModel).filter((c) => c.cell_type === 'code').map((c) => c.outputs)")
    committed = [cell["outputs"] for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    faults += [f"code cell {n} says {told(new)[:200]!r}, committed {told(old)[:200]!r}" for n, (new, old) in enumerate(zip(cells, committed, strict=True), 1)
               if told(new) != told(old)]
    faults += figure_moves(notebook) + question_answers(page)
    faults += [f"console: {said}" for said in notebook.shut_down() if not any(part in said for part in TOLERATED)]
    return faults, ready, first, whole


def figure_moves(notebook):
    """What is wrong with the first figure when a key is pressed on its first slider or menu."""
    if not notebook.page.locator(".jp-Notebook .pe-figure canvas").count():
        return []
    figure = lab.Figure(notebook)
    figure.wait_sharp()
    said = figure.readout
    controls = [(control, key) for role, keys in (("slider", ("ArrowRight", "ArrowLeft")), ("combobox", ("ArrowDown", "ArrowUp")))
                for control in figure.output.get_by_role(role).all() for key in keys]
    for control, key in controls:
        if figure.press(key, control) and figure.readout != said:
            return []
    return [f"no key moves the first figure; it says: {said}"]


def question_answers(page):
    """What is wrong with the first question when its first option is checked."""
    page.evaluate("""async () => { const asked = document.querySelector('.jp-Notebook .pe-quiz'), content = lab.notebook().content;
        if (asked) await content.scrollToItem(content.widgets.findIndex((cell) => cell.node.contains(asked)), 'center'); }""")
    asked = page.locator(".jp-Notebook .pe-quiz").first
    if not asked.count():
        return []
    asked.get_by_role("radio").first.check()
    asked.get_by_role("button").click()
    page.wait_for_timeout(500)
    return [] if len(asked.get_by_role("status").inner_text()) > 10 else ["the first question does not answer"]


def main():
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("site", type=Path)
    parser.add_argument("notebooks", nargs="*", type=Path)
    options = parser.parse_args()
    paths = options.notebooks or sorted((ROOT / "notebooks").glob("*.ipynb"))
    bad = []
    with served(options.site) as site, sync_playwright() as playwright:
        browser = lab.launch(playwright)
        for path in paths:
            faults, ready, first, whole = try_notebook(browser, site, path)
            print(f"{path.name:36} kernel {ready:5.1f} s, first figure {first:5.1f} s, whole {whole:5.1f} s{'' if not faults else ', FAULTS'}", flush=True)
            print(*(f"    {fault}" for fault in faults[:8]), sep="\n", end="\n" * bool(faults), flush=True)
            bad += [path.name] * bool(faults)
    print(f"{len(paths) - len(bad)} of {len(paths)} notebooks run in the browser.")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
