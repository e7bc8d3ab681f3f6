"""Black boxes: any function of rows."""

import numpy as np
import pytest

import ascribe


def product(rows):
    return np.stack([rows[:, 0] * rows[:, 1] + rows[:, 2], rows[:, 2]], axis=1)


def test_shapley_of_a_product():
    model = ascribe.function(product, inputs=3)
    assert model.targets == 2 and model.row_shape == (3,) and model.name == "product"
    explained = model.explain([3.0, 4.0, 2.0], method="shapley")
    assert explained.values == pytest.approx([6, 6, 2], rel=1e-14) and explained.output == 14 and explained.exact
    assert model.audit([3.0, 4.0, 2.0], method="shapley")["shapley"].held == 3
    assert model.decompose([3.0, 4.0, 2.0]).strongest[0].players == (0, 1)


@pytest.mark.parametrize("answer", [
    lambda y: y[:, 0], lambda y: y[:, :1], lambda y: y[:, 0].tolist(), lambda y: [[one] for one in y[:, 0]],
    lambda y: y[:, 0].astype(np.float32), lambda y: tuple(y[:, 0]), lambda y: y[:, 0].reshape(-1, 1, 1)])
def test_answers_in_any_form(answer):
    model = ascribe.function(lambda rows: answer(product(rows)), inputs=3)
    assert model.targets == 1
    assert model.explain([3.0, 4.0, 2.0], method="shapley").values == pytest.approx([6, 6, 2], rel=1e-14)


def test_answers_of_torch_and_pandas():
    torch, pandas = pytest.importorskip("torch"), pytest.importorskip("pandas")
    weights = torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64, requires_grad=True)
    model = ascribe.function(lambda rows: torch.from_numpy(rows) @ weights, inputs=3)
    assert model.explain([1.0, 1.0, 1.0], method="shapley").values.tolist() == [1, -2, 0.5]
    series = ascribe.function(lambda rows: pandas.Series(rows.sum(1), index=range(7, 7 + len(rows))), inputs=3)
    assert series.predict([1, 2, 3]).values.tolist() == [6]
    frame = ascribe.function(lambda rows: pandas.DataFrame(product(rows)), inputs=3)
    assert frame.targets == 2


def test_rows_of_any_shape():
    model = ascribe.function(lambda rows: rows.sum(axis=(1, 2, 3)), inputs=(1, 4, 5))
    explained = model.explain(np.arange(20.0).reshape(1, 4, 5), method="occlusion")
    assert np.array_equal(explained.values, np.arange(20.0).reshape(1, 4, 5))


def test_no_more_rows_at_once_than_it_takes():
    sizes = []

    def limited(rows):
        sizes.append(len(rows))
        return rows.sum(1)

    model = ascribe.function(limited, inputs=8, batch=5)
    explained = model.explain(np.ones((3, 8)), method="shapley")
    assert max(sizes) == 5 and explained.values == pytest.approx(np.ones((3, 8)), rel=1e-14)
    assert ascribe.function(lambda rows: [post(row) for row in rows.tolist()], inputs=8).predict(np.ones(8)).values == 8


def post(row):
    """As an endpoint that takes one row as a list."""
    assert isinstance(row, list)
    return sum(row)


class Mine(Exception):
    """Of the caller's."""


def test_what_it_raises_reaches_the_caller_unchanged():
    error = Mine("no connection")

    def broken(rows):
        if rows.any():
            raise error
        return rows.sum(1)

    model = ascribe.function(broken, inputs=3)
    for verb in (model.predict, model.explain, model.decompose, model.audit):
        with pytest.raises(Mine) as raised:
            verb(np.ones(3)) if verb != model.explain else verb(np.ones(3), method="shapley")
        assert raised.value is error
    assert model.predict(np.zeros(3)).values.tolist() == [0]
    with pytest.raises(ZeroDivisionError):
        ascribe.function(lambda rows: 1 / 0, inputs=3)


