"""Models from everything that holds one."""

import copy
import io
import logging
import warnings

import numpy as np
import pytest

import ascribe


@pytest.fixture(scope="module")
def row() -> np.ndarray:
    return np.linspace(-1, 1, 8, dtype=np.float32)


def test_paths_bytes_files_and_protos_are_the_same_model(models, table, row):
    path = models / "tabular_mlp.onnx"
    content = path.read_bytes()
    sources = [path, str(path), content, bytearray(content), memoryview(content), io.BytesIO(content), open(path,
                                                                                                            "rb"),
                                                                                                            table]
    try:
        import onnx

        sources.append(onnx.load(path))
    except ImportError:
        pass
    said = table.predict(row).values
    for source in sources:
        model = ascribe.load(source)
        assert np.array_equal(model.predict(row).values, said), type(source)
    assert ascribe.load(path).sha256 == ascribe.load(content).sha256


def test_a_model_of_a_model_shares_it_and_has_settings_of_its_own(table, row):
    other = ascribe.load(table, baseline="value:0.5", labels=["price"])
    assert other._handle is table._handle
    assert np.array_equal(other.explain(row, method="shapley").values,
                          table.explain(row, method="shapley", baseline=0.5).values)
    with pytest.raises(ascribe.ArgumentError, match="precision"):
        ascribe.load(table, precision="float64")


def test_weights_beside_the_file_are_found(tmp_path):
    onnx = pytest.importorskip("onnx")
    from onnx import TensorProto, helper, numpy_helper

    weights = np.arange(2000, dtype=np.float32).reshape(2, 1000)
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"])], "beside",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 2])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 1000])],
                              [numpy_helper.from_array(weights, "w")])
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.save(proto, tmp_path / "m.onnx", save_as_external_data=True, location="m.bin", size_threshold=0)
    model = ascribe.load(tmp_path / "m.onnx")
    assert np.array_equal(model.predict([1.0, 0.0]).values, weights[0])


def test_inputs_and_outputs_are_told(table):
    assert [(one.name, one.type, one.row) for one in table.inputs] == [("input", "float32", (8,))]
    assert table.outputs[0].name == "value"


@pytest.mark.parametrize(("source", "kind", "said"), [
    (None, ascribe.ArgumentError, "None"), (3, ascribe.ArgumentError, "int"), (b"", ascribe.ModelError, "empty"),
    (b"no model", ascribe.ModelError, "ONNX"), ("missing.onnx", ascribe.FileError, "missing.onnx"),
    (io.StringIO("text"), ascribe.ArgumentError, "'rb'"), (len, ascribe.ArgumentError, "ascribe.function")])
def test_what_is_no_model_is_refused(source, kind, said):
    with pytest.raises(kind, match=said):
        ascribe.load(source)


def test_estimators_are_pointed_to_function():
    linear = pytest.importorskip("sklearn.linear_model")
    with pytest.raises(ascribe.ArgumentError, match=r"ascribe.function\(model.predict, inputs="):
        ascribe.load(linear.LinearRegression())
    with pytest.raises(ascribe.ArgumentError, match="example"):
        ascribe.load("model.onnx", example=np.zeros(3))


# ---- torch ----


@pytest.fixture(scope="module")
def net():
    torch = pytest.importorskip("torch")
    pytest.importorskip("onnxscript")
    torch.manual_seed(0)
    layers = [torch.nn.Conv2d(1, 3, 3), torch.nn.BatchNorm2d(3), torch.nn.ReLU(), torch.nn.Flatten(),
              torch.nn.Dropout(0.5), torch.nn.Linear(3 * 4 * 4, 3)]
    module = torch.nn.Sequential(*layers)
    module(torch.randn(16, 1, 6, 6))  # statistics of the batch
    return module


@pytest.fixture(scope="module")
def pictures():
    torch = pytest.importorskip("torch")
    torch.manual_seed(1)
    return torch.randn(5, 1, 6, 6)


@pytest.fixture(scope="module")
def loaded(net, pictures):
    return ascribe.load(net, example=pictures[:1])


def test_modules_are_exported_and_say_what_torch_says(net, loaded, pictures):
    torch = pytest.importorskip("torch")
    with torch.no_grad():
        expected = copy.deepcopy(net).eval()(pictures).numpy()
    assert loaded.name == "Sequential" and loaded.row_shape == (1, 6, 6) and loaded.outputs[0].name == "output"
    assert loaded.predict(pictures).values == pytest.approx(expected, abs=1e-5)
    assert loaded.explain(pictures, method="gradient").values.shape == (5, 1, 6, 6)
    assert len(loaded.sha256) == 64


