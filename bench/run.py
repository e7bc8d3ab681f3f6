"""ascribe beside PyTorch, ONNX Runtime, Captum, Quantus, shap and shapiq, in one run, with two threads.

  forward   VGG-16 at 224x224 with generated weights, batch 1 and 4
  gradient  VGG-16, batch 1: one logit with respect to the input
  latency   sigmoid MLP 784-128-64-10: the same for a single sample
  hessian   the MLP: all 784x784 second derivatives of one logit
  shapley   ReLU MLP 16-64-1: all 65,536 masked outputs and the exact Shapley values, beside shap's ExactExplainer
            at its best batch size
  moebius   the dividends of 16 and 20 players from the table of values, beside shapiq's ExactComputer
  fsii      the faithful Shapley interaction index of order 2 from the same table
  methods   attribution methods beside Captum at its best batch size, on the MLP, a CNN (convolution 1 to 16 of 3x3,
            16 to 32 with stride 2, dense to 10, sigmoid) and VGG-16
  metrics   infidelity beside Captum at its best batch size, pixel flipping beside Quantus, on the MLP; attributions are
            given
  trees     Shapley values of 100 trees of depth 6 beside shap's TreeExplainer (trees.py)
  binding   explain on the MLP as a C++ program calls it (include/ascribe), by the Python package, and Captum

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
from typing import NamedTuple

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


class Contest(NamedTuple):
    """An attribution method as we and Captum run it."""

    title: str
    method: str
    model: str
    captum: str  # what run_captum knows it by
    settings: tuple = ()
    rows: int = 1
    baselines: int = 1
    players: str = "pixels"
    batches: tuple = (None,)  # sizes that Captum tries; None: its default
    runs: int = 1  # timed runs per process; 0: a single process makes a single run without warming up


IG = ("integrated gradients, 50 nodes", "integrated_gradients")
SHAPLEY = ("Shapley values, 49 patches, 25 permutations (ascribe: 26)", "shapley")
METHODS = [
    Contest(*IG, "mlp", "ig", ("steps=50",), batches=(None, 50), runs=20),
    Contest(*IG, "mlp", "ig", ("steps=50",), rows=100, batches=(100, 250, 500, 1000, None), runs=5),
    Contest("occlusion 1x1", "occlusion", "mlp", "occlusion", players="elements", batches=(49, 196, 784), runs=10),
    Contest(*SHAPLEY, "mlp", "shapley", ("samples=26",), players="patch:4", batches=(7, 49, 98), runs=5),
    Contest(*SHAPLEY, "cnn", "shapley", ("samples=26",), players="patch:4", batches=(7, 49, 98), runs=5),
    Contest("DeepLIFT rescale", "deeplift_rescale", "vgg16", "deeplift"),
    Contest("LRP-epsilon", "lrp_epsilon", "vgg16", "lrp"),
    Contest(*IG, "vgg16", "ig", ("steps=50",), batches=(5,), runs=0),
    Contest("Deep SHAP, 20 baselines", "deep_shap", "vgg16", "deep_shap", ("granularity=component",), baselines=20,
            runs=0),
]
# The Python package beside the same call in C++.
GXI = ("gradient x input", "gradient_x_input")
BINDING = [
    Contest(*GXI, "mlp", "gxi", runs=200),
    Contest(*GXI, "mlp", "gxi", rows=100, runs=20),
    Contest(*IG, "mlp", "ig", ("steps=50",), batches=(None, 50), runs=100),
    Contest(*IG, "mlp", "ig", ("steps=50",), rows=100, batches=(100, 250, 500, 1000, None), runs=5),
]
CONTESTS = [*METHODS, *BINDING]
HEAVY = ("deep_shap",)  # of Captum: more than a minute and ten GiB


class Rating(NamedTuple):
    """A metric as we and a peer compute it, on the MLP."""

    title: str
    metric: str
    peer: str  # captum or quantus
    settings: tuple
    rows: int
    batches: tuple  # sizes that the peer tries; None: its default
    runs: int  # timed runs per process


SQUARES = ("infidelity, 1000 squares of 7x7 (ascribe: each of the 484 places once, which is the exact mean)",
           "infidelity", "captum", ("perturbations=1000", "size=7"))
NOISE = ("infidelity, 1000 draws of Gaussian noise", "infidelity_gaussian", "captum", ("perturbations=1000",))
FLIPPING = ("pixel flipping, 98 steps of 8 pixels", "deletion", "quantus", ("steps=98",))
METRICS = [
    Rating(*SQUARES, rows=1, batches=(None, 250, 500), runs=10),
    Rating(*SQUARES, rows=100, batches=(2000, 5000, 10000), runs=5),
    Rating(*NOISE, rows=1, batches=(None, 250, 500), runs=10),
    Rating(*FLIPPING, rows=1, batches=(None,), runs=10),
    Rating(*FLIPPING, rows=100, batches=(None, 100), runs=5),
]


ALL = [*TASKS, *GAMES, "methods", "metrics", "trees", "binding"]


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


def cnn():
    import torch
    from torch import nn

    torch.manual_seed(28)
    return nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.Sigmoid(), nn.Conv2d(16, 32, 3, 2, 1), nn.Sigmoid(),
                         nn.Flatten(), nn.Linear(6272, 10)).eval().requires_grad_(False)


MODELS = {"vgg16": (vgg16, (3, 224, 224)), "mlp": (mlp, (784,)), "mlp16": (mlp16, (16,)), "cnn": (cnn, (1, 28, 28))}


def export(name, path):
    """Writes the model as one file; in a process of its own, to keep this one small."""
    import torch

    make, shape = MODELS[name]
    torch.onnx.export(make(), (torch.zeros(1, *shape),), path, dynamo=False, opset_version=17,
                      input_names=["input"], output_names=["logits"],
                      dynamic_axes={"input": {0: "batch"}, "logits": {0: "batch"}})


def timed(ways, repeats, warm=2):
    """Times every way to the result and prints the fastest one's runs. Ways may have names: {name: way}."""
    import resource
    import time

    best = None
    for name, run in ways.items() if isinstance(ways, dict) else enumerate(ways):
        for _ in range(warm):
            run()
        seconds = []
        for _ in range(repeats):
            start = time.perf_counter()
            run()
            seconds.append(time.perf_counter() - start)
        if best is None or statistics.median(seconds) < statistics.median(best[0]):
            best = seconds, name
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": best[0], "way": best[1], "peak_mib": peak}))


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


