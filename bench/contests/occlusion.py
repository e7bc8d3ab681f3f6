"""Occlusion beside Captum at its best number of windows per evaluation.

Where Captum would take minutes it is measured on 25 of the windows (by its FeatureAblation), whose masked inputs cost
as much as any others, and its time is scaled to all of them; the row says so.

What limits us on Swin-T and ConvNeXt-T: attention, and normalisation over channels of large maps, reach every place
after a few blocks, so that there is no smaller region to compute again; what remains is the forward pass.
"""

import networks
from frame import REPEATS, THREADS, Network, Row, ours, peer, timed, tuned

CONES = ("vgg16", "resnet18", "mobilenet_v3_large")  # whose small windows are measured
SIDE = 224
TOGETHER = (1, 2, 5, 10)  # windows that Captum evaluates at once


def windows(size, stride):
    """How many there are on the large networks' images."""
    return ((SIDE - size) // stride + 1) ** 2


def rows():
    """49 windows on all; many small windows on some; every element of a small network."""
    for name in networks.EXPLAINED:
        yield row(name, 32, 32, asked=1.5, runs=1)
    for name in CONES:
        asked = 8.0 if name == "vgg16" else 4.0
        yield row(name, 16, 16, asked=asked, runs=1)
        yield row(name, 8, 4, asked=asked, runs=1)
    yield Row("occlusion mlp", f"every element, {networks.title('mlp')}",
              {"ascribe": ours("methods", "occlusion", Network("mlp"), 1, REPEATS, THREADS, 1, "elements"),
               "captum": peer("occlusion", "elements", path=Network("mlp"), name="mlp")},
              asked={"captum": 1.0}, runs=50)


def row(name, size, stride, asked, runs):
    """Windows of size x size pixels, `stride` apart."""
    number = windows(size, stride)
    part = number > 100
    return Row(f"occlusion {name} {size}/{stride}",
               f"{number:,} windows of {size}x{size}{f', {stride} apart' if stride < size else ''}, "
               f"{networks.title(name)}",
               {"ascribe": ours("methods", "occlusion_patch", Network(name), 1, REPEATS, THREADS, 1, "pixels",
                                f"size={size}", f"stride={stride}"),
                "captum": peer("occlusion", "sliding", path=Network(name), name=name, size=size,
                               stride=stride, part=part)},
               asked={"captum": asked}, runs=runs, rounds=1 if part or name == "vit_b_16" else 0,
               note=f"Captum: 25 windows, scaled to {number:,}" if part else "", busy=not part)


def sliding(path, name, size, stride, part, repeats, threads):
    """Captum's windows; `part`: 25 of them, and all that they leave as one more."""
    import torch
    from captum import attr

    model, x = networks.module(name, threads), torch.from_numpy(networks.random_rows(name, 1))
    if part:
        ablation, mask = attr.FeatureAblation(model), torch.full((1, 3, SIDE, SIDE), 25)
        for i in range(25):
            down, across = (SIDE - size) * (i // 5) // 4, (SIDE - size) * (i % 5) // 4
            mask[..., down:down + size, across:across + size] = i
        ways = {f"{together} windows per evaluation": lambda together=together: ablation.attribute(
            x, baselines=0, target=0, feature_mask=mask, perturbations_per_eval=together) for together in TOGETHER}
    else:
        occlusion = attr.Occlusion(model)
        ways = {f"{together} windows per evaluation": lambda together=together: occlusion.attribute(
            x, (3, size, size), strides=(3, stride, stride), baselines=0, target=0, perturbations_per_eval=together)
            for together in TOGETHER}
    # One evaluation more is that of the whole input.
    tuned(ways, ways, repeats, scale=(windows(size, stride) + 1) / 27 if part else 1)


def elements(path, name, repeats, threads):
    """Every element alone."""
    import torch
    from captum import attr

    model, x = networks.module(name, threads), torch.from_numpy(networks.random_rows(name, 1))
    timed({f"{batch} per evaluation": lambda batch=batch: attr.Occlusion(model).attribute(
        x, (1,) * len(networks.shape(name)), baselines=0, target=0, perturbations_per_eval=batch)
        for batch in (49, 196, 784)}, repeats, 1)
