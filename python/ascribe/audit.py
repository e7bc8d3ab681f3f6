"""The three principles of a faithful attribution, of methods or of numbers."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np

from . import _engine
from ._mapping import Named

PRINCIPLES = ("low_error", "no_unrelated", "complete")


class Verdict(NamedTuple):
    """One principle of one method."""

    holds: bool | None  # None: left open, `reason` says why
    figure: float
    tolerance: float
    reason: str


class AuditedMethod:
    """What an audit says of one method."""

    def __init__(self, handle: _engine.Audit, index: int) -> None:
        self.method: str = handle.method_name(index)
        self.values: np.ndarray = handle.values(index)  # per player
        self.sentences: list[str] = list(handle.sentences(index))
        self.verdicts: dict[str, Verdict] = {}
        for number, name in enumerate(PRINCIPLES):
            figure, tolerance, holds, left_open, reason = handle.verdict(index, number)
            self.verdicts[name] = Verdict(None if left_open else holds, figure, tolerance, reason)

    @property
    def held(self) -> int:
        """How many of the three principles hold."""
        return sum(verdict.holds is True for verdict in self.verdicts.values())

    @property
    def left_open(self) -> int:
        return sum(verdict.holds is None for verdict in self.verdicts.values())

    def __repr__(self) -> str:
        said = ", ".join(f"{name} {_WORDS[verdict.holds]}" for name, verdict in self.verdicts.items())
        return f"AuditedMethod({self.method}: {said})"


_WORDS = {True: "holds", False: "fails", None: "open"}


class Audit(Named[AuditedMethod]):
    """What `Model.audit` returns: the methods by name, or what can be said of numbers.

    >>> a = model.audit("boot.png", method=["shapley", mine], players="grid:3x3")
    >>> a["shapley"].held
    3
    """

    def __init__(self, handle: _engine.Audit) -> None:
        entries = [AuditedMethod(handle, index) for index in range(handle.methods)]
        super().__init__({one.method: one for one in entries}, "method")
        self.document: dict[str, Any] = json.loads(handle.json())
        self.left_out: dict[str, str] = dict(handle.left_out)
        self.notes: list[str] = list(handle.notes)
        # Of an attribution that was given as numbers: whether it could have come from an allocation that gives every
        # effect to its own players only, and all of it once; and how much of it would have to change.
        self.possible: bool = handle.possible
        self.distance: float = handle.distance
        self.possible_without_negative_shares: bool = handle.possible_without_negative_shares

    def to_dict(self) -> dict[str, Any]:
        """The document that the command line prints."""
        return self.document

    @property
    def plot(self) -> Any:
        """A picture: `a.plot.verdicts()`. Needs matplotlib."""
        from .plots import AuditPlots

        return AuditPlots(self)

    def _repr_html_(self) -> str:
        from .html.audit import audit_html

        return audit_html(self)
