"""The README's Python lines run as they stand."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_the_lines_of_the_readme_run(tmp_path):
    pytest.importorskip("matplotlib")
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    assert len(blocks) == 1
    (tmp_path / "models").symlink_to(ROOT / "models")
    # MPLBACKEND: no window where there is a screen.
    environment = {**os.environ, "MPLBACKEND": "agg"}
    done = subprocess.run([sys.executable, "-c", blocks[0]], cwd=tmp_path, env=environment, capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "boot.png").stat().st_size > 1000
    assert (tmp_path / "table.png").stat().st_size > 1000
    same, sum_of_parts = done.stdout.splitlines()[0].split()
    assert float(same) == pytest.approx(float(sum_of_parts), rel=1e-12)
    assert "value=6.0" in done.stdout.splitlines()[1]
