"""The course in one hour: writes notebooks/tour_one_hour.ipynb, cut from the cells of the chapters.

    python tools/tour.py             and then  python tools/notebooks.py notebooks/tour_one_hour.ipynb

Only the words between the stops are written here. A test holds that every other cell is a chapter's cell as it is today.
"""

import copy
from pathlib import Path

import nbformat
import notebooks
from nbformat.v4 import new_markdown_cell, new_notebook

FOLDER = Path(__file__).resolve().parent.parent / "notebooks"
TARGET = FOLDER / "tour_one_hour.ipynb"

TITLE = """# How does a Transformer know where a word stands? One hour

*60 minutes through seven chapters · run it from top to bottom; a stop can be run again from its first cell*"""

# (notebook, minutes, title, what leads to it, [(how a cell begins, how many cells from there on)])
STOPS = [
    ("00_start_here", 4, "A word looks at a word",
     "This tour is about one number: how far apart two words stand.",
     [("Attention lets one word", 3)]),
    ("01_dog_bites_man", 15, "Who bites whom?",
     "Here is the problem. A head of attention is built by hand, and then the words trade places.",
     [("import numpy as np", 4), ("## ▸ Who bites whom?", 8), ("## ▸ Every matrix, once", 6), ("From here on the functions come", 4),
      ("## ▸ A causal mask lets order in", 6)]),
    ("02_sinusoid_offset_matrices", 11, "Three ways to count, three tokens on",
     "So a word has to be told where it stands. The first remedy adds a vector to it: a reading of clock hands.",
     [("import numpy as np", 1), ("## ▸ Three ways to count", 6), ("## ▸ Three tokens on, from anywhere", 1), ("predict(*questions.ONE_MATRIX)", 4),
      ("### Explore: the same turn, elsewhere", 3)]),
    ("04_position_bias", 8, "What no bias can do",
     "The second remedy leaves the words alone. It adds a number to each score, and the number depends on the offset *j − i* alone. There is one thing that it cannot do.",
     [("import numpy as np", 1), ("## ▸ What no bias can do", 5), ("### Explore: a line and a quarter", 3)]),
    ("05_rope_rotation_identity", 9, "Lock the gap",
     "The third remedy rotates queries and keys, each by its own position. Most large models of today do this.",
     [("from pe_lib.teach.checks import rotation_identity", 4), ("## ▸ The same two words", 3), ("## ▸ Every matrix, once", 2), ("## ▸ Why: three small steps", 2),
      ("**Step 3. Angles add up", 2)]),
    ("08_long_context_aliasing", 8, "Two failures",
     "A rotation is defined at every position. That does not mean that it works there.",
     [("import numpy as np", 4), ("## ▸ Two failures, run", 8)]),
    ("09_long_context_evaluation", 5, "Does it still work?",
     "So far everything was arithmetic. At the last stop small models have been trained, and are judged far beyond their length.",
     [("from pe_lib.teach.checks import long_context_evaluation", 4)]),
]

ROUND = """## Where to go on

You have met three places at which position can enter: an added vector, a bias on the score, a rotation of query and key. Each of them fails in its own way when the text is too long.

- To *understand* more, begin with [chapter 1](01_dog_bites_man.ipynb) and read what the tour has left out.
- To *build* a RoPE that is right, go to [chapter 5](05_rope_rotation_identity.ipynb), then to [layouts](06_pair_layouts.ipynb), [cached decoding](07_cached_decoding.ipynb) and the [bug clinic](12_bug_clinic.ipynb).
- The whole table of schemes, with what each costs, stands in [chapter 11](11_side_by_side.ipynb)."""


def cut(cells, begins, count):
    """The count cells from the only one that begins so on. Raises ValueError if none or several do."""
    places = [place for place, cell in enumerate(cells) if cell.source.startswith(begins)]
    if len(places) != 1 or places[0] + count > len(cells):
        raise ValueError(f"one cell must begin with {begins!r}, and {count} cells must be there from it on, got places {places} of {len(cells)}")
    return [copy.deepcopy(cell) for cell in cells[places[0]:places[0] + count]]


def tour(folder=FOLDER):
    """The notebook, not yet run."""
    cells = [new_markdown_cell(TITLE)]
    for number, (name, minutes, title, leads, pieces) in enumerate(STOPS, 1):
        source = notebooks.read(folder / f"{name}.ipynb")
        where = f"<small>Cut from [chapter {int(name[:2])}]({name}.ipynb).</small>"
        cells.append(new_markdown_cell(f"## ▸ {number} · {title} ({minutes} minutes)\n\n{leads}\n\n{where}"))
        cells += [cell for piece in pieces for cell in cut(source.cells, *piece)]
    return new_notebook(cells=[*cells, new_markdown_cell(ROUND)], metadata=notebooks.NOTEBOOK_METADATA)


def main():
    TARGET.write_text(notebooks.text_of(notebooks.normalise(tour())), encoding="utf-8")


if __name__ == "__main__":
    main()
