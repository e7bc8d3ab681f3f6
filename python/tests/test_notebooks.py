"""The notebooks run from a fresh kernel, and what is committed of them is what a reader wants."""

import importlib.util
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NEEDS = {"image": ("matplotlib",), "table": ("matplotlib", "pandas", "shap", "sklearn"),
         "text": ("matplotlib", "torch", "onnx", "onnxscript"), "audit": ("matplotlib", "pandas"),
         "interactions": ("matplotlib", "pandas")}


def _tool():
    """tools/run_notebooks.py, where the repository is there."""
    path = ROOT / "tools" / "run_notebooks.py"
    if not path.is_file() or not (ROOT / "docs" / "notebooks").is_dir():
        pytest.skip("the notebooks are in the repository, not in the package")
    for name in ("nbclient", "nbformat", "ipykernel"):
        pytest.importorskip(name, reason=f"{name} runs notebooks and is not installed")
    spec = importlib.util.spec_from_file_location("run_notebooks", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _texts(notebook):
    """What was printed, and the words of results."""
    return [str(output.get("text", output.get("data", {}).get("text/plain", "")))
            for cell in notebook.cells for output in cell.get("outputs", [])]


@pytest.mark.parametrize("name", NEEDS)
def test_a_notebook_runs_and_is_fit_to_be_read(name):
    tool = _tool()
    for needed in NEEDS[name]:
        if importlib.util.find_spec(needed) is None:
            pytest.skip(f"the notebook {name} needs {needed}")
    import nbformat

    path = tool.FOLDER / f"{name}.ipynb"
    fresh, committed = tool.execute(path), nbformat.read(path, as_version=4)
    assert tool.troubles(fresh) == []
    assert tool.troubles(committed) == []
    # As many pictures and texts as were committed; their last digits may differ elsewhere.
    assert [len(cell.get("outputs", [])) for cell in fresh.cells] == [len(cell.get("outputs", [])) for cell in
                                                                      committed.cells]
    assert any(_texts(committed))


def test_every_notebook_is_tested_and_listed():
    tool = _tool()
    names = {path.stem for path in tool.paths()}
    assert names == set(NEEDS)
    page = (tool.FOLDER / "README.md").read_text()
    assert all(f"({name}.ipynb)" in page for name in names)
