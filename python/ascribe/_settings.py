"""The settings of methods that can be given as keyword arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict


class MethodSettings(TypedDict, total=False):
    """Settings of methods: `ascribe.methods()` says which method has which, what they mean and what is usual. With
    several methods each takes those that it has.

    settings: the same as a mapping, also for one method of several: {"steps": 64, "shapley.samples": 100}
    """

    settings: Mapping[str, Any]
    alpha: float | str
    at_zero: str
    beta: float
    context: int
    distance: str
    distribution: str
    enough: float
    estimator: str
    epsilon: float
    exact: int
    granularity: str
    high: float
    layer: str
    layers: str
    low: float
    mode: str
    most: int
    noise: float
    relu: bool
    ridge: float
    rules: str
    samples: int
    shrinkage: float
    sigma: float
    size: int
    steps: int
    stride: int
    tolerance: float
    width: float
