"""The form of a notebook, one rule a function: it takes the notebook and returns what breaks the rule, in words."""

import ast
import base64
import io
import re
import statistics

import notebooks
from claims import claims
from PIL import Image

SENTENCE = re.compile(r"\S+(\s+\S+){2,}[.!?)]$", re.DOTALL)
# Text that another machine or another run would print differently.
OF_THIS_RUN = re.compile(r"0x[0-9a-f]{6,}|ipykernel_\d+|/(tmp|home|Users|root)/|site-packages")
NETWORK = re.compile(r"\b(urllib|urlopen|urlretrieve|requests|httpx|wget|curl|hf_hub_download|from_pretrained)\b")


def code_cells(notebook):
    """The code cells with their places in the notebook, counted from 1."""
    return [(n, cell) for n, cell in enumerate(notebook.cells, start=1) if cell.cell_type == "code"]


def prose_cells(notebook):
    return [(n, cell) for n, cell in enumerate(notebook.cells, start=1) if cell.cell_type == "markdown"]


def outputs(notebook, kind=None):
    """The outputs with the place of their cell; with a kind only those that hold this MIME type."""
    found = [(n, output) for n, cell in code_cells(notebook) for output in cell.outputs]
    return found if kind is None else [(n, output) for n, output in found if kind in output.get("data", {})]


def tree(cell):
    """The cell as Python; the lines that only IPython understands do nothing."""
    return ast.parse(re.sub(r"(?m)^(\s*)[%!].*$", r"\1pass", cell.source))


def calls(node):
    """The names that are called anywhere below a node: f(...) and x.f(...) are both f."""
    functions = [call.func for call in ast.walk(node) if isinstance(call, ast.Call)]
    return [getattr(function, "id", getattr(function, "attr", None)) for function in functions]


def marked_path(notebook):
    """The code cells of the ▸ path, as (place, heading, source): see CONTRIBUTING.md, A chapter.

    A cell belongs to the heading above it, of whatever level; the cells before the first section are the set-up.
    """
    path, heading, on = [], "", True
    for n, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type == "code" and on:
            path.append((n, heading, cell.source))
        elif cell.cell_type == "markdown":
            for heading in re.findall(r"(?m)^##+ +(.*)", re.sub(r"(?ms)^```.*?^```", "", cell.source)) or [heading]:
                on = "▸" in heading or not heading
    return path


# ---- the file

def is_normal(notebook):
    """`make notebooks` writes it: run counts 1..k, ids from content, no widget views, no times, merged streams."""
    wrong = [f"cell {n} has run count {cell.execution_count}, not {k}"
             for k, (n, cell) in enumerate(code_cells(notebook), start=1) if cell.execution_count != k]
    if not wrong and notebooks.text_of(notebooks.normalise(notebook)) != notebooks.text_of(notebook):
        wrong.append("not in the normal form: run  make notebooks")
    return wrong


def is_small(notebook, most=1_500_000):
    size = len(notebooks.text_of(notebook).encode())
    return [f"{size:,} bytes, at most {most:,}"] if size > most else []


def names_what_drew_its_pictures(notebook):
    """Without it a fresh run's pictures would be compared from afar only."""
    return ["pictures, and no made_with: run  make notebooks"] if outputs(notebook, "image/png") and "made_with" not in notebook.metadata else []


# ---- what the cells printed

def shows_what_it_prints(notebook):
    """A cell that prints, shows, or ends in a value has an output (a run would add it, and nbval compares nothing then)."""
    found = []
    for n, cell in code_cells(notebook):
        body = tree(cell).body
        shown = {"print", "display", "show", "explore", "ask", "predict", "progress"}
        prints = any(isinstance(node, ast.Expr) and shown & set(calls(node)) for node in body)
        ends_in_value = isinstance(body[-1], ast.Expr) and not isinstance(body[-1].value, ast.Call)
        if (prints or ends_in_value) and not cell.outputs:
            found.append(f"cell {n} has no output")
    return found


