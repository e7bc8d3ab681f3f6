"""Estimators of Shapley values at equal budget, beside those of shapiq: squared error relative to the values, at 10 and 100
evaluations for each player.

Games: tables (a perceptron and boosted trees on 14 generated columns, a perceptron and a forest on the 30 of scikit-learn's
breast cancer data), a small transformer on 16 tokens, the bundled residual network on an image of 49 and of 196 patches. Each is
an ONNX file, run by onnxruntime for both sides, so both see the same values. References are exact up to 16 players, and
regressions over many more coalitions beyond; their own error is printed where it matters.

shapiq 1.8 needs Python 3.12: its side runs in the interpreter that SHAPIQ_PYTHON names (with shapiq, onnxruntime, xgboost and
lightgbm). Without one only ascribe's side is printed.
"""

import argparse
import itertools
import json
import math
import os
import subprocess
import tempfile
import time
import warnings
from pathlib import Path

import numpy

ROOT = Path(__file__).resolve().parent.parent
GAMES = ["perceptron 14", "boosting 14", "perceptron 30", "forest 30", "transformer 16", "image 49", "image 196"]
BUDGETS = (10, 100)
ESTIMATORS = ("permutations", "leverage", "proxy")


class Game:
    """v(S): the mean over baselines of an output of an ONNX model at x with the players outside of S at the baseline."""

    def __init__(self, folder, name):
        import onnxruntime

        stored = numpy.load(Path(folder) / f"{name}.npz")
        self.x, self.baselines, self.owner = stored["x"], stored["baselines"], stored["owner"]
        self.output, self.column = str(stored["output"]), int(stored["column"])
        self.players = int(self.owner.max()) + 1
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = settings.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(str(Path(folder) / f"{name}.onnx"), settings,
                                                    providers=["CPUExecutionProvider"])
        self.input = self.session.get_inputs()[0].name
        self.seconds = 0.0

    def __call__(self, coalitions):
        start = time.perf_counter()
        coalitions = numpy.atleast_2d(coalitions) > 0.5
        values = numpy.zeros(len(coalitions))
        for first in range(0, len(coalitions), 1024):
            inside = coalitions[first:first + 1024][:, self.owner]
            for baseline in self.baselines:
                rows = numpy.where(inside, self.x, baseline).astype(self.x.dtype)
                found = self.session.run([self.output], {self.input: rows})[0]
                values[first:first + 1024] += found.reshape(len(rows), -1)[:, self.column] / len(self.baselines)
        self.seconds += time.perf_counter() - start
        return values


def store(folder, name, file, x, baselines, owner, output, column):
    (Path(folder) / f"{name}.onnx").write_bytes(file)
    numpy.savez(Path(folder) / f"{name}.npz", x=x, baselines=baselines, owner=owner, output=output, column=column)


def tables(folder):
    from skl2onnx import to_onnx
    from sklearn.datasets import load_breast_cancer
    from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier
    from sklearn.neural_network import MLPClassifier

    draws = numpy.random.default_rng(0)
    x = draws.standard_normal((4000, 14)) @ (0.3 * draws.standard_normal((14, 14)) + numpy.eye(14))
    x[:, 5:9] = numpy.floor(1.5 * x[:, 5:9])
    y = (x[:, 0] * (x[:, 1] > 0) + numpy.sin(2 * x[:, 2]) * x[:, 3] + numpy.abs(x[:, 4])
         + 0.3 * x[:, 5] * x[:, 6] * (x[:, 7] > 0) + 0.2 * x[:, 8:].sum(axis=1))
    cancer = load_breast_cancer()
    wide = (cancer.data - cancer.data.mean(axis=0)) / cancer.data.std(axis=0)
    perceptron = {"hidden_layer_sizes": (64, 64), "random_state": 0, "max_iter": 60}
    boosting = GradientBoostingRegressor(n_estimators=100, max_depth=5, random_state=0)
    for name, rows, target, model in [
            ("perceptron 14", x, y > numpy.median(y), MLPClassifier(**perceptron)), ("boosting 14", x, y, boosting),
            ("perceptron 30", wide, cancer.target, MLPClassifier(**perceptron)),
            ("forest 30", wide, cancer.target, RandomForestClassifier(50, random_state=0))]:
        rows = rows.astype(numpy.float32)
        options = None if name.startswith("boosting") else {"zipmap": False}
        made = to_onnx(model.fit(rows, target), rows[:1], options=options)
        output = made.graph.output[-1].name
        store(folder, name, made.SerializeToString(), rows[3], rows[100:103], numpy.arange(rows.shape[1]), output,
              0 if name.startswith("boosting") else 1)


