"""Results that carry the record of how they came about, and what a replay of it says."""

import copy
import json
import pickle
import shutil

import ascribe
import numpy as np
import pytest

ASK = {"seed": 3, "threads": 1, "record": True}


@pytest.fixture
def room(models, tmp_path):
    """A model and its rows, in files that may be changed."""
    for name in ("tabular_mlp.onnx", "tabular_sample.csv"):
        shutil.copy(models / name, tmp_path / name)
    return tmp_path


@pytest.fixture
def model(room):
    return ascribe.load(room / "tabular_mlp.onnx", precision="float64")


@pytest.fixture
def rows(room):
    return room / "tabular_sample.csv"


def made_by(verb, model, rows, **how):
    """A result of each verb."""
    one = {"rows": 2, **how}
    if verb == "predict":
        return model.predict(rows, **one)
    if verb == "explain":
        return model.explain(rows, "shapley", **one)
    if verb == "decompose":
        return model.decompose(rows, **one)
    if verb == "audit":
        return model.audit(rows, ["shapley", "occlusion"], budget="none", **one)
    if verb == "compare":
        return model.compare(rows, "shapley", "occlusion", budget="none", **one)
    if verb == "verify":
        return model.verify(rows, "shapley", order=2, draws=4, **one)
    if verb == "evaluate":
        return model.evaluate(rows, "shapley", "infidelity", samples=3, **how)
    if verb == "compile":
        return model.compile("gradient_x_input", target="top", **how)
    return model.report(rows, method="shapley", budget="none", **one)


VERBS = ["predict", "explain", "decompose", "audit", "compare", "verify", "evaluate", "compile", "report"]


@pytest.mark.parametrize("verb", VERBS)
def test_every_result_carries_a_record_that_replays_to_the_same_bits(verb, model, rows):
    record = made_by(verb, model, rows, **ASK).record
    assert (record["format"], record["verb"], record["seed"], record["threads"]) == ("ascribe record", verb, 3, 1)
    assert all(len(content["sha256"]) == 64 for content in record["contents"])
    replayed = ascribe.replay(record, threads=1)
    assert (replayed.answer, replayed.changed) == ("same", []) and replayed.agrees, replayed.document
    assert replayed.to_dict()["verb"] == verb and "same" in repr(replayed)


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in ("explain", "report")])
def test_without_a_word_there_is_none(verb, model, rows):
    assert made_by(verb, model, rows).record is None


def test_an_explanation_without_one_says_in_a_few_words_what_made_it(model, rows):
    explained = made_by("explain", model, rows, seed=4)
    assert explained.record["seed"] == 4 and "format" not in explained.record
    assert model.explain(rows, ["shapley", "occlusion"], rows=2).record is None
    with pytest.raises(ascribe.FileError, match="no record"):
        ascribe.replay(explained.record)


def test_what_a_model_is_loaded_with_holds(room, rows):
    model = ascribe.load(room / "tabular_mlp.onnx", record=True)
    assert model.predict(rows).record["verb"] == "predict"
    assert model.predict(rows, record=False).record is None


def test_arrays_in_memory_are_given_again_as_files(model, rows, tmp_path):
    x = np.loadtxt(rows, delimiter=",", skiprows=1)[:4, :8]
    for given in (x, x[0]):
        explained = model.explain(given, "shapley", baseline=x, **ASK)
        assert ascribe.replay(explained.record).answer == "not possible"
        np.save(tmp_path / "x.npy", given)
        np.save(tmp_path / "b.npy", x)
        files = {"input": tmp_path / "x.npy", "baseline": [tmp_path / "b.npy"]}
        assert ascribe.replay(explained.record, files, threads=1).answer == "same"
        np.save(tmp_path / "x.npy", given + 1)
        replayed = ascribe.replay(explained.record, files)
        assert (replayed.answer, replayed.changed) == ("not possible", [str(tmp_path / "x.npy")])
    evaluated = model.evaluate(x, "shapley", "infidelity", **ASK)
    np.save(tmp_path / "x.npy", x)
    assert ascribe.replay(evaluated.record, {"data": tmp_path / "x.npy"}, threads=1, batch=1).answer == "same"


