#!/usr/bin/env python3
"""tools/scale_plan.py held against real runs on this machine: 1, 2, 4 and 8 processes explain the same images.

    bench/scale_check.py [--program build/ascribe] [--samples 256] [--processes 1,2,4,8] [--repeats 2] [--ray]

The times that the simulation needs are measured on one process alone, and on two at a time how much processes hinder
each other; everything else is predicted. Prints the tables of docs/howto/plan-a-cluster.md. Needs a quiet machine.
--ray: the same with actors of ascribe.ray, whose times to start are measured with one actor.
"""

import argparse
import importlib.util
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
MODEL = ROOT / "models" / "relu_vgg.onnx"
BATCH = 4


def scale_plan():
    spec = importlib.util.spec_from_file_location("scale_plan", ROOT / "tools" / "scale_plan.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["scale_plan"] = module
    spec.loader.exec_module(module)
    return module


class Runs:
    """Real runs, each into an empty folder."""

    def __init__(self, program, folder, samples):
        self.program, self.folder = str(Path(program).resolve()), folder
        self.data = self.images("images.npy", samples)
        self.environment = {**os.environ, "OMP_WAIT_POLICY": "passive"}

    def images(self, name, count):
        path = self.folder / name
        np.save(path, np.random.default_rng(0).random((count, 1, 28, 28), dtype=np.float32))
        return path

    def shards(self, data, count):
        """Seconds until the last of so many processes is through, and seconds of the merge."""
        parts = self.folder / "parts"
        shutil.rmtree(parts, ignore_errors=True)
        begin = time.perf_counter()
        words = [self.program, "explain", str(MODEL), str(data), "--method", "shapley", "--players", "grid:3x3",
                 "--preprocess", "raw", "--batch", str(BATCH), "--threads", "1", "--quiet"]
        processes = [
            subprocess.Popen([*words, "--shard", f"{i}/{count}", "--out", str(parts)], stdout=subprocess.DEVNULL,
                             env=self.environment)
            for i in range(1, count + 1)
        ]
        if any(process.wait() for process in processes):
            raise SystemExit("a shard failed")
        middle = time.perf_counter()
        subprocess.run([self.program, "merge", str(parts), "--quiet", "--out", str(self.folder / "all.npz"), "--force"],
                       check=True, stdout=subprocess.DEVNULL, env=self.environment)
        return middle - begin, time.perf_counter() - middle


class Actors:
    """The same on Ray."""

    def __init__(self, runs):
        self.runs = runs

    def run(self, data, count):
        import ray

        import ascribe
        import ascribe.ray

        parts = self.runs.folder / "ray-parts"
        shutil.rmtree(parts, ignore_errors=True)
        # Each actor asks for one processor; Ray is told of as many as there are actors.
        ray.init(num_cpus=count, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
        try:
            begin = time.perf_counter()
            ascribe.ray.explain(str(data), str(MODEL), "shapley", players="grid:3x3",
                                preprocess="raw", batch=BATCH, shards=64, out=str(parts), actors=count, threads=1)
            middle = time.perf_counter()
            ascribe.merge(str(parts), str(self.runs.folder / "all.npz"), force=True)
            return middle - begin, time.perf_counter() - middle
        finally:
            ray.shutdown()


def table(scale, measure, data, one, samples, counts, repeats, cores, schedule, part):
    """Measures, predicts and prints."""
    small = min(measure(one, 1)[0] for _ in range(repeats))
    measured = {count: [measure(data, count) for _ in range(repeats)] for count in sorted({1, 2, *counts})}
    alone, merge = min(measured[1])
    per_sample = (alone - small) / (samples - 1)
    load = small - per_sample
    # Of two workers on two cores each has half of the samples, after loading.
    together = min(1.0, (load + per_sample * samples / 2) / min(measured[2])[0]) if cores > 1 else 1.0
    print(f"{samples} samples, {1000 * per_sample:.1f} ms each, load {load:.2f} s, merge {merge:.2f} s, "
          f"pace together {together:.2f}, {cores} cores\n")
    print("| workers | predicted | measured | difference |")
    print("|--:|--:|--:|--:|")
    for count in counts:
        plan = scale.Plan(samples=samples, per_sample=per_sample, part=part, load=load, cores=cores, together=together,
                          merge=merge, workers=count, schedule=schedule)
        predicted = scale.simulate(plan, 1).makespan
        real = statistics.median(sum(run) for run in measured[count])
        print(f"| {count} | {predicted:.2f} s | {real:.2f} s | {100 * (real / predicted - 1):+.0f} % |")
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--program", default="build/ascribe")
    parser.add_argument("--samples", type=int, default=256)
    parser.add_argument("--processes", default="1,2,4,8")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--cores", type=int, default=os.cpu_count())
    parser.add_argument("--ray", action="store_true", help="also actors of Ray")
    arguments = parser.parse_args()
    counts = [int(word) for word in arguments.processes.split(",")]
    with tempfile.TemporaryDirectory(prefix="scale-check-") as folder:
        scale, runs = scale_plan(), Runs(arguments.program, Path(folder), arguments.samples)
        one = runs.images("one.npy", 1)
        common = (runs.data, one, arguments.samples, counts, arguments.repeats, arguments.cores)
        table(scale, runs.shards, *common, "shards", BATCH)
        if arguments.ray:
            table(scale, Actors(runs).run, *common, "queue", max(BATCH, arguments.samples // 64))


if __name__ == "__main__":
    main()
