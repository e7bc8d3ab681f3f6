"""Trees as scikit-learn, LightGBM and XGBoost write them: predictions beside ONNX Runtime, Shapley values beside shap's
TreeExplainer (interventional) and ExactExplainer, and interactions beside shapiq's exact computer.

Files hold float32 thresholds and leaves. So shap gets the trees of the file, not those of the library, whose leaves are
doubles. Its TreeExplainer keeps weights and partial sums of interventional values in float (cext/tree_shap.h:
memoized_weights, pos_lst), which leaves 1e-8 of the largest value or more; its ExactExplainer, over all coalitions, is in
double, and there 1e-9 is asked for.
"""
import functools
import itertools
import json
import warnings

import ascribe
import numpy
import onnx

import engines
from results import compare

SINGLE = 2e-6  # of sums of float32
DOUBLE = 1e-9
SHAP_FLOAT = 3e-7  # what float weights leave of sums over some hundred leaves
FEATURES, ROWS, BACKGROUND = 9, 12, 20
CODES = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")


def data():
    """Rows, a class of two, a class of three and a number."""
    x = numpy.random.default_rng(1).standard_normal((400, FEATURES)).astype(numpy.float32)
    score = x[:, 0] + x[:, 1] * x[:, 2] - numpy.abs(x[:, 3])
    return x, (score > 0).astype(int), numpy.digitize(score, [-1.0, 0.5]), score.astype(numpy.float64)


def sklearn_file(model, x, y):
    """A fitted model as skl2onnx writes it."""
    from skl2onnx import to_onnx

    model.fit(x, y)
    options = {id(model): {"zipmap": False}} if hasattr(model, "predict_proba") else None
    return to_onnx(model, x[:1], options=options)


def onnxmltools_file(convert, model, x, y, **options):
    """The same from LightGBM and XGBoost."""
    from onnxmltools.convert.common.data_types import FloatTensorType

    model.fit(x, y)
    return convert(model, initial_types=[("x", FloatTensorType([None, FEATURES]))], **options)


@functools.cache
def libraries():
    """Name -> file."""
    import lightgbm
    import onnxmltools
    import xgboost
    from sklearn import ensemble, tree

    warnings.simplefilter("ignore")
    x, two, three, number = data()
    small = {"n_estimators": 25, "max_depth": 4, "random_state": 0}
    light = {**small, "verbose": -1}
    lgb = functools.partial(onnxmltools_file, onnxmltools.convert_lightgbm)
    xgb = functools.partial(onnxmltools_file, onnxmltools.convert_xgboost)
    made = {}

    def add(name, write, model, y, **options):
        made[name] = write(model, x, y, **options)

    add("sklearn tree", sklearn_file, tree.DecisionTreeRegressor(random_state=0), number)
    add("sklearn forest", sklearn_file, ensemble.RandomForestRegressor(**small), number)
    add("sklearn forest, 2 classes", sklearn_file, ensemble.RandomForestClassifier(**small), two)
    add("sklearn forest, 3 classes", sklearn_file, ensemble.RandomForestClassifier(**small), three)
    add("sklearn boosting", sklearn_file, ensemble.GradientBoostingRegressor(**small), number)
    add("sklearn boosting, 2 classes", sklearn_file, ensemble.GradientBoostingClassifier(**small), two)
    add("sklearn boosting, 3 classes", sklearn_file, ensemble.GradientBoostingClassifier(**small), three)
    add("LightGBM", lgb, lightgbm.LGBMRegressor(**light), number)
    add("LightGBM, 2 classes", lgb, lightgbm.LGBMClassifier(**light), two, zipmap=False)
    add("LightGBM, 3 classes", lgb, lightgbm.LGBMClassifier(**light), three, zipmap=False)
    add("XGBoost", xgb, xgboost.XGBRegressor(**small), number)
    add("XGBoost, 2 classes", xgb, xgboost.XGBClassifier(**small), two)
    add("XGBoost, 3 classes", xgb, xgboost.XGBClassifier(**small), three)
    return made


def attributes_of(model):
    """The operator of trees in a file, and its attributes by name."""
    (node,) = [node for node in model.graph.node if node.op_type.startswith("TreeEnsemble")]
    return node, {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}


