"""Functions of the caller's: black boxes in the place of a model, and methods of one's own."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
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


def engine_methods(model: Model, methods: Any) -> list[_engine.Method]:
    """One or several, of ours or one's own; a mapping or pairs of a name and a method name those of one's own, and
    others that would have the same name are numbered."""
    wanted = _named(methods)
    taken = {method for _, method in wanted if isinstance(method, str)}
    made: list[_engine.Method] = []
    for name, method in wanted:
        if isinstance(method, str):
            made.append(engine_method(model, method))
            continue
        if name in taken:
            raise ArgumentError(f"method: two are called '{name}'; expected names of their own")
        free = name or _free(_usual_name(method), taken)
        taken.add(free)
        made.append(engine_method(model, method, free))
    return made


def engine_method(model: Model, method: Any, name: str | None = None) -> _engine.Method:
    """A method by name, a function `(model, x, target, baseline) -> array`, or an attribution that exists already."""
    if isinstance(method, str):
        return _engine.Method(known_method(method))
    if is_pair(method):
        return engine_method(model, method[1], method[0])
    name = name or _usual_name(method)
    if callable(method):
        return _engine.Method.own(name, _asked(model, method))
    if hasattr(method, "player_values"):  # an Explanation
        values = np.atleast_2d(method.player_values)
        return _engine.Method.given(name, np.ascontiguousarray(values), len(values))
    values = as_numbers(method, "method")
    return _engine.Method.given(name, values, _row_count(model, values))


def is_pair(method: Any) -> bool:
    """A method of one's own with its name."""
    return (isinstance(method, tuple) and len(method) == 2 and isinstance(method[0], str)
            and not isinstance(method[1], str))


def are_several(method: Any) -> bool:
    """Whether results are by the name of the method."""
    if isinstance(method, str):
        return method == "all"
    return isinstance(method, (list, tuple, Mapping)) and not is_pair(method)


def has_own(method: Any) -> bool:
    """Whether something of the caller's is among the methods."""
    names = [method] if isinstance(method, str) else method if isinstance(method, (list, tuple)) else [None]
    return not all(isinstance(name, str) for name in names) or is_pair(method)


def are_numbers(method: Any) -> bool:
    """Whether it is an attribution that exists already, rather than a way to make one."""
    if is_pair(method):
        return are_numbers(method[1])
    return not (isinstance(method, (str, list, tuple, Mapping)) or callable(method))


def numbers_of(method: Any) -> np.ndarray:
    """Of an attribution that exists already."""
    method = method[1] if is_pair(method) else method
    return as_numbers(getattr(method, "player_values", method), "attribution")


def _named(methods: Any) -> list[tuple[str | None, Any]]:
    if isinstance(methods, Mapping):
        # A key beside one of ours is only a place to put it.
        return [(None if isinstance(method, str) else str(name), method) for name, method in methods.items()]
    listed = methods if are_several(methods) and not isinstance(methods, str) else [methods]
    return [one if is_pair(one) else (None, one) for one in listed]


def _usual_name(method: Any) -> str:
    if callable(method):
        return str(getattr(method, "__name__", type(method).__name__))
    return str(getattr(method, "method", "given"))


def _free(name: str, taken: set[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name} {number}"
    return free


def known_method(name: str) -> str:
    """The name, if there is a method of it."""
    if name in _method_names():
        return name
    raise ArgumentError(there_is_no("method", name, _method_names()))


@functools.cache
def _method_names() -> tuple[str, ...]:
    return ("all", *_engine.method_names())


def _asked(model: Model, method: OwnMethod) -> Callable[[_engine.Asked], np.ndarray]:
    def answer(asked: _engine.Asked) -> np.ndarray:
        values = method(Explained(model, asked), asked.x, asked.target, asked.baselines)
        if values is None:
            raise ArgumentError(f"{getattr(method, '__name__', 'method')}: it returned nothing; expected an array with "
                                "a number for each element or player")
        return np.ascontiguousarray(as_numbers(values, "method"), np.float64).ravel()

    return answer


def _row_count(model: Model, values: np.ndarray) -> int:
    """How many rows an attribution is of: one if it has as many numbers as a row, or is a list of players'."""
    return 1 if values.ndim < 2 or values.size == np.prod(model.row_shape) else values.shape[0]
