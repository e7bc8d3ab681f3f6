"""In one process with torch, which brings an OpenMP runtime and linear algebra of its own."""

import importlib.util
import json
import subprocess
import sys

import pytest

IMPORTS = {"ascribe": "import ascribe", "torch": "import torch"}
WORK = """
import json, sys
import numpy as np

def ours():
    explained = []
    for precision in ("float32", "float64"):
        model = ascribe.load(sys.argv[1] + "/relu_vgg.onnx", precision=precision)
        explanation = model.explain(sys.argv[1] + "/images/ankle_boot.png", method="shapley", players="grid:3x3")
        explained.append(explanation.player_values.tolist())
    return explained

def theirs():
    torch.manual_seed(0)
    image, matrix = torch.rand(4, 8, 32, 32), torch.rand(300, 300)
    # Large enough to be cut into parts for several threads.
    convolved = torch.nn.functional.conv2d(image, torch.rand(16, 8, 3, 3))
    return [convolved.double().sum().item(), (matrix @ matrix).double().sum().item()]

numbers = {}
for name in sys.argv[2].split(","):
    numbers[name] = {"ascribe": ours, "torch": theirs}[name]()
    numbers[name + " again"] = {"ascribe": ours, "torch": theirs}[name]()
print(json.dumps(numbers))
"""


def run(models, *order):
    program = "\n".join([IMPORTS[name] for name in order] + [WORK])
    done = subprocess.run([sys.executable, "-c", program, str(models), ",".join(order)], capture_output=True, text=True,
                          timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
def test_both_orders_of_import_give_the_same_numbers(models):
    alone = run(models, "ascribe")
    first, last = run(models, "ascribe", "torch"), run(models, "torch", "ascribe")
    assert first == last
    for numbers in (alone, first):
        assert numbers["ascribe"] == numbers["ascribe again"] == alone["ascribe"]
    assert first["torch"] == first["torch again"]
