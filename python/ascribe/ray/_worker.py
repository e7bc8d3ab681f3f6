"""What the actors of all kinds of work have in common: a model that is read once, and samples that fail alone."""

from __future__ import annotations

import hashlib
import json
import math
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import _engine
from .._asking import Calling, in_a_word, question, question_without_rows, split
from .._function import engine_methods
from .._pictures import picture_files
from ..errors import ArgumentError, Cancelled, Error, InternalError
from ..model import Model, load
from ._samples import Columns, Samples, samples_of

LOADING = ("precision", "memory", "shape")


def file_of(content: bytes) -> str:
    """The path of a file with these bytes, on the disk of this machine: actors that map it share its pages."""
    digest = hashlib.sha256(content).hexdigest()
    folder = os.path.join(tempfile.gettempdir(), f"ascribe-models-{os.getuid()}")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    path = os.path.join(folder, digest + ".onnx")
    if not os.path.exists(path):
        unfinished = f"{path}.{os.getpid()}"
        with open(unfinished, "wb") as file:
            file.write(content)
        os.replace(unfinished, path)
    return path


class Worker:
    """A model, and what is asked of it."""

    def __init__(self, model: str | os.PathLike[str] | bytes, *, seed: int = 0, threads: int = 1,
                 id: str = "sample_id", column: str | None = None, columns: Sequence[str] | None = None,
                 label: str | None = None, **arguments: Any) -> None:
        self.seed, self.threads = int(seed), int(threads)
        self.columns = Columns(id, column, None if columns is None else tuple(columns), label)
        loading = {name: arguments.pop(name) for name in LOADING if name in arguments}
        asked, working = split(arguments)
        if callable(asked.get("target")):
            raise ArgumentError("target: a function belongs to rows that are here; expected a class, a label or 'top'")
        self.arguments = arguments
        self.precision = loading.get("precision")
        self.model: Model = load(file_of(model) if isinstance(model, bytes) else os.fspath(model), **loading)
        self.model_hash = self.model.sha256
        self._about = {"model": self.model_hash, "version": _engine.version(), "seed": str(self.seed),
                       "precision": self.precision, "settings": {k: str(v) for k, v in working["settings"].items()},
                       "question": {name: in_a_word(value) for name, value in asked.items()}}

    def __call__(self, batch: Any) -> Any:
        """A batch in any of Ray's formats; gives a pyarrow.Table."""
        return self.rows(samples_of(batch, self.columns))

    def check_methods(self, methods: Any) -> list[str]:
        """Their names, if there are such; methods of the caller's own stay where they are."""
        names = list(methods) if isinstance(methods, (list, tuple)) else [methods]
        for name in names:
            if not isinstance(name, str):
                raise ArgumentError(f"method: got {name!r}; expected names of methods, which every machine has")
        engine_methods(self.model, names)
        return names

    def write_shard(self, path: str, folder: str, number: int, count: int, batch: int | None) -> _engine.Part:
        """A shard of a data set that the engine reads itself, as a part in a folder."""
        asked, working = self._split()
        made = question_without_rows(self.model, asked)
        with Calling(working, {"batch": batch}) as call:
            call.shard(f"{number}/{count}")
            return self.written(folder, path, made, call)

    def write_rows(self, samples: Samples, folder: str, total: int) -> _engine.Part:
        """These samples, as a part in a folder of `total`."""
        asked, working = self._split()
        data, problems = whole_rows(samples, self.model)
        # The engine finds nothing usable in the place of a sample with a problem, and says so with its name.
        names = [f"{one}: {problem}" if problem else str(one) for one, problem in zip(samples.ids, problems)]
        made, _ = question(self.model, data, dict(asked, numbers=samples.numbers, row_names=names))
        with Calling(working, {"items": total}) as call:
            if samples.labels:
                call.classes(samples.labels)
            return self.written(folder, "", made, call)

    def written(self, folder: str, path: str, made: _engine.Question, call: _engine.Call) -> _engine.Part:
        """What the engine writes; of each kind of work its own. `path`: of data that the question has not."""
        raise NotImplementedError

    def _split(self) -> tuple[dict[str, Any], dict[str, Any]]:
        return split({**self.arguments, "seed": self.seed, "threads": self.threads, "progress": False})

    def rows(self, samples: Samples) -> Any:
        """The results of samples as a table; of each kind of work its own."""
        raise NotImplementedError

    def try_one(self, samples: Samples, i: int) -> None:
        """Raises what is wrong with a sample, or with everything."""
        raise NotImplementedError

    def try_path(self, path: str, skip: int) -> None:
        """Likewise with one sample of a data set that the engine reads."""
        raise NotImplementedError

    def identity(self) -> dict[str, Any]:
        """Everything that determines results, besides the sample."""
        return dict(self._about)

    def settings_hash(self, **more: Any) -> str:
        """Of that."""
        return hashlib.sha256(json.dumps({**self.identity(), **more}, sort_keys=True).encode()).hexdigest()

    def each(self, samples: Samples, ask: Callable[[Any, list[int]], list[Any]],
             failed: Callable[[int, str], Any]) -> list[Any]:
        """What `ask` says of (rows, which samples they are), and of samples that it cannot be asked about what `failed`
        says of (the sample, why). Samples that fail together are asked one by one."""
        answers: dict[int, Any] = {i: failed(i, problem) for i, problem in enumerate(samples.problems) if problem}
        good = [i for i in range(len(samples)) if i not in answers]
        for group in ([good], [[i] for i in good]):
            left = [some for some in group if some and some[0] not in answers]
            for some in left:
                try:
                    answers.update(zip(some, ask(rows_of(samples, some), some), strict=True))
                except (Cancelled, InternalError):
                    raise
                except Error as error:
                    if len(some) == 1:
                        answers[some[0]] = failed(some[0], str(error))
        return [answers[i] for i in range(len(samples))]


