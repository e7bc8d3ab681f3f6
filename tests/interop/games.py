"""Interaction indices of random games beside shapiq's exact computer, Shapley values beside shap's exact explainer."""
import functools
import warnings

import ascribe
import numpy

from results import compare

EXACT_TOLERANCE = 1e-8
# Our names and shapiq's, with the orders to compare. Its egalitarian least core is no interaction index.
INDICES = {"shapley": ("SV", (1,)), "banzhaf": ("BV", (1,)), "sii": ("SII", (2, 3)), "k_sii": ("k-SII", (2, 4)),
           "stii": ("STII", (2, 3)), "fsii": ("FSII", (2, 3)), "bii": ("BII", (2, 3)), "fbii": ("FBII", (2, 3)),
           "chii": ("CHII", (2, 3)), "co_moebius": ("Co-Moebius", (3,)), "moebius": ("Moebius", (10,)),
           "sgv": ("SGV", (2, 3)), "bgv": ("BGV", (2, 3)), "chgv": ("CHGV", (2, 3)), "igv": ("IGV", (3,)),
           "egv": ("EGV", (3,)), "jointsv": ("JointSV", (2, 3)), "kadd_shap": ("kADD-SHAP", (2, 3))}


def numbers_of(coalitions):
    """Rows of booleans as numbers whose bits are the players."""
    return coalitions @ (1 << numpy.arange(coalitions.shape[1]))


def ours(game, x, index, order):
    """Set as a number -> value, of a function of rows at x against zero."""
    found = ascribe.function(game, inputs=len(x), outputs=1).decompose(x, index=index, order=order, at_any_cost=True)
    return {sum(1 << player for player in effect.players): effect.value for effect in found.index_values}


def theirs(computer, index, order):
    """The same from shapiq, which leaves out what is zero; the empty set aside."""
    found = computer(index, order).dict_values
    return {sum(1 << player for player in players): value for players, value in found.items() if players}


def in_order(found, sets):
    """Values of these sets as an array."""
    return numpy.array([found.get(number, 0.0) for number in sets])


def check_indices():
    """Every index of a random game of ten players."""
    from shapiq import ExactComputer

    players = 10
    values = numpy.random.default_rng(4).standard_normal(1 << players)
    computer = ExactComputer(lambda rows: values[numbers_of(numpy.asarray(rows))], players)
    game = lambda rows: values[numbers_of(rows.astype(int))]
    warnings.simplefilter("ignore")  # shapiq: the chaining index of the empty set
    for index, (name, orders) in INDICES.items():
        for order in orders:
            expected = theirs(computer, name, order)
            found = functools.cache(functools.partial(ours, game, numpy.ones(players), index, order))
            sets = sorted(expected)
            yield compare(f"{index} of order {order}, {players} players: shapiq",
                          lambda: in_order(found(), sorted(found())), in_order(expected, sets), EXACT_TOLERANCE)


def check_shapley():
    """The Shapley values of a network of 16 features."""
    import shap
    import torch

    features = 16
    torch.manual_seed(16)
    net = torch.nn.Sequential(torch.nn.Linear(features, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1)).double()
    x = numpy.random.default_rng(7).standard_normal((1, features))

    def output(rows):
        with torch.inference_mode():
            return net(torch.from_numpy(numpy.ascontiguousarray(rows, dtype=numpy.float64)))[:, 0].numpy()

    explainer = shap.explainers.ExactExplainer(output, shap.maskers.Independent(numpy.zeros((1, features))))
    expected = explainer(x, silent=True).values[0]
    yield compare(f"shapley, {features} features of a ReLU network: shap",
                  lambda: in_order(ours(output, x[0], "shapley", 1), [1 << p for p in range(features)]), expected,
                  EXACT_TOLERANCE)


def check_games(_folder):
    """Both."""
    yield from check_indices()
    yield from check_shapley()
