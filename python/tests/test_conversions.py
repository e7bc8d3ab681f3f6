"""Results as frames, as shap's, as dictionaries, and as files that give the same bits back."""

import json
import os
import zipfile

import numpy as np
import pytest

import ascribe
from ascribe.explanation import _ARRAYS_PER_ROW


@pytest.fixture(scope="module")
def rows() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(5, 8)).astype(np.float32)


@pytest.fixture(scope="module")
def explained(table, rows):
    return table.explain(rows, method="shapley", feature_names=list("abcdefgh"), row_names=[f"r{i}" for i in range(5)])


@pytest.fixture(scope="module")
def sampled(table, rows):
    return table.explain(rows, method="shapley", exact=0, samples=64, seed=3)


def bits(array):
    return None if array is None else (np.asarray(array).dtype, np.shape(array), np.asarray(array).tobytes())


def assert_same(one, other):
    for name in (*_ARRAYS_PER_ROW, "baselines"):
        assert bits(getattr(one, name)) == bits(getattr(other, name)), name
    for name in ("method", "player_names", "row_names", "output_names", "feature_names", "explains", "output_name",
                 "contribution", "seconds", "notes", "parameters", "record", "single"):
        assert getattr(one, name) == getattr(other, name), name


def test_frames_have_a_line_for_each_row_and_a_column_for_each_player(explained, sampled):
    pytest.importorskip("pandas")
    frame = explained.to_pandas()
    assert list(frame.columns) == list("abcdefgh") and list(frame.index) == [f"r{i}" for i in range(5)]
    assert np.array_equal(frame.to_numpy(), explained.player_values)
    assert explained[2].to_pandas().shape == (1, 8)
    errors = sampled.to_pandas(errors=True)
    assert np.array_equal(errors["error"].to_numpy(), sampled.error_std)
    assert (errors["interval"] > errors["error"]).all().all()
    assert explained.to_pandas(errors=True)["error"].isna().all().all()


def test_frames_of_several_methods_and_of_rows_with_players_of_their_own(table, rows, vgg, boot):
    pytest.importorskip("pandas")
    several = table.explain(rows, method=["shapley", "gradient"])
    frame = several.to_pandas()
    assert frame.index.names == ["method", "row"]
    assert np.array_equal(frame.loc["gradient"].to_numpy(), several["gradient"].player_values)
    pictures = vgg.explain([boot, boot.parent / "trouser.png"], method="shapley", players="superpixels:5")
    assert pictures.to_pandas().shape[0] == 2


