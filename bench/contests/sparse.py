"""Effects of many players from few evaluations, beside shapiq's ProxySPEX and SPEX at the same budgets: relative
squared errors of the dividends, and the processor's seconds beside those of the game.

Games have 36 known effects of 1 to 6 players (bench/sparse_effects.py). ProxySPEX is run without its grid search, which
takes two orders of magnitude longer.
"""

import json
import statistics

from frame import Row, peer

CASES = ((50, 5000, 0.0), (50, 5000, 0.5), (200, 10000, 0.0), (1000, 20000, 0.5))
SEEDS = 3
LEAST = 1e-12  # errors below are rounding


def rows():
    """Each game, by error and by time."""
    for players, budget, noise in CASES:
        noisy = ", noisy" if noise else ""
        for kind, asked in (("error", 1.0), ("seconds", 20.0)):
            arguments = {"players": players, "budget": budget, "noise": noise, "kind": kind}
            contestants = {"ascribe": peer("sparse", "package", **arguments),
                           "ProxySPEX": peer("sparse", "proxyspex", newest=True, **arguments)}
            if players == 50 and not noise:
                contestants["SPEX"] = peer("sparse", "spex", newest=True, **arguments)
            yield Row(f"sparse {players}{noisy} {kind}",
                      f"36 effects of {players} players{noisy}, {budget:,} evaluations: {kind}",
                      contestants, asked={name: asked for name in contestants if name != "ascribe"}, runs=1, rounds=1,
                      busy=False)


def told(runs, kind, name):
    """The line of a process."""
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    columns = ("recall", "error", "processor", "r2 sizes")
    mean = {column: statistics.mean(run[column] for run in runs) for column in columns}
    line = {"seconds": [max(mean["processor"], 1e-9)], "peak_mib": peak,
            "way": f"{name} ({mean['recall']:.0%} of the 20 strongest, error {mean['error']:.2g}, "
                   f"R2 {mean['r2 sizes']:.3f}, {statistics.mean(run['evaluations'] for run in runs):.0f} evaluations)"}
    if kind == "error":
        line["error"] = max(mean["error"], LEAST)
    print(json.dumps(line))


def package(players, budget, noise, kind, repeats, threads):
    """Ours."""
    from sparse_effects import ours

    told([ours(players, budget, noise, seed, "proxy", threads) for seed in range(SEEDS)], kind, "proxy")


def proxyspex(players, budget, noise, kind, repeats, threads):
    """shapiq's, with its trees at their defaults."""
    from sparse_effects import shapiq

    told([shapiq(players, budget, noise, seed) for seed in range(SEEDS)], kind, "ProxySPEX")


def spex(players, budget, noise, kind, repeats, threads):
    """shapiq's; one game, because it takes minutes."""
    from sparse_effects import shapiq

    told([shapiq(players, budget, noise, 0, "SPEX")], kind, "SPEX")
