"""The slides of a chapter, laid out by a browser: nothing is cut at 1280 x 720, and no text is smaller than 24 px."""

from pathlib import Path

import pytest
import slides

pytestmark = pytest.mark.browser

CHAPTER = Path(__file__).resolve().parents[2] / "notebooks" / "01_dog_bites_man.ipynb"
MEASURE = """async (width) => {
  document.head.insertAdjacentHTML('beforeend', `<style>.slides section { display: block; width: ${width}px; }</style>`);
  await Promise.all([...document.images].map((image) => image.decode()));
  const shown = (node) => node.checkVisibility({ visibilityProperty: true }) && !node.closest('details:not([open]) > :not(summary)');
  const text = (node) => [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
  return [...document.querySelectorAll('.slides section')].filter((section) => !section.querySelector('section')).map((section) => ({
    height: section.scrollHeight, width: section.scrollWidth, pictures: section.querySelectorAll('img').length,
    small: Math.min(99, ...[...section.querySelectorAll('*')].filter((node) => shown(node) && text(node)).map((node) => parseFloat(getComputedStyle(node).fontSize))),
  }));
}"""


def test_nothing_is_cut_and_nothing_is_small(browser, tmp_path):
    (tmp_path / "slides.html").write_text(slides.slides(CHAPTER), encoding="utf-8")
    with browser.new_context(viewport={"width": 1280, "height": 720}, offline=True) as context:      # our layout, without reveal.js
        page = context.new_page()
        page.goto((tmp_path / "slides.html").as_uri())
        found = page.evaluate(MEASURE, slides.SIZE[0])
    width, height = slides.SIZE
    assert sum(slide["pictures"] for slide in found) >= 4
    assert [slide for slide in found if slide["height"] > height or slide["width"] > width or slide["small"] < 24] == []
