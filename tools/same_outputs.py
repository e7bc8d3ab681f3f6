#!/usr/bin/env python3
"""Whether two builds of ascribe say the same: tools/same_outputs.py BEFORE AFTER [NAME...]

Runs every command below with both programs, each in a scratch folder of its own beside the bundled models, and compares
exit code, output, complaints and all files that were written. Times are left out; JSON is compared as data, numbers to
1e-9 of their size. Prints the differences, and exits with 1 if there are any.
"""

import difflib
import filecmp
import json
import math
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

MODELS = Path(__file__).resolve().parent.parent / "models"
BOOT = "models/relu_vgg.onnx models/images/ankle_boot.png --labels models/labels_fashion.txt"
BAG = "models/sigmoid_mlp.onnx models/images/bag.png"
TABLE = "models/tabular_mlp.onnx models/tabular_sample.csv"
FEW = "gradient_x_input,occlusion,shapley,integrated_gradients"

CASES = {
    "help": "--help",
    "version": "--version",
    **{f"help {c}": f"{c} --help" for c in (
        "inspect predict explain decompose report compile audit compare evaluate verify render reproduce methods metrics "
        "operators indices").split()},
    "inspect": "inspect models/relu_vgg.onnx",
    "inspect json": "inspect models/resnet.onnx --json",
    "inspect missing": "inspect models/none.onnx",
    "predict": f"predict {BOOT}",
    "predict json": f"predict {BOOT} --json --top 3",
    "predict rows": f"predict {TABLE} --row 0:4",
    "predict several": "predict models/sigmoid_cnn.onnx models/images/bag.png models/images/dress.png --out two.npy",
    "predict npz": f"predict {TABLE} --row 2 --out p.npz --json --precision double",
    "predict no labels": "predict models/relu_vgg.onnx models/images/bag.png --labels models/tabular_sample.csv",
    "predict no image": f"predict models/relu_vgg.onnx models/tabular_sample.csv",
    "predict preprocess": "predict models/relu_vgg.onnx models/images/bag.png --preprocess raw --top 2",
    "predict bad preprocess": "predict models/relu_vgg.onnx models/images/bag.png --preprocess what",
    "explain": f"explain {BOOT} --method {FEW} --players grid:4x4",
    "explain json": f"explain {BOOT} --method {FEW} --players grid:3x3 --json",
    "explain all table": f"explain {TABLE} --row 0 --method all",
    "explain all table json": f"explain {TABLE} --row 0:3 --method all --json",
    "explain folder": f"explain {BOOT} --method gradient_x_input,lrp_epsilon,grad_cam --players grid:7x7 --out out",
    "explain folder rows": f"explain {TABLE} --row 0:2 --method deeplift_rescale,smooth_grad --out out",
    "explain npz": f"explain {BAG} --method occlusion_patch,deep_taylor --out a.npz --json",
    "explain allocations": f"explain {BAG} --method occlusion,shapley --players grid:2x2 --allocations --out a.npz",
    "explain allocations json": f"explain {BAG} --method occlusion,shapley --players grid:2x2 --allocations --json",
    "explain baselines": f"explain {TABLE} --row 0 --method expected_gradients,shapley --baseline data:models/tabular_sample.csv",
    "explain gaussian": f"explain {TABLE} --row 1 --method prediction_difference --baseline gaussian:0.1 --seed 3",
    "explain target": f"explain {BOOT} --method gradient --target Sneaker --explain logit --top 5",
    "explain probability": "explain models/sigmoid_mlp.onnx models/images/bag.png --method lrp_epsilon --explain probability",
    "explain settings": f"explain {TABLE} --row 0 --method integrated_gradients,expected_gradients --set steps=8 --set expected_gradients.steps=4",
    "explain bad setting": f"explain {TABLE} --row 0 --method integrated_gradients --set step=8",
    "explain bad setting name": f"explain {TABLE} --row 0 --method integrated_gradients --set shapley.samples=8",
    "explain bad target": f"explain {BOOT} --method gradient --target Boat",
    "explain bad class": f"explain {BOOT} --method gradient --target 77",
    "explain bad method": f"explain {BOOT} --method gradients",
    "explain bad players": f"explain {TABLE} --row 0 --method occlusion --players patch:2",
    "explain bad baseline": f"explain {TABLE} --row 0 --method occlusion --baseline none",
    "explain bad layer": f"explain {BOOT} --method grad_cam --set layer=none",
    "explain no convolution": f"explain {TABLE} --row 0 --method grad_cam",
    "explain bad output": f"explain {TABLE} --row 0 --method gradient --output none",
    "explain bad input": f"explain {TABLE} --row 0 --method gradient --input none",
    "explain bad file": f"explain {TABLE} --row 0 --method gradient --out a.png",
    "explain no folder": f"explain {TABLE} --row 0 --method gradient --out no/where",
    "explain row": f"explain {TABLE} --row 4000 --method gradient",
    "explain memory": f"explain {BOOT} --method gradient --memory 1k",
    "explain bad memory": f"explain {BOOT} --method gradient --memory much",
    "explain kernel": f"explain {TABLE} --row 0 --method kernel_shap,lime,feature_ablation,guided_backprop,shapley --json",
    "decompose": f"decompose {BOOT} --players grid:3x3 --top 4",
    "decompose json": f"decompose {BAG} --players grid:2x3 --json --top 10",
    "decompose taylor": f"decompose {TABLE} --row 0 --taylor 3 --top 5 --precision double",
    "decompose taylor json": f"decompose {BAG} --players grid:2x2 --taylor 2 --json --precision double",
    "decompose order": f"decompose {BAG} --players grid:4x4 --order 2 --top 5",
    "decompose index": f"decompose {TABLE} --row 1 --index stii --order 3 --top 6",
    "decompose index json": f"decompose {TABLE} --row 1 --index fsii --json --top 3",
    "decompose samples": f"decompose {BAG} --players grid:6x6 --index sii --samples 2000 --top 5",
    "decompose samples json": f"decompose {TABLE} --row 0 --index stii --samples 400 --json --out e.npz",
    "decompose folder": f"decompose {BOOT} --players grid:3x3 --out out",
    "decompose folder table": f"decompose {TABLE} --row 0 --out out --json",
    "decompose many": f"decompose {BAG}",
    "decompose rows": f"decompose {TABLE}",
    "decompose bad index": f"decompose {TABLE} --row 0 --index none",
    "decompose bad samples": f"decompose {TABLE} --row 0 --samples 100",
    "audit": "audit",
    "audit json": "audit --json --method shapley,occlusion",
    "audit question": f"audit {BAG} --method {FEW} --set integrated_gradients.steps=16 --players grid:2x2",
    "audit question json": f"audit {BAG} --method {FEW} --players grid:2x2 --set steps=16 --json",
    "audit table": f"audit {TABLE} --row 0 --method gradient_x_input,deep_taylor,occlusion --baseline mean",
    "audit default players": f"audit {BAG} --method occlusion,gradient_x_input",
    "audit gradient": f"audit {BAG} --method gradient --players grid:2x2",
    "audit file": f"audit {TABLE} --row 0 --attribution values.npy",
    "audit file json": f"audit {TABLE} --row 0 --attribution values.npy --json",
    "audit bad file": f"audit {TABLE} --row 0 --attribution models/labels_fashion.txt",
    "audit no data": "audit models/tabular_mlp.onnx",
    "compare": f"compare {BAG} shapley occlusion --players grid:2x3",
    "compare json": f"compare {BAG} shapley gradient_x_input --players grid:2x2 --json",
    "compare same": f"compare {TABLE} shapley shapley --row 0",
    "compare table": f"compare {TABLE} deeplift_rescale integrated_gradients --row 0 --set steps=16",
    "compile": "compile models/relu_vgg.onnx --method lrp_epsilon -o e.onnx",
    "compile json": "compile models/tabular_mlp.onnx --method integrated_gradients --set steps=8 --target 0 -o e.onnx --json",
    "compile players": "compile models/sigmoid_mlp.onnx --method occlusion --players grid:4x4 --baseline value:0.5 --target top -o e.onnx",
    "compile label": "compile models/relu_vgg.onnx --method deeplift_rescale --target Bag --labels models/labels_fashion.txt -o e.onnx --json",
    "compile bad players": "compile models/relu_vgg.onnx --method gradient --players grid:2x2 -o e.onnx",
    "compile bad baseline": "compile models/relu_vgg.onnx --method deeplift_rescale --baseline blur:2 -o e.onnx",
    "compile itself": "compile models/relu_vgg.onnx --method gradient -o models/relu_vgg.onnx --force",
    "evaluate": f"evaluate models/tabular_mlp.onnx models/tabular_sample.csv --method {FEW} --metric completeness,sparseness,deletion,infidelity_gaussian --samples 20",
    "evaluate json": f"evaluate models/tabular_mlp.onnx models/tabular_sample.csv --method shapley,occlusion --metric all --samples 5 --json",
    "evaluate folder": f"evaluate models/sigmoid_mlp.onnx models/images --method gradient_x_input,lrp_epsilon --metric infidelity,agreement_rank,complexity --samples 4 --out out",
    "evaluate csv": f"evaluate models/tabular_mlp.onnx models/tabular_sample.csv --method gradient,occlusion --metric completeness --samples 10 --shuffle --skip 3 --out s.csv",
    "evaluate file json": f"evaluate models/tabular_mlp.onnx models/tabular_sample.csv --method occlusion --metric insertion --samples 3 --out s.json --quiet",
    "evaluate no labels": f"evaluate models/tabular_mlp.onnx models/tabular_sample.csv --method occlusion --metric insertion --only-correct",
    "evaluate skip": f"evaluate models/tabular_mlp.onnx models/tabular_sample.csv --method occlusion --metric insertion --skip 100000",
    "evaluate bad metric": f"evaluate models/tabular_mlp.onnx models/tabular_sample.csv --method occlusion --metric none",
    "evaluate bad metric setting": f"evaluate models/tabular_mlp.onnx models/tabular_sample.csv --method occlusion --metric deletion --metric-set none=1",
    "verify": f"verify {TABLE} --row 0:2 --sigma 0.01 --order 2,4",
    "verify json": f"verify {BAG} --sigma 0.03 --order 2,3 --players grid:3x3 --json",
    "verify bundled": "verify --inputs 1 --order 2 --sigma 0.03 --json",
    "verify bundled text": "verify --inputs 1 --order 2,3 --sigma 0.03",
    "verify float": "verify --precision float",
    "verify no input": "verify models/sigmoid_mlp.onnx",
    "report": f"report {BOOT} --method gradient_x_input,occlusion,lrp_epsilon,shapley -o r.html",
    "report table": f"report {TABLE} --row 0 -o r.html",
    "report rows": f"report {TABLE} --row 0:2 --method occlusion,gradient -o r.html --json --title Two",
    "report all": f"report {BAG} -o r.html",
    "report bad": f"report {BAG} --method none -o r.html",
    "report pdf": f"report {BAG} -o r.pdf",
    "render missing": "render none.json -o r.html",
    "render no json": "render models/labels_fashion.txt -o r.html",
    "reproduce table": "reproduce table5 -o out",
    "reproduce table json": "reproduce table5 -o out --json",
    "reproduce table4": "reproduce table4 --samples 1 -o out",
    "reproduce figure3": "reproduce figure3 --samples 2 -o out",
    "reproduce figure5a": "reproduce figure5a --samples 2 -o out",
    "reproduce figure5b": "reproduce figure5b --samples 2 --players grid:3x3 -o out",
    "reproduce table3": "reproduce table3 -o out",
    "reproduce figure4": "reproduce figure4 -o out",
    "reproduce none": "reproduce table9 -o out",
    "methods": "methods",
    "methods json": "methods --json",
    "methods markdown": "methods --markdown",
    "method": "methods shapley",
    "method markdown": "methods lrp_epsilon --markdown",
    "method json": "methods lime --json",
    "method none": "methods none",
    "metrics": "metrics",
    "metrics json": "metrics --json",
    "metrics markdown": "metrics --markdown",
    "metric": "metrics infidelity",
    "metric markdown": "metrics deletion --markdown",
    "indices": "indices",
    "indices json": "indices --json",
    "operators": "operators",
    "operators json": "operators --json",
    "operators markdown": "operators --markdown",
    "no command": "exlain",
    "no option": f"explain {BOOT} --methods x",
    "nothing": "",
}

