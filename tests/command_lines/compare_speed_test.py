# SPDX-License-Identifier: Apache-2.0
"""tools/compare_speed.sh: what it refuses, and what it says of programs whose times are known. Nothing here is timed.

usage: compare_speed_test.py FOLDER_OF_PROGRAMS
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "compare_speed.sh"
PROGRAM = Path(sys.argv.pop(1)) / "graphrun"


def compare(*arguments, path=""):
    environment = {**os.environ, "PATH": path + os.environ["PATH"]}
    return subprocess.run([SCRIPT, *map(str, arguments)], capture_output=True, text=True, timeout=300, env=environment)


def git(*arguments):
    return subprocess.run(["git", "-C", SCRIPT.parent, *arguments], capture_output=True, text=True)


class CompareSpeed(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def program(self, name, body):
        """A graphrun that runs `body`, and a graphconv that writes what it is told to."""
        folder = Path(self.folder.name) / name
        folder.mkdir()
        for program, text in (("graphrun", body), ("graphconv", 'echo > "$2"')):
            (folder / program).write_text(f"#!/bin/bash\n{text}\n")
            (folder / program).chmod(0o755)
        return folder / "graphrun"

    def taking(self, name, milliseconds):
        return self.program(name, f"""echo '{{"summary": {{"median_ms": {milliseconds}, "min_ms": 1}}}}'""")

    def test_bad_arguments_are_refused(self):
        for arguments, why in [
            ([], "usage:"),
            (["no-such-commit"], "'no-such-commit' is no commit and no executable"),
            ([PROGRAM, PROGRAM, PROGRAM], "usage:"),
            ([PROGRAM, PROGRAM, "--turns", "0"], "--turns takes a whole number"),
            ([PROGRAM, PROGRAM, "--scale"], "--scale needs a value"),
            ([PROGRAM, PROGRAM, "--device", "tpu"], "--device takes cpu or cuda"),
            ([PROGRAM, PROGRAM, "--limit", "-1"], "--limit takes a number"),
            ([PROGRAM, PROGRAM, "--speed"], "there is no option --speed"),
            (["/bin/sh", PROGRAM], "there is no graphconv beside /bin/sh"),
        ]:
            done = compare(*arguments)
            self.assertEqual(done.returncode, 2, done)
            self.assertIn(why, done.stderr)

    def test_a_program_is_as_fast_as_itself(self):
        done = compare(PROGRAM, PROGRAM, "--scale", 6, "--turns", 1, "--trials", 1, "--device", "cpu", "--limit", 10**12,
                       "--cells", "(bfs|sssp) (kron|grid) (incore|emogi)")  # fmt: skip
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("8 cells, none lost", done.stdout)

    def test_cells_that_lost_are_listed(self):
        done = compare(self.taking("old", "20.5"), self.taking("new", "23"), "--turns", 2, "--cells", "cc web|bfs urand bam")
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("4 of 4 cells lost more than 5 %", done.stdout)
        self.assertIn("cc web emogi: 20.5 ms, then 23 ms (1.122)", done.stdout)

    def test_a_gain_and_a_loss_within_the_limit_are_none(self):
        for new in ("10", "20.4"):
            done = compare(self.taking(f"old{new}", "20"), self.taking(new, new), "--cells", "bfs kron incore", "--turns", 1)
            self.assertEqual(done.returncode, 0, done)

    def test_the_median_of_the_turns_counts(self):
        count = Path(self.folder.name) / "count"
        once_slow = self.program("new", f"""echo >> {count}
if [[ $(wc -l < {count}) == 2 ]]; then ms=900; else ms=10; fi
echo "{{\\"median_ms\\": $ms}}" """)  # fmt: skip
        done = compare(self.taking("old", "10"), once_slow, "--turns", 3, "--cells", "bfs kron incore")
        self.assertEqual(done.returncode, 0, done)

    def test_commits_are_built_and_their_sources_removed(self):
        if not shutil.which("git") or git("rev-parse", "HEAD").returncode != 0:
            self.skipTest("this is no checkout of git")
        made = self.taking("made", "7").parent
        cmake = self.program("bin", "").parent / "cmake"
        cmake.write_text(f"""#!/bin/bash
echo "$@" >> {self.folder.name}/said
if [[ $1 == --build ]]; then mkdir -p "$2" && cp {made}/* "$2"; else [[ -f $2/CMakeLists.txt ]]; fi
""")  # fmt: skip
        cmake.chmod(0o755)
        done = compare("HEAD", "--turns", 1, "--cells", "bfs kron incore", "--device", "cpu", path=f"{cmake.parent}:")
        self.assertEqual(done.returncode, 0, done)
        said = (Path(self.folder.name) / "said").read_text()
        self.assertEqual(said.count("--target graphrun graphconv"), 2)  # of the commit, and of the checkout as it is
        self.assertEqual(said.count("CMAKE_BUILD_TYPE=Release"), 2)
        self.assertNotIn("sources-", git("worktree", "list").stdout)
        cmake.write_text("#!/bin/bash\necho no compiler\nexit 1\n")
        done = compare("HEAD", "--device", "cpu", path=f"{cmake.parent}:")
        self.assertEqual(done.returncode, 2, done)
        self.assertIn("no compiler", done.stderr)
        self.assertNotIn("sources-", git("worktree", "list").stdout)

    def test_what_a_machine_lacks_is_said_and_a_failure_ends_it(self):
        lacking = self.program("lacking", "echo 'no io_uring here' >&2; exit 77")
        done = compare(lacking, lacking, "--cells", "bfs kron bam")
        self.assertIn("not available here: no io_uring here", done.stdout)
        self.assertEqual(done.returncode, 2, done)
        self.assertIn("no cell was compared", done.stderr)
        broken = self.program("broken", "echo 'out of order' >&2; exit 1")
        done = compare(self.taking("old", "1"), broken, "--cells", "bfs kron bam")
        self.assertEqual(done.returncode, 2, done)
        self.assertIn("ended with 1: out of order", done.stderr)


if __name__ == "__main__":
    unittest.main()
