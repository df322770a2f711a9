"""Figures with sliders: declared once, live in JupyterLab, a strip of pictures everywhere else.

A chapter writes a ``build`` function that makes a picture, and hands it to :func:`explore` with its controls::

    def clock_hand(fig):                              # axes and artists, once
        ax = fig.subplots()
        (hand,) = ax.plot([], [], animated=True)      # animated: what moves
        def update(position):                         # numbers -> artists; returns what the picture now says
            hand.set_data([0, np.sin(position)], [0, np.cos(position)])
            return f"At position {position} the hand points to {position % 6.28:.2f} rad."
        return update

    explore(clock_hand, position=Slider(0, 60, start=5))

The browser keeps the frames it has seen (``sliders.js``) and asks here only for those it lacks.
"""

import base64
import collections
import inspect
import io
import itertools
import weakref
from pathlib import Path

import anywidget
import ipywidgets
import traitlets
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.image import AxesImage
from PIL import Image

from . import walker
from .controls import Check, Choice, Control, LogSlider, Slider
from .plots import new_figure, style
from .stills import strip
from .touch import pads, touch

__all__ = ["Check", "Choice", "LogSlider", "Slider", "SliderFigure", "explore", "touch"]

_FIGURES = weakref.WeakValueDictionary()  # by order of making
_COUNT = itertools.count()
_WARM = collections.deque()               # the figures drawn last; older ones give their pixels back (some 14 MB each)


SCRIPTS = ("controls.js", "touch.js", "sliders.js")


class Picture(anywidget.AnyWidget):
    """The canvas in the browser, its store of frames, the sentence below it (``sliders.js``)."""

    _esm = "\n".join(Path(__file__).with_name(name).read_text(encoding="utf-8") for name in SCRIPTS) + "\nexport default { render };\n"
    _css = Path(__file__).with_name("sliders.css")
    controls = traitlets.List().tag(sync=True)  # of each control: what controls.py's `told` says, and its widget's id
    size = traitlets.List().tag(sync=True)      # width, height in CSS pixels
    start = traitlets.List().tag(sync=True)     # raw settings of the frame below: the first one, in a saved notebook the last
    touch = traitlets.List().tag(sync=True)     # the axes that are controls (``touch.py``)
    first = traitlets.Bytes().tag(sync=True)
    drawn = traitlets.Unicode().tag(sync=True)  # what the picture is of, for those who cannot see it
    text = traitlets.Unicode().tag(sync=True)


