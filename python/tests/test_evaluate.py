"""evaluate, beside the command line."""

import json

import numpy as np
import pytest

import ascribe
from small_models import black_box, sequence_bytes, sequences


def by_pixel(model, x, target, baseline):
    """An own method: what is lost where a pixel goes."""
    return x - baseline[0]


def occlusion_by_hand(model, x, target, baseline):
    """What a player's absence costs, for each player."""
    rows = np.stack([x] + [np.where(model.owners.reshape(x.shape) == p, baseline[0], x)
                           for p in range(model.owners.max() + 1)])
    values = model(rows)
    return values[0] - values[1:]


@pytest.fixture(scope="session")
def pictures(vgg, models):
    names = ["ankle_boot", "bag", "dress", "shirt"]
    rows = np.stack([vgg.explain(models / "images" / f"{name}.png", method="gradient").data for name in names])
    return rows, [9, 8, 3, 6]


@pytest.fixture()
def archive(tmp_path):
    def write(name, x, y=None):
        path = tmp_path / name
        np.savez(path, x=x, **({} if y is None else {"y": np.array(y)}))
        return path

    return write


def assert_same_as_document(evaluation, document):
    """Every number that the command line prints."""
    assert evaluation.methods == [method["name"] for method in document["methods"]]
    for method in document["methods"]:
        for metric, expected in method["scores"].items():
            said = evaluation[method["name"], metric]
            for name in ("samples", "undefined", "mean", "standard_error", "low", "high", "median"):
                assert getattr(said, name) == expected[name], (method["name"], metric, name)
    assert evaluation.document["samples"] == document["samples"]


def test_pictures_score_as_the_command_line_says_bit_for_bit(vgg, models, pictures, archive, cli):
    x, y = pictures
    path = archive("pictures.npz", x, y)
    document = cli("evaluate", models / "relu_vgg.onnx", path, "--method", "gradient_x_input,shapley", "--metric",
                   "infidelity,deletion,completeness", "--players", "grid:4x4", "--seed", 3, "--target", "label",
                   "--set", "shapley.samples=4", "--metric-set", "deletion.steps=8")
    asked = dict(method=["gradient_x_input", "shapley"], metric=["infidelity", "deletion", "completeness"],
                 players="grid:4x4", seed=3, target="label", settings={"shapley.samples": 4},
                 metric_settings={"deletion.steps": 8})
    in_file = vgg.evaluate(path, **asked)
    in_memory = vgg.evaluate(x, classes=y, **asked)
    assert_same_as_document(in_file, document)
    assert_same_as_document(in_memory, document)
    assert in_memory.document["model"]["sha256"] == document["model"]["sha256"] == vgg.sha256
    for metric in in_file.metrics:
        assert np.array_equal(in_file.scores("shapley", metric), in_memory.scores("shapley", metric))
    assert in_memory.classes.tolist() == y and in_memory.predicted.tolist() == in_file.predicted.tolist()


def test_a_table_scores_as_the_command_line_says(table, models, cli):
    path = models / "tabular_sample.csv"
    asked = ["--method", "shapley,integrated_gradients", "--metric", "infidelity,insertion", "--samples", 6,
             "--skip", 1, "--shuffle", "--seed", 5, "--target", 0]
    document = cli("evaluate", models / "tabular_mlp.onnx", path, *asked)
    keywords = dict(method=["shapley", "integrated_gradients"], metric=["infidelity", "insertion"], samples=6, skip=1,
                    shuffle=True, seed=5, target=0)
    assert_same_as_document(table.evaluate(path, **keywords), document)
    rows = np.loadtxt(path, delimiter=",", skiprows=1)
    assert_same_as_document(table.evaluate(rows, **keywords), document)


def test_sequences_score_as_the_command_line_says(archive, tmp_path, cli):
    x = sequences()
    model_file = tmp_path / "sequence.onnx"
    model_file.write_bytes(sequence_bytes())
    model = ascribe.load(model_file)
    document = cli("evaluate", model_file, archive("s.npz", x), "--method", "occlusion,gradient_x_input", "--metric",
                   "infidelity,sensitivity_n", "--players", "time", "--seed", 2)
    said = model.evaluate(x, method=["occlusion", "gradient_x_input"], metric=["infidelity", "sensitivity_n"],
                          players="time", seed=2)
    assert_same_as_document(said, document)


