"""The networks that are measured, and their files: generated weights, exported once into build/bench.

Small ones are made here. Large ones are torchvision's at 224x224 pixels, with random weights and batch norms that have
seen random images, so that values keep a sane size; "resnet18@128" is the same at 128x128. Batches may have any size.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = Path(os.environ.get("ASCRIBE_BENCH_FOLDER", ROOT / "build" / "bench"))
LARGE = ("vgg16", "resnet18", "resnet50", "mobilenet_v3_large", "efficientnet_b0", "vit_b_16", "swin_t",
         "convnext_tiny")
# Those whose explanations are measured.
EXPLAINED = ("vit_b_16", "swin_t", "convnext_tiny", "resnet18", "mobilenet_v3_large", "efficientnet_b0", "vgg16")
TITLES = {"vgg16": "VGG-16", "resnet18": "ResNet-18", "resnet50": "ResNet-50", "mobilenet_v2": "MobileNetV2",
          "mobilenet_v3_large": "MobileNetV3-L", "efficientnet_b0": "EfficientNet-B0", "vit_b_16": "ViT-B/16",
          "swin_t": "Swin-T", "convnext_tiny": "ConvNeXt-T", "mlp": "MLP 784-128-64-10", "mlp16": "MLP 16-64-1",
          "cnn": "CNN 28x28"}


def title(name):
    """What a reader calls the network."""
    base, at, size = name.partition("@")
    return TITLES.get(base, base) + (f" at {size}x{size}" if at else "")


def mlp(widths, activation, seed):
    """Dense layers with an activation between them."""
    import torch
    from torch import nn

    torch.manual_seed(seed)
    layers = []
    for i, (before, after) in enumerate(zip(widths, widths[1:])):
        layers += [activation()] if i else []
        layers.append(nn.Linear(before, after))
    return nn.Sequential(*layers)


def cnn():
    """Two convolutions of 3x3 on a picture of 28x28, with sigmoids."""
    import torch
    from torch import nn

    torch.manual_seed(28)
    return nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.Sigmoid(), nn.Conv2d(16, 32, 3, 2, 1), nn.Sigmoid(),
                         nn.Flatten(), nn.Linear(6272, 10))


def torchvision_network(name, side):
    """With batch norms that have seen random images."""
    import torch

    sys.path.insert(0, str(ROOT / "tests" / "interop"))
    from peers import import_torchvision

    torch.manual_seed(0)
    network = getattr(import_torchvision().models, name)(weights=None)
    norms = [layer for layer in network.modules() if isinstance(layer, torch.nn.BatchNorm2d)]
    for norm in norms:
        norm.momentum = None  # the mean of what was seen
    if norms:
        with torch.no_grad():
            network.train()(torch.randn(16, 3, side, side))
    for layer in network.modules():
        if getattr(layer, "inplace", False):
            layer.inplace = False  # Captum's hooks need the values that went in
    return network


def shape(name):
    """The shape of a row."""
    base, _, size = name.partition("@")
    if base == "mlp":
        return (784,)
    if base.startswith("players"):
        return (int(base.removeprefix("players")),)
    return {"mlp16": (16,), "cnn": (1, 28, 28)}.get(base, (3, int(size or 224), int(size or 224)))


def made(name):
    """The network, ready to be asked."""
    from torch import nn

    base = name.partition("@")[0]
    if base == "mlp":
        network = mlp((784, 128, 64, 10), nn.Sigmoid, 784)
    elif base == "mlp16":
        network = mlp((16, 64, 1), nn.ReLU, 16)
    elif base.startswith("players"):
        network = mlp((*shape(name), 64, 1), nn.ReLU, 16)
    elif base == "cnn":
        network = cnn()
    else:
        network = torchvision_network(base, shape(name)[-1])
    return network.eval().requires_grad_(False)


def module(name, threads):
    """The PyTorch module; the large ones as the export kept them."""
    import torch

    torch.set_num_threads(threads)
    kept = FOLDER / f"{name}.pt"
    if not kept.exists():
        return made(name)
    sys.path.insert(0, str(ROOT / "tests" / "interop"))
    from peers import import_torchvision

    import_torchvision()
    return torch.load(kept, weights_only=False, mmap=True)


def export(name):
    """Writes the file, the module and what a row costs; in a process of its own, to keep the others small."""
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    FOLDER.mkdir(parents=True, exist_ok=True)
    network, x = made(name), torch.zeros(1, *shape(name))
    if name.partition("@")[0] in TITLES and len(shape(name)) == 3 and shape(name)[0] == 3:
        torch.save(network, FOLDER / f"{name}.pt")
    with FlopCounterMode(display=False) as forward:
        y = network(x.requires_grad_())
    with FlopCounterMode(display=False) as backward:
        y[0, 0].backward()
    cost = {"forward": forward.get_total_flops() / 1e9, "gradient": backward.get_total_flops() / 1e9}
    (FOLDER / f"{name}.json").write_text(json.dumps(cost))
    part = FOLDER / f"{name}.part"
    torch.backends.mha.set_fastpath_enabled(False)  # which has no ONNX operator
    torch.onnx.export(network, (x.detach(),), part, dynamo=False, opset_version=17, input_names=["input"],
                      output_names=["logits"], dynamic_axes={"input": {0: "batch"}, "logits": {0: "batch"}})
    part.rename(FOLDER / f"{name}.onnx")


def exported(name):
    """The network's file, written if it is not there."""
    path = FOLDER / f"{name}.onnx"
    if not path.exists():
        done = subprocess.run([sys.executable, __file__, name], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{name} could not be exported: {done.stderr.strip().splitlines()[-1:]}")
    return str(path)


def gflop(name, backward=False):
    """Thousand millions of multiplications and additions of a row's forward pass, or of forward and backward."""
    exported(name)
    cost = json.loads((FOLDER / f"{name}.json").read_text())
    return cost["forward"] + (cost["gradient"] if backward else 0)


def random_rows(name, rows):
    """Rows for the network, always the same."""
    import numpy

    return numpy.random.default_rng(7).standard_normal((rows, *shape(name)), dtype=numpy.float32)


if __name__ == "__main__":
    export(sys.argv[1])
