# SPDX-License-Identifier: Apache-2.0

import csv
import io
import json
import re
import statistics
import subprocess
import sys
import unittest
from unittest import mock

from support import BenchTest

from graphbench.cells import read_sweeps
from graphbench.measures import MEASURES
from graphbench.report import numbers
from graphbench.sample import Ratio, estimate, ratio_of_medians

try:  # once, for every report that is made below
    import graphbench.report.drawing
    import graphbench.report.page  # noqa: F401
    from graphbench.report.figures import figures
except ImportError:
    print("python3-matplotlib or python3-jinja2 is not installed")
    sys.exit(77)

EVERYTHING = {
    "graphs": ["kron:4:4", "kron:5:4", "kron:6:4"],
    "algorithms": ["bfs", "sssp"],
    "repeats": 2,
    "trials": 3,
    "systems": [
        "incore",
        "emulated",
        "crash",
        {"name": "small", "backend": "bam", "options": {"cache": "1KiB"}},
        "wrong",
        "absent",
    ],
    "figures": [
        {"kind": "bars", "measure": "time"},
        {"kind": "bars", "measure": "speed-up"},
        {"kind": "lines"},
        {"kind": "roofline"},
    ],
    "columns": ["makespan", "evps", "memory"],
    "rules": [{"rule": "a rule", "source": "a book, section 3"}],
    "skip": [{"graph": "kron:6:4", "algorithm": "sssp", "reason": "left out <on purpose>"}],
    "expected": [
        {
            "what": "theirs on BFS",
            "value": 0.5,
            "unit": "s",
            "measure": "time",
            "graph": "kron:4:4",
            "algorithm": "bfs",
            "system": "incore",
            "source": "table 9",
            "hardware": "an abacus",
        },
        {"what": "theirs in words", "value": 4.7, "unit": "GB/s", "source": "section 1", "hardware": "an abacus"},
    ],
}


