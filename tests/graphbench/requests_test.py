# SPDX-License-Identifier: Apache-2.0
"""Sweeps that count requests over a link: what the report makes of them, and of a profiler's bytes."""

import csv
import importlib.util
import io
import json
import re
import shutil
import stat
import sys
import unittest
from typing import Any

from support import BenchTest

from graphbench.errors import BenchError
from graphbench.profile import METRIC, read_metric

if not all(importlib.util.find_spec(module) for module in ("matplotlib", "jinja2")):
    print("python3-matplotlib or python3-jinja2 is not installed")
    sys.exit(77)


def counting(access: str) -> dict[str, Any]:
    return {"name": access, "backend": "emogi", "options": {"access": access, "count-requests": True}}


COUNTING = {
    "systems": [counting("naive"), counting("merged"), counting("aligned"), "incore"],
    "trials": 2,
    "repeats": 2,
    "figures": [{"kind": "requests"}, {"kind": "bars", "measure": "link-requests"}, {"kind": "roofline"}],
    "columns": ["link-requests", "share-128"],
    "expected": [
        {
            "what": "theirs",
            "value": 46.7,
            "unit": "%",
            "measure": "share-128",
            "system": "merged",
            "source": "figure 2.6",
            "hardware": "an FPGA",
        }
    ],
}

# Answers as Nsight Compute does, for one kernel that reads 250 sectors and one that reads 1000.
_NCU = """#!{python}
import os, sys
given = sys.argv[1:]
if given == ["--version"]:
    print("NVIDIA (R) Nsight Compute Command Line Profiler"); print("Version 9.9"); sys.exit(0)
if os.environ.get("NCU") == "forbidden":
    print("==ERROR== ERR_NVGPUCTRPERM - no permission"); sys.exit(1)
if os.environ.get("NCU") == "fails":
    print("==ERROR== The application returned an error code (1)."); sys.exit(1)
metric = given[given.index("--metrics") + 1]
assert "--count-requests" not in given and "--kernel-name" in given
with open(given[given.index("--log-file") + 1], "w") as log:
    print("==PROF== Connected to process 1", file=log)
    print('"ID","Kernel Name","Section Name","Metric Name","Metric Unit","Metric Value"', file=log)
    for i, value in enumerate(("250", "1,000")):
        print(f'"{{i}}","push_kernel","Command line profiler metrics","{{metric}}","sector","{{value}}"', file=log)
"""


class CountingTest(BenchTest):
    """A sweep of three systems that count and one that does not, and its report."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.swept = cls("setUp")
        BenchTest.setUp(cls.swept)
        cls.addClassCleanup(cls.swept.doCleanups)
        done = cls.swept.sweep(**COUNTING)
        assert done.returncode == 0, done.stderr

    def setUp(self) -> None:
        super().setUp()
        shutil.copytree(self.swept.out, self.out)

    def report(self) -> str:
        done = self.bench(
            "report", self.out, "--html", self.out / "r.html", "--csv", self.out / "r.csv", "--markdown", self.out / "r.md",
            "--png", self.out / "png", "--bandwidth", "naive=12.5",
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        return (self.out / "r.html").read_text(encoding="utf-8")

    def line(self, html: str, system: str) -> list[str]:
        """The cells of a system's line in the table of requests."""
        section = html[html.index('id="test-traffic"') : html.index('id="test-published"')]
        found = re.search(rf"<tr><td>kron:4:4</td><td>bfs</td><td>{system}</td>.*?</tr>", section, re.DOTALL)
        assert found is not None, system
        return [re.sub("<[^>]*>", "", cell).strip() for cell in re.findall(r"<td.*?</td>", found[0], re.DOTALL)]


