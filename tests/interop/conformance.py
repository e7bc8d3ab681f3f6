"""The conformance suite of docs/conformance on Captum, SHAP and Zennit: adapters, and what is known to differ."""
import json
import os
import pathlib
import subprocess
import sys
import warnings

import captum.attr
import numpy
import onnx
import torch
from captum.attr._utils.lrp_rules import EpsilonRule
from onnx import numpy_helper
from torch import nn

import peers
from results import Result, failure

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SUITE = ROOT / "docs" / "conformance"
sys.path.insert(0, str(SUITE))

import check  # noqa: E402  of the suite

zennit = peers.import_zennit()

SMALL = 1e-12
STEPS = 20000  # of an integral that is cut evenly, kinks or not
STEP_ERROR = 2e-3  # what that may leave of it
FLOAT_ERROR = 1e-5
WEIGHTS = (nn.Linear, nn.Conv2d)

# Where libraries mean something else; all others must agree.
KNOWN = {
    ("SHAP", "deep_shap"): "SHAP's DeepExplainer takes linear layers and activations apart (our granularity=component)",
    ("Captum", "deep_shap"): "DeepLiftShap is Rescale, averaged over baselines (our granularity=component)",
}


class Polynomial(nn.Module):
    """The polynomial of the suite, as its ONNX file has it."""

    def forward(self, x):
        """Rows to one number."""
        a, b, c = x[:, 0:1], x[:, 1:2], x[:, 2:3]
        return 1 + 2 * a - b + c * c / 2 + 3 * a * b - 2 * a * b * c + b * b * c


def network(document):
    """The model of a case in PyTorch, in double, with the weights of its file."""
    if document["case"] == "polynomial":
        return Polynomial()
    graph = onnx.load(SUITE / document["model"]).graph
    weights = {one.name: torch.tensor(numpy_helper.to_array(one)).double() for one in graph.initializer}
    made = []
    for node in graph.node:
        if node.op_type == "Gemm":
            w, b = (weights[name] for name in node.input[1:3])
            made.append(filled(nn.Linear(*w.shape), w.T, b))
        elif node.op_type == "Conv":
            w, b = (weights[name] for name in node.input[1:3])
            made.append(filled(nn.Conv2d(w.shape[1], w.shape[0], w.shape[2], padding=1), w, b))
        else:
            made.append({"Relu": nn.ReLU, "Sigmoid": nn.Sigmoid, "AveragePool": lambda: nn.AvgPool2d(2),
                         "Flatten": nn.Flatten}[node.op_type]())
    return nn.Sequential(*made).double().eval()


def filled(layer, weight, bias):
    """A layer with these numbers."""
    layer = layer.double()
    with torch.no_grad():
        layer.weight.copy_(weight)
        layer.bias.copy_(bias)
    return layer


class Case:
    """One document as tensors."""

    def __init__(self, document):
        self.name, self.document, self.target = document["case"], document, document["target"]
        self.net = network(document)
        row = document["row"]
        self.x, self.baseline, self.background = (
            torch.tensor(document[key], dtype=torch.float64).reshape(-1, *row)
            for key in ("input", "baseline", "background"))
        self.owner = torch.tensor(document["owner"]).reshape(1, *row)
        self.layered = isinstance(self.net, nn.Sequential)
        self.relus = any(isinstance(layer, nn.ReLU) for layer in self.net.modules())

    def sums(self, elements):
        """Of the elements of every player."""
        flat, owner = elements.detach().reshape(-1), self.owner.reshape(-1)
        return [float(flat[owner == p].sum()) for p in range(int(owner.max()) + 1)]

    def means(self, elements):
        """Likewise, for methods that give every element the value of its group."""
        flat, owner = elements.detach().reshape(-1), self.owner.reshape(-1)
        return [float(flat[owner == p].mean()) for p in range(int(owner.max()) + 1)]


# ---- adapters: method -> values ----

