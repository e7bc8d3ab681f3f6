"""The number of the output that is explained, in all the ways there are to say it."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from . import _engine
from ._arrays import as_array, as_numbers, comes_from
from .errors import ArgumentError

_EXPECTED = ("expected an index, a label, 'top', a tuple for outputs with several axes, a list of one for each row, an "
             "array of weights (floats), or a function of the output that returns one of these")


def apply_target(made: _engine.Question, target: Any, outputs: int | None = None, single: bool = False) -> None:
    """Puts a target into a question. `outputs`: how many numbers a row of the output has, if that is known; `single`:
    the question is about one row."""
    if target is None:
        return
    if not isinstance(target, (int, str)) and (comes_from(target, "torch") or comes_from(target, "pandas")):
        target = as_array(target, "target")
    if isinstance(target, np.ndarray) and target.ndim > 0:
        _apply_array(made, target, outputs, single)
    elif isinstance(target, list):
        _apply_list(made, target, outputs)
    else:
        made.target(text_of(target, outputs))


def text_of(target: Any, outputs: int | None = None) -> str:
    """One target in the words of the engine: docs/howto/targets.md."""
    if isinstance(target, np.ndarray) and target.ndim == 0:
        target = target.item()
    if isinstance(target, str):
        return target
    if isinstance(target, tuple) and target and all(_is_index(place) for place in target):
        return text_of(target[0], outputs) if len(target) == 1 else ",".join(str(int(place)) for place in target)
    if not _is_index(target):
        raise ArgumentError(f"target: got {target!r}; {_EXPECTED}")
    index = int(target)
    if index < 0:
        if outputs is None or index < -outputs:
            range_of = "an index that is not negative" if outputs is None else f"{-outputs} to {outputs - 1}"
            raise ArgumentError(f"target: got {index}; expected {range_of}")
        index += outputs
    return str(index)


def chosen(target: Callable[[np.ndarray], Any], output: np.ndarray) -> Any:
    """What a function of the output wants to know."""
    wanted = target(output)
    if wanted is None or callable(wanted):
        raise ArgumentError(f"target: the function returned {wanted!r}; {_EXPECTED.partition(', or a function')[0]}")
    return wanted


def _apply_array(made: _engine.Question, target: np.ndarray, outputs: int | None, single: bool) -> None:
    if target.dtype.kind in "OUT" or target.dtype.kind in "iu" and target.ndim == 1 and not single:
        _apply_list(made, target.tolist(), outputs)
    elif target.dtype.kind == "f":
        made.target_weights(as_numbers(target, "target"))
    elif target.dtype.kind in "iu":
        raise ArgumentError(f"target: got integers of shape {target.shape}; expected floats for weights "
                            "(.astype(float)), or one index for each row")
    else:
        raise ArgumentError(f"target: got an array of {target.dtype}; {_EXPECTED}")


def _apply_list(made: _engine.Question, targets: list[Any], outputs: int | None) -> None:
    if not targets:
        raise ArgumentError("target: got an empty list; expected one target for each row")
    arrays = [one for one in targets if np.ndim(one) > 0 and not isinstance(one, (str, tuple, os.PathLike))]
    if arrays:
        if len(arrays) < len(targets):
            raise ArgumentError("target: got a list of weights and other targets; expected all of one kind")
        made.target_weights(np.stack([as_numbers(one, "target") for one in targets]))
    elif all(isinstance(one, (float, np.floating)) for one in targets):
        raise ArgumentError(f"target: got a list of floats; weights are an array: numpy.array({targets!r})")
    else:
        made.targets([text_of(one, outputs) for one in targets])


def _is_index(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.bool_))
