"""Methods rated by metrics on a data set."""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple

import numpy as np

from . import _engine
from ._records import record_of
from .errors import ArgumentError


class Summary(NamedTuple):
    """The scores of one method by one metric, over the samples."""

    samples: int  # with a score
    undefined: int  # without one: `why_undefined` says why
    mean: float
    standard_error: float
    low: float  # of the 95 % interval of the mean, by the bootstrap
    high: float
    median: float


class Curve(NamedTuple):
    """What a score sums up: shares of the players from 0 to 1, and what the metric finds there."""

    positions: np.ndarray
    mean: np.ndarray
    standard_errors: np.ndarray | None  # of the mean over samples; None of one sample
    samples: int


class Evaluation:
    """What `Model.evaluate` returns.

    >>> e = model.evaluate("test.npz", method=["shapley", "occlusion"], metric=["infidelity", "deletion"])
    >>> e["shapley", "deletion"].mean
    >>> e.scores("shapley", "deletion")     # one per sample; NaN where there is none
    >>> e.curve("shapley", "deletion")      # what the scores sum up
    >>> e.to_pandas()
    """

    def __init__(self, handle: _engine.Evaluation) -> None:
        self._handle = handle
        self.document: dict[str, Any] = json.loads(handle.json())
        self.methods: list[str] = list(handle.methods)  # with scores
        self.metrics: list[str] = list(handle.metrics)
        self.sample_names: list[str] = list(handle.sample_names)
        self.sample_numbers: np.ndarray = np.array(handle.sample_numbers, np.int64)  # in the data
        self.classes: np.ndarray = np.array(handle.sample_classes, np.int64)  # as the data say; -1: they do not
        self.predicted: np.ndarray = np.array(handle.predicted_classes, np.int64)  # as the model says
        self.left_out: dict[str, str] = dict(handle.left_out)  # methods and metrics without scores, and why
        self.notes: list[str] = list(handle.notes)
        self.record: dict[str, Any] | None = record_of(handle)  # how it came about, if record=True asked for it
        self.seconds: float = self.document["seconds"]
        # Of the metric order_spectrum: the share of all effects that is due to one player alone, to pairs, ...
        self.order_spectrum: list[Summary] = [Summary(*one) for one in handle.order_spectrum]

    @property
    def better(self) -> dict[str, str]:
        """Of each metric, whether higher or lower is better, or neither."""
        return {metric["name"]: metric["better"] for metric in self.document["metrics"]}

    def summary(self, method: str, metric: str) -> Summary:
        """Mean, interval and median of the scores."""
        self._check(method, metric)
        return Summary(*self._handle.summary(method, metric))

    def __getitem__(self, which: tuple[str, str]) -> Summary:
        if not isinstance(which, tuple) or len(which) != 2:
            raise ArgumentError(f"got {which!r}; expected a method and a metric, as evaluation['shapley', 'deletion']")
        return self.summary(*which)

    def scores(self, method: str, metric: str) -> np.ndarray:
        """One per sample, NaN where there is none."""
        self._check(method, metric)
        return self._handle.scores(method, metric)

    def why_undefined(self, method: str, metric: str) -> dict[str, str]:
        """The samples without a score, and why."""
        self._check(method, metric)
        reasons = self._handle.why_undefined(method, metric)
        return {name: why for name, why in zip(self.sample_names, reasons) if why}

    def curve(self, method: str, metric: str, sample: int | None = None) -> Curve:
        """What the scores of a metric such as deletion sum up: averaged over the samples, or of one of them."""
        self._check(method, metric)
        if sample is None:
            positions, mean, errors, samples = self._handle.curve(method, metric)
        else:
            if not -len(self) <= sample < len(self):
                raise IndexError(f"sample {sample}: there are {len(self)} samples")
            positions, mean, errors, samples = self._handle.sample_curve(method, metric, sample % len(self))
        if samples == 0:
            raise ArgumentError(f"metric: {metric} has no curve here; deletion, insertion, sensitivity_n and "
                                "parameter_randomisation have one, of samples that this run scored")
        return Curve(positions, mean, errors if len(errors) else None, samples)

    def best(self, metric: str) -> list[str]:
        """The methods with the best mean; none where neither higher nor lower is better."""
        self._check(self.methods[0] if self.methods else "", metric)
        if self.better[metric] == "neither":
            return []
        rated = {one["name"]: one["scores"][metric] for one in self.document["methods"]}
        return [name for name, score in rated.items() if score["best"]]

    def to_pandas(self, samples: bool = False) -> Any:
        """A frame with a line for each method and metric; or, with `samples`, for each sample and method.

        >>> e.to_pandas()["mean"].unstack()
        >>> e.to_pandas(samples=True).groupby("method")["deletion"].mean()
        """
        import pandas

        if samples:
            return pandas.DataFrame(self._lines_of_samples())
        index = pandas.MultiIndex.from_product([self.methods, self.metrics], names=["method", "metric"])
        lines = [self.summary(method, metric) for method, metric in index]
        return pandas.DataFrame(lines, index=index, columns=list(Summary._fields))

    def _lines_of_samples(self) -> list[dict[str, Any]]:
        lines = []
        for method in self.methods:
            scores = {metric: self.scores(method, metric) for metric in self.metrics}
            for i, name in enumerate(self.sample_names):
                line = {"sample": int(self.sample_numbers[i]), "name": name, "class": int(self.classes[i]),
                        "predicted": int(self.predicted[i]), "method": method}
                lines.append({**line, **{metric: float(values[i]) for metric, values in scores.items()}})
        return lines

    def to_dict(self) -> dict[str, Any]:
        """The document that the command line prints."""
        return self.document

    def to_csv(self, samples: bool = False) -> str:
        """The summaries, or the scores of the samples, as the command line writes them."""
        return self._handle.scores_csv() if samples else self._handle.csv()

    def to_markdown(self) -> str:
        """A page for people."""
        return self._handle.markdown()

    def save(self, folder: str | os.PathLike[str], force: bool = False) -> None:
        """The page, the tables and the document, as the command line's `--out` writes them."""
        self._handle.save(os.fspath(folder), force)

    def __len__(self) -> int:
        return len(self.sample_names)

    def __repr__(self) -> str:
        return f"Evaluation({', '.join(self.methods)} by {', '.join(self.metrics)} on {len(self)} samples)"

    @property
    def plot(self) -> Any:
        """Pictures: `e.plot.curve()`. Needs matplotlib."""
        from .plots import EvaluationPlots

        return EvaluationPlots(self)

    def _repr_html_(self) -> str:
        from .html.evaluation import evaluation_html

        return evaluation_html(self)

    def _check(self, method: str, metric: str) -> None:
        if method not in self.methods:
            why = f": {self.left_out[method]}" if method in self.left_out else ""
            raise ArgumentError(f"method: there are no scores of '{method}'{why}; there are of {_listed(self.methods)}")
        if metric not in self.metrics:
            why = f": {self.left_out[metric]}" if metric in self.left_out else ""
            raise ArgumentError(f"metric: there are no scores by '{metric}'{why}; there are by {_listed(self.metrics)}")


def _listed(names: list[str]) -> str:
    return ", ".join(names) or "none"
