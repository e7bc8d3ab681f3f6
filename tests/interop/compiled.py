"""Every method that compiles: its ONNX file in ONNX Runtime beside the method as ascribe runs it."""
import json
import pathlib
import shutil
import subprocess

import numpy
import onnx

import bundled
import engines
from results import compare, failure

TOLERANCE = 1e-4
ROWS = 3
# What makes both roads compute the same: a fixed number of nodes, draws or permutations.
SETTINGS = {
    "deep_shap": ["granularity=component"],
    "expected_gradients": ["steps=8"],
    "integrated_gradients": ["steps=16"],
    "kernel_shap": ["samples=200"],
    "lime": ["samples=200"],
    "prediction_difference": ["samples=4"],
    "shapley": ["samples=6"],
    "smooth_grad": ["samples=4"],
    "smooth_grad_squared": ["samples=4"],
}


def methods():
    """Names of the methods that compile."""
    said = subprocess.run([str(engines.ASCRIBE), "methods", "--json"], capture_output=True, text=True, check=True)
    return [method["name"] for method in json.loads(said.stdout)["methods"] if method["compiles"]]


def options_of(method, baseline):
    """Arguments of ascribe_attribute that both roads share."""
    options = ["--baseline", baseline, "--players", "grid:3x3", "--seed", "3"]
    for setting in SETTINGS.get(method, []):
        options += ["--set", setting]
    return options


def check_method(method, model, rows, targets, baseline):
    """One method on one model."""
    name = f"{model.stem} {method} compiled: onnxruntime"
    path, answer, compiled = (model.with_name(f"{model.stem}.{method}.{end}") for end in ("x.npy", "a.npy", "onnx"))
    numpy.save(path, rows)
    base = [engines.tool("ascribe_attribute"), model, path, answer, method, "--target", ",".join(map(str, targets))]
    options = options_of(method, baseline)
    engines.command(*base, *options)
    engines.command(*base, *options, "--compile", compiled)
    onnx.checker.check_model(str(compiled), full_check=True)
    names = [value.name for value in onnx.load(str(compiled)).graph.input]
    feed = dict(zip(names, [rows, numpy.array(targets, numpy.int64)]))
    expected = numpy.load(answer).reshape(rows.shape)
    return compare(name, lambda: engines.session(compiled).run(["attribution"], feed)[0], expected, TOLERANCE)


def check_model(model, rows):
    """All methods on one model; those that do not apply to it say so."""
    baseline = model.with_name(f"{model.stem}.baseline.npy")
    numpy.save(baseline, numpy.random.default_rng(9).uniform(0, 0.5, (2, *rows.shape[1:])))
    targets = [(3 * i + 1) % 10 for i in range(len(rows))]
    for method in methods():
        try:
            yield check_method(method, model, rows, targets, baseline)
        except RuntimeError as error:
            if "no convolution" not in str(error):
                yield failure(f"{model.stem} {method} compiled", error)


def check_compiled(folder):
    """Bundled models: dense, convolutional, and residual."""
    for stem in ("sigmoid_mlp", "relu_vgg", "resnet"):
        model = pathlib.Path(shutil.copy(bundled.MODELS / f"{stem}.onnx", folder / f"compiled_{stem}.onnx"))
        yield from check_model(model, bundled.sample(model)[1][:ROWS])
