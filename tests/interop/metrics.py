"""Metrics beside Captum and Quantus: the same networks, rows, attributions and, where there are some, the same draws.

Everything is computed in double, so that agreement means the same definition. What is defined differently is described
in docs/theory/metrics.md; here the peers are told to compute the same, or what is left in common is compared.
"""
import unittest.mock
import warnings

import ascribe
import captum.attr
import captum.metrics
import numpy
import torch
from torch import nn

import peers
from exports import Recipe, export
from results import compare

quantus = peers.import_quantus()

DOUBLE = 1e-9  # sums of some hundred terms in double, squared or divided by each other
STABILISED = 1e-7  # Quantus adds 1e-7 to values (here of the order of 100) and 1e-12 to shares
ROWS, CHANNELS, SIDE = 3, 2, 6
FEATURES = CHANNELS * SIDE * SIDE
TARGETS = [2, 0, 4]


def small_cnn():
    """Two channels of 6 x 6 pixels."""
    torch.manual_seed(15)
    return nn.Sequential(nn.Conv2d(CHANNELS, 6, 3, padding=1), nn.Tanh(), nn.Conv2d(6, 8, 3, stride=2, padding=1),
                         nn.Sigmoid(), nn.Flatten(), nn.Linear(8 * 3 * 3, 5)).eval()


def small_mlp():
    """The same rows behind a dense layer."""
    torch.manual_seed(16)
    return nn.Sequential(nn.Flatten(), nn.Linear(FEATURES, 24), nn.Sigmoid(), nn.Linear(24, 5)).eval()


class InDouble(nn.Module):
    """Quantus hands over floats."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, rows):
        return self.net(rows.double())


class Subject:
    """A network with rows, a baseline and attributions that ascribe, Captum and Quantus rate."""

    def __init__(self, folder, name, net):
        self.name, self.net = f"metrics-{name}", net.double().requires_grad_(False)
        generator = torch.Generator().manual_seed(17)
        rows = torch.randn(ROWS + 1, CHANNELS, SIDE, SIDE, generator=generator)  # floats: exact for all
        self.x, self.baseline = rows[:ROWS].double(), rows[ROWS:].double() / 4
        self.targets = torch.tensor(TARGETS)
        path = folder / f"{self.name}.onnx"
        export(self.net, self.x, path, Recipe("dynamo", 18))
        self.model = ascribe.load(path)
        self.slopes = captum.attr.Saliency(self.net).attribute(self.x, target=self.targets, abs=False).detach()
        self.contributions = captum.attr.IntegratedGradients(self.net).attribute(
            self.x, self.baseline, target=self.targets).detach()

    def rate(self, metric, method, model=None, baseline=True, boxes=None, **parameters):
        """What ascribe says of the rows. `method`: names, functions, or attributions as one array."""
        rating = model or self.model
        return rating.evaluate(self.x.numpy(), method, metric, target=TARGETS, players="elements", boxes=boxes,
                               baseline=self.baseline.numpy() if baseline else "zero", metric_settings=parameters)

    def values(self, metric, method, **arguments):
        """The scores of the rows, of the first method."""
        rated = self.rate(metric, method, **arguments)
        return rated.scores(rated.methods[0], metric)

    def places_asked(self, metric, **arguments):
        """Where a metric asks for the output: [rows, draws, elements], as a function in the network's place sees it."""
        asked = []

        def net(rows):
            asked.append(rows)
            return self.net(torch.from_numpy(rows)).numpy()

        model = ascribe.function(net, inputs=self.x.shape[1:], outputs=5)
        model.predict(self.x.numpy())  # the first batch of a model is disturbed, to see whether rows are independent
        asked.clear()
        self.rate(metric, self.contributions, model, **arguments)
        return self.by_row(numpy.concatenate(asked))

    def by_row(self, places):
        """Disturbed rows, each once, by the row that each is nearest to."""
        x, places = self.x.flatten(1).numpy(), numpy.unique(places.reshape(len(places), -1), axis=0)
        apart = numpy.linalg.norm(places[:, None] - x, axis=2)
        disturbed = (apart > 0).all(1) & places.any(1) & (places != self.baseline.flatten().numpy()).any(1)
        return numpy.stack([places[disturbed & (apart.argmin(1) == row)] for row in range(len(x))])

    def quantus(self, metric, attributions, **options):
        """The scores of the rows by a metric of Quantus, which explains logits and takes values as they are."""
        model, x = InDouble(self.net).eval(), self.x.detach().float().numpy()
        return numpy.array(metric(model, x[:, :attributions.shape[1]], numpy.array(TARGETS), numpy.array(attributions),
                                  softmax=False, channel_first=True, device="cpu", **options), dtype=float)


