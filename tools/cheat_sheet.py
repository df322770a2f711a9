"""The course on one printable page: writes docs/cheat_sheet_a4.pdf, docs/cheat_sheet_letter.pdf and docs/cheat_sheet.svg.

    python tools/cheat_sheet.py

Every number on it comes from pe_lib when this runs, and those about length from chapter 9's stored table. All words of the page
are in the files' metadata as well, for readers who cannot see it, and for the test that compares them.
"""

import argparse
import textwrap
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from pe_lib.frequencies import inverse_frequencies
from pe_lib.rotary import rotate
from pe_lib.teach.data.side_by_side import measured_costs
from pe_lib.teach.figures.long_context_evaluation import measured
from pe_lib.teach.plots import INK, KEY_TEXT, NEUTRAL, POSITION, QUERY

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAPERS = {"a4": (8.27, 11.69), "letter": (8.5, 11.0)}
SMALL, LEFT, RIGHT, GAP = 7.9, 0.05, 0.95, 0.03                # points; shares of the page's width
X = np.array([[1.0, 2.0, 3.0, 4.0]])

NOTATION = [("i, j", "position of the query, of the key; from 0"), ("relative = j − i", "key minus query: minus looks back"),
            ("x, p", "content and position vectors, a row for each token"), ("q, k, v", "query, key, value: x @ w, d_head features"),
            ("score, weight", "q·k/√d_head + bias; its softmax over the keys"), ("inv_freq, ω", "radians per token; pair 0 is the fastest"),
            ("R(θ)", "(cos θ, −sin θ; sin θ, cos θ), counter-clockwise")]
FORMULAS = [("attention", r"output$_i = \sum_j a_{ij} v_j$,  $a_i = $softmax$_j(q_i \cdot k_j / \sqrt{d_{head}} + b_{ij})$"),
            ("sinusoids", r"$p_{2m} = \sin(i\,\omega_m)$, $p_{2m+1} = \cos(i\,\omega_m)$,  $\omega_m = $base$^{-2m/d}$;  $x_i + p_i$"),
            ("biases", r"ALiBi: $b = -$slope$_h\,|j - i|$, slope$_h = 2^{-8(h+1)/H}$;  T5: $b = $table$_h[$bucket$(j - i)]$"),
            ("rotary", r"$R_i q_i \cdot R_j k_j = \sum_m \cos t_m (q_1k_1 + q_2k_2) + \sin t_m (q_2k_1 - q_1k_2)$,  $t_m = (j - i)\,\omega_m$")]
CACHE = ["A cached key keeps the rotation of the position at which it was made. It is never rotated again.",
         "A new query takes its position in the whole sequence, not in the chunk. The mask is aligned at the bottom right.",
         "All layers, all heads, prompt and steps count alike. A shift of everything changes nothing; a mixture of two counts does.",
         "Change the frequencies, and the rotated keys in the cache are stale: cache them unrotated, or begin again."]
TESTS = ["Position 0 changes nothing, in every pair.", "Lengths stay, at every position.",
         "A score depends on the offset alone: shift both positions by 1, by 1,000, by 100,000.",
         "Golden values of the layout you mean, at two positions that are not 0.",
         "Decoding step by step, in chunks, and all at once gives the same logits, in a model of two layers or more."]
COLUMNS = ("scheme", "position changes", "kind", "values?", "content?", "retrieval, order*", "time, memory*", "with a cache")
WIDTHS = (0.11, 0.17, 0.125, 0.068, 0.10, 0.137, 0.122, 0.168)
MECHANISMS = [("none", "nothing", "–", "no", "no", "none", "none", "nothing to do"),
              ("sinusoidal", "the representation", "absolute", "yes", "mixed terms", "sinusoidal", "sinusoidal", "the new token’s own row"),
              ("learned table", "the representation", "absolute", "yes", "mixed terms", "", "learned table", "ends with its last row"),
              ("ALiBi", "the score", "relative, |j − i|", "no", "no", "alibi", "ALiBi", "one new row of the bias"),
              ("T5", "the score", "relative, buckets", "no", "no", "t5", "T5", "one new row of the bias"),
              ("rotary", "the geometry of q and k", "relative", "no", "yes", "rotary", "rotary", "keys rotated once, kept")]


def golden():
    """The lines of the box of golden values, computed here."""
    inv_freq, lines = inverse_frequencies(4), []
    for layout, pairs in (("interleaved", "pairs (0, 1), (2, 3)"), ("half", "pairs (0, 2), (1, 3)")):
        for position in (1, 3):
            row = rotate(X, [position], inv_freq, layout=layout)[0]
            lines.append((f"{layout}, {position}", "  ".join(f"{value:.6f}" for value in row).replace("-", "−")))
        score = (rotate(X, [3], inv_freq, layout=layout) @ rotate(X[:, ::-1], [1], inv_freq, layout=layout).T)[0, 0]
        lines.append(("", f"{pairs}; score of (1, 2, 3, 4) at 3 with (4, 3, 2, 1) at 1: {score:.6f}".replace("-", "−")))
    return lines


def mechanisms():
    costs = measured_costs()
    for *row, length, cost, cache in MECHANISMS:
        judged = ", ".join(f"{measured(length, 'none', 1024, judge).mean():.0%}" for judge in ("retrieval", "order")).replace("%", " %") if length else "no row"
        yield (*row, judged, f"{costs[cost]['pass, time']:.2f}, {costs[cost]['pass, memory']:.2f}", cache)


