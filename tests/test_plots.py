"""Figures and pictures: the style, the roles, the bytes, the sentence."""

import ast
import base64
import io
import struct
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image

from pe_lib.precision import FORMATS
from pe_lib.teach import plots
from pe_lib.teach.maps import contrast
from pe_lib.teach.plots import LINES, new_figure, png, show, style

ALT = "A line rises from 0 to 1 <b>& stays</b> there."


def lines(width=4.0, height=2.0):
    figure = new_figure(width, height)
    figure.subplots().plot([0, 1, 2], [0, 1, 1])
    return figure


def chunks(png):
    """The names of a PNG's chunks."""
    names, at = [], 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at:at + 4])
        names.append(png[at + 4:at + 8].decode())
        at += length + 12
    return names


def test_importing_puts_the_style_on_the_process_and_leaves_pyplot_out():
    code = ("import sys, matplotlib; before = matplotlib.rcParams['axes.facecolor']; import pe_lib.teach.plots; "
            "print(before, matplotlib.rcParams['axes.facecolor'], 'matplotlib.pyplot' in sys.modules)")
    run = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["white", "#FAFAF7", "False"]


def test_the_style_file_has_no_setting_that_this_matplotlib_deprecates():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(matplotlib.rc_params_from_file(plots.STYLE, use_default_template=False)) > 20


def test_style_holds_for_the_block_alone():
    with matplotlib.rc_context({"lines.linewidth": 7.0}):
        with style():
            assert matplotlib.rcParams["lines.linewidth"] == 2.0
        assert matplotlib.rcParams["lines.linewidth"] == 7.0


def test_style_is_one_lock_for_all_threads_and_may_be_nested():
    entered = threading.Event()

    def other():
        with style():
            entered.set()

    with style(), style():
        thread = threading.Thread(target=other)
        thread.start()
        assert not entered.wait(0.1)
    thread.join(10)
    assert entered.is_set()


def test_the_four_roles_are_the_lines_colours_each_with_its_own_dash():
    colors, dashes = zip(*LINES)
    assert (plots.QUERY, plots.KEY, plots.CONTENT, plots.POSITION) == colors
    assert len(set(colors)) == len(set(dashes)) == 4
    cycle = list(matplotlib.rcParams["axes.prop_cycle"])
    assert [(("#" + entry["color"].lstrip("#")), entry["linestyle"]) for entry in cycle] == LINES


def test_text_and_lines_stand_out_from_the_card():
    rc = matplotlib.rcParams
    assert contrast(rc["text.color"], rc["figure.facecolor"]) > 14
    assert min(contrast(color, rc["figure.facecolor"]) for color, _ in LINES) > 3      # WCAG: graphics 3:1


def test_roles_and_formats_have_colours_of_their_own():
    """Each stands out from the card as text does; a format has a dash that no other has, and no role's colour."""
    colors = [*plots.ROLES.values(), *(color for color, _ in plots.FORMAT_LINES.values())]
    assert len(set(colors)) == len(colors) == 10
    assert min(contrast(color, plots.CARD) for color in (plots.NEUTRAL, plots.WRONG, *colors[6:])) > 4.5
    assert len({dash for _, dash in plots.FORMAT_LINES.values()}) == 4 and set(FORMATS) < set(plots.FORMAT_LINES)


@pytest.mark.parametrize("errors, said", [([0, 0], True), ([0, 0.2], False)])
def test_bars_of_errors_stand_on_a_line_and_say_that_there_are_none(errors, said):
    with style():
        ax = new_figure().subplots()
        plots.error_bars(ax, np.arange(2))(errors)
    assert [bar.get_height() for bar in ax.patches] == errors and ax.lines[0].get_ydata()[0] == 0
    assert ax.texts[0].get_text() == "0: nothing is wrong" and ax.texts[0].get_visible() is said


def test_a_new_figure_is_agg_sized_and_unknown_to_pyplot():
    figure = new_figure(5, 2.5)
    assert isinstance(figure.canvas, FigureCanvasAgg)
    assert figure.get_size_inches().tolist() == [5, 2.5] and figure.dpi == 100
    assert new_figure().get_size_inches().tolist() == [8.0, 3.6]
    from matplotlib import pyplot
    assert pyplot.get_fignums() == []