class SliderFigure(ipywidgets.VBox):
    """What :func:`explore` returns: controls above a picture; ``errors`` holds what went wrong while they moved."""

    def __init__(self, build, size, stills, controls):
        self.specs, self.errors, self.backgrounds = controls, [], {}
        with style():
            self.figure = new_figure(*size)
            self._dpi = self.figure.dpi
            self._update = build(self.figure)
            self.figure.touches = tuple(self.figure.touches)         # from here on it is too late to add one
            self.moving = _moving_artists(self.figure)
        if not callable(self._update):
            raise ValueError(f"build must return its update function; got {type(self._update).__name__}")
        self.start = [spec.start for spec in controls.values()]
        self.image(self.start)                              # eager: a broken figure fails its cell
        self.figure.set_layout_engine("none")               # laid out once: no axes jump while a slider moves
        self.touched = pads(self.figure, controls)
        self._still = strip(self, [self._raws(still) for still in stills])
        self.backgrounds.clear()                            # of the strip's larger frames: some megabytes
        first, text = self.frame(self.start, kind="png")
        self.controls = {name: spec.widget(name) for name, spec in controls.items()}
        synced = [{"id": self.controls[name].model_id, "label": self.controls[name].description} | spec.told for name, spec in controls.items()]
        width, height = (round(inches * self._dpi) for inches in self.figure.get_size_inches())
        self.picture = Picture(controls=synced, size=[width, height], start=self.start, touch=self.touched,
                               first=first, drawn=_drawn(build), text=text)
        self.picture.on_msg(lambda _, content, buffers: self.picture.send(*self.reply(content)))
        row = ipywidgets.HBox(list(self.controls.values()), layout=ipywidgets.Layout(flex_flow="row wrap", grid_gap="4px 24px"))
        super().__init__([row.add_class("pe-controls"), self.picture])
        self.add_class("pe-card")
        _skip_cell_hooks(self)
        _FIGURES[next(_COUNT)] = self

    def _raws(self, settings):
        unknown = set(settings) - set(self.specs)
        if unknown:
            raise ValueError(f"a still names settings among {list(self.specs)}; got {sorted(unknown)}")
        return [spec.raw(settings[name]) if name in settings else spec.start for name, spec in self.specs.items()]

    def settle(self, raws):
        """Move the artists to the raw settings, without drawing; return the picture's sentence. Needs ``style()``."""
        text = self._update(**{name: spec.setting(raw) for (name, spec), raw in zip(self.specs.items(), raws, strict=True)})
        if not isinstance(text, str) or not text.strip():
            raise ValueError(f"update must return the sentence that says what the picture shows; got {text!r}")
        return text

    def draw(self, raws, ratio=1):
        """Draw the raw settings at ratio times the figure's dpi; return the picture's sentence. Needs ``style()``."""
        self._warm_up()
        figure, canvas = self.figure, self.figure.canvas
        text = self.settle(raws)
        if figure.stale:                       # something that is not animated changed: the cached parts are old
            self.backgrounds.clear()
        if figure.dpi != (dpi := self._dots(ratio)):
            figure.dpi = dpi
            while len(self.backgrounds) > 2 and ratio not in self.backgrounds:       # a window that is being resized asks for many
                self.backgrounds.pop(next(iter(self.backgrounds)))
        if ratio in self.backgrounds:
            figure.stale = False               # only the dpi was set
            canvas.get_renderer()
            canvas.restore_region(self.backgrounds[ratio])
        else:
            images = [a for a in self.moving if isinstance(a, AxesImage) and a.get_visible()]
            for image in images:               # Matplotlib 3.8 draws images even if they are animated
                image.set_visible(False)
            canvas.draw()
            for image in images:
                image.set_visible(True)
            self.backgrounds[ratio] = canvas.copy_from_bbox(figure.bbox)
        for artist in self.moving:
            artist.axes.draw_artist(artist) if artist.axes else figure.draw_artist(artist)
        figure.stale = False                   # a legend that is drawn says it has changed: it would cost a full redraw each time
        return text

    def _dots(self, ratio):
        """Dots an inch at which the picture is as many pixels wide as the browser means: Matplotlib cuts 1098.9999 to 1098."""
        dpi, width = self._dpi * ratio, self.figure.get_figwidth()
        return dpi if int(width * dpi) == round(width * dpi) else (round(width * dpi) + 1e-6) / width

    def _warm_up(self, most=4):
        if self in _WARM:
            _WARM.remove(self)
        _WARM.append(self)
        if len(_WARM) > most:
            cold = _WARM.popleft()
            cold.backgrounds.clear()
            FigureCanvasAgg(cold.figure)           # a new canvas: the old one's pixels go with it

    def image(self, raws, ratio=1):
        """The picture of the raw settings, as an RGB image, and its sentence."""
        with style():                          # holds the lock that all drawing shares
            text = self.draw(raws, ratio)
            canvas = self.figure.canvas
            return Image.frombuffer("RGBA", canvas.get_width_height(), canvas.buffer_rgba(), "raw", "RGBA", 0, 1).convert("RGB"), text

    def frame(self, raws, ratio=1, kind="webp"):
        """The encoded picture of the raw settings (WebP, or lossless PNG) and its sentence."""
        image, text = self.image(raws, ratio)
        return _encode(image, kind), text

    def reply(self, content):
        """Answer the browser's request for a frame: (message, buffers); an exception becomes a message, recorded."""
        answer = {"key": content["key"], "sharp": bool(content.get("sharp"))}
        try:
            ratio = min(max(float(content["ratio"]), 1.0), 3.0)
            frame, text = self.frame(content["values"], ratio, "png" if answer["sharp"] else "webp")
        except Exception as error:             # shown beside the slider; the last good picture stays
            self.errors.append(error)
            return answer | {"error": f"{type(error).__name__}: {error}"}, []
        return answer | {"text": text}, [frame]

    def _repr_mimebundle_(self, **options):
        """One output: the live view for a front end with a kernel, the strip of stills for all others."""
        picture, width, texts = self._still
        data = super()._repr_mimebundle_(**options)
        data |= {"image/png": base64.b64encode(picture).decode(), "text/plain": texts}
        return data, {"image/png": {"width": width, "alt": f"{self.picture.drawn} {texts}".strip()}}

    def walk(self, states=200, seconds=10.0, seed=0):
        """Move the controls to every end, option and random states as the browser would; the errors, as text."""
        return walker.walk(self, states, seconds, seed)


