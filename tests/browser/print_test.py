#!/usr/bin/env python3
"""The report on paper, and its tables on screen: ASCRIBE=build/ascribe python3 print_test.py

PDFs are printed by headless Chromium, once as people do it from the browser and once by the command, and read again with
pdftotext. Reports are those of sample_report.py, with more methods and longer names.
"""

import base64
import copy
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

try:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    sys.exit("python3-selenium is not installed; ./dev test installs it")

import report_test
import sample_report

ASCRIBE = os.environ.get("ASCRIBE", "build/ascribe")
COUNT = 14
TITLES = [f"Method {word}" for word in ("Alpha", "Beta", "Gamma", "Delta", "Epsilon", "Zeta", "Eta", "Theta", "Iota",
                                        "Kappa", "Lambda", "Omicron", "Sigma", "Omega")]
LONG = "a_very_long_name_of_a_feature_without_any_place_to_break_it_in_two_or_three_parts"


def many_methods(row):
    """The same row with fourteen methods."""
    made = copy.deepcopy(row)
    names = [f"method_{i}" for i in range(COUNT)]
    made["methods"] = []
    for i, name in enumerate(names):
        method = copy.deepcopy(row["methods"][i % len(row["methods"])])
        method.update(name=name, title=TITLES[i], number=i + 1, values=[v * (1 + i / 10) for v in method["values"]])
        made["methods"].append(method)
    made["agreement"].update(methods=names, rank_correlation=[[1.0] * COUNT] * COUNT, top_overlap=[[1.0] * COUNT] * COUNT)
    judged = made["principles"]["methods"]
    made["principles"]["methods"] = [{**copy.deepcopy(judged[i % len(judged)]), "name": name} for i, name in enumerate(names)]
    for metric in made["metrics"]:
        scores = metric["scores"]
        metric["scores"] = [{**copy.deepcopy(scores[i % len(scores)]), "method": name} for i, name in enumerate(names)]
    made["differences"] = [{"first": names[i], "second": names[j], "cosine": 0.5, "difference": 1.0,
                            "sentence": f"Pair {i} and {j}: 67 % of the difference is what two parts do together."}
                           for i in range(COUNT) for j in range(i + 1, COUNT)]
    return made


def text_row():
    """A text of sixty words, without the one that has four hundred letters."""
    row = sample_report.text_row()
    row["text"].pop()
    return row


def wide_table_row(count=30):
    """A table of thirty columns, two of them with names that are hard to set."""
    row = sample_report.table_row()
    names = [f"column number {i}" for i in range(count)]
    names[3], names[7] = LONG, "a feature whose name is a whole sentence, as people write them in spreadsheets"
    row["players"] = {"description": "columns", "names": names, "values": [f"{i * 1234.5:.6g}" for i in range(count)], "owner": None}
    for method in row["methods"]:
        method["values"] = [(-1) ** i * 12345.678 / (i + 1) for i in range(count)]
    return many_methods(row)


REPORTS = {"image": lambda: sample_report.report(many_methods(sample_report.image_row())),
           "table": lambda: sample_report.report(wide_table_row()),
           "text": lambda: sample_report.report(many_methods(text_row())),
           "sequence": lambda: sample_report.report(many_methods(sample_report.sequence_row()))}


def text_of(pdf, page=None, layout="-layout"):
    pages = [] if page is None else ["-f", str(page), "-l", str(page)]
    return subprocess.run(["pdftotext", layout, *pages, pdf, "-"], check=True, capture_output=True, text=True).stdout


def page_count(pdf):
    info = subprocess.run(["pdfinfo", pdf], check=True, capture_output=True, text=True).stdout
    return int(re.search(r"Pages:\s+(\d+)", info).group(1))


