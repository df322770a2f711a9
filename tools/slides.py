"""Make slides of notebooks: one still per figure with its sentence below it, no code of figures, nothing cut at 1280 x 720.

    python tools/slides.py notebooks/05_*.ipynb     runs the notebook and writes slides/05_….slides.html

The page loads reveal.js from the web (--reveal FOLDER: a copy of your own).
"""

import argparse
import copy
import math
import re
import sys
from html import escape
from pathlib import Path

import notebooks
from nbconvert import SlidesExporter
from nbformat.v4 import new_code_cell, new_output
from traitlets.config import Config

SIZE = 1228, 691          # reveal.js keeps a margin of 4 %: on 1280 x 720 a pixel here is a pixel on the screen
LINES, LINE = 19, 32      # the lines that a slide holds at 24 px, and their height
SIGNS, CODE_SIGNS = 90, 78  # letters in a line
# Run before the first cell: a figure shows the picture it opens with, and nothing else.
ONE_STILL = """from IPython.display import Image, display
from pe_lib.teach import sliders
_live = sliders.explore
def explore(build, /, **options):
    figure = _live(build, **(options | {"stills": None}))
    picture, sentence = figure.frame(figure.start, 2, "png")
    display(Image(picture, alt=sentence))
sliders.explore = explore"""
STYLE = """<style>
:root { --jp-ui-font-size1: 24px; --jp-content-font-size1: 24px; --jp-code-font-size: 24px; --jp-content-line-height: 1.3; --jp-code-line-height: 1.25; }
.reveal { font-size: 24px; }
.reveal .slides section { text-align: left; max-height: 691px; overflow-y: auto; overflow-x: hidden; padding: 0; }
.reveal .slides section.stack { overflow: visible; }
.reveal .slides :is(p, li, td, th, code, pre, summary, span) { font-size: 24px; }
.reveal .slides :is(pre, pre span) { white-space: pre-wrap; }
.reveal .slides h1 { font-size: 42px; }
.reveal .slides :is(h2, h3) { font-size: 34px; }
.reveal .slides :is(p, ul, ol, table, h1, h2, h3) { margin-block: 0 10px; }
.reveal .slides table { display: table; width: auto; }
.reveal .slides :is(td, th) { text-align: left; white-space: normal; padding: 4px 10px; }
.reveal .slides small { display: none; }
.reveal .slides img { display: block; margin: 0 auto; max-width: 100%; width: auto; height: auto; }
.reveal .slides img + p { margin: 6px 60px 0 0; }
.reveal .jp-Cell { padding: 2px 0; }
</style>"""


def prepare(notebook):
    """A run notebook laid out for slides: pictures have slides of their own, and what is too long goes on on the next."""
    notebook, used = copy.deepcopy(notebook), 0
    notebook.cells = [part for cell in notebook.cells for part in _parts(cell)]
    for cell in notebook.cells:
        kind = cell.metadata.get("slideshow", {}).get("slide_type", "-")
        if kind in ("skip", "notes"):
            continue
        pictures = [output for output in cell.get("outputs", []) if "image/png" in output.get("data", {})]
        if pictures:
            cell.metadata.tags = [*{*cell.metadata.get("tags", []), "remove-input"}]
            for output in pictures:
                output.data["text/plain"] = output.metadata.get("image/png", {}).get("alt", "")
            room = SIZE[1] - 60 - LINE * lines_of(cell)
            for output in pictures:
                output.data = {"text/html": _figure(output, room / len(pictures))}
        height = LINES if pictures else lines_of(cell)
        if kind in ("slide", "subslide"):
            used = 0
        if used and used + height > LINES:
            kind, used = "subslide", 0
        used += height
        cell.metadata["slideshow"] = {"slide_type": kind}
    return notebook


