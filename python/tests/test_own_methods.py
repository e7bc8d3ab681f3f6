"""Methods and attributions of one's own, wherever ours can stand."""

import numpy as np
import pytest

import ascribe


def change(model, x, target, baseline):
    return x - baseline[0]


@pytest.fixture(scope="module")
def row(models):
    return np.loadtxt(models / "tabular_sample.csv", delimiter=",", skiprows=1)[0]


def test_several_of_the_same_name_are_numbered(table, row):
    said = table.explain(row, method=[np.ones(8), np.zeros(8), change, change])
    assert list(said) == ["given", "given 2", "change", "change 2"]
    assert said["given 2"].values.tolist() == [0] * 8
    assert list(table.explain(row, method=(change, "occlusion"))) == ["change", "occlusion"]


def test_a_pair_gives_a_name(table, row):
    assert table.explain(row, method=("mine", change)).method == "mine"
    with pytest.raises(ascribe.ArgumentError, match="two are called 'occlusion'"):
        table.explain(row, method=["occlusion", ("occlusion", change)])


def test_two_names_are_two_methods(table, row):
    assert list(table.explain(row, method=("occlusion", "shapley"))) == ["occlusion", "shapley"]


def test_numbers_are_compared_with_methods_and_each_other(table, row):
    exact = table.explain(row, method="shapley")
    assert table.compare(row, "shapley", exact).difference < 1e-4 * np.abs(exact.values).sum()
    apart = table.compare(row, ("ours", change), exact.values + 1)
    assert apart.names == ("ours", "given") and not apart.same
    assert any("numbers that were given" in note for note in apart.notes)
    assert table.compare(row, exact, exact.player_values).same
    assert table.compare(row, exact.values, exact.values * 2).names == ("given", "given 2")


def test_numbers_are_audited_whichever_way_they_are_said(table, row):
    exact = table.explain(row, method="shapley")
    for method in (exact.values, exact, ("mine", exact)):
        assert table.audit(row, method).distance < 1e-4
    assert table.audit(row, attribution=exact).distance < 1e-4


def test_everything_stands_in_a_report_and_an_evaluation(table, row):
    methods = {"ours": change, "theirs": np.arange(8.0), "shapley": "shapley"}
    report = table.report(row, method=methods, metric="completeness")
    assert [method["name"] for method in report.document["rows"][0]["methods"]] == ["ours", "theirs", "shapley"]
    assert table.evaluate(row, method=methods, metric="completeness").methods == ["ours", "theirs", "shapley"]


def test_numbers_take_nobody_with_them_where_other_inputs_are_asked_about(table, row):
    said = table.evaluate(row, method=["occlusion", ("theirs", np.arange(8.0))], metric=["max_sensitivity", "deletion"])
    assert said["occlusion", "max_sensitivity"].samples == 1
    assert "other inputs" in said.why_undefined("theirs", "max_sensitivity")["row 0"]
    assert said["theirs", "deletion"].samples == 1
