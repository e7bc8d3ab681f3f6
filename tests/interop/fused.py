"""Operators that ONNX Runtime adds, and quantised ones, as models of one node: ascribe beside ONNX Runtime."""
import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

import engines
from results import compare, failure

TOLERANCE = 1e-5
MICROSOFT = "com.microsoft"
draws = numpy.random.default_rng(11)


def normal(*shape, scale=1.0):
    """Seeded noise in float."""
    return (scale * draws.normal(size=shape)).astype(numpy.float32)


def whole(kind, *shape):
    """Seeded numbers over the whole range of an integer type."""
    limits = numpy.iinfo(kind)
    return draws.integers(limits.min, limits.max + 1, shape).astype(kind)


def number(value, kind=numpy.float32):
    """A scalar."""
    return numpy.array(value, kind)


def packed(rows, blocks, size):
    """Weights of four bits: two in each byte."""
    return whole(numpy.uint8, rows, blocks, size // 2)


def cases():
    """name -> operator, domain, operands (the first is the input; None: left out), attributes, opset."""
    x = normal(2, 5, 8)
    found = {
        "Gelu": ("Gelu", MICROSOFT, [x], {}),
        "BiasGelu": ("BiasGelu", MICROSOFT, [x, normal(8)], {}),
        "FastGelu": ("FastGelu", MICROSOFT, [x, normal(8)], {}),
        "FastGelu plain": ("FastGelu", MICROSOFT, [x], {}),
        "QuickGelu": ("QuickGelu", MICROSOFT, [x], {"alpha": 1.3}),
        "FusedMatMul": ("FusedMatMul", MICROSOFT, [x, normal(6, 8)], {"transB": 1, "alpha": 0.3}),
        "FusedMatMul both": ("FusedMatMul", MICROSOFT, [normal(1, 5, 8), normal(1, 6, 5)], {"transA": 1, "transB": 1}),
        "FusedConv": ("FusedConv", MICROSOFT, [normal(2, 3, 7, 7), normal(4, 3, 3, 3), normal(4)],
                      {"activation": "LeakyRelu", "activation_params": [0.2], "pads": [1, 1, 1, 1]}),
        "FusedGemm": ("FusedGemm", MICROSOFT, [normal(2, 6), normal(6, 4), normal(4)],
                      {"activation": "Tanh", "alpha": 0.7, "beta": 1.5}),
        "SkipLayerNormalization": ("SkipLayerNormalization", MICROSOFT,
                                   [x, normal(1, 5, 8), normal(8), normal(8), normal(8)], {"epsilon": 1e-5}),
        "SkipSimplifiedLayerNormalization": ("SkipSimplifiedLayerNormalization", MICROSOFT,
                                             [x, normal(1, 5, 8), normal(8)], {"epsilon": 1e-5}),
        "SimplifiedLayerNormalization": ("SimplifiedLayerNormalization", "", [x, normal(8)],
                                         {"epsilon": 1e-5, "axis": -1}),
        "RotaryEmbedding": ("RotaryEmbedding", MICROSOFT,
                            [normal(2, 5, 12), numpy.array([2], numpy.int64), normal(9, 2), normal(9, 2)], {}),
        "RotaryEmbedding interleaved": ("RotaryEmbedding", MICROSOFT,
                                        [normal(2, 3, 5, 4), numpy.array([0], numpy.int64), normal(9, 2), normal(9, 2)],
                                        {"interleaved": 1}),
        "QuantizeLinear": ("QuantizeLinear", "", [normal(2, 6, scale=3), number(0.05), number(7, numpy.int8)], {}),
        "DynamicQuantizeLinear row": ("DynamicQuantizeLinear", "", [normal(1, 9)], {}),
        "MatMulNBits": ("MatMulNBits", MICROSOFT, [normal(2, 64), packed(6, 2, 32), normal(12)],
                        {"K": 64, "N": 6, "bits": 4, "block_size": 32}),
        "MatMulNBits zero points": ("MatMulNBits", MICROSOFT,
                                    [normal(2, 64), packed(6, 2, 32), normal(12), whole(numpy.uint8, 6)],
                                    {"K": 64, "N": 6, "bits": 4, "block_size": 32}),
    }
    width = [normal(8, 24), normal(24)]
    masks = {"": [], " mask of keys": [numpy.array([[1, 1, 1, 0, 0]], numpy.int32)],
             " mask of lengths": [numpy.array([4], numpy.int32)]}
    for name, mask in masks.items():
        for unidirectional in (0, 1):
            title = f"Attention{name}{' causal' if unidirectional else ''}"
            found[title] = ("Attention", MICROSOFT, [normal(1, 5, 8), *width, *mask],
                            {"num_heads": 2, "unidirectional": unidirectional})
    found["MultiHeadAttention"] = ("MultiHeadAttention", MICROSOFT,
                                   [normal(1, 5, 8), normal(1, 6, 8), normal(1, 6, 8), normal(24), None,
                                    normal(1, 2, 5, 6)], {"num_heads": 2})
    for mode in ("nearest", "linear", "cubic"):
        for padding in ("zeros", "border", "reflection"):
            for corners in (0, 1):
                found[f"GridSample {mode} {padding} {corners}"] = (
                    "GridSample", "", [normal(1, 3, 5, 6), normal(1, 4, 3, 2)],
                    {"mode": mode, "padding_mode": padding, "align_corners": corners})
    return found


def write_model(path, operator, domain, operands, attributes):
    """One node; the first operand is the input, its rows open where there are two."""
    given = operands[0]
    names = [f"x{i}" if operand is not None else "" for i, operand in enumerate(operands)]
    dims = ["N" if len(given) > 1 else 1, *given.shape[1:]]
    inputs = [helper.make_tensor_value_info("x0", helper.np_dtype_to_tensor_dtype(given.dtype), dims)]
    weights = [numpy_helper.from_array(operand, name) for name, operand in list(zip(names, operands))[1:] if name]
    whole_result = {"QuantizeLinear": TensorProto.INT8, "DynamicQuantizeLinear": TensorProto.UINT8}
    outputs = [helper.make_tensor_value_info("y", whole_result.get(operator, TensorProto.FLOAT), None)]
    made = ["y", "scale", "zero"] if operator == "DynamicQuantizeLinear" else ["y"]
    node = helper.make_node(operator, names, made, domain=domain, **attributes)
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid(MICROSOFT, 1)]
    graph = helper.make_graph([node], operator, inputs, outputs, weights)
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=9), path)


def check_fused(folder):
    """All cases."""
    for name, (operator, domain, operands, attributes) in cases().items():
        path = folder / f"fused_{name.replace(' ', '_')}.onnx"
        try:
            write_model(path, operator, domain, operands, attributes)
            expected = engines.session(path).run(["y"], {"x0": operands[0]})[0]
            yield compare(f"{name}: onnxruntime", lambda: engines.predict(path, operands[0]).astype(numpy.float64),
                          expected.astype(numpy.float64), TOLERANCE)._replace(shown=False)
        except Exception as error:  # the other cases go on
            yield failure(f"{name}: onnxruntime", error)
