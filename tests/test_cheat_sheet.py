"""The printed page and the moving picture: made by scripts, and what is committed is what they make today."""

import re
import sys
import xml.etree.ElementTree as ET

import animation
import cheat_sheet
import numpy as np
import pytest
from notebook_kit import ROOT
from PIL import Image

from pe_lib.rotary import pair_contributions, rotate

DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def page():
    return {paper: cheat_sheet.sheet(paper) for paper in cheat_sheet.PAPERS}


def words_in(svg):
    return next(node.text for node in ET.fromstring(svg).iter("{http://purl.org/dc/elements/1.1/}description"))


def test_the_committed_page_says_what_the_script_says_today(page):
    assert words_in((DOCS / "cheat_sheet.svg").read_text(encoding="utf-8")) == page["a4"][1] == page["letter"][1]


@pytest.mark.parametrize("paper, width, height", [("a4", 8.27 * 72, 11.69 * 72), ("letter", 612, 792)])
def test_the_paper_has_its_size_and_the_page_says_the_same(paper, width, height):
    raw = (DOCS / f"cheat_sheet_{paper}.pdf").read_bytes()
    box = re.search(rb"/MediaBox \[\s*0 0 ([\d.]+) ([\d.]+)\s*\]", raw)
    assert tuple(map(float, box.groups())) == pytest.approx((width, height), abs=0.1)
    assert raw.count(b"/Type /Page\n") + raw.count(b"/Type /Page ") == 1


def test_the_script_writes_all_three_files_and_the_same_twice(tmp_path, monkeypatch):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        monkeypatch.setattr(sys, "argv", ["cheat_sheet.py", str(tmp_path / folder)])
        cheat_sheet.main()
    for name in ("cheat_sheet.svg", "cheat_sheet_a4.pdf", "cheat_sheet_letter.pdf"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_the_golden_values_can_be_pasted_into_a_test(page):
    """a reader's own rotation, written out here, against the printed digits"""
    words = page["a4"][1]
    for layout, first, second in (("interleaved", [0, 2], [1, 3]), ("half", [0, 1], [2, 3])):
        x, freq = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 0.01])
        for position in (1, 3):
            y = x.copy()
            y[first] = x[first] * np.cos(position * freq) - x[second] * np.sin(position * freq)
            y[second] = x[first] * np.sin(position * freq) + x[second] * np.cos(position * freq)
            assert "  ".join(f"{value:.6f}" for value in y).replace("-", "−") in words
        score = pair_contributions(x, x[::-1], -2, freq, layout=layout).sum()
        assert f"score of (1, 2, 3, 4) at 3 with (4, 3, 2, 1) at 1: {score:.6f}".replace("-", "−") in words


@pytest.mark.parametrize("paper", cheat_sheet.PAPERS)
def test_nothing_is_clipped_and_no_two_texts_overlap(page, paper):
    figure, _, bottom = page[paper]
    figure.canvas.draw()
    width, height = figure.bbox.size
    boxes = [(text.get_text(), text.get_window_extent()) for text in figure.texts if text.get_text()]
    assert bottom > 0.02
    for said, box in boxes:
        assert 0.04 * width <= box.x0 and box.x1 <= 0.96 * width and 0 <= box.y0 and box.y1 <= height, said
    for number, (one, a) in enumerate(boxes):
        for other, b in boxes[number + 1:]:
            across, down = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
            assert across <= 1 or down <= 2, f"{one!r} and {other!r}"


def test_the_print_is_large_enough_to_read(page):
    assert min(text.get_size() for text in page["a4"][0].texts) >= 7


def test_the_angle_and_the_score_stand_still_while_both_rotate():
    rows = [animation.pair(position) for position in range(animation.FIRST, animation.FIRST + animation.FRAMES)]
    assert np.ptp([angle for *_, angle, _ in rows]) < 1e-9 and np.ptp([score for *_, score in rows]) < 1e-9
    ways = np.unwrap([np.arctan2(q[1], q[0]) for q, *_ in rows])
    assert np.allclose(np.diff(ways), animation.INV_FREQ[0]) and animation.INV_FREQ[0] * animation.FRAMES == pytest.approx(2 * np.pi)
    turned = rotate(animation.K, [animation.OFFSET], animation.INV_FREQ)[0]
    assert rows[0][3] == pytest.approx(animation.Q[0] @ turned / 2**0.5)


def test_the_committed_animation_is_light_and_loops():
    path = DOCS / "rotation.gif"
    assert path.stat().st_size < 400_000
    with Image.open(path) as moving:
        assert moving.n_frames == animation.FRAMES and moving.info["loop"] == 0
        frames = []
        for number in (0, animation.FRAMES // 2):
            moving.seek(number)
            frames.append(np.asarray(moving.convert("RGB"), dtype=int))
    assert abs(frames[0] - frames[1]).max() > 100
    drawn = np.asarray(next(animation.frames()), dtype=int)
    assert drawn.shape == frames[0].shape and (abs(drawn - frames[0]).max(axis=-1) > 60).mean() < 0.01


def test_the_animation_can_be_written(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["animation.py", str(tmp_path / "moving.gif")])
    animation.main()
    assert (tmp_path / "moving.gif").stat().st_size > 10_000
