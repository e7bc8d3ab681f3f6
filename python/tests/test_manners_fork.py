"""Processes that were made by fork or spawn, after the engine has used threads."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import traceback

import numpy as np
import pytest

import ascribe

ROW = np.linspace(-1, 1, 8)
_shared = {}  # what children inherit


def in_child(work, seconds=60):
    """What the work returns in a process made by fork: True or an error."""
    child = os.fork()
    if child == 0:
        code = 1
        signal.alarm(seconds)  # a child that waits for ever is ended
        try:
            code = 0 if work() else 2
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.fixture(scope="module")
def used(models, boot):
    """A model that has run on several threads, and what it said."""
    model = ascribe.load(models / "relu_vgg.onnx")
    values = model.explain(boot, "shapley", players="grid:4x4", exact=4, samples=8, threads=2).values
    return model, values


def same(used, boot, threads=2):
    model, values = used
    return np.array_equal(model.explain(boot, "shapley", players="grid:4x4", exact=4, samples=8, threads=threads).values,
                          values)


def test_a_child_explains_and_predicts(used, boot):
    def work():
        return same(used, boot) and same(used, boot) and len(used[0].predict(boot).top()) == 5

    assert in_child(work) == 0
    assert same(used, boot)  # and so does its parent


def test_a_child_loads_a_model_of_its_own(models, boot):
    alone = ascribe.load(models / "sigmoid_mlp.onnx").explain(boot, "integrated_gradients").values

    def work():
        return np.array_equal(ascribe.load(models / "sigmoid_mlp.onnx").explain(boot, "integrated_gradients").values,
                              alone)

    assert in_child(work) == 0


def test_a_child_of_a_child(used, boot):
    assert in_child(lambda: same(used, boot) and in_child(lambda: same(used, boot)) == 0 and same(used, boot)) == 0


def test_a_child_calls_functions_that_ask_the_model_again(used, boot):
    model, _ = used
    thread = threading.get_ident()

    def mine(explained, x, target, baseline):
        assert threading.get_ident() == thread  # Python stays on the thread that asked
        inner = model.explain(x, lambda m, x, t, b: x * m(x[None])[0]).values
        return inner + model.predict(x).values.max() + explained(x[None])[0]

    alone = model.explain(boot, mine).values

    def work():
        box = ascribe.function(lambda rows: model.predict(rows).values, (1, 28, 28), 10)
        assert np.array_equal(box.predict(np.ones((2, 1, 28, 28), np.float32)).values.astype(np.float32),
                              model.predict(np.ones((2, 1, 28, 28), np.float32)).values)
        return np.array_equal(model.explain(boot, mine).values, alone)

    assert in_child(work) == 0


def test_what_functions_raise_arrives_in_a_child(used, boot):
    def work():
        with pytest.raises(ZeroDivisionError):
            used[0].explain(boot, lambda *_: 1 // 0)
        with pytest.raises(ascribe.ArgumentError, match="did you mean"):
            used[0].explain(boot, "shaply")
        with pytest.raises(ascribe.ShapeError):
            used[0].predict(np.zeros(5))
        return same(used, boot)

    assert in_child(work) == 0


def test_threads_in_a_child(used, boot):
    from concurrent.futures import ThreadPoolExecutor

    def work():
        with ThreadPoolExecutor(3) as pool:
            return all(pool.map(lambda _: same(used, boot), range(6)))

    assert in_child(work) == 0


def test_a_model_that_was_at_work_during_the_fork_is_refused_in_the_child(models):
    asked, answered = threading.Event(), threading.Event()

    def box(rows):
        asked.set()
        answered.wait(60)
        return rows.sum(1)

    f = ascribe.function(box, 3, 1)
    thread = threading.Thread(target=f.predict, args=(np.ones(3),))
    thread.start()
    assert asked.wait(60)

    def work():
        with pytest.raises(ascribe.UnsupportedError, match="fork"):
            f.predict(np.ones(3))
        return ascribe.function(lambda rows: rows.sum(1), 3).predict(np.ones(3)).values.tolist() == [3]

    try:
        assert in_child(work) == 0
    finally:
        answered.set()
        thread.join()


def test_a_fork_in_a_function_of_the_callers(models):
    codes = []

    def box(rows):
        if not codes:
            def work():
                with pytest.raises(ascribe.UnsupportedError, match="fork"):
                    f.predict(np.ones(3))
                return True

            codes.append(in_child(work))
        return rows.sum(1)

    f = ascribe.function(box, 3, 1)
    assert f.explain(np.ones(3), "shapley").values.tolist() == pytest.approx([1, 1, 1])
    assert codes == [0]


def _explain_shared(seed):
    return _shared["model"].explain(ROW, "shapley", exact=4, samples=8, seed=seed).values.tolist()


def _explain_loaded(arguments):
    path, seed = arguments
    return ascribe.load(path).explain(ROW, "shapley", exact=4, samples=8, seed=seed).values.tolist()


def test_a_pool_of_forked_processes_uses_the_model_of_its_parent(table):
    _shared["model"] = table
    alone = [_explain_shared(seed) for seed in range(8)]
    with multiprocessing.get_context("fork").Pool(3) as pool:
        assert pool.map_async(_explain_shared, range(8)).get(90) == alone


def test_a_pool_of_spawned_processes_loads_it(models):
    path = str(models / "tabular_mlp.onnx")
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        given = pool.map_async(_explain_loaded, [(path, seed) for seed in range(4)]).get(120)
    assert given == [_explain_loaded((path, seed)) for seed in range(4)]


def test_a_child_ends_without_waiting(models):
    code = """
import os, sys, time, ascribe
m = ascribe.load(sys.argv[1])
m.predict([[0.0] * 8])
if os.fork() == 0:
    m.explain([[0.5] * 8], "shapley")
    sys.exit(7)
print(os.waitstatus_to_exitcode(os.wait()[1]))
"""
    done = subprocess.run([sys.executable, "-c", code, str(models / "tabular_mlp.onnx")], capture_output=True, text=True,
                          timeout=60)
    assert (done.stdout, done.stderr) == ("7\n", "")
