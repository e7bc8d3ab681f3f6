"""Games with few known effects of many players, and how well they are recovered: by ours, and by shapiq's estimators.

A game has `EACH` effects of every order from 1 to 6, of random sets, with values of either sign whose magnitudes are
0.5 and an exponential draw. They are those of docs/theory/sparse-effects.md. In .venv-peers:

  sparse_effects.py                         ours
  sparse_effects.py --estimator ProxySPEX   one of shapiq's
  sparse_effects.py --beside KernelSHAPIQ   one of shapiq's that gives pairs alone and ours, in turn for each game: ours
                                            with the whole budget, and with an aim, which is to have an error that is
                                            no larger. Seconds are those of the processor, one thread
"""

import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import time
import warnings
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # seconds of the processor would count threads that spin

import numpy

ROOT = Path(__file__).resolve().parent.parent
ORDERS, EACH = 6, 6
CASES = [(50, 2000), (50, 5000), (200, 5000), (200, 10000), (1000, 20000)]  # players, budget
BESIDE = CASES[:2]
NOISES = (0.0, 0.5)


class Game:
    """v(S): the sum of the effects inside S, and noise that is new at every evaluation."""

    def __init__(self, players, seed=0, noise=0.0):
        draws = numpy.random.default_rng(seed)
        self.players, self.noise, self.effects = players, noise, {}
        for order in range(1, ORDERS + 1):
            for _ in range(EACH):
                members = tuple(sorted(draws.choice(players, order, replace=False).tolist()))
                self.effects[members] = float(draws.choice([-1, 1]) * (0.5 + draws.exponential(1.0)))
        self.draws, self.seconds, self.evaluations = numpy.random.default_rng(seed + 99), 0.0, 0

    def values(self, coalitions, effects=None):
        """Without noise."""
        inside = numpy.atleast_2d(coalitions) > 0.5
        result = numpy.zeros(len(inside))
        for members, value in (self.effects if effects is None else effects).items():
            result += value * (inside[:, list(members)].all(axis=1) if members else 1.0)
        return result

    def __call__(self, coalitions):
        start = time.process_time()
        result = self.values(coalitions)
        if self.noise:
            result = result + self.noise * self.draws.standard_normal(len(result))
        self.evaluations += len(result)
        self.seconds += time.process_time() - start
        return result

    def written(self, path):
        """The effects as the program of ours reads them."""
        lines = [f"{value!r} {' '.join(map(str, members))}" for members, value in self.effects.items()]
        Path(path).write_text("\n".join(lines) + "\n")
        return path


def pairs(effects):
    """The Shapley interaction index (k-SII of order 2) of all pairs that have one."""
    result = {}
    for members, value in effects.items():
        for pair in itertools.combinations(members, 2):
            result[pair] = result.get(pair, 0.0) + value / (len(members) - 1)
    return result


def missed(truth, found):
    """Squared error relative to the squares of what is true."""
    everything = set(truth) | set(found)
    return (sum((truth.get(one, 0.0) - found.get(one, 0.0)) ** 2 for one in everything)
            / sum(value ** 2 for value in truth.values()))


def scores(game, found, errors=None):
    """What is said of recovered dividends {members: value}; () is the constant."""
    effects = {members: value for members, value in found.items() if members}
    strongest = sorted(game.effects, key=lambda members: -abs(game.effects[members]))[:20]
    result = {"recall": sum(members in effects for members in strongest) / len(strongest), "terms": len(effects),
              "error": missed(game.effects, effects), "pairs": missed(pairs(game.effects), pairs(effects))}
    draws = numpy.random.default_rng(5)
    for name, shares in (("r2 halves", numpy.full((2000, 1), 0.5)), ("r2 sizes", draws.random((2000, 1)))):
        sets = draws.random((2000, game.players)) < shares
        truth, told = game.values(sets), game.values(sets, found)
        result[name] = 1 - ((truth - told) ** 2).sum() / ((truth - truth.mean()) ** 2).sum()
    if errors is not None:
        held = [abs(effects[one] - game.effects.get(one, 0.0)) <= 1.96 * errors[one] + 1e-9 for one in effects]
        result["coverage"] = float(numpy.mean(held)) if held else 1.0
    return result


def told_by_ours(game, estimator, budget, seed, threads, aim=0.0):
    """Of the program ascribe_bench_sparse: its line, the effects and their errors."""
    program = os.environ.get("ASCRIBE_BENCH_SPARSE", ROOT / "build" / "ascribe_bench_sparse")
    folder = ROOT / "build" / "bench" / "sparse"
    folder.mkdir(parents=True, exist_ok=True)
    path = game.written(folder / f"{game.players}-{seed}.txt")
    told = subprocess.run([program, path, estimator, *map(str, (game.players, budget, game.noise, seed, threads, aim))],
                          capture_output=True, text=True, check=True).stdout
    line = json.loads(told)
    effects = line.pop("effects")
    return (line, {tuple(members): value for value, _, members in effects},
            {tuple(members): error for _, error, members in effects})


def ours(players, budget, noise, seed, estimator="proxy", threads=1, aim=0.0):
    """Ours, with all that is said of it."""
    game = Game(players, seed, noise)
    line, found, errors = told_by_ours(game, estimator, budget, seed, threads, aim)
    found[()] = line.pop("constant")
    return {**line, **scores(game, found, errors)}


def our_pairs(players, budget, noise, seed, estimator="sii", threads=1):
    """A direct estimate of ours of the Shapley interaction index of pairs, which k-SII of order 2 is of pairs."""
    line, found, _ = told_by_ours(Game(players, seed, noise), estimator, budget, seed, threads)
    found = {members: value for members, value in found.items() if len(members) == 2}
    return {**line, "pairs": missed(pairs(Game(players, seed).effects), found)}


