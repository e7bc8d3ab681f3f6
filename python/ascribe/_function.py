"""Functions of the caller's: black boxes in the place of a model, and methods of one's own."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _engine
from ._inputs import as_numbers
from ._verb import there_is_no
from .errors import ArgumentError

if TYPE_CHECKING:
    from .model import Model

OwnMethod = Callable[["Explained", np.ndarray, int, np.ndarray], Any]


class Explained:
    """The model as a method of one's own sees it: called on rows like x, it gives the explained number of each.

    >>> def mine(model, x, target, baseline):
    ...     return (x - baseline[0]) * model(np.stack([x]))[0]
    """

    def __init__(self, model: Model, asked: _engine.Asked) -> None:
        self.model = model
        self.owners: np.ndarray = asked.owners  # the player of each element; -1: nobody's
        self._asked = asked

    def __call__(self, rows: Any) -> np.ndarray:
        return self._asked.values(as_numbers(rows, "rows"))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)


def engine_method(model: Model, method: Any, name: str | None = None) -> _engine.Method:
    """A method by name, a function `(model, x, target, baseline) -> array`, or an attribution that exists already."""
    if isinstance(method, str):
        return _engine.Method(known_method(method))
    if callable(method):
        return _engine.Method.own(name or getattr(method, "__name__", "own method"), _asked(model, method))
    if isinstance(method, tuple) and len(method) == 2 and isinstance(method[0], str):
        return engine_method(model, method[1], method[0])
    if hasattr(method, "player_values"):  # an Explanation
        values = np.atleast_2d(method.player_values)
        return _engine.Method.given(name or method.method, np.ascontiguousarray(values), len(values))
    values = as_numbers(method, "method")
    return _engine.Method.given(name or "given", values, _row_count(model, values))


def known_method(name: str) -> str:
    """The name, if there is a method of it."""
    if name not in _method_names():
        raise ArgumentError(there_is_no("method", name, _method_names()))
    return name


@functools.cache
def _method_names() -> tuple[str, ...]:
    return ("all", *_engine.method_names())


def _asked(model: Model, method: OwnMethod) -> Callable[[_engine.Asked], np.ndarray]:
    def answer(asked: _engine.Asked) -> np.ndarray:
        values = method(Explained(model, asked), asked.x, asked.target, asked.baselines)
        if values is None:
            raise ArgumentError(f"{getattr(method, '__name__', 'method')}: it returned nothing; expected an array with a "
                                "number for each element or player")
        return np.ascontiguousarray(as_numbers(values, "method"), np.float64).ravel()

    return answer


def _row_count(model: Model, values: np.ndarray) -> int:
    """How many rows an attribution is of: one if it has as many numbers as a row, or is a list of players'."""
    return 1 if values.ndim < 2 or values.size == np.prod(model.row_shape) else values.shape[0]
