"""Print in one line what is missing for `make lab`, or nothing. Old Pythons must be able to read this file."""

import sys

if sys.version_info < (3, 11):
    print("Python 3.11 or newer is needed, and this is %d.%d: try  make lab PYTHON=python3.12" % sys.version_info[:2])
elif "uv" not in sys.argv:
    try:
        import ensurepip
        import venv
    except ImportError:
        print("Python's venv module is missing: on Debian or Ubuntu, apt install python3-venv")
