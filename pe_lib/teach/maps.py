"""Tables as maps: colours that fit what is shown, a labelled colour bar, numbers legible on any cell."""

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize, to_rgb
from matplotlib.ticker import FixedFormatter

_TURN = 2 * np.pi
_COLOR_MAPS = {"signed": "RdBu_r", "weights": "viridis", "phase": "twilight"}


class _Wrapped(Normalize):
    """Colour limits for angles: whole turns make no difference."""

    def __call__(self, value, clip=None):
        return super().__call__(np.ma.mod(value, _TURN), clip)


def heat_map(ax, values, kind="signed", label=None, colorbar=True, limits=None, annotate=False, **imshow):
    """A map of a (rows, columns) table, its colour bar labelled; returns the AxesImage (move it by ``set_data``).

    kind: "signed" is centred on 0, "weights" starts at 0, "phase" (radians) runs over one turn; limits: (low, high)
    of the first two. annotate=True writes each value in its cell; :func:`write_cells` renews map and numbers.
    Anything else is passed on to ``imshow``: animated, extent, aspect (the default fills the axes) ...

    Raises ValueError for another kind, another shape, a colour bar without a label, or axes that are not linear: the cells
    of an image lie evenly, so they would stand at wrong numbers there.
    """
    values = np.asarray(values, dtype=float)
    if values.ndim != 2 or not values.size:
        raise ValueError(f"a heat map needs a table (rows, columns); got shape {values.shape}")
    if kind not in _COLOR_MAPS:
        raise ValueError(f"kind must be one of {list(_COLOR_MAPS)}; got {kind!r}")
    if colorbar and not label:
        raise ValueError("a colour bar needs a label: what is shown, and its unit")
    if (scales := (ax.get_xscale(), ax.get_yscale())) != ("linear", "linear"):
        raise ValueError(f"a heat map needs linear axes, since its cells lie evenly; got {scales} for shape {values.shape}")
    largest = np.abs(values[np.isfinite(values)]).max(initial=0.0) or 1.0
    low, high = limits or (-largest if kind == "signed" else 0.0, largest)
    norm = _Wrapped(0.0, _TURN) if kind == "phase" else Normalize(low, high)
    image = ax.imshow(values, **({"cmap": _COLOR_MAPS[kind], "norm": norm, "aspect": "auto"} | imshow))
    if colorbar:
        bar = ax.inset_axes([1.05, 0, 0.06, 1]) if ax.get_aspect() == 1 else None    # no higher than a square map
        shown = ScalarMappable(Normalize(0.0, _TURN), image.cmap) if kind == "phase" else image
        ticks = {"ticks": [0.0, np.pi, _TURN], "format": FixedFormatter(["0", "π", "2π"])} if kind == "phase" else {}
        ax.figure.colorbar(shown, ax=ax, cax=bar, label=label, **ticks)
    image.cells = []
    if annotate:
        image.cells = [ax.text(column, row, "", ha="center", va="center", fontsize=9, animated=image.get_animated())
                       for row, column in np.ndindex(values.shape)]
        write_cells(image, values)
    return image


def write_cells(image, values, digits=2):
    """Show new values in an annotated map: colours, and numbers in legible ink; the cell of a NaN stays empty."""
    values, shape = np.asarray(values, dtype=float), np.shape(image.get_array())
    if values.shape != shape or len(image.cells) != values.size:
        raise ValueError(f"values must fill a map made with annotate=True, of shape {shape}; got shape {values.shape}")
    image.set_data(values)
    for text, value, color in zip(image.cells, values.ravel(), image.cmap(image.norm(values.ravel())), strict=True):
        text.set_text("" if np.isnan(value) else signed(value, digits))
        text.set_color(ink(color))


def signed(value, digits=2):
    """A number with a true minus sign, commas from a thousand on, and no minus before a zero.

    >>> signed(-1234.567), signed(-0.001)
    ('−1,234.57', '0.00')
    """
    return f"{round(float(value), digits) + 0.0:,.{digits}f}".replace("-", "\N{MINUS SIGN}")


def attention_grid(ax, weights, words, key_words=None, label="attention weight", **options):
    """A map of attention weights, query down and key across, one word a row and column; returns the AxesImage."""
    key_words = words if key_words is None else key_words
    if np.shape(weights) != (len(words), len(key_words)):
        raise ValueError(f"weights must have a row for each of {len(words)} query words and a column for each of "
                         f"{len(key_words)} key words; got shape {np.shape(weights)}")
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

