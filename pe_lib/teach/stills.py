"""A slider figure for readers without a kernel: its most telling settings in one picture, each above its sentence."""

import textwrap

import numpy as np
from PIL import Image

from .plots import new_figure, png, style

WIDE, TALL, GAP = 960, 900, 16      # CSS pixels: of a strip of several stills, of a screen, between two stills in a row


def strip(figure, stills, ratio=1.5):
    """(PNG, width in CSS pixels, all sentences) of a figure at a list of raw settings, ratio pixels to a CSS pixel."""
    with style():
        texts = [figure.settle(raws) for raws in stills]
    rows = rows_of(figure.figure.get_size_inches() * 100, texts)
    images, todo = [], list(zip(stills, texts))
    for count, width in rows:
        cells = [_cell(figure, *todo.pop(0), width, ratio) for _ in range(count)]
        images.append(_joined(cells, across=True, gap=round(GAP * ratio)))
    whole = _joined(images, across=False)
    return png(whole), round(whole.width / ratio), " ".join(texts)


def rows_of(size, texts):
    """[(stills in a row, width of each), ...]: the first arrangement that fits a screen, or else the lowest.

    Tried in this order: one below the other, the first one large above the others, two a row, all in one row.
    """
    count, (width, height) = len(texts), size
    plans = [[(1, width)] * count]
    for rows in ([1, count - 1], [2] * (count // 2) + [1] * (count % 2), [count]) if count > 1 else ():
        plans.append([(n, min(1.2 * width, _share(n if rows[0] == 1 else max(rows)))) for n in rows])
    tall = [_height(plan, height / width, texts) for plan in plans]
    return next((plan for plan, total in zip(plans, tall) if total <= TALL), plans[int(np.argmin(tall))])


def _share(count):
    return (WIDE - GAP * (count - 1)) / count


def _height(plan, slope, texts):
    total, todo = 0, list(texts)
    for count, width in plan:
        total += width * slope + max(_caption_height(todo.pop(0), width) for _ in range(count))
    return total


def _lines(text, width):
    return textwrap.wrap(text, int(0.12 * width))


def _caption_height(text, width):
    return 20 + 21 * len(_lines(text, width))


def _cell(figure, raws, text, width, ratio):
    picture, _ = figure.image(raws, ratio * width / (100 * figure.figure.get_figwidth()))
    with style():
        caption = new_figure(picture.width / ratio / 100, _caption_height(text, width) / 100)
        caption.dpi = 100 * ratio
        caption.text(0.01, 0.95, "\n".join(_lines(text, width)), va="top", fontsize=10)
        caption.canvas.draw()
        below = Image.fromarray(np.asarray(caption.canvas.buffer_rgba())[..., :3].copy())
    return _joined([picture, below], across=False)


def _joined(images, across, gap=0):
    """Images side by side, or one below the other; what stays free is card."""
    sizes = np.array([image.size for image in images])
    along, other = (0, 1) if across else (1, 0)
    size = sizes.max(axis=0)
    size[along] = sizes[:, along].sum() + gap * (len(images) - 1)
    whole = Image.new("RGB", tuple(map(int, size)), images[0].getpixel((0, 0)))
    starts = np.cumsum([0, *(sizes[:-1, along] + gap)])
    for image, start in zip(images, starts):
        whole.paste(image, (int(start), 0) if across else (0, int(start)))
    return whole
