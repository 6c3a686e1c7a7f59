# SPDX-License-Identifier: Apache-2.0
"""Queries of columns by paged_kernels: what they find, and how much of the columns they move for it."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = Path(os.environ.get("GRAPHRUN_BENCH", "/nowhere")) / "paged_kernels"
ROWS = (1 << 20) // 4


def query(*arguments, code=0):
    with tempfile.TemporaryDirectory() as folder:
        command = [PROGRAM, "--device", "cpu", "--size", "1MiB", "--trials", "1", "--threads", "2", "--dir", folder, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if done.returncode == 77:
        print(done.stderr)
        sys.exit(77)  # no io_uring here
    assert done.returncode == code, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()] if code == 0 else done.stderr


class Queries(unittest.TestCase):
    def check(self, lines, selected):
        for line in lines:  # the program ends with 1 where a sum is not that of a plain loop
            self.assertEqual((line["wrong"], line["selected"]), (0, selected), line)
            if line["page_bytes"] is not None:
                self.assertGreaterEqual(line["bytes_read"], line["needed_bytes"])
                self.assertLessEqual(line["bytes_read"], 1.2 * line["needed_bytes"], line)

    def test_both_sets_move_little_more_than_their_pages(self):
        for share in (0.0003, 0.0008):
            for cache in ("12MiB", "1536KiB"):  # all columns of q5, and a quarter of them
                lines = query("--kernels", "q0,q1,q5", "--selected", str(share), "--ways", "files,memory",
                              "--pages", "512,4KiB", "--cache", cache)  # fmt: skip
                self.assertEqual(len(lines), 12)
                self.check(lines, round(share * ROWS))

    def test_ways_without_pages_find_the_same(self):
        lines = query("--kernels", "q3", "--ways", "incore,mmap,bulk,elements", "--cache", "4MiB")
        self.check(lines, round(0.0003 * ROWS))
        self.assertEqual({line["way"]: line["bytes_read"] for line in lines}["bulk"], 4 << 20)

    def test_ends_of_the_share(self):
        for share in (0, 1):
            self.check(query("--kernels", "q2", "--selected", str(share), "--ways", "files,memory"), share * ROWS)

    def test_errors(self):
        self.assertIn("q0 to q5", query("--kernels", "q6", code=2))
        self.assertIn("--selected", query("--kernels", "q1", "--selected", "1.1", code=2))


if __name__ == "__main__":
    if not PROGRAM.exists():
        print(f"there is no {PROGRAM}: build it, and name its folder in GRAPHRUN_BENCH")
        sys.exit(77)
    unittest.main()