def test_wrong_shapes_and_numbers_are_named():
    def shaped(shape):
        return lambda rows: np.zeros(shape(len(rows)))

    with pytest.raises(ascribe.ShapeError, match=r"shape \(3,\) for 2 rows; expected \(2, outputs\)"):
        ascribe.function(shaped(lambda n: (n + 1,)), inputs=3)
    with pytest.raises(ascribe.ShapeError, match=r"shape \(\) for 2 rows"):
        ascribe.function(lambda rows: 3.0, inputs=3)
    with pytest.raises(ascribe.ShapeError, match="returned nothing"):
        ascribe.function(lambda rows: None, inputs=3)
    with pytest.raises(ascribe.ArgumentError, match="expected numbers"):
        ascribe.function(lambda rows: ["yes"] * len(rows), inputs=3)
    with pytest.raises(ascribe.ShapeError, match="gave 2 numbers for each row; expected 3"):
        ascribe.function(product, inputs=3, outputs=3).predict(np.ones(3))
    with pytest.raises(ascribe.NumericError, match="nan; expected finite"):
        holes = ascribe.function(lambda rows: np.where(rows.sum(1) > 0, 1, np.nan), inputs=3, outputs=1)
        holes.explain(np.ones(3), method="shapley")


@pytest.mark.parametrize("arguments", [
    {"inputs": 0}, {"inputs": -1}, {"inputs": 2.5}, {"inputs": True}, {"inputs": ()}, {"inputs": (3, 0)},
    {"inputs": None},
    {"inputs": 3, "outputs": 0}, {"inputs": 3, "outputs": "two"}, {"inputs": 3, "batch": 0}, {"inputs": 3,
                                                                                              "batch": 1.5},
    {"inputs": 3, "frames": True}, {"inputs": 3, "frames": True, "feature_names": ["a"]}])
def test_arguments_that_cannot_be(arguments):
    with pytest.raises(ascribe.ArgumentError, match=list(arguments)[-1] + "|frames"):
        ascribe.function(product, **arguments)


def test_only_functions():
    with pytest.raises(ascribe.ArgumentError, match="predict_proba"):
        ascribe.function("model.pkl", inputs=3)


def test_answers_that_depend_on_the_batch_are_refused():
    model = ascribe.function(lambda rows: (rows - rows.mean(axis=0)).sum(axis=1), inputs=3)
    with pytest.raises(ascribe.Error, match="row"):
        model.explain(np.random.default_rng(0).normal(size=(4, 3)), method="shapley")


def test_estimators_that_were_trained_on_frames_get_frames():
    pandas, sklearn = pytest.importorskip("pandas"), pytest.importorskip("sklearn")
    from sklearn.linear_model import LogisticRegression

    generator = np.random.default_rng(0)
    frame = pandas.DataFrame(generator.normal(size=(60, 3)), columns=["age", "income", "debt"])
    fitted = LogisticRegression().fit(frame, np.where(frame["age"] + frame["debt"] > 0, "good", "bad"))
    model = ascribe.function(fitted.predict_proba, inputs=3)
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("error")  # scikit-learn warns of arrays without names
        explained = model.explain(frame[["debt", "age", "income"]], method="shapley", target="good", baseline=frame)
    assert explained.feature_names == ["age", "income", "debt"] and explained.output_names[0] == "good"
    assert explained.output == pytest.approx(fitted.predict_proba(frame)[:, 1])
    names = ascribe.function(lambda rows: rows["b"] - rows["a"], inputs=2, frames=True, feature_names=["a", "b"])
    assert names.explain([1.0, 5.0], method="shapley").values.tolist() == [-1, 5]
    assert sklearn


def test_methods_that_need_a_gradient_say_so():
    with pytest.raises(ascribe.UnsupportedError, match="product|derivative|gradient"):
        ascribe.function(product, inputs=3).explain([1.0, 2.0, 3.0], method="integrated_gradients")
