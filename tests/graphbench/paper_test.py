# SPDX-License-Identifier: Apache-2.0
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import TREE, BenchTest

from graphbench.errors import UsageError
from graphbench.paper.answers import EMULATED, KINDS, MODELLED, best
from graphbench.paper.make import merge
from graphbench.paper.page import count
from graphbench.paper.table import FULL, QUICK, read_table

TABLE = TREE / "configs" / "paper" / "figures.json"
GRAPHBENCH = Path(os.environ.get("GRAPHBENCH", "/nowhere"))


def _ids(name: str, figures: int, tables: int, chapter: str = "") -> list[str]:
    return [
        *(f"{name}-{chapter}{i}" for i in range(1, figures + 1)),
        *(f"{name}-table-{chapter}{i}" for i in range(1, tables + 1)),
    ]


# As the captions in the papers' texts number them.
CAPTIONS = [
    *_ids("emogi", 14, 4, "2."),
    *_ids("min", 15, 4, "3."),
    *_ids("min", 12, 1, "4."),
    *_ids("bam", 15, 3),
    *_ids("gpuvm", 16, 3),
    *(id for id in _ids("spin", 6, 4) if id != "spin-4"),
    *(f"spin-4{part}" for part in "abcd"),
    *_ids("finepack", 13, 3),
]


