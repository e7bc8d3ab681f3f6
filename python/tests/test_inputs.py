"""Data of every kind give the numbers of the same data in a file or array."""

import array
import gc
import io
import tracemalloc

import numpy as np
import pytest

import ascribe
from ascribe._inputs import is_single
from ascribe._png import png_bytes


@pytest.fixture(scope="module")
def rows() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(6, 8)).astype(np.float32)


@pytest.fixture(scope="module")
def wanted(table, rows):
    return table.explain(rows, method="gradient_x_input").values


@pytest.fixture(scope="module")
def boot_values(vgg, boot):
    return vgg.explain(boot, method="gradient_x_input").values


def values(model, data, **arguments):
    return model.explain(data, method="gradient_x_input", **arguments).values


@pytest.mark.parametrize("form", [
    lambda x: x,
    lambda x: x.astype(np.float64),
    lambda x: np.asfortranarray(x),
    lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    lambda x: x[::-1][::-1],
    lambda x: x.astype(">f4"),
    lambda x: x.astype(np.longdouble),
    lambda x: x.tolist(),
    lambda x: [list(row) for row in x],
    lambda x: list(x),
    lambda x: tuple(x),
    lambda x: memoryview(x),
    lambda x: np.ma.array(x),
], ids=lambda form: None)
def test_rows_in_any_form_are_the_same_rows(table, rows, wanted, form):
    assert np.array_equal(values(table, form(rows)), wanted)


def test_other_types_are_the_numbers_that_they_hold(table):
    whole = np.arange(16).reshape(2, 8)
    expected = values(table, whole.astype(np.float64))
    for kind in (np.int8, np.uint8, np.int16, np.int32, np.uint64, np.int64, np.float16):
        assert np.array_equal(values(table, whole.astype(kind)), expected), kind
    truth = whole % 2 == 0
    assert np.array_equal(values(table, truth), values(table, truth.astype(float)))
    assert np.array_equal(values(table, array.array("d", range(8))), expected[0])


def test_a_row_without_an_axis_of_rows_gives_results_without_one(table, rows, wanted):
    one = table.explain(rows[0], method="shapley")
    assert one.single and one.values.shape == (8,) and isinstance(float(one.output), float)
    assert table.explain(rows[:1], method="shapley").values.shape == (1, 8)
    assert np.array_equal(values(table, list(map(float, rows[0]))), wanted[0])
    assert table.predict(rows[0]).values.shape == (1,)
    assert table.predict(rows).values.shape == (6, 1)


@pytest.mark.parametrize(("shape", "row", "single"), [
    ((8,), (8,), True), ((1, 8), (8,), False), ((5, 8), (8,), False), ((28, 28), (784,), True), ((1, 28, 28), (784,),
                                                                                                 False),
    ((1, 28, 28), (1, 28, 28), True), ((28, 28), (1, 28, 28), True), ((5, 28, 28), (1, 28, 28), False),
    ((5, 1, 28, 28), (1, 28, 28), False), ((12, 3), (12, 3), True), ((2, 12, 3), (12, 3), False), ((4,), (), False),
    ((7, 5), (0, 5), True), ((2, 7, 5), (0, 5), False),
])
def test_rows_are_counted_as_the_engine_cuts_them(shape, row, single):
    assert is_single(shape, row) is single


def test_pictures_are_cut_as_the_engine_cuts_them(vgg, boot):
    data = vgg.explain(boot, method="gradient").data
    for shape in ((1, 28, 28), (28, 28), (1, 1, 28, 28), (784,)):
        explained = vgg.explain(data.reshape(shape), method="gradient")
        assert explained.values.shape == ((1, 1, 28, 28) if len(shape) == 4 else (1, 28, 28))
    assert vgg.explain(np.repeat(data, 3, axis=0), method="gradient").values.shape == (3, 1, 28, 28)


# ---- pictures ----


def test_pictures_in_memory_are_bit_equal_to_their_file(vgg, boot, boot_values):
    image = pytest.importorskip("PIL.Image")
    opened = image.open(boot)
    pixels = np.asarray(opened)
    for same in (opened, opened.convert("RGB"), pixels, pixels[None], pixels[..., None], np.asfortranarray(pixels),
                 boot.read_bytes(), io.BytesIO(boot.read_bytes())):
        assert np.array_equal(values(vgg, same), boot_values), type(same)
    assert vgg.explain(opened, method="gradient").row_names == "ankle_boot.png"


