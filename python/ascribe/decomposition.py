"""An output taken apart: f(x) = f(b) + the sum of all effects."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np

from . import _engine
from ._files import Arrays, Saved
from ._records import record_of


_FIELDS = ("document", "player_names", "target", "output", "baseline_output", "remainder", "strength", "least_strength",
           "strength_of_and", "evaluations", "notes", "estimated", "held_out_r2", "record")
_MISSING = {"estimated": False, "held_out_r2": None, "record": None}  # in files of earlier versions
_EFFECTS = ("strongest", "index_values", "and_effects", "or_effects")


class Effect(NamedTuple):
    """What a set of players does beyond all of its parts."""

    players: tuple[int, ...]
    names: tuple[str, ...]
    value: float
    error: float | None = None  # standard error, if it was estimated


class VerifiedEffect(NamedTuple):
    """An estimated effect, held against the model itself; None: not known."""

    players: tuple[int, ...]
    names: tuple[str, ...]
    fit: float  # in the sum of few effects that foretells the model best
    alone: float | None  # J(S)
    alone_interval: float | None  # half of its 95 % interval; 0: J(S) was computed exactly
    in_company: float | None  # the mean beside others: Shapley value, Shapley interaction index
    in_company_interval: float | None


class Decomposition(Saved):
    """What `Model.decompose` returns.

    >>> d = model.decompose("boot.png", players="grid:3x3")
    >>> d.strongest[0]
    Effect(players=(4, 5), names=('r1c1', 'r1c2'), value=4.84994, error=None)
    >>> d.output - d.baseline_output - sum(d.dividends[1:])       # d.dividends[mask]: bit p says that player p is in
    0.0
    """

    def __init__(self, handle: _engine.Decomposition) -> None:
        self.document: dict[str, Any] = json.loads(handle.json())
        self.player_names: list[str] = list(handle.players)
        self.target: int = handle.target
        self.output: float = handle.output
        self.baseline_output: float = handle.baseline_output
        self.remainder: float = handle.remainder
        self.strength: float = handle.strength  # of AND and OR effects: the sum of their magnitudes; 0: not asked for
        self.least_strength: float = handle.least_strength  # no AND and OR effects have less
        self.strength_of_and: float = handle.strength_of_and  # the sum of the magnitudes of the effects themselves
        self.evaluations: int = handle.evaluations
        self.notes: list[str] = list(handle.notes)
        self.record: dict[str, Any] | None = record_of(handle)  # how it came about, if record=True asked for it
        self.dividends: np.ndarray = handle.dividends
        self.estimated: bool = handle.estimated  # the strong effects, found from few evaluations
        # Of estimated effects: how well they do at coalitions that they were not fitted to.
        self.held_out_r2: float | None = None if np.isnan(handle.held_out_r2) else handle.held_out_r2
        self.strongest: list[Effect] = self._named(handle.strongest, handle.strongest_errors)
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
    def verified(self) -> list[VerifiedEffect]:
        """Of estimated effects, one for each of `strongest`: what it is when the model is asked about it."""
        return [self._verified(one) for one in self.document["effects"]] if self.estimated else []

    @property
    def beside_the_fit(self) -> list[Effect]:
        """Pairs that derivatives point to and the estimate does not have, with J(S) exactly, the largest first."""
        pairs = self.document["estimated"]["beside_the_fit"] if self.estimated else []
        return self._named([(one["support"], one["value"]) for one in pairs])

    def _verified(self, effect: dict[str, Any]) -> VerifiedEffect:
        players = tuple(effect["support"])
        exact, width, company = effect.get("exact"), effect.get("interval_95"), effect.get("in_company", {})
        known = exact if exact is not None else effect["value"] if width is not None else None
        return VerifiedEffect(players, tuple(self.player_names[p] for p in players), effect["value"], known,
                        width if exact is None else 0.0, company.get("value"), company.get("interval_95"))

    def _state(self) -> tuple[dict[str, Any], Arrays]:
        state = {name: getattr(self, name) for name in _FIELDS}
        effects = {name: [(one.players, one.value, one.error) for one in getattr(self, name)] for name in _EFFECTS}
        return {"state": state, "effects": effects}, {"dividends": self.dividends}

    @classmethod
    def _of_state(cls, document: dict[str, Any], arrays: Arrays) -> Decomposition:
        made = cls.__new__(cls)
        for name in _FIELDS:
            setattr(made, name, document["state"].get(name, _MISSING.get(name)))
        made.dividends = arrays["dividends"]
        for name in _EFFECTS:
            effects = document["effects"][name]
            setattr(made, name, [Effect(tuple(players), tuple(made.player_names[p] for p in players), value, error)
                                 for players, value, error in effects])
        return made

    @property
    def plot(self) -> Any:
        """Pictures: `d.plot.network()`, `upset`, `bar`. Needs matplotlib."""
        from .plots import DecompositionPlots

        return DecompositionPlots(self)

    def _repr_html_(self) -> str:
        from .html.decomposition import decomposition_html

        return decomposition_html(self)

    def __repr__(self) -> str:
        sum_of = f"{self.output:.6g} = {self.baseline_output:.6g} + effects"
        how = ", estimated" if self.estimated else ""
        return f"Decomposition({len(self.player_names)} players, {sum_of}{how})"
