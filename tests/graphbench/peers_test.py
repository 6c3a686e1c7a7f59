# SPDX-License-Identifier: Apache-2.0
"""`graphbench peers` with the real graphrun, beside programs that stand for those of other systems."""

import copy
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

from support import TREE

from graphbench.peers import Peers
from graphbench.programs import find_programs

GRAPHBENCH = Path(os.environ.get("GRAPHBENCH", "/nowhere"))
_NINE = {
    "name": "nine",
    "rounds": 2,
    "sources": 2,
    "trials": 2,
    "graphs": {"nine": {"graph": "complete:9", "algorithms": ["bfs", "cc"]}},
    "environment": {"OMP_NUM_THREADS": "{threads}"},
    "algorithms": {"bfs": {"from_sources": True}},
    "peers": [
        {
            "name": "Stand-in",
            "algorithms": {
                "bfs": {
                    "command": ["bfs", "-f", "{sg}", "-r", "{source}", "-n", "{trials}"],
                    "times": "^Time: ([\\d.]+)",
                    "skip": 1,
                    "answer": {"pattern": "reached (\\d+)", "field": "reached"},
                },
                "cc": {"command": ["cc", "{gbbs}"], "times": "^Time: ([\\d.]+)", "unit": "ms"},
            },
        }
    ],
}


class PeersTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="graphbench-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.peer("bfs", "0.001 0.004 0.002 0.003", "reached 9")
        self.peer("cc", "7 5 6", "")

    def peer(self, name: str, times: str, says: str, end: int = 0) -> None:
        file = self.folder / name
        lines = f'echo "$@" $OMP_NUM_THREADS >> {self.folder}/{name}.log\nfor t in {times}; do echo "Time: $t"; done\necho {says}\nexit {end}\n'
        file.write_text("#!/bin/sh\n" + lines)
        file.chmod(0o755)

    def run_table(self, table: dict[str, Any], *options: str) -> subprocess.CompletedProcess[str]:
        (self.folder / "table.json").write_text(json.dumps(table))
        command = [GRAPHBENCH, "peers", self.folder, self.folder / "table.json", "--out", self.folder / "out", *options]
        return subprocess.run(command, capture_output=True, text=True, env=os.environ | {"GRAPHRUN_DATASETS": str(self.folder)})

    def cells(self) -> dict[tuple[str, str], dict[str, Any]]:
        cells = json.loads((self.folder / "out" / "peers.json").read_text())["cells"]
        return {(cell["algorithm"], cell["program"]): cell for cell in cells}

    def test_medians_of_the_trials_that_count(self) -> None:
        done = self.run_table(_NINE, "--quiet")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        cells = self.cells()
        self.assertEqual(cells["bfs", "Stand-in"]["ms"], 3)
        self.assertEqual(cells["cc", "Stand-in"]["ms"], 6)
        self.assertGreater(cells["bfs", "graphrun"]["ms"], 0)
        self.assertRegex(done.stdout, r"\| nine \| bfs \| [\d.e-]+ \| 3 \([\d.e+]+\) \|")
        self.assertRegex(done.stdout, r"\| nine \| cc \| [\d.e-]+ \| 6\* \(")
        self.assertEqual([cells["bfs", "Stand-in"]["is_checked"], cells["cc", "Stand-in"]["is_checked"]], [True, False])

    def test_all_search_from_the_same_sources_in_each_round(self) -> None:
        self.run_table(_NINE)
        asked = re.findall(r"graph\.sg -r (\d) -n 3 2$", (self.folder / "bfs.log").read_text(), re.MULTILINE)
        self.assertEqual(len(asked), 4)
        self.assertEqual(asked[:2], asked[2:])
        self.assertEqual([sample["source"] for sample in self.cells()["bfs", "graphrun"]["samples"]], list(map(int, asked[:2])))

    def test_a_wrong_answer_has_no_time(self) -> None:
        self.peer("bfs", "0.001 0.004", "reached 8")
        done = self.run_table(_NINE)
        self.assertEqual(done.returncode, 1)
        self.assertIn("its answer is 8 where graphrun's reached is 9", done.stderr)
        self.assertEqual(self.cells()["bfs", "Stand-in"]["status"], "wrong")
        self.assertIsNone(self.cells()["bfs", "Stand-in"]["ms"])

    def test_programs_that_fail_or_say_too_little_are_told(self) -> None:
        self.peer("bfs", "0.001", "reached 9")
        self.peer("cc", "1", "", end=3)
        done = self.run_table(_NINE)
        self.assertEqual(done.returncode, 1)
        self.assertIn("it printed no more times than the 1 that are left out", done.stderr)
        self.assertIn("exit code 3", done.stderr)
        self.peer("bfs", "0.001 0.002", "")
        self.assertIn("it did not print 'reached", self.run_table(_NINE).stderr)
        self.peer("bfs", "0.001 1.2.3", "reached 9")
        self.assertIn("could not convert string to float", self.run_table(_NINE).stderr)

    def test_a_program_that_checks_itself_says_so(self) -> None:
        table = copy.deepcopy(_NINE)
        table["peers"][0]["algorithms"]["cc"]["says"] = "PASS"
        self.assertIn("it did not print 'PASS'", self.run_table(table).stderr)
        self.peer("cc", "7 5 6", "PASS")
        done = self.run_table(table, "--quiet")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertFalse(self.cells()["cc", "Stand-in"]["is_checked"])

    def test_what_is_not_there_is_left_out(self) -> None:
        (self.folder / "cc").unlink()
        self.assertEqual(self.run_table(_NINE).returncode, 0)
        self.assertEqual({algorithm for algorithm, _ in self.cells()}, {"bfs"})
        (self.folder / "bfs").unlink()
        self.assertEqual(self.run_table(_NINE).returncode, 77)

    def test_a_graph_may_be_a_data_set(self) -> None:  # roads took a table of their own
        table = copy.deepcopy(_NINE)
        table["graphs"]["triangle"] = {"dataset": "K3", "algorithms": ["cc"]}
        done = self.run_table(table)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("triangle is left out: data set K3 is not here", done.stderr)
        (self.folder / "K3.mtx").write_text("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n2 1\n3 1\n3 2\n")
        done = self.run_table(table)
        self.assertRegex(done.stdout, r"\| triangle \| cc \| [\d.e-]+ \| 6\* \(")

    def test_mistakes_have_sentences(self) -> None:
        def refusal(change: dict[str, Any]) -> str:
            table = copy.deepcopy(_NINE)
            table["peers"][0]["algorithms"]["bfs"] |= change
            done = self.run_table(table)
            self.assertEqual(done.returncode, 2, done.stderr)
            return done.stderr

        self.assertIn("is no regular expression", refusal({"times": "("}))
        self.assertIn("needs one group", refusal({"times": "Time"}))
        self.assertIn("'{sgg}' is none of {sg}", refusal({"command": ["bfs", "{sgg}"]}))
        self.assertIn("choose among s, ms, us", refusal({"unit": "h"}))
        for field in ("reach", "reached.x", "reached.0"):
            answer = {"pattern": "(9)", "field": field}
            self.assertIn(f"graphrun's result has no field '{field}'", refusal({"answer": answer}))
        tables = [copy.deepcopy(_NINE) for _ in range(5)]
        tables[0]["graphs"]["nine"]["algorithms"] = ["bsf"]
        tables[1]["algorithms"] = {"pagerank": {}}
        tables[2]["peers"].append(tables[2]["peers"][0])
        tables[3]["peers"][0]["algorithms"] = {}
        tables[4]["graphs"]["nine"]["dataset"] = "K9"
        said = "did you mean 'bfs'", "no peer has 'pagerank'", "names two programs", "with something in it", "'graph'"
        for table, words in zip(tables, said, strict=True):
            done = self.run_table(table)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(words, done.stderr)
        done = subprocess.run([GRAPHBENCH, "peers", self.folder / "none"], capture_output=True, text=True, cwd=TREE)
        self.assertEqual((done.returncode, done.stderr), (2, f"error: {self.folder}/none is not a folder\n"))

    def test_the_table_of_the_project_is_sound(self) -> None:
        path = TREE / "configs" / "peers.json"
        for peer in json.loads(path.read_text())["peers"]:
            for how in peer["algorithms"].values():
                file = self.folder / how["command"][0]
                file.parent.mkdir(parents=True, exist_ok=True)
                file.touch()
        Peers(path, self.folder, find_programs(None, GRAPHBENCH.parent), True)


if __name__ == "__main__":
    unittest.main()
