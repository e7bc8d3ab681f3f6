#!/usr/bin/env python3
"""The first screen and the two depths of a report, in headless Chromium: ASCRIBE=build/ascribe python3 first_screen_test.py

A reader who sees the first screen alone must find five answers on it: what the model said, what mattered most, how sure
that is, which method says so, and what the page cannot say.
"""

import copy
import unittest

from selenium.webdriver.common.keys import Keys

import report_test
import sample_report

ANSWERS = {  # where each answer stands, and a part of what it says
    "what it said": ("#row0-summary h3", "boot"),
    "what mattered": ("#row0-summary .mattered dd", "most"),
    "how sure": ("#row0-summary .how-sure dd", "checks"),
    "which method": ("#row0-summary .which dd", "Shapley value"),
    "not said": ("#row0-summary .not-said dd", "Whether the model is right"),
}


def rows():
    return {"image": sample_report.image_row(), "table": sample_report.table_row(),
            "sequence": sample_report.sequence_row(), "text": sample_report.text_row(),
            "series": sample_report.series_row()}


class Browser(report_test.Page):
    def bottom(self, selector):
        return self.run_script("return document.querySelector(arguments[0]).getBoundingClientRect().bottom", selector)

    def open_experts(self):
        return [part for part in self.find_all("details.expert") if part.get_attribute("open") is not None]


class FirstScreen(Browser):
    def test_five_answers_are_on_the_first_screen(self):
        for name, row in rows().items():
            self.open("first-" + name, sample_report.report(row), 1400, 900)
            for question, (selector, part) in ANSWERS.items():
                place = self.find(selector)
                self.assertTrue(place.is_displayed(), f"{question} of {name}")
                self.assertIn(part, place.text, f"{question} of {name}")
                self.assertLessEqual(self.bottom(selector), 900, f"{question} of {name} without scrolling")
            self.assertIn(self.find(".how-sure b").text, ("Well supported.", "Fairly well supported.", "Take it with care."))

    def test_the_explanation_is_drawn_beside_them(self):
        drawings = {"image": ".first-map .heat", "table": ".first-bars .bar", "sequence": ".strip.still .heat",
                    "text": ".first-text .token", "series": ".first-drawing svg"}
        for name, row in rows().items():
            self.open("first-" + name, sample_report.report(row), 1400, 900)
            drawn = self.find("#row0-summary " + drawings[name])
            self.assertTrue(drawn.is_displayed(), name)
            self.assertLess(drawn.rect["y"], 700, name)
        self.open("first-image", sample_report.report(sample_report.image_row()), 1400, 900)
        self.assertGreater(self.find(".first-map .frame").rect["width"], 300, "large")
        self.assertGreater(self.find(".first-map .frame").rect["width"], self.find(".first-input .frame").rect["width"])

    def test_the_map_is_of_the_method_to_trust(self):
        self.open("first-table", sample_report.report(sample_report.table_row()), 1400, 900)
        values = {bar.find_element("css selector", ".name").text: bar.find_element("css selector", ".number").text
                  for bar in self.find_all(".first-bars .bar")}
        self.assertEqual(values, {"area = 74": "+1", "rooms = 3": "+8", "age = 111": "-1", "garden = 0": "+0.5"})

    def test_it_fits_on_a_phone(self):
        for name, row in rows().items():
            self.open("first-" + name, sample_report.report(row), 390, 844)
            self.assertLessEqual(self.run_script("return document.scrollingElement.scrollWidth"), 390, name)
            self.assertLessEqual(self.bottom("#row0-summary h3"), 844, name)
            for selector, _ in ANSWERS.values():
                self.assertTrue(self.find(selector).is_displayed(), name)

    def test_words_lead_to_the_glossary(self):
        self.open("first-image", sample_report.report(sample_report.image_row()), 1400, 900)
        link = self.find("#row0-summary .how-sure a.word")
        self.assertEqual(link.text, "three checks")
        link.click()
        self.assertTrue(self.browser.current_url.endswith("#word-checks"))
        self.assertTrue(self.find("#word-checks").is_displayed())

    def test_regions_are_named_by_where_they_are(self):
        self.open("first-image", sample_report.report(sample_report.image_row()), 1400, 900)
        names = [cell.text for cell in self.find_all("table.players tbody th")]
        self.assertTrue(all(name.startswith("row ") for name in names), names)
        self.assertIn("top left", self.find("#row0-effects").text)
        shown = self.run_script("return document.body.innerText")
        self.assertNotRegex(shown, r"r\dc\d")

    def test_hostile_names_stay_text(self):
        hostile = report_test.HOSTILE
        for name, row in rows().items():
            plain = sample_report.report(copy.deepcopy(row))
            spoiled = copy.deepcopy(plain)
            row = spoiled["rows"][0]
            row["source"] += hostile
            row["target"]["label"] += hostile
            row["baseline"] += hostile
            for one in row["top"]:
                one["label"] += hostile
            for method in row["methods"]:
                method["title"] += hostile
            row["players"]["names"] = [part + hostile for part in row["players"]["names"]]
            tags = "return Array.from(document.querySelectorAll('#row0-summary *')).map((e) => e.tagName).join()"
            self.open("calm-" + name, plain, 1400, 900)
            expected = self.run_script(tags)
            self.open("hostile-first-" + name, spoiled, 1400, 900)
            self.assertEqual(self.run_script(tags), expected, name)
            self.assertIn("<img src=x onerror=alert(1)>", self.find("#row0-summary h3").text)
            self.size(390)
            self.assertLessEqual(self.run_script("return document.scrollingElement.scrollWidth"), 390, name)