# What differs from run to run.
TIMES = [
    (re.compile(r"\bin \d+\.\d+ s\b"), "in T s"),
    (re.compile(r"(  )\d+ s(  )"), r"\1T s\2"),
    (re.compile(r"(?<=[,\d]  ) *\d+\.\d{3}(?=  \S+ [-+])"), "T"),   # the column of seconds
]
TIMED_KEYS = {"seconds", "threads"}


def scratch():
    folder = Path(tempfile.mkdtemp(prefix="same-outputs-"))
    shutil.copytree(MODELS, folder / "models", ignore=shutil.ignore_patterns("*.py"))
    # Eight numbers for `audit --attribution`.
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (8,), }"
    header += b" " * (117 - len(header)) + b"\n"
    import struct
    (folder / "values.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header +
                                        struct.pack("<8d", 10, 5, -3, -4, 1, 2, 0.5, -1))
    return folder


def run(program, arguments):
    folder = scratch()
    before = {p for p in folder.rglob("*")}
    done = subprocess.run([program, *arguments.split()], cwd=folder, capture_output=True, timeout=1800,
                          stdin=subprocess.DEVNULL)
    files = {str(p.relative_to(folder)): p for p in sorted(folder.rglob("*")) if p not in before and p.is_file()}
    return folder, done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"), files


