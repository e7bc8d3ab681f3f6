"""What a notebook shows of a Comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._showing import number_text, plural, signed_text, strongest
from ._page import faint, head, notes, page, table, tag

if TYPE_CHECKING:
    from ..comparison import Comparison

_MOST_PLAYERS = 12


def comparison_html(comparison: Comparison) -> str:
    """The sentence, and the players that the two methods differ about most."""
    first, second = np.asarray(comparison.first, float), np.asarray(comparison.second, float)
    chosen, others = strongest(first - second, _MOST_PLAYERS)
    lines = [(comparison.player_names[i], *map(signed_text, (first[i], second[i], first[i] - second[i])))
             for i in chosen]
    rest = faint(f"and {plural(len(others), 'other player')}") if len(others) else ""
    distance = f"{number_text(comparison.difference)} apart in all, cosine {number_text(comparison.cosine)}"
    return page(head(" and ".join(comparison.names), "the same" if comparison.same else "different"), faint(distance),
                tag("div", comparison.sentence, class_="part"),
                table(("player", *comparison.names, "difference"), lines, (1, 2, 3)), rest, notes(comparison.notes))
