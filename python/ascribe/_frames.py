"""Frames of pandas and polars: their columns are features, their index names the rows."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ._arrays import comes_from
from .errors import ArgumentError, ShapeError

_WORD_ON_TEXTS = ("the model takes numbers, so texts need the encoding that it was trained with (OneHotEncoder, "
                  "OrdinalEncoder, pandas.get_dummies); or put the encoder and the model into one "
                  "ascribe.function(..., frames=True) or one ONNX file (docs/howto/tables.md)")
_MOST_NAMED = 10


class Column(NamedTuple):
    """A column of a frame: numbers of numpy, or texts."""

    name: str
    values: np.ndarray  # float32, float64, integers or bool; objects if they are texts
    texts: bool


class Frame(NamedTuple):
    """A frame of pandas or polars, or one row of one."""

    columns: list[Column]
    row_names: list[str]  # empty: the rows have none
    single: bool
    length: int

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    def chosen(self, names: Sequence[str], what: str) -> Frame:
        """The columns of these names, in this order."""
        there = dict(zip(self.names, self.columns, strict=True))
        missing = [name for name in names if name not in there]
        if missing:
            raise ShapeError(f"{what}: the frame lacks the columns {some_of(missing)}; it has {some_of(self.names)}")
        return self._replace(columns=[there[name] for name in names])

    def numbers(self, what: str) -> np.ndarray:
        """[rows, columns] of float32 or float64; columns of texts are refused by name."""
        texts = [column.name for column in self.columns if column.texts]
        if texts:
            raise ArgumentError(f"{what}: the columns {some_of(texts)} hold no numbers; {_WORD_ON_TEXTS}")
        kinds = [column.values.dtype for column in self.columns]
        wide = any(kind.itemsize > 4 or kind.kind in "iu" and kind.itemsize > 2 for kind in kinds)
        table = np.empty((self.length, len(self.columns)), np.float64 if wide else np.float32)
        for place, column in enumerate(self.columns):
            table[:, place] = column.values
        return table[0] if self.single else table

    def table(self, names: Sequence[str]) -> tuple[str, bytes]:
        """The frame as (name, table in text), whose numbers come back bit for bit. `names`: of columns without any."""
        nameless = all(name.lstrip("-").isdigit() for name in self.names)
        header = list(names) if nameless and len(names) == len(self.columns) else self.names
        separator = next((one for one in ",;\t" if _guessed_separator(_line(header, one)) == one), ",")
        with io.StringIO(newline="") as text:
            write = csv.writer(text, delimiter=separator, quoting=csv.QUOTE_ALL, lineterminator="\n")
            write.writerow(header)
            write.writerows(zip(*(_cells(column) for column in self.columns), strict=True))
            content = text.getvalue().encode()
        return f"frame-{hashlib.sha256(content).hexdigest()[:8]}.csv", content


def is_frame(data: Any) -> bool:
    """Whether it is a frame, or one row or column of one."""
    return (comes_from(data, "pandas") and hasattr(data, "to_numpy") and hasattr(data, "iloc")
            or comes_from(data, "polars") and (hasattr(data, "to_numpy") or hasattr(data, "collect")))


def frame_of(data: Any, what: str = "data") -> Frame:
    """What a frame or a row of pandas or polars holds.

    >>> frame_of(pandas.DataFrame({"age": [30, 40]}, index=["a", "b"])).row_names
    ['a', 'b']
    """
    frame = _of_pandas(data) if comes_from(data, "pandas") else _of_polars(data)
    if not frame.columns or frame.length == 0:
        raise ShapeError(f"{what}: got a frame of {frame.length} rows and {len(frame.columns)} columns; expected at "
                         "least one of each")
    repeated = sorted({name for name in frame.names if frame.names.count(name) > 1}) if len(
        set(frame.names)) < len(frame.columns) else []
    if repeated:
        raise ArgumentError(f"{what}: several columns are called {some_of(repeated)}; expected names that differ")
    return frame


def frame_of_mapping(data: Mapping[str, Any]) -> Frame:
    """A mapping from names of columns to values, or lists of them."""
    columns = []
    single = all(np.ndim(values) == 0 for values in data.values())
    for name, values in data.items():
        columns.append(_column(str(name), np.atleast_1d(np.asarray(values))))
    lengths = {len(column.values) for column in columns}
    if len(lengths) > 1:
        raise ShapeError(f"data: the columns have {', '.join(map(str, sorted(lengths)))} rows; expected as many in "
                         "each")
    return Frame(columns, [], single, lengths.pop())


def some_of(names: Sequence[str]) -> str:
    """Names in a row, not too many of them."""
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(f"'{name}'" for name in names[:_MOST_NAMED]) + more


def _of_pandas(data: Any) -> Frame:
    import pandas

    if isinstance(data, pandas.Series):
        name = [] if data.name is None else [str(data.name)]
        values = _plain(data)
        columns = [_column(str(label), values[place:place + 1]) for place, label in enumerate(data.index)]
        return Frame(columns, name, True, 1)
    columns = [_column(_label(label), _plain(data.iloc[:, place])) for place, label in enumerate(data.columns)]
    index = [] if isinstance(data.index, pandas.RangeIndex) and data.index.start == 0 and data.index.step == 1 else [
        _label(label) for label in data.index]
    return Frame(columns, index, False, len(data))


def _label(label: Any) -> str:
    return " ".join(map(str, label)) if isinstance(label, tuple) else str(label)


def _plain(series: Any) -> np.ndarray:
    """The values of a Series as an array of numpy: of nullable types with NaN where nothing is, of categories the
    categories themselves."""
    import pandas

    if isinstance(series.dtype, pandas.CategoricalDtype):
        categories = series.cat.categories.to_numpy()
        if categories.dtype.kind in "iufb":
            return np.where(series.cat.codes < 0, np.nan, categories[series.cat.codes].astype(float))
        return np.asarray(series.astype(object))
    extension = isinstance(series.dtype, pandas.api.extensions.ExtensionDtype)
    if extension and pandas.api.types.is_numeric_dtype(series.dtype):
        if series.isna().any():
            return np.asarray(series.to_numpy(dtype=float, na_value=np.nan))
        return np.asarray(series.to_numpy(dtype=getattr(series.dtype, "numpy_dtype", np.dtype(float))))
    return np.asarray(series)


def _of_polars(data: Any) -> Frame:
    import polars

    if isinstance(data, polars.LazyFrame):
        data = data.collect()
    if isinstance(data, polars.Series):
        values = _plain_polars(data)
        return Frame([_column(str(place), values[place:place + 1]) for place in range(len(values))],
                     [data.name] if data.name else [], True, 1)
    return Frame([_column(series.name, _plain_polars(series)) for series in data.iter_columns()], [], False,
                 data.height)


def _plain_polars(series: Any) -> np.ndarray:
    import polars

    if series.dtype == polars.Boolean:
        series = series.cast(polars.UInt8)
    if not series.dtype.is_numeric():
        return np.array(series.to_list(), dtype=object)
    return np.asarray(series.to_numpy())


def _column(name: str, values: np.ndarray) -> Column:
    if values.dtype.kind == "O" and all(isinstance(one, (int, float, np.number, np.bool_)) or one is None
                                        for one in values):
        values = np.array([np.nan if one is None else one for one in values], float)
    return Column(name, values, values.dtype.kind not in "iufb")


def _cells(column: Column) -> list[str]:
    if column.texts:
        return ["" if one is None or one != one else str(one) for one in column.values]
    if column.values.dtype.kind == "f":
        return [repr(float(one)) for one in column.values]
    return [str(int(one)) for one in column.values]


def _line(cells: Sequence[str], separator: str) -> str:
    return separator.join(cells)


def _guessed_separator(line: str) -> str:
    """As the engine tells it from the first line."""
    best = ","
    for one in ";\t":
        if line.count(one) > line.count(best):
            best = one
    return best
