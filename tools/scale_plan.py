#!/usr/bin/env python3
"""How long will it take on N machines, and where does it stop scaling? (docs/howto/plan-a-cluster.md)

    tools/scale_plan.py --samples 1000000 --per-sample 0.02 --load 1.5 --part 256 --machines 1,4,16,64,256

A small discrete-event simulation of a run that is cut into parts: workers start, load the model, compute parts and
write them; machines differ and workers share their cores; workers fail, lose the part they were at, and begin again;
one process merges. The times come from a short run of your own. It needs numpy, and matplotlib for --plot.
"""

import argparse
import dataclasses
import heapq
import json
import math
import sys
from pathlib import Path

import numpy as np


@dataclasses.dataclass(frozen=True)
class Plan:
    """A run; times are seconds of one worker that has a core for itself."""

    samples: int
    per_sample: float
    spread: float = 0.0  # standard deviation of the time of a sample, as a share of its mean
    part: int = 64  # samples that are lost together
    part_overhead: float = 0.0  # writing a part
    start: float = 0.0  # until a worker runs: queueing, pulling an image
    load: float = 0.0  # of program and model, by every worker
    workers: int = 1  # on each machine
    cores: int = 1  # of a machine: workers that run side by side
    together: float = 1.0  # pace of a worker while all cores are busy, as a share of its pace alone
    machine_spread: float = 0.0  # standard deviation of the speed of machines, as a share of its mean
    failures_per_hour: float = 0.0  # of one worker
    restart: float = 0.0  # until a failed worker runs again
    schedule: str = "shards"  # or "queue": whoever is free takes the next part
    driver: float = 0.0  # of the queue: seconds of its one driver for each part
    merge: float = 0.0
    merge_per_sample: float = 0.0


CAUSES = {
    "start": "starting and loading",
    "write": "writing parts",
    "driver": "waiting for the driver",
    "sharing": "sharing cores, slow machines",
    "failures": "failures",
    "idle": "waiting for the last parts",
    "merge": "merging",
}


@dataclasses.dataclass
class Outcome:
    """What became of a run. All but makespan, failed and lost are seconds of an average worker and add up to it."""

    makespan: float = 0.0
    compute: float = 0.0  # at full speed
    start: float = 0.0
    write: float = 0.0
    driver: float = 0.0
    sharing: float = 0.0
    failures: float = 0.0  # lost work, restarts, loading again
    idle: float = 0.0
    merge: float = 0.0
    failed: int = 0  # how often a worker failed
    lost: float = 0.0  # seconds of work, of all workers


class Machine:
    """Workers that share cores: all that compute go on at the same pace."""

    def __init__(self, plan, speed):
        self.plan, self.speed = plan, speed
        self.left = {}  # worker: seconds of work at full speed
        self.at = 0.0
        self.version = 0

    def pace(self):
        busy = len(self.left)
        if busy == 0:
            return 0.0
        cores = self.plan.cores
        crowd = 1.0 if cores == 1 else min(1.0, (busy - 1) / (cores - 1))
        alone = self.plan.together if cores > 1 else 1.0
        return self.speed * min(1.0, cores / busy) * (1 - (1 - alone) * crowd)

    def advance(self, now):
        done = (now - self.at) * self.pace()
        for worker in self.left:
            self.left[worker] -= done
        self.at = now

    def next_end(self):
        """When the first of the workers is through, if nothing changes, and which one."""
        worker = min(self.left, key=lambda one: (self.left[one], one))
        return self.at + max(0.0, self.left[worker]) / self.pace(), worker


class Worker:
    """One process: where it is in its life."""

    def __init__(self, number, machine):
        self.number, self.machine = number, machine
        self.queue = []  # parts of its own, the next one last
        self.phase, self.since = "start", 0.0
        self.part = None
        self.work = 0.0  # of the phase, at full speed
        self.life = 0  # counts failures, so that what was planned before one is forgotten
        self.reloads = False
        self.ended = None


