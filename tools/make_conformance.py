"""Writes docs/conformance: small models, and what the program says of them in double.

Usage, from the root: make_conformance.py [--check]. With --check nothing is written; exit code 1 if what the program
says now differs from the files by more than 1e-9. Needs numpy and onnx. Everything that has a textbook version
(conformance_reference.py) is compared with it first, and nothing is written that differs by more than 1e-8.
The environment variable ASCRIBE says where the program is (build/ascribe).
"""
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

import conformance_reference as reference

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "docs" / "conformance"
ASCRIBE = os.environ.get("ASCRIBE", "build/ascribe")
SETTINGS = {"grad_cam": {"layer": "relu"},
            "integrated_gradients": {"tolerance": "1e-12", "most": "1048576"},
            "expected_gradients": {"tolerance": "1e-12", "most": "1048576"},
            "occlusion_patch": {"size": "2"}, "lrp_epsilon": {"epsilon": "1e-9"}}
TOLERANCE, REFERENCE_TOLERANCE = 1e-9, 1e-8


def drawn(seed, *shape):
    """Weights that are the same everywhere: multiples of 1/16, which float holds exactly."""
    return numpy.round(numpy.random.RandomState(seed).uniform(-1, 1, shape) * 16) / 16


# ---- the models ----

def save(name, nodes, row, outputs, constants):
    """As an ONNX file."""
    weights = [numpy_helper.from_array(numpy.asarray(value, numpy.float32), key) for key, value in constants.items()]
    graph = helper.make_graph(nodes, name, [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", *row])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", outputs])], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model.SerializeToString()


def polynomial():
    """2 x0 - x1 + x2^2 / 2 + 3 x0 x1 - 2 x0 x1 x2 + x1^2 x2 + 1"""
    terms = {(0, 0, 0): 1.0, (1, 0, 0): 2.0, (0, 1, 0): -1.0, (0, 0, 2): 0.5, (1, 1, 0): 3.0, (1, 1, 1): -2.0,
             (0, 2, 1): 1.0}
    nodes, constants, monomials = [], {}, []
    for i in range(3):
        constants[f"pick{i}"] = numpy.eye(3)[:, i:i + 1]
        nodes.append(helper.make_node("MatMul", ["x", f"pick{i}"], [f"x{i}"]))
    for number, degrees in enumerate(d for d in terms if sum(d)):
        factors = [f"x{i}" for i, power in enumerate(degrees) for _ in range(power)]
        while len(factors) > 1:
            made = f"m{number}_{len(factors)}"
            nodes.append(helper.make_node("Mul", factors[:2], [made]))
            factors = [made, *factors[2:]]
        monomials.append(factors[0])
    constants["c"] = numpy.array([c for d, c in terms.items() if sum(d)])[:, None]
    constants["d"] = [terms[0, 0, 0]]
    nodes += [helper.make_node("Concat", monomials, ["all"], axis=1),
              helper.make_node("Gemm", ["all", "c", "d"], ["y"])]
    return {"about": polynomial.__doc__, "file": save("polynomial", nodes, [3], 1, constants), "target": 0,
            "function": reference.Polynomial(terms), "row": [3], "players": "elements", "owner": [0, 1, 2],
            "input": [1.0, 0.75, -1.5], "baseline": [0.25, -0.5, 0.5],
            "background": [[0.0, 0.0, 0.0], [0.25, -0.5, 0.5], [-0.5, 1.0, 0.25]], "taylor": 3}


def dense(name, about, sizes, activation, seed, x, target, taylor, background):
    """Dense layers."""
    nodes, constants, layers, value = [], {}, [], "x"
    for i, (fan_in, fan_out) in enumerate(zip(sizes, sizes[1:])):
        layers.append((drawn(seed + i, fan_in, fan_out) * 2, drawn(seed + 50 + i, fan_out)))
        constants[f"w{i}"], constants[f"b{i}"] = layers[-1]
        last = i == len(sizes) - 2
        nodes.append(helper.make_node("Gemm", [value, f"w{i}", f"b{i}"], ["y" if last else f"z{i}"], f"layer{i}"))
        if not last:
            value = f"h{i}"
            nodes.append(helper.make_node({"relu": "Relu", "sigmoid": "Sigmoid"}[activation], [f"z{i}"], [value]))
    return {"about": about, "file": save(name, nodes, [sizes[0]], sizes[-1], constants), "target": target,
            "function": reference.Network(layers, activation, target), "row": [sizes[0]], "players": "elements",
            "owner": list(range(sizes[0])), "input": x, "baseline": background[1], "background": background,
            "taylor": taylor}


