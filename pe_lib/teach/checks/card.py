"""A check's answer as a card: a mark and a colour for its state, what to read first, the numbers in a fold."""

import re
from html import escape

from pe_lib.teach.quiz import markup

# mark, heading, colour: white on the colour, and the colour on a white or a nearly black page, can both be told (tested)
STATES = {
    "right": ("✓", "right", "#00795a"),
    "wrong": ("✗", "not right yet", "#c62828"),
    "not started": ("…", "not started yet", "#6b7280"),
    "not run": ("!", "not checked", "#9a6700"),
}
# JupyterLab's own colours where it has some, so that a dark theme gets a dark card.
CARD = ("border: 1px solid var(--jp-border-color1, #bbb); border-left: 5px solid {}; border-radius: 4px; max-width: 46em; "
        "padding: 6px 14px; color: var(--jp-content-font-color1, #222); background: var(--jp-layout-color1, #fff); "
        "font: var(--jp-content-font-size1, 14px)/1.5 var(--jp-content-font-family, sans-serif)")
MARK = "display: inline-block; min-width: 1.5em; border-radius: 3px; text-align: center; color: #fff; background: {}"


def card(state, message, diagnosis="", held=None, wanted="", found="", note=""):
    """The card as HTML, everything escaped. The message, "Exercise 5.2: ...", is shown where there is no diagnosis."""
    mark, heading, colour = STATES[state]
    title, _, text = message.partition(": ")
    if state == "not started":
        text = ""
    if not wanted and note:
        text = text.removesuffix(note)
    text = text.removeprefix("right. ").removeprefix("not checked: ")
    if wanted:
        first = markup(diagnosis) if diagnosis else f"It should hold that {markup(wanted)}."
        rest = f"It should hold that {markup(wanted)}." if diagnosis else ""
        rest += f" What holds so far: {markup(held)}." if held else ""
    else:
        call = re.match(r"\w+\(", text)                # a name of the learner's stays as it is written
        first, rest = escape(text if call else text[:1].upper() + text[1:]), ""
    lines = [f'<p style="margin: 0"><b style="{MARK.format(colour)}">{mark}</b> <b>{escape(title)}: {heading}</b></p>']
    lines += [f'<p style="margin: 4px 0 0">{line}</p>' for line in (first.strip(), escape(note), rest.strip()) if line]
    if found:
        lines.append(f"<details><summary>The numbers</summary>{escape(found)}</details>")
    return f'<div style="{CARD.format(colour)}">{"".join(lines)}</div>'
