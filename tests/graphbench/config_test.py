# SPDX-License-Identifier: Apache-2.0

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import TREE, BenchTest, is_config

from graphbench.config import parse_config, read_config
from graphbench.errors import UsageError
from graphbench.measures import MEASURES
from graphbench.options import format_bytes, parse_bytes, to_arguments
from graphbench.plan import make_plan

GOOD = {"name": "n", "graphs": ["kron:4:4"], "algorithms": ["bfs"], "systems": ["incore"]}


class ConfigErrors(unittest.TestCase):
    def refused(self, sentence: str, **changes: object) -> None:
        with self.assertRaises(UsageError) as caught:
            parse_config(GOOD | changes, "c.json")
        self.assertIn(sentence, str(caught.exception))

    def test_a_good_one_is_read(self) -> None:
        config = parse_config(GOOD, "c.json")
        self.assertEqual((config.repeats, config.trials, config.verify, config.warm), (3, 1, "always", False))

    def test_unknown_field_is_named_with_a_suggestion(self) -> None:
        self.refused("there is no field 'repeat' (did you mean 'repeats'?)", repeat=3)

    def test_unknown_field_of_a_part_is_named_with_its_place(self) -> None:
        self.refused(
            "c.json, system 1: there is no field 'optoins' (did you mean 'options'?)",
            systems=[{"backend": "bam", "optoins": {}}],
        )

    def test_unknown_algorithm(self) -> None:
        self.refused(
            "algorithm 1 cannot be 'pagernak' (did you mean 'pagerank'?): choose among bfs, sssp", algorithms=["pagernak"]
        )

    # "pr", which graphrun takes, was refused.
    def test_short_forms_and_spellings_of_algorithms(self) -> None:
        for text in ("pr", "PR", "page-rank", "Page_Rank"):
            systems = [{"backend": "In-Core", "options_for": {text: {"damping": 0.9}}}]
            config = parse_config(GOOD | {"algorithms": [text, {"algo": "wcc", "name": "weak"}], "systems": systems}, "c.json")
            self.assertEqual([(item.name, item.algo) for item in config.algorithms], [("pagerank", "pagerank"), ("weak", "cc")])
            first = make_plan(config)[0]
            self.assertEqual(
                (first.arguments[:4], first.options), (("--algo", "pagerank", "--backend", "incore"), {"damping": 0.9})
            )
        self.refused(
            "c.json, system 1: 'options_for' cannot have 'bsf' (did you mean 'bfs'?): choose among",
            systems=[{"backend": "incore", "options_for": {"bsf": {}}}],
        )

    # The last of them counted, and the others were lost.
    def test_options_for_one_algorithm_under_two_names(self) -> None:
        twice = {"pr": {"damping": 0.9}, "PageRank": {"tolerance": 1e-3}}
        sentence = "'options_for' has 'pagerank' twice: as 'pr' and as 'PageRank'"
        self.refused(f"c.json, system 1: {sentence}", systems=[{"backend": "incore", "options_for": twice}])
        self.refused(f"c.json, graph 1: {sentence}", graphs=[{"graph": "kron:4:4", "options_for": twice}])

    # "pr" was an algorithm, and not among the algorithms.
    def test_short_forms_name_an_algorithm_in_only_skip_and_expected(self) -> None:
        published = {"what": "w", "value": 1, "system": "incore", "source": "s", "hardware": "h"}
        for text in ("pr", "PR", "Page-Rank", "pagerank"):
            config = parse_config(
                GOOD
                | {
                    "algorithms": ["pr", "bfs"],
                    "only": {"algorithms": [text]},
                    "skip": [{"algorithm": text, "reason": "r"}, {"system": "incore", "reason": "r"}],
                    "expected": [published | {"algorithm": text}, published],
                },
                "c.json",
            )
            self.assertEqual([algorithm.name for algorithm in config.algorithms], ["pagerank"])
            self.assertEqual([skip.algorithm for skip in config.skips], ["pagerank", ""])
            self.assertEqual([item.algorithm for item in config.expected], ["pagerank", ""])
        self.refused("a 'skip' names 'pr', which is not among algorithms: bfs", skip=[{"algorithm": "pr", "reason": "r"}])

    def test_a_name_that_a_configuration_gives_goes_before_short_forms(self) -> None:
        algorithms = [{"algo": "cc", "name": "wcc"}, "cc", {"algo": "bfs", "name": "PR"}]
        for text, meant in (("wcc", "wcc"), ("WCC", "wcc"), ("CC", "cc"), ("pr", "PR")):
            config = parse_config(GOOD | {"algorithms": algorithms, "only": {"algorithms": [text]}}, "c.json")
            self.assertEqual([algorithm.name for algorithm in config.algorithms], [meant])

    def test_wrong_types(self) -> None:
        self.refused("'repeats' must be a whole number of at least 1", repeats=0)
        self.refused("'repeats' must be a whole number", repeats=True)
        self.refused("'verify' must be true, false or 'once'", verify="yes")
        self.refused("'verify' must be true, false or 'once'", verify=1)
        self.refused("'memory_limit' is wrong: 'lots' is no size", memory_limit="lots")
        self.refused("is more than any machine has", memory_limit="9999999999TiB")
        self.refused("'graphs' must be a list", graphs="kron:4:4")
        self.refused("'time_limit_s' must be a number of seconds above 0", time_limit_s=0)
        self.refused(
            "c.json, system 1, options: 'cache' must be a text", systems=[{"backend": "bam", "options": {"cache": [1]}}]
        )

    def test_options_that_have_a_field_of_their_own(self) -> None:
        self.refused("the field 'verify' says it", options={"verify": True})
        self.refused("graphbench sets it", options={"json": "x"})
        self.refused("written without dashes: 'cache'", options={"--cache": "1"})

    def test_names_that_nothing_has(self) -> None:
        self.refused("'baseline' names 'incor', which is not among systems (did you mean 'incore'?)", baseline="incor")
        self.refused("a 'skip' names 'x', which is not among algorithms: bfs", skip=[{"algorithm": "x", "reason": "r"}])
        self.refused("a 'skip' names 'dfs'", skip=[{"algorithm": "dfs", "reason": "r"}])

    def test_measures_that_nothing_has(self) -> None:
        self.refused("column 1 cannot be 'makspan' (did you mean 'makespan'?): choose among time, rate", columns=["makspan"])
        self.refused(
            "figure 1: 'measure' cannot be 'tyme' (did you mean 'time'?)", figures=[{"kind": "bars", "measure": "tyme"}]
        )
        self.refused("column 1 cannot be 'speed-up'", columns=["speed-up"])

    def test_what_would_be_ignored_or_cannot_be(self) -> None:
        self.refused(
            "graph 1 has 'container_options', which are of no use",
            graphs=[{"graph": "g", "container_options": {"weights": "random:1"}}],
        )
        self.refused("graph 1 must be a text that is not empty", graphs=[""])
        self.refused("'options' has an option without a name", options={"": 1})
        self.refused("less than 1.00 MiB", memory_limit="8")
        for cache in ("edges/0", "edges/-1", "edges*2"):
            self.refused("no share of the edges", options={"cache": cache})
        self.refused("only, graph 1 must be a text that is not empty", only={"graphs": [""]})
        self.refused("given (did you mean 'cache'?)", figures=[{"kind": "lines", "over": "cach"}], options={"cache": "1MiB"})

    def test_lines_over_options_that_only_some_runs_have(self) -> None:
        figures = [{"kind": "lines", "over": "page"}, {"kind": "lines", "over": "oversubscription"}, {"kind": "lines"}]
        for part in ("options", "options_for", "vary"):
            value = {"options": {"page": 1}, "options_for": {"bfs": {"page": 1}}, "vary": {"page": [1, 2]}}[part]
            parse_config(
                GOOD | {"figures": figures, "systems": [{"name": "incore", "backend": "incore", part: value}]}, "c.json"
            )

    def test_more_runs_than_anybody_waits_for(self) -> None:
        self.refused("1,000,000,000,000 runs, and a sweep has at most 100,000", repeats=10**12)
        values = list(range(100))
        self.refused("makes more than 1000 systems", systems=[{"backend": "bam", "vary": {"page": values, "cache": values}}])

    def test_the_same_name_twice(self) -> None:
        self.refused("two of systems are named 'incore'", systems=["incore", "incore"])

    def test_missing_parts(self) -> None:
        with self.assertRaisesRegex(UsageError, "'name' is missing"):
            parse_config({}, "c.json")
        self.refused("are needed, or 'programs'", graphs=[])
        with self.assertRaisesRegex(UsageError, "are needed, or 'programs'"):
            parse_config({"name": "n", "graphs": ["kron:4:4"]}, "c.json")

    def test_expected_values_have_units_that_can_be_compared(self) -> None:
        item = {"what": "w", "value": 1, "source": "s", "hardware": "h"}
        self.refused(
            "'time' is written in s or ms, not in 'x'", expected=[item | {"measure": "time", "unit": "x", "system": "incore"}]
        )
        self.refused("'hardware' is missing", expected=[{"what": "w", "value": 1, "source": "s"}])
        self.refused("'over' names the system", expected=[item | {"measure": "speed-up", "unit": "x", "system": "incore"}])

    def test_files(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "c.json"
            for text, expected in (
                ("{", "is not JSON: line 1"),
                ("[]", "holds no JSON object"),
                ('{"a": 1, "a": 2}', "'a' is given twice"),
                ("[" * 100_000, "is not JSON: it is nested too deeply"),
                ('{"options": ' + '{"a": ' * 500 + "1" + "}" * 501, "is not JSON: it is nested too deeply"),
                ('{"a": NaN}', "is not JSON: NaN is no number"),
                ('{"a": 1e999}', "is not JSON: 1e999 is no number"),
                ('{"a": ' + "9" * 5000 + "}", "a number of 5000 digits is too large"),
                ('{"a": ["x\\u0000"]}', "holds a zero byte"),
                ('{"a": {"\\ud800": 1}}', "half of a character"),
            ):
                path.write_text(text, encoding="utf-8")
                with self.assertRaisesRegex(UsageError, expected):
                    read_config(path)
            path.write_text("\ufeff" + json.dumps(GOOD), encoding="utf-8")
            self.assertEqual(read_config(path).name, GOOD["name"])
            with self.assertRaisesRegex(UsageError, "cannot read"):
                read_config(Path(folder) / "absent.json")

    def test_a_base_has_no_base_of_its_own(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "c.json"
            path.write_text('{"base": "c.json", "name": "c"}', encoding="utf-8")
            with self.assertRaisesRegex(UsageError, "its base c.json has a 'base' itself"):
                read_config(path)

    def test_a_base_gives_what_is_not_said(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "base.json").write_text(json.dumps(GOOD | {"repeats": 7, "trials": 5}), encoding="utf-8")
            (Path(folder) / "c.json").write_text('{"base": "base.json", "name": "c", "trials": 2}', encoding="utf-8")
            config = read_config(Path(folder) / "c.json")
            self.assertEqual((config.name, config.repeats, config.trials), ("c", 7, 2))
            self.assertNotIn("base", config.raw)

    def test_expected_numbers_share_where_they_are_from(self) -> None:
        numbers = {
            "source": "s",
            "hardware": "h",
            "numbers": [{"what": "a", "value": 1}, {"what": "b", "value": 2, "source": "t"}],
        }
        self.assertEqual(
            [(item.source, item.hardware) for item in parse_config(GOOD | {"expected": numbers}, "c").expected],
            [("s", "h"), ("t", "h")],
        )
        self.refused("'expected' must be a list, or an object with the list 'numbers'", expected="x")


class Values(unittest.TestCase):
    def test_vary_makes_a_system_of_each_choice(self) -> None:
        config = parse_config(
            GOOD | {"systems": [{"backend": "bam", "vary": {"page": ["4KiB", "8KiB"], "cache": [1, 2]}}]}, "c"
        )
        self.assertEqual(
            [system.name for system in config.systems],
            ["bam, page 4KiB, cache 1", "bam, page 4KiB, cache 2", "bam, page 8KiB, cache 1", "bam, page 8KiB, cache 2"],
        )
        self.assertEqual(config.systems[3].options, {"page": "8KiB", "cache": 2})

    def test_options_become_arguments(self) -> None:
        self.assertEqual(
            to_arguments({"page": "4KiB", "undirected": True, "bipartite": False, "delta": 2}),
            ["--page", "4KiB", "--undirected", "--delta", "2"],
        )

    def test_sizes(self) -> None:
        self.assertEqual(
            [parse_bytes(text) for text in ("8", "1KiB", "1.5 MiB", "2GB", "2g")], [8, 1024, 1572864, 2 << 30, 2 << 30]
        )
        self.assertEqual([format_bytes(count) for count in (7, 1536, 5 << 40)], ["7 B", "1.50 KiB", "5.00 TiB"])
        with self.assertRaises(UsageError):
            parse_bytes("8 Gigs")


class ShippedConfigs(unittest.TestCase):
    def test_all_are_right(self) -> None:
        paths = [path for path in sorted((TREE / "configs").rglob("*.json")) if is_config(path)]
        self.assertGreaterEqual(len(paths), 20)
        for path in paths:
            with self.subTest(path.name):
                config = read_config(path)
                self.assertEqual(config.name, path.stem if path.parent.name == "configs" else f"{path.parent.name}-{path.stem}")


class Gathers(unittest.TestCase):
    def test_gather_is_a_command_of_graphrun_and_stands_among_algorithms(self) -> None:
        systems = [{"name": "near", "backend": "bam", "vary": {"hot-share": [0.1, 0.5]}}]
        graphs = [{"graph": "kron:4:4", "options_for": {"Gather": {"row-bytes": 512}}}]
        config = parse_config(GOOD | {"algorithms": ["gather", "bfs"], "systems": systems, "graphs": graphs}, "c.json")
        first = make_plan(config)[0]
        words = "--graph G gather --backend bam --row-bytes 512 --hot-share 0.1 --trials 1 --verify"
        self.assertEqual(" ".join(first.words("G")), words)
        self.assertEqual((first.question.algo, first.question.backend, first.question.trials), ("gather", "bam", 1))


class OnTheCommandLine(BenchTest):
    def test_an_option_that_graphrun_lacks(self) -> None:
        done = self.sweep(systems=[{"backend": "bam", "options": {"cach": "1MiB"}}])
        self.assertEqual(done.returncode, 2)
        self.assertIn("system 'bam': graphrun has no option 'cach' (did you mean 'cache'?)", done.stderr)

    def test_a_dry_run_says_it_too(self) -> None:
        done = self.sweep_dry(systems=[{"backend": "bam", "options": {"cach": "1MiB"}}])
        self.assertEqual(done.returncode, 2)
        self.assertIn("has no option 'cach'", done.stderr)
        done = self.sweep_dry(graphs=["a b"], options={"source": "x y"})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("--source 'x y'", done.stdout)

    # It said nothing of the graph.
    def test_a_dry_run_says_which_graph_each_run_reads(self) -> None:
        data = self.folder / "data"
        data.mkdir()
        (data / "here.mtx").touch()
        graphs = [
            "kron:4:4",
            {"name": "k5", "graph": "kron:5:4", "container": True},
            {"dataset": "here"},
            {"dataset": "gone"},
        ]
        programs = [{"name": "p", "program": ["speak", "{graph}"], "graph": "here"}]
        config = self.config(graphs=graphs, programs=programs, repeats=1)
        said = self.bench("run", config, "--out", self.out, "--dry-run", "--datasets", data).stdout.splitlines()
        container = str(self.out / "test" / "graphs" / "k5-")
        for line, words in zip(
            said,
            (
                f" p, repeat 1: speak {data}/here.mtx",
                " kron:4:4 / bfs / incore, repeat 1: graphrun --graph kron:4:4 --algo bfs",
                f" k5 / bfs / incore, repeat 1: graphrun --graph {container}",
                f" here / bfs / incore, repeat 1: graphrun --graph {data}/here.mtx --algo",
                " gone / bfs / incore, repeat 1: graphrun --graph gone --algo",
                container,
                "data set gone is not here (looked in ",
            ),
        ):
            self.assertIn(words, line)
        self.assertIn(".grf would be made of kron:5:4 first", said[5])
        self.assertEqual(len(said), 8)

    # It was found when its turn came, after hours perhaps.
    def test_a_mistyped_generator_is_found_before_anything_runs(self) -> None:
        for graph, words in (
            ("krn:10", "'krn:10' names no generator (did you mean 'kron'?): there are kron, grid\n"),
            ("kron:4:4:4:4", "'kron:4:4:4:4' is not kron:SCALE[:EDGEFACTOR[:SEED]]\n"),
            ("grid:4", "'grid:4' is not grid:WIDTH:HEIGHT\n"),
            ("kron:ten", "'kron:ten' is not kron:SCALE"),
            ("kron", "'kron' is not kron:SCALE"),
        ):
            for done in (self.sweep(graphs=["kron:4:4", graph]), self.sweep_dry(graphs=["kron:4:4", graph])):
                self.assertEqual(done.returncode, 2)
                self.assertIn(f"error: test, graph '{graph}': {words}", done.stderr)
            self.assertFalse(self.out.exists())
        self.assertEqual(self.sweep_dry(graphs=["KRON:4", "C:/x", "a b.mtx", "./x:3", {"dataset": "krn:10"}]).returncode, 0)

    # Each of its runs became a refused row.
    def test_a_mistyped_variant_and_impossible_sources_were_run(self) -> None:
        goes = "option 'sources' draws at random and goes with \"source\": \"random:SEED\", "
        for algo, options, words in (
            ("pr", {"variant": "qull"}, "pagerank has no variant 'qull' (did you mean 'pull'?): choose among extrapolated, pull"),
            ("bfs", {"variant": "hooking"}, "bfs has no variant 'hooking': choose among direction-optimizing, push"),
            ("pagerank", {"sources": 3}, goes + "without which pagerank restarts everywhere"),
            ("bfs", {"sources": 3, "source": "7"}, goes + "not with '7'"),
        ):
            changes = {"algorithms": [{"algo": algo, "options": options}]}
            for done in (self.sweep(**changes), self.sweep_dry(**changes)):
                self.assertEqual(done.returncode, 2)
                self.assertIn(words, done.stderr)
            self.assertFalse(self.out.exists())
        for algo, options in (
            ("bfs", {"sources": 3, "variant": "Push"}),
            ("bc", {"sources": 3}),
            ("cc", {"sources": 3}),
            ("pr", {"sources": 2, "source": "random:1"}),
        ):
            self.assertEqual(self.sweep_dry(algorithms=[{"algo": algo, "options": options}]).stderr, "")

    def test_options_of_gather_go_with_it_alone(self) -> None:
        for changes, words in (
            ({"options": {"row-bytes": 512}}, "kron:4:4 / bfs / incore: option 'row-bytes' goes with the algorithm 'gather'\n"),
            ({"algorithms": ["gather"], "options": {"row-byts": 512}}, "no option 'row-byts' (did you mean 'row-bytes'?)"),
            (
                {"algorithms": ["gather"], "graphs": [{"graph": "kron:4:4", "container": True}], "options": {"cache": "edges/4"}},
                "the cache holds rows, and is a size, not 'edges/4'\n",
            ),
        ):
            for done in (self.sweep(**changes), self.sweep_dry(**changes)):
                self.assertEqual(done.returncode, 2)
                self.assertIn(words, done.stderr)
            self.assertFalse(self.out.exists())

    # It read as a crash of graphrun by SIGSEGV.
    def test_a_memory_limit_in_which_graphrun_cannot_start_is_said(self) -> None:
        done = self.sweep(memory_limit="1MiB")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, "error: the memory limit of 1MiB is too small for graphrun to start\n")
        self.assertFalse((self.out / "test" / "rows.jsonl").exists())

    # A clause for it let any generator pass, and could not be reached.
    def test_a_graphrun_that_describes_no_generators_is_refused(self) -> None:
        stand_in = self.folder / "graphrun"
        text = stand_in.read_text(encoding="utf-8")
        self.assertIn('"generators": ', text)
        stand_in.write_text(text.replace('"generators": ', '"shapes": '), encoding="utf-8")
        for done in (self.sweep(), self.sweep_dry()):
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stderr, f"error: {stand_in} --describe printed no description of generators\n")
        self.assertFalse((self.out / "test" / "rows.jsonl").exists())

    def test_without_jsonschema_one_sentence_says_what_is_missing(self) -> None:
        (self.folder / "jsonschema.py").write_text("raise ImportError('hidden')\n", encoding="utf-8")
        command, environment = self.command("run", self.config()), os.environ | {"PYTHONPATH": str(self.folder)}
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)
        sentence = "error: graphbench needs packages that are not installed: apt-get install python3-jsonschema\n"
        self.assertEqual((done.returncode, done.stderr), (77, sentence))

    # It said "at most 42 h" of ten seconds: the limits of all runs, added up.
    def test_a_dry_run_promises_no_time_that_it_does_not_know(self) -> None:
        self.assertRegex(self.sweep_dry().stdout, r"\n2 runs, each of them stopped after 30 s\n$")

    def test_names_in_capitals(self) -> None:
        done = self.sweep(algorithms=["BFS"], systems=["InCore"], repeats=1)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.rows()[0]["result"]["backend"], "incore")

    def test_misspelled_commands_and_options_are_one_sentence(self) -> None:
        for arguments, meant in (
            (["reprot", "x"], "'report'"),
            (["run", self.config(), "--dryrun"], "'--dry-run'"),
            ([self.config(), "--quite"], "'--quiet'"),
        ):
            done = self.bench(*arguments)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, rf"^error: .*\(did you mean {meant}\?\): see graphbench --help\n$")
        self.assertRegex(self.bench().stderr, "^usage: graphbench")

    def test_the_version_is_that_of_graphrun(self) -> None:
        done = self.bench("--version")
        self.assertEqual((done.returncode, done.stdout), (0, "graphbench stand-in 1\n"))

    def test_a_full_standard_output_is_named(self) -> None:
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run(
                self.command("run", self.config(), "--dry-run"), stdout=full, stderr=subprocess.PIPE, text=True, timeout=60
            )
        self.assertEqual(
            (done.returncode, done.stderr), (1, "error: standard output cannot be written: No space left on device\n")
        )

    def sweep_dry(self, **changes: object) -> subprocess.CompletedProcess[str]:
        return self.bench("run", self.config(**changes), "--out", self.out, "--dry-run")

    def test_names_that_the_terminal_cannot_show(self) -> None:
        config = self.config(graphs=[{"name": "\u0433\u0440\u0430\u0444", "graph": "kron:4:4"}])
        done = self.bench("run", config, "--out", self.out, "--dry-run", PYTHONIOENCODING="ascii")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(r"\u0433\u0440\u0430\u0444 / bfs", done.stdout)

    def test_a_sweep_of_nothing_is_refused(self) -> None:
        nothing = {"skip": [{"reason": "all of it"}]}
        for done in (self.sweep(**nothing), self.sweep_dry(**nothing)):
            self.assertEqual(done.returncode, 2)
            self.assertIn("leave nothing to run", done.stderr)
        self.assertFalse(self.out.exists())

    def test_a_folder_in_place_of_a_configuration_is_said(self) -> None:
        done = self.bench(self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("Is a directory", done.stderr)

    def test_a_wrong_configuration_is_one_sentence(self) -> None:
        done = self.sweep(algorithms=["dfs"])
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertFalse(self.out.exists())

    def test_graphrun_is_not_there(self) -> None:
        (self.folder / "graphrun").unlink()
        self.assertEqual(self.sweep().returncode, 77)
        self.assertEqual(self.bench("run", self.config(), "--graphrun", "/nowhere/graphrun").returncode, 2)


class Measures(unittest.TestCase):
    def test_what_was_read_ahead_is_counted_where_a_trial_has_it(self) -> None:
        trials = [{"read_ahead": {"hit_bytes": 4096, "waste_bytes": 512}}, {"read_ahead": None}, {}]
        row = {"result": {"trials": trials}}
        self.assertEqual(MEASURES["ahead-hit-bytes"].values(row), [4096])
        self.assertEqual(MEASURES["ahead-waste-bytes"].values(row), [512])


if __name__ == "__main__":
    unittest.main()
