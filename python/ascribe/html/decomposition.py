"""What a notebook shows of a Decomposition."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._showing import number_text, plural
from .._effects import set_name, strongest_effects, what_of
from ._bars import signed_bars
from ._page import Safe, faint, head, joined, notes, page, table, tag

if TYPE_CHECKING:
    from ..decomposition import Decomposition, Effect

_MOST_EFFECTS = 12


def decomposition_html(decomposition: Decomposition) -> str:
    """The strongest effects, how they are spread over sizes of sets, and what is left over."""
    exact = decomposition.document.get("exact")
    words = "" if exact is None else "exact" if exact else "approximate"
    if decomposition.estimated:
        r2 = decomposition.held_out_r2
        words = "estimated" if r2 is None else f"estimated, R² {number_text(r2, 3)} where not fitted"
    return page(head(what_of(decomposition), words), _sum_line(decomposition), _effects(decomposition),
                _orders(decomposition), _and_or(decomposition), notes(decomposition.notes))


def _sum_line(decomposition: Decomposition) -> Safe:
    change = decomposition.output - decomposition.baseline_output
    output, start = (number_text(value, 4) for value in (decomposition.output, decomposition.baseline_output))
    sizes = (plural(len(decomposition.player_names), "player"), plural(decomposition.evaluations, "evaluation"))
    sign = "−" if change < 0 else "+"
    return faint(f"output {output} = {start} at the baseline {sign} {number_text(abs(change), 4)} from effects, of "
                 f"which {number_text(decomposition.remainder, 3)} remain unexplained · "
                 f"{' · '.join(sizes)}")


def _effects(decomposition: Decomposition) -> Safe:
    effects = strongest_effects(decomposition)
    return _bars(effects[:_MOST_EFFECTS]) if effects else faint("there are no effects")


def _bars(effects: list[Effect]) -> Safe:
    errors = np.array([effect.error if effect.error is not None else np.nan for effect in effects])
    known = np.isfinite(errors).all()
    bars = signed_bars([set_name(effect) for effect in effects], np.array([effect.value for effect in effects]),
                       len(effects) or 1, errors if known else None)
    return joined([bars, faint("± standard errors")]) if known else bars


def _orders(decomposition: Decomposition) -> Safe:
    orders = decomposition.document.get("orders") or []
    keys = ("players", "effects", "sum", "sum_of_magnitudes")
    lines = [[number_text(order[key], 4) for key in keys] for order in orders if set(keys) <= order.keys()]
    if not lines:
        return Safe("")
    return tag("details", tag("summary", "by the number of players"),
               table(("players", "effects", "sum", "sum of magnitudes"), lines, (0, 1, 2, 3)))


def _and_or(decomposition: Decomposition) -> Safe:
    if not decomposition.and_effects and not decomposition.or_effects:
        return Safe("")
    both = {"when all of them are there": decomposition.and_effects,
            "when one of them is there": decomposition.or_effects}
    return joined(tag("div", tag("b", title), _bars(effects[:_MOST_EFFECTS]), class_="part")
                  for title, effects in both.items() if effects)
