"""The effects of a decomposition by their players."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from .decomposition import Decomposition, Effect

Effects = dict[tuple[int, ...], float]  # by their players


class Totals(NamedTuple):
    """Of all effects that are known."""

    number: int  # that are not 0
    sum: float
    magnitude: float


def alone_and_in_pairs(decomposition: Decomposition) -> Effects:
    """The effects of one and of two players: of the index that was asked for, or the effects themselves."""
    if decomposition.index_values or not len(decomposition.dividends):
        return {effect.players: effect.value for effect in strongest_effects(decomposition)
                if 1 <= len(effect.players) <= 2}
    players = range(len(decomposition.player_names))
    sets = [(p,) for p in players] + list(itertools.combinations(players, 2))
    return {one: float(decomposition.dividends[sum(1 << p for p in one)]) for one in sets}


def strongest_effects(decomposition: Decomposition) -> list[Effect]:
    """Those of at least one player, the largest first: of the index that was asked for, or the effects themselves."""
    if not decomposition.index_values:
        return [effect for effect in decomposition.strongest if effect.players]
    return sorted((effect for effect in decomposition.index_values if effect.players),
                  key=lambda effect: -abs(effect.value))


def totals(decomposition: Decomposition) -> Totals:
    """All effects together, also those that are not listed."""
    if decomposition.index_values or not len(decomposition.dividends):
        values = np.array([effect.value for effect in strongest_effects(decomposition)], float)
    else:
        values = decomposition.dividends[1:]
    return Totals(int(np.count_nonzero(values)), float(values.sum()), float(np.abs(values).sum()))


def share_text(magnitude: float, of: float) -> str:
    """A share of the magnitudes in words; "" for nothing but rounding."""
    share = magnitude / of if of else 0.0
    return "" if share < 1e-5 else "under 1 %" if share < 0.01 else f"{100 * share:.0f} %"


def set_name(effect: Effect) -> str:
    """The players of an effect in words."""
    return " × ".join(effect.names) or "no player"


def what_of(decomposition: Decomposition) -> str:
    """What was taken apart: "effects on the logit of Ankle boot, ankle_boot.png"."""
    document = decomposition.document
    target = document.get("target") or {}
    name = target.get("label") or target.get("description") or "the output"
    explains = document.get("explains", "output")
    of = name if name == explains else f"{explains} of {name}"
    values = document.get("index")
    words = values.get("name") if isinstance(values, dict) else values
    row = document.get("input")
    return f"{words if isinstance(words, str) and words else 'effects'} on the {of}" + (f", {row}" if row else "")
