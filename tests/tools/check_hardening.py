#!/usr/bin/env python3
"""Fails, naming the file, where a program or library of a folder was built without the protections of cmake/hardening.cmake.

    check_hardening.py FOLDER

Every ELF file: position independent, all symbols bound before main and read-only from then on (full RELRO), no executable
stack. What users get (ascribe, libascribe, the extension of the Python package): also a stack protector, checked
versions of C's string functions (FORTIFY) and, on x86-64, landing pads for indirect calls (control-flow protection).
"""

import re
import subprocess
import sys
from pathlib import Path

import check_runpath

SHIPPED = re.compile(r"(ascribe|libascribe\.so[.0-9]*|_engine\..*so)")
ENDBR64 = b"\xf3\x0f\x1e\xfa"
FEWEST_LANDING_PADS = 100  # libc's start files alone have a few


def readelf(option, binary):
    said = subprocess.run(["readelf", "--wide", option, str(binary)], capture_output=True, text=True, check=True)
    return said.stdout


def missing(binary):
    """The protections that a file lacks, in words."""
    segments, dynamic = readelf("--program-headers", binary), readelf("--dynamic", binary)
    header = readelf("--file-header", binary)
    found = []
    if not re.search(r"Type:\s+DYN", header):
        found.append("is not position independent (PIE)")
    if "GNU_RELRO" not in segments or not re.search(r"BIND_NOW|FLAGS_1.*\bNOW\b", dynamic):
        found.append("is not bound before main (full RELRO)")
    if not re.search(r"GNU_STACK\s+(0x\w+\s+){5}RW\s", segments):
        found.append("has an executable stack")
    if SHIPPED.fullmatch(binary.name):
        found += missing_in_code(binary, x86="X86-64" in header)
    return found


def missing_in_code(binary, x86):
    symbols = readelf("--dyn-syms", binary)
    found = []
    if "__stack_chk_fail" not in symbols:
        found.append("has no stack protector")
    if not re.search(r"UND __\w+_chk\b(?<!__stack_chk)", symbols):
        found.append("has no checked string functions (FORTIFY)")
    if x86 and binary.read_bytes().count(ENDBR64) < FEWEST_LANDING_PADS:
        found.append("has no landing pads (control-flow protection)")
    return found


def main():
    folder = Path(sys.argv[1])
    binaries = list(check_runpath.binaries(folder))
    wrong = [f"{binary}: {what}" for binary in binaries for what in missing(binary)]
    if not any(SHIPPED.fullmatch(binary.name) for binary in binaries):
        sys.exit(f"there is no ascribe, libascribe or _engine below {folder}")
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{len(binaries)} programs and libraries: {', '.join(binary.name for binary in binaries)}")


if __name__ == "__main__":
    main()
