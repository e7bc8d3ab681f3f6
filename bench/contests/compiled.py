"""Compiled explanations in ONNX Runtime: their time beside the passes that the method needs at least, their size.

A backward pass counts as what it multiplies: the time of a forward pass, by the ratio of their operations. The graph of
the gradient alone stands beside it.
"""

import subprocess

import networks
from frame import ROOT, Network, Row, clocked, peer, said

MODELS = ("resnet18", "mobilenet_v2")
# The usual methods: forward and backward passes that they need at least, and settings.
USUAL = {"gradient_x_input": (1, 1), "integrated_gradients": (8, 8), "lrp_epsilon": (1, 1), "lrp_alpha_beta": (2, 1),
         "deeplift_rescale": (2, 1), "grad_cam": (1, 0)}
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


def graph(path, name, method, forward, backward, players, repeats, threads):
    """As a user of the file runs it."""
    import os

    from contests.forward import session

    file = written(path, name, method, players)
    running, x = session(file, threads), networks.random_rows(name, 1)
    running.run(None, {running.get_inputs()[0].name: x})
    seconds = [clocked(lambda: running.run(None, {running.get_inputs()[0].name: x})) for _ in range(repeats)]
    said(seconds, f"{os.path.getsize(file) / 1e6:.1f} MB, the model {os.path.getsize(path) / 1e6:.1f} MB")


def passes(path, name, method, forward, backward, players, repeats, threads):
    """The model's own graph with as many rows as there are passes that do not wait for each other."""
    from contests.forward import session

    rows = max(forward, 1) if method not in ("lrp_alpha_beta", "deeplift_rescale") else 1
    share = (networks.gflop(name, backward=True) - networks.gflop(name)) / networks.gflop(name)
    running, x = session(path, threads), networks.random_rows(name, rows)
    running.run(None, {"input": x})
    scale = forward / rows + backward / rows * share
    seconds = [scale * clocked(lambda: running.run(None, {"input": x})) for _ in range(repeats)]
    said(seconds, f"a backward pass counts as {share:.2f} forward passes")
