"""Ray and pyarrow, which the extra `ray` installs, and how Ray is used here."""

from __future__ import annotations

import logging
import os

# Nothing is sent anywhere unless somebody wants it.
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

try:
    import pyarrow
    import ray
    import ray.data
except ImportError as missing:
    raise ImportError(f"ascribe.ray needs {missing.name}: pip install 'ascribe-xai[ray]'", name=missing.name) from None

__all__ = ["pyarrow", "quiet", "ray", "started"]


def started() -> None:
    """Joins the Ray of RAY_ADDRESS, or starts one of its own on this machine, unless the program has done so. One that
    somebody else has started here is left alone."""
    if ray.is_initialized():
        return
    if os.environ.get("RAY_ADDRESS"):
        ray.init(logging_level=logging.WARNING, log_to_driver=False)
    else:
        ray.init("local", include_dashboard=False, logging_level=logging.WARNING, log_to_driver=False)
    quiet()


def quiet() -> None:
    """Leaves out what Ray says about every step of its own."""
    logging.getLogger("ray.data").setLevel(logging.WARNING)
    ray.data.DataContext.get_current().enable_progress_bars = False