class Paper(report_test.Page):
    def printed(self, name, paper=(8.27, 11.69)):
        """As the browser prints it, on A4 if nothing else is said."""
        self.open("print-" + name, REPORTS[name]())
        answer = self.browser.execute_cdp_cmd("Page.printToPDF", {"paperWidth": paper[0], "paperHeight": paper[1],
                                                                  "printBackground": True, "preferCSSPageSize": True})
        pdf = Path(self.folder.name, name + ".pdf")
        pdf.write_bytes(base64.b64decode(answer["data"]))
        return pdf

    def record(self, name):
        """The hash of the data that a page of this report names."""
        source = Path(self.folder.name, "record.json")
        source.write_text(json.dumps(REPORTS[name]()))
        page = Path(self.folder.name, "record.html")
        subprocess.run([ASCRIBE, "render", source, "-o", page, "--quiet", "--force"], check=True)
        return re.search(r"SHA-256 of report.json</th>\s*<td>([0-9a-f]{64})<", page.read_text()).group(1)

    def test_is_four_to_six_pages_with_a_record_on_each(self):
        for name in REPORTS:
            pdf = self.printed(name)
            count = page_count(pdf)
            self.assertIn(count, range(3, 7), name)
            record = self.record(name)[:16]
            for page in range(1, count + 1):
                words = text_of(pdf, page)
                for part in (f"Page {page} of {count}", record, "net.onnx", "0" * 16, "ascribe 0.1.0"):
                    self.assertIn(part, words, f"{name}, page {page}")

    def test_letter_is_fine_too(self):
        self.assertIn(page_count(self.printed("image", (8.5, 11))), range(3, 8))

    def test_heads_of_tables_are_on_paper(self):
        for name in REPORTS:
            words = re.sub(r"\s+", " ", text_of(self.printed(name)))
            for title in TITLES:
                self.assertGreaterEqual(words.count(title), 5, f"{title} in {name}")  # maps, tables, principles, metrics
            self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
            empty = self.run_script("""
              return Array.from(document.querySelectorAll('thead th')).filter((head) => head.offsetParent !== null)
                .filter((head) => head.innerText.trim() === '').map((head) => head.outerHTML)""")
            shown = self.run_script("return Array.from(document.querySelectorAll('table.players thead th'), (h) => h.innerText.trim())")
            self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
            self.assertEqual(empty, [])
            self.assertEqual(shown[-COUNT:], TITLES)

    def test_columns_that_are_not_chosen_are_on_paper(self):
        self.open("print-image", REPORTS["image"]())
        self.run_script("const s = document.querySelector('#row0-players .choose select'); s.value = '2';"
                        "s.dispatchEvent(new Event('change'))")
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        shown = self.run_script("return Array.from(document.querySelectorAll('table.players thead th'))"
                                ".filter((h) => getComputedStyle(h).display !== 'none').length")
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
        self.assertEqual(shown, COUNT + 1)

    def test_nothing_is_cut_off_at_the_right(self):
        for name in REPORTS:
            self.open("print-" + name, REPORTS[name]())
            self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
            self.size(688)  # 182 mm: A4 within its margins
            beyond = self.run_script("""
              return Array.from(document.querySelectorAll('main *')).filter((e) => e.getClientRects().length > 0)
                .filter((e) => e.getBoundingClientRect().right > 689 && !e.closest('.hidden'))
                .map((e) => e.tagName + '.' + e.className + ' ' + e.getBoundingClientRect().right).slice(0, 5)""")
            self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
            self.assertEqual(beyond, [], name)

    def test_says_what_stays_on_screen(self):
        words = re.sub(r"\s+", " ", text_of(self.printed("image")))
        self.assertIn("On paper the first 12 of 24", words)
        self.assertIn("the other 88 are in the page on screen", words)
        self.assertIn("Pair 0 and 1:", words)
        self.assertNotIn("Pair 12 and 13:", words)
        self.assertNotIn("How to read this", words)

    def test_several_rows_begin_a_page_each(self):
        rows = [sample_report.image_row("first.png"), sample_report.image_row("second.png"), sample_report.table_row("third.csv")]
        self.open("print-rows", sample_report.report(*rows))
        answer = self.browser.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
        pdf = Path(self.folder.name, "rows.pdf")
        pdf.write_bytes(base64.b64decode(answer["data"]))
        pages = [text_of(pdf, page) for page in range(1, page_count(pdf) + 1)]
        for source in ("second.png", "third.csv"):
            first = next(page for page in pages[1:] if source in page)
            lines = [line.strip() for line in first.splitlines() if line.strip()]
            self.assertTrue(any(source in line for line in lines[:3]), lines[:4])

    def test_the_command_prints_the_same(self):
        data, pdf = Path(self.folder.name, "command.json"), Path(self.folder.name, "command.pdf")
        data.write_text(json.dumps(REPORTS["image"]()))
        subprocess.run([ASCRIBE, "render", data, "-o", pdf, "--quiet"], check=True)
        self.assertEqual(page_count(pdf), page_count(self.printed("image")))
        self.assertIn(self.record("image")[:16], text_of(pdf, 1))
        size = re.search(r"Page size:\s+([\d.]+) x ([\d.]+)",
                         subprocess.run(["pdfinfo", pdf], check=True, capture_output=True, text=True).stdout)
        self.assertAlmostEqual(float(size.group(1)), 595, delta=1.5)  # A4
        self.assertAlmostEqual(float(size.group(2)), 842, delta=1.5)

    def test_the_hash_is_that_of_the_file_beside_it(self):
        pdf = Path(self.folder.name, "product.pdf")
        models = Path(__file__).resolve().parents[2] / "models"
        subprocess.run([ASCRIBE, "report", models / "tabular_mlp.onnx", models / "tabular_sample.csv", "--row", "0", "--method",
                        "gradient_x_input,occlusion", "--metric", "infidelity", "-o", pdf, "--quiet"], check=True)
        record = hashlib.sha256(pdf.with_suffix(".json").read_bytes()).hexdigest()
        for page in range(1, page_count(pdf) + 1):
            self.assertIn(record[:16], text_of(pdf, page))
        self.assertIn(record, re.sub(r"\s+", "", text_of(pdf, layout="-raw")))


