"""The figures of chapter 8, third part: the window of bases that a length allows, and where short number formats end."""

import numpy as np

from pe_lib.frequencies import inverse_frequencies, offset_similarity
from pe_lib.precision import FORMATS, angle_error
from pe_lib.teach.plots import FAINT, FORMAT_LINES, INK, POSITION, fixed_ticks, signed
from pe_lib.teach.touch import touch


def lowest(base, length, dim=128):
    """The least similar of all offsets below the length, and its similarity: (offset, sum of cosines)."""
    similarity = offset_similarity(np.arange(length), inverse_frequencies(dim, base))
    return int(similarity.argmin()), float(similarity.min())


def base_window(fig, length=4096, near=(26_940, 26_990), wide=(10_000, 110_000)):
    """The similarity at every offset for one base, and its lowest value against the base: from afar and close up."""
    fig.set_layout_engine("none")
    grid = fig.add_gridspec(2, 2, left=0.09, right=0.98, bottom=0.14, top=0.92, hspace=0.62, wspace=0.2)
    top, afar, close = fig.add_subplot(grid[0, :]), fig.add_subplot(grid[1, 0]), fig.add_subplot(grid[1, 1])
    k = np.arange(length)
    (curve,) = top.plot([], [], "-", color=POSITION, lw=1, zorder=3, animated=True)
    (mark,) = top.plot([], [], "^", color=INK, ms=9, ls="", zorder=5, clip_on=False, animated=True)
    top.set(xlim=(0, length), ylim=(-7, 40), xlabel="offset (tokens)", ylabel="similarity\n(cut at 40 of 64)")
    far = np.geomspace(*wide, 120)
    afar.plot(far / 1000, [lowest(base, length)[1] for base in far], "-", color=POSITION, lw=1)
    afar.set(xlim=np.array(wide) / 1000, ylim=(-11, 9), xlabel="base (thousands), from afar", ylabel="lowest value")
    bases = np.arange(near[0], near[1] + 1)
    close.plot(bases, [lowest(base, length)[1] for base in bases], "-", color=POSITION, lw=1.5)
    close.set(xlim=near, ylim=(-0.4, 0.3), xticks=[26_950, 26_960, 26_970, 26_980], xlabel="base, close up")
    for ax in (top, afar, close):
        ax.axhline(0, color=INK, lw=1, ls="--")
    afar.axvline(np.mean(near) / 1000, color=FAINT, lw=2, ls="-", zorder=0)
    (here,) = close.plot([], [], "o", color=INK, ms=8, ls="", zorder=5, animated=True)
    touch(close, x="base")

    def update(base):
        offset, value = lowest(base, length)
        curve.set_data(k, offset_similarity(k, inverse_frequencies(128, base)))
        mark.set_data([offset], [value - 3.4])
        here.set_data([base], [value])
        return (f"Base {base:,}, 128 features, offsets below {length:,}: the least similar is {offset:,}, with a sum of cosines "
                f"of {signed(value, 4)}. This base {'passes' if value >= 0 else 'fails'}.")
    return update


def angle_precision(fig, dim=128, highest=1e6):
    """How wrong an angle is that was made in a short format: the worst pair against position, and every pair at one position."""
    fig.set_layout_engine("none")
    grid = fig.add_gridspec(1, 2, width_ratios=[1.4, 1], left=0.125, right=0.98, bottom=0.18, top=0.86, wspace=0.1)
    worst, pairs = fig.add_subplot(grid[0, 0]), fig.add_subplot(grid[0, 1])
    spread, m = np.geomspace(1, highest, 150).round(), np.arange(dim // 2)
    looks = [(form, FORMAT_LINES[form]) for form in FORMATS]
    curves = [worst.plot([], [], color=color, ls=style, lw=1.5, zorder=3, animated=True, label=form)[0]
              for form, (color, style) in looks]
    marks = [pairs.plot([], [], marker, color=color, ms=4, ls="", zorder=3, animated=True)[0]
             for marker, (_, (color, _)) in zip("ox^", looks)]
    here = worst.axvline(1, color=INK, ls=":", lw=1.2, zorder=3, animated=True)
    touch(worst, x="position")
    for ax in (worst, pairs):
        ax.axhline(1, color=FAINT, lw=1, ls="-")
        ax.set(yscale="log", ylim=(1e-6, 1e6))
        fixed_ticks(ax.yaxis, [1e-4, 1e-2, 1, 100, 10_000], ["0.0001", "0.01", "1", "100", "10,000"] if ax is worst else [""] * 5)
    worst.set(xscale="log", xlim=(1, highest), xlabel="position (tokens)", ylabel="error of the worst\npair (degrees)")
    pairs.set(xlim=(-1, dim / 2), xlabel="pair (0 = fastest)", title="every pair, at your position")
    worst.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3, handlelength=2.5)

    def update(position, base):
        inv_freq, position = inverse_frequencies(dim, base), round(position)
        p, said = np.union1d(spread, position), []             # the curves pass through the sentence's own values
        for (form, _), curve, mark in zip(looks, curves, marks):
            errors, at = (np.degrees(angle_error(x, inv_freq, form)) for x in (p, position))
            curve.set_data(p, np.where(np.isfinite(errors.max(axis=-1)), np.maximum(errors.max(axis=-1), 1e-6), np.nan))
            mark.set_data(m, np.where(np.isfinite(at), np.maximum(at, 1e-6), np.nan))
            off = f"{at.max():,.4f}" if at.max() < 0.1 else f"{at.max():,.1f}"
            said.append(f"{form} is off by up to {off}°" if np.isfinite(at).all() else f"{form} has no such number")
        here.set_xdata([position, position])
        return f"Base {base:,.0f}, position {position:,}: an angle in {', in '.join(said)}. Above 180° the angle may be anything."
    return update
