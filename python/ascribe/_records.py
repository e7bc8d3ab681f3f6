"""How a result came about, if that was asked for with `record=True`."""

from __future__ import annotations

import json
from typing import Any, Protocol

_FORMAT = "ascribe record"  # of all that `ascribe.replay` takes


class _Recorded(Protocol):
    def record_json(self) -> str: ...


def record_of(handle: _Recorded) -> dict[str, Any] | None:
    """None: nobody asked for it."""
    text = handle.record_json()
    return dict(json.loads(text)) if text else None


def is_whole(record: dict[str, Any]) -> bool:
    """Whether a record can be replayed; otherwise it says in a few words what made a result."""
    return record.get("format") == _FORMAT
