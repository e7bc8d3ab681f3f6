"""Parts of work that several processes shared, put together."""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass

from . import _engine, _progress
from .errors import ArgumentError
from .evaluation import Evaluation


@dataclass(frozen=True)
class Merged:
    """What `ascribe.merge` has written."""

    folder: str  # of the parts
    kind: str  # "explain" or "evaluate"
    files: list[str]
    samples: int
    failed: int  # samples with an error in place of some or all of the results
    first_error: str
    notes: list[str]

    @functools.cached_property
    def evaluation(self) -> Evaluation:
        """Of parts of `evaluate`: what `Model.evaluate` would have given for all samples at once."""
        if self.kind != "evaluate":
            raise ArgumentError(f"evaluation: these are parts of {self.kind}; expected those of evaluate")
        return Evaluation(_engine.merged_evaluation(self.folder))


def merge(folder: str | os.PathLike[str], out: str | os.PathLike[str] | None = None, *, force: bool = False,
          progress: bool | _progress.Told | None = None) -> Merged:
    """Puts the parts of a folder together, which `ascribe explain --shard`, `ascribe evaluate --shard` or `ascribe.ray`
    have written (docs/howto/scale.md). Every sample must be there exactly once, and model, settings and version must
    agree; otherwise everything that is wrong is said, and nothing is written.

    out: of explanations FILE.npz or FILE.csv, beside which FILE.json has all else; of evaluations a folder, FILE.csv or
        FILE.json. Without it: among the parts
    force: replaces what is there

    >>> ascribe.merge("explained", "explained.npz").samples
    >>> ascribe.merge("scores").evaluation.to_pandas()
    """
    told = _progress.told(progress)
    try:
        done = _engine.merge(os.fspath(folder), "" if out is None else os.fspath(out), force, told)
    finally:
        if isinstance(told, _progress.Bar):
            told.close()
    return Merged(os.fspath(folder), done.kind, list(done.files), done.samples, done.failed, done.first_error,
                  list(done.notes))
