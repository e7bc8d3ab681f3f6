"""Estimators of Shapley values at equal budgets (10 and 100 evaluations of each game for each player), beside those of
shapiq at their best settings: squared errors relative to the values, means over seeds. The ratio is that of errors:
above 1 ours is smaller.

Both sides ask the same games, ONNX files run by ONNX Runtime. References are exact up to 16 players, and regressions
over 1.6 million coalitions beyond. Ours are `shapley` with `estimator=permutations`, `leverage` and `proxy`; the row
counts `proxy`, which is what we advise when evaluations are few, whether or not another one errs less there.

What decides: a first regression does not show which players have to do with others, and a game of trees has a few sets
of five players beyond all of three. The proxy learns both from the draws where there are 16 pairs for each player or
more; below that it weighs players by their slopes, because what is learned of few draws errs more.
"""

import json
import time
import warnings

import networks
from frame import Row, peer

BUDGETS = (10, 100)
SEEDS = 5
OURS = ("permutations", "leverage", "proxy")


def rows():
    """Each game at each budget."""
    from estimator_games import GAMES

    for name in GAMES:
        for budget in BUDGETS:
            yield Row(f"estimators {name} {budget}n", f"{name} players, {budget} evaluations for each",
                      {"ascribe": peer("estimators", "package", name=name, budget=budget),
                       "shapiq": peer("estimators", "shapiq_best", newest=True, name=name, budget=budget)},
                      asked={"shapiq": 1.0}, runs=1, rounds=1, busy=False)


def folder():
    """Where games and references are kept."""
    return networks.FOLDER / "games"


def told(errors, chosen, extra=""):
    """The line of a process: the chosen estimator's error and time besides the game's, all errors in words."""
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    words = ", ".join(f"{name} {error:.2g}" for name, (error, *_) in errors.items())
    print(json.dumps({"seconds": [max(errors[chosen][1], 1e-9)], "peak_mib": peak, "error": errors[chosen][0],
                      "way": f"{chosen} ({words}{extra})"}))


def package(name, budget, repeats, threads):
    """Ours; makes games and references that are not there yet."""
    import ascribe
    import estimator_games
    import numpy

    game = estimator_games.Game(estimator_games.made(folder()), name)
    truth, doubt = estimator_games.reference(game, folder(), name)
    n, results = game.players, {}
    model = ascribe.function(game, inputs=n, outputs=1, precision="float32", baseline=numpy.zeros(n))
    for estimator in OURS:
        errors, held, seconds = [], [], []
        for seed in range(SEEDS):
            game.seconds, start = 0.0, time.perf_counter()
            found = model.explain(numpy.ones((1, n)), "shapley", seed=seed, threads=threads,
                                  settings={"estimator": estimator, "samples": budget, "exact": 0})
            seconds.append(time.perf_counter() - start - game.seconds)
            missed = numpy.abs(numpy.asarray(found.player_values).reshape(-1) - truth)
            errors.append((missed ** 2).sum() / (truth ** 2).sum())
            held.append((missed <= numpy.asarray(found.intervals).reshape(-1)).mean())
        results[estimator] = (float(numpy.mean(errors)), float(numpy.mean(seconds)), float(numpy.mean(held)))
    own = f"; the reference's own {doubt:.1e}" if doubt else ""
    told(results, "proxy", f"; its intervals of 95 % hold {results['proxy'][2]:.0%}{own}")


def approximators(n, budget, seed):
    """shapiq's estimators at their best settings, by name."""
    import shapiq.approximator as a

    seeded = {"random_state": seed}
    made = {"KernelSHAP": lambda: a.KernelSHAP(n, pairing_trick=True, **seeded),
            "LeverageSHAP": lambda: a.LeverageSHAP(n, **seeded), "OddSHAP": lambda: a.OddSHAP(n, **seeded),
            "RegressionMSR": lambda: a.RegressionMSR(n, "SV", **seeded),
            "RegressionMSR linear": lambda: a.RegressionMSR(n, "SV", proxy_model="linear", **seeded),
            "ProxySHAP": lambda: a.ProxySHAP(n, max_order=1, index="SV", **seeded)}
    if n <= 30 and budget * n > n * n:
        made["PolySHAP 2"] = lambda: a.PolySHAP(n, max_order=2, pairing_trick=True, **seeded)
    if n <= 16 and budget * n > n ** 3 / 6 + n * n:
        made["PolySHAP 3"] = lambda: a.PolySHAP(n, max_order=3, pairing_trick=True, **seeded)
    return made


def shapiq_best(name, budget, repeats, threads):
    """The one of shapiq's estimators that errs least on this game, chosen after the fact."""
    import estimator_games
    import numpy

    warnings.simplefilter("ignore")
    game = estimator_games.Game(folder(), name)
    truth = estimator_games.reference(game, folder(), name)[0]
    n, results = game.players, {}
    for estimator in approximators(n, budget, 0):
        errors, seconds = [], []
        for seed in range(SEEDS):
            made = approximators(n, budget, seed)[estimator]()
            game.seconds, start = 0.0, time.perf_counter()
            found = made.approximate(budget * n, game)
            seconds.append(time.perf_counter() - start - game.seconds)
            values = numpy.array([found[(p,)] for p in range(n)])
            errors.append(((values - truth) ** 2).sum() / (truth ** 2).sum())
        results[estimator] = (float(numpy.mean(errors)), float(numpy.mean(seconds)))
    told(results, min(results, key=lambda key: results[key][0]))
