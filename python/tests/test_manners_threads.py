"""Several threads: numbers stay what they are alone, and nobody waits for the interpreter's lock."""

import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import ascribe

ROW = np.linspace(-1, 1, 8)
ASK = {"method": "shapley", "exact": 4, "samples": 8}


def _ticks_during(work):
    """How often another thread got to run Python while the work was done, each time after a nap."""
    over, ticks = threading.Event(), []

    def tick():
        while not over.wait(0.001):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=tick)
    thread.start()
    began = time.monotonic()
    try:
        work()
    finally:
        ended = time.monotonic()
        over.set()
        thread.join()
    return sum(began < one < ended for one in ticks), ended - began


def test_other_threads_run_while_the_engine_works(vgg, boot):
    def work():
        vgg.explain(boot, "shapley", samples=8)

    ticks, seconds = _ticks_during(work)
    # With the lock held none would run; 5 a second are few even on a machine that is busy.
    assert seconds > 0.05
    assert ticks > 5 * seconds


def test_other_threads_run_while_a_document_is_made(vgg, boot):
    made = _engine_explanation(vgg, boot)
    ticks, seconds = _ticks_during(lambda: [made.json() for _ in range(2000)])
    assert ticks > 5 * seconds


def _engine_explanation(model, x):
    from ascribe._asking import Calling, question
    from ascribe._function import engine_methods

    asked, _ = question(model, x, {})
    with Calling({}) as call:
        return model._handle.explain(asked, engine_methods(model, ["gradient_x_input", "lrp_epsilon"]), call)


def test_one_model_in_two_threads_says_what_it_says_alone(vgg, boot):
    alone = {seed: vgg.explain(boot, "shapley", players="grid:5x5", samples=4, seed=seed).values for seed in range(4)}
    with ThreadPoolExecutor(2) as pool:
        together = pool.map(lambda seed: (seed, vgg.explain(boot, "shapley", players="grid:5x5", samples=4,
                                                            seed=seed).values), [0, 1, 2, 3] * 3)
        for seed, values in together:
            assert np.array_equal(values, alone[seed])


def test_two_models_in_two_threads_say_what_they_say_alone(models, boot):
    names = ["relu_vgg", "sigmoid_mlp"]
    both = {name: ascribe.load(models / f"{name}.onnx") for name in names}
    ask = {"method": "shapley", "players": "grid:5x5", "samples": 8}
    alone = {name: model.explain(boot, **ask).values for name, model in both.items()}
    with ThreadPoolExecutor(2) as pool:
        for name, values in pool.map(lambda name: (name, both[name].explain(boot, **ask).values), names * 5):
            assert np.array_equal(values, alone[name])


def test_eight_threads_of_fifty_explanations_each(table):
    rows = np.random.default_rng(3).standard_normal((8, 8))
    alone = [table.explain(row, **ASK).values for row in rows]

    def many(which):
        return all(np.array_equal(table.explain(rows[which], **ASK, threads=1).values, alone[which]) for _ in range(50))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(many, range(8)))


def test_any_number_of_threads_gives_the_same_bits(vgg, boot):
    for method in ["shapley", "integrated_gradients", "lrp_epsilon"]:
        one, two, five = (vgg.explain(boot, method, players="grid:5x5", threads=threads, seed=3).values
                          for threads in (1, 2, 5))
        assert np.array_equal(one, two) and np.array_equal(two, five)


def test_threads_are_of_the_call(vgg, boot):
    code = """
import os, sys, ascribe
m = ascribe.load(sys.argv[1], threads=1)
m.explain(sys.argv[2], "integrated_gradients")
print(len(os.listdir("/proc/self/task")))
m.explain(sys.argv[2], "integrated_gradients", threads=3)
print(len(os.listdir("/proc/self/task")))
"""
    import pathlib

    model = pathlib.Path(boot).parents[1] / "relu_vgg.onnx"
    done = subprocess.run([sys.executable, "-c", code, str(model), str(boot)], capture_output=True, text=True, timeout=120)
    one, three = map(int, done.stdout.split())
    assert three == one + 2


def test_loading_and_predicting_in_many_threads(models):
    content = (models / "tabular_mlp.onnx").read_bytes()
    alone = ascribe.load(content).predict(ROW).values

    def load(_):
        return np.array_equal(ascribe.load(content).predict(ROW).values, alone)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(load, range(64)))


def test_black_boxes_in_many_threads():
    f = ascribe.function(lambda rows: np.tanh(rows).sum(1), 5)
    alone = f.explain(np.arange(5.0), "shapley").values
    with ThreadPoolExecutor(8) as pool:
        assert all(np.array_equal(one.values, alone)
                   for one in pool.map(lambda _: f.explain(np.arange(5.0), "shapley"), range(40)))


def test_an_error_in_one_thread_is_not_that_of_another(table):
    def work(wrong):
        if not wrong:
            return table.explain(ROW, **ASK).values.tolist()
        with pytest.raises(ascribe.ShapeError):
            table.explain(np.zeros(5), **ASK)
        with pytest.raises(ZeroDivisionError):
            table.explain(ROW, lambda *_: 1 // 0)
        return None

    alone = table.explain(ROW, **ASK).values.tolist()
    with ThreadPoolExecutor(4) as pool:
        assert [one for one in pool.map(work, [False, True] * 20) if one is not None] == [alone] * 20


@pytest.mark.parametrize("work", ["m.explain(x, 'shapley', samples=1000000)", "m.explain(x, lambda m, x, t, b: endless(m, x))"])
def test_a_program_ends_while_a_daemon_thread_works(models, boot, work):
    code = f"""
import sys, threading, time, ascribe
m = ascribe.load(sys.argv[1]); x = sys.argv[2]
def endless(m, x):
    while True:
        m(x[None])
threading.Thread(target=lambda: {work}, daemon=True).start()
time.sleep(1)
print("done")
"""
    done = subprocess.run([sys.executable, "-c", code, str(models / "relu_vgg.onnx"), str(boot)], capture_output=True,
                          text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_the_engine_still_works_while_the_program_ends(models):
    code = """
import atexit, sys
def late(): print(m.predict([[0.0] * 8]).values.shape[0])
atexit.register(late)
import ascribe
m = ascribe.load(sys.argv[1])
"""
    done = subprocess.run([sys.executable, "-c", code, str(models / "tabular_mlp.onnx")], capture_output=True, text=True,
                          timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "1\n", "")
