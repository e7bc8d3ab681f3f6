"""Games of n players: exact Shapley values of a model beside shap, transforms of tables beside shapiq."""

import networks
from frame import REPEATS, THREADS, Network, Row, clocked, ours, peer, said, timed

SHAP_BATCHES = ("auto", 4096, 16384, 65536)


def rows():
    """All 65,536 masked outputs and their Shapley values; Moebius transform and faithful index of a table."""
    yield Row("exact shapley 16", f"exact Shapley values of 16 players, {networks.title('mlp16')}",
              {"ascribe": ours("games", "shapley", Network("mlp16"), REPEATS, THREADS),
               "shap": peer("games", "shap_exact", newest=True, path=Network("mlp16"), name="mlp16")},
              asked={"shap": 5.0}, runs=20)
    yield Row("moebius 16", "dividends of 16 players from the table of values",
              {"ascribe": ours("games", "moebius", 16, REPEATS, THREADS),
               "shapiq": peer("games", "shapiq_moebius", newest=True, players=16)},
              asked={"shapiq": 100.0}, runs=20, rounds=1, busy=False, note="shapiq: one run")
    for players, need in ((16, "32 GiB"), (20, "8 TiB")):
        yield Row(f"fsii {players}", f"faithful Shapley interaction index of order 2, {players} players",
                  {"ascribe": ours("games", "fsii", players, REPEATS, THREADS)}, runs=10,
                  note=f"shapiq is not run: it asks for a matrix of {need}")


def shap_exact(path, name, repeats, threads):
    """ExactExplainer at its best batch size."""
    import numpy
    import shap
    from contests.forward import session

    model = session(path, threads)

    def output(rows):
        return model.run(None, {"input": rows.astype(numpy.float32)})[0][:, 0]

    x = networks.random_rows(name, 1).astype(numpy.float64)
    explainer = shap.explainers.ExactExplainer(output, shap.maskers.Independent(numpy.zeros_like(x)))
    timed({f"shap {shap.__version__}, the model in ONNX Runtime, batch {batch}":
           lambda batch=batch: explainer(x, batch_size=batch, silent=True) for batch in SHAP_BATCHES}, repeats)


def shapiq_moebius(players, repeats, threads):
    """One run: half a minute for 16 players."""
    from importlib.metadata import version

    import numpy
    from shapiq import ExactComputer

    values = numpy.random.default_rng(7).uniform(size=1 << players)

    def game(rows):
        return values[numpy.asarray(rows) @ (1 << numpy.arange(players))]

    try:
        computer = ExactComputer(game, players)
    except (TypeError, AttributeError):  # later versions want a game of their own class
        from shapiq import Game

        class Table(Game):
            def value_function(self, coalitions):
                return game(coalitions)

        computer = ExactComputer(Table(n_players=players, normalize=False), players)
    _ = computer.game_values  # the table is given, as it is to us
    said([clocked(lambda: computer("Moebius", players))], f"shapiq {version('shapiq')}")
