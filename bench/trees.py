"""Shapley values of trees beside shap's TreeExplainer (interventional), in one run: 500 rows, 100 background rows, 100
trees of depth 6, of scikit-learn's boosting, LightGBM and XGBoost, 20 columns.

Both get the same rows and the same trees; shap is given the library's own model, as its users do, and reads it before
the clock starts; so does ascribe. Contestants take turns and run with the same number of threads (shap uses one whatever
it is told; a row with one thread for both comes first). Prints medians, the ratio, and by how much the values differ.
"""

import argparse
import json
import statistics
import subprocess
import tempfile
import time
import warnings
from pathlib import Path

import numpy

ROOT = Path(__file__).resolve().parent.parent
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


def ours(path, folder, repeats, threads):
    """Seconds of each run, and the values."""
    done = subprocess.run([str(a) for a in (ROOT / "build" / "ascribe_attribute", path, folder / "x.npy",
                                            folder / "out.npy", "shapley", "--baseline", folder / "b.npy", "--double",
                                            "--values", "--repeat", repeats, "--threads", threads)],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["seconds"], numpy.load(folder / "out.npy")


def theirs(explainer, x):
    """The same of shap; once, since it takes long."""
    start = time.perf_counter()
    values = explainer.shap_values(x, check_additivity=False)
    return time.perf_counter() - start, numpy.asarray(values)


def compare(folder, threads=2, rounds=3):
    """Prints a line for each model and number of threads; returns the ratios."""
    import shap

    x = data()
    rows, background = x[:ROWS], x[-BACKGROUND:]
    numpy.save(folder / "x.npy", rows)
    numpy.save(folder / "b.npy", background)
    ratios = []
    print(f"Shapley values of {TREES} trees of depth {DEPTH}: {ROWS} rows, {BACKGROUND} background rows")
    for name, (model, file) in models().items():
        path = folder / f"{name.split()[0]}.onnx"
        path.write_bytes(file)
        explainer = shap.TreeExplainer(model, background, feature_perturbation="interventional")
        for count in sorted({1, threads}):
            own, peer = [], []
            for _ in range(rounds):
                seconds, values = ours(path, folder, 3, count)
                own += seconds
                taken, expected = theirs(explainer, rows)
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
    with tempfile.TemporaryDirectory() as folder:
        compare(Path(folder), options.threads, options.rounds)


if __name__ == "__main__":
    main()
