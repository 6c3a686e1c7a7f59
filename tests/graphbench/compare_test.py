# SPDX-License-Identifier: Apache-2.0

import json
import shutil
import tempfile
import unittest
from pathlib import Path
from typing import Callable

from support import BenchTest

SYSTEMS = {"systems": ["incore", "emogi", "bam"], "repeats": 5}
TIMES = {"incore": 10.0, "emogi": 30.0, "bam": 80.0}


class Comparing(BenchTest):
    @classmethod
    def setUpClass(cls) -> None:
        cls.kept = tempfile.TemporaryDirectory(prefix="graphbench-before-")
        cls.addClassCleanup(cls.kept.cleanup)

    def sweep_before(self, out: Path) -> None:
        """The same rows for every test, made by the first that asks."""
        kept = Path(self.kept.name) / "sweep"
        if not kept.exists():
            self.sweep(kept, **SYSTEMS, environment={"TIMES": json.dumps(TIMES), "SEED": "1"})
        shutil.copytree(kept, out)

    def compare(self, after: dict, *arguments: str, **changes: object) -> tuple[int, str]:
        a, b = self.folder / "a", self.folder / "b"
        self.sweep_before(a)
        self.sweep(b, **(SYSTEMS | changes), environment={"TIMES": json.dumps(TIMES | after), "SEED": "2"})
        done = self.bench("compare", a, b, *arguments)
        return done.returncode, done.stdout + done.stderr

    def test_noise_is_no_change(self) -> None:
        code, text = self.compare({})
        self.assertEqual(code, 0, text)
        self.assertIn("3 compared: 3 same", text)

    def test_a_regression_is_found_and_ends_with_1(self) -> None:
        code, text = self.compare({"emogi": 45.0})
        self.assertEqual(code, 1)
        self.assertIn("1 slower, 2 same", text)
        self.assertRegex(text, r"slower +[\d.]+ +[\d.]+ +1\.[3-7]\d+  \[1\.\d+, 1\.\d+\]  test: kron:4:4 / bfs / emogi")

    def test_becoming_faster_is_no_regression(self) -> None:
        code, text = self.compare({"bam": 40.0})
        self.assertEqual(code, 0)
        self.assertIn("1 faster, 2 same", text)

    def test_a_change_that_may_be_small_is_none(self) -> None:
        times = [9.5, 9.8, 10, 10.2, 10.5]
        for factor, verdict in ((1.15, "same"), (1.3, "slower")):
            with self.subTest(factor):
                before, after = self.folder / f"a{factor}", self.folder / f"b{factor}"
                self.sweep_of_times(before, times)
                self.sweep_of_times(after, [factor * time for time in times])
                self.assertIn(f"1 compared: 1 {verdict}", self.bench("compare", before, after).stdout)

    def sweep_of_times(self, out: Path, times: list[float]) -> None:
        self.sweep(out, repeats=len(times))
        rows = self.rows(out)
        for row, time in zip(rows, times):
            row["result"]["trials"][0]["time_ms"] = time
        (out / "test" / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    def test_what_moves_together_is_pointed_out(self) -> None:
        a, b = self.folder / "a", self.folder / "b"
        many = {"systems": ["incore"], "repeats": 1, "graphs": [f"kron:{scale}:4" for scale in range(4, 12)]}
        self.sweep(a, **many, environment={"TIMES": '{"incore": 10}'})
        self.sweep(b, **many, environment={"TIMES": '{"incore": 13}'})
        self.assertRegex(
            self.bench("compare", a, b).stdout,
            r"note: the middle one of all ratios is 1\.[23]\d: what changed may be the machine; its load before the runs was \d",
        )
        self.assertNotIn("the middle one", self.bench("compare", a, a).stdout)

    def test_small_changes_are_below_the_threshold(self) -> None:
        code, text = self.compare({"bam": 100.0}, "--threshold", "0.5")
        self.assertEqual(code, 0, text)

    def test_what_has_no_times_any_more_is_a_regression(self) -> None:
        a, b = self.folder / "a", self.folder / "b"
        self.sweep(a, systems=["incore"])
        (self.folder / "graphrun").write_text(
            '#!/bin/sh\n[ $1 = --describe ] && echo \'{"options": [], "algorithms": [], "gather_options": [], '
            '"generators": [{"form": "kron:SCALE[:EDGEFACTOR]"}]}\'\n'
            "case $1 in --version|--describe) exit 0 ;; esac\nkill -11 $$\n",
            encoding="utf-8",
        )
        self.sweep(b, systems=["incore"])
        done = self.bench("compare", a, b)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"lost .*kron:4:4 / bfs / incore \(crashed: ended by SIGSEGV\)")

    def keep_rows(self, out: Path, wanted: Callable[[dict], bool]) -> None:
        kept = [row for row in self.rows(out) if wanted(row)]
        (out / "test" / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in kept), encoding="utf-8")

    def test_single_processes_are_not_judged(self) -> None:
        code, text = self.compare({"emogi": 300.0}, repeats=1)
        self.assertEqual(code, 0, text)
        self.assertIn("3 compared: 3 unsure", text)
        self.assertRegex(text, r"unsure .* one process  test: kron:4:4 / bfs / emogi")

    def test_what_was_not_run_is_not_the_same(self) -> None:
        code, text = self.compare({})
        self.assertEqual(code, 0)
        self.keep_rows(self.folder / "b", lambda row: row["system"] != "bam")
        done = self.bench("compare", self.folder / "a", self.folder / "b")
        self.assertEqual(done.returncode, 1)
        self.assertIn("3 compared: 1 not run, 2 same", done.stdout)

    def test_nothing_to_compare_is_no_success(self) -> None:
        self.sweep(self.folder / "a", systems=["crash", "absent"])
        done = self.bench("compare", self.folder / "a", self.folder / "a")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("nothing to compare", done.stderr)

    def test_another_answer_is_a_regression_however_fast(self) -> None:
        self.sweep(self.folder / "a", verify=False)
        self.sweep(self.folder / "b", verify=False)
        rows = self.folder / "b" / "test" / "rows.jsonl"
        rows.write_text(rows.read_text(encoding="utf-8").replace('"checksum": "4"', '"checksum": "5"'), encoding="utf-8")
        done = self.bench("compare", self.folder / "a", self.folder / "b")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"differs .*incore \(before: .*checksum 4; after: .*checksum 5\)")

    def test_runs_that_fail_now_and_then_are_a_regression(self) -> None:
        self.sweep_of_times(self.folder / "a", [10.0] * 7)
        self.sweep_of_times(self.folder / "b", [10.0] * 7)
        rows = self.rows(self.folder / "b")
        rows[3] |= {"status": "crashed", "reason": "ended by SIGSEGV", "result": None}
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (self.folder / "b" / "test" / "rows.jsonl").write_text(lines, encoding="utf-8")
        done = self.bench("compare", self.folder / "a", self.folder / "b")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"lost .*incore \(crashed: ended by SIGSEGV\)")
        self.assertEqual(self.bench("compare", self.folder / "b", self.folder / "a").returncode, 0)

    def test_combinations_of_one_folder_alone_are_counted(self) -> None:
        self.sweep(self.folder / "a", systems=["incore", "bam"], repeats=7)
        self.sweep(self.folder / "b", systems=["incore"], repeats=7)
        text = self.bench("compare", self.folder / "a", self.folder / "b").stdout
        self.assertIn("note: 1 more combinations are configured before alone", text)

    def test_what_else_has_changed_is_said(self) -> None:
        self.sweep(self.folder / "a", options={"page": 1}, repeats=7)
        self.sweep(self.folder / "b", options={"page": 2}, repeats=7, about="other words")
        sessions = self.folder / "b" / "test" / "sessions.jsonl"
        session = json.loads(sessions.read_text(encoding="utf-8"))
        session["environment"] |= {"cpu": "an abacus", "cores": 5}
        sessions.write_text(json.dumps(session) + "\n", encoding="utf-8")
        text = self.bench("compare", self.folder / "a", self.folder / "b").stdout
        self.assertIn("note: the configurations of test differ in 'options'\n", text)
        self.assertRegex(text, r"note: test ran on .* cores, then on an abacus, 5 cores")
        self.assertNotIn("differ", self.bench("compare", self.folder / "a", self.folder / "a").stdout)

    def test_nothing_in_common(self) -> None:
        self.sweep(self.folder / "a")
        self.bench("run", self.config(name="other"), "--out", self.folder / "b")
        done = self.bench("compare", self.folder / "a", self.folder / "b")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no sweep in common", done.stderr)
        self.assertEqual(self.bench("compare", self.folder / "a", self.folder / "nowhere").returncode, 2)


if __name__ == "__main__":
    unittest.main()
