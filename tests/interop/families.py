"""Model files of the families that people bring, written by today's exporters, with an input for each.

Usage: families.py FOLDER [WORD...] writes the files (those whose name holds a word) and a README.md that lists them.
Weights are random but seeded, or trained for a moment on made-up data; nothing is downloaded. Everything is small.
"""
import functools
import gc
import pathlib
import sys
from typing import Callable, NamedTuple

import numpy
import torch
from torch import nn
from torch.nn import functional

from exports import quiet
from nets import UNet, cnn1d, stir
from peers import import_torchvision

WORDS = 60  # ids of the language models
LENGTH = 9  # their positions in the sample


class Sample(NamedTuple):
    """A model file, its input file, and where it comes from."""

    family: str
    name: str
    origin: str
    model: pathlib.Path
    inputs: pathlib.Path
    feed: dict  # what ONNX Runtime is given for the first row of the input file


class Maker(NamedTuple):
    """How one file comes about: write(folder, name) returns its input file and the feed of the first row."""

    family: str
    name: str
    origin: str
    write: Callable


MAKERS = []


def maker(family, name, origin):
    """Registers a function that writes one file."""

    def register(write):
        MAKERS.append(Maker(family, name, origin, write))
        return write

    return register


def save_arrays(folder, name, arrays):
    """One array as .npy, several as .npz with the names of the inputs; the feed is their first row."""
    if len(arrays) == 1:
        path = folder / f"{name}.npy"
        numpy.save(path, next(iter(arrays.values())))
    else:
        path = folder / f"{name}.npz"
        numpy.savez(path, **arrays)
    return path, {key: value[:1] for key, value in arrays.items()}


# ---- networks of torch ----


def export_torch(net, arrays, path, exporter, outputs, axes):
    """Writes `net`, called with `arrays` by name, with the axes that are open: {input: {axis: name}}."""
    example = tuple(torch.from_numpy(value) for value in arrays.values())
    with quiet(), torch.no_grad():
        if exporter == "dynamo":
            dims = {name: torch.export.Dim.DYNAMIC for each in axes.values() for name in each.values()}
            shapes = tuple({axis: dims[name] for axis, name in axes[key].items()} for key in arrays)
            torch.onnx.export(net, example, str(path), dynamo=True, external_data=False, dynamic_shapes=shapes,
                              input_names=list(arrays), output_names=outputs, opset_version=20, verbose=False)
        else:
            torch.onnx.export(net, example, str(path), dynamo=False, dynamic_axes={**axes, outputs[0]: {0: "batch"}},
                              input_names=list(arrays), output_names=outputs, opset_version=17)


def write_torch(build, row, exporter, folder, name, fixed_rows=False):
    """A network of one real input, with two rows of noise."""
    torch.manual_seed(sum(map(ord, name.rsplit("_", 1)[0])))
    net = build().eval()
    rows = torch.randn((2, *row), generator=torch.Generator().manual_seed(3)).numpy()
    axes = {"input": {} if fixed_rows else {0: "batch"}}
    export_torch(net, {"input": rows[:1] if fixed_rows else rows}, folder / f"{name}.onnx", exporter, ["output"], axes)
    return save_arrays(folder, name, {"input": rows})


def stirred(build):
    """The same network with statistics and scales away from 0 and 1."""

    def make():
        net = build()
        stir(net, torch.Generator().manual_seed(7))
        return net

    return make


def mlp():
    """Dense layers over eight columns."""
    return nn.Sequential(nn.Linear(8, 24), nn.ReLU(), nn.Linear(24, 16), nn.Tanh(), nn.Linear(16, 3))


def vgg():
    """torchvision's VGG with four small blocks."""
    zoo = import_torchvision().models.vgg

    net = zoo.VGG(zoo.make_layers([8, "M", 16, "M", 16, 16, "M"], batch_norm=True), num_classes=10)
    net.avgpool = nn.AdaptiveAvgPool2d(2)
    net.classifier = nn.Sequential(nn.Linear(64, 32), nn.ReLU(True), nn.Dropout(), nn.Linear(32, 10))
    return net


