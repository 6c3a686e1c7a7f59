# SPDX-License-Identifier: Apache-2.0
"""pip builds a wheel from this build, as everyone types it, in a virtual environment that has nothing else."""

import os
import platform
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(SOURCE / "tools"))
TRIAL = """
import graphrun
assert graphrun.__file__.startswith({prefix!r}), graphrun.__file__
print(graphrun.open("kron:8").bfs(source=1, verify=True).verified, graphrun.__version__)
"""


def run(*command):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_pip_install_in_a_fresh_environment_and_uninstall(tmp_path, monkeypatch):
    pytest.importorskip("ensurepip")
    assert os.environ["GRAPHRUN_BUILD_DIR"]
    monkeypatch.delenv("PYTHONPATH", raising=False)
    run(sys.executable, "-m", "venv", "--system-site-packages", tmp_path / "fresh")
    programs = tmp_path / "fresh" / "bin"
    run(programs / "python", "-m", "pip", "install", "--no-index", "--no-cache-dir", SOURCE)
    assert run(programs / "python", "-c", TRIAL.format(prefix=str(tmp_path))).startswith("True ")
    run(programs / "graphconv", "kron:6", tmp_path / "k.grf", "--quiet")
    assert "verified" in run(programs / "graphrun", tmp_path / "k.grf", "--algo", "cc", "--verify")
    run(programs / "python", "-m", "pip", "uninstall", "-y", "graphrun")
    assert not [path for path in (tmp_path / "fresh").rglob("*graph*") if "graphrun" in path.name or "graphconv" in path.name]


@pytest.mark.parametrize("asked, gpu, nvcc, built", [
    (None, False, True, "OFF"), (None, True, True, "ON"), (None, True, False, "OFF"), ("on", False, True, "ON"), ("off", True, True, "OFF"),
])  # fmt: skip
def test_cuda_is_built_where_it_is_asked_for_or_a_gpu_is(monkeypatch, asked, gpu, nvcc, built):
    import build_wheel

    monkeypatch.delenv("GRAPHRUN_CUDA", raising=False)
    monkeypatch.setattr(build_wheel, "_has_gpu", lambda: gpu)
    monkeypatch.setattr(build_wheel.shutil, "which", lambda tool: f"/{tool}" if nvcc else None)
    assert build_wheel._cuda({"cuda": asked} if asked else None) == built
    monkeypatch.setenv("GRAPHRUN_CUDA", built)
    assert build_wheel._cuda(None) == built
    with pytest.raises(SystemExit, match="cuda is on, off or auto, not maybe"):
        build_wheel._cuda({"cuda": "maybe"})


def test_what_a_build_lacks_is_said_before_it_begins(monkeypatch):
    import build_wheel

    monkeypatch.delenv("GRAPHRUN_BUILD_DIR", raising=False)
    monkeypatch.setattr(build_wheel.sysconfig, "get_path", lambda _: "/nowhere")
    with pytest.raises(SystemExit, match="graphrun: the build lacks /nowhere/Python.h"):
        build_wheel.get_requires_for_build_wheel()


def test_a_wheel_for_other_distributions_carries_its_libraries(tmp_path):
    if not shutil.which("patchelf"):
        pytest.skip("no patchelf")
    import build_wheel
    import wheel_libraries

    build = Path(os.environ["GRAPHRUN_BUILD_DIR"])
    program = Path(shutil.copy(build / "graphconv", tmp_path))
    names = wheel_libraries.bundle([(program, "$ORIGIN/libs")], tmp_path / "libs")
    found = run("ldd", program)
    assert "libfmt-graphrun.so" in "".join(names) and all(f"{tmp_path}/libs/{name}" in found for name in names)
    assert run(program, "--version").startswith("graphconv ")
    assert "MIT" in "".join(path.read_text() for path in (tmp_path / "libs").glob("copyright.libfmt*"))
    glibc = wheel_libraries.oldest_glibc([program])
    assert (2, 17) <= glibc <= tuple(map(int, platform.libc_ver()[1].split(".")))
    assert f"-manylinux_{glibc[0]}_{glibc[1]}_" in build_wheel._tag(glibc)
    if "libmpi" in run("ldd", build / "graphrun"):
        with pytest.raises(SystemExit, match="is built with MPI"):
            wheel_libraries.bundle([(Path(shutil.copy(build / "graphrun", tmp_path)), "$ORIGIN/libs")], tmp_path / "libs")


def test_an_archive_of_the_sources_has_them_all(tmp_path):
    import build_wheel

    with tarfile.open(tmp_path / build_wheel.build_sdist(tmp_path)) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"PKG-INFO", "CMakeLists.txt", "LICENSE", "src/core/build.cpp", "tests/python/wheel_test.py"} <= names
    assert not [name for name in names if name.startswith(("build", ".git", "datasets/data")) or "__pycache__" in name]
