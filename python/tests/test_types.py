"""A type checker that reads a user's program finds the package's types, the extension's among them."""

import subprocess
import sys

import pytest

PROGRAM = """\
import ascribe
from ascribe import _engine

model = ascribe.load("model.onnx", labels=["no", "yes"])
prediction: ascribe.Prediction = model.predict([[1.0, 2.0]])
version: str = _engine.version()
targets: int = model.targets
wrong: str = model.targets
model.no_such_verb()
_engine.version(1)
"""


def test_mypy_finds_the_types_and_what_is_wrong(tmp_path):
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "program.py"]
    checked = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    complaints = [line for line in checked.stdout.splitlines() if line.startswith("program.py")]
    assert [line.split(":")[1] for line in complaints] == ["8", "9", "10"], checked.stdout
    assert "Incompatible types in assignment" in complaints[0]
    assert "no_such_verb" in complaints[1]
    assert "Too many arguments" in complaints[2]
