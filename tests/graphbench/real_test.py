# SPDX-License-Identifier: Apache-2.0
"""With the real graphrun, which CTest names by the environment variable GRAPHBENCH: the launcher beside it."""

import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import TREE, is_config

from graphbench.config import read_config
from graphbench.options import ALGORITHMS, SHORT_FORMS
from graphbench.outcome import DONE
from graphbench.programs import Programs, check_gathers, check_graphs, check_options

GRAPHBENCH = Path(os.environ.get("GRAPHBENCH", "/nowhere"))
GRAPHRUN = GRAPHBENCH.parent / "graphrun"

if not GRAPHRUN.exists():
    print(f"there is no {GRAPHRUN}: build it, and name the graphbench beside it in GRAPHBENCH")
    sys.exit(77)

TINY = {
    "name": "tiny",
    "algorithms": [{"algo": "bfs", "options": {"source": "random:1", "sources": 2}}, "sssp", "cc", "pagerank"],
    "graphs": [
        "grid:8:8",
        {"name": "kron", "graph": "kron:8:8", "container": True, "container_options": {"weights": "random:1"}},
    ],
    "systems": [
        "incore",
        "emogi",
        {"name": "bam", "backend": "bam", "options": {"cache": "64KiB"}},
        {"name": "absent", "backend": "incore", "options": {"device": "cuda:99"}},
        {"name": "nonsense", "backend": "incore", "options": {"cache": "16"}},
    ],
    "options": {"device": "cpu", "threads": 2},
    "repeats": 2,
    "time_limit_s": 120,
}


