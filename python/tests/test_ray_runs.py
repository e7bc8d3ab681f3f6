"""Runs on Ray: the same bytes as one process, bad samples, processes that are killed, and what is refused at once."""

import logging
import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import ascribe

pyarrow = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.parquet")
ray = pytest.importorskip("ray")

import ascribe.ray  # noqa: E402
from ascribe import parts  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::ResourceWarning")


@pytest.fixture(scope="module", autouse=True)
def cluster():
    """Two processors, whatever the machine has."""
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


@pytest.fixture(scope="module")
def model(models):
    return models / "tabular_mlp.onnx"


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """More samples than a batch, the last batch shorter."""
    path = tmp_path_factory.mktemp("data") / "rows.npy"
    np.save(path, np.random.default_rng(1).normal(size=(300, 8)) * 30 + 50)
    return path


def content(folder):
    """Every file that merging has written."""
    return {path.name: path.read_bytes() for path in sorted(pathlib.Path(folder).rglob("*")) if path.is_file()}


def program():
    found = os.environ.get("ASCRIBE", str(pathlib.Path(__file__).resolve().parents[2] / "build" / "ascribe"))
    if not os.access(found, os.X_OK):
        pytest.skip("the program ascribe is not built")
    return found


SAMPLED = dict(method=["kernel_shap", "integrated_gradients"], precision="float64", seed=5, batch=4,
               settings={"samples": "24"})