class Depths(Browser):
    def open_page(self):
        self.open("first-image", sample_report.report(sample_report.image_row()), 1400, 900)

    def tearDown(self):
        self.run_script("localStorage.clear()")
        super().tearDown()

    def test_plain_at_first_and_for_experts_by_the_keyboard(self):
        self.open_page()
        switch = self.find("#depth")
        self.assertGreater(len(self.find_all("details.expert")), 6)
        self.assertEqual(self.open_experts(), [])
        self.assertEqual(switch.get_attribute("aria-pressed"), "false")
        switch.send_keys(Keys.ENTER)
        self.assertEqual(len(self.open_experts()), len(self.find_all("details.expert")))
        self.assertEqual(switch.get_attribute("aria-pressed"), "true")
        self.assertTrue(self.find(".formulas").is_displayed())
        switch.send_keys(Keys.SPACE)
        self.assertEqual(self.open_experts(), [])

    def test_the_choice_is_kept(self):
        self.open_page()
        self.find("#depth").click()
        self.browser.refresh()
        self.assertEqual(self.find("#depth").get_attribute("aria-pressed"), "true")
        self.assertEqual(len(self.open_experts()), len(self.find_all("details.expert")))
        self.find("#depth").click()
        self.assertEqual(self.run_script("return localStorage.getItem('ascribe-depth')"), "plain")

    def test_each_part_opens_by_itself(self):
        self.open_page()
        self.find("#row0-completeness details.expert summary").send_keys(Keys.ENTER)
        self.assertEqual(len(self.open_experts()), 1)
        self.assertEqual(self.find("#depth").get_attribute("aria-pressed"), "false")

    def test_technical_words_are_for_experts(self):
        self.open_page()
        words = self.run_script("document.getElementById('words').remove(); return document.body.innerText")
        for word in ("player", "baseline", "residual", "nfidelity", "logit", "f(x)", "eaked", "hand out"):
            self.assertNotIn(word, words)
        self.find("#depth").click()
        words = self.run_script("return document.body.innerText")
        for word in ("player", "baseline", "residual", "Infidelity", "f(x)"):
            self.assertIn(word, words)

    def test_no_page_scrolls_sideways_for_experts(self):
        for name, row in rows().items():
            self.open("first-" + name, sample_report.report(row), 390, 844)
            if self.find("#depth").get_attribute("aria-pressed") == "false":
                self.find("#depth").click()
            for width in (320, 390, 1600):
                self.size(width)
                self.assertLessEqual(self.run_script("return document.scrollingElement.scrollWidth"), width, f"{name} at {width}")


class WithoutScript(Browser):
    script = False

    def test_the_answers_are_there_and_experts_open_what_they_want(self):
        self.open("first-image", sample_report.report(sample_report.image_row()), 1400, 900)
        for selector, part in ANSWERS.values():
            self.assertIn(part, self.find(selector).text)
            self.assertLessEqual(self.bottom(selector), 900)
        self.assertFalse(self.find("#depth").is_displayed(), "a switch that does nothing is not shown")
        self.find("#row0-completeness details.expert summary").click()
        self.assertTrue(self.find("#row0-completeness details.expert table").is_displayed())


if __name__ == "__main__":
    unittest.main()
