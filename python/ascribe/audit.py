"""The three principles of a faithful attribution, of methods or of numbers."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np

from . import _engine
from ._files import Arrays, Saved
from ._mapping import Named
from ._records import record_of

PRINCIPLES = ("low_error", "no_unrelated", "complete")


class Verdict(NamedTuple):
    """One principle of one method."""

    holds: bool | None  # None: left open, `reason` says why
    figure: float
    tolerance: float
    reason: str


class AuditedMethod:
    """What an audit says of one method."""

    def __init__(self, method: str, values: np.ndarray, sentences: list[str], verdicts: dict[str, Verdict]) -> None:
        self.method = method
        self.values = values  # per player
        self.sentences = sentences
        self.verdicts = verdicts

    @property
    def held(self) -> int:
        """How many of the three principles hold."""
        return sum(verdict.holds is True for verdict in self.verdicts.values())

    @property
    def left_open(self) -> int:
        """How many of them are left open."""
        return sum(verdict.holds is None for verdict in self.verdicts.values())

    def __repr__(self) -> str:
        said = ", ".join(f"{name} {_WORDS[verdict.holds]}" for name, verdict in self.verdicts.items())
        return f"AuditedMethod({self.method}: {said})"


_WORDS = {True: "holds", False: "fails", None: "open"}


def _audited(handle: _engine.Audit, index: int) -> AuditedMethod:
    verdicts = {}
    for number, name in enumerate(PRINCIPLES):
        figure, tolerance, holds, left_open, reason = handle.verdict(index, number)
        verdicts[name] = Verdict(None if left_open else holds, figure, tolerance, reason)
    return AuditedMethod(handle.method_name(index), handle.values(index), list(handle.sentences(index)), verdicts)


_FIELDS = ("document", "left_out", "notes", "possible", "distance", "possible_without_negative_shares", "record")
_MISSING = {"record": None}  # in files of earlier versions


class Audit(Named[AuditedMethod], Saved):
    """What `Model.audit` returns: the methods by name, or what can be said of numbers.

    >>> a = model.audit("boot.png", method=["shapley", mine], players="grid:3x3")
    >>> a["shapley"].held
    3
    """

    def __init__(self, handle: _engine.Audit) -> None:
        entries = [_audited(handle, index) for index in range(handle.methods)]
        super().__init__({one.method: one for one in entries}, "method")
        self.document: dict[str, Any] = json.loads(handle.json())
        self.left_out: dict[str, str] = dict(handle.left_out)
        self.notes: list[str] = list(handle.notes)
        self.record: dict[str, Any] | None = record_of(handle)  # how it came about, if record=True asked for it
        # Of an attribution that was given as numbers: whether it could have come from an allocation that gives every
        # effect to its own players only, and all of it once; and how much of it would have to change.
        self.possible: bool = handle.possible
        self.distance: float = handle.distance
        self.possible_without_negative_shares: bool = handle.possible_without_negative_shares

    def to_dict(self) -> dict[str, Any]:
        """The document that the command line prints."""
        return self.document

    def _state(self) -> tuple[dict[str, Any], Arrays]:
        methods = [{"method": one.method, "sentences": one.sentences, "verdicts": one.verdicts}
                   for one in self.values()]
        arrays = {f"{place}.values": one.values for place, one in enumerate(self.values())}
        return {"methods": methods, "state": {name: getattr(self, name) for name in _FIELDS}}, arrays

    @classmethod
    def _of_state(cls, document: dict[str, Any], arrays: Arrays) -> Audit:
        made = cls.__new__(cls)
        entries = {}
        for place, one in enumerate(document["methods"]):
            verdicts = {name: Verdict(*verdict) for name, verdict in one["verdicts"].items()}
            entries[one["method"]] = AuditedMethod(one["method"], arrays[f"{place}.values"], one["sentences"], verdicts)
        Named.__init__(made, entries, "method")
        state = {**_MISSING, **document["state"]}
        for name in _FIELDS:
            setattr(made, name, state[name])
        return made

    @property
    def plot(self) -> Any:
        """A picture: `a.plot.verdicts()`. Needs matplotlib."""
        from .plots import AuditPlots

        return AuditPlots(self)

    def _repr_html_(self) -> str:
        from .html.audit import audit_html

        return audit_html(self)
