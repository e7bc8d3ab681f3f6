"""Explanations as what other packages work with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .explanation import Explanation

_CHANNELS = (1, 3, 4)


def to_pandas(rows: Explanation, errors: bool) -> Any:
    """A frame of a line for each row and a column for each player; `rows` has an axis of rows."""
    import pandas

    names = _common_names(rows)
    index = pandas.Index(rows.row_names, name="row")
    values = pandas.DataFrame(rows.player_values, index, names)
    if not errors:
        return values
    missing = np.full(rows.player_values.shape, np.nan) if rows.error_std is None else None
    parts = {"value": values,
             "error": pandas.DataFrame(rows.error_std if missing is None else missing, index, names),
             "interval": pandas.DataFrame(rows.intervals if missing is None else missing, index, names)}
    return pandas.concat(parts, axis=1, names=["", "player"])


def to_shap(e: Explanation) -> Any:
    """A shap.Explanation of the rows, or of the one row."""
    import shap

    rows = e.batched()
    values, data, names = _for_shap(rows)
    if not e.single:
        return shap.Explanation(values, rows.base_values, data, feature_names=names, output_names=None,
                                error_std=_errors_for_shap(rows, values), compute_time=e.seconds)
    errors = _errors_for_shap(rows, values)
    return shap.Explanation(values[0], np.asarray(rows.base_values)[0], None if data is None else data[0],
                            feature_names=names, error_std=None if errors is None else errors[0],
                            compute_time=e.seconds)


def _for_shap(rows: Explanation) -> tuple[np.ndarray, np.ndarray | None, list[str] | None]:
    axis = _channel_axis(rows.data.shape[1:])
    if axis is not None:
        return np.moveaxis(rows.values, axis, -1), np.moveaxis(rows.data, axis, -1), None
    names = _common_names(rows)
    if rows.data.ndim == 2 and len(names) == rows.data.shape[1]:
        return rows.player_values, rows.data, rows.feature_names or names
    return rows.player_values, None, names


def _errors_for_shap(rows: Explanation, values: np.ndarray) -> np.ndarray | None:
    return rows.error_std if rows.error_std is not None and rows.error_std.shape == values.shape else None


def _channel_axis(row: tuple[int, ...]) -> int | None:
    """Where rows that are pictures have their channels, counted with the axis of rows."""
    if len(row) != 3 or min(row[1:]) < 2 and row[0] in _CHANNELS:
        return None
    return 1 if row[0] in _CHANNELS else 3 if row[2] in _CHANNELS else None


def _common_names(rows: Explanation) -> list[str]:
    """The names of the players; numbers, if rows have players of their own."""
    names = rows.player_names
    if all(one is names[0] or one == names[0] for one in names):
        return list(names[0])
    return [f"player {place}" for place in range(rows.player_values.shape[1])]