def timeless(text):
    for pattern, to in TIMES:
        text = pattern.sub(to, text)
    return text


def as_json(text):
    try:
        return json.loads(text)
    except ValueError:
        return None


def json_differences(a, b, path=""):
    if isinstance(a, dict) and isinstance(b, dict):
        if list(a) != list(b):
            if sorted(a) != sorted(b):
                yield f"{path}: keys {sorted(set(a) ^ set(b))} are on one side only"
            else:
                yield f"{path}: keys in another order: {list(a)} / {list(b)}"
        for key in a:
            if key in b and key not in TIMED_KEYS:
                yield from json_differences(a[key], b[key], f"{path}.{key}")
    elif isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            yield f"{path}: {len(a)} items / {len(b)}"
        for i, (x, y) in enumerate(zip(a, b)):
            yield from json_differences(x, y, f"{path}[{i}]")
    elif isinstance(a, float) and isinstance(b, (float, int)) or isinstance(b, float) and isinstance(a, int):
        if not math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12):
            yield f"{path}: {a!r} / {b!r}"
    elif a != b:
        yield f"{path}: {str(a)[:200]!r} / {str(b)[:200]!r}"


def text_differences(a, b):
    x, y = as_json(a), as_json(b)
    if isinstance(x, (dict, list)) and isinstance(y, (dict, list)):
        return list(json_differences(x, y))
    lines = difflib.unified_diff(timeless(a).splitlines(), timeless(b).splitlines(), lineterm="", n=0)
    return [line[:400] for line in lines if not line.startswith(("---", "+++", "@@"))]


