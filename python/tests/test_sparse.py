"""Effects of many players, estimated; what absent players are."""

import numpy as np
import pytest

import ascribe


@pytest.fixture(scope="module")
def mlp(models):
    return ascribe.load(models / "sigmoid_mlp.onnx")


@pytest.fixture(scope="module")
def found(mlp, boot):
    return mlp.decompose(boot, players="patch:4", estimate="sparse", budget=3000, index="sii", seed=1)


def test_effects_are_estimated_with_errors(found):
    assert found.estimated and 0.5 < found.held_out_r2 <= 1
    assert len(found.player_names) == 49 and found.evaluations <= 3000
    assert all(effect.error is not None and effect.error >= 0 for effect in found.strongest)
    sizes = [abs(effect.value) for effect in found.strongest]
    assert sizes == sorted(sizes, reverse=True)
    total = sum(effect.value for effect in found.strongest) + found.remainder
    assert total == pytest.approx(found.output - found.baseline_output, abs=1e-6)
    assert "estimated" in repr(found) and "estimated" in found._repr_html_()


def test_effects_are_held_against_the_model(mlp, boot, found):
    singles = {effect.players: effect.value for effect in mlp.decompose(boot, players="patch:4", order=1).strongest}
    assert [one.players for one in found.verified] == [effect.players for effect in found.strongest]
    assert [one.fit for one in found.verified] == [effect.value for effect in found.strongest]
    exact = [one for one in found.verified if len(one.players) == 1 and one.alone_interval == 0]
    assert len(exact) > 5
    for one in exact:  # what a player does alone, not what the fit says
        assert one.alone == pytest.approx(singles[one.players], abs=1e-4)
    assert any(abs(one.alone - one.fit) > 1e-3 for one in exact)
    asked = [one for one in found.verified if one.in_company is not None]
    assert asked and all(one.in_company_interval >= 0 for one in asked)


def test_pairs_that_derivatives_point_to_are_looked_up(mlp, boot, found):
    exact = {effect.players: effect.value for effect in mlp.decompose(boot, players="patch:4", order=2, top=10**6).strongest}
    beside = found.beside_the_fit
    assert len(beside) > 20 and not {one.players for one in beside} & {one.players for one in found.strongest}
    for one in beside:
        assert len(one.players) == 2 and one.value == pytest.approx(exact[one.players], abs=1e-4)
    sizes = [abs(one.value) for one in beside]
    assert sizes == sorted(sizes, reverse=True)


def test_indices_follow_from_the_effects(found):
    shapley = {tuple(one["support"]): one["value"] for one in found.document["estimated"]["indices"]["shapley"]["effects"]}
    by_hand = dict.fromkeys(shapley, 0.0)
    for effect in found.strongest:
        for player in effect.players:
            by_hand[(player,)] += effect.value / len(effect.players)
    assert by_hand == pytest.approx(shapley, abs=1e-9)
    assert len(found.index_values) > 0 and all(effect.error is not None for effect in found.index_values)


def test_an_estimate_is_saved_and_read_again(found, tmp_path):
    found.save(tmp_path / "found.npz")
    again = ascribe.Decomposition.load(tmp_path / "found.npz")
    assert again.estimated and again.strongest == found.strongest and again.held_out_r2 == found.held_out_r2
    assert again.verified == found.verified and again.beside_the_fit == found.beside_the_fit


def test_exact_decompositions_say_that_they_are(mlp, boot):
    exact = mlp.decompose(boot, players="grid:2x2")
    assert not exact.estimated and exact.held_out_r2 is None and exact.strongest[0].error is None
    assert exact.verified == [] and exact.beside_the_fit == []


def test_absent_players_may_depend_on_the_others(table, models):
    rows = str(models / "tabular_sample.csv")
    asked = {"data": rows, "rows": 0, "baseline": "data:" + rows}
    marginal = table.decompose(**asked, absence="marginal")
    conditional = table.decompose(**asked, absence="conditional:kernel:0.5")
    assert marginal.output == pytest.approx(conditional.output)
    assert not np.allclose(marginal.dividends, conditional.dividends)
    assert any("background rows" in note for note in conditional.notes)
    values = table.explain(**asked, method="shapley", absence="conditional:kernel:0.5").values
    full = table.decompose(**asked, absence="conditional:kernel:0.5", influence="partial", order=1)
    assert values.ravel() == pytest.approx([effect.value for effect in full.index_values], abs=1e-6)
    with pytest.raises(ascribe.Error, match="baselines as they are"):
        table.explain(**asked, method="integrated_gradients", absence="conditional:kernel:0.5")


@pytest.mark.parametrize("wrong", [{"estimate": "dense"}, {"estimate": 3}, {"estimate": "sparse", "budget": "many"},
                                   {"estimate": "sparse", "estimator": "magic"}, {"absence": "sometimes"},
                                   {"influence": "half"}])
def test_what_there_is_not_is_refused(mlp, boot, wrong):
    with pytest.raises(ascribe.ArgumentError):
        mlp.decompose(boot, players="grid:2x2", **wrong)
