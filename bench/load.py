#!/usr/bin/env python3
"""Long runs: is memory flat, is time linear, does a killed run go on to the same bytes?

    load.py evaluate DATA [--count 60000] [--model models/sigmoid_mlp.onnx]
    load.py explain FOLDER [--count 2000] [--model MODEL] [--preprocess imagenet]

`evaluate` scores two methods with two metrics over idx files; `explain` takes a folder of photographs, as often as it
needs to have enough of them (links with names of their own). Each is run over a quarter, a half and all, then once more
and killed after half of the time and started again. ASCRIBE names the program (build/ascribe).
"""

import argparse
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = os.environ.get("ASCRIBE", str(ROOT / "build" / "ascribe"))


def resident(process):
    """Bytes in memory now; 0 when it is over."""
    try:
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) * 1024
    except (FileNotFoundError, ProcessLookupError):
        pass
    return 0


def run(command, kill_after=None):
    """(seconds, memory seen ten times a second); stops it without warning after `kill_after` seconds."""
    start, seen = time.monotonic(), []
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while child.poll() is None:
        seen.append(resident(child.pid))
        if kill_after is not None and time.monotonic() - start > kill_after:
            child.send_signal(signal.SIGKILL)
            child.wait()
        time.sleep(0.1)
    seconds = time.monotonic() - start
    said = child.stderr.read()
    if kill_after is None and child.returncode:
        sys.exit(f"{' '.join(command)}\n{said}")
    return seconds, [bytes_ for bytes_ in seen if bytes_]


def quarters(seen):
    """The most memory in each quarter of the time, in MiB."""
    size = max(1, len(seen) // 4)
    return [max(seen[at:at + size]) / 2**20 for at in range(0, 4 * size, size) if seen[at:at + size]]


def digest(folder):
    """Of all results in a folder, but for how long they took, their record, and the note that a run went on."""
    whole = hashlib.sha256()
    for file in sorted(Path(folder).rglob("*")):
        if file.is_file() and file.name not in ("timings.json", "record.json"):
            lines = [line for line in file.read_bytes().splitlines() if b"where an earlier run stopped" not in line]
            whole.update(file.name.encode() + b"\n".join(lines))
    return whole.hexdigest()


def evaluate(options, count, folder):
    model = options.model or str(ROOT / "models/sigmoid_mlp.onnx")
    return [PROGRAM, "evaluate", model, options.data, "--part", "train", "--method", "gradient_x_input,lrp_epsilon",
            "--metric", "completeness,sparseness", "--samples", str(count), "-o", str(folder), "--quiet"]


def photographs(source, count, folder):
    """A folder with `count` links to the photographs of another."""
    folder.mkdir()
    kinds = (".jpg", ".jpeg", ".png")
    files = sorted(file for file in Path(source).rglob("*") if file.suffix.lower() in kinds)
    if not files:
        sys.exit(f"{source} has no photographs")
    for number in range(count):
        file = files[number % len(files)]
        os.link(file, folder / f"{number:06}{file.suffix}") if file.stat().st_dev == folder.stat().st_dev else \
            shutil.copy(file, folder / f"{number:06}{file.suffix}")


def explain(options, count, folder):
    pictures = folder.parent / f"pictures-{count}"
    if not pictures.exists():
        photographs(options.data, count, pictures)
    return [PROGRAM, "explain", options.model, str(pictures), "--method", "gradient_x_input", "--preprocess",
            options.preprocess, "--players", "patch:16", "-o", str(folder), "--quiet"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("verb", choices=["evaluate", "explain"])
    parser.add_argument("data")
    parser.add_argument("--count", type=int)
    parser.add_argument("--model")
    parser.add_argument("--preprocess", default="imagenet")
    options = parser.parse_args()
    make = evaluate if options.verb == "evaluate" else explain
    count = options.count or (60000 if options.verb == "evaluate" else 2000)
    with tempfile.TemporaryDirectory(prefix="ascribe-load-") as work:
        work = Path(work)
        print(f"{'samples':>8} {'seconds':>8} {'per second':>10}   most MiB in each quarter of the time")
        for part in (count // 4, count // 2, count):
            seconds, seen = run(make(options, part, work / f"out-{part}"))
            most = " ".join(f"{mebibytes:.0f}" for mebibytes in quarters(seen))
            print(f"{part:8} {seconds:8.1f} {part / seconds:10.0f}   {most}", flush=True)
        again = work / "again"
        run(make(options, count, again), kill_after=seconds / 2)
        rest, _ = run(make(options, count, again))
        same = digest(again) == digest(work / f"out-{count}")
        word = "the same bytes" if same else "OTHER BYTES"
        print(f"killed after {seconds / 2:.1f} s, went on for {rest:.1f} s: {word}")
        sys.exit(0 if same else 1)


if __name__ == "__main__":
    main()
