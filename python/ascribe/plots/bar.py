"""Bars: the strongest players or effects, the others as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._showing import (methods_of, named_inputs, number_text, plural, quantity, row_of, same_players, signed_text,
                        strongest, subject, title_of)
from ._axes import PLAIN_TEXT, Ink, axes, bare, distinct_colors, height_of, name_rows, range_of, title, width_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..explanation import Explanation, Explanations


def bar(explanation: Explanation, row: int | None = None, *, most: int = 12, ax: Axes | None = None) -> Axes:
    """The values of one row with their 95 % intervals; of several rows the mean magnitudes."""
    if row is None and len(explanation) > 1:
        return _mean_magnitudes(explanation, most, ax)
    one = row_of(explanation, row or 0)
    values = np.asarray(one.player_values, float)
    ax = signed_bars(named_inputs(one), values, most, ax, intervals=one.intervals)
    ax.set_xlabel(f"{quantity(one)}{_interval_words(one)}")
    title(ax, title_of(one))
    return ax


def _interval_words(one: Explanation) -> str:
    return ", with 95 % intervals" if one.intervals is not None else ""


class Rest(NamedTuple):
    """What is not drawn one by one."""

    number: int
    sum: float


def signed_bars(names: Sequence[str], values: np.ndarray, most: int, ax: Axes | None,
                intervals: np.ndarray | None = None, rest: Rest | None = None) -> Axes:
    """Bars to both sides of zero, each with its number; the others as one, hatched. `rest`: others without names."""
    chosen, others = strongest(values, most)
    lengths, labels = list(values[chosen]), [names[i] for i in chosen]
    if rest is None and len(others):
        rest = Rest(len(others), float(values[others].sum()))
    if rest is not None:
        lengths.append(rest.sum)
        labels.append(f"sum of {plural(rest.number, 'other')}")
    ax = axes(ax, (width_of(labels), height_of(labels)))
    ink = Ink(ax)
    bars = ax.barh(np.arange(len(lengths)), lengths, color=ink.of_signs(lengths), height=0.7)
    if rest is not None:
        bars[-1].set(facecolor="none", edgecolor=ink.of_sign(lengths[-1]), hatch="////", linewidth=0.8)
    reach = np.zeros(len(lengths))
    if intervals is not None:
        reach[:len(chosen)] = np.nan_to_num(np.asarray(intervals)[chosen])
        ax.errorbar(lengths[:len(chosen)], np.arange(len(chosen)), xerr=reach[:len(chosen)], fmt="none",
                    ecolor=ink.text, elinewidth=1, capsize=2.5)
    _number(ax, np.asarray(lengths), reach, ink)
    ax.axvline(0, color=ink.faint, linewidth=0.8)
    name_rows(ax, labels)
    bare(ax)
    ax.locator_params(axis="x", nbins=6)
    return ax


def _number(ax: Axes, lengths: np.ndarray, reach: np.ndarray, ink: Ink) -> None:
    """The numbers beyond the ends of the bars, and room for them."""
    low, high = range_of(np.concatenate([lengths - reach, lengths + reach]))
    span = (high - low) or 1.0
    for i, value in enumerate(lengths):
        right = value >= 0
        ax.annotate(signed_text(value), (value + (reach[i] if right else -reach[i]), i), xytext=(4 if right else -4, 0),
                    textcoords="offset points", ha="left" if right else "right", va="center", fontsize="small",
                    color=ink.text)
    left_room = 0.16 * span if (lengths < 0).any() else 0.02 * span
    right_room = 0.16 * span if (lengths >= 0).any() else 0.02 * span
    ax.set_xlim(low - left_room, high + right_room)


def _mean_magnitudes(explanation: Explanation, most: int, ax: Axes | None) -> Axes:
    names = same_players(explanation)
    magnitudes = np.abs(np.asarray(explanation.player_values, float)).mean(axis=0)
    chosen, others = strongest(magnitudes, most)
    lengths, labels = list(magnitudes[chosen]), [names[i] for i in chosen]
    if len(others):
        lengths.append(float(magnitudes[others].sum()))
        labels.append(f"sum of {plural(len(others), 'other')}")
    ax = axes(ax, (width_of(labels), height_of(labels)))
    ink = Ink(ax)
    bars = ax.barh(np.arange(len(lengths)), lengths, color=ink.plain, height=0.7)
    if len(others):
        bars[-1].set(facecolor="none", edgecolor=ink.plain, hatch="////", linewidth=0.8)
    ax.bar_label(bars, [number_text(value) for value in lengths], padding=4, fontsize="small", color=ink.text)
    ax.set_xlim(0, range_of(np.asarray(lengths))[1] * 1.16 or 1)
    name_rows(ax, labels)
    bare(ax)
    ax.locator_params(axis="x", nbins=6)
    ax.set_xlabel(f"mean magnitude of the {quantity(explanation)}")
    title(ax, f"{explanation.method}: what matters for the {subject(explanation)}, mean of "
              f"{plural(len(explanation), 'row')}")
    return ax


def grouped(explanations: Explanations, row: int = 0, *, most: int = 8, ax: Axes | None = None) -> Axes:
    """The players that are strongest in any method, with a bar for each method; slopes have units of their own, so each
    method is drawn as a share of its sum of magnitudes."""
    ones = methods_of(explanations, row)
    shares = {name: _shares(np.asarray(one.player_values, float)) for name, one in ones.items()}
    first = next(iter(ones.values()))
    ax = bars_side_by_side(named_inputs(first), shares, most, ax)
    ax.set_xlabel("share of the sum of magnitudes of each method")
    title(ax, f"{plural(len(ones), 'method')}: {subject(first)}, {first.row_names}")
    return ax


def _shares(values: np.ndarray) -> np.ndarray:
    total = np.nansum(np.abs(values))
    return values / total if total > 0 else values


def bars_side_by_side(names: Sequence[str], values: Mapping[str, np.ndarray], most: int, ax: Axes | None) -> Axes:
    """For each player a bar of each kind of values."""
    largest = np.nanmax([np.abs(one) for one in values.values()], axis=0)
    chosen = strongest(largest, most).chosen
    labels = [names[i] for i in chosen]
    thick = 0.8 / len(values)
    ax = axes(ax, (width_of(labels), max(height_of(labels), 1.2 + 0.17 * len(values) * len(labels))))
    ink = Ink(ax)
    colors = distinct_colors(len(values), ink)
    for number, (name, own) in enumerate(values.items()):
        places = np.arange(len(chosen)) - 0.4 + thick * (number + 0.5)
        ax.barh(places, own[chosen], height=0.92 * thick, color=colors[number], label=name)
    ax.axvline(0, color=ink.faint, linewidth=0.8)
    for border in np.arange(1, len(chosen)) - 0.5:
        ax.axhline(border, color=ink.line, linewidth=0.6, zorder=0)
    name_rows(ax, labels)
    bare(ax)
    ax.locator_params(axis="x", nbins=6)
    legend = ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, fontsize="small")
    for text in legend.get_texts():
        text.update(PLAIN_TEXT)
    return ax
