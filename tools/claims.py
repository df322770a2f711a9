"""Where a claim stands: in docs/claims.md, a notebook, a test, anywhere:  python tools/claims.py 6.2 [6.3 ...]

Lists count: "claims 6.1, 6.2 and 6.4" names 6.2, and so does "claims 6.1 to 6.4".
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ID = r"\d+\.\d+[a-z]?"
ENTRY = re.compile(rf"^\| ({ID}) \| (.+?) \| ((?:ready|open|dropped).*?) \|$", re.MULTILINE)
PLACES = ("docs/*.md", "notebooks/*.ipynb", "tests/**/*.py", "pe_lib/**/*.py", "tools/*.py", "teaching/*.md", "*.md")


def claims(text):
    """The ids that a text names: "claim 1.2", "claims 1.2, 1.4 and 1.6", "claims 1.2 to 1.5"."""
    found = set()
    for listed in re.findall(rf"\bclaims? ({ID}(?:(?:, and |, | and | to ){ID})*)", text):
        found |= set(re.findall(ID, listed))
        for chapter, first, end, last in re.findall(r"(\d+)\.(\d+) to (\d+)\.(\d+)", listed):
            found |= {f"{chapter}.{number}" for number in range(int(first), int(last) + 1) if chapter == end}
    return found


def register():
    """docs/claims.md as id -> (the claim, its state)."""
    rows = ENTRY.findall((ROOT / "docs" / "claims.md").read_text(encoding="utf-8"))
    twice = sorted({number for number, *_ in rows if [n for n, *_ in rows].count(number) > 1})
    if twice:
        raise ValueError(f"docs/claims.md gives an id twice: {', '.join(twice)}")
    return {number: (words, state) for number, words, state in rows}


def places(number):
    """Every line that names the claim: (path, line number, line)."""
    found = []
    for path in sorted({path for pattern in PLACES for path in ROOT.glob(pattern)}):
        for n, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if "image/png" not in line and (number in claims(line) or line.startswith(f"| {number} |")):
                found.append((path.relative_to(ROOT).as_posix(), n, line.strip()))
    return found


def main(numbers):
    known = register()
    if not numbers or (unknown := [number for number in numbers if number not in known]):
        return f"{__doc__}\n" + (f"Not in docs/claims.md: {', '.join(unknown)}" if numbers else "")
    for number in numbers:
        print(f"{number}  {known[number][0]}  ({known[number][1]})")
        for path, n, line in places(number):
            print(f"  {path}:{n}: {line[:140]}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