def plain(metric, **options):
    """A metric of Quantus that takes attributions as they are, and says nothing else."""
    return metric(abs=False, normalise=False, return_aggregate=False, disable_warnings=True, **options)


# ---- infidelity ----

def squares(size):
    """Where each square lies: [places, 1, side, side] of 0 and 1."""
    places = range(SIDE - size + 1)
    masks = torch.zeros(len(places) ** 2, 1, SIDE, SIDE, dtype=torch.float64)
    for number, mask in enumerate(masks):
        top, left = divmod(number, len(places))
        mask[0, top:top + size, left:left + size] = 1
    return masks


def captum_infidelity(subject, attributions, masks, slopes, normalize):
    """Captum's infidelity when each mask is used once: contributions meet the mask, slopes what is taken away."""
    def perturb(inputs):
        taken = masks.repeat(len(subject.x), 1, 1, 1).expand_as(inputs)
        change = taken * (inputs - subject.baseline)
        return change if slopes else taken, inputs - change

    return captum.metrics.infidelity(subject.net, perturb, subject.x, attributions, target=subject.targets,
                                     n_perturb_samples=len(masks), normalize=normalize).numpy()


def check_infidelity(subject):
    """Square removal at every place: the mean over draws that never end."""
    for kind, attributions, ours in (("contributions", subject.contributions, subject.contributions),
                                     ("slopes", subject.slopes, "gradient")):
        for metric, normalize in (("infidelity", False), ("infidelity_scaled", True)):
            expected = captum_infidelity(subject, attributions, squares(3), kind == "slopes", normalize)
            yield compare(f"{subject.name} {metric} of {kind}: Captum infidelity, normalize={normalize}",
                          lambda: subject.values(metric, ours, size=3, perturbations=1000), expected, DOUBLE)


def check_quantus_infidelity(subject):
    """Quantus removes one block after the other and puts none back: a single block is what is the same."""
    metric = plain(quantus.Infidelity, perturb_patch_sizes=[SIDE], n_perturb_samples=1, perturb_baseline=0.0)
    yield compare(f"{subject.name} infidelity of slopes, one square: Quantus Infidelity",
                  lambda: subject.values("infidelity", "gradient", baseline=False, size=SIDE),
                  subject.quantus(metric, subject.slopes), DOUBLE)


# ---- complexity and localisation ----

def check_complexity(subject):
    """What is asked of the values alone."""
    sizes = 1e4 * subject.contributions.abs().numpy()  # both are blind to the scale
    for name, metric in (("sparseness", quantus.Sparseness), ("complexity", quantus.Complexity)):
        yield compare(f"{subject.name} {name}: Quantus {metric.__name__}",
                      lambda: subject.values(name, subject.contributions),
                      subject.quantus(metric(abs=True, normalise=False, disable_warnings=True), sizes), STABILISED)


def objects_in(pixels):
    """An object for each row, of which the first holds the highest pixel and the second does not."""
    masks = numpy.zeros(pixels.shape)
    for mask, (height, width) in zip(masks, ((3, 3), (3, 2), (4, 3))):
        mask[0, :height, 1:1 + width] = 1
    for mask, row, hit in zip(masks, pixels, (True, False)):
        mask.flat[row.argmax()] = hit
    return masks


def boxes_of(masks):
    """Every pixel as a box; as many for each row, those that are missing empty."""
    boxes = numpy.zeros((len(masks), int(masks.sum((1, 2, 3)).max()), 4))
    for row, mask in zip(boxes, masks):
        y, x = numpy.nonzero(mask[0])
        row[:len(x)] = numpy.stack([x, y, x + 1, y + 1], axis=1)
    return boxes


