"""Zennit and Quantus, without the torchvision that they want to be there."""
import contextlib
import sys
import types


@contextlib.contextmanager
def without_torchvision():
    """Only the names of some of its classes, for which Zennit looks."""
    wanted = {"torchvision": [], "torchvision.models": [], "torchvision.models.vgg": ["VGG"],
              "torchvision.models.resnet": ["BasicBlock", "Bottleneck", "ResNet"]}
    missing = [name for name in wanted if name not in sys.modules]
    for name in missing:
        sys.modules[name] = types.ModuleType(name)
        for member in wanted[name]:
            setattr(sys.modules[name], member, type(member, (), {}))
    try:
        yield
    finally:
        for name in missing:
            del sys.modules[name]


def import_zennit():
    """Zennit with what the comparisons use of it."""
    with without_torchvision():
        import zennit.composites
        import zennit.layer
        import zennit.rules
    return zennit


def import_quantus():
    """Quantus, which imports Zennit."""
    with without_torchvision():
        import quantus
    return quantus
