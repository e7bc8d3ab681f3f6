"""Whatever people have as data, as the rows of a question."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _engine
from .errors import ArgumentError


@dataclass
class Rows:
    """The rows of a question: files, files in memory, or arrays for inputs of the model."""

    files: list[str] = field(default_factory=list)
    contents: list[tuple[str, bytes]] = field(default_factory=list)
    arrays: list[tuple[str, np.ndarray]] = field(default_factory=list)  # (input of the model, or "", numbers)
    feature_names: list[str] = field(default_factory=list)
    row_names: list[str] = field(default_factory=list)
    single: bool | None = None  # one row without an axis of rows; None: whether it is one, its shape says

    def put_into(self, question: _engine.Question) -> None:
        for path in self.files:
            question.file(path)
        for name, content in self.contents:
            question.bytes(name, content)
        for name, numbers in self.arrays:
            question.array(numbers, name)
        if self.feature_names:
            question.feature_names(self.feature_names)
        if self.row_names:
            question.row_names(self.row_names)

    def is_single(self, row_axes: int) -> bool:
        """Whether results have no axis of rows, given how many axes a row has."""
        if self.single is not None:
            return self.single
        return bool(self.arrays) and all(numbers.ndim <= row_axes for _, numbers in self.arrays[:1])


def as_numbers(values: Any, what: str = "data") -> np.ndarray:
    """Row-major float32 or float64 in memory: the numbers themselves where they lie so already."""
    array = np.asarray(values)
    if array.dtype == np.float32 or array.dtype == np.float64:
        return np.ascontiguousarray(array)
    if array.dtype == np.float16:
        return np.ascontiguousarray(array, np.float32)
    if np.issubdtype(array.dtype, np.integer) or array.dtype == np.bool_:
        return np.ascontiguousarray(array, np.float64)
    raise ArgumentError(f"{what}: got an array of {array.dtype}; expected numbers")


def rows_of(data: Any, feature_names: Sequence[str] | None = None, row_names: Sequence[str] | None = None) -> Rows:
    """The rows of anything that is understood."""
    rows = _rows_of(data)
    if feature_names is not None:
        rows.feature_names = [str(name) for name in feature_names]
    if row_names is not None:
        rows.row_names = [str(name) for name in row_names]
    return rows


def _rows_of(data: Any) -> Rows:
    if isinstance(data, (str, os.PathLike)):
        return Rows(files=[os.fspath(data)], single=_is_picture(os.fspath(data)))
    if isinstance(data, (list, tuple)) and data and all(isinstance(one, (str, os.PathLike)) for one in data):
        return Rows(files=[os.fspath(one) for one in data], single=False)
    return Rows(arrays=[("", as_numbers(data))])


def _is_picture(path: str) -> bool:
    return path.lower().endswith((".png", ".jpg", ".jpeg"))
