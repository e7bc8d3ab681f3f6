"""Back-propagation methods beside Captum, Zennit and SHAP on small networks.

Differences that are known, and why, are in docs/theory/relevance.md; here the peers are told to compute the same.
"""
import warnings

import ascribe
import numpy
import torch
from captum.attr import LRP, DeepLift, DeepLiftShap, GuidedBackprop
from captum.attr._utils.lrp_rules import EpsilonRule
from torch import nn

import engines
import peers
from exports import Recipe, export
from results import compare

zennit = peers.import_zennit()

TOLERANCE = 1e-4
SMALL = 1e-12  # where a peer wants a stabiliser and the rule has none
WEIGHTS = (nn.Linear, nn.Conv2d)


class Addition(nn.Module):
    """A sum as a module of its own; `stacked` in the form that Zennit's hooks need."""

    def __init__(self):
        super().__init__()
        self.stacked = None

    def forward(self, one, other):
        """The sum."""
        return one + other if self.stacked is None else self.stacked(torch.stack([one, other], -1))


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
    """Convolutions with maximum and mean pooling."""
    return nn.Sequential(nn.Conv2d(1, 6, 3, padding=1), activation(), nn.MaxPool2d(2), nn.Conv2d(6, 8, 3, padding=1),
                         activation(), nn.AvgPool2d(2), nn.Flatten(), nn.Linear(32, 3))


NETWORKS = {"mlp": mlp, "cnn": cnn, "residual": Residual}
SMOOTH = {"sigmoid mlp": lambda: mlp(nn.Sigmoid), "tanh cnn": lambda: cnn(nn.Tanh), "softplus mlp":
          lambda: mlp(nn.Softplus)}


class Case:
    """A network, its file, rows, baselines and targets."""

    def __init__(self, folder, name, make):
        torch.manual_seed(5)
        self.name, self.net = name, make().eval()
        self.rows = torch.randn(3, 1, 8, 8)
        self.baselines = 0.5 * torch.randn(4, 1, 8, 8)
        self.targets = torch.tensor([1, 0, 2])
        path = folder / f"relevance-{name.replace(' ', '-')}.onnx"
        export(self.net, self.rows, path, Recipe("dynamo", 18))
        self.model = ascribe.load(path)
        for layer in self.net.modules():
            if isinstance(layer, Addition):
                layer.stacked = zennit.layer.Sum()

    def ascribe(self, method, baselines=None, **parameters):
        """The attribution by ascribe."""
        return engines.explain(self.model, self.rows, method, self.targets.tolist(), baselines, **parameters).values

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
    """Captum's LRP; its rules are attributes of the modules, which all but activations must have, and used up."""
    found = []
    for row, target in zip(case.rows, case.targets):
        for layer in case.net.modules():
            if not list(layer.children()) and not isinstance(layer, nn.ReLU):
                layer.rule = EpsilonRule(epsilon if isinstance(layer, WEIGHTS) else SMALL)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found.append(LRP(case.net).attribute(row[None], target=int(target)))
    return torch.cat(found)


MEANS = (nn.AvgPool2d, nn.AdaptiveAvgPool2d)


def zennit_relevance(case, rules, flat_means=False):
    """Relevance by Zennit from f(x): `rules` for layers with weights, sums by contribution. Means alike, or without a
    rule, which leaves them their gradient and splits equally."""
    between = [((zennit.layer.Sum, *(() if flat_means else MEANS)), zennit.rules.Norm(SMALL)),
               (nn.ReLU, zennit.rules.Pass())]
    with zennit.composites.MixedComposite(
            [rules, zennit.composites.LayerMapComposite(between)]).context(case.net) as net:
        rows = case.rows.clone().requires_grad_()
        outputs = net(rows)
        seed = torch.zeros_like(outputs).scatter_(1, case.targets[:, None], 1)
        return torch.autograd.grad(outputs, rows, outputs.detach() * seed)[0]


def everywhere(rule):
    """The rule for all layers with weights."""
    return zennit.composites.LayerMapComposite([(WEIGHTS, rule)])


def first_and_rest(case, first, rest):
    """A rule for the layer that sees the input, another for the others."""
    names = [name for name, layer in case.net.named_modules() if isinstance(layer, WEIGHTS)]
    return zennit.composites.NameMapComposite([(names[:1], first), (names[1:], rest)])


def check_lrp(case):
    """LRP on ReLU networks."""
    rules = zennit.rules
    if case.name != "residual":  # Captum's LRP refuses or miscounts a value that is read twice
        yield case.check("captum", captum_lrp(case, 1e-4), "lrp_epsilon", epsilon=1e-4)
    for epsilon in (1e-6, 0.1):
        expected = zennit_relevance(case, everywhere(rules.Epsilon(epsilon)))
        yield case.check("zennit", expected, "lrp_epsilon", epsilon=epsilon)
    for alpha in (2, 1):
        rule = rules.AlphaBeta(alpha=alpha, beta=alpha - 1, stabilizer=SMALL, zero_params="bias")
        yield case.check("zennit", zennit_relevance(case, everywhere(rule)), "lrp_alpha_beta", alpha=alpha,
                         beta=1 - alpha)
    plus, square = rules.ZPlus(SMALL, zero_params="bias"), rules.WSquare(SMALL, zero_params="bias")
    box = rules.ZBox(-4.0, 4.0, SMALL)
    for text, rule in {"z_plus": plus, "flat": rules.Flat(SMALL), "w_square": square, "gamma(gamma=0.25)":
                       rules.Gamma(0.25, SMALL), "z_box(low=-4,high=4)": box}.items():
        yield case.check("zennit", zennit_relevance(case, everywhere(rule)), "lrp_epsilon", rules=f"any:{text}")
    expected = zennit_relevance(case, first_and_rest(case, box, plus))
    yield case.check("zennit", expected, "deep_taylor", input="z_box", low=-4, high=4)
    expected = zennit_relevance(case, first_and_rest(case, square, plus))
    yield case.check("zennit", expected, "deep_taylor", input="w_square")
    expected = zennit_relevance(case, first_and_rest(case, square, plus), flat_means=True)
    yield case.check("zennit", expected, "deep_taylor", input="w_square", rules="pool:flat")


def check_deeplift(case):
    """DeepLIFT and Deep SHAP with one baseline and with several."""
    one = case.baselines[:1]
    if "cnn" not in case.name:  # Captum's rule for max-pooling behind another layer is not complete
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