def has_no_errors(notebook):
    raising = {n for n, cell in code_cells(notebook) if "raises-exception" in cell.metadata.get("tags", [])}
    found = [f"cell {n} ends in {output.ename}" for n, output in outputs(notebook)
             if output.output_type == "error" and n not in raising]
    return found + [f"cell {n} prints a warning" for n, output in outputs(notebook) if output.get("name") == "stderr"]


def prints_the_same_everywhere(notebook):
    texts = [(n, output.get("text") or " ".join(output.get("data", {}).get(kind, "") for kind in ("text/plain", "text/html")))
             for n, output in outputs(notebook)]
    return [f"cell {n} prints {match[0]!r}, which differs from run to run" for n, text in texts if (match := OF_THIS_RUN.search(text))]


def pictures_speak(notebook):
    """Each picture has its alt text, and the same sentence as plain text."""
    found = []
    for n, output in outputs(notebook, "image/png"):
        alt = output.metadata.get("image/png", {}).get("alt", "")
        text = output.data.get("text/plain", "")
        found += [f"cell {n}: the picture's {what} is no sentence: {said!r}"
                  for what, said in (("alt", alt), ("text/plain", text)) if not SENTENCE.search(said.strip())]
    return found


def pictures_are_light_and_fit_a_screen(notebook, tall=900):
    """A palette makes a picture three times lighter: `png` falls back to full colour only where 256 colours would be seen."""
    found = []
    for n, output in outputs(notebook, "image/png"):
        with Image.open(io.BytesIO(base64.b64decode(output.data["image/png"]))) as picture:
            height = picture.height * output.metadata["image/png"].get("width", picture.width) / picture.width
            found += [f"cell {n}: a picture in full colour, of {len(output.data['image/png']):,} bytes"] if picture.mode != "P" else []
            found += [f"cell {n}: a picture {height:.0f} px tall, at most {tall}"] if height > tall else []
    return found


def figures_say_what_is_drawn(notebook):
    """The alternative text of a slider figure is more than its sentences: the build function's docstring comes first."""
    found = []
    for n, cell in code_cells(notebook):
        if "explore" in calls(tree(cell)):
            strips = [output for output in cell.outputs if "image/png" in output.get("data", {})]
            found += [f"cell {n}: give the figure's build function a docstring that says what is drawn" for strip in strips
                      if strip.metadata.get("image/png", {}).get("alt", "") == strip.data.get("text/plain", "")]
    return found


# ---- what the learner reads

def code_is_short(notebook, most=15, median=5):
    lengths = {n: len([line for line in cell.source.splitlines() if line.strip()]) for n, cell in code_cells(notebook)}
    found = [f"cell {n} has {length} lines, at most {most}" for n, length in lengths.items() if length > most]
    if lengths and statistics.median(lengths.values()) > median:
        found.append(f"half of the code cells have over {median} lines")
    return found


def words(markdown):
    """The words a reader reads: no code blocks, displayed formulas, tables, tags or addresses."""
    for block in (r"(?s)```.*?```", r"(?s)\$\$.*?\$\$", r"(?m)^\s*\|.*$", r"<[^>]+>", r"\]\([^)]*\)", r"https?://\S+"):
        markdown = re.sub(block, " ", markdown)
    markdown = re.sub(r"\$[^$\n]+\$", " formula ", markdown)
    return [word for word in markdown.split() if any(letter.isalnum() for letter in word)]


def opens_with_its_figure(notebook, cells=3, most=150):
    """The hand is on the thing at once: few cells and few words stand before the first slider figure.

    A prediction does not count, since the figure may show its answer.
    """
    first = next((n for n, cell in code_cells(notebook) if "explore" in calls(tree(cell))), None)
    if first is None:
        return []
    before = first - 1 - sum("predict" in calls(tree(cell)) for n, cell in code_cells(notebook) if n < first)
    count = sum(len(words(cell.source)) for n, cell in prose_cells(notebook) if n < first)
    return [f"{before} cells before the first slider figure, at most {cells}"] * (before > cells) + \
           [f"{count} words before the first slider figure, at most {most}"] * (count > most)


