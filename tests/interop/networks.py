"""Networks of nets.py, exported in several ways: ascribe beside PyTorch and ONNX Runtime."""
import functools

import numpy
import torch

import derivatives
import engines
from exports import Recipe, export
from nets import NETS, make
from results import compare, failure

FLOAT_TOLERANCE = 1e-4
DOUBLE_TOLERANCE = 1e-9  # ONNX holds attributes in float, but these networks have none where that shows
ROUND_TRIP_TOLERANCE = 1e-5
ROUND_TRIP_DOUBLE_TOLERANCE = 1e-12

RECIPES = {
    "resnet": [Recipe("dynamo", 18), Recipe("dynamo", 20, "one"), Recipe("dynamo", 18, "one", folded=False),
               Recipe("script", 17), Recipe("script", 18, "one", folded=False), Recipe("script", 9)],
    "mobilenet": [Recipe("dynamo", 18), Recipe("dynamo", 20, "one"),
                  Recipe("script", 17), Recipe("script", 20, "one", folded=False), Recipe("script", 11)],
    "vit": [Recipe("dynamo", 18), Recipe("dynamo", 20, "one"), Recipe("dynamo", 23),
            Recipe("script", 17), Recipe("script", 18, "one"), Recipe("script", 14, "one", folded=False)],
    "lstm": [Recipe("dynamo", 20), Recipe("script", 17), Recipe("script", 12, "one")],
    "gru": [Recipe("dynamo", 18, "one"), Recipe("script", 9), Recipe("script", 20, "one")],
    "cnn1d": [Recipe("dynamo", 20), Recipe("script", 9), Recipe("script", 17, "one")],
    "unet": [Recipe("dynamo", 18), Recipe("script", 17), Recipe("script", 12, "one")],
    "groupnorm": [Recipe("dynamo", 23), Recipe("script", 17), Recipe("script", 10, "one")],
    "encoder": [Recipe("dynamo", 18, "one"), Recipe("script", 17), Recipe("script", 14, "one")],
    # From opset 11 on the older exporter puts an If into local response normalization, which is refused.
    "densenet": [Recipe("dynamo", 20), Recipe("script", 9, "one"), Recipe("script", 10)],
    "cnn3d": [Recipe("dynamo", 18), Recipe("script", 12), Recipe("script", 17, "one", folded=False)],
}

# Not mobilenet: ONNX keeps the 1/6 of HardSigmoid as a float. Gelu is an operator from opset 20 on;
# before, exporters write the square root of 2 as a float.
DOUBLE_RECIPES = {
    "resnet": [Recipe("dynamo", 20), Recipe("script", 17, "one", folded=False)],
    "vit": [Recipe("dynamo", 20)],
    "lstm": [Recipe("script", 17)],
    "gru": [Recipe("script", 17)],
    "cnn1d": [Recipe("script", 17)],
    "unet": [Recipe("script", 17, "one")],
    "groupnorm": [Recipe("script", 17)],
    "encoder": [Recipe("script", 20)],
    "cnn3d": [Recipe("script", 17)],
}


def check_float(name, model, rows, expected):
    """One file in float32: ascribe against both, and its own export on ONNX Runtime and ascribe."""
    runtime = engines.onnx_runtime(model, rows)
    predict = functools.cache(lambda: engines.predict(model, rows))
    yield compare(f"{name}: onnxruntime", predict, runtime, FLOAT_TOLERANCE)
    yield compare(f"{name}: torch", predict, expected, FLOAT_TOLERANCE)
    again = engines.round_trip(model)
    yield compare(f"{name}: round trip, onnxruntime", lambda: engines.onnx_runtime(again, rows), runtime,
                  ROUND_TRIP_TOLERANCE)
    yield compare(f"{name}: round trip, ascribe", lambda: engines.predict(again, rows), runtime, FLOAT_TOLERANCE)


def check_double(name, model, rows, expected):
    """One file in float64. ONNX Runtime has few operators in double, the ONNX project's evaluator has all."""
    said = engines.predict(model, rows, "--precision", "double")
    yield compare(f"{name}: torch", lambda: said, expected, DOUBLE_TOLERANCE)
    again = engines.round_trip(model)
    yield compare(f"{name}: round trip, onnx reference", lambda: engines.onnx_reference(again, rows), expected,
                  DOUBLE_TOLERANCE)
    yield compare(f"{name}: round trip, ascribe", lambda: engines.predict(again, rows), said,
                  ROUND_TRIP_DOUBLE_TOLERANCE)


def answer(net, rows):
    """What the network says; it must tell the rows apart, or comparisons would show little."""
    with torch.no_grad():
        expected = net(rows).numpy()
    if numpy.abs(expected[1:] - expected[0]).max() < 1e-3 * numpy.abs(expected).max():
        raise ValueError("the network says the same of all rows")
    return expected


def check_network(name, dtype, folder):
    """All files of one network."""
    in_double = dtype == torch.float64
    net, rows = make(name, dtype)
    expected = answer(net, rows)
    for i, recipe in enumerate((DOUBLE_RECIPES if in_double else RECIPES)[name]):
        title = f"{name} {recipe}{' double' if in_double else ''}"
        model = folder / f"{name}_{'double' if in_double else 'float'}_{i}.onnx"
        try:
            export(net, rows, model, recipe)
            yield from (check_double if in_double else check_float)(title, model, rows.numpy(), expected)
            yield from derivatives.check_gradients(title, model, net, rows)
        except Exception as error:  # the other files go on
            yield failure(title, error)