def trees_for_shap(model):
    """The trees of the file as shap takes them, a column of values for each target."""
    node, lists = attributes_of(model)
    prefix = "target" if node.op_type == "TreeEnsembleRegressor" else "class"
    targets = lists["n_targets"] if prefix == "target" else len(lists["classlabels_int64s"])
    ids = sorted(set(lists["nodes_treeids"]))
    trees = []
    for tree in ids:
        entries = [i for i, of in enumerate(lists["nodes_treeids"]) if of == tree]
        place = {lists["nodes_nodeids"][entry]: i for i, entry in enumerate(entries)}
        leaf = [lists["nodes_modes"][entry] == b"LEAF" for entry in entries]
        thresholds = numpy.array([lists["nodes_values"][entry] for entry in entries])
        strict = numpy.array([lists["nodes_modes"][entry] == b"BRANCH_LT" for entry in entries])
        thresholds[strict] = numpy.nextafter(thresholds[strict].astype(numpy.float32), numpy.float32(-numpy.inf))
        values = numpy.zeros((len(entries), targets))
        for w, of in enumerate(lists[f"{prefix}_treeids"]):
            if of == tree:
                values[place[lists[f"{prefix}_nodeids"][w]], lists[f"{prefix}_ids"][w]] += lists[f"{prefix}_weights"][w]
        child = {side: numpy.array([-1 if leaf[i] else place[lists[f"nodes_{side}nodeids"][entry]]
                                    for i, entry in enumerate(entries)]) for side in ("true", "false")}
        trees.append({"children_left": child["true"], "children_right": child["false"],
                      "children_default": child["true"], "values": values, "thresholds": thresholds,
                      "features": numpy.array([-2 if leaf[i] else lists["nodes_featureids"][entry]
                                               for i, entry in enumerate(entries)]),
                      "node_sample_weight": numpy.ones(len(entries))})
    return trees


def shap_values(trees, x, background):
    """[rows, features, targets]"""
    import shap

    explainer = shap.TreeExplainer({"trees": trees}, data=background.astype(numpy.float64),
                                   feature_perturbation="interventional")
    values = numpy.asarray(explainer.shap_values(x.astype(numpy.float64), check_additivity=False))
    return values[:, :, None] if values.ndim == 2 else values


def tree_outputs(trees, rows):
    """What the trees add up to, in double: [rows, targets]."""
    total = 0.0
    for tree in trees:
        at = numpy.zeros(len(rows), int)
        while (tree["features"][at] >= 0).any():
            inner = tree["features"][at] >= 0
            goes = rows[numpy.arange(len(rows)), numpy.maximum(tree["features"][at], 0)] <= tree["thresholds"][at]
            at = numpy.where(inner, numpy.where(goes, tree["children_left"][at], tree["children_right"][at]), at)
        total = total + tree["values"][at]
    return total


def exact_values(trees, x, background):
    """The same by shap's explainer over all coalitions: [rows, features, targets]."""
    import shap

    masker = shap.maskers.Independent(background.astype(numpy.float64), max_samples=len(background))
    explainer = shap.explainers.ExactExplainer(lambda rows: tree_outputs(trees, rows), masker)
    values = explainer(x.astype(numpy.float64), silent=True).values
    return values[:, :, None] if values.ndim == 2 else values


class Ours:
    """A file that our tools are asked about."""

    def __init__(self, folder, name, model):
        self.stem = folder / ("trees-" + "".join(c if c.isalnum() else "-" for c in name))
        self.path = self.stem.with_suffix(".onnx")
        self.path.write_bytes(model.SerializeToString())

    def model(self):
        """In double, whatever the file computes in."""
        return ascribe.load(self.path, precision="float64")

    def exact_shapley(self, x, background, target=0, players="elements"):
        """Shapley values of the players of each row, if they are said to be exact."""
        found = engines.explain(self.model(), x, "shapley", target, background, players)
        if not found.exact.all():
            raise RuntimeError("the values are not exact")
        return found.player_values


def binary_column(model, values, target):
    """What the file's one column of weights for two classes makes of class 1 or 0."""
    node, lists = attributes_of(model)
    if node.op_type != "TreeEnsembleClassifier" or set(lists["class_ids"]) != {0}:
        return values[:, :, target]
    return values[:, :, 0] if target == 1 else -values[:, :, 0]


