#!/usr/bin/env python3
"""The page about many rows in headless Chromium, as a person uses it: ASCRIBE=build/ascribe python3 dataset_test.py

The page is made once by `ascribe report` of a bundled model and rows that follow from its sample, and again by
`ascribe render` with texts that mean harm.
"""

import base64
import csv
import io
import json
import random
import subprocess
import unittest
from pathlib import Path

from report_test import ASCRIBE, HOSTILE, Page, start_browser
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

MODELS = Path(__file__).parents[2] / "models"
ROWS = 60


def made_rows():
    """Rows like those of the sample, of which one has a hole."""
    draw = random.Random(1)
    with open(MODELS / "tabular_sample.csv", newline="") as file:
        head, *rows = csv.reader(file)
    lines = [",".join(head)]
    for i in range(ROWS):
        values = [f"{float(value) * (1 + 0.2 * draw.uniform(-1, 1)):.5g}" for value in draw.choice(rows)]
        lines.append(",".join(values[:-1] + [""] if i == 9 else values))
    return "\n".join(lines) + "\n"


class DatasetPage(Page):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = Path(cls.folder.name)
        (folder / "rows.csv").write_text(made_rows())
        subprocess.run([ASCRIBE, "report", MODELS / "tabular_mlp.onnx", folder / "rows.csv", "--rows", str(ROWS), "--pages",
                        "1", "--metric", "completeness", "-o", folder / "many.html", "--quiet"],
                       check=True, stdout=subprocess.DEVNULL)
        cls.report = json.loads((folder / "many.json").read_text())

    def open_many(self, **size):
        self.open_page("many", **size)

    def open_page(self, name, width=1200, height=1000):
        self.browser.get_log("browser")
        self.browser.get_log("performance")
        self.size(width, height)
        self.browser.get(Path(self.folder.name, name + ".html").as_uri())

    def wide(self):
        return self.run_script("return document.documentElement.scrollWidth")


