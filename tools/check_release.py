#!/usr/bin/env python3
"""Fails where the version and the changelog do not belong together.

    check_release.py [--clean] [FOLDER]

The first section of CHANGELOG.md with a number is that of CMakeLists.txt, semantic and dated; sections go back in time
and in number; only one may be "Unreleased", above all others. --clean: the tree must be as it was committed, and nothing
may be unreleased.
"""

import datetime
import re
import subprocess
import sys
from pathlib import Path

SECTION = re.compile(r"^## (.*)$", re.M)
DATED = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*) - (\d{4}-\d\d-\d\d)")


def complaints(changelog, version):
    """What is wrong, a line each."""
    headings = SECTION.findall(changelog)
    found = [f"'Unreleased' is section {n + 1}; expected the first" for n, heading in enumerate(headings)
             if heading == "Unreleased" and n > 0]
    releases = []
    for heading in headings:
        match = DATED.fullmatch(heading)
        if match:
            releases.append((tuple(map(int, match.groups()[:3])), match.group(4)))
        elif heading != "Unreleased":
            found.append(f"the section '{heading}' is not of the form '1.2.3 - 2026-01-31'")
    for _, date in releases:
        try:
            datetime.date.fromisoformat(date)
        except ValueError:
            found.append(f"{date} is not a date")
    if releases != sorted(set(releases), reverse=True):
        found.append("the sections do not go back in number, newest first")
    if [date for _, date in releases] != sorted((date for _, date in releases), reverse=True):
        found.append("the sections do not go back in time")
    newest = ".".join(map(str, releases[0][0])) if releases else "none"
    if newest != version:
        found.append(f"the newest release of CHANGELOG.md is {newest}; CMakeLists.txt has {version}")
    return found


def main():
    words = [word for word in sys.argv[1:] if word != "--clean"]
    root = Path(words[0]) if words else Path(__file__).resolve().parents[1]
    changelog = (root / "CHANGELOG.md").read_text()
    version = re.search(r"project\(ascribe VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text()).group(1)
    found = complaints(changelog, version)
    if "--clean" in sys.argv:
        if "Unreleased" in SECTION.findall(changelog):
            found.append("there are unreleased changes in CHANGELOG.md; give them a number and a date")
        changed = subprocess.run(["git", "-C", root, "status", "--porcelain"], capture_output=True, text=True, check=True)
        if changed.stdout:
            found.append(f"the tree is not as it was committed:\n{changed.stdout.rstrip()}")
    if found:
        sys.exit("\n".join(found))
    print(f"version {version} and the changelog agree")


if __name__ == "__main__":
    main()
