"""Pictures in memory as files in memory, so that they go the way of picture files: the engine's own preprocessing."""

from __future__ import annotations

import io
import math
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._arrays import comes_from
from ._png import png_bytes
from .errors import ArgumentError

_CHANNELS = (1, 3, 4)
_AS_THEY_ARE = ("L", "LA", "RGB", "RGBA")


def is_pil(value: Any) -> bool:
    return comes_from(value, "PIL") and hasattr(value, "convert")


def is_picture_path(path: str) -> bool:
    return path.lower().endswith((".png", ".jpg", ".jpeg"))


def pil_file(image: Any, name: str = "picture.png") -> tuple[str, bytes]:
    """An image of PIL as (name, PNG file); one that was opened keeps the name of its file.

    >>> pil_file(PIL.Image.open("boot.png"))[0]
    'boot.png'
    """
    path = getattr(image, "filename", "")
    if path:
        name = os.path.splitext(os.path.basename(os.fspath(path)))[0] + ".png"
    if image.mode == "F" or image.mode.startswith("I"):
        if image.mode == "F" or image.mode == "I":
            raise ArgumentError(f"picture: got an image of mode {image.mode}, whose range is not known; expected L or "
                                "RGB, or its numbers as an array")
        with io.BytesIO() as file:
            image.save(file, "png")
            return name, file.getvalue()
    if image.mode not in _AS_THEY_ARE:
        see_through = image.mode in ("PA", "La", "RGBa") or "transparency" in image.info
        image = image.convert("RGBA" if see_through else "L" if image.mode == "1" else "RGB")
    return name, png_bytes(np.asarray(image), level=1)


def picture_files(pixels: np.ndarray, row: Sequence[int]) -> tuple[list[tuple[str, bytes]], bool] | None:
    """uint8 arrays that are pictures for rows of this shape, as files, and whether it is one without an axis of rows;
    None: they are numbers."""
    if pixels.dtype != np.uint8 or pixels.size == 0:
        return None
    if len(row) == 3 and pixels.ndim in (1, 2) and pixels.shape[-1] == math.prod(row):
        pixels = pixels.reshape(*pixels.shape[:-1], *row)  # pictures whose pixels are in one line
    one = _picture(pixels, row)
    if one is not None:
        return [("picture.png", png_bytes(one, level=1))], True
    pictures = [_picture(each, row) for each in pixels] if pixels.ndim > 2 else []
    if not pictures or any(each is None for each in pictures):
        return None
    files = [(f"picture {i}.png", png_bytes(each, level=1)) for i, each in enumerate(pictures) if each is not None]
    return files, False


def _picture(pixels: np.ndarray, row: Sequence[int]) -> np.ndarray | None:
    """[height, width] or [height, width, channels], if it may be read so; channels may come first as in the row."""
    if not _takes_pictures(row):
        return None
    if len(row) == 1:
        flat = pixels.ndim == 2 or (pixels.ndim == 3 and pixels.shape[2] in _CHANNELS)
        return pixels if flat and pixels.size == row[0] and min(pixels.shape[:2]) > 1 else None
    if pixels.ndim == 3 and row[0] in _CHANNELS and pixels.shape == tuple(row):
        return np.moveaxis(pixels, 0, 2)
    if pixels.ndim == 3 and pixels.shape[2] in _CHANNELS and min(pixels.shape[:2]) > 4:
        return pixels
    if pixels.ndim == 2 and (len(row) == 2 or row[0] == 1 or row[-1] == 1):
        return pixels
    return None


def _takes_pictures(row: Sequence[int]) -> bool:
    if len(row) == 3:
        return row[0] in _CHANNELS or row[2] in _CHANNELS
    return len(row) == 1 and row[0] >= 16
