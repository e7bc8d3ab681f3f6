"""Attribution methods beside Captum at its best batch size.

Captum's batch size is chosen on a part of the work where all of it would take long. DeepLIFT and LRP are measured where
Captum can do them: on VGG-16.

What limits us on Swin-T and ConvNeXt-T: two thirds of the time are matrix products near the peak, which both sides
run at the same speed once Captum has rows to fill them with. The rest is layer normalisation, GELU and the moves of
shifted windows, whose gradients read and write whole values. Of ViT-B/16, the last block is computed for the one token
that is read, which PyTorch does for all.
"""

from typing import NamedTuple

import networks
from frame import REPEATS, THREADS, Network, Row, ours, peer, timed, tuned


class Contest(NamedTuple):
    """A method as we and Captum run it."""

    title: str
    method: str
    network: str
    captum: str  # the function below that is Captum's side
    settings: tuple = ()
    rows: int = 1
    baselines: int = 1
    players: str = "pixels"
    batches: tuple = (None,)  # sizes that Captum tries; None: its default
    runs: int = 5
    rounds: int = 0
    asked: float = 1.0
    busy: bool = True
    note: str = ""


IG = ("integrated gradients, 50 nodes", "integrated_gradients")
SHAPLEY = ("Shapley values, 49 patches, 25 permutations (ascribe: 26)", "shapley")
CONTESTS = [
    *(Contest(*IG, name, "integrated_gradients", ("steps=50",), batches=(2, 5, 10), runs=1, rounds=1, asked=1.5,
              busy=name in ("resnet18", "mobilenet_v3_large")) for name in networks.EXPLAINED),
    Contest(*IG, "mlp", "small_integrated_gradients", ("steps=50",), batches=(None, 50), runs=100),
    Contest(*IG, "mlp", "small_integrated_gradients", ("steps=50",), rows=100, batches=(100, 250, 500, 1000, None),
            runs=20),
    Contest(*SHAPLEY, "mlp", "shapley_patches", ("samples=26",), players="patch:4", batches=(7, 49, 98), runs=20),
    Contest(*SHAPLEY, "cnn", "shapley_patches", ("samples=26",), players="patch:4", batches=(7, 49, 98), runs=20),
    Contest("DeepLIFT rescale", "deeplift_rescale", "vgg16", "deeplift", runs=3),
    Contest("LRP-epsilon", "lrp_epsilon", "vgg16", "lrp", runs=3),
    Contest("Deep SHAP, 20 baselines", "deep_shap", "vgg16", "deep_shap", ("granularity=component",), baselines=20,
            runs=1, rounds=1, busy=False, note="Captum takes more than ten GiB"),
]


def rows():
    """All of the list."""
    for one in CONTESTS:
        yield contest(one)


def contest(one, ours_command=None):
    """A Contest as a row."""
    settings = "".join(f" {setting}" for setting in one.settings if setting != "steps=50")
    work = None
    if one.method in ("integrated_gradients", "gradient_x_input", "lrp_epsilon") and one.network in networks.LARGE:
        nodes = 50 if one.method == "integrated_gradients" else 1
        work = lambda: nodes * one.rows * networks.gflop(one.network, backward=True)  # noqa: E731
    return Row(f"{one.method} {one.network} {one.rows}{settings}",
               f"{one.title}, {networks.title(one.network)}, batch {one.rows}",
               {"ascribe": ours("methods", one.method, Network(one.network), one.rows, REPEATS, THREADS,
                                one.baselines, one.players, *one.settings),
                "captum": peer("methods", one.captum, path=Network(one.network), name=one.network, rows=one.rows,
                               batches=one.batches, baselines=one.baselines)},
               asked={"captum": one.asked}, runs=one.runs, rounds=one.rounds, work=work, note=one.note, busy=one.busy)


def prepared(name, rows, threads):
    """The module, its rows and zeros."""
    import torch

    model, x = networks.module(name, threads), torch.from_numpy(networks.random_rows(name, rows))
    return model, x, torch.zeros_like(x)


def called(batch):
    """How a batch size is named."""
    return f"batch {batch or 'default'}"


def integrated_gradients(path, name, rows, batches, baselines, repeats, threads):
    """The batch size is chosen with 10 nodes."""
    from captum import attr

    model, x, zero = prepared(name, rows, threads)
    ig = attr.IntegratedGradients(model)
    ways = [{called(batch): lambda batch=batch, steps=steps: ig.attribute(x, zero, 0, n_steps=steps,
                                                                          internal_batch_size=batch)
             for batch in batches} for steps in (10, 50)]
    tuned(*ways, repeats)


def small_integrated_gradients(path, name, rows, batches, baselines, repeats, threads):
    """All batch sizes are measured in full."""
    from captum import attr

    model, x, zero = prepared(name, rows, threads)
    timed({called(batch): lambda batch=batch: attr.IntegratedGradients(model).attribute(
        x, zero, 0, n_steps=50, internal_batch_size=batch) for batch in batches}, repeats)


def gradient_x_input(path, name, rows, batches, baselines, repeats, threads):
    """One way."""
    from captum import attr

    model, x, _ = prepared(name, rows, threads)
    timed([lambda: attr.InputXGradient(model).attribute(x.requires_grad_(), 0)], repeats)


def patches(shape, size=4):
    """The number of the patch of size x size pixels that each element of a 28 x 28 image lies in."""
    import torch

    row = torch.arange(28) // size
    return (row[:, None] * (28 // size) + row).reshape(1, *shape)


def shapley_patches(path, name, rows, batches, baselines, repeats, threads):
    """25 permutations of 49 patches."""
    from captum import attr

    model, x, zero = prepared(name, rows, threads)
    mask = patches(networks.shape(name))
    timed({called(batch): lambda batch=batch: attr.ShapleyValueSampling(model).attribute(
        x, zero, 0, feature_mask=mask, n_samples=25, perturbations_per_eval=batch) for batch in batches}, repeats, 1)


def deeplift(path, name, rows, batches, baselines, repeats, threads):
    """One way."""
    from captum import attr

    model, x, zero = prepared(name, rows, threads)
    timed([lambda: attr.DeepLift(model).attribute(x, zero, 0)], repeats, 1)


def lrp(path, name, rows, batches, baselines, repeats, threads):
    """Told what to do with layers that it does not know."""
    from captum import attr
    from captum.attr._utils.lrp_rules import EpsilonRule
    from torch import nn

    model, x, _ = prepared(name, rows, threads)
    for layer in model.modules():
        if isinstance(layer, (nn.Flatten, nn.Identity)):
            layer.rule = EpsilonRule()
    timed([lambda: attr.LRP(model).attribute(x, 0)], repeats, 1)


def deep_shap(path, name, rows, batches, baselines, repeats, threads):
    """One run, cold, as it takes long."""
    import torch
    from captum import attr

    model, x, _ = prepared(name, rows, threads)
    background = torch.randn(baselines, *networks.shape(name))
    timed([lambda: attr.DeepLiftShap(model).attribute(x, background, 0)], repeats, 0)
