"""The shared library of the course. This folder holds the maths and the toy model, in NumPy alone.

``pe_lib.teach`` holds the figures, questions and checks that teach it; ``pe_lib.clinic`` examines anybody's functions.
Nothing is imported here: ``import pe_lib`` is free, and each chapter says where a name comes from.
"""

import sys

_MOVED = {f"pe_lib.{name}": f"pe_lib.teach.{name}"
          for name in ("checks", "controls", "figures", "maps", "plots", "questions", "quiz", "sliders", "walker")}


class _OldPlaces:
    """Python asks this finder last, once no file was found: an import from an old place is told the new one."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name in _MOVED:
            raise ImportError(f"{name} is now {_MOVED[name]}: please import it from there.", name=name)


sys.meta_path.append(_OldPlaces)
