"""The pages in headless Chromium, opened as files and from a server: no request leaves them, their figures move, the console stays quiet.

    python tools/try_pages.py [SITE]
"""

import argparse
import sys
import time
from pathlib import Path

import lab
from try_lite import ROOT, served


def try_page(browser, address, home):
    """(faults, figures, seconds till the first figure is live)"""
    page, faults = browser.new_page(viewport={"width": 1280, "height": 900}), []
    page.on("console", lambda message: message.type == "error" and faults.append(f"console: {message.text[:200]}"))
    page.on("pageerror", lambda error: faults.append(f"uncaught: {str(error)[:200]}"))
    page.on("request", lambda request: None if request.url.startswith((home, "data:", "blob:")) else faults.append(f"asked for {request.url[:200]}"))
    start = time.monotonic()
    page.goto(address, wait_until="domcontentloaded")
    count = page.locator(".pe-card").count()
    if count:
        page.wait_for_selector(".pe-figure canvas[data-key]", state="attached", timeout=30_000)
    seconds = time.monotonic() - start
    page.wait_for_load_state("load")
    for n in range(count):
        card = page.locator(".pe-card").nth(n)
        card.scroll_into_view_if_needed()
        canvas, said = card.locator("canvas"), card.locator(".pe-readout").first
        canvas.wait_for(state="visible", timeout=20_000)
        before, label = said.inner_text(), canvas.get_attribute("aria-label")
        if not label or len(label) <= len(before):
            faults.append(f"figure {n + 1}: its label does not say what is drawn")
        if not any(moves(page, control, key, said, before) for control, key in controls(card)):
            faults.append(f"figure {n + 1}: nothing moves it from: {before[:80]}")
    bare = page.locator("article img:not([alt]), article img[alt='']").count()
    faults += [f"{bare} pictures without alternative text"] * bool(bare)
    page.close()
    return faults, count, seconds


def controls(card):
    for role, keys in (("slider", ("ArrowRight", "ArrowLeft")), ("combobox", ("ArrowDown", "ArrowUp")), ("checkbox", ("Space",))):
        for control in card.get_by_role(role).all():
            yield from ((control, key) for key in keys)


def moves(page, control, key, said, before):
    control.focus()
    control.press(key)
    for _ in range(20):
        page.wait_for_timeout(50)
        if said.inner_text() != before:
            return True
    return False


def main():
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("site", nargs="?", type=Path, default=ROOT / "_site")
    site = parser.parse_args().site.resolve()
    bad = 0
    with served(site) as server, sync_playwright() as playwright:
        browser = lab.launch(playwright)
        for path in sorted(site.glob("*.html")):
            if path.stem in ("genindex", "search"):
                continue
            for home in (site.as_uri(), server):
                faults, figures, seconds = try_page(browser, f"{home}/{path.name}", home)
                print(f"{path.name:36} {home.split(':')[0]:5} {figures} figures, the first after {seconds:.1f} s{'' if not faults else ', FAULTS'}", flush=True)
                print(*(f"    {fault}" for fault in faults[:6]), sep="\n", end="\n" * bool(faults), flush=True)
                bad += bool(faults)
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
