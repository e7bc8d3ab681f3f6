"""Small networks of the families that people bring, written with torch.nn.

Weights are random but seeded, in evaluation mode, with batch statistics far from 0 and 1, so
that nothing can be left out or swapped without changing the result.
"""
import torch
from torch import nn
from torch.nn import functional


def conv_bn(inputs, outputs, kernel=3, stride=1, groups=1, act=nn.ReLU):
    """Convolution, BatchNorm and an activation (None: none)."""
    layers = [
        nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
        nn.BatchNorm2d(outputs),
    ]
    return nn.Sequential(*layers, *([act()] if act else []))


class Residual(nn.Module):
    """act(body(x) + skip(x)); the skip is a projection where the shape changes."""

    def __init__(self, body, inputs, outputs, stride):
        super().__init__()
        self.body = body
        same = stride == 1 and inputs == outputs
        self.skip = nn.Identity() if same else conv_bn(inputs, outputs, 1, stride, act=None)

    def forward(self, x):
        return torch.relu(self.body(x) + self.skip(x))


def basic(inputs, outputs, stride=1):
    """The block of ResNet-18: two 3x3 convolutions."""
    body = nn.Sequential(conv_bn(inputs, outputs, 3, stride), conv_bn(outputs, outputs, act=None))
    return Residual(body, inputs, outputs, stride)


def bottleneck(inputs, width, stride=1):
    """The block of ResNet-50: 1x1, 3x3, 1x1 with four times the width."""
    body = nn.Sequential(conv_bn(inputs, width, 1), conv_bn(width, width, 3, stride),
                         conv_bn(width, 4 * width, 1, act=None))
    return Residual(body, inputs, 4 * width, stride)


def resnet():
    """Stem with max pool, basic and bottleneck blocks, with and without projection."""
    return nn.Sequential(
        conv_bn(3, 16, 7, 2), nn.MaxPool2d(3, 2, 1),
        basic(16, 16), basic(16, 24, 2),
        bottleneck(24, 8, 2), bottleneck(32, 8),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10),
    )


class SqueezeExcite(nn.Module):
    """Scales channels by what the whole picture says about them."""

    def __init__(self, channels):
        super().__init__()
        self.squeeze = nn.Conv2d(channels, channels // 4, 1)
        self.excite = nn.Conv2d(channels // 4, channels, 1)

    def forward(self, x):
        scale = functional.relu(self.squeeze(functional.adaptive_avg_pool2d(x, 1)))
        return x * functional.hardsigmoid(self.excite(scale))


class InvertedResidual(nn.Module):
    """Expand, depthwise convolution, squeeze and excite, project."""

    def __init__(self, inputs, expanded, outputs, stride, act):
        super().__init__()
        self.add = stride == 1 and inputs == outputs
        self.body = nn.Sequential(
            conv_bn(inputs, expanded, 1, act=act),
            conv_bn(expanded, expanded, 5, stride, groups=expanded, act=act),
            SqueezeExcite(expanded),
            conv_bn(expanded, outputs, 1, act=None),
        )

    def forward(self, x):
        return x + self.body(x) if self.add else self.body(x)


def mobilenet():
    """MobileNetV3 in small: inverted residuals with hard swish and squeeze-excite."""
    return nn.Sequential(
        conv_bn(3, 16, 3, 2, act=nn.Hardswish),
        InvertedResidual(16, 32, 16, 1, nn.ReLU),
        InvertedResidual(16, 48, 24, 2, nn.Hardswish),
        InvertedResidual(24, 64, 24, 1, nn.Hardswish),
        conv_bn(24, 64, 1, act=nn.Hardswish),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        nn.Linear(64, 48), nn.Hardswish(), nn.Dropout(0.2), nn.Linear(48, 10),
    )


class SelfAttention(nn.Module):
    """Self-attention by scaled_dot_product_attention, as in today's vision transformers."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        batch, tokens, width = x.shape
        qkv = self.qkv(x).reshape(batch, tokens, 3, self.heads, width // self.heads)
        query, key, value = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        mixed = functional.scaled_dot_product_attention(query, key, value)
        return self.out(mixed.transpose(1, 2).reshape(batch, tokens, width))


class ModuleAttention(nn.Module):
    """Self-attention by nn.MultiheadAttention, as in torchvision's ViT."""

    def __init__(self, width, heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True)

    def forward(self, x):
        return self.attention(x, x, x, need_weights=False)[0]


class TransformerBlock(nn.Module):
    """Normalise, attend, add; normalise, transform, add."""

    def __init__(self, width, attention):
        super().__init__()
        self.attention = nn.Sequential(nn.LayerNorm(width), attention)
        self.transform = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 2 * width), nn.GELU(),
                                       nn.Linear(2 * width, width))

    def forward(self, x):
        x = x + self.attention(x)
        return x + self.transform(x)