def outputs(path, x):
    """What `ascribe predict` says, by the names of the outputs."""
    numpy.save(f"{path}.npy", x)
    engines.command(engines.ASCRIBE, "predict", path, f"{path}.npy", "--quiet", "--force", "-o", f"{path}.npz")
    return numpy.load(f"{path}.npz")


def probabilities_of(loaded, x):
    """What ONNX Runtime says: the last output."""
    return loaded.run(None, {loaded.get_inputs()[0].name: x})[-1]


def check_library(folder, name, model):
    """Predictions, a round trip, and Shapley values of one file."""
    x, background = data()[0][:ROWS], data()[0][50:50 + BACKGROUND]
    ours = Ours(folder, name, model)
    classes = "class" in name
    expected = probabilities_of(engines.session(ours.path), x)
    yield compare(f"{name}: ONNX Runtime", lambda: outputs(ours.path, x)[model.graph.output[-1].name], expected, SINGLE)
    yield compare(f"{name}, written again: ONNX Runtime",
                  lambda: probabilities_of(engines.session(engines.round_trip(ours.path)), x), expected, SINGLE)
    trees = trees_for_shap(model)
    target = 1 if classes else 0
    theirs = binary_column(model, shap_values(trees, x, background), target)
    yield compare(f"{name}, Shapley values: shap's TreeExplainer",
                  lambda: ours.exact_shapley(x, background, target), theirs, SHAP_FLOAT)
    theirs = binary_column(model, exact_values(trees, x[:2], background), target)
    yield compare(f"{name}, Shapley values: shap's ExactExplainer",
                  lambda: ours.exact_shapley(x[:2], background, target), theirs, DOUBLE)


def mode_file(rng, mode, targets, aggregate, post):
    """Random trees of depth 3 with one mode, whose thresholds are whole numbers, so that rows lie on them."""
    lists = {key: [] for key in ("treeids", "nodeids", "featureids", "values", "modes", "truenodeids", "falsenodeids",
                                 "missing_value_tracks_true")}
    weights = {key: [] for key in ("treeids", "nodeids", "ids", "weights")}
    for tree, node in itertools.product(range(4), range(15)):
        leaf = node >= 7
        entry = {"treeids": tree, "nodeids": node, "featureids": int(rng.integers(4)),
                 "values": float(rng.integers(-1, 2)), "modes": "LEAF" if leaf else mode,
                 "truenodeids": 0 if leaf else 2 * node + 1, "falsenodeids": 0 if leaf else 2 * node + 2,
                 "missing_value_tracks_true": int(rng.integers(2))}
        for key, value in entry.items():
            lists[key].append(value)
        for target in range(targets if leaf else 0):
            for key, value in zip(weights, (tree, node, target, float(rng.uniform(0.05, 0.2)))):
                weights[key].append(value)
    node = onnx.helper.make_node(
        "TreeEnsembleRegressor", ["x"], ["y"], domain="ai.onnx.ml", n_targets=targets, post_transform=post,
        aggregate_function=aggregate, base_values=[0.05] * targets, **{f"nodes_{k}": v for k, v in lists.items()},
        **{f"target_{k}": v for k, v in weights.items()})
    return model_of(node, 4, targets, onnx.TensorProto.FLOAT, 3)


def model_of(node, columns, targets, element, version):
    """A file of one node."""
    shape = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph([node], "trees", [shape("x", element, [None, columns])],
                                   [shape("y", element, [None, targets])])
    opsets = [onnx.helper.make_opsetid("", 17), onnx.helper.make_opsetid("ai.onnx.ml", version)]
    return onnx.helper.make_model(graph, opset_imports=opsets, ir_version=10)


