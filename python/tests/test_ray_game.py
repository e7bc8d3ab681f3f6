"""One game shared by actors of Ray says what one process says."""

import json
import logging

import pytest

import ascribe

ray = pytest.importorskip("ray")
pytest.importorskip("pyarrow")

import ascribe.ray  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def cluster():
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


def test_a_game_on_ray_is_the_game_of_one_process(tmp_path, models):
    asked = {"players": "grid:3x4", "precision": "float64"}
    image = str(models / "images" / "ankle_boot.png")
    done = ascribe.ray.decompose(image, models / "relu_vgg.onnx", out=tmp_path / "parts", actors=2, shards=3, **asked)
    assert done.kind == "game"
    said = json.loads(open(done.files[0]).read())
    alone = ascribe.load(models / "relu_vgg.onnx", precision="float64").decompose(image, players="grid:3x4")
    assert said["output"] == alone.output
    assert said["effects_in_all"] == 2**12 - 1
    strongest = {tuple(effect["support"]): effect["value"] for effect in said["effects"]}
    assert len(strongest) == 2**12 - 1
    assert sum(strongest.values()) == pytest.approx(said["output"] - said["baseline_output"], rel=1e-9)


def test_many_players_are_refused_before_anything_begins(tmp_path, models):
    image = str(models / "images" / "ankle_boot.png")
    with pytest.raises(ascribe.ArgumentError, match="2\\^25"):
        ascribe.ray.decompose(image, models / "relu_vgg.onnx", out=tmp_path / "parts", players="grid:5x5")
    assert not (tmp_path / "parts").exists()
