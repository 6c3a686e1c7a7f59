# SPDX-License-Identifier: Apache-2.0

import json
import tempfile
import unittest
from pathlib import Path

from support import TREE, BenchTest, is_config

from graphbench.config import parse_config, read_config
from graphbench.errors import UsageError
from graphbench.overrides import override
from graphbench.plan import make_plan

RAW = {
    "name": "n",
    "graphs": [
        {"dataset": "GAP-kron", "name": "K"},
        {"name": "k9", "graph": "kron:9:8", "container": True, "container_options": {"weights": "random:1"}},
    ],
    "algorithms": [{"algo": "bfs", "options": {"source": "random:1", "sources": 64}, "trials": 3}, "cc"],
    "systems": ["emogi", {"backend": "bam", "options": {"page": "4KiB"}, "vary": {"cache": ["1MiB", "2MiB"]}}],
    "baseline": "emogi",
    "programs": [{"name": "disk", "program": ["speak", "{graph}"], "graph": "K"}, {"name": "link", "program": ["speak"]}],
    "bandwidth": [
        {"program": "disk", "field": "b", "systems": ["bam, cache 1MiB"]},
        {"program": "link", "field": "b", "systems": ["emogi", "bam, cache 2MiB"]},
    ],
    "skip": [{"graph": "K", "algorithm": "cc", "reason": "directed"}],
    "expected": [{"what": "w", "value": 1, "source": "s", "hardware": "h", "graph": "K", "system": "emogi"}],
}


