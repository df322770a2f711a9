"""One look for every picture: the course's style, its colours by role, maps with their colour bars, pictures with alt text.

Importing this module puts the course's style on the process (a thread that draws a slider's frame must not find another
one). Figures are made by :func:`new_figure`, never by pyplot, and shown once, by :func:`show`.
"""

import base64
import contextlib
import io
import threading
from html import escape
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize, to_rgb
from matplotlib.figure import Figure
from PIL import Image, ImageChops, ImageStat

STYLE = Path(__file__).with_name("course.mplstyle")
LINES = [("#0072B2", "-"), ("#D55E00", "--"), ("#009E73", "-."), ("#882255", ":")]
QUERY, KEY, CONTENT, POSITION = (color for color, _ in LINES)

_RC = matplotlib.rc_params_from_file(STYLE, use_default_template=False)
_DRAWING = threading.RLock()
matplotlib.rcParams.update(_RC)

_TURN = 2 * np.pi
_COLOR_MAPS = {"signed": "RdBu_r", "weights": "viridis", "phase": "twilight"}


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
    return figure


class Picture:
    """A still picture and the sentence that says what it shows."""

    def __init__(self, png, width, height, alt):
        self.png, self.width, self.height, self.alt = png, width, height, alt

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
        fold = f"<details><summary><small>The picture in words</small></summary>{escape(self.alt)}</details>"
        display({"text/html": fold}, raw=True)


def show(fig, alt):
    """The figure as a picture, sharp on dense screens, with its alt text: the last expression of a cell.

    Raises ValueError if alt is not a sentence.
    """
    if not isinstance(alt, str) or len(alt.split()) < 3:
        raise ValueError(f"alt must be a sentence that says what the picture shows; got {alt!r}")
    raw = io.BytesIO()
    with style():
        fig.savefig(raw, format="rgba", dpi=2 * fig.dpi)
        width, height = (int(inches * fig.dpi * 2) for inches in fig.get_size_inches())
    image = Image.frombytes("RGBA", (width, height), raw.getvalue()).convert("RGB")
    return Picture(_png(image), width // 2, height // 2, " ".join(alt.split()))


def _png(image):
    """The bytes of a PNG without name, version or date in it; a palette makes line pictures three times smaller."""
    palette = image.quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    if max(ImageStat.Stat(ImageChops.difference(image, palette.convert("RGB"))).mean) < 0.1:
        image = palette                            # where it would band (maps), all colours are kept
    png = io.BytesIO()
    image.save(png, "png", compress_level=9)
    return png.getvalue()


class _Wrapped(Normalize):
    """Colour limits for angles: whole turns make no difference."""

    def __call__(self, value, clip=None):
        return super().__call__(np.ma.mod(value, _TURN), clip)


def heat_map(ax, values, kind="signed", label=None, colorbar=True, limits=None, annotate=False, **imshow):
    """A map of a (rows, columns) table, its colour bar labelled; returns the AxesImage (move it by ``set_data``).

    kind: "signed" is centred on 0, "weights" starts at 0, "phase" (radians) runs over one turn; limits: (low, high)
    of the first two. annotate=True writes each value in its cell; :func:`write_cells` renews map and numbers.

    Raises ValueError for another kind, another shape, or a colour bar without a label.
    """
    values = np.asarray(values, dtype=float)
    if values.ndim != 2 or not values.size:
        raise ValueError(f"a heat map needs a table (rows, columns); got shape {values.shape}")
    if kind not in _COLOR_MAPS:
        raise ValueError(f"kind must be one of {list(_COLOR_MAPS)}; got {kind!r}")
    if colorbar and not label:
        raise ValueError("a colour bar needs a label: what is shown, and its unit")
    largest = np.abs(values[np.isfinite(values)]).max(initial=0.0) or 1.0
    low, high = limits or (-largest if kind == "signed" else 0.0, largest)
    norm = _Wrapped(0.0, _TURN) if kind == "phase" else Normalize(low, high)
    image = ax.imshow(values, **({"cmap": _COLOR_MAPS[kind], "norm": norm, "aspect": "auto"} | imshow))
    bar = ax.inset_axes([1.05, 0, 0.06, 1]) if colorbar and ax.get_aspect() == 1 else None   # as high as the map
    if colorbar and kind == "phase":
        turn = ScalarMappable(Normalize(0.0, _TURN), image.cmap)
        ax.figure.colorbar(turn, ax=ax, cax=bar, label=label).set_ticks([0, np.pi, _TURN], labels=["0", "π", "2π"])
    elif colorbar:
        ax.figure.colorbar(image, ax=ax, cax=bar, label=label)
    image.cells = [ax.text(column, row, "", ha="center", va="center", fontsize=9, animated=image.get_animated())
                   for row, column in np.ndindex(values.shape)] if annotate else []
    if annotate:
        write_cells(image, values)
    return image


def write_cells(image, values, digits=2):
    """Show new values in an annotated map: the colours, the numbers, and ink that is legible on each cell."""
    values = np.asarray(values, dtype=float)
    if np.shape(image.get_array()) != values.shape or not image.cells:
        raise ValueError(f"the map must be annotated (annotate=True) and of shape {values.shape}; it has "
                         f"{len(image.cells)} numbers and shape {np.shape(image.get_array())}")
    image.set_data(values)
    for text, value in zip(image.cells, values.ravel(), strict=True):
        text.set_text(f"{value:.{digits}f}".replace("-", "\N{MINUS SIGN}"))
        cell = image.axes.get_facecolor() if np.isnan(value) else image.cmap(image.norm(value))
        text.set_color(ink(cell))


def attention_grid(ax, weights, words, key_words=None, label="attention weight", **options):
    """A map of attention weights, query down and key across, one word a row and column; returns the AxesImage."""
    key_words = words if key_words is None else key_words
    if np.shape(weights) != (len(words), len(key_words)):
        raise ValueError(f"weights must have shape ({len(words)}, {len(key_words)}), one row a query word and one "
                         f"column a key word; got {np.shape(weights)}")
    image = heat_map(ax, weights, **({"kind": "weights", "label": label, "limits": (0, 1), "aspect": "equal"} | options))
    ax.set_xticks(range(len(key_words)), key_words)
    ax.set_yticks(range(len(words)), words)
    ax.set_xlabel("key: the word looked at")
    ax.set_ylabel("query: the word that looks")
    return image


def contrast(one, other):
    """WCAG contrast ratio of two colours, from 1 (the same) to 21 (black on white)."""
    def luminance(color):
        rgb = np.array(to_rgb(color))
        return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722]
    darker, lighter = sorted((luminance(one), luminance(other)))
    return float((lighter + 0.05) / (darker + 0.05))


def ink(background):
    """Black or white, whichever is the more legible: at least 4.58:1 on any colour."""
    return max("black", "white", key=lambda color: contrast(color, background))

