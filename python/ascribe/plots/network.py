"""Players on a circle: what each does alone, and what pairs do only together."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from .._showing import limit_of, plural
from ..errors import ArgumentError
from ._axes import PLAIN_TEXT, Ink, axes, color_bar, colormap, title, wrapped
from .._effects import Effects, alone_and_in_pairs, share_text, totals, what_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..decomposition import Decomposition

_MOST_PLAYERS = 60
_NAME = 20  # letters in a line of a name


def network(decomposition: Decomposition, *, most: int = 60, ax: Axes | None = None) -> Axes:
    """Nodes are the effects of players alone, edges those of pairs: colour is the sign, size the magnitude."""
    names = decomposition.player_names
    if len(names) > _MOST_PLAYERS:
        raise ArgumentError(f"network: got {plural(len(names), 'player')}; expected at most {_MOST_PLAYERS}; "
                            "plot.upset shows the strongest effects")
    effects = alone_and_in_pairs(decomposition)
    single = np.array([effects.get((p,), 0.0) for p in range(len(names))])
    pairs: Effects = {pair: effects[pair] for pair in itertools.combinations(range(len(names)), 2) if effects.get(pair)}
    strong = sorted(pairs, key=lambda pair: -abs(pairs[pair]))[:most]
    ax = axes(ax, (5.2 + 2 * _room(names), 5.4))
    places = circle(len(names))
    bound = limit_of(np.array([*single, *pairs.values()])) or 1.0
    _draw_edges(ax, places, {pair: pairs[pair] for pair in reversed(strong)}, bound)
    nodes = _draw_nodes(ax, places, single, bound)
    _draw_names(ax, places, names)
    color_bar(ax, nodes, "effect", below=True)
    larger = totals(decomposition).magnitude - sum(map(abs, effects.values()))
    title(ax, f"{what_of(decomposition)}: alone and in pairs"
              f"{_left_out(len(pairs) - len(strong), len(pairs), share_text(larger, totals(decomposition).magnitude))}")
    return ax


def _room(names: list[str]) -> float:
    """Inches beside the circle for the names."""
    return 0.45 + 0.075 * max((len(line) for name in names for line in wrapped(name, _NAME).split("\n")), default=0)


def circle(count: int) -> np.ndarray:
    """Places [players, 2], the first at the top, clockwise."""
    angles = np.pi / 2 - 2 * np.pi * np.arange(count) / max(count, 1)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1) * (0 if count == 1 else 1)


def _draw_edges(ax: Axes, places: np.ndarray, pairs: Effects, bound: float) -> None:
    from matplotlib.collections import LineCollection

    ink = Ink(ax)
    sizes = np.array([abs(value) / bound for value in pairs.values()])
    lines = [places[list(pair)] for pair in pairs]
    ax.add_collection(LineCollection(lines, colors=ink.of_signs(list(pairs.values())), linewidths=0.4 + 7 * sizes,
                                     alpha=np.clip(0.25 + sizes, 0, 0.9) if len(sizes) else None, zorder=1,
                                     capstyle="round"))


def _draw_nodes(ax: Axes, places: np.ndarray, single: np.ndarray, bound: float) -> Any:
    return ax.scatter(places[:, 0], places[:, 1], c=single, cmap=colormap(), vmin=-bound, vmax=bound,
                      s=60 + 700 * np.abs(single) / bound, edgecolors=Ink(ax).faint, linewidths=1, zorder=2)


def _draw_names(ax: Axes, places: np.ndarray, names: list[str]) -> None:
    ink = Ink(ax)
    for place, name in zip(places, names, strict=True):
        x, y = place if np.any(place) else (0.0, 1.0)
        ax.annotate(wrapped(name, _NAME), place, xytext=(20 * x, 20 * y), textcoords="offset points", color=ink.text,
                    fontsize="small", ha="center" if abs(x) < 0.3 else "left" if x > 0 else "right",
                    va="center" if abs(y) < 0.3 else "bottom" if y > 0 else "top", zorder=3, annotation_clip=False,
                    **PLAIN_TEXT)
    width = ax.get_window_extent().width / ax.figure.dpi
    radius = max(0.3 * width, width / 2 - _room(names))  # inches, beside which the names have room
    ax.set_xlim(-width / 2 / radius, width / 2 / radius)
    ax.set_ylim(-1.3, 1.3)
    ax.set_aspect("equal")
    ax.set_axis_off()


def _left_out(weak: int, pairs: int, larger: str) -> str:
    """What is not drawn, in words."""
    told = [f"the strongest {pairs - weak} of {plural(pairs, 'pair')}"] if weak else []
    told += [f"not drawn: effects of three and more players, {larger} of all magnitudes"] if larger else []
    return f" ({'; '.join(told)})" if told else ""
