"""The moving picture of the README: query and key rotate with their positions, and the angle between them stands still.

    python tools/animation.py                writes docs/rotation.gif
"""

import argparse
from pathlib import Path

import numpy as np
from matplotlib.patches import Arc
from PIL import Image

from pe_lib.rotary import rotate
from pe_lib.teach.plots import FAINT, INK, KEY, KEY_TEXT, POSITION, QUERY, bare, new_figure, signed, style

TARGET = Path(__file__).resolve().parent.parent / "docs" / "rotation.gif"
FRAMES, MILLISECONDS, OFFSET = 60, 90, -4                       # one frame a token; the key stands four tokens back
INV_FREQ = np.array([2 * np.pi / FRAMES])                      # radians per token: one turn in the whole loop
Q, K = np.array([[1.0, 0.2]]), np.array([[0.3, 1.3]])
FIRST = 100                                                    # the query's position in the first frame


def pair(position):
    """(rotated query, rotated key, the angle from one to the other in radians, their score) with the query at a position."""
    q, k = rotate(Q, [position], INV_FREQ)[0], rotate(K, [position + OFFSET], INV_FREQ)[0]
    angle = np.arctan2(q[0] * k[1] - q[1] * k[0], q @ k)
    return q, k, angle, q @ k / np.sqrt(2)


def picture():
    """A figure, and what draws it for a position of the query."""
    fig = new_figure(6.0, 2.6)
    dial, words = fig.subplots(1, 2, width_ratios=[1, 1.25])
    for ax in (dial, words):
        bare(ax)
    dial.set(xlim=(-1.55, 1.55), ylim=(-1.55, 1.55), aspect="equal")
    words.set(xlim=(0, 1), ylim=(0, 1))
    dial.plot(1.45 * np.cos(np.linspace(0, 2 * np.pi, 120)), 1.45 * np.sin(np.linspace(0, 2 * np.pi, 120)), color=FAINT, ls="-", lw=1)
    arrows = [dial.quiver([0], [0], [1], [0], color=color, angles="xy", scale_units="xy", scale=1, width=0.022) for color in (QUERY, KEY)]
    arc = dial.add_patch(Arc((0, 0), 1.1, 1.1, color=POSITION, lw=3))
    lines = [words.text(0, y, "", color=color, va="center", fontsize=13, weight=weight)
             for y, color, weight in ((0.86, QUERY, "normal"), (0.66, KEY_TEXT, "normal"), (0.40, POSITION, "bold"), (0.18, INK, "bold"))]

    def draw(position):
        q, k, angle, score = pair(position)
        for arrow, vector in zip(arrows, (q, k)):
            arrow.set_UVC(*vector[:, None])
        arc.angle, arc.theta1, arc.theta2 = np.degrees(np.arctan2(q[1], q[0])), *sorted((0.0, np.degrees(angle)))
        for line, text in zip(lines, (f"query at position {position}", f"key at position {position + OFFSET}",
                                      f"angle between: {np.degrees(angle):.1f}°", f"score: {signed(score)}")):
            line.set_text(text)
    return fig, draw


def frames():
    """The frames as RGB images."""
    with style():
        fig, draw = picture()
        for position in range(FIRST, FIRST + FRAMES):
            draw(position)
            fig.canvas.draw()
            fig.set_layout_engine("none")                      # laid out once
            yield Image.fromarray(np.asarray(fig.canvas.buffer_rgba())[..., :3].copy())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("target", nargs="?", type=Path, default=TARGET)
    first, *rest = frames()
    palette = first.quantize(32, dither=Image.Dither.NONE)
    images = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in (first, *rest)]
    images[0].save(parser.parse_args().target, save_all=True, append_images=images[1:], duration=MILLISECONDS, loop=0, optimize=True)


if __name__ == "__main__":
    main()
