"""From a file to its first prediction, in a new process: time and peak memory, beside ONNX Runtime.

What limits us: of ConvNeXt-T and ViT-B/16, weights are packed for the processor while the file's own stay, so that
gradients and other graphs can be made later; ONNX Runtime lets go of them. `keep_graph = false` does, too.
"""

import networks
from frame import THREADS, Network, Row, clocked, ours, peer

LOADED = ("vit_b_16", "vgg16", "resnet18", "efficientnet_b0", "convnext_tiny")


def rows():
    """The file is in the system's cache for both. The peak of ONNX Runtime is that of its session, without Python's."""
    for name in LOADED:
        yield Row(f"loading {name}", f"file to first prediction, {networks.title(name)}",
                  {"ascribe": ours("loading", Network(name), 1, THREADS),
                   "onnxruntime": peer("loading", "onnxruntime", path=Network(name), name=name)},
                  asked={"onnxruntime": round(1 / 1.2, 2)}, runs=1, memory={"onnxruntime": 1.0})


def onnxruntime(path, name, repeats, threads):
    """Session and run. Python and the library's own code are there before the clock starts."""
    import json
    import resource

    import onnxruntime  # noqa: F401
    from contests.forward import session

    x = networks.random_rows(name, 1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    seconds = clocked(lambda: session(path, threads).run(None, {"input": x}))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": [seconds], "peak_mib": peak,
                      "way": f"{before:.0f} MiB of the peak are Python and the library before the session"}))
