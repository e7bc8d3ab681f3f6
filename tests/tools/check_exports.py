"""Runs models exported by `ascribe_conformance --export FOLDER` on ONNX Runtime and compares
with the expected outputs of the ONNX project's cases.

Usage: check_exports.py FOLDER DATA     (DATA: .../libonnx-testdata/data)
"""
import pathlib
import sys

import numpy
import onnx
import onnx.numpy_helper
import onnxruntime


def read(folder, stem):
    tensors = []
    while (path := folder / f"{stem}_{len(tensors)}.pb").exists():
        proto = onnx.TensorProto()
        proto.ParseFromString(path.read_bytes())
        tensors.append((proto.name, onnx.numpy_helper.to_array(proto)))
    return tensors


def is_bfloat16(declared):
    return declared.type.tensor_type.elem_type == onnx.TensorProto.BFLOAT16


def widened(declared, value):
    """The data hold bfloat16 as its bits."""
    if not is_bfloat16(declared) or value.dtype != numpy.uint16:
        return value
    return (value.astype(numpy.uint32) << 16).view(numpy.float32)


TYPES = {"tensor(float)": numpy.float32, "tensor(double)": numpy.float64,
         "tensor(int64)": numpy.int64, "tensor(bool)": numpy.bool_}


def check(exported, case):
    onnx.checker.check_model(str(exported), full_check=False)
    session = onnxruntime.InferenceSession(str(exported), providers=["CPUExecutionProvider"])
    original = onnx.load(str(case / "model.onnx"))
    weights = {w.name for w in original.graph.initializer}
    inputs = [i for i in original.graph.input if i.name not in weights]
    for data in sorted(case.glob("test_data_set_*")):
        given = {i.name: widened(i, value) for i, (_, value) in zip(inputs, read(data, "input"))}
        feed = {i.name: given[i.name].astype(TYPES[i.type]) for i in session.get_inputs()}
        for got, declared, (name, expected) in zip(session.run(None, feed), original.graph.output, read(data, "output")):
            expected = widened(declared, expected)
            rtol = 2.0**-7 if is_bfloat16(declared) else 1e-3
            numpy.testing.assert_allclose(got.astype(numpy.float64), expected.astype(numpy.float64), rtol=rtol,
                                          atol=1e-5, err_msg=name)
        return  # later data sets may bind other values


def main():
    folder, data = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    onnxruntime.set_default_logger_severity(4)
    failed = compared = 0
    for exported in sorted(folder.glob("*.onnx")):
        group, case = exported.stem.split(".", 1)
        try:
            check(exported, data / group / case)
            compared += 1
        except Exception as error:  # every failure is listed
            failed += 1
            print(f"FAILED {exported.stem}: {str(error).strip()[:300]}")
    print(f"exports on ONNX Runtime: {compared} compared, {failed} failed")
    return 1 if failed or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
