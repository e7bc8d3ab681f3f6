"""ascribe beside PyTorch, ONNX Runtime, shap and shapiq, in one run, with two threads.

  forward   VGG-16 at 224x224 with generated weights, batch 1 and 4
  gradient  VGG-16, batch 1: one logit with respect to the input
  latency   sigmoid MLP 784-128-64-10: the same for a single sample
  hessian   the MLP: all 784x784 second derivatives of one logit
  shapley   ReLU MLP 16-64-1: all 65,536 masked outputs and the exact Shapley values, beside shap's ExactExplainer
            at its best batch size
  moebius   the dividends of 16 and 20 players from the table of values, beside shapiq's ExactComputer
  fsii      the faithful Shapley interaction index of order 2 from the same table

PyTorch runs eagerly (torch.compile is not used), without gradients of the weights; where it has several ways
to the same result the fastest counts. Every contestant runs in a process of its own, so that its peak memory
is its own; they take turns, so that a slow minute of the machine hits all of them. Prints medians and ratios.
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
FORWARD = ("ascribe", "torch", "onnxruntime")
DERIVATIVE = ("ascribe", "torch")
SHAP_BATCHES = ("auto", 4096, 16384, 65536)
# What is measured: model, rows, contestants, and how many runs a process times for each one asked for.
TASKS = {
    "forward": [("vgg16", 1, FORWARD, 1), ("vgg16", 4, FORWARD, 1)],
    "gradient": [("vgg16", 1, DERIVATIVE, 1)],
    "latency": [("mlp", 1, DERIVATIVE, 200)],
    "hessian": [("mlp", 1, DERIVATIVE, 10)],
    "shapley": [("mlp16", 1, ("ascribe", "shap"), 4)],
}
# Tables of 2^players values: the task, numbers of players, and what shapiq would need where it is not run.
GAMES = {
    "moebius": {16: None, 20: "not run: 3^4 times its 16 players"},
    "fsii": {16: "not run: asks for a matrix of 32 GiB", 20: "not run: asks for a matrix of 8 TiB"},
}


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
    return nn.Sequential(*layers, *head).eval().requires_grad_(False)


def mlp():
    import torch
    from torch import nn

    torch.manual_seed(784)
    return nn.Sequential(nn.Linear(784, 128), nn.Sigmoid(), nn.Linear(128, 64), nn.Sigmoid(),
                         nn.Linear(64, 10)).eval().requires_grad_(False)


def mlp16():
    import torch
    from torch import nn

    torch.manual_seed(16)
    return nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 1)).eval().requires_grad_(False)


MODELS = {"vgg16": (vgg16, (3, 224, 224)), "mlp": (mlp, (784,)), "mlp16": (mlp16, (16,))}


def export(name, path):
    """Writes the model as one file; in a process of its own, to keep this one small."""
    import torch

    make, shape = MODELS[name]
    torch.onnx.export(make(), (torch.zeros(1, *shape),), path, dynamo=False, opset_version=17,
                      input_names=["input"], output_names=["logits"],
                      dynamic_axes={"input": {0: "batch"}, "logits": {0: "batch"}})


def timed(ways, repeats):
    """Times every way to the result and prints the fastest one's runs."""
    import resource
    import time

    best = None
    for run in ways:
        for _ in range(2):
            run()
        seconds = []
        for _ in range(repeats):
            start = time.perf_counter()
            run()
            seconds.append(time.perf_counter() - start)
        if best is None or statistics.median(seconds) < statistics.median(best):
            best = seconds
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": best, "peak_mib": peak}))


def run_torch(task, name, rows, repeats, threads):
    import torch

    torch.set_num_threads(threads)
    make, shape = MODELS[name]
    model, x = make(), torch.randn(rows, *shape)
    if task == "forward":
        with torch.inference_mode():
            return timed([lambda: model(x)], repeats)
    if task == "hessian":
        x = x[0]

        def logit(point):
            return model(point)[0]

        of = torch.autograd.functional.hessian
        return timed([lambda: of(logit, x, vectorize=True),
                      lambda: of(logit, x, vectorize=True, outer_jacobian_strategy="forward-mode"),
                      lambda: torch.func.hessian(logit)(x)], repeats)
    x.requires_grad_()
    seed = torch.zeros_like(model(x))
    seed[:, 0] = 1

    def backward():
        x.grad = None
        model(x).backward(seed)

    return timed([lambda: torch.autograd.grad(model(x), x, seed), backward], repeats)


def run_onnxruntime(path, name, rows, repeats, threads):
    import numpy
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    x = numpy.random.default_rng(7).standard_normal((rows, *MODELS[name][1]), dtype=numpy.float32)
    timed([lambda: session.run(None, {"input": x})], repeats)


def run_shap(name, repeats, threads):
    import numpy
    import shap
    import torch

    torch.set_num_threads(threads)
    make, shape = MODELS[name]
    model = make()

    def output(rows):
        with torch.inference_mode():
            return model(torch.from_numpy(rows.astype(numpy.float32)))[:, 0].numpy()

    x = numpy.random.default_rng(7).standard_normal((1, *shape))
    explainer = shap.explainers.ExactExplainer(output, shap.maskers.Independent(numpy.zeros((1, *shape))))
    timed([lambda batch=batch: explainer(x, batch_size=batch, silent=True) for batch in SHAP_BATCHES], repeats)


