#!/usr/bin/env python3
"""Whole commands while one call to the system fails: the first, the second, the third ...

    run.py ASCRIBE INJECT.so [COMMAND...] [--quick N] [--first N] [--more N] [--kind KIND] [--leaks] [--jobs N]

Every read, write, open, rename, fsync, lock, folder and thread start fails once, and once together with all that
follow; every read and write is also cut short and interrupted. Allocations: the first ones all, then a ladder. Each
time: a documented exit code, one line that says what failed, every file under its final name old or whole, nothing
left over, and a next run that ends as an undisturbed one does. docs/decisions/044-faults-are-injected-from-outside.md
"""
import argparse
import collections
import concurrent.futures
import itertools
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from commands import COMMANDS, Command  # noqa: E402

FILE_KINDS = ("open", "read", "mmap", "write", "sync", "rename", "truncate", "mkdir", "lock", "thread")
HARMLESS = ("half", "interrupt")  # of these nobody may notice anything
IO_FAILED, NO_MEMORY = 5, 8
LONGEST = 120  # seconds of a run
UNDER_VALGRIND = 30  # times as many
VALGRIND = ("valgrind", "--quiet", "--trace-children=yes", "--track-fds=yes", "--leak-check=full",
            "--errors-for-leak-kinds=definite", "--show-leak-kinds=definite",
            "--undef-value-errors=no",  # which is the sanitizers' work
            "--show-mismatched-frees=no",  # new is the injector's, delete the C++ library's
            "--soname-synonyms=somalloc=nouserintercepts")  # the injector keeps its place
NUMBERS = re.compile(rb"[0-9a-f]{16,64}|(&lt; )?-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?( m?s\b)?")  # also how long something took
MOMENT = re.compile(rb"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2})?")
NOTES = re.compile(rb'"notes": \[[^\]]*\]')  # that a run goes on is one, of its results

Point = collections.namedtuple("Point", "kind call mode")
Run = collections.namedtuple("Run", "code out err calls lost")


class Program:
    def __init__(self, binary: str, library: str):
        self.binary, self.library = binary, library

    def run(self, arguments: list[str], folder: pathlib.Path, point: Point | None = None, leaks: bool = False) -> Run:
        with tempfile.TemporaryDirectory() as aside:
            report = pathlib.Path(aside) / "calls"
            # With a turn count the program does not start itself again to set one.
            environment = dict(os.environ, GOMP_SPINCOUNT="5000", ASCRIBE_FAULT_REPORT=str(report))
            if point:
                environment["ASCRIBE_FAULT"] = f"{point.kind}:{point.call}:{point.mode}"
            log = pathlib.Path(aside) / "valgrind"
            # env: so that nothing fails in valgrind, which is a program, too.
            start = [*VALGRIND, f"--log-file={log}"] if leaks else []
            start += ["env", f"LD_PRELOAD={self.library}"]
            done = subprocess.run([*start, self.binary, *arguments], cwd=folder, env=environment,
                                  stdin=subprocess.DEVNULL, capture_output=True, check=False,
                                  timeout=LONGEST * (UNDER_VALGRIND if leaks else 1))
            lost = lost_things(log.read_text(errors="replace")) if log.exists() else []
            calls = {}
            if report.exists():
                calls = {kind: int(count) for kind, count in (line.split() for line in report.read_text().splitlines())}
        return Run(done.returncode, done.stdout, done.stderr.decode(errors="replace"), calls, lost)


def lost_things(log: str) -> list[str]:
    """What valgrind has seen: memory that nobody can give back any more, and files left open. Reads beyond a block are
    those of oneDNN's generated code; in ours the sanitizers look for them. What protobuf's own constructors lose when
    they fail is not ours to mend."""
    text = re.sub(r"^==\d+== *", "", log, flags=re.M)
    parts = [" ".join(part.split()) for part in re.split(r"\n\n|^(?=Open file)", text, flags=re.M)]
    foreign = re.compile(r"operator new\(unsigned long\) \(in \S+\) by \w+: google::protobuf::")
    return [part[:600] for part in parts if ("definitely lost" in part and not foreign.search(part))
            or (part.startswith("Open file descriptor") and "<inherited from parent>" not in part)]


