#!/usr/bin/env python3
"""The report's page in headless Chromium, as a person uses it: ASCRIBE=build/ascribe python3 report_test.py

Pages are made by `ascribe render` from the reports of sample_report.py.
"""

import copy
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    from selenium import webdriver
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    sys.exit("python3-selenium is not installed; ./dev test installs it")

import sample_report

ASCRIBE = os.environ.get("ASCRIBE", "build/ascribe")
HOSTILE = "<img src=x onerror=alert(1)>\"'</script><script>alert(2)</script>&lt;b&gt;\u2028]]>--><svg onload=alert(3)>"


def start_browser(*, script=True):
    for program in ("chromium", "chromedriver"):
        if not Path("/usr/bin", program).exists():
            sys.exit(f"/usr/bin/{program} is not installed; ./dev test installs it")
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                     "--force-color-profile=srgb", "--force-prefers-reduced-motion", "--no-first-run",
                     "--disable-extensions", "--disable-background-networking", "--disable-component-update", "--disable-sync"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    if not script:
        options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
    try:  # where the driver is was an argument of its own before Selenium 4
        from selenium.webdriver.chrome.service import Service
        return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    except TypeError:
        return webdriver.Chrome(executable_path="/usr/bin/chromedriver", options=options)


class Page(unittest.TestCase):
    """Pages are made once; the browser is shared, and every test opens its page anew."""

    script = True

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.browser = start_browser(script=cls.script)

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()
        cls.folder.cleanup()

    def make(self, name, report):
        source, page = Path(self.folder.name, name + ".json"), Path(self.folder.name, name + ".html")
        if not page.exists():
            source.write_text(json.dumps(report))
            subprocess.run([ASCRIBE, "render", source, "-o", page, "--quiet"], check=True)
        return page.as_uri()

    def open(self, name, report, width=1200, height=1000):
        self.browser.get_log("browser")
        self.browser.get_log("performance")
        self.size(width, height)
        self.browser.get(self.make(name, report))

    def size(self, width, height=1000):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                     {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def find(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def find_all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def run_script(self, code, *arguments):
        return self.browser.execute_script(code, *arguments)

    def tearDown(self):
        if self.browser.current_url == "data:,":
            return
        complaints = [entry["message"] for entry in self.browser.get_log("browser")]
        self.assertEqual(complaints, [], "the console must stay empty")
        requests = []
        for entry in self.browser.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                requests.append(message["params"]["request"]["url"])
        fetched = [url for url in requests if not url.startswith(("file:", "data:"))]
        self.assertEqual(fetched, [], "nothing may be fetched")
        self.assertLessEqual(len([url for url in requests if url.startswith("file:")]), 2, requests)


class WithScript(Page):
    def hover(self, method, x, y):
        """Points at the middle of a pixel of a map; tells the values that the cards then show."""
        row = self.report["rows"][0]
        frame = self.find_all(".maps:not(.triples) > .card .frame")[method]
        self.run_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", frame)
        box = self.run_script("const b = arguments[0].getBoundingClientRect(); return [b.left, b.top, b.width, b.height]", frame)
        width, height = (row["image"]["width"], row["image"]["height"]) if row["image"] else (len(row["players"]["names"]), 1)
        left = round(box[0] + box[2] * (x + 0.5) / width)
        top = round(box[1] + box[3] * (y + 0.5) / height)
        self.browser.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": left, "y": top})
        return self.readings()

    def readings(self):
        return [(card.get_attribute("data-pixel"), card.get_attribute("data-player"), card.text)
                for card in self.find_all(".maps:not(.triples) .reading .value")]

    def open_image(self, **size):
        self.report = sample_report.report(sample_report.image_row())
        self.open("image", self.report, **size)

    def test_opens_with_every_section(self):
        self.open_image()
        self.assertEqual(self.browser.title, "A boot")
        self.assertEqual(self.run_script("return document.documentElement.dataset.ready"), "1")
        for name in ("summary", "prediction", "maps", "players", "completeness", "effects", "principles", "agreement", "metrics"):
            self.assertTrue(self.find(f"#row0-{name}").is_displayed(), name)
        self.assertTrue(self.find("#settings").is_displayed())
        self.assertIn("boot.png looks like “boot” to this model: 97.0 %", self.find("#row0-summary").text)
        self.assertIn("Shapley value", self.find("#row0-summary .which").text)

    def test_pointing_at_a_pixel_shows_the_values_of_the_report(self):
        self.open_image()
        row = self.report["rows"][0]
        for method, x, y in ((0, 3, 5), (2, 11, 7), (1, 0, 0)):
            shown = self.hover(method, x, y)
            pixel = 12 * y + x
            player = row["players"]["owner"][pixel]
            for result, (here, whole, text) in zip(row["methods"], shown):
                expected = result["values"][player]
                self.assertAlmostEqual(float(whole), expected, places=12, msg=f"{result['name']} at {x}, {y}")
                scale = result["map"]["scale"]
                raw = sample_report.base64.b64decode(result["map"]["data"])
                stored = scale * int.from_bytes(raw[2 * pixel:2 * pixel + 2], "little", signed=True)
                self.assertAlmostEqual(float(here), stored, places=12)
                self.assertAlmostEqual(float(text), expected, delta=1e-3 * abs(expected) + 1e-9)
            self.assertIn(f"row {y + 1}, column {x + 1}, of the region “row {player // 6 + 1}, column {player % 6 + 1}”",
                          self.find(".readout").text)
            outlines = {path.get_attribute("d") for path in self.find_all(".maps:not(.triples) .cursor .over")}
            self.assertEqual(len(outlines), 1, "the same outline in every map")
            self.assertIn("h1", outlines.pop())

    def test_arrow_keys_move_over_the_map(self):
        self.open_image()
        frame = self.find(".maps .frame")
        self.hover(0, 3, 5)
        frame.send_keys(Keys.ARROW_RIGHT)
        self.assertIn("row 6, column 5", self.find(".readout").text)
        frame.send_keys(Keys.ARROW_UP)
        self.assertIn("row 5, column 5", self.find(".readout").text)
        self.assertEqual(len([f for f in self.find_all(".maps .frame") if f.get_attribute("tabindex") == "0"]), 1)
        frame.send_keys(Keys.ESCAPE)
        self.assertIn("Point at a map", self.find(".readout").text)

    def test_a_line_of_the_table_marks_its_player_in_the_maps(self):
        self.open_image()
        line = self.find_all("table.players tbody tr")[2]
        self.run_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", line)
        ActionChains(self.browser).move_to_element(line.find_element(By.TAG_NAME, "th")).perform()
        self.assertIn("hot", line.get_attribute("class"))
        self.assertIn(f"of the region “{line.find_element(By.TAG_NAME, 'th').text}”", self.find(".readout").text)

    def test_the_table_of_players_sorts_and_shows_all(self):
        self.open_image()
        self.assertEqual(len(self.find_all("table.players tbody tr")), 20)
        self.find(".more .all").click()
        self.assertEqual(len(self.find_all("table.players tbody tr")), 24)
        values = self.report["rows"][0]["methods"][1]["values"]
        head = self.find_all("table.players thead th")[2]
        for expected, order in ((sorted(values, reverse=True), "descending"), (sorted(values), "ascending")):
            head.find_element(By.TAG_NAME, "button").send_keys(Keys.ENTER)
            shown = [float(cell.get_attribute("data-v")) for cell in self.find_all("table.players tbody tr > :nth-child(3)")]
            self.assertEqual(shown, expected)
            self.assertEqual(head.get_attribute("aria-sort"), order)

    def test_other_tables_sort(self):
        self.open_image()
        self.find("#row0-completeness details.expert summary").click()
        self.find_all("#row0-completeness .expert thead button")[6].click()
        shown = [cell.text for cell in self.find_all("#row0-completeness .expert tbody tr > :nth-child(7)")]
        self.assertEqual(shown, ["40", "30", "20", "10"])

    def pixels(self):
        return self.run_script("return Array.from(document.querySelector('.maps canvas').getContext('2d')"
                               ".getImageData(0, 0, 12, 8).data)")

    def test_the_colour_limit_changes_the_maps(self):
        self.open_image()
        self.run_script("document.querySelector('.maps').scrollIntoView()")
        slider = self.find(".controls .limit")
        slider.send_keys(Keys.ARROW_RIGHT)
        before, limit = self.pixels(), self.find(".card .high").text
        slider.send_keys(Keys.ARROW_RIGHT * 20)
        after = self.pixels()
        self.assertNotEqual(before, after)
        self.assertGreater(sum(after), sum(before), "a larger limit makes paler colours")
        self.assertGreater(float(self.find(".card .high").text), float(limit))
        self.find_all(".controls input[type=radio]")[1].click()
        self.assertEqual(len({high.text for high in self.find_all(".card .high")}), 1, "one scale for all")
        self.find(".controls .reset").click()
        self.assertGreater(len({high.text for high in self.find_all(".card .high")}), 1, "scales of their own again")

    def test_the_opacity_changes_how_maps_lie_over_the_input(self):
        self.open_image()
        opacity = "return getComputedStyle(document.querySelector('.maps .heat')).opacity"
        self.assertEqual(float(self.run_script(opacity)), 0.85)
        self.find(".controls .opacity").send_keys(Keys.HOME)
        self.assertEqual(float(self.run_script(opacity)), 0)

    def test_light_and_dark_can_be_switched_and_are_kept(self):
        self.open_image()
        ground = "return getComputedStyle(document.body).backgroundColor"
        first = self.run_script(ground)
        self.find("#theme").click()
        second = self.run_script(ground)
        self.assertNotEqual(first, second)
        self.browser.refresh()
        self.assertEqual(self.run_script(ground), second)
        self.find("#theme").click()
        self.assertEqual(self.run_script(ground), first)

    def test_no_page_scrolls_sideways(self):
        rows = {"image": sample_report.image_row(), "table": sample_report.table_row(),
                "sequence": sample_report.sequence_row(), "text": sample_report.text_row()}
        for name, row in rows.items():
            self.open(name, sample_report.report(row))
            self.run_script("document.querySelectorAll('details').forEach((part) => part.open = true)")
            for width in (320, 390, 1600):
                self.size(width)
                self.assertLessEqual(self.run_script("return document.scrollingElement.scrollWidth"), width, f"{name} at {width}")

    def test_everything_is_reached_by_the_tab_key(self):
        self.open_image()
        reached = []
        for _ in range(120):
            self.browser.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": "keyDown", "key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9})
            what = self.run_script("const e = document.activeElement; const s = getComputedStyle(e);"
                                   "return [e.tagName, e.className, e.id, s.outlineStyle, e.textContent.slice(0, 30)]")
            if what[0] == "BODY":
                break
            reached.append(what)
        self.assertEqual(reached[0][1], "skip")
        names = [entry[1] for entry in reached]
        ids = [entry[2] for entry in reached]
        for name in ("frame", "limit", "opacity", "reset", "scroll", "all"):
            self.assertIn(name, names)
        self.assertIn("theme", ids)
        self.assertTrue(any(entry[0] == "SUMMARY" for entry in reached))
        hidden = [entry for entry in reached if entry[3] == "none"]
        self.assertEqual(hidden, [], "what has the focus shows it")

    def test_headings_follow_each_other_and_pictures_have_words(self):
        self.open_image()
        levels = self.run_script("return Array.from(document.querySelectorAll('h1,h2,h3,h4')).map((h) => Number(h.tagName[1]))")
        self.assertEqual(levels[0], 1)
        self.assertTrue(all(after - before <= 1 for before, after in zip(levels, levels[1:])), levels)
        without = self.run_script("return Array.from(document.images).filter((i) => !i.alt && !i.closest('[aria-label]')).length")
        self.assertEqual(without, 0)
        self.assertEqual(self.run_script("return document.querySelectorAll('svg:not([aria-label]):not([aria-hidden])').length"), 0)
        ids = self.run_script("return Array.from(document.querySelectorAll('[id]')).map((e) => e.id)")
        self.assertEqual(len(ids), len(set(ids)))
        broken = self.run_script("return Array.from(document.querySelectorAll('a[href^=\"#\"]'))"
                                 ".filter((a) => !document.getElementById(a.hash.slice(1))).length")
        self.assertEqual(broken, 0)

    def test_tables_have_bars_and_a_waterfall(self):
        self.open("table", sample_report.report(sample_report.table_row()))
        self.assertEqual(len(self.find_all(".barcharts:not(.waterfalls) .card")), 4)
        shown = [chart for chart in self.find_all(".waterfall") if chart.is_displayed()]
        self.assertEqual(len(shown), 1)
        words = shown[0].text
        for part in ("with everything hidden", "area = 74", "+1", "the result", "9"):
            self.assertIn(part, words)
        self.find(".pick select").send_keys("Occlusion")
        self.assertIn("Occlusion-1", next(c.text for c in self.find_all(".waterfall") if c.is_displayed()))
        bar = self.find(".barcharts .bar[data-player='1']")
        ActionChains(self.browser).move_to_element(bar).perform()
        self.assertGreater(len(self.find_all("[data-player='1'].hot")), 5)

    def test_sequences_have_strips(self):
        self.report = sample_report.report(sample_report.sequence_row())
        self.open("sequence", self.report)
        shown = self.hover(1, 7, 0)
        for result, (here, _, _) in zip(self.report["rows"][0]["methods"], shown):
            self.assertAlmostEqual(float(here), result["values"][7], places=12)
        self.assertIn("t7 = 0.7", self.find(".readout").text)

    def test_texts_are_coloured_and_point_at_players(self):
        self.open("text", sample_report.report(sample_report.text_row()))
        self.assertEqual(len(self.find_all(".texts .tokens")), 4)
        tokens = self.find_all(".texts .token[data-player='7']")
        self.assertEqual(len(tokens), 4)
        ActionChains(self.browser).move_to_element(tokens[1]).perform()
        hot = self.find_all(".texts .token.hot")
        self.assertEqual([token.text for token in hot], ["word7"] * 4)

    def test_several_rows_have_an_index(self):
        rows = [sample_report.image_row("first.png"), sample_report.image_row("second.png"), sample_report.table_row()]
        self.report = sample_report.report(*rows)
        self.open("rows", self.report)
        links = self.find_all(".index a")
        self.assertEqual([link.find_element(By.TAG_NAME, "b").text for link in links], ["first.png", "second.png", "houses.csv"])
        self.assertEqual(len(self.find_all("article")), 3)
        links[1].click()
        self.assertTrue(self.browser.current_url.endswith("#row1"))

    def hostile(self, value, keep=()):
        """The same document with hostile words added to every text that is shown."""
        if isinstance(value, dict):
            return {(key + HOSTILE if "parameters" in keep else key): self.hostile(part, (*keep, key)) for key, part in value.items()}
        if isinstance(value, list):
            return [self.hostile(part, keep) for part in value]
        machine = {"format", "kind", "png", "data", "better"}
        if isinstance(value, str) and not machine & set(keep[-1:]):
            return value + HOSTILE
        return value

    def test_hostile_names_stay_text(self):
        for name, row in (("image", sample_report.image_row()), ("table", sample_report.table_row())):
            plain = sample_report.report(row)
            self.open(name, plain)
            tags = "return Array.from(document.querySelectorAll('*')).map((e) => e.tagName).sort().join()"
            expected = self.run_script(tags)
            self.open("hostile-" + name, self.hostile(copy.deepcopy(plain)))
            self.assertEqual(self.run_script(tags), expected, "no element more than without the hostile names")
            self.assertIn("A boot<img src=x onerror=alert(1)>", self.find("h1").text)
            self.assertIn("</script><script>alert(2)</script>", self.find("table.players tbody th").text)
            if name == "image":
                self.report = plain
                self.hover(0, 3, 5)
            self.find("table.players thead button").click()
            self.assertEqual(self.run_script(tags.replace(".sort()", ".filter((t) => t !== 'LI' && t !== 'SPAN').sort()")).count("SCRIPT"), 2)
            self.size(390)
            self.assertLessEqual(self.run_script("return document.scrollingElement.scrollWidth"), 390)


class WithoutScript(Page):
    script = False

    def test_everything_static_is_there(self):
        self.open("plain", sample_report.report(sample_report.image_row()))
        heats = self.find_all(".maps img.heat")
        self.assertEqual(len(heats), 4)
        self.assertTrue(all(heat.is_displayed() and heat.size["width"] > 50 for heat in heats))
        self.assertTrue(self.find("table.players").is_displayed())
        self.assertEqual(len(self.find_all("table.players tbody tr")), 20)
        self.assertTrue(self.find(".drawing svg").is_displayed())
        self.find_all("#row0-metrics details.expert summary")[1].click()
        self.assertTrue(self.find(".curves svg").is_displayed())
        for control in (".controls", ".readout", "#theme", "#depth", ".more .all"):
            self.assertFalse(self.find(control).is_displayed(), control + " does nothing without the script")

    def test_every_waterfall_is_there(self):
        self.open("plain-table", sample_report.report(sample_report.table_row()))
        self.assertEqual(len([chart for chart in self.find_all(".waterfall") if chart.is_displayed()]), 4)


if __name__ == "__main__":
    unittest.main()
