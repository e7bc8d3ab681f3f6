"""The data of an evaluation: a data set by its path, or rows in memory with what is known of them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import _engine
from ._inputs import as_numbers
from ._verb import there_is_no
from .errors import ArgumentError

_OF_FILES = ("format", "part", "label_from", "annotations")


def is_data_set(data: Any) -> bool:
    """Whether the data are named by a path, and are more than a picture."""
    pictures = (".png", ".jpg", ".jpeg")
    return isinstance(data, (str, os.PathLike)) and not os.fspath(data).lower().endswith(pictures)


def metric_names(metric: str | Sequence[str], everything: bool = True) -> list[str]:
    """One or several, all of which there are. `everything`: whether "all" is one."""
    names = [metric] if isinstance(metric, str) else list(metric)
    known = [*(["all"] if everything else []), *_engine.metric_names()]
    for name in names:
        if name not in known:
            raise ArgumentError(there_is_no("metric", str(name), known))
    return names


def of_files(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a data set by its path."""
    if options.get("classes") is not None:
        raise ArgumentError("classes: they belong to rows in memory; data in files bring their own (label_from)")
    made = {name: os.fspath(options[name]) for name in _OF_FILES if options.get(name) is not None}
    if options.get("boxes") is not None:
        if not isinstance(options["boxes"], (str, os.PathLike)):
            raise ArgumentError("boxes: an array belongs to rows in memory; of files, expected the path of a table")
        made["boxes"] = os.fspath(options["boxes"])
    return made


def of_rows(data: Any, options: Mapping[str, Any], names: Any) -> tuple[Any, dict[str, Any]]:
    """Rows in memory without the column of their classes, and their options. `names`: of the model's classes."""
    for name in ("format", "part", "annotations"):
        if options.get(name) is not None:
            raise ArgumentError(f"{name}: it belongs to data in files; got rows in memory")
    classes, column = options.get("classes"), options.get("label_from")
    if column is not None:
        if classes is not None:
            raise ArgumentError("label_from: got a column and classes; expected one of them")
        data, classes = _without_column(data, column)
    made: dict[str, Any] = {}
    if classes is not None:
        made["classes"] = _class_numbers(classes, names)
    if options.get("boxes") is not None:
        made["object_boxes"] = as_numbers(options["boxes"], "boxes")
    return data, made


def are_classes(labels: Any) -> bool:
    """Whether labels are classes of rows rather than names of the model's classes."""
    if labels is None or isinstance(labels, (str, os.PathLike)):
        return False
    return np.issubdtype(np.asarray(labels).dtype, np.integer)


def _without_column(data: Any, column: str) -> tuple[Any, Any]:
    if not hasattr(data, "columns") or not hasattr(data, "drop"):
        raise ArgumentError("label_from: rows in memory need a frame with that column; or say `classes`")
    if column not in list(data.columns):
        raise ArgumentError(f"label_from: there is no column '{column}'; there are {', '.join(map(str, data.columns))}")
    rest = data.drop(columns=column) if hasattr(data, "iloc") else data.drop(column)
    return rest, data[column]


def _class_numbers(classes: Any, names: Any) -> list[int]:
    given = np.asarray(classes)
    if given.ndim != 1:
        raise ArgumentError(f"classes: got an array of shape {given.shape}; expected one class for each row")
    if np.issubdtype(given.dtype, np.integer):
        return [int(one) for one in given]
    if np.issubdtype(given.dtype, np.floating) and np.all(given == np.floor(given)):
        return [int(one) for one in given]
    if names is None or isinstance(names, (str, os.PathLike)):
        raise ArgumentError(f"classes: got {given.dtype}; expected the numbers of the classes, or names from a list of "
                            "`labels`")
    places = {str(name): place for place, name in enumerate(names)}
    for one in given:
        if str(one) not in places:
            raise ArgumentError(f"classes: no class is called '{one}'; there are {', '.join(places)}")
    return [places[str(one)] for one in given]