def test_shap_draws_our_explanations(explained, vgg, boot, table, rows):
    shap = pytest.importorskip("shap")
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    theirs = explained.to_shap()
    assert theirs.shape == (5, 8) and theirs.feature_names == list("abcdefgh")
    assert np.array_equal(theirs.values, explained.values) and np.array_equal(theirs.data, explained.data)
    shap.plots.beeswarm(theirs, show=False)
    shap.plots.bar(theirs, show=False)
    shap.plots.waterfall(theirs[0], show=False)
    shap.plots.waterfall(explained[0].to_shap(), show=False)
    pixels = vgg.explain([boot, boot], method="gradient_x_input").to_shap()
    assert pixels.shape == (2, 28, 28, 1)
    shap.plots.image(pixels, show=False)
    shap.plots.image(vgg.explain(boot, method="gradient_x_input").to_shap(), show=False)
    grouped = table.explain(rows, method="shapley", players=np.arange(8) // 4, player_names=["left", "right"]).to_shap()
    assert grouped.shape == (5, 2) and list(grouped.feature_names) == ["left", "right"]
    shap.plots.beeswarm(grouped, show=False)
    plt.close("all")


def test_dictionaries_hold_what_json_can(explained, sampled):
    document = json.loads(json.dumps(sampled.to_dict()))
    assert document["player_values"] == sampled.player_values.tolist()
    assert document["record"]["seed"] == 3 and document["parameters"]["samples"] == 64
    assert len(document["record"]["sha256"]) == 64
    assert json.loads(json.dumps(explained[0].to_dict()))["output"] == explained.output[0]


def test_the_record_says_what_made_it(table, rows):
    explained = table.explain(rows[0], method="shapley", samples=32, seed=5, threads=1, baseline=rows, target=0)
    record = explained.record
    assert record["model"] == "tabular_mlp.onnx" and record["version"] == ascribe.__version__
    assert (record["seed"], record["threads"], record["settings"]) == (5, 1, {"samples": "32"})
    assert record["question"] == {"baseline": "ndarray of shape (5, 8)", "target": 0}
    assert record["parameters"]["samples"] == 32


def test_the_strongest_players_are_those_of_the_engine(explained, vgg, boot):
    for e in (explained[1], vgg.explain(boot, method="occlusion", players="grid:4x4")):
        order = sorted(range(len(e.player_names)), key=lambda p: (-abs(e.player_values[p]), p))
        assert e.strongest(3) == [(e.player_names[p], e.player_values[p]) for p in order[:3]]
    assert len(explained.strongest(2)) == 5
    assert explained.sum == pytest.approx(explained.player_values.sum(axis=1), rel=1e-12)


@pytest.mark.parametrize("which", ["explained", "sampled"])
def test_what_is_saved_comes_back_bit_for_bit(which, request, tmp_path):
    e = request.getfixturevalue(which)
    e.save(tmp_path / "e.npz")
    assert_same(ascribe.Explanation.load(tmp_path / "e.npz"), e)
    e[2].save(tmp_path / "one.npz")
    assert_same(ascribe.Explanation.load(str(tmp_path / "one.npz")), e[2])
    with np.load(tmp_path / "e.npz", allow_pickle=False) as archive:
        assert np.array_equal(archive["values"], e.values)


def test_several_methods_are_saved_with_what_was_left_out(vgg, boot, tmp_path):
    every = vgg.explain(boot, method="all", players="grid:2x2")
    every.save(tmp_path / "all.npz")
    loaded = ascribe.Explanations.load(tmp_path / "all.npz")
    assert list(loaded) == list(every) and loaded.left_out == every.left_out and loaded.notes == every.notes
    for name in every:
        assert_same(loaded[name], every[name])
    with zipfile.ZipFile(tmp_path / "all.npz") as archive:
        assert sum(name.endswith(".data.npy") for name in archive.namelist()) == 1


def test_decompositions_audits_and_comparisons_are_saved(table, rows, tmp_path):
    d = table.decompose(rows[0], players=np.arange(8) // 2, index="sii", order=2, and_or=True)
    d.save(tmp_path / "d.npz")
    loaded = ascribe.Decomposition.load(tmp_path / "d.npz")
    assert bits(loaded.dividends) == bits(d.dividends) and loaded.strongest == d.strongest
    assert loaded.index_values == d.index_values and loaded.and_effects == d.and_effects
    assert loaded.to_dict() == d.to_dict()
    assert (loaded.output, loaded.strength, loaded.notes) == (d.output, d.strength, d.notes)

    a = table.audit(rows[0], method=["shapley", "occlusion"], players=np.arange(8) // 2)
    a.save(tmp_path / "a.npz")
    audited = ascribe.Audit.load(tmp_path / "a.npz")
    assert list(audited) == list(a) and audited["occlusion"].verdicts == a["occlusion"].verdicts
    assert bits(audited["shapley"].values) == bits(a["shapley"].values) and audited.to_dict() == a.to_dict()
    assert audited["shapley"].held == a["shapley"].held

    c = table.compare(rows[0], "shapley", "occlusion", players=np.arange(8) // 2)
    c.save(tmp_path / "c.npz")
    compared = ascribe.Comparison.load(tmp_path / "c.npz")
    assert bits(compared.first) == bits(c.first) and compared.names == c.names and compared.sentence == c.sentence
    assert compared.to_dict() == c.to_dict() and repr(compared) == repr(c)


def test_files_are_not_overwritten_unless_told(explained, sampled, tmp_path):
    path = tmp_path / "e.npz"
    explained.save(path)
    before = path.read_bytes()
    with pytest.raises(ascribe.FileError, match="overwrite=True"):
        sampled.save(path)
    assert path.read_bytes() == before
    sampled.save(path, overwrite=True)
    assert_same(ascribe.Explanation.load(path), sampled)
    assert os.listdir(tmp_path) == ["e.npz"]


def test_files_that_are_broken_or_foreign_are_refused(explained, table, rows, tmp_path):
    path = tmp_path / "e.npz"
    explained.save(path)
    whole = path.read_bytes()
    (tmp_path / "short.npz").write_bytes(whole[:len(whole) // 2])
    middle = len(whole) // 3
    (tmp_path / "flipped.npz").write_bytes(whole[:middle] + bytes(64) + whole[middle + 64:])
    (tmp_path / "empty.npz").write_bytes(b"")
    (tmp_path / "text.npz").write_text("no archive")
    np.savez(tmp_path / "foreign.npz", values=np.zeros(3))
    np.savez(tmp_path / "pickled.npz", values=np.array([{}], dtype=object))
    for name in ("short", "flipped", "empty", "text", "foreign", "pickled", "missing"):
        with pytest.raises(ascribe.FileError, match=name):
            ascribe.Explanation.load(tmp_path / f"{name}.npz")
    table.decompose(rows[0], order=1).save(tmp_path / "d.npz")
    with pytest.raises(ascribe.FileError, match="a Decomposition; ascribe.Decomposition.load"):
        ascribe.Explanation.load(tmp_path / "d.npz")
    with pytest.raises(ascribe.FileError, match="cannot be written"):
        explained.save(tmp_path / "nowhere" / "e.npz")
    assert not list(tmp_path.glob("*.part"))


def test_a_file_without_one_of_its_arrays_is_refused(explained, tmp_path):
    explained.save(tmp_path / "e.npz")
    with zipfile.ZipFile(tmp_path / "e.npz") as archive, zipfile.ZipFile(tmp_path / "less.npz", "w") as less:
        for name in archive.namelist():
            if name != "residual.npy":
                less.writestr(name, archive.read(name))
    with pytest.raises(ascribe.FileError, match="missing"):
        ascribe.Explanation.load(tmp_path / "less.npz")


def test_explanations_are_copied_pickled_and_changed(explained):
    import copy
    import pickle
    from dataclasses import replace

    for same in (copy.copy(explained), copy.deepcopy(explained), pickle.loads(pickle.dumps(explained)),
                 replace(explained)):
        assert_same(same, explained)
    assert replace(explained, method="mine").method == "mine"
    with pytest.raises(AttributeError, match="nonsense"):
        explained.nonsense  # noqa: B018


def test_what_is_looked_at_late_is_what_was_asked(table, rows):
    given = rows.copy()
    explained = table.explain(given, method=["shapley", "gradient"], baseline=given)
    given[:] = 0
    table.explain(given, method="shapley")
    assert np.array_equal(explained["shapley"].data, rows) and np.array_equal(explained["gradient"].baselines, rows)
    assert explained["shapley"].data is explained["gradient"].data
