"""A torch.nn.Module as an ONNX file in memory."""

from __future__ import annotations

import contextlib
import io
import logging
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from .errors import ArgumentError, UnsupportedError

log = logging.getLogger("ascribe")

_CHATTER = ("torch.onnx", "torch.export", "onnxscript", "onnx_ir")
_LEGACY_OPSET = 17


def exported(module: Any, example: Any) -> bytes:
    """The module in evaluation mode as the bytes of an ONNX file, for any number of rows. `example`: what it is called
    with, rows first: a tensor or array, a tuple of arguments, or a mapping of them by name.

    >>> exported(net, torch.zeros(1, 3, 32, 32))[:4]
    """
    import torch

    module = getattr(module, "_orig_mod", module)  # of torch.compile
    _check(module)
    arguments, named = _arguments(example, torch)
    with _in_evaluation(module), _quiet(), torch.no_grad():
        return _export(module, arguments, named, torch)


def _check(module: Any) -> None:
    for name, parameter in [*module.named_parameters(), *module.named_buffers()]:
        if parameter.device.type != "cpu":
            raise ArgumentError(f"module: its parameter '{name}' is on {parameter.device}; expected the CPU, where "
                                "ascribe computes: copy.deepcopy(module).cpu()")
        if parameter.is_floating_point() and str(parameter.dtype) not in ("torch.float32", "torch.float64"):
            raise ArgumentError(f"module: its parameter '{name}' is of {str(parameter.dtype).removeprefix('torch.')}; "
                                "expected float32 or float64: copy.deepcopy(module).float()")


def _arguments(example: Any, torch: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if example is None:
        raise ArgumentError("example: a torch.nn.Module is exported by calling it once; expected an input for it, rows "
                            "first, such as torch.zeros(1, 3, 224, 224)")
    if isinstance(example, Mapping):
        return (), {str(name): _tensor(value, torch) for name, value in example.items()}
    if isinstance(example, tuple):
        return tuple(_tensor(value, torch) for value in example), {}
    return (_tensor(example, torch),), {}


def _tensor(value: Any, torch: Any) -> Any:
    """With at least two rows: a size of 1 would be taken as one that never changes."""
    if not isinstance(value, torch.Tensor):
        array = np.asarray(value)
        if array.dtype.kind not in "iufb":
            raise ArgumentError(f"example: got {type(value).__qualname__}; expected tensors or arrays of numbers")
        value = torch.from_numpy(np.ascontiguousarray(array))
    if value.ndim == 0 or value.shape[0] == 0:
        raise ArgumentError(f"example: got a tensor of shape {tuple(value.shape)}; expected rows in its first axis")
    value = value.detach().cpu()
    if value.is_floating_point() and str(value.dtype) not in ("torch.float32", "torch.float64"):
        value = value.float()
    return value if value.shape[0] > 1 else value.repeat(2, *[1] * (value.ndim - 1))


def _export(module: Any, arguments: tuple[Any, ...], named: dict[str, Any], torch: Any) -> bytes:
    """By torch's exporter for any number of rows; then by the one before it; then for one row, which the engine makes
    any number."""
    one_row = tuple(value[:1] for value in arguments), {name: value[:1] for name, value in named.items()}
    answer = module(*arguments, **named)  # its own complaints are the clearest
    outputs = ["output"] if isinstance(answer, torch.Tensor) else None
    ways: list[Callable[[], bytes]] = [
            lambda: _by_dynamo(module, arguments, named, outputs, torch, True),
            lambda: _by_tracing(module, arguments, named, outputs, torch),
            lambda: _by_dynamo(module, *one_row, outputs, torch, False)]
    first: Exception | None = None
    for export in ways:
        try:
            return export()
        except Exception as error:  # exporters raise whatever happens inside them
            log.debug("an exporter gave up: %s", error)
            first = first or error
    raise UnsupportedError("module: torch cannot export it to ONNX; export it yourself and load the file, or ask about "
                           f"it as a black box: ascribe.function(lambda x: module(torch.as_tensor(x)), inputs=...) "
                           f"({first})") from first


def _by_dynamo(module: Any, arguments: tuple[Any, ...], named: dict[str, Any], outputs: list[str] | None, torch: Any,
               any_rows: bool) -> bytes:
    rows = {0: torch.export.Dim.DYNAMIC}
    shapes: Any = None
    if any_rows:
        shapes = tuple(rows for _ in arguments) if arguments else dict.fromkeys(named, rows)
    program = torch.onnx.export(module, arguments, kwargs=named, dynamo=True, dynamic_shapes=shapes, verbose=False,
                                output_names=outputs)
    return bytes(program.model_proto.SerializeToString())


def _by_tracing(module: Any, arguments: tuple[Any, ...], named: dict[str, Any], outputs: list[str] | None,
                torch: Any) -> bytes:
    names = list(named) or (["input"] if len(arguments) == 1 else [f"input_{i}" for i in range(len(arguments))])
    axes = {name: {0: "N"} for name in [*names, *(outputs or [])]}
    with io.BytesIO() as file:
        torch.onnx.export(module, arguments, file, kwargs=named, dynamo=False, input_names=names, output_names=outputs,
                          dynamic_axes=axes, opset_version=_LEGACY_OPSET)
        return file.getvalue()


@contextlib.contextmanager
def _in_evaluation(module: Any) -> Iterator[None]:
    training = [one for one in module.modules() if one.training]
    module.eval()
    try:
        yield
    finally:
        for one in training:
            one.training = True


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """What exporters print, warn and log goes to our logger, for those who look."""
    relay = _Relay()
    loggers = [logging.getLogger(name) for name in _CHATTER]
    before = [one.propagate for one in loggers]
    printed = io.StringIO()
    for one in loggers:
        one.addHandler(relay)
        one.propagate = False
    try:
        with (warnings.catch_warnings(record=True) as warned, contextlib.redirect_stdout(printed),
              contextlib.redirect_stderr(printed)):
            warnings.simplefilter("always")
            yield
        for warning in warned:
            log.debug("torch: %s", warning.message)
    finally:
        for one, propagate in zip(loggers, before, strict=True):
            one.removeHandler(relay)
            one.propagate = propagate
        if printed.getvalue().strip():
            log.debug("torch: %s", printed.getvalue().strip())


class _Relay(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        log.debug("torch: %s", record.getMessage())
