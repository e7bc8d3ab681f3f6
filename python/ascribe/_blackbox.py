"""A callable in the place of a model: what it is given, and what it may answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ._arrays import as_numbers
from .errors import ArgumentError, NumericError, ShapeError


class BlackBox:
    """A callable on batches as the engine calls it: rows [rows, row...] to as many numbers for each, in double."""

    def __init__(self, called: Callable[[Any], Any], row: tuple[int, ...], batch: int | None,
                 columns: list[str] | None) -> None:
        self._called = called
        self._row = row
        self._batch = batch
        self._columns = columns  # if it takes frames
        self._outputs: int | None = None  # numbers for each row, once they are known
        self.__name__ = called_name(called)

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        step = self._batch or len(rows)
        parts = [self._answer(rows[start:start + step]) for start in range(0, len(rows), step)]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def expect(self, outputs: int | None) -> int:
        """How many numbers it gives for a row; None: what it gives for rows of zeros tells."""
        if outputs is None:
            return int(self(np.zeros((min(2, self._batch or 2), *self._row))).shape[1])
        if not _is_extent(outputs):
            raise ArgumentError(f"outputs: got {outputs!r}; expected how many numbers it gives for a row, 1 or more")
        self._outputs = int(outputs)
        return self._outputs

    def _answer(self, rows: np.ndarray) -> np.ndarray:
        count = len(rows)
        given = self._called(rows if self._columns is None else _frame(rows, self._columns))
        if given is None:
            raise ShapeError(f"{self.__name__}: it returned nothing; expected an array [rows, outputs]")
        answer = np.asarray(as_numbers(given, self.__name__), np.float64)
        if answer.ndim == 0 or answer.shape[0] != count:
            raise ShapeError(f"{self.__name__}: it gave an array of shape {answer.shape} for {count} rows; expected "
                             f"({count}, outputs) or ({count},)")
        answer = answer.reshape(count, -1)
        if self._outputs is None:
            self._outputs = answer.shape[1]
        if answer.shape[1] != self._outputs or self._outputs == 0:
            raise ShapeError(f"{self.__name__}: it gave {answer.shape[1]} numbers for each row; expected "
                             f"{self._outputs}")
        if not np.isfinite(answer).all():
            row, output = np.argwhere(~np.isfinite(answer))[0]
            raise NumericError(f"{self.__name__}: output {output} of row {row} of a batch of {count} is "
                               f"{answer[row, output]}; expected finite numbers")
        return answer


def called_name(called: Any) -> str:
    """What a callable is called."""
    return str(getattr(called, "__qualname__", type(called).__name__))


def row_of(inputs: int | Sequence[int]) -> tuple[int, ...]:
    """The shape of a row, from a number of features or a shape."""
    try:
        row = (inputs,) if isinstance(inputs, (int, np.integer)) else tuple(inputs)
    except TypeError:
        row = ()
    if isinstance(inputs, bool) or not row or not all(_is_extent(extent) for extent in row):
        raise ArgumentError(f"inputs: got {inputs!r}; expected the number of features of a row, or its shape without "
                            "the axis of rows")
    return tuple(int(extent) for extent in row)


def own_names(called: Any) -> list[str] | None:
    """The columns of the frame that an estimator of scikit-learn's manner was trained on."""
    names = getattr(getattr(called, "__self__", None), "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


def own_labels(called: Any, outputs: int) -> list[str] | None:
    """The classes of such an estimator, if they have names: numbers could be taken for places."""
    if getattr(called, "__name__", "") not in ("predict_proba", "predict_log_proba", "decision_function"):
        return None
    classes = getattr(getattr(called, "__self__", None), "classes_", None)
    if not isinstance(classes, np.ndarray) or classes.shape != (outputs,) or classes.dtype.kind not in "OUS":
        return None
    return [str(label) for label in classes]


def own_defaults(called: Any, outputs: int, given: Mapping[str, Any]) -> dict[str, Any]:
    """What an estimator knows of itself, where it is not given."""
    known = {"feature_names": own_names(called), "labels": own_labels(called, outputs)}
    return {**{name: value for name, value in known.items() if value is not None}, **given}


def columns_of(called: Any, frames: bool | None, names: Sequence[str] | None, row: tuple[int, ...]) -> list[str] | None:
    """The columns of the frames that it is to get; None: it gets arrays."""
    columns = [str(name) for name in names] if names is not None else own_names(called)
    if frames is None:
        frames = own_names(called) is not None
    if not frames:
        return None
    if columns is None:
        raise ArgumentError("frames: a frame needs names of columns; expected feature_names")
    if len(row) != 1 or len(columns) != row[0]:
        raise ArgumentError(f"frames: got {len(columns)} names of columns for rows of {list(row)}; expected as many as "
                            "a row has features")
    return columns


def _frame(rows: np.ndarray, columns: list[str]) -> Any:
    import pandas

    return pandas.DataFrame(rows, columns=columns)


def _is_extent(extent: Any) -> bool:
    return isinstance(extent, (int, np.integer)) and not isinstance(extent, bool) and int(extent) > 0
