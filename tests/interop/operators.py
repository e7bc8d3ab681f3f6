"""The ONNX project's own cases and their gradients, exported by ascribe, then run by ONNX Runtime."""
import json
import os
import pathlib
import subprocess

import numpy
import onnx
import onnx.defs
import onnx.numpy_helper
from onnxruntime.capi import onnxruntime_pybind11_state as runtime

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


def standard_definitions(newest):
    """The operators of the standard and of ONNX Runtime: for each, its definitions by the opset that brought them."""
    definitions = {}
    schemas = onnx.defs.get_all_schemas_with_history()
    own = [schema for schema in runtime.get_all_operator_schema()
           if schema.domain == "com.microsoft" or schema.name == "SimplifiedLayerNormalization"]
    for schema in [*schemas, *own]:
        if schema.domain or schema.since_version <= newest:
            name = f"{schema.domain}.{schema.name}" if schema.domain else schema.name
            definitions.setdefault(name, {})[schema.since_version] = schema
    return definitions


def misread(known, definitions, newest):
    """How what ascribe declares about one operator differs from the standard's definitions of it."""
    if known["version"] != max(definitions):
        yield f"declared for version {known['version']}, but the newest is {max(definitions)}"
    declared = {attribute["name"]: attribute for attribute in known["attributes"]}
    for since, schema in definitions.items():
        until = min([v for v in definitions if v > since], default=newest + 1) - 1
        for name in schema.attributes:
            if until < 7 and name not in declared and not known["name"].startswith("ai.onnx.ml."):
                continue  # opsets before 7 are read by what came later; a file that needs more is refused
            if name not in declared or declared[name]["since"] > since or declared[name]["until"] < until:
                yield f"{name} is part of version {since} and not declared for it"
    for name in declared.keys() - {name for schema in definitions.values() for name in schema.attributes}:
        yield f"{name} is declared and not part of any version"


def check_definitions():
    """What `ascribe operators` says it knows, against the operators of the installed ONNX."""
    said = json.loads(subprocess.run([engines.ASCRIBE, "operators", "--json"], capture_output=True, check=True).stdout)
    newest = min(said["opset"], onnx.defs.onnx_opset_version())
    definitions = standard_definitions(newest)
    for known in said["onnx"]:
        if known["name"] not in definitions:
            yield Result(f"definitions {known['name']}", 1.0, 0.0, "not an operator of the standard")
            continue
        troubles = list(misread(known, definitions[known["name"]], newest))
        yield Result(f"definitions {known['name']}", float(len(troubles)), 0.0, "; ".join(troubles), shown=False)


def check_operators(folder):
    """Definitions, and all cases that ascribe runs. Where the cases are not installed these are left out."""
    yield from check_definitions()
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