class Page(BenchTest):
    @classmethod
    def setUpClass(cls) -> None:
        test = cls("setUp")
        BenchTest.setUp(test)
        cls.addClassCleanup(test.doCleanups)
        cls.shared = test
        done = test.sweep(**EVERYTHING)
        assert done.returncode == 1, done.stderr
        done = test.bench(
            "report",
            test.out,
            "--html",
            test.out / "r.html",
            "--csv",
            test.out / "r.csv",
            "--markdown",
            test.out / "r.md",
            "--png",
            test.out / "png",
            "--bandwidth",
            "small=12.5",
        )
        assert done.returncode == 0, done.stderr
        cls.html = (test.out / "r.html").read_text(encoding="utf-8")
        cls.all_rows = test.rows()

    def setUp(self) -> None:
        pass

    def test_every_row_is_on_the_page_and_every_link_leads_to_one(self) -> None:
        for row in self.all_rows:
            self.assertIn(f'id="row-test-{row["row"]}"', self.html)
        anchors = set(re.findall(r'id="([^"]+)"', self.html))
        self.assertEqual([link for link in re.findall(r'href="#([^"]+)"', self.html) if link not in anchors], [])

    def test_every_line_of_a_table_links_to_its_rows(self) -> None:
        for row in self.all_rows:
            if row["status"] == "done":
                self.assertGreaterEqual(self.html.count(f'href="#row-test-{row["row"]}"'), 1)

    def test_what_must_be_known_is_marked(self) -> None:
        for mark in ("emulated", "capped", "wrong", "crashed", "unavailable"):
            self.assertRegex(self.html, rf'<span class="mark( bad)?">{mark}</span>')
        for row in self.all_rows:
            line = re.search(rf'<tr id="row-test-{row["row"]}">.*?</tr>', self.html, re.DOTALL)[0]
            mark = {"emulated": "emulated", "small": "capped"}.get(row["system"], row["status"])
            self.assertEqual(f">{mark}</span>" in line, mark != "done")
        self.assertIn("× no run ended well", self.html)
        self.assertIn("10 runs gave a wrong answer", self.html)
        self.assertIn("vertex 3 has level 2", self.html)

    def test_nothing_is_fetched_from_elsewhere(self) -> None:
        self.assertEqual(re.findall(r'(?:src|href)="(?!#|data:)[^"]*"', self.html), [])
        self.assertNotIn("@import", self.html)

    def test_text_is_escaped(self) -> None:
        self.assertIn("left out &lt;on purpose&gt;", self.html)

    def test_published_numbers_stand_beside_ours(self) -> None:
        self.assertRegex(
            self.html, r"(?s)theirs on BFS</td><td class=\"n\">0\.5 s</td>\s*<td class=\"n main\">0\.0\d+ s</td>.*?an abacus"
        )
        self.assertRegex(self.html, r"(?s)theirs in words</td><td class=\"n\">4\.7 GB/s</td>\s*<td class=\"n main\">–</td>")

    def test_figures_are_drawn(self) -> None:
        names = {path.name for path in (self.shared.out / "png").iterdir()}
        self.assertEqual(
            names,
            {
                f"test-{name}.png"
                for name in (
                    "bfs-time",
                    "sssp-time",
                    "bfs-speed-up",
                    "sssp-speed-up",
                    "bfs-time-over-edges",
                    "sssp-time-over-edges",
                    "roofline",
                )
            },
        )
        self.assertEqual(self.html.count("data:image/svg+xml"), len(names))

    def test_csv_agrees_with_the_rows(self) -> None:
        lines = list(csv.DictReader(io.StringIO((self.shared.out / "r.csv").read_text(encoding="utf-8"))))
        self.assertEqual(len(lines), 5 * 6)
        self.assertEqual(lines[4]["marks"], "wrong")
        baseline = {(line["graph"], line["algorithm"]): line for line in lines if line["system"] == "incore"}
        for line in lines:
            with self.subTest(line=line["rows"]):
                for name, trial_field in (("time_ms", "time_ms"), ("moved_bytes", "bytes_moved"), ("rate_GTEPS", "gteps")):
                    values = self.values_of(line["rows"].split(), trial_field, harmonic=trial_field == "gteps")
                    self.assertEqual(line[name] != "", bool(values))
                    if values:
                        self.assertAlmostEqual(float(line[name]), statistics.median(values))
                if line["speedup"]:
                    theirs = float(baseline[line["graph"], line["algorithm"]]["time_ms"])
                    self.assertAlmostEqual(float(line["speedup"]), theirs / float(line["time_ms"]))

    def values_of(self, ids: list[str], field: str, harmonic: bool) -> list[float]:
        """A value a process that ended well, from its trials."""
        together = statistics.harmonic_mean if harmonic else statistics.median
        good = [row for row in self.all_rows if row["row"] in ids and row["status"] == "done"]
        return [together([trial[field] for trial in row["result"]["trials"]]) for row in good]

    def test_markdown_has_every_row(self) -> None:
        text = (self.shared.out / "r.md").read_text(encoding="utf-8")
        for row in self.all_rows:
            self.assertIn(row["row"], text)

    def test_markdown_says_what_the_page_says(self) -> None:
        text = (self.shared.out / "r.md").read_text(encoding="utf-8")
        reasons = {row["reason"] for row in self.all_rows if row["reason"]}
        self.assertGreater(len(reasons), 1)
        for said in (
            *reasons,
            "runs gave a wrong answer",
            "every trial begins cold",
            "load before runs",
            "500 ms",
            "an abacus",
        ):
            self.assertIn(said.replace("500 ms", "0.5 s"), text)

    def test_medians_that_need_a_word_have_a_star(self) -> None:
        emulated = re.findall(r"<th>emulated</th>\s*<td class=\"n main\">([^/]*)<", self.html)
        self.assertEqual(len(emulated), 5)
        self.assertTrue(all("star" in cell for cell in emulated), emulated)
        self.assertFalse(re.findall(r"<th>incore</th>\s*<td class=\"n main\">[^/]*star", self.html))
        self.assertIn(r"\*", (self.shared.out / "r.md").read_text(encoding="utf-8"))


