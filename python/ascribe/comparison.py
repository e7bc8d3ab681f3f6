"""Why two methods differ, effect by effect."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from . import _engine
from ._files import Arrays, Saved
from ._records import record_of
from .errors import ArgumentError

_FIELDS = ("names", "document", "player_names", "difference", "cosine", "same", "sentence", "notes", "record")
_MISSING = {"record": None}  # in files of earlier versions

_SETS = 5


class Comparison(Saved):
    """What `Model.compare` returns.

    >>> c = model.compare("boot.png", "shapley", "occlusion", players="grid:3x3")
    >>> print(c.sentence)           # where most of the difference comes from
    """

    def __init__(self, handle: _engine.Comparison, names: tuple[str, str]) -> None:
        self._handle: _engine.Comparison | None = handle  # None: it comes from a file
        self.names = names
        self.document: dict[str, Any] = json.loads(handle.json())
        self.player_names: list[str] = list(handle.players)
        self.first: np.ndarray = handle.first  # values per player
        self.second: np.ndarray = handle.second
        self.difference: float = handle.difference  # sum of absolute differences
        self.cosine: float = handle.cosine
        self.same: bool = handle.same
        self.sentence: str = handle.sentence
        self.notes: list[str] = list(handle.notes)
        self.record: dict[str, Any] | None = record_of(handle)  # how it came about, if record=True asked for it

    def to_dict(self, sets: int = _SETS) -> dict[str, Any]:
        """The document that the command line prints, with so many sets of players."""
        if self._handle is not None:
            return dict(json.loads(self._handle.json(sets)))
        if sets != _SETS:
            raise ArgumentError(f"sets: got {sets}; a comparison from a file has those that it was saved with, {_SETS}")
        return self.document

    def _state(self) -> tuple[dict[str, Any], Arrays]:
        return {name: getattr(self, name) for name in _FIELDS}, {"first": self.first, "second": self.second}

    @classmethod
    def _of_state(cls, document: dict[str, Any], arrays: Arrays) -> Comparison:
        made = cls.__new__(cls)
        state = {**_MISSING, **document}
        for name in _FIELDS:
            setattr(made, name, state[name])
        made.names = (made.names[0], made.names[1])
        made.first, made.second, made._handle = arrays["first"], arrays["second"], None
        return made

    @property
    def plot(self) -> Any:
        """A picture: `c.plot.bar()`. Needs matplotlib."""
        from .plots import ComparisonPlots

        return ComparisonPlots(self)

    def _repr_html_(self) -> str:
        from .html.comparison import comparison_html

        return comparison_html(self)

    def __repr__(self) -> str:
        apart = "the same" if self.same else f"{self.difference:.4g} apart"
        return f"Comparison({self.names[0]}, {self.names[1]}: {apart})"
