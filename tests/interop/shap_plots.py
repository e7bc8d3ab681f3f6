"""to_shap() in shap's own plots: what they draw is what ascribe said. Nothing is rounded on the way, so the tolerance is
that of sums of doubles."""
import pathlib

import ascribe
import numpy

from results import compare

DRAWN = 1e-12
ZERO = 1e-9  # of values up to 100: that of the constant column, whose arrow is no arrow
MODELS = pathlib.Path("models")


def pyplot():
    """matplotlib without windows."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    plt.close("all")
    return plt


def drawn(plt):
    """The figure, rendered."""
    figure = plt.gcf()
    figure.canvas.draw()
    return figure


def table():
    """Shapley values of a black box of scikit-learn, of 30 rows of which one column is constant."""
    from sklearn.datasets import load_diabetes
    from sklearn.linear_model import LinearRegression
    from sklearn.preprocessing import PolynomialFeatures
    from sklearn.pipeline import make_pipeline

    frame, y = load_diabetes(return_X_y=True, as_frame=True)
    frame = frame[["age", "sex", "bmi", "bp", "s1"]].assign(constant=1.0)
    fitted = make_pipeline(PolynomialFeatures(2), LinearRegression()).fit(frame.to_numpy(), y)
    model = ascribe.function(fitted.predict, inputs=frame.shape[1], baseline=frame.iloc[-10:])
    return model.explain(frame.iloc[:30], method="shapley")


def waterfall(one):
    """The steps of a row that are not zero: shafts with their heads."""
    import shap
    from matplotlib.patches import FancyArrow

    plt = pyplot()
    shap.plots.waterfall(one.to_shap(), max_display=20, show=False)
    figure = drawn(plt)
    arrows = [patch for axes in figure.axes for patch in axes.patches if isinstance(patch, FancyArrow)]
    return numpy.sort([one._dx + numpy.sign(one._dx) * one._head_length for one in arrows if one._head_length > ZERO])


def beeswarm(explained):
    """Where the dots of all features lie."""
    import shap

    plt = pyplot()
    shap.plots.beeswarm(explained.to_shap(), max_display=20, show=False)
    figure = drawn(plt)
    return numpy.sort(numpy.concatenate([dots.get_offsets()[:, 0] for dots in figure.axes[0].collections]))


def image(explained):
    """The maps of the rows: the sum over channels."""
    import shap

    plt = pyplot()
    shap.plots.image(explained.to_shap(), show=False)
    figure = drawn(plt)
    shape = explained.values.shape[2:]
    shown = [numpy.asarray(one.get_array(), float) for axes in figure.axes for one in axes.get_images()]
    maps = [one for one in shown if one.shape == shape and (one < 0).any()]  # those of pixels are grey
    return numpy.stack(maps)


def check_shap_plots(_folder):
    """Waterfall and beeswarm of a table, the maps of pictures."""
    e = table()
    names = f"{e.values.shape[1]} features"
    steps = numpy.sort(e.values[0][numpy.abs(e.values[0]) > ZERO])
    yield compare(f"shap.plots.waterfall, {names}: its steps", lambda: waterfall(e[0]), steps, DRAWN)
    yield compare(f"shap.plots.beeswarm, {names}: its dots", lambda: beeswarm(e), numpy.sort(e.values.ravel()), DRAWN)
    yield compare("to_shap(), base value and values: the output",
                  lambda: e.to_shap().values.sum(1) + e.to_shap().base_values, e.output, DRAWN)
    model = ascribe.load(MODELS / "sigmoid_cnn.onnx", preprocess="unit")
    pictures = [MODELS / "images" / f"{name}.png" for name in ("ankle_boot", "bag", "dress")]
    e = model.explain(pictures, method="integrated_gradients")
    yield compare("shap.plots.image, 3 pictures: its maps", lambda: image(e), e.values.sum(1), DRAWN)
