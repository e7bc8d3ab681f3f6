"""What methods say that every part of the rows contributed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from . import _engine
from ._inputs import Rows
from ._mapping import Named
from .errors import ArgumentError

# Fields with one entry for each row.
_PER_ROW = ("values", "player_values", "base_values", "output", "residual", "exact", "evaluations", "target", "data",
            "owners", "error_std", "intervals", "row_names", "output_names", "player_names", "tokens")


@dataclass(repr=False, eq=False)
class Explanation:
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
    parameters: dict[str, Any]
    record: dict[str, Any] = field(default_factory=dict)  # what made it: model, version, seed, settings
    single: bool = False  # whether there is no axis of rows
    tokens: list[Any] | None = None  # of texts: the token at each position

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


class Explanations(Named[Explanation]):
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

    def rows(self, which: Any) -> Explanations:
        """The same methods of some of the rows."""
        return Explanations({name: one[which] for name, one in self.items()}, self.left_out, self.notes, self.stopped)

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


def explanations(handle: _engine.Explanation, rows: Rows, record: dict[str, Any]) -> Explanations:
    """All that the engine answered."""
    made = {}
    if handle.methods:
        shared = _shared(handle, rows)
        for index in range(handle.methods):
            one = _of_method(handle, index, shared, record)
            made[one.method] = one if not shared["single"] else one[0]
    return Explanations(made, dict(handle.left_out), list(handle.notes), handle.stopped)


def _shared(handle: _engine.Explanation, rows: Rows) -> dict[str, Any]:
    """What all methods have in common; shared arrays are not copied."""
    count = handle.rows
    data = handle.x()
    players = [list(handle.players(row)) for row in range(count)]
    owners = np.stack([handle.owners(row) for row in range(count)]).reshape(data.shape)
    named = all(len(one) == data[0].size for one in players) and data.ndim == 2
    return {
        "data": data,
        "player_names": players,
        "owners": owners,
        "baselines": handle.baselines(0),
        "row_names": [handle.row_name(row) for row in range(count)],
        "output_names": [handle.label(row) or handle.about(row) for row in range(count)],
        "explains": handle.explains(0),
        "output_name": handle.output_name(0),
        "feature_names": list(rows.feature_names) or (players[0] if named else None),
        "single": rows.is_single(data.ndim - 1),
        "tokens": _tokens(handle),
    }


def _tokens(handle: _engine.Explanation) -> list[list[str]] | None:
    """What the document says of rows of tokens."""
    if not handle.token_ids(0):
        return None
    document = json.loads(handle.json())
    return [list(row["tokens"]) for row in document.get("rows", [document])]


def _of_method(handle: _engine.Explanation, index: int, shared: dict[str, Any], record: dict[str, Any]) -> Explanation:
    errors = handle.standard_errors(index)
    output = handle.output(index)
    notes = [note for row in range(handle.rows) for note in handle.method_notes(index, row)]
    return Explanation(
        **{**shared, "single": False},
        method=handle.method_name(index),
        values=handle.elements(index),
        player_values=handle.player_values(index),
        base_values=output - handle.explained(index),
        output=output,
        residual=handle.residual(index),
        exact=handle.exact(index),
        evaluations=handle.evaluations(index),
        target=handle.target(index),
        contribution=handle.contribution(index),
        error_std=errors if errors.shape[1] else None,
        intervals=handle.intervals(index) if errors.shape[1] else None,
        seconds=handle.seconds(index),
        notes=list(dict.fromkeys([*handle.notes, *notes])),
        parameters={},
        record=record,
    )
