"""Memory after many calls, and of large arrays."""

import gc
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import ascribe

ROW = np.linspace(-1, 1, 8)
_MIB = 2**20


def resident():
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


def growth(work, calls, warm_up=100):
    for _ in range(warm_up):
        work()
    before = resident()
    for _ in range(calls):
        work()
    return resident() - before


def test_a_thousand_explanations_need_no_more_than_one(table):
    assert growth(lambda: table.explain(ROW, "integrated_gradients"), 1000) < 3 * _MIB


def test_functions_and_what_they_raise_need_no_more(table):
    def work():
        table.explain(ROW, lambda model, x, target, baseline: x * model(x[None])[0])
        for wrong in (lambda *_: 1 // 0, lambda *_: np.zeros(3)):
            with pytest.raises((ZeroDivisionError, ascribe.ShapeError)):
                table.explain(ROW, ["gradient_x_input", wrong])

    assert growth(work, 400) < 3 * _MIB


def test_errors_need_no_more(table):
    def work():
        with pytest.raises(ascribe.ShapeError):
            table.explain(np.zeros(5))
        with pytest.raises(ascribe.ArgumentError):
            table.explain(ROW, steps=-1)

    assert growth(work, 500) < 3 * _MIB


def test_stopped_calls_need_no_more(table):
    class Enough(Exception):
        pass

    def told(task, done, total):
        raise Enough

    def work():
        with pytest.raises(Enough):
            table.explain(ROW, ["gradient_x_input", "shapley"], progress=told)

    assert growth(work, 500) < 3 * _MIB


def test_models_that_come_and_go_need_no_more(models):
    # In a process of its own, which collects cycles at once: how many wait for the collector, and what malloc keeps of
    # them, says nothing.
    code = """
import gc, pathlib, sys
sys.path.insert(0, sys.argv[2])
import numpy as np
import ascribe
from test_manners_memory import growth

content = pathlib.Path(sys.argv[1]).read_bytes()
row = np.zeros((1, 28, 28), np.float32)

class Holder:
    def __init__(self):
        self.large = np.zeros(100_000)
        self.model = ascribe.function(self.predict, 3, 1)

    def predict(self, rows):
        return rows.sum(1)

def work():
    ascribe.load(content).explain(row, "gradient_x_input")
    Holder().model.predict(np.ones(3))
    gc.collect()

print(growth(work, 150, warm_up=40))
"""
    # 150 models of 0.4 MB, and as many functions that hold 0.8 MB and themselves.
    assert float(printed_by(code, models / "sigmoid_mlp.onnx", pathlib.Path(__file__).parent)) < 8 * _MIB


def printed_by(code, *arguments):
    done = subprocess.run([sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_large_array_is_not_copied_before_the_engine_has_it(models):
    code = """
import resource, sys
import numpy as np
import ascribe
m = ascribe.load(sys.argv[1], memory="64M")
m.predict(np.zeros((4, 1, 28, 28), np.float32))
rows = np.full((60000, 1, 28, 28), 0.5, np.float32)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
m.predict(rows)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / rows.nbytes)
"""
    assert float(printed_by(code, models / "sigmoid_mlp.onnx")) < 0.8
