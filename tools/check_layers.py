#!/usr/bin/env python3
"""Fails, naming file and line, where a folder of the source tree includes one that is not to its left.

    base < tensor < data, graph < runtime, onnx, passes, draw < model, derivatives < game < methods < theory, metrics
      < study < report < api, serve < cli, python

Folders between the same signs do not see each other. Some libraries may be seen by one folder only, or by some files.
Only the command line may name its options: the rest of the library speaks of settings by their plain names.
Nothing asks the locale, which belongs to the program that uses the library.
No two files define a type of the same name in the same namespace: the linker would make one of their functions.
"""

import re
import sys
from pathlib import Path

LAYERS = [
    {"base"}, {"tensor"}, {"data", "graph"}, {"runtime", "onnx", "passes", "draw"}, {"model", "derivatives"}, {"game"},
    {"methods"}, {"theory", "metrics"}, {"study"}, {"report"}, {"api", "serve"}, {"cli", "python"},
]
LEVEL = {folder: level for level, folders in enumerate(LAYERS) for folder in folders}

# Headers of a library, and the only folders or files that may include them.
LIBRARIES = {
    r"oneapi/|dnnl": ["runtime/kernels/"],
    r"cblas|openblas|lapacke": ["runtime/kernels/"],
    r"onnx/|google/protobuf": ["onnx/"],
    r"png\.h|jpeglib\.h": ["data/"],
    r"expat\.h": ["data/"],
    r"Eigen/": ["tensor/"],
    r"httplib\.h": ["serve/server.cpp"],
    # Heavy headers: everybody else uses what hides them.
    r"CLI/": ["cli/options.cpp", "cli/program.cpp"],
    r"nlohmann/": ["base/json.cpp"],
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)')
# "--target", also inside a longer text; not CSS's var(--line).
OPTION = re.compile(r'"(?:[^"\\]*[^"\\(a-z-])?--[a-z][a-z-]*(?![a-z-]*:)[^"]*"')
# At the beginning of a line, as clang-format leaves them.
NAMESPACE = re.compile(r"(?:inline )?namespace ?([\w:]*) ?\{$")
CLOSES = re.compile(r"\}  // namespace")
TYPE = re.compile(r"(?:struct|class|enum class) (\w+)(?: final)?(?: :[^:].*)? *\{")
# What asks the locale of the whole process, which is not ours.
LOCALE = re.compile(r"<cctype>|\b(?:is(?:alnum|alpha|cntrl|digit|graph|lower|print|punct|space|upper|xdigit)|to(?:lower|upper))\("
                    r"|\b(?:strto(?:d|f|ld)|sto(?:d|f|ld)|ato(?:f|i|l)|sscanf|setlocale)\(")
PRINTS = re.compile(r"\bfmt::print\(|\bstd::(?:printf|puts|cout|cerr|fprintf)\b")


def wrong_include(path, quote, header):
    """What is wrong with this include, or None. `path` is that of the file."""
    layer = path.split("/")[0]
    if quote == '"':
        target = header.split("/")[0]
        if "/" not in header or ".." in header:
            return f"'{header}' is not named from the root of the sources"
        if target == layer or LEVEL.get(target, len(LAYERS)) < LEVEL[layer]:
            return None
        return f"{layer} must not see {target}"
    for pattern, only in LIBRARIES.items():
        if re.match(pattern, header) and not path.startswith(tuple(only)):
            return f"only {' and '.join(only).replace('/ ', ' ').rstrip('/')} may see <{header}>"
    return None


def wrong(path, line):
    layer = path.split("/")[0]
    if layer not in LEVEL:
        return f"'{layer}' is not a layer; the order is in tools/check_layers.py"
    if (include := INCLUDE.match(line)) and (what := wrong_include(path, *include.groups())):
        return what
    comment = line.lstrip().startswith("//")
    if not comment and LOCALE.search(line):
        return "what letters and numbers are depends on the locale here; base/ascii.h and std::from_chars do not"
    if layer != "cli" and not comment:
        if OPTION.search(line):
            return "only cli may name an option of the command line"
        if PRINTS.search(line):
            return "only cli prints"
    return None


def types(lines):
    """Line and full name of the types that a file defines for others to see: in no class and no unnamed namespace."""
    spaces = []
    for number, line in enumerate(lines, 1):
        if opened := NAMESPACE.match(line):
            spaces.append(opened[1])
        elif CLOSES.match(line) and spaces:
            spaces.pop()
        elif (defined := TYPE.match(line)) and "" not in spaces:
            yield number, "::".join([*spaces, defined[1]])


def complaints(source):
    known = {}
    for file in sorted(source.rglob("*")):
        if file.suffix not in (".h", ".cpp"):
            continue
        path = file.relative_to(source).as_posix()
        lines = file.read_text().splitlines()
        for number, line in enumerate(lines, 1):
            if what := wrong(path, line):
                yield f"{file}:{number}: {what}: {line.strip()}"
        for number, name in types(lines):
            if known.setdefault(name, path) != path:
                yield f"{file}:{number}: {known[name]} defines {name}, too"


def main():
    source = Path(sys.argv[1] if len(sys.argv) > 1 else "src")
    if not source.is_dir():
        sys.exit(f"there is no folder {source}")
    found = list(complaints(source))
    if found:
        sys.exit("\n".join(found))


if __name__ == "__main__":
    main()
