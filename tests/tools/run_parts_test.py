#!/usr/bin/env python3
"""run_parts.py on commands that print what test runners print."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = Path(__file__).resolve().parents[2] / "tools" / "run_parts.py"


def run(*words, folder=None):
    done = subprocess.run([sys.executable, PROGRAM, *words], capture_output=True, text=True, check=False, cwd=folder)
    return done.returncode, done.stdout


class RunParts(unittest.TestCase):
    def test_parts_are_counted_and_the_last_line_says_how_many(self):
        code, text = run("a=echo '==== 7 passed in 2 s ===='", "b=echo '100% tests passed, 0 tests failed out of 3'")
        self.assertEqual(code, 0)
        self.assertRegex(text, r"\| a \| passed \| \d+ \| 7 passed in 2 s \|")
        self.assertIn("| b | passed | 0 | 100% tests passed, 0 tests failed out of 3 |", text)
        self.assertIn("Nothing was skipped.", text)
        self.assertTrue(text.endswith("parts: 2 passed, 0 failed\n"))

    def test_the_first_failure_stops_and_the_rest_is_named_as_not_run(self):
        code, text = run("a=true", "b=exit 3", "c=echo never")
        self.assertEqual(code, 1)
        self.assertIn("| b | FAILED (3) |", text)
        self.assertIn("| c | not run |", text)
        self.assertNotIn("never\n", text)
        self.assertTrue(text.endswith("parts: 1 passed, 2 failed\n"))

    def test_it_goes_on_if_told_and_still_fails(self):
        code, text = run("--keep-going", "a=exit 3", "b=echo done")
        self.assertEqual(code, 1)
        self.assertIn("done\n", text)
        self.assertTrue(text.endswith("parts: 1 passed, 1 failed\n"))

    def test_what_was_skipped_is_listed_with_its_reason(self):
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder, "build", "Testing", "Temporary", "LastTest.log")
            log.parent.mkdir(parents=True)
            log.write_text("\n3/9 Testing: Winograd.Fits\n3/9 Test: Winograd.Fits\nCommand: x\n"
                           "w.cpp:1: Skipped\nnot on this machine\n\n[  SKIPPED ]\n")
            lines = "  3 - Winograd.Fits (Skipped)\\nSKIPPED [2] a.py:1: no torch\\nSite: skipped, no network\\n"
            summary = Path(folder, "out", "soak.md")
            code, text = run("--summary", str(summary), f"a=printf '{lines}'", folder=folder)
            self.assertEqual(code, 0)
            for line in ("Skipped: 3", "- a: Winograd.Fits: not on this machine", "- a: SKIPPED [2] a.py:1: no torch",
                         "- a: Site: skipped, no network"):
                self.assertIn(line, summary.read_text())
                self.assertIn(line, text)

    def test_a_part_without_a_command_is_refused(self):
        self.assertNotEqual(run("a")[0], 0)


if __name__ == "__main__":
    unittest.main()
