"""What the tests run inside a notebook's kernel, after its last cell: see notebook_kit.Executed.call."""

import ast
import contextlib
import io
import sys
import warnings


def walk_figures(states, seconds):
    """How many slider figures live in this kernel, and every error met while driving them."""
    from pe_lib.teach import sliders

    figures = sliders.figures()
    errors = [f"figure {number}: {error}" for number, figure in enumerate(figures, start=1)
              for error in [*figure.walk(states=states, seconds=seconds), *_pale_words(figure.figure)]]
    return {"figures": len(figures), "errors": errors}


def _pale_words(figure):
    """Words in the key's orange or the content's green, which have a darker form for text."""
    from matplotlib.colors import to_hex
    from matplotlib.text import Text
    from pe_lib.teach.plots import CONTENT, KEY

    return [f"{text.get_text()!r} is too pale: take KEY_TEXT or CONTENT_TEXT" for text in figure.findobj(Text)
            if text.get_text().strip() and to_hex(text.get_color()).upper() in (KEY, CONTENT)]


def sweep_widgets():
    """Move every control that belongs to no slider figure (quizzes, ...); how many moves, and every error."""
    from ipywidgets.widgets import widget
    from pe_lib.teach import sliders

    walked = {id(part) for figure in sliders.figures() for part in _parts(figure)}
    others = [w for w in list(widget._instances.values()) if id(w) not in walked]
    errors, moves = [], 0
    with _recorded(errors):
        for control in others:
            for trait, value in _moves(control):
                moves += 1
                _attempt(control, trait, value, errors)
    errors += [f"{type(w).__name__}: {error!r}" for w in others for error in getattr(w, "errors", None) or []]
    return {"moves": moves, "errors": errors}


def _parts(box):
    yield box
    for child in getattr(box, "children", ()):
        yield from _parts(child)


def _moves(control):
    """(trait, value) pairs: both ends, each option, both ways, a click (trait None); the start comes last."""
    import ipywidgets as w

    if isinstance(control, w.Button):
        return [(None, None)]
    if isinstance(control, w.SelectMultiple):
        return [("index", (0,)), ("index", tuple(range(len(control.options)))), ("index", control.index)]
    if hasattr(control, "options") and hasattr(control, "choice"):  # a pe_lib.teach.quiz question
        return [*(("choice", i) for i in range(len(control.options))), ("choice", control.choice)]
    if hasattr(control, "options") and hasattr(control, "index"):
        return [*(("index", i) for i in range(len(control.options))), ("index", control.index)]
    if isinstance(control, (w.Checkbox, w.ToggleButton)):
        return [("value", not control.value), ("value", control.value)]
    if isinstance(control, (w.Text, w.Textarea)):
        return [("value", "<b>&\u03c9"), ("value", ""), ("value", control.value)]
    if isinstance(control, w.FloatLogSlider):
        return [("value", control.base**control.min), ("value", control.base**control.max), ("value", control.value)]
    if all(hasattr(control, name) for name in ("value", "min", "max")) and not isinstance(control.value, tuple):
        if isinstance(control, (w.IntProgress, w.FloatProgress)) or control.min is None or control.max is None:
            return []
        return [("value", control.min), ("value", control.max), ("value", control.value)]
    return []


def _attempt(control, trait, value, errors):
    try:
        control.click() if trait is None else setattr(control, trait, value)
    except Exception as error:
        what = "click" if trait is None else f"{trait} = {value!r}"
        errors.append(f"{type(control).__name__} {getattr(control, 'description', '')!r}, {what}: {error!r}")


@contextlib.contextmanager
def _recorded(errors):
    """Front ends swallow what a Button, an Output or interact raises: all three hand it to IPython's showtraceback."""
    shell = get_ipython()  # noqa: F821
    shown = shell.showtraceback
    shell.showtraceback = lambda exc_tuple=None, *args, **kwargs: errors.append(repr((exc_tuple or sys.exc_info())[1]))
    try:
        yield
    finally:
        shell.showtraceback = shown


def run_alone(cells):
    """Cells (place, heading, source) run in an empty namespace; what they lacked, as sentences.

    A name that only the notebook's other cells make is said, and lent, so that all missing names are found at once.
    """
    from ipywidgets.widgets import widget

    shell, names, faults = get_ipython(), {"__name__": "__main__"}, []  # noqa: F821
    there = set(widget._instances)
    for place, heading, source in cells:
        code = compile(shell.transform_cell(source), f"cell {place}", "exec")
        while True:
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(code, names)
            except NameError as error:
                if error.name in shell.user_ns and error.name not in names:
                    names[error.name] = shell.user_ns[error.name]
                    faults.append(f"cell {place}, under “{heading}”: no cell of the path before it makes `{error.name}`")
                    continue
                faults.append(f"cell {place}, under “{heading}”: {error!r}")
            except Exception as error:  # the cells after it are still tried
                faults.append(f"cell {place}, under “{heading}”: {error!r}")
            break
    for number in set(widget._instances) - there:  # the walk and the sweep see the notebook's own figures alone
        widget._instances[number].close()
    return faults


def open_pyplot_figures():
    """The numbers of the figures that pyplot still holds."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    return pyplot.get_fignums() if pyplot else []


def try_answers(answers, check):
    """The verdict on each of several answers (name -> source), judged by the source of the check cell."""
    return {name: _verdict(source, check) for name, source in answers.items()}


def _verdict(answer, check):
    names = dict(get_ipython().user_ns)  # noqa: F821
    *first, last = ast.parse(check).body
    with warnings.catch_warnings(action="error"), contextlib.redirect_stdout(io.StringIO()):
        exec(answer, names)
        exec(compile(ast.Module(first, []), "check", "exec"), names)
        if not isinstance(last, ast.Expr):
            raise ValueError("a check cell ends in the check's verdict")
        verdict = eval(compile(ast.Expression(last.value), "check", "eval"), names)
    return {"state": verdict.state, "message": verdict.message, "repr": repr(verdict)}
