"""A batch of a Ray data set as samples: who they are, and the row of each."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from ..errors import ArgumentError

Id = int | str

_USUAL = ("data", "image", "bytes", "path")  # as Ray's readers call them


@dataclass(frozen=True)
class Columns:
    """Where a data set has what."""

    id: str = "sample_id"
    data: str | None = None  # one column with a row, a picture, its file or its path in each cell
    features: tuple[str, ...] | None = None  # or several, with a number or a category in each
    label: str | None = None  # the true class


@dataclass
class Samples:
    """Some samples. A row is what `Model.explain` takes, or None."""

    ids: list[Id] = field(default_factory=list)
    rows: list[Any] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)  # why there is no row; empty: there is
    labels: list[int] = field(default_factory=list)  # -1: not known
    features: tuple[str, ...] | None = None

    @property
    def numbers(self) -> list[int]:
        return [number_of(one) for one in self.ids]

    def __len__(self) -> int:
        return len(self.ids)

    def some(self, which: Sequence[int]) -> Samples:
        """Those of these places."""
        return Samples([self.ids[i] for i in which], [self.rows[i] for i in which], [self.problems[i] for i in which],
                       [self.labels[i] for i in which] if self.labels else [], self.features)


def number_of(sample: Id) -> int:
    """What stands for a sample wherever something is drawn: its id, or if that is a text, what follows from it."""
    if isinstance(sample, int):
        return sample
    return int.from_bytes(hashlib.sha256(sample.encode()).digest()[:8], "big") >> 1


def columns_of(names: Sequence[str], wanted: Columns) -> Columns:
    """What is not said, from the names of a data set's columns."""
    known = list(names)
    for what, name in (("id", wanted.id), ("data", wanted.data), ("label", wanted.label)):
        if name is not None and name not in known:
            hint = "; every sample needs an id: an integer counted from 0, or a text" if what == "id" else ""
            raise ArgumentError(f"{what}: the data set has no column '{name}'{hint}; got {', '.join(known)}")
    missing = [name for name in wanted.features or () if name not in known]
    if missing:
        raise ArgumentError(f"columns: the data set has no {', '.join(missing)}; got {', '.join(known)}")
    if wanted.data is not None and wanted.features is not None:
        raise ArgumentError("columns: got one with rows and several with features; expected one of the two")
    if wanted.data is not None or wanted.features is not None:
        return wanted
    rest = [name for name in known if name not in (wanted.id, wanted.label)]
    usual = next((name for name in _USUAL if name in rest), None)
    if usual is not None:
        return Columns(wanted.id, usual, None, wanted.label)
    if not rest:
        raise ArgumentError(f"data: the data set has no column besides '{wanted.id}'; expected rows or features")
    return Columns(wanted.id, None, tuple(rest), wanted.label)


def samples_of(batch: Any, columns: Columns) -> Samples:
    """The samples of a batch in any of Ray's formats."""
    cells = _cells(batch)
    columns = columns_of(list(cells), columns)
    ids = [_id(one) for one in cells[columns.id]()]
    made = Samples(ids, features=columns.features)
    if columns.label is not None:
        made.labels = [_label(one) for one in cells[columns.label]()]
    rows = (list(cells[columns.data]()) if columns.data is not None
            else list(zip(*(cells[name]() for name in columns.features or ()))))
    for row in rows:
        problem = _problem(row)
        made.rows.append(None if problem else row)
        made.problems.append(problem)
    return made


def _cells(batch: Any) -> dict[str, Callable[[], list[Any]]]:
    """How the values of each column are read."""
    if hasattr(batch, "column_names"):  # pyarrow.Table
        return {name: partial(_of_arrow, batch.column(name)) for name in batch.column_names}
    names = batch if isinstance(batch, Mapping) else batch.columns
    return {str(name): partial(list, batch[name]) for name in names}


def _of_arrow(column: Any) -> list[Any]:
    """Tensors as arrays, everything else as Python has it."""
    if hasattr(column.type, "shape") or "tensor" in str(column.type).lower():
        return [one for chunk in column.chunks for one in chunk.to_numpy_ndarray()] if hasattr(
            column.type, "shape") else [np.asarray(one) for one in column.to_numpy()]
    return list(column.to_pylist())


def _id(value: Any) -> Id:
    if isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.bool_)) and value >= 0:
        return int(value)
    if isinstance(value, (str, np.str_)) and value:
        return str(value)
    raise ArgumentError(f"id: got {value!r}; expected integers counted from 0, or texts")


def _label(value: Any) -> int:
    return int(value) if isinstance(value, (int, np.integer)) else -1


def _problem(row: Any) -> str:
    if row is None:
        return "there are no data"
    if isinstance(row, tuple) and any(one is None for one in row):
        return "a feature is missing"
    return ""