def test_lists_and_batches_of_pictures_are_rows(vgg, boot, boot_values):
    image = pytest.importorskip("PIL.Image")
    pixels = np.asarray(image.open(boot))
    for several in ([boot, boot], [str(boot)] * 2, [image.open(boot)] * 2, [pixels] * 2, np.stack([pixels] * 2),
                    np.stack([pixels] * 2)[..., None], [boot.read_bytes()] * 2):
        assert np.array_equal(values(vgg, several), np.stack([boot_values] * 2))


def test_colours_go_through_the_preprocessing_that_was_said(models, boot):
    pytest.importorskip("onnx")
    from onnx import TensorProto, helper

    graph = helper.make_graph(
        [helper.make_node("ReduceMean", ["x"], ["y"], axes=[2, 3], keepdims=0)], "colours",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 3, 6, 5])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 3])])
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    model = ascribe.load(proto, preprocess={"scale": 1 / 255, "mean": [0.1, 0.2, 0.3], "std": [0.5, 0.5, 0.5]})
    pixels = np.random.default_rng(1).integers(0, 256, (6, 5, 3), dtype=np.uint8)
    said = model.predict(pixels).values
    expected = ((pixels / 255 - [0.1, 0.2, 0.3]) / 0.5).mean(axis=(0, 1))
    assert said == pytest.approx(expected, abs=1e-6)
    assert np.array_equal(model.predict(np.moveaxis(pixels, 2, 0)).values, said)
    assert np.array_equal(model.predict(png_bytes(pixels)).values, said)
    alpha = np.dstack([pixels, np.full((6, 5), 255, np.uint8)])
    assert np.array_equal(model.predict(alpha).values, said)


def test_modes_of_pil(vgg, boot, boot_values):
    image = pytest.importorskip("PIL.Image")
    opened = image.open(boot).convert("L")
    assert np.array_equal(values(vgg, opened.convert("P")), boot_values)
    assert np.array_equal(values(vgg, opened.convert("RGBA")), boot_values)
    assert values(vgg, opened.convert("1")).shape == (1, 28, 28)
    with pytest.raises(ascribe.ArgumentError, match="mode F"):
        vgg.explain(opened.convert("F"))


def test_pictures_in_one_line_are_pictures(vgg, boot, boot_values):
    image = pytest.importorskip("PIL.Image")
    line = np.asarray(image.open(boot)).reshape(-1)
    assert np.array_equal(values(vgg, line), boot_values)
    assert np.array_equal(values(vgg, np.stack([line] * 2)), np.stack([boot_values] * 2))


def test_bytes_of_a_table_are_numbers_not_pictures(table):
    assert values(table, np.ones((5, 8), np.uint8)).shape == (5, 8)


def test_png_writer():
    image = pytest.importorskip("PIL.Image")
    for shape in ((5, 7), (5, 7, 1), (5, 7, 2), (5, 7, 3), (5, 7, 4)):
        pixels = np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)
        assert np.array_equal(np.asarray(image.open(io.BytesIO(png_bytes(pixels)))).reshape(shape), pixels)
    with pytest.raises(ascribe.ArgumentError, match="float64"):
        png_bytes(np.zeros((2, 2)))


# ---- torch and others ----


def test_tensors_of_torch(table, rows, wanted):
    torch = pytest.importorskip("torch")
    tensor = torch.from_numpy(rows.copy())
    for same in (tensor, tensor.clone().requires_grad_(), tensor.double(), tensor.t().contiguous().t(), list(tensor),
                 torch.nn.Parameter(tensor), tensor.to_sparse()):
        assert np.array_equal(values(table, same), wanted)
    half = tensor.bfloat16()
    assert np.array_equal(values(table, half), values(table, half.float().numpy()))
    assert np.array_equal(values(table, tensor.half()), values(table, tensor.half().float().numpy()))
    assert values(table, tensor[0]).shape == (8,)