class TinySweep(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(tempfile.mkdtemp(prefix="graphbench-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        (cls.folder / "tiny.json").write_text(json.dumps(TINY), encoding="utf-8")
        cls.first = cls.bench(cls.folder / "tiny.json", "--out", cls.folder / "a")
        cls.rows = [
            json.loads(line) for line in (cls.folder / "a" / "tiny" / "rows.jsonl").read_text(encoding="utf-8").splitlines()
        ]

    @staticmethod
    def bench(*arguments: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run([str(GRAPHBENCH), *map(str, arguments)], capture_output=True, text=True, timeout=500)

    def test_what_works_is_verified(self) -> None:
        good = [row for row in self.rows if row["system"] in ("incore", "emogi", "bam")]
        self.assertEqual(len(good), 2 * 4 * 3 * 2)
        self.assertEqual({(row["status"], row["reason"]) for row in good}, {(DONE, None)})
        self.assertEqual({row["result"]["verdict"] for row in good}, {"verified"})

    def test_what_does_not_says_why(self) -> None:
        self.assertEqual(self.first.returncode, 1)
        self.assertEqual({row["status"] for row in self.rows if row["system"] == "absent"}, {"unavailable"})
        refused = [row for row in self.rows if row["system"] == "nonsense"]
        self.assertEqual({row["status"] for row in refused}, {"refused"})
        self.assertIn("backend incore keeps all edges in memory and needs --cache", refused[0]["reason"])

    def test_systems_agree_on_answers(self) -> None:
        for algorithm in ("bfs", "sssp", "cc"):
            answers = {
                json.dumps([row["graph"], row["result"].get("results") or row["result"]["result"]])
                for row in self.rows
                if row["algorithm"] == algorithm and row["status"] == DONE
            }
            self.assertEqual(len(answers), 2, "one a graph")

    def test_the_container_was_made_once(self) -> None:
        self.assertEqual(len(list((self.folder / "a" / "tiny" / "graphs").iterdir())), 1)

    def test_tables_name_every_row(self) -> None:
        done = self.bench("report", self.folder / "a", "--csv", self.folder / "t.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        text = (self.folder / "t.csv").read_text(encoding="utf-8")
        self.assertEqual([row["row"] for row in self.rows if row["row"] not in text], [])


class Gathers(unittest.TestCase):
    """Configurations that come with graphrun, on a small graph."""

    def sweep(self, name: str, *codes: int) -> tuple[list[dict], list[dict]]:
        """Rows, and the lines of the report; graphbench ends with one of the codes."""
        folder = Path(tempfile.mkdtemp(prefix="graphbench-test-"))
        self.addCleanup(shutil.rmtree, folder)
        settings = ("graphs=kron:10:8", "repeats=1", "trials=1", "option.gathered=4000", "option.sources=20")
        words = [word for setting in settings for word in ("--set", setting)]
        done = TinySweep.bench(TREE / "configs" / name, "--out", folder, *words)
        self.assertIn(done.returncode, codes, done.stderr)
        rows = next(folder.glob("*/rows.jsonl")).read_text(encoding="utf-8").splitlines()
        done = TinySweep.bench("report", folder, "--csv", folder / "t.csv", "--markdown", folder / "t.md")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(folder / "t.csv", encoding="utf-8", newline="") as file:
            return [json.loads(row) for row in rows], list(csv.DictReader(file))

    def test_rows_from_memory_and_a_file_with_some_near(self) -> None:
        rows, lines = self.sweep("gather.json", 0)
        self.assertEqual({(row["status"], row["reason"], row["result"]["verdict"]) for row in rows}, {(DONE, None, "verified")})
        left = {line["system"]: float(line["amplification"]) for line in lines}
        self.assertEqual({left[f"memory, row-bytes {size}"] for size in (1024, 1028, 1044)}, {1})
        for choice in ("degree", "pagerank", "weighted"):
            some, more, most = (left[f"near, hot {choice}, hot-share {share}"] for share in (0.01, 0.1, 0.25))
            self.assertTrue(1 > some > more > most > 0, (choice, some, more, most))

    def test_figures_of_min_are_not_refused(self) -> None:
        for path in sorted((TREE / "configs" / "paper").glob("min-*.json")):
            with self.subTest(path.name):
                rows, _ = self.sweep(f"paper/{path.name}", 0, 77)
                self.assertEqual({row["status"] for row in rows} - {DONE, "unavailable"}, set())


class Limits(unittest.TestCase):
    def test_more_memory_than_it_may_have_is_a_row_that_says_so(self) -> None:
        with tempfile.TemporaryDirectory(prefix="graphbench-test-") as folder:
            config = {
                "name": "small",
                "graphs": ["kron:18:16"],
                "algorithms": ["bfs"],
                "systems": ["incore"],
                "options": {"device": "cpu", "memory": "4GiB"},  # else it is refused before it begins
                "repeats": 1,
                "memory_limit": "48MiB",
            }
            (Path(folder) / "c.json").write_text(json.dumps(config), encoding="utf-8")
            self.assertEqual(TinySweep.bench(Path(folder) / "c.json", "--out", folder).returncode, 1)
            row = json.loads((Path(folder) / "small" / "rows.jsonl").read_text(encoding="utf-8"))
            self.assertEqual(row["status"], "out of memory")


class WrongConfigs(unittest.TestCase):
    def test_what_graphrun_would_refuse_ends_the_sweep_before_it_begins(self) -> None:
        tiny = {"name": "wrong", "algorithms": ["bfs"], "graphs": ["path:9"], "systems": ["incore"]}
        for change, words in (
            ({"systems": ["incor"]}, "there is no backend 'incor'"),
            ({"options": {"layout": "cs"}}, "option 'layout' is one of csr, balanced"),
            ({"options": {"delivery": "copis"}}, "option 'delivery' is one of auto, landing, copies, cufile, not 'copis' (did you mean"),
            ({"options": {"queues": 0}}, "option 'queues' is a whole number from 1"),
            ({"options": {"cache": "1XB"}}, "option 'cache' is a size, such as 8GiB, not '1XB'"),
            ({"options": {"delta": "abc"}}, "option 'delta' is a number above 0, not 'abc'"),
            ({"options": {"undirected": "yes"}}, "option 'undirected' is true or false"),
            ({"graphs": ["pth:9"]}, "'pth:9' names no generator (did you mean 'path'?)"),
            ({"graphs": ["path:9:9"]}, "'path:9:9' is not path:N"),
        ):
            with self.subTest(words), tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "wrong.json"
                path.write_text(json.dumps({**tiny, **change}), encoding="utf-8")
                ended = TinySweep.bench(path, "--out", folder)
                self.assertEqual(ended.returncode, 2)
                self.assertIn(words, ended.stderr)
                self.assertFalse((Path(folder) / "wrong" / "rows.jsonl").exists())


class Names(unittest.TestCase):
    def test_algorithms_and_their_short_forms_are_those_of_graphrun(self) -> None:
        described = json.loads(subprocess.check_output([GRAPHRUN, "--describe"], text=True))
        self.assertEqual([algorithm["name"] for algorithm in described["algorithms"]], list(ALGORITHMS))
        for form, name in SHORT_FORMS.items():
            said = subprocess.check_output([GRAPHRUN, "path:9", "--algo", form, "--json", "-", "--quiet"], text=True)
            self.assertEqual(json.loads(said)["algorithm"], name)


class ShippedConfigs(unittest.TestCase):
    def test_this_graphrun_has_every_option_that_they_give(self) -> None:
        known = Programs(GRAPHRUN).known_options()
        self.assertIn("max-iterations", known)
        generators = Programs(GRAPHRUN).known_generators()
        described = json.loads(subprocess.check_output([GRAPHRUN, "--describe"], text=True))
        gather_options = [option["name"] for option in described["gather_options"]]
        self.assertIn("kron:SCALE[:EDGEFACTOR[:SEED]]", generators)
        for path in (path for path in sorted((TREE / "configs").rglob("*.json")) if is_config(path)):
            with self.subTest(path.name):
                check_options(read_config(path), known)
                check_graphs(read_config(path), generators)
                check_gathers(read_config(path), gather_options)


if __name__ == "__main__":
    unittest.main()
