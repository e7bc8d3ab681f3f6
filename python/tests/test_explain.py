"""explain, beside the command line."""

import numpy as np
import pytest

import ascribe


@pytest.mark.parametrize("method", ["shapley", "integrated_gradients", "lrp_epsilon", "occlusion_patch"])
def test_numbers_are_those_of_the_command_line_bit_for_bit(vgg, boot, models, cli, method):
    document = cli("explain", models / "relu_vgg.onnx", boot, "--labels", models / "labels_fashion.txt", "--method", method,
                   "--players", "grid:3x3", "--seed", 7)
    explanation = vgg.explain(boot, method=method, players="grid:3x3", seed=7)
    answer = document["methods"][0]
    assert explanation.player_values.tolist() == answer["values"]
    assert explanation.residual == answer["residual"]
    assert explanation.output == document["output"]
    assert explanation.evaluations == answer["evaluations"]


def test_nothing_is_hidden(vgg, boot):
    explanation = vgg.explain(boot, method="lrp_epsilon")
    total = explanation.base_values + explanation.player_values.sum() + explanation.residual
    # Sums of 784 doubles in another order.
    assert total == pytest.approx(explanation.output, rel=1e-12)


def test_one_row_has_an_axis_of_rows_if_it_was_given_one(vgg, boot):
    row = vgg.explain(boot, method="gradient_x_input")
    assert row.values.shape == (1, 28, 28)
    batch = vgg.explain(row.data[None], method="gradient_x_input")
    assert batch.values.shape == (1, 1, 28, 28)
    assert np.array_equal(batch[0].values, row.values)


def test_an_unknown_method_is_a_value_error_that_lists_what_there_is(vgg, boot):
    with pytest.raises(ValueError, match="integrated_gradients") as error:
        vgg.explain(boot, method="shaply")
    assert isinstance(error.value, ascribe.Error)
