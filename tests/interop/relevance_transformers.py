"""AttnLRP and CP-LRP beside LXT's rules, on small transformers that are exported to ONNX.

LXT is told to compute the same; what differs and why is in docs/theory/relevance.md. Its efficient rules change the
gradient, so that gradient times input is the relevance: they have no stabiliser. Its explicit ones are the formulas.
"""
import functools

import ascribe
import torch
from torch import nn
from torch.nn import functional

import engines
import peers
from exports import Recipe, export
from results import compare
from small_transformers import Plain, RmsNorm, Transformer, tanh_gelu

changed, patches, explicit = peers.import_lxt()

TOLERANCE = 1e-4
SMALL = 1e-12  # a stabiliser that is nothing beside the numbers, in double
SIZES = (6, 16, 2, 24)  # tokens, width, heads, hidden numbers of the MLP


class Efficient(Plain):
    """AttnLRP by LXT's changes of the gradient."""

    act = staticmethod(changed.identity_rule_implicit)
    product = staticmethod(lambda a, b: changed.divide_gradient(a * b, 2))
    matmul = staticmethod(lambda a, b: changed.divide_gradient(torch.matmul(a, b), 2))

    @staticmethod
    def norm(layer, x):
        """With the deviation held."""
        return (patches.layer_norm_forward if isinstance(layer, nn.LayerNorm) else patches.rms_norm_forward)(layer, x)


class Held(Efficient):
    """CP-LRP likewise: the product with weights that are held passes all to the values."""

    weights = staticmethod(changed.stop_gradient)

    @staticmethod
    def matmul(a, b):
        """Halved only if both factors depend on the input."""
        product = torch.matmul(a, b)
        return changed.divide_gradient(product, 2) if a.requires_grad and b.requires_grad else product


class Explicit(Plain):
    """AttnLRP by LXT's formulas; every function hands back relevance in the place of gradients."""

    matmul = staticmethod(lambda a, b: explicit.matmul(a, b, False, SMALL))
    softmax = staticmethod(lambda x: explicit.softmax(x, -1))
    product = staticmethod(explicit.mul2)
    add = staticmethod(lambda a, b: explicit.add2(a, b, False, SMALL))
    mean = staticmethod(lambda x: explicit.mean(x, 1, False, SMALL))
    scaled = staticmethod(explicit.mul2)  # a constant factor passes relevance on unchanged
    masked = staticmethod(lambda scores, mask: Open.apply(scores, mask))

    class Identity(torch.autograd.Function):
        """R unchanged."""

        @staticmethod
        def forward(ctx, x, function):
            """The activation."""
            return function(x)

        @staticmethod
        def backward(ctx, relevance):
            """R."""
            return relevance, None

    @staticmethod
    def act(function, x):
        """The identity rule."""
        return Explicit.Identity.apply(x, function)

    @staticmethod
    def linear(layer, x):
        """The epsilon rule."""
        return explicit.linear_epsilon(x, layer.weight, layer.bias, SMALL)

    @staticmethod
    def norm(layer, x):
        """With the deviation held; the identity for the norm without a mean."""
        if isinstance(layer, nn.LayerNorm):
            return explicit.layer_norm_grad_fn.apply(x, layer.weight, layer.bias, layer.eps, SMALL)
        return explicit.rms_norm_identity(x, layer.weight, layer.variance_epsilon)


class Open(torch.autograd.Function):
    """A mask: relevance of what it leaves open passes unchanged."""

    @staticmethod
    def forward(ctx, scores, mask):
        """The sum."""
        return scores + mask

    @staticmethod
    def backward(ctx, relevance):
        """R."""
        return relevance, None


NETWORKS = {
    "encoder, gelu": (Transformer, Recipe("dynamo", 18)),
    "encoder, norms after, tanh gelu": (functools.partial(Transformer, act=tanh_gelu, after=True),
                                        Recipe("script", 13)),
    "decoder, rms norm, gated silu": (functools.partial(Transformer, norm=RmsNorm, gated=True, act=functional.silu,
                                                        causal=True), Recipe("dynamo", 18)),
    "decoder, gelu": (functools.partial(Transformer, causal=True), Recipe("script", 17)),
}


def by_lxt(net, rules, rows, targets):
    """Relevance of the embeddings: gradient times input, or what the formulas hand back."""
    net.rules = rules
    x = rows.clone().requires_grad_()
    chosen = net(x).gather(1, targets[:, None])
    gradient = torch.autograd.grad(chosen, x, chosen.detach() if rules is Explicit else torch.ones_like(chosen))[0]
    net.rules = Plain
    return (gradient if rules is Explicit else gradient * rows).detach().numpy()


def check_relevance_transformers(folder):
    """All comparisons, in double."""
    for name, (make, recipe) in NETWORKS.items():
        torch.manual_seed(3)
        net = make(SIZES).eval()
        for layer in net.modules():
            if isinstance(layer, nn.LayerNorm):
                nn.init.normal_(layer.weight, 1, 0.2)
                nn.init.normal_(layer.bias, 0, 0.2)
        path = folder / f"relevance-{name.replace(', ', '-').replace(' ', '-')}.onnx"
        rows, targets = torch.randn(3, *SIZES[:2]), torch.tensor([1, 0, 2])
        export(net, rows, path, recipe)
        model = ascribe.load(path, precision="float64")
        net, rows = net.double(), rows.double()

        def ours(rules):
            return engines.explain(model, rows, "lrp_epsilon", targets.tolist(), rules=rules, epsilon=SMALL).values

        for rules, said, peer in ((Efficient, "attn", "lxt, changed gradients"), (Explicit, "attn", "lxt, formulas"),
                                  (Held, "cp", "lxt, changed gradients")):
            yield compare(f"{name}: lrp_epsilon rules={said}: {peer}", functools.partial(ours, said),
                          by_lxt(net, rules, rows, targets), TOLERANCE)
