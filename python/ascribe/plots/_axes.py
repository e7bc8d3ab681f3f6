"""What all plots share: matplotlib where it is needed, axes, inks for light and dark grounds, scales of colours."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _colors

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap

NAME_WIDTH = 34  # letters of a name before it goes on in the next line
PLAIN_TEXT: dict[str, Any] = {"parse_math": False}  # names may hold dollar signs


def pyplot() -> Any:
    """matplotlib.pyplot, or an error that says how to get it."""
    try:
        import matplotlib.pyplot
    except ImportError as missing:
        raise ImportError("plots need matplotlib: pip install 'ascribe-xai[plots]'") from missing
    return matplotlib.pyplot


def axes(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """The axes that were given, or those of a new figure of this size in inches."""
    if ax is not None:
        return ax
    _, ax = pyplot().subplots(figsize=size, layout="constrained")
    return ax


def grid(count: int, columns: int, cell: tuple[float, float]) -> np.ndarray:
    """So many axes of a new figure, in rows of at most `columns`."""
    wide = min(columns, count)
    lines = -(-count // wide)
    _, all_of_them = pyplot().subplots(lines, wide, figsize=(cell[0] * wide, cell[1] * lines), squeeze=False,
                                       layout="constrained")
    flat: np.ndarray = all_of_them.ravel()
    for unused in flat[count:]:
        unused.remove()
    return flat[:count]


class Ink:
    """Colours that are seen on the ground of these axes."""

    def __init__(self, ax: Axes) -> None:
        from matplotlib.colors import to_rgb, to_rgba

        ground = to_rgba(ax.get_facecolor())
        if ground[3] < 0.5:
            ground = to_rgba(ax.figure.get_facecolor())
        self.ground = to_rgb(ground)
        light = float(np.dot(self.ground, (0.299, 0.587, 0.114)))
        self.scheme = "dark" if light < 0.5 and ground[3] >= 0.5 else "light"
        self.text = "#e8e9eb" if self.scheme == "dark" else "#1d1f23"
        self.faint = "#a3a8b1" if self.scheme == "dark" else "#5f646d"
        self.line = "#363a41" if self.scheme == "dark" else "#dcdee3"
        self.plain = _colors.PLAIN[self.scheme]
        self.accent = _colors.ACCENT[self.scheme]
        self.positive = _colors.POSITIVE[self.scheme]
        self.negative = _colors.NEGATIVE[self.scheme]
        self.yes = _colors.YES[self.scheme]
        self.no = _colors.NO[self.scheme]

    def of_sign(self, value: float) -> str:
        return self.negative if value < 0 else self.positive

    def of_signs(self, values: Sequence[float] | np.ndarray) -> list[str]:
        return [self.of_sign(value) for value in values]


def colormap() -> Colormap:
    """Blue for negative, white for zero, red for positive: the stops of the report."""
    from matplotlib.colors import LinearSegmentedColormap

    stops = np.concatenate([_colors.COOL[::-1], _colors.WARM[1:]]) / 255
    made = LinearSegmentedColormap.from_list("ascribe", [tuple(stop) for stop in stops], N=511)
    return made.with_extremes(bad=(0, 0, 0, 0))


def shades() -> Colormap:
    """Of the values of features, from low to high."""
    from matplotlib.colors import LinearSegmentedColormap

    made = LinearSegmentedColormap.from_list("ascribe shades", [tuple(stop / 255) for stop in _colors.SHADES])
    return made.with_extremes(bad="#888888")


def distinct_colors(count: int, ink: Ink) -> list[Any]:
    """Colours that are told apart by lightness too."""
    if count == 1:
        return [ink.plain]
    return [shades()(t) for t in np.linspace(0.0, 0.75 if ink.scheme == "dark" else 1.0, count)]


def color_bar(ax: Axes, mappable: Any, label: str, extend: str = "neither", below: bool = False) -> Any:
    """A scale at the right of the axes and as high as they are, or below them; also where their aspect is fixed."""
    place = ax.inset_axes((0.2, -0.1, 0.6, 0.025) if below else (1.02, 0.0, 0.035, 1.0))
    bar = ax.figure.colorbar(mappable, cax=place, extend=extend, orientation="horizontal" if below else "vertical")
    bar.outline.set_visible(False)
    bar.ax.set_facecolor("white")  # below colours that are not opaque
    bar.set_label(label, fontsize="small", **PLAIN_TEXT)
    bar.ax.tick_params(labelsize="small", length=2)
    bar.ax.locator_params(nbins=5)
    return bar


def wrapped(name: str, width: int = NAME_WIDTH) -> str:
    """A long name in several lines; nothing of it is cut off."""
    return "\n".join(textwrap.wrap(str(name), width, break_long_words=True, drop_whitespace=False)) or str(name)


def name_rows(ax: Axes, names: Sequence[str], **how: Any) -> None:
    """Names at the left, the first at the top."""
    ax.set_yticks(np.arange(len(names)), [wrapped(name) for name in names], **PLAIN_TEXT, **how)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0, **({"labelsize": "small"} if len(names) > 20 else {}))


def title(ax: Axes, text: str, width: int | None = None) -> None:
    """A title in as many lines as it needs."""
    letters = width or max(24, int(ax.get_window_extent().width / ax.figure.dpi * 13.5))
    ax.set_title("\n".join(textwrap.wrap(text, letters)), fontsize="medium", loc="left", **PLAIN_TEXT)


def range_of(values: np.ndarray) -> tuple[float, float]:
    """From the least to the greatest of the numbers that are finite, and zero."""
    known = values[np.isfinite(values)]
    return float(known.min(initial=0)), float(known.max(initial=0))


def bare(ax: Axes, *sides: str) -> None:
    """Without these sides of the frame."""
    for side in sides or ("top", "right", "left"):
        ax.spines[side].set_visible(False)


def height_of(names: Sequence[str], line: float = 0.3, least: float = 1.4) -> float:
    """Inches for lines with these names."""
    return max(least, 1.1 + sum(max(line, 0.17 * (1 + wrapped(name).count("\n"))) for name in names))


def width_of(names: Sequence[str], drawing: float = 5.2) -> float:
    """Inches for a drawing beside these names."""
    longest = max((len(line) for name in names for line in wrapped(name).split("\n")), default=0)
    return drawing + 0.085 * longest