@pytest.fixture(scope="module")
def whole(model, data, tmp_path_factory):
    """What one process of the command line makes of it."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "all").mkdir()
    subprocess.run([program(), "explain", model, data, "--method", "kernel_shap,integrated_gradients", "--precision",
                    "double", "--seed", "5", "--set", "samples=24", "--batch", "4", "--shard", "1/1", "-o",
                    folder / "parts"],
                   check=True, capture_output=True)
    subprocess.run([program(), "merge", folder / "parts", "-o", folder / "all" / "all.npz"], check=True,
                   capture_output=True)
    return content(folder / "all")


@pytest.mark.parametrize("how", [dict(actors=1), dict(actors=2), dict(actors=2, shards=3), dict(actors=1, threads=2)])
def test_parts_of_ray_are_the_bytes_of_one_process(model, data, whole, tmp_path, how):
    (tmp_path / "all").mkdir()
    ascribe.ray.explain(data, model, out=tmp_path / "parts", **SAMPLED, **how)
    done = ascribe.merge(tmp_path / "parts", tmp_path / "all" / "all.npz")
    assert done.samples == 300 and done.failed == 0
    assert content(tmp_path / "all") == whole


def test_scores_of_ray_are_those_of_one_call(model, data, tmp_path):
    asked = dict(method=["shapley", "lime"], metric=["completeness", "infidelity"])
    ascribe.ray.evaluate(data, model, **asked, out=tmp_path / "parts", precision="float64", seed=3, actors=2, shards=4)
    found = ascribe.merge(tmp_path / "parts").evaluation
    expected = ascribe.load(model, precision="float64").evaluate(data, **asked, seed=3, samples=0)
    assert found.to_csv() == expected.to_csv() and found.to_csv(samples=True) == expected.to_csv(samples=True)


def test_rows_do_not_depend_on_where_they_come_from(model, data, tmp_path):
    rows = np.load(data)[:90]
    np.save(tmp_path / "rows.npy", rows)
    table = pyarrow.table({"sample_id": np.arange(90), **{f"c{i}": rows[:, i] for i in range(8)}})
    pyarrow.parquet.write_table(table, tmp_path / "rows.parquet", row_group_size=32)
    how = dict(method="shapley", precision="float64", actors=1)
    features = [f"c{i}" for i in range(8)]
    found = [ascribe.ray.explain(tmp_path / "rows.npy", model, **how),
             ascribe.ray.explain(tmp_path / "rows.parquet", model, columns=features, batch=20, **how),
             ascribe.ray.explain(ray.data.from_arrow(table), model, columns=features, **how)]
    frames = [one.to_pandas().sort_values("sample_id") for one in found]
    expected = ascribe.load(model, precision="float64").explain(rows, "shapley").player_values
    for frame in frames:
        assert list(frame["sample_id"]) == list(range(90))
        assert np.allclose(np.stack(list(frame["values"])), expected, rtol=0, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize("source", ["dataset", "parquet"])
def test_bad_samples_are_rows_and_counted(model, data, tmp_path, source, caplog):
    rows = [list(row) for row in np.load(data)[:70]]
    rows[3], rows[40], rows[41] = [float("nan")] * 8, rows[40][:5], None
    table = pyarrow.table({"sample_id": np.arange(70), "data": rows})
    given = ray.data.from_arrow(table)
    if source == "parquet":
        given = tmp_path / "rows.parquet"
        pyarrow.parquet.write_table(table, given)
    with caplog.at_level("INFO", "ascribe"):
        made = ascribe.ray.explain(given, model, "shapley", out=tmp_path / "parts", precision="float64", actors=1)
    frame = made.to_pandas().sort_values("sample_id")
    assert list(frame["sample_id"]) == list(range(70))
    bad = frame[frame["error"].notna()].set_index("sample_id")["error"]
    assert list(bad.index) == [3, 40, 41]
    assert "5" in bad[40] and "no data" in bad[41]
    assert "3 of 70 samples have an error" in caplog.text
    done = ascribe.merge(tmp_path / "parts")
    assert (done.samples, done.failed) == (70, 3)


def test_parts_become_parquet_as_a_whole_or_not_at_all(model, data, tmp_path):
    ascribe.ray.explain(data, model, "shapley", out=tmp_path / "parts", precision="float64", shards=2)
    assert parts.to_parquet(tmp_path / "parts", tmp_path / "all.parquet") == 300
    found = pyarrow.parquet.read_table(tmp_path / "all.parquet")
    expected = ascribe.load(model, precision="float64").explain(np.load(data), "shapley")
    values = np.array(found["values"].to_pylist())
    assert np.allclose(values, expected.player_values, rtol=0, atol=1e-12 * np.abs(values).max())
    with pytest.raises(ascribe.FileError, match="there already"):
        parts.to_parquet(tmp_path / "parts", tmp_path / "all.parquet")
    os.unlink(parts.files(tmp_path / "parts")[1])
    with pytest.raises(ascribe.FileError, match="missing"):
        parts.to_parquet(tmp_path / "parts", tmp_path / "rest.parquet")
    assert sorted(os.listdir(tmp_path)) == ["all.parquet", "parts"]
    assert 0 < parts.to_parquet(tmp_path / "parts", tmp_path / "rest.parquet", partial=True) < 300


@pytest.mark.parametrize("wrong", [
    (dict(method="shaply"), ascribe.ArgumentError, "shapley"),
    (dict(method="shapley", players="nonsense"), ascribe.ArgumentError, "players"),
    (dict(method="shapley", stepz=3), ascribe.ArgumentError, "steps"),
    (dict(method="shapley", target=7), ascribe.Error, "target"),
    (dict(method="shapley", shards=0), ascribe.ArgumentError, "shards"),
    (dict(method=lambda *_: 0), ascribe.ArgumentError, "names of methods")])
@pytest.mark.parametrize("out", [None, "parts"])
def test_what_cannot_work_is_said_before_anything_begins(model, data, tmp_path, wrong, out):
    how, kind, text = wrong
    with pytest.raises(kind, match=text):
        ascribe.ray.explain(data, model, out=out and tmp_path / out, **how)
    assert not os.listdir(tmp_path)


def test_rows_of_a_wrong_shape_are_refused_as_a_whole(model, tmp_path):
    np.save(tmp_path / "rows.npy", np.zeros((20, 5)))
    with pytest.raises(ascribe.Error, match="5"):
        ascribe.ray.explain(tmp_path / "rows.npy", model, "shapley", out=tmp_path / "parts")
    with pytest.raises(ascribe.FileError):
        ascribe.ray.explain(tmp_path / "nothing.npy", model, "shapley")
    assert os.listdir(tmp_path) == ["rows.npy"]


def test_a_folder_of_other_work_is_refused(model, data, tmp_path):
    ascribe.ray.explain(data, model, "shapley", out=tmp_path / "parts", shards=2)
    with pytest.raises(Exception, match="other work"):
        ascribe.ray.explain(data, model, "lime", out=tmp_path / "parts", shards=2)


def test_a_run_that_is_whole_computes_nothing_again(model, data, tmp_path, caplog):
    for _ in range(2):
        caplog.clear()
        with caplog.at_level("INFO", "ascribe"):
            ascribe.ray.explain(data, model, "shapley", out=tmp_path / "parts", shards=3)
    assert "300 samples, 0 of them computed now" in caplog.text


# ---- processes that are killed ----

def driver(model, data, folder):
    """As a process of its own, with work that takes some seconds."""
    return subprocess.Popen([sys.executable, "-W", "ignore", "-m", "ascribe.ray", "explain", "--numpy", data, "--model",
                             model, "--method", "kernel_shap,integrated_gradients", "--set", "samples=24", "--precision",
                             "float64", "--seed", "5", "--actors", "2", "--batch", "4", "--out", folder],
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)


def descendants(pid):
    parents = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                text = pathlib.Path(f"/proc/{entry}/stat").read_text()
                parents[int(entry)] = int(text.rpartition(")")[2].split()[1])
            except OSError:
                continue
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def called(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def wait_for_parts(folder, count, process):
    while len(list(folder.glob("*.part"))) < count and process.poll() is None:
        time.sleep(0.01)


def merged(folder, tmp_path):
    (tmp_path / "all").mkdir()
    ascribe.merge(folder, tmp_path / "all" / "all.npz")
    return content(tmp_path / "all")


def test_actors_that_are_killed_lose_and_double_nothing(model, data, whole, tmp_path):
    process = driver(model, data, tmp_path / "parts")
    wait_for_parts(tmp_path / "parts", 5, process)
    victims = [pid for pid in descendants(process.pid) if called(pid).startswith("ray::MapWorker")]
    for pid in victims:
        os.kill(pid, signal.SIGKILL)
    there = len(list((tmp_path / "parts").glob("*.part")))
    assert process.wait(timeout=80) == 0, process.stderr.read()
    assert victims and there < 75  # it was in the middle of it
    assert merged(tmp_path / "parts", tmp_path) == whole


def test_a_driver_that_is_killed_is_started_again(model, data, whole, tmp_path):
    process = driver(model, data, tmp_path / "parts")
    wait_for_parts(tmp_path / "parts", 5, process)
    family = descendants(process.pid)
    process.kill()
    process.wait()
    there = len(list((tmp_path / "parts").glob("*.part")))
    assert 5 <= there < 75
    with pytest.raises(ascribe.FileError, match="missing"):
        ascribe.merge(tmp_path / "parts")
    ascribe.ray.explain(data, model, out=tmp_path / "parts", actors=2, **SAMPLED)
    assert merged(tmp_path / "parts", tmp_path) == whole
    for pid in family:  # what Ray has left of the first run
        if "ray" in called(pid):
            os.kill(pid, signal.SIGKILL)


def test_a_script_says_what_is_wrong_in_a_line(model, data, tmp_path):
    done = subprocess.run([sys.executable, "-W", "ignore", "-m", "ascribe.ray", "explain", "--numpy", data, "--model",
                           model, "--method", "shaply", "--out", tmp_path / "parts"], capture_output=True, text=True)
    assert done.returncode == 1 and "did you mean 'shapley'" in done.stderr and "Traceback" not in done.stderr