def test_modules_are_left_as_they_were(net, pictures, capfd, caplog):
    torch = pytest.importorskip("torch")
    module = copy.deepcopy(net).train()
    module[1].eval()
    before = {name: value.clone() for name, value in module.state_dict().items()}
    modes = [one.training for one in module.modules()]
    state = torch.random.get_rng_state()
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        with caplog.at_level(logging.INFO):
            ascribe.load(module, example=pictures.requires_grad_(False))
    assert [one.training for one in module.modules()] == modes
    assert all(torch.equal(value, before[name]) for name, value in module.state_dict().items())
    assert all(parameter.grad is None and parameter.requires_grad for parameter in module.parameters())
    assert torch.equal(torch.random.get_rng_state(), state)
    assert capfd.readouterr() == ("", "") and not warned
    assert not [one for one in caplog.records if one.name != "ascribe"]


def test_modules_with_several_inputs():
    torch = pytest.importorskip("torch")
    pytest.importorskip("onnxscript")

    class Both(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.left, self.right = torch.nn.Linear(4, 3), torch.nn.Linear(2, 3)

        def forward(self, x, y):
            return self.left(x) * self.right(y)

    torch.manual_seed(0)
    module, x, y = Both(), torch.randn(3, 4), torch.randn(3, 2)
    expected = module(x, y).detach().numpy()
    for example in ((x, y), {"x": x[:1], "y": y[:1]}, (x.numpy(), y.numpy())):
        model = ascribe.load(module, example=example)
        assert [one.name for one in model.inputs] == ["x", "y"]
        assert model.predict({"x": x, "y": y}).values == pytest.approx(expected, abs=1e-6)
    one = model.explain({"x": x[0], "y": y[0]}, method="shapley", players="inputs")
    assert one.single and one.player_names == ["x", "y"]


def test_modules_in_double_stay_in_double(pictures):
    torch = pytest.importorskip("torch")
    pytest.importorskip("onnxscript")
    torch.manual_seed(0)
    module = torch.nn.Sequential(torch.nn.Linear(4, 5), torch.nn.Tanh(), torch.nn.Linear(5, 2)).double()
    x = torch.randn(3, 4, dtype=torch.float64)
    model = ascribe.load(module, example=x)
    assert model.info["precision"] == "float64"
    assert model.predict(x).values == pytest.approx(module(x).detach().numpy(), abs=1e-14)


def test_modules_that_cannot_be_get_a_clear_word(net, pictures):
    torch = pytest.importorskip("torch")
    for example, said in ((None, "torch.zeros"), ("x", "tensors or arrays"), (torch.tensor(1.0), "first axis"),
                          (torch.zeros(0, 1, 6, 6), "first axis")):
        with pytest.raises(ascribe.ArgumentError, match=said):
            ascribe.load(net, example=example)
    with pytest.raises(ascribe.ArgumentError, match=r"'0.weight' is of float16.*\.float\(\)"):
        ascribe.load(copy.deepcopy(net).half(), example=pictures)
    with pytest.raises(ascribe.ArgumentError, match=r"on meta.*\.cpu\(\)"):
        ascribe.load(copy.deepcopy(net).to("meta"), example=pictures)
    with pytest.raises(RuntimeError, match="conv2d"):  # of the module itself
        ascribe.load(net, example=torch.zeros(1, 7))
    assert net.training


def test_modules_that_torch_cannot_export_are_pointed_to_function():
    torch = pytest.importorskip("torch")
    pytest.importorskip("onnxscript")

    class Opaque(torch.nn.Module):
        def forward(self, x):
            if torch.jit.is_tracing():
                return torch.linalg.eigvals(x)  # ONNX has no such thing
            return torch.from_numpy(np.sort(x.numpy(), axis=1))

    with pytest.raises(ascribe.UnsupportedError, match="ascribe.function"):
        ascribe.load(Opaque(), example=torch.zeros(2, 3))


def test_layers_are_those_that_settings_name(vgg, boot):
    layers = vgg.layers
    assert layers[0]["name"] == "node_conv2d" and layers[0]["kind"] == "conv" and layers[0]["number"] == 0
    assert [one["name"] for one in layers if one["usual_grad_cam"]] == ["node_relu_3"]
    named = [one["name"] for one in layers if one["grad_cam"]]
    assert vgg.explain(boot, method="grad_cam", settings={"layer": named[-1]}) is not None
