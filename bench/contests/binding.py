"""explain on a small network as a C++ program calls it (include/ascribe), by the Python package, and Captum."""

import networks
from frame import REPEATS, THREADS, Network, Row, ours, peer, timed

GXI, IG = "gradient_x_input", "integrated_gradients"
CALLS = ((GXI, 1, 500, (None,)), (GXI, 100, 100, (None,)), (IG, 1, 100, (None, 50)),
         (IG, 100, 20, (100, 250, 500, 1000, None)))


def rows():
    """One row and a hundred, by two methods."""
    for method, number, runs, batches in CALLS:
        settings = ("steps=50",) if method == IG else ()
        peers = "small_integrated_gradients" if method == IG else method
        yield Row(f"binding {method} {number}", f"{method}, {networks.title('mlp')}, batch {number}",
                  {"Python": peer("binding", "package", path=Network("mlp"), method=method, rows=number,
                                  settings=settings),
                   "C++": ours("interface", method, Network("mlp"), number, REPEATS, THREADS, *settings),
                   "captum": peer("methods", peers, path=Network("mlp"), name="mlp", rows=number, batches=batches,
                                  baselines=1)},
                  asked={"captum": 1.0}, runs=runs)


def package(path, method, rows, settings, repeats, threads):
    """As its users call it."""
    import ascribe

    model = ascribe.load(path)
    x = networks.random_rows("mlp", rows)
    given = dict(setting.split("=") for setting in settings)
    timed([lambda: model.explain(x, method, target=0, threads=threads, settings=given)], repeats)
