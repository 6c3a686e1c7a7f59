"""A wheel is built from this build, and tried in a virtual environment that has nothing else."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parent.parent.parent
TRIAL = """
import graphrun
assert graphrun.__file__.startswith({prefix!r}), graphrun.__file__
print(graphrun.open("kron:8").bfs(source=1, verify=True).verified, graphrun.__version__)
"""


def run(*command):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_a_wheel_works_in_a_fresh_environment(tmp_path, monkeypatch):
    pytest.importorskip("pip")
    pytest.importorskip("wheel")
    pytest.importorskip("ensurepip")
    assert os.environ["GRAPHRUN_BUILD_DIR"]
    monkeypatch.delenv("PYTHONPATH", raising=False)
    run(sys.executable, "-m", "pip", "wheel", SOURCE, "--no-build-isolation", "--no-deps", "--no-index", "--wheel-dir", tmp_path)
    (wheel,) = tmp_path.glob("graphrun-*.whl")
    run(sys.executable, "-m", "venv", "--system-site-packages", tmp_path / "fresh")
    python = tmp_path / "fresh" / "bin" / "python"
    run(python, "-m", "pip", "install", "--no-index", "--no-deps", wheel)
    assert run(python, "-c", TRIAL.format(prefix=str(tmp_path))).startswith("True ")
