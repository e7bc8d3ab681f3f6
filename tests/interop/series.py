"""Series and files made for one row: LSTM, GRU and convolutions in time beside Captum; as_strided beside ONNX Runtime."""
import numpy
import torch
from torch import nn

import engines
from exports import Recipe, export
from results import compare

TOLERANCE = 1e-4  # float, of the largest value
STEPS, CHANNELS = 12, 3
DYNAMO, SCRIPT, ONE_ROW = Recipe("dynamo", 18), Recipe("script", 17), Recipe("dynamo", 18, batch="one")


class Recurrent(nn.Module):
    """The last state of a recurrent layer, and a dense layer."""

    def __init__(self, layer):
        super().__init__()
        self.layer, self.last = layer(CHANNELS, 8, batch_first=True), nn.Linear(8, 2)

    def forward(self, x):
        """[rows, steps, channels] to [rows, 2]."""
        return self.last(self.layer(x)[0][:, -1])


def convolution():
    """[rows, channels, steps] to [rows, 2]."""
    return nn.Sequential(nn.Conv1d(CHANNELS, 6, 5, padding=2), nn.Tanh(), nn.MaxPool1d(2),
                         nn.Conv1d(6, 8, 3, padding=1), nn.Sigmoid(), nn.AdaptiveAvgPool1d(1), nn.Flatten(),
                         nn.Linear(8, 2))


NETS = {"lstm": (lambda: Recurrent(nn.LSTM), False), "gru": (lambda: Recurrent(nn.GRU), False),
        "conv": (convolution, True)}
RECIPES = (("lstm", DYNAMO), ("lstm", SCRIPT), ("lstm", ONE_ROW), ("gru", DYNAMO), ("gru", SCRIPT), ("conv", DYNAMO),
           ("conv", SCRIPT))


class Strided(nn.Module):
    """What the newer exporter writes as a flat row and a Gather, as in torchvision's ConvNeXt and Swin."""

    def __init__(self):
        super().__init__()
        self.last = nn.Linear(6, 3)

    def forward(self, x):
        """[1, 4, 4] to [1, 3]."""
        return self.last(torch.as_strided(x * x, (1, 6), (16, 2), 1))


def explain(folder, model, rows, method, *options):
    """Attributions of elements by the command line."""
    arrays = folder / f"{model.stem}.{method}.npz"
    engines.command(engines.ASCRIBE, "explain", model, rows, "--method", method, "--target", 1, "--quiet", "--force",
                    "-o", arrays, *options)
    return numpy.load(arrays)


def check_net(folder, name, recipe):
    """Time groups beside Captum's feature masks, and a table of a line per step beside the array."""
    from captum.attr import FeatureAblation, IntegratedGradients, Occlusion

    torch.manual_seed(3)
    make, channels_first = NETS[name]
    net = make().eval()
    shape = (1, CHANNELS, STEPS) if channels_first else (1, STEPS, CHANNELS)
    x = torch.randn(2, *shape[1:])
    label, stem = f"{name} {recipe}", f"series-{name}-{recipe}".replace(" ", "-")
    model, rows, table = folder / f"{stem}.onnx", folder / f"{stem}.npy", folder / f"{stem}.csv"
    export(net, x, model, recipe)
    x = x[:1]
    numpy.save(rows, x.numpy())
    over_time = x[0].T if channels_first else x[0]
    numpy.savetxt(table, over_time.numpy(), delimiter=",", header="a,b,c", comments="", fmt="%.9g")
    steps = torch.arange(STEPS) // 3
    mask = steps[None, None, :].expand(shape) if channels_first else steps[None, :, None].expand(shape)
    expected = FeatureAblation(net).attribute(x, target=1, feature_mask=mask).numpy()
    for source in (rows, table):
        yield compare(f"{label} occlusion of time:3 of {source.suffix}: Captum FeatureAblation",
                      lambda: explain(folder, model, source, "occlusion", "--players", "time:3")["occlusion"],
                      expected, TOLERANCE)
    window = (CHANNELS, 4) if channels_first else (4, CHANNELS)
    stride = (CHANNELS, 2) if channels_first else (2, CHANNELS)
    expected = Occlusion(net).attribute(x, window, stride, target=1).numpy()
    yield compare(f"{label} occlusion_patch of 4 steps every 2: Captum Occlusion",
                  lambda: explain(folder, model, rows, "occlusion_patch", "--set", "size=4", "--set", "stride=2")[
                      "occlusion_patch"], expected, TOLERANCE)
    expected = IntegratedGradients(net).attribute(x, target=1, n_steps=64, method="gausslegendre").detach().numpy()
    yield compare(f"{label} integrated gradients: Captum",
                  lambda: explain(folder, model, table, "integrated_gradients")["integrated_gradients"],
                  expected, TOLERANCE)


def check_series(folder):
    """All of them."""
    for name, recipe in RECIPES:
        yield from check_net(folder, name, recipe)
    torch.manual_seed(4)
    model, rows = folder / "series-strided.onnx", torch.randn(3, 4, 4)
    export(Strided().eval(), rows[:1], model, Recipe("dynamo", 18, batch="one"))
    expected = engines.row_by_row(lambda part: engines.onnx_runtime(model, part), rows.numpy(), True)
    yield compare("as_strided of a flat row, 3 rows: ONNX Runtime", lambda: engines.predict(model, rows.numpy()),
                  expected, TOLERANCE)
