"""A notebook runs once for all tests that look at what it left in its kernel."""

import pytest
from notebook_kit import Executed


def pytest_itemcollected(item):
    """nbval's cells belong together: one kernel, one worker."""
    if item.path.suffix == ".ipynb":
        item.add_marker(pytest.mark.xdist_group(f"nbval-{item.path.stem}"))


def pytest_collection_modifyitems(items):
    """All tests of a notebook one after the other, so that one kernel at a time is alive."""
    def group(item):
        mark = item.get_closest_marker("xdist_group")
        return mark.args[0] if mark else "~"
    items.sort(key=group)


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