def transformer(folder):
    import torch
    from torch import nn

    class Network(nn.Module):
        """Words that are good, bad, deny or strengthen the next one."""

        def __init__(self):
            super().__init__()
            self.words, self.places = nn.Embedding(60, 32), nn.Parameter(0.1 * torch.randn(16, 32))
            layer = nn.TransformerEncoderLayer(32, 4, 64, 0, batch_first=True, norm_first=True)
            self.layers, self.read = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), nn.Linear(32, 1)

        def forward(self, ids):
            return self.read(self.layers(self.words(ids) + self.places).mean(1))

    torch.manual_seed(0)
    model, draws = Network(), torch.Generator().manual_seed(1)
    optimizer = torch.optim.Adam(model.parameters(), 2e-3)

    def sentences(count):
        ids, kind = torch.randint(1, 60, (count, 16), generator=draws), torch.rand(count, 16, generator=draws)
        ids = torch.where(kind < 0.15, 30, torch.where(kind < 0.25, 31, ids))
        absent = torch.rand(count, 16, generator=draws) < 0.6 * torch.rand(count, 1, generator=draws)
        return torch.where(absent, 0, ids)

    def meaning(ids):
        before = nn.functional.pad(ids, (1, 0))[:, :-1]
        good = ((ids >= 1) & (ids <= 12)).float() - ((ids >= 13) & (ids <= 24)).float()
        return (good * (1 - 2 * (before == 30).float()) * (1 + (before == 31).float())).sum(1, keepdim=True)

    for _ in range(600):
        ids = sentences(64)
        optimizer.zero_grad()
        ((model(ids) - meaning(ids)) ** 2).mean().backward()
        optimizer.step()
    model.eval()
    path = Path(folder) / "exported.onnx"
    torch.onnx.export(model, (torch.zeros(2, 16, dtype=torch.int64),), str(path), input_names=["ids"],
                      output_names=["score"], dynamic_axes={"ids": {0: "rows"}, "score": {0: "rows"}}, dynamo=False)
    words = numpy.array([4, 40, 30, 5, 9, 50, 14, 31, 20, 2, 45, 30, 18, 33, 7, 22], dtype=numpy.int64)
    store(folder, "transformer 16", path.read_bytes(), words, numpy.zeros((1, 16), numpy.int64), numpy.arange(16), "score",
          0)


def images(folder):
    from PIL import Image

    image = numpy.asarray(Image.open(ROOT / "models/images/ankle_boot.png"), dtype=numpy.float32)[None] / 255
    for side in (7, 14):
        line = numpy.arange(28) * side // 28
        owner = (line[:, None] * side + line)[None]
        store(folder, f"image {side * side}", (ROOT / "models/resnet.onnx").read_bytes(), image,
              numpy.zeros((1, 1, 28, 28), numpy.float32), owner, "logits", 9)


def weights_of_sizes(n):
    return [math.exp(math.lgamma(s + 1) + math.lgamma(n - s) - math.lgamma(n + 1)) for s in range(n)]


def exact(game):
    n = game.players
    sets = numpy.array(list(itertools.product((False, True), repeat=n)))
    values, sizes, weights = game(sets), sets.sum(axis=1), numpy.array([*weights_of_sizes(n), 0])
    return numpy.array([(numpy.where(sets[:, p], weights[sizes - 1], -weights[sizes]) * values).sum() for p in range(n)])


