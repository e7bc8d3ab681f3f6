"""Plots: what is drawn where, on whose axes, and nothing else changed."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.colors import to_rgb  # noqa: E402

import ascribe  # noqa: E402
from ascribe import _colors  # noqa: E402
from ascribe._showing import element_map, number_text, picture_of, series_of, tokens_of  # noqa: E402
from ascribe.plots._axes import colormap  # noqa: E402
from ascribe.plots.beeswarm import offsets, shades_of  # noqa: E402
from ascribe.plots.text import arranged, fitting_size  # noqa: E402

WEIGHTS = np.array([3.0, -2.0, 0.5, 0.0, 1.0])
NAMES = ["age", "income", "a rather long name of a feature that goes on and on and on", "$x_{$", "last"]


@pytest.fixture(autouse=True)
def no_figure_is_left():
    yield
    plt.close("all")


def linear(names=NAMES, weights=WEIGHTS):
    return ascribe.function(lambda x: x @ weights + 1, inputs=len(names), feature_names=list(names), name="linear")


@pytest.fixture(scope="module")
def row():
    return linear().explain(np.array([1.0, 2, 3, 4, 5]), method="occlusion")


@pytest.fixture(scope="module")
def rows():
    return linear().explain(np.random.default_rng(0).normal(size=(40, 5)), method="occlusion")


@pytest.fixture(scope="module")
def map_of_boot(vgg, boot):
    return vgg.explain(boot, method="gradient_x_input")


@pytest.fixture(scope="module")
def colours():
    """Pictures [3, 8, 8] whose red counts."""
    f = ascribe.function(lambda x: x[:, 0].sum((1, 2)), inputs=(3, 8, 8), name="red")
    return f.explain(np.random.default_rng(0).random((2, 3, 8, 8)), method="occlusion", players="patch:4")


@pytest.fixture(scope="module")
def series():
    f = ascribe.function(lambda x: x[:, :, 1].sum(1), inputs=(12, 3), preprocess={"layout": "tc"},
                         feature_names=["wind", "rain", "sun"], name="series")
    return f.explain(np.arange(36.0).reshape(12, 3), method="occlusion")


@pytest.fixture(scope="module")
def effects():
    def products(x):
        a, b, c, _ = x.T
        return 2 * a - b + 3 * a * c - 0.5 * a * b * c

    f = ascribe.function(products, inputs=4, feature_names=["a", "b", "c", "$d"], name="products")
    return f.decompose(np.ones(4))


def labels(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def lengths(ax):
    return [patch.get_width() for patch in ax.patches]


def drawn(ax):
    """Draws it, with every warning of a layout that fails or a glyph that is missing an error."""
    ax.figure.savefig("/dev/null", format="png", dpi=30)
    return ax


# ---- axes and settings ----


def every_plot(row, rows, map_of_boot, series, effects):
    return {
        "image": map_of_boot.plot.image, "bar": row.plot.bar, "bars": rows.plot.bar, "waterfall": row.plot.waterfall,
        "beeswarm": rows.plot.beeswarm, "heatmap": rows.plot.heatmap, "series": series.plot.heatmap,
        "text": row.plot.text,
        "network": effects.plot.network, "upset": effects.plot.upset, "effects": effects.plot.bar}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("style", ["default", "dark_background"])
def test_every_plot_takes_axes_and_returns_them_and_changes_no_settings(row, rows, map_of_boot, series, effects, style):
    with plt.style.context(style):
        before = dict(matplotlib.rcParams)
        for name, plot in every_plot(row, rows, map_of_boot, series, effects).items():
            figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
            open_figures = plt.get_fignums()
            assert plot(ax=right) is right, name
            assert plt.get_fignums() == open_figures, name
            assert not left.has_data() and right.get_title(loc="left"), name
            drawn(right)
            plt.close(figure)
        assert dict(matplotlib.rcParams) == before


@pytest.mark.filterwarnings("error")
def test_every_plot_makes_a_figure_of_its_own(row, rows, map_of_boot, series, effects):
    for plot in every_plot(row, rows, map_of_boot, series, effects).values():
        before = plt.get_fignums()
        ax = drawn(plot())
        assert [ax.figure.number] == [number for number in plt.get_fignums() if number not in before]
        plt.close(ax.figure)


def test_nothing_is_shown(row, monkeypatch):
    monkeypatch.setattr(plt, "show", lambda *_, **__: pytest.fail("a plot called plt.show()"))
    row.plot.bar()


def test_without_matplotlib_the_error_says_what_to_install(row, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"ascribe-xai\[plots\]"):
        row.plot.bar()


def test_colours_are_those_of_the_report():
    assert to_rgb(colormap()(0.5)[:3]) == (1, 1, 1)
    assert np.allclose(np.array(colormap()(1.0)[:3]) * 255, (140, 10, 35), atol=1)
    assert np.allclose(np.array(colormap()(0.0)[:3]) * 255, (10, 62, 122), atol=1)
    for t in np.linspace(-1, 1, 21):
        assert np.allclose(np.array(colormap()((t + 1) / 2)[:3]) * 255, _colors.diverging(t), atol=2)


# ---- bars ----


def test_bars_are_the_values_strongest_first_with_their_inputs(row):
    ax = row.plot.bar()
    order = np.argsort(-np.abs(row.player_values), kind="stable")
    assert lengths(ax) == pytest.approx(row.player_values[order].tolist())
    assert labels(ax)[0] == "last = 5"
    assert [text.get_text() for text in ax.texts][1] == "−4"
    assert "contribution" in ax.get_xlabel() and "occlusion" in ax.get_title(loc="left")


def test_the_others_are_one_bar_with_their_sum(row):
    ax = row.plot.bar(most=2)
    order = np.argsort(-np.abs(row.player_values), kind="stable")
    assert labels(ax)[-1] == "sum of 3 others"
    assert lengths(ax)[-1] == pytest.approx(row.player_values[order[2:]].sum())


def test_one_player_left_over_keeps_its_name(row):
    assert len(labels(row.plot.bar(most=4))) == 5
    assert not any("other" in label for label in labels(row.plot.bar(most=4)))


def test_names_are_whole_and_dollars_stay_dollars(row):
    ax = drawn(row.plot.bar())
    assert any(NAMES[2] in " ".join(one.split()) for one in labels(ax))
    assert any(one.startswith("$x_{$ = ") for one in labels(ax))
    figure = ax.figure
    for label in ax.get_yticklabels():
        assert label.get_window_extent().x0 >= 0 and label.get_window_extent().x1 <= figure.bbox.x1


def test_sampled_values_have_their_intervals(row):
    f = ascribe.function(lambda x: np.tanh(x @ WEIGHTS), inputs=5, name="f")
    sampled = f.explain(np.ones(5), method="shapley", exact=2, samples=20)
    ax = sampled.plot.bar()
    order = np.argsort(-np.abs(sampled.player_values), kind="stable")
    segments = np.array(ax.containers[1].lines[2][0].get_segments())
    assert np.diff(segments[:, :, 0], axis=1).ravel() == pytest.approx(2 * sampled.intervals[order], abs=1e-12)
    assert "intervals" in ax.get_xlabel()


def test_many_rows_are_mean_magnitudes(rows):
    ax = rows.plot.bar()
    assert lengths(ax) == pytest.approx(sorted(np.abs(rows.player_values).mean(axis=0), reverse=True))
    assert "40 rows" in ax.get_title(loc="left") and "mean magnitude" in ax.get_xlabel()


def test_rows_with_other_players_are_one_by_one(rows):
    some = rows[:2]
    padded = some.player_values.copy()
    padded[1, 3:] = np.nan
    mixed = replace(some, player_values=padded, player_names=[some.player_names[0], some.player_names[1][:3]])
    with pytest.raises(ascribe.ArgumentError, match="different players"):
        mixed.plot.bar()
    one = mixed[1]
    ax = replace(one, data=one.data[:3], owners=one.owners[:3], values=one.values[:3]).plot.bar()
    assert len(lengths(ax)) == 3 and np.isfinite(lengths(ax)).all()


# ---- waterfall ----


def test_a_waterfall_leads_from_the_base_value_to_the_output_with_the_residual_as_a_step():
    product = ascribe.function(lambda x: x[:, 0] * x[:, 1] + 1, inputs=2, name="product")
    e = product.explain(np.array([2.0, 3.0]), method="occlusion")
    assert e.residual == pytest.approx(-6)
    ax = e.plot.waterfall()
    assert labels(ax)[0] == "base value" and labels(ax)[-2:] == ["residual", "output"]
    assert lengths(ax) == pytest.approx([6, 6, -6])
    starts = [patch.get_x() for patch in ax.patches]
    assert starts == pytest.approx([1, 7, 13])
    assert ax.lines[0].get_xdata() == pytest.approx([e.base_values, e.output])


def test_slopes_have_no_waterfall_and_are_not_called_contributions(table, models):
    slopes = table.explain(models / "tabular_sample.csv", method="gradient", rows=0)
    with pytest.raises(ascribe.ArgumentError, match="slopes"):
        slopes.plot.waterfall()
    assert slopes.plot.bar(0).get_xlabel() == "slope"


# ---- beeswarm ----


def test_every_row_is_a_dot_at_its_value(rows):
    ax = rows.plot.beeswarm()
    order = np.argsort(-np.abs(rows.player_values).mean(axis=0), kind="stable")
    for dots, player in zip(ax.collections, order, strict=True):
        assert np.allclose(dots.get_offsets()[:, 0], rows.player_values[:, player], rtol=1e-12)
    assert all(abs(dots.get_offsets()[:, 1] - line).max() < 0.5 for line, dots in enumerate(ax.collections))


def test_dots_lie_at_the_same_places_every_time(rows):
    first, again = (rows.plot.beeswarm().collections[0].get_offsets() for _ in range(2))
    assert np.array_equal(first, again)


def test_dots_of_a_column_do_not_lie_on_each_other():
    moved = offsets(np.array([3, 3, 3, 7, 3]))
    assert moved[3] == 0 and len(set(moved[[0, 1, 2, 4]])) == 4
    assert np.abs(offsets(np.zeros(10000, int))).max() <= 0.42
    assert len(offsets(np.array([], int))) == 0


def test_colours_of_dots_are_the_feature_and_grey_where_it_is_constant():
    assert np.isnan(shades_of(np.full(5, 2.0))).all()
    assert np.isnan(shades_of(np.full(5, np.nan))).all()
    shades = shades_of(np.array([0.0, 1, 2, 3, np.nan]))
    assert (np.diff(shades[:4]) > 0).all() and np.isnan(shades[4])
    assert shades_of(np.r_[np.zeros(99), 1.0])[-1] == 1  # a feature that is nearly always 0


@pytest.mark.filterwarnings("error")
def test_ten_thousand_rows_are_drawn():
    many = linear().explain(np.random.default_rng(0).normal(size=(10000, 5)), method="occlusion")
    drawn(many.plot.beeswarm())
    drawn(many.plot.heatmap())


# ---- maps ----


def test_a_map_has_the_values_and_a_scale_around_zero(map_of_boot):
    ax = map_of_boot.plot.image()
    grey, shown = ax.images
    assert np.array_equal(np.asarray(shown.get_array()), map_of_boot.values[0])
    assert shown.norm.vmin == -shown.norm.vmax < 0
    assert np.array_equal(np.asarray(grey.get_array()), np.rint(map_of_boot.data[0] * 255).astype(np.uint8))
    assert "Ankle boot" in ax.get_title(loc="left")


def test_a_colour_picture_is_beside_its_map(colours):
    ax = colours.plot.image(1)
    picture, grey, shown = ax.images
    assert np.asarray(picture.get_array()).shape == (8, 8, 3) and np.asarray(grey.get_array()).shape == (8, 8)
    assert picture.get_extent()[1] <= ax.images[1].get_extent()[0]
    assert len(colours.plot.image(1, beside=False, ax=plt.subplots()[1]).images) == 2


def test_players_that_own_all_channels_count_once_for_a_pixel(colours):
    values = element_map(colours[0])
    assert values[0, 0] == colours.player_values[0, 0]
    assert values[0, 5] == colours.player_values[0, 1]


def test_pixels_without_a_player_are_clear(colours):
    owners = colours[0].owners.copy()
    owners[:, :4] = -1
    ax = replace(colours[0], owners=owners).plot.image()
    assert np.isnan(np.asarray(np.ma.filled(ax.images[-1].get_array(), np.nan))[:4]).all()


def test_preprocessing_is_undone_where_it_is_known(colours):
    mean, std = (np.array(numbers)[:, None, None] for numbers in ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]))
    pixels = np.random.default_rng(1).integers(0, 256, (3, 8, 8))
    normal = replace(colours[0], data=(pixels / 255 - mean) / std, notes=["preprocessing: imagenet (...), guessed"])
    assert np.array_equal(picture_of(normal), np.moveaxis(pixels, 0, -1))
    assert np.array_equal(picture_of(replace(normal, data=pixels / 255, notes=[])), np.moveaxis(pixels, 0, -1))
    last = replace(colours[0], data=np.moveaxis(pixels, 0, -1) / 255, notes=[])
    assert np.array_equal(picture_of(last), np.moveaxis(pixels, 0, -1))


def test_several_rows_and_several_methods_are_a_grid(vgg, boot, colours):
    assert len(colours.plot.images()) == 2
    both = vgg.explain(boot, method=["gradient_x_input", "gradient"])
    axes = both.plot.images()
    assert [ax.get_title(loc="left") for ax in axes] == ["gradient_x_input", "gradient (slopes)"]
    assert np.array_equal(np.asarray(axes[1].images[-1].get_array()), both["gradient"].values[0])


def test_what_is_no_picture_is_refused(row):
    with pytest.raises(ascribe.ArgumentError, match="expected pictures"):
        row.plot.image()


def test_a_heatmap_of_a_series_has_time_to_the_right(series):
    ax = series.plot.heatmap()
    assert np.array_equal(np.asarray(ax.images[0].get_array()), series.values.T)
    assert labels(ax) == ["wind", "rain", "sun"] and ax.get_xlabel() == "step"


@pytest.mark.parametrize("players", ["elements", "time", "time:4", "channel"])
@pytest.mark.parametrize("layout", ["tc", "ct"])
def test_time_is_found_by_the_names_of_the_players(players, layout):
    shape = (12, 3) if layout == "tc" else (3, 12)
    f = ascribe.function(lambda x: (x[:, 1] if layout == "ct" else x[..., 1]) @ np.arange(12.0), inputs=shape,
                         preprocess={"layout": layout}, name="late")
    series = series_of(f.explain(np.ones(shape), method="occlusion", players=players))
    assert series.values.shape == (3, 12) and series.channel_names == ["channel 0", "channel 1", "channel 2"]
    assert series.values[1, -1] == {"elements": 11, "time": 11, "time:4": 38, "channel": 66}[players]


def test_a_heatmap_of_rows_has_their_names(rows):
    ax = rows.plot.heatmap(most=3)
    assert np.asarray(ax.images[0].get_array()).shape == (40, 3)
    assert "strongest of 5 players" in ax.get_xlabel()
    assert labels(ax) == rows.row_names


# ---- texts ----


def test_tokens_are_in_lines_within_the_axes(row):
    words = [f"word{i}" for i in range(60)]
    e = linear(words, np.ones(60)).explain(np.ones(60), method="occlusion")
    ax = drawn(e.plot.text())
    text = next(artist for artist in ax.get_children() if hasattr(artist, "tokens"))
    assert [token.text for token in text.tokens] == words
    width, height = (side / ax.figure.dpi * 72 for side in (ax.bbox.width, ax.bbox.height))
    places = arranged(text.tokens, fitting_size(text.tokens, width, height), width)
    assert max(place.x + place.width for place in places) <= width
    assert len({place.y for place in places}) > 1
    for (one, next_one) in itertools.pairwise(places):
        assert next_one.y > one.y or next_one.x >= one.x + one.width


def test_pieces_of_words_stand_together(row):
    e = replace(row, tokens=["un", "##believ", "##able", "film", "$!"], owners=np.array([0, 1, 2, 3, -1]))
    tokens = tokens_of(e)
    assert [token.text for token in tokens] == ["un", "believ", "able", "film", "$!"]
    assert [token.space for token in tokens] == [True, False, False, True, True]
    assert tokens[4].value is None
    drawn(e.plot.text())


# ---- effects ----


def test_a_network_has_singles_as_nodes_and_pairs_as_edges(effects):
    ax = effects.plot.network()
    edges, nodes = ax.collections
    assert np.asarray(nodes.get_array()) == pytest.approx([2, -1, 0, 0])
    assert len(edges.get_segments()) == 1  # a and c
    assert edges.get_segments()[0] == pytest.approx(np.asarray(nodes.get_offsets())[[2, 0]][::-1])
    assert [text.get_text() for text in ax.texts] == ["a", "b", "c", "$d"]
    assert "effects of three and more players, 8 % of all magnitudes" in ax.get_title(loc="left").replace("\n", " ")


def test_an_upset_has_the_strongest_effects_and_their_players(effects):
    ax = effects.plot.upset(most=3)
    above, below = ax.child_axes
    assert [patch.get_height() for patch in above.patches] == pytest.approx([3, 2, -1])
    assert [list(line.get_ydata()) for line in below.lines] == [[0, 2], [0], [1]]
    assert labels(below) == ["a", "b", "c"]


def test_effects_have_their_names(effects):
    ax = effects.plot.bar(most=3)
    assert labels(ax)[:3] == ["a × c", "a", "b"]
    assert lengths(ax)[:3] == pytest.approx([3, 2, -1])


# ---- several methods, audits, comparisons, curves ----


def test_methods_are_grouped_as_shares(table, models):
    both = table.explain(models / "tabular_sample.csv", method=["shapley", "occlusion"], rows=0)
    ax = both.plot.bar(most=2)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["shapley", "occlusion"]
    own = both["shapley"].batched().player_values[0]
    assert max(np.abs(lengths(ax)[:2])) == pytest.approx(np.abs(own / np.abs(own).sum()).max())
    assert both.plot.heatmap().images[0].get_array().shape == (2, 8)


def test_a_comparison_has_both_methods(table, models):
    c = table.compare(models / "tabular_sample.csv", "shapley", "occlusion", rows=0)
    ax = c.plot.bar(most=1)
    most = int(np.argmax(np.abs(c.first - c.second)))
    assert lengths(ax) == pytest.approx([c.first[most], c.second[most]])
    assert labels(ax) == [c.player_names[most]]


def test_verdicts_are_words(table, models):
    a = table.audit(models / "tabular_sample.csv", method=["shapley", "occlusion"], rows=0)
    ax = a.plot.verdicts()
    assert labels(ax) == ["shapley", "occlusion"]
    assert [text.get_text().split()[0] for text in ax.texts] == ["holds"] * 5 + ["fails"]


def test_curves_are_those_of_the_evaluation(table, models):
    e = table.evaluate(models / "tabular_sample.csv", method=["shapley", "occlusion"],
                       metric=["deletion", "complexity"])
    ax = drawn(e.plot.curve())
    for line, method in zip(ax.lines, ["shapley", "occlusion"], strict=True):
        assert line.get_ydata() == pytest.approx(e.curve(method, "deletion").mean)
        assert line.get_label() == method
    assert "20 samples" in ax.get_title(loc="left") and "f(x) − f(b)" in ax.get_ylabel()
    assert len(e.plot.curve(method="shapley", sample=3).lines) == 1
    with pytest.raises(ascribe.ArgumentError):
        e.plot.curve("complexity")


# ---- what is empty, alone or all the same ----


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("weights", [[0.0, 0, 0], [-1.0, -2, -3], [1e-300, 0, 0], [1e30, -1e30, 1.0]])
def test_zeros_and_one_sided_values_are_drawn(weights):
    e = linear(["a", "b", "c"], np.array(weights)).explain(np.ones((4, 3)), method="occlusion")
    figure, axes = plt.subplots(2, 3, figsize=(12, 6), layout="constrained")
    plots = (e[0].plot.bar, e.plot.bar, e.plot.waterfall, e.plot.beeswarm, e.plot.heatmap, e.plot.text)
    for ax, plot in zip(axes.ravel(), plots, strict=True):
        plot(ax=ax)
    drawn(axes[0, 0])


@pytest.mark.filterwarnings("error")
def test_one_player_and_one_row_are_drawn():
    e = linear(["only"], np.array([2.0])).explain(np.ones((1, 1)), method="occlusion")
    for plot in (e.plot.bar, e.plot.waterfall, e.plot.beeswarm, e.plot.heatmap, e.plot.text):
        drawn(plot())
    d = ascribe.function(lambda x: x[:, 0], inputs=1, name="one").decompose(np.ones(1))
    for plot in (d.plot.network, d.plot.upset, d.plot.bar):
        drawn(plot())


def test_a_black_picture_is_drawn(vgg):
    drawn(vgg.explain(np.zeros((1, 28, 28), np.float32), method="gradient_x_input").plot.image())


def test_rows_that_are_not_there_are_refused(row, rows):
    with pytest.raises(IndexError):
        rows.plot.bar(40)
    with pytest.raises(IndexError):
        row.plot.waterfall(1)
    with pytest.raises(ascribe.ArgumentError, match="most"):
        row.plot.bar(most=0)


def test_numbers_are_short():
    assert [number_text(value) for value in (0, -0.000123456, 1234567, 12345, float("nan"), float("inf"))] == [
        "0", "−0.000123", "1.23e+6", "12345", "–", "∞"]


def test_values_that_are_not_finite_do_not_break_the_axes(rows):
    values = rows.player_values.copy()
    values[0, 0], values[1, 1] = np.nan, np.inf
    broken = replace(rows, player_values=values)
    for plot in (broken.plot.bar, broken.plot.beeswarm, broken.plot.heatmap, broken[0].plot.bar, broken[1].plot.bar):
        assert np.isfinite(drawn(plot()).get_xlim()).all()
