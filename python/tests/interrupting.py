"""Programs that are interrupted while they work."""

import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"

# A second is what is promised; a machine with much else to do takes longer to notice.
PATIENCE = 20.0

_BEFORE = f"""
import json, os, signal, sys, threading, time
import numpy as np
import ascribe
signal.signal(signal.SIGINT, signal.default_int_handler)
BOOT = {str(MODELS / 'images' / 'ankle_boot.png')!r}
def vgg(**more): return ascribe.load({str(MODELS / 'relu_vgg.onnx')!r}, **more)
def table(**more): return ascribe.load({str(MODELS / 'tabular_mlp.onnx')!r}, **more)
def say(*words): print(*words, flush=True)
"""


def run(body: str, seconds: float = 0.7, limit: float = 90.0, to_group: bool = False) -> tuple[list[str], float]:
    """Runs a program that says "ready" before it works, interrupts it then, and returns the lines that it said after that
    and how many seconds it took to say the first. What it said must begin with "stopped"."""
    # From 3.12 on Python warns of every fork of a process with threads.
    command = [sys.executable, "-W", "ignore::DeprecationWarning:__main__", "-c", _BEFORE + body]
    program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               start_new_session=True)
    watchdog = threading.Timer(limit, os.killpg, (program.pid, signal.SIGKILL))
    watchdog.start()
    try:
        assert program.stdout is not None and program.stderr is not None
        for line in program.stdout:
            if line.strip() == "ready":
                break
        time.sleep(seconds)
        began = time.monotonic()
        (os.killpg if to_group else os.kill)(program.pid, signal.SIGINT)
        first = program.stdout.readline()
        took = time.monotonic() - began
        rest, errors = program.stdout.read(), program.stderr.read()
        program.wait()
    finally:
        watchdog.cancel()
        if program.poll() is None:
            os.killpg(program.pid, signal.SIGKILL)
            program.wait()
        program.stdout.close()
        program.stderr.close()
    assert first.startswith("stopped"), (first, rest, errors)
    assert errors == ""
    assert program.returncode == 0
    return [first.strip(), *rest.splitlines()], took
