# SPDX-License-Identifier: Apache-2.0

import json
import os
import signal
import subprocess
import time
import unittest
from pathlib import Path

from support import BenchTest, wait_until_dead

from graphbench.config import parse_config
from graphbench.plan import make_plan


class Order(unittest.TestCase):
    def setUp(self) -> None:
        self.config = parse_config(
            {
                "name": "n",
                "graphs": ["a", "b"],
                "algorithms": ["bfs", "cc"],
                "systems": ["x", "y", "z"],
                "repeats": 3,
                "skip": [{"graph": "b", "algorithm": "cc", "reason": "directed"}],
            },
            "c",
        )
        self.plan = make_plan(self.config)

    def test_systems_take_turns_within_each_graph_and_algorithm(self) -> None:
        for start in range(0, len(self.plan), 3):
            turn = self.plan[start : start + 3]
            self.assertEqual({run.cell.system for run in turn}, {"x", "y", "z"})
            self.assertEqual(len({(run.cell.graph, run.cell.algorithm, run.repeat) for run in turn}), 1)

    def test_each_system_begins_as_often_as_the_others(self) -> None:
        self.assertEqual([self.plan[start].cell.system for start in (0, 9, 18)], ["x", "y", "z"])

    def test_repeats_are_farthest_apart(self) -> None:
        self.assertEqual([run.repeat for run in self.plan], sorted(run.repeat for run in self.plan))

    def test_what_is_skipped_is_not_run(self) -> None:
        self.assertEqual(len(self.plan), 27)
        self.assertFalse([run for run in self.plan if (run.cell.graph, run.cell.algorithm) == ("b", "cc")])

    def test_keys_are_unique_and_stable(self) -> None:
        keys = [run.key for run in self.plan]
        self.assertEqual(len(set(keys)), len(keys))
        self.assertEqual(keys, [run.key for run in make_plan(self.config)])

    def test_what_is_said_of_less_goes_before_what_is_said_of_more(self) -> None:
        config = parse_config(
            {
                "name": "n",
                "algorithms": [{"algo": "sssp", "options": {"delta": 2, "source": "1"}}],
                "options": {"delta": 1},
                "graphs": [{"name": "road", "graph": "g", "options_for": {"sssp": {"delta": 50000}}}],
                "systems": [{"backend": "x", "options": {"source": "2"}}],
                "repeats": 1,
            },
            "c",
        )
        self.assertEqual(make_plan(config)[0].options, {"delta": 50000, "source": "2"})


