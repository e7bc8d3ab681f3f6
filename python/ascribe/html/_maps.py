"""Pictures and maps as PNG within the page."""

from __future__ import annotations

import base64
import zlib

import numpy as np

from .. import _colors
from .._png import png_bytes
from .._showing import element_map, grey_of, map_limit, number_text, picture_of
from ..explanation import Explanation
from ._page import Safe, joined, tag

_LARGEST_PICTURE = 128  # pixels of the longer side: the map is what has to be exact
_LARGEST_MAP = 256
_SHADES = 15  # to each side of zero; few, so that the files stay small
_OPACITY = 0.8


def data_uri(pixels: np.ndarray) -> str:
    return "data:image/png;base64," + base64.b64encode(png_bytes(np.ascontiguousarray(pixels))).decode("ascii")


def smaller(array: np.ndarray, largest: int) -> np.ndarray:
    """The means of squares, so that the longer side is no longer than that."""
    factor = -(-max(array.shape[:2]) // largest)
    if factor <= 1:
        return array
    height, width = (side - side % factor for side in array.shape[:2])
    if height == 0 or width == 0:  # a strip that is thinner than the squares
        return array[::factor, ::factor]
    squares = array[:height, :width].reshape(height // factor, factor, width // factor, factor, *array.shape[2:])
    means: np.ndarray = squares.mean(axis=(1, 3))
    return np.rint(means).astype(np.uint8) if array.dtype == np.uint8 else means


def map_pixels(values: np.ndarray, limit: float) -> np.ndarray:
    """Colours with opacity, to be laid over the picture: [height, width, 4]; nobody's pixels are clear."""
    t = np.rint(np.clip(values / (limit or 1.0), -1, 1) * _SHADES) / _SHADES
    opacity = np.where(np.isnan(t), 0, round(255 * _OPACITY))
    return np.concatenate([np.rint(_colors.diverging(t)), opacity[..., None]], axis=-1).astype(np.uint8)


class Ground:
    """The grey picture below maps, once for all of them."""

    def __init__(self, one: Explanation) -> None:
        self.picture = smaller(picture_of(one), _LARGEST_PICTURE)
        pixels = grey_of(self.picture)
        self.name = f"ground-{zlib.crc32(pixels.tobytes()):08x}"
        self.style = Safe(f"<style>.ascribe-xai .{self.name}{{background-image:url({data_uri(pixels)})}}</style>")


def map_figure(one: Explanation, ground: Ground, caption: object) -> Safe:
    """A map over its ground with its scale."""
    values = smaller(element_map(one), _LARGEST_MAP)
    limit = map_limit(values)
    words = f"Map of {one.method}, from {number_text(-limit)} to {number_text(limit)}"
    picture = tag("img", src=data_uri(map_pixels(values, limit)), alt=words, class_=ground.name)
    return tag("figure", tag("figcaption", caption), picture, ramp(limit))


def picture_figure(ground: Ground, caption: object) -> Safe:
    picture = tag("img", src=data_uri(ground.picture), alt="The input")
    return tag("figure", tag("figcaption", caption), picture, _no_ramp())


def _no_ramp() -> Safe:
    """As high as a scale, so that the picture stands beside its map."""
    return tag("div", Safe("&nbsp;"), class_="ramp")


def ramp(limit: float) -> Safe:
    """Both ends of a scale around zero."""
    stops = ",".join(_colors.hexed(_colors.diverging(t)) for t in np.linspace(-1, 1, 7))
    return tag("div", tag("span", number_text(-limit)), tag("i", style=f"background:linear-gradient(90deg,{stops})"),
               tag("span", number_text(limit)), class_="ramp")


def picture_and_maps(ones: dict[str, Explanation], caption: str) -> Safe:
    """The picture, and the map of each method."""
    ground = Ground(next(iter(ones.values())))
    maps = [map_figure(one, ground, name) for name, one in ones.items()]
    return joined([ground.style, tag("div", picture_figure(ground, caption), *maps, class_="pictures")])
