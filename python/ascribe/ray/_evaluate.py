"""Scores by the actors of Ray."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .. import _engine
from .._asking import setting_text
from .._evaluating import metric_names
from .._function import engine_methods
from ..parts import schema
from ._extra import pyarrow
from ._samples import Samples
from ._worker import Worker, rows_of


class Evaluate(Worker):
    """For `ray.data.Dataset.map_batches`: every sample becomes a row for each method and metric with its score, or with
    why it has none (`undefined`); a sample that cannot be read has an `error` instead. `label` names the column of the
    true classes. Scores do not depend on how samples are cut into batches: whatever a metric draws follows from the
    seed and the sample's id.

    >>> data.map_batches(ascribe.ray.Evaluate, batch_size=64, num_cpus=1, compute=ray.data.ActorPoolStrategy(size=8),
    ...                  fn_constructor_kwargs=dict(model="credit.onnx", method="shapley", metric="deletion"))
    """

    def __init__(self, model: Any, method: Any = "all", metric: str | Sequence[str] = "all", **arguments: Any) -> None:
        self.metric_settings = arguments.pop("metric_settings", None)
        self.samples = int(arguments.pop("samples", 0))
        super().__init__(model, **arguments)
        self.methods, self.metrics = self.check_methods(method), metric_names(metric)
        self.hash = self.settings_hash()

    def identity(self) -> dict[str, Any]:
        """Everything that determines results, besides the sample."""
        settings = {name: str(value) for name, value in (self.metric_settings or {}).items()}
        return {**super().identity(), "kind": "evaluate", "methods": self.methods, "metrics": self.metrics,
                "metric_settings": settings}

    def rows(self, samples: Samples) -> Any:
        """A pyarrow.Table: for every sample a row for each method and metric."""
        texts = any(isinstance(one, str) for one in samples.ids)
        rows = self.each(samples, lambda rows, some: self._asked(samples, rows, some),
                         lambda i, why: [self._key(samples, i, method, metric) | {"error": why}
                                         for method in self.methods for metric in self.metrics])
        return pyarrow.Table.from_pylist([row for some in rows for row in some], schema=schema("evaluate", texts))

    def try_one(self, samples: Samples, i: int) -> None:
        """Scores it."""
        self._asked(samples, rows_of(samples, [i]), [i])

    def try_path(self, path: str, skip: int) -> None:
        """Scores one sample."""
        self.model.evaluate(path, self.methods, self.metrics, samples=1, skip=skip, seed=self.seed, progress=False,
                            threads=self.threads, metric_settings=self.metric_settings,
                            label_from=self.columns.label, **self.arguments)

    def _asked(self, samples: Samples, rows: Any, some: list[int]) -> list[list[dict[str, Any]]]:
        numbers = samples.numbers
        found = self.model.evaluate(rows, self.methods, self.metrics, seed=self.seed, threads=self.threads,
                                    classes=[samples.labels[i] for i in some] if samples.labels else None,
                                    numbers=[numbers[i] for i in some], metric_settings=self.metric_settings,
                                    progress=False, **self.arguments)
        return self._rows(samples, some, found._handle)

    def written(self, folder: str, path: str, made: _engine.Question, call: _engine.Call) -> _engine.Part:
        """A part of scores."""
        call.samples(self.samples)
        for name, value in (self.metric_settings or {}).items():
            call.set_metric(name, setting_text(value))
        if path and self.columns.label is not None:
            call.label_from(self.columns.label)
        return self.model._handle.evaluate_part(path, engine_methods(self.model, self.methods), self.metrics, folder,
                                                made, call)

    def _key(self, samples: Samples, i: int, method: str, metric: str) -> dict[str, Any]:
        return {"sample_id": samples.ids[i], "name": str(samples.ids[i]), "method": method, "metric": metric,
                "settings": self.hash, "label": samples.labels[i] if samples.labels else None,
                "model": self.model_hash, "seed": self.seed, "version": _engine.version()}

    def _rows(self, samples: Samples, some: list[int], found: _engine.Evaluation) -> list[list[dict[str, Any]]]:
        place = {number: k for k, number in enumerate(found.sample_numbers)}
        numbers, predicted = samples.numbers, found.predicted_classes
        rows: list[list[dict[str, Any]]] = [[] for _ in some]
        for method in found.methods:
            for metric in found.metrics:
                scores, reasons = found.scores(method, metric), found.why_undefined(method, metric)
                for into, i in zip(rows, some):
                    k = place[numbers[i]]
                    score = scores[k].item()
                    into.append(self._key(samples, i, method, metric) | {
                        "score": None if math.isnan(score) else score, "undefined": reasons[k] or None,
                        "predicted": predicted[k]})
        return rows
