"""Draws every plot of the Python package: gallery.py FOLDER [--format svg]. `./dev docs` puts them on a page.

Writes a picture for each and captions.json: [{"name", "title", "code", "caption", "file"}, ...] in the order of the page.
"""

from __future__ import annotations

import argparse
import json
import pathlib
from collections.abc import Callable
from typing import Any, NamedTuple

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

import ascribe  # noqa: E402

MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"


class Entry(NamedTuple):
    """One picture of the gallery."""

    name: str
    code: str
    caption: str
    draw: Callable[[], Any]

    @property
    def title(self) -> str:
        """Image, colour"""
        return self.name.replace("-", ", ").capitalize()


def boots() -> ascribe.Model:
    return ascribe.load(MODELS / "relu_vgg.onnx", labels=MODELS / "labels_fashion.txt")


def flats() -> ascribe.Model:
    return ascribe.load(MODELS / "tabular_mlp.onnx", baseline="data:" + str(MODELS / "tabular_sample.csv"))


def colour_picture() -> np.ndarray:
    """A red disc on a green ground below a blue sky: [3, 48, 48] from 0 to 1."""
    down, across = np.mgrid[0:48, 0:48] / 47
    picture = np.stack([0.25 + 0.1 * across, 0.45 + 0.3 * down, 0.9 - 0.7 * down])
    disc = (down - 0.45) ** 2 + (across - 0.55) ** 2 < 0.06
    return np.where(disc, np.array([0.9, 0.25, 0.15])[:, None, None] * (0.8 + 0.2 * across), picture).astype(np.float32)


def redness() -> ascribe.Model:
    """How much redder than green a picture is, in the middle more than at the edge."""
    weight = np.hanning(48)[:, None] * np.hanning(48)[None]
    return ascribe.function(lambda x: 0.01 * (weight * (x[:, 0] - x[:, 1])).sum((1, 2)), inputs=(3, 48, 48),
                            name="redness", labels=["redness"])


WORDS = "not a single dull scene : the actors are wonderful and the ending is not bad at all".split()


def review() -> ascribe.Model:
    """A sum over words, in which 'not' turns the words that follow it."""
    likes = {"dull": -2.0, "wonderful": 2.5, "bad": -1.5, "single": -0.2, "ending": 0.3}
    own = np.array([likes.get(word, 0.0) for word in WORDS])
    turns = np.zeros((len(WORDS), len(WORDS)))
    for place in [i for i, word in enumerate(WORDS) if word == "not"]:
        turns[place, place + 1:place + 4] = -1.6 * own[place + 1:place + 4]
    return ascribe.function(lambda x: 3 * np.tanh((x @ own + np.einsum("ni,ij,nj->n", x, turns, x)) / 3),
                            inputs=len(WORDS), name="review", feature_names=WORDS, labels=["positive"])


def weather() -> ascribe.Model:
    """Rain at the end of a day: moist and falling pressure in the last hours."""
    late = np.linspace(0, 1, 24) ** 3

    def rain(x: np.ndarray) -> np.ndarray:
        return (late * (x[..., 1] - x[..., 0] * x[..., 2])).sum(1) / 4

    return ascribe.function(rain, inputs=(24, 3), name="weather", labels=["rain"], preprocess={"layout": "tc"},
                            feature_names=["temperature", "humidity", "pressure"])


def day() -> np.ndarray:
    hours = np.arange(24)
    channels = [np.sin(hours / 4), 0.5 + 0.5 * np.cos(hours / 7), np.cos(hours / 5) + 0.02 * hours]
    return np.stack(channels, axis=1).astype(np.float32)


