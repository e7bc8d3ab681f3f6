"""What a notebook shows of a Prediction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._showing import number_text, plural
from ._bars import shares
from ._page import Safe, faint, head, joined, notes, page, table, tag

if TYPE_CHECKING:
    from ..prediction import Prediction

_SHOWN_ROWS = 5
_SHOWN_NUMBERS = 8


def prediction_html(prediction: Prediction) -> str:
    """The best classes of the first rows, or the numbers of the output."""
    shown = min(_SHOWN_ROWS, len(prediction))
    rest = f"The first {shown} of {plural(len(prediction), 'row')}." if shown < len(prediction) else ""
    parts = _classes(prediction, shown) if shown and prediction.top(0) else _numbers(prediction, shown)
    others = f" (shown: {prediction.output_names[0]})" if len(prediction.output_names) > 1 else ""
    return page(head(f"Prediction of {plural(len(prediction), 'row')}"),
                faint(f"outputs: {', '.join(prediction.output_names)}{others}"), parts, faint(rest) if rest else "",
                notes(prediction.notes))


def _classes(prediction: Prediction, shown: int) -> Safe:
    rows = []
    for row in range(shown):
        lines = [(one.label or f"class {one.index}", one.probability,
                  f"{one.probability:.1%}  ({number_text(one.score)})") for one in prediction.top(row)]
        rows.append(tag("div", tag("b", prediction.row_names[row]), shares(lines), class_="part"))
    return joined(rows)


def _numbers(prediction: Prediction, shown: int) -> Safe:
    values = np.asarray(prediction.values).reshape(len(prediction), -1) if len(prediction) else np.zeros((0, 0))
    many = values.shape[1] > _SHOWN_NUMBERS
    lines = [(prediction.row_names[row], ", ".join(number_text(value, 4) for value in values[row, :_SHOWN_NUMBERS])
              + (f", … {values.shape[1]} numbers" if many else "")) for row in range(shown)]
    return table(("row", prediction.output_names[0] if prediction.output_names else "output"), lines)
