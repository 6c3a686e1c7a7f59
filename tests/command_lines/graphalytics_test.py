# SPDX-License-Identifier: Apache-2.0
"""Runs graphs of LDBC Graphalytics over every backend of a CPU, and validates what they write by its rules.

usage: graphalytics_test.py FOLDER_OF_PROGRAMS [FOLDER_OF_THE_SUITE]
"""

import gzip
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

_BACKENDS = ("incore", "emogi", "uvm", "bam", "gpuvm", "subway")
_ALGORITHMS = {"BFS": "bfs", "CDLP": "cdlp", "LCC": "lcc", "PR": "pagerank", "SSSP": "sssp", "WCC": "cc"}
_PROPERTIES = """graph.own.directed = true
graph.own.meta.vertices = 5
graph.own.meta.edges = 5
graph.own.edge-properties.names = cost
graph.own.edge-properties.types = real
graph.own.bfs.source-vertex = 9000000000
graph.own.sssp.source-vertex = 9000000000
graph.own.cdlp.max-iterations = 1
graph.own.pr.damping-factor = 0.5
graph.own.pr.num-iterations = 3
"""
_OWN = {
    "bfs": "3 9223372036854775807\n5 1\n7 1\n12 9223372036854775807\n9000000000 0\n",
    "sssp": "3 Infinity\n5 0.5\n7 0.75\n12 infinity\n9000000000 0\n",
    "cdlp": "3 5\n5 7\n7 5\n12 12\n9000000000 5\n",
    "cc": "3 1\n5 1\n7 1\n12 2\n9000000000 1\n",
    "lcc": "3 0\n5 0.16666666666666666\n7 0.5\n12 0\n9000000000 1\n",
}


