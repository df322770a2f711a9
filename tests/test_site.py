"""The sites: what the browser's kernel loads, what a page of moving figures holds. (make test-lite and make test-site try the real ones.)"""

import ast
import base64
import hashlib
import io
import json
import re
import sys
import zipfile

import lite
import local_pyodide
import nbformat
import numpy as np
import pages
import pytest
import try_lite
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from notebook_kit import NOTEBOOKS, ROOT
from PIL import Image

from pe_lib.teach.sliders import Check, Choice, LogSlider, Slider, explore, touch


def imported(source):
    for node in ast.walk(ast.parse(re.sub(r"(?m)^\s*%.*$", "pass", source))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module] if isinstance(node, ast.ImportFrom) and not node.level else []
        yield from (name.split(".")[0] for name in names)


def test_everything_that_is_imported_comes_with_the_site():
    """NumPy, IPython, traitlets and the others of the list come with Matplotlib, Pillow and IPython of Pyodide."""
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "pe_lib").rglob("*.py")]
    sources += [cell.source for path in NOTEBOOKS for cell in nbformat.read(path, 4).cells if cell.cell_type == "code"]
    wheels = {re.match(r"\w+", pin)[0] for pin in lite.PURE}
    there = {"numpy", "matplotlib", "PIL", "IPython", "traitlets", "pe_lib"} | wheels
    assert {name for source in sources for name in imported(source)} - set(sys.stdlib_module_names) <= there
    assert {"matplotlib", "pillow", "ipython"} <= set(lite.FROM_PYODIDE)


def test_the_wheels_of_the_site_are_allowed_by_the_requirements():
    requirements = (ROOT / "requirements.txt").read_text()
    for pin in lite.PURE:
        name, version = pin.split("==")
        if match := re.search(rf"(?m)^{name}>=([\d.]+),<(\d+)", requirements):
            numbers = [list(map(int, text.split("."))) for text in (match[1], version, match[2])]
            assert numbers[0] <= numbers[1] < numbers[2], pin


def test_the_kernel_gets_the_wheels_and_never_asks_an_index():
    kernel = lite.settings(["a.whl", "b.whl"], None)["jupyter-config-data"]["litePluginSettings"][lite.KERNEL]
    assert kernel["loadPyodideOptions"]["packages"][-2:] == ["../../../../pypi/a.whl", "../../../../pypi/b.whl"]
    assert kernel["disablePyPIFallback"] and lite.VERSION in kernel["pyodideUrl"]
    assert lite.settings([], "folder")["jupyter-config-data"]["litePluginSettings"][lite.KERNEL]["pyodideUrl"] == "./static/pyodide/pyodide.mjs"


def test_what_follows_a_prediction_is_left_out_up_to_the_next_words():
    said, seen = new_output("stream", text="3\n"), new_output("display_data", {"image/png": "x"})
    cells = [new_code_cell("print(3)", outputs=[said]), new_code_cell("predict(*questions.A)", outputs=[said]), new_code_cell("print(3)", outputs=[said, seen]),
             new_code_cell("print(3)", outputs=[said]), new_markdown_cell("So."), new_code_cell("print(3)", outputs=[said])]
    kept = [cell.outputs for cell in lite.without_answers(new_notebook(cells=cells)).cells if cell.cell_type == "code"]
    assert kept == [[said], [said], [seen], [], [said]]


LOCK = {"packages": {"Matplotlib": {"depends": ["numpy", "cycler"]}, "numpy": {"depends": []}, "cycler": {"depends": []}, "torch": {"depends": []}}}


def test_what_a_package_depends_on_is_needed_too():
    assert set(local_pyodide.needed(LOCK, ["matplotlib"])) == {"matplotlib", "numpy", "cycler"}
    with pytest.raises(ValueError, match="jax is not among the 4 packages"):
        local_pyodide.needed(LOCK, ["jax"])


def test_a_wheel_with_another_checksum_is_not_taken():
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as carrier:
        carrier.writestr("wheels/x-1.whl", b"content")
    with zipfile.ZipFile(data) as carrier:
        entry = {"file_name": "x-1.whl", "sha256": hashlib.sha256(b"content").hexdigest()}
        assert local_pyodide.from_carrier(carrier, entry) == b"content"
        assert local_pyodide.from_carrier(carrier, entry | {"sha256": "0" * 64}) is None
        assert local_pyodide.from_carrier(carrier, entry | {"file_name": "y-1.whl"}) is None


