# SPDX-License-Identifier: Apache-2.0
"""Architectures of the bundled sample models.

The image models take [batch, 1, 28, 28] pixels in 0..1 and return 10 logits;
the localiser takes [batch, 1, 56, 56].
The tabular model takes [batch, features] in raw units and returns [batch, 1].
"""

import torch
from torch import nn


def xavier_init(net, gain):
    """Initialise the weights of a sigmoid network so that it trains from the start."""
    for layer in net.modules():
        if isinstance(layer, (nn.Linear, nn.Conv2d)):
            nn.init.xavier_uniform_(layer.weight, gain)
            nn.init.zeros_(layer.bias)
    return net


def sigmoid_mlp():
    """784-128-64-10 with sigmoids in between."""
    net = nn.Sequential(
        nn.Flatten(),
        nn.Linear(784, 128), nn.Sigmoid(),
        nn.Linear(128, 64), nn.Sigmoid(),
        nn.Linear(64, 10),
    )
    return xavier_init(net, gain=2.0)


def sigmoid_cnn():
    """Two convolutions, the second with stride 2, each followed by a sigmoid."""
    net = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.Sigmoid(),
        nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.Sigmoid(),
        nn.Flatten(),
        nn.Linear(6272, 10),
    )
    return xavier_init(net, gain=2.0)


def relu_vgg():
    """Two Conv-Conv-MaxPool blocks and two fully connected layers."""
    def block(inputs, outputs):
        return [
            nn.Conv2d(inputs, outputs, 3, padding=1), nn.ReLU(),
            nn.Conv2d(outputs, outputs, 3, padding=1), nn.ReLU(),
            nn.MaxPool2d(2),
        ]

    return nn.Sequential(
        *block(1, 16),
        *block(16, 32),
        nn.Flatten(),
        nn.Linear(1568, 64), nn.ReLU(),
        nn.Linear(64, 10),
    )


def localiser():
    """Five convolutions with ReLU, four max pools and two fully connected layers, for 56x56 pixels."""
    def convolution(inputs, outputs):
        return [nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()]

    return nn.Sequential(
        *convolution(1, 12), nn.MaxPool2d(2),
        *convolution(12, 24), nn.MaxPool2d(2),
        *convolution(24, 40), *convolution(40, 40), nn.MaxPool2d(2),
        *convolution(40, 64), nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(576, 64), nn.ReLU(),
        nn.Linear(64, 10),
    )


class ResidualBlock(nn.Module):
    """relu(body(x) + skip(x)); the skip is a 1x1 projection when the shape changes."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False),
            nn.BatchNorm2d(outputs), nn.ReLU(),
            nn.Conv2d(outputs, outputs, 3, padding=1, bias=False),
            nn.BatchNorm2d(outputs),
        )
        self.skip = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.skip = nn.Sequential(
                nn.Conv2d(inputs, outputs, 1, stride, bias=False),
                nn.BatchNorm2d(outputs),
            )

    def forward(self, x):
        return torch.relu(self.body(x) + self.skip(x))


def resnet():
    """Stem, identity block, projection block, global average pool, classifier."""
    return nn.Sequential(
        nn.Conv2d(1, 32, 3, padding=1, bias=False),
        nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
        ResidualBlock(32, 32, stride=1),
        ResidualBlock(32, 64, stride=2),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        nn.Linear(64, 10),
    )


class Polynomial(nn.Module):
    """Second-order polynomial of the pixels with factored interactions.

    logits = c0 + C x + W ((U x) * (V x)), so the coefficient of x_i x_j (i < j)
    in logit k is sum_r W[k,r] (U[r,i] V[r,j] + U[r,j] V[r,i]).
    The matrices are stored transposed, ready for x @ matrix.
    """

    def __init__(self, inputs=784, rank=64, classes=10):
        super().__init__()
        self.u = nn.Parameter(torch.randn(inputs, rank) / inputs**0.5)
        self.v = nn.Parameter(torch.randn(inputs, rank) / inputs**0.5)
        self.w = nn.Parameter(torch.randn(rank, classes) / rank**0.5)
        self.c = nn.Parameter(torch.zeros(inputs, classes))
        self.c0 = nn.Parameter(torch.zeros(classes))

    def forward(self, x):
        x = x.flatten(1)
        return ((x @ self.u) * (x @ self.v)) @ self.w + x @ self.c + self.c0


class TabularMlp(nn.Module):
    """8-32-32-1 ReLU MLP that standardises its raw input and rescales its output."""

    def __init__(self, x, y):
        """Take the scales from the training rows x and targets y."""
        super().__init__()
        self.register_buffer("x_mean", x.mean(0))
        self.register_buffer("x_std", x.std(0))
        self.register_buffer("y_mean", y.mean(0))
        self.register_buffer("y_std", y.std(0))
        self.body = nn.Sequential(
            nn.Linear(x.shape[1], 32), nn.ReLU(),
            nn.Linear(32, 32), nn.ReLU(),
            nn.Linear(32, 1),
        )

    def forward(self, x):
        return self.body((x - self.x_mean) / self.x_std) * self.y_std + self.y_mean