class Settings(unittest.TestCase):
    def read(self, *settings: str):
        return parse_config(override(RAW, list(settings)), "c.json")

    def refused(self, sentence: str, *settings: str) -> None:
        with self.assertRaises(UsageError) as caught:
            self.read(*settings)
        self.assertIn(sentence, str(caught.exception))

    def test_values(self) -> None:
        config = self.read("repeats=7", "verify=once", "warm=true", "time_limit_s=1.5", "memory_limit=8GiB")
        self.assertEqual(
            (config.repeats, config.verify, config.warm, config.time_limit_s, config.memory_limit),
            (7, "once", True, 1.5, "8GiB"),
        )

    def test_trials_are_those_of_algorithms_too(self) -> None:
        self.assertEqual([algorithm.trials for algorithm in self.read("trials=2").algorithms], [2, None])

    def test_an_option_is_set_where_it_is_given_or_else_for_all(self) -> None:
        config = self.read("option.sources=4", "option.device=cpu", "option.undirected=true")
        self.assertEqual(config.algorithms[0].options["sources"], 4)
        self.assertEqual(config.options, {"device": "cpu", "undirected": True})
        self.refused("option 'cache' is what this configuration varies", "option.cache=1MiB")

    def test_names_that_are_kept(self) -> None:
        config = self.read("systems=bam, cache 2MiB,emogi", "algorithms=bfs", "graphs=k9")
        self.assertEqual([system.name for system in config.systems], ["emogi", "bam, cache 2MiB"])
        self.assertEqual(len(make_plan(config)), 3 * (2 + 1))

    # "algorithms=pr" was refused even where the configuration itself said "pr".
    def test_short_forms_name_algorithms_that_are_kept(self) -> None:
        ranks = parse_config(override(RAW | {"algorithms": ["pr", "cc"]}, ["algorithms=pr"]), "c.json")
        self.assertEqual([algorithm.name for algorithm in ranks.algorithms], ["pagerank"])
        self.assertEqual([algorithm.name for algorithm in self.read("algorithms=wcc").algorithms], ["cc"])
        self.assertEqual([algorithm.name for algorithm in self.read("algorithms=WCC,Bfs").algorithms], ["bfs", "cc"])
        self.refused("'only' (or --set algorithms) names 'pr', which is not among algorithms: bfs, cc", "algorithms=pr")

    def test_what_is_left_out_takes_along_what_is_said_of_it_alone(self) -> None:
        config = self.read("systems=bam, cache 1MiB", "graphs=k9")
        self.assertIsNone(config.baseline)
        self.assertEqual([program.name for program in config.programs], ["link"])
        self.assertEqual(config.bandwidth, ({"program": "link", "field": "b", "systems": [], "unit": "B/s"},))
        self.assertEqual(len(config.expected), 1)

    def test_generators_are_made_as_the_configuration_makes_its_own(self) -> None:
        config = self.read("graphs=kron:5:4,K")
        self.assertEqual([(graph.name, graph.source) for graph in config.graphs], [("K", "GAP-kron"), ("kron:5:4", "kron:5:4")])
        self.assertEqual((config.graphs[1].container, config.graphs[1].container_options), (True, {"weights": "random:1"}))

    def test_generators_where_a_configuration_has_none(self) -> None:
        config = parse_config(
            override(
                RAW | {"graphs": ["a.mtx"], "skip": [], "expected": [], "programs": [], "bandwidth": []}, ["graphs=kron:5:4"]
            ),
            "c",
        )
        self.assertEqual((config.graphs[0].container, config.graphs[0].container_options), (True, {"weights": "random:1"}))

    def test_mistakes(self) -> None:
        self.refused("'repeats' is not NAME=VALUE", "repeats")
        self.refused("there is no 'graphz' (did you mean 'graphs'?)", "graphz=K")
        self.refused("'only' (or --set graphs) names 'kk9', which is not among graphs (did you mean 'k9'?)", "graphs=kk9")
        self.refused("'repeats' must be a whole number", "repeats=many")
        self.refused("'baseline' names 'uvm'", "baseline=uvm")

    # It spoke of 'only', which the configuration does not say.
    def test_an_empty_list_of_names_is_said_as_it_was_given(self) -> None:
        for setting in ("algorithms=", "algorithms=bfs,", "graphs= "):
            self.refused(f"--set: '{setting}' has an empty name", setting)

    def test_a_setting_finds_a_wrong_configuration_wrong(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "c.json"
            path.write_text(json.dumps(RAW | {"graphs": 5}), encoding="utf-8")
            with self.assertRaisesRegex(UsageError, "c.json: 'graphs' must be a list"):
                read_config(path, ["graphs=k9"])

    def test_the_original_stays_as_it_was(self) -> None:
        before = str(RAW)
        self.read("graphs=kron:5:4", "option.sources=4", "trials=2")
        self.assertEqual(str(RAW), before)


class OnTheCommandLine(BenchTest):
    def test_the_folder_keeps_what_was_run_and_is_reported_without_the_original(self) -> None:
        config = self.config(graphs=["kron:4:4", "kron:5:4"], systems=["incore", "emogi"])
        settings = ["--set", "graphs=kron:5:4,kron:6:4", "--set", "repeats=1", "--set", "systems=emogi"]
        self.assertEqual(self.bench("run", config, "--out", self.out, *settings).returncode, 0)
        self.assertEqual([(row["graph"], row["system"]) for row in self.rows()], [("kron:5:4", "emogi"), ("kron:6:4", "emogi")])
        self.assertEqual(self.bench("run", config, "--out", self.out).returncode, 2)
        config.unlink()
        done = self.bench("report", self.out, "--csv", self.folder / "r.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "r.csv").read_text(encoding="utf-8").count("\n"), 3)

    def test_shipped_configurations_of_papers_shrink_to_a_graph_that_needs_no_download(self) -> None:
        for path in filter(is_config, sorted((TREE / "configs" / "paper").glob("*.json"))):
            with self.subTest(path.name):
                if read_config(path).systems:
                    config = read_config(path, ["graphs=kron:10:8", "repeats=1"])
                    self.assertTrue(make_plan(config))
                    self.assertEqual({graph.name for graph in config.graphs}, {"kron:10:8"})


if __name__ == "__main__":
    unittest.main()
