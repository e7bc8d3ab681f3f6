"""Models of scikit-learn, as skl2onnx writes them: predictions beside ONNX Runtime, slopes beside differences of
scikit-learn's own functions, Shapley values beside all coalitions of them."""
import itertools
import json
import math
import subprocess
import warnings

import numpy
import onnx

import engines
from results import compare

TOLERANCE = 1e-5  # of float, which the files hold and ONNX Runtime computes in
SLOPES = 1e-3     # differences of functions whose numbers the file rounds to float
STEP = 1e-4


def data():
    """Rows of four features, three classes, two classes and a number to predict."""
    generator = numpy.random.default_rng(3)
    x = generator.normal(size=(160, 4)).astype(numpy.float32)
    three = (x @ generator.normal(size=(4, 3))).argmax(1)
    return x, three, (x[:, 0] + x[:, 1] * x[:, 2] > 0).astype(int), x[:, 0] * x[:, 1] + x[:, 2]


def estimators():
    """name -> (estimator, which of the targets, options of the export)"""
    from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
    from sklearn.neural_network import MLPClassifier, MLPRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn import preprocessing
    from sklearn.impute import SimpleImputer
    from sklearn.svm import SVC, SVR, LinearSVC, NuSVC

    plain = {"zipmap": False}
    found = {
        "logistic three": (LogisticRegression(), "three", None),
        "logistic names": (LogisticRegression(), "names", None),
        "logistic two": (LogisticRegression(), "two", plain),
        "linear": (LinearRegression(), "number", None),
        "ridge of two": (Ridge(), "numbers", None),
        "mlp classes": (MLPClassifier((8,), max_iter=60, random_state=0), "three", None),
        "mlp two": (MLPClassifier((8,), max_iter=60, random_state=0), "yes", plain),
        "mlp number": (MLPRegressor(hidden_layer_sizes=(8,), max_iter=60, random_state=0), "number", None),
        "svr rbf": (SVR(), "number", None),
        "svr poly": (SVR(kernel="poly"), "number", None),
        "svc probabilities": (SVC(probability=True, random_state=0), "three", None),
        "svc votes": (SVC(), "names", plain),
        "svc two poly": (SVC(probability=True, kernel="poly", random_state=0), "two", None),
        "svc two linear": (SVC(kernel="linear"), "two", None),
        "nusvc sigmoid": (NuSVC(probability=True, kernel="sigmoid", nu=0.2, random_state=0), "three", plain),
        "linear svc": (LinearSVC(), "three", None),
    }
    for step in [preprocessing.StandardScaler(), preprocessing.MinMaxScaler(), preprocessing.RobustScaler(),
                 preprocessing.Normalizer("l1"), preprocessing.Normalizer("l2"), SimpleImputer(),
                 preprocessing.Binarizer(threshold=0.1), preprocessing.PolynomialFeatures(2)]:
        name = f"{type(step).__name__} {getattr(step, 'norm', '')}".strip()
        found[name] = (make_pipeline(step, LogisticRegression()), "two", None)
    return found


def scores_of(answer):
    """The last output of ONNX Runtime as numbers; maps in the order of their classes."""
    last = answer[-1]
    if isinstance(last, list):
        return numpy.array([list(row.values()) for row in last])
    return last


