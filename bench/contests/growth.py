"""How cost grows with players, pixels and batch: ascribe alone, one sweep after the other."""

import networks
from frame import REPEATS, THREADS, Network, Row, ours


def rows():
    """Each value of a sweep is a row."""
    for players in (8, 12, 16, 20):
        yield one(f"exact Shapley values, MLP with 64 hidden units: players {players}", ("players", players), 10,
                  ours("games", "shapley", Network(f"players{players}"), REPEATS, THREADS))
    for players in (16, 20, 24):
        yield one(f"dividends of a table: players {players}", ("players", players), 5,
                  ours("games", "moebius", players, REPEATS, THREADS))
    for grid in (7, 14, 28):
        yield one(f"sampled Shapley values (10 permutations), ResNet-18: players {grid * grid}",
                  ("players", grid * grid), 1,
                  ours("methods", "shapley", Network("resnet18"), 1, REPEATS, THREADS, 1, f"patch:{224 // grid}",
                       "samples=10"))
    for side in (64, 128, 224, 320):
        network = Network("resnet18" if side == 224 else f"resnet18@{side}")
        for title, method, runs, settings in (
                ("gradient x input", "gradient_x_input", 5, ()),
                ("integrated gradients (50 nodes)", "integrated_gradients", 1, ("steps=50",)),
                ("occlusion (windows a fourteenth of a side)", "occlusion_patch", 1, ())):
            yield one(f"{title}, ResNet-18: pixels {side}x{side}", ("pixels", side * side), runs,
                      ours("methods", method, network, 1, REPEATS, THREADS, 1, "pixels", *settings))
    for batch in (1, 2, 4, 8, 16, 32):
        yield one(f"forward, ResNet-18: batch {batch}", ("batch", batch), 5,
                  ours("forward", Network("resnet18"), batch, REPEATS, THREADS))
        yield one(f"integrated gradients (50 nodes), {networks.title('mlp')}: batch {batch}", ("batch", batch), 20,
                  ours("methods", "integrated_gradients", Network("mlp"), batch, REPEATS, THREADS, 1, "pixels",
                       "steps=50"))


def one(name, sweep, runs, command):
    """The title is what stands before the colon."""
    return Row(f"growth {name}", name.partition(":")[0], {"ascribe": command}, runs=runs, rounds=1, sweep=sweep,
               busy=False)