def test_a_black_box_scores_as_its_network_would():
    box = ascribe.function(black_box, inputs=4)
    rows = np.random.default_rng(0).uniform(0.5, 2, (6, 4))
    said = box.evaluate(rows, method=["shapley", "occlusion"], metric=["completeness", "infidelity"], target=0)
    assert np.allclose(said.scores("shapley", "completeness"), 0, atol=1e-9)
    product = rows[:, 0] * rows[:, 1]
    assert np.allclose(said.scores("occlusion", "completeness"), product / (product + rows[:, 2]))
    assert said.document["model"]["sha256"] == ""


def test_methods_and_attributions_of_ones_own_stand_beside_ours(table, models):
    rows = np.loadtxt(models / "tabular_sample.csv", delimiter=",", skiprows=1)
    exact = table.explain(rows, method="occlusion", target=0)
    said = table.evaluate(rows, method={"occlusion": "occlusion", "by hand": occlusion_by_hand, "array": exact.values,
                                        "explained": exact},
                          metric=["completeness", "deletion"], target=0, shuffle=True, samples=5, batch=2, seed=4)
    assert said.methods == ["occlusion", "by hand", "array", "explained"]
    for metric in said.metrics:
        for method in ("array", "explained"):
            assert np.array_equal(said.scores(method, metric), said.scores("occlusion", metric))
        assert np.allclose(said.scores("by hand", metric), said.scores("occlusion", metric), rtol=1e-4, atol=1e-5)


def test_attributions_of_players_of_pictures_are_taken_row_by_row(vgg, pictures):
    x, _ = pictures
    exact = vgg.explain(x, method="occlusion", players="grid:3x3")
    said = vgg.evaluate(x, method=["occlusion", ("theirs", exact.player_values)], metric="deletion", players="grid:3x3")
    assert np.array_equal(said.scores("theirs", "deletion"), said.scores("occlusion", "deletion"))


def test_a_function_that_raises_ends_the_evaluation_with_what_it_raised(table, models):
    def broken(model, x, target, baseline):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        table.evaluate(models / "tabular_sample.csv", method=broken, metric="completeness", samples=2)


def test_curves_sum_up_to_the_scores(vgg, pictures):
    x, _ = pictures
    said = vgg.evaluate(x, method=["gradient_x_input", by_pixel], metric=["deletion", "completeness"],
                        players="grid:7x7")
    curve = said.curve("by_pixel", "deletion")
    assert curve.samples == 4 and curve.positions[0] == 0 and curve.positions[-1] == 1
    singles = [said.curve("by_pixel", "deletion", sample) for sample in range(4)]
    assert np.allclose(curve.mean, np.mean([one.mean for one in singles], 0))
    assert np.allclose(curve.standard_errors, np.std([one.mean for one in singles], 0, ddof=1) / 2)
    assert singles[1].standard_errors is None
    areas = [np.trapezoid(one.mean, one.positions) if hasattr(np, "trapezoid") else np.trapz(one.mean, one.positions)
             for one in singles]
    assert np.allclose(areas, said.scores("by_pixel", "deletion"))
    with pytest.raises(ascribe.ArgumentError, match="has no curve"):
        said.curve("by_pixel", "completeness")
    with pytest.raises(IndexError):
        said.curve("by_pixel", "deletion", 4)


def test_frames_bring_names_and_classes(table, models):
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(models / "tabular_sample.csv")
    classes = np.arange(len(frame)) % table.targets
    with_classes = frame.assign(species=classes)
    said = table.evaluate(with_classes, method="occlusion", metric="completeness", label_from="species", target="label")
    assert said.classes.tolist() == classes.tolist()
    plain = table.evaluate(frame.to_numpy(), method="occlusion", metric="completeness", classes=classes, target="label")
    assert np.array_equal(said.scores("occlusion", "completeness"), plain.scores("occlusion", "completeness"),
                          equal_nan=True)
    with pytest.raises(ascribe.ArgumentError, match="there is no column 'kind'"):
        table.evaluate(frame, method="occlusion", metric="completeness", label_from="kind")


def without_times(value):
    if isinstance(value, dict):
        return {name: without_times(one) for name, one in value.items() if name not in ("seconds", "planned")}
    return [without_times(one) for one in value] if isinstance(value, list) else value