class Report(CountingTest):
    def test_shares_are_shown_by_size(self) -> None:
        html = self.report()
        # 600 of 32 B, 150 of 96 B and 400 of 128 B; 700 begin on a line; naive has 4000 of 32 B and 1000 of 96 B.
        self.assertEqual(self.line(html, "merged")[3:10], ["1,150", "23.0 %", "52.2 %", "0.0 %", "13.0 %", "34.8 %", "60.9 %"])
        asked = 600 * 32 + 150 * 96 + 400 * 128
        self.assertEqual(self.line(html, "merged")[10:13], ["82.8 KiB", f"{asked / 8000:.1f}", "–"])
        self.assertNotIn("<td>incore</td>", html[html.index('id="test-traffic"') : html.index('id="test-published"')])

    def test_lines_lead_to_their_rows(self) -> None:
        html = self.report()
        section = html[html.index('id="test-traffic"') : html.index('id="test-published"')]
        counted = [row["row"] for row in self.rows() if "count-requests" in row["options"]]
        self.assertEqual(len(counted), 6)
        for row in counted:
            self.assertIn(f'href="#row-test-{row}"', section)

    def test_figures_are_drawn(self) -> None:
        self.report()
        names = {path.name for path in (self.out / "png").iterdir()}
        self.assertEqual(names, {"test-bfs-requests.png", "test-bfs-link-requests.png"})

    def test_times_are_marked_and_nothing_is_computed_from_them(self) -> None:
        html = self.report()
        self.assertIn('<span class="mark">instrumented</span>', html)
        with open(self.out / "r.csv", encoding="utf-8") as file:
            lines = {line["system"]: line for line in csv.DictReader(file)}
        self.assertIn("instrumented", lines["merged"]["marks"])
        self.assertNotIn("instrumented", lines["incore"]["marks"])
        self.assertTrue(all(line["speedup"] == "" for line in lines.values()))  # the baseline is instrumented
        self.assertEqual(float(lines["merged"]["link-requests"]), 1150)
        self.assertEqual(lines["incore"]["link-requests"], "")

    def test_published_shares_stand_beside_ours(self) -> None:
        self.assertRegex(self.report(), r"(?s)theirs</td><td class=\"n\">46\.7 %</td>\s*<td class=\"n main\">34\.8 %</td>")

    def test_markdown_has_them(self) -> None:
        self.report()
        text = (self.out / "r.md").read_text(encoding="utf-8")
        self.assertIn("## Requests over the link", text)
        self.assertIn("| kron:4:4 | bfs | merged | 1,150 | 23.0 % | 52.2 % |", text)

    def test_compare_does_not_judge_by_times_of_kernels_that_count(self) -> None:
        other = self.folder / "other"
        self.sweep(other, **COUNTING, environment={"TIMES": json.dumps({"emogi": 1000.0})})
        done = self.bench("compare", self.out, other)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("3 instrumented", done.stdout)

    def test_a_sweep_without_counts_has_no_table_of_them(self) -> None:
        self.out = self.folder / "plain"
        self.sweep()
        self.bench("report", self.out, "--html", self.out / "r.html")
        self.assertNotIn("Requests over the link", (self.out / "r.html").read_text(encoding="utf-8"))


class Profile(CountingTest):
    def ncu(self, *arguments: Any, **environment: str) -> Any:
        program = self.folder / "ncu"
        program.write_text(_NCU.format(python=sys.executable), encoding="utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        return self.bench("profile", self.out, "--ncu", program, *arguments, **environment)

    def test_bytes_stand_beside_the_counted_ones(self) -> None:
        done = self.ncu()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("39.1 KiB in 2 kernels"), 3)
        html = self.report()
        asked = 2 * (600 * 32 + 150 * 96 + 400 * 128)  # of the two trials of the process that was profiled
        self.assertEqual(self.line(html, "merged")[12], f"{asked / (1250 * 32):.2f}")
        self.assertIn(f"Profiler: Nsight Compute, Version 9.9, {METRIC}.", html)

    def test_what_was_looked_at_is_not_looked_at_again(self) -> None:
        self.ncu()
        again = self.ncu()
        self.assertEqual(again.returncode, 2)
        self.assertIn("left to profile", again.stderr)
        self.assertEqual(self.ncu("--metric", "another.sum").returncode, 0)

    def test_what_it_lacks_is_said(self) -> None:
        done = self.bench("profile", self.out, "--ncu", self.folder / "nowhere")
        self.assertEqual((done.returncode, done.stdout), (77, ""))
        self.assertIn("install Nsight Compute", done.stderr)
        forbidden = self.ncu(NCU="forbidden")
        self.assertEqual(forbidden.returncode, 77)
        self.assertIn("may not read the counters", forbidden.stderr)
        failed = self.ncu(NCU="fails")
        self.assertEqual(failed.returncode, 1)
        self.assertIn("The application returned an error code", failed.stderr)
        self.assertFalse((self.out / "test" / "profiles.jsonl").exists())


class Table(unittest.TestCase):
    @staticmethod
    def table(unit: str, *values: str) -> str:
        text = io.StringIO()
        writer = csv.writer(text, quoting=csv.QUOTE_ALL)
        writer.writerow(["ID", "Metric Name", "Metric Unit", "Metric Value"])
        writer.writerows([i, "m", unit, value] for i, value in enumerate(values))
        return "==PROF== Connected\n" + text.getvalue()

    def test_sectors_and_bytes(self) -> None:
        self.assertEqual(read_metric(self.table("sector", "1,000", "2"), "m"), {"bytes": 32064, "metric": "m", "kernels": 2})
        self.assertEqual(read_metric(self.table("byte", "7"), "m")["bytes"], 7)

    def test_what_is_no_count_is_refused(self) -> None:
        for text, words in (
            (self.table("sector", "n/a"), "does not have it"),
            (self.table("%", "5"), "not in sectors or bytes"),
            (self.table("sector"), "has not measured"),
            ("==PROF== nothing\n", "has not measured"),
        ):
            with self.assertRaisesRegex(BenchError, words):
                read_metric(text, "m")


if __name__ == "__main__":
    unittest.main()
