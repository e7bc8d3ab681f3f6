"""What methods say that every part of the rows contributed."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _engine
from ._files import Arrays, Saved
from ._inputs import Rows
from ._mapping import Named
from ._records import is_whole, record_of
from .errors import ArgumentError

Record = Callable[[], dict[str, Any]]

# Fields with one entry for each row: arrays, and lists.
_ARRAYS_PER_ROW = ("values", "player_values", "base_values", "output", "residual", "sum", "exact", "evaluations",
                   "target", "data", "owners", "error_std", "intervals")
_PER_ROW = (*_ARRAYS_PER_ROW, "row_names", "output_names", "player_names", "tokens")
_OF_ALL = ("method", "feature_names", "explains", "output_name", "contribution", "seconds", "notes")
_SHARED = ("data", "owners", "baselines")  # the same of several methods


@dataclass(repr=False, eq=False)
class Explanation(Saved):
    """What one method says of rows: `Model.explain(x, method="shapley")`.

    Of several rows every array has the rows first; of one row that was given without an axis of rows none has.
    Indexing takes rows: `e[3]` is the explanation of one row, `e[:10]` of ten.

    >>> e = model.explain("boot.png", method="integrated_gradients")
    >>> e.values.shape              # as the input: one number per element
    (1, 28, 28)
    >>> e.base_values + e.player_values.sum() + e.residual - e.output      # nothing is hidden
    0.0
    """

    method: str
    values: np.ndarray  # per element of a row: [rows, row...]
    player_values: np.ndarray  # per player: [rows, players]
    base_values: np.ndarray | float  # what the values are counted from: f(b), or 0 for methods that explain f(x) itself
    data: np.ndarray  # the rows that were explained, as the model takes them
    output: np.ndarray | float  # f(x), of the target
    residual: np.ndarray | float  # what the values miss: output - base_values - sum of values
    sum: np.ndarray | float  # of the values of all players
    exact: np.ndarray | bool  # False: sampled, or an integral that missed its tolerance
    evaluations: np.ndarray | int  # rows that went through the network, forwards or backwards
    target: np.ndarray | int  # which number of the output; -1: more than one of them is read
    owners: np.ndarray  # the player of each element; -1: nobody's
    error_std: np.ndarray | None  # standard errors per player, if something was sampled
    intervals: np.ndarray | None  # half of each 95 % interval, likewise
    player_names: list[Any]
    row_names: list[str] | str
    output_names: list[str] | str  # what was explained: the label of the target
    feature_names: list[str] | None  # of tables
    baselines: np.ndarray  # [baselines, row...]; of the first row, where every row has its own
    explains: str  # what the output is: logit, probability, score, value ...
    output_name: str  # of the model
    contribution: bool  # False: the values are slopes, which are no shares of anything
    seconds: float  # of this method, for all rows together
    notes: list[str]
    single: bool = False  # whether there is no axis of rows
    # Factories, as a default would be found in the class before it is asked for.
    parameters_json: str = field(default_factory=lambda: "{}")
    recorded: Record = field(default_factory=lambda: dict)
    tokens: list[Any] | None = field(default_factory=lambda: None)  # of texts: the token at each position

    @classmethod
    def _later(cls, asked: Callable[[str], Any], single: bool) -> Explanation:
        """One whose fields are asked for when somebody looks at them: most are never looked at."""
        made = cls.__new__(cls)
        made.__dict__.update(_asked=asked, single=single)
        return made

    def _settled(self) -> Explanation:
        """The same with all fields, and nothing to ask."""
        for name in _FIELDS:
            getattr(self, name)
        del self.__dict__["_asked"]
        return self

    if not TYPE_CHECKING:  # it would allow any name

        def __getattr__(self, name: str) -> Any:
            asked = self.__dict__.get("_asked")
            if asked is None or name not in _FIELDS:
                raise AttributeError(f"an Explanation has no '{name}'")
            value = self.__dict__[name] = asked(name)
            return value

    def __getstate__(self) -> dict[str, Any]:
        state = {name: getattr(self, name) for name in _FIELDS}
        return {**state, "recorded": functools.partial(dict, self.recorded())}

    @property
    def parameters(self) -> dict[str, Any]:
        """The method's settings as they were used.

        >>> e.parameters
        {'steps': 64}
        """
        return {name: _number_or_text(value) for name, value in json.loads(self.parameters_json).items()}

    @property
    def record(self) -> dict[str, Any]:
        """What made it, for whoever wants to make it again: model, sha256 of its file, version, seed, threads,
        settings, question. If it was asked for with `record=True`: the whole record, which `ascribe.replay` computes
        again; of chosen rows and of one of several methods it is that of the call that made all of them."""
        recorded = self.recorded()
        if is_whole(recorded):
            return recorded
        return {**recorded, "method": self.method, "parameters": self.parameters}

    def __len__(self) -> int:
        return 1 if self.single else len(self.row_names)

    def __getitem__(self, rows: Any) -> Explanation:
        if self.single:
            raise ArgumentError("this is the explanation of one row; there is nothing to choose from")
        if isinstance(rows, (int, np.integer)):
            if not -len(self) <= rows < len(self):
                raise IndexError(f"row {rows}: there are {len(self)} rows")
            return self._with({name: _item(getattr(self, name), int(rows)) for name in _PER_ROW}, single=True)
        chosen = np.arange(len(self))[rows]
        return self._with({name: _items(getattr(self, name), chosen) for name in _PER_ROW}, single=False)

    def __iter__(self) -> Iterator[Explanation]:
        return iter([self] if self.single else [self[row] for row in range(len(self))])

    def _with(self, changed: dict[str, Any], single: bool) -> Explanation:
        return replace(self, **changed, single=single)

    def __repr__(self) -> str:
        what = str(self.output_names) if self.single else f"{len(self)} rows"
        return f"Explanation({self.method}: {what}, values {list(np.shape(self.values))})"

    @property
    def plot(self) -> Any:
        """Pictures: `e.plot.image()`, `bar`, `waterfall`, `beeswarm`, `heatmap`, `text`. Needs matplotlib."""
        from .plots import ExplanationPlots

        return ExplanationPlots(self)

    def _repr_html_(self) -> str:
        from .html.explanation import explanation_html

        return explanation_html(self)

    def batched(self) -> Explanation:
        """The same with an axis of rows, also of a single row."""
        if not self.single:
            return self
        return self._with({name: _stacked(getattr(self, name)) for name in _PER_ROW}, single=False)

    def strongest(self, count: int = 5) -> list[Any]:
        """The players with the largest magnitudes, the largest first, as (name, value); of several rows a list for
        each.

        >>> e.strongest(2)
        [('rooms', 1.25), ('age', -0.5)]
        """
        if not self.single:
            return [row.strongest(count) for row in self]
        values = self.player_values[:len(self.player_names)]
        order = np.argsort(-np.abs(values), kind="stable")[:count]
        return [(self.player_names[player], float(values[player])) for player in order]

    def to_dict(self) -> dict[str, Any]:
        """Everything as lists, texts and numbers, as JSON can hold it.

        >>> json.dumps(e.to_dict())
        """
        document: dict[str, Any] = {name: getattr(self, name) for name in (*_OF_ALL, "row_names", "output_names")}
        for name in ("player_names", *_ARRAYS_PER_ROW, "baselines"):
            value = getattr(self, name)
            document[name] = value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value
        return {**document, "parameters": self.parameters, "record": self.record}

    def to_pandas(self, errors: bool = False) -> Any:
        """A frame of a line for each row and a column for each player. With `errors`, columns ("value", player),
        ("error", player) and ("interval", player): standard errors, and half of each 95 % interval.

        >>> e.to_pandas().loc["row 0"].abs().nlargest(3)
        """
        from ._conversions import to_pandas

        return to_pandas(self.batched(), errors)

    def to_shap(self) -> Any:
        """A shap.Explanation, for everything that shap draws: of tables with a value for each feature, of pictures with
        channels last, otherwise with a value for each player.

        >>> shap.plots.beeswarm(model.explain(frame, method="shapley").to_shap())
        """
        from ._conversions import to_shap

        return to_shap(self)

    def _state(self) -> tuple[dict[str, Any], Arrays]:
        rows = self.batched()
        names = rows.player_names
        document = {name: getattr(rows, name) for name in (*_OF_ALL, "row_names", "output_names", "parameters_json")}
        same = all(one == names[0] for one in names)
        document.update(single=self.single, record=self.recorded(), player_names=names[:1] if same else names,
                        tokens=rows.tokens)
        arrays = {name: np.asarray(getattr(rows, name)) for name in (*_ARRAYS_PER_ROW, "baselines")
                  if getattr(rows, name) is not None}
        return document, arrays

    @classmethod
    def _of_state(cls, document: dict[str, Any], arrays: Arrays) -> Explanation:
        names, record = document["player_names"], document["record"]
        rows = len(document["row_names"])
        fields: dict[str, Any] = {name: arrays.get(name) for name in ("error_std", "intervals")}
        fields.update({name: arrays[name] for name in (*_ARRAYS_PER_ROW, "baselines") if name not in fields})
        fields.update({name: document[name] for name in (*_OF_ALL, "row_names", "output_names", "parameters_json")})
        made = cls(**fields, player_names=names * rows if len(names) == 1 else names, tokens=document["tokens"],
                   recorded=lambda: dict(record))
        return made[0] if document["single"] else made


class Explanations(Named[Explanation], Saved):
    """What several methods say of the same rows, by the name of the method.

    >>> all = model.explain(x, method="all", players="grid:3x3")
    >>> all["shapley"].values
    >>> all.left_out                # methods that do not suit the model, and why
    """

    def __init__(self, entries: dict[str, Explanation], left_out: dict[str, str], notes: list[str],
                 stopped: bool = False) -> None:
        super().__init__(entries, "method")
        self.left_out = left_out
        self.notes = notes
        self.stopped = stopped

    @property
    def record(self) -> dict[str, Any] | None:
        """How all of them came about, if `record=True` asked for it: what `ascribe.replay` takes."""
        for one in self.values():
            recorded = one.recorded()
            return recorded if is_whole(recorded) else None
        return None

    def rows(self, which: Any) -> Explanations:
        """The same methods of some of the rows."""
        return Explanations({name: one[which] for name, one in self.items()}, self.left_out, self.notes, self.stopped)

    def to_dict(self) -> dict[str, Any]:
        """Everything as lists, texts and numbers, by method."""
        return {"methods": {name: one.to_dict() for name, one in self.items()}, "left_out": self.left_out,
                "notes": self.notes, "stopped": self.stopped}

    def to_pandas(self, errors: bool = False) -> Any:
        """The frames of all methods below one another; the index is (method, row).

        >>> all.to_pandas().loc["shapley"]
        """
        import pandas

        return pandas.concat({name: one.to_pandas(errors) for name, one in self.items()}, names=["method", "row"])

    def to_shap(self) -> dict[str, Any]:
        """A shap.Explanation for each method."""
        return {name: one.to_shap() for name, one in self.items()}

    def _state(self) -> tuple[dict[str, Any], Arrays]:
        states = [one._state() for one in self.values()]
        arrays: Arrays = {}
        for place, (_, own) in enumerate(states):
            for name, array in own.items():
                first = arrays.get(f"0.{name}")
                if place == 0 or name not in _SHARED or first is None or not _same_bits(first, array):
                    arrays[f"{place}.{name}"] = array
        document = {"methods": [one for one, _ in states], "left_out": self.left_out, "notes": self.notes,
                    "stopped": self.stopped}
        # A record of the call may be large: it is there once.
        records = [one["record"] for one, _ in states]
        if records and all(record == records[0] for record in records):
            document["record"] = records[0]
            for one, _ in states:
                del one["record"]
        return document, arrays

    @classmethod
    def _of_state(cls, document: dict[str, Any], arrays: Arrays) -> Explanations:
        entries = {}
        for place, state in enumerate(document["methods"]):
            own = {name.partition(".")[2]: array for name, array in arrays.items() if name.startswith(f"{place}.")}
            shared = {name: arrays[f"0.{name}"] for name in _SHARED if f"0.{name}" in arrays}
            whole = {"record": document["record"], **state} if "record" in document else state
            entries[state["method"]] = Explanation._of_state(whole, {**shared, **own})
        return cls(entries, document["left_out"], document["notes"], document["stopped"])

    @property
    def plot(self) -> Any:
        """Pictures of all methods side by side: `all.plot.images()`, `bar`, `heatmap`. Needs matplotlib."""
        from .plots import ExplanationsPlots

        return ExplanationsPlots(self)

    def _repr_html_(self) -> str:
        from .html.explanations import explanations_html

        return explanations_html(self)


def _item(values: Any, row: int) -> Any:
    return None if values is None else values[row]


def _items(values: Any, rows: np.ndarray) -> Any:
    if values is None:
        return None
    return [values[row] for row in rows] if isinstance(values, list) else values[rows]


def _stacked(values: Any) -> Any:
    if values is None:
        return None
    return [values] if isinstance(values, (list, str)) else np.asarray(values)[None]


def _same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def _number_or_text(value: Any) -> Any:
    """A setting as the engine writes it: numbers and truth values are what they look like."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value