def graphrun(*arguments, code=0):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, (arguments, done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


class Graphalytics(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = Path(made.name)

    def own(self):
        (self.folder / "own.v").write_text("12\n9000000000\n3\n5\n7\n")
        (self.folder / "own.e").write_text("9000000000 5 0.5\n5 7 0.25\n9000000000 7 2\n3 5 1\n7 5 1\n")
        (self.folder / "own.properties").write_text(_PROPERTIES)
        return self.folder / "own.properties"

    def agrees(self, graph, algorithm, expected, backend):
        output = self.folder / "values.graphalytics"
        graphrun(graph, "--algo", algorithm, "--backend", backend, "--device", "cpu", "--quiet", "--output", output)
        self.assertIn("agrees with", graphrun("validate", output, expected, "--algo", algorithm))

    def test_own_graph_over_every_backend(self):
        graph, expected = self.own(), self.folder / "expected"
        for algorithm, values in _OWN.items():
            expected.write_text(values)
            for backend in _BACKENDS:
                with self.subTest(algorithm=algorithm, backend=backend):
                    self.agrees(graph, algorithm, expected, backend)

    def test_parameters_of_the_file_give_way_to_options_and_are_told(self):
        graph = self.own()
        self.assertIn("--source 9000000000, by graph.own.bfs.source-vertex", graphrun(graph, "--algo", "bfs", "--device", "cpu"))

        def ranked(*arguments):
            given = (graph, "--algo", "pagerank", "--device", "cpu", "--json", "-", "--quiet", *arguments)
            return json.loads(graphrun(*given))

        result = ranked()
        self.assertEqual(result["options"]["damping"], 0.5)
        self.assertEqual((result["variant"], result["trials"][0]["iterations"]), ("synchronous", 3))
        self.assertEqual(ranked("--max-iterations", 7)["trials"][0]["iterations"], 7)
        self.assertEqual(ranked("--variant", "synchronous")["trials"][0]["iterations"], 3)
        self.assertEqual(ranked("--variant", "pull")["options"]["max_iterations"], 1000)
        self.assertEqual(ranked("--tolerance", 1e-9)["variant"], "extrapolated")
        graphrun(graph, "--algo", "pagerank", "--weights", "file", "--device", "cpu")  # which sweeps of a fixed number do not read
        values = graphrun(graph, "--algo", "bfs", "--device", "cpu", "--source", 3, "--quiet", "--output", "-")
        self.assertIn("3,0\n5,1\n7,2", values)

    def test_a_source_of_the_file_that_is_no_vertex_is_told_with_its_line(self):
        graph = self.own()
        graph.write_text(_PROPERTIES.replace("source-vertex = 9000000000", "source-vertex = 77"))
        said = graphrun(graph, "--algo", "bfs", "--device", "cpu", "--quiet", code=2)
        self.assertIn(f"graph.own.bfs.source-vertex of {graph}: 77 is not a vertex", said)

    def test_rate_counts_vertices_and_edges(self):
        result = json.loads(graphrun(self.own(), "--algo", "cc", "--device", "cpu", "--json", "-", "--quiet"))
        self.assertAlmostEqual(result["summary"]["evps"] * result["summary"]["median_ms"] / 1e3, 10, places=6)

    def test_the_first_vertex_that_differs_is_named(self):
        one, other = self.folder / "one", self.folder / "other"

        def differs(values, expected, algorithm, sentence):
            one.write_text(values), other.write_text(expected)
            self.assertIn(sentence, graphrun("validate", one, other, "--algo", algorithm, code=1))

        differs("1 0\n2 3\n", "2 4\n1 0\n", "bfs", "vertex 2: 3, and 4 in")
        differs("1 7\n2 7\n3 8\n", "1 1\n2 1\n3 1\n", "wcc", "vertex 3: 8, and 1 in")
        differs("1 7\n2 7\n", "1 1\n2 2\n", "wcc", "vertex 2: 7, and 2 in")
        differs("1 1.001\n", "1 1\n", "pr", "vertex 1: 1.001, and 1 in")
        differs("1 inf\n", "1 1\n", "sssp", "vertex 1: inf, and 1 in")
        differs("1 nan\n", "1 1\n", "lcc", "vertex 1: nan, and 1 in")
        differs("1 1\n", "1 1\n2 1\n", "bfs", "vertex 2 is missing in")
        differs("1 1\n2 1\n", "1 1\n", "bfs", "vertex 2 is not in")
        differs("1 1\n1 1\n", "1 1\n", "bfs", "has vertex 1 twice")
        differs("1 x\n", "1 1\n", "bfs", "one:1: expected a whole number")
        self.assertIn("has no tc", graphrun("validate", one, other, "--algo", "tc", code=2))
        one.write_text("2 Infinity\n1 1.00001\n"), other.write_text("1 1\n2 infinity\n")
        self.assertIn("2 vertices, within 1e-4", graphrun("validate", one, other, "--algo", "sssp"))

    def test_values_may_be_compressed_and_in_any_order(self):
        lines = [f"{v} {v % 7}\n" for v in range(1, 200_000)]  # several windows
        one, other = self.folder / "one.gz", self.folder / "other"
        one.write_bytes(gzip.compress("".join(lines).encode())), other.write_text("".join(reversed(lines)))
        for values, expected in ((one, other), (other, one)):
            self.assertIn("199999 vertices, equal", graphrun("validate", values, expected, "--algo", "bfs"))
        other.write_text("".join(lines + lines[-1:]))
        self.assertIn("vertex 199999 twice", graphrun("validate", one, other, "--algo", "wcc", code=1))
        other.write_text("".join(lines[:-1]) + "199999 x\n")
        self.assertIn("other:199999: expected a whole number", graphrun("validate", one, other, "--algo", "bfs", code=1))

    def test_suite_over_every_backend(self):
        if SUITE is None:
            self.skipTest("no data sets of Graphalytics")
        runs = 0
        for graph in sorted(SUITE.glob("*.properties")):
            for suffix, algorithm in _ALGORITHMS.items():
                expected = graph.with_name(f"{graph.stem}-{suffix}")
                for backend in _BACKENDS if expected.exists() else ():
                    with self.subTest(graph=graph.stem, algorithm=algorithm, backend=backend):
                        self.agrees(graph, algorithm, expected, backend)
                        runs += 1
        self.assertGreater(runs, 0)


if __name__ == "__main__":
    PROGRAM = Path(sys.argv[1]) / "graphrun"
    SUITE = Path(sys.argv[2]) if len(sys.argv) > 2 and Path(sys.argv[2]).is_dir() else None
    unittest.main(argv=sys.argv[:1])