def files_of(folder: pathlib.Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def masked(content: bytes) -> bytes:
    """Without the numbers: of files that hold moments and durations."""
    return NUMBERS.sub(b"#", timeless(content))


def timeless(content: bytes) -> bytes:
    return NOTES.sub(b"", MOMENT.sub(b"#", content))


def difference(expected: bytes, got: bytes) -> str:
    """The first line that differs."""
    for ours, theirs in itertools.zip_longest(expected.splitlines(), got.splitlines(), fillvalue=b""):
        if masked(ours) != masked(theirs):
            return f"{ours[:120]!r} expected, {theirs[:120]!r} found"
    return "in its numbers"


def said_of(run: Run) -> list[str]:
    """What a run complains of; OpenMP has a line of its own."""
    lines = run.err.splitlines()
    return [line for line in lines if line and not line.startswith(("ascribe: note: ", "libgomp: "))]


class Study:
    """One command: how it ends undisturbed, and how it ends with a fault."""

    between = 1.1  # seconds between two undisturbed runs: moments are written in seconds

    def __init__(self, program: Program, command: Command, space: pathlib.Path, leaks: bool = False):
        self.program, self.command, self.leaks = program, command, leaks
        self.before = space / f"{command.name}-before"
        self.space = space
        self.before.mkdir()
        for step in command.before:
            self.step(step)
        self.files_before = files_of(self.before)
        first, self.whole, self.out = self.undisturbed("first")
        time.sleep(self.between)
        second, self.whole_again, self.out_again = self.undisturbed("second")
        self.calls = {kind: max(first.calls[kind], second.calls[kind]) for kind in first.calls}
        self.changing = {name for name in self.whole if self.whole[name] != self.whole_again[name]}

    def step(self, step: tuple) -> None:
        arguments, point = (step[0], Point(*step[1])) if isinstance(step, tuple) else (step, None)
        run = self.program.run(arguments, self.before, point)
        if (run.code != 0) != (point is not None):
            raise SystemExit(f"{self.command.name}: the preparation failed\n{run.err}")

    def fresh(self, name: str) -> pathlib.Path:
        folder = pathlib.Path(tempfile.mkdtemp(prefix=f"{self.command.name}-{name}-", dir=self.space))
        shutil.copytree(self.before, folder, dirs_exist_ok=True)
        return folder

    def undisturbed(self, name: str) -> tuple[Run, dict[str, bytes], bytes]:
        folder = self.fresh(name)
        run = self.program.run(self.command.arguments, folder)
        if run.code != 0:
            raise SystemExit(f"{self.command.name}: fails without a fault\n{run.err}")
        whole = files_of(folder)
        shutil.rmtree(folder)
        return run, whole, run.out

    def points(self, first: int, more: int, quick: int) -> list[Point]:
        points = []
        for kind in FILE_KINDS:
            modes = ("once", "on") + (HARMLESS if kind in ("read", "write") else ())
            points += [Point(kind, call, mode) for mode in modes for call in range(1, self.calls[kind] + 1)]
        count = self.calls["alloc"]
        ladder = set(range(1, min(first, count) + 1))
        draw = random.Random(self.command.name)
        ladder |= {draw.randint(1, count) for _ in range(more)}
        points += [Point("alloc", call, mode) for mode in ("once", "on") for call in sorted(ladder)]
        return draw.sample(points, min(quick, len(points))) if quick else points

    # ---- one point ----

    def same(self, name: str, content: bytes) -> bool:
        """Whether a file is as an undisturbed run leaves it."""
        if name not in self.whole:
            return False
        if self.command.is_log(name):
            return content.startswith(self.files_before.get(name, b"")) and (not content or content.endswith(b"\n"))
        if name in self.changing:
            return masked(content) == masked(self.whole[name])
        return timeless(content) == timeless(self.whole[name])

    def complaints(self, point: Point) -> list[str]:
        folder = self.fresh(f"{point.kind}-{point.call}-{point.mode}")
        try:
            run = self.program.run(self.command.arguments, folder, point, self.leaks)
            if self.leaks:
                return run.lost
            after = files_of(folder)
            if run.code == 0 and self.command.skips and point.kind in ("open", "read") and point.mode not in HARMLESS:
                # A sample that cannot be read is told and left out.
                return [complaint for complaint in self.of_files(run, after) if "left over" in complaint]
            found = self.of_run(point, run) + self.of_files(run, after)
            if not found and (run.code != 0 or point.mode == "on") and after != self.files_before:
                found = self.of_next_run(folder)
            return found
        except subprocess.TimeoutExpired:
            return ["it hangs"]
        finally:
            shutil.rmtree(folder)

    def of_run(self, point: Point, run: Run) -> list[str]:
        found = []
        allowed = {0} if point.mode in HARMLESS else {0, NO_MEMORY if point.kind in ("alloc", "thread") else IO_FAILED}
        if point.kind in FILE_KINDS:
            allowed |= set(self.command.other_codes)
        elif "cannot allocate" in run.err:  # an array, in the words of the budget
            allowed.add(2)
        said = said_of(run)
        if run.code not in allowed:
            found.append(f"exit code {run.code}; expected {' or '.join(map(str, sorted(allowed)))}")
        if run.code == 0 and said:
            found.append("exit code 0 with a complaint")
        elif run.code in self.command.other_codes and run.out:
            pass  # an answer, not a complaint
        elif run.code != 0 and not self.says_it(said):
            found.append(f"{len(said)} lines on stderr; expected one")
        if run.code == 0 and run.out != self.out and masked(run.out) != masked(self.out):
            found.append("exit code 0 with another output")
        if found:
            found.append("stderr: " + " / ".join(said)[:600])
        return found

    def says_it(self, said: list[str]) -> bool:
        listed = said[:-1] if self.command.lists else []
        return len(said) == 1 + len(listed) and said[-1].startswith("ascribe: ") and "bug" not in said[-1]

    def of_files(self, run: Run, after: dict[str, bytes]) -> list[str]:
        found = []
        for name, content in after.items():
            if self.files_before.get(name) == content or self.same(name, content):
                continue
            if run.code != 0 and self.command.may_be_left(name):
                continue
            if run.code == 0 and b"cannot allocate" in content:  # a part that was left out, which the file says
                continue
            found.append(f"{name} is neither old nor whole" if name in self.whole else f"{name} is left over")
        found += [f"{name} is gone" for name in self.files_before if name in self.whole and name not in after]
        if run.code == 0:
            found += [f"{name} is missing after exit code 0" for name in self.whole if name not in after]
        fresh = [name for name in self.whole if name not in self.files_before and name.startswith(self.command.together)]
        there = [name for name in fresh if name in after]
        if self.command.together and there and len(there) < len(fresh):
            found.append(f"a part of a new folder is there: {' '.join(there)[:200]}")
        return found

    def of_next_run(self, folder: pathlib.Path) -> list[str]:
        run = self.program.run(self.command.arguments, folder)
        if run.code != 0:
            return [f"the next run ends with {run.code}: {run.err.strip()[-300:]}"]
        after = files_of(folder)
        found = [f"after the next run {name} is left over" for name in after
                 if name not in self.whole and name not in self.files_before]
        found += [f"after the next run {name} is missing" for name in self.whole if name not in after]
        return found + [f"after the next run {name} is another: {difference(self.whole[name], after[name])}"
                        for name in self.whole if name in after and not self.same(name, after[name])]


def show(study: Study, point: Point, found: list[str]) -> None:
    print(f"FAILED {study.command.name} {point.kind}:{point.call}:{point.mode} "
          f"(ASCRIBE_FAULT, ascribe {' '.join(study.command.arguments)})", flush=True)
    for complaint in found:
        print(f"    {complaint}", flush=True)


def table(counts: dict[str, collections.Counter]) -> str:
    kinds = ("alloc", *FILE_KINDS)
    lines = ["| command | " + " | ".join(kinds) + " | all |", "|---" * (len(kinds) + 2) + "|"]
    total = collections.Counter()
    for name, counter in counts.items():
        lines.append(f"| {name} | " + " | ".join(str(counter[kind]) for kind in kinds) + f" | {counter.total()} |")
        total += counter
    lines.append("| together | " + " | ".join(str(total[kind]) for kind in kinds) + f" | {total.total()} |")
    return "\n".join(lines)


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("ascribe")
    parser.add_argument("library")
    parser.add_argument("commands", nargs="*", help="names of commands; all if none is given")
    parser.add_argument("--quick", type=int, default=0, metavar="N", help="only N points of each command, drawn")
    parser.add_argument("--first", type=int, default=150, help="so many first allocations, all")
    parser.add_argument("--more", type=int, default=150, help="so many later ones, drawn")
    parser.add_argument("--kind", help="only faults of this kind")
    parser.add_argument("--leaks", action="store_true", help="under valgrind, only what is lost is looked at; slow")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    return parser.parse_args()


def main() -> int:
    asked = options()
    program = Program(str(pathlib.Path(asked.ascribe).resolve()), str(pathlib.Path(asked.library).resolve()))
    if asked.leaks and not shutil.which("valgrind"):
        raise SystemExit("--leaks needs valgrind")
    names = [command.name for command in COMMANDS]
    for name in asked.commands:
        if name not in names:
            raise SystemExit(f"there is no command '{name}'; there are {', '.join(names)}")
    counts, failures = {}, 0
    with tempfile.TemporaryDirectory() as space, concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        for command in COMMANDS:
            if asked.commands and command.name not in asked.commands:
                continue
            begun = time.monotonic()
            study = Study(program, command, pathlib.Path(space), asked.leaks)
            points = [point for point in study.points(asked.first, asked.more, asked.quick)
                      if not asked.kind or point.kind == asked.kind]
            counts[command.name] = collections.Counter(point.kind for point in points)
            bad = 0
            for point, found in zip(points, pool.map(study.complaints, points)):
                if found:
                    bad += 1
                    show(study, point, found)
            failures += bad
            print(f"{command.name}: {len(points)} points of {sum(study.calls.values())} calls, {bad} failed, "
                  f"{time.monotonic() - begun:.0f} s", flush=True)
    print(table(counts))
    print(f"{sum(counter.total() for counter in counts.values())} points, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
