#!/usr/bin/env python3
"""The page of series, texts, regions of an output and several inputs: ASCRIBE=build/ascribe python3 kinds_test.py"""

import copy
import unittest

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

import sample_kinds
import sample_report
from report_test import HOSTILE, Page

WIDTHS = (390, 1400, 1600)


def short(number):
    """As the script of the page writes numbers."""
    text = f"{number:.4g}"
    return "+" + text if number > 0 else text


class Kinds(Page):
    def fits(self, name, report):
        """No sideways scrolling at any width, in light and dark."""
        for width in WIDTHS:
            for scheme in ("light", "dark"):
                self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                             {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
                self.open(name, report, width)
                self.assertLessEqual(self.run_script("return document.documentElement.scrollWidth"), width, f"{width} {scheme}")

    def press(self, element, *keys):
        self.run_script("arguments[0].focus()", element)
        ActionChains(self.browser).send_keys(*keys).perform()

    def place(self):
        return self.find(".readout .place").text

    def values(self):
        return [item.text.split("\n")[-1].split(" ")[-1] for item in self.find_all(".step-values li")]


class Series(Kinds):
    def test_fits_every_width_with_one_channel_and_with_thirty(self):
        for channels, steps in ((1, 1), (1, 3000), (30, 200)):
            self.fits(f"series{channels}x{steps}", sample_kinds.report(sample_kinds.series_row(channels, steps)))

    def test_long_series_stay_small(self):
        self.open("long", sample_kinds.report(sample_kinds.series_row(12, 2000)))
        self.assertLess(len(self.browser.page_source), 6_000_000)

    def test_every_method_has_every_channel(self):
        self.open("series", sample_kinds.report(sample_kinds.series_row()))
        self.assertEqual(len(self.find_all(".over-time > .card")), 4)
        self.assertEqual(len(self.find_all(".over-time .lane[data-channel]")), 12)
        self.assertGreater(self.run_script("return document.querySelector('.over-time .lane-plot').getBoundingClientRect().height"), 20)
        box = "const a=document.querySelector(arguments[0]).getBoundingClientRect(); return [a.width, a.height]"
        width, height = self.run_script(box, ".over-time .lane-line")
        self.assertGreater(width, 200, "the line is drawn as wide as its plot")
        self.assertGreater(height, 10)

    def test_sums_of_channels_are_those_of_their_steps(self):
        self.open("series", sample_kinds.report(sample_kinds.series_row()))
        shown = [lane.text for lane in self.find_all(".over-time > .card:first-child .lane-sum")]
        for channel, text in enumerate(shown):
            self.assertAlmostEqual(float(text), sum(sample_kinds.series_share(1, channel, t) for t in range(50)), delta=0.02)

    def test_keys_read_every_step_in_every_method(self):
        self.open("series", sample_kinds.report(sample_kinds.series_row()))
        lanes = self.find_all(".over-time .lanes")[1]
        self.press(lanes, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
        self.assertIn("Step 2 of channel 1", self.place())
        for number, text in enumerate(self.values(), 1):
            self.assertAlmostEqual(float(text), sample_kinds.series_share(number, 1, 2), delta=0.002)
        self.assertEqual(len(self.find_all(".step-cursor")), 12)
        self.press(lanes, Keys.ESCAPE)
        self.assertEqual(self.find_all(".step-cursor"), [])
        self.press(lanes, *[Keys.ARROW_LEFT] * 3)  # the edge holds
        self.assertIn("Step 0", self.place())

    def test_hostile_names_are_text(self):
        made = sample_kinds.series_row()
        made["series"]["channels"] = [HOSTILE] * 3
        made["players"]["names"] = [HOSTILE] * len(made["players"]["names"])
        self.open("series-hostile", sample_kinds.report(made))
        self.assertEqual(self.find_all("img[src=x]"), [])
        self.press(self.find_all(".over-time .lanes")[0], Keys.ARROW_RIGHT)
        self.assertIn("<script>", self.place())

    def test_gaps_constants_and_zeros_are_drawn(self):
        made = sample_kinds.series_row()
        made["series"]["values"] = [None if i % 7 == 0 else 1e30 for i in range(150)]
        for one in made["methods"]:
            one["values"] = [0.0] * 150
            one["map"] = {"scale": 0.0, "data": one["map"]["data"]}
            one["sum"] = 0.0
        self.open("series-zero", sample_kinds.report(made))
        self.assertIn("gives nothing to any step", self.find(".over-time figcaption").text)


class Text(Kinds):
    def test_fits_every_width(self):
        self.fits("text", sample_kinds.report(sample_kinds.text_row()))

    def test_keys_read_tokens_in_every_method(self):
        made = sample_kinds.text_row()
        self.open("text", sample_kinds.report(made))
        text = self.find_all(".tokens")[2]
        self.press(text, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        self.assertIn("“word1”", self.place())
        self.assertEqual(self.values(), [short(one["values"][1]) for one in made["methods"]])
        self.assertEqual(len(self.find_all(".token.here")), 1)
        self.press(text, Keys.END)
        self.assertIn("“word59”", self.place())

    def test_colour_is_not_all(self):
        """Raising and lowering tokens differ in their line, the strongest are named, and the scale has numbers."""
        made = sample_kinds.text_row()
        self.open("text", sample_kinds.report(made))
        values = made["methods"][0]["values"]
        for token in self.find_all(".text-card:first-child .token[data-player]"):
            value = values[int(token.get_attribute("data-player"))]
            if abs(value) > 0.2:
                self.assertIn("raises" if value > 0 else "lowers", token.get_attribute("class"))
        style = "return getComputedStyle(document.querySelector(arguments[0])).textDecorationStyle"
        self.assertEqual(self.run_script(style, ".texts .token.raises"), "solid")
        self.assertEqual(self.run_script(style, ".texts .token.lowers"), "dotted")
        self.assertIn("strongest: “word", self.find(".text-card figcaption").text)
        self.assertIn("raises", self.find(".text-card .scale").text)

    def test_words_are_joined_as_they_are_read(self):
        self.open("text", sample_kinds.report(sample_kinds.text_row()))
        text = self.find(".tokens").text
        self.assertIn("word0word1 word2 word3word4", text)

    def test_hostile_tokens_are_text(self):
        made = sample_kinds.text_row()
        for token in made["text"]:
            token["text"] = HOSTILE
        self.open("text-hostile", sample_kinds.report(made))
        self.assertEqual(self.find_all("img[src=x]"), [])


class Regions(Kinds):
    def test_outline_and_words_say_what_is_read(self):
        self.open("region", sample_kinds.region_report(sample_report.image_row))
        words = self.find(".region-figure figcaption").text
        self.assertIn("3 of the 2 × 6 cells of the output are read (25.0 %)", words)
        self.assertIn("class 2 over 3 cells", words)
        # One cell at the top left; two in the second row: twelve sides less the one between neighbours, as strokes.
        path = self.find(".region-figure .over").get_attribute("d")
        self.assertEqual(path.count("M"), 8)
        self.assertEqual(len(self.find_all(".maps .frame .region")), 4, "every map has the outline")

    def test_all_of_the_output_needs_no_outline_on_maps(self):
        self.open("region-all", sample_kinds.region_report(sample_report.image_row, ((0, 12),)))
        self.assertIn("All of the 2 × 6 cells", self.find(".region-figure figcaption").text)
        self.assertEqual(self.find_all(".maps .frame .region"), [])

    def test_fits_every_width(self):
        self.fits("region", sample_kinds.region_report(sample_report.image_row))

    def test_maps_are_still_read_by_keyboard(self):
        self.open("region", sample_kinds.region_report(sample_report.image_row))
        self.press(self.find(".maps .card .frame"), Keys.ARROW_RIGHT)
        self.assertIn("Pixel in row", self.place())


class SeveralInputs(Kinds):
    def test_each_has_a_part_and_its_share(self):
        self.open("inputs", sample_kinds.report(sample_kinds.two_inputs_row()))
        self.assertEqual([one.text for one in self.find_all(".input-part h4")], ["scan", "table", "pulse"])
        self.assertEqual(len(self.find_all(".input-part .maps .card")), 4)
        self.assertEqual(len(self.find_all(".input-part .over-time .card")), 4)
        first = [cell.text for cell in self.find_all(".shares tbody tr:first-child td")]
        # |1| + |-1| + |0.5| + |0.5| = 3 of 3 + 5 + 1
        self.assertEqual(first, ["+1", "33.3 %", "+1", "55.6 %", "+1", "11.1 %"])

    def test_fits_every_width(self):
        self.fits("inputs", sample_kinds.report(sample_kinds.two_inputs_row()))

    def test_hostile_names_are_text(self):
        made = copy.deepcopy(sample_kinds.two_inputs_row())
        for part in made["parts"]:
            part["name"] = HOSTILE
        self.open("inputs-hostile", sample_kinds.report(made))
        self.assertEqual(self.find_all("img[src=x]"), [])


class WithoutScript(Kinds):
    script = False

    def test_all_kinds_are_there(self):
        self.open("series", sample_kinds.report(sample_kinds.series_row()))
        self.assertEqual(len(self.find_all(".over-time > .card")), 4)
        self.open("text", sample_kinds.report(sample_kinds.text_row()))
        self.assertEqual(len(self.find_all(".text-card")), 4)
        self.open("inputs", sample_kinds.report(sample_kinds.two_inputs_row()))
        self.assertEqual(len(self.find_all(".input-part")), 3)


if __name__ == "__main__":
    unittest.main(verbosity=1)