class Vit(nn.Module):
    """Patches by a convolution, class token, learnt positions, both kinds of attention."""

    def __init__(self, width=48, heads=3, patches=16):
        super().__init__()
        self.patch = nn.Conv2d(3, width, 8, 8)
        self.token = nn.Parameter(torch.randn(1, 1, width))
        self.position = nn.Parameter(torch.randn(1, patches + 1, width))
        self.blocks = nn.Sequential(TransformerBlock(width, ModuleAttention(width, heads)),
                                    TransformerBlock(width, SelfAttention(width, heads)))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, 10)

    def forward(self, x):
        patches = self.patch(x).flatten(2).transpose(1, 2)
        token = self.token.expand(x.shape[0], -1, -1)
        x = self.blocks(torch.cat([token, patches], 1) + self.position)
        return self.head(self.norm(x)[:, 0])


class Recurrent(nn.Module):
    """Classifies a time series [N, T, F] by the last state of an LSTM or a GRU."""

    def __init__(self, cell, **options):
        super().__init__()
        self.cell = cell(5, 12, batch_first=True, **options)
        self.head = nn.Linear(24 if options.get("bidirectional") else 12, 4)

    def forward(self, x):
        return self.head(self.cell(x)[0][:, -1])


def cnn1d():
    """Convolutions along time with dilation, average and max pooling, statistics in front and behind."""
    return nn.Sequential(
        nn.BatchNorm1d(4), nn.ELU(), nn.Conv1d(4, 12, 5, padding=2), nn.BatchNorm1d(12), nn.ELU(), nn.AvgPool1d(2),
        nn.Conv1d(12, 16, 3, padding=2, dilation=2, groups=2), nn.LeakyReLU(0.125), nn.MaxPool1d(3, 2, 1),
        nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(16, 5), nn.Softmax(1),
    )


class UNet(nn.Module):
    """Down and up again: transposed convolution, resizing of three kinds, concatenation."""

    def __init__(self):
        super().__init__()
        self.first = conv_bn(2, 8)
        self.second = conv_bn(8, 16, stride=2, act=nn.SiLU)
        self.third = conv_bn(16, 16, stride=2, act=nn.Softplus)
        self.up = nn.ConvTranspose2d(16, 16, 3, 2, 1, output_padding=1)
        self.joined = conv_bn(32, 8, act=nn.Mish)
        self.head = nn.Conv2d(16 + 8, 3, 3, padding=1, padding_mode="reflect")

    def forward(self, x):
        first = self.first(x)
        second = self.second(first)
        third = self.third(second)
        joined = self.joined(torch.cat([self.up(third), second], 1))
        nearest = functional.interpolate(joined, scale_factor=2, mode="nearest")
        linear = functional.interpolate(joined, size=x.shape[-2:], mode="bilinear", align_corners=False)
        aligned = functional.interpolate(first, scale_factor=1.0, mode="bilinear", align_corners=True)
        return self.head(torch.cat([nearest, linear, aligned], 1))


def groupnorm():
    """GroupNorm and InstanceNorm instead of batch statistics; pooling with ceil_mode."""
    return nn.Sequential(
        nn.Conv2d(3, 12, 3, bias=False), nn.GroupNorm(3, 12), nn.PReLU(12), nn.MaxPool2d(3, 2, ceil_mode=True),
        nn.Conv2d(12, 16, 3, padding="same"), nn.InstanceNorm2d(16, affine=True), nn.Tanh(),
        nn.AvgPool2d(3, 2, 1, count_include_pad=False), nn.PixelShuffle(2),
        nn.Flatten(), nn.Linear(4 * 16 * 16, 6), nn.LogSoftmax(1),
    )


