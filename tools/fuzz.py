#!/usr/bin/env python3
"""Runs the fuzz targets and counts: tools/fuzz.py FUZZER [TARGET|all] [TIME] [--smoke] [--jobs N]

TIME is for all targets together: 600, 30m, 1h, 24h. Inputs that find new code are kept beside the fuzzer in
fuzz/corpus/TARGET, findings in fuzz/findings/TARGET. --smoke: the same few hundred executions of each target every time,
on its seeds alone, and nothing is kept but findings. docs/howto/fuzz.md says more.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent
CASES = pathlib.Path("/usr/share/libonnx-testdata/data")  # of the ONNX project
LARGEST_CASE = 8192  # bytes; larger ones are slow to mutate
LONGEST_INPUT = 30  # seconds that one may take
LONG = 300  # seconds; in less, thousands of cases would leave no time to mutate any
SMOKE_SECONDS = 3  # about; the number of executions and the draws are the same each time, so that a change is judged by
SMOKE = ["-seed=1", "-runs=500"]  # what it changed
MOST_STOPS = 8  # of a target that findings end, then it is given up: most are the same again
# Models have most to be found in.
WEIGHTS = {"import": 3, "run": 4, "report": 2, "parts": 2}
UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}


def seconds_of(text):
    match = re.fullmatch(r"(\d+)([smhd]?)", text)
    if not match or int(match[1]) == 0:
        raise SystemExit(f"fuzz: the time is like 600, 30m, 1h or 24h; got '{text}'")
    return int(match[1]) * UNITS[match[2]]


class Target:
    def __init__(self, fuzzer, line, place):
        self.fuzzer = fuzzer
        self.name, self.longest, self.reads = line.split("\t")
        self.place = place
        self.executions = self.inputs = self.coverage = 0
        self.seconds = 0.0
        self.findings = {}  # the first input by what is wrong with it
        self.stops = 0

    def folders(self, seconds):
        """Where inputs come from; new ones go to the first."""
        corpus = self.place / "corpus" / self.name
        corpus.mkdir(parents=True, exist_ok=True)
        folders = [corpus]
        for kind in ("seeds", "crashers"):
            if (ROOT / "tests/fuzz" / kind / self.name).is_dir():
                folders.append(ROOT / "tests/fuzz" / kind / self.name)
        if self.name in ("import", "run") and seconds >= LONG:
            folders.append(cases(self.place))
        return folders

    def run(self, seconds):
        """The fuzzer ends at a finding, and begins again until the time is over."""
        began = time.monotonic()
        findings = self.place / "findings" / self.name
        findings.mkdir(parents=True, exist_ok=True)
        left = seconds
        while left > 0 and self.stops < MOST_STOPS:
            if self.run_once(left, self.folders(seconds), findings):
                break
            left = int(seconds - (time.monotonic() - began))
        self.seconds = time.monotonic() - began

    def run_once(self, seconds, folders, findings):
        command = [self.fuzzer, f"-max_total_time={seconds if seconds > SMOKE_SECONDS else 60}", f"-max_len={self.longest}", f"-timeout={LONGEST_INPUT}",
                   f"-report_slow_units={LONGEST_INPUT}", "-rss_limit_mb=2048", "-print_final_stats=1", "-reload=0",
                   f"-artifact_prefix={findings}/", *(SMOKE if seconds <= SMOKE_SECONDS else []),
                   *map(str, folders)]
        environment = {**os.environ, "ASCRIBE_FUZZ_TARGET": self.name, "OMP_NUM_THREADS": "1"}
        log = self.place / f"{self.name}.log"
        with open(log, "w", errors="replace") as file:
            done = subprocess.run(command, env=environment, stdout=file, stderr=subprocess.STDOUT, check=False)
        self.count(log.read_text(errors="replace"))
        if done.returncode != 0:
            self.keep(log.read_text(errors="replace"), done.returncode, findings)
        return done.returncode == 0

    def count(self, text):
        executed = re.findall(r"stat::number_of_executed_units:\s*(\d+)", text) or re.findall(r"^#(\d+)\s", text, re.M)
        self.executions += int(executed[-1]) if executed else 0
        for name, pattern in (("inputs", r"corp: (\d+)/"), ("coverage", r"cov: (\d+)")):
            found = re.findall(pattern, text)
            setattr(self, name, max(getattr(self, name), int(found[-1]) if found else 0))

    def keep(self, text, code, findings):
        artifact = re.findall(r"Test unit written to (\S+)", text)
        why = re.findall(r"^SUMMARY: (.*)|^\s+what\(\):\s+(.*)", text, re.M)
        reason = next((a or b for a, b in reversed(why) if b), None) or next((a for a, _ in why if a), f"exit code {code}")
        if artifact and "libFuzzer: timeout" in reason and (spent := self.processor_seconds(artifact[-1])) < LONGEST_INPUT:
            print(f"{self.name}: the machine was busy; {artifact[-1]} takes {spent:.1f} s of processor time", flush=True)
            return
        self.stops += 1
        if reason in self.findings:
            return
        self.findings[reason] = artifact[-1] if artifact else str(findings)
        print(f"finding in {self.name}: {reason}\n  {self.findings[reason]}", flush=True)
        if artifact:
            pathlib.Path(artifact[-1] + ".log").write_text(text[-20000:])

    def processor_seconds(self, artifact):
        """Of one input: libFuzzer itself looks at the clock on the wall, which a busy machine does not stop."""
        command = [self.fuzzer, f"-timeout={10 * LONGEST_INPUT}", artifact]
        environment = {**os.environ, "ASCRIBE_FUZZ_TARGET": self.name, "OMP_NUM_THREADS": "1"}
        with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
            _, status, used = os.wait4(running.pid, 0)
            running.returncode = os.waitstatus_to_exitcode(status)
        return used.ru_utime + used.ru_stime if running.returncode == 0 else float("inf")


def cases(place):
    """The models of the ONNX project's cases that are small enough to mutate well."""
    folder = place / "cases"
    if not folder.is_dir() and CASES.is_dir():
        fresh = pathlib.Path(tempfile.mkdtemp(dir=place))
        for file in sorted(CASES.rglob("model.onnx")):
            if file.stat().st_size <= LARGEST_CASE:
                shutil.copy(file, fresh / "-".join(file.relative_to(CASES).parts))
        try:
            fresh.rename(folder)
        except OSError:  # another target was quicker
            shutil.rmtree(fresh)
    folder.mkdir(exist_ok=True)
    return folder


