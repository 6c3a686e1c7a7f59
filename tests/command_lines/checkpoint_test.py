# SPDX-License-Identifier: Apache-2.0
"""Kills runs with --checkpoint, and lets them go on.

usage: checkpoint_test.py FOLDER_OF_PROGRAMS
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

_LONG = {
    "bc": ("kron:9:16", "--algo", "bc", "--definition", "exact"),
    "closeness": ("kron:12:16", "--algo", "closeness", "--sources", "4096"),
    "sssp": ("grid:300:300", "--algo", "sssp", "--weights", "random:1"),
    "pagerank": ("web:15", "--algo", "pagerank", "--damping", "0.98", "--tolerance", "1e-10"),
    "louvain": ("web:13", "--algo", "louvain", "--weights", "random:1", "--undirected"),
}
# Takes longer than a second, after which saves begin; runs go on without it.
_SLOW = ("--backend", "bam", "--cache", "16KiB", "--page", "512", "--storage", "ram:980pro")
_LINES = (
    (("bc", "--variant", "push"), 1),
    (("bc",), 2),
    (("closeness",), 2),
    (("sssp",), 1),
    (("sssp",), 2),
    (("sssp", "--variant", "bellman-ford"), 1),
    (("pagerank",), 1),
    (("pagerank", "--variant", "pull"), 2),
    (("pagerank", "--variant", "push"), 1),
    (("pagerank", "--variant", "synchronous", "--max-iterations", "200"), 2),
    (("louvain",), 1),
    (("louvain",), 2),
)
_LOUVAIN_ROUND_BYTES = 72  # its number first, after the arrays of a save
_MPIRUN = ("mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2")


class Checkpoint(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = Path(made.name) / "state"

    def command(self, *arguments):
        placed = "--device", "cpu", "--quiet", "--checkpoint", self.folder
        return [PROGRAM, *map(str, (*arguments, *placed))]

    @staticmethod
    def has_mpi():
        return shutil.which("mpirun") and b"MPI" in subprocess.run([PROGRAM, "--version"], capture_output=True).stdout

    @staticmethod
    def process_of(run, before):
        """Returns the process, or with mpirun the last one."""
        if not before:
            return run.pid
        pids = subprocess.run(["pgrep", "-P", str(run.pid), "graphrun"], capture_output=True, text=True).stdout.split()
        return int(pids[-1])

    def saves(self):
        return sorted(self.folder.glob("*.state")) if self.folder.exists() else []

    def kill(self, *arguments, before=(), files=1, saved=lambda save: True):
        """Kills a run, or with mpirun one of its processes, as soon as it has saved something."""
        run = subprocess.Popen([*before, *self.command(*arguments, *_SLOW)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        while sum(map(saved, self.saves())) < files:
            self.assertIsNone(run.poll(), "the run ended before it was killed")
            time.sleep(0.002)
        os.kill(self.process_of(run, before), signal.SIGKILL)
        run.communicate(timeout=60)
        self.assertNotEqual(run.returncode, 0, "the run ended before it was killed")

    def go_on(self, *arguments, before=(), code=0):
        command = [*before, *self.command(*arguments), "--json", "-"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, code, (command, done.stdout, done.stderr))
        return json.loads(done.stdout) if code == 0 else done.stderr

    def goes_on(self, *arguments, before=()):
        """Checks that a run goes on, and its answer."""
        result = self.go_on(*arguments, before=before)
        [trial] = result["trials"]
        self.assertTrue(trial["resumed"])
        self.assertIsNone(trial["gteps"])
        self.assertEqual(trial["verdict"], "verified")
        self.assertEqual(self.saves(), [], "a run that ended leaves no state")

    def test_killed_runs_go_on(self):
        for (algorithm, *variant), ranks in _LINES:
            line = *_LONG[algorithm], *variant, "--ranks", ranks
            with self.subTest(line=line):
                self.kill(*line, files=ranks)
                self.goes_on(*line, "--verify")

    def test_a_signal_saves_at_the_end_of_the_round(self):  # it ended the run at once, and said nothing
        mpirun = [(2, signal.SIGTERM, _MPIRUN)] if self.has_mpi() else []
        for ranks, sent, before in [(1, signal.SIGTERM, ()), (2, signal.SIGINT, ()), *mpirun]:
            line = *_LONG["pagerank"], *(() if before else ("--ranks", ranks))
            command = [*before, *self.command(*line, *_SLOW)]
            run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            while len(self.saves()) < ranks:
                self.assertIsNone(run.poll(), "the run ended before the signal")
                time.sleep(0.002)
            saved = {save: save.stat().st_mtime_ns for save in self.saves()}
            os.kill(self.process_of(run, before), sent)
            said = run.communicate(timeout=60)[1]
            # A shell's loop went on after Ctrl-C, because runs ended by an exit. mpirun ends by one.
            self.assertEqual(run.returncode, 128 + sent if before else -sent, said)
            self.assertIn("a signal: the run ends after this round", said)
            self.assertRegex(said, f"ended by signal {sent} after save [0-9]+ in {self.folder}: the same command goes on")
            self.assertGreaterEqual(sum(saved.get(save) != save.stat().st_mtime_ns for save in self.saves()), ranks)
            self.goes_on(*line, "--verify", before=before)

    def test_louvain_goes_on_in_a_later_round(self):
        def is_later(save):
            content = save.read_bytes()
            return int.from_bytes(content[-_LOUVAIN_ROUND_BYTES:][:8], "little") > 0

        for ranks in 1, 2:
            line = *_LONG["louvain"], "--ranks", ranks
            command = [PROGRAM, *map(str, line), "--device", "cpu", "--json", "-", "--quiet"]
            whole = subprocess.run(command, capture_output=True, check=True)
            self.kill(*line, files=ranks, saved=is_later)
            resumed = self.go_on(*line, "--verify")
            self.assertTrue(resumed["trials"][0]["resumed"])
            self.assertEqual(resumed["result"], json.loads(whole.stdout)["result"])

    def test_goes_on_over_another_backend_and_with_other_threads(self):
        self.kill(*_LONG["sssp"], "--threads", 2)
        self.goes_on(*_LONG["sssp"], "--backend", "incore", "--threads", 1, "--verify")

    def test_state_stays_until_outputs_are_written(self):
        self.kill(*_LONG["sssp"])
        run = subprocess.Popen([*self.command(*_LONG["sssp"]), "--output", "-"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        run.stdout.read(1)  # the pipe has no room for the rest
        self.assertEqual(len(self.saves()), 1)
        run.kill()
        run.communicate()
        self.goes_on(*_LONG["sssp"], "--verify")

    def test_a_run_whose_rank_was_killed_goes_on(self):
        if not self.has_mpi():
            self.skipTest("no mpirun, or a build without MPI")
        self.kill(*_LONG["bc"], before=_MPIRUN, files=2)
        self.goes_on(*_LONG["bc"], "--verify", before=_MPIRUN)

    def test_other_requests_are_refused(self):
        self.kill(*_LONG["sssp"])
        for other, why in (
            ((*_LONG["sssp"], "--source", 3), 'run: --source "max-degree", not "3"'),
            ((*_LONG["sssp"][:-1], "random:2"), '--weights "random:1", not "random:2"'),
            ((*_LONG["sssp"], "--delta", 1.5), "run: --delta 0.0, not 1.5"),
            (("grid:300:301", *_LONG["sssp"][1:]), "run: a number of vertices of 90000, not 90300"),
            ((_LONG["sssp"][0], "--algo", "pagerank"), "run: --algo sssp, not pagerank"),
        ):
            self.assertIn(why, self.go_on(*other, code=1))
        self.assertIn("of another number of ranks", self.go_on(*_LONG["sssp"], "--ranks", 2, code=1))
        self.goes_on(*_LONG["sssp"], "--verify")

    def test_another_edge_of_a_text_file_is_refused(self):  # a sample of edges told nothing
        graph = self.folder.parent / "g.el"
        draw = random.Random(3)
        edges = [(draw.randrange(512), draw.randrange(512)) for _ in range(8192)]
        graph.write_text("".join(f"{u} {v}\n" for u, v in edges))
        line = graph, *_LONG["bc"][1:]
        self.kill(*line)
        edges[4321] = edges[4321][0], (edges[4321][1] + 1) % 512
        text = graph.read_text()
        graph.write_text("".join(f"{u} {v}\n" for u, v in edges))
        self.assertIn("run: a graph of checksum ", self.go_on(*line, code=1))
        graph.write_text(text)
        self.goes_on(*line, "--verify", "--top", 2)

    def test_a_damaged_save_is_told_and_not_used(self):
        self.kill(*_LONG["bc"])
        for save in self.saves():
            content = bytearray(save.read_bytes())
            content[-9] ^= 1
            save.write_bytes(content)
        done = subprocess.run([*self.command(*_LONG["bc"]), "--verify"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("is damaged, and not used", done.stderr)
        self.assertNotIn("goes on from save", done.stderr)

    def test_a_link_to_nothing_is_refused(self):  # the message said that the file exists
        self.folder.symlink_to(self.folder.parent / "missing")
        self.assertIn("is a symbolic link to", self.go_on(*_LONG["sssp"], code=1))

    def test_conflicts_are_refused(self):
        for options, why in {
            ("--trials", "2"): "leave out --trials",
            ("--sources", "2"): "leave out --sources",
            ("--variant", "prefix"): "saves no state of variant prefix",
        }.items():
            self.assertIn(why, self.go_on(*_LONG["sssp"], *options, code=2))
        self.assertIn("checkpoint", self.go_on("kron:8", "--algo", "bfs", code=2))


if __name__ == "__main__":
    PROGRAM = f"{sys.argv.pop(1)}/graphrun"
    unittest.main()