def explanations(handle: _engine.Explanation, rows: Rows, record: Record, own: bool = False) -> Explanations:
    """All that the engine answered. `own`: among the methods are functions of the caller's, which the engine's answer
    would keep; then it is let go at once."""
    made = {}
    common = _Common(handle, rows)
    whole = record_of(handle)
    if whole is not None:
        record = functools.partial(dict, whole)
    single = rows.single and handle.rows == 1
    for index in range(handle.methods):
        answer = _Answer(common, index, record)
        one = Explanation._later(answer.of_first_row if single else answer, single)
        made[handle.method_name(index)] = one._settled() if own else one
    return Explanations(made, dict(handle.left_out), list(handle.notes), handle.stopped)


class _Common:
    """What all methods of an answer have in common, each part of it looked up once."""

    def __init__(self, handle: _engine.Explanation, rows: Rows) -> None:
        self.handle = handle
        self._given_features = rows.feature_names
        self._given_rows = rows.row_names
        self._known: dict[str, Any] = {}

    def __call__(self, name: str) -> Any:
        if name not in self._known:
            self._known[name] = getattr(self, "_" + name)()
        return self._known[name]

    def _data(self) -> np.ndarray:
        return self.handle.x()

    def _player_names(self) -> list[list[str]]:
        return self.handle.players()

    def _owners(self) -> np.ndarray:
        return np.reshape(np.asarray(self.handle.owners()), self("data").shape)

    def _baselines(self) -> np.ndarray:
        return self.handle.baselines(0)

    def _row_names(self) -> list[str]:
        if len(self._given_rows) == self.handle.rows:
            return list(self._given_rows)
        return [self.handle.row_name(row) for row in range(self.handle.rows)]

    def _output_names(self) -> list[str]:
        return [self.handle.label(row) or self.handle.about(row) for row in range(self.handle.rows)]

    def _explains(self) -> str:
        return self.handle.explains(0)

    def _output_name(self) -> str:
        return self.handle.output_name(0)

    def _feature_names(self) -> list[str] | None:
        data, players = self("data"), self("player_names")
        named = data.ndim == 2 and all(len(one) == data.shape[1] for one in players)
        return list(self._given_features) or (list(players[0]) if named else None)

    def _tokens(self) -> list[list[str]] | None:
        """What the document says of rows of tokens."""
        if not self.handle.token_ids(0):
            return None
        document = json.loads(self.handle.json())
        return [list(row["tokens"]) for row in document.get("rows", [document])]


