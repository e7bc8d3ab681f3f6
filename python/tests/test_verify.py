"""verify, beside the command line."""

import math

import numpy as np
import pytest

import ascribe
from small_models import black_box, sequence_bytes, sequences


def assert_same_as_document(verification, document):
    """Every error that the command line prints; a mean that there is not is null there and NaN here."""
    expected = document["errors"]
    assert len(verification.errors) == len(expected)
    for one, line in zip(verification.errors, expected):
        assert (one.method, one.sigma, one.order, one.inputs, one.inside) == (
            line["method"], line["sigma"], line["order"], line["inputs"], line["inside"])
        assert line["error"] is None and math.isnan(one.mean) and one.outcome or one.mean == line["error"]


def test_pictures_are_verified_as_by_the_command_line_bit_for_bit(models, boot, cli):
    asked = ["--players", "grid:3x3", "--order", "2,4", "--sigma", "0.1", "--method", "shapley,integrated_gradients",
             "--draws", 2, "--seed", 4]
    document = cli("verify", models / "sigmoid_mlp.onnx", boot, *asked)
    said = ascribe.load(models / "sigmoid_mlp.onnx").verify(
        boot, ["shapley", "integrated_gradients"], players="grid:3x3", order=[2, 4], sigma=0.1, draws=2, seed=4)
    assert_same_as_document(said, document)
    assert said.methods == ["integrated_gradients", "shapley"] and said.orders == [2, 4] and said.sigmas == [0.1]
    assert said.error("shapley", order=4).mean < said.error("shapley", order=2).mean


def test_tables_and_kinks_that_are_smoothed(table, models, cli, tmp_path):
    document = cli("verify", models / "tabular_mlp.onnx", models / "tabular_sample.csv", "--inputs", 2, "--order", 2,
                   "--sigma", 0.1, "--method", "shapley", "--smooth", "1,4")
    said = table.verify(models / "tabular_sample.csv", "shapley", inputs=2, order=2, sigma=0.1, smooth=[1, 4])
    assert said.temperatures == [1, 4]
    expected = [line["error"] for smoothed in document["smoothed"] for line in smoothed["errors"]]
    assert [one.mean for one in said.errors] == expected
    assert said.error("shapley", temperature=4) == said.errors[1]
    said.save(tmp_path / "out")
    assert (tmp_path / "out" / "smoothing.svg").exists()


def test_sequences(tmp_path, cli):
    path, rows = tmp_path / "sequence.onnx", tmp_path / "rows.npy"
    path.write_bytes(sequence_bytes())
    np.save(rows, sequences(2))
    document = cli("verify", path, rows, "--players", "time", "--order", "2,3", "--sigma", "0.03,0.1",
                   "--method", "occlusion")
    said = ascribe.load(path).verify(sequences(2), "occlusion", players="time", order=[2, 3], sigma=[0.03, 0.1])
    assert_same_as_document(said, document)


def test_a_black_box_has_no_series_and_says_so():
    box = ascribe.function(black_box, inputs=4)
    with pytest.raises(ascribe.UnsupportedError, match="derivative"):
        box.verify(np.ones(4), "shapley")


def test_errors_are_a_frame(models, boot):
    pytest.importorskip("pandas")
    model = ascribe.load(models / "sigmoid_mlp.onnx")
    said = model.verify(boot, "shapley", players="grid:3x3", order=[2, 3], sigma=0.1)
    frame = said.to_pandas()
    assert frame["mean"].tolist() == [one.mean for one in said.errors] and len(said) == 2
    assert said.to_dict()["errors"][0]["method"] == "shapley" and "shapley" in repr(said)


@pytest.mark.parametrize("arguments, words", [
    (dict(order=0), "positive"), (dict(sigma=-1.0), "positive"), (dict(draws=0), "positive"),
    (dict(inputs=0), "positive"), (dict(smooth=0.0), "positive"), (dict(method="shaply"), "did you mean"), (dict(method="gradient"), "verif"),
])
def test_what_cannot_be_is_refused(table, models, arguments, words):
    with pytest.raises(ascribe.Error, match=words):
        table.verify(models / "tabular_sample.csv", **arguments)


def test_only_smoothed_models_are_saved(models, boot, tmp_path):
    said = ascribe.load(models / "sigmoid_mlp.onnx").verify(boot, "shapley", players="grid:3x3", order=2, sigma=0.1)
    with pytest.raises(ascribe.ArgumentError, match="smooth"):
        said.save(tmp_path / "out")
    with pytest.raises(ascribe.ArgumentError, match="there is no error of shapley at order 9"):
        said.error("shapley", order=9)