class Encoder(nn.Module):
    """nn.TransformerEncoder over a series, the mean over time classified."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(6, 16)
        layer = nn.TransformerEncoderLayer(16, 4, 32, activation="gelu", batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(16, 4)

    def forward(self, x):
        return self.head(self.encoder(self.embed(x)).mean(1))


class Dense(nn.Module):
    """What went in, joined with what a pre-activated layer makes of it, as in DenseNet."""

    def __init__(self, inputs, growth):
        super().__init__()
        self.body = nn.Sequential(nn.BatchNorm2d(inputs), nn.ReLU(),
                                  nn.Conv2d(inputs, growth, 3, padding=1, bias=False))

    def forward(self, x):
        return torch.cat([x, self.body(x)], 1)


class Inception(nn.Module):
    """Branches of different reach side by side, with asymmetric kernels and a pooling branch."""

    def __init__(self, inputs):
        super().__init__()
        self.point = nn.Conv2d(inputs, 6, 1)
        self.wide = nn.Sequential(nn.Conv2d(inputs, 4, (1, 7), padding=(0, 3)), nn.ReLU6(),
                                  nn.Conv2d(4, 6, (7, 1), padding=(3, 0)))
        self.pooled = nn.Sequential(nn.AvgPool2d(3, 1, 1), nn.Conv2d(inputs, 6, 1))

    def forward(self, x):
        return torch.cat([self.point(x), self.wide(x), self.pooled(x)], 1)


def densenet():
    """Dense layers, local response normalization, a transition and an inception block."""
    return nn.Sequential(
        nn.Conv2d(3, 8, 5, 2), nn.LocalResponseNorm(3, alpha=0.5), Dense(8, 6), Dense(14, 6), nn.AvgPool2d(2),
        Inception(20), nn.SELU(), nn.AvgPool2d(3), nn.Flatten(), nn.Linear(72, 8),
    )


def cnn3d():
    """Convolutions and pooling over volumes, and back up by a transposed one."""
    return nn.Sequential(
        nn.Conv3d(1, 6, 3, padding=1), nn.BatchNorm3d(6), nn.CELU(), nn.MaxPool3d(2),
        nn.Conv3d(6, 8, (1, 3, 3), dilation=(1, 2, 2)), nn.Softsign(), nn.ConvTranspose3d(8, 4, 2, 2), nn.AvgPool3d(2),
        nn.Flatten(), nn.Linear(4 * 3 * 2 * 2, 5),
    )


# Name of a network -> how to make it and the shape of one row.
NETS = {
    "resnet": (resnet, (3, 64, 64)),
    "mobilenet": (mobilenet, (3, 48, 48)),
    "vit": (Vit, (3, 32, 32)),
    "lstm": (lambda: Recurrent(nn.LSTM, num_layers=2), (9, 5)),
    "gru": (lambda: Recurrent(nn.GRU, bidirectional=True), (9, 5)),
    "cnn1d": (cnn1d, (4, 40)),
    "unet": (UNet, (2, 16, 20)),
    "groupnorm": (groupnorm, (3, 34, 34)),
    "encoder": (Encoder, (7, 6)),
    "densenet": (densenet, (3, 29, 29)),
    "cnn3d": (cnn3d, (1, 6, 12, 12)),
}


def stir(net, generator):
    """Statistics, scales and shifts away from 0 and 1, and weights large enough for rows to differ."""
    for layer in net.modules():
        if isinstance(layer, (nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.Linear)):
            layer.weight.data *= 1.8
        if isinstance(layer, (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)):
            layer.running_mean.normal_(0, 0.3, generator=generator)
            layer.running_var.uniform_(0.4, 1.6, generator=generator)
        if hasattr(layer, "eps") and getattr(layer, "weight", None) is not None:
            layer.weight.data.uniform_(0.6, 1.4, generator=generator)
            layer.bias.data.normal_(0, 0.2, generator=generator)


def make(name, dtype):
    """The network in evaluation mode and three different rows for it."""
    build, row = NETS[name]
    torch.manual_seed(sum(map(ord, name)))
    generator = torch.Generator().manual_seed(7)
    net = build().eval()
    stir(net, generator)
    return net.to(dtype), torch.randn((3, *row), generator=generator).to(dtype)
