"""The bundled models on their sample images, their table and random rows: ascribe beside ONNX Runtime."""
import pathlib
import shutil

import numpy
from PIL import Image

import engines
from results import compare, failure

MODELS = pathlib.Path("models")
FLOAT_TOLERANCE = 1e-4
ROUND_TRIP_TOLERANCE = 1e-5


def sample(model):
    """Files, or an array, to give to ascribe, and what they are as rows."""
    if model.stem.startswith("tabular"):
        table = MODELS / "tabular_sample.csv"
        return [table], numpy.loadtxt(table, delimiter=",", skiprows=1, dtype=numpy.float32)
    images = sorted((MODELS / "images").glob("*.png"))
    pixels = numpy.stack([numpy.asarray(Image.open(path), numpy.float32) for path in images])
    if model.stem == "localiser":  # takes images twice as high and wide
        rows = pixels.repeat(2, 1).repeat(2, 2)[:, None] / 255
        return rows, rows
    return images, pixels[:, None] / 255


def check_model(model):
    """One model on its samples, on random rows, and exported again."""
    name = f"models/{model.name}"
    files, rows = sample(model)
    options = ["--preprocess", "unit"] if isinstance(files, list) and files[0].suffix == ".png" else []
    runtime = engines.onnx_runtime(model, rows)
    yield compare(f"{name} on {len(rows)} samples: onnxruntime", lambda: engines.predict(model, files, *options),
                  runtime, FLOAT_TOLERANCE)
    noise = numpy.random.default_rng(5).uniform(rows.min(0), rows.max(0) + 1, (5, *rows.shape[1:])).astype("float32")
    yield compare(f"{name} on 5 random rows: onnxruntime", lambda: engines.predict(model, noise),
                  engines.onnx_runtime(model, noise), FLOAT_TOLERANCE)
    again = engines.round_trip(model)
    yield compare(f"{name}: round trip, onnxruntime", lambda: engines.onnx_runtime(again, rows), runtime,
                  ROUND_TRIP_TOLERANCE)


def check_bundled(folder):
    """All bundled models, copied so that nothing is written beside them."""
    for original in sorted(MODELS.glob("*.onnx")):
        try:
            yield from check_model(pathlib.Path(shutil.copy(original, folder)))
        except Exception as error:  # the other models go on
            yield failure(f"models/{original.name}", error)
