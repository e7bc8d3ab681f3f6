"""A model, and everything that can be asked about it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from . import _engine
from ._asking import Asked, Calling, question, split
from ._function import engine_method, on_rows
from ._inputs import as_numbers
from .audit import Audit
from .comparison import Comparison
from .decomposition import Decomposition
from .errors import ArgumentError
from .explanation import Explanation, Explanations, explanations
from .prediction import Prediction

Precision = Literal["float32", "float64"] | None


class Model:
    """A model that plans its computations once and keeps them, so ask one model many questions. Made by `ascribe.load`
    or `ascribe.function`.

    Settings that were given when it was loaded (`labels`, `preprocess`, `baseline`, `players`, ...) hold for every
    question that does not say otherwise. Several threads may use one model: its calls take turns.
    """

    def __init__(self, handle: _engine.Model, name: str, defaults: Mapping[str, Any]) -> None:
        self._handle = handle
        self.name = name
        self.defaults = dict(defaults)
        self.row_shape: tuple[int, ...] = tuple(handle.row_shape)
        self.targets: int = handle.targets  # numbers in a row of the output
        self.notes: list[str] = list(handle.notes)  # what was assumed in reading the file

    @property
    def info(self) -> dict[str, Any]:
        """Inputs, outputs, operators, size and work."""
        return json.loads(self._handle.json())

    def __repr__(self) -> str:
        return f"Model({self.name}: rows of {list(self.row_shape)}, {self.targets} targets)"

    def _repr_html_(self) -> str:
        from .html.model import model_html

        return model_html(self)

    def predict(self, data: Any, **arguments: Any) -> Prediction:
        """What the model says about rows.

        >>> model.predict("boot.png").top()
        """
        asked, working = split(arguments)
        _refuse_settings(working)
        made, rows = question(self.defaults, data, asked)
        with Calling(working) as call:
            handle = self._handle.predict(made, call)
        return Prediction(handle, rows.is_single(len(self.row_shape)))

    def explain(self, data: Any, method: Any = "integrated_gradients", *, allocations: bool = False, trace: bool = False,
                **arguments: Any) -> Any:
        """What every part of the rows contributed: an Explanation, or of several methods Explanations by name.

        >>> model.explain("boot.png", method="shapley", players="grid:3x3", seed=0)
        >>> model.explain(frame, method=["shapley", "integrated_gradients"], steps=100)
        """
        asked, working = split(arguments)
        made, rows = question(self.defaults, data, asked)
        several = method == "all" if isinstance(method, str) else isinstance(method, (list, Mapping))
        try:
            with Calling(working, {"allocations": allocations, "trace": trace}) as call:
                handle = self._handle.explain(made, self._methods(method), call)
        except KeyboardInterrupt as stop:
            if getattr(stop, "partial", None) is not None:
                stop.partial = explanations(stop.partial, rows, self._record(working))  # type: ignore[attr-defined]
            raise
        all_of_them = explanations(handle, rows, self._record(working))
        return all_of_them if several else all_of_them[0]

    def decompose(self, data: Any, *, order: int | None = None, index: str | None = None, samples: int | None = None,
                  taylor: int | None = None, top: int | None = None, and_or: bool = False, at_any_cost: bool = False,
                  **arguments: Any) -> Decomposition:
        """The output taken apart into what every player does alone and what sets of players do only together.

        >>> model.decompose("boot.png", players="grid:3x3").strongest
        """
        asked, working = split(arguments)
        _refuse_settings(working)
        made, _ = question(self.defaults, data, asked)
        options = {"order": order, "index": index, "samples": samples, "taylor": taylor, "top": top, "and_or": and_or,
                   "at_any_cost": at_any_cost}
        with Calling(working, options) as call:
            return Decomposition(self._handle.decompose(made, call))

    def audit(self, data: Any, method: Any = "all", *, attribution: Any = None, **arguments: Any) -> Audit:
        """The three principles, measured on this question: of methods, or of an attribution that exists already.

        >>> model.audit("boot.png", method=["shapley", my_function], players="grid:3x3")
        >>> model.audit("boot.png", attribution=my_array)
        """
        asked, working = split(arguments)
        made, _ = question(self.defaults, data, asked)
        with Calling(working) as call:
            if attribution is not None:
                return Audit(self._handle.audit_numbers(made, as_numbers(attribution, "attribution"), call))
            return Audit(self._handle.audit(made, self._methods(method), call))

    def compare(self, data: Any, first: Any, second: Any, **arguments: Any) -> Comparison:
        """Why two methods differ, effect by effect. Either may be a function or an array of one's own.

        >>> print(model.compare("boot.png", "shapley", "occlusion", players="grid:3x3").sentence)
        """
        asked, working = split(arguments)
        made, _ = question(self.defaults, data, asked)
        both = [engine_method(self, one) for one in (first, second)]
        with Calling(working) as call:
            return Comparison(self._handle.compare(made, *both, call), (both[0].name, both[1].name))

    def _methods(self, methods: Any) -> list[_engine.Method]:
        """One or several, of ours or one's own; a mapping names those of one's own."""
        if isinstance(methods, Mapping):
            return [engine_method(self, method, name) for name, method in methods.items()]
        if isinstance(methods, list):
            return [engine_method(self, method) for method in methods]
        return [engine_method(self, methods)]

    def _record(self, working: Mapping[str, Any]) -> dict[str, Any]:
        return {"model": self.name, "version": _engine.version(), "seed": working.get("seed", 0)}


def _refuse_settings(working: Mapping[str, Any]) -> None:
    if working["settings"]:
        name = next(iter(working["settings"]))
        known = ", ".join(Asked.__annotations__)
        raise ArgumentError(f"there is no argument '{name}'; what can be asked: {known}")


def load(source: Any, *, precision: Precision = None, memory: int | str | None = None,
         shape: Sequence[int] | Mapping[str, Sequence[int]] | None = None, **defaults: Any) -> Model:
    """A model from an ONNX file, its bytes, or an onnx.ModelProto. What else is given holds for every question.

    >>> model = ascribe.load("resnet.onnx", preprocess="imagenet", labels="classes.txt")
    """
    for name in defaults:
        if name not in Asked.__annotations__:
            raise ArgumentError(f"there is no argument '{name}'; expected precision, memory, shape or what every question "
                                f"may say: {', '.join(Asked.__annotations__)}")
    shapes = {"": shape} if shape is not None and not isinstance(shape, Mapping) else dict(shape or {})
    options = _engine.LoadOptions(precision or "", _bytes(memory), {name: list(one) for name, one in shapes.items()})
    if isinstance(source, (bytes, bytearray, memoryview)):
        return Model(_engine.Model.load_bytes(bytes(source), "model.onnx", options), "model.onnx", defaults)
    path = os.fspath(source)
    return Model(_engine.Model.load(path, options), os.path.basename(path), defaults)


def function(called: Callable[[np.ndarray], Any], inputs: int | Sequence[int], outputs: int | None = None, *,
             name: str | None = None, precision: Precision = None, memory: int | str | None = None,
             **defaults: Any) -> Model:
    """Any callable on batches as a black box: whatever needs no gradient works on it.

    >>> f = ascribe.function(forest.predict_proba, inputs=30)
    >>> f.explain(row, method="shapley")
    """
    row = (inputs,) if isinstance(inputs, int) else tuple(inputs)
    on = on_rows(called)
    if outputs is None:
        answer = on(np.zeros((1, *row)))
        outputs = int(np.prod(answer.shape[1:]))
    options = _engine.LoadOptions(precision or "", _bytes(memory), {})
    name = name or getattr(called, "__qualname__", type(called).__name__)
    return Model(_engine.Model.function(on, list(row), outputs, name, options), name, defaults)


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
