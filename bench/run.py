"""Forward passes of ascribe, PyTorch and ONNX Runtime on the same model in one run.

VGG-16 at 224x224 with generated weights, batch 1 and 4, two threads. Every contestant
runs in a process of its own, so that its peak memory is its own; they take turns, so
that a slow minute of the machine hits all of them. Prints medians and the ratios.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CONTESTANTS = ("ascribe", "torch", "onnxruntime")


def vgg16():
    import torch
    from torch import nn

    torch.manual_seed(16)
    layers, channels = [], 3
    for width in (64, 64, "pool", 128, 128, "pool", 256, 256, 256, "pool",
                  512, 512, 512, "pool", 512, 512, 512, "pool"):
        if width == "pool":
            layers.append(nn.MaxPool2d(2))
        else:
            layers += [nn.Conv2d(channels, width, 3, padding=1), nn.ReLU()]
            channels = width
    head = [nn.Flatten(), nn.Linear(25088, 4096), nn.ReLU(), nn.Linear(4096, 4096), nn.ReLU(), nn.Linear(4096, 1000)]
    return nn.Sequential(*layers, *head).eval()


def export(path):
    """Writes the model as one file; in a process of its own, to keep this one small."""
    import torch

    torch.onnx.export(vgg16(), (torch.zeros(1, 3, 224, 224),), path, dynamo=False, opset_version=17,
                      input_names=["input"], output_names=["logits"],
                      dynamic_axes={"input": {0: "batch"}, "logits": {0: "batch"}})


def timed(run, repeats):
    import resource
    import time

    for _ in range(2):
        run()
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "peak_mib": peak}))


def run_torch(rows, repeats, threads):
    import torch

    torch.set_num_threads(threads)
    model, x = vgg16(), torch.randn(rows, 3, 224, 224)
    with torch.inference_mode():
        timed(lambda: model(x), repeats)


def run_onnxruntime(path, rows, repeats, threads):
    import numpy
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    x = numpy.random.default_rng(7).standard_normal((rows, 3, 224, 224), dtype=numpy.float32)
    timed(lambda: session.run(None, {"input": x}), repeats)


def contest(name, path, rows, repeats, threads):
    """One process of one contestant; gives its times and its peak memory."""
    if name == "ascribe":
        binary = os.environ.get("ASCRIBE_BENCH_FORWARD", str(ROOT / "build" / "ascribe_bench_forward"))
        command = [binary, path, str(rows), str(repeats), str(threads)]
    else:
        command = [sys.executable, __file__, "--worker", name, "--model", path, "--rows", str(rows),
                   "--repeats", str(repeats), "--threads", str(threads)]
    environment = os.environ | {"OMP_NUM_THREADS": str(threads)}
    output = subprocess.run(command, check=True, env=environment, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(output.strip().splitlines()[-1])


def compare(path, rows, repeats, rounds, threads):
    times, peaks = {name: [] for name in CONTESTANTS}, {name: 0.0 for name in CONTESTANTS}
    for _ in range(rounds):
        for name in CONTESTANTS:
            result = contest(name, path, rows, repeats, threads)
            times[name] += result["seconds"]
            peaks[name] = max(peaks[name], result["peak_mib"])
    medians = {name: statistics.median(values) for name, values in times.items()}
    print(f"VGG-16 forward, batch {rows}, {threads} threads, median of {rounds * repeats} runs")
    for name in CONTESTANTS:
        ratio = medians[name] / medians["ascribe"]
        print(f"  {name:<12} {medians[name] * 1000:8.1f} ms   {ratio:5.2f} x ascribe   peak {peaks[name]:7.0f} MiB")
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=5, help="timed runs per process")
    parser.add_argument("--rounds", type=int, default=3, help="processes per contestant")
    parser.add_argument("--model", help=argparse.SUPPRESS)
    parser.add_argument("--rows", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker == "export":
        export(options.model)
    elif options.worker == "torch":
        run_torch(options.rows, options.repeats, options.threads)
    elif options.worker == "onnxruntime":
        run_onnxruntime(options.model, options.rows, options.repeats, options.threads)
    else:
        with tempfile.TemporaryDirectory() as folder:
            path = options.model or str(Path(folder) / "vgg16.onnx")
            if not os.path.exists(path):
                subprocess.run([sys.executable, __file__, "--worker", "export", "--model", path], check=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for rows in (1, 4):
                compare(path, rows, options.repeats, options.rounds, options.threads)


if __name__ == "__main__":
    main()
