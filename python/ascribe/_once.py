"""What is computed when somebody asks for it, and then kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Once(Generic[T]):
    """A function without arguments that is called no more than it must be. It lets go of what it was made of."""

    __slots__ = ("_make", "_made")

    def __init__(self, make: Callable[[], T]) -> None:
        self._make: Callable[[], T] | None = make

    def __call__(self) -> T:
        make = self._make
        if make is not None:
            self._made = make()
            self._make = None
        return self._made
