"""What a notebook shows of Explanations: all methods of the first row."""

from __future__ import annotations

import numpy as np

from .. import _colors
from .._showing import exactness, kind_of, limit_of, named_inputs, number_text, plural, strongest, subject
from ..explanation import Explanation, Explanations
from ._maps import picture_and_maps
from ._page import Safe, faint, head, joined, left_out, notes, page, table, tag
from .explanation import tokens_part

_MOST_PLAYERS = 12


def explanations_html(explanations: Explanations) -> str:
    """Maps, texts or a table of players by method, and what each method misses."""
    if not len(explanations):
        return page(head("No method was finished"), left_out(explanations.left_out), notes(explanations.notes))
    ones = {name: one.batched()[0] for name, one in explanations.items()}
    first = next(iter(explanations.values()))
    row = next(iter(ones.values()))
    told = ["stopped before all methods were finished"] if explanations.stopped else []
    rows = f"the first of {plural(len(first), 'row')}" if len(first) > 1 else str(row.row_names)
    return page(head(f"{plural(len(ones), 'method')}: {subject(row)}", *told), faint(rows), _values(ones),
                _summary(ones), left_out(explanations.left_out), notes(explanations.notes))


def _values(ones: dict[str, Explanation]) -> Safe:
    first = next(iter(ones.values()))
    kind = kind_of(first)
    if kind == "picture":
        return picture_and_maps({_name(name, one): one for name, one in ones.items()}, "the input")
    if kind == "text":
        return joined(tag("div", tag("b", _name(name, one)), tokens_part(one), class_="part")
                      for name, one in ones.items())
    return _players(ones)


def _name(name: str, one: Explanation) -> str:
    return name if one.contribution else f"{name} (slopes)"


def _players(ones: dict[str, Explanation]) -> Safe:
    """The strongest players by method; each method has a scale of its own."""
    first = next(iter(ones.values()))
    values = {name: np.asarray(one.player_values, float) for name, one in ones.items()}
    limits = {name: limit_of(own) or 1.0 for name, own in values.items()}
    together = np.max([np.abs(np.nan_to_num(own)) / limits[name] for name, own in values.items()], axis=0)
    chosen, others = strongest(together, _MOST_PLAYERS)
    names = named_inputs(first)
    titles = tag("thead", tag("tr", tag("th", "player"), *(tag("th", _name(name, one), class_="number")
                                                          for name, one in ones.items())))
    lines = [tag("tr", tag("td", names[i]), *(_colored(own[i], limits[name]) for name, own in values.items()))
             for i in chosen]
    rest = faint(f"and {plural(len(others), 'other player')}") if len(others) else ""
    return joined([tag("div", tag("table", titles, tag("tbody", *lines)), class_="scroll"), rest])


def _colored(value: float, limit: float) -> Safe:
    t = value / limit
    ink = "#ffffff" if _colors.needs_white_letters(t) else "#111111"
    return tag("td", number_text(value), class_="number",
               style=f"background:{_colors.hexed(_colors.diverging(t))};color:{ink}")


def _summary(ones: dict[str, Explanation]) -> Safe:
    lines = [(name, number_text(float(one.sum), 4) if one.contribution else "–",
              number_text(float(one.residual)) if one.contribution else "–", exactness(one),
              f"{int(one.evaluations):,}", number_text(one.seconds)) for name, one in ones.items()]
    return tag("details", tag("summary", "sums, residuals and costs"),
               table(("method", "sum", "residual", "", "evaluations", "seconds"), lines, (1, 2, 4, 5)), open="")