class Interrupted(unittest.TestCase):
    def test_ctrl_c_ends_the_browser_and_leaves_nothing(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "tmp").mkdir()
            data, pdf, browser = folder / "report.json", folder / "report.pdf", folder / "browser"
            data.write_text(json.dumps(REPORTS["image"]()))
            browser.write_text(f"#!/bin/sh\nsleep 100 &\necho $$ $! > {folder}/began.part\nmv {folder}/began.part {folder}/began\nwait\n")
            browser.chmod(0o755)
            environment = {**os.environ, "ASCRIBE_BROWSER": str(browser), "TMPDIR": str(folder / "tmp")}
            work = subprocess.Popen([ASCRIBE, "render", data, "-o", pdf], env=environment, stderr=subprocess.DEVNULL)
            while not (folder / "began").exists():
                self.assertIsNone(work.poll())
                time.sleep(0.02)
            work.send_signal(signal.SIGINT)
            self.assertIn(work.wait(timeout=20), (-signal.SIGINT, 128 + signal.SIGINT))
            self.assertFalse(pdf.exists())
            self.assertEqual(list((folder / "tmp").iterdir()), [])
            for process in map(int, (folder / "began").read_text().split()):
                self.assertTrue(self.ended(process), process)

    def ended(self, process):
        for _ in range(200):
            try:
                if Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] in "ZX":
                    return True
            except (FileNotFoundError, ProcessLookupError):
                return True
            time.sleep(0.02)
        return False


