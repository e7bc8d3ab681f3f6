#!/usr/bin/env python3
"""Work in parts, as docs/howto/scale.md shows it: the same bytes, killed at random, how fast, how much memory.

    scale.py same      one process, 8 shards and Ray with 2 actors: the merged files have the same bytes
    scale.py kill      processes are killed at random times, started again, merged: nothing is lost or doubled
    scale.py speed     samples per second of one process, 2 shards, 2 actors
    scale.py million   rows of a table on Ray: the memory of every process over time, and the time of 10k, 100k, 1M

It needs the program (ASCRIBE, or build/ascribe), the package with its extra `ray`, and Fashion-MNIST.
"""

import argparse
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = os.environ.get("ASCRIBE", str(ROOT / "build" / "ascribe"))
IMAGES = os.environ.get("FASHION_MNIST", "/usr/share/datasets/fashion-mnist")
MODEL = str(ROOT / "models" / "sigmoid_mlp.onnx")
METHODS, METRICS = "gradient_x_input,integrated_gradients,occlusion", "completeness,infidelity"
QUESTION = ["--players", "patch:4"]
HEAVIER, BATCH = str(ROOT / "models" / "sigmoid_cnn.onnx"), "16"  # for times: starting is then a small part of them
SHARDS = 8


def work(samples):
    """What all ways have in common, in the words of the command line."""
    return ["--method", METHODS, "--metric", METRICS, *QUESTION, "--samples", str(samples)]


def shard(i, count, folder, samples, model=MODEL, batch="64"):
    return [PROGRAM, "evaluate", model, IMAGES, "--batch", batch, *work(samples), "--precision", "double",
            "--threads", "1", "--shard", f"{i}/{count}", "-o", str(folder)]


def on_ray(folder, samples, actors, model=MODEL, batch="64"):
    return [sys.executable, "-W", "ignore", "-m", "ascribe.ray", "evaluate", "--data", IMAGES, "--model", model,
            "--batch", batch, *work(samples), "--precision", "float64", "--threads", "1", "--actors", str(actors),
            "--out", str(folder)]


def run(command, check=True):
    done = subprocess.run(command, capture_output=True, text=True)
    if check and done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done


