"""methods(), metrics() and indices()."""

import pytest

import ascribe


def test_every_method_is_there_with_its_parameters(cli):
    methods = ascribe.methods()
    listed = cli("methods")["methods"]
    assert list(methods) == [one["name"] for one in listed]
    for one in listed:
        assert methods[one["name"]].formula == one["formula"]
        assert list(methods[one["name"]].parameters) == [parameter["name"] for parameter in one["parameters"]]


def test_metrics_and_indices_are_those_of_the_command_line(cli):
    assert list(ascribe.metrics()) == [one["name"] for one in cli("metrics")["metrics"]]
    assert "sii" in ascribe.indices() and ascribe.indices()["sii"].title
    assert ascribe.metrics()["deletion"].better == "lower"


def test_parameters_say_range_and_meaning():
    samples = ascribe.methods()["shapley"].parameters["samples"]
    assert samples.kind == "integer" and "from 2" in samples.range and "permutations" in samples.meaning
    assert "samples" in str(ascribe.methods()["shapley"])


def test_what_is_not_there_is_a_value_error_that_lists_what_is():
    with pytest.raises(ValueError, match="integrated_gradients"):
        ascribe.methods()["shaply"]
    with pytest.raises(KeyError):
        ascribe.metrics()["quality"]


def test_the_fourteen_come_first_and_the_repr_is_a_table():
    numbers = [method.number for method in ascribe.methods().values()]
    assert numbers[:14] == list(range(1, 15)) and not any(numbers[14:])
    assert len(repr(ascribe.methods()).splitlines()) == len(ascribe.methods())
