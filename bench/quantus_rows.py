"""Metrics on a ResNet-18 at 224 x 224 beside Quantus, in one run: pixel flipping in 224 steps of 224 pixels, infidelity over 160
squares of 56 x 56 pixels, max-sensitivity of gradient x input with 10 draws.

Both rate one image and its gradient x input. Contestants are processes that take turns and run with the same number of
threads; Quantus is given torch's model. Prints medians and the ratio. For bench/run.py: ROWS has ascribe's side as arguments of
ascribe_bench_metrics and Quantus's side as a function that is given the network and makes a function to be timed.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def resnet18():
    """Its layers with random weights."""
    import torch
    from torch import nn

    class Block(nn.Module):
        def __init__(self, given, channels, stride):
            super().__init__()
            self.body = nn.Sequential(nn.Conv2d(given, channels, 3, stride, 1, bias=False), nn.BatchNorm2d(channels),
                                      nn.ReLU(), nn.Conv2d(channels, channels, 3, 1, 1, bias=False),
                                      nn.BatchNorm2d(channels))
            skips = stride == 1 and given == channels
            self.skip = nn.Identity() if skips else nn.Sequential(nn.Conv2d(given, channels, 1, stride, bias=False),
                                                                  nn.BatchNorm2d(channels))

        def forward(self, x):
            return torch.relu(self.body(x) + self.skip(x))

    torch.manual_seed(18)
    blocks, given = [], 64
    for channels, stride in ((64, 1), (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1)):
        blocks.append(Block(given, channels, stride))
        given = channels
    return nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1), *blocks,
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 1000)).eval()


def quantus():
    sys.path.insert(0, str(ROOT / "tests" / "interop"))
    from peers import import_quantus

    return import_quantus()


def question(model):
    """An image, its class 0 and gradient x input."""
    import numpy

    x = numpy.random.default_rng(7).standard_normal((1, 3, 224, 224), dtype=numpy.float32)
    return x, numpy.zeros(1, dtype=int), gradient_x_input(model, x, numpy.zeros(1, dtype=int))


def gradient_x_input(model, inputs, targets, **_):
    """As Quantus calls an explanation."""
    import torch

    x = torch.as_tensor(inputs, dtype=torch.float32).requires_grad_()
    model(x)[range(len(x)), targets].sum().backward()
    return (x.grad * x).detach().numpy()


def flipping(model):
    metric = quantus().PixelFlipping(features_in_step=224, perturb_baseline=0.0, return_aggregate=False,
                                     disable_warnings=True)
    x, y, a = question(model)
    a = a.sum(axis=1, keepdims=True)  # pixels are flipped with all channels
    return lambda: metric(model, x, y, a, softmax=False, channel_first=True, device="cpu")


def infidelity(model):
    # Each sample is all squares side by side, 16 of them.
    metric = quantus().Infidelity(perturb_patch_sizes=[56], n_perturb_samples=10, perturb_baseline="black",
                                  return_aggregate=False, disable_warnings=True)
    x, y, a = question(model)
    return lambda: metric(model, x, y, a, softmax=False, channel_first=True, device="cpu")


def max_sensitivity(model):
    metric = quantus().MaxSensitivity(nr_samples=10, lower_bound=0.02, return_aggregate=False, disable_warnings=True)
    x, y, a = question(model)
    return lambda: metric(model, x, y, a, softmax=False, channel_first=True, device="cpu", explain_func=gradient_x_input)


# Title, ascribe's metric and settings, Quantus's side.
ROWS = [("pixel flipping, 224 steps", "deletion", ("steps=224",), flipping),
        ("infidelity, 160 squares of 56 x 56", "infidelity", ("perturbations=160", "size=56"), infidelity),
        ("max-sensitivity, 10 draws", "max_sensitivity", ("samples=10",), max_sensitivity)]


def worker(index, repeats, threads):
    """Quantus's side of a row, as a process of its own."""
    import warnings

    import torch

    warnings.simplefilter("ignore")
    torch.set_num_threads(threads)
    once = ROWS[index][3](resnet18())
    seconds = []
    for _ in range(repeats + 1):
        start = time.perf_counter()
        once()
        seconds.append(time.perf_counter() - start)
    print(json.dumps({"seconds": seconds[1:]}))


def seconds_of(command):
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.strip().splitlines()[-1])["seconds"]


def compare(threads=2, rounds=1, repeats=2, only=None):
    """Prints a line for each row; returns the ratios."""
    import torch

    ratios = []
    print("metrics of ResNet-18 at 224 x 224, one image")
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "resnet18.onnx")
        torch.onnx.export(resnet18(), (torch.zeros(1, 3, 224, 224),), path, input_names=["input"], output_names=["logits"],
                          dynamic_axes={"input": {0: "batch"}, "logits": {0: "batch"}}, dynamo=False)
        for index, (title, metric, settings, _) in enumerate(ROWS):
            if only is not None and index not in only:
                continue
            own, peer = [], []
            for _ in range(rounds):
                own += seconds_of([str(ROOT / "build/ascribe_bench_metrics"), metric, path, "1", str(repeats), str(threads),
                                   *settings])
                peer += seconds_of([sys.executable, __file__, "--worker", str(index), "--repeats", str(repeats), "--threads",
                                    str(threads)])
            mine, other = statistics.median(own), statistics.median(peer)
            ratios.append(other / mine)
            print(f"  {title}: ascribe {mine:.2f} s, Quantus {other:.2f} s, Quantus / ascribe {other / mine:.1f}", flush=True)
    return ratios


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--only", type=int, action="append", choices=range(len(ROWS)))
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker is not None:
        worker(options.worker, options.repeats, options.threads)
    else:
        compare(options.threads, options.rounds, options.repeats, options.only)


if __name__ == "__main__":
    main()
