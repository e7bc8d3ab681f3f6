"""Gradients and Hessians beside PyTorch, compiled explanations beside ONNX Runtime and the ONNX project's evaluator."""
import functools
import importlib.util
import pathlib
import shutil

import numpy
import onnx
import onnx.numpy_helper
import torch
from torch import nn

import bundled
import engines
from exports import Recipe, export
from results import compare, failure

FLOAT_TOLERANCE = 1e-4
DOUBLE_TOLERANCE = 1e-9
RUNTIME_TOLERANCE = 1e-5


def logits(net):
    """The network without its last softmax, which is what ascribe explains by default."""
    ends = isinstance(net, nn.Sequential) and isinstance(net[-1], (nn.Softmax, nn.LogSoftmax))
    return net[:-1] if ends else net


def torch_gradient(net, rows, target):
    """The gradient of each row's target, by torch.autograd."""
    rows = rows.clone().requires_grad_()
    logits(net)(rows).flatten(1).gather(1, target[:, None]).sum().backward()
    return rows.grad.numpy()


def targets(net, rows):
    """A different number of the output for each row, so that rows cannot be confused."""
    with torch.no_grad():
        count = net(rows).flatten(1).shape[1]
    return (7 * torch.arange(len(rows)) + 1) % count, count


def compile_model(model, method, target, *options):
    """The explanation as a file, found valid by the ONNX project."""
    compiled = model.with_name(f"{model.stem}.{method}.{target}.onnx")
    engines.command(engines.ASCRIBE, "compile", model, "--method", method, "--target", target, "-o", compiled,
                    "--quiet", "--force", *options)
    onnx.checker.check_model(str(compiled), full_check=True)
    return compiled


def feed_of(compiled, rows, target=None):
    """The inputs of a compiled file by their names: the model's own, then the target."""
    names = [value.name for value in onnx.load(str(compiled), load_external_data=False).graph.input]
    return dict(zip(names, [rows] if target is None else [rows, target]))


def by_ascribe(compiled, feed):
    """Prediction and attribution as `ascribe predict` says them."""
    arguments = []
    for name, array in feed.items():
        path = compiled.with_name(f"{compiled.stem}.{len(arguments)}.npy")
        numpy.save(path, array)
        arguments.append(f"{name}={path}" if len(feed) > 1 else path)
    answer = compiled.with_name(f"{compiled.stem}.npz")
    engines.command(engines.ASCRIBE, "predict", compiled, *arguments, "--quiet", "--force", "-o", answer)
    return numpy.load(answer)["attribution"]


def by_runtime(compiled, feed):
    """The attribution as ONNX Runtime says it."""
    return engines.session(compiled).run(["attribution"], feed)[0]


def has_grouped_transpose(compiled):
    """Whether there is what the ONNX project's evaluator gets wrong: it cuts the weights along the wrong axis."""
    return any(attribute.name == "group" and attribute.i > 1 for node in onnx.load(str(compiled)).graph.node
               if node.op_type == "ConvTranspose" for attribute in node.attribute)


def by_reference(compiled, feed):
    """The attribution as the ONNX project's evaluator says it."""
    evaluator = onnx.reference.ReferenceEvaluator(onnx.load(str(compiled)), new_ops=[engines.Erf])
    return evaluator.run(["attribution"], feed)[0]


def check_targets(name, model, net, rows):
    """Every way to say what is explained, in both runtimes; then whether they agree."""
    target, count = targets(net, rows)
    rows, index = rows.numpy(), target.numpy()
    one_hot = numpy.eye(count, dtype=rows.dtype)[index]
    first = int(index[0])
    said = {}
    for method, kind, extra in [("gradient", "index", index), ("gradient", "one_hot", one_hot),
                                ("gradient", first, None), ("gradient", "top", None),
                                ("gradient_x_input", "index", index)]:
        compiled = compile_model(model, method, kind)
        feed = feed_of(compiled, rows, extra)
        said[method, kind] = by_ascribe(compiled, feed)
        yield compare(f"{name}: {method}, target {kind}: onnxruntime", lambda: by_runtime(compiled, feed),
                      said[method, kind], RUNTIME_TOLERANCE)
    gradient = said["gradient", "index"]
    yield compare(f"{name}: target one_hot as index", lambda: said["gradient", "one_hot"], gradient, RUNTIME_TOLERANCE)
    yield compare(f"{name}: target {first} as index", lambda: said["gradient", first][0], gradient[0],
                  RUNTIME_TOLERANCE)
    yield compare(f"{name}: gradient_x_input", lambda: said["gradient_x_input", "index"], rows * gradient,
                  RUNTIME_TOLERANCE)


def check_gradients(name, model, net, rows):
    """One file: its gradient against torch.autograd, and the compiled file in another runtime."""
    in_double = rows.dtype == torch.float64
    target, _ = targets(net, rows)
    compiled = compile_model(model, "gradient", "index")
    feed = feed_of(compiled, rows.numpy(), target.numpy())
    own = by_ascribe(compiled, feed)
    yield compare(f"{name}: gradient, torch", lambda: own, torch_gradient(net, rows, target),
                  DOUBLE_TOLERANCE if in_double else FLOAT_TOLERANCE)
    if not in_double:
        yield compare(f"{name}: gradient, onnxruntime", lambda: by_runtime(compiled, feed), own, RUNTIME_TOLERANCE)
    elif not has_grouped_transpose(compiled):  # ONNX Runtime has few operators in double
        yield compare(f"{name}: gradient, onnx reference", lambda: by_reference(compiled, feed), own, DOUBLE_TOLERANCE)


