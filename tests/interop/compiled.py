"""Every method that compiles: its ONNX file in ONNX Runtime beside the method as ascribe runs it."""
import ascribe
import numpy
import onnx

import bundled
import engines
from results import compare, failure

TOLERANCE = 1e-4
ROWS = 3
# What makes both roads compute the same: a fixed number of nodes, draws or permutations.
SETTINGS = {
    "deep_shap": {"granularity": "component"},
    "expected_gradients": {"steps": 8},
    "integrated_gradients": {"steps": 16},
    "kernel_shap": {"samples": 200},
    "lime": {"samples": 200},
    "prediction_difference": {"samples": 4},
    "shapley": {"samples": 6},
    "smooth_grad": {"samples": 4},
    "smooth_grad_squared": {"samples": 4},
}


def check_method(folder, method, model, rows, targets):
    """One method on one model."""
    compiled = folder / f"compiled-{model.name}-{method.name}.onnx"
    both = {"seed": 3, "settings": SETTINGS.get(method.name, {})}
    if method.baselines:
        both["baseline"] = numpy.random.default_rng(9).uniform(0, 0.5, (2, *rows.shape[1:]))
    if method.players:
        both["players"] = "grid:3x3"
    expected = model.explain(rows, method.name, target=targets, **both).values
    model.compile(method.name, compiled, target="index", **both)
    onnx.checker.check_model(str(compiled), full_check=True)
    names = [value.name for value in onnx.load(str(compiled)).graph.input]
    feed = dict(zip(names, [rows, numpy.array(targets, numpy.int64)]))
    return compare(f"{model.name} {method.name} compiled: onnxruntime",
                   lambda: engines.session(compiled).run(["attribution"], feed)[0], expected, TOLERANCE)


def check_model(folder, path):
    """All methods on one model; those that do not apply to it say so."""
    rows = bundled.sample(path)[1][:ROWS]
    model = ascribe.load(path)
    targets = [(3 * i + 1) % 10 for i in range(len(rows))]
    for method in (method for method in ascribe.methods().values() if method.compiles):
        try:
            yield check_method(folder, method, model, rows, targets)
        except ascribe.Error as error:
            if "no convolution" not in str(error):
                yield failure(f"{model.name} {method.name} compiled", error)


def check_compiled(folder):
    """Bundled models: dense, convolutional, and residual."""
    for stem in ("sigmoid_mlp", "relu_vgg", "resnet"):
        yield from check_model(folder, bundled.MODELS / f"{stem}.onnx")