def patches(shape, size=4):
    """The number of the patch of size x size pixels that each element of a 28 x 28 image lies in."""
    import torch

    row = torch.arange(28) // size
    return (row[:, None] * (28 // size) + row).reshape(1, *shape)


def lrp(model):
    """Captum's LRP-epsilon, told what to do with a layer that it does not know."""
    from captum import attr
    from captum.attr._utils.lrp_rules import EpsilonRule
    from torch import nn

    for layer in model.modules():
        if isinstance(layer, nn.Flatten):
            layer.rule = EpsilonRule()
    return attr.LRP(model)


def run_captum(index, repeats, threads):
    """One of CONTESTS the way Captum does it, at several batch sizes."""
    import warnings

    import torch
    from captum import attr

    warnings.simplefilter("ignore")  # that hooks are set, and tensors made to require gradients
    torch.set_num_threads(threads)
    one = CONTESTS[index]
    way, (make, shape) = one.captum, MODELS[one.model]
    model, x, zero = make(), torch.randn(one.rows, *shape), torch.zeros(one.rows, *shape)
    background = torch.randn(one.baselines, *shape)

    def once(batch):
        if way == "gxi":
            return attr.InputXGradient(model).attribute(x.requires_grad_(), 0)
        if way == "ig":
            return attr.IntegratedGradients(model).attribute(x, zero, 0, n_steps=50, internal_batch_size=batch)
        if way == "occlusion":
            return attr.Occlusion(model).attribute(x, (1,) * len(shape), baselines=zero, target=0,
                                                   perturbations_per_eval=batch)
        if way == "shapley":
            return attr.ShapleyValueSampling(model).attribute(x, zero, 0, feature_mask=patches(shape), n_samples=25,
                                                              perturbations_per_eval=batch)
        if way == "deeplift":
            return attr.DeepLift(model).attribute(x, zero, 0)
        if way == "lrp":
            return lrp(model).attribute(x, 0)
        return attr.DeepLiftShap(model).attribute(x, background, 0)

    ways = {f"batch {batch or 'default'}": lambda batch=batch: once(batch) for batch in one.batches}
    timed(ways, max(1, repeats), 2 if repeats else 0)


def run_package(index, path, repeats, threads):
    """One of CONTESTS by the Python package, as its users call it."""
    import ascribe
    import numpy

    one = CONTESTS[index]
    model = ascribe.load(path)
    x = numpy.random.default_rng(7).standard_normal((one.rows, *model.row_shape), dtype=numpy.float32)
    settings = dict(setting.split("=") for setting in one.settings)
    timed([lambda: model.explain(x, one.method, target=0, threads=threads, settings=settings)], repeats)


def square_masks(size=7):
    """The squares that an image of 28 x 28 pixels has: [places, 784] of 0 and 1."""
    import torch

    starts = torch.arange(28 - size + 1)[:, None]
    line = ((torch.arange(28) >= starts) & (torch.arange(28) < starts + size)).float()
    return torch.einsum("ah,bw->abhw", line, line).reshape(-1, 784)


def run_captum_metric(one, repeats):
    """Infidelity as Captum computes it, at several batch sizes."""
    import torch
    from captum.metrics import infidelity

    model, masks = mlp(), square_masks()
    x, attributions = torch.randn(one.rows, 784), torch.randn(one.rows, 784)

    def remove(rows):
        taken = masks[torch.randint(len(masks), (len(rows),))]
        return taken, rows - rows * taken

    def disturb(rows):
        noise = 0.2 * torch.randn_like(rows)
        return noise, rows - noise

    def once(batch):
        with torch.inference_mode():
            infidelity(model, remove if one.metric == "infidelity" else disturb, x, attributions, target=0,
                       n_perturb_samples=1000, max_examples_per_batch=batch)

    timed({f"batch {batch or 'default'}": lambda batch=batch: once(batch) for batch in one.batches}, repeats, 1)


def run_quantus_metric(one, repeats):
    """Pixel flipping as Quantus computes it, at several batch sizes."""
    import numpy
    from torch import nn

    sys.path.insert(0, str(ROOT / "tests" / "interop"))
    from peers import import_quantus

    flipping = import_quantus().PixelFlipping(features_in_step=8, perturb_baseline=0.0, return_aggregate=False,
                                              disable_warnings=True)
    model = nn.Sequential(nn.Flatten(), mlp()).eval()
    x, attributions = numpy.random.default_rng(7).standard_normal((2, one.rows, 1, 28, 28), dtype=numpy.float32)

    def once(batch):
        flipping(model, x, numpy.zeros(one.rows, dtype=int), attributions, softmax=False, channel_first=True,
                 device="cpu", batch_size=batch or 64)

    timed({f"batch {batch or 'default'}": lambda batch=batch: once(batch) for batch in one.batches}, repeats, 1)


def run_metric(index, repeats, threads):
    """One of METRICS as the peer computes it."""
    import warnings

    import torch

    warnings.simplefilter("ignore")
    torch.set_num_threads(threads)
    one = METRICS[index]
    (run_captum_metric if one.peer == "captum" else run_quantus_metric)(one, repeats)


def in_turns(heading, commands, repeats, rounds, threads):
    """Runs the contestants' processes in turns, and prints medians and their ratios to the first one's."""
    first = next(iter(commands))
    print(f"{heading}, {threads} threads, median of {rounds * repeats} runs")
    runs = {contestant: [] for contestant in commands}
    for _ in range(rounds):
        for contestant, command in commands.items():
            runs[contestant].append(measured(command, threads))
    medians = {contestant: statistics.median(s for run in done for s in run["seconds"])
               for contestant, done in runs.items()}
    for contestant, median in medians.items():
        peak = max(run["peak_mib"] for run in runs[contestant])
        print(f"  {contestant:<12} {median * 1000:12.3f} ms   {median / medians[first]:6.2f} x {first}   "
              f"peak {peak:7.0f} MiB   {runs[contestant][-1].get('way', '')}")
    sys.stdout.flush()


def compare_metric(index, path, options):
    """A metric beside its peer."""
    one = METRICS[index]
    repeats = one.runs * options.repeats // 5 or 1
    commands = {"ascribe": [binary("metrics"), one.metric, path, str(one.rows), str(repeats), str(options.threads),
                            *one.settings],
                one.peer: [sys.executable, __file__, "--worker", "metric", "--index", str(index), "--repeats",
                           str(repeats), "--threads", str(options.threads)]}
    in_turns(f"mlp {one.title}, batch {one.rows}", commands, repeats, options.rounds, options.threads)


def compare_method(index, path, options):
    """A method beside Captum. Long ones are run once."""
    one = METHODS[index]
    repeats, rounds = (one.runs * options.repeats // 5 or 1, options.rounds) if one.runs else (1, 1)
    commands = {"ascribe": [binary("methods"), one.method, path, str(one.rows), str(repeats), str(options.threads),
                            str(one.baselines), one.players, *one.settings],
                "captum": [sys.executable, __file__, "--worker", "captum", "--index", str(index),
                           "--repeats", str(repeats if one.runs else 0), "--threads", str(options.threads)]}
    skipped = options.light and one.captum in HEAVY
    if skipped:
        del commands["captum"]
    in_turns(f"{one.model} {one.title}, batch {one.rows}", commands, repeats, rounds, options.threads)
    if skipped:
        print(f"  {'captum':<12} not run (--light): it takes more than a minute and ten GiB")


def compare_binding(index, path, options):
    """The Python package beside the interface that it stands on, and Captum."""
    one = BINDING[index]
    repeats = one.runs * options.repeats // 5 or 1
    worker = ["--index", str(len(METHODS) + index), "--repeats", str(repeats), "--threads", str(options.threads)]
    commands = {"C++": [binary("interface"), one.method, path, str(one.rows), str(repeats), str(options.threads),
                        *one.settings],
                "Python": [sys.executable, __file__, "--worker", "package", "--path", path, *worker],
                "captum": [sys.executable, __file__, "--worker", "captum", *worker]}
    in_turns(f"{one.model} {one.title}, batch {one.rows}", commands, repeats, options.rounds, options.threads)


def each_of(contests, compare_one, model_of, options, folder):
    """All of a list; one that fails does not stop the others."""
    for index, one in enumerate(contests):
        try:
            compare_one(index, exported(model_of(one), folder), options)
        except subprocess.CalledProcessError as error:
            print(f"  failed with exit code {error.returncode}")


def exported(name, folder):
    """The model's file, written if it is not there."""
    path = str(Path(folder) / f"{name}.onnx")
    if not os.path.exists(path):
        subprocess.run([sys.executable, __file__, "--worker", "export", "--model", name, "--path", path],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return path


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
    for task in options.only or ALL:
        if task == "methods":
            each_of(METHODS, compare_method, lambda one: one.model, options, folder)
        if task == "metrics":
            each_of(METRICS, compare_metric, lambda one: "mlp", options, folder)
        if task == "binding":
            each_of(BINDING, compare_binding, lambda one: one.model, options, folder)
        if task == "trees":
            import trees

            trees.compare(options.threads, options.rounds)
        fewer = None
        for players, trouble in GAMES.get(task, {}).items():
            fewer = compare_game(task, players, trouble, fewer, options.repeats, options.rounds, options.threads)
        for name, rows, contestants, factor in TASKS.get(task, []):
            path = exported(name, folder)
            compare(task, name, path, rows, contestants, factor * options.repeats, options.rounds, options.threads)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=5, help="timed runs per process; small models run more often")
    parser.add_argument("--rounds", type=int, default=3, help="processes per contestant")
    parser.add_argument("--only", action="append", choices=ALL, help="one of the tasks; may be repeated")
    parser.add_argument("--light", action="store_true", help="leave Captum out where it takes more than ten GiB")
    parser.add_argument("--models", help="a folder that keeps the generated models")
    parser.add_argument("--model", help=argparse.SUPPRESS)
    parser.add_argument("--path", help=argparse.SUPPRESS)
    parser.add_argument("--task", help=argparse.SUPPRESS)
    parser.add_argument("--rows", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--index", type=int, help=argparse.SUPPRESS)
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
    elif options.worker == "captum":
        run_captum(options.index, options.repeats, options.threads)
    elif options.worker == "package":
        run_package(options.index, options.path, options.repeats, options.threads)
    elif options.worker == "metric":
        run_metric(options.index, options.repeats, options.threads)
    elif options.worker == "shapiq":
        run_shapiq(options.rows)
    elif options.models:
        compare_all(options, options.models)
    else:
        with tempfile.TemporaryDirectory() as folder:
            compare_all(options, folder)


if __name__ == "__main__":
    main()
