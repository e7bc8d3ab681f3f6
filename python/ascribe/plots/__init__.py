"""Plots of results, by matplotlib: `explanation.plot.bar()`. Each takes `ax=` and returns it, or makes a figure.

Nothing here shows a window or changes settings of matplotlib. docs/howto/python-plots.md says which plot is for what.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._axes import pyplot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from ..audit import Audit
    from ..comparison import Comparison
    from ..decomposition import Decomposition
    from ..explanation import Explanation, Explanations

__all__ = ["AuditPlots", "ComparisonPlots", "DecompositionPlots", "EvaluationPlots", "ExplanationPlots",
           "ExplanationsPlots"]


class _Plots:
    def __init__(self, result: Any) -> None:
        pyplot()
        self._result = result

    def __repr__(self) -> str:
        names = [name for name in dir(self) if not name.startswith("_")]
        return f"{type(self).__name__}({', '.join(names)})"


class ExplanationPlots(_Plots):
    """What `explanation.plot` offers."""

    _result: Explanation

    def image(self, row: int = 0, *, ax: Axes | None = None, beside: bool | None = None, limit: float | None = None,
              colorbar: bool = True) -> Axes:
        """A map over the picture in grey, on a scale of its own around zero; a colour picture is shown beside it.

        >>> e.plot.image()
        >>> e.plot.image(3, ax=ax, limit=0.1)        # another row, with the ends of the scale
        """
        from .image import image

        return image(self._result, row, ax=ax, beside=beside, limit=limit, colorbar=colorbar)

    def images(self, *, most: int = 12, columns: int = 4) -> np.ndarray:
        """The first rows, a map each: an array of axes.

        >>> model.explain(["a.png", "b.png"]).plot.images()
        """
        from .image import images

        return images(self._result, most=most, columns=columns)

    def bar(self, row: int | None = None, *, most: int = 12, ax: Axes | None = None) -> Axes:
        """The strongest players with 95 % intervals, the others as one bar; of several rows the mean magnitudes.

        >>> e.plot.bar(0, most=5)
        """
        from .bar import bar

        return bar(self._result, row, most=most, ax=ax)

    def waterfall(self, row: int = 0, *, most: int = 10, ax: Axes | None = None) -> Axes:
        """From the base value to the output; the residual is a step of its own. Not for slopes.

        >>> e.plot.waterfall(0)
        """
        from .waterfall import waterfall

        return waterfall(self._result, row, most=most, ax=ax)

    def beeswarm(self, *, most: int = 12, ax: Axes | None = None) -> Axes:
        """All rows as dots in the lines of the strongest features, coloured by what the feature has in the row.

        >>> model.explain(frame, method="shapley").plot.beeswarm()
        """
        from .beeswarm import beeswarm

        return beeswarm(self._result, most=most, ax=ax)

    def heatmap(self, row: int = 0, *, most: int = 40, ax: Axes | None = None) -> Axes:
        """A series as channels over time; of other data rows x features.

        >>> model.explain("weather.csv").plot.heatmap()
        """
        from .heatmap import heatmap

        return heatmap(self._result, row, most=most, ax=ax)

    def text(self, row: int = 0, *, ax: Axes | None = None) -> Axes:
        """The tokens on the colours of what they got.

        >>> model.explain("review.npz", tokens="tokenizer.json").plot.text()
        """
        from .text import text

        return text(self._result, row, ax=ax)


class ExplanationsPlots(_Plots):
    """What `explanations.plot` offers: several methods side by side."""

    _result: Explanations

    def images(self, row: int = 0, *, columns: int = 4) -> np.ndarray:
        """A map for each method, each on a scale of its own: an array of axes.

        >>> model.explain("boot.png", method="all").plot.images()
        """
        from .grid import methods

        return methods(self._result, row, columns=columns)

    def bar(self, row: int = 0, *, most: int = 8, ax: Axes | None = None) -> Axes:
        """The players that are strongest in any method, with a bar for each method.

        >>> model.explain(row, method=["shapley", "lime"]).plot.bar()
        """
        from .bar import grouped

        return grouped(self._result, row, most=most, ax=ax)

    def heatmap(self, row: int = 0, *, most: int = 40, ax: Axes | None = None) -> Axes:
        """Methods x players, each method on a scale of its own.

        >>> model.explain(row, method="all").plot.heatmap()
        """
        from .heatmap import methods

        return methods(self._result, row, most=most, ax=ax)


class DecompositionPlots(_Plots):
    """What `decomposition.plot` offers."""

    _result: Decomposition

    def network(self, *, most: int = 60, ax: Axes | None = None) -> Axes:
        """Players on a circle: alone as nodes, in pairs as edges.

        >>> model.decompose(row, order=2).plot.network()
        """
        from .network import network

        return network(self._result, most=most, ax=ax)

    def upset(self, *, most: int = 15, ax: Axes | None = None) -> Axes:
        """The strongest effects, of any number of players, with the players that take part.

        >>> model.decompose(row).plot.upset()
        """
        from .upset import upset

        return upset(self._result, most=most, ax=ax)

    def bar(self, *, most: int = 15, ax: Axes | None = None) -> Axes:
        """The strongest effects by name.

        >>> model.decompose(row).plot.bar(most=5)
        """
        from .effect_bar import effect_bar

        return effect_bar(self._result, most=most, ax=ax)


class EvaluationPlots(_Plots):
    """What `evaluation.plot` offers."""

    def curve(self, metric: str | None = None, *, method: str | Sequence[str] | None = None, sample: int | None = None,
              ax: Axes | None = None) -> Axes:
        """The curves of a metric such as deletion or insertion, a line for each method.

        >>> model.evaluate("test.npz", metric="deletion").plot.curve()
        """
        from .curve import curve

        return curve(self._result, metric, method=method, sample=sample, ax=ax)


class AuditPlots(_Plots):
    """What `audit.plot` offers."""

    _result: Audit

    def verdicts(self, *, ax: Axes | None = None) -> Axes:
        """Whether each of the three principles holds for each method.

        >>> model.audit("boot.png", players="grid:3x3").plot.verdicts()
        """
        from .verdicts import verdicts

        return verdicts(self._result, ax=ax)


class ComparisonPlots(_Plots):
    """What `comparison.plot` offers."""

    _result: Comparison

    def bar(self, *, most: int = 10, ax: Axes | None = None) -> Axes:
        """Both methods beside each other, the players that differ most first.

        >>> model.compare("boot.png", "shapley", "occlusion", players="grid:3x3").plot.bar()
        """
        from .comparison_bar import comparison_bar

        return comparison_bar(self._result, most=most, ax=ax)
