# SPDX-License-Identifier: Apache-2.0
"""What pip and `python3 -m build --no-isolation` call to make a wheel of the module graphrun and the programs graphrun and graphconv,
or an archive of the sources (PEP 517). CMake builds them.

Needs what tools/install_deps.sh lists, and no package of Python; nothing is downloaded. --config-settings of pip, -C of build:

    cuda=on|off        with or without the CUDA executor (default: where nvcc and a GPU are); GRAPHRUN_CUDA in the environment
    manylinux=on       a wheel for other distributions, whose name has the oldest glibc that it runs with: it carries its
                       libraries, and is built without MPI. Needs patchelf.

GRAPHRUN_BUILD_DIR=DIR in the environment builds DIR, which is configured already, in place of build/wheel-cpXY.
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
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
METADATA = """Metadata-Version: 2.1
Name: graphrun
Version: {version}
Summary: Out-of-core graph analytics on GPUs and CPUs
License: Apache-2.0
License-File: LICENSE
License-File: NOTICE
Requires-Python: >=3.9
Requires-Dist: numpy
"""
# The contents of an archive of the sources.
SOURCES = ["*.md", "*.txt", "*.toml", "*.json", "*.cff", "LICENSE", "NOTICE", ".clang-format", ".ci", "apps", "bench", "cmake", "configs",
           "datasets", "docs", "include", "src", "tests", "tools"]  # fmt: skip
WHEEL = """Wheel-Version: 1.0
Generator: graphrun
Root-Is-Purelib: false
Tag: {tag}
"""


def _version():
    return re.search(r"project\(graphrun VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text()).group(1)


def _tag(glibc=None):
    """Returns the tag of a wheel: for this machine, or for all with that version of glibc."""
    interpreter = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    if glibc:
        platform = platform.replace("linux", f"manylinux_{glibc[0]}_{glibc[1]}")
    return f"{interpreter}-{interpreter}-{platform}"


def _has_gpu():
    smi = shutil.which("nvidia-smi")
    try:
        return smi is not None and "GPU 0" in subprocess.run([smi, "-L"], capture_output=True, text=True, timeout=30).stdout
    except subprocess.TimeoutExpired:
        _say("graphrun: nvidia-smi does not answer; the build has no GPU code (GRAPHRUN_CUDA=on asks for it)")
        return False


def _cuda(config_settings):
    """Returns ON or OFF."""
    asked = (config_settings or {}).get("cuda") or os.environ.get("GRAPHRUN_CUDA") or "AUTO"
    if asked.upper() in ("ON", "OFF"):
        return asked.upper()
    if asked.upper() != "AUTO":
        raise SystemExit(f"graphrun: cuda is on, off or auto, not {asked}")
    return "ON" if shutil.which("nvcc") and _has_gpu() else "OFF"


def _manylinux(config_settings):
    """Returns whether the wheel is for other distributions."""
    asked = (config_settings or {}).get("manylinux", "off").lower()
    if asked not in ("on", "off"):
        raise SystemExit(f"graphrun: manylinux is on or off, not {asked}")
    if asked == "on" and not shutil.which("patchelf"):
        raise SystemExit("graphrun: manylinux=on needs patchelf (apt-get install patchelf)")
    return asked == "on"


def _check_tools():
    """Exits with a sentence before the build when something is missing."""
    needed = {"cmake": "cmake", "ninja": "ninja-build", shlex.split(os.environ.get("CXX") or "c++")[0]: "g++"}
    missing = [f"{tool} ({package})" for tool, package in needed.items() if not shutil.which(tool)]
    header = Path(sysconfig.get_path("include"), "Python.h")
    if not header.exists():
        missing.append(f"{header} (python3-dev, or the headers of this Python, {sys.version.split()[0]})")
    if missing:
        raise SystemExit(f"graphrun: the build lacks {', '.join(missing)}; tools/install_deps.sh installs what Debian has")


def _say(text):
    """Prints a line to the terminal, because pip hides the output of a build."""
    try:
        with open("/dev/tty", "w") as terminal:
            terminal.write(f"\n  {text} ")
    except OSError:  # no terminal
        pass
    print(text, file=sys.stderr, flush=True)


def _run(*command):
    # To stderr, because pip may read a build's stdout as an answer.
    done = subprocess.run([str(part) for part in command], stdout=sys.stderr)
    if done.returncode:
        raise SystemExit(f"graphrun: {' '.join(map(str, command[:4]))} ... failed; its lines are above")


def _build(folder):
    """Builds, and prints the progress every 20 seconds."""
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
    """Returns the folder of a build with the module for this Python, and the programs."""
    named = os.environ.get("GRAPHRUN_BUILD_DIR")
    folder = Path(named) if named else SOURCE / "build" / f"wheel-cp{sys.version_info.major}{sys.version_info.minor}"
    if not named:
        _check_tools()
        cuda = _cuda(config_settings)
        _say(f"graphrun: building for Python {sys.version.split()[0]} {'with' if cuda == 'ON' else 'without'} CUDA, in {folder}")
        options = ["GRAPHRUN_PYTHON=ON", "GRAPHRUN_BUILD_TESTS=OFF", "GRAPHRUN_BUILD_BENCH=OFF", "CMAKE_BUILD_TYPE=Release",
                   "CMAKE_UNITY_BUILD=ON", "CMAKE_UNITY_BUILD_BATCH_SIZE=20", f"Python_EXECUTABLE={sys.executable}",
                   f"GRAPHRUN_CUDA={cuda}", f"GRAPHRUN_MPI={'OFF' if _manylinux(config_settings) else 'ON'}"]  # fmt: skip
        _run("cmake", "-S", SOURCE, "-B", folder, "-G", "Ninja", *("-D" + option for option in options))
    _build(folder)
    return folder


def _write_information(folder, tag):
    information = Path(folder, f"graphrun-{_version()}.dist-info")
    information.mkdir()
    (information / "METADATA").write_text(METADATA.format(version=_version()))
    (information / "WHEEL").write_text(WHEEL.format(tag=tag))
    for name in ("LICENSE", "NOTICE"):
        shutil.copy(SOURCE / name, information)
    shutil.copy(SOURCE / "apps/python/entry_points.txt", information)
    return information


def _carry_libraries(staged):
    """Adds libraries to a staged wheel. Returns the version of glibc that it needs."""
    import wheel_libraries

    # A wheel's programs are installed into bin/, beside lib/pythonX.Y/site-packages/.
    site = f"$ORIGIN/../lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages/graphrun.libs"
    files = [(path, "$ORIGIN/../graphrun.libs") for path in (staged / "graphrun").glob("*.so")]
    files += [(path, site) for path in staged.glob("*.data/scripts/*")]
    names = wheel_libraries.bundle(files, staged / "graphrun.libs")
    _say(f"graphrun: the wheel carries {', '.join(names)}")
    return wheel_libraries.oldest_glibc([path for path, _ in files] + [staged / "graphrun.libs" / name for name in names])


def _pack(staged, wheel):
    """Packs the files of `staged`, with a RECORD of them, into the archive `wheel`."""
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
    _manylinux(config_settings)
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    return _write_information(metadata_directory, _tag()).name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with tempfile.TemporaryDirectory() as folder:
        staged = Path(folder)
        _run("cmake", "--install", _built(config_settings), "--component", "python", "--strip", "--prefix", staged)
        programs = staged / f"graphrun-{_version()}.data" / "scripts"
        programs.parent.mkdir()
        (staged / "programs").rename(programs)
        tag = _tag(_carry_libraries(staged) if _manylinux(config_settings) else None)
        _write_information(staged, tag)
        name = f"graphrun-{_version()}-{tag}.whl"
        _pack(staged, Path(wheel_directory, name))
    return name


def build_sdist(sdist_directory, config_settings=None):
    top = f"graphrun-{_version()}"

    def kept(member):
        name = member.name.removeprefix(top + "/")
        return None if name == "datasets/data" or "__pycache__" in name else member

    with tarfile.open(Path(sdist_directory, top + ".tar.gz"), "w:gz", format=tarfile.PAX_FORMAT) as archive:
        with tempfile.TemporaryDirectory() as folder:
            information = Path(folder, "PKG-INFO")
            information.write_text(METADATA.format(version=_version()))
            archive.add(information, f"{top}/PKG-INFO")
        for pattern in SOURCES:
            for path in sorted(SOURCE.glob(pattern)):
                archive.add(path, f"{top}/{path.relative_to(SOURCE)}", filter=kept)
    return f"{top}.tar.gz"
