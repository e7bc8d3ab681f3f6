"""Targets that are more than one number, beside torch and Captum: a forward function there that sums, weighs or takes
log-probabilities, a target here.

Gradients and path integrals to 1e-4 of the largest value: both compute in float, by kernels of their own.
"""
import json
import subprocess

import captum.attr
import numpy
import torch
from torch import nn
from torch.nn import functional

import engines
from exports import Recipe, export, quiet
from results import compare

TOLERANCE = 1e-4
STEPS = 24
RECIPES = {"script": Recipe("script", 17), "dynamo": Recipe("dynamo", 20)}


class UNet(nn.Module):
    """Two levels with a skip; a class per pixel."""

    def __init__(self, classes=3, width=6):
        super().__init__()
        self.first = nn.Conv2d(1, width, 3, padding=1)
        self.down = nn.Conv2d(width, 2 * width, 3, 2, 1)
        self.up = nn.ConvTranspose2d(2 * width, width, 2, 2)
        self.last = nn.Conv2d(2 * width, classes, 1)

    def forward(self, x):
        skip = torch.relu(self.first(x))
        deep = torch.relu(self.down(skip))
        return self.last(torch.cat([skip, torch.relu(self.up(deep))], 1))


class Detector(nn.Module):
    """Boxes of four numbers, objectness and classes, as YOLO heads write them before non-maximum suppression."""

    def __init__(self, classes=3, objectness=True, boxes_first=True):
        super().__init__()
        self.before = 5 if objectness else 4
        self.boxes_first = boxes_first
        self.body = nn.Sequential(nn.Conv2d(1, 8, 3, 2, 1), nn.SiLU(), nn.Conv2d(8, self.before + classes, 3, 1, 1))

    def forward(self, x):
        numbers = self.body(x).flatten(2)
        numbers = torch.cat([10 * numbers[:, :4], torch.sigmoid(numbers[:, 4:])], 1)
        return numbers.transpose(1, 2) if self.boxes_first else numbers


class Causal(nn.Module):
    """One layer of masked attention over vectors [N, T, D], and logits of a vocabulary [N, T, V]."""

    def __init__(self, length=7, width=8, tokens=11):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.mix = nn.Sequential(nn.Linear(width, 16), nn.GELU(), nn.Linear(16, width))
        self.head = nn.Linear(width, tokens)
        self.register_buffer("ahead", torch.full((length, length), -1e4).triu(1))

    def forward(self, x):
        scores = self.query(x) @ self.key(x).transpose(1, 2) / x.shape[-1] ** 0.5 + self.ahead
        x = x + torch.softmax(scores, -1) @ self.value(x)
        return self.head(x + self.mix(x))


