#!/usr/bin/env python3
"""Runs the notebooks of docs/notebooks and writes them back with their outputs.

Usage, in .venv-interop: tools/run_notebooks.py [--check] [NAME...]. With --check nothing is written. Exit code 1 if a
notebook fails, warns, tells where it ran, or becomes too large. What differs from run to run (times, counts, ids, the
version of Python) is left out, so that differences are differences.
"""
import argparse
import os
import pathlib
import re
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "docs" / "notebooks"
LARGEST = 400_000  # bytes of a notebook with its pictures
SECONDS = 120  # for one cell, on a busy machine
PLACES = re.compile(r"(?<![\w.])/(?:home|root|tmp|work|usr|Users)/\w")
OBJECTS = re.compile(r"<[^<>\n]* at 0x[0-9a-f]+>")


def paths(names=()):
    """The notebooks, or those with these names."""
    found = sorted(FOLDER.glob("*.ipynb"))
    return [path for path in found if not names or path.stem in names]


def execute(path):
    """The notebook with the outputs of a fresh kernel, tidied."""
    import nbclient
    import nbformat

    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(notebook, timeout=SECONDS, kernel_name="python3",
                                     extra_arguments=["--IPKernelApp.log_level=40"],
                                     resources={"metadata": {"path": str(path.parent)}})
    with tempfile.TemporaryDirectory() as folder:  # what matplotlib and others keep
        client.execute(env=_environment(folder))
    return tidy(notebook)


def _environment(folder):
    """Pictures in the notebook, whatever a program outside would use; no bars, nor tqdm's word that widgets would draw
    them."""
    return os.environ | {"MPLBACKEND": "module://matplotlib_inline.backend_inline", "MPLCONFIGDIR": folder,
                         "IPYTHONDIR": folder, "OMP_WAIT_POLICY": "passive", "TQDM_DISABLE": "1",
                         "PYTHONWARNINGS": "ignore:IProgress not found"}


def tidy(notebook):
    """Without what differs from run to run."""
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
                         "language_info": {"name": "python"}}
    notebook.nbformat_minor = 5
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
        cell.metadata = {}
        if cell.cell_type != "code":
            continue
        cell.execution_count = None
        cell.outputs = [_tidy_output(output) for output in cell.outputs]
    return notebook


def _tidy_output(output):
    if "execution_count" in output:
        output.execution_count = None
    if "metadata" in output:
        output.metadata = {}
    return output


def troubles(notebook):
    """What nobody wants to find in a notebook, in words."""
    import nbformat

    found = []
    for number, cell in enumerate(notebook.cells):
        for output in cell.get("outputs", []):
            if output.get("name") == "stderr":
                found.append(f"cell {number} warns: {output.text.strip()[:200]}")
            said = str(output.get("text", "")) + str(output.get("data", {}).get("text/plain", "")) + str(
                output.get("data", {}).get("text/html", ""))
            found += [f"cell {number} says {hit.group()!r}" for hit in (PLACES.search(said), OBJECTS.search(said)) if hit]
    size = len(nbformat.writes(notebook).encode())
    if size > LARGEST:
        found.append(f"it has {size} bytes; expected {LARGEST} at most")
    return found


def main():
    """Runs all of them; the exit code."""
    import nbclient.exceptions
    import nbformat

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    failed = False
    for path in paths(options.names):
        try:
            notebook = execute(path)
            wrong = troubles(notebook)
        except nbclient.exceptions.CellExecutionError as error:
            wrong = [str(error)]
        for trouble in wrong:
            print(f"{path.name}: {trouble}", file=sys.stderr)
        failed = failed or bool(wrong)
        if not wrong and not options.check:
            nbformat.write(notebook, path)
            print(f"{path.name}: {path.stat().st_size // 1000} kB")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
