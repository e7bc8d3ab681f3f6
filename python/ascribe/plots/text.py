"""Tokens on the colours of what they got."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import _colors
from .._showing import Token, limit_of, quantity, row_of, title_of, tokens_of
from ._axes import axes, colormap, pyplot, title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..explanation import Explanation

_SIZE = 11.0  # points of the letters
_LEAST = 4.0  # letters are not made smaller than this to fit
_WIDTH = 7.5  # inches of a new figure


class Place(NamedTuple):
    """Where a token lies, in points from the upper left corner."""

    x: float
    y: float
    width: float


def text(explanation: Explanation, row: int = 0, *, ax: Axes | None = None) -> Axes:
    """The tokens of one row in lines as wide as the axes, on a scale of colours around zero."""
    one = row_of(explanation, row)
    tokens = tokens_of(one)
    bound = limit_of(np.array([token.value for token in tokens if token.value is not None], float))
    pyplot()
    if ax is None:
        lines = arranged(tokens, _SIZE, 72 * _WIDTH * 0.97)
        ax = axes(None, (_WIDTH, 1.25 + (lines[-1].y / 72 if lines else 0)))
    ax.set_axis_off()
    ax.add_artist(_running_text(tokens, bound))
    _scale(ax, bound, quantity(one))
    title(ax, title_of(one))
    return ax


def letters_width(letters: str, size: float) -> float:
    """Points that a word takes."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    return text_to_path.get_text_width_height_descent(letters, FontProperties(size=size), False)[0]


def arranged(tokens: Sequence[Token], size: float, width: float) -> list[Place]:
    """Token after token, in a new line where one does not fit."""
    places, x, y = [], 0.0, 0.0
    for token in tokens:
        own = letters_width(token.text, size) + 0.5 * size
        x += 0.3 * size if x > 0 and token.space else 0
        if x > 0 and x + own > width:
            x, y = 0.0, y + 2 * size
        places.append(Place(x, y, own))
        x += own + 0.08 * size
    return places


def fitting_size(tokens: Sequence[Token], width: float, height: float) -> float:
    """The size of letters at which all tokens are within the axes."""
    size = _SIZE
    while size > _LEAST:
        places = arranged(tokens, size, width)
        if not places or (places[-1].y + 2 * size <= height and max(p.width for p in places) <= width):
            break
        size *= 0.94
    return size


def _running_text(tokens: Sequence[Token], bound: float) -> Any:
    """Arranges the tokens anew whenever it is drawn, since only then the size of the axes is known."""
    from matplotlib.artist import Artist
    from matplotlib.patches import FancyBboxPatch
    from matplotlib.text import Text
    from matplotlib.transforms import IdentityTransform

    class RunningText(Artist):
        """Tokens over boxes of their colours."""

        axes: Any

        def __init__(self) -> None:
            super().__init__()
            self.tokens = list(tokens)
            self.set_in_layout(False)

        def draw(self, renderer: Any) -> None:
            """In lines as wide as the axes are now."""
            box = self.axes.bbox
            unit = renderer.points_to_pixels(1.0)
            size = fitting_size(self.tokens, box.width / unit, box.height / unit)
            places = arranged(self.tokens, size, box.width / unit)
            for token, place in zip(self.tokens, places, strict=True):
                self._draw_token(renderer, token, place, size, unit)

        def _draw_token(self, renderer: Any, token: Token, place: Place, size: float, unit: float) -> None:
            t = token.value / bound if token.value is not None and bound else 0.0
            color = "#e4e4e4" if token.value is None else _colors.hexed(_colors.diverging(t))
            left, top = self.axes.bbox.x0 + place.x * unit, self.axes.bbox.y1 - place.y * unit
            patch = FancyBboxPatch((left, top - 1.65 * size * unit), place.width * unit, 1.65 * size * unit,
                                   boxstyle=f"round,pad=0,rounding_size={0.2 * size * unit}", facecolor=color,
                                   edgecolor="#cccccc", linewidth=0.5, transform=IdentityTransform())
            white = _colors.needs_white_letters(t)
            letters = Text(left + 0.5 * place.width * unit, top - 1.2 * size * unit, token.text, fontsize=size,
                           ha="center", va="baseline", color="#ffffff" if white else "#111111", parse_math=False)
            for artist in (patch, letters):
                artist.set_figure(self.axes.figure)
                artist.draw(renderer)

    return RunningText()


def _scale(ax: Axes, bound: float, label: str) -> None:
    """A flat scale of colours below the text."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    place = ax.inset_axes((0.0, -0.02, 0.4, 0.001))
    place.set_axes_locator(_below(ax))
    bar = ax.figure.colorbar(ScalarMappable(Normalize(-(bound or 1), bound or 1), colormap()), cax=place,
                             orientation="horizontal")
    bar.outline.set_visible(False)
    bar.ax.tick_params(labelsize="x-small", length=2)
    bar.ax.locator_params(nbins=5)
    bar.set_label(label, fontsize="x-small")


def _below(ax: Axes) -> Any:
    """A place under the axes, some points high whatever their size."""
    from matplotlib.transforms import Bbox

    def locate(_: Any, renderer: Any) -> Bbox:
        unit = ax.figure.dpi / 72
        box = Bbox.from_bounds(ax.bbox.x0, ax.bbox.y0 - 14 * unit, 0.4 * ax.bbox.width, 7 * unit)
        return box.transformed(ax.figure.transFigure.inverted())

    return locate