def test_functions_of_the_callers_cannot_be_replayed(model, rows):
    def mine(model, x, target, baseline):
        return np.zeros(x.size)

    for made in (model.explain(rows, {"mine": mine}, rows=0, **ASK),
                 model.audit(rows, {"mine": mine}, rows=0, **ASK),
                 model.evaluate(rows, {"mine": mine}, "completeness", samples=2, **ASK)):
        replayed = ascribe.replay(made.record)
        assert (replayed.answer, replayed.changed) == ("not possible", ["mine"])
    box = ascribe.function(lambda x: x.sum(axis=1), inputs=8)
    replayed = ascribe.replay(box.explain(np.ones(8), "shapley", **ASK).record)
    assert replayed.answer == "not possible" and not replayed.agrees


def test_a_changed_file_is_named(model, rows):
    record = made_by("explain", model, rows, **ASK).record
    rows.write_text(rows.read_text() + rows.read_text().splitlines()[-1] + "\n")
    replayed = ascribe.replay(record)
    assert (replayed.answer, replayed.changed) == ("not possible", [str(rows)])


def test_it_is_kept_with_explanations(model, rows, tmp_path):
    every = model.explain(rows, ["shapley", "occlusion"], rows="0:4", **ASK)
    record = every.record
    assert record["verb"] == "explain" and record == every["shapley"].record
    # Of one row and of one method it is that of the whole call.
    one = every["occlusion"]
    assert one[1].record == one[1:3].record == one.batched().record == every.rows(slice(2)).record == record
    assert pickle.loads(pickle.dumps(one)).record == copy.deepcopy(one).record == record
    assert json.loads(json.dumps(one.to_dict()))["record"] == record
    every.save(tmp_path / "all.npz")
    one[0].save(tmp_path / "one.npz")
    loaded = ascribe.Explanations.load(tmp_path / "all.npz")
    assert loaded.record == loaded["occlusion"].record == ascribe.Explanation.load(tmp_path / "one.npz").record == record
    assert ascribe.replay(loaded.record, threads=1).answer == "same"


def test_several_explanations_without_one_are_saved_as_before(model, rows, tmp_path):
    every = model.explain(rows, ["shapley", "occlusion"], rows=1, seed=2)
    every.save(tmp_path / "all.npz")
    loaded = ascribe.Explanations.load(tmp_path / "all.npz")
    assert loaded.record is None and loaded["shapley"].record == every["shapley"].record


@pytest.mark.parametrize("verb", ["decompose", "audit", "compare"])
def test_it_is_saved_and_loaded(verb, model, rows, tmp_path):
    for how in (ASK, {}):
        made = made_by(verb, model, rows, **how)
        made.save(tmp_path / "made.npz", overwrite=True)
        assert type(made).load(tmp_path / "made.npz").record == made.record


def test_it_is_written_where_files_are(model, rows, tmp_path):
    made_by("evaluate", model, rows, **ASK).save(tmp_path / "scores")
    assert ascribe.replay(tmp_path / "scores" / "record.json", threads=1).answer == "same"
    model.compile("gradient_x_input", tmp_path / "explained.onnx", target="top", **ASK)
    assert ascribe.replay(str(tmp_path / "explained.onnx.record.json")).answer == "same"
    made_by("evaluate", model, rows).save(tmp_path / "plain")
    assert not (tmp_path / "plain" / "record.json").exists()


def test_pictures_know_their_preprocessing_either_way(vgg, boot):
    from ascribe._showing import _preprocessing

    ask = {"method": "occlusion", "players": "grid:2x2", "preprocess": "unit"}
    plain, whole = vgg.explain(boot, **ask), vgg.explain(boot, record=True, **ask)
    plain.notes, whole.notes = [], []  # which say it too
    assert _preprocessing(plain) is not None and _preprocessing(plain) == _preprocessing(whole)


def test_what_cannot_be_is_refused(model, rows):
    with pytest.raises(ascribe.ArgumentError, match="record: got 'yes'; expected True or False"):
        model.predict(rows, record="yes")
    with pytest.raises(ascribe.ArgumentError, match="record: got int"):
        ascribe.replay(3)
    with pytest.raises(ascribe.FileError):
        ascribe.replay(rows.parent / "none.json")
