"""Whole runs: what cannot work is said before anything begins, actors do the work, and at the end it is counted."""

from __future__ import annotations

import json
import logging
import math
import os
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from .. import parts
from ..errors import ArgumentError, Cancelled, Error, FileError, InternalError
from ._evaluate import Evaluate
from ._explain import Explain
from ._extra import ray, started
from ._parts import PartsOfPath, PartsOfRows, PartsOfTable, RowsOfPath, rows_of_parts
from ._samples import Samples, columns_of, samples_of
from ._sources import is_parquet, opened
from ._worker import Worker

if TYPE_CHECKING:
    from ray.data import Dataset

    Data = Dataset | str | os.PathLike[str]
    Source = str | os.PathLike[str] | bytes

log = logging.getLogger("ascribe")

_PROBED = 8  # samples that are tried before the run
_MOST_TASKS = 1000
_BETWEEN_WORDS = 10  # seconds
_ELEMENTS, _LARGEST_BATCH = 1 << 20, 64
# Machines may go at any time, so actors come back and their tasks are done again; a task that ends its actor as often
# as this is not unlucky.
_RETRIED = {"max_restarts": -1, "max_task_retries": 8}


def explain(data: Data, model: Source, method: str | Sequence[str] = "integrated_gradients", *,
            out: str | os.PathLike[str] | None = None, actors: int | None = None, threads: int = 1,
            batch: int | None = None, shards: int = 256, **arguments: Any) -> Dataset:
    """Every sample of a data set explained on Ray: a data set with the rows of `Explain`.

    data: a Ray data set with a column of ids; or the path of a .npy, .npz or .parquet file, or of a folder of pictures
        or .parquet files, whose samples are counted from 0. All machines must see it. With `out` also any other data
        set that `ascribe evaluate` takes
    model: the path of an ONNX file, likewise, or its bytes
    method: names; `ascribe.methods()` lists them
    out: a folder for parts: each is written once it is whole, and not computed again when the run is started again.
        `ascribe.merge` puts them together and proves that nothing is missing. Without it nothing is done until
        somebody reads the rows
    actors, threads: as many actors with as many threads each; as many as Ray has processors, and one, are usual
    batch: samples that are computed together; as their size suggests is usual. In single precision results depend on it
        in the last digits
    shards: of a path: into how many parts the work is cut
    arguments: `id`, `column`, `columns` and `label` of `Explain`; `precision`, `memory` and `shape` of `ascribe.load`;
        everything else as in `Model.explain`

    >>> ascribe.ray.explain(ray.data.read_parquet("rows"), "credit.onnx", "shapley").write_parquet("explained")
    >>> ascribe.ray.explain("rows.npy", "credit.onnx", ["shapley", "lime"], out="explained", precision="float64")
    """
    return _run(Explain, data, dict(arguments, model=model, method=method, threads=threads), out, actors, batch, shards)


def evaluate(data: Data, model: Source, method: str | Sequence[str] = "all", metric: str | Sequence[str] = "all", *,
             out: str | os.PathLike[str] | None = None, actors: int | None = None, threads: int = 1,
             batch: int | None = None, shards: int = 256, **arguments: Any) -> Dataset:
    """Methods rated by metrics on every sample of a data set: a data set with the rows of `Evaluate`. All else is as in
    `explain`; `ascribe.merge` makes the tables and intervals of `Model.evaluate` from the parts.

    >>> ascribe.ray.evaluate("rows.npy", "credit.onnx", ["shapley", "lime"], "deletion", out="scores")
    """
    return _run(Evaluate, data, dict(arguments, model=model, method=method, metric=metric, threads=threads), out,
                actors, batch, shards)


