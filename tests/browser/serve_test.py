#!/usr/bin/env python3
"""The viewer in headless Chromium, as a person uses it: ASCRIBE=build/ascribe python3 serve_test.py

What the page shows is held against `ascribe predict` of the masked input as a file.
"""

import base64
import contextlib
import json
import signal
import struct
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from report_test import ASCRIBE, HOSTILE, By, Keys, start_browser

MODELS = Path(__file__).resolve().parents[2] / "models"
PICTURE = [MODELS / "relu_vgg.onnx", MODELS / "images/ankle_boot.png", MODELS / "images/bag.png",
           "--labels", MODELS / "labels_fashion.txt"]
TABLE = [MODELS / "tabular_mlp.onnx", MODELS / "tabular_sample.csv"]


class Program:
    """`ascribe serve` while the test runs."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen([ASCRIBE, "serve", *map(str, arguments)], stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        self.address = self.process.stdout.readline().strip()
        assert self.address.startswith("http://127.0.0.1:"), self.address
        self.origin = "/".join(self.address.split("/")[:3])

    @contextlib.contextmanager
    def end_later(self):
        try:
            yield self
        finally:
            self.end()

    def end(self):
        self.process.terminate()  # whoever runs tests in the background ignores Ctrl-C
        code = self.process.wait(30)
        self.process.stdout.close()
        return code


def write_npy(path, shape, values):
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    head += " " * (63 - (len(head) + 10) % 64) + "\n"
    Path(path).write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode()
                           + struct.pack(f"<{len(values)}f", *values))


def predicted(model, path, *options):
    """The values of a model for a file with one row."""
    done = subprocess.run([ASCRIBE, "predict", str(model), str(path), "--json", "--quiet", *options], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)["predictions"][0]["outputs"][0]["values"]


class Viewer(unittest.TestCase):
    arguments = PICTURE

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.program = Program(*cls.arguments, "--budget", "4s")
        cls.browser = start_browser()
        cls.browser.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": cls.folder.name})

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()
        code = cls.program.end()
        cls.folder.cleanup()
        assert code == -signal.SIGTERM, code

    def setUp(self):
        self.browser.get_log("browser")
        self.browser.get_log("performance")
        self.size(1400)
        self.browser.get(self.program.address)
        self.until(lambda: self.run_script("return document.documentElement.dataset.ready") == "1")

    def tearDown(self):
        self.assertEqual([entry["message"] for entry in self.browser.get_log("browser")], [], "the console must stay empty")
        for entry in self.browser.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] != "Network.requestWillBeSent":
                continue
            url = message["params"]["request"]["url"]
            self.assertTrue(url.startswith((self.program.address, "data:", f"blob:{self.program.origin}")), url)

    def size(self, width, height=1000):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                     {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def find(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def find_all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def run_script(self, code, *arguments):
        return self.browser.execute_script(code, *arguments)

    def until(self, condition, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = condition()
            if found:
                return found
            time.sleep(0.05)
        self.fail(f"it did not happen within {seconds} s; the page says {self.find('#problem-text').text!r}")

    def click(self, selector):
        self.run_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", self.find(selector))
        self.find(selector).click()

    def now(self):
        return float(self.run_script("return document.getElementById('figure-now').dataset.value"))

    def mouse(self, kind, x, y):
        self.browser.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1})

    def drag(self, element, points):
        """Along points of the element, from 0 to 1."""
        self.run_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", element)
        left, top, width, height = self.run_script(
            "const b = arguments[0].getBoundingClientRect(); return [b.left, b.top, b.width, b.height]", element)
        at = [(left + u * width, top + v * height) for u, v in points]
        self.mouse("mousePressed", *at[0])
        for point in at[1:]:
            self.mouse("mouseMoved", *point)
        self.mouse("mouseReleased", *at[-1])

    def settled(self):
        self.until(lambda: not self.run_script("return document.body.classList.contains('waiting')"))
        time.sleep(0.2)
        self.until(lambda: not self.run_script("return document.body.classList.contains('waiting')"))


class Picture(Viewer):
    def pixels(self):
        """The picture that the page shows, 0 to 255."""
        return self.browser.execute_async_script("""
            const done = arguments[0], picture = document.querySelector(".stage-frame img");
            picture.decode().then(() => {
              const canvas = document.createElement("canvas");
              canvas.width = canvas.height = 28;
              const context = canvas.getContext("2d");
              context.drawImage(picture, 0, 0);
              const data = context.getImageData(0, 0, 28, 28).data;
              done(Array.from({length: 784}, (_, i) => data[4 * i]));
            });""")

    def expected(self, masked, target):
        values = [0 if masked(i % 28, i // 28) else value / 255 for i, value in enumerate(self.pixels())]
        path = Path(self.folder.name, "masked.npy")
        write_npy(path, (1, 1, 28, 28), values)
        return predicted(MODELS / "relu_vgg.onnx", path, "--preprocess", "raw")[target]

    def test_opens_with_the_first_row_and_what_the_model_says(self):
        self.assertEqual(self.find("h1").text, "relu_vgg.onnx")
        self.assertIn("ankle_boot.png", self.find("#look-heading").text)
        self.assertIn("The model says Ankle boot", self.find("#answer").text)
        self.assertAlmostEqual(self.now(), self.expected(lambda x, y: False, 9), places=3)
        self.assertIn("Nothing is hidden", self.find("#masked-count").text)

    def test_masking_with_the_mouse_changes_the_output_to_the_right_value(self):
        whole = self.now()
        frame = self.find(".stage-frame")
        self.drag(frame, [(0.5 / 7, 3.5 / 7), (2.5 / 7, 3.5 / 7)])  # three cells of the fourth row
        self.settled()
        expected = self.expected(lambda x, y: 12 <= y < 16 and x < 12, 9)
        self.assertNotAlmostEqual(expected, whole, places=2)
        self.assertAlmostEqual(self.now(), expected, delta=1e-4 * abs(expected) + 1e-4)
        self.assertIn("6.12 % of the picture", self.find("#masked-count").text)
        self.click("#undo")
        self.until(lambda: abs(self.now() - whole) < 1e-9)
        self.click("#invert")
        self.settled()
        self.assertAlmostEqual(self.now(), self.expected(lambda x, y: True, 9), delta=1e-3)
        self.assertEqual(self.find("#figure-now").text, self.find("#figure-hidden").text)
        self.click("#clear")
        self.until(lambda: abs(self.now() - whole) < 1e-9)

    def test_painting_over_what_is_masked_shows_it_again(self):
        frame = self.find(".stage-frame")
        whole = self.now()
        for _ in range(2):
            self.drag(frame, [(0.5, 0.5), (0.5, 0.5)])
            self.settled()
        self.assertAlmostEqual(self.now(), whole, places=9)

    def test_the_brush_masks_pixels(self):
        self.click("input[value=brush]")
        self.run_script("const b = document.querySelector('#mask-tools input[type=range]'); b.value = 1; b.dispatchEvent(new Event('input'))")
        self.drag(self.find(".stage-frame"), [(10.5 / 28, 14.5 / 28), (17.5 / 28, 14.5 / 28)])
        self.settled()
        expected = self.expected(lambda x, y: y == 14 and 10 <= x <= 17, 9)
        self.assertAlmostEqual(self.now(), expected, delta=1e-4 * abs(expected) + 1e-4)
        self.click("input[value=regions]")

    def test_masking_with_the_keyboard(self):
        frame = self.find(".stage-frame")
        self.run_script("document.getElementById('next').focus()")
        frame.send_keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_RIGHT, Keys.SPACE)
        self.settled()
        expected = self.expected(lambda x, y: 8 <= y < 12 and 4 <= x < 8, 9)
        self.assertAlmostEqual(self.now(), expected, delta=1e-4 * abs(expected) + 1e-4)
        frame.send_keys(Keys.ARROW_RIGHT)
        self.assertIn("Row 3, column 3 of the regions: shown", self.find("#masked-count").text)
        frame.send_keys("u")
        self.until(lambda: "Nothing is hidden" in self.find("#masked-count").text)

    def test_another_row_target_and_baseline(self):
        self.click("#next")
        self.until(lambda: "bag.png" in self.find("#look-heading").text)
        self.assertIn("The model says Bag", self.find("#answer").text)
        self.assertFalse(self.find("#next").is_enabled())
        self.drag(self.find(".stage-frame"), [(0.5, 0.5), (0.6, 0.5)])
        self.settled()
        self.run_script("const s = document.getElementById('target'); s.value = '9'; s.dispatchEvent(new Event('change'))")
        self.until(lambda: "Ankle boot" in self.find("#figures").text)
        self.settled()
        self.assertIn("% of the picture is hidden", self.find("#masked-count").text)  # the mask stays
        before = self.now()
        self.run_script("const s = document.getElementById('baseline'); s.value = 'mean'; s.dispatchEvent(new Event('change'))")
        self.until(lambda: abs(self.now() - before) > 1e-6)

    def test_lists_rows_with_what_the_model_says(self):
        self.click("#list summary")
        rows = self.until(lambda: self.find_all("#rows button"))
        self.assertIn("ankle_boot.png", rows[0].text)
        self.assertIn("Ankle boot", rows[0].text)
        rows[1].click()
        self.until(lambda: "bag.png" in self.find("#look-heading").text)

    def test_methods_are_drawn_as_on_the_report(self):
        for box in self.find_all("#methods input:checked"):
            self.run_script("arguments[0].checked = false", box)
        for name in ("gradient_x_input", "occlusion"):
            self.run_script("arguments[0].checked = true", self.find(f"#methods input[value={name}]"))
        self.click("#explain")
        cards = self.until(lambda: self.find_all("#explained .maps > .card"))
        self.assertEqual(len(cards), 2)
        self.run_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", cards[0])
        self.until(lambda: self.run_script("return !document.querySelector('#explained canvas.heat').hidden"))
        box = self.run_script("const b = document.querySelector('#explained .frame').getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]")
        self.mouse("mouseMoved", *box)
        self.until(lambda: "Pixel" in self.find("#explained .readout .place").text)

    def test_masking_while_methods_are_computed_does_not_lose_them(self):
        self.run_script("document.querySelectorAll('#methods input').forEach((box) => (box.checked = true))")
        self.click("#explain")
        for i in range(3):
            self.drag(self.find(".stage-frame"), [(0.1 + 0.2 * i, 0.1), (0.15 + 0.2 * i, 0.1)])
        self.settled()
        self.until(lambda: len(self.find_all("#explained .maps > .card")) > 8, 120)
        self.assertIn("% of the picture", self.find("#masked-count").text)

    def test_two_methods_are_compared(self):
        self.click("#compare")
        cards = self.until(lambda: self.find_all("#compared .maps > .card"))
        self.assertEqual(len(cards), 3)
        self.assertIn("Difference", cards[2].text)
        self.assertTrue(self.until(lambda: self.find("#sentence").text))

    def test_a_file_is_chosen_or_dropped(self):
        path = Path(self.folder.name, "mine.npy")
        write_npy(path, (1, 1, 28, 28), [0.25] * 784)
        self.find("#file").send_keys(str(path))
        self.until(lambda: "mine.npy" in self.find("#look-heading").text)
        expected = predicted(MODELS / "relu_vgg.onnx", path, "--preprocess", "raw")
        self.assertAlmostEqual(self.now(), max(expected), delta=1e-3)
        code = """
            const bytes = Uint8Array.from(atob(arguments[0]), (c) => c.charCodeAt(0));
            const data = new DataTransfer();
            data.items.add(new File([bytes], arguments[1]));
            window.dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true}));"""
        picture = base64.b64encode((MODELS / "images/dress.png").read_bytes()).decode()
        self.run_script(code, picture, f"{HOSTILE}.png")
        self.until(lambda: "svg onload" in self.find("#look-heading").text)
        self.assertIn("The model says Dress", self.find("#answer").text)
        self.assertEqual(self.find_all("#look-heading *"), [])
        self.click("#explain")
        self.until(lambda: self.find_all("#explained .maps > .card"))
        self.assertEqual(self.run_script("return document.querySelectorAll('img[src=x], svg[onload]').length"), 0)
        self.run_script(code, base64.b64encode(b"this is not a picture").decode(), "x.png")
        self.until(lambda: self.find("#problem").is_displayed())
        self.assertIn("x.png", self.find("#problem-text").text)
        self.assertIn("svg onload", self.find("#look-heading").text)  # what was there stays
        self.browser.get_log("browser")  # the refusal is in the console: 400 (Bad Request)

    def test_saves_the_report_which_opens_by_itself(self):
        self.click("#report")
        path = Path(self.folder.name, "report-ankle_boot-png.html")
        self.until(path.exists, 120)
        self.until(lambda: not self.run_script("return document.getElementById('main').inert"))
        self.until(lambda: path.stat().st_size > 100000)
        self.tearDown()
        self.browser.get(path.as_uri())
        self.assertEqual(self.run_script("return document.documentElement.dataset.ready"), "1")
        self.assertIn("ankle_boot.png", self.browser.title)
        self.assertEqual([entry["message"] for entry in self.browser.get_log("browser")], [])
        self.browser.get_log("performance")
        path.unlink()

    def test_work_can_be_stopped(self):
        self.click("#report")
        self.until(lambda: self.find("#status").is_displayed())
        self.find("#cancel").click()
        self.until(lambda: not self.run_script("return document.getElementById('main').inert"), 20)
        self.assertFalse(self.find("#problem").is_displayed())
        self.assertFalse(Path(self.folder.name, "report-ankle_boot-png.html").exists())

    def test_fits_a_phone(self):
        self.size(390, 800)
        self.click("#explain")
        self.until(lambda: self.find_all("#explained .card"))
        self.assertLessEqual(self.run_script("return document.documentElement.scrollWidth"), 390)

    def test_controls_have_names(self):
        unnamed = self.run_script("""
            return Array.from(document.querySelectorAll("main button, main input, main select"))
              .filter((control) => control.offsetParent !== null)
              .filter((control) => !(control.textContent.trim() && control.tagName === "BUTTON") && !control.labels?.length
                && !control.getAttribute("aria-label") && !control.getAttribute("aria-labelledby"))
              .map((control) => control.outerHTML);""")
        self.assertEqual(unnamed, [])

    def test_without_the_token_there_is_nothing(self):
        for path in ("/", "/favicon.ico", "/" + "0" * 48 + "/", "/open"):
            with self.assertRaises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(self.program.origin + path)
            self.assertEqual(refused.exception.code, 403)
            self.assertEqual(refused.exception.read(), b"")
            refused.exception.close()

    def test_no_page_of_another_origin_gets_anything(self):
        with Program(*TABLE).end_later() as other:
            self.browser.get(other.address)
            got = self.browser.execute_async_script("""
                const done = arguments[1];
                fetch(arguments[0] + "open", {method: "POST", headers: {"Content-Type": "application/json"}, body: "{}"})
                  .then((response) => done("answered " + response.status), (error) => done("refused"));""", self.program.address)
            self.assertEqual(got, "refused")
            self.browser.get(self.program.address)
            self.browser.get_log("browser")
            self.browser.get_log("performance")


class Table(Viewer):
    arguments = TABLE

    def test_a_column_is_given_another_value_or_hidden(self):
        columns = self.run_script("return Array.from(document.querySelectorAll('.columns-table tbody tr'), (row) => [row.cells[0].textContent, Number(row.querySelector('input').value)])")
        self.assertGreater(len(columns), 3)
        whole = self.now()
        header, row = (MODELS / "tabular_sample.csv").read_text().splitlines()[:2]
        names, values = header.split(","), [float(cell) for cell in row.split(",")]
        field = self.find(".columns-table tbody tr:nth-child(1) input[type=number]")
        field.send_keys(Keys.CONTROL + "a")
        field.send_keys("3.5", Keys.TAB)
        self.settled()
        at = names.index(columns[0][0])
        path = Path(self.folder.name, "changed.csv")
        path.write_text(header + "\n" + ",".join(str(3.5 if i == at else value) for i, value in enumerate(values)) + "\n")
        changed = predicted(MODELS / "tabular_mlp.onnx", path)
        self.assertTrue(any(abs(self.now() - value) < 1e-4 * max(1, abs(value)) for value in changed), (self.now(), changed))
        self.assertNotAlmostEqual(self.now(), whole, places=4)
        self.click(".columns-table tbody tr:nth-child(1) input[type=checkbox]")
        self.settled()
        path.write_text(header + "\n" + ",".join(str(0 if i == at else value) for i, value in enumerate(values)) + "\n")
        hidden = predicted(MODELS / "tabular_mlp.onnx", path)
        self.assertTrue(any(abs(self.now() - value) < 1e-4 * max(1, abs(value)) for value in hidden), (self.now(), hidden))
        self.click("#undo")
        self.click("#undo")
        self.until(lambda: abs(self.now() - whole) < 1e-9)

    def test_methods_are_bars(self):
        self.click("#explain")
        self.until(lambda: self.find_all("#explained .barcharts .card"))


if __name__ == "__main__":
    unittest.main()
