"""Two methods beside each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._showing import number_text, strongest
from ._axes import title
from .bar import bars_side_by_side

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..comparison import Comparison


def comparison_bar(comparison: Comparison, *, most: int = 10, ax: Axes | None = None) -> Axes:
    """The players that the two methods differ about most, with a bar for each method."""
    first, second = np.asarray(comparison.first, float), np.asarray(comparison.second, float)
    chosen = strongest(first - second, most).chosen
    names = [comparison.player_names[i] for i in chosen]
    values = dict(zip(_distinct(comparison.names), (first[chosen], second[chosen]), strict=True))
    ax = bars_side_by_side(names, values, max(most, len(chosen)), ax)
    ax.set_xlabel("contribution")
    title(ax, f"{' and '.join(comparison.names)}: " + (
        "the same" if comparison.same else f"{number_text(comparison.difference)} apart, cosine "
        f"{number_text(comparison.cosine)}"))
    return ax


def _distinct(names: tuple[str, str]) -> tuple[str, str]:
    return names if names[0] != names[1] else (names[0], names[1] + " (second)")