def merged(folder):
    """The hash of everything that merging writes."""
    out = Path(f"{folder}-merged")
    run([PROGRAM, "merge", str(folder), "-o", str(out)])
    digest = hashlib.sha256()
    for file in sorted(path for path in ([out] if out.is_file() else out.rglob("*")) if path.is_file()):
        digest.update(str(file.relative_to(out)).encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def shards(folder, samples, count=SHARDS, at_once=2, **how):
    """All shards, some at a time."""
    waiting, running = list(range(1, count + 1)), []
    while waiting or running:
        while waiting and len(running) < at_once:
            running.append(subprocess.Popen(shard(waiting.pop(0), count, folder, samples, **how),
                                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        done = running.pop(0)
        if done.wait():
            sys.exit(f"a shard ended with {done.returncode}")


def same(folder, samples):
    hashes = {}
    for name, job in (("one process", lambda at: shards(at, samples, 1, 1)),
                      (f"{SHARDS} shards", lambda at: shards(at, samples)),
                      ("Ray, 2 actors", lambda at: run(on_ray(at, samples, 2)))):
        at = folder / name.replace(" ", "-").replace(",", "")
        begin = time.time()
        job(at)
        seconds = time.time() - begin
        hashes[name] = merged(at)
        print(f"{name:16} {seconds:8.1f} s  {hashes[name]}", flush=True)
    assert len(set(hashes.values())) == 1, "the bytes differ"
    print(f"{samples} samples, {METHODS.count(',') + 1} methods, {METRICS.count(',') + 1} metrics: the same bytes")


# ---- processes ----

def children(pid):
    """All processes that a process has started, and those that they have."""
    parents = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                parents[int(entry)] = int(Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}


def called(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""


def actors_of(pid):
    return [one for one in children(pid) if called(one).startswith("ray::MapWorker")]


def end(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def parts(folder):
    return set(Path(folder).glob("*.part")) if Path(folder).exists() else set()


def kill_one(kind, folder, samples, draw):
    """Starts the work, kills something of it at a random time, and says what was there. The work is then finished."""
    if kind == "shard":
        all_shards = [shard(i, SHARDS, folder, samples) for i in range(1, SHARDS + 1)]
        doing = [subprocess.Popen(one, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for one in all_shards]
        time.sleep(draw.uniform(0.2, 6))
        victims = draw.sample(doing, draw.randint(1, SHARDS))
        for one in victims:
            one.kill()
        for one in doing:
            one.wait()
        left = len(parts(folder))
        for one in all_shards:  # again: what is finished is skipped
            run(one)
        return f"killed {len(victims)} shards, {left} of {SHARDS} parts were there"
    driver = subprocess.Popen(on_ray(folder, samples, 2), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not actors_of(driver.pid) and driver.poll() is None:
        time.sleep(0.1)
    time.sleep(draw.uniform(0.2, 8))
    if kind == "actor":
        there = actors_of(driver.pid)
        end(draw.sample(there, draw.randint(1, len(there))) if there else [])
        left = len(parts(folder))
        code = driver.wait()
        assert code == 0, f"the driver ended with {code}"
        return f"killed actors of {len(there)}, {left} parts were there; Ray went on by itself"
    family = children(driver.pid)
    driver.kill()
    driver.wait()
    left = len(parts(folder))
    run(on_ray(folder, samples, 2))
    end(one for one in family if "ray" in called(one))  # what Ray has not cleared away itself
    return f"killed the driver, {left} parts were there"


def kill(folder, samples, times):
    draw = random.Random(0)
    shards(folder / "whole", samples, 1, 1)
    expected = merged(folder / "whole")
    for i in range(times):
        kind = ("shard", "actor", "driver")[i % 3]
        at = folder / f"killed-{i}"
        what = kill_one(kind, at, samples, draw)
        result = merged(at)
        told = "the same bytes" if result == expected else "OTHER BYTES"
        print(f"{i + 1:2} {kind:6} {what}; merged: {told}", flush=True)
        assert result == expected
        shutil.rmtree(at)
        shutil.rmtree(f"{at}-merged", ignore_errors=True)
    print(f"{times} times killed: nothing is lost, nothing is there twice")


def speed(folder, samples, times):
    """The best of some runs: others may use the machine as well."""
    how = {"model": HEAVIER, "batch": BATCH}
    ways = {"one process": lambda at: shards(at, samples, 1, 1, **how),
            "2 shards": lambda at: shards(at, samples, 2, **how),
            "Ray, 2 actors": lambda at: run(on_ray(at, samples, 2, **how)),
            "Ray, 1 actor": lambda at: run(on_ray(at, samples, 1, **how))}
    best = {}
    for k in range(times):
        for name, job in ways.items():
            at = folder / f"speed-{k}-{name.replace(' ', '-').replace(',', '')}"
            begin = time.time()
            job(at)
            best[name] = min(best.get(name, 1e9), time.time() - begin)
            shutil.rmtree(at)
    for name, seconds in best.items():
        times = best["one process"] / seconds
        print(f"{name:16} {seconds:8.2f} s {samples / seconds:9.1f} samples/s {times:6.2f} times", flush=True)


# ---- memory ----

def memory(pid, field="Pss"):
    """In MB."""
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1]) / 1024
    except OSError:
        pass
    return 0.0


class Watch(threading.Thread):
    """Looks at the memory of a process and its children every second."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.seen, self.ended = pid, [], False

    def run(self):
        while not self.ended:
            now = {}
            for pid in {self.pid, *children(self.pid)}:
                name = called(pid).split(" ")[0].rsplit("/", 1)[-1]
                now[pid, "driver" if pid == self.pid else name] = memory(pid, "Rss"), memory(pid)
            self.seen.append(now)
            time.sleep(1)

    def quarters(self):
        """Of processes that lived through most of it: the largest sizes in the first, middle two and last quarter."""
        for key in sorted({key for now in self.seen for key in now}, key=lambda key: key[1]):
            sizes = [now[key] for now in self.seen if key in now and now[key][0] > 0]
            if len(sizes) * 2 < len(self.seen) or max(rss for rss, _ in sizes) < 20:
                continue
            n = len(sizes)
            cuts = [sizes[:n // 4] or sizes[:1], sizes[n // 4:3 * n // 4] or sizes[:1], sizes[3 * n // 4:]]
            yield key[1], [(max(rss for rss, _ in cut), max(pss for _, pss in cut)) for cut in cuts]


def million(folder, counts=(10_000, 100_000, 1_000_000)):
    import numpy as np

    for count in counts:
        rows = folder / f"rows-{count}.npy"
        np.save(rows, np.random.default_rng(0).normal(size=(count, 8)) * 30 + 50)
        at = folder / f"table-{count}"
        begin = time.time()
        driver = subprocess.Popen([sys.executable, "-W", "ignore", "-m", "ascribe.ray", "explain", "--numpy", str(rows),
                                   "--model", str(ROOT / "models" / "tabular_mlp.onnx"), "--method", "shapley",
                                   "--precision", "float64", "--actors", "2", "--out", str(at)],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        watch = Watch(driver.pid)
        watch.start()
        code = driver.wait()
        seconds = time.time() - begin
        watch.ended = True
        watch.join()
        assert code == 0
        begin = time.time()
        run([PROGRAM, "merge", str(at), "-o", str(folder / f"table-{count}.npz")])
        print(f"{count:9,} rows: {seconds:8.1f} s, {count / seconds:9.0f} rows/s; {len(parts(at))} parts, merged in "
              f"{time.time() - begin:.1f} s", flush=True)
        if count == counts[-1]:
            print("largest RSS/PSS in MB in the first quarter, the middle and the last quarter of the time:")
            for name, cuts in watch.quarters():
                print(f"  {name:28} " + "  ".join(f"{rss:7.1f}/{pss:7.1f}" for rss, pss in cuts))
        shutil.rmtree(at)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["same", "kill", "speed", "million"])
    parser.add_argument("--samples", type=int, help="10000 is usual, 384 for speed")
    parser.add_argument("--times", type=int, help="20 is usual for kill, 1 for speed")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ascribe-scale-") as folder:
        at = Path(folder)
        if asked.what == "same":
            same(at, asked.samples or 10_000)
        elif asked.what == "kill":
            kill(at, asked.samples or 10_000, asked.times or 20)
        elif asked.what == "speed":
            speed(at, asked.samples or 384, asked.times or 1)
        else:
            million(at)


if __name__ == "__main__":
    main()
