#!/usr/bin/env python3
"""Whether run.py sees what is wrong: programs that crash, hide, leave things behind or write halves."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import run  # noqa: E402
from commands import Command  # noqa: E402

# With a fault (the injector's settings are in the environment) it does WHAT; without one it writes out/a and out/b.
PROGRAM = """#!/bin/sh
if [ -n "$ASCRIBE_FAULT" ]; then
  WHAT
fi
mkdir -p out && printf 'whole' > out/a && printf 'whole' > out/b
for kind in alloc open read mmap write sync rename truncate mkdir lock thread; do echo "$kind 1"; done > "$ASCRIBE_FAULT_REPORT"
"""
CLEAN = "echo 'ascribe: [out] cannot write; no room' >&2; exit 5"


run.Study.between = 0


class Checks(unittest.TestCase):
    def complaints(self, what: str, kind: str = "write", mode: str = "once", **settings) -> str:
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "program"
            program.write_text(PROGRAM.replace("WHAT", what))
            program.chmod(0o700)
            space = pathlib.Path(folder) / "space"
            space.mkdir()
            command = Command("test", [], together="out/", **settings)
            study = run.Study(run.Program(str(program), ""), command, space)
            return " / ".join(study.complaints(run.Point(kind, 1, mode)))

    def test_a_clean_refusal_is_well(self):
        self.assertEqual(self.complaints(CLEAN), "")

    def test_what_nobody_notices_is_well(self):
        self.assertEqual(self.complaints(":", mode="interrupt"), "")

    def test_a_crash_is_seen(self):
        self.assertIn("exit code -6", self.complaints("kill -ABRT $$"))

    def test_a_wrong_code_is_seen(self):
        self.assertIn("exit code 70", self.complaints("echo 'ascribe: no' >&2; exit 70"))
        self.assertIn("exit code 5; expected 0 or 8", self.complaints(CLEAN, kind="alloc"))
        self.assertIn("exit code 5; expected 0", self.complaints(CLEAN, mode="half"))

    def test_silence_and_too_many_words_are_seen(self):
        self.assertIn("0 lines", self.complaints("exit 5"))
        self.assertIn("2 lines", self.complaints("echo 'ascribe: a\nascribe: b' >&2; exit 5"))

    def test_half_a_file_is_seen(self):
        self.assertIn("out/a is neither old nor whole", self.complaints(f"mkdir out; printf 'who' > out/a; {CLEAN}"))

    def test_what_is_left_over_is_seen(self):
        self.assertIn("a.tmp is left over", self.complaints(f"printf 'who' > a.tmp; {CLEAN}"))
        self.assertIn("after the next run", self.complaints(f"printf 'who' > a.tmp; {CLEAN}", kept=r".*\.tmp"))

    def test_half_a_folder_is_seen(self):
        self.assertIn("a part of a new folder", self.complaints(f"mkdir out; printf 'whole' > out/a; {CLEAN}"))

    def test_success_without_a_result_is_seen(self):
        self.assertIn("is missing after exit code 0", self.complaints("exit 0"))

    def test_lost_memory_and_open_files_are_seen(self):
        said = run.lost_things("""==7== FILE DESCRIPTORS: 5 open (3 std) at exit.
==7== Open file descriptor 10: /dev/null
==7==    <inherited from parent>
==7== 
==7== Open file descriptor 4: model.onnx
==7==    at 0x1: open (open64.c:41)
==7== 
==7== 96 bytes in 2 blocks are definitely lost in loss record 3 of 9
==7==    at 0x2: operator new(unsigned long)
""")
        self.assertEqual([words.split(":")[0].split(" in ")[0] for words in said],
                         ["Open file descriptor 4", "96 bytes"])
        self.assertEqual(run.lost_things(""), [])


if __name__ == "__main__":
    unittest.main()
