"""A small layer that learns before the learner's eyes: a button, a progress bar, a loss curve that grows, and a stop button.

    train_live("order", [("none", False), ("rotary", False)], steps=200)

The training runs in slices between which the kernel answers, so Stop is heard and other figures keep moving. Readers without
a kernel see the runs that the cell names, each trained when the cell ran, with several seeds.
"""

import asyncio
import base64
import time
from html import escape

import ipywidgets
import numpy as np

from pe_lib.gradients import Training
from pe_lib.training import SCHEMES

from .plots import CONTENT, INK, KEY, NEUTRAL, POSITION, QUERY, new_figure, show, style

LINES = dict(zip(SCHEMES, ((NEUTRAL, "-"), (POSITION, "--"), (QUERY, "-"), (CONTENT, "-."), (KEY, ":"))))
CHANCE, ASKS = {"order": 1 / 2, "copy": 1 / 16}, {"order": "which of two words came first", "copy": "which word stood three tokens back"}


def train_live(task, runs, *, steps=200, seeds=3):
    """The panel: the last expression of a cell.

    task, "order" or "copy"; runs, a list of (scheme, causal), trained now with seeds 0, 1, … for readers without a kernel;
    steps of each run.

    Raises: ValueError for an unknown task or scheme, no run, or counts that are not integers of at least 1.
    """
    if not runs:
        raise ValueError(f"runs must list at least one (scheme, causal), got {runs!r}")
    finished = []
    for scheme, causal in runs:
        finished.append([Training(task, scheme, causal=causal, seed=seed, steps=steps) for seed in range(seeds)])
        for run in finished[-1]:
            list(run)
    return LiveTraining(task, steps, [Runs(task, scheme, causal, group) for (scheme, causal), group in zip(runs, finished)])


class Runs:
    """Training runs of one kind that share a name and a line: their losses, their shares of right answers, a verdict."""

    def __init__(self, task, scheme, causal, trained):
        self.name, self.trained, (color, dash) = named(task, scheme, causal), trained, LINES[scheme]
        self.line = (INK if scheme == "none" else color, (0, (6, 2))) if causal and task == "order" else (color, dash)

    @property
    def verdict(self):
        """The mean share of right answers over the last twenty steps of the runs that were not stopped."""
        whole = [np.mean(run.shares[-20:]) for run in self.trained if len(run.shares) == run.steps]
        return f"{self.name}: {np.mean(whole):.1f}" if whole else f"{self.name}: no run to its end yet"


def named(task, scheme, causal):
    """What a run is called: the mask is said where there is a choice."""
    return f"{'no positions' if scheme == 'none' else scheme}{', causal mask' if causal and task == 'order' else ''}"


def curves(fig, task, groups, steps):
    """Two graphs against the training step: the loss, and the share of right answers beside what guessing gets."""
    losses, shares = fig.subplots(1, 2)
    guess = CHANCE[task]
    losses.axhline(-np.log(guess), color=INK, lw=1, ls=(0, (1, 2)), zorder=1)
    shares.axhline(guess, color=INK, lw=1, ls=(0, (1, 2)), zorder=1)
    for group in groups:
        color, dash = group.line
        for number, run in enumerate(group.trained):
            at = np.arange(1, len(run.losses) + 1)
            label = {"label": group.name} if number == 0 else {}
            losses.plot(at, smooth(run.losses), color=color, ls=dash, lw=1.6, alpha=0.85, **label)
            shares.plot(at, smooth(run.shares), color=color, ls=dash, lw=1.6, alpha=0.85)
    losses.set(xlim=(0, steps), ylim=(0, -1.35 * np.log(guess)), xlabel="training step", ylabel="loss (nats per answer)")
    shares.set(xlim=(0, steps), ylim=(0, 1.03), xlabel="training step", ylabel="share of right answers")
    shares.text(steps, guess + 0.13, "guessing", ha="right", va="center", color=INK, fontsize=9)
    fig.legend(*losses.get_legend_handles_labels(), loc="outside upper center", ncols=4, handlelength=3)


def smooth(values, width=5):
    """The mean of each value and up to four before it."""
    sums = np.cumsum([0.0, *values])
    ends = np.arange(1, len(values) + 1)
    starts = np.maximum(ends - width, 0)
    return (sums[ends] - sums[starts]) / (ends - starts)


