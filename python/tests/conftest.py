"""What the tests share: the bundled models and the program that they are compared with."""

import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "models"


@pytest.fixture(scope="session")
def models() -> pathlib.Path:
    """The folder of bundled models."""
    return MODELS


@pytest.fixture(scope="session")
def vgg():
    """A network for pictures."""
    import ascribe

    return ascribe.load(MODELS / "relu_vgg.onnx", labels=MODELS / "labels_fashion.txt")


@pytest.fixture(scope="session")
def boot() -> pathlib.Path:
    return MODELS / "images" / "ankle_boot.png"


@pytest.fixture(scope="session")
def table():
    """A network for tables."""
    import ascribe

    return ascribe.load(MODELS / "tabular_mlp.onnx")


@pytest.fixture(scope="session")
def cli():
    """The command line's answer as a document; skipped where the program is not there."""
    program = os.environ.get("ASCRIBE", str(ROOT / "build" / "ascribe"))
    if not os.access(program, os.X_OK):
        pytest.skip("the program ascribe is not built")

    def run(*arguments):
        done = subprocess.run([program, *map(str, arguments), "--json"], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    return run