class Rows(BenchTest):
    def ended(self, backend: str, **changes: object) -> dict:
        self.code = self.sweep(systems=[backend], repeats=1, **changes).returncode
        return self.rows()[-1]

    def test_done(self) -> None:
        row = self.ended("incore")
        self.assertEqual((row["status"], row["reason"], self.code), ("done", None, 0))
        self.assertEqual(row["result"]["verdict"], "verified")
        self.assertGreater(row["max_rss_bytes"], 0)

    def test_an_answer_to_another_question_is_garbled(self) -> None:
        stand_in = self.folder / "graphrun"
        honest = stand_in.read_text(encoding="utf-8")
        for said, instead, reason in (
            ('"algorithm": value("--algo")', '"algorithm": "cc"', "its algorithm is cc and should be bfs"),
            ('"backend": backend', '"backend": "emogi"', "its backend is emogi and should be incore"),
            ('"trials": trials', '"trials": trials[1:]', "its number of trials is 1 and should be 2"),
        ):
            with self.subTest(instead):
                self.assertIn(said, honest)
                stand_in.write_text(honest.replace(said, instead), encoding="utf-8")
                self.sweep(self.folder / reason, systems=["incore"], repeats=1, trials=2)
                row = self.rows(self.folder / reason)[0]
                self.assertEqual((row["status"], row["reason"]), ("garbled", f"exit code 0, but {reason}"))

    def test_messages_that_are_no_text_leave_rows_that_can_be_read(self) -> None:
        stand_in = self.folder / "graphrun"
        noise = "import sys; sys.stderr.buffer.write(b'\\0\\xff\\n')\n"
        stand_in.write_text(stand_in.read_text(encoding="utf-8").replace("\n", "\n" + noise, 1), encoding="utf-8")
        self.assertEqual(self.ended("incore")["status"], "done")
        done = self.bench("report", self.out, "--csv", self.folder / "a.csv")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_endings_become_rows_with_reasons(self) -> None:
        for backend, status, reason, code in (
            ("crash", "crashed", "SIGSEGV", 1),
            ("refused", "refused", "there is no backend 'refused'", 1),
            ("absent", "unavailable", "no GPU here", 77),
            ("fails", "failed", "the disk is full", 1),
            ("memory", "out of memory", "not enough memory", 1),
            ("garbled", "garbled", "is not JSON", 1),
            ("wrong", "wrong", "vertex 3 has level 2", 1),
        ):
            with self.subTest(backend):
                self.out = self.folder / backend
                row = self.ended(backend)
                self.assertEqual((row["status"], self.code), (status, code))
                self.assertIn(reason, row["reason"])

    def test_a_hanging_run_is_killed_with_its_children(self) -> None:
        pid_file = self.folder / "pid"
        started = time.monotonic()
        row = self.ended("hang", time_limit_s=0.5, environment={"PID_FILE": str(pid_file)})
        self.assertLess(time.monotonic() - started, 20)
        self.assertEqual(row["status"], "timed out")
        self.assertIn("0.5 s", row["reason"])
        self.assertTrue(wait_until_dead(int(pid_file.read_text())))

    def test_what_reached_the_limit_once_is_not_waited_for_again(self) -> None:
        started = time.monotonic()
        self.sweep(systems=["hang", "incore"], repeats=4, time_limit_s=3)
        self.assertLess(time.monotonic() - started, 4 * 3)
        hanging = [row for row in self.rows() if row["system"] == "hang"]
        self.assertEqual([row["status"] for row in hanging], ["timed out"] * 4)
        self.assertEqual(["not tried again" in row["reason"] for row in hanging], [False, True, True, True])

    def test_the_sweep_goes_on_after_bad_runs(self) -> None:
        done = self.sweep(systems=["crash", "absent", "incore", "wrong"], repeats=2)
        self.assertEqual(done.returncode, 1)
        self.assertEqual([row["status"] for row in self.rows()].count("done"), 2)
        self.assertEqual(len(self.rows()), 8)

    def test_a_data_set_that_is_not_here(self) -> None:
        row = self.ended("incore", graphs=[{"dataset": "GAP-nowhere"}])
        self.assertEqual((row["status"], self.code), ("unavailable", 77))
        self.assertIn("datasets/fetch.sh GAP-nowhere", row["reason"])

    def test_programs_print_a_line_a_measurement(self) -> None:
        (self.folder / "speak").write_text("#!/bin/sh\necho '{\"iops\": 5}'; echo '{\"iops\": 7}'\n", encoding="utf-8")
        (self.folder / "speak").chmod(0o755)
        done = self.sweep(
            systems=["incore"],
            programs=[{"name": "disk", "program": ["speak"]}, {"name": "gone", "program": ["nowhere"]}],
            repeats=1,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        disk, gone, _ = self.rows()
        self.assertEqual(disk["result"], [{"iops": 5}, {"iops": 7}])
        self.assertEqual(gone["status"], "unavailable")

    def test_a_program_that_counts_something_wrong_is_wrong(self) -> None:
        (self.folder / "speak").write_text(
            "#!/bin/sh\necho '{\"wrong_words\": 0}'; echo '{\"wrong_words\": 3}'\n", encoding="utf-8"
        )
        (self.folder / "speak").chmod(0o755)
        done = self.sweep(programs=[{"name": "disk", "program": ["speak"]}], repeats=1)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(
            (self.rows()[0]["status"], self.rows()[0]["reason"]), ("wrong", "line 2 of its output says wrong_words: 3")
        )

    def test_progress_estimates_the_time_left(self) -> None:
        done = self.sweep(repeats=3, environment={"STAND_IN_SECONDS": "0.2"})
        self.assertRegex(
            done.stderr, r"\[2/3\] kron:4:4 / bfs / incore, repeat 2: [\d.]+ ms, verified \(\d+\.\d s\), about \d+ s left"
        )


class Resuming(BenchTest):
    def test_nothing_is_run_twice(self) -> None:
        self.sweep()
        before = self.rows()
        self.assertEqual(self.sweep().returncode, 0)
        self.assertEqual(self.rows(), before)

    def test_another_configuration_or_program_is_refused_unless_told(self) -> None:
        self.sweep()
        done = self.sweep(repeats=3)
        self.assertEqual(done.returncode, 2)
        self.assertIn("another configuration", done.stderr)
        self.assertEqual(self.bench("run", self.config(repeats=3), "--out", self.out, "--extend").returncode, 0)
        self.assertEqual(len(self.rows()), 3)
        with open(self.folder / "graphrun", "a", encoding="utf-8") as program:
            program.write("# changed\n")
        done = self.sweep(repeats=3)
        self.assertEqual(done.returncode, 2)
        self.assertIn("another graphrun", done.stderr)

    def test_another_machine_is_refused_unless_told(self) -> None:
        self.sweep()
        sessions = self.out / "test" / "sessions.jsonl"
        session = json.loads(sessions.read_text(encoding="utf-8"))
        session["environment"] |= {"cpu": "abacus", "cores": 96}
        sessions.write_text(json.dumps(session) + "\n", encoding="utf-8")
        done = self.sweep()
        self.assertEqual(done.returncode, 2)
        self.assertIn("was begun on another machine (abacus, 96 cores)", done.stderr)
        self.assertEqual(self.bench("run", self.config(), "--out", self.out, "--extend").returncode, 0)

    def test_retry_runs_again_what_did_not_end_well(self) -> None:
        self.sweep(systems=["crash", "incore"], repeats=1)
        config = self.config(systems=["crash", "incore"], repeats=1)
        self.bench("run", config, "--out", self.out)
        self.assertEqual(len(self.rows()), 2)
        self.bench("run", config, "--out", self.out, "--retry")
        first, _, again = self.rows()
        self.assertEqual(again["row"], first["row"] + ".2")

    def test_two_at_a_time_are_refused(self) -> None:
        config = self.config(systems=["hang"], time_limit_s=20)
        first = subprocess.Popen(self.command("run", config, "--out", self.out), stderr=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + 20
            while not (self.out / "test" / "sessions.jsonl").exists() and time.monotonic() < deadline:
                time.sleep(0.02)
            second = self.bench("run", config, "--out", self.out)
            self.assertEqual(second.returncode, 2)
            self.assertIn("another graphbench", second.stderr)
        finally:
            first.terminate()  # SIGKILL would leave it no time to end the processes that the run has begun
            first.wait(timeout=20)

    def test_interrupt_leaves_a_sweep_that_goes_on(self) -> None:
        pid_file = self.folder / "pid"
        config = self.config(systems=["hang"], repeats=1, time_limit_s=30)
        process = subprocess.Popen(
            self.command("run", config, "--out", self.out),
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PID_FILE": str(pid_file)},
        )
        self.wait_for(pid_file)
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 1)
        self.assertIn("the same command goes on", errors)
        self.assertTrue(wait_until_dead(int(pid_file.read_text())))

    def wait_for(self, path: Path) -> None:
        deadline = time.monotonic() + 20
        while not (path.exists() and path.read_text()) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertTrue(path.exists())

    def test_kill_9_at_many_points_loses_at_most_the_running_row(self) -> None:
        changes = {"systems": ["incore", "emogi", "bam"], "repeats": 4, "algorithms": ["bfs", "cc"]}
        config = self.config(**changes)
        rows_path = self.out / "test" / "rows.jsonl"
        pid_file = self.folder / "pid"
        environment = os.environ | {"STAND_IN_SECONDS": "0.02", "PID_FILE": str(pid_file)}
        kept = b""
        for point in range(14):
            process = subprocess.Popen(
                self.command("run", config, "--out", self.out, "--quiet"),
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
            time.sleep(0.05 + 0.037 * point)
            process.kill()
            _, errors = process.communicate(timeout=20)
            self.assertEqual(errors, b"")
            now = rows_path.read_bytes() if rows_path.exists() else b""
            whole = now[: now.rfind(b"\n") + 1]
            self.assertTrue(whole.startswith(kept), "a row that was on the disk has changed or is gone")
            kept = whole
            if pid_file.exists() and pid_file.read_text():
                self.assertTrue(wait_until_dead(int(pid_file.read_text())), "the running process outlived graphbench")
        self.assertEqual(self.bench("run", config, "--out", self.out).returncode, 0)
        self.assertTrue(rows_path.read_bytes().startswith(kept))
        keys = [row["key"] for row in self.rows()]
        self.assertEqual((len(keys), len(set(keys))), (24, 24))


if __name__ == "__main__":
    unittest.main()