class Simulation:
    """One run on so many machines."""

    def __init__(self, plan, machines, seed):
        self.plan, self.random = plan, np.random.default_rng(seed)
        self.now, self.count, self.events = 0.0, 0, []
        self.driver_free = 0.0
        self.outcome = Outcome()
        sizes = [min(plan.part, plan.samples - at) for at in range(0, plan.samples, plan.part)]
        self.times = [self.time_of(size) for size in sizes]
        self.machines = [Machine(plan, self.speed()) for _ in range(machines)]
        self.workers = [Worker(i, i % machines) for i in range(machines * plan.workers)]
        self.waiting = list(range(len(sizes)))[::-1]  # of the queue
        if plan.schedule == "shards":
            for number in self.waiting:
                self.workers[number % len(self.workers)].queue.append(number)

    def time_of(self, samples):
        """The sum of as many independent times, each with a gamma distribution."""
        mean = samples * self.plan.per_sample
        if self.plan.spread == 0 or mean == 0:
            return mean
        shape = samples / self.plan.spread**2
        return self.random.gamma(shape, mean / shape)

    def speed(self):
        if self.plan.machine_spread == 0:
            return 1.0
        return max(0.2, self.random.normal(1.0, self.plan.machine_spread))

    # ---- events ----

    def at(self, time, what, *arguments):
        self.count += 1
        heapq.heappush(self.events, (time, self.count, what, arguments))

    def run(self):
        for worker in self.workers:
            self.at(self.plan.start, self.begin_loading, worker, 0)
            self.plan_failure(worker)
        while self.events:
            self.now, _, what, arguments = heapq.heappop(self.events)
            what(*arguments)
        end = max(worker.ended for worker in self.workers)
        outcome, count = self.outcome, len(self.workers)
        outcome.idle += sum(end - worker.ended for worker in self.workers)
        for cause in ("compute", "start", "write", "driver", "sharing", "failures", "idle"):
            setattr(outcome, cause, getattr(outcome, cause) / count)
        outcome.merge = self.plan.merge + self.plan.samples * self.plan.merge_per_sample
        outcome.makespan = end + outcome.merge
        return outcome

    # ---- machines ----

    def plan_end(self, number):
        machine = self.machines[number]
        machine.version += 1
        if machine.left:
            time, worker = machine.next_end()
            self.at(time, self.end_of_work, number, worker, machine.version)

    def compute(self, worker, phase, work):
        machine = self.machines[worker.machine]
        machine.advance(self.now)
        machine.left[worker.number] = work
        worker.phase, worker.since, worker.work = phase, self.now, work
        self.plan_end(worker.machine)

    def end_of_work(self, number, who, version):
        machine = self.machines[number]
        if version != machine.version:
            return
        machine.advance(self.now)
        del machine.left[who]
        worker, outcome = self.workers[who], self.outcome
        took = self.now - worker.since
        if worker.phase == "load":
            cause = "failures" if worker.reloads else "start"
            setattr(outcome, cause, getattr(outcome, cause) + took)
            self.next_part(worker)
        else:
            outcome.compute += worker.work
            outcome.sharing += took - worker.work
            worker.phase, worker.since = "write", self.now
            self.at(self.now + self.plan.part_overhead, self.written, worker, worker.life)
        self.plan_end(number)

    # ---- workers ----

    def begin_loading(self, worker, life):
        if life != worker.life:
            return
        cause = "failures" if worker.reloads else "start"
        setattr(self.outcome, cause, getattr(self.outcome, cause) + self.now - worker.since)
        self.compute(worker, "load", self.plan.load)

    def next_part(self, worker):
        queue = worker.queue if self.plan.schedule == "shards" else self.waiting
        if not queue:
            worker.phase, worker.ended = "ended", self.now
            worker.life += 1
            return
        worker.ended = None
        worker.part, worker.phase, worker.since = queue.pop(), "driver", self.now
        self.driver_free = max(self.now, self.driver_free) + self.plan.driver
        ready = self.driver_free if self.plan.schedule == "queue" else self.now
        self.at(ready, self.begin_part, worker, worker.life)

    def begin_part(self, worker, life):
        if life != worker.life:
            return
        self.outcome.driver += self.now - worker.since
        self.compute(worker, "compute", self.times[worker.part])

    def written(self, worker, life):
        if life != worker.life:
            return
        self.outcome.write += self.now - worker.since
        worker.part = None
        self.next_part(worker)

    # ---- failures ----

    def plan_failure(self, worker):
        if self.plan.failures_per_hour > 0:
            hours = self.random.exponential(1 / self.plan.failures_per_hour)
            self.at(self.now + 3600 * hours, self.fail, worker, worker.life)

    def fail(self, worker, life):
        if life != worker.life:
            return
        outcome, machine = self.outcome, self.machines[worker.machine]
        outcome.failed += 1
        outcome.failures += self.now - worker.since
        if worker.number in machine.left:
            machine.advance(self.now)
            if worker.phase == "compute":
                outcome.lost += worker.work - max(0.0, machine.left[worker.number])
            del machine.left[worker.number]
            self.plan_end(worker.machine)
        elif worker.phase == "write":  # its work was counted as done
            outcome.lost += worker.work
            outcome.compute -= worker.work
            outcome.failures += worker.work
        if worker.part is not None:
            queue = worker.queue if self.plan.schedule == "shards" else self.waiting
            queue.append(worker.part)
            worker.part = None
            self.wake_one()
        worker.life += 1
        worker.phase, worker.since, worker.reloads = "restart", self.now, True
        self.at(self.now + self.plan.restart, self.begin_loading, worker, worker.life)
        self.plan_failure(worker)

    def wake_one(self):
        """Of a queue: a worker that had nothing left takes the part that came back."""
        if self.plan.schedule != "queue":
            return
        for worker in self.workers:
            if worker.phase == "ended":
                self.outcome.idle += self.now - worker.ended
                worker.life += 1
                self.next_part(worker)
                self.plan_failure(worker)
                return