class OneSweep(BenchTest):
    """What only some sweeps have."""

    def reported(self, **changes: object) -> tuple[str, str, list[dict[str, str]]]:
        self.sweep(**changes)
        return self.report()

    def report(self) -> tuple[str, str, list[dict[str, str]]]:
        files = [self.folder / name for name in ("r.html", "r.md", "r.csv")]
        done = self.bench("report", self.out, "--html", files[0], "--markdown", files[1], "--csv", files[2])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        page, markdown, table = (path.read_text(encoding="utf-8") for path in files)
        return page, markdown, list(csv.DictReader(io.StringIO(table)))

    def test_single_values_have_no_interval(self) -> None:
        _, markdown, lines = self.reported(systems=["incore", "emogi"], repeats=1)
        emogi = lines[1]
        self.assertNotEqual((emogi["time_ms"], emogi["speedup"]), ("", ""))
        for name in ("time_ms_low", "time_ms_high", "speedup_low", "speedup_high"):
            self.assertEqual(emogi[name], "")
        self.assertRegex(markdown, r"\| emogi \| [\d.]+ \| – \| 1 \| [\d.]+ × \| – \|")

    def test_a_refused_baseline_leaves_its_column_to_another(self) -> None:
        page, markdown, lines = self.reported(systems=["refused", "incore", "emogi"], baseline="refused", repeats=2)
        self.assertEqual([line["baseline"] for line in lines], ["incore"] * 3)
        self.assertNotEqual(lines[2]["speedup"], "")
        for text in (page, markdown):
            self.assertIn("refused has no times here: speed-ups are over incore.", text)
        self.assertRegex(markdown, r"\| incore \| [^|]+ \| [^|]+ \| 2 \| baseline \|")

    def test_a_cap_without_effect_is_no_mark(self) -> None:
        _, _, lines = self.reported(systems=["emogi", "bam"], options={"cache": "1KiB"}, repeats=2)
        self.assertEqual(["capped" in line["marks"] for line in lines], [False, True])

    def test_a_sweep_ends_with_the_command_of_its_report(self) -> None:
        said = self.sweep(repeats=1).stdout
        self.assertIn(f"graphbench report {self.out} --html report.html", said)

    def test_what_a_program_printed_and_why_it_failed_is_in_markdown(self) -> None:
        programs = [{"name": "good", "program": ["echo", '{"speed_b_s": 3}']}, {"name": "bad", "program": ["echo", "none"]}]
        _, markdown, _ = self.reported(systems=[], algorithms=[], graphs=[], programs=programs, repeats=1)
        self.assertRegex(markdown, r"## good\n(.*\n)+\| speed b s \| row \|\n.*\n\| 3 \| [0-9a-f]{10} \|")
        self.assertRegex(markdown, r"\| garbled \| exit code 0, but .*\| bad \| [0-9a-f]{10} \|")

    def test_names_stay_names_in_markdown(self) -> None:
        _, markdown, _ = self.reported(title="<b>x</b> | *y*", repeats=1)
        self.assertIn(r"# \<b\>x\</b\> \| \*y\*", markdown)

    def test_a_torn_line_and_programs_that_have_not_run_are_said(self) -> None:
        self.sweep(programs=[{"name": "p", "program": ["echo", "{}"]}], systems=["incore"], repeats=2)
        rows = self.out / "test" / "rows.jsonl"
        first, *_ = rows.read_bytes().splitlines(keepends=True)
        rows.write_bytes(first + b'{"row": "abc')
        for text in self.report()[:2]:
            self.assertIn("The last line of rows.jsonl is torn (12 bytes)", text)
            self.assertIn("3 of 4 runs are still to be done", text)

    def test_graphs_that_changed_between_runs_are_said(self) -> None:
        self.sweep(repeats=2)
        rows = self.rows()
        rows[1]["result"]["graph"]["m"] += 1
        (self.out / "test" / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        page, markdown, lines = self.report()
        self.assertEqual(lines[0]["marks"], "graph changed")
        self.assertIn('<span class="mark bad">graph changed</span>', page)
        self.assertIn("Graphs have changed between runs", markdown)

    def test_rows_of_nobody_knows_which_graphrun(self) -> None:
        self.sweep(repeats=2)
        (self.out / "test" / "sessions.jsonl").unlink()
        for text in self.report()[:2]:
            self.assertIn("Of 2 rows nothing says which graphrun made them", text)
        again = self.sweep(repeats=2)
        self.assertEqual(again.returncode, 2)
        self.assertIn("nothing says which graphrun", again.stderr)
        self.assertEqual(self.bench("run", self.config(repeats=2), "--out", self.out, "--extend").returncode, 0)

    def test_links_lead_to_the_row_of_their_own_sweep(self) -> None:
        for name in ("one", "two"):  # rows of the same run have the same id
            self.bench("run", self.config(name=name), "--out", self.out)
        page = self.report()[0]
        places = re.findall(r'<tr id="(row-[^"]+)"', page)
        self.assertEqual(len(set(places)), 4)
        self.assertEqual(len(places), 4)
        for part, name in zip(page.split('<section class="sweep"')[1:], ("one", "two")):
            self.assertEqual(set(re.findall(r'href="#row-(\w+)-', part)), {name})

    # The figure was left out without a word.
    def test_a_roofline_without_a_bandwidth_is_said_to_be_missing(self) -> None:
        self.sweep(figures=[{"kind": "roofline"}], repeats=1)
        page = self.folder / "r.html"
        done = self.bench("report", self.out, "--html", page)
        self.assertEqual(done.returncode, 0, done.stderr)
        for text in (done.stderr, page.read_text(encoding="utf-8")):
            self.assertIn("is not drawn: no system has a bandwidth", text)

    def test_figures_stand_with_their_algorithm(self) -> None:
        algorithms = ["bfs", {"name": "bfs-time", "algo": "bfs"}]
        page = self.reported(algorithms=algorithms, systems=["incore", "emogi"])[0]
        self.assertEqual(page.count("data:image/svg+xml"), 2)

    # Sizes that lie between two powers of two had an axis without numbers, and a share of 0 had no place.
    def test_lines_over_what_spans_little_or_begins_at_0_have_a_plain_axis(self) -> None:
        from matplotlib.figure import Figure

        for i, (name, values, scale) in enumerate(
            (("row-bytes", [1028, 1044], "linear"), ("row-bytes", [128, 4096], "log"), ("hot-share", [0, 0.1], "linear"))
        ):
            self.out = self.folder / str(i)
            lines = [{"kind": "lines", "over": name}]
            self.sweep(algorithms=["gather"], systems=[{"backend": "bam", "vary": {name: values}}], figures=lines)
            (drawn,), _ = figures(read_sweeps(self.out)[0], None, {})
            axes = Figure().subplots()
            drawn.draw(axes)
            self.assertEqual((axes.get_xscale(), list(axes.lines[0].get_xdata())), (scale, values))

    def test_logarithmic_bars_are_said_to_be_that(self) -> None:
        said = "The scale is logarithmic"
        for ms, count in ((12.0, 0), (500.0, 1)):
            out = self.out = self.folder / str(ms)
            self.sweep(out, systems=["incore", "emogi"], environment={"TIMES": json.dumps({"incore": 10.0, "emogi": ms})})
            self.assertEqual(self.report()[0].count(said), count)


class Whiskers(unittest.TestCase):
    def test_single_values_have_none(self) -> None:
        from graphbench.report.drawing import whiskers  # needs matplotlib

        axes = mock.Mock()
        axes.errorbar.return_value = (None, (), ())
        whiskers(axes, [0.0, 1.0, 2.0], [estimate([3.0]), estimate([1.0, 2.0, 4.0]), estimate([5.0])])
        places, medians = axes.errorbar.call_args.args
        self.assertEqual((places, medians, axes.errorbar.call_args.kwargs["yerr"]), ([1.0], [2.0], [[1.0], [2.0]]))


class Refusals(BenchTest):
    def test_nothing_to_write_or_to_read(self) -> None:
        self.assertEqual(self.bench("report", self.out, "--csv", self.folder / "x").returncode, 2)
        self.sweep()
        self.assertEqual(self.bench("report", self.out).returncode, 2)
        done = self.bench("report", self.out, "--csv", self.folder / "x", "--baseline", "incor")
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean 'incore'", done.stderr)
        same = self.bench("report", self.out, "--csv", self.folder / "x", "--markdown", f"{self.folder}/./x")
        self.assertEqual(same.returncode, 2)
        self.assertIn("name the same file", same.stderr)
        for path, reason in (
            ("/dev/full", "No space"),
            (self.folder, "Is a directory"),
            (self.config() / "x", f"{self.config()} is not a folder"),
        ):
            done = self.bench("report", self.out, "--csv", path)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, f"^error: {path} cannot be written: {reason}")
        done = self.bench("report", self.out, "--png", self.config())
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"cannot be written: {self.config()} is not a folder", done.stderr)
        for bandwidth in ("incore", "incore=fast", "incore=-1", "other=3"):
            self.assertEqual(self.bench("report", self.out, "--csv", self.folder / "x", "--bandwidth", bandwidth).returncode, 2)

    def test_without_packages_runs_and_tables_work_and_the_page_says_what_is_missing(self) -> None:
        hidden = self.folder / "hidden"
        for name in ("matplotlib", "jinja2"):
            (hidden / name).mkdir(parents=True)
            (hidden / name / "__init__.py").write_text("raise ImportError('hidden')\n", encoding="utf-8")
        launcher = self.folder / "graphbench"
        launcher.write_text(
            launcher.read_text().replace("sys.path.insert(0,", f"sys.path.insert(0, {str(hidden)!r}); sys.path.insert(0,")
        )
        self.assertEqual(self.sweep().returncode, 0)
        self.assertEqual(
            self.bench("report", self.out, "--csv", self.folder / "x", "--markdown", self.folder / "y").returncode, 0
        )
        command = self.command("report", self.out, "--html", self.folder / "z")
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 77)
        self.assertIn("apt-get install python3-matplotlib python3-jinja2", done.stderr)

    def test_a_sweep_that_is_not_complete_says_so(self) -> None:
        self.sweep(repeats=2)
        rows = self.out / "test" / "rows.jsonl"
        rows.write_text(rows.read_text().splitlines()[0] + "\n" + '{"row": "torn', encoding="utf-8")
        self.assertEqual(self.bench("report", self.out, "--html", self.folder / "r.html").returncode, 0)
        html = (self.folder / "r.html").read_text(encoding="utf-8")
        self.assertIn("This sweep is not complete: 1 of 2 runs are still to be done.", html)
        self.assertIn("1 not run yet", html)

    def test_answers_that_equal_verified_ones_are_told_from_unverified_ones(self) -> None:
        self.sweep(systems=["incore", "differs"], verify="once", algorithms=["bfs"], repeats=3)
        self.assertEqual([row["result"]["verdict"] for row in self.rows()], ["verified"] * 2 + ["unverified"] * 4)
        self.bench("report", self.out, "--csv", self.folder / "compared.csv")
        self.assertIn(",compared,", (self.folder / "compared.csv").read_text(encoding="utf-8"))
        self.sweep(self.folder / "never", verify=False)
        self.bench("report", self.folder / "never", "--csv", self.folder / "never.csv")
        self.assertIn(",unverified,", (self.folder / "never.csv").read_text(encoding="utf-8"))

    def test_ranks_that_did_not_converge_are_neither_verified_nor_taken_for_checked(self) -> None:
        self.sweep(systems=["limited"], algorithms=["pagerank"])
        self.bench("report", self.out, "--csv", self.folder / "checked.csv")
        self.assertIn(",not converged,", (self.folder / "checked.csv").read_text(encoding="utf-8"))
        self.sweep(self.folder / "never", systems=["limited"], algorithms=["pagerank"], verify=False)
        self.bench("report", self.folder / "never", "--csv", self.folder / "never.csv")
        self.assertRegex((self.folder / "never.csv").read_text(encoding="utf-8"), r"unverified[^\n]*not converged")

    def test_systems_that_disagree_are_named(self) -> None:
        self.sweep(systems=["incore", "differs"])
        self.bench("report", self.out, "--html", self.folder / "r.html")
        html = (self.folder / "r.html").read_text(encoding="utf-8")
        self.assertIn("Systems disagree on answers", html)
        self.assertRegex(html, r"answers differ</span> differs: source 0, reached 99, checksum 5")


