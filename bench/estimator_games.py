"""Games on which estimators of Shapley values are compared, as ONNX files with what they are asked, and their values.

Tables (a perceptron and boosted trees on 14 generated columns, a perceptron and a forest on the 30 of scikit-learn's
breast cancer data), a small transformer on 16 tokens, the bundled residual network on an image of 49 and 196 patches.
"""

import itertools
import math
import time
import warnings
from pathlib import Path

import numpy

ROOT = Path(__file__).resolve().parent.parent
GAMES = ["perceptron 14", "boosting 14", "perceptron 30", "forest 30", "transformer 16", "image 49", "image 196"]
PAIRS = 400000  # of coalitions, of each of the two halves of a reference that is not exact


class Game:
    """v(S): the mean over baselines of an output of an ONNX model at x, with players outside of S at the baseline."""

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
    store(folder, "transformer 16", path.read_bytes(), words, numpy.zeros((1, 16), numpy.int64), numpy.arange(16),
          "score", 0)


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
    signed = [numpy.where(sets[:, p], weights[sizes - 1], -weights[sizes]) for p in range(n)]
    return numpy.array([(one * values).sum() for one in signed])


def regressed(game, seed):
    """The Shapley regression over pairs of coalitions of every size alike."""
    n, draws = game.players, numpy.random.default_rng(seed)
    change = (game(numpy.ones(n)) - game(numpy.zeros(n)))[0]
    normal, right = numpy.zeros((n, n)), numpy.zeros(n)
    for first in range(0, PAIRS, 4096):
        sizes = draws.integers(1, n, min(4096, PAIRS - first))
        sets = draws.random((len(sizes), n)).argsort(axis=1).argsort(axis=1) < sizes[:, None]
        signs, weights = numpy.where(sets, 1.0, -1.0), 1 / (sizes * (n - sizes))
        normal += (signs * weights[:, None]).T @ signs
        right += signs.T @ (weights * (game(sets) - game(~sets)))
    solved, along = numpy.linalg.solve(normal, numpy.stack([right, numpy.ones(n)], axis=1)).T
    return solved + along * (change - solved.sum()) / along.sum()


def made(folder):
    """The folder with all games, made if they are not there yet."""
    folder = Path(folder)
    if not (folder / "image 196.npz").exists():
        folder.mkdir(parents=True, exist_ok=True)
        warnings.simplefilter("ignore")
        for make in (tables, transformer, images):
            make(folder)
    return folder


def reference(game, folder, name):
    """The values, and their own relative squared error; exact up to 16 players, regressed beyond."""
    path = Path(folder) / f"{name} reference.npz"
    if not path.exists():
        if game.players <= 16:
            values, error = exact(game), 0.0
        else:
            halves = [regressed(game, seed) for seed in (98, 99)]
            values = sum(halves) / 2
            error = ((halves[0] - halves[1]) ** 2).sum() / 4 / (values ** 2).sum()
        numpy.savez(path, values=values, error=error)
    stored = numpy.load(path)
    return stored["values"], float(stored["error"])
