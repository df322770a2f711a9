"""One look for every picture: style, colours by role, figures, and pictures with the sentence that says what they show.

Figures are made by :func:`new_figure`, never by pyplot, and shown once, by :func:`show`. Whatever a figure module shares
with others is imported from here: the colours, the helpers for axes, and the maps and :func:`signed` of ``maps.py``.
"""

import base64
import contextlib
import io
import threading
from dataclasses import dataclass
from html import escape
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator
from PIL import Image

from .maps import attention_grid, contrast, heat_map, ink, signed, write_cells

__all__ = ["STYLE", "LINES", "QUERY", "KEY", "CONTENT", "POSITION", "NEUTRAL", "WRONG", "KEY_TEXT", "CONTENT_TEXT", "ROLES", "FORMAT_LINES", "INK", "FAINT", "CARD",
           "style", "new_figure", "show", "png", "Picture", "bare", "fixed_ticks", "error_bars", "heat_map", "write_cells", "attention_grid", "contrast", "ink", "signed"]

STYLE = Path(__file__).with_name("course.mplstyle")
LINES = [("#0072B2", "-"), ("#D55E00", "--"), ("#009E73", "-."), ("#882255", ":")]
QUERY, KEY, CONTENT, POSITION = (color for color, _ in LINES)
INK, FAINT, CARD = "#222222", "#B8B8B0", "#FAFAF7"       # marks and outlines; what stays in the background; the fill of a box
NEUTRAL, WRONG = "#6E6E66", "#DD1144"                    # what has none of the roles; an error, and what should not be
KEY_TEXT, CONTENT_TEXT = "#B24C00", "#007A58"            # the two that are darkened where they are words: 4.5 : 1 on the card
ROLES = {"query": QUERY, "key": KEY, "content": CONTENT, "position": POSITION, "neutral": NEUTRAL, "wrong": WRONG}
# Of each number format its colour and its dash, in every chapter; none is a role's colour.
FORMAT_LINES = {"float64": (INK, ":"), "float32": ("#5A4FCF", "-"), "float16": ("#8B6914", "--"), "bfloat16": ("#117A8B", "-.")}

_RC = matplotlib.rc_params_from_file(STYLE, use_default_template=False)
matplotlib.rcParams.update(_RC)     # for the whole process: a thread that draws must not find another style
_DRAWING = threading.RLock()


@contextlib.contextmanager
def style():
    """The course's style for a block, whatever the process has set meanwhile; holds the one lock for drawing."""
    with _DRAWING, matplotlib.rc_context(_RC):     # Matplotlib's font and text caches are not thread-safe
        yield


def new_figure(width=8.0, height=3.6, layout="constrained"):
    """An empty figure of width x height inches (100 CSS pixels each) that pyplot does not know of."""
    with style():
        figure = Figure(figsize=(width, height), layout=layout)
    FigureCanvasAgg(figure)
    figure.touches = []        # what touch.py is told while the figure is built
    return figure


def bare(ax):
    """Takes frame and ticks away, for a picture whose axes are not scales."""
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(False)


def fixed_ticks(axis, places, words=None):
    """These ticks and no others on a logarithmic axis, labelled with the words if there are any."""
    axis.set_minor_locator(NullLocator())
    axis.set_major_locator(FixedLocator(places))
    if words is not None:
        axis.set_major_formatter(FixedFormatter(words))


def error_bars(ax, places, said="0: nothing is wrong", **looks):
    """Bars of errors over a line at zero; returns set_heights(errors). Without an error above 1e-9 the axes say so."""
    bars = ax.bar(places, np.zeros(len(places)), color=WRONG, zorder=3, **looks)
    ax.axhline(0, color=WRONG, lw=2, ls="-", zorder=3.5, clip_on=False)
    note = ax.text(0.5, 0.5, said, color=NEUTRAL, ha="center", va="center", transform=ax.transAxes, zorder=4,
                   bbox={"fc": CARD, "ec": "none", "pad": 2})
    for artist in (*bars, note):
        artist.set_animated(True)

    def set_heights(errors):
        for bar, height in zip(bars, errors):
            bar.set_height(height)
        note.set_visible(max(errors) < 1e-9)
    return set_heights


@dataclass(frozen=True, repr=False)
class Picture:
    """A still picture (width and height in CSS pixels) and the sentence that says what it shows."""

    png: bytes
    width: int
    height: int
    alt: str

    def __repr__(self):
        return self.alt

    def _repr_mimebundle_(self, include=None, exclude=None):
        data = {"image/png": base64.b64encode(self.png).decode(), "text/plain": self.alt}
        return data, {"image/png": {"width": self.width, "height": self.height, "alt": self.alt}}

    def _ipython_display_(self):
        # JupyterLab drops the alt text of a PNG, and an <img alt> in HTML would carry pixels that text comparison
        # trips over. So the sentence follows the picture, folded: a screen reader finds it, nobody is told too early.
        from IPython.display import display
        data, metadata = self._repr_mimebundle_()
        display(data, metadata=metadata, raw=True)
        summary = "<summary><small>The picture in words</small></summary>"
        display({"text/html": f"<details>{summary}{escape(self.alt)}</details>"}, raw=True)


def show(fig, alt):
    """The figure as a picture, sharp on dense screens, with its alt text: the last expression of a cell.

    Raises ValueError if alt is not a sentence, or if an axes of the figure is touched: only explore can follow a pointer.
    """
    if not isinstance(alt, str) or len(alt.split()) < 3:
        raise ValueError(f"alt must be a sentence that says what the picture shows; got {alt!r}")
    if getattr(fig, "touches", None):
        raise ValueError(f"touch is for figures that explore shows; got {len(fig.touches)} on a still picture")
    raw = io.BytesIO()
    with style():
        fig.savefig(raw, format="rgba", dpi=2 * fig.dpi)
        width, height = (int(inches * fig.dpi * 2) for inches in fig.get_size_inches())
    image = Image.frombytes("RGBA", (width, height), raw.getvalue()).convert("RGB")
    return Picture(png(image), width // 2, height // 2, " ".join(alt.split()))


def png(image):
    """The bytes of a PNG without name, version or date in it; a palette, where 256 colours are enough, makes it three times smaller."""
    data = io.BytesIO()
    (_with_palette(image) or image).save(data, "png", compress_level=9)
    return data.getvalue()


def _with_palette(image, near=10, rare=16):
    """The image in at most 256 of its own colours, or None if an eye could see it: no colour may be off by more than rare (of 255),
    and all but a two-hundredth of the pixels by at most near. The colour farthest from all chosen ones is chosen next."""
    packed = np.asarray(image).astype(np.int32) @ np.array([65536, 256, 1], dtype=np.int32)
    colors, places, counts = np.unique(packed, return_inverse=True, return_counts=True)
    points = np.stack([colors >> 16, colors >> 8 & 255, colors & 255], axis=1).astype(np.int16)
    chosen, off, nearest = [], np.full(len(points), 256, dtype=np.int16), np.zeros(len(points), dtype=np.uint8)
    farthest = counts.argmax()                                     # the card comes first, and stays as it is
    while off[farthest] and len(chosen) < 256:
        distance = np.abs(points - points[farthest]).max(axis=1)
        nearest[distance < off] = len(chosen)
        off = np.minimum(off, distance)
        chosen.append(points[farthest])
        farthest = off.argmax()
    if off.max() > rare or counts[off > near].sum() > counts.sum() / 200:
        return None
    indexed = Image.fromarray(nearest[places].reshape(packed.shape))
    indexed.putpalette(np.array(chosen, dtype=np.uint8).tobytes())
    return indexed
