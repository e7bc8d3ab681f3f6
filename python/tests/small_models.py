"""Models that tests make: a network for sequences, and a black box."""

import numpy as np
import pytest

STEPS, CHANNELS = 6, 2


def sequence_bytes() -> bytes:
    """y = tanh(flat x W) V for rows of 6 steps by 2 channels: an ONNX file of three nodes."""
    onnx = pytest.importorskip("onnx")
    helper = onnx.helper
    random = np.random.default_rng(5)
    weights = {"W": random.normal(size=(STEPS * CHANNELS, 4)), "V": random.normal(size=(4, 3))}
    constants = [onnx.numpy_helper.from_array(value.astype(np.float32), name) for name, value in weights.items()]
    nodes = [helper.make_node("Flatten", ["x"], ["flat"]), helper.make_node("MatMul", ["flat", "W"], ["hidden"]),
             helper.make_node("Tanh", ["hidden"], ["bent"]), helper.make_node("MatMul", ["bent", "V"], ["y"])]
    real = onnx.TensorProto.FLOAT
    graph = helper.make_graph(nodes, "sequence", [helper.make_tensor_value_info("x", real, ["N", STEPS, CHANNELS])],
                              [helper.make_tensor_value_info("y", real, ["N", 3])], constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    made.ir_version = 8
    return made.SerializeToString()


def sequences(rows: int = 5) -> np.ndarray:
    return np.random.default_rng(8).normal(size=(rows, STEPS, CHANNELS)).astype(np.float32)


def black_box(rows: np.ndarray) -> np.ndarray:
    """Two numbers of four: x0 x1 + x2, and x3."""
    return np.stack([rows[:, 0] * rows[:, 1] + rows[:, 2], rows[:, 3]], 1)
