#!/usr/bin/env python3
"""check_hardening.py on a program that is built here with every protection, and with each of them taken away."""

import platform
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECK = Path(__file__).resolve().parent / "check_hardening.py"
# Many functions whose addresses are taken, a buffer on the stack and a copy whose size is known.
SOURCE = """
#include <stdio.h>
#include <string.h>
#define FOUR(m, n) m(n##0) m(n##1) m(n##2) m(n##3)
#define SIXTEEN(m, n) FOUR(m, n##0) FOUR(m, n##1) FOUR(m, n##2) FOUR(m, n##3)
#define ALL(m) SIXTEEN(m, a) SIXTEEN(m, b) SIXTEEN(m, c) SIXTEEN(m, d) SIXTEEN(m, e) SIXTEEN(m, f) SIXTEEN(m, g) SIXTEEN(m, h)
#define FUNCTION(n) int n(int x) { return x * __LINE__ + sizeof(#n); }
#define ADDRESS(n) n,
ALL(FUNCTION)
int (*volatile functions[])(int) = {ALL(ADDRESS)};
int main(int count, char** words) {
  char text[16];
  strcpy(text, words[0]);
  puts(text);
  return functions[count](count);
}
"""
PROTECTED = ["-O1", "-fPIE", "-pie", "-fstack-protector-strong", "-fcf-protection=full", "-U_FORTIFY_SOURCE",
             "-D_FORTIFY_SOURCE=2", "-Wl,-z,relro,-z,now,-z,noexecstack"]


def check(*instead, name="ascribe"):
    """Exit code and complaints for a program whose last options are these."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "main.c")
        source.write_text(SOURCE)
        subprocess.run(["cc", "-w", source, "-o", Path(folder, name), *PROTECTED, *instead], check=True)
        run = subprocess.run([sys.executable, CHECK, folder], capture_output=True, text=True, check=False)
        return run.returncode, run.stderr


@unittest.skipUnless(platform.machine() == "x86_64", "the options are those of x86-64")
class CheckHardening(unittest.TestCase):
    def test_a_protected_program_passes(self):
        self.assertEqual(check(), (0, ""))

    def test_each_protection_is_missed(self):
        for options, what in {
            ("-fno-PIE", "-no-pie"): "PIE",
            ("-Wl,-z,lazy",): "full RELRO",
            ("-Wl,-z,norelro",): "full RELRO",
            ("-Wl,-z,execstack",): "an executable stack",
            ("-fno-stack-protector",): "no stack protector",
            ("-U_FORTIFY_SOURCE",): "FORTIFY",
            ("-fcf-protection=none",): "no landing pads",
        }.items():
            with self.subTest(options):
                code, text = check(*options)
                self.assertEqual(code, 1)
                self.assertIn("ascribe: ", text)
                self.assertIn(what, text)

    def test_a_folder_without_what_is_shipped_fails(self):
        self.assertEqual(check(name="other")[0], 1)


if __name__ == "__main__":
    unittest.main()
