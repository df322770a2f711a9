"""The course in one hour: writes notebooks/tour_one_hour.ipynb, cut from the cells of the chapters.

    make tour        writes the tour and runs it

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

*60 minutes, seven chapters · needs NumPy and school mathematics · every stop runs alone*

The cells are the chapters' own, so what they call *below* or *the next section* may be missing here."""

# (notebook, minutes, title, what leads to it, pieces). A piece is (how a cell begins, how many cells from there on), or a sentence of the tour's own.
STOPS = [
    ("00_start_here", 4, "A word looks at a word",
     "This tour is about one number: how far apart two words stand.",
     [("Attention lets one word", 3)]),
    ("01_dog_bites_man", 15, "Two words trade places",
     "Here is the problem. You build a head of attention by hand, and then let two words trade places.",
     [("import numpy as np", 4), ("## ▸ Who bites whom?", 8), ("## ▸ Every matrix, once", 6), ("From here on the functions come", 4),
      ("predict(*questions.RANDOM_HEAD)", 2), ("## ▸ A causal mask lets order in", 6)]),
    ("02_sinusoid_offset_matrices", 11, "Add a vector",
     "The first remedy adds to each word a vector that depends on its position. How should its numbers count?",
     [("import numpy as np", 1), ("## ▸ Three ways to count", 6), ("## ▸ Three tokens on, from anywhere", 1), ("predict(*questions.ONE_MATRIX)", 4),
      ("### Explore: the same turn, elsewhere", 4)]),
    ("04_position_bias", 8, "Add a number to the score",
     "The second remedy leaves the words alone and adds a number to each score, the **bias**. For a query at *i* and a key at *j* it depends on the offset *j − i* alone.",
     [("import numpy as np", 1), ("## ▸ What no bias can do", 6), ("### Explore: a line and a quarter", 3)]),
    ("05_rope_rotation_identity", 9, "Rotate query and key",
     "The third remedy rotates queries and keys by their positions, as Llama, Qwen and many others do.",
     [("from pe_lib.teach.checks import rotation_identity", 4), ("## ▸ The same two words", 2),
      "The offset is 5 each time, yet there are four scores. Can a score depend on the two words and their offset alone? Do not add, rotate.",
      ("## ▸ Every matrix, once", 2), ("## ▸ Why: three small steps", 6)]),
    ("08_long_context_aliasing", 8, "When the text is too long",
     "A rotation is defined at every position. Does it work at every position?",
     [("import numpy as np", 4), ("## ▸ Two failures", 8)]),
    ("09_long_context_evaluation", 5, "Judge trained models",
     "So far you have seen arithmetic. Here small trained models are judged on texts up to 16 times as long.",
     [("from pe_lib.teach.checks import long_context_evaluation", 4)]),
]

ROUND = """## Where to go on

Position can enter in three places: a vector added to the word, a bias on the score, a rotation of query and key. When the text is too long, each fails in its own way.

- To understand more, begin with [chapter 1](01_dog_bites_man.ipynb).
- To build a RoPE that is right, read [chapter 5](05_rope_rotation_identity.ipynb), [layouts](06_pair_layouts.ipynb) and [cached decoding](07_cached_decoding.ipynb), then visit the [bug clinic](12_bug_clinic.ipynb).
- To choose a scheme, compare them in [chapter 11](11_side_by_side.ipynb)."""

SLIDE = {"slideshow": {"slide_type": "slide"}}


def cut(cells, begins, count):
    """The count cells from the only one that begins so on. Raises ValueError if none or several do."""
    places = [place for place, cell in enumerate(cells) if cell.source.startswith(begins)]
    if len(places) != 1 or places[0] + count > len(cells):
        raise ValueError(f"one cell must begin with {begins!r}, and {count} cells must be there from it on, got places {places} of {len(cells)}")
    return [copy.deepcopy(cell) for cell in cells[places[0]:places[0] + count]]


def tour(folder=FOLDER):
    """The notebook, with what the chapters' cells printed and drew when they were last run."""
    cells = [new_markdown_cell(TITLE, metadata=SLIDE)]
    for number, (name, minutes, title, leads, pieces) in enumerate(STOPS, 1):
        source = notebooks.read(folder / f"{name}.ipynb")
        where = f"<small>From [chapter {int(name[:2])}]({name}.ipynb)</small>"
        cells.append(new_markdown_cell(f"## ▸ {number} · {title} ({minutes} minutes)\n\n{leads}\n\n{where}", metadata=SLIDE))
        for piece in pieces:
            cells += [new_markdown_cell(piece)] if isinstance(piece, str) else cut(source.cells, *piece)
    return new_notebook(cells=[*cells, new_markdown_cell(ROUND, metadata=SLIDE)], metadata=source.metadata)


def main():
    TARGET.write_text(notebooks.text_of(notebooks.normalise(tour())), encoding="utf-8")


if __name__ == "__main__":
    main()
