#!/usr/bin/env python3
"""Fails, naming the file, where a program or library of a folder searches the folder it is started in for libraries.

    check_runpath.py FOLDER

An empty entry of RUNPATH or RPATH (a colon too many) is the current folder, and so is a relative one: whoever can write
there has their library run. Entries from $ORIGIN are where the file itself lies and are fine. Below build/, what a test
has installed or built for itself is left to that test.
"""

import re
import subprocess
import sys
from pathlib import Path

ENTRY = re.compile(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]")
OTHERS = {"CMakeFiles", "install-test", "_deps"}


def binaries(folder):
    """The ELF files below a folder."""
    for path in sorted(folder.rglob("*")):
        if OTHERS.intersection(path.relative_to(folder).parts) or path.is_symlink() or not path.is_file():
            continue
        with path.open("rb") as file:
            if file.read(4) == b"\x7fELF":
                yield path


def search_paths(binary):
    """What its dynamic section says, one text for each entry RUNPATH or RPATH."""
    said = subprocess.run(["readelf", "--dynamic", "--wide", str(binary)], capture_output=True, text=True, check=True)
    return ENTRY.findall(said.stdout)


def wrong_entries(search_path):
    """Those that depend on where the program is started."""
    origins = ("$ORIGIN", "${ORIGIN}")
    return [entry for entry in search_path.split(":")
            if not entry.startswith("/") and not any(entry == o or entry.startswith(o + "/") for o in origins)]


def main():
    folder = Path(sys.argv[1])
    found, wrong = list(binaries(folder)), []
    for binary in found:
        for search_path in search_paths(binary):
            wrong += [f"{binary}: '{entry}' in the search path '{search_path}'" for entry in wrong_entries(search_path)]
    if not found:
        sys.exit(f"there is no program or library below {folder}")
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{len(found)} programs and libraries: {', '.join(path.name for path in found)}")


if __name__ == "__main__":
    main()
