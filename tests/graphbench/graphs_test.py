# SPDX-License-Identifier: Apache-2.0

import unittest
from pathlib import Path

from support import BenchTest

from graphbench.graphs import Missing, edge_bytes
from graphbench.options import edge_share

# Stands for graphconv: writes the beginning of a container with 1000 edges.
_CONVERTER = """
import struct, sys
wide = "--ids" in sys.argv
with open(sys.argv[2], "wb") as file:
    file.write(b"\\x89GRF\\r\\n\\x1a\\n" + struct.pack("<IIIIIIQQ", 1, 128, 8 if wide else 4, 0, 0, 0, 16, 1000) + bytes(80))
"""


class Shares(unittest.TestCase):
    def test_of_edges(self) -> None:
        self.assertEqual(
            [edge_share(text) for text in ("edges", "edges/4", "edges/2.5", "edges/0", "edges/", "4MiB", "edges/-1")],
            [1, 0.25, 0.4, None, None, None, None],
        )


class Containers(BenchTest):
    def setUp(self) -> None:
        super().setUp()
        self._program("graphconv", _CONVERTER)

    def commands(self, **changes: object) -> list[list[str]]:
        # What comes of them does not matter: the stand-in for graphrun reads no containers.
        self.sweep(graphs=[{"name": "k", "graph": "kron:10:4", "container": True}], repeats=1, **changes)
        return [row["command"] for row in self.rows()]

    def test_a_file_that_changed_has_another_container(self) -> None:
        source = self.folder / "g.mtx"
        found = []
        for text in ("one", "another"):
            source.write_text(text, encoding="utf-8")
            self.sweep(self.folder / text, graphs=[{"name": "g", "graph": str(source), "container": True}], repeats=1)
            command = self.rows(self.folder / text)[0]["command"]
            found.append(Path(command[command.index("--graph") + 1]).name)
        self.assertEqual(len(set(found)), 2, found)

    def test_a_cache_in_edges_becomes_bytes(self) -> None:
        systems = [{"backend": "bam", "vary": {"cache": ["edges", "edges/4", "1KiB"]}}]
        caches = [command[command.index("--cache") + 1] for command in self.commands(systems=systems)]
        self.assertEqual(caches, [str(4000 + (64 << 10)), str(1000 + (64 << 10)), "1KiB"])

    def test_of_sssp_weights_are_among_them(self) -> None:
        command = self.commands(algorithms=["sssp"], systems=[{"backend": "bam", "options": {"cache": "edges"}}])[0]
        self.assertEqual(command[command.index("--cache") + 1], str(8000 + (64 << 10)))

    def test_runs_with_wide_ids_have_containers_of_their_own(self) -> None:
        systems = [{"name": "narrow", "backend": "incore"}, {"name": "wide", "backend": "incore", "options": {"ids": "64"}}]
        narrow, wide = (Path(command[command.index("--graph") + 1]) for command in self.commands(systems=systems))
        self.assertEqual((edge_bytes(str(narrow), False), edge_bytes(str(wide), False)), (4000, 8000))

    def test_a_cache_in_edges_needs_a_container(self) -> None:
        # A dry run found nothing wrong, and then every row failed.
        for more in ([], ["--dry-run"]):
            said = self.bench("run", self.config(systems=[{"backend": "bam", "options": {"cache": "edges/2"}}]), *more)
            self.assertEqual(said.returncode, 2)
            self.assertIn("graph 'kron:4:4'", said.stderr)
            self.assertIn('give its graph "container": true', said.stderr)

    def test_what_is_no_container_is_said(self) -> None:
        for content in (b"", b"\x89GRF\r\n\x1a\n", b"%%MatrixMarket" + bytes(100)):
            path = self.folder / "x"
            path.write_bytes(content)
            with self.assertRaisesRegex(Missing, "needs a container"):
                edge_bytes(str(path), False)


if __name__ == "__main__":
    unittest.main()