def said(arguments):
    """What ascribe says with --json."""
    done = subprocess.run([str(a) for a in (engines.ASCRIBE, *arguments, "--json", "--quiet")], capture_output=True,
                          text=True, timeout=60 * engines.MINUTES)
    if done.returncode:
        raise RuntimeError(f"exit code {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def predicted(model, rows):
    """The real output of the model for every row of a file."""
    predictions = said(["predict", model, rows])["predictions"]
    return numpy.array([row["outputs"][-1]["values"] for row in predictions])


def shapley(function, x, baseline):
    """By all coalitions; a function of rows."""
    count = len(x)
    coalitions = list(itertools.product([0, 1], repeat=count))
    rows = [[x[i] if mask[i] else baseline[i] for i in range(count)] for mask in coalitions]
    values = dict(zip(coalitions, function(rows)))
    result = numpy.zeros(count)
    for mask in coalitions:
        size = sum(mask)
        for i in range(count):
            if not mask[i]:
                weight = math.factorial(size) * math.factorial(count - size - 1) / math.factorial(count)
                result[i] += weight * (values[mask[:i] + (1,) + mask[i + 1:]] - values[mask])
    return result


def explained(model, rows, method, target, *options):
    """The values of the players of the first row, with their names."""
    question = ["explain", model, rows, "--row", 0, "--method", method, "--target", target, "--precision", "double"]
    try:
        document = said([*question, *options, "--explain", "probability"])
    except RuntimeError as error:  # the output is explained as it is
        if "no probability to explain" not in str(error):
            raise
        document = said([*question, *options])
    return dict(zip(document["players"], document["methods"][0]["values"]))


def check_estimator(folder, name, estimator, target, options):
    """One file: predictions, and for smooth models slopes and Shapley values."""
    from skl2onnx import to_onnx

    x, three, two, number = data()
    wanted = {"three": three, "two": two, "number": number, "numbers": numpy.c_[number, 2 * number],
              "names": numpy.array(["low", "mid", "high"])[three], "yes": numpy.array(["no", "yes"])[two]}[target]
    estimator.fit(x, wanted)
    path = folder / f"{name.replace(' ', '_')}.onnx"
    onnx.save(to_onnx(estimator, x[:1], options=options), path)
    rows = folder / f"{path.stem}.csv"
    numpy.savetxt(rows, x[:20], delimiter=",", header="a,b,c,d", comments="", fmt="%.9g")
    theirs = scores_of(engines.session(path).run(None, {"X": x[:20]}))
    yield compare(f"tables {name}", lambda: predicted(path, rows), theirs, TOLERANCE)


def function_of(estimator, target):
    """The number of scikit-learn that the file's output `target` holds, in double."""
    def ask(rows):
        rows = numpy.asarray(rows, dtype=numpy.float64)
        if hasattr(estimator, "predict_proba"):
            return estimator.predict_proba(rows)[:, target]
        return estimator.predict(rows)
    return ask


SMOOTH = {"logistic three": 1, "linear": 0, "mlp classes": 2, "svr rbf": 0, "svr poly": 0, "StandardScaler": 1,
          "Normalizer l2": 1, "PolynomialFeatures": 1}  # with the target that is explained


def check_values(folder, name, estimator):
    """Slopes and Shapley values of a model that has been checked before."""
    x = data()[0][:20].astype(numpy.float64)
    target = SMOOTH[name]
    function = function_of(estimator, target)
    path = folder / f"{name.replace(' ', '_')}.onnx"
    rows = path.with_suffix(".csv")
    steps = STEP * numpy.eye(4)
    slopes = [(function([x[0] + step]) - function([x[0] - step]))[0] / (2 * STEP) for step in steps]
    yield compare(f"tables {name} slopes", lambda: list(explained(path, rows, "gradient", target).values()), slopes,
                  SLOPES)
    exact = shapley(function, x[0], numpy.zeros(4))
    yield compare(f"tables {name} Shapley", lambda: list(explained(path, rows, "shapley", target).values()), exact,
                  TOLERANCE * 10)


def people():
    """A table with columns of integers, numbers and texts, and who says yes."""
    import pandas

    generator = numpy.random.default_rng(4)
    frame = pandas.DataFrame({"age": generator.integers(18, 80, 200),
                              "colour": generator.choice(["red", "green", "blue"], 200),
                              "hours": generator.normal(40, 5, 200).astype(numpy.float32),
                              "city": generator.choice(["Rome, old", 'the "Hague"', "Oslo"], 200)})
    says = (frame.age > 40) & (frame.colour == "red") | (frame.city == "Oslo") & (frame.hours > 40)
    return frame, numpy.array(["no", "yes"])[says.astype(int)]


def column_types(frame):
    """An input for each column."""
    from skl2onnx.common.data_types import FloatTensorType, Int64TensorType, StringTensorType

    kinds = {"i": Int64TensorType, "f": FloatTensorType}
    return [(name, kinds.get(numpy.asarray(frame[name]).dtype.kind, StringTensorType)([None, 1]))
            for name in frame.columns]


def check_columns(folder, name, numbers, categories):
    """One input per column, texts by the encoder's table: predictions, and Shapley values of the pipeline itself."""
    from skl2onnx import to_onnx
    from sklearn.compose import ColumnTransformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    frame, says = people()
    pipeline = make_pipeline(ColumnTransformer([("numbers", numbers, ["age", "hours"]),
                                                ("texts", categories, ["colour", "city"])]),
                             LogisticRegression(max_iter=1000)).fit(frame, says)
    path = folder / f"{name}.onnx"
    onnx.save(to_onnx(pipeline, initial_types=column_types(frame)), path)
    rows = folder / f"{name}.csv"
    shuffled = frame[["city", "hours", "colour", "age"]].assign(unread=1)
    shuffled.head(20).to_csv(rows, index=False)
    feed = {column: numpy.asarray(frame[column].head(20)).reshape(-1, 1) for column in frame.columns}
    feed = {column: values.astype(object) if values.dtype.kind in "OUT" else values for column, values in feed.items()}
    theirs = scores_of(engines.session(path).run(None, feed))
    yield compare(f"tables {name}", lambda: predicted(path, rows), theirs, TOLERANCE)
    base = folder / "base.csv"
    frame.iloc[[5]].to_csv(base, index=False)

    def function(given):
        import pandas

        table = pandas.DataFrame(given, columns=frame.columns).astype({"age": int, "hours": numpy.float32})
        return pipeline.predict_proba(table)[:, 1]

    exact = shapley(function, list(frame.iloc[0]), list(frame.iloc[5]))

    def ours():
        values = explained(path, rows, "shapley", "yes", "--baseline", f"file:{base}")
        return [values[column] for column in frame.columns]

    yield compare(f"tables {name} Shapley", ours, exact, TOLERANCE * 10)


def check_tables(folder):
    """All of them."""
    from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

    warnings.filterwarnings("ignore")
    for name, (estimator, target, options) in estimators().items():
        yield from check_estimator(folder, name, estimator, target, options)
        if name in SMOOTH:
            yield from check_values(folder, name, estimator)
    yield from check_columns(folder, "columns_one_hot", StandardScaler(), OneHotEncoder(handle_unknown="ignore"))
    yield from check_columns(folder, "columns_ordinal", "passthrough", OrdinalEncoder())
