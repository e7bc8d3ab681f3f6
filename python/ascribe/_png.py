"""Pictures as PNG files in memory, without an imaging library."""

from __future__ import annotations

import struct
import zlib

import numpy as np

from .errors import ArgumentError

_COLOUR_TYPES = {1: 0, 2: 4, 3: 2, 4: 6}  # by channels: grey, grey with alpha, colours, colours with alpha


def png_bytes(picture: np.ndarray, level: int = 6) -> bytes:
    """A picture [height, width] or [height, width, channels] of uint8 as the bytes of a PNG file. `level`: of zlib.

    >>> png_bytes(np.zeros((28, 28), np.uint8))[:4]
    b'\\x89PNG'
    """
    pixels = np.asarray(picture)
    if pixels.ndim == 2:
        pixels = pixels[..., None]
    if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] not in _COLOUR_TYPES or pixels.size == 0:
        raise ArgumentError(f"picture: got {pixels.dtype} of shape {np.shape(picture)}; expected uint8 [height, width] "
                            "or [height, width, channels] with 1 to 4 channels")
    height, width, channels = pixels.shape
    lines = np.zeros((height, 1 + width * channels), np.uint8)  # each begins with its filter: none
    lines[:, 1:] = pixels.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, _COLOUR_TYPES[channels], 0, 0, 0)
    content = zlib.compress(lines.tobytes(), level)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", content) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
