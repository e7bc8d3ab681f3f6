"""The effects of a decomposition by their players."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .decomposition import Decomposition, Effect


def effects_of(decomposition: Decomposition) -> dict[tuple[int, ...], float]:
    """All effects that were computed, or the values of the index that was asked for."""
    if decomposition.index_values:
        return {effect.players: effect.value for effect in decomposition.index_values}
    if len(decomposition.dividends):
        count = len(decomposition.player_names)
        return {tuple(p for p in range(count) if mask >> p & 1): float(value)
                for mask, value in enumerate(decomposition.dividends) if mask}
    return {effect.players: effect.value for effect in decomposition.strongest}


def strongest_effects(decomposition: Decomposition) -> list[Effect]:
    """The largest first: those of the index that was asked for, or the effects themselves."""
    if not decomposition.index_values:
        return list(decomposition.strongest)
    return sorted(decomposition.index_values, key=lambda effect: -abs(effect.value))


def share_of(effects: dict[tuple[int, ...], float], some: Iterable[tuple[int, ...]]) -> str:
    """What these make up of the magnitudes of all, in words; "" for nothing but rounding."""
    total = sum(abs(value) for players, value in effects.items() if players)
    share = sum(abs(effects[players]) for players in some) / total if total else 0.0
    return "" if share < 1e-5 else "under 1 %" if share < 0.01 else f"{100 * share:.0f} %"


def set_name(effect: Effect) -> str:
    """The players of an effect in words."""
    return " × ".join(effect.names) or "no player"


def what_of(decomposition: Decomposition) -> str:
    """What was taken apart: "shapley_interaction of the logit of Ankle boot, ankle_boot.png"."""
    document = decomposition.document
    target = document.get("target") or {}
    name = target.get("label") or target.get("description") or "the output"
    explains = document.get("explains", "output")
    of = name if name == explains else f"{explains} of {name}"
    values = document.get("index")
    words = values.get("name") if isinstance(values, dict) else values
    row = document.get("input")
    return f"{words if isinstance(words, str) and words else 'effects'} on the {of}" + (f", {row}" if row else "")