class _Answer:
    """What one method answered."""

    def __init__(self, common: _Common, index: int, record: Record) -> None:
        self._common = common
        self._index = index
        self._record = record

    def __call__(self, name: str) -> Any:
        handle, index = self._common.handle, self._index
        if name in _ASKED:
            return _ASKED[name](handle, index)
        if name == "recorded":
            return self._record
        if name == "notes":
            own = [note for row in range(handle.rows) for note in handle.method_notes(index, row)]
            return list(dict.fromkeys([*handle.notes, *own]))
        return self._common(name)

    def of_first_row(self, name: str) -> Any:
        return _item(self(name), 0) if name in _PER_ROW else self(name)


def _estimates(numbers: np.ndarray) -> np.ndarray | None:
    """Numbers of players that are there if something was sampled."""
    return numbers if numbers.shape[1] else None


_FIELDS = frozenset(one.name for one in fields(Explanation))
_ASKED: dict[str, Callable[[_engine.Explanation, int], Any]] = {
    "method": lambda handle, index: handle.method_name(index),
    "values": lambda handle, index: handle.elements(index),
    "player_values": lambda handle, index: handle.player_values(index),
    "base_values": lambda handle, index: handle.output(index) - handle.explained(index),
    "output": lambda handle, index: handle.output(index),
    "residual": lambda handle, index: handle.residual(index),
    "sum": lambda handle, index: handle.sum(index),
    "exact": lambda handle, index: handle.exact(index),
    "evaluations": lambda handle, index: handle.evaluations(index),
    "target": lambda handle, index: handle.target(index),
    "contribution": lambda handle, index: handle.contribution(index),
    "error_std": lambda handle, index: _estimates(handle.standard_errors(index)),
    "intervals": lambda handle, index: _estimates(handle.intervals(index)),
    "seconds": lambda handle, index: handle.seconds(index),
    "parameters_json": lambda handle, index: handle.parameters_json(index),
}
