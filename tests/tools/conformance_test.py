#!/usr/bin/env python3
"""ascribe_conformance --refusals on a few cases: conformance_test.py ascribe_conformance CASES"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CASES, PROGRAM = Path(sys.argv.pop()), sys.argv.pop()
REFUSED = "node.test_det_2d: operator Det\n"


class Refusals(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.group = Path(self.folder.name, "node")
        self.group.mkdir()
        for case in ("test_relu", "test_det_2d"):
            (self.group / case).symlink_to(CASES / "node" / case)
        self.list = Path(self.folder.name, "list.txt")

    def run_with(self, text, *options):
        """Exit code and what it said, with this list of refusals."""
        if text is not None:
            self.list.write_text(text)
        run = subprocess.run([PROGRAM, "--refusals", self.list, *options, self.group], capture_output=True, text=True,
                             check=False)
        return run.returncode, run.stdout + run.stderr

    def test_the_refusals_of_the_list_pass(self):
        self.assertEqual(self.run_with("# words\n" + REFUSED)[0], 0)

    def test_a_refusal_that_is_not_listed_fails_and_is_named(self):
        code, said = self.run_with("")
        self.assertEqual(code, 1)
        self.assertIn("node.test_det_2d is refused: operator Det", said)

    def test_a_listed_case_that_passes_fails_and_is_named(self):
        code, said = self.run_with(REFUSED + "node.test_relu: operator Relu\n")
        self.assertEqual(code, 1)
        self.assertIn("node.test_relu is not refused any more", said)
        self.assertNotIn("test_det_2d is", said)

    def test_a_listed_case_that_does_not_exist_fails_and_is_named(self):
        code, said = self.run_with(REFUSED + "node.test_none: operator None\n")
        self.assertEqual(code, 1)
        self.assertIn("node.test_none is not refused any more", said)

    def test_another_reason_fails_and_is_named(self):
        code, said = self.run_with("node.test_det_2d: operator Inverse\n")
        self.assertEqual(code, 1)
        self.assertIn("node.test_det_2d is refused for another reason: operator Det; expected: operator Inverse", said)

    def test_the_list_is_written_anew(self):
        self.assertEqual(self.run_with(None, "--write")[0], 0)
        self.assertTrue(self.list.read_text().endswith("\n" + REFUSED))
        self.assertEqual(self.run_with(None)[0], 0)

    def test_a_list_that_is_missing_or_malformed_fails(self):
        self.assertNotEqual(self.run_with(None)[0], 0)
        self.assertNotEqual(self.run_with("node.test_det_2d\n")[0], 0)

    def test_options_that_do_not_exist_fail(self):
        self.assertNotEqual(self.run_with(REFUSED, "--at-least")[0], 0)


if __name__ == "__main__":
    unittest.main()
