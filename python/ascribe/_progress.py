"""How long work tells how far it is: a bar by tqdm where it is installed, or a function of the caller's."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

Told = Callable[[str, int, int], Any]

_PATIENCE = 2.0  # seconds without a bar: what is over by then needs none


class Bar:
    """A bar of tqdm that appears when the work turns out to be long, and goes when it is done."""

    def __init__(self, patience: float = _PATIENCE) -> None:
        self._due = time.monotonic() + patience
        self._bar: Any = None

    def __call__(self, task: str, done: int, total: int) -> None:
        if self._bar is None:
            if time.monotonic() < self._due:
                return
            from tqdm.auto import tqdm

            self._bar = tqdm(leave=False)
        if self._bar.desc != task + ": " or self._bar.total != total:
            self._bar.reset(total)
            self._bar.set_description(task, refresh=False)
        self._bar.n = done
        self._bar.refresh()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def told(progress: bool | Told | None) -> Told | None:
    """Who is told: nobody (False), a bar at once (True), a function, or as suits the place (None)."""
    if callable(progress):
        return progress
    if progress is False or not _has_tqdm():
        return None
    if progress is None and not _somebody_looks():
        return None
    return Bar(0.0 if progress else _PATIENCE)


def _has_tqdm() -> bool:
    try:
        import tqdm  # noqa: F401
    except ImportError:
        return False
    return True


def _somebody_looks() -> bool:
    return sys.stderr is not None and sys.stderr.isatty() or "ipykernel" in sys.modules