class Numbers(unittest.TestCase):
    def test_three_figures(self) -> None:
        self.assertEqual(
            [numbers.number(value) for value in (None, 0, 0.01234, 0.5, 1.234, 12.34, 1234.5)],
            ["–", "0.0", "0.0123", "0.500", "1.23", "12.3", "1,234"],
        )

    # The template was given all that numbers.py imports: classes, and whatever it may import some day.
    def test_templates_are_given_no_modules(self) -> None:
        with mock.patch("jinja2.Template.render") as render:
            graphbench.report.page.as_html([])
        self.assertEqual(render.call_args.kwargs.keys(), {"style", "parts"})

    def test_ratios_and_spreads(self) -> None:
        self.assertEqual(numbers.times(Ratio(0.0532, 0, 1, True)), "0.053 ×")
        self.assertEqual(numbers.interval(Ratio(1, 0.5, 12.34, True)), "0.50 – 12.3")
        self.assertEqual(numbers.interval(ratio_of_medians([3.0], [2.0, 4.0])), "–")
        self.assertEqual(numbers.spread(estimate([1, 2, 3]), MEASURES["time"]), "1.00 – 3.00")
        self.assertEqual(numbers.spread(estimate([2048, 2048]), MEASURES["moved"]), "± 0 at 2.00 KiB")


if __name__ == "__main__":
    unittest.main()
