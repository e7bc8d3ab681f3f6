"""One logit's gradient with respect to the input, batch 1, beside PyTorch; and the Hessian of a small network.

PyTorch has no gradients of weights to compute; where it has several ways to the same result the fastest counts.
"""

import networks
from frame import REPEATS, THREADS, Network, Row, ours, peer, timed


def rows():
    """The large networks, then a small one's latency and its Hessian."""
    for name in (*networks.EXPLAINED, "mlp"):
        yield Row(f"gradient {name}", networks.title(name),
                  {"ascribe": ours("gradient", "gradient", Network(name), 1, REPEATS, THREADS),
                   "torch": peer("gradient", "torch_gradient", path=Network(name), name=name)},
                  asked={"torch": 1.5 if name in networks.LARGE else 1.0}, runs=8 if name in networks.LARGE else 1000,
                  work=lambda name=name: networks.gflop(name, backward=True))
    yield Row("hessian mlp", f"Hessian, 784x784, {networks.title('mlp')}",
              {"ascribe": ours("gradient", "hessian", Network("mlp"), 1, REPEATS, THREADS),
               "torch": peer("gradient", "torch_hessian", path=Network("mlp"), name="mlp")},
              asked={"torch": 1.0}, runs=50)


def torch_gradient(path, name, repeats, threads):
    """autograd.grad or backward."""
    import torch

    model, x = networks.module(name, threads), torch.from_numpy(networks.random_rows(name, 1)).requires_grad_()
    seed = torch.zeros_like(model(x))
    seed[:, 0] = 1

    def backward():
        x.grad = None
        model(x).backward(seed)

    timed({"autograd.grad": lambda: torch.autograd.grad(model(x), x, seed), "backward": backward}, repeats)


def torch_hessian(path, name, repeats, threads):
    """Of the ways that PyTorch has."""
    import torch

    model, x = networks.module(name, threads), torch.from_numpy(networks.random_rows(name, 1))[0]

    def logit(point):
        return model(point)[0]

    of = torch.autograd.functional.hessian
    timed({"vectorize": lambda: of(logit, x, vectorize=True),
           "forward mode": lambda: of(logit, x, vectorize=True, outer_jacobian_strategy="forward-mode"),
           "torch.func": lambda: torch.func.hessian(logit)(x)}, repeats)
