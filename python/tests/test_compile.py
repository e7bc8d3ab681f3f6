"""compile, beside the command line."""

import numpy as np
import pytest

import ascribe
from small_models import black_box, sequence_bytes, sequences


@pytest.mark.parametrize("method, target", [("gradient_x_input", "index"), ("deeplift_rescale", "top"),
                                            ("occlusion", "9")])
def test_the_file_is_that_of_the_command_line(vgg, models, tmp_path, cli, method, target):
    path = tmp_path / "theirs.onnx"
    players = ["--players", "grid:4x4"] if method == "occlusion" else []
    document = cli("compile", models / "relu_vgg.onnx", "--labels", models / "labels_fashion.txt", "--method", method,
                   "--target", target, "-o", path, *players)
    compiled = vgg.compile(method, target=target, **({"players": "grid:4x4"} if players else {}))
    assert compiled.bytes == path.read_bytes()
    assert compiled.metadata == document["metadata"] and compiled.inputs == document["inputs"]
    assert compiled.metadata["ascribe.model"].endswith(vgg.sha256)


def test_what_the_file_says_is_what_explain_says(vgg, boot):
    explanation = vgg.explain(boot, method="gradient_x_input", target=9)
    explained = vgg.compile("gradient_x_input", target="Ankle boot").load()
    said = explained.predict(explanation.data[None])
    assert np.allclose(said.output("attribution")[0], explanation.values, rtol=1e-4, atol=1e-5)


def test_another_runtime_runs_it(vgg, boot):
    runtime = pytest.importorskip("onnxruntime")
    explanation = vgg.explain(boot, method="deeplift_rescale")
    session = runtime.InferenceSession(vgg.compile("deeplift_rescale", target="top").bytes)
    answers = session.run(None, {session.get_inputs()[0].name: explanation.data[None]})
    assert np.allclose(answers[1][0], explanation.values, rtol=1e-3, atol=1e-4)


def test_tables_weights_baselines_and_players(table, models):
    rows = np.loadtxt(models / "tabular_sample.csv", delimiter=",", skiprows=1)[:3]
    weights = np.linspace(-1, 1, table.targets)
    baseline = rows.mean(0)
    owners = np.array([0, 0, 1, 1, 2, 2, 3, 3])
    compiled = table.compile("occlusion", target=weights, baseline=baseline, players=owners)
    said = compiled.load().predict(rows).output("attribution")
    expected = np.stack([_by_hand(table, row, weights, baseline, owners) for row in rows])
    assert np.allclose(said, expected, rtol=1e-4, atol=1e-5)
    assert compiled.metadata["ascribe.baseline"] == "given"


def _by_hand(model, row, weights, baseline, owners):
    """Occlusion: what the weighted sum loses where a player is at the baseline."""
    masked = np.stack([row] + [np.where(owners == p, baseline, row) for p in range(owners.max() + 1)])
    values = model.predict(masked).values @ weights
    return (values[0] - values[1:])[owners]


def test_sequences(tmp_path):
    model = ascribe.load(sequence_bytes())
    rows = sequences(2)
    compiled = model.compile("occlusion", target=1, players="time")
    said = compiled.load().predict(rows).output("attribution")
    expected = model.explain(rows, method="occlusion", target=1, players="time").values
    assert np.allclose(said, expected, rtol=1e-4, atol=1e-5)


def test_a_black_box_cannot_be_a_graph():
    with pytest.raises(ascribe.UnsupportedError, match="only the values of this function are known"):
        ascribe.function(black_box, inputs=4).compile("occlusion", target=0)


def test_files_are_written_and_not_replaced_unasked(vgg, tmp_path):
    onnx = pytest.importorskip("onnx")
    compiled = vgg.compile("gradient_x_input", tmp_path / "e.onnx", target=9)
    assert (tmp_path / "e.onnx").read_bytes() == compiled.bytes and len(compiled) == len(compiled.bytes)
    with pytest.raises(ascribe.FileError, match="exists already"):
        vgg.compile("gradient_x_input", tmp_path / "e.onnx", target=9)
    vgg.compile("gradient_x_input", tmp_path / "e.onnx", target=8, force=True)
    assert (tmp_path / "e.onnx").read_bytes() != compiled.bytes
    onnx.checker.check_model(compiled.model_proto())
    assert "Ankle boot" in repr(compiled)


@pytest.mark.parametrize("arguments, words", [
    (dict(method="deeplift"), "did you mean"),
    (dict(method="gradient_x_input", target=11), "there is no class 11"),
    (dict(method="gradient_x_input", target="Boot"), "Boot"),
    (dict(method="gradient_x_input", target=lambda output: output), "nobody knows yet"),
    (dict(method="gradient_x_input", target=np.ones(3)), "do not fit the output"),
    (dict(method="gradient_x_input", target=np.zeros(10)), "all weights are 0"),
    (dict(method="gradient_x_input", target=np.ones((2, 10))), "weights for 2 rows"),
    (dict(method="gradient", baseline=np.ones(784)), "does not use baselines"),
    (dict(method="deeplift_rescale", baseline="mean"), "depends on the input"),
])
def test_what_cannot_be_is_refused(vgg, arguments, words):
    with pytest.raises(ascribe.Error, match=words):
        vgg.compile(**arguments)
