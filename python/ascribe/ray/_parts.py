"""Actors that read their samples themselves, and those that write parts: files of finished samples, each written once
(docs/howto/scale.md)."""

from __future__ import annotations

import bisect
import time
from typing import TYPE_CHECKING, Any

from .. import _engine, parts
from ..errors import ArgumentError, FileError
from ._extra import ray
from ._samples import samples_of
from ._sources import opened
from ._worker import Worker

if TYPE_CHECKING:
    from ray.data import Dataset

_MOST_WAITED = 600  # seconds, for an actor that is gone and does not know it yet


class RowsOfPath:
    """Reads samples of a data set by their numbers; gives their rows."""

    def __init__(self, work: type[Worker], arguments: dict[str, Any], path: str) -> None:
        self.worker = work(**arguments)
        self.source = opened(path, self.worker.columns)

    def __call__(self, batch: dict[str, Any]) -> Any:
        """Of one range."""
        return self.worker.rows(self.source.read(int(batch["first"][0]), int(batch["end"][0])))


class PartsOfPath:
    """Writes shards of a data set that the engine reads itself; says what each of them holds."""

    def __init__(self, work: type[Worker], arguments: dict[str, Any], path: str, folder: str, count: int,
                 batch: int | None) -> None:
        self.worker = work(**arguments)
        self.path, self.folder, self.count, self.batch = path, folder, count, batch

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        """Of one shard."""
        number, begin = int(batch["shard"][0]), time.monotonic()
        while True:
            try:
                return _told(self.worker.write_shard(self.path, self.folder, number, self.count, self.batch))
            except FileError as error:
                # An actor that Ray has given up may still be at it, on another machine or not yet ended.
                if "another run" not in str(error) or time.monotonic() - begin > _MOST_WAITED:
                    raise
                time.sleep(1)


class PartsOfTable:
    """Reads samples by their numbers and writes them as a part."""

    def __init__(self, work: type[Worker], arguments: dict[str, Any], path: str, folder: str, total: int) -> None:
        self.worker = work(**arguments)
        self.source = opened(path, self.worker.columns)
        self.folder, self.total = folder, total

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        """Of one range."""
        samples = self.source.read(int(batch["first"][0]), int(batch["end"][0]))
        return _told(self.worker.write_rows(samples, self.folder, self.total))


class PartsOfRows:
    """Writes every batch of a Ray data set as a part, without the samples that finished parts hold already."""

    def __init__(self, work: type[Worker], arguments: dict[str, Any], folder: str, total: int,
                 done: list[tuple[int, int]]) -> None:
        self.worker = work(**arguments)
        self.folder, self.total, self.done = folder, total, done

    def __call__(self, batch: Any) -> dict[str, Any]:
        """Of one batch."""
        samples = samples_of(batch, self.worker.columns)
        for one in samples.ids:
            if not isinstance(one, int) or one >= self.total:
                raise ArgumentError(f"id: got {one!r}; parts need samples that are counted from 0 to "
                                    f"{self.total - 1}")
        left = [i for i, one in enumerate(samples.ids) if not self._knows(one)]
        if not left:
            return {"samples": [len(samples)], "computed": [0], "failed": [0], "error": [""]}
        return _told(self.worker.write_rows(samples.some(left), self.folder, self.total))

    def _knows(self, number: Any) -> bool:
        place = bisect.bisect_right(self.done, number, key=lambda one: one[0]) - 1
        return place >= 0 and number < self.done[place][1]


def _told(written: _engine.Part) -> dict[str, Any]:
    return {"samples": [written.samples], "computed": [written.computed], "failed": [written.failed],
            "error": [written.first_error]}


def rows_of_parts(folder: str) -> Dataset:
    """A Ray data set of the rows of all finished parts."""
    found = [{"path": path} for path in parts.files(folder)]
    rows: Dataset = ray.data.from_items(found, override_num_blocks=len(found)).map_batches(
        _read, batch_size=1, batch_format="numpy", udf_modifying_row_count=True)
    return rows


def _read(batch: dict[str, Any]) -> Any:
    return parts.read(str(batch["path"][0]))
