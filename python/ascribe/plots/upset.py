"""The strongest effects: bars above, and below them which players take part."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._showing import plural, signed_text
from ..errors import ArgumentError
from ._axes import PLAIN_TEXT, Ink, axes, bare, title, width_of, wrapped
from .._effects import share_text, strongest_effects, totals, what_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..decomposition import Decomposition, Effect


def upset(decomposition: Decomposition, *, most: int = 15, ax: Axes | None = None) -> Axes:
    """The strongest effects as columns; the players of each are the dots below it. Players without one are left out."""
    if most < 1:
        raise ArgumentError(f"most: got {most}; expected at least 1")
    effects = strongest_effects(decomposition)[:most]
    if not effects:
        raise ArgumentError("upset: there are no effects to show")
    players = sorted({player for effect in effects for player in effect.players})
    names = [decomposition.player_names[player] for player in players]
    ax = axes(ax, (width_of(names, max(3.6, 1.4 + 0.45 * len(effects))), 3.2 + 0.26 * len(players)))
    ax.set_axis_off()
    part = min(0.75, max(0.25, 0.26 * len(players) / (2.6 + 0.26 * len(players))))
    above, below = ax.inset_axes((0, part + 0.02, 1, 0.98 - part)), ax.inset_axes((0, 0, 1, part))
    _draw_bars(above, effects)
    _draw_matrix(below, effects, players, names)
    share = share_text(sum(abs(effect.value) for effect in effects), totals(decomposition).magnitude)
    title(ax, f"{what_of(decomposition)}: the strongest {plural(len(effects), 'effect')}"
              + (f", {share} of all magnitudes" if share else ""))
    return ax


def _draw_bars(ax: Axes, effects: list[Effect]) -> None:
    ink = Ink(ax)
    values = np.array([effect.value for effect in effects])
    errors = np.array([effect.error or 0.0 for effect in effects])
    ax.bar(np.arange(len(values)), values, color=ink.of_signs(values), width=0.66)
    if errors.any():
        ax.errorbar(np.arange(len(values)), values, yerr=errors, fmt="none", ecolor=ink.text, elinewidth=1, capsize=2)
    for place, (value, error) in enumerate(zip(values, errors, strict=True)):
        ax.annotate(signed_text(value), (place, value + (error if value >= 0 else -error)),
                    xytext=(0, 3 if value >= 0 else -3), textcoords="offset points", ha="center",
                    va="bottom" if value >= 0 else "top", fontsize="x-small", color=ink.text,
                    rotation=90 if len(values) > 10 else 0)
    ax.axhline(0, color=ink.faint, linewidth=0.8)
    ax.set_xlim(-0.6, len(values) - 0.4)
    ax.margins(y=0.34)
    ax.set_xticks([])
    ax.set_ylabel("effect" + (", ± standard error" if errors.any() else ""))
    bare(ax, "top", "right", "bottom")


def _draw_matrix(ax: Axes, effects: list[Effect], players: list[int], names: list[str]) -> None:
    ink = Ink(ax)
    for line in range(0, len(players), 2):
        ax.axhspan(line - 0.5, line + 0.5, color=ink.line, alpha=0.45, linewidth=0)
    columns, lines = np.meshgrid(np.arange(len(effects)), np.arange(len(players)))
    ax.scatter(columns, lines, s=18, color=ink.faint, alpha=0.25, linewidths=0)
    for column, effect in enumerate(effects):
        own = [players.index(player) for player in effect.players]
        ax.plot([column] * len(own), own, color=ink.of_sign(effect.value), linewidth=1.6, marker="o", markersize=5.5)
    ax.set_yticks(np.arange(len(players)), [wrapped(name) for name in names], **PLAIN_TEXT)
    ax.tick_params(length=0)
    ax.set_xticks([])
    ax.set_xlim(-0.6, len(effects) - 0.4)
    ax.set_ylim(len(players) - 0.5, -0.5)
    bare(ax, "top", "right", "bottom", "left")