class LiveTraining(ipywidgets.VBox):
    """What `train_live` returns; ``run`` is the training that goes on, ``groups`` all that was trained, ``errors`` what went wrong."""

    def __init__(self, task, steps, groups):
        self.task, self.steps, self.groups, self.run, self.errors, self.job = task, steps, list(groups), None, [], None
        self.scheme = ipywidgets.Dropdown(options=SCHEMES, value="rotary", description="scheme")
        self.causal = ipywidgets.Checkbox(value=task == "copy", description="causal mask", disabled=task == "copy", indent=False,
                                           layout={"width": "auto"})
        self.go, self.stop = ipywidgets.Button(description="Train", icon="play"), ipywidgets.Button(description="Stop", icon="stop", disabled=True)
        self.bar = ipywidgets.IntProgress(min=0, max=steps, description="step")
        self.picture, self.said = ipywidgets.HTML(), ipywidgets.HTML()
        self.go.on_click(lambda _: self.begin())
        self.stop.on_click(lambda _: self.halt())
        controls = [self.scheme, self.causal, self.go, self.stop, self.bar]
        super().__init__([ipywidgets.HBox(controls, layout=ipywidgets.Layout(flex_flow="row wrap", grid_gap="4px 16px")), self.picture, self.said])
        self.add_class("pe-card")
        self.still = self.draw(self.verdict())

    def verdict(self):
        """What is seen: how often each kind of run is right at the end of its training."""
        return (f"Asked {ASKS[self.task]}, the share of right answers at the end of training (a mean over the runs of each kind; "
                f"guessing gets {CHANCE[self.task]:.2g}): {'; '.join(group.verdict for group in self.groups)}.")

    def draw(self, text):
        """The picture of all runs, and the sentence below it."""
        with style():
            fig = new_figure(8.0, 3.4)
            curves(fig, self.task, self.groups, self.steps)
        still = show(fig, f"{curves.__doc__} {text}")
        source = base64.b64encode(still.png).decode()
        self.picture.value = f'<img alt="{escape(still.alt)}" style="width:100%;max-width:{still.width}px" src="data:image/png;base64,{source}">'
        self.said.value = f'<p style="line-height:1.4">{escape(text)}</p>'
        return still

    def begin(self):
        """Starts a run with the next seed of this kind; one that goes on is stopped first and keeps its curve."""
        self.halt()
        name = named(self.task, self.scheme.value, self.causal.value)
        group = next((group for group in self.groups if group.name == name), None)
        if group is None:
            group = Runs(self.task, self.scheme.value, self.causal.value, [])
            self.groups.append(group)
        self.run = Training(self.task, self.scheme.value, causal=self.causal.value, seed=len(group.trained), steps=self.steps)
        group.trained.append(self.run)
        self.stop.disabled = False
        try:
            self.job = asyncio.get_running_loop().create_task(self.learn(self.run, group))
        except RuntimeError:                     # no event loop: a plain Python, which has nothing else to do
            asyncio.run(self.learn(self.run, group))

    def halt(self):
        """Stops after the step that is being taken."""
        self.run, self.stop.disabled = None, True

    async def learn(self, run, group, slice_seconds=0.15):
        """Takes steps until the last one or until another run has taken this one's place."""
        try:
            drawn = time.perf_counter()
            for step, loss, right in run:
                if time.perf_counter() - drawn > slice_seconds or step in (1, self.steps):
                    self.bar.value = step
                    self.draw(f"{group.name}, seed {len(group.trained) - 1}, step {step}: loss {loss:.2f}, {right:.0%} right. {self.verdict()}")
                    await asyncio.sleep(0.02)    # here the kernel hears Stop
                    if self.run is not run:
                        break
                    drawn = time.perf_counter()
        except Exception as error:               # shown below the picture; the curve so far stays
            self.errors.append(error)
            self.said.value = f"<p>{type(error).__name__}: {escape(str(error))}</p>"
        if self.run is run:
            self.halt()

    def _repr_mimebundle_(self, **options):
        data, metadata = self.still._repr_mimebundle_()
        return super()._repr_mimebundle_(**options) | data, metadata
