"""Back-propagation methods beside Captum, Zennit and SHAP on small networks.

Differences that are known, and why, are in docs/theory/relevance.md; here the peers are told to compute the same.
"""
import sys
import types
import warnings

import numpy
import torch
from captum.attr import LRP, DeepLift, DeepLiftShap, GuidedBackprop
from captum.attr._utils.lrp_rules import EpsilonRule
from torch import nn

import engines
from exports import Recipe, export
from results import compare


def import_zennit():
    """Zennit without torchvision, of which it only wants the names of some classes to look for."""
    wanted = {"torchvision": [], "torchvision.models": [], "torchvision.models.vgg": ["VGG"],
              "torchvision.models.resnet": ["BasicBlock", "Bottleneck", "ResNet"]}
    missing = [name for name in wanted if name not in sys.modules]
    for name in missing:
        sys.modules[name] = types.ModuleType(name)
        for member in wanted[name]:
            setattr(sys.modules[name], member, type(member, (), {}))
    try:
        import zennit.composites
        import zennit.rules
    finally:
        for name in missing:
            del sys.modules[name]
    return zennit


zennit = import_zennit()

TOLERANCE = 1e-4
WEIGHTS = [nn.Linear, nn.Conv2d]


class Addition(nn.Module):
    """A sum as a module of its own, which Captum's and Zennit's hooks need."""

    def forward(self, one, other):
        """The sum."""
        return one + other


class Residual(nn.Module):
    """Two convolutions beside a direct path."""

    def __init__(self):
        super().__init__()
        self.stem, self.first, self.second = nn.Conv2d(1, 4, 3, padding=1), nn.Conv2d(4, 4, 3, padding=1), nn.Conv2d(
            4, 4, 3, padding=1)
        self.relus = nn.ModuleList(nn.ReLU() for _ in range(3))
        self.add, self.pool, self.head = Addition(), nn.AdaptiveAvgPool2d(1), nn.Linear(4, 3)

    def forward(self, x):
        """Images to three numbers."""
        x = self.relus[0](self.stem(x))
        x = self.relus[2](self.add(self.second(self.relus[1](self.first(x))), x))
        return self.head(self.pool(x).flatten(1))


def mlp(activation=nn.ReLU):
    """Dense layers."""
    return nn.Sequential(nn.Flatten(), nn.Linear(64, 20), activation(), nn.Linear(20, 12), activation(),
                         nn.Linear(12, 3))


def cnn(activation=nn.ReLU):
    """Convolutions with overlapping maximum and mean pooling."""
    return nn.Sequential(nn.Conv2d(1, 6, 3, padding=1), activation(), nn.MaxPool2d(3, 2), nn.Conv2d(6, 8, 3),
                         activation(), nn.AvgPool2d(1), nn.Flatten(), nn.Linear(8, 3))


NETWORKS = {"mlp": mlp, "cnn": cnn, "residual": Residual}
SMOOTH = {"sigmoid mlp": lambda: mlp(nn.Sigmoid), "tanh cnn": lambda: cnn(nn.Tanh), "softplus mlp":
          lambda: mlp(nn.Softplus)}


class Case:
    """A network, its file, rows, baselines and targets."""

    def __init__(self, folder, name, make):
        torch.manual_seed(5)
        self.name, self.net = name, make().eval()
        self.folder = folder / ("relevance-" + name.replace(" ", "-"))
        self.folder.mkdir()
        self.rows = torch.randn(3, 1, 8, 8)
        self.baselines = 0.5 * torch.randn(4, 1, 8, 8)
        self.targets = torch.tensor([1, 0, 2])
        self.model = self.folder / "net.onnx"
        export(self.net, self.rows, self.model, Recipe("dynamo", 18))

    def ascribe(self, method, baselines=None, **parameters):
        """The attribution by ascribe."""
        rows, answer, references = (self.folder / name for name in ("rows.npy", "answer.npy", "baselines.npy"))
        numpy.save(rows, self.rows.numpy())
        arguments = [self.model, rows, answer, method, "--target", ",".join(str(t) for t in self.targets.tolist())]
        if baselines is not None:
            numpy.save(references, baselines.numpy())
            arguments += ["--baseline", references]
        for key, value in parameters.items():
            arguments += ["--set", f"{key}={value}"]
        engines.command(engines.tool("ascribe_attribute"), *arguments)
        return numpy.load(answer).reshape(self.rows.shape)

    def check(self, peer, expected, method, baselines=None, **parameters):
        """One comparison."""
        said = " ".join(f"{key}={value}" for key, value in parameters.items())
        return compare(f"{self.name}: {method} {said}: {peer}".replace(" :", ":"),
                       lambda: self.ascribe(method, baselines, **parameters), expected.detach().numpy(), TOLERANCE)


def captum(attribution, case, **arguments):
    """A method of Captum, row by row: some of its methods mix rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.cat([attribution.attribute(case.rows[i:i + 1], target=int(case.targets[i]), **arguments)
                          for i in range(len(case.rows))])


def captum_lrp(case, epsilon):
    """Captum's LRP; its rules are attributes of the modules, which all but activations must have."""
    for layer in case.net.modules():
        if not list(layer.children()) and not isinstance(layer, nn.ReLU):
            layer.rule = EpsilonRule(epsilon if type(layer) in WEIGHTS else 1e-12)
    return captum(LRP(case.net), case)


