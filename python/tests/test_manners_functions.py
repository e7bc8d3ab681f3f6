"""Functions of the caller's inside the engine: what they raise, what they keep, and what they ask."""

import gc
import threading
import weakref

import numpy as np
import pytest

import ascribe

ROW = np.linspace(-1, 1, 8)


class Mine(Exception):
    """Nobody else's."""


def raising(*_, **__):
    raise Mine("no")


def attribution(model, x, target, baseline):
    return x - baseline[0]


VERBS = {
    "explain": lambda m, f: m.explain(ROW, f),
    "explain of several": lambda m, f: m.explain(ROW, ["shapley", f]),
    "audit": lambda m, f: m.audit(ROW, f),
    "compare": lambda m, f: m.compare(ROW, "shapley", f),
}


@pytest.mark.parametrize("verb", VERBS.values(), ids=VERBS.keys())
def test_what_a_method_raises_arrives(table, verb):
    with pytest.raises(Mine, match="no") as error:
        verb(table, raising)
    assert error.traceback[-1].name == "raising"
    verb(table, attribution)  # and nothing is broken


@pytest.mark.parametrize("verb", [lambda f: f.predict(ROW), lambda f: f.explain(ROW, "shapley"),
                                  lambda f: f.explain(ROW, ["occlusion", "shapley"]), lambda f: f.decompose(ROW),
                                  lambda f: f.explain(ROW, attribution), lambda f: f.audit(ROW, "shapley")])
def test_what_a_black_box_raises_arrives(verb):
    with pytest.raises(Mine):
        verb(ascribe.function(raising, 8, 1))


def test_what_a_black_box_raises_later_arrives():
    calls = []

    def box(rows):
        calls.append(len(rows))
        if len(calls) > 2:
            raise Mine("the third time")
        return rows.sum(1)

    with pytest.raises(Mine, match="the third time"):
        ascribe.function(box, 8, 1).explain(ROW, ["occlusion", "shapley", "lime"])


def test_what_progress_raises_stops_the_work_and_arrives(table):
    def told(task, done, total):
        raise Mine(task)

    with pytest.raises(Mine):
        table.explain(ROW, "shapley", progress=told)
    assert table.explain(ROW, "shapley").exact


def test_what_was_finished_goes_with_any_exception(table):
    with pytest.raises(Mine) as error:
        table.explain(ROW, ["gradient_x_input", raising])
    assert list(error.value.partial) == ["gradient_x_input"]
    assert np.array_equal(error.value.partial[0].values, table.explain(ROW, "gradient_x_input").values)


def test_what_a_handler_of_notes_raises_arrives(vgg, boot):
    import logging

    class Handler(logging.Handler):
        def emit(self, record):
            raise Mine(record.getMessage())

    log, handler = logging.getLogger("ascribe"), Handler(logging.INFO)
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        with pytest.raises(Mine):
            vgg.explain(boot, "gradient_x_input")
    finally:
        log.removeHandler(handler)
        log.setLevel(logging.NOTSET)
    vgg.explain(boot, "gradient_x_input")


def test_a_method_can_catch_what_the_model_raises():
    def box(rows):
        if np.any(rows > 5):
            raise Mine("too large")
        return rows.sum(1)

    def careful(model, x, target, baseline):
        with pytest.raises(Mine):
            model(x[None] + 10)
        return x * model(x[None])[0]

    f = ascribe.function(box, 3)
    assert f.explain(np.ones(3), careful).values.tolist() == [3, 3, 3]


def test_exceptions_that_take_no_attributes_arrive(table):
    with pytest.raises(SystemExit):
        table.explain(ROW, ["gradient_x_input", lambda *_: exit(3)])


def test_errors_of_ascribe_in_functions_keep_their_kind(table):
    def refuses(*_):
        raise ascribe.UnsupportedError("not this one")

    with pytest.raises(ascribe.UnsupportedError, match="not this one"):
        table.explain(ROW, refuses)
    with pytest.raises(ascribe.ShapeError):
        table.explain(ROW, lambda model, x, target, baseline: model(np.zeros((2, 5))))
    with pytest.raises(ascribe.ShapeError):
        table.explain(ROW, lambda model, x, target, baseline: np.zeros(5))
    with pytest.raises(ascribe.NumericError):
        table.explain(ROW, lambda model, x, target, baseline: np.full(8, np.nan))
    with pytest.raises(ascribe.ArgumentError, match="nothing"):
        table.explain(ROW, lambda model, x, target, baseline: None)


def test_a_method_may_ask_the_same_model_and_another(table, models):
    other = ascribe.load(models / "tabular_mlp.onnx")

    def asks(model, x, target, baseline):
        same = table.explain(x, "shapley").values
        assert np.array_equal(same, other.explain(x, "shapley").values)
        assert table.predict(x).values.shape == other.predict(x).values.shape
        table.explain(x, lambda model, x, target, baseline: model(x[None]).repeat(8))  # a method in a method
        return same

    assert np.array_equal(table.explain(ROW, asks).values, table.explain(ROW, "shapley").values)


