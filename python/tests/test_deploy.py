"""The templates of deploy/ do what they say: their bodies are run with three shards, and merged."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
MODEL = ROOT / "models" / "tabular_mlp.onnx"
ROWS = ROOT / "models" / "tabular_sample.csv"

# A sbatch that runs the jobs at once, one task after the other, as Slurm sets their environment.
SBATCH = """#!/usr/bin/env bash
set -euo pipefail
echo "sbatch $*" >> "$STUB/calls"
array= dependency=
while [[ ${1:-} == --* ]]; do
  case $1 in
    --array=*) array=${1#*=} ;;
    --dependency=afterok:*) dependency=${1#*:} ;;
    --parsable | --partition=*) ;;
    *) echo "sbatch: unknown option $1" >&2; exit 1 ;;
  esac
  shift
done
script=$1
shift
job=$(($(wc -l < "$STUB/calls") + 40))
if [[ -n $dependency && ! -e $STUB/done-$dependency ]]; then echo "sbatch: job $dependency is not done" >&2; exit 1; fi
export SLURM_CPUS_PER_TASK=1 SLURM_MEM_PER_NODE=1024 SLURM_JOB_ID=$job
if [[ -n $array ]]; then
  first=${array%-*} last=${array#*-}
  export SLURM_ARRAY_JOB_ID=$job SLURM_ARRAY_TASK_COUNT=$((last - first + 1)) SLURM_ARRAY_TASK_MIN=$first \\
    SLURM_ARRAY_TASK_MAX=$last SLURM_ARRAY_TASK_STEP=1
  for ((task = first; task <= last; ++task)); do
    SLURM_ARRAY_TASK_ID=$task bash "$script" "$@" >> "$STUB/log" 2>&1
  done
else
  bash "$script" "$@" >> "$STUB/log" 2>&1
fi
touch "$STUB/done-$job"
echo "$job;cluster"
"""
SRUN = '#!/usr/bin/env bash\necho "srun $*" >> "$STUB/calls"\nexec "$@"\n'


@pytest.fixture
def ascribe():
    program = os.environ.get("ASCRIBE")
    if not program:
        pytest.skip("ASCRIBE does not name the program")
    return str(Path(program).resolve())


@pytest.fixture
def slurm(tmp_path, ascribe):
    """An environment with a Slurm of one machine."""
    stub = tmp_path / "stub"
    stub.mkdir()
    for name, text in (("sbatch", SBATCH), ("srun", SRUN)):
        (stub / name).write_text(text)
        (stub / name).chmod(0o755)
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("SLURM", "OMPI", "JOB_"))}
    return {**clean, "PATH": f"{stub}:{os.environ['PATH']}", "STUB": str(stub), "ASCRIBE": ascribe,
            "SBATCH_OPTIONS": "--partition=long"}


def run(words, **how):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=300, check=False, **how)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def values_of(path):
    with np.load(path) as arrays:
        return {name: arrays[name] for name in arrays.files}


def alone(ascribe, folder, rows=ROWS):
    """The same by one process, merged from its one part."""
    run([ascribe, "explain", MODEL, rows, "--method", "shapley", "--precision", "double", "--out", folder / "alone",
         "--shard", "1/1"])
    run([ascribe, "merge", folder / "alone", "--out", folder / "alone.npz"])
    return values_of(folder / "alone.npz")


def same(a, b):
    assert a.keys() == b.keys()
    for name in a:
        np.testing.assert_array_equal(a[name], b[name], err_msg=name)


def test_slurm_submits_an_array_and_the_merge_behind_it(tmp_path, slurm, ascribe):
    result = tmp_path / "result.npz"
    said = run([DEPLOY / "slurm" / "submit", "3", tmp_path / "parts", result, "explain", MODEL, ROWS, "--method", "shapley",
                "--precision", "double", "--batch", "4"], env=slurm)
    assert len(list((tmp_path / "parts").glob("*.part"))) == 3
    calls = (Path(slurm["STUB"]) / "calls").read_text()
    assert calls.count("srun") == 4
    assert re.search(r"--partition=long --dependency=afterok:\d+ ", calls)
    assert re.search(r"shards: job \d+, merge: job \d+\n", said.stdout)
    same(values_of(result), alone(ascribe, tmp_path))


def test_a_task_of_slurm_that_died_is_submitted_again(tmp_path, slurm):
    question = ["explain", MODEL, ROWS, "--method", "shapley", "--batch", "4", "--out", tmp_path / "parts"]
    run(["sbatch", "--array=1-3", DEPLOY / "slurm" / "shards.sbatch", *question], env=slurm)
    parts = sorted((tmp_path / "parts").glob("*.part"))
    assert len(parts) == 3
    parts[0].unlink()
    broken = subprocess.run(["sbatch", str(DEPLOY / "slurm" / "merge.sbatch"), str(tmp_path / "parts"), "--out",
                             str(tmp_path / "result.npz")], env=slurm, check=False)
    assert broken.returncode != 0
    run(["sbatch", "--array=1-3", DEPLOY / "slurm" / "shards.sbatch", *question], env=slurm)
    run(["sbatch", DEPLOY / "slurm" / "merge.sbatch", tmp_path / "parts", "--out", tmp_path / "result.npz"], env=slurm)
    assert sorted((tmp_path / "parts").glob("*.part")) == parts


def test_slurm_refuses_what_is_not_a_number_of_shards(slurm):
    for words in (["0", "a", "b", "explain"], ["many", "a", "b", "explain"], ["3"]):
        done = subprocess.run([DEPLOY / "slurm" / "submit", *words], env=slurm, capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert done.stderr


def container(path):
    yaml = pytest.importorskip("yaml")
    (job,) = yaml.safe_load_all(path.read_text())
    assert (job["apiVersion"], job["kind"]) == ("batch/v1", "Job")
    pod = job["spec"]["template"]["spec"]
    (only,) = pod["containers"]
    assert pod["restartPolicy"] == "Never"
    assert pod["securityContext"]["runAsNonRoot"]
    mounted = {mount["name"] for mount in only["volumeMounts"]}
    assert mounted == {volume["name"] for volume in pod["volumes"]}
    return job["spec"], only


def test_kubernetes_runs_a_pod_per_shard_and_merges(tmp_path, ascribe):
    spec, shards = container(DEPLOY / "kubernetes" / "shards.yaml")
    assert spec["completionMode"] == "Indexed"
    count = spec["completions"]
    assert f"auto/{count}" in shards["args"]
    shutil.copyfile(MODEL, tmp_path / "model.onnx")
    shutil.copyfile(ROWS, tmp_path / "rows.csv")

    def command(one, completions=None):
        words = [ascribe if word == "ascribe" else word for word in one["command"] + one["args"]]
        words = [word.replace("/data", str(tmp_path)) for word in words]
        return [f"auto/{completions}" if word.startswith("auto/") else word for word in words]

    clean = {key: value for key, value in os.environ.items() if not key.startswith(("SLURM", "OMPI", "JOB_"))}
    for index in range(3):
        run([*command(shards, 3), "--precision", "double", "--batch", "4"], env={**clean, "JOB_COMPLETION_INDEX": str(index)})
    _, merge = container(DEPLOY / "kubernetes" / "merge.yaml")
    run(command(merge))
    assert len(list((tmp_path / "parts").glob("*.part"))) == 3
    same(values_of(tmp_path / "result.npz"), alone(ascribe, tmp_path, tmp_path / "rows.csv"))


def test_pods_are_tried_again_only_if_that_can_help(tmp_path, ascribe):
    spec, _ = container(DEPLOY / "kubernetes" / "shards.yaml")
    rule = spec["podFailurePolicy"]["rules"][0]
    hopeless = rule["onExitCodes"]["values"]
    assert rule["action"] == "FailJob"
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"not a model")

    def code(*words):
        return subprocess.run([ascribe, *map(str, words)], capture_output=True, check=False).returncode

    assert code("explain", MODEL, ROWS, "--no-such-option") in hopeless
    assert code("explain", broken, ROWS, "--method", "shapley") in hopeless
    # A volume that is not there yet.
    assert code("explain", MODEL, tmp_path / "rows.csv", "--method", "shapley") not in hopeless


def test_the_pods_of_kubernetes_share_one_volume():
    yaml = pytest.importorskip("yaml")
    claim = yaml.safe_load((DEPLOY / "kubernetes" / "volume.yaml").read_text())
    assert claim["kind"] == "PersistentVolumeClaim"
    assert claim["spec"]["accessModes"] == ["ReadWriteMany"]
    for name in ("shards", "merge"):
        text = (DEPLOY / "kubernetes" / f"{name}.yaml").read_text()
        assert f"claimName: {claim['metadata']['name']}" in text


def test_ray_takes_its_cluster_file():
    yaml = pytest.importorskip("yaml")
    pytest.importorskip("ray")
    from ray.autoscaler._private.util import prepare_config, validate_config

    config = yaml.safe_load((DEPLOY / "ray" / "cluster.yaml").read_text())
    validate_config(prepare_config(config))
    wrong = {**config, "head_setup": []}
    with pytest.raises(Exception, match="head_setup"):
        validate_config(wrong)


def test_scripts_are_bash():
    for script in [*(DEPLOY / "slurm").iterdir()]:
        run(["bash", "-n", script])


def test_the_image_is_built_from_what_it_copies():
    ignored = (ROOT / ".dockerignore").read_text().split("\n")
    text = (DEPLOY / "Containerfile").read_text()
    assert "USER 10001" in text
    for needed in ("dev", "src", "cmake", "include", "CMakeLists.txt", "tests", "bench", "models", "LICENSE"):
        assert (ROOT / needed).exists()
        assert needed not in ignored