def run_shapiq(players):
    """One run of the Moebius transform: half a minute for 16 players."""
    import resource
    import time

    import numpy
    from shapiq import ExactComputer

    values = numpy.random.default_rng(7).uniform(size=1 << players)
    computer = ExactComputer(lambda rows: values[numpy.asarray(rows) @ (1 << numpy.arange(players))], players)
    computer.game_values  # the table is given, as it is to us
    start = time.perf_counter()
    computer("Moebius", players)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": [seconds], "peak_mib": peak}))


def binary(name):
    return os.environ.get(f"ASCRIBE_BENCH_{name.upper()}", str(ROOT / "build" / f"ascribe_bench_{name}"))


def contest(contestant, task, name, path, rows, repeats, threads):
    """One process of one contestant; gives its times and its peak memory."""
    numbers = [str(rows), str(repeats), str(threads)]
    if contestant != "ascribe":
        command = [sys.executable, __file__, "--worker", contestant, "--task", task, "--model", name, "--path", path,
                   "--rows", numbers[0], "--repeats", numbers[1], "--threads", numbers[2]]
    elif task == "forward":
        command = [binary("forward"), path, *numbers]
    elif task == "shapley":
        command = [binary("games"), task, path, *numbers[1:]]
    else:
        command = [binary("gradient"), "hessian" if task == "hessian" else "gradient", path, *numbers]
    return measured(command, threads)


def measured(command, threads):
    """What a process says of its times and memory."""
    environment = os.environ | {"OMP_NUM_THREADS": str(threads)}
    output = subprocess.run(command, check=True, env=environment, stdout=subprocess.PIPE, text=True).stdout
    return json.loads(output.strip().splitlines()[-1])


def compare_game(task, players, trouble, fewer, repeats, rounds, threads):
    """A table of values, beside shapiq's one run; or beside what it took for fewer players, which it cannot beat.

    Gives shapiq's seconds, if it was run."""
    runs = [measured([binary("games"), task, str(players), str(repeats), str(threads)], threads)
            for _ in range(rounds)]
    median = statistics.median(second for run in runs for second in run["seconds"])
    peak = max(run["peak_mib"] for run in runs)
    print(f"{task}, {players} players, {threads} threads, median of {rounds * repeats} runs")
    print(f"  {'ascribe':<12} {median * 1000:12.3f} ms   peak {peak:7.0f} MiB")
    seconds = None
    if trouble:
        bound = f"; more than {fewer / median:,.0f} x ascribe, which its smaller game took" if fewer else ""
        print(f"  {'shapiq':<12} {trouble}{bound}")
    else:
        peer = measured([sys.executable, __file__, "--worker", "shapiq", "--rows", str(players)], threads)
        seconds = peer["seconds"][0]
        print(f"  {'shapiq':<12} {seconds * 1000:12.3f} ms   peak {peer['peak_mib']:7.0f} MiB   "
              f"{seconds / median:,.0f} x ascribe, one run")
    sys.stdout.flush()
    return seconds


def compare(task, name, path, rows, contestants, repeats, rounds, threads):
    times, peaks = {one: [] for one in contestants}, {one: 0.0 for one in contestants}
    for _ in range(rounds):
        for one in contestants:
            result = contest(one, task, name, path, rows, repeats, threads)
            times[one] += result["seconds"]
            peaks[one] = max(peaks[one], result["peak_mib"])
    medians = {one: statistics.median(values) for one, values in times.items()}
    print(f"{name} {task}, batch {rows}, {threads} threads, median of {rounds * repeats} runs")
    for one in contestants:
        ratio = medians[one] / medians["ascribe"]
        print(f"  {one:<12} {medians[one] * 1000:9.3f} ms   {ratio:5.2f} x ascribe   peak {peaks[one]:7.0f} MiB")
    sys.stdout.flush()


def compare_all(options, folder):
    for task in options.only or [*TASKS, *GAMES]:
        fewer = None
        for players, trouble in GAMES.get(task, {}).items():
            fewer = compare_game(task, players, trouble, fewer, options.repeats, options.rounds, options.threads)
        for name, rows, contestants, factor in TASKS.get(task, []):
            path = str(Path(folder) / f"{name}.onnx")
            if not os.path.exists(path):
                subprocess.run([sys.executable, __file__, "--worker", "export", "--model", name, "--path", path],
                               check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            compare(task, name, path, rows, contestants, factor * options.repeats, options.rounds, options.threads)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=5, help="timed runs per process; small models run more often")
    parser.add_argument("--rounds", type=int, default=3, help="processes per contestant")
    parser.add_argument("--only", action="append", choices=[*TASKS, *GAMES], help="one of the tasks; may be repeated")
    parser.add_argument("--models", help="a folder that keeps the generated models")
    parser.add_argument("--model", help=argparse.SUPPRESS)
    parser.add_argument("--path", help=argparse.SUPPRESS)
    parser.add_argument("--task", help=argparse.SUPPRESS)
    parser.add_argument("--rows", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker == "export":
        export(options.model, options.path)
    elif options.worker == "torch":
        run_torch(options.task, options.model, options.rows, options.repeats, options.threads)
    elif options.worker == "onnxruntime":
        run_onnxruntime(options.path, options.model, options.rows, options.repeats, options.threads)
    elif options.worker == "shap":
        run_shap(options.model, options.repeats, options.threads)
    elif options.worker == "shapiq":
        run_shapiq(options.rows)
    elif options.models:
        compare_all(options, options.models)
    else:
        with tempfile.TemporaryDirectory() as folder:
            compare_all(options, folder)


if __name__ == "__main__":
    main()