@pytest.mark.parametrize("size", [(4, 2), (3.33, 2.47)])
def test_show_draws_at_twice_the_size_it_is_shown_at(size):
    picture = show(lines(*size), ALT)
    pixels = Image.open(io.BytesIO(picture.png))
    assert pixels.size == tuple(int(200 * side) for side in size)
    assert (picture.width, picture.height) == (pixels.width // 2, pixels.height // 2)
    np.testing.assert_array_equal(np.array(pixels.convert("RGB"))[0, 0], [0xFA, 0xFA, 0xF7])


def test_the_same_figure_gives_the_same_bytes_and_no_name_or_date():
    one, two = show(lines(), ALT).png, show(lines(), ALT).png
    assert one == two
    assert set(chunks(one)) <= {"IHDR", "PLTE", "IDAT", "IEND"}
    assert len(one) < 20_000


def test_a_palette_is_used_where_no_pixel_shows_it():
    figure = new_figure(4, 2)
    figure.subplots().imshow(np.sin(np.arange(100))[:, None] * np.linspace(0, 1, 300), cmap="twilight", aspect="auto")
    for drawn in (lines(), figure):
        picture = Image.open(io.BytesIO(show(drawn, ALT).png))
        assert picture.mode == "P"
        raw = io.BytesIO()
        drawn.savefig(raw, format="rgba", dpi=2 * drawn.dpi)
        full = np.frombuffer(raw.getvalue(), np.uint8).reshape(*picture.size[::-1], 4)[..., :3].astype(int)
        assert np.abs(np.asarray(picture.convert("RGB")) - full).max() <= 8


def test_a_palette_keeps_the_card_and_is_off_by_little_where_colours_are_many():
    """Each still of a strip has colours of its own; a rare one may be off by up to 16 of 255, hardly any by more than 10."""
    card, ramp = np.full((300, 400, 3), (0xFA, 0xFA, 0xF7), dtype=np.uint8), np.linspace(0, 255, 120).astype(np.uint8)
    card[50:250, 20:140, 0], card[50:250, 140:260, 1], card[50:250, 260:380, 2] = ramp, ramp, ramp
    again = Image.open(io.BytesIO(png(Image.fromarray(card))))
    off = np.abs(np.asarray(again.convert("RGB")).astype(int) - card).max(axis=-1)
    assert again.mode == "P" and off.max() <= 16 and (off > 10).mean() <= 1 / 200
    assert (off[:50] == 0).all() and len(np.unique(card.reshape(-1, 3), axis=0)) > 256


def test_a_picture_of_too_many_colours_keeps_them_all():
    many = Image.fromarray(np.random.default_rng(0).integers(0, 256, (64, 64, 3), dtype=np.uint8))
    again = Image.open(io.BytesIO(png(many)))
    assert again.mode == "RGB" and again.tobytes() == many.tobytes()


def test_the_bundle_is_the_picture_its_size_and_its_sentence():
    picture = show(lines(), f"  {ALT}\n ")
    data, metadata = picture._repr_mimebundle_()
    assert set(data) == {"image/png", "text/plain"}
    assert base64.b64decode(data["image/png"]) == picture.png
    assert data["text/plain"] == repr(picture) == ALT
    assert metadata == {"image/png": {"width": 400, "height": 200, "alt": ALT}}


def test_in_a_notebook_the_sentence_follows_the_picture_in_a_fold(monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda data, **options: shown.append((data, options)))
    picture = show(lines(), ALT)
    picture._ipython_display_()
    (data, options), (fold, _) = shown
    assert (data, options["metadata"]) == picture._repr_mimebundle_()
    assert set(fold) == {"text/html"}
    assert fold["text/html"].startswith("<details>") and "&lt;b&gt;&amp; stays" in fold["text/html"]
    assert "<b>" not in fold["text/html"]


@pytest.mark.parametrize("alt", ["", "  ", "plot", "Figure 1", None, 3])
def test_show_wants_a_sentence(alt):
    with pytest.raises(ValueError, match="alt must be a sentence"):
        show(lines(), alt)


def repeated(sources):
    """Functions that stand word for word in two of the modules (name -> source), and the kit's colours outside the kit."""
    seen, found = {}, []
    for name, source in sources.items():
        found += [f"{name}: {color}" for color in (plots.INK, plots.FAINT, plots.CARD) if color in source]
        for node in ast.parse(source).body:
            if isinstance(node, ast.FunctionDef):
                body = ast.unparse(node.args) + "".join(ast.unparse(part) for part in node.body[ast.get_docstring(node) is not None:])
                if body in seen and seen[body] != name:
                    found.append(f"{name}: {node.name}, as in {seen[body]}")
                seen.setdefault(body, name)
    return found


def test_what_figures_share_stands_once():
    """in plots or maps, from where all import it"""
    folder = Path(plots.__file__).parent
    assert repeated({path.stem: path.read_text(encoding="utf-8") for path in [folder / "maps.py", *sorted((folder / "figures").glob("*.py"))]}) == []


def test_a_repetition_would_be_seen():
    one, other = 'def bare(ax):\n    """No frame."""\n    ax.set()', "def _plain(ax):\n    ax.set()"
    assert repeated({"one": one, "other": other}) == ["other: _plain, as in one"]
    assert repeated({"one": "INK = '#222222'"}) == ["one: #222222"]
    assert repeated({"one": one, "other": "def bare(ax):\n    ax.set(1)"}) == []