def resnet():
    """torchvision's ResNet with one narrow block for each stage."""
    zoo = import_torchvision().models.resnet

    net = zoo.ResNet(zoo.BasicBlock, [1, 1, 1, 1], num_classes=10)
    for layer in net.modules():  # the widths of torchvision are fixed: a quarter of them
        if isinstance(layer, nn.Conv2d):
            inputs = layer.in_channels if layer.in_channels == 3 else layer.in_channels // 4
            layer.__init__(inputs, layer.out_channels // 4, layer.kernel_size, layer.stride, layer.padding, bias=False)
        elif isinstance(layer, nn.BatchNorm2d):
            layer.__init__(layer.num_features // 4)
        elif isinstance(layer, nn.Linear):
            layer.__init__(layer.in_features // 4, 10)
    return net.eval()


def mobilenet_v3():
    """torchvision's MobileNetV3 with three blocks."""
    zoo = import_torchvision().models.mobilenetv3

    block = functools.partial(zoo.InvertedResidualConfig, width_mult=1.0)
    settings = [block(16, 3, 16, 16, True, "RE", 2, 1), block(16, 3, 48, 24, False, "RE", 2, 1),
                block(24, 5, 64, 24, True, "HS", 1, 1)]
    return zoo.MobileNetV3(settings, last_channel=48, num_classes=10)


def efficientnet():
    """torchvision's EfficientNet with three stages."""
    zoo = import_torchvision().models.efficientnet

    stage = functools.partial(zoo.MBConvConfig, width_mult=1.0, depth_mult=1.0)
    settings = [stage(1, 3, 1, 16, 16, 1), stage(4, 3, 2, 16, 24, 2), stage(4, 5, 2, 24, 32, 1)]
    return zoo.EfficientNet(settings, dropout=0.2, num_classes=10, last_channel=64)


def convnext():
    """torchvision's ConvNeXt with two stages."""
    zoo = import_torchvision().models.convnext

    return zoo.ConvNeXt([zoo.CNBlockConfig(16, 32, 1), zoo.CNBlockConfig(32, None, 1)], num_classes=10)


def vit():
    """torchvision's ViT with two blocks."""
    net = import_torchvision().models.VisionTransformer(32, 8, num_layers=2, num_heads=3, hidden_dim=48, mlp_dim=96,
                                                        num_classes=10)
    nn.init.normal_(net.heads.head.weight, std=0.2)  # torchvision begins with zeros
    return net


def swin():
    """torchvision's Swin with two stages, the second windows shifted."""
    return import_torchvision().models.SwinTransformer([4, 4], 24, [2, 2], [2, 4], [4, 4], num_classes=10)


class Yolo(nn.Module):
    """A YOLO-like head on two scales: boxes and class scores of all anchors, [N, 4 + classes, anchors]."""

    def __init__(self, classes=5):
        super().__init__()
        self.classes = classes
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.SiLU(),
                                  nn.Conv2d(8, 16, 3, 2, 1), nn.BatchNorm2d(16), nn.SiLU())
        self.down = nn.Sequential(nn.Conv2d(16, 16, 3, 2, 1), nn.BatchNorm2d(16), nn.SiLU())
        self.pool = nn.MaxPool2d(5, 1, 2)
        self.mix = nn.Sequential(nn.Conv2d(48, 16, 1), nn.BatchNorm2d(16), nn.SiLU())
        self.heads = nn.ModuleList(nn.Conv2d(16, 4 + classes, 1) for _ in range(2))

    def forward(self, x):
        fine = self.stem(x)
        coarse = self.down(fine)
        up = functional.interpolate(torch.cat([coarse, self.pool(coarse)], 1), scale_factor=2.0, mode="nearest")
        scales = [self.mix(torch.cat([up, fine], 1)), coarse]
        boxes = torch.cat([head(each).flatten(2) for head, each in zip(self.heads, scales)], 2)
        return torch.cat([boxes[:, :2].sigmoid() * 32, boxes[:, 2:4].exp(), boxes[:, 4:].sigmoid()], 1)


class Recurrent(nn.Module):
    """Classifies a series [N, T, F] by its last state."""

    def __init__(self, cell):
        super().__init__()
        self.cell = cell(4, 10, batch_first=True)
        self.head = nn.Linear(10, 3)

    def forward(self, x):
        return self.head(self.cell(x)[0][:, -1])


PICTURE = (3, 32, 32)
TORCH = [("MLP", "mlp", mlp, (8,)), ("VGG", "vgg", stirred(vgg), PICTURE),
         ("ResNet", "resnet", stirred(resnet), PICTURE),
         ("MobileNetV3", "mobilenetv3", stirred(mobilenet_v3), PICTURE),
         ("EfficientNet", "efficientnet", stirred(efficientnet), PICTURE), ("ConvNeXt", "convnext", convnext, PICTURE),
         ("ViT", "vit", vit, PICTURE), ("Swin", "swin", swin, PICTURE), ("U-Net", "unet", stirred(UNet), (2, 16, 20)),
         ("YOLO-like", "yolo", stirred(Yolo), PICTURE), ("LSTM", "lstm", lambda: Recurrent(nn.LSTM), (12, 4)),
         ("GRU", "gru", lambda: Recurrent(nn.GRU), (12, 4)), ("1-D CNN", "cnn1d", stirred(cnn1d), (4, 40))]
for family, stem, build, row in TORCH:
    for exporter in ("dynamo", "script"):
        MAKERS.append(Maker(family, f"{stem}_{exporter}", f"torch, {exporter}",
                            functools.partial(write_torch, build, row, exporter)))
    if stem in ("convnext", "swin"):  # with one row, torch writes strides of memory as Reshape and Gather
        MAKERS.append(Maker(family, f"{stem}_fixed", "torch, dynamo, one row",
                            functools.partial(write_torch, build, row, "dynamo", fixed_rows=True)))


# ---- language models of transformers ----


class Outputs(nn.Module):
    """A model of transformers with positional inputs and its logits as output."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, input_ids, attention_mask):
        return self.net(input_ids=input_ids, attention_mask=attention_mask).logits


def import_transformers():
    """transformers, which imports torchvision where that is installed."""
    import_torchvision()
    import transformers

    return transformers


def bert():
    transformers = import_transformers()

    return transformers.BertForSequenceClassification(transformers.BertConfig(
        vocab_size=WORDS, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=48,
        max_position_embeddings=32, num_labels=3, initializer_range=0.3, attn_implementation="eager"))


def distilbert():
    transformers = import_transformers()

    return transformers.DistilBertForSequenceClassification(transformers.DistilBertConfig(
        vocab_size=WORDS, dim=32, n_layers=2, n_heads=2, hidden_dim=48, max_position_embeddings=32, num_labels=3,
        initializer_range=0.3, attn_implementation="eager"))


def gpt2():
    transformers = import_transformers()

    return transformers.GPT2LMHeadModel(transformers.GPT2Config(
        vocab_size=WORDS, n_positions=32, n_embd=32, n_layer=2, n_head=2, initializer_range=0.3, use_cache=False,
        bos_token_id=1, eos_token_id=2, attn_implementation="eager"))


def ids_and_mask(length=LENGTH):
    """Two sentences, the second shorter by two."""
    draws = numpy.random.default_rng(5)
    ids = draws.integers(5, WORDS, (2, length), dtype=numpy.int64)
    mask = numpy.ones((2, length), numpy.int64)
    ids[1, -2:] = mask[1, -2:] = 0
    return {"input_ids": ids, "attention_mask": mask}


def write_language(build, exporter, folder, name):
    """Ids and mask with open batch and sequence."""
    torch.manual_seed(sum(map(ord, name.split("_")[0])))
    net = Outputs(build().eval())
    arrays = ids_and_mask()
    axes = {key: {0: "batch", 1: "sequence"} for key in arrays}
    export_torch(net, arrays, folder / f"{name}.onnx", exporter, ["logits"], axes)
    return save_arrays(folder, name, arrays)


for family, stem, build in [("BERT", "bert", bert), ("DistilBERT", "distilbert", distilbert), ("GPT-2", "gpt2", gpt2)]:
    for exporter in ("dynamo", "script"):
        MAKERS.append(Maker(family, f"{stem}_{exporter}", f"transformers, torch, {exporter}",
                            functools.partial(write_language, build, exporter)))


# ---- tables ----

COLUMNS = ["age", "income", "height", "weight", "visits"]


def table(rows=300):
    """A made-up table with an interaction: columns, classes of three, values."""
    draws = numpy.random.default_rng(2)
    x = draws.normal(size=(rows, len(COLUMNS))).astype(numpy.float32)
    score = x[:, 0] + 2 * x[:, 1] * (x[:, 2] > 0) - x[:, 3] * x[:, 4]
    classes = numpy.digitize(score, [-0.7, 0.7])
    return x, classes, score.astype(numpy.float32)


def save_table(folder, name, x, columns=None, texts=None):
    """A few rows as CSV with named columns; `texts` are columns of words behind them."""
    path = folder / f"{name}.csv"
    texts = texts or {}
    with open(path, "w", encoding="utf-8") as file:
        file.write(",".join([*COLUMNS, *texts]) + "\n")
        for i in range(4):
            file.write(",".join([*(repr(float(v)) for v in x[i]), *(column[i] for column in texts.values())]) + "\n")
    return path


def write_sklearn(build, wanted, folder, name, zipmap=False):
    """A scikit-learn model of one input matrix by skl2onnx."""
    from skl2onnx import to_onnx

    x, classes, values = table()
    model = build().fit(x, classes if wanted == "class" else values)
    options = {id(model): {"zipmap": zipmap}} if wanted == "class" else None
    with quiet():
        done = to_onnx(model, x[:1], options=options, target_opset={"": 18, "ai.onnx.ml": 3})
    (folder / f"{name}.onnx").write_bytes(done.SerializeToString())
    return save_table(folder, name, x), {done.graph.input[0].name: x[:1]}


def write_columns(folder, name):
    """A pipeline of one input per column, with an imputer, a scaler, words and a one-hot encoder."""
    import pandas
    from skl2onnx import convert_sklearn
    from skl2onnx.common.data_types import FloatTensorType, StringTensorType
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    x, classes, _ = table()
    towns = numpy.random.default_rng(8).choice(["Bern", "Lyon", "Oslo"], len(x))
    frame = pandas.DataFrame(x, columns=COLUMNS)
    frame["town"] = towns.astype(object)
    frame["town"] = frame["town"].astype(object)
    model = make_pipeline(ColumnTransformer([("numbers", make_pipeline(SimpleImputer(), StandardScaler()), COLUMNS),
                                             ("words", OneHotEncoder(), ["town"])]), LogisticRegression())
    model.fit(frame, classes)
    types = [(c, FloatTensorType([None, 1])) for c in COLUMNS] + [("town", StringTensorType([None, 1]))]
    with quiet():
        done = convert_sklearn(model, initial_types=types, target_opset={"": 18, "ai.onnx.ml": 3})
    (folder / f"{name}.onnx").write_bytes(done.SerializeToString())
    feed = {c: x[:1, i:i + 1] for i, c in enumerate(COLUMNS)}
    feed["town"] = numpy.array([[towns[0]]], dtype=object)
    return save_table(folder, name, x, texts={"town": towns}), feed


def sklearn_models():
    """Name -> family, how to make it, what it predicts."""
    from sklearn.ensemble import GradientBoostingRegressor, RandomForestClassifier, RandomForestRegressor
    from sklearn.linear_model import LinearRegression, LogisticRegression
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC, SVR

    return {
        "sk_logistic": lambda: make_pipeline(StandardScaler(), LogisticRegression()),
        "sk_linear_regression": LinearRegression,
        "sk_mlp": lambda: MLPClassifier((12,), max_iter=300, tol=1e-2, random_state=0),
        "sk_svc": SVC,
        "sk_svr": SVR,
        "sk_forest": lambda: RandomForestClassifier(10, max_depth=5, random_state=0),
        "sk_forest_regressor": lambda: RandomForestRegressor(10, max_depth=5, random_state=0),
        "sk_gradient_boosting": lambda: GradientBoostingRegressor(n_estimators=15, random_state=0),
    }


def write_named_sklearn(wanted, folder, name, zipmap=False):
    """Scikit-learn is imported only when a file is made."""
    return write_sklearn(sklearn_models()[name.removesuffix("_zipmap")], wanted, folder, name, zipmap)


for family, name, kind, wanted in [
        ("sklearn linear", "sk_logistic", "LogisticRegression", "class"),
        ("sklearn linear", "sk_linear_regression", "LinearRegression", "value"),
        ("sklearn MLP", "sk_mlp", "MLPClassifier", "class"), ("sklearn SVM", "sk_svc", "SVC", "class"),
        ("sklearn SVM", "sk_svr", "SVR", "value"), ("random forest", "sk_forest", "classifier", "class"),
        ("random forest", "sk_forest_regressor", "regressor", "value"),
        ("gradient boosting", "sk_gradient_boosting", "regressor", "value")]:
    MAKERS.append(Maker(family, name, f"skl2onnx, {kind}", functools.partial(write_named_sklearn, wanted)))
MAKERS.append(Maker("sklearn linear", "sk_logistic_zipmap", "skl2onnx, LogisticRegression with ZipMap",
                    functools.partial(write_named_sklearn, "class", zipmap=True)))
MAKERS.append(Maker("sklearn linear", "sk_columns", "skl2onnx, columns as inputs", write_columns))


def write_boosted(library, wanted, folder, name):
    """LightGBM or XGBoost by onnxmltools."""
    import onnxmltools
    from onnxmltools.convert.common.data_types import FloatTensorType

    x, classes, values = table()
    labels = classes if wanted == "class" else values
    types = [("input", FloatTensorType([None, x.shape[1]]))]
    with quiet():
        if library == "lightgbm":
            import lightgbm

            kind = lightgbm.LGBMClassifier if wanted == "class" else lightgbm.LGBMRegressor
            model = kind(n_estimators=12, max_depth=4, verbose=-1, random_state=0, n_jobs=1).fit(x, labels)
            options = {"zipmap": False} if wanted == "class" else {}
            done = onnxmltools.convert_lightgbm(model, initial_types=types, target_opset=15, **options)
        else:
            import xgboost

            kind = xgboost.XGBClassifier if wanted == "class" else xgboost.XGBRegressor
            model = kind(n_estimators=12, max_depth=4, random_state=0, n_jobs=1).fit(x, labels)
            done = onnxmltools.convert_xgboost(model, initial_types=types, target_opset=15)
    (folder / f"{name}.onnx").write_bytes(done.SerializeToString())
    return save_table(folder, name, x), {"input": x[:1]}


for library, family in [("lightgbm", "LightGBM"), ("xgboost", "XGBoost")]:
    for wanted, ending in [("class", "classifier"), ("value", "regressor")]:
        MAKERS.append(Maker(family, f"{library}_{ending}", f"onnxmltools, {ending}",
                            functools.partial(write_boosted, library, wanted)))


# ---- what ONNX Runtime writes ----


class Batches:
    """What the quantiser looks at: a few rows, one after the other."""

    def __init__(self, name, rows):
        self.left = [{name: rows[i:i + 1]} for i in range(len(rows))]

    def get_next(self):
        return self.left.pop() if self.left else None

    def __iter__(self):
        return iter(self.left)


def write_quantized(style, folder, name):
    """The ResNet of torch with 8-bit weights and activations: as QDQ, or with quantised operators."""
    from onnxruntime import quantization

    inputs, feed = write_torch(stirred(resnet), PICTURE, "script", folder, name)
    model, plain = folder / f"{name}.onnx", folder / f"{name}.plain.onnx"
    model.rename(plain)
    rows = torch.randn((8, *PICTURE), generator=torch.Generator().manual_seed(4)).numpy()
    prepared = folder / f"{name}.prepared.onnx"
    kinds = {"qdq": quantization.QuantFormat.QDQ, "qoperator": quantization.QuantFormat.QOperator}
    with quiet():
        quantization.shape_inference.quant_pre_process(str(plain), str(prepared), skip_symbolic_shape=True)
        quantization.quantize_static(str(prepared), str(model), Batches("input", rows), quant_format=kinds[style],
                                     per_channel=style == "qdq", activation_type=quantization.QuantType.QUInt8,
                                     weight_type=quantization.QuantType.QInt8)
    plain.unlink()
    prepared.unlink()
    return inputs, feed


def write_dynamically_quantized(folder, name):
    """BERT with MatMulInteger and DynamicQuantizeLinear."""
    from onnxruntime import quantization

    inputs, feed = write_language(bert, "script", folder, name)
    model, plain = folder / f"{name}.onnx", folder / f"{name}.plain.onnx"
    model.rename(plain)
    with quiet():
        quantization.quantize_dynamic(str(plain), str(model), weight_type=quantization.QuantType.QInt8)
    plain.unlink()
    return inputs, feed


def write_optimized(build, kind, folder, name):
    """A language model with the fused operators of com.microsoft."""
    from onnxruntime.transformers import optimizer

    inputs, feed = write_language(build, "script", folder, name)
    model = folder / f"{name}.onnx"
    with quiet():
        done = optimizer.optimize_model(str(model), model_type=kind, num_heads=2, hidden_size=32, opt_level=0)
        done.save_model_to_file(str(model))
    return inputs, feed


def write_saved_session(write, folder, name):
    """What a session of ONNX Runtime made of a file, saved."""
    import onnxruntime

    inputs, feed = write(folder, name)
    model = folder / f"{name}.onnx"
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(model)
    options.log_severity_level = 4
    onnxruntime.InferenceSession(model.read_bytes(), options, providers=["CPUExecutionProvider"])
    return inputs, feed


MAKERS.append(Maker("QDQ ResNet", "resnet_qdq", "onnxruntime, QDQ", functools.partial(write_quantized, "qdq")))
MAKERS.append(Maker("QDQ ResNet", "resnet_qoperator", "onnxruntime, QOperator",
                    functools.partial(write_quantized, "qoperator")))
MAKERS.append(Maker("BERT", "bert_dynamic_int8", "onnxruntime, dynamic int8", write_dynamically_quantized))
for family, stem, build in [("BERT", "bert", bert), ("GPT-2", "gpt2", gpt2)]:
    MAKERS.append(Maker(family, f"{stem}_optimized", "onnxruntime, optimiser",
                        functools.partial(write_optimized, build, stem)))
    MAKERS.append(Maker(family, f"{stem}_session", "onnxruntime, saved session",
                        functools.partial(write_saved_session, functools.partial(write_language, build, "script"))))
MAKERS.append(Maker("ResNet", "resnet_session", "onnxruntime, saved session",
                    functools.partial(write_saved_session,
                                      functools.partial(write_torch, stirred(resnet), PICTURE, "script"))))


# ---- all of them ----


def make(each, folder):
    """Writes the files of one maker. Python 3.11 now and then fails to build a syntax tree while garbage is collected,
    which the exporter does for every operator: so none is collected meanwhile, and a failure is tried again."""
    gc.disable()
    try:
        try:
            inputs, feed = each.write(folder, each.name)
        except SystemError:
            inputs, feed = each.write(folder, each.name)
    finally:
        gc.enable()
    return Sample(each.family, each.name, each.origin, folder / f"{each.name}.onnx", inputs, feed)


def main(folder, words):
    """Writes files and their list; says which could not be made."""
    torch.set_num_threads(1)
    torch.backends.mha.set_fastpath_enabled(False)  # the fused encoder has no ONNX form
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    lines = ["| family | model | input | origin |", "|---|---|---|---|"]
    for each in MAKERS:
        if words and not any(word in each.name for word in words):
            continue
        try:
            done = make(each, folder)
            lines.append(f"| {done.family} | {done.model.name} | {done.inputs.name} | {done.origin} |")
            print("made", each.name, flush=True)
        except Exception as error:  # the others are made
            print(f"NOT made {each.name}: {type(error).__name__}: {str(error)[:400]}", flush=True)
    lines += ["", ".npy holds rows for the only input, .npz an array for each input by name, .csv has named columns.",
              "The language models take ids below 60 and masks, with open batch and sequence."]
    if not words:
        (folder / "README.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
