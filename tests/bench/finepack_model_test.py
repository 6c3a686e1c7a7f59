# SPDX-License-Identifier: Apache-2.0
"""Lines of finepack_model: marked as modelled, with the paper's numbers; what it refuses."""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

PROGRAM = Path(os.environ.get("GRAPHRUN_BENCH", "/nowhere")) / "finepack_model"


def model(*arguments, code=0):
    command = [PROGRAM, "kron:9:8", "--grid", "16,16,16", "--threads", "2", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


class FinePackModel(unittest.TestCase):
    def test_every_line_is_marked_and_leaves_the_memory_of_plain_stores(self):
        lines = [json.loads(line) for line in model("--ranks", "4,16", "--links", "pcie4,nvlink2").splitlines()]
        self.assertEqual({line["modelled"] for line in lines}, {True})
        self.assertEqual({line.get("wrong", 0) for line in lines}, {0})
        figures = {"2", "4", "5", "9", "10", "11", "12", "13", "entries", "windows", "timeout"}
        self.assertEqual({line["figure"] for line in lines}, figures)
        packed = [line for line in lines if line.get("mean") == "stores a packet"]
        published = {(line["ranks"], line["link"]): line["paper"] for line in packed}  # of the paper's machine alone
        self.assertEqual(published, {(4, "pcie4"): 42, (4, "nvlink2"): None, (16, "pcie4"): None, (16, "nvlink2"): None})
        for line in lines:
            if "method" in line:
                parts = line["useful_bytes"] + line["overhead_bytes"] + line["redundant_bytes"]
                self.assertEqual(parts, line["wire_bytes"], line)

    def test_tables_have_the_same_figures(self):
        table = model("--table", "--figures", "9,11", "--works", "bfs,jacobi")
        self.assertIn("Figure 9 (MODELLED)", table)
        self.assertIn("Figure 11 (MODELLED)", table)

    def test_a_graph_without_edges_has_no_means_instead_of_infinite_ones(self):
        command = [PROGRAM, "grid:1:1", "--works", "pagerank,bfs,cc", "--figures", "9,10,11,12"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
        means = [json.loads(line) for line in done.stdout.splitlines() if '"mean": ' in line]
        self.assertEqual({line["off"] for line in means if line["figure"] != "12"}, {None})

    def test_what_does_not_fit_is_refused(self):
        for arguments in (("--ranks", "1"), ("--ranks", "17"), ("--links", "pcie7"), ("--works", "hits"), ("--figures", "3"), ("--grid", "4,4"),
                          ("--sub-header", "7"), ("--windows", "65"), ("--works", "jacobi", "--grid", "4,4,2", "--ranks", "4"),
                          ("--steps", "0"), ("kron:4",), ("--max-payload", "132"), ("--memory-rate", "0")):  # fmt: skip
            with self.subTest(arguments):
                self.assertIn("error: ", model(*arguments, code=2))


if __name__ == "__main__":
    if not PROGRAM.exists():
        print(f"there is no {PROGRAM}: build it, and name its folder in GRAPHRUN_BENCH")
        sys.exit(77)
    unittest.main()
