"""What goes into a model and comes out of it, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Port(NamedTuple):
    """An input or output of a model."""

    name: str
    type: str  # float32, int64, string, ...
    row: tuple[int, ...]  # the shape of one row; 0 where the file leaves a size open

    @property
    def texts(self) -> bool:
        """Whether it takes texts: categories of an encoder in the model."""
        return self.type == "string"


def ports(described: list[Mapping[str, Any]]) -> list[Port]:
    """As the engine describes them."""
    return [Port(one["name"], one["type"], _row(one["shape"])) for one in described]


def _row(shape: list[int | str]) -> tuple[int, ...]:
    return tuple(extent if isinstance(extent, int) else 0 for extent in shape[1:])