def check_modes(folder):
    """Every comparison with ties, every aggregate, every transform."""
    rng = numpy.random.default_rng(3)
    x = rng.integers(-2, 3, (40, 4)).astype(numpy.float32)
    cases = [(f"BRANCH_{mode}", 1, "SUM", "NONE") for mode in ("LEQ", "LT", "GTE", "GT", "EQ", "NEQ")]
    cases += [("BRANCH_LEQ", targets, aggregate, "NONE") for targets in (1, 3)
              for aggregate in ("AVERAGE", "MIN", "MAX")]
    cases += [("BRANCH_GT", targets, "SUM", post) for targets in (1, 3) for post in CODES[1:]]
    for mode, targets, aggregate, post in cases:
        name = f"{mode}, {targets} targets, {aggregate}, {post}"
        ours = Ours(folder, name, mode_file(rng, mode, targets, aggregate, post))
        expected = probabilities_of(engines.session(ours.path), x)
        yield compare(f"trees, {name}: ONNX Runtime", lambda: engines.predict(ours.path, x), expected,
                      1e-4 if post == "PROBIT" else SINGLE)._replace(shown=False)  # theirs rounds its constants
        yield compare(f"trees, {name}, written again: ONNX Runtime",
                      lambda: probabilities_of(engines.session(engines.round_trip(ours.path)), x), expected,
                      1e-4 if post == "PROBIT" else SINGLE)._replace(shown=False)


def members_file(element):
    """TreeEnsemble with nodes that test for members of a set, in float or double."""
    kind = onnx.helper.tensor_dtype_to_np_dtype(element)
    tensor = lambda values, dtype=kind: onnx.numpy_helper.from_array(numpy.array(values, dtype))
    node = onnx.helper.make_node(
        "TreeEnsemble", ["x"], ["y"], domain="ai.onnx.ml", n_targets=2, aggregate_function=1, post_transform=0,
        tree_roots=[0, 2], nodes_featureids=[0, 1, 2], nodes_modes=tensor([6, 0, 6], numpy.uint8),
        nodes_splits=tensor([0, 0.5, 0]), membership_values=tensor([1, 2, numpy.nan, -1, numpy.nan]),
        nodes_truenodeids=[1, 0, 3], nodes_trueleafs=[0, 1, 1], nodes_falsenodeids=[2, 1, 4], nodes_falseleafs=[1, 1, 1],
        leaf_targetids=[0, 1, 0, 1, 0], leaf_weights=tensor([0.1, 0.7, -0.4, 1.3, 0.2]))
    return model_of(node, 3, 2, element, 5)


def check_members(folder):
    """The same beside ONNX Runtime, in both precisions."""
    x = numpy.random.default_rng(5).integers(-2, 3, (30, 3))
    for element, tolerance in ((onnx.TensorProto.FLOAT, SINGLE), (onnx.TensorProto.DOUBLE, 1e-12)):
        kind = onnx.helper.tensor_dtype_to_np_dtype(element)
        ours = Ours(folder, f"members {kind}", members_file(element))
        expected = probabilities_of(engines.session(ours.path), x.astype(kind))
        yield compare(f"trees with sets of members, {kind}: ONNX Runtime",
                      lambda: engines.predict(ours.path, x.astype(kind)), expected, tolerance)
        yield compare(f"trees with sets of members, {kind}, written again: ONNX Runtime",
                      lambda: probabilities_of(engines.session(engines.round_trip(ours.path)), x.astype(kind)), expected,
                      tolerance)


def classifier_file(classes, ids, negative, base, post):
    """Two stumps with weights of some of the classes."""
    rng = numpy.random.default_rng(7)
    nodes, weights = {"treeids": [], "nodeids": []}, {"treeids": [], "nodeids": [], "ids": [], "weights": []}
    for tree, node in itertools.product(range(2), range(3)):
        nodes["treeids"].append(tree)
        nodes["nodeids"].append(node)
        for of in ids if node else []:
            value = float(rng.uniform(-0.6, 0.6) if negative else rng.uniform(0, 0.6))
            for key, entry in zip(weights, (tree, node, of, value)):
                weights[key].append(entry)
    node = onnx.helper.make_node(
        "TreeEnsembleClassifier", ["x"], ["label", "y"], domain="ai.onnx.ml", post_transform=post,
        classlabels_int64s=[7, 3, 5][:classes], nodes_featureids=[0] * 3 + [1] * 3, nodes_values=[0.0] * 6,
        nodes_modes=["BRANCH_LEQ", "LEAF", "LEAF"] * 2, nodes_truenodeids=[1, 0, 0] * 2,
        nodes_falsenodeids=[2, 0, 0] * 2, **{f"nodes_{k}": v for k, v in nodes.items()},
        **{f"class_{k}": v for k, v in weights.items()}, **({"base_values": base} if base else {}))
    model = model_of(node, 2, classes, onnx.TensorProto.FLOAT, 3)
    label = onnx.helper.make_tensor_value_info("label", onnx.TensorProto.INT64, [None])
    outputs = [label, model.graph.output[0]]
    del model.graph.output[:]
    model.graph.output.extend(outputs)
    return model


