"""Results computed again from their records, and held against them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from . import _engine, _progress
from ._asking import Calling
from .errors import ArgumentError

Path = str | os.PathLike[str]


class Replay:
    """What `ascribe.replay` returns.

    >>> r = ascribe.replay("boot/record.json")
    >>> r.answer, r.agrees
    ('same', True)
    """

    def __init__(self, handle: _engine.Replay) -> None:
        # "same": every bit; "within tolerance": but for rounding; "different": `document` says where; "not possible":
        # something has changed or is missing, and nothing was computed.
        self.answer: str = handle.answer
        self.changed: list[str] = list(handle.changed)  # what has changed or is missing
        self.document: dict[str, Any] = json.loads(handle.json())

    @property
    def agrees(self) -> bool:
        """Whether the same came out, up to rounding."""
        return self.answer in ("same", "within tolerance")

    def to_dict(self) -> dict[str, Any]:
        """The document that the command line prints."""
        return self.document

    def __repr__(self) -> str:
        what = f": {', '.join(self.changed)}" if self.changed else ""
        return f"Replay({self.document['verb']}, {self.answer}{what})"


def replay(record: Path | Mapping[str, Any], files: Mapping[str, Path | Sequence[Path]] | None = None, *,
           threads: int | None = None, batch: int | None = None,
           progress: bool | _progress.Told | None = None) -> Replay:
    """Computes a result again from its record (docs/howto/records.md) and says whether the same comes out. The record
    is that of a result (`e.record`), or the path of a record.json or of a result in JSON that holds one.

    files: in the place of those that the record names, by their role: {"model": "m.onnx", "input": "x.npy"}. Arrays
        that were in memory are given here as .npy files of the same type and shape
    threads: of this call; what OMP_NUM_THREADS says, or all of the machine, is usual
    batch: of evaluations, samples at a time
    progress: as for every verb

    >>> e = model.explain("boot.png", method="shapley", players="grid:3x3", record=True)
    >>> ascribe.replay(e.record).answer
    'same'
    """
    given = list(_roles(files or {}))
    with Calling({"threads": threads, "progress": progress}, {"batch": batch}) as call:
        if isinstance(record, Mapping):
            return Replay(_engine.replay_record(json.dumps(record), given, call))
        if not isinstance(record, (str, os.PathLike)):
            raise ArgumentError(f"record: got {type(record).__name__}; expected the record of a result that was asked "
                                "for with record=True, or the path of a file with one")
        return Replay(_engine.replay(os.fspath(record), given, call))


def _roles(files: Mapping[str, Path | Sequence[Path]]) -> Iterator[str]:
    """As the engine takes them: ROLE=FILE."""
    for role, paths in files.items():
        for path in [paths] if isinstance(paths, (str, os.PathLike)) else paths:
            yield f"{role}={os.fspath(path)}"