def zennit_relevance(case, rules, norm=1e-12):
    """Relevance by Zennit from f(x): `rules` for layers with weights, sums and means by contribution."""
    kinds = [(Addition, zennit.rules.Norm(norm)), (nn.AvgPool2d, zennit.rules.Norm(norm)),
             (nn.AdaptiveAvgPool2d, zennit.rules.Norm(norm)),
             ((nn.ReLU, nn.Sigmoid, nn.Tanh, nn.Softplus), zennit.rules.Pass())] + rules
    with zennit.composites.LayerMapComposite(kinds).context(case.net) as net:
        rows = case.rows.clone().requires_grad_()
        outputs = net(rows)
        seed = torch.zeros_like(outputs).scatter_(1, case.targets[:, None], 1)
        return torch.autograd.grad(outputs, rows, outputs.detach() * seed)[0]


def first_and_rest(case, first, rest):
    """A rule for the layer that sees the input, another for the others."""
    layers = [layer for layer in case.net.modules() if type(layer) in WEIGHTS]
    with zennit.composites.NameMapComposite([([name], first() if layer is layers[0] else rest()) for name, layer in
                                             case.net.named_modules() if type(layer) in WEIGHTS] +
                                            [([name], zennit.rules.Norm(1e-12)) for name, layer in
                                             case.net.named_modules() if isinstance(layer, (
                                                 Addition, nn.AvgPool2d, nn.AdaptiveAvgPool2d))] +
                                            [([name], zennit.rules.Pass()) for name, layer in
                                             case.net.named_modules() if isinstance(layer, nn.ReLU)]
                                            ).context(case.net) as net:
        rows = case.rows.clone().requires_grad_()
        outputs = net(rows)
        seed = torch.zeros_like(outputs).scatter_(1, case.targets[:, None], 1)
        return torch.autograd.grad(outputs, rows, outputs.detach() * seed)[0]


def check_lrp(case):
    """LRP on ReLU networks."""
    small = 1e-12
    weights = tuple(WEIGHTS)
    if case.name != "residual":  # Captum's LRP hands on what only one reader of a shared value got
        yield case.check("captum", captum_lrp(case, 1e-4), "lrp_epsilon", epsilon=1e-4)
    for epsilon in (1e-6, 0.1):
        expected = zennit_relevance(case, [(weights, zennit.rules.Epsilon(epsilon))])
        yield case.check("zennit", expected, "lrp_epsilon", epsilon=epsilon)
    for alpha in (2, 1):
        rule = zennit.rules.AlphaBeta(alpha=alpha, beta=alpha - 1, stabilizer=small, zero_params="bias")
        yield case.check("zennit", zennit_relevance(case, [(weights, rule)]), "lrp_alpha_beta", alpha=alpha,
                         beta=1 - alpha)
    rules = {"z_plus": zennit.rules.ZPlus(small, zero_params="bias"), "flat": zennit.rules.Flat(small),
             "w_square": zennit.rules.WSquare(small, zero_params="bias"), "gamma(gamma=0.25)":
             zennit.rules.Gamma(0.25, small), "z_box(low=-4,high=4)": zennit.rules.ZBox(-4.0, 4.0, small)}
    for text, rule in rules.items():
        expected = zennit_relevance(case, [(weights, rule)])
        yield case.check("zennit", expected, "lrp_epsilon", rules=f"any:{text}")
    plus = lambda: zennit.rules.ZPlus(small, zero_params="bias")
    yield case.check("zennit", first_and_rest(case, lambda: zennit.rules.ZBox(-4.0, 4.0, small), plus), "deep_taylor",
                     input="z_box", low=-4, high=4)
    yield case.check("zennit", first_and_rest(case, lambda: zennit.rules.WSquare(small, zero_params="bias"), plus),
                     "deep_taylor", input="w_square")


def check_deeplift(case):
    """DeepLIFT and Deep SHAP with one baseline and with several."""
    one = case.baselines[:1]
    yield case.check("captum", captum(DeepLift(case.net), case, baselines=one), "deeplift_rescale", one)
    yield case.check("captum", captum(DeepLiftShap(case.net), case, baselines=case.baselines), "deep_shap",
                     case.baselines, granularity="component")
    if "softplus" not in case.name:
        yield case.check("shap", by_shap(case), "deep_shap", case.baselines, granularity="component")


def by_shap(case):
    """SHAP's DeepExplainer."""
    import shap
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = shap.DeepExplainer(case.net, case.baselines).shap_values(case.rows, check_additivity=False)
    values = torch.as_tensor(numpy.asarray(values))
    return torch.stack([values[i, ..., int(case.targets[i])] for i in range(len(case.rows))])


def check_relevance(folder):
    """All comparisons."""
    for name, make in NETWORKS.items():
        case = Case(folder, name, make)
        yield from check_lrp(case)
        yield from check_deeplift(case)
        yield case.check("captum", captum(GuidedBackprop(case.net), case), "guided_backprop")
    for name, make in SMOOTH.items():
        yield from check_deeplift(Case(folder, name, make))
