"""Small transformers over embeddings, whose every step can be given a rule of its own."""
import math

import torch
from torch import nn
from torch.nn import functional


class Plain:
    """What is exported."""

    matmul = staticmethod(torch.matmul)
    softmax = staticmethod(lambda x: torch.softmax(x, -1))
    weights = staticmethod(lambda s: s)
    act = staticmethod(lambda function, x: function(x))
    product = staticmethod(lambda a, b: a * b)
    linear = staticmethod(lambda layer, x: layer(x))
    add = staticmethod(lambda a, b: a + b)
    masked = staticmethod(lambda scores, mask: scores + mask)
    scaled = staticmethod(lambda scores, factor: scores * factor)
    mean = staticmethod(lambda x: x.mean(1))

    @staticmethod
    def norm(layer, x):
        """As the layer does it."""
        return layer(x)


class RmsNorm(nn.Module):
    """As LLaMA writes it."""

    def __init__(self, width):
        super().__init__()
        self.weight, self.variance_epsilon = nn.Parameter(torch.rand(width) + 0.5), 1e-6

    def forward(self, x):
        """x over the root of its mean square."""
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.variance_epsilon))


class Block(nn.Module):
    """Attention and an MLP, each behind a norm and beside a direct path; `after`: the norms come behind the sums."""

    def __init__(self, sizes, norm, gated, act, causal, after):
        super().__init__()
        tokens, width, self.heads, hidden = sizes
        self.norms = nn.ModuleList([norm(width), norm(width)])
        self.query, self.key, self.value, self.mix = (nn.Linear(width, width) for _ in range(4))
        self.up, self.down = nn.Linear(width, hidden), nn.Linear(hidden, width)
        self.gate = nn.Linear(width, hidden) if gated else None
        self.act, self.after = act, after
        self.register_buffer("mask", torch.full((tokens, tokens), -torch.inf).triu(1) if causal else None)

    def attend(self, x, rules):
        """Heads beside each other."""
        tokens, width = x.shape[1:]

        def heads(layer):
            return rules.linear(layer, x).reshape(-1, tokens, self.heads, width // self.heads).transpose(1, 2)
        query, key, value = heads(self.query), heads(self.key), heads(self.value)
        scores = rules.matmul(query, key.transpose(-1, -2))
        scores = rules.scaled(scores, 1 / math.sqrt(width // self.heads))
        if self.mask is not None:
            scores = rules.masked(scores, self.mask[:tokens, :tokens])
        mixed = rules.matmul(rules.weights(rules.softmax(scores)), value)
        return rules.linear(self.mix, mixed.transpose(1, 2).reshape(-1, tokens, width))

    def feed(self, x, rules):
        """The MLP."""
        hidden = rules.act(self.act, rules.linear(self.gate or self.up, x))
        if self.gate is not None:
            hidden = rules.product(hidden, rules.linear(self.up, x))
        return rules.linear(self.down, hidden)

    def forward(self, x, rules):
        """Both, one behind the other."""
        for norm, part in zip(self.norms, (self.attend, self.feed)):
            if self.after:
                x = rules.norm(norm, rules.add(x, part(x, rules)))
            else:
                x = rules.add(x, part(rules.norm(norm, x), rules))
        return x


class Transformer(nn.Module):
    """Two blocks over embeddings; the mean over tokens, or the last one, to some classes. `sizes`: tokens, width, heads
    and hidden numbers of the MLP."""

    def __init__(self, sizes, classes=3, norm=nn.LayerNorm, gated=False, act=functional.gelu, causal=False,
                 after=False):
        super().__init__()
        tokens, width = sizes[:2]
        self.positions = nn.Parameter(0.1 * torch.randn(tokens, width))
        self.blocks = nn.ModuleList(Block(sizes, norm, gated, act, causal, after) for _ in range(2))
        self.norm, self.head, self.causal = norm(width), nn.Linear(width, classes), causal
        self.rules = Plain

    def forward(self, x):
        """Embeddings [N, tokens, width] to logits."""
        x = self.rules.add(x, self.positions)
        for block in self.blocks:
            x = block(x, self.rules)
        x = self.rules.norm(self.norm, x)
        return self.rules.linear(self.head, x[:, -1] if self.causal else self.rules.mean(x))


def tanh_gelu(x):
    """As GPT-2 spells it out."""
    return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))