def shapiq(players, budget, noise, seed, estimator="ProxySPEX", search=False):
    """One of shapiq's: its dividends are taken where it turns them into an index. `search`: the grid of ProxySPEX."""
    import shapiq.approximator

    warnings.simplefilter("ignore")
    game, kept = Game(players, seed, noise), {}
    settings = {"hpo": search} if estimator == "ProxySPEX" else {}
    start = time.process_time()
    made = getattr(shapiq.approximator, estimator)(n=players, max_order=2, index="k-SII", random_state=seed, **settings)
    convert = made._process_moebius

    def kept_and_converted(moebius_transform):
        kept.update(moebius_transform)
        return convert(moebius_transform=moebius_transform)

    made._process_moebius = kept_and_converted
    made.approximate(budget, game)
    seconds = time.process_time() - start - game.seconds
    found = {tuple(int(one) for one in members): float(numpy.real(value)) for members, value in kept.items()}
    return {"processor": seconds, "evaluations": game.evaluations, **scores(game, found)}


def shapiq_pairs(players, budget, noise, seed, estimator):
    """An estimator of shapiq that gives k-SII of order 2 and no dividends: the error of the pairs alone."""
    import shapiq.approximator

    warnings.simplefilter("ignore")
    game = Game(players, seed, noise)
    start = time.process_time()
    made = getattr(shapiq.approximator, estimator)(n=players, max_order=2, index="k-SII", random_state=seed)
    values = made.approximate(budget, game)
    seconds = time.process_time() - start - game.seconds
    found = {pair: float(values[pair]) for pair in itertools.combinations(range(players), 2)}
    return {"processor": seconds, "evaluations": game.evaluations, "pairs": missed(pairs(game.effects), found)}


COLUMNS = ("recall", "error", "pairs", "r2 halves", "r2 sizes", "coverage", "terms", "evaluations", "processor")


def beside(peer, cases, noises, seeds, aim):
    """A table: the peer, ours with the whole budget and with an aim, in turn for each game."""
    def mean(runs, column):
        return statistics.mean(run[column] for run in runs)

    shapiq_pairs(8, 100, 0.0, 0, peer)  # what it imports when it is first called
    print(f"Ours beside {peer}, {seeds} games each, the same of both; aim {aim}; processor seconds, one thread\n")
    print("| players | budget | noise | error of pairs, theirs | ours | ours with the aim | no larger in | "
          "seconds, theirs | ours | ours with the aim | evaluations | ours takes less, times | with the aim | "
          "least and most of a game |")
    print("|" + "---|" * 14)
    for players, budget in cases:
        for noise in noises:
            theirs, whole, aimed = [], [], []
            for seed in range(seeds):
                theirs.append(shapiq_pairs(players, budget, noise, seed, peer))
                whole.append(ours(players, budget, noise, seed))
                aimed.append(ours(players, budget, noise, seed, aim=aim))
            times = [one["processor"] / other["processor"] for one, other in zip(theirs, aimed)]
            better = sum(other["pairs"] <= one["pairs"] for one, other in zip(theirs, aimed))
            cells = [f"{mean(runs, column):.3g}" for column in ("pairs", "processor")
                     for runs in (theirs, whole, aimed)]
            cells.insert(3, f"{better} of {seeds}")
            cells += [f"{mean(aimed, 'evaluations'):.0f}",
                      *(f"{mean(theirs, 'processor') / mean(runs, 'processor'):.1f}" for runs in (whole, aimed)),
                      f"{min(times):.1f} to {max(times):.1f}"]
            print(f"| {players} | {budget} | {noise} | " + " | ".join(cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--estimator", default="proxy", help="proxy, spectral, sii; of shapiq ProxySPEX, SPEX, k-SII's")
    parser.add_argument("--search", action="store_true", help="the grid search of ProxySPEX")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--case", nargs="*", default=[], help="players:budget")
    parser.add_argument("--noise", type=float, nargs="*", default=list(NOISES))
    parser.add_argument("--aim", type=float, help="ours: stop when 1 - R2 is at most this; beside a peer 0.5 by itself")
    parser.add_argument("--beside", metavar="PEER", help="an estimator of shapiq's for pairs, such as KernelSHAPIQ")
    options = parser.parse_args()
    cases = [tuple(map(int, case.split(":"))) for case in options.case] or (BESIDE if options.beside else CASES)
    if options.beside:
        beside(options.beside, cases, options.noise, options.seeds, 0.5 if options.aim is None else options.aim)
        return
    print(f"| {options.estimator}: players | budget | noise | " + " | ".join(COLUMNS) + " |")
    print("|" + "---|" * (len(COLUMNS) + 3))
    for players, budget in cases:
        for noise in options.noise:
            asked = (players, budget, noise)
            if options.estimator in ("proxy", "spectral"):
                runs = [ours(*asked, seed, options.estimator, aim=options.aim or 0.0) for seed in range(options.seeds)]
            elif options.estimator in ("sii", "stii", "fsii"):
                runs = [our_pairs(*asked, seed, options.estimator) for seed in range(options.seeds)]
            elif options.estimator in ("ProxySPEX", "SPEX"):
                runs = [shapiq(*asked, seed, options.estimator, options.search) for seed in range(options.seeds)]
            else:
                runs = [shapiq_pairs(*asked, seed, options.estimator) for seed in range(options.seeds)]
            means = [f"{statistics.mean(run[column] for run in runs):.3g}" if column in runs[0] else ""
                     for column in COLUMNS]
            print(f"| {players} | {budget} | {noise} | " + " | ".join(means) + " |")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
