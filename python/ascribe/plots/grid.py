"""A map for each of several methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._showing import methods_of, subject
from ._axes import grid
from .image import image, require_picture

if TYPE_CHECKING:
    from ..explanation import Explanations


def methods(explanations: Explanations, row: int = 0, *, columns: int = 4) -> np.ndarray:
    """Each method over the picture, on a scale of its own."""
    ones = methods_of(explanations, row)
    for one in ones.values():
        require_picture(one)
    all_of_them = grid(len(ones), columns, (3.0, 3.1))
    for ax, (name, one) in zip(all_of_them, ones.items(), strict=True):
        image(one, ax=ax, beside=False, label=name if one.contribution else f"{name} (slopes)")
    first = next(iter(ones.values()))
    all_of_them[0].figure.suptitle(f"{subject(first)}, {first.row_names}", parse_math=False)
    return all_of_them