def image():
    """A 4 x 4 image, a convolution with padding, ReLU, mean pooling, a dense layer; the players are its quarters"""
    kernels, bias = drawn(30, 2, 1, 3, 3), drawn(31, 2)
    head, head_bias = drawn(32, 8, 2) * 2, drawn(33, 2)
    nodes = [helper.make_node("Conv", ["x", "k", "kb"], ["z"], "conv", kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
             helper.make_node("Relu", ["z"], ["h"], "relu"),
             helper.make_node("AveragePool", ["h"], ["p"], kernel_shape=[2, 2], strides=[2, 2]),
             helper.make_node("Flatten", ["p"], ["f"]), helper.make_node("Gemm", ["f", "w", "b"], ["y"], "head")]
    layers = [reference.convolution(kernels, bias, 4, 1),
              (reference.average_pooling(2, 4, 2) @ head, head_bias)]
    file = save("relu_cnn", nodes, [1, 4, 4], 2, {"k": kernels, "kb": bias, "w": head, "b": head_bias})
    background = [numpy.zeros(16), drawn(34, 16) / 4, drawn(35, 16) / 2]
    return {"about": image.__doc__, "file": file, "target": 1, "function": reference.Network(layers, "relu", 1),
            "row": [1, 4, 4], "players": "grid:2x2", "owner": [2 * (y // 2) + x // 2 for y in range(4) for x in range(4)],
            "input": list(numpy.abs(drawn(36, 16))), "baseline": list(background[1]),
            "background": [list(b) for b in background], "taylor": 0}


def cases():
    """All of them, by name."""
    rows = [[0.0] * 5, [0.25, -0.5, 0.0, 0.125, 0.375], [-0.25, 0.5, 0.25, -0.5, 0.75]]
    return {"polynomial": polynomial(),
            "sigmoid_mlp": dense("sigmoid_mlp", "5 inputs, 3 sigmoid neurons, 2 outputs", [5, 3, 2], "sigmoid", 10,
                                 [1.0, 0.25, 0.75, 0.5, -0.25], 1, 5, rows),
            "relu_mlp": dense("relu_mlp", "5 inputs, two layers of ReLUs with biases, 2 outputs", [5, 5, 3, 2], "relu",
                              1070, [1.0, -0.75, 0.5, 1.5, -0.5], 0, 0, rows),
            "relu_cnn": image()}


# ---- what the program says ----

class Program:
    """Runs it on one case."""

    def __init__(self, name, case, folder):
        self.case, self.model, self.folder = case, folder / f"{name}.onnx", folder
        self.background_dividends = []
        self.model.write_bytes(case["file"])
        for key in ("input", "baseline", "background"):
            numpy.save(folder / f"{key}.npy", numpy.array(case[key], float).reshape(-1, *case["row"]))

    def says(self, verb, baseline, *options):
        """Its JSON."""
        command = [ASCRIBE, verb, self.model, self.folder / "input.npy", "--target", self.case["target"], "--players",
                   self.case["players"], "--precision", "double", "--json", "--quiet",
                   "--baseline", ("data:" if baseline == "background" else "file:") + str(self.folder / f"{baseline}.npy"),
                   *options]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{' '.join(map(str, command))}\n{done.stderr}")
        return json.loads(done.stdout)

    def methods(self, baseline, wanted):
        """Attributions, allocations and verdicts."""
        options = ["-m", wanted]
        for method, settings in SETTINGS.items():
            if method == "grad_cam" and self.case["players"] == "elements":
                continue  # there is no layer of that name
            for key, value in settings.items() if wanted == "all" or method in wanted else ():
                options += ["--set", f"{method}.{key}={value}"]
        explained = self.says("explain", baseline, "--allocations", *options)
        audited = self.says("audit", baseline, *options)
        found = {}
        for one in explained["methods"]:
            name = one["name"]
            found[name] = {"parameters": SETTINGS.get(name, {}), "baseline": baseline, "values": one["values"],
                           "explains": one["explains"], "residual": one["residual"], "exact": one["exact"]}
            if "allocations" in one:
                found[name]["allocations"] = one["allocations"]["values"]
            found[name]["verdicts"] = {line["principle"]: line["verdict"] for line in audited["audit"]
                                       if line["method"] == name}
        if baseline == "background":
            self.background_dividends = explained["methods"][0]["allocations"]["effects"]
        for one in explained["left_out"]:
            found[one["name"]] = {"left_out": one["reason"]}
        return found


def document(name, case, folder):
    """The JSON of one case."""
    program = Program(name, case, folder)
    parts = program.says("decompose", "baseline", *(["--taylor", case["taylor"]] if case["taylor"] else []))
    sizes = [0.0] * 2 ** (max(case["owner"]) + 1)
    sizes[0] = parts["baseline_output"]
    for effect in parts["effects"]:
        sizes[sum(1 << p for p in effect["support"])] = effect["value"]
    methods = program.methods("baseline", "all")
    methods.update(program.methods("background", "expected_gradients,prediction_difference"))
    result = {"format": 1, "case": name, "about": case["about"], "model": f"models/{name}.onnx",
              "target": case["target"], "row": case["row"], "players": case["players"], "owner": case["owner"],
              "input": case["input"], "baseline": case["baseline"], "background": case["background"],
              "output": parts["output"], "baseline_output": parts["baseline_output"], "dividends": sizes,
              "background_dividends": program.background_dividends}
    if case["taylor"]:
        terms = []
        for term in parts["taylor"]["effects"]:
            degree = [0] * len(case["owner"])
            for player, power in zip(term["support"], term["degree"]):
                degree[player] = power
            terms.append({"degree": degree, "value": term["value"]})
        result["taylor"] = {"up_to": case["taylor"], "terms": terms}
    result["methods"] = dict(sorted(methods.items()))
    return result


# ---- checks ----

def farthest(got, expected):
    """The largest difference, relative to the largest value."""
    got, expected = numpy.array(got, float), numpy.array(expected, float)
    return float(numpy.abs(got - expected).max() / max(numpy.abs(expected).max(), 1e-300)) if got.size else 0.0


def check_reference(name, case, found):
    """Against the textbook; raises if they differ. Returns how many lists were compared."""
    x = numpy.array(case["input"])
    one = reference.Question(case["function"], x, [numpy.array(case["baseline"])], case["owner"])
    many = reference.Question(case["function"], x, [numpy.array(b) for b in case["background"]], case["owner"])
    pairs = {"dividends": (found["dividends"], one.dividends()),
             "background_dividends": (found["background_dividends"], many.dividends())}
    for method in reference.Question.METHODS:
        asked = many if method in reference.Question.BACKGROUND else one
        pairs[method] = (found["methods"][method]["values"], getattr(asked, method)())
    if name == "polynomial":
        b = numpy.array(case["baseline"])
        taylor = case["function"].taylor(b, x - b)
        pairs["taylor"] = ([t["value"] for t in found["taylor"]["terms"]],
                           [taylor.get(tuple(t["degree"]), 0.0) for t in found["taylor"]["terms"]])
        missed = {k for k, v in taylor.items() if sum(k) and abs(v) > 1e-12} - {
            tuple(t["degree"]) for t in found["taylor"]["terms"]}
        assert not missed, missed
    for what, (got, expected) in pairs.items():
        error = farthest(got, expected)
        if not error <= REFERENCE_TOLERANCE:
            raise SystemExit(f"{name}: {what} differs from the textbook by {error:.1e}: {got} {expected}")
    return len(pairs)


def tidied(value):
    """What is only rounding as 0."""
    if isinstance(value, dict):
        return {key: tidied(item) for key, item in value.items()}
    if isinstance(value, list):
        return [tidied(item) for item in value]
    return 0.0 if isinstance(value, float) and abs(value) < 1e-13 else value


def differences(got, expected, place=""):
    """Where two documents differ by more than the tolerance, which is relative for large numbers."""
    if isinstance(expected, dict) and isinstance(got, dict):
        for key in sorted(set(got) | set(expected)):
            if key not in got or key not in expected:
                yield f"{place}/{key}: only in {'the file' if key in expected else 'what the program says'}"
            elif key not in ("residual", "left_out"):
                yield from differences(got[key], expected[key], f"{place}/{key}")
    elif isinstance(expected, list) and isinstance(got, list) and len(got) == len(expected):
        for i, (a, b) in enumerate(zip(got, expected)):
            yield from differences(a, b, f"{place}/{i}")
    elif isinstance(expected, float) and isinstance(got, (int, float)) and not isinstance(got, bool):
        if not math.isclose(got, expected, rel_tol=TOLERANCE, abs_tol=TOLERANCE):
            yield f"{place}: {got} instead of {expected}"
    elif got != expected:
        yield f"{place}: {got} instead of {expected}"


def main(check):
    """Writes all files, or compares them."""
    wrong = []
    for name, case in cases().items():
        with tempfile.TemporaryDirectory() as folder:
            found = tidied(json.loads(json.dumps(document(name, case, pathlib.Path(folder)))))
        compared = check_reference(name, case, found)
        path, model = FOLDER / f"{name}.json", FOLDER / "models" / f"{name}.onnx"
        if check:
            wrong += [f"{name}{line}" for line in differences(found, json.loads(path.read_text()))]
            if model.read_bytes() != case["file"]:
                wrong.append(f"{model.name} is another model")
        else:
            model.parent.mkdir(parents=True, exist_ok=True)
            model.write_bytes(case["file"])
            path.write_text(formatted(found))
        print(f"{name}: {compared} lists agree with the textbook")
    print("\n".join(wrong) or ("up to date" if check else "written"))
    return 1 if wrong else 0


def formatted(value, indent=0):
    """JSON with lists of numbers on one line."""
    space = "  " * (indent + 1)
    if isinstance(value, dict) and value:
        items = [f"{space}{json.dumps(key)}: {formatted(item, indent + 1).strip()}" for key, item in value.items()]
        return "{\n" + ",\n".join(items) + "\n" + "  " * indent + "}" + ("\n" if indent == 0 else "")
    if isinstance(value, list) and value and isinstance(value[0], (list, dict)):
        return "[\n" + ",\n".join(space + json.dumps(item) for item in value) + "\n" + "  " * indent + "]"
    return json.dumps(value)


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
