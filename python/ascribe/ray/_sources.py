"""Data sets by their paths: their rows are counted, and each actor reads those it works on."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ..errors import ArgumentError, FileError
from ._extra import pyarrow
from ._samples import Columns, Samples, columns_of, samples_of

_PICTURES = (".png", ".jpg", ".jpeg")


class ArrayRows:
    """A .npy file, of which only the rows that are wanted are read; or the array `x` of an .npz file."""

    def __init__(self, path: str) -> None:
        try:
            read = np.load(path, mmap_mode="r", allow_pickle=False)
            self.rows = read if isinstance(read, np.ndarray) else read["x"]
        except KeyError:
            raise FileError(f"{path}: there is no array x; expected the rows under this name") from None
        except (OSError, ValueError) as error:
            raise FileError(f"{path}: it cannot be read: {error}") from None
        if self.rows.ndim < 2:
            raise FileError(f"{path}: an array of shape {list(self.rows.shape)}; expected rows first")

    def __len__(self) -> int:
        return len(self.rows)

    def read(self, first: int, end: int) -> Samples:
        rows = list(np.array(self.rows[first:end]))
        return Samples(list(range(first, end)), rows, [""] * len(rows))


class TableRows:
    """A Parquet file, or a folder of them in the order of their names."""

    def __init__(self, path: str, columns: Columns) -> None:
        import pyarrow.parquet as parquet

        files = [path] if os.path.isfile(path) else sorted(
            os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names
            if name.endswith(".parquet"))
        if not files:
            raise FileError(f"{path}: there are no .parquet files")
        try:
            self.files = [parquet.ParquetFile(file) for file in files]
        except (OSError, pyarrow.ArrowException) as error:
            raise FileError(f"{path}: it cannot be read: {error}") from None
        names = self.files[0].schema_arrow.names
        # Whatever the table says, samples are counted as they lie.
        self.columns = columns_of([*names, "number of the row"], Columns("number of the row", columns.data,
                                                                        columns.features, columns.label))
        self.starts: list[tuple[int, Any, int]] = []  # the first row of a group, its file, its number there
        count = 0
        for file in self.files:
            for group in range(file.num_row_groups):
                self.starts.append((count, file, group))
                count += file.metadata.row_group(group).num_rows
        self.count = count

    def __len__(self) -> int:
        return self.count

    def read(self, first: int, end: int) -> Samples:
        wanted = [name for name in (self.columns.data, self.columns.label, *(self.columns.features or ()))
                  if name is not None]
        tables = []
        for k, (start, file, group) in enumerate(self.starts):
            after = self.starts[k + 1][0] if k + 1 < len(self.starts) else self.count
            low, high = max(first, start), min(end, after)
            if low < high:
                tables.append(file.read_row_group(group, columns=wanted).slice(low - start, high - low))
        table = pyarrow.concat_tables(tables)
        return samples_of(table.append_column("number of the row", [list(range(first, end))]), self.columns)


class PictureRows:
    """The pictures of a folder and its folders, in the order of their names."""

    def __init__(self, path: str) -> None:
        self.files = sorted(os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names
                            if name.lower().endswith(_PICTURES))
        if not self.files:
            raise FileError(f"{path}: there are no {', '.join(_PICTURES)} files")

    def __len__(self) -> int:
        return len(self.files)

    def read(self, first: int, end: int) -> Samples:
        return Samples(list(range(first, end)), list(self.files[first:end]), [""] * (end - first))


Source = ArrayRows | TableRows | PictureRows


def opened(path: str, columns: Columns) -> Source:
    """The data set at a path."""
    if not os.path.exists(path):
        raise FileError(f"{path}: there is no such file or folder")
    if path.endswith((".npy", ".npz")):
        return ArrayRows(path)
    if is_parquet(path):
        return TableRows(path, columns)
    if os.path.isdir(path) and _has(path, _PICTURES):
        return PictureRows(path)
    raise ArgumentError(f"data: got {path}; expected a .npy, .npz or .parquet file, or a folder of pictures or "
                        ".parquet files")


def is_parquet(path: str) -> bool:
    """Whether it is a file of Parquet, or a folder with some."""
    return path.endswith(".parquet") or os.path.isdir(path) and _has(path, (".parquet",))


def _has(path: str, endings: tuple[str, ...]) -> bool:
    return any(name.lower().endswith(endings) for _, _, names in os.walk(path) for name in names)
