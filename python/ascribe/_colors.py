"""The colours of the report: the scale of src/draw/diverging.cpp and the inks of src/report/page/report.css."""

from __future__ import annotations

import numpy as np

# From zero outwards, in equal steps; linear in between.
WARM = np.array([(255, 255, 255), (247, 190, 160), (214, 96, 77), (140, 10, 35)], float)
COOL = np.array([(255, 255, 255), (160, 202, 226), (67, 140, 196), (10, 62, 122)], float)
# Of the values of a feature: told apart by lightness alone.
SHADES = np.array([(240, 210, 90), (64, 160, 130), (48, 30, 110)], float)
NOBODY = (190, 190, 190)  # an element that belongs to no player

POSITIVE = {"light": "#b2182b", "dark": "#e8705f"}
NEGATIVE = {"light": "#2166ac", "dark": "#67a9e6"}
PLAIN = {"light": "#5a6675", "dark": "#8d99a8"}
ACCENT = {"light": "#5b3cc4", "dark": "#b9a4ff"}
YES = {"light": "#14683c", "dark": "#74d49b"}
NO = {"light": "#9a3412", "dark": "#f5a570"}


def diverging(t: np.ndarray | float) -> np.ndarray:
    """The colour of t from -1 to 1, cut off beyond: [..., 3] from 0 to 255; grey where t is NaN.

    >>> diverging(0.0).tolist()
    [255.0, 255.0, 255.0]
    """
    t = np.asarray(t, float)
    known = np.nan_to_num(t, nan=0.0)
    at = np.clip(np.abs(known), 0, 1)
    colors = np.where((known < 0)[..., None], _between(COOL, at), _between(WARM, at))
    return np.where(np.isnan(t)[..., None], np.array(NOBODY, float), colors)


def _between(stops: np.ndarray, at: np.ndarray) -> np.ndarray:
    places = np.linspace(0, 1, len(stops))
    return np.stack([np.interp(at, places, stops[:, channel]) for channel in range(3)], axis=-1)


def hexed(color: np.ndarray) -> str:
    """A colour as "#b2182b"."""
    return "#" + "".join(f"{int(round(float(channel))):02x}" for channel in color)


def needs_white_letters(t: float) -> bool:
    """Whether letters on the colour of t are white rather than black, as in the report."""
    return float(diverging(t) @ (0.299, 0.587, 0.114)) <= 140