def prose_is_short(notebook, most=100):
    return [f"cell {n} has {count} words, at most {most}" for n, cell in prose_cells(notebook)
            if "solution" not in cell.metadata.get("tags", []) and (count := len(words(cell.source))) > most]


def starts_with_its_title(notebook):
    first = notebook.cells[0]
    return [] if first.cell_type == "markdown" and first.source.startswith("# ") else ["the first cell is no title: '# ...'"]


# ---- what the code may do

def imports_by_name(notebook):
    return [f"cell {n} imports *" for n, cell in code_cells(notebook) for node in ast.walk(tree(cell))
            if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names)]


def installs_nothing(notebook):
    """No %pip and no shell, but the one guarded line for the browser."""
    return [f"cell {n}: {line.strip()}" for n, cell in code_cells(notebook) for line in cell.source.splitlines()
            if re.match(r"\s*(%{1,2}|!)", line) and "emscripten" not in cell.source]


def stays_offline(notebook):
    return [f"cell {n} uses {match[0]}" for n, cell in code_cells(notebook) if (match := NETWORK.search(cell.source))]


def swallows_no_errors(notebook):
    """`interact` and `Output` hide what a callback raises; a slider figure shows it and the tests see it."""
    hiding = {"interact", "interactive", "interact_manual", "interactive_output", "Output"}
    return [f"cell {n} calls {name}" for n, cell in code_cells(notebook) for name in calls(tree(cell)) if name in hiding]


def keeps_its_answers_to_itself(notebook):
    """A question's texts stand in pe_lib/teach/questions/: a code host shows a cell's source above the question it asks."""
    found = []
    for n, cell in code_cells(notebook):
        asked = [call for call in ast.walk(tree(cell)) if isinstance(call, ast.Call) and getattr(call.func, "id", "") in ("ask", "predict")]
        found += [f"cell {n} holds the answer: write it as {call.func.id}(*questions.NAME)" for call in asked
                  if not re.fullmatch(r"\w+\(\*questions\.[A-Z_\d]+\)", ast.unparse(call))]
    return found


def has_fixed_seeds(notebook):
    found = [(n, node) for n, cell in code_cells(notebook) for node in ast.walk(tree(cell)) if isinstance(node, ast.Call)]
    return [f"cell {n}: default_rng() without a seed" for n, node in found
            if getattr(node.func, "attr", getattr(node.func, "id", "")) == "default_rng" and not node.args + node.keywords]


# ---- claims

def claims_in_prose(notebook):
    return {claim for _, cell in prose_cells(notebook) for label in re.findall(r"<small>.*?</small>", cell.source) for claim in claims(label)}


def asserts_its_claims(notebook):
    """Each claim that the text states is asserted in a code cell that names it, and the other way round."""
    asserted = {claim for _, cell in code_cells(notebook) if any(isinstance(node, ast.Assert) for node in ast.walk(tree(cell)))
                for claim in claims(cell.source)}
    stated = claims_in_prose(notebook)
    return [f"claim {c} is stated, not asserted" for c in sorted(stated - asserted)] + \
           [f"claim {c} is asserted, not stated" for c in sorted(asserted - stated)]


RULES = [
    is_normal, is_small, names_what_drew_its_pictures, shows_what_it_prints, has_no_errors, prints_the_same_everywhere, pictures_speak, figures_say_what_is_drawn,
    pictures_are_light_and_fit_a_screen, code_is_short,
    opens_with_its_figure, prose_is_short, starts_with_its_title, imports_by_name, installs_nothing, stays_offline, swallows_no_errors,
    keeps_its_answers_to_itself, has_fixed_seeds,
]