def table(targets):
    rows = [("target", "seconds", "executions", "per second", "inputs", "edges", "findings")]
    for one in targets:
        rows.append((one.name, f"{one.seconds:.0f}", str(one.executions), f"{one.executions / max(one.seconds, 1):.0f}",
                     str(one.inputs), str(one.coverage), str(len(one.findings))))
    rows.append(("together", f"{sum(t.seconds for t in targets):.0f}", str(sum(t.executions for t in targets)), "",
                 str(sum(t.inputs for t in targets)), "", str(sum(len(t.findings) for t in targets))))
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(widths[0]) if i == 0 else cell.rjust(widths[i]) for i, cell in enumerate(row)).rstrip())


def chosen(arguments, every):
    words = list(arguments.words)
    name = words.pop(0) if words and not re.fullmatch(r"\d+[smhd]?", words[0]) else "all"
    if len(words) > 1:
        raise SystemExit(f"fuzz: expected a target and a time; got '{' '.join(arguments.words)}'")
    targets = [one for one in every if name in ("all", one.name)]
    if not targets:
        raise SystemExit(f"fuzz: there is no target '{name}'; there are {', '.join(t.name for t in every)}")
    return targets, seconds_of(words[0]) if words else None


def shares(targets, seconds, jobs):
    """Seconds of each target, so that all are done in this time."""
    all_weights = sum(WEIGHTS.get(one.name, 1) for one in targets)
    lanes = min(jobs, len(targets))
    return {one.name: max(1, int(min(seconds, seconds * lanes * WEIGHTS.get(one.name, 1) / all_weights))) for one in targets}


def main():
    parser = argparse.ArgumentParser(prog="./dev fuzz", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("fuzzer")
    parser.add_argument("words", nargs="*", metavar="TARGET, TIME")
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    listed = subprocess.run([arguments.fuzzer], check=True, capture_output=True, text=True).stdout.splitlines()
    place = pathlib.Path(arguments.fuzzer).resolve().parent / "fuzz"
    with tempfile.TemporaryDirectory() as passing:
        if arguments.smoke:
            place = pathlib.Path(passing)
        place.mkdir(exist_ok=True)
        targets, seconds = chosen(arguments, [Target(arguments.fuzzer, line, place) for line in listed if "\t" in line])
        if arguments.smoke:
            times = {one.name: seconds or SMOKE_SECONDS for one in targets}
        else:
            times = shares(targets, seconds or 600, arguments.jobs)
        # The longest first, so that no lane is left with it alone.
        order = sorted(targets, key=lambda one: -times[one.name])
        with ThreadPoolExecutor(arguments.jobs) as lanes:
            list(lanes.map(lambda one: one.run(times[one.name]), order))
        if arguments.smoke:
            keep_smoke_findings(targets, pathlib.Path(arguments.fuzzer).resolve().parent / "fuzz/findings")
    table(targets)
    sys.exit(1 if any(one.findings for one in targets) else 0)


def keep_smoke_findings(targets, folder):
    for one in targets:
        for artifact in one.findings.values():
            if pathlib.Path(artifact).is_file():
                (folder / one.name).mkdir(parents=True, exist_ok=True)
                print("kept:", shutil.copy(artifact, folder / one.name))


if __name__ == "__main__":
    main()
