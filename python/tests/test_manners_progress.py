"""Who is told how far the work is, and how."""

import contextlib
import io
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import ascribe
from ascribe import _progress

ROW = np.linspace(-1, 1, 8)
MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"


class Terminal(io.StringIO):
    """It remembers what it showed."""

    def isatty(self):
        return True


@pytest.fixture
def impatient(monkeypatch):
    """Bars appear at once."""
    pytest.importorskip("tqdm")
    monkeypatch.setattr(_progress, "_PATIENCE", 0.0)


def shown(work):
    """What a terminal shows of it."""
    with contextlib.redirect_stderr(Terminal()) as terminal:
        work()
    return terminal.getvalue()


def test_a_bar_says_what_is_done_and_goes(impatient, vgg, boot):
    bar = shown(lambda: vgg.explain(boot, ["shapley", "smooth_grad"], **{"shapley.samples": 4}))
    assert "shapley" in bar and "%" in bar
    assert _last_line(bar) == ""


def test_short_work_has_no_bar(table):
    assert shown(lambda: table.explain(ROW, "shapley")) == ""


def test_a_bar_is_wanted_or_not(impatient, vgg, boot):
    ask = {"method": "shapley", "players": "grid:5x5", "samples": 16}
    assert shown(lambda: vgg.explain(boot, **ask, progress=False)) == ""
    with contextlib.redirect_stderr(io.StringIO()) as pipe:
        vgg.explain(boot, **ask)
        assert pipe.getvalue() == ""
        vgg.explain(boot, **ask, progress=True)
        assert "shapley" in pipe.getvalue()


def test_a_bar_goes_when_the_work_fails(impatient):
    def box(rows):
        if _bars():
            raise ZeroDivisionError
        return rows.sum(1)

    f = ascribe.function(box, 20, 1)

    def work():
        with pytest.raises(ZeroDivisionError):
            f.explain(np.ones(20), ["occlusion", "lime", "shapley"], progress=True)

    bar = shown(work)
    assert bar and _last_line(bar) == ""
    assert not _bars()


def test_a_bar_of_a_call_within_a_call(impatient, vgg, boot):
    def mine(model, x, target, baseline):
        return vgg.explain(x, "shapley", players="grid:5x5", samples=4).values

    bar = shown(lambda: vgg.explain(boot, ["shapley", mine], players="grid:5x5", **{"shapley.samples": 4}))
    assert bar and _last_line(bar) == ""
    assert not _bars()


def _last_line(shown):
    """What is left on the line of the cursor."""
    return shown.replace("\x1b[A", "").rpartition("\r")[2].strip()


def _bars():
    from tqdm import tqdm

    return list(getattr(tqdm, "_instances", []))


def test_a_function_is_told_from_the_beginning_to_the_end(vgg, boot):
    told = []
    vgg.explain(boot, "shapley", players="grid:5x5", samples=64, progress=lambda *what: told.append(what))
    assert told
    assert all(task and 0 <= done <= total for task, done, total in told)
    assert any(done == total for _, done, total in told)


def test_nothing_is_shown_in_a_pipe():
    code = """
import sys, ascribe
ascribe._progress._PATIENCE = 0.0
ascribe.load(sys.argv[1]).explain(sys.argv[2], "shapley", samples=8)
"""
    arguments = [sys.executable, "-c", code, str(MODELS / "relu_vgg.onnx"), str(MODELS / "images" / "ankle_boot.png")]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_it_works_where_tqdm_is_not_installed_or_there_is_no_stderr():
    code = """
import sys
sys.modules["tqdm"] = None
import ascribe
m = ascribe.load(sys.argv[1])
m.explain([[0.5] * 8], "shapley", progress=False)
try:
    m.explain([[0.5] * 8], "shapley", progress=True)
except ascribe.ArgumentError as error:
    assert "tqdm" in str(error)
else:
    raise AssertionError("a bar without tqdm")
sys.stderr = None
m.explain([[0.5] * 8], "shapley")
"""
    done = subprocess.run([sys.executable, "-c", code, str(MODELS / "tabular_mlp.onnx")], capture_output=True, text=True,
                          timeout=120)
    assert done.returncode == 0, done.stderr


def test_tqdm_is_not_imported_with_the_package():
    code = "import sys, ascribe; print([m for m in ('tqdm', 'matplotlib', 'torch', 'pandas', 'onnx') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, env=dict(os.environ))
    assert done.stdout == "[]\n"
