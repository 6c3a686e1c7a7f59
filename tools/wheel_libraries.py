# SPDX-License-Identifier: Apache-2.0
"""Makes a staged wheel run on other distributions: copies the libraries that these need not have into it, and finds the oldest glibc
that its files run with (PEP 600). Needs Debian or a relative, patchelf and binutils.
"""

import re
import shutil
import subprocess
from pathlib import Path

# Libraries that PEP 600 allows a wheel to expect: the C library, the compiler's libraries, the loader. Also zlib, as in all
# policies of auditwheel.
_EVERYWHERE = re.compile(r"(ld-linux.*|lib(c|m|dl|rt|pthread|util|resolv|gcc_s|stdc\+\+|z|atomic))\.so\.\d+|linux-vdso\.so\.1")


def _ask(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"graphrun: {' '.join(map(str, command))} failed: {done.stderr.strip()}")
    return done.stdout


def _needed(path):
    """Returns a file's own needed libraries, without those of PEP 600."""
    names = re.findall(r"\(NEEDED\).*\[(.+)\]", _ask("readelf", "-dW", path))
    return [name for name in names if not _EVERYWHERE.fullmatch(name)]


def _found(path):
    """Returns the loader's paths of the libraries that a file needs, by name."""
    lines = _ask("ldd", path)
    if missing := re.findall(r"(\S+) => not found", lines):
        raise SystemExit(f"graphrun: {path} needs {', '.join(missing)}, which the loader does not find")
    return dict(re.findall(r"(\S+) => (/\S+)", lines))


def _copy_copyright(library, folder):
    """Copies Debian's licence file of a library, which goes with each copy of it."""
    name = Path(library).resolve().name  # dpkg knows it by /lib or by /usr/lib, which are one folder
    package = _ask("dpkg-query", "--search", f"*/{name}").partition(":")[0]
    shutil.copy(f"/usr/share/doc/{package}/copyright", folder / f"copyright.{package}")


def bundle(files, folder):
    """Copies the libraries of `files` with their licences into `folder`, and sets the search paths. `files` are pairs: a staged
    file, and `folder` as the installed file sees it. Returns the names of the copies, which no other library of a process has.

    Raises SystemExit for a program over MPI, which belongs to a host and not to a wheel.
    """
    copies, left = {}, [staged for staged, _ in files]
    for path in left:  # which grows
        found = _found(path)
        for name in _needed(path):
            if name.startswith("libmpi"):
                raise SystemExit(f"graphrun: {path.name} is built with MPI, which no wheel carries: build with -DGRAPHRUN_MPI=OFF")
            if name not in copies:
                folder.mkdir(exist_ok=True)
                copies[name] = Path(shutil.copy(found[name], folder / name.replace(".so", "-graphrun.so", 1)))
                copies[name].chmod(0o755)
                left.append(copies[name])
                _copy_copyright(found[name], folder)
    for path, search in [*files, *((copy, "$ORIGIN") for copy in copies.values())]:
        _ask("patchelf", "--set-rpath", search, path)
        for name in _needed(path):  # one a call: patchelf 0.14 forgets versions of symbols where there are several
            _ask("patchelf", "--replace-needed", name, copies[name].name, path)
    for copy in copies.values():
        _ask("patchelf", "--set-soname", copy.name, copy)
    return sorted(copy.name for copy in copies.values())


def oldest_glibc(paths):
    """Returns the oldest version of glibc with all symbols of the files: (2, 34)."""
    versions = [(2, 17)]
    for path in paths:
        text = _ask("objdump", "-T", path)
        versions += [(int(major), int(minor)) for major, minor in re.findall(r"\(?GLIBC_(\d+)\.(\d+)", text)]
    return max(versions)
