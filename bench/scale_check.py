#!/usr/bin/env python3
"""tools/scale_plan.py held against real runs on this machine: 1, 2, 4 and 8 processes share a game of a bundled model.

    bench/scale_check.py [--program build/ascribe] [--players grid:3x6] [--processes 1,2,4,8] [--repeats 2]

The times that the simulation needs are measured on one process alone, and on two at a time how much processes hinder
each other; everything else is predicted. Prints the table of docs/howto/plan-a-cluster.md. Needs a quiet machine.
"""

import argparse
import importlib.util
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def scale_plan():
    spec = importlib.util.spec_from_file_location("scale_plan", ROOT / "tools" / "scale_plan.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["scale_plan"] = module
    spec.loader.exec_module(module)
    return module


class Runs:
    """Real runs, each in an empty folder."""

    def __init__(self, program, players):
        self.program = str(Path(program).resolve())
        self.question = ["decompose", str(ROOT / "models/relu_vgg.onnx"), str(ROOT / "models/images/ankle_boot.png"),
                         "--players", players, "--precision", "double", "--threads", "1", "--json", "--quiet"]
        self.environment = {**os.environ, "OMP_WAIT_POLICY": "passive"}

    def shards(self, folder, count):
        """Seconds until the last of so many processes is through, and what each of them said."""
        begin = time.perf_counter()
        processes = [
            subprocess.Popen([self.program, *self.question, "--shard", f"{i}/{count}", "--out", str(folder)],
                             stdout=subprocess.PIPE, env=self.environment)
            for i in range(1, count + 1)
        ]
        said = [json.loads(process.communicate()[0]) for process in processes]
        return time.perf_counter() - begin, said

    def merge(self, folder):
        begin = time.perf_counter()
        subprocess.run([self.program, "merge", str(folder), "--json", "--quiet", "--force"], check=True,
                       stdout=subprocess.DEVNULL, env=self.environment)
        return time.perf_counter() - begin

    def whole(self, count, merged=True):
        """Seconds of the shards, of the merge, and of shards that find everything there."""
        folder = Path(tempfile.mkdtemp(prefix="scale-check-"))
        try:
            seconds, said = self.shards(folder / "parts", count)
            merge = self.merge(folder / "parts") if merged else 0.0
            idle, _ = self.shards(folder / "parts", 1)
            return seconds, merge, idle, said
        finally:
            shutil.rmtree(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--program", default="build/ascribe")
    parser.add_argument("--players", default="grid:3x6")
    parser.add_argument("--processes", default="1,2,4,8")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--cores", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    scale, runs = scale_plan(), Runs(arguments.program, arguments.players)
    counts = [int(word) for word in arguments.processes.split(",")]
    measured = {count: [runs.whole(count) for _ in range(arguments.repeats)] for count in counts}
    alone, merge, load, said = min(measured[1])
    parts = said[0][0]["computed"] if isinstance(said[0], list) else said[0]["computed"]
    per_part = (alone - load) / parts
    pair = min(measured[2])[0]
    # Of two processes on two cores each does half of the parts, after loading.
    together = min(1.0, (load + per_part * parts / 2) / pair)
    plan = dict(samples=parts, per_sample=per_part, part=1, load=load, cores=arguments.cores, together=together,
                merge=merge)
    print(f"{parts} parts, {1000 * per_part:.1f} ms each, load {load:.2f} s, merge {merge:.2f} s, "
          f"together {together:.2f}, {arguments.cores} cores\n")
    print("| processes | predicted | measured | difference |")
    print("|--:|--:|--:|--:|")
    for count in counts:
        predicted = scale.simulate(scale.Plan(workers=count, **plan), 1).makespan
        real = statistics.median(run[0] + run[1] for run in measured[count])
        print(f"| {count} | {predicted:.2f} s | {real:.2f} s | {100 * (real / predicted - 1):+.0f} % |")


if __name__ == "__main__":
    main()
