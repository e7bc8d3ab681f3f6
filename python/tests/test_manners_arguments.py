"""Arguments: what there is is shown and listed, what there is not is refused by name."""

import inspect
import json
import logging
import subprocess
import sys

import numpy as np
import pytest

import ascribe
from ascribe import _engine
from ascribe._asking import Asked, Working
from ascribe._settings import MethodSettings

_KINDS = {"integer": "int", "number": "float", "text": "str"}


def _verbs():
    """The functions of Model that ask something."""
    return [one for name, one in vars(ascribe.Model).items() if not name.startswith("_") and inspect.isfunction(one)
            and "seed" in inspect.signature(one).parameters]


def test_settings_of_methods_are_those_of_the_registry():
    there_are = {}
    for method in json.loads(_engine.methods_json()):
        for one in method["parameters"]:
            kind = "bool" if one["range"] == "true, false" else _KINDS[one["kind"]]
            there_are.setdefault(one["name"], set()).add(kind)
    ours = {name: set(annotation.__forward_arg__.split(" | ")) for name, annotation in
            MethodSettings.__annotations__.items() if name != "settings"}
    # A question has an input already; that of deep_taylor is said as settings={"deep_taylor.input": "z_box"}.
    assert ours == {name: kinds for name, kinds in there_are.items() if name not in Asked.__annotations__}


def test_the_documentation_has_every_shared_argument():
    for part in (Asked, Working, MethodSettings):
        for name in part.__annotations__:
            assert name in (inspect.getdoc(ascribe.Model.explain) or ""), name
        assert not set(part.__annotations__) - set(inspect.signature(ascribe.Model.explain).parameters)


def test_verbs_show_their_arguments():
    assert {one.__name__ for one in _verbs()} >= {"predict", "explain", "decompose", "audit", "compare", "evaluate",
                                                 "verify", "compile", "report"}
    for one in _verbs():
        parameters = inspect.signature(one).parameters
        assert {"target", "baseline", "players", "threads", "progress"} <= set(parameters)
        assert not any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())
        assert "threads:" in one.__doc__
    assert "steps" not in inspect.signature(ascribe.Model.decompose).parameters
    assert {"precision", "memory", "threads", "labels"} <= set(inspect.signature(ascribe.load).parameters)


@pytest.mark.parametrize("verb", ["predict", "explain", "decompose", "audit"])
def test_a_misspelt_argument_names_the_close_one_and_what_there_is(vgg, boot, verb):
    with pytest.raises(ascribe.ArgumentError, match="did you mean 'baseline'.*players.*seed") as error:
        getattr(vgg, verb)(boot, baselin="zero")
    assert verb in str(error.value)
    assert isinstance(error.value, ValueError)


def test_a_misspelt_argument_of_compare_and_load_and_function(vgg, boot, models):
    with pytest.raises(ascribe.ArgumentError, match="did you mean 'players'"):
        vgg.compare(boot, "shapley", "occlusion", player="grid:2x2")
    with pytest.raises(ascribe.ArgumentError, match="did you mean 'labels'.*precision"):
        ascribe.load(models / "relu_vgg.onnx", lables="x")
    with pytest.raises(ascribe.ArgumentError, match="did you mean 'outputs'"):
        ascribe.function(lambda rows: rows, 3, outputts=1)


def test_an_argument_without_a_close_one_lists_what_there_is(vgg, boot):
    with pytest.raises(ascribe.ArgumentError, match="no argument 'qqqqq'; there are data, method"):
        vgg.explain(boot, qqqqq=1)


def test_settings_of_methods_are_keyword_arguments_that_the_engine_checks(vgg, boot):
    few = vgg.explain(boot, "integrated_gradients", steps=2)
    assert few.evaluations < vgg.explain(boot, "integrated_gradients", steps=64).evaluations
    assert few.values.tolist() == vgg.explain(boot, "integrated_gradients", settings={"steps": 2}).values.tolist()
    with pytest.raises(ascribe.ArgumentError, match="exact.*samples.*tolerance"):
        vgg.explain(boot, "shapley", steps=64)
    with pytest.raises(ascribe.ArgumentError, match="expected an integer from 0 to 4096"):
        vgg.explain(boot, "integrated_gradients", steps=4097)
    with pytest.raises(ascribe.ArgumentError, match="expected an integer"):
        vgg.explain(boot, "integrated_gradients", steps="many")


def test_a_setting_of_one_method_of_several(vgg, boot):
    both = vgg.explain(boot, ["smooth_grad", "smooth_grad_squared"], **{"smooth_grad.samples": 3})
    assert both["smooth_grad"].evaluations < both["smooth_grad_squared"].evaluations
    mapped = vgg.explain(boot, ["smooth_grad", "smooth_grad_squared"], settings={"smooth_grad.samples": 3})
    assert np.array_equal(both["smooth_grad"].values, mapped["smooth_grad"].values)


def test_a_setting_with_a_dot_is_refused_where_there_are_no_methods(vgg, boot):
    with pytest.raises(ascribe.ArgumentError, match="shapley.samples"):
        vgg.predict(boot, **{"shapley.samples": 3})


