"""Who computes: ascribe, ONNX Runtime and the reference evaluator of the ONNX project."""
import math
import os
import pathlib
import subprocess

import ascribe
import numpy
import onnx
import onnx.reference.op_run
import onnxruntime

ASCRIBE = pathlib.Path(os.environ.get("ASCRIBE", "build/ascribe"))
MINUTES = 2  # after which a command counts as hanging


def command(*arguments):
    """Runs a program; what it says on failure becomes the error."""
    done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True, timeout=60 * MINUTES)
    if done.returncode:
        raise RuntimeError(f"exit code {done.returncode}: {done.stderr.strip() or done.stdout.strip()}")


def tool(name):
    """A developer tool built beside ascribe."""
    return ASCRIBE.with_name(name)


def predict(model, inputs, *options):
    """What `ascribe predict` says of files, or of an array of rows."""
    model = pathlib.Path(model)
    answer = model.with_name(f"{model.stem}.answer.npy")
    if isinstance(inputs, numpy.ndarray):
        path = model.with_name(f"{model.stem}.rows.npy")
        numpy.save(path, inputs)
        inputs = [path]
    command(ASCRIBE, "predict", model, *inputs, "--quiet", "--force", "-o", answer, *options)
    return numpy.load(answer)


def explain(model, rows, method, targets=0, baselines=None, players="elements", seed=0, **settings):
    """What a method says of rows: with a target for each, or one for all, against zero unless there are baselines."""
    return model.explain(numpy.asarray(rows), method, target=targets, players=players, seed=seed, settings=settings,
                         baseline="zero" if baselines is None else numpy.asarray(baselines))


def round_trip(model):
    """The model imported, made canonical and exported again by ascribe, found valid by the ONNX project."""
    exported = model.with_name(f"{model.stem}.again.onnx")
    command(tool("ascribe_roundtrip"), model, exported)
    onnx.checker.check_model(str(exported), full_check=True)
    return exported


def row_by_row(run, rows, one_row):
    """Runs all rows at once, or one after the other where the file says that there is one."""
    if not one_row:
        return run(rows)
    return numpy.concatenate([run(rows[i:i + 1]) for i in range(len(rows))])


def session(model):
    """ONNX Runtime with a model loaded: one thread, no chatter."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])


def onnx_runtime(model, rows):
    """What ONNX Runtime says; files of one row are asked row by row."""
    loaded = session(model)
    (given,) = loaded.get_inputs()
    return row_by_row(lambda x: loaded.run(None, {given.name: x})[0], rows, given.shape[0] == 1)


class Erf(onnx.reference.op_run.OpRun):
    """The evaluator's own rounds to float."""

    def _run(self, x):
        return (numpy.vectorize(math.erf, otypes=[x.dtype])(x),)


def onnx_reference(model, rows):
    """What the ONNX project's evaluator in Python says: ONNX Runtime has few operators in double."""
    loaded = onnx.load(str(model))
    evaluator = onnx.reference.ReferenceEvaluator(loaded, new_ops=[Erf])
    given = loaded.graph.input[0]
    one_row = given.type.tensor_type.shape.dim[0].dim_value == 1
    return row_by_row(lambda x: evaluator.run(None, {given.name: x})[0], rows, one_row)