def check_localisation(subject):
    """Quantus rates one channel: the sum over the channels, of which mass accuracy takes the positive part."""
    pixels = subject.contributions.sum(1, keepdim=True).numpy()
    objects = objects_in(pixels)
    boxes = boxes_of(objects)
    for name, metric, values in (("relevance_rank_accuracy", quantus.RelevanceRankAccuracy, pixels),
                                 ("bounding_box_accuracy", quantus.RelevanceRankAccuracy, pixels),
                                 ("relevance_mass_accuracy", quantus.RelevanceMassAccuracy, pixels.clip(0)),
                                 ("pointing_game", quantus.PointingGame, pixels)):
        yield compare(f"{subject.name} {name}: Quantus {metric.__name__}",
                      lambda: subject.values(name, subject.contributions, boxes=boxes),
                      subject.quantus(plain(metric), values, s_batch=objects), DOUBLE)


# ---- faithfulness ----

def check_flipping(subject):
    """Quantus follows the output from the first step on, not from x itself."""
    step = 6
    metric = quantus.PixelFlipping(features_in_step=step, abs=False, normalise=False, perturb_baseline=0.0,
                                   return_aggregate=False, disable_warnings=True)
    expected = subject.quantus(metric, subject.contributions)
    yield compare(f"{subject.name} deletion, the curve: Quantus PixelFlipping",
                  lambda: deletion_curves(subject, steps=FEATURES // step, scale="none"), expected, DOUBLE)


def deletion_curves(subject, **parameters):
    """Of each row, without its first point."""
    rated = subject.rate("deletion", subject.contributions, baseline=False, **parameters)
    return [rated.curve(rated.methods[0], "deletion", row).mean[1:] for row in range(ROWS)]


def check_correlation(subject):
    """The same random sets: Quantus gets those that ascribe drew."""
    how = {"baseline": False, "subsets": 50, "size": 9}
    subsets, size = how["subsets"], how["size"]
    ours = subject.values("faithfulness_correlation", subject.contributions, **how)
    gone = subject.places_asked("faithfulness_correlation", **how) == 0
    drawn = iter(numpy.nonzero(gone.transpose(1, 0, 2).reshape(-1, FEATURES))[1].reshape(-1, size))  # row by row
    metric = plain(quantus.FaithfulnessCorrelation, nr_runs=subsets, subset_size=size, perturb_baseline=0.0)
    with unittest.mock.patch("numpy.random.choice", lambda *_, **__: next(drawn)):
        expected = subject.quantus(metric, subject.contributions)
    yield compare(f"{subject.name} faithfulness_correlation: Quantus FaithfulnessCorrelation", lambda: ours, expected,
                  DOUBLE)


def check_noise(subject):
    """Infidelity under Gaussian noise: the same noise."""
    how = {"perturbations": 40, "sigma": 0.3}
    ours = subject.values("infidelity_gaussian", "gradient", **how)
    places = torch.from_numpy(subject.places_asked("infidelity_gaussian", **how))
    noise = (subject.x.flatten(1)[:, None] - places).reshape(-1, *subject.x.shape[1:])
    expected = captum.metrics.infidelity(subject.net, lambda x: (noise, x - noise), subject.x, subject.slopes,
                                         target=subject.targets, n_perturb_samples=40)
    yield compare(f"{subject.name} infidelity_gaussian: Captum infidelity", lambda: ours, expected, DOUBLE)


# ---- robustness ----

def explanations(subject):
    """Methods as ascribe and Captum know them."""
    return {"gradient": lambda x, target: captum.attr.Saliency(subject.net).attribute(x, target, abs=False),
            "gradient_x_input": lambda x, target: captum.attr.InputXGradient(subject.net).attribute(x, target)}


def check_sensitivity(subject):
    """The same disturbed inputs."""
    samples, radius = 12, 0.05
    for method, explain in explanations(subject).items():
        asked = []

        def spy(_model, x, _target, _baseline):
            """A method that sees the inputs that all methods are asked about."""
            asked.append(x)
            return x

        ours = {metric: subject.values(metric, [method, spy], samples=samples, radius=radius)
                for metric in ("average_sensitivity", "max_sensitivity")}
        noise = subject.by_row(numpy.stack(asked[len(asked) // 2:])) - subject.x.flatten(1)[:, None].numpy()
        added = torch.from_numpy(noise).reshape(-1, *subject.x.shape[1:])
        with torch.enable_grad():
            expected = captum.metrics.sensitivity_max(explain, subject.x, lambda x: x + added,
                                                      n_perturb_samples=samples, target=subject.targets)
        yield compare(f"{subject.name} max_sensitivity of {method}: Captum sensitivity_max",
                      lambda: ours["max_sensitivity"], expected.detach(), DOUBLE)
        for name, metric in (("max_sensitivity", quantus.MaxSensitivity),
                             ("average_sensitivity", quantus.AvgSensitivity)):
            yield compare(f"{subject.name} {name} of {method}: Quantus {metric.__name__}", lambda: ours[name],
                          quantus_sensitivity(subject, metric, explain, noise), DOUBLE)


def quantus_sensitivity(subject, metric, explain, noise):
    """One of Quantus's two with given noise: [rows, samples, features]."""
    steps = iter(noise.transpose(1, 0, 2))

    def explained(model, inputs, targets, **_):
        rows = torch.as_tensor(inputs).double().requires_grad_()
        return explain(rows, torch.as_tensor(targets)).detach().numpy()

    made = plain(metric, nr_samples=noise.shape[1], perturb_func=lambda arr, **_: arr.astype(float) + next(steps),
                 return_nan_when_prediction_changes=False)
    return subject.quantus(made, explained(None, subject.x.numpy(), TARGETS), explain_func=explained)


# ---- axioms ----

def check_axioms(folder):
    """A network that looks at some of its inputs only, and attributions that are wrong about some of them."""
    torch.manual_seed(18)
    net = small_mlp()
    net[1].weight.data[:, ::3] = 0
    subject = Subject(folder, "deaf", net)
    wrong = subject.contributions.clone().reshape(ROWS, -1)
    wrong[0, 1:20] = 0
    wrong[1, :12] = 1
    wrong[2, 30:] = 0
    metric = quantus.NonSensitivity(eps=1e-9, abs=True, normalise=False, return_aggregate=False,
                                    perturb_baseline=0.0, disable_warnings=True)
    wrong = wrong.reshape(subject.x.shape)
    yield compare("non_sensitivity: Quantus NonSensitivity, per feature",
                  lambda: subject.values("non_sensitivity", wrong, baseline=False, tolerance=1e-9),
                  subject.quantus(metric, wrong) / FEATURES, DOUBLE)


def check_completeness(folder):
    """Quantus says whether a sum is the very number; sums of small integers are."""
    net = nn.Sequential(nn.Flatten(), nn.Linear(FEATURES, 5)).double()
    net[1].weight.data = torch.arange(5 * FEATURES, dtype=torch.float64).reshape(5, FEATURES) % 7 - 3
    net[1].bias.data.zero_()
    subject = Subject(folder, "integers", net)
    subject.x = (4 * subject.x).round()
    exact = captum.attr.InputXGradient(net).attribute(subject.x, target=subject.targets).detach()
    exact[1, 0, 0, 0] += 1
    complete = subject.quantus(plain(quantus.Completeness, perturb_baseline=0.0), exact)
    yield compare("completeness, whether there is no error: Quantus Completeness",
                  lambda: [value == 0 for value in subject.values("completeness", exact, baseline=False)], complete,
                  DOUBLE)


def check_agreement(subject):
    """Spearman's correlation of two methods."""
    names = ("gradient_x_input", "integrated_gradients")
    found = [explanations(subject)[names[0]](subject.x, subject.targets).detach().reshape(ROWS, -1),
             subject.contributions.reshape(ROWS, -1)]
    expected = quantus.correlation_spearman(found[0].numpy(), found[1].numpy(), batched=True)
    yield compare(f"{subject.name} agreement_rank: Quantus correlation_spearman",
                  lambda: subject.values("agreement_rank", list(names)), expected, DOUBLE)


def check_metrics(folder):
    """All of it."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")  # that tensors are made to require gradients
    for name, net in (("cnn", small_cnn()), ("mlp", small_mlp())):
        subject = Subject(folder, name, net)
        for check in (check_infidelity, check_quantus_infidelity, check_noise, check_complexity, check_localisation,
                      check_flipping, check_correlation, check_sensitivity, check_agreement):
            yield from check(subject)
    yield from check_axioms(folder)
    yield from check_completeness(folder)
