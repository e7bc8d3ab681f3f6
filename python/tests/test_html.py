"""What notebooks show: whole, escaped, small, and from nowhere else."""

import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

import ascribe
from ascribe.html._maps import map_pixels, smaller
from ascribe.html._page import tag, text

HOSTILE = "<script>alert('1')</script>\"' onload=x & \udc80 </style></div>"
VOID = {"img"}


class Page(HTMLParser):
    """The elements of a page; fails where one is closed that is not open."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open, self.tags, self.attributes, self.words, self.styles = [], [], [], [], []
        self.feed(page)
        self.close()
        assert self.open == [], f"left open: {self.open}"

    def handle_starttag(self, name, attributes):
        self.tags.append(name)
        self.attributes += [(name, key, value or "") for key, value in attributes]
        if name not in VOID:
            self.open.append(name)

    def handle_endtag(self, name):
        assert self.open and self.open.pop() == name

    def handle_data(self, data):
        (self.styles if "style" in self.open else self.words).append(data)

    @property
    def shown(self) -> str:
        return " ".join(" ".join(self.words).split())


def checked(result) -> Page:
    """The page of a result, with everything that every page has to keep."""
    made = result._repr_html_()
    assert isinstance(made, str) and made.encode("utf-8")
    page = Page(made)
    assert page.tags[0] == "div" and ("div", "class", "ascribe-xai") in page.attributes
    assert not {"script", "link", "object", "base", "form"} & set(page.tags)
    assert not [one for one in page.attributes if one[1].startswith("on")]
    for name, key, value in page.attributes:
        if key in ("src", "href", "action", "data"):
            assert value.startswith("data:image/png;base64,"), (name, key)
    for style in [*page.styles, *(value for _, key, value in page.attributes if key == "style")]:
        assert "@import" not in style and all(found.startswith("data:") for found in re.findall(r"url\((.{5})", style))
    for style in page.styles:  # nothing leaks into the notebook: each rule begins with the class
        for selector in re.findall(r"(?:^|})\s*([^{}@]+){", style):
            assert all(".ascribe-xai" in one for one in selector.split(",")), selector
    return page


@pytest.fixture(scope="module")
def linear():
    return ascribe.function(lambda x: x @ np.arange(4) - 3, inputs=4, name="linear", feature_names=list("abcd"))


@pytest.fixture(scope="module")
def row(linear):
    return linear.explain(np.array([1.0, -2, 3, -4]), method="occlusion")


def test_a_model_tells_its_inputs_outputs_and_notes(vgg):
    page = checked(vgg)
    for word in ("relu_vgg.onnx", "1 × 28 × 28", "logits", "117 K parameters", "labels"):
        assert word in page.shown


def test_a_prediction_has_its_classes_or_numbers(vgg, boot, table, models):
    assert "Ankle boot" in checked(vgg.predict(boot)).shown and "97.8%" in checked(vgg.predict(boot)).shown
    page = checked(table.predict(models / "tabular_sample.csv"))
    assert "288.9" in page.shown and "The first 5 of 20 rows" in page.shown


def test_a_picture_has_its_map(vgg, boot):
    page = checked(vgg.explain(boot, method="integrated_gradients"))
    assert page.tags.count("img") == 2
    for word in ("Ankle boot", "base value", "residual", "approximate", "preprocessing: unit", "missed its tolerance"):
        assert word in page.shown


def test_slopes_are_called_slopes(vgg, boot):
    page = checked(vgg.explain(boot, method="gradient"))
    assert "slopes" in page.shown and "residual" not in page.shown and "contribution" not in page.shown


def test_a_table_has_bars_with_names_and_values(row):
    page = checked(row)
    for word in ("d = −4", "−12", "c = 3", "+6", "exact", "output −11"):
        assert word in page.shown
    fills = [value for _, key, value in page.attributes if key == "style" and "width" in value]
    assert "left:0.00%;width:66.67%" in fills and "left:66.67%;width:33.33%" in fills  # -12 and +6 of 18


def test_a_text_has_coloured_tokens(row):
    page = checked(replace(row, tokens=["<b>", "good", "##ness", "$"], owners=np.array([0, 1, 2, -1])))
    assert "<b>" in page.shown and "goodness" in "".join(page.words)
    assert [value for _, key, value in page.attributes if key == "title"][3] == "no player's"


def test_a_series_has_cells_for_steps():
    f = ascribe.function(lambda x: x.sum((1, 2)), inputs=(1000, 2), preprocess={"layout": "tc"}, name="series")
    page = checked(f.explain(np.ones((1000, 2)), method="occlusion", players="time:100"))
    assert page.tags.count("td") == 400 and "means of 5 steps" in page.shown


def test_several_methods_have_one_ground_and_what_was_left_out(vgg, boot):
    both = vgg.explain(boot, method=["gradient", "lrp_epsilon"])
    page = checked(both)
    assert page.tags.count("img") == 3 and "gradient (slopes)" in page.shown
    assert sum("background-image" in style for style in page.styles) == 1
    assert "why <not>" in checked(type(both)(dict(both), {"lime": "why <not>"}, [])).shown
    assert "No method" in checked(type(both)({}, {}, [])).shown


def test_decompositions_audits_and_comparisons(table, models):
    rows = {"data": models / "tabular_sample.csv", "rows": 0}
    page = checked(table.decompose(**rows))
    assert "area_m2 × age_years" in page.shown and "at the baseline" in page.shown and "exact" in page.shown
    page = checked(table.audit(**rows, method=["shapley", "occlusion"]))
    assert page.shown.count("holds") == 5 and "fails" in page.shown and "Counted several times" in page.shown
    page = checked(table.audit(**rows, attribution=np.ones(8)))
    assert "no: every effect" in page.shown and "residual" in page.shown
    page = checked(table.compare(models / "tabular_sample.csv", "shapley", "occlusion", rows=0))
    assert "shapley and occlusion" in page.shown and "different" in page.shown and "area_m2" in page.shown


def test_an_evaluation_has_means_and_intervals(table, models):
    evaluation = table.evaluate(models / "tabular_sample.csv", method=["shapley", "occlusion"], metric=["deletion"])
    page = checked(evaluation)
    assert "deletion" in page.shown and "20 samples" in page.shown
    assert text(ascribe._showing.number_text(evaluation["shapley", "deletion"].mean)) in page.shown


def test_a_report_is_in_a_frame_that_cannot_reach_the_notebook(table, models):
    page = checked(table.report(models / "tabular_sample.csv", method="shapley", rows=0))
    assert ("iframe", "sandbox", "allow-scripts") in page.attributes


def test_hostile_names_are_text(linear):
    f = ascribe.function(lambda x: x.sum(1), inputs=2, name=HOSTILE.replace("\udc80", ""), feature_names=["a", "b"])
    e = f.explain(np.ones((2, 2)), method="occlusion")
    hostile = replace(e, method=HOSTILE, notes=[HOSTILE], row_names=[HOSTILE] * 2, output_names=[HOSTILE] * 2,
                      player_names=[[HOSTILE, "b"]] * 2, feature_names=[HOSTILE, "b"], explains=HOSTILE)
    for result in (hostile, hostile[0], replace(hostile[0], tokens=[HOSTILE, "b"]), f,
                   ascribe.Explanations({HOSTILE: hostile}, {HOSTILE: HOSTILE}, [HOSTILE])):
        page = checked(result)
        assert "<script>alert('1')</script>" in page.shown
    d = f.decompose(np.ones(2))
    d.notes = [HOSTILE]
    d.strongest = [one._replace(names=(HOSTILE,)) for one in d.strongest]
    assert "<script>" in checked(d).shown
    c = f.compare(np.ones(2), "shapley", "occlusion")
    c.names, c.player_names, c.sentence = (HOSTILE, "b"), [HOSTILE, "b"], HOSTILE
    assert "<script>" in checked(c).shown
    a = f.audit(np.ones(2), method="shapley")
    a["shapley"].method, a["shapley"].sentences = HOSTILE, [HOSTILE]
    assert "<script>" in checked(a).shown


def test_elements_escape_what_is_no_element():
    assert tag("p", "<&>", tag("b", "x"), title='"') == '<p title="&quot;">&lt;&amp;&gt;<b>x</b></p>'


def test_pages_stay_small():
    rng = np.random.default_rng(0)
    f = ascribe.function(lambda x: x.sum((1, 2, 3)), inputs=(3, 224, 224), name="sum")
    e = f.explain(rng.random((3, 224, 224), np.float32), method="occlusion", players="grid:2x2")
    noisy = replace(e, values=rng.normal(size=e.values.shape))  # the worst there is for a PNG
    checked(noisy)
    assert len(noisy._repr_html_()) < 300_000
    g = ascribe.function(lambda x: x.sum(1), inputs=200, name="sum")
    many = g.explain(rng.random((1000, 200)), method="occlusion")
    assert len(many._repr_html_()) < 30_000
    assert "The first 3 of 1,000 rows" in checked(many).shown and "sum of 188 others" in checked(many).shown
    tokens = replace(many[0], tokens=[f"token{i}" for i in range(200)] * 50, owners=np.arange(10000) % 200)
    assert len(tokens._repr_html_()) < 150_000 and "9,400 more tokens" in checked(tokens).shown


def test_zeros_nothing_and_one_of_everything(linear):
    assert "+0" not in checked(linear.explain(np.zeros(4), method="occlusion")).shown
    one = ascribe.function(lambda x: -x[:, 0], inputs=1, name="one")
    checked(one.explain(np.ones((1, 1)), method="occlusion"))
    checked(one.decompose(np.ones(1)))
    checked(one.predict(np.ones((1, 1))))


def test_maps_keep_the_scale_and_leave_nobodys_pixels_clear():
    pixels = map_pixels(np.array([[1.0, -1.0], [0.0, np.nan]]), 1.0)
    assert pixels[0, 0, :3].tolist() == [140, 10, 35] and pixels[0, 1, :3].tolist() == [10, 62, 122]
    assert pixels[1, 0, :3].tolist() == [255, 255, 255] and pixels[1, 1, 3] == 0
    assert smaller(np.ones((300, 200)), 128).shape == (100, 66)
    assert smaller(np.ones((1, 500)), 128).shape == (1, 125)


def test_no_matplotlib_is_needed():
    code = ("import sys; sys.modules['matplotlib'] = None\n"
            "import ascribe, numpy as np\n"
            "f = ascribe.function(lambda x: x.sum((1, 2, 3)), inputs=(1, 4, 4), name='f')\n"
            "assert 'img' in f.explain(np.ones((1, 4, 4)), method='occlusion')._repr_html_()\n"
            "assert f.decompose(np.ones((1, 4, 4)), players='grid:2x2')._repr_html_()\n")
    subprocess.run([sys.executable, "-c", code], check=True)


def test_results_from_files_show_themselves_alike(table, vgg, boot, models, tmp_path):
    rows = {"data": models / "tabular_sample.csv", "rows": 0}
    results = [vgg.explain(boot, method="gradient_x_input"), vgg.explain(boot, method=["gradient", "gradient_x_input"]),
               table.decompose(**rows), table.audit(**rows, method="shapley"),
               table.compare(models / "tabular_sample.csv", "shapley", "occlusion", rows=0)]
    for number, result in enumerate(results):
        result.save(tmp_path / f"{number}.npz")
        again = type(result).load(tmp_path / f"{number}.npz")
        assert again._repr_html_() == result._repr_html_()
