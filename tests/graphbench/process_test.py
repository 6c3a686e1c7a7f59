# SPDX-License-Identifier: Apache-2.0

import os
import signal
import subprocess
import time
import unittest
from unittest import mock

import support  # noqa: F401  (finds the package)

from graphbench import process
from graphbench.outcome import judge
from graphbench.plan import Question

QUESTION = Question("bfs", "incore", 1)


class TooMuchOutput(unittest.TestCase):
    def test_a_process_that_prints_without_end_is_killed_before_its_time(self) -> None:
        for redirection in ("", " >&2"):
            with self.subTest(redirection), mock.patch.object(process, "MOST_OUTPUT_BYTES", 1 << 20):
                started = time.monotonic()
                finished = process.run_process(["sh", "-c", "exec yes" + redirection], 60)
                self.assertLess(time.monotonic() - started, 30)
                self.assertTrue(finished.printed_too_much)
                outcome = judge(finished, 60, QUESTION)
                self.assertEqual(outcome.status, "garbled")
                self.assertIn("printed more than", outcome.reason)


class Interrupts(unittest.TestCase):
    # A child of a child slept on for minutes after its test.
    def test_an_interrupt_right_after_the_start_left_the_group_alive(self) -> None:
        groups: list[int] = []
        start = subprocess.Popen

        def start_and_interrupt(*given: object, **more: object) -> object:
            groups.append((started := start(*given, **more)).pid)
            os.kill(os.getpid(), signal.SIGTERM)
            return started

        def interrupt(*_: object) -> None:
            raise KeyboardInterrupt

        before = signal.signal(signal.SIGTERM, interrupt)
        self.addCleanup(signal.signal, signal.SIGTERM, before)
        with mock.patch.object(process.subprocess, "Popen", start_and_interrupt), self.assertRaises(KeyboardInterrupt):
            process.run_process(["sh", "-c", "sleep 60 & wait"], 60)
        deadline = time.monotonic() + 10
        with self.assertRaises(ProcessLookupError):
            while time.monotonic() < deadline:
                os.killpg(groups[0], 0)
                time.sleep(0.02)


class Messages(unittest.TestCase):
    def test_what_no_row_can_hold_becomes_a_sign(self) -> None:
        finished = process.run_process(["printf", r"error: a\0b\377"], 60)
        self.assertEqual(finished.output, "error: a\ufffdb\ufffd")


class Answers(unittest.TestCase):
    def judged(self, text: str) -> tuple[str, str]:
        outcome = judge(process.run_process(["printf", "%s", text], 60), 60, QUESTION)
        return outcome.status, outcome.reason

    def test_what_is_no_answer_of_graphrun_is_garbled(self) -> None:
        for text, reason in (
            ("[" * 100_000, "nested too deeply"),
            ('{"a": ' * 99 + "1" + "}" * 99, "nested too deeply"),
            ('{"trials": 1e999}', "1e999 is no number"),
            ('{"verdict": "verified"}', "it is not a graphrun of this version (its output: 'program' is missing)"),
        ):
            with self.subTest(reason):
                status, said = self.judged(text)
                self.assertEqual(status, "garbled")
                self.assertIn(reason, said)


if __name__ == "__main__":
    unittest.main()
