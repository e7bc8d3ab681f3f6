"""How the engine's threads wait for each other."""

import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def sleeping_soon() -> Iterator[None]:
    """The engine's OpenMP, if it is loaded now, lets waiting threads sleep after some tens of microseconds instead of
    milliseconds, which costs little alone and much time beside other programs. What the user has said stands, and
    libraries that are loaded later are not told.
    """
    if "OMP_WAIT_POLICY" in os.environ or "GOMP_SPINCOUNT" in os.environ:
        yield
        return
    os.environ["GOMP_SPINCOUNT"] = "5000"
    try:
        yield
    finally:
        del os.environ["GOMP_SPINCOUNT"]
