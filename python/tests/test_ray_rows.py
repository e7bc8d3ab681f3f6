"""Samples as actors see them: no Ray is started here."""

import hashlib
import subprocess
import sys

import numpy as np
import pytest

import ascribe

pyarrow = pytest.importorskip("pyarrow")
pytest.importorskip("ray")

import ascribe.ray  # noqa: E402
from ascribe.ray._samples import Columns, number_of, samples_of  # noqa: E402

COLUMNS = ["area_m2", "rooms", "age_years", "distance_km", "floor", "has_lift", "garden_m2", "energy_kwh_m2"]


@pytest.fixture(scope="module")
def rows(models):
    return np.loadtxt(models / "tabular_sample.csv", delimiter=",", skiprows=1)


def batch_of(rows, ids=None):
    ids = np.arange(len(rows)) if ids is None else ids
    return {"sample_id": ids, "data": rows}


def test_importing_ascribe_does_not_import_ray():
    code = "import sys, ascribe; sys.exit(bool({'ray', 'pyarrow', 'pandas'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_a_missing_extra_is_named_with_the_command():
    code = "import sys; sys.modules['ray'] = None; import ascribe.ray"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1 and "pip install 'ascribe-xai[ray]'" in done.stderr


def test_nothing_is_sent_about_the_use_of_ray():
    code = "import ascribe.ray, os, sys; sys.exit(os.environ['RAY_USAGE_STATS_ENABLED'] != '0')"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.parametrize("form", ["numpy", "pyarrow", "lists", "pandas", "features"])
def test_every_format_of_a_batch_gives_the_same_rows(models, rows, form):
    if form == "numpy":
        batch = batch_of(rows)
    elif form == "pyarrow":
        from ray.data.extensions import ArrowTensorArray

        batch = pyarrow.table({"sample_id": np.arange(len(rows)), "data": ArrowTensorArray.from_numpy(rows)})
    elif form == "lists":
        batch = pyarrow.table({"sample_id": np.arange(len(rows)), "data": [list(row) for row in rows]})
    elif form == "pandas":
        import pandas

        batch = pandas.DataFrame({"sample_id": np.arange(len(rows)), "data": list(rows)})
    else:
        batch = pyarrow.table({"sample_id": np.arange(len(rows)), **{name: rows[:, i] for i, name in enumerate(COLUMNS)}})
    worker = ascribe.ray.Explain(models / "tabular_mlp.onnx", "shapley", precision="float64")
    made = worker(batch)
    expected = ascribe.load(models / "tabular_mlp.onnx", precision="float64").explain(rows, "shapley")
    assert np.array_equal(np.array(made["values"].to_pylist()), expected.player_values)
    assert made["sample_id"].to_pylist() == list(range(len(rows)))
    assert made["error"].null_count == len(rows)


def test_a_row_says_everything_that_it_depends_on(models, rows):
    model = models / "tabular_mlp.onnx"
    made = ascribe.ray.Explain(model, ["shapley", "lime"], precision="float64", seed=7, samples=40)(batch_of(rows[:2]))
    first = made.to_pylist()[1]
    assert first["method"] == "lime" and first["sample_id"] == 0 and first["seed"] == 7
    assert first["model"] == hashlib.sha256(model.read_bytes()).hexdigest()
    assert first["version"] == ascribe.__version__
    assert first["output"] == pytest.approx(first["base_value"] + sum(first["values"]) + first["residual"])
    other = ascribe.ray.Explain(model, ["shapley", "lime"], precision="float64", seed=7, samples=41)(batch_of(rows[:2]))
    assert other["settings"][1] != made["settings"][1]
    keys = set(zip(made["sample_id"].to_pylist(), made["method"].to_pylist(), made["settings"].to_pylist()))
    assert len(keys) == 4


@pytest.mark.parametrize("kind", [ascribe.ray.Explain, ascribe.ray.Evaluate])
def test_bad_samples_are_rows_with_their_error_and_take_nobody_with_them(models, rows, kind):
    more = {"metric": "completeness"} if kind is ascribe.ray.Evaluate else {}
    worker = kind(models / "tabular_mlp.onnx", "gradient_x_input", precision="float64", **more)
    value = "score" if more else "residual"
    good = worker(batch_of(rows[:4]))[value].to_pylist()
    bad = [rows[0], np.full(8, np.nan), rows[2][:5], rows[3]]
    made = worker({"sample_id": [0, 1, 2, 3], "data": bad})
    errors = made["error"].to_pylist()
    assert [error is None for error in errors] == [True, False, False, True]
    # Other batches, other last bits: BLAS chooses its code by the number of rows (docs/howto/reproducibility.md).
    values = made[value].to_pylist()
    assert values[1:3] == [None, None]
    assert [values[0], values[3]] == pytest.approx([good[0], good[3]], rel=1e-9)
    assert "5" in errors[2]


def test_samples_without_data_say_so(models, rows):
    worker = ascribe.ray.Explain(models / "tabular_mlp.onnx", "gradient_x_input")
    table = pyarrow.table({"sample_id": ["a", "b"], "data": [list(rows[0]), None]})
    assert worker(table)["error"].to_pylist() == [None, "there are no data"]


def test_scores_depend_on_the_id_and_not_on_the_batch(models, rows):
    worker = ascribe.ray.Evaluate(models / "tabular_mlp.onnx", "gradient_x_input", "max_sensitivity", precision="float64")
    together = worker(batch_of(rows[:6], np.arange(100, 106)))["score"].to_pylist()
    alone = [worker(batch_of(rows[i:i + 1], np.array([100 + i])))["score"][0].as_py() for i in range(6)]
    assert together == pytest.approx(alone, rel=1e-9)  # but for the last bits, which depend on the batch
    others = worker(batch_of(rows[:6], np.arange(6)))["score"].to_pylist()
    assert together != pytest.approx(others, rel=1e-3)  # the draws are those of other samples


def test_texts_are_numbers_that_follow_from_them():
    assert number_of(17) == 17
    assert number_of("a.png") == number_of("a.png") != number_of("b.png")
    assert 0 <= number_of("a.png") < 2**63


def test_columns_that_are_not_there_are_named():
    with pytest.raises(ascribe.ArgumentError, match="sample_id"):
        samples_of({"data": [1.0]}, Columns())
    with pytest.raises(ascribe.ArgumentError, match="'rows'"):
        samples_of({"sample_id": [1], "data": [1.0]}, Columns(data="rows"))
    with pytest.raises(ascribe.ArgumentError, match="counted from 0"):
        samples_of({"sample_id": [-1], "data": [1.0]}, Columns())


def test_a_method_that_is_not_there_is_refused_at_once(models):
    with pytest.raises(ascribe.ArgumentError, match="shaply"):
        ascribe.ray.Explain(models / "tabular_mlp.onnx", "shaply")
    with pytest.raises(ascribe.ArgumentError, match="deletio"):
        ascribe.ray.Evaluate(models / "tabular_mlp.onnx", "shapley", "deletio")
    with pytest.raises(ascribe.FileError):
        ascribe.ray.Explain(models / "nothing.onnx")
