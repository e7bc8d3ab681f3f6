"""What a notebook shows of an Explanation."""

from __future__ import annotations

import numpy as np

from .. import _colors
from .._showing import (exactness, kind_of, limit_of, named_inputs, number_text, plural, quantity, series_of,
                        signed_text, subject, tokens_of)
from ..explanation import Explanation
from ._bars import signed_bars
from ._maps import picture_and_maps, ramp
from ._page import Safe, faint, head, joined, notes, page, tag

_SHOWN_ROWS = 3
_MOST_STEPS = 200
_MOST_CHANNELS = 24
_MOST_TOKENS = 600


def explanation_html(explanation: Explanation) -> str:
    """The first rows, each as suits its data."""
    many = explanation.batched()
    shown = min(_SHOWN_ROWS, len(many))
    rest = f"The first {shown} of {plural(len(many), 'row')}." if shown < len(many) else ""
    slopes = "" if explanation.contribution else "slopes: no shares of the output"
    return page(head(explanation.method, exactness(many), slopes), faint(_facts(many)),
                *(row_part(many[row]) for row in range(shown)), faint(rest) if rest else "", notes(many.notes))


def _facts(many: Explanation) -> str:
    count = int(np.sum(many.evaluations))
    return " · ".join((f"explains the {subject(many)}", plural(len(many), "row"),
                       plural(many.player_values.shape[1], "player"),
                       f"{plural(count, 'evaluation')} in {number_text(many.seconds)} s"))


def row_part(one: Explanation) -> Safe:
    """One row: what is explained, where the sum leads, and the values."""
    title = tag("div", tag("b", one.output_names), tag("span", f" {one.row_names}", class_="faint"))
    return tag("div", title, sum_line(one), values_part(one), class_="part")


def sum_line(one: Explanation) -> Safe:
    """base + sum + residual = output, with nothing hidden."""
    if not one.contribution:
        return faint(f"output {number_text(float(one.output), 4)}")
    total = float(one.sum)
    start = f"base value {number_text(float(one.base_values), 4)} " if float(one.base_values) else ""
    return faint(f"{start}{_with_sign(total)} from the players {_with_sign(float(one.residual))} residual = output "
                 f"{number_text(float(one.output), 4)}")


def _with_sign(value: float) -> str:
    return f"{'−' if value < 0 else '+'} {number_text(abs(value), 4)}"


def values_part(one: Explanation) -> Safe:
    """The values as suits the row."""
    kind = kind_of(one)
    if kind == "picture":
        return picture_and_maps({quantity(one): one}, "the input")
    if kind == "text":
        return joined([tokens_part(one), signed_bars(named_inputs(one), one.player_values, 5, one.intervals)])
    if kind == "series":
        return joined([series_part(one), signed_bars(named_inputs(one), one.player_values, 5, one.intervals)])
    return signed_bars(named_inputs(one), one.player_values, intervals=one.intervals)


def tokens_part(one: Explanation) -> Safe:
    """Tokens on the colours of what they got."""
    tokens = tokens_of(one)
    limit = limit_of(np.array([token.value for token in tokens if token.value is not None], float))
    parts: list[object] = []
    for token in tokens[:_MOST_TOKENS]:
        if token.space:
            parts.append(" ")
        parts.append(_token(token.text, token.value, limit))
    rest = f" … {plural(len(tokens) - _MOST_TOKENS, 'more token')}" if len(tokens) > _MOST_TOKENS else ""
    scale = tag("div", ramp(limit), style="width:11rem")
    return joined([tag("div", *parts, rest, class_="tokens"), scale])


def _token(text: str, value: float | None, limit: float) -> Safe:
    if value is None:
        return tag("span", text, class_="token", title="no player's")
    t = value / limit if limit else 0.0
    ink = "#ffffff" if _colors.needs_white_letters(t) else "#111111"
    return tag("span", text, class_="token", title=signed_text(value),
               style=f"background:{_colors.hexed(_colors.diverging(t))};color:{ink}")


def series_part(one: Explanation) -> Safe:
    """Channels over time; neighbouring steps of long series are shown by their mean."""
    series = series_of(one)
    values, names = series.values[:_MOST_CHANNELS], series.channel_names[:_MOST_CHANNELS]
    width = -(-values.shape[1] // _MOST_STEPS)
    blocks = [values[:, at:at + width] for at in range(0, values.shape[1], width)]
    means = np.stack([_mean(block) for block in blocks], axis=1)
    limit = limit_of(means)
    size = min(26, max(5, 560 // means.shape[1]))  # pixels of a step
    lines = [tag("tr", tag("th", name), *(_cell(value, limit, step * width, size) for step, value in enumerate(line)))
             for name, line in zip(names, means, strict=True)]
    said = [f"steps 0 to {values.shape[1] - 1}"]
    said += [f"means of {width} steps"] if width > 1 else []
    if len(names) < len(series.values):
        said.append(f"the first {len(names)} of {len(series.values)} channels")
    return joined([tag("div", tag("table", tag("tbody", *lines), class_="heat"), class_="scroll"),
                   tag("div", ramp(limit), style="width:11rem"), faint(", ".join(said))])


def _mean(block: np.ndarray) -> np.ndarray:
    counts = (~np.isnan(block)).sum(axis=1)
    return np.where(counts > 0, np.nansum(block, axis=1) / np.maximum(counts, 1), np.nan)


def _cell(value: float, limit: float, step: int, size: int) -> Safe:
    color = _colors.hexed(_colors.diverging(value / limit if limit else value * 0))
    return tag("td", style=f"background:{color};min-width:{size}px", title=f"step {step}: {signed_text(float(value))}")