def test_a_method_may_use_threads_of_its_own_on_what_it_is_given(table):
    from concurrent.futures import ThreadPoolExecutor

    def occlusion(model, x, target, baseline):
        def without(i):
            masked = x.copy()
            masked[i] = baseline[0][i]
            return model(masked[None])[0]

        with ThreadPoolExecutor(4) as pool:
            return model(x[None])[0] - np.array(list(pool.map(without, range(len(x)))))

    ours = table.explain(ROW, "occlusion").values
    assert np.allclose(table.explain(ROW, occlusion).values, ours, atol=1e-6)


@pytest.mark.parametrize("ends", ["answers", "raises"])
def test_what_a_method_keeps_is_of_no_use_afterwards(table, ends):
    kept = []

    def keeps(model, x, target, baseline):
        kept.append((model, x))
        if ends == "raises":
            raise Mine
        return x

    try:
        table.explain(ROW, keeps)
    except Mine:
        pass
    (model, x), = kept
    with pytest.raises(ValueError, match="answered already"):
        model(x[None])
    assert x.tolist() == np.float32(ROW).tolist()  # an array of its own


def test_a_black_box_may_keep_and_change_what_it_gets():
    seen = []

    def box(rows):
        seen.append(rows)
        total = rows.sum(1)
        rows[:] = np.nan
        return total

    f = ascribe.function(box, 3)
    assert f.explain(np.ones(3), "shapley").values.tolist() == pytest.approx([1, 1, 1])
    assert all(np.isnan(one).all() for one in seen)


def test_a_model_of_a_method_of_what_holds_it_is_collected():
    class Holder:
        def __init__(self):
            self.model = ascribe.function(self.predict, 3, 1)

        def predict(self, rows):
            return rows.sum(1)

    holder = Holder()
    assert holder.model.explain(np.ones(3), "shapley").residual == pytest.approx(0)
    gone = weakref.ref(holder)
    del holder
    gc.collect()
    assert gone() is None


def test_an_explanation_by_a_method_of_what_holds_it_is_collected(table):
    class Holder:
        def __init__(self):
            self.explanation = table.explain(ROW, self.method)
            self.several = table.explain(ROW, ["shapley", self.method])

        def method(self, model, x, target, baseline):
            return x

    gone = weakref.ref(Holder())
    gc.collect()
    assert gone() is None


def test_arrays_and_functions_are_let_go(table):
    class Function:
        def __call__(self, model, x, target, baseline):
            return x

    function, rows = Function(), np.random.default_rng(0).random((5, 8))
    gone = weakref.ref(function), weakref.ref(rows)
    explanation = table.explain(rows, ("mine", function))
    with pytest.raises(Mine):
        table.explain(rows, [("mine", function), raising])
    del function, rows
    gc.collect()
    assert [one() for one in gone] == [None, None]
    assert explanation.data.shape == (5, 8)


def test_results_do_not_look_at_arrays_that_change(table):
    rows = np.random.default_rng(0).random((5, 8)).astype(np.float32)
    before = rows.copy()
    explanation = table.explain(rows, "shapley")
    rows[:] = 7
    gc.collect()
    assert np.array_equal(explanation.data, before)
    assert np.array_equal(table.explain(before, "shapley").values, explanation.values)


def test_explanations_are_taken_over_when_somebody_looks(table):
    import copy
    import dataclasses
    import pickle
    from concurrent.futures import ThreadPoolExecutor

    seen = table.explain(ROW, "shapley")
    values = seen.values
    untouched = [table.explain(ROW, "shapley") for _ in range(6)]
    assert not hasattr(untouched[0], "no_such_field")
    with pytest.raises(AttributeError, match="no_such_field"):
        _ = untouched[0].no_such_field
    assert np.array_equal(copy.copy(untouched[0]).values, values)
    assert np.array_equal(copy.deepcopy(untouched[1]).values, values)
    known_at_once = {"recorded", "single"}
    for one in dataclasses.fields(untouched[2]):  # a default of the class would hide what the engine says
        assert one.name in known_at_once or not hasattr(ascribe.Explanation, one.name), one.name
    assert untouched[2].parameters == seen.parameters and untouched[2].parameters
    assert np.array_equal(dataclasses.replace(untouched[3], method="other").values, values)
    assert untouched[4].single and len(untouched[4]) == 1
    with pytest.raises((TypeError, AttributeError, pickle.PicklingError)):
        pickle.dumps(untouched[4])
    many = [table.explain(ROW, "shapley") for _ in range(50)]
    with ThreadPoolExecutor(8) as pool:
        for one in many:
            assert all(np.array_equal(values, other) for other in pool.map(lambda _: one.values, range(8)))


def test_progress_is_told_on_the_thread_that_asked(table):
    told = []
    table.explain(ROW, ["shapley", "lime"], progress=lambda *what: told.append((threading.get_ident(), *what)))
    assert {one[0] for one in told} == {threading.get_ident()}
    assert all(isinstance(task, str) and 0 <= done <= total for _, task, done, total in told)
