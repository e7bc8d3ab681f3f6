"""Comparisons: their names, errors and tolerances."""
import math
from typing import NamedTuple

import numpy


class Result(NamedTuple):
    """One comparison; `trouble` says why it could not be made, `shown` whether it is worth a line if it passes."""

    name: str
    error: float
    tolerance: float
    trouble: str = ""
    shown: bool = True

    @property
    def passed(self):
        """Written so that NaN does not pass."""
        return self.error <= self.tolerance

    def __str__(self):
        verdict = "ok" if self.passed else "FAIL"
        line = f"{verdict:4}  {self.error:7.1e} <= {self.tolerance:.0e}  {self.name}"
        return f"{line}\n      {self.trouble}" if self.trouble else line


def relative_error(got, expected):
    """The largest difference, relative to the largest value expected."""
    got, expected = numpy.asarray(got), numpy.asarray(expected)
    if got.shape != expected.shape:
        raise ValueError(f"the shapes differ: {got.shape} and {expected.shape}")
    if not numpy.isfinite(expected).all() or not numpy.any(expected):
        raise ValueError("nothing to compare with: what is expected is zero or not finite")
    difference = got.astype(numpy.float64) - expected.astype(numpy.float64)
    return float(numpy.abs(difference).max() / numpy.abs(expected).max())


def compare(name, compute, expected, tolerance):
    """Whether compute() gives what is expected; an exception is a failure like another."""
    try:
        return Result(name, relative_error(compute(), expected), tolerance)
    except Exception as error:  # whatever it is, the other comparisons go on
        return failure(name, error)


def failure(name, error):
    """A comparison that came to nothing."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return Result(name, math.inf, 0.0, lines[0][:300])
