# SPDX-License-Identifier: Apache-2.0
"""Which subjects tools/commit_msg_hook refuses, and why."""

import subprocess
import tempfile
import unittest
from pathlib import Path

_HOOK = Path(__file__).resolve().parents[2] / "tools" / "commit_msg_hook"


class CommitMessage(unittest.TestCase):
    def said_of(self, message: str) -> tuple[int, str]:
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write(message)
            file.flush()
            done = subprocess.run(["bash", _HOOK, file.name], capture_output=True, text=True, timeout=60)
        return done.returncode, done.stderr

    def test_subjects_in_the_form_pass(self) -> None:
        for subject in (
            "plan: choose gpuvm for PageRank on web graphs",
            "io, graph: pass weights by value",
            "tests/run: need no network",
            "x: " + "y" * 69,
            "Merge branch 'main'",
            'Revert "io: read tar"',
            "\n# a comment of git\nio: read tar\n\nThe body may Say Anything.",
        ):
            with self.subTest(subject):
                self.assertEqual(self.said_of(subject + "\n"), (0, ""))

    def test_other_subjects_are_refused_with_the_reason(self) -> None:
        for subject, why in (
            ("", "is empty"),
            ("Small sentences that a trial found", "is not 'area: change'"),
            ("IO: read tar", "is not 'area: change'"),
            ("x: " + "y" * 70, "has 73 characters"),
            ("io: read tar.", "full stop"),
            ("io: added a reader", "'added' is not imperative"),
            ("io: adds a reader", "'adds' is not imperative"),
            ("io: adding a reader", "'adding' is not imperative"),
        ):
            with self.subTest(subject):
                code, said = self.said_of(subject + "\n")
                self.assertEqual(code, 1)
                self.assertIn(why, said)


if __name__ == "__main__":
    unittest.main()