def _parts(cell):
    """The cell, or where it is too long for a slide, its code and then what it printed, in pieces that fit."""
    printed = [output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell.get("outputs", [])]
    plain = all(set(output.get("data", {})) <= {"text/plain"} for output in cell.get("outputs", []))
    if not any(printed) or not plain or lines_of(cell) <= LINES + 2:
        return [cell]
    code, lines = copy.deepcopy(cell), "\n".join(text.rstrip("\n") for text in printed).splitlines()
    code.outputs = []
    pieces, used = [[]], 0
    for line in lines:
        if used + _wrapped(line, CODE_SIGNS) > LINES:
            pieces, used = [*pieces, []], 0
        pieces[-1].append(line)
        used += _wrapped(line, CODE_SIGNS)
    metadata = {**cell.metadata, "tags": [*cell.metadata.get("tags", []), "remove-input"], "slideshow": {"slide_type": "subslide"}}
    skipped = cell.metadata.get("slideshow", {}).get("slide_type") in ("skip", "notes")
    more = [new_code_cell("", outputs=[new_output("stream", name="stdout", text="\n".join(piece))], metadata=copy.deepcopy(metadata)) for piece in pieces]
    return [cell] if skipped else [code, *more]


def _figure(output, room):
    """A picture no higher than there is room for, and its sentence below."""
    sentence = escape(output.data["text/plain"])
    source = "".join(output.data["image/png"].split())
    return f'<img src="data:image/png;base64,{source}" alt="{sentence}" style="max-height: {room:.0f}px"><p>{sentence}</p>'


def lines_of(cell):
    """About how many lines of a slide a cell takes."""
    if cell.cell_type == "markdown":
        text = re.sub(r"<small>.*?</small>", "", cell.source, flags=re.DOTALL)
        shown, _, folded = text.partition("<details>")
        lines = sum(_wrapped(line, SIGNS) * (1.8 if line.startswith("#") else 1.3 if line.startswith("|") else 1) if line else 0.4
                    for line in shown.splitlines())
        return lines + 1.5 * bool(folded)
    texts = [] if "remove-input" in cell.metadata.get("tags", []) else [cell.source]
    signs, stretch, more = CODE_SIGNS, 1, 0.0
    for output in cell.outputs:
        if "text/html" in output.get("data", {}):               # a question: its options, and the fold of its answers
            signs, stretch, more = SIGNS, 1.4, 3.5
        texts.append(output.get("text") or output.get("data", {}).get("text/plain", ""))
    return more + sum(0.6 + stretch * sum(_wrapped(line, signs) for line in text.splitlines()) for text in texts if text)


def _wrapped(line, signs):
    return max(1, math.ceil(len(line) / signs))


def slides(path, reveal=None):
    """The page, as text."""
    notebook = notebooks.read(path)
    notebook.cells.insert(0, new_code_cell(ONE_STILL))
    run = notebooks.execute(notebook, path.parent)
    del run.cells[0]
    settings = Config({"TagRemovePreprocessor": {"enabled": True, "remove_input_tags": {"remove-input"}}})
    exporter = SlidesExporter(config=settings, exclude_input_prompt=True, exclude_output_prompt=True, reveal_transition="none",
                              reveal_width=str(SIZE[0]), reveal_height=str(SIZE[1]), **({"reveal_url_prefix": reveal} if reveal else {}))
    page, _ = exporter.from_notebook_node(prepare(notebooks.normalise(run)), resources={"metadata": {"name": path.stem}})
    return page.replace("</head>", f"{STYLE}\n</head>", 1)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path, help="notebooks")
    parser.add_argument("--reveal", help="address of a copy of reveal.js 4, seen from the slides")
    parser.add_argument("--to", type=Path, default=notebooks.ROOT / "slides", help="folder for the pages")
    options = parser.parse_args(arguments)
    options.to.mkdir(parents=True, exist_ok=True)
    for path in options.paths:
        file = options.to / f"{path.stem}.slides.html"
        file.write_text(slides(path, options.reveal), encoding="utf-8")
        print(file, flush=True)


if __name__ == "__main__":
    sys.exit(main())
