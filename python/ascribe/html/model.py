"""What a notebook shows of a Model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .._showing import plural
from ._page import Safe, faint, head, notes, page, table, tag

if TYPE_CHECKING:
    from ..model import Model

_MOST_ENDS = 12
_UNITS = ("", " K", " M", " G", " T")


def model_html(model: Model) -> str:
    """Inputs, outputs, size, operators and what holds for every question."""
    info = model.info
    return page(head(model.name, str(info.get("precision") or "")), faint(_size(model, info)), _ends(info),
                _operators(info), _defaults(model.defaults), notes(model.notes))


def _size(model: Model, info: Mapping[str, Any]) -> str:
    parts = [f"rows of {list(model.row_shape)}", plural(model.targets, "target")]
    parts += [f"{_short(info['parameters'])} parameters"] if info.get("parameters") else []
    parts += [f"{_short(info['macs_per_row'])} multiplications per row"] if info.get("macs_per_row") else []
    parts += [f"by {info['producer']}, opset {info.get('opset')}"] if info.get("producer") else []
    return " · ".join(parts)


def _short(count: int) -> str:
    number, unit = float(count), 0
    while number >= 1000 and unit + 1 < len(_UNITS):
        number, unit = number / 1000, unit + 1
    return f"{number:.3g}{_UNITS[unit]}"


def _ends(info: Mapping[str, Any]) -> Safe:
    ends = [(kind, one) for kind in ("input", "output") for one in info.get(kind + "s") or []]
    lines = [(kind, one.get("name", ""), " × ".join(str(side) for side in one.get("shape") or []), one.get("type", ""))
             for kind, one in ends[:_MOST_ENDS]]
    if len(ends) > _MOST_ENDS:
        lines.append((f"and {len(ends) - _MOST_ENDS} more", "", "", ""))
    return table(("", "name", "shape", "type"), lines) if lines else Safe("")


def _operators(info: Mapping[str, Any]) -> Safe:
    operators = info.get("operators") or []
    if not operators:
        return Safe("")
    said = ", ".join(f"{one['name']} {one['count']}" for one in operators)
    missing = [one["name"] for one in operators if not one.get("supported", True)]
    return tag("details", tag("summary", plural(sum(one["count"] for one in operators), "operator")), faint(said),
               tag("div", f"not supported: {', '.join(missing)}", class_="no") if missing else "")


def _defaults(defaults: Mapping[str, Any]) -> Safe:
    said = [f"{name} = {_brief(value)}" for name, value in defaults.items() if value is not None]
    return faint("every question: " + "; ".join(said)) if said else Safe("")


def _brief(value: Any) -> str:
    shape = getattr(value, "shape", None)
    if shape is not None:
        return f"{type(value).__name__} {list(shape)}"
    text = repr(value) if isinstance(value, (str, int, float, bool)) else str(value)
    return text if len(text) <= 80 else text[:77] + "…"