def whole_rows(samples: Samples, model: Model) -> tuple[Any, list[str]]:
    """All rows as `Model.explain` takes them, and why some of them are no rows: they are not a number there."""
    problems = [problem or _misfit(row, model, samples.features is not None)
                for row, problem in zip(samples.rows, samples.problems)]
    forms = [_form(row) for row in samples.rows]
    usual = Counter(form for form, problem in zip(forms, problems) if not problem).most_common(1)
    if not usual:
        return np.full((len(samples), *model.row_shape), np.nan), problems
    problems = [problem or ("" if form == usual[0][0] else f"got {form}; expected {usual[0][0]}, as other samples have")
                for form, problem in zip(forms, problems)]
    filled = _filled(samples.rows, problems, model)
    return rows_of(Samples(samples.ids, filled, features=samples.features), list(range(len(samples)))), problems


def _form(row: Any) -> str:
    """What kind of row it is; rows of one kind can be asked about together."""
    if isinstance(row, tuple):
        return "features"
    if isinstance(row, (bytes, str)):
        return "a file in memory" if isinstance(row, bytes) else "a path"
    array = np.asarray(row)
    return f"{'bytes' if array.dtype == np.uint8 else 'numbers'} of shape {list(array.shape)}"


def _filled(rows: list[Any], problems: list[str], model: Model) -> list[Any]:
    """The rows, and what nobody can explain in the place of those with a problem."""
    if not any(problems):
        return rows
    good = [row for row, problem in zip(rows, problems) if not problem]
    nothing: Any = (math.nan,) * len(good[0]) if isinstance(good[0], tuple) else b"\x89PNG"
    if not isinstance(good[0], (tuple, bytes, str)):
        pictures = [picture_files(np.asarray(row), model.row_shape) for row in good]
        if all(one is not None and one[1] for one in pictures):
            good = [one[0][0][1] for one in pictures if one is not None]
        else:
            good = [np.asarray(row, np.float64) for row in good]
            nothing = np.full(good[0].shape, np.nan)
    left = iter(good)
    return [nothing if problem else next(left) for problem in problems]


def _misfit(row: Any, model: Model, features: bool) -> str:
    """Why a row of numbers cannot be one of the model's; empty: it may be."""
    if features or isinstance(row, (bytes, str)):
        return ""
    array = np.asarray(row)
    if array.dtype.kind not in "fiub":
        return f"got {array.dtype}; expected numbers"
    known = all(extent > 0 for extent in model.row_shape)
    if known and array.dtype != np.uint8 and array.size != math.prod(model.row_shape):
        return f"got a row of shape {list(array.shape)}; expected {list(model.row_shape)}"
    return ""


def rows_of(samples: Samples, some: list[int]) -> Any:
    """Their rows as `Model.explain` takes them."""
    rows = [samples.rows[i] for i in some]
    if samples.features is not None:
        import pandas

        return pandas.DataFrame(rows, columns=list(samples.features))
    if all(isinstance(row, (bytes, str)) for row in rows):
        return rows
    arrays = [np.asarray(row) for row in rows]
    if any(one.shape != arrays[0].shape for one in arrays):
        # Told one by one which of them do not fit.
        shapes = sorted({str(list(one.shape)) for one in arrays})
        raise ArgumentError(f"data: rows of different shapes, {' and '.join(shapes)}")
    if arrays[0].dtype.kind not in "fiub":
        raise ArgumentError(f"data: got {arrays[0].dtype}; expected numbers")
    return np.stack(arrays)
