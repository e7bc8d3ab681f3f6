"""Threads that wait sleep soon, and nobody else is told."""

import os
import subprocess
import sys

SCRIPT = "import ascribe, os; print(os.environ.get('GOMP_SPINCOUNT'))"


def run(**environment: str) -> subprocess.CompletedProcess[str]:
    kept = {k: v for k, v in os.environ.items() if k not in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")}
    kept |= {"OMP_DISPLAY_ENV": "verbose", **environment}
    return subprocess.run([sys.executable, "-c", SCRIPT], env=kept, capture_output=True, text=True, check=True)


def test_the_engine_sleeps_soon_and_the_environment_is_as_before() -> None:
    done = run()
    assert "GOMP_SPINCOUNT = '5000'" in done.stderr
    assert done.stdout.strip() == "None"


def test_what_the_user_said_stands() -> None:
    done = run(GOMP_SPINCOUNT="77")
    assert "GOMP_SPINCOUNT = '77'" in done.stderr
    assert done.stdout.strip() == "77"