class Tables(report_test.Page):
    def heads(self):
        return [head.get_attribute("data-name") or head.text for head in self.find_all("table.players thead th") if head.is_displayed()]

    def open_table(self, width=1400):
        self.open("print-table", REPORTS["table"](), width=width)

    def test_a_method_is_chosen_by_the_keyboard_and_stays_when_lines_are_sorted(self):
        self.open_table()
        self.assertEqual(self.heads(), ["column", "value", *TITLES])
        select = self.find("#row0-players .choose select")
        select.send_keys("Only Method Gamma")
        self.assertEqual(self.heads(), ["column", "value", "Method Gamma"])
        self.find("table.players thead th:nth-child(5) button").send_keys(Keys.ENTER)
        self.assertEqual(self.heads(), ["column", "value", "Method Gamma"])
        cells = [cell for cell in self.find_all("table.players tbody tr:first-child > *") if cell.is_displayed()]
        self.assertEqual(len(cells), 3)
        select.send_keys("All")
        self.assertEqual(len(self.heads()), COUNT + 2)

    def test_any_columns_can_be_chosen(self):
        self.open_table()
        self.find("#row0-players .choose summary").send_keys(Keys.ENTER)
        boxes = self.find_all("#row0-players .choose input")
        self.assertEqual(len(boxes), COUNT + 1)
        for box in boxes[2:]:
            box.send_keys(Keys.SPACE)
        self.assertEqual(self.heads(), ["column", "value", TITLES[0]])
        boxes[4].send_keys(Keys.SPACE)
        self.assertEqual(self.heads(), ["column", "value", TITLES[0], TITLES[3]])
        self.assertEqual(self.find("#row0-players .choose select").get_attribute("value"), "some")

    def test_a_narrow_window_shows_one_method_until_somebody_chooses(self):
        self.open_table(width=390)
        self.assertEqual(len(self.heads()), 3)
        self.size(1400)
        self.assertEqual(len(self.heads()), COUNT + 2)
        self.size(390)
        self.find("#row0-players .choose select").send_keys("Only Method Omega")
        self.size(1400)
        self.assertEqual(self.heads()[-1], "Method Omega")
        self.assertEqual(len(self.heads()), 3)

    def test_nothing_in_tables_and_bars_is_cut(self):
        for name in REPORTS:
            self.open("print-" + name, REPORTS[name]())
            self.run_script("document.querySelectorAll('details').forEach((part) => part.open = true)")
            for width in (1400, 390):
                self.size(width)
                cut = self.run_script("""
                  return Array.from(document.querySelectorAll('th, td, .bar > .name, .bar > .number, figcaption'))
                    .filter((e) => e.getClientRects().length > 0 && !e.closest('.hidden, .tokens'))
                    .filter((e) => e.scrollWidth > e.clientWidth + 1 || getComputedStyle(e).textOverflow === 'ellipsis')
                    .map((e) => e.tagName + '.' + e.className + ': ' + e.textContent.slice(0, 60)).slice(0, 5)""")
                self.assertEqual(cut, [], f"{name} at {width}")
                self.assertLessEqual(self.run_script("return document.scrollingElement.scrollWidth"), width, f"{name} at {width}")

    def test_fourteen_methods_fit_into_a_window(self):
        self.open("print-image", REPORTS["image"](), width=1400)
        wide = self.run_script("const f = document.querySelector('table.players').closest('.scroll');"
                               "return [f.scrollWidth, f.clientWidth]")
        self.assertLessEqual(wide[0], wide[1])

    def test_heads_and_names_stay_in_sight(self):
        self.open_table(width=600)
        self.find("#row0-players .choose select").send_keys("All")
        place = self.run_script("""
          const frame = document.querySelector('table.players').closest('.scroll');
          frame.scrollTop = 300; frame.scrollLeft = 300;
          const at = frame.getBoundingClientRect(), of = (s) => frame.querySelector(s).getBoundingClientRect();
          return [of('thead th').top - at.top, of('tbody tr:nth-child(20) th').left - at.left, frame.scrollTop, frame.scrollLeft]""")
        self.assertGreater(min(place[2:]), 100)
        self.assertAlmostEqual(place[0], 0, delta=1.5)
        self.assertAlmostEqual(place[1], 0, delta=1.5)


class WithoutScript(report_test.Page):
    script = False

    def test_every_column_is_there_and_scrolls_in_its_frame(self):
        self.open("plain-wide", REPORTS["table"](), width=390)
        self.assertEqual(len([head for head in self.find_all("table.players thead th") if head.is_displayed()]), COUNT + 2)
        self.assertEqual(self.find_all(".choose"), [])
        self.assertEqual(len(self.find_all("table.players tbody tr")), 30)


if __name__ == "__main__":
    for program in ("pdftotext", "pdfinfo"):
        if shutil.which(program) is None:
            sys.exit(f"{program} is not installed; ./dev test installs it (poppler-utils)")
    unittest.main()
