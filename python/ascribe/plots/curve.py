"""Curves of metrics: what happens to the output as players are taken out or put in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._showing import plural
from ..errors import ArgumentError
from ._axes import PLAIN_TEXT, Ink, axes, bare, distinct_colors, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_CHANGE = "(f − f(b)) / |f(x) − f(b)|"
_AXES = {
    "deletion": ("share of the players that are masked, highest values first", _CHANGE),
    "insertion": ("share of the players that are present, highest values first", _CHANGE),
    "sensitivity_n": ("share of the players that are masked at once", "correlation"),
    "parameter_randomisation": ("share of the layers that are random", "similarity"),
}
_STYLES = ("-", "--", "-.", ":")


def curve(evaluation: Any, metric: str | None = None, *, method: str | Sequence[str] | None = None,
          sample: int | None = None, ax: Axes | None = None) -> Axes:
    """A line for each method: the mean over the samples with a band of two standard errors, or one sample."""
    metric = metric or _first_with_curve(evaluation)
    names = [method] if isinstance(method, str) else list(method or evaluation.methods)
    curves = [evaluation.curve(name, metric, sample) for name in names]
    ax = axes(ax, (7.0, 4.2))
    samples = max((int(own.samples) for own in curves), default=0)
    colors = distinct_colors(len(names), Ink(ax))
    for number, (name, own, color) in enumerate(zip(names, curves, colors, strict=True)):
        positions, mean = np.asarray(own.positions), np.asarray(own.mean)
        ax.plot(positions, mean, color=color, linestyle=_STYLES[number % len(_STYLES)], linewidth=1.8, label=name,
                marker="o" if len(positions) == 1 else None)
        if own.standard_errors is not None:
            band = 2 * np.asarray(own.standard_errors)
            ax.fill_between(positions, mean - band, mean + band, color=color, alpha=0.15, linewidth=0)
    _finish(ax, metric, evaluation, samples if sample is None else None)
    return ax


def _first_with_curve(evaluation: Any) -> str:
    found: list[str] = [name for name in evaluation.metrics if name in _AXES]
    if not found:
        raise ArgumentError(f"curve: the metrics {', '.join(evaluation.metrics)} are no curves; {', '.join(_AXES)} are")
    return found[0]


def _scale(evaluation: Any, metric: str) -> str:
    """What the curve is divided by."""
    settings: dict[str, Any] = next((one for one in evaluation.document["metrics"] if one["name"] == metric), {})
    return str(settings.get("parameters", {}).get("scale", "change"))


def _finish(ax: Axes, metric: str, evaluation: Any, samples: int | None) -> None:
    x, y = _AXES.get(metric, ("share of the players", metric))
    ax.set_xlabel(x)
    ax.set_ylabel("output" if y == _CHANGE and _scale(evaluation, metric) == "none" else y)
    bare(ax, "top", "right")
    legend = ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, fontsize="small")
    for text in legend.get_texts():
        text.update(PLAIN_TEXT)
    better = evaluation.better.get(metric) if hasattr(evaluation, "better") else None
    words = f", {better} is better" if better in ("lower", "higher") else ""
    band = "" if samples is None else f", mean of {plural(samples, 'sample')}"
    band += " ± 2 standard errors" if samples is not None and samples > 1 else ""
    title(ax, f"{metric}{words}{band}")