def test_none_is_as_if_it_were_not_given(vgg, boot):
    plain = vgg.explain(boot, "gradient_x_input")
    said = vgg.explain(boot, "gradient_x_input", target=None, baseline=None, players=None, labels=None, seed=None,
                       threads=None, progress=None, settings=None, output=None, probability=None)
    assert np.array_equal(plain.values, said.values)
    assert vgg.explain(boot, "integrated_gradients", steps=None).exact == vgg.explain(boot).exact


@pytest.mark.parametrize("wrong", [{"threads": 0}, {"threads": -2}, {"threads": 1.5}, {"threads": "2"}, {"threads": True},
                                   {"threads": 10**6}, {"seed": -1}, {"seed": 2**64}, {"seed": 1.0}, {"seed": "x"},
                                   {"seed": True}, {"progress": 3}, {"output": 3}, {"at": 3}])
def test_wrong_values_are_refused_by_name(vgg, boot, wrong):
    (name, _), = wrong.items()
    with pytest.raises(ascribe.ArgumentError, match=name):
        vgg.explain(boot, "gradient_x_input", **wrong)


@pytest.mark.parametrize("wrong", [{"order": "x"}, {"index": 3}, {"samples": 1.5}, {"top": "x"}, {"taylor": [1]}])
def test_wrong_values_of_decompose_are_refused_by_name(vgg, boot, wrong):
    (name, _), = wrong.items()
    with pytest.raises(ascribe.ArgumentError, match=name):
        vgg.decompose(boot, players="grid:2x2", **wrong)


def test_numpy_integers_are_integers(vgg, boot):
    once = vgg.explain(boot, "shapley", players="grid:5x5", seed=np.int64(3), threads=np.int32(1), samples=np.int64(4))
    assert np.array_equal(once.values, vgg.explain(boot, "shapley", players="grid:5x5", seed=3, samples=4).values)
    assert vgg.decompose(boot, players="grid:2x2", order=np.int64(2)).evaluations > 0


@pytest.mark.parametrize("wrong", [{"precision": "float16"}, {"precision": "double"}, {"precision": 64}, {"memory": 0},
                                   {"memory": "much"}, {"memory": -5}, {"memory": "1.5G"}, {"shape": 3}, {"threads": 0},
                                   {"seed": -1}])
def test_wrong_values_are_refused_when_a_model_is_loaded(models, wrong):
    (name, _), = wrong.items()
    with pytest.raises(ascribe.ArgumentError, match=name):
        ascribe.load(models / "sigmoid_mlp.onnx", **wrong)


def test_precision_and_memory_hold_for_the_model(models, boot):
    double = ascribe.load(models / "sigmoid_mlp.onnx", precision="float64")
    single = ascribe.load(models / "sigmoid_mlp.onnx", precision="float32")
    assert double.predict(boot).values.dtype == np.float64
    assert single.predict(boot).values.dtype == np.float32
    with pytest.raises(ascribe.Error, match="memory"):
        ascribe.load(models / "relu_vgg.onnx", memory="10k").predict(boot)


def test_threads_and_seed_of_load_hold_until_something_else_is_said(models, boot):
    seeded = ascribe.load(models / "sigmoid_mlp.onnx", seed=5, threads=1)
    usual = ascribe.load(models / "sigmoid_mlp.onnx")
    ask = {"method": "shapley", "players": "grid:5x5", "samples": 4}
    assert np.array_equal(seeded.explain(boot, **ask).values, usual.explain(boot, **ask, seed=5).values)
    assert np.array_equal(seeded.explain(boot, **ask, seed=0).values, usual.explain(boot, **ask).values)
    assert not np.array_equal(seeded.explain(boot, **ask).values, usual.explain(boot, **ask).values)
    assert seeded.explain(boot, **ask).record["seed"] == 5


def test_notes_are_logged_and_kept(vgg, boot, caplog):
    with caplog.at_level(logging.INFO, "ascribe"):
        explanation = vgg.explain(boot, "gradient_x_input")
    assert explanation.notes
    assert set(explanation.notes) & {record.getMessage() for record in caplog.records}
    assert {record.levelno for record in caplog.records} == {logging.INFO}


def test_nothing_is_printed(models, boot):
    code = f"""
import ascribe, numpy as np
m = ascribe.load({str(models / 'relu_vgg.onnx')!r}, labels={str(models / 'labels_fashion.txt')!r})
x = {str(boot)!r}
m.predict(x); m.explain(x, method=["shapley", "lrp_epsilon"], players="grid:3x3"); m.info; repr(m)
m.decompose(x, players="grid:3x3")
t = ascribe.load({str(models / 'tabular_mlp.onnx')!r})
row = np.linspace(-1, 1, 8)
t.explain(row, method="all"); t.compare(row, "shapley", "occlusion")
t.audit(row, method=["shapley", lambda model, x, target, baseline: x - baseline[0]])
t.evaluate(np.stack([row, -row]), "shapley", "deletion"); t.compile("gradient_x_input")
t.report(row, method=["shapley", "occlusion"]).html; t.verify(row, "shapley", draws=4, inputs=1)
ascribe.methods(); ascribe.metrics(); ascribe.indices()
f = ascribe.function(lambda rows: rows.sum(1), 3)
f.explain(np.ones(3), "shapley")
try:
    m.explain(x, method="shaply")
except ValueError:
    pass
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