# ---- many runs ----


def simulate(plan, machines, seed=0):
    """The outcome of one run."""
    return Simulation(plan, machines, [seed, machines]).run()


def simulate_many(plan, machines, repeats, seed=0):
    """The mean outcome of several runs, and the 10th and 90th percentile of the time."""
    runs = [simulate(plan, machines, seed * 10007 + i) for i in range(repeats)]
    mean = Outcome(**{
        field.name: float(np.mean([getattr(run, field.name) for run in runs])) for field in dataclasses.fields(Outcome)
    })
    low, high = np.percentile([run.makespan for run in runs], [10, 90])
    return mean, float(low), float(high)


def largest_cost(outcome):
    """What takes most of the time beside computing, in words, and its share of the time."""
    cause = max(CAUSES, key=lambda name: getattr(outcome, name))
    return CAUSES[cause], getattr(outcome, cause) / max(outcome.makespan, 1e-12)


ENOUGH = 1.5  # twice the machines should bring at least this


def turning_point(rows):
    """The first number of machines from which twice as many bring less than ENOUGH times the speed; nothing: none."""
    for one, two in zip(rows, rows[1:]):
        wanted = ENOUGH ** math.log2(two["machines"] / one["machines"])
        if one["seconds"] / two["seconds"] < wanted:
            return one, two
    return None


def table_of(plan, machines, repeats, seed):
    """A row per number of machines."""
    alone = plan.samples * plan.per_sample
    rows = []
    for count in machines:
        outcome, low, high = simulate_many(plan, count, repeats, seed)
        cause, share = largest_cost(outcome)
        rows.append({
            "machines": count,
            "workers": count * plan.workers,
            "seconds": outcome.makespan,
            "seconds_10": low,
            "seconds_90": high,
            "speed": alone / outcome.makespan,
            "efficiency": alone / outcome.makespan / (count * min(plan.workers, plan.cores)),
            "lost_seconds": outcome.lost,
            "failures": outcome.failed,
            "largest_cost": cause,
            "largest_cost_share": share,
            "shares": {name: getattr(outcome, name) / outcome.makespan for name in ("compute", *CAUSES)},
        })
    return rows


def duration(seconds):
    """38 s, 12.5 min, 3.1 h, 9 d."""
    for unit, length, until in (("s", 1, 120), ("min", 60, 7200), ("h", 3600, 172800)):
        if seconds < until:
            return f"{seconds / length:.3g} {unit}"
    return f"{seconds / 86400:.3g} d"


