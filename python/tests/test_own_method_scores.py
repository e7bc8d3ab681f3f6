"""Numbers of one's own for players are scored as the same numbers of ours are."""

import numpy as np
import pytest


@pytest.mark.parametrize("metric", ["infidelity", "completeness", "deletion"])
def test_values_of_players_count_once_whoever_computed_them(vgg, boot, metric):
    ours = vgg.explain(boot, method="occlusion", players="grid:3x3")
    given = ours.player_values.copy()
    rated = vgg.evaluate([boot], method=["occlusion", lambda model, x, target, baseline: given], metric=metric,
                         players="grid:3x3")
    both = [rated.scores(name, metric)[0] for name in rated.methods]
    assert np.isfinite(both).all()
    assert both[0] == pytest.approx(both[1], rel=1e-5)  # evaluations may compute in another precision
