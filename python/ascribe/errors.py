"""What the engine refuses, a class for each kind of error. All of them are `ascribe.Error`.

>>> try:
...     model.explain(x, method="shaply")
... except ascribe.ArgumentError as error:
...     print(error)          # names the methods there are
"""


class Error(Exception):
    """Any refusal of ascribe; the message names what was wrong, what was expected and what to do."""


class ArgumentError(Error, ValueError):
    """A request that cannot be: an unknown method, setting, target or number."""


class ModelError(Error, ValueError):
    """The model file is malformed."""


class UnsupportedError(Error, NotImplementedError):
    """A valid request that is not implemented, or not for this model."""


class ShapeError(Error, ValueError):
    """Data that do not fit the model."""


class NumericError(Error, ArithmeticError):
    """Numbers that are not finite."""


class FileError(Error, OSError):
    """A file that cannot be read or written."""


class InternalError(Error, RuntimeError):
    """A bug of ascribe: please report it."""


class Cancelled(Error, RuntimeError):
    """The work was stopped."""
