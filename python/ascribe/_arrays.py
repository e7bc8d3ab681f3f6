"""Numbers as the engine reads them, from whatever holds numbers; not copied where they lie so already."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from .errors import ArgumentError, ShapeError

log = logging.getLogger("ascribe")

_READY = frozenset([np.dtype(np.float32), np.dtype(np.float64)])
_SMALL = (np.int8, np.uint8, np.int16, np.uint16, np.float16, np.bool_)  # float32 holds all of their values


def comes_from(value: Any, package: str) -> bool:
    """Whether the type of a value, or one that it is derived from, belongs to a package. It need not be installed."""
    return any(base.__module__.partition(".")[0] == package for base in type(value).__mro__)


def as_array(values: Any, what: str = "data") -> np.ndarray:
    """The values as an array of numpy, of their own type; shared where that is possible.

    >>> as_array(torch.ones(3, requires_grad=True)).dtype
    dtype('float32')
    """
    if isinstance(values, np.ma.MaskedArray):
        return _unmasked(values, what)
    if isinstance(values, np.ndarray):
        return np.asarray(values)
    if comes_from(values, "torch"):
        return _of_torch(values, what)
    if comes_from(values, "scipy") and hasattr(values, "toarray"):
        log.info("%s: a sparse matrix of %s is made dense", what, "x".join(map(str, values.shape)))
        return np.asarray(values.toarray())
    if hasattr(values, "__dlpack__") and not hasattr(values, "__array__"):
        return np.from_dlpack(values)
    if isinstance(values, (list, tuple)) and any(comes_from(one, "torch") for one in values):
        values = [as_array(one, what) for one in values]
    try:
        return np.asarray(values)
    except ValueError as error:
        raise ShapeError(f"{what}: the rows are not of one shape ({error}); expected as many numbers in each") from None


def as_numbers(values: Any, what: str = "data") -> np.ndarray:
    """Row-major float32 or float64 in memory: the numbers themselves where they lie so already.

    >>> as_numbers([[1, 2], [3, 4]]).dtype
    dtype('float64')
    """
    if type(values) is np.ndarray and values.dtype in _READY and values.flags.c_contiguous:
        return values
    array = as_array(values, what)
    if array.dtype.newbyteorder("=") in _READY:
        wanted = array.dtype.newbyteorder("=")
    elif array.dtype.newbyteorder("=").type in _SMALL:
        wanted = np.dtype(np.float32)
    elif array.dtype.kind in "iuf":
        wanted = np.dtype(np.float64)
    else:
        raise ArgumentError(f"{what}: got {_called(values, array)}; expected numbers{_remedy(array)}")
    return np.asarray(array, wanted, order="C")


def _called(values: Any, array: np.ndarray) -> str:
    if array.dtype.kind == "O" and array.ndim == 0:
        return repr(values) if values is None else f"an object of type {type(values).__qualname__}"
    return f"an array of {'Python objects' if array.dtype.kind == 'O' else array.dtype}"


def _remedy(array: np.ndarray) -> str:
    if array.dtype.kind in "OUST" and array.ndim > 0:
        return ("; if all of them are numbers, .astype(float) makes them so, and texts need an encoding first "
                "(scikit-learn's OneHotEncoder or OrdinalEncoder)")
    if array.dtype.kind == "c":
        return "; say whether .real, .imag or abs() is meant"
    if array.dtype.kind in "mM":
        return "; say in which unit times are counted: (t - start) / np.timedelta64(1, 'D')"
    if array.dtype.kind == "V":
        return "; the fields of records become columns with numpy.lib.recfunctions.structured_to_unstructured"
    return ": an array, a tensor, a frame, a picture, or the path of a file"


def _unmasked(values: np.ma.MaskedArray, what: str) -> np.ndarray:
    if np.ma.is_masked(values):
        count = int(np.ma.getmaskarray(values).sum())
        raise ArgumentError(f"{what}: {count} of {values.size} numbers are masked; expected numbers everywhere: "
                            ".filled(value) puts one in their place")
    return np.asarray(values.data)


def _of_torch(tensor: Any, what: str) -> np.ndarray:
    """Also of tensors that need gradients, are on another device, or of a type that numpy lacks."""
    if not hasattr(tensor, "detach"):
        raise ArgumentError(f"{what}: got {type(tensor).__qualname__} of torch; expected a tensor")
    tensor = tensor.detach()
    if getattr(tensor, "is_quantized", False):
        tensor = tensor.dequantize()
    if str(tensor.layout) != "torch.strided":
        tensor = tensor.to_dense()
    tensor = tensor.cpu().resolve_conj().resolve_neg()
    if str(tensor.dtype) == "torch.bfloat16" or str(tensor.dtype).startswith("torch.float8"):
        tensor = tensor.float()
    return np.asarray(tensor.numpy())
