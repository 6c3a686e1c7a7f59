"""What pip calls to make a wheel of the module graphrun and the programs graphrun and graphconv (PEP 517). CMake builds them.

Needs what tools/install_deps.sh lists, and no package of Python; nothing is downloaded. In the environment:

    GRAPHRUN_CUDA=ON|OFF     with or without the CUDA executor, as --config-settings cuda=on|off of pip (default: where nvcc and
                             a GPU are)
    GRAPHRUN_BUILD_DIR=DIR   builds DIR, which is configured already, in place of build/wheel-cpXY
"""

import base64
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import zipfile
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


def _version():
    return re.search(r"project\(graphrun VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text()).group(1)


def _tag():
    interpreter = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{interpreter}-{interpreter}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def _has_gpu():
    smi = shutil.which("nvidia-smi")
    try:
        return smi is not None and "GPU 0" in subprocess.run([smi, "-L"], capture_output=True, text=True, timeout=30).stdout
    except subprocess.TimeoutExpired:
        _say("graphrun: nvidia-smi does not answer; the build has no GPU code (GRAPHRUN_CUDA=on asks for it)")
        return False


def _cuda(config_settings):
    """ON or OFF."""
    asked = (config_settings or {}).get("cuda") or os.environ.get("GRAPHRUN_CUDA") or "AUTO"
    if asked.upper() in ("ON", "OFF"):
        return asked.upper()
    if asked.upper() != "AUTO":
        raise SystemExit(f"graphrun: cuda is on, off or auto, not {asked}")
    return "ON" if shutil.which("nvcc") and _has_gpu() else "OFF"


def _check_tools():
    """Ends with a sentence before anything is built where something is missing."""
    needed = {"cmake": "cmake", "ninja": "ninja-build", shlex.split(os.environ.get("CXX") or "c++")[0]: "g++"}
    missing = [f"{tool} ({package})" for tool, package in needed.items() if not shutil.which(tool)]
    header = Path(sysconfig.get_path("include"), "Python.h")
    if not header.exists():
        missing.append(f"{header} (python3-dev, or the headers of this Python, {sys.version.split()[0]})")
    if missing:
        raise SystemExit(f"graphrun: the build lacks {', '.join(missing)}; tools/install_deps.sh installs what Debian has")


def _say(text):
    """A line where somebody sees it: pip keeps the output of a build to itself, so it goes to the terminal past pip."""
    try:
        with open("/dev/tty", "w") as terminal:
            terminal.write(f"\n  {text} ")
    except OSError:  # no terminal
        pass
    print(text, file=sys.stderr, flush=True)


def _run(*command):
    # To stderr: what a build prints to stdout pip may read as an answer.
    done = subprocess.run([str(part) for part in command], stdout=sys.stderr)
    if done.returncode:
        raise SystemExit(f"graphrun: {' '.join(map(str, command[:4]))} ... failed; its lines are above")


def _build(folder):
    """Builds, and says every 20 seconds how far it is."""
    command = ["cmake", "--build", folder, "--target", "graphrun_python", "graphrun", "graphconv", "--parallel", os.cpu_count() or 1]
    begun = said = time.monotonic()
    with subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as build:
        for line in build.stdout:
            sys.stderr.write(line)
            step = re.match(r"\[(\d+)/(\d+)\]", line)
            now = time.monotonic()
            if step and now - said > 20:
                said = now
                _say(f"graphrun: {step[1]} of {step[2]} steps in {now - begun:.0f} s")
    if build.returncode:
        raise SystemExit("graphrun: the build failed; its lines are above")


def _built(config_settings):
    """The folder of a build that has the module for this Python, and the programs."""
    named = os.environ.get("GRAPHRUN_BUILD_DIR")
    folder = Path(named) if named else SOURCE / "build" / f"wheel-cp{sys.version_info.major}{sys.version_info.minor}"
    if not named:
        _check_tools()
        cuda = _cuda(config_settings)
        _say(f"graphrun: building for Python {sys.version.split()[0]} {'with' if cuda == 'ON' else 'without'} CUDA, in {folder}")
        options = ["GRAPHRUN_PYTHON=ON", "GRAPHRUN_BUILD_TESTS=OFF", "GRAPHRUN_BUILD_BENCH=OFF", "CMAKE_BUILD_TYPE=Release",
                   "CMAKE_UNITY_BUILD=ON", "CMAKE_UNITY_BUILD_BATCH_SIZE=20", f"Python_EXECUTABLE={sys.executable}",
                   f"GRAPHRUN_CUDA={cuda}"]  # fmt: skip
        _run("cmake", "-S", SOURCE, "-B", folder, "-G", "Ninja", *("-D" + option for option in options))
    _build(folder)
    return folder


def _write_information(folder):
    information = Path(folder, f"graphrun-{_version()}.dist-info")
    information.mkdir()
    (information / "METADATA").write_text(METADATA.format(version=_version()))
    (information / "WHEEL").write_text(WHEEL.format(tag=_tag()))
    return information


def _pack(staged, wheel):
    """Files in `staged`, and a RECORD of them, in the archive `wheel`."""
    files = sorted(path for path in staged.rglob("*") if path.is_file())
    record = f"graphrun-{_version()}.dist-info/RECORD"
    lines = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in files:
            name, content = path.relative_to(staged).as_posix(), path.read_bytes()
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(content)}\n")
            archive.write(path, name)
        archive.writestr(record, "".join([*lines, f"{record},,\n"]))


def get_requires_for_build_wheel(config_settings=None):
    if not os.environ.get("GRAPHRUN_BUILD_DIR"):
        _check_tools()
        _cuda(config_settings)
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    return _write_information(metadata_directory).name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name = f"graphrun-{_version()}-{_tag()}.whl"
    with tempfile.TemporaryDirectory() as folder:
        staged = Path(folder)
        _run("cmake", "--install", _built(config_settings), "--component", "python", "--strip", "--prefix", staged)
        programs = staged / f"graphrun-{_version()}.data" / "scripts"
        programs.parent.mkdir()
        (staged / "programs").rename(programs)
        _write_information(staged)
        _pack(staged, Path(wheel_directory, name))
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("there is no source distribution: build from a checkout")
