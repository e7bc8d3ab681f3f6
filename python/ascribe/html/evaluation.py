"""What a notebook shows of an Evaluation."""

from __future__ import annotations

from typing import Any

from .._showing import number_text, plural
from ._page import Safe, faint, head, left_out, notes, page, table, tag

_MOST_METHODS = 40


def evaluation_html(evaluation: Any) -> str:
    """Methods by metrics: the means with their 95 % intervals, the best of each metric in bold."""
    methods, metrics = list(evaluation.methods), list(evaluation.metrics)
    better = evaluation.better
    titles = ("method", *(_title(metric, better.get(metric)) for metric in metrics))
    best = {metric: set(evaluation.best(metric)) for metric in metrics} if methods else {}
    lines = [(method, *(_score(evaluation, method, metric, method in best[metric]) for metric in metrics))
             for method in methods[:_MOST_METHODS]]
    rest = faint(f"and {plural(len(methods) - _MOST_METHODS, 'other method')}") if len(methods) > _MOST_METHODS else ""
    words = "means with 95 % intervals · bold: the best mean"
    return page(head(f"{plural(len(methods), 'method')} by {plural(len(metrics), 'metric')}"),
                faint(f"{plural(len(evaluation), 'sample')} · {words}"),
                table(titles, lines), rest, left_out(evaluation.left_out), notes(evaluation.notes))


def _title(metric: str, better: str | None) -> Safe:
    arrow = {"lower": " ↓", "higher": " ↑"}.get(better or "", "")
    return tag("span", metric + arrow, title=f"{better} is better" if arrow else "neither higher nor lower is better")


def _score(evaluation: Any, method: str, metric: str, best: bool) -> Safe:
    score = evaluation.summary(method, metric)
    if not score.samples:
        return tag("span", "undefined", class_="faint")
    mean = tag("b" if best else "span", number_text(score.mean))
    missing = f", {score.undefined} undefined" if score.undefined else ""
    return tag("span", mean, faint(f"{number_text(score.low)} to {number_text(score.high)}{missing}"))
