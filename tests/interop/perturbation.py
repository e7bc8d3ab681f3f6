"""Occlusion, feature ablation, Shapley values and regressions beside Captum and shap, on the same networks."""
import ascribe
import numpy
import torch
from torch import nn

import engines
from exports import Recipe, export
from results import Result, compare

TOLERANCE = 1e-4  # float, of the largest value
DOUBLE = 1e-9
STANDARD_ERRORS = 4
TARGET = 2


def small_cnn():
    """Two channels of 8 x 8 pixels."""
    torch.manual_seed(5)
    return nn.Sequential(nn.Conv2d(2, 6, 3, padding=1), nn.ReLU(), nn.Conv2d(6, 8, 3, stride=2, padding=1),
                         nn.Sigmoid(), nn.Flatten(), nn.Linear(8 * 4 * 4, 5)).eval()


def small_mlp():
    """The same rows behind a dense layer, so that masks act behind it."""
    torch.manual_seed(6)
    return nn.Sequential(nn.Flatten(), nn.Linear(128, 24), nn.Sigmoid(), nn.Linear(24, 5)).eval()


def image_rows():
    """A row and a baseline."""
    generator = torch.Generator().manual_seed(7)
    return torch.randn(1, 2, 8, 8, generator=generator), 0.3 * torch.randn(1, 2, 8, 8, generator=generator)


class Ours:
    """A network that ascribe explains, in the precision of its file."""

    def __init__(self, folder, name, net, x, baseline):
        path = folder / f"perturbation-{name}.onnx"
        export(net, x, path, Recipe("dynamo", 18))
        self.model, self.x, self.baseline = ascribe.load(path), x, baseline

    def ask(self, method, players="pixels", **settings):
        """What a method says of the row."""
        return engines.explain(self.model, self.x, method, TARGET, self.baseline, players, **settings)

    def elements(self, method, **arguments):
        """The values of the elements."""
        return self.ask(method, **arguments).values

    def estimates(self, method, **settings):
        """Values of patches, and their standard errors."""
        found = self.ask(method, players="patch:2", **settings)[0]
        return found.player_values, found.error_std


