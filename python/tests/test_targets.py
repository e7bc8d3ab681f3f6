"""Every way to say what is explained, beside a plain index."""

import numpy as np
import pytest

import ascribe


@pytest.fixture(scope="module")
def rows() -> np.ndarray:
    return np.random.default_rng(0).uniform(size=(3, 1, 28, 28)).astype(np.float32)


def values(model, data, **arguments):
    return model.explain(data, method="gradient", **arguments).values


def test_index_label_and_negative_index(vgg, boot):
    ninth = vgg.explain(boot, method="gradient", target=9)
    assert ninth.target == 9 and ninth.output_names == "Ankle boot"
    for same in ("Ankle boot", np.int64(9), np.array(9), "9", -1, (9,), lambda output: 9,
                 lambda output: output.argmax()):
        assert np.array_equal(values(vgg, boot, target=same), ninth.values)
    assert vgg.explain(boot, method="gradient", target=-10).target == 0
    assert vgg.explain(boot, method="gradient", target="top").target == 9


def test_one_for_each_row(vgg, rows):
    expected = np.stack([values(vgg, rows[i], target=t) for i, t in enumerate((2, 9, 4))])
    for same in ([2, 9, 4], np.array([2, 9, 4]), ["2", "Ankle boot", -6], [2, (9,), 4], np.array(["2", "9", "4"]),
                 lambda output: [2, 9, 4]):
        assert np.array_equal(values(vgg, rows, target=same), expected)
    torch = pytest.importorskip("torch")
    assert np.array_equal(values(vgg, rows, target=torch.tensor([2, 9, 4])), expected)
    assert vgg.explain(rows, method="gradient", target=[2, 9, 4]).target.tolist() == [2, 9, 4]


def test_weights_are_any_linear_functional(vgg, rows):
    weights = np.zeros(10)
    weights[[3, 5]] = 1, -2
    expected = values(vgg, rows, target=3) - 2 * values(vgg, rows, target=5)
    for same in (weights, weights.astype(np.float32), lambda output: weights, np.stack([weights] * 3), [weights] * 3):
        assert values(vgg, rows, target=same) == pytest.approx(expected, abs=1e-5)
    explained = vgg.explain(rows[0], method="gradient", target=weights)
    assert explained.target == -1 and explained.explains == "weighted sum"
    own = vgg.explain(rows, method="gradient", target=np.eye(10)[[2, 9, 4]])
    assert own.values == pytest.approx(values(vgg, rows, target=[2, 9, 4]), abs=1e-6)


def test_a_function_sees_what_the_model_says(vgg, rows):
    seen = []

    def second(output):
        seen.append(output.copy())
        return np.argsort(output, axis=-1)[..., -2]

    explained = vgg.explain(rows, method="gradient", target=second)
    said = vgg.predict(rows).values
    assert np.array_equal(seen[0], said) and explained.target.tolist() == np.argsort(said, axis=1)[:, -2].tolist()
    vgg.explain(rows[0], method="gradient", target=second)
    assert seen[1].shape == (10,)


def test_places_of_an_output_with_several_axes():
    onnx = pytest.importorskip("onnx")
    from onnx import TensorProto, helper

    graph = helper.make_graph([helper.make_node("Mul", ["x", "x"], ["y"])], "map",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 3, 4, 5])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 3, 4, 5])])
    model = ascribe.load(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8))
    x = np.random.default_rng(0).normal(size=(3, 4, 5)).astype(np.float32)
    explained = model.explain(x, method="gradient", target=(2, 1, 3))
    assert explained.values[2, 1, 3] == pytest.approx(2 * x[2, 1, 3]) and np.count_nonzero(explained.values) == 1
    assert np.array_equal(model.explain(x, method="gradient", target="2,1,3").values, explained.values)
    weights = np.zeros((3, 4, 5))
    weights[2, 1, 3] = 1
    assert np.array_equal(model.explain(x, method="gradient", target=weights).values, explained.values)
    both = model.explain(np.stack([x, x]), method="gradient", target=[(2, 1, 3), (0, 0, 0)])
    assert np.array_equal(both.values[0], explained.values) and both.values[1, 0, 0, 0] == pytest.approx(2 * x[0, 0, 0])
    assert onnx


@pytest.mark.parametrize("target", [1.5, True, 10, -11, "Boot", (1, 2), [], [1, 2], [0.5, 0.5], np.zeros(10),
                                    np.ones(7),
                                    np.array([1, 0, 0, 0, 0, 0, 0, 0, 0, 0]), np.full(10, np.nan), {"class": 1},
                                    object(),
                                    lambda output: None, [np.ones(10), 3], np.ones(10, complex)], ids=repr)
def test_targets_that_cannot_be_are_refused(vgg, boot, target):
    with pytest.raises(ascribe.Error, match="target|weights|class|label"):
        vgg.explain(boot, method="gradient", target=target)


def test_what_a_function_of_the_output_raises_reaches_the_caller(vgg, boot):
    def broken(output):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        vgg.explain(boot, target=broken)


def test_every_verb_takes_every_target(table):
    x = np.arange(8, dtype=np.float32) / 8
    weights = np.array([2.0])
    assert table.decompose(x, order=1, target=lambda output: 0).target == 0
    assert table.decompose(x, order=1, target=weights).output == pytest.approx(2 * table.predict(x).values[0], rel=1e-6)
    groups = np.arange(8) // 2
    assert table.audit(x, method="shapley", players=groups, target=weights)["shapley"].held == 3
    assert table.compare(x, "shapley", "occlusion", players=groups, target=-1).difference > 0
