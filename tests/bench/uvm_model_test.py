# SPDX-License-Identifier: Apache-2.0
"""Lines of uvm_model: marked as modelled, with the papers' numbers; what it refuses."""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

PROGRAM = Path(os.environ.get("GRAPHRUN_BENCH", "/nowhere")) / "uvm_model"
SMALL = ("--sources", "1", "--rows", "128", "--columns", "8192", "--size", "8MiB", "--block", "512KiB", "--threads", "2")


def model(*arguments, graphs="kron:16:16", code=0):
    done = subprocess.run([PROGRAM, graphs, *SMALL, *arguments], capture_output=True, text=True, timeout=120)
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


class UvmModel(unittest.TestCase):
    def test_every_line_is_marked_and_means_stand_beside_the_papers(self):
        lines = [json.loads(line) for line in model(graphs="kron:16:16,urand:16:16").splitlines()]
        self.assertEqual({line["modelled"] for line in lines}, {True})
        self.assertEqual({line["figure"] for line in lines}, {"2.9", "2.10", "2.11", "2.12", "2.14", "8", "9", "12", "14"})
        papers = {line["mean"]: line["paper"] for line in lines if line.get("paper") is not None}
        self.assertEqual(papers["merged over UVM"], 3.24)
        self.assertEqual(papers["slowdown of bfs and cc, UVM, most"], 4)
        for line in lines:
            if "coverage" in line:
                self.assertAlmostEqual(line["coverage"], line["bytes_in"] / line["bytes"], places=2, msg=line)

    def test_advice_saves_the_bytes_of_evictions(self):
        def out(*more):
            lines = [json.loads(line) for line in model("--figures", "2.11", *more).splitlines()]
            return sum(line["bytes_out"] for line in lines if line.get("memory") == "uvm")

        self.assertEqual(out(), 0)
        self.assertGreater(out("--no-advice"), 0)

    def test_tables_say_that_they_are_modelled(self):
        self.assertIn("Figure 2.9 (MODELLED)", model("--table", "--figures", "2.9"))

    def test_what_does_not_fit_is_refused(self):
        for arguments in (("--figures", "3"), ("--rows", "33"), ("--sources", "0"), ("--size", "1KiB"), ("--density", "101"),
                          ("--basic-block", "3KiB"), ("--batch", "0"), ("--block", "16MiB"), ("kron:4",), ("--threads", "-1")):  # fmt: skip
            with self.subTest(arguments):
                self.assertIn("error: ", model(*arguments, code=2))
        self.assertIn("error: ", model(graphs="grid:1:1", code=2))


if __name__ == "__main__":
    if not PROGRAM.exists():
        print(f"there is no {PROGRAM}: build it, and name its folder in GRAPHRUN_BENCH")
        sys.exit(77)
    unittest.main()
