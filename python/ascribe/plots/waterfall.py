"""From the base value to the output, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._showing import named_inputs, number_text, plural, row_of, signed_text, strongest, subject, title_of
from ..errors import ArgumentError
from ._axes import Ink, axes, bare, height_of, name_rows, title, width_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..explanation import Explanation


def waterfall(explanation: Explanation, row: int = 0, *, most: int = 10, ax: Axes | None = None) -> Axes:
    """How the players of one row lead from the base value to the output; what they miss is a step of its own."""
    one = row_of(explanation, row)
    if not one.contribution:
        raise ArgumentError(f"waterfall: {one.method} gives slopes, which are no shares of the output and do not add "
                            "up to it; plot.bar shows them")
    labels, steps = steps_of(one, most)
    ax = axes(ax, (width_of(labels), height_of(labels)))
    _draw(ax, labels, np.asarray(steps), float(one.base_values), float(one.output))
    ax.set_xlabel(subject(one))
    title(ax, title_of(one))
    return ax


def steps_of(one: Explanation, most: int) -> tuple[list[str], list[float]]:
    """The lines: base value, players, others, residual, output; and the steps between the first and the last."""
    values, names = np.asarray(one.player_values, float), named_inputs(one)
    chosen, others = strongest(values, most)
    labels, steps = [names[i] for i in chosen], [float(value) for value in values[chosen]]
    if len(others):
        labels.append(plural(len(others), "other"))
        steps.append(float(values[others].sum()))
    start = "base value" if float(one.base_values) else "zero"
    return [start, *labels, "residual", "output"], [*steps, float(one.residual)]


def _draw(ax: Axes, labels: list[str], steps: np.ndarray, base: float, output: float) -> None:
    ink = Ink(ax)
    ends = base + np.cumsum(steps)
    starts = np.concatenate([[base], ends[:-1]])
    lines = np.arange(1, len(steps) + 1)
    bars = ax.barh(lines, steps, left=starts, color=ink.of_signs(steps), height=0.66)
    bars[-1].set(facecolor="none", edgecolor=ink.faint, hatch="////", linewidth=0.8)
    ax.vlines([base, *ends], np.arange(len(steps) + 1), np.arange(1, len(steps) + 2), color=ink.faint, linewidth=0.8)
    ax.plot([base, output], [0, len(steps) + 1], linestyle="none", marker="D", markersize=6, color=ink.text)
    places, numbers = [base, *np.maximum(starts, ends), output], [number_text(base, 4), *map(signed_text, steps),
                                                                  number_text(output, 4)]
    for line, (place, number) in enumerate(zip(places, numbers, strict=True)):
        ax.annotate(number, (place, line), xytext=(7 if line in (0, len(numbers) - 1) else 4, 0),
                    textcoords="offset points", va="center", fontsize="small", color=ink.text)
    every = np.concatenate([[base, output], starts, ends])
    span = float(np.ptp(every)) or abs(base) or 1.0
    ax.set_xlim(every.min() - 0.04 * span, every.max() + 0.18 * span)
    name_rows(ax, labels)
    for line, label in enumerate(ax.get_yticklabels()):
        if line in (0, len(labels) - 1):
            label.set_fontweight("bold")
    bare(ax)
    ax.locator_params(axis="x", nbins=6)