def text_of(plan, rows):
    """The table in columns, and what follows from it."""
    lines = [("machines", "workers", "time", "10 to 90 %", "speed", "efficiency", "lost work",
              "costs most beside computing")]  # fmt: skip
    for row in rows:
        lines.append((
            str(row["machines"]), str(row["workers"]), duration(row["seconds"]),
            f"{duration(row['seconds_10'])} to {duration(row['seconds_90'])}", f"{row['speed']:.3g}",
            f"{100 * row['efficiency']:.0f} %", duration(row["lost_seconds"]),
            f"{row['largest_cost']} ({100 * row['largest_cost_share']:.0f} %)",
        ))  # fmt: skip
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    text = [
        "  ".join(cell.ljust(width) if i == len(widths) - 1 else cell.rjust(width)
                  for i, (cell, width) in enumerate(zip(line, widths))).rstrip()
        for line in lines
    ]  # fmt: skip
    text.append("")
    parts = math.ceil(plan.samples / plan.part)
    if turn := turning_point(rows):
        one, two = turn
        text.append(
            f"From {one['machines']} machines on, twice as many bring less than {ENOUGH:g} times the speed. With "
            f"{two['machines']}, {two['largest_cost']} takes {100 * two['largest_cost_share']:.0f} % of the time."
        )
    else:
        text.append(f"It scales to {rows[-1]['machines']} machines: twice as many always bring {ENOUGH:g} times the "
                    "speed.")  # fmt: skip
    if parts < rows[-1]["workers"]:
        text.append(f"There are only {parts} parts: more workers than that have nothing to do.")
    return "\n".join(text)


