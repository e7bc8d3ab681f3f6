"""A map over the picture that was explained."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._showing import element_map, grey_of, kind_of, map_limit, picture_of, plural, quantity, row_of, title_of
from ..errors import ArgumentError
from ._axes import axes, color_bar, colormap, grid, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..explanation import Explanation

_OPACITY = 0.8


def image(explanation: Explanation, row: int = 0, *, ax: Axes | None = None, beside: bool | None = None,
          limit: float | None = None, colorbar: bool = True, label: str | None = None) -> Axes:
    """The values of one row over the picture in grey, on a scale of their own around zero."""
    one = row_of(explanation, row)
    require_picture(one)
    values, picture = element_map(one), picture_of(one)
    beside = picture.ndim == 3 if beside is None else beside
    bound = limit if limit is not None else map_limit(values)
    ax = axes(ax, (8.4 if beside else 5.2, 4.4))
    shown = _draw(ax, values, picture, bound, beside)
    if colorbar:
        cut = bound < np.nanmax(np.abs(values), initial=0)
        color_bar(ax, shown, f"{quantity(one)} (sum over channels)" if picture.ndim == 3 else quantity(one),
                  "both" if cut else "neither")
    title(ax, title_of(one) if label is None else label)
    return ax


def require_picture(one: Explanation) -> None:
    """Refuses rows that have no height and width."""
    if kind_of(one) != "picture" and one.values.ndim != 2:
        raise ArgumentError(f"image: got rows of shape {list(np.shape(one.values))}; expected pictures; plot.bar and "
                            "plot.heatmap show others")


def _draw(ax: Axes, values: np.ndarray, picture: np.ndarray, bound: float, beside: bool) -> Any:
    height, width = values.shape
    gap = max(1.0, 0.04 * width)
    if beside:
        left = -0.5 - gap - width
        ax.imshow(picture, extent=(left, left + width, height - 0.5, -0.5), cmap="gray", vmin=0, vmax=255)
    ax.imshow(grey_of(picture), cmap="gray", vmin=0, vmax=255)
    shown = ax.imshow(values, cmap=colormap(), vmin=-(bound or 1), vmax=bound or 1, alpha=_OPACITY)
    ax.set_xlim(-0.5 - (gap + width if beside else 0), width - 0.5)
    ax.set_ylim(height - 0.5, -0.5)
    ax.set_axis_off()
    return shown


def images(explanation: Explanation, *, most: int = 12, columns: int = 4) -> np.ndarray:
    """The first rows, a map each: an array of axes."""
    many = explanation.batched()
    require_picture(many[0])
    count = min(most, len(many))
    all_of_them = grid(count, columns, (3.0, 3.2))
    for row, ax in enumerate(all_of_them):
        one = many[row]
        image(one, ax=ax, beside=False, label=f"{one.row_names}: {one.output_names}")
    rest = f", the first {count} of {plural(len(many), 'row')}" if count < len(many) else ""
    all_of_them[0].figure.suptitle(f"{explanation.method}{rest}", parse_math=False)
    return all_of_them