def regressed(game, pairs, seed):
    """The Shapley regression over pairs of coalitions of every size alike."""
    n, draws = game.players, numpy.random.default_rng(seed)
    change = (game(numpy.ones(n)) - game(numpy.zeros(n)))[0]
    normal, right = numpy.zeros((n, n)), numpy.zeros(n)
    for first in range(0, pairs, 4096):
        sizes = draws.integers(1, n, min(4096, pairs - first))
        sets = draws.random((len(sizes), n)).argsort(axis=1).argsort(axis=1) < sizes[:, None]
        signs, weights = numpy.where(sets, 1.0, -1.0), 1 / (sizes * (n - sizes))
        normal += (signs * weights[:, None]).T @ signs
        right += signs.T @ (weights * (game(sets) - game(~sets)))
    solved, along = numpy.linalg.solve(normal, numpy.stack([right, numpy.ones(n)], axis=1)).T
    return solved + along * (change - solved.sum()) / along.sum()


def reference(game, folder, name, pairs):
    """The values, and their own relative squared error."""
    path = Path(folder) / f"{name} reference.npz"
    if not path.exists():
        if game.players <= 16:
            values, error = exact(game), 0.0
        else:
            halves = [regressed(game, pairs, seed) for seed in (98, 99)]
            values = sum(halves) / 2
            error = ((halves[0] - halves[1]) ** 2).sum() / 4 / (values ** 2).sum()
        numpy.savez(path, values=values, error=error)
    stored = numpy.load(path)
    return stored["values"], float(stored["error"])


def ours(folder, name, budget, seeds, threads):
    """Estimator -> (relative squared error, seconds besides the game's, share of the intervals that hold the value)."""
    import ascribe

    game = Game(folder, name)
    truth = numpy.load(Path(folder) / f"{name} reference.npz")["values"]
    n, results = game.players, {}
    model = ascribe.function(game, inputs=n, outputs=1, precision="float32", baseline=numpy.zeros(n))
    for estimator in ESTIMATORS:
        errors, held, seconds = [], [], []
        for seed in range(seeds):
            game.seconds, start = 0.0, time.perf_counter()
            found = model.explain(numpy.ones((1, n)), "shapley", seed=seed, threads=threads,
                                  settings={"estimator": estimator, "samples": budget, "exact": 0})
            seconds.append(time.perf_counter() - start - game.seconds)
            missed = numpy.abs(numpy.asarray(found.player_values).reshape(-1) - truth)
            errors.append((missed ** 2).sum() / (truth ** 2).sum())
            held.append((missed <= numpy.asarray(found.intervals).reshape(-1)).mean())
        results[estimator] = (float(numpy.mean(errors)), float(numpy.mean(seconds)), float(numpy.mean(held)))
    return results


def approximators(n, budget, seed, slow):
    """shapiq's estimators at their best settings, by name."""
    import shapiq.approximator as a

    seeded = {"random_state": seed}
    made = {"KernelSHAP": lambda: a.KernelSHAP(n, pairing_trick=True, **seeded),
            "LeverageSHAP": lambda: a.LeverageSHAP(n, **seeded), "OddSHAP": lambda: a.OddSHAP(n, **seeded),
            "RegressionMSR": lambda: a.RegressionMSR(n, "SV", **seeded),
            "RegressionMSR linear": lambda: a.RegressionMSR(n, "SV", proxy_model="linear", **seeded),
            "ProxySHAP": lambda: a.ProxySHAP(n, max_order=1, index="SV", **seeded)}
    if n <= 30 and budget * n > n * n:
        made["PolySHAP 2"] = lambda: a.PolySHAP(n, max_order=2, pairing_trick=True, **seeded)
    if n <= 16 and budget * n > n ** 3 / 6 + n * n:
        made["PolySHAP 3"] = lambda: a.PolySHAP(n, max_order=3, pairing_trick=True, **seeded)
    if slow and n <= 30:
        for adjusted in (False, True):
            made[f"ProxySHAP tuned{' adjusted' if adjusted else ''}"] = lambda adjusted=adjusted: a.ProxySHAP(
                n, max_order=1, index="SV", hpo=True, adjustment=adjusted, **seeded)
    return made