class Page:
    """A figure that is filled from top to bottom; y is where the next line goes, as a share of the height."""

    def __init__(self, paper):
        self.figure = Figure(figsize=PAPERS[paper], facecolor="white")
        FigureCanvasAgg(self.figure)
        self.y, self.words = 0.965, []
        self.line = 1.42 * SMALL / 72 / PAPERS[paper][1]

    def text(self, x, text, size=SMALL, y=None, **look):
        self.words.append(text)
        return self.figure.text(x, self.y if y is None else y, text, size=size, va="top", color=look.pop("color", INK), **look)

    def title(self, x, text):
        self.text(x, text, size=10, weight="bold")

    def pairs(self, x, rows, indent, size=SMALL, step=1.0):
        """Names and what they mean, from the present line on; returns the y below them."""
        y = self.y - 1.7 * self.line
        for name, meaning in rows:
            self.text(x, name, size, y, color=QUERY, weight="bold")
            self.text(x + indent, meaning, size, y)
            y -= step * self.line
        return y

    def items(self, x, rows, width):
        y = self.y - 1.7 * self.line
        for number, row in enumerate(rows, 1):
            self.text(x, f"{number}", SMALL, y, color=KEY_TEXT, weight="bold")
            wrapped = textwrap.wrap(row, width)
            self.words.append(row)
            self.figure.text(x + 0.02, y, "\n".join(wrapped), size=SMALL, va="top", color=INK, linespacing=1.3)
            y -= (len(wrapped) + 0.35) * self.line
        return y

    def rule(self):
        self.figure.add_artist(matplotlib.lines.Line2D([LEFT, RIGHT], [self.y, self.y], color=NEUTRAL, lw=0.6, ls="-"))
        self.y -= 0.9 * self.line


def sheet(paper):
    """The page as a figure, and all of its words."""
    page, half = Page(paper), 0.5 + GAP / 2
    page.text(LEFT, "Positional encodings on one page", size=15, weight="bold")
    page.y -= 2.6 * page.line
    page.text(LEFT, "relative = key − query.  Positions and pairs are counted from 0.  Rows are tokens.  Queries go down, keys go across.", color=POSITION)
    page.y -= 1.9 * page.line
    page.rule()
    page.title(LEFT, "Notation")
    page.y = page.pairs(LEFT, NOTATION, 0.17, step=1.15) - 0.6 * page.line
    page.rule()
    page.title(LEFT, "Four formulas")
    page.y = page.pairs(LEFT, FORMULAS, 0.1, size=8.8, step=2.15) - 0.6 * page.line
    page.rule()
    page.title(LEFT, "Two layouts, with golden values: (1, 2, 3, 4) rotated to positions 1 and 3, base 10,000")
    page.y = page.pairs(LEFT, golden(), 0.15, step=1.15) - 0.6 * page.line
    page.rule()
    page.title(LEFT, "The mechanisms")
    page.y -= 1.8 * page.line
    for row in (COLUMNS, *mechanisms()):
        x = LEFT
        for number, (cell, width) in enumerate(zip(row, WIDTHS, strict=True)):
            page.text(x, cell, 7.2, weight="bold" if row is COLUMNS or not number else "normal", color=QUERY if not number and row is not COLUMNS else INK)
            x += width * (RIGHT - LEFT)
        page.y -= 1.35 * page.line
    note = ("* Retrieval and order: small models trained on 64 tokens, asked at 1,024 (chapter 9; guessing gets 34 % and 6 %; ALiBi’s models were stopped before they learned order). YaRN fitted to that length brings rotary to "
            + " and ".join(f"{measured('rotary', 'YaRN, β = 4', 1024, judge).mean():.0%}" for judge in ("retrieval", "order")).replace("%", " %")
            + ". Time and memory of 512 tokens in NumPy, as ratios to no positions (chapter 11). Other models and machines: other numbers.")
    page.figure.text(LEFT, page.y, textwrap.fill(note, 138), size=7, va="top", color=NEUTRAL, linespacing=1.25)
    page.words.append(note)
    page.y -= 3.1 * page.line
    page.rule()
    page.title(LEFT, "With a cache")
    page.title(half, "Five tests for every implementation")
    page.y = min(page.items(LEFT, CACHE, 62), page.items(half, TESTS, 60))
    return page.figure, "\n".join(page.words), page.y


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=DOCS)
    folder = parser.parse_args().folder
    with matplotlib.rc_context({"svg.hashsalt": "cheat sheet", "pdf.fonttype": 42, "font.family": "DejaVu Sans", "mathtext.fontset": "dejavusans"}):
        for paper in PAPERS:
            figure, words, _ = sheet(paper)
            figure.savefig(folder / f"cheat_sheet_{paper}.pdf", facecolor="white", metadata={"CreationDate": None, "Title": "Positional encodings on one page", "Subject": words})
        figure, words, _ = sheet("a4")
        figure.savefig(folder / "cheat_sheet.svg", facecolor="white", metadata={"Date": None, "Title": "Positional encodings on one page", "Description": words})


if __name__ == "__main__":
    main()