def arrays_differ(a, b):
    try:
        import numpy
    except ImportError:
        return not filecmp.cmp(a, b, shallow=False)
    x, y = numpy.load(a), numpy.load(b)
    if not hasattr(x, "files"):
        return not numpy.array_equal(x, y, equal_nan=True)
    return x.files != y.files or any(not numpy.array_equal(x[k], y[k], equal_nan=x[k].dtype.kind == "f") for k in x.files)


def file_differences(a, b):
    for name in sorted(set(a) | set(b)):
        if name not in a or name not in b:
            yield f"file {name} is written by one only"
        elif filecmp.cmp(a[name], b[name], shallow=False):
            continue
        elif name.endswith((".npy", ".npz")):
            if arrays_differ(a[name], b[name]):
                yield f"file {name}: other arrays"
        elif name.endswith((".json", ".md", ".csv", ".svg", ".html", ".txt")):
            texts = [p.read_text(errors="replace") for p in (a[name], b[name])]
            if name.endswith(".html"):  # times stand in it, and long lines
                texts = [re.sub(r"\b\d+(\.\d+)? (ms|s)\b", "T", t).replace("><", ">\n<") for t in texts]
                texts = [re.sub(r'data-v="[^"]*">T<', 'data-v="T">T<', t) for t in texts]
            yield from (f"file {name}: {d}" for d in text_differences(*texts))
        else:
            yield f"file {name}: other bytes"


def compare(name, before, after):
    a, b = run(before, CASES[name]), run(after, CASES[name])
    found = []
    if a[1] != b[1]:
        found.append(f"exit code {a[1]} / {b[1]}")
    found += text_differences(a[2], b[2])
    found += [f"stderr {d}" for d in text_differences(a[3], b[3])]
    found += file_differences(a[4], b[4])
    for folder in (a[0], b[0]):
        shutil.rmtree(folder)
    return found


def main():
    before, after = (str(Path(p).resolve()) for p in sys.argv[1:3])
    names = [n for n in CASES if not sys.argv[3:] or any(wanted in n for wanted in sys.argv[3:])]
    different = 0
    with ThreadPoolExecutor(2) as pool:
        for name, found in zip(names, pool.map(lambda n: compare(n, before, after), names)):
            if found:
                different += 1
                print(f"== {name}: ascribe {CASES[name]}")
                for line in found[:40]:
                    print(f"   {line}")
                if len(found) > 40:
                    print(f"   and {len(found) - 40} more")
            sys.stdout.flush()
    print(f"{len(names)} commands, {different} different")
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
