"""The stored tables of measurements beside the weights: one line a row, and a checksum, so that an altered table is noticed."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from pe_lib.weights import FOLDER, checksum_of  # noqa: E402


def write(file, rows):
    """Writes rows (dicts) as pe_lib/weights/<file> and records the table's checksum."""
    (FOLDER / file).write_text("[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]\n", encoding="utf-8")
    sums = FOLDER / "checksums.json"
    known = json.loads(sums.read_text()) | {file: checksum_of(FOLDER / file)}
    sums.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")
