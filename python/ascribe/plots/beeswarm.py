"""Every row as a dot in the line of each feature."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._showing import player_inputs, plural, quantity, same_players, strongest, subject
from ._axes import Ink, axes, bare, color_bar, height_of, name_rows, range_of, shades, title, width_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..explanation import Explanation

_COLUMNS = 120  # places along the axis at which dots are kept apart
_RASTERED_FROM = 3000  # dots: more make files of vectors too large


def beeswarm(explanation: Explanation, *, most: int = 12, ax: Axes | None = None) -> Axes:
    """Rows as dots: where they lie is the value, their colour is what the feature has in the row."""
    many = explanation.batched()
    names, values = same_players(many), np.asarray(many.player_values, float)
    chosen = strongest(np.abs(values).mean(axis=0), most).chosen
    labels = [names[i] for i in chosen]
    ax = axes(ax, (width_of(labels, 5.8), height_of(labels, 0.42, 2.6)))
    ink, inputs = Ink(ax), player_inputs(many)
    low, high = range_of(values[:, chosen])
    span = (high - low) or 1.0
    ax.set_xlim(low - 0.04 * span, high + 0.04 * span)
    dots = None
    for line, player in enumerate(chosen):
        dots = _draw_line(ax, line, values[:, player], inputs[:, player], (low, span), ink) or dots
    ax.axvline(0, color=ink.faint, linewidth=0.8, zorder=0)
    _finish(ax, labels, dots, many)
    return ax


def _draw_line(ax: Axes, line: int, values: np.ndarray, inputs: np.ndarray, along: tuple[float, float],
               ink: Ink) -> Any:
    there = np.isfinite(values)
    values, inputs = values[there], inputs[there]
    columns = np.rint((values - along[0]) / along[1] * _COLUMNS).astype(int)
    places = line + offsets(columns)
    size = 14 if len(values) <= 200 else 8 if len(values) <= 2000 else 4
    return ax.scatter(values, places, c=shades_of(inputs), cmap=shades(), vmin=0, vmax=1, s=size, plotnonfinite=True,
                      edgecolors=ink.faint if ink.scheme == "dark" else "none", linewidths=0.3,
                      rasterized=len(values) > _RASTERED_FROM)


def offsets(columns: np.ndarray, room: float = 0.42) -> np.ndarray:
    """How far each dot is moved so that none lies on another: 0, 1, -1, 2, -2, ... within its column, pressed together
    where a column is crowded. The same dots always lie at the same places."""
    order = np.argsort(columns, kind="stable")
    ordered = columns[order]
    begins = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if len(ordered) else np.array([], int)
    ranks = np.arange(len(ordered)) - np.repeat(begins, np.diff(np.r_[begins, len(ordered)]))
    moved = np.empty(len(columns))
    moved[order] = np.where(ranks % 2 == 1, 1, -1) * ((ranks + 1) // 2)
    most = np.abs(moved).max(initial=0)
    return moved * min(0.12, room / most) if most else moved


def shades_of(inputs: np.ndarray) -> np.ndarray:
    """From 0 to 1 between the 5th and the 95th percentile; NaN (grey) where there is nothing to tell apart."""
    known = inputs[np.isfinite(inputs)]
    if known.size == 0 or known.min() == known.max():
        return np.full(len(inputs), np.nan)
    low, high = np.percentile(known, [5, 95])
    if low == high:
        low, high = known.min(), known.max()
    return np.where(np.isfinite(inputs), np.clip((inputs - low) / (high - low), 0, 1), np.nan)


def _finish(ax: Axes, labels: list[str], dots: Any, many: Explanation) -> None:
    name_rows(ax, labels)
    bare(ax)
    ax.locator_params(axis="x", nbins=6)
    if dots is not None:
        bar = color_bar(ax, dots, "value of the feature\n(grey: constant)")
        bar.set_ticks([0, 1], labels=["low", "high"])
    ax.set_xlabel(quantity(many))
    title(ax, f"{many.method}: the {subject(many)}, {plural(len(many), 'row')}")