def by_captum(case):
    """Captum."""
    attr, net, x, target = captum.attr, case.net, case.x, case.target
    found = {"gradient_x_input": case.sums(attr.InputXGradient(net).attribute(x.clone(), target=target))}
    grouped = {"baselines": case.baseline, "target": target, "feature_mask": case.owner}
    found["occlusion"] = case.means(attr.FeatureAblation(net).attribute(x, **grouped))
    found["shapley"] = {"values": case.means(attr.ShapleyValues(net).attribute(x, **grouped)),
                        "error": FLOAT_ERROR}  # it adds up in float
    integrals = attr.IntegratedGradients(net)
    smooth = {"method": "gausslegendre", "n_steps": 50}
    fine = {"method": "riemann_middle", "n_steps": STEPS, "internal_batch_size": 4096}
    how = fine if case.relus else smooth
    found["integrated_gradients"] = {
        "values": case.sums(integrals.attribute(x, baselines=case.baseline, target=target, **how)),
        "error": STEP_ERROR if case.relus else 0}
    shape = (1, 2, 2) if len(case.document["row"]) == 3 else (2,)
    found["occlusion_patch"] = case.means(attr.Occlusion(net).attribute(
        x, sliding_window_shapes=shape, strides=shape, baselines=case.baseline, target=target))
    if case.layered:
        found["deeplift_rescale"] = case.sums(attr.DeepLift(net).attribute(x, case.baseline, target=target))
        pair = torch.cat([case.baseline, case.baseline])  # it wants more than one
        found["deep_shap"] = case.sums(attr.DeepLiftShap(net).attribute(x, pair, target=target))
    if case.layered and case.relus:
        for layer in net:
            if not isinstance(layer, nn.ReLU):
                layer.rule = EpsilonRule(1e-9 if isinstance(layer, WEIGHTS) else SMALL)
        found["lrp_epsilon"] = case.sums(attr.LRP(net).attribute(x, target=target))
    if len(case.document["row"]) == 3:
        map_ = attr.LayerGradCam(net, net[1]).attribute(x, target=target, relu_attributions=True)
        found["grad_cam"] = case.sums(map_)
    return found


def by_shap(case):
    """SHAP."""
    import shap

    found = {}
    flat = case.x.reshape(1, -1)
    if len(case.document["row"]) == 1:  # its players are the numbers of a row
        explainer = shap.explainers.Exact(lambda rows: case.net(torch.tensor(rows))[:, case.target].detach().numpy(),
                                          shap.maskers.Independent(case.baseline.numpy()))
        found["shapley"] = explainer(flat.numpy()).values[0].tolist()
    if case.layered:
        values = shap.DeepExplainer(case.net, case.baseline).shap_values(case.x, check_additivity=False)
        found["deeplift_rescale"] = found["deep_shap"] = case.sums(torch.as_tensor(values)[..., case.target])
    return found


def by_zennit(case):
    """Zennit."""
    if not case.layered:
        return {}
    rules = zennit.rules
    between = zennit.composites.LayerMapComposite([(nn.AvgPool2d, rules.Norm(SMALL)),
                                                   ((nn.ReLU, nn.Sigmoid), rules.Pass())])
    wanted = {"lrp_epsilon": rules.Epsilon(1e-9),
              "lrp_alpha_beta": rules.AlphaBeta(2, 1, stabilizer=SMALL, zero_params="bias"),
              "deep_taylor": rules.ZPlus(SMALL, zero_params="bias")}
    found = {}
    for method, rule in wanted.items():
        layers = zennit.composites.LayerMapComposite([(WEIGHTS, rule)])
        with zennit.composites.MixedComposite([layers, between]).context(case.net) as net:
            x = case.x.clone().requires_grad_()
            y = net(x)
            seed = torch.zeros_like(y)
            seed[:, case.target] = y.detach()[:, case.target]
            found[method] = case.sums(torch.autograd.grad(y, x, seed)[0])
    return found


LIBRARIES = {"Captum": by_captum, "SHAP": by_shap, "Zennit": by_zennit}


def check_library(library, adapter):
    """One comparison for each case and method that the library offers."""
    results = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, document in check.cases().items():
            results[name] = adapter(Case(document))
    rows = check.check(results)
    print(f"{library} and the conformance suite\n\n{check.table(rows)}\n")
    for method, case, verdict, difference in rows:
        if difference is None or (library, method) in KNOWN:
            continue
        answer = results[case][method]
        tolerance = max(check.TOLERANCE, answer.get("error", 0) if isinstance(answer, dict) else 0)
        yield Result(f"conformance suite, {case}: {method}: {library}", difference, tolerance)


def up_to_date(_folder):
    """What the program says now, beside the files and the textbook."""
    script = ROOT / "tools" / "make_conformance.py"
    done = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True, cwd=ROOT,
                          env={**os.environ}, check=False)
    if done.returncode:
        raise RuntimeError((done.stdout + done.stderr).strip().replace("\n", "; ")[:280])
    return done.stdout


def check_conformance(folder):
    """All comparisons."""
    try:
        up_to_date(folder)
        yield Result("conformance suite: files, program and textbook", 0.0, 1e-9)
    except RuntimeError as error:
        yield failure("conformance suite: files, program and textbook", error)
    worst = max(error for _, error in check.identities())
    yield Result("conformance suite: its own identities", worst, 1e-8)
    for library, adapter in LIBRARIES.items():
        yield from check_library(library, adapter)