def explore(build, /, *, size=(8.0, 3.6), stills=None, **controls):
    """A picture that follows its controls: the last expression of a cell.

    build(figure) makes axes and artists and returns update(**settings), which moves the artists and returns the sentence
    that says what they show. The first paragraph of its docstring says what is drawn, for those who cannot see it.
    size: (width, height) in inches of 100 CSS pixels. stills: a list of settings, each a dict over the starts, for readers
    without a kernel (None: the starts).

    Raises ValueError for no control or more than four, one that is no control, a still that names an unknown setting or
    a value out of range, a build that returns no function, an update that returns no sentence.
    """
    if not 1 <= len(controls) <= 4:
        raise ValueError(f"a figure has one to four controls; got {len(controls)}: {list(controls)}")
    for name, control in controls.items():
        if not isinstance(control, Control):
            raise ValueError(f"{name} must be a Slider, LogSlider, Choice or Check; got {type(control).__name__}")
    if not isinstance(size, (tuple, list)) or len(size) != 2:
        raise ValueError(f"size must be (width, height) in inches; got {size!r}")
    stills = [{}] if stills is None else stills
    if not isinstance(stills, (list, tuple)) or not stills or not all(isinstance(still, dict) for still in stills):
        raise ValueError(f"stills must be a list of at least one dict of settings; got {stills!r}")
    return SliderFigure(build, size, stills, controls)


def _drawn(build):
    """The first paragraph of build's docstring: it says what is drawn, where the sentences of the settings say what is seen."""
    return " ".join((inspect.getdoc(build) or "").split("\n\n")[0].replace("*", "").split())


def figures():
    """The slider figures of this process, oldest first."""
    return [figure for _, figure in sorted(_FIGURES.items())]


def _skip_cell_hooks(widget):
    """Take the browser's messages without IPython's after-a-cell hooks.

    They arrive in another thread while a cell runs, and one hook shows and closes the pyplot figure the cell is drawing.
    """
    comm = widget.comm
    comm.handle_msg = lambda message: comm._msg_callback(message)
    for child in getattr(widget, "children", ()):
        _skip_cell_hooks(child)


def _moving_artists(figure):
    """What a frame draws over the cached background, in drawing order: the animated artists and all that lies above them."""
    moving = []
    for ax in figure.axes:
        spines = () if ax.axison else ax.spines.values()       # Matplotlib does not draw those either
        children = [a for a in ax.get_children() if a not in (ax.patch, ax.xaxis, ax.yaxis, *spines)]
        animated = [a for a in children if a.get_animated()]
        if animated:
            bottom = min(a.zorder for a in animated)
            above = [a for a in children if a.zorder >= bottom]
            for artist in above:
                artist.set_animated(True)
            moving += sorted(above, key=lambda a: a.zorder)
    return moving + [a for a in figure.get_children() if a.get_animated() and a not in figure.axes]


def _encode(image, kind, level=1):
    data = io.BytesIO()
    image.save(data, kind, **({"compress_level": level} if kind == "png" else {"quality": 85, "method": 0}))
    return data.getvalue()