def patch_mask(size, side=8):
    """Who owns which pixel: squares, numbered row by row."""
    cells = torch.arange(side) // size
    return (cells[:, None] * ((side + size - 1) // size) + cells[None, :]).expand(1, 1, side, side)


def within(name, ours, errors, theirs, their_errors=0.0):
    """Whether two estimates agree within standard errors; the figure is the largest distance in such units."""
    units = numpy.sqrt(numpy.square(errors) + numpy.square(their_errors))
    return Result(name, float(numpy.max(numpy.abs(ours - theirs) / units)), STANDARD_ERRORS)


def check_captum(ours, label, net, x, baseline):
    """What Captum computes without chance."""
    from captum.attr import FeatureAblation, Occlusion, ShapleyValues

    for size, stride in ((1, 1), (3, 3), (3, 2), (4, 4)):
        expected = Occlusion(net).attribute(x, (2, size, size), (2, stride, stride), baseline, target=TARGET)
        yield compare(f"{label} occlusion {size} x {size} every {stride}: Captum Occlusion",
                      lambda: ours.elements("occlusion_patch", size=size, stride=stride),
                      expected.detach().numpy(), TOLERANCE)
    mask = patch_mask(2)
    expected = FeatureAblation(net).attribute(x, baseline, target=TARGET, feature_mask=mask)
    for method in ("feature_ablation", "occlusion"):
        yield compare(f"{label} {method}: Captum FeatureAblation",
                      lambda: ours.elements(method, players="patch:2"), expected.detach().numpy(), TOLERANCE)
    expected = ShapleyValues(net).attribute(x, baseline, target=TARGET, feature_mask=patch_mask(4),
                                            perturbations_per_eval=8)
    for method in ("shapley", "kernel_shap"):
        yield compare(f"{label} {method}, all coalitions: Captum ShapleyValues",
                      lambda: ours.elements(method, players="patch:4"), expected.detach().numpy(), TOLERANCE)


def captum_samples(make, repeats, mask):
    """Mean and standard error over repeated estimates of the values of the players."""
    first = [numpy.flatnonzero(mask.flatten().numpy() == p)[0] for p in range(int(mask.max()) + 1)]
    samples = []
    for seed in range(repeats):
        torch.manual_seed(seed)
        samples.append(make().detach().numpy()[0, 0].flatten()[first])
    samples = numpy.array(samples)
    return samples.mean(0), samples.std(0, ddof=1) / numpy.sqrt(repeats)


def check_sampled(ours, label, net, x, baseline):
    """What both draw: within standard errors."""
    from captum.attr import KernelShap, Lime, ShapleyValueSampling
    from captum._utils.models.linear_model import SkLearnRidge

    mask = patch_mask(2)
    arguments = {"baselines": baseline, "target": TARGET, "feature_mask": mask}
    theirs = captum_samples(lambda: ShapleyValueSampling(net).attribute(
        x, n_samples=20, perturbations_per_eval=16, **arguments), 8, mask)
    yield within(f"{label} shapley, sampled: Captum ShapleyValueSampling", *ours.estimates("shapley", samples=200),
                 *theirs)
    theirs = captum_samples(lambda: KernelShap(net).attribute(
        x, n_samples=400, perturbations_per_eval=100, **arguments), 8, mask)
    yield within(f"{label} kernel_shap, sampled: Captum KernelShap", *ours.estimates("kernel_shap", samples=2000),
                 *theirs)

    def nearness(_original, _perturbed, coalition, **_):
        return torch.exp(-0.5 * ((1 - coalition.float().mean().sqrt()) / 0.25) ** 2)

    samples = 3000  # scikit-learn's penalty counts rows: ours is relative to the sum of the weights
    explainer = Lime(net, interpretable_model=SkLearnRidge(alpha=1e-3), similarity_func=nearness)
    torch.manual_seed(1)
    theirs = explainer.attribute(x, n_samples=samples, perturbations_per_eval=100, **arguments).detach().numpy()[0, 0]
    first = [numpy.flatnonzero(mask.flatten().numpy() == p)[0] for p in range(16)]
    values, errors = ours.estimates("lime", samples=samples, ridge=0)
    yield within(f"{label} lime, sampled: Captum Lime", values, errors, theirs.flatten()[first], errors)


def check_shap(folder):
    """Exact Shapley values of a table in double, with a background of several rows."""
    import shap

    torch.manual_seed(8)
    net = nn.Sequential(nn.Linear(9, 16), nn.Tanh(), nn.Linear(16, 3)).double()
    rows = torch.randn(6, 9, dtype=torch.float64, generator=torch.Generator().manual_seed(9))
    x, background = rows[:1], rows[1:]

    def output(inputs):
        with torch.inference_mode():
            return net(torch.from_numpy(numpy.ascontiguousarray(inputs)))[:, TARGET].numpy()

    expected = shap.explainers.ExactExplainer(output, shap.maskers.Independent(background.numpy()))(
        x.numpy(), silent=True).values[0]
    ours = Ours(folder, "table", net, x, background)
    for method in ("shapley", "kernel_shap"):
        yield compare(f"{method} with 5 background rows, double: shap ExactExplainer",
                      lambda: ours.elements(method, players="elements")[0], expected, DOUBLE)


def check_perturbation(folder):
    """All of it."""
    torch.set_num_threads(1)
    x, baseline = image_rows()
    for label, net in (("cnn", small_cnn()), ("mlp", small_mlp())):
        ours = Ours(folder, label, net, x, baseline)
        yield from check_captum(ours, label, net, x, baseline)
        yield from check_sampled(ours, label, net, x, baseline)
    yield from check_shap(folder)