def plot(plan, rows, path, title):
    """Time beside what would be ideal, and where the time of a worker goes."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "scale_plan"
    matplotlib.rcParams["font.family"] = ["DejaVu Sans"]
    import matplotlib.pyplot as plt
    import matplotlib.ticker

    machines = [row["machines"] for row in rows]
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    ideal = [plan.samples * plan.per_sample / (count * min(plan.workers, plan.cores)) for count in machines]
    left.plot(machines, ideal, color="#888888", linestyle="--", label="computing alone")
    left.plot(machines, [row["seconds"] for row in rows], color="#0b5fa5", marker="o", label="predicted")
    left.fill_between(machines, [row["seconds_10"] for row in rows], [row["seconds_90"] for row in rows],
                      color="#0b5fa5", alpha=0.2, linewidth=0)  # fmt: skip
    if turn := turning_point(rows):
        left.axvline(turn[0]["machines"], color="#b3261e", linewidth=1)
        left.annotate("twice as many no longer pay ", (turn[0]["machines"], max(row["seconds_90"] for row in rows)),
                      color="#b3261e", fontsize=8, va="top", ha="right", rotation=90)  # fmt: skip
    left.set(xscale="log", yscale="log", xlabel="machines", ylabel="time in seconds", title=title)
    left.set_xticks(machines, [str(count) for count in machines], fontsize=8)
    left.xaxis.set_minor_locator(matplotlib.ticker.NullLocator())
    left.legend(frameon=False, loc="lower left")
    colors = ["#d9dde3", "#0b5fa5", "#5aa9e6", "#7a4ea3", "#c77dba", "#b3261e", "#e0a030", "#3f8f4f"]
    names = ["compute", *CAUSES]
    places = np.arange(len(machines))
    bottom = np.zeros(len(machines))
    for name, color in zip(names, colors):
        shares = np.array([100 * row["shares"][name] for row in rows])
        if shares.max() >= 0.5:
            right.bar(places, shares, 0.8, bottom=bottom, color=color, label=CAUSES.get(name, "computing"))
        bottom += shares
    right.set(xlabel="machines", ylabel="% of the time of a worker", title="where the time goes", ylim=(0, 100))
    right.set_xticks(places, [str(count) for count in machines], fontsize=8)
    right.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
    figure.savefig(path, metadata={"Date": None} if str(path).endswith(".svg") else None)
    plt.close(figure)


def best_part(plan, machines, repeats, seed):
    """Times for parts of 1, 4, 16, ... samples, and the best of them."""
    found = []
    size = 1
    while size <= plan.samples and size <= 65536:
        if plan.samples / size <= 200_000:  # the simulation has a few events per part
            outcome, _, _ = simulate_many(dataclasses.replace(plan, part=size), machines, repeats, seed)
            found.append((size, outcome))
        size *= 4
    return found


def whole_numbers(text):
    try:
        numbers = [int(word) for word in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected whole numbers such as 1,2,4,8; got {text!r}") from None
    if any(number < 1 for number in numbers) or numbers != sorted(set(numbers)):
        raise argparse.ArgumentTypeError(f"expected rising numbers from 1; got {text!r}")
    return numbers


def parser():
    make = argparse.ArgumentParser(description=__doc__.split("\n\n")[0],
                                   epilog="docs/howto/plan-a-cluster.md explains it.")  # fmt: skip
    for field in dataclasses.fields(Plan):
        name = "--" + field.name.replace("_", "-")
        if field.name == "schedule":
            make.add_argument(name, choices=["shards", "queue"], default="shards", help=HELP["schedule"])
            continue
        required = field.default is dataclasses.MISSING
        make.add_argument(name, type=field.type, required=required, default=None if required else field.default,
                          help=HELP[field.name], metavar="N" if field.type is int else "X")  # fmt: skip
    make.add_argument("--machines", type=whole_numbers, default=[2**k for k in range(11)], metavar="N,N...",
                      help="numbers of machines; default 1,2,4 to 1024")  # fmt: skip
    make.add_argument("--repeats", type=int, default=5, metavar="N", help="runs that are averaged; default 5")
    make.add_argument("--seed", type=int, default=0, metavar="N")
    make.add_argument("--parts", action="store_true",
                      help="also: which size of parts is best for the last number of machines")  # fmt: skip
    make.add_argument("--plot", type=Path, metavar="FILE", help="a picture: .svg or .png")
    make.add_argument("--title", default="time of the whole run", help="of the picture")
    make.add_argument("--json", action="store_true", help="print one JSON document")
    return make


HELP = {
    "samples": "samples of the whole run",
    "per_sample": "seconds for one sample, by one worker alone on its machine",
    "spread": "standard deviation of that, as a share of it",
    "part": "samples of a part, which are lost together; default 64",
    "part_overhead": "seconds to write a part",
    "start": "seconds until a worker runs",
    "load": "seconds to load program and model",
    "workers": "workers on each machine; default 1",
    "cores": "workers that a machine can run side by side; default 1",
    "together": "pace of a worker while all cores are busy, as a share of its pace alone; default 1",
    "machine_spread": "standard deviation of the speed of machines, as a share",
    "failures_per_hour": "how often a worker fails",
    "restart": "seconds until a failed worker runs again",
    "schedule": "shards: every worker has its own parts; queue: whoever is free takes the next one",
    "driver": "with --schedule queue: seconds of the driver for each part",
    "merge": "seconds to merge, whatever the number of samples",
    "merge_per_sample": "seconds to merge, for each sample",
}


def checked(arguments, make):
    """The plan, or a complaint."""
    plan = Plan(**{field.name: getattr(arguments, field.name) for field in dataclasses.fields(Plan)})
    if min(plan.samples, plan.part, plan.workers, plan.cores, arguments.repeats) < 1:
        make.error("samples, part, workers, cores and repeats are at least 1")
    if not (plan.per_sample > 0 and 0 < plan.together <= 1):
        make.error("--per-sample is above 0, --together between 0 and 1")
    for field in dataclasses.fields(Plan):
        value = getattr(plan, field.name)
        if field.type is float and not 0 <= value < math.inf:
            make.error(f"--{field.name.replace('_', '-')} is not a number from 0 on")
    if plan.driver > 0 and plan.schedule != "queue":
        make.error("--driver is for --schedule queue")
    if plan.samples / plan.part > 2_000_000:
        make.error(f"{plan.samples / plan.part:.3g} parts are too many to simulate; take a larger --part")
    longest = plan.part * plan.per_sample + plan.part_overhead + plan.load
    if plan.failures_per_hour * longest / 3600 > 5:
        make.error(f"a part takes {duration(longest)}, and a worker fails every "
                   f"{duration(3600 / plan.failures_per_hour)}: it would never end; take a smaller --part")  # fmt: skip
    return plan


def main(words=None):
    make = parser()
    arguments = make.parse_args(words)
    plan = checked(arguments, make)
    rows = table_of(plan, arguments.machines, arguments.repeats, arguments.seed)
    parts = best_part(plan, arguments.machines[-1], arguments.repeats, arguments.seed) if arguments.parts else []
    if arguments.plot:
        plot(plan, rows, arguments.plot, arguments.title)
    if arguments.json:
        document = {"plan": dataclasses.asdict(plan), "machines": rows}
        if parts:
            document["parts"] = [{"part": size, "seconds": outcome.makespan} for size, outcome in parts]
        print(json.dumps(document, indent=2))
        return
    print(text_of(plan, rows))
    if parts:
        best = min(parts, key=lambda pair: pair[1].makespan)[0]
        print(f"\nTime on {arguments.machines[-1]} machines by samples in a part:")
        for size, outcome in parts:
            cause, share = largest_cost(outcome)
            mark = "  <- best" if size == best else ""
            print(f"  {size:>6}  {duration(outcome.makespan):>9}  {cause} ({100 * share:.0f} %){mark}")


if __name__ == "__main__":
    sys.exit(main())
