"""Zennit, Quantus and torchvision, without what they import and the comparisons do not need."""
import contextlib
import sys
import types

# Of torchvision Zennit only wants the names of some classes to look for. Quantus turns pictures with cv2, which asks
# for a display's libraries.
STAND_INS = {"torchvision": [], "torchvision.models": [], "torchvision.models.vgg": ["VGG"],
             "torchvision.models.resnet": ["BasicBlock", "Bottleneck", "ResNet"], "cv2": []}


@contextlib.contextmanager
def stand_ins():
    """Empty modules and classes in their place, while others are imported."""
    missing = [name for name in STAND_INS if name not in sys.modules]
    for name in missing:
        sys.modules[name] = types.ModuleType(name)
        for member in STAND_INS[name]:
            setattr(sys.modules[name], member, type(member, (), {}))
    try:
        yield
    finally:
        for name in missing:
            del sys.modules[name]


def import_torchvision():
    """Torchvision's networks; its wheels are often built for another torch, whose operators then lack these names."""
    import torch

    for name in ("nms", "qnms"):
        if "torchvision" not in sys.modules and not hasattr(torch.ops.torchvision, name):
            torch.library.define(f"torchvision::{name}", "(Tensor dets, Tensor scores, float threshold) -> Tensor")
    import torchvision

    return torchvision


def import_zennit():
    """Zennit with what the comparisons use of it."""
    with stand_ins():
        import zennit.composites
        import zennit.layer
        import zennit.rules
    return zennit


def import_quantus():
    """Quantus, which imports Zennit."""
    with stand_ins():
        import quantus
    return quantus