class OnlyDLPack:
    """What an array library without numpy in mind offers."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **arguments):
        return self._array.__dlpack__(**arguments)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


class OnlyInterface:
    def __init__(self, array):
        self._array = array

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self._array, dtype)


def test_whatever_speaks_dlpack_or_numpy(table, rows, wanted):
    assert np.array_equal(values(table, OnlyDLPack(rows)), wanted)
    assert np.array_equal(values(table, OnlyInterface(rows)), wanted)


def test_sparse_matrices_are_made_dense_with_a_word(table, rows, wanted, caplog):
    sparse = pytest.importorskip("scipy.sparse")
    with caplog.at_level("INFO", "ascribe"):
        assert np.array_equal(values(table, sparse.csr_matrix(rows)), wanted)
    assert "made dense" in caplog.text


# ---- frames ----


def test_frames_bring_the_names_of_features_and_rows(table, rows, wanted):
    pandas = pytest.importorskip("pandas")
    columns = [f"feature {i}" for i in range(8)]
    frame = pandas.DataFrame(rows, columns=columns, index=[f"house {i}" for i in range(6)])
    explained = table.explain(frame, method="gradient_x_input")
    assert np.array_equal(explained.values, wanted)
    assert explained.feature_names == columns and explained.player_names[0] == columns
    assert explained.row_names == list(frame.index)
    one = table.explain(frame.iloc[2], method="gradient_x_input")
    assert one.single and one.row_names == "house 2" and np.array_equal(one.values, wanted[2])
    assert table.explain(frame.iloc[2:3], method="gradient_x_input").values.shape == (1, 8)
    assert np.array_equal(values(table, [frame.iloc[i] for i in range(6)]), wanted)
    assert table.predict(frame).row_names == list(frame.index)
    plain = table.explain(pandas.DataFrame(rows), method="gradient_x_input")
    assert plain.row_names[1] == "row 1"


def test_columns_of_every_type_of_numbers(table, rows):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({
        "a": rows[:, 0], "b": pandas.array([1, 2, 3, 4, 5, 6], "Int64"), "c": pandas.array([True, False] * 3,
                                                                                           "boolean"),
        "d": [True, False, True, True, False, False], "e": pandas.Categorical([3, 5, 3, 3, 5, 5]),
        "f": pandas.array([.5] * 6, "Float32"), "g": np.arange(6, dtype=np.int8), "h": pandas.Series([1, 2.5] * 3,
                                                                                                     dtype=object)})
    plain = np.column_stack([np.asarray(frame[name], float) for name in frame])
    assert np.array_equal(values(table, frame), values(table, plain))


def test_missing_numbers_are_a_numeric_error_by_name_of_the_row(table, rows):
    pandas = pytest.importorskip("pandas")
    for column in (pandas.array([1, 2, None, 4, 5, 6], "Int64"), [1, 2, np.nan, 4, 5, 6], [1, 2, None, 4, 5, 6]):
        frame = pandas.DataFrame(rows, index=list("abcdef")).assign(**{"3": column}).drop(columns=[3])
        with pytest.raises(ascribe.NumericError, match="c"):
            table.explain(frame)


def test_columns_of_texts_are_named_with_a_word_on_encoding(table, rows):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rows, columns=list("abcdefgh")).assign(colour="red", kind=pandas.Categorical(["x",
                                                                                                           "y"] * 3))
    for texts in (frame.drop(columns=["a", "b"]), frame.drop(columns=["a", "b"]).iloc[0]):
        with pytest.raises(ascribe.ArgumentError, match="'colour', 'kind'.*OneHotEncoder"):
            table.explain(texts)


def test_frames_of_polars(table, rows, wanted):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(rows, schema=list("abcdefgh"))
    explained = table.explain(frame, method="gradient_x_input")
    assert np.array_equal(explained.values, wanted) and explained.feature_names == list("abcdefgh")
    assert np.array_equal(values(table, frame.lazy()), wanted)
    assert np.array_equal(values(table, polars.Series("row", rows[0])), wanted[0])
    with pytest.raises(ascribe.ArgumentError, match="'a'.*OneHotEncoder"):
        table.explain(frame.with_columns(a=polars.lit("red")))
    with pytest.raises(ascribe.NumericError):
        table.explain(frame.with_columns(a=polars.lit(None, dtype=polars.Float32)))


def test_columns_are_put_in_the_order_of_the_names_that_the_model_knows(models, rows, wanted):
    pandas = pytest.importorskip("pandas")
    model = ascribe.load(models / "tabular_mlp.onnx", feature_names=list("abcdefgh"))
    frame = pandas.DataFrame(rows, columns=list("abcdefgh")).assign(more=1.0)
    assert np.array_equal(values(model, frame[["more", *"hgfedcba"]]), wanted)
    with pytest.raises(ascribe.ShapeError, match="lacks the columns 'h'"):
        model.explain(frame.drop(columns="h"))


def test_baselines_come_in_the_same_forms(table, rows):
    pandas = pytest.importorskip("pandas")
    expected = table.explain(rows[0], method="shapley", baseline=rows[1:])
    for same in (rows[1:].tolist(), pandas.DataFrame(rows[1:]), list(rows[1:])):
        assert np.array_equal(table.explain(rows[0], method="shapley", baseline=same).values, expected.values)
    assert np.array_equal(values(table, rows, baseline=np.float32(0.5)), values(table, rows, baseline="value:0.5"))


def test_a_picture_is_a_baseline(vgg, boot):
    image = pytest.importorskip("PIL.Image")
    bag = boot.parent / "bag.png"
    if not bag.exists():
        bag = next(path for path in sorted(boot.parent.glob("*.png")) if path != boot and "digit" not in path.name)
    expected = vgg.explain(boot, method="shapley", players="grid:2x2", baseline=f"file:{bag}")
    for same in (bag, image.open(bag), np.asarray(image.open(bag))):
        explained = vgg.explain(boot, method="shapley", players="grid:2x2", baseline=same)
        assert np.array_equal(explained.values, expected.values)


def test_a_frame_of_a_line_per_step_is_one_series():
    pandas = pytest.importorskip("pandas")
    model = ascribe.function(lambda rows: rows[:, :, 1].sum(1) - rows[:, 0, 0], inputs=(5, 3))
    frame = pandas.DataFrame(np.arange(1.0, 16).reshape(5, 3), columns=["x", "y", "z"])
    one = model.explain(frame, method="occlusion")
    assert one.single and one.values.shape == (5, 3) and one.player_names[1] == "y step 0"
    assert one.values[:, 1].tolist() == [2, 5, 8, 11, 14] and one.values[0, 0] == -1
    for several in ([frame, frame], np.stack([frame, frame]), [frame.to_numpy()] * 2):
        assert np.array_equal(model.explain(several, method="occlusion").values, np.stack([one.values] * 2))


# ---- models with several inputs, texts and token ids ----


@pytest.fixture(scope="module")
def two_inputs():
    pytest.importorskip("onnx")
    from onnx import TensorProto, helper

    graph = helper.make_graph(
        [helper.make_node("ReduceSum", ["photo", "axes"], ["s"], keepdims=0), helper.make_node("Mul", ["s", "fact"],
                                                                                               ["y"])],
        "two", [helper.make_tensor_value_info("photo", TensorProto.FLOAT, ["N", 1, 4, 4]),
                helper.make_tensor_value_info("fact", TensorProto.FLOAT, ["N", 1])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 1])],
        [helper.make_tensor("axes", TensorProto.INT64, [2], [2, 3])])
    return ascribe.load(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8))


def test_inputs_by_name(two_inputs, tmp_path):
    pixels = np.arange(16, dtype=np.uint8).reshape(4, 4)
    path = tmp_path / "photo.png"
    path.write_bytes(png_bytes(pixels))
    said = [two_inputs.predict({"photo": photo, "fact": [2.0]}).values for photo in
            (pixels, path, (pixels / np.float32(255)).astype(np.float32))]
    assert said[0] == pytest.approx(2 * pixels.sum() / 255) and np.array_equal(said[0], said[1])
    batch = two_inputs.explain({"photo": np.ones((3, 1, 4, 4)), "fact": [[1.0], [2.0], [3.0]]}, method="shapley",
                               players="inputs", baseline={"photo": np.zeros((1, 4, 4)), "fact": [1.0]})
    assert batch.output.tolist() == [16, 32, 48]
    assert batch.player_values.tolist() == [[16, 0], [24, 8], [32, 16]]
    with pytest.raises(ascribe.ArgumentError, match="'picture'.*'photo', 'fact'"):
        two_inputs.explain({"picture": pixels, "fact": [1.0]})


@pytest.fixture(scope="module")
def texts_model():
    """y = 10 [colour = blue] + size, with a column of texts and one of numbers."""
    pytest.importorskip("onnx")
    from onnx import TensorProto, helper

    nodes = [helper.make_node("OneHotEncoder", ["colour"], ["hot"], domain="ai.onnx.ml", cats_strings=["red", "blue"],
                              zeros=0),
             helper.make_node("ReduceSum", ["scaled", "axes"], ["c"], keepdims=0),
             helper.make_node("Add", ["c", "size"], ["y"])]
    nodes.insert(1, helper.make_node("Mul", ["hot", "weights"], ["scaled"]))
    graph = helper.make_graph(
        nodes, "texts", [helper.make_tensor_value_info("colour", TensorProto.STRING, ["N", 1]),
                         helper.make_tensor_value_info("size", TensorProto.FLOAT, ["N", 1])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 1])],
        [helper.make_tensor("axes", TensorProto.INT64, [1], [2]),
         helper.make_tensor("weights", TensorProto.FLOAT, [2], [0, 10])])
    return ascribe.load(helper.make_model(graph, ir_version=8, opset_imports=[
        helper.make_opsetid("", 13), helper.make_opsetid("ai.onnx.ml", 2)]))


def test_texts_go_to_models_that_take_them(texts_model):
    pandas = pytest.importorskip("pandas")
    size = np.float32(0.1)
    frame = pandas.DataFrame({"size": np.array([size, 3], np.float32), "colour": ["blue", "red"]}, index=["p", "q"])
    said = texts_model.predict(frame)
    assert said.values.ravel().tolist() == [float(np.float32(10) + size), 3] and said.row_names == ["p", "q"]
    explained = texts_model.explain(frame, method="shapley", baseline=frame.iloc[1:])
    assert explained.row_names == ["p", "q"]
    assert dict(zip(explained.player_names[0], explained.player_values[0], strict=True)) == pytest.approx({"colour": 10,
                                                                                              "size": size - 3})
    assert texts_model.explain(frame.iloc[0], method="shapley").values.shape == (2,)
    assert texts_model.predict({"colour": "blue", "size": 1}).values.tolist() == [11]
    assert texts_model.predict({"colour": ["blue", "red"], "size": [1, 2]}).values.ravel().tolist() == [11, 2]
    assert texts_model.predict([{"colour": "blue", "size": 1}]).values.ravel().tolist() == [11]
    with pytest.raises(ascribe.FileError, match="green"):
        texts_model.predict(frame.assign(colour="green"))


def test_numbers_of_frames_of_texts_come_back_bit_for_bit(texts_model):
    pandas = pytest.importorskip("pandas")
    sizes = np.random.default_rng(3).normal(size=50).astype(np.float32)
    frame = pandas.DataFrame({"a;b;c": 1, "size": sizes, "colour": "red"})
    assert np.array_equal(texts_model.predict(frame).values.ravel(), sizes)


def test_ids_are_tokens(tmp_path):
    pytest.importorskip("onnx")
    from onnx import TensorProto, helper, numpy_helper

    weights = np.random.default_rng(0).normal(size=(5, 2)).astype(np.float32)
    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "input_ids"], ["e"]), helper.make_node("ReduceMean", ["e"], ["m"],
                                                                                     axes=[1], keepdims=0)],
        "ids", [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["N", 3])],
        [helper.make_tensor_value_info("m", TensorProto.FLOAT, ["N", 2])], [numpy_helper.from_array(weights, "table")])
    model = ascribe.load(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8))
    one = model.explain([1, 2, 4], method="occlusion", target=0)
    assert one.single and one.player_values.shape == (3,)
    batch = model.explain(np.array([[1, 2, 4], [0, 0, 1]]), method="occlusion", target=0)
    assert batch.player_values.shape == (2, 3) and np.array_equal(batch[0].player_values, one.player_values)
    with pytest.raises(ascribe.Error, match="whole numbers"):
        model.explain([1.5, 2, 3])


# ---- files and memory ----


def test_files_of_arrays_are_as_the_arrays(table, rows, wanted, tmp_path):
    np.save(tmp_path / "rows.npy", rows)
    np.save(tmp_path / "row.npy", rows[0])
    assert np.array_equal(values(table, tmp_path / "rows.npy"), wanted)
    assert np.array_equal(values(table, tmp_path / "row.npy"), wanted[0])
    (tmp_path / "rows.csv").write_text("\n".join(",".join(repr(float(x)) for x in row) for row in rows))
    assert np.array_equal(values(table, tmp_path / "rows.csv"), wanted)
    assert values(table, tmp_path / "rows.csv", rows=2).shape == (1, 8)


def test_large_arrays_cross_without_a_copy():
    model = ascribe.function(lambda x: x.reshape(len(x), -1).sum(1, keepdims=True), inputs=4096, precision="float32")
    rows = np.ones((2000, 4096), np.float32)  # 33 MB
    from ascribe._arrays import as_numbers
    assert np.shares_memory(as_numbers(rows), rows) and as_numbers(rows).dtype == np.float32
    from ascribe._inputs import rows_of
    assert np.shares_memory(rows_of(rows, model).arrays[0][1], rows)
    gc.collect()
    tracemalloc.start()
    made = rows_of(rows, model)
    assert tracemalloc.get_traced_memory()[1] < rows.nbytes / 100
    tracemalloc.stop()
    assert made.arrays


def test_what_was_given_may_change_afterwards(table, rows):
    given = rows[0].copy()
    explained = table.explain(given, method="shapley")
    given[:] = np.nan
    assert np.array_equal(explained.data, rows[0])
    said = table.predict(given := rows.copy())
    before = said.values.copy()
    given[:] = 0
    assert np.array_equal(said.values, before)


def test_arrays_of_the_caller_are_not_changed_and_may_be_read_only(table, rows, wanted):
    given = rows.copy()
    given.setflags(write=False)
    assert np.array_equal(values(table, given), wanted)
    assert np.array_equal(given, rows)
