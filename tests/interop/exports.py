"""Writes a torch.nn network to ONNX, in the ways that PyTorch offers."""
import contextlib
import io
import logging
import warnings
from typing import NamedTuple

import torch


class Recipe(NamedTuple):
    """How a network is exported."""

    exporter: str  # "dynamo", or "script" for the older one by TorchScript
    opset: int
    batch: str = "free"  # or "one": the file says 1 row
    folded: bool = True  # False: BatchNormalization and constant expressions stay in the file

    def __str__(self):
        return f"{self.exporter} opset {self.opset} batch {self.batch}{'' if self.folded else ' unfolded'}"


@contextlib.contextmanager
def quiet():
    """Exporters tell stories on every channel there is."""
    logging.disable(logging.WARNING)
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        yield
    logging.disable(logging.NOTSET)


def dynamo(net, rows, path, recipe):
    """Today's exporter, with the weights in a file beside the model."""
    shapes = ({0: torch.export.Dim("batch")},) if recipe.batch == "free" else None
    torch.onnx.export(net, (rows,), path, dynamo=True, external_data=True, dynamic_shapes=shapes,
                      opset_version=recipe.opset, optimize=recipe.folded, verbose=False)


def script(net, rows, path, recipe):
    """The older exporter, with the weights in the model."""
    mode = torch.onnx.TrainingMode.EVAL if recipe.folded else torch.onnx.TrainingMode.PRESERVE
    axes = {"input": {0: "batch"}, "output": {0: "batch"}} if recipe.batch == "free" else None
    torch.onnx.export(net, (rows,), path, dynamo=False, input_names=["input"], output_names=["output"],
                      dynamic_axes=axes, opset_version=recipe.opset, training=mode,
                      do_constant_folding=recipe.folded)


def export(net, rows, path, recipe):
    """Writes the network to `path`; `rows` are an example of its input."""
    rows = rows if recipe.batch == "free" else rows[:1]
    with quiet(), torch.no_grad():
        {"dynamo": dynamo, "script": script}[recipe.exporter](net, rows, str(path), recipe)
