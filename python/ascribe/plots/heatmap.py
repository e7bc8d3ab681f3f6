"""Values as a table of colours: time x feature, rows x features, methods x players."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._showing import (kind_of, limit_of, methods_of, plural, quantity, row_of, same_players, series_of, strongest,
                        subject, title_of)
from ._axes import PLAIN_TEXT, axes, color_bar, colormap, height_of, title, width_of, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..explanation import Explanation, Explanations

_NAMED = 40  # lines or columns that still get a name each
_TURNED: dict[str, Any] = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}


def heatmap(explanation: Explanation, row: int = 0, *, most: int = 40, ax: Axes | None = None) -> Axes:
    """A series as channels over time; other rows as rows x features."""
    if kind_of(explanation) == "series":
        return _over_time(row_of(explanation, row), ax)
    many = explanation.batched()
    values = np.asarray(many.player_values, float)
    names = same_players(many)
    chosen = np.sort(strongest(np.abs(values).mean(axis=0), most).chosen)
    lines = [str(name) for name in many.row_names]
    ax = colored_table(values[:, chosen], lines, [names[i] for i in chosen], ax, quantity(many))
    if len(chosen) < len(names):
        ax.set_xlabel(f"the {len(chosen)} strongest of {plural(len(names), 'player')}")
    title(ax, f"{many.method}: the {subject(many)}, {plural(len(many), 'row')}")
    return ax


def _over_time(one: Explanation, ax: Axes | None) -> Axes:
    series = series_of(one)
    steps = series.values.shape[1]
    ax = colored_table(series.values, series.channel_names, [str(step) for step in range(steps)], ax, quantity(one))
    if steps <= _NAMED:
        ax.tick_params(axis="x", rotation=0)
    if steps > 16:
        from matplotlib.ticker import FuncFormatter, MaxNLocator

        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.xaxis.set_major_formatter(FuncFormatter(lambda step, _: f"{step:.0f}"))
    ax.set_xlabel("step")
    title(ax, title_of(one))
    return ax


def methods(explanations: Explanations, row: int = 0, *, most: int = 40, ax: Axes | None = None) -> Axes:
    """A line for each method, each on a scale of its own, so that methods with other units can be put side by side."""
    ones = methods_of(explanations, row)
    first = next(iter(ones.values()))
    values = np.stack([_scaled(np.asarray(one.player_values, float)) for one in ones.values()])
    chosen = np.sort(strongest(np.nanmax(np.abs(values), axis=0), most).chosen)
    names = [str(first.player_names[i]) for i in chosen]
    ax = colored_table(values[:, chosen], list(ones), names, ax, "share of the largest")
    title(ax, f"{plural(len(ones), 'method')}: the {subject(first)}, {first.row_names}")
    return ax


def _scaled(values: np.ndarray) -> np.ndarray:
    largest = limit_of(values)
    return values / largest if largest else values


def colored_table(values: np.ndarray, lines: Sequence[str], columns: Sequence[str], ax: Axes | None,
                  label: str) -> Axes:
    """Numbers as colours, with names where there is room for them."""
    shown = list(lines) if len(lines) <= _NAMED else []
    width = width_of(shown, min(12.0, max(4.0, 1.4 + 0.32 * len(columns))))
    ax = axes(ax, (width, min(9.0, height_of(shown or [""] * 20, least=2.4))))
    bound = limit_of(values) or 1.0
    picture = ax.imshow(np.ma.masked_invalid(values), cmap=colormap(), vmin=-bound, vmax=bound, aspect="auto",
                        interpolation="nearest")
    if shown:
        ax.set_yticks(np.arange(len(lines)), [wrapped(line) for line in lines], **PLAIN_TEXT,
                      fontsize="small" if len(lines) > 12 else None)
    else:
        ax.set_ylabel("row")
    if len(columns) <= _NAMED:
        turned = max((len(str(name)) for name in columns), default=0) > 3
        ax.set_xticks(np.arange(len(columns)), [wrapped(name) for name in columns], **PLAIN_TEXT,
                      **(_TURNED if turned else {}))
    ax.tick_params(length=2)
    color_bar(ax, picture, label)
    return ax
