"""What is found by name, in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

from .errors import ArgumentError

T = TypeVar("T")


class Named(Mapping[str, T], Generic[T]):
    """A mapping that says what there is when something is not there; numbers count from the first."""

    def __init__(self, entries: Mapping[str, T], what: str) -> None:
        self._entries = dict(entries)
        self._what = what

    def __getitem__(self, name: str | int) -> T:
        if isinstance(name, int):
            return list(self._entries.values())[name]
        if name not in self._entries:
            there_is = ", ".join(self._entries) or "none"
            raise _Missing(f"{self._what}: there is no '{name}'; there is {there_is}")
        return self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self._entries)})"


class _Missing(ArgumentError, KeyError):
    """An ArgumentError that a mapping may raise."""

    def __str__(self) -> str:
        return str(self.args[0])