def check_classifiers(folder):
    """What ONNX Runtime makes of two classes, with one column of weights or two, and of three."""
    x = numpy.array(list(itertools.product((-1.0, 1.0), repeat=2)), numpy.float32)
    cases = [(2, ids, negative, base, post) for ids in ((0,), (1,), (0, 1)) for negative in (False, True)
             for base in ((), (0.25,), (0.1, 0.35)) for post in ("NONE", "LOGISTIC", "SOFTMAX")
             if not (1 in ids and len(base) > 1) and not (ids == (1,) and base)]
    cases += [(3, (0, 1, 2), True, base, post) for base in ((), (0.1, 0.2, 0.3)) for post in CODES[:4]]
    for number, (classes, ids, negative, base, post) in enumerate(cases):
        name = f"{classes} classes, weights of {ids}{', some negative' if negative else ''}, base {base}, {post}"
        ours = Ours(folder, f"classifier {number}", classifier_file(classes, ids, negative, list(base), post))
        label, expected = engines.session(ours.path).run(None, {"x": x})
        yield compare(f"trees, {name}: ONNX Runtime", lambda: outputs(ours.path, x)["y"], expected,
                      SINGLE)._replace(shown=False)
        if ids != (0, 1):  # there ONNX Runtime gives 0 and 1, whatever the labels are
            yield compare(f"trees, label of {name}: ONNX Runtime",
                          lambda: outputs(ours.path, x)["label"], label, 0)._replace(shown=False)


def check_groups(folder):
    """Columns that come and go together, beside the definition."""
    model = libraries()["XGBoost"]
    x, background = data()[0][:3], data()[0][60:66]
    groups = {"left": [0, 1], "middle": [2, 3, 4], "right": [5, 6, 7, 8]}
    path = folder / "trees-groups.json"
    path.write_text(json.dumps(groups))
    ours = Ours(folder, "groups", model)
    trees = trees_for_shap(model)

    def value(row, members):
        rows = background.astype(numpy.float64).copy()
        for member in members:
            rows[:, groups[member]] = row[groups[member]]
        return tree_outputs(trees, rows)[:, 0].mean()

    expected = []
    for row in x.astype(numpy.float64):
        shares = dict.fromkeys(groups, 0.0)
        for order in itertools.permutations(groups):
            for i, member in enumerate(order):
                shares[member] += (value(row, order[:i + 1]) - value(row, order[:i])) / 6
        expected.append(list(shares.values()))
    yield compare("XGBoost, Shapley values of groups of columns: the definition",
                  lambda: ours.exact_shapley(x, background, players=f"groups:{path}"), expected, DOUBLE)


def check_interactions(folder):
    """Pairs of a boosted model beside shapiq's computer over all coalitions."""
    from shapiq import ExactComputer

    model = libraries()["LightGBM"]
    x, background = data()[0][0], data()[0][70:75]
    trees = trees_for_shap(model)
    ours = Ours(folder, "interactions", model).model()

    def game(coalitions):
        return numpy.array([tree_outputs(trees, numpy.where(kept, x, background).astype(numpy.float64))[:, 0].mean()
                            for kept in numpy.atleast_2d(coalitions)])

    computer = ExactComputer(game, FEATURES)
    for index, theirs, order in (("sii", "SII", 2), ("stii", "STII", 3), ("fsii", "FSII", 2), ("bii", "BII", 2)):
        found = {tuple(s): v for s, v in computer(theirs, order).dict_values.items() if s}
        sets = sorted(found, key=lambda s: (len(s), s))

        def ask():
            values = ours.decompose(x, baseline=background, index=index, order=order).index_values
            return [{effect.players: effect.value for effect in values}.get(s, 0.0) for s in sets]

        yield compare(f"LightGBM, {index} of order {order}: shapiq", ask, [found[s] for s in sets], DOUBLE)


def check_trees(folder):
    """All of it."""
    for name, model in libraries().items():
        yield from check_library(folder, name, model)
    yield from check_modes(folder)
    yield from check_members(folder)
    yield from check_classifiers(folder)
    yield from check_groups(folder)
    yield from check_interactions(folder)
