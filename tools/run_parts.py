#!/usr/bin/env python3
"""Runs commands one after another, says how long each took, what it counted and what it left out.

    run_parts.py [--keep-going] [--summary FILE] NAME=COMMAND...

.ci/run and ./dev soak are lists of such parts. What the commands print is passed on; at the end comes a table, and every
test that was skipped with its reason, so that nothing is left out silently. Stops at the first part that fails, unless it
is told to go on; the exit code is 1 if one failed. --summary writes the table as Markdown, to be pasted into a release.
"""

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

# The closing lines of ctest, gtest, pytest, the comparisons and the fuzzers.
COUNTS = re.compile(r"(\d+% tests passed.*|\[  PASSED  \] \d+ tests?\.|together +\d.*|=*\s*\d+ (passed|failed).*|"
                    r"\d[\d,]* (executions|points|mutants).*)")
# (gtest and the conformance cases through ctest, pytest -rs, commands of ./dev without a network)
SKIPPED = re.compile(r"^\s*(\d+ - \S+ \(Skipped\)|\[  SKIPPED \] .*|SKIPPED \[\d+\].*|.*: skipped, .*)$")
REASONS = Path("Testing/Temporary/LastTest.log")


class Part:
    """A command, and what became of it."""

    def __init__(self, text):
        self.name, _, self.command = text.partition("=")
        if not self.command:
            sys.exit(f"expected NAME=COMMAND; got '{text}'")
        self.seconds, self.code, self.counts, self.skipped = 0.0, None, [], []

    def run(self):
        print(f"\n######## {self.name}: {self.command}", flush=True)
        start = time.monotonic()
        with subprocess.Popen(self.command, shell=True, executable="/bin/bash", stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace") as child:
            try:
                for line in child.stdout:
                    sys.stdout.write(line)
                    sys.stdout.flush()
                    self.look_at(line.rstrip())
            except KeyboardInterrupt:
                child.send_signal(signal.SIGINT)
                raise
        self.code, self.seconds = child.returncode, time.monotonic() - start
        print(f"######## {self.name}: {self.word()} after {self.seconds:.0f} s", flush=True)

    def look_at(self, line):
        if SKIPPED.match(line):
            self.skipped.append(line.strip())
        elif COUNTS.fullmatch(line.strip()):
            self.counts.append(line.strip().strip("= "))

    def word(self):
        if self.code is None:
            return "not run"
        return "passed" if self.code == 0 else f"FAILED ({self.code})"


def reasons():
    """{test: why it was skipped}, from the newest log of ctest in each build folder."""
    found = {}
    for log in Path().glob(f"build*/{REASONS}"):
        for test in re.split(r"\n\d+/\d+ Test(?:ing)?: ", log.read_text(errors="replace")):
            said = re.search(r"Skipped\n+(.*)", test)
            if said:
                found[test.splitlines()[0]] = said.group(1).strip()
    return found


def explained(skipped, why):
    """A skipped test of ctest with the reason from its log; pytest's lines have theirs."""
    name = re.match(r"\d+ - (\S+) \(Skipped\)", skipped)
    return skipped if name is None else f"{name.group(1)}: {why.get(name.group(1)) or 'no reason given'}"


def table(parts):
    rows = ["| part | result | seconds | counted |", "|---|---|---:|---|"]
    rows += [f"| {part.name} | {part.word()} | {part.seconds:.0f} | {'; '.join(part.counts) or '-'} |" for part in parts]
    minutes = sum(part.seconds for part in parts) / 60
    why = reasons()
    skipped = [f"- {part.name}: {explained(line, why)}" for part in parts for line in part.skipped]
    heading = f"Skipped: {len(skipped)}" if skipped else "Nothing was skipped."
    return "\n".join([*rows, "", f"{minutes:.1f} minutes in all.", "", heading, *skipped]) + "\n"


def main():
    words = sys.argv[1:]
    keep_going = "--keep-going" in words
    summary = Path(words[words.index("--summary") + 1]) if "--summary" in words else None
    parts = [Part(word) for word in words if not word.startswith("--") and word != str(summary)]
    for part in parts:
        part.run()
        if part.code != 0 and not keep_going:
            break
    text = table(parts)
    print(f"\n{text}", flush=True)
    if summary:
        summary.parent.mkdir(parents=True, exist_ok=True)
        summary.write_text(text)
    passed = sum(part.code == 0 for part in parts)
    print(f"parts: {passed} passed, {len(parts) - passed} failed")
    sys.exit(0 if passed == len(parts) else 1)


if __name__ == "__main__":
    main()
