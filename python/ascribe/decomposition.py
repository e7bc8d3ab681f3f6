"""An output taken apart: f(x) = f(b) + the sum of all effects."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np

from . import _engine


class Effect(NamedTuple):
    """What a set of players does beyond all of its parts."""

    players: tuple[int, ...]
    names: tuple[str, ...]
    value: float
    error: float | None = None  # standard error, if it was estimated


class Decomposition:
    """What `Model.decompose` returns.

    >>> d = model.decompose("boot.png", players="grid:3x3")
    >>> d.strongest[0]
    Effect(players=(4, 5), names=('r1c1', 'r1c2'), value=4.84994, error=None)
    >>> d.output - d.baseline_output - sum(d.dividends[1:])       # d.dividends[mask]: bit p says that player p is in
    0.0
    """

    def __init__(self, handle: _engine.Decomposition) -> None:
        self._handle = handle
        self.document: dict[str, Any] = json.loads(handle.json())
        self.player_names: list[str] = list(handle.players)
        self.target: int = handle.target
        self.output: float = handle.output
        self.baseline_output: float = handle.baseline_output
        self.remainder: float = handle.remainder
        self.evaluations: int = handle.evaluations
        self.notes: list[str] = list(handle.notes)
        self.dividends: np.ndarray = handle.dividends
        self.strongest: list[Effect] = self._named(handle.strongest)
        self.index_values: list[Effect] = self._named(handle.index_values, handle.index_errors)
        self.and_effects: list[Effect] = self._named(handle.and_effects)
        self.or_effects: list[Effect] = self._named(handle.or_effects)

    def _named(self, effects: list[tuple[list[int], float]], errors: np.ndarray | None = None) -> list[Effect]:
        known = errors is not None and len(errors) == len(effects)
        return [Effect(tuple(players), tuple(self.player_names[p] for p in players), value,
                       float(errors[i]) if known and errors is not None else None)
                for i, (players, value) in enumerate(effects)]

    def to_dict(self) -> dict[str, Any]:
        """The document that the command line prints."""
        return self.document

    @property
    def plot(self) -> Any:
        """Pictures: `d.plot.network()`, `upset`, `bar`. Needs matplotlib."""
        from .plots import DecompositionPlots

        return DecompositionPlots(self)

    def _repr_html_(self) -> str:
        from .html.decomposition import decomposition_html

        return decomposition_html(self)

    def __repr__(self) -> str:
        return f"Decomposition({len(self.player_names)} players, {self.output:.6g} = {self.baseline_output:.6g} + effects)"
