"""The frame of all contests: processes that take turns, medians, ratios, and a file that keeps what was measured.

Every contestant runs in a process of its own, so that its peak memory is its own; they take turns, so that a slow
minute of the machine hits all of them. A process prints one line of JSON: `seconds` of its runs, `peak_mib`, and if it
likes `way` (the setting that was fastest). Results are kept row by row, with the commit, in build/bench/results.json.
"""

import contextlib
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import networks

ROOT = networks.ROOT
PATIENCE = 900  # seconds that a process may take
ENOUGH = 10  # seconds of timed runs after which a peer's process makes no more


class Network(NamedTuple):
    """Stands for a network's file in a command."""

    name: str


class Marker(NamedTuple):
    """Stands for a number that is known when the row runs."""

    name: str


REPEATS, THREADS = Marker("repeats"), Marker("threads")


class Row(NamedTuple):
    """A comparison. The first contestant is ascribe, or what stands for it."""

    name: str  # by which it is kept and asked for
    title: str  # for readers
    contestants: dict[str, list]
    asked: dict[str, float] = {}  # the ratio that is asked for, of a peer's time to ours
    runs: int = 5  # timed runs of a process
    rounds: int = 0  # processes of a contestant; 0: as many as the options say
    work: Callable[[], float] | None = None  # thousand millions of operations of a run
    note: str = ""
    busy: bool = True  # measured again on a busy machine, if that is asked for
    memory: dict[str, float] = {}  # the ratio that is asked for, of a peer's peak memory to ours
    sweep: tuple = ()  # (what grows, its value), for rows that show how cost grows


def ours(program, *arguments):
    """One of the programs of bench/*.cpp."""
    return [Path(os.environ.get(f"ASCRIBE_BENCH_{program.upper()}", ROOT / "build" / f"ascribe_bench_{program}")),
            *arguments]


def peer(family, function, newest=False, **arguments):
    """A function of contests/FAMILY.py in a process, called with the arguments, `repeats` and `threads`.

    `newest`: with the peers that need a newer Python, if there is one."""
    return [newest_python() if newest else sys.executable, ROOT / "bench" / "worker.py", family, function, arguments]


def newest_python():
    """The Python whose peers are newest."""
    own = ROOT / ".venv-peers" / "bin" / "python"
    return own if (own.parent.parent / "installed.txt").exists() else sys.executable


def timed(ways, repeats, warm=2):
    """Times the fastest way to a result and prints its runs. Ways may have names: {name: way}."""
    ways = ways if isinstance(ways, dict) else {f"way {i}": way for i, way in enumerate(ways)}
    tuned(ways, ways, repeats, warm)


def tuned(short, whole, repeats, warm=0, scale=1.0):
    """Times `whole` in the way whose `short` version is fastest: {name: run}. Stops early where runs take long.

    `scale`: how many times the work a run stands for."""
    name = next(iter(whole))
    if len(whole) > 1:
        tries = {}
        for way, run in short.items():
            clocked(run)
            tries[way] = min(several(run, 3, ENOUGH / 4))
        name = min(tries, key=tries.__getitem__)
    for _ in range(warm):
        whole[name]()
    seconds = [scale * second for second in several(whole[name], repeats, ENOUGH)]
    said(seconds, name if len(whole) > 1 else "")


def several(run, repeats, enough):
    """Seconds of the runs, no more of them once they took so many seconds together."""
    seconds = []
    while len(seconds) < repeats and (not seconds or sum(seconds) < enough):
        seconds.append(clocked(run))
    return seconds


def clocked(run):
    """Seconds."""
    import time

    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def said(seconds, way=""):
    """The line that a process prints."""
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "way": way, "peak_mib": peak}))


class Settings(NamedTuple):
    """How a run is measured."""

    threads: int = 2
    repeats: int = 5
    rounds: int = 3
    quick: bool = False


def command_of(parts, repeats, threads):
    """The parts of a command, with files and numbers in place."""
    known = {"repeats": repeats, "threads": threads}

    def resolved(part: Any):
        if isinstance(part, Network):
            return networks.exported(part.name)
        if isinstance(part, Marker):
            return known[part.name]
        if isinstance(part, dict):
            return json.dumps({name: resolved(value) for name, value in part.items()} | known)
        return part

    return [str(resolved(part)) for part in parts]


def measured(command, threads, passive=False):
    """What a process says of its times and memory; {"failed": why} if it fails."""
    environment = {name: value for name, value in os.environ.items() if name != "OMP_WAIT_POLICY"}
    environment |= {"OMP_NUM_THREADS": str(threads)} | ({"OMP_WAIT_POLICY": "passive"} if passive else {})
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return {"failed": f"no answer in {PATIENCE} s"}
    except OSError as error:
        return {"failed": f"{Path(command[0]).name}: {error.strerror}"}
    lines = done.stdout.strip().splitlines()
    if done.returncode == 0 and lines:
        with contextlib.suppress(json.JSONDecodeError):
            return json.loads(lines[-1])
    words = (done.stderr.strip().splitlines() or lines or ["it said nothing"])[-1]
    return {"failed": f"exit code {done.returncode}: {words[:200]}"}


@contextlib.contextmanager
def company(processes):
    """Processes that burn a core each, as a busy machine has them."""
    burners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


def taken_turns(row, settings, passive_peers=False):
    """Runs the contestants' processes in turns: {contestant: {"seconds", "peak_mib", "way"}}, or why it failed."""
    repeats = max(1, row.runs * settings.repeats // 5)
    first = next(iter(row.contestants))
    runs = {contestant: [] for contestant in row.contestants}
    for _ in range(min(row.rounds or settings.rounds, settings.rounds)):
        for contestant, parts in row.contestants.items():
            done = runs[contestant]
            if not done or "failed" not in done[-1]:
                command = command_of(parts, repeats, settings.threads)
                done.append(measured(command, settings.threads, passive_peers and contestant != first))
    return {contestant: summary(done) for contestant, done in runs.items()}


def summary(runs):
    """The median of all runs of a contestant's processes, and its highest peak."""
    for run in runs:
        if "failed" in run:
            return run
    seconds = [second for run in runs for second in run["seconds"]]
    last = {name: value for name, value in runs[-1].items() if name not in ("seconds", "peak_mib")}
    return last | {"seconds": statistics.median(seconds), "runs": len(seconds),
                   "peak_mib": max(run["peak_mib"] for run in runs)}


def figure(result):
    """What contestants are compared by: their error, where they have one, or their time."""
    return result.get("error", result["seconds"])


class Store:
    """What was measured, in a file that is written anew after each row."""

    def __init__(self, path=None):
        self.path = Path(path or networks.FOLDER / "results.json")
        self.content = {"rows": {}}
        if self.path.exists():
            self.content = json.loads(self.path.read_text())

    def row(self, name):
        """What is known of a row, or nothing."""
        return self.content["rows"].get(name, {})

    def keep(self, name, values):
        """Adds to what is known of a row, or begins anew where it is of another commit."""
        known = self.row(name)
        if known.get("commit") != values.get("commit"):
            known = {}
        self.content["rows"][name] = known | values
        self.write()

    def write(self):
        """The old file stays until the new one is whole."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        part = self.path.with_suffix(".part")
        part.write_text(json.dumps(self.content, indent=1))
        part.rename(self.path)


def commit():
    """Of the tree that is measured; with a plus if its sources differ from it."""
    try:
        name = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True,
                              check=True).stdout.strip()
        changed = subprocess.run(["git", "status", "--porcelain", "--", "src", "bench", "include"], cwd=ROOT,
                                 capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return name + ("+" if changed else "")
