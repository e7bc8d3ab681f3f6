"""Parts of work on large data sets (docs/howto/scale.md): as tables of rows, and as Parquet. Needs pyarrow, which the
extra `ray` installs: pip install 'ascribe-xai[ray]'."""

from __future__ import annotations

import contextlib
import json
import math
import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from . import _engine
from .errors import FileError

try:
    import pyarrow
    from pyarrow import parquet
except ImportError as missing:
    raise ImportError("ascribe.parts needs pyarrow: pip install 'ascribe-xai[ray]'", name=missing.name) from None

Path = str | os.PathLike[str]

_NUMBERS = pyarrow.list_(pyarrow.float64())
_COMMON = [("settings", pyarrow.string()), ("model", pyarrow.string()), ("seed", pyarrow.uint64()),
           ("version", pyarrow.string()), ("error", pyarrow.string())]
_OF_EXPLAIN = [("method", pyarrow.string()), ("values", _NUMBERS), ("standard_errors", _NUMBERS),
               ("residual", pyarrow.float64()), ("target", pyarrow.int64()), ("output", pyarrow.float64()),
               ("base_value", pyarrow.float64()), ("exact", pyarrow.bool_()), ("evaluations", pyarrow.int64())]
_OF_EVALUATE = [("method", pyarrow.string()), ("metric", pyarrow.string()), ("score", pyarrow.float64()),
                ("undefined", pyarrow.string()), ("target", pyarrow.int64()), ("label", pyarrow.int64()),
                ("predicted", pyarrow.int64())]


def schema(kind: str, texts: bool = False) -> Any:
    """The columns of the rows of "explain" or "evaluate". `texts`: samples are called by texts."""
    key = [("sample_id", pyarrow.string() if texts else pyarrow.int64()), ("name", pyarrow.string())]
    return pyarrow.schema([*key, *(_OF_EXPLAIN if kind == "explain" else _OF_EVALUATE), *_COMMON])


def files(folder: Path) -> list[str]:
    """The finished parts of a folder, in the order of their samples."""
    folder = os.fspath(folder)
    try:
        return sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".part"))
    except OSError as error:
        raise FileError(f"{folder}: it cannot be read: {error.strerror}") from None


def held(folder: Path) -> list[tuple[int, int]]:
    """Which samples the finished parts of a folder hold: ranges (first, end)."""
    if not os.path.isdir(folder):
        return []
    return [(first, end) for file in files(folder) for first, end in
            json.loads(_engine.PartReader(file).header_json())["holds"]]


def tables(path: Path) -> Iterator[Any]:
    """The rows of a part, or of all parts of a folder, a pyarrow.Table for each block. What is damaged is an error."""
    for file in files(path) if os.path.isdir(path) else [os.fspath(path)]:
        part = _engine.PartReader(file)
        header = json.loads(part.header_json())
        if header["kind"] not in ("explain", "evaluate"):
            raise FileError(f"{file}: a part of {header['kind']}; expected one of explain or evaluate")
        rows_of = _explained if header["kind"] == "explain" else _evaluated
        common = {"settings": header["settings_sha256"], "model": header["model"], "seed": int(header["seed"]),
                  "version": header["version"]}
        while (body := part.next()) is not None:
            rows = [{**common, **row} for row in rows_of(body, header["about"])]
            yield pyarrow.Table.from_pylist(rows, schema=schema(header["kind"]))


def read(path: Path) -> Any:
    """The rows of a part, or of all parts of a folder, as a pyarrow.Table: a row for each sample and method, or sample,
    method and metric. A sample that could not be used has an `error`.

    >>> ascribe.parts.read("explained").to_pandas()
    """
    found = list(tables(path))
    if not found:
        raise FileError(f"{os.fspath(path)}: there are no finished parts")
    return pyarrow.concat_tables(found)


def to_parquet(path: Path, out: Path, *, overwrite: bool = False, partial: bool = False) -> int:
    """The rows of a part, or of a folder, as a Parquet file, which is there as a whole or not at all. Gives how many
    rows it has. All samples must be in the folder, each once, unless `partial`.

    >>> ascribe.parts.to_parquet("explained", "explained.parquet")
    """
    path, out = os.fspath(path), os.fspath(out)
    if os.path.exists(out) and not overwrite:
        raise FileError(f"{out}: it is there already; overwrite=True replaces it")
    if os.path.isdir(path) and not partial:
        problems = _engine.check_parts(path)
        if problems:
            raise FileError(f"{path}: the parts are not all of a work; partial=True takes those that are there\n  "
                            + "\n  ".join(problems))
    unfinished, rows, writer = f"{out}.{os.getpid()}.part", 0, None
    try:
        for table in tables(path):
            writer = writer or parquet.ParquetWriter(unfinished, table.schema, compression="zstd")
            writer.write_table(table)
            rows += len(table)
        if writer is None:
            raise FileError(f"{path}: there are no finished parts")
        writer.close()
        with open(unfinished, "rb") as file:
            os.fsync(file.fileno())
        os.replace(unfinished, out)
    except OSError as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{out}: it cannot be written: {error.strerror or error}") from None
    finally:
        with contextlib.suppress(OSError):
            os.unlink(unfinished)
    return rows


def _explained(body: bytes, about: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The rows of a block, whose form docs/howto/shards.md describes."""
    length = int.from_bytes(body[:8], "little")
    document = json.loads(body[8:8 + length])
    methods = [one["name"] for one in about["methods"]]
    place = 8 + length + sum(4 * math.prod(layout["row"]) for layout in document["layouts"])
    numbers = np.frombuffer(body[place:], "<f8")
    players = [layout["players"] for layout in document["layouts"]]
    at = 0
    for row in document["rows"]:
        key = {"sample_id": row["number"], "name": row["name"]}
        if "error" in row:
            yield from ({**key, "method": method, "error": row["error"]} for method in methods)
            continue
        count, output = players[row["layout"]], numbers[at]
        at += 2
        for method, answer in zip(methods, row["answers"], strict=True):
            if "error" in answer:
                yield {**key, "method": method, "target": row["target"], "error": answer["error"]}
                continue
            residual, base, _, evaluations, exact = numbers[at:at + 5]
            errors = at + 5 + count
            yield {**key, "method": method, "target": row["target"], "output": output, "residual": residual,
                   "base_value": base, "evaluations": int(evaluations), "exact": bool(exact),
                   "values": numbers[at + 5:errors],
                   "standard_errors": numbers[errors:errors + count] if answer.get("standard_errors") else None}
            at = errors + (count if answer.get("standard_errors") else 0)


def _evaluated(body: bytes, about: dict[str, Any]) -> Iterator[dict[str, Any]]:
    line = json.loads(body)
    methods, metrics = ([one["name"] for one in about[kind]] for kind in ("methods", "metrics"))
    for sample in line["samples"]:
        key = {"sample_id": sample["sample"], "name": sample["name"], "target": sample["target"],
               "label": sample["label"] if sample["label"] >= 0 else None, "predicted": sample["top"]}
        for method, scores in zip(methods, sample["scores"], strict=True):
            for metric, score in zip(metrics, scores, strict=True):
                found = {"undefined": score} if isinstance(score, str) else {"score": score}
                yield {**key, "method": method, "metric": metric, **found}
    for one in line["failures"]:
        for method in methods:
            for metric in metrics:
                yield {"sample_id": one["sample"], "name": one["name"], "method": method, "metric": metric,
                       "error": one["error"]}
