"""The ONNX project's own cases and their gradients, exported by ascribe, then run by ONNX Runtime."""
import os
import pathlib

import numpy
import onnx
import onnx.numpy_helper

import engines
from results import Result, failure

CASES = pathlib.Path(os.environ.get("ONNX_CASES", "/usr/share/libonnx-testdata/data"))
GROUPS = ["node", "pytorch-converted", "pytorch-operator", "simple"]
RELATIVE, ABSOLUTE = 1e-3, 1e-5  # the data are float32, some float16, computed by others
BFLOAT16 = 2.0**-7  # relative; ascribe computes in float32 where a file says bfloat16
TYPES = {"tensor(float)": numpy.float32, "tensor(double)": numpy.float64, "tensor(int64)": numpy.int64,
         "tensor(bool)": numpy.bool_}


def is_bfloat16(declared):
    """Whether an input or output is declared so."""
    return declared.type.tensor_type.elem_type == onnx.TensorProto.BFLOAT16


def read_array(path, declared):
    """One array of a case. The data hold bfloat16 as its bits, the upper half of a float32."""
    array = onnx.numpy_helper.to_array(onnx.TensorProto.FromString(path.read_bytes()))
    if is_bfloat16(declared) and array.dtype == numpy.uint16:
        return (array.astype(numpy.uint32) << 16).view(numpy.float32)
    return array


def read(case):
    """The first data set of a case: inputs by name, expected outputs, and their relative tolerances."""
    graph = onnx.load(str(case / "model.onnx")).graph
    data = case / "test_data_set_0"
    weights = {weight.name for weight in graph.initializer}
    inputs = [value for value in graph.input if value.name not in weights]
    given = {value.name: read_array(path, value) for i, value in enumerate(inputs)
             if (path := data / f"input_{i}.pb").exists()}
    expected = [read_array(path, value) for i, value in enumerate(graph.output)
                if (path := data / f"output_{i}.pb").exists()]
    return given, expected, [BFLOAT16 if is_bfloat16(value) else RELATIVE for value in graph.output]


def excess(got, expected, relative):
    """The largest difference in units of the tolerance; infinities and NaN must be the same."""
    got, expected = numpy.float64(got), numpy.float64(expected)
    if got.shape != expected.shape:
        raise ValueError(f"the shapes differ: {got.shape} and {expected.shape}")
    finite = numpy.isfinite(expected)
    if not numpy.array_equal(got[~finite], expected[~finite], equal_nan=True):
        raise ValueError("infinities or NaN differ")
    ratio = numpy.abs(got[finite] - expected[finite]) / (ABSOLUTE + relative * numpy.abs(expected[finite]))
    return float(ratio.max(initial=0.0))


def check_case(exported):
    """One exported case on its first data set; others may steer shapes by other values."""
    group, name = exported.stem.split(".", 1)
    given, expected, tolerances = read(CASES / group / name)
    onnx.checker.check_model(str(exported))
    session = engines.session(exported)
    feed = {i.name: given[i.name].astype(TYPES[i.type]) for i in session.get_inputs()}
    worst = numpy.max([*map(excess, session.run(None, feed), expected, tolerances)])  # unlike max(), keeps NaN
    return Result(f"operators {exported.stem}", worst * RELATIVE, RELATIVE, shown=False)


def check_gradient(exported):
    """The gradient of one case as a graph, against ascribe's interpretation of it in double."""
    data = numpy.load(exported.with_suffix(".npz"))
    onnx.checker.check_model(str(exported))
    session = engines.session(exported)
    feed = {i.name: data[i.name].astype(TYPES[i.type]) for i in session.get_inputs()}
    expected = [data[f"expected {i}"] for i in range(len(session.get_outputs()))]
    worst = numpy.max([excess(got, e, RELATIVE) for got, e in zip(session.run(None, feed), expected)])
    return Result(f"gradients {exported.stem}", worst * RELATIVE, RELATIVE, shown=False)


def check_operators(folder):
    """All cases that ascribe runs. Where the cases are not installed there is nothing to compare."""
    if not CASES.is_dir():
        print(f"the ONNX project's cases are not installed ({CASES}); operators are not compared")
        return
    for option, check in [("export", check_case), ("gradients", check_gradient)]:
        target = folder / option
        target.mkdir()
        engines.command(engines.tool("ascribe_conformance"), f"--{option}", target, *(CASES / g for g in GROUPS))
        for exported in sorted(target.glob("*.onnx")):
            try:
                yield check(exported)
            except Exception as error:  # the other cases go on
                yield failure(f"{option} {exported.stem}", error)
