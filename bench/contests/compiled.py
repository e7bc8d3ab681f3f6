"""Compiled explanations in ONNX Runtime: their time beside the passes that the method needs at least, their size.

A forward pass is the model's own graph. A backward pass is what the compiled gradient takes more than that, with as
many rows; of the gradient itself, it counts as what it multiplies: as many forward passes as it has times their
operations.

What limits us: ONNX Runtime joins an activation to its convolution only where nobody else reads what lies between, and
keeps its blocked layout only from convolution to convolution. Gradients read the result of every activation, LRP
and DeepLIFT every value before and after, and so all of them leave that layout at every layer of MobileNetV2, whose
layers are thin.
"""

import statistics
import subprocess

import networks
from frame import ENOUGH, ROOT, Network, Row, peer, said, several

MODELS = ("resnet18", "mobilenet_v2")
# The usual methods: forward and backward passes that they need at least.
USUAL = {"gradient": (1, 1), "gradient_x_input": (1, 1), "integrated_gradients": (8, 8), "lrp_epsilon": (1, 1),
         "lrp_alpha_beta": (2, 1), "deeplift_rescale": (2, 1), "grad_cam": (1, 0)}
SETTINGS = {"integrated_gradients": ("steps=8",), "lrp_alpha_beta": ("alpha=1", "beta=0"), "shapley": ("samples=2",)}


def rows():
    """Each usual method on two networks; grids for those that mask."""
    for name in MODELS:
        for method, passes in USUAL.items():
            yield row(name, method, *passes, "")
        yield row(name, "occlusion", 50, 0, "grid:7x7")
        yield row(name, "shapley", 2 * 48 + 2, 0, "grid:7x7")


def row(name, method, forward, backward, players):
    """The compiled graph is ours, the passes stand for the peer."""
    said_settings = f" ({', '.join(SETTINGS[method])})" if method in SETTINGS else ""
    arguments = {"path": Network(name), "name": name, "method": method, "forward": forward, "backward": backward,
                 "players": players}
    return Row(f"compiled {method} {name}",
               f"{method}{said_settings}, {networks.title(name)}: {forward} forward"
               f"{f' and {backward} backward' if backward else ''} passes",
               {"compiled": peer("compiled", "graph", **arguments),
                "passes": peer("compiled", "passes", **arguments)},
               asked={"passes": round(1 / 1.3, 2)}, runs=5, rounds=2, busy=False)


def written(path, name, method, players):
    """The compiled file."""
    folder = networks.FOLDER / "compiled"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}-{method}.onnx"
    command = [ROOT / "build" / "ascribe", "compile", path, "--method", method, "--target", "0", "-o", file, "--force",
               "--quiet", *(["--players", players] if players else [])]
    for setting in SETTINGS.get(method, ()):
        command += ["--set", setting]
    subprocess.run(command, check=True, capture_output=True)
    return file


def runs(file, name, rows, repeats, threads):
    """Seconds of the file's runs. The session ends with them: two would disturb each other, as their threads spin."""
    from contests.forward import session

    running, x = session(file, threads), networks.random_rows(name, rows)
    feed = {running.get_inputs()[0].name: x}
    for _ in range(2):
        running.run(None, feed)
    return several(lambda: running.run(None, feed), repeats, ENOUGH)


def graph(path, name, method, forward, backward, players, repeats, threads):
    """As a user of the file runs it."""
    import os

    file = written(path, name, method, players)
    said(runs(file, name, 1, repeats, threads),
         f"{os.path.getsize(file) / 1e6:.1f} MB, the model {os.path.getsize(path) / 1e6:.1f} MB")


def passes(path, name, method, forward, backward, players, repeats, threads):
    """Passes that do not wait for each other run as rows of one batch."""
    rows = 1 if method in ("lrp_alpha_beta", "deeplift_rescale") else forward
    once = statistics.median(runs(path, name, rows, repeats, threads))
    share = (networks.gflop(name, backward=True) - networks.gflop(name)) / networks.gflop(name)
    back, way = share * once, f"a backward pass counts as {share:.2f} forward passes"
    if backward and method != "gradient":
        both = runs(written(path, name, "gradient", ""), name, rows, repeats, threads)
        back, way = statistics.median(both) - once, ""
    said([(forward * once + backward * max(back, 0)) / rows], way if backward else "")