def entries() -> list[Entry]:
    boot = MODELS / "images" / "ankle_boot.png"
    table = MODELS / "tabular_sample.csv"
    present = np.ones(len(WORDS), np.float32)
    three = ["shapley", "occlusion", "integrated_gradients"]
    return [
        Entry("image", 'model.explain("boot.png").plot.image()',
              "A map over the picture in grey: red raises the logit, blue lowers it. The scale is the picture's own and "
              "lies around zero.",
              lambda: boots().explain(boot, method="integrated_gradients").plot.image()),
        Entry("image-colour", 'model.explain(x, method="occlusion", players="patch:4").plot.image()',
              "A colour picture is shown beside its map; the values are summed over the channels.",
              lambda: redness().explain(colour_picture(), method="occlusion", players="patch:4").plot.image()),
        Entry("images", 'model.explain("boot.png", method=[...]).plot.images()',
              "Several methods, each on a scale of its own, so that patterns can be compared and amounts cannot.",
              _methods_as_images),
        Entry("bar", 'model.explain(row, method="shapley").plot.bar()',
              "The strongest players of one row; the others are one bar.",
              lambda: flats().explain(table, method="shapley", rows=0).plot.bar(0, most=6)),
        Entry("bar-sampled", 'model.explain(row, method="shapley", samples=40).plot.bar()',
              "Sampled values have 95 % intervals.",
              lambda: review().explain(present, method="shapley", exact=2, samples=40).plot.bar()),
        Entry("bar-rows", 'model.explain(frame, method="shapley").plot.bar()',
              "Of many rows: the mean magnitudes.",
              lambda: flats().explain(table, method="shapley").plot.bar()),
        Entry("bar-methods", "model.explain(row, method=[...]).plot.bar()",
              "Several methods beside each other.",
              lambda: flats().explain(table, method=three, rows=0).plot.bar()),
        Entry("waterfall", 'model.explain(row, method="occlusion").plot.waterfall()',
              "From the base value to the output; what the values miss is a step of its own.",
              lambda: flats().explain(table, method="occlusion", rows=0).plot.waterfall()),
        Entry("beeswarm", 'model.explain(frame, method="shapley").plot.beeswarm()',
              "Every row is a dot in the line of each feature; its colour is what the feature has in the row.",
              lambda: flats().explain(_many_flats(), method="shapley", feature_names=_columns()).plot.beeswarm()),
        Entry("heatmap", 'model.explain(frame, method="shapley").plot.heatmap()',
              "Rows and features.",
              lambda: flats().explain(table, method="shapley").plot.heatmap()),
        Entry("heatmap-series", "model.explain(series).plot.heatmap()",
              "A series: channels over time.",
              lambda: weather().explain(day(), method="occlusion").plot.heatmap()),
        Entry("text", 'model.explain(tokens, method="shapley").plot.text()',
              "Tokens on the colours of what they got.",
              lambda: review().explain(present, method="shapley").plot.text()),
        Entry("network", "model.decompose(row).plot.network()",
              "What players do alone (nodes) and what pairs do only together (edges).",
              lambda: flats().decompose(table, rows=0).plot.network()),
        Entry("upset", "model.decompose(row).plot.upset()",
              "The strongest effects of any number of players, with those that take part.",
              lambda: flats().decompose(table, rows=0).plot.upset()),
        Entry("effects", "model.decompose(row).plot.bar()",
              "The same as bars with names.",
              lambda: flats().decompose(table, rows=0).plot.bar(most=10)),
        Entry("verdicts", "model.audit(row, method=[...]).plot.verdicts()",
              "Which methods hold which of the three principles.",
              lambda: flats().audit(table, method=["shapley", "occlusion", "lrp_epsilon"], rows=0).plot.verdicts()),
        Entry("comparison", 'model.compare(row, "shapley", "occlusion").plot.bar()',
              "Two methods, where they differ most.",
              lambda: flats().compare(table, "shapley", "occlusion", rows=0).plot.bar()),
        Entry("curve", 'model.evaluate(data, metric="deletion").plot.curve()',
              "What happens to the output as players are masked, the strongest first.", _curves),
    ]


def _methods_as_images() -> Any:
    methods = ["gradient_x_input", "integrated_gradients", "lrp_epsilon", "deeplift_rescale", "occlusion_patch",
               "gradient"]
    return boots().explain(MODELS / "images" / "ankle_boot.png", method=methods).plot.images(columns=3)


def _columns() -> list[str]:
    return (MODELS / "tabular_sample.csv").read_text().splitlines()[0].split(",")


def _many_flats(count: int = 300) -> np.ndarray:
    """Rows whose columns are drawn from those of the sample."""
    sample = np.genfromtxt(MODELS / "tabular_sample.csv", delimiter=",", skip_header=1, dtype=np.float32)
    rows = np.random.default_rng(0).integers(0, len(sample), (count, sample.shape[1]))
    return np.take_along_axis(sample, rows, axis=0)


def _curves() -> Any:
    pictures = [str(path) for path in sorted((MODELS / "images").glob("*.png"))]
    return boots().evaluate(pictures, method=["integrated_gradients", "occlusion_patch", "gradient"],
                            metric="deletion").plot.curve()


def draw(folder: pathlib.Path, form: str = "png", only: str | None = None,
         style: str = "default") -> list[dict[str, str]]:
    """All pictures and their captions."""
    folder.mkdir(parents=True, exist_ok=True)
    captions = []
    for entry in entries():
        if only is not None and entry.name != only:
            continue
        with plt.style.context(style):
            drawn = entry.draw()
            figure = np.ravel(drawn)[0].figure
            figure.savefig(folder / f"{entry.name}.{form}", dpi=110)
            plt.close(figure)
        captions.append({"name": entry.name, "title": entry.title, "code": entry.code, "caption": entry.caption,
                         "file": f"{entry.name}.{form}"})
    (folder / "captions.json").write_text(json.dumps(captions, indent=1), encoding="utf-8")
    return captions


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--format", choices=("png", "svg"), default="png")
    parser.add_argument("--only", help="the name of one picture")
    parser.add_argument("--style", default="default", help="of matplotlib, such as dark_background")
    arguments = parser.parse_args()
    draw(arguments.folder, arguments.format, arguments.only, arguments.style)


if __name__ == "__main__":
    main()
