"""Axes that are controls: a figure's build function says what in its picture follows the pointer.

    touch(ax, x="position")                           # a click or drag sets position to the x under the pointer
    touch(grid, x="key", y="query")                   # the cells of a map
    touch(dial, angle="position", per=omega)          # a hand: the position next to the present one that points there

Every touched setting has its slider too, so the keyboard loses nothing.
"""

import inspect
import itertools
import math

import ipywidgets

COORDINATES = ("x", "y", "angle", "radius")
OUTSIDE = "touch belongs in a figure's build function, called with one of the axes of the figure that explore shows"


def touch(ax, *, x=None, y=None, angle=None, radius=None, per=1.0, start=0.0, plus=None):
    """Let what stands at ``start + per * (setting + plus)`` in the axes follow the pointer.

    x, y, angle, radius: names of controls. An angle is in radians, counter-clockwise from the x axis about the origin; whole
    turns make no difference. per, start and plus (another control's name) belong to the angle if there is one, else to the
    only coordinate. per may be a function of one menu, named as its parameter: ``per=lambda base: 1 / base``. A menu (Choice)
    on x or y has option 0 at 0, option 1 at 1, ...

    Of several handles in the same axes the nearest is taken. The axes must be linear or logarithmic, and keep place and limits.

    Raises ValueError outside a build function, for no coordinate, for a per of 0. What needs the controls (unknown names,
    overlaps, limits) is checked when explore makes the figure.
    """
    names = {c: name for c, name in zip(COORDINATES, (x, y, angle, radius)) if name is not None}
    if not names or (angle is not None or radius is not None) and (x is not None or y is not None):
        raise ValueError(f"touch needs x, y or both, or angle, radius or both; got {names}")
    if len(names) > 1 and angle is None and (callable(per) or (per, start, plus) != (1.0, 0.0, None)):
        raise ValueError(f"per, start and plus belong to an angle or to a single coordinate; got {names}")
    if not math.isfinite(start) or not (callable(per) or (math.isfinite(per) and per)):
        raise ValueError(f"start must be finite, and per finite and not 0; got start={start}, per={per}")
    touches = getattr(getattr(getattr(ax, "figure", None), "canvas", None), "figure", None)      # of a subfigure, too
    touches = getattr(touches, "touches", None)
    if not isinstance(touches, list):
        raise ValueError(f"{OUTSIDE}; got {ax!r}")
    main = "angle" if angle is not None else next(iter(names))
    handle = [(c, name, *((per, start, plus) if c == main else (1.0, 0.0, None))) for c, name in names.items()]
    touches.append((ax, handle))


def pads(figure, controls):
    """For the browser: of each touched axes its place (as CSS's inset), its limits and its handles."""
    grouped = {}
    for ax, handle in figure.touches:
        grouped.setdefault(ax, []).append(handle)
    found = [_pad(figure, ax, handles, controls) for ax, handles in grouped.items()]
    for (one, a), (two, b) in itertools.combinations(zip(grouped, found), 2):
        if all(min(one.bbox.max[i], two.bbox.max[i]) - max(one.bbox.min[i], two.bbox.min[i]) > 1 for i in (0, 1)):
            raise ValueError(f"two axes that are touched must not overlap; got insets {a['inset']} and {b['inset']}")
    return found


def _pad(figure, ax, handles, controls):
    used = {part[0] for part in handles[0]}
    for handle in handles:
        if {part[0] for part in handle} != used:
            raise ValueError(f"handles of one axes must share their coordinates; got {sorted(used)} and {[part[0] for part in handle]}")
    taken = [part[1] for handle in handles for part in handle]
    if len(set(taken)) < len(taken):
        raise ValueError(f"in one axes each control follows the pointer once; got {taken}")
    turns = bool(used & {"angle", "radius"})
    pad = {"kind": "turn" if turns else "".join(sorted(used))}
    for name in ("x", "y"):
        pad[name] = _limits(ax, name) if turns or name in used else None
    box = ax.bbox.transformed(figure.transFigure.inverted())     # get_position would mark the figure as changed: a full redraw
    pad["inset"] = " ".join(f"{100 * share:.3f}%" for share in (1 - box.y1, 1 - box.x1, box.y0, box.x0))
    pad["handles"] = [[_part(part, pad, controls) for part in handle] for handle in handles]
    return pad


def _limits(ax, name):
    axis = getattr(ax, f"{name}axis")
    if ax.name != "rectilinear" or axis.get_scale() not in ("linear", "log"):
        raise ValueError(f"an axes that is touched must be linear or logarithmic; got {ax.name}, {axis.get_scale()}")
    low, high = map(float, axis.get_view_interval())
    free = getattr(ax, f"get_autoscale{name}_on")() and not math.isfinite(getattr(ax.dataLim, f"{name}0"))
    if free or low == high or not math.isfinite(low) or not math.isfinite(high):
        raise ValueError(f"an axes that is touched needs finite {name} limits of its own; got {(low, high)}, {'not ' * (not free)}left to its data")
    return [low, high, axis.get_scale() == "log"]


def _part(part, pad, controls):
    coordinate, name, per, start, plus = part
    order = list(controls)
    for needed in filter(None, (name, plus)):
        if needed not in controls:
            raise ValueError(f"touch must name a control of the figure, one of {order}; got {needed!r}")
        if controls[needed].kind is ipywidgets.Checkbox:
            raise ValueError(f"touch needs a control with numbers; got {needed!r}, a box to tick")
    control = controls[name]
    if control.options:
        low, high = sorted(pad[coordinate][:2]) if coordinate in ("x", "y") else (math.inf, -math.inf)
        ends = [] if callable(per) else [start + per * raw for raw in (control.low, control.high)]
        if plus or not ends or not low <= min(ends) <= max(ends) <= high:
            raise ValueError(f"a menu is touched on an x or y axis that has room for its options at 0, 1, ...; got {name!r} at {ends} in {coordinate}")
    of, values = _table(per, controls) if callable(per) else (None, [per])
    return {"at": coordinate, "control": order.index(name), "per": [float(value) for value in values], "start": float(start),
            "of": None if of is None else order.index(of), "plus": order.index(plus) if plus else None}


def _table(per, controls):
    names = [p.name for p in inspect.signature(per).parameters.values() if p.default is p.empty]
    if len(names) != 1 or names[0] not in controls or not controls[names[0]].options:
        raise ValueError(f"a per that changes must be a function of one menu of the figure; got parameters {names}")
    values = [per(option) for option in controls[names[0]].options]
    if not all(math.isfinite(value) and value for value in values):
        raise ValueError(f"per must be finite and not 0 for every option of {names[0]!r}; got {values}")
    return names[0], values