class Table(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.table = read_table(TABLE)  # names of runs, graphs, algorithms, systems, programs and measures are checked here

    def test_it_has_every_figure_and_table_once(self) -> None:
        self.assertEqual(sorted(figure.id for paper in self.table.papers for figure in paper.figures), sorted(CAPTIONS))

    def test_a_run_is_there_for_a_query(self) -> None:
        named = {query["run"] for _, number in self.table.numbers() for query in number.queries.values()}
        self.assertEqual(set(self.table.runs), named)

    def test_folders_of_runs_differ(self) -> None:
        self.assertEqual(len({run.folder for run in self.table.runs.values()}), len(self.table.runs))

    def test_at_least_sixty_numbers_can_be_run(self) -> None:
        self.assertGreaterEqual(sum(bool(number.queries) for _, number in self.table.numbers()), 60)

    def test_fields_that_programs_print_are_in_their_sources(self) -> None:
        files = {path.stem: path for kind in ("*.cpp", "*.py") for path in (TREE / "bench").rglob(kind)}
        for figure, number in self.table.numbers():
            for query in number.queries.values():
                if "program" not in query:
                    continue
                programs = self.table.runs[query["run"]].config.programs
                file = files[next(p.program[0] for p in programs if p.name == query["program"])]
                parts = [file] if file.parent.name == "bench" else [*file.parent.glob("*.?pp"), TREE / "bench" / "report.hpp"]
                source = "".join(path.read_text(encoding="utf-8") for path in parts)
                over = query.get("over", {})
                for field in [query["field"], *query.get("where", {}), *over.get("where", {})]:
                    with self.subTest(figure.key(number)):
                        self.assertIn(f'"{field}"', source)

    def test_committed_page_is_what_the_committed_results_make(self) -> None:
        done = subprocess.run([sys.executable, TREE / "tools" / "paper_page.py", "--check"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_committed_results_are_at_least_sixty(self) -> None:
        found = json.loads((TREE / "docs" / "paper" / "results.json").read_text(encoding="utf-8"))
        counts = count(self.table, found)
        self.assertGreaterEqual(sum(counts[kind] for kind in KINDS), 60)

    def test_what_is_wrong_with_a_table_is_said_with_its_place(self) -> None:
        run = {"graphs": ["kron:4:4"], "algorithms": ["bfs"], "systems": ["incore", "emogi"], "name": "c"}
        good = {
            "what": "a",
            "value": 1,
            "unit": "x",
            "quick": {"run": "r", "measure": "speed-up", "system": "emogi", "over": "incore"},
        }
        for change, words in (
            ({"quick": {**good["quick"], "run": "s"}}, "run 's' is not among r"),
            (
                {"quick": {**good["quick"], "system": "emogy"}},
                "system 'emogy' is not among incore, emogi (did you mean 'emogi'?)",
            ),
            (
                {"quick": {"run": "r", "measure": "speed-up", "system": "emogi"}},
                "needs a 'system', and for a speed-up also 'over'",
            ),
            (
                {"quick": {"run": "r", "measure": "spede-up", "system": "emogi"}},
                "cannot be 'spede-up' (did you mean 'speed-up'?)",
            ),
            (
                {"quick": {"run": "r", "measure": "time", "system": "emogi", "less": "incore"}},
                "'less' and 'factor' go with a measure that is 'over' another",
            ),
            ({"quick": {"run": "r", "program": "p", "field": "ms"}}, "program 'p' is not among any"),
            ({"pending": "later"}, "needs 'full', 'quick' or both, or else 'pending' with a reason"),
        ):
            with self.subTest(words), tempfile.TemporaryDirectory() as folder:
                (Path(folder) / "c.json").write_text(json.dumps(run), encoding="utf-8")
                figure = {"id": "p-1", "title": "t", "numbers": [{**good, **change}]}
                table = {"runs": {"r": {"file": "c.json"}}, "papers": [{"name": "P", "source": "s", "figures": [figure]}]}
                (Path(folder) / "t.json").write_text(json.dumps(table), encoding="utf-8")
                with self.assertRaises(UsageError) as raised:
                    read_table(Path(folder) / "t.json")
                self.assertIn(words, str(raised.exception))


class Made(BenchTest):
    """With the stand-in for graphrun."""

    def setUp(self) -> None:
        super().setUp()
        times = {"graphs": ["kron:4:4"], "algorithms": ["bfs"], "systems": ["incore", "emogi"], "repeats": 2, "name": "times"}
        lines = {"programs": [{"name": "p", "program": ["printer"]}], "repeats": 1, "name": "lines"}
        printer = self.folder / "printer"
        printer.write_text(
            '#!/bin/sh\necho \'{"way": "a", "ms": 6, "emulated": true}\'\necho \'{"way": "b", "ms": 2}\'\n', encoding="utf-8"
        )
        printer.chmod(0o755)
        speed = {"run": "times", "measure": "speed-up", "system": "emogi", "over": "incore"}
        figures = [
            {"id": "p-1", "title": "a drawing", "reason": "it is a drawing"},
            {
                "id": "p-table-2.1",
                "title": "numbers",
                "numbers": [
                    {"what": "speed-up", "value": 2, "unit": "x", "quick": speed},
                    {
                        "what": "share",
                        "unit": "%",
                        "quick": {
                            "run": "times",
                            "measure": "time",
                            "system": "emogi",
                            "less": "incore",
                            "over": "emogi",
                            "factor": 100,
                        },
                    },
                    {"what": "edges", "value": 4e9, "quick": {"run": "times", "result": "graph.m"}},
                    {
                        "what": "ratio",
                        "unit": "x",
                        "full": {
                            "run": "lines",
                            "program": "p",
                            "field": "ms",
                            "where": {"way": "a"},
                            "over": {"where": {"way": "b"}},
                        },
                    },
                    {"what": "later", "value": 1, "pending": "it is being written"},
                ],
            },
        ]
        self.table = {
            "runs": {"times": {"file": "times.json"}, "lines": {"file": "lines.json"}},
            "papers": [{"name": "P", "source": "s", "figures": figures}],
        }
        for name, value in (("times", times), ("lines", lines), ("table", self.table)):
            (self.folder / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")

    def paper(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return self.bench("paper", self.folder / "table.json", "--out", self.out, *arguments)

    def rows_of(self, run: str) -> list[dict]:
        path = self.out / run / "rows.jsonl"
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []

    def page(self) -> str:
        return (self.out / "README.md").read_text(encoding="utf-8")

    def test_quick_runs_what_quick_queries_name_and_all_the_rest(self) -> None:
        done = self.paper("--quick")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((len(self.rows_of("times")), len(self.rows_of("lines"))), (4, 0))
        self.assertIn("cannot be expressed here, because it is a drawing", self.page())
        self.assertIn("| Table 2.1 | numbers: later | 1.00 | pending: it is being written |", self.page())
        self.assertIn("| numbers: ratio | in the figure alone | not run yet, needs a GPU |", self.page())
        done = self.paper()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((len(self.rows_of("times")), len(self.rows_of("lines"))), (4, 1))
        self.assertRegex(self.page(), r"numbers: ratio \| in the figure alone \| 3.00 × \|.*EMULATED")
        self.assertRegex(self.page(), r"numbers: edges \| 4 G \|.*kron:4:4, a stand-in")
        self.assertIn("<svg", (self.out / "paper.svg").read_text(encoding="utf-8"))

    def test_time_that_is_over_ends_it_and_the_same_command_goes_on(self) -> None:
        done = self.paper("--quick", "--hours", "0.000001")
        self.assertEqual(done.returncode, 1)
        self.assertIn("the time is over; the same command goes on from here", done.stderr)
        self.assertEqual(self.rows_of("times"), [])
        self.assertIn("not run yet", self.page())
        self.assertEqual(self.paper("--quick").returncode, 0)
        first = self.rows_of("times")
        self.assertEqual(len(first), 4)
        self.assertEqual(self.paper("--quick").returncode, 0)
        self.assertEqual(self.rows_of("times"), first)

    def test_a_share_is_a_difference_over_a_system(self) -> None:
        self.assertEqual(self.paper("--quick").returncode, 0)
        answers = json.loads((self.out / "results.json").read_text(encoding="utf-8"))["answers"]
        share, speed_up = (answers[f"p-table-2.1: {what}"][QUICK]["value"] for what in ("share", "speed-up"))
        self.assertAlmostEqual(share, 100 * (1 - speed_up))

    def test_hours_are_a_number_above_zero(self) -> None:
        for hours in ("0", "-1", "nan", "inf"):
            self.assertEqual(self.paper("--hours", hours).returncode, 2, hours)

    def test_results_of_two_machines_are_merged(self) -> None:
        def made(day: str, value: "float | None", form: str) -> dict:
            return {"made": day, "graphrun": [day], "load": 1.0, "answers": {"a": {form: {"value": value}}}}

        both = merge(made("2026-01-01", 1.0, QUICK), made("2026-01-02", 2.0, FULL))
        self.assertEqual(best(both["answers"]["a"]), {"value": 2.0})
        self.assertEqual(both["graphrun"], ["2026-01-01", "2026-01-02"])
        self.assertEqual(best(merge(both, made("2026-01-03", None, FULL))["answers"]["a"]), {"value": 2.0})

    def test_what_a_model_computed_says_so(self) -> None:
        printer = self.folder / "printer"
        printer.write_text(
            '#!/bin/sh\necho \'{"way": "a", "ms": 6, "modelled": true}\'\necho \'{"way": "b", "ms": 2}\'\n', encoding="utf-8"
        )
        self.assertEqual(self.paper().returncode, 0)
        self.assertRegex(self.page(), rf"numbers: ratio .*{MODELLED}")

    def test_host_threads_in_place_of_a_gpu_are_not_real(self) -> None:
        self.assertEqual(self.paper("--quick").returncode, 0)
        answers = json.loads((self.out / "results.json").read_text(encoding="utf-8"))["answers"]
        self.assertEqual({answer[QUICK]["kind"] for answer in answers.values()}, {EMULATED})


@unittest.skipUnless((GRAPHBENCH.parent / "graphrun").exists(), "there is no graphrun beside GRAPHBENCH")
class Real(unittest.TestCase):
    def test_three_rows_of_the_table_on_a_small_graph(self) -> None:
        wanted = {"emogi-2.12", "emogi-table-2.4", "gpuvm-12"}
        raw = json.loads(TABLE.read_text(encoding="utf-8"))
        figures = [figure for paper in raw["papers"] for figure in paper["figures"] if figure["id"] in wanted]
        figures = [{**f, "numbers": [n for n in f["numbers"] if "quick" in n][:1]} for f in figures]
        folder = Path(tempfile.mkdtemp(prefix="graphbench-test-"))
        self.addCleanup(shutil.rmtree, folder)
        text = json.dumps({"runs": raw["runs"], "papers": [{"name": "P", "source": "s", "figures": figures}]})
        text = re.sub(r"kron:16:16", "kron:10:16", text).replace("urand:16:16", "urand:10:16").replace("repeats=3", "repeats=1")
        runs = json.loads(text)
        for run in runs["runs"].values():
            run["file"] = os.path.relpath(TABLE.parent / run["file"], folder)
        (folder / "table.json").write_text(json.dumps(runs), encoding="utf-8")
        command = [str(GRAPHBENCH), "paper", str(folder / "table.json"), "--quick", "--out", str(folder / "out")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=500)
        self.assertEqual(done.returncode, 0, done.stderr)
        answers = json.loads((folder / "out" / "results.json").read_text(encoding="utf-8"))["answers"]
        self.assertEqual(len(answers), 3)
        for key, forms in answers.items():
            with self.subTest(key):
                self.assertGreater(forms[QUICK]["value"], 0)
                self.assertIn("kron:10:16, a stand-in", forms[QUICK]["on"])
        self.assertEqual(count(read_table(folder / "table.json"), {"answers": answers})[EMULATED], 3)


if __name__ == "__main__":
    unittest.main()
