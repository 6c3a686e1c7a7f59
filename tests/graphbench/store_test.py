# SPDX-License-Identifier: Apache-2.0

import errno
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import support  # noqa: F401  (finds the package)

from graphbench.errors import BenchError
from graphbench.store import JsonLines, SweepFolder, latest_rows


class TornLines(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.lines = JsonLines(Path(scratch.name) / "rows.jsonl")
        self.values = [{"row": "a", "text": "née"}, {"row": "b"}, {"row": "c", "nested": {"x": [1, 2]}}]
        for value in self.values:
            self.lines.append(value)
        self.bytes = self.lines.path.read_bytes()

    def test_whole_files_are_read(self) -> None:
        self.assertEqual(self.lines.read(), self.values)
        self.assertEqual(self.lines.drop_torn_line(), 0)

    def test_cut_at_every_byte(self) -> None:
        for length in range(len(self.bytes)):
            self.lines.path.write_bytes(self.bytes[:length])
            whole = self.bytes[:length].count(b"\n")
            self.assertEqual(self.lines.read(), self.values[:whole], f"cut at byte {length}")
            self.lines.drop_torn_line()
            self.lines.append({"row": "d"})
            self.assertEqual(self.lines.read(), [*self.values[:whole], {"row": "d"}], f"cut at byte {length}")

    def test_zeros_after_a_crash_of_the_machine_are_a_torn_line(self) -> None:
        self.lines.path.write_bytes(self.bytes + bytes(512))
        self.assertEqual(self.lines.read(), self.values)
        self.assertEqual(self.lines.drop_torn_line(), 512)
        self.assertEqual(self.lines.path.read_bytes(), self.bytes)

    def test_damage_in_the_middle_is_said(self) -> None:
        self.lines.path.write_bytes(self.bytes.replace(b'{"row": "b"}', b'{"row: "b"}'))
        with self.assertRaisesRegex(BenchError, "line 2 is no JSON object"):
            self.lines.read()

    def test_damage_is_said_with_its_reason(self) -> None:
        for line, reason in (
            (b'{"row": NaN}', "NaN is no number"),
            (b"", "Expecting value"),
            (b"[1]", "something else"),
            (b"\xff", "UTF-8"),
        ):
            with self.subTest(line):
                self.lines.path.write_bytes(self.bytes.replace(b'{"row": "b"}', line))
                with self.assertRaisesRegex(BenchError, f"line 2 is no JSON object .*{reason}"):
                    self.lines.read()

    def test_what_could_not_be_read_again_is_not_written(self) -> None:
        with self.assertRaisesRegex(ValueError, "zero byte"):
            self.lines.append({"row": "d", "messages": "a\0b"})
        self.assertEqual(self.lines.read(), self.values)

    def test_a_full_disk_is_named_with_the_file_and_loses_one_line(self) -> None:
        full = OSError(errno.ENOSPC, "No space left on device")
        with mock.patch("os.fsync", side_effect=full), self.assertRaisesRegex(
            BenchError, "rows.jsonl cannot be written: No space"
        ):
            self.lines.append({"row": "d"})
        self.lines.drop_torn_line()
        self.assertEqual(self.lines.read()[:3], self.values)

    def test_a_full_disk_is_named_where_a_configuration_is_kept(self) -> None:
        full = OSError(errno.ENOSPC, "No space left on device")
        with mock.patch("os.fsync", side_effect=full), self.assertRaisesRegex(BenchError, "cannot be written: No space"):
            SweepFolder(self.lines.path.parent).write_config({})

    def test_an_absent_file_is_empty(self) -> None:
        self.lines.path.unlink()
        self.assertEqual((self.lines.read(), self.lines.drop_torn_line()), ([], 0))

    def test_what_ran_again_counts_as_it_came_out_last(self) -> None:
        self.assertEqual(
            latest_rows([{"key": "k", "n": 1}, {"key": "l", "n": 2}, {"key": "k", "n": 3}]),
            {"k": {"key": "k", "n": 3}, "l": {"key": "l", "n": 2}},
        )


if __name__ == "__main__":
    unittest.main()
