"""How long work tells how far it is: a bar by tqdm where it is installed, or a function of the caller's."""

from __future__ import annotations

import importlib.util
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

from .errors import ArgumentError

Told = Callable[[str, int, int], Any]

_PATIENCE = 2.0  # seconds without a bar: what is over by then needs none
_FORMAT = "{desc}: {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} [{elapsed}]"


class Bar:
    """A bar of tqdm that appears when the work turns out to be long, and goes when it is done."""

    def __init__(self, patience: float) -> None:
        self._due = time.monotonic() + patience
        self._bar: Any = None

    def __call__(self, task: str, done: int, total: int) -> None:
        if self._bar is None:
            if time.monotonic() < self._due:
                return
            self._bar = _tqdm()(desc=task, total=total, leave=False, bar_format=_FORMAT, file=sys.stderr)
        # One bar for all parts of the work, each from its beginning to its end.
        self._bar.total = total
        self._bar.n = done
        self._bar.set_description_str(task, refresh=False)
        self._bar.refresh()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def told(progress: bool | Told | None) -> Told | None:
    """Who is told: nobody (False), a bar at once (True), a function, or as suits the place (None)."""
    if progress is None:
        return Bar(_PATIENCE) if _somebody_looks() and _has_tqdm() else None
    if callable(progress):
        return progress
    if progress and not _has_tqdm():
        raise ArgumentError("progress: a bar needs tqdm, which is not installed; expected False, or a function of "
                            "(task, done, total)")
    return Bar(0.0) if progress else None


def _has_tqdm() -> bool:
    return sys.modules.get("tqdm", True) is not None and importlib.util.find_spec("tqdm") is not None


def _tqdm() -> Any:
    with warnings.catch_warnings():  # a notebook without widgets has a bar of letters, and need not be told
        warnings.simplefilter("ignore")
        from tqdm.auto import tqdm

    return tqdm


def _somebody_looks() -> bool:
    """On a terminal, or in a notebook."""
    if sys.stderr is not None and sys.stderr.isatty():
        return True
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")
