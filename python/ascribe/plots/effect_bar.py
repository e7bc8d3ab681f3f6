"""The strongest effects by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._effects import set_name, strongest_effects, totals, what_of
from ..errors import ArgumentError
from ._axes import title
from .bar import Rest, signed_bars

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..decomposition import Decomposition


def effect_bar(decomposition: Decomposition, *, most: int = 15, ax: Axes | None = None) -> Axes:
    """Effects with the largest magnitudes; the others, as far as they are known, as one bar."""
    if most < 1:
        raise ArgumentError(f"most: got {most}; expected at least 1")
    effects = strongest_effects(decomposition)[:most]
    values = np.array([effect.value for effect in effects], float)
    known = totals(decomposition)
    left = known.number - int(np.count_nonzero(values))
    ax = signed_bars([set_name(effect) for effect in effects], values, most, ax,
                     rest=Rest(left, known.sum - float(values.sum())) if left > 0 else None)
    ax.set_xlabel("effect")
    title(ax, what_of(decomposition))
    return ax
