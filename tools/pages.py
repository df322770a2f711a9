"""The course as web pages whose figures move without a kernel, a server or a network: writes the folder _site.

    python tools/pages.py [OUT]          needs tools/requirements-site.txt, and npm for MathJax; three minutes

Each notebook is run once more, and of every slider figure the page gets the frames along each control, with the others at
their starts, and those of its stills: of a frame only what differs from the first one, as lossless WebP. The page shows them
with the notebook's own JavaScript. All else on a page is what is committed. If OUT/lite is there (tools/lite.py), pages link to it.
"""

import argparse
import base64
import contextlib
import html
import io
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
import numpy as np
from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = ("controls.js", "touch.js", "sliders.js")
STEPS, COMBINED = 61, 240               # settings held of one control; frames up to which every menu gets a range of its own
ROOM = 330_000                          # bytes that the frames of a figure may take; else it holds fewer settings of each control
MATHJAX = "mathjax@3.2.2"


# ---- which settings a page holds

def stops(control, most=STEPS):
    """The raw settings of a control that are held, low to high, at most so many; and of how many steps one of theirs is made."""
    span = np.log10(control.high / control.low) if control.log else control.high - control.low
    count = 1 + round(span / control.step)
    stride = 1 if control.options else -(-count // most)
    steps = control.step * np.arange(0, count, stride)
    values = [float(f"{control.low * 10**x if control.log else control.low + x:.10g}") for x in steps]
    return sorted({*(value for value in values if value < control.high), float(control.high), float(f"{control.start:.10g}")}), stride


def held_settings(figure, stills, most=STEPS, combined=COMBINED):
    """Lists of raw settings without repetition, the start first: along each control, the stills, the cells of a touched map, and, if they are few, with every menu."""
    controls = list(figure.specs.values())
    ranges = [stops(control, most)[0] for control in controls]

    def along(around):
        return [(*around[:i], value, *around[i + 1:]) for i, values in enumerate(ranges) for value in values]
    start = tuple(float(f"{value:.10g}") for value in figure.start)
    found = [start, *along(start), *(tuple(float(f"{value:.10g}") for value in still) for still in stills)]
    for _, handle in figure.figure.touches:                                         # two controls that one hand moves
        if len(handle) == 2:
            i, j = (list(figure.specs).index(name) for _, name, *_ in handle)
            if len(ranges[i]) * len(ranges[j]) <= max(combined, 64):
                found += [tuple(x if n == i else y if n == j else value for n, value in enumerate(start)) for x in ranges[i] for y in ranges[j]]
    menus = [values if control.options or control.step == control.high - control.low == 1 else [own] for values, control, own in zip(ranges, controls, start)]
    more = [state for around in itertools.product(*menus) for state in along(around)]
    if len(set(found + more)) <= combined:
        found += more
    return list(dict.fromkeys(found))


# ---- one figure

def packed(image, **options):
    data = io.BytesIO()
    image.save(data, "webp", **options)
    return base64.b64encode(data.getvalue()).decode()


def layer(image, first):
    """What differs from the first picture, the rest transparent; in 256 colours where that is smaller and within 8 of 255."""
    words, before = (np.asarray(one.convert("RGBA")).view(np.uint32)[..., 0] for one in (image, first))
    changed = words != before

    def cut(pixels):
        return packed(Image.frombytes("RGBA", image.size, np.where(changed, pixels, 0).astype(np.uint32).tobytes()), lossless=True, quality=60, method=4)
    whole = cut(words)
    palette = image.quantize(256, method=Image.Quantize.MAXCOVERAGE, kmeans=4, dither=Image.Dither.NONE).convert("RGB")
    if len(whole) < 8000 or np.abs(np.asarray(palette, dtype=int) - np.asarray(image, dtype=int)).max() > 8:
        return whole
    return min(whole, cut(np.asarray(palette.convert("RGBA")).view(np.uint32)[..., 0]), key=len)


def moving(figure, stills, number):
    """A figure as HTML: its frames, what it says at each, its controls."""
    first, text = figure.image(figure.start)
    drawn, most = {}, STEPS

    def size(settings):
        for state in settings:
            if state not in drawn:
                image, said = figure.image(list(state))
                drawn[state] = layer(image, first), said
        return sum(map(len, {drawn[state][0] for state in settings}))
    held = held_settings(figure, stills, most, 0)
    while size(held) > ROOM and most > 12:
        most = most // 2 + 1
        held = held_settings(figure, stills, most, 0)
    more = held_settings(figure, stills, most)
    if size(held) * len(more) / len(held) <= ROOM and size(more) <= ROOM:
        held = more
    states, frames = [], {}
    for state in held:
        frame, said = drawn[state]
        states.append({"at": state, "text": said, "frame": frames.setdefault(frame, len(frames))})
    controls = []
    for i, (control, told) in enumerate(zip(figure.specs.values(), figure.picture.controls)):
        kind = "choice" if control.options else "check" if control.kind.__name__ == "Checkbox" else "slider"
        names = list(control.traits["options"]) if control.options else []
        controls.append({**told, "id": i, "kind": kind, "names": list(map(str, names)), "stops": sorted({state["at"][i] for state in states}),
                         "step": control.step * stops(control, most)[1]})
    data = {"controls": controls, "size": figure.picture.size, "start": states[0]["at"], "touch": figure.picture.touch, "drawn": figure.picture.drawn,
            "text": text, "states": states, "first": packed(first, lossless=True, quality=80, method=5), "frames": list(frames)}
    script = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    return (f'<div class="pe-card" id="figure-{number}"><div class="pe-controls"></div><div class="pe-view"></div>'
            f'<div class="pe-held" role="status"></div><script type="application/json">{script}</script></div>')


# ---- one notebook

def page(path, target):
    """The notebook at target, its slider figures as HTML; its cells are run in this process."""
    from IPython.core.interactiveshell import InteractiveShell

    from pe_lib.teach import sliders

    notebook, shell, number, shown = nbformat.read(path, 4), InteractiveShell.instance(), 0, {}
    made = sliders.explore

    def explore(build, /, *, stills=None, **options):
        figure = made(build, stills=stills, **options)
        shown[id(figure)] = [figure._raws(still) for still in stills or [{}]]
        return figure
    sliders.explore = explore
    for cell in notebook.cells:
        if cell.cell_type == "code":
            with contextlib.redirect_stdout(io.StringIO()):
                run = shell.run_cell(cell.source)
            run.raise_error()
            if isinstance(run.result, sliders.SliderFigure):
                number += 1
                cell.outputs = [nbformat.v4.new_output("display_data", {"text/html": moving(run.result, shown[id(run.result)], number)})]
            else:
                cell.outputs = [] if re.search(r"^progress\(", cell.source, re.MULTILINE) else [still(output) for output in cell.outputs]
    intro = f"[Run this chapter live in the browser](lite/notebooks/index.html?path={path.name}), without installing anything (15 seconds, the first time 40 MB)."
    notebook.cells.insert(1, nbformat.v4.new_markdown_cell(f"<small>{intro} On this page each slider moves by itself.</small>"))
    nbformat.write(notebook, target)


def still(output):
    """An output with its alternative text in the page, where it is a picture."""
    picture = output.get("data", {}).get("image/png")
    if not picture:
        return output
    options = output.metadata.get("image/png", {})
    alt = html.escape(options.get("alt", ""), quote=True)
    image = f'<img alt="{alt}" width="{options.get("width", 800)}" src="data:image/png;base64,{picture.strip()}">'
    return nbformat.v4.new_output("display_data", {"text/html": image})


# ---- all of them

def mathjax(folder):
    """MathJax from npm: the one script that draws formulas, and its fonts."""
    with tempfile.TemporaryDirectory() as scratch:
        name = subprocess.run(["npm", "pack", "--silent", MATHJAX], cwd=scratch, check=True, capture_output=True, text=True).stdout.split()[-1]
        with tarfile.open(Path(scratch) / name) as tar:
            for member in tar.getmembers():
                inside = member.name.removeprefix("package/es5/")
                if inside == "tex-chtml-full.js" or inside.startswith("output/chtml/fonts/woff-v2/") and member.isfile():
                    (folder / inside).parent.mkdir(parents=True, exist_ok=True)
                    (folder / inside).write_bytes(tar.extractfile(member).read())


def build(out, names=None):
    """Write the pages into the folder out; what is in out/lite stays. Raises RuntimeError with the words of what failed."""
    paths = [path for path in sorted((ROOT / "notebooks").glob("*.ipynb")) if names is None or path.stem in names]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "source"
        shutil.copytree(ROOT / "pages", source)
        shutil.copy(ROOT / "docs" / "rotation.gif", source / "_static")
        for name in ("cheat_sheet_a4.pdf", "cheat_sheet_letter.pdf"):
            shutil.copy(ROOT / "docs" / name, source / "_static")
        library = ROOT / "pe_lib" / "teach"
        parts = [(library / name).read_text(encoding="utf-8") for name in SCRIPTS] + [(ROOT / "pages" / "_static" / "page.js").read_text(encoding="utf-8")]
        (source / "_static" / "page.js").write_text("\n".join(["(() => {", *parts, "})();\n"]), encoding="utf-8")       # no module: those do not load from a file
        shutil.copy(library / "sliders.css", source / "_static")
        mathjax(source / "_static" / "mathjax")

        def one(path):
            run = subprocess.run([sys.executable, __file__, "--page", str(path), str(source / path.name)], cwd=path.parent, capture_output=True, text=True,
                                 env=os.environ | {"OPENBLAS_NUM_THREADS": "1"})
            if run.returncode:
                raise RuntimeError(f"{path.name}: {run.stderr[-2000:]}")
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(one, paths))
        run = subprocess.run([sys.executable, "-m", "sphinx", "-q", "-b", "html", str(source), str(Path(folder) / "html")], capture_output=True, text=True)
        expected = ("lite/", *["toctree"] * (names is not None))                # what is put beside the pages afterwards
        if run.returncode or (warned := [line for line in run.stderr.splitlines() if "WARNING" in line and not any(part in line for part in expected)]):
            raise RuntimeError(f"sphinx: {run.stderr[-3000:] if run.returncode else warned}")
        out.mkdir(parents=True, exist_ok=True)
        shutil.copytree(Path(folder) / "html", out, dirs_exist_ok=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", nargs="?", type=Path, default=ROOT / "_site")
    parser.add_argument("--only", nargs="+", help="names of notebooks, for a look")
    parser.add_argument("--page", nargs=2, type=Path, metavar=("NOTEBOOK", "TARGET"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.page:
        return page(*options.page)
    build(options.out, options.only)
    pages = sorted(path for path in options.out.glob("*.html") if re.match(r"\d\d_|tour_", path.name))
    print(*(f"{path.name:40} {path.stat().st_size / 1e6:5.1f} MB" for path in pages), sep="\n")


if __name__ == "__main__":
    main()