def _run(work: type[Worker], data: Any, arguments: dict[str, Any], out: Any, actors: int | None, batch: int | None,
         shards: int) -> Dataset:
    for name, value in (("batch", batch), ("shards", shards), ("actors", actors)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            raise ArgumentError(f"{name}: got {value!r}; expected an integer from 1")
    if isinstance(arguments["model"], (str, os.PathLike)):
        arguments["model"] = os.path.abspath(os.fspath(arguments["model"]))
    here = work(**arguments)  # complains of the model, methods and metrics
    folder = None if out is None else os.path.abspath(os.fspath(out))
    if isinstance(data, ray.data.Dataset):
        return _of_dataset(here, data, arguments, folder, actors, batch or _usual_batch(here))
    path = os.path.abspath(os.fspath(data))
    if folder is None:
        return _rows_of_path(here, path, arguments, actors, batch or _usual_batch(here))
    return _parts_of_path(here, path, arguments, folder, actors, batch, shards)


def _of_dataset(here: Worker, data: Dataset, arguments: dict[str, Any], folder: str | None, actors: int | None,
                batch: int) -> Dataset:
    started()
    schema = data.schema()
    if schema is None:
        raise ArgumentError("data: the data set is empty; expected samples")
    columns_of(list(schema.names), here.columns)
    first = samples_of(data.take_batch(_PROBED, batch_format="pyarrow"), here.columns)
    if folder is not None and any(isinstance(one, str) for one in first.ids):
        raise ArgumentError(f"id: got {first.ids[0]!r}; parts need samples that are counted from 0, so that it is "
                            "known whether one is missing")
    _probe(here, first)
    how = dict(batch_size=batch, batch_format="pyarrow", **_pool(actors, here.threads, spare=1))
    if folder is None:
        return data.map_batches(type(here), fn_constructor_kwargs=arguments, **how)
    _own(folder, here)
    total, done = data.count(), sorted(parts.held(folder))
    return _written(data.map_batches(PartsOfRows, fn_constructor_kwargs={
        "work": type(here), "arguments": arguments, "folder": folder, "total": total, "done": done}, **how), folder)


def _rows_of_path(here: Worker, path: str, arguments: dict[str, Any], actors: int | None, batch: int) -> Dataset:
    source = opened(path, here.columns)
    total = len(source)
    _probe(here, source.read(0, min(_PROBED, total)))
    started()
    # As many batches for a task as keep the number of tasks within reason.
    size = batch * max(1, -(-total // (batch * _MOST_TASKS)))
    ranges = [{"first": first, "end": min(first + batch, total)} for first in range(0, total, batch)]
    return ray.data.from_items(ranges, override_num_blocks=-(-total // size)).map_batches(
        RowsOfPath, fn_constructor_kwargs={"work": type(here), "arguments": arguments, "path": path},
        batch_size=1, batch_format="numpy", **_pool(actors, here.threads))


def _parts_of_path(here: Worker, path: str, arguments: dict[str, Any], folder: str, actors: int | None,
                   batch: int | None, shards: int) -> Dataset:
    what: dict[str, Any] = {"work": type(here), "arguments": arguments, "path": path, "folder": folder}
    if is_parquet(path):  # which the engine does not read
        source = opened(path, here.columns)
        total, each = len(source), batch or _usual_batch(here)
        _probe(here, source.read(0, min(_PROBED, total)))
        _own(folder, here)
        size = each * -(-total // (each * shards))
        done = set(parts.held(folder))
        ranges = [(first, min(first + size, total)) for first in range(0, total, size)]
        tasks = [{"first": first, "end": end} for first, end in ranges if (first, end) not in done]
        made: Any = PartsOfTable
        what["total"] = total
    else:
        _tried([partial(here.try_path, path, skip) for skip in range(_PROBED)])
        tasks = [{"shard": number} for number in range(1, shards + 1)]
        made = PartsOfPath
        what.update(count=shards, batch=batch)
    started()
    if not tasks:
        return rows_of_parts(folder)
    pipeline: Dataset = ray.data.from_items(tasks, override_num_blocks=len(tasks)).map_batches(
        made, fn_constructor_kwargs=what, batch_size=1, batch_format="numpy", **_pool(actors, here.threads))
    return _written(pipeline, folder)


def _own(folder: str, here: Worker) -> None:
    """Refuses a folder with parts of other work: samples that are in there are not computed. Which work it is stands in
    a file beside the parts."""
    path, now = os.path.join(folder, "run.json"), here.identity()
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            there = json.load(file)
        if there != now:
            other = sorted(name for name in now if there.get(name) != now[name])
            raise FileError(f"{folder}: parts of other work are in this folder ({', '.join(other)} differ); choose "
                            "another folder")
        return
    if parts.held(folder):
        raise FileError(f"{folder}: parts of other work are in this folder; choose another folder")
    os.makedirs(folder, exist_ok=True)
    unfinished = f"{path}.{os.getpid()}"
    with open(unfinished, "w", encoding="utf-8") as file:
        json.dump(now, file)
    os.replace(unfinished, path)


def _pool(actors: int | None, threads: int, spare: int = 0) -> dict[str, Any]:
    """How many actors there are. `spare`: processors that others need, who read the data."""
    resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
    processors = int(resources.get("CPU", 1))
    count = actors or max(1, (processors - spare) // threads)
    return {"compute": ray.data.ActorPoolStrategy(size=count), "num_cpus": threads, **_RETRIED}


def _usual_batch(here: Worker) -> int:
    """As the engine cuts data sets."""
    return max(1, min(_LARGEST_BATCH, _ELEMENTS // max(1, math.prod(here.model.row_shape))))


def _probe(here: Worker, samples: Samples) -> None:
    """Tries the first samples."""
    def tried(i: int) -> None:
        if samples.problems[i]:
            raise ArgumentError(f"data: {samples.problems[i]}")
        here.try_one(samples, i)

    if not samples.ids:
        raise ArgumentError("data: the data set is empty; expected samples")
    _tried([partial(tried, i) for i in range(len(samples))])


def _tried(tries: Sequence[Callable[[], None]]) -> None:
    """Tries samples until one works. If none does, that is said now."""
    errors: list[Error] = []
    for one in tries:
        try:
            return one()
        except (Cancelled, InternalError):
            raise
        except Error as error:
            errors.append(error)
    if all(str(error) == str(errors[0]) for error in errors):
        raise errors[0]  # which has nothing to do with samples
    raise type(errors[0])(f"none of the first {len(errors)} samples can be used; {errors[0]}")


def _written(pipeline: Dataset, folder: str) -> Dataset:
    """Runs it to its end and counts."""
    samples = computed = failed = 0
    error, told = "", time.monotonic()
    for row in pipeline.iter_rows():
        samples += row["samples"]
        computed += row["computed"]
        failed += row["failed"]
        error = error or row["error"]
        if time.monotonic() - told > _BETWEEN_WORDS:
            told = time.monotonic()
            log.info("%s: %d samples so far", folder, samples)
    log.info("%s: %d samples, %d of them computed now, %d with an error", folder, samples, computed, failed)
    if failed:
        log.warning("%s: %d of %d samples have an error; the first: %s", folder, failed, samples, error)
    return rows_of_parts(folder)
