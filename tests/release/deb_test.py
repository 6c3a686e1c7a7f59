# SPDX-License-Identifier: Apache-2.0
"""cpack makes a Debian package of this build. It names its dependencies, and its programs run where it is unpacked.

tools/packaging/chroot.sh installs one on a bare Debian, which takes minutes.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

_BUILD = Path(os.environ["GRAPHRUN_BUILD_DIR"])
_FILES = [
    "bin/graphrun",
    "bin/graphbench",
    "include/graphrun/graphrun.hpp",
    "share/bash-completion/completions/graphmemd",
    "share/doc/graphrun/changelog.gz",
    "share/doc/graphrun/copyright",
    "share/graphrun/configs/smoke.json",
    "share/man/man1/graphconv.1.gz",
]


def run(*command: object) -> str:
    done = subprocess.run([str(part) for part in command], cwd=_BUILD, capture_output=True, text=True, timeout=500)
    if done.returncode:
        raise AssertionError(f"{command}: {done.stdout}{done.stderr}")
    return done.stdout


class Deb(unittest.TestCase):
    def test_the_package_is_complete_and_its_programs_run(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            run("cpack", "-G", "DEB", "-B", folder, "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip")
            (package,) = folder.glob("graphrun_*.deb")
            self.assertRegex(run("dpkg-deb", "-f", package, "Depends"), r"libfmt\d.*zlib1g")
            run("dpkg-deb", "-x", package, folder / "root")
            for file in _FILES:
                self.assertTrue((folder / "root/usr" / file).stat().st_size, file)
            for program in ("graphrun", "graphbench"):
                said = run(folder / "root/usr/bin" / program, "--version")
                self.assertIn(f"graphrun_{said.split()[1]}_", package.name)
            self.assertIn("verified", run(folder / "root/usr/bin/graphrun", "kron:8", "--algo", "bfs", "--verify"))


if __name__ == "__main__":
    if not (shutil.which("cpack") and shutil.which("dpkg-shlibdeps")):
        sys.exit(77)
    unittest.main()
