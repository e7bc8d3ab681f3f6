"""Methods and the three principles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._showing import number_text, plural
from ..audit import PRINCIPLES
from ..errors import ArgumentError
from ._axes import Ink, axes, bare, height_of, name_rows, title, width_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..audit import Audit

_WORDS = {True: "holds", False: "fails", None: "open"}


def verdicts(audit: Audit, *, ax: Axes | None = None) -> Axes:
    """Whether each principle holds for each method, and the figure it was judged by."""
    if not len(audit):
        raise ArgumentError("verdicts: numbers were audited, not methods; audit.possible and audit.distance say what "
                            "can be said of them")
    names = list(audit)
    ax = axes(ax, (width_of(names, 4.8), height_of(names, 0.36)))
    ink = Ink(ax)
    colors = {True: ink.yes, False: ink.no, None: ink.faint}
    for line, method in enumerate(audit.values()):
        for column, principle in enumerate(PRINCIPLES):
            verdict = method.verdicts[principle]
            ax.barh(line, 0.94, left=column + 0.03, height=0.84, color=colors[verdict.holds], alpha=0.22)
            ax.text(column + 0.5, line, f"{_WORDS[verdict.holds]}  {number_text(verdict.figure, 2)}", ha="center",
                    va="center", color=ink.text, fontsize="small")
    name_rows(ax, names)
    ax.set_xlim(0, len(PRINCIPLES))
    ax.set_xticks(np.arange(len(PRINCIPLES)) + 0.5, [name.replace("_", " ") for name in PRINCIPLES])
    ax.xaxis.tick_top()
    ax.tick_params(axis="x", length=0)
    bare(ax, "top", "right", "left", "bottom")
    title(ax, f"three principles of {plural(len(names), 'method')}")
    return ax
