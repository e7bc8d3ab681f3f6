#!/usr/bin/env python3
"""check_runpath.py on a program that is linked here with various search paths."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECK = Path(__file__).resolve().parent / "check_runpath.py"


def check(*search_paths):
    """Exit code and complaints for a folder with a program for each of these search paths."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "main.c")
        source.write_text("int main(void) { return 0; }\n")
        for number, search_path in enumerate(search_paths):
            tags = "--enable-new-dtags" if number % 2 == 0 else "--disable-new-dtags"
            subprocess.run(["cc", source, "-o", Path(folder, f"program{number}"), f"-Wl,{tags},-rpath,{search_path}"],
                           check=True)
        run = subprocess.run([sys.executable, CHECK, folder], capture_output=True, text=True, check=False)
        return run.returncode, run.stderr


class CheckRunpath(unittest.TestCase):
    def test_absolute_entries_and_those_from_the_origin_pass(self):
        self.assertEqual(check("/usr/lib/a", "/usr/lib/a:/opt/b", "$ORIGIN", "$ORIGIN/../lib:/usr/lib/a"), (0, ""))

    def test_empty_entries_fail_naming_the_file(self):
        for search_path in ("/usr/lib/a:", ":/usr/lib/a", "/usr/lib/a::/opt/b"):
            for paths in ((search_path,), ("/usr/lib/a", search_path)):
                code, text = check(*paths)
                self.assertEqual(code, 1)
                self.assertIn(f"program{len(paths) - 1}: '' in the search path '{search_path}'", text)

    def test_relative_entries_fail(self):
        for entry in ("lib", "./lib", "..", "$ORIGINAL/lib"):
            code, text = check(f"/usr/lib/a:{entry}")
            self.assertEqual(code, 1)
            self.assertIn(f"'{entry}'", text)

    def test_a_folder_without_programs_fails(self):
        self.assertEqual(check()[0], 1)


if __name__ == "__main__":
    unittest.main()
