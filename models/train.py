#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Train the bundled sample models and export them to ONNX.

Without options everything is rebuilt but the models for MNIST: the seven
others, the sample images, the sample table, the label file and accuracy.json;
the table in README.md is brought up to date. --mnist DIR rebuilds the models
for MNIST too, whose files no Debian package has. --only NAME rebuilds one
model, or the samples.

Each exported file is checked, run by ONNX Runtime on the whole test set and
compared with PyTorch; the accuracy reported is that of the exported file.
"""

import argparse
import json
import math
import time
from collections import Counter
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from PIL import Image
from torch import nn

import data
import nets

SEED = 20240
MAX_BYTES = 1_000_000

# name: (architecture, epochs, peak learning rate, mirror images at random)
IMAGE_MODELS = {
    "sigmoid_mlp": (nets.sigmoid_mlp, 10, 5e-3, False),
    "sigmoid_cnn": (nets.sigmoid_cnn, 5, 1.5e-2, False),
    "relu_vgg": (nets.relu_vgg, 5, 4e-3, True),
    "resnet": (nets.resnet, 4, 1e-2, True),
    "polynomial": (nets.Polynomial, 8, 2e-3, False),
}
# The same architectures, trained on MNIST.
MNIST_MODELS = {f"mnist_{name}": IMAGE_MODELS[name] for name in ("sigmoid_mlp", "sigmoid_cnn", "polynomial")}
PLACED_MODEL = "localiser"
PLACED_EPOCHS, PLACED_RATE = 2, 1e-2
TABULAR_MODEL = "tabular_mlp"
MODELS = [*IMAGE_MODELS, PLACED_MODEL, TABULAR_MODEL, *MNIST_MODELS]
SAMPLES = "samples"
SAMPLE_LABELS = [0, 1, 2, 3, 6, 7, 8, 9]
SAMPLE_ROWS = 20


def fit(net, x, y, loss, epochs, rate, mirror=False, batch=128, draw=None):
    """Train with AdamW under a one-cycle schedule; `draw`, if given, makes the inputs from the rows of x."""
    optimizer = torch.optim.AdamW(net.parameters(), rate, weight_decay=1e-4)
    steps = epochs * (len(x) // batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps)
    net.train()
    for epoch in range(epochs):
        total = 0.0
        order = torch.randperm(len(x))
        for i in range(0, len(x) - batch + 1, batch):
            rows = order[i:i + batch]
            inputs = draw(rows) if draw else x[rows]
            if mirror:
                inputs = flip_some(inputs)
            error = loss(net(inputs), y[rows])
            optimizer.zero_grad()
            error.backward()
            optimizer.step()
            schedule.step()
            total += error.item()
        print(f"  epoch {epoch + 1}/{epochs}: loss {total / (len(x) // batch):.4f}", flush=True)
    return net.eval()


def flip_some(images):
    """Mirror each image left-right with probability 1/2."""
    chosen = torch.rand(len(images), 1, 1, 1) < 0.5
    return torch.where(chosen, images.flip(3), images)


def export(net, example, output, path):
    """Write one self-contained ONNX file with a dynamic batch dimension."""
    torch.onnx.export(
        net, (example,), path, dynamo=True, external_data=False, verbose=False,
        input_names=["input"], output_names=[output],
        dynamic_shapes=({0: torch.export.Dim("batch")},),
    )
    model = onnx.load(path)
    strip_notes(model)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, path)


def strip_notes(model):
    """Drop the exporter's notes, such as stack traces with local file names."""
    graph = model.graph
    for part in [model, graph, *graph.node, *graph.input, *graph.output,
                 *graph.initializer, *graph.value_info]:
        part.ClearField("doc_string")
        part.ClearField("metadata_props")


def run(path, x, batch=1000):
    """Evaluate an exported file with ONNX Runtime."""
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    parts = [session.run(None, {"input": part.numpy()})[0] for part in x.split(batch)]
    return torch.from_numpy(np.concatenate(parts))


def verify(net, x, path):
    """Check the file's size, and its outputs against PyTorch's for all rows of x."""
    if path.stat().st_size >= MAX_BYTES:
        raise RuntimeError(f"{path.name}: larger than {MAX_BYTES} bytes")
    with torch.no_grad():
        expected = torch.cat([net(part) for part in x.split(1000)])
    for count, batch in [(1, 1), (7, 7), (len(x), 1000)]:
        actual = run(path, x[:count], batch)
        torch.testing.assert_close(actual, expected[:count], rtol=1e-4, atol=1e-3)


def describe(path, metric, value):
    """Return what accuracy.json says about one model."""
    model = onnx.load(path)
    weights = [w for w in model.graph.initializer if w.data_type == onnx.TensorProto.FLOAT]
    return {
        metric: round(value, 4),
        "parameters": sum(math.prod(w.dims) for w in weights),
        "bytes": path.stat().st_size,
        "opset": model.opset_import[0].version,
        "ir_version": model.ir_version,
        "ops": dict(sorted(Counter(node.op_type for node in model.graph.node).items())),
    }


def build_image_model(name, folder, out):
    """Train, export and measure one classifier of 28x28 images: Fashion-MNIST, or MNIST if the folder has that."""
    make, epochs, rate, mirror = {**IMAGE_MODELS, **MNIST_MODELS}[name]
    x, y = data.idx_images(folder, "train")
    test_x, test_y = data.idx_images(folder, "t10k")
    path = out / f"{name}.onnx"
    net = fit(make(), x, y, nn.functional.cross_entropy, epochs, rate, mirror)
    export(net, test_x[:2], "logits", path)
    verify(net, test_x, path)
    correct = (run(path, test_x).argmax(1) == test_y).float().mean().item()
    return describe(path, "accuracy", correct)