@pytest.mark.parametrize("outputs, said", [
    ([{"output_type": "stream", "text": ["a\n", "b"]}], "a\nb"),
    ([{"output_type": "error", "ename": "E", "evalue": "v"}], "E: v"),
    ([{"output_type": "execute_result", "data": {}}], ""),
    ([{"output_type": "display_data", "data": {"text/plain": "A line.", "image/png": "x"}}], "A line."),
    ([{"output_type": "display_data", "data": {"application/vnd.jupyter.widget-view+json": {}}}], ""),
])
def test_what_a_cell_says_is_compared_and_no_pixels(outputs, said):
    assert try_lite.told(outputs) == said


# ---- pages

def bar(fig):
    """A bar."""
    ax = fig.subplots()
    (line,) = ax.plot([], [], lw=8, animated=True)
    ax.set(xlim=(-1, 60), ylim=(-1, 60))

    def update(length, **others):
        line.set_data([0, float(length)], [0, 0])
        return f"Here length is {length}, with {list(others.values())}."
    return update


@pytest.mark.parametrize("control, first, count, last, stride", [
    (Slider(0, 10, start=3), [0, 1, 2], 11, 10, 1), (Slider(0, 1000, start=7), [0, 7, 17], 61, 1000, 17), (Choice(["a", "b", "c"]), [0, 1, 2], 3, 2, 1),
    (Check(), [0, 1], 2, 1, 1), (Slider(0.0, 1.0, start=0.5, step=0.25), [0, 0.25, 0.5], 5, 1, 1)])
def test_the_settings_held_of_a_control(control, first, count, last, stride):
    values, step = pages.stops(control)
    assert values[:len(first)] == first and values[-1] == last and step == stride
    assert len(values) in (count, count + 1) and control.start in values


def test_the_settings_of_a_log_slider_are_those_that_it_can_have():
    control = LogSlider(10, 1000, start=100, steps_per_decade=5)
    values, _ = pages.stops(control)
    assert len(values) == 11 and values[0] == 10 and values[5] == 100 and values[-1] == 1000
    np.testing.assert_allclose(np.diff(np.log10(values)), 0.2)


def test_a_page_holds_each_control_alone_the_stills_and_the_cells_of_a_map():
    figure = explore(bar, length=Slider(0, 50, start=5), other=Slider(0, 30, start=1))
    held = pages.held_settings(figure, [[7, 9]])
    assert held[0] == (5, 1) and {(x, 1) for x in range(51)} | {(5, x) for x in range(31)} | {(7, 9)} == set(held)

    def map_(fig):
        """A map."""
        update = bar(fig)
        touch(fig.axes[0], x="length", y="other")
        return update
    assert len(pages.held_settings(explore(map_, length=Slider(0, 4), other=Slider(0, 5)), [])) == 30


def test_few_settings_are_held_for_every_choice_of_a_menu():
    figure = explore(bar, length=Slider(0, 10), kind=Choice(["a", "b"]))
    assert set(pages.held_settings(figure, [])) == {(length, kind) for length in range(11) for kind in (0, 1)}


def decoded(text):
    return Image.open(io.BytesIO(base64.b64decode(text)))


@pytest.mark.parametrize("length", [0, 20, 50])
def test_the_first_picture_with_a_layer_over_it_is_the_frame(length):
    figure = explore(bar, length=Slider(0, 50, start=5))
    first, _ = figure.image([5])
    wanted, _ = figure.image([length])
    whole = first.convert("RGBA")
    whole.alpha_composite(decoded(pages.layer(wanted, first)).convert("RGBA"))
    assert np.abs(np.asarray(whole.convert("RGB"), dtype=int) - np.asarray(wanted, dtype=int)).max() <= 8


def test_a_figure_on_a_page_says_at_each_setting_what_it_says_in_the_notebook():
    figure = explore(bar, length=Slider(0, 6, start=5), on=Check())
    data = json.loads(re.search(r"<script[^>]*>(.*)</script>", pages.moving(figure, [], 1))[1])
    assert {tuple(state["at"]) for state in data["states"]} == {(x, y) for x in range(7) for y in (0, 1)}
    for state in data["states"]:
        assert state["text"] == figure.image(state["at"])[1]
    assert max(state["frame"] for state in data["states"]) == len(data["frames"]) - 1
    assert [control["kind"] for control in data["controls"]] == ["slider", "check"]


def test_a_sentence_can_not_end_the_script_that_holds_it():
    def spoilt(fig):
        """A bar."""
        fig.subplots()
        return lambda length: "</script><b>x</b> is what it says."
    assert pages.moving(explore(spoilt, length=Slider(0, 1)), [], 1).count("</script>") == 1


def test_a_picture_keeps_its_alternative_text():
    output = new_output("display_data", {"image/png": "abc"}, metadata={"image/png": {"alt": 'A "line" & more.', "width": 300}})
    assert pages.still(output).data["text/html"] == '<img alt="A &quot;line&quot; &amp; more." width="300" src="data:image/png;base64,abc">'
