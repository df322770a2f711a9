"""Print the oldest supported version of each requirement, as constraints for pip.

    python tools/oldest.py requirements.txt tests/requirements.txt > oldest.txt
    python -m pip install -r requirements.txt -r tests/requirements.txt -c oldest.txt
"""

import re
import sys
from pathlib import Path

# Packages of packages whose newest version does not go with an oldest one.
BESIDE = ["pyparsing<3.3"]  # Matplotlib 3.8 calls it by names that it warns about
LOWER_BOUND = re.compile(r"([A-Za-z0-9._-]+)>=([0-9.]+)")


def constraints(text):
    """The lines `name==version` of the lines `name>=version...` in a requirements file."""
    return [f"{match[1]}=={match[2]}" for line in text.splitlines() if (match := LOWER_BOUND.match(line))]


if __name__ == "__main__":
    print(*BESIDE, sep="\n")
    for name in sys.argv[1:]:
        print(*constraints(Path(name).read_text(encoding="utf-8")), sep="\n")
