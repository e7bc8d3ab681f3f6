"""An explanation as an ONNX file, to be run elsewhere."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from . import _engine
from ._records import record_of

if TYPE_CHECKING:
    from .model import Model


class Compiled:
    """What `Model.compile` returns: a model whose outputs are the explained model's and its attributions.

    >>> c = model.compile("deeplift_rescale", "explained.onnx", target="top")
    >>> onnxruntime.InferenceSession(c.bytes).run(None, {"x": x})
    """

    def __init__(self, handle: _engine.Compiled) -> None:
        self._handle = handle
        document = json.loads(handle.json())
        self.document: dict[str, Any] = document
        self.inputs: list[dict[str, Any]] = document["inputs"]
        self.outputs: list[dict[str, Any]] = document["outputs"]
        self.metadata: dict[str, str] = document["metadata"]  # of the file: method, target, baseline, model ...
        self.notes: list[str] = list(handle.notes)
        self.record: dict[str, Any] | None = record_of(handle)  # how it came about, if record=True asked for it

    @property
    def bytes(self) -> bytes:
        """The file."""
        return self._handle.bytes

    def write(self, path: str | os.PathLike[str], force: bool = False) -> None:
        """Writes the file; one that is there is replaced only if `force` is set."""
        self._handle.write(os.fspath(path), force)

    def model_proto(self) -> Any:
        """The file as an onnx.ModelProto."""
        import onnx

        return onnx.load_from_string(self.bytes)

    def load(self, **arguments: Any) -> Model:
        """The file as a model of ascribe; the arguments are those of `ascribe.load`."""
        from .model import load

        return load(self.bytes, **arguments)

    def to_dict(self) -> dict[str, Any]:
        """The document that the command line prints."""
        return self.document

    def __len__(self) -> int:
        return len(self.bytes)

    def __repr__(self) -> str:
        method, target = self.metadata.get("ascribe.method"), self.metadata.get("ascribe.target")
        return f"Compiled({method}, target: {target}, {len(self)} bytes)"
