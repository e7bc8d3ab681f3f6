"""A model, and everything that can be asked about it."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Unpack, overload

import numpy as np

from . import _engine
from ._asking import (AskedAndWorking, AskedOfMethods, Calling, budget_text, fixed_target, in_a_word, log, question,
                      question_without_rows, setting_text, several, split)
from ._blackbox import BlackBox, called_name, columns_of, own_defaults, row_of
from ._evaluating import are_classes, is_data_set, metric_names, of_files, of_rows
from ._function import are_numbers, are_several, engine_methods, has_own, known_method, numbers_of
from ._loading import read
from ._ports import Port, ports
from ._verb import checked, there_is_no, verb
from .audit import Audit
from .comparison import Comparison
from .compiled import Compiled
from .decomposition import Decomposition
from .errors import ArgumentError
from .evaluation import Evaluation
from .explanation import Explanation, Explanations, explanations
from .prediction import Prediction
from .report import Report
from .verification import Verification

Precision = Literal["float32", "float64"] | None
Several = Literal["all"] | list[Any] | Mapping[str, Any]  # methods of which a result has Explanations


class Model:
    """A model that plans its computations once and keeps them, so ask one model many questions. Made by `ascribe.load`
    or `ascribe.function`.

    Settings that were given when it was loaded (`labels`, `preprocess`, `baseline`, `players`, `threads`, ...) hold for
    every question that does not say otherwise. Several threads may use one model: its calls take turns.
    """

    def __init__(self, handle: _engine.Model, name: str, defaults: Mapping[str, Any]) -> None:
        self._handle = handle
        self.name = name
        self.defaults = dict(defaults)
        self.row_shape: tuple[int, ...] = tuple(handle.row_shape)
        self.targets: int = handle.targets  # numbers in a row of the output
        self.notes: list[str] = list(handle.notes)  # what was assumed in reading the file
        for note in self.notes:
            log.info(note)

    @property
    def info(self) -> dict[str, Any]:
        """Inputs, outputs, operators, size and work."""
        return dict(json.loads(self._handle.json()))

    @functools.cached_property
    def layers(self) -> list[dict[str, Any]]:
        """What rule sets, `layer` and `at` can name inside the network, in its order."""
        return list(json.loads(self._handle.layers_json()))

    @functools.cached_property
    def inputs(self) -> list[Port]:
        """What the model takes: (name, type, row)."""
        return ports(self.info["inputs"])

    @functools.cached_property
    def outputs(self) -> list[Port]:
        """What the model gives, likewise."""
        return ports(self.info["outputs"])

    @property
    def sha256(self) -> str:
        """Of the file; empty of a function."""
        return self._handle.sha256()

    def __repr__(self) -> str:
        return f"Model({self.name}: rows of {list(self.row_shape)}, {self.targets} targets)"

    def _repr_html_(self) -> str:
        from .html.model import model_html

        return model_html(self)

    @verb(AskedAndWorking)
    def predict(self, data: Any, **arguments: Unpack[AskedAndWorking]) -> Prediction:
        """What the model says about rows.

        >>> model.predict("boot.png").top()
        """
        asked, working = split(arguments)
        made, rows = question(self, data, asked)
        with Calling(working) as call:
            handle = self._handle.predict(made, call)
        return Prediction(handle, rows.single, rows.row_names)

    @overload
    def explain(self, data: Any, method: Several, *, allocations: bool = False, trace: bool = False,
                absence: str | None = None, **arguments: Unpack[AskedOfMethods]) -> Explanations: ...

    @overload
    def explain(self, data: Any, method: Any = "integrated_gradients", *, allocations: bool = False,
                trace: bool = False, absence: str | None = None,
                **arguments: Unpack[AskedOfMethods]) -> Explanation: ...

    @verb(AskedOfMethods)
    def explain(self, data: Any, method: Any = "integrated_gradients", *, allocations: bool = False,
                trace: bool = False, absence: str | None = None,
                **arguments: Unpack[AskedOfMethods]) -> Explanation | Explanations:
        """What every part of the rows contributed: an Explanation, or of several methods Explanations by name.

        >>> model.explain("boot.png", method="shapley", players="grid:3x3", seed=0)
        >>> model.explain(frame, method=["shapley", "integrated_gradients"], steps=100)
        """
        asked, working = split(arguments)
        made, rows = question(self, data, asked)
        by_name, own = are_several(method), has_own(method)
        try:
            with Calling(working, {"allocations": allocations, "trace": trace, "absence": absence}) as call:
                handle = self._handle.explain(made, engine_methods(self, method), call)
        except BaseException as stop:  # Ctrl-C, or what a function of the caller's raised
            partial = getattr(stop, "partial", None)
            if isinstance(partial, _engine.Explanation):
                finished = explanations(partial, rows, self._record(asked, working), own)
                stop.partial = finished  # type: ignore[attr-defined]
            raise
        all_of_them = explanations(handle, rows, self._record(asked, working), own)
        return all_of_them if by_name else all_of_them[0]

    @verb(AskedAndWorking)
    def decompose(self, data: Any, *, order: int | None = None, index: str | None = None,
                  influence: str | None = None, absence: str | None = None, samples: int | None = None,
                  estimate: str | None = None, budget: int | None = None, estimator: str | None = None,
                  aim: float | None = None, taylor: int | None = None, top: int | None = None, and_or: bool = False,
                  at_any_cost: bool = False, **arguments: Unpack[AskedAndWorking]) -> Decomposition:
        """The output taken apart into what every player does alone and what sets of players do only together.

        With `estimate="sparse"` the strong effects of any order are found from `budget` evaluations, for any number of
        players, each with its error. `absence` says what absent players are: "baseline", "marginal", "conditional".

        >>> model.decompose("boot.png", players="grid:3x3").strongest
        >>> model.decompose("boot.png", players="patch:2", estimate="sparse", budget=20000).strongest
        """
        asked, working = split(arguments)
        made, _ = question(self, data, asked)
        options = {"order": order, "index": index, "influence": influence, "absence": absence, "samples": samples,
                   "estimate": estimate, "evaluations": budget, "estimator": estimator, "aim": aim,
                   "taylor": taylor, "top": top, "and_or": and_or, "at_any_cost": at_any_cost}
        with Calling(working, options) as call:
            return Decomposition(self._handle.decompose(made, call))

    @verb(AskedOfMethods)
    def audit(self, data: Any, method: Any = "all", *, attribution: Any = None, budget: float | str | None = None,
              **arguments: Unpack[AskedOfMethods]) -> Audit:
        """The three principles, measured on this question: of methods, or of an attribution that exists already.
        `budget`: how long methods may take, in seconds or such as "5m"; 60 s are usual, "none" is no limit.

        >>> model.audit("boot.png", method=["shapley", my_function], players="grid:3x3")
        >>> model.audit("boot.png", attribution=my_array)
        """
        asked, working = split(arguments)
        made, _ = question(self, data, asked)
        attribution = method if attribution is None and are_numbers(method) else attribution
        with Calling(working, {"budget": budget_text(budget)} if attribution is None else {}) as call:
            if attribution is not None:
                return Audit(self._handle.audit_numbers(made, numbers_of(attribution), call))
            return Audit(self._handle.audit(made, engine_methods(self, method), call))

    @verb(AskedOfMethods)
    def compare(self, data: Any, first: Any, second: Any, *, budget: float | str | None = None,
                **arguments: Unpack[AskedOfMethods]) -> Comparison:
        """Why two methods differ, effect by effect. Either may be a function or an array of one's own. `budget`: how
        long it may take, in seconds or such as "5m"; 60 s are usual, "none" is no limit.

        >>> print(model.compare("boot.png", "shapley", "occlusion", players="grid:3x3").sentence)
        """
        asked, working = split(arguments)
        made, _ = question(self, data, asked)
        one, other = engine_methods(self, [first, second])
        with Calling(working, {"budget": budget_text(budget)}) as call:
            return Comparison(self._handle.compare(made, one, other, call), (one.name, other.name))

    @verb(AskedAndWorking)
    def verify(self, data: Any, method: str | Sequence[str] | None = None, *, order: int | Sequence[int] | None = None,
               sigma: float | Sequence[float] | None = None, draws: int | None = None, inputs: int | None = None,
               smooth: float | Sequence[float] | None = None, **arguments: Unpack[AskedAndWorking]) -> Verification:
        """Methods as they run, against their allocation rules applied to the effects up to an order, in double
        (docs/howto/verify.md). Without a method: all that can be verified. `smooth`: temperatures of softplus in the
        place of kinks.

        >>> model.verify(rows, method=["shapley", "integrated_gradients"], order=[2, 4, 6], sigma=0.1).to_pandas()
        """
        asked, working = split(arguments)
        made, _ = question(self, data, asked)
        names = [] if method is None else [method] if isinstance(method, str) else list(method)
        options = {"orders": several(order, int), "sigmas": several(sigma, float), "draws": draws, "inputs": inputs,
                   "smooth": several(smooth, float)}
        with Calling(working, options) as call:
            return Verification(self._handle.verify(made, [known_method(name) for name in names], call))

    @verb(AskedOfMethods)
    def evaluate(self, data: Any, method: Any = "all",
                 metric: str | Sequence[str] = "all", *,
                 samples: int | None = None, skip: int | None = None, batch: int | None = None, shuffle: bool = False,
                 only_correct: bool = False, most_box: float | None = None, classes: Any = None,
                 label_from: str | os.PathLike[str] | None = None, boxes: Any = None,
                 annotations: str | os.PathLike[str] | None = None, format: str | None = None, part: str | None = None,
                 journal: str | os.PathLike[str] | None = None, force: bool = False,
                 metric_settings: Mapping[str, Any] | None = None, **arguments: Any) -> Evaluation:
        """Methods rated by metrics on the samples of a data set (docs/howto/evaluate.md): a path (idx files, a folder
        of images, CIFAR's .bin files, .csv, .npy, .npz), of which 100 samples are taken unless `samples` says
        otherwise, or rows in memory, all of which are. Methods may be functions and arrays of one's own; an array has
        numbers for every row of the data. The target may also be "label", of the sample.

        `classes` are the true classes of rows in memory; `label_from` is a column of a frame or table, or a file.
        `boxes` say where objects are: a table's path, or an array [rows, 4] of x0, y0, x1, y1. With a `journal`, work
        that was stopped goes on from there.

        >>> model.evaluate("test.npz", method=["shapley", my_function], metric=["infidelity", "deletion"], seed=1)
        >>> model.evaluate(frame, method="shapley", metric="deletion", label_from="species", target="label")
        """
        if are_classes(arguments.get("labels")):
            classes = arguments.pop("labels")
        asked, working = split(arguments)
        facts = {"classes": classes, "label_from": label_from, "boxes": boxes, "annotations": annotations,
                 "format": format, "part": part}
        options = {"samples": samples, "skip": skip, "batch": batch, "shuffle": shuffle, "only_correct": only_correct,
                   "most_box": most_box, "journal": None if journal is None else os.fspath(journal), "force": force}
        methods, metrics = engine_methods(self, method), metric_names(metric)
        path = is_data_set(data)
        if path:
            made = question_without_rows(self, asked)
            options.update(of_files(facts))
        else:
            names = asked.get("labels", self.defaults.get("labels"))
            data, known = of_rows(data, facts, names)
            options.update(known)
            made, _ = question(self, data, asked)
        with Calling(working, options) as call:
            for name, value in (metric_settings or {}).items():
                call.set_metric(name, setting_text(value))
            if path:
                return Evaluation(self._handle.evaluate(os.fspath(data), methods, metrics, made, call))
            return Evaluation(self._handle.evaluate_rows(made, methods, metrics, call))

    @verb(AskedOfMethods)
    def compile(self, method: str, path: str | os.PathLike[str] | None = None, *,  # type: ignore[misc]  # its own target
                target: Any = "index", force: bool = False, **arguments: Unpack[AskedOfMethods]) -> Compiled:
        """The explanation as an ONNX file that any runtime can run (docs/howto/compile.md), written to `path` if one is
        given. Its target: an input of the file that takes an index per row ("index") or a weight per number
        ("one_hot"), each row's top class ("top"), or one for all rows: a class by number or label, a tuple, an array of
        weights.

        >>> model.compile("deeplift_rescale", "explained.onnx", target="top")
        >>> model.compile("gradient_x_input", target=9).model_proto()
        """
        asked, working = split(arguments)
        made = question_without_rows(self, asked)
        with Calling(working) as call:
            compiled = Compiled(self._handle.compile(known_method(method), fixed_target(made, target), made, call))
        if path is not None:
            compiled.write(path, force)
        return compiled

    @verb(AskedOfMethods)
    def report(self, data: Any, path: str | os.PathLike[str] | None = None, method: Any = "all", *, methods: Any = None,
               metric: str | Sequence[str] | None = None, title: str | None = None, parts: str | None = None,
               most_rows: int | None = None, dataset_rows: int | None = None, row_pages: int | None = None,
               budget: float | str | None = None, force: bool = False,
               **arguments: Unpack[AskedOfMethods]) -> Report:
        """A page about the decisions (docs/howto/report.md), written to `path` (.html or .pdf) if one is given, its
        data beside it. Methods may be functions and arrays of one's own. `parts` are the few players of which every set
        is masked; `most_rows` how many rows may become sections. `dataset_rows` makes one page about so many rows
        instead (docs/howto/dataset-report.md), with pages of `row_pages` single ones beside it. `budget`: how long it
        may take, in seconds or such as "5m"; 60 s are usual, "none" is no limit. What does not fit is made smaller or
        left out, and named on the page.

        >>> model.report("boot.png", "report.html", title="Why a boot?")
        >>> model.report(frame, method=["shapley", my_function, my_array]).html
        >>> model.report(frame, "many.html", dataset_rows=500)
        """
        if path is not None:
            _engine.Report.check(os.fspath(path))
        asked, working = split(arguments)
        made, _ = question(self, data, asked)
        chosen = engine_methods(self, method if methods is None else methods)
        options = {"title": title, "parts": parts, "most_rows": most_rows,
                   "dataset_rows": dataset_rows, "row_pages": row_pages, "budget": budget_text(budget),
                   "metrics": None if metric is None else metric_names(metric, everything=False)}
        with Calling(working, options) as call:
            report = Report(self._handle.report(made, chosen, call))
        if path is not None:
            report.write(path, force)
        return report

    def _record(self, asked: Mapping[str, Any], working: Mapping[str, Any]) -> Callable[[], dict[str, Any]]:
        """What makes a result, with a hash that takes time when somebody wants to know. Arrays are not kept for it."""
        known = {
            "model": self.name,
            "version": _engine.version(),
            "seed": int(working.get("seed", 0)),
            "threads": working.get("threads"),
            "settings": {name: setting_text(value) for name, value in working["settings"].items()},
            "question": {name: in_a_word(value) for name, value in {**self.defaults, **asked}.items()},
        }
        return lambda: {**known, "sha256": self.sha256}


@checked(AskedAndWorking)
def load(source: Any, *, example: Any = None, precision: Precision = None, memory: int | str | None = None,
         shape: Sequence[int] | Mapping[str, Sequence[int]] | None = None,
         **defaults: Unpack[AskedAndWorking]) -> Model:
    """A model from an ONNX file, its bytes, a file object, an onnx.ModelProto, or a torch.nn.Module, which is exported
    in memory. What else is given holds for every question. A Model gives another one that shares all but those.

    example: what a torch.nn.Module is called with, rows first: a tensor, a tuple of them, or a mapping by name
    precision: "float32" or "float64"; as the file computes is usual
    memory: bytes, or such as "4G", for everything that is done with the model
    shape: of inputs whose size the file leaves open, batch axis first

    >>> model = ascribe.load("resnet.onnx", preprocess="imagenet", labels="classes.txt")
    >>> model = ascribe.load(net, example=torch.zeros(1, 3, 224, 224))
    """
    if isinstance(source, Model):
        if (example, precision, memory, shape) != (None, None, None, None):
            raise ArgumentError("source: got a Model, which has been read; precision, memory, shape and example belong "
                                "to what it was read from")
        return Model(source._handle, source.name, {**source.defaults, **defaults})
    options = _engine.LoadOptions(_precision(precision), _bytes(memory), _shapes(shape))
    handle, name = read(source, example, options)
    return Model(handle, name, defaults)


@checked(AskedAndWorking)
def function(called: Callable[[Any], Any], inputs: int | Sequence[int], outputs: int | None = None, *,
             name: str | None = None, batch: int | None = None, frames: bool | None = None, precision: Precision = None,
             memory: int | str | None = None, **defaults: Unpack[AskedAndWorking]) -> Model:
    """Any callable on batches as a black box: whatever needs no gradient works on it. It gets rows [rows, row...] in
    double and gives [rows, outputs] or [rows]; what it raises reaches whoever asked.

    inputs: the number of features of a row, or the shape of a row
    outputs: numbers that it gives for a row; found out by a call with zeros if it is not given
    batch: the most rows that it is given at once
    frames: give it frames of pandas with the columns `feature_names`; usual for estimators that were trained on frames

    >>> f = ascribe.function(forest.predict_proba, inputs=30)
    >>> f.explain(row, method="shapley")
    """
    if not callable(called):
        raise ArgumentError(f"called: got {called!r}; expected a function of rows, such as model.predict_proba")
    row = row_of(inputs)
    if batch is not None and (isinstance(batch, bool) or not isinstance(batch, (int, np.integer)) or batch < 1):
        raise ArgumentError(f"batch: got {batch!r}; expected the most rows for one call, 1 or more")
    box = BlackBox(called, row, batch, columns_of(called, frames, defaults.get("feature_names"), row))
    count = box.expect(outputs)
    options = _engine.LoadOptions(_precision(precision), _bytes(memory), {})
    name = name or called_name(called)
    handle = _engine.Model.function(box, list(row), count, name, options)
    return Model(handle, name, own_defaults(called, handle.targets, defaults))


def _precision(precision: Any) -> str:
    if precision not in (None, "float32", "float64"):
        raise ArgumentError(f"precision: {there_is_no('precision', str(precision), ['float32', 'float64'])}")
    return precision or ""


def _shapes(shape: Any) -> dict[str, list[int]]:
    try:
        shapes = shape if isinstance(shape, Mapping) else {} if shape is None else {"": shape}
        return {str(name): [int(extent) for extent in one] for name, one in shapes.items()}
    except (TypeError, ValueError):
        raise ArgumentError(f"shape: got {shape!r}; expected integers, or a mapping from inputs to them") from None


_UNITS = {"k": 10, "m": 20, "g": 30}


def _bytes(memory: int | str | None) -> int:
    """2 GiB as 2147483648 or "2G"."""
    if memory is None:
        return 0
    text = str(memory).strip().lower().removesuffix("b").removesuffix("i")
    shift = _UNITS.get(text[-1:], 0)
    number = text[:-1] if shift else text
    if not number.isdigit() or int(number) == 0:
        raise ArgumentError(f"memory: got {memory!r}; expected bytes, or such as '512M' or '4G'")
    return int(number) << shift
