"""One JupyterLab and one Chromium for all browser tests; a kernel of its own for each notebook."""

import importlib.util
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from chromium import HOW, find_chromium  # noqa: E402

TOLERATED = ()      # console errors that are not ours, each with its reason
_missing = None if find_chromium() and importlib.util.find_spec("playwright") else HOW


def pytest_collection_modifyitems(config, items):
    """Without a Chromium the browser tests are left out, and said so; with REQUIRE_BROWSER=1 they stay, and fail."""
    mine = [item for item in items if item.get_closest_marker("browser")]
    if _missing and mine and os.environ.get("REQUIRE_BROWSER") != "1":
        items[:] = [item for item in items if item not in mine]
        config.hook.pytest_deselected(items=mine)
        config.stash[LEFT_OUT] = len(mine)


LEFT_OUT = pytest.StashKey[int]()


def pytest_terminal_summary(terminalreporter, config):
    if count := config.stash.get(LEFT_OUT, 0):
        terminalreporter.write_line(f"{count} browser tests did not run. {HOW}", yellow=True)


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """The server's folder: copies of the notebooks, and the small figures of these tests."""
    import shutil

    folder = tmp_path_factory.mktemp("lab")
    shutil.copytree(ROOT / "notebooks", folder / "notebooks", ignore=shutil.ignore_patterns(".*"))
    shutil.copy(Path(__file__).with_name("pictures.py"), folder / "notebooks")
    return folder


@pytest.fixture(scope="session")
def server(folder):
    import lab

    with lab.server(folder) as address:
        yield address


@pytest.fixture(scope="session")
def browser():
    import lab
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = lab.launch(playwright)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def context(browser):
    with browser.new_context(viewport={"width": 1280, "height": 1000}) as context:
        yield context


@pytest.fixture
def open_notebook(folder, server, context, request):
    """open_notebook(name) or open_notebook(cells=[...]): the notebook in a page; afterwards: no error in the console."""
    opened = []

    def open_it(name=None, cells=None, context=context):
        import lab

        if cells:
            name = f"test-{len(list(folder.glob('notebooks/test-*')))}.ipynb"
            lab.write_notebook(folder / "notebooks" / name, cells)
        opened.append(lab.Notebook(context.new_page(), server, name))
        return opened[-1]

    yield open_it
    no_errors([message for notebook in opened for message in notebook.shut_down()])


def no_errors(messages):
    errors = [message for message in messages if not any(known in message for known in TOLERATED)]
    assert not errors, "\n".join(["errors in the browser's console:", *errors])


@pytest.fixture(scope="module")
def scratch(folder, server, context):
    """One notebook for many tests: each puts its own cells there."""
    import lab

    lab.write_notebook(folder / "notebooks" / "scratch.ipynb", ["0"])
    notebook = lab.Notebook(context.new_page(), server, "scratch.ipynb")
    yield notebook
    no_errors(notebook.shut_down())


@pytest.fixture
def live(scratch, open_notebook):
    """live(cell, ...): the cells run below `from pictures import *`; the notebook and its first figure at rest."""
    def run(*cells, apart=False, **options):
        import lab

        cells = ["from pictures import *", *cells]
        if apart:
            notebook = open_notebook(cells=cells, **options)
        else:
            notebook = scratch
            notebook.page.bring_to_front()
            notebook.replace(cells)
        assert notebook.run() == []
        figure = lab.Figure(notebook)
        figure.wait_sharp()
        return notebook, figure

    yield run
    no_errors(scratch.messages)
    scratch.messages.clear()
