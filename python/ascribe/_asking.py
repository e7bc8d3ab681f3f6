"""The keyword arguments that all verbs share: what is asked about the rows, and how the work is done."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from . import _engine, _progress
from ._arrays import as_array
from ._inputs import Rows, as_numbers, baseline_into, rows_of
from ._settings import MethodSettings
from ._targets import apply_target, chosen, text_of
from .errors import ArgumentError

if TYPE_CHECKING:
    from .model import Model

log = logging.getLogger("ascribe")

_MOST_THREADS = 1024

Target = int | str | Sequence[Any] | np.ndarray | Callable[[np.ndarray], Any]


class Asked(TypedDict, total=False):
    """What is asked about the rows, in the words of the command line. None is as if it were not given.

    target: "top"; an index, a label, a tuple for outputs with several axes, an array of weights, a list of one for each
        row, a function of the output that returns one of these
    baseline: "zero", "mean", "blur:2", ...; an array or frame of rows, which are averaged
    players: "pixels", "patch:4", "grid:3x3", "superpixels:64", "columns", ...; an array with the player of each element
    player_names: of an array of players
    labels: names of the classes, or the file with them
    preprocess: of pictures: "unit", "imagenet", "raw", or the settings
    feature_names: of tables; frames bring theirs
    row_names: what the rows are called
    numbers: of rows in memory that are some of many: which ones; 0, 1 ... is usual. What metrics draw follows from it
    rows: of files: which ones, 7 or "0:10"
    columns: of tables in files
    probability: explain it instead of the logit behind it
    output: which output of the model
    input: those inputs of the model that have the players
    at: a node of the model: what it gives has the players
    tokens: what token ids mean: a tokenizer.json or vocab.txt
    """

    target: Target
    baseline: Any
    players: Any
    player_names: Sequence[str]
    labels: str | os.PathLike[str] | Sequence[str]
    preprocess: str | Mapping[str, Any]
    feature_names: Sequence[str]
    row_names: Sequence[str]
    numbers: Sequence[int]
    rows: int | str | Sequence[int | str]
    columns: Sequence[str]
    probability: bool
    output: str
    input: str | Sequence[str]
    at: str
    tokens: str | os.PathLike[str]


class Working(TypedDict, total=False):
    """How the work is done.

    seed: of everything random; 0 is usual
    threads: of this call; what OMP_NUM_THREADS says, or all of the machine, is usual
    progress: True: a bar by tqdm, False: none, None: one if the work is long and somebody looks; or a function that is
        told (task, done, total) and stops the work by raising
    record: True: the result carries the record of how it came about, which `ascribe.replay` computes again; hashing
        files and numbers takes time
    """

    seed: int
    threads: int
    progress: bool | _progress.Told | None
    record: bool


_ASKED, _WORKING = Asked.__annotations__.keys(), Working.__annotations__.keys()


class AskedAndWorking(Asked, Working):
    """Both."""


class AskedOfMethods(Asked, Working, MethodSettings):
    """Of verbs that take methods."""


def question(model: Model, data: Any, asked: Mapping[str, Any]) -> tuple[_engine.Question, Rows]:
    """The question for the engine, and what is known of its rows."""
    asked = {**model.defaults, **asked}
    made = _engine.Question()
    rows = rows_of(data, model, feature_names=asked.get("feature_names"), row_names=asked.get("row_names"))
    rows.put_into(made)
    if asked.get("numbers") is not None:
        given(made.row_numbers, "numbers", [int(number) for number in asked["numbers"]])
    target = asked.get("target")
    apply(made, model, {**asked, "target": None} if callable(target) else asked, rows.single)
    if callable(target):
        apply_target(made, chosen(target, _output(model, made, asked.get("output"), rows.single)), None, rows.single)
    return made, rows


def question_without_rows(model: Model, asked: Mapping[str, Any]) -> _engine.Question:
    """What is asked about rows that come from elsewhere."""
    made = _engine.Question()
    asked = {**model.defaults, **asked}
    if callable(asked.get("target")):
        raise ArgumentError("target: a function of the output needs rows that are known; expected another target")
    apply(made, model, asked)
    return made


def _output(model: Model, made: _engine.Question, name: str | None, single: bool) -> np.ndarray:
    """What the model says of the rows of a question, for a target that depends on it."""
    with Calling({"progress": False}) as call:
        said = model._handle.predict(made, call)
    names = [said.output_name(k) for k in range(said.outputs)]
    values = said.values(names.index(name) if name in names else 0)
    return values[0] if single else values


def fixed_target(made: _engine.Question, target: Any) -> str:
    """The target of a compiled explanation in a word; weights go into the question."""
    if callable(target):
        raise ArgumentError("target: a function of the output depends on rows that nobody knows yet; expected index, "
                            "one_hot, top, a class, a tuple or an array of weights")
    if np.ndim(target) > 0 and not isinstance(target, tuple):
        made.target_weights(as_numbers(target, "target"))
        return "index"
    return text_of(target)


def several(values: Any, kind: Callable[[Any], Any]) -> list[Any] | None:
    """One or several numbers as a list."""
    if values is None:
        return None
    return [kind(value) for value in ([values] if np.ndim(values) == 0 else values)]


def apply(made: _engine.Question, model: Model, asked: Mapping[str, Any], single: bool = False) -> None:
    """Everything but the rows. `single`: it is about one row."""
    for name in ("output", "at"):
        if asked.get(name) is not None:
            given(getattr(made, name), name, asked[name])
    if asked.get("tokens") is not None:
        made.tokens(os.fspath(asked["tokens"]))
    if asked.get("input") is not None:
        made.input(asked["input"] if isinstance(asked["input"], str) else ",".join(asked["input"]))
    if asked.get("probability"):
        made.probability(True)
    if asked.get("rows") is not None:
        made.rows(texts(asked["rows"]))
    if asked.get("columns") is not None:
        made.columns(texts(asked["columns"]))
    _apply_labels(made, asked.get("labels"))
    _apply_preprocess(made, asked.get("preprocess"))
    apply_target(made, asked.get("target"), None if asked.get("output") else model.targets, single)
    if asked.get("baseline") is not None:
        baseline_into(made, asked["baseline"], model, asked.get("feature_names"))
    _apply_players(made, asked.get("players"), asked.get("player_names"))


def texts(values: Any) -> list[str]:
    """One or several values as texts."""
    return [str(values)] if isinstance(values, (str, int)) else [str(value) for value in values]


def _apply_labels(made: _engine.Question, labels: Any) -> None:
    if labels is None:
        return
    if isinstance(labels, (str, os.PathLike)):
        made.label_file(os.fspath(labels))
    else:
        made.labels([str(label) for label in labels])


def _apply_preprocess(made: _engine.Question, preprocess: Any) -> None:
    if preprocess is None:
        return
    if isinstance(preprocess, Mapping):
        import json

        preprocess = json.dumps(preprocess)
    made.preprocess(os.fspath(preprocess))


def _apply_players(made: _engine.Question, players: Any, names: Iterable[str] | None) -> None:
    if players is None:
        return
    if isinstance(players, str):
        made.players(players)
    else:
        owners = as_array(players, "players")
        if not np.issubdtype(owners.dtype, np.integer):
            raise ArgumentError(f"players: got an array of {owners.dtype}; expected integers: the player of each "
                                "element")
        made.owners(owners.ravel().tolist(), [str(name) for name in names or ()])


class Calling:
    """One call of the engine: `with Calling(working) as call`."""

    def __init__(self, working: Mapping[str, Any], options: Mapping[str, Any] | None = None) -> None:
        self.call = _engine.Call()
        if log.isEnabledFor(logging.INFO):
            self.call.note(log.info)
        check_working(working)
        self._told = _progress.told(working.get("progress"))
        self.call.progress = self._told
        if working.get("seed") is not None:
            self.call.seed(int(working["seed"]))
        if working.get("threads") is not None:
            self.call.threads(int(working["threads"]))
        if working.get("record"):
            self.call.record(True)
        for name, value in (working.get("settings") or {}).items():
            if value is not None:
                self.call.set(name, setting_text(value))
        for name, value in (options or {}).items():
            if value is not None and value is not False:
                given(getattr(self.call, name), name, value)

    def __enter__(self) -> _engine.Call:
        return self.call

    def __exit__(self, *_: object) -> None:
        if isinstance(self._told, _progress.Bar):
            self._told.close()


def given(setter: Callable[[Any], Any], name: str, value: Any) -> None:
    """Hands a value to the engine, which knows its type."""
    try:
        setter(value.item() if isinstance(value, np.generic) else value)
    except TypeError:
        # nanobind's own words name C++ and a function that nobody called.
        expected = (setter.__doc__ or "").partition("arg: ")[2].partition(", /")[0]
        raise ArgumentError(f"{name}: got {value!r}; expected {expected or 'another type'}") from None


def check_working(working: Mapping[str, Any]) -> None:
    """Refuses what cannot be."""
    if working.keys().isdisjoint(_WORKING):
        return
    for name, least, most in (("seed", 0, 2**64 - 1), ("threads", 1, _MOST_THREADS)):
        value = working.get(name)
        if value is not None and not (_is_integer(value) and least <= value <= most):
            raise ArgumentError(f"{name}: got {value!r}; expected an integer from {least} to {most}")
    progress = working.get("progress")
    if progress is not None and not isinstance(progress, bool) and not callable(progress):
        raise ArgumentError(f"progress: got {progress!r}; expected True, False or a function of (task, done, total)")
    record = working.get("record")
    if record is not None and not isinstance(record, bool):
        raise ArgumentError(f"record: got {record!r}; expected True or False")


def _is_integer(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def budget_text(budget: float | str | None) -> str | None:
    """How long work may take, in the engine's words."""
    if budget is None or isinstance(budget, str):
        return budget
    return f"{float(budget)}s"


def setting_text(value: Any) -> str:
    """A parameter as the engine reads it."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    return str(os.fspath(value)) if isinstance(value, os.PathLike) else str(value)


def in_a_word(value: Any) -> Any:
    """An argument as a record keeps it: large ones by what they are."""
    if isinstance(value, (bool, int, float, str)) or value is None:
        return value
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (list, tuple)) and all(isinstance(one, (str, int, float)) for one in value):
        return list(value)
    if isinstance(value, Mapping):
        return {str(name): in_a_word(one) for name, one in value.items()}
    if hasattr(value, "shape"):
        return f"{type(value).__name__} of shape {tuple(value.shape)}"
    return getattr(value, "__name__", type(value).__name__)


def split(arguments: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is asked, and how the work is done; whatever has another name is a setting of methods. What is None was not
    said."""
    asked: dict[str, Any] = {}
    working: dict[str, Any] = {}
    settings: dict[str, Any] = {}
    for name, value in arguments.items():
        if value is not None:
            (asked if name in _ASKED else working if name in _WORKING else settings)[name] = value
    mapped = settings.pop("settings", None)
    working["settings"] = {**mapped, **settings} if mapped else settings
    return asked, working
