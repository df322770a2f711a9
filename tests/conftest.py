"""A notebook runs once for all tests that look at what it left in its kernel."""

import pytest
from notebook_kit import Executed


@pytest.hookimpl(wrapper=True)                 # around xdist's own, which reads the marks
def pytest_collection_modifyitems(items):
    """nbval's cells belong together (one kernel, one worker), and so do all tests of a notebook, one after the other."""
    for item in items:
        if item.path.suffix == ".ipynb":
            item.add_marker(pytest.mark.xdist_group(f"nbval-{item.path.stem}"))

    def group(item):
        mark = item.get_closest_marker("xdist_group")
        return mark.args[0] if mark else "~"
    items.sort(key=group)
    return (yield)


class Runs:
    """The notebook run last, with its kernel."""

    def __init__(self):
        self.run = None

    def __call__(self, path):
        if self.run is None or self.run.path != path:
            self.close()
            self.run = Executed(path)
        return self.run

    def close(self):
        if self.run is not None:
            self.run.close()
        self.run = None


@pytest.fixture(scope="session")
def run_once():
    """run_once(path) is the notebook there, run; asked again it is the same run."""
    runs = Runs()
    yield runs
    runs.close()