def explained(model, rows, method, target, *options):
    """Attributions of all rows, and the JSON document."""
    given, answer = model.with_suffix(".x.npy"), model.with_suffix(".a.npz")
    numpy.save(given, rows.numpy())
    done = subprocess.run(
        [str(a) for a in (engines.ASCRIBE, "explain", model, given, "-m", method, "--target", target, "--players",
                          "elements", "--json", "--quiet", "--force", "-o", answer, *options)],
        capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return numpy.load(answer)[method].reshape(rows.shape), json.loads(done.stdout)


def output_of(document):
    """What was explained at x, of every row."""
    return [row["output"] for row in document.get("rows", [document])]


def peers(forward, rows):
    """Gradient times input and integrated gradients by Captum."""
    x = rows.clone().requires_grad_()
    yield "gradient_x_input", (), captum.attr.InputXGradient(forward).attribute(x)
    yield "integrated_gradients", ("--set", f"steps={STEPS}", "--set", "tolerance=0", "--baseline", "zero"), \
        captum.attr.IntegratedGradients(forward).attribute(x, n_steps=STEPS, method="gausslegendre")


def check_target(name, model, rows, forward, target, *options):
    """Both methods, and the explained numbers themselves."""
    documents = []
    def ours(method, settings):
        values, document = explained(model, rows, method, target, *settings, *options)
        documents.append(document)
        return values
    for method, settings, expected in peers(forward, rows):
        yield compare(f"{name} --target {target}: captum {method}", lambda: ours(method, settings),
                      expected.detach().numpy(), TOLERANCE)
    yield compare(f"{name} --target {target}: torch's value", lambda: output_of(documents[0]),
                  forward(rows).detach().numpy(), TOLERANCE)


def some_of(targets, name):
    """The files of both exporters differ in the network, not behind it: one target is enough for the second."""
    return targets if name == "script" else dict(list(targets.items())[:1])


def check_unet(name, folder, recipe):
    torch.manual_seed(3)
    net, rows = UNet().eval(), torch.randn(2, 1, 8, 12)
    model = folder / f"targets_unet_{name}.onnx"
    export(net, rows, model, recipe)
    mask, weights = torch.rand(8, 12) > 0.6, torch.randn(3, 8, 12)
    numpy.save(folder / "mask.npy", mask.numpy())
    numpy.save(folder / "weights.npy", weights.numpy())
    with torch.no_grad():
        said = net(rows)
    targets = {
        "class=2,sum": lambda x: net(x)[:, 2].sum((1, 2)),
        "class=1,mean": lambda x: net(x)[:, 1].mean((1, 2)),
        "class=2,box=3:1:7:5": lambda x: net(x)[:, 2, 1:5, 3:7].sum((1, 2)),
        f"class=0,mask={folder / 'mask.npy'}": lambda x: (net(x)[:, 0] * mask).sum((1, 2)),
        f"weights={folder / 'weights.npy'}": lambda x: (net(x) * weights).sum((1, 2, 3)),
        "2,5,11": lambda x: net(x)[:, 2, 5, 11],
    }
    for target, forward in some_of(targets, name).items():
        yield from check_target(f"unet {name}", model, rows, forward, target)
    if name != "script":
        return
    # Each row has a class and places of its own, held fixed.
    tops = said.argmax(1)
    most = [torch.bincount(row.flatten(), minlength=3).argmax() for row in tops]
    held = torch.stack([functional.one_hot(row, 3).permute(2, 0, 1) * functional.one_hot(c, 3)[:, None, None]
                        for row, c in zip(tops, most)])
    def covered(x):
        return (net(x) * held.repeat(len(x) // len(held), 1, 1, 1)).sum((1, 2, 3))
    yield compare(f"unet {name} --target top: captum's wrapper of segmentations",
                  lambda: explained(model, rows, "gradient_x_input", "top")[0],
                  captum.attr.InputXGradient(covered).attribute(rows.clone().requires_grad_()).detach().numpy(),
                  TOLERANCE)


def check_detector(name, folder, recipe):
    for objectness, boxes_first in ((True, True), (False, False)):
        torch.manual_seed(4)
        net, rows = Detector(3, objectness, boxes_first).eval(), torch.randn(2, 1, 12, 16)
        model = folder / f"targets_detector_{name}_{boxes_first}.onnx"
        export(net, rows, model, recipe)
        def scores(x):
            numbers = net(x) if boxes_first else net(x).transpose(1, 2)
            return numbers[..., 5:] * numbers[..., 4:5] if objectness else numbers[..., 4:]
        with torch.no_grad():
            second = scores(rows)[..., 2].argsort(1, descending=True)[:, 1]
        def ranked(x):
            return scores(x)[torch.arange(len(x)), second.repeat(len(x) // len(second)), 2]
        layout = "[A, 5+C]" if boxes_first else "[4+C, A]"
        yield from check_target(f"detector {layout} {name}", model, rows, ranked, "rank=1,class=2")
        yield from check_target(f"detector {layout} {name}", model, rows, lambda x: scores(x)[:, 17, 1],
                                "box=17,class=1")


def check_causal(name, folder, recipe):
    torch.manual_seed(5)
    net, rows = Causal().eval(), torch.randn(2, 7, 8)
    model = folder / f"targets_causal_{name}.onnx"
    export(net, rows, model, recipe)
    tokens = [3, 9, 0]
    with torch.no_grad():
        top = net(rows)[:, -1].argmax(-1)
    def sum_of_logs(first):
        def forward(x):
            logs = torch.log_softmax(net(x), -1)
            return sum(logs[:, first + i, token] for i, token in enumerate(tokens))
        return forward
    targets = {
        "tokens=3,9,0": sum_of_logs(4),
        "top": lambda x: net(x)[torch.arange(len(x)), -1, top.repeat(len(x) // len(top))],
        "position=-1,token=4": lambda x: net(x)[:, -1, 4],
        "5,10": lambda x: net(x)[:, 5, 10],
        "tokens=3,9,0,position=1": sum_of_logs(1),
    }
    for target, forward in some_of(targets, name).items():
        yield from check_target(f"causal {name}", model, rows, forward, target)


def check_sigmoid(name, folder, recipe):
    """A final sigmoid is stepped over, or kept."""
    torch.manual_seed(6)
    logits = nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 3)).eval()
    net, rows = nn.Sequential(logits, nn.Sigmoid()).eval(), torch.randn(3, 5)
    model = folder / f"targets_sigmoid_{name}.onnx"
    export(net, rows, model, recipe)
    yield from check_target(f"multi-label {name}", model, rows, lambda x: logits(x)[:, 1], "1")
    yield from check_target(f"multi-label {name} probability", model, rows, lambda x: net(x)[:, 1], "1", "--explain",
                            "probability")


def check_compiled(folder):
    """A readout in a file for ONNX Runtime."""
    torch.manual_seed(3)
    net, rows = UNet().eval(), torch.randn(2, 1, 8, 12)
    model, compiled = folder / "targets_compiled.onnx", folder / "targets_compiled_explanation.onnx"
    export(net, rows, model, RECIPES["script"])
    x = rows.clone().requires_grad_()
    net(x)[:, 2].sum().backward()
    def run():
        engines.command(engines.ASCRIBE, "compile", model, "--method", "gradient", "--target", "class=2,sum", "-o",
                        compiled, "--force", "--quiet")
        return engines.session(compiled).run(["attribution"], {"input": rows.numpy()})[0]
    yield compare("unet compiled --target class=2,sum: torch's gradient", run, x.grad.numpy(), TOLERANCE)


def check_targets(folder):
    """All of them, by both exporters."""
    with quiet():
        for name, recipe in RECIPES.items():
            for check in (check_unet, check_detector, check_causal, check_sigmoid):
                yield from check(name, folder, recipe)
        yield from check_compiled(folder)
