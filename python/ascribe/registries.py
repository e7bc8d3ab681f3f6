"""What there is: methods, metrics and interaction indices, with their parameters, formulas and sources."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from . import _engine
from ._mapping import Named


@dataclass(frozen=True)
class Parameter:
    """A setting of a method or metric: `explain(x, method="shapley", samples=100)`."""

    name: str
    kind: str  # integer, real, text, ...
    default: Any
    range: str  # in words
    meaning: str
    named: Mapping[str, str] = field(default_factory=dict)  # values that have a name, and what they mean

    def __str__(self) -> str:
        return f"{self.name} = {self.default} ({self.range}): {self.meaning}"


@dataclass(frozen=True)
class Method:
    """An attribution method."""

    name: str
    title: str
    formula: str
    source: str
    about: str
    cost: str
    use: str  # what it is good for
    limits: str
    kind: str  # contribution: shares of what is explained; sensitivity: slopes
    explains: str  # change: f(x) - f(b); output: f(x)
    baselines: bool  # whether it compares with one
    players: bool  # whether it asks about players; otherwise about elements
    complete: bool  # the values add up to what is explained
    dummy: bool  # what the output does not depend on gets 0
    symmetric: bool  # what the model treats alike gets the same
    linear: bool  # the explanation of a sum is the sum of the explanations
    compiles: bool  # whether Model.compile takes it
    number: int  # among the fourteen of the paper; 0: it is not
    parameters: Named[Parameter]

    def __str__(self) -> str:
        return _text(self)


@dataclass(frozen=True)
class Metric:
    """A number for how good an attribution is."""

    name: str
    title: str
    category: str
    better: str  # higher, lower or neither
    formula: str
    source: str
    about: str
    cost: str
    limits: str
    rates_methods: bool  # False: it looks at the model alone
    slopes: bool  # whether it takes methods whose values are slopes
    images: bool  # whether rows must be images
    objects: bool  # whether it must be known where the object is
    parameters: Named[Parameter]

    def __str__(self) -> str:
        return _text(self)


@dataclass(frozen=True)
class Index:
    """An interaction index: `decompose(x, index="sii")`."""

    name: str
    title: str
    formula: str
    source: str
    least_order: int
    most_order: int
    efficient: bool  # the values add up to the change
    dummy: bool

    def __str__(self) -> str:
        return _text(self)


Entry = TypeVar("Entry", Method, Metric, Index)


class Registry(Named[Entry]):
    """What there is of one kind, by name.

    >>> ascribe.methods()["shapley"].parameters["samples"].default
    >>> [name for name, metric in ascribe.metrics().items() if metric.category == "faithfulness"]
    """

    def __repr__(self) -> str:
        width = max((len(name) for name in self), default=0)
        return "\n".join(f"{name:{width}}  {entry.title}" for name, entry in self.items())


def methods() -> Registry[Method]:
    """The attribution methods: the fourteen of the paper first.

    >>> ascribe.methods()["integrated_gradients"].formula
    """
    return _methods()


def metrics() -> Registry[Metric]:
    """The metrics that `Model.evaluate` knows.

    >>> ascribe.metrics()["deletion"].better
    'lower'
    """
    return _metrics()


def indices() -> Registry[Index]:
    """The interaction indices that `Model.decompose` knows.

    >>> list(ascribe.indices())
    """
    return _indices()


@functools.cache
def _methods() -> Registry[Method]:
    return _registry(Method, _engine.methods_json(), "method")


@functools.cache
def _metrics() -> Registry[Metric]:
    return _registry(Metric, _engine.metrics_json(), "metric")


@functools.cache
def _indices() -> Registry[Index]:
    return _registry(Index, _engine.indices_json(), "index")


def _registry(kind: Any, document: str, what: str) -> Registry[Any]:
    known = kind.__dataclass_fields__
    entries = {}
    for one in json.loads(document):
        if "parameters" in known:
            one["parameters"] = _parameters(one["parameters"])
        entries[one["name"]] = kind(**{name: value for name, value in one.items() if name in known})
    return Registry(entries, what)


def _parameters(listed: Iterable[Mapping[str, Any]]) -> Named[Parameter]:
    return Named({one["name"]: Parameter(**one) for one in listed}, "parameter")


def _text(entry: Any) -> str:
    """All that is known of it, for people."""
    lines = [f"{entry.name}: {entry.title}", f"  {entry.formula}", f"  {entry.source}"]
    for name in ("about", "use", "limits", "cost"):
        if getattr(entry, name, None):
            lines.append(f"  {name}: {getattr(entry, name)}")
    lines += [f"  {parameter}" for parameter in getattr(entry, "parameters", {}).values()]
    return "\n".join(lines)
