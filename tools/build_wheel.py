"""What pip calls to make a wheel of the module graphrun (PEP 517): CMake builds it, `wheel pack` packs it.

Needs cmake, a compiler, pybind11 and what tools/install_deps.sh lists; nothing is downloaded. The environment variable
GRAPHRUN_BUILD_DIR names a folder that is configured already, and is built there; else build/wheel is configured.
"""

import os
import re
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
METADATA = """Metadata-Version: 2.1
Name: graphrun
Version: {version}
Summary: Out-of-core graph analytics on GPUs and CPUs
Requires-Python: >=3.9
Requires-Dist: numpy
"""
WHEEL = """Wheel-Version: 1.0
Generator: graphrun
Root-Is-Purelib: false
Tag: {tag}
"""


def _run(*command):
    # To stderr: what a build prints to stdout pip may read as an answer.
    subprocess.run([str(part) for part in command], check=True, stdout=sys.stderr)


def _version():
    return re.search(r"project\(graphrun VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text()).group(1)


def _built():
    """The folder of a build that has the module for this Python."""
    named = os.environ.get("GRAPHRUN_BUILD_DIR")
    folder = Path(named) if named else SOURCE / "build" / "wheel"
    if not named:
        options = ["GRAPHRUN_PYTHON=ON", "GRAPHRUN_BUILD_TESTS=OFF", "GRAPHRUN_BUILD_BENCH=OFF", "CMAKE_BUILD_TYPE=Release",
                   "CMAKE_UNITY_BUILD=ON", "CMAKE_UNITY_BUILD_BATCH_SIZE=20", f"Python_EXECUTABLE={sys.executable}"]  # fmt: skip
        _run("cmake", "-S", SOURCE, "-B", folder, "-G", "Ninja", *("-D" + option for option in options))
    _run("cmake", "--build", folder, "--target", "graphrun_python", "--parallel", os.cpu_count() or 1)
    return folder


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    interpreter = f"cp{sys.version_info.major}{sys.version_info.minor}"
    tag = f"{interpreter}-{interpreter}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
    with tempfile.TemporaryDirectory() as staged:
        _run("cmake", "--install", _built(), "--component", "python", "--strip", "--prefix", staged)
        information = Path(staged, f"graphrun-{_version()}.dist-info")
        information.mkdir()
        (information / "METADATA").write_text(METADATA.format(version=_version()))
        (information / "WHEEL").write_text(WHEEL.format(tag=tag))
        _run(sys.executable, "-m", "wheel", "pack", staged, "--dest-dir", wheel_directory)
    return f"graphrun-{_version()}-{tag}.whl"


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("there is no source distribution: build from a checkout")
