"""The simulation of runs on many machines against what can be worked out by hand."""

import dataclasses
import importlib.util
import json
import math
import sys
from pathlib import Path

import numpy as np
import pytest

_PATH = Path(__file__).resolve().parents[2] / "tools" / "scale_plan.py"


@pytest.fixture(scope="module")
def scale():
    spec = importlib.util.spec_from_file_location("scale_plan", _PATH)
    module = importlib.util.module_from_spec(spec)
    sys.modules["scale_plan"] = module  # dataclasses look there
    spec.loader.exec_module(module)
    yield module
    del sys.modules["scale_plan"]


@pytest.mark.parametrize("schedule", ["shards", "queue"])
@pytest.mark.parametrize("machines", [1, 2, 3, 7, 10, 25])
def test_equal_parts_without_failures_take_as_many_rounds_as_there_are(scale, machines, schedule):
    plan = scale.Plan(samples=200, per_sample=0.5, part=20, part_overhead=0.25, start=3, load=2, merge=4,
                      merge_per_sample=0.01, schedule=schedule)
    rounds = math.ceil(10 / machines)
    expected = 3 + 2 + rounds * (20 * 0.5 + 0.25) + 4 + 200 * 0.01
    assert scale.simulate(plan, machines).makespan == pytest.approx(expected, rel=1e-12)


def test_the_last_part_may_be_smaller(scale):
    plan = scale.Plan(samples=25, per_sample=1, part=10)
    assert scale.simulate(plan, 1).makespan == pytest.approx(25)
    assert scale.simulate(plan, 3).makespan == pytest.approx(10)


@pytest.mark.parametrize("schedule", ["shards", "queue"])
def test_the_time_of_a_worker_is_accounted_for(scale, schedule):
    plan = scale.Plan(samples=3000, per_sample=0.1, spread=1.5, part=20, part_overhead=0.3, start=5, load=3, workers=3,
                      cores=2, together=0.8, machine_spread=0.1, failures_per_hour=40, restart=7, merge=2,
                      schedule=schedule, driver=0.05 if schedule == "queue" else 0)
    for machines in (1, 4, 13):
        run = scale.simulate(plan, machines, seed=3)
        causes = [run.compute, *(getattr(run, name) for name in scale.CAUSES)]
        assert min(causes[:1]) > 0
        assert sum(causes) == pytest.approx(run.makespan, rel=1e-9)


def test_workers_share_the_cores_of_their_machine(scale):
    plan = scale.Plan(samples=80, per_sample=1, part=10, load=2, workers=4, cores=2)
    # Four workers on two cores: everything takes twice as long, loading too.
    assert scale.simulate(plan, 1).makespan == pytest.approx(2 * (2 + 2 * 10))
    crowded = dataclasses.replace(plan, together=0.5)
    assert scale.simulate(crowded, 1).makespan == pytest.approx(4 * (2 + 2 * 10))
    alone = dataclasses.replace(plan, workers=1)
    assert scale.simulate(alone, 1).makespan == pytest.approx(2 + 80)


def test_the_driver_of_a_queue_serves_one_after_the_other(scale):
    plan = scale.Plan(samples=100, per_sample=1, part=1, schedule="queue", driver=0.5)
    # Computing takes one second, handing out half of one: more than two workers find the driver busy.
    assert scale.simulate(plan, 50).makespan == pytest.approx(100 * 0.5 + 1, rel=1e-9)


def test_failures_come_as_often_as_exponential_times_say(scale):
    """A part of length T with failures of rate r is tried exp(rT) times on average and takes (exp(rT) - 1) / r."""
    seconds, per_hour, parts = 600.0, 4.0, 4000
    plan = scale.Plan(samples=parts, per_sample=seconds, part=1, failures_per_hour=per_hour)
    run = scale.simulate(plan, 1, seed=1)
    rate = per_hour / 3600
    tries = math.exp(rate * seconds)
    # The number of failures of one part is geometric: its standard deviation is sqrt(tries (tries - 1)).
    error = math.sqrt(tries * (tries - 1) / parts)
    assert abs(run.failed / parts - (tries - 1)) < 4 * error
    expected = (tries - 1) / rate
    assert run.makespan / parts == pytest.approx(expected, rel=4 * error)
    assert run.lost == pytest.approx(run.makespan - parts * seconds, rel=1e-6)


def test_restarts_and_loading_are_paid_for_every_failure(scale):
    quiet = scale.Plan(samples=2000, per_sample=10, part=1, failures_per_hour=6)
    slow = dataclasses.replace(quiet, restart=30)
    fast, late = scale.simulate(quiet, 1, seed=5), scale.simulate(slow, 1, seed=5)
    assert late.failed > 20
    assert late.failures - late.lost == pytest.approx(30 * late.failed, rel=1e-6)
    assert fast.makespan < late.makespan


def test_samples_keep_their_mean_and_their_spread(scale):
    plan = scale.Plan(samples=200_000, per_sample=0.25, spread=2.0, part=50)
    times = np.array(scale.Simulation(plan, 1, 0).times)
    assert times.mean() == pytest.approx(50 * 0.25, rel=4 * 2 / math.sqrt(200_000))
    assert times.std() == pytest.approx(0.25 * 2 * math.sqrt(50), rel=0.1)


def test_the_same_seed_gives_the_same_run(scale):
    plan = scale.Plan(samples=500, per_sample=1, spread=1, part=5, failures_per_hour=20, restart=3)
    assert scale.simulate(plan, 4, seed=9) == scale.simulate(plan, 4, seed=9)
    assert scale.simulate(plan, 4, seed=9) != scale.simulate(plan, 4, seed=10)


def test_it_says_where_scaling_ends_and_why(scale, capsys, tmp_path):
    words = ["--samples", "1000", "--per-sample", "1", "--part", "1", "--load", "50", "--machines", "1,4,16,64,256"]
    scale.main([*words, "--repeats", "1", "--plot", str(tmp_path / "plan.svg")])
    said = capsys.readouterr().out
    assert "From 16 machines on" in said
    assert "starting and loading takes" in said
    assert (tmp_path / "plan.svg").read_text().startswith("<?xml")
    scale.main([*words, "--json", "--parts", "--repeats", "1"])
    document = json.loads(capsys.readouterr().out)
    assert [row["machines"] for row in document["machines"]] == [1, 4, 16, 64, 256]
    assert document["machines"][0]["seconds"] == pytest.approx(1050)
    assert document["parts"][0]["part"] == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--samples", "10"], "--per-sample"),
        (["--samples", "0", "--per-sample", "1"], "at least 1"),
        (["--samples", "10", "--per-sample", "-1"], "--per-sample"),
        (["--samples", "10", "--per-sample", "1", "--machines", "4,2"], "rising"),
        (["--samples", "10", "--per-sample", "1", "--driver", "1"], "--schedule queue"),
        (["--samples", "10", "--per-sample", "9000", "--part", "10", "--failures-per-hour", "1"], "never end"),
        (["--samples", "1000000000", "--per-sample", "1", "--part", "1"], "too many"),
    ],
)
def test_plans_that_make_no_sense_are_refused(scale, capsys, words, said):
    with pytest.raises(SystemExit) as stopped:
        scale.main(words)
    assert stopped.value.code == 2
    assert said in capsys.readouterr().err
