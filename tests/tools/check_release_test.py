#!/usr/bin/env python3
"""check_release.py on changelogs that are right, and wrong in one way each."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from check_release import complaints  # noqa: E402


def check(*headings, version="1.2.0"):
    return complaints("# Changelog\n\n" + "".join(f"## {heading}\n\n- a line\n\n" for heading in headings), version)


class CheckRelease(unittest.TestCase):
    def test_dated_sections_newest_first_are_right(self):
        self.assertEqual(check("1.2.0 - 2026-03-01", "1.1.9 - 2026-01-31", "0.9.0 - 2025-12-01"), [])
        self.assertEqual(check("Unreleased", "1.2.0 - 2026-03-01"), [])

    def test_each_fault_is_named(self):
        for headings, words in {
            ("1.3.0 - 2026-03-01",): "CMakeLists.txt has 1.2.0",
            ("Unreleased",): "the newest release of CHANGELOG.md is none",
            ("1.2.0 - 2026-03-01", "Unreleased"): "'Unreleased' is section 2",
            ("1.2.0",): "the section '1.2.0' is not of the form",
            ("1.2.0 - 2026-02-30",): "2026-02-30 is not a date",
            ("1.2.0 - 2026-01-01", "1.10.0 - 2025-01-01"): "do not go back in number",
            ("1.2.0 - 2026-01-01", "1.1.0 - 2026-01-02"): "do not go back in time",
        }.items():
            with self.subTest(headings):
                self.assertTrue(any(words in line for line in check(*headings)), check(*headings))


if __name__ == "__main__":
    unittest.main()
