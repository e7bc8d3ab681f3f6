"""Shapley values of trees beside shap's TreeExplainer (interventional): 500 rows, 100 background rows, 100 trees of
depth 6, of scikit-learn's boosting, LightGBM and XGBoost, 20 columns.

Both fit the same trees; shap is given the library's own model, as its users do, and reads it before the clock starts;
so does ascribe. shap uses one thread whatever it is told, so there is a row with one thread for both.
"""

import warnings

from frame import ENOUGH, Row, networks, peer, said, several, timed

ROWS, BACKGROUND, COLUMNS, TREES, DEPTH = 500, 100, 20, 100, 6
KINDS = ("scikit-learn boosting", "LightGBM", "XGBoost")


def rows():
    """One and two threads of ours."""
    for kind in KINDS:
        for count in (1, 2):
            yield Row(f"trees {kind} {count}",
                      f"{TREES} trees of depth {DEPTH}, {kind}, {ROWS} rows, {count} thread{'s' * (count > 1)}",
                      {"ascribe": peer("trees", "package", kind=kind, count=count),
                       "shap": peer("trees", "tree_explainer", newest=True, kind=kind)},
                      asked={"shap": 2.0}, runs=9, rounds=1)


def data():
    """Rows to learn from; the first are explained, the last are the background."""
    import numpy

    return numpy.random.default_rng(0).standard_normal((3000, COLUMNS)).astype(numpy.float32)


def fitted(kind):
    """The library's model."""
    import numpy

    warnings.simplefilter("ignore")
    x = data()
    y = x[:, 0] * x[:, 1] + numpy.sin(3 * x[:, 2]) + numpy.abs(x[:, 3]) * x[:, 4] + x[:, 5:].sum(axis=1) / 10
    if kind == "LightGBM":
        import lightgbm

        model = lightgbm.LGBMRegressor(n_estimators=TREES, max_depth=DEPTH, num_leaves=2 ** DEPTH, min_child_samples=2,
                                       verbose=-1)
    elif kind == "XGBoost":
        import xgboost

        model = xgboost.XGBRegressor(n_estimators=TREES, max_depth=DEPTH)
    else:
        from sklearn.ensemble import GradientBoostingRegressor

        model = GradientBoostingRegressor(n_estimators=TREES, max_depth=DEPTH, random_state=0)
    return model.fit(x, y)


def file_of(kind):
    """Bytes of the model's file."""
    model = fitted(kind)
    if kind == KINDS[0]:
        from skl2onnx import to_onnx

        return to_onnx(model, data()[:1]).SerializeToString()
    import onnxmltools
    from onnxmltools.convert.common.data_types import FloatTensorType

    convert = onnxmltools.convert_lightgbm if kind == "LightGBM" else onnxmltools.convert_xgboost
    return convert(model, initial_types=[("x", FloatTensorType([None, COLUMNS]))]).SerializeToString()


def values_file(kind):
    """Where the package leaves its values, for shap's process to compare."""
    return networks.FOLDER / f"trees {kind}.npy"


def package(kind, count, repeats, threads):
    """As users of the package ask."""
    import ascribe
    import numpy

    x = data()
    trees = ascribe.load(file_of(kind), precision="float64", target=0, baseline=x[-BACKGROUND:])
    numpy.save(values_file(kind), trees.explain(x[:ROWS], "shapley", threads=count).player_values)
    timed([lambda: trees.explain(x[:ROWS], "shapley", threads=count)], repeats, 1)


def tree_explainer(kind, repeats, threads):
    """Says by how much its values differ from the package's."""
    import numpy
    import shap

    x = data()
    explainer = shap.TreeExplainer(fitted(kind), x[-BACKGROUND:], feature_perturbation="interventional")
    expected = numpy.asarray(explainer.shap_values(x[:ROWS], check_additivity=False))
    values = numpy.load(values_file(kind)).reshape(expected.shape)
    error = numpy.abs(values - expected).max() / numpy.abs(expected).max()
    way = f"shap {shap.__version__}, largest difference {error:.0e} of the largest value"
    said(several(lambda: explainer.shap_values(x[:ROWS], check_additivity=False), repeats, ENOUGH), way)
