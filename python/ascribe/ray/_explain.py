"""Explanations by the actors of Ray."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _engine
from .._function import engine_methods
from .._settings import MethodSettings
from ..errors import UnsupportedError
from ..parts import schema
from ._extra import pyarrow
from ._samples import Id, Samples
from ._worker import Worker, rows_of


class Explain(Worker):
    """For `ray.data.Dataset.map_batches`: every sample becomes a row for each method, keyed by sample_id, method and
    settings (a hash), with values per player, residual, target, output, standard errors, the model's hash, seed and
    version. A sample that cannot be explained has an `error` instead.

    The model is read once by every actor; actors of one machine share the pages of its file. `id` names the column of
    the samples' ids, `column` that of the rows, or `columns` those of features; everything else is as in
    `Model.explain`.

    >>> data.map_batches(ascribe.ray.Explain, fn_constructor_kwargs=dict(model="credit.onnx", method="shapley"),
    ...                  batch_size=64, batch_format="pyarrow", num_cpus=1,
    ...                  compute=ray.data.ActorPoolStrategy(size=8))
    """

    def __init__(self, model: Any, method: Any = "integrated_gradients", **arguments: Any) -> None:
        super().__init__(model, **arguments)
        self.methods = self.check_methods(method)
        self.hash = {name: self.settings_hash(methods=[name]) for name in self.methods}

    def identity(self) -> dict[str, Any]:
        """Everything that determines results, besides the sample."""
        return {**super().identity(), "kind": "explain", "methods": self.methods}

    def rows(self, samples: Samples) -> Any:
        """A pyarrow.Table: for every sample a row for each method."""
        texts = any(isinstance(one, str) for one in samples.ids)
        rows = self.each(samples, lambda rows, some: self._asked(samples, rows, some),
                         lambda i, why: [self._key(samples.ids[i], name) | {"error": why} for name in self.methods])
        return pyarrow.Table.from_pylist([row for some in rows for row in some], schema=schema("explain", texts))

    def try_one(self, samples: Samples, i: int) -> None:
        """Explains it."""
        self._asked(samples, rows_of(samples, [i]), [i])

    def try_path(self, path: str, skip: int) -> None:
        """Explains one sample, on the way of data sets or, if the model takes more than they have, of rows."""
        how = dict(self.arguments, seed=self.seed, threads=self.threads, progress=False)
        try:
            settings = how.pop("settings", None) or {}
            known = {name: how.pop(name) for name in list(how) if name in MethodSettings.__annotations__}
            self.model.evaluate(path, self.methods, "completeness", samples=1, skip=skip,
                                settings={**known, **settings}, **how)
        except UnsupportedError:
            self.model.explain(path, self.methods, rows=str(skip), **{**how, **known, "settings": settings})

    def _asked(self, samples: Samples, rows: Any, some: list[int]) -> list[list[dict[str, Any]]]:
        found = self.model.explain(rows, self.methods, seed=self.seed, threads=self.threads, progress=False,
                                   **self.arguments)
        return [[self._row(samples.ids[i], one, k) for one in found.values()] for k, i in enumerate(some)]

    def written(self, folder: str, path: str, made: _engine.Question, call: _engine.Call) -> _engine.Part:
        """A part of explanations."""
        if path:
            made.file(path)
        return self.model._handle.explain_part(made, engine_methods(self.model, self.methods), folder, call)

    def _key(self, sample: Id, method: str) -> dict[str, Any]:
        return {"sample_id": sample, "name": str(sample), "method": method, "settings": self.hash.get(method, ""),
                "model": self.model_hash, "seed": self.seed, "version": _engine.version()}

    def _row(self, sample: Id, one: Any, k: int) -> dict[str, Any]:
        """What explanation `one` says of its row k."""
        def at(values: Any) -> Any:
            return np.atleast_1d(values)[k].item()

        def players(values: Any) -> Any:
            return None if values is None else np.atleast_2d(values)[k]

        if one.method not in self.hash:  # "all" was asked for
            self.hash[one.method] = self.settings_hash(methods=[one.method])
        return self._key(sample, one.method) | {
            "values": players(one.player_values), "residual": at(one.residual), "target": at(one.target),
            "output": at(one.output), "base_value": at(one.base_values), "exact": at(one.exact),
            "evaluations": at(one.evaluations), "standard_errors": players(one.error_std)}
