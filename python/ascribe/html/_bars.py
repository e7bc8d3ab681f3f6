"""Bars with names and numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._showing import number_text, plural, signed_text, strongest
from ._page import Safe, tag


def signed_bars(names: Sequence[str], values: np.ndarray, most: int = 12, intervals: np.ndarray | None = None) -> Safe:
    """The strongest values to both sides of zero, the others as one."""
    values = np.asarray(values, float)
    chosen, others = strongest(values, most)
    lines = [(names[i], float(values[i]), _interval(intervals, i), "") for i in chosen]
    if len(others):
        lines.append((f"sum of {plural(len(others), 'other')}", float(values[others].sum()), "", "other"))
    low = min([0.0, *(value for _, value, _, _ in lines)])
    span = (max([0.0, *(value for _, value, _, _ in lines)]) - low) or 1.0
    return tag("div", *(part for line in lines for part in _signed_line(*line, low, span)), class_="bars")


def _interval(intervals: np.ndarray | None, player: int) -> str:
    return f" ± {number_text(float(intervals[player]), 2)}" if intervals is not None else ""


def _signed_line(name: str, value: float, interval: str, kind: str, low: float, span: float) -> tuple[Safe, ...]:
    zero = -low / span
    left = min(0.0, value) / span + zero
    fill = tag("span", class_=f"fill {kind or ('negative' if value < 0 else 'positive')}",
               style=f"left:{100 * left:.2f}%;width:{100 * abs(value) / span:.2f}%") if value else ""
    mark = tag("span", class_="zero", style=f"left:{100 * zero:.2f}%")
    return (tag("span", name, class_="name"), tag("span", fill, mark, class_="track"),
            tag("span", signed_text(value), tag("span", interval, class_="faint") if interval else "", class_="number"))


def shares(lines: Sequence[tuple[str, float, str]]) -> Safe:
    """Names with shares from 0 to 1, and what is written behind them."""
    cells = []
    for name, share, said in lines:
        fill = tag("span", class_="fill plain", style=f"left:0;width:{100 * min(1.0, max(0.0, share)):.2f}%")
        cells += [tag("span", name, class_="name"), tag("span", fill, class_="track"),
                  tag("span", said, class_="number")]
    return tag("div", *cells, class_="bars")