def run_shapiq(folder, name, budget, seeds, slow):
    """As a process of its own: prints estimator -> [error, seconds]."""
    warnings.simplefilter("ignore")
    game = Game(folder, name)
    truth = numpy.load(Path(folder) / f"{name} reference.npz")["values"]
    n, results = game.players, {}
    for estimator in approximators(n, budget, 0, slow):
        errors, seconds = [], []
        for seed in range(seeds):
            made = approximators(n, budget, seed, slow)[estimator]()
            game.seconds, start = 0.0, time.perf_counter()
            found = made.approximate(budget * n, game)
            seconds.append(time.perf_counter() - start - game.seconds)
            values = numpy.array([found[(p,)] for p in range(n)])
            errors.append(((values - truth) ** 2).sum() / (truth ** 2).sum())
        results[estimator] = (float(numpy.mean(errors)), float(numpy.mean(seconds)))
    print(json.dumps(results))


def theirs(folder, name, budget, seeds, slow):
    python = os.environ.get("SHAPIQ_PYTHON")
    if not python:
        return {}
    command = [python, __file__, "--worker", name, "--folder", str(folder), "--budget", str(budget), "--seeds",
               str(seeds)] + (["--slow"] if slow else [])
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.strip().splitlines()[-1])


def compare(threads=2, seeds=5, only=None, folder=None, pairs=400000, slow=False):
    """Prints errors, the ratio to shapiq's best and the time besides the game's; returns the ratios."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(folder or made)
        if not (folder / "image 196.npz").exists():
            folder.mkdir(parents=True, exist_ok=True)
            warnings.simplefilter("ignore")
            for make in (tables, transformer, images):
                make(folder)
        if not os.environ.get("SHAPIQ_PYTHON"):
            print("shapiq is not run: SHAPIQ_PYTHON does not name a Python of 3.12 or later that has it")
        ratios = []
        for name in only or GAMES:
            game = Game(folder, name)
            error = reference(game, folder, name, pairs)[1]
            print(f"{name}: squared errors relative to the values" + (f"; the reference's own {error:.1e}" if error else ""))
            for budget in BUDGETS:
                own = ours(folder, name, budget, seeds, threads)
                peers = theirs(folder, name, budget, seeds, slow)
                print(f"  {budget} n: " + ", ".join(f"{key} {value[0]:.2g} ({value[1]:.2f} s, intervals hold {value[2]:.0%})"
                                                    for key, value in own.items()))
                if peers:
                    best = min(peers, key=lambda key: peers[key][0])
                    ratios.append(peers[best][0] / own["proxy"][0])
                    print("        shapiq " + ", ".join(f"{key} {value[0]:.2g}" for key, value in peers.items()))
                    print(f"        shapiq's best, {best} ({peers[best][1]:.2f} s) / ascribe's proxy: {ratios[-1]:.2f}",
                          flush=True)
        return ratios


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", action="append", choices=GAMES)
    parser.add_argument("--folder", help="a folder that keeps games and references")
    parser.add_argument("--pairs", type=int, default=400000, help="of each of the two halves of a sampled reference")
    parser.add_argument("--slow", action="store_true", help="shapiq's proxies with tuned trees, too: a minute for each game")
    parser.add_argument("--worker", choices=GAMES, help=argparse.SUPPRESS)
    parser.add_argument("--budget", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        run_shapiq(options.folder, options.worker, options.budget, options.seeds, options.slow)
    else:
        compare(options.threads, options.seeds, options.only, options.folder, options.pairs, options.slow)


if __name__ == "__main__":
    main()
