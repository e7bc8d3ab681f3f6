"""Methods as they run, against their allocation rules, order by order."""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple

from . import _engine
from ._records import record_of
from .errors import ArgumentError


class OrderError(NamedTuple):
    """One method at one order: |a - a*| / |a*| of the rule with effects up to that order (a) and the method (a*)."""

    method: str
    temperature: float  # that kinks are smoothed at; 0: they are not
    sigma: float  # of the baselines, x + N(0, sigma^2)
    order: int
    mean: float  # over the inputs whose series converges; NaN if there are none
    standard_error: float
    inputs: int
    inside: int  # how many of the inputs these are
    outcome: str  # why there is no mean: diverges, kinks, not decided


class Verification:
    """What `Model.verify` returns.

    >>> v = model.verify(rows, method="shapley", order=[2, 4], sigma=0.1)
    >>> v.error("shapley", order=4)
    >>> v.to_pandas()
    """

    def __init__(self, handle: _engine.Verification) -> None:
        self._handle = handle
        self.document: dict[str, Any] = json.loads(handle.json())
        self.methods: list[str] = list(handle.methods)
        self.sigmas: list[float] = list(handle.sigmas)
        self.orders: list[int] = list(handle.orders)
        self.errors: list[OrderError] = [OrderError(*one) for one in handle.errors]
        self.notes: list[str] = list(handle.notes)
        self.record: dict[str, Any] | None = record_of(handle)  # how it came about, if record=True asked for it

    @property
    def temperatures(self) -> list[float]:
        """That kinks were smoothed at; none if they were not."""
        return [temperature for temperature in dict.fromkeys(one.temperature for one in self.errors) if temperature]

    def error(self, method: str, order: int | None = None, sigma: float | None = None,
              temperature: float | None = None) -> OrderError:
        """Of one method; the largest order, the smallest sigma and the first temperature unless they are given."""
        order = self.orders[-1] if order is None else order
        sigma = min(self.sigmas) if sigma is None else sigma
        for one in self.errors:
            if (one.method, one.order, one.sigma) == (method, order, sigma) and temperature in (None, one.temperature):
                return one
        raise ArgumentError(f"there is no error of {method} at order {order}, sigma {sigma} and temperature "
                            f"{temperature}; there are the methods {', '.join(self.methods)}, orders {self.orders}, "
                            f"sigmas {self.sigmas} and temperatures {self.temperatures or 'none'}")

    def to_pandas(self) -> Any:
        """A frame with a line for each method, sigma and order.

        >>> v.to_pandas().pivot_table("mean", ["method", "sigma"], "order")
        """
        import pandas

        return pandas.DataFrame(self.errors, columns=list(OrderError._fields))

    def to_dict(self) -> dict[str, Any]:
        """The document that the command line prints."""
        return self.document

    def save(self, folder: str | os.PathLike[str], force: bool = False) -> None:
        """Of smoothed models: a chart and a table of errors by temperature, and the document."""
        self._handle.save(os.fspath(folder), force)

    def __len__(self) -> int:
        return len(self.errors)

    def __repr__(self) -> str:
        return f"Verification({', '.join(self.methods)} at orders {self.orders}, sigmas {self.sigmas})"