class WithScript(DatasetPage):
    def test_opens_with_every_section(self):
        self.open_many()
        self.assertEqual(self.run_script("return document.documentElement.dataset.ready"), "1")
        for name in ("summary", "outputs", "magnitudes", "dependence", "groups", "spectrum", "disagreement", "misses",
                     "failed", "methods", "settings", "words"):
            self.assertTrue(self.find("#" + name).is_displayed(), name)
        first = self.find("#summary").text
        strongest = self.report["features"][self.report["drawn"][0]]["name"]
        self.assertIn(strongest, first)
        self.assertIn("59 rows explained", first)
        self.assertIn("1 row could not be explained", first)
        self.assertIn("row 9", self.find("#failed").text)

    def test_pointing_at_a_dot_tells_its_row(self):
        self.open_many()
        circle = self.find(".swarm svg circle[data-i='3']")
        self.run_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", circle)
        ActionChains(self.browser).move_to_element(circle).perform()
        text = self.find(".swarm .reading").text
        self.assertRegex(text, r"^row \d+, .* attribution [+-]?[0-9.e-]+, output ")

    def test_the_arrow_keys_go_from_dot_to_dot(self):
        self.open_many()
        svg = self.find(".swarm svg")
        self.run_script("arguments[0].focus()", svg)
        keys = ActionChains(self.browser)
        keys.send_keys(Keys.ARROW_RIGHT).perform()
        first = self.find(".swarm .reading").text
        ActionChains(self.browser).send_keys(Keys.ARROW_RIGHT).perform()
        second = self.find(".swarm .reading").text
        ActionChains(self.browser).send_keys(Keys.ARROW_DOWN).perform()
        third = self.find(".swarm .reading").text
        names = [self.report["features"][f]["name"] for f in self.report["drawn"]]
        self.assertIn(names[0], first)
        self.assertIn(names[0], second)
        self.assertNotEqual(first, second)
        self.assertIn(names[1], third)
        self.assertEqual(len(self.find_all("circle.hot")), 1)

    def test_what_a_dot_says_is_in_the_data(self):
        self.open_many()
        self.run_script("arguments[0].focus()", self.find(".swarm svg"))
        ActionChains(self.browser).send_keys(Keys.ARROW_RIGHT).perform()
        i = int(self.find("circle.hot").get_attribute("data-i"))
        row = self.report["shown"][i]
        self.assertTrue(self.find(".swarm .reading").text.startswith(f"row {row['number']}, "))
        least = min(one["attributions"][self.report["trusted"]][0] for one in self.report["shown"])
        self.assertEqual(row["attributions"][self.report["trusted"]][0], least)

    def test_another_method_can_be_chosen(self):
        self.open_many()
        self.assertEqual(len([one for one in self.find_all(".swarm") if one.is_displayed()]), 1)
        other = next(m for m in range(len(self.report["methods"])) if m != self.report["trusted"])
        self.run_script("const s = document.getElementById('method'); s.value = arguments[0];"
                        "s.dispatchEvent(new Event('change'))", str(other))
        shown = [one for one in self.find_all(".swarm") if one.is_displayed()]
        self.assertEqual([one.get_attribute("data-method") for one in shown], [str(other)])
        self.assertIn(self.report["methods"][other]["title"], shown[0].text)

    def test_tables_are_sorted_by_keyboard(self):
        self.open_many()
        head = self.find("#disagreement table.sortable thead button")
        self.run_script("arguments[0].focus()", head)
        ActionChains(self.browser).send_keys(Keys.ENTER).perform()
        cell = self.find("#disagreement table.sortable thead th")
        self.assertEqual(cell.get_attribute("aria-sort"), "descending")

    def test_numbers_of_a_picture_are_in_the_page(self):
        self.open_many()
        link = self.find("#magnitudes .picture[data-name='magnitudes'] a[download$='.csv']")
        kind, data = link.get_attribute("href").split(",", 1)
        self.assertEqual(kind, "data:text/csv;base64")
        lines = list(csv.DictReader(io.StringIO(base64.b64decode(data).decode())))
        first = self.report["methods"][0]
        self.assertEqual(len(lines), len(self.report["methods"]) * len(self.report["features"]))
        self.assertEqual(float(lines[0]["mean_magnitude"]), first["magnitudes"][0]["mean"])

    def test_saving_a_picture_makes_a_file_of_its_own(self):
        self.open_many()
        saved = self.run_script("""
            let text = "";
            const make = URL.createObjectURL;
            URL.createObjectURL = (blob) => { window.saved = blob; return "data:,"; };
            document.querySelector("#spectrum a.save.svg").click();
            URL.createObjectURL = make;
            return window.saved.text();""")
        self.assertTrue(saved.startswith("<svg"))
        self.assertIn('xmlns="http://www.w3.org/2000/svg"', saved)
        beside = Path(self.folder.name, "many_files", "spectrum.svg").read_text()
        self.assertEqual(saved.count("<rect"), beside.count("<rect"))

    def test_a_row_has_a_page_of_its_own(self):
        self.open_many()
        row = self.report["pages"][0]
        links = self.find_all(f"a[href$='row-{row}.html']")
        self.assertTrue(links)
        page = Path(self.folder.name, "many_files", f"row-{row}.html")
        self.assertIn("<!doctype html>", page.read_text()[:40])

    def test_nothing_is_wider_than_the_window(self):
        for width in (1600, 1400, 768, 390):
            self.open_many(width=width)
            self.assertLessEqual(self.wide(), width)

    def test_printing_shows_heads_and_explanations(self):
        self.open_many()
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        self.assertTrue(self.find("#methods tbody th").is_displayed())
        heads = self.run_script("return document.querySelector('#methods thead').innerText")
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
        self.assertIn("infidelity", heads)

    def test_texts_that_mean_harm_are_texts(self):
        report = json.loads(json.dumps(self.report))
        report["title"] = HOSTILE
        report["trust"] = report["choice"] = report["data"] = report["noun"] = HOSTILE
        for feature in report["features"]:
            feature["name"] = HOSTILE
        for method in report["methods"]:
            method["title"] = HOSTILE
        for row in report["shown"] + report["disagreements"] + report["failed"]:
            row["source"] = row["target"] = row["reason"] = HOSTILE
        report["row_command"] = HOSTILE
        self.open("hostile", report)
        self.assertEqual(self.browser.title.strip(), HOSTILE.strip().replace("\u2028", "\u2028"))
        self.assertEqual(self.find_all("img[src='x']"), [])
        self.assertEqual(self.run_script("return document.querySelectorAll('svg[onload], script').length"), 2)
        self.run_script("arguments[0].focus()", self.find(".swarm svg"))
        ActionChains(self.browser).send_keys(Keys.ARROW_RIGHT).perform()
        self.assertIn("<img src=x", self.find(".swarm .reading").text)


class WithoutScript(DatasetPage):
    script = False

    def test_everything_is_there_to_be_read(self):
        self.open_many()
        for name in ("summary", "magnitudes", "dependence", "groups", "spectrum", "disagreement"):
            self.assertTrue(self.find("#" + name).is_displayed(), name)
        self.assertTrue(self.find(".swarm svg").is_displayed())
        self.assertGreater(len(self.find_all("details.swarm")), 0)
        link = self.find("#spectrum a.save.svg")
        self.assertTrue(Path(self.folder.name, "many_files", "spectrum.svg").as_uri() == link.get_attribute("href"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