def bundled_nets():
    """models/nets.py, which has the name of a module here."""
    spec = importlib.util.spec_from_file_location("bundled_nets", bundled.MODELS / "nets.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def without_batch_norm(net):
    """The exporter made batch statistics part of the convolutions, which have a bias since."""
    for name, layer in list(net.named_modules()):
        parent = net.get_submodule(name.rpartition(".")[0])
        if isinstance(layer, nn.BatchNorm2d):
            setattr(parent, name.rpartition(".")[2], nn.Identity())
        if isinstance(layer, nn.Conv2d) and layer.bias is None:
            layer.bias = nn.Parameter(torch.zeros(layer.out_channels))
    return net


def torch_version(model):
    """A bundled model in torch, with the weights of the file."""
    nets = bundled_nets()
    makers = {"polynomial": nets.Polynomial, "resnet": lambda: without_batch_norm(nets.resnet()),
              "localiser": lambda: without_batch_norm(nets.localiser()),
              "tabular_mlp": lambda: nets.TabularMlp(torch.zeros(2, 8), torch.zeros(2, 1))}
    name = model.stem.removeprefix("mnist_")  # the same networks, trained on other images
    net = makers.get(name, getattr(nets, name, None))()
    weights = {weight.name.replace(".weight_bias", ".bias"): torch.tensor(onnx.numpy_helper.to_array(weight))
               for weight in onnx.load(str(model)).graph.initializer if weight.data_type == onnx.TensorProto.FLOAT}
    net.load_state_dict(weights)
    return net.eval()


def untied(rows):
    """Rows without areas of one value: there maxima tie, and rounding says which element gets the gradient."""
    noise = torch.rand(rows.shape, generator=torch.Generator().manual_seed(11))
    return rows + 0.01 * (rows.amax(0) - rows.amin(0) + 0.1) * noise


def check_bundled_model(model):
    """A bundled model on its samples, in float and computed in double."""
    name = f"models/{model.name}"
    net = torch_version(model)
    rows = untied(torch.from_numpy(bundled.sample(model)[1]))
    yield from check_gradients(name, model, net, rows)
    yield from check_targets(name, model, net, rows)
    target, _ = targets(net, rows)
    compiled = compile_model(model, "gradient", "index", "--precision", "double")
    feed = feed_of(compiled, rows.double().numpy(), target.numpy())
    yield compare(f"{name}: gradient in double, torch", lambda: by_ascribe(compiled, feed),
                  torch_gradient(net.double(), rows.double(), target), DOUBLE_TOLERANCE)


def hessian(model, row, target):
    """The second derivatives of one number of the output at one row, by ascribe in double."""
    point, answer = model.with_name(f"{model.stem}.point.npy"), model.with_name(f"{model.stem}.hessian.npy")
    numpy.save(point, row)
    engines.command(engines.tool("ascribe_derivatives"), "hessian", model, point, target, answer)
    return numpy.load(answer)


def torch_hessian(net, row, target):
    """The same by torch.func.hessian."""
    flat = torch.func.hessian(lambda x: net(x.reshape(row.shape)).flatten()[target])(row.flatten())
    return flat.detach().numpy()


def small_nets():
    """Smooth networks small enough for whole Hessians, and the shapes of their rows."""
    torch.manual_seed(3)
    return {
        "sigmoid_mlp": (nn.Sequential(nn.Linear(12, 9), nn.Sigmoid(), nn.Linear(9, 7), nn.Sigmoid(), nn.Linear(7, 3)),
                        (12,)),
        "tanh_softmax": (nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 4), nn.Softmax(1)), (6,)),
        "gelu_layer_norm": (nn.Sequential(nn.Linear(7, 8), nn.LayerNorm(8), nn.GELU(), nn.Linear(8, 3)), (7,)),
        "softplus_conv": (nn.Sequential(nn.Conv2d(1, 3, 3, padding=1), nn.Softplus(), nn.AvgPool2d(2),
                                        nn.Conv2d(3, 2, 2), nn.SiLU(), nn.Flatten(), nn.Linear(8, 3)), (1, 6, 6)),
    }


def check_hessians(folder):
    """Hessians of small networks exported in double, and of bundled models computed in double."""
    for name, (net, shape) in small_nets().items():
        net = net.double().eval()
        rows = torch.randn((2, *shape), dtype=torch.float64)
        model = folder / f"small_{name}.onnx"
        export(net, rows, model, Recipe("dynamo", 20))
        yield compare(f"{name}: hessian, torch", lambda m=model, x=rows: hessian(m, x[:1].numpy(), 1),
                      torch_hessian(net, rows[:1], 1), DOUBLE_TOLERANCE)
    for name in ["sigmoid_mlp", "polynomial", "sigmoid_cnn"]:
        model = pathlib.Path(shutil.copy(bundled.MODELS / f"{name}.onnx", folder / f"hessian_{name}.onnx"))
        net = torch_version(bundled.MODELS / f"{name}.onnx").double()
        row = torch.from_numpy(bundled.sample(model)[1][:1]).double()
        yield compare(f"models/{name}.onnx: hessian, torch", lambda m=model, x=row: hessian(m, x.numpy(), 4),
                      torch_hessian(net, row, 4), DOUBLE_TOLERANCE)


def check_derivatives(folder):
    """Bundled models, copied so that nothing is written beside them, and Hessians."""
    (folder / "derivatives").mkdir()
    for original in sorted(bundled.MODELS.glob("*.onnx")):
        try:
            yield from check_bundled_model(pathlib.Path(shutil.copy(original, folder / "derivatives")))
        except Exception as error:  # the other models go on
            yield failure(f"derivatives of {original.name}", error)
    yield from check_hessians(folder / "derivatives")
