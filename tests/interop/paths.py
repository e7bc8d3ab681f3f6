"""Gradients, path integrals, Grad-CAM and SmoothGrad beside Captum, on the same networks.

Captum's own draws are compared by standard errors, everything else to 1e-4.
"""
import ascribe
import numpy
import onnx
import torch

import engines
import nets
from exports import Recipe, export
from results import Result, compare, failure

TOLERANCE = 1e-4
STEPS = 24
DRAWS = 4000
ERRORS = 4.0  # standard errors that two random means may lie apart
SCRIPT = Recipe("script", 17)


def tabular():
    """A smooth network of few features, for comparisons of means."""
    torch.manual_seed(5)
    net = torch.nn.Sequential(torch.nn.Linear(12, 16), torch.nn.Tanh(), torch.nn.Linear(16, 3)).eval()
    return net, torch.randn(3, 12, generator=torch.Generator().manual_seed(6))


def pictures():
    """A small network of modules only."""
    torch.manual_seed(7)
    net = torch.nn.Sequential(
        torch.nn.Conv2d(2, 6, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(6, 8, 3, 2, 1), torch.nn.ReLU(),
        torch.nn.AdaptiveAvgPool2d(2), torch.nn.Flatten(), torch.nn.Linear(32, 3)).eval()
    return net, torch.randn(3, 2, 12, 8, generator=torch.Generator().manual_seed(9))


class Case:
    """A network, its file, rows with a target and two baselines for all."""

    def __init__(self, name, net, rows, folder):
        self.name, self.net, self.rows = name, net.requires_grad_(False), rows
        self.file = folder / f"paths_{name}.onnx"
        export(net, rows, self.file, SCRIPT)
        self.model = ascribe.load(self.file)
        self.targets = [1, 0, 2]
        generator = torch.Generator().manual_seed(8)
        self.baselines = 0.5 * torch.randn((2, *rows.shape[1:]), generator=generator)

    def ours(self, method, baselines=None, **settings):
        """What ascribe says of the rows."""
        return engines.explain(self.model, self.rows, method, self.targets, baselines, seed=1, **settings)

    def check(self, what, expected, method, baselines=None, **settings):
        """One method beside what Captum says."""
        return compare(f"{self.name} {method}: captum {what}", lambda: self.ours(method, baselines, **settings).values,
                       expected.detach().numpy(), TOLERANCE)

    def check_random(self, what, expected, method, exact, sampled, baselines=None):
        """Captum's random mean beside ours, in standard errors: those of as many draws by us."""
        try:
            settings, draws = exact
            values = self.ours(method, baselines, **settings).values
            errors = self.ours(method, baselines, **sampled).error_std.reshape(values.shape)
            if draws:  # ours is a random mean too
                errors = errors * numpy.sqrt(2)
            apart = numpy.abs(values - expected.detach().numpy()) / errors
            return Result(f"{self.name} {method}: captum {what}, in standard errors", float(apart.max()), ERRORS)
        except Exception as error:  # the other comparisons go on
            return failure(f"{self.name} {method}: captum {what}", error)


def check_gradients(case):
    """What needs one pass, and the integral with the same nodes."""
    from captum.attr import InputXGradient, IntegratedGradients, Saliency

    x = case.rows.clone().requires_grad_()
    yield case.check("InputXGradient", InputXGradient(case.net).attribute(x, case.targets), "gradient_x_input")
    yield case.check("Saliency", Saliency(case.net).attribute(x, case.targets, abs=False), "gradient")
    means = []
    for baseline in case.baselines:
        start = baseline[None].expand_as(x)
        means.append(IntegratedGradients(case.net).attribute(x, start, case.targets, n_steps=STEPS,
                                                             method="gausslegendre"))
    yield case.check("IntegratedGradients", means[0], "integrated_gradients", case.baselines[:1],
                     steps=STEPS)
    yield case.check("IntegratedGradients, two baselines", (means[0] + means[1]) / 2, "expected_gradients",
                     case.baselines, steps=STEPS)


def check_cam(case):
    """The last block by default, and convolutions by their names; with the normalization that is folded into them."""
    from captum.attr import LayerAttribution, LayerGradCam

    layers = [layer for layer in case.net.modules() if isinstance(layer, torch.nn.BatchNorm2d)]
    names = [node.name for node in onnx.load(str(case.file)).graph.node if node.op_type == "Conv"]
    block = [module for module in case.net.modules() if isinstance(module, nets.Residual)][-1]
    for settings, layer in (({}, block), ({"layer": names[-1]}, layers[-1]), ({"layer": names[1]}, layers[1])):
        for rectified in (True, False):
            coarse = LayerGradCam(case.net, layer).attribute(case.rows.clone().requires_grad_(), case.targets,
                                                             relu_attributions=rectified)
            fine = LayerAttribution.interpolate(coarse, tuple(case.rows.shape[-2:]), "bilinear")
            expected = (fine / case.rows.shape[1]).expand_as(case.rows)
            yield case.check(f"LayerGradCam {settings.get('layer', '')}", expected, "grad_cam", relu=rectified, **settings)


def check_guided(case):
    """Guided Grad-CAM where all rectifiers are modules, which Captum needs."""
    from captum.attr import GuidedGradCam

    expected = GuidedGradCam(case.net, case.net[3]).attribute(case.rows.clone().requires_grad_(), case.targets,
                                                              interpolate_mode="bilinear")
    yield case.check("GuidedGradCam", expected, "guided_grad_cam")


def check_means(case):
    """GradientShap draws a baseline and a point of its path, NoiseTunnel noise."""
    from captum.attr import GradientShap, NoiseTunnel, Saliency

    torch.manual_seed(11)
    x = case.rows.clone().requires_grad_()
    expected = GradientShap(case.net).attribute(x, case.baselines, n_samples=DRAWS, stdevs=0.0, target=case.targets)
    sampled = {"samples": DRAWS, "alpha": "random"}
    yield case.check_random("GradientShap", expected, "expected_gradients", ({"steps": STEPS}, False), sampled,
                            case.baselines)
    yield case.check_random("GradientShap, alpha=random", expected, "expected_gradients", (sampled, True), sampled,
                            case.baselines)
    sampled = {"samples": DRAWS, "noise": 0.3}
    for kind, method in (("smoothgrad", "smooth_grad"), ("smoothgrad_sq", "smooth_grad_squared")):
        smooth = []
        for row, target in zip(x, case.targets):
            sigma = 0.3 * float(row.detach().max() - row.detach().min())
            smooth.append(NoiseTunnel(Saliency(case.net)).attribute(
                row[None], nt_type=kind, nt_samples=DRAWS, stdevs=sigma, target=target, abs=False))
        yield case.check_random(f"NoiseTunnel {kind}", torch.cat(smooth), method, (sampled, True), sampled)


def check_paths(folder):
    """All of it."""
    torch.set_num_threads(1)
    case = Case("tabular", *tabular(), folder)
    yield from check_gradients(case)
    yield from check_means(case)
    yield from check_guided(Case("pictures", *pictures(), folder))
    for name in ("resnet", "vit"):
        case = Case(name, *nets.make(name, torch.float32), folder)
        yield from check_gradients(case)
        if name == "resnet":
            yield from check_cam(case)
