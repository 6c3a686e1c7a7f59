# SPDX-License-Identifier: Apache-2.0

import copy
import json
import unittest

from support import BenchTest

from graphbench.records import misfit_of_row


class Rows(BenchTest):
    @classmethod
    def setUpClass(cls) -> None:
        test = cls("setUp")
        BenchTest.setUp(test)
        cls.addClassCleanup(test.doCleanups)
        done = test.sweep()
        assert done.returncode == 0, done.stderr
        cls.shared = test
        cls.row = test.rows()[0]

    def setUp(self) -> None:
        pass

    def test_rows_that_were_written_are_right(self) -> None:
        self.assertEqual([misfit_of_row(row, "row") for row in self.shared.rows()], [None, None])

    def test_what_is_missing_or_of_another_kind_is_named(self) -> None:
        for place, value, expected in (
            (("status",), "vanished", "r: 'status' must be one of done, wrong, "),
            (("started",), "yesterday", "r: 'started' must be a time with its zone"),
            (("result",), None, "r: 'result' must be an object"),
            (("result", "emulated"), ..., "r, result: 'emulated' is missing"),
            (("result", "trials"), [], "r, result: 'trials' must be a list with something in it"),
            (("result", "trials", 0, "time_ms"), 0, "r, result, trial 1: 'time_ms' must be a number above zero"),
            (("result", "trials", 0, "gteps"), "fast", "r, result, trial 1: 'gteps' must be a number above zero or null"),
            (("result", "machine", "gpu"), {}, "r, result, machine, gpu: 'name' is missing"),
            (("attempt",), 1.0, "r: 'attempt' must be a whole number"),
            (("attempt",), True, "r: 'attempt' must be a whole number"),
        ):
            with self.subTest(place=place):
                self.assertIn(expected, misfit_of_row(_changed(self.row, place, value), "r"))

    def test_a_run_that_did_not_end_well_needs_no_result(self) -> None:
        row = {name: value for name, value in self.row.items() if name not in ("result", "max_rss_bytes", "command")}
        self.assertIsNone(misfit_of_row(row | {"status": "timed out", "reason": "slow"}, "r"))
        self.assertEqual(misfit_of_row(row, "r"), "r: 'command' is missing")

    def test_every_command_says_which_line_it_cannot_work_with(self) -> None:
        path = self.shared.out / "test" / "rows.jsonl"
        kept = path.read_bytes()
        self.addCleanup(path.write_bytes, kept)
        changed = _changed(self.row, ("result", "trials"), ...)
        path.write_text(json.dumps(self.row) + "\n" + json.dumps(changed) + "\n", encoding="utf-8")
        for command in (
            ("report", self.shared.out, "--csv", self.shared.folder / "x"),
            ("compare", self.shared.out, self.shared.out),
            ("run", self.shared.config(), "--out", self.shared.out),
        ):
            done = self.shared.bench(*command)
            self.assertEqual(done.returncode, 1)
            self.assertIn("rows.jsonl, line 2, result: 'trials' is missing: another version", done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)


def _changed(row: dict, place: tuple, value: object) -> dict:
    """A copy with another value in a place; `...` takes it away."""
    changed = copy.deepcopy(row)
    inner = changed
    for name in place[:-1]:
        inner = inner[name]
    if value is ...:
        del inner[place[-1]]
    else:
        inner[place[-1]] = value
    return changed


if __name__ == "__main__":
    unittest.main()