def build_localiser(folder, out):
    """Train, export and measure the classifier of objects placed on clutter."""
    x, y = data.idx_images(folder, "train")
    plain_x, test_y = data.idx_images(folder, "t10k")
    test_x = data.placed_objects(plain_x, range(len(plain_x)), np.random.default_rng(SEED + 1))
    path = out / f"{PLACED_MODEL}.onnx"
    rng = np.random.default_rng(SEED)
    net = fit(nets.localiser(), x, y, nn.functional.cross_entropy, PLACED_EPOCHS, PLACED_RATE, mirror=True,
              draw=lambda rows: data.placed_objects(x, rows.tolist(), rng))
    export(net, test_x[:2], "logits", path)
    verify(net, test_x, path)
    correct = (run(path, test_x).argmax(1) == test_y).float().mean().item()
    return describe(path, "accuracy", correct)


def build_tabular_model(out):
    """Train, export and measure the house-price regression."""
    x, y = data.houses(8000, SEED)
    test_x, test_y = data.houses(2000, SEED + 1)
    path = out / f"{TABULAR_MODEL}.onnx"
    net = nets.TabularMlp(x, y)

    def scaled_loss(value, target):
        return nn.functional.mse_loss(value / net.y_std, target / net.y_std)

    fit(net, x, y, scaled_loss, epochs=40, rate=1e-2)
    export(net, test_x[:2], "value", path)
    verify(net, test_x, path)
    residual = (run(path, test_x) - test_y).square().sum()
    r2 = 1 - residual / (test_y - test_y.mean()).square().sum()
    return describe(path, "r2", r2.item())


def write_samples(folder, out):
    """Write the labels, the sample table and one image for each sample class.

    An image is the first of its class in the test set which every model gets
    right. Returns the position of each image in the test set.
    """
    (out / "labels_fashion.txt").write_text("\n".join(data.FASHION_LABELS) + "\n")
    rows, _ = data.houses(2000, SEED + 1)
    data.write_csv(out / "tabular_sample.csv", data.HOUSE_COLUMNS, rows[:SAMPLE_ROWS].tolist())

    x, y = data.idx_images(folder, "t10k")
    answers = [run(out / f"{name}.onnx", x).argmax(1) for name in IMAGE_MODELS]
    right = torch.stack([answer == y for answer in answers]).all(0)
    (out / "images").mkdir(exist_ok=True)
    chosen = {}
    for label in SAMPLE_LABELS:
        name = data.FASHION_LABELS[label].split("/")[0].lower()
        name = name.replace(" ", "_").replace("-", "_") + ".png"
        chosen[name] = int((right & (y == label)).nonzero()[0])
        pixels = (x[chosen[name], 0] * 255).round().to(torch.uint8).numpy()
        Image.fromarray(pixels).save(out / "images" / name, optimize=True)
    return chosen


def update_readme(path, report):
    """Rewrite the results between the two markers of README.md."""
    begin, end = "<!-- results -->\n", "<!-- /results -->"
    lines = ["| model | parameters | size | opset | test result |", "|---|--:|--:|--:|--:|"]
    for name, entry in report["models"].items():
        result = f"R² = {entry['r2']:.3f}" if "r2" in entry else f"{entry['accuracy']:.2%}"
        lines.append(f"| `{name}.onnx` | {entry['parameters']:,} | {entry['bytes'] / 1000:.0f} kB "
                     f"| {entry['opset']} | {result} |")
    before, rest = path.read_text(encoding="utf-8").split(begin)
    after = rest.split(end)[1]
    path.write_text(before + begin + "\n".join(lines) + "\n" + end + after, encoding="utf-8")


def parse_arguments():
    here = Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description="Train and export the bundled sample models.")
    parser.add_argument("--only", metavar="NAME", choices=[*MODELS, SAMPLES],
                        help="build one of: %(choices)s")
    parser.add_argument("--data", metavar="DIR", type=Path, default=data.FASHION_DIR,
                        help="folder of the Fashion-MNIST idx.gz files (default: %(default)s)")
    parser.add_argument("--mnist", metavar="DIR", type=Path,
                        help="folder of the MNIST idx.gz files (default: the models for MNIST are not rebuilt)")
    parser.add_argument("--out", metavar="DIR", type=Path, default=here,
                        help="where to write (default: the folder of this script)")
    args = parser.parse_args()
    if args.only in MNIST_MODELS and args.mnist is None:
        parser.error(f"{args.only} is trained on MNIST; give its folder with --mnist")
    return args


def main():
    args = parse_arguments()
    args.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)  # the order of summation, and so the result, stays the same
    torch.use_deterministic_algorithms(True)

    report_path = args.out / "accuracy.json"
    old = json.loads(report_path.read_text()) if report_path.exists() else {}
    models, images = old.get("models", {}), old.get("images", {})

    for name in MODELS:
        if args.only in (None, name) and (args.mnist or name not in MNIST_MODELS):
            print(name, flush=True)
            start = time.process_time()
            torch.manual_seed(SEED)
            if name == TABULAR_MODEL:
                models[name] = build_tabular_model(args.out)
            elif name == PLACED_MODEL:
                models[name] = build_localiser(args.data, args.out)
            else:
                models[name] = build_image_model(name, args.mnist if name in MNIST_MODELS else args.data, args.out)
            print(f"  {models[name]}\n  {time.process_time() - start:.0f} s of CPU", flush=True)
    if args.only in (None, SAMPLES):
        images = write_samples(args.data, args.out)

    order = [name for name in MODELS if name in models]
    report = {"models": {name: models[name] for name in order}, "images": images}
    report_path.write_text(json.dumps(report, indent=2) + "\n")
    readme = args.out / "README.md"
    if readme.exists():
        update_readme(readme, report)


if __name__ == "__main__":
    main()
