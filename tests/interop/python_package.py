"""The Python package beside its neighbours: modules beside PyTorch and Captum, black boxes beside shap's exact explainer,
and our explanations in shap's plots."""
import warnings

import ascribe
import numpy
import torch

from results import Result, compare, failure

TOLERANCE = 1e-5
EXACT_TOLERANCE = 1e-9
STEPS = 32


def modules():
    """Small modules, in training mode as people leave them, with rows."""
    torch.manual_seed(1)
    table = torch.nn.Sequential(torch.nn.Linear(9, 16), torch.nn.ReLU(), torch.nn.Dropout(0.3), torch.nn.Linear(16, 3))
    pictures = torch.nn.Sequential(
        torch.nn.Conv2d(2, 5, 3, padding=1), torch.nn.BatchNorm2d(5), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
        torch.nn.Flatten(), torch.nn.Linear(5 * 4 * 4, 3))
    pictures(torch.randn(32, 2, 8, 8))  # statistics of the batch
    generator = torch.Generator().manual_seed(2)
    return {"table": (table, torch.randn(4, 9, generator=generator)),
            "pictures": (pictures, torch.randn(4, 2, 8, 8, generator=generator))}


def captum_says(net, rows, targets):
    """Method of ours -> (what Captum says, its settings)."""
    import captum.attr

    warnings.simplefilter("ignore")  # captum: the hooks that it sets
    baselines = torch.zeros_like(rows)
    path = captum.attr.IntegratedGradients(net).attribute(rows, baselines, targets, n_steps=STEPS, method="gausslegendre")
    return {"integrated_gradients": (path, {"steps": STEPS}),
            "deeplift_rescale": (captum.attr.DeepLift(net).attribute(rows, baselines, targets), {}),
            "occlusion": (captum.attr.FeatureAblation(net).attribute(rows, baselines, targets), {}),
            "gradient_x_input": (captum.attr.InputXGradient(net).attribute(rows.clone().requires_grad_(), targets), {})}


def check_modules():
    """Modules loaded with an example say what torch says, and get Captum's attributions."""
    targets = [0, 1, 2, 1]
    for name, (net, rows) in modules().items():
        model = ascribe.load(net.train(), example=rows[:1])
        trained = net.training
        net.eval().requires_grad_(True)
        yield Result(f"{name}: the module is left in training mode", 0.0 if trained else 1.0, 0.0)
        yield compare(f"{name} predict: torch", lambda: model.predict(rows).values, net(rows).detach().numpy(), TOLERANCE)
        for method, (expected, settings) in captum_says(net, rows, torch.tensor(targets)).items():
            yield compare(f"{name} {method} of a module: captum",
                          lambda: model.explain(rows, method, target=targets, players="elements", settings=settings).values,
                          expected.detach().numpy(), TOLERANCE)


def estimators():
    """Fitted models of eight features, as functions of rows."""
    import lightgbm
    import sklearn.ensemble
    import sklearn.neighbors
    import sklearn.svm
    import xgboost

    generator = numpy.random.default_rng(3)
    x = generator.standard_normal((200, 8))
    y = (x[:, 0] * x[:, 1] + numpy.sin(x[:, 2]) + 0.3 * x[:, 3] > 0).astype(int)
    forest = sklearn.ensemble.RandomForestClassifier(20, max_depth=5, random_state=0).fit(x, y)
    boosted = lightgbm.LGBMRegressor(n_estimators=20, verbose=-1, n_jobs=1).fit(x, x[:, 0] * x[:, 1])
    trees = xgboost.XGBClassifier(n_estimators=20, n_jobs=1).fit(x, y)
    return x, {"random forest": forest.predict_proba,
               "support vectors": sklearn.svm.SVR().fit(x, x[:, 0] * x[:, 1]).predict,
               "neighbours": sklearn.neighbors.KNeighborsRegressor(7).fit(x, x[:, 2]).predict,
               "lightgbm": lambda rows: boosted.predict(rows, validate_features=False),
               "xgboost": trees.predict_proba}


def check_black_boxes():
    """Shapley values of any model, against rows of background, equal shap's exact explainer."""
    import shap

    x, models = estimators()
    background, rows = x[:20], x[100:103]
    for name, called in models.items():
        single = lambda z, called=called: numpy.asarray(called(z), float).reshape(len(z), -1)[:, -1]
        masker = shap.maskers.Independent(background, max_samples=len(background))
        expected = shap.explainers.ExactExplainer(single, masker)(rows, silent=True)
        explained = ascribe.function(called, inputs=8).explain(rows, "shapley", target=-1, baseline=background)
        yield compare(f"{name}, shapley: shap exact", lambda e=explained: e.values, expected.values, EXACT_TOLERANCE)
        yield compare(f"{name}, base values: shap exact", lambda e=explained: e.base_values, expected.base_values,
                      EXACT_TOLERANCE)
        theirs = explained.to_shap()
        yield compare(f"{name}, to_shap adds up to the output", lambda t=theirs: t.values.sum(1) + t.base_values,
                      single(rows), EXACT_TOLERANCE)


def check_plots():
    """Plots of shap take our explanations, of one row and of several."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot
    import shap

    x, models = estimators()
    table = ascribe.function(models["support vectors"], inputs=8, feature_names=[f"feature {i}" for i in range(8)])
    several = table.explain(x[:30], "shapley", baseline=x[:10])
    net, rows = modules()["pictures"]
    one_channel = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 1), net)
    pictures = ascribe.load(one_channel, example=rows[:, :1]).explain(rows[:2, :1], "gradient_x_input")
    jobs = {"waterfall": lambda: shap.plots.waterfall(several[0].to_shap(), show=False),
            "waterfall of a row of several": lambda: shap.plots.waterfall(several.to_shap()[1], show=False),
            "beeswarm": lambda: shap.plots.beeswarm(several.to_shap(), show=False),
            "bar": lambda: shap.plots.bar(several.to_shap(), show=False),
            "scatter": lambda: shap.plots.scatter(several.to_shap()[:, "feature 2"], show=False),
            "heatmap": lambda: shap.plots.heatmap(several.to_shap(), show=False),
            "image": lambda: shap.plots.image(pictures.to_shap(), show=False)}
    for name, draw in jobs.items():
        try:
            draw()
            drawn = any(axes.has_data() for axes in matplotlib.pyplot.gcf().axes)
            yield Result(f"shap.plots.{name} of our explanation", 0.0 if drawn else 1.0, 0.0)
        except Exception as error:  # the other plots go on
            yield failure(f"shap.plots.{name} of our explanation", error)
        matplotlib.pyplot.close("all")


def check_python_package(_folder):
    """All of it."""
    yield from check_modules()
    yield from check_black_boxes()
    yield from check_plots()
