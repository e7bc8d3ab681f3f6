"""Shapley values of trees beside shap's TreeExplainer (interventional), in one run: 500 rows, 100 background rows, 100
trees of depth 6, of scikit-learn's boosting, LightGBM and XGBoost, 20 columns.

Both get the same rows and the same trees; shap is given the library's own model, as its users do, and reads it before
the clock starts; so does ascribe. Contestants take turns and run with the same number of threads (shap uses one whatever
it is told; a row with one thread for both comes first). Prints medians, the ratio, and by how much the values differ.
"""

import argparse
import statistics
import time
import warnings

import ascribe
import numpy

ROWS, BACKGROUND, COLUMNS, TREES, DEPTH = 500, 100, 20, 100, 6


def models():
    """Name -> (fitted model, bytes of its file)."""
    import lightgbm
    import onnxmltools
    import xgboost
    from onnxmltools.convert.common.data_types import FloatTensorType
    from skl2onnx import to_onnx
    from sklearn.ensemble import GradientBoostingRegressor

    warnings.simplefilter("ignore")
    x = data()
    y = x[:, 0] * x[:, 1] + numpy.sin(3 * x[:, 2]) + numpy.abs(x[:, 3]) * x[:, 4] + x[:, 5:].sum(axis=1) / 10
    types = [("x", FloatTensorType([None, COLUMNS]))]
    boosting = GradientBoostingRegressor(n_estimators=TREES, max_depth=DEPTH, random_state=0).fit(x, y)
    light = lightgbm.LGBMRegressor(n_estimators=TREES, max_depth=DEPTH, num_leaves=2 ** DEPTH, min_child_samples=2,
                                   verbose=-1).fit(x, y)
    extreme = xgboost.XGBRegressor(n_estimators=TREES, max_depth=DEPTH).fit(x, y)
    return {"scikit-learn boosting": (boosting, to_onnx(boosting, x[:1]).SerializeToString()),
            "LightGBM": (light, onnxmltools.convert_lightgbm(light, initial_types=types).SerializeToString()),
            "XGBoost": (extreme, onnxmltools.convert_xgboost(extreme, initial_types=types).SerializeToString())}


def data():
    """Rows to learn from; the first are explained, the last are the background."""
    return numpy.random.default_rng(0).standard_normal((3000, COLUMNS)).astype(numpy.float32)


def timed(explain):
    """Seconds, and the values."""
    start = time.perf_counter()
    values = explain()
    return time.perf_counter() - start, numpy.asarray(values)


def compare(threads=2, rounds=3):
    """Prints a line for each model and number of threads; returns the ratios."""
    import shap

    x = data()
    rows, background = x[:ROWS], x[-BACKGROUND:]
    ratios = []
    print(f"Shapley values of {TREES} trees of depth {DEPTH}: {ROWS} rows, {BACKGROUND} background rows")
    for name, (model, file) in models().items():
        explainer = shap.TreeExplainer(model, background, feature_perturbation="interventional")
        trees = ascribe.load(file, precision="float64", target=0, baseline=background)
        for count in sorted({1, threads}):
            ours = lambda: trees.explain(rows, "shapley", threads=count).player_values
            ours()  # plans once
            own, peer = [], []
            for _ in range(rounds):
                for _ in range(3):
                    seconds, values = timed(ours)
                    own.append(seconds)
                taken, expected = timed(lambda: explainer.shap_values(rows, check_additivity=False))
                peer.append(taken)
            mine, other = statistics.median(own), statistics.median(peer)
            ratios.append(other / mine)
            error = numpy.abs(values - expected).max() / numpy.abs(expected).max()
            print(f"  {name}, {count} thread{'s' if count > 1 else ''}: ascribe {1000 * mine:.0f} ms, shap "
                  f"{1000 * other:.0f} ms, shap / ascribe {other / mine:.1f}; largest difference {error:.1e} of the "
                  "largest value", flush=True)
    return ratios


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    compare(options.threads, options.rounds)


if __name__ == "__main__":
    main()