def test_results_are_a_frame_and_files(table, models, tmp_path):
    pytest.importorskip("pandas")
    said = table.evaluate(models / "tabular_sample.csv", method=["shapley", "occlusion"],
                          metric=["completeness", "deletion"], samples=4, target=0)
    frame = said.to_pandas()
    assert frame.loc[("shapley", "deletion"), "mean"] == said["shapley", "deletion"].mean
    assert frame["mean"].unstack().shape == (2, 2)
    samples = said.to_pandas(samples=True)
    assert len(samples) == 8 and samples[samples.method == "occlusion"].deletion.tolist() == said.scores(
        "occlusion", "deletion").tolist()
    assert said.best("completeness") == ["shapley"]
    said.save(tmp_path / "out")
    assert (tmp_path / "out" / "scores.csv").read_text() == said.to_csv(samples=True)
    # How long it took is in a file of its own, so that the same work gives the same bytes.
    assert json.loads((tmp_path / "out" / "results.json").read_text()) == without_times(said.to_dict())
    assert "seconds" in (tmp_path / "out" / "timings.json").read_text()
    assert "shapley" in said.to_markdown() and "4 samples" in repr(said)
    with pytest.raises(ascribe.FileError, match="exists already"):
        said.save(tmp_path / "out")


def test_work_that_was_stopped_goes_on_from_its_journal(table, models, tmp_path):
    asked = dict(method="shapley", metric="infidelity", target=0, batch=2)
    whole = table.evaluate(models / "tabular_sample.csv", **asked)

    def stop(task, done, total):
        if done >= 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        table.evaluate(models / "tabular_sample.csv", journal=tmp_path / "journal", progress=stop, **asked)
    assert (tmp_path / "journal").exists()
    rest = table.evaluate(models / "tabular_sample.csv", journal=tmp_path / "journal", **asked)
    assert np.array_equal(rest.scores("shapley", "infidelity"), whole.scores("shapley", "infidelity"))
    assert any("going on" in note for note in rest.notes) and not (tmp_path / "journal").exists()


def test_pictures_by_their_paths_are_samples(vgg, models):
    paths = [models / "images" / f"{name}.png" for name in ("ankle_boot", "bag")]
    said = vgg.evaluate(paths, method="gradient_x_input", metric="completeness", classes=[9, 8], only_correct=True)
    assert said.sample_names == ["ankle_boot.png", "bag.png"] and said.classes.tolist() == [9, 8]


def test_objects_are_boxes(models):
    model = ascribe.load(models / "localiser.onnx")
    rows = np.random.default_rng(3).uniform(size=(3, *model.row_shape)).astype(np.float32)
    side = model.row_shape[-1]
    boxes = np.array([[0, 0, side // 2, side // 2]] * 3)
    said = model.evaluate(rows, method="gradient_x_input", metric=["pointing_game", "relevance_mass_accuracy"],
                          boxes=boxes)
    assert said["gradient_x_input", "relevance_mass_accuracy"].samples == 3


def test_order_spectrum_is_of_the_model_alone():
    box = ascribe.function(black_box, inputs=4)
    said = box.evaluate(np.full((2, 4), 2.0), metric="order_spectrum", target=0)
    assert [round(one.mean, 6) for one in said.order_spectrum[:2]] == [round(2 / 6, 6), round(4 / 6, 6)]


@pytest.mark.parametrize("arguments, words", [
    (dict(metric="delete"), "did you mean .deletion."),
    (dict(method="shaply", metric="deletion"), "did you mean 'shapley'"),
    (dict(metric="deletion", rows=3), "skip"),
    (dict(metric="deletion", only_correct=True), "do not say their classes"),
    (dict(metric="deletion", classes=[1, 2]), "do not belong to the rows"),
    (dict(metric="deletion", classes=[[1, 2]]), "one class for each row"),
    (dict(metric="deletion", classes=["a"] * 5), "names from a list"),
    (dict(metric="deletion", format="idx"), "rows in memory"),
    (dict(metric="deletion", samples=-1), "0 or more"),
    (dict(metric="deletion", most_box=2.0), "from 0 to 1"),
    (dict(metric="deletion", metric_settings={"deletion.speed": 3}), "speed"),
    (dict(metric="deletion", label_from="y"), "frame"),
    (dict(metric="pointing_game"), "where the object is"),
    (dict(method=[], metric="deletion"), "at least one method"),
    (dict(method=("few", np.zeros((2, 8))), metric="completeness"), "given for 2 rows"),
])
def test_what_cannot_be_is_a_value_error_or_says_why(table, arguments, words):
    rows = np.random.default_rng(1).normal(size=(5, 8))
    with pytest.raises(ascribe.Error, match=words):
        table.evaluate(rows, **{"method": "occlusion", **arguments})


def test_an_option_of_rows_in_memory_is_refused_of_files(table, models):
    with pytest.raises(ascribe.ArgumentError, match="label_from"):
        table.evaluate(models / "tabular_sample.csv", method="occlusion", metric="deletion", classes=[1])
