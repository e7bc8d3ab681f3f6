"""The strongest effects by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ._axes import title
from .._effects import effects_of, set_name, strongest_effects, what_of
from .bar import signed_bars

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..decomposition import Decomposition


def effect_bar(decomposition: Decomposition, *, most: int = 15, ax: Axes | None = None) -> Axes:
    """Effects with the largest magnitudes; the others, as far as they are known, as one bar."""
    effects = [effect for effect in strongest_effects(decomposition) if effect.players]
    known = {players: value for players, value in effects_of(decomposition).items() if players}
    listed = {effect.players for effect in effects}
    rest = {players: value for players, value in known.items() if players not in listed and value}
    names = [set_name(effect) for effect in effects]
    names += [" × ".join(decomposition.player_names[p] for p in players) for players in rest]
    values = np.array([*(effect.value for effect in effects), *rest.values()], float)
    ax = signed_bars(names, values, most, ax)
    ax.set_xlabel("effect")
    title(ax, what_of(decomposition))
    return ax
