"""Metrics beside Captum at its best batch size and Quantus. Attributions are given to both.

What limits us beside Quantus: on ResNet-18 both sides spend their time in the network. Sensitivity has a gradient for
each draw, and nothing to share among draws; squares of a sixteenth of the image reach most of the network.
"""

import sys
from typing import NamedTuple

import networks
import quantus_rows
from frame import REPEATS, THREADS, Network, Row, ours, peer, timed


class Rating(NamedTuple):
    """A metric as we and a peer compute it."""

    title: str
    metric: str
    peer: str  # captum or quantus
    function: str  # the peer's side, below
    settings: tuple
    rows: int
    batches: tuple  # sizes that the peer tries; None: its default
    runs: int  # timed runs per process
    asked: float = 1.0
    network: str = "mlp"


SQUARES = ("infidelity, 1000 squares of 7x7 (ascribe: each of the 484 places once, which is the exact mean)",
           "infidelity", "captum", "infidelity_squares", ("perturbations=1000", "size=7"))
NOISE = ("infidelity, 1000 draws of Gaussian noise", "infidelity_gaussian", "captum", "infidelity_noise",
         ("perturbations=1000",))
FLIPPING = ("pixel flipping, 98 steps of 8 pixels", "deletion", "quantus", "flipping", ("steps=98",))
RATINGS = [
    Rating(*SQUARES, rows=1, batches=(None, 250, 500), runs=50),
    Rating(*SQUARES, rows=100, batches=(2000, 5000, 10000), runs=5),
    Rating(*NOISE, rows=1, batches=(None, 250, 500), runs=50, asked=2.0),
    Rating(*NOISE, rows=100, batches=(2000, 5000, 10000), runs=5, asked=2.0),
    Rating(*FLIPPING, rows=1, batches=(None,), runs=50),
    Rating(*FLIPPING, rows=100, batches=(None, 100), runs=10),
]


def rows():
    """All of the list."""
    for one in RATINGS:
        yield Row(f"{one.metric} {one.network} {one.rows}",
                  f"{one.title}, {networks.title(one.network)}, batch {one.rows}",
                  {"ascribe": ours("metrics", one.metric, Network(one.network), one.rows, REPEATS, THREADS,
                                   *one.settings),
                   one.peer: peer("metrics", one.function, path=Network(one.network), name=one.network, rows=one.rows,
                                  batches=one.batches)},
                  asked={one.peer: one.asked}, runs=one.runs)
    for index, (title, metric, settings, _) in enumerate(quantus_rows.ROWS):
        yield Row(f"{metric} resnet18 quantus", f"{title}, {networks.title('resnet18')}",
                  {"ascribe": ours("metrics", metric, Network("resnet18"), 1, REPEATS, THREADS, *settings),
                   "quantus": peer("metrics", "quantus_row", path=Network("resnet18"), name="resnet18", index=index)},
                  asked={"quantus": 5.0}, runs=1, rounds=1)


def quantus_row(path, name, index, repeats, threads):
    """One of bench/quantus_rows.py, as Quantus computes it."""
    timed([quantus_rows.ROWS[index][3](networks.module(name, threads))], repeats, 0)


def square_masks(size=7):
    """The squares that an image of 28 x 28 pixels has: [places, 784] of 0 and 1."""
    import torch

    starts = torch.arange(28 - size + 1)[:, None]
    line = ((torch.arange(28) >= starts) & (torch.arange(28) < starts + size)).float()
    return torch.einsum("ah,bw->abhw", line, line).reshape(-1, 784)


def infidelity_squares(path, name, rows, batches, repeats, threads):
    """Squares at random places are removed."""
    import torch

    masks = square_masks()

    def remove(inputs):
        taken = masks[torch.randint(len(masks), (len(inputs),))]
        return taken, inputs - inputs * taken

    captum_infidelity(name, rows, batches, repeats, threads, remove)


def infidelity_noise(path, name, rows, batches, repeats, threads):
    """Gaussian noise is subtracted."""
    import torch

    def disturb(inputs):
        noise = 0.2 * torch.randn_like(inputs)
        return noise, inputs - noise

    captum_infidelity(name, rows, batches, repeats, threads, disturb)


def captum_infidelity(name, rows, batches, repeats, threads, perturb):
    """1000 perturbations, at several batch sizes."""
    import torch
    from captum.metrics import infidelity

    model, x = networks.module(name, threads), torch.from_numpy(networks.random_rows(name, rows))
    attributions = torch.randn_like(x)

    def once(batch):
        with torch.inference_mode():
            infidelity(model, perturb, x, attributions, target=0, n_perturb_samples=1000, max_examples_per_batch=batch)

    timed({f"batch {batch or 'default'}": lambda batch=batch: once(batch) for batch in batches},
          repeats, 1)


def flipping(path, name, rows, batches, repeats, threads):
    """Pixel flipping as Quantus computes it, at several batch sizes."""
    import numpy
    from torch import nn

    sys.path.insert(0, str(networks.ROOT / "tests" / "interop"))
    from peers import import_quantus

    metric = import_quantus().PixelFlipping(features_in_step=8, perturb_baseline=0.0, return_aggregate=False,
                                            disable_warnings=True)
    model = nn.Sequential(nn.Flatten(), networks.module(name, threads)).eval()
    x, attributions = numpy.random.default_rng(7).standard_normal((2, rows, 1, 28, 28), dtype=numpy.float32)

    def once(batch):
        metric(model, x, numpy.zeros(rows, dtype=int), attributions, softmax=False, channel_first=True,
               device="cpu", batch_size=batch or 64)

    timed({f"batch {batch or 'default'}": lambda batch=batch: once(batch) for batch in batches},
          repeats, 1)
