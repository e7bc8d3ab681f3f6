"""Whatever holds a model, as one that the engine has read."""

from __future__ import annotations

import os
from typing import Any

from . import _engine
from ._arrays import comes_from
from .errors import ArgumentError


def read(source: Any, example: Any, options: _engine.LoadOptions) -> tuple[_engine.Model, str]:
    """The engine's model, and what to call it."""
    if is_module(source):
        from ._torch import exported

        name = type(source).__name__
        return _engine.Model.load_bytes(exported(source, example), name + ".onnx", options), name
    if example is not None:
        raise ArgumentError("example: it is for a torch.nn.Module, which is exported with it; an ONNX file says itself "
                            "what it takes")
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        return _engine.Model.load(path, options), os.path.basename(path)
    content, name = _content(source)
    return _engine.Model.load_bytes(content, name, options), name


def is_module(source: Any) -> bool:
    return comes_from(source, "torch") and hasattr(source, "state_dict") and hasattr(source, "forward")


def _content(source: Any) -> tuple[bytes, str]:
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source), "model.onnx"
    if hasattr(source, "SerializeToString") and hasattr(source, "graph"):
        return source.SerializeToString(), (source.graph.name or "model") + ".onnx"
    if hasattr(source, "model_proto"):  # torch.onnx.ONNXProgram, or a compiled explanation
        proto = source.model_proto() if callable(source.model_proto) else source.model_proto
        return proto.SerializeToString(), "model.onnx"
    if hasattr(source, "read"):
        content = source.read()
        if not isinstance(content, bytes):
            raise ArgumentError("source: the file gives texts; expected one that is opened for bytes: open(path, 'rb')")
        return content, os.path.basename(str(getattr(source, "name", "model.onnx")))
    raise ArgumentError(f"source: got {_called(source)}; expected the path of an ONNX file, its bytes, an "
                        f"onnx.ModelProto or a torch.nn.Module{_remedy(source)}")


def _called(source: Any) -> str:
    return "None" if source is None else f"an object of type {type(source).__module__}.{type(source).__qualname__}"


def _remedy(source: Any) -> str:
    for name in ("predict_proba", "predict"):
        if hasattr(source, name):
            return f"; any other model is a function of rows: ascribe.function(model.{name}, inputs=...)"
    return "; any function of rows is ascribe.function(f, inputs=...)" if callable(source) else ""
