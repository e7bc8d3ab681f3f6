"""What a model says about rows."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np

from . import _engine
from ._records import record_of


class TopClass(NamedTuple):
    """A class with its score as the model gives it."""

    index: int  # type: ignore[assignment]  # as a tuple it has a function of that name
    label: str
    score: float
    probability: float


class Prediction:
    """What `Model.predict` returns.

    >>> p = model.predict("boot.png")
    >>> p.values              # [rows, row...] of the first output; without the first axis for one row without one
    >>> p.top()               # the five best classes of the first row
    """

    def __init__(self, handle: _engine.Prediction, single: bool, row_names: list[str] | None = None) -> None:
        self._handle = handle
        self._single = single
        names = row_names if row_names and len(row_names) == handle.rows else None
        self.row_names: list[str] = names or [handle.row_name(row) for row in range(handle.rows)]
        self.output_names: list[str] = [handle.output_name(k) for k in range(handle.outputs)]
        self.notes: list[str] = list(handle.notes)
        self.record: dict[str, Any] | None = record_of(handle)  # how it came about, if record=True asked for it

    @property
    def values(self) -> np.ndarray:
        """Of the first output."""
        return self.output(0)

    def output(self, which: int | str = 0) -> np.ndarray:
        """Of an output, by name or number."""
        index = self.output_names.index(which) if isinstance(which, str) else which
        values = self._handle.values(index)
        return values[0] if self._single else values

    def top(self, row: int = 0, count: int = 5, output: int = 0) -> list[TopClass]:
        """The classes that the model puts first; none if the output does not read as classes."""
        return [TopClass(*one) for one in self._handle.top(row, count, output)]

    def to_dict(self, top: int = 5) -> dict[str, Any]:
        """The document that the command line prints."""
        document: dict[str, Any] = json.loads(self._handle.json(top))
        return document

    def __len__(self) -> int:
        return len(self.row_names)

    def __repr__(self) -> str:
        return f"Prediction({len(self)} rows of {', '.join(self.output_names)})"

    def _repr_html_(self) -> str:
        from .html.prediction import prediction_html

        return prediction_html(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self.values, dtype)
