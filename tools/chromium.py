"""Where Chromium (or a relative of it) is: `python tools/chromium.py` prints its path, or how to get it."""

import os
import shutil
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
PLACES = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
)
HOW = "The browser tests need Chromium: apt install chromium, or set CHROMIUM=/path/to/it"


def find_chromium():
    """The path of a Chromium, or None. The environment's CHROMIUM goes first."""
    if asked := os.environ.get("CHROMIUM"):
        return shutil.which(asked)
    found = (shutil.which(name) for name in NAMES)
    return next((path for path in (*found, *PLACES) if path and Path(path).exists()), None)


if __name__ == "__main__":
    print(find_chromium() or HOW)
    sys.exit(find_chromium() is None)
