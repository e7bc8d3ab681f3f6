#!/usr/bin/env python3
"""Fails, naming file and line, where a folder of the source tree includes one that is not to its left.

    base < tensor < data, graph < runtime, onnx, passes < model, derivatives < game < methods < theory, metrics < report, api < cli

Folders between the same signs do not see each other. Some libraries may be seen by one folder only.
"""

import re
import sys
from pathlib import Path

LAYERS = [
    {"base"}, {"tensor"}, {"data", "graph"}, {"runtime", "onnx", "passes"}, {"model", "derivatives"}, {"game"}, {"methods"},
    {"theory", "metrics"}, {"report", "api"}, {"cli", "python"},
]
LEVEL = {folder: level for level, folders in enumerate(LAYERS) for folder in folders}

# Headers of a library, and the only folder that may include them.
LIBRARIES = {
    r"oneapi/|dnnl": "runtime/kernels",
    r"cblas|openblas|lapacke": "runtime/kernels",
    r"onnx/|google/protobuf": "onnx",
    r"png\.h|jpeglib\.h": "data",
    r"CLI/": "cli",
    r"expat\.h": "data",
    r"Eigen/": "tensor",
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)')


def complaint(folder, quote, header):
    """What is wrong with this include, or None. `folder` is where the file lies."""
    layer = folder.split("/")[0]
    if layer not in LEVEL:
        return f"'{layer}' is not a layer; the order is in tools/check_layers.py"
    if quote == '"':
        target = header.split("/")[0]
        if "/" not in header or ".." in header:
            return f"'{header}' is not named from the root of the sources"
        if target == layer or LEVEL.get(target, len(LAYERS)) < LEVEL[layer]:
            return None
        return f"{layer} must not see {target}"
    for pattern, only in LIBRARIES.items():
        if re.match(pattern, header) and not (folder + "/").startswith(only + "/"):
            return f"only {only} may see <{header}>"
    return None


def complaints(source):
    for path in sorted(source.rglob("*")):
        if path.suffix not in (".h", ".cpp"):
            continue
        folder = path.relative_to(source).parent.as_posix()
        for number, line in enumerate(path.read_text().splitlines(), 1):
            include = INCLUDE.match(line)
            wrong = include and complaint(folder, *include.groups())
            if wrong:
                yield f"{path}:{number}: {wrong}: {line.strip()}"


def main():
    source = Path(sys.argv[1] if len(sys.argv) > 1 else "src")
    if not source.is_dir():
        sys.exit(f"there is no folder {source}")
    found = list(complaints(source))
    if found:
        sys.exit("\n".join(found))


if __name__ == "__main__":
    main()
